/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A thread's registers where it entered the kernel, and where a sample found it: the number of its system
 * call, the arguments, whether it is a 32-bit program. x86-64 and arm64.
 */
#ifndef KUTRACE_DEVICE_REGISTERS_H
#define KUTRACE_DEVICE_REGISTERS_H

#include "kernel_types.h"
#include "kutrace/abi.h"

#include <bpf/bpf_helpers.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)

#define NR_X32_BIT 0x40000000u
#define TS_COMPAT 2u /* of thread_info */
#define NR_WRITE 1
#define NR_RT_SIGRETURN 15
#define NR_FUTEX 202
/* The interrupt by which a program is run on another CPU: smp_call_function_single. */
#define START_IRQ KUTRACE_IRQ_CALL_SINGLE

struct pt_regs {
	unsigned long bp;
	unsigned long bx;
	unsigned long r10;
	unsigned long r9;
	unsigned long r8;
	unsigned long cx;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
	unsigned long ip;
	unsigned long cs;
	unsigned long sp;
};

#elif defined(__TARGET_ARCH_arm64)

#define NR_X32_BIT 0u
#define NR_WRITE 64
#define NR_RT_SIGRETURN 139
#define NR_FUTEX 98
#define START_IRQ KUTRACE_IRQ_CALL_MANY
#define NR_EXECVE 221
#define NR_EXECVEAT 281
#define NR_EXECVE_32 11
#define NR_EXECVEAT_32 387
#define MODE_32 0x10   /* of pstate */
#define MODE_LEVEL 0xf /* 0: user code */

struct pt_regs {
	u64 regs[31];
	u64 sp;
	u64 pc;
	u64 pstate;
	u64 orig_x0;
	s32 syscallno;
};

#else
#error "kutrace has no eBPF programs for this architecture: x86-64 and arm64 only"
#endif

#pragma clang attribute pop

#define NR_SIGRETURN_32 119
#define NR_FUTEX_32 240
#define NR_FUTEX_TIME64_32 422

#if defined(__TARGET_ARCH_x86)

/* What a perf_event program is given: the registers, in the order of the kernel's own ABI. */
struct sample_context {
	u64 before[16];
	u64 ip;
	u64 cs;
};

static __always_inline u64 sampled_at(const struct sample_context *context)
{
	return context->ip;
}

static __always_inline int sampled_user(const struct sample_context *context)
{
	return !!(context->cs & 3);
}

static __always_inline u64 code_address(const struct pt_regs *regs)
{
	return regs->ip;
}

/* fork, vfork, clone: the numbers that clone3 does not share with other architectures. */
static __always_inline int is_birth_call(u64 number)
{
	return number >= 56 && number <= 58;
}

/* -1: it is in no call. */
/* The kernel looks at the low half alone. */
static __always_inline s64 call_number(const struct pt_regs *regs)
{
	return (s32)regs->orig_ax;
}

/* Of the running thread: how it called, which int 0x80 of 64-bit code does as 32-bit code does. */
static __always_inline int is_compat(const struct pt_regs *regs)
{
	return !!(bpf_get_current_task_btf()->thread_info.status & TS_COMPAT);
}

/* The same of the call that returns. */
static __always_inline int was_compat(const struct pt_regs *regs)
{
	return is_compat(regs);
}

static __always_inline u64 first_argument(const struct pt_regs *regs)
{
	return regs->di;
}

static __always_inline u64 first_compat_argument(const struct pt_regs *regs)
{
	return regs->bx;
}

static __always_inline u64 second_argument(const struct pt_regs *regs)
{
	return regs->si;
}

static __always_inline u64 third_argument(const struct pt_regs *regs)
{
	return regs->dx;
}

static __always_inline void call_arguments(const struct pt_regs *regs, u64 *arguments)
{
	arguments[0] = regs->di;
	arguments[1] = regs->si;
	arguments[2] = regs->dx;
	arguments[3] = regs->r10;
	arguments[4] = regs->r8;
	arguments[5] = regs->r9;
}

static __always_inline void compat_arguments(const struct pt_regs *regs, u64 *arguments)
{
	arguments[0] = (u32)regs->bx;
	arguments[1] = (u32)regs->cx;
	arguments[2] = (u32)regs->dx;
	arguments[3] = (u32)regs->si;
	arguments[4] = (u32)regs->di;
	arguments[5] = (u32)regs->bp;
}

#else

struct sample_context {
	u64 regs[31];
	u64 sp;
	u64 pc;
	u64 pstate;
};

static __always_inline u64 sampled_at(const struct sample_context *context)
{
	return context->pc;
}

static __always_inline int sampled_user(const struct sample_context *context)
{
	return !(context->pstate & MODE_LEVEL);
}

static __always_inline u64 code_address(const struct pt_regs *regs)
{
	return regs->pc;
}

static __always_inline int is_birth_call(u64 number)
{
	return number == 220;
}

static __always_inline s64 call_number(const struct pt_regs *regs)
{
	return regs->syscallno;
}

static __always_inline int is_compat(const struct pt_regs *regs)
{
	return !!(regs->pstate & MODE_32);
}

/*
 * execve comes back in the mode of the new program, with new registers: none holds its number, as one does
 * after all other calls.
 */
static __always_inline int was_compat(const struct pt_regs *regs)
{
	const int compat = is_compat(regs);
	const s64 nr = regs->syscallno;

	if ((s64)(compat ? regs->regs[7] : regs->regs[8]) == nr)
		return compat;
	return compat ? nr != NR_EXECVE && nr != NR_EXECVEAT : nr == NR_EXECVE_32 || nr == NR_EXECVEAT_32;
}

static __always_inline u64 first_argument(const struct pt_regs *regs)
{
	return regs->orig_x0;
}

static __always_inline u64 first_compat_argument(const struct pt_regs *regs)
{
	return regs->orig_x0;
}

static __always_inline u64 second_argument(const struct pt_regs *regs)
{
	return regs->regs[1];
}

static __always_inline u64 third_argument(const struct pt_regs *regs)
{
	return regs->regs[2];
}

static __always_inline void call_arguments(const struct pt_regs *regs, u64 *arguments)
{
	arguments[0] = regs->orig_x0;
	arguments[1] = regs->regs[1];
	arguments[2] = regs->regs[2];
	arguments[3] = regs->regs[3];
	arguments[4] = regs->regs[4];
	arguments[5] = regs->regs[5];
}

static __always_inline void compat_arguments(const struct pt_regs *regs, u64 *arguments)
{
	call_arguments(regs, arguments);
}

#endif

static __always_inline int is_futex(s64 nr, int compat)
{
	return compat ? nr == NR_FUTEX_32 || nr == NR_FUTEX_TIME64_32 : nr == NR_FUTEX;
}

/* A mark: a write to a descriptor that cannot be open. It is an insert, never a traced call. */
static __always_inline int is_mark(const struct pt_regs *regs, u64 nr)
{
	return nr == NR_WRITE && (first_argument(regs) | 5) == (KUTRACE_ENTRY_FD | 5);
}

#endif
