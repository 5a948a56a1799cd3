// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slow path of writing: a new block, a long gap, an entry of several words, an interrupt that
 * came in between; and the first and the last entry of a CPU.
 *
 * Everything here may run in any context, NMIs included, on the CPU whose state it changes. Only
 * kutrace_cpu_take_held() may run on another one. Changes of the cursor are compare-and-swaps that
 * are atomic for this CPU: where one fails, an interrupt came in between and has moved the cursor.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/syscall.h>

#include "events.h"
#include "put.h"

/*
 * The time of the newest entry. Where entries are counted, the one that the fast path looks at is
 * 0, so that every entry seems late and comes here; and no return finds its call.
 */
static u64 newest_time(const struct kutrace_cpu *st)
{
	return READ_ONCE(*(READ_ONCE(st->counts) ? &st->last_counted : &st->last));
}

static void set_newest_time(struct kutrace_cpu *st, u64 now)
{
	WRITE_ONCE(*(READ_ONCE(st->counts) ? &st->last_counted : &st->last), now);
}

static u64 *store_running(u64 *at, u64 now)
{
	u32 hidden = kutrace_is_hidden() ? KUTRACE_SWITCH_HIDDEN : 0;
	u32 runs = kutrace_settings.owners ? kutrace_read(runs) : (u32)current->pid | hidden;

	*at++ = kutrace_word(now, KUTRACE_EVENT(KUTRACE_USERPID) | runs);
	return at;
}

static u32 call_event(int nr, const struct pt_regs *regs)
{
	return kutrace_syscall_event(nr, kutrace_is_compat(regs));
}

/*
 * In an NMI in the middle of a switch it is the next one that is said to run, and its call is not
 * known.
 */
static bool is_between_threads(void)
{
	return kutrace_settings.owners &&
	       (kutrace_read(runs) & KUTRACE_OWNER_PID_MASK) != (u32)current->pid;
}

/* Events of system calls that are under way, as their entry would have them. */
static u64 *store_state(u64 *at, u64 now, bool with_call)
{
	struct pt_regs *regs;
	int nr;

	at = store_running(at, now);
	if (kutrace_is_hidden() || is_between_threads() || !with_call ||
	    (current->flags & KUTRACE_NO_USER_CODE) || !current->pid)
		return at;
	regs = task_pt_regs(current);
	nr = syscall_get_nr(current, regs);
	if (nr >= 0)
		*at++ = kutrace_word(now, KUTRACE_EVENT(call_event(nr, regs)) |
					  (u16)kutrace_first_argument(regs));
	return at;
}

static u64 *store_loss(u64 *at, u64 now, u64 begin, bool offline, u64 lost)
{
	u32 reason = offline ? KUTRACE_LOSS_OFFLINE : KUTRACE_LOSS_BUFFER_FULL;
	u32 arg = reason << KUTRACE_LOSS_REASON_SHIFT | raw_smp_processor_id();

	*at++ = kutrace_word(now, KUTRACE_EVENT(KUTRACE_LOSS) | arg);
	*at++ = begin;
	*at++ = now;
	*at++ = offline ? KUTRACE_LOSS_UNKNOWN_COUNT : lost;
	return at;
}

static u64 *store_header(u64 *words, u64 now, u64 sequence)
{
	u32 cpu = raw_smp_processor_id();

	words[0] = (u64)(cpu & 255) << KUTRACE_TOP_BYTE_SHIFT | now;
	words[2] = (u32)current->pid;
	words[3] = cpu >> 8;
	memcpy(&words[4], current->comm, KUTRACE_COMM_BYTES);
	words[6] = kutrace_word(now, KUTRACE_EVENT(KUTRACE_BLOCK) | cpu);
	words[7] = sequence;
	return words + 8;
}

/* ---- from block to block --------------------------------------------------------------------- */

/*
 * Raises a value of this CPU; never lowers it. An interrupt may leave this block and later ones
 * before the code that it interrupted comes to note the first: the notes of the later ones stay.
 */
static void advance(u64 *at, u64 to)
{
	u64 from;

	while ((from = READ_ONCE(*at)) < to)
		if (cmpxchg_local(at, from, to) == from)
			return;
}

/*
 * Before the block at this position is left: notes its number, and the losses that its header tells
 * of, so that no later header tells of them again. If the block is then not left, or was left
 * meanwhile by an interrupt, the note is still right.
 */
static void settle(struct kutrace_cpu *st, const u64 *position)
{
	const struct kutrace_block *block = kutrace_buffer_block(position);

	advance(&st->sequence, block->sequence + 1);
	advance(&st->told, block->lost);
	advance(&st->lost_begin, block->began);
}

/*
 * Between leaving a block and kutrace_block_end(). No return may be folded into the block any more:
 * it may be opened again at the same address while the call that call_end stands for, or one that
 * was lost since, is under way.
 */
