/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions to this CPU's cursor that the hot path asks: one instruction each on x86, where the
 * kernel's per-CPU operations would take two; elsewhere made of those.
 */
#ifndef KUTRACE_KMOD_CURSOR_H
#define KUTRACE_KMOD_CURSOR_H

#include "kutrace.h"

#if defined(CONFIG_X86_64)

/* Ticks between the newest entry and now. */
static __always_inline u64 kutrace_ticks_since_last(u64 now)
{
	asm volatile("subq " __percpu_arg(1) ", %0" : "+r" (now) : "m" (KUTRACE_THIS_CPU(kutrace_cpu.last)) : "cc");
	return now;
}

/* The same of low halves. */
static __always_inline u64 kutrace_low_ticks_since_last(u64 now)
{
	asm volatile("subl " __percpu_arg(1) ", %k0"
		     : "+r" (now) : "m" (KUTRACE_THIS_CPU(kutrace_cpu.last)) : "cc");
	return now;
}

static __always_inline bool kutrace_is_call_end(const u64 *position)
{
	bool same;

	asm volatile("cmpq " __percpu_arg(2) ", %1"
		     : "=@cce" (same) : "r" (position), "m" (KUTRACE_THIS_CPU(kutrace_cpu.call_end)));
	return same;
}

/* Moves the cursor if it still stands at `from`. Atomic for this CPU alone. */
static __always_inline bool kutrace_move_cursor(u64 *from, u64 *to)
{
	bool moved;

	asm volatile("cmpxchgq %3, " __percpu_arg(1)
		     : "=@ccz" (moved), "+m" (KUTRACE_THIS_CPU(kutrace_cpu.next)), "+a" (from)
		     : "r" (to) : "memory");
	return moved;
}

#else

static __always_inline u64 kutrace_ticks_since_last(u64 now)
{
	return now - this_cpu_read(kutrace_cpu.last);
}

static __always_inline u64 kutrace_low_ticks_since_last(u64 now)
{
	return (u32)(now - this_cpu_read(kutrace_cpu.last));
}

static __always_inline bool kutrace_is_call_end(const u64 *position)
{
	return position == this_cpu_read(kutrace_cpu.call_end);
}

static __always_inline bool kutrace_move_cursor(u64 *from, u64 *to)
{
	return this_cpu_cmpxchg(kutrace_cpu.next, from, to) == from;
}

#endif

#endif
