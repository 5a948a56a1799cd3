/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Writing entries: a timestamp, one atomic claim on this CPU's cursor, one 8-byte store.
 *
 * Contexts: everything here runs with this CPU held, but interrupts and NMIs may nest at any point
 * and write entries of their own. A claim therefore reads cursor, then clock, then claims by
 * compare-and-swap: if something nested in between, the claim fails and takes a new time, so that
 * entries stand in time order. `last` is stored before the swap, so that whoever nests afterwards
 * measures its gap from this entry.
 *
 * A block is finished, and seen by the recorder, possibly before an interrupted claim in it was
 * stored: the recorder waits until no word of it is zero where an entry must begin. Words of a
 * longer entry are stored last to first.
 *
 * Written for the verifiers of 5.15 and 6.1: loops around the swap unrolled by hand, masks last.
 */
#ifndef KUTRACE_DEVICE_CLAIM_H
#define KUTRACE_DEVICE_CLAIM_H

#include "registers.h"
#include "layout.h"

#include "kutrace/event_numbers.h"

#include <bpf/bpf_helpers.h>

#ifndef READ /* a test makes each access a step */
#define READ(x) (*(volatile typeof(x) *)&(x))
#define WRITE(x, v) (*(volatile typeof(x) *)&(x) = (v))
#endif

#define LATE_TICKS 0x10000u /* so late may a time in a block be */
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

struct kutrace_shared shared; /* alone in .bss */
const volatile struct kutrace_settings settings SEC(".rodata.settings") = {.merge = 1, .may_read = 1};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct kutrace_block);
} blocks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct kutrace_rings);
} rings SEC(".maps");

static __always_inline u64 ticks(void)
{
	return bpf_ktime_get_ns() >> KUTRACE_TICK_SHIFT;
}

static __always_inline struct kutrace_cpu *this_cpu(void)
{
	return &shared.cpus[bpf_get_smp_processor_id() & (KUTRACE_MAX_CPUS - 1)];
}

static __always_inline u64 entry_word(u64 now, u32 event, u32 arg)
{
	return now << KUTRACE_TIME_SHIFT | (u64)event << KUTRACE_EVENT_SHIFT | arg;
}

static __always_inline void store(u64 pos, u64 word)
{
	u32 index = pos >> KUTRACE_WORD_BITS;
	struct kutrace_block *block = bpf_map_lookup_elem(&blocks, &index);

	if (block)
		WRITE(block->word[pos & KUTRACE_WORD_MASK], word);
}

/* Finished at that position; at word 0 of it if it was opened in vain and holds nothing. */
static __always_inline void give_back(struct kutrace_cpu *st, u64 pos)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct kutrace_rings *ring = bpf_map_lookup_elem(&rings, &cpu);
	u32 slot = __sync_fetch_and_add(&st->full_tail, 1);

	if (ring)
		WRITE(ring->full[slot & (KUTRACE_RING - 1)],
		      (pos & KUTRACE_WORD_MASK) << 32 | ((pos >> KUTRACE_WORD_BITS) + 1));
}

/* A free block's index + 1, or 0. */
static __always_inline u32 take_free(struct kutrace_cpu *st)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct kutrace_rings *ring = bpf_map_lookup_elem(&rings, &cpu);
	u32 head, index;

	if (!ring)
		return 0;
#define TRY_TAKE                                                     \
	head = READ(st->free_head);                                  \
	if (head == READ(st->free_tail))                             \
		return 0;                                            \
	index = READ(ring->free[head & (KUTRACE_RING - 1)]);         \
	if (__sync_val_compare_and_swap(&st->free_head, head, head + 1) == head) \
		return index + 1;
	TRY_TAKE TRY_TAKE TRY_TAKE
#undef TRY_TAKE
	return 0;
}

/* Eight bytes of a thread's name, which may stand at any address. */
static __always_inline u64 comm_word(const struct task_struct *task, int first)
{
	return *(const u64 *)&task->comm[first];
}

/* Whether what happens here now is to be left out. */
static __always_inline int is_hidden(struct kutrace_cpu *st)
{
	return settings.filter.flags && READ(st->hidden);
}

/* What an entry holds about the next thread, beside its number. */
static __always_inline u32 running_bits(struct kutrace_cpu *st)
{
	return (is_hidden(st) ? KUTRACE_SWITCH_HIDDEN : 0) |
	       (settings.owners ? READ(st->owner) << KUTRACE_OWNER_SHIFT : 0);
}

