// SPDX-License-Identifier: GPL-2.0-only
/* What the CPUs do, with interrupts and NMIs, and what processes do with the device meanwhile. */
#include "events.h"
#include "put.h"
#include "sim.h"

enum {
  FIRST_PROCESS = SIM_CPUS,
  OWNER = FIRST_PROCESS, /* these two share a file */
  COMPANION,
  STRANGER,      /* has one of its own, and inserts */
  ADMINISTRATOR, /* takes CPUs away and brings them back; puts the machine to sleep */
  KERNEL_THREAD,
  OTHERS = KERNEL_THREAD - COMPANION,
  OPS = 40,
  COMMANDS = 25,
  CHAOS_COMMANDS = 50,
  TAKEN_MOST = 64,
  CALL_STEPS = 200,
};

static const struct cred admin = {.is_admin = true};
static struct file shared = {.f_cred = &admin}, strange = {.f_cred = &admin};
static const struct file nobody;

static struct {
  enum sim_kind kind;
  u32 mode;
  u64 taste;   /* two bits for each command, one for what the stranger uses */
  bool counts; /* what is inserted is to be found again */
  bool may_start;
  int cpus_done, processes_done;
  struct mutex readers; /* of what was taken */
} plan;

void sim_plan(enum sim_kind kind, u64 taste) {
  plan.kind = kind;
  plan.taste = taste;
  plan.mode = 0;
  plan.counts = false;
  plan.may_start = kind == SIM_CHAOS;
  plan.cpus_done = plan.processes_done = 0;
}

/* Flags of the plan are handed from thread to thread. */
static bool is(const bool* flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }

static void set(bool* flag) {
  __atomic_store_n(flag, true, __ATOMIC_RELEASE);
  sim_wake(flag);
  for (unsigned int cpu = 0; cpu < SIM_CPUS; cpu++) sim_wake_cpu(cpu);
}

static int count_of(const int* counter) { return __atomic_load_n(counter, __ATOMIC_ACQUIRE); }

static void count(int* counter) {
  __atomic_add_fetch(counter, 1, __ATOMIC_ACQ_REL);
  sim_wake(counter);
}

/* ---- entries --------------------------------------------------------------------------------- */

static void put_mark(void) {
  account_inserted();
  kutrace_put(KUTRACE_MARK_A, (u32)account_next_id());
}

#if KUTRACE_CONTROL_VERSION > 5

/* As programs make it, by a write. */
static void put_written_mark(void) {
  account_inserted();
  kutrace_insert_by_write(KUTRACE_WORD_FD, KUTRACE_EVENT(KUTRACE_MARK_A) | (u32)account_next_id(),
                          0);
}

/* What is refused leaves nothing that its return could become a part of. */
static void put_refused(void) {
  const u64 word = KUTRACE_EVENT(SIM_IRQ);
  enum kutrace_folding folding;

  if (sim_random(2))
    kutrace_insert_by_write(KUTRACE_WORD_FD, word, 0);
  else
    kutrace_insert_by_syscall(KUTRACE_CMD_INSERT1, word);
  folding = kutrace_fold_call(-EBADF);
  if (folding == KUTRACE_FOLDED ||
      (folding == KUTRACE_AT_ONCE &&
       kutrace_fold_call_of(this_cpu_read(kutrace_cpu.call_end), 1, -EBADF)))
    sim_fail("a mark that was refused has returned from another call");
}

#else

static void put_written_mark(void) { put_mark(); }

static void put_refused(void) {}

#endif

/* A call lasts; who runs on this CPU meanwhile ends what may be folded, as the switch's probe does.
 */
static void be_in_call(void) {
  const unsigned long switches = sim_switches();

  sim_preempt_enable();
  for (u64 steps = sim_random(CALL_STEPS); steps; steps--) sim_step();
  sim_preempt_disable();
  if (sim_switches() != switches) this_cpu_write(kutrace_cpu.call_end, KUTRACE_NO_CALL);
}

/* A thread that starts one program after the other, none of which its user may look into. */
static struct mm_struct memories[2];
static struct task_struct starter = {.mm = &memories[0]};

/* The memory before is free, and then a program's that anybody may look into, until it is free
 * again. */
