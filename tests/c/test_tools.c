/* Tools of the host, permission questions and hooks: answered at once, later, wrongly or not at all. */
#include <pthread.h>

#include "host.h"

/* How a tool of the test answers: the answer itself, and what the result then has. */
struct tool {
  struct host *host;
  void (*answer)(toolreeve_agent *agent, uint64_t request);
  const char *tool_use_id, *input;
  uint64_t requests[64];
  int count;
};

static void on_tool(void *userdata, toolreeve_agent *agent, uint64_t request, const char *id, size_t id_length,
                    const char *input, size_t input_length) {
  struct tool *tool = userdata;
  tool->requests[tool->count++ % 64] = request;
  if (tool->tool_use_id != NULL) {
    CHECK(id_length == strlen(tool->tool_use_id) && memcmp(id, tool->tool_use_id, id_length) == 0);
    CHECK(input_length == strlen(tool->input) && memcmp(input, tool->input, input_length) == 0);
  }
  if (tool->answer != NULL) tool->answer(agent, request);
}

static void begin_with_tool(struct host *host, struct tool *tool, const char *config) {
  toolreeve_builder *builder = begin(host, config);
  CHECK_STATUS(toolreeve_builder_add_tool(builder, TEXT(ECHO_TOOL), on_tool, tool, NULL, NULL), TOOLREEVE_STATUS_OK);
  tool->host = host;
  build(host, builder);
}

static void answer_text(toolreeve_agent *agent, uint64_t request) {
  CHECK_STATUS(toolreeve_tool_answer_text(agent, request, TEXT("a \"text\"")), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_tool_answer_text(agent, request, TEXT("again")), TOOLREEVE_STATUS_NOT_WANTED);
}
static void answer_string(toolreeve_agent *agent, uint64_t request) {
  CHECK_STATUS(toolreeve_tool_answer(agent, request, TEXT("\"a \\\"text\\\"\""), NULL), TOOLREEVE_STATUS_OK);
}
static void answer_object(toolreeve_agent *agent, uint64_t request) {
  CHECK_STATUS(toolreeve_tool_answer(agent, request, TEXT("{\"content\":\"wrong\",\"is_error\":true}"), NULL),
               TOOLREEVE_STATUS_OK);
}
static void answer_blocks(toolreeve_agent *agent, uint64_t request) {
  const char *blocks = "{\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"text\",\"text\":\"two\"}]}";
  CHECK_STATUS(toolreeve_tool_answer(agent, request, TEXT(blocks), NULL), TOOLREEVE_STATUS_OK);
}
static void answer_garbage(toolreeve_agent *agent, uint64_t request) {
  toolreeve_error *error = NULL;
  CHECK_STATUS(toolreeve_tool_answer(agent, request, TEXT("{garbage"), &error), TOOLREEVE_STATUS_INVALID_JSON);
  CHECK_HAS(toolreeve_error_message(error), "answer is not JSON");
  toolreeve_error_free(error);
}
static void answer_shapeless(toolreeve_agent *agent, uint64_t request) {
  CHECK_STATUS(toolreeve_tool_answer(agent, request, TEXT("[1]"), NULL), TOOLREEVE_STATUS_INVALID_ARGUMENT);
}
static void answer_null(toolreeve_agent *agent, uint64_t request) {
  CHECK_STATUS(toolreeve_tool_answer(agent, request, NULL, 9, NULL), TOOLREEVE_STATUS_NULL_POINTER);
}
static void answer_latin(toolreeve_agent *agent, uint64_t request) {
  CHECK_STATUS(toolreeve_tool_answer_text(agent, request, TEXT("caf\xe9")), TOOLREEVE_STATUS_INVALID_UTF8);
}
static void answer_failure(toolreeve_agent *agent, uint64_t request) {
  CHECK_STATUS(toolreeve_tool_fail(agent, request, TEXT("no disk")), TOOLREEVE_STATUS_OK);
}
static void answer_latin_failure(toolreeve_agent *agent, uint64_t request) {
  CHECK_STATUS(toolreeve_tool_fail(agent, request, TEXT("\xe9")), TOOLREEVE_STATUS_INVALID_UTF8);
}
static void answer_with_progress(toolreeve_agent *agent, uint64_t request) {
  CHECK_STATUS(toolreeve_tool_progress(agent, request, TEXT("{\"percent\":50}"), NULL), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_tool_progress(agent, request, TEXT("{"), NULL), TOOLREEVE_STATUS_INVALID_JSON);
  CHECK_STATUS(toolreeve_tool_answer_text(agent, request, TEXT("ready")), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_tool_progress(agent, request, TEXT("1"), NULL), TOOLREEVE_STATUS_NOT_WANTED);
}
/* The wrong kind of answer is not taken for the right one. */
static void answer_as_model(toolreeve_agent *agent, uint64_t request) {
  CHECK_STATUS(toolreeve_model_end(agent, request), TOOLREEVE_STATUS_NOT_WANTED);
  CHECK_STATUS(toolreeve_permission_answer(agent, request, TEXT("{\"behavior\":\"allow\"}"), NULL),
               TOOLREEVE_STATUS_NOT_WANTED);
  CHECK_STATUS(toolreeve_hook_answer(agent, request, TEXT("{}"), NULL), TOOLREEVE_STATUS_NOT_WANTED);
  CHECK_STATUS(toolreeve_tool_answer_text(agent, request, TEXT("right")), TOOLREEVE_STATUS_OK);
}

