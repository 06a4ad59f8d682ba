/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqe: the places of all fields in the three views, each field alone, reserved
 * bytes.  The places were written down from the public descriptions.
 */
#include "test_cqe.h"

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
	{"sig_syndrome", 32, 2, 0xff},
	{"sig_type", 34, 1, 0xff},
	{"domain", 35, 1, 0xff},
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

void test_cqe_fields(Suite *s)
{
	TCase *t = tcase_create("fields");

	tcase_add_loop_test(t, tables_by_hand, 0, COUNT(views));
	tcase_add_loop_test(t, fields_alone, 0, COUNT(views));
	tcase_add_loop_test(t, reserved_bytes, 0, COUNT(views));
	tcase_add_test(t, field_by_name);
	suite_add_tcase(s, t);
}
