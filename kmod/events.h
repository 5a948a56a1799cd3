/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers of events as this module writes them: those of kutrace/events.def, and how system calls
 * and interrupts of this architecture get theirs.
 */
#ifndef KUTRACE_KMOD_EVENTS_H
#define KUTRACE_KMOD_EVENTS_H

#include <linux/compat.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <asm/unistd.h>

#include "kutrace/event_numbers.h"
#include "kutrace/interrupts.h"

#define KUTRACE_SYSCALL64 KUTRACE_FIRST_SYSCALL
#define KUTRACE_SYSCALL32 KUTRACE_FIRST_SYSCALL32

static __always_inline u32 kutrace_return_of(u32 event)
{
	return event | KUTRACE_RETURN_BIT;
}

static __always_inline u32 kutrace_irq_event(unsigned int irq)
{
	return KUTRACE_FIRST_IRQ | kutrace_irq_slot(irq);
}

/* Of 32-bit programs, on x86 and arm64. */
#define KUTRACE_NR_FUTEX_32 240
#define KUTRACE_NR_FUTEX_TIME64_32 422

#if defined(CONFIG_X86_64)

#include <asm/thread_info.h>

/* The vector of smp_call_function_single. */
#define KUTRACE_START_IRQ KUTRACE_IRQ_CALL_SINGLE
#define KUTRACE_NR_SIGRETURN 15
#define KUTRACE_NR_SIGRETURN_32 119
#define KUTRACE_NR_X32_BIT 0x40000000u

/* Of the running thread: how it called, which int 0x80 of 64-bit code does as 32-bit code does. */
static __always_inline bool kutrace_is_compat(const struct pt_regs *regs)
{
#ifdef CONFIG_IA32_EMULATION
	return current_thread_info()->status & TS_COMPAT;
#else
	return false;
#endif
}

/* The same of the call that it leaves. */
static __always_inline bool kutrace_was_compat(const struct pt_regs *regs)
{
	return kutrace_is_compat(regs);
}

static __always_inline unsigned long kutrace_first_argument(const struct pt_regs *regs)
{
	return regs->di;
}

static __always_inline const u16 *kutrace_first_argument16(const struct pt_regs *regs)
{
	return (const u16 *)&regs->di;
}

static __always_inline const u16 *kutrace_first_compat_argument16(const struct pt_regs *regs)
{
	return (const u16 *)&regs->bx;
}

static __always_inline unsigned long kutrace_second_argument(const struct pt_regs *regs)
{
	return regs->si;
}

static __always_inline unsigned long kutrace_third_argument(const struct pt_regs *regs)
{
	return regs->dx;
}

/* The kernel looks at the low half alone. */
static __always_inline long kutrace_call_number(const struct pt_regs *regs)
{
	return (int)regs->orig_ax;
}

#elif defined(CONFIG_ARM64)

#define KUTRACE_START_IRQ KUTRACE_IRQ_CALL_MANY
#define KUTRACE_NR_SIGRETURN 139
#define KUTRACE_NR_SIGRETURN_32 119
#define KUTRACE_NR_EXECVE_32 11
#define KUTRACE_NR_EXECVEAT_32 387
#define KUTRACE_NR_X32_BIT 0

/* The registers are those of user mode. */
static __always_inline bool kutrace_is_compat(const struct pt_regs *regs)
{
#ifdef CONFIG_COMPAT
	return regs->pstate & PSR_MODE32_BIT;
#else
	return false;
#endif
}

/*
 * Of the call that it leaves. execve comes back in the mode of the new program, with new registers:
 * none holds its number, as one does after all other calls.
 */
static inline bool kutrace_was_compat(const struct pt_regs *regs)
{
	const bool compat = compat_user_mode(regs);
	const int nr = regs->syscallno;

	if (regs->regs[compat ? 7 : 8] == nr)
		return compat;
	return compat ? nr != __NR_execve && nr != __NR_execveat :
			nr == KUTRACE_NR_EXECVE_32 || nr == KUTRACE_NR_EXECVEAT_32;
}

static __always_inline unsigned long kutrace_first_argument(const struct pt_regs *regs)
{
	return regs->orig_x0;
}

static __always_inline const u16 *kutrace_first_argument16(const struct pt_regs *regs)
{
	return (const u16 *)&regs->orig_x0;
}

static __always_inline const u16 *kutrace_first_compat_argument16(const struct pt_regs *regs)
{
	return (const u16 *)&regs->orig_x0;
}

static __always_inline unsigned long kutrace_second_argument(const struct pt_regs *regs)
{
	return regs->regs[1];
}

static __always_inline unsigned long kutrace_third_argument(const struct pt_regs *regs)
{
	return regs->regs[2];
}

static __always_inline long kutrace_call_number(const struct pt_regs *regs)
{
	return regs->syscallno;
}

#endif

/* One that cannot be open. The kernel looks at 32 bits. */
static __always_inline bool kutrace_is_mark_descriptor(unsigned long descriptor)
{
	return ((u32)descriptor | 1) == KUTRACE_ENTRY_FD;
}

/* A write that is a mark; `first` is its first argument. */
static __always_inline bool kutrace_is_mark(long nr, unsigned long first)
{
	return nr == __NR_write && kutrace_is_mark_descriptor(first);
}

static inline u32 kutrace_syscall_event(long nr, bool compat)
{
	u32 n = nr & ~KUTRACE_NR_X32_BIT;

	return KUTRACE_CALL_EVENT(n, compat);
}

#endif
