/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Functions of programs that were chosen by name: uprobes where they begin and where they return to. The cookie
 * of each is the function's number. The stack pointer tells which of them are over, as a function may be left
 * without a return.
 */
#ifndef KUTRACE_DEVICE_FUNCTIONS_H
#define KUTRACE_DEVICE_FUNCTIONS_H

#include "points.h"

static __always_inline void put_probe(u32 point, void *ctx)
{
	put_point(point, 2, bpf_get_attach_cookie(ctx), ((struct pt_regs *)ctx)->sp, 0);
}

HOOK_IN("uprobe", probe_enter)
{
	put_probe(KUTRACE_PROBE_ENTER, ctx);
	return 0;
}

HOOK_IN("uprobe", probe_leave)
{
	put_probe(KUTRACE_PROBE_LEAVE, ctx);
	return 0;
}

#endif
