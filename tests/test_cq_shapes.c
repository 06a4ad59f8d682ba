/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cq: 128-byte slots, data in the CQE, striding receive queues, completions of
 * sent work, and the short form of completions; bytes by hand.
 */
#include <errno.h>
#include <stdlib.h>

#include "cq_images.h"
#include "test.h"

static struct cqesim_cq_reader reader_of(uint8_t *ring, struct cqesim_cq_shape shape)
{
	struct cqesim_cq_reader r;

	ck_assert_int_eq(cqesim_cq_reader_init(&r, ring, &shape, CQESIM_INVALIDATE_DPDK_VEC), 0);
	return r;
}

START_TEST(slots_of_128)
{
	const struct cqesim_cq_shape shape = {.log_size = 2, .cqe_128 = true};
	uint8_t *ring = test_cq_ring(3), *want = test_cq_ring(3), cqe[64], data[64];
	struct cqesim_cq_writer w;
	struct cqesim_cq_reader r = reader_of(ring, shape);
	struct cqesim_completion out[8];
	size_t bytes;

	ck_assert_uint_eq(cqesim_cq_ring_bytes(&shape), 512);
	cqesim_cq_init_ring(ring, &shape);
	for (unsigned s = 0; s < 4; s++) {
		want[s * 128 + 126] = 0xff;
		want[s * 128 + 127] = 0xf1;
	}
	same_ring(ring, want, 3, "fresh");
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 8, NULL), 0);

	/* The CQE, and minis, lie in the second half of a slot. */
	ck_assert_int_eq(cqesim_cq_writer_init(&w, ring, &shape, 4, false), 0);
	packet(cqe, 0);
	cqesim_cq_write(&w, cqe, 2, 0);
	packet(want + 64, 0);
	want[127] = 0x20;
	for (unsigned i = 0; i < 64; i++)
		data[i] = (uint8_t)(i + 1);
	packet(cqe, 1);
	cqe[46] = 0;
	cqe[47] = 40;
	ck_assert_int_eq(cqesim_cq_write_inline(&w, cqe, 2, data, 40), 0);
	memcpy(want + 128, data, 40);
	packet(want + 128 + 64, 1);
	want[128 + 64 + 46] = 0;
	want[128 + 64 + 47] = 40;
	want[128 + 127] = 0x28;
	write_session(&w, 2, 2);
	packet(want + 2 * 128 + 64, 2);
	be32(want + 2 * 128 + 64 + 44, 2);
	want[2 * 128 + 127] = 0x2c;
	memset(want + 3 * 128 + 64, 0, 64);
	for (uint32_t i = 0; i < 2; i++) {
		be32(want + 3 * 128 + 64 + 8 * i, hash_of(2 + i));
		be32(want + 3 * 128 + 64 + 8 * i + 4, length_of(2 + i));
	}
	same_ring(ring, want, 3, "written");

	ck_assert_int_eq(cqesim_cq_poll(&r, out, 8, NULL), 4);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(out[i].meta.rx_hash_res, hash_of(i));
	ck_assert_uint_eq(out[1].format, CQESIM_FORMAT_INLINE_64);
	const uint8_t *got = cqesim_cq_inline_data(&r, &out[1], &bytes);
	ck_assert_ptr_nonnull(got);
	ck_assert_uint_eq(bytes, 40);
	ck_assert_int_eq(memcmp(got, data, 40), 0);
	ck_assert_ptr_null(cqesim_cq_inline_data(&r, &out[0], &bytes));
	ck_assert_ptr_null(cqesim_cq_inline_data(&r, &out[2], &bytes));
	/* The session's slots, in both halves nothing else. */
	want[2 * 128 + 127] = want[3 * 128 + 127] = 0xf0;
	same_ring(ring, want, 3, "read");
	free(ring);
	free(want);
}
END_TEST

