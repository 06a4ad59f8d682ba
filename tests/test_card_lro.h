/* SPDX-License-Identifier: BSD-3-Clause */
/* A card with one queue whose TIR joins segments, and TCP frames: for the tests of LRO. */
#ifndef CQESIM_TEST_CARD_LRO_H
#define CQESIM_TEST_CARD_LRO_H

#include "test_card.h"

#define LRO_TIMEOUT_PS UINT64_C(8000000)

enum lro_kind {
	LRO_CYCLIC,    /* 8 WQEs of 2048 bytes */
	LRO_SCATTERED, /* 8 WQEs of 4 x 512 bytes */
	LRO_STRIDING,  /* 4 WQEs of 16 strides of 128 bytes */
};

struct lro_segment {
	uint32_t seq, ack, payload;
	uint16_t window, flow;         /* flow: added to the source port */
	uint8_t ttl, tos, flags, fill; /* 0: 64, 0, ACK; fill 0: different everywhere */
	uint8_t padding;               /* bytes behind the IP packet */
	bool udp, bad_checksum, ipv6, tagged;
};

struct lro_rig {
	struct card_rig card;
	enum lro_kind kind;
	uint32_t tir;
	uint8_t *memory; /* of the queue's buffers */
	uint8_t frame[2048];
	uint32_t frame_bytes;
	/* Set before the start; 0s: what the tests mostly want. */
	uint32_t max_bytes;
	bool no_ipv4, no_lro, card_keep_fcs, vlan_strip;
};

/* max_bytes 2000, 8 us, least payload 100. */
struct card_queue *lro_start(struct lro_rig *rig, enum lro_kind kind);
void lro_stop(struct lro_rig *rig);
/* It arrives a microsecond after the one before; delivered? */
bool lro_receive(struct lro_rig *rig, struct lro_segment segment);
/* Where WQE `index`'s (first) buffer is. */
const uint8_t *lro_buffer(const struct lro_rig *rig, const struct card_queue *q, unsigned index);
/* The packet of a completion, put together from its WQE's buffers; its bytes. */
uint32_t lro_packet(const struct lro_rig *rig, const struct cqesim_completion *c, uint8_t *to);
/* Post one more WQE, as its place had it. */
void lro_post(struct lro_rig *rig, struct card_queue *q);

#endif
