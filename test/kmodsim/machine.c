// SPDX-License-Identifier: GPL-2.0-only
/* See machine.h. The threads are stacks that one thread changes between. */
#define _GNU_SOURCE
#include "machine.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* Of the sanitizer: who acquires sees what was done before the release. */
void __tsan_acquire(void* at);
void __tsan_release(void* at);
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);

enum {
  NO_CPU = -1,
  STEPS_MOST = 3000000,
  DELAY_MOST = 3000,
  DOZE_MOST = 800,
  DOZE_EVERY = 4, /* on average */
  CALLS_MOST = 16,
  STACK = 1 << 18,
  NO_SYNC = 1
};

struct thread {
  int number;
  bool finished;
  const void* waits_for;
  unsigned long delayed_until; /* step */
  int cpu;
  int preempt_off, irqs_off;
  bool in_irq, in_nmi;
  unsigned long sections;      /* in which preemption was off, ended */
  unsigned long grace_periods; /* that it waited for */
};

struct call {
  void (*function)(void* data);
  void* data;
  bool done;
};

static struct cpu {
  struct thread* holder; /* runs on it with preemption off */
  struct call* calls[CALLS_MOST];
  int call_count;
  struct sim_work* irq_works;
  bool online;
  int last; /* thread */
  unsigned long switches;
} cpus[SIM_CPUS];

static struct thread threads[SIM_THREADS];
static struct thread* me; /* the one that runs; NULL: none of them */

static struct stack {
  ucontext_t context;
  void* fiber;             /* what the sanitizer calls it */
} stacks[SIM_THREADS + 1]; /* the last is the process's own */

static struct {
  uint64_t seed, random;
  struct sim_limits limits;
  unsigned long steps;
  int holds;
  int cpus_locked;
  bool cpus_change;
  struct sim_work* works;
} run;

static void (*thread_body)(int thread);
static void (*irq_load)(void);
static void (*nmi_load)(void);
static int (*cpu_comes)(unsigned int cpu);
static int (*cpu_goes)(unsigned int cpu);

/* ---- a run ----------------------------------------------------------------------------------- */

void sim_fail(const char* format, ...) {
  va_list more;

  fflush(stdout);
  fprintf(stderr, "FAILED: seed %llu, step %lu, thread %d: ", (unsigned long long)run.seed,
          run.steps, me ? me->number : -1);
  va_start(more, format);
  vfprintf(stderr, format, more);
  va_end(more);
  fputc('\n', stderr);
  sim_tell_seed();
  _exit(1);
}

uint64_t sim_random(uint64_t below) {
  run.random ^= run.random << 13;
  run.random ^= run.random >> 7;
  run.random ^= run.random << 17;
  return (run.random * 0x2545f4914f6cdd1d >> 32) % below;
}

unsigned long sim_steps(void) { return run.steps; }

void sim_hold(bool hold) { run.holds += hold ? 1 : -1; }

void sim_set_failures(unsigned every) { run.limits.fail_every = every; }

static bool one_in(unsigned n) { return n && sim_random(n) == 0; }

/* A thread that can go on, NULL if there is none: among those that are not delayed, if there are
 * any. */
static struct thread* choose(bool even_delayed) {
  struct thread* found[SIM_THREADS];
  unsigned count = 0;

  for (int i = 0; i < SIM_THREADS; i++) {
    struct thread* thread = &threads[i];

    if (!thread->finished && !thread->waits_for &&
        (even_delayed || thread->delayed_until <= run.steps))
      found[count++] = thread;
  }
  return count ? found[sim_random(count)] : NULL;
}

static struct stack* stack_of(const struct thread* thread) {
  return &stacks[thread ? thread->number : SIM_THREADS];
}

/* NULL: to whoever runs them all. */
static void change_to(struct thread* next) {
  struct stack *from = stack_of(me), *to = stack_of(next);

  if (from == to) return;
  me = next;
  __tsan_switch_to_fiber(to->fiber, NO_SYNC);
  swapcontext(&from->context, &to->context);
}

static void hand_on(void) {
  struct thread* next = choose(false) ?: choose(true);

  if (!next) sim_fail("nobody can go on");
  change_to(next);
}

static void count_step(void) {
  if (++run.steps > STEPS_MOST)
    sim_fail("hangs: %d million steps, and no end", STEPS_MOST / 1000000);
}

/* Signals that a thread sends to itself come at once; the sanitizer would put off all others. */
static void maybe_interrupt(void) {
  if (me->cpu == NO_CPU || me->in_nmi) return;
  if (one_in(4 * run.limits.interrupt_every)) raise(SIGUSR2);
  if (me->in_irq || me->irqs_off) return;
  if (cpus[me->cpu].call_count || cpus[me->cpu].irq_works || one_in(run.limits.interrupt_every))
    raise(SIGUSR1);
}