static void forget_call(struct kutrace_cpu *st)
{
	WRITE_ONCE(st->call_end, KUTRACE_NO_CALL);
}

/*
 * Leaves this CPU without an open block; with `stop` it does not record any more. Returns the end
 * of the block that was open, or NULL if none was.
 */
static u64 *leave_block(struct kutrace_cpu *st, bool stop)
{
	for (;;) {
		u64 *end = READ_ONCE(st->next);
		u64 *to;

		if (end == KUTRACE_STOPPED || (!stop && !kutrace_is_open(end)))
			return NULL;
		if (kutrace_is_open(end))
			settle(st, end);
		to = stop ? KUTRACE_STOPPED : kutrace_no_block(READ_ONCE(st->sequence));
		if (cmpxchg_local(&st->next, end, to) != end)
			continue;
		forget_call(st);
		return kutrace_is_open(end) ? end : NULL;
	}
}

static void count_lost(struct kutrace_cpu *st, u64 now)
{
	if (local_inc_return(&st->lost) == READ_ONCE(st->told) + 1)
		WRITE_ONCE(st->lost_begin, now);
	atomic64_inc(&kutrace_buffer.lost);
}

/*
 * An entry for which there is no block; false if there may be one by now. The rest of the old block
 * stays empty, so that the loss has a clean begin.
 */
static bool lose(struct kutrace_cpu *st, u64 *old, u64 now)
{
	if (kutrace_is_open(old)) {
		settle(st, old);
		if (cmpxchg_local(&st->next, old,
				  kutrace_no_block(READ_ONCE(st->sequence))) != old)
			return false;
		forget_call(st);
		kutrace_block_end(old);
	} else if (READ_ONCE(st->next) != old) {
		return false;
	}
	count_lost(st, now);
	return true;
}

/*
 * Opens a block in place of the position `old`. Its first entries are its sequence number, what was
 * lost before it, and, when it is the first or follows a loss, what runs now. False if there is
 * none to open. True if this opened one, or if the cursor is not `old` any more: then an interrupt
 * opened one or ended the recording here, and this block is given back.
 */
static bool open_block(struct kutrace_cpu *st, u64 *old, bool with_call)
{
	struct kutrace_block *block = kutrace_block_open();
	bool offline;
	u64 now, sequence, lost, untold, lost_begin;
	u64 *at;

	if (!block)
		return false;
	if (kutrace_is_open(old))
		settle(st, old);
	offline = READ_ONCE(st->offline);
	sequence = READ_ONCE(st->sequence);
	lost = local_read(&st->lost);
	untold = lost - READ_ONCE(st->told);
	lost_begin = READ_ONCE(st->lost_begin);
	now = kutrace_clock(); /* after the losses were read: they end before the block begins */
	WRITE_ONCE(block->cpu, raw_smp_processor_id());
	block->sequence = sequence;
	WRITE_ONCE(block->lost, lost); /* kutrace_get_cpu_status() looks */
	block->began = now;
	at = store_header(block->words, now, sequence);
	if (untold || offline)
		at = store_loss(at, now, lost_begin, offline, untold);
	if (untold || offline || !sequence)
		at = store_state(at, now, with_call);
	/* So that no block relies on the one before. */
	else if (kutrace_filters() || kutrace_settings.owners)
		at = store_running(at, now);
	if (cmpxchg_local(&st->next, old, at) != old) {
		kutrace_block_give_back(block, at);
		return true;
	}
	set_newest_time(st, now);
	forget_call(st);
	if (offline)
		WRITE_ONCE(st->offline, false);
	if (kutrace_is_open(old))
		kutrace_block_end(old);
	return true;
}

/* ---- claims ---------------------------------------------------------------------------------- */

/* A system call's entry says itself which call is under way. */
static bool is_call_entry(u64 event_arg)
{
	u32 event = event_arg >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;

	return event >= KUTRACE_SYSCALL64 && !(event & KUTRACE_RETURN_BIT);
}

static bool fits(const u64 *position, unsigned int words)
{
	unsigned long offset = (unsigned long)position & KUTRACE_BLOCK_MASK;

	return offset + 8UL * words <= KUTRACE_BLOCK_MASK - 7;
}

/*
 * Whether a long gap can be measured from `last`: it is the time of the newest entry, unless one
 * that came in between was overtaken in `last` by the one it interrupted, or is not stored yet.
 */
static bool is_newest(const u64 *position, u64 last)
{
	return READ_ONCE(position[-1]) >> KUTRACE_TIME_SHIFT == (last & KUTRACE_TIME_MASK);
}

/*
 * Outside of interrupts, finishes the blocks that ended in some: before this CPU ends another one,
 * so that readers find its blocks in order.
 */
