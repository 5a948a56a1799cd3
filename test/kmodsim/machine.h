/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine in a process: what the module asks of a kernel. CPUs and processes are threads,
 * interrupts and NMIs are signals. One thread runs at a time; who comes next, for how long one is
 * delayed, and where signals hit, a random number decides at every step, that is at every access to
 * shared memory. So a seed names a schedule. This part is compiled without the thread sanitizer,
 * and tells it what orders memory (locks, grace periods, interrupts sent) and nothing else: that
 * threads take turns does not hide a race.
 */
#ifndef KUTRACE_TEST_MACHINE_H
#define KUTRACE_TEST_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_CPUS = 3, SIM_THREADS = 8, SIM_PAGES = 4096, SIM_PAGE = 4096 };

/* ---- a run ----------------------------------------------------------------------------------- */

struct sim_limits {
  unsigned switch_every; /* steps, on average */
  unsigned delay_every;  /* switches, on average, that come with a long delay */
  unsigned interrupt_every;
  unsigned fail_every; /* allocations and copies; 0: none fails */
};

/* Threads 0 .. SIM_CPUS - 1 are what runs on the CPUs; the others are processes. */
void sim_create_threads(void (*body)(int thread), void (*irq)(void), void (*nmi)(void));
/* Runs the body in all threads to its end. */
void sim_run(uint64_t seed, const struct sim_limits* limits);
void sim_fail(const char* format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void sim_tell_seed(void); /* main.c */
uint64_t sim_random(uint64_t below);
unsigned long sim_steps(void);
/* No switch, no interrupt until the next call: for what checks. */
void sim_hold(bool hold);
void sim_set_failures(unsigned every);

/* ---- steps ----------------------------------------------------------------------------------- */

void sim_step(void);
void sim_doze(void); /* now and then waits, where preemption is on: for a page, for work */
void sim_wait_for(const void* what); /* until sim_wake(what) */
void sim_wake(const void* what);
/* Of a CPU's thread: takes interrupts until the function says that it is done. */
void sim_idle(bool (*done)(void));
void sim_wake_cpu(unsigned int cpu);

/* ---- CPUs ------------------------------------------------------------------------------------ */

unsigned int sim_cpu(void);
unsigned long sim_switches(void); /* of this CPU from thread to thread */
void sim_preempt_disable(void);
void sim_preempt_enable(void);
bool sim_preempt_is_off(void);
void sim_irq_disable(void);
void sim_irq_enable(void);
bool sim_in_irq(void);
bool sim_in_nmi(void);
bool sim_is_online(unsigned int cpu);
void sim_call(unsigned int cpu, void (*function)(void* data), void* data);
void sim_grace_period(void);
unsigned long sim_grace_periods(void); /* that this thread waited for */
void sim_cpus_lock(void);
void sim_cpus_unlock(void);
/* A CPU goes, and comes back: the callbacks run on it. */
void sim_on_hotplug(int (*comes)(unsigned int cpu), int (*goes)(unsigned int cpu));
void sim_unplug(unsigned int cpu);
void sim_plug(unsigned int cpu);

struct sim_lock {
  int owner; /* thread + 1 */
};

void sim_lock(struct sim_lock* lock);
void sim_unlock(struct sim_lock* lock);

/* A function to be run later: in an interrupt of this CPU, or in a thread of the kernel. */
struct sim_work {
  void (*run)(struct sim_work* work);
  struct sim_work* next;
  bool queued, running;
};

void sim_queue_irq_work(struct sim_work* work);
void sim_queue_work(struct sim_work* work);
void sim_sync_irq_work(struct sim_work* work);
void sim_cancel_work(struct sim_work* work);
/* Of the thread that runs works: until the function says that it is done. */
void sim_run_works(bool (*done)(void));
void sim_wake_worker(void);

/* ---- memory: freed pages cannot be touched, and are not used again in the same run -------------
 */

void* sim_alloc(size_t bytes);
void sim_free(void* at);
unsigned long* sim_page_private(const void* at);
size_t sim_allocated(void);
bool sim_fails(void);

#endif
