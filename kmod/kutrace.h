/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the module's files share.
 *
 * params.c         parameters, and who may record
 * state.c          what the others share
 * put.h, claim.c   write entries into the open block of a CPU: any context
 * buffer.c         owns the blocks: free, open, finished, taken
 * counters.c       what the processor counted since the entry before, for the trailers
 * filter.c         which threads are left out
 * owners.c         whose threads are, where several users read
 * readers.c        which files read, and what each wants
 * hooks*.c         call put.h from the kernel's tracepoints and software events, or are called
 *                  by a patched kernel
 * session.c        starts and stops recording; CPUs that come and go; sleep
 * device.c         /dev/kutrace: the only way in from user space
 * main.c           loads and unloads
 *
 * No calls lead back to the file that they come from. From above: main, device, session, hooks and
 * owners, what writes and readers, buffer, params, state. A test asks the objects.
 *
 * kutrace_mutex is held by everything that changes the configuration, the buffer as a whole, or
 * whether recording is on. Blocks and per-CPU cursors change without it, by atomic operations.
 */
#ifndef KUTRACE_KMOD_KUTRACE_H
#define KUTRACE_KMOD_KUTRACE_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <asm/local.h>

#include "kutrace/control.h"
#include "compat.h"

extern struct mutex kutrace_mutex;

/*
 * Of a table that vmalloc() makes: fails rather than have other processes killed for it, and is
 * charged to whoever asks.
 */
#define KUTRACE_GFP_TABLE (GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_NORETRY)

/* ---- per CPU --------------------------------------------------------------------------------- */

/* One CPU's state, written by that CPU alone, in any context. The first fields are the hot path. */
struct kutrace_cpu {
	u64 *next;      /* where the next entry goes, or one of the places below */
	u64 last;       /* counter of the newest entry */
	u64 *call_end;  /* `next` as the newest system call's entry left it; never NULL */
	bool folds;     /* returns become part of their calls */
	bool hidden;    /* the filter leaves out the thread that runs here */
	bool reading;   /* a program's memory: faults meanwhile are the reader's */
	u64 sequence;   /* blocks that were begun and left in this recording */
	local_t lost;   /* entries lost in this recording */
	u64 told;       /* of them, those that a block that was left tells of */
	u64 lost_begin; /* counter of the first that none tells of */
	bool counts;    /* entries have bytes in the trailer: none takes the fast path */
	u64 last_counted; /* then `last`, which is 0 */
	struct kutrace_block *held; /* ended in an interrupt, which may have interrupted a store */
	bool recorded;  /* it took part in this recording */
	bool offline;   /* the loss is one of a CPU that was off */
	u32 runs;       /* with owners: argument of an entry for the thread that runs here */
	u64 user;       /* who may look into it */
} ____cacheline_aligned;

DECLARE_PER_CPU(struct kutrace_cpu, kutrace_cpu);

#define KUTRACE_NO_CALL ((u64 *)1)

/*
 * Cursors of a CPU without an open block. Each is the last word of a block, so it has no room, and
 * no block is up there. One that does not record stays where it is until a recording starts; one
 * that found no block says how many it had, so that who was interrupted sees that it had others
 * meanwhile.
 */
#define KUTRACE_NOWHERE 0xffffffff80000000ul
#define KUTRACE_LAST_WORD (KUTRACE_BLOCK_BYTES - 8ul)
#define KUTRACE_STOPPED ((u64 *)(KUTRACE_NOWHERE | KUTRACE_LAST_WORD))

static __always_inline u64 *kutrace_no_block(u64 sequence)
{
	return (u64 *)(KUTRACE_NOWHERE | 1ul << 30 | (sequence & 0x3fff) << 16 | KUTRACE_LAST_WORD);
}

static __always_inline bool kutrace_is_open(const u64 *cursor)
{
	return (unsigned long)cursor < KUTRACE_NOWHERE;
}

