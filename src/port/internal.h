/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * internal.h - what the files of the port station share: the parser's results
 * and the two ways to classify one frame, which must agree.
 */
#ifndef CQESIM_PORT_INTERNAL_H
#define CQESIM_PORT_INTERNAL_H

#include <endian.h>
#include <string.h>

#include "cqesim/port.h"

/* EtherTypes (IEEE 802 numbers). */
#define PORT_ETH_IPV4 0x0800u
#define PORT_ETH_TEB  0x6558u /* transparent Ethernet bridging: an Ethernet frame follows */
#define PORT_ETH_CTAG 0x8100u
#define PORT_ETH_IPV6 0x86ddu
#define PORT_ETH_STAG 0x88a8u
#define PORT_ETH_9100 0x9100u /* an S-tag before 802.1ad gave it a number */

/* IP protocol numbers (IANA). */
#define PORT_IP_HOPOPTS  0u
#define PORT_IP_IPV4     4u
#define PORT_IP_TCP      6u
#define PORT_IP_UDP      17u
#define PORT_IP_IPV6     41u
#define PORT_IP_ROUTING  43u
#define PORT_IP_FRAGMENT 44u
#define PORT_IP_GRE      47u
#define PORT_IP_DSTOPTS  60u

#define PORT_UDP_VXLAN  4789u
#define PORT_UDP_GENEVE 6081u

#define PORT_ETH_BYTES  14u
#define PORT_TAG_BYTES  4u
#define PORT_IPV4_BYTES 20u
#define PORT_IPV6_BYTES 40u
#define PORT_TCP_BYTES  20u
#define PORT_UDP_BYTES  8u

static inline uint16_t port_be16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return be16toh(v);
}

/* Were n bytes at off captured? */
static inline bool port_have(const struct cqesim_frame *f, uint32_t off, uint32_t n)
{
	return off <= f->cap_len && f->cap_len - off >= n;
}

/* Ethernet header and tags. */
struct port_l2 {
	uint32_t off;       /* of what follows the last EtherType that was captured */
	uint32_t tags;      /* complete ones */
	uint16_t type;      /* the last EtherType; 0 if there is none */
	uint16_t first_tag; /* EtherType of the outermost tag, 0 without */
	uint16_t first_tci;
	bool cut; /* goes on beyond what was captured */
	bool nic; /* the NIC follows: at most two tags, 8100 or 88a8 */
};

/* One IP header with its extension headers. */
struct port_ip {
	uint32_t off;    /* of the IP header */
	uint32_t l4;     /* of what follows it; may lie beyond what was captured */
	uint32_t end;    /* of the packet by its length field, in the frame */
	uint8_t version; /* 4 or 6 by EtherType (or protocol number); 0: no IP */
	uint8_t proto;   /* of what lies at l4 */
	bool readable;   /* fixed part captured, version and lengths make sense */
	bool options;    /* IPv4 options, IPv6 extension headers */
	bool fragment;   /* a part of a packet, or an IPv6 fragment header that holds all of it */
	bool later;      /* not the first fragment: no L4 header here */
	bool cut;        /* goes on beyond what was captured */
};

/* What an outer IP packet carries inside, as far as NICs know. */
enum port_tunnel_kind {
	PORT_TUNNEL_NONE,
	PORT_TUNNEL_VXLAN,
	PORT_TUNNEL_GENEVE,
	PORT_TUNNEL_GRE,
	PORT_TUNNEL_IPIP,
};
struct port_tunnel {
	enum port_tunnel_kind kind;
	uint32_t off;  /* of the inner header */
	uint16_t type; /* EtherType of the inner header, PORT_ETH_TEB for a frame, 0 for others */
	bool cut;      /* the tunnel's header goes on beyond what was captured */
};

/* parse.c */
void port_l2_parse(const struct cqesim_frame *f, uint32_t off, struct port_l2 *l2);
void port_ip_parse(const struct cqesim_frame *f, uint32_t off, unsigned ethertype,
		   struct port_ip *ip);
void port_tunnel_parse(const struct cqesim_frame *f, const struct port_ip *ip,
		       struct port_tunnel *t);
/* Bytes of the TCP or UDP header at ip->l4; 0 when cut, when impossible, or for others. */
uint32_t port_l4_bytes(const struct cqesim_frame *f, const struct port_ip *ip);

/* checksum.c */
uint16_t port_sum(const uint8_t *p, size_t n);
bool port_l4_sum_ok(const struct cqesim_frame *f, const struct port_ip *ip);

/* rss.c */
uint32_t port_hash_ipv4(const struct cqesim_port *port, const uint8_t *addresses,
			const uint8_t *ports);
uint32_t port_hash_ipv6(const struct cqesim_port *port, const uint8_t *addresses,
			const uint8_t *ports);

/* general.c: any frame. */
void port_classify_general(const struct cqesim_port *port, const struct cqesim_frame *f,
			   struct cqesim_rx *rx);
/* classify.c: untagged plain IPv4 with TCP or UDP; false (and *rx untouched) for others. */
bool port_classify_fast(const struct cqesim_port *port, const struct cqesim_frame *f,
			struct cqesim_rx *rx);

#endif
