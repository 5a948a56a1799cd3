/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Context switches, wakeups, and identities: names and parents of new and renamed threads. */
#ifndef KUTRACE_DEVICE_TASKS_H
#define KUTRACE_DEVICE_TASKS_H

#include "futex_wait.h"
#include "hook.h"
#include "put.h"

/* One that is switched away to return never, whose marks are read, has no buffer any more. */
static __always_inline void forget_buffer_of_dead(const struct kutrace_cpu *st,
						  const struct task_struct *prev)
{
	if (UNLIKELY(READ(st->running) & KUTRACE_BUFFERED) && prev->__state & TASK_DEAD)
		forget_buffer(prev->pid);
}

HOOK(sched_switch, u64 preempt, struct task_struct *prev, struct task_struct *next)
{
	int blocked = !preempt && prev->__state != 0;
	u32 how = blocked ? KUTRACE_SWITCH_BLOCKED : KUTRACE_SWITCH_RUNNABLE;
	struct kutrace_cpu *st = this_cpu_running(1); /* prev is still there */
	u64 claimed;

	look_at_sleeper(prev, blocked);
	forget_buffer_of_dead(st, prev);
	if (blocks_tell_whose()) {
		claimed = claim(1, 1);
		runs_behind(st, next, claimed);
		if (claimed)
			store(CLAIM_POS(claimed), entry_word(CLAIM_TIME(claimed), KUTRACE_USERPID,
							     next->pid | running_bits(st) | how));
		return 0;
	}
	runs_now(st, next);
	put_at(st, READ(st->next), READ(st->last), ticks(), KUTRACE_USERPID, next->pid | how, 1);
	return 0;
}

HOOK(sched_waking, struct task_struct *task)
{
	put(KUTRACE_RUNNABLE, task->pid | owner_bits_of(task));
	return 0;
}

HOOK(sched_wakeup_new, struct task_struct *task)
{
	put(KUTRACE_RUNNABLE, task->pid | owner_bits_of(task));
	return 0;
}

/* Which memory a thread has, to be compared only; 0: none. A copy by helper, for the same reason as in parent_of(). */
static __always_inline u64 memory_of(const struct task_struct *task)
{
	u64 memory = 0;

	if (!settings.may_read)
		return (u64)task->mm;
	bpf_probe_read_kernel(&memory, sizeof(memory), &task->mm);
	return memory;
}

/* Whether what a new thread has is a copy of its parent's, or, in the kernel, nothing. */
static __always_inline int has_own_memory(const struct task_struct *parent, const struct task_struct *child)
{
	u64 memory = memory_of(child);

	return !memory || memory != memory_of(parent);
}

/* Whether a new process and the one that made it have one memory: after vfork, until it starts a program. */
static __always_inline int shares_memory(const struct task_struct *parent, const struct task_struct *child)
{
	return !has_own_memory(parent, child) && child->tgid != parent->tgid;
}

/* What is needed later is asked for again, as older kernels have no room on the stack for it meanwhile. */
HOOK(sched_process_fork, struct task_struct *parent, struct task_struct *child)
{
	put_name(child->pid, comm_word(child, 0), comm_word(child, 8));
	put_task(child, shares_memory(parent, child) ? KUTRACE_TASK_SHARES_MEMORY : 0, 1);
	if (UNLIKELY(READ(shared.buffers)))
		inherit_buffer(parent->pid, child->pid, has_own_memory(parent, child),
			       shares_memory(parent, child) && variables_of(child) == variables_of(parent));
	return 0;
}

/* No sched_process_fork reports a thread that the kernel makes in a program's process. */
HOOK(task_newtask, struct task_struct *task, unsigned long clone_flags)
{
	if (task->flags & PF_WORKER) {
		put_name(task->pid, comm_word(task, 0), comm_word(task, 8));
		put_task(task, 0, 1);
	}
	return 0;
}

/* A process does not run before this is over. */
HOOK_AT(sched_process_fork, birth, struct task_struct *parent, struct task_struct *child)
{
	u8 *known = child->pid == child->tgid ? known_of(child->tgid) : 0;

	if (known)
		WRITE(*known, is_followed_by_children(parent) ? KUTRACE_PROCESS_FOLLOWED : 0);
	return 0;
}

HOOK(sched_process_exec, struct task_struct *task)
{
	struct kutrace_cpu *st = this_cpu();

	put_name(task->pid, comm_word(task, 0), comm_word(task, 8));
	if (UNLIKELY(READ(st->running) & KUTRACE_BUFFERED)) {
		forget_buffer(task->pid);
		WRITE(st->running, READ(st->running) & ~KUTRACE_BUFFERED);
	}
	return 0;
}

/* The new name is an argument that only a helper may read; a locked-down kernel refuses that. */
HOOK(task_rename, struct task_struct *task, const char *name)
{
	u64 comm[2] = {};

	if (bpf_probe_read_kernel_str(comm, sizeof(comm), name) > 0)
		put_name(task->pid, comm[0], comm[1]);
	return 0;
}

#endif
