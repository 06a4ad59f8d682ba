/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes of synthetic frames: Ethernet, perhaps an 802.1Q tag, IPv4 or IPv6,
 * UDP or TCP, and a payload of zeros.  Checksums are those of the whole frame.
 *
 * Addresses come from the blocks set aside for benchmarks: 198.18.0.0/15 (RFC
 * 2544, appendix C.2.2) and 2001:2::/48 (RFC 5180); MAC addresses are locally
 * administered; the destination port is discard (RFC 863).
 *
 * Flow f has f's low 16 bits at the end of its source address and the other 8
 * in its source port, whose remaining 6 bits repeat the lowest of f, so that
 * few flows differ in both.
 */
#include <string.h>

#include "trace_internal.h"

#define ETH_BYTES  14u
#define VLAN_BYTES 4u
#define IPV4_BYTES 20u
#define IPV6_BYTES 40u
#define UDP_BYTES  8u
#define TCP_BYTES  20u

#define ETHERTYPE_IPV4 0x0800u
#define ETHERTYPE_IPV6 0x86ddu
#define ETHERTYPE_VLAN 0x8100u
#define PROTO_TCP      6u
#define PROTO_UDP      17u
#define PORT_DISCARD   9u
/* The first of the ports for private use (RFC 6335, section 6); 16384 follow. */
#define PORT_FIRST 49152u

static const uint8_t macs[12] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2};
static const uint8_t ipv4_addresses[8] = {198, 18, 0, 0, 198, 19, 0, 1};
static const uint8_t ipv6_addresses[32] = {
	0x20, 0x01, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0x20, 0x01, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1,
};

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

/* The sum of 16-bit words, not yet folded (RFC 1071); n is even. */
static uint32_t sum16(const uint8_t *at, uint32_t n)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < n; i += 2)
		sum += (uint32_t)at[i] << 8 | at[i + 1];
	return sum;
}

static uint32_t checksum(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

uint32_t trace_flow_header_bytes(const struct trace_flow_spec *spec)
{
	return ETH_BYTES + (spec->vlan ? VLAN_BYTES : 0) + (spec->ipv6 ? IPV6_BYTES : IPV4_BYTES) +
	       (spec->tcp ? TCP_BYTES : UDP_BYTES);
}

static void ipv4_header(uint8_t *ip, uint32_t bytes, uint32_t proto)
{
	ip[0] = 0x45;          /* version 4, five words */
	put16(ip + 2, bytes);  /* total length */
	put16(ip + 6, 0x4000); /* don't fragment */
	ip[8] = 64;            /* time to live */
	ip[9] = (uint8_t)proto;
	memcpy(ip + 12, ipv4_addresses, sizeof(ipv4_addresses));
}

static void ipv6_header(uint8_t *ip, uint32_t bytes, uint32_t proto)
{
	ip[0] = 0x60; /* version 6 */
	put16(ip + 4, bytes - IPV6_BYTES);
	ip[6] = (uint8_t)proto;
	ip[7] = 64; /* hop limit */
	memcpy(ip + 8, ipv6_addresses, sizeof(ipv6_addresses));
}

static void tcp_header(uint8_t *tcp)
{
	put16(tcp + 2, PORT_DISCARD);
	tcp[12] = 0x50;          /* five words */
	tcp[13] = 0x10;          /* ACK */
	put16(tcp + 14, 0xffff); /* window */
}

static void udp_header(uint8_t *udp, uint32_t bytes)
{
	put16(udp + 2, PORT_DISCARD);
	put16(udp + 4, bytes);
}

void trace_flow_template(struct trace_flow_template *t, const struct trace_flow_spec *spec,
			 uint32_t len)
{
	memset(t, 0, sizeof(*t));
	uint32_t ip = ETH_BYTES;
	uint32_t ethertype = spec->ipv6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4;
	uint32_t ip_bytes = spec->ipv6 ? IPV6_BYTES : IPV4_BYTES;
	uint32_t proto = spec->tcp ? PROTO_TCP : PROTO_UDP;
	memcpy(t->bytes, macs, sizeof(macs));
	if (spec->vlan) {
		put16(t->bytes + 12, ETHERTYPE_VLAN);
		put16(t->bytes + 14, spec->vlan);
		ip += VLAN_BYTES;
	}
	put16(t->bytes + ip - 2, ethertype);
	uint32_t l4 = ip + ip_bytes, l4_bytes = len - l4;
	if (spec->ipv6)
		ipv6_header(t->bytes + ip, len - ip, proto);
	else
		ipv4_header(t->bytes + ip, len - ip, proto);
	if (spec->tcp)
		tcp_header(t->bytes + l4);
	else
		udp_header(t->bytes + l4, l4_bytes);

	/* Both pseudo headers: addresses, protocol, length (RFC 768, RFC 8200 8.1). */
	uint32_t addresses = spec->ipv6 ? 32 : 8;
	t->ip_sum = spec->ipv6 ? 0 : sum16(t->bytes + ip, IPV4_BYTES);
	t->l4_sum = sum16(t->bytes + l4 - addresses, addresses) + proto + l4_bytes +
		    sum16(t->bytes + l4, spec->tcp ? TCP_BYTES : UDP_BYTES);
	t->address_at = (uint16_t)(l4 - addresses / 2 - 2);
	t->port_at = (uint16_t)l4;
	t->ip_sum_at = spec->ipv6 ? 0 : (uint16_t)(ip + 10);
	t->l4_sum_at = (uint16_t)(l4 + (spec->tcp ? 16 : 6));
	t->udp = !spec->tcp;
}

void trace_flow_stamp(uint8_t *bytes, const struct trace_flow_template *t, uint32_t flow)
{
	uint32_t low = flow & 0xffff;
	uint32_t port = PORT_FIRST + ((flow >> 16) << 6) + (flow & 0x3f);
	memcpy(bytes, t->bytes, TRACE_SYNTH_BYTES);
	put16(bytes + t->address_at, low);
	put16(bytes + t->port_at, port);
	if (t->ip_sum_at)
		put16(bytes + t->ip_sum_at, checksum(t->ip_sum + low));
	uint32_t sum = checksum(t->l4_sum + low + port);
	/* In UDP zero would mean "no checksum" (RFC 768). */
	put16(bytes + t->l4_sum_at, t->udp && !sum ? 0xffff : sum);
}
