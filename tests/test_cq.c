/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cq: rings, the writer against images built by hand, the reader against such
 * images too, and both together over many laps.  The images come from the
 * layout as the DPDK and Linux drivers read it: title at k, minis 0-7 at k+1,
 * 8-15 at k+8, 16-23 at k+16 ...
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/cq.h"
#include "test.h"
#include "test_cq.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- images by hand ---- */

static void be32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

static uint32_t hash_of(uint32_t i)
{
	return 0x9e3779b9u * (i + 1);
}

static uint32_t length_of(uint32_t i)
{
	return 60 + i * 7;
}

/* Packet i: its own hash, length and WQE; what packets share is the same for all. */
static void packet(uint8_t cqe[64], uint32_t i)
{
	memset(cqe, 0, 64);
	be32(cqe + 12, hash_of(i));
	cqe[16] = 0x84;
	cqe[20] = 0xab;
	cqe[21] = 0xcd;
	cqe[28] = 0x07;
	cqe[29] = 0x28;
	be32(cqe + 32, 0x00012345);
	be32(cqe + 44, length_of(i));
	be32(cqe + 52, 1000000 + i);
	be32(cqe + 56, 0x00abcdef);
	cqe[60] = (uint8_t)((0x4000 + i) >> 8);
	cqe[61] = (uint8_t)i;
	cqe[63] = 0xff; /* not for the ring */
}

static uint8_t *slot(uint8_t *ring, unsigned log_size, uint32_t index)
{
	return ring + (index & ((1u << log_size) - 1)) * 64;
}

static uint8_t lap(unsigned log_size, uint32_t index)
{
	return index >> log_size & 1;
}

static void image_plain(uint8_t *ring, unsigned log_size, uint32_t k, uint32_t i)
{
	uint8_t *s = slot(ring, log_size, k);

	packet(s, i);
	s[63] = 0x20 | lap(log_size, k);
}

/* Packets first .. first+n-1 in format HASH; what is not written stays. */
static void image_session(uint8_t *ring, unsigned log_size, uint32_t k, uint32_t n, uint32_t first)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t place = i < 8 ? k + 1 : k + i / 8 * 8;
		uint8_t *mini = slot(ring, log_size, place) + i % 8 * 8;

		if (i % 8 == 0)
			memset(mini, 0, 64);
		be32(mini, hash_of(first + i));
		be32(mini + 4, length_of(first + i));
	}
	uint8_t *title = slot(ring, log_size, k);
	packet(title, first);
	be32(title + 44, n);
	title[63] = 0x2c | lap(log_size, k);
}

static void same_ring(const uint8_t *got, const uint8_t *want, unsigned log_size, const char *what)
{
	size_t bytes = (size_t)64 << log_size;

	if (memcmp(got, want, bytes) == 0)
		return;
	for (size_t i = 0; i < bytes; i++)
		if (got[i] != want[i])
			ck_abort_msg("%s: slot %zu byte %zu is %02x, not %02x", what, i / 64,
				     i % 64, got[i], want[i]);
}

static uint8_t *fresh(unsigned log_size)
{
	uint8_t *ring = test_cq_ring(log_size);

	cqesim_cq_init_ring(ring, log_size);
	return ring;
}

static struct cqesim_cq_writer writer(uint8_t *ring, unsigned log_size, uint32_t max, bool cross)
{
	struct cqesim_cq_writer w;

	ck_assert_int_eq(cqesim_cq_writer_init(&w, ring, log_size, CQESIM_MINI_HASH, max, cross),
			 0);
	return w;
}

static struct cqesim_cq_reader reader(uint8_t *ring, unsigned log_size)
{
	struct cqesim_cq_reader r;

	ck_assert_int_eq(cqesim_cq_reader_init(&r, ring, log_size, CQESIM_MINI_HASH,
					       CQESIM_INVALIDATE_DPDK_SCALAR),
			 0);
	return r;
}

/* Move a writer to an index, the way that it gets there in real life. */
static void write_up_to(struct cqesim_cq_writer *w, uint32_t index)
{
	uint8_t cqe[64];

	for (packet(cqe, 0); w->pi != index;)
		cqesim_cq_write(w, cqe, 2, 0);
}

static void write_session(struct cqesim_cq_writer *w, uint32_t n, uint32_t first)
{
	uint8_t cqe[64] __attribute__((aligned(64)));

	packet(cqe, first);
	ck_assert_uint_ge(cqesim_cq_session_open(w, cqe), n);
	for (uint32_t i = 1; i < n; i++) {
		packet(cqe, first + i);
		cqesim_cq_session_add(w, cqe);
	}
	ck_assert_uint_eq(w->n, n);
	ck_assert_uint_eq(cqesim_cq_session_close(w), n);
	ck_assert_uint_eq(w->n, 0);
}

/* ---- writer ---- */

START_TEST(ring_starts_invalid)
{
	static const unsigned logs[] = {0, 1, 2, 6};

	for (size_t l = 0; l < COUNT(logs); l++) {
		size_t bytes = (size_t)64 << logs[l];
		uint8_t *ring = aligned_alloc(64, bytes + 64);

		memset(ring, 0x77, bytes + 64);
		cqesim_cq_init_ring(ring, logs[l]);
		for (size_t i = 0; i < bytes; i++)
			ck_assert_uint_eq(ring[i], i % 64 == 63 ? 0xf1 : 0);
		for (size_t i = 0; i < 64; i++)
			ck_assert_uint_eq(ring[bytes + i], 0x77);
		free(ring);
	}
}
END_TEST

