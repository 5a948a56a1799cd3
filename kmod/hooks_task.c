// SPDX-License-Identifier: GPL-2.0-only
/*
 * Context switches, wakeups, idle, frequency; names and parents of threads when they are born,
 * start a program, rename themselves, or, in a flight recorder, end: so whoever is in the part that
 * is kept has a name in it or is still there to be asked.
 */
#include <linux/irqflags.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <trace/events/power.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "direct.h"
#include "events.h"
#include "put.h"

static __always_inline void put_switch(bool preempt, bool runnable, const struct task_struct *next,
				       u32 hidden)
{
	kutrace_put(KUTRACE_USERPID, next->pid | hidden |
					     (preempt || runnable ? KUTRACE_SWITCH_RUNNABLE :
								    KUTRACE_SWITCH_BLOCKED));
}

static __always_inline void on_switch(void *data, bool preempt, struct task_struct *prev,
				      struct task_struct *next, unsigned int prev_state)
{
	put_switch(preempt, !prev_state, next, 0);
}

static __always_inline void on_switch_filtered(void *data, bool preempt, struct task_struct *prev,
					       struct task_struct *next, unsigned int prev_state)
{
	put_switch(preempt, !prev_state, next, kutrace_filter_switch(next));
}

#define SWITCH_PROBE(name)                                                                    \
	KUTRACE_PROBE(name, (bool preempt, struct task_struct *prev, struct task_struct *next, \
			     unsigned int prev_state), (preempt, prev, next, prev_state))

SWITCH_PROBE(on_switch)
SWITCH_PROBE(on_switch_filtered)

/* Before 5.18. */
static __always_inline void on_switch_without_state(void *data, bool preempt,
						    struct task_struct *prev,
						    struct task_struct *next)
{
	put_switch(preempt, kutrace_is_running(prev), next, 0);
}

static __always_inline void on_switch_without_state_filtered(void *data, bool preempt,
							     struct task_struct *prev,
							     struct task_struct *next)
{
	put_switch(preempt, kutrace_is_running(prev), next, kutrace_filter_switch(next));
}

#define SWITCH_PROBE_WITHOUT_STATE(name)                                                      \
	KUTRACE_PROBE(name, (bool preempt, struct task_struct *prev, struct task_struct *next), \
		      (preempt, prev, next))

SWITCH_PROBE_WITHOUT_STATE(on_switch_without_state)
SWITCH_PROBE_WITHOUT_STATE(on_switch_without_state_filtered)

static __always_inline void on_wakeup(void *data, struct task_struct *task)
{
	kutrace_put(KUTRACE_RUNNABLE, task->pid);
}

KUTRACE_PROBE(on_wakeup, (struct task_struct *task), (task))

static void put_name(const struct task_struct *task, const char *name)
{
	u64 now, comm[2] = {};
	u64 *at = kutrace_claim(3, &now);

	if (!at)
		return;
	strscpy((char *)comm, name, sizeof(comm));
	WRITE_ONCE(at[2], comm[1]);
	WRITE_ONCE(at[1], comm[0]);
	/* The first word last: a reader waits for it. */
	smp_store_release(at, kutrace_word(now, KUTRACE_EVENT(KUTRACE_PID_NAME) | (u32)task->pid));
}

static void put_task(const struct task_struct *task, u64 what)
{
	u64 now;
	u64 *at = kutrace_claim(KUTRACE_TASK_WORDS, &now);

	if (!at)
		return;
	/* Preemption is off, so the parent does not go. */
	WRITE_ONCE(at[2], (u64)rcu_dereference_sched(task->real_parent)->tgid << 32 |
			  (u32)task->tgid);
	if (task->flags & KUTRACE_NO_USER_CODE)
		what |= KUTRACE_TASK_KERNEL_THREAD;
	WRITE_ONCE(at[1], what);
	/* As above. */
	smp_store_release(at, kutrace_word(now, KUTRACE_EVENT(KUTRACE_TASK) | (u32)task->pid));
}

static u64 shares_memory(const struct task_struct *parent, const struct task_struct *child)
{
	if (!child->mm || child->mm != parent->mm || child->tgid == parent->tgid)
		return 0;
	return KUTRACE_TASK_SHARES_MEMORY;
}

static __always_inline void on_fork(void *data, struct task_struct *parent,
				    struct task_struct *child)
{
	put_name(child, child->comm);
	put_task(child, shares_memory(parent, child));
}

KUTRACE_PROBE(on_fork, (struct task_struct *parent, struct task_struct *child), (parent, child))