/* ---- buffer.c -------------------------------------------------------------------------------- */

/* Of struct kutrace_block. */
enum {
	KUTRACE_BLOCK_FREE,     /* zeroed */
	KUTRACE_BLOCK_OPEN,     /* a CPU's */
	KUTRACE_BLOCK_FINISHED,
	KUTRACE_BLOCK_TAKEN,    /* readers', who alone change it */
	KUTRACE_BLOCK_EMPTIED,  /* at this moment, to become free */
};

/* Readers have bits, and this one is whoever may read where nobody else does. */
#define KUTRACE_FIRST_READER 1u

struct kutrace_block {
	u64 *words;
	struct kutrace_block *next; /* of those that this CPU holds back */
	u32 state;
	u32 below; /* of a free one: index + 1 of the free one below it */
	u32 serial; /* of its opening: another each time */
	u32 end; /* of a finished block: first word without an entry */
	u32 wanted; /* readers that have not taken it */
	u32 held_by; /* readers that have, of a taken one */
	u32 cpu;
	u64 sequence; /* of an open one, on its CPU */
	u64 lost; /* entries that its CPU had lost when it was opened */
	u64 began;
};

struct kutrace_buffer {
	struct kutrace_block *blocks;
	u32 count;
	u32 trailers; /* blocks behind those, for their trailers; 0: there are none */
	u32 mode;
	bool overwrites;       /* the oldest finished block, where none is free */
	u32 reserve;           /* then: blocks to be kept free */
	u32 wanting;           /* readers that get what is finished */
	u64 free_top;          /* of the free blocks: 63:32 changes, 31:0 index + 1 */
	atomic_t free;         /* how many are, about */
	atomic_t finished;
	atomic_t news;         /* readers for whom something was finished since they looked */
	atomic_t serial;
	atomic_t hand;         /* where the oldest one is looked for */
	atomic64_t lost;       /* entries without a block, of all CPUs */
	atomic64_t discarded;  /* wrap: words overwritten */
	atomic64_t lapped[KUTRACE_READERS_MOST]; /* blocks overwritten that this reader wanted */
	atomic64_t full_counter; /* fill: when the first CPU found no block; 0: not yet */
	atomic_t mappings;
	atomic_t limited_mappings; /* of users who may not see kernel addresses */
	wait_queue_head_t readers;
};

extern struct kutrace_buffer kutrace_buffer;

int kutrace_buffer_resize(u32 blocks, bool trailers, bool is_trusted);
void kutrace_buffer_reset(u32 mode);
void kutrace_buffer_free(void);
void kutrace_buffer_settle(void);
int kutrace_buffer_map(struct vm_area_struct *vma);
bool kutrace_buffer_readable(u32 reader);
void kutrace_buffer_give_to(u32 readers, bool overwrites);
void kutrace_buffer_new_reader(u32 reader);
u64 kutrace_buffer_lapped(u32 reader);
void kutrace_buffer_forget(u32 reader);
u32 kutrace_buffer_used(void);
struct kutrace_block *kutrace_buffer_block(const u64 *position);
u8 *kutrace_buffer_trailer(const struct kutrace_block *block);
void kutrace_buffer_heard(u32 reader);
void kutrace_buffer_has_more(u32 reader);
u32 kutrace_buffer_look(u32 reader, struct kutrace_block_info *out, u32 capacity, u32 *from);
u32 kutrace_buffer_take(u32 reader, const struct kutrace_block_info *infos, u32 count);
int kutrace_buffer_release(u32 reader, u32 index, u32 serial);

/* The opening CPU's side; any context. */
struct kutrace_block *kutrace_block_open(void);
void kutrace_block_end(u64 *end);
void kutrace_block_give_back(struct kutrace_block *block, u64 *end);
void kutrace_blocks_finish(struct kutrace_block *held);

/* ---- claim.c --------------------------------------------------------------------------------- */

