// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose a thread is (kutrace/owners.h), in a recording with KUTRACE_CONFIG_OWNERS: entries that
 * name a thread then have its owner's number. Each CPU keeps what such an entry says of the thread
 * that runs there; it is asked anew at each switch, at the end of each system call, and when one
 * more user reads.
 */
#include <linux/cred.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>

#include "events.h"
#include "put.h"

#define DUMPABLE_MASK 3
#define DUMPABLE_BY_USER 1

/*
 * By number, from 1 on; 0: nobody's. With kutrace_mutex held; all are emptied while nothing
 * records.
 */
static u64 owners[KUTRACE_OWNERS_MOST + 1];
static u32 count; /* that were ever somebody's */

static u64 key_of(kuid_t user, kgid_t group)
{
	return (u64)__kgid_val(group) << KUTRACE_OWNER_GROUP_SHIFT | __kuid_val(user);
}

static u32 number_of(u64 user)
{
	/* Pairs with kutrace_owner_number(): the keys of all these numbers are there. */
	u32 last = smp_load_acquire(&count);
	u32 i;

	for (i = 1; user && i <= last; i++)
		if (READ_ONCE(owners[i]) == user)
			return i;
	return 0;
}

/* It may do nothing that its user may not: in a namespace that he made, all is his. */
static bool is_no_stronger(const struct cred *cred)
{
	const struct user_namespace *namespace = cred->user_ns;

	return namespace->level ?
		       namespace->level == 1 && uid_eq(namespace->owner, cred->uid) :
		       cap_isclear(cred->cap_permitted);
}

static bool is_dumpable(const struct task_struct *task)
{
	u32 bits;

	return kutrace_read_dumpable(task, &bits) && (bits & DUMPABLE_MASK) == DUMPABLE_BY_USER;
}

/* The user and group who may look into this thread, or 0: only root may. Preemption is off. */
static u64 user_of(const struct task_struct *task)
{
	const struct cred *cred;

	if (!task->pid || task->flags & PF_KTHREAD)
		return 0;
	cred = rcu_dereference_sched(task->real_cred);
	if (uid_eq(cred->uid, GLOBAL_ROOT_UID) || !uid_eq(cred->euid, cred->uid) ||
	    !uid_eq(cred->suid, cred->uid) || !gid_eq(cred->egid, cred->gid) ||
	    !gid_eq(cred->sgid, cred->gid))
		return 0;
	return is_no_stronger(cred) && is_dumpable(task) ? key_of(cred->uid, cred->gid) : 0;
}

static void runs_for(struct kutrace_cpu *st, const struct task_struct *task, u64 user)
{
	u32 hidden = kutrace_is_hidden() ? KUTRACE_SWITCH_HIDDEN : 0;

	WRITE_ONCE(st->user, user);
	WRITE_ONCE(st->runs, number_of(user) << KUTRACE_OWNER_SHIFT | hidden | (u32)task->pid);
}

/* By a call of its own that is over the thread that runs here may be another's than before. */
static void find_owner(void)
{
	struct kutrace_cpu *st = this_cpu_ptr(&kutrace_cpu);
	u32 before = READ_ONCE(st->runs);

	runs_for(st, current, user_of(current));
	if (READ_ONCE(st->runs) != before)
		kutrace_put(KUTRACE_USERPID, READ_ONCE(st->runs));
}

/* Where a CPU begins to record. */
void kutrace_owner_begin(void)
{
	if (kutrace_settings.owners)
		runs_for(this_cpu_ptr(&kutrace_cpu), current, user_of(current));
}

/* The same, where one more user reads, or one less. Interrupts are off. */
void kutrace_owner_find(void *unused)
{
	find_owner();
}

/* ---- hooks ----------------------------------------------------------------------------------- */

static bool is_in_block_of(const u64 *cursor, const u64 *at)
{
	return at && !(((unsigned long)cursor ^ (unsigned long)at) & ~KUTRACE_BLOCK_MASK);
}

