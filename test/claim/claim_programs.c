// SPDX-License-Identifier: BSD-3-Clause
// The kernel's part: a clock, a CPU, threads, maps.
static void step(void);

#define READ(x) (*(step(), (volatile __typeof__(x) *)&(x)))
#define WRITE(x, v) (*(step(), (volatile __typeof__(x) *)&(x)) = (v))

#include <linux/types.h>
#include <string.h>

static long bpf_probe_read_kernel(void *to, __u32 bytes, const void *from)
{
	memcpy(to, from, bytes);
	return 0;
}

/* No program here has a buffer of marks, nor does a map take one. */
static long bpf_probe_read_user(void *to, __u32 bytes, const void *from)
{
	(void)to, (void)bytes, (void)from;
	return -1;
}

static long bpf_map_update_elem(const void *map, const void *key, const void *value, __u64 flags)
{
	(void)map, (void)key, (void)value, (void)flags;
	return -1;
}

static long bpf_map_delete_elem(const void *map, const void *key)
{
	(void)map, (void)key;
	return -1;
}

#include "record/ebpf/bpf/put.h"

#define TASKS 4

static struct task_struct tasks[TASKS];
static struct task_struct *current_task = &tasks[0];
static struct pt_regs registers = {.orig_ax = -1};
static struct kutrace_rings *test_rings;
static struct kutrace_block *test_blocks;
static uint32_t test_block_count;
static uint64_t test_clock = 1000000;
static void (*before_step)(void);

static void step(void)
{
	if (before_step)
		before_step();
}

uint64_t bpf_ktime_get_ns(void)
{
	step();
	return test_clock += 1 << KUTRACE_TICK_SHIFT;
}

uint32_t bpf_get_smp_processor_id(void)
{
	return 0;
}

struct task_struct *bpf_get_current_task_btf(void)
{
	return current_task;
}

long bpf_task_pt_regs(struct task_struct *task)
{
	(void)task;
	return (long)&registers;
}

void *bpf_map_lookup_elem(const void *map, const void *key)
{
	uint32_t index = *(const uint32_t *)key;

	step();
	if (map == (const void *)&rings)
		return &test_rings[index];
	return index < test_block_count ? &test_blocks[index] : 0;
}

struct kutrace_shared *claim_shared(void)
{
	return &shared;
}

void claim_use(struct kutrace_rings *ring, struct kutrace_block *block, uint32_t count)
{
	test_rings = ring;
	test_blocks = block;
	test_block_count = count;
}

void claim_before_step(void (*function)(void))
{
	before_step = function;
}

void claim_start(void)
{
	start_recording(this_cpu());
}

void claim_put(uint32_t event, uint32_t arg)
{
	put(event, arg);
}

void claim_put_call(uint32_t event, uint32_t arg)
{
	put_call(event, arg);
}

void claim_put_return(uint32_t event, int64_t result)
{
	put_return(event, result);
}

void claim_run(int pid, int task)
{
	current_task = &tasks[task % TASKS];
	current_task->pid = pid;
	current_task->tgid = pid;
	current_task->real_parent = &tasks[0];
}
