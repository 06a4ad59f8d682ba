/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device that fills a completion ring with random traffic and knows what must
 * come out.  The 64 bytes of a completion are laid out here by hand, so that
 * cqesim's own tables are not their own judge; only the writer is used.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ring_random.h"

_Static_assert(offsetof(struct cqesim_completion, timestamp) == sizeof(struct cqesim_rxmeta) &&
		       offsetof(struct cqesim_completion, vendor_err_synd) == 60,
	       "a completion is compared as bytes: it must have no holes but at its end");

bool ring_same_completion(const struct cqesim_completion *a, const struct cqesim_completion *b)
{
	return memcmp(a, b, offsetof(struct cqesim_completion, vendor_err_synd) + 1) == 0;
}

static bool striding(const struct ring_device *d)
{
	return d->config->shape.log_stride != 0;
}

static bool enhanced(const struct ring_device *d)
{
	return d->config->shape.layout == CQESIM_CQ_ENHANCED;
}

static bool requester(const struct ring_device *d)
{
	return d->config->shape.format >= CQESIM_MINI_FORMATS;
}

static uint32_t ring_size(const struct ring_device *d)
{
	return UINT32_C(1) << d->config->shape.log_size;
}

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

static void random_bytes(struct ring_device *d, uint8_t *p, unsigned bytes)
{
	for (; bytes >= 8; bytes -= 8, p += 8) {
		uint64_t r = ring_random(&d->random);
		memcpy(p, &r, 8);
	}
	for (; bytes; bytes--)
		*p++ = (uint8_t)ring_random(&d->random);
}

/* byte_cnt as it stands in a CQE. */
static uint32_t byte_cnt(const struct cqesim_completion *c)
{
	return c->meta.byte_cnt | (uint32_t)c->strides << 16 | (uint32_t)c->filler << 31;
}

/* Receive view (DV mlx5_cqe64, PRM-H mlx5_cqe), op_own apart. */
static void encode(struct ring_device *d, const struct cqesim_completion *c, uint8_t raw[64])
{
	memset(raw, 0, 64);
	if (d->config->junk) {
		uint64_t r[3] = {ring_random(&d->random), ring_random(&d->random),
				 ring_random(&d->random)};

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
static void decode(const struct ring_device *d, const uint8_t raw[64], unsigned opcode,
		   struct cqesim_completion *c)
{
	bool error = opcode == CQESIM_OP_REQ_ERR || opcode == CQESIM_OP_RESP_ERR;
	uint32_t count = (uint32_t)get(raw + 44, 4);

	*c = (struct cqesim_completion){
		.meta.byte_cnt = striding(d) ? count & 0xffff : count,
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
		.strides = striding(d) ? count >> 16 & 0x7fff : 0,
		.filler = striding(d) ? count >> 31 : 0,
		.lro_num_seg = raw[32],
		.opcode = (uint8_t)opcode,
		.send_opcode = raw[56],
		.syndrome = error ? raw[55] : 0,
		.vendor_err_synd = error ? raw[54] : 0,
	};
}

/* What a device is free to do with bytes of mini arrays: see encode for plain entries. */
static void disturb(struct ring_device *d, uint8_t *array, unsigned minis)
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
			random_bytes(d, mini + 2, 2);
		else if (c->shape.format == CQESIM_MINI_REQ)
			random_bytes(d, mini + 3, 1);
	}
	/* vec takes VLAN bits of unused minis for the packets' (README): 0 there. */
	if (l34h && ring_path_vec(c->path))
		return;
	random_bytes(d, array + (size_t)minis * 8, (enhanced(d) ? 60 : 64) - minis * 8);
}

static void observe(void *context, uint32_t slot, const uint8_t bytes[64])
{
	struct ring_device *d = context;
	uint8_t array[64] __attribute__((aligned(8)));

	if (!d->minis_left || !d->config->junk) {
		d->written(d->context, slot, bytes);
		return;
	}
	unsigned minis = d->minis_left < 8 ? d->minis_left : 8;
	memcpy(array, bytes, sizeof(array));
	disturb(d, array, minis);
	d->minis_left -= minis;
	d->written(d->context, slot, array);
}

/* ---- what was sent ---- */

