// SPDX-License-Identifier: GPL-2.0-only
/*
 * TCP and UDP packets as they come from or go to a device: KUtrace's hash, the exclusive or of the
 * first eight 4-byte words of the payload, so that both ends of a message can be matched. The
 * payload is read wherever it lies, by the kernel's own functions for fragments.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <trace/events/net.h>

#include "direct.h"
#include "events.h"
#include "put.h"

#define HASHED_BYTES 32
#define FILTERED_BYTES 24

/* Behind headers between; negative: a later fragment, or a packet that is cut off. */
static int skip_ipv6_headers(const struct sk_buff *skb, int offset, u8 *protocol)
{
	__be16 fragment = 0;

	offset = ipv6_skip_exthdr(skb, offset, protocol, &fragment);
	return fragment & htons(IP6_OFFSET) ? -1 : offset;
}

/* Where the transport header is, from skb->data; negative: no TCP or UDP, or a later fragment. */
static int find_transport(const struct sk_buff *skb, int network, u8 *protocol)
{
	if (skb->protocol == htons(ETH_P_IP)) {
		struct iphdr buffer;
		const struct iphdr *ip = skb_header_pointer(skb, network, sizeof(buffer), &buffer);

		if (!ip || ip->ihl < 5 || ip->frag_off & htons(IP_OFFSET))
			return -1;
		*protocol = ip->protocol;
		return network + ip->ihl * 4;
	}
	if (skb->protocol == htons(ETH_P_IPV6)) {
		struct ipv6hdr buffer;
		const struct ipv6hdr *ip =
			skb_header_pointer(skb, network, sizeof(buffer), &buffer);

		if (!ip)
			return -1;
		*protocol = ip->nexthdr;
		return skip_ipv6_headers(skb, network + sizeof(buffer), protocol);
	}
	return -1;
}

/* Where the payload is, from skb->data; negative: there is none. */
static int find_payload(const struct sk_buff *skb, int network)
{
	u8 protocol = 0;
	int transport = find_transport(skb, network, &protocol);

	if (transport < 0)
		return -1;
	if (protocol == IPPROTO_UDP)
		return transport + sizeof(struct udphdr);
	if (protocol == IPPROTO_TCP) {
		struct tcphdr buffer;
		const struct tcphdr *tcp =
			skb_header_pointer(skb, transport, sizeof(buffer), &buffer);

		return tcp ? transport + tcp->doff * 4 : -1;
	}
	return -1;
}

/* KUtrace's filter: the masked first 24 bytes, folded, are what they should be. */
static bool passes_filter(const u64 *payload)
{
	u64 sum = kutrace_settings.packet_init;
	int i;

	for (i = 0; i < FILTERED_BYTES / 8; i++)
		sum ^= payload[i] & kutrace_settings.packet_mask[i];
	return !(u32)(sum ^ sum >> 32);
}

static void put_payload(const struct sk_buff *skb, int offset, u32 event)
{
	u64 payload[HASHED_BYTES / 8];
	u64 hash = 0;
	int i;

	if (offset < 0 || (int)skb->len - offset < HASHED_BYTES)
		return;
	if (skb_copy_bits(skb, offset, payload, HASHED_BYTES)) {
		atomic64_inc(&kutrace_misses.packets_unhashed);
		return;
	}
	if (!passes_filter(payload))
		return;
	for (i = 0; i < HASHED_BYTES / 8; i++)
		hash ^= payload[i];
	kutrace_put(event, (u32)(hash ^ hash >> 32));
}

/* `network`: where the IP header is, from skb->data. */
static void put_packet(const struct sk_buff *skb, int network, u32 event)
{
	put_payload(skb, find_payload(skb, network), event);
}

#if KUTRACE_IS_PATCHED
void kutrace_direct_packet(u32 event, const struct sk_buff *skb, int offset)
{
	put_payload(skb, offset, event);
}
#endif

static __always_inline void on_receive(void *data, struct sk_buff *skb)
{
	/* There; not every driver says so before. */
	put_packet(skb, 0, KUTRACE_RX_PACKET);
}

KUTRACE_PROBE(on_receive, (struct sk_buff *skb), (skb))

static __always_inline void on_send(void *data, const struct sk_buff *skb,
				    const struct net_device *device)
{
	put_packet(skb, skb_network_offset(skb), KUTRACE_TX_PACKET);
}

KUTRACE_PROBE(on_send, (const struct sk_buff *skb, const struct net_device *device), (skb, device))

/* The mask has one bit per byte. */
void kutrace_set_packet_filter(u32 mask, u32 match)
{
	int byte;

	memset(kutrace_settings.packet_mask, 0, sizeof(kutrace_settings.packet_mask));
	kutrace_settings.packet_init = match;
	if (mask == KUTRACE_PACKET_ALL) {
		kutrace_settings.packet_init = 0;
		return;
	}
	if (!mask)
		kutrace_settings.packet_init = 1; /* nothing folds to that */
	for (byte = 0; byte < FILTERED_BYTES; byte++)
		if (mask >> byte & 1)
			kutrace_settings.packet_mask[byte / 8] |= 0xffull << (byte % 8 * 8);
}

static struct kutrace_hook hooks[] = {
	KUTRACE_HOOK(netif_receive_skb, KUTRACE_GROUP_NET, KUTRACE_POINT_PACKET, on_receive),
	KUTRACE_HOOK(net_dev_start_xmit, KUTRACE_GROUP_NET, KUTRACE_POINT_PACKET, on_send),
};

const struct kutrace_hook_table kutrace_net_hooks = { hooks, ARRAY_SIZE(hooks) };

static void __maybe_unused check_probes(void)
{
	KUTRACE_CHECK_PROBE(netif_receive_skb, on_receive);
	KUTRACE_CHECK_PROBE(net_dev_start_xmit, on_send);
}
