/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The 8-byte mini-CQEs of compressed sessions.
 *
 *              bytes 0-1      2-3            4             5-7
 *   HASH       rx_hash_result                byte_cnt (4-7)
 *   CSUM       checksum       reserved       byte_cnt (4-7)
 *   FTAG_STR.  tag 15:0       stride index   tag 23:16     byte_cnt
 *   CSUM_STR.  checksum       stride index   byte_cnt (4-7)
 *   L34H_STR.  type, reserved stride index   byte_cnt (4-7)
 *
 * PRM-H struct mlx5_mini_cqe8; FTAG: PMD rxq_cq_decompress_v and
 * MLX5_LEN_WITH_MARK_MASK; L34H: header type in byte 0, as PMD's vector code
 * has always read it (PRM-H had it in byte 1 until 2026).
 */
#include <errno.h>

#include "cqesim/cqe.h"

static const char *const format_name[CQESIM_MINI_FORMATS] = {
	[CQESIM_MINI_HASH] = "hash",
	[CQESIM_MINI_CSUM] = "csum",
	[CQESIM_MINI_FTAG_STRIDX] = "ftag_stridx",
	[CQESIM_MINI_CSUM_STRIDX] = "csum_stridx",
	[CQESIM_MINI_L34H_STRIDX] = "l34h_stridx",
};

const char *cqesim_mini_format_name(enum cqesim_mini_format format)
{
	return (unsigned)format < CQESIM_MINI_FORMATS ? format_name[format] : "unknown";
}

int cqesim_mini_format_parse(const char *name)
{
	for (int i = 0; i < CQESIM_MINI_FORMATS; i++)
		if (!strcmp(name, format_name[i]))
			return i;
	return -EINVAL;
}

void cqesim_mini_encode(enum cqesim_mini_format format, const struct cqesim_mini *m, uint8_t raw[8])
{
	memset(raw, 0, CQESIM_MINI_BYTES);
	cqesim_be_store(raw + 4, 4, m->byte_cnt);
	switch (format) {
	case CQESIM_MINI_HASH:
		cqesim_be_store(raw, 4, m->rx_hash_res);
		break;
	case CQESIM_MINI_CSUM:
		cqesim_be_store(raw, 2, m->csum);
		break;
	case CQESIM_MINI_FTAG_STRIDX:
		cqesim_be_store(raw, 2, m->flow_tag & 0xffff);
		cqesim_be_store(raw + 2, 2, m->stride_index);
		raw[4] = (uint8_t)(m->flow_tag >> 16);
		break;
	case CQESIM_MINI_CSUM_STRIDX:
		cqesim_be_store(raw, 2, m->csum);
		cqesim_be_store(raw + 2, 2, m->stride_index);
		break;
	case CQESIM_MINI_L34H_STRIDX:
		raw[0] = m->l4_l3_hdr_type;
		cqesim_be_store(raw + 2, 2, m->stride_index);
		break;
	default:
		break;
	}
}

void cqesim_mini_decode(enum cqesim_mini_format format, const uint8_t raw[8], struct cqesim_mini *m)
{
	*m = (struct cqesim_mini){.byte_cnt = (uint32_t)cqesim_be_load(raw + 4, 4)};
	switch (format) {
	case CQESIM_MINI_HASH:
		m->rx_hash_res = (uint32_t)cqesim_be_load(raw, 4);
		break;
	case CQESIM_MINI_CSUM:
		m->csum = (uint16_t)cqesim_be_load(raw, 2);
		break;
	case CQESIM_MINI_FTAG_STRIDX:
		m->flow_tag = (uint32_t)raw[4] << 16 | (uint32_t)cqesim_be_load(raw, 2);
		m->stride_index = (uint16_t)cqesim_be_load(raw + 2, 2);
		m->byte_cnt &= 0xffffff;
		break;
	case CQESIM_MINI_CSUM_STRIDX:
		m->csum = (uint16_t)cqesim_be_load(raw, 2);
		m->stride_index = (uint16_t)cqesim_be_load(raw + 2, 2);
		break;
	case CQESIM_MINI_L34H_STRIDX:
		m->l4_l3_hdr_type = raw[0];
		m->stride_index = (uint16_t)cqesim_be_load(raw + 2, 2);
		break;
	default:
		break;
	}
}

void cqesim_mini_carries(enum cqesim_mini_format format, uint8_t mask[64])
{
	static const char *const carried[CQESIM_MINI_FORMATS][2] = {
		[CQESIM_MINI_HASH] = {"rx_hash_res"},
		[CQESIM_MINI_CSUM] = {"csum"},
		[CQESIM_MINI_FTAG_STRIDX] = {"flow_tag", "wqe_counter"},
		[CQESIM_MINI_CSUM_STRIDX] = {"csum", "wqe_counter"},
		[CQESIM_MINI_L34H_STRIDX] = {"l4_l3_hdr_type", "wqe_counter"},
	};

	memset(mask, 0, 64);
	cqesim_field_mask(cqesim_cqe_rx_field("byte_cnt"), mask);
	if ((unsigned)format >= CQESIM_MINI_FORMATS)
		return;
	for (unsigned i = 0; i < 2; i++)
		if (carried[format][i])
			cqesim_field_mask(cqesim_cqe_rx_field(carried[format][i]), mask);
}
