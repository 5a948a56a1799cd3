// SPDX-License-Identifier: GPL-2.0-only
/* What is asked for when the module is loaded: parameters, and who may record by them. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/uidgid.h>

#include "clock.h"
#include "kutrace.h"

static unsigned int tracemb = 32;
module_param(tracemb, uint, 0444);
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

u32 kutrace_default_blocks(void)
{
	return max_t(u32, tracemb * (SZ_1M / KUTRACE_BLOCK_BYTES),
		     KUTRACE_MIN_BLOCKS_PER_CPU * num_possible_cpus());
}

/* What counts is who opened the file, not to whom it was handed on. */
bool kutrace_administers(const struct file *file)
{
	return file_ns_capable(file, &init_user_ns, CAP_SYS_ADMIN);
}

bool kutrace_sees_kernel(const struct file *file)
{
	return kutrace_administers(file) || file_ns_capable(file, &init_user_ns, CAP_PERFMON);
}

bool kutrace_is_permitted(const struct file *file)
{
	kgid_t group = make_kgid(&init_user_ns, gid);

	if (!check || (gid >= 0 && gid_valid(group) && in_group_p(group)))
		return true;
	return kutrace_sees_kernel(file);
}
