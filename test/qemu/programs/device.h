/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs that torment the module share: its commands, each answered by an errno, loading
 * and unloading, and the end at the first surprise.
 */
#ifndef KUTRACE_TEST_DEVICE_H
#define KUTRACE_TEST_DEVICE_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kutrace/control.h"

enum { BLOCKS = 64 };

static const char *module_path;
static const char *now_in;

static inline void fail(const char *what, long got, long wanted)
{
	printf("FAILED: %s: %s: %ld (%s), not %ld (%s)\n", now_in, what, got, strerror((int)got),
	       wanted, strerror((int)wanted));
	exit(1);
}

static inline void expect(const char *what, long got, long wanted)
{
	if (got != wanted)
		fail(what, got, wanted);
}

/* Lets another processor run: emulated ones take turns, of a tenth of a second unless they do this. */
static inline void give_way(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#else
	__asm__ volatile("yield");
#endif
}

/* errno of a command; 0 if it was obeyed. */
static inline int command(int fd, unsigned long number, const void *argument)
{
	const int error = ioctl(fd, number, argument) < 0 ? errno : 0;

	give_way();
	return error;
}

static inline int open_device(void)
{
	const int fd = open(KUTRACE_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fail("open", errno, 0);
	return fd;
}

static inline struct kutrace_config usual_config(uint32_t mode)
{
	return (struct kutrace_config){
	    .mode = mode,
	    .groups = KUTRACE_GROUPS_ALL & ~KUTRACE_GROUP_SAMPLES,
	    .blocks = BLOCKS,
	};
}

static inline int configure(int fd, uint32_t mode)
{
	const struct kutrace_config config = usual_config(mode);

	return command(fd, KUTRACE_IOC_CONFIGURE, &config);
}

static inline int switch_on(int fd, uint32_t lifetime)
{
	return command(fd, KUTRACE_IOC_ON, &lifetime);
}

static inline int load_with(const char *parameters)
{
	const int fd = open(module_path, O_RDONLY | O_CLOEXEC);
	const int error = fd < 0 || syscall(SYS_finit_module, fd, parameters, 0) != 0 ? errno : 0;

	close(fd);
	return error;
}

static inline int load(void) { return load_with(""); }

static inline int unload(void)
{
	return syscall(SYS_delete_module, "kutrace", O_NONBLOCK) ? errno : 0;
}

struct test_case {
	const char *name;
	void (*run)(void);
};

static inline void run_cases(const struct test_case *cases, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		now_in = cases[i].name;
		cases[i].run();
		printf("passed: %s\n", now_in);
		fflush(stdout);
	}
}

#endif
