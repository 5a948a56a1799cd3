/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A thread that waits for a futex, when it goes to sleep: what the word holds then, which may name who
 * owns the lock. The program of switches calls this where locks are recorded, before it notes who runs
 * next. A program of its own, attached while others are, would run behind that one.
 */
#ifndef KUTRACE_DEVICE_FUTEX_WAIT_H
#define KUTRACE_DEVICE_FUTEX_WAIT_H

#include "put_point.h"
#include "syscalls.h"

/* `prev` sleeps, and is still the one that runs. */
static __noinline int put_futex_wait(struct task_struct *prev)
{
	u64 argument[KUTRACE_MAX_ARGUMENTS];
	struct pt_regs *regs;
	u32 word = 0;
	u64 readable;
	int compat;

	if (!prev->pid || (prev->flags & PF_NO_USER_CODE))
		return 0;
	regs = (struct pt_regs *)bpf_task_pt_regs(prev);
	compat = is_compat(regs);
	if (!is_futex(call_number(regs), compat))
		return 0;
	if (compat)
		compat_arguments(regs, argument);
	else
		call_arguments(regs, argument);
	readable = !bpf_probe_read_user(&word, sizeof(word), (void *)argument[0]);
	put_point(KUTRACE_FUTEX_WAIT, 3, argument[0], (u64)(u32)argument[2] << 32 | (u32)argument[1],
		  readable ? (s64)word : -1);
	return 0;
}

static __always_inline void look_at_sleeper(struct task_struct *prev, int blocked)
{
	if (UNLIKELY(READ(shared.futex_waits)) && blocked)
		put_futex_wait(prev);
}

#endif