/* Event of a system call's entry, by its number without the bit of x32. */
static __always_inline u32 syscall_event(u64 nr, int compat)
{
	return KUTRACE_CALL_EVENT((u32)nr, compat);
}

/*
 * Writes what the running task is and, if it is in one, its system call. Returns the next position.
 * A kernel entry that is not a system call leaves -1 as its number, so a task interrupted in user mode
 * has none.
 */
__noinline u64 store_state(u64 pos, u64 now, u64 with_call)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kutrace_cpu *st = this_cpu();
	struct pt_regs *regs;
	u64 first;
	int compat;

	store(pos++, entry_word(now, KUTRACE_USERPID, task->pid | running_bits(st)));
	if (is_hidden(st) || !with_call || (task->flags & PF_NO_USER_CODE) || !task->pid)
		return pos;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	compat = is_compat(regs);
	first = compat ? first_compat_argument(regs) : first_argument(regs);
	if (call_number(regs) >= 0)
		store(pos++, entry_word(now, syscall_event(call_number(regs), compat), first & 0xffff));
	return pos;
}

/* Says that entries from `begin` to now are missing. Returns the next position. */
__noinline u64 store_loss(u64 pos, u64 now, u64 reason, u64 begin, u64 entries)
{
	store(pos++, entry_word(now, KUTRACE_LOSS,
				reason << KUTRACE_LOSS_REASON_SHIFT | bpf_get_smp_processor_id()));
	store(pos++, begin);
	store(pos++, now);
	store(pos++, entries);
	return pos;
}

/*
 * Opens a block in place of position `old`. Its first entries are its sequence number, what was lost
 * before it, and, when it is the first or follows a loss, what is running now.
 * Returns 0 if there is none to open, or this CPU does not record; 1 if a block is open, by this call
 * or by one that nested in it.
 */
__noinline u64 open_block(u64 old, u64 with_call)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kutrace_cpu *st = this_cpu();
	u32 cpu = bpf_get_smp_processor_id();
	u64 now, first, pos, sequence, lost, offline;
	struct kutrace_block *block;
	u32 index;
	int anew;

	if (old == KUTRACE_STOPPED)
		return 0;
	index = take_free(st) - 1; /* of no block if there is none */
	block = bpf_map_lookup_elem(&blocks, &index);
	now = ticks();
	if (!block) {
		/* The rest of the old block stays empty, so that the loss has a clean begin. */
		if (old != KUTRACE_NO_BLOCK &&
		    __sync_val_compare_and_swap(&st->next, old, KUTRACE_NO_BLOCK) == old)
			give_back(st, old);
		if (!__sync_fetch_and_add(&st->lost, 1))
			WRITE(st->lost_begin, now);
		__sync_fetch_and_add(&st->lost_total, 1);
		return 0;
	}
	first = (u64)index << KUTRACE_WORD_BITS;
	sequence = READ(st->sequence);
	lost = READ(st->lost);
	offline = READ(st->offline_begin);
	WRITE(block->word[0], (u64)(cpu & 255) << KUTRACE_TOP_BYTE_SHIFT | now);
	WRITE(block->word[2], task->pid);
	WRITE(block->word[3], cpu >> 8);
	WRITE(block->word[4], comm_word(task, 0));
	WRITE(block->word[5], comm_word(task, 8));
	WRITE(block->word[6], entry_word(now, KUTRACE_BLOCK, cpu));
	WRITE(block->word[7], sequence);
	pos = first + 8;
	if (offline)
		pos = store_loss(pos, now, KUTRACE_LOSS_OFFLINE, offline,
			       KUTRACE_LOSS_UNKNOWN_COUNT);
	if (lost)
		pos = store_loss(pos, now, KUTRACE_LOSS_BUFFER_FULL, READ(st->lost_begin), lost);
	anew = lost || offline || !sequence;
	if (anew || settings.filter.flags || settings.owners) /* then no block relies on the one before */
		pos = store_state(pos, now, anew && with_call);
	WRITE(st->last, now);
	if (__sync_val_compare_and_swap(&st->next, old, pos) != old) {
		give_back(st, first);
		return 1;
	}
	WRITE(st->sequence, sequence + 1);
	WRITE(st->offline_begin, 0);
	if (lost)
		__sync_fetch_and_add(&st->lost, -lost);
	if (old != KUTRACE_NO_BLOCK)
		give_back(st, old);
	return 1;
}

