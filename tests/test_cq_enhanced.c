/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cq: the enhanced layout, byte by byte by hand.  An array's slot: minis from
 * byte 0, wqe_counter of the first packet in 60-61, the count in 62, number of
 * minis less one in bits 7:4 of 63, format 3 in bits 3:2, the lap's bit in bit 0.
 */
#include <errno.h>
#include <stdlib.h>

#include "cq_images.h"
#include "test.h"

static const struct cqesim_cq_shape shape8 = {
	.log_size = 3, .format = CQESIM_MINI_HASH, .layout = CQESIM_CQ_ENHANCED};

static uint8_t *fresh8(void)
{
	uint8_t *ring = test_cq_ring(3);

	cqesim_cq_init_ring(ring, &shape8);
	return ring;
}

static struct cqesim_cq_writer writer8(uint8_t *ring, uint32_t max, bool cross)
{
	struct cqesim_cq_writer w;

	ck_assert_int_eq(cqesim_cq_writer_init(&w, ring, &shape8, max, cross), 0);
	return w;
}

static struct cqesim_cq_reader reader8(uint8_t *ring)
{
	struct cqesim_cq_reader r;

	ck_assert_int_eq(cqesim_cq_reader_init(&r, ring, &shape8, 0), 0);
	return r;
}

/* A plain completion of packet i at index k of a ring of 8. */
static void plain8(uint8_t *ring, uint32_t k, uint32_t i)
{
	uint8_t *s = ring + k % 8 * 64;

	packet(s, i);
	s[62] = (uint8_t)(k / 8);
	s[63] = 0x20 | (k / 8 & 1);
}

/* An array of packets i .. i+m-1 at index k; the other bytes keep what they held. */
static void array8(uint8_t *ring, uint32_t k, uint32_t m, uint32_t i)
{
	uint8_t *s = ring + k % 8 * 64;

	memset(s, 0, 60);
	for (uint32_t j = 0; j < m; j++) {
		be32(s + 8 * j, hash_of(i + j));
		be32(s + 8 * j + 4, length_of(i + j));
	}
	s[60] = (uint8_t)((0x4000 + i) >> 8);
	s[61] = (uint8_t)i;
	s[62] = (uint8_t)(k / 8);
	s[63] = (uint8_t)((m - 1) << 4 | 0x0c | (k / 8 & 1));
}

static void write8(struct cqesim_cq_writer *w, uint32_t m, uint32_t first)
{
	uint8_t cqe[64] __attribute__((aligned(64)));

	packet(cqe, first);
	ck_assert_uint_ge(cqesim_cq_session_open(w, cqe), m);
	for (uint32_t i = 1; i < m; i++) {
		packet(cqe, first + i);
		cqesim_cq_session_add(w, cqe);
	}
	ck_assert_uint_eq(cqesim_cq_session_close(w), m);
}

START_TEST(writer_by_hand)
{
	uint8_t *ring = fresh8(), *want = fresh8(), cqe[64];
	struct cqesim_cq_writer w = writer8(ring, 7, true);

	/* No title yet. */
	packet(cqe, 0);
	ck_assert_uint_eq(cqesim_cq_session_open(&w, cqe), 0);
	cqesim_cq_write(&w, cqe, 2, 0);
	plain8(want, 0, 0);
	same_ring(ring, want, 3, "title");
	write8(&w, 1, 1); /* one is legal */
	array8(want, 1, 1, 1);
	same_ring(ring, want, 3, "array of one");
	write8(&w, 5, 2); /* indices 2 .. 6 */
	array8(want, 2, 5, 2);
	same_ring(ring, want, 3, "array of five");
	write8(&w, 7, 7); /* 7 .. 13, over the ring's end */
	array8(want, 7, 7, 7);
	same_ring(ring, want, 3, "array of seven");
	ck_assert_uint_eq(w.pi, 14);
	/* Lap 1: the count is 1, and so is the owner bit. */
	packet(cqe, 14);
	cqesim_cq_write(&w, cqe, 2, 0);
	plain8(want, 14, 14);
	same_ring(ring, want, 3, "next title");
	ck_assert_uint_eq(want[6 * 64 + 62], 1);
	ck_assert_uint_eq(want[6 * 64 + 63], 0x21);
	free(ring);
	free(want);
}
END_TEST

START_TEST(room)
{
	uint8_t *ring = fresh8(), cqe[64];
	struct cqesim_cq_writer w = writer8(ring, 100, false);

	packet(cqe, 0);
	cqesim_cq_write(&w, cqe, 2, 0);
	ck_assert_uint_eq(cqesim_cq_session_open(&w, cqe), 7);
	ck_assert_uint_eq(cqesim_cq_session_close(&w), 1);
	ck_assert_uint_eq(cqesim_cq_session_open(&w, cqe), 6);
	ck_assert(w.room_is_ring_end);
	ck_assert_uint_eq(cqesim_cq_session_close(&w), 1);
	/* After an error there is no title. */
	cqesim_cq_write(&w, cqe, CQESIM_OP_RESP_ERR, 0);
	ck_assert_uint_eq(cqesim_cq_session_open(&w, cqe), 0);
	ck_assert_int_eq(cqesim_cq_writer_init(&w, ring, &shape8, 0, false), -EINVAL);
	w = writer8(ring, 3, true);
	cqesim_cq_write(&w, cqe, 2, 0);
	ck_assert_uint_eq(cqesim_cq_session_open(&w, cqe), 3);
	ck_assert_uint_eq(cqesim_cq_session_close(&w), 1);
	free(ring);
}
END_TEST