START_TEST(plain_over_laps)
{
	static const uint8_t op_own[] = {0x20, 0x20, 0x20, 0x20, 0x21, 0x21, 0x21,
					 0x21, 0x20, 0x20, 0x20, 0x20, 0x21, 0x21};
	uint8_t *ring = fresh(2), *want = fresh(2), cqe[64];
	struct cqesim_cq_writer w = writer(ring, 2, 4, false);

	for (uint32_t i = 0; i < COUNT(op_own); i++) {
		packet(cqe, i);
		cqesim_cq_write(&w, cqe, CQESIM_OP_RESP_SEND, CQESIM_FORMAT_PLAIN);
		ck_assert_uint_eq(ring[i % 4 * 64 + 63], op_own[i]);
		packet(want + i % 4 * 64, i);
		want[i % 4 * 64 + 63] = op_own[i];
		same_ring(ring, want, 2, "plain");
		ck_assert_uint_eq(w.pi, i + 1);
	}
	/* opcode and format go where they belong; what the caller had in byte 63 does not matter */
	cqesim_cq_write(&w, cqe, CQESIM_OP_RESP_ERR, CQESIM_FORMAT_PLAIN);
	ck_assert_uint_eq(ring[14 % 4 * 64 + 63], 0xe1);
	cqesim_cq_write(&w, cqe, CQESIM_OP_RESP_SEND_IMM, CQESIM_FORMAT_INLINE_32);
	ck_assert_uint_eq(ring[15 % 4 * 64 + 63], 0x35);
	cqesim_cq_write(&w, cqe, CQESIM_OP_REQ, CQESIM_FORMAT_INLINE_64);
	ck_assert_uint_eq(ring[63], 0x08);
	free(ring);
	free(want);
}
END_TEST

/* Every length at every slot in two laps; holes keep what they had. */
START_TEST(sessions_everywhere)
{
	unsigned log_size = (unsigned)_i;
	uint32_t size = 1u << log_size;
	uint8_t *ring = test_cq_ring(log_size), *want = test_cq_ring(log_size);

	for (uint32_t k = 0; k < 2 * size; k++)
		for (uint32_t n = 2; n <= size; n++) {
			struct cqesim_cq_writer w = writer(ring, log_size, size, true);

			write_up_to(&w, k);
			memset(ring, 0x5a, (size_t)64 << log_size);
			memset(want, 0x5a, (size_t)64 << log_size);
			write_session(&w, n, 3);
			image_session(want, log_size, k, n, 3);
			same_ring(ring, want, log_size, "session");
			ck_assert_uint_eq(w.pi, k + n);
			/* The next one finds the place and the lap after it. */
			uint8_t cqe[64];
			packet(cqe, 99);
			cqesim_cq_write(&w, cqe, 2, 0);
			image_plain(want, log_size, k + n, 99);
			same_ring(ring, want, log_size, "after a session");
		}
	free(ring);
	free(want);
}
END_TEST

/* Seventeen packets at slot 13 of 32: all 64-byte slots spelt out. */
START_TEST(seventeen_by_hand)
{
	uint8_t *ring = test_cq_ring(5);
	struct cqesim_cq_writer w = writer(ring, 5, 32, false);

	write_up_to(&w, 32 + 13);
	memset(ring, 0x5a, 64 * 32);
	write_session(&w, 17, 0);
	for (uint32_t s = 0; s < 32; s++) {
		const uint8_t *b = ring + s * 64;

		if (s == 13) {
			ck_assert_uint_eq(b[44] | b[45] | b[46], 0);
			ck_assert_uint_eq(b[47], 17);
			ck_assert_uint_eq(b[63], 0x2d);
		} else if (s == 14) { /* k+1: minis 0-7 */
			ck_assert_uint_eq(b[7], 60);
			ck_assert_uint_eq(b[63], 60 + 7 * 7);
		} else if (s == 21) { /* k+8: minis 8-15 */
			ck_assert_uint_eq(b[7], 60 + 8 * 7);
			ck_assert_uint_eq(b[63], 60 + 15 * 7);
		} else if (s == 29) { /* k+16: mini 16 and seven that are 0 */
			ck_assert_uint_eq(b[7], 60 + 16 * 7);
			for (unsigned i = 8; i < 64; i++)
				ck_assert_uint_eq(b[i], 0);
		} else {
			for (unsigned i = 0; i < 64; i++)
				ck_assert_uint_eq(b[i], 0x5a);
		}
	}
	free(ring);
}
END_TEST