#define CLAIM_LOST 0ull
#define CLAIM_AGAIN 1ull

/*
 * Whether a long gap can be measured from `last`: it is the time of the newest entry, unless one that
 * nested was overtaken in `last` by the one it interrupted, or is not stored yet.
 */
static __always_inline int is_newest(u64 pos, u64 last)
{
	u32 index = pos >> KUTRACE_WORD_BITS;
	struct kutrace_block *block = bpf_map_lookup_elem(&blocks, &index);

	return block && READ(block->word[(pos - 1) & KUTRACE_WORD_MASK]) >> KUTRACE_TIME_SHIFT ==
				(last & KUTRACE_TIME_MASK);
}

/* One try for n words: CLAIM_LOST, CLAIM_AGAIN, or position << 20 | time. */
__noinline u64 try_claim(u32 n, u64 with_call)
{
	struct kutrace_cpu *st = this_cpu();
	u64 pos = READ(st->next);
	u64 last = READ(st->last);
	u64 now = ticks();
	u64 offset = pos & KUTRACE_WORD_MASK;
	u64 gap = now - last;
	u32 extra = gap > KUTRACE_TSDELTA_TICKS && (s64)gap > 0;

	if (!offset || offset + n + extra > KUTRACE_WORD_MASK ||
	    (extra && (gap > KUTRACE_TSDELTA_MAX || !is_newest(pos, last))))
		return open_block(pos, with_call) ? CLAIM_AGAIN : CLAIM_LOST;
	if (!extra)
		WRITE(st->last, now);
	if (__sync_val_compare_and_swap(&st->next, pos, pos + n + extra) != pos)
		return CLAIM_AGAIN;
	if (extra) {
		WRITE(st->last, now); /* not before: who nests must see that the gap is open */
		store(pos, entry_word(now, KUTRACE_TSDELTA, gap));
		pos++;
	}
	return pos << KUTRACE_TIME_BITS | (now & KUTRACE_TIME_MASK);
}

/*
 * Claims n words in whatever block has room. Returns position << 20 | time, or 0 if the entry is
 * lost, which is then counted. with_call: a loss record may be followed by the current system call.
 */
__noinline u64 claim(u32 n, u64 with_call)
{
	struct kutrace_cpu *st = this_cpu();
	u64 got;

	if (n > KUTRACE_CLAIM_WORDS)
		return 0;
#define TRY_CLAIM                               \
	got = try_claim(n, with_call);          \
	if (got != CLAIM_AGAIN)                 \
		return got;
	TRY_CLAIM TRY_CLAIM TRY_CLAIM TRY_CLAIM
#undef TRY_CLAIM
	if (!__sync_fetch_and_add(&st->lost, 1))
		WRITE(st->lost_begin, ticks());
	__sync_fetch_and_add(&st->lost_total, 1);
	return 0;
}

#define CLAIM_POS(c) ((c) >> KUTRACE_TIME_BITS)
#define CLAIM_TIME(c) ((c) & KUTRACE_TIME_MASK)

/* The same word by the slow way: a new block, a long gap, a nested interrupt. */
__noinline u64 put_slow(u64 event_arg, u64 with_call)
{
	u64 claimed = claim(1, with_call);

	if (claimed)
		store(CLAIM_POS(claimed), CLAIM_TIME(claimed) << KUTRACE_TIME_SHIFT | event_arg);
	return 0;
}

/* Room for one word in the open block: neither none (word 0) nor only the last, unused one. */
static __always_inline int has_room(u64 pos)
{
	return ((pos + 1) & KUTRACE_WORD_MASK) > 1;
}

/* Writes an entry of this time, if to claim its place is all there is to do. */
static __always_inline int try_put_at(struct kutrace_cpu *st, u64 pos, u64 last, u64 now, u32 event,
				      u32 arg)
{
	if (!LIKELY(has_room(pos) && now - last <= KUTRACE_TSDELTA_TICKS))
		return 0;
	WRITE(st->last, now);
	if (!LIKELY(__sync_val_compare_and_swap(&st->next, pos, pos + 1) == pos))
		return 0;
	store(pos, entry_word(now, event, arg));
	return 1;
}

static __always_inline void put_at(struct kutrace_cpu *st, u64 pos, u64 last, u64 now, u32 event,
				   u32 arg, u64 with_call)
{
	if (!LIKELY(try_put_at(st, pos, last, now, event, arg)))
		put_slow((u64)event << KUTRACE_EVENT_SHIFT | arg, with_call);
}

#endif
