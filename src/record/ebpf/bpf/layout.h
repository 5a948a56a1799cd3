/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Memory that the BPF programs and the recorder share: per-CPU cursors, block rings, settings.
 *
 * Blocks travel in a circle. The recorder zeroes a block and puts its index on a CPU's free ring;
 * the CPU opens it, fills it and puts it on its full ring; the recorder takes it from there. Every
 * mode (fill, wrap, stream) is a policy of the recorder about which blocks come back and when, so
 * the programs have no branch on the mode.
 */
#ifndef KUTRACE_DEVICE_LAYOUT_H
#define KUTRACE_DEVICE_LAYOUT_H

#include "kutrace/abi.h"
#include "kutrace/arguments.h"
#include "kutrace/filter.h"
#include "kutrace/owners.h"
#include "kutrace/stacks.h"

#define KUTRACE_TICK_SHIFT 4 /* a tick is 16 ns of CLOCK_MONOTONIC */
#define KUTRACE_WORD_BITS 13 /* a position is block << 13 | word; word 0 is never an entry */
#define KUTRACE_WORD_MASK 8191u
#define KUTRACE_MAX_CPUS 8192u
#define KUTRACE_RING 1024u /* most blocks that one CPU owns at a time */
#define KUTRACE_IDLE_STATES 16u
#define KUTRACE_PACKET_WORDS 6
#define KUTRACE_PROCESSES_PER_PAGE 4096u
#define KUTRACE_BUFFERS_MOST 16384u /* threads with a buffer of marks, at a time */
#define KUTRACE_GROUP_PATH 4096u /* most bytes of a control group's path, as many as the kernel shows */
#define KUTRACE_GROUP_NAME 256u  /* most bytes of a part of it, with its end */
#define KUTRACE_GROUP_LEVELS 32u
#define KUTRACE_GROUP_MOVES_BYTES (1u << 18) /* room for moves that are not read yet */

/* Values of a cursor that are no position; both look like a block without room. */
#define KUTRACE_STOPPED 0ull           /* this CPU does not record */
#define KUTRACE_NO_BLOCK (1ull << 63) /* it does, and has no block */

/*
 * One CPU's state. The first cache line is the CPU's own; the recorder writes to it only to stop it
 * (next = KUTRACE_STOPPED by an atomic exchange). Whoever moves the cursor expects the value that it
 * saw, so nothing gets a block after that. The second line is written by both sides, a few times per
 * block.
 */
struct kutrace_cpu {
	uint64_t next;       /* position of the next entry, or one of the above */
	uint64_t last;       /* tick of the newest entry */
	uint64_t sequence;   /* blocks started on this CPU */
	uint64_t lost;       /* entries lost and not yet written down */
	uint64_t lost_begin; /* tick of the first of them */
	uint64_t lost_total;
	uint64_t task;       /* address of the thread that runs, as far as it was seen */
	uint32_t running;    /* its number + 1, and if it has a buffer of marks, a bit; 0: not known */
	uint32_t folding;    /* returns being written into their calls: blocks of this CPU wait */
	uint32_t free_tail;  /* count of blocks ever given, by the recorder */
	uint32_t free_head;  /* count of blocks ever taken, by this CPU */
	uint32_t full_tail;  /* count of blocks ever finished, by this CPU */
	uint32_t start_irq;  /* it may be in the interrupt that started it, whose entry is not recorded */
	uint32_t hidden;      /* the filter leaves out the thread that runs here */
	uint32_t walking;     /* its stack is being read: faults are the reader's */
	uint64_t offline_begin; /* since then the CPU was not there: told by its next block; or 0 */
	uint64_t user;  /* who may look into the thread that runs here; 0: only root may ... */
	uint64_t owner; /* ... and his number, if he reads */
	uint64_t buffer;      /* of marks, which the thread that runs here has ... */
	uint32_t buffer_read; /* ... as many of which were read ... */
	uint32_t reading;     /* ... or are being read */
};

/* full[]: used words << 32 | index + 1, so that a slot claimed but not yet written reads as 0. */
struct kutrace_rings {
	uint32_t free[KUTRACE_RING];
	uint64_t full[KUTRACE_RING];
};

struct kutrace_block {
	uint64_t word[KUTRACE_BLOCK_WORDS];
};

/* What is known of processes (kutrace/filter.h), by number. */
struct kutrace_process_page {
	uint8_t known[KUTRACE_PROCESSES_PER_PAGE];
};

/* Set before the programs are loaded; the verifier removes what it switches off. */
struct kutrace_settings {
	uint32_t merge;                          /* fold a return into its call */
	uint32_t may_read;                       /* kernel memory, by helper */
	uint32_t idle_hint[KUTRACE_IDLE_STATES]; /* mwait hint by cpuidle state */
	struct kutrace_filter filter;
	uint64_t direct_map; /* addresses of the kernel's pointers to all memory as it sees it ... */
	uint64_t page_map;   /* ... and to what is known of each page; 0: not needed, or not known */
	uint32_t packet_mask[KUTRACE_PACKET_WORDS]; /* of the payload's first words ... */
	uint32_t packet_sum; /* ... which come to this, all with exclusive or */
	uint32_t owners;     /* say whose threads are */
	/* Hierarchies of control groups that say more of who belongs together than others; 0: there is none. */
	uint32_t systemd_hierarchy;
	uint32_t cpu_hierarchy;
	uint32_t reserved;
};

/* Things that cannot be seen, counted where they happen. */
struct kutrace_misses {
	uint64_t packets_unhashed;   /* payload not readable in one piece */
	uint64_t inserts_refused;    /* user entries of a kind that users may not write */
	uint64_t inserts_unreadable; /* user names whose memory was not present */
	uint64_t foreign_frequency;  /* frequency changes reported from another CPU */
	uint64_t stacks_lost;        /* there was no room for another one */
	uint64_t marks_lost;         /* left in a buffer that was not read in time, or not kept */
	uint64_t group_moves_lost;   /* there was no room for them, or the group's path was too long */
};

/* A process is in that control group from then on. Only the path's used part is written. */
struct kutrace_group_move {
	uint64_t at; /* tick */
	uint32_t process;
	uint32_t bytes; /* of the path, without an end */
	char path[KUTRACE_GROUP_PATH + KUTRACE_GROUP_NAME];
};
#define KUTRACE_GROUP_MOVE_HEAD 16u

struct kutrace_shared {
	struct kutrace_cpu cpus[KUTRACE_MAX_CPUS];
	struct kutrace_misses misses;
	uint64_t hotplug_steps; /* of CPUs that come or go, ever */
	uint32_t cpu_ends[KUTRACE_MAX_CPUS]; /* how often each of them has gone */
	uint64_t stacks;        /* numbers given to stacks */
	uint64_t buffers;       /* some thread has, or had, a buffer of marks */
	uint64_t futex_waits;   /* are recorded: the group of locks is on */
	uint64_t begin;         /* tick of the recording's begin */
};

KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_cpu) == 128, "two cache lines a CPU");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_group_move) ==
			      KUTRACE_GROUP_MOVE_HEAD + KUTRACE_GROUP_PATH + KUTRACE_GROUP_NAME,
		      "the path is last");

#endif
