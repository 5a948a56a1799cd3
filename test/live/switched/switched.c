/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * switched: batches of system calls and of page faults, whose numbers are known, beside a thread that
 * wakes this one and is woken by it, until its standard input ends. Prints a line for each batch: what,
 * CLOCK_MONOTONIC in ns before and after it, how many; and then how many calls there were in all.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 100, PAGES = 32, MOST = 200000, PAGE = 4096 };

struct batch {
	char what;
	int64_t begin, end;
};

static struct batch batches[MOST];
static int pipes[2][2];
static volatile int is_over;

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time); /* in the vDSO: no call */
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void make_calls(struct batch *batch)
{
	*batch = (struct batch){.what = 'c', .begin = now()};
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	batch->end = now();
}

static void make_faults(struct batch *batch)
{
	volatile char *pages = mmap(0, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || madvise((void *)pages, PAGES * PAGE, MADV_NOHUGEPAGE) != 0)
		exit(3);
	*batch = (struct batch){.what = 'f', .begin = now()};
	for (int i = 0; i < PAGES; i++)
		pages[i * PAGE] = 1;
	batch->end = now();
	munmap((void *)pages, PAGES * PAGE);
}

static void *answer(void *unused)
{
	char byte;

	while (read(pipes[0][0], &byte, 1) == 1)
		if (write(pipes[1][1], &byte, 1) != 1)
			break;
	return unused;
}

static void *wait_for_end(void *unused)
{
	char byte;

	while (read(0, &byte, 1) == 1)
		;
	is_over = 1;
	return unused;
}

int main(void)
{
	pthread_t answers, ends;
	int count = 0, calls = 0;
	char byte = 0;

	if (pipe(pipes[0]) || pipe(pipes[1]) || pthread_create(&answers, 0, answer, 0) ||
	    pthread_create(&ends, 0, wait_for_end, 0))
		return 3;
	for (int i = 0; i < MOST; i++)
		batches[i].what = 0; /* not a fault of a batch later */
	while (!is_over && count + 2 <= MOST) {
		make_calls(&batches[count++]);
		make_faults(&batches[count++]);
		calls += CALLS;
		if (write(pipes[0][1], &byte, 1) != 1 || read(pipes[1][0], &byte, 1) != 1)
			return 3;
		usleep(1000);
	}
	for (int i = 0; i < count; i++)
		printf("%c %lld %lld %d\n", batches[i].what, (long long)batches[i].begin,
		       (long long)batches[i].end, batches[i].what == 'c' ? CALLS : PAGES);
	printf("calls %d\n", calls);
	return 0;
}
