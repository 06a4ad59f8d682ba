/* SPDX-License-Identifier: BSD-3-Clause */
/* See test_card_lro.h. */
#include <stdlib.h>
#include <string.h>

#include "test_card_lro.h"
#include "test_cq.h"

#define WQE_BYTES   2048u
#define PIECE_BYTES 512u

static const struct cqesim_strides_shape strides = {
	.log_wqes = 2, .log_strides = 4, .log_stride_bytes = 7};

static unsigned log_wqes(enum lro_kind kind)
{
	return kind == LRO_STRIDING ? strides.log_wqes : 3;
}

/* WQE `place` with its buffers; those of a scattered one lie apart and backwards. */
static void write_wqe(struct lro_rig *rig, struct card_queue *q, unsigned place)
{
	unsigned pieces = rig->kind == LRO_SCATTERED ? 4 : 1;
	uint8_t *wqe = q->wqes + (size_t)place * (rig->kind == LRO_STRIDING ? 32 : 16 * pieces);

	for (unsigned i = 0; i < pieces; i++)
		card_data_segment(wqe + (rig->kind == LRO_STRIDING ? 16 : 16 * i),
				  WQE_BYTES / pieces, CARD_KEY,
				  q->buffers + (uint64_t)place * WQE_BYTES +
					  (uint64_t)(pieces - 1 - i) * PIECE_BYTES);
}

void lro_post(struct lro_rig *rig, struct card_queue *q)
{
	write_wqe(rig, q, q->pi & ((1u << q->log_size) - 1));
	q->pi++;
	__atomic_store_n(&q->dbrec[0], __builtin_bswap32(q->pi), __ATOMIC_RELEASE);
}

struct card_queue *lro_start(struct lro_rig *rig, enum lro_kind kind)
{
	struct card_rig *card = &rig->card;
	struct card_queue *q = &card->queue[0];
	unsigned cq_log = kind == LRO_STRIDING ? strides.log_wqes + strides.log_strides : 3;

	card_rig_config(card);
	card_rig_start(card);
	rig->kind = kind;
	card->queues = 1;
	q->log_size = log_wqes(kind);
	q->cq_log = cq_log;
	q->ring = test_cq_ring(cq_log);
	struct cqesim_cq_shape shape = {
		.log_size = cq_log,
		.log_stride = kind == LRO_STRIDING ? strides.log_stride_bytes : 0};
	cqesim_cq_init_ring(q->ring, &shape);
	q->wqes = calloc(64, 16);
	struct cqesim_card_cq cq = {
		.ring = q->ring, .address = 0x400000, .log_size = cq_log, .dbrec = q->cq_dbrec};
	ck_assert_int_eq(cqesim_card_create_cq(card->card, &cq, &q->cqn), 0);
	ck_assert_int_eq(
		cqesim_cq_reader_init(&q->reader, q->ring, &shape, CQESIM_INVALIDATE_DPDK_SCALAR),
		0);
	struct cqesim_card_rq rq = {
		.ring = q->wqes,
		.address = 0x200000,
		.log_size = q->log_size,
		.log_segs = kind == LRO_SCATTERED ? 2 : 0,
		.striding = kind == LRO_STRIDING,
		.strides = strides,
		.dbrec = q->dbrec,
		.cqn = q->cqn,
		.vlan_strip = rig->vlan_strip,
		.keep_fcs = rig->card_keep_fcs,
	};
	rig->memory = card_rig_memory(card, WQE_BYTES << q->log_size);
	q->buffers = card_rig_address(card, rig->memory);
	ck_assert_int_eq(cqesim_card_create_rq(card->card, &rq, &q->number), 0);
	ck_assert_int_eq(cqesim_card_modify_rq(card->card, q->number, CQESIM_QUEUE_RDY, 0), 0);
	struct cqesim_card_tir tir = {
		.direct = true,
		.rqn = q->number,
		.lro = {.ipv4 = !rig->no_ipv4 && !rig->no_lro,
			.ipv6 = !rig->no_lro,
			.max_bytes = rig->max_bytes ? rig->max_bytes : 2000,
			.timeout_ps = LRO_TIMEOUT_PS,
			.min_payload = 100},
	};
	ck_assert_int_eq(cqesim_card_create_tir(card->card, &tir, &rig->tir), 0);
	for (unsigned i = 0; i < 1u << q->log_size; i++)
		lro_post(rig, q);
	return q;
}

void lro_stop(struct lro_rig *rig)
{
	card_rig_stop(&rig->card);
}

/* ---- frames ---- */

static uint32_t sum(const uint8_t *p, uint32_t n, uint32_t start)
{
	for (uint32_t i = 0; i < n; i++)
		start += i & 1 ? p[i] : (uint32_t)p[i] << 8;
	while (start >> 16)
		start = (start & 0xffff) + (start >> 16);
	return start;
}

