/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Writes a moment with up to three numbers, which events.def names. */
#ifndef KUTRACE_DEVICE_PUT_POINT_H
#define KUTRACE_DEVICE_PUT_POINT_H

#include "put.h"

/*
 * The last of the numbers is signed: what something returned. In line, as addresses may be stored, but
 * not given to a function as numbers.
 */
static __always_inline void put_point(u32 point, u32 numbers, u64 first, u64 second, u64 third)
{
	u64 claimed, pos;

	if (hidden_here(1))
		return;
	claimed = claim_here(numbers + 1);
	if (!claimed)
		return;
	pos = CLAIM_POS(claimed);
	if (numbers > 2)
		store(pos + 3, third);
	if (numbers > 1)
		store(pos + 2, second);
	store(pos + 1, first);
	store(pos, entry_word(CLAIM_TIME(claimed),
			      KUTRACE_WITH_WORDS(KUTRACE_KIND_POINT, numbers + 1), point));
}

#endif
