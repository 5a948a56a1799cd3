// SPDX-License-Identifier: GPL-2.0-only
/*
 * The direct calls of a patched kernel (kpatch/): attached instead of the tracepoints of the same
 * points. A group of events is called directly or by tracepoints, as the parameter `direct` says;
 * points that the kernel lacks are left to tracepoints.
 */
#include "compat.h"

#if KUTRACE_IS_PATCHED
/* Of the kernel. kutrace/abi.h, which comes later, gives the same name to that of the module. */
enum { KERNEL_PATCH_VERSION = KUTRACE_PATCH_VERSION };
#endif

#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include "direct.h"
#include "events.h"
#include "put.h"

#if KUTRACE_IS_PATCHED

static_assert(KERNEL_PATCH_VERSION == KUTRACE_PATCH_VERSION,
	      "the kernel has patches of kutrace that are of another version than the module");

static uint direct = (1u << KUTRACE_KEYS) - 1;
module_param(direct, uint, 0444);
MODULE_PARM_DESC(direct, "groups of events that a patched kernel calls directly: bits, default all");

struct point {
	const char *name;
	u32 group; /* 0: names */
};

static const struct point points[KUTRACE_POINTS] = {
	[KUTRACE_POINT_SYSCALL] = { "patch_syscall", KUTRACE_GROUP_SYSCALLS },
	[KUTRACE_POINT_TRAP] = { "patch_trap", KUTRACE_GROUP_FAULTS },
	[KUTRACE_POINT_NMI] = { "patch_nmi", KUTRACE_GROUP_IRQS },
	[KUTRACE_POINT_IRQ] = { "patch_irq", KUTRACE_GROUP_IRQS },
	[KUTRACE_POINT_IPI_SEND] = { "patch_ipi_send", KUTRACE_GROUP_IRQS },
	[KUTRACE_POINT_FAULT] = { "patch_fault", KUTRACE_GROUP_FAULTS },
	[KUTRACE_POINT_SOFTIRQ] = { "patch_softirq", KUTRACE_GROUP_SOFTIRQS },
	[KUTRACE_POINT_SCHED] = { "patch_sched", KUTRACE_GROUP_SCHED },
	[KUTRACE_POINT_WAKEUP] = { "patch_wakeup", KUTRACE_GROUP_WAKEUPS },
	[KUTRACE_POINT_IDLE] = { "patch_idle", KUTRACE_GROUP_POWER },
	[KUTRACE_POINT_TASK] = { "patch_task", 0 },
	[KUTRACE_POINT_PACKET] = { "patch_packet", KUTRACE_GROUP_NET },
};

static u32 key_of(u32 group)
{
	return group ?: 1u << KUTRACE_KEY_NAMES;
}

bool kutrace_direct_replaces(u32 point, u32 group)
{
	return point < KUTRACE_POINTS && !kutrace_settings.owners && kutrace_points >> point & 1 &&
	       direct & key_of(group);
}

/* Whether one of these groups is called directly: it is on or off until the calls are detached. */
bool kutrace_direct_has(u32 groups)
{
	unsigned int i;

	for (i = 0; i < KUTRACE_POINTS; i++)
		if (points[i].group & groups && kutrace_direct_replaces(i, points[i].group))
			return true;
	return false;
}

static void put_event(u32 event, u32 argument)
{
	kutrace_put(event, argument);
}

static void put_event_return(u32 event, u32 result)
{
	kutrace_put_return(kutrace_return_of(event), result);
}

static void put_no_fault_return(u32 event, u32 result)
{
	if (event != KUTRACE_PAGE_FAULT)
		put_event_return(event, result);
}

/*
 * Exceptions are a thread's, all else that comes this way is not. Nor are faults of whoever reads
 * its stack.
 */
static bool is_left_out(u32 event)
{
	return event >= KUTRACE_FIRST_TRAP && event < KUTRACE_FIRST_IRQ &&
	       (kutrace_is_hidden() || kutrace_read(reading));
}

