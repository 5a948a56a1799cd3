/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * System calls with all their arguments and with what these point to: other programs for the entry
 * and the return, loaded in place of those in syscalls.h where arguments are asked for.
 *
 * What is to be said of a call is put together in this CPU's draft first, then all of it is claimed
 * at once, so that it stands in one piece, with the call as its last word. Programs of entries and
 * returns do not nest, so the draft needs no more care.
 *
 * Memory of the program is read without waiting for it. What is not there when the call begins is
 * tried again when it returns: the kernel has read it by then.
 */
#ifndef KUTRACE_DEVICE_ARGUMENTS_H
#define KUTRACE_DEVICE_ARGUMENTS_H

#include "syscalls.h"

#define DRAFT_MASK 255u
#define STRING_MASK 511u
#define DATA_WORDS 7u /* of an entry, behind its first */
#define TEXT_WORDS (KUTRACE_STRING_BYTES / 8 + KUTRACE_STRING_BYTES / KUTRACE_DATA_BYTES)
#define CALL_WORDS 16u /* a call with its arguments, or a return with a wide result, and more */
#define PAIR_BYTES 8u
#define LATE_MOST 4096u
#define PAGE 4096u
/* The compiler would leave out a mask that it can prove; verifiers before 6.12 cannot. */
#define UNKNOWN(x) asm volatile("" : "+r"(x))

struct draft {
	u64 arguments[KUTRACE_MAX_ARGUMENTS];
	u64 words[DRAFT_MASK + 1];
	u8 is_first[DRAFT_MASK + 1]; /* of an entry */
	u64 text[(STRING_MASK + 1) / 8];
	u64 count; /* of words */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct draft);
} drafts SEC(".maps");

/*
 * Threads in a call of which something could not be read at its entry: its number << 8, and a bit for
 * each argument.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LATE_MOST);
	__type(key, u32);
	__type(value, u32);
} late SEC(".maps");

const volatile struct kutrace_arguments arguments SEC(".rodata.arguments");

/* The counts of its calls, which may change while it records. */
volatile u8 argument_counts[KUTRACE_CALLS] SEC(".data.argument_counts");

static __always_inline struct draft *this_draft(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&drafts, &zero);
}

static __always_inline void add_word(struct draft *draft, u64 word, u8 is_first)
{
	u64 at = draft->count & DRAFT_MASK;

	draft->words[at] = word;
	draft->is_first[at] = is_first;
	draft->count = at + 1;
}

static __always_inline u64 data_word(u32 words, u32 what, u32 bytes)
{
	return entry_word(0, KUTRACE_WITH_WORDS(KUTRACE_KIND_CALL_DATA, words),
			  what | bytes << KUTRACE_DATA_LENGTH_SHIFT);
}

static __always_inline void add_first(struct draft *draft, u64 what, u64 bytes)
{
	u64 here = bytes > KUTRACE_DATA_BYTES ? KUTRACE_DATA_BYTES : bytes;

	if (bytes > here)
		what |= KUTRACE_DATA_MORE;
	add_word(draft, data_word((here + 7) / 8 + 1, what, here), 1);
}

/* So many bytes of the draft's text, as entries; none where the draft has no room for all. */
__noinline u64 add_text(u64 what, u64 bytes)
{
	struct draft *draft = this_draft();
	u32 here = 0; /* words of this entry; the verifier follows no division */

	if (!draft || bytes > KUTRACE_STRING_BYTES || draft->count > DRAFT_MASK - TEXT_WORDS - CALL_WORDS)
		return 0;
	if (!bytes)
		add_first(draft, what, 0);
	for (u32 i = 0; i < KUTRACE_STRING_BYTES / 8; i++) {
		if (8 * i >= bytes)
			break;
		if (!here)
			add_first(draft, what, bytes - 8 * i);
		add_word(draft, draft->text[i], 0);
		here = here == DATA_WORDS - 1 ? 0 : here + 1;
	}
	return 0;
}

