/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Marks that a program puts into a trace of itself. C11 and C++17, nothing to link.
 *
 *   #include <kutrace/mark.h>
 *   kutrace_mark_a("query");       a label of up to six of a-z 0-9 - . /
 *   ...
 *   kutrace_mark_a("/query");      a leading / ends what the label began
 *   kutrace_mark_d(request_id);    a number
 *
 * A mark is one system call with a number that no kernel implements (KUtrace's own choice, 1023),
 * so it fails at once, and a recorder that watches system calls sees it. errno is left as it was.
 *
 * It costs what a refused system call costs: measured beside getppid() in one run, 0.7 of that one
 * when nobody records (about 190 ns on a virtual EPYC) and 0.8 while the eBPF source does (500 ns).
 *
 * Under seccomp the filter comes first. One that answers unknown calls itself (containers: ENOSYS or
 * EPERM) loses the mark, as the recorder never sees the call; one that kills (systemd's
 * SystemCallFilter without SystemCallErrorNumber) kills the program at its first mark. Allow 1023
 * there, or make no marks.
 *
 * A program can state only what is its own business: marks, RPCs, locks, queues, resources, the
 * hashes of its own messages, and names for these (events.def says which). All else would speak for
 * the kernel; a recorder refuses and counts it.
 */
#ifndef KUTRACE_MARK_H
#define KUTRACE_MARK_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "kutrace/abi.h"

#ifdef __cplusplus
#ifdef __clang__ /* C's casts are the only ones that both languages have */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wold-style-cast"
#endif
extern "C" {
#endif

#define KUTRACE_MARK_A_EVENT 0x20aull
#define KUTRACE_MARK_B_EVENT 0x20bull
#define KUTRACE_MARK_C_EVENT 0x20cull
#define KUTRACE_MARK_D_EVENT 0x20dull

/* syscall() is declared only with GNU extensions, which a strict program may have switched off. */
long syscall(long number, ...)
#ifdef __cplusplus
    noexcept(true)
#endif
    ;

static inline void kutrace_call_(uint64_t command, uint64_t argument)
{
	int saved = errno;

	syscall((long)KUTRACE_SYSCALL, command, argument);
	errno = saved;
}

/* A point event that events.def gives to programs, with its argument; others are refused. */
static inline void kutrace_addevent(uint64_t event, uint32_t argument)
{
	kutrace_call_(KUTRACE_CMD_INSERT1, event << KUTRACE_EVENT_SHIFT | argument);
}

/* Up to six characters in base 40, the first in the lowest place. Others than a-z 0-9 - . / are '.'. */
static inline uint32_t kutrace_label(const char *text)
{
	uint32_t value = 0;
	uint32_t place = 1;
	int i;

	for (i = 0; i < 6 && text[i] != '\0'; i++) {
		const char c = text[i];
		uint32_t digit = 38;

		if (c >= 'a' && c <= 'z')
			digit = (uint32_t)(c - 'a') + 1;
		else if (c >= 'A' && c <= 'Z')
			digit = (uint32_t)(c - 'A') + 1;
		else if (c >= '0' && c <= '9')
			digit = (uint32_t)(c - '0') + 27;
		else if (c == '-')
			digit = 37;
		else if (c == '/')
			digit = 39;
		value += digit * place;
		place *= 40;
	}
	return value;
}

static inline void kutrace_mark_a(const char *label)
{
	kutrace_addevent(KUTRACE_MARK_A_EVENT, kutrace_label(label));
}

static inline void kutrace_mark_b(const char *label)
{
	kutrace_addevent(KUTRACE_MARK_B_EVENT, kutrace_label(label));
}

static inline void kutrace_mark_c(const char *label)
{
	kutrace_addevent(KUTRACE_MARK_C_EVENT, kutrace_label(label));
}

static inline void kutrace_mark_d(uint32_t number)
{
	kutrace_addevent(KUTRACE_MARK_D_EVENT, number);
}

/*
 * Names item `number` of a kind that events.def gives to programs (3 an RPC method, 7 a lock, 0x105 a
 * queue), for this process and those that it starts. At most 56 bytes of the name are kept.
 */
static inline void kutrace_addname(uint64_t kind, uint32_t number, const char *name)
{
	uint64_t entry[KUTRACE_MAX_WORDS] = {0};
	size_t length = strlen(name);
	uint64_t words;

	if (length > KUTRACE_NAME_BYTES)
		length = KUTRACE_NAME_BYTES;
	if (length == 0)
		return;
	words = 1 + (length + 7) / 8;
	memcpy(&entry[1], name, length);
	entry[0] = (kind | words << KUTRACE_LENGTH_SHIFT) << KUTRACE_EVENT_SHIFT | number;
	kutrace_call_(KUTRACE_CMD_INSERTN, (uint64_t)(uintptr_t)entry);
}

#ifdef __cplusplus
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#endif

#endif