static void start_program(void) {
  struct mm_struct* old = starter.mm;
  struct mm_struct* new = &memories[old == &memories[0]];

  WRITE_ONCE(new->flags, 0);
  WRITE_ONCE(starter.mm, new);
  WRITE_ONCE(old->flags, SUID_DUMP_USER);
  WRITE_ONCE(starter.self_exec_id, starter.self_exec_id + 1);
}

static void look_into_starter(void) {
  u32 bits;

  if (kutrace_read_dumpable(&starter, &bits) && bits == SUID_DUMP_USER)
    sim_fail("another's memory says who may look into a thread");
}

/* A block may come back to the same addresses while a call is under way. */
static void check_remembered_call(void) {
  const u64 *end, *next;

  sim_hold(true);
  end = this_cpu_read(kutrace_cpu.call_end);
  next = this_cpu_read(kutrace_cpu.next);
  if (end != KUTRACE_NO_CALL &&
      (!kutrace_is_open(next) || ((uintptr_t)end ^ (uintptr_t)next) & ~KUTRACE_BLOCK_MASK))
    sim_fail("a call is remembered in a block that was left");
  sim_hold(false);
}

/* As a probe of system calls does it. */
static void put_call_and_return(void) {
  const u64 id = account_next_id();
  const u16 argument = (u16)id;
  const s64 result = account_result_of(id);
  enum kutrace_folding folding;

  account_inserted();
  account_inserted();
  kutrace_put_call(KUTRACE_SYSCALL64, &argument);
  if (sim_random(2)) be_in_call();
  check_remembered_call();
  folding = kutrace_fold_call(result);
  if (folding == KUTRACE_FOLDED) return;
  if (folding == KUTRACE_AT_ONCE &&
      kutrace_fold_call_of(this_cpu_read(kutrace_cpu.call_end), 1, result))
    return;
  kutrace_put(KUTRACE_SYSCALL64 | KUTRACE_RETURN_BIT, (u16)result);
}

/* As a probe of interrupts does it. */
static void put_pair(void) {
  const u64 id = account_next_id();

  account_inserted();
  account_inserted();
  kutrace_put(SIM_IRQ, (u16)id);
  kutrace_put_return(SIM_IRQ | KUTRACE_RETURN_BIT, account_result_of(id));
}

static void put_name(void) {
  const u64 id = account_next_id();
  u64 now;
  u64* at;

  account_inserted();
  at = kutrace_claim(3, &now);
  if (!at) return;
  WRITE_ONCE(at[2], 1);
  WRITE_ONCE(at[1], id);
  smp_store_release(at, kutrace_word(now, KUTRACE_EVENT(KUTRACE_PID_NAME)));
}

static void put_something(void) {
  if (plan.kind == SIM_CHAOS) {
    sim_run_hooks();
    look_into_starter();
  }
  switch (sim_random(10)) {
    case 0:
      return put_name();
    case 8:
      return put_written_mark();
    case 9:
      return put_refused();
    case 1:
    case 2:
      return put_mark();
    case 3:
    case 4:
      return put_pair();
    default:
      return put_call_and_return();
  }
}

static bool loads(void) { return plan.kind == SIM_CHAOS || is(&plan.counts); }

void sim_in_irq_load(void) {
  if (loads() && sim_random(2)) put_pair();
}

void sim_in_nmi_load(void) {
  if (loads() && sim_random(2)) put_mark();
}

static bool processes_are_done(void) { return count_of(&plan.processes_done) == OTHERS + 1; }

static bool may_begin(void) { return is(&plan.may_start); }

static bool has_more(int done) {
  return plan.kind == SIM_CHAOS ? !processes_are_done() : done < OPS;
}

static void run_cpu(void) {
  sim_idle(may_begin);
  for (int i = 0; has_more(i); i++) {
    sim_preempt_disable();
    put_something();
    if (sim_random(60) == 0) sim_advance_clock(KUTRACE_TSDELTA_TICKS + sim_random(100));
    sim_preempt_enable();
    if (plan.kind == SIM_CHAOS) sim_doze();
  }
  count(&plan.cpus_done);
  sim_idle(processes_are_done);
}

/* ---- commands -------------------------------------------------------------------------------- */

static long command(struct file* file, unsigned int number, void* argument) {
  return sim_device->unlocked_ioctl(file, number, (unsigned long)argument);
}