/* All formats: what each mini takes from its completion. */
START_TEST(mini_formats)
{
	static const uint8_t minis[CQESIM_MINI_FORMATS][2][8] = {
		{{0x9e, 0x37, 0x79, 0xb9, 0, 0, 0, 60}, {0x3c, 0x6e, 0xf3, 0x72, 0, 0, 0, 67}},
		{{0xab, 0xcd, 0, 0, 0, 0, 0, 60}, {0xab, 0xce, 0, 0, 0, 0, 0, 67}},
		{{0xcd, 0xef, 0x40, 0, 0xab, 0, 0, 60}, {0xcd, 0xee, 0x40, 1, 0xaa, 0, 0, 67}},
		{{0xab, 0xcd, 0x40, 0, 0, 0, 0, 60}, {0xab, 0xce, 0x40, 1, 0, 0, 0, 67}},
		{{0x28, 0, 0x40, 0, 0, 0, 0, 60}, {0x18, 0, 0x40, 1, 0, 0, 0, 67}},
	};
	uint8_t *ring = fresh(3), cqe[64];
	struct cqesim_cq_writer w;

	ck_assert_int_eq(cqesim_cq_writer_init(&w, ring, 3, (enum cqesim_mini_format)_i, 8, false),
			 0);
	packet(cqe, 0);
	cqesim_cq_session_open(&w, cqe);
	packet(cqe, 1);
	cqe[21] = 0xce;
	cqe[29] = 0x18;
	be32(cqe + 56, 0xaacdee);
	cqesim_cq_session_add(&w, cqe);
	cqesim_cq_session_close(&w);
	ck_assert_mem_eq(ring + 64, minis[_i][0], 8);
	ck_assert_mem_eq(ring + 72, minis[_i][1], 8);
	free(ring);
}
END_TEST

START_TEST(room_and_ring_end)
{
	static const struct {
		uint32_t at, max;
		bool cross;
		uint32_t room;
		bool ring_end;
	} c[] = {
		/* a ring of 16 */
		{0, 16, false, 16, false}, {0, 64, false, 16, false}, {0, 5, false, 5, false},
		{1, 16, false, 15, true},  {11, 5, false, 5, false},  {12, 5, false, 4, true},
		{14, 5, false, 2, true},   {15, 5, false, 1, true},   {31, 5, false, 1, true},
		{30, 2, false, 2, false},  {15, 5, true, 5, false},   {15, 16, true, 16, false},
		{9, 99, true, 16, false},
	};
	uint8_t *ring = fresh(4), *want = test_cq_ring(4), cqe[64];

	for (size_t i = 0; i < COUNT(c); i++) {
		struct cqesim_cq_writer w = writer(ring, 4, c[i].max, c[i].cross);

		write_up_to(&w, c[i].at);
		memcpy(want, ring, 64 * 16);
		packet(cqe, 1);
		ck_assert_uint_eq(cqesim_cq_session_open(&w, cqe), c[i].room);
		ck_assert_uint_eq(w.n, c[i].room < 2 ? 0 : 1);
		ck_assert_uint_eq(w.room_is_ring_end, c[i].ring_end);
		/* Open or not, nothing is visible and no index moved. */
		same_ring(ring, want, 4, "open");
		ck_assert_uint_eq(w.pi, c[i].at);
	}
	free(ring);
	free(want);
}
END_TEST

START_TEST(nothing_visible_before_close)
{
	uint8_t *ring = fresh(5), cqe[64];
	struct cqesim_cq_writer w = writer(ring, 5, 32, false);
	struct cqesim_cq_reader r = reader(ring, 5);
	struct cqesim_completion out[32];

	packet(cqe, 0);
	cqesim_cq_session_open(&w, cqe);
	for (uint32_t i = 1; i < 20; i++) {
		packet(cqe, i);
		cqesim_cq_session_add(&w, cqe);
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 32, NULL), 0);
		ck_assert_uint_eq(ring[63], 0xf1);
	}
	ck_assert_uint_eq(cqesim_cq_session_close(&w), 20);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 32, NULL), 20);
	free(ring);
}
END_TEST

START_TEST(session_of_one_is_plain)
{
	uint8_t *ring = fresh(4), *want = fresh(4), cqe[64];
	struct cqesim_cq_writer w = writer(ring, 4, 16, false);

	memset(ring, 0x5a, 64 * 16);
	memset(want, 0x5a, 64 * 16);
	packet(cqe, 5);
	ck_assert_uint_eq(cqesim_cq_session_open(&w, cqe), 16);
	ck_assert_uint_eq(cqesim_cq_session_close(&w), 1);
	image_plain(want, 4, 0, 5); /* length and all; the slot after it untouched */
	same_ring(ring, want, 4, "lone");
	ck_assert_uint_eq(w.pi, 1);
	/* Nothing open: nothing happens. */
	ck_assert_uint_eq(cqesim_cq_session_close(&w), 0);
	same_ring(ring, want, 4, "closed");
	ck_assert_uint_eq(w.pi, 1);
	free(ring);
	free(want);
}
END_TEST

struct seen {
	const uint8_t *ring;
	uint32_t slot[64];
	uint8_t title_op_own[64]; /* of slot 6 when it was told */
	unsigned n;
};

static void observe(void *context, uint32_t s, const uint8_t bytes[64])
{
	struct seen *seen = context;

	ck_assert_ptr_eq(bytes, seen->ring + s * 64);
	seen->title_op_own[seen->n] = seen->ring[6 * 64 + 63];
	seen->slot[seen->n++] = s;
}