static const struct {
  void (*answer)(toolreeve_agent *, uint64_t);
  const char *part;
  int is_error;
} ANSWERS[] = {
    {answer_text, "\"content\":\"a \\\"text\\\"\"", 0},
    {answer_string, "\"content\":\"a \\\"text\\\"\"", 0},
    {answer_object, "\"content\":\"wrong\"", 1},
    {answer_blocks, "\"text\":\"two\"", 0},
    {answer_garbage, "answer is not usable", 1},
    {answer_shapeless, "answer is not usable", 1},
    {answer_null, "answer is not usable", 1},
    {answer_latin, "answer is not usable", 1},
    {answer_failure, "no disk", 1},
    {answer_latin_failure, "the tool failed", 1},
    {answer_with_progress, "\"data\":{\"percent\":50}", 0},
    {answer_as_model, "\"content\":\"right\"", 0},
};

TEST(every_way_to_answer_a_tool_gives_one_result) {
  for (size_t row = 0; row < sizeof ANSWERS / sizeof *ANSWERS; row++) {
    struct host host;
    struct tool tool = {.answer = ANSWERS[row].answer, .tool_use_id = "call0", .input = "{\"text\":\"x\"}"};
    begin_with_tool(&host, &tool, ALLOW_ECHO);
    add_turn(&host, want("Echo", "{\"text\":\"x\"}"));
    add_turn(&host, say("thanks"));
    run_to_end(&host, "go");
    CHECK(tool.count == 1);
    CHECK_HAS(host.log, ANSWERS[row].part);
    CHECK((strstr(host.log, "\"is_error\":true") != NULL) == ANSWERS[row].is_error);
    CHECK_HAS(host.log, "\"subtype\":\"success\"");
    CHECK_HAS(host.last_request, "\"tool_result\"");
    end(&host, 2);
  }
}

TEST(bad_input_never_reaches_the_tool) {
  const char *inputs[] = {"{\"text\":[]}", "{}", "{\"text\":", "[]"};
  for (size_t row = 0; row < sizeof inputs / sizeof *inputs; row++) {
    struct host host;
    struct tool tool = {.answer = answer_text};
    begin_with_tool(&host, &tool, ALLOW_ECHO);
    add_turn(&host, want("Echo", inputs[row]));
    add_turn(&host, say("sorry"));
    run_to_end(&host, "go");
    CHECK(tool.count == 0);
    CHECK_HAS(host.log, "\"is_error\":true");
    CHECK_HAS(host.log, "\"subtype\":\"success\"");
    end(&host, 2);
  }
}

/* Answers all requests of a tool, the last one first. */
static void *answer_backwards(void *userdata) {
  struct tool *tool = userdata;
  while (tool->count > 0) {
    char text[32];
    snprintf(text, sizeof text, "answer %d", --tool->count);
    CHECK_STATUS(toolreeve_tool_answer_text(tool->host->agent, tool->requests[tool->count], TEXT(text)),
                 TOOLREEVE_STATUS_OK);
  }
  return NULL;
}

