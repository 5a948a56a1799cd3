// SPDX-License-Identifier: GPL-2.0-only
/* What the module's files share, and nothing that runs; kutrace.h says who changes what. */
#include "clock.h"
#include "kutrace.h"

DEFINE_MUTEX(kutrace_mutex);

DEFINE_PER_CPU(struct kutrace_cpu, kutrace_cpu) = {
	.next = KUTRACE_STOPPED,
	.call_end = KUTRACE_NO_CALL,
};

struct kutrace_settings kutrace_settings;
struct kutrace_misses kutrace_misses;

#if defined(CONFIG_ARM64)
unsigned int kutrace_clock_shift;
#endif
