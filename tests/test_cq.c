/* SPDX-License-Identifier: BSD-3-Clause */
/* cq: the writer, against rings built by hand. */
#include <errno.h>
#include <stdlib.h>

#include "cq_images.h"
#include "test.h"

START_TEST(ring_starts_invalid)
{
	static const unsigned logs[] = {0, 1, 2, 6};

	for (size_t l = 0; l < COUNT(logs); l++) {
		size_t bytes = (size_t)64 << logs[l];
		uint8_t *ring = aligned_alloc(64, bytes + 64);

		memset(ring, 0x77, bytes + 64);
		cqesim_cq_init_ring(ring, &(struct cqesim_cq_shape){.log_size = logs[l]});
		for (size_t i = 0; i < bytes; i++)
			ck_assert_uint_eq(ring[i], i % 64 == 63 ? 0xf1 : i % 64 == 62 ? 0xff : 0);
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

	ck_assert_int_eq(
		cqesim_cq_writer_init(&w, ring,
				      &(struct cqesim_cq_shape){
					      .log_size = 3, .format = (enum cqesim_mini_format)_i},
				      8, false),
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
		ck_assert_int_eq(
			cqesim_cq_writer_init(&w, ring + i,
					      &(struct cqesim_cq_shape){.log_size = 3, .format = 0},
					      8, false),
			-EINVAL);
		ck_assert_int_eq(cqesim_cq_reader_init(
					 &r, ring + i,
					 &(struct cqesim_cq_shape){.log_size = 3, .format = 0}, 0),
				 -EINVAL);
	}
	ck_assert_int_eq(
		cqesim_cq_writer_init(
			&w, NULL, &(struct cqesim_cq_shape){.log_size = 4, .format = 0}, 8, false),
		-EINVAL);
	ck_assert_int_eq(
		cqesim_cq_writer_init(
			&w, ring, &(struct cqesim_cq_shape){.log_size = 23, .format = 0}, 8, false),
		-EINVAL);
	ck_assert_int_eq(
		cqesim_cq_writer_init(
			&w, ring, &(struct cqesim_cq_shape){.log_size = 32, .format = 0}, 8, false),
		-EINVAL);
	ck_assert_int_eq(
		cqesim_cq_writer_init(
			&w, ring, &(struct cqesim_cq_shape){.log_size = 4, .format = 0}, 1, false),
		-EINVAL);
	ck_assert_int_eq(
		cqesim_cq_writer_init(
			&w, ring, &(struct cqesim_cq_shape){.log_size = 4, .format = 0}, 0, false),
		-EINVAL);
	ck_assert_int_eq(
		cqesim_cq_writer_init(
			&w, ring,
			&(struct cqesim_cq_shape){.log_size = 4, .format = CQESIM_MINI_ALL_FORMATS},
			8, false),
		-EINVAL);
	ck_assert_int_eq(cqesim_cq_writer_init(
				 &w, ring,
				 &(struct cqesim_cq_shape){.log_size = 4,
							   .format = (enum cqesim_mini_format) - 1},
				 8, false),
			 -EINVAL);
	ck_assert_int_eq(
		cqesim_cq_reader_init(&r, NULL,
				      &(struct cqesim_cq_shape){.log_size = 4, .format = 0}, 0),
		-EINVAL);
	ck_assert_int_eq(
		cqesim_cq_reader_init(&r, ring,
				      &(struct cqesim_cq_shape){.log_size = 23, .format = 0}, 0),
		-EINVAL);
	ck_assert_int_eq(
		cqesim_cq_reader_init(
			&r, ring,
			&(struct cqesim_cq_shape){.log_size = 4, .format = CQESIM_MINI_ALL_FORMATS},
			0),
		-EINVAL);
	ck_assert_int_eq(
		cqesim_cq_writer_init(
			&w, ring, &(struct cqesim_cq_shape){.log_size = 4, .format = 0}, 2, false),
		0);
	ck_assert_int_eq(cqesim_cq_writer_init(
				 &w, ring, &(struct cqesim_cq_shape){.log_size = 4, .format = 0},
				 UINT32_MAX, false),
			 0);
	ck_assert_uint_eq(w.max, 16);
	ck_assert_int_eq(cqesim_cq_writer_init(&w, ring,
					       &(struct cqesim_cq_shape){
						       .log_size = CQESIM_CQ_LOG_MAX, .format = 0},
					       2, false),
			 0);
	ck_assert_int_eq(
		cqesim_cq_reader_init(
			&r, ring,
			&(struct cqesim_cq_shape){.log_size = CQESIM_CQ_LOG_MAX, .format = 4}, 2),
		0);
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

Suite *suite_cq(void)
{
	Suite *s = suite_create("cq");
	TCase *t = tcase_create("writer");

	tcase_add_test(t, ring_starts_invalid);
	tcase_add_test(t, plain_over_laps);
	tcase_add_loop_test(t, sessions_everywhere, 1, 7);
	tcase_add_test(t, seventeen_by_hand);
	tcase_add_loop_test(t, mini_formats, 0, CQESIM_MINI_FORMATS);
	tcase_add_test(t, room_and_ring_end);
	tcase_add_test(t, nothing_visible_before_close);
	tcase_add_test(t, session_of_one_is_plain);
	tcase_add_test(t, observer_sees_title_last);
	tcase_add_test(t, bad_arguments);
	tcase_add_test(t, differs);
	tcase_set_timeout(t, 120);
	suite_add_tcase(s, t);
	test_cq_reader(s);
	test_cq_laps(s);
	test_cq_enhanced(s);
	test_cq_shapes(s);
	return s;
}
