/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The exception behind a signal, for sources that see no more of an exception than the signal it
 * sends. Signals, codes and exceptions are those of x86-64 (asm/signal.h, asm-generic/siginfo.h,
 * asm/trapnr.h); an exception is event 0x400 + its vector. The includer has u32 and the constants.
 */
#ifndef KUTRACE_EXCEPTIONS_H
#define KUTRACE_EXCEPTIONS_H

/* In: signal and si_code of a fault of the running thread. Out: 0 if none, or a page fault. */
static __always_inline u32 kutrace_exception_of(int signal, int code)
{
	switch (signal) {
	case SIGILL:
		return 0x406;
	case SIGTRAP:
		return code == SI_KERNEL ? 0x403 : 0x401;
	case SIGBUS:
		return code == BUS_ADRALN ? 0x411 : 0;
	case SIGFPE:
		return code == FPE_INTDIV ? 0x400 : 0x413;
	case SIGSEGV:
		return code == SI_KERNEL ? 0x40d : 0;
	}
	return 0;
}

#endif
