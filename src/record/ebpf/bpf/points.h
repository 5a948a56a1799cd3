/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Moments with up to three numbers, which events.def names: locks, disks, signals, processes, memory,
 * timers, work, sockets, pages. Their groups, but for processes, are off unless asked for; then each is a
 * program of its own.
 */
#ifndef KUTRACE_DEVICE_POINTS_H
#define KUTRACE_DEVICE_POINTS_H

#include "hook.h"
#include "put_point.h"

#define FAMILY_IP4 2
#define FAMILY_IP6 10
#define SIGNAL_GROUP_EXIT 4

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct block_device {
	u32 bd_dev;
};

struct request {
	u64 __sector;
	unsigned int __data_len;
	struct block_device *part;
};

struct timer_list {
	void *function;
};

struct hrtimer {
	void *function;
};

struct work_struct {
	void *func;
};

struct sock_common {
	u16 skc_dport;
	u16 skc_num;
	u16 skc_family;
};

struct sock {
	struct sock_common __sk_common;
};

struct sk_buff___tcp {
	char cb[48];
};

struct tcp_skb_cb {
	u16 tcp_gso_segs;
};

struct thread_count {
	int counter;
};

struct signal_struct {
	struct thread_count live;
	unsigned int flags;
	int group_exit_code;
};

struct task_struct___point {
	int exit_code;
	struct task_struct___point *group_leader;
	struct signal_struct *signal;
};

#pragma clang attribute pop

/* ---- Locks -------------------------------------------------------------------------------------- */

HOOK_AT(contention_begin, point_contention_begin, void *lock, unsigned int flags)
{
	put_point(KUTRACE_CONTENTION_BEGIN, 2, (u64)lock, flags, 0);
	return 0;
}

HOOK_AT(contention_end, point_contention_end, void *lock, int result)
{
	put_point(KUTRACE_CONTENTION_END, 3, (u64)lock, 0, (s64)result);
	return 0;
}

/* ---- Disks -------------------------------------------------------------------------------------- */

HOOK_AT(block_rq_issue, point_block_issue, struct request *rq)
{
	put_point(KUTRACE_BLOCK_ISSUE, 3, rq->__sector, rq->__data_len, rq->part->bd_dev);
	return 0;
}

HOOK_AT(block_rq_complete, point_block_complete, struct request *rq, u64 error, unsigned int bytes)
{
	put_point(KUTRACE_BLOCK_COMPLETE, 3, rq->__sector, bytes, rq->part->bd_dev);
	return 0;
}

/* ---- Signals, processes ------------------------------------------------------------------------- */

HOOK_AT(signal_generate, point_signal_send, int signal, void *info, struct task_struct *task, int group,
	int result)
{
	put_point(KUTRACE_SIGNAL_SEND, 3, signal, task->pid, (s64)result);
	return 0;
}

HOOK_AT(signal_deliver, point_signal_take, int signal)
{
	put_point(KUTRACE_SIGNAL_TAKE, 1, signal, 0, 0);
	return 0;
}

HOOK_AT(sched_process_fork, point_fork, struct task_struct *parent, struct task_struct *child)
{
	put_point(KUTRACE_FORK, 2, child->pid, child->tgid, 0);
	return 0;
}

HOOK_AT(sched_process_exec, point_exec, struct task_struct *task, int old)
{
	put_point(KUTRACE_EXEC, 2, task->pid, old, 0);
	return 0;
}

/* 15:8 what was given to exit, 7:0 the signal that ended it: what wait(2) will tell of the process. */
static __always_inline s64 status_of(const struct task_struct___point *task)
{
	const struct signal_struct *signal = task->signal;

	if (signal->flags & SIGNAL_GROUP_EXIT)
		return signal->group_exit_code;
	return task->group_leader->exit_code;
}

/* The last thread of a process tells its status. */
HOOK_AT(sched_process_exit, point_exit, struct task_struct *task)
{
	const struct task_struct___point *ended = (const struct task_struct___point *)task;

	if (ended->signal->live.counter > 0)
		put_point(KUTRACE_EXIT, 2, task->pid, task->tgid, 0);
	else
		put_point(KUTRACE_EXIT, 3, task->pid, task->tgid, status_of(ended));
	return 0;
}

HOOK_AT(sched_migrate_task, point_migrate, struct task_struct *task, int to)
{
	put_point(KUTRACE_MIGRATE, 3, task->pid, (u32)to, (s64)task->thread_info.cpu);
	return 0;
}

/* ---- Memory ------------------------------------------------------------------------------------- */

HOOK_AT(mark_victim, point_out_of_memory)
{
	put_point(KUTRACE_OUT_OF_MEMORY, 1, 0, 0, 0);
	return 0;
}

/*
 * Order and flags of the allocation; newer kernels pass the flags first. Who may reclaim has a flag that is
 * larger than any order.
 */
HOOK_AT(mm_vmscan_direct_reclaim_begin, point_reclaim_begin, u32 first, u32 second)
{
	put_point(KUTRACE_RECLAIM_BEGIN, 1, first < second ? first : second, 0, 0);
	return 0;
}

HOOK_AT(mm_vmscan_direct_reclaim_end, point_reclaim_end, unsigned long pages)
{
	put_point(KUTRACE_RECLAIM_END, 3, 0, 0, pages);
	return 0;
}

