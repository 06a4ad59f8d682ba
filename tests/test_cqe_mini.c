/* SPDX-License-Identifier: BSD-3-Clause */
/* cqe: the formats of mini-CQEs, and names. */
#include "test_cqe.h"

static const struct cqesim_mini full_mini = {
	.byte_cnt = 0x81020304,
	.rx_hash_res = 0xa1b2c3d4,
	.flow_tag = 0xffe5f607, /* 24 bits count */
	.csum = 0x1234,
	.stride_index = 0x5678,
	.l4_l3_hdr_type = 0x9b,
	.send_opcode = 0x0a,
	.wqe_counter = 0xc1c2,
	.iteration_count = 0x77,
};

static const struct {
	const char *name;
	uint8_t raw[8];
	struct cqesim_mini back;
} minis[CQESIM_MINI_ALL_FORMATS] = {
	[0] = {"hash",
	       {0xa1, 0xb2, 0xc3, 0xd4, 0x81, 0x02, 0x03, 0x04},
	       {.byte_cnt = 0x81020304, .rx_hash_res = 0xa1b2c3d4}},
	[1] = {"csum",
	       {0x12, 0x34, 0x00, 0x00, 0x81, 0x02, 0x03, 0x04},
	       {.byte_cnt = 0x81020304, .csum = 0x1234}},
	[2] = {"ftag_stridx",
	       {0xf6, 0x07, 0x56, 0x78, 0xe5, 0x02, 0x03, 0x04},
	       {.byte_cnt = 0x020304, .flow_tag = 0xe5f607, .stride_index = 0x5678}},
	[3] = {"csum_stridx",
	       {0x12, 0x34, 0x56, 0x78, 0x81, 0x02, 0x03, 0x04},
	       {.byte_cnt = 0x81020304, .csum = 0x1234, .stride_index = 0x5678}},
	[4] = {"l34h_stridx",
	       {0x9b, 0x00, 0x56, 0x78, 0x81, 0x02, 0x03, 0x04},
	       {.byte_cnt = 0x81020304, .stride_index = 0x5678, .l4_l3_hdr_type = 0x9b}},
	[5] = {"req",
	       {0xc1, 0xc2, 0x0a, 0x00, 0x81, 0x02, 0x03, 0x04},
	       {.byte_cnt = 0x81020304, .send_opcode = 0x0a, .wqe_counter = 0xc1c2}},
	[6] = {"req_iter",
	       {0xc1, 0xc2, 0x77, 0x0a, 0x81, 0x02, 0x03, 0x04},
	       {.byte_cnt = 0x81020304,
		.send_opcode = 0x0a,
		.wqe_counter = 0xc1c2,
		.iteration_count = 0x77}},
};

static void same_mini(const struct cqesim_mini *a, const struct cqesim_mini *b)
{
	ck_assert_uint_eq(a->byte_cnt, b->byte_cnt);
	ck_assert_uint_eq(a->rx_hash_res, b->rx_hash_res);
	ck_assert_uint_eq(a->flow_tag, b->flow_tag);
	ck_assert_uint_eq(a->csum, b->csum);
	ck_assert_uint_eq(a->stride_index, b->stride_index);
	ck_assert_uint_eq(a->l4_l3_hdr_type, b->l4_l3_hdr_type);
	ck_assert_uint_eq(a->send_opcode, b->send_opcode);
	ck_assert_uint_eq(a->wqe_counter, b->wqe_counter);
	ck_assert_uint_eq(a->iteration_count, b->iteration_count);
}

START_TEST(minis_by_hand)
{
	enum cqesim_mini_format format = (enum cqesim_mini_format)_i;
	uint8_t raw[10];
	struct cqesim_mini back;

	memset(raw, 0xee, sizeof(raw));
	cqesim_mini_encode(format, &full_mini, raw + 1);
	same_bytes(raw + 1, minis[_i].raw, 8, minis[_i].name);
	ck_assert_uint_eq(raw[0], 0xee);
	ck_assert_uint_eq(raw[9], 0xee);

	memset(&back, 0xee, sizeof(back));
	cqesim_mini_decode(format, minis[_i].raw, &back);
	same_mini(&back, &minis[_i].back);

	ck_assert_str_eq(cqesim_mini_format_name(format), minis[_i].name);
	ck_assert_int_eq(cqesim_mini_format_parse(minis[_i].name), _i);
}
END_TEST