/* No sched_process_fork tells of a thread that the kernel makes in a program's process. */
static __always_inline void on_new_task(void *data, struct task_struct *task, u64 clone_flags)
{
	if (!(task->flags & KUTRACE_WORKER))
		return;
	put_name(task, task->comm);
	put_task(task, 0);
}

KUTRACE_PROBE(on_new_task, (struct task_struct *task, u64 clone_flags), (task, clone_flags))

/* Before 6.18. */
static __always_inline void on_new_task_with_long(void *data, struct task_struct *task,
						  unsigned long clone_flags)
{
	on_new_task(data, task, clone_flags);
}

KUTRACE_PROBE(on_new_task_with_long, (struct task_struct *task, unsigned long clone_flags),
	      (task, clone_flags))

static __always_inline void on_exec(void *data, struct task_struct *task, pid_t old_pid,
				    struct linux_binprm *program)
{
	put_name(task, task->comm);
}

KUTRACE_PROBE(on_exec, (struct task_struct *task, pid_t old_pid, struct linux_binprm *program),
	      (task, old_pid, program))

/* A thread that is not the first of its process and starts a program gets the id of the first. */
static __always_inline void on_renumber(void *data, struct task_struct *task, pid_t old_pid,
					struct linux_binprm *program)
{
	if (old_pid != task->pid)
		put_task(task, (u64)(u32)old_pid << 32 | KUTRACE_TASK_RENUMBERED);
}

KUTRACE_PROBE(on_renumber, (struct task_struct *task, pid_t old_pid, struct linux_binprm *program),
	      (task, old_pid, program))

static void put_last_name(const struct task_struct *task)
{
	if (!kutrace_settings.name_at_exit)
		return;
	put_name(task, task->comm);
	put_task(task, 0);
}

static __always_inline void on_exit(void *data, struct task_struct *task, bool is_last)
{
	put_last_name(task);
}

KUTRACE_PROBE(on_exit, (struct task_struct *task, bool is_last), (task, is_last))

/* Before 6.16. */
static __always_inline void on_exit_without_last(void *data, struct task_struct *task)
{
	put_last_name(task);
}

KUTRACE_PROBE(on_exit_without_last, (struct task_struct *task), (task))

static __always_inline void on_rename(void *data, struct task_struct *task, const char *name)
{
	put_name(task, name);
}

KUTRACE_PROBE(on_rename, (struct task_struct *task, const char *name), (task, name))

#if KUTRACE_IS_PATCHED

void kutrace_direct_switch(bool preempt, unsigned long prev_state, struct task_struct *next)
{
	put_switch(preempt, !prev_state, next, 0);
}

void kutrace_direct_switch_filtered(bool preempt, unsigned long prev_state,
				    struct task_struct *next)
{
	put_switch(preempt, !prev_state, next, kutrace_filter_switch(next));
}

void kutrace_direct_wakeup(struct task_struct *task)
{
	kutrace_put(KUTRACE_RUNNABLE, task->pid);
}

void kutrace_direct_task(enum kutrace_task_event what, struct task_struct *task, const char *name)
{
	if (what == KUTRACE_TASK_EXIT)
		return put_last_name(task);
	put_name(task, name);
	if (what == KUTRACE_TASK_FORK)
		put_task(task, shares_memory(current, task));
}

/* The index of an idle state by its hint, plus 1; 0 if none has it. */
static u32 idle_state_of(u32 hint)
{
	u32 i;

	for (i = 0; hint != KUTRACE_HINT_HALT && i < KUTRACE_CONFIG_IDLE_STATES; i++)
		if (kutrace_settings.idle_hint[i] == hint)
			return i + 1;
	return 0;
}

/*
 * RCU does not wait for these two. With interrupts off they are over when the interrupt comes that
 * ends a block or the recording here; they are off before idle, but not always after it.
 */
void kutrace_direct_idle_enter(u32 hint)
{
	kutrace_put(KUTRACE_MWAIT, idle_state_of(hint) << KUTRACE_IDLE_STATE_SHIFT | (u16)hint);
}

void kutrace_direct_idle_exit(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	kutrace_put(KUTRACE_MONITOR_EXIT, 0);
	raw_local_irq_restore(flags);
}

#endif

static __always_inline void on_idle(void *data, unsigned int state, unsigned int cpu)
{
	u16 hint;

	if (state == PWR_EVENT_EXIT) {
		kutrace_put(KUTRACE_MONITOR_EXIT, KUTRACE_IDLE_EXIT);
		return;
	}
	hint = kutrace_settings.idle_hint[state % KUTRACE_CONFIG_IDLE_STATES];
	kutrace_put(KUTRACE_MWAIT, (state + 1) << KUTRACE_IDLE_STATE_SHIFT | hint);
}

