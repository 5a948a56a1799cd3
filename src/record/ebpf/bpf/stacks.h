/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Stacks of samples and of threads that are switched away: other programs for both, loaded in place
 * of those in tasks.h and faults.h where stacks are asked for.
 *
 * Each stack that was not seen before gets a number and is kept, by the hash of its addresses; the
 * trace has its number, in an entry in front of the switch or sample and claimed with it. The
 * kernel walks stacks by frame pointers and reads the memory of programs without faulting: what is no
 * frame ends the walk.
 */
#ifndef KUTRACE_DEVICE_STACKS_H
#define KUTRACE_DEVICE_STACKS_H

#include "faults.h"
#include "tasks.h"

#define HASH_FACTOR 0x9e3779b97f4a7c15ull

/* Made so large, and at all, only where stacks are asked for. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KUTRACE_KEPT_STACKS);
	__type(key, u64);
	__type(value, struct kutrace_stack);
} stacks SEC(".maps");

/* One for switches, and one for samples, which may interrupt all but a switch. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct kutrace_stack);
} found_stacks SEC(".maps");

static __always_inline u64 hash_of(const struct kutrace_stack *found, u32 count)
{
	u64 hash = count;

	for (u32 i = 0; i < KUTRACE_STACK_FRAMES; i++) {
		if (i >= count)
			break;
		hash = (hash ^ found->frames[i]) * HASH_FACTOR;
		hash ^= hash >> 29;
	}
	return hash;
}

static __always_inline u32 keep_stack(struct kutrace_stack *found, long bytes)
{
	struct kutrace_stack *known;
	u64 hash;

	if (bytes < 8 || bytes > (long)sizeof(found->frames))
		return KUTRACE_STACK_NONE;
	found->count = (u64)bytes / 8;
	hash = hash_of(found, found->count);
	known = bpf_map_lookup_elem(&stacks, &hash);
	if (known)
		return known->number;
	found->number = __sync_fetch_and_add(&shared.stacks, 1) + 1;
	if (!bpf_map_update_elem(&stacks, &hash, found, BPF_NOEXIST))
		return found->number;
	known = bpf_map_lookup_elem(&stacks, &hash); /* another CPU found it, too */
	if (known)
		return known->number;
	__sync_fetch_and_add(&shared.misses.stacks_lost, 1);
	return KUTRACE_STACK_LOST;
}

/* Numbers of the stacks here: of the program, then, in the low half, of the kernel. */
static __always_inline u64 stacks_here(void *ctx, u32 which)
{
	struct kutrace_stack *found = bpf_map_lookup_elem(&found_stacks, &which);
	struct kutrace_cpu *st = this_cpu();
	u64 kernel;
	long bytes;

	if (!found)
		return 0;
	kernel = keep_stack(found, bpf_get_stack(ctx, found->frames, sizeof(found->frames), 0));
	if (bpf_get_current_task_btf()->flags & PF_NO_USER_CODE)
		return kernel;
	WRITE(st->walking, 1); /* interrupts are off */
	bytes = bpf_get_stack(ctx, found->frames, sizeof(found->frames), BPF_F_USER_STACK);
	WRITE(st->walking, 0);
	return (u64)keep_stack(found, bytes) << 32 | kernel;
}

static __always_inline void store_stacks(u64 pos, u64 claimed, u64 numbers)
{
	store(pos + 1, numbers);
	store(pos, entry_word(CLAIM_TIME(claimed), KUTRACE_STACKS, 0));
}

HOOK_AT(sched_switch, stacks_sched_switch, u64 preempt, struct task_struct *prev,
	struct task_struct *next)
{
	int blocked = !preempt && prev->__state != 0;
	struct kutrace_cpu *st = this_cpu_running(1); /* prev is still there */
	u32 how = blocked ? KUTRACE_SWITCH_BLOCKED : KUTRACE_SWITCH_RUNNABLE;
	u64 numbers, claimed;
	u32 words;

	look_at_sleeper(prev, blocked);
	forget_buffer_of_dead(st, prev);
	/* Idle waits for nothing, and a dead thread will not come back. */
	words = !prev->pid || is_hidden(st) || (blocked && prev->__state & TASK_DEAD) ?
			0 :
			KUTRACE_STACKS_WORDS;
	numbers = words ? stacks_here(ctx, 0) : 0;
	claimed = claim(words + 1, 1);
	runs_behind(st, next, claimed);
	if (!claimed)
		return 0;
	store(CLAIM_POS(claimed) + words, entry_word(CLAIM_TIME(claimed), KUTRACE_USERPID,
						     next->pid | running_bits(st) | how));
	if (words)
		store_stacks(CLAIM_POS(claimed), claimed, numbers);
	return 0;
}

SEC("perf_event")
int stacks_sample(struct sample_context *context)
{
	u64 pc = sampled_at(context);
	u64 numbers, claimed;

	if (hidden_here(1))
		return 0;
	numbers = stacks_here(context, 1);
	claimed = claim_here(KUTRACE_STACKS_WORDS + 2);
	if (!claimed)
		return 0;
	store(CLAIM_POS(claimed) + KUTRACE_STACKS_WORDS + 1, pc);
	store(CLAIM_POS(claimed) + KUTRACE_STACKS_WORDS,
	      entry_word(CLAIM_TIME(claimed),
			 sampled_user(context) ? KUTRACE_PC_USER : KUTRACE_PC_KERNEL, 0));
	store_stacks(CLAIM_POS(claimed), claimed, numbers);
	return 0;
}

#endif
