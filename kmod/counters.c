// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the processor counted between one entry of a CPU and the next, as the byte of the trailer that
 * belongs to the later one: its low nibble speaks of the span that ends there. The counters are the
 * kernel's own perf events, pinned to each CPU, so nobody else's are disturbed and no register is written
 * here.
 */
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

static bool is_wanted(u32 flags, enum kutrace_counter which)
{
	return flags & (which == KUTRACE_MISSES ? KUTRACE_CONFIG_LLC : KUTRACE_CONFIG_IPC);
}

/* Asks for a counter of each kind, for a moment. */
int kutrace_counters_check(const struct kutrace_config *config)
{
	unsigned int i;

	for (i = 0; i < KUTRACE_COUNTERS; i++)
		if (is_wanted(config->flags, i) && kutrace_perf_try_counter(i))
			return -ENODEV;
	return 0;
}

/* As perf_event_read_local(), which modules cannot call. */
static bool read_one(enum kutrace_counter which, u64 *value)
{
	struct perf_event *event = kutrace_perf_counter(which);

	if (!event || READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE ||
	    READ_ONCE(event->oncpu) != smp_processor_id())
		return false;
	event->pmu->read(event);
	*value = local64_read(&event->count);
	return true;
}

/*
 * Interrupts are off, for perf changes its events in interrupts; and not in an NMI, which may come while
 * perf does.
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
		u8 *trailer = kutrace_buffer_trailer(kutrace_buffer_index(position));

		trailer[((unsigned long)position & KUTRACE_BLOCK_MASK) / 8] = nibble_of(before, &now);
		*before = now;
	}
	local_irq_restore(flags);
}
