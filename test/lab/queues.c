/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread takes 60 requests in and puts each into one of two queues; each queue has one worker. The
 * queue "slow" gets every third request, and its worker takes ten times as long.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>

#include "lab.h"

#define REQUESTS 60
#define SHORT_US 500
#define LONG_US 5000
#define ARRIVAL_US 700

struct queue {
	uint32_t number;
	long work_us;
	sem_t filled;
	uint32_t requests[REQUESTS + 1];
	int64_t since[REQUESTS];
	int in, out;
	int64_t queued_ns;
};

static struct queue queues[2] = {{.number = 1, .work_us = SHORT_US}, {.number = 2, .work_us = LONG_US}};

static void put(struct queue *queue, uint32_t rpc)
{
	kutrace_name_method(rpc, queue->number == 2 ? "long" : "short");
	kutrace_rpc_request(rpc, 100);
	compute_us(20);
	kutrace_enqueue(queue->number);
	kutrace_rpc_done();
	queue->since[queue->in] = now_ns();
	queue->requests[queue->in++] = rpc;
	sem_post(&queue->filled);
}

static void *work(void *arg)
{
	struct queue *queue = arg;
	uint32_t rpc;

	pthread_setname_np(pthread_self(), "worker");
	for (;;) {
		while (sem_wait(&queue->filled) != 0)
			;
		rpc = queue->requests[queue->out];
		if (rpc == 0)
			return NULL;
		kutrace_dequeue(queue->number);
		queue->queued_ns += now_ns() - queue->since[queue->out++];
		kutrace_rpc_middle(rpc);
		compute_us(queue->work_us);
		kutrace_rpc_response(rpc, 100);
		kutrace_rpc_done();
	}
}

int main(void)
{
	pthread_t workers[2];

	kutrace_name_queue(1, "quick");
	kutrace_name_queue(2, "slow");
	for (int i = 0; i < 2; i++) {
		sem_init(&queues[i].filled, 0, 0);
		pthread_create(&workers[i], NULL, work, &queues[i]);
	}
	for (uint32_t rpc = 1; rpc <= REQUESTS; rpc++) {
		put(&queues[rpc % 3 == 0], rpc);
		sleep_us(ARRIVAL_US);
	}
	for (int i = 0; i < 2; i++)
		sem_post(&queues[i].filled);
	for (int i = 0; i < 2; i++)
		pthread_join(workers[i], NULL);
	tell("quick", queues[0].in);
	tell("slow", queues[1].in);
	tell("quick_ns", queues[0].queued_ns);
	tell("slow_ns", queues[1].queued_ns);
	return 0;
}
