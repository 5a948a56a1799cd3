// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls: entry and return. Number 1023 is not a call but an insert (insert.c), and so is a
 * write to a descriptor that cannot be open.
 */
#include <linux/mm_types.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>

#include "direct.h"
#include "events.h"
#include "put.h"

/*
 * A call of a number that fits, and no write, which may be a mark. On x86-64 read and write are 0
 * and 1: one comparison leaves out both and what does not fit, so that all other calls pay an
 * instruction for marks.
 */
static __always_inline bool is_usual(unsigned long nr, const struct pt_regs *regs)
{
	bool fits = __NR_write == 1 ? nr - 2 < KUTRACE_CALLS - 2 :
				      nr < KUTRACE_CALLS && nr != __NR_write;

	return fits && !kutrace_is_compat(regs);
}

/* Whether the event of a call tells which one it is. Numbers below 0 are those of no call. */
static __always_inline bool has_event(long nr, bool compat)
{
	return compat || nr < 0 || (nr & ~KUTRACE_NR_X32_BIT) < KUTRACE_CALLS;
}

/* A call or return with its number before it, and with what KUTRACE_WIDE_* says of it. */
static noinline __noclone void put_numbered(u64 event, u32 nr, u64 number, u32 holds, bool is_call)
{
	u64 now;
	u64 *at = is_call ? kutrace_claim_call(KUTRACE_WIDE_WORDS + 1, &now) :
			    kutrace_claim(KUTRACE_WIDE_WORDS + 1, &now);

	if (!at)
		return;
	if (this_cpu_read(kutrace_cpu.counts))
		kutrace_count(at + KUTRACE_WIDE_WORDS);
	WRITE_ONCE(at[KUTRACE_WIDE_WORDS], kutrace_word(now, KUTRACE_EVENT(event) | (u16)number));
	WRITE_ONCE(at[3], holds & KUTRACE_WIDE_RESULT ? number : 0);
	WRITE_ONCE(at[2], holds & KUTRACE_WIDE_ARGUMENT ? number : 0);
	WRITE_ONCE(at[1], nr & ~KUTRACE_NR_X32_BIT);
	/* The first word last: a reader waits for it. */
	smp_store_release(at, kutrace_word(now, KUTRACE_EVENT(KUTRACE_WIDE) | holds |
						KUTRACE_WIDE_NUMBER));
}

/* These take what the probe takes, so that they are jumps. */
static noinline __noclone void odd_entry(void *data, struct pt_regs *regs, long nr)
{
	if (kutrace_is_compat(regs))
		kutrace_put_call(kutrace_syscall_event(nr, true),
				 kutrace_first_compat_argument16(regs));
	else if (nr == KUTRACE_SYSCALL)
		kutrace_insert_by_syscall(kutrace_first_argument(regs),
					  kutrace_second_argument(regs));
	else if (!has_event(nr, false))
		put_numbered(KUTRACE_UNKNOWN_CALL, nr, kutrace_first_argument(regs),
			     KUTRACE_WIDE_ARGUMENT, true);
	else
		kutrace_put_call(kutrace_syscall_event(nr, false), kutrace_first_argument16(regs));
}

/* Of a number that fits. */
static noinline __noclone void write_entry(void *data, struct pt_regs *regs, long nr)
{
	unsigned long first = kutrace_first_argument(regs);

	if (unlikely(kutrace_is_compat(regs)))
		odd_entry(data, regs, nr);
	else if (unlikely(kutrace_is_mark_descriptor(first)) && nr == __NR_write)
		kutrace_insert_by_write(first, kutrace_second_argument(regs),
					kutrace_third_argument(regs));
	else
		kutrace_put_call(KUTRACE_SYSCALL64 + nr, kutrace_first_argument16(regs));
}

static __always_inline void unusual_entry(void *data, struct pt_regs *regs, long nr)
{
	if ((unsigned long)nr < KUTRACE_CALLS)
		write_entry(data, regs, nr);
	else
		odd_entry(data, regs, nr);
}

static __always_inline void on_sys_enter(void *data, struct pt_regs *regs, long id)
{
	if (likely(is_usual(id, regs)))
		kutrace_put_call(KUTRACE_SYSCALL64 + id, kutrace_first_argument16(regs));
	else
		unusual_entry(data, regs, id);
}

