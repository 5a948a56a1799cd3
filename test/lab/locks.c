/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Four threads and one lock. good: each works outside of it and holds it for a moment; bad: each
 * works while it holds it. The work is the same. locks good|bad
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "lab.h"

#define THREADS 4
#define TURNS 50
#define WORK_US 400
#define UPDATE_US 2
#define COUNTER_LOCK 1u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t begin;
static int bad;
static long counter;

static void take(void)
{
	if (pthread_mutex_trylock(&lock) != 0) {
		kutrace_lock_try(COUNTER_LOCK);
		pthread_mutex_lock(&lock);
	}
	kutrace_lock_acquired(COUNTER_LOCK);
}

static void give_back(void)
{
	kutrace_lock_released(COUNTER_LOCK);
	pthread_mutex_unlock(&lock);
}

static void *turns(void *arg)
{
	(void)arg;
	pthread_setname_np(pthread_self(), "turns");
	pthread_barrier_wait(&begin);
	for (int i = 0; i < TURNS; i++) {
		if (!bad)
			compute_us(WORK_US);
		take();
		if (bad)
			compute_us(WORK_US);
		compute_us(UPDATE_US);
		counter++;
		give_back();
	}
	return NULL;
}

int main(int count, char **words)
{
	pthread_t threads[THREADS];

	if (count != 2)
		return 2;
	bad = strcmp(words[1], "bad") == 0;
	kutrace_name_lock(COUNTER_LOCK, "counter");
	pthread_barrier_init(&begin, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, turns, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	tell("counter", counter);
	return 0;
}
