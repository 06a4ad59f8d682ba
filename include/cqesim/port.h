/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * port.h - station 2: what the NIC's parser says of a frame, the RSS hash, and
 * the queue that follows.  Pure: no I/O, no allocation, no globals.
 *
 * Two views are kept apart.  The *NIC's view* fills the CQE fields; inside
 * tunnels it is the inner packet's, fragments have no L4, odd tags end the
 * parse.  The *dissector's view* (CQESIM_VIEW_*) is what tshark or tcpdump
 * would count for the frame itself.
 */
#ifndef CQESIM_PORT_H
#define CQESIM_PORT_H

#include "cqesim/common.h"
#include "cqesim/cqe.h"
#include "cqesim/trace.h"

/* Bits of the dissector's view. */
enum cqesim_view {
	CQESIM_VIEW_IPV4 = 1 << 0,
	CQESIM_VIEW_IPV6 = 1 << 1, /* neither: other */
	CQESIM_VIEW_TCP = 1 << 2,  /* by the outer IP header's protocol, fragments included */
	CQESIM_VIEW_UDP = 1 << 3,
	CQESIM_VIEW_L4_NONE = 1 << 4, /* no readable IP header, whatever the EtherType says */
	CQESIM_VIEW_VLAN = 1 << 5,    /* at least one tag: 8100, 88a8 or 9100 */
	CQESIM_VIEW_QINQ = 1 << 6,    /* two or more */
	CQESIM_VIEW_FRAGMENT = 1 << 7,
	CQESIM_VIEW_OPTIONS = 1 << 8, /* IPv4 options, IPv6 extension headers */
	CQESIM_VIEW_VXLAN = 1 << 9,
	CQESIM_VIEW_GRE = 1 << 10, /* ERSPAN and PPTP included */
	CQESIM_VIEW_GENEVE = 1 << 11,
	CQESIM_VIEW_IPIP = 1 << 12,  /* IPv4 or IPv6 directly in IPv4 or IPv6 */
	CQESIM_VIEW_SHORT = 1 << 13, /* headers go on beyond what was captured */
	CQESIM_VIEW_BITS = 14
};
#define CQESIM_VIEW_TUNNEL                                                                         \
	(CQESIM_VIEW_VXLAN | CQESIM_VIEW_GRE | CQESIM_VIEW_GENEVE | CQESIM_VIEW_IPIP)

/* Result for one frame. */
struct cqesim_rx {
	struct cqesim_rxmeta meta;
	uint16_t queue;
	uint16_t view;    /* CQESIM_VIEW_* */
	uint16_t hdr_len; /* L2..L4 header bytes of an unfragmented TCP or UDP packet (outer), or 0
			   */
	uint8_t oversize; /* 1: longer than the port accepts; not received */
	uint8_t reserved;
};

/* Which IP and L4 types get an RSS hash, and over what. */
enum cqesim_rss_fields {
	CQESIM_RSS_IPV4 = 1 << 0, /* addresses of IPv4 packets */
	CQESIM_RSS_IPV6 = 1 << 1,
	CQESIM_RSS_TCP = 1 << 2, /* and ports where the packet is TCP (and its IP bit is set) */
	CQESIM_RSS_UDP = 1 << 3,
};

enum cqesim_checksums {
	CQESIM_CHECKSUMS_TRUST,  /* all are right; captures at a sender hold unfinished ones */
	CQESIM_CHECKSUMS_L3,     /* IPv4 header checksums are verified, L4 trusted (default) */
	CQESIM_CHECKSUMS_VERIFY, /* L4 too, where the whole frame was captured */
};

#define CQESIM_RSS_KEY_BYTES 40u
#define CQESIM_RETA_MAX      1024u

