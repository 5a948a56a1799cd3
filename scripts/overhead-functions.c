// SPDX-License-Identifier: BSD-3-Clause
// overhead-functions N: N calls of a function that does nothing, then N of getppid, in turn, nine times; prints the
// median CPU time of each in ns, less that of a loop that does neither.
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NEVER __attribute__((no_instrument_function, noinline, no_profile_instrument_function))
#define ROUNDS 9

volatile int sink;

__attribute__((noinline, noclone)) void work(void) { sink = sink + 1; }

NEVER __attribute__((no_instrument_function)) static double ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

NEVER static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return (x > y) - (x < y);
}

NEVER static double median(double *values) {
  qsort(values, ROUNDS, sizeof *values, by_value);
  return values[ROUNDS / 2];
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 100000;
  double function[ROUNDS], call[ROUNDS], nothing[ROUNDS];
  for (int round = 0; round < ROUNDS; ++round) {
    double begin = ns();
    for (int i = 0; i < count; ++i) work();
    function[round] = (ns() - begin) / count;
    begin = ns();
    for (int i = 0; i < count; ++i) syscall(SYS_getppid);
    call[round] = (ns() - begin) / count;
    begin = ns();
    for (int i = 0; i < count; ++i) sink = sink + 1;
    nothing[round] = (ns() - begin) / count;
  }
  printf("function %.1f getppid %.1f nothing %.1f\n", median(function), median(call), median(nothing));
  return 0;
}
