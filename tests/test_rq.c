/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rq: WQEs as bytes (big-endian data segments of rdma-core's mlx5dv.h), the
 * 16-bit indices behind the doorbell record, buffers of several pieces.
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

/* A region of 4096 bytes at 0x7000, registered under one key. */
struct region {
	uint8_t memory[4096];
	unsigned calls;
	uint32_t lkey, length; /* of the last call */
	uint64_t address;
};

#define REGION_AT  UINT64_C(0x7000)
#define REGION_KEY 0x00a1b2c3u

static void *translate(void *context, uint32_t lkey, uint64_t address, uint32_t length)
{
	struct region *r = context;

	r->calls++;
	r->lkey = lkey;
	r->address = address;
	r->length = length;
	if (lkey != REGION_KEY || address < REGION_AT || address - REGION_AT > 4096 ||
	    length > 4096 - (address - REGION_AT))
		return NULL;
	return r->memory + (address - REGION_AT);
}

static struct region region;

static struct cqesim_rq queue(const void *ring, unsigned log_size, unsigned log_segs,
			      const uint32_t *dbrec)
{
	struct cqesim_rq rq;

	memset(&region, 0, sizeof(region));
	ck_assert_int_eq(cqesim_rq_init(&rq, ring, log_size, log_segs, dbrec, translate, &region),
			 0);
	return rq;
}

static uint32_t record(uint8_t b0, uint8_t b1, uint8_t b2, uint8_t b3)
{
	uint8_t bytes[4] = {b0, b1, b2, b3};
	uint32_t word;

	memcpy(&word, bytes, 4);
	return word;
}

START_TEST(wqe_by_hand)
{
	/* byte_count, lkey, address */
	static const uint8_t want[32] = {
		0x00,
		0x00,
		0x08,
		0x00,
		0x00,
		0xa1,
		0xb2,
		0xc3,
		0x11,
		0x22,
		0x33,
		0x44,
		0x55,
		0x66,
		0x77,
		0x88,
		/* the second of two segments: unused */
		0x00,
		0x00,
		0x00,
		0x00,
		0x00,
		0x00,
		0x01,
		0x00,
		0x00,
		0x00,
		0x00,
		0x00,
		0x00,
		0x00,
		0x00,
		0x00,
	};
	uint8_t ring[4 * 32];
	uint32_t dbrec = 0;
	struct cqesim_rq_poster p;
	struct cqesim_rq_seg seg[3] = {
		{.address = UINT64_C(0x1122334455667788), .lkey = REGION_KEY, .length = 2048},
		{.address = 1, .lkey = 2, .length = 3},
		{.address = 4, .lkey = 5, .length = 6},
	};

	memset(ring, 0xee, sizeof(ring));
	ck_assert_int_eq(cqesim_rq_poster_init(&p, ring, 2, 1, &dbrec), 0);
	ck_assert_int_eq(cqesim_rq_post(&p, seg, 1), 0);
	ck_assert_mem_eq(ring, want, 32);
	for (size_t i = 32; i < sizeof(ring); i++)
		ck_assert_uint_eq(ring[i], 0xee);
	ck_assert_uint_eq(p.pi, 1);
	ck_assert_uint_eq(dbrec, 0); /* not visible yet */
	cqesim_rq_doorbell(&p);
	ck_assert_uint_eq(dbrec, record(0, 0, 0, 1));

	/* Two segments; three are too many, none is too few, and then nothing happens. */
	static const uint8_t second[16] = {0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1};
	ck_assert_int_eq(cqesim_rq_post(&p, seg, 2), 0);
	ck_assert_mem_eq(ring + 32, want, 16);
	ck_assert_mem_eq(ring + 48, second, 16);
	ck_assert_int_eq(cqesim_rq_post(&p, seg, 3), -EINVAL);
	ck_assert_int_eq(cqesim_rq_post(&p, seg, 0), -EINVAL);
	ck_assert_uint_eq(p.pi, 2);
	ck_assert_uint_eq(ring[64], 0xee);

	/* The ring's end: WQE 4 takes the place of WQE 0. */
	cqesim_rq_post(&p, seg + 1, 1);
	cqesim_rq_post(&p, seg + 1, 1);
	ck_assert_mem_eq(ring, want, 32);
	cqesim_rq_post(&p, seg + 1, 1);
	ck_assert_mem_eq(ring, second, 16);
	ck_assert_mem_eq(ring + 16, want + 16, 16);
	ck_assert_uint_eq(p.pi, 5);
}
END_TEST

START_TEST(segments_by_hand)
{
	static const uint8_t ring[2 * 16] = {
		/* 0: 2048 bytes at 0x7010 */
		0x00,
		0x00,
		0x08,
		0x00,
		0x00,
		0xa1,
		0xb2,
		0xc3,
		0,
		0,
		0,
		0,
		0,
		0,
		0x70,
		0x10,
		/* 1: 64 bytes at 0x7fc0, the region's last */
		0x00,
		0x00,
		0x00,
		0x40,
		0x00,
		0xa1,
		0xb2,
		0xc3,
		0,
		0,
		0,
		0,
		0,
		0,
		0x7f,
		0xc0,
	};
	struct cqesim_rq_seg seg[32];
	uint32_t dbrec = record(0, 0, 0, 2);
	struct cqesim_rq rq = queue(ring, 1, 0, &dbrec);
	uint32_t fits = 77;

	ck_assert_int_eq(cqesim_rq_buffer(&rq, 60, seg, &fits), 1);
	ck_assert_uint_eq(seg[0].address, 0x7010);
	ck_assert_uint_eq(seg[0].lkey, REGION_KEY);
	ck_assert_uint_eq(seg[0].length, 60);
	ck_assert_ptr_eq(seg[0].memory, region.memory + 0x10);
	/* Translation is asked for what the packet takes, no more. */
	ck_assert_uint_eq(region.calls, 1);
	ck_assert_uint_eq(region.length, 60);
	ck_assert_uint_eq(region.address, 0x7010);
	ck_assert_uint_eq(region.lkey, REGION_KEY);
	/* To the last byte. */
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 2048, seg, &fits), 1);
	ck_assert_uint_eq(seg[0].length, 2048);
	ck_assert_uint_eq(fits, 77);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 2049, seg, &fits), -ENOSPC);
	ck_assert_uint_eq(fits, 2048);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, UINT32_MAX, seg, NULL), -ENOSPC);
	/* Nothing was consumed by all that; now the second, and the first again. */
	ck_assert_uint_eq(rq.ci, 0);
	ck_assert_uint_eq(cqesim_rq_consume(&rq), 0);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 64, seg, &fits), 1);
	ck_assert_uint_eq(seg[0].address, 0x7fc0);
	ck_assert_uint_eq(cqesim_rq_consume(&rq), 1);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 64, seg, &fits), 1);
	ck_assert_uint_eq(seg[0].address, 0x7010);
	/* No bytes take no pieces. */
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 0, seg, &fits), 0);
}
END_TEST

