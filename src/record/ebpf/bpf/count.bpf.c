/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Programs that count instead of recording. Each event is made of slots, compared with the condition,
 * and added to the value of its key in a map with a copy for each CPU. Which slots, keys, tests and
 * aggregates there are is constant: the verifier follows the branches that are taken, and removes
 * the others. Loops are unrolled for that.
 */
#include "count_layout.h"
#include "hook.h"

#define READ(x) (*(volatile typeof(x) *)&(x))
#define NEEDS(slot) (settings.slots >> (slot) & 1)
#define TOP_BIT (1ull << 63)
#define STATE_DEAD 0x80
#define COMPAT_NAMES 512
#define ENOSYS 38

struct task_struct___leader {
	struct task_struct *group_leader;
} __attribute__((preserve_access_index));

struct task_struct___born {
	u64 start_time;
} __attribute__((preserve_access_index));

struct value {
	u64 word[KUTRACE_COUNT_WORDS];
};

struct start {
	u64 time;
	u64 name;
	s64 kernel_stack;
	s64 user_stack;
};

struct event {
	u64 slot[KUTRACE_COUNT_SLOTS];
};

struct kutrace_count_shared shared; /* alone in .bss */
const volatile struct kutrace_count_settings settings SEC(".rodata.settings") = {};

/* The loader sets the sizes of keys and values. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1);
	__uint(key_size, KUTRACE_COUNT_KEY_SLOTS * 8);
	__uint(value_size, sizeof(struct value));
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct value));
} nothing SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u64);
} calls SEC(".maps");

/* By thread: the scheduler's lock is held, which allows no allocation. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, struct start);
} waits SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} interrupts SEC(".maps");

struct member {
	u64 born; /* numbers of processes come again */
	u64 state; /* 1 before the command is executed, 2 from then on */
};

/* Processes. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, struct member);
} family SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 16384);
	__uint(key_size, sizeof(u32));
	__uint(value_size, KUTRACE_COUNT_FRAMES * sizeof(u64));
} stacks SEC(".maps");

static __always_inline void miss(uint64_t *counter)
{
	__sync_fetch_and_add(counter, 1);
}

/* ---- The condition ---------------------------------------------------------------------------- */

/* Without branches, so that the verifier has one way to follow, not two for each test. */
static __always_inline u64 is_zero(u64 difference)
{
	u64 any = difference | -difference;

	asm volatile("" : "+r"(any));
	return any >> 63 ^ 1;
}

static __always_inline u64 is_less(u64 a, u64 b)
{
	u64 borrow;

	a ^= TOP_BIT;
	b ^= TOP_BIT;
	borrow = (~a & b) | (~(a ^ b) & (a - b));
	asm volatile("" : "+r"(borrow));
	return borrow >> 63;
}

static __always_inline u64 in_set(u32 set, u64 number)
{
	return number < KUTRACE_COUNT_NAMES &&
	       settings.set[set][number >> 6 & (KUTRACE_COUNT_NAMES / 64 - 1)] >> (number & 63) & 1;
}

static __always_inline int holds(const struct event *event)
{
	u64 answers = 0; /* a stack of bits */

#pragma clang loop unroll(full)
	for (u32 i = 0; i < KUTRACE_COUNT_STEPS_OF_TEST; i++) {
		const volatile struct kutrace_count_test *test = &settings.test[i];
		u32 op = test->op;
		u64 answer, value;

		if (i >= settings.tests)
			break;
		if (op == KUTRACE_COUNT_AND) {
			answers = answers >> 1 & (answers | ~1ull);
		} else if (op == KUTRACE_COUNT_OR) {
			answers = answers >> 1 | (answers & 1);
		} else if (op == KUTRACE_COUNT_NOT) {
			answers ^= 1;
		} else {
			value = event->slot[test->slot];
			if (op == KUTRACE_COUNT_EQUAL)
				answer = is_zero((value ^ test->number) & test->mask);
			else if (op == KUTRACE_COUNT_LESS)
				answer = is_less(value, test->number);
			else if (op == KUTRACE_COUNT_MORE)
				answer = is_less(test->number, value);
			else
				answer = in_set(test->set, value);
			answers = answers << 1 | (answer ^ test->negate);
		}
	}
	return !settings.tests || (answers & 1);
}

/* ---- The aggregates --------------------------------------------------------------------------- */

/* The number of the highest bit that is set. */
static __always_inline u64 log2(u64 value)
{
	u64 log = 0;

#pragma clang loop unroll(full)
	for (u32 width = 32; width; width >>= 1)
		if (value >> width) {
			value >>= width;
			log += width;
		}
	return log;
}

