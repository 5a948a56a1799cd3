// SPDX-License-Identifier: GPL-2.0-only
/*
 * The blocks: who has which. Physically contiguous, so that writing them needs no translation that
 * the kernel's linear mapping does not have already.
 *
 *   free --open--> open --finish--> finished --take--> taken --release--> free, or as before
 *                                   finished --empty--> free    (the oldest: wrap, slow readers)
 *
 * Each reader has a bit. `wanted` of a finished block has the bits of those who read when it was
 * finished, `held_by` those of the readers that took it. When both are 0, the block is free.
 * finish() stores `wanted` before the block can be seen as finished; after that both change only in
 * a block that is taken, with kutrace_mutex held.
 *
 * Free blocks are a stack that needs no lock: a CPU that opens one takes the top, in any context.
 * While recording wraps, a worker empties the oldest finished ones, so that some are free; only
 * where it comes too late the CPU does it by itself. A block has another serial number each time it
 * is opened. A reader is told it and says it when it takes or releases the block: if the block was
 * opened again since, nothing happens.
 *
 * No loop trusts the blocks to be as they should: if they are not, entries are lost, and counted.
 */
#include <linux/bitops.h>
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "put.h"

#define KUTRACE_BLOCK_ORDER get_order(KUTRACE_BLOCK_BYTES)
#define KUTRACE_BLOCKS_MOST (1u << 20) /* 64 GiB */
#define KUTRACE_TRIES 10000 /* each that fails is another CPU's that did not */

struct kutrace_buffer kutrace_buffer = {
	.readers = __WAIT_QUEUE_HEAD_INITIALIZER(kutrace_buffer.readers),
};

/*
 * Entries are written with the scheduler's locks held, so whatever wakes somebody is done in an
 * interrupt.
 */
static void wake_readers(struct irq_work *work)
{
	wake_up_interruptible_all(&kutrace_buffer.readers);
}

static DEFINE_IRQ_WORK(wake_work, wake_readers);

static void wake(void)
{
	/*
	 * Orders what there is to be read before the question who waits. A reader is in the queue
	 * before it looks: so it is seen here, or sees that.
	 */
	if (wq_has_sleeper(&kutrace_buffer.readers))
		irq_work_queue(&wake_work);
}

static void complain(struct irq_work *work)
{
	WARN_ONCE(true, "kutrace: blocks are not as they should be; entries are lost\n");
}

static DEFINE_IRQ_WORK(complain_work, complain);

/* ---- free blocks; any context ---------------------------------------------------------------- */

/*
 * Changes the top of the stack from what was read. The upper half counts the changes, so a top that
 * was popped and pushed again meanwhile is not taken for the one that was read.
 */
static bool change_top(u64 from, u32 to)
{
	return cmpxchg(&kutrace_buffer.free_top, from, ((from >> 32) + 1) << 32 | to) == from;
}

/* A zeroed block that is nobody's. */
static void push(struct kutrace_block *block)
{
	u32 index = block - kutrace_buffer.blocks;
	unsigned int tries;

	WRITE_ONCE(block->state, KUTRACE_BLOCK_FREE);
	for (tries = 0; tries < KUTRACE_TRIES; tries++) {
		u64 top = READ_ONCE(kutrace_buffer.free_top);

		WRITE_ONCE(block->below, (u32)top);
		if (change_top(top, index + 1)) {
			atomic_inc(&kutrace_buffer.free);
			return;
		}
	}
	irq_work_queue(&complain_work);
}

/* Open; NULL if there is none. */
static struct kutrace_block *pop(void)
{
	unsigned int tries;

	for (tries = 0; tries < KUTRACE_TRIES; tries++) {
		u64 top = READ_ONCE(kutrace_buffer.free_top);
		struct kutrace_block *block;

		if (!(u32)top)
			return NULL;
		block = &kutrace_buffer.blocks[(u32)top - 1];
		if (!change_top(top, READ_ONCE(block->below)))
			continue;
		atomic_dec(&kutrace_buffer.free);
		if (cmpxchg(&block->state, KUTRACE_BLOCK_FREE, KUTRACE_BLOCK_OPEN) ==
		    KUTRACE_BLOCK_FREE)
			return block;
	}
	irq_work_queue(&complain_work);
	return NULL;
}

/* ---- as a whole; kutrace_mutex held -------------------------------------------------------- */

