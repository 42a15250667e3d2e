/* A host for tests: a model that plays turns from a script, and a log of all events. */
#ifndef TOOLREEVE_TEST_HOST_H
#define TOOLREEVE_TEST_HOST_H

#include <toolreeve.h>

#include "harness.h"

enum { MAX_TURNS = 64 };

struct host {
  toolreeve_agent *agent;
  /* One stream of server-sent events for each request; owned. */
  char *turns[MAX_TURNS];
  size_t turn_count, next_turn;
  /* The JSON of all events, one a line. */
  char *log;
  size_t log_length;
  int done;
  int finalized;
  /* Of the last request of each kind. */
  uint64_t model_request, tool_request;
  char *last_request;
};

static inline char *copy_text(const char *text, size_t length) {
  char *copy = (char *)malloc(length + 1);
  if (copy == NULL) abort();
  if (length > 0) memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

static inline void append(char **text, size_t *length, const char *more, size_t more_length) {
  char *grown = (char *)realloc(*text, *length + more_length + 1);
  if (grown == NULL) abort();
  memcpy(grown + *length, more, more_length);
  *length += more_length;
  grown[*length] = '\0';
  *text = grown;
}

#define MESSAGE_START                                                                                     \
  "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\"," \
  "\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":1," \
  "\"output_tokens\":1}}}\n\n"

static inline void message_end(char **text, size_t *length, const char *stop_reason) {
  char end[256];
  int count = snprintf(end, sizeof end,
                       "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"%s\"},"
                       "\"usage\":{\"output_tokens\":1}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
                       stop_reason);
  append(text, length, end, (size_t)count);
}

/* A turn in which the model says one thing. */
static inline char *say(const char *words) {
  char *text = NULL, block[512];
  size_t length = 0;
  append(&text, &length, TEXT(MESSAGE_START));
  int count = snprintf(block, sizeof block,
                       "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\","
                       "\"text\":\"\"}}\n\n"
                       "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
                       "\"text\":\"%s\"}}\n\n"
                       "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
                       words);
  append(&text, &length, block, (size_t)count);
  message_end(&text, &length, "end_turn");
  return text;
}

/* A turn in which the model wants `count` calls of one tool with one input; the ids are `prefix` and a number. */
static inline char *want_many(const char *prefix, int count, const char *tool, const char *input) {
  char *text = NULL;
  size_t length = 0;
  toolreeve_string quoted = TOOLREEVE_STRING_INIT;
  if (toolreeve_json_quote(TEXT(input), &quoted) != TOOLREEVE_STATUS_OK) abort();
  append(&text, &length, TEXT(MESSAGE_START));
  for (int index = 0; index < count; index++) {
    char block[2048];
    int written = snprintf(block, sizeof block,
                           "data: {\"type\":\"content_block_start\",\"index\":%d,\"content_block\":{\"type\":"
                           "\"tool_use\",\"id\":\"%s%d\",\"name\":\"%s\",\"input\":{}}}\n\n"
                           "data: {\"type\":\"content_block_delta\",\"index\":%d,\"delta\":{\"type\":"
                           "\"input_json_delta\",\"partial_json\":%s}}\n\n"
                           "data: {\"type\":\"content_block_stop\",\"index\":%d}\n\n",
                           index, prefix, index, tool, index, quoted.data, index);
    append(&text, &length, block, (size_t)written);
  }
  toolreeve_string_free(&quoted);
  message_end(&text, &length, "tool_use");
  return text;
}

/* A turn in which the model wants one call, with the id "call0". */
static inline char *want(const char *tool, const char *input) { return want_many("call", 1, tool, input); }

static inline void add_turn(struct host *host, char *turn) { host->turns[host->turn_count++] = turn; }

/* The model: plays the next turn at once. Without a turn it leaves the request open for the test to answer. */
static inline void play(void *userdata, toolreeve_agent *agent, uint64_t request, const char *json, size_t length) {
  struct host *host = (struct host *)userdata;
  host->model_request = request;
  free(host->last_request);
  host->last_request = copy_text(json, length);
  if (host->next_turn == host->turn_count) return;
  const char *turn = host->turns[host->next_turn++];
  CHECK_STATUS(toolreeve_model_push(agent, request, TEXT(turn)), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_model_end(agent, request), TOOLREEVE_STATUS_OK);
}

static inline void log_event(void *userdata, toolreeve_agent *agent, uint64_t run, const char *json, size_t length) {
  struct host *host = (struct host *)userdata;
  (void)agent;
  (void)run;
  append(&host->log, &host->log_length, json, length);
  append(&host->log, &host->log_length, "\n", 1);
  if (strncmp(json, "{\"type\":\"done\"", 14) == 0) host->done = 1;
}

static inline void note_finalized(void *userdata) { ((struct host *)userdata)->finalized++; }

/* A builder whose model and events go to the host; two finalizers will run for it. */
static inline toolreeve_builder *begin(struct host *host, const char *config) {
  toolreeve_builder *builder = NULL;
  toolreeve_error *error = NULL;
  memset(host, 0, sizeof *host);
  CHECK_STATUS(toolreeve_builder_new(TEXT(config), &builder, &error), TOOLREEVE_STATUS_OK);
  if (error != NULL) printf("%s\n", toolreeve_error_message(error));
  toolreeve_error_free(error);
  CHECK_STATUS(toolreeve_builder_model(builder, play, host, note_finalized), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_builder_events(builder, log_event, host, note_finalized), TOOLREEVE_STATUS_OK);
  return builder;
}

static inline void build(struct host *host, toolreeve_builder *builder) {
  toolreeve_error *error = NULL;
  CHECK_STATUS(toolreeve_builder_build(builder, &host->agent, &error), TOOLREEVE_STATUS_OK);
  if (error != NULL) printf("%s\n", toolreeve_error_message(error));
  toolreeve_error_free(error);
}

static inline uint64_t start(struct host *host, const char *prompt) {
  uint64_t run = 0;
  host->done = 0;
  CHECK_STATUS(toolreeve_agent_run(host->agent, TEXT(prompt), &run, NULL), TOOLREEVE_STATUS_OK);
  return run;
}

/* Dispatches until `*until` is not 0; a minute without anything to do is a failure. */
static inline void pump(struct host *host, const int *until) {
  while (!*until) {
    toolreeve_status status = toolreeve_agent_wait(host->agent, 60000);
    if (status == TOOLREEVE_STATUS_INTERRUPTED) continue;
    CHECK_STATUS(status, TOOLREEVE_STATUS_OK);
    if (status != TOOLREEVE_STATUS_OK) return;
    CHECK_STATUS(toolreeve_agent_dispatch(host->agent, 0, NULL, NULL), TOOLREEVE_STATUS_OK);
  }
}

static inline void run_to_end(struct host *host, const char *prompt) {
  start(host, prompt);
  pump(host, &host->done);
}

static inline void drop_texts(struct host *host) {
  for (size_t index = 0; index < host->turn_count; index++) free(host->turns[index]);
  free(host->log);
  free(host->last_request);
}

/* Frees the agent and all the host has; `callbacks` registrations must have been finalized. */
static inline void end(struct host *host, int callbacks) {
  CHECK_STATUS(toolreeve_agent_free(host->agent), TOOLREEVE_STATUS_OK);
  CHECK(host->finalized == callbacks);
  drop_texts(host);
}

#define ECHO_TOOL                                                                                           \
  "{\"name\":\"Echo\",\"description\":\"Says it again.\",\"read_only\":true,\"concurrency_safe\":true,"      \
  "\"input_schema\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}},\"required\":[\"text\"]}}"

/* Lets every call of the tests' own tools through. */
#define ALLOW_ECHO "{\"rules\":{\"allow\":[\"Echo\"]}}"

#endif