START_TEST(observer_sees_title_last)
{
	uint8_t *ring = fresh(5);
	struct seen seen = {.ring = ring};
	struct cqesim_cq_writer w = writer(ring, 5, 32, true);

	write_up_to(&w, 6);
	w.observer = observe;
	w.observer_context = &seen;
	write_session(&w, 17, 0);
	/* k+1, k+8, k+16, and only then k */
	ck_assert_uint_eq(seen.n, 4);
	ck_assert_uint_eq(seen.slot[0], 7);
	ck_assert_uint_eq(seen.slot[1], 14);
	ck_assert_uint_eq(seen.slot[2], 22);
	ck_assert_uint_eq(seen.slot[3], 6);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(seen.title_op_own[i], 0xf1);
	ck_assert_uint_eq(seen.title_op_own[3], 0x2c);
	/* 23: eight packets are one array; then a plain one; then one across the end */
	seen.n = 0;
	write_session(&w, 8, 0);
	uint8_t cqe[64];
	packet(cqe, 0);
	cqesim_cq_write(&w, cqe, 2, 0);
	write_session(&w, 9, 0);
	ck_assert_uint_eq(seen.n, 6);
	static const uint32_t slots[] = {24, 23, 31, 1, 8, 0};
	for (unsigned i = 0; i < 6; i++)
		ck_assert_uint_eq(seen.slot[i], slots[i]);
	free(ring);
}
END_TEST

START_TEST(bad_arguments)
{
	uint8_t *ring = fresh(4);
	struct cqesim_cq_writer w;
	struct cqesim_cq_reader r;

	for (unsigned i = 1; i < 64; i <<= 1) {
		ck_assert_int_eq(cqesim_cq_writer_init(&w, ring + i, 3, 0, 8, false), -EINVAL);
		ck_assert_int_eq(cqesim_cq_reader_init(&r, ring + i, 3, 0, 0), -EINVAL);
	}
	ck_assert_int_eq(cqesim_cq_writer_init(&w, NULL, 4, 0, 8, false), -EINVAL);
	ck_assert_int_eq(cqesim_cq_writer_init(&w, ring, 23, 0, 8, false), -EINVAL);
	ck_assert_int_eq(cqesim_cq_writer_init(&w, ring, 32, 0, 8, false), -EINVAL);
	ck_assert_int_eq(cqesim_cq_writer_init(&w, ring, 4, 0, 1, false), -EINVAL);
	ck_assert_int_eq(cqesim_cq_writer_init(&w, ring, 4, 0, 0, false), -EINVAL);
	ck_assert_int_eq(cqesim_cq_writer_init(&w, ring, 4, CQESIM_MINI_FORMATS, 8, false),
			 -EINVAL);
	ck_assert_int_eq(
		cqesim_cq_writer_init(&w, ring, 4, (enum cqesim_mini_format) - 1, 8, false),
		-EINVAL);
	ck_assert_int_eq(cqesim_cq_reader_init(&r, NULL, 4, 0, 0), -EINVAL);
	ck_assert_int_eq(cqesim_cq_reader_init(&r, ring, 23, 0, 0), -EINVAL);
	ck_assert_int_eq(cqesim_cq_reader_init(&r, ring, 4, CQESIM_MINI_FORMATS, 0), -EINVAL);
	ck_assert_int_eq(cqesim_cq_writer_init(&w, ring, 4, 0, 2, false), 0);
	ck_assert_int_eq(cqesim_cq_writer_init(&w, ring, 4, 0, UINT32_MAX, false), 0);
	ck_assert_uint_eq(w.max, 16);
	ck_assert_int_eq(cqesim_cq_writer_init(&w, ring, CQESIM_CQ_LOG_MAX, 0, 2, false), 0);
	ck_assert_int_eq(cqesim_cq_reader_init(&r, ring, CQESIM_CQ_LOG_MAX, 4, 2), 0);
	free(ring);
}
END_TEST

START_TEST(differs)
{
	uint8_t a[64], b[64], mask[64];

	memset(a, 0x3c, 64);
	for (unsigned i = 0; i < 64; i++) {
		memcpy(b, a, 64);
		memset(mask, 0xff, 64);
		ck_assert(!cqesim_cqe_differs(a, b, mask));
		b[i] ^= 0x10;
		ck_assert(cqesim_cqe_differs(a, b, mask));
		mask[i] = 0xef;
		ck_assert(!cqesim_cqe_differs(a, b, mask));
		memset(mask, 0, 64);
		mask[i] = 0x10;
		ck_assert(cqesim_cqe_differs(a, b, mask));
	}
	/* Equal but for what the mask leaves out; everything different, and no mask. */
	memset(b, 0, 64);
	memset(mask, 0xc3, 64);
	ck_assert(!cqesim_cqe_differs(a, b, mask));
	memset(b, 0xff, 64);
	memset(mask, 0, 64);
	ck_assert(!cqesim_cqe_differs(a, b, mask));
}
END_TEST

/* ---- reader ---- */

static void expect(const struct cqesim_completion *c, uint32_t i, uint32_t session_n,
		   uint32_t session_i)
{
	bool same = c->meta.byte_cnt == length_of(i) && c->meta.rx_hash_res == hash_of(i) &&
		    c->meta.rx_hash_type == 0x84 && c->meta.csum == 0xabcd &&
		    c->meta.hds_ip_ext == 7 && c->meta.l4_l3_hdr_type == 0x28 &&
		    c->meta.flow_tag == 0xabcdef && c->meta.user_index == 0x12345 &&
		    c->meta.vlan_info == 0 && c->meta.pkt_info == 0 &&
		    c->timestamp == 1000000 + i - session_i &&
		    c->wqe_counter == (uint16_t)(0x4000 + i) && c->session_n == session_n &&
		    c->session_i == session_i && c->opcode == 2 && c->syndrome == 0 &&
		    c->vendor_err_synd == 0;

	ck_assert_msg(same, "packet %u (%u of %u): length %u, hash %08x, counter %04x, %u of %u", i,
		      session_i, session_n, c->meta.byte_cnt, c->meta.rx_hash_res, c->wqe_counter,
		      c->session_i, c->session_n);
}

