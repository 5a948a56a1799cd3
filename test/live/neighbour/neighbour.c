// SPDX-License-Identifier: BSD-3-Clause
// Shares CPU 0 with others until the end of standard input: gives it up all the time, and, with a number as
// argument, sleeps on a futex that holds that number, each time until it is woken or a moment has passed. Out:
// the numbers of its threads.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static unsigned int word;

static void *sleep_on_it(void *unused)
{
	struct timespec moment = {.tv_nsec = 1000000};

	printf("%d %ld\n", getpid(), syscall(SYS_gettid));
	fflush(stdout);
	for (;;)
		syscall(SYS_futex, &word, FUTEX_WAIT, word, &moment, NULL, 0);
	return unused;
}

int main(int argc, char **argv)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	pthread_t sleeper;
	cpu_set_t only;

	CPU_ZERO(&only);
	CPU_SET(0, &only);
	sched_setaffinity(0, sizeof only, &only);
	if (argc > 1) {
		word = strtoul(argv[1], NULL, 0);
		pthread_create(&sleeper, NULL, sleep_on_it, NULL);
	}
	while (poll(&input, 1, 0) == 0) {
		syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
		sched_yield();
	}
	return 0;
}
