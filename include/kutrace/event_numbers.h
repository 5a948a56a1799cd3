/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Numbers of events.def as constants, for the sources: KUTRACE_USERPID for a point,
 * KUTRACE_FIRST_TRAP for the first number of a range, KUTRACE_IRQ_RESCHEDULE for the call of an
 * interrupt, KUTRACE_KIND_TASK for a kind and KUTRACE_TASK for its entry with its length.
 */
#ifndef KUTRACE_EVENT_NUMBERS_H
#define KUTRACE_EVENT_NUMBERS_H

#include "kutrace/abi.h"

#define KUTRACE_WITH_WORDS(kind, words) ((kind) | (words) << KUTRACE_LENGTH_SHIFT)
#define KUTRACE_PID_NAME_WORDS 3u

enum {
#define KUTRACE_RANGE(id, first, last, class) KUTRACE_FIRST_##id = (first),
#define KUTRACE_POINT(id, number, name, group, argument, by) KUTRACE_##id = (number),
#define KUTRACE_KIND(id, kind, what, by) KUTRACE_KIND_##id = (kind),
#define KUTRACE_IRQ(id, number, name) KUTRACE_IRQ_##id = KUTRACE_FIRST_IRQ | (number),
#include "kutrace/events.def"
	KUTRACE_PID_NAME = KUTRACE_WITH_WORDS(KUTRACE_KIND_PID_NAME, KUTRACE_PID_NAME_WORDS),
	KUTRACE_LOSS = KUTRACE_WITH_WORDS(KUTRACE_KIND_LOSS, KUTRACE_LOSS_WORDS),
	KUTRACE_WIDE = KUTRACE_WITH_WORDS(KUTRACE_KIND_WIDE, KUTRACE_WIDE_WORDS),
	KUTRACE_STACKS = KUTRACE_WITH_WORDS(KUTRACE_KIND_STACKS, KUTRACE_STACKS_WORDS),
	KUTRACE_BLOCK = KUTRACE_WITH_WORDS(KUTRACE_KIND_BLOCK, KUTRACE_BLOCK_WORDS_USED),
	KUTRACE_TASK = KUTRACE_WITH_WORDS(KUTRACE_KIND_TASK, KUTRACE_TASK_WORDS),
	KUTRACE_PAGE_FAULT = KUTRACE_FIRST_TRAP | 0x0e,
	/* Of the APIC, below those that have names in the table. */
	KUTRACE_IRQ_SPURIOUS = KUTRACE_FIRST_IRQ | 0xdf,
};

#endif
