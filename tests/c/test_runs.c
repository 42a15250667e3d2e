/* Runs: the model answers at once, later, from another thread, wrongly; agents side by side; stopping and freeing. */
#include <poll.h>
#include <pthread.h>
#include <time.h>

#include "host.h"

static void nap(long milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

TEST(a_scripted_model_answers) {
  struct host host;
  build(&host, begin(&host, "{\"system\":\"Be kind.\"}"));
  add_turn(&host, say("hello"));
  run_to_end(&host, "hi");
  CHECK_HAS(host.last_request, "\"system\":\"Be kind.\"");
  CHECK_HAS(host.log, "{\"type\":\"text_delta\",\"text\":\"hello\"}");
  CHECK_HAS(host.log, "\"subtype\":\"success\"");
  toolreeve_string messages = TOOLREEVE_STRING_INIT;
  CHECK_STATUS(toolreeve_agent_messages(host.agent, &messages, NULL), TOOLREEVE_STATUS_OK);
  CHECK_HAS(messages.data, "\"role\":\"assistant\"");
  toolreeve_string_free(&messages);
  end(&host, 2);
}

struct answer {
  toolreeve_agent *agent;
  uint64_t request;
  const char *turn;
};

/* Pushes a turn in pieces of seven bytes. */
static void *answer_in_pieces(void *userdata) {
  struct answer *answer = userdata;
  size_t length = strlen(answer->turn);
  for (size_t at = 0; at < length; at += 7) {
    size_t count = length - at < 7 ? length - at : 7;
    CHECK_STATUS(toolreeve_model_push(answer->agent, answer->request, answer->turn + at, count), TOOLREEVE_STATUS_OK);
  }
  CHECK_STATUS(toolreeve_model_end(answer->agent, answer->request), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_model_end(answer->agent, answer->request), TOOLREEVE_STATUS_NOT_WANTED);
  return NULL;
}

TEST(the_model_answers_later_from_another_thread) {
  struct host host;
  build(&host, begin(&host, "{}"));
  start(&host, "hi");
  while (host.model_request == 0 && toolreeve_agent_wait(host.agent, 60000) == TOOLREEVE_STATUS_OK) {
    toolreeve_agent_dispatch(host.agent, 1, NULL, NULL);
  }
  char *turn = say("later");
  struct answer answer = {host.agent, host.model_request, turn};
  pthread_t thread;
  pthread_create(&thread, NULL, answer_in_pieces, &answer);
  pump(&host, &host.done);
  pthread_join(thread, NULL);
  free(turn);
  CHECK_HAS(host.log, "\"text\":\"later\"");
  CHECK_HAS(host.log, "\"subtype\":\"success\"");
  end(&host, 2);
}

/* How the test answers the request of the model, and what the log then has. */
static void push_events(toolreeve_agent *agent, uint64_t request) {
  const char *events[] = {
      "{\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[],\"usage\":{}}}",
      "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}",
      "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"parsed\"}}",
      "{\"type\":\"content_block_stop\",\"index\":0}",
      "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}",
      "{\"type\":\"message_stop\"}",
  };
  for (size_t index = 0; index < sizeof events / sizeof *events; index++) {
    CHECK_STATUS(toolreeve_model_push_event(agent, request, TEXT(events[index]), NULL), TOOLREEVE_STATUS_OK);
  }
  CHECK_STATUS(toolreeve_model_end(agent, request), TOOLREEVE_STATUS_OK);
}
static void push_garbage(toolreeve_agent *agent, uint64_t request) {
  toolreeve_error *error = NULL;
  CHECK_STATUS(toolreeve_model_push_event(agent, request, TEXT("{no"), &error), TOOLREEVE_STATUS_INVALID_JSON);
  CHECK_HAS(toolreeve_error_message(error), "event is not JSON");
  toolreeve_error_free(error);
  CHECK_STATUS(toolreeve_model_end(agent, request), TOOLREEVE_STATUS_NOT_WANTED);
}
static void push_nothing(toolreeve_agent *agent, uint64_t request) {
  CHECK_STATUS(toolreeve_model_end(agent, request), TOOLREEVE_STATUS_OK);
}
static void push_half(toolreeve_agent *agent, uint64_t request) {
  CHECK_STATUS(toolreeve_model_push(agent, request, TEXT(MESSAGE_START)), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_model_end(agent, request), TOOLREEVE_STATUS_OK);
}
static void fail(toolreeve_agent *agent, uint64_t request) {
  CHECK_STATUS(toolreeve_model_fail(agent, request, TEXT("no network")), TOOLREEVE_STATUS_OK);
}
static void fail_unreadably(toolreeve_agent *agent, uint64_t request) {
  CHECK_STATUS(toolreeve_model_fail(agent, request, TEXT("\xff")), TOOLREEVE_STATUS_INVALID_UTF8);
}

static const struct {
  void (*answer)(toolreeve_agent *, uint64_t);
  const char *part;
  const char *subtype;
} ANSWERS[] = {
    {push_events, "\"text\":\"parsed\"", "\"subtype\":\"success\""},
    {push_garbage, "event is not JSON", "\"subtype\":\"error_during_execution\""},
    {push_nothing, "without an answer", "\"subtype\":\"error_during_execution\""},
    {push_half, "in the middle of its answer", "\"subtype\":\"error_during_execution\""},
    {fail, "no network", "\"subtype\":\"error_during_execution\""},
    {fail_unreadably, "not readable", "\"subtype\":\"error_during_execution\""},
};

TEST(every_way_to_answer_ends_the_run) {
  for (size_t row = 0; row < sizeof ANSWERS / sizeof *ANSWERS; row++) {
    struct host host;
    build(&host, begin(&host, "{}"));
    start(&host, "hi");
    while (host.model_request == 0 && toolreeve_agent_wait(host.agent, 60000) == TOOLREEVE_STATUS_OK) {
      toolreeve_agent_dispatch(host.agent, 0, NULL, NULL);
    }
    ANSWERS[row].answer(host.agent, host.model_request);
    pump(&host, &host.done);
    CHECK_HAS(host.log, ANSWERS[row].part);
    CHECK_HAS(host.log, ANSWERS[row].subtype);
    end(&host, 2);
  }
}

TEST(without_a_model_a_run_fails_in_words) {
  toolreeve_agent *agent = NULL;
  CHECK_STATUS(toolreeve_agent_new(NULL, 0, &agent, NULL), TOOLREEVE_STATUS_OK);
  uint64_t run = 0, of_event = 0;
  CHECK_STATUS(toolreeve_agent_run(agent, TEXT("hi"), &run, NULL), TOOLREEVE_STATUS_OK);
  int done = 0, has_error = 0;
  toolreeve_string event = TOOLREEVE_STRING_INIT;
  while (!done && toolreeve_agent_wait(agent, 60000) == TOOLREEVE_STATUS_OK) {
    /* One event stays in the queue of each round, so that wait must see it. */
    CHECK_STATUS(toolreeve_agent_dispatch(agent, 2, NULL, NULL), TOOLREEVE_STATUS_OK);
    if (toolreeve_agent_next_event(agent, &of_event, &event) == TOOLREEVE_STATUS_OK) {
      CHECK(of_event == run);
      has_error |= strstr(event.data, "no callback") != NULL;
      done |= strstr(event.data, "\"done\"") != NULL;
      toolreeve_string_free(&event);
    }
  }
  CHECK(done && has_error);
  CHECK_STATUS(toolreeve_agent_next_event(agent, &of_event, &event), TOOLREEVE_STATUS_EMPTY);
  CHECK_STATUS(toolreeve_agent_wait(agent, 0), TOOLREEVE_STATUS_TIMEOUT);
  CHECK_STATUS(toolreeve_agent_free(agent), TOOLREEVE_STATUS_OK);
}

TEST(two_agents_run_in_one_poll_loop) {
  struct host hosts[2];
  struct pollfd fds[2];
  for (int index = 0; index < 2; index++) {
    build(&hosts[index], begin(&hosts[index], "{}"));
    add_turn(&hosts[index], say(index == 0 ? "first" : "second"));
    int32_t fd = -1;
    CHECK_STATUS(toolreeve_agent_fd(hosts[index].agent, &fd), TOOLREEVE_STATUS_OK);
    fds[index].fd = fd;
    fds[index].events = POLLIN;
    start(&hosts[index], "hi");
  }
  while (!(hosts[0].done && hosts[1].done)) {
    if (poll(fds, 2, 60000) <= 0) break;
    for (int index = 0; index < 2; index++) {
      size_t handled = 0;
      CHECK_STATUS(toolreeve_agent_dispatch(hosts[index].agent, 0, &handled, NULL), TOOLREEVE_STATUS_OK);
      CHECK(handled > 0 || !(fds[index].revents & POLLIN));
    }
  }
  CHECK_HAS(hosts[0].log, "first");
  CHECK_HAS(hosts[1].log, "second");
  CHECK_LACKS(hosts[0].log, "second");
  for (int index = 0; index < 2; index++) end(&hosts[index], 2);
}

TEST(an_interrupted_run_ends_and_the_next_one_works) {
  struct host host;
  build(&host, begin(&host, "{}"));
  uint64_t run = start(&host, "hi");
  while (host.model_request == 0 && toolreeve_agent_wait(host.agent, 60000) == TOOLREEVE_STATUS_OK) {
    toolreeve_agent_dispatch(host.agent, 0, NULL, NULL);
  }
  toolreeve_string messages = TOOLREEVE_STRING_INIT;
  CHECK_STATUS(toolreeve_agent_messages(host.agent, &messages, NULL), TOOLREEVE_STATUS_BUSY);
  CHECK_STATUS(toolreeve_agent_interrupt(host.agent, run), TOOLREEVE_STATUS_OK);
  pump(&host, &host.done);
  CHECK_HAS(host.log, "\"subtype\":\"interrupted\"");
  CHECK_STATUS(toolreeve_agent_interrupt(host.agent, run), TOOLREEVE_STATUS_NOT_WANTED);
  CHECK_STATUS(toolreeve_model_push(host.agent, host.model_request, TEXT("late")), TOOLREEVE_STATUS_NOT_WANTED);
  add_turn(&host, say("again"));
  run_to_end(&host, "hi again");
  CHECK_HAS(host.log, "again");
  end(&host, 2);
}

static void note_cancel(void *userdata, toolreeve_agent *agent, uint64_t request) {
  (void)agent;
  *(uint64_t *)userdata = request;
}

TEST(the_host_hears_of_requests_that_nobody_wants) {
  struct host host;
  uint64_t cancelled = 0;
  toolreeve_builder *builder = begin(&host, "{}");
  CHECK_STATUS(toolreeve_builder_cancel(builder, note_cancel, &cancelled, NULL), TOOLREEVE_STATUS_OK);
  build(&host, builder);
  uint64_t run = start(&host, "hi");
  while (host.model_request == 0 && toolreeve_agent_wait(host.agent, 60000) == TOOLREEVE_STATUS_OK) {
    toolreeve_agent_dispatch(host.agent, 0, NULL, NULL);
  }
  CHECK_STATUS(toolreeve_agent_interrupt(host.agent, run), TOOLREEVE_STATUS_OK);
  pump(&host, &host.done);
  CHECK(cancelled == host.model_request);
  end(&host, 2);
}

/* A callback that calls everything it may; the userdata is the host. */
static void reenter(void *userdata, toolreeve_agent *agent, uint64_t request, const char *json, size_t length) {
  struct host *host = userdata;
  toolreeve_string text = TOOLREEVE_STRING_INIT;
  toolreeve_error *error = NULL;
  uint64_t run = 0;
  CHECK_STATUS(toolreeve_agent_dispatch(agent, 0, NULL, &error), TOOLREEVE_STATUS_BUSY);
  CHECK_HAS(toolreeve_error_message(error), "dispatch again");
  toolreeve_error_free(error);
  CHECK_STATUS(toolreeve_agent_messages(agent, &text, NULL), TOOLREEVE_STATUS_BUSY);
  CHECK_STATUS(toolreeve_agent_specs(agent, &text, NULL), TOOLREEVE_STATUS_OK);
  toolreeve_string_free(&text);
  CHECK_STATUS(toolreeve_agent_check(agent, TEXT("Nothing"), TEXT("{}"), &text, NULL), TOOLREEVE_STATUS_INVALID_CALL);
  if (host->next_turn == 0) CHECK_STATUS(toolreeve_agent_run(agent, TEXT("and then"), &run, NULL), TOOLREEVE_STATUS_OK);
  int32_t fd = -1;
  CHECK_STATUS(toolreeve_agent_fd(agent, &fd), TOOLREEVE_STATUS_OK);
  play(userdata, agent, request, json, length);
}

TEST(callbacks_may_call_everything) {
  struct host host;
  toolreeve_builder *builder = begin(&host, "{}");
  CHECK_STATUS(toolreeve_builder_model(builder, reenter, &host, note_finalized), TOOLREEVE_STATUS_OK);
  build(&host, builder);
  add_turn(&host, say("one"));
  add_turn(&host, say("two"));
  run_to_end(&host, "hi");
  if (strstr(host.log, "two") == NULL) host.done = 0, pump(&host, &host.done);
  CHECK_HAS(host.log, "one");
  CHECK_HAS(host.log, "two");
  end(&host, 3);
}

/* Frees the agent from inside of its own callback. */
static void free_inside(void *userdata, toolreeve_agent *agent, uint64_t request, const char *json, size_t length) {
  struct host *host = userdata;
  (void)json, (void)length;
  CHECK_STATUS(toolreeve_agent_free(agent), TOOLREEVE_STATUS_OK);
  CHECK(host->finalized == 0); /* the running callback still needs its userdata */
  CHECK_STATUS(toolreeve_model_push(agent, request, TEXT("x")), TOOLREEVE_STATUS_INVALID_HANDLE);
  CHECK_STATUS(toolreeve_agent_free(agent), TOOLREEVE_STATUS_INVALID_HANDLE);
}

TEST(a_callback_may_free_its_agent) {
  struct host host;
  toolreeve_builder *builder = begin(&host, "{}");
  CHECK_STATUS(toolreeve_builder_model(builder, free_inside, &host, note_finalized), TOOLREEVE_STATUS_OK);
  CHECK(host.finalized == 1);
  host.finalized = 0;
  build(&host, builder);
  start(&host, "hi");
  while (host.finalized == 0 && toolreeve_agent_wait(host.agent, 60000) == TOOLREEVE_STATUS_OK) {
    toolreeve_agent_dispatch(host.agent, 0, NULL, NULL);
  }
  CHECK(host.finalized == 2);
  CHECK_STATUS(toolreeve_agent_dispatch(host.agent, 0, NULL, NULL), TOOLREEVE_STATUS_INVALID_HANDLE);
  drop_texts(&host);
}

TEST(an_agent_may_be_freed_while_it_runs) {
  for (int round = 0; round < 5; round++) {
    struct host host;
    build(&host, begin(&host, "{}"));
    start(&host, "hi");
    start(&host, "and more");
    if (round % 2) toolreeve_agent_dispatch(host.agent, (size_t)round, NULL, NULL);
    end(&host, 2);
    CHECK_STATUS(toolreeve_model_end(host.agent, 1), TOOLREEVE_STATUS_INVALID_HANDLE);
    CHECK_STATUS(toolreeve_agent_free(host.agent), TOOLREEVE_STATUS_INVALID_HANDLE);
  }
}

static void *wait_for_ever(void *userdata) {
  toolreeve_status *status = malloc(sizeof *status);
  *status = toolreeve_agent_wait(userdata, -1);
  return status;
}

TEST(freeing_wakes_whoever_waits) {
  toolreeve_agent *agent = NULL;
  CHECK_STATUS(toolreeve_agent_new(NULL, 0, &agent, NULL), TOOLREEVE_STATUS_OK);
  pthread_t threads[3];
  for (int index = 0; index < 3; index++) pthread_create(&threads[index], NULL, wait_for_ever, agent);
  nap(50); /* so that most of them wait already; it holds in any order */
  CHECK_STATUS(toolreeve_agent_free(agent), TOOLREEVE_STATUS_OK);
  for (int index = 0; index < 3; index++) {
    void *status = NULL;
    pthread_join(threads[index], &status);
    CHECK_STATUS(*(toolreeve_status *)status, TOOLREEVE_STATUS_INVALID_HANDLE);
    free(status);
  }
}

int main(void) {
  RUN(a_scripted_model_answers);
  RUN(the_model_answers_later_from_another_thread);
  RUN(every_way_to_answer_ends_the_run);
  RUN(without_a_model_a_run_fails_in_words);
  RUN(two_agents_run_in_one_poll_loop);
  RUN(an_interrupted_run_ends_and_the_next_one_works);
  RUN(the_host_hears_of_requests_that_nobody_wants);
  RUN(callbacks_may_call_everything);
  RUN(a_callback_may_free_its_agent);
  RUN(an_agent_may_be_freed_while_it_runs);
  RUN(freeing_wakes_whoever_waits);
  return finish_tests();
}
