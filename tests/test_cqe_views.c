/* SPDX-License-Identifier: BSD-3-Clause */
/* cqe: views and overlays beside the receive view, by hand; which view a CQE asks for; names of
 * values. */
#include <stddef.h>

#include "test_cqe.h"

/* One bit pattern per field: first byte and value of the bytes from there on. */
struct expected {
	const char *field;
	unsigned byte, bytes;
	uint8_t raw[8];
	uint64_t value;
};

/*
 * Each row: these bytes alone set, all else 0, must decode to the value in that
 * field and to 0 in all others.
 */
static const struct {
	const char *view;
	unsigned fields;
	struct expected row[12];
} views[] = {
	{"req",
	 11,
	 {{"user_index", 33, 3, {0x12, 0x34, 0x56}, 0x123456},
	  {"byte_cnt", 44, 4, {0x80, 0x01, 0x02, 0x03}, 0x80010203},
	  {"timestamp", 48, 8, {1, 2, 3, 4, 5, 6, 7, 8}, 0x0102030405060708},
	  {"send_opcode", 56, 1, {0x0a}, 0x0a},
	  {"qpn", 57, 3, {0x00, 0x02, 0xfe}, 0x2fe},
	  {"wqe_counter", 60, 2, {0xfe, 0xdc}, 0xfedc},
	  {"signature", 62, 1, {0x8a}, 0x8a},
	  {"opcode", 63, 1, {0xd0}, 13},
	  {"format", 63, 1, {0x0c}, 3},
	  {"se", 63, 1, {0x02}, 1},
	  {"owner", 63, 1, {0x01}, 1}}},
	{"bare",
	 5,
	 {{"signature", 62, 1, {0x8a}, 0x8a},
	  {"opcode", 63, 1, {0x50}, 5},
	  {"format", 63, 1, {0x04}, 1},
	  {"se", 63, 1, {0x02}, 1},
	  {"owner", 63, 1, {0x01}, 1}}},
	{"lro",
	 5,
	 {{"tcp_psh", 4, 1, {0x40}, 1},
	  {"min_ttl", 5, 1, {0x3f}, 0x3f},
	  {"tcp_win", 6, 2, {0x12, 0x34}, 0x1234},
	  {"ack_seq_num", 8, 4, {0xa1, 0xa2, 0xa3, 0xa4}, 0xa1a2a3a4},
	  {"num_seg", 32, 1, {0x09}, 9}}},
	{"shampo",
	 5,
	 {{"match", 4, 1, {0x02}, 1},
	  {"flush", 4, 1, {0x04}, 1},
	  {"header_size", 5, 1, {0x42}, 0x42},
	  {"header_entry_index", 6, 2, {0x01, 0xff}, 0x1ff},
	  {"data_offset", 8, 4, {0x00, 0x01, 0x00, 0x40}, 0x10040}}},
	{"tm",
	 2,
	 {{"success", 0, 4, {0x80, 0, 0, 0}, 0x80000000}, {"hw_phase_cnt", 4, 2, {0, 7}, 7}}},
	{"striding",
	 5,
	 {{"wqe_id", 2, 2, {0x01, 0x02}, 0x102},
	  {"filler", 44, 1, {0x80}, 1},
	  {"strides", 44, 2, {0x7f, 0xfe}, 0x7ffe},
	  {"length", 46, 2, {0x05, 0xea}, 1514},
	  {"stride_index", 60, 2, {0x00, 0x3f}, 0x3f}}},
	{"array",
	 5,
	 {{"wqe_counter", 60, 2, {0xbe, 0xef}, 0xbeef},
	  {"iteration_count", 62, 1, {0xfe}, 0xfe},
	  {"minis", 63, 1, {0x60}, 6},
	  {"format", 63, 1, {0x0c}, 3},
	  {"owner", 63, 1, {0x01}, 1}}},
};

