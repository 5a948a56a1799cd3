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

/* A move that is being written, and the folders from the group up to the root. */
struct group_draft {
	struct kutrace_group_move move;
	const struct kernfs_node *node[KUTRACE_GROUP_LEVELS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct group_draft);
} group_drafts SEC(".maps");

#define READ_KERNEL(to, from) bpf_probe_read_kernel(&(to), sizeof(to), &(from))

/* How much its hierarchy says of who belongs together; 0: it is the root. */
static __always_inline u32 rank_of_group(const struct cgroup *group)
{
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

/* Null: it is in the root of each hierarchy. Among equals the newest one, which /proc names first. */
static __always_inline const struct cgroup *group_that_tells(const struct css_set *groups)
{
	u64 begin = (u64)&groups->cgrp_links, at = 0;
	const struct cgroup *best = 0, *group;
	u32 best_rank = 0;

	READ_KERNEL(at, groups->cgrp_links.next);
	for (u32 i = 0; i < MOST_HIERARCHIES; i++) {
		const struct cgrp_cset_link *link =
			(const struct cgrp_cset_link *)(at - bpf_core_field_offset(struct cgrp_cset_link,
										   cgrp_link));
		u32 rank;

		if (!at || at == begin)
			break;
		group = 0;
		READ_KERNEL(group, link->cgrp);
		rank = group ? rank_of_group(group) : 0;
		if (rank && rank >= best_rank) {
			best_rank = rank;
			best = group;
		}
		at = 0;
		READ_KERNEL(at, link->cgrp_link.next);
	}
	return best;
}

static __always_inline const struct kernfs_node *folder_above(const struct kernfs_node *node)
{
	const struct kernfs_node *above = 0;

	if (bpf_core_field_exists(struct kernfs_node, __parent))
		READ_KERNEL(above, node->__parent);
	else
		READ_KERNEL(above, ((const struct kernfs_node___before_6_15 *)node)->parent);
	return above;
}

/* How many folders there are up to the root, which is none of them; too many: as many as there is room for, + 1. */
static __always_inline u32 find_folders(struct group_draft *draft, const struct cgroup *group)
{
	const struct kernfs_node *node = 0, *above;
	u32 count = 0;

	READ_KERNEL(node, group->kn);
	for (u32 i = 0; i < KUTRACE_GROUP_LEVELS + 1; i++) {
		above = node ? folder_above(node) : 0;
		if (!above)
			break;
		if (i < KUTRACE_GROUP_LEVELS)
			draft->node[i & (KUTRACE_GROUP_LEVELS - 1)] = node;
		count = i + 1;
		node = above;
	}
	return count;
}

/* Returns the path's length; 0: it is too long, or cannot be read. */
static __always_inline u32 write_path(struct group_draft *draft, u32 folders)
{
	u32 length = 0;

	for (u32 i = 0; i < KUTRACE_GROUP_LEVELS; i++) {
		const char *name = 0;
		long bytes;

		if (i >= folders)
			break;
		if (length >= KUTRACE_GROUP_PATH - KUTRACE_GROUP_NAME)
			return 0;
		draft->move.path[length & (KUTRACE_GROUP_PATH - 1)] = '/';
		length++;
		READ_KERNEL(name, draft->node[(folders - 1 - i) & (KUTRACE_GROUP_LEVELS - 1)]->name);
		bytes = bpf_probe_read_kernel_str(&draft->move.path[length & (KUTRACE_GROUP_PATH - 1)],
						  KUTRACE_GROUP_NAME, name);
		if (bytes <= 1 || bytes > (long)KUTRACE_GROUP_NAME)
			return 0;
		length += bytes - 1;
	}
	return length;
}

static __always_inline void tell_group_of(const struct task_struct *task)
{
	u32 zero = 0, folders, length = 1;
	struct group_draft *draft = bpf_map_lookup_elem(&group_drafts, &zero);
	const struct css_set *groups = 0;
	const struct cgroup *group;

	if (!draft || READ_KERNEL(groups, task->cgroups) || !groups)
		return;
	draft->move.at = ticks();
	draft->move.process = task->tgid;
	group = group_that_tells(groups);
	if (group) {
		folders = find_folders(draft, group);
		length = folders <= KUTRACE_GROUP_LEVELS ? write_path(draft, folders) : 0;
	} else {
		draft->move.path[0] = '/';
	}
	draft->move.bytes = length;
	if (!length || length > KUTRACE_GROUP_PATH ||
	    bpf_ringbuf_output(&group_moves, &draft->move, KUTRACE_GROUP_MOVE_HEAD + length, RB_NO_WAKEUP))
		__sync_fetch_and_add(&shared.misses.group_moves_lost, 1);
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
