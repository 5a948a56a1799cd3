/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses up one thing, for a moment, between marks of its name: hog cpu|memory|cache|disk|paging
 *
 * cpu     computes
 * memory  touches pages that it never had
 * cache   reads more memory than the caches hold, in an order that nothing foretells
 * disk    writes, and waits until it is written
 * paging  reads a mapped file whose pages were dropped
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lab.h"

#define PAGE 4096u
#define PAGES 8192u
#define CACHE_BYTES (64u * MB)
#define LINE 64u
#define READS 2000000u
#define SYNCS 20

static volatile char sink;

static int temporary_file(void)
{
	int file = open(".", O_TMPFILE | O_RDWR, 0600);

	if (file < 0)
		give_up("open");
	return file;
}

static void cpu(void)
{
	compute_us(300000);
	tell("ms", 300);
}

static void memory(void)
{
	char *region = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (region == MAP_FAILED)
		give_up("mmap");
	madvise(region, PAGES * PAGE, MADV_NOHUGEPAGE);
	for (uint32_t i = 0; i < PAGES; i++)
		region[i * PAGE] = 1;
	tell("pages", PAGES);
}

static char *cached;

/* Its pages are there before, as to be given one takes longer than to read it. */
static void prepare_cache(void)
{
	cached = need(malloc(CACHE_BYTES));
	memset(cached, 1, CACHE_BYTES);
}

static void cache(void)
{
	uint32_t at = 1;

	for (uint32_t i = 0; i < READS; i++) {
		at = at * 1664525u + 1013904223u;
		sink = cached[at % (CACHE_BYTES / LINE) * LINE];
	}
	tell("reads", READS);
}

static void disk(void)
{
	char *bytes = need(calloc(1, MB));
	int file = temporary_file();

	for (int i = 0; i < SYNCS; i++)
		if (write(file, bytes, MB) != MB || fdatasync(file) != 0)
			give_up("fdatasync");
	tell("syncs", SYNCS);
}

static void paging(void)
{
	char *bytes = need(calloc(1, MB));
	int file = temporary_file();
	const char *region;

	for (uint32_t i = 0; i < PAGES * PAGE / MB; i++)
		if (write(file, bytes, MB) != MB)
			give_up("write");
	if (fsync(file) != 0 || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) != 0)
		give_up("fsync");
	region = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_SHARED, file, 0);
	if (region == MAP_FAILED)
		give_up("mmap");
	madvise((void *)(uintptr_t)region, PAGES * PAGE, MADV_RANDOM);
	for (uint32_t i = 0; i < PAGES; i += 16)
		sink = region[i * PAGE];
	tell("pages", PAGES / 16);
}

int main(int count, char **words)
{
	static const struct {
		const char *name, *label;
		void (*use)(void), (*prepare)(void);
	} hogs[] = {{"cpu", "cpu", cpu, NULL}, {"memory", "mem", memory, NULL},
		    {"cache", "cache", cache, prepare_cache}, {"disk", "disk", disk, NULL},
		    {"paging", "page", paging, NULL}};

	for (size_t i = 0; i < sizeof hogs / sizeof *hogs && count == 2; i++) {
		if (strcmp(words[1], hogs[i].name) == 0) {
			if (hogs[i].prepare)
				hogs[i].prepare();
			KUTRACE_MARK_SCOPE(hogs[i].label);
			hogs[i].use();
			return 0;
		}
	}
	return 2;
}
