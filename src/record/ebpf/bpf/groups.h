/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Processes that move to another control group, or begin in another one than their parent: from when on
 * each is in which. They go to the recorder beside the blocks, as they are rare, and paths are long.
 *
 * A process is in a group of each hierarchy. The one that is told is chosen as record/proc/cgroups.cpp
 * chooses it, whichever hierarchy the move was in.
 */
#ifndef KUTRACE_DEVICE_GROUPS_H
#define KUTRACE_DEVICE_GROUPS_H

#include "claim.h"
#include "hook.h"

#include <bpf/bpf_core_read.h>

#define MOST_HIERARCHIES 32u
#define RB_NO_WAKEUP 1ull /* the recorder looks by itself; waking it would be an interrupt in the trace */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, KUTRACE_GROUP_MOVES_BYTES);
} group_moves SEC(".maps");

/* A move that is being written: whose, and the folders from the group up to the root. */
struct group_draft {
	struct kutrace_group_move move;
	u64 task;
	u64 node[KUTRACE_GROUP_LEVELS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct group_draft);
} group_drafts SEC(".maps");

#define READ_KERNEL(to, from) bpf_probe_read_kernel(&(to), sizeof(to), &(from))

/*
 * The verifier looks at each of these functions once, and knows nothing of what they return: in line, their
 * loops would take it a second. Addresses are numbers here, as they are only read by helper.
 */

static __always_inline struct group_draft *draft_here(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&group_drafts, &zero);
}

/* How much its hierarchy says of who belongs together; 0: it is the root. */
__noinline u64 rank_of_group(u64 address)
{
	const struct cgroup *group = (const struct cgroup *)address;
	const struct cgroup_root *root = 0;
	int level = 0, hierarchy = -1;

	if (READ_KERNEL(level, group->level) || level == 0 || READ_KERNEL(root, group->root) ||
	    READ_KERNEL(hierarchy, root->hierarchy_id))
		return 0;
	if (hierarchy == 0) /* version 2 */
		return 4;
	if ((u32)hierarchy == settings.systemd_hierarchy)
		return 3;
	return (u32)hierarchy == settings.cpu_hierarchy ? 2 : 1;
}

/* 0: it is in the root of each hierarchy. Among equals the newest one, which /proc names first. */
__noinline u64 group_that_tells(u64 groups)
{
	u64 begin = groups + bpf_core_field_offset(struct css_set, cgrp_links);
	u64 at = 0, best = 0, best_rank = 1;

	READ_KERNEL(at, ((const struct list_head *)begin)->next);
	for (u32 i = 0; i < MOST_HIERARCHIES; i++) {
		u64 link = at - bpf_core_field_offset(struct cgrp_cset_link, cgrp_link);
		u64 group = 0, rank;

		if (!at || at == begin)
			break;
		READ_KERNEL(group, ((const struct cgrp_cset_link *)link)->cgrp);
		rank = rank_of_group(group);
		if (rank >= best_rank) {
			best_rank = rank;
			best = group;
		}
		READ_KERNEL(at, ((const struct list_head *)at)->next);
	}
	return best;
}

__noinline u64 folder_above(u64 address)
{
	const struct kernfs_node *node = (const struct kernfs_node *)address;
	u64 above = 0;

	if (bpf_core_field_exists(struct kernfs_node, __parent))
		READ_KERNEL(above, node->__parent);
	else
		READ_KERNEL(above, ((const struct kernfs_node___before_6_15 *)node)->parent);
	return above;
}

/* How many folders there are up to the root, which is none of them; too many: as many as there is room for, + 1. */
__noinline u64 find_folders(u64 group)
{
	struct group_draft *draft = draft_here();
	u64 node = 0, above;
	u32 count = 0;

	if (!draft)
		return 0;
	READ_KERNEL(node, ((const struct cgroup *)group)->kn);
	for (u32 i = 0; i < KUTRACE_GROUP_LEVELS + 1; i++) {
		above = folder_above(node);
		if (!above)
			break;
		if (i < KUTRACE_GROUP_LEVELS)
			draft->node[i] = node;
		count = i + 1;
		node = above;
	}
	return count;
}