KUTRACE_SYSCALL_PROBE(on_sys_enter, (struct pt_regs *regs, long id), (regs, id))

/*
 * All others: rt_sigreturn replaces the registers, and leaves -1 as the number of the call that
 * ends. Takes what put_return takes, so that it is a jump.
 */
static noinline __noclone void put_unusual_return(long result, struct pt_regs *regs)
{
	long nr = kutrace_call_number(regs);
	bool compat = kutrace_was_compat(regs);

	if (!compat && kutrace_is_mark(nr, kutrace_first_argument(regs)))
		return;
	if (nr < 0)
		nr = compat ? KUTRACE_NR_SIGRETURN_32 : KUTRACE_NR_SIGRETURN;
	if (has_event(nr, compat))
		kutrace_put(kutrace_return_of(kutrace_syscall_event(nr, compat)), (u16)result);
	else
		put_numbered(kutrace_return_of(KUTRACE_UNKNOWN_CALL), nr, result,
			     KUTRACE_WIDE_RESULT, false);
}

static noinline __noclone void put_return(long result, struct pt_regs *regs)
{
	long nr = kutrace_call_number(regs);

	if (unlikely(kutrace_was_compat(regs)))
		put_unusual_return(result, regs);
	else if (likely((unsigned long)nr < KUTRACE_CALLS &&
			!kutrace_is_mark(nr, kutrace_first_argument(regs))))
		kutrace_put(kutrace_return_of(KUTRACE_SYSCALL64 + nr), (u16)result);
	else if (nr != KUTRACE_SYSCALL)
		put_unusual_return(result, regs);
}

static noinline __noclone void put_return_at_once(long result, struct pt_regs *regs)
{
	if (!kutrace_fold_call_of(this_cpu_read(kutrace_cpu.call_end), 1, result))
		put_return(result, regs);
}

static __always_inline void on_sys_exit(void *data, struct pt_regs *regs, long result)
{
	enum kutrace_folding folding = kutrace_fold_call(result);

	if (unlikely(folding == KUTRACE_AT_ONCE))
		put_return_at_once(result, regs);
	else if (folding == KUTRACE_NOT_FOLDED)
		put_return(result, regs);
}

KUTRACE_SYSCALL_PROBE(on_sys_exit, (struct pt_regs *regs, long result), (regs, result))

static __always_inline void on_sys_exit_unfolded(void *data, struct pt_regs *regs, long result)
{
	put_return(result, regs);
}

KUTRACE_SYSCALL_PROBE(on_sys_exit_unfolded, (struct pt_regs *regs, long result), (regs, result))

/*
 * Where switches are not recorded, they still end what may be folded: another thread returns next.
 */
static __always_inline void on_switch(void *data, bool preempt, struct task_struct *prev,
				      struct task_struct *next, unsigned int prev_state)
{
	kutrace_forget_call();
}

KUTRACE_PROBE(on_switch, (bool preempt, struct task_struct *prev, struct task_struct *next,
			  unsigned int prev_state), (preempt, prev, next, prev_state))

/* Before 5.18. */
static __always_inline void on_switch_without_state(void *data, bool preempt,
						    struct task_struct *prev,
						    struct task_struct *next)
{
	kutrace_forget_call();
}

KUTRACE_PROBE(on_switch_without_state,
	      (bool preempt, struct task_struct *prev, struct task_struct *next),
	      (preempt, prev, next))

#define probe_on_any_switch                                                                   \
	KUTRACE_CHOOSE_PROBE(sched_switch, on_switch, on_switch_without_state)

#if KUTRACE_IS_PATCHED

/*
 * Whatever takes longer, jumped to. A call that seccomp or a debugger refused has the number -1; it
 * is named all the same.
 */
static noinline __noclone long slow_direct_entry(long nr)
{
	struct pt_regs *regs = current_pt_regs();

	unusual_entry(NULL, regs, nr < 0 ? kutrace_call_number(regs) : nr);
	return nr;
}

