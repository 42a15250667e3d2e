/* A recorded model fixes a failing test: the main job of toolreeve, driven from C.
 *
 * usage: fix_failing_test RECORDING WORKSPACE [RESULTS]. RECORDING is examples/fix_failing_test, WORKSPACE a copy of its
 * project (see prepare.py), RESULTS a file for the tool results as JSON. The same program exists in Rust, Python and C++.
 *
 * It has one thread and a poll loop of its own, as an editor has: the library's descriptor says when there is something
 * to do, and between the events of the recorded stream the loop goes on. A program with a JSON library would use that
 * instead of toolreeve_json_get and toolreeve_json_text.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <toolreeve.h>

/* A text as the two arguments that the library wants. */
#define TEXT(text) (text), strlen(text)

struct program {
  const char *recording;
  /* The answer that is being played: what is left of it, and for which request. */
  char *stream;
  const char *rest;
  uint64_t request;
  int turn;
  /* The results, as the elements of a JSON array. */
  toolreeve_string *results;
  size_t result_count;
  int done, succeeded;
  struct timespec start;
};

static void die(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

/* Ends the program unless the status is OK. */
static void require(toolreeve_status status, const char *what, toolreeve_error *error) {
  if (status != TOOLREEVE_STATUS_OK) die(what, error ? toolreeve_error_message(error) : toolreeve_status_name(status));
}

/* The content of a file, to be freed; ends the program if there is none. */
static char *read_file(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (file == NULL) die(path, "cannot be read");
  fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  char *text = malloc((size_t)length + 1);
  if (text == NULL || fread(text, 1, (size_t)length, file) != (size_t)length) die(path, "cannot be read");
  text[length] = '\0';
  fclose(file);
  return text;
}

/* A string or any other value of a JSON text, to be freed; empty if there is none. */
static toolreeve_string string_at(const char *json, size_t length, const char *pointer) {
  toolreeve_string text = TOOLREEVE_STRING_INIT;
  if (toolreeve_json_text(json, length, TEXT(pointer), &text) != TOOLREEVE_STATUS_OK) {
    toolreeve_json_get(json, length, TEXT(pointer), &text);
  }
  return text;
}
static toolreeve_string value_at(const char *json, size_t length, const char *pointer) {
  toolreeve_string text = TOOLREEVE_STRING_INIT;
  toolreeve_json_get(json, length, TEXT(pointer), &text);
  return text;
}

static const char *or_empty(toolreeve_string text) { return text.data ? text.data : ""; }

/* The model is asked: the next recorded turn begins to play. */
static void on_model(void *userdata, toolreeve_agent *agent, uint64_t request, const char *json, size_t length) {
  struct program *program = userdata;
  char name[32];
  (void)agent, (void)json, (void)length;
  snprintf(name, sizeof name, "turn-%d.sse", ++program->turn);
  free(program->stream);
  program->stream = read_file(program->recording, name);
  program->rest = program->stream;
  program->request = request;
}

/* Plays the next event of the recorded stream. */
static void play(struct program *program, toolreeve_agent *agent) {
  const char *end = strstr(program->rest, "\n\n");
  size_t length = end ? (size_t)(end + 2 - program->rest) : strlen(program->rest);
  toolreeve_model_push(agent, program->request, program->rest, length);
  program->rest += length;
  if (*program->rest == '\0') {
    toolreeve_model_end(agent, program->request);
    program->rest = NULL;
  }
}

/* The person: runs of the project's tests are fine, nothing else is. */
static void on_permission(void *userdata, toolreeve_agent *agent, uint64_t request, const char *json, size_t length) {
  toolreeve_string tool = string_at(json, length, "/tool_name"), command = string_at(json, length, "/input/command");
  (void)userdata;
  const char *answer = "{\"behavior\":\"deny\",\"message\":\"Only the project's tests may be run.\"}";
  if (strcmp(or_empty(tool), "Bash") == 0 && strcmp(or_empty(command), "python3 run_tests.py") == 0) {
    answer = "{\"behavior\":\"allow\"}";
  }
  require(toolreeve_permission_answer(agent, request, TEXT(answer), NULL), "permission", NULL);
  toolreeve_string_free(&tool);
  toolreeve_string_free(&command);
}

/* Keeps a result as the model reads it: the id, the content and, if it is one, the error. */
static void keep_result(struct program *program, const char *event, size_t length) {
  toolreeve_string *grown = realloc(program->results, (program->result_count + 1) * sizeof *grown);
  if (grown == NULL) die("results", "no memory");
  program->results = grown;
  grown[program->result_count++] = value_at(event, length, "");
}

/* Prints one line for an event; nothing for those that only matter to machines. */
static void on_event(void *userdata, toolreeve_agent *agent, uint64_t run, const char *event, size_t length) {
  struct program *program = userdata;
  /* What the lines below are made of: the type, and the values of one or two fields. */
  static const struct {
    const char *type, *first, *words, *second;
  } LINES[] = {
      {"turn_start", NULL, "-- turn", "/turn"},      {"tool_use", "/id", "asks for", "/input"},
      {"tool_start", "/id", "starts while the model streams:", "/while_streaming"},
      {"permission", "/id", "permission:", "/decision/reason/message"},
      {"tool_result", "/tool_use_id", "result:", "/content"}, {"error", NULL, "error", "/message"},
      {"done", NULL, "--", "/subtype"},
  };
  struct timespec now;
  (void)agent, (void)run;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double seconds = (double)(now.tv_sec - program->start.tv_sec) + (double)(now.tv_nsec - program->start.tv_nsec) / 1e9;
  toolreeve_string type = string_at(event, length, "/type");
  for (size_t index = 0; index < sizeof LINES / sizeof *LINES; index++) {
    if (strcmp(type.data, LINES[index].type) != 0) continue;
    toolreeve_string first = string_at(event, length, LINES[index].first ? LINES[index].first : "/none");
    toolreeve_string second = string_at(event, length, LINES[index].second);
    printf("%7.3f s  %s%s%s %.*s\n", seconds, or_empty(first), first.data ? " " : "", LINES[index].words,
           (int)strcspn(or_empty(second), "\n"), or_empty(second));
    toolreeve_string_free(&first);
    toolreeve_string_free(&second);
  }
  if (strcmp(type.data, "tool_result") == 0) keep_result(program, event, length);
  if (strcmp(type.data, "done") == 0) {
    toolreeve_string subtype = string_at(event, length, "/subtype"), result = string_at(event, length, "/result");
    printf("\n%s\n", or_empty(result));
    program->done = 1;
    program->succeeded = strcmp(or_empty(subtype), "success") == 0;
    toolreeve_string_free(&subtype);
    toolreeve_string_free(&result);
  }
  toolreeve_string_free(&type);
}

/* The agent: it works in the workspace, under the settings of the recording. */
static toolreeve_agent *make_agent(struct program *program, const char *workspace) {
  char *settings = read_file(program->recording, "settings.json");
  toolreeve_string cwd = TOOLREEVE_STRING_INIT;
  require(toolreeve_json_quote(TEXT(workspace), &cwd), "workspace", NULL);
  size_t size = strlen(settings) + cwd.length + 64;
  char *config = malloc(size);
  if (config == NULL) die("config", "no memory");
  snprintf(config, size, "{\"cwd\":%s,\"settings\":%s}", cwd.data, settings);

  toolreeve_builder *builder = NULL;
  toolreeve_agent *agent = NULL;
  toolreeve_error *error = NULL;
  toolreeve_status status = toolreeve_builder_new(TEXT(config), &builder, &error);
  require(status, "config", error);
  require(toolreeve_builder_model(builder, on_model, program, NULL), "model", NULL);
  require(toolreeve_builder_permission(builder, on_permission, program, NULL), "permission", NULL);
  require(toolreeve_builder_events(builder, on_event, program, NULL), "events", NULL);
  status = toolreeve_builder_build(builder, &agent, &error);
  require(status, "agent", error);
  toolreeve_string_free(&cwd);
  free(config);
  free(settings);
  return agent;
}

static void write_results(const struct program *program, const char *path) {
  FILE *file = fopen(path, "w");
  if (file == NULL) die(path, "cannot be written");
  fputs("[", file);
  for (size_t index = 0; index < program->result_count; index++) {
    toolreeve_string event = program->results[index];
    toolreeve_string id = value_at(event.data, event.length, "/tool_use_id");
    toolreeve_string content = value_at(event.data, event.length, "/content");
    toolreeve_string is_error = value_at(event.data, event.length, "/is_error");
    fprintf(file, "%s\n  {\"tool_use_id\":%s,\"content\":%s", index ? "," : "", id.data, content.data);
    fprintf(file, "%s%s}", is_error.data ? ",\"is_error\":" : "", or_empty(is_error));
    toolreeve_string_free(&id);
    toolreeve_string_free(&content);
    toolreeve_string_free(&is_error);
  }
  fputs("\n]\n", file);
  if (fclose(file) != 0) die(path, "cannot be written");
}

int main(int argc, char **argv) {
  if (argc < 3) die("usage", "fix_failing_test RECORDING WORKSPACE [RESULTS]");
  struct program program = {.recording = argv[1]};
  clock_gettime(CLOCK_MONOTONIC, &program.start);
  char *pace = read_file(argv[1], "pace.json"), *prompt = read_file(argv[1], "prompt.txt");
  toolreeve_string pause = value_at(TEXT(pace), "/milliseconds_per_event");
  toolreeve_agent *agent = make_agent(&program, argv[2]);
  toolreeve_error *error = NULL;
  uint64_t run = 0;
  size_t prompt_length = strcspn(prompt, "\n");
  toolreeve_status status = toolreeve_agent_run(agent, prompt, prompt_length, &run, &error);
  require(status, "run", error);

  int32_t fd = -1;
  require(toolreeve_agent_fd(agent, &fd), "fd", NULL);
  while (!program.done) {
    struct pollfd watched = {.fd = fd, .events = POLLIN};
    /* Between two events of the stream the loop waits for the pace, otherwise for the library. */
    int ready = poll(&watched, 1, program.rest ? atoi(or_empty(pause)) : -1);
    if (ready == 0) play(&program, agent);
    if (ready > 0) require(toolreeve_agent_dispatch(agent, 0, NULL, NULL), "dispatch", NULL);
  }

  if (argc > 3) write_results(&program, argv[3]);
  toolreeve_agent_free(agent);
  for (size_t index = 0; index < program.result_count; index++) toolreeve_string_free(&program.results[index]);
  free(program.results);
  free(program.stream);
  free(prompt);
  free(pace);
  toolreeve_string_free(&pause);
  return program.succeeded ? 0 : 1;
}
