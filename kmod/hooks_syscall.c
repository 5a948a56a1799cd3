// SPDX-License-Identifier: GPL-2.0-only
/* System calls: entry and return. Number 1023 is not a call but an insert (insert.c). */
#include <trace/events/syscalls.h>

#include "events.h"
#include "put.h"

static __always_inline bool is_usual(unsigned long nr, const struct pt_regs *regs)
{
	return nr < 512 && !kutrace_is_compat(regs);
}

static noinline void odd_entry(struct pt_regs *regs, long nr)
{
	u32 event = kutrace_syscall_event(nr, regs);

	if (nr == KUTRACE_SYSCALL && !kutrace_is_compat(regs))
		kutrace_insert_by_syscall(kutrace_first_argument(regs),
					  kutrace_second_argument(regs));
	else
		kutrace_put(event, (u16)kutrace_first_argument(regs));
}

static void on_sys_enter(void *data, struct pt_regs *regs, long id)
{
	kutrace_syscall_begin();
	if (likely(is_usual(id, regs)))
		kutrace_put(KUTRACE_SYSCALL64 | id, (u16)kutrace_first_argument(regs));
	else
		odd_entry(regs, id);
	kutrace_syscall_end();
}

/* rt_sigreturn replaces the registers, and leaves -1 as the number of the call that ends. */
static noinline void odd_return(struct pt_regs *regs, long nr, long result)
{
	bool compat = kutrace_is_compat(regs);

	if (nr == KUTRACE_SYSCALL && !compat)
		return;
	if (nr < 0)
		nr = compat ? KUTRACE_NR_SIGRETURN_32 : KUTRACE_NR_SIGRETURN;
	kutrace_put_return(kutrace_return_of(kutrace_syscall_event(nr, regs)), result);
}

static void on_sys_exit(void *data, struct pt_regs *regs, long result)
{
	long nr = kutrace_call_number(regs);

	kutrace_syscall_begin();
	if (likely(is_usual(nr, regs)))
		kutrace_put_return(kutrace_return_of(KUTRACE_SYSCALL64) | nr, result);
	else
		odd_return(regs, nr, result);
	kutrace_syscall_end();
}

static struct kutrace_hook hooks[] = {
	KUTRACE_HOOK(sys_enter, KUTRACE_GROUP_SYSCALLS, on_sys_enter),
	KUTRACE_HOOK(sys_exit, KUTRACE_GROUP_SYSCALLS, on_sys_exit),
};

const struct kutrace_hook_table kutrace_syscall_hooks = { hooks, ARRAY_SIZE(hooks) };

static void __maybe_unused check_probes(void)
{
	KUTRACE_CHECK_PROBE(sys_enter, on_sys_enter);
	KUTRACE_CHECK_PROBE(sys_exit, on_sys_exit);
}
