// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which threads are left out: decided when one is switched to, so that all of its run is treated
 * alike and the entry of the switch can say it. Probes of what threads do then ask this CPU.
 *
 * What is known of processes has a byte for each number that a process can have. A process that
 * begins gets its byte anew, before it runs, so those of processes that have ended need not be
 * cleared.
 */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/vmalloc.h>
#include <trace/events/sched.h>

#include "kutrace.h"

/* Changed while nothing records, but for the bytes. */
static struct kutrace_filter filter;
static kuid_t user;
static u8 *processes; /* by the initial namespace's numbers; NULL: no filter asks */

/* The number of a process that the caller names; 0 if there is none. */
static pid_t global_number(u32 number)
{
	struct task_struct *task;
	pid_t found = 0;

	rcu_read_lock();
	task = pid_task(find_vpid(number), PIDTYPE_TGID);
	if (task)
		found = task_tgid_nr(task);
	rcu_read_unlock();
	return found;
}

static bool is_well_formed(const struct kutrace_filter *wanted)
{
	u32 i;

	if (wanted->flags & ~KUTRACE_FILTER_FLAGS || wanted->names > KUTRACE_FILTER_MOST ||
	    wanted->cgroups > KUTRACE_FILTER_MOST)
		return false;
	if (!!wanted->names != !!(wanted->flags & KUTRACE_FILTER_NAMES) ||
	    !!wanted->cgroups != !!(wanted->flags & KUTRACE_FILTER_CGROUPS))
		return false;
	for (i = 0; i < wanted->cgroups; i++)
		if (wanted->cgroup[i].reserved)
			return false;
	return wanted->flags & KUTRACE_FILTER_USER ?
		       uid_valid(make_kuid(current_user_ns(), wanted->uid)) :
		       !wanted->uid;
}

/* In place of the filter before, with no process. What fails leaves that one. */
int kutrace_filter_set(const struct kutrace_filter *wanted)
{
	if (!is_well_formed(wanted))
		return -EINVAL;
	if (wanted->flags & KUTRACE_FILTER_CGROUPS && !IS_ENABLED(CONFIG_CGROUPS))
		return -ENOPKG;
	if (wanted->flags & (KUTRACE_FILTER_PROCESSES | KUTRACE_FILTER_FOLLOW) && !processes) {
		processes = __vmalloc(PID_MAX_LIMIT, KUTRACE_GFP_TABLE);
		if (!processes)
			return -ENOMEM;
	}
	kutrace_filter_clear();
	filter = *wanted;
	user = make_kuid(current_user_ns(), wanted->uid);
	return 0;
}

/*
 * They get it, or with 0 lose all of it. Returns -ESRCH if one of those that are named does not
 * exist.
 */
int kutrace_filter_tell(const u32 *numbers, u32 count, u32 what)
{
	u32 needs = KUTRACE_FILTER_PROCESSES | KUTRACE_FILTER_FOLLOW;
	int error = 0;
	u32 i;

	if (what && what != KUTRACE_PROCESS_NAMED && what != KUTRACE_PROCESS_FOLLOWED &&
	    what != KUTRACE_PROCESS_LAUNCHER)
		return -EINVAL;
	if (what)
		needs = what == KUTRACE_PROCESS_NAMED ? KUTRACE_FILTER_PROCESSES :
							KUTRACE_FILTER_FOLLOW;
	if (!(filter.flags & needs))
		return -ENODATA;
	for (i = 0; i < count; i++) {
		pid_t number = global_number(numbers[i]);

		if (number)
			WRITE_ONCE(processes[number],
				   what ? READ_ONCE(processes[number]) | what : 0);
		else if (what == KUTRACE_PROCESS_NAMED)
			error = -ESRCH;
	}
	return error;
}

void kutrace_filter_clear(void)
{
	memset(&filter, 0, sizeof(filter));
	if (processes)
		memset(processes, 0, PID_MAX_LIMIT);
}

void kutrace_filter_free(void)
{
	vfree(processes);
	processes = NULL;
}