START_TEST(several_segments)
{
	static const uint8_t ring[4 * 16] = {
		0, 0, 0, 100, 0x00, 0xa1, 0xb2, 0xc3, 0, 0, 0, 0, 0, 0, 0x70, 0x00,
		0, 0, 0, 28,  0x00, 0xa1, 0xb2, 0xc3, 0, 0, 0, 0, 0, 0, 0x71, 0x00,
		0, 0, 1, 0,   0x00, 0xa1, 0xb2, 0xc3, 0, 0, 0, 0, 0, 0, 0x72, 0x00,
		0, 0, 0, 8,   0x00, 0xa1, 0xb2, 0xc3, 0, 0, 0, 0, 0, 0, 0x73, 0x00,
	};
	struct cqesim_rq_seg seg[32];
	uint32_t dbrec = record(0, 0, 0, 1), fits = 0;
	struct cqesim_rq rq = queue(ring, 0, 2, &dbrec);

	ck_assert_int_eq(cqesim_rq_buffer(&rq, 100, seg, NULL), 1);
	ck_assert_uint_eq(region.calls, 1);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 101, seg, NULL), 2);
	ck_assert_uint_eq(seg[0].length, 100);
	ck_assert_uint_eq(seg[1].length, 1);
	ck_assert_uint_eq(seg[1].address, 0x7100);
	ck_assert_ptr_eq(seg[1].memory, region.memory + 0x100);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 392, seg, &fits), 4);
	ck_assert_uint_eq(seg[2].length, 256);
	ck_assert_uint_eq(seg[3].length, 8);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 393, seg, &fits), -ENOSPC);
	ck_assert_uint_eq(fits, 392);
}
END_TEST