/* Behind what the path has already. Its new length; 0: it is too long, or the name cannot be read. */
__noinline u64 add_folder(u64 length, u64 which)
{
	struct group_draft *draft = draft_here();
	const char *name = 0;
	u64 node;
	long bytes;

	if (!draft || length >= KUTRACE_GROUP_PATH - KUTRACE_GROUP_NAME)
		return 0;
	node = draft->node[which & (KUTRACE_GROUP_LEVELS - 1)];
	READ_KERNEL(name, ((const struct kernfs_node *)node)->name);
	draft->move.path[length] = '/';
	length++;
	bytes = bpf_probe_read_kernel_str(&draft->move.path[length], KUTRACE_GROUP_NAME, name);
	if (bytes <= 1 || bytes > (long)KUTRACE_GROUP_NAME)
		return 0;
	return length + bytes - 1;
}

/* Returns the path's length; 0: it is too long, or cannot be read. */
__noinline u64 write_path(u64 folders)
{
	u64 length = 0;

	for (u32 i = 0; i < KUTRACE_GROUP_LEVELS; i++) {
		if (i >= folders)
			break;
		length = add_folder(length, folders - 1 - i);
		if (!length)
			break;
	}
	return length;
}

__noinline u64 tell_group(u64 now)
{
	struct group_draft *draft = draft_here();
	u64 groups = 0, group, folders, length = 1;
	const struct task_struct *task;

	if (!draft)
		return 0;
	task = (const struct task_struct *)draft->task;
	if (READ_KERNEL(groups, task->cgroups) || !groups)
		return 0;
	draft->move.at = now;
	READ_KERNEL(draft->move.process, task->tgid);
	draft->move.path[0] = '/';
	group = group_that_tells(groups);
	if (group) {
		folders = find_folders(group);
		length = folders <= KUTRACE_GROUP_LEVELS ? write_path(folders) : 0;
	}
	draft->move.bytes = length;
	if (!length || length > KUTRACE_GROUP_PATH ||
	    bpf_ringbuf_output(&group_moves, &draft->move, KUTRACE_GROUP_MOVE_HEAD + length, RB_NO_WAKEUP))
		__sync_fetch_and_add(&shared.misses.group_moves_lost, 1);
	return 0;
}

/* An address may be stored, but not given to a function as a number. */
static __always_inline void tell_group_of(struct task_struct *task)
{
	struct group_draft *draft = draft_here();

	if (!draft)
		return;
	draft->task = (u64)task;
	tell_group(ticks());
}

/* Of one thread that is moved alone, /proc tells only if it is the first of its process. */
HOOK_AT(cgroup_attach_task, group_attach, const void *group, const char *path, struct task_struct *task)
{
	if (task->pid == task->tgid)
		tell_group_of(task);
	return 0;
}

/* Version 1: where a cpuset has no CPU left. */
HOOK_AT(cgroup_transfer_tasks, group_transfer, const void *group, const char *path, struct task_struct *task)
{
	if (task->pid == task->tgid)
		tell_group_of(task);
	return 0;
}

/*
 * A process that clone3 puts into a group, or whose parent is not the one that made it (CLONE_PARENT). All in
 * the same groups have the same set of them.
 */
HOOK_AT(sched_process_fork, group_birth, struct task_struct *maker, struct task_struct *child)
{
	const struct task_struct *parent = 0, *first = 0;
	u64 of_child = 0, of_parent = 0;

	if (child->pid != child->tgid || READ_KERNEL(of_child, child->cgroups) ||
	    READ_KERNEL(parent, child->real_parent) || READ_KERNEL(first, parent->group_leader) ||
	    READ_KERNEL(of_parent, first->cgroups))
		return 0;
	if (of_child != of_parent)
		tell_group_of(child);
	return 0;
}

#endif
