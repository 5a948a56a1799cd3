// SPDX-License-Identifier: BSD-3-Clause
/*
 * Does a known number of what only a patched kernel shows whole: 32-bit system calls, exceptions of
 * each kind, calls that are refused, calls that fail. Prints key=count lines.
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

enum { CALLS = 100, EXCEPTIONS = 20, TAG = 0x5a5a, GETPPID_32 = 64 };

static sigjmp_buf after;

static void leave(int signal)
{
	siglongjmp(after, signal);
}

/* getppid has no argument; the first one is recorded all the same. */
static void call_32bit(void)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(GETPPID_32), "b"(TAG) : "memory");
}

static void divide(void)
{
	int dividend = 1, rest = 0, divisor = 0;

	__asm__ volatile("idivl %2" : "+a"(dividend), "+d"(rest) : "r"(divisor));
}

static void breakpoint(void)
{
	__asm__ volatile("int3");
}

/* One step with the trap flag; the handler begins without it. Below the red zone of 128 bytes. */
static void debug_trap(void)
{
	__asm__ volatile("subq $128, %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tnop\n\t"
			 "addq $128, %%rsp" : : : "memory", "cc");
}

static void invalid(void)
{
	__asm__ volatile("ud2");
}

static void privileged(void)
{
	__asm__ volatile("hlt");
}

static void each(const char *name, void (*raise)(void))
{
	for (int i = 0; i < EXCEPTIONS; i++)
		if (sigsetjmp(after, 1) == 0)
			raise();
	printf("%s=%d\n", name, EXCEPTIONS);
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
	const int caught[] = {SIGFPE, SIGTRAP, SIGILL, SIGSEGV};

	printf("pid=%d\n", getpid());
	for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
		signal(caught[i], leave);
	for (int i = 0; i < CALLS; i++)
		call_32bit();
	printf("call32=%d\n", CALLS);
	each("divide", divide);
	each("breakpoint", breakpoint);
	each("debug", debug_trap);
	each("invalid", invalid);
	each("privileged", privileged);
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