START_TEST(reader_waits)
{
	uint8_t *ring = fresh(3);
	struct cqesim_cq_reader r = reader(ring, 3);
	struct cqesim_completion out[9];

	memset(out, 0x77, sizeof(out));
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 9, NULL), 0);
	/* rdma-core's way to start a ring; and any opcode 15, whatever its lower bits */
	static const uint8_t no[] = {0xf0, 0xf1, 0xfc, 0xfd, 0xf2, 0xff, 0xfe,
				     /* the other lap's owner bit */
				     0x21, 0x2d, 0xe1, 0xd1, 0x01, 0x25};
	for (size_t i = 0; i < COUNT(no); i++) {
		ring[63] = no[i];
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 9, NULL), 0);
		ck_assert_uint_eq(r.ci, 0);
	}
	image_plain(ring, 3, 0, 0);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 0, NULL), 0);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 9, NULL), 1);
	expect(out, 0, 0, 0);
	ck_assert_int_eq(out[1].opcode, 0x77);
	/* Second lap: now the bit must be set. */
	for (uint32_t k = 1; k < 8; k++)
		image_plain(ring, 3, k, k);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 9, NULL), 7);
	static const uint8_t no_odd[] = {0x20, 0x2c, 0xf0, 0xf1, 0xfd, 0xff, 0xe0, 0x00};
	for (size_t i = 0; i < COUNT(no_odd); i++) {
		ring[63] = no_odd[i];
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 9, NULL), 0);
	}
	ring[63] = 0x21;
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 9, NULL), 1);
	ck_assert_uint_eq(out[0].index, 8);
	free(ring);
}
END_TEST

START_TEST(reader_plain)
{
	uint8_t *ring = fresh(3), *before = test_cq_ring(3);
	struct cqesim_cq_reader r = reader(ring, 3);
	struct cqesim_completion out[9];

	for (uint32_t k = 0; k < 80; k += 8) {
		for (uint32_t i = 0; i < 8; i++)
			image_plain(ring, 3, k + i, k + i);
		memcpy(before, ring, 512);
		/* 3, 4, and the last slot of the ring */
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 3, NULL), 3);
		ck_assert_uint_eq(r.ci, k + 3);
		ck_assert_int_eq(cqesim_cq_poll(&r, out + 3, 4, NULL), 4);
		ck_assert_int_eq(cqesim_cq_poll(&r, out + 7, 2, NULL), 1);
		ck_assert_int_eq(cqesim_cq_poll(&r, out + 8, 1, NULL), 0);
		for (uint32_t i = 0; i < 8; i++) {
			expect(&out[i], k + i, 0, 0);
			ck_assert_uint_eq(out[i].index, k + i);
		}
		ck_assert_uint_eq(r.ci, k + 8);
		/* Plain slots are not rewritten: the lap bit is enough. */
		same_ring(ring, before, 3, "plain slots");
	}
	free(ring);
	free(before);
}
END_TEST

/* Inline data formats and other opcodes are one completion each. */
START_TEST(reader_opcodes)
{
	static const uint8_t op_own[] = {0x00, 0x10, 0x24, 0x28, 0x30, 0x42, 0x60, 0xc0};
	uint8_t *ring = fresh(3);
	struct cqesim_cq_reader r = reader(ring, 3);
	struct cqesim_completion out[8];

	for (uint32_t k = 0; k < 8; k++) {
		image_plain(ring, 3, k, k);
		ring[k * 64 + 63] = op_own[k];
	}
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 8, NULL), 8);
	for (uint32_t k = 0; k < 8; k++) {
		ck_assert_uint_eq(out[k].opcode, op_own[k] >> 4);
		ck_assert_uint_eq(out[k].meta.byte_cnt, length_of(k));
		ck_assert_uint_eq(out[k].session_n, 0);
		ck_assert_uint_eq(out[k].syndrome, 0);
	}
	free(ring);
}
END_TEST

