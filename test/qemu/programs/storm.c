// SPDX-License-Identifier: BSD-3-Clause
/*
 * On each of two processors a process that does all that has a hook, over and over, until it is
 * killed: system calls, exceptions, faults, interrupts sent to the other, packets, new and renamed
 * threads, wakeups of the other, sleep.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { CALLS = 20, PAGES = 4, PAGE_BYTES = 4096, EXEC_EVERY = 8, SLEEP_US = 50 };

static void fail(const char *what)
{
	perror(what);
	_exit(1);
}

#if defined(__x86_64__)
#define BREAKPOINT "int3"
#define PAUSE "pause"
#define SKIP(context) ((void)(context))
#else
#define BREAKPOINT "brk #0"
#define PAUSE "yield"
#define SKIP(context) ((context)->uc_mcontext.pc += 4)
#endif

/* On from behind the breakpoint, to which arm64 returns otherwise. */
static void go_on(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	SKIP((ucontext_t *)context);
}

/* Lets the other of two processors that are emulated in turns go on. */
static void pause_here(void)
{
	__asm__ volatile(PAUSE);
}

static void exceptions_and_faults(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *pages = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (pages == MAP_FAILED)
		fail("mmap");
	for (int i = 0; i < PAGES; i++)
		((volatile char *)pages)[i * PAGE_BYTES] = 1;
	munmap(pages, PAGES * PAGE_BYTES);
	__asm__ volatile(BREAKPOINT);
}

static void system_calls(void)
{
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

/* To itself: sent and received on this processor. */
static void packets(int udp)
{
	char data[64] = "storm";

	if (send(udp, data, sizeof(data), 0) < 0 || recv(udp, data, sizeof(data), 0) < 0)
		fail("packet");
}

static int open_packets(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t bytes = sizeof(address);
	const int udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (udp < 0 || bind(udp, (struct sockaddr *)&address, bytes) != 0 ||
	    getsockname(udp, (struct sockaddr *)&address, &bytes) != 0 ||
	    connect(udp, (struct sockaddr *)&address, bytes) != 0)
		fail("socket");
	return udp;
}

/* This program again, which then has nothing to do. */
static void new_threads(void)
{
	const pid_t child = fork();

	if (child == 0) {
		execl("/proc/self/exe", "storm", "nothing", NULL);
		_exit(1);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child)
		fail("fork");
	prctl(PR_SET_NAME, "storm");
}

static void catch_breakpoint(void)
{
	const struct sigaction action = {.sa_sigaction = go_on, .sa_flags = SA_SIGINFO};

	sigaction(SIGTRAP, &action, NULL);
}

static void rage(int processor, int own, int others)
{
	const int udp = open_packets();
	cpu_set_t only;
	char byte = 0;

	CPU_ZERO(&only);
	CPU_SET(processor, &only);
	if (sched_setaffinity(0, sizeof(only), &only) != 0)
		fail("sched_setaffinity");
	catch_breakpoint();
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0);
	for (unsigned round = 0;; round++) {
		system_calls();
		pause_here();
		exceptions_and_faults();
		pause_here();
		packets(udp);
		pause_here();
		if (round % EXEC_EVERY == 0)
			new_threads();
		if (write(others, &byte, 1) != 1 || read(own, &byte, 1) != 1)
			_exit(0);
		usleep(SLEEP_US);
	}
}

int main(int argc, char **argv)
{
	int first[2], second[2];

	(void)argv;
	if (argc > 1)
		return 0;
	if (pipe2(first, O_CLOEXEC) != 0 || pipe2(second, O_CLOEXEC) != 0)
		fail("pipe");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	const pid_t child = fork();
	if (child < 0)
		fail("fork");
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		rage(1, second[0], first[1]);
	}
	rage(0, first[0], second[1]);
}