static void finish_held(struct kutrace_cpu *st)
{
	if (unlikely(READ_ONCE(st->held)) && !in_interrupt())
		kutrace_blocks_finish(xchg(&st->held, NULL));
}

/*
 * Claims words in whatever block has room. NULL if the entry is lost, which is then counted, or if
 * nothing records. Where an interrupt moved the cursor in between, it is tried again; each time the
 * interrupt has written something.
 */
static u64 *claim(unsigned int words, bool with_call, u64 *now)
{
	struct kutrace_cpu *st = this_cpu_ptr(&kutrace_cpu);

	kutrace_assert_on_cpu();
	finish_held(st);
	for (;;) {
		u64 *position = READ_ONCE(st->next);
		u64 last, gap, extra;

		if (position == KUTRACE_STOPPED)
			return NULL;
		last = newest_time(st);
		*now = kutrace_clock();
		gap = *now - last;
		extra = (s64)gap > KUTRACE_TSDELTA_TICKS;
		if (!fits(position, words + extra) || (s64)gap > KUTRACE_TSDELTA_MAX ||
		    (extra && !is_newest(position, last))) {
			if (!open_block(st, position, with_call) && lose(st, position, *now))
				return NULL;
			continue;
		}
		if (cmpxchg_local(&st->next, position, position + words + extra) != position)
			continue;
		/*
		 * After the claim: an interrupt that comes between the two measures its gap from an
		 * older entry. is_newest() notices a gap that is too long, nothing one too short.
		 */
		set_newest_time(st, *now);
		if (!extra)
			return position;
		WRITE_ONCE(*position, kutrace_word(*now, KUTRACE_EVENT(KUTRACE_TSDELTA) | gap));
		return position + 1;
	}
}

u64 *kutrace_claim(unsigned int words, u64 *now)
{
	return claim(words, true, now);
}

/* For words of which the last is a system call's entry. */
u64 *kutrace_claim_call(unsigned int words, u64 *now)
{
	return claim(words, false, now);
}

void kutrace_put_slow(u64 event_arg)
{
	u64 now;
	u64 *position = claim(1, !is_call_entry(event_arg), &now);

	/*
	 * kutrace_try_put_call() stored call_end before its claim failed, so call_end may be in a
	 * block that was left.
	 */
	forget_call(this_cpu_ptr(&kutrace_cpu));
	if (!position)
		return;
	if (this_cpu_read(kutrace_cpu.counts))
		kutrace_count(position);
	WRITE_ONCE(*position, kutrace_word(now, event_arg));
}

/*
 * Opens this CPU's first block. Interrupts are off. The interrupt that brought us here began
 * unrecorded, so it gets its entry now.
 */
void kutrace_cpu_start(void)
{
	struct kutrace_cpu *st = this_cpu_ptr(&kutrace_cpu);
	u64 *none = kutrace_no_block(st->sequence);
	u64 *stopped = READ_ONCE(st->next);

	WRITE_ONCE(st->recorded, true);
	if (st->counts)
		kutrace_counters_start();
	if (stopped == KUTRACE_STOPPED && cmpxchg_local(&st->next, stopped, none) == stopped)
		open_block(st, none, true);
	if (in_hardirq())
		kutrace_put(KUTRACE_START_IRQ, 0);
}

/*
 * Takes the blocks that a CPU holds back, and puts them in front of `more`. Stores to them may be
 * under way, so the caller waits for a grace period before it finishes them.
 */
struct kutrace_block *kutrace_cpu_take_held(unsigned int cpu, struct kutrace_block *more)
{
	struct kutrace_block *held = xchg(&per_cpu_ptr(&kutrace_cpu, cpu)->held, NULL);

	while (held) {
		struct kutrace_block *block = held;

		held = block->next;
		block->next = more;
		more = block;
	}
	return more;
}

/* Begins another block, so that the one before can be read. Interrupts are off. */
void kutrace_cpu_flush(void)
{
	struct kutrace_cpu *st = this_cpu_ptr(&kutrace_cpu);
	u64 *end = leave_block(st, false);
	u64 *none = READ_ONCE(st->next);

	if (end)
		kutrace_block_end(end);
	if (end && !kutrace_is_open(none))
		open_block(st, none, true);
}

/*
 * Finishes this CPU's block. Interrupts are off. The cursor stays KUTRACE_STOPPED until
 * kutrace_cpu_start(): code that this interrupted finds its compare-and-swap fail.
 */
void kutrace_cpu_stop(bool offline)
{
	struct kutrace_cpu *st = this_cpu_ptr(&kutrace_cpu);
	u64 *end = leave_block(st, true);

	finish_held(st);
	if (end)
		kutrace_block_end(end);
	if (offline && local_read(&st->lost) == st->told)
		WRITE_ONCE(st->lost_begin, kutrace_clock());
	WRITE_ONCE(st->offline, offline);
}
