/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Round trips: random CQEs of all views, mini-CQEs of all formats and rings of
 * all shapes come out as they went in, ten million of each.  What hostile rings
 * do to the reader is in test_cq_property_hostile.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_cq_property.h"

static uint64_t master_seed;

uint64_t property_seed(unsigned i)
{
	uint64_t s = master_seed + i;

	return ring_random(&s);
}

uint64_t property_master_seed(void)
{
	return master_seed;
}

#define REPEAT "CQESIM_SEED=%#" PRIx64 " tests/check_cqesim property"

/* ---- views ---- */

struct view {
	const char *name;
	size_t size;
	void (*decode)(const uint8_t *raw, void *out);
	void (*encode)(const void *in, uint8_t *raw);
	void (*put)(const void *in, uint8_t *raw);
};

#define WRAP(tag, table)                                                                           \
	static void decode_##tag(const uint8_t *raw, void *out)                                    \
	{                                                                                          \
		tag##_decode(raw, out);                                                            \
	}                                                                                          \
	static void encode_##tag(const void *in, uint8_t *raw)                                     \
	{                                                                                          \
		tag##_encode(in, raw);                                                             \
	}                                                                                          \
	static void put_##tag(const void *in, uint8_t *raw)                                        \
	{                                                                                          \
		tag##_put(in, raw);                                                                \
	}
CQESIM_CQE_VIEWS(WRAP)

#define VIEW(tag, table) {#tag, sizeof(struct tag), decode_##tag, encode_##tag, put_##tag},
static const struct view views[] = {CQESIM_CQE_VIEWS(VIEW)};
#define VIEWS (sizeof(views) / sizeof(views[0]))
#define MOST  128 /* bytes of a view's struct */

static void random_bytes(uint64_t *s, void *to, size_t bytes)
{
	uint8_t *p = to;

	for (; bytes >= 8; bytes -= 8, p += 8) {
		uint64_t r = ring_random(s);
		memcpy(p, &r, 8);
	}
	for (; bytes; bytes--)
		*p++ = (uint8_t)ring_random(s);
}

static uint64_t member(const struct cqesim_field *f, const uint8_t *of)
{
	uint64_t value = 0;

	memcpy(&value, of + f->offset, f->size);
	return value;
}

/* Members wider than their fields lose what does not fit, and nothing else. */
static bool cut(const struct cqesim_layout *l, const uint8_t *in, const uint8_t *out)
{
	for (unsigned i = 0; i < l->count; i++) {
		const struct cqesim_field *f = &l->fields[i];

		if (member(f, out) != (member(f, in) & ~UINT64_C(0) >> (64 - f->bits)))
			return false;
	}
	return true;
}

static bool masked_equal(const uint8_t *a, const uint8_t *b, const uint8_t mask[64])
{
	return !cqesim_cqe_differs(a, b, mask);
}

START_TEST(view_round_trip)
{
	const struct view *v = &views[_i];
	const struct cqesim_layout *layout = &cqesim_cqe_views[_i];
	uint8_t raw[64], again[64], over[64], mask[64] = {0}, others[64];
	uint8_t in[MOST], out[MOST];
	uint64_t s = property_seed((unsigned)_i);
	unsigned bits = 0;

	ck_assert_uint_eq(cqesim_cqe_view_count, VIEWS);
	ck_assert_uint_le(v->size, MOST);
	for (unsigned i = 0; i < layout->count; i++) {
		cqesim_field_mask(&layout->fields[i], mask);
		bits += layout->fields[i].bits;
	}
	for (unsigned i = 0; i < 64; i++) {
		bits -= (unsigned)__builtin_popcount(mask[i]);
		others[i] = (uint8_t)~mask[i];
	}
	ck_assert_msg(!bits, "%s: fields overlap", v->name);
	for (uint32_t i = 0, n = property_count(1000000); i < n; i++) {
		memset(in, 0, sizeof(in));
		memset(out, 0, sizeof(out));
		random_bytes(&s, raw, sizeof(raw));
		v->decode(raw, in);
		v->encode(in, again);
		bool good = masked_equal(again, raw, mask);
		v->decode(again, out);
		good &= !memcmp(in, out, v->size);
		/* An overlay changes its own bits alone. */
		random_bytes(&s, over, sizeof(over));
		memcpy(again, over, sizeof(over));
		v->put(in, again);
		good &= masked_equal(again, raw, mask) && masked_equal(again, over, others);
		if (i % 4 == 0) {
			random_bytes(&s, in, v->size);
			v->encode(in, again);
			v->decode(again, out);
			good &= cut(layout, in, out);
		}
		/* Check writes down every assertion, so only those that fail are made. */
		if (!good)
			ck_abort_msg("%s: CQE %u: " REPEAT, v->name, i, master_seed);
	}
}
END_TEST

/* ---- minis ---- */

