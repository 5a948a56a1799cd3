/* SPDX-License-Identifier: BSD-3-Clause */
/* Of odd.c: the exceptions of arm64, single steps of a traced program, and a 32-bit program. */
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

static void breakpoint(void)
{
	__asm__ volatile("brk #0");
}

static void undefined(void)
{
	__asm__ volatile("udf #0");
}

/* The processor refuses it, and the kernel does it. */
static void emulated(void)
{
	__asm__ volatile("mrs x0, midr_el1" : : : "x0");
}

static void misaligned(void)
{
	__asm__ volatile("adr x0, .\n\tadd x0, x0, #2\n\tbr x0" : : : "x0");
}

/* A system call takes the unit away; its next use gets it back. */
static void first_use(void)
{
	syscall(SYS_getppid);
	__asm__ volatile(".arch_extension sve\n\tptrue p0.b");
}

static const struct exception exceptions[] = {
	{"breakpoint", breakpoint}, {"undefined", undefined}, {"emulated", emulated},
	{"misaligned", misaligned}, {"first_use", first_use},
};

static _Noreturn void be_stepped(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	__asm__ volatile("brk #0\n0:\tnop\n\tb 0b");
	_exit(1);
}

/* Behind the breakpoint, of which a debugger has to take it. */
static int skip_breakpoint(pid_t pid)
{
	struct user_regs_struct registers;
	struct iovec all = {&registers, sizeof registers};

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &all) != 0)
		return 1;
	registers.pc += 4;
	return ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &all) != 0;
}

static void steps(void)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		signal(SIGTRAP, SIG_DFL);
		be_stepped();
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) || skip_breakpoint(pid) != 0)
		_exit(1);
	for (int i = 0; i < EXCEPTIONS; i++)
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0 ||
		    waitpid(pid, &status, 0) != pid)
			_exit(1);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	printf("steps=%d\n", EXCEPTIONS);
}

/* Makes CALLS calls (odd32.S). */
static void run_32bit(void)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		execl("/bin/kutrace-odd32", "odd32", NULL);
		_exit(1);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		_exit(1);
	printf("call32=%d\n", CALLS);
}

static void odd_things(void)
{
	steps();
	run_32bit();
}
