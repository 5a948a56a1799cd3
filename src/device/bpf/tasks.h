/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Context switches, wakeups, and who is who: names and parents when they are born or renamed. */
#ifndef KUTRACE_DEVICE_TASKS_H
#define KUTRACE_DEVICE_TASKS_H

#include "claim.h"
#include "hook.h"

HOOK(sched_switch, u64 preempt, struct task_struct *prev, struct task_struct *next)
{
	int blocked = !preempt && prev->__state != 0;
	struct kutrace_cpu *st = this_cpu();
	u32 expected = st->running;

	/* Some virtual machines keep switches of their own threads from every tracer. */
	if (UNLIKELY(expected && expected != prev->pid + 1)) {
		filter_switch(st, prev);
		put(0x200, prev->pid | KUTRACE_SWITCH_UNSEEN | hidden_bit(st));
	}
	st->running = next->pid + 1;
	filter_switch(st, next);
	put(0x200, next->pid | hidden_bit(st) |
			   (blocked ? KUTRACE_SWITCH_BLOCKED : KUTRACE_SWITCH_RUNNABLE));
	return 0;
}

HOOK(sched_waking, struct task_struct *task)
{
	put(0x206, task->pid);
	return 0;
}

HOOK(sched_wakeup_new, struct task_struct *task)
{
	put(0x206, task->pid);
	return 0;
}

static __always_inline void put_task(const struct task_struct *task, int parent)
{
	u64 claimed = claim(KUTRACE_TASK_WORDS, 1);
	u64 pos = CLAIM_POS(claimed);

	if (!claimed)
		return;
	store(pos + 2, (u64)(u32)parent << 32 | (u32)task->tgid);
	store(pos + 1, task->flags & PF_KTHREAD ? KUTRACE_TASK_KERNEL_THREAD : 0);
	store(pos, entry_word(CLAIM_TIME(claimed), 0x13f, task->pid));
}

HOOK(sched_process_fork, struct task_struct *parent, struct task_struct *child)
{
	put_name(child->pid, comm_word(child, 0), comm_word(child, 8));
	put_task(child, child->real_parent->tgid);
	return 0;
}

HOOK(sched_process_exec, struct task_struct *task)
{
	put_name(task->pid, comm_word(task, 0), comm_word(task, 8));
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
