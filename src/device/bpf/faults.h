/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Page faults, other exceptions, timer-driven samples.
 *
 * No tracepoint marks the end of a page fault. The software events for minor and major faults fire
 * there, so programs on them are the returns.
 */
#ifndef KUTRACE_DEVICE_FAULTS_H
#define KUTRACE_DEVICE_FAULTS_H

#include "claim.h"
#include "hook.h"

/* What a perf_event program is given: the x86-64 registers, in the order of the kernel's own ABI. */
struct sample_context {
	u64 before[16];
	u64 ip;
	u64 cs;
};

HOOK(page_fault_user, unsigned long address, struct pt_regs *regs, unsigned long error)
{
	if (!hidden_here())
		put(0x40e, error & 0xffff);
	return 0;
}

HOOK(page_fault_kernel, unsigned long address, struct pt_regs *regs, unsigned long error)
{
	if (!hidden_here())
		put(0x40e, error & 0xffff);
	return 0;
}

SEC("perf_event")
int fault_return_minor(struct sample_context *context)
{
	if (!hidden_here())
		put_return(0x60e, 0);
	return 0;
}

SEC("perf_event")
int fault_return_major(struct sample_context *context)
{
	if (!hidden_here())
		put_return(0x60e, 1);
	return 0;
}

SEC("perf_event")
int sample(struct sample_context *context)
{
	u64 pc = context->ip;
	u64 claimed = hidden_here() ? CLAIM_LOST : claim(2, 1);
	u64 pos = CLAIM_POS(claimed);

	if (!claimed)
		return 0;
	store(pos + 1, pc);
	store(pos, entry_word(CLAIM_TIME(claimed), context->cs & 3 ? 0x280 : 0x281, 0));
	return 0;
}

#define SIGILL 4
#define SIGTRAP 5
#define SIGBUS 7
#define SIGFPE 8
#define SIGSEGV 11
#define SI_KERNEL 0x80
#define BUS_ADRALN 1
#define FPE_INTDIV 1
#include "kutrace/exceptions.h"

/*
 * Only the signal of such an exception can be seen, when its thread takes it on the way back to user
 * code, so it is recorded there as one tick long. From 6.12 on, the pointer may be read by this
 * helper alone.
 */
HOOK(signal_deliver, int signal, struct kernel_siginfo *info)
{
	int code = 0;
	u32 event;

	if (bpf_probe_read_kernel(&code, sizeof(code), &info->si_code))
		return 0;
	event = code > 0 && code <= SI_KERNEL ? kutrace_exception_of(signal, code) : 0;
	if (event && !hidden_here())
		put(event, 1u << KUTRACE_DELTA_SHIFT);
	return 0;
}

#endif
