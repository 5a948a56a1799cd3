// SPDX-License-Identifier: BSD-3-Clause
/*
 * Times eight things by the processor's counter and prints key=value lines. Under QEMU's -icount the
 * counter counts instructions, so that the least of several runs is exact.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KUTRACE_MARK_BY_CALL
#include "kutrace/mark.h"

enum { ROUNDS = 100, CALLS = 200, TURNS = 8, PAGES = 64, PAGE = 4096 };

#if defined(__x86_64__)

static uint64_t counter(void)
{
	return __builtin_ia32_rdtsc();
}

#else

/* It counts in steps of several ns. */
static uint64_t counter(void)
{
	uint64_t ticks, per_second;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tmrs %1, cntfrq_el0"
			 : "=r"(ticks), "=r"(per_second));
	return ticks * (1000000000 / per_second);
}

#endif

static uint64_t call_getppid(void)
{
	const uint64_t begin = counter();

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return (counter() - begin) / CALLS;
}

static uint64_t mark(void)
{
	const uint64_t begin = counter();

	for (int i = 0; i < CALLS; i++)
		kutrace_mark_d((uint32_t)i);
	return (counter() - begin) / CALLS;
}

/* Of one argument. */
static uint64_t close_nothing(void)
{
	const uint64_t begin = counter();

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_close, -1);
	return (counter() - begin) / CALLS;
}

/* Of three, one of which is a name. */
static uint64_t name_nothing(void)
{
	const uint64_t begin = counter();

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_faccessat, AT_FDCWD, "/none/such", F_OK);
	return (counter() - begin) / CALLS;
}

/* One that is ignored. */
static uint64_t send_signal(void)
{
	const pid_t self = getpid();
	const uint64_t begin = counter();

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_kill, self, SIGUSR1);
	return (counter() - begin) / CALLS;
}

static char *pages;

static uint64_t touch_pages(void)
{
	madvise(pages, PAGES * PAGE, MADV_DONTNEED);
	const uint64_t begin = counter();

	for (int i = 0; i < PAGES; i++)
		((volatile char *)pages)[i * PAGE] = 1;
	return (counter() - begin) / PAGES;
}

static int there[2], back[2];

static void *answer(void *unused)
{
	char byte;

	while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
		;
	return unused;
}

/* Two threads of one CPU: a turn is four calls, two wakeups, two switches. */
static uint64_t take_turns(void)
{
	const uint64_t begin = counter();
	char byte = 0;

	for (int i = 0; i < TURNS; i++)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			exit(1);
	return (counter() - begin) / TURNS;
}

static volatile int yielding = 1;

static void *yield_too(void *unused)
{
	while (yielding)
		sched_yield();
	return unused;
}

/* Each of two threads gives way to the other, which is what real-time ones always do. */
static uint64_t yield_and_return(void)
{
	const uint64_t begin = counter();

	for (int i = 0; i < TURNS; i++)
		sched_yield();
	return (counter() - begin) / (2 * TURNS);
}

static void report(const char *name, uint64_t (*measure)(void))
{
	uint64_t least = ~0ull;

	for (int i = 0; i < ROUNDS; i++) {
		const uint64_t took = measure();

		if (took < least)
			least = took;
	}
	printf("%s=%llu\n", name, (unsigned long long)least);
}

/* The first process of a name space of its own has no parent: getppid gives 0, which can be folded. */
static int become_parentless(void)
{
	int status;
	pid_t child;

	if (unshare(CLONE_NEWPID) != 0)
		return 1;
	child = fork();
	if (child == 0)
		return 0;
	waitpid(child, &status, 0);
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

int main(void)
{
	const struct sched_param real_time = {.sched_priority = 1}, usual = {0};
	pthread_t other;

	if (become_parentless() != 0)
		return 1;

	pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, PAGES * PAGE, MADV_NOHUGEPAGE);
	report("pair", call_getppid);
	report("mark", mark);
	report("close", close_nothing);
	report("name", name_nothing);
	signal(SIGUSR1, SIG_IGN);
	report("signal", send_signal);
	report("fault", touch_pages);
	if (sched_setscheduler(0, SCHED_FIFO, &real_time) != 0 ||
	    pthread_create(&other, NULL, yield_too, NULL) != 0)
		return 1;
	report("switch", yield_and_return);
	yielding = 0;
	pthread_join(other, NULL);
	sched_setscheduler(0, SCHED_OTHER, &usual);
	if (pipe(there) != 0 || pipe(back) != 0 || pthread_create(&other, NULL, answer, NULL) != 0)
		return 1;
	report("turn", take_turns);
	return 0;
}
