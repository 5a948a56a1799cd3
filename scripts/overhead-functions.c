// SPDX-License-Identifier: BSD-3-Clause
// overhead-functions N: N calls of a function that does nothing, then N of getppid, in turn, nine times; prints the
// median CPU time of each in ns, less that of a loop that does neither.
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "overhead-rounds.h"

volatile int sink;

__attribute__((noinline, noclone)) void work(void) { sink = sink + 1; }

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
