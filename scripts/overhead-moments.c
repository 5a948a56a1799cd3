// SPDX-License-Identifier: BSD-3-Clause
// One kind of event over and over: overhead-moments.c KIND TIMES. Out: CPU time of an operation, of this
// process and its children, in ns.
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static void signals(long times)
{
	signal(SIGUSR1, SIG_IGN);
	while (times--)
		kill(getpid(), SIGUSR1);
}

static void processes(long times)
{
	while (times--) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	}
}

static void migrations(long times)
{
	cpu_set_t one;

	while (times--) {
		CPU_ZERO(&one);
		CPU_SET(times & 1, &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
}

/* Sixteen pages at a time, which are given back. */
static void faults(long times)
{
	char *memory = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long i;

	for (i = 0; i < times; i++) {
		if (i % 16 == 0)
			madvise(memory, 16 * 4096, MADV_DONTNEED);
		((volatile char *)memory)[i % 16 * 4096] = 1;
	}
}

static void timers(long times)
{
	struct timespec soon = {0, 1000};

	while (times--)
		nanosleep(&soon, NULL);
}

/* A byte to itself and back, by TCP. */
static void sockets(long times)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0), server;
	char byte = 0;

	if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &length) ||
	    connect(client, (struct sockaddr *)&address, length))
		exit(1);
	server = accept(listener, NULL, NULL);
	while (times--)
		if (send(client, &byte, 1, 0) != 1 || recv(server, &byte, 1, 0) != 1)
			exit(1);
}

static void *write_pages(void *times)
{
	static char page[65536];
	int file = open("overhead-moments.tmp", O_WRONLY);
	long i;

	for (i = 0; i < (long)times; i++)
		if (pwrite(file, page, sizeof(page), 0) != sizeof(page))
			exit(1);
	close(file);
	return NULL;
}

/* Two threads write the same pages of a file, whose lock the kernel gives to one at a time. */
static void locks(long times)
{
	int file = open("overhead-moments.tmp", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	pthread_t other;

	if (file < 0 || pthread_create(&other, NULL, write_pages, (void *)times))
		exit(1);
	write_pages((void *)times);
	pthread_join(other, NULL);
	unlink("overhead-moments.tmp");
	close(file);
}

/* What is written to a terminal reaches the other side by work of the kernel's. */
static void workqueue(long times)
{
	int near = posix_openpt(O_RDWR | O_NOCTTY), far;
	struct termios raw;
	char byte = 'x';

	if (near < 0 || grantpt(near) || unlockpt(near))
		exit(1);
	far = open(ptsname(near), O_RDWR | O_NOCTTY);
	if (far < 0 || tcgetattr(far, &raw))
		exit(1);
	cfmakeraw(&raw);
	tcsetattr(far, TCSANOW, &raw);
	while (times--)
		if (write(near, &byte, 1) != 1 || read(far, &byte, 1) != 1)
			exit(1);
}

/* A block to the disk that the working folder is on, and the wait until it is there. */
static void disk(long times)
{
	char page[4096] = {0};
	int file = open("overhead-moments.tmp", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	while (file >= 0 && times--)
		if (pwrite(file, page, sizeof(page), 0) != sizeof(page) || fdatasync(file))
			exit(1);
	unlink("overhead-moments.tmp");
	close(file);
}

static const struct {
	const char *name;
	void (*run)(long times);
} kinds[] = {{"signals", signals}, {"processes", processes}, {"migrations", migrations},
	     {"fault_addresses", faults}, {"pages", faults}, {"timers", timers}, {"sockets", sockets},
	     {"locks", locks}, {"workqueue", workqueue}, {"disk", disk}};

static double cpu_ns(void)
{
	struct timespec own;
	struct rusage children;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	return own.tv_sec * 1e9 + own.tv_nsec +
	       (children.ru_utime.tv_sec + children.ru_stime.tv_sec) * 1e9 +
	       (children.ru_utime.tv_usec + children.ru_stime.tv_usec) * 1e3;
}

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 3 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			long times = atol(argv[2]);
			double before = cpu_ns();

			kinds[i].run(times);
			fprintf(stderr, "ns_per_op %.1f\n", (cpu_ns() - before) / times);
			return 0;
		}
	return 2;
}
