// SPDX-License-Identifier: GPL-2.0-only
/*
 * The blocks: who has which. Physically contiguous, so that writing them needs no translation that
 * the kernel's linear mapping does not have already.
 *
 *   free --open--> open --finish--> finished --take--> taken --release--> free
 *                                   finished --open--> open    (wrap: the oldest, overwritten)
 *
 * An opening CPU first gets the right to one of the takeable blocks from a counter, then looks for
 * it from where the last one was found: blocks come back in about the order in which they went, so
 * the search is short, and it always ends.
 */
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "put.h"

#define KUTRACE_BLOCK_ORDER get_order(KUTRACE_BLOCK_BYTES)
#define KUTRACE_BLOCKS_MOST (1u << 20) /* 64 GiB */

struct kutrace_buffer kutrace_buffer = {
	.readers = __WAIT_QUEUE_HEAD_INITIALIZER(kutrace_buffer.readers),
};

/* Entries are written with the scheduler's locks held, so readers are woken from an interrupt. */
static void wake_readers(struct irq_work *work)
{
	wake_up_interruptible_all(&kutrace_buffer.readers);
}

static DEFINE_IRQ_WORK(wake_work, wake_readers);

static void wake(void)
{
	/* A reader that comes too late for this is woken by the next block, or finds this one by itself. */
	if (waitqueue_active(&kutrace_buffer.readers))
		irq_work_queue(&wake_work);
}

/* ---- as a whole; kutrace_mutex held -------------------------------------------------------- */

void kutrace_buffer_free(void)
{
	u32 i;

	for (i = 0; i < kutrace_buffer.count + kutrace_buffer.trailers; i++) {
		u64 *words = kutrace_buffer.blocks[i].words;

		set_page_private(virt_to_page(words), 0);
		free_pages((unsigned long)words, KUTRACE_BLOCK_ORDER);
	}
	vfree(kutrace_buffer.blocks);
	kutrace_buffer.blocks = NULL;
	kutrace_buffer.count = 0;
	kutrace_buffer.trailers = 0;
}

/* Fails rather than have other processes killed for it. */
static u64 *allocate_words(void)
{
	gfp_t how = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;

	return (u64 *)__get_free_pages(how, KUTRACE_BLOCK_ORDER);
}

static int allocate(u32 blocks, u32 trailers)
{
	u32 all = blocks + trailers;

	kutrace_buffer.blocks = __vmalloc(array_size(all, sizeof(*kutrace_buffer.blocks)),
					  GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!kutrace_buffer.blocks)
		return -ENOMEM;
	while (kutrace_buffer.count < all) {
		u64 *words = allocate_words();

		if (!words || fatal_signal_pending(current)) {
			if (words)
				free_pages((unsigned long)words, KUTRACE_BLOCK_ORDER);
			kutrace_buffer_free();
			return -ENOMEM;
		}
		set_page_private(virt_to_page(words), kutrace_buffer.count);
		kutrace_buffer.blocks[kutrace_buffer.count++].words = words;
	}
	kutrace_buffer.count = blocks;
	kutrace_buffer.trailers = trailers;
	return 0;
}

int kutrace_buffer_resize(u32 blocks, bool trailers)
{
	u32 more = trailers ? KUTRACE_TRAILER_BLOCKS(blocks) : 0;

	if (blocks == kutrace_buffer.count && more == kutrace_buffer.trailers)
		return 0;
	if (blocks < KUTRACE_MIN_BLOCKS_PER_CPU * num_possible_cpus())
		return -ENOBUFS;
	if (blocks > KUTRACE_BLOCKS_MOST ||
	    (u64)(blocks + more) << KUTRACE_BLOCK_ORDER > totalram_pages() / 2)
		return -E2BIG;
	if (atomic_read(&kutrace_buffer.mappings))
		return -ETXTBSY;
	kutrace_buffer_free();
	return allocate(blocks, more);
}

/* One byte for each word of a block; only if there are trailers. */
u8 *kutrace_buffer_trailer(u32 index)
{
	u8 *trailers = (u8 *)kutrace_buffer.blocks[kutrace_buffer.count + index / 8].words;

	return trailers + index % 8 * KUTRACE_TRAILER_BYTES;
}

static void clear(struct kutrace_block *block)
{
	memset(block->words, 0, KUTRACE_BLOCK_BYTES);
	if (kutrace_buffer.trailers)
		memset(kutrace_buffer_trailer(block - kutrace_buffer.blocks), 0, KUTRACE_TRAILER_BYTES);
}

