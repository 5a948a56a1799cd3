// SPDX-License-Identifier: BSD-3-Clause
// Marks that are left in buffers. In: a way, and a number; out: marks, counted by what their numbers say.
//
//   threads N   of four threads, N each: thread << 24 | i
//   forks N     half of them before a fork; the rest by the parent (1 << 24 | i) and the child (2 << 24 | i)
//   signals N   while a timer's handler makes some, too (1 << 24 | i); prints how many those were
//   calls N     between calls of getppid: 2 i before each, 2 i + 1 behind it
//   execs N     N, then the program anew, which makes N more (1 << 24 | i)
//   vforks N    one with a number (1 << 24 | i) and one with a long label by each of N children of vfork, the
//               same by the parent behind it (0 << 24 | i)
//   labels N    two by turns whose labels have the same number, within two scopes that begin on one line;
//               and a counter's least and greatest reading
//   times N     some way apart; then prints when each was made, by the clock behind it (ns)
//   strict N    without a buffer, in seccomp's strict mode
//   runs N      until the standard input ends: counted for ever, a thousand at a time
//   lies N      none: buffers with whatever content, at any address, told again and again
#define _GNU_SOURCE
#include <kutrace/mark.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>

static volatile sig_atomic_t handled;

static void make(uint32_t who, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) kutrace_mark_d(who << 24 | i);
}

static uint32_t each;

static void *thread(void *who) {
  make((uint32_t)(uintptr_t)who, each);
  return NULL;
}

static void threads(void) {
  pthread_t all[4];
  for (uintptr_t i = 0; i < 4; ++i)
    if (pthread_create(&all[i], NULL, thread, (void *)i) != 0) exit(1);
  for (int i = 0; i < 4; ++i) pthread_join(all[i], NULL);
}

static void forks(uint32_t count) {
  make(0, count / 2);
  const pid_t child = fork();
  make(child == 0 ? 2 : 1, count - count / 2);
  if (child == 0) _exit(0);
  waitpid(child, NULL, 0);
}

static void make_both(uint32_t number) {
  kutrace_mark_d(number);
  kutrace_mark("a label of parent and child");
}

static void labels(uint32_t count) {
  kutrace_counter("far", INT64_MIN);
  kutrace_counter("far", INT64_MAX);
  static char much[1500];
  memset(much, 'y', sizeof much - 1);
  KUTRACE_MARK_SCOPE("outer"); KUTRACE_MARK_SCOPE("inner");
  kutrace_mark(NULL);
  KUTRACE_MARK_SCOPE(NULL);
  KUTRACE_MARK_SCOPE(much);
  for (uint32_t i = 0; i < count; ++i) {
    kutrace_mark("traceparent=00-6ace573cb03c4b321ac743e11e789940-4a465cd41d56af92-01");
    kutrace_mark("traceparent=00-bc86f944850ee94cace9c8798731c55b-1368a11f34b88904-01");
  }
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void times(uint32_t count) {
  uint64_t *const made = calloc(count, sizeof *made);
  if (made == NULL) exit(1);
  for (uint32_t i = 0; i < count; ++i) {
    kutrace_mark_d(i);
    made[i] = now();
    for (volatile int gap = 0; gap < 1000; ++gap) continue;
  }
  for (uint32_t i = 0; i < count; ++i) printf("%llu\n", (unsigned long long)made[i]);
}

static void make_with_child(uint32_t i) {
  const pid_t child = vfork();
  if (child == 0) {
    make_both(1u << 24 | i);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  make_both(i);
}

static void vforks(uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) make_with_child(i);
}

static void handle(int signal) {
  (void)signal;
  kutrace_mark_d(1u << 24 | (uint32_t)handled);
  ++handled;
}

static void signals(uint32_t count) {
  const struct itimerval often = {{0, 500}, {0, 500}};
  const struct itimerval never = {{0, 0}, {0, 0}};
  signal(SIGALRM, handle);
  setitimer(ITIMER_REAL, &often, NULL);
  make(0, count);
  setitimer(ITIMER_REAL, &never, NULL);
  printf("%d\n", (int)handled);
}

static void calls(uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    kutrace_mark_d(2 * i);
    syscall(SYS_getppid);
    kutrace_mark_d(2 * i + 1);
  }
}

static void strict(uint32_t count) {
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) exit(1);
  make(0, count);
  syscall(SYS_exit, 0);
}

static void runs(void) {
  struct pollfd input = {.fd = 0, .events = POLLIN};
  for (uint32_t i = 0; poll(&input, 1, 0) == 0;)
    for (int n = 0; n < 1000; ++n) kutrace_mark_d(i++);
}

static void tell(uint64_t address, uint64_t told) {
  syscall(SYS_write, KUTRACE_BUFFER_FD, address, told);
  syscall(SYS_getppid);
}

static void lies(uint32_t count) {
  static const uint64_t nowhere[] = {0, 8, 0xffffffff81000000, 0xffff888000000000, 0x4141414141414141, ~0ull};
  static struct kutrace_mark_buffer lie;
  for (uint32_t i = 0; i < count; ++i) {
    for (size_t n = 0; n < sizeof lie / 4; ++n) ((uint32_t *)&lie)[n] = (uint32_t)random() * 2 + (i & 1);
    tell((uint64_t)(uintptr_t)&lie, (uint64_t)random());
    lie.magic = KUTRACE_BUFFER_MAGIC ^ (uint64_t)(uintptr_t)&lie;
    tell((uint64_t)(uintptr_t)&lie, (uint64_t)random());
    tell(nowhere[i % (sizeof nowhere / sizeof nowhere[0])], (uint64_t)random());
    lie.mark[0].ns = i & 1 ? 0 : ~0ull;  // long ago, and not for a long time
    lie.mark[0].entry = (uint64_t)KUTRACE_MARK_D << KUTRACE_EVENT_SHIFT | i;
    lie.marks = (lie.marks & ~63u) + 1;
    syscall(SYS_getppid);
  }
}

int main(int argc, char **argv) {
  const char *way = argc > 2 ? argv[1] : "";
  const uint32_t count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
  each = count;
  if (strcmp(way, "strict") == 0) strict(count);
  kutrace_use_buffer();
  if (strcmp(way, "threads") == 0) threads();
  if (strcmp(way, "forks") == 0) forks(count);
  if (strcmp(way, "vforks") == 0) vforks(count);
  if (strcmp(way, "labels") == 0) labels(count);
  if (strcmp(way, "times") == 0) times(count);
  if (strcmp(way, "signals") == 0) signals(count);
  if (strcmp(way, "calls") == 0) calls(count);
  if (strcmp(way, "again") == 0) make(1, count);
  if (strcmp(way, "runs") == 0) runs();
  if (strcmp(way, "lies") == 0) lies(count);
  if (strcmp(way, "execs") == 0) {
    make(0, count);
    execl("/proc/self/exe", argv[0], "again", argv[2], NULL);
  }
  return 0;
}
