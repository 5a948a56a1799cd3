/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * switching FILE: switches the recorder that somebody made ready on and off, with a mark before, while,
 * and behind it, and has it write FILE. Ends with 0 if all that was done, and nothing that cannot be.
 */
#include <kutrace/mark.h>
#include <kutrace/recorder.h>

int main(int count, char **words)
{
	if (count != 2)
		return 2;
	kutrace_mark("before it is on");
	if (kutrace_on() != 0)
		return 3;
	kutrace_mark("while it is on");
	if (kutrace_off() != 0)
		return 4;
	kutrace_mark("behind it");
	if (kutrace_stop("no/path/from/the/root") == 0 || errno != EINVAL)
		return 5;
	if (kutrace_order("dance") == 0 || errno != EPROTO)
		return 6;
	if (kutrace_stop(words[1]) != 0)
		return 7;
	return kutrace_on() == 0 ? 8 : 0; /* it is gone */
}
