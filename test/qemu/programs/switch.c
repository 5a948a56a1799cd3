// SPDX-License-Identifier: BSD-3-Clause
/*
 * Has the module record everything for so many milliseconds, into nothing: switch MS. The recording ends
 * because this ends, as it would if a recorder were killed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kutrace/control.h"

int main(int argc, char **argv)
{
	const struct kutrace_config config = {.mode = KUTRACE_MODE_WRAP,
					      .groups = KUTRACE_GROUPS_ALL,
					      .sample_hz = 1000,
					      .packet_mask = KUTRACE_PACKET_ALL};
	const uint32_t lifetime = KUTRACE_ON_ATTACHED;
	const int device = open(KUTRACE_DEVICE, O_RDWR);
	struct kutrace_status status;

	if (argc != 2 || device < 0 || ioctl(device, KUTRACE_IOC_CONFIGURE, &config) != 0 ||
	    ioctl(device, KUTRACE_IOC_ON, &lifetime) != 0) {
		perror(KUTRACE_DEVICE);
		return 1;
	}
	usleep((useconds_t)atoi(argv[1]) * 1000);
	if (ioctl(device, KUTRACE_IOC_STATUS, &status) != 0 || !status.recording)
		return 1;
	printf("%u\n", status.blocks_used);
	return 0;
}