static struct cqesim_completion *note(struct ring_device *d, const struct cqesim_completion *c)
{
	if (d->count == d->room) {
		size_t room = d->room ? 2 * d->room : 4096;
		struct cqesim_completion *sent = realloc(d->sent, room * sizeof(*sent));
		uint8_t *fate = realloc(d->fate, room);

		if (!sent || !fate)
			abort();
		d->sent = sent;
		d->fate = fate;
		d->room = room;
	}
	d->fate[d->count] = d->lost ? RING_LOST : RING_DELIVERED;
	d->sent[d->count] = *c;
	d->since++;
	return &d->sent[d->count++];
}

/* ---- packets ---- */

static uint8_t draw_header_type(struct ring_device *d)
{
	uint8_t l3 = (uint8_t)below(d, 3), type = (uint8_t)(below(d, 2) << 1);

	if (l3) {
		/* Any L4 may go with a fragment (PMD mlx5_set_ptype_table). */
		type |= (uint8_t)(l3 << 2 | below(d, 5) << 4 | (below(d, 8) == 0) << 7);
	}
	if (chance(d, 300))
		type |= 1; /* VLAN stripped */
	return type;
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
	static const uint8_t op_own[] = {0x20, 0x21, 0x2c, 0x2d, 0xe0, 0xe1, 0xf0, 0xf1, 0x0c, 0x0d};
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

/* Strides that the driver can still be sure to have free. */
static uint32_t strides_left(const struct ring_device *d)
{
	return striding(d) ? d->strides_free - d->strides_since : UINT32_MAX;
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

/* What a place in a descriptor is for. */
enum use { FOR_PLAIN, FOR_SESSION, FOR_ERROR };

static bool may_be_filler(const struct ring_device *d, enum use use)
{
	const struct ring_config *g = d->config;

	if (d->plain_only) /* see write_error */
		return false;
	/*
	 * With four fillers among those packets of a session that a call begins
	 * with, mprq_vec finds room for four new entries and looks for them in
	 * buffers that hold what is left of the session (PMD rxq_burst_mprq_v).
	 */
	if (use == FOR_SESSION && g->path == RING_MPRQ_VEC && d->fillers_in_session == 3)
		return false;
	return use == FOR_SESSION ? g->session_fillers : use == FOR_PLAIN && g->fillers;
}

/* Put the packet in the next strides; too long a one is cut or a filler comes instead of it. */
static void place(struct ring_device *d, struct cqesim_completion *c, enum use use)
{
	const struct ring_config *g = d->config;
	uint32_t per = UINT32_C(1) << g->log_strides;
	bool ftag = use == FOR_SESSION && g->shape.format == CQESIM_MINI_FTAG_STRIDX;

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
static void draw_place(struct ring_device *d, struct cqesim_completion *c, enum use use)
{
	uint32_t most = d->config->data_room;

	if (requester(d)) {
		c->meta.byte_cnt = (uint32_t)ring_random(&d->random) >> below(d, 32);
		return;
	}
	if (use == FOR_SESSION && most > 0xffff)
		most = 0xffff; /* what a mini may say */
	if (striding(d)) {
		uint32_t all = UINT32_C(1) << (d->config->log_strides + d->config->shape.log_stride);

		most = most < all ? most : all;
		/* Four strides and less, most of the time. */
		if (below(d, 4) && (4u << d->config->shape.log_stride) < most)
			most = 4u << d->config->shape.log_stride;
	}
	c->meta.byte_cnt = draw_length(d, most);
	if (striding(d))
		place(d, c, use);
}

/* What every packet of its own has. */
static struct cqesim_completion draw_packet(struct ring_device *d)
{
	const struct ring_config *g = d->config;
	uint64_t r[4] = {ring_random(&d->random), ring_random(&d->random),
			 ring_random(&d->random), ring_random(&d->random)};
	struct cqesim_completion c = {
		.meta.rx_hash_res = draw_hash(d),
		.meta.flow_tag = draw_tag(d),
		.meta.user_index = r[0] & 0xffffff,
		.meta.vlan_info = (uint16_t)(r[0] >> 24),
		.meta.csum = (uint16_t)(r[0] >> 40),
		.meta.rx_hash_type = (uint8_t)(r[0] >> 56),
		/* Bits above 1 are TLS and reserved. */
		.meta.pkt_info = (uint8_t)(r[1] & 0xfc),
		.meta.hds_ip_ext = (uint8_t)(r[1] >> 8),
		.meta.l4_l3_hdr_type = draw_header_type(d),
		.timestamp = r[2],
		.index = d->w.pi,
		.flow_table_metadata = (uint32_t)r[3],
		.wqe_counter = (uint16_t)(r[3] >> 32),
		.wqe_id = (uint16_t)(r[3] >> 48),
		.lro_num_seg = r[1] >> 16 & 1, /* two and more: DPDK rewrites headers */
		.opcode = CQESIM_OP_RESP_SEND,
	};

	if (g->tunnels && r[1] >> 20 & 1)
		c.meta.pkt_info |= r[1] >> 21 & 1 ? 3 : 1;
	if (g->path == RING_FREE) {
		c.lro_num_seg = (uint8_t)(r[1] >> 16);
		c.send_opcode = (uint8_t)(r[1] >> 24);
		c.opcode = requester(d) ? CQESIM_OP_REQ : (uint8_t)(r[1] >> 32 & 0xff) % 7;
	}
	if (g->in_order)
		c.wqe_counter = d->counter;
	return c;
}

/* What a mini carries, anew; the rest is the title's. */
static void draw_carried(struct ring_device *d, struct cqesim_completion *c)
{
	uint16_t wqe_id = c->wqe_id; /* stays the title's, whatever descriptor the packet is in */

	draw_place(d, c, FOR_SESSION);
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
	else if (!striding(d))
		c->wqe_counter = (uint16_t)ring_random(&d->random);
}

/* wqe_counter of the next packet whose mini has none. */
static void count_on(struct ring_device *d, const struct cqesim_completion *c)
{
	d->counter = (uint16_t)(c->wqe_counter + (striding(d) ? c->strides : 1));
}

/* ---- entries ---- */

static void write_plain(struct ring_device *d)
{
	struct cqesim_completion c = draw_packet(d);
	uint8_t raw[64];

	draw_place(d, &c, FOR_PLAIN);
	encode(d, &c, raw);
	note(d, &c);
	cqesim_cq_write(&d->w, raw, c.opcode, CQESIM_FORMAT_PLAIN);
	count_on(d, &c);
	d->title = c;
	d->title_doubtful = d->plain_only;
}

/* Is an error in place here, and if it must be critical? */
static bool critical_possible(const struct ring_device *d)
{
	/*
	 * The vector functions recover when the slot before the consumer index
	 * looks like hardware's, that is at once if the error lies in the ring's
	 * last slot; then buffers and entries still agree, as both start at 0.
	 * What they drop depends on their calls, so nothing follows in the batch.
	 */
	if (ring_path_vec(d->config->path))
		return (d->w.pi & d->w.mask) == d->w.mask && !d->plain_only;
	return !d->lost;
}

static void draw_error(struct ring_device *d, uint8_t raw[64], bool critical)
{
	static const uint8_t fatal[] = {2, 4, 5}; /* PMD mlx5_rx_err_handle */
	const struct ring_config *g = d->config;
	struct cqesim_completion c = draw_packet(d);

	draw_place(d, &c, FOR_ERROR);
	/*
	 * README: mprq returns a packet of the error's length; mprq_vec closes the
	 * descriptor for length 0, but then does not find the error again and
	 * drops what comes in its next call (PMD rxq_handle_pending_error).
	 */
	if (g->path == RING_MPRQ && !g->crc && chance(d, 200))
		c.meta.byte_cnt = 0;
	if (g->path != RING_FREE)
		c.lro_num_seg = 0;
	encode(d, &c, raw);
	random_bytes(d, raw + 52, 4);
	while (!critical && (raw[55] == 2 || raw[55] == 4 || raw[55] == 5))
		raw[55]++;
	if (critical)
		raw[55] = fatal[below(d, 3)];
}

static void write_error(struct ring_device *d, bool critical)
{
	unsigned opcode = CQESIM_OP_RESP_ERR;
	struct cqesim_completion c;
	uint8_t raw[64];

	draw_error(d, raw, critical);
	/* A receive queue has no other errors; the scalar functions lose the next packet at 13. */
	if (d->config->path == RING_FREE)
		opcode = CQESIM_OP_SIG_ERR + below(d, 3);
	decode(d, raw, opcode, &c);
	if (critical)
		d->criticals++;
	else
		d->errors++;
	d->lost |= critical;
	note(d, &c);
	cqesim_cq_write(&d->w, raw, opcode, CQESIM_FORMAT_PLAIN);
	count_on(d, &c);
	/*
	 * The vector functions look for the error among as many entries as they
	 * return packets; behind a session or fillers they miss it, and drop the
	 * packets of the next call (PMD mlx5_rx_err_handle, state IGNORE).
	 */
	d->plain_only = ring_path_vec(d->config->path);
	d->no_poll |= critical;
}

/* Longest session or array that may start here. */
static uint32_t session_limit(const struct ring_device *d, uint32_t most)
{
	const struct ring_config *g = d->config;
	uint32_t at = d->w.pi & d->w.mask, to_end = d->w.mask + 1 - at;

	if (enhanced(d)) {
		bool last = (d->title.index & d->w.mask) == d->w.mask;

		/*
		 * A vector function keeps a title only if the first entry that it
		 * took in that call is no error (PMD rxq_burst_v, 24.11).
		 */
		if (!d->w.has_title || d->title_doubtful || (last && !g->title_last))
			return 0;
		if (!g->cross && !g->at_end)
			to_end--;
	}
	if (!g->cross && most > to_end)
		most = to_end;
	/* mprq_vec fills as many buffers as the session has packets, posted or not. */
	if (g->path == RING_MPRQ_VEC)
		most = d->since + most > d->posted
			       ? (d->since < d->posted ? d->posted - d->since : 0)
			       : most;
	return most < g->longest ? most : g->longest;
}

static uint32_t draw_session_length(struct ring_device *d, uint32_t least, uint32_t limit)
{
	static const uint8_t favourites[] = {7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64};
	uint32_t n;

	switch (below(d, 4)) {
	case 0:
		n = favourites[below(d, sizeof(favourites))];
		break;
	case 1:
		n = limit;
		break;
	case 2:
		n = least + below(d, 8);
		break;
	default:
		n = least + below(d, limit - least + 1);
	}
	return n > limit ? limit : n;
}

/* Close what is open and patch its size into what was noted. */
static void close_session(struct ring_device *d, uint32_t n)
{
	d->minis_left = enhanced(d) || n > 1 ? n : 0;
	uint32_t closed = cqesim_cq_session_close(&d->w);
	if (closed != n)
		abort();
	d->minis_left = 0;
	for (uint32_t i = 0; i < n && (enhanced(d) || n > 1); i++) {
		struct cqesim_completion *c = &d->sent[d->count - n + i];
		c->session_n = n;
		c->session_i = i;
		if (!enhanced(d))
			c->format = CQESIM_FORMAT_COMPRESSED;
	}
}

static void write_basic_session(struct ring_device *d, uint32_t n)
{
	struct cqesim_completion c = draw_packet(d);
	uint8_t raw[64];
	uint32_t i = 1;

	d->fillers_in_session = 0;
	c.opcode = requester(d) ? CQESIM_OP_REQ : CQESIM_OP_RESP_SEND;
	if (!d->config->vlan_minis && d->config->shape.format == CQESIM_MINI_L34H_STRIDX)
		c.meta.l4_l3_hdr_type &= 0xfc;
	draw_place(d, &c, FOR_SESSION);
	encode(d, &c, raw);
	note(d, &c);
	if (cqesim_cq_session_open(&d->w, raw) < n)
		abort();
	count_on(d, &c);
	for (; i < n && strides_left(d); i++) {
		draw_carried(d, &c);
		encode(d, &c, raw);
		note(d, &c);
		cqesim_cq_session_add(&d->w, raw);
		count_on(d, &c);
	}
	close_session(d, i);
}

static void write_array(struct ring_device *d, uint32_t n)
{
	struct cqesim_completion c = d->title;
	uint8_t raw[64];
	uint32_t i = 0;

	d->fillers_in_session = 0;
	c.index = d->w.pi;
	for (; i < n && strides_left(d); i++) {
		draw_carried(d, &c);
		encode(d, &c, raw);
		note(d, &c);
		if (!i && cqesim_cq_session_open(&d->w, raw) < n)
			abort();
		if (i)
			cqesim_cq_session_add(&d->w, raw);
		count_on(d, &c);
	}
	close_session(d, i);
}

/* One entry of at most `most` completions; false if there is no room for any. */
static bool write_entry(struct ring_device *d, uint32_t most)
{
	const struct ring_config *g = d->config;
	uint32_t least = enhanced(d) ? 1 : 2;

	if (!strides_left(d))
		return false;
	if (chance(d, g->critical) && critical_possible(d)) {
		write_error(d, true);
	} else if (chance(d, g->error) && !d->lost) {
		write_error(d, false);
	} else if (chance(d, g->session) && !d->plain_only) {
		uint32_t limit = session_limit(d, most);

		if (limit < least)
			write_plain(d);
		else if (enhanced(d))
			write_array(d, draw_session_length(d, least, limit > 7 ? 7 : limit));
		else
			write_basic_session(d, draw_session_length(d, least, limit));
	} else {
		write_plain(d);
	}
	return true;
}

/* ---- batches ---- */

/*
 * Buffers that the vector functions have posted when a queue starts.  They
 * decode up to three minis too many, into the buffers that follow; past the end
 * of the array of buffers four places are kept for that, elsewhere they must not
 * be those of packets just returned.
 */
static uint32_t posted_at_start(const struct ring_device *d)
{
	bool aligned = !(d->w.pi & d->w.mask);

	return ring_path_vec(d->config->path) && !aligned ? ring_size(d) - 4 : ring_size(d);
}

/* Have everything read; from here on all buffers are the device's again, as far as it is sure. */
static void drain(struct ring_device *d)
{
	const struct ring_config *g = d->config;
	uint32_t size = ring_size(d), threshold = (size + 4) / 4;

	d->polled(d->context, 0);
	if (d->lost) { /* the driver has reset the queue */
		d->stride = d->descriptor = 0;
		if (g->in_order)
			d->counter = 0;
	}
	/* The vector functions post buffers when this many are missing (PMD). */
	threshold = threshold < 64 ? threshold : 64;
	if (ring_path_vec(g->path) && !d->lost)
		d->posted = size - threshold;
	else
		d->posted = posted_at_start(d);
	if (g->path == RING_MPRQ_VEC && !d->lost && d->posted > threshold + 64)
		d->posted = threshold + 64; /* PMD mlx5_rx_mprq_replenish_bulk_mbuf */
	d->strides_free = (UINT32_C(1) << (g->log_elts + g->log_strides)) - d->stride;
	d->since = d->strides_since = 0;
	d->lost = d->no_poll = d->plain_only = false;
}

void ring_device_batch(struct ring_device *d)
{
	const struct ring_config *g = d->config;
	uint32_t room = g->path == RING_VEC ? d->posted : ring_size(d);
	uint32_t most = 1 + below(d, below(d, 4) ? g->batch : 8);

	most = most < room ? most : room;
	if (!d->count && below(d, 2))
		most = room; /* a session may take the whole ring, if it starts with one */
	while (d->since < most) {
		if (d->lost && ring_path_vec(g->path))
			break;
		if (!write_entry(d, most - d->since))
			break;
		if (!d->no_poll && chance(d, g->poll))
			d->polled(d->context, 1 + below(d, 2 * ring_size(d) < 40 ? 20 : 40));
	}
	drain(d);
}

int ring_device_init(struct ring_device *d, const struct ring_config *config, void *context,
		     void (*written)(void *, uint32_t, const uint8_t[64]),
		     void (*polled)(void *, uint32_t))
{
	const struct cqesim_cq_shape *shape = &config->shape;

	*d = (struct ring_device){
		.config = config,
		.random = config->seed,
		.context = context,
		.written = written,
		.polled = polled,
		.strides_free = UINT32_C(1) << (config->log_elts + config->log_strides),
	};
	d->ring = aligned_alloc(64, cqesim_cq_ring_bytes(shape) < 64 ? 64
								     : cqesim_cq_ring_bytes(shape));
	if (!d->ring)
		return -ENOMEM;
	cqesim_cq_init_ring(d->ring, shape);
	int err = cqesim_cq_writer_init(&d->w, d->ring, shape,
					config->longest < 2 ? 2 : config->longest, config->cross);
	if (err)
		return err;
	cqesim_cq_writer_seek(&d->w, config->start);
	d->posted = posted_at_start(d);
	d->w.observer = observe;
	d->w.observer_context = d;
	return 0;
}

void ring_device_free(struct ring_device *d)
{
	free(d->ring);
	free(d->sent);
	free(d->fate);
}
