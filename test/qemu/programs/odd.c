// SPDX-License-Identifier: BSD-3-Clause
/*
 * Does a known number of what only a patched kernel shows whole: exceptions of each kind, 32-bit
 * system calls, calls that are refused, calls that fail. Prints key=count lines.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KUTRACE_MARK_BY_CALL
#include "kutrace/mark.h"

enum { CALLS = 100, EXCEPTIONS = 20, TAG = 0x5a5a };

struct exception {
	const char *name;
	void (*raise)(void);
};

/* What this processor can raise, and more that only it has. */
#if defined(__x86_64__)
#include "odd_x86.h"
#else
#include "odd_arm64.h"
#endif

static sigjmp_buf after;

static void leave(int signal)
{
	siglongjmp(after, signal);
}

/* Between marks of how many, and of none: libraries may raise some, too. */
static void each(const struct exception *exception)
{
	kutrace_mark_d(EXCEPTIONS);
	for (volatile int i = 0; i < EXCEPTIONS; i++)
		if (sigsetjmp(after, 1) == 0)
			exception->raise();
	kutrace_mark_d(0);
	printf("%s=%d\n", exception->name, EXCEPTIONS);
}

/* From here on getpgid fails with ENOTTY, without being called. */
static int refuse_getpgid(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof code[0], code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

int main(void)
{
	const int caught[] = {SIGFPE, SIGTRAP, SIGILL, SIGSEGV, SIGBUS};

	printf("pid=%d\n", getpid());
	for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
		signal(caught[i], leave);
	for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
		each(&exceptions[i]);
	odd_things();
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_close, -TAG);
	printf("failed=%d\n", CALLS);
	if (refuse_getpgid() != 0)
		return 1;
	for (int i = 0; i < CALLS; i++)
		if (syscall(SYS_getpgid, TAG) != -1 || errno != ENOTTY)
			return 1;
	printf("refused=%d\n", CALLS);
	return 0;
}
