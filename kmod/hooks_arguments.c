// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls with all their arguments and with what these point to: other probes for the entry
 * and the return, in place of those in hooks_syscall.c where arguments are asked for.
 *
 * What is to be said of a call is put together in this CPU's draft first, then all of it is claimed
 * at once, so that it stands in one piece, with the call or the return as its last word. These
 * probes run with preemption off and do not nest, so the draft needs no more care.
 *
 * Memory of the program is copied once, without waiting for it. What is not there when the call
 * begins is tried again when it returns: the kernel has read it by then.
 */
#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <asm/syscall.h>
#include <trace/events/syscalls.h>

#include "events.h"
#include "put.h"

#define TEXT_WORDS (KUTRACE_STRING_BYTES / 8 + KUTRACE_STRING_BYTES / KUTRACE_DATA_BYTES)
#define CALL_WORDS 16u /* a call with its arguments, or a return with a wide result, and more */
#define PAIR_BYTES 8u
#define STRING_PIECE 64u
#define LATE_BITS 9
#define LATE_WAYS 8u

struct draft {
	unsigned long arguments[KUTRACE_MAX_ARGUMENTS];
	u64 words[KUTRACE_CLAIM_WORDS];
	bool is_first[KUTRACE_CLAIM_WORDS]; /* of an entry */
	u64 text[KUTRACE_STRING_BYTES / 8 + 1];
	u32 count; /* of words */
};

static struct draft __percpu *drafts;
static struct kutrace_arguments chosen; /* changed while nothing records, but for the counts */

/*
 * Threads in a call of which something could not be read at its entry: 63:32 the thread, 31:8 the
 * call, 7:0 a bit for each argument. One that is killed in its call leaves its place taken until
 * the next configuration; one whose call is not chosen any more when it returns, until it is given
 * something in a call that is.
 */
static u64 late[1u << LATE_BITS][LATE_WAYS];

/* ---- the draft ------------------------------------------------------------------------------- */

static void begin_draft(struct draft *draft, struct pt_regs *regs)
{
	draft->count = 0;
	syscall_get_arguments(current, regs, draft->arguments);
}

static unsigned long argument_at(const struct draft *draft, u32 i)
{
	return i < KUTRACE_MAX_ARGUMENTS ? draft->arguments[i] : 0;
}

static void add_word(struct draft *draft, u64 word, bool is_first)
{
	draft->words[draft->count] = word;
	draft->is_first[draft->count] = is_first;
	draft->count++;
}

static void add_first(struct draft *draft, u32 what, u32 bytes)
{
	u32 here = min(bytes, KUTRACE_DATA_BYTES);
	u32 words = DIV_ROUND_UP(here, 8) + 1;

	if (bytes > here)
		what |= KUTRACE_DATA_MORE;
	add_word(draft, KUTRACE_EVENT(KUTRACE_WITH_WORDS(KUTRACE_KIND_CALL_DATA, words)) | what |
				here << KUTRACE_DATA_LENGTH_SHIFT, true);
}

/* So many bytes of the draft's text, as entries; none where the draft has no room for all. */
static void add_text(struct draft *draft, u32 what, u32 bytes)
{
	u32 i;

	if (draft->count > KUTRACE_CLAIM_WORDS - TEXT_WORDS - CALL_WORDS)
		return;
	memset((u8 *)draft->text + bytes, 0, -bytes & 7);
	if (!bytes)
		add_first(draft, what, 0);
	for (i = 0; 8 * i < bytes; i++) {
		if (8 * i % KUTRACE_DATA_BYTES == 0)
			add_first(draft, what, bytes - 8 * i);
		add_word(draft, draft->text[i], false);
	}
}

static void add_unreadable(struct draft *draft, u32 what)
{
	add_text(draft, what | KUTRACE_DATA_UNREADABLE, 0);
}

/* Stores it with one claim. */
static void put_draft(const struct draft *draft, bool with_call)
{
	u32 count = draft->count;
	u64 now;
	u64 *at = with_call ? kutrace_claim(count, &now) : kutrace_claim_call(count, &now);

	if (!at)
		return;
	if (this_cpu_read(kutrace_cpu.counts))
		kutrace_count(at + count - 1);
	while (count--) {
		u64 word = draft->words[count];

		if (!draft->is_first[count])
			WRITE_ONCE(at[count], word);
		else /* the first word last: a reader waits for it */
			smp_store_release(&at[count], kutrace_word(now, word));
	}
}

/* ---- what arguments point to ----------------------------------------------------------------- */

static bool read_user(void *to, unsigned long address, size_t bytes)
{
	unsigned long flags;
	bool is_read;

	local_irq_save(flags);
	is_read = kutrace_read_program(to, address, bytes);
	local_irq_restore(flags);
	return is_read;
}

