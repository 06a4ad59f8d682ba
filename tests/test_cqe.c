/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqe: wire formats.  Expected bytes and places were written down from the
 * public descriptions (DPDK mlx5_prm.h, rdma-core mlx5dv.h, Linux
 * mlx5/device.h), not taken from the layout tables under test.
 */
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_MLX5DV
#include <infiniband/mlx5dv.h>
#endif

#include "cqesim/cqe.h"
#include "test.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void same_bytes(const uint8_t *got, const uint8_t *want, size_t n, const char *what)
{
	if (memcmp(got, want, n) == 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (got[i] != want[i])
			ck_abort_msg("%s: byte %zu is %02x, not %02x", what, i, got[i], want[i]);
}

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
static const uint8_t resp_send[64] = {
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
	same_bytes(raw, resp_send, 64, "encoded");

	memset(&cqe, 0xee, sizeof(cqe));
	cqesim_cqe_decode(resp_send, &cqe);
#define SAME(name, ...) ck_assert_msg(cqe.name == resp_send_fields.name, "field " #name);
	CQESIM_CQE_RX_FIELDS(SAME)
#undef SAME
#define SAME(name, ...)                                                                            \
	ck_assert_msg(cqesim_cqe_get_##name(resp_send) == resp_send_fields.name,                   \
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
					      .syndrome = 0x0820,
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

/* ---- each field alone ---- */

struct place {
	const char *name;
	unsigned first, bytes; /* bytes on the wire */
	uint8_t bits;          /* of a field smaller than a byte: its bits; else 0xff */
};

static const struct place rx_places[] = {
	{"pkt_info", 0, 1, 0xff},     {"wqe_id", 2, 2, 0xff},
	{"lro_flags", 4, 1, 0xff},    {"lro_min_ttl", 5, 1, 0xff},
	{"lro_tcp_win", 6, 2, 0xff},  {"lro_ack_seq_num", 8, 4, 0xff},
	{"rx_hash_res", 12, 4, 0xff}, {"rx_hash_type", 16, 1, 0xff},
	{"ml_path", 17, 1, 0xff},     {"csum", 20, 2, 0xff},
	{"slid", 22, 2, 0xff},        {"flags_rqpn", 24, 4, 0xff},
	{"hds_ip_ext", 28, 1, 0xff},  {"l4_l3_hdr_type", 29, 1, 0xff},
	{"vlan_info", 30, 2, 0xff},   {"lro_num_seg", 32, 1, 0xff},
	{"user_index", 33, 3, 0xff},  {"flow_table_metadata", 36, 4, 0xff},
	{"app", 40, 1, 0xff},         {"app_op", 41, 1, 0xff},
	{"app_info", 42, 2, 0xff},    {"byte_cnt", 44, 4, 0xff},
	{"timestamp", 48, 8, 0xff},   {"send_opcode", 56, 1, 0xff},
	{"flow_tag", 57, 3, 0xff},    {"wqe_counter", 60, 2, 0xff},
	{"signature", 62, 1, 0xff},   {"opcode", 63, 1, 0xf0},
	{"format", 63, 1, 0x0c},      {"se", 63, 1, 0x02},
	{"owner", 63, 1, 0x01},
};

static const struct place err_places[] = {
	{"eth_wqe_id", 2, 2, 0xff},
	{"ib_stride_index", 20, 2, 0xff},
	{"srqn", 32, 4, 0xff},
	{"byte_cnt", 44, 4, 0xff},
	{"hw_err_synd", 52, 1, 0xff},
	{"hw_synd_type", 53, 1, 0xff},
	{"vendor_err_synd", 54, 1, 0xff},
	{"syndrome", 55, 1, 0xff},
	{"wqe_opcode", 56, 1, 0xff},
	{"qpn", 57, 3, 0xff},
	{"wqe_counter", 60, 2, 0xff},
	{"signature", 62, 1, 0xff},
	{"opcode", 63, 1, 0xf0},
	{"format", 63, 1, 0x0c},
	{"se", 63, 1, 0x02},
	{"owner", 63, 1, 0x01},
};

static const struct place sig_places[] = {
	{"expected_trans_sig", 16, 4, 0xff},
	{"actual_trans_sig", 20, 4, 0xff},
	{"expected_reftag", 24, 4, 0xff},
	{"actual_reftag", 28, 4, 0xff},
	{"syndrome", 32, 2, 0xff},
	{"mkey", 36, 4, 0xff},
	{"err_offset", 40, 8, 0xff},
	{"qpn", 56, 4, 0xff},
	{"signature", 62, 1, 0xff},
	{"opcode", 63, 1, 0xf0},
	{"format", 63, 1, 0x0c},
	{"se", 63, 1, 0x02},
	{"owner", 63, 1, 0x01},
};

struct view {
	const char *name;
	const struct place *place;
	unsigned places;
	const struct cqesim_field *field;
	const unsigned *fields;
	size_t size;
	void (*encode)(const void *in, uint8_t raw[64]);
	void (*decode)(const uint8_t raw[64], void *out);
};

#define VIEW_CODEC(view)                                                                           \
	static void encode_##view(const void *in, uint8_t raw[64])                                 \
	{                                                                                          \
		cqesim_##view##_encode(in, raw);                                                   \
	}                                                                                          \
	static void decode_##view(const uint8_t raw[64], void *out)                                \
	{                                                                                          \
		cqesim_##view##_decode(raw, out);                                                  \
	}
VIEW_CODEC(cqe)
VIEW_CODEC(cqe_err)
VIEW_CODEC(cqe_sig)

static const struct view views[] = {
	{"receive", rx_places, COUNT(rx_places), cqesim_cqe_rx_fields, &cqesim_cqe_rx_field_count,
	 sizeof(struct cqesim_cqe), encode_cqe, decode_cqe},
	{"error", err_places, COUNT(err_places), cqesim_cqe_err_fields, &cqesim_cqe_err_field_count,
	 sizeof(struct cqesim_cqe_err), encode_cqe_err, decode_cqe_err},
	{"signature", sig_places, COUNT(sig_places), cqesim_cqe_sig_fields,
	 &cqesim_cqe_sig_field_count, sizeof(struct cqesim_cqe_sig), encode_cqe_sig,
	 decode_cqe_sig},
};

static const struct cqesim_field *row_of(const struct view *v, const char *name)
{
	for (unsigned i = 0; i < *v->fields; i++)
		if (!strcmp(v->field[i].name, name))
			return &v->field[i];
	ck_abort_msg("%s: no field %s", v->name, name);
	return NULL;
}

START_TEST(tables_by_hand)
{
	const struct view *v = &views[_i];

	ck_assert_uint_eq(*v->fields, v->places);
	for (unsigned i = 0; i < v->places; i++) {
		const struct place *p = &v->place[i];
		const struct cqesim_field *f = row_of(v, p->name);
		uint8_t want[64] = {0}, mask[64] = {0};

		ck_assert_uint_eq(f->byte, p->first);
		ck_assert_uint_eq(f->bytes, p->bytes);
		ck_assert_uint_eq(f->bits, p->bits == 0xff ? 8 * p->bytes
							   : (unsigned)__builtin_popcount(p->bits));
		ck_assert_uint_eq(f->shift, (unsigned)__builtin_ctz(p->bits));
		ck_assert_uint_gt(strlen(f->meaning), 0);
		ck_assert_uint_gt(strlen(f->source), 0);
		ck_assert_uint_le(f->offset + f->size, v->size);
		/* The mask sets the field's bits and leaves others. */
		mask[1] = 0x5a;
		want[1] = 0x5a;
		memset(want + p->first, p->bits, p->bytes);
		cqesim_field_mask(f, mask);
		same_bytes(mask, want, 64, p->name);
	}
}
END_TEST

/* All ones in a member change the field's bits and no others, and come back cut to its width. */
START_TEST(fields_alone)
{
	const struct view *v = &views[_i];

	for (unsigned i = 0; i < v->places; i++) {
		const struct place *p = &v->place[i];
		const struct cqesim_field *f = row_of(v, p->name);
		uint8_t in[256] = {0}, out[256], want_out[256] = {0}, raw[64], want[64] = {0};

		memset(in + f->offset, 0xff, f->size);
		memset(want + p->first, p->bits, p->bytes);
		memset(raw, 0xa5, sizeof(raw));
		v->encode(in, raw);
		same_bytes(raw, want, 64, p->name);

		uint64_t value = p->bits == 0xff ? ~UINT64_C(0) >> (64 - 8 * p->bytes)
						 : (uint64_t)(p->bits >> __builtin_ctz(p->bits));
		memcpy(want_out + f->offset, &value, f->size);
		memset(out, 0, sizeof(out));
		v->decode(raw, out);
		same_bytes(out, want_out, v->size, p->name);

		/* Everything but this field set: it must not see its neighbours. */
		for (unsigned b = 0; b < 64; b++)
			raw[b] = (uint8_t)~want[b];
		v->decode(raw, out);
		uint64_t got = 0;
		memcpy(&got, out + f->offset, f->size);
		ck_assert_msg(!got, "%s sees bits of other fields", p->name);

		/* Most significant byte first. */
		if (p->bits != 0xff)
			continue;
		value = UINT64_C(0x0807060504030201);
		memset(in, 0, sizeof(in));
		memcpy(in + f->offset, &value, f->size);
		memset(want, 0, sizeof(want));
		for (unsigned b = 0; b < p->bytes; b++)
			want[p->first + b] = (uint8_t)(p->bytes - b);
		v->encode(in, raw);
		same_bytes(raw, want, 64, p->name);
	}
}
END_TEST

/* Bytes that a view does not name are written as 0 and read by nothing. */
START_TEST(reserved_bytes)
{
	const struct view *v = &views[_i];
	uint8_t ones[64], raw[64], want[64] = {0}, out[256] = {0}, zero[64] = {0};

	memset(ones, 0xff, sizeof(ones));
	for (unsigned i = 0; i < v->places; i++)
		for (unsigned b = 0; b < v->place[i].bytes; b++)
			want[v->place[i].first + b] |= v->place[i].bits;
	v->decode(ones, out);
	v->encode(out, raw);
	same_bytes(raw, want, 64, v->name);

	memset(out, 0, sizeof(out));
	memset(raw, 0xff, sizeof(raw));
	v->encode(out, raw);
	same_bytes(raw, zero, 64, v->name);
}
END_TEST

START_TEST(field_by_name)
{
	for (unsigned i = 0; i < COUNT(rx_places); i++)
		ck_assert_str_eq(cqesim_cqe_rx_field(rx_places[i].name)->name, rx_places[i].name);
	ck_assert_ptr_null(cqesim_cqe_rx_field("syndrome"));
	ck_assert_ptr_null(cqesim_cqe_rx_field(""));
	ck_assert_ptr_null(cqesim_cqe_rx_field("byte_cnt "));
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

/* ---- mini-CQEs ---- */

static const struct cqesim_mini full_mini = {
	.byte_cnt = 0x81020304,
	.rx_hash_res = 0xa1b2c3d4,
	.flow_tag = 0xffe5f607, /* 24 bits count */
	.csum = 0x1234,
	.stride_index = 0x5678,
	.l4_l3_hdr_type = 0x9b,
};

static const struct {
	const char *name;
	uint8_t raw[8];
	struct cqesim_mini back;
} minis[CQESIM_MINI_FORMATS] = {
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
};

static void same_mini(const struct cqesim_mini *a, const struct cqesim_mini *b)
{
	ck_assert_uint_eq(a->byte_cnt, b->byte_cnt);
	ck_assert_uint_eq(a->rx_hash_res, b->rx_hash_res);
	ck_assert_uint_eq(a->flow_tag, b->flow_tag);
	ck_assert_uint_eq(a->csum, b->csum);
	ck_assert_uint_eq(a->stride_index, b->stride_index);
	ck_assert_uint_eq(a->l4_l3_hdr_type, b->l4_l3_hdr_type);
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
	} c[CQESIM_MINI_FORMATS] = {
		[0] = {12, 4, 0, 0},  /* hash */
		[1] = {20, 2, 0, 0},  /* csum */
		[2] = {57, 3, 60, 2}, /* tag; stride index in the place of wqe_counter */
		[3] = {20, 2, 60, 2}, /* csum, stride index */
		[4] = {29, 1, 60, 2}, /* header types, stride index */
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
	ck_assert_str_eq(cqesim_mini_format_name(CQESIM_MINI_FORMATS), "unknown");
	ck_assert_str_eq(cqesim_mini_format_name((enum cqesim_mini_format) - 1), "unknown");
	ck_assert_int_lt(cqesim_mini_format_parse(""), 0);
	ck_assert_int_lt(cqesim_mini_format_parse("HASH"), 0);
	ck_assert_int_lt(cqesim_mini_format_parse("hash "), 0);
}
END_TEST

/* ---- against the header that user space drivers are built with ---- */

#ifdef HAVE_MLX5DV
START_TEST(mlx5dv_layout)
{
	/* A dword that DV has whole and cqesim in parts is checked with its last part. */
	static const struct {
		const char *name;
		size_t offset, size;
	} rx[] = {
#define AT(ours, theirs)                                                                           \
	{ours, offsetof(struct mlx5_cqe64, theirs), sizeof(((struct mlx5_cqe64 *)0)->theirs)}
		AT("wqe_id", wqe_id),
		AT("ml_path", ml_path),
		AT("slid", slid),
		AT("flags_rqpn", flags_rqpn),
		AT("hds_ip_ext", hds_ip_ext),
		AT("l4_l3_hdr_type", l4_hdr_type_etc),
		AT("vlan_info", vlan_info),
		AT("flow_table_metadata", imm_inval_pkey),
		AT("app", app),
		AT("app_op", app_op),
		AT("app_info", app_info),
		AT("byte_cnt", byte_cnt),
		AT("timestamp", timestamp),
		AT("wqe_counter", wqe_counter),
		AT("signature", signature),
		AT("opcode", op_own),
		AT("format", op_own),
		AT("owner", op_own),
#undef AT
	};

	ck_assert_uint_eq(sizeof(struct mlx5_cqe64), CQESIM_CQE_BYTES);
	for (size_t i = 0; i < COUNT(rx); i++) {
		const struct cqesim_field *f = cqesim_cqe_rx_field(rx[i].name);

		ck_assert_ptr_nonnull(f);
		ck_assert_msg(f->byte == rx[i].offset && f->bytes == rx[i].size, "%s", f->name);
	}
	/* The 24-bit fields are the low bytes of DV's dwords, the 8-bit ones the top. */
	ck_assert_uint_eq(offsetof(struct mlx5_cqe64, srqn_uidx) + 1,
			  cqesim_cqe_rx_field("user_index")->byte);
	ck_assert_uint_eq(offsetof(struct mlx5_cqe64, srqn_uidx),
			  cqesim_cqe_rx_field("lro_num_seg")->byte);
	ck_assert_uint_eq(offsetof(struct mlx5_cqe64, sop_drop_qpn) + 1,
			  cqesim_cqe_rx_field("flow_tag")->byte);
	ck_assert_uint_eq(offsetof(struct mlx5_cqe64, sop_drop_qpn),
			  cqesim_cqe_rx_field("send_opcode")->byte);
}
END_TEST

START_TEST(mlx5dv_reads_ours)
{
	struct mlx5_cqe64 dv;

	memcpy(&dv, resp_send, sizeof(dv));
	ck_assert_uint_eq(mlx5dv_get_cqe_opcode(&dv), MLX5_CQE_RESP_SEND);
	ck_assert_uint_eq(mlx5dv_get_cqe_format(&dv), 0);
	ck_assert_uint_eq(mlx5dv_get_cqe_se(&dv), 0);
	ck_assert_uint_eq(mlx5dv_get_cqe_owner(&dv), 1);
	ck_assert_uint_eq(be32toh(dv.byte_cnt), 1496);
	ck_assert_uint_eq(be32toh(dv.srqn_uidx) & 0xffffff, 0xabcdef);
	ck_assert_uint_eq(be32toh(dv.sop_drop_qpn) & 0xffffff, 0x123456);
	ck_assert_uint_eq(be64toh(dv.timestamp), UINT64_C(0x0102030405060708));
	ck_assert_uint_eq(be16toh(dv.wqe_counter), 0xfedc);
	dv.op_own = CQESIM_OP_OWN(CQESIM_OP_REQ_ERR, CQESIM_FORMAT_COMPRESSED, 0) | 2;
	ck_assert_uint_eq(mlx5dv_get_cqe_opcode(&dv), MLX5_CQE_REQ_ERR);
	ck_assert_uint_eq(mlx5dv_get_cqe_format(&dv), 3);
	ck_assert_uint_eq(mlx5dv_get_cqe_se(&dv), 1);
	ck_assert_uint_eq(mlx5dv_get_cqe_owner(&dv), 0);
}
END_TEST

START_TEST(mlx5dv_error_layout)
{
	static const struct {
		const char *name;
		size_t offset;
	} err[] = {
#define AT(name) {#name, offsetof(struct mlx5_err_cqe, name)}
		AT(srqn),
		AT(vendor_err_synd),
		AT(syndrome),
		AT(wqe_counter),
		AT(signature),
#undef AT
		{"opcode", offsetof(struct mlx5_err_cqe, op_own)},
		{"wqe_opcode", offsetof(struct mlx5_err_cqe, s_wqe_opcode_qpn)},
		{"qpn", offsetof(struct mlx5_err_cqe, s_wqe_opcode_qpn) + 1},
	};

	ck_assert_uint_eq(sizeof(struct mlx5_err_cqe), CQESIM_CQE_BYTES);
	for (size_t i = 0; i < COUNT(err); i++)
		ck_assert_msg(row_of(&views[1], err[i].name)->byte == err[i].offset, "%s",
			      err[i].name);
}
END_TEST

START_TEST(mlx5dv_numbers)
{
	static const struct {
		unsigned ours, theirs;
	} n[] = {
		{CQESIM_OP_REQ, MLX5_CQE_REQ},
		{CQESIM_OP_RESP_WR_IMM, MLX5_CQE_RESP_WR_IMM},
		{CQESIM_OP_RESP_SEND, MLX5_CQE_RESP_SEND},
		{CQESIM_OP_RESP_SEND_IMM, MLX5_CQE_RESP_SEND_IMM},
		{CQESIM_OP_RESP_SEND_INV, MLX5_CQE_RESP_SEND_INV},
		{CQESIM_OP_RESIZE_CQ, MLX5_CQE_RESIZE_CQ},
		{CQESIM_OP_NO_PACKET, MLX5_CQE_NO_PACKET},
		{CQESIM_OP_SIG_ERR, MLX5_CQE_SIG_ERR},
		{CQESIM_OP_REQ_ERR, MLX5_CQE_REQ_ERR},
		{CQESIM_OP_RESP_ERR, MLX5_CQE_RESP_ERR},
		{CQESIM_OP_INVALID, MLX5_CQE_INVALID},
		{CQESIM_OWNER_MASK, MLX5_CQE_OWNER_MASK},
		{CQESIM_FORMAT_INLINE_32 << 2, MLX5_INLINE_SCATTER_32},
		{CQESIM_FORMAT_INLINE_64 << 2, MLX5_INLINE_SCATTER_64},
		{CQESIM_SYNDROME_LOCAL_PROT, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR},
		{CQESIM_SYNDROME_WR_FLUSH, MLX5_CQE_SYNDROME_WR_FLUSH_ERR},
		{CQESIM_L2_OK, MLX5_CQE_L2_OK},
		{CQESIM_L3_OK, MLX5_CQE_L3_OK},
		{CQESIM_L4_OK, MLX5_CQE_L4_OK},
		{CQESIM_HDR_L3_IPV6 >> 2, MLX5_CQE_L3_HDR_TYPE_IPV6},
		{CQESIM_HDR_L3_IPV4 >> 2, MLX5_CQE_L3_HDR_TYPE_IPV4},
	};
	static const struct {
		unsigned number;
		const char *name;
	} syndrome[] = {
#define SYNDROME(name) {MLX5_CQE_SYNDROME_##name, #name}
		SYNDROME(LOCAL_LENGTH_ERR),
		SYNDROME(LOCAL_QP_OP_ERR),
		SYNDROME(LOCAL_PROT_ERR),
		SYNDROME(WR_FLUSH_ERR),
		SYNDROME(MW_BIND_ERR),
		SYNDROME(BAD_RESP_ERR),
		SYNDROME(LOCAL_ACCESS_ERR),
		SYNDROME(REMOTE_INVAL_REQ_ERR),
		SYNDROME(REMOTE_ACCESS_ERR),
		SYNDROME(REMOTE_OP_ERR),
		SYNDROME(TRANSPORT_RETRY_EXC_ERR),
		SYNDROME(RNR_RETRY_EXC_ERR),
		SYNDROME(REMOTE_ABORTED_ERR),
#undef SYNDROME
	};

	for (size_t i = 0; i < COUNT(n); i++)
		ck_assert_msg(n[i].ours == n[i].theirs, "row %zu: %u, mlx5dv %u", i, n[i].ours,
			      n[i].theirs);
	for (size_t i = 0; i < COUNT(syndrome); i++)
		ck_assert_str_eq(cqesim_syndrome_name(syndrome[i].number), syndrome[i].name);
}
END_TEST
#else
START_TEST(mlx5dv_layout)
{
	test_skip("cqe mlx5dv_layout", "built without infiniband/mlx5dv.h");
}
END_TEST
#endif

Suite *suite_cqe(void)
{
	Suite *s = suite_create("cqe");
	TCase *t = tcase_create("views");
	TCase *m = tcase_create("minis");
	TCase *d = tcase_create("mlx5dv");

	tcase_add_test(t, resp_send_by_hand);
	tcase_add_test(t, op_own_by_hand);
	tcase_add_test(t, error_by_hand);
	tcase_add_test(t, signature_error_by_hand);
	tcase_add_loop_test(t, tables_by_hand, 0, COUNT(views));
	tcase_add_loop_test(t, fields_alone, 0, COUNT(views));
	tcase_add_loop_test(t, reserved_bytes, 0, COUNT(views));
	tcase_add_test(t, field_by_name);
	tcase_add_test(t, big_endian);
	tcase_add_test(t, put_rx_by_hand);
	tcase_add_test(t, put_rx_is_encode);
	tcase_add_test(t, flag_values);
	tcase_add_loop_test(m, minis_by_hand, 0, CQESIM_MINI_FORMATS);
	tcase_add_test(m, minis_reserved);
	tcase_add_loop_test(m, mini_carries, 0, CQESIM_MINI_FORMATS);
	tcase_add_test(m, names);
	tcase_add_test(d, mlx5dv_layout);
#ifdef HAVE_MLX5DV
	tcase_add_test(d, mlx5dv_reads_ours);
	tcase_add_test(d, mlx5dv_error_layout);
	tcase_add_test(d, mlx5dv_numbers);
#endif
	suite_add_tcase(s, t);
	suite_add_tcase(s, m);
	suite_add_tcase(s, d);
	return s;
}
