/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A server and three clients on this machine. Every client asks 20 times and waits for each answer;
 * one request in ten is slow, not the same of all clients, for a reason of your choice:
 * rpc none|kernel|network|lock|disk
 *
 * kernel   the server's system call takes long
 * network  a relay between client and server holds the request back
 * lock     another thread of the server has the lock, and sleeps
 * disk     the server makes records safe on the disk
 *
 * The RPC's number is the same in client and server, so its row shows both ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

#define CLIENTS 3
#define REQUESTS 20
#define SLOW_EVERY 10
#define TABLE_LOCK 1u
#define SLOW_US 40000
#define RANDOM_BYTES (16 * MB)
#define RECORDS 32
#define RECORD_BYTES 4096u

enum plant { NONE, KERNEL, NETWORK, LOCK, DISK, PLANTS };
static const char *const names[PLANTS] = {"none", "kernel", "network", "lock", "disk"};

struct message {
	uint32_t rpc;
	uint32_t slow;
	char text[56];
};

static enum plant plant;
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

/* The connection is in order, so a message is there or the other end is gone. */
static int receive(int connection, struct message *message)
{
	return recv(connection, message, sizeof *message, MSG_WAITALL) == sizeof *message;
}

static void send_all(int connection, const struct message *message)
{
	if (send(connection, message, sizeof *message, MSG_NOSIGNAL) != sizeof *message)
		give_up("send");
}

static int listen_on_loopback(struct sockaddr_in *address)
{
	socklen_t length = sizeof *address;
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	memset(address, 0, sizeof *address);
	address->sin_family = AF_INET;
	address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (listener < 0 || bind(listener, (struct sockaddr *)address, length) != 0 ||
	    listen(listener, CLIENTS) != 0 || getsockname(listener, (struct sockaddr *)address, &length) != 0)
		give_up("listen");
	return listener;
}

static int connect_to(const struct sockaddr_in *address)
{
	int connection = socket(AF_INET, SOCK_STREAM, 0);

	if (connection < 0 || connect(connection, (const struct sockaddr *)address, sizeof *address) != 0)
		give_up("connect");
	return connection;
}

static void *hold_table(void *arg)
{
	(void)arg;
	pthread_setname_np(pthread_self(), "saver");
	pthread_mutex_lock(&table);
	kutrace_lock_acquired(TABLE_LOCK);
	sleep_us(SLOW_US);
	kutrace_lock_released(TABLE_LOCK);
	pthread_mutex_unlock(&table);
	return NULL;
}

static void lock_table(void)
{
	if (pthread_mutex_trylock(&table) != 0) {
		kutrace_lock_try(TABLE_LOCK);
		pthread_mutex_lock(&table);
	}
	kutrace_lock_acquired(TABLE_LOCK);
}

static void unlock_table(void)
{
	kutrace_lock_released(TABLE_LOCK);
	pthread_mutex_unlock(&table);
}

static void wait_in_kernel(void)
{
	char *bytes = need(malloc(RANDOM_BYTES));
	int file = open("/dev/urandom", O_RDONLY);

	if (file < 0 || read(file, bytes, RANDOM_BYTES) != RANDOM_BYTES)
		give_up("/dev/urandom");
	close(file);
	free(bytes);
}

static void make_safe(void)
{
	static const char record[RECORD_BYTES];
	int file = open(".", O_TMPFILE | O_RDWR, 0600);

	for (int i = 0; i < RECORDS; i++)
		if (write(file, record, sizeof record) != sizeof record || fsync(file) != 0)
			give_up("fsync");
	close(file);
}

static void work(const struct message *request)
{
	pthread_t saver;
	int held = request->slow && plant == LOCK;

	if (held) {
		pthread_create(&saver, NULL, hold_table, NULL);
		while (pthread_mutex_trylock(&table) == 0) {
			pthread_mutex_unlock(&table);
			sleep_us(100);
		}
	}
	lock_table();
	compute_us(50);
	unlock_table();
	if (held)
		pthread_join(saver, NULL);
	if (request->slow && plant == KERNEL)
		wait_in_kernel();
	if (request->slow && plant == DISK)
		make_safe();
}

static void *serve_one(void *arg)
{
	int connection = (int)(intptr_t)arg;
	struct message message;

	pthread_setname_np(pthread_self(), "server");
	while (receive(connection, &message)) {
		kutrace_rpc_request(message.rpc, sizeof message);
		work(&message);
		kutrace_rpc_response(message.rpc, sizeof message);
		send_all(connection, &message);
		kutrace_rpc_done();
	}
	close(connection);
	return NULL;
}

static void serve(int listener)
{
	pthread_t threads[CLIENTS];

	kutrace_name_lock(TABLE_LOCK, "table");
	for (int i = 0; i < CLIENTS; i++) {
		int connection = accept(listener, NULL, NULL);

		if (connection < 0)
			give_up("accept");
		pthread_create(&threads[i], NULL, serve_one, (void *)(intptr_t)connection);
	}
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(threads[i], NULL);
}

/* Hands messages on, between a client and the server, and holds slow requests back. */
static void relay(int listener, const struct sockaddr_in *server)
{
	int client = accept(listener, NULL, NULL);
	int on = connect_to(server);
	struct message message;

	pthread_setname_np(pthread_self(), "relay");
	while (receive(client, &message)) {
		if (message.slow)
			sleep_us(SLOW_US);
		send_all(on, &message);
		if (!receive(on, &message))
			give_up("relay");
		send_all(client, &message);
	}
}

/* A client with numbers of RPCs of its own. */
static void ask(const struct sockaddr_in *server, uint32_t number)
{
	int connection = connect_to(server);

	pthread_setname_np(pthread_self(), "client");
	for (uint32_t i = 0; i < REQUESTS; i++) {
		struct message message = {.rpc = number * 1000 + i,
					  .slow = (i + 3 * number) % SLOW_EVERY == 0};

		kutrace_name_method(message.rpc, message.slow ? "slow" : "get");
		kutrace_rpc_request(message.rpc, sizeof message);
		send_all(connection, &message);
		if (!receive(connection, &message))
			give_up("receive");
		kutrace_rpc_response(message.rpc, sizeof message);
		kutrace_rpc_done();
		sleep_us(1000);
	}
	close(connection);
}

static pid_t start(void)
{
	pid_t child = fork();

	if (child < 0)
		give_up("fork");
	return child;
}

int main(int count, char **words)
{
	struct sockaddr_in server, wire;
	int listener = listen_on_loopback(&server);
	pid_t children[2 * CLIENTS];
	int started = 0;

	while (plant < PLANTS && (count != 2 || strcmp(words[1], names[plant]) != 0))
		plant++;
	if (plant == PLANTS)
		return 2;
	for (uint32_t i = 1; i <= CLIENTS; i++) {
		int relays = plant == NETWORK ? listen_on_loopback(&wire) : -1;

		if (relays >= 0 && (children[started++] = start()) == 0) {
			relay(relays, &server);
			return 0;
		}
		if ((children[started++] = start()) == 0) {
			ask(relays >= 0 ? &wire : &server, i);
			return 0;
		}
	}
	serve(listener);
	for (int i = 0; i < started; i++)
		waitpid(children[i], NULL, 0);
	tell("requests", CLIENTS * REQUESTS);
	tell("slow", CLIENTS * (REQUESTS / SLOW_EVERY));
	return 0;
}