START_TEST(reader_errors)
{
	uint8_t *ring = fresh(2);
	struct cqesim_cq_reader r = reader(ring, 2);
	struct cqesim_completion out[4];

	memset(ring, 0, 256);
	image_plain(ring, 2, 0, 0);
	ring[64 + 54] = 0x51;
	ring[64 + 55] = 0x04;
	ring[64 + 60] = 0x12;
	ring[64 + 61] = 0x34;
	ring[64 + 63] = 0xe0;
	ring[128 + 54] = 0x88;
	ring[128 + 55] = 0x13;
	ring[128 + 63] = 0xd0;
	/* An error is one slot even where the format says compressed. */
	ring[192 + 55] = 0x22;
	ring[192 + 47] = 4;
	ring[192 + 63] = 0xec;
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), 4);
	expect(out, 0, 0, 0);
	ck_assert_uint_eq(out[1].opcode, CQESIM_OP_RESP_ERR);
	ck_assert_uint_eq(out[1].syndrome, CQESIM_SYNDROME_LOCAL_PROT);
	ck_assert_uint_eq(out[1].vendor_err_synd, 0x51);
	ck_assert_uint_eq(out[1].wqe_counter, 0x1234);
	ck_assert_uint_eq(out[1].session_n, 0);
	ck_assert_uint_eq(out[1].timestamp, 0); /* its bytes are syndromes here */
	ck_assert_uint_eq(out[2].opcode, CQESIM_OP_REQ_ERR);
	ck_assert_uint_eq(out[2].syndrome, 0x13);
	ck_assert_uint_eq(out[2].vendor_err_synd, 0x88);
	ck_assert_uint_eq(out[3].opcode, CQESIM_OP_RESP_ERR);
	ck_assert_uint_eq(out[3].syndrome, 0x22);
	ck_assert_uint_eq(out[3].session_n, 0);
	ck_assert_uint_eq(r.ci, 4);
	free(ring);
}
END_TEST

/* What the three drivers leave in the slots of a session, by hand. */
static void image_consumed(uint8_t *ring, unsigned log_size, uint32_t k, uint32_t n,
			   enum cqesim_invalidate invalidate)
{
	for (uint32_t i = 0; i < n; i++) {
		uint8_t *op_own = slot(ring, log_size, k + i) + 63;

		if (invalidate == CQESIM_INVALIDATE_DPDK_SCALAR)
			*op_own = i ? 0xf0 : *op_own;
		else if (invalidate == CQESIM_INVALIDATE_DPDK_VEC)
			*op_own = 0xf0;
		else /* the owner bit of the lap that the slot was in */
			*op_own = lap(log_size, k + i);
	}
}

/* All lengths, start slots and burst sizes, for one of the drivers' ways. */
START_TEST(reader_sessions)
{
	enum cqesim_invalidate invalidate = (enum cqesim_invalidate)_i;
	const unsigned log_size = 5;
	const uint32_t size = 32;
	uint8_t *ring = test_cq_ring(log_size), *want = test_cq_ring(log_size);
	struct cqesim_completion out[64];

	for (uint32_t k = 0; k < 2 * size; k += k % 8 == 6 ? 1 : 3)
		for (uint32_t n = 2; n <= size; n++)
			for (uint32_t burst = 1; burst <= n + 1; burst += burst < 10 ? 1 : 5) {
				struct cqesim_cq_reader r;

				cqesim_cq_reader_init(&r, ring, log_size, CQESIM_MINI_HASH,
						      invalidate);
				/* As after k plain completions, before any later one. */
				for (uint32_t s = 0; s < size; s++)
					image_plain(ring, log_size,
						    s >= k % size ? k - k % size + s - size
								  : k - k % size + s,
						    s);
				r.ci = k;
				image_session(ring, log_size, k, n, 5);
				memcpy(want, ring, (size_t)64 << log_size);
				uint32_t got = 0;
				while (got < n) {
					int rc = cqesim_cq_poll(&r, out, burst, NULL);
					uint32_t due = n - got < burst ? n - got : burst;

					ck_assert_int_eq(rc, (int)due);
					for (uint32_t i = 0; i < due; i++)
						expect(&out[i], 5 + got + i, n, got + i);
					got += due;
					/* Until the last is out, the slots are not given back. */
					ck_assert_uint_eq(r.ci, got < n ? k : k + n);
					if (got < n)
						same_ring(ring, want, log_size, "half read");
				}
				image_consumed(want, log_size, k, n, invalidate);
				same_ring(ring, want, log_size, "consumed");
				ck_assert_int_eq(cqesim_cq_poll(&r, out, burst, NULL), 0);
			}
	free(ring);
	free(want);
}
END_TEST

/* One call goes over plain entries and sessions alike. */
START_TEST(reader_mixes)
{
	uint8_t *ring = fresh(5);
	struct cqesim_cq_reader r = reader(ring, 5);
	struct cqesim_completion out[64];

	image_plain(ring, 5, 0, 0);
	image_session(ring, 5, 1, 10, 1);
	image_session(ring, 5, 11, 2, 11);
	image_plain(ring, 5, 13, 13);
	image_session(ring, 5, 14, 18, 14); /* ends with the ring */
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 64, NULL), 32);
	for (uint32_t i = 0; i < 32; i++)
		expect(&out[i], i,
		       i == 0 || i == 13 ? 0
		       : i < 11          ? 10
		       : i < 13          ? 2
					 : 18,
		       i == 0 || i == 13 ? 0
		       : i < 11          ? i - 1
		       : i < 13          ? i - 11
					 : i - 14);
	ck_assert_uint_eq(r.ci, 32);
	free(ring);
}
END_TEST