/* Bytes behind the end, in its word, are of what was here before. */
static __always_inline void clear_behind(struct draft *draft, u64 bytes)
{
	u8 *text = (u8 *)draft->text;

#pragma clang loop unroll(full)
	for (u32 i = 0; i < 8; i++)
		text[(bytes + i) & STRING_MASK] = 0;
}

static __always_inline int add_unreadable(u32 what)
{
	add_text(what | KUTRACE_DATA_UNREADABLE, 0);
	return 0;
}

/* 0: it cannot be read. */
__noinline int add_string(u64 address, u64 what, u64 most)
{
	struct draft *draft = this_draft();
	long got;

	if (!draft)
		return 0;
	if (!address)
		return 1;
	if (most > KUTRACE_STRING_BYTES)
		most = KUTRACE_STRING_BYTES;
	got = bpf_probe_read_user_str(draft->text, most + 1, (void *)address);
	if (got < 0 || got > KUTRACE_STRING_BYTES + 1)
		return 0;
	if (got) /* older kernels return 0 for an empty string */
		got--; /* the NUL */
	clear_behind(draft, got);
	if ((u64)got == most) { /* there is more, or it ends just here */
		u8 next = 0;

		if (bpf_probe_read_user(&next, 1, (void *)(address + got)) || next)
			what |= KUTRACE_DATA_CUT;
	}
	add_text(what, got);
	return 1;
}

/* 0: it cannot be read. What lies on a page that is not there is cut. */
__noinline int add_bytes(u64 address, u64 what, u64 bytes, u64 most)
{
	struct draft *draft = this_draft();

	if (!draft)
		return 0;
	if (!address || (s64)bytes < 0)
		return 1;
	if (most > KUTRACE_STRING_BYTES)
		most = KUTRACE_STRING_BYTES;
	if (bytes > most) {
		bytes = most;
		what |= KUTRACE_DATA_CUT;
	}
	UNKNOWN(bytes);
	bytes &= STRING_MASK;
	if (bpf_probe_read_user(draft->text, bytes, (void *)address)) {
		u64 here = PAGE - (address & (PAGE - 1));

		if (here >= bytes)
			return 0;
		UNKNOWN(here);
		here &= STRING_MASK;
		if (bpf_probe_read_user(draft->text, here, (void *)address))
			return 0;
		bytes = here;
		what |= KUTRACE_DATA_CUT;
	}
	clear_behind(draft, bytes);
	add_text(what, bytes);
	return 1;
}

/* 0: it cannot be read. What lies behind the first that can, is cut where it cannot. */
__noinline int add_strings(u64 address, u64 what)
{
	if (!address)
		return 1;
	for (u32 i = 0; i <= KUTRACE_STRINGS; i++) {
		u64 item = what | i << KUTRACE_DATA_ITEM_SHIFT;
		u64 string = 0;

		if (bpf_probe_read_user(&string, sizeof(string), (void *)(address + 8 * i)))
			return i ? add_unreadable(item | KUTRACE_DATA_CUT) + 1 : 0;
		if (!string)
			return 1;
		if (i == KUTRACE_STRINGS)
			add_text(item | KUTRACE_DATA_CUT, 0);
		else if (!add_string(string, item, KUTRACE_DATA_BYTES))
			add_unreadable(item);
	}
	return 1;
}

static __always_inline u64 argument_at(struct draft *draft, u32 i)
{
	return i < KUTRACE_MAX_ARGUMENTS ? draft->arguments[i] : 0;
}

static __always_inline u32 kind_at(u64 nr, u32 i)
{
	return nr < KUTRACE_CALLS ? arguments.calls[nr].kinds[i] : 0;
}