static void mini_mask(enum cqesim_mini_format format, uint8_t mask[8])
{
	unsigned rows;
	const struct cqesim_mini_field *row = cqesim_mini_fields(format, &rows);

	memset(mask, 0, 8);
	for (unsigned i = 0; i < rows; i++) {
		uint64_t bits = (~UINT64_C(0) >> (64 - row[i].bits)) << row[i].shift;
		uint64_t old = cqesim_be_load(mask + row[i].byte, row[i].bytes);

		ck_assert_uint_eq(old & bits, 0); /* fields do not overlap */
		cqesim_be_store(mask + row[i].byte, row[i].bytes, old | bits);
	}
}

START_TEST(mini_round_trip)
{
	enum cqesim_mini_format format = (enum cqesim_mini_format)_i;
	struct cqesim_mini in, out;
	uint8_t raw[8], again[8], mask[8];
	uint64_t s = property_seed(100 + (unsigned)_i);

	mini_mask(format, mask);
	for (uint32_t i = 0, n = property_count(1500000); i < n; i++) {
		bool good = true;

		memset(&in, 0, sizeof(in));
		memset(&out, 0, sizeof(out));
		random_bytes(&s, raw, sizeof(raw));
		cqesim_mini_decode(format, raw, &in);
		cqesim_mini_encode(format, &in, again);
		for (unsigned b = 0; b < 8; b++)
			good &= again[b] == (raw[b] & mask[b]);
		cqesim_mini_decode(format, again, &out);
		good &= !memcmp(&in, &out, sizeof(in));
		if (!good)
			ck_abort_msg("%s: mini %u: " REPEAT, cqesim_mini_format_name(format), i,
				     master_seed);
	}
}
END_TEST

/* ---- rings ---- */

/* One of several who read what the same device writes, each a ring of its own. */
struct listener {
	struct cqesim_cq_reader r;
	uint8_t *ring;
	size_t got;
};

struct trip {
	struct ring_config config;
	struct ring_device device;
	uint64_t random;
	struct listener whole, other, packets;
	uint32_t number;
};

static void broken(const struct trip *t, const char *what, size_t i)
{
	const struct cqesim_cq_shape *s = &t->config.shape;

	ck_abort_msg("ring %u (%s, 2^%u slots of %u bytes, %s, stride 2^%u): %s at completion %zu; "
		     "to repeat: " REPEAT,
		     t->number, cqesim_mini_format_name(s->format), s->log_size,
		     s->cqe_128 ? 128 : 64, s->layout ? "enhanced" : "basic", s->log_stride, what,
		     i, master_seed);
}

static void hear(const struct trip *t, struct listener *l, uint32_t slot, const uint8_t bytes[64])
{
	unsigned half = t->config.shape.cqe_128;

	memcpy(l->ring + ((size_t)slot << (6 + half)) + 64 * half, bytes, 64);
}

static void written(void *context, uint32_t slot, const uint8_t bytes[64])
{
	struct trip *t = context;

	hear(t, &t->whole, slot, bytes);
	hear(t, &t->other, slot, bytes);
	hear(t, &t->packets, slot, bytes);
}

/* At most `most` completions, 0: all; in bursts of any size. */
static void read_whole(struct trip *t, struct listener *l, uint32_t most)
{
	struct cqesim_completion out[70];
	uint32_t left = most ? most : UINT32_MAX;
	int n;

	while (left) {
		uint32_t burst = 1 + ring_below(&t->random, 70);

		n = cqesim_cq_poll(&l->r, out, burst < left ? burst : left, NULL);
		if (n < 0)
			broken(t, "a fault", l->got);
		if (!n)
			break;
		left -= (uint32_t)n;
		for (int i = 0; i < n; i++, l->got++)
			if (l->got >= t->device.count ||
			    !ring_same_completion(&out[i], &t->device.sent[l->got]))
				broken(t, "another completion than was sent", l->got);
	}
}

bool property_agree(const struct cqesim_packet *p, const struct cqesim_completion *c)
{
	bool none =
		c->filler || (c->opcode >= CQESIM_OP_SIG_ERR && c->opcode <= CQESIM_OP_RESP_ERR);

	return p->length == (none ? 0 : c->meta.byte_cnt) &&
	       p->rx_hash_res == c->meta.rx_hash_res && p->vlan_info == c->meta.vlan_info &&
	       p->wqe_counter == c->wqe_counter && p->pkt_info == c->meta.pkt_info &&
	       p->hds_ip_ext == c->meta.hds_ip_ext && p->l4_l3_hdr_type == c->meta.l4_l3_hdr_type &&
	       p->opcode == c->opcode;
}

static void read_packets(struct trip *t, struct listener *l, uint32_t most)
{
	struct cqesim_packet out[70];
	uint32_t left = most ? most : UINT32_MAX;
	int n;

	while (left) {
		uint32_t burst = 1 + ring_below(&t->random, 70);

		n = cqesim_cq_poll_packets(&l->r, out, burst < left ? burst : left, NULL);
		if (n < 0)
			broken(t, "a fault in short", l->got);
		if (!n)
			break;
		left -= (uint32_t)n;
		for (int i = 0; i < n; i++, l->got++)
			if (l->got >= t->device.count ||
			    !property_agree(&out[i], &t->device.sent[l->got]))
				broken(t, "another packet than was sent", l->got);
	}
}

