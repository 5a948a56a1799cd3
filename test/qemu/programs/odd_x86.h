/* SPDX-License-Identifier: BSD-3-Clause */
/* Of odd.c: the exceptions of x86, and 32-bit system calls of a 64-bit program. */
enum { GETPPID_32 = 64 };

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

static const struct exception exceptions[] = {
	{"divide", divide}, {"breakpoint", breakpoint}, {"debug", debug_trap},
	{"invalid", invalid}, {"privileged", privileged},
};

static void odd_things(void)
{
	for (int i = 0; i < CALLS; i++)
		call_32bit();
	printf("call32=%d\n", CALLS);
}