static u32 bytes_to_page_end(unsigned long address)
{
	return PAGE_SIZE - offset_in_page(address);
}

/*
 * Bytes before the NUL, `room` if there is none in as many, negative if not all of them can be
 * read. By pieces, as most names are short, and none across the end of a page, which the next may
 * not follow.
 */
static int read_user_string(char *text, unsigned long address, u32 room)
{
	u32 done, here;

	for (done = 0; done < room; done += here) {
		u32 length;

		here = min3(room - done, STRING_PIECE, bytes_to_page_end(address + done));
		if (!read_user(text + done, address + done, here))
			return -EFAULT;
		length = strnlen(text + done, here);
		if (length < here)
			return done + length;
	}
	return room;
}

/* False: it cannot be read. At most `most` bytes, and one more that says whether it goes on. */
static bool add_string(struct draft *draft, unsigned long address, u32 what, u32 most)
{
	int length;

	if (!address)
		return true;
	length = read_user_string((char *)draft->text, address, most + 1);
	if (length < 0)
		return false;
	if (length > (int)most) {
		length = most;
		what |= KUTRACE_DATA_CUT;
	}
	add_text(draft, what, length);
	return true;
}

/* False: it cannot be read. What lies on a page that is not there is cut. */
static bool add_bytes(struct draft *draft, unsigned long address, u32 what, unsigned long bytes,
		      u32 most)
{
	if (!address || (long)bytes < 0)
		return true;
	if (bytes > most) {
		bytes = most;
		what |= KUTRACE_DATA_CUT;
	}
	if (!read_user(draft->text, address, bytes)) {
		u32 here = bytes_to_page_end(address);

		if (here >= bytes || !read_user(draft->text, address, here))
			return false;
		bytes = here;
		what |= KUTRACE_DATA_CUT;
	}
	add_text(draft, what, bytes);
	return true;
}

/* False: it cannot be read. What lies behind the first that can, is cut where it cannot. */
static bool add_strings(struct draft *draft, unsigned long address, u32 what)
{
	u32 i;

	if (!address)
		return true;
	for (i = 0; i <= KUTRACE_STRINGS; i++) {
		u32 item = what | i << KUTRACE_DATA_ITEM_SHIFT;
		unsigned long string;

		if (!read_user(&string, address + i * sizeof(string), sizeof(string))) {
			if (i)
				add_unreadable(draft, item | KUTRACE_DATA_CUT);
			return i;
		}
		if (!string)
			return true;
		if (i == KUTRACE_STRINGS)
			add_text(draft, item | KUTRACE_DATA_CUT, 0);
		else if (!add_string(draft, string, item, KUTRACE_DATA_BYTES))
			add_unreadable(draft, item);
	}
	return true;
}

/* What the kernel is given. False: it cannot be read. `flags`: what is known of it besides. */
static bool add_given(struct draft *draft, const struct kutrace_call_arguments *call, u32 i,
		      u32 flags)
{
	unsigned long address = argument_at(draft, i);
	unsigned long bytes = argument_at(draft, i + 1);
	u32 what = i | flags;

	switch (call->kinds[i]) {
	case KUTRACE_DATA_STRING:
		return add_string(draft, address, what, KUTRACE_STRING_BYTES);
	case KUTRACE_DATA_IN:
		return add_bytes(draft, address, what, bytes, chosen.buffer_bytes);
	case KUTRACE_DATA_ADDRESS:
		return add_bytes(draft, address, what, (u32)bytes, KUTRACE_STRING_BYTES);
	case KUTRACE_DATA_STRINGS:
		return add_strings(draft, address, what);
	default:
		return true;
	}
}

/* What the kernel gave, in a call that did not fail. False: it cannot be read. */
static bool add_given_back(struct draft *draft, const struct kutrace_call_arguments *call, u32 i,
			   unsigned long result)
{
	unsigned long address = argument_at(draft, i);
	unsigned long next = argument_at(draft, i + 1);
	u32 length;

	switch (call->kinds[i]) {
	case KUTRACE_DATA_OUT:
		result = min(result, next); /* of a message that was longer */
		return !result || add_bytes(draft, address, i, result, chosen.buffer_bytes);
	case KUTRACE_DATA_PAIR:
		return add_bytes(draft, address, i, PAIR_BYTES, PAIR_BYTES);
	case KUTRACE_DATA_ADDRESS_OUT:
		return !address ||
		       (read_user(&length, next, sizeof(length)) &&
			add_bytes(draft, address, i, length, KUTRACE_STRING_BYTES));
	default:
		return true;
	}
}

/* ---- what comes late ------------------------------------------------------------------------- */