void kutrace_cpu_start(void);
void kutrace_cpu_stop(bool offline);
void kutrace_cpu_flush(void);
struct kutrace_block *kutrace_cpu_take_held(unsigned int cpu, struct kutrace_block *more);
u64 *kutrace_claim(unsigned int words, u64 *now);
u64 *kutrace_claim_call(unsigned int words, u64 *now);
void kutrace_put_slow(u64 event_arg);

/* ---- counters.c ------------------------------------------------------------------------------ */

enum kutrace_counter { KUTRACE_CYCLES, KUTRACE_INSTRUCTIONS, KUTRACE_MISSES, KUTRACE_COUNTERS };

int kutrace_counters_check(const struct kutrace_config *config);
int kutrace_counters_create(unsigned int cpu, u32 flags);
void kutrace_counters_release(const struct cpumask *cpus);
void kutrace_counters_start(void);
void kutrace_count(const u64 *position);

/* Whether entries have bytes in the trailer. */
static inline bool kutrace_counting(const struct kutrace_config *config)
{
	return config->flags & (KUTRACE_CONFIG_IPC | KUTRACE_CONFIG_LLC);
}

/* ---- hooks.c --------------------------------------------------------------------------------- */

struct kutrace_hook {
	const char *name; /* of the tracepoint */
	const char *alias; /* that it is told by; NULL: the same */
	void *probe; /* NULL: attached only if there is a filter */
	void *filtered; /* instead of it, if there is a filter; NULL: the same */
	u32 group;
	u32 unless; /* not attached if one of these groups is on */
	u32 flag_on;  /* attached only with, */
	u32 flag_off; /* only without this flag of the configuration */
	u32 point; /* of a patched kernel that does without it; KUTRACE_POINTS: none */
	struct tracepoint *tracepoint; /* NULL: this kernel has none of that name */
	void *attached; /* the probe, or NULL */
};

struct kutrace_hook_table {
	struct kutrace_hook *hooks;
	unsigned int count;
};

/* There is none of a function that KUTRACE_PROBE has not made one. */
#define KUTRACE_PROBE_OF(function) ((void *)probe_##function)

/* A line of a hook table: not used where the kernel calls directly at that point. */
#define KUTRACE_HOOK(tracepoint_name, of_group, of_point, function)                          \
	{ .name = #tracepoint_name, .probe = KUTRACE_PROBE_OF(function), .group = (of_group), \
	  .point = (of_point) }