/* 0: it cannot be read. `what`: which argument, and what is known of it. */
__noinline int add_given(u64 kind, u64 what)
{
	struct draft *draft = this_draft();
	u32 i = what & KUTRACE_DATA_ARGUMENT_MASK;
	u64 address, bytes;

	if (!draft || i >= KUTRACE_MAX_ARGUMENTS)
		return 1;
	address = argument_at(draft, i);
	bytes = argument_at(draft, i + 1);
	if (kind == KUTRACE_DATA_STRING)
		return add_string(address, what, KUTRACE_STRING_BYTES);
	if (kind == KUTRACE_DATA_IN)
		return add_bytes(address, what, bytes, arguments.buffer_bytes);
	if (kind == KUTRACE_DATA_ADDRESS)
		return add_bytes(address, what, (u32)bytes, KUTRACE_STRING_BYTES);
	if (kind == KUTRACE_DATA_STRINGS)
		return add_strings(address, what);
	return 1;
}

/* What the kernel gave, in a call that did not fail. */
__noinline int add_given_back(u64 kind, u64 i, u64 result)
{
	struct draft *draft = this_draft();
	u64 address;
	u32 length = 0;

	if (!draft || i >= KUTRACE_MAX_ARGUMENTS)
		return 0;
	address = argument_at(draft, i);
	if (kind == KUTRACE_DATA_OUT) {
		u64 room = argument_at(draft, i + 1);

		if (result > room) /* of a message that was longer */
			result = room;
		if (result && !add_bytes(address, i, result, arguments.buffer_bytes))
			add_unreadable(i);
	} else if (kind == KUTRACE_DATA_PAIR) {
		if (!add_bytes(address, i, PAIR_BYTES, PAIR_BYTES))
			add_unreadable(i);
	} else if (kind == KUTRACE_DATA_ADDRESS_OUT && address) {
		u64 at = argument_at(draft, i + 1);

		if (bpf_probe_read_user(&length, sizeof(length), (void *)at) ||
		    !add_bytes(address, i, length, KUTRACE_STRING_BYTES))
			add_unreadable(i);
	}
	return 0;
}

/* Stores the draft, whose last word is the entry of a call or return, with one claim. */
__noinline u64 put_draft(u64 with_call)
{
	struct draft *draft = this_draft();
	u64 claimed, pos, count;

	if (!draft)
		return 0;
	count = draft->count;
	if (!count || count > DRAFT_MASK)
		return 0;
	claimed = claim(count, with_call);
	if (!claimed)
		return 0;
	pos = CLAIM_POS(claimed);
	for (u32 i = 0; i < DRAFT_MASK; i++) {
		u64 at;
		u64 word;

		if (i >= count)
			break;
		at = (count - 1 - i) & DRAFT_MASK;
		word = draft->words[at];
		if (draft->is_first[at])
			word |= CLAIM_TIME(claimed) << KUTRACE_TIME_SHIFT;
		store(pos + at, word);
	}
	return 0;
}

static __always_inline void begin_draft(struct draft *draft, const struct pt_regs *regs)
{
	draft->count = 0;
	call_arguments(regs, draft->arguments);
}

/* What is to be read when the call returns; 0: there is no room. */
static __always_inline int remember(u64 nr, u32 missing)
{
	u32 thread = (u32)bpf_get_current_pid_tgid();

	missing |= nr << 8;
	return !bpf_map_update_elem(&late, &thread, &missing, BPF_ANY);
}

/* What was remembered of this thread's last call of which something was missing; 0: nothing. */
static __always_inline u32 take_missing(void)
{
	u32 thread = (u32)bpf_get_current_pid_tgid();
	u32 *missing = bpf_map_lookup_elem(&late, &thread);
	u32 which = 0;

	if (missing) {
		which = *missing;
		bpf_map_delete_elem(&late, &thread);
	}
	return which;
}