static __always_inline u64 power_bucket(s64 value, u32 buckets)
{
	if (buckets == 64)
		return value <= 0 ? 0 : (log2(value) + 1) & 63;
	if (value < 0)
		return (63 - log2(-(u64)value)) & 127;
	return value ? (65 + log2(value)) & 127 : 64;
}

static __always_inline void add_square(u64 *low, u64 *high, s64 value)
{
	u64 size = value < 0 ? -(u64)value : value;
	u64 a = size >> 32, b = size & 0xffffffff;
	u64 middle = a * b; /* twice, 32 bits up */
	u64 square = size * size;
	u64 upper = a * a + (middle >> 31) + (square < middle << 33);

	/* a * a * 2^64 + middle * 2^33 + b * b: the low word tells what the last sum carried. */
	*low += square;
	*high += upper + (*low < square);
}

/* Without branches. */
static __always_inline void add_signed(u64 *low, u64 *high, s64 value)
{
	u64 before = *low, sum = before + value;
	u64 carry = (before & (u64)value) | ((before | (u64)value) & ~sum);

	*low = sum;
	*high += (u64)(value >> 63) + (carry >> 63);
}

static __always_inline void add(struct value *value, u32 i, const struct event *event)
{
	const volatile struct kutrace_count_aggregate *aggregate = &settings.aggregate[i];
	u32 kind = aggregate->kind;
	u32 at = aggregate->word;
	s64 added = event->slot[aggregate->slot];
	u64 many, bucket;

	if (aggregate->only_success && added < 0)
		return;
	if (kind == KUTRACE_COUNT_POWERS) {
		bucket = power_bucket(added, aggregate->buckets);
		value->word[at + bucket]++;
		return;
	}
	if (kind == KUTRACE_COUNT_STEPS) {
		bucket = 0;
		if (added >= (s64)aggregate->least)
			bucket = 1 + ((u64)added - aggregate->least) / aggregate->step;
		if (bucket >= aggregate->buckets)
			bucket = aggregate->buckets - 1;
		value->word[at + bucket]++;
		return;
	}
	many = value->word[at]++;
	if (kind == KUTRACE_COUNT_SUM || kind == KUTRACE_COUNT_SQUARES)
		add_signed(&value->word[at + 1], &value->word[at + 2], added);
	if (kind == KUTRACE_COUNT_SQUARES)
		add_square(&value->word[at + 3], &value->word[at + 4], added);
	if (kind == KUTRACE_COUNT_MIN && (!many || added < (s64)value->word[at + 1]))
		value->word[at + 1] = added;
	if (kind == KUTRACE_COUNT_MAX && (!many || added > (s64)value->word[at + 1]))
		value->word[at + 1] = added;
}

static __always_inline struct value *value_of(const u64 *key)
{
	struct value *value = bpf_map_lookup_elem(&counts, key);
	u32 zero = 0;
	void *empty;

	if (value)
		return value;
	empty = bpf_map_lookup_elem(&nothing, &zero);
	if (!empty)
		return 0;
	bpf_map_update_elem(&counts, key, empty, BPF_NOEXIST); /* or another CPU has done it */
	return bpf_map_lookup_elem(&counts, key);
}

static __always_inline int is_of_family(const struct task_struct *task)
{
	u32 process = task->tgid;
	struct member *member;

	if (!settings.family)
		return 1;
	member = bpf_map_lookup_elem(&family, &process);
	return member && member->state == 2;
}

static __always_inline void copy_comm(u64 *slot, const struct task_struct *task)
{
	slot[0] = *(const u64 *)&task->comm[0];
	slot[1] = *(const u64 *)&task->comm[8];
}

static __always_inline s64 stack_of(void *ctx, u64 flags)
{
	s64 stack = bpf_get_stackid(ctx, &stacks, flags);

	if (stack == -17 || stack == -12) /* EEXIST, ENOMEM; else there is none */
		miss(&shared.no_room_for_stack);
	return stack;
}