/* The same where a control group is at its limit. */
HOOK_AT(mm_vmscan_memcg_reclaim_begin, point_group_reclaim_begin, u32 first, u32 second)
{
	put_point(KUTRACE_RECLAIM_BEGIN, 1, first < second ? first : second, 0, 0);
	return 0;
}

HOOK_AT(mm_vmscan_memcg_reclaim_end, point_group_reclaim_end, unsigned long pages)
{
	put_point(KUTRACE_RECLAIM_END, 3, 0, 0, pages);
	return 0;
}

HOOK_AT(mm_vmscan_kswapd_wake, point_kswapd_wake, int node, int zone, int order)
{
	put_point(KUTRACE_KSWAPD_WAKE, 2, (u32)node, (u32)order, 0);
	return 0;
}

HOOK_AT(mm_vmscan_kswapd_sleep, point_kswapd_sleep, int node)
{
	put_point(KUTRACE_KSWAPD_SLEEP, 1, (u32)node, 0, 0);
	return 0;
}

HOOK_AT(mm_compaction_begin, point_compaction_begin)
{
	put_point(KUTRACE_COMPACTION_BEGIN, 1, 0, 0, 0);
	return 0;
}

HOOK_AT(mm_compaction_end, point_compaction_end)
{
	put_point(KUTRACE_COMPACTION_END, 1, 0, 0, 0);
	return 0;
}

#if defined(__TARGET_ARCH_x86)

HOOK_AT(page_fault_user, point_fault_user, unsigned long address, struct pt_regs *regs, u64 error)
{
	put_point(KUTRACE_FAULT_ADDRESS, 3, address, code_address(regs), (s64)error);
	return 0;
}

HOOK_AT(page_fault_kernel, point_fault_kernel, unsigned long address, struct pt_regs *regs, u64 error)
{
	put_point(KUTRACE_FAULT_ADDRESS, 3, address, code_address(regs), (s64)error);
	return 0;
}

#endif

/* ---- Timers, work ------------------------------------------------------------------------------- */

HOOK_AT(timer_expire_entry, point_timer, struct timer_list *timer)
{
	put_point(KUTRACE_TIMER, 2, (u64)timer, (u64)timer->function, 0);
	return 0;
}

HOOK_AT(hrtimer_expire_entry, point_hrtimer, struct hrtimer *timer)
{
	put_point(KUTRACE_HRTIMER, 2, (u64)timer, (u64)timer->function, 0);
	return 0;
}

HOOK_AT(workqueue_execute_start, point_work_begin, struct work_struct *work)
{
	put_point(KUTRACE_WORK_BEGIN, 2, (u64)work, (u64)work->func, 0);
	return 0;
}

HOOK_AT(workqueue_execute_end, point_work_end, void *work)
{
	put_point(KUTRACE_WORK_END, 1, (u64)work, 0, 0);
	return 0;
}

/* ---- Sockets ------------------------------------------------------------------------------------ */

/* 31:16 its own port, 15:0 the other's. */
static __always_inline u64 ports_of(const struct sock *sk)
{
	return (u64)sk->__sk_common.skc_num << 16 | __builtin_bswap16(sk->__sk_common.skc_dport);
}

HOOK_AT(inet_sock_set_state, point_socket_state, const struct sock *sk, int from, int to)
{
	put_point(KUTRACE_SOCKET_STATE, 3, (u64)sk, ports_of(sk), (s64)((u64)(u32)from << 8 | (u32)to));
	return 0;
}

/* As many as the kernel adds to its own count of segments that are sent again. */
static __always_inline u64 segments_of(const struct sk_buff *skb)
{
	const char *data = (const char *)skb + bpf_core_field_offset(struct sk_buff___tcp, cb);
	u16 segments = 0;

	bpf_probe_read_kernel(&segments, sizeof(segments),
			      data + bpf_core_field_offset(struct tcp_skb_cb, tcp_gso_segs));
	return segments;
}

HOOK_AT(tcp_retransmit_skb, point_retransmit, const struct sock *sk, const struct sk_buff *skb)
{
	put_point(KUTRACE_RETRANSMIT, 3, (u64)sk, ports_of(sk), segments_of(skb));
	return 0;
}

/* Of every kind of socket; only those of IP have ports. */
static __always_inline u64 ports_if_any(const struct sock *sk)
{
	u16 family = sk->__sk_common.skc_family;

	return family == FAMILY_IP4 || family == FAMILY_IP6 ? ports_of(sk) : 0;
}

HOOK_AT(sock_send_length, point_socket_send, const struct sock *sk, int result)
{
	put_point(KUTRACE_SOCKET_SEND, 3, (u64)sk, ports_if_any(sk), (s64)result);
	return 0;
}

HOOK_AT(sock_recv_length, point_socket_receive, const struct sock *sk, int result)
{
	put_point(KUTRACE_SOCKET_RECEIVE, 3, (u64)sk, ports_if_any(sk), (s64)result);
	return 0;
}

/* ---- Pages -------------------------------------------------------------------------------------- */

HOOK_AT(mm_page_alloc, point_page_alloc, void *page, unsigned int order, unsigned int flags)
{
	put_point(KUTRACE_PAGE_ALLOC, 3, (u64)page, order, flags);
	return 0;
}

HOOK_AT(mm_page_free, point_page_free, void *page, unsigned int order)
{
	put_point(KUTRACE_PAGE_FREE, 2, (u64)page, order, 0);
	return 0;
}

#endif
