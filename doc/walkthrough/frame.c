/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 60 frames a second for three seconds, each of a few milliseconds of work on CPU 0. A frame that is
 * not done 8 ms after its time is late.
 */
#define _GNU_SOURCE
#include <kutrace/mark.h>
#include <sched.h>
#include <time.h>

enum { FRAME_NS = 16666667, LATE_NS = 8000000, STEPS = 3000000 };

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void draw(void)
{
	for (volatile int step = 0; step < STEPS; step++)
		;
}

int main(void)
{
	cpu_set_t cpus;
	int64_t next = now();

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof cpus, &cpus);
	for (int frame = 0; frame < 180; frame++) {
		struct timespec at;

		next += FRAME_NS;
		at = (struct timespec){next / 1000000000, next % 1000000000};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		kutrace_mark_a("frame");
		draw();
		kutrace_mark_a("/frame");
		if (now() - next > LATE_NS)
			kutrace_mark_b("late");
	}
	return 0;
}
