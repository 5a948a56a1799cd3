/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace's counter: what this processor reads fastest. A tick must be between 0.01 and 1 us, for
 * KUtrace's readers, so a faster counter is shifted.
 */
#ifndef KUTRACE_KMOD_CLOCK_H
#define KUTRACE_KMOD_CLOCK_H

#include <linux/types.h>

#if defined(CONFIG_X86_64)

#include <asm/tsc.h>

#define KUTRACE_CLOCK_NAME "tsc"
#define KUTRACE_CLOCK_SHIFT 6
#define KUTRACE_CLOCK_TROUBLE \
	"the CPUs' time-stamp counters do not agree; if they do, boot with tsc=reliable"

/* Not ordered against other instructions: an error of a few ns, a third of the price. */
static __always_inline u64 kutrace_clock(void)
{
	u64 low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high));
	return low >> KUTRACE_CLOCK_SHIFT | high << (32 - KUTRACE_CLOCK_SHIFT);
}

/* Its low 32 bits, an instruction shorter. */
static __always_inline u64 kutrace_clock_low(void)
{
	u64 low;

	asm volatile("rdtsc\n\tshrdl %1, %%edx, %%eax"
		     : "=a" (low) : "i" (KUTRACE_CLOCK_SHIFT) : "rdx", "cc");
	return low;
}

static inline u64 kutrace_clock_khz(void)
{
	return tsc_khz;
}

/* Whether every CPU has the same time: the kernel watches it. */
static inline bool kutrace_clock_usable(void)
{
	return tsc_khz && !check_tsc_unstable();
}

#elif defined(CONFIG_ARM64)

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <asm/arch_timer.h>
#include <asm/sysreg.h>

#define KUTRACE_CLOCK_NAME "cntvct"
#define KUTRACE_CLOCK_TROUBLE \
	"the counter is below 1 MHz, or has an erratum, so that it cannot be read fast and right"

extern unsigned int kutrace_clock_shift;

#define KUTRACE_CLOCK_SHIFT kutrace_clock_shift

static __always_inline u64 kutrace_clock(void)
{
	return read_sysreg(cntvct_el0) >> KUTRACE_CLOCK_SHIFT;
}

static __always_inline u64 kutrace_clock_low(void)
{
	return (u32)kutrace_clock();
}

static inline u64 kutrace_clock_khz(void)
{
	return read_sysreg(cntfrq_el0) / 1000;
}

/*
 * Whether a processor's counter is wrong now and then, so that the kernel reads it in a way of its
 * own.
 */
static inline bool kutrace_clock_has_erratum(void)
{
#if IS_ENABLED(CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND)
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct arch_timer_erratum_workaround *workaround =
			per_cpu(timer_unstable_counter_workaround, cpu);

		if (workaround && workaround->read_cntvct_el0)
			return true;
	}
#endif
	return false;
}

static inline bool kutrace_clock_usable(void)
{
	return kutrace_clock_khz() >= 1000 && !kutrace_clock_has_erratum();
}

#else
#error "kutrace has no clock for this architecture: x86-64 and arm64 only"
#endif

#endif
