// SPDX-License-Identifier: BSD-3-Clause
// Opens what a file names, from a page that this program has not looked at: a recorder that does not wait for memory
// cannot read that path when the call begins. The path is of a FIFO, so the call lasts until somebody writes to it.
// In: the file; then, by that FIFO, a byte when two others may be opened, whose paths are at hand. Out: nothing.
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static long open_path(const char *path)
{
	return syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
}

int main(int argc, char **argv)
{
	int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	const char *named = file < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
	char second[] = "/held/second", third[] = "/held/third"; /* on the stack, which is there */
	char word;
	long held;

	if (named == MAP_FAILED) {
		fprintf(stderr, "usage: kutrace-held FILE\n");
		return 2;
	}
	held = open_path(named);
	if (held < 0 || read((int)held, &word, 1) != 1)
		return 1;
	open_path(second);
	open_path(third);
	return 0;
}