long kutrace_direct_syscall_enter(long nr)
{
	struct pt_regs *regs = current_pt_regs();

	if (likely(is_usual(nr, regs)) &&
	    likely(kutrace_try_put_call(kutrace_call_top(KUTRACE_SYSCALL64 + nr),
					kutrace_first_argument16(regs))))
		return nr;
	return slow_direct_entry(nr);
}

static noinline __noclone struct pt_regs *put_direct_return(struct pt_regs *regs)
{
	put_return(regs_return_value(regs), regs);
	return regs;
}

static noinline __noclone struct pt_regs *put_direct_return_at_once(struct pt_regs *regs)
{
	put_return_at_once(regs_return_value(regs), regs);
	return regs;
}

struct pt_regs *kutrace_direct_syscall_exit(struct pt_regs *regs)
{
	enum kutrace_folding folding = kutrace_fold_call(regs_return_value(regs));

	if (likely(folding == KUTRACE_FOLDED))
		return regs;
	return folding == KUTRACE_AT_ONCE ? put_direct_return_at_once(regs) :
					    put_direct_return(regs);
}

struct pt_regs *kutrace_direct_syscall_exit_unfolded(struct pt_regs *regs)
{
	return put_direct_return(regs);
}

long kutrace_direct_syscall_enter_filtered(long nr)
{
	return kutrace_is_hidden() ? nr : kutrace_direct_syscall_enter(nr);
}

struct pt_regs *kutrace_direct_syscall_exit_filtered(struct pt_regs *regs)
{
	return kutrace_is_hidden() ? regs : kutrace_direct_syscall_exit(regs);
}

struct pt_regs *kutrace_direct_syscall_exit_unfolded_filtered(struct pt_regs *regs)
{
	return kutrace_is_hidden() ? regs : kutrace_direct_syscall_exit_unfolded(regs);
}

#endif

void kutrace_sys_enter(struct pt_regs *regs, long nr)
{
	on_sys_enter(NULL, regs, nr);
}

void kutrace_sys_exit(struct pt_regs *regs, long result)
{
	if (kutrace_read(folds))
		on_sys_exit(NULL, regs, result);
	else
		put_return(result, regs);
}

static struct kutrace_hook hooks[] = {
	{ .name = "sys_enter", .probe = KUTRACE_PROBE_OF(on_sys_enter),
	  .filtered = KUTRACE_PROBE_OF(on_sys_enter_filtered),
	  .group = KUTRACE_GROUP_SYSCALLS, .point = KUTRACE_POINT_SYSCALL,
	  .flag_off = KUTRACE_CONFIG_ARGUMENTS },
	{ .name = "sys_exit", .probe = KUTRACE_PROBE_OF(on_sys_exit),
	  .filtered = KUTRACE_PROBE_OF(on_sys_exit_filtered),
	  .group = KUTRACE_GROUP_SYSCALLS, .point = KUTRACE_POINT_SYSCALL,
	  .flag_off = KUTRACE_CONFIG_NO_FOLD | KUTRACE_CONFIG_ARGUMENTS },
	{ .name = "sys_exit", .probe = KUTRACE_PROBE_OF(on_sys_exit_unfolded),
	  .filtered = KUTRACE_PROBE_OF(on_sys_exit_unfolded_filtered),
	  .group = KUTRACE_GROUP_SYSCALLS, .point = KUTRACE_POINT_SYSCALL,
	  .flag_on = KUTRACE_CONFIG_NO_FOLD, .flag_off = KUTRACE_CONFIG_ARGUMENTS },
	{ .name = "sched_switch", .probe = KUTRACE_PROBE_OF(on_any_switch),
	  .group = KUTRACE_GROUP_SYSCALLS, .point = KUTRACE_POINTS,
	  .unless = KUTRACE_GROUP_SCHED },
};

const struct kutrace_hook_table kutrace_syscall_hooks = { hooks, ARRAY_SIZE(hooks) };

static void __maybe_unused check_probes(void)
{
	KUTRACE_CHECK_PROBE(sys_enter, on_sys_enter);
	KUTRACE_CHECK_PROBE(sys_exit, on_sys_exit);
	KUTRACE_CHECK_PROBE(sys_exit, on_sys_exit_unfolded);
	KUTRACE_CHECK_PROBE(sched_switch, on_any_switch);
}
