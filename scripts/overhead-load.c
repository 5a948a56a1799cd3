// SPDX-License-Identifier: BSD-3-Clause
// Loads for scripts/overhead: does one thing over and over on the last CPU, prints ns per operation,
// the median of its batches. What it is measured beside, "spin" and "walk", runs on the first CPU until it
// is killed: in registers alone, and over more memory than caches hold.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_BATCHES = 1000, PAGE = 4096, PAGES = 64 };

static int pipes[2][2];

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Alone on its CPU, as far as it is allowed.
static void settle(int realtime) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((int)sysconf(_SC_NPROCESSORS_ONLN) - 1, &set);
  sched_setaffinity(0, sizeof set, &set);
  const struct sched_param priority = {.sched_priority = 1};
  if (realtime) sched_setscheduler(0, SCHED_FIFO, &priority);
}

static void call(int n) {
  for (int i = 0; i < n; ++i) syscall(SYS_getppid);
}

/* Four arguments are passed, one of which is a file's name. */
static void open_no_file(int n) {
  for (int i = 0; i < n; ++i) syscall(SYS_openat, AT_FDCWD, "/nonexistent/file", O_RDONLY, 0);
}

static void fault(int n) {
  for (int done = 0; done < n; done += PAGES) {
    char* memory =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) exit(1);
    madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
    for (int i = 0; i < PAGES; ++i) *(volatile char*)(memory + i * PAGE) = 1;
    munmap(memory, PAGES * PAGE);
  }
}

static void answer(void) {
  char byte;
  while (read(pipes[0][0], &byte, 1) == 1)
    if (write(pipes[1][1], &byte, 1) != 1) break;
  _exit(0);
}

static void ping(int n) {
  char byte = 0;
  for (int i = 0; i < n; ++i)
    if (write(pipes[0][1], &byte, 1) != 1 || read(pipes[1][0], &byte, 1) != 1) exit(1);
}

static void start_answering(void) {
  if (pipe(pipes[0]) || pipe(pipes[1])) exit(1);
  if (fork() == 0) {
    close(pipes[0][1]);
    answer();
  }
  close(pipes[0][0]);
}

static void be_beside(int walks) {
  enum { WORDS = 1 << 23 };
  volatile unsigned long* memory = walks ? malloc(WORDS * sizeof *memory) : NULL;
  unsigned long x = 88172645463325252ul;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  sched_setaffinity(0, sizeof set, &set);
  for (;;) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    if (memory) memory[x % WORDS] += x;
  }
}

static void compile(int n) {
  for (int i = 0; i < n; ++i)
    if (system("echo 'int f(int x) { return x + 1; }' | cc -O1 -x c -c -o /dev/null -") != 0) exit(1);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(int);
    int per_batch;
    int realtime;
  } kLoads[] = {
      {"getppid", call, 500, 1}, {"open", open_no_file, 200, 1}, {"fault", fault, 512, 1}, {"pipe", ping, 100, 0}, {"storm", compile, 1, 0}};
  static double times[MAX_BATCHES];
  if (argc == 2 && (!strcmp(argv[1], "spin") || !strcmp(argv[1], "walk"))) be_beside(argv[1][0] == 'w');
  const int batches = argc == 3 ? atoi(argv[2]) : 0;
  if (batches < 1 || batches > MAX_BATCHES) {
    fprintf(stderr, "usage: overhead-load getppid|open|fault|pipe|storm BATCHES\n");
    return 2;
  }
  for (size_t k = 0; k < sizeof kLoads / sizeof *kLoads; ++k) {
    if (strcmp(argv[1], kLoads[k].name) != 0) continue;
    settle(kLoads[k].realtime);
    if (kLoads[k].run == ping) start_answering();
    kLoads[k].run(kLoads[k].per_batch);
    for (int i = 0; i < batches; ++i) {
      const double begin = now_ns();
      kLoads[k].run(kLoads[k].per_batch);
      times[i] = (now_ns() - begin) / kLoads[k].per_batch;
    }
    qsort(times, (size_t)batches, sizeof *times, by_value);
    fprintf(stderr, "ns_per_op %.1f\n", times[batches / 2]);
    return 0;
  }
  fprintf(stderr, "no load of that name\n");
  return 2;
}