void kutrace_buffer_free(void)
{
	u32 i;

	for (i = 0; i < kutrace_buffer.count + kutrace_buffer.trailers; i++) {
		u64 *words = kutrace_buffer.blocks[i].words;

		set_page_private(virt_to_page(words), 0);
		free_pages((unsigned long)words, KUTRACE_BLOCK_ORDER);
		if (i % 1024 == 0)
			cond_resched();
	}
	vfree(kutrace_buffer.blocks);
	kutrace_buffer.blocks = NULL;
	kutrace_buffer.count = 0;
	kutrace_buffer.trailers = 0;
}

/* Fails rather than have other processes killed for it. Charged to whoever asks. */
static u64 *allocate_words(void)
{
	gfp_t how = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;

	return (u64 *)__get_free_pages(how, KUTRACE_BLOCK_ORDER);
}

static int allocate(u32 blocks, u32 trailers)
{
	u32 all = blocks + trailers;

	kutrace_buffer.blocks = __vmalloc(array_size(all, sizeof(*kutrace_buffer.blocks)),
					  KUTRACE_GFP_TABLE);
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
		cond_resched();
	}
	kutrace_buffer.count = blocks;
	kutrace_buffer.trailers = trailers;
	return 0;
}

/* Half of the memory at most; an eighth for who may only record. */
int kutrace_buffer_resize(u32 blocks, bool trailers, bool is_trusted)
{
	u32 more = trailers ? KUTRACE_TRAILER_BLOCKS(blocks) : 0;

	if (blocks == kutrace_buffer.count && more == kutrace_buffer.trailers)
		return 0;
	if (blocks < KUTRACE_MIN_BLOCKS_PER_CPU * num_possible_cpus())
		return -ENOBUFS;
	if (blocks > KUTRACE_BLOCKS_MOST ||
	    (u64)(blocks + more) << KUTRACE_BLOCK_ORDER > totalram_pages() / (is_trusted ? 2 : 8))
		return -E2BIG;
	if (atomic_read(&kutrace_buffer.mappings))
		return -ETXTBSY;
	kutrace_buffer_free();
	return allocate(blocks, more);
}

/* One byte for each word of a block; only if there are trailers. */
u8 *kutrace_buffer_trailer(const struct kutrace_block *block)
{
	u32 index = block - kutrace_buffer.blocks;
	u8 *trailers = (u8 *)kutrace_buffer.blocks[kutrace_buffer.count + index / 8].words;

	return trailers + index % 8 * KUTRACE_TRAILER_BYTES;
}

static void clear(struct kutrace_block *block)
{
	memset(block->words, 0, KUTRACE_BLOCK_BYTES);
	if (kutrace_buffer.trailers)
		memset(kutrace_buffer_trailer(block), 0, KUTRACE_TRAILER_BYTES);
}

/* As many as can be used up before the worker has others, but not so many that little is kept. */
static u32 reserve_of(u32 count, bool overwrites)
{
	return overwrites ? min(count / 8, 2 * num_possible_cpus()) : 0;
}

/*
 * Which readers get the blocks that are finished from here on, and whether a CPU that finds no free
 * block overwrites the oldest finished one. kutrace_mutex is held. CPUs read both without it, with
 * preemption off: until a grace period is over, one may still give a block to the readers of
 * before.
 */
void kutrace_buffer_give_to(u32 readers, bool overwrites)
{
	WRITE_ONCE(kutrace_buffer.wanting, readers);
	WRITE_ONCE(kutrace_buffer.overwrites, overwrites);
	WRITE_ONCE(kutrace_buffer.reserve, reserve_of(kutrace_buffer.count, overwrites));
}

void kutrace_buffer_new_reader(u32 reader)
{
	atomic64_set(&kutrace_buffer.lapped[__ffs(reader)], 0);
}

u64 kutrace_buffer_lapped(u32 reader)
{
	return atomic64_read(&kutrace_buffer.lapped[__ffs(reader)]);
}

/*
 * Everything is free and zero again. Recording is off and kutrace_buffer_settle() has returned: no
 * CPU opens a block, and no worker empties one.
 */
