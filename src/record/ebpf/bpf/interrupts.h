/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Hard interrupts by number or vector, softirqs by kind, NMIs, interrupts sent. */
#ifndef KUTRACE_DEVICE_INTERRUPTS_H
#define KUTRACE_DEVICE_INTERRUPTS_H

#include "hook.h"
#include "put.h"
#include "kutrace/interrupts.h"

HOOK(irq_handler_entry, int irq)
{
	put(KUTRACE_FIRST_IRQ | kutrace_irq_slot(irq), irq & 0xffff);
	return 0;
}

HOOK(irq_handler_exit, int irq, void *action, int result)
{
	put_return(KUTRACE_FIRST_IRQ_RETURN | kutrace_irq_slot(irq), result);
	return 0;
}

/*
 * The kernel has a pair of tracepoints for each kind of vector: one program for all entries, one for
 * all returns. Interrupts are off in all of them, so none of them meets its program at work.
 */
SHARED_HOOK(vector_entry, u64 vector)
{
	u32 event = kutrace_vector_event(vector);

	if (event == KUTRACE_IRQ_CALL_SINGLE)
		WRITE(this_cpu()->start_irq, 0);
	put(event, 0);
	return 0;
}

/* The interrupt in which start_cpu ran has no recorded entry, so its return is left out, too. */
SHARED_HOOK(vector_exit, u64 vector)
{
	u32 event = kutrace_vector_event(vector);
	struct kutrace_cpu *st = this_cpu();

	if (event == KUTRACE_IRQ_CALL_SINGLE && UNLIKELY(READ(st->start_irq)))
		WRITE(st->start_irq, 0);
	else
		put_return(event | KUTRACE_RETURN_BIT, 0);
	return 0;
}

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

/*
 * The tracepoint comes at the end, with the duration. Nothing else can have been recorded on this
 * CPU meanwhile, so the entry may carry the begin; a late time is legal in a block. An NMI may come
 * between a switch's program and the switch, so it says nothing of who runs.
 */
HOOK(nmi_handler, void *handler, s64 duration_ns, int handled)
{
	u64 length = (u64)duration_ns >> KUTRACE_TICK_SHIFT;
	u64 claimed, pos, now, begin;

	if (length > 0x10000) /* later than a late time may be: keep the end, cut the begin */
		length = 0x10000;
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
