/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Hard interrupts by number or vector, softirqs by kind, NMIs, interrupts sent. */
#ifndef KUTRACE_DEVICE_INTERRUPTS_H
#define KUTRACE_DEVICE_INTERRUPTS_H

#include "hook.h"
#include "put.h"
#include "kutrace/interrupts.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct irqaction {
	const char *name;
};

#pragma clang attribute pop

#if defined(__TARGET_ARCH_arm64)

/* The first letters of one of the kernel's words; 0: it cannot be read. */
static __always_inline u32 letters(const char *word)
{
	u32 first = 0;

	if (!settings.may_read || bpf_probe_read_kernel(&first, sizeof(first), word))
		return 0;
	return first;
}

/* On arm64 an interrupt of another processor is a numbered one, in which the kernel says which kind it is. */
static __always_inline int only_wraps(const struct irqaction *action)
{
	return letters(action->name) == ('I' | 'P' << 8 | 'I' << 16);
}

/* The kernel names the kind in words. */
static __always_inline u32 ipi_event(const char *reason)
{
	return kutrace_ipi_event((char)letters(reason));
}

#else

static __always_inline int only_wraps(const struct irqaction *action)
{
	return 0;
}

#endif

HOOK(irq_handler_entry, int irq, struct irqaction *action)
{
	if (!only_wraps(action))
		put(KUTRACE_FIRST_IRQ | kutrace_irq_slot(irq), irq & 0xffff);
	return 0;
}

HOOK(irq_handler_exit, int irq, struct irqaction *action, int result)
{
	if (!only_wraps(action))
		put_return(KUTRACE_FIRST_IRQ_RETURN | kutrace_irq_slot(irq), result);
	return 0;
}

/*
 * The interrupt in which start_cpu may have run has no recorded entry, so its return is left out, too.
 * If it ran in a thread, an entry comes first and changes that.
 */
static __always_inline void enter_interrupt(u32 event)
{
	if (event == START_IRQ)
		WRITE(this_cpu()->start_irq, 0);
	put(event, 0);
}

static __always_inline void leave_interrupt(u32 event)
{
	struct kutrace_cpu *st = this_cpu();

	if (event == START_IRQ && UNLIKELY(READ(st->start_irq)))
		WRITE(st->start_irq, 0);
	else
		put_return(event | KUTRACE_RETURN_BIT, 0);
}

#if defined(__TARGET_ARCH_arm64)

HOOK(ipi_entry, const char *reason)
{
	enter_interrupt(ipi_event(reason));
	return 0;
}

HOOK(ipi_exit, const char *reason)
{
	leave_interrupt(ipi_event(reason));
	return 0;
}

/* The first CPU of a set, of the first 64; 0 if it cannot be read. */
static __always_inline u32 first_cpu(const void *set)
{
	u64 bits = 0;
	u32 cpu = 0;

	if (!settings.may_read || bpf_probe_read_kernel(&bits, sizeof(bits), set) || !bits)
		return 0;
	for (u32 half = 32; half; half /= 2)
		if (!(bits & ((1ull << half) - 1))) {
			bits >>= half;
			cpu += half;
		}
	return cpu;
}

HOOK(ipi_raise, const void *targets)
{
	put(KUTRACE_SEND_IPI, first_cpu(targets));
	return 0;
}

#else

/*
 * The kernel has a pair of tracepoints for each kind of vector: one program for all entries, one for
 * all returns. Interrupts are off in all of them, so none of them meets its program at work.
 */
SHARED_HOOK(vector_entry, u64 vector)
{
	enter_interrupt(kutrace_vector_event(vector));
	return 0;
}

SHARED_HOOK(vector_exit, u64 vector)
{
	leave_interrupt(kutrace_vector_event(vector));
	return 0;
}

/*
 * The tracepoint comes at the end, with the duration. Nothing else can have been recorded on this
 * CPU meanwhile, so the entry may carry the begin; a late time is legal in a block. An NMI may come
 * between a switch's program and the switch, so it says nothing of who runs.
 */
HOOK(nmi_handler, void *handler, s64 duration_ns, int handled)
{
	u64 length = (u64)duration_ns >> KUTRACE_TICK_SHIFT;
	u64 claimed, pos, now, begin;

	if (length > LATE_TICKS) /* keep the end, cut the begin */
		length = LATE_TICKS;
	claimed = claim(2, 1);
	if (!claimed)
		return 0;
	pos = CLAIM_POS(claimed);
	now = CLAIM_TIME(claimed);
	begin = (now - length) & KUTRACE_TIME_MASK;
	store(pos + 1, entry_word(now, KUTRACE_IRQ_NMI | KUTRACE_RETURN_BIT, handled & 0xffff));
	store(pos, entry_word(begin, KUTRACE_IRQ_NMI, 0));
	return 0;
}

HOOK(ipi_send_cpu, unsigned int cpu)
{
	put(KUTRACE_SEND_IPI, cpu);
	return 0;
}

HOOK(ipi_send_cpumask)
{
	put(KUTRACE_SEND_IPI, 0);
	return 0;
}

#endif

HOOK(softirq_entry, unsigned int kind)
{
	put(KUTRACE_IRQ_BH, kind & 0xffff);
	return 0;
}

HOOK(softirq_exit, unsigned int kind)
{
	put_return(KUTRACE_IRQ_BH | KUTRACE_RETURN_BIT, kind & 0xff);
	return 0;
}

#endif
