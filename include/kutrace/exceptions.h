/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The exception behind a signal, for sources that see no more of an exception than the signal it
 * sends. Signals, codes and exceptions are those of x86-64 (asm/signal.h, asm-generic/siginfo.h,
 * asm/trapnr.h); an exception is event 0x400 + its vector. The includer supplies u32,
 * __always_inline, the signals and their codes: the kernel's headers have all of them, other
 * includers define them first.
 */
#ifndef KUTRACE_EXCEPTIONS_H
#define KUTRACE_EXCEPTIONS_H

#ifndef SEGV_CPERR /* in the kernel's headers since 6.6 */
#define SEGV_CPERR 10
#endif

/*
 * In: signal and si_code of a fault of the running thread. Out: 0 if no exception raises it at once.
 * A page fault that fails is one of these: behind its signal the fault is over.
 */
static __always_inline u32 kutrace_exception_of(int signal, int code)
{
	switch (signal) {
	case SIGILL:
		return 0x406;
	case SIGTRAP:
		return code == SI_KERNEL ? 0x403 : 0x401;
	case SIGBUS:
		if (code == BUS_MCEERR_AO)
			return 0;
		return code == BUS_ADRALN ? 0x411 : 0x40e;
	case SIGFPE:
		return code == FPE_INTDIV ? 0x400 : 0x413;
	case SIGSEGV:
		if (code == SI_KERNEL)
			return 0x40d;
		if (code == SEGV_BNDERR)
			return 0x405;
		return code == SEGV_CPERR ? 0x415 : 0x40e;
	}
	return 0;
}

#endif
