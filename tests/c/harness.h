/* The smallest test harness that counts: TEST defines a test, RUN runs it, CHECK says what must hold. A program ends with
 * "N passed, N failed" and its exit code says whether the second number is 0. For C and C++. */
#ifndef TOOLREEVE_TEST_HARNESS_H
#define TOOLREEVE_TEST_HARNESS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tests_passed, tests_failed, checks_failed;

#define CHECK(condition) check_that((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_STATUS(call, expected) check_status((int)(call), (int)(expected), #call, __FILE__, __LINE__)
#define CHECK_HAS(text, part) check_has((text), (part), 1, __FILE__, __LINE__)
#define CHECK_LACKS(text, part) check_has((text), (part), 0, __FILE__, __LINE__)
#define TEST(name) static void name(void)
#define RUN(name) run_test(#name, name)

/* A text as the two arguments that the library wants. */
#define TEXT(text) (text), strlen(text)

static inline void check_that(int holds, const char *what, const char *file, int line) {
  if (!holds) {
    checks_failed++;
    printf("%s:%d: does not hold: %s\n", file, line, what);
  }
}

static inline void check_status(int status, int expected, const char *what, const char *file, int line) {
  if (status != expected) {
    checks_failed++;
    printf("%s:%d: %s is %s and not %s\n", file, line, what, toolreeve_status_name(status),
           toolreeve_status_name(expected));
  }
}

static inline void check_has(const char *text, const char *part, int wanted, const char *file, int line) {
  if ((text != NULL && strstr(text, part) != NULL) != wanted) {
    checks_failed++;
    printf("%s:%d: %s \"%s\" in: %s\n", file, line, wanted ? "no" : "unwanted", part, text ? text : "(NULL)");
  }
}

static inline void run_test(const char *name, void (*test)(void)) {
  checks_failed = 0;
  test();
  if (checks_failed == 0) {
    tests_passed++;
  } else {
    tests_failed++;
    printf("FAILED %s\n", name);
  }
  fflush(stdout);
}

static inline int finish_tests(void) {
  printf("%d passed, %d failed\n", tests_passed, tests_failed);
  return tests_failed == 0 ? 0 : 1;
}

#endif