START_TEST(reader_formats)
{
	static const uint8_t mini[2][8] = {{0x81, 0x82, 0x83, 0x84, 0x85, 0x06, 0x07, 0x08},
					   {0x91, 0x92, 0x93, 0x94, 0x15, 0x16, 0x17, 0x18}};
	/* What minis say is theirs, the rest is the title's; counters count on without an index. */
	static const struct {
		uint32_t hash, tag, length;
		uint16_t csum, counter;
		uint8_t type;
	} want[CQESIM_MINI_FORMATS][2] = {
		{{0x81828384, 0xabcdef, 0x85060708, 0xabcd, 0x4000, 0x28},
		 {0x91929394, 0xabcdef, 0x15161718, 0xabcd, 0x4001, 0x28}},
		{{0x9e3779b9, 0xabcdef, 0x85060708, 0x8182, 0x4000, 0x28},
		 {0x9e3779b9, 0xabcdef, 0x15161718, 0x9192, 0x4001, 0x28}},
		{{0x9e3779b9, 0x858182, 0x060708, 0xabcd, 0x8384, 0x28},
		 {0x9e3779b9, 0x159192, 0x161718, 0xabcd, 0x9394, 0x28}},
		{{0x9e3779b9, 0xabcdef, 0x85060708, 0x8182, 0x8384, 0x28},
		 {0x9e3779b9, 0xabcdef, 0x15161718, 0x9192, 0x9394, 0x28}},
		{{0x9e3779b9, 0xabcdef, 0x85060708, 0xabcd, 0x8384, 0x81},
		 {0x9e3779b9, 0xabcdef, 0x15161718, 0xabcd, 0x9394, 0x91}},
	};
	uint8_t *ring = fresh(3);
	struct cqesim_cq_reader r;
	struct cqesim_completion out[3];

	ck_assert_int_eq(cqesim_cq_reader_init(&r, ring, 3, (enum cqesim_mini_format)_i, 0), 0);
	image_session(ring, 3, 0, 2, 0);
	memcpy(ring + 64, mini, 16);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 3, NULL), 2);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_uint_eq(out[i].meta.rx_hash_res, want[_i][i].hash);
		ck_assert_uint_eq(out[i].meta.flow_tag, want[_i][i].tag);
		ck_assert_uint_eq(out[i].meta.byte_cnt, want[_i][i].length);
		ck_assert_uint_eq(out[i].meta.csum, want[_i][i].csum);
		ck_assert_uint_eq(out[i].wqe_counter, want[_i][i].counter);
		ck_assert_uint_eq(out[i].meta.l4_l3_hdr_type, want[_i][i].type);
		ck_assert_uint_eq(out[i].timestamp, 1000000);
		ck_assert_uint_eq(out[i].meta.user_index, 0x12345);
	}
	free(ring);
}
END_TEST

START_TEST(counter_wraps_in_session)
{
	uint8_t *ring = fresh(3);
	struct cqesim_cq_reader r = reader(ring, 3);
	struct cqesim_completion out[4];

	image_session(ring, 3, 0, 4, 0);
	ring[60] = 0xff;
	ring[61] = 0xfe;
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), 4);
	ck_assert_uint_eq(out[0].wqe_counter, 0xfffe);
	ck_assert_uint_eq(out[1].wqe_counter, 0xffff);
	ck_assert_uint_eq(out[2].wqe_counter, 0);
	ck_assert_uint_eq(out[3].wqe_counter, 1);
	free(ring);
}
END_TEST

START_TEST(reader_malformed)
{
	static const struct {
		uint32_t count;
		enum cqesim_cq_fault_kind kind;
	} c[] = {
		{0, CQESIM_CQ_FAULT_SESSION_SHORT},
		{1, CQESIM_CQ_FAULT_SESSION_SHORT},
		{17, CQESIM_CQ_FAULT_SESSION_LONG},
		{0x10000, CQESIM_CQ_FAULT_SESSION_LONG},
		{0x80000002, CQESIM_CQ_FAULT_SESSION_LONG},
		{0xffffffff, CQESIM_CQ_FAULT_SESSION_LONG},
	};
	struct cqesim_completion out[16];
	struct cqesim_cq_fault fault;

	for (size_t i = 0; i < COUNT(c); i++) {
		uint8_t *ring = fresh(4);
		struct cqesim_cq_reader r = reader(ring, 4);

		/* In the second lap: 20 and 21 good, 22 malformed, 23-25 a session. */
		r.ci = 20;
		image_plain(ring, 4, 20, 20);
		image_plain(ring, 4, 21, 21);
		image_session(ring, 4, 22, 2, 0);
		be32(ring + 6 * 64 + 44, c[i].count);
		image_session(ring, 4, 23, 3, 23);
		memset(&fault, 0, sizeof(fault));
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), 2);
		ck_assert_int_eq(fault.kind, CQESIM_CQ_FAULT_NONE);
		expect(&out[0], 20, 0, 0);
		expect(&out[1], 21, 0, 0);
		ck_assert_uint_eq(r.ci, 22);
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), -EBADMSG);
		ck_assert_int_eq(fault.kind, c[i].kind);
		ck_assert_uint_eq(fault.index, 22);
		ck_assert_uint_eq(fault.slot, 6);
		ck_assert_uint_eq(fault.count, c[i].count);
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), 3);
		for (uint32_t p = 0; p < 3; p++)
			expect(&out[p], 23 + p, 3, p);
		ck_assert_uint_eq(r.ci, 26);
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), 0);
		/* Nobody need listen. */
		r.ci = 22;
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, NULL), -EBADMSG);
		free(ring);
	}
	ck_assert_str_ne(cqesim_cq_fault_name(CQESIM_CQ_FAULT_SESSION_SHORT),
			 cqesim_cq_fault_name(CQESIM_CQ_FAULT_SESSION_LONG));
	ck_assert_str_ne(cqesim_cq_fault_name(CQESIM_CQ_FAULT_SESSION_SHORT),
			 cqesim_cq_fault_name(CQESIM_CQ_FAULT_NONE));
}
END_TEST

