/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A server of which one request in a hundred is slow: requests add to a table under a lock, and a
 * second thread, every 50 ms, writes the table to disk under the same lock.
 */
#include <fcntl.h>
#include <kutrace/mark.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char table[1 << 23];

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

static void *save(void *arg)
{
	(void)arg;
	for (int i = 0; i < 20; i++) {
		int fd = open("table.tmp", O_WRONLY | O_CREAT | O_TRUNC, 0600);

		pthread_mutex_lock(&lock);
		if (write(fd, table, sizeof table) < 0 || fsync(fd) < 0)
			perror("table.tmp");
		pthread_mutex_unlock(&lock);
		close(fd);
		pause_ms(50);
	}
	return NULL;
}

int main(void)
{
	pthread_t saver;
	struct timespec begin, end;

	pthread_create(&saver, NULL, save, NULL);
	for (int i = 0; i < 800; i++) {
		clock_gettime(CLOCK_MONOTONIC, &begin);
		kutrace_mark_a("reqst");
		pthread_mutex_lock(&lock);
		table[i * 997 % sizeof table]++;
		pthread_mutex_unlock(&lock);
		kutrace_mark_a("/reqst");
		clock_gettime(CLOCK_MONOTONIC, &end);
		if ((end.tv_sec - begin.tv_sec) * 1000000000L + end.tv_nsec - begin.tv_nsec > 1000000)
			kutrace_mark_b("slow");
		pause_ms(1);
	}
	pthread_join(saver, NULL);
	unlink("table.tmp");
	return 0;
}
