/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rq, striding: where packets land, by hand and by property; WQEs as bytes (next
 * segment and data segment of mlx5dv.h), rings and linked lists of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_MLX5DV
#include <infiniband/mlx5dv.h>
#endif

#include "cqesim/rq.h"
#include "test.h"
#include "test_rq.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct cqesim_strides strides_of(unsigned log_wqes, unsigned log_strides,
					unsigned log_stride_bytes, bool shift)
{
	struct cqesim_strides_shape shape = {
		.log_wqes = log_wqes,
		.log_strides = log_strides,
		.log_stride_bytes = log_stride_bytes,
		.two_byte_shift = shift,
	};
	struct cqesim_error err = {""};
	struct cqesim_strides s;

	ck_assert_msg(!cqesim_strides_init(&s, &shape, true, &err), "%s", err.text);
	return s;
}

/* KRN device.h: 9 (3 with ext_stride_num_range) to 16, and 6 to 13. */
START_TEST(legal_shapes)
{
	for (unsigned n = 0; n < 20; n++)
		for (unsigned b = 0; b < 18; b++)
			for (unsigned extended = 0; extended < 2; extended++) {
				struct cqesim_strides_shape shape = {
					.log_wqes = 4, .log_strides = n, .log_stride_bytes = b};
				struct cqesim_error err = {""};
				bool good = n >= (extended ? 3 : 9) && n <= 16 && b >= 6 && b <= 13;
				int rc = cqesim_strides_check(&shape, extended, &err);

				ck_assert_int_eq(rc, good ? 0 : -EINVAL);
				ck_assert_int_eq(!*err.text, good);
			}
	struct cqesim_strides_shape many = {
		.log_wqes = 16, .log_strides = 9, .log_stride_bytes = 6};
	ck_assert_int_eq(cqesim_strides_check(&many, true, NULL), -EINVAL);
	many.log_wqes = 15;
	ck_assert_int_eq(cqesim_strides_check(&many, true, NULL), 0);
	ck_assert_uint_eq(cqesim_strides_per_wqe(&many), 512);
	ck_assert_uint_eq(cqesim_strides_wqe_bytes(&many), 32768);
}
END_TEST

/* 8 strides of 64 bytes. */
START_TEST(places_by_hand)
{
	static const struct {
		uint32_t length;
		int rc;
		unsigned wqe, stride, strides, offset, filler, filler_stride;
		bool opens, retires;
	} want[] = {
		{60, 0, 0, 0, 1, 0, 0, 0, true, false},
		{64, 0, 0, 1, 1, 64, 0, 0, false, false},
		{65, 0, 0, 2, 2, 128, 0, 0, false, false},
		{256, 0, 0, 4, 4, 256, 0, 0, false, true}, /* the last four */
		{512, 0, 1, 0, 8, 0, 0, 0, true, true},    /* a whole WQE */
		{300, 0, 2, 0, 5, 0, 0, 0, true, false},
		{513, -EMSGSIZE, 0, 0, 0, 0, 0, 0, false, false},
		{0, -EINVAL, 0, 0, 0, 0, 0, 0, false, false},
		{200, 0, 3, 0, 4, 0, 3, 5, true, false}, /* three strides are left, it takes four */
		{300, -ENOBUFS, 0, 0, 0, 0, 0, 0, false, false}, /* and here there is no next WQE */
		{256, 0, 3, 4, 4, 256, 0, 0, false, true},       /* a smaller one still goes in */
		{1, -ENOBUFS, 0, 0, 0, 0, 0, 0, false, false},
	};
	struct cqesim_strides s = strides_of(2, 3, 6, false);

	s.posted = 4;
	for (size_t i = 0; i < COUNT(want); i++) {
		struct cqesim_placement p;

		memset(&p, 0xee, sizeof(p));
		struct cqesim_strides before = s;
		ck_assert_int_eq(cqesim_strides_place(&s, want[i].length, &p), want[i].rc);
		if (want[i].rc) { /* nothing changed */
			ck_assert_uint_eq(s.used, before.used);
			ck_assert_uint_eq(s.done, before.done);
			ck_assert_uint_eq(s.index, before.index);
			continue;
		}
		ck_assert_uint_eq(p.wqe, want[i].wqe);
		ck_assert_uint_eq(p.stride, want[i].stride);
		ck_assert_uint_eq(p.strides, want[i].strides);
		ck_assert_uint_eq(p.offset, want[i].offset);
		ck_assert_uint_eq(p.filler, want[i].filler);
		ck_assert_int_eq(p.opens, want[i].opens);
		ck_assert_int_eq(p.retires, want[i].retires);
		if (p.filler) {
			ck_assert_uint_eq(p.filler_stride, want[i].filler_stride);
			ck_assert_uint_eq(p.filler_wqe, want[i].wqe - 1);
		}
	}
	ck_assert_uint_eq(s.done, 4);
	ck_assert_uint_eq(cqesim_strides_credits(&s), 0);
}
END_TEST