/* So few that they are used up at once, or some for each CPU. */
static u32 block_count(void) {
  return sim_random(2) ? SIM_CPUS + sim_random(6) : 12 + sim_random(6);
}

/* Counters, stacks and arguments need room of their own; counted runs have none of them. */
static u32 random_flags(void) {
  u32 flags = sim_random(8) ? 0 : KUTRACE_CONFIG_NO_FOLD;

  if (plan.kind == SIM_CHAOS && sim_random(4) == 0)
    flags |=
        (u32)sim_random(4) * KUTRACE_CONFIG_ARGUMENTS | (u32)sim_random(4) * KUTRACE_CONFIG_IPC;
  return flags;
}

static long configure(struct file* file, u32 mode) {
  struct kutrace_config config = {
      .mode = mode,
      .groups = KUTRACE_GROUP_SYSCALLS | (sim_random(4) ? 0 : KUTRACE_GROUP_FAULTS),
      .blocks = block_count(),
      .flags = random_flags(),
  };

  return command(file, KUTRACE_IOC_CONFIGURE, &config);
}

/* What programs and CPUs see of it, and what it holds. */
struct seen {
  struct kutrace_status status;
  struct kutrace_cpu_status cpus[SIM_CPUS];
  u32 trailers;
  size_t pages;
  unsigned percpu;
};

static void look(struct file* file, struct seen* seen) {
  memset(seen, 0, sizeof(*seen));
  kutrace_get_status(file, &seen->status);
  for (u32 cpu = 0; cpu < SIM_CPUS; cpu++) {
    seen->cpus[cpu].cpu = cpu;
    kutrace_get_cpu_status(&seen->cpus[cpu]);
  }
  seen->trailers = kutrace_buffer.trailers;
  seen->pages = sim_allocated();
  seen->percpu = sim_percpu_allocated();
}

/* Nothing else happens meanwhile, so what is another afterwards is its doing. No counters: CPUs
 * would have to answer. */
static void configure_in_vain(struct file* file) {
  const struct kutrace_config config = {
      .mode = 1 + (u32)sim_random(3),
      .groups = KUTRACE_GROUP_SYSCALLS,
      .blocks = sim_random(2) ? 1 : UINT32_MAX,
      .flags = random_flags() & ~(KUTRACE_CONFIG_IPC | KUTRACE_CONFIG_LLC),
  };
  struct seen before, after;
  int error;

  mutex_lock(&kutrace_mutex);
  sim_hold(true);
  look(file, &before);
  error = kutrace_configure(file, &config);
  if (!error) sim_fail("a buffer of %u blocks", config.blocks);
  look(file, &after);
  if (memcmp(&before, &after, sizeof(before)) != 0)
    sim_fail(
        "a configuration that failed (%d) changed something: %zu pages, %u per-CPU areas "
        "before, %zu and %u after",
        error, before.pages, before.percpu, after.pages, after.percpu);
  sim_hold(false);
  mutex_unlock(&kutrace_mutex);
}

/* Of a few calls; their arguments are in memory that cannot be read. */
static long choose_arguments(struct file* file) {
  static const struct kutrace_arguments what = {
      .buffer_bytes = 8,
      .calls = {{.count = 2, .in = 1, .kinds = {KUTRACE_DATA_STRING, KUTRACE_DATA_STRING}},
                {.count = 1, .in = 1, .kinds = {KUTRACE_DATA_NONE, KUTRACE_DATA_STRING}}},
  };

  return command(file, KUTRACE_IOC_ARGUMENTS, (void*)&what);
}

/* Their address cannot be written to now and then. */
static long read_stacks(struct file* file) {
  struct kutrace_stack stacks[4];
  struct kutrace_stacks what = {.address = sim_random(3) ? (u64)stacks : 8, .capacity = 4};

  return command(file, KUTRACE_IOC_STACKS, &what);
}

/* For stores, for probes, for readers of counters: however many CPUs there are. */
static long switch_off(struct file* file) {
  const unsigned long before = sim_grace_periods();
  const long error = command(file, KUTRACE_IOC_OFF, NULL);

  if (sim_grace_periods() - before > 3)
    sim_fail("off waits for %lu grace periods", sim_grace_periods() - before);
  return error;
}

