/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The page by which recorders tell programs that somebody listens to marks: a file of 4096 bytes
 * that programs map, read-only, when they start, so that a mark that nobody hears costs the read of a
 * word. Root alone writes to it. It is made whole, and never made shorter or anew while it is there:
 * programs look at what they mapped as long as they run.
 *
 * A recorder has one of the slots while it listens, and holds locks (F_OFD_SETLK, F_WRLCK) on the
 * slot's bytes, which the kernel takes off when the recorder ends, however it ends. Who adds or
 * removes itself holds locks on the magic meanwhile, clears the slots of those that are gone, and
 * sets `carriers` to what all slots say.
 *
 * The locks are on the same bytes of another file, KUTRACE_LISTENERS_FILE ".lock", which root alone
 * may open: whoever may read a file can keep others from locking it. They are on the page as well, as
 * far as no reader prevents it, for recorders without that file: older ones, and those of containers
 * that have the page alone. A slot is of a recorder if it is locked in either place; in the page locks
 * of readers do not count.
 */
#ifndef KUTRACE_LISTENERS_H
#define KUTRACE_LISTENERS_H

#include <stdint.h>

#define KUTRACE_LISTENERS_FILE "/run/kutrace-marks"
#define KUTRACE_LISTENERS_BYTES 4096u
#define KUTRACE_LISTENERS_MAGIC 0x314b52414d54554bull /* "KUTMARK1" */
#define KUTRACE_MOST_LISTENERS 1000u

/* How marks reach a recorder, as bits. */
#define KUTRACE_BY_WRITE 1u /* write() to KUTRACE_WORD_FD or KUTRACE_ENTRY_FD */
#define KUTRACE_BY_CALL 2u  /* KUTRACE_SYSCALL */
/*
 * In buffers of the programs' own (mark_buffer.h): in `carriers` alone, and there only while every slot
 * says KUTRACE_READS_BUFFERS. A recorder that does not know of buffers sets `carriers` to what slots
 * say, which takes this off: from then on marks are written.
 */
#define KUTRACE_BY_BUFFER 4u
#define KUTRACE_READS_BUFFERS 16u

struct kutrace_listeners {
	uint64_t magic;
	uint32_t carriers; /* by any of these somebody hears; 0: nobody listens */
	uint32_t beat;     /* while somebody listens, another number in each 16th of a second */
	uint32_t reserved[20];
	uint32_t slots[KUTRACE_MOST_LISTENERS]; /* carriers of one recorder each; 0: free */
};

#endif