START_TEST(two_byte_shift)
{
	struct cqesim_strides s = strides_of(1, 3, 6, true);
	struct cqesim_placement p;

	s.posted = 2;
	ck_assert_uint_eq(cqesim_strides_for(&s.shape, 62), 1);
	ck_assert_uint_eq(cqesim_strides_for(&s.shape, 63), 2);
	ck_assert_uint_eq(cqesim_strides_for(&s.shape, 510), 8);
	ck_assert_int_eq(cqesim_strides_place(&s, 511, &p), -EMSGSIZE);
	ck_assert_int_eq(cqesim_strides_place(&s, 63, &p), 0);
	ck_assert_uint_eq(p.offset, 2);
	ck_assert_int_eq(cqesim_strides_place(&s, 62, &p), 0);
	ck_assert_uint_eq(p.stride, 2);
	ck_assert_uint_eq(p.offset, 130);
	ck_assert_uint_eq(p.strides, 1);
}
END_TEST

/* The 16-bit index goes on beyond the ring in a cyclic queue; a doorbell of too many is cut. */
START_TEST(index_goes_round)
{
	struct cqesim_strides s = strides_of(1, 3, 6, false);
	struct cqesim_placement p;

	for (uint32_t i = 0; i < 70000; i++) {
		s.posted = (uint16_t)(s.done + 1);
		ck_assert_int_eq(cqesim_strides_place(&s, 512, &p), 0);
		ck_assert_uint_eq(p.wqe, (uint16_t)i);
	}
	s.posted = (uint16_t)(s.done + 3);
	ck_assert_uint_eq(cqesim_strides_credits(&s), 2);
	/* A linked list without memory goes round the ring. */
	s = strides_of(1, 3, 6, false);
	s.shape.linked_list = true;
	for (uint32_t i = 0; i < 5; i++) {
		s.posted = (uint16_t)(s.done + 1);
		ck_assert_int_eq(cqesim_strides_place(&s, 512, &p), 0);
		ck_assert_uint_eq(p.wqe, i & 1);
	}
}
END_TEST

static uint32_t random_u32(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 32);
}

/* Without a word to the framework while all is well: there are millions. */
#define must(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			ck_abort_msg("%s: round %u, packet %u", #condition, round, i);             \
	} while (0)

/*
 * Random lengths in random shapes: strides of a WQE are given out in order, each
 * once, and packets and fillers together use up every one of them.
 */
