/* Whatever a program does wrong is a status: NULL, freed and foreign handles, bad texts, calls in any order, a fork. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

static void no_tool(void *userdata, toolreeve_agent *agent, uint64_t request, const char *id, size_t id_length,
                    const char *input, size_t input_length) {
  (void)userdata, (void)agent, (void)request, (void)id, (void)id_length, (void)input, (void)input_length;
}
static void no_cancel(void *userdata, toolreeve_agent *agent, uint64_t request) {
  (void)userdata, (void)agent, (void)request;
}

/* Every function of agents and builders with handles of the caller's choice; all but frees must give `expected`. */
static void call_everything(toolreeve_agent *agent, toolreeve_builder *builder, toolreeve_status expected) {
  toolreeve_string text = TOOLREEVE_STRING_INIT;
  toolreeve_agent *built = NULL;
  uint64_t run = 0;
  int32_t fd = 0;
  CHECK_STATUS(toolreeve_agent_fd(agent, &fd), expected);
  CHECK_STATUS(toolreeve_agent_wait(agent, 0), expected);
  CHECK_STATUS(toolreeve_agent_run(agent, TEXT("x"), &run, NULL), expected);
  CHECK_STATUS(toolreeve_agent_interrupt(agent, 1), expected);
  CHECK_STATUS(toolreeve_agent_dispatch(agent, 0, NULL, NULL), expected);
  CHECK_STATUS(toolreeve_agent_next_event(agent, &run, &text), expected);
  CHECK_STATUS(toolreeve_agent_specs(agent, &text, NULL), expected);
  CHECK_STATUS(toolreeve_agent_check(agent, TEXT("x"), TEXT("{}"), &text, NULL), expected);
  CHECK_STATUS(toolreeve_agent_call(agent, TEXT("[]"), &run, NULL), expected);
  CHECK_STATUS(toolreeve_agent_results(agent, 1, &text), expected);
  CHECK_STATUS(toolreeve_agent_messages(agent, &text, NULL), expected);
  CHECK_STATUS(toolreeve_model_push(agent, 1, TEXT("x")), expected);
  CHECK_STATUS(toolreeve_model_push_event(agent, 1, TEXT("{}"), NULL), expected);
  CHECK_STATUS(toolreeve_model_end(agent, 1), expected);
  CHECK_STATUS(toolreeve_model_fail(agent, 1, TEXT("x")), expected);
  CHECK_STATUS(toolreeve_tool_answer(agent, 1, TEXT("\"x\""), NULL), expected);
  CHECK_STATUS(toolreeve_tool_answer_text(agent, 1, TEXT("x")), expected);
  CHECK_STATUS(toolreeve_tool_fail(agent, 1, TEXT("x")), expected);
  CHECK_STATUS(toolreeve_tool_progress(agent, 1, TEXT("1"), NULL), expected);
  CHECK_STATUS(toolreeve_permission_answer(agent, 1, TEXT("{\"behavior\":\"allow\"}"), NULL), expected);
  CHECK_STATUS(toolreeve_hook_answer(agent, 1, TEXT("{}"), NULL), expected);
  CHECK_STATUS(toolreeve_builder_model(builder, play, NULL, NULL), expected);
  CHECK_STATUS(toolreeve_builder_permission(builder, play, NULL, NULL), expected);
  CHECK_STATUS(toolreeve_builder_events(builder, log_event, NULL, NULL), expected);
  CHECK_STATUS(toolreeve_builder_cancel(builder, no_cancel, NULL, NULL), expected);
  CHECK_STATUS(toolreeve_builder_add_tool(builder, TEXT(ECHO_TOOL), no_tool, NULL, NULL, NULL), expected);
  CHECK_STATUS(toolreeve_builder_add_hook(builder, TEXT("{\"event\":\"PreToolUse\"}"), play, NULL, NULL, NULL), expected);
  CHECK_STATUS(toolreeve_builder_build(builder, &built, NULL), expected);
  CHECK(text.data == NULL && built == NULL);
}

