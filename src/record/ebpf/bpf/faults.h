/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Page faults, other exceptions, timer-driven samples.
 *
 * No tracepoint marks the end of a page fault. The software events for minor and major faults fire
 * there, so programs on them are the returns. A fault that fails ends in a signal instead.
 */
#ifndef KUTRACE_DEVICE_FAULTS_H
#define KUTRACE_DEVICE_FAULTS_H

#include "hook.h"
#include "put.h"

#if defined(__TARGET_ARCH_x86)

HOOK(page_fault_user, unsigned long address, struct pt_regs *regs, unsigned long error)
{
	if (!hidden_here(1))
		put(KUTRACE_PAGE_FAULT, error & 0xffff);
	return 0;
}

/*
 * While the kernel may not wait for memory, as when a tracer reads a program's stack, a fault makes what
 * faulted fail and has no end that can be seen: it is one tick long. It may come between the entry of a
 * switch and the switch, so who runs is not looked at. A stack that is read here makes none.
 */
static __always_inline void put_failed_fault(u32 error)
{
	struct kutrace_cpu *st = this_cpu();

	if (READ(st->walking) || is_hidden(st))
		return;
	put_at(st, READ(st->next), READ(st->last), ticks(), KUTRACE_PAGE_FAULT,
	       1u << KUTRACE_DELTA_SHIFT | error, 1);
}

HOOK(page_fault_kernel, unsigned long address, struct pt_regs *regs, unsigned long error)
{
	if (bpf_get_current_task_btf()->pagefault_disabled)
		put_failed_fault(error & 0xffff);
	else if (!hidden_here(1))
		put(KUTRACE_PAGE_FAULT, error & 0xffff);
	return 0;
}

#else

/* No tracepoint marks the begin either; the software event of all faults fires there. */
SEC("perf_event")
int fault_entry(struct sample_context *context)
{
	if (!hidden_here(1))
		put(KUTRACE_PAGE_FAULT, 0);
	return 0;
}

#endif

SEC("perf_event")
int fault_return_minor(struct sample_context *context)
{
	if (!hidden_here(1))
		put_return(KUTRACE_PAGE_FAULT | KUTRACE_RETURN_BIT, 0);
	return 0;
}

SEC("perf_event")
int fault_return_major(struct sample_context *context)
{
	if (!hidden_here(1))
		put_return(KUTRACE_PAGE_FAULT | KUTRACE_RETURN_BIT, 1);
	return 0;
}

SEC("perf_event")
int sample(struct sample_context *context)
{
	u64 pc = sampled_at(context);
	u64 claimed = hidden_here(1) ? CLAIM_LOST : claim_here(2);
	u64 pos = CLAIM_POS(claimed);

	if (!claimed)
		return 0;
	store(pos + 1, pc);
	store(pos, entry_word(CLAIM_TIME(claimed), sampled_user(context) ? KUTRACE_PC_USER : KUTRACE_PC_KERNEL, 0));
	return 0;
}

#define SIGILL 4
#define SIGTRAP 5
#define SIGBUS 7
#define SIGFPE 8
#define SIGSEGV 11
#define SI_KERNEL 0x80
#define SEGV_BNDERR 3
#define BUS_ADRALN 1
#define BUS_MCEERR_AO 5
#define FPE_INTDIV 1
#include "kutrace/exceptions.h"

/* The exception that the kernel answers with this signal; 0 if it is another's. */
static __always_inline u32 exception_behind(int signal, struct kernel_siginfo *info)
{
	int code = 0;

	/* From 6.12 on, the pointer may be read by this helper alone. */
	if (bpf_probe_read_kernel(&code, sizeof(code), &info->si_code))
		return 0;
	return code > 0 && code <= SI_KERNEL ? kutrace_exception_of(signal, code) : 0;
}

/*
 * Of exceptions other than page faults, only the signal can be seen, when its thread takes it on the
 * way back to user code, so they are recorded there as one tick long.
 */
HOOK(signal_deliver, int signal, struct kernel_siginfo *info)
{
	u32 event = exception_behind(signal, info);

	if (event && event != KUTRACE_PAGE_FAULT && !hidden_here(1))
		put(event, 1u << KUTRACE_DELTA_SHIFT);
	return 0;
}

/* The handler that comes next is user code. */
HOOK_AT(signal_deliver, fault_return_signal, int signal, struct kernel_siginfo *info)
{
	if (exception_behind(signal, info) == KUTRACE_PAGE_FAULT && !hidden_here(1))
		put_return(KUTRACE_PAGE_FAULT | KUTRACE_RETURN_BIT, signal);
	return 0;
}

#endif
