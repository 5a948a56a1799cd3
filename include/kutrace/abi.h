/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The bytes that kernel and user space share: trace blocks, 8-byte entries, flags and name kinds.
 *
 * Valid C11, C++17 and kernel C. Everything is little-endian fixed-width integers. The layout is
 * KUtrace trace-file version 3; what this project adds (kinds 0x107 and up) is skipped as names by
 * readers that do not know it. doc/trace-format.md describes each field at length.
 */
#ifndef KUTRACE_ABI_H
#define KUTRACE_ABI_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

/* ---- block: 64 KiB, one CPU's, never shared ---------------------------------------------- */

#define KUTRACE_BLOCK_BYTES 65536u
#define KUTRACE_BLOCK_WORDS 8192u
#define KUTRACE_TRAILER_BYTES 8192u    /* one byte per word, present iff KUTRACE_FLAG_IPC or _LLC */
#define KUTRACE_FIRST_HEADER_WORDS 12u /* block 0 of a file */
#define KUTRACE_HEADER_WORDS 6u        /* every other block */
#define KUTRACE_COMM_BYTES 16u         /* task name in a header, NUL padded */

#define KUTRACE_FORMAT_VERSION 3u /* low nibble of the flags of block 0 */
#define KUTRACE_FLAG_IPC 0x80u    /* trailer holds instructions-per-cycle nibbles */
#define KUTRACE_FLAG_WRAP 0x40u   /* block 0: the trace wrapped; blocks 1.. are its last part */
#define KUTRACE_FLAG_LLC 0x20u    /* trailer holds last-level-cache-miss nibbles */
#define KUTRACE_FLAG_VERSION_MASK 0x0fu

/*
 * Header of every block but the first of a file:
 *
 *   word 0   63:56 CPU (low 8 bits)   55:0 counter when the block was started
 *   word 1   63:56 flags              55:0 wall clock of that counter, usec since 1970
 *   word 2   63:32 CPU MHz or 0       31:0 thread running when the block was started
 *   word 3   bits 7:0 CPU number >> 8 (0 on machines of up to 256 CPUs), rest 0
 *   word 4,5 name of that thread
 */
struct kutrace_block_header {
  uint64_t cpu_counter;
  uint64_t flags_usec;
  uint64_t mhz_pid;
  uint64_t cpu_high;
  char comm[KUTRACE_COMM_BYTES];
};

/* Header of block 0: the same, with the two (counter, usec) pairs that bound the recording. */
struct kutrace_first_header {
  uint64_t cpu_counter;
  uint64_t flags_usec;
  uint64_t start_counter;
  uint64_t start_usec;
  uint64_t stop_counter;
  uint64_t stop_usec;
  uint64_t unused[2];
  uint64_t mhz_pid;
  uint64_t cpu_high;
  char comm[KUTRACE_COMM_BYTES];
};

#define KUTRACE_TOP_BYTE_SHIFT 56
#define KUTRACE_LOW56_MASK 0x00ffffffffffffffull

/* ---- entry: 8 bytes ---------------------------------------------------------------------- */

/*
 *   63:44 timestamp, low 20 bits of the counter
 *   43:32 event number (events.def)
 *   31:24 folded call: ticks from call to return, 1..255, else 0
 *   23:16 folded call: low 8 bits of the result, signed
 *   15:0  argument or result
 *   31:0  the same bits as one 32-bit argument, for events that have one
 */
#define KUTRACE_TIME_SHIFT 44
#define KUTRACE_TIME_BITS 20
#define KUTRACE_TIME_MASK 0xfffffull
#define KUTRACE_EVENT_SHIFT 32
#define KUTRACE_EVENT_MASK 0xfffull
#define KUTRACE_DELTA_SHIFT 24
#define KUTRACE_DELTA_MAX 255u
#define KUTRACE_RESULT_SHIFT 16
#define KUTRACE_RETURN_BIT 0x200u /* return event = call event | this, for events 0x400..0xfff */

/* A gap longer than this many ticks (7/8 of the 20-bit period) is preceded by a TSDELTA entry. */
#define KUTRACE_TSDELTA_TICKS 0xe0000u
/* A longer gap than this does not fit a TSDELTA; the source starts a new block instead. */
#define KUTRACE_TSDELTA_MAX 2000000000u

/* Names and other variable-length entries: event = kind | words << 4, 1..8 words in all. */
#define KUTRACE_LENGTH_SHIFT 4
#define KUTRACE_LENGTH_MASK 0xfu
#define KUTRACE_MAX_WORDS 8u
#define KUTRACE_NAME_BYTES 56u

