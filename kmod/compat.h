/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every difference between kernels 5.10 and 7.3, asked of the compiler where it can tell. All other
 * files are written for the newest kernel.
 */
#ifndef KUTRACE_KMOD_COMPAT_H
#define KUTRACE_KMOD_COMPAT_H

#include <linux/kconfig.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/uaccess.h>
#include <linux/version.h>

/* Sparse does not know it; it is run with headers that have all that is asked for. */
#ifndef __has_include
#define __has_include(file) 1
#endif

/* kpatch/; KUtrace's own patches have a <linux/kutrace.h>, too, which is not ours. */
#if IS_ENABLED(CONFIG_KUTRACE) && __has_include(<linux/kutrace_abi.h>)
#include <linux/kutrace.h>
#define KUTRACE_IS_PATCHED 1
#else
#define KUTRACE_IS_PATCHED 0
#endif

/*
 * A function is of the given type: probes are chosen by what the tracepoint of this kernel passes.
 */
#define KUTRACE_HAS_TYPE(function, type) __builtin_types_compatible_p(typeof(&(function)), type)

/* Chooses the probe whose arguments are those of the tracepoint; the types are checked again. */
#define KUTRACE_CHOOSE_PROBE(name, function, other)                                           \
	__builtin_choose_expr(KUTRACE_HAS_TYPE(check_trace_callback_type_##name,              \
					       void (*)(typeof(&probe_##function))),          \
			      probe_##function, probe_##other)

/* Threads that the kernel makes in a program's process: since 6.4 not for io_uring alone. */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER 0
#endif
#define KUTRACE_WORKER (PF_IO_WORKER | PF_USER_WORKER)
#define KUTRACE_NO_USER_CODE (PF_KTHREAD | KUTRACE_WORKER)

/* 6.3 made vm_flags read-only (1c71222e5f23). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void kutrace_vm_flags(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#else
static inline void kutrace_vm_flags(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
	vm_flags_mod(vma, set, clear);
}
#endif

/* An operand of __percpu_arg(): 6.8 may have the compiler write the segment (9a462b9eafa6). */
#ifdef __my_cpu_var
#define KUTRACE_THIS_CPU(variable) __my_cpu_var(variable)
#else
#define KUTRACE_THIS_CPU(variable) (variable)
#endif

/* 5.11 named it so. */
#ifndef in_hardirq
#define in_hardirq() in_irq()
#endif

/* 5.14 renamed task_struct.state (2f064a59a11f) and came with this macro (b03fbd4ff24c). */
#ifdef task_is_running
#define kutrace_is_running(task) task_is_running(task)
#else
#define kutrace_is_running(task) ((task)->state == TASK_RUNNING)
#endif

/* 5.19 added tracepoints for contended locks (16edd9b511a1). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 19, 0)
#define KUTRACE_HAS_CONTENTION 1
#else
#define KUTRACE_HAS_CONTENTION 0
#endif

/* 6.3 added tracepoints for the bytes of sockets (6e6eda44b939). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define KUTRACE_HAS_SOCKET_LENGTH 1
#else
#define KUTRACE_HAS_SOCKET_LENGTH 0
#endif

/* 6.1 changed what tracepoints of compaction pass (abd4349ff9b8). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define KUTRACE_HAS_COMPACTION_CONTROL 1
#else
#define KUTRACE_HAS_COMPACTION_CONTROL 0
#endif

/* 5.11 made a part of a disk a block device, too (8446fe9255be). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define kutrace_device_of(part) ((part)->bd_dev)
#else
#define kutrace_device_of(part) part_devt(part)
#endif

/*
 * The bits that say whether a user may look into his thread; false if they cannot be had.
 * Preemption is off, so the thread's task_struct and what RCU guards stay.
 *
 * Up to 7.0 the bits are with its memory (mm), which RCU does not guard. A thread that runs here,
 * or is about to, keeps its own. But one that is being woken may still run on another CPU and let
 * go of it: then the memory may be freed, and be another's, while it is read. So afterwards the
 * thread is asked again. Nobody but itself changes its mm, and it does so before it lets go of the
 * old one: if the mm is the same, it was its own all the time, unless the thread started two
 * programs meanwhile, and the second got the memory of the first. Each program counts in
 * self_exec_id before the next one changes the mm, so that is asked last.
 */
#ifdef SUID_DUMP_USER
static inline bool kutrace_read_dumpable(const struct task_struct *task, u32 *bits)
{
	u64 programs = READ_ONCE(task->self_exec_id);
	const struct mm_struct *mm;

	smp_rmb(); /* programs, mm */
	mm = READ_ONCE(task->mm);
	if (!mm || copy_from_kernel_nofault(bits, &mm->flags, sizeof(*bits)))
		return false;
	smp_rmb(); /* bits, mm */
	if (READ_ONCE(task->mm) != mm)
		return false;
	smp_rmb(); /* mm, programs */
	return READ_ONCE(task->self_exec_id) == programs;
}
#else
#include <linux/sched/exec_state.h>
static inline bool kutrace_read_dumpable(const struct task_struct *task, u32 *bits)
{
	*bits = READ_ONCE(rcu_dereference_sched(task->exec_state)->dumpable);
	return true;
}
#endif

/* 6.4 added tracepoints for interrupts that are sent (56eb0598e1e3, 08407b5f61c1). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define KUTRACE_HAS_IPI_SEND 1
#else
#define KUTRACE_HAS_IPI_SEND 0
#endif

/*
 * Probes run with preemption off: they write to what belongs to this CPU. 7.0 calls them with
 * preemption on (SRCU guards them), 6.13 those of system calls (4aadde89d81f); older kernels switch
 * it off themselves. Since it is off, a grace period of RCU waits for what a probe does, on every
 * kernel: kutrace_wait_for_probes().
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define kutrace_probe_begin() preempt_disable_notrace()
#define kutrace_probe_end() preempt_enable_notrace()
#else
#define kutrace_probe_begin() do { } while (0)
#define kutrace_probe_end() do { } while (0)
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define kutrace_syscall_probe_begin() preempt_disable_notrace()
#define kutrace_syscall_probe_end() preempt_enable_notrace()
#else
#define kutrace_syscall_probe_begin() do { } while (0)
#define kutrace_syscall_probe_end() do { } while (0)
#endif

#define KUTRACE_LIST(...) __VA_ARGS__
#define KUTRACE_GUARDED_PROBE(name, guard, parameters, action)                                \
	static void __maybe_unused probe_##name(void *data, KUTRACE_LIST parameters)          \
	{                                                                                     \
		guard##_begin();                                                              \
		action;                                                                       \
		guard##_end();                                                                \
	}
#define KUTRACE_FILTERED(name, arguments)                                                     \
	do {                                                                                  \
		if (!kutrace_is_hidden())                                                     \
			name(data, KUTRACE_LIST arguments);                                   \
	} while (0)

/*
 * Makes a function the probe of a tracepoint; a hook takes nothing else (kutrace.h). Parameters and
 * arguments are lists in parentheses, without the first, `data`. FILTERED makes two: the other one
 * leaves out what is hidden.
 */
#define KUTRACE_PROBE(name, parameters, arguments)                                            \
	KUTRACE_GUARDED_PROBE(name, kutrace_probe, parameters,                                \
			      name(data, KUTRACE_LIST arguments))
#define KUTRACE_FILTERED_PROBE(name, parameters, arguments)                                   \
	KUTRACE_PROBE(name, parameters, arguments)                                            \
	KUTRACE_GUARDED_PROBE(name##_filtered, kutrace_probe, parameters,                     \
			      KUTRACE_FILTERED(name, arguments))
#define KUTRACE_SYSCALL_PROBE(name, parameters, arguments)                                    \
	KUTRACE_GUARDED_PROBE(name, kutrace_syscall_probe, parameters,                        \
			      name(data, KUTRACE_LIST arguments))                             \
	KUTRACE_GUARDED_PROBE(name##_filtered, kutrace_syscall_probe, parameters,             \
			      KUTRACE_FILTERED(name, arguments))

/* Returns when every probe that runs now, or writes otherwise with preemption off, is done. */
static inline void kutrace_wait_for_probes(void)
{
	synchronize_rcu();
}

/*
 * In kernels that look for mistakes, and in a module built with KUTRACE_CHECKED: whoever claims an
 * entry cannot be moved to another CPU. Lockdep's own assertion would ask what it knows of
 * interrupts, which is late in the code where a patched kernel calls.
 */
#if IS_ENABLED(CONFIG_PROVE_LOCKING) || defined(KUTRACE_CHECKED)
#define kutrace_assert_on_cpu() WARN_ON_ONCE(preemptible())
#else
#define kutrace_assert_on_cpu() do { } while (0)
#endif

#endif
