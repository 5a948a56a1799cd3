/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing an entry: a timestamp, one claim on this CPU's cursor, one 8-byte store.
 *
 * Contexts: preemption off; interrupts and NMIs may come at any point and write entries of their
 * own. So cursor, clock, then a compare-and-swap: if something came in between, the swap fails and
 * the entry takes a new time, and entries stand in time order. The swap is atomic for this CPU
 * alone: no other one writes here. `last` is stored after the swap, so an interrupt in between
 * finds it too old, never too new. A gap that is measured too long leads to the slow path, which
 * notices it (is_newest() in claim.c); one that is measured too short would go unnoticed.
 *
 * Whether recording is on is never asked: while it is off the cursor has no room, which leads to
 * the slow path. The direct calls of a patched kernel end in these functions, too.
 */
#ifndef KUTRACE_KMOD_PUT_H
#define KUTRACE_KMOD_PUT_H

#include "clock.h"
#include "cursor.h"

#define KUTRACE_BLOCK_MASK (KUTRACE_BLOCK_BYTES - 1UL)
#define KUTRACE_EVENT(event) ((u64)(event) << KUTRACE_EVENT_SHIFT)

static __always_inline u64 kutrace_word(u64 now, u64 event_arg)
{
	return now << KUTRACE_TIME_SHIFT | event_arg;
}

/* Moves *position behind the word there, if to claim that is all there is to do. */
static __always_inline bool kutrace_may_claim(u64 **position, u64 now)
{
	kutrace_assert_on_cpu();
	return likely(kutrace_step(position) && !kutrace_is_older(now, KUTRACE_TSDELTA_TICKS));
}

/* Claims the word before `position`. */
static __always_inline bool kutrace_claim_word(u64 *position, u64 now)
{
	if (unlikely(!kutrace_move_cursor(position - 1, position)))
		return false;
	kutrace_write(last, now);
	return true;
}

static __always_inline void kutrace_put_at(u64 *position, u64 now, u64 event_arg)
{
	if (likely(kutrace_may_claim(&position, now) && kutrace_claim_word(position, now)))
		WRITE_ONCE(position[-1], kutrace_word(now, event_arg));
	else
		kutrace_put_slow(event_arg);
}

static __always_inline void kutrace_put_word(u64 event_arg)
{
	u64 *position = kutrace_read(next);

	kutrace_put_at(position, kutrace_clock(), event_arg);
}

static __always_inline void kutrace_put(u32 event, u32 arg)
{
	kutrace_put_word(KUTRACE_EVENT(event) | arg);
}

/*
 * The entry of a system call, remembered in call_end until another entry or another thread follows:
 * so the return that finds it needs no proof whose it is. Code that leaves the block clears
 * call_end, for blocks come back to the same addresses (claim.c). So call_end is stored before the
 * claim: an interrupt after the claim may leave the block, and its clearing must be the later
 * store. Where the claim fails, the slow path clears it.
 */
static __always_inline bool kutrace_try_put_call(u64 top, const u16 *arg)
{
	u64 *position = kutrace_read(next);
	u64 now = kutrace_clock();

	if (unlikely(!kutrace_may_claim(&position, now)))
		return false;
	kutrace_write(call_end, position);
	if (unlikely(!kutrace_claim_word(position, now)))
		return false;
	WRITE_ONCE(position[-1], kutrace_with_low16(kutrace_with_time(top, now), arg));
	return true;
}

static __always_inline void kutrace_put_call(u64 event, const u16 *arg)
{
	u64 top = kutrace_call_top(event);

	if (unlikely(!kutrace_try_put_call(top, arg)))
		kutrace_put_slow(kutrace_without_time(top) | *arg);
}

/* From here on no return becomes part of the newest call: whoever returns next is not in it. */
static __always_inline void kutrace_forget_call(void)
{
	kutrace_write(call_end, KUTRACE_NO_CALL);
}

/* A return can be folded if it took at most 255 ticks and its result fits a signed byte. */
static __always_inline bool kutrace_can_fold(u64 delta, s64 result)
{
	return ((u64)(result + 128) | delta) <= KUTRACE_DELTA_MAX;
}

/*
 * Writes a return into its call, the last word before `end`. The time makes it valid, so it is
 * last, and not 0.
 */
static __always_inline void kutrace_fold(u64 *end, u64 delta, s64 result)
{
	WRITE_ONCE(((u8 *)end)[-6], (u8)result);
	barrier();
	WRITE_ONCE(((u8 *)end)[-5], (u8)delta);
}

/*
 * The return of a system call: true if it became part of its call, which is the newest entry; that
 * is asked last, so that the time is the call's, and an interrupt that comes later makes the store
 * late (kutrace_block_end()) but not wrong. Half of the time is enough: nothing else ran here since
 * the call began, and none has a CPU for itself for two minutes.
 */
static __always_inline bool kutrace_fold_call_of(u64 *call_end, u64 delta, s64 result)
{
	if (unlikely(!kutrace_is_cursor(call_end)) || !kutrace_can_fold(delta, result))
		return false;
	kutrace_fold(call_end, delta, result);
	return true;
}

/* What became of a return; a call of no tick has one, but that is for the caller to say. */
enum kutrace_folding { KUTRACE_FOLDED, KUTRACE_NOT_FOLDED, KUTRACE_AT_ONCE };

static __always_inline enum kutrace_folding kutrace_fold_call(s64 result)
{
	u64 *call_end = kutrace_read(call_end);
	u64 delta = kutrace_clock_low();

	if (unlikely(!kutrace_low_ticks_since_last(&delta)))
		return KUTRACE_AT_ONCE;
	return kutrace_fold_call_of(call_end, delta, result) ? KUTRACE_FOLDED : KUTRACE_NOT_FOLDED;
}

/* Any other return: its call is recognised by time and number, which only the newest entry has. */
static __always_inline void kutrace_put_return(u32 event, s64 result)
{
	u64 *position = kutrace_read(next);
	u64 last = kutrace_read(last);
	u64 now = kutrace_clock();

	if (kutrace_can_fold(now - last, result) && kutrace_read(folds) &&
	    kutrace_is_open(position)) {
		u64 call = kutrace_word(last, KUTRACE_EVENT(event & ~KUTRACE_RETURN_BIT));
		u64 newest = READ_ONCE(position[-1]);

		if (likely(newest >> KUTRACE_RESULT_SHIFT == call >> KUTRACE_RESULT_SHIFT) &&
		    kutrace_is_cursor(position)) {
			kutrace_fold(position, now - last + (now == last), result);
			return;
		}
	}
	kutrace_put_at(position, now, KUTRACE_EVENT(event) | (result & 0xffff));
}

#endif