/* System-call number n becomes event CALL + KUTRACE_MAP_SYSCALL(n). */
#define KUTRACE_MAP_SYSCALL(n) ((n) + ((n) & 0x200u))

/* System call that carries user marks and control; no kernel implements it (KUtrace's choice). */
#define KUTRACE_SYSCALL 1023u
#define KUTRACE_CMD_INSERT1 7ull
#define KUTRACE_CMD_INSERTN 8ull
#define KUTRACE_INSERTN_BYTES 64u

/*
 * The other carrier of marks: write(2) to one of two descriptors above what the kernel allows
 * (fs.nr_open is at most 0x7fffffc0). It fails with EBADF before anything else is looked at, and a
 * filter that lets a program write anywhere lets it pass, too.
 */
#define KUTRACE_WORD_FD 0x7fffffd2u  /* in place of the buffer's address: an entry of one word */
#define KUTRACE_ENTRY_FD 0x7fffffd3u /* the buffer is an entry of 1 to 8 words */

/* ---- entries this project adds ----------------------------------------------------------- */

/*
 * META (kind 0x107): text "key=value" in UTF-8, in chunks of up to 56 bytes.
 * Argument: serial << 8 | chunk; chunks of one serial are joined in order, chunk 0 first.
 */
#define KUTRACE_META_CHUNK_MASK 0xffu

/*
 * LOSS (kind 0x108), 4 words: what happened on a CPU in [begin, end) was not recorded.
 * Argument: reason << 24 | CPU. Words: begin counter, end counter, entries lost (all ones:
 * unknown).
 */
#define KUTRACE_LOSS_WORDS 4u
#define KUTRACE_LOSS_REASON_SHIFT 24
#define KUTRACE_LOSS_CPU_MASK 0xffffffu
#define KUTRACE_LOSS_UNKNOWN_COUNT (~0ull)

enum kutrace_loss_reason {
  KUTRACE_LOSS_BUFFER_FULL = 1, /* no free block: fill mode full, or the reader was too slow */
  KUTRACE_LOSS_MISSED_RUN = 2,  /* the kernel skipped a hook (recursion, no memory) */
  KUTRACE_LOSS_DISK = 3,        /* a finished block could not be written */
  KUTRACE_LOSS_OVERWRITTEN = 4, /* flight recorder: older than what was kept */
  KUTRACE_LOSS_LIMIT = 5,       /* a size or time limit ended the recording on this CPU */
  KUTRACE_LOSS_DAMAGED = 6,     /* readers only: a block is missing or unreadable */
  KUTRACE_LOSS_OFFLINE = 7,     /* the CPU was offline */
  KUTRACE_LOSS_UNWRITTEN = 8,   /* readers only: a file of spans says nothing of this time */
  KUTRACE_LOSS_UNSEEN = 9,      /* readers only: a switch that the kernel shows no tracer */
  KUTRACE_LOSS_NO_CPUS = 10,    /* readers only: a file of what programs did names no CPU */
};

/*
 * BLOCK (kind 0x10b), 2 words, first entry of a block: makes a missing block evident.
 * Argument: CPU. Word: sequence number of this block on its CPU, from 0.
 */
#define KUTRACE_BLOCK_WORDS_USED 2u

/*
 * WIDE (kind 0x10d), 4 words: numbers of the call, return or folded call that is the next entry of
 * the block and has the same time, where they do not fit that entry.
 * Argument: KUTRACE_WIDE_*, which words hold. Words: number of the system call, argument, result.
 * An entry of a call whose number does not fit has that of KUTRACE_UNKNOWN_CALL.
 */
#define KUTRACE_WIDE_WORDS 4u
#define KUTRACE_WIDE_NUMBER 1u
#define KUTRACE_WIDE_ARGUMENT 2u
#define KUTRACE_WIDE_RESULT 4u

/*
 * ARGUMENTS (kind 0x10c), 2 to 7 words: all arguments of the system call that is the next entry of
 * the block and has the same time. Argument: 0. Words: the arguments, as the program passed them.
 */
#define KUTRACE_MAX_ARGUMENTS 6u

/*
 * CALL_DATA (kind 0x10e), 1 to 8 words: up to 56 bytes of what an argument of a system call points
 * to: of the call, return or folded call behind the next entries of this and the ARGUMENTS kind, all
 * of the same time. Before a call stands what the kernel is given; before a return what it gave, and
 * what could not be read when the call began.
 * Argument: KUTRACE_DATA_*, below. Words: the bytes.
 */
