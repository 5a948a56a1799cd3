/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What the programs that count share with the loader: a question as constants, which the kernel
 * folds into the programs when it loads them, so that what is not asked is not there, and what they
 * count. Of each event the programs know some numbers, its slots. A key is some slots, a value
 * consists of words.
 */
#ifndef KUTRACE_DEVICE_COUNT_LAYOUT_H
#define KUTRACE_DEVICE_COUNT_LAYOUT_H

#include "kutrace/abi.h"

enum kutrace_count_slot {
	KUTRACE_COUNT_NAME, /* number of a call, + 512 of a 32-bit one, or as below; of an interrupt; 0 or 1 */
	KUTRACE_COUNT_COMM, /* 16 bytes */
	KUTRACE_COUNT_COMM_END,
	KUTRACE_COUNT_LEADER, /* comm of the process's first thread, 16 bytes */
	KUTRACE_COUNT_LEADER_END,
	KUTRACE_COUNT_PID,
	KUTRACE_COUNT_TID,
	KUTRACE_COUNT_CPU,
	KUTRACE_COUNT_ERROR, /* 1 to 4095; 0: none */
	KUTRACE_COUNT_RESULT,
	KUTRACE_COUNT_DURATION, /* ns */
	KUTRACE_COUNT_ARG, /* six */
	KUTRACE_COUNT_ARG_END = KUTRACE_COUNT_ARG + 5,
	KUTRACE_COUNT_KERNEL_STACK, /* number in the map of stacks, or -errno */
	KUTRACE_COUNT_USER_STACK,
	KUTRACE_COUNT_INTERVAL, /* 0 or 1, in turn */
	KUTRACE_COUNT_SLOTS
};

enum kutrace_count_op {
	KUTRACE_COUNT_EQUAL, /* in the bits of the mask */
	KUTRACE_COUNT_LESS, /* signed, as the next one */
	KUTRACE_COUNT_MORE,
	KUTRACE_COUNT_IN_SET,
	KUTRACE_COUNT_AND,
	KUTRACE_COUNT_OR,
	KUTRACE_COUNT_NOT
};

/* Words of a value: how many values were added, then what stands here. */
enum kutrace_count_kind {
	KUTRACE_COUNT_COUNT, /* nothing more */
	KUTRACE_COUNT_SUM, /* the sum: low and high word */
	KUTRACE_COUNT_MIN, /* the least one */
	KUTRACE_COUNT_MAX,
	KUTRACE_COUNT_SQUARES, /* the sum, and that of squares, likewise */
	KUTRACE_COUNT_POWERS, /* [0] 0; [1 + i] from 2^i on; where it is signed behind 64 words for
				 negative ones: [63 - i] */
	KUTRACE_COUNT_STEPS /* below, each step, above */
};

#define KUTRACE_COUNT_KEY_SLOTS 13u
#define KUTRACE_COUNT_AGGREGATES 6u
#define KUTRACE_COUNT_STEPS_OF_TEST 40u
#define KUTRACE_COUNT_NAMES 1024u
/* In place of a name, beside a number that is no call's: of a 64-bit program, twice this of a 32-bit one. */
#define KUTRACE_COUNT_NUMBER (1ull << 32)
#define KUTRACE_COUNT_SETS 5u /* the first one is of the probe */
#define KUTRACE_COUNT_WORDS 3072u /* of a value, at most */
#define KUTRACE_COUNT_FRAMES 127u

struct kutrace_count_test {
	uint32_t op;
	uint32_t slot; /* of IN_SET: of the names */
	uint32_t negate; /* the answer */
	uint32_t set;
	uint64_t mask;
	uint64_t number;
};

struct kutrace_count_aggregate {
	uint32_t kind;
	uint32_t slot;
	uint32_t only_success; /* a negative one is left out */
	uint32_t word; /* where its words begin */
	uint32_t buckets; /* of POWERS: 64 or 128 */
	uint32_t pad;
	uint64_t least;
	uint64_t step;
};

/* Set before the programs are loaded. */
struct kutrace_count_settings {
	uint64_t slots; /* a bit for each that is needed */
	uint32_t one_name; /* only this one, + 1; or 0 */
	uint32_t all_names;
	uint32_t family; /* only descendants of this process count; 0: all */
	uint32_t keys;
	uint32_t aggregates;
	uint32_t tests;
	uint32_t key[KUTRACE_COUNT_KEY_SLOTS];
	struct kutrace_count_aggregate aggregate[KUTRACE_COUNT_AGGREGATES];
	struct kutrace_count_test test[KUTRACE_COUNT_STEPS_OF_TEST];
	uint64_t set[KUTRACE_COUNT_SETS][KUTRACE_COUNT_NAMES / 64];
};

/* Mapped by the loader. Each miss is a number of events. */
struct kutrace_count_shared {
	uint64_t on; /* what happens counts */
	uint64_t interval;
	uint64_t no_room; /* for a new key */
	uint64_t no_begin; /* it was not seen */
	uint64_t no_room_to_begin; /* too many under way */
	uint64_t no_room_in_family;
	uint64_t no_room_for_stack;
};

#endif
