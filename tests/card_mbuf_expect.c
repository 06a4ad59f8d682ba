/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an mbuf of each frame of the table should say: out of the frame's headers, with
 * DPDK's own functions for hashes and checksums, and the packet types as the mlx5 driver
 * documents them (mlx5_dev_supported_ptypes_get).  Nothing here knows about completions.
 */
#include <stdlib.h>

#include <rte_byteorder.h>
#include <rte_ip.h>
#include <rte_ip_frag.h>
#include <rte_tcp.h>
#include <rte_thash.h>
#include <rte_udp.h>

#include "card_mbuf.h"

#define ETH_BYTES 14u

struct headers {
	const uint8_t *l3;
	const uint8_t *l4; /* NULL: none that a device looks at */
	uint16_t ether_type;
	uint8_t proto;
	uint8_t carried; /* behind a fragment header too */
	bool fragment;
};

static void find_headers(const uint8_t *bytes, struct headers *h)
{
	*h = (struct headers){.l3 = bytes + ETH_BYTES};
	h->ether_type = (uint16_t)(bytes[12] << 8 | bytes[13]);
	if (h->ether_type == RTE_ETHER_TYPE_VLAN) {
		h->ether_type = (uint16_t)(bytes[16] << 8 | bytes[17]);
		h->l3 += 4;
	}
	if (h->ether_type == RTE_ETHER_TYPE_IPV4) {
		const struct rte_ipv4_hdr *ip = (const void *)h->l3;

		h->proto = ip->next_proto_id;
		h->carried = h->proto;
		h->fragment = rte_ipv4_frag_pkt_is_fragmented(ip);
		h->l4 = h->l3 + rte_ipv4_hdr_len(ip);
	} else if (h->ether_type == RTE_ETHER_TYPE_IPV6) {
		const struct rte_ipv6_hdr *ip = (const void *)h->l3;

		h->proto = ip->proto;
		h->fragment = ip->proto == 44;
		h->carried = h->fragment ? h->l3[sizeof(*ip)] : h->proto;
		h->l4 = h->l3 + sizeof(*ip);
	}
	if (h->fragment || (h->proto != IPPROTO_TCP && h->proto != IPPROTO_UDP))
		h->l4 = NULL;
}

/* The driver's "EXT_UNKNOWN": it does not tell whether there are options. */
static uint32_t packet_type(const struct headers *h)
{
	uint32_t type = RTE_PTYPE_L2_ETHER;

	if (h->ether_type == RTE_ETHER_TYPE_IPV4)
		type |= RTE_PTYPE_L3_IPV4_EXT_UNKNOWN;
	else if (h->ether_type == RTE_ETHER_TYPE_IPV6)
		type |= RTE_PTYPE_L3_IPV6_EXT_UNKNOWN;
	else
		return type;
	if (h->fragment)
		return type | RTE_PTYPE_L4_FRAG;
	if (!h->l4)
		return type | RTE_PTYPE_L4_NONFRAG;
	return type | (h->proto == IPPROTO_TCP ? RTE_PTYPE_L4_TCP : RTE_PTYPE_L4_UDP);
}

static uint32_t hash_of(const struct headers *h, const uint8_t *key)
{
	union rte_thash_tuple t = {0};
	uint32_t words;

	if (h->ether_type == RTE_ETHER_TYPE_IPV4) {
		const struct rte_ipv4_hdr *ip = (const void *)h->l3;

		t.v4.src_addr = rte_be_to_cpu_32(ip->src_addr);
		t.v4.dst_addr = rte_be_to_cpu_32(ip->dst_addr);
		words = RTE_THASH_V4_L3_LEN;
		if (h->l4) {
			t.v4.sport = (uint16_t)(h->l4[0] << 8 | h->l4[1]);
			t.v4.dport = (uint16_t)(h->l4[2] << 8 | h->l4[3]);
			words = RTE_THASH_V4_L4_LEN;
		}
	} else if (h->ether_type == RTE_ETHER_TYPE_IPV6) {
		rte_thash_load_v6_addrs((const void *)h->l3, &t);
		words = RTE_THASH_V6_L3_LEN;
		if (h->l4) {
			t.v6.sport = (uint16_t)(h->l4[0] << 8 | h->l4[1]);
			t.v6.dport = (uint16_t)(h->l4[2] << 8 | h->l4[3]);
			words = RTE_THASH_V6_L4_LEN;
		}
	} else {
		return 0; /* no addresses */
	}
	return rte_softrss((uint32_t *)&t, words, key);
}

/* A sum that is right gives GOOD, another nothing at all: so the driver (never BAD). */
static uint64_t checksum_flags(const struct headers *h)
{
	uint64_t flags = 0;

	if (h->ether_type == RTE_ETHER_TYPE_IPV4) {
		const struct rte_ipv4_hdr *ip = (const void *)h->l3;
		/* Over a right header, the sum of all its words is 0xffff. */
		if (rte_raw_cksum(ip, rte_ipv4_hdr_len(ip)) == 0xffff)
			flags |= RTE_MBUF_F_RX_IP_CKSUM_GOOD;
		if (h->l4 && !rte_ipv4_udptcp_cksum_verify(ip, h->l4))
			flags |= RTE_MBUF_F_RX_L4_CKSUM_GOOD;
	} else if (h->ether_type == RTE_ETHER_TYPE_IPV6) {
		flags |= RTE_MBUF_F_RX_IP_CKSUM_GOOD; /* it has none that could be wrong */
		if (h->l4 && !rte_ipv6_udptcp_cksum_verify((const void *)h->l3, h->l4))
			flags |= RTE_MBUF_F_RX_L4_CKSUM_GOOD;
	}
	return flags;
}

static void expect_frame(struct state *s, unsigned i, const uint8_t *key,
			 const struct rte_eth_rss_reta_entry64 *reta, unsigned reta_size)
{
	const struct numbered_frame *f = &s->table.frame[i];
	struct expected *e = &s->expected[i];
	struct headers h;

	find_headers(f->bytes, &h);
	*e = (struct expected){
		.bytes = f->bytes,
		.len = f->len,
		.at = f->at,
		.hash = hash_of(&h, key),
		.packet_type = packet_type(&h),
		.flags = RTE_MBUF_F_RX_RSS_HASH | checksum_flags(&h),
	};
	/* By IP protocol: a fragment of a UDP packet is UDP as well. */
	e->marked = s->o.mark && h.carried == IPPROTO_UDP;
	if (e->marked)
		e->flags |= RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID;
	unsigned entry = e->hash % reta_size;
	e->queue = reta[entry / RTE_ETH_RETA_GROUP_SIZE].reta[entry % RTE_ETH_RETA_GROUP_SIZE];
	bool tagged = h.l3 != f->bytes + ETH_BYTES;
	if (tagged && s->o.vlan_strip) {
		uint8_t *to = s->stripped + (size_t)i * s->table.largest;

		memcpy(to, f->bytes, 12);
		memcpy(to + 12, f->bytes + 16, f->len - 16);
		e->bytes = to;
		e->len -= 4;
		e->at -= 4;
		e->tci = (uint16_t)(f->bytes[14] << 8 | f->bytes[15]);
		e->flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
	}
}

void expect(struct state *s, const uint8_t *key, const struct rte_eth_rss_reta_entry64 *reta,
	    unsigned reta_size)
{
	s->stripped = malloc((size_t)s->table.largest * NUMBERED_FRAMES);
	if (!s->stripped)
		rte_exit(1, "out of memory\n");
	for (unsigned i = 0; i < NUMBERED_FRAMES; i++)
		expect_frame(s, i, key, reta, reta_size);
}
