/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mbuf.h - completions to DPDK's packet buffers, as the mlx5 driver of DPDK
 * fills them: packet_type, ol_flags, hash, mark, VLAN, lengths, time stamp and
 * metadata, for every offload setting.  The functions are in the library if it
 * was built with DPDK; this header needs none of DPDK's.
 *
 * The driver has two sets of receive functions, and they do not say the same
 * about the same completion.  Here the scalar functions are the rule (PMD
 * rxq_cq_to_mbuf, mlx5_rx_burst; as corrected in DPDK 24.11.6: the header type
 * of L34H_STRIDX minis is in byte 0).  Where the vector functions differ (PMD
 * rxq_cq_process_v, rxq_cq_decompress_v) the difference has a name below and
 * can be asked for, alone or with all the others (CQESIM_MBUF_VEC).  Each was
 * seen in the running driver but those marked "read".
 *
 * Filled are: ol_flags, packet_type, pkt_len, data_len, vlan_tci, hash.rss,
 * with marks hash.fdir.hi, with LRO tso_segsz, and the two dynamic fields.  What
 * none of the packet's flags declares valid holds no statement: the driver
 * leaves old memory there, or what the completion had in that place.  All the
 * rest is the caller's: port, nb_segs, data_off, refcnt, next; to compare pkt_len
 * with the room there is, chain, attach or copy; and, with LRO, to bring the
 * packet's TCP/IP header up to date (the driver rewrites it in the buffer).
 *
 * Completions that are no packets get packet_type CQESIM_MBUF_NO_PACKET (what
 * the vector functions mark errors with), no flags and length 0: fillers of a
 * striding RQ, and the opcodes 12 to 14.  (The driver's scalar functions take 13
 * and 14 for errors, its vector functions 14 alone.)
 */
#ifndef CQESIM_MBUF_H
#define CQESIM_MBUF_H

#include "cqesim/cq.h"

struct rte_mbuf;

#define CQESIM_MBUF_NO_PACKET 0x0fffffffu /* RTE_PTYPE_ALL_MASK */

/*
 * Where the vector functions differ from the scalar ones.
 * D(NAME, bit, what they do)
 */
#define CQESIM_MBUF_DIFFERENCES(D)                                                                 \
	/* Of every completion. */                                                                 \
	D(RSS, 0, "the RSS flag is set for hash 0 too")                                            \
	D(CSUM, 1, "checksum flags are reported whatever the setting")                             \
	D(VLAN, 2, "a stripped VLAN tag is reported whatever the setting")                         \
	D(LENGTH, 3, "lengths have 16 bits")                                                       \
	D(LRO, 4, "joined segments are not reported (queues with LRO get no vector function)")     \
	D(FLAGS, 5,                                                                                \
	  "ol_flags is set anew, RTE_MBUF_F_EXTERNAL included, and has 32 bits, "                  \
	  "sign-extended in formats without a hash (read)")                                        \
	/* Of sessions. */                                                                         \
	D(NO_HASH, 6, "no hash in formats without one (scalar: the title's)")                      \
	D(TIMESTAMP, 7,                                                                            \
	  "only the session's first packet has a time stamp, in the enhanced "                     \
	  "layout none; old memory in the rest, the flag in all")                                  \
	/* Of FTAG_STRIDX minis. */                                                                \
	D(FTAG_KEPT, 8, "mark flags stay for later packets of the same place of four")             \
	D(FTAG_DEFAULT, 9, "tag 0xffffff is a mark")                                               \
	/* Of L34H_STRIDX minis. */                                                                \
	D(L34H_VLAN, 10,                                                                           \
	  "VLAN bits of each four in reverse order, unused minis included, and "                   \
	  "kept like marks")                                                                       \
	D(L34H_TUNNEL, 11, "the kind of tunnel is not set (read)")                                 \
	D(L34H_INFO, 12,                                                                           \
	  "enhanced layout: what of the packet is tunneled is taken from the "                     \
	  "array's first byte, which is no such field")

enum cqesim_mbuf_difference {
#define CQESIM_MBUF_DIFFERENCE(name, bit, text) CQESIM_MBUF_VEC_##name = 1 << (bit),
	CQESIM_MBUF_DIFFERENCES(CQESIM_MBUF_DIFFERENCE)
#undef CQESIM_MBUF_DIFFERENCE
};
#define CQESIM_MBUF_SCALAR 0u      /* none of them */
#define CQESIM_MBUF_VEC    0x1fffu /* all of them */
/* "RSS" ... of one difference; NULL for anything else.  The text is as above. */
CQESIM_API const char *cqesim_mbuf_difference_name(unsigned difference);
CQESIM_API const char *cqesim_mbuf_difference_text(unsigned difference);

