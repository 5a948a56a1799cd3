/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Writing one entry of what the running thread does, or of what interrupts it. */
#ifndef KUTRACE_DEVICE_PUT_H
#define KUTRACE_DEVICE_PUT_H

#include "running.h"

static __always_inline void put(u32 event, u32 arg)
{
	struct kutrace_cpu *st = this_cpu_running(1);
	u64 pos = READ(st->next);
	u64 last = READ(st->last);

	put_at(st, pos, last, ticks(), event, arg, 1);
}

/* The same for an entry that is itself a system call's entry. */
static __always_inline void put_call(u32 event, u32 arg)
{
	struct kutrace_cpu *st = this_cpu_running(0);
	u64 pos = READ(st->next);
	u64 last = READ(st->last);

	put_at(st, pos, last, ticks(), event, arg, 0);
}

/*
 * Writes a return into its call if that is the newest entry of this CPU, at most 255 ticks old, and
 * the result fits a signed byte. The call is recognised by its time and event, which only the entry
 * that set `last` has. Its block may be finished before the store, by an interrupt: `folding` tells
 * the recorder to wait.
 */
static __always_inline int fold_return(struct kutrace_cpu *st, u64 pos, u64 last, u64 delta, u32 event,
				       s64 result)
{
	u32 index = pos >> KUTRACE_WORD_BITS;
	u64 call = (last & KUTRACE_TIME_MASK) << 28 | (u64)(event & ~KUTRACE_RETURN_BIT) << 16;
	struct kutrace_block *block;
	int folds = 0;

	if (delta > KUTRACE_DELTA_MAX || (u64)(result + 128) >= 256 || !has_room(pos))
		return 0;
	WRITE(st->folding, READ(st->folding) + 1);
	block = bpf_map_lookup_elem(&blocks, &index);
	if (block && READ(st->next) == pos) {
		uint64_t *word = &block->word[(pos - 1) & KUTRACE_WORD_MASK];

		folds = READ(*word) >> KUTRACE_RESULT_SHIFT == call;
		if (folds)
			WRITE(((u16 *)word)[1], (delta ? delta : 1) << 8 | (u8)result);
	}
	WRITE(st->folding, READ(st->folding) - 1);
	return folds;
}

/* Whether the entry of a return holds it: 16 bits, which a reader extends by their sign. */
static __always_inline int is_narrow(s64 result)
{
	return (u64)(result + 0x8000) < 0x10000;
}

/*
 * A call or return, and before it what its entry does not hold: `holds` says which of the call's number, its
 * argument and its result that is; `number` is of the latter two.
 */
static __always_inline void store_wide(u64 claimed, u32 event, u64 nr, u64 number, u64 holds)
{
	u64 pos = CLAIM_POS(claimed);

	store(pos + KUTRACE_WIDE_WORDS, entry_word(CLAIM_TIME(claimed), event, number & 0xffff));
	store(pos + 3, holds & KUTRACE_WIDE_RESULT ? number : 0);
	store(pos + 2, holds & KUTRACE_WIDE_ARGUMENT ? number : 0);
	store(pos + 1, nr);
	store(pos, entry_word(CLAIM_TIME(claimed), KUTRACE_WIDE, holds));
}

/* A return with a result that its entry does not hold, such as an address or a large size. */
__noinline u64 put_wide_return(u64 event, u64 result)
{
	u64 claimed = claim(KUTRACE_WIDE_WORDS + 1, 1);

	if (claimed)
		store_wide(claimed, event, 0, result, KUTRACE_WIDE_RESULT);
	return 0;
}

static __always_inline void put_return(u32 event, s64 result)
{
	struct kutrace_cpu *st = this_cpu_running(1);
	u64 pos = READ(st->next);
	u64 last = READ(st->last);
	u64 now = ticks();

	if (UNLIKELY(!is_narrow(result)))
		put_wide_return(event, result);
	else if (!settings.merge || !fold_return(st, pos, last, now - last, event, result))
		put_at(st, pos, last, now, event, result & 0xffff, 1);
}

/* Claims n words, as claim() does, for what the thread that runs here has to do with. */
static __always_inline u64 claim_here(u32 n)
{
	this_cpu_running(1);
	return claim(n, 1);
}

/* A name of a thread. */
static __always_inline void put_name(int pid, u64 comm0, u64 comm1)
{
	u64 claimed = claim_here(KUTRACE_PID_NAME_WORDS);
	u64 pos = CLAIM_POS(claimed);

	if (!claimed)
		return;
	store(pos + 2, comm1);
	store(pos + 1, comm0);
	store(pos, entry_word(CLAIM_TIME(claimed), KUTRACE_PID_NAME, pid));
}

#endif
