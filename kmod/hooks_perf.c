// SPDX-License-Identifier: GPL-2.0-only
/*
 * What no tracepoint shows, from the kernel's software events, one per CPU: minor and major faults
 * are counted at the end of the fault handler, so their overflow is the return; the CPU clock gives
 * samples of the program counter. The processor's counters (counters.c) come and go with them.
 *
 * Events cannot be made while a CPU comes up, so those of a late CPU are made a little later. A
 * fault without its return is closed by the reader.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/nospec.h>
#include <linux/perf_event.h>
#include <linux/workqueue.h>

#include "events.h"
#include "put.h"

/* Where no tracepoint shows the begin of a fault, its end is recorded as a fault of one tick. */
static void put_fault_end(u16 major)
{
	if (IS_ENABLED(CONFIG_X86_64))
		kutrace_put_return(kutrace_return_of(KUTRACE_PAGE_FAULT), major);
	else
		kutrace_put(KUTRACE_PAGE_FAULT,
			    1u << KUTRACE_DELTA_SHIFT | (u32)major << KUTRACE_RESULT_SHIFT);
}

static void on_minor_fault(struct perf_event *event, struct perf_sample_data *data,
			   struct pt_regs *regs)
{
	put_fault_end(0);
}

static void on_major_fault(struct perf_event *event, struct perf_sample_data *data,
			   struct pt_regs *regs)
{
	put_fault_end(1);
}

static void on_minor_fault_filtered(struct perf_event *event, struct perf_sample_data *data,
				    struct pt_regs *regs)
{
	if (!kutrace_is_hidden())
		on_minor_fault(event, data, regs);
}

static void on_major_fault_filtered(struct perf_event *event, struct perf_sample_data *data,
				    struct pt_regs *regs)
{
	if (!kutrace_is_hidden())
		on_major_fault(event, data, regs);
}

static void on_sample(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	bool user = user_mode(regs);
	u64 now;
	u64 *at = kutrace_claim(2, &now);

	if (!at)
		return;
	WRITE_ONCE(at[1], user || !kutrace_settings.hide_kernel ? instruction_pointer(regs) : 0);
	WRITE_ONCE(at[0], kutrace_word(now, KUTRACE_EVENT(user ? KUTRACE_PC_USER :
								 KUTRACE_PC_KERNEL)));
}

static void on_sample_filtered(struct perf_event *event, struct perf_sample_data *data,
			       struct pt_regs *regs)
{
	if (!kutrace_is_hidden())
		on_sample(event, data, regs);
}

struct software_hook {
	const char *name;
	perf_overflow_handler_t handler;
	perf_overflow_handler_t filtered; /* instead of it, if there is a filter */
	u64 config;
	u32 group;
};

static const struct software_hook hooks[] = {
	{ "fault_return_minor", on_minor_fault, on_minor_fault_filtered,
	  PERF_COUNT_SW_PAGE_FAULTS_MIN, KUTRACE_GROUP_FAULTS },
	{ "fault_return_major", on_major_fault, on_major_fault_filtered,
	  PERF_COUNT_SW_PAGE_FAULTS_MAJ, KUTRACE_GROUP_FAULTS },
	{ "sample", on_sample, on_sample_filtered, PERF_COUNT_SW_CPU_CLOCK,
	  KUTRACE_GROUP_SAMPLES },
};

/*
 * One CPU's events. `stale`: it came since they were made, so there are none or they count no more.
 */
struct cpu_events {
	struct perf_event *events[ARRAY_SIZE(hooks)];
	bool stale;
};

static DEFINE_PER_CPU(struct cpu_events, cpu_events);
static struct kutrace_config attached; /* groups 0: not attached */

static bool is_replaced(const struct software_hook *hook)
{
	return hook->config != PERF_COUNT_SW_CPU_CLOCK &&
	       kutrace_direct_replaces(KUTRACE_POINT_FAULT, hook->group);
}

static bool is_wanted(const struct software_hook *hook)
{
	if (hook->config != PERF_COUNT_SW_CPU_CLOCK &&
	    attached.flags & KUTRACE_CONFIG_NO_FAULT_RETURN)
		return false;
	return hook->group & attached.groups && !is_replaced(hook);
}

static int create(unsigned int cpu, unsigned int which)
{
	const struct software_hook *hook = &hooks[which];
	bool is_clock = hook->config == PERF_COUNT_SW_CPU_CLOCK;
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = hook->config,
		.sample_period = is_clock ? attached.sample_hz : 1,
		.freq = is_clock,
	};
	perf_overflow_handler_t handler = kutrace_filters() ? hook->filtered : hook->handler;
	struct perf_event *event;

	if (is_clock && attached.flags & KUTRACE_CONFIG_STACKS)
		handler = kutrace_sample_with_stacks;
	event = perf_event_create_kernel_counter(&attributes, cpu, NULL, handler, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	per_cpu_ptr(&cpu_events, cpu)->events[which] = event;
	return 0;
}