TEST(null_handles_are_refused_and_may_be_freed) {
  call_everything(NULL, NULL, TOOLREEVE_STATUS_NULL_POINTER);
  CHECK_STATUS(toolreeve_agent_free(NULL), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_builder_free(NULL), TOOLREEVE_STATUS_OK);
}

TEST(invented_foreign_and_freed_handles_are_refused) {
  int on_the_stack = 0;
  call_everything((toolreeve_agent *)&on_the_stack, (toolreeve_builder *)&on_the_stack, TOOLREEVE_STATUS_INVALID_HANDLE);
  CHECK_STATUS(toolreeve_agent_free((toolreeve_agent *)&on_the_stack), TOOLREEVE_STATUS_INVALID_HANDLE);
  toolreeve_builder *builder = NULL;
  toolreeve_agent *agent = NULL;
  CHECK_STATUS(toolreeve_builder_new(NULL, 0, &builder, NULL), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_agent_new(NULL, 0, &agent, NULL), TOOLREEVE_STATUS_OK);
  call_everything((toolreeve_agent *)builder, (toolreeve_builder *)agent, TOOLREEVE_STATUS_INVALID_HANDLE);
  CHECK_STATUS(toolreeve_agent_free((toolreeve_agent *)builder), TOOLREEVE_STATUS_INVALID_HANDLE);
  CHECK_STATUS(toolreeve_builder_free((toolreeve_builder *)agent), TOOLREEVE_STATUS_INVALID_HANDLE);
  CHECK_STATUS(toolreeve_agent_free(agent), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_builder_free(builder), TOOLREEVE_STATUS_OK);
  call_everything(agent, builder, TOOLREEVE_STATUS_INVALID_HANDLE);
  CHECK_STATUS(toolreeve_agent_free(agent), TOOLREEVE_STATUS_INVALID_HANDLE);
  CHECK_STATUS(toolreeve_builder_free(builder), TOOLREEVE_STATUS_INVALID_HANDLE);
}

TEST(null_results_and_texts_are_refused_before_anything_happens) {
  toolreeve_agent *agent = NULL;
  toolreeve_string text = TOOLREEVE_STRING_INIT;
  uint64_t run = 0;
  const toolreeve_status null = TOOLREEVE_STATUS_NULL_POINTER;
  CHECK_STATUS(toolreeve_agent_new(NULL, 0, NULL, NULL), null);
  CHECK_STATUS(toolreeve_agent_new(NULL, 1, &agent, NULL), null);
  CHECK_STATUS(toolreeve_builder_new(NULL, 0, NULL, NULL), null);
  CHECK_STATUS(toolreeve_agent_new(NULL, 0, &agent, NULL), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_agent_fd(agent, NULL), null);
  CHECK_STATUS(toolreeve_agent_run(agent, TEXT("x"), NULL, NULL), null);
  CHECK_STATUS(toolreeve_agent_run(agent, NULL, 1, &run, NULL), null);
  CHECK_STATUS(toolreeve_agent_next_event(agent, NULL, &text), null);
  CHECK_STATUS(toolreeve_agent_next_event(agent, &run, NULL), null);
  CHECK_STATUS(toolreeve_agent_specs(agent, NULL, NULL), null);
  CHECK_STATUS(toolreeve_agent_check(agent, TEXT("x"), TEXT("{}"), NULL, NULL), null);
  CHECK_STATUS(toolreeve_agent_check(agent, NULL, 1, TEXT("{}"), &text, NULL), null);
  CHECK_STATUS(toolreeve_agent_check(agent, TEXT("x"), NULL, 1, &text, NULL), null);
  CHECK_STATUS(toolreeve_agent_call(agent, TEXT("[]"), NULL, NULL), null);
  CHECK_STATUS(toolreeve_agent_call(agent, NULL, 1, &run, NULL), null);
  CHECK_STATUS(toolreeve_agent_results(agent, 1, NULL), null);
  CHECK_STATUS(toolreeve_agent_messages(agent, NULL, NULL), null);
  CHECK_STATUS(toolreeve_model_push(agent, 1, NULL, 1), null);
  CHECK_STATUS(toolreeve_model_push_event(agent, 1, NULL, 1, NULL), null);
  CHECK_STATUS(toolreeve_model_fail(agent, 1, NULL, 1), null);
  CHECK_STATUS(toolreeve_tool_answer(agent, 1, NULL, 1, NULL), null);
  CHECK_STATUS(toolreeve_tool_answer_text(agent, 1, NULL, 1), null);
  CHECK_STATUS(toolreeve_tool_fail(agent, 1, NULL, 1), null);
  CHECK_STATUS(toolreeve_tool_progress(agent, 1, NULL, 1, NULL), null);
  CHECK_STATUS(toolreeve_permission_answer(agent, 1, NULL, 1, NULL), null);
  CHECK_STATUS(toolreeve_hook_answer(agent, 1, NULL, 1, NULL), null);
  CHECK_STATUS(toolreeve_json_get(NULL, 1, TEXT(""), &text), null);
  CHECK_STATUS(toolreeve_json_get(TEXT("1"), NULL, 1, &text), null);
  CHECK_STATUS(toolreeve_json_get(TEXT("1"), TEXT(""), NULL), null);
  CHECK_STATUS(toolreeve_json_text(TEXT("\"\""), TEXT(""), NULL), null);
  CHECK_STATUS(toolreeve_json_quote(TEXT("1"), NULL), null);
  CHECK_STATUS(toolreeve_json_quote(NULL, 1, &text), null);
  CHECK_STATUS(toolreeve_check(NULL, 1, &text), null);
  CHECK_STATUS(toolreeve_check(TEXT("{}"), NULL), null);
  CHECK_STATUS(toolreeve_json_quote("x", SIZE_MAX, &text), TOOLREEVE_STATUS_INVALID_ARGUMENT);
  CHECK(text.data == NULL);
  CHECK_STATUS(toolreeve_agent_free(agent), TOOLREEVE_STATUS_OK);
}