/* Everything is free and zero again. Recording is off. */
void kutrace_buffer_reset(u32 mode)
{
	u32 i;

	for (i = 0; i < kutrace_buffer.count; i++) {
		struct kutrace_block *block = &kutrace_buffer.blocks[i];

		if (block->state != KUTRACE_BLOCK_FREE)
			clear(block);
		block->state = KUTRACE_BLOCK_FREE;
		block->end = 0;
		cond_resched();
	}
	kutrace_buffer.mode = mode;
	atomic_set(&kutrace_buffer.takeable, kutrace_buffer.count);
	atomic_set(&kutrace_buffer.hand, 0);
	atomic64_set(&kutrace_buffer.lost, 0);
	atomic64_set(&kutrace_buffer.discarded, 0);
	atomic64_set(&kutrace_buffer.full_counter, 0);
}

void kutrace_buffer_stop_waking(void)
{
	irq_work_sync(&wake_work);
}

/* ---- a CPU's side; any context ------------------------------------------------------------- */

static bool try_open(struct kutrace_block *block)
{
	u32 state = READ_ONCE(block->state);

	if (state == KUTRACE_BLOCK_FREE)
		return cmpxchg(&block->state, state, KUTRACE_BLOCK_OPEN) == state;
	if (kutrace_buffer.mode != KUTRACE_MODE_WRAP || state != KUTRACE_BLOCK_FINISHED ||
	    cmpxchg(&block->state, state, KUTRACE_BLOCK_OPEN) != state)
		return false;
	atomic64_add(block->end - KUTRACE_HEADER_WORDS, &kutrace_buffer.discarded);
	clear(block);
	return true;
}

struct kutrace_block *kutrace_block_open(void)
{
	if (atomic_dec_if_positive(&kutrace_buffer.takeable) < 0) {
		if (kutrace_buffer.mode == KUTRACE_MODE_FILL)
			atomic64_cmpxchg(&kutrace_buffer.full_counter, 0, kutrace_clock());
		wake();
		return NULL;
	}
	for (;;) {
		u32 i = (u32)atomic_inc_return(&kutrace_buffer.hand) % kutrace_buffer.count;

		if (try_open(&kutrace_buffer.blocks[i]))
			return &kutrace_buffer.blocks[i];
	}
}

/* Which block a position is in. */
u32 kutrace_buffer_index(const u64 *position)
{
	const void *words = (const void *)((unsigned long)position & ~KUTRACE_BLOCK_MASK);

	return page_private(virt_to_page(words));
}

static void finish(struct kutrace_block *block)
{
	/* With kutrace_buffer_take(): its end and its words come first. */
	smp_store_release(&block->state, KUTRACE_BLOCK_FINISHED);
	if (kutrace_buffer.mode == KUTRACE_MODE_WRAP)
		atomic_inc(&kutrace_buffer.takeable);
	wake();
}

void kutrace_blocks_finish(struct kutrace_block *held)
{
	while (held) {
		struct kutrace_block *block = held;

		held = block->next;
		finish(block);
	}
}

/*
 * What this CPU wrote to until now, up to `end`. An interrupt may have come between the claim of a word,
 * or the decision to fold, and its store; if it finished the block, the store could hit whatever the
 * block is used for next. So what ends in an interrupt is held back until this CPU is out of it: all
 * writers run with preemption off, so every store of theirs is then done.
 */
void kutrace_block_end(u64 *end)
{
	struct kutrace_block *block = &kutrace_buffer.blocks[kutrace_buffer_index(end)];
	struct kutrace_block **held = this_cpu_ptr(&kutrace_cpu.held);

	block->end = ((unsigned long)end & KUTRACE_BLOCK_MASK) / 8;
	if (!in_interrupt())
		return finish(block);
	do {
		block->next = READ_ONCE(*held);
	} while (cmpxchg(held, block->next, block) != block->next);
}

/* Opened in vain: holds a header and a few entries up to `end`. */
void kutrace_block_give_back(struct kutrace_block *block, u64 *end)
{
	memset(block->words, 0, (void *)end - (void *)block->words);
	/* With try_open(): zeroed before it is free. */
	smp_store_release(&block->state, KUTRACE_BLOCK_FREE);
	atomic_inc(&kutrace_buffer.takeable);
}

/* ---- the reader's side; kutrace_mutex held ------------------------------------------------- */