static long switch_on(struct file* file, u32 lifetime) {
  return command(file, KUTRACE_IOC_ON, &lifetime);
}

#if KUTRACE_CONTROL_VERSION > 2
static long release(struct file* file, const struct kutrace_block_info* info) {
  struct kutrace_release given = {.index = info->index, .serial = info->serial};

  return command(file, KUTRACE_IOC_RELEASE, &given);
}
#else
static long release(struct file* file, const struct kutrace_block_info* info) {
  u32 index = info->index;

  return command(file, KUTRACE_IOC_RELEASE, &index);
}
#endif

/* Takes some; returns how many it was told of. An address that cannot be written to is tried, too.
 */
static u32 take(struct file* file, struct kutrace_block_info* infos, u32 capacity) {
  struct kutrace_take what = {
      .address = sim_random(3) ? (u64)infos : 8,
      .capacity = 1 + sim_random(capacity),
  };

  if (command(file, KUTRACE_IOC_TAKE, &what) != 0 || what.address == 8) return 0;
  for (u32 i = 0; i < what.count; i++) account_told(&infos[i]);
  return what.count;
}

static void insert(struct file* file) {
  u64 mark = KUTRACE_EVENT(KUTRACE_MARK_A) | account_next_id();

  if (command(file, KUTRACE_IOC_INSERT, &mark) == 0) account_inserted();
}

#if KUTRACE_CONTROL_VERSION > 6

enum { LIFETIMES = KUTRACE_ON_SHARED };

static long join(struct file* file) {
  struct kutrace_join what = {
      .config = {.mode = KUTRACE_MODE_STREAM,
                 .groups = (u32)sim_random(4) * KUTRACE_GROUP_SYSCALLS,
                 .flags = sim_random(4) ? 0 : KUTRACE_CONFIG_NO_FOLD},
  };

  return command(file, KUTRACE_IOC_JOIN, &what);
}

#else

enum { LIFETIMES = KUTRACE_ON_DETACHED };

static long join(struct file* file) { return -ENOTTY; }

#endif

/* System calls are on or off, with another group or without. */
static long switch_groups(struct file* file) {
  struct kutrace_group_switch what = {
      .groups = (u32)sim_random(4) * KUTRACE_GROUP_SYSCALLS,
  };

  return command(file, KUTRACE_IOC_GROUPS, &what);
}

enum action {
  CONFIGURE,
  ON,
  OFF,
  FLUSH,
  STATUS,
  CPU,
  RESET,
  GUESS,
  RELEASE,
  TAKE,
  GROUPS,
  JOIN,
  CLOSE,
  VAIN,
  ARGUMENTS,
  STACKS,
  ACTIONS
};

/* Nothing happens without the first two, so no taste leaves them out. */
static unsigned int weight_of(enum action action) {
  static const unsigned int usual[ACTIONS] = {2, 3, 2, 1, 1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1};
  static const unsigned int tastes[] = {0, 1, 1, 4};
  const unsigned int times = tastes[plan.taste >> 2 * action & 3];

  return usual[action] * (action <= ON && !times ? 1 : times);
}

static bool all_share(void) { return plan.taste >> 2 * ACTIONS & 1; }

static enum action random_action(void) {
  unsigned int all = 0, hit;
  int action;

  for (action = 0; action < ACTIONS; action++) all += weight_of(action);
  hit = (unsigned int)sim_random(all);
  for (action = 0; hit >= weight_of(action); action++) hit -= weight_of(action);
  return action;
}