START_TEST(every_stride_once)
{
	uint64_t seed = 4;

	for (unsigned round = 0; round < 60; round++) {
		unsigned log_strides = 3 + random_u32(&seed) % 8;
		unsigned log_bytes = 6 + random_u32(&seed) % 8;
		struct cqesim_strides s =
			strides_of(1 + random_u32(&seed) % 4, log_strides, log_bytes, round & 1);
		uint32_t all = cqesim_strides_per_wqe(&s.shape), next = 0, wqes = 0;
		uint64_t bytes = cqesim_strides_wqe_bytes(&s.shape);
		unsigned shift = round & 1 ? 2 : 0, placed = 0;

		for (unsigned i = 0; i < 20000; i++) {
			uint32_t length =
				1 + random_u32(&seed) % (uint32_t)(i & 7 ? bytes / 5 : bytes);
			struct cqesim_placement p;

			s.posted = (uint16_t)(s.done + 1 + random_u32(&seed) % 2);
			int rc = cqesim_strides_place(&s, length, &p);
			if (rc == -ENOBUFS || rc == -EMSGSIZE) {
				must((rc == -EMSGSIZE) == (length + shift > bytes));
				continue;
			}
			must(!rc);
			placed++;
			if (p.filler) {
				must(p.filler_stride == next);
				must(next + p.filler == all);
				must(p.filler_wqe == (uint16_t)wqes);
				/* There was a reason. */
				must((uint64_t)length + shift > (uint64_t)p.filler << log_bytes);
				next = 0;
				wqes++;
			}
			must(p.wqe == (uint16_t)wqes);
			must(p.stride == next);
			must(p.offset == ((uint64_t)next << log_bytes) + shift);
			/* As few as can be, and within its own. */
			must(p.offset + length <= (uint64_t)(p.stride + p.strides) << log_bytes);
			must(p.offset + length > (uint64_t)(p.stride + p.strides - 1) << log_bytes);
			next += p.strides;
			must(next <= all);
			must(p.retires == (next == all));
			if (next == all) {
				next = 0;
				wqes++;
			}
			must(s.done == (uint16_t)wqes);
		}
		ck_assert_uint_gt(placed, 4000);
		ck_assert_uint_gt(wqes, 1000);
	}
}
END_TEST

/* ---- in memory ---- */

#define BASE UINT64_C(0x100000)
#define KEY  0x00a1b2c3u

struct area {
	uint8_t memory[4 * 8 * 64]; /* four WQEs of eight strides */
};

static void *translate(void *context, uint32_t lkey, uint64_t address, uint32_t length)
{
	struct area *a = context;
	uint64_t offset = address - BASE;

	if (lkey != KEY || offset > sizeof(a->memory) || length > sizeof(a->memory) - offset)
		return NULL;
	return a->memory + offset;
}

static const struct cqesim_strides_shape small = {
	.log_wqes = 2, .log_strides = 3, .log_stride_bytes = 6};

static struct cqesim_rq_seg whole(unsigned buffer)
{
	return (struct cqesim_rq_seg){.address = BASE + 512 * buffer, .lkey = KEY, .length = 512};
}

START_TEST(wqe_bytes)
{
	static const uint8_t want[32] = {
		/* place 0: next_wqe_index 2 (a linked list); length, key, address */
		0, 0, 0, 2, 0, 0,    0,    0,    0, 0, 0, 0, 0, 0,    0, 0,
		0, 0, 2, 0, 0, 0xa1, 0xb2, 0xc3, 0, 0, 0, 0, 0, 0x10, 0, 0,
	};
	uint8_t ring[128];
	uint32_t dbrec = 0;
	struct cqesim_strides_shape shape = small;
	struct cqesim_striding_poster p;
	struct cqesim_rq_seg seg = whole(0);

	memset(ring, 0xff, sizeof(ring));
	shape.linked_list = true;
	ck_assert_int_eq(cqesim_striding_poster_init(&p, ring, &shape, &dbrec), 0);
	ck_assert_int_eq(cqesim_striding_post(&p, 1, &seg), -EINVAL); /* the device begins at 0 */
	ck_assert_int_eq(cqesim_striding_post(&p, 0, &seg), 0);
	ck_assert_int_eq(cqesim_striding_post(&p, 2, &seg), 0);
	ck_assert_mem_eq(ring, want, 32);
	ck_assert_uint_eq(dbrec, 0); /* not before the doorbell */
	cqesim_striding_doorbell(&p);
	ck_assert_uint_eq(dbrec, __builtin_bswap32(2));
	ck_assert_int_eq(cqesim_striding_post(&p, 4, &seg), -EINVAL);
#ifdef HAVE_MLX5DV
	ck_assert_uint_eq(sizeof(struct mlx5_wqe_srq_next_seg), 16);
	ck_assert_uint_eq(offsetof(struct mlx5_wqe_srq_next_seg, next_wqe_index), 2);
	ck_assert_uint_eq(sizeof(struct mlx5_wqe_srq_next_seg) + sizeof(struct mlx5_wqe_data_seg),
			  CQESIM_STRIDING_WQE_BYTES);
#endif
}
END_TEST

