// SPDX-License-Identifier: BSD-3-Clause
/*
 * A client and its server, on two machines, one request after the other as RPCs:
 * kutrace-talk serve PORT, kutrace-talk ask ADDRESS PORT REQUESTS. No two messages are alike. The server
 * ends with its client.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "kutrace/mark.h"

enum { BYTES = 64, FIRST_RPC = 100 };

struct message {
	uint32_t rpc;
	uint32_t seed;
	uint8_t rest[BYTES - 8];
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void fill(struct message *message, uint32_t rpc, uint32_t seed)
{
	message->rpc = rpc;
	message->seed = seed;
	for (size_t i = 0; i < sizeof(message->rest); i++)
		message->rest[i] = (uint8_t)(seed = seed * 1103515245u + 12345u);
}

static int receive(int connection, struct message *message)
{
	return recv(connection, message, sizeof(*message), MSG_WAITALL) == sizeof(*message);
}

static void transmit(int connection, const struct message *message)
{
	if (send(connection, message, sizeof(*message), 0) != sizeof(*message))
		fail("send");
}

static struct sockaddr_in place(const char *address, const char *port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};

	if (inet_pton(AF_INET, address, &to.sin_addr) != 1)
		fail(address);
	return to;
}

static void serve(const char *port)
{
	struct sockaddr_in own = place("0.0.0.0", port);
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1, connection;
	struct message message;

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, (struct sockaddr *)&own, sizeof(own)) || listen(listener, 1))
		fail("listen");
	connection = accept(listener, NULL, NULL);
	if (connection < 0)
		fail("accept");
	setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	while (receive(connection, &message)) {
		kutrace_rpc_request(message.rpc, sizeof(message));
		fill(&message, message.rpc, ~message.seed);
		kutrace_rpc_response(message.rpc, sizeof(message));
		transmit(connection, &message);
		kutrace_rpc_done();
	}
}

static void ask(const char *address, const char *port, uint32_t requests)
{
	struct sockaddr_in to = place(address, port);
	struct timespec pause = {.tv_nsec = 10000000};
	int connection = -1, one = 1;
	struct message message;

	for (int tries = 0; tries < 3000; tries++) { /* the other machine may still be starting */
		connection = socket(AF_INET, SOCK_STREAM, 0);
		if (!connect(connection, (struct sockaddr *)&to, sizeof(to)))
			break;
		close(connection);
		connection = -1;
		nanosleep(&pause, NULL);
	}
	if (connection < 0)
		fail("connect");
	setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	for (uint32_t i = 0; i < requests; i++) {
		fill(&message, FIRST_RPC + i, (uint32_t)time(NULL) ^ i << 16);
		kutrace_name_method(message.rpc, "echo");
		kutrace_rpc_request(message.rpc, sizeof(message));
		transmit(connection, &message);
		if (!receive(connection, &message))
			fail("receive");
		kutrace_rpc_response(message.rpc, sizeof(message));
		kutrace_rpc_done();
		nanosleep(&pause, NULL);
	}
	close(connection);
}

int main(int argc, char **argv)
{
	kutrace_look();
	if (argc == 3 && !strcmp(argv[1], "serve"))
		serve(argv[2]);
	else if (argc == 5 && !strcmp(argv[1], "ask"))
		ask(argv[2], argv[3], (uint32_t)atoi(argv[4]));
	else
		return 2;
	return 0;
}