/* How a receive queue is set up; what is 0 is off. */
struct cqesim_mbuf_config {
	unsigned path;    /* CQESIM_MBUF_SCALAR, CQESIM_MBUF_VEC, or some of CQESIM_MBUF_VEC_* */
	bool rss;         /* receive-side scaling is on, with any hash function */
	bool csum;        /* RTE_ETH_RX_OFFLOAD_CHECKSUM */
	bool vlan_strip;  /* RTE_ETH_RX_OFFLOAD_VLAN_STRIP */
	bool mark;        /* there are flow rules with MARK or FLAG */
	bool timestamp;   /* RTE_ETH_RX_OFFLOAD_TIMESTAMP */
	bool real_time;   /* the device's clock counts seconds and nanoseconds, not ticks */
	bool crc_present; /* RTE_ETH_RX_OFFLOAD_KEEP_CRC: byte_cnt has the FCS, lengths leave it out
			   */
	bool metadata;    /* rte_flow_dynf_metadata_register() was called */

	/* From rte_mbuf_dyn_rx_timestamp_register(). */
	int timestamp_offset;
	uint64_t timestamp_flag;

	int metadata_offset;    /* rte_flow_dynf_metadata_offs */
	uint64_t metadata_flag; /* rte_flow_dynf_metadata_mask */
	uint32_t metadata_mask; /* bits that the port uses of it; 0: all */

	uint64_t mark_flags; /* set with a mark beside RTE_MBUF_F_RX_FDIR; 0: RTE_MBUF_F_RX_FDIR_ID
			      */
	uint32_t tunnel;     /* RTE_PTYPE_TUNNEL_*, for tunneled packets, if rules tell it; or 0 */
};

/* A queue's settings made ready, and where the vector functions' own ways need it: what was. */
struct cqesim_mbuf_rx {
	struct cqesim_mbuf_config config;
	uint16_t crc; /* bytes taken off lengths */
	uint32_t length_mask;
	bool lean;           /* nothing but the short list is to be filled: see src/mbuf/poll.c */
	uint64_t flags[8];   /* by VLAN stripped (bit 0), L3 OK (1), L4 OK (2) */
	uint64_t hash_flags; /* of packets with a hash other than 0 */
	uint32_t types[256]; /* packet_type by header type bits 7:2, tunneled, outer is IPv6 */
	bool run;            /* enhanced: arrays follow each other */
	uint64_t kept[4];    /* flags by place of four: FTAG_KEPT, L34H_VLAN */
};

/* 0, or -EINVAL: unknown path bits, or an offset of a dynamic field that is outside the mbuf. */
CQESIM_API int cqesim_mbuf_rx_init(struct cqesim_mbuf_rx *rx,
				   const struct cqesim_mbuf_config *config);

/*
 * Read up to max completions, the i-th into mbufs[i]: cqesim_cq_poll with another
 * kind of result, and the same in what it returns, promises and does to the ring.
 * Nothing is allocated; mbufs beyond those returned are not touched.  A
 * cqesim_mbuf_rx belongs to one reader.  For FTAG_KEPT and L34H_VLAN in the enhanced layout it
 * counts which arrays the driver would have found in one go: those that follow
 * each other in a call, and in the next one if this call returned max packets.
 */
CQESIM_API int cqesim_mbuf_poll(struct cqesim_mbuf_rx *rx, struct cqesim_cq_reader *r,
				struct rte_mbuf **mbufs, unsigned max,
				struct cqesim_cq_fault *fault);

/*
 * One completion of cqesim_cq_poll.  format: of the CQ's minis.  FTAG_KEPT,
 * L34H_VLAN and L34H_INFO hang on what lies beside a packet in the ring, and are
 * as in the scalar functions here.
 */
CQESIM_API void cqesim_mbuf_fill(const struct cqesim_mbuf_rx *rx, enum cqesim_mini_format format,
				 const struct cqesim_completion *c, struct rte_mbuf *mbuf);

/* packet_type of pkt_info (byte 0) and l4_l3_hdr_type (byte 29), without the kind of tunnel. */
CQESIM_API uint32_t cqesim_mbuf_packet_type(uint8_t pkt_info, uint8_t l4_l3_hdr_type);

#endif