static void delay(unsigned most) {
  me->delayed_until = run.steps + sim_random(most);
  hand_on();
}

void sim_step(void) {
  if (!me || run.holds) return;
  count_step();
  maybe_interrupt();
  if (!one_in(run.limits.switch_every)) return;
  if (one_in(run.limits.delay_every)) return delay(DELAY_MOST);
  hand_on();
}

void sim_doze(void) {
  sim_step();
  if (me && me->cpu == NO_CPU && one_in(DOZE_EVERY)) delay(DOZE_MOST);
}

void sim_wait_for(const void* what) {
  count_step();
  me->waits_for = what;
  hand_on();
}

void sim_wake(const void* what) {
  for (int i = 0; i < SIM_THREADS; i++)
    if (threads[i].waits_for == what) threads[i].waits_for = NULL;
}

static void finish_thread(void) {
  struct thread* next;

  __tsan_release(&stacks);
  me->finished = true;
  next = choose(false) ?: choose(true);
  for (int i = 0; !next && i < SIM_THREADS; i++)
    if (!threads[i].finished) sim_fail("nobody can go on, and thread %d is not at its end", i);
  change_to(next);
}

static void thread_main(void) {
  for (;;) {
    __tsan_acquire(&run);
    thread_body(me->number);
    finish_thread();
  }
}

/* Whether a signal may come is asked before it is sent; the sanitizer has them all blocked in
 * handlers. */
static void let_all_come(void) {
  sigset_t none;

  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static void on_irq(int number) {
  struct cpu* cpu = &cpus[me->cpu];
  const int before = errno;

  (void)number;
  let_all_come();
  me->in_irq = true;
  while (cpu->call_count) {
    struct call* call = cpu->calls[--cpu->call_count];

    __tsan_acquire(call);
    call->function(call->data);
    __tsan_release(call);
    call->done = true;
    sim_wake(call);
  }
  while (cpu->irq_works) {
    struct sim_work* work = cpu->irq_works;

    cpu->irq_works = work->next;
    work->queued = false;
    work->running = true;
    work->run(work);
    work->running = false;
    __tsan_release(work);
    sim_wake(work);
  }
  if (irq_load) irq_load();
  me->in_irq = false;
  errno = before;
}

static void on_nmi(int number) {
  const int before = errno;

  (void)number;
  let_all_come();
  me->in_nmi = true;
  if (nmi_load) nmi_load();
  me->in_nmi = false;
  errno = before;
}

static void on_fault(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  sim_fail("touches memory that is not there or was freed: %p", info->si_addr);
}

static void handle(int number, void (*handler)(int number)) {
  const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER};

  sigaction(number, &action, NULL);
}

void sim_create_threads(void (*body)(int thread), void (*irq)(void), void (*nmi)(void)) {
  struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

  thread_body = body;
  irq_load = irq;
  nmi_load = nmi;
  handle(SIGUSR1, on_irq);
  handle(SIGUSR2, on_nmi);
  sigaction(SIGSEGV, &fault, NULL);
  stacks[SIM_THREADS].fiber = __tsan_get_current_fiber();
  for (int i = 0; i < SIM_THREADS; i++) {
    ucontext_t* context = &stacks[i].context;

    getcontext(context);
    context->uc_stack.ss_size = STACK;
    context->uc_stack.ss_sp =
        mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (context->uc_stack.ss_sp == MAP_FAILED) sim_fail("no stack");
    makecontext(context, thread_main, 0);
    stacks[i].fiber = __tsan_create_fiber(0);
  }
}

static void reset_memory(void);

void sim_run(uint64_t seed, const struct sim_limits* limits) {
  run.seed = seed;
  run.random = seed * 0x9e3779b97f4a7c15 + 1;
  run.limits = *limits;
  run.steps = 0;
  reset_memory();
  for (int i = 0; i < SIM_THREADS; i++) {
    struct thread* thread = &threads[i];

    *thread = (struct thread){.number = i, .cpu = NO_CPU};
  }
  for (int i = 0; i < SIM_CPUS; i++) cpus[i] = (struct cpu){.online = true};
  __tsan_release(&run);
  change_to(choose(false));
  __tsan_acquire(&stacks);
}

/* ---- CPUs ------------------------------------------------------------------------------------ */

unsigned int sim_cpu(void) {
  if (!me || me->cpu == NO_CPU) sim_fail("asks for its CPU with preemption on");
  return (unsigned int)me->cpu;
}