START_TEST(smallest_rings)
{
	struct cqesim_completion out[4];
	uint8_t cqe[64];

	/* One slot: nothing but plain completions, the lap bit turns with each. */
	uint8_t *ring = fresh(0);
	struct cqesim_cq_writer w = writer(ring, 0, 64, true);
	struct cqesim_cq_reader r = reader(ring, 0);
	for (uint32_t i = 0; i < 10; i++) {
		packet(cqe, i);
		ck_assert_uint_lt(cqesim_cq_session_open(&w, cqe), 2);
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), 0);
		cqesim_cq_write(&w, cqe, 2, 0);
		ck_assert_uint_eq(ring[63], 0x20 | (i & 1));
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), 1);
		expect(out, i, 0, 0);
	}
	/* Its title could have no array. */
	image_plain(ring, 0, 10, 0);
	ring[63] = 0x2c;
	ring[47] = 2;
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), -EBADMSG);
	free(ring);

	/* Two and four slots: full sessions from every slot, lap after lap. */
	for (unsigned log_size = 1; log_size <= 2; log_size++) {
		uint32_t size = 1u << log_size, i = 0;

		ring = fresh(log_size);
		w = writer(ring, log_size, size, true);
		r = reader(ring, log_size);
		for (unsigned turn = 0; turn < 20; turn++) {
			write_session(&w, size, i);
			ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), (int)size);
			for (uint32_t p = 0; p < size; p++)
				expect(&out[p], i + p, size, p);
			i += size;
			packet(cqe, i);
			cqesim_cq_write(&w, cqe, 2, 0);
			ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), 1);
			expect(out, i++, 0, 0);
		}
		free(ring);
	}
}
END_TEST

/* Indices are 32 bits and wrap; slots and laps go on as if they did not. */
START_TEST(index_wraps)
{
	uint8_t *ring = fresh(3), cqe[64];
	struct cqesim_cq_writer w = writer(ring, 3, 8, true);
	struct cqesim_cq_reader r = reader(ring, 3);
	struct cqesim_completion out[8];

	w.pi = r.ci = 0xfffffff5; /* in an odd lap; so the slots hold an even one's */
	for (uint32_t s = 0; s < 8; s++)
		ring[s * 64 + 63] = 0x20;
	for (uint32_t i = 0; i < 40;) {
		write_session(&w, 5, i);
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 8, NULL), 5);
		for (uint32_t p = 0; p < 5; p++)
			expect(&out[p], i + p, 5, p);
		i += 5;
		packet(cqe, i);
		cqesim_cq_write(&w, cqe, 2, 0);
		ck_assert_int_eq(cqesim_cq_poll(&r, out, 8, NULL), 1);
		expect(out, i++, 0, 0);
		ck_assert_uint_eq(w.pi, 0xfffffff5 + i);
		ck_assert_uint_eq(r.ci, 0xfffffff5 + i);
	}
	free(ring);
}
END_TEST

START_TEST(doorbell_record)
{
	struct cqesim_cq_reader r = {.ci = 0xab123456};
	union {
		uint32_t word;
		uint8_t byte[4];
	} db = {0xffffffff};
	static const uint8_t want[4] = {0x00, 0x12, 0x34, 0x56};

	cqesim_cq_doorbell(&r, &db.word);
	ck_assert_mem_eq(db.byte, want, 4);
}
END_TEST

Suite *suite_cq(void)
{
	Suite *s = suite_create("cq");
	TCase *w = tcase_create("writer");
	TCase *r = tcase_create("reader");

	tcase_add_test(w, ring_starts_invalid);
	tcase_add_test(w, plain_over_laps);
	tcase_add_loop_test(w, sessions_everywhere, 1, 7);
	tcase_add_test(w, seventeen_by_hand);
	tcase_add_loop_test(w, mini_formats, 0, CQESIM_MINI_FORMATS);
	tcase_add_test(w, room_and_ring_end);
	tcase_add_test(w, nothing_visible_before_close);
	tcase_add_test(w, session_of_one_is_plain);
	tcase_add_test(w, observer_sees_title_last);
	tcase_add_test(w, bad_arguments);
	tcase_add_test(w, differs);
	tcase_add_test(r, reader_waits);
	tcase_add_test(r, reader_plain);
	tcase_add_test(r, reader_opcodes);
	tcase_add_test(r, reader_errors);
	tcase_add_loop_test(r, reader_sessions, 0, 3);
	tcase_add_test(r, reader_mixes);
	tcase_add_loop_test(r, reader_formats, 0, CQESIM_MINI_FORMATS);
	tcase_add_test(r, counter_wraps_in_session);
	tcase_add_test(r, reader_malformed);
	tcase_add_test(r, smallest_rings);
	tcase_add_test(r, index_wraps);
	tcase_add_test(r, doorbell_record);
	tcase_set_timeout(w, 120);
	tcase_set_timeout(r, 120);
	suite_add_tcase(s, w);
	suite_add_tcase(s, r);
	test_cq_laps(s);
	return s;
}
