/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A stack as the kernel keeps it while stacks are recorded: eBPF in a map, the module in a table that
 * KUTRACE_IOC_STACKS reads. Entries name it by its number.
 *
 * Valid C11, C++17 and kernel C.
 */
#ifndef KUTRACE_STACKS_H
#define KUTRACE_STACKS_H

#include "kutrace/abi.h"

#define KUTRACE_KEPT_STACKS 16384u /* different ones, of programs and of the kernel */

struct kutrace_stack {
	uint32_t number; /* from 1 on */
	uint32_t count;  /* of frames */
	uint64_t frames[KUTRACE_STACK_FRAMES]; /* the innermost first; what is behind `count` is not of it */
};

KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_stack) == 8 + 8 * KUTRACE_STACK_FRAMES,
		      "a stack has no gaps");

#endif
