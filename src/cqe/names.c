/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of opcodes, syndromes and other values. */
#include "cqesim/cqe.h"

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
	case CQESIM_SYNDROME_LOCAL_QP_OP:
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

const char *cqesim_send_opcode_name(unsigned opcode)
{
	switch (opcode) { /* DV, MLX5_OPCODE_*; those marked KRN are in Linux' device.h alone */
	case 0x00:
		return "NOP";
	case 0x01:
		return "SEND_INVAL";
	case 0x08:
		return "RDMA_WRITE";
	case 0x09:
		return "RDMA_WRITE_IMM";
	case 0x0a:
		return "SEND";
	case 0x0b:
		return "SEND_IMM";
	case 0x0e:
		return "TSO"; /* LSO to KRN */
	case 0x10:
		return "RDMA_READ";
	case 0x11:
		return "ATOMIC_CS";
	case 0x12:
		return "ATOMIC_FA";
	case 0x14:
		return "ATOMIC_MASKED_CS";
	case 0x15:
		return "ATOMIC_MASKED_FA";
	case 0x18:
		return "BIND_MW"; /* KRN */
	case 0x19:
		return "FMR";
	case 0x1b:
		return "LOCAL_INVAL";
	case 0x1f:
		return "CONFIG_CMD";
	case 0x20:
		return "SET_PSV";
	case 0x21:
		return "GET_PSV"; /* KRN */
	case 0x22:
		return "CHECK_PSV"; /* KRN */
	case 0x23:
		return "DUMP"; /* KRN */
	case 0x25:
		return "UMR";
	case 0x28:
		return "TAG_MATCHING";
	case 0x29:
		return "ENHANCED_MPSW"; /* KRN, PRM-H */
	case 0x2c:
		return "FLOW_TBL_ACCESS";
	case 0x2f:
		return "MMO";
	default:
		return "unknown";
	}
}

const char *cqesim_value_name(const char *field, uint64_t value)
{
	static const struct {
		const char *field;
		const char *name[8];
	} small[] = {
		{"format",
		 {"plain", "inline data up to 32 bytes", "inline data up to 64 bytes",
		  "compressed"}},
		{"outer_l3_type", {"IPv4", "IPv6"}},
		{"tls_offload", {"none", "decrypted", "resync", "error"}},
		{"hash_ip", {"none", "IPv4", "IPv6"}},
		{"hash_l4", {"none", "TCP", "UDP", "IPsec SPI"}},
		{"l3_hdr_type", {"none", "IPv6", "IPv4"}},
		{"l4_hdr_type",
		 {"none", "TCP without ACK", "UDP", "TCP ACK without data", "TCP ACK with data"}},
	};
	const char *name = NULL;

	if (!strcmp(field, "opcode"))
		name = cqesim_opcode_name((unsigned)value);
	else if (!strcmp(field, "syndrome"))
		name = cqesim_syndrome_name((unsigned)value);
	else if (!strcmp(field,
			 "sig_syndrome")) /* KRN, mlx5_ib: GUARD_ERR, APPTAG_ERR, REFTAG_ERR */
		name = value == 0x2000   ? "guard"
		       : value == 0x1000 ? "application tag"
		       : value == 0x0800 ? "reference tag"
					 : NULL;
	else if (!strcmp(field, "send_opcode") || !strcmp(field, "wqe_opcode"))
		name = cqesim_send_opcode_name((unsigned)value);
	if (name)
		return strcmp(name, "unknown") && strcmp(name, "reserved") ? name : NULL;
	for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++)
		if (!strcmp(small[i].field, field))
			return value < 8 ? small[i].name[value] : NULL;
	return NULL;
}
