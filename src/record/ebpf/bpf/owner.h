/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Whose a thread is (include/kutrace/owners.h): only where the recorder serves several users. */
#ifndef KUTRACE_DEVICE_OWNER_H
#define KUTRACE_DEVICE_OWNER_H

#include "claim.h"

#include <bpf/bpf_core_read.h>

#define DUMPABLE_MASK 3
#define DUMPABLE_BY_USER 1

/* Numbers of owners, by user. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KUTRACE_OWNERS_MOST);
	__type(key, u32);
	__type(value, u32);
} owners SEC(".maps");

/* As the kernel keeps it for its own question, in one place or another. */
static __always_inline int is_dumpable(const struct task_struct *task)
{
	const char *at = (const char *)task->mm;
	u32 dumpable = 0;

	if (!at)
		return 0;
	if (bpf_core_field_exists(struct task_struct___exec_state, exec_state)) {
		at = (const char *)task + bpf_core_field_offset(struct task_struct___exec_state, exec_state);
		if (bpf_probe_read_kernel(&at, sizeof(at), at))
			return 0;
		at += bpf_core_field_offset(struct task_exec_state, dumpable);
	} else if (bpf_core_field_exists(struct mm_struct___bits, flags)) {
		at += bpf_core_field_offset(struct mm_struct___bits, flags);
	} else {
		at += bpf_core_field_offset(struct mm_struct, flags);
	}
	return !bpf_probe_read_kernel(&dumpable, sizeof(dumpable), at) &&
	       (dumpable & DUMPABLE_MASK) == DUMPABLE_BY_USER;
}

/* The user who may look into this thread, or 0: only root may. */
static __always_inline u32 user_of(const struct task_struct *task)
{
	u32 uid, gid;

	if (!task->pid || task->flags & PF_KTHREAD)
		return 0;
	uid = task->real_cred->uid.val;
	gid = task->real_cred->gid.val;
	if (task->real_cred->euid.val != uid || task->real_cred->suid.val != uid ||
	    task->real_cred->egid.val != gid || task->real_cred->sgid.val != gid)
		return 0;
	return uid && is_dumpable(task) ? uid : 0;
}

static __always_inline u32 number_of(u32 user)
{
	u32 *number = user ? bpf_map_lookup_elem(&owners, &user) : 0;

	return number ? *number & KUTRACE_OWNERS_MOST : 0;
}

static __always_inline void owned_by(struct kutrace_cpu *st, u32 user)
{
	WRITE(st->user, user);
	WRITE(st->owner, number_of(user));
}

/* The bits of an entry that names a thread which is not the one that runs. */
static __always_inline u32 owner_bits_of(const struct task_struct *task)
{
	return settings.owners ? number_of(user_of(task)) << KUTRACE_OWNER_SHIFT : 0;
}

#endif
