// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page faults, and the other exceptions as far as they send a signal. The return of a page fault
 * has no tracepoint: hooks_perf.c. One that fails ends in a signal instead.
 */
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <trace/events/signal.h>

#include "compat.h"

#if defined(CONFIG_X86_64)
#if __has_include(<asm/trace/exceptions.h>)
#include <asm/trace/exceptions.h>
#else
#include <trace/events/exceptions.h>
#endif
#endif

#include "events.h"
#include "kutrace/exceptions.h"
#include "put.h"

/* Of the program that runs here. Interrupts are off, so all that faults meanwhile is this. */
bool kutrace_read_program(void *to, unsigned long address, size_t bytes)
{
	bool is_read;

	kutrace_write(reading, true);
	is_read = !copy_from_user_nofault(to, (const void __user *)address, bytes);
	kutrace_write(reading, false);
	return is_read;
}

static bool is_from_kernel(const struct kernel_siginfo *info)
{
	return info != SEND_SIG_NOINFO && info != SEND_SIG_PRIV && info->si_code > 0 &&
	       info->si_code <= SI_KERNEL;
}

/* The exception that the kernel answers with this signal; 0 if it is another's. */
static u32 exception_behind(int signal, const struct kernel_siginfo *info)
{
	return is_from_kernel(info) ? kutrace_exception_of(signal, info->si_code) : 0;
}

#if defined(CONFIG_X86_64)

static __always_inline void on_page_fault(void *data, unsigned long address, struct pt_regs *regs,
					  unsigned long error)
{
	kutrace_put(KUTRACE_PAGE_FAULT, (u16)error);
}

KUTRACE_FILTERED_PROBE(on_page_fault,
		       (unsigned long address, struct pt_regs *regs, unsigned long error),
		       (address, regs, error))

/*
 * While the kernel may not wait for memory, as when a tracer reads a program's stack, a fault makes
 * what faulted fail and has no end that can be seen: it is one tick long. What is read here makes
 * none.
 */
static __always_inline void on_page_fault_of_kernel(void *data, unsigned long address,
						    struct pt_regs *regs, unsigned long error)
{
	if (likely(!pagefault_disabled()))
		kutrace_put(KUTRACE_PAGE_FAULT, (u16)error);
	else if (!kutrace_read(reading))
		kutrace_put(KUTRACE_PAGE_FAULT, 1u << KUTRACE_DELTA_SHIFT | (u16)error);
}

KUTRACE_FILTERED_PROBE(on_page_fault_of_kernel,
		       (unsigned long address, struct pt_regs *regs, unsigned long error),
		       (address, regs, error))

/* The handler that comes next is user code. */
static __always_inline void on_fault_signal(void *data, int signal, struct kernel_siginfo *info,
					    struct k_sigaction *action)
{
	if (exception_behind(signal, info) == KUTRACE_PAGE_FAULT)
		kutrace_put_return(kutrace_return_of(KUTRACE_PAGE_FAULT), signal);
}

KUTRACE_FILTERED_PROBE(on_fault_signal,
		       (int signal, struct kernel_siginfo *info, struct k_sigaction *action),
		       (signal, info, action))

#define FAULT_HOOK(name, probe)                                                               \
	KUTRACE_FILTERED_HOOK(name, KUTRACE_GROUP_FAULTS, KUTRACE_POINT_FAULT, probe)
#define ARCH_HOOKS                                                                            \
	FAULT_HOOK(page_fault_user, on_page_fault),                                           \
	FAULT_HOOK(page_fault_kernel, on_page_fault_of_kernel),                               \
	{ .name = "signal_deliver", .probe = KUTRACE_PROBE_OF(on_fault_signal),               \
	  .filtered = KUTRACE_PROBE_OF(on_fault_signal_filtered),                             \
	  .group = KUTRACE_GROUP_FAULTS, .point = KUTRACE_POINT_FAULT,                        \
	  .flag_off = KUTRACE_CONFIG_NO_FAULT_RETURN },

static void __maybe_unused check_arch_probes(void)
{
	KUTRACE_CHECK_PROBE(page_fault_user, on_page_fault);
	KUTRACE_CHECK_PROBE(page_fault_kernel, on_page_fault_of_kernel);
	KUTRACE_CHECK_PROBE(signal_deliver, on_fault_signal);
}

#else
#define ARCH_HOOKS
#endif

/*
 * Of exceptions other than page faults, only the signal can be seen, when its thread takes it on
 * the way back to user code, so they are recorded there as one tick long.
 */
static __always_inline void on_signal(void *data, int signal, struct kernel_siginfo *info,
				      struct k_sigaction *action)
{
	u32 event = exception_behind(signal, info);

	if (event && event != KUTRACE_PAGE_FAULT)
		kutrace_put(event, 1u << KUTRACE_DELTA_SHIFT);
}

KUTRACE_FILTERED_PROBE(on_signal,
		       (int signal, struct kernel_siginfo *info, struct k_sigaction *action),
		       (signal, info, action))

static struct kutrace_hook hooks[] = {
	ARCH_HOOKS
	KUTRACE_FILTERED_HOOK(signal_deliver, KUTRACE_GROUP_FAULTS, KUTRACE_POINT_TRAP, on_signal),
};

const struct kutrace_hook_table kutrace_fault_hooks = { hooks, ARRAY_SIZE(hooks) };

static void __maybe_unused check_probes(void)
{
	KUTRACE_CHECK_PROBE(signal_deliver, on_signal);
}
