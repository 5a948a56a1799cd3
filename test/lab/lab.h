/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs of the lab share: time, work, errors, and numbers that a test compares. */
#ifndef KUTRACE_LAB_H
#define KUTRACE_LAB_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kutrace/mark.h"

#define MB (1u << 20)

static inline void give_up(const char *what)
{
	perror(what);
	exit(1);
}

static inline int64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline void sleep_us(long us)
{
	struct timespec time = {us / 1000000, us % 1000000 * 1000};

	while (nanosleep(&time, &time) != 0)
		;
}

/* Uses the processor, without a system call. */
static inline void compute_us(long us)
{
	int64_t end = now_ns() + us * 1000;

	while (now_ns() < end)
		;
}

static inline void *need(void *memory)
{
	if (memory == NULL)
		give_up("malloc");
	return memory;
}

/* For the test that recorded this program. */
static inline void tell(const char *what, long value)
{
	printf("%s=%ld\n", what, value);
	fflush(stdout);
}

#endif
