/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Whose doings are recorded: what recorders tell the eBPF programs and the kernel module.
 *
 * A filter names threads. What all others do is left out: system calls, faults, exceptions, inserts,
 * samples. That they run, and what is nobody's (interrupts, idle, wakeups, packets, names), is recorded.
 * Which it is, is found when a thread is switched to, and stands in the entry of the switch: so the
 * group of context switches must be on. Threads of the kernel are never left out.
 *
 * A thread passes if all criteria that count say so: it is of one of the processes, of the user; the
 * name of its process (of the first thread) is one of the names; its process is in one of the control
 * groups or below. It passes, too, if its process is followed: told so, or, with FOLLOW, started by a
 * process that passed then, or by a launcher.
 *
 * Valid C11, C++17, kernel C and BPF.
 */
#ifndef KUTRACE_FILTER_H
#define KUTRACE_FILTER_H

#include "kutrace/abi.h"

#define KUTRACE_FILTER_USER 1u
#define KUTRACE_FILTER_PROCESSES 2u
#define KUTRACE_FILTER_NAMES 4u
#define KUTRACE_FILTER_CGROUPS 8u
#define KUTRACE_FILTER_CRITERIA 15u
#define KUTRACE_FILTER_FOLLOW 16u
#define KUTRACE_FILTER_FLAGS 31u

#define KUTRACE_FILTER_MOST 8u /* names, and control groups */

/* A process has it if its 16 bytes of name agree in all bits of the mask. */
struct kutrace_filter_name {
	uint64_t name[2];
	uint64_t mask[2];
};

/* A control group of version 2. */
struct kutrace_filter_cgroup {
	uint64_t id;    /* its number, which its folder has as inode */
	uint32_t level; /* below the root, which is 0 */
	uint32_t reserved;
};

struct kutrace_filter {
	uint32_t flags; /* which of these count; 0: there is no filter */
	uint32_t uid;   /* real user; 0 unless it counts, as the two counts */
	uint32_t names;
	uint32_t cgroups;
	struct kutrace_filter_name name[KUTRACE_FILTER_MOST];
	struct kutrace_filter_cgroup cgroup[KUTRACE_FILTER_MOST];
};

/* What is known of a process, by its number. */
#define KUTRACE_PROCESS_NAMED 1u    /* it is one of the processes of the filter */
#define KUTRACE_PROCESS_FOLLOWED 2u /* it passes */
#define KUTRACE_PROCESS_LAUNCHER 4u /* what it starts is followed, itself it need not be */

#define KUTRACE_PROCESSES_MOST (1u << 22) /* numbers that a kernel gives at most */

KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_filter) == 400, "a filter is 400 bytes");

#endif