bool kutrace_filters(void)
{
	return filter.flags;
}

static u8 known_of(const struct task_struct *task)
{
	return filter.flags & (KUTRACE_FILTER_PROCESSES | KUTRACE_FILTER_FOLLOW) ?
		       READ_ONCE(processes[task->tgid]) :
		       0;
}

static bool is_of_user(const struct task_struct *task)
{
	return uid_eq(rcu_dereference_sched(task->real_cred)->uid, user);
}

static bool has_name(const struct task_struct *task)
{
	u64 comm[2];
	u32 i;

	BUILD_BUG_ON(sizeof(task->comm) != sizeof(comm));
	memcpy(comm, READ_ONCE(task->group_leader)->comm, sizeof(comm));
	for (i = 0; i < filter.names; i++) {
		const struct kutrace_filter_name *name = &filter.name[i];

		if (!((comm[0] ^ name->name[0]) & name->mask[0]) &&
		    !((comm[1] ^ name->name[1]) & name->mask[1]))
			return true;
	}
	return false;
}

#if IS_ENABLED(CONFIG_CGROUPS)
static bool is_in_group(const struct task_struct *task)
{
	struct cgroup *group = rcu_dereference_sched(task->cgroups)->dfl_cgrp;
	u32 i;

	for (i = 0; i < filter.cgroups; i++) {
		const struct cgroup *above = cgroup_ancestor(group, filter.cgroup[i].level);

		if (above && cgroup_id(above) == filter.cgroup[i].id)
			return true;
	}
	return false;
}
#else
static bool is_in_group(const struct task_struct *task)
{
	return false;
}
#endif

static bool passes(const struct task_struct *task)
{
	u32 criteria = filter.flags & KUTRACE_FILTER_CRITERIA;
	u8 known = known_of(task);

	if (known & KUTRACE_PROCESS_FOLLOWED)
		return true;
	return criteria &&
	       (!(criteria & KUTRACE_FILTER_PROCESSES) || known & KUTRACE_PROCESS_NAMED) &&
	       (!(criteria & KUTRACE_FILTER_USER) || is_of_user(task)) &&
	       (!(criteria & KUTRACE_FILTER_NAMES) || has_name(task)) &&
	       (!(criteria & KUTRACE_FILTER_CGROUPS) || is_in_group(task));
}

/*
 * Called where a thread begins to run on this CPU, with preemption off. Returns what its entry
 * says.
 */
u32 kutrace_filter_switch(const struct task_struct *next)
{
	bool hidden = kutrace_filters() && next->pid && !(next->flags & PF_KTHREAD) &&
		      !passes(next);

	this_cpu_write(kutrace_cpu.hidden, hidden);
	return hidden ? KUTRACE_SWITCH_HIDDEN : 0;
}

/* Whether the processes that this one starts are followed. */
static bool is_followed_by_children(const struct task_struct *parent)
{
	return filter.flags & KUTRACE_FILTER_FOLLOW &&
	       (known_of(parent) & KUTRACE_PROCESS_LAUNCHER || passes(parent));
}

/* A process does not run before this is over. */
static void on_birth(void *data, struct task_struct *parent, struct task_struct *child)
{
	if (processes && child->pid == child->tgid)
		WRITE_ONCE(processes[child->tgid],
			   is_followed_by_children(parent) ? KUTRACE_PROCESS_FOLLOWED : 0);
}

KUTRACE_PROBE(on_birth, (struct task_struct *parent, struct task_struct *child), (parent, child))

static struct kutrace_hook hooks[] = {
	{ .name = "sched_process_fork", .filtered = KUTRACE_PROBE_OF(on_birth),
	  .point = KUTRACE_POINTS },
};

const struct kutrace_hook_table kutrace_filter_hooks = { hooks, ARRAY_SIZE(hooks) };

static void __maybe_unused check_probes(void)
{
	KUTRACE_CHECK_PROBE(sched_process_fork, on_birth);
}
