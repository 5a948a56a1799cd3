// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moments with up to three numbers, which events.def names: locks, disks, signals, processes,
 * memory, timers, work, sockets, pages. Their groups, but for processes, are off unless asked for;
 * then each is a probe of its own.
 */
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <net/sock.h>
#include <net/tcp.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

struct compact_control; /* the next headers name it */

#include <trace/events/block.h>
#include <trace/events/compaction.h>
#include <trace/events/kmem.h>
#include <trace/events/lock.h>
#include <trace/events/oom.h>
#include <trace/events/sched.h>
#include <trace/events/signal.h>
#include <trace/events/sock.h>
#include <trace/events/tcp.h>
#include <trace/events/timer.h>
#include <trace/events/vmscan.h>
#include <trace/events/workqueue.h>

#include "compat.h"

#if defined(CONFIG_X86_64)
#if __has_include(<asm/trace/exceptions.h>)
#include <asm/trace/exceptions.h>
#else
#include <trace/events/exceptions.h>
#endif
#endif

#include "events.h"
#include "put.h"

/* Any context, on this CPU. */
static noinline void put_point(u32 point, u32 numbers, u64 first, u64 second, u64 third)
{
	u32 event = KUTRACE_WITH_WORDS(KUTRACE_KIND_POINT, numbers + 1);
	u64 now;
	u64 *at = kutrace_claim(numbers + 1, &now);

	if (!at)
		return;
	if (numbers > 2)
		WRITE_ONCE(at[3], third);
	if (numbers > 1)
		WRITE_ONCE(at[2], second);
	WRITE_ONCE(at[1], first);
	/* The first word last: a reader waits for it. */
	smp_store_release(at, kutrace_word(now, KUTRACE_EVENT(event) | point));
}

/* An address, but 0 for one of the kernel's that who switched recording on may not see. */
static u64 shown(const void *at)
{
	return kutrace_settings.hide_kernel && (long)at < 0 ? 0 : (unsigned long)at;
}

/* A function that puts a point, and the probes that call it. */
#define POINT(function, parameters, arguments, point, numbers, first, second, third)          \
	static __always_inline void function(void *data, KUTRACE_LIST parameters)             \
	{                                                                                     \
		put_point(point, numbers, first, second, third);                              \
	}                                                                                     \
	KUTRACE_FILTERED_PROBE(function, parameters, arguments)

/* ---- locks ----------------------------------------------------------------------------------- */

#if KUTRACE_HAS_CONTENTION
POINT(on_contention_begin, (void *lock, unsigned int flags), (lock, flags),
	KUTRACE_CONTENTION_BEGIN, 2, shown(lock), flags, 0)
POINT(on_contention_end, (void *lock, int result), (lock, result),
	KUTRACE_CONTENTION_END, 3, shown(lock), 0, (s64)result)
#endif

static bool is_futex(long nr, bool compat)
{
	if (compat)
		return nr == KUTRACE_NR_FUTEX_32 || nr == KUTRACE_NR_FUTEX_TIME64_32;
	return nr == __NR_futex;
}

/*
 * A thread that waits for a futex, when it goes to sleep: what the word holds then, which may name
 * its owner.
 */
static noinline void put_futex_wait(struct task_struct *task)
{
	struct pt_regs *regs = task_pt_regs(task);
	unsigned long arguments[6];
	bool is_read;
	u32 word;

	if (!task->pid || task->flags & KUTRACE_NO_USER_CODE ||
	    !is_futex(syscall_get_nr(task, regs), kutrace_is_compat(regs)))
		return;
	syscall_get_arguments(task, regs, arguments);
	is_read = kutrace_read_program(&word, arguments[0], sizeof(word));
	put_point(KUTRACE_FUTEX_WAIT, 3, arguments[0],
		  (u64)(u32)arguments[2] << 32 | (u32)arguments[1], is_read ? word : (u64)-1);
}

static __always_inline void on_sleep(void *data, bool preempt, struct task_struct *prev,
				     struct task_struct *next, unsigned int prev_state)
{
	if (!preempt && prev_state)
		put_futex_wait(prev);
}

KUTRACE_FILTERED_PROBE(on_sleep, (bool preempt, struct task_struct *prev, struct task_struct *next,
				  unsigned int prev_state), (preempt, prev, next, prev_state))

