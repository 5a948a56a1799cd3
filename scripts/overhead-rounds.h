// SPDX-License-Identifier: BSD-3-Clause
// What the programs that measure costs share: CPU time of the thread, and the median of nine rounds. NEVER keeps
// a function of them out of what the compiler's hooks tell.
#pragma once
#include <stdlib.h>
#include <time.h>

#define NEVER __attribute__((no_instrument_function, noinline, no_profile_instrument_function))
#define ROUNDS 9

NEVER static double ns(void) {
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