static __always_inline void count_if_it_holds(struct event *event, const struct task_struct *task)
{
	u64 key[KUTRACE_COUNT_KEY_SLOTS] = {};
	struct value *value;

	if (!is_of_family(task))
		return;
	if (NEEDS(KUTRACE_COUNT_COMM))
		copy_comm(&event->slot[KUTRACE_COUNT_COMM], task);
	if (NEEDS(KUTRACE_COUNT_LEADER))
		copy_comm(&event->slot[KUTRACE_COUNT_LEADER],
			  ((const struct task_struct___leader *)task)->group_leader);
	if (NEEDS(KUTRACE_COUNT_PID))
		event->slot[KUTRACE_COUNT_PID] = (u32)task->tgid;
	if (NEEDS(KUTRACE_COUNT_TID))
		event->slot[KUTRACE_COUNT_TID] = (u32)task->pid;
	if (NEEDS(KUTRACE_COUNT_CPU))
		event->slot[KUTRACE_COUNT_CPU] = bpf_get_smp_processor_id();
	if (NEEDS(KUTRACE_COUNT_INTERVAL))
		event->slot[KUTRACE_COUNT_INTERVAL] = READ(shared.interval) & 1;
	if (!holds(event))
		return;
#pragma clang loop unroll(full)
	for (u32 i = 0; i < KUTRACE_COUNT_KEY_SLOTS; i++)
		if (i < settings.keys)
			key[i] = event->slot[settings.key[i]];
	value = value_of(key);
	if (!value) {
		miss(&shared.no_room);
		return;
	}
#pragma clang loop unroll(full)
	for (u32 i = 0; i < KUTRACE_COUNT_AGGREGATES; i++)
		if (i < settings.aggregates)
			add(value, i, event);
}

/*
 * The thread is who the event is about; the slots that it does not fill are filled. Out of line, as
 * many programs end with it. The verifier looks at the register of a result even if there is none:
 * no pointer to the stack may be left there.
 */
static __noinline void count(struct event *event, const struct task_struct *task)
{
	count_if_it_holds(event, task);
	asm volatile("r0 = 0" ::: "r0");
}

static __always_inline void fill_stacks(void *ctx, struct event *event)
{
	if (NEEDS(KUTRACE_COUNT_KERNEL_STACK))
		event->slot[KUTRACE_COUNT_KERNEL_STACK] = stack_of(ctx, 0);
	if (NEEDS(KUTRACE_COUNT_USER_STACK))
		event->slot[KUTRACE_COUNT_USER_STACK] = stack_of(ctx, BPF_F_USER_STACK);
}

/* The time from `begin`, if it is known, or is not asked for. */
static __always_inline int fill_duration(struct event *event, u64 begin)
{
	if (!NEEDS(KUTRACE_COUNT_DURATION))
		return 1;
	if (!begin) {
		miss(&shared.no_begin);
		return 0;
	}
	event->slot[KUTRACE_COUNT_DURATION] = bpf_ktime_get_ns() - begin;
	return 1;
}

static __always_inline int is_on(void)
{
	return READ(shared.on) != 0;
}

static __always_inline int is_asked(u64 name)
{
	if (settings.one_name)
		return name == settings.one_name - 1;
	return settings.all_names || in_set(0, name);
}

/* ---- System calls ----------------------------------------------------------------------------- */

static __always_inline u64 call_name(s64 number, int compat)
{
	if (!compat && number >= 0)
		number &= ~(s64)NR_X32_BIT;
	if ((u64)number >= COMPAT_NAMES)
		return (KUTRACE_COUNT_NUMBER << compat) | (u32)number;
	return compat ? number + COMPAT_NAMES : number;
}

/* rt_sigreturn replaces the registers, and leaves -1 as the number of the call that ends. */
static __always_inline u64 ended_call_name(s64 number, int compat, long result)
{
	if (number == -1 && result != -ENOSYS)
		number = compat ? NR_SIGRETURN_32 : NR_RT_SIGRETURN;
	return call_name(number, compat);
}

/* A new thread returns from the call that its parent made: clone, fork, vfork, clone3. */
static __always_inline int is_birth(u64 name)
{
	return is_birth_call(name) || name == 435 || name == COMPAT_NAMES + 120 ||
	       name == COMPAT_NAMES + 2 || name == COMPAT_NAMES + 190 || name == COMPAT_NAMES + 435;
}

static __always_inline void fill_arguments(struct event *event, const struct pt_regs *regs, int compat)
{
	if (compat)
		compat_arguments(regs, &event->slot[KUTRACE_COUNT_ARG]);
	else
		call_arguments(regs, &event->slot[KUTRACE_COUNT_ARG]);
}

