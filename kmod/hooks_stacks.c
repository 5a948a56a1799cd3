// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks of samples and of threads that are switched away: other probes for both, in place of those
 * in hooks_task.c and hooks_perf.c where stacks are asked for.
 *
 * Each stack that was not seen before gets a place in a table, by the hash of its addresses; the
 * trace has the place's number, in an entry in front of the switch or sample and claimed with it.
 * The kernel walks its own stack; a program's is walked by frame pointers, and its memory read
 * without waiting for it.
 */
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <trace/events/sched.h>

#include "events.h"
#include "put.h"

#define TRIES 64u /* places that a stack is looked for in */
#define HASH_FACTOR 0x9e3779b97f4a7c15ull
#define OWN_FRAMES 33u /* more that may stand on a stack: those of tracing, and of an interrupt */

struct place {
	u64 hash; /* 0: free */
	u32 count;
	unsigned long frames[KUTRACE_STACK_FRAMES];
};

/* A switch cannot be interrupted by a sample, but all else can. */
enum { OF_SWITCH, OF_SAMPLE, SCRATCHES };

struct scratch {
	unsigned long frames[KUTRACE_STACK_FRAMES + OWN_FRAMES];
};

static struct place *places;
static struct scratch __percpu *scratches[SCRATCHES];

/* ---- the table ------------------------------------------------------------------------------- */

static u64 hash_of(const unsigned long *frames, u32 count)
{
	u64 hash = count;
	u32 i;

	for (i = 0; i < count; i++) {
		hash = (hash ^ frames[i]) * HASH_FACTOR;
		hash ^= hash >> 29;
	}
	return hash ?: 1;
}

static bool take_place(struct place *place, u64 hash, const unsigned long *frames, u32 count)
{
	if (READ_ONCE(place->hash) || cmpxchg64(&place->hash, 0, hash))
		return false;
	memcpy(place->frames, frames, count * sizeof(frames[0]));
	smp_store_release(&place->count, count); /* pairs with kutrace_stacks_copy() */
	return true;
}

static u32 number_of(const unsigned long *frames, u32 count)
{
	u64 hash;
	u32 i;

	if (!count)
		return KUTRACE_STACK_NONE;
	hash = hash_of(frames, count);
	for (i = 0; i < TRIES; i++) {
		u32 at = (hash + i) % KUTRACE_KEPT_STACKS;

		if (take_place(&places[at], hash, frames, count) ||
		    READ_ONCE(places[at].hash) == hash)
			return at + 1;
	}
	atomic64_inc(&kutrace_misses.stacks_lost);
	return KUTRACE_STACK_LOST;
}

/* ---- walks ----------------------------------------------------------------------------------- */

/* The kernel's stack from the frame at `from` on. */
static u32 kernel_stack(struct scratch *scratch, unsigned long from)
{
	unsigned long *frames = scratch->frames;
	u32 count = stack_trace_save(frames, ARRAY_SIZE(scratch->frames), 0);
	u32 first = 0;

	while (first < count && frames[first] != from)
		first++;
	if (first == count) { /* it cannot be walked */
		frames[0] = from;
		count = 1;
		first = 0;
	}
	return number_of(frames + first, min(count - first, KUTRACE_STACK_FRAMES));
}

/*
 * A frame is the caller's frame, which lies higher, and the address that it returns to. Interrupts
 * are off.
 */
static u32 program_stack(struct scratch *scratch, struct pt_regs *regs)
{
	unsigned long at = frame_pointer(regs);
	unsigned long frame[2];
	u32 count = 0;

	scratch->frames[count++] = instruction_pointer(regs);
	if (kutrace_is_compat(regs))
		return number_of(scratch->frames, count);
	while (count < KUTRACE_STACK_FRAMES && at && !(at & (sizeof(at) - 1)) &&
	       kutrace_read_program(frame, at, sizeof(frame)) && frame[1]) {
		scratch->frames[count++] = frame[1];
		if (frame[0] <= at)
			break;
		at = frame[0];
	}
	return number_of(scratch->frames, count);
}

static bool has_program(const struct task_struct *task)
{
	return task->pid && !(task->flags & KUTRACE_NO_USER_CODE);
}

static void store_stacks(u64 *at, u64 now, u64 numbers)
{
	WRITE_ONCE(at[1], numbers);
	/* The first word last: a reader waits for it. */
	smp_store_release(at, kutrace_word(now, KUTRACE_EVENT(KUTRACE_STACKS)));
}

/* ---- switches -------------------------------------------------------------------------------- */

/* `from`: where the tracepoint's caller goes on. */
static void put_stacks_and_switch(struct task_struct *task, u64 event_arg, unsigned long from)
{
	struct scratch *scratch = this_cpu_ptr(scratches[OF_SWITCH]);
	u64 numbers = kernel_stack(scratch, from);
	u64 now;
	u64 *at;

	if (has_program(task))
		numbers |= (u64)program_stack(scratch, task_pt_regs(task)) << 32;
	at = kutrace_claim(KUTRACE_STACKS_WORDS + 1, &now);
	if (!at)
		return;
	WRITE_ONCE(at[KUTRACE_STACKS_WORDS], kutrace_word(now, event_arg));
	store_stacks(at, now, numbers);
}

