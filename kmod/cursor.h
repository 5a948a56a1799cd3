/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions to this CPU's cursor that the hot path asks: one instruction each on x86, where the
 * kernel's per-CPU operations would take two. On arm64 the state is found once, and a move is
 * exclusive, not atomic; elsewhere, as in simulations, all is made of the kernel's operations.
 */
#ifndef KUTRACE_KMOD_CURSOR_H
#define KUTRACE_KMOD_CURSOR_H

#include <linux/compiler.h>
#ifdef __aarch64__
#include <asm/alternative.h>
#include <asm/cpucaps.h>
#include <asm/stack_pointer.h>
#endif

#include "kutrace.h"

#if defined(CONFIG_X86_64)

#define kutrace_read(field) this_cpu_read(kutrace_cpu.field)
#define kutrace_write(field, value) this_cpu_write(kutrace_cpu.field, value)

#else

#ifdef __aarch64__
/*
 * This CPU's state: as raw_cpu_ptr(), without a look at whether preemption is off, which it is. As
 * the kernel does it, the asm claims to read the stack: so it stays behind the barrier() with which
 * preemption went off, and before the one with which it comes back.
 */
static __always_inline struct kutrace_cpu *kutrace_here(void)
{
	unsigned long offset;

	asm(ALTERNATIVE("mrs %0, tpidr_el1", "mrs %0, tpidr_el2", ARM64_HAS_VIRT_HOST_EXTN)
	    : "=r" (offset)
	    : "Q" (*(const unsigned long *)current_stack_pointer));
	return SHIFT_PERCPU_PTR(&kutrace_cpu, offset);
}
#else
#define kutrace_here() raw_cpu_ptr(&kutrace_cpu)
#endif

#define kutrace_read(field) READ_ONCE(kutrace_here()->field)
#define kutrace_write(field, value) WRITE_ONCE(kutrace_here()->field, value)

#endif

#if defined(CONFIG_X86_64)

/* Whether the newest entry is older than that. */
static __always_inline bool kutrace_is_older(u64 now, u64 ticks)
{
	bool older;

	asm volatile("cmpq " __percpu_arg(2) ", %1"
		     : "=@cca" (older)
		     : "r" (now - ticks), "m" (KUTRACE_THIS_CPU(kutrace_cpu.last)));
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
 * A call's event until its time is known: at the top of a word, from where one shift brings both
 * into place. Hidden, or the compiler keeps the event beside it.
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

#ifdef __aarch64__
/*
 * An interrupt that came in between leaves nothing exclusive, nor does any other exception. A store
 * that fails for no reason leads to the slow path, which tries again.
 */
static __always_inline bool kutrace_move_cursor(u64 *from, u64 *to)
{
	u64 **next = &kutrace_here()->next;
	unsigned long differs;

	asm volatile("ldxr %0, %1\n\t"
		     "eor %0, %0, %2\n\t"
		     "cbnz %0, 1f\n\t"
		     "stxr %w0, %3, %1\n"
		     "1:"
		     : "=&r" (differs), "+Q" (*next)
		     : "r" (from), "r" (to) : "memory");
	return !differs;
}
#else
static __always_inline bool kutrace_move_cursor(u64 *from, u64 *to)
{
	return cmpxchg_local(&kutrace_here()->next, from, to) == from;
}
#endif

#endif

#endif