static void release_one(struct perf_event **event)
{
	if (*event)
		perf_event_release_kernel(*event);
	*event = NULL;
}

static void release(const struct cpumask *cpus)
{
	unsigned int cpu, i;

	kutrace_counters_release(cpus);
	for_each_cpu(cpu, cpus) {
		struct cpu_events *mine = per_cpu_ptr(&cpu_events, cpu);

		for (i = 0; i < ARRAY_SIZE(hooks); i++)
			release_one(&mine->events[i]);
		WRITE_ONCE(mine->stale, false);
	}
}

/* Those that are wanted and not there. */
static int create_missing(unsigned int cpu)
{
	unsigned int i;
	int error = 0;

	for (i = 0; i < ARRAY_SIZE(hooks) && !error; i++)
		if (is_wanted(&hooks[i]) && !per_cpu_ptr(&cpu_events, cpu)->events[i])
			error = create(cpu, i);
	return error;
}

static int create_all(unsigned int cpu)
{
	return create_missing(cpu) ?: kutrace_counters_create(cpu, attached.flags);
}

/* A CPU that is off, or goes meanwhile, gets its events when it comes. */
int kutrace_perf_attach(const struct kutrace_config *config)
{
	unsigned int cpu;

	attached = *config;
	for_each_possible_cpu(cpu) {
		bool *stale = &per_cpu_ptr(&cpu_events, cpu)->stale;
		int error;

		WRITE_ONCE(*stale, false); /* before they are made: a CPU may come at any moment */
		error = cpu_online(cpu) ? create_all(cpu) : -ENODEV;
		if (error == -ENODEV) {
			release(cpumask_of(cpu));
			WRITE_ONCE(*stale, true);
		} else if (error) {
			kutrace_perf_detach();
			return error;
		}
	}
	return 0;
}

/*
 * Makes those that this configuration wants besides; a CPU that is off gets its own when it comes.
 * What fails may leave some: see kutrace_perf_keep().
 */
int kutrace_perf_add(const struct kutrace_config *config)
{
	unsigned int cpu;

	attached.groups = config->groups;
	attached.sample_hz = config->sample_hz;
	for_each_online_cpu(cpu) {
		bool *stale = &per_cpu_ptr(&cpu_events, cpu)->stale;
		int error = READ_ONCE(*stale) ? 0 : create_missing(cpu);

		if (error == -ENODEV)
			WRITE_ONCE(*stale, true);
		else if (error)
			return error;
	}
	return 0;
}

/* Takes off those that it does not want. */
void kutrace_perf_keep(const struct kutrace_config *config)
{
	unsigned int cpu, i;

	attached.groups = config->groups;
	attached.sample_hz = config->sample_hz;
	for_each_possible_cpu(cpu)
		for (i = 0; i < ARRAY_SIZE(hooks); i++)
			if (!is_wanted(&hooks[i]))
				release_one(&per_cpu_ptr(&cpu_events, cpu)->events[i]);
}

/* Makes the events of CPUs that had none when the others got theirs. kutrace_mutex held. */
void kutrace_perf_make_up(void)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		if (!attached.groups || !READ_ONCE(per_cpu_ptr(&cpu_events, cpu)->stale))
			continue;
		release(cpumask_of(cpu));
		if (create_all(cpu))
			WRITE_ONCE(per_cpu_ptr(&cpu_events, cpu)->stale, true);
	}
}

static void make_up(struct work_struct *work)
{
	mutex_lock(&kutrace_mutex);
	kutrace_perf_make_up();
	mutex_unlock(&kutrace_mutex);
}

static DECLARE_WORK(make_up_work, make_up);

void kutrace_perf_detach(void)
{
	attached.groups = 0;
	release(cpu_possible_mask);
}

/* Before the module goes: kutrace_mutex not held. */
void kutrace_perf_exit(void)
{
	cancel_work_sync(&make_up_work);
}

/* Also while nothing records: a recording may be about to begin. */
void kutrace_perf_cpu_came(unsigned int cpu)
{
	WRITE_ONCE(per_cpu_ptr(&cpu_events, cpu)->stale, true);
	schedule_work(&make_up_work);
}

unsigned int kutrace_perf_count(void)
{
	return ARRAY_SIZE(hooks);
}

int kutrace_perf_describe(unsigned int index, struct kutrace_hook_info *info)
{
	if (index >= ARRAY_SIZE(hooks))
		return -ENXIO;
	index = array_index_nospec(index, ARRAY_SIZE(hooks));
	info->group = hooks[index].group;
	info->way = is_replaced(&hooks[index]) ? KUTRACE_HOOK_BY_PATCH : KUTRACE_HOOK_BY_TRACEPOINT;
	strscpy(info->name, hooks[index].name, sizeof(info->name));
	return 0;
}
