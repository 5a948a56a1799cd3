/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 40 MB written, synced, read back without the cache in pieces of 1 MB, through the cache in pieces
 * of 4 KB, and by two processes at once. Each part stands between marks. disk FILE
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

#define PIECES 40
#define PAGE 4096u

static void write_file(const char *path, char *buffer)
{
	int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	if (file < 0)
		give_up(path);
	{
		KUTRACE_MARK_SCOPE("write");
		for (int i = 0; i < PIECES; i++)
			if (write(file, buffer, MB) != MB)
				give_up("write");
	}
	{
		KUTRACE_MARK_SCOPE("sync");
		if (fsync(file) != 0)
			give_up("fsync");
	}
	close(file);
}

/* Reads the whole file in pieces; returns how many calls read something. */
static long read_file(const char *path, int flags, char *buffer, size_t piece)
{
	int file = open(path, O_RDONLY | flags);
	long calls = 0;
	ssize_t got;

	if (file < 0)
		return 0;
	posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	while ((got = read(file, buffer, piece)) > 0)
		calls++;
	if (got < 0)
		give_up("read");
	close(file);
	return calls;
}

/* Until the other one is here, too. */
static void meet(int other)
{
	char here = 1;

	if (write(other, &here, 1) != 1 || read(other, &here, 1) != 1)
		give_up("meet");
}

static void read_twice(const char *path, char *buffer)
{
	pid_t children[2];
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		give_up("socketpair");
	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		if (children[i] < 0)
			give_up("fork");
		if (children[i] == 0) {
			{
				KUTRACE_MARK_SCOPE("twice");
				meet(ends[i]);
				read_file(path, 0, buffer, MB);
			}
			_exit(0);
		}
	}
	for (int i = 0; i < 2; i++)
		waitpid(children[i], NULL, 0);
}

int main(int count, char **words)
{
	char *buffer = need(aligned_alloc(PAGE, MB));

	if (count != 2)
		return 2;
	memset(buffer, 'x', MB);
	write_file(words[1], buffer);
	tell("written", (long)PIECES * MB);
	{
		KUTRACE_MARK_SCOPE("drct");
		tell("direct", read_file(words[1], O_DIRECT, buffer, MB));
	}
	{
		KUTRACE_MARK_SCOPE("small");
		tell("pieces", read_file(words[1], 0, buffer, PAGE));
	}
	read_twice(words[1], buffer);
	unlink(words[1]);
	return 0;
}
