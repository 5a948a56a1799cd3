// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entries that programs insert: through the device, or with system call 1023 as KUtrace's library does.
 * Their own business only: what would speak for the kernel is refused.
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
	u32 event = event_of(word);

	if (!kutrace_is_program_point(event))
		return refuse();
	if (!kutrace_is_hidden())
		kutrace_put(event, (u32)word);
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
	u32 count = event_of(words[0]) >> KUTRACE_LENGTH_SHIFT & KUTRACE_LENGTH_MASK;
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

/* Runs where a page fault cannot be taken. Apart, so that a mark makes no room on the stack for it. */
static noinline void insert_from(u64 address)
{
	u64 words[KUTRACE_MAX_WORDS];

	if (copy_from_user_nofault(words, (const void __user *)(unsigned long)address,
				   sizeof(words)))
		atomic64_inc(&kutrace_misses.inserts_unreadable);
	else
		kutrace_insert_words(words);
}

/* Called by a hook, so preemption is off. */
void kutrace_insert_by_syscall(u64 command, u64 argument)
{
	if (command == KUTRACE_CMD_INSERT1 || command == ~KUTRACE_CMD_INSERT1)
		insert_one(argument);
	else if (command == KUTRACE_CMD_INSERTN || command == ~KUTRACE_CMD_INSERTN)
		insert_from(argument);
}
