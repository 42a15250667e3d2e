/* Versions, statuses, errors, texts, the builder, and the verbs that need no model. */
#include "host.h"

TEST(the_header_fits_the_library) {
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", TOOLREEVE_VERSION_MAJOR, TOOLREEVE_VERSION_MINOR, TOOLREEVE_VERSION_PATCH);
  CHECK(strcmp(version, TOOLREEVE_VERSION_STRING) == 0);
  CHECK(strcmp(version, toolreeve_version_string()) == 0);
  CHECK(toolreeve_abi_version() == TOOLREEVE_ABI_VERSION);
}

TEST(the_numbers_of_statuses_never_move) {
  CHECK(TOOLREEVE_STATUS_OK == 0 && TOOLREEVE_STATUS_NULL_POINTER == 1 && TOOLREEVE_STATUS_INVALID_HANDLE == 2);
  CHECK(TOOLREEVE_STATUS_INVALID_UTF8 == 3 && TOOLREEVE_STATUS_INVALID_JSON == 4);
  CHECK(TOOLREEVE_STATUS_INVALID_ARGUMENT == 5 && TOOLREEVE_STATUS_INVALID_CONFIG == 6);
  CHECK(TOOLREEVE_STATUS_INVALID_CALL == 7 && TOOLREEVE_STATUS_EMPTY == 20 && TOOLREEVE_STATUS_TIMEOUT == 21);
  CHECK(TOOLREEVE_STATUS_NOT_WANTED == 22 && TOOLREEVE_STATUS_BUSY == 23 && TOOLREEVE_STATUS_INTERRUPTED == 24);
  CHECK(TOOLREEVE_STATUS_IO == 40 && TOOLREEVE_STATUS_FORKED == 41 && TOOLREEVE_STATUS_PANIC == 60);
  CHECK(strcmp(toolreeve_status_name(23), "TOOLREEVE_STATUS_BUSY") == 0);
  CHECK(strcmp(toolreeve_status_name(-5), "unknown status") == 0);
}

/* The configuration, the status that it is refused with, and a part of the words. */
static const struct {
  const char *config;
  toolreeve_status status;
  const char *words;
} CONFIGS[] = {
    {"{", TOOLREEVE_STATUS_INVALID_JSON, "EOF"},
    {"[1]", TOOLREEVE_STATUS_INVALID_CONFIG, "configuration"},
    {"{\"cwdd\":\"/\"}", TOOLREEVE_STATUS_INVALID_CONFIG, "cwdd"},
    {"{\"tools\":[{\"name\":\"A\",\"input_schema\":{}}]}", TOOLREEVE_STATUS_INVALID_CONFIG, "toolreeve_builder_add_tool"},
    {"{\"hooks\":[{\"event\":\"PreToolUse\"}]}", TOOLREEVE_STATUS_INVALID_CONFIG, "toolreeve_builder_add_hook"},
    {"{\"ask\":true}", TOOLREEVE_STATUS_INVALID_CONFIG, "toolreeve_builder_permission"},
    {"{\"cwd\":\"/does/not/exist\"}", TOOLREEVE_STATUS_INVALID_CONFIG, "/does/not/exist"},
    {"{\"cwd\":\"\xff\"}", TOOLREEVE_STATUS_INVALID_UTF8, "config is not UTF-8 at byte 8"},
};

TEST(a_bad_configuration_is_refused_in_words) {
  for (size_t row = 0; row < sizeof CONFIGS / sizeof *CONFIGS; row++) {
    toolreeve_agent *agent = (toolreeve_agent *)&agent;
    toolreeve_error *error = NULL;
    CHECK_STATUS(toolreeve_agent_new(TEXT(CONFIGS[row].config), &agent, &error), CONFIGS[row].status);
    CHECK_STATUS(toolreeve_error_code(error), CONFIGS[row].status);
    CHECK_HAS(toolreeve_error_message(error), CONFIGS[row].words);
    CHECK(agent == (toolreeve_agent *)&agent); /* not written on failure */
    CHECK_STATUS(toolreeve_error_free(error), TOOLREEVE_STATUS_OK);
  }
}

