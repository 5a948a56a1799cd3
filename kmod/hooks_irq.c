// SPDX-License-Identifier: GPL-2.0-only
/* Hard interrupts by number or vector, soft interrupts by kind, NMIs, interrupts that are sent. */
#include <linux/interrupt.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <trace/events/ipi.h>
#include <trace/events/irq.h>
#if defined(CONFIG_X86_64)
#include <asm/trace/irq_vectors.h>
#include <trace/events/nmi.h>
#endif

#include "direct.h"
#include "events.h"
#include "put.h"

/*
 * On arm64 an interrupt of another processor is a numbered one, in which the kernel says which kind
 * it is.
 */
static bool only_wraps(const struct irqaction *action)
{
	return IS_ENABLED(CONFIG_ARM64) && action->name && !strcmp(action->name, "IPI");
}

static __always_inline void on_irq_entry(void *data, int irq, struct irqaction *action)
{
	if (!only_wraps(action))
		kutrace_put(kutrace_irq_event(irq), (u16)irq);
}

KUTRACE_PROBE(on_irq_entry, (int irq, struct irqaction *action), (irq, action))

static __always_inline void on_irq_exit(void *data, int irq, struct irqaction *action, int result)
{
	if (!only_wraps(action))
		kutrace_put_return(kutrace_return_of(kutrace_irq_event(irq)), result);
}

KUTRACE_PROBE(on_irq_exit, (int irq, struct irqaction *action, int result), (irq, action, result))

static __always_inline void on_softirq_entry(void *data, unsigned int kind)
{
	kutrace_put(KUTRACE_IRQ_BH, kind);
}

KUTRACE_PROBE(on_softirq_entry, (unsigned int kind), (kind))

static __always_inline void on_softirq_exit(void *data, unsigned int kind)
{
	kutrace_put_return(kutrace_return_of(KUTRACE_IRQ_BH), kind);
}

KUTRACE_PROBE(on_softirq_exit, (unsigned int kind), (kind))

#if KUTRACE_HAS_IPI_SEND

static __always_inline void on_ipi_send_cpu(void *data, const unsigned int cpu, unsigned long from,
					    void *callback)
{
	kutrace_put(KUTRACE_SEND_IPI, cpu);
}

KUTRACE_PROBE(on_ipi_send_cpu, (const unsigned int cpu, unsigned long from, void *callback),
	      (cpu, from, callback))

static __always_inline void on_ipi_send_many(void *data, const struct cpumask *mask,
					     unsigned long from, void *callback)
{
	kutrace_put(KUTRACE_SEND_IPI, 0);
}

KUTRACE_PROBE(on_ipi_send_many, (const struct cpumask *mask, unsigned long from, void *callback),
	      (mask, from, callback))

#else
/* The tracepoints do not exist; their hooks are listed all the same, as not there. */
#define probe_on_ipi_send_cpu NULL
#define probe_on_ipi_send_many NULL
#endif

#if defined(CONFIG_X86_64)