static void random_command(struct file* file, struct kutrace_block_info* taken, u32* count_taken) {
  struct kutrace_status status;
  struct kutrace_cpu_status cpu = {.cpu = (u32)sim_random(SIM_CPUS)};
  struct kutrace_block_info guess = {.index = (u32)sim_random(20)};

  switch (random_action()) {
    case CONFIGURE:
      configure(file, 1 + sim_random(3));
      break;
    case ON:
      switch_on(file, 1 + sim_random(LIFETIMES));
      break;
    case OFF:
      switch_off(file);
      break;
    case FLUSH:
      command(file, KUTRACE_IOC_FLUSH, NULL);
      break;
    case STATUS:
      command(file, KUTRACE_IOC_STATUS, &status);
      break;
    case CPU:
      command(file, KUTRACE_IOC_CPU, &cpu);
      break;
    case RESET:
      command(file, KUTRACE_IOC_RESET, NULL);
      break;
    case GUESS:
      release(file, &guess);
      break;
    case GROUPS:
      switch_groups(file);
      break;
    case JOIN:
      join(file);
      break;
    case VAIN:
      configure_in_vain(file);
      break;
    case ARGUMENTS:
      choose_arguments(file);
      break;
    case STACKS:
      read_stacks(file);
      break;
    case CLOSE:
      /* Nobody else has it. */
      if (file == &strange && !all_share()) sim_device->release(NULL, file);
      break;
    case RELEASE:
      if (*count_taken) release(file, &taken[--*count_taken]);
      break;
    default:
      *count_taken = take(file, taken, TAKEN_MOST);
      break;
  }
}

static void run_random_commands(struct file* file) {
  struct kutrace_block_info taken[TAKEN_MOST];
  u32 count_taken = 0;

  for (int i = 0; i < CHAOS_COMMANDS; i++) random_command(file, taken, &count_taken);
}

/* ---- a recording that is counted --------------------------------------------------------------
 */

static void give_back(struct file* file, const struct kutrace_block_info* infos, u32 count) {
  for (u32 i = 0; i < count; i++) {
    long error;

    do error = release(file, &infos[i]);
    while (error == -EFAULT || error == -EINTR || error == -EAGAIN);
    if (error) sim_fail("block %u is not taken back: %ld", infos[i].index, error);
  }
}

static void read_some(struct file* file) {
  struct kutrace_block_info infos[TAKEN_MOST];
  const u32 got = take(file, infos, TAKEN_MOST);

  mutex_lock(&plan.readers);
  for (u32 i = 0; i < got; i++) account_block(&infos[i]);
  mutex_unlock(&plan.readers);
  give_back(file, infos, got);
}

/* Of another reader of the same recording, who is slow now and then: his blocks are whole, and stay
 * so. */
static void read_beside(struct file* file) {
  struct kutrace_block_info infos[TAKEN_MOST];
  const u32 got = take(file, infos, TAKEN_MOST);

  for (u64 steps = sim_random(4) ? 0 : sim_random(300); steps; steps--) sim_step();
  for (u32 i = 0; i < got; i++) account_look(&infos[i]);
  give_back(file, infos, got);
}

static struct kutrace_status status_now(struct file* file) {
  struct kutrace_status status;

  while (command(file, KUTRACE_IOC_STATUS, &status) != 0);
  return status;
}

static u64 lost_on_cpus(struct file* file) {
  u64 lost = 0;

  for (u32 i = 0; i < SIM_CPUS; i++) {
    struct kutrace_cpu_status cpu = {.cpu = i};

    while (command(file, KUTRACE_IOC_CPU, &cpu) != 0);
    if (cpu.open_block) sim_fail("recording is off, CPU %u has open block %u", i, cpu.open_block);
    lost += cpu.lost;
  }
  return lost;
}

static void begin_counting(void) {
  plan.mode = 1 + sim_random(3);
  account_begin(plan.mode);
  while (configure(&shared, plan.mode) != 0);
  while (switch_on(&shared, plan.mode == KUTRACE_MODE_STREAM ? LIFETIMES : KUTRACE_ON_ATTACHED) !=
         0);
  set(&plan.counts);
  set(&plan.may_start);
}

static void end_counting(void) {
  struct kutrace_status status;

  __atomic_store_n(&plan.counts, false, __ATOMIC_RELEASE);
  synchronize_rcu(); /* what an interrupt inserts is inserted */
  while (command(&shared, KUTRACE_IOC_OFF, NULL) != 0);
  sim_set_failures(0);
  do {
    read_some(&shared);
    status = status_now(&shared);
  } while (status.blocks_used);
  account_end(&status, lost_on_cpus(&shared));
}

static void record_and_count(void) {
  begin_counting();
  while (count_of(&plan.cpus_done) < SIM_CPUS || count_of(&plan.processes_done) < OTHERS) {
    if (sim_random(10) == 0) command(&shared, KUTRACE_IOC_FLUSH, NULL);
    if (sim_random(20) == 0) switch_groups(&shared);
    read_some(&shared);
    sim_step();
  }
  end_counting();
}