TEST(tools_answered_later_from_another_thread_keep_the_models_order) {
  struct host host;
  struct tool tool = {.answer = NULL};
  begin_with_tool(&host, &tool, ALLOW_ECHO);
  add_turn(&host, want_many("call", 10, "Echo", "{\"text\":\"x\"}"));
  add_turn(&host, say("thanks"));
  start(&host, "go");
  while (tool.count < 10 && toolreeve_agent_wait(host.agent, 60000) == TOOLREEVE_STATUS_OK) {
    toolreeve_agent_dispatch(host.agent, 0, NULL, NULL);
  }
  CHECK(tool.count == 10);
  pthread_t thread;
  pthread_create(&thread, NULL, answer_backwards, &tool);
  pump(&host, &host.done);
  pthread_join(thread, NULL);
  const char *at = host.log;
  for (int index = 0; index < 10 && at != NULL; index++) {
    char part[64];
    snprintf(part, sizeof part, "\"tool_use_id\":\"call%d\"", index);
    at = strstr(at, part);
  }
  CHECK(at != NULL);
  end(&host, 2);
}

TEST(an_interrupt_reaches_a_tool_that_never_answers) {
  struct host host;
  struct tool tool = {.answer = NULL};
  begin_with_tool(&host, &tool, ALLOW_ECHO);
  add_turn(&host, want("Echo", "{\"text\":\"x\"}"));
  uint64_t run = start(&host, "go");
  while (tool.count == 0 && toolreeve_agent_wait(host.agent, 60000) == TOOLREEVE_STATUS_OK) {
    toolreeve_agent_dispatch(host.agent, 0, NULL, NULL);
  }
  CHECK_STATUS(toolreeve_agent_interrupt(host.agent, run), TOOLREEVE_STATUS_OK);
  pump(&host, &host.done);
  CHECK_HAS(host.log, "\"tool_use_id\":\"call0\"");
  CHECK_HAS(host.log, "\"subtype\":\"interrupted\"");
  CHECK_STATUS(toolreeve_tool_answer_text(host.agent, tool.requests[0], TEXT("late")), TOOLREEVE_STATUS_NOT_WANTED);
  end(&host, 2);
}

/* The answer of the person. */
struct person {
  const char *answer;
  toolreeve_status expected;
  int asked;
};

static void on_permission(void *userdata, toolreeve_agent *agent, uint64_t request, const char *json, size_t length) {
  struct person *person = userdata;
  toolreeve_string name = TOOLREEVE_STRING_INIT;
  person->asked++;
  CHECK_STATUS(toolreeve_json_text(json, length, TEXT("/tool_name"), &name), TOOLREEVE_STATUS_OK);
  CHECK(strcmp(name.data, "Echo") == 0);
  toolreeve_string_free(&name);
  CHECK_STATUS(toolreeve_permission_answer(agent, request, TEXT(person->answer), NULL), person->expected);
}

static const struct {
  const char *answer;
  toolreeve_status status;
  int runs;
  const char *part;
} PERMISSIONS[] = {
    {"{\"behavior\":\"allow\"}", TOOLREEVE_STATUS_OK, 1, "\"content\":\"a \\\"text\\\"\""},
    {"{\"behavior\":\"deny\",\"message\":\"not today\"}", TOOLREEVE_STATUS_OK, 0, "not today"},
    {"{\"behavior\":\"deny\",\"interrupt\":true}", TOOLREEVE_STATUS_OK, 0, "\"subtype\":\"interrupted\""},
    {"{\"behavior\":\"allow\",\"updated_input\":{\"text\":5.5}}", TOOLREEVE_STATUS_OK, 0, "\"is_error\":true"},
    {"{\"behavior\":\"perhaps\"}", TOOLREEVE_STATUS_INVALID_ARGUMENT, 0, "\"is_error\":true"},
    {"{\"behavior\":\"allow\",\"udpated_input\":{}}", TOOLREEVE_STATUS_INVALID_ARGUMENT, 0, "\"is_error\":true"},
    {"allow", TOOLREEVE_STATUS_INVALID_JSON, 0, "\"is_error\":true"},
    {"", TOOLREEVE_STATUS_INVALID_JSON, 0, "\"is_error\":true"},
};

