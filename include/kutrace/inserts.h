/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Which entries a program may insert into a trace: those that events.def gives to programs. All
 * others speak for the kernel, and every source refuses them. Takes the event number of an entry's
 * first word, with its length if it has one.
 */
#ifndef KUTRACE_INSERTS_H
#define KUTRACE_INSERTS_H

#include "kutrace/abi.h"

#define KUTRACE_MAY_INSERT_program 1ull
#define KUTRACE_MAY_INSERT_kernel 0ull

/* One bit for each of the points 0x200..0x23f, and one for each of 0x240..0x27f. */
static inline int kutrace_is_program_point(uint32_t event)
{
	const uint64_t points = 0
#define KUTRACE_POINT(id, number, name, group, argument, by) \
	| ((number) & 0x40 ? 0 : KUTRACE_MAY_INSERT_##by) << ((number) & 0x3f)
#include "kutrace/events.def"
		;
	const uint64_t later_points = 0
#define KUTRACE_POINT(id, number, name, group, argument, by) \
	| ((number) & 0x40 ? KUTRACE_MAY_INSERT_##by : 0) << ((number) & 0x3f)
#include "kutrace/events.def"
		;

	/* Marks first, as each costs what this takes. */
	if ((event & 0xfc0) == 0x200)
		return points >> (event & 0x3f) & 1;
	return (event & 0xfc0) == 0x240 && (later_points >> (event & 0x3f) & 1);
}

/* One bit for each of the kinds 0x000..0x00f and 0x100..0x10f; between their digits is the length. */
static inline int kutrace_is_program_name(uint32_t event)
{
	const uint32_t words = event >> KUTRACE_LENGTH_SHIFT & KUTRACE_LENGTH_MASK;
	const uint64_t kinds = 0
#define KUTRACE_KIND(id, kind, what, by) \
	| KUTRACE_MAY_INSERT_##by << (((kind) & 0xf) | ((kind) >> 4 & 0x10))
#include "kutrace/events.def"
		;

	return (event & 0xe00) == 0 && words >= 2 && words <= KUTRACE_MAX_WORDS &&
	       (kinds >> ((event & 0xf) | (event >> 4 & 0x10)) & 1);
}

#endif
