/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Idle, the way out of it, clock frequency, and CPUs that come and go. */
#ifndef KUTRACE_DEVICE_POWER_H
#define KUTRACE_DEVICE_POWER_H

#include "hook.h"
#include "put.h"

HOOK(cpu_idle, unsigned int state)
{
	if (state == ~0u)
		put(KUTRACE_MONITOR_EXIT, KUTRACE_IDLE_EXIT);
	else
		put(KUTRACE_MWAIT,
		    (state + 1) << KUTRACE_IDLE_STATE_SHIFT |
			    (settings.idle_hint[state & (KUTRACE_IDLE_STATES - 1)] & 0xffff));
	return 0;
}

/* An entry speaks of the CPU whose block it stands in, so a change made from afar is only counted. */
HOOK(cpu_frequency, unsigned int khz, unsigned int cpu)
{
	if (cpu == bpf_get_smp_processor_id())
		put(KUTRACE_FREQUENCY_NOTICE, khz / 1000);
	else
		__sync_fetch_and_add(&shared.misses.foreign_frequency, 1);
	return 0;
}

/* The kernel's name of one of its steps; its number is asked of the kernel that runs. */
enum cpuhp_state___names { CPUHP_TEARDOWN_CPU = 1 };

/*
 * Each step of bringing a CPU up or down; the recorder then looks which CPUs there are. Other steps
 * come of CPUs that stay, as when a module is loaded.
 */
HOOK(cpuhp_exit, unsigned int cpu, int state, int step)
{
	if (bpf_core_enum_value_exists(enum cpuhp_state___names, CPUHP_TEARDOWN_CPU) &&
	    step == bpf_core_enum_value(enum cpuhp_state___names, CPUHP_TEARDOWN_CPU))
		__sync_fetch_and_add(&shared.cpu_ends[cpu & (KUTRACE_MAX_CPUS - 1)], 1);
	__sync_fetch_and_add(&shared.hotplug_steps, 1);
	return 0;
}

#endif