TEST(only_a_clear_yes_is_a_permission) {
  for (size_t row = 0; row < sizeof PERMISSIONS / sizeof *PERMISSIONS; row++) {
    struct host host;
    struct tool tool = {.answer = answer_text};
    struct person person = {PERMISSIONS[row].answer, PERMISSIONS[row].status, 0};
    toolreeve_builder *builder = begin(&host, "{\"rules\":{\"ask\":[\"Echo\"]}}");
    toolreeve_builder_add_tool(builder, TEXT(ECHO_TOOL), on_tool, &tool, NULL, NULL);
    CHECK_STATUS(toolreeve_builder_permission(builder, on_permission, &person, NULL), TOOLREEVE_STATUS_OK);
    build(&host, builder);
    add_turn(&host, want("Echo", "{\"text\":\"x\"}"));
    add_turn(&host, say("well"));
    run_to_end(&host, "go");
    CHECK(person.asked == 1);
    CHECK(tool.count == PERMISSIONS[row].runs);
    CHECK_HAS(host.log, PERMISSIONS[row].part);
    end(&host, 2);
  }
}

static void on_classifier(void *userdata, toolreeve_agent *agent, uint64_t request, const char *json, size_t length) {
  struct person *classifier = userdata;
  toolreeve_string text = TOOLREEVE_STRING_INIT;
  classifier->asked++;
  CHECK_STATUS(toolreeve_json_text(json, length, TEXT("/input"), &text), TOOLREEVE_STATUS_OK);
  CHECK(strcmp(text.data, "{\"text\":\"x\"}") == 0);
  toolreeve_string_free(&text);
  CHECK_STATUS(toolreeve_classifier_answer(agent, request, TEXT(classifier->answer), NULL), classifier->expected);
  CHECK_STATUS(toolreeve_classifier_answer(agent, request, TEXT("{\"verdict\":\"allow\"}"), NULL),
               TOOLREEVE_STATUS_NOT_WANTED);
}

static const struct {
  const char *answer;
  toolreeve_status status;
  int runs;
  const char *part;
} VERDICTS[] = {
    {"{\"verdict\":\"allow\"}", TOOLREEVE_STATUS_OK, 1, "\"content\":\"a \\\"text\\\"\""},
    {"{\"verdict\":\"allow\",\"confidence\":\"low\"}", TOOLREEVE_STATUS_OK, 0, "nobody to ask"},
    {"{\"verdict\":\"unsure\"}", TOOLREEVE_STATUS_OK, 0, "nobody to ask"},
    {"{\"verdict\":\"block\",\"reason\":\"it shouts\"}", TOOLREEVE_STATUS_OK, 0, "it shouts"},
    {"{\"verdict\":\"perhaps\"}", TOOLREEVE_STATUS_INVALID_ARGUMENT, 0, "nobody to ask"},
    {"allow", TOOLREEVE_STATUS_INVALID_JSON, 0, "nobody to ask"},
};

TEST(only_a_clear_verdict_of_a_classifier_counts) {
  const char *spec = "{\"name\":\"Echo\",\"input_schema\":{\"type\":\"object\"},\"classifier_fields\":[\"text\"]}";
  for (size_t row = 0; row < sizeof VERDICTS / sizeof *VERDICTS; row++) {
    struct host host;
    struct tool tool = {.answer = answer_text};
    struct person classifier = {VERDICTS[row].answer, VERDICTS[row].status, 0};
    toolreeve_builder *builder = begin(&host, "{\"mode\":\"auto\"}");
    toolreeve_builder_add_tool(builder, TEXT(spec), on_tool, &tool, NULL, NULL);
    CHECK_STATUS(toolreeve_builder_classifier(builder, on_classifier, &classifier, NULL), TOOLREEVE_STATUS_OK);
    build(&host, builder);
    add_turn(&host, want("Echo", "{\"text\":\"x\",\"more\":1}"));
    add_turn(&host, say("well"));
    run_to_end(&host, "go");
    CHECK(classifier.asked == 1);
    CHECK(tool.count == VERDICTS[row].runs);
    CHECK_HAS(host.log, VERDICTS[row].part);
    end(&host, 2);
  }
}

