/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Whose a thread is (include/kutrace/owners.h): only where the recorder serves several users. */
#ifndef KUTRACE_DEVICE_OWNER_H
#define KUTRACE_DEVICE_OWNER_H

#include "claim.h"

#include <bpf/bpf_core_read.h>

#define DUMPABLE_MASK 3
#define DUMPABLE_BY_USER 1

/* Numbers of owners, by user and group. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KUTRACE_OWNERS_MOST);
	__type(key, u64);
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

static __always_inline int has_capabilities(const struct cred *cred)
{
	if (bpf_core_field_exists(struct cred___word, cap_permitted.val))
		return ((const struct cred___word *)cred)->cap_permitted.val != 0;
	return cred->cap_permitted.cap[0] || cred->cap_permitted.cap[1];
}

/* It may do nothing that its user may not: in a namespace that he made, all is his. */
static __always_inline int is_no_stronger(const struct cred *cred, u32 uid)
{
	int level = cred->user_ns->level;

	return level ? level == 1 && cred->user_ns->owner.val == uid : !has_capabilities(cred);
}

/* The user and, above him, the group who may look into this thread, or 0: only root may. */
static __always_inline u64 user_of(const struct task_struct *task)
{
	const struct cred *cred;
	u32 uid, gid;

	if (!task->pid || task->flags & PF_KTHREAD)
		return 0;
	cred = task->real_cred;
	uid = cred->uid.val;
	gid = cred->gid.val;
	if (!uid || cred->euid.val != uid || cred->suid.val != uid || cred->egid.val != gid ||
	    cred->sgid.val != gid)
		return 0;
	return is_no_stronger(cred, uid) && is_dumpable(task) ? (u64)gid << KUTRACE_OWNER_GROUP_SHIFT | uid : 0;
}

static __always_inline u32 number_of(u64 user)
{
	u32 *number = user ? bpf_map_lookup_elem(&owners, &user) : 0;

	return number ? *number & KUTRACE_OWNERS_MOST : 0;
}

static __always_inline void owned_by(struct kutrace_cpu *st, u64 user)
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
