/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets for random rings: their fields, their places in a striding RQ, and the
 * 64 bytes of their completions, laid out here by hand so that cqesim's own
 * tables are not their own judge.
 */
#include <string.h>

#include "ring_device.h"

static bool chance(struct ring_device *d, unsigned of_1024)
{
	return of_1024 && ring_chance(&d->random, of_1024);
}

static uint32_t below(struct ring_device *d, uint32_t n)
{
	return ring_below(&d->random, n);
}

/* ---- bytes ---- */

static void put(uint8_t *p, unsigned bytes, uint64_t value)
{
	while (bytes--) {
		p[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

static uint64_t get(const uint8_t *p, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *p++;
	return value;
}

void ring_random_bytes(struct ring_device *d, uint8_t *p, unsigned bytes)
{
	for (; bytes >= 8; bytes -= 8, p += 8) {
		uint64_t r = ring_random(&d->random);
		memcpy(p, &r, 8);
	}
	for (; bytes; bytes--)
		*p++ = (uint8_t)ring_random(&d->random);
}

/* One after the other: the order in which an initializer calls functions is the compiler's choice.
 */
static void random_words(struct ring_device *d, uint64_t *r, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		r[i] = ring_random(&d->random);
}

/* byte_cnt as it stands in a CQE. */
static uint32_t byte_cnt(const struct cqesim_completion *c)
{
	return c->meta.byte_cnt | (uint32_t)c->strides << 16 | (uint32_t)c->filler << 31;
}

/* Receive view (DV mlx5_cqe64, PRM-H mlx5_cqe), op_own apart. */
void ring_encode(struct ring_device *d, const struct cqesim_completion *c, uint8_t raw[64])
{
	memset(raw, 0, 64);
	if (d->config->junk) {
		uint64_t r[3];

		random_words(d, r, 3);
		raw[1] = (uint8_t)r[2];
		memcpy(raw + 4, r, 8);          /* LRO, SHAMPO */
		memcpy(raw + 17, &r[1], 3);     /* path bits, reserved */
		memcpy(raw + 22, &r[1], 6);     /* slid, flags_rqpn */
		memcpy(raw + 40, &r[2], 4);     /* app */
		raw[62] = (uint8_t)(r[2] >> 8); /* signature */
	}
	raw[0] = c->meta.pkt_info;
	put(raw + 2, 2, c->wqe_id);
	put(raw + 12, 4, c->meta.rx_hash_res);
	raw[16] = c->meta.rx_hash_type;
	put(raw + 20, 2, c->meta.csum);
	raw[28] = c->meta.hds_ip_ext;
	raw[29] = c->meta.l4_l3_hdr_type;
	put(raw + 30, 2, c->meta.vlan_info);
	raw[32] = c->lro_num_seg;
	put(raw + 33, 3, c->meta.user_index);
	put(raw + 36, 4, c->flow_table_metadata);
	put(raw + 44, 4, byte_cnt(c));
	put(raw + 48, 8, c->timestamp);
	raw[56] = c->send_opcode;
	put(raw + 57, 3, c->meta.flow_tag);
	put(raw + 60, 2, c->wqe_counter);
}

/* What a reader makes of any 64 bytes that are one completion of this opcode. */
void ring_decode(const struct ring_device *d, const uint8_t raw[64], unsigned opcode,
		 struct cqesim_completion *c)
{
	bool error = opcode == CQESIM_OP_REQ_ERR || opcode == CQESIM_OP_RESP_ERR;
	uint32_t count = (uint32_t)get(raw + 44, 4);

	*c = (struct cqesim_completion){
		.meta.byte_cnt = ring_striding(d) ? count & 0xffff : count,
		.meta.rx_hash_res = (uint32_t)get(raw + 12, 4),
		.meta.flow_tag = (uint32_t)get(raw + 57, 3),
		.meta.user_index = (uint32_t)get(raw + 33, 3),
		.meta.vlan_info = (uint16_t)get(raw + 30, 2),
		.meta.csum = (uint16_t)get(raw + 20, 2),
		.meta.rx_hash_type = raw[16],
		.meta.pkt_info = raw[0],
		.meta.hds_ip_ext = raw[28],
		.meta.l4_l3_hdr_type = raw[29],
		.timestamp = error ? 0 : get(raw + 48, 8),
		.index = d->w.pi,
		.flow_table_metadata = (uint32_t)get(raw + 36, 4),
		.wqe_counter = (uint16_t)get(raw + 60, 2),
		.wqe_id = (uint16_t)get(raw + 2, 2),
		.strides = ring_striding(d) ? count >> 16 & 0x7fff : 0,
		.filler = ring_striding(d) ? count >> 31 : 0,
		.lro_num_seg = raw[32],
		.opcode = (uint8_t)opcode,
		.send_opcode = raw[56],
		.syndrome = error ? raw[55] : 0,
		.vendor_err_synd = error ? raw[54] : 0,
	};
}

/* What a device is free to do with bytes of mini arrays: see encode for plain entries. */
void ring_disturb(struct ring_device *d, uint8_t array[64], unsigned minis)
{
	const struct ring_config *c = d->config;
	bool l34h = c->shape.format == CQESIM_MINI_L34H_STRIDX;

	for (unsigned i = 0; i < minis; i++) {
		uint8_t *mini = array + (size_t)i * 8;

		/* Scalar 22.11 takes the type from byte 1 (README: write it into both bytes). */
		if (l34h)
			mini[1] = !c->newer && !ring_path_vec(c->path)
					  ? mini[0]
					  : (uint8_t)ring_random(&d->random);
		else if (c->shape.format == CQESIM_MINI_CSUM)
			ring_random_bytes(d, mini + 2, 2);
		else if (c->shape.format == CQESIM_MINI_REQ)
			ring_random_bytes(d, mini + 3, 1);
	}
	/* vec takes VLAN bits of unused minis for the packets' (README): 0 there. */
	if (l34h && ring_path_vec(c->path))
		return;
	ring_random_bytes(d, array + (size_t)minis * 8, (ring_enhanced(d) ? 60 : 64) - minis * 8);
}

/* ---- packets ---- */

static uint8_t draw_header_type(struct ring_device *d)
{
	unsigned l3 = below(d, 3), l4 = below(d, 5), type = below(d, 2) << 1; /* IP options */

	if (l3) {
		type |= l3 << 2 | l4 << 4;
		/* Any L4 may go with a fragment (PMD mlx5_set_ptype_table). */
		if (below(d, 8) == 0)
			type |= 0x80;
	}
	if (chance(d, 300))
		type |= 1; /* VLAN stripped */
	return (uint8_t)type;
}

static uint32_t draw_tag(struct ring_device *d)
{
	uint32_t tag = (uint32_t)ring_random(&d->random) & 0xffffff;

	switch (below(d, 8)) {
	case 0:
	case 1:
		return d->config->zero_tags ? 0 : tag | 1;
	case 2:
		return 0xffffff; /* a match without a mark, to DPDK */
	default:
		return tag ? tag : 1;
	}
}

static uint32_t draw_hash(struct ring_device *d)
{
	return below(d, 8) ? (uint32_t)ring_random(&d->random) : 0;
}

/* Common lengths, limits, and values whose last byte could be an op_own; within 1 .. most. */
static uint32_t draw_length(struct ring_device *d, uint32_t most)
{
	static const uint16_t usual[] = {60, 64, 65, 127, 128, 129, 256, 511, 1024, 1500, 2048};
	static const uint8_t op_own[] = {0x20, 0x21, 0x2c, 0x2d, 0xe0,
					 0xe1, 0xf0, 0xf1, 0x0c, 0x0d};
	uint32_t length, least = d->config->crc ? 5 : 1;

	switch (below(d, 8)) {
	case 0:
		length = usual[below(d, sizeof(usual) / sizeof(usual[0]))];
		break;
	case 1:
	case 2:
		length = 60 + below(d, 200);
		break;
	case 3:
		length = (below(d, most) & ~0xffu) | op_own[below(d, sizeof(op_own))];
		break;
	case 4: /* counts that a title could have */
		length = 1 + below(d, ring_size(d));
		break;
	case 5:
		length = most - below(d, 4);
		break;
	default:
		length = 1 + below(d, most);
	}
	return length < least || length > most ? least + below(d, most - least + 1) : length;
}

static uint32_t strides_for(const struct ring_device *d, uint32_t length)
{
	unsigned log_stride = d->config->shape.log_stride;

	return (length + (UINT32_C(1) << log_stride) - 1) >> log_stride;
}

/* The driver counts strides from the length without FCS where it counts at all. */
static uint32_t same_without_crc(const struct ring_device *d, uint32_t length)
{
	if (!d->config->crc)
		return length;
	while (strides_for(d, length - 4) != strides_for(d, length))
		length++;
	return length;
}

static void take_strides(struct ring_device *d, uint32_t strides)
{
	d->stride = (uint16_t)(d->stride + strides);
	d->strides_since += strides;
}

static bool may_be_filler(const struct ring_device *d, enum ring_use use)
{
	const struct ring_config *g = d->config;

	if (d->plain_only) /* see write_error */
		return false;
	/*
	 * With four fillers among those packets of a session that a call begins
	 * with, mprq_vec finds room for four new entries and looks for them in
	 * buffers that hold what is left of the session (PMD rxq_burst_mprq_v).
	 */
	if (use == RING_FOR_SESSION && g->path == RING_MPRQ_VEC && d->fillers_in_session == 3)
		return false;
	return use == RING_FOR_SESSION ? g->session_fillers : use == RING_FOR_PLAIN && g->fillers;
}

/* Put the packet in the next strides; too long a one is cut or a filler comes instead of it. */
static void place(struct ring_device *d, struct cqesim_completion *c, enum ring_use use)
{
	const struct ring_config *g = d->config;
	uint32_t per = UINT32_C(1) << g->log_strides;
	bool ftag = use == RING_FOR_SESSION && g->shape.format == CQESIM_MINI_FTAG_STRIDX;

	if (d->stride >= per) {
		d->stride = 0;
		d->descriptor++;
	}
	uint32_t left = per - d->stride;
	uint32_t length = same_without_crc(d, c->meta.byte_cnt);
	uint32_t strides = strides_for(d, length);
	if (g->wide_strides && !ftag && chance(d, 300))
		strides += below(d, 3);
	c->wqe_counter = d->stride;
	c->wqe_id = d->descriptor;
	c->filler = 0;
	if (strides > left && may_be_filler(d, use)) {
		c->filler = 1;
		d->fillers_in_session++;
		/* README: mprq_vec knows a filler by its length 0 alone. */
		length = g->path == RING_MPRQ_VEC || below(d, 2) ? 0 : below(d, 0x10000);
		strides = left;
	} else if (strides > left) {
		uint32_t most = left << g->shape.log_stride;

		most = most < g->data_room ? most : g->data_room;
		do
			length = same_without_crc(d, draw_length(d, most));
		while (length > most);
		strides = strides_for(d, length);
	}
	c->meta.byte_cnt = length;
	c->strides = (uint16_t)strides;
	take_strides(d, strides);
}

/* Length and place of a packet. */
void ring_draw_place(struct ring_device *d, struct cqesim_completion *c, enum ring_use use)
{
	uint32_t most = d->config->data_room;

	if (ring_requester(d)) {
		c->meta.byte_cnt = (uint32_t)ring_random(&d->random) >> below(d, 32);
		return;
	}
	if (use == RING_FOR_SESSION && most > 0xffff)
		most = 0xffff; /* what a mini may say */
	if (ring_striding(d)) {
		uint32_t all = UINT32_C(1)
			       << (d->config->log_strides + d->config->shape.log_stride);

		/* As many packets as strides: one each. */
		if (d->config->whole && d->since < ring_size(d) && d->count == d->since)
			all = UINT32_C(1) << d->config->shape.log_stride;
		most = most < all ? most : all;
		/* Four strides and less, most of the time. */
		if (below(d, 4) && (4u << d->config->shape.log_stride) < most)
			most = 4u << d->config->shape.log_stride;
	}
	c->meta.byte_cnt = draw_length(d, most);
	if (ring_striding(d))
		place(d, c, use);
}

/* What every packet of its own has. */
struct cqesim_completion ring_draw_packet(struct ring_device *d)
{
	const struct ring_config *g = d->config;
	uint64_t r[4];

	random_words(d, r, 4);
	struct cqesim_completion c = {
		.meta.user_index = r[0] & 0xffffff,
		.meta.vlan_info = (uint16_t)(r[0] >> 24),
		.meta.csum = (uint16_t)(r[0] >> 40),
		.meta.rx_hash_type = (uint8_t)(r[0] >> 56),
		/* Bits above 1 are TLS and reserved. */
		.meta.pkt_info = (uint8_t)(r[1] & 0xfc),
		.meta.hds_ip_ext = (uint8_t)(r[1] >> 8),
		.timestamp = r[2],
		.index = d->w.pi,
		.flow_table_metadata = (uint32_t)r[3],
		.wqe_counter = (uint16_t)(r[3] >> 32),
		.wqe_id = (uint16_t)(r[3] >> 48),
		.lro_num_seg = r[1] >> 16 & 1, /* two and more: DPDK rewrites headers */
		.opcode = CQESIM_OP_RESP_SEND,
	};
	c.meta.rx_hash_res = draw_hash(d);
	c.meta.flow_tag = draw_tag(d);
	c.meta.l4_l3_hdr_type = draw_header_type(d);
	if (g->tunnels && r[1] >> 20 & 1)
		c.meta.pkt_info |= r[1] >> 21 & 1 ? 3 : 1;
	if (g->path == RING_FREE) {
		c.lro_num_seg = (uint8_t)(r[1] >> 16);
		c.send_opcode = (uint8_t)(r[1] >> 24);
		c.opcode = ring_requester(d) ? CQESIM_OP_REQ : (uint8_t)(r[1] >> 32 & 0xff) % 7;
	}
	if (g->in_order)
		c.wqe_counter = d->counter;
	return c;
}

/* What a mini carries, anew; the rest is the title's. */
void ring_draw_carried(struct ring_device *d, struct cqesim_completion *c)
{
	uint16_t wqe_id = c->wqe_id; /* stays the title's, whatever descriptor the packet is in */

	ring_draw_place(d, c, RING_FOR_SESSION);
	c->wqe_id = wqe_id;
	switch (d->config->shape.format) {
	case CQESIM_MINI_HASH:
		c->meta.rx_hash_res = draw_hash(d);
		break;
	case CQESIM_MINI_FTAG_STRIDX:
		c->meta.flow_tag = draw_tag(d);
		break;
	case CQESIM_MINI_CSUM:
	case CQESIM_MINI_CSUM_STRIDX:
		c->meta.csum = (uint16_t)ring_random(&d->random);
		break;
	case CQESIM_MINI_L34H_STRIDX:
		c->meta.l4_l3_hdr_type = draw_header_type(d);
		if (!d->config->vlan_minis)
			c->meta.l4_l3_hdr_type &= 0xfc;
		break;
	default:
		c->send_opcode = (uint8_t)ring_random(&d->random);
	}
	bool counts_on = d->config->shape.format <= CQESIM_MINI_CSUM;
	if (counts_on || d->config->in_order)
		c->wqe_counter = d->counter;
	else if (!ring_striding(d))
		c->wqe_counter = (uint16_t)ring_random(&d->random);
}

/* wqe_counter of the next packet whose mini has none. */
void ring_count_on(struct ring_device *d, const struct cqesim_completion *c)
{
	d->counter = (uint16_t)(c->wqe_counter + (ring_striding(d) ? c->strides : 1));
}
