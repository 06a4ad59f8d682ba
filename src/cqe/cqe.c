/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Encode and decode of 64-byte CQEs: each function is the layout table of
 * cqe.h, expanded once more.
 */
#include <errno.h>

#include "cqesim/cqe.h"

#define MASK(bits) (~UINT64_C(0) >> (64 - (bits)))

#define DECODE(name, type, byte, bytes, shift, bits, meaning, source)                              \
	out->name = (type)(cqesim_be_load(raw + (byte), bytes) >> (shift)&MASK(bits));

/* Fields may share a byte (op_own), so encoding ORs into zeroed memory. */
#define ENCODE(name, type, byte, bytes, shift, bits, meaning, source)                              \
	cqesim_be_store(raw + (byte), bytes,                                                       \
			cqesim_be_load(raw + (byte), bytes) | ((uint64_t)in->name & MASK(bits))    \
								      << (shift));

void cqesim_cqe_decode(const uint8_t raw[64], struct cqesim_cqe *out)
{
	CQESIM_CQE_RX_FIELDS(DECODE)
}

void cqesim_cqe_encode(const struct cqesim_cqe *in, uint8_t raw[64])
{
	memset(raw, 0, 64);
	CQESIM_CQE_RX_FIELDS(ENCODE)
}

void cqesim_cqe_err_decode(const uint8_t raw[64], struct cqesim_cqe_err *out)
{
	CQESIM_CQE_ERR_FIELDS(DECODE)
}

void cqesim_cqe_err_encode(const struct cqesim_cqe_err *in, uint8_t raw[64])
{
	memset(raw, 0, 64);
	CQESIM_CQE_ERR_FIELDS(ENCODE)
}

void cqesim_cqe_sig_decode(const uint8_t raw[64], struct cqesim_cqe_sig *out)
{
	CQESIM_CQE_SIG_FIELDS(DECODE)
}

void cqesim_cqe_sig_encode(const struct cqesim_cqe_sig *in, uint8_t raw[64])
{
	memset(raw, 0, 64);
	CQESIM_CQE_SIG_FIELDS(ENCODE)
}

#define ROW(view, name, byte, bytes, shift, bits, meaning, source)                                 \
	{#name,                                                                                    \
	 byte,                                                                                     \
	 bytes,                                                                                    \
	 shift,                                                                                    \
	 bits,                                                                                     \
	 offsetof(struct view, name),                                                              \
	 sizeof(((struct view *)0)->name),                                                         \
	 meaning,                                                                                  \
	 source},
#define ROW_RX(name, type, ...)  ROW(cqesim_cqe, name, __VA_ARGS__)
#define ROW_ERR(name, type, ...) ROW(cqesim_cqe_err, name, __VA_ARGS__)
#define ROW_SIG(name, type, ...) ROW(cqesim_cqe_sig, name, __VA_ARGS__)
#define COUNT(a)                 (sizeof(a) / sizeof((a)[0]))

const struct cqesim_field cqesim_cqe_rx_fields[] = {CQESIM_CQE_RX_FIELDS(ROW_RX)};
const unsigned cqesim_cqe_rx_field_count = COUNT(cqesim_cqe_rx_fields);
const struct cqesim_field cqesim_cqe_err_fields[] = {CQESIM_CQE_ERR_FIELDS(ROW_ERR)};
const unsigned cqesim_cqe_err_field_count = COUNT(cqesim_cqe_err_fields);
const struct cqesim_field cqesim_cqe_sig_fields[] = {CQESIM_CQE_SIG_FIELDS(ROW_SIG)};
const unsigned cqesim_cqe_sig_field_count = COUNT(cqesim_cqe_sig_fields);

const struct cqesim_field *cqesim_cqe_rx_field(const char *name)
{
	for (unsigned i = 0; i < cqesim_cqe_rx_field_count; i++)
		if (!strcmp(cqesim_cqe_rx_fields[i].name, name))
			return &cqesim_cqe_rx_fields[i];
	return NULL;
}

void cqesim_field_mask(const struct cqesim_field *f, uint8_t mask[64])
{
	uint64_t bits = cqesim_be_load(mask + f->byte, f->bytes) | MASK(f->bits) << f->shift;
	cqesim_be_store(mask + f->byte, f->bytes, bits);
}

const char *cqesim_opcode_name(unsigned opcode)
{
	static const char *const name[16] = {
		[CQESIM_OP_REQ] = "REQ",
		[CQESIM_OP_RESP_WR_IMM] = "RESP_WR_IMM",
		[CQESIM_OP_RESP_SEND] = "RESP_SEND",
		[CQESIM_OP_RESP_SEND_IMM] = "RESP_SEND_IMM",
		[CQESIM_OP_RESP_SEND_INV] = "RESP_SEND_INV",
		[CQESIM_OP_RESIZE_CQ] = "RESIZE_CQ",
		[CQESIM_OP_NO_PACKET] = "NO_PACKET",
		[CQESIM_OP_SIG_ERR] = "SIG_ERR",
		[CQESIM_OP_REQ_ERR] = "REQ_ERR",
		[CQESIM_OP_RESP_ERR] = "RESP_ERR",
		[CQESIM_OP_INVALID] = "INVALID",
	};
	return opcode < 16 && name[opcode] ? name[opcode] : "reserved";
}

const char *cqesim_syndrome_name(unsigned syndrome)
{
	switch (syndrome) { /* DV, MLX5_CQE_SYNDROME_* */
	case 0x01:
		return "LOCAL_LENGTH_ERR";
	case 0x02:
		return "LOCAL_QP_OP_ERR";
	case CQESIM_SYNDROME_LOCAL_PROT:
		return "LOCAL_PROT_ERR";
	case CQESIM_SYNDROME_WR_FLUSH:
		return "WR_FLUSH_ERR";
	case 0x06:
		return "MW_BIND_ERR";
	case 0x10:
		return "BAD_RESP_ERR";
	case 0x11:
		return "LOCAL_ACCESS_ERR";
	case 0x12:
		return "REMOTE_INVAL_REQ_ERR";
	case 0x13:
		return "REMOTE_ACCESS_ERR";
	case 0x14:
		return "REMOTE_OP_ERR";
	case 0x15:
		return "TRANSPORT_RETRY_EXC_ERR";
	case 0x16:
		return "RNR_RETRY_EXC_ERR";
	case 0x22:
		return "REMOTE_ABORTED_ERR";
	default:
		return "unknown";
	}
}
