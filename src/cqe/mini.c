/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The 8-byte mini-CQEs of compressed sessions: tables of cqe_layout.h expanded.
 *
 *               bytes 0-1      2-3            4             5-7
 *   HASH        rx_hash_result                byte_cnt (4-7)
 *   CSUM        checksum       reserved       byte_cnt (4-7)
 *   FTAG_STR.   tag 15:0       stride index   tag 23:16     byte_cnt
 *   CSUM_STR.   checksum       stride index   byte_cnt (4-7)
 *   L34H_STR.   type, reserved stride index   byte_cnt (4-7)
 *   REQ         wqe_counter    opcode, res.   byte_cnt (4-7)
 *   REQ_ITER    wqe_counter    count, opcode  byte_cnt (4-7)
 */
#include <errno.h>

#include "cqesim/cqe.h"

#define MASK(bits) (~UINT64_C(0) >> (64 - (bits)))

static const char *const format_name[CQESIM_MINI_ALL_FORMATS] = {
	[CQESIM_MINI_HASH] = "hash",
	[CQESIM_MINI_CSUM] = "csum",
	[CQESIM_MINI_FTAG_STRIDX] = "ftag_stridx",
	[CQESIM_MINI_CSUM_STRIDX] = "csum_stridx",
	[CQESIM_MINI_L34H_STRIDX] = "l34h_stridx",
	[CQESIM_MINI_REQ] = "req",
	[CQESIM_MINI_REQ_ITER] = "req_iter",
};

const char *cqesim_mini_format_name(enum cqesim_mini_format format)
{
	return (unsigned)format < CQESIM_MINI_ALL_FORMATS ? format_name[format] : "unknown";
}

int cqesim_mini_format_parse(const char *name)
{
	for (int i = 0; i < CQESIM_MINI_ALL_FORMATS; i++)
		if (!strcmp(name, format_name[i]))
			return i;
	return -EINVAL;
}

#define PUT(member, to, byte, bytes, shift, bits, meaning, source)                                 \
	cqesim_be_store(raw + (byte), bytes,                                                       \
			cqesim_be_load(raw + (byte), bytes) |                                      \
				((uint64_t)m->member >> (to)&MASK(bits)) << (shift));
#define GET(member, to, byte, bytes, shift, bits, meaning, source)                                 \
	m->member |= (__typeof__(m->member))((cqesim_be_load(raw + (byte), bytes) >>               \
					      (shift)&MASK(bits))                                  \
					     << (to));

/* CASES(what): one case per format, its table expanded with `what`. */
#define CASES(what)                                                                                \
	case CQESIM_MINI_HASH:                                                                     \
		CQESIM_MINI_HASH_FIELDS(what)                                                      \
		break;                                                                             \
	case CQESIM_MINI_CSUM:                                                                     \
		CQESIM_MINI_CSUM_FIELDS(what)                                                      \
		break;                                                                             \
	case CQESIM_MINI_FTAG_STRIDX:                                                              \
		CQESIM_MINI_FTAG_STRIDX_FIELDS(what)                                               \
		break;                                                                             \
	case CQESIM_MINI_CSUM_STRIDX:                                                              \
		CQESIM_MINI_CSUM_STRIDX_FIELDS(what)                                               \
		break;                                                                             \
	case CQESIM_MINI_L34H_STRIDX:                                                              \
		CQESIM_MINI_L34H_STRIDX_FIELDS(what)                                               \
		break;                                                                             \
	case CQESIM_MINI_REQ:                                                                      \
		CQESIM_MINI_REQ_FIELDS(what)                                                       \
		break;                                                                             \
	case CQESIM_MINI_REQ_ITER:                                                                 \
		CQESIM_MINI_REQ_ITER_FIELDS(what)                                                  \
		break;

void cqesim_mini_encode(enum cqesim_mini_format format, const struct cqesim_mini *m, uint8_t raw[8])
{
	memset(raw, 0, CQESIM_MINI_BYTES);
	switch (format) {
		CASES(PUT)
	default:
		break;
	}
}

void cqesim_mini_decode(enum cqesim_mini_format format, const uint8_t raw[8], struct cqesim_mini *m)
{
	*m = (struct cqesim_mini){0};
	switch (format) {
		CASES(GET)
	default:
		break;
	}
}

#define ROW(member, to, byte, bytes, shift, bits, meaning, source)                                 \
	{#member, to, byte, bytes, shift, bits, meaning, source},

const struct cqesim_mini_field *cqesim_mini_fields(enum cqesim_mini_format format, unsigned *count)
{
	/* A row without a name ends a format. */
	static const struct cqesim_mini_field of[CQESIM_MINI_ALL_FORMATS][5] = {
		[CQESIM_MINI_HASH] = {CQESIM_MINI_HASH_FIELDS(ROW)},
		[CQESIM_MINI_CSUM] = {CQESIM_MINI_CSUM_FIELDS(ROW)},
		[CQESIM_MINI_FTAG_STRIDX] = {CQESIM_MINI_FTAG_STRIDX_FIELDS(ROW)},
		[CQESIM_MINI_CSUM_STRIDX] = {CQESIM_MINI_CSUM_STRIDX_FIELDS(ROW)},
		[CQESIM_MINI_L34H_STRIDX] = {CQESIM_MINI_L34H_STRIDX_FIELDS(ROW)},
		[CQESIM_MINI_REQ] = {CQESIM_MINI_REQ_FIELDS(ROW)},
		[CQESIM_MINI_REQ_ITER] = {CQESIM_MINI_REQ_ITER_FIELDS(ROW)},
	};

	*count = 0;
	if ((unsigned)format >= CQESIM_MINI_ALL_FORMATS)
		return NULL;
	while (of[format][*count].name)
		++*count;
	return of[format];
}

void cqesim_mini_from_cqe(const uint8_t cqe[64], struct cqesim_mini *m)
{
	*m = (struct cqesim_mini){
		.byte_cnt = cqesim_cqe_get_byte_cnt(cqe),
		.rx_hash_res = cqesim_cqe_get_rx_hash_res(cqe),
		.flow_tag = cqesim_cqe_get_flow_tag(cqe),
		.csum = cqesim_cqe_get_csum(cqe),
		.stride_index = cqesim_cqe_get_wqe_counter(cqe),
		.l4_l3_hdr_type = cqesim_cqe_get_l4_l3_hdr_type(cqe),
		.send_opcode = cqesim_cqe_get_send_opcode(cqe),
		.wqe_counter = cqesim_cqe_get_wqe_counter(cqe),
	};
}

void cqesim_mini_carries(enum cqesim_mini_format format, uint8_t mask[64])
{
	unsigned rows;
	const struct cqesim_mini_field *row = cqesim_mini_fields(format, &rows);

	memset(mask, 0, 64);
	cqesim_field_mask(cqesim_cqe_rx_field("byte_cnt"), mask);
	for (unsigned i = 0; i < rows; i++) {
		const char *name =
			strcmp(row[i].name, "stride_index") ? row[i].name : "wqe_counter";
		const struct cqesim_field *field = cqesim_cqe_rx_field(name);

		/* All members but iteration_count are named after the CQE's fields. */
		if (field)
			cqesim_field_mask(field, mask);
	}
}
