// SPDX-License-Identifier: BSD-3-Clause
// Tells LTTng's tracer of user space a story of switches, calls and interrupts, as its tracer of
// the kernel would. lttng-story ROUNDS: a thread on each CPU tells so many rounds of that CPU.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>

static const char kIdleComm[16] = "swapper";
static const char kStoryComm[16] = "story";

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_events.h"

enum { kThreadsOfCpu = 5, kMostCpus = 64 };

static long rounds;

static unsigned dice(uint32_t* seed, unsigned sides) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 16) % sides;
}

static void call(uint32_t* seed) {
  long number = (long)dice(seed, 300);
  // The kernel returns from neither of these.
  if (number == SYS_exit || number == SYS_exit_group) number = SYS_getpid;
  const unsigned long arguments[6] = {dice(seed, 9), 1, 2, 3, 4, 5};
  lttng_ust_tracepoint(kutrace_story, sys_enter, number, arguments);
  if (dice(seed, 4) == 0) {
    lttng_ust_tracepoint(kutrace_story, irq_handler_entry, 27);
    lttng_ust_tracepoint(kutrace_story, irq_handler_exit, 27);
    lttng_ust_tracepoint(kutrace_story, irq_softirq_entry, 3);
    lttng_ust_tracepoint(kutrace_story, irq_softirq_exit, 3);
  }
  lttng_ust_tracepoint(kutrace_story, sys_exit, number, (long)dice(seed, 4096) - 100);
}

static void* tell(void* argument) {
  const int cpu = (int)(intptr_t)argument;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) exit(1);
  uint32_t seed = 77u + (uint32_t)cpu;
  int runs = 0;
  for (long round = 0; round < rounds; ++round) {
    const int next = dice(&seed, 3) == 0 ? 0 : 1000 * (cpu + 1) + (int)dice(&seed, kThreadsOfCpu);
    if (next == runs) continue;
    if (next != 0) lttng_ust_tracepoint(kutrace_story, sched_waking, next, cpu);
    lttng_ust_tracepoint(kutrace_story, sched_switch, runs, runs == 0 ? 0L : (long)dice(&seed, 2),
                         next);
    runs = next;
    if (runs == 0) continue;
    for (unsigned calls = dice(&seed, 4); calls != 0; --calls) call(&seed);
    if (dice(&seed, 50) == 0) lttng_ust_tracepoint(kutrace_story, chapter, 0.5);
  }
  return NULL;
}

int main(int count, char** words) {
  if (count != 2) return 2;
  rounds = atol(words[1]);
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  pthread_t threads[kMostCpus];
  int started = 0;
  for (int cpu = 0; cpu < kMostCpus; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    if (pthread_create(&threads[started], NULL, tell, (void*)(intptr_t)cpu) != 0) return 1;
    ++started;
  }
  for (int i = 0; i < started; ++i) pthread_join(threads[i], NULL);
  return 0;
}