/* A list that ends early: with a count of 0, or with the invalid key. */
START_TEST(terminators)
{
	uint8_t ring[4 * 16] = {
		0, 0, 0, 100, 0x00, 0xa1, 0xb2, 0xc3, 0, 0, 0, 0, 0, 0, 0x70, 0x00,
		0, 0, 0, 28,  0x00, 0xa1, 0xb2, 0xc3, 0, 0, 0, 0, 0, 0, 0x71, 0x00,
		0, 0, 0, 0,   0x00, 0xa1, 0xb2, 0xc3, 0, 0, 0, 0, 0, 0, 0x72, 0x00,
		0, 0, 0, 8,   0x00, 0xa1, 0xb2, 0xc3, 0, 0, 0, 0, 0, 0, 0x73, 0x00,
	};
	struct cqesim_rq_seg seg[32];
	uint32_t dbrec = record(0, 0, 0, 1), fits = 0;
	struct cqesim_rq rq = queue(ring, 0, 2, &dbrec);

	ck_assert_int_eq(cqesim_rq_buffer(&rq, 128, seg, &fits), 2);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 129, seg, &fits), -ENOSPC);
	ck_assert_uint_eq(fits, 128);
	/* As rdma-core writes it, with a count besides. */
	memcpy(ring + 16, (const uint8_t[]){0, 0, 0, 28, 0, 0, 1, 0}, 8);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 100, seg, &fits), 1);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 101, seg, &fits), -ENOSPC);
	ck_assert_uint_eq(fits, 100);
	/* An empty list takes nothing; it is never asked for a translation. */
	memset(ring, 0, 4);
	region.calls = 0;
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 1, seg, &fits), -ENOSPC);
	ck_assert_uint_eq(fits, 0);
	ck_assert_uint_eq(region.calls, 0);
}
END_TEST

START_TEST(protection)
{
	uint8_t ring[2 * 16] = {
		0, 0, 0, 64, 0x00, 0xa1, 0xb2, 0xc3, 0, 0, 0, 0, 0, 0, 0x70, 0x00,
		0, 0, 0, 64, 0x00, 0xa1, 0xb2, 0xc4, 0, 0, 0, 0, 0, 0, 0x70, 0x00, /* another key */
	};
	struct cqesim_rq_seg seg[32];
	uint32_t dbrec = record(0, 0, 0, 1);
	struct cqesim_rq rq = queue(ring, 0, 1, &dbrec);

	/* Not touched as long as the packet ends before it. */
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 64, seg, NULL), 1);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 65, seg, NULL), -EFAULT);
	ck_assert_uint_eq(region.lkey, 0xa1b2c4);
	/* Past the region's end by a byte. */
	ring[14] = 0x7f;
	ring[15] = 0xd0;
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 48, seg, NULL), 1);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 49, seg, NULL), -EFAULT);
	/* A buffer that wraps the address space. */
	memset(ring + 8, 0xff, 8);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 48, seg, NULL), -EFAULT);
	ck_assert_uint_eq(region.address, UINT64_MAX);
}
END_TEST

START_TEST(most_segments)
{
	uint8_t ring[32 * 16] = {0};
	struct cqesim_rq_seg seg[32];
	uint32_t dbrec = record(0, 0, 0, 1);
	struct cqesim_rq rq = queue(ring, 0, CQESIM_RQ_LOG_SEGS_MAX, &dbrec);

	for (unsigned i = 0; i < 32; i++)
		memcpy(ring + i * 16,
		       (const uint8_t[]){0, 0, 0, 1, 0, 0xa1, 0xb2, 0xc3, 0, 0, 0, 0, 0, 0, 0x70,
					 (uint8_t)i},
		       16);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 32, seg, NULL), 32);
	for (unsigned i = 0; i < 32; i++)
		ck_assert_ptr_eq(seg[i].memory, region.memory + i);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 33, seg, NULL), -ENOSPC);
}
END_TEST