/* Reserved bytes of minis are not read. */
START_TEST(minis_reserved)
{
	struct cqesim_mini m;
	uint8_t raw[8] = {0, 0, 0xff, 0xff, 0, 0, 0, 0};

	cqesim_mini_decode(CQESIM_MINI_CSUM, raw, &m);
	same_mini(&m, &(struct cqesim_mini){0});
	memset(raw, 0, 8);
	raw[1] = 0xff;
	cqesim_mini_decode(CQESIM_MINI_L34H_STRIDX, raw, &m);
	same_mini(&m, &(struct cqesim_mini){0});
}
END_TEST

START_TEST(mini_carries)
{
	/* First byte and number of bytes that minis bring themselves, besides byte_cnt in 44-47. */
	static const struct {
		unsigned a, an, b, bn;
	} c[CQESIM_MINI_ALL_FORMATS] = {
		[0] = {12, 4, 0, 0},  /* hash */
		[1] = {20, 2, 0, 0},  /* csum */
		[2] = {57, 3, 60, 2}, /* tag; stride index in the place of wqe_counter */
		[3] = {20, 2, 60, 2}, /* csum, stride index */
		[4] = {29, 1, 60, 2}, /* header types, stride index */
		[5] = {56, 1, 60, 2}, /* send opcode, wqe_counter */
		[6] = {56, 1, 60, 2},
	};
	uint8_t want[64] = {0}, mask[64];

	memset(want + 44, 0xff, 4);
	memset(want + c[_i].a, 0xff, c[_i].an);
	memset(want + c[_i].b, 0xff, c[_i].bn);
	memset(mask, 0xee, sizeof(mask));
	cqesim_mini_carries((enum cqesim_mini_format)_i, mask);
	same_bytes(mask, want, 64, minis[_i].name);
}
END_TEST

START_TEST(names)
{
	static const char *const opcode[17] = {
		"REQ",       "RESP_WR_IMM", "RESP_SEND", "RESP_SEND_IMM", "RESP_SEND_INV",
		"RESIZE_CQ", "NO_PACKET",   "reserved",  "reserved",      "reserved",
		"reserved",  "reserved",    "SIG_ERR",   "REQ_ERR",       "RESP_ERR",
		"INVALID",   "reserved",
	};
	static const struct {
		unsigned number;
		const char *name;
	} syndrome[] = {
		{0x01, "LOCAL_LENGTH_ERR"},
		{0x02, "LOCAL_QP_OP_ERR"},
		{0x04, "LOCAL_PROT_ERR"},
		{0x05, "WR_FLUSH_ERR"},
		{0x06, "MW_BIND_ERR"},
		{0x10, "BAD_RESP_ERR"},
		{0x11, "LOCAL_ACCESS_ERR"},
		{0x12, "REMOTE_INVAL_REQ_ERR"},
		{0x13, "REMOTE_ACCESS_ERR"},
		{0x14, "REMOTE_OP_ERR"},
		{0x15, "TRANSPORT_RETRY_EXC_ERR"},
		{0x16, "RNR_RETRY_EXC_ERR"},
		{0x22, "REMOTE_ABORTED_ERR"},
	};
	unsigned unknown = 0;

	for (unsigned i = 0; i < 17; i++)
		ck_assert_str_eq(cqesim_opcode_name(i), opcode[i]);
	for (size_t i = 0; i < COUNT(syndrome); i++)
		ck_assert_str_eq(cqesim_syndrome_name(syndrome[i].number), syndrome[i].name);
	for (unsigned i = 0; i < 256; i++)
		unknown += !strcmp(cqesim_syndrome_name(i), "unknown");
	ck_assert_uint_eq(unknown, 256 - COUNT(syndrome));
	ck_assert_str_eq(cqesim_syndrome_name(UINT32_MAX), "unknown");
	ck_assert_str_eq(cqesim_mini_format_name(CQESIM_MINI_ALL_FORMATS), "unknown");
	ck_assert_str_eq(cqesim_mini_format_name((enum cqesim_mini_format) - 1), "unknown");
	ck_assert_int_lt(cqesim_mini_format_parse(""), 0);
	ck_assert_int_lt(cqesim_mini_format_parse("HASH"), 0);
	ck_assert_int_lt(cqesim_mini_format_parse("hash "), 0);
}
END_TEST

void test_cqe_mini(Suite *s)
{
	TCase *t = tcase_create("minis");

	tcase_add_loop_test(t, minis_by_hand, 0, CQESIM_MINI_ALL_FORMATS);
	tcase_add_test(t, minis_reserved);
	tcase_add_loop_test(t, mini_carries, 0, CQESIM_MINI_ALL_FORMATS);
	tcase_add_test(t, names);
	suite_add_tcase(s, t);
}
