// SPDX-License-Identifier: BSD-3-Clause
// overhead-marks N [buffer]: N of each kind of mark, and of getppid, in turn, nine times; prints the median CPU time of
// each in ns, less that of a loop that does nothing.
#include <kutrace/mark.h>
#include <stdio.h>

#include "overhead-rounds.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static volatile int sink;

static void nothing(int i) { sink = i; }
static void getppid_call(int i) {
  sink = i;
  syscall(SYS_getppid);
}
static void number(int i) { kutrace_mark_d((uint32_t)i); }
static void six_letters(int i) {
  sink = i;
  kutrace_mark("index");
}
static void long_label(int i) {
  sink = i;
  kutrace_mark("load the index");
}
static void scope(int i) {
  KUTRACE_MARK_SCOPE("load the index");
  sink = i;
}
static void counter(int i) { kutrace_counter("queue length", i & 7); }

static const struct {
  const char *name;
  void (*run)(int i);
} kinds[] = {{"nothing", nothing},         {"getppid", getppid_call},
             {"a number", number},         {"a label of six letters", six_letters},
             {"a long label", long_label}, {"a scope: two long labels", scope},
             {"a counter", counter}};

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 100000;
  if (argc > 2) kutrace_use_buffer();
  static double took[COUNT(kinds)][ROUNDS];
  for (int round = 0; round < ROUNDS; ++round)
    for (size_t kind = 0; kind < COUNT(kinds); ++kind) {
      const double begin = ns();
      for (int i = 0; i < count; ++i) kinds[kind].run(i);
      took[kind][round] = (ns() - begin) / count;
    }
  const double idle = median(took[0]);
  for (size_t kind = 1; kind < COUNT(kinds); ++kind)
    printf("%s\t%.1f\n", kinds[kind].name, median(took[kind]) - idle);
  return 0;
}
