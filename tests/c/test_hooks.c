/* Hooks that settings declare run from C as they do elsewhere. */
#include <stdlib.h>
#include <unistd.h>

#include "host.h"

/* An agent in a new folder, with one hook of the settings whose command is `command`, and a model that makes a note. */
static void begin_with_hook(struct host *host, const char *folder, const char *event, const char *command) {
  char config[1024];
  int count = snprintf(config, sizeof config,
                       "{\"cwd\":\"%s\",\"home\":\"%s\",\"rules\":{\"allow\":[\"Bash\"]},\"settings\":{\"hooks\":{\"%s\":"
                       "[{\"hooks\":[{\"type\":\"command\",\"command\":\"%s\"}]}]}}}",
                       folder, folder, event, command);
  CHECK(count > 0 && (size_t)count < sizeof config);
  build(host, begin(host, config));
  add_turn(host, want("Bash", "{\"command\":\"echo worked\"}"));
  add_turn(host, say("done"));
}

static const struct {
  const char *event, *command, *part, *subtype;
} ROWS[] = {
    {"PreToolUse", "cat > seen.json", "\"content\":\"worked\"", "success"},
    {"PreToolUse", "echo not that way >&2; exit 2", "was denied: not that way", "success"},
    {"PreToolUse", "exit 2", "blocks it and gives no reason", "success"},
    {"PreToolUse", "echo oops >&2; exit 1", "a PreToolUse hook: it failed with exit code 1: oops", "success"},
    {"PreToolUse", "echo '{\\\"systemMessage\\\":\\\"heads up\\\"}'", "{\"type\":\"hook_message\",\"event\":\"PreToolUse\"",
     "success"},
    {"PreToolUse", "echo '{\\\"continue\\\":false,\\\"stopReason\\\":\\\"enough\\\"}'", "stopped the work: enough",
     "stopped_by_hook"},
    {"UserPromptSubmit", "echo no >&2; exit 2", "\"result\":\"no\"", "stopped_by_hook"},
    {"PretoolUse", "exit 2", "hooks.PretoolUse: there is no such event; did you mean PreToolUse?", "success"},
};

TEST(hooks_of_settings_run) {
  for (size_t row = 0; row < sizeof ROWS / sizeof *ROWS; row++) {
    char folder[] = "/tmp/toolreeve-hooks-XXXXXX", subtype[64], path[128];
    CHECK(mkdtemp(folder) != NULL);
    struct host host;
    begin_with_hook(&host, folder, ROWS[row].event, ROWS[row].command);
    run_to_end(&host, "go");
    CHECK_HAS(host.log, ROWS[row].part);
    snprintf(subtype, sizeof subtype, "\"subtype\":\"%s\"", ROWS[row].subtype);
    CHECK_HAS(host.log, subtype);
    snprintf(path, sizeof path, "%s/seen.json", folder);
    CHECK((access(path, R_OK) == 0) == (row == 0));
    end(&host, 2);
    remove(path);
  }
}

int main(void) {
  RUN(hooks_of_settings_run);
  return finish_tests();
}
