/* SPDX-License-Identifier: BSD-3-Clause */
/* card_mbuf.h - what the parts of the mbuf checking program share. */
#ifndef CARD_MBUF_H
#define CARD_MBUF_H

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "trace/numbered.h"

#define QUEUES_MAX      16u
#define L34H_TYPE_FIXED 241106u
/* Longest session; so many packets back a title can lie. */
#define TITLES 128u

struct options {
	const char *mix;
	uint64_t packets;
	unsigned queues, burst, descriptors;
	bool vlan_strip, timestamp, keep_crc, scatter;
	bool no_hash;  /* the mini format has none */
	bool l34h;     /* minis with header types */
	bool enhanced; /* the enhanced layout */
	bool isolated;
	uint32_t lro;  /* largest packet that segments may be joined to; 0: no LRO */
	double idle_s; /* so long without a packet after the first: it is over */
	unsigned mbuf_bytes;
	bool mark;        /* rules: UDP packets are marked ... */
	uint32_t mark_id; /* ... with this */
};

/* What an mbuf of a frame should say. */
struct expected {
	const uint8_t *bytes; /* as delivered, without the number */
	uint32_t len, hash;
	uint16_t at, queue, tci;
	bool marked;
	uint32_t packet_type;
	uint64_t flags;
};

/* Kinds of difference, and what is known of the driver. */
enum difference {
	DIFF_NUMBER, /* no number, or of no frame that was sent */
	DIFF_ORDER,  /* not after the one before it */
	DIFF_QUEUE,  /* not where Toeplitz hash and table lead */
	DIFF_LENGTH, /* pkt_len, data_len, nb_segs, or their sum */
	DIFF_DATA,
	DIFF_HASH,
	DIFF_TYPE,  /* packet_type */
	DIFF_FLAGS, /* ol_flags */
	DIFF_TCI,
	DIFF_TIME,
	DIFF_FCS,
	DIFF_PORT,
	DIFF_MARK,
	DIFF_ROOM,    /* data beyond the buffer that the mbuf says it has */
	DIFF_SEGMENT, /* LRO: a segment that does not follow, or is none */
	DIFF_HEADER,  /* LRO: headers that are not right for what was joined */
	DIFF_KINDS
};
enum known {
	KNOWN_NO_RSS_FLAG, /* scalar: a packet whose hash is 0 has no RSS flag */
	KNOWN_TITLE_HASH,  /* scalar, mini formats without hash: that of the session's title */
	KNOWN_NO_HASH,     /* vector, likewise: neither hash nor RSS flag in sessions */
	KNOWN_L34H_TYPE,   /* scalar before L34H_TYPE_FIXED: no packet type out of L34H minis */
	KNOWN_EXTERNAL,    /* MPRQ: larger packets stay in the strides' buffer */
	KNOWN_L34H_VLAN,   /* L34H: VLAN flags of the packet in the mirrored place among four
			      (vector);   none at all (scalar before L34H_TYPE_FIXED) */
	KNOWN_L34H_TUNNEL, /* vector, enhanced, L34H: taken for a tunnel, by a mini's first byte */
	KNOWN_MARK,        /* vector, enhanced, minis with tag: another packet's mark flags too */
	KNOWN_SEGSZ,       /* LRO: tso_segsz is no segment's size, headers are divided as well */
	KNOWN_TCP_FFFF,    /* LRO: a TCP checksum of 0 is written as ffff, as UDP's would be */
	KNOWN_BUF_LEN,     /* LRO, MPRQ: buf_len is 0 where strides are 64 KiB */
	KNOWN_KINDS
};

struct state {
	struct options o;
	struct numbered table;
	struct expected expected[NUMBERED_FRAMES];
	uint8_t *stripped; /* frames without tag */
	uint16_t at[NUMBERED_KINDS];
	unsigned version; /* of the driver: 24.11.6 is 241106 */
	bool scalar, mprq;
	uint16_t port;
	int time_offset;
	uint64_t time_flag, clock_hz, time_last[QUEUES_MAX];
	uint64_t next[QUEUES_MAX]; /* number after that of the last packet */
	uint32_t titles[QUEUES_MAX][TITLES];
	uint32_t title_at[QUEUES_MAX];
	uint64_t marked; /* packets with a mark */
	/* LRO: mbufs of several segments, these, the most, and what one was joined to. */
	uint64_t joined, joined_segments, joined_most;
	uint8_t *packet, *wanted;
	uint64_t received, of_queue[QUEUES_MAX], segments, kinds[NUMBERED_KINDS];
	uint64_t differences, different[DIFF_KINDS], known[KNOWN_KINDS];
	uint64_t said;
};

/* card_mbuf_expect.c */
void expect(struct state *s, const uint8_t *key, const struct rte_eth_rss_reta_entry64 *reta,
	    unsigned reta_size);
/* card_mbuf_flow.c: after the start; needs queues as configured. */
void flow_rules(const struct state *s, const uint8_t *key);
/* card_mbuf_lro.c: a packet of one or more segments of a stream; the first is `number`. */
bool lro_is_stream(const struct state *s, uint64_t number);
/* How many segments. */
unsigned lro_check(struct state *s, const struct rte_mbuf *m, unsigned queue, uint64_t number);
void lro_begin(struct state *s);
/* card_mbuf_check.c */
void differs(struct state *s, enum difference d, unsigned queue, uint64_t number, uint64_t found,
	     uint64_t wanted);
void check_burst(struct state *s, unsigned queue, struct rte_mbuf **mbufs, unsigned n);
const char *difference_name(unsigned which);
const char *known_name(unsigned which);

#endif
