/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * System calls: entry, return, and the entries that programs insert with system call 1023, or by
 * writing to a descriptor that cannot be open.
 */
#ifndef KUTRACE_DEVICE_SYSCALLS_H
#define KUTRACE_DEVICE_SYSCALLS_H

#include "hook.h"
#include "put.h"
#include "kutrace/inserts.h"

static __always_inline void insert_one(u64 word)
{
	u32 event = word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;

	if (kutrace_is_program_point(event))
		put(event, word);
	else
		__sync_fetch_and_add(&shared.misses.inserts_refused, 1);
}

/* An entry of so many bytes, which may have more words than it says it has. */
static __always_inline void insert_entry(u64 address, u64 bytes)
{
	u64 name[KUTRACE_MAX_WORDS] = {};
	u64 claimed, pos;
	u32 event, words;

	if (bpf_probe_read_user(name, bytes, (void *)address)) {
		__sync_fetch_and_add(&shared.misses.inserts_unreadable, 1);
		return;
	}
	if (bytes == sizeof(name[0])) {
		insert_one(name[0]);
		return;
	}
	event = name[0] >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
	words = event >> KUTRACE_LENGTH_SHIFT & KUTRACE_LENGTH_MASK;
	if (!kutrace_is_program_name(event) || words < 2 || words > bytes / 8) {
		__sync_fetch_and_add(&shared.misses.inserts_refused, 1);
		return;
	}
	claimed = claim_here(words);
	if (!claimed)
		return;
	pos = CLAIM_POS(claimed);
#pragma clang loop unroll(full)
	for (u32 i = 1; i < KUTRACE_MAX_WORDS; i++)
		if (i < words)
			store(pos + i, name[i]);
	store(pos, CLAIM_TIME(claimed) << KUTRACE_TIME_SHIFT |
			   (name[0] & ((1ull << KUTRACE_TIME_SHIFT) - 1)));
}

/* What a program asks for with system call 1023. It is an insert, never a traced call. */
__noinline u64 user_insert(u64 command, u64 argument)
{
	if (command == KUTRACE_CMD_INSERT1 || command == ~KUTRACE_CMD_INSERT1)
		insert_one(argument);
	else if (command == KUTRACE_CMD_INSERTN || command == ~KUTRACE_CMD_INSERTN)
		insert_entry(argument, KUTRACE_INSERTN_BYTES);
	return 0;
}

/* The same by write: the entry itself where its address would be, an address and bytes, or a buffer. */
__noinline u64 written_insert(u64 descriptor, u64 buffer, u64 bytes)
{
	if (descriptor == KUTRACE_WORD_FD) {
		insert_one(buffer);
		return 0;
	}
	if (descriptor == KUTRACE_BUFFER_FD) {
		keep_buffer(buffer, bytes);
		this_cpu_running(0); /* reads it */
		return 0;
	}
	asm volatile("" : "+r"(bytes)); /* the verifier is to see this register compared */
	if (bytes > KUTRACE_INSERTN_BYTES || bytes & 7)
		__sync_fetch_and_add(&shared.misses.inserts_refused, 1);
	else
		insert_entry(buffer, bytes);
	return 0;
}

/* Whether the event of a call, whose number is given without the bit of x32, tells which call it is. */
static __always_inline int has_event(u64 nr, int compat)
{
	return compat || (s64)nr < 0 || nr < KUTRACE_CALLS;
}

/* A call, or its return, whose number stands before it, with the numbers that `holds` names. */
__noinline u64 put_numbered(u64 nr, u64 event, u64 number, u64 holds)
{
	const u64 with_call = !!(event & KUTRACE_RETURN_BIT);
	u64 claimed;

	this_cpu_running(with_call);
	claimed = claim(KUTRACE_WIDE_WORDS + 1, with_call);
	if (claimed)
		store_wide(claimed, event, nr, number, holds | KUTRACE_WIDE_NUMBER);
	return 0;
}

static __always_inline void put_odd_call(u64 nr, u64 first)
{
	if (has_event(nr, 0))
		put_call(syscall_event(nr, 0), first & 0xffff);
	else
		put_numbered(nr, KUTRACE_UNKNOWN_CALL, first, KUTRACE_WIDE_ARGUMENT);
}

static __always_inline void record_entry(const struct pt_regs *regs, u64 nr)
{
	const int compat = is_compat(regs);
	u32 first = first_argument(regs) & 0xffff;

	if (LIKELY(nr < KUTRACE_CALLS && !compat)) {
		if (LIKELY(!is_mark(regs, nr)))
			put_call(KUTRACE_FIRST_SYSCALL | nr, first);
		else
			written_insert(first_argument(regs), second_argument(regs),
				       third_argument(regs));
	}
	else if (compat)
		put_call(syscall_event(nr, 1), first_compat_argument(regs) & 0xffff);
	else if (nr == KUTRACE_SYSCALL)
		user_insert(first_argument(regs), second_argument(regs));
	else
		put_odd_call(nr & ~(u64)NR_X32_BIT, first_argument(regs));
}

HOOK(sys_enter, struct pt_regs *regs, long id)
{
	if (!hidden_here(0))
		record_entry(regs, id);
	return 0;
}

/* rt_sigreturn replaces the registers, and leaves -1 as the number of the call that ends. */
static __always_inline void put_odd_return(u64 nr, int compat, s64 result)
{
	if ((s64)nr < 0)
		nr = compat ? NR_SIGRETURN_32 : NR_RT_SIGRETURN;
	nr &= ~(u64)NR_X32_BIT;
	if (has_event(nr, compat))
		put_return(KUTRACE_RETURN_BIT | syscall_event(nr, compat), result);
	else
		put_numbered(nr, KUTRACE_RETURN_BIT | KUTRACE_UNKNOWN_CALL, result, KUTRACE_WIDE_RESULT);
}

static __always_inline void record_return(const struct pt_regs *regs, u64 nr, s64 result)
{
	const int compat = was_compat(regs);

	if (LIKELY(nr < KUTRACE_CALLS && !compat)) {
		if (LIKELY(!is_mark(regs, nr)))
			put_return(KUTRACE_FIRST_SYSCALL_RETURN | nr, result);
	}
	else if (compat || nr != KUTRACE_SYSCALL)
		put_odd_return(nr, compat, result);
}

/* A call may have changed whose its thread is, and whether the filter lets it pass. */
static __always_inline int leave_call(const struct pt_regs *regs, s64 result,
				      void (*record)(const struct pt_regs *regs, s64 result))
{
	u64 changed = settings.owners && leave_owner(1);
	u64 hidden = hidden_here(1) && ask_filter(1);

	if (!hidden)
		record(regs, result);
	if (settings.filter.flags && !hidden)
		ask_filter(1);
	if (changed)
		find_owner(1);
	return 0;
}

static __always_inline void record_plain_return(const struct pt_regs *regs, s64 result)
{
	record_return(regs, call_number(regs), result);
}

HOOK(sys_exit, struct pt_regs *regs, long result)
{
	return leave_call(regs, result, record_plain_return);
}

#endif