/* The calling thread's place, which nobody else takes or gives; NULL: it has none. */
static u64 *own_place(u64 *ways)
{
	u32 i;

	for (i = 0; i < LATE_WAYS; i++)
		if (READ_ONCE(ways[i]) >> 32 == (u32)current->pid)
			return &ways[i];
	return NULL;
}

/* False: there is no room. */
static bool remember(u32 nr, u32 missing)
{
	u64 *ways = late[hash_32(current->pid, LATE_BITS)];
	u64 value = (u64)(u32)current->pid << 32 | nr << 8 | missing;
	u64 *own = own_place(ways);
	u32 i;

	if (own)
		WRITE_ONCE(*own, value);
	for (i = 0; !own && i < LATE_WAYS; i++)
		if (!READ_ONCE(ways[i]) && !cmpxchg64(&ways[i], 0, value))
			own = &ways[i];
	return own;
}

/* Which arguments were missing when this thread's call began; 0: none, or not of this call. */
static u32 take_missing(u32 nr)
{
	u64 *own = own_place(late[hash_32(current->pid, LATE_BITS)]);
	u32 value;

	if (!own)
		return 0;
	value = READ_ONCE(*own);
	WRITE_ONCE(*own, 0);
	return value >> 8 == nr ? value & 0xff : 0;
}

/*
 * A program that was started (exec) has other memory, and no arguments any more. A mark has none:
 * what is missing is of a call whose return was not seen.
 */
static void add_late(struct draft *draft, const struct kutrace_call_arguments *call, u32 nr)
{
	u32 missing = take_missing(nr);
	u32 i;

	if (!missing || kutrace_is_mark(nr, argument_at(draft, 0)))
		return;
	for (i = 0; i < KUTRACE_MAX_ARGUMENTS; i++)
		if (missing >> i & 1 && (!argument_at(draft, i) ||
					 !add_given(draft, call, i, KUTRACE_DATA_LATE)))
			add_unreadable(draft, i);
}

/* ---- probes ---------------------------------------------------------------------------------- */

/* What is to be recorded of it, and of how many arguments; NULL and 0: nothing but the call. */
static const struct kutrace_call_arguments *choice(unsigned long nr, bool compat, u32 *count)
{
	const struct kutrace_call_arguments *call;

	*count = 0;
	if (nr >= KUTRACE_CALLS || compat)
		return NULL;
	call = &chosen.calls[array_index_nospec(nr, KUTRACE_CALLS)];
	*count = READ_ONCE(call->count);
	return *count ? call : NULL;
}

static void put_call(struct draft *draft, const struct kutrace_call_arguments *call, u32 count,
		     u32 nr)
{
	u32 missing = 0;
	u32 i;

	for (i = 0; call->in && i < KUTRACE_MAX_ARGUMENTS; i++)
		if (!add_given(draft, call, i, 0))
			missing |= 1u << i;
	/* Of an earlier call, whose return was not told with what it was given. */
	if (call->in && !missing)
		take_missing(nr);
	if (missing && !remember(nr, missing))
		for (i = 0; i < KUTRACE_MAX_ARGUMENTS; i++)
			if (missing >> i & 1)
				add_unreadable(draft, i);
	add_word(draft, KUTRACE_EVENT(KUTRACE_WITH_WORDS(KUTRACE_KIND_ARGUMENTS, count + 1)), true);
	for (i = 0; i < count; i++)
		add_word(draft, draft->arguments[i], false);
	add_word(draft, KUTRACE_EVENT(KUTRACE_SYSCALL64 + nr) | (u16)draft->arguments[0], true);
	put_draft(draft, false);
}

static void on_sys_enter(void *data, struct pt_regs *regs, long id)
{
	u32 count;
	const struct kutrace_call_arguments *call = choice(id, kutrace_is_compat(regs), &count);
	struct draft *draft = this_cpu_ptr(drafts);

	if (call && !kutrace_is_mark(id, kutrace_first_argument(regs))) {
		begin_draft(draft, regs);
		put_call(draft, call, count, id);
	} else {
		kutrace_sys_enter(regs, id);
	}
}

KUTRACE_SYSCALL_PROBE(on_sys_enter, (struct pt_regs *regs, long id), (regs, id))

/* False: nothing but the result is to be said. */
static bool put_return(struct draft *draft, const struct kutrace_call_arguments *call, u32 nr,
		       long result)
{
	bool is_wide = result != (s16)result;
	u32 i;

	if (call->in)
		add_late(draft, call, nr);
	for (i = 0; call->out && result >= 0 && i < KUTRACE_MAX_ARGUMENTS; i++)
		if (!add_given_back(draft, call, i, result))
			add_unreadable(draft, i);
	if (!draft->count && !is_wide)
		return false;
	if (is_wide) {
		add_word(draft, KUTRACE_EVENT(KUTRACE_WIDE) | KUTRACE_WIDE_RESULT, true);
		add_word(draft, 0, false);
		add_word(draft, 0, false);
		add_word(draft, result, false);
	}
	add_word(draft, KUTRACE_EVENT(kutrace_return_of(KUTRACE_SYSCALL64 + nr)) | (u16)result,
		 true);
	put_draft(draft, true);
	return true;
}