static void put_event_filtered(u32 event, u32 argument)
{
	if (!is_left_out(event))
		put_event(event, argument);
}

static void put_event_return_filtered(u32 event, u32 result)
{
	if (!is_left_out(event))
		put_event_return(event, result);
}

static void put_no_fault_return_filtered(u32 event, u32 result)
{
	if (!is_left_out(event))
		put_no_fault_return(event, result);
}

static const struct kutrace_calls usual_calls = {
	.syscall_enter = kutrace_direct_syscall_enter,
	.syscall_exit = kutrace_direct_syscall_exit,
	.event = put_event,
	.event_return = put_event_return,
	.irq_enter = kutrace_direct_irq_enter,
	.irq_exit = kutrace_direct_irq_exit,
	.context_switch = kutrace_direct_switch,
	.wakeup = kutrace_direct_wakeup,
	.idle_enter = kutrace_direct_idle_enter,
	.idle_exit = kutrace_direct_idle_exit,
	.task = kutrace_direct_task,
	.packet = kutrace_direct_packet,
};

static void leave_events_out(struct kutrace_calls *calls, bool fault_return)
{
	calls->event = put_event_filtered;
	calls->event_return = fault_return ? put_event_return_filtered :
					     put_no_fault_return_filtered;
}

static void use_filter(struct kutrace_calls *calls, bool fold)
{
	calls->syscall_enter = kutrace_direct_syscall_enter_filtered;
	calls->syscall_exit = fold ? kutrace_direct_syscall_exit_filtered :
				     kutrace_direct_syscall_exit_unfolded_filtered;
	calls->context_switch = kutrace_direct_switch_filtered;
}

int kutrace_direct_attach(const struct kutrace_config *config)
{
	u32 keys = config->groups | 1u << KUTRACE_KEY_NAMES;
	bool fault_return = !(config->flags & KUTRACE_CONFIG_NO_FAULT_RETURN);
	bool fold = !(config->flags & KUTRACE_CONFIG_NO_FOLD);
	struct kutrace_calls calls = usual_calls;

	if (config->flags & KUTRACE_CONFIG_ARGUMENTS) /* those come by tracepoint */
		keys &= ~KUTRACE_GROUP_SYSCALLS;
	if (config->flags & KUTRACE_CONFIG_STACKS)
		keys &= ~KUTRACE_GROUP_SCHED;
	if (config->flags & KUTRACE_CONFIG_OWNERS) /* groups come and go with those who read */
		keys = 0;
	if (!fault_return)
		calls.event_return = put_no_fault_return;
	if (!fold)
		calls.syscall_exit = kutrace_direct_syscall_exit_unfolded;
	if (kutrace_filters())
		use_filter(&calls, fold);
	if (kutrace_filters() || config->flags & KUTRACE_CONFIG_STACKS)
		leave_events_out(&calls, fault_return);
	return kutrace_attach(&calls, keys & direct);
}

void kutrace_direct_detach(void)
{
	kutrace_detach();
}

unsigned int kutrace_direct_count(void)
{
	return KUTRACE_POINTS;
}

int kutrace_direct_describe(unsigned int index, struct kutrace_hook_info *info)
{
	if (index >= KUTRACE_POINTS)
		return -ENXIO;
	index = array_index_nospec(index, KUTRACE_POINTS);
	info->group = points[index].group;
	info->way = KUTRACE_HOOK_BY_PATCH;
	info->error = kutrace_direct_replaces(index, points[index].group) ? 0 : -ENOENT;
	strscpy(info->name, points[index].name, sizeof(info->name));
	return 0;
}

#else

bool kutrace_direct_replaces(u32 point, u32 group)
{
	return false;
}

bool kutrace_direct_has(u32 groups)
{
	return false;
}

int kutrace_direct_attach(const struct kutrace_config *config)
{
	return 0;
}

void kutrace_direct_detach(void)
{
}

unsigned int kutrace_direct_count(void)
{
	return 0;
}

int kutrace_direct_describe(unsigned int index, struct kutrace_hook_info *info)
{
	return -ENXIO;
}

#endif