TEST(a_question_is_put_off_and_answered_later) {
  struct host host;
  struct tool tool = {.answer = answer_text};
  struct person person = {"{\"behavior\":\"defer\",\"expires_in\":3600}", TOOLREEVE_STATUS_OK, 0};
  toolreeve_string kept = TOOLREEVE_STRING_INIT;
  uint64_t run = 0;
  toolreeve_builder *builder = begin(&host, "{\"rules\":{\"ask\":[\"Echo\"]}}");
  toolreeve_builder_add_tool(builder, TEXT(ECHO_TOOL), on_tool, &tool, NULL, NULL);
  CHECK_STATUS(toolreeve_builder_permission(builder, on_permission, &person, NULL), TOOLREEVE_STATUS_OK);
  build(&host, builder);
  add_turn(&host, want("Echo", "{\"text\":\"x\"}"));
  add_turn(&host, say("thanks"));
  run_to_end(&host, "go");
  CHECK_HAS(host.log, "\"subtype\":\"deferred\"");
  CHECK(tool.count == 0);
  CHECK(host.next_turn == 1);

  CHECK_STATUS(toolreeve_agent_approvals(host.agent, &kept, NULL), TOOLREEVE_STATUS_OK);
  CHECK_HAS(kept.data, "\"tool_name\":\"Echo\"");
  CHECK_STATUS(toolreeve_agent_revoke_approval(host.agent, TEXT("call0"), NULL), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_agent_revoke_approval(host.agent, TEXT("call0"), NULL), TOOLREEVE_STATUS_NOT_WANTED);
  CHECK_STATUS(toolreeve_agent_restore_approval(host.agent, TEXT("{}"), NULL), TOOLREEVE_STATUS_INVALID_ARGUMENT);
  /* The array holds one approval: what is between its brackets. */
  CHECK_STATUS(toolreeve_agent_restore_approval(host.agent, kept.data + 1, kept.length - 2, NULL), TOOLREEVE_STATUS_OK);
  toolreeve_string_free(&kept);

  CHECK_STATUS(toolreeve_agent_answer_approval(host.agent, TEXT("call0"), TEXT("{\"behavior\":\"maybe\"}"), NULL),
               TOOLREEVE_STATUS_INVALID_ARGUMENT);
  CHECK_STATUS(toolreeve_agent_answer_approval(host.agent, TEXT("call0"), TEXT("{\"behavior\":\"allow\"}"), NULL),
               TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_agent_answer_approval(host.agent, TEXT("call0"), TEXT("{\"behavior\":\"allow\"}"), NULL),
               TOOLREEVE_STATUS_NOT_WANTED);
  host.done = 0;
  CHECK_STATUS(toolreeve_agent_resume(host.agent, &run, NULL), TOOLREEVE_STATUS_OK);
  pump(&host, &host.done);
  CHECK(tool.count == 1);
  CHECK_HAS(host.log, "\"subtype\":\"success\"");
  end(&host, 2);
}

TEST(without_a_person_what_would_ask_is_denied) {
  struct host host;
  struct tool tool = {.answer = answer_text};
  begin_with_tool(&host, &tool, "{\"rules\":{\"ask\":[\"Echo\"]}}");
  add_turn(&host, want("Echo", "{\"text\":\"x\"}"));
  add_turn(&host, say("well"));
  run_to_end(&host, "go");
  CHECK(tool.count == 0);
  CHECK_HAS(host.log, "\"is_error\":true");
  end(&host, 2);
}

static void on_hook(void *userdata, toolreeve_agent *agent, uint64_t request, const char *json, size_t length) {
  struct person *hook = userdata;
  toolreeve_string event = TOOLREEVE_STRING_INIT;
  hook->asked++;
  CHECK_STATUS(toolreeve_json_text(json, length, TEXT("/hook_event_name"), &event), TOOLREEVE_STATUS_OK);
  toolreeve_string_free(&event);
  CHECK_STATUS(toolreeve_hook_answer(agent, request, TEXT(hook->answer), NULL), hook->expected);
}

static const struct {
  const char *spec;
  const char *answer;
  toolreeve_status status;
  int asked, runs;
  const char *part;
} HOOKS[] = {
    {"{\"event\":\"PreToolUse\"}", "{}", TOOLREEVE_STATUS_OK, 1, 1, "\"a \\\"text\\\"\""},
    {"{\"event\":\"PreToolUse\",\"matcher\":\"Other\"}", "{}", TOOLREEVE_STATUS_OK, 0, 1, "\"a \\\"text\\\"\""},
    {"{\"event\":\"PreToolUse\",\"matcher\":\"Echo\"}",
     "{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"house rule\"}}",
     TOOLREEVE_STATUS_OK, 1, 0, "house rule"},
    {"{\"event\":\"PreToolUse\"}", "{\"permissionDecision\":\"allow\"}", TOOLREEVE_STATUS_INVALID_ARGUMENT, 1, 0,
     "\"is_error\":true"},
    {"{\"event\":\"PreToolUse\"}", "garbage", TOOLREEVE_STATUS_INVALID_JSON, 1, 0, "\"is_error\":true"},
    {"{\"event\":\"PostToolUse\"}", "{\"decision\":\"block\",\"reason\":\"look again\"}", TOOLREEVE_STATUS_OK, 1, 1,
     "\"a \\\"text\\\"\""},
};