/* The same for what threads do, which a filter may leave out. */
#define KUTRACE_FILTERED_HOOK(tracepoint_name, of_group, of_point, function)                 \
	{ .name = #tracepoint_name, .probe = KUTRACE_PROBE_OF(function),                      \
	  .filtered = KUTRACE_PROBE_OF(function##_filtered), .group = (of_group),             \
	  .point = (of_point) }

/* Does not compile if the function does not take what the tracepoint passes. */
#define KUTRACE_CHECK_PROBE(name, function) check_trace_callback_type_##name(probe_##function)

extern const struct kutrace_hook_table kutrace_filter_hooks;
extern const struct kutrace_hook_table kutrace_first_owner_hooks;
extern const struct kutrace_hook_table kutrace_last_owner_hooks;
extern const struct kutrace_hook_table kutrace_syscall_hooks;
extern const struct kutrace_hook_table kutrace_argument_hooks;
extern const struct kutrace_hook_table kutrace_point_hooks;
extern const struct kutrace_hook_table kutrace_stack_hooks;
extern const struct kutrace_hook_table kutrace_irq_hooks;
extern const struct kutrace_hook_table kutrace_task_hooks;
extern const struct kutrace_hook_table kutrace_fault_hooks;
extern const struct kutrace_hook_table kutrace_net_hooks;

void kutrace_hooks_find(void);
int kutrace_hooks_attach(const struct kutrace_config *config);
void kutrace_hooks_detach(void);
int kutrace_hooks_add(const struct kutrace_config *config);
void kutrace_hooks_keep(const struct kutrace_config *config);
unsigned int kutrace_hooks_count(void);
int kutrace_hook_describe(unsigned int index, struct kutrace_hook_info *info);

/* hooks_syscall.c: entry and return without more than one argument. Preemption is off. */
void kutrace_sys_enter(struct pt_regs *regs, long nr);
void kutrace_sys_exit(struct pt_regs *regs, long result);

/* hooks_arguments.c */
int kutrace_arguments_prepare(const struct kutrace_config *config);
void kutrace_arguments_keep(const struct kutrace_config *config);
void kutrace_arguments_clear(void);
int kutrace_arguments_choose(const struct kutrace_arguments *arguments, bool recording);
void kutrace_arguments_free(void);

/* hooks_stacks.c */
struct perf_event;
struct perf_sample_data;
int kutrace_stacks_prepare(const struct kutrace_config *config);
void kutrace_stacks_keep(const struct kutrace_config *config);
void kutrace_stacks_clear(void);
u32 kutrace_stacks_copy(struct kutrace_stack *out, u32 capacity, u32 *from);
void kutrace_stacks_free(void);
void kutrace_sample_with_stacks(struct perf_event *event, struct perf_sample_data *data,
				struct pt_regs *regs);

/*
 * hooks_direct.c: the calls of a patched kernel. Of one that is not, there are none.
 * The calls themselves are beside the probes that do the same.
 */
bool kutrace_direct_replaces(u32 point, u32 group);
bool kutrace_direct_has(u32 groups);
int kutrace_direct_attach(const struct kutrace_config *config);
void kutrace_direct_detach(void);
unsigned int kutrace_direct_count(void);
int kutrace_direct_describe(unsigned int index, struct kutrace_hook_info *info);

/* hooks_perf.c: what is hung on software events, one per CPU. */
int kutrace_perf_attach(const struct kutrace_config *config);
void kutrace_perf_detach(void);
int kutrace_perf_add(const struct kutrace_config *config);
void kutrace_perf_keep(const struct kutrace_config *config);
void kutrace_perf_exit(void);
unsigned int kutrace_perf_count(void);
int kutrace_perf_describe(unsigned int index, struct kutrace_hook_info *info);
void kutrace_perf_make_up(void);
void kutrace_perf_cpu_came(unsigned int cpu);

/* Set while recording starts, read by probes. */
struct kutrace_settings {
	u16 idle_hint[KUTRACE_CONFIG_IDLE_STATES];
	u64 packet_mask[3];
	u64 packet_init;
	bool hide_kernel; /* no kernel addresses: who switched it on may not see them */
	bool name_at_exit;
	bool owners; /* entries say whose threads are */
	u32 trailer_flags; /* KUTRACE_CONFIG_IPC, _LLC */
};

extern struct kutrace_settings kutrace_settings;

/* Things that could not be recorded. */
struct kutrace_misses {
	atomic64_t packets_unhashed;
	atomic64_t inserts_refused;
	atomic64_t inserts_unreadable;
	atomic64_t foreign_frequency;
	atomic64_t stacks_lost;
};

extern struct kutrace_misses kutrace_misses;

void kutrace_set_packet_filter(u32 mask, u32 match);

/* ---- hooks_fault.c --------------------------------------------------------------------------- */

/* Copies, without a fault in the trace, what is in memory. Interrupts are off. */
bool kutrace_read_program(void *to, unsigned long address, size_t bytes);

/* ---- filter.c -------------------------------------------------------------------------------- */

int kutrace_filter_set(const struct kutrace_filter *filter);
int kutrace_filter_tell(const u32 *processes, u32 count, u32 what);
void kutrace_filter_clear(void);
void kutrace_filter_free(void);
bool kutrace_filters(void);
u32 kutrace_filter_switch(const struct task_struct *next);

/* Whether what happens here now is to be left out. Preemption is off. */
static __always_inline bool kutrace_is_hidden(void)
{
	return this_cpu_read(kutrace_cpu.hidden);
}

/* ---- owners.c -------------------------------------------------------------------------------- */

void kutrace_owners_set(const struct kutrace_config *config);
int kutrace_owner_number(const struct kutrace_owner *owner);
int kutrace_owner_forget(u32 number);
void kutrace_owner_begin(void);
void kutrace_owner_find(void *unused);

/* ---- readers.c; kutrace_mutex held, but for kutrace_reader_bit() ----------------------------- */

struct kutrace_reader {
	struct file *file; /* NULL: there is none */
	pid_t pid;
	u32 groups;
	u32 sample_hz;
	u32 held;     /* blocks */
	bool records; /* what is finished is given to it */
	u64 stop_counter; /* of one that left while it goes on for others; else 0 */
};

void kutrace_readers_begin(struct file *file, const struct kutrace_config *config);
struct kutrace_reader *kutrace_reader_of(const struct file *file);
u32 kutrace_reader_bit(const struct file *file);
struct kutrace_reader *kutrace_reader_add(struct file *file, const struct kutrace_config *config);
void kutrace_reader_leave(struct kutrace_reader *reader);
void kutrace_reader_remove(struct kutrace_reader *reader);
struct kutrace_reader *kutrace_reader_beside(const struct kutrace_reader *reader, bool records);
u32 kutrace_readers_groups(const struct kutrace_reader *without);
bool kutrace_readers_sample_at(u32 hz);
u32 kutrace_readers_count(void);
u32 kutrace_reader_share(const struct kutrace_reader *reader);
void kutrace_readers_give(void);

/* ---- insert.c -------------------------------------------------------------------------------- */

int kutrace_insert_one(u64 word);
int kutrace_insert_words(const u64 *words);
void kutrace_insert_by_syscall(u64 command, u64 argument);
void kutrace_insert_by_write(u32 descriptor, u64 buffer, u64 bytes);

/* ---- session.c ------------------------------------------------------------------------------- */

int kutrace_session_init(void);
void kutrace_session_exit(void);
int kutrace_configure(struct file *file, const struct kutrace_config *config);
int kutrace_choose_arguments(struct file *file, const struct kutrace_arguments *arguments);
int kutrace_choose_threads(struct file *file, const struct kutrace_filter *filter);
int kutrace_choose_processes(struct file *file, const u32 *processes, u32 count, u32 what);
int kutrace_switch_groups(struct file *file, struct kutrace_group_switch *what);
int kutrace_number_owner(struct file *file, struct kutrace_owner *owner);
int kutrace_read_stacks(struct file *file, struct kutrace_stack *out, u32 capacity, u32 *from);
int kutrace_reset(struct file *file);
int kutrace_switch_on(struct file *file, u32 lifetime);
int kutrace_join(struct file *file, struct kutrace_join *what);
int kutrace_switch_off(struct file *file);
int kutrace_flush(struct file *file);
int kutrace_may_see(const struct file *file);
long kutrace_may_read(struct file *file);
u32 kutrace_take(struct file *file, u32 reader, const struct kutrace_block_info *infos, u32 count);
int kutrace_release(struct file *file, const struct kutrace_release *what);
void kutrace_forget_file(struct file *file);
void kutrace_get_status(const struct file *file, struct kutrace_status *status);
int kutrace_get_cpu_status(struct kutrace_cpu_status *status);

/* ---- params.c -------------------------------------------------------------------------------- */

extern unsigned int kutrace_pktmask;
extern unsigned int kutrace_pktmatch;
u32 kutrace_default_blocks(void);
bool kutrace_is_permitted(const struct file *file);
bool kutrace_administers(const struct file *file);
bool kutrace_sees_kernel(const struct file *file);

/* ---- device.c -------------------------------------------------------------------------------- */

int kutrace_device_register(void);
void kutrace_device_unregister(void);

#endif
