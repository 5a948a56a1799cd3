/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions to this CPU's cursor that the hot path asks: one instruction each on x86, where the
 * kernel's per-CPU operations would take two; elsewhere made of those.
 */
#ifndef KUTRACE_KMOD_CURSOR_H
#define KUTRACE_KMOD_CURSOR_H

#include <linux/compiler.h>

#include "kutrace.h"

/*
 * A field of this CPU's state. Preemption is off, so where the kernel's operations switch it off and on again
 * they are not needed.
 */
#if defined(CONFIG_X86_64)
#define kutrace_read(field) this_cpu_read(kutrace_cpu.field)
#define kutrace_write(field, value) this_cpu_write(kutrace_cpu.field, value)
#else
#define kutrace_read(field) READ_ONCE(raw_cpu_ptr(&kutrace_cpu)->field)
#define kutrace_write(field, value) WRITE_ONCE(raw_cpu_ptr(&kutrace_cpu)->field, value)
#endif

#if defined(CONFIG_X86_64)

/* Whether the newest entry is older than that. */
static __always_inline bool kutrace_is_older(u64 now, u64 ticks)
{
	bool older;

	asm volatile("cmpq " __percpu_arg(2) ", %1"
		     : "=@cca" (older) : "r" (now - ticks), "m" (KUTRACE_THIS_CPU(kutrace_cpu.last)));
	return older;
}

/* Ticks between the newest entry and now, of low halves; false if there are none. */
static __always_inline bool kutrace_low_ticks_since_last(u64 *now)
{
	bool none;

	asm volatile("subl " __percpu_arg(2) ", %k1"
		     : "=@ccz" (none), "+r" (*now) : "m" (KUTRACE_THIS_CPU(kutrace_cpu.last)));
	return !none;
}

static __always_inline bool kutrace_is_cursor(const u64 *position)
{
	bool same;

	asm volatile("cmpq " __percpu_arg(2) ", %1"
		     : "=@cce" (same) : "r" (position), "m" (KUTRACE_THIS_CPU(kutrace_cpu.next)));
	return same;
}

/* Moves a position by a word; false at the last word of a block, which stays empty. */
static __always_inline bool kutrace_step(u64 **position)
{
	bool full;

	asm("addw $8, %w1" : "=@ccc" (full), "+r" (*position));
	return !full;
}

/*
 * A call's event until its time is known: at the top of a word, from where one shift brings both into
 * place. Hidden, or the compiler keeps the event beside it.
 */
static __always_inline u64 kutrace_call_top(u64 event)
{
	u64 top = event << (64 - KUTRACE_TIME_SHIFT + KUTRACE_EVENT_SHIFT);

	OPTIMIZER_HIDE_VAR(top);
	return top;
}

static __always_inline u64 kutrace_with_time(u64 top, u64 now)
{
	asm("shrdq %2, %1, %0" : "+r" (top) : "r" (now), "i" (64 - KUTRACE_TIME_SHIFT) : "cc");
	return top;
}

static __always_inline u64 kutrace_without_time(u64 top)
{
	return top >> (64 - KUTRACE_TIME_SHIFT);
}

/* The low 16 bits of a word in which they are 0. */
static __always_inline u64 kutrace_with_low16(u64 word, const u16 *low)
{
	asm("movw %1, %w0" : "+r" (word) : "m" (*low));
	return word;
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

static __always_inline bool kutrace_is_older(u64 now, u64 ticks)
{
	return now - ticks > kutrace_read(last);
}

static __always_inline bool kutrace_low_ticks_since_last(u64 *now)
{
	*now = (u32)(*now - kutrace_read(last));
	return *now;
}

static __always_inline bool kutrace_is_cursor(const u64 *position)
{
	return position == kutrace_read(next);
}

static __always_inline bool kutrace_step(u64 **position)
{
	++*position;
	return (unsigned long)*position & (KUTRACE_BLOCK_BYTES - 1);
}

/* Such a shift is no gain here. */
static __always_inline u64 kutrace_call_top(u64 event)
{
	return event << KUTRACE_EVENT_SHIFT;
}

static __always_inline u64 kutrace_with_time(u64 top, u64 now)
{
	return now << KUTRACE_TIME_SHIFT | top;
}

static __always_inline u64 kutrace_without_time(u64 top)
{
	return top;
}

static __always_inline u64 kutrace_with_low16(u64 word, const u16 *low)
{
	return word | *low;
}

static __always_inline bool kutrace_move_cursor(u64 *from, u64 *to)
{
	return cmpxchg_local(&raw_cpu_ptr(&kutrace_cpu)->next, from, to) == from;
}

#endif

#endif