#define KUTRACE_DATA_BYTES 56u
#define KUTRACE_DATA_ARGUMENT_MASK 7u /* which argument: 0..5 */
#define KUTRACE_DATA_MORE 8u          /* the next entry goes on with it */
#define KUTRACE_DATA_CUT 16u          /* there was more than is recorded */
#define KUTRACE_DATA_UNREADABLE 32u   /* its memory could not be read; no bytes */
#define KUTRACE_DATA_LATE 64u         /* given to the kernel, but read when the call returned */
#define KUTRACE_DATA_LENGTH_SHIFT 8   /* 15:8: how many bytes count, 0..56 */
#define KUTRACE_DATA_ITEM_SHIFT 16    /* 31:16: which of an argument's strings: argv[n] */

/*
 * STACKS (kind 0x00d), 2 words: stacks of the sample, or of the thread left by the switch, that is the
 * next entry of the block and has the same time. Argument: 0. Word: 63:32 number of the program's
 * stack, 31:0 of the kernel's; or KUTRACE_STACK_NONE, KUTRACE_STACK_LOST.
 */
#define KUTRACE_STACKS_WORDS 2u
#define KUTRACE_STACK_NONE 0u
#define KUTRACE_STACK_LOST 0xffffffffu /* there was no room for another one */
#define KUTRACE_STACK_FRAMES 127u      /* most of one stack; what called the last of them is cut */

/*
 * POINT (kind 0x00a), 2 to 4 words: a moment with numbers. Argument: its event number, 0x220 and up.
 * Words: two numbers, and a third that is signed; events.def and doc/trace-format.md say of what.
 */
#define KUTRACE_MOMENT_NUMBERS 3u

/*
 * Functions (doc/functions.md). FUNCTION_ENTER, FUNCTION_LEAVE: 31:24 how many functions of the thread are
 * around this one, 23:0 number of the function; kutrace/labels.h says how it is named.
 * FUNCTION (kind 0x000), 3 words: a function that is over now. Argument: as of these two. Words: how long
 * it took in ns, how many shorter calls within are left out.
 * FUNCTIONS_LEFT_OUT: so many calls of the thread are left out since it said so last.
 * PROBE_ENTER, PROBE_LEAVE (kind POINT): the kernel stopped at a function's begin, or where it returned
 * to. Words: number of the function, stack pointer.
 */
#define KUTRACE_FUNCTION_WORDS 3u
#define KUTRACE_FUNCTION_DEPTH_SHIFT 24
#define KUTRACE_FUNCTION_DEPTHS 255u

/*
 * TASK (kind 0x10f), 3 words: what is known of a thread that is not a transition.
 * Argument: thread id. Word 1: 63:32 system call it is blocked in + 1 (0: none), 31:0 flags.
 * Word 2: 63:32 parent process id, 31:0 process id.
 * With KUTRACE_TASK_RENUMBERED, of the thread that runs: 63:32 of word 1 is the id that it had
 * until now. (A thread that is not its process's first and starts a program gets the id of the
 * first.)
 * KUTRACE_TASK_SHARES_MEMORY: its own process has its parent's memory (vfork, CLONE_VM) until it starts a
 * program: names that programs give to numbers are the same in both.
 * KUTRACE_TASK_FOUND: in a CPU's block, of a thread that is not new: what it is in there. Joined
 * recordings have it where a later one begins.
 */
#define KUTRACE_TASK_WORDS 3u
#define KUTRACE_TASK_KERNEL_THREAD 1u /* has no user mode */
#define KUTRACE_TASK_RECORDER 2u      /* belongs to the recorder itself */
#define KUTRACE_TASK_COMMAND 4u       /* the recorded command */
#define KUTRACE_TASK_RENUMBERED 8u    /* it is the thread that had another id */
#define KUTRACE_TASK_SHARES_MEMORY 16u
#define KUTRACE_TASK_FOUND 32u

/*
 * Arguments of two point events, above the 16 bits that KUtrace defines:
 * mwait (0x208): 31:16 cpuidle state index + 1, 15:0 mwait hint (255: halt or I/O port).
 * mon_ex (0x21f): 31:16 1 if this is the end of idle as the kernel's cpu_idle tracepoint saw it.
 * userpid (0x200): 28:0 the thread switched to, all of its id; bit 31: the one switched from can go
 * on running; bit 30: it is blocked; neither: not a switch, the thread named runs; both: not a
 * switch but proof that one was missed: the thread named was found running. Bit 29: a filter keeps
 * what this thread does out of the trace. runnable (0x206): all 32 bits of a thread id.
 */
#define KUTRACE_SWITCH_RUNNABLE (1u << 31)
#define KUTRACE_SWITCH_BLOCKED (1u << 30)
#define KUTRACE_SWITCH_UNSEEN (KUTRACE_SWITCH_RUNNABLE | KUTRACE_SWITCH_BLOCKED)
#define KUTRACE_SWITCH_HIDDEN (1u << 29)
#define KUTRACE_SWITCH_PID_MASK 0x1fffffffu
#define KUTRACE_IDLE_STATE_SHIFT 16
#define KUTRACE_IDLE_EXIT (1u << 16)