START_TEST(inline_32)
{
	uint8_t *ring = fresh(1), cqe[64];
	static const uint8_t data[40] = "thirty-one bytes in the CQE ...";
	struct cqesim_cq_writer w = writer(ring, 1, 2, false);
	struct cqesim_cq_reader r = reader(ring, 1);
	struct cqesim_completion out[2];
	size_t bytes;

	packet(cqe, 0);
	be32(cqe + 44, 31);
	ck_assert_int_eq(cqesim_cq_write_inline(&w, cqe, CQESIM_OP_RESP_SEND_IMM, data, 31), 0);
	ck_assert_uint_eq(ring[63], 0x34);
	ck_assert_int_eq(memcmp(ring, data, 31), 0);
	ck_assert_uint_eq(ring[31], 0);
	ck_assert_int_eq(memcmp(ring + 32, cqe + 32, 31), 0);
	/* No place for more in a slot of 64 bytes. */
	ck_assert_int_eq(cqesim_cq_write_inline(&w, cqe, 2, data, 33), -EMSGSIZE);
	ck_assert_int_eq(cqesim_cq_write_inline(&w, cqe, 2, data, 65), -EMSGSIZE);
	ck_assert_uint_eq(w.pi, 1);

	ck_assert_int_eq(cqesim_cq_poll(&r, out, 2, NULL), 1);
	ck_assert_ptr_eq(cqesim_cq_inline_data(&r, &out[0], &bytes), ring);
	ck_assert_uint_eq(bytes, 31);
	/* A length that does not fit there is not believed. */
	out[0].meta.byte_cnt = 33;
	ck_assert_ptr_null(cqesim_cq_inline_data(&r, &out[0], &bytes));
	out[0].format = CQESIM_FORMAT_INLINE_64;
	ck_assert_ptr_null(cqesim_cq_inline_data(&r, &out[0], &bytes));
	free(ring);
}
END_TEST

/* byte_cnt: filler in bit 31, strides in 30:16, length in 15:0. */
START_TEST(striding_plain)
{
	static const struct {
		uint32_t byte_cnt, length;
		uint16_t strides;
		uint8_t filler;
	} c[] = {
		{0x0001003c, 60, 1, 0}, {0x000105ea, 1514, 1, 0},       {0x00050232, 562, 5, 0},
		{0x801a0000, 0, 26, 1}, {0x7fffffff, 65535, 0x7fff, 0},
	};
	uint8_t *ring = fresh(3);
	struct cqesim_cq_reader r =
		reader_of(ring, (struct cqesim_cq_shape){.log_size = 3, .log_stride = 7});
	struct cqesim_completion out[8];
	struct cqesim_packet brief[8];

	for (uint32_t i = 0; i < COUNT(c); i++) {
		image_plain(ring, 3, i, i);
		ring[i * 64 + 2] = 0x12;
		ring[i * 64 + 3] = 0x34;
		be32(ring + i * 64 + 44, c[i].byte_cnt);
	}
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 8, NULL), COUNT(c));
	r.ci = 0;
	ck_assert_int_eq(cqesim_cq_poll_packets(&r, brief, 8, NULL), COUNT(c));
	for (uint32_t i = 0; i < COUNT(c); i++) {
		ck_assert_uint_eq(out[i].meta.byte_cnt, c[i].length);
		ck_assert_uint_eq(out[i].strides, c[i].strides);
		ck_assert_uint_eq(out[i].filler, c[i].filler);
		ck_assert_uint_eq(out[i].wqe_id, 0x1234);
		ck_assert_uint_eq(out[i].wqe_counter, 0x4000 + i);
		ck_assert_uint_eq(brief[i].length, c[i].filler ? 0 : c[i].length);
		ck_assert_uint_eq(brief[i].wqe_counter, 0x4000 + i);
	}
	free(ring);
}
END_TEST

