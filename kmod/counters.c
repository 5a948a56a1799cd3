// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the processor counted between one entry of a CPU and the next, as the byte of the trailer
 * that belongs to the later one: its low nibble speaks of the span that ends there. The counters
 * are the kernel's own perf events, pinned to each CPU, so nobody else's are disturbed and no
 * register is written here.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>

#include "put.h"

struct readings {
	u64 counted[KUTRACE_COUNTERS];
};

static DEFINE_PER_CPU(struct readings, newest);

struct events {
	struct perf_event *of[KUTRACE_COUNTERS];
	struct perf_event *retired[KUTRACE_COUNTERS]; /* only entries under way read them */
};

static DEFINE_PER_CPU(struct events, events);

static const u64 hardware[KUTRACE_COUNTERS] = {
	[KUTRACE_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
	[KUTRACE_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
	[KUTRACE_MISSES] = PERF_COUNT_HW_CACHE_MISSES,
};

static bool is_wanted(u32 flags, enum kutrace_counter which)
{
	return flags & (which == KUTRACE_MISSES ? KUTRACE_CONFIG_LLC : KUTRACE_CONFIG_IPC);
}

static struct perf_event *new_event(unsigned int cpu, enum kutrace_counter which)
{
	/* Pinned: it counts all the time, or not at all. */
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attributes),
		.config = hardware[which],
		.pinned = 1,
	};

	return perf_event_create_kernel_counter(&attributes, cpu, NULL, NULL, NULL);
}

/* Whether a CPU has such a counter: asks for one, for a moment. */
static int try_event(unsigned int cpu, enum kutrace_counter which)
{
	struct perf_event *event = new_event(cpu, which);

	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	return 0;
}

int kutrace_counters_check(const struct kutrace_config *config)
{
	unsigned int cpu, i;

	for_each_online_cpu(cpu) {
		int error = 0;

		for (i = 0; i < KUTRACE_COUNTERS && !error; i++)
			if (is_wanted(config->flags, i))
				error = try_event(cpu, i);
		if (!error)
			return 0;
	}
	return -ENODEV;
}

/*
 * What was made before an error is released by the caller. A CPU that has no such counter, as those
 * of one cluster may, goes without: its trailers are 0.
 */
int kutrace_counters_create(unsigned int cpu, u32 flags)
{
	struct events *mine = per_cpu_ptr(&events, cpu);
	unsigned int i;

	for (i = 0; i < KUTRACE_COUNTERS; i++) {
		struct perf_event *event;

		if (!is_wanted(flags, i))
			continue;
		event = new_event(cpu, i);
		if (PTR_ERR_OR_ZERO(event) == -ENOENT)
			continue;
		if (IS_ERR(event))
			return PTR_ERR(event);
		WRITE_ONCE(mine->of[i], event);
	}
	return 0;
}

/* False: it had none. */
static bool retire(struct events *mine)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < KUTRACE_COUNTERS; i++) {
		mine->retired[i] = xchg(&mine->of[i], NULL);
		any = any || mine->retired[i];
	}
	return any;
}

static void release_retired(struct events *mine)
{
	unsigned int i;

	for (i = 0; i < KUTRACE_COUNTERS; i++)
		if (mine->retired[i])
			perf_event_release_kernel(mine->retired[i]);
}

/* Waits once for all of these CPUs, as a grace period takes many milliseconds. */
void kutrace_counters_release(const struct cpumask *cpus)
{
	bool any = false;
	unsigned int cpu;

	for_each_cpu(cpu, cpus)
		any |= retire(per_cpu_ptr(&events, cpu));
	if (!any)
		return;
	kutrace_wait_for_probes(); /* an entry that began before may be reading them */
	for_each_cpu(cpu, cpus)
		release_retired(per_cpu_ptr(&events, cpu));
}

/* As perf_event_read_local(), which modules cannot call. */
static bool read_one(enum kutrace_counter which, u64 *value)
{
	struct perf_event *event = READ_ONCE(this_cpu_ptr(&events)->of[which]);

	if (!event || READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE ||
	    READ_ONCE(event->oncpu) != smp_processor_id())
		return false;
	event->pmu->read(event);
	*value = local64_read(&event->count);
	return true;
}

/*
 * Interrupts are off, for perf changes its events in interrupts; and not in an NMI, which may come
 * while perf does.
 */
static bool read_all(struct readings *now)
{
	unsigned int i;

	for (i = 0; i < KUTRACE_COUNTERS; i++)
		if (is_wanted(kutrace_settings.trailer_flags, i) && !read_one(i, &now->counted[i]))
			return false;
	return true;
}

/* KUtrace's scale: eighths below 1, quarters below 2, halves below 3.5. */
static u8 ipc_nibble(u64 cycles, u64 instructions)
{
	u64 eighths = cycles ? div64_u64(8 * instructions, cycles) : 0;

	if (eighths < 8)
		return eighths;
	if (eighths < 16)
		return 4 + eighths / 2;
	return eighths < 28 ? 8 + eighths / 4 : 15;
}

/* 0: none, 1: fewer than 8, then by powers of two. */
static u8 miss_nibble(u64 misses)
{
	if (misses < 8)
		return misses != 0;
	return misses < 65536 ? ilog2(misses) - 1 : 15;
}

/* The two upper bits of the one, and how many misses in four steps. */
static u8 both_nibble(u8 ipc, u8 misses)
{
	return (ipc & 0xc) | (misses < 2 ? 0 : misses < 5 ? 1 : misses < 8 ? 2 : 3);
}

static u8 nibble_of(const struct readings *before, const struct readings *now)
{
	u64 delta[KUTRACE_COUNTERS];
	u8 ipc, misses;
	unsigned int i;

	for (i = 0; i < KUTRACE_COUNTERS; i++)
		delta[i] = now->counted[i] - before->counted[i];
	ipc = ipc_nibble(delta[KUTRACE_CYCLES], delta[KUTRACE_INSTRUCTIONS]);
	misses = miss_nibble(delta[KUTRACE_MISSES]);
	if (kutrace_settings.trailer_flags == KUTRACE_CONFIG_IPC)
		return ipc;
	return kutrace_settings.trailer_flags == KUTRACE_CONFIG_LLC ? misses :
								      both_nibble(ipc, misses);
}

/* From here on it is counted on this CPU. Interrupts are off. */
void kutrace_counters_start(void)
{
	struct readings now = {};

	read_all(&now);
	*this_cpu_ptr(&newest) = now;
}

/* For an entry of one word that is about to be stored. Preemption is off. */
void kutrace_count(const u64 *position)
{
	struct readings *before = this_cpu_ptr(&newest);
	struct readings now = {};
	unsigned long flags;

	if (in_nmi())
		return;
	local_irq_save(flags);
	if (read_all(&now)) {
		u8 *trailer = kutrace_buffer_trailer(kutrace_buffer_block(position));

		trailer[((unsigned long)position & KUTRACE_BLOCK_MASK) / 8] =
			nibble_of(before, &now);
		*before = now;
	}
	local_irq_restore(flags);
}
