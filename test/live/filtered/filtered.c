/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * filtered PROFILE: makes marks under a filter of system calls: filters that came with the program
 * ("kill" ...), and filters that it takes on by itself behind its first marks ("own ..."). Prints what
 * it did and whether errno was kept, and ends with 7. Whether somebody records must make no difference.
 */
#include <kutrace/mark.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LAST_CALL 460
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, action)

static const unsigned usual[] = {
	SYS_read, SYS_write, SYS_openat, SYS_close, SYS_fstat, SYS_newfstatat, SYS_mmap, SYS_mprotect,
	SYS_munmap, SYS_brk, SYS_pread64, SYS_faccessat, SYS_execve, SYS_exit, SYS_exit_group,
	SYS_rt_sigreturn, SYS_set_tid_address, SYS_set_robust_list, SYS_rseq, SYS_prlimit64,
	SYS_getrandom, SYS_futex, SYS_ioctl, SYS_prctl, SYS_seccomp, SYS_clock_gettime,
#ifdef __x86_64__
	SYS_access, SYS_arch_prctl,
#endif
};
static const unsigned few[] = {SYS_read, SYS_write, SYS_exit, SYS_exit_group, SYS_rt_sigreturn};

/* Lets these calls pass, or, without any, all that there are; the rest gets the answer. */
static void filter(const unsigned *passing, unsigned count, unsigned answer)
{
	struct sock_filter code[3 * COUNT(usual) + 8];
	struct sock_fprog program = {0, code};
	unsigned i, n = 0;

	code[n++] = (struct sock_filter)LOAD(nr);
	for (i = 0; i < count; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, passing[i], 0, 1);
		code[n++] = (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW);
	}
	if (!count) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST_CALL, 1, 0);
		code[n++] = (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW);
	}
	code[n++] = (struct sock_filter)ANSWER(answer);
	program.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("filter");
		exit(1);
	}
}

static const struct {
	const char *name;
	unsigned answer;
	int all;
} inherited[] = {
	{"kill", SECCOMP_RET_KILL_PROCESS, 0},
	{"thread", SECCOMP_RET_KILL_THREAD, 0},
	{"errno", SECCOMP_RET_ERRNO | EPERM, 0},
	{"log", SECCOMP_RET_LOG, 0},
	{"trap", SECCOMP_RET_TRAP, 0},
	{"trace", SECCOMP_RET_TRACE, 0},
	{"container", SECCOMP_RET_ERRNO | ENOSYS, 1},
	{"container-kill", SECCOMP_RET_KILL_PROCESS, 1},
};

static void say(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		_exit(1);
}

static void mark_all(const char *label)
{
	errno = 99;
	kutrace_mark_d(1);
	kutrace_mark(label);
	{
		KUTRACE_MARK_SCOPE("a scope with a long name");
		kutrace_name_lock(7, "table");
		kutrace_lock_try(7);
		kutrace_lock_acquired(7);
		kutrace_lock_released(7);
	}
	say(errno == 99 ? "errno kept\n" : "errno changed\n");
}

static void work(const char *profile)
{
	mark_all(profile);
	if (!strcmp(profile, "own")) {
		kutrace_filtered();
		filter(usual, COUNT(usual), SECCOMP_RET_KILL_PROCESS);
	} else if (!strcmp(profile, "own-few")) {
		kutrace_filtered();
		filter(few, COUNT(few), SECCOMP_RET_KILL_PROCESS);
	} else if (!strcmp(profile, "own-strict")) {
		kutrace_filtered();
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	} else {
		say("done\n");
		_exit(7);
	}
	mark_all("behind the filter");
	say("done\n");
	syscall(SYS_exit, 7);
}

int main(int count, char **words)
{
	unsigned i;

	if (count < 2)
		return 1;
	for (i = 0; count == 2 && i < COUNT(inherited); i++)
		if (!strcmp(words[1], inherited[i].name)) {
			filter(usual, inherited[i].all ? 0 : COUNT(usual), inherited[i].answer);
			execl(words[0], words[0], words[1], "again", (char *)NULL);
			perror(words[0]);
			return 1;
		}
	work(words[1]);
	return 1;
}