static void wait_for_start(void) {
  while (!may_begin()) sim_wait_for(&plan.may_start);
}

static void read_along(void) {
  wait_for_start();
  for (int i = 0; i < COMMANDS; i++) read_some(&shared);
}

/* Comes, reads, and goes, as programs end or as they are killed. Who does not read may not end it
 * for all. */
static void join_along(bool* reads) {
  switch (sim_random(6)) {
    case 0:
      *reads = join(&strange) == 0 || *reads;
      break;
    case 1:
      if (*reads) command(&strange, KUTRACE_IOC_OFF, NULL);
      break;
    case 2:
      if (sim_random(3)) break;
      sim_device->release(NULL, &strange);
      *reads = false;
      break;
    default:
      read_beside(&strange);
  }
}

static void insert_along(void) {
  bool reads = false;

  wait_for_start();
  for (int i = 0; i < COMMANDS; i++) {
    if (plan.mode == KUTRACE_MODE_STREAM) join_along(&reads);
    insert(&strange);
  }
  if (plan.mode == KUTRACE_MODE_STREAM) sim_device->release(NULL, &strange);
}

/* ---- the threads ------------------------------------------------------------------------------
 */

/* At the end files are closed, and nothing is left. */
static void close_files(void) {
  struct kutrace_status status;

  sim_set_failures(0);
  sim_device->release(NULL, &shared);
  sim_device->release(NULL, &strange);
  status = status_now(&strange);
  if (status.recording && command(&strange, KUTRACE_IOC_OFF, NULL) != 0)
    sim_fail("a detached recording cannot be ended");
}

static void own(void) {
  if (plan.kind == SIM_COUNTED)
    record_and_count();
  else
    run_random_commands(&shared);
  while (count_of(&plan.processes_done) < OTHERS) sim_wait_for(&plan.processes_done);
  close_files();
}

static void accompany(void) {
  if (plan.kind == SIM_COUNTED)
    read_along();
  else
    run_random_commands(&shared);
}

static void be_strange(void) {
  insert_along();
  if (plan.kind == SIM_CHAOS) run_random_commands(all_share() ? &shared : &strange);
}

static void administrate(void) {
  if (plan.kind == SIM_COUNTED) return;
  for (int i = 0; i < COMMANDS / 3; i++) {
    const unsigned int cpu = (unsigned int)sim_random(SIM_CPUS);

    start_program();
    if (sim_random(4) == 0) sim_sleep->notifier_call(sim_sleep, PM_SUSPEND_PREPARE, NULL);
    sim_unplug(cpu);
    for (u64 steps = sim_random(200); steps; steps--) sim_random(20) ? sim_step() : start_program();
    sim_plug(cpu);
    sim_sleep->notifier_call(sim_sleep, PM_POST_SUSPEND, NULL);
  }
}

static void run_process(void (*process)(void)) {
  process();
  count(&plan.processes_done);
  for (int cpu = 0; processes_are_done() && cpu < SIM_CPUS; cpu++) sim_wake_cpu(cpu);
  sim_wake_worker();
}

void sim_body(int thread) {
  switch (thread) {
    case OWNER:
      return run_process(own);
    case COMPANION:
      return run_process(accompany);
    case STRANGER:
      return run_process(be_strange);
    case ADMINISTRATOR:
      return run_process(administrate);
    case KERNEL_THREAD:
      return sim_run_works(processes_are_done);
    default:
      return run_cpu();
  }
}

/* ---- what holds -------------------------------------------------------------------------------
 */

void sim_check_quiet(void) {
  struct kutrace_status status;

  sim_hold(true);
#if KUTRACE_CONTROL_VERSION > 6
  kutrace_get_status(&nobody, &status);
#else
  kutrace_get_status(&status);
#endif
  for (u32 cpu = 0; !status.recording && cpu < SIM_CPUS; cpu++) {
    struct kutrace_cpu_status of = {.cpu = cpu};

    if (kutrace_get_cpu_status(&of) == 0 && of.open_block)
      sim_fail("recording is off, CPU %u has open block %u", cpu, of.open_block);
  }
  sim_hold(false);
}