void kutrace_buffer_reset(u32 mode)
{
	u32 count = kutrace_buffer.count;
	u32 i;

	for (i = 0; i < count; i++) {
		struct kutrace_block *block = &kutrace_buffer.blocks[i];

		if (block->state != KUTRACE_BLOCK_FREE)
			clear(block);
		block->state = KUTRACE_BLOCK_FREE;
		block->below = i + 1 < count ? i + 2 : 0;
		block->end = 0;
		block->wanted = 0;
		block->held_by = 0;
		cond_resched();
	}
	kutrace_buffer.mode = mode;
	kutrace_buffer_give_to(KUTRACE_FIRST_READER, mode == KUTRACE_MODE_WRAP);
	kutrace_buffer_new_reader(KUTRACE_FIRST_READER);
	kutrace_buffer.free_top = ((kutrace_buffer.free_top >> 32) + 1) << 32 | (count ? 1 : 0);
	atomic_set(&kutrace_buffer.free, count);
	atomic_set(&kutrace_buffer.finished, 0);
	atomic_set(&kutrace_buffer.news, 0);
	atomic_set(&kutrace_buffer.hand, 0);
	atomic64_set(&kutrace_buffer.lost, 0);
	atomic64_set(&kutrace_buffer.discarded, 0);
	atomic64_set(&kutrace_buffer.full_counter, 0);
}

/* ---- overwriting ----------------------------------------------------------------------------- */

/*
 * Where readers take blocks they come back in any order. What was begun lately is let alone, so
 * that who keeps up loses nothing: the older half of what is finished is old enough, and there is
 * always one.
 */
static bool is_young(const struct kutrace_block *block)
{
	u32 age = (u32)atomic_read(&kutrace_buffer.serial) - READ_ONCE(block->serial);

	return kutrace_buffer.mode != KUTRACE_MODE_WRAP &&
	       age < (u32)max(atomic_read(&kutrace_buffer.finished), 0) / 2;
}

/* The block is nobody's any more, though these readers want it. */
static void count_emptied(const struct kutrace_block *block)
{
	u32 readers = block->wanted;

	if (kutrace_buffer.mode == KUTRACE_MODE_WRAP)
		atomic64_add(block->end - KUTRACE_HEADER_WORDS, &kutrace_buffer.discarded);
	else
		for (; readers; readers &= readers - 1)
			atomic64_inc(&kutrace_buffer.lapped[__ffs(readers)]);
}

/*
 * Empties the oldest finished block, which becomes `state`; NULL if there is none. It is looked for
 * behind the one before: all between the two are finished but those that CPUs write to and those
 * that are free.
 */
static struct kutrace_block *empty_oldest(u32 state)
{
	u32 tries;

	for (tries = 0; tries < kutrace_buffer.count; tries++) {
		u32 i = (u32)atomic_inc_return(&kutrace_buffer.hand) % kutrace_buffer.count;
		struct kutrace_block *block = &kutrace_buffer.blocks[i];

		if (atomic_read(&kutrace_buffer.finished) <= 0)
			return NULL;
		if (READ_ONCE(block->state) != KUTRACE_BLOCK_FINISHED || is_young(block) ||
		    cmpxchg(&block->state, KUTRACE_BLOCK_FINISHED, state) !=
			    KUTRACE_BLOCK_FINISHED)
			continue;
		atomic_dec(&kutrace_buffer.finished);
		count_emptied(block);
		clear(block);
		return block;
	}
	return NULL;
}

static bool is_short(u32 wanted)
{
	return wanted && atomic_read(&kutrace_buffer.free) < (int)wanted;
}

static void refill(struct work_struct *work)
{
	while (is_short(2 * READ_ONCE(kutrace_buffer.reserve))) {
		struct kutrace_block *block = empty_oldest(KUTRACE_BLOCK_EMPTIED);

		if (!block)
			return;
		push(block);
		cond_resched();
	}
}

static DECLARE_WORK(refill_work, refill);

static void wake_worker(struct irq_work *work)
{
	queue_work(system_unbound_wq, &refill_work);
}

static DEFINE_IRQ_WORK(short_work, wake_worker);

/*
 * Returns when the interrupts and the worker that were asked for until now are done. If no CPU
 * opens blocks any more, none is emptied afterwards.
 */
void kutrace_buffer_settle(void)
{
	irq_work_sync(&wake_work);
	irq_work_sync(&complain_work);
	irq_work_sync(&short_work);
	cancel_work_sync(&refill_work);
}

/* ---- a CPU's side; any context ------------------------------------------------------------- */

static struct kutrace_block *free_or_oldest(void)
{
	struct kutrace_block *block = pop();

	if (is_short(READ_ONCE(kutrace_buffer.reserve)))
		irq_work_queue(&short_work);
	if (block || !READ_ONCE(kutrace_buffer.overwrites))
		return block;
	return empty_oldest(KUTRACE_BLOCK_OPEN);
}

struct kutrace_block *kutrace_block_open(void)
{
	struct kutrace_block *block = free_or_oldest();

