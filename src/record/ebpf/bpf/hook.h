/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A tracepoint's program, made in two forms of which one is loaded: NAME for kernels that hold the CPU
 * while it runs, and held_NAME, which holds it itself. From 7.0 on the kernel only keeps the thread on
 * its CPU, so that another thread's program could run there between a claim and its store; older
 * kernels do more, and may not have the functions.
 */
#ifndef KUTRACE_DEVICE_HOOK_H
#define KUTRACE_DEVICE_HOOK_H

#include "registers.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

extern void bpf_preempt_disable(void) __ksym __weak;
extern void bpf_preempt_enable(void) __ksym __weak;

#define HOOK_IN(section, name, args...)                                              \
	static __always_inline int do_##name(unsigned long long *ctx, ##args);       \
	_Pragma("GCC diagnostic push")                                               \
	_Pragma("GCC diagnostic ignored \"-Wint-conversion\"")                       \
	SEC(section)                                                                 \
	int name(unsigned long long *ctx)                                            \
	{                                                                            \
		return do_##name(___bpf_ctx_cast(args));                             \
	}                                                                            \
	SEC(section)                                                                 \
	int held_##name(unsigned long long *ctx)                                     \
	{                                                                            \
		bpf_preempt_disable();                                               \
		do_##name(___bpf_ctx_cast(args));                                    \
		bpf_preempt_enable();                                                \
		return 0;                                                            \
	}                                                                            \
	_Pragma("GCC diagnostic pop")                                                \
	static __always_inline int do_##name(unsigned long long *ctx, ##args)

#define HOOK_AT(tracepoint, name, args...) HOOK_IN("tp_btf/" #tracepoint, name, ##args)

/* The same, where the program is called as its tracepoint is. */
#define HOOK(name, args...) HOOK_AT(name, name, ##args)

/*
 * One program for several tracepoints, whose arguments it takes as they are: numbers. To load one
 * takes the kernel milliseconds, to attach it to one more nearly nothing.
 */
#define SHARED_HOOK(name, args...) HOOK_IN("raw_tp", name, ##args)

#endif
