/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device that fills a completion ring with random traffic and knows what must
 * come out.  Of cqesim it uses the writer alone; packets are from ring_packet.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ring_device.h"

_Static_assert(offsetof(struct cqesim_completion, timestamp) == sizeof(struct cqesim_rxmeta) &&
		       offsetof(struct cqesim_completion, vendor_err_synd) == 60,
	       "a completion is compared as bytes: it must have no holes but at its end");

bool ring_same_completion(const struct cqesim_completion *a, const struct cqesim_completion *b)
{
	return memcmp(a, b, offsetof(struct cqesim_completion, vendor_err_synd) + 1) == 0;
}

static bool chance(struct ring_device *d, unsigned of_1024)
{
	return of_1024 && ring_chance(&d->random, of_1024);
}

static uint32_t below(struct ring_device *d, uint32_t n)
{
	return ring_below(&d->random, n);
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
	ring_disturb(d, array, minis);
	d->minis_left -= minis;
	d->written(d->context, slot, array);
}

/* ---- what was sent ---- */

static void note(struct ring_device *d, const struct cqesim_completion *c)
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
	d->sent[d->count++] = *c;
	d->since++;
}

/* ---- entries ---- */

static void write_plain(struct ring_device *d)
{
	struct cqesim_completion c = ring_draw_packet(d);
	uint8_t raw[64];

	ring_draw_place(d, &c, RING_FOR_PLAIN);
	ring_encode(d, &c, raw);
	note(d, &c);
	cqesim_cq_write(&d->w, raw, c.opcode, CQESIM_FORMAT_PLAIN);
	ring_count_on(d, &c);
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
	struct cqesim_completion c = ring_draw_packet(d);

	ring_draw_place(d, &c, RING_FOR_ERROR);
	/*
	 * README: mprq returns a packet of the error's length; mprq_vec closes the
	 * descriptor for length 0, but then does not find the error again and
	 * drops what comes in its next call (PMD rxq_handle_pending_error).
	 */
	if (g->path == RING_MPRQ && !g->crc && chance(d, 200))
		c.meta.byte_cnt = 0;
	if (g->path != RING_FREE)
		c.lro_num_seg = 0;
	ring_encode(d, &c, raw);
	ring_random_bytes(d, raw + 52, 4);
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
	ring_decode(d, raw, opcode, &c);
	if (critical)
		d->criticals++;
	else
		d->errors++;
	d->lost |= critical;
	note(d, &c);
	cqesim_cq_write(&d->w, raw, opcode, CQESIM_FORMAT_PLAIN);
	ring_count_on(d, &c);
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

	if (ring_enhanced(d)) {
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
	d->minis_left = ring_enhanced(d) || n > 1 ? n : 0;
	uint32_t closed = cqesim_cq_session_close(&d->w);
	if (closed != n)
		abort();
	d->minis_left = 0;
	for (uint32_t i = 0; i < n && (ring_enhanced(d) || n > 1); i++) {
		struct cqesim_completion *c = &d->sent[d->count - n + i];
		c->session_n = n;
		c->session_i = i;
		if (!ring_enhanced(d))
			c->format = CQESIM_FORMAT_COMPRESSED;
	}
}

static void write_basic_session(struct ring_device *d, uint32_t n)
{
	struct cqesim_completion c = ring_draw_packet(d);
	uint8_t raw[64];
	uint32_t i = 1;

	d->fillers_in_session = 0;
	c.opcode = ring_requester(d) ? CQESIM_OP_REQ : CQESIM_OP_RESP_SEND;
	if (!d->config->vlan_minis && d->config->shape.format == CQESIM_MINI_L34H_STRIDX)
		c.meta.l4_l3_hdr_type &= 0xfc;
	ring_draw_place(d, &c, RING_FOR_SESSION);
	ring_encode(d, &c, raw);
	note(d, &c);
	if (cqesim_cq_session_open(&d->w, raw) < n)
		abort();
	ring_count_on(d, &c);
	for (; i < n && ring_strides_left(d); i++) {
		ring_draw_carried(d, &c);
		ring_encode(d, &c, raw);
		note(d, &c);
		cqesim_cq_session_add(&d->w, raw);
		ring_count_on(d, &c);
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
	for (; i < n && ring_strides_left(d); i++) {
		ring_draw_carried(d, &c);
		ring_encode(d, &c, raw);
		note(d, &c);
		if (!i && cqesim_cq_session_open(&d->w, raw) < n)
			abort();
		if (i)
			cqesim_cq_session_add(&d->w, raw);
		ring_count_on(d, &c);
	}
	close_session(d, i);
}

/* One entry of at most `most` completions; false if there is no room for any. */
static bool write_entry(struct ring_device *d, uint32_t most)
{
	const struct ring_config *g = d->config;
	uint32_t least = ring_enhanced(d) ? 1 : 2;

	if (!ring_strides_left(d))
		return false;
	if (g->whole && !d->count && most == ring_size(d)) {
		write_basic_session(d, most);
		return true;
	}
	if (chance(d, g->critical) && critical_possible(d)) {
		write_error(d, true);
	} else if (chance(d, g->error) && !d->lost) {
		write_error(d, false);
	} else if (chance(d, g->session) && !d->plain_only) {
		uint32_t limit = session_limit(d, most);

		if (limit < least)
			write_plain(d);
		else if (ring_enhanced(d))
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
	if (!d->count && (g->whole || below(d, 2)))
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
					config->whole ? 1u << shape->log_size : config->longest,
					config->cross);
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
