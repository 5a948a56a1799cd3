/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a patched kernel calls; hooks_direct.c hands it over. Preemption is off, contexts are any.
 */
#ifndef KUTRACE_KMOD_DIRECT_H
#define KUTRACE_KMOD_DIRECT_H

#include "kutrace.h"

#if KUTRACE_IS_PATCHED

long kutrace_direct_syscall_enter(long nr);
struct pt_regs *kutrace_direct_syscall_exit(struct pt_regs *regs);
struct pt_regs *kutrace_direct_syscall_exit_unfolded(struct pt_regs *regs);
long kutrace_direct_syscall_enter_filtered(long nr);
struct pt_regs *kutrace_direct_syscall_exit_filtered(struct pt_regs *regs);
struct pt_regs *kutrace_direct_syscall_exit_unfolded_filtered(struct pt_regs *regs);
void kutrace_direct_irq_enter(unsigned int irq);
void kutrace_direct_irq_exit(unsigned int irq);
void kutrace_direct_switch(bool preempt, unsigned long prev_state, struct task_struct *next);
void kutrace_direct_switch_filtered(bool preempt, unsigned long prev_state,
				    struct task_struct *next);
void kutrace_direct_wakeup(struct task_struct *task);
void kutrace_direct_idle_enter(u32 hint);
void kutrace_direct_idle_exit(void);
void kutrace_direct_task(enum kutrace_task_event what, struct task_struct *task, const char *name);
void kutrace_direct_packet(u32 event, const struct sk_buff *skb, int offset);

#endif
#endif
