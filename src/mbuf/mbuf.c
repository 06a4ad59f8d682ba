/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What filling mbufs needs to know beforehand: the packet type of each header
 * type, and the flags that follow from a queue's settings.
 */
#include <errno.h>
#include <rte_mbuf.h>

#include "cqesim/mbuf.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

_Static_assert(CQESIM_MBUF_NO_PACKET == RTE_PTYPE_ALL_MASK, "the type of what is no packet");

/* ---- names ---- */

struct difference {
	unsigned bit;
	const char *name, *text;
};

static const struct difference *difference(unsigned bit)
{
	static const struct difference all[] = {
#define ROW(name, bit, text) {1u << (bit), #name, text},
		CQESIM_MBUF_DIFFERENCES(ROW)
#undef ROW
	};
	_Static_assert(CQESIM_MBUF_VEC == (1u << COUNT(all)) - 1, "all differences");

	for (size_t i = 0; i < COUNT(all); i++)
		if (all[i].bit == bit)
			return &all[i];
	return NULL;
}

const char *cqesim_mbuf_difference_name(unsigned bit)
{
	const struct difference *d = difference(bit);

	return d ? d->name : NULL;
}

const char *cqesim_mbuf_difference_text(unsigned bit)
{
	const struct difference *d = difference(bit);

	return d ? d->text : NULL;
}

/* ---- packet types ---- */

/* RTE_PTYPE_L4_* by header type and fragment bit; 0: the driver knows no such packet. */
static uint32_t l4_type(uint8_t hdr)
{
	bool fragment = hdr & CQESIM_HDR_FRAGMENT;

	switch (hdr & CQESIM_HDR_L4_MASK) {
	case 0:
		return fragment ? RTE_PTYPE_L4_FRAG : RTE_PTYPE_L4_NONFRAG;
	case CQESIM_HDR_L4_UDP:
		return fragment ? RTE_PTYPE_L4_FRAG : RTE_PTYPE_L4_UDP;
	case CQESIM_HDR_L4_TCP:
	case CQESIM_HDR_L4_TCP_ACK:
	case CQESIM_HDR_L4_TCP_ACK_DATA:
		return fragment ? RTE_PTYPE_L4_FRAG : RTE_PTYPE_L4_TCP;
	default:
		return 0;
	}
}

/*
 * As PMD mlx5_set_ptype_table (v22.11.11, v24.11.6; the first releases did not
 * know fragments with an L4 type).  The fields tell the inner packet of a tunneled
 * one, and the kind of the outer IP header.  The outer bit of a packet that is
 * not tunneled says nothing, but a packet without IP has none in that table; all
 * bits set are its mark for errors.
 */
uint32_t cqesim_mbuf_packet_type(uint8_t pkt_info, uint8_t hdr)
{
	bool tunneled = pkt_info & CQESIM_PKT_INFO_TUNNELED;
	bool outer_ipv6 = pkt_info & CQESIM_PKT_INFO_OUTER_IPV6;
	unsigned l3 = hdr & CQESIM_HDR_L3_MASK;
	uint32_t type = RTE_PTYPE_L2_ETHER, l4 = l4_type(hdr);

	if (tunneled && outer_ipv6 && hdr >> 2 == 0x3f)
		return RTE_PTYPE_ALL_MASK;
	if (tunneled)
		type |= outer_ipv6 ? RTE_PTYPE_L3_IPV6_EXT_UNKNOWN : RTE_PTYPE_L3_IPV4_EXT_UNKNOWN;
	if (hdr >> 2 == 0)
		return outer_ipv6 && !tunneled ? RTE_PTYPE_UNKNOWN : type;
	if ((l3 != CQESIM_HDR_L3_IPV4 && l3 != CQESIM_HDR_L3_IPV6) || !l4)
		return RTE_PTYPE_UNKNOWN;
	if (!tunneled)
		return type | l4 |
		       (l3 == CQESIM_HDR_L3_IPV6 ? RTE_PTYPE_L3_IPV6_EXT_UNKNOWN
						 : RTE_PTYPE_L3_IPV4_EXT_UNKNOWN);
	_Static_assert(RTE_PTYPE_L4_MASK << 16 == RTE_PTYPE_INNER_L4_MASK &&
			       RTE_PTYPE_L4_FRAG << 16 == RTE_PTYPE_INNER_L4_FRAG &&
			       RTE_PTYPE_L4_NONFRAG << 16 == RTE_PTYPE_INNER_L4_NONFRAG &&
			       RTE_PTYPE_L4_TCP << 16 == RTE_PTYPE_INNER_L4_TCP &&
			       RTE_PTYPE_L4_UDP << 16 == RTE_PTYPE_INNER_L4_UDP,
		       "inner kinds are the outer ones, shifted");
	return type | l4 << 16 |
	       (l3 == CQESIM_HDR_L3_IPV6 ? RTE_PTYPE_INNER_L3_IPV6_EXT_UNKNOWN
					 : RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN);
}