/* Idle waits for nothing, and who is dead will not come back. */
static void put_switch(bool runnable, bool dead, struct task_struct *prev,
		       const struct task_struct *next, unsigned long from)
{
	bool without = !prev->pid || kutrace_is_hidden() || dead;
	u32 hidden = kutrace_filters() ? kutrace_filter_switch(next) : 0;
	u32 how = runnable ? KUTRACE_SWITCH_RUNNABLE : KUTRACE_SWITCH_BLOCKED;
	u32 argument = hidden | next->pid | how;

	if (without)
		kutrace_put(KUTRACE_USERPID, argument);
	else
		put_stacks_and_switch(prev, KUTRACE_EVENT(KUTRACE_USERPID) | argument, from);
}

static __always_inline void on_switch(void *data, bool preempt, struct task_struct *prev,
				      struct task_struct *next, unsigned int prev_state)
{
	put_switch(preempt || !prev_state, !preempt && prev_state & TASK_DEAD, prev, next,
		   _RET_IP_);
}

KUTRACE_PROBE(on_switch, (bool preempt, struct task_struct *prev, struct task_struct *next,
			  unsigned int prev_state), (preempt, prev, next, prev_state))

/* Before 5.18. */
static __always_inline void on_switch_without_state(void *data, bool preempt,
						    struct task_struct *prev,
						    struct task_struct *next)
{
	put_switch(preempt || kutrace_is_running(prev), prev->exit_state, prev, next, _RET_IP_);
}

KUTRACE_PROBE(on_switch_without_state,
	      (bool preempt, struct task_struct *prev, struct task_struct *next),
	      (preempt, prev, next))

#define probe_on_any_switch                                                                   \
	KUTRACE_CHOOSE_PROBE(sched_switch, on_switch, on_switch_without_state)

/* ---- samples --------------------------------------------------------------------------------- */

void kutrace_sample_with_stacks(struct perf_event *event, struct perf_sample_data *data,
				struct pt_regs *regs)
{
	struct scratch *scratch = this_cpu_ptr(scratches[OF_SAMPLE]);
	bool user = user_mode(regs);
	u64 numbers = 0;
	u64 now;
	u64 *at;

	if (kutrace_is_hidden())
		return;
	if (!user)
		numbers = kernel_stack(scratch, instruction_pointer(regs));
	if (has_program(current))
		numbers |= (u64)program_stack(scratch, user ? regs : task_pt_regs(current)) << 32;
	at = kutrace_claim(KUTRACE_STACKS_WORDS + 2, &now);
	if (!at)
		return;
	WRITE_ONCE(at[KUTRACE_STACKS_WORDS + 1], instruction_pointer(regs));
	WRITE_ONCE(at[KUTRACE_STACKS_WORDS],
		   kutrace_word(now, KUTRACE_EVENT(user ? KUTRACE_PC_USER : KUTRACE_PC_KERNEL)));
	store_stacks(at, now, numbers);
}

static struct kutrace_hook hooks[] = {
	{ .name = "sched_switch", .alias = "stacks_sched_switch",
	  .probe = KUTRACE_PROBE_OF(on_any_switch), .group = KUTRACE_GROUP_SCHED,
	  .point = KUTRACE_POINTS, .flag_on = KUTRACE_CONFIG_STACKS },
};

const struct kutrace_hook_table kutrace_stack_hooks = { hooks, ARRAY_SIZE(hooks) };

static void __maybe_unused check_probes(void)
{
	KUTRACE_CHECK_PROBE(sched_switch, on_any_switch);
}

/* ---- configuration; nothing records ---------------------------------------------------------- */

void kutrace_stacks_free(void)
{
	u32 i;

	vfree(places);
	places = NULL;
	for (i = 0; i < SCRATCHES; i++) {
		free_percpu(scratches[i]);
		scratches[i] = NULL;
	}
}

/* Makes room for stacks where they are asked for. What fails changes nothing. */
int kutrace_stacks_prepare(const struct kutrace_config *config)
{
	u32 i;

	if (!(config->flags & KUTRACE_CONFIG_STACKS) || places)
		return 0;
	places = __vmalloc(KUTRACE_KEPT_STACKS * sizeof(*places), KUTRACE_GFP_TABLE);
	for (i = 0; i < SCRATCHES; i++)
		scratches[i] = alloc_percpu(struct scratch);
	if (places && scratches[OF_SWITCH] && scratches[OF_SAMPLE])
		return 0;
	kutrace_stacks_free();
	return -ENOMEM;
}

/* Frees the room where the configuration that is in force does not ask for it. */
void kutrace_stacks_keep(const struct kutrace_config *config)
{
	if (!(config->flags & KUTRACE_CONFIG_STACKS))
		kutrace_stacks_free();
}

void kutrace_stacks_clear(void)
{
	if (places)
		memset(places, 0, KUTRACE_KEPT_STACKS * sizeof(*places));
}

/* The next stacks from the place *from on, which it moves. Returns how many there were. */
u32 kutrace_stacks_copy(struct kutrace_stack *out, u32 capacity, u32 *from)
{
	u32 count = 0;

	for (; places && count < capacity && *from < KUTRACE_KEPT_STACKS; ++*from) {
		const struct place *place = &places[array_index_nospec(*from, KUTRACE_KEPT_STACKS)];
		struct kutrace_stack *stack = &out[count];
		u32 i;

		/* Pairs with take_place(): if it is not 0, the frames are there. */
		stack->count = smp_load_acquire(&place->count);
		if (!stack->count)
			continue;
		stack->number = *from + 1;
		for (i = 0; i < KUTRACE_STACK_FRAMES; i++)
			stack->frames[i] = i < stack->count ? place->frames[i] : 0;
		count++;
	}
	return count;
}