START_TEST(ring_in_memory)
{
	static struct area area;
	uint8_t ring[128];
	uint32_t dbrec = 0;
	struct cqesim_striding_poster poster;
	struct cqesim_striding_rq rq;
	struct cqesim_placement p;
	struct cqesim_rq_seg seg;

	ck_assert_int_eq(cqesim_striding_poster_init(&poster, ring, &small, &dbrec), 0);
	ck_assert_int_eq(
		cqesim_striding_rq_init(&rq, ring, &small, true, &dbrec, translate, &area, NULL),
		0);
	ck_assert_int_eq(cqesim_striding_rq_place(&rq, 60, &p, &seg), -ENOBUFS);
	for (unsigned i = 0; i < 4; i++) {
		seg = whole(3 - i);
		ck_assert_int_eq(cqesim_striding_post(&poster, (uint16_t)((i + 1) & 3), &seg),
				 -EINVAL); /* places follow each other */
		ck_assert_int_eq(cqesim_striding_post(&poster, (uint16_t)i, &seg), 0);
	}
	ck_assert_int_eq(cqesim_striding_rq_place(&rq, 60, &p, &seg), -ENOBUFS);
	cqesim_striding_doorbell(&poster);
	for (unsigned i = 0; i < 32; i++) { /* a stride each */
		ck_assert_int_eq(cqesim_striding_rq_place(&rq, 64, &p, &seg), 0);
		ck_assert_uint_eq(p.wqe, i / 8);
		ck_assert_uint_eq(p.stride, i % 8);
		ck_assert_uint_eq(seg.address, BASE + (3 - i / 8) * 512 + i % 8 * 64);
		ck_assert_uint_eq(seg.length, 64);
		ck_assert_ptr_eq(seg.memory, area.memory + (3 - i / 8) * 512 + i % 8 * 64);
	}
	ck_assert_int_eq(cqesim_striding_rq_place(&rq, 64, &p, &seg), -ENOBUFS);
	seg = whole(0);
	ck_assert_int_eq(cqesim_striding_post(&poster, 0, &seg), 0);
	cqesim_striding_doorbell(&poster);
	ck_assert_int_eq(cqesim_striding_rq_place(&rq, 64, &p, &seg), 0);
	ck_assert_uint_eq(p.wqe, 4); /* the counter goes on */
	cqesim_striding_rq_reset(&rq);
	ck_assert_int_eq(cqesim_striding_rq_place(&rq, 64, &p, &seg), 0);
	ck_assert_uint_eq(p.wqe, 0);
}
END_TEST