/* The call as its last word; what cannot be read is tried again at the return. */
__noinline u64 put_call_with_arguments(u64 nr, u32 count)
{
	struct draft *draft = this_draft();
	u32 missing = 0;

	if (!draft || nr >= KUTRACE_CALLS || count > KUTRACE_MAX_ARGUMENTS)
		return 0;
	if (arguments.calls[nr].in)
		for (u32 i = 0; i < KUTRACE_MAX_ARGUMENTS; i++)
			if (!add_given(kind_at(nr, i), i))
				missing |= 1u << i;
	if (arguments.calls[nr].in && !missing)
		take_missing(); /* of an earlier call, whose return was not told with what it was given */
	if (missing && !remember(nr, missing))
		for (u32 i = 0; i < KUTRACE_MAX_ARGUMENTS; i++)
			if (missing >> i & 1)
				add_unreadable(i);
	add_word(draft, entry_word(0, KUTRACE_WITH_WORDS(KUTRACE_KIND_ARGUMENTS, count + 1), 0), 1);
	for (u32 i = 0; i < KUTRACE_MAX_ARGUMENTS; i++)
		if (i < count)
			add_word(draft, draft->arguments[i], 0);
	add_word(draft, entry_word(0, KUTRACE_FIRST_SYSCALL | nr, draft->arguments[0] & 0xffff), 1);
	put_draft(0);
	return 0;
}

/* What could not be read when the call began. A program that was started (exec) has other memory. */
static __always_inline void add_late(struct draft *draft, u64 nr)
{
	u32 which = take_missing();

	if (!which || which >> 8 != nr) /* nothing; or of a thread that was killed in its call */
		return;
	for (u32 i = 0; i < KUTRACE_MAX_ARGUMENTS; i++)
		if (which >> i & 1 && (!argument_at(draft, i) ||
				       !add_given(kind_at(nr, i), i | KUTRACE_DATA_LATE)))
			add_unreadable(i);
}

/* 1: the return is stored, behind what the call gave. */
__noinline int put_return_with_data(u64 nr, u64 result)
{
	struct draft *draft = this_draft();

	if (!draft || nr >= KUTRACE_CALLS)
		return 0;
	if (arguments.calls[nr].in)
		add_late(draft, nr);
	if (arguments.calls[nr].out && (s64)result >= 0)
		for (u32 i = 0; i < KUTRACE_MAX_ARGUMENTS; i++)
			add_given_back(kind_at(nr, i), i, result);
	if (!draft->count)
		return 0;
	if (!is_narrow(result)) {
		add_word(draft, entry_word(0, KUTRACE_WIDE, KUTRACE_WIDE_RESULT), 1);
		add_word(draft, 0, 0);
		add_word(draft, 0, 0);
		add_word(draft, result, 0);
	}
	add_word(draft, entry_word(0, KUTRACE_FIRST_SYSCALL_RETURN | nr, result & 0xffff), 1);
	put_draft(1);
	return 1;
}

HOOK_AT(sys_enter, arguments_sys_enter, struct pt_regs *regs, long id)
{
	u64 nr = (u64)id;
	struct draft *draft;
	u32 count;

	if (hidden_here(0))
		return 0;
	count = nr < KUTRACE_CALLS ? argument_counts[nr] : 0;
	if (!count || is_compat(regs) || is_mark(regs, nr)) {
		record_entry(regs, nr);
		return 0;
	}
	draft = this_draft();
	if (!draft)
		return 0;
	this_cpu_running(0);
	begin_draft(draft, regs);
	put_call_with_arguments(nr, count);
	return 0;
}

static __always_inline void record_return_and_data(const struct pt_regs *regs, s64 result)
{
	u64 nr = call_number(regs);
	struct draft *draft;

	if (nr < KUTRACE_CALLS && argument_counts[nr] && !was_compat(regs) && !is_mark(regs, nr) &&
	    (arguments.calls[nr].in || arguments.calls[nr].out)) {
		draft = this_draft();
		if (!draft)
			return;
		this_cpu_running(1);
		begin_draft(draft, regs);
		if (put_return_with_data(nr, result))
			return;
	}
	record_return(regs, nr, result);
}

HOOK_AT(sys_exit, arguments_sys_exit, struct pt_regs *regs, long result)
{
	return leave_call(regs, result, record_return_and_data);
}

#endif
