// SPDX-License-Identifier: GPL-2.0-only
/* Loading and unloading, parameters, who may record. */
#define pr_fmt(format) KBUILD_MODNAME ": " format

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/uidgid.h>

#include "put.h"

unsigned int kutrace_tracemb = 32;
module_param_named(tracemb, kutrace_tracemb, uint, 0444);
MODULE_PARM_DESC(tracemb, "MB of trace buffer where a recording does not say (default 32)");

unsigned int kutrace_pktmask = KUTRACE_PACKET_ALL;
module_param_named(pktmask, kutrace_pktmask, uint, 0444);
MODULE_PARM_DESC(pktmask, "payload bytes 0..23 that must match, as bits, where every packet is wanted; 0: no packet (default every packet)");

unsigned int kutrace_pktmatch;
module_param_named(pktmatch, kutrace_pktmatch, uint, 0444);
MODULE_PARM_DESC(pktmatch, "what the bytes of pktmask must fold to");

static bool check = true;
module_param(check, bool, 0400);
MODULE_PARM_DESC(check, "only CAP_SYS_ADMIN, CAP_PERFMON or the group may record (default 1); 0: anyone");

static int gid = -1;
module_param(gid, int, 0400);
MODULE_PARM_DESC(gid, "a group that may record, too, but sees no kernel addresses (default none)");

#if defined(CONFIG_ARM64)
unsigned int kutrace_clock_shift;
#endif

u32 kutrace_default_blocks(void)
{
	return max_t(u32, kutrace_tracemb * (SZ_1M / KUTRACE_BLOCK_BYTES),
		     KUTRACE_MIN_BLOCKS_PER_CPU * num_possible_cpus());
}

bool kutrace_sees_kernel(void)
{
	return capable(CAP_SYS_ADMIN) || capable(CAP_PERFMON);
}

bool kutrace_is_permitted(void)
{
	kgid_t group = make_kgid(&init_user_ns, gid);

	if (!check || (gid >= 0 && gid_valid(group) && in_group_p(group)))
		return true;
	return kutrace_sees_kernel();
}

/* Ticks of 10 ns or more: a counter of 1 GHz is shifted, one of 62.5 MHz is not. */
static void choose_clock_shift(void)
{
#if defined(CONFIG_ARM64)
	while (kutrace_clock_khz() >> kutrace_clock_shift > 100000)
		kutrace_clock_shift++;
#endif
}

static int __init kutrace_init(void)
{
	int error;

	if (!kutrace_clock_usable()) {
		pr_err("the CPUs' time-stamp counters do not agree; if they do, boot with tsc=reliable\n");
		return -ENODEV;
	}
	choose_clock_shift();
	kutrace_hooks_find();
	error = kutrace_session_init();
	if (error)
		return error;
	error = kutrace_device_register();
	if (error)
		kutrace_session_exit();
	return error;
}

/* Nobody has the device open, and nothing records: both hold a reference to the module. */
static void __exit kutrace_exit(void)
{
	kutrace_device_unregister();
	kutrace_session_exit();
}

module_init(kutrace_init);
module_exit(kutrace_exit);

MODULE_DESCRIPTION("Records every transition between kernel and user code, on every CPU");
MODULE_AUTHOR("The kutrace authors");
MODULE_LICENSE("GPL");