/* WQEs come back in another order, and the last one's link is written after it was consumed. */
START_TEST(linked_list)
{
	static struct area area;
	static const uint16_t order[] = {0, 3, 1, 2, 3, 0, 2, 1, 1, 0};
	struct cqesim_strides_shape shape = small;
	uint8_t ring[128];
	uint32_t dbrec = 0;
	struct cqesim_striding_poster poster;
	struct cqesim_striding_rq rq;
	struct cqesim_placement p;
	struct cqesim_rq_seg seg;

	shape.linked_list = true;
	ck_assert_int_eq(cqesim_striding_poster_init(&poster, ring, &shape, &dbrec), 0);
	ck_assert_int_eq(
		cqesim_striding_rq_init(&rq, ring, &shape, true, &dbrec, translate, &area, NULL),
		0);
	for (unsigned i = 0; i < COUNT(order); i++) {
		/* All there is is consumed before the next one is linked. */
		seg = whole(order[i]);
		ck_assert_int_eq(cqesim_striding_post(&poster, order[i], &seg), 0);
		cqesim_striding_doorbell(&poster);
		ck_assert_int_eq(cqesim_striding_rq_place(&rq, 512, &p, &seg), 0);
		ck_assert_uint_eq(p.wqe, order[i]);
		ck_assert_uint_eq(seg.address, BASE + 512 * order[i]);
		ck_assert_int_eq(cqesim_striding_rq_place(&rq, 1, &p, &seg), -ENOBUFS);
	}
	/* A link that leads out of the ring is cut to it. */
	seg = whole(0);
	ck_assert_int_eq(cqesim_striding_post(&poster, 3, &seg), 0);
	cqesim_striding_doorbell(&poster);
	cqesim_be_store(ring + 2, 2, 0xfffd); /* of place 0, the one before */
	ck_assert_int_eq(cqesim_striding_rq_place(&rq, 1, &p, &seg), 0);
	ck_assert_uint_eq(p.wqe, 1);
}
END_TEST

START_TEST(protection)
{
	static struct area area;
	uint8_t ring[128];
	uint32_t dbrec = 0;
	struct cqesim_striding_poster poster;
	struct cqesim_striding_rq rq;
	struct cqesim_placement p;
	struct cqesim_rq_seg seg, bad[3] = {whole(0), whole(0), whole(0)};

	bad[0].lkey = 1;
	bad[1].length = 100; /* the second stride ends at 128 */
	bad[2].address = BASE + sizeof(area.memory) - 64;
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(cqesim_striding_poster_init(&poster, ring, &small, &dbrec), 0);
		ck_assert_int_eq(cqesim_striding_rq_init(&rq, ring, &small, true, &dbrec, translate,
							 &area, NULL),
				 0);
		ck_assert_int_eq(cqesim_striding_post(&poster, 0, &bad[i]), 0);
		cqesim_striding_doorbell(&poster);
		ck_assert_int_eq(cqesim_striding_rq_place(&rq, 60, &p, &seg), i ? 0 : -EFAULT);
		ck_assert_int_eq(cqesim_striding_rq_place(&rq, 60, &p, &seg), -EFAULT);
		ck_assert_uint_eq(p.stride, 1); /* the place is told all the same */
	}
	ck_assert_int_eq(
		cqesim_striding_rq_init(&rq, NULL, &small, true, &dbrec, translate, &area, NULL),
		-EINVAL);
	ck_assert_int_eq(
		cqesim_striding_rq_init(&rq, ring, &small, false, &dbrec, translate, &area, NULL),
		-EINVAL); /* eight strides are for extended ranges */
	ck_assert_int_eq(cqesim_striding_poster_init(&poster, NULL, &small, &dbrec), -EINVAL);
}
END_TEST

void test_rq_striding(Suite *s)
{
	TCase *t = tcase_create("striding");

	tcase_add_test(t, legal_shapes);
	tcase_add_test(t, places_by_hand);
	tcase_add_test(t, two_byte_shift);
	tcase_add_test(t, index_goes_round);
	tcase_add_test(t, every_stride_once);
	tcase_add_test(t, wqe_bytes);
	tcase_add_test(t, ring_in_memory);
	tcase_add_test(t, linked_list);
	tcase_add_test(t, protection);
	suite_add_tcase(s, t);
}
