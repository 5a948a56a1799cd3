/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Events of interrupts, for all who make entries of the kernel's tracepoints: of device interrupts by
 * number, of others by x86's vector or by arm64's words.
 */
#ifndef KUTRACE_INTERRUPTS_H
#define KUTRACE_INTERRUPTS_H

#include "kutrace/abi.h"
#include "kutrace/event_numbers.h"

/* Vectors 0xe0 and up have events of their own; a larger interrupt number shares one below them. */
static inline uint32_t kutrace_irq_slot(uint32_t irq)
{
	return irq < 0xe0 ? irq : 0x20 + irq % 0xc0;
}

/* A vector that is none of these is a spurious one, whatever its number. */
static inline uint32_t kutrace_vector_event(uint32_t vector)
{
	uint32_t event = KUTRACE_FIRST_IRQ | (vector & 0xff);

	switch (event) {
	case KUTRACE_IRQ_LOCAL_TIMER:
	case KUTRACE_IRQ_DEFERRED_ERROR:
	case KUTRACE_IRQ_IRQ_WORK:
	case KUTRACE_IRQ_PLATFORM_IPI:
	case KUTRACE_IRQ_THRESHOLD:
	case KUTRACE_IRQ_THERMAL:
	case KUTRACE_IRQ_CALL_SINGLE:
	case KUTRACE_IRQ_CALL_MANY:
	case KUTRACE_IRQ_RESCHEDULE:
	case KUTRACE_IRQ_ERROR:
		return event;
	default:
		return KUTRACE_IRQ_SPURIOUS;
	}
}

/* By the first letter of what arm64 says an interrupt of another processor is for ("Rescheduling interrupts"). */
static inline uint32_t kutrace_ipi_event(char first)
{
	switch (first) {
	case 'R':
		return KUTRACE_IRQ_RESCHEDULE;
	case 'I':
		return KUTRACE_IRQ_IRQ_WORK;
	case 'T':
		return KUTRACE_IRQ_LOCAL_TIMER;
	case 'C':
		return KUTRACE_IRQ_REBOOT;
	default:
		return KUTRACE_IRQ_CALL_MANY;
	}
}

#endif