TEST(errors_can_be_freed_once) {
  toolreeve_error *error = NULL;
  toolreeve_agent *agent = NULL;
  CHECK_STATUS(toolreeve_agent_new(TEXT("{"), &agent, &error), TOOLREEVE_STATUS_INVALID_JSON);
  CHECK_STATUS(toolreeve_error_free(error), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_error_free(error), TOOLREEVE_STATUS_INVALID_HANDLE);
  CHECK_STATUS(toolreeve_error_code(error), TOOLREEVE_STATUS_INVALID_HANDLE);
  CHECK(strcmp(toolreeve_error_message(error), "no error") == 0);
  CHECK_STATUS(toolreeve_error_free(NULL), TOOLREEVE_STATUS_OK);
}

TEST(strings_can_be_freed_again) {
  toolreeve_string text = TOOLREEVE_STRING_INIT;
  CHECK_STATUS(toolreeve_string_free(&text), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_json_quote(TEXT("a\"b\n"), &text), TOOLREEVE_STATUS_OK);
  CHECK(strcmp(text.data, "\"a\\\"b\\n\"") == 0 && text.length == strlen(text.data));
  CHECK_STATUS(toolreeve_string_free(&text), TOOLREEVE_STATUS_OK);
  CHECK(text.data == NULL && text.length == 0);
  CHECK_STATUS(toolreeve_string_free(&text), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_string_free(NULL), TOOLREEVE_STATUS_OK);
}

TEST(parts_of_json_are_found) {
  const char *json = "{\"a\":[1,{\"b\":\"x\\u0000\\\"y\"}]}";
  toolreeve_string text = TOOLREEVE_STRING_INIT;
  CHECK_STATUS(toolreeve_json_get(TEXT(json), TEXT("/a/0"), &text), TOOLREEVE_STATUS_OK);
  CHECK(strcmp(text.data, "1") == 0);
  toolreeve_string_free(&text);
  CHECK_STATUS(toolreeve_json_text(TEXT(json), TEXT("/a/1/b"), &text), TOOLREEVE_STATUS_OK);
  CHECK(text.length == 4 && memcmp(text.data, "x\0\"y", 5) == 0);
  toolreeve_string_free(&text);
  CHECK_STATUS(toolreeve_json_get(TEXT(json), NULL, 0, &text), TOOLREEVE_STATUS_OK);
  CHECK(strcmp(text.data, json) == 0);
  toolreeve_string_free(&text);
  CHECK_STATUS(toolreeve_json_get(TEXT(json), TEXT("/b"), &text), TOOLREEVE_STATUS_EMPTY);
  CHECK_STATUS(toolreeve_json_text(TEXT(json), TEXT("/a"), &text), TOOLREEVE_STATUS_INVALID_ARGUMENT);
  CHECK_STATUS(toolreeve_json_get(TEXT("{"), TEXT(""), &text), TOOLREEVE_STATUS_INVALID_JSON);
  CHECK(text.data == NULL);
}

TEST(settings_bring_their_rules) {
  toolreeve_agent *agent = NULL;
  toolreeve_string decision = TOOLREEVE_STRING_INIT;
  const char *config = "{\"settings\":{\"permissions\":{\"deny\":[\"Bash(git push:*)\"]},\"model\":\"x\"}}";
  CHECK_STATUS(toolreeve_agent_new(TEXT(config), &agent, NULL), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_agent_check(agent, TEXT("Bash"), TEXT("{\"command\":\"git push\"}"), &decision, NULL),
               TOOLREEVE_STATUS_OK);
  CHECK_HAS(decision.data, "{\"behavior\":\"deny\"");
  CHECK_HAS(decision.data, "\"rule\":\"Bash(git push:*)\"");
  toolreeve_string_free(&decision);
  CHECK_STATUS(toolreeve_agent_free(agent), TOOLREEVE_STATUS_OK);
}

static int finalized;
static void count_finalizer(void *userdata) {
  (void)userdata;
  finalized++;
}