static void polled(void *context, uint32_t most)
{
	struct trip *t = context;

	read_whole(t, &t->whole, most);
	if (!most || ring_chance(&t->random, 512))
		read_whole(t, &t->other, most ? 1 + most / 2 : 0);
	if (!most || ring_chance(&t->random, 512))
		read_packets(t, &t->packets, most);
}

static void listen_to(struct trip *t, struct listener *l)
{
	size_t bytes = cqesim_cq_ring_bytes(&t->config.shape);

	l->ring = aligned_alloc(64, bytes);
	if (!l->ring)
		broken(t, "no memory", 0);
	random_bytes(&t->random, l->ring, bytes);
	cqesim_cq_init_ring(l->ring, &t->config.shape);
	if (cqesim_cq_reader_init(&l->r, l->ring, &t->config.shape,
				  (enum cqesim_invalidate)ring_below(&t->random, 3)))
		broken(t, "no reader", 0);
	cqesim_cq_reader_seek(&l->r, t->config.start);
}

static size_t ring_trip(uint32_t number, uint32_t packets, uint64_t seed)
{
	struct trip t = {.random = seed, .number = number};

	ring_config_draw_free(&t.config, packets, seed);
	listen_to(&t, &t.whole);
	listen_to(&t, &t.other);
	listen_to(&t, &t.packets);
	if (ring_device_init(&t.device, &t.config, &t, written, polled))
		broken(&t, "no device", 0);
	while (t.device.count < packets)
		ring_device_batch(&t.device);
	if (t.whole.got != t.device.count || t.other.got != t.device.count ||
	    t.packets.got != t.device.count)
		broken(&t, "something missing", t.device.count);
	if (t.whole.r.ci != t.device.w.pi || t.other.r.ci != t.device.w.pi ||
	    t.packets.r.ci != t.device.w.pi)
		broken(&t, "another consumer index than the producer's", t.device.count);
	size_t count = t.device.count;
	free(t.whole.ring);
	free(t.other.ring);
	free(t.packets.ring);
	ring_device_free(&t.device);
	return count;
}

START_TEST(ring_round_trip)
{
	uint64_t s = property_seed(1000 + (unsigned)_i);
	uint32_t quota = property_count(PROPERTY_MANY / RING_LOOPS);
	size_t done = 0;

	for (uint32_t i = 0; done < quota; i++)
		done += ring_trip(i, 1 + ring_below(&s, 20000), ring_random(&s));
}
END_TEST

/* ---- data in the CQE ---- */

START_TEST(inline_round_trip)
{
	const struct cqesim_cq_shape shape = {.log_size = 4, .cqe_128 = _i % 2, .layout = _i / 2};
	uint8_t *ring = aligned_alloc(64, cqesim_cq_ring_bytes(&shape)), cqe[64], data[70];
	struct cqesim_cq_writer w;
	struct cqesim_cq_reader r;
	struct cqesim_completion c;
	uint64_t s = property_seed(2000 + (unsigned)_i);

	ck_assert_ptr_nonnull(ring);
	cqesim_cq_init_ring(ring, &shape);
	ck_assert(!cqesim_cq_writer_init(&w, ring, &shape, 7, true));
	ck_assert(!cqesim_cq_reader_init(&r, ring, &shape, CQESIM_INVALIDATE_LINUX));
	for (uint32_t i = 0, n = property_count(500000); i < n; i++) {
		size_t bytes = ring_below(&s, 70), size;
		bool fits = bytes <= (shape.cqe_128 ? 64 : 32);

		random_bytes(&s, cqe, sizeof(cqe));
		random_bytes(&s, data, sizeof(data));
		cqesim_be_store(cqe + 44, 4, bytes);
		int err = cqesim_cq_write_inline(&w, cqe, CQESIM_OP_RESP_SEND, data, bytes);
		bool good = (err == 0) == fits && cqesim_cq_poll(&r, &c, 1, NULL) == fits;
		if (fits && good) {
			const uint8_t *at = cqesim_cq_inline_data(&r, &c, &size);
			good = at && size == bytes && !memcmp(at, data, bytes);
		}
		if (!good)
			ck_abort_msg("%zu bytes, entry %u: " REPEAT, bytes, i, master_seed);
	}
	free(ring);
}
END_TEST

Suite *suite_property(void)
{
	Suite *s = suite_create("property");
	TCase *t = tcase_create("round trip");

	master_seed = ring_master_seed();
	printf("property: CQESIM_SEED=%#" PRIx64 "\n", master_seed);
	fflush(stdout);
	tcase_set_timeout(t, 3600);
	tcase_add_loop_test(t, view_round_trip, 0, (int)VIEWS);
	tcase_add_loop_test(t, mini_round_trip, 0, CQESIM_MINI_ALL_FORMATS);
	tcase_add_loop_test(t, ring_round_trip, 0, RING_LOOPS);
	tcase_add_loop_test(t, inline_round_trip, 0, 4);
	suite_add_tcase(s, t);
	property_hostile(s);
	return s;
}