/* Sessions: with a stride index the mini's, without one counted on by strides (KRN). */
START_TEST(striding_sessions)
{
	static const struct {
		enum cqesim_mini_format format;
		uint8_t mini[3][8];
		uint16_t counter[3], strides[3];
		uint32_t length[3];
		uint8_t filler[3];
	} c[] = {
		{CQESIM_MINI_CSUM_STRIDX,
		 {{0x11, 0x12, 0, 7, 0x00, 0x02, 0x00, 0xc8},
		  {0x21, 0x22, 0, 9, 0x00, 0x01, 0x00, 0x3c},
		  {0x31, 0x32, 0, 10, 0x80, 0x06, 0x00, 0x00}},
		 {7, 9, 10},
		 {2, 1, 6},
		 {200, 60, 0},
		 {0, 0, 1}},
		{CQESIM_MINI_HASH,
		 {{0x11, 0x12, 0, 7, 0x00, 0x02, 0x00, 0xc8},
		  {0x21, 0x22, 0, 9, 0x00, 0x01, 0x00, 0x3c},
		  {0x31, 0x32, 0, 10, 0x80, 0x06, 0x00, 0x00}},
		 {0x4000, 0x4002, 0x4003},
		 {2, 1, 6},
		 {200, 60, 0},
		 {0, 0, 1}},
		/* 24 bits hold no strides: they follow from the length, in strides of 128 bytes. */
		{CQESIM_MINI_FTAG_STRIDX,
		 {{0x11, 0x12, 0, 7, 0xaa, 0x00, 0x00, 0xc8},
		  {0x21, 0x22, 0, 9, 0xaa, 0x00, 0x00, 0x3c},
		  {0x31, 0x32, 0, 10, 0xff, 0x00, 0x01, 0x80}},
		 {7, 9, 10},
		 {2, 1, 3},
		 {200, 60, 384},
		 {0, 0, 0}},
	};
	uint8_t *ring = fresh(3);
	struct cqesim_cq_reader r = reader_of(
		ring,
		(struct cqesim_cq_shape){.log_size = 3, .log_stride = 7, .format = c[_i].format});
	struct cqesim_completion out[8];

	image_session(ring, 3, 0, 3, 0);
	memcpy(ring + 64, c[_i].mini, 24);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 8, NULL), 3);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(out[i].meta.byte_cnt, c[_i].length[i]);
		ck_assert_uint_eq(out[i].strides, c[_i].strides[i]);
		ck_assert_uint_eq(out[i].filler, c[_i].filler[i]);
		ck_assert_uint_eq(out[i].wqe_counter, c[_i].counter[i]);
	}
	free(ring);
}
END_TEST

/* Completions of sent work: opcode REQ, minis with wqe_counter and send opcode. */
START_TEST(requester)
{
	static const uint8_t title[64] = {
		[33] = 0x00, 0x00, 0x05, [47] = 2,    [48] = 1,    [56] = 0x0a,
		0x00,        0x02, 0xfe, [61] = 0x07, [63] = 0x0c,
	};
	static const uint8_t minis[2][2][8] = {
		{{0, 7, 0x0a, 0, 0, 0, 0, 0}, {0, 9, 0x10, 0, 0, 0, 0x10, 0}},
		{{0, 7, 0, 0x0a, 0, 0, 0, 0}, {0, 9, 0, 0x10, 0, 0, 0x10, 0}},
	};
	const struct cqesim_cq_shape shape = {
		.log_size = 2, .format = (enum cqesim_mini_format)(CQESIM_MINI_REQ + _i)};
	uint8_t *ring = fresh(2), *again = fresh(2);
	struct cqesim_cq_reader r = reader_of(ring, shape);
	struct cqesim_completion out[4];
	struct cqesim_cq_writer w;

	memcpy(ring, title, 64);
	memset(ring + 64, 0, 64);
	memcpy(ring + 64, minis[_i], 16);
	uint8_t *image = test_cq_ring(2);
	memcpy(image, ring, 256);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 4, NULL), 2);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(out[i].opcode, CQESIM_OP_REQ);
		ck_assert_uint_eq(out[i].send_opcode, i ? 0x10 : 0x0a);
		ck_assert_uint_eq(out[i].wqe_counter, i ? 9 : 7);
		ck_assert_uint_eq(out[i].meta.byte_cnt, i ? 4096 : 0); /* 0 is fine here */
		ck_assert_uint_eq(out[i].meta.flow_tag, 0x2fe);        /* QPN */
		ck_assert_uint_eq(out[i].meta.user_index, 5);
	}
	/* And written. */
	uint8_t cqe[64] __attribute__((aligned(64)));
	ck_assert_int_eq(cqesim_cq_writer_init(&w, again, &shape, 4, false), 0);
	memcpy(cqe, title, 64);
	be32(cqe + 44, 0);
	ck_assert_uint_eq(cqesim_cq_session_open(&w, cqe), 4);
	cqe[56] = 0x10;
	cqe[61] = 9;
	be32(cqe + 44, 4096);
	cqesim_cq_session_add(&w, cqe);
	ck_assert_uint_eq(cqesim_cq_session_close(&w), 2);
	same_ring(again, image, 2, "requester session");
	free(ring);
	free(again);
	free(image);
}
END_TEST