START_TEST(credits)
{
	static const struct {
		uint8_t dbrec[4];
		uint16_t ci;
		uint32_t credits;
	} c[] = {
		/* a ring of 256 */
		{{0, 0, 0, 0}, 0, 0},
		{{0, 0, 0, 1}, 0, 1},
		{{0, 0, 1, 0}, 0, 256},
		{{0, 0, 1, 0}, 255, 1},
		{{0, 0, 1, 0}, 256, 0},
		/* over 16 bits */
		{{0, 0, 0xff, 0xff}, 0xff00, 255},
		{{0, 0, 0x00, 0x00}, 0xff00, 256},
		{{0, 0, 0x00, 0x10}, 0xfff0, 32},
		/* of the record's 32 bits only 16 count */
		{{0, 1, 0x00, 0x10}, 0xfff0, 32},
		{{0xab, 0xcd, 0x12, 0x34}, 0x1230, 4},
		/* a driver that posted more than the ring holds, or went backwards */
		{{0, 0, 1, 1}, 0, 256},
		{{0, 0, 0x40, 0}, 0, 256},
		{{0, 0, 0, 0}, 1, 256},
	};
	static const uint8_t ring[256 * 16];
	uint32_t dbrec = 0;
	struct cqesim_rq rq = queue(ring, 8, 0, &dbrec);

	for (size_t i = 0; i < COUNT(c); i++) {
		memcpy(&dbrec, c[i].dbrec, 4);
		rq.ci = c[i].ci;
		ck_assert_uint_eq(cqesim_rq_credits(&rq), c[i].credits);
	}
	/* The largest ring: 32768 of 65536 indices. */
	uint8_t *large = calloc(32768, 16);
	rq = queue(large, CQESIM_RQ_LOG_MAX, 0, &dbrec);
	dbrec = record(0, 0, 0x80, 0);
	ck_assert_uint_eq(cqesim_rq_credits(&rq), 32768);
	free(large);
}
END_TEST

/* Poster and device around 16 bits: every WQE is the one that was meant. */
START_TEST(around_the_index)
{
	uint8_t ring[8 * 16] = {0};
	uint32_t dbrec = 0;
	struct cqesim_rq_poster p;
	struct cqesim_rq rq = queue(ring, 3, 0, &dbrec);
	struct cqesim_rq_seg seg[32];
	uint32_t posted = 0, used = 0;

	ck_assert_int_eq(cqesim_rq_poster_init(&p, ring, 3, 0, &dbrec), 0);
	while (used < 140000) {
		/* As many as fit, or one: both a full and a nearly empty ring go around. */
		uint32_t fill = used / 1000 % 2 ? 8 : 1;
		for (; posted - used < fill; posted++) {
			seg[0] = (struct cqesim_rq_seg){.address = REGION_AT + posted % 4000,
							.lkey = REGION_KEY,
							.length = 60};
			if (cqesim_rq_post(&p, seg, 1))
				ck_abort_msg("post %u", posted);
		}
		cqesim_rq_doorbell(&p);
		if (cqesim_rq_credits(&rq) != posted - used)
			ck_abort_msg("%u credits, not %u", cqesim_rq_credits(&rq), posted - used);
		for (unsigned n = 1 + used % 3; n && used < posted; n--, used++) {
			int rc = cqesim_rq_buffer(&rq, 60, seg, NULL);

			if (rc != 1 || seg[0].address != REGION_AT + used % 4000)
				ck_abort_msg("WQE %u: %d at %llx", used, rc,
					     (unsigned long long)seg[0].address);
			if (cqesim_rq_consume(&rq) != (uint16_t)used)
				ck_abort_msg("index of WQE %u", used);
		}
	}
	ck_assert_uint_gt(used, 2 * 65536);
}
END_TEST

/* Buffers recycled in place: the WQEs stay, the index moves on. */
START_TEST(repost)
{
	uint8_t ring[4 * 16], before[4 * 16];
	uint32_t dbrec = 0;
	struct cqesim_rq_poster p;
	struct cqesim_rq_seg seg = {.address = 1, .lkey = 2, .length = 3};

	ck_assert_int_eq(cqesim_rq_poster_init(&p, ring, 2, 0, &dbrec), 0);
	for (unsigned i = 0; i < 4; i++)
		cqesim_rq_post(&p, &seg, 1);
	memcpy(before, ring, sizeof(ring));
	cqesim_rq_repost(&p, 3);
	ck_assert_uint_eq(p.pi, 7);
	ck_assert_mem_eq(before, ring, sizeof(ring));
	ck_assert_uint_eq(dbrec, 0);
	cqesim_rq_doorbell(&p);
	ck_assert_uint_eq(dbrec, record(0, 0, 0, 7));
	cqesim_rq_repost(&p, 65536 - 7);
	ck_assert_uint_eq(p.pi, 0);
	cqesim_rq_repost(&p, 0xfffe);
	cqesim_rq_doorbell(&p);
	ck_assert_uint_eq(dbrec, record(0, 0, 0xff, 0xfe));
}
END_TEST