START_TEST(views_by_hand)
{
	const struct cqesim_layout *layout = cqesim_cqe_view_named(views[_i].view);

	ck_assert_ptr_nonnull(layout);
	ck_assert_uint_eq(layout->count, views[_i].fields);
	for (unsigned i = 0; i < views[_i].fields; i++) {
		const struct expected *e = &views[_i].row[i];
		uint8_t raw[64] = {0}, back[64];

		memcpy(raw + e->byte, e->raw, e->bytes);
		for (unsigned f = 0; f < layout->count; f++) {
			const struct cqesim_field *field = &layout->fields[f];
			bool mine = !strcmp(field->name, e->field);

			ck_assert_msg(cqesim_field_get(field, raw) == (mine ? e->value : 0),
				      "%s: bytes of %s give %#llx as %s", layout->name, e->field,
				      (unsigned long long)cqesim_field_get(field, raw),
				      field->name);
			if (!mine)
				continue;
			memset(back, 0, sizeof(back));
			cqesim_field_set(field, back,
					 e->value | ~UINT64_C(0) << (field->bits - 1) << 1);
			same_bytes(back, raw, 64, field->name);
			/* Clearing it leaves the neighbours. */
			memset(back, 0xff, sizeof(back));
			cqesim_field_set(field, back, 0);
			cqesim_field_set(field, back, ~UINT64_C(0));
			for (unsigned b = 0; b < 64; b++)
				ck_assert_uint_eq(back[b], 0xff);
		}
	}
}
END_TEST

/* The functions that are made from the same tables, for one view of each kind. */
START_TEST(view_functions)
{
	uint8_t raw[64], want[64] = {0};
	struct cqesim_cqe_req req = {.user_index = 0xff123456,
				     .byte_cnt = 64,
				     .send_opcode = 0x10,
				     .qpn = 0xee0002fe,
				     .wqe_counter = 9,
				     .opcode = 0,
				     .se = 1,
				     .owner = 1};
	static const uint8_t req_tail[] = {0x10, 0x00, 0x02, 0xfe, 0x00, 0x09, 0x00, 0x03};

	want[33] = 0x12;
	want[34] = 0x34;
	want[35] = 0x56;
	want[47] = 64;
	memcpy(want + 56, req_tail, 8);
	/* QPN's upper byte is cut away, not written over the opcode. */
	cqesim_cqe_req_encode(&req, raw);
	same_bytes(raw, want, 64, "req");
	cqesim_cqe_req_decode(want, &req);
	ck_assert_uint_eq(req.qpn, 0x2fe);
	ck_assert_uint_eq(req.send_opcode, 0x10);
	ck_assert_uint_eq(req.user_index, 0x123456);

	/* put changes its own bits alone. */
	struct cqesim_cqe_shampo shampo = {.match = 1, .header_size = 66, .data_offset = 5};
	memset(raw, 0xff, sizeof(raw));
	cqesim_cqe_shampo_put(&shampo, raw);
	memset(want, 0xff, sizeof(want));
	want[4] = 0xfb; /* match stays, flush goes */
	want[5] = 66;
	want[6] = want[7] = want[8] = want[9] = want[10] = 0;
	want[11] = 5;
	same_bytes(raw, want, 64, "shampo");

	struct cqesim_cqe_striding s = {.filler = 1, .strides = 3, .length = 0};
	memset(raw, 0, sizeof(raw));
	cqesim_cqe_striding_put(&s, raw);
	memset(want, 0, sizeof(want));
	want[44] = 0x80;
	want[45] = 3;
	same_bytes(raw, want, 64, "striding");
}
END_TEST

START_TEST(view_of_opcode)
{
	static const char *const want[16] = {"req", "rx",   "rx",   "rx",   "rx",   "bare",
					     "rx",  "bare", "bare", "bare", "bare", "bare",
					     "sig", "err",  "err",  "bare"};

	for (unsigned low = 0; low < 16; low++)
		for (unsigned opcode = 0; opcode < 16; opcode++) {
			uint8_t raw[64] = {[63] = (uint8_t)(opcode << 4 | low)};

			ck_assert_str_eq(cqesim_cqe_view(raw)->name, want[opcode]);
		}
	ck_assert_ptr_null(cqesim_cqe_view_named("cqe"));
	ck_assert_ptr_null(cqesim_layout_field(cqesim_cqe_view_named("err"), "flow_tag"));
	ck_assert_str_eq(cqesim_layout_field(cqesim_cqe_view_named("err"), "hw_err_synd")->name,
			 "hw_err_synd");
	ck_assert_uint_eq(cqesim_cqe_view_count, 10);
}
END_TEST

