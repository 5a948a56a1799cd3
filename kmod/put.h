/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing an entry: a timestamp, one claim on this CPU's cursor, one 8-byte store.
 *
 * Contexts: preemption off; interrupts and NMIs may come at any point and write entries of their
 * own. So cursor, clock, then a compare-and-swap: if something came in between, the swap fails and
 * the entry takes a new time, and entries stand in time order. `last` is stored before the swap, so
 * that whoever comes after it measures its gap from this entry. The swap is atomic for this CPU
 * alone: no other one writes here.
 *
 * Whether recording is on is never asked: while it is off the cursor is NULL, which leads to
 * the slow path. The direct calls of a patched kernel end in these functions, too.
 */
#ifndef KUTRACE_KMOD_PUT_H
#define KUTRACE_KMOD_PUT_H

#include "kutrace.h"
#include "clock.h"

#define KUTRACE_BLOCK_MASK (KUTRACE_BLOCK_BYTES - 1UL)
#define KUTRACE_EVENT(event) ((u64)(event) << KUTRACE_EVENT_SHIFT)

/*
 * Room for one word: not NULL, and not the last word, which stays empty. Blocks are aligned to their
 * size.
 */
static __always_inline bool kutrace_has_room(const u64 *position)
{
	return (((unsigned long)position + 8) & KUTRACE_BLOCK_MASK) > 8;
}

static __always_inline u64 kutrace_word(u64 now, u64 event_arg)
{
	return now << KUTRACE_TIME_SHIFT | event_arg;
}

static __always_inline void kutrace_put_at(struct kutrace_cpu *st, u64 *position, u64 last, u64 now,
					   u64 event_arg)
{
	if (likely(kutrace_has_room(position) && now - last <= KUTRACE_TSDELTA_TICKS)) {
		WRITE_ONCE(st->last, now);
		if (likely(cmpxchg_local(&st->next, position, position + 1) == position)) {
			WRITE_ONCE(*position, kutrace_word(now, event_arg));
			return;
		}
	}
	kutrace_put_slow(event_arg);
}

static __always_inline void kutrace_put(u32 event, u32 arg)
{
	struct kutrace_cpu *st = this_cpu_ptr(&kutrace_cpu);
	u64 *position = READ_ONCE(st->next);
	u64 last = READ_ONCE(st->last);

	kutrace_put_at(st, position, last, kutrace_clock(), KUTRACE_EVENT(event) | arg);
}

/*
 * A return: becomes part of its call if that is the newest entry of this CPU, is less than fold_limit
 * old, and the result fits a signed byte. The call is recognised by its time and number, which
 * only the entry that set `last` has.
 */
static __always_inline void kutrace_put_return(u32 event, s64 result)
{
	struct kutrace_cpu *st = this_cpu_ptr(&kutrace_cpu);
	u64 *position = READ_ONCE(st->next);
	u64 last = READ_ONCE(st->last);
	u64 now = kutrace_clock();
	u64 delta = now - last;

	if (likely(delta < READ_ONCE(st->fold_limit) && (u64)(result + 128) < 256 && position)) {
		u64 call = (last & KUTRACE_TIME_MASK) << (KUTRACE_TIME_SHIFT - KUTRACE_RESULT_SHIFT) |
			   KUTRACE_EVENT(event & ~KUTRACE_RETURN_BIT) >> KUTRACE_RESULT_SHIFT;

		if (likely(READ_ONCE(position[-1]) >> KUTRACE_RESULT_SHIFT == call)) {
			u16 folded = (delta ? delta : 1) << 8 | (u8)result;

			WRITE_ONCE(((u16 *)(position - 1))[1], folded);
			return;
		}
	}
	kutrace_put_at(st, position, last, now, KUTRACE_EVENT(event) | (result & 0xffff));
}

#endif