static void on_sys_exit(void *data, struct pt_regs *regs, long result)
{
	u32 count;
	const long nr = kutrace_call_number(regs);
	const struct kutrace_call_arguments *call = choice(nr, kutrace_was_compat(regs), &count);
	struct draft *draft = this_cpu_ptr(drafts);

	if (call)
		begin_draft(draft, regs);
	if (!call || !put_return(draft, call, nr, result))
		kutrace_sys_exit(regs, result);
}

KUTRACE_SYSCALL_PROBE(on_sys_exit, (struct pt_regs *regs, long result), (regs, result))

/*
 * A patched kernel's direct calls are left to hooks_syscall.c: these come by tracepoint
 * (hooks_direct.c).
 */
static struct kutrace_hook hooks[] = {
	{ .name = "sys_enter", .probe = KUTRACE_PROBE_OF(on_sys_enter),
	  .filtered = KUTRACE_PROBE_OF(on_sys_enter_filtered), .group = KUTRACE_GROUP_SYSCALLS,
	  .point = KUTRACE_POINTS, .flag_on = KUTRACE_CONFIG_ARGUMENTS },
	{ .name = "sys_exit", .probe = KUTRACE_PROBE_OF(on_sys_exit),
	  .filtered = KUTRACE_PROBE_OF(on_sys_exit_filtered), .group = KUTRACE_GROUP_SYSCALLS,
	  .point = KUTRACE_POINTS, .flag_on = KUTRACE_CONFIG_ARGUMENTS },
};

const struct kutrace_hook_table kutrace_argument_hooks = { hooks, ARRAY_SIZE(hooks) };

static void __maybe_unused check_probes(void)
{
	KUTRACE_CHECK_PROBE(sys_enter, on_sys_enter);
	KUTRACE_CHECK_PROBE(sys_exit, on_sys_exit);
}

/* ---- configuration; nothing records ---------------------------------------------------------- */

void kutrace_arguments_free(void)
{
	free_percpu(drafts);
	drafts = NULL;
}

/* Makes room for drafts where arguments are asked for. */
int kutrace_arguments_prepare(const struct kutrace_config *config)
{
	if (!(config->flags & KUTRACE_CONFIG_ARGUMENTS) || drafts)
		return 0;
	drafts = alloc_percpu(struct draft);
	return drafts ? 0 : -ENOMEM;
}

/* Frees the room where the configuration that is in force does not ask for it. */
void kutrace_arguments_keep(const struct kutrace_config *config)
{
	if (!(config->flags & KUTRACE_CONFIG_ARGUMENTS))
		kutrace_arguments_free();
}

/* None is chosen, and no thread's are late. */
void kutrace_arguments_clear(void)
{
	memset(&chosen, 0, sizeof(chosen));
	memset(late, 0, sizeof(late));
}

static bool is_sane(const struct kutrace_call_arguments *call)
{
	u32 i;

	for (i = 0; i < KUTRACE_MAX_ARGUMENTS; i++)
		if (call->kinds[i] >= KUTRACE_DATA_KINDS)
			return false;
	return call->count <= KUTRACE_MAX_ARGUMENTS && call->in <= 1 && call->out <= 1 &&
	       !memchr_inv(call->reserved, 0, sizeof(call->reserved));
}

/* Whether a probe that runs meanwhile may find either. */
static bool is_same_but_count(const struct kutrace_call_arguments *a,
			      const struct kutrace_call_arguments *b)
{
	return a->in == b->in && a->out == b->out && !memcmp(a->kinds, b->kinds, sizeof(a->kinds));
}

/* While it records, counts alone may change. */
int kutrace_arguments_choose(const struct kutrace_arguments *arguments, bool recording)
{
	u32 i;

	if (arguments->buffer_bytes > KUTRACE_STRING_BYTES || arguments->reserved)
		return -EINVAL;
	for (i = 0; i < KUTRACE_CALLS; i++)
		if (!is_sane(&arguments->calls[i]))
			return -EINVAL;
	if (!recording) {
		chosen = *arguments;
		return 0;
	}
	if (arguments->buffer_bytes != chosen.buffer_bytes)
		return -EBUSY;
	for (i = 0; i < KUTRACE_CALLS; i++)
		if (!is_same_but_count(&arguments->calls[i], &chosen.calls[i]))
			return -EBUSY;
	for (i = 0; i < KUTRACE_CALLS; i++)
		WRITE_ONCE(chosen.calls[i].count, arguments->calls[i].count);
	return 0;
}
