/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqe: wire formats.  Expected bytes and places were written down from the
 * public descriptions (DPDK mlx5_prm.h, rdma-core mlx5dv.h, Linux
 * mlx5/device.h), not taken from the layout tables under test.
 */
#include "test.h"
#include "test_cqe.h"

static uint64_t seed;

static uint32_t random_u32(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 32);
}

/* ---- whole completions by hand ---- */

/*
 * A TCP segment with data over IPv4, VLAN 0x2064 stripped, 1496 bytes, hash
 * 0xdeadbeef over addresses and ports, all checksums good, tag 0x123456.
 */
const uint8_t test_cqe_resp_send[64] = {
	0x00, 0x00, 0x12, 0x34, 0x40, 0x3f, 0x56, 0x78, /*  0 pkt_info, -, wqe_id, LRO */
	0x9a, 0xbc, 0xde, 0xf0, 0xde, 0xad, 0xbe, 0xef, /*  8 ack number, hash */
	0x44, 0x7f, 0x00, 0x00, 0xc5, 0x3a, 0x02, 0x01, /* 16 hash type, path, -, csum, slid */
	0x11, 0x22, 0x33, 0x44, 0x07, 0x49, 0x20, 0x64, /* 24 flags, OK bits, headers, VLAN */
	0x05, 0xab, 0xcd, 0xef, 0xca, 0xfe, 0xba, 0xbe, /* 32 segments, user index, metadata */
	0x0a, 0x0b, 0x0c, 0x0d, 0x00, 0x00, 0x05, 0xd8, /* 40 app, byte_cnt */
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* 48 timestamp */
	0x0e, 0x12, 0x34, 0x56, 0xfe, 0xdc, 0x99, 0x21, /* 56 opcode, tag, counter, sig, op_own */
};

static const struct cqesim_cqe resp_send_fields = {
	.pkt_info = 0,
	.wqe_id = 0x1234,
	.lro_flags = 0x40,
	.lro_min_ttl = 63,
	.lro_tcp_win = 0x5678,
	.lro_ack_seq_num = 0x9abcdef0,
	.rx_hash_res = 0xdeadbeef,
	.rx_hash_type = CQESIM_HASH_TYPE_IPV4 | CQESIM_HASH_TYPE_TCP,
	.ml_path = 0x7f,
	.csum = 0xc53a,
	.slid = 0x0201,
	.flags_rqpn = 0x11223344,
	.hds_ip_ext = CQESIM_L2_OK | CQESIM_L3_OK | CQESIM_L4_OK,
	.l4_l3_hdr_type =
		CQESIM_HDR_VLAN_STRIPPED | CQESIM_HDR_L3_IPV4 | CQESIM_HDR_L4_TCP_ACK_DATA,
	.vlan_info = 0x2064,
	.lro_num_seg = 5,
	.user_index = 0xabcdef,
	.flow_table_metadata = 0xcafebabe,
	.app = 0x0a,
	.app_op = 0x0b,
	.app_info = 0x0c0d,
	.byte_cnt = 1496,
	.timestamp = UINT64_C(0x0102030405060708),
	.send_opcode = 0x0e,
	.flow_tag = 0x123456,
	.wqe_counter = 0xfedc,
	.signature = 0x99,
	.opcode = CQESIM_OP_RESP_SEND,
	.format = CQESIM_FORMAT_PLAIN,
	.se = 0,
	.owner = 1,
};

