/* What a call of a host-written tool that does nothing costs from C: CPU time of the process, all threads, in batches of
 * ten calls. Two ways: the `call` verb, and a model's turn that wants the ten calls (less the same run without them).
 *
 * usage: host_tool [ROUNDS] */
#include <time.h>

#include "../c/host.h"

enum { BATCH = 10 };

static double cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void no_op(void *userdata, toolreeve_agent *agent, uint64_t request, const char *id, size_t id_length,
                  const char *input, size_t input_length) {
  (void)userdata, (void)id, (void)id_length, (void)input, (void)input_length;
  CHECK_STATUS(toolreeve_tool_answer_text(agent, request, TEXT("x")), TOOLREEVE_STATUS_OK);
}

/* Hears of the end and nothing else. */
static void only_done(void *userdata, toolreeve_agent *agent, uint64_t run, const char *event, size_t length) {
  (void)agent, (void)run, (void)length;
  if (strncmp(event, "{\"type\":\"done\"", 14) == 0) ((struct host *)userdata)->done = 1;
}

static void make(struct host *host) {
  toolreeve_builder *builder = begin(host, "{\"built_in_tools\":false,\"rules\":{\"allow\":[\"Echo\"]}}");
  toolreeve_builder_events(builder, only_done, host, NULL);
  toolreeve_builder_add_tool(builder, TEXT(ECHO_TOOL), no_op, NULL, NULL, NULL);
  build(host, builder);
}

static double by_call(int rounds) {
  static const char CALL[] = "{\"id\":\"c\",\"name\":\"Echo\",\"input\":{\"text\":\"x\"}}";
  char calls[BATCH * sizeof CALL + 2] = "[";
  for (int index = 0; index < BATCH; index++) strcat(strcat(calls, index ? "," : ""), CALL);
  strcat(calls, "]");
  struct host host;
  make(&host);
  double start = cpu_seconds();
  for (int round = 0; round < rounds; round++) {
    toolreeve_string results = TOOLREEVE_STRING_INIT;
    uint64_t run = 0;
    host.done = 0;
    CHECK_STATUS(toolreeve_agent_call(host.agent, TEXT(calls), &run, NULL), TOOLREEVE_STATUS_OK);
    pump(&host, &host.done);
    CHECK_STATUS(toolreeve_agent_results(host.agent, run, &results), TOOLREEVE_STATUS_OK);
    toolreeve_string_free(&results);
  }
  double spent = cpu_seconds() - start;
  toolreeve_agent_free(host.agent);
  drop_texts(&host);
  return spent;
}

/* A new agent each time, so that no conversation grows; making it is not counted. */
static double by_turn(int rounds, int calls) {
  double spent = 0;
  for (int round = 0; round < rounds; round++) {
    struct host host;
    make(&host);
    if (calls > 0) add_turn(&host, want_many("c", calls, "Echo", "{\"text\":\"x\"}"));
    add_turn(&host, say("done"));
    double start = cpu_seconds();
    run_to_end(&host, "go");
    spent += cpu_seconds() - start;
    toolreeve_agent_free(host.agent);
    drop_texts(&host);
  }
  return spent;
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 500;
  by_call(rounds / 10 + 1);
  double best_call = 1e9, best_turn = 1e9;
  for (int repeat = 0; repeat < 5; repeat++) {
    double call = by_call(rounds), turn = by_turn(rounds, BATCH) - by_turn(rounds, 0);
    if (call < best_call) best_call = call;
    if (turn < best_turn) best_turn = turn;
  }
  double calls = (double)rounds * BATCH / 1e6;
  printf("C no-op tool, `call` in batches of %d: %.1f us CPU a call\n", BATCH, best_call / calls);
  printf("C no-op tool, a turn of %d calls: %.1f us CPU a call\n", BATCH, best_turn / calls);
  return checks_failed == 0 ? 0 : 1;
}