TEST(texts_that_are_not_utf8_are_refused) {
  toolreeve_agent *agent = NULL;
  toolreeve_string text = TOOLREEVE_STRING_INIT;
  toolreeve_error *error = NULL;
  uint64_t run = 0;
  const toolreeve_status bad = TOOLREEVE_STATUS_INVALID_UTF8;
  CHECK_STATUS(toolreeve_agent_new(NULL, 0, &agent, NULL), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_agent_run(agent, TEXT("a\xc0\x80"), &run, &error), bad);
  CHECK_HAS(toolreeve_error_message(error), "prompt is not UTF-8 at byte 1");
  toolreeve_error_free(error);
  CHECK_STATUS(toolreeve_agent_check(agent, TEXT("\xff"), TEXT("{}"), &text, NULL), bad);
  CHECK_STATUS(toolreeve_agent_check(agent, TEXT("x"), TEXT("\"\xff\""), &text, NULL), bad);
  CHECK_STATUS(toolreeve_agent_call(agent, TEXT("\xff"), &run, NULL), bad);
  CHECK_STATUS(toolreeve_model_push_event(agent, 1, TEXT("\xff"), NULL), bad);
  CHECK_STATUS(toolreeve_json_quote(TEXT("\xed\xa0\x80"), &text), bad);
  CHECK_STATUS(toolreeve_agent_free(agent), TOOLREEVE_STATUS_OK);
}

/* A small generator of numbers, the same on every machine. */
static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* Callbacks that do one random thing and then perhaps answer. */
struct chaos {
  toolreeve_agent *agents[3];
  uint64_t requests[16];
  uint32_t random;
  int depth;
};

static void one_random_call(struct chaos *chaos);

static void chaotic_request(void *userdata, toolreeve_agent *agent, uint64_t request, const char *json, size_t length) {
  struct chaos *chaos = userdata;
  (void)agent, (void)json, (void)length;
  chaos->requests[next_random(&chaos->random) % 16] = request;
  if (chaos->depth < 4) {
    chaos->depth++;
    one_random_call(chaos);
    chaos->depth--;
  }
}
static void chaotic_tool(void *userdata, toolreeve_agent *agent, uint64_t request, const char *id, size_t id_length,
                         const char *input, size_t input_length) {
  (void)id, (void)id_length;
  chaotic_request(userdata, agent, request, input, input_length);
}
static void chaotic_cancel(void *userdata, toolreeve_agent *agent, uint64_t request) {
  chaotic_request(userdata, agent, request, NULL, 0);
}