static void unused_tool(void *userdata, toolreeve_agent *agent, uint64_t request, const char *id, size_t id_length,
                        const char *input, size_t input_length) {
  (void)userdata, (void)agent, (void)request, (void)id, (void)id_length, (void)input, (void)input_length;
}

TEST(userdata_is_finalized_once_whatever_happens) {
  toolreeve_builder *builder = NULL;
  toolreeve_error *error = NULL;
  finalized = 0;
  CHECK_STATUS(toolreeve_builder_model(NULL, play, NULL, count_finalizer), TOOLREEVE_STATUS_NULL_POINTER);
  CHECK(finalized == 1);
  CHECK_STATUS(toolreeve_builder_new(NULL, 0, &builder, NULL), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_builder_model(builder, NULL, NULL, count_finalizer), TOOLREEVE_STATUS_NULL_POINTER);
  CHECK(finalized == 2);
  CHECK_STATUS(toolreeve_builder_model(builder, play, NULL, count_finalizer), TOOLREEVE_STATUS_OK);
  CHECK(finalized == 2);
  CHECK_STATUS(toolreeve_builder_model(builder, play, NULL, count_finalizer), TOOLREEVE_STATUS_OK);
  CHECK(finalized == 3); /* the replaced one */
  CHECK_STATUS(toolreeve_builder_add_tool(builder, TEXT(ECHO_TOOL), unused_tool, NULL, count_finalizer, NULL),
               TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_builder_add_tool(builder, TEXT(ECHO_TOOL), unused_tool, NULL, count_finalizer, &error),
               TOOLREEVE_STATUS_INVALID_ARGUMENT);
  CHECK_HAS(toolreeve_error_message(error), "Echo");
  toolreeve_error_free(error);
  CHECK(finalized == 4);
  CHECK_STATUS(toolreeve_builder_free(builder), TOOLREEVE_STATUS_OK);
  CHECK(finalized == 6);
  CHECK_STATUS(toolreeve_builder_free(builder), TOOLREEVE_STATUS_INVALID_HANDLE);
  CHECK_STATUS(toolreeve_builder_model(builder, play, NULL, count_finalizer), TOOLREEVE_STATUS_INVALID_HANDLE);
  CHECK(finalized == 7);
}

TEST(a_builder_ends_when_it_is_built_also_in_vain) {
  toolreeve_builder *builder = NULL;
  toolreeve_agent *agent = NULL;
  toolreeve_error *error = NULL;
  finalized = 0;
  CHECK_STATUS(toolreeve_builder_new(NULL, 0, &builder, NULL), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_builder_add_tool(builder, TEXT("{\"name\":\"no spaces\",\"input_schema\":{}}"), unused_tool, NULL,
                                          count_finalizer, NULL),
               TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_builder_build(builder, &agent, &error), TOOLREEVE_STATUS_INVALID_CONFIG);
  CHECK_HAS(toolreeve_error_message(error), "no spaces");
  toolreeve_error_free(error);
  CHECK(agent == NULL && finalized == 1);
  CHECK_STATUS(toolreeve_builder_build(builder, &agent, NULL), TOOLREEVE_STATUS_INVALID_HANDLE);
  CHECK_STATUS(toolreeve_builder_free(builder), TOOLREEVE_STATUS_INVALID_HANDLE);
}

TEST(a_tool_or_hook_that_is_none_is_refused) {
  toolreeve_builder *builder = NULL;
  toolreeve_agent *agent = NULL;
  toolreeve_error *error = NULL;
  CHECK_STATUS(toolreeve_builder_new(NULL, 0, &builder, NULL), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_builder_add_tool(builder, TEXT("no"), unused_tool, NULL, NULL, NULL), TOOLREEVE_STATUS_INVALID_JSON);
  CHECK_STATUS(toolreeve_builder_add_tool(builder, TEXT("{\"name\":\"A\"}"), unused_tool, NULL, NULL, &error),
               TOOLREEVE_STATUS_INVALID_CONFIG);
  CHECK_HAS(toolreeve_error_message(error), "input_schema");
  toolreeve_error_free(error);
  CHECK_STATUS(toolreeve_builder_add_hook(builder, TEXT("{\"event\":\"Sometimes\"}"), play, NULL, NULL, NULL),
               TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_builder_build(builder, &agent, &error), TOOLREEVE_STATUS_INVALID_CONFIG);
  CHECK_HAS(toolreeve_error_message(error), "Sometimes");
  toolreeve_error_free(error);
}

