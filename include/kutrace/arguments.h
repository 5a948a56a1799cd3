/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What of a system call's arguments is recorded beside the call: the table that a recorder gives to
 * the eBPF programs when they are loaded, and to the module with KUTRACE_IOC_ARGUMENTS. While it
 * records, the counts may change, and nothing else.
 *
 * Valid C11, C++17 and kernel C.
 */
#ifndef KUTRACE_ARGUMENTS_H
#define KUTRACE_ARGUMENTS_H

#include "kutrace/abi.h"

enum kutrace_data_kind {
	KUTRACE_DATA_NONE,
	KUTRACE_DATA_STRING,     /* in: up to a NUL */
	KUTRACE_DATA_IN,         /* in: so many bytes as the next argument says */
	KUTRACE_DATA_OUT,        /* out: so many bytes as the call returns */
	KUTRACE_DATA_ADDRESS,    /* in: a socket's address, as long as the next argument says */
	KUTRACE_DATA_ADDRESS_OUT, /* out: likewise; the next argument points to the length */
	KUTRACE_DATA_PAIR,       /* out: two descriptors */
	KUTRACE_DATA_STRINGS,    /* in: of pointers to strings, the last NULL */
	KUTRACE_DATA_KINDS
};

struct kutrace_call_arguments {
	uint8_t count; /* of its arguments, at most KUTRACE_MAX_ARGUMENTS; 0: none is recorded */
	uint8_t in;    /* 1: some are to be read at the entry */
	uint8_t out;   /* 1: some are to be read at the return */
	uint8_t kinds[KUTRACE_MAX_ARGUMENTS]; /* enum kutrace_data_kind */
	uint8_t reserved[7];
};

#define KUTRACE_STRING_BYTES 280u /* most that is recorded of one string or buffer: 5 entries */
#define KUTRACE_STRINGS 8u        /* so many of an argv, each of one entry */
#define KUTRACE_CLAIM_WORDS 255u  /* most that one claim takes: a call with all its details */

struct kutrace_arguments {
	uint32_t buffer_bytes; /* most of a buffer; at most KUTRACE_STRING_BYTES */
	uint32_t reserved;
	struct kutrace_call_arguments calls[KUTRACE_CALLS]; /* by number */
};

KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_arguments) == 8 + 16 * KUTRACE_CALLS,
		      "16 bytes a system call");

#endif