/*
 * If the claim opens a block, that begins with the thread before, and this entry follows. If an NMI
 * opens one between the claim and the stores of `user` and `runs`, that begins with the thread
 * before, too, and this entry is in the block before it: so the thread is said once more.
 */
static __always_inline void put_switch(u32 how, const struct task_struct *next)
{
	struct kutrace_cpu *st = this_cpu_ptr(&kutrace_cpu);
	u64 user = user_of(next);
	u32 bits = kutrace_filter_switch(next) | number_of(user) << KUTRACE_OWNER_SHIFT;
	const u64 *cursor;
	u64 now;
	u64 *at = kutrace_claim(1, &now);

	WRITE_ONCE(st->user, user);
	WRITE_ONCE(st->runs, bits | (u32)next->pid);
	if (at)
		WRITE_ONCE(*at, kutrace_word(now, KUTRACE_EVENT(KUTRACE_USERPID) | how | bits |
							  (u32)next->pid));
	cursor = READ_ONCE(st->next);
	if (unlikely(kutrace_is_open(cursor) && !is_in_block_of(cursor, at)))
		kutrace_put(KUTRACE_USERPID, READ_ONCE(st->runs));
}

static __always_inline void on_switch(void *data, bool preempt, struct task_struct *prev,
				      struct task_struct *next, unsigned int prev_state)
{
	put_switch(preempt || !prev_state ? KUTRACE_SWITCH_RUNNABLE : KUTRACE_SWITCH_BLOCKED, next);
}

KUTRACE_PROBE(on_switch, (bool preempt, struct task_struct *prev, struct task_struct *next,
			  unsigned int prev_state), (preempt, prev, next, prev_state))

/* Before 5.18. */
static __always_inline void on_switch_without_state(void *data, bool preempt,
						    struct task_struct *prev,
						    struct task_struct *next)
{
	put_switch(preempt || kutrace_is_running(prev) ? KUTRACE_SWITCH_RUNNABLE :
							 KUTRACE_SWITCH_BLOCKED, next);
}

KUTRACE_PROBE(on_switch_without_state,
	      (bool preempt, struct task_struct *prev, struct task_struct *next),
	      (preempt, prev, next))

static __always_inline void on_wakeup(void *data, struct task_struct *task)
{
	kutrace_put(KUTRACE_RUNNABLE,
		    number_of(user_of(task)) << KUTRACE_OWNER_SHIFT | (u32)task->pid);
}

KUTRACE_PROBE(on_wakeup, (struct task_struct *task), (task))

/*
 * Before the return of a call, by an entry: if it has put the thread into other hands, what it made
 * of it is nothing for its user any more.
 */
static __always_inline void before_exit(void *data, struct pt_regs *regs, long result)
{
	struct kutrace_cpu *st = this_cpu_ptr(&kutrace_cpu);
	u32 owned = READ_ONCE(st->runs) & KUTRACE_OWNERS_MOST << KUTRACE_OWNER_SHIFT;

	if (likely(!owned || user_of(current) == READ_ONCE(st->user)))
		return;
	runs_for(st, current, 0);
	kutrace_put(KUTRACE_USERPID, READ_ONCE(st->runs));
}

KUTRACE_SYSCALL_PROBE(before_exit, (struct pt_regs *regs, long result), (regs, result))

/* Behind the return. */
static __always_inline void after_exit(void *data, struct pt_regs *regs, long result)
{
	find_owner();
}

KUTRACE_SYSCALL_PROBE(after_exit, (struct pt_regs *regs, long result), (regs, result))

/*
 * A thread that is not the first of its process and starts a program has another number from here
 * on.
 */
static __always_inline void after_exec(void *data, struct task_struct *task, pid_t old_pid,
				       struct linux_binprm *program)
{
	struct kutrace_cpu *st = this_cpu_ptr(&kutrace_cpu);

	if (old_pid != task->pid)
		WRITE_ONCE(st->runs, (READ_ONCE(st->runs) & ~KUTRACE_OWNER_PID_MASK) |
					     (u32)task->pid);
}