/* ---- direct calls of a patched kernel -------------------------------------------------------- */

/*
 * What the kernel patches (kpatch/) and the module agree on. A generated copy of this part, and the
 * numbers of events, are in the patches; scripts/kpatch compares them. The version changes whenever
 * the meaning of a call, a key or a point does; the module does not build for a kernel with another.
 */
#define KUTRACE_PATCH_VERSION 1u

/* Each group of events (KUTRACE_GROUP_*) has a key of its own, of the same bit; and so have these:
 */
#define KUTRACE_KEY_NAMES 9u /* names and parents of threads, which belong to no group */
#define KUTRACE_KEYS 10u

/* Places where a patched kernel calls; what one lacks, tracepoints stand in for. */
#define KUTRACE_POINT_SYSCALL 0u  /* system calls, 32-bit ones included: entry and return */
#define KUTRACE_POINT_TRAP 1u     /* exceptions but page faults: entry and return */
#define KUTRACE_POINT_NMI 2u      /* NMI and machine check */
#define KUTRACE_POINT_IRQ 3u      /* device interrupts and system vectors */
#define KUTRACE_POINT_IPI_SEND 4u /* interrupts sent to other processors */
#define KUTRACE_POINT_FAULT 5u    /* page faults: entry and return */
#define KUTRACE_POINT_SOFTIRQ 6u
#define KUTRACE_POINT_SCHED 7u   /* the scheduler's own time, context switches */
#define KUTRACE_POINT_WAKEUP 8u  /* wakeups; stores that wake an idle processor */
#define KUTRACE_POINT_IDLE 9u    /* mwait, halt, C-states by I/O port */
#define KUTRACE_POINT_TASK 10u   /* fork, exec, rename, exit */
#define KUTRACE_POINT_PACKET 11u /* TCP and UDP payloads, where they are whole */
#define KUTRACE_POINTS 12u

/* ---- the layout cannot drift ------------------------------------------------------------- */

#ifdef __cplusplus
#define KUTRACE_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define KUTRACE_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_block_header) == 8 * KUTRACE_HEADER_WORDS,
                      "block header is 6 words");
KUTRACE_STATIC_ASSERT(sizeof(struct kutrace_first_header) == 8 * KUTRACE_FIRST_HEADER_WORDS,
                      "first block header is 12 words");
KUTRACE_STATIC_ASSERT(KUTRACE_BLOCK_BYTES == 8 * KUTRACE_BLOCK_WORDS, "a word is 8 bytes");

/* ---- names of sampled code --------------------------------------------------------------------
 */

/*
 * MAP (kind 0x109) and SYMBOL (kind 0x10a): texts in chunks as META's, serial numbers of their own.
 * MAP: "process from start end offset build-id path": executable memory and the file behind it.
 * SYMBOL: "process from start end name": what sampled code is called; process 0: the kernel.
 * Process in decimal, the rest in hexadecimal; `from`: counter from which on it holds, 0: always.
 */

/*
 * STACK (kind 0x00b): texts in chunks likewise: "number address address...", the innermost first, all
 * in hexadecimal. Addresses are of instructions; of callers of where their call returns to.
 */

/* Argument of a BLOCK entry: the block is no CPU's and holds only names, as the first ones do. */
#define KUTRACE_BLOCK_NAMES 0xffffffffu

/*
 * Event of a call's entry as recorders write it, by its number (as it is, unsigned) and whether it
 * is one of a 32-bit program. Numbers that would read as somebody else's share one event: 511 and
 * above are 32-bit calls or the scheduler in KUtrace's table, or do not fit.
 */
#define KUTRACE_SYSCALL64_EVENT 0x800u
#define KUTRACE_SYSCALL32_EVENT 0xc00u
#define KUTRACE_UNKNOWN_CALL 0xdfeu
#define KUTRACE_CALLS 511u   /* numbers from here on are not told apart */
#define KUTRACE_CALLS32 510u /* the same of 32-bit programs */
#define KUTRACE_CALL_EVENT(nr, compat)                                                         \
  ((compat) ? ((nr) < KUTRACE_CALLS32 ? KUTRACE_SYSCALL32_EVENT + (nr) : KUTRACE_UNKNOWN_CALL) \
            : ((nr) < KUTRACE_CALLS ? KUTRACE_SYSCALL64_EVENT + (nr) : KUTRACE_UNKNOWN_CALL))

#endif