/* Before 5.18. */
static __always_inline void on_sleep_without_state(void *data, bool preempt,
						   struct task_struct *prev,
						   struct task_struct *next)
{
	if (!preempt && !kutrace_is_running(prev))
		put_futex_wait(prev);
}

KUTRACE_FILTERED_PROBE(on_sleep_without_state,
		       (bool preempt, struct task_struct *prev, struct task_struct *next),
		       (preempt, prev, next))

#define probe_on_any_sleep KUTRACE_CHOOSE_PROBE(sched_switch, on_sleep, on_sleep_without_state)
#define probe_on_any_sleep_filtered                                                           \
	KUTRACE_CHOOSE_PROBE(sched_switch, on_sleep_filtered, on_sleep_without_state_filtered)

/* ---- disks ----------------------------------------------------------------------------------- */

#ifdef CONFIG_BLOCK

/* The kernel's way to write a device's number; 0 of a request that is no file system's. */
static u32 device_of(const struct request *request)
{
	return request->part ? kutrace_device_of(request->part) : 0;
}

POINT(on_block_issue, (struct request *request), (request),
	KUTRACE_BLOCK_ISSUE, 3, blk_rq_pos(request), blk_rq_bytes(request), device_of(request))
/* Before 5.11. */
POINT(on_block_issue_of_queue, (struct request_queue *queue, struct request *request),
	(queue, request),
	KUTRACE_BLOCK_ISSUE, 3, blk_rq_pos(request), blk_rq_bytes(request), device_of(request))
POINT(on_block_complete, (struct request *request, blk_status_t error, unsigned int bytes),
	(request, error, bytes),
	KUTRACE_BLOCK_COMPLETE, 3, blk_rq_pos(request), bytes, device_of(request))
/* Before 5.18. */
POINT(on_block_complete_with_errno, (struct request *request, int error, unsigned int bytes),
	(request, error, bytes),
	KUTRACE_BLOCK_COMPLETE, 3, blk_rq_pos(request), bytes, device_of(request))

#define probe_on_any_block_issue                                                              \
	KUTRACE_CHOOSE_PROBE(block_rq_issue, on_block_issue, on_block_issue_of_queue)
#define probe_on_any_block_issue_filtered                                                     \
	KUTRACE_CHOOSE_PROBE(block_rq_issue, on_block_issue_filtered,                         \
			     on_block_issue_of_queue_filtered)
#define probe_on_any_block_complete                                                           \
	KUTRACE_CHOOSE_PROBE(block_rq_complete, on_block_complete, on_block_complete_with_errno)
#define probe_on_any_block_complete_filtered                                                  \
	KUTRACE_CHOOSE_PROBE(block_rq_complete, on_block_complete_filtered,                   \
			     on_block_complete_with_errno_filtered)

#endif

/* ---- signals, processes ---------------------------------------------------------------------- */

POINT(on_signal_send, (int signal, struct kernel_siginfo *info, struct task_struct *task, int group,
		       int result), (signal, info, task, group, result),
	KUTRACE_SIGNAL_SEND, 3, signal, task->pid, (s64)result)
POINT(on_signal_take, (int signal, struct kernel_siginfo *info, struct k_sigaction *action),
	(signal, info, action),
	KUTRACE_SIGNAL_TAKE, 1, signal, 0, 0)
POINT(on_new_thread, (struct task_struct *parent, struct task_struct *child), (parent, child),
	KUTRACE_FORK, 2, child->pid, child->tgid, 0)
POINT(on_new_program, (struct task_struct *task, pid_t old, struct linux_binprm *program),
	(task, old, program),
	KUTRACE_EXEC, 2, task->pid, old, 0)

/*
 * 15:8 what was given to exit, 7:0 the signal that ended it: what wait(2) will tell of the process.
 */
static s64 status_of(const struct task_struct *task)
{
	if (task->signal->flags & SIGNAL_GROUP_EXIT)
		return task->signal->group_exit_code;
	return task->group_leader->exit_code;
}

/* The last thread of a process tells its status. */
POINT(on_end, (struct task_struct *task, bool is_last), (task, is_last),
	KUTRACE_EXIT, is_last ? 3 : 2, task->pid, task->tgid, status_of(task))
/* Before 6.16. Of two that end at one time both may be the last. */
POINT(on_end_without_last, (struct task_struct *task), (task),
	KUTRACE_EXIT, atomic_read(&task->signal->live) ? 2 : 3, task->pid, task->tgid,
	status_of(task))
