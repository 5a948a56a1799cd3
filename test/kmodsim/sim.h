/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the test share.
 *
 * machine.c   threads, CPUs, interrupts, locks, memory: see there
 * kernel.h    the kernel's words for the module's files
 * stubs.c     the parts of the module that are not compiled
 * load.c      what the CPUs do, and what processes do with the device
 * account.c   what was inserted, and whether it is in the blocks
 * main.c      seeds
 */
#ifndef KUTRACE_TEST_SIM_H
#define KUTRACE_TEST_SIM_H

#include "kutrace.h"

/* An event with a return, by its number, because its name differs between trees. */
enum { SIM_IRQ = 0x500 };

void sim_prepare_cpus(void);
void sim_advance_clock(u64 ticks);

/* What hooks would do here that are attached now: a sample with stacks, a call with arguments. */
void sim_run_hooks(void);

/* Called whenever the module's mutex is given back: what holds while nothing records. */
void sim_check_quiet(void);

/* ---- load.c ---------------------------------------------------------------------------------- */

/* Random commands of processes that share a file, against CPUs that come and go and write as long
 * as commands come; or one recording of which every entry is counted. */
enum sim_kind { SIM_CHAOS, SIM_COUNTED };

/* The taste says which commands are rare in this run, and which are frequent. */
void sim_plan(enum sim_kind kind, u64 taste);
void sim_body(int thread);
void sim_in_irq_load(void);
void sim_in_nmi_load(void);

/* ---- account.c ------------------------------------------------------------------------------- */

void account_begin(u32 mode);
void account_inserted(void);
u64 account_next_id(void);
void account_block(const struct kutrace_block_info* info);
/* It is as it was finished, and nothing is accounted for. */
void account_look(const struct kutrace_block_info* info);
/* What a reader is told of was written. */
void account_told(const struct kutrace_block_info* info);
void account_end(const struct kutrace_status* status, u64 lost_on_cpus);
/* What a return says, so that one in the wrong call is seen. */
u8 account_result_of(u64 id);

#endif
