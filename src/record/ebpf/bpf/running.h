/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Who runs here. Context switches say so, but some virtual machines keep those of their own threads
 * from every tracer: such a thread is switched to before our eyes and away from behind our back. So
 * each program compares the thread that runs with the one that was switched to last, and states the
 * difference before its own entry. What stands behind the statement is thus the right thread's, and
 * what lies before it, from the last entry on, is what nobody saw.
 *
 * And whether a filter excludes this thread, and whose it is.
 */
#ifndef KUTRACE_DEVICE_RUNNING_H
#define KUTRACE_DEVICE_RUNNING_H

#include "filter.h"
#include "mark_buffers.h"
#include "owner.h"

/* Called where a thread begins to run on this CPU, or is found to. */
static __always_inline void runs_now(struct kutrace_cpu *st, const struct task_struct *next)
{
	WRITE(st->task, (u64)next);
	WRITE(st->running, next->pid + 1);
	if (UNLIKELY(READ(shared.buffers)))
		find_buffer(next->pid);
	if (settings.filter.flags)
		WRITE(st->hidden,
		      next->pid && !(next->flags & PF_KTHREAD) && !passes_filter(next));
	if (settings.owners)
		owned_by(st, user_of(next));
}

/* Says that this thread runs here, and whose it is. */
static __always_inline void put_running(struct kutrace_cpu *st, const struct task_struct *task, u32 how,
					u64 with_call)
{
	put_slow((u64)KUTRACE_USERPID << KUTRACE_EVENT_SHIFT | how | running_bits(st) | (u32)task->pid,
		 with_call);
}

/* Whether each block begins with who runs, and whose that is or whether it is left out. */
static __always_inline int blocks_tell_whose(void)
{
	return settings.filter.flags || settings.owners;
}

/*
 * The same, from the entry that was claimed (0: it was lost) on. A block that was begun for that entry begins
 * with the thread before, as it must: nothing of it is the next one's. One that an NMI begins between the claim
 * and here does so, too, where it is wrong, and is corrected.
 */
static __always_inline void runs_behind(struct kutrace_cpu *st, const struct task_struct *next,
					u64 claimed)
{
	u64 now;

	runs_now(st, next);
	now = READ(st->next);
	if (UNLIKELY(now & KUTRACE_WORD_MASK &&
		     (!claimed || (now ^ CLAIM_POS(claimed)) >> KUTRACE_WORD_BITS)))
		put_running(st, next, 0, 0);
}

static __always_inline void start_recording(struct kutrace_cpu *st)
{
	runs_now(st, bpf_get_current_task_btf());
	if (READ(st->next) == KUTRACE_STOPPED)
		WRITE(st->next, KUTRACE_NO_BLOCK);
	if (READ(st->next) == KUTRACE_NO_BLOCK)
		open_block(KUTRACE_NO_BLOCK, 1);
}

/*
 * The process that a thread's parent is of. To follow a pointer the verifier looks for its type by
 * name, in all types of the kernel, for each program again: a copy by helper is loaded faster.
 */
static __always_inline u32 parent_of(const struct task_struct *task)
{
	const struct task_struct *parent;
	u32 process = 0;

	if (!settings.may_read)
		return task->real_parent->tgid;
	if (!bpf_probe_read_kernel(&parent, sizeof(parent), &task->real_parent))
		bpf_probe_read_kernel(&process, sizeof(process), &parent->tgid);
	return process;
}

static __always_inline void put_task(const struct task_struct *task, u64 what, u64 with_call)
{
	u64 claimed = claim(KUTRACE_TASK_WORDS, with_call);
	u64 pos = CLAIM_POS(claimed);

	if (!claimed)
		return;
	store(pos + 2, (u64)parent_of(task) << 32 | (u32)task->tgid);
	store(pos + 1, what | (task->flags & PF_NO_USER_CODE ? KUTRACE_TASK_KERNEL_THREAD : 0));
	store(pos, entry_word(CLAIM_TIME(claimed), KUTRACE_TASK, task->pid));
}

/*
 * Corrects which thread runs, where another was believed to. It may be the same thread by another number: one
 * that is not the first of its process and starts a program (exec) gets that of the first.
 */
static __always_inline void state_difference(struct kutrace_cpu *st, const struct task_struct *task,
					     u32 before, u64 with_call)
{
	u64 same = READ(st->task) == (u64)task;

	runs_now(st, task);
	if (same) {
		put_task(task, (u64)before << 32 | KUTRACE_TASK_RENUMBERED, with_call);
		if (settings.owners) /* who has that number may be another than before */
			put_running(st, task, 0, with_call);
	} else {
		put_running(st, task, KUTRACE_SWITCH_UNSEEN, with_call);
	}
}

/* Before an entry: says who runs, if it is not who was believed to, and reads the marks in its buffer. */
__noinline u64 look_at_running(u64 with_call)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kutrace_cpu *st = this_cpu();
	u32 believed = (READ(st->running) & ~KUTRACE_BUFFERED) - 1;

	if (believed != task->pid)
		state_difference(st, task, believed, with_call);
	if (READ(st->running) & KUTRACE_BUFFERED)
		read_buffer(st, task->pid, with_call);
	return 0;
}

/*
 * This CPU's state, when the trace knows who runs on it, and what he has left in a buffer. with_call: as for
 * claim().
 */
static __always_inline struct kutrace_cpu *this_cpu_running(u64 with_call)
{
	struct kutrace_cpu *st = this_cpu();
	u32 running = READ(st->running);

	if (UNLIKELY(running && running != bpf_get_current_task_btf()->pid + 1))
		look_at_running(with_call);
	return st;
}

/*
 * The thread that runs may be in other hands than before: by a call of its own that is over, or since
 * one more user reads.
 */
__noinline u64 find_owner(u64 with_call)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kutrace_cpu *st = this_cpu();
	u32 before = READ(st->owner);

	owned_by(st, user_of(task));
	if (READ(st->owner) != before)
		put_running(st, task, 0, with_call);
	return 0;
}

/*
 * Before the return of a call: whether it has put the thread into other hands. Then what it made of
 * it is nothing for its user any more.
 */
__noinline u64 leave_owner(u64 with_call)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kutrace_cpu *st = this_cpu();

	if (user_of(task) == READ(st->user))
		return 0;
	if (READ(st->owner)) {
		owned_by(st, 0);
		put_running(st, task, 0, with_call);
	}
	return 1;
}

/*
 * The thread that runs may pass the filter now, or no more: by a call of its own that gave it another name, user
 * or group, or a new program. Whether it is left out from here on.
 */
__noinline u64 ask_filter(u64 with_call)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kutrace_cpu *st = this_cpu();
	u64 hidden = task->pid && !(task->flags & PF_KTHREAD) && !passes_filter(task);

	if (hidden != READ(st->hidden)) {
		WRITE(st->hidden, hidden);
		put_running(st, task, 0, with_call);
	}
	return hidden;
}

/* Whether a filter excludes what happens here now; without a filter nothing. */
static __always_inline int hidden_here(u64 with_call)
{
	return settings.filter.flags && READ(this_cpu_running(with_call)->hidden);
}

#endif
