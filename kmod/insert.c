// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entries that programs insert: through the device, with system call 1023 as KUtrace's library
 * does, or by writing to a descriptor that cannot be open. Their own business only: what would
 * speak for the kernel is refused.
 */
#include <linux/nospec.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>

#include "events.h"
#include "kutrace/inserts.h"
#include "put.h"

static u32 event_of(u64 word)
{
	return word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
}

/* That a name says it has. */
static u32 word_count(u64 word)
{
	return event_of(word) >> KUTRACE_LENGTH_SHIFT & KUTRACE_LENGTH_MASK;
}

static u64 without_time(u64 word)
{
	return word & ((1ull << KUTRACE_TIME_SHIFT) - 1);
}

static int refuse(void)
{
	atomic64_inc(&kutrace_misses.inserts_refused);
	return -EINVAL;
}

/* Preemption is off. */
static __always_inline int insert_one(u64 word)
{
	if (!kutrace_is_program_point(event_of(word)))
		return refuse();
	if (!kutrace_is_hidden())
		kutrace_put_word(without_time(word));
	return 0;
}

int kutrace_insert_one(u64 word)
{
	int error;

	preempt_disable_notrace();
	error = insert_one(word);
	preempt_enable_notrace();
	return error;
}

int kutrace_insert_words(const u64 *words)
{
	u32 count = word_count(words[0]);
	u64 now;
	u64 *at;

	if (!kutrace_is_program_name(event_of(words[0])))
		return refuse();
	count = array_index_nospec(count, KUTRACE_MAX_WORDS + 1);
	preempt_disable_notrace();
	at = kutrace_is_hidden() ? NULL : kutrace_claim(count, &now);
	if (at) {
		while (--count)
			WRITE_ONCE(at[count], words[count]);
		/* The first word last: a reader waits for it. */
		smp_store_release(at, kutrace_word(now, without_time(words[0])));
	}
	preempt_enable_notrace();
	return 0;
}

/*
 * An entry of so many bytes, of which it may use fewer. Runs where a page fault cannot be taken.
 * Apart, so that a mark makes no room on the stack for it; the address is where call 1023 has it.
 */
static noinline int insert_from(u64 bytes, u64 address)
{
	u64 words[KUTRACE_MAX_WORDS] = {};

	if (copy_from_user_nofault(words, (const void __user *)(unsigned long)address, bytes)) {
		atomic64_inc(&kutrace_misses.inserts_unreadable);
		return -EFAULT;
	}
	if (bytes == sizeof(words[0]))
		return insert_one(words[0]);
	return word_count(words[0]) > bytes / sizeof(words[0]) ? refuse() :
								 kutrace_insert_words(words);
}

static __always_inline int insert_by_syscall(u64 command, u64 argument)
{
	if (command == KUTRACE_CMD_INSERT1 || command == ~KUTRACE_CMD_INSERT1)
		return insert_one(argument);
	if (command == KUTRACE_CMD_INSERTN || command == ~KUTRACE_CMD_INSERTN)
		return insert_from(KUTRACE_INSERTN_BYTES, argument);
	return -EINVAL;
}

/* The entry itself where its address would be, or an address and bytes. */
static __always_inline int insert_by_write(u32 descriptor, u64 buffer, u64 bytes)
{
	if (descriptor == KUTRACE_WORD_FD)
		return insert_one(buffer);
	if (bytes > KUTRACE_INSERTN_BYTES || bytes % sizeof(u64))
		return refuse();
	return insert_from(bytes, buffer);
}

/*
 * Called by a hook, so preemption is off; so is the next. Where nothing was inserted the newest
 * entry may still be a call, but not the one that returns next.
 */
void kutrace_insert_by_syscall(u64 command, u64 argument)
{
	if (unlikely(insert_by_syscall(command, argument)))
		kutrace_forget_call();
}

void kutrace_insert_by_write(u32 descriptor, u64 buffer, u64 bytes)
{
	if (unlikely(insert_by_write(descriptor, buffer, bytes)))
		kutrace_forget_call();
}