POINT(on_migrate, (struct task_struct *task, int to), (task, to),
	KUTRACE_MIGRATE, 3, task->pid, (u32)to, task_cpu(task))

#define probe_on_any_end KUTRACE_CHOOSE_PROBE(sched_process_exit, on_end, on_end_without_last)
#define probe_on_any_end_filtered                                                             \
	KUTRACE_CHOOSE_PROBE(sched_process_exit, on_end_filtered, on_end_without_last_filtered)

/* ---- memory ---------------------------------------------------------------------------------- */

POINT(on_victim, (struct task_struct *task, uid_t uid), (task, uid),
	KUTRACE_OUT_OF_MEMORY, 1, 0, 0, 0)
/* Before 6.8. */
POINT(on_victim_by_number, (int pid), (pid), KUTRACE_OUT_OF_MEMORY, 1, 0, 0, 0)
POINT(on_reclaim_begin, (gfp_t flags, int order, struct mem_cgroup *group), (flags, order, group),
	KUTRACE_RECLAIM_BEGIN, 1, (u32)order, 0, 0)
/* Before 7.0. */
POINT(on_reclaim_begin_without_group, (int order, gfp_t flags), (order, flags),
	KUTRACE_RECLAIM_BEGIN, 1, (u32)order, 0, 0)
POINT(on_reclaim_end, (unsigned long pages, struct mem_cgroup *group), (pages, group),
	KUTRACE_RECLAIM_END, 3, 0, 0, pages)
/* Before 7.0. */
POINT(on_reclaim_end_without_group, (unsigned long pages), (pages),
	KUTRACE_RECLAIM_END, 3, 0, 0, pages)
POINT(on_kswapd_wake, (int node, int zone, int order), (node, zone, order),
	KUTRACE_KSWAPD_WAKE, 2, (u32)node, (u32)order, 0)
POINT(on_kswapd_sleep, (int node), (node), KUTRACE_KSWAPD_SLEEP, 1, (u32)node, 0, 0)

#define probe_on_any_victim KUTRACE_CHOOSE_PROBE(mark_victim, on_victim, on_victim_by_number)
#define probe_on_any_victim_filtered                                                          \
	KUTRACE_CHOOSE_PROBE(mark_victim, on_victim_filtered, on_victim_by_number_filtered)
#define probe_on_any_reclaim_begin                                                            \
	KUTRACE_CHOOSE_PROBE(mm_vmscan_direct_reclaim_begin, on_reclaim_begin,                \
			     on_reclaim_begin_without_group)
#define probe_on_any_reclaim_begin_filtered                                                   \
	KUTRACE_CHOOSE_PROBE(mm_vmscan_direct_reclaim_begin, on_reclaim_begin_filtered,       \
			     on_reclaim_begin_without_group_filtered)
#define probe_on_any_reclaim_end                                                              \
	KUTRACE_CHOOSE_PROBE(mm_vmscan_direct_reclaim_end, on_reclaim_end,                    \
			     on_reclaim_end_without_group)
#define probe_on_any_reclaim_end_filtered                                                     \
	KUTRACE_CHOOSE_PROBE(mm_vmscan_direct_reclaim_end, on_reclaim_end_filtered,           \
			     on_reclaim_end_without_group_filtered)
/* Where a control group is at its limit. */
#define probe_on_any_group_reclaim_begin                                                      \
	KUTRACE_CHOOSE_PROBE(mm_vmscan_memcg_reclaim_begin, on_reclaim_begin,                 \
			     on_reclaim_begin_without_group)
#define probe_on_any_group_reclaim_begin_filtered                                             \
	KUTRACE_CHOOSE_PROBE(mm_vmscan_memcg_reclaim_begin, on_reclaim_begin_filtered,        \
			     on_reclaim_begin_without_group_filtered)
#define probe_on_any_group_reclaim_end                                                        \
	KUTRACE_CHOOSE_PROBE(mm_vmscan_memcg_reclaim_end, on_reclaim_end,                     \
			     on_reclaim_end_without_group)
#define probe_on_any_group_reclaim_end_filtered                                               \
	KUTRACE_CHOOSE_PROBE(mm_vmscan_memcg_reclaim_end, on_reclaim_end_filtered,            \
			     on_reclaim_end_without_group_filtered)

