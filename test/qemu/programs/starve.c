// SPDX-License-Identifier: BSD-3-Clause
/*
 * Takes memory away from the module, one allocation at a time: kutrace-starve MODULE.ko has the first,
 * then the second, ... allocation of a step fail (the kernel's fail-nth), until the step succeeds without
 * one that failed. Each time the answer is success or "no memory", and the module goes on or goes away.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "device.h"

enum { MOST = 4000 };

/* The switch of this thread. It stays open, for opening it allocates, too. */
static int fail_nth_fd = -1;

/* The nth allocation from now on fails; 0: none. */
static void set_fail_nth(int nth)
{
	char text[16];
	const int length = snprintf(text, sizeof(text), "%d", nth);

	if (pwrite(fail_nth_fd, text, (size_t)length, 0) != length)
		fail("fail-nth", errno, 0);
}

/* How many allocations the one that fails is still away; 0: it did. */
static int get_fail_nth(void)
{
	char text[16] = "";

	if (pread(fail_nth_fd, text, sizeof(text) - 1, 0) < 0)
		fail("fail-nth read", errno, 0);
	return atoi(text);
}

/* What a step may answer when it gets no memory. */
static void check_answer(int error)
{
	if (error && error != ENOMEM)
		fail("without memory", error, ENOMEM);
}

/* The step returns an errno; `undo` follows a step that succeeded. */
static void starve(int (*step)(void), void (*undo)(void))
{
	int failed = 0, nth = 0, left = 0;

	do {
		int error;

		set_fail_nth(++nth);
		error = step();
		left = get_fail_nth();
		set_fail_nth(0);
		check_answer(error);
		failed += error != 0;
		if (!error)
			undo();
		else if (left)
			fail("with memory", error, 0);
	} while (!left && nth < MOST);
	if (!left || !failed)
		fail("allocations that failed", failed, nth);
	printf("%s: %d of %d allocations, each failing once, were refusals\n", now_in, failed, nth - 1);
}

static int fd = -1;

static void unload_again(void) { expect("unload", unload(), 0); }

static void starved_load(void)
{
	starve(load, unload_again);
	expect("load", load(), 0);
}

static int step_configure(void) { return configure(fd, KUTRACE_MODE_STREAM); }

static int step_configure_more(void)
{
	static struct kutrace_arguments none;
	struct kutrace_config config = usual_config(KUTRACE_MODE_STREAM);
	int error;

	config.flags = KUTRACE_CONFIG_ARGUMENTS | KUTRACE_CONFIG_STACKS;
	error = command(fd, KUTRACE_IOC_CONFIGURE, &config);
	return error ? error : command(fd, KUTRACE_IOC_ARGUMENTS, &none);
}

static void configure_smaller(void)
{
	struct kutrace_config smaller = usual_config(KUTRACE_MODE_FILL);

	smaller.blocks = BLOCKS / 2;
	expect("another size", command(fd, KUTRACE_IOC_CONFIGURE, &smaller), 0);
}

static void starved_configure(void)
{
	fd = open_device();
	configure_smaller();
	starve(step_configure, configure_smaller);
	starve(step_configure_more, configure_smaller);
	close(fd);
}

static int step_on(void) { return switch_on(fd, KUTRACE_ON_ATTACHED); }
static void off(void) { expect("off", command(fd, KUTRACE_IOC_OFF, NULL), 0); }

static void starved_on(void)
{
	fd = open_device();
	expect("configure", configure(fd, KUTRACE_MODE_STREAM), 0);
	starve(step_on, off);
	expect("on", step_on(), 0);
	off();
}

static void *mapped;

static int step_map(void)
{
	mapped = mmap(NULL, BLOCKS * KUTRACE_BLOCK_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	return mapped == MAP_FAILED ? errno : 0;
}

static void unmap(void) { munmap(mapped, BLOCKS * KUTRACE_BLOCK_BYTES); }

static void starved_map(void)
{
	starve(step_map, unmap);
	close(fd);
}

static const struct test_case cases[] = {
	{"load without memory", starved_load},
	{"configure without memory", starved_configure},
	{"on without memory", starved_on},
	{"map without memory", starved_map},
};

int main(int count, char **arguments)
{
	if (count != 2)
		return 2;
	module_path = arguments[1];
	now_in = "start";
	fail_nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	expect("fail-nth", fail_nth_fd < 0 ? errno : 0, 0);
	run_cases(cases, sizeof(cases) / sizeof(cases[0]));
	expect("unload", unload(), 0);
	return 0;
}
