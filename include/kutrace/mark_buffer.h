/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The buffer to which a thread of a program writes its marks (mark.h), in memory of its own, for
 * recorders that read it before they record anything else of that thread: so a mark needs no system
 * call. The eBPF programs read it where the thread runs, so what the thread did is there in its order.
 *
 * The thread tells where it is, and how many of its marks were made before those that are to be read, by
 * a write to KUTRACE_BUFFER_FD: after its first mark, after the first of each beat (listeners.h), so
 * that a recorder that has just begun learns of it, and twice each time round, so that nothing is
 * overwritten that is not read.
 *
 * A recorder trusts nothing in it: what is not an entry that programs may make is refused, times are
 * brought into those in which the thread can have made the mark, and memory that is not there, or has no
 * word of its own address, is no buffer (any more).
 *
 * Valid C11, C++17 and BPF.
 */
#ifndef KUTRACE_MARK_BUFFER_H
#define KUTRACE_MARK_BUFFER_H

#include "kutrace/abi.h"

/* A write to it, as to KUTRACE_ENTRY_FD: of a buffer, and in place of the bytes how many of its marks were told. */
#define KUTRACE_BUFFER_FD 0x7fffffd6u

#define KUTRACE_BUFFER_MARKS 64u
#define KUTRACE_BUFFER_MAGIC 0x4655424b52414d4bull /* "KMARKBUF" */

struct kutrace_buffered_mark {
	uint64_t ns;    /* of CLOCK_MONOTONIC */
	uint64_t entry; /* of one word, without its time */
};

struct kutrace_mark_buffer {
	uint64_t magic;  /* KUTRACE_BUFFER_MAGIC ^ the buffer's own address; a copy for a child has the same */
	uint32_t marks;  /* ever made; the newest stands at (marks - 1) % KUTRACE_BUFFER_MARKS */
	uint32_t busy;   /* one is being made: a signal's handler that makes one meanwhile writes it */
	/* The program's own. */
	uint32_t beat; /* of the page of listeners, when it told last */
	uint32_t told; /* marks then */
	uint64_t reserved;
	struct kutrace_buffered_mark mark[KUTRACE_BUFFER_MARKS];
};

KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_mark_buffer) == 1056, "a buffer is 32 bytes and its marks");

#endif