TEST(an_agent_without_callbacks_tells_and_judges) {
  struct host host;
  toolreeve_builder *builder = begin(&host, "{\"built_in_tools\":false}");
  toolreeve_builder_add_tool(builder, TEXT("{\"name\":\"Other\",\"input_schema\":{\"type\":\"object\"}}"), unused_tool,
                             &host, note_finalized, NULL);
  build(&host, builder);
  toolreeve_string text = TOOLREEVE_STRING_INIT;
  toolreeve_error *error = NULL;
  CHECK_STATUS(toolreeve_agent_specs(host.agent, &text, NULL), TOOLREEVE_STATUS_OK);
  CHECK_HAS(text.data, "\"name\":\"Other\"");
  toolreeve_string_free(&text);
  CHECK_STATUS(toolreeve_agent_check(host.agent, TEXT("Other"), TEXT("{}"), &text, NULL), TOOLREEVE_STATUS_OK);
  CHECK_HAS(text.data, "\"behavior\":\"ask\"");
  toolreeve_string_free(&text);
  CHECK_STATUS(toolreeve_agent_check(host.agent, TEXT("Nothing"), TEXT("{}"), &text, &error), TOOLREEVE_STATUS_INVALID_CALL);
  CHECK_HAS(toolreeve_error_message(error), "Nothing");
  toolreeve_error_free(error);
  CHECK_STATUS(toolreeve_agent_check(host.agent, TEXT("Other"), TEXT("{"), &text, NULL), TOOLREEVE_STATUS_INVALID_JSON);
  CHECK_STATUS(toolreeve_agent_messages(host.agent, &text, NULL), TOOLREEVE_STATUS_OK);
  CHECK(strcmp(text.data, "[]") == 0);
  toolreeve_string_free(&text);
  end(&host, 3);
}

TEST(commands_are_judged_without_an_agent) {
  toolreeve_string text = TOOLREEVE_STRING_INIT;
  CHECK_STATUS(toolreeve_check(TEXT("{\"command\":\"ls\",\"cwd\":\"/tmp\",\"id\":7}"), &text), TOOLREEVE_STATUS_OK);
  CHECK_HAS(text.data, "\"behavior\":\"allow\"");
  CHECK_HAS(text.data, "\"id\":7");
  toolreeve_string_free(&text);
  CHECK_STATUS(toolreeve_check(TEXT("{\"command\":\"rm -rf /\",\"cwd\":\"/tmp\"}"), &text), TOOLREEVE_STATUS_OK);
  CHECK_LACKS(text.data, "\"behavior\":\"allow\"");
  toolreeve_string_free(&text);
  CHECK_STATUS(toolreeve_check(TEXT("{"), &text), TOOLREEVE_STATUS_OK);
  CHECK_HAS(text.data, "\"error\"");
  toolreeve_string_free(&text);
  CHECK_STATUS(toolreeve_check(TEXT("\xff"), &text), TOOLREEVE_STATUS_INVALID_UTF8);
}

int main(void) {
  RUN(the_header_fits_the_library);
  RUN(the_numbers_of_statuses_never_move);
  RUN(a_bad_configuration_is_refused_in_words);
  RUN(errors_can_be_freed_once);
  RUN(strings_can_be_freed_again);
  RUN(parts_of_json_are_found);
  RUN(settings_bring_their_rules);
  RUN(userdata_is_finalized_once_whatever_happens);
  RUN(a_builder_ends_when_it_is_built_also_in_vain);
  RUN(a_tool_or_hook_that_is_none_is_refused);
  RUN(an_agent_without_callbacks_tells_and_judges);
  RUN(commands_are_judged_without_an_agent);
  return finish_tests();
}
