/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 64-bit code that calls as 64-bit and as 32-bit code does, by numbers that mean other calls there,
 * and starts a 32-bit program. In: that program, and what it starts in turn; out: its own process.
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls32.h"

int main(int count, char **arguments)
{
	pid_t child;
	int status = 0;

	if (count < 3)
		return 2;
	for (int i = 0; i < 23; i++)
		call32(GETPID_32, 0, 0, 0);
	for (int i = 0; i < 17; i++)
		call32(WRITE_32, 1, 0, 0); /* nothing */
	for (int i = 0; i < 11; i++)
		syscall(SYS_getppid);
	for (int i = 0; i < 3; i++) { /* numbers of no call; those of 32-bit calls stand behind 511 */
		syscall(511, 0x123456789abcL);
		syscall(600, 1);
		syscall(999, 1);
		syscall(-1, 1);
	}
	child = vfork();
	if (child == 0) {
		execv(arguments[1], arguments + 1);
		_exit(1);
	}
	waitpid(child, &status, 0);
	printf("pid=%d\nchild=%d\n", getpid(), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