#ifdef CONFIG_COMPACTION
#if KUTRACE_HAS_COMPACTION_CONTROL
POINT(on_compaction_begin, (struct compact_control *control, unsigned long begin, unsigned long end,
			    bool sync), (control, begin, end, sync),
	KUTRACE_COMPACTION_BEGIN, 1, 0, 0, 0)
POINT(on_compaction_end, (struct compact_control *control, unsigned long begin, unsigned long end,
			  bool sync, int status), (control, begin, end, sync, status),
	KUTRACE_COMPACTION_END, 1, 0, 0, 0)
#else
POINT(on_compaction_begin, (unsigned long begin, unsigned long migrate, unsigned long free,
			    unsigned long end, bool sync), (begin, migrate, free, end, sync),
	KUTRACE_COMPACTION_BEGIN, 1, 0, 0, 0)
POINT(on_compaction_end, (unsigned long begin, unsigned long migrate, unsigned long free,
			  unsigned long end, bool sync, int status),
	(begin, migrate, free, end, sync, status),
	KUTRACE_COMPACTION_END, 1, 0, 0, 0)
#endif
#endif

#if defined(CONFIG_X86_64)
POINT(on_fault_address, (unsigned long address, struct pt_regs *regs, unsigned long error),
	(address, regs, error),
	KUTRACE_FAULT_ADDRESS, 3, shown((void *)address), shown((void *)regs->ip), (s64)error)
#endif

/* ---- timers, work, sockets ------------------------------------------------------------------- */

POINT(on_timer, (struct timer_list *timer, unsigned long now), (timer, now),
	KUTRACE_TIMER, 2, shown(timer), shown(timer->function), 0)
POINT(on_hrtimer, (struct hrtimer *timer, ktime_t now), (timer, now),
	KUTRACE_HRTIMER, 2, shown(timer), shown(ACCESS_PRIVATE(timer, function)), 0)
/* Before 7.0. */
POINT(on_hrtimer_at, (struct hrtimer *timer, ktime_t *now), (timer, now),
	KUTRACE_HRTIMER, 2, shown(timer), shown(ACCESS_PRIVATE(timer, function)), 0)
POINT(on_work_begin, (struct work_struct *work), (work),
	KUTRACE_WORK_BEGIN, 2, shown(work), shown(work->func), 0)
POINT(on_work_end, (struct work_struct *work, work_func_t function), (work, function),
	KUTRACE_WORK_END, 1, shown(work), 0, 0)

#define probe_on_any_hrtimer KUTRACE_CHOOSE_PROBE(hrtimer_expire_entry, on_hrtimer, on_hrtimer_at)
#define probe_on_any_hrtimer_filtered                                                         \
	KUTRACE_CHOOSE_PROBE(hrtimer_expire_entry, on_hrtimer_filtered, on_hrtimer_at_filtered)

/* 31:16 its own port, 15:0 the other's. */
static u64 ports_of(const struct sock *sk)
{
	return (u64)sk->sk_num << 16 | be16_to_cpu(sk->sk_dport);
}

POINT(on_socket_state, (const struct sock *sk, const int from, const int to), (sk, from, to),
	KUTRACE_SOCKET_STATE, 3, shown(sk), ports_of(sk), (u64)(u32)from << 8 | (u32)to)
/* As many as the kernel adds to its own count of segments that are sent again. */
static u64 segments_of(const struct sk_buff *skb)
{
	return tcp_skb_pcount(skb);
}

POINT(on_retransmit, (const struct sock *sk, const struct sk_buff *skb, int error),
	(sk, skb, error),
	KUTRACE_RETRANSMIT, 3, shown(sk), ports_of(sk), segments_of(skb))
/* Before 6.17. */
POINT(on_retransmit_without_error, (const struct sock *sk, const struct sk_buff *skb), (sk, skb),
	KUTRACE_RETRANSMIT, 3, shown(sk), ports_of(sk), segments_of(skb))

#define probe_on_any_retransmit                                                               \
	KUTRACE_CHOOSE_PROBE(tcp_retransmit_skb, on_retransmit, on_retransmit_without_error)
#define probe_on_any_retransmit_filtered                                                      \
	KUTRACE_CHOOSE_PROBE(tcp_retransmit_skb, on_retransmit_filtered,                      \
			     on_retransmit_without_error_filtered)

/* Of every kind of socket; only those of IP have ports. */
static u64 __maybe_unused ports_if_any(const struct sock *sk)
{
	return sk->sk_family == AF_INET || sk->sk_family == AF_INET6 ? ports_of(sk) : 0;
}

