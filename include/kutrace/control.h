/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Commands of /dev/kutrace: what the kernel module and its users agree on.
 *
 * Valid C11, C++17 and kernel C. A command carries the size of its argument, so an argument that
 * grows becomes another command; fields named `reserved` are 0. doc/module.md explains the commands,
 * their order and what each refusal means.
 *
 * The trace buffer is blocks of KUTRACE_BLOCK_BYTES, block i at i * KUTRACE_BLOCK_BYTES of a
 * read-only mapping; trailers, if there are, follow the last block: that of block i at
 * i * KUTRACE_TRAILER_BYTES from there. A block is free, open (a CPU writes to it), finished, or taken (a reader has
 * it, until it releases it).
 *
 * A shared recording has several readers, each with a file of its own. What each asked for is recorded; a
 * finished block is every reader's, and free when each has released it.
 */
#ifndef KUTRACE_CONTROL_H
#define KUTRACE_CONTROL_H

#include "kutrace/abi.h"
#include "kutrace/arguments.h"
#include "kutrace/filter.h"
#include "kutrace/owners.h"
#include "kutrace/stacks.h"

#ifdef __KERNEL__
#include <linux/ioctl.h>
#else
#include <sys/ioctl.h>
#endif

#define KUTRACE_DEVICE "/dev/kutrace"
#define KUTRACE_CONTROL_VERSION 8u

/* What happens when no block is free. */
enum kutrace_mode {
	KUTRACE_MODE_STREAM = 1, /* entries are lost, and counted, until a reader releases one */
	KUTRACE_MODE_FILL = 2,   /* recording ends, on all CPUs at the same time */
	KUTRACE_MODE_WRAP = 3,   /* the oldest finished block is overwritten */
};

/* Groups of events; the same bits for every source. */
#define KUTRACE_GROUP_SYSCALLS 1u
#define KUTRACE_GROUP_IRQS 2u
#define KUTRACE_GROUP_SOFTIRQS 4u
#define KUTRACE_GROUP_FAULTS 8u
#define KUTRACE_GROUP_SCHED 16u
#define KUTRACE_GROUP_WAKEUPS 32u
#define KUTRACE_GROUP_POWER 64u
#define KUTRACE_GROUP_NET 128u
#define KUTRACE_GROUP_SAMPLES 256u
/* Moments of single subjects. */
#define KUTRACE_GROUP_LOCKS (1u << 16)
#define KUTRACE_GROUP_DISK (1u << 17)
#define KUTRACE_GROUP_SIGNALS (1u << 18)
#define KUTRACE_GROUP_PROCESSES (1u << 19)
#define KUTRACE_GROUP_MIGRATIONS (1u << 20)
#define KUTRACE_GROUP_MEMORY (1u << 21)
#define KUTRACE_GROUP_FAULT_ADDRESSES (1u << 22)
#define KUTRACE_GROUP_TIMERS (1u << 23)
#define KUTRACE_GROUP_WORKQUEUE (1u << 24)
#define KUTRACE_GROUP_SOCKETS (1u << 25)
#define KUTRACE_GROUP_PAGES (1u << 27)
#define KUTRACE_GROUPS_ALL (511u | 0x3ffu << 16 | KUTRACE_GROUP_PAGES)

struct kutrace_version {
	uint32_t control; /* KUTRACE_CONTROL_VERSION */
	uint32_t format;  /* KUTRACE_FORMAT_VERSION */
	uint32_t cpus;    /* that this machine can ever have */
	uint32_t hooks;   /* that KUTRACE_IOC_HOOK knows */
	uint64_t tick_ns_numerator; /* a tick of the counter is this many nanoseconds */
	uint64_t tick_ns_denominator;
	char clock[16]; /* "tsc", "cntvct" */
	uint64_t reserved[2];
};

#define KUTRACE_CONFIG_NO_FOLD 1u         /* every return is an entry of its own */
#define KUTRACE_CONFIG_NO_FAULT_RETURN 2u /* page faults without their return */
#define KUTRACE_CONFIG_IPC 8u             /* trailers: instructions per cycle */
#define KUTRACE_CONFIG_LLC 16u            /* trailers: misses of the last-level cache */
#define KUTRACE_CONFIG_ARGUMENTS 32u      /* of the system calls that KUTRACE_IOC_ARGUMENTS names */
#define KUTRACE_CONFIG_STACKS 64u         /* of samples, and of threads that are switched away */
#define KUTRACE_CONFIG_OWNERS 128u        /* several users read: entries say whose threads are */
#define KUTRACE_CONFIG_FLAGS 251u
#define KUTRACE_CONFIG_IDLE_STATES 16u

/* Blocks' worth of trailers that a mapping of them all has behind the blocks. */
#define KUTRACE_TRAILER_BLOCKS(blocks) (((blocks) + 7) / 8)

#define KUTRACE_MIN_BLOCKS_PER_CPU 4u
#define KUTRACE_MAX_SAMPLE_HZ 20000u

