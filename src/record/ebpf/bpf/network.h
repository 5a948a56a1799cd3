/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * TCP and UDP packets as they come from or go to a device: KUtrace's hash, the exclusive or of the
 * first eight 4-byte words of the payload, so that both ends of a message can be matched.
 *
 * A packet's bytes may lie in several pieces. Since 6.12 the kernel reads them for us; before, the
 * headers and a payload in the first piece or the first page behind it are found by hand.
 */
#ifndef KUTRACE_DEVICE_NETWORK_H
#define KUTRACE_DEVICE_NETWORK_H

#include "hook.h"
#include "put.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>

#define HASHED_BYTES 32
#define PAGE_SHIFT 12
#define STRUCT_PAGE_BYTES 64
#define PROTOCOL_IPV4 0x0800
#define PROTOCOL_IPV6 0x86dd
#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17
/* Headers between that of IPv6 and that of the transport. */
#define IPV6_HOP_BY_HOP 0
#define IPV6_ROUTING 43
#define IPV6_FRAGMENT 44
#define IPV6_DESTINATION 60
#define MOST_IPV6_HEADERS 4

extern int bpf_dynptr_from_skb(struct sk_buff *skb, u64 flags, struct bpf_dynptr *bytes) __ksym __weak;

struct headers {
	u32 payload_offset; /* from skb->head */
	u32 payload_length;
};

struct packet {
	const struct sk_buff *skb;
	const struct bpf_dynptr *whole; /* all its bytes, or null */
	u32 network;			/* the IP header, from skb->head */
};

/* What follows a header of IPv6, and where from skb->head. */
struct next_header {
	u32 protocol;
	u32 offset;
};

static __always_inline int read_kernel(void *to, u32 bytes, u64 from)
{
	return bpf_probe_read_kernel(to, bytes, (void *)from);
}

/* `offset` counts from skb->head, as the kernel's header offsets do. */
static __always_inline int read_packet(const struct packet *packet, void *to, u32 bytes, u32 offset)
{
	u64 head = (u64)packet->skb->head;

	if (packet->whole)
		return bpf_dynptr_read(to, bytes, packet->whole,
				       offset - (u32)((u64)packet->skb->data - head), 0);
	return read_kernel(to, bytes, head + offset);
}

/* Passes over headers between. Returns 0 if none follows, as in all fragments but the first. */
static __always_inline int skip_ipv6_headers(const struct packet *packet, struct next_header *next)
{
	u8 header[8];

#pragma clang loop unroll(full)
	for (int i = 0; i < MOST_IPV6_HEADERS; i++) {
		u32 protocol = next->protocol;

		if (protocol != IPV6_HOP_BY_HOP && protocol != IPV6_ROUTING &&
		    protocol != IPV6_FRAGMENT && protocol != IPV6_DESTINATION)
			return 1;
		if (read_packet(packet, header, sizeof(header), next->offset))
			return 0;
		next->protocol = header[0];
		next->offset += protocol == IPV6_FRAGMENT ? 8 : (header[1] + 1) * 8;
		if (protocol == IPV6_FRAGMENT && (header[2] || header[3] & 0xf8))
			return 0;
	}
	return 1;
}

/* Finds the payload behind the IP and TCP or UDP headers. Returns 0 if there is none. */
static __always_inline int find_payload(const struct packet *packet, struct headers *out)
{
	const struct sk_buff *skb = packet->skb;
	u8 ip[40] = {}, transport[16] = {};
	struct next_header next;
	u32 end = 0, header_bytes; /* end: of the packet, from skb->head; 0: not told */

	if (skb->protocol == bpf_htons(PROTOCOL_IPV4)) {
		u32 length;

		if (read_packet(packet, ip, 20, packet->network))
			return 0;
		length = ip[2] << 8 | ip[3];
		next.protocol = ip[9];
		next.offset = packet->network + (ip[0] & 15) * 4;
		end = length ? packet->network + length : 0;
		if ((ip[6] & 0x1f) || ip[7]) /* a later fragment has no transport header */
			return 0;
	} else if (skb->protocol == bpf_htons(PROTOCOL_IPV6)) {
		u32 length;

		if (read_packet(packet, ip, 40, packet->network))
			return 0;
		length = ip[4] << 8 | ip[5];
		next.protocol = ip[6];
		next.offset = packet->network + 40;
		end = length ? next.offset + length : 0;
		if (!skip_ipv6_headers(packet, &next))
			return 0;
	} else {
		return 0;
	}
	if (read_packet(packet, transport, 16, next.offset))
		return 0;
	if (next.protocol == PROTOCOL_TCP)
		header_bytes = (transport[12] >> 4) * 4;
	else if (next.protocol == PROTOCOL_UDP)
		header_bytes = 8;
	else
		return 0;
	out->payload_offset = next.offset + header_bytes;
	/* A length field of 0 means more than 64 KiB, still to be cut up by the device. */
	out->payload_length = end ? end - out->payload_offset : HASHED_BYTES;
	return 1;
}

