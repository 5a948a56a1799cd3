// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hanging probes on the kernel's tracepoints, and taking them off again. Tracepoints are not
 * exported by name, so they are looked up once; one that this kernel lacks is reported, not missed.
 * Where a patched kernel calls directly, they are left alone.
 */
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "kutrace.h"

static const struct kutrace_hook_table *const tables[] = {
	&kutrace_first_owner_hooks,
	&kutrace_point_hooks, &kutrace_syscall_hooks, &kutrace_argument_hooks,
	&kutrace_irq_hooks,   &kutrace_task_hooks,    &kutrace_fault_hooks,
	&kutrace_net_hooks,   &kutrace_stack_hooks,   &kutrace_filter_hooks,
	&kutrace_last_owner_hooks,
};

/* Calls the function for each hook until it returns non-zero, which is returned. */
static int for_each_hook(int (*function)(struct kutrace_hook *hook, void *data), void *data)
{
	unsigned int table, i;
	int result = 0;

	for (table = 0; table < ARRAY_SIZE(tables); table++)
		for (i = 0; i < tables[table]->count && !result; i++)
			result = function(&tables[table]->hooks[i], data);
	return result;
}

static int note_if_same(struct kutrace_hook *hook, void *tracepoint)
{
	if (!strcmp(hook->name, ((struct tracepoint *)tracepoint)->name))
		hook->tracepoint = tracepoint;
	return 0;
}

static void note_tracepoint(struct tracepoint *tracepoint, void *unused)
{
	for_each_hook(note_if_same, tracepoint);
}

void kutrace_hooks_find(void)
{
	for_each_kernel_tracepoint(note_tracepoint, NULL);
}

static bool is_replaced(const struct kutrace_hook *hook)
{
	return kutrace_direct_replaces(hook->point, hook->group);
}

static bool is_wanted(const struct kutrace_hook *hook, const struct kutrace_config *config)
{
	if (hook->unless & config->groups || hook->flag_off & config->flags ||
	    hook->flag_on & ~config->flags)
		return false;
	return hook->tracepoint && !is_replaced(hook) &&
	       (!hook->group || hook->group & config->groups);
}

/* Those of one tracepoint run in the order of the tables, whenever they were attached. */
static int priority_of(const struct kutrace_hook *hook)
{
	unsigned int table;

	for (table = 0; table < ARRAY_SIZE(tables) - 1; table++)
		if (hook >= tables[table]->hooks &&
		    hook < tables[table]->hooks + tables[table]->count)
			break;
	return TRACEPOINT_DEFAULT_PRIO + (int)(ARRAY_SIZE(tables) - table);
}

static int attach_one(struct kutrace_hook *hook, void *config)
{
	void *probe = kutrace_filters() && hook->filtered ? hook->filtered : hook->probe;
	int error;

	if (!is_wanted(hook, config) || !probe || hook->attached)
		return 0;
	error = tracepoint_probe_register_prio(hook->tracepoint, probe, NULL, priority_of(hook));
	hook->attached = error ? NULL : probe;
	return error;
}

/* `config`: that of the hooks that stay, or NULL. */
static int detach_one(struct kutrace_hook *hook, void *config)
{
	if (config && is_wanted(hook, config))
		return 0;
	if (hook->attached)
		tracepoint_probe_unregister(hook->tracepoint, hook->attached, NULL);
	hook->attached = NULL;
	return 0;
}

/*
 * Attaches those that this configuration wants besides. What fails may leave some: see
 * kutrace_hooks_keep().
 */
int kutrace_hooks_add(const struct kutrace_config *config)
{
	return for_each_hook(attach_one, (void *)config);
}

/*
 * Detaches those that it does not want, NULL: all; returns when none of their probes runs any more.
 */
void kutrace_hooks_keep(const struct kutrace_config *config)
{
	for_each_hook(detach_one, (void *)config);
	tracepoint_synchronize_unregister();
}

int kutrace_hooks_attach(const struct kutrace_config *config)
{
	int error = kutrace_direct_attach(config);

	if (error)
		return error;
	error = kutrace_hooks_add(config);
	if (error)
		kutrace_hooks_detach();
	return error;
}

/* Returns when no probe runs any more. */
void kutrace_hooks_detach(void)
{
	kutrace_direct_detach();
	kutrace_hooks_keep(NULL);
}

static int count_one(struct kutrace_hook *hook, void *count)
{
	++*(unsigned int *)count;
	return 0;
}

unsigned int kutrace_hooks_count(void)
{
	unsigned int count = 0;

	for_each_hook(count_one, &count);
	return count + kutrace_perf_count() + kutrace_direct_count();
}

static int describe_one(struct kutrace_hook *hook, void *data)
{
	struct kutrace_hook_info *info = data;

	if (info->index) {
		info->index--;
		return 0;
	}
	info->group = hook->group;
	info->error = hook->tracepoint || is_replaced(hook) ? 0 : -ENOENT;
	info->way = is_replaced(hook) ? KUTRACE_HOOK_BY_PATCH : KUTRACE_HOOK_BY_TRACEPOINT;
	strscpy(info->name, hook->alias ?: hook->name, sizeof(info->name));
	return 1;
}

int kutrace_hook_describe(unsigned int index, struct kutrace_hook_info *info)
{
	*info = (struct kutrace_hook_info){ .index = index };
	if (for_each_hook(describe_one, info) || !kutrace_perf_describe(info->index, info) ||
	    !kutrace_direct_describe(info->index - kutrace_perf_count(), info)) {
		info->index = index;
		return 0;
	}
	return -ENXIO;
}