/* ---- settings ---- */

static bool outside(int offset, size_t bytes)
{
	return offset < 0 || (size_t)offset + bytes > sizeof(struct rte_mbuf) ||
	       (size_t)offset % bytes;
}

/* What the lean sink of poll.c takes for granted. */
#define LEAN_PATH                                                                                  \
	(CQESIM_MBUF_VEC_RSS | CQESIM_MBUF_VEC_LENGTH | CQESIM_MBUF_VEC_LRO | CQESIM_MBUF_VEC_FLAGS)

/* Flags that a completion's VLAN bit (0) and checksum bits (1, 2) and the settings give. */
static uint64_t flags_of(const struct cqesim_mbuf_config *c, unsigned bits)
{
	uint64_t flags = 0;

	if (bits & CQESIM_HDR_VLAN_STRIPPED && (c->vlan_strip || c->path & CQESIM_MBUF_VEC_VLAN))
		flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
	if (c->csum || c->path & CQESIM_MBUF_VEC_CSUM) {
		if (bits & CQESIM_L3_OK)
			flags |= RTE_MBUF_F_RX_IP_CKSUM_GOOD;
		if (bits & CQESIM_L4_OK)
			flags |= RTE_MBUF_F_RX_L4_CKSUM_GOOD;
	}
	if (c->rss && c->path & CQESIM_MBUF_VEC_RSS)
		flags |= RTE_MBUF_F_RX_RSS_HASH;
	if (c->timestamp)
		flags |= c->timestamp_flag;
	return flags;
}

int cqesim_mbuf_rx_init(struct cqesim_mbuf_rx *rx, const struct cqesim_mbuf_config *config)
{
	struct cqesim_mbuf_config *c = &rx->config;

	if (config->path & ~CQESIM_MBUF_VEC ||
	    (config->timestamp && outside(config->timestamp_offset, sizeof(uint64_t))) ||
	    (config->metadata && outside(config->metadata_offset, sizeof(uint32_t))))
		return -EINVAL;
	*rx = (struct cqesim_mbuf_rx){.config = *config};
	if (!c->mark_flags)
		c->mark_flags = RTE_MBUF_F_RX_FDIR_ID;
	if (!c->metadata_mask)
		c->metadata_mask = UINT32_MAX;
	if (c->path & CQESIM_MBUF_VEC_FLAGS) {
		c->timestamp_flag = (uint32_t)c->timestamp_flag;
		c->mark_flags = (uint32_t)c->mark_flags;
	}
	rx->crc = config->crc_present ? 4 : 0;
	rx->length_mask = config->path & CQESIM_MBUF_VEC_LENGTH ? 0xffff : UINT32_MAX;
	rx->lean =
		!config->timestamp && !config->metadata && (config->path & LEAN_PATH) == LEAN_PATH;
	for (unsigned i = 0; i < COUNT(rx->flags); i++)
		rx->flags[i] = flags_of(c, i);
	rx->hash_flags = config->rss ? RTE_MBUF_F_RX_RSS_HASH : 0;
	for (unsigned i = 0; i < COUNT(rx->types); i++) {
		rx->types[i] = cqesim_mbuf_packet_type((uint8_t)(i >> 6), (uint8_t)(i << 2));
		if (i >> 6 & CQESIM_PKT_INFO_TUNNELED)
			rx->types[i] |= config->tunnel;
	}
	return 0;
}