static uint8_t *put_l2(uint8_t *to, const struct lro_segment *s)
{
	memcpy(to, "\x02\0\0\0\0\x01\x02\0\0\0\0\x02", 12);
	to += 12;
	if (s->tagged) {
		memcpy(to, "\x81\0\x20\x05", 4);
		to += 4;
	}
	cqesim_be_store(to, 2, s->ipv6 ? 0x86dd : 0x0800);
	return to + 2;
}

/* The sum of the addresses, which the L4 checksum begins with. */
static uint32_t put_l3(uint8_t *ip, const struct lro_segment *s, uint32_t l4_bytes)
{
	uint8_t ttl = s->ttl ? s->ttl : 64, proto = s->udp ? 17 : 6;

	if (s->ipv6) {
		cqesim_be_store(ip, 4, 0x60000000u | (uint32_t)s->tos << 20);
		cqesim_be_store(ip + 4, 2, l4_bytes);
		ip[6] = proto;
		ip[7] = ttl;
		memset(ip + 8, 0x20, 32);
		return sum(ip + 8, 32, 0);
	}
	memset(ip, 0, 20);
	ip[0] = 0x45;
	ip[1] = s->tos;
	cqesim_be_store(ip + 2, 2, 20 + l4_bytes);
	ip[8] = ttl;
	ip[9] = proto;
	memset(ip + 12, 10, 8);
	cqesim_be_store(ip + 10, 2, (uint16_t)~sum(ip, 20, 0));
	return sum(ip + 12, 8, 0);
}

static void make_frame(struct lro_rig *rig, const struct lro_segment *s)
{
	uint32_t header = s->udp ? 8 : 20, l4_bytes = header + s->payload;
	uint8_t *ip = put_l2(rig->frame, s), *l4 = ip + (s->ipv6 ? 40 : 20);
	uint32_t start = put_l3(ip, s, l4_bytes) + l4_bytes + (s->udp ? 17 : 6);

	memset(l4, 0, header);
	cqesim_be_store(l4, 2, 1000u + s->flow);
	cqesim_be_store(l4 + 2, 2, 80);
	if (s->udp) {
		cqesim_be_store(l4 + 4, 2, l4_bytes);
	} else {
		cqesim_be_store(l4 + 4, 4, s->seq);
		cqesim_be_store(l4 + 8, 4, s->ack);
		l4[12] = 0x50;
		l4[13] = s->flags ? s->flags : 0x10;
		cqesim_be_store(l4 + 14, 2, s->window);
	}
	for (uint32_t i = 0; i < s->payload; i++)
		l4[header + i] = s->fill ? s->fill : (uint8_t)((s->seq + i) * 151 >> 3);
	cqesim_be_store(l4 + (s->udp ? 6 : 16), 2,
			(uint16_t)(~sum(l4, l4_bytes, start) ^ s->bad_checksum));
	memset(l4 + l4_bytes, 0, s->padding);
	rig->frame_bytes = (uint32_t)(l4 + l4_bytes - rig->frame) + s->padding;
}

bool lro_receive(struct lro_rig *rig, struct lro_segment s)
{
	make_frame(rig, &s);
	struct cqesim_frame f = {.data = rig->frame,
				 .cap_len = rig->frame_bytes,
				 .orig_len = rig->frame_bytes,
				 .len = rig->frame_bytes};
	return card_rig_receive(&rig->card, &f);
}

/* ---- what arrived ---- */

const uint8_t *lro_buffer(const struct lro_rig *rig, const struct card_queue *q, unsigned index)
{
	return rig->memory + (size_t)(index & ((1u << q->log_size) - 1)) * WQE_BYTES +
	       (rig->kind == LRO_SCATTERED ? 3 * PIECE_BYTES : 0);
}

uint32_t lro_packet(const struct lro_rig *rig, const struct cqesim_completion *c, uint8_t *to)
{
	const struct card_queue *q = &rig->card.queue[0];
	uint32_t n = c->meta.byte_cnt;

	if (rig->kind == LRO_STRIDING) {
		memcpy(to, lro_buffer(rig, q, c->wqe_id) + ((size_t)c->wqe_counter << 7), n);
		return n;
	}
	const uint8_t *from = lro_buffer(rig, q, c->wqe_counter);
	if (rig->kind == LRO_CYCLIC) {
		memcpy(to, from, n);
		return n;
	}
	for (uint32_t i = 0; i < n; i++)
		to[i] = *(from - i / PIECE_BYTES * PIECE_BYTES + i % PIECE_BYTES);
	return n;
}
