// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts of the module that talk to tracepoints are not here: nothing is hooked, nothing is
 * filtered. What is recorded comes from load.c, which also calls the probes of stacks
 * and of arguments while they would be attached.
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

/* Each CPU's area: the variables, then pieces that are allocated. */
enum { STATIC_BYTES = 1024, PIECES = 4, PIECE_BYTES = 8192 };

static char areas[SIM_CPUS][STATIC_BYTES + PIECES * PIECE_BYTES] __attribute__((aligned(64)));
static bool is_piece_used[PIECES];

void sim_prepare_cpus(void) {
  const size_t bytes = (size_t)(__stop_percpu - __start_percpu);

  if (bytes > STATIC_BYTES) sim_fail("too many per-CPU variables");
  for (unsigned cpu = 0; cpu < SIM_CPUS; cpu++) memcpy(areas[cpu], __start_percpu, bytes);
}

ptrdiff_t sim_percpu_offset(unsigned int cpu) { return areas[cpu] - __start_percpu; }

void* sim_alloc_percpu(size_t bytes) {
  int piece = 0;

  if (sim_fails()) return NULL;
  while (piece < PIECES && is_piece_used[piece]) piece++;
  if (piece == PIECES || bytes > PIECE_BYTES) sim_fail("the CPUs' areas are too small");
  is_piece_used[piece] = true;
  return __start_percpu + STATIC_BYTES + piece * PIECE_BYTES;
}

void sim_free_percpu(void* at) {
  if (at) is_piece_used[((char*)at - __start_percpu - STATIC_BYTES) / PIECE_BYTES] = false;
}

unsigned sim_percpu_allocated(void) {
  unsigned used = 0;

  for (int piece = 0; piece < PIECES; piece++) used += is_piece_used[piece];
  return used;
}

bool kutrace_read_program(void* to, unsigned long address, size_t bytes) {
  return !copy_from_user_nofault(to, (const void*)address, bytes);
}

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

/* ---- hooks -----------------------------------------------------------------------------------
 */

static u32 attached; /* flags of the configuration whose hooks these are */

/* The kernel's stack: one of a few. */
unsigned int stack_trace_save(unsigned long* frames, unsigned int room, unsigned int skip) {
  const unsigned int count = 1 + (unsigned int)sim_random(3);

  for (unsigned int i = 0; i < count && i < room; i++) frames[i] = 1 + sim_random(4);
  return count;
}

/* A program's call whose arguments point to nothing that can be read. */
static void call_with_arguments(void) {
  const struct kutrace_hook* hooks = kutrace_argument_hooks.hooks;
  struct pt_regs regs = {.syscallno = (s32)sim_random(3), .orig_x0 = 1, .regs = {1, 2, 3}};

  regs.regs[8] = (u64)regs.syscallno;
  ((void (*)(void*, struct pt_regs*, long))hooks[0].probe)(NULL, &regs, regs.syscallno);
  ((void (*)(void*, struct pt_regs*, long))hooks[1].probe)(NULL, &regs, 0);
}

void sim_run_hooks(void) {
  const u32 flags = __atomic_load_n(&attached, __ATOMIC_ACQUIRE);

  if (flags & KUTRACE_CONFIG_STACKS) kutrace_sample_with_stacks(NULL, NULL, &sim_registers);
  if (flags & KUTRACE_CONFIG_ARGUMENTS) call_with_arguments();
}

int kutrace_hooks_attach(const struct kutrace_config* config) {
  if (sim_fails()) return -ENOMEM;
  __atomic_store_n(&attached, config->flags, __ATOMIC_RELEASE);
  return 0;
}

void kutrace_hooks_detach(void) {
  __atomic_store_n(&attached, 0, __ATOMIC_RELAXED);
  synchronize_rcu();
}

void kutrace_sys_enter(struct pt_regs* regs, long nr) {}
void kutrace_sys_exit(struct pt_regs* regs, long result) {}

/* ---- perf ------------------------------------------------------------------------------------ */

const struct cpumask sim_possible_cpus = {(1ul << SIM_CPUS) - 1};
const struct cpumask sim_single_cpus[] = {{1}, {2}, {4}};

static void read_counter(struct perf_event* event) { local_add(3, &event->count); }

static struct pmu pmu = {.read = read_counter};

/* On its CPU. */
static void begin_to_count(void* event) {
  WRITE_ONCE(((struct perf_event*)event)->state, PERF_EVENT_STATE_ACTIVE);
}

struct perf_event* perf_event_create_kernel_counter(const struct perf_event_attr* attributes,
                                                    int cpu, void* task,
                                                    perf_overflow_handler_t handler, void* data) {
  struct perf_event* event = sim_alloc(sizeof(*event));
  bool is_online;

  if (!event) return ERR_PTR(-ENOMEM);
  *event = (struct perf_event){.oncpu = cpu, .pmu = &pmu};
  cpus_read_lock();
  is_online = cpu_online((unsigned)cpu);
  if (is_online) sim_call((unsigned)cpu, begin_to_count, event);
  cpus_read_unlock();
  if (is_online) return event;
  sim_free(event);
  return ERR_PTR(-ENODEV);
}

void perf_event_release_kernel(struct perf_event* event) { sim_free(event); }

/* ---- what is not compiled --------------------------------------------------------------------
 */

void kutrace_hooks_find(void) {}
unsigned int kutrace_hooks_count(void) { return 0; }
int kutrace_hook_describe(unsigned int index, struct kutrace_hook_info* info) { return -ENXIO; }
int kutrace_hooks_add(const struct kutrace_config* config) { return sim_fails() ? -ENOMEM : 0; }
void kutrace_hooks_keep(const struct kutrace_config* config) { synchronize_rcu(); }
bool kutrace_direct_has(u32 groups) { return false; }
bool kutrace_direct_replaces(u32 point, u32 group) { return false; }
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