TEST(hooks_decide_and_a_broken_guard_does_not_open_the_door) {
  for (size_t row = 0; row < sizeof HOOKS / sizeof *HOOKS; row++) {
    struct host host;
    struct tool tool = {.answer = answer_text};
    struct person hook = {HOOKS[row].answer, HOOKS[row].status, 0};
    toolreeve_builder *builder = begin(&host, ALLOW_ECHO);
    toolreeve_builder_add_tool(builder, TEXT(ECHO_TOOL), on_tool, &tool, NULL, NULL);
    CHECK_STATUS(toolreeve_builder_add_hook(builder, TEXT(HOOKS[row].spec), on_hook, &hook, NULL, NULL), TOOLREEVE_STATUS_OK);
    build(&host, builder);
    add_turn(&host, want("Echo", "{\"text\":\"x\"}"));
    add_turn(&host, say("well"));
    run_to_end(&host, "go");
    CHECK(hook.asked == HOOKS[row].asked);
    CHECK(tool.count == HOOKS[row].runs);
    CHECK_HAS(host.log, HOOKS[row].part);
    if (strstr(HOOKS[row].answer, "look again")) CHECK_HAS(host.last_request, "look again");
    end(&host, 2);
  }
}

TEST(calls_of_the_hosts_own_give_results_in_order) {
  struct host host;
  struct tool tool = {.answer = answer_text};
  begin_with_tool(&host, &tool, ALLOW_ECHO);
  const char *calls = "[{\"id\":\"a\",\"name\":\"Echo\",\"input\":{\"text\":\"x\"}},{\"id\":\"b\",\"name\":\"None\",\"input\":{}}]";
  toolreeve_string results = TOOLREEVE_STRING_INIT;
  toolreeve_error *error = NULL;
  uint64_t run = 0;
  CHECK_STATUS(toolreeve_agent_call(host.agent, TEXT("{}"), &run, &error), TOOLREEVE_STATUS_INVALID_ARGUMENT);
  CHECK_HAS(toolreeve_error_message(error), "id, name and input");
  toolreeve_error_free(error);
  CHECK_STATUS(toolreeve_agent_call(host.agent, TEXT(calls), &run, NULL), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_agent_results(host.agent, run, &results), TOOLREEVE_STATUS_EMPTY);
  pump(&host, &host.done);
  CHECK_STATUS(toolreeve_agent_results(host.agent, run, &results), TOOLREEVE_STATUS_OK);
  CHECK_HAS(results.data, "[{\"tool_use_id\":\"a\",\"content\":\"a \\\"text\\\"\"},{\"tool_use_id\":\"b\"");
  toolreeve_string_free(&results);
  CHECK_STATUS(toolreeve_agent_results(host.agent, run, &results), TOOLREEVE_STATUS_NOT_WANTED);
  CHECK_STATUS(toolreeve_agent_results(host.agent, run + 1, &results), TOOLREEVE_STATUS_NOT_WANTED);
  end(&host, 2);
}

int main(void) {
  RUN(every_way_to_answer_a_tool_gives_one_result);
  RUN(bad_input_never_reaches_the_tool);
  RUN(tools_answered_later_from_another_thread_keep_the_models_order);
  RUN(an_interrupt_reaches_a_tool_that_never_answers);
  RUN(only_a_clear_yes_is_a_permission);
  RUN(only_a_clear_verdict_of_a_classifier_counts);
  RUN(a_question_is_put_off_and_answered_later);
  RUN(without_a_person_what_would_ask_is_denied);
  RUN(hooks_decide_and_a_broken_guard_does_not_open_the_door);
  RUN(calls_of_the_hosts_own_give_results_in_order);
  return finish_tests();
}