/* Whole and short completions tell the same. */
START_TEST(short_form)
{
	uint8_t *ring = fresh(5), *copy = test_cq_ring(5);
	struct cqesim_cq_reader r = reader(ring, 5), b = reader(copy, 5);
	struct cqesim_completion out[40];
	struct cqesim_packet brief[40];

	image_plain(ring, 5, 0, 0);
	ring[63] = 0xe0; /* an error has no length */
	image_plain(ring, 5, 1, 1);
	image_session(ring, 5, 2, 20, 2);
	image_plain(ring, 5, 22, 22);
	memcpy(copy, ring, 2048);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 40, NULL), 23);
	ck_assert_int_eq(cqesim_cq_poll_packets(&b, brief, 40, NULL), 23);
	ck_assert_uint_eq(brief[0].length, 0);
	ck_assert_uint_eq(brief[0].opcode, 14);
	for (unsigned i = 1; i < 23; i++) {
		ck_assert_uint_eq(brief[i].length, length_of(i));
		ck_assert_uint_eq(brief[i].rx_hash_res, hash_of(i));
		ck_assert_uint_eq(brief[i].l4_l3_hdr_type, 0x28);
		ck_assert_uint_eq(brief[i].hds_ip_ext, 0x07);
		ck_assert_uint_eq(brief[i].pkt_info, 0);
		ck_assert_uint_eq(brief[i].vlan_info, 0);
		ck_assert_uint_eq(brief[i].wqe_counter, out[i].wqe_counter);
		ck_assert_uint_eq(brief[i].opcode, 2);
	}
	same_ring(ring, copy, 5, "both rewrite alike");
	free(ring);
	free(copy);
}
END_TEST

/* Basic layout: a mini without a length, a reserved opcode, a hole before a completion. */
START_TEST(basic_faults)
{
	uint8_t *ring = fresh(4);
	struct cqesim_cq_reader r = reader(ring, 4);
	struct cqesim_completion out[16];
	struct cqesim_cq_fault fault = {0};

	image_session(ring, 4, 0, 10, 0);
	be32(ring + 8 * 64 + 8 + 4, 0); /* mini 9 */
	image_plain(ring, 4, 10, 10);
	ring[10 * 64 + 63] = 0xb0;
	image_plain(ring, 4, 11, 11);
	image_plain(ring, 4, 14, 14);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), 9);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), -EBADMSG);
	ck_assert_int_eq(fault.kind, CQESIM_CQ_FAULT_MINI_LENGTH);
	ck_assert_uint_eq(fault.index, 0);
	ck_assert_uint_eq(fault.mini, 9);
	ck_assert_uint_eq(fault.found, 0);
	ck_assert_uint_eq(r.ci, 10);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), -EBADMSG);
	ck_assert_int_eq(fault.kind, CQESIM_CQ_FAULT_OPCODE);
	ck_assert_uint_eq(fault.index, 10);
	ck_assert_uint_eq(fault.found, 11);
	ck_assert_int_eq(cqesim_cq_check(&r, &fault), 0); /* there is still one to read */
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), 1);
	ck_assert_uint_eq(out[0].meta.rx_hash_res, hash_of(11));
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), 0);
	ck_assert_int_eq(cqesim_cq_check(&r, &fault), -EBADMSG);
	ck_assert_int_eq(fault.kind, CQESIM_CQ_FAULT_OUT_OF_ORDER);
	ck_assert_uint_eq(fault.index, 14);
	/* 65536 bytes are no packet either, but may be a message. */
	image_session(ring, 4, 16, 2, 16);
	be32(ring + 64 + 4, 0x10000);
	cqesim_cq_reader_seek(&r, 16);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), -EBADMSG);
	ck_assert_uint_eq(fault.found, 0x10000);
	struct cqesim_cq_reader rdma =
		reader_of(ring, (struct cqesim_cq_shape){.log_size = 4, .any_length = true});
	cqesim_cq_reader_seek(&rdma, 16);
	ck_assert_int_eq(cqesim_cq_poll(&rdma, out, 16, &fault), 2);
	ck_assert_uint_eq(out[0].meta.byte_cnt, 0x10000);
	free(ring);
}
END_TEST

