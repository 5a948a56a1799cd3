/* SPDX-License-Identifier: BSD-3-Clause */
/* Hello, world, between two marks: how much happens for one line. */
#include <unistd.h>

#include "lab.h"

int main(void)
{
	static const char text[] = "hello, world\n";
	KUTRACE_MARK_SCOPE("hello");

	return write(STDOUT_FILENO, text, sizeof text - 1) == sizeof text - 1 ? 0 : 1;
}
