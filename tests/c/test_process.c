/* The built-in tools from C: what a freed agent had started is gone, and its descriptors are closed. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

static void nap(void) {
  struct timespec time = {0, 20 * 1000000};
  nanosleep(&time, NULL);
}

static int open_descriptors(void) {
  DIR *folder = opendir("/proc/self/fd");
  int count = 0;
  while (folder != NULL && readdir(folder) != NULL) count++;
  if (folder != NULL) closedir(folder);
  return count;
}

/* The number in a file, once it is there; 0 after a minute without. */
static long number_in(const char *path) {
  for (int round = 0; round < 3000; nap(), round++) {
    FILE *file = fopen(path, "r");
    long number = 0;
    if (file == NULL) continue;
    int count = fscanf(file, "%ld", &number);
    fclose(file);
    if (count == 1) return number;
  }
  return 0;
}

/* Whether a process is gone within half a minute. */
static int is_gone(long process) {
  for (int round = 0; round < 1500; round++, nap()) {
    if (kill((pid_t)process, 0) != 0 && errno == ESRCH) return 1;
  }
  return 0;
}

TEST(freeing_an_agent_kills_what_it_started) {
  char folder[] = "/tmp/toolreeve-c-XXXXXX", config[256], path[64];
  struct host host;
  CHECK(mkdtemp(folder) != NULL);
  snprintf(config, sizeof config, "{\"cwd\":\"%s\",\"rules\":{\"allow\":[\"Bash\"]}}", folder);
  build(&host, begin(&host, config));
  /* A command that ignores the polite signal and has a child of its own. */
  snprintf(path, sizeof path, "%s/work.sh", folder);
  FILE *script = fopen(path, "w");
  CHECK(script != NULL && fputs("trap '' TERM\nsh -c 'echo $$ > child; exec sleep 1000' &\necho $$ > shell\nwait\n", script) >= 0);
  if (script != NULL) fclose(script);
  add_turn(&host, want("Bash", "{\"command\":\"sh work.sh\"}"));
  start(&host, "go");
  int count = 0;
  snprintf(path, sizeof path, "%s/child", folder);
  /* Until the command runs, or has a result, which it must not have. */
  while (access(path, F_OK) != 0 && count++ < 3000) {
    toolreeve_agent_wait(host.agent, 20);
    CHECK_STATUS(toolreeve_agent_dispatch(host.agent, 0, NULL, NULL), TOOLREEVE_STATUS_OK);
    if (host.log != NULL && strstr(host.log, "\"tool_result\"") != NULL) break;
  }
  CHECK_LACKS(host.log, "\"tool_result\"");
  long child = number_in(path);
  unlink(path);
  snprintf(path, sizeof path, "%s/shell", folder);
  long shell = number_in(path);
  unlink(path);
  CHECK(child > 1 && shell > 1);
  end(&host, 2);
  CHECK(child > 1 && is_gone(child));
  CHECK(shell > 1 && is_gone(shell));
  snprintf(path, sizeof path, "%s/work.sh", folder);
  unlink(path);
  CHECK(rmdir(folder) == 0);
}

TEST(agents_leave_no_descriptors_behind) {
  int before = 0;
  for (int round = 0; round < 20; round++) {
    struct host host;
    build(&host, begin(&host, "{}"));
    add_turn(&host, say("hello"));
    run_to_end(&host, "hi");
    end(&host, 2);
    if (round == 4) before = open_descriptors(); /* what is made once is made by now */
  }
  CHECK(open_descriptors() <= before);
}

TEST(the_built_in_tools_are_there) {
  toolreeve_agent *agent = NULL;
  toolreeve_string specs = TOOLREEVE_STRING_INIT;
  CHECK_STATUS(toolreeve_agent_new(NULL, 0, &agent, NULL), TOOLREEVE_STATUS_OK);
  CHECK_STATUS(toolreeve_agent_specs(agent, &specs, NULL), TOOLREEVE_STATUS_OK);
  const char *names[] = {"Bash", "Edit", "Glob", "Grep", "Read", "Write"};
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    char part[32];
    snprintf(part, sizeof part, "\"name\":\"%s\"", names[index]);
    CHECK_HAS(specs.data, part);
  }
  toolreeve_string_free(&specs);
  CHECK_STATUS(toolreeve_agent_free(agent), TOOLREEVE_STATUS_OK);
}

int main(void) {
  RUN(freeing_an_agent_kills_what_it_started);
  RUN(agents_leave_no_descriptors_behind);
  RUN(the_built_in_tools_are_there);
  return finish_tests();
}