struct cqesim_port_config {
	uint8_t rss_key[CQESIM_RSS_KEY_BYTES];
	unsigned rss_fields;  /* CQESIM_RSS_* */
	bool rss_symmetric;   /* hash over (src | dst, src ^ dst), as on Linux; see rss.c */
	unsigned queues;      /* 1..CQESIM_RETA_MAX */
	const uint16_t *reta; /* indirection table; NULL: entry i is i % queues */
	unsigned reta_size;   /* a power of two up to CQESIM_RETA_MAX; 0: 512, or 1 for one queue */
	bool vlan_strip;
	bool keep_fcs;  /* byte_cnt includes the 4 bytes of the FCS */
	bool want_csum; /* fill meta.csum (see src/port/checksum.c); a pass over the packet */
	enum cqesim_checksums checksums;
	uint32_t max_frame; /* longest frame without FCS that is received */
};

/* Longest frame (without FCS) that a port with this MTU takes: Ethernet header and one VLAN tag. */
#define CQESIM_MTU_OVERHEAD 18u

/* Prepared state; treat as opaque.  About 40 KiB, holds no pointer, may be copied. */
struct cqesim_port {
	uint32_t toeplitz[36][256]; /* partial hash of byte value v at input position p */
	uint16_t reta[CQESIM_RETA_MAX];
	uint32_t reta_mask;
	unsigned rss_fields;
	enum cqesim_checksums checksums;
	uint32_t max_frame;
	bool rss_symmetric, vlan_strip, keep_fcs, want_csum;
};

/* -EINVAL for a table that is no power of two, or names a queue that is not there. */
CQESIM_API int cqesim_port_init(struct cqesim_port *port, const struct cqesim_port_config *config,
				struct cqesim_error *err);

/* Classify n frames into rx[0..n-1]. */
CQESIM_API void cqesim_port_classify(const struct cqesim_port *port,
				     const struct cqesim_frame *frames, unsigned n,
				     struct cqesim_rx *rx);

/*
 * Toeplitz hash of len bytes (at most 36) with the port's key; input in the
 * order of Microsoft's RSS specification: source address, destination address,
 * source port, destination port, big-endian.
 */
CQESIM_API uint32_t cqesim_port_toeplitz(const struct cqesim_port *port, const uint8_t *input,
					 unsigned len);

/* "mlx5" (DPDK's default), "microsoft" (the published verification key), or 80 hex digits. */
CQESIM_API int cqesim_rss_key_parse(const char *text, uint8_t key[CQESIM_RSS_KEY_BYTES],
				    struct cqesim_error *err);
/* A comma- or space-separated list of ipv4, ipv6, tcp, udp, or "none". */
CQESIM_API int cqesim_rss_fields_parse(const char *text, unsigned *fields,
				       struct cqesim_error *err);

/* Counts by view: a histogram over the view bits, so that counting is one increment. */
struct cqesim_port_stats {
	uint64_t by_view[1 << CQESIM_VIEW_BITS];
	uint64_t by_l4_l3[256]; /* the NIC's view: CQE byte 29 with bit 0 (VLAN) cleared */
	uint64_t by_flags[8];   /* L2, L3, L4 OK bits */
	uint64_t nic_tunnel;    /* packets with the tunnel bit */
	uint64_t nic_vlan;      /* packets whose tag was stripped */
	uint64_t hashed;        /* packets with an RSS hash */
};
CQESIM_API void cqesim_port_count(struct cqesim_port_stats *stats, const struct cqesim_rx *rx,
				  unsigned n);
/* Sum of the packets whose view has all bits of `all` and none of `none`. */
CQESIM_API uint64_t cqesim_port_views(const struct cqesim_port_stats *stats, unsigned all,
				      unsigned none);

/*
 * Cut an oversize TCP or UDP packet (a capture taken after TSO or GRO) into
 * segments that fit max_frame.  Returns how many there are (0: it cannot be
 * cut); segment i has length *len without FCS.  All have the packet's headers.
 */
CQESIM_API unsigned cqesim_port_segments(const struct cqesim_frame *frame,
					 const struct cqesim_rx *rx, uint32_t max_frame);
CQESIM_API uint32_t cqesim_port_segment_len(const struct cqesim_frame *frame,
					    const struct cqesim_rx *rx, uint32_t max_frame,
					    unsigned i);

#endif