HOOK_AT(sys_enter, count_call_begin, struct pt_regs *regs, long id)
{
	u64 *begin;

	if (!is_asked(call_name(id, is_compat(regs))) ||
	    is_mark(regs, call_name(id, is_compat(regs))))
		return 0;
	begin = bpf_task_storage_get(&calls, bpf_get_current_task_btf(), 0,
				     BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (begin)
		*begin = bpf_ktime_get_ns();
	else
		miss(&shared.no_room_to_begin);
	return 0;
}

HOOK_AT(sys_exit, count_call, struct pt_regs *regs, long result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	int compat = was_compat(regs);
	u64 name = ended_call_name(call_number(regs), compat, result);
	struct event event = {};
	u64 *begin = 0;
	int timed;

	if (!is_asked(name) || is_mark(regs, name) || !is_on() || (!result && is_birth(name)))
		return 0;
	if (settings.family && !is_of_family(task))
		return 0;
	if (NEEDS(KUTRACE_COUNT_DURATION))
		begin = bpf_task_storage_get(&calls, task, 0, 0);
	timed = fill_duration(&event, begin ? *begin : 0);
	if (begin)
		*begin = 0;
	if (!timed)
		return 0;
	event.slot[KUTRACE_COUNT_NAME] = name;
	if (NEEDS(KUTRACE_COUNT_RESULT))
		event.slot[KUTRACE_COUNT_RESULT] = result;
	if (NEEDS(KUTRACE_COUNT_ERROR))
		event.slot[KUTRACE_COUNT_ERROR] = (u64)-result <= 4095 ? -result : 0;
	if (settings.slots >> KUTRACE_COUNT_ARG & 63)
		fill_arguments(&event, regs, compat);
	fill_stacks(ctx, &event);
	count(&event, task);
	return 0;
}

/* ---- The scheduler ---------------------------------------------------------------------------- */

static __always_inline void begin_wait(void *ctx, const struct task_struct *task, u64 name, int here)
{
	u32 thread = task->pid;
	struct start start = {};

	if (!thread) /* an idle CPU does not wait */
		return;
	start.time = bpf_ktime_get_ns();
	start.name = name;
	/* Of others there are many, for which the table of stacks may have no room. */
	here = here && is_asked(name) && is_of_family(task);
	if (here && NEEDS(KUTRACE_COUNT_KERNEL_STACK))
		start.kernel_stack = stack_of(ctx, 0);
	if (here && NEEDS(KUTRACE_COUNT_USER_STACK))
		start.user_stack = stack_of(ctx, BPF_F_USER_STACK);
	if (bpf_map_update_elem(&waits, &thread, &start, BPF_ANY))
		miss(&shared.no_room_to_begin);
}

static __always_inline void end_wait(const struct task_struct *task)
{
	u32 thread = task->pid;
	struct start *start = bpf_map_lookup_elem(&waits, &thread);
	struct event event = {};

	if (!thread)
		return;
	if (!start) {
		if (is_on() && is_of_family(task))
			miss(&shared.no_begin);
		return;
	}
	event.slot[KUTRACE_COUNT_NAME] = start->name;
	event.slot[KUTRACE_COUNT_KERNEL_STACK] = start->kernel_stack;
	event.slot[KUTRACE_COUNT_USER_STACK] = start->user_stack;
	if (start->time && is_on() && is_asked(start->name) && fill_duration(&event, start->time))
		count(&event, task);
	bpf_map_delete_elem(&waits, &thread);
}

/* 0: it waits for something; 1: it could go on. */
static __always_inline u64 is_preempted(u64 preempt, const struct task_struct *task)
{
	return preempt || task->__state == 0;
}

HOOK_AT(sched_switch, count_switch, u64 preempt, struct task_struct *prev, struct task_struct *next)
{
	struct event event = {};

	if (!is_on() || !is_of_family(prev))
		return 0;
	event.slot[KUTRACE_COUNT_NAME] = is_preempted(preempt, prev);
	fill_stacks(ctx, &event);
	count(&event, prev);
	return 0;
}

HOOK_AT(sched_switch, count_off_cpu, u64 preempt, struct task_struct *prev, struct task_struct *next)
{
	if (!(prev->__state & STATE_DEAD))
		begin_wait(ctx, prev, is_preempted(preempt, prev), 1);
	end_wait(next);
	return 0;
}

/* A new thread has not been away from a CPU when it runs for the first time. */
HOOK_AT(sched_wakeup_new, count_off_cpu_new, struct task_struct *task)
{
	u32 thread = task->pid;
	struct start start = {};

	if (bpf_map_update_elem(&waits, &thread, &start, BPF_ANY))
		miss(&shared.no_room_to_begin);
	return 0;
}

HOOK_AT(sched_switch, count_run_queue, u64 preempt, struct task_struct *prev, struct task_struct *next)
{
	if (is_preempted(preempt, prev))
		begin_wait(ctx, prev, 1, 0);
	end_wait(next);
	return 0;
}

HOOK_AT(sched_wakeup, count_run_queue_wakeup, struct task_struct *task)
{
	begin_wait(ctx, task, 0, 0);
	return 0;
}

HOOK_AT(sched_wakeup_new, count_run_queue_new, struct task_struct *task)
{
	begin_wait(ctx, task, 0, 0);
	return 0;
}

static __always_inline int count_woken(const struct task_struct *task)
{
	struct event event = {};

	if (is_on())
		count(&event, task);
	return 0;
}

HOOK_AT(sched_wakeup, count_wakeup, struct task_struct *task)
{
	return count_woken(task);
}

HOOK_AT(sched_wakeup_new, count_wakeup_new, struct task_struct *task)
{
	return count_woken(task);
}

/* ---- Interrupts ------------------------------------------------------------------------------- */

static __always_inline void begin_interrupt(u64 name)
{
	u32 zero = 0;
	u64 *begin;

	if (!is_asked(name) || !NEEDS(KUTRACE_COUNT_DURATION))
		return;
	begin = bpf_map_lookup_elem(&interrupts, &zero);
	if (begin)
		*begin = bpf_ktime_get_ns();
}

static __always_inline void end_interrupt(u64 name)
{
	struct event event = {};
	u32 zero = 0;
	u64 *begin;

	if (!is_asked(name) || !is_on())
		return;
	begin = bpf_map_lookup_elem(&interrupts, &zero);
	if (!begin || !fill_duration(&event, *begin))
		return;
	*begin = 0;
	event.slot[KUTRACE_COUNT_NAME] = name;
	count(&event, bpf_get_current_task_btf());
}

HOOK_AT(irq_handler_entry, count_irq_begin, int irq)
{
	begin_interrupt((u32)irq);
	return 0;
}

HOOK_AT(irq_handler_exit, count_irq, int irq)
{
	end_interrupt((u32)irq);
	return 0;
}

HOOK_AT(softirq_entry, count_softirq_begin, unsigned int kind)
{
	begin_interrupt(kind);
	return 0;
}

HOOK_AT(softirq_exit, count_softirq, unsigned int kind)
{
	end_interrupt(kind);
	return 0;
}

/* ---- Moments ---------------------------------------------------------------------------------- */

static __always_inline void count_here(void *ctx, u64 name)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	struct event event = {};

	if (!is_asked(name) || !is_on() || !is_of_family(task))
		return;
	event.slot[KUTRACE_COUNT_NAME] = name;
	fill_stacks(ctx, &event);
	count(&event, task);
}

