// SPDX-License-Identifier: BSD-3-Clause
// Calls whose paths count them: access("/access/1"), readlink("/readlink/1"), ..., until the end of standard
// input. Out: how many of each.
#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLS_IN_A_ROW 50
#define PAUSE_MS 1

int main(void)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	char path[32];
	char target[8];
	long count = 0;

	while (poll(&input, 1, PAUSE_MS) == 0)
		for (int i = 0; i < CALLS_IN_A_ROW; i++) {
			count++;
			snprintf(path, sizeof path, "/access/%ld", count);
			syscall(SYS_access, path, F_OK);
			snprintf(path, sizeof path, "/readlink/%ld", count);
			syscall(SYS_readlink, path, target, sizeof target);
		}
	printf("%ld\n", count);
	return 0;
}