START_TEST(resp_send_by_hand)
{
	struct cqesim_cqe cqe;
	uint8_t raw[64];

	memset(raw, 0xee, sizeof(raw));
	cqesim_cqe_encode(&resp_send_fields, raw);
	same_bytes(raw, test_cqe_resp_send, 64, "encoded");

	memset(&cqe, 0xee, sizeof(cqe));
	cqesim_cqe_decode(test_cqe_resp_send, &cqe);
#define SAME(name, ...) ck_assert_msg(cqe.name == resp_send_fields.name, "field " #name);
	CQESIM_CQE_RX_FIELDS(SAME)
#undef SAME
#define SAME(name, ...)                                                                            \
	ck_assert_msg(cqesim_cqe_get_##name(test_cqe_resp_send) == resp_send_fields.name,          \
		      "getter of " #name);
	CQESIM_CQE_RX_FIELDS(SAME)
#undef SAME
}
END_TEST

START_TEST(op_own_by_hand)
{
	/* opcode 7:4, format 3:2, solicited event 1, owner 0 */
	static const struct {
		uint8_t opcode, format, se, owner, byte;
	} c[] = {
		{2, 0, 0, 0, 0x20},  {2, 0, 0, 1, 0x21},  {2, 3, 0, 0, 0x2c},  {2, 3, 0, 1, 0x2d},
		{2, 1, 0, 0, 0x24},  {2, 2, 0, 1, 0x29},  {3, 0, 1, 0, 0x32},  {15, 0, 0, 1, 0xf1},
		{13, 0, 0, 0, 0xd0}, {14, 0, 1, 1, 0xe3}, {15, 3, 1, 1, 0xff},
	};

	for (size_t i = 0; i < COUNT(c); i++) {
		struct cqesim_cqe cqe = {.opcode = c[i].opcode,
					 .format = c[i].format,
					 .se = c[i].se,
					 .owner = c[i].owner};
		uint8_t raw[64];

		cqesim_cqe_encode(&cqe, raw);
		ck_assert_uint_eq(raw[63], c[i].byte);
		if (!c[i].se)
			ck_assert_uint_eq(CQESIM_OP_OWN(c[i].opcode, c[i].format, c[i].owner),
					  c[i].byte);
		cqesim_cqe_decode(raw, &cqe);
		ck_assert_uint_eq(cqe.opcode, c[i].opcode);
		ck_assert_uint_eq(cqe.format, c[i].format);
		ck_assert_uint_eq(cqe.se, c[i].se);
		ck_assert_uint_eq(cqe.owner, c[i].owner);
	}
}
END_TEST

START_TEST(error_by_hand)
{
	static const uint8_t want[64] = {
		[2] = 0x43,  [3] = 0x21,  [20] = 0x00, [21] = 0x11, [32] = 0x00, [33] = 0x12,
		[34] = 0x34, [35] = 0x56, [44] = 0x00, [45] = 0x00, [46] = 0x23, [47] = 0x28,
		[52] = 0x81, [53] = 0x02, [54] = 0x51, [55] = 0x04, [56] = 0x0a, [57] = 0x00,
		[58] = 0x01, [59] = 0x07, [60] = 0x80, [61] = 0x01, [62] = 0x5a, [63] = 0xe1,
	};
	struct cqesim_cqe_err err =
				      {
					      .eth_wqe_id = 0x4321,
					      .ib_stride_index = 17,
					      .srqn = 0x123456,
					      .byte_cnt = 9000,
					      .hw_err_synd = 0x81,
					      .hw_synd_type = 2,
					      .vendor_err_synd = 0x51,
					      .syndrome = CQESIM_SYNDROME_LOCAL_PROT,
					      .wqe_opcode = 0x0a,
					      .qpn = 0x000107,
					      .wqe_counter = 0x8001,
					      .signature = 0x5a,
					      .opcode = CQESIM_OP_RESP_ERR,
					      .owner = 1,
				      },
			      back;
	uint8_t raw[64];

	memset(raw, 0xee, sizeof(raw));
	cqesim_cqe_err_encode(&err, raw);
	same_bytes(raw, want, 64, "encoded");
	memset(&back, 0xee, sizeof(back));
	cqesim_cqe_err_decode(want, &back);
#define SAME(name, ...) ck_assert_msg(back.name == err.name, "field " #name);
	CQESIM_CQE_ERR_FIELDS(SAME)
#undef SAME
}
END_TEST

START_TEST(signature_error_by_hand)
{
	static const uint8_t want[64] = {
		[16] = 0xaa, [17] = 0xbb, [18] = 0xcc, [19] = 0xdd, [20] = 0xaa, [21] = 0xbb,
		[22] = 0xcc, [23] = 0xde, [24] = 0x00, [25] = 0x00, [26] = 0x10, [27] = 0x00,
		[28] = 0x00, [29] = 0x00, [30] = 0x10, [31] = 0x01, [32] = 0x08, [33] = 0x20,
		[36] = 0x00, [37] = 0x01, [38] = 0x7e, [39] = 0x00, [40] = 0x00, [41] = 0x00,
		[42] = 0x00, [43] = 0x01, [44] = 0x00, [45] = 0x00, [46] = 0x02, [47] = 0x00,
		[56] = 0x00, [57] = 0xff, [58] = 0x00, [59] = 0x01, [62] = 0x77, [63] = 0xc0,
	};
	struct cqesim_cqe_sig sig =
				      {
					      .expected_trans_sig = 0xaabbccdd,
					      .actual_trans_sig = 0xaabbccde,
					      .expected_reftag = 0x1000,
					      .actual_reftag = 0x1001,
					      .sig_syndrome = 0x0820,
					      .mkey = 0x00017e00,
					      .err_offset = UINT64_C(0x100000200),
					      .qpn = 0x00ff0001,
					      .signature = 0x77,
					      .opcode = CQESIM_OP_SIG_ERR,
				      },
			      back;
	uint8_t raw[64];

	memset(raw, 0xee, sizeof(raw));
	cqesim_cqe_sig_encode(&sig, raw);
	same_bytes(raw, want, 64, "encoded");
	memset(&back, 0xee, sizeof(back));
	cqesim_cqe_sig_decode(want, &back);
#define SAME(name, ...) ck_assert_msg(back.name == sig.name, "field " #name);
	CQESIM_CQE_SIG_FIELDS(SAME)
#undef SAME
}
END_TEST

START_TEST(big_endian)
{
	static const uint8_t bytes[8] = {0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8};
	static const struct {
		unsigned n;
		uint64_t value;
	} c[] = {{1, 0x81},
		 {2, 0x8192},
		 {3, 0x8192a3},
		 {4, 0x8192a3b4},
		 {8, UINT64_C(0x8192a3b4c5d6e7f8)}};

	for (size_t i = 0; i < COUNT(c); i++) {
		uint8_t buf[10];

		ck_assert_uint_eq(cqesim_be_load(bytes, c[i].n), c[i].value);
		memset(buf, 0x11, sizeof(buf));
		/* What does not fit is cut off, neighbours stay. */
		cqesim_be_store(buf + 1, c[i].n,
				c[i].n == 8 ? c[i].value : c[i].value | UINT64_C(0xee) << 56);
		ck_assert_uint_eq(buf[0], 0x11);
		same_bytes(buf + 1, bytes, c[i].n, "stored");
		ck_assert_uint_eq(buf[1 + c[i].n], 0x11);
	}
}
END_TEST

/* ---- the fast path of receive completions ---- */

START_TEST(put_rx_by_hand)
{
	static const uint8_t want[64] = {
		[0] = 0x03,  [12] = 0x01, [13] = 0x02, [14] = 0x03, [15] = 0x04, [16] = 0x88,
		[20] = 0xab, [21] = 0xcd, [28] = 0x06, [29] = 0xa4, [30] = 0x0f, [31] = 0xff,
		[32] = 0x00, [33] = 0x55, [34] = 0x66, [35] = 0x77, [44] = 0x00, [45] = 0x01,
		[46] = 0x00, [47] = 0x3c, [48] = 0x10, [49] = 0x20, [50] = 0x30, [51] = 0x40,
		[52] = 0x50, [53] = 0x60, [54] = 0x70, [55] = 0x80, [56] = 0x00, [57] = 0x99,
		[58] = 0x88, [59] = 0x77, [60] = 0xbe, [61] = 0xef,
	};
	struct cqesim_rxmeta
		m =
			{
				.byte_cnt = 0x1003c,
				.rx_hash_res = 0x01020304,
				.flow_tag = 0xaa998877, /* 24 bits count */
				.user_index = 0x111111, /* not looked at: the queue's is given */
				.vlan_info = 0x0fff,
				.csum = 0xabcd,
				.rx_hash_type = CQESIM_HASH_TYPE_IPV6 | CQESIM_HASH_TYPE_UDP,
				.pkt_info = CQESIM_PKT_INFO_TUNNELED | CQESIM_PKT_INFO_OUTER_IPV6,
				.hds_ip_ext = CQESIM_L3_OK | CQESIM_L4_OK,
				.l4_l3_hdr_type = CQESIM_HDR_L3_IPV6 | CQESIM_HDR_L4_UDP |
						  CQESIM_HDR_FRAGMENT,
			},
		back;
	uint8_t raw[64];

	memset(raw, 0xff, sizeof(raw));
	cqesim_cqe_put_rx(raw, &m, 0xdd556677, UINT64_C(0x1020304050607080), 0xbeef);
	same_bytes(raw, want, 64, "put_rx");
	/* Neighbours of the 24-bit fields are no part of them. */
	raw[32] = raw[56] = 0xff;
	cqesim_cqe_get_rx(raw, &back);
	m.flow_tag = 0x998877;
	m.user_index = 0x556677;
	ck_assert_mem_eq(&m, &back, sizeof(m));
}
END_TEST

START_TEST(put_rx_is_encode)
{
	/* Compared as memory elsewhere: every byte of it must be a field's. */
	ck_assert_uint_eq(sizeof(struct cqesim_rxmeta), 4 * 4 + 2 * 2 + 4);
	seed = 7;
	for (unsigned i = 0; i < 20000; i++) {
		struct cqesim_rxmeta m, back;
		struct cqesim_cqe cqe = {0};
		uint8_t a[64], b[64];
		uint64_t timestamp = (uint64_t)random_u32() << 32 | random_u32();
		uint16_t counter = (uint16_t)random_u32();

		for (unsigned w = 0; w < sizeof(m); w += 4) {
			uint32_t r = random_u32();
			memcpy((uint8_t *)&m + w, &r, 4);
		}
		cqesim_cqe_put_rx(a, &m, m.user_index, timestamp, counter);
		cqe.pkt_info = m.pkt_info;
		cqe.rx_hash_res = m.rx_hash_res;
		cqe.rx_hash_type = m.rx_hash_type;
		cqe.csum = m.csum;
		cqe.hds_ip_ext = m.hds_ip_ext;
		cqe.l4_l3_hdr_type = m.l4_l3_hdr_type;
		cqe.vlan_info = m.vlan_info;
		cqe.user_index = m.user_index;
		cqe.byte_cnt = m.byte_cnt;
		cqe.timestamp = timestamp;
		cqe.flow_tag = m.flow_tag;
		cqe.wqe_counter = counter;
		cqesim_cqe_encode(&cqe, b);
		same_bytes(a, b, 64, "put_rx against encode");
		cqesim_cqe_get_rx(a, &back);
		m.flow_tag &= 0xffffff;
		m.user_index &= 0xffffff;
		ck_assert_mem_eq(&m, &back, sizeof(m));
		ck_assert_uint_eq(cqesim_cqe_get_timestamp(a), timestamp);
		ck_assert_uint_eq(cqesim_cqe_get_wqe_counter(a), counter);
	}
}
END_TEST

START_TEST(flag_values)
{
	/* Bytes 0, 16, 28 and 29: a value at each bit place that drivers test. */
	ck_assert_uint_eq(CQESIM_PKT_INFO_TUNNELED, 0x01);
	ck_assert_uint_eq(CQESIM_PKT_INFO_OUTER_IPV6, 0x02);
	ck_assert_uint_eq(CQESIM_HASH_TYPE_IPV4, 0x04);
	ck_assert_uint_eq(CQESIM_HASH_TYPE_IPV6, 0x08);
	ck_assert_uint_eq(CQESIM_HASH_TYPE_TCP, 0x40);
	ck_assert_uint_eq(CQESIM_HASH_TYPE_UDP, 0x80);
	ck_assert_uint_eq(CQESIM_L2_OK, 0x01);
	ck_assert_uint_eq(CQESIM_L3_OK, 0x02);
	ck_assert_uint_eq(CQESIM_L4_OK, 0x04);
	ck_assert_uint_eq(CQESIM_HDR_VLAN_STRIPPED, 0x01);
	ck_assert_uint_eq(CQESIM_HDR_IP_OPTIONS, 0x02);
	ck_assert_uint_eq(CQESIM_HDR_L3_IPV6, 0x04);
	ck_assert_uint_eq(CQESIM_HDR_L3_IPV4, 0x08);
	ck_assert_uint_eq(CQESIM_HDR_L3_MASK, 0x0c);
	ck_assert_uint_eq(CQESIM_HDR_L4_TCP, 0x10);
	ck_assert_uint_eq(CQESIM_HDR_L4_UDP, 0x20);
	ck_assert_uint_eq(CQESIM_HDR_L4_TCP_ACK, 0x30);
	ck_assert_uint_eq(CQESIM_HDR_L4_TCP_ACK_DATA, 0x40);
	ck_assert_uint_eq(CQESIM_HDR_L4_MASK, 0x70);
	ck_assert_uint_eq(CQESIM_HDR_FRAGMENT, 0x80);
}
END_TEST

Suite *suite_cqe(void)
{
	Suite *s = suite_create("cqe");
	TCase *t = tcase_create("completions");

	tcase_add_test(t, resp_send_by_hand);
	tcase_add_test(t, op_own_by_hand);
	tcase_add_test(t, error_by_hand);
	tcase_add_test(t, signature_error_by_hand);
	tcase_add_test(t, big_endian);
	tcase_add_test(t, put_rx_by_hand);
	tcase_add_test(t, put_rx_is_encode);
	tcase_add_test(t, flag_values);
	suite_add_tcase(s, t);
	test_cqe_fields(s);
	test_cqe_mini(s);
	test_cqe_views(s);
	test_cqe_mlx5dv(s);
	test_cqe_dpdk(s);
	return s;
}