static void build_chaotic(struct chaos *chaos, toolreeve_agent **agent) {
  toolreeve_builder *builder = NULL;
  if (toolreeve_builder_new(TEXT("{\"max_turns\":3,\"rules\":{\"ask\":[\"Echo\"]}}"), &builder, NULL) != TOOLREEVE_STATUS_OK) return;
  toolreeve_builder_model(builder, chaotic_request, chaos, NULL);
  toolreeve_builder_permission(builder, chaotic_request, chaos, NULL);
  if (next_random(&chaos->random) % 2) toolreeve_builder_events(builder, chaotic_request, chaos, NULL);
  toolreeve_builder_cancel(builder, chaotic_cancel, chaos, NULL);
  toolreeve_builder_add_tool(builder, TEXT(ECHO_TOOL), chaotic_tool, chaos, NULL, NULL);
  toolreeve_builder_add_hook(builder, TEXT("{\"event\":\"PreToolUse\"}"), chaotic_request, chaos, NULL, NULL);
  toolreeve_builder_build(builder, agent, NULL);
}

static void one_random_call(struct chaos *chaos) {
  toolreeve_agent **place = &chaos->agents[next_random(&chaos->random) % 3], *agent = *place;
  uint64_t request = chaos->requests[next_random(&chaos->random) % 16], run = 0;
  toolreeve_string text = TOOLREEVE_STRING_INIT;
  char *turn = NULL;
  switch (next_random(&chaos->random) % 20) {
    case 0: if (next_random(&chaos->random) % 4 == 0) toolreeve_agent_free(agent); break;
    case 1: toolreeve_agent_free(agent); build_chaotic(chaos, place); break;
    case 2: toolreeve_agent_run(agent, TEXT("go"), &run, NULL); break;
    case 3: case 4: case 5: toolreeve_agent_dispatch(agent, next_random(&chaos->random) % 4, NULL, NULL); break;
    case 6: toolreeve_agent_wait(agent, 1); break;
    case 7: toolreeve_agent_next_event(agent, &run, &text); break;
    case 8: toolreeve_agent_interrupt(agent, next_random(&chaos->random) % 4); break;
    case 9: toolreeve_agent_messages(agent, &text, NULL); break;
    case 10: turn = want_many("c", 3, "Echo", "{\"text\":\"x\"}"); toolreeve_model_push(agent, request, TEXT(turn)); break;
    case 11: toolreeve_model_end(agent, request); break;
    case 12: toolreeve_model_fail(agent, request, TEXT("chaos")); break;
    case 13: toolreeve_tool_answer(agent, request, TEXT("\"fine\""), NULL); break;
    case 14: toolreeve_tool_answer(agent, request, TEXT("{}"), NULL); break;
    case 15: toolreeve_permission_answer(agent, request, TEXT("{\"behavior\":\"allow\"}"), NULL); break;
    case 16: toolreeve_hook_answer(agent, request, TEXT("{}"), NULL); break;
    case 17: toolreeve_tool_progress(agent, request, TEXT("1"), NULL); break;
    case 18: toolreeve_agent_call(agent, TEXT("[{\"id\":\"a\",\"name\":\"Echo\",\"input\":{\"text\":\"x\"}}]"), &run, NULL); break;
    default: toolreeve_agent_check(agent, TEXT("Echo"), TEXT("{\"text\":\"x\"}"), &text, NULL); break;
  }
  free(turn);
  CHECK_STATUS(toolreeve_string_free(&text), TOOLREEVE_STATUS_OK);
}