/* A VLAN-tagged IPv4 TCP fragment with options in an IPv6 tunnel; every part by hand. */
START_TEST(parts_by_hand)
{
	static const struct {
		const char *part;
		uint64_t value;
		const char *name;
	} want[] = {
		{"tunneled", 1, NULL},
		{"outer_l3_type", 1, "IPv6"},
		{"tls_offload", 2, "resync"},
		{"hash_ip", 1, "IPv4"},
		{"hash_l4", 1, "TCP"},
		{"dlid_path_bits", 0x7f, NULL},
		{"grh", 2, NULL},
		{"sl", 5, NULL},
		{"remote_qpn", 0x123, NULL},
		{"l2_ok", 1, NULL},
		{"l3_ok", 0, NULL},
		{"l4_ok", 1, NULL},
		{"vlan_stripped", 1, NULL},
		{"ip_options", 1, NULL},
		{"l3_hdr_type", 2, "IPv4"},
		{"l4_hdr_type", 4, "TCP ACK with data"},
		{"ip_frag", 1, NULL},
		{"pcp", 5, NULL},
		{"dei", 0, NULL},
		{"vid", 0xabc, NULL},
	};
	const struct cqesim_layout *rx = cqesim_cqe_view_named("rx");
	uint8_t raw[64] = {0};

	raw[0] = 0x13;
	raw[16] = 0x44;
	raw[17] = 0xff;
	raw[24] = 0x25;
	raw[26] = 0x01;
	raw[27] = 0x23;
	raw[28] = 0x05;
	raw[29] = 0xcb;
	raw[30] = 0xaa;
	raw[31] = 0xbc;
	ck_assert_uint_eq(rx->part_count, COUNT(want));
	for (unsigned i = 0; i < COUNT(want); i++) {
		const struct cqesim_part *p = &rx->parts[i];
		uint64_t whole = cqesim_field_get(cqesim_cqe_rx_field(p->field), raw);
		uint64_t value = whole >> p->shift & ((UINT64_C(1) << p->bits) - 1);
		const char *name = cqesim_value_name(p->name, value);

		ck_assert_str_eq(p->name, want[i].part);
		ck_assert_msg(value == want[i].value, "%s is %#llx", p->name,
			      (unsigned long long)value);
		ck_assert_msg(want[i].name ? name && !strcmp(name, want[i].name) : !name, "%s: %s",
			      p->name, name ? name : "(none)");
	}
}
END_TEST

START_TEST(value_names)
{
	ck_assert_str_eq(cqesim_value_name("opcode", 13), "REQ_ERR");
	ck_assert_ptr_null(cqesim_value_name("opcode", 9));
	ck_assert_str_eq(cqesim_value_name("syndrome", 0x13), "REMOTE_ACCESS_ERR");
	ck_assert_ptr_null(cqesim_value_name("syndrome", 0x03));
	ck_assert_str_eq(cqesim_value_name("sig_syndrome", 0x0800), "reference tag");
	ck_assert_ptr_null(cqesim_value_name("sig_syndrome", 2));
	ck_assert_str_eq(cqesim_value_name("send_opcode", 0x0a), "SEND");
	ck_assert_str_eq(cqesim_value_name("wqe_opcode", 0x25), "UMR");
	ck_assert_ptr_null(cqesim_value_name("wqe_opcode", 0xff));
	ck_assert_str_eq(cqesim_value_name("format", 3), "compressed");
	ck_assert_ptr_null(cqesim_value_name("l3_hdr_type", 3));
	ck_assert_ptr_null(cqesim_value_name("l3_hdr_type", UINT64_MAX));
	ck_assert_ptr_null(cqesim_value_name("byte_cnt", 1));
	ck_assert_str_eq(cqesim_send_opcode_name(0x0e), "TSO");
	ck_assert_str_eq(cqesim_send_opcode_name(0x100), "unknown");
}
END_TEST

START_TEST(mini_rows)
{
	/* How many bits of each mini the tables account for. */
	static const unsigned bits[CQESIM_MINI_ALL_FORMATS] = {64, 48, 64, 64, 56, 56, 64};
	unsigned count, sum = 0;
	const struct cqesim_mini_field *row =
		cqesim_mini_fields((enum cqesim_mini_format)_i, &count);

	ck_assert_ptr_nonnull(row);
	for (unsigned i = 0; i < count; i++)
		sum += row[i].bits;
	ck_assert_uint_eq(sum, bits[_i]);
	ck_assert_ptr_null(cqesim_mini_fields(CQESIM_MINI_ALL_FORMATS, &count));
	ck_assert_uint_eq(count, 0);
}
END_TEST

void test_cqe_views(Suite *s)
{
	TCase *t = tcase_create("views");

	tcase_add_loop_test(t, views_by_hand, 0, COUNT(views));
	tcase_add_test(t, view_functions);
	tcase_add_test(t, view_of_opcode);
	tcase_add_test(t, parts_by_hand);
	tcase_add_test(t, value_names);
	tcase_add_loop_test(t, mini_rows, 0, CQESIM_MINI_ALL_FORMATS);
	suite_add_tcase(s, t);
}