/* Reads the payload's first bytes from its first fragment of memory. */
static __always_inline int read_fragment(const struct sk_buff *skb, u8 *to)
{
	struct packet_fragment fragment;
	u64 direct_map = 0, page_map = 0;
	u64 info = (u64)skb->head + skb->end;

	if (!settings.direct_map || !settings.page_map)
		return -1;
	if (read_kernel(&direct_map, 8, settings.direct_map) ||
	    read_kernel(&page_map, 8, settings.page_map) ||
	    read_kernel(&fragment, sizeof(fragment), info + bpf_core_field_offset(struct skb_shared_info, frags)))
		return -1;
	if ((fragment.page & 1) || fragment.length < HASHED_BYTES) /* 1: not ordinary memory */
		return -1;
	return read_kernel(to, HASHED_BYTES,
			   direct_map +
				   ((fragment.page - page_map) / STRUCT_PAGE_BYTES << PAGE_SHIFT) +
				   fragment.offset);
}

/* By hand: from the first piece, or, if the payload begins behind it, from the first page. */
static __always_inline int read_pieces(const struct sk_buff *skb, void *to, u32 offset)
{
	u64 linear_end = (u64)skb->data - (u64)skb->head + skb->len - skb->data_len;

	if (offset + HASHED_BYTES <= linear_end)
		return read_kernel(to, HASHED_BYTES, (u64)skb->head + offset);
	return offset == linear_end ? read_fragment(skb, to) : -1;
}

static __always_inline void put_packet(const struct packet *packet, u32 event)
{
	struct headers found;
	u32 words[HASHED_BYTES / 4] = {};
	u32 hash = 0, sum = settings.packet_sum;

	if (!find_payload(packet, &found) || (int)found.payload_length < HASHED_BYTES)
		return;
	if (packet->whole ? read_packet(packet, words, HASHED_BYTES, found.payload_offset)
			  : read_pieces(packet->skb, words, found.payload_offset)) {
		__sync_fetch_and_add(&shared.misses.packets_unhashed, 1);
		return;
	}
#pragma clang loop unroll(full)
	for (int i = 0; i < KUTRACE_PACKET_WORDS; i++)
		sum ^= words[i] & settings.packet_mask[i];
	if (sum)
		return;
#pragma clang loop unroll(full)
	for (int i = 0; i < HASHED_BYTES / 4; i++)
		hash ^= words[i];
	put(event, hash);
}

static __always_inline void put_whole_packet(struct sk_buff *skb, u32 network, u32 event)
{
	struct bpf_dynptr bytes;
	const struct packet packet = {skb, &bytes, network};

	if (bpf_dynptr_from_skb(skb, 0, &bytes))
		__sync_fetch_and_add(&shared.misses.packets_unhashed, 1);
	else
		put_packet(&packet, event);
}

/* Where the IP header of a packet that was received is: not every driver says so before. */
static __always_inline u32 received_network(const struct sk_buff *skb)
{
	return (u32)((u64)skb->data - (u64)skb->head);
}

HOOK(netif_receive_skb, struct sk_buff *skb)
{
	const struct packet packet = {skb, 0, received_network(skb)};

	put_packet(&packet, KUTRACE_RX_PACKET);
	return 0;
}

HOOK(net_dev_start_xmit, const struct sk_buff *skb)
{
	const struct packet packet = {skb, 0, skb->network_header};

	put_packet(&packet, KUTRACE_TX_PACKET);
	return 0;
}

HOOK_AT(netif_receive_skb, whole_netif_receive_skb, struct sk_buff *skb)
{
	put_whole_packet(skb, received_network(skb), KUTRACE_RX_PACKET);
	return 0;
}

HOOK_AT(net_dev_start_xmit, whole_net_dev_start_xmit, struct sk_buff *skb)
{
	put_whole_packet(skb, skb->network_header, KUTRACE_TX_PACKET);
	return 0;
}

#endif