unsigned long sim_switches(void) { return cpus[sim_cpu()].switches; }

static bool is_bound(const struct thread* thread) { return thread->number < SIM_CPUS; }

static bool is_offline(int cpu) { return !cpus[cpu].online; }

static char grace_periods; /* what was done before one is seen by what begins after it */

/* Gets hold of a CPU: its own one, or any. */
static void enter_cpu(int cpu) {
  while (cpus[cpu].holder || is_offline(cpu)) {
    if (!is_bound(me) && is_offline(cpu))
      cpu = (int)sim_random(SIM_CPUS);
    else
      sim_wait_for(&cpus[cpu]);
  }
  cpus[cpu].holder = me;
  cpus[cpu].switches += cpus[cpu].last != me->number;
  cpus[cpu].last = me->number;
  me->cpu = cpu;
  __tsan_acquire(&cpus[cpu]);
  __tsan_acquire(&grace_periods);
}

static void leave_cpu(void) {
  struct cpu* cpu = &cpus[me->cpu];

  __tsan_release(cpu);
  cpu->holder = NULL;
  me->cpu = NO_CPU;
  sim_wake(cpu);
}

void sim_preempt_disable(void) {
  if (!me) return;
  if (me->cpu == NO_CPU) enter_cpu(is_bound(me) ? me->number : (int)sim_random(SIM_CPUS));
  me->preempt_off++;
}

void sim_preempt_enable(void) {
  if (!me || --me->preempt_off || me->in_irq || me->in_nmi || me->irqs_off) return;
  __tsan_release(&me->sections);
  me->sections++;
  sim_wake(&me->sections);
  leave_cpu();
  sim_step();
}

bool sim_preempt_is_off(void) { return me && me->cpu != NO_CPU; }

void sim_irq_disable(void) {
  if (!me) return;
  sim_preempt_disable();
  me->irqs_off++;
}

void sim_irq_enable(void) {
  if (!me) return;
  me->irqs_off--;
  sim_preempt_enable();
}

bool sim_in_irq(void) { return me && me->in_irq; }
bool sim_in_nmi(void) { return me && me->in_nmi; }
bool sim_is_online(unsigned int cpu) { return cpus[cpu].online; }

/* Waits until it has run: here, if this is the CPU or happens to be, else in its interrupt. */
void sim_call(unsigned int cpu, void (*function)(void* data), void* data) {
  struct call call = {.function = function, .data = data};

  if (!me) sim_fail("an interrupt without a run");
  if (!cpus[cpu].holder && sim_random(SIM_CPUS) == 0) {
    enter_cpu((int)cpu);
    sim_irq_disable();
    function(data);
    sim_irq_enable();
    return;
  }
  __tsan_release(&call);
  cpus[cpu].calls[cpus[cpu].call_count++] = &call;
  sim_wake(&cpus[cpu]);
  while (!call.done) sim_wait_for(&call);
  __tsan_acquire(&call);
}

void sim_idle(bool (*done)(void)) {
  while (!done()) {
    struct cpu* cpu = &cpus[me->number];

    if ((cpu->call_count || cpu->irq_works) && !cpu->holder && cpu->online) {
      sim_preempt_disable();
      maybe_interrupt();
      sim_preempt_enable();
    } else {
      sim_wait_for(cpu);
    }
  }
}

void sim_wake_cpu(unsigned int cpu) { sim_wake(&cpus[cpu]); }

/* Ends when every stretch with preemption off that was under way has ended. */
void sim_grace_period(void) {
  me->grace_periods++;
  __tsan_release(&grace_periods);
  for (int i = 0; i < SIM_THREADS; i++) {
    struct thread* thread = &threads[i];
    const unsigned long before = thread->sections;

    while (thread != me && thread->cpu != NO_CPU && thread->sections == before)
      sim_wait_for(&thread->sections);
    __tsan_acquire(&thread->sections);
  }
}

unsigned long sim_grace_periods(void) { return me->grace_periods; }

void sim_cpus_lock(void) {
  while (run.cpus_change) sim_wait_for(&run.cpus_change);
  run.cpus_locked++;
  __tsan_acquire(&run.cpus_change);
}

void sim_cpus_unlock(void) {
  __tsan_release(&run.cpus_change);
  run.cpus_locked--;
  sim_wake(&run.cpus_change);
}

void sim_on_hotplug(int (*comes)(unsigned int cpu), int (*goes)(unsigned int cpu)) {
  cpu_comes = comes;
  cpu_goes = goes;
}

static void begin_change(void) {
  while (run.cpus_change || run.cpus_locked) sim_wait_for(&run.cpus_change);
  run.cpus_change = true;
  __tsan_acquire(&run.cpus_change);
}

