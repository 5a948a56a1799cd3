// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts of the module that talk to tracepoints and perf are not here: nothing is hooked,
 * nothing is filtered. What is recorded comes from load.c.
 */
#include "clock.h"
#include "kutrace.h"
#include "sim.h"

struct task_struct sim_task = {.pid = 7, .tgid = 7, .comm = "sim"};
struct pt_regs sim_registers = {.syscallno = -1};
const struct file_operations* sim_device;
struct notifier_block* sim_sleep;
struct user_namespace* sim_user_namespace;

extern char __start_percpu[], __stop_percpu[];
static char areas[SIM_CPUS][1024] __attribute__((aligned(64)));

void sim_prepare_cpus(void) {
  const size_t bytes = (size_t)(__stop_percpu - __start_percpu);

  if (bytes > sizeof(areas[0])) sim_fail("too many per-CPU variables");
  for (unsigned cpu = 0; cpu < SIM_CPUS; cpu++) memcpy(areas[cpu], __start_percpu, bytes);
}

ptrdiff_t sim_percpu_offset(unsigned int cpu) { return areas[cpu] - __start_percpu; }

void sim_run_irq_work(struct sim_work* work) {
  struct irq_work* whole = container_of(work, struct irq_work, work);

  whole->run(whole);
}

void sim_run_work(struct sim_work* work) {
  struct work_struct* whole = container_of(work, struct work_struct, work);

  whole->run(whole);
}

void mutex_lock(struct mutex* mutex) { sim_lock(&mutex->lock); }

void mutex_unlock(struct mutex* mutex) {
  if (mutex == &kutrace_mutex) sim_check_quiet();
  sim_unlock(&mutex->lock);
}

static u64 now = 1000;

u64 sim_clock(void) { return __atomic_add_fetch(&now, 1, __ATOMIC_RELAXED); }
void sim_advance_clock(u64 ticks) { __atomic_add_fetch(&now, ticks, __ATOMIC_RELAXED); }

/* ---- hooks, counters, arguments, stacks, filter
 * ------------------------------------------------------ */

void kutrace_hooks_find(void) {}
int kutrace_hooks_attach(const struct kutrace_config* config) { return sim_fails() ? -ENOMEM : 0; }
void kutrace_hooks_detach(void) { synchronize_rcu(); }
unsigned int kutrace_hooks_count(void) { return 0; }
int kutrace_hook_describe(unsigned int index, struct kutrace_hook_info* info) { return -ENXIO; }
int kutrace_perf_attach(const struct kutrace_config* config) { return sim_fails() ? -ENOMEM : 0; }
void kutrace_perf_detach(void) {}
int kutrace_hooks_add(const struct kutrace_config* config) { return sim_fails() ? -ENOMEM : 0; }
void kutrace_hooks_keep(const struct kutrace_config* config) { synchronize_rcu(); }
int kutrace_perf_add(const struct kutrace_config* config) { return sim_fails() ? -ENOMEM : 0; }
void kutrace_perf_keep(const struct kutrace_config* config) {}
bool kutrace_direct_has(u32 groups) { return false; }
void kutrace_perf_make_up(void) {}
void kutrace_perf_exit(void) {}
void kutrace_perf_cpu_came(void) {}
void kutrace_perf_cpu_went(unsigned int cpu) {}
int kutrace_counters_check(const struct kutrace_config* config) { return 0; }
void kutrace_counters_start(void) {}
void kutrace_count(const u64* position) {}
int kutrace_arguments_prepare(const struct kutrace_config* config) { return 0; }
int kutrace_arguments_choose(const struct kutrace_arguments* arguments, bool recording) { return 0; }
void kutrace_arguments_free(void) {}
int kutrace_stacks_prepare(const struct kutrace_config* config) { return 0; }
void kutrace_stacks_clear(void) {}
u32 kutrace_stacks_copy(struct kutrace_stack* out, u32 capacity, u32* from) { return 0; }
void kutrace_stacks_free(void) {}
int kutrace_filter_set(const struct kutrace_filter* filter) { return 0; }
int kutrace_filter_tell(const u32* processes, u32 count, u32 what) { return 0; }
void kutrace_filter_clear(void) {}
void kutrace_filter_free(void) {}
bool kutrace_filters(void) { return false; }
u32 kutrace_filter_switch(const struct task_struct* next) { return 0; }
void kutrace_owners_set(const struct kutrace_config* config) {}
int kutrace_owner_number(const struct kutrace_owner* owner) { return -ENODATA; }
int kutrace_owner_forget(u32 number) { return -ENODATA; }
void kutrace_owner_begin(void) {}
void kutrace_owner_find(void* unused) {}
void kutrace_set_packet_filter(u32 mask, u32 match) {}
