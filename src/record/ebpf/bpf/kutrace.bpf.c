/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The BPF object: every hook, and the program that starts a CPU. */
#include "arguments.h"
#include "claim.h"
#include "faults.h"
#include "interrupts.h"
#include "network.h"
#include "power.h"
#include "syscalls.h"

/* In the order in which those of one tracepoint are attached. */
#include "points.h"

#include "functions.h"

#include "stacks.h"
#include "tasks.h"

/* Behind tasks.h: a new process is named before it is in a group. */
#include "groups.h"

char kutrace_license[] SEC("license") = "Dual BSD/GPL";

/* Run once on each CPU: opens its first block, which begins with what is running there. */
SEC("raw_tp/kutrace_start")
int start_cpu(void *unused)
{
	struct kutrace_cpu *st = this_cpu();

	WRITE(st->start_irq, 1);
	start_recording(st);
	return 0;
}

/* Run on each CPU before recording ends: reads the marks in the buffer of what runs there. */
HOOK_IN("raw_tp/kutrace_read_buffers", read_buffers, u64 unused)
{
	this_cpu_running(1);
	return 0;
}

/* Run on each CPU when one more user reads: what runs there may be his. */
HOOK_IN("raw_tp/kutrace_owner", tell_owner, u64 unused)
{
	if (settings.owners)
		find_owner(1);
	return 0;
}
