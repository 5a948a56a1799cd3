/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * For a program that switches a recorder on and off. C11 and C++17, nothing to link.
 *
 *   kutrace control init           somebody makes a recorder ready, in the background
 *   ./program                      calls kutrace_on() where it gets interesting, and
 *                                  kutrace_stop("/tmp/slow.raw") where it was
 *
 * It speaks to the recorder of its own user: /run/kutrace-control.sock for root, else in
 * $XDG_RUNTIME_DIR. A recording that was switched off cannot be switched on again: write it with
 * kutrace_stop(), after which the recorder exits. Each call waits until the recorder has done it,
 * milliseconds to tenths of a second. All return 0, or -1: no recorder is there (errno ENOENT or
 * ECONNREFUSED), or it refused (EPROTO).
 */
#ifndef KUTRACE_RECORDER_H
#define KUTRACE_RECORDER_H

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A socket of the recorder; -1: there is none. */
static inline int kutrace_connect_(void)
{
	struct sockaddr_un address;
	const char *folder = geteuid() == 0 ? "/run" : getenv("XDG_RUNTIME_DIR");
	int fd, length, why;

	if (!folder) {
		errno = ENOENT;
		return -1;
	}
	memset(&address, 0, sizeof(address));
	address.sun_family = AF_UNIX;
	length = snprintf(address.sun_path, sizeof(address.sun_path), "%s/kutrace-control.sock", folder);
	if (length < 0 || (size_t)length >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
		why = errno;
		close(fd);
		errno = why;
		return -1;
	}
	return fd;
}

/* Its answer is lines; that of an error begins with '!', the last is a point. */
static inline int kutrace_read_answer_(int fd)
{
	char text[512];
	char last = '\n';
	int is_done = 0, is_refused = 0;
	ssize_t got, i;

	while ((got = read(fd, text, sizeof(text))) > 0 || (got < 0 && errno == EINTR))
		for (i = 0; i < got; i++) {
			is_refused |= last == '\n' && text[i] == '!';
			is_done |= last == '\n' && text[i] == '.';
			last = text[i];
		}
	return is_done && !is_refused;
}

/* One line to the recorder. */
static inline int kutrace_order(const char *order)
{
	const size_t length = strlen(order);
	const int fd = kutrace_connect_();
	int is_done;

	if (fd < 0)
		return -1;
	is_done = send(fd, order, length, MSG_NOSIGNAL) == (ssize_t)length &&
		  shutdown(fd, SHUT_WR) == 0 && kutrace_read_answer_(fd);
	close(fd);
	if (is_done)
		return 0;
	errno = EPROTO;
	return -1;
}

/* Starts recording. Refused where it records already, or was switched off. */
static inline int kutrace_on(void)
{
	return kutrace_order("on");
}

/* Ends the recording, and keeps it. */
static inline int kutrace_off(void)
{
	return kutrace_order("off");
}

/* Ends the recording if it goes on, and writes it to a file, which must be named from / on. */
static inline int kutrace_stop(const char *path)
{
	char order[4200];
	const int length = snprintf(order, sizeof(order), "dump 0 0 root %s", path);

	if (path[0] != '/' || strchr(path, '\n') || length < 0 || (size_t)length >= sizeof(order)) {
		errno = EINVAL;
		return -1;
	}
	return kutrace_order(order);
}

#ifdef __cplusplus
}
#endif

#endif