KUTRACE_PROBE(after_exec, (struct task_struct *task, pid_t old_pid, struct linux_binprm *program),
	      (task, old_pid, program))

#define probe_on_any_switch                                                                   \
	KUTRACE_CHOOSE_PROBE(sched_switch, on_switch, on_switch_without_state)

#define OWNER_HOOK(tracepoint_name, shown_as, of_group, function)                             \
	{ .name = #tracepoint_name, .alias = shown_as, .probe = KUTRACE_PROBE_OF(function),     \
	  .group = (of_group), .point = KUTRACE_POINTS, .flag_on = KUTRACE_CONFIG_OWNERS }

/* Those of one tracepoint run in the order of the tables: these before all others, ... */
static struct kutrace_hook first_hooks[] = {
	OWNER_HOOK(sys_exit, "owner_before_exit", KUTRACE_GROUP_SYSCALLS, before_exit),
};

/* ... and these behind them. */
static struct kutrace_hook last_hooks[] = {
	OWNER_HOOK(sched_switch, "owner_sched_switch", KUTRACE_GROUP_SCHED, on_any_switch),
	OWNER_HOOK(sched_waking, "owner_sched_waking", KUTRACE_GROUP_WAKEUPS, on_wakeup),
	OWNER_HOOK(sched_wakeup_new, "owner_sched_wakeup_new", KUTRACE_GROUP_WAKEUPS, on_wakeup),
	OWNER_HOOK(sched_process_exec, "owner_after_exec", 0, after_exec),
	OWNER_HOOK(sys_exit, "owner_after_exit", KUTRACE_GROUP_SYSCALLS, after_exit),
};

const struct kutrace_hook_table kutrace_first_owner_hooks = {
	first_hooks, ARRAY_SIZE(first_hooks)
};
const struct kutrace_hook_table kutrace_last_owner_hooks = { last_hooks, ARRAY_SIZE(last_hooks) };

static void __maybe_unused check_probes(void)
{
	KUTRACE_CHECK_PROBE(sched_switch, on_any_switch);
	KUTRACE_CHECK_PROBE(sched_waking, on_wakeup);
	KUTRACE_CHECK_PROBE(sched_wakeup_new, on_wakeup);
	KUTRACE_CHECK_PROBE(sched_process_exec, after_exec);
	KUTRACE_CHECK_PROBE(sys_exit, before_exit);
	KUTRACE_CHECK_PROBE(sys_exit, after_exit);
}

/* ---- configuration --------------------------------------------------------------------------- */

/* Nothing records. */
void kutrace_owners_set(const struct kutrace_config *config)
{
	kutrace_settings.owners = config->flags & KUTRACE_CONFIG_OWNERS;
	WRITE_ONCE(count, 0);
}

/* The first that is nobody's, or one behind all that there are. */
static u32 free_number(void)
{
	u32 number = 1;

	while (number <= count && owners[number])
		number++;
	return number;
}

/* Returns the number of this user as this group, which is his until it is forgotten. */
int kutrace_owner_number(const struct kutrace_owner *owner)
{
	kuid_t user = make_kuid(current_user_ns(), owner->uid);
	kgid_t group = make_kgid(current_user_ns(), owner->gid);
	u64 key = key_of(user, group);
	u32 number = number_of(key);

	if (!kutrace_settings.owners)
		return -ENODATA;
	if (!uid_valid(user) || !gid_valid(group) || uid_eq(user, GLOBAL_ROOT_UID))
		return -EINVAL;
	if (number)
		return number;
	number = free_number();
	if (number > KUTRACE_OWNERS_MOST)
		return -ENOSPC;
	WRITE_ONCE(owners[number], key);
	/* Pairs with number_of(). */
	smp_store_release(&count, max(count, number));
	return number;
}

int kutrace_owner_forget(u32 number)
{
	if (!kutrace_settings.owners)
		return -ENODATA;
	if (number > count)
		return -EINVAL;
	number = array_index_nospec(number, count + 1);
	if (!owners[number])
		return -EINVAL;
	WRITE_ONCE(owners[number], 0);
	return 0;
}
