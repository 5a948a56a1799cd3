/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A static 32-bit program without a library, as few machines have one of 32 bits. In: the 64-bit
 * program that it starts at its end. What it calls, how often, compat_test.py knows.
 */
#include "calls32.h"

static void start(char **arguments)
{
	static char *none[1];

	if (call32(VFORK_32, 0, 0, 0) == 0) {
		call32(EXECVE_32, (long)arguments[0], (long)arguments, (long)none);
		call32(EXIT_32, 1, 0, 0);
	}
	call32(WAITPID_32, -1, 0, 0);
}

__attribute__((used)) static void run(long *stack)
{
	char **arguments = (char **)(stack + 1); /* behind their number */
	static char bytes[64];
	long file;

	for (int i = 0; i < 100; i++)
		call32(GETPPID_32, 0, 0, 0);
	for (int i = 0; i < 37; i++)
		call32(GETPID_32, 0, 0, 0);
	file = call32(OPEN_32, (long)"/dev/null", 0, 0);
	for (int i = 0; i < 10; i++)
		call32(READ_32, file, (long)bytes, sizeof(bytes));
	call32(DUP2_32, file, 0, 0); /* what a child has as its 0 */
	call32(CLOSE_32, file, 0, 0);
	for (int i = 0; i < 5; i++)
		call32(UNKNOWN_32, 1, 2, 3);
	start(arguments + 1);
	call32(EXIT_32, 7, 0, 0);
}

__asm__(".globl _start\n_start:\n\tmov %esp, %eax\n\tpush %eax\n\tcall run\n");
