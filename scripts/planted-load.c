// SPDX-License-Identifier: BSD-3-Clause
// A load whose calls are known: CALLS times getrandom of BYTES bytes, every millisecond, for
// SECONDS. Out: how many calls it made, and their mean time in nanoseconds by its own clock.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define SECOND 1000000000L

static char buffer[1 << 16];

static long now(void) {
  struct timespec at;

  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * SECOND + at.tv_nsec;
}

int main(int argc, char** argv) {
  const long calls = argc > 1 ? atol(argv[1]) : 50;
  const long bytes = argc > 2 ? atol(argv[2]) : 2000;
  const long begin = now();
  const long rounds = 1000 * (argc > 3 ? atol(argv[3]) : 3);
  long spent = 0, made = 0;

  for (long round = 0; round < rounds; round++) {
    const long next = begin + round * 1000000;
    const struct timespec at = {next / SECOND, next % SECOND};
    long left = calls;

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    spent -= now();
    for (; left > 0; left--) {
      if (getrandom(buffer, bytes, 0) == bytes) made++;
    }
    spent += now();
  }
  printf("%ld calls, %ld ns each\n", made, made ? spent / made : 0);
  return 0;
}
