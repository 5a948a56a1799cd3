// SPDX-License-Identifier: BSD-3-Clause
/*
 * The smallest recorder: kutrace-tiny FILE [ipc] drives /dev/kutrace by ioctl and mmap, does things that
 * can be counted, and writes what was recorded as a raw trace, with instructions per cycle if asked for. Runs where the program itself is not built;
 * prints what it did as key=value lines.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kutrace/control.h"
#define KUTRACE_MARK_BY_CALL
#include "kutrace/mark.h"

enum { BLOCKS = 256, CALLS = 5000, PAGES = 300, PAGE = 4096, HEADER = 12, TAG = 0x4b55 };

static int fd;
static uint64_t flags = KUTRACE_FORMAT_VERSION; /* of block 0 */

static void command(unsigned long number, void *argument)
{
	if (ioctl(fd, number, argument) < 0) {
		perror("kutrace-tiny");
		exit(1);
	}
}

static void do_countable_things(void)
{
	char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	madvise(pages, PAGES * PAGE, MADV_NOHUGEPAGE);
	kutrace_mark_a("calls");
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid, TAG);
	kutrace_mark_a("/calls");
	kutrace_mark_b("fault");
	for (int i = 0; i < PAGES; i++)
		pages[i * PAGE] = 1;
	kutrace_mark_b("/fault");
}

static uint64_t usec_of(const struct kutrace_clocks *clocks) { return clocks->real_ns / 1000; }

/* The trailer follows, if the trace has them. */
static void write_block(FILE *file, const uint64_t *words, const void *trailer)
{
	const size_t bytes = flags & KUTRACE_FLAG_IPC ? KUTRACE_TRAILER_BYTES : 0;

	if (fwrite(words, KUTRACE_BLOCK_BYTES, 1, file) != 1 ||
	    fwrite(trailer, 1, bytes, file) != bytes) {
		perror("kutrace-tiny");
		exit(1);
	}
}

/* Nothing but the two pairs of counter and wall clock. */
static void write_front(FILE *file, const struct kutrace_clocks *start,
			const struct kutrace_clocks *stop)
{
	static uint64_t words[KUTRACE_BLOCK_WORDS], nothing[KUTRACE_TRAILER_BYTES / 8];

	words[0] = words[2] = start->counter;
	words[3] = usec_of(start);
	words[1] = words[3] | flags << KUTRACE_TOP_BYTE_SHIFT;
	words[4] = stop->counter;
	words[5] = usec_of(stop);
	write_block(file, words, nothing);
}

/* A recorded block, with the wall clock that its header lacks. */
static void write_recorded(FILE *file, const uint64_t *buffer, uint32_t index,
			   const struct kutrace_clocks *start, const struct kutrace_clocks *stop)
{
	const uint64_t *recorded = buffer + (size_t)index * KUTRACE_BLOCK_WORDS;
	const uint8_t *trailers = (const uint8_t *)(buffer + (size_t)BLOCKS * KUTRACE_BLOCK_WORDS);
	const double rate = (double)(usec_of(stop) - usec_of(start)) /
			    (double)(stop->counter - start->counter);
	const uint64_t base = recorded[0] & ((1ull << KUTRACE_TOP_BYTE_SHIFT) - 1);
	uint64_t words[KUTRACE_BLOCK_WORDS];

	for (unsigned i = 0; i < KUTRACE_BLOCK_WORDS; i++)
		words[i] = recorded[i];
	words[1] |= usec_of(start) + (uint64_t)((double)(base - start->counter) * rate);
	words[1] |= (flags & KUTRACE_FLAG_IPC) << KUTRACE_TOP_BYTE_SHIFT;
	write_block(file, words, trailers + (size_t)index * KUTRACE_TRAILER_BYTES);
}

int main(int count, char **arguments)
{
	static struct kutrace_block_info infos[BLOCKS];
	struct kutrace_config config = {.mode = KUTRACE_MODE_FILL, .blocks = BLOCKS,
					.groups = KUTRACE_GROUPS_ALL & ~KUTRACE_GROUP_SAMPLES};
	struct kutrace_take take = {.address = (uintptr_t)infos, .capacity = BLOCKS};
	uint32_t lifetime = KUTRACE_ON_ATTACHED;
	struct kutrace_clocks start, stop;
	const uint64_t *buffer;
	size_t blocks = BLOCKS;
	FILE *file;

	fd = open(KUTRACE_DEVICE, O_RDWR);
	if (count < 2 || fd < 0)
		return 1;
	if (count > 2) {
		config.flags = KUTRACE_CONFIG_IPC;
		flags |= KUTRACE_FLAG_IPC;
		blocks += KUTRACE_TRAILER_BLOCKS(BLOCKS);
	}
	command(KUTRACE_IOC_CONFIGURE, &config);
	buffer = mmap(NULL, blocks * KUTRACE_BLOCK_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	file = fopen(arguments[1], "w");
	if (buffer == MAP_FAILED || !file)
		return 1;
	command(KUTRACE_IOC_CLOCKS, &start);
	command(KUTRACE_IOC_ON, &lifetime);
	do_countable_things();
	command(KUTRACE_IOC_OFF, NULL);
	command(KUTRACE_IOC_CLOCKS, &stop);
	command(KUTRACE_IOC_TAKE, &take);
	write_front(file, &start, &stop);
	for (uint32_t i = 0; i < take.count; i++)
		write_recorded(file, buffer, infos[i].index, &start, &stop);
	if (fclose(file) != 0)
		return 1;
	printf("calls=%d\npages=%d\ntag=%d\nfault=%u\n/fault=%u\n", CALLS, PAGES, TAG,
	       kutrace_label("fault"), kutrace_label("/fault"));
	return 0;
}