/* Takes finished blocks from index *from on, and moves it past what was looked at. */
u32 kutrace_buffer_take(struct kutrace_block_info *out, u32 capacity, u32 *from)
{
	u32 found = 0;

	while (found < capacity && *from < kutrace_buffer.count) {
		u32 index = (*from)++;
		struct kutrace_block *block = &kutrace_buffer.blocks[index];

		/* With finish(). */
		if (smp_load_acquire(&block->state) != KUTRACE_BLOCK_FINISHED)
			continue;
		block->state = KUTRACE_BLOCK_TAKEN;
		out[found++] = (struct kutrace_block_info){
			.index = index, .cpu = block->cpu, .end = block->end,
		};
	}
	return found;
}

/* The reader could not be told. */
void kutrace_buffer_untake(const struct kutrace_block_info *infos, u32 count)
{
	while (count--)
		kutrace_buffer.blocks[infos[count].index].state = KUTRACE_BLOCK_FINISHED;
}

int kutrace_buffer_release(u32 index)
{
	struct kutrace_block *block;

	if (index >= kutrace_buffer.count)
		return -EINVAL;
	block = &kutrace_buffer.blocks[array_index_nospec(index, kutrace_buffer.count)];
	if (block->state != KUTRACE_BLOCK_TAKEN)
		return -ESTALE;
	clear(block);
	/* With try_open(): zeroed before it is free. */
	smp_store_release(&block->state, KUTRACE_BLOCK_FREE);
	atomic_inc(&kutrace_buffer.takeable);
	return 0;
}

/* Something for a reader who waits: a finished block, or the end of a recording that filled up. */
bool kutrace_buffer_readable(void)
{
	u32 i;

	if (atomic64_read(&kutrace_buffer.full_counter))
		return true;
	for (i = 0; i < kutrace_buffer.count; i++)
		if (READ_ONCE(kutrace_buffer.blocks[i].state) == KUTRACE_BLOCK_FINISHED)
			return true;
	return false;
}

u32 kutrace_buffer_used(void)
{
	u32 used = 0;
	u32 i;

	for (i = 0; i < kutrace_buffer.count; i++)
		used += READ_ONCE(kutrace_buffer.blocks[i].state) != KUTRACE_BLOCK_FREE;
	return used;
}

/* ---- mapping; kutrace_mutex held where it begins ------------------------------------------- */

/* vm_private_data: counts mappings of users who may not see kernel addresses, or NULL. */
static void count_mapping(struct vm_area_struct *vma)
{
	atomic_inc(&kutrace_buffer.mappings);
	if (vma->vm_private_data)
		atomic_inc(vma->vm_private_data);
}

static void uncount_mapping(struct vm_area_struct *vma)
{
	atomic_dec(&kutrace_buffer.mappings);
	if (vma->vm_private_data)
		atomic_dec(vma->vm_private_data);
}

static const struct vm_operations_struct buffer_vm_ops = {
	.open = count_mapping,
	.close = uncount_mapping,
};

/* Maps blocks from the offset on: read-only for good, and not inherited by a fork. */
int kutrace_buffer_map(struct vm_area_struct *vma)
{
	unsigned long bytes = vma->vm_end - vma->vm_start;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 all = (u64)(kutrace_buffer.count + kutrace_buffer.trailers) * KUTRACE_BLOCK_BYTES;
	unsigned long done;
	u32 index;

	if (offset % KUTRACE_BLOCK_BYTES || bytes % KUTRACE_BLOCK_BYTES)
		return -EINVAL;
	if (offset > all || bytes > all - offset)
		return -ENXIO;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	kutrace_vm_flags(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	index = array_index_nospec((u32)(offset / KUTRACE_BLOCK_BYTES),
				   kutrace_buffer.count + kutrace_buffer.trailers);
	for (done = 0; done < bytes; done += KUTRACE_BLOCK_BYTES, index++) {
		unsigned long frame = page_to_pfn(virt_to_page(kutrace_buffer.blocks[index].words));
		int error = remap_pfn_range(vma, vma->vm_start + done, frame, KUTRACE_BLOCK_BYTES,
					    vma->vm_page_prot);

		if (error)
			return error;
	}
	vma->vm_ops = &buffer_vm_ops;
	vma->vm_private_data = kutrace_sees_kernel() ? NULL : &kutrace_buffer.limited_mappings;
	count_mapping(vma);
	return 0;
}