struct kutrace_config {
	uint32_t mode;
	uint32_t groups;
	uint32_t blocks; /* 0: as many as there are, or as the module's parameter tracemb says */
	uint32_t flags;
	uint32_t sample_hz; /* not 0 if, and only if, the group of samples is on */
	uint32_t packet_mask;  /* one bit per byte of payload, 0..23; 0: no packet, all ones: every one */
	uint32_t packet_match; /* a packet counts if its masked payload folds to this */
	uint32_t reserved_word;
	uint16_t idle_hint[KUTRACE_CONFIG_IDLE_STATES]; /* mwait hint by idle state */
	uint64_t reserved[8];
};

#define KUTRACE_PACKET_ALL 0xffffffffu

/* How long recording lasts. */
enum kutrace_lifetime {
	KUTRACE_ON_ATTACHED = 1, /* until this file is closed, however that happens */
	KUTRACE_ON_DETACHED = 2, /* until it is switched off */
	KUTRACE_ON_SHARED = 3,   /* until the last file that reads it is closed; others may join */
};

#define KUTRACE_READERS_MOST 16u

enum kutrace_ended {
	KUTRACE_ENDED_NOT = 0,
	KUTRACE_ENDED_OFF = 1,     /* switched off */
	KUTRACE_ENDED_FULL = 2,    /* KUTRACE_MODE_FILL: no free block */
	KUTRACE_ENDED_CLOSED = 3,  /* the file that it was attached to was closed */
	KUTRACE_ENDED_SUSPEND = 4, /* the machine went to sleep */
};

struct kutrace_status {
	uint32_t recording; /* 0 or 1; of a shared recording: whether it goes on for this file */
	uint32_t ended;     /* enum kutrace_ended, of the last recording */
	uint32_t mode;
	uint32_t groups;
	uint32_t blocks;
	uint32_t blocks_used; /* not free: open, finished or taken */
	uint32_t owner_pid;   /* process that switched it on */
	uint32_t lifetime;    /* enum kutrace_lifetime */
	uint64_t start_counter; /* of the last recording; 0: there was none */
	uint64_t start_real_ns; /* wall clock of that counter */
	uint64_t stop_counter;  /* 0 while recording */
	uint64_t lost;          /* entries for which there was no block */
	uint64_t discarded;     /* words of blocks that were overwritten */
	uint64_t packets_unhashed;
	uint64_t inserts_refused;
	uint64_t inserts_unreadable;
	uint64_t foreign_frequency;
	uint64_t stacks_lost; /* there was no room for another one */
	uint32_t readers;     /* files for which it records now */
	uint32_t joins;       /* files that joined this recording, of all that did */
	uint64_t lapped;      /* blocks that were overwritten before this file took them */
	uint64_t reserved[5];
};

struct kutrace_cpu_status {
	uint32_t cpu;        /* in */
	uint32_t open_block; /* index + 1; 0: none */
	uint32_t recorded;   /* it took part in this recording */
	uint32_t lost_reason; /* enum kutrace_loss_reason of a loss that goes on; 0: none */
	uint64_t lost;        /* entries of that loss */
	uint64_t lost_begin;  /* its counter */
};

/* A finished block that now belongs to the reader. */
struct kutrace_block_info {
	uint32_t index;
	uint32_t cpu;
	uint32_t end; /* first word that holds no entry */
	uint32_t serial; /* another each time a CPU begins a block; RELEASE names it */
};

/* A block as it was taken: it is given back only if it was not given back since, in whatever recording. */
struct kutrace_release {
	uint32_t index;
	uint32_t serial;
};

struct kutrace_take {
	uint64_t address;  /* in: of an array of struct kutrace_block_info */
	uint32_t capacity; /* in: its length */
	uint32_t count;    /* out: how many were taken, in no order */
};

struct kutrace_clocks {
	uint64_t counter;
	uint64_t monotonic_ns;
	uint64_t real_ns;
};

#define KUTRACE_HOOK_NAME_BYTES 32u

/* How the kernel calls a hook. */
enum kutrace_hook_way {
	KUTRACE_HOOK_BY_TRACEPOINT = 0, /* or by a software event */
	KUTRACE_HOOK_BY_PATCH = 1,      /* directly: the kernel is patched */
};

struct kutrace_hook_info {
	uint32_t index; /* in: 0 .. kutrace_version.hooks - 1 */
	uint32_t group; /* one KUTRACE_GROUP bit; 0: always on */
	int32_t error;  /* 0: can be attached; else -errno */
	uint32_t way;   /* enum kutrace_hook_way */
	char name[KUTRACE_HOOK_NAME_BYTES];
};

struct kutrace_entry {
	uint64_t words[KUTRACE_MAX_WORDS]; /* time bits are ignored */
};

struct kutrace_stacks {
	uint64_t address;  /* in: of an array of struct kutrace_stack */
	uint32_t capacity; /* in: its length */
	uint32_t count;    /* out: how many were told; 0: there are no more */
	uint32_t from;     /* 0 at first; then as the command left it */
	uint32_t reserved;
};

/* What is known of processes for the filter, by the caller's numbers: also while it is recorded. */
struct kutrace_processes {
	uint64_t address; /* of an array of uint32_t */
	uint32_t count;
	uint32_t what; /* KUTRACE_PROCESS_NAMED, _FOLLOWED or _LAUNCHER besides; 0: nothing any more */
};