static void end_change(void) {
  __tsan_release(&run.cpus_change);
  run.cpus_change = false;
  sim_wake(&run.cpus_change);
}

void sim_unplug(unsigned int cpu) {
  begin_change();
  enter_cpu((int)cpu);
  me->preempt_off = 1;
  if (cpu_goes) cpu_goes(cpu);
  while (cpus[cpu].irq_works) maybe_interrupt();
  cpus[cpu].online = false;
  sim_preempt_enable();
  end_change();
}

void sim_plug(unsigned int cpu) {
  begin_change();
  cpus[cpu].online = true;
  enter_cpu((int)cpu);
  me->preempt_off = 1;
  if (cpu_comes) cpu_comes(cpu);
  sim_preempt_enable();
  end_change();
}

void sim_lock(struct sim_lock* lock) {
  if (!me) return;
  if (me->cpu != NO_CPU) sim_fail("sleeps with preemption off");
  sim_step();
  while (lock->owner) sim_wait_for(lock);
  lock->owner = me->number + 1;
  __tsan_acquire(lock);
}

void sim_unlock(struct sim_lock* lock) {
  if (!me) return;
  __tsan_release(lock);
  lock->owner = 0;
  sim_wake(lock);
  sim_step();
}

/* ---- works ----------------------------------------------------------------------------------- */

void sim_queue_irq_work(struct sim_work* work) {
  struct cpu* cpu;

  if (work->queued) return;
  __tsan_release(work);
  work->queued = true;
  sim_preempt_disable();
  cpu = &cpus[me->cpu];
  work->next = cpu->irq_works;
  cpu->irq_works = work;
  sim_wake(cpu);
  sim_preempt_enable();
}

void sim_queue_work(struct sim_work* work) {
  if (work->queued) return;
  __tsan_release(work);
  work->queued = true;
  work->next = run.works;
  run.works = work;
  sim_wake(&run.works);
}

void sim_sync_irq_work(struct sim_work* work) {
  while (me && (work->queued || work->running)) sim_wait_for(work);
  __tsan_acquire(work);
}

void sim_cancel_work(struct sim_work* work) {
  struct sim_work** at = &run.works;

  if (!me) return;
  while (*at && *at != work) at = &(*at)->next;
  if (*at) {
    *at = work->next;
    work->queued = false;
  }
  while (work->running) sim_wait_for(work);
  __tsan_acquire(work);
}

void sim_run_works(bool (*done)(void)) {
  while (!done()) {
    struct sim_work* work = run.works;

    if (!work) {
      sim_wait_for(&run.works);
      continue;
    }
    run.works = work->next;
    work->queued = false;
    work->running = true;
    __tsan_acquire(work);
    work->run(work);
    __tsan_release(work);
    work->running = false;
    sim_wake(work);
  }
}

void sim_wake_worker(void) { sim_wake(&run.works); }

/* ---- memory ---------------------------------------------------------------------------------- */

static char* memory;
static size_t pages_used, pages_allocated;
static size_t size_of[SIM_PAGES];
static unsigned long private_of[SIM_PAGES];

static void reset_memory(void) {
  if (pages_allocated) return; /* what is allocated lives on, and more is found behind it */
  if (!memory)
    memory = mmap(NULL, (size_t)SIM_PAGES * SIM_PAGE, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) sim_fail("no memory");
  pages_used = 0;
}

/* Zeroed. */
void* sim_alloc(size_t bytes) {
  const size_t count = (bytes + SIM_PAGE - 1) / SIM_PAGE;
  size_t first;
  char* at;

  sim_step();
  if (sim_fails()) return NULL;
  first = pages_used;
  at = memory + first * SIM_PAGE;
  if (first + count > SIM_PAGES) sim_fail("the machine is too small");
  pages_used += count;
  pages_allocated += count;
  size_of[first] = count;
  mprotect(at, count * SIM_PAGE, PROT_READ | PROT_WRITE);
  memset(at, 0, count * SIM_PAGE);
  return at;
}

void sim_free(void* at) {
  const size_t first = (size_t)((char*)at - memory) / SIM_PAGE;

  if (!at) return;
  sim_step();
  mprotect(at, size_of[first] * SIM_PAGE, PROT_NONE);
  pages_allocated -= size_of[first];
}

unsigned long* sim_page_private(const void* at) {
  const size_t page = (size_t)((const char*)at - memory) / SIM_PAGE;

  if (page >= SIM_PAGES) sim_fail("%p is no block's", at);
  return &private_of[page];
}

size_t sim_allocated(void) { return pages_allocated; }
bool sim_fails(void) { return one_in(run.limits.fail_every); }