static void expect8(const struct cqesim_completion *c, uint32_t i, uint32_t index, uint32_t n,
		    uint32_t at)
{
	ck_assert_uint_eq(c->meta.rx_hash_res, hash_of(i));
	ck_assert_uint_eq(c->meta.byte_cnt, length_of(i));
	ck_assert_uint_eq(c->meta.csum, 0xabcd);
	ck_assert_uint_eq(c->meta.flow_tag, 0xabcdef);
	ck_assert_uint_eq(c->wqe_counter, 0x4000 + i);
	ck_assert_uint_eq(c->index, index);
	ck_assert_uint_eq(c->session_n, n);
	ck_assert_uint_eq(c->session_i, at);
	ck_assert_uint_eq(c->opcode, 2);
}

/* Title, two arrays, read in bursts of _i; the title serves the next poll too. */
START_TEST(reader_by_hand)
{
	uint8_t *ring = fresh8(), *before = fresh8();
	struct cqesim_cq_reader r = reader8(ring);
	struct cqesim_completion out[16];
	int got = 0, more;

	plain8(ring, 0, 0);
	array8(ring, 1, 3, 1);
	array8(ring, 4, 4, 4);
	memcpy(before, ring, 512);
	while ((more = cqesim_cq_poll(&r, out + got, (unsigned)_i, NULL)) > 0)
		got += more;
	ck_assert_int_eq(more, 0);
	ck_assert_int_eq(got, 8);
	for (uint32_t i = 0; i < 8; i++)
		expect8(&out[i], i,
			i == 0  ? 0
			: i < 4 ? 1
				: 4,
			i == 0  ? 0
			: i < 4 ? 3
				: 4,
			i == 0  ? 0
			: i < 4 ? i - 1
				: i - 4);
	ck_assert_uint_eq(r.ci, 8);
	same_ring(ring, before, 3, "nothing is rewritten");

	/* Its slot now holds an array of the next lap; the title was kept. */
	array8(ring, 8, 2, 8);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, NULL), 2);
	expect8(&out[0], 8, 8, 2, 0);
	expect8(&out[1], 9, 8, 2, 1);
	ck_assert_uint_eq(out[1].timestamp, 1000000);
	free(ring);
	free(before);
}
END_TEST

/* The count decides, not the owner bit; it wraps at 256; holes may hold anything old. */
START_TEST(ownership)
{
	uint8_t *ring = fresh8();
	struct cqesim_cq_reader r = reader8(ring);
	struct cqesim_completion out[16];

	plain8(ring, 0, 0);
	ring[63] ^= 1; /* owner: not looked at */
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, NULL), 1);
	plain8(ring, 1, 1);
	ring[64 + 62] = 1; /* not yet */
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, NULL), 0);
	ring[64 + 62] = 0;
	ring[64 + 63] = 0xf0; /* opcode INVALID */
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, NULL), 0);

	cqesim_cq_reader_seek(&r, 255 * 8 + 7);
	plain8(ring, 255 * 8 + 7, 7);
	ck_assert_uint_eq(ring[7 * 64 + 62], 255);
	plain8(ring, 256 * 8, 8);
	ck_assert_uint_eq(ring[62], 0);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, NULL), 2);
	expect8(&out[1], 8, 2048, 0, 0);
	free(ring);
}
END_TEST

START_TEST(ring_end)
{
	uint8_t *ring = fresh8();
	struct cqesim_cq_reader r = reader8(ring);
	struct cqesim_completion out[16];

	/* A title in the last slot, its array in the first; an array over the end. */
	cqesim_cq_reader_seek(&r, 7);
	plain8(ring, 7, 7);
	array8(ring, 8, 4, 8);
	array8(ring, 12, 7, 12); /* 12 .. 18 */
	plain8(ring, 19, 19);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, NULL), 13);
	for (uint32_t i = 0; i < 13; i++)
		expect8(&out[i], 7 + i,
			i == 0   ? 7
			: i < 5  ? 8
			: i < 12 ? 12
				 : 19,
			i == 0   ? 0
			: i < 5  ? 4
			: i < 12 ? 7
				 : 0,
			i == 0   ? 0
			: i < 5  ? i - 1
			: i < 12 ? i - 5
				 : 0);
	ck_assert_uint_eq(r.ci, 20);
	free(ring);
}
END_TEST