/* Found by fuzzing: a session whose first mini is bad has its title all the same. */
START_TEST(first_mini_bad)
{
	uint8_t *ring = fresh(4);
	struct cqesim_cq_reader r = reader(ring, 4);
	struct cqesim_completion out[16];
	struct cqesim_cq_fault fault;

	image_session(ring, 4, 0, 3, 0);
	be32(ring + 64 + 4, 0); /* mini 0 */
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, &fault), -EBADMSG);
	ck_assert_int_eq(fault.kind, CQESIM_CQ_FAULT_MINI_LENGTH);
	ck_assert_uint_eq(fault.mini, 0);
	ck_assert_int_eq(cqesim_cq_poll(&r, out, 16, NULL), 2);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(out[i].meta.rx_hash_res, hash_of(i + 1));
		ck_assert_uint_eq(out[i].meta.flow_tag, 0xabcdef);
		ck_assert_uint_eq(out[i].meta.csum, 0xabcd);
		ck_assert_uint_eq(out[i].opcode, 2);
		ck_assert_uint_eq(out[i].timestamp, 1000000);
		ck_assert_uint_eq(out[i].session_n, 3);
		ck_assert_uint_eq(out[i].session_i, i + 1);
	}
	free(ring);
}
END_TEST

START_TEST(bad_shapes)
{
	static const struct cqesim_cq_shape bad[] = {
		{.log_size = 23},
		{.log_size = UINT32_MAX},
		{.format = CQESIM_MINI_ALL_FORMATS},
		{.layout = CQESIM_CQ_ENHANCED + 1},
		{.log_stride = 17},
	};
	uint8_t *ring = test_cq_ring(4);
	struct cqesim_cq_reader r;
	struct cqesim_cq_writer w;

	for (size_t i = 0; i < COUNT(bad); i++) {
		ck_assert_int_eq(cqesim_cq_shape_check(&bad[i]), -EINVAL);
		ck_assert_int_eq(cqesim_cq_reader_init(&r, ring, &bad[i], 0), -EINVAL);
		ck_assert_int_eq(cqesim_cq_writer_init(&w, ring, &bad[i], 4, false), -EINVAL);
	}
	free(ring);
}
END_TEST

void test_cq_shapes(Suite *s)
{
	TCase *t = tcase_create("shapes");

	tcase_add_test(t, slots_of_128);
	tcase_add_test(t, inline_32);
	tcase_add_test(t, striding_plain);
	tcase_add_loop_test(t, striding_sessions, 0, 3);
	tcase_add_loop_test(t, requester, 0, 2);
	tcase_add_test(t, short_form);
	tcase_add_test(t, basic_faults);
	tcase_add_test(t, first_mini_bad);
	tcase_add_test(t, bad_shapes);
	suite_add_tcase(s, t);
}