/* Other groups, while it records; those that were on and stay on miss nothing. */
struct kutrace_group_switch {
	uint32_t groups; /* in: all that are to be on; samples only if a rate was configured */
	uint32_t reserved;
	uint64_t at; /* out: until this counter all that were on are recorded, then all that are */
};

/*
 * A user who reads, in a configuration with KUTRACE_CONFIG_OWNERS; by the caller's numbers. Errors: ENODATA
 * without that flag, EINVAL for root or a number that nobody has, ENOSPC if all 127 are somebody's.
 */
struct kutrace_owner {
	uint32_t uid;
	uint32_t gid;
	/*
	 * In: 0. Out: that his threads have in entries from here on (kutrace/owners.h).
	 * Or in: one that was given out, with uid and gid 0: no thread has it from here on.
	 */
	uint32_t number;
	uint32_t reserved;
};

/*
 * Reads, from now on, a shared recording that is on. The configuration says what this reader wants: its
 * groups and its rate of samples are added to what is recorded, all else must be as it is there.
 */
struct kutrace_join {
	struct kutrace_config config; /* in; its blocks: 0 */
	uint64_t at;                  /* out: from this counter on all that it wants is recorded */
	uint32_t blocks;              /* out: of the buffer */
	uint32_t reserved;
};

#define KUTRACE_IOC_MAGIC 0xb7
#define KUTRACE_IOC_VERSION _IOR(KUTRACE_IOC_MAGIC, 0, struct kutrace_version)
#define KUTRACE_IOC_CONFIGURE _IOW(KUTRACE_IOC_MAGIC, 1, struct kutrace_config)
#define KUTRACE_IOC_RESET _IO(KUTRACE_IOC_MAGIC, 2)
#define KUTRACE_IOC_ON _IOW(KUTRACE_IOC_MAGIC, 3, uint32_t) /* enum kutrace_lifetime */
#define KUTRACE_IOC_OFF _IO(KUTRACE_IOC_MAGIC, 4)
#define KUTRACE_IOC_FLUSH _IO(KUTRACE_IOC_MAGIC, 5) /* finishes every open block */
#define KUTRACE_IOC_STATUS _IOR(KUTRACE_IOC_MAGIC, 6, struct kutrace_status)
#define KUTRACE_IOC_CPU _IOWR(KUTRACE_IOC_MAGIC, 7, struct kutrace_cpu_status)
#define KUTRACE_IOC_TAKE _IOWR(KUTRACE_IOC_MAGIC, 8, struct kutrace_take)
#define KUTRACE_IOC_RELEASE _IOW(KUTRACE_IOC_MAGIC, 9, struct kutrace_release)
#define KUTRACE_IOC_CLOCKS _IOR(KUTRACE_IOC_MAGIC, 10, struct kutrace_clocks)
#define KUTRACE_IOC_HOOK _IOWR(KUTRACE_IOC_MAGIC, 11, struct kutrace_hook_info)
#define KUTRACE_IOC_INSERT _IOW(KUTRACE_IOC_MAGIC, 12, uint64_t)
#define KUTRACE_IOC_INSERT_NAME _IOW(KUTRACE_IOC_MAGIC, 13, struct kutrace_entry)
/* While it records, only the counts may be others: else EBUSY. */
#define KUTRACE_IOC_ARGUMENTS _IOW(KUTRACE_IOC_MAGIC, 14, struct kutrace_arguments)
#define KUTRACE_IOC_STACKS _IOWR(KUTRACE_IOC_MAGIC, 15, struct kutrace_stacks)
#define KUTRACE_IOC_FILTER _IOW(KUTRACE_IOC_MAGIC, 16, struct kutrace_filter)
#define KUTRACE_IOC_PROCESSES _IOW(KUTRACE_IOC_MAGIC, 17, struct kutrace_processes)
#define KUTRACE_IOC_GROUPS _IOWR(KUTRACE_IOC_MAGIC, 18, struct kutrace_group_switch)
#define KUTRACE_IOC_OWNER _IOWR(KUTRACE_IOC_MAGIC, 19, struct kutrace_owner)
#define KUTRACE_IOC_JOIN _IOWR(KUTRACE_IOC_MAGIC, 20, struct kutrace_join)

KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_version) == 64, "version is 64 bytes");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_config) == 128, "configuration is 128 bytes");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_status) == 168, "status is 168 bytes");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_cpu_status) == 32, "CPU status is 32 bytes");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_block_info) == 16, "block description is 16 bytes");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_release) == 8, "release is 8 bytes");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_take) == 16, "take is 16 bytes");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_clocks) == 24, "clocks are 24 bytes");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_hook_info) == 48, "hook description is 48 bytes");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_processes) == 16, "a list of processes is 16 bytes");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_group_switch) == 16, "a switch of groups is 16 bytes");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_owner) == 16, "an owner is 16 bytes");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_join) == 144, "a wish to join is 144 bytes");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_stacks) == 24, "a question for stacks is 24 bytes");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_entry) == 64, "an entry has at most 8 words");

#endif
