// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which threads are left out: decided when one is switched to, so that all of its run is treated alike
 * and the entry of the switch can say it. Probes of what threads do then ask this CPU.
 */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "kutrace.h"

/* Changed while nothing records. */
static struct {
	pid_t processes[KUTRACE_CONFIG_PIDS]; /* the initial namespace's numbers */
	u32 count;
	kuid_t user;
	bool by_user;
} filter;

static u32 count_pids(const struct kutrace_config *config)
{
	u32 count = 0;

	while (count < KUTRACE_CONFIG_PIDS && config->filter_pids[count])
		count++;
	return count;
}

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

int kutrace_filter_check(const struct kutrace_config *config)
{
	bool by_user = config->flags & KUTRACE_CONFIG_FILTER_UID;
	u32 count = count_pids(config);
	u32 i;

	for (i = count; i < KUTRACE_CONFIG_PIDS; i++)
		if (config->filter_pids[i])
			return -EINVAL;
	if (by_user ? !uid_valid(make_kuid(current_user_ns(), config->filter_uid)) :
		      config->filter_uid)
		return -EINVAL;
	if ((count || by_user) && !(config->groups & KUTRACE_GROUP_SCHED))
		return -EOPNOTSUPP;
	for (i = 0; i < count; i++)
		if (!global_number(config->filter_pids[i]))
			return -ESRCH;
	return 0;
}

/* A process that ended since it was checked is a filter that nothing passes. */
void kutrace_filter_set(const struct kutrace_config *config)
{
	u32 i;

	filter.count = count_pids(config);
	filter.by_user = config->flags & KUTRACE_CONFIG_FILTER_UID;
	filter.user = make_kuid(current_user_ns(), config->filter_uid);
	for (i = 0; i < filter.count; i++)
		filter.processes[i] = global_number(config->filter_pids[i]);
}

bool kutrace_filters(void)
{
	return filter.count || filter.by_user;
}

static bool is_of_process(const struct task_struct *task)
{
	u32 i;

	for (i = 0; i < filter.count; i++)
		if (filter.processes[i] == task->tgid)
			return true;
	return !filter.count;
}

static bool is_of_user(const struct task_struct *task)
{
	return !filter.by_user || uid_eq(rcu_dereference_sched(task->real_cred)->uid, filter.user);
}

/* Called where a thread begins to run on this CPU, with preemption off. Returns what its entry says. */
u32 kutrace_filter_switch(const struct task_struct *next)
{
	bool hidden = kutrace_filters() && next->pid && !(next->flags & PF_KTHREAD) &&
		      !(is_of_process(next) && is_of_user(next));

	this_cpu_write(kutrace_cpu.hidden, hidden);
	return hidden ? KUTRACE_SWITCH_HIDDEN : 0;
}
