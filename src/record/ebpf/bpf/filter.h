/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Whether a filter lets a thread pass (include/kutrace/filter.h), and what is known of processes: a
 * byte for each number that a process can have. One that begins gets its byte anew, before it runs, so
 * those of processes that have ended need not be cleared.
 */
#ifndef KUTRACE_DEVICE_FILTER_H
#define KUTRACE_DEVICE_FILTER_H

#include "claim.h"

#include <bpf/bpf_core_read.h>

/* Made so large as needed. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct kutrace_process_page);
} processes SEC(".maps");

static __always_inline u8 *known_of(u32 process)
{
	u32 key = process / KUTRACE_PROCESSES_PER_PAGE;
	struct kutrace_process_page *page = bpf_map_lookup_elem(&processes, &key);

	return page ? &page->known[process % KUTRACE_PROCESSES_PER_PAGE] : 0;
}

static __always_inline int has_name(const struct task_struct *task)
{
	const struct task_struct *first = task->group_leader;
	u64 comm[2] = {comm_word(first, 0), comm_word(first, 8)};
	u32 found = 0;

#pragma clang loop unroll(full)
	for (u32 i = 0; i < KUTRACE_FILTER_MOST; i++)
		if (i < settings.filter.names &&
		    !((comm[0] ^ settings.filter.name[i].name[0]) & settings.filter.name[i].mask[0]) &&
		    !((comm[1] ^ settings.filter.name[i].name[1]) & settings.filter.name[i].mask[1]))
			found = 1;
	return found;
}

/* The number of the control group above that is on this level; 0: there is none. */
static __always_inline u64 group_above(const struct cgroup *group, u32 level)
{
	const struct kernfs_node *node = 0;
	const struct cgroup *above = 0;
	const char *at = (const char *)group;
	u64 id = 0;

	if ((u32)group->level < level)
		return 0;
	if (!bpf_core_field_exists(struct cgroup, ancestors)) { /* before 6.1 */
		at += bpf_core_field_offset(struct cgroup___before_6_1, ancestor_ids);
		bpf_probe_read_kernel(&id, sizeof(id), at + level * sizeof(id));
		return id;
	}
	at += bpf_core_field_offset(struct cgroup, ancestors);
	if (!bpf_probe_read_kernel(&above, sizeof(above), at + level * sizeof(above)) &&
	    !bpf_probe_read_kernel(&node, sizeof(node), &above->kn))
		bpf_probe_read_kernel(&id, sizeof(id), &node->id);
	return id;
}

static __always_inline int is_in_group(const struct task_struct *task)
{
	const struct cgroup *group = task->cgroups->dfl_cgrp;
	u32 found = 0;

#pragma clang loop unroll(full)
	for (u32 i = 0; i < KUTRACE_FILTER_MOST; i++)
		if (i < settings.filter.cgroups &&
		    group_above(group, settings.filter.cgroup[i].level) == settings.filter.cgroup[i].id)
			found = 1;
	return found;
}

static __always_inline int passes_filter(const struct task_struct *task)
{
	u32 criteria = settings.filter.flags & KUTRACE_FILTER_CRITERIA;
	u8 known = 0;

	if (settings.filter.flags & (KUTRACE_FILTER_PROCESSES | KUTRACE_FILTER_FOLLOW)) {
		u8 *at = known_of(task->tgid);

		known = at ? READ(*at) : 0;
		if (known & KUTRACE_PROCESS_FOLLOWED)
			return 1;
	}
	if (!criteria || (criteria & KUTRACE_FILTER_PROCESSES && !(known & KUTRACE_PROCESS_NAMED)))
		return 0;
	if (criteria & KUTRACE_FILTER_USER && task->real_cred->uid.val != settings.filter.uid)
		return 0;
	if (criteria & KUTRACE_FILTER_NAMES && !has_name(task))
		return 0;
	return !(criteria & KUTRACE_FILTER_CGROUPS) || is_in_group(task);
}

/* Whether the processes that this one starts are followed. */
static __always_inline int is_followed_by_children(const struct task_struct *parent)
{
	u8 *known = known_of(parent->tgid);

	if (!(settings.filter.flags & KUTRACE_FILTER_FOLLOW))
		return 0;
	return (known && READ(*known) & KUTRACE_PROCESS_LAUNCHER) || passes_filter(parent);
}

#endif