TEST(calls_in_any_order_never_hang_or_crash) {
  uint32_t seeds = getenv("TOOLREEVE_TEST_SLOW") != NULL ? 4 : 20; /* a slow machine such as valgrind's */
  for (uint32_t seed = 1; seed <= seeds; seed++) {
    struct chaos chaos = {.random = seed};
    for (int index = 0; index < 3; index++) build_chaotic(&chaos, &chaos.agents[index]);
    for (int step = 0; step < 200; step++) one_random_call(&chaos);
    for (int index = 0; index < 3; index++) toolreeve_agent_free(chaos.agents[index]);
  }
}

static void *hammer(void *userdata) {
  toolreeve_agent *agent = userdata;
  toolreeve_status status = TOOLREEVE_STATUS_OK;
  while (status != TOOLREEVE_STATUS_INVALID_HANDLE) {
    toolreeve_string text = TOOLREEVE_STRING_INIT;
    uint64_t run = 0;
    status = toolreeve_agent_dispatch(agent, 0, NULL, NULL);
    toolreeve_agent_next_event(agent, &run, &text);
    toolreeve_string_free(&text);
    toolreeve_model_end(agent, 1);
    toolreeve_agent_specs(agent, &text, NULL);
    toolreeve_string_free(&text);
  }
  return NULL;
}

TEST(an_agent_may_be_freed_while_other_threads_use_it) {
  for (int round = 0; round < 5; round++) {
    struct host host;
    toolreeve_builder *builder = begin(&host, "{}");
    build(&host, builder);
    pthread_t threads[4];
    for (int index = 0; index < 4; index++) pthread_create(&threads[index], NULL, hammer, host.agent);
    start(&host, "hi");
    CHECK_STATUS(toolreeve_agent_free(host.agent), TOOLREEVE_STATUS_OK);
    for (int index = 0; index < 4; index++) pthread_join(threads[index], NULL);
    CHECK(host.finalized == 2); /* at the latest when the last call returned */
    drop_texts(&host);
  }
}

TEST(a_forked_child_is_told_so_and_may_begin_anew) {
  struct host host;
  build(&host, begin(&host, "{}"));
  add_turn(&host, say("parent"));
  fflush(stdout);
  int verdict[2] = {-1, -1};
  CHECK(pipe(verdict) == 0);
  pid_t child = fork();
  if (child == 0) {
    checks_failed = 0;
    toolreeve_error *error = NULL;
    uint64_t run = 0;
    CHECK_STATUS(toolreeve_agent_run(host.agent, TEXT("hi"), &run, &error), TOOLREEVE_STATUS_FORKED);
    CHECK_HAS(toolreeve_error_message(error), "forked");
    CHECK_STATUS(toolreeve_agent_dispatch(host.agent, 0, NULL, NULL), TOOLREEVE_STATUS_FORKED);
    CHECK_STATUS(toolreeve_agent_free(host.agent), TOOLREEVE_STATUS_FORKED);
    struct host own;
    build(&own, begin(&own, "{}"));
    add_turn(&own, say("child"));
    run_to_end(&own, "hi");
    CHECK_HAS(own.log, "child");
    end(&own, 2);
    fflush(stdout);
    /* No leak check at the end of the child: what the parent's threads hold is always lost in a copy without them. */
    if (checks_failed == 0 && write(verdict[1], "y", 1) == 1) kill(getpid(), SIGKILL);
    _exit(1);
  }
  char word = 'n';
  close(verdict[1]);
  CHECK(read(verdict[0], &word, 1) == 1 && word == 'y');
  close(verdict[0]);
  CHECK(waitpid(child, NULL, 0) == child);
  run_to_end(&host, "hi");
  CHECK_HAS(host.log, "parent");
  end(&host, 2);
}

int main(void) {
  RUN(null_handles_are_refused_and_may_be_freed);
  RUN(invented_foreign_and_freed_handles_are_refused);
  RUN(null_results_and_texts_are_refused_before_anything_happens);
  RUN(texts_that_are_not_utf8_are_refused);
  RUN(calls_in_any_order_never_hang_or_crash);
  RUN(an_agent_may_be_freed_while_other_threads_use_it);
  RUN(a_forked_child_is_told_so_and_may_begin_anew);
  return finish_tests();
}
