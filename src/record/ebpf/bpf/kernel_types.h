/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The few kernel structures the programs read, with only the fields they read. Offsets come from
 * the running kernel's BTF when the programs are loaded, so no kernel header is needed to build.
 */
#ifndef KUTRACE_DEVICE_KERNEL_TYPES_H
#define KUTRACE_DEVICE_KERNEL_TYPES_H

#include <linux/bpf.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#define PF_KTHREAD 0x00200000
#define PF_IO_WORKER 0x00000010
#define PF_USER_WORKER 0x00004000 /* since 6.4 */
#define PF_WORKER (PF_IO_WORKER | PF_USER_WORKER) /* made by the kernel in a program's process */
#define PF_NO_USER_CODE (PF_KTHREAD | PF_WORKER)

/* A fragment of a packet; one layout since 5.4, under two names (no relocation). */
struct packet_fragment {
	u64 page;
	u32 length;
	u32 offset;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	unsigned int val;
} kuid_t;

typedef struct {
	unsigned int val;
} kgid_t;

struct user_namespace {
	int level;
	kuid_t owner;
};

struct capabilities {
	u32 cap[2];
};

struct capabilities___word {
	u64 val;
};

struct cred {
	kuid_t uid;
	kgid_t gid;
	kuid_t suid;
	kgid_t sgid;
	kuid_t euid;
	kgid_t egid;
	struct capabilities cap_permitted;
	struct user_namespace *user_ns;
};

struct cred___word { /* since 6.3 */
	struct capabilities___word cap_permitted;
};

struct mm_struct {
	unsigned long flags;
};

struct mm_flags {
	unsigned long first;
};

struct mm_struct___bits { /* since 6.18 */
	struct mm_flags flags;
};

struct kernfs_node {
	u64 id;
	struct kernfs_node *__parent; /* since 6.15 */
	const char *name;
};

struct kernfs_node___before_6_15 {
	struct kernfs_node *parent;
};

struct cgroup_root {
	int hierarchy_id;
};

struct cgroup {
	int level;
	struct kernfs_node *kn;
	struct cgroup_root *root;
	struct cgroup *ancestors[1]; /* by level, since 6.1 */
};

struct cgroup___before_6_1 {
	u64 ancestor_ids[1];
};

struct list_head {
	struct list_head *next;
};

struct css_set {
	struct cgroup *dfl_cgrp; /* of version 2 */
	struct list_head cgrp_links;
};

/* One of a set's groups: it has one in each hierarchy. */
struct cgrp_cset_link {
	struct cgroup *cgrp;
	struct list_head cgrp_link;
};

struct thread_info {
	u32 status; /* x86 alone */
	u32 cpu;
};

struct thread_struct {
	unsigned long fsbase; /* x86 alone: where its thread-local variables are */
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int flags;
	unsigned int __state; /* since 5.14; 0: runnable */
	int pid;
	int tgid;
	int pagefault_disabled; /* depth; above 0, a fault ends what faulted, and waits for nothing */
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	const struct cred *real_cred;
	struct mm_struct *mm;
	struct css_set *cgroups;
	struct thread_struct thread;
	char comm[16];
};

enum task_dumpable { TASK_DUMPABLE_NONE };

struct task_exec_state {
	enum task_dumpable dumpable;
};

struct task_struct___exec_state { /* newer than 7.0: not with its memory any more */
	struct task_exec_state *exec_state;
};

struct kernel_siginfo {
	int si_code;
};

struct sk_buff {
	unsigned int len;
	unsigned int data_len;
	u16 protocol;
	u16 network_header;
	unsigned int end;
	unsigned char *head;
	unsigned char *data;
};

struct skb_shared_info {
	struct packet_fragment frags[17];
};

#pragma clang attribute pop

#endif