HOOK_AT(page_fault_user, count_user_fault)
{
	count_here(ctx, 0);
	return 0;
}

HOOK_AT(page_fault_kernel, count_kernel_fault)
{
	count_here(ctx, 1);
	return 0;
}

SHARED_HOOK(count_tracepoint)
{
	count_here(ctx, 0);
	return 0;
}

/* ---- The command and its descendants ---------------------------------------------------------- */

static __always_inline u64 birth_of(const struct task_struct *task)
{
	return ((const struct task_struct___born *)task)->start_time;
}

/* Who has the number of a process that ended belongs to the family only if the parent does. */
HOOK_AT(sched_process_fork, count_family_grows, struct task_struct *parent, struct task_struct *child)
{
	u32 parent_process = parent->tgid, process = child->tgid;
	struct member *known = bpf_map_lookup_elem(&family, &parent_process);
	struct member member = { .born = birth_of(child) };

	if (process == parent_process)
		return 0;
	member.state = parent_process == settings.family ? 1 : known ? known->state : 0;
	if (!member.state)
		bpf_map_delete_elem(&family, &process);
	else if (bpf_map_update_elem(&family, &process, &member, BPF_ANY))
		miss(&shared.no_room_in_family);
	return 0;
}

HOOK_AT(sched_process_exec, count_family_begins, struct task_struct *task)
{
	u32 process = task->tgid;
	struct member *member = bpf_map_lookup_elem(&family, &process);

	if (member)
		member->state = 2;
	return 0;
}

/* The first thread is the last to go, a while after it ended; another may have its number by then. */
HOOK_AT(sched_process_free, count_family_shrinks, struct task_struct *task)
{
	u32 process = task->pid;
	struct member *member = bpf_map_lookup_elem(&family, &process);

	if (member && member->born == birth_of(task))
		bpf_map_delete_elem(&family, &process);
	return 0;
}

char kutrace_license[] SEC("license") = "Dual BSD/GPL";
