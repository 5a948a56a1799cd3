/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Marks that programs write to buffers of their own (kutrace/mark_buffer.h). Where the thread that runs
 * has one, `running` of its CPU has the bit KUTRACE_BUFFERED, so that it is looked at before each entry,
 * at no cost to threads without. What is new is written as entries of the times that the program says,
 * brought to after the entries that stand there and before now.
 *
 * Which buffer a thread has, and how many of its marks were read, is kept by the thread's number: from
 * when the program tells until the thread ends, or starts another program. A child has its parent's, in
 * memory of its own. A child of vfork has the very same, while its parent waits: how many of its marks were
 * read is kept in one place for both. Where an interrupt comes while marks are read, it reads none.
 */
#ifndef KUTRACE_DEVICE_MARK_BUFFERS_H
#define KUTRACE_DEVICE_MARK_BUFFERS_H

#include "claim.h"

#include "kutrace/inserts.h"
#include "kutrace/mark_buffer.h"

#define KUTRACE_BUFFERED (1u << 31) /* threads' numbers have 22 bits */
#define TASK_DEAD 0x80

struct kept_buffer {
	u64 address;
	u32 read;  /* marks */
	u32 owner; /* 0, or the thread whose buffer it is, which knows better what was read */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KUTRACE_BUFFERS_MOST);
	__type(key, u32);
	__type(value, struct kept_buffer);
} mark_buffers SEC(".maps");

struct buffer_head {
	u64 magic;
	u32 marks;
	u32 busy;
};

/* Whether there is a buffer at this address, and how many marks were made in it. */
static __always_inline int read_head(struct buffer_head *head, u64 address)
{
	return !bpf_probe_read_user(head, sizeof(*head), (void *)address) &&
	       head->magic == (KUTRACE_BUFFER_MAGIC ^ address);
}

/* Marks that cannot be read; no more than a buffer has, as a program may say anything. */
static __always_inline void lose_marks(u32 marks)
{
	__sync_fetch_and_add(&shared.misses.marks_lost,
			     marks < KUTRACE_BUFFER_MARKS ? marks : KUTRACE_BUFFER_MARKS);
}

/* Where a thread's own variables are, and its buffer among them; where that is not told, none differ. */
static __always_inline u64 variables_of(const struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return task->thread.fsbase;
#else
	return 0;
#endif
}

/* The thread that runs from here on may have a buffer. */
__noinline u64 find_buffer(u32 thread)
{
	struct kutrace_cpu *st = this_cpu();
	struct kept_buffer *kept = bpf_map_lookup_elem(&mark_buffers, &thread);

	if (!kept)
		return 0;
	WRITE(st->buffer, READ(kept->address));
	WRITE(st->buffer_read, READ(kept->read));
	WRITE(st->running, READ(st->running) | KUTRACE_BUFFERED);
	return 0;
}

/* Marks that are being read: not on the stack, where older kernels have no room above all that calls this. */
struct marks_at_hand {
	struct kutrace_buffered_mark mark;
	u64 when;      /* tick of the last one, before which none can be; at first, of what stood there before them */
	u64 address;   /* of all marks of the buffer */
	u64 now;       /* none is later */
	u64 with_call; /* as for claim() */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct marks_at_hand);
} marks_read SEC(".maps");

/* Records the mark at hand as of that time. */
static __always_inline void put_buffered(u64 when, u64 entry, u64 with_call)
{
	u32 event = entry >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
	struct kutrace_cpu *st = this_cpu();
	u64 pos, last, now, claimed;

	if (!kutrace_is_program_point(event)) {
		__sync_fetch_and_add(&shared.misses.inserts_refused, 1);
		return;
	}
	pos = READ(st->next);
	last = READ(st->last);
	if (when >= last && LIKELY(try_put_at(st, pos, last, when, event, entry)))
		return;
	/* A block has begun since the marks are read, or an interrupt come: the mark is late in its block. */
	claimed = claim(1, with_call);
	if (!claimed)
		return;
	now = READ(st->last);
	if (now - when > LATE_TICKS)
		when = when > now ? now : now - LATE_TICKS;
	store(CLAIM_POS(claimed), entry_word(when, event, entry));
}

static __always_inline struct marks_at_hand *marks_at_hand(void)
{
	u32 first = 0;

	return bpf_map_lookup_elem(&marks_read, &first);
}

/*
 * Records this one of the marks at hand, not before the last one and not after `now`. Those of before the
 * recording are none of its business. Returns whether it can be read. A function of its own, which the verifier
 * looks at once, not in each turn of the loop around it: for each program, that is most of its work.
 */
__noinline u64 put_mark(u32 at)
{
	struct marks_at_hand *hand = marks_at_hand();
	const u32 size = sizeof(hand->mark);
	u64 when;

	if (!hand || bpf_probe_read_user(&hand->mark, size,
					 (void *)(hand->address + at % KUTRACE_BUFFER_MARKS * size)))
		return 0;
	when = hand->mark.ns >> KUTRACE_TICK_SHIFT;
	if (when < READ(shared.begin))
		return 1;
	if (when > hand->now)
		when = hand->now;
	if (when > hand->when)
		hand->when = when;
	put_buffered(hand->when, hand->mark.entry, hand->with_call);
	return 1;
}