	if (block) {
		WRITE_ONCE(block->serial, atomic_inc_return(&kutrace_buffer.serial));
		return block;
	}
	if (kutrace_buffer.mode == KUTRACE_MODE_FILL)
		atomic64_cmpxchg(&kutrace_buffer.full_counter, 0, kutrace_clock());
	wake();
	return NULL;
}

/* The one that a position is in. */
struct kutrace_block *kutrace_buffer_block(const u64 *position)
{
	const void *words = (const void *)((unsigned long)position & ~KUTRACE_BLOCK_MASK);

	return &kutrace_buffer.blocks[page_private(virt_to_page(words))];
}

static void finish(struct kutrace_block *block)
{
	u32 readers = READ_ONCE(kutrace_buffer.wanting);

	WRITE_ONCE(block->wanted, readers);
	atomic_inc(&kutrace_buffer.finished);
	/*
	 * Pairs with seize() and is_wanted(): they find `end`, `wanted` and the words as they are.
	 */
	smp_store_release(&block->state, KUTRACE_BLOCK_FINISHED);
	/*
	 * Pairs with the barrier in kutrace_buffer_heard(): either the bit that is set next stays
	 * set, or the reader that clears it finds the block finished.
	 */
	smp_mb__before_atomic();
	atomic_or(readers, &kutrace_buffer.news);
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
 * This CPU has left the block that it wrote to, up to `end`. If this is an interrupt, it may have
 * come between the claim of a word, or the decision to fold, and the store; were the block finished
 * now, the store could hit what it is used for next. So it goes to kutrace_cpu.held, which is
 * finished by the next claim outside of interrupts, or after a grace period (end_blocks() in
 * session.c). Writers run with preemption off, so in either case every store to the block is done
 * by then.
 */
void kutrace_block_end(u64 *end)
{
	struct kutrace_block *block = kutrace_buffer_block(end);
	struct kutrace_block **held = this_cpu_ptr(&kutrace_cpu.held);
	struct kutrace_block *first;

	WRITE_ONCE(block->end, ((unsigned long)end & KUTRACE_BLOCK_MASK) / 8);
	if (!in_interrupt())
		return finish(block);
	/* Another CPU may take the list at any moment, so the block is not touched afterwards. */
	do {
		first = READ_ONCE(*held);
		block->next = first;
	} while (cmpxchg(held, first, block) != first);
}

/* Opened in vain: holds a header and a few entries up to `end`. */
void kutrace_block_give_back(struct kutrace_block *block, u64 *end)
{
	memset(block->words, 0, (void *)end - (void *)block->words);
	push(block);
}

/* ---- a reader's side; kutrace_mutex held, and recording does not wrap ------------------------ */

/* Before the reader looks: the bit says from here on whether something was finished since. */
void kutrace_buffer_heard(u32 reader)
{
	atomic_andnot(reader, &kutrace_buffer.news);
	smp_mb__after_atomic(); /* pairs with the barrier in finish() */
}

/* The reader did not take all that there was. */
void kutrace_buffer_has_more(u32 reader)
{
	atomic_or(reader, &kutrace_buffer.news);
}

/* A guess: until the block is taken, a CPU or the worker may overwrite it at any moment. */
static bool is_wanted(const struct kutrace_block *block, u32 reader)
{
	/* Pairs with finish() and let_go(). */
	u32 state = smp_load_acquire(&block->state);

	return (state == KUTRACE_BLOCK_FINISHED || state == KUTRACE_BLOCK_TAKEN) &&
	       READ_ONCE(block->wanted) & reader;
}

/*
 * Finds blocks that this reader wants from index *from on, and moves it past what was looked at. It
 * changes no block: kutrace_buffer_take() does, when the reader has been told of them.
 */
u32 kutrace_buffer_look(u32 reader, struct kutrace_block_info *out, u32 capacity, u32 *from)
{
	u32 found = 0;

	while (found < capacity && *from < kutrace_buffer.count) {
		u32 index = (*from)++;
		struct kutrace_block *block = &kutrace_buffer.blocks[index];

		if (is_wanted(block, reader))
			out[found++] = (struct kutrace_block_info){
				.index = index, .cpu = READ_ONCE(block->cpu),
				.end = READ_ONCE(block->end), .serial = READ_ONCE(block->serial),
			};
		if (index % 1024 == 0)
			cond_resched();
	}
	return found;
}

/* NULL if there is none. */
static struct kutrace_block *block_at(u32 index)
{
	if (index >= kutrace_buffer.count)
		return NULL;
	return &kutrace_buffer.blocks[array_index_nospec(index, kutrace_buffer.count)];
}

/*
 * The block at this index if it is finished, which makes it taken, or if it is taken already. Else
 * NULL. A taken block is changed only with kutrace_mutex held, which the caller holds.
 */
static struct kutrace_block *seize(u32 index)
{
	struct kutrace_block *block = block_at(index);
	u32 state;

	if (!block)
		return NULL;
	/* Pairs with finish() and let_go(). */
	state = smp_load_acquire(&block->state);
	if (state == KUTRACE_BLOCK_TAKEN)
		return block;
	if (state != KUTRACE_BLOCK_FINISHED ||
	    cmpxchg(&block->state, KUTRACE_BLOCK_FINISHED, KUTRACE_BLOCK_TAKEN) !=
		    KUTRACE_BLOCK_FINISHED)
		return NULL;
	atomic_dec(&kutrace_buffer.finished);
	return block;
}

/* After seize(): the block stays taken while it is held, else it is finished or free. */
static void let_go(struct kutrace_block *block)
{
	if (block->held_by)
		return;
	if (!block->wanted) {
		clear(block);
		return push(block);
	}
	atomic_inc(&kutrace_buffer.finished);
	/* Pairs with seize() and is_wanted(): they find `wanted` as it is. */
	smp_store_release(&block->state, KUTRACE_BLOCK_FINISHED);
}

static bool take_one(u32 reader, const struct kutrace_block_info *info)
{
	struct kutrace_block *block = seize(info->index);
	bool is_it;

	if (!block)
		return false;
	is_it = block->wanted & reader && block->serial == info->serial &&
		block->cpu == info->cpu && block->end == info->end;
	if (is_it) {
		WRITE_ONCE(block->wanted, block->wanted & ~reader);
		block->held_by |= reader;
	}
	let_go(block);
	return is_it;
}

/* Takes blocks that were found, up to the first that was opened again since; returns how many. */
u32 kutrace_buffer_take(u32 reader, const struct kutrace_block_info *infos, u32 count)
{
	u32 taken = 0;

	while (taken < count && take_one(reader, &infos[taken]))
		taken++;
	return taken;
}

int kutrace_buffer_release(u32 reader, u32 index, u32 serial)
{
	struct kutrace_block *block = block_at(index);

	if (!block)
		return -EINVAL;
	if (READ_ONCE(block->state) != KUTRACE_BLOCK_TAKEN || block->serial != serial ||
	    !(block->held_by & reader))
		return -ESTALE;
	block->held_by &= ~reader;
	let_go(block);
	return 0;
}

/* A reader is gone, and `wanting` has its bit no more: nor has any block when this returns. */
void kutrace_buffer_forget(u32 reader)
{
	u32 i;

	/*
	 * A CPU that read `wanting` before has now finished the block that it gave to the reader.
	 */
	kutrace_wait_for_probes();
	for (i = 0; i < kutrace_buffer.count; i++) {
		struct kutrace_block *block = &kutrace_buffer.blocks[i];

		cond_resched();
		if (!is_wanted(block, reader) && READ_ONCE(block->state) != KUTRACE_BLOCK_TAKEN)
			continue;
		if (!seize(i))
			continue;
		WRITE_ONCE(block->wanted, block->wanted & ~reader);
		block->held_by &= ~reader;
		let_go(block);
	}
	/*
	 * The worker, or a CPU, may be overwriting a block that had the bit, and count it for this
	 * reader. That is done when this returns, before another reader can get the bit.
	 */
	kutrace_buffer_settle();
	kutrace_wait_for_probes();
}

/* Something for a reader who waits: a finished block, or the end of a recording that filled up. */
bool kutrace_buffer_readable(u32 reader)
{
	return atomic64_read(&kutrace_buffer.full_counter) ||
	       (u32)atomic_read(&kutrace_buffer.news) & reader;
}

u32 kutrace_buffer_used(void)
{
	return kutrace_buffer.count -
	       min_t(u32, atomic_read(&kutrace_buffer.free), kutrace_buffer.count);
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

/* Maps blocks from the offset on: to be read and no more, for good, and not inherited by a fork. */
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
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EACCES;
	kutrace_vm_flags(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);
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
	vma->vm_private_data = kutrace_sees_kernel(vma->vm_file) ?
				       NULL : &kutrace_buffer.limited_mappings;
	count_mapping(vma);
	return 0;
}