#if KUTRACE_HAS_SOCKET_LENGTH
POINT(on_socket_send, (struct sock *sk, int result, int flags), (sk, result, flags),
	KUTRACE_SOCKET_SEND, 3, shown(sk), ports_if_any(sk), (s64)result)
POINT(on_socket_receive, (struct sock *sk, int result, int flags), (sk, result, flags),
	KUTRACE_SOCKET_RECEIVE, 3, shown(sk), ports_if_any(sk), (s64)result)
#endif

POINT(on_page_alloc, (struct page *page, unsigned int order, gfp_t flags, int type),
	(page, order, flags, type), KUTRACE_PAGE_ALLOC, 3, shown(page), order, (__force u32)flags)
POINT(on_page_free, (struct page *page, unsigned int order), (page, order),
	KUTRACE_PAGE_FREE, 2, shown(page), order, 0)

/* ---- hooks ----------------------------------------------------------------------------------- */

#define POINT_HOOK(tracepoint_name, of_group, own_name, function)                             \
	{ .name = #tracepoint_name, .alias = "point_" #own_name,                              \
	  .probe = KUTRACE_PROBE_OF(function),                                                \
	  .filtered = KUTRACE_PROBE_OF(function##_filtered),                                  \
	  .group = KUTRACE_GROUP_##of_group, .point = KUTRACE_POINTS }

/* Before those of switches, which change whose run this is. */
static struct kutrace_hook hooks[] = {
#if KUTRACE_HAS_CONTENTION
	POINT_HOOK(contention_begin, LOCKS, contention_begin, on_contention_begin),
	POINT_HOOK(contention_end, LOCKS, contention_end, on_contention_end),
#endif
	POINT_HOOK(sched_switch, LOCKS, futex_wait, on_any_sleep),
#ifdef CONFIG_BLOCK
	POINT_HOOK(block_rq_issue, DISK, block_issue, on_any_block_issue),
	POINT_HOOK(block_rq_complete, DISK, block_complete, on_any_block_complete),
#endif
	POINT_HOOK(signal_generate, SIGNALS, signal_send, on_signal_send),
	POINT_HOOK(signal_deliver, SIGNALS, signal_take, on_signal_take),
	POINT_HOOK(sched_process_fork, PROCESSES, fork, on_new_thread),
	POINT_HOOK(sched_process_exec, PROCESSES, exec, on_new_program),
	POINT_HOOK(sched_process_exit, PROCESSES, exit, on_any_end),
	POINT_HOOK(sched_migrate_task, MIGRATIONS, migrate, on_migrate),
	POINT_HOOK(mark_victim, MEMORY, out_of_memory, on_any_victim),
	POINT_HOOK(mm_vmscan_direct_reclaim_begin, MEMORY, reclaim_begin, on_any_reclaim_begin),
	POINT_HOOK(mm_vmscan_direct_reclaim_end, MEMORY, reclaim_end, on_any_reclaim_end),
#ifdef CONFIG_MEMCG
	POINT_HOOK(mm_vmscan_memcg_reclaim_begin, MEMORY, group_reclaim_begin,
		   on_any_group_reclaim_begin),
	POINT_HOOK(mm_vmscan_memcg_reclaim_end, MEMORY, group_reclaim_end,
		   on_any_group_reclaim_end),
#endif
	POINT_HOOK(mm_vmscan_kswapd_wake, MEMORY, kswapd_wake, on_kswapd_wake),
	POINT_HOOK(mm_vmscan_kswapd_sleep, MEMORY, kswapd_sleep, on_kswapd_sleep),
#ifdef CONFIG_COMPACTION
	POINT_HOOK(mm_compaction_begin, MEMORY, compaction_begin, on_compaction_begin),
	POINT_HOOK(mm_compaction_end, MEMORY, compaction_end, on_compaction_end),
#endif
#if defined(CONFIG_X86_64)
	POINT_HOOK(page_fault_user, FAULT_ADDRESSES, fault_user, on_fault_address),
	POINT_HOOK(page_fault_kernel, FAULT_ADDRESSES, fault_kernel, on_fault_address),
#endif
	POINT_HOOK(timer_expire_entry, TIMERS, timer, on_timer),
	POINT_HOOK(hrtimer_expire_entry, TIMERS, hrtimer, on_any_hrtimer),
	POINT_HOOK(workqueue_execute_start, WORKQUEUE, work_begin, on_work_begin),
	POINT_HOOK(workqueue_execute_end, WORKQUEUE, work_end, on_work_end),
	POINT_HOOK(inet_sock_set_state, SOCKETS, socket_state, on_socket_state),
	POINT_HOOK(tcp_retransmit_skb, SOCKETS, retransmit, on_any_retransmit),
#if KUTRACE_HAS_SOCKET_LENGTH
	POINT_HOOK(sock_send_length, SOCKETS, socket_send, on_socket_send),
	POINT_HOOK(sock_recv_length, SOCKETS, socket_receive, on_socket_receive),
#endif
	POINT_HOOK(mm_page_alloc, PAGES, page_alloc, on_page_alloc),
	POINT_HOOK(mm_page_free, PAGES, page_free, on_page_free),
};

const struct kutrace_hook_table kutrace_point_hooks = { hooks, ARRAY_SIZE(hooks) };

static void __maybe_unused check_probes(void)
{
#if KUTRACE_HAS_CONTENTION
	KUTRACE_CHECK_PROBE(contention_begin, on_contention_begin);
	KUTRACE_CHECK_PROBE(contention_end, on_contention_end);
#endif
	KUTRACE_CHECK_PROBE(sched_switch, on_any_sleep);
#ifdef CONFIG_BLOCK
	KUTRACE_CHECK_PROBE(block_rq_issue, on_any_block_issue);
	KUTRACE_CHECK_PROBE(block_rq_complete, on_any_block_complete);
#endif
	KUTRACE_CHECK_PROBE(signal_generate, on_signal_send);
	KUTRACE_CHECK_PROBE(signal_deliver, on_signal_take);
	KUTRACE_CHECK_PROBE(sched_process_fork, on_new_thread);
	KUTRACE_CHECK_PROBE(sched_process_exec, on_new_program);
	KUTRACE_CHECK_PROBE(sched_process_exit, on_any_end);
	KUTRACE_CHECK_PROBE(sched_migrate_task, on_migrate);
	KUTRACE_CHECK_PROBE(mark_victim, on_any_victim);
	KUTRACE_CHECK_PROBE(mm_vmscan_direct_reclaim_begin, on_any_reclaim_begin);
	KUTRACE_CHECK_PROBE(mm_vmscan_direct_reclaim_end, on_any_reclaim_end);
#ifdef CONFIG_MEMCG
	KUTRACE_CHECK_PROBE(mm_vmscan_memcg_reclaim_begin, on_any_group_reclaim_begin);
	KUTRACE_CHECK_PROBE(mm_vmscan_memcg_reclaim_end, on_any_group_reclaim_end);
#endif
	KUTRACE_CHECK_PROBE(mm_vmscan_kswapd_wake, on_kswapd_wake);
	KUTRACE_CHECK_PROBE(mm_vmscan_kswapd_sleep, on_kswapd_sleep);
#ifdef CONFIG_COMPACTION
	KUTRACE_CHECK_PROBE(mm_compaction_begin, on_compaction_begin);
	KUTRACE_CHECK_PROBE(mm_compaction_end, on_compaction_end);
#endif
#if defined(CONFIG_X86_64)
	KUTRACE_CHECK_PROBE(page_fault_user, on_fault_address);
	KUTRACE_CHECK_PROBE(page_fault_kernel, on_fault_address);
#endif
	KUTRACE_CHECK_PROBE(timer_expire_entry, on_timer);
	KUTRACE_CHECK_PROBE(hrtimer_expire_entry, on_any_hrtimer);
	KUTRACE_CHECK_PROBE(workqueue_execute_start, on_work_begin);
	KUTRACE_CHECK_PROBE(workqueue_execute_end, on_work_end);
	KUTRACE_CHECK_PROBE(inet_sock_set_state, on_socket_state);
	KUTRACE_CHECK_PROBE(tcp_retransmit_skb, on_any_retransmit);
#if KUTRACE_HAS_SOCKET_LENGTH
	KUTRACE_CHECK_PROBE(sock_send_length, on_socket_send);
	KUTRACE_CHECK_PROBE(sock_recv_length, on_socket_receive);
#endif
	KUTRACE_CHECK_PROBE(mm_page_alloc, on_page_alloc);
	KUTRACE_CHECK_PROBE(mm_page_free, on_page_free);
}