/* Records the marks from number `at` on of so many, of the buffer at this address; none is older than `last`. */
static __always_inline void put_all_buffered(u64 address, u32 at, u32 marks, u64 last, u64 with_call)
{
	struct marks_at_hand *hand = marks_at_hand();

	if (!hand)
		return;
	hand->when = last;
	hand->address = address + sizeof(struct kutrace_mark_buffer) -
			KUTRACE_BUFFER_MARKS * sizeof(hand->mark);
	hand->now = ticks();
	hand->with_call = with_call;
	for (u32 i = 0; i < KUTRACE_BUFFER_MARKS && at != marks; i++, at++) {
		if (!put_mark(at)) {
			lose_marks(marks - at);
			return;
		}
	}
}

/* What is known of a buffer by the thread whose it is. */
static __always_inline struct kept_buffer *kept_of_all(struct kept_buffer *own)
{
	struct kept_buffer *kept;
	u32 owner = READ(own->owner);

	kept = owner ? bpf_map_lookup_elem(&mark_buffers, &owner) : own;
	return kept && READ(kept->address) == READ(own->address) ? kept : own;
}

/* What the thread that runs has left in its buffer, and was not read. */
static __always_inline void read_buffer(struct kutrace_cpu *st, u32 thread, u64 with_call)
{
	/* First of all: an interrupt that comes while marks are read writes entries that are newer than they. */
	u64 last = READ(st->last);
	u64 address = READ(st->buffer);
	struct buffer_head head = {};
	struct kept_buffer *own, *kept;
	u32 at;

	if (READ(st->reading) || !read_head(&head, address) || head.marks == READ(st->buffer_read))
		return;
	own = bpf_map_lookup_elem(&mark_buffers, &thread);
	if (!own || READ(own->address) != address)
		return;
	kept = kept_of_all(own);
	WRITE(st->reading, 1);
	at = READ(kept->read);
	WRITE(kept->read, head.marks);
	WRITE(own->read, head.marks);
	if (!is_hidden(st)) {
		if (head.marks - at > KUTRACE_BUFFER_MARKS) {
			lose_marks(head.marks - at - KUTRACE_BUFFER_MARKS);
			at = head.marks - KUTRACE_BUFFER_MARKS;
		}
		put_all_buffered(address, at, head.marks, last, with_call);
	}
	WRITE(st->buffer_read, head.marks);
	WRITE(st->reading, 0);
}

/*
 * The parent of the running thread, if it is of another process but has the same variables; else 0. A function
 * of its own, as above.
 */
__noinline u64 owner_of_variables(u64 unused)
{
	struct task_struct *task = bpf_get_current_task_btf(), *parent = task->real_parent;

	if (parent->mm != task->mm || parent->tgid == task->tgid ||
	    variables_of(parent) != variables_of(task))
		return 0;
	return parent->pid;
}

/* The thread's parent, which waits, goes on in the same buffer, and need not tell of it. */
static __always_inline void keep_for_owner(u64 address, u32 told, u32 owner)
{
	struct kept_buffer fresh = {.address = address, .read = told};

	bpf_map_update_elem(&mark_buffers, &owner, &fresh, BPF_NOEXIST);
}

/*
 * The running thread registers its buffer, of which recorders know `told` marks. One that has another
 * already, of another file of its program, keeps that. A function of its own, as above.
 */
__noinline u64 keep_buffer(u64 address, u32 told)
{
	u32 thread = bpf_get_current_task_btf()->pid;
	struct kept_buffer *kept = bpf_map_lookup_elem(&mark_buffers, &thread);
	struct kept_buffer fresh = {.address = address, .read = told};
	struct buffer_head head = {};

	if (kept && kept->address == address)
		return 0;
	fresh.owner = owner_of_variables(0);
	if ((kept && !kept->owner && read_head(&head, kept->address)) ||
	    bpf_map_update_elem(&mark_buffers, &thread, &fresh, BPF_ANY)) {
		if (read_head(&head, address))
			lose_marks(head.marks - told);
		return 0;
	}
	if (fresh.owner)
		keep_for_owner(address, told, fresh.owner);
	WRITE(shared.buffers, 1);
	if (READ(this_cpu()->running))
		find_buffer(thread);
	return 0;
}

/* No thread of this number has a buffer any more. */
static __always_inline void forget_buffer(u32 thread)
{
	bpf_map_delete_elem(&mark_buffers, &thread);
}

/*
 * A thread that has begun has the buffer of its parent, if it has a copy of the memory, or shares it. A
 * function of its own, so that its stack is not below all that the program calls.
 */
__noinline u64 inherit_buffer(u32 parent, u32 child, u32 has_copy, u32 shares)
{
	struct kept_buffer *kept = bpf_map_lookup_elem(&mark_buffers, &parent);
	struct kept_buffer copy;

	if (!kept || !(has_copy || shares)) {
		forget_buffer(child);
		return 0;
	}
	copy = *kept;
	if (shares && !copy.owner)
		copy.owner = parent;
	bpf_map_update_elem(&mark_buffers, &child, &copy, BPF_ANY);
	return 0;
}

#endif