START_TEST(bad_arguments)
{
	static uint8_t ring[64];
	uint32_t dbrec = 0;
	struct cqesim_rq rq;
	struct cqesim_rq_poster p;

	ck_assert_int_eq(cqesim_rq_init(&rq, NULL, 0, 0, &dbrec, translate, NULL), -EINVAL);
	ck_assert_int_eq(cqesim_rq_init(&rq, ring, 0, 0, NULL, translate, NULL), -EINVAL);
	ck_assert_int_eq(cqesim_rq_init(&rq, ring, 0, 0, &dbrec, NULL, NULL), -EINVAL);
	ck_assert_int_eq(cqesim_rq_init(&rq, ring, 16, 0, &dbrec, translate, NULL), -EINVAL);
	ck_assert_int_eq(cqesim_rq_init(&rq, ring, UINT32_MAX, 0, &dbrec, translate, NULL),
			 -EINVAL);
	ck_assert_int_eq(cqesim_rq_init(&rq, ring, 0, 6, &dbrec, translate, NULL), -EINVAL);
	ck_assert_int_eq(cqesim_rq_init(&rq, ring, 0, 0, &dbrec, translate, NULL), 0);
	ck_assert_int_eq(cqesim_rq_poster_init(&p, NULL, 0, 0, &dbrec), -EINVAL);
	ck_assert_int_eq(cqesim_rq_poster_init(&p, ring, 0, 0, NULL), -EINVAL);
	ck_assert_int_eq(cqesim_rq_poster_init(&p, ring, 16, 0, &dbrec), -EINVAL);
	ck_assert_int_eq(cqesim_rq_poster_init(&p, ring, 0, 6, &dbrec), -EINVAL);
	ck_assert_int_eq(cqesim_rq_poster_init(&p, ring, 0, 2, &dbrec), 0);
}
END_TEST

#ifdef HAVE_MLX5DV
START_TEST(mlx5dv_segment)
{
	ck_assert_uint_eq(sizeof(struct mlx5_wqe_data_seg), CQESIM_RQ_SEG_BYTES);
	ck_assert_uint_eq(offsetof(struct mlx5_wqe_data_seg, byte_count), 0);
	ck_assert_uint_eq(offsetof(struct mlx5_wqe_data_seg, lkey), 4);
	ck_assert_uint_eq(offsetof(struct mlx5_wqe_data_seg, addr), 8);
	ck_assert_uint_eq(MLX5_INVALID_LKEY, CQESIM_RQ_INVALID_LKEY);

	/* What rdma-core's helper writes is what the device's side reads. */
	struct mlx5_wqe_data_seg wqe;
	struct cqesim_rq_seg seg[32];
	uint32_t dbrec = record(0, 0, 0, 1);
	struct cqesim_rq rq = queue(&wqe, 0, 0, &dbrec);
	mlx5dv_set_data_seg(&wqe, 1536, REGION_KEY, REGION_AT + 64);
	ck_assert_int_eq(cqesim_rq_buffer(&rq, 1536, seg, NULL), 1);
	ck_assert_ptr_eq(seg[0].memory, region.memory + 64);
	ck_assert_uint_eq(seg[0].length, 1536);
}
END_TEST
#endif

Suite *suite_rq(void)
{
	Suite *s = suite_create("rq");
	TCase *t = tcase_create("rq");

	tcase_add_test(t, wqe_by_hand);
	tcase_add_test(t, segments_by_hand);
	tcase_add_test(t, several_segments);
	tcase_add_test(t, terminators);
	tcase_add_test(t, protection);
	tcase_add_test(t, most_segments);
	tcase_add_test(t, credits);
	tcase_add_test(t, around_the_index);
	tcase_add_test(t, repost);
	tcase_add_test(t, bad_arguments);
#ifdef HAVE_MLX5DV
	tcase_add_test(t, mlx5dv_segment);
#endif
	suite_add_tcase(s, t);
	test_rq_striding(s);
	return s;
}