/* An error is no title: arrays after it belong to the title before it, as the scalar PMD has it. */
START_TEST(error_between)
{
	uint8_t *ring = fresh8();
	struct cqesim_cq_reader r = reader8(ring);
	struct cqesim_completion out[16];

	plain8(ring, 0, 0);
	plain8(ring, 1, 1);
	ring[64 + 63] = 0xe0;
	ring[64 + 54] = 0x32;
	ring[64 + 55] = 0x04;
	array8(ring, 2, 2, 1);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, NULL), 4);
	ck_assert_uint_eq(out[1].opcode, 14);
	ck_assert_uint_eq(out[1].syndrome, 4);
	ck_assert_uint_eq(out[1].vendor_err_synd, 0x32);
	expect8(&out[2], 1, 2, 2, 0);
	expect8(&out[3], 2, 2, 2, 1);
	free(ring);
}
END_TEST

static void expect_fault(struct cqesim_cq_reader *r, enum cqesim_cq_fault_kind kind, uint32_t index,
			 uint32_t found)
{
	struct cqesim_cq_fault fault = {0};
	struct cqesim_completion out[16];

	ck_assert_int_eq(cqesim_cq_poll(r, out, 16, &fault), -EBADMSG);
	ck_assert_int_eq(fault.kind, kind);
	ck_assert_uint_eq(fault.index, index);
	ck_assert_uint_eq(fault.slot, index % 8);
	ck_assert_uint_eq(fault.found, found);
}

START_TEST(faults)
{
	uint8_t *ring = fresh8();
	struct cqesim_cq_reader r = reader8(ring);
	struct cqesim_completion out[16];

	/* An array without a title takes its indices with it. */
	array8(ring, 0, 3, 0);
	plain8(ring, 3, 3);
	array8(ring, 4, 1, 4);
	expect_fault(&r, CQESIM_CQ_FAULT_NO_TITLE, 0, 3);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, NULL), 2);
	expect8(&out[0], 3, 3, 0, 0);
	expect8(&out[1], 4, 4, 1, 0);

	/* Eight minis do not fit; then a reserved opcode, and a mini that nobody wrote. */
	array8(ring, 5, 7, 5);
	ring[5 * 64 + 63] = 0x7c;
	plain8(ring, 6, 6);
	ring[6 * 64 + 63] = 0x90;
	array8(ring, 7, 3, 7);
	be32(ring + 7 * 64 + 12, 0);
	expect_fault(&r, CQESIM_CQ_FAULT_ARRAY_LONG, 5, 8);
	expect_fault(&r, CQESIM_CQ_FAULT_OPCODE, 6, 9);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, NULL), 1);
	ck_assert_uint_eq(out[0].meta.rx_hash_res, hash_of(7));
	struct cqesim_cq_fault fault;
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), -EBADMSG);
	ck_assert_int_eq(fault.kind, CQESIM_CQ_FAULT_MINI_LENGTH);
	ck_assert_uint_eq(fault.mini, 1);
	ck_assert_uint_eq(fault.index, 7);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, NULL), 1);
	ck_assert_uint_eq(out[0].meta.rx_hash_res, hash_of(9));
	ck_assert_uint_eq(r.ci, 10);
	free(ring);
}
END_TEST

/* What only a ring at rest can tell. */
START_TEST(at_rest)
{
	uint8_t *ring = fresh8();
	struct cqesim_cq_reader r = reader8(ring);
	struct cqesim_cq_fault fault;

	ck_assert_int_eq(cqesim_cq_check(&r, &fault), 0);
	plain8(ring, 2, 2);
	ck_assert_int_eq(cqesim_cq_check(&r, &fault), -EBADMSG);
	ck_assert_int_eq(fault.kind, CQESIM_CQ_FAULT_OUT_OF_ORDER);
	ck_assert_uint_eq(fault.index, 2);
	plain8(ring, 0, 0);
	ck_assert_int_eq(cqesim_cq_check(&r, NULL), 0); /* not read yet */
	cqesim_cq_init_ring(ring, &shape8);
	plain8(ring, 8, 8);
	ck_assert_int_eq(cqesim_cq_check(&r, &fault), -EBADMSG);
	ck_assert_int_eq(fault.kind, CQESIM_CQ_FAULT_AHEAD);
	ck_assert_uint_eq(fault.found, 1);
	ck_assert_uint_eq(fault.slot, 0);
	for (int k = 0; k < CQESIM_CQ_FAULTS; k++)
		ck_assert_str_ne(cqesim_cq_fault_name((enum cqesim_cq_fault_kind)k),
				 "unknown fault");
	ck_assert_str_eq(cqesim_cq_fault_name(CQESIM_CQ_FAULTS), "unknown fault");
	free(ring);
}
END_TEST

void test_cq_enhanced(Suite *s)
{
	TCase *t = tcase_create("enhanced");

	tcase_add_test(t, writer_by_hand);
	tcase_add_test(t, room);
	tcase_add_loop_test(t, reader_by_hand, 1, 10);
	tcase_add_test(t, ownership);
	tcase_add_test(t, ring_end);
	tcase_add_test(t, error_between);
	tcase_add_test(t, faults);
	tcase_add_test(t, at_rest);
	suite_add_tcase(s, t);
}
