// SPDX-License-Identifier: GPL-2.0-only
/* Loading and unloading. */
#define pr_fmt(format) KBUILD_MODNAME ": " format

#include <linux/module.h>

#include "clock.h"
#include "kutrace.h"

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
		pr_err(KUTRACE_CLOCK_TROUBLE "\n");
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