KUTRACE_PROBE(on_idle, (unsigned int state, unsigned int cpu), (state, cpu))

/*
 * An entry speaks of the CPU whose block it stands in, so a change made from afar is only counted.
 */
static __always_inline void on_frequency(void *data, unsigned int khz, unsigned int cpu)
{
	if (cpu == raw_smp_processor_id())
		kutrace_put(KUTRACE_FREQUENCY_NOTICE, khz / 1000);
	else
		atomic64_inc(&kutrace_misses.foreign_frequency);
}

KUTRACE_PROBE(on_frequency, (unsigned int khz, unsigned int cpu), (khz, cpu))

#define probe_on_any_switch                                                                   \
	KUTRACE_CHOOSE_PROBE(sched_switch, on_switch, on_switch_without_state)
#define probe_on_any_switch_filtered                                                          \
	KUTRACE_CHOOSE_PROBE(sched_switch, on_switch_filtered, on_switch_without_state_filtered)
#define probe_on_any_exit                                                                     \
	KUTRACE_CHOOSE_PROBE(sched_process_exit, on_exit, on_exit_without_last)
#define probe_on_any_new_task                                                                 \
	KUTRACE_CHOOSE_PROBE(task_newtask, on_new_task, on_new_task_with_long)

static struct kutrace_hook hooks[] = {
	{ .name = "sched_switch", .probe = KUTRACE_PROBE_OF(on_any_switch),
	  .filtered = KUTRACE_PROBE_OF(on_any_switch_filtered), .group = KUTRACE_GROUP_SCHED,
	  .point = KUTRACE_POINT_SCHED, .flag_off = KUTRACE_CONFIG_STACKS | KUTRACE_CONFIG_OWNERS },
	{ .name = "sched_waking", .probe = KUTRACE_PROBE_OF(on_wakeup),
	  .group = KUTRACE_GROUP_WAKEUPS, .point = KUTRACE_POINT_WAKEUP,
	  .flag_off = KUTRACE_CONFIG_OWNERS },
	{ .name = "sched_wakeup_new", .probe = KUTRACE_PROBE_OF(on_wakeup),
	  .group = KUTRACE_GROUP_WAKEUPS, .point = KUTRACE_POINT_WAKEUP,
	  .flag_off = KUTRACE_CONFIG_OWNERS },
	KUTRACE_HOOK(sched_process_fork, 0, KUTRACE_POINT_TASK, on_fork),
	KUTRACE_HOOK(task_newtask, 0, KUTRACE_POINTS, on_any_new_task),
	KUTRACE_HOOK(sched_process_exec, 0, KUTRACE_POINT_TASK, on_exec),
	KUTRACE_HOOK(sched_process_exec, 0, KUTRACE_POINTS, on_renumber),
	KUTRACE_HOOK(sched_process_exit, 0, KUTRACE_POINT_TASK, on_any_exit),
	KUTRACE_HOOK(task_rename, 0, KUTRACE_POINT_TASK, on_rename),
	KUTRACE_HOOK(cpu_idle, KUTRACE_GROUP_POWER, KUTRACE_POINT_IDLE, on_idle),
	KUTRACE_HOOK(cpu_frequency, KUTRACE_GROUP_POWER, KUTRACE_POINTS, on_frequency),
};

const struct kutrace_hook_table kutrace_task_hooks = { hooks, ARRAY_SIZE(hooks) };

static void __maybe_unused check_probes(void)
{
	KUTRACE_CHECK_PROBE(sched_switch, on_any_switch);
	KUTRACE_CHECK_PROBE(sched_switch, on_any_switch_filtered);
	KUTRACE_CHECK_PROBE(sched_waking, on_wakeup);
	KUTRACE_CHECK_PROBE(sched_wakeup_new, on_wakeup);
	KUTRACE_CHECK_PROBE(sched_process_fork, on_fork);
	KUTRACE_CHECK_PROBE(task_newtask, on_any_new_task);
	KUTRACE_CHECK_PROBE(sched_process_exec, on_exec);
	KUTRACE_CHECK_PROBE(sched_process_exec, on_renumber);
	KUTRACE_CHECK_PROBE(sched_process_exit, on_any_exit);
	KUTRACE_CHECK_PROBE(task_rename, on_rename);
	KUTRACE_CHECK_PROBE(cpu_idle, on_idle);
	KUTRACE_CHECK_PROBE(cpu_frequency, on_frequency);
}