#define VECTOR(name, event)                                                      \
	static __always_inline void on_##name##_entry(void *data, int vector)    \
	{                                                                        \
		kutrace_put(event, 0);                                           \
	}                                                                        \
	KUTRACE_PROBE(on_##name##_entry, (int vector), (vector))                 \
	static __always_inline void on_##name##_exit(void *data, int vector)     \
	{                                                                        \
		kutrace_put_return(kutrace_return_of(event), 0);                 \
	}                                                                        \
	KUTRACE_PROBE(on_##name##_exit, (int vector), (vector))

VECTOR(local_timer, KUTRACE_IRQ_LOCAL_TIMER)
VECTOR(deferred_error_apic, KUTRACE_IRQ_DEFERRED_ERROR)
VECTOR(irq_work, KUTRACE_IRQ_IRQ_WORK)
VECTOR(x86_platform_ipi, KUTRACE_IRQ_PLATFORM_IPI)
VECTOR(threshold_apic, KUTRACE_IRQ_THRESHOLD)
VECTOR(thermal_apic, KUTRACE_IRQ_THERMAL)
VECTOR(call_function_single, KUTRACE_IRQ_CALL_SINGLE)
VECTOR(call_function, KUTRACE_IRQ_CALL_MANY)
VECTOR(reschedule, KUTRACE_IRQ_RESCHEDULE)
VECTOR(error_apic, KUTRACE_IRQ_ERROR)
VECTOR(spurious_apic, KUTRACE_IRQ_SPURIOUS)

/*
 * The tracepoint comes at the end, with the duration, and the entry carries the begin; a late time
 * is legal in a block. What the handler itself caused, a page fault for instance, has its entries
 * by then: the NMI is told to begin behind them, for entries stand in the order of time.
 */
static __always_inline void on_nmi(void *data, void *handler, s64 duration_ns, int handled)
{
	u64 ticks = div_u64((u64)duration_ns * kutrace_clock_khz(), 1000000) >> KUTRACE_CLOCK_SHIFT;
	u64 newest = max(this_cpu_read(kutrace_cpu.last), this_cpu_read(kutrace_cpu.last_counted));
	u64 now;
	u64 *at = kutrace_claim(2, &now);

	if (!at)
		return;
	/* Later than a late time may be: keep the end, cut the begin. */
	ticks = min3(ticks, now - newest, 0x10000ull);
	WRITE_ONCE(at[1], kutrace_word(now, KUTRACE_EVENT(kutrace_return_of(KUTRACE_IRQ_NMI)) |
						    (u16)handled));
	WRITE_ONCE(at[0], kutrace_word(now - ticks, KUTRACE_EVENT(KUTRACE_IRQ_NMI)));
}

KUTRACE_PROBE(on_nmi, (void *handler, s64 duration_ns, int handled),
	      (handler, duration_ns, handled))

#define VECTOR_HOOKS(name)                                                   \
	KUTRACE_HOOK(name##_entry, KUTRACE_GROUP_IRQS, KUTRACE_POINT_IRQ, on_##name##_entry),   \
	KUTRACE_HOOK(name##_exit, KUTRACE_GROUP_IRQS, KUTRACE_POINT_IRQ, on_##name##_exit)

#define ARCH_HOOKS                                                           \
	VECTOR_HOOKS(local_timer), VECTOR_HOOKS(deferred_error_apic),        \
	VECTOR_HOOKS(irq_work), VECTOR_HOOKS(x86_platform_ipi),              \
	VECTOR_HOOKS(threshold_apic), VECTOR_HOOKS(thermal_apic),            \
	VECTOR_HOOKS(call_function_single), VECTOR_HOOKS(call_function),     \
	VECTOR_HOOKS(reschedule), VECTOR_HOOKS(error_apic),                  \
	VECTOR_HOOKS(spurious_apic),                                         \
	KUTRACE_HOOK(nmi_handler, KUTRACE_GROUP_IRQS, KUTRACE_POINT_NMI, on_nmi)

/* All vectors are of one event class; some exist only in some configurations. */
static void __maybe_unused check_arch_probes(void)
{
	KUTRACE_CHECK_PROBE(local_timer_entry, on_local_timer_entry);
	KUTRACE_CHECK_PROBE(local_timer_exit, on_local_timer_exit);
	KUTRACE_CHECK_PROBE(nmi_handler, on_nmi);
}

#elif defined(CONFIG_ARM64)

static __always_inline void on_ipi_entry(void *data, const char *reason)
{
	kutrace_put(kutrace_ipi_event(reason[0]), 0);
}

KUTRACE_PROBE(on_ipi_entry, (const char *reason), (reason))

static __always_inline void on_ipi_exit(void *data, const char *reason)
{
	kutrace_put_return(kutrace_return_of(kutrace_ipi_event(reason[0])), 0);
}

KUTRACE_PROBE(on_ipi_exit, (const char *reason), (reason))

static __always_inline void on_ipi_raise(void *data, const struct cpumask *mask, const char *reason)
{
	kutrace_put(KUTRACE_SEND_IPI, cpumask_first(mask));
}

KUTRACE_PROBE(on_ipi_raise, (const struct cpumask *mask, const char *reason), (mask, reason))

#define ARCH_HOOKS                                                      \
	KUTRACE_HOOK(ipi_entry, KUTRACE_GROUP_IRQS, KUTRACE_POINT_IRQ, on_ipi_entry),      \
	KUTRACE_HOOK(ipi_exit, KUTRACE_GROUP_IRQS, KUTRACE_POINT_IRQ, on_ipi_exit),        \
	KUTRACE_HOOK(ipi_raise, KUTRACE_GROUP_IRQS, KUTRACE_POINT_IPI_SEND, on_ipi_raise)

static void __maybe_unused check_arch_probes(void)
{
	KUTRACE_CHECK_PROBE(ipi_entry, on_ipi_entry);
	KUTRACE_CHECK_PROBE(ipi_exit, on_ipi_exit);
	KUTRACE_CHECK_PROBE(ipi_raise, on_ipi_raise);
}

#endif

#if KUTRACE_IS_PATCHED

void kutrace_direct_irq_enter(unsigned int irq)
{
	kutrace_put(kutrace_irq_event(irq), (u16)irq);
}

void kutrace_direct_irq_exit(unsigned int irq)
{
	kutrace_put_return(kutrace_return_of(kutrace_irq_event(irq)), 0);
}

#endif

static struct kutrace_hook hooks[] = {
	KUTRACE_HOOK(irq_handler_entry, KUTRACE_GROUP_IRQS, KUTRACE_POINT_IRQ, on_irq_entry),
	KUTRACE_HOOK(irq_handler_exit, KUTRACE_GROUP_IRQS, KUTRACE_POINT_IRQ, on_irq_exit),
	KUTRACE_HOOK(softirq_entry, KUTRACE_GROUP_SOFTIRQS, KUTRACE_POINT_SOFTIRQ,
		     on_softirq_entry),
	KUTRACE_HOOK(softirq_exit, KUTRACE_GROUP_SOFTIRQS, KUTRACE_POINT_SOFTIRQ, on_softirq_exit),
	KUTRACE_HOOK(ipi_send_cpu, KUTRACE_GROUP_IRQS, KUTRACE_POINT_IPI_SEND, on_ipi_send_cpu),
	KUTRACE_HOOK(ipi_send_cpumask, KUTRACE_GROUP_IRQS, KUTRACE_POINT_IPI_SEND,
		     on_ipi_send_many),
	ARCH_HOOKS,
};

const struct kutrace_hook_table kutrace_irq_hooks = { hooks, ARRAY_SIZE(hooks) };

static void __maybe_unused check_probes(void)
{
	KUTRACE_CHECK_PROBE(irq_handler_entry, on_irq_entry);
	KUTRACE_CHECK_PROBE(irq_handler_exit, on_irq_exit);
	KUTRACE_CHECK_PROBE(softirq_entry, on_softirq_entry);
	KUTRACE_CHECK_PROBE(softirq_exit, on_softirq_exit);
#if KUTRACE_HAS_IPI_SEND
	KUTRACE_CHECK_PROBE(ipi_send_cpu, on_ipi_send_cpu);
	KUTRACE_CHECK_PROBE(ipi_send_cpumask, on_ipi_send_many);
#endif
}
