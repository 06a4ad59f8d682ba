/* SPDX-License-Identifier: BSD-3-Clause */
/* The layouts of cqe_layout.h as tables to walk through, and which view a CQE asks for. */
#include "cqesim/cqe.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define ROW(tag, name, byte, bytes, shift, bits, meaning, source)                                  \
	{#name,                                                                                    \
	 byte,                                                                                     \
	 bytes,                                                                                    \
	 shift,                                                                                    \
	 bits,                                                                                     \
	 offsetof(struct tag, name),                                                               \
	 sizeof(((struct tag *)0)->name),                                                          \
	 meaning,                                                                                  \
	 source},

#define ROW_RX(name, type, ...)       ROW(cqesim_cqe, name, __VA_ARGS__)
#define ROW_ERR(name, type, ...)      ROW(cqesim_cqe_err, name, __VA_ARGS__)
#define ROW_SIG(name, type, ...)      ROW(cqesim_cqe_sig, name, __VA_ARGS__)
#define ROW_REQ(name, type, ...)      ROW(cqesim_cqe_req, name, __VA_ARGS__)
#define ROW_BARE(name, type, ...)     ROW(cqesim_cqe_bare, name, __VA_ARGS__)
#define ROW_LRO(name, type, ...)      ROW(cqesim_cqe_lro, name, __VA_ARGS__)
#define ROW_SHAMPO(name, type, ...)   ROW(cqesim_cqe_shampo, name, __VA_ARGS__)
#define ROW_TM(name, type, ...)       ROW(cqesim_cqe_tm, name, __VA_ARGS__)
#define ROW_STRIDING(name, type, ...) ROW(cqesim_cqe_striding, name, __VA_ARGS__)
#define ROW_ARRAY(name, type, ...)    ROW(cqesim_array_tail, name, __VA_ARGS__)

const struct cqesim_field cqesim_cqe_rx_fields[] = {CQESIM_CQE_RX_FIELDS(ROW_RX)};
const unsigned cqesim_cqe_rx_field_count = COUNT(cqesim_cqe_rx_fields);
const struct cqesim_field cqesim_cqe_err_fields[] = {CQESIM_CQE_ERR_FIELDS(ROW_ERR)};
const unsigned cqesim_cqe_err_field_count = COUNT(cqesim_cqe_err_fields);
const struct cqesim_field cqesim_cqe_sig_fields[] = {CQESIM_CQE_SIG_FIELDS(ROW_SIG)};
const unsigned cqesim_cqe_sig_field_count = COUNT(cqesim_cqe_sig_fields);
static const struct cqesim_field req_fields[] = {CQESIM_CQE_REQ_FIELDS(ROW_REQ)};
static const struct cqesim_field bare_fields[] = {CQESIM_CQE_BARE_FIELDS(ROW_BARE)};
static const struct cqesim_field lro_fields[] = {CQESIM_CQE_LRO_FIELDS(ROW_LRO)};
static const struct cqesim_field shampo_fields[] = {CQESIM_CQE_SHAMPO_FIELDS(ROW_SHAMPO)};
static const struct cqesim_field tm_fields[] = {CQESIM_CQE_TM_FIELDS(ROW_TM)};
static const struct cqesim_field striding_fields[] = {CQESIM_CQE_STRIDING_FIELDS(ROW_STRIDING)};
static const struct cqesim_field array_fields[] = {CQESIM_ARRAY_TAIL_FIELDS(ROW_ARRAY)};

#define PART(field, part, shift, bits, meaning, source)                                            \
	{#field, #part, shift, bits, meaning, source},
static const struct cqesim_part rx_parts[] = {CQESIM_CQE_RX_PARTS(PART)};

#define FIELDS(table) table, COUNT(table)
const struct cqesim_layout cqesim_cqe_views[] = {
	{"rx", "receive completion", FIELDS(cqesim_cqe_rx_fields), rx_parts, COUNT(rx_parts)},
	{"err", "error completion", FIELDS(cqesim_cqe_err_fields), NULL, 0},
	{"sig", "signature error", FIELDS(cqesim_cqe_sig_fields), NULL, 0},
	{"req", "completion of sent work", FIELDS(req_fields), NULL, 0},
	{"bare", "completion without a view of its own", FIELDS(bare_fields), NULL, 0},
	{"lro", "large receive offload", FIELDS(lro_fields), NULL, 0},
	{"shampo", "hardware GRO (SHAMPO)", FIELDS(shampo_fields), NULL, 0},
	{"tm", "tag matching", FIELDS(tm_fields), NULL, 0},
	{"striding", "striding RQ", FIELDS(striding_fields), NULL, 0},
	{"array", "mini array, enhanced layout", FIELDS(array_fields), NULL, 0},
};
const unsigned cqesim_cqe_view_count = COUNT(cqesim_cqe_views);

const struct cqesim_layout *cqesim_cqe_view_named(const char *name)
{
	for (unsigned i = 0; i < COUNT(cqesim_cqe_views); i++)
		if (!strcmp(cqesim_cqe_views[i].name, name))
			return &cqesim_cqe_views[i];
	return NULL;
}

const struct cqesim_layout *cqesim_cqe_view(const uint8_t raw[64])
{
	switch (raw[CQESIM_OP_OWN_BYTE] >> 4) {
	case CQESIM_OP_REQ:
		return cqesim_cqe_view_named("req");
	case CQESIM_OP_RESP_WR_IMM:
	case CQESIM_OP_RESP_SEND:
	case CQESIM_OP_RESP_SEND_IMM:
	case CQESIM_OP_RESP_SEND_INV:
	case CQESIM_OP_NO_PACKET:
		return cqesim_cqe_view_named("rx");
	case CQESIM_OP_SIG_ERR:
		return cqesim_cqe_view_named("sig");
	case CQESIM_OP_REQ_ERR:
	case CQESIM_OP_RESP_ERR:
		return cqesim_cqe_view_named("err");
	default:
		return cqesim_cqe_view_named("bare");
	}
}

const struct cqesim_field *cqesim_layout_field(const struct cqesim_layout *view, const char *name)
{
	for (unsigned i = 0; i < view->count; i++)
		if (!strcmp(view->fields[i].name, name))
			return &view->fields[i];
	return NULL;
}

const struct cqesim_field *cqesim_cqe_rx_field(const char *name)
{
	return cqesim_layout_field(&cqesim_cqe_views[0], name);
}
