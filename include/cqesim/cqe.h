/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqe.h - the wire format of mlx5 completions: 64-byte CQEs in their receive,
 * error and signature-error views, and the 8-byte mini-CQEs.  Pure functions;
 * rings, ownership and time are elsewhere (cq.h).
 *
 * The layouts are data: one X-macro per structure, from which come the struct,
 * encode, decode, the table for dumps and the masks for comparing.  All
 * multi-byte fields are big-endian.
 *
 * Sources, named in each row: PRM-H is drivers/common/mlx5/mlx5_prm.h of DPDK,
 * DV is infiniband/mlx5dv.h of rdma-core, KRN is include/linux/mlx5/device.h of
 * Linux, PMD is drivers/net/mlx5 of DPDK.
 */
#ifndef CQESIM_CQE_H
#define CQESIM_CQE_H

#include <string.h>

#include "cqesim/common.h"

#define CQESIM_CQE_BYTES 64u
#define CQESIM_MINI_BYTES 8u
/* Mini-CQEs in one 64-byte array. */
#define CQESIM_MINIS_PER_ARRAY 8u

/* X(name, type, first byte, bytes, shift, bits, meaning, source) */
#define CQESIM_CQE_RX_FIELDS(X)                                                                    \
	X(pkt_info, uint8_t, 0, 1, 0, 8, "bit 0 tunneled, bit 1 outer L3 is IPv6", "PRM-H")        \
	X(wqe_id, uint16_t, 2, 2, 0, 16, "striding RQ: id of the multi-packet WQE", "KRN")         \
	X(lro_flags, uint8_t, 4, 1, 0, 8,                                                          \
	  "LRO: bit 6 TCP PSH; HW-GRO: bit 1 match, bit 2 flush", "KRN")                          \
	X(lro_min_ttl, uint8_t, 5, 1, 0, 8, "LRO: smallest TTL; HW-GRO: header size", "KRN")       \
	X(lro_tcp_win, uint16_t, 6, 2, 0, 16, "LRO: TCP window; HW-GRO: header entry", "KRN")      \
	X(lro_ack_seq_num, uint32_t, 8, 4, 0, 32, "LRO: ack number; HW-GRO: data offset", "KRN")   \
	X(rx_hash_res, uint32_t, 12, 4, 0, 32, "RSS hash", "PRM-H, KRN")                           \
	X(rx_hash_type, uint8_t, 16, 1, 0, 8,                                                      \
	  "bits 3:2 IP (1 v4, 2 v6), bits 7:6 L4 (1 TCP, 2 UDP, 3 SPI)", "KRN")                   \
	X(ml_path, uint8_t, 17, 1, 0, 8, "InfiniBand path bits", "DV, KRN")                        \
	X(csum, uint16_t, 20, 2, 0, 16, "ones' complement sum of the L2 payload", "PRM-H, KRN")    \
	X(slid, uint16_t, 22, 2, 0, 16, "InfiniBand source LID", "DV, KRN")                        \
	X(flags_rqpn, uint32_t, 24, 4, 0, 32, "InfiniBand flags and remote QPN", "DV, KRN")        \
	X(hds_ip_ext, uint8_t, 28, 1, 0, 8, "bit 0 L2 OK, bit 1 L3 OK, bit 2 L4 OK", "DV, KRN")    \
	X(l4_l3_hdr_type, uint8_t, 29, 1, 0, 8,                                                    \
	  "bit 0 VLAN stripped, 1 IP options, 3:2 L3, 6:4 L4, 7 fragment", "PRM-H, KRN")          \
	X(vlan_info, uint16_t, 30, 2, 0, 16, "stripped VLAN TCI", "PRM-H, DV, KRN")                \
	X(lro_num_seg, uint8_t, 32, 1, 0, 8, "LRO: segments in this completion", "PRM-H, KRN")     \
	X(user_index, uint32_t, 33, 3, 0, 24, "user index or SRQ number", "PRM-H, DV, KRN")        \
	X(flow_table_metadata, uint32_t, 36, 4, 0, 32, "metadata, immediate or rkey",              \
	  "PRM-H, DV, KRN")                                                                        \
	X(app, uint8_t, 40, 1, 0, 8, "application (tag matching)", "DV")                           \
	X(app_op, uint8_t, 41, 1, 0, 8, "application opcode", "DV")                                \
	X(app_info, uint16_t, 42, 2, 0, 16, "application data", "DV")                              \
	X(byte_cnt, uint32_t, 44, 4, 0, 32,                                                        \
	  "length; title: number of minis; striding: 31 filler, 29:16 strides, 15:0 length",      \
	  "PRM-H, KRN")                                                                            \
	X(timestamp, uint64_t, 48, 8, 0, 64, "device clock", "PRM-H, DV, KRN")                     \
	X(send_opcode, uint8_t, 56, 1, 0, 8, "requester: send WQE opcode", "DV, KRN")              \
	X(flow_tag, uint32_t, 57, 3, 0, 24, "receive: flow tag; requester: QPN", "PMD, DV, KRN")   \
	X(wqe_counter, uint16_t, 60, 2, 0, 16, "WQE index; striding RQ: first stride",             \
	  "PRM-H, KRN")                                                                            \
	X(signature, uint8_t, 62, 1, 0, 8,                                                         \
	  "signature; enhanced layout: validity iteration count", "DV, KRN; PRM-H from 23.03")    \
	X(opcode, uint8_t, 63, 1, 4, 4, "kind of completion", "PRM-H, DV, KRN")                    \
	X(format, uint8_t, 63, 1, 2, 2, "0 plain, 1 and 2 inline data, 3 compressed", "PRM-H, DV") \
	X(se, uint8_t, 63, 1, 1, 1, "solicited event", "DV")                                       \
	X(owner, uint8_t, 63, 1, 0, 1, "lap bit", "PRM-H, DV, KRN")

#define CQESIM_CQE_ERR_FIELDS(X)                                                                   \
	X(eth_wqe_id, uint16_t, 2, 2, 0, 16, "striding RQ: id of the WQE", "PRM-H")                \
	X(ib_stride_index, uint16_t, 20, 2, 0, 16, "stride index", "PRM-H")                        \
	X(srqn, uint32_t, 32, 4, 0, 32, "SRQ number or user index", "DV, KRN")                     \
	X(byte_cnt, uint32_t, 44, 4, 0, 32, "length", "PRM-H")                                     \
	X(hw_err_synd, uint8_t, 52, 1, 0, 8, "hardware error syndrome", "PRM-H")                   \
	X(hw_synd_type, uint8_t, 53, 1, 0, 8, "hardware syndrome type", "PRM-H")                   \
	X(vendor_err_synd, uint8_t, 54, 1, 0, 8, "vendor error syndrome", "DV, KRN, PRM-H")        \
	X(syndrome, uint8_t, 55, 1, 0, 8, "error syndrome", "DV, KRN, PRM-H")                      \
	X(wqe_opcode, uint8_t, 56, 1, 0, 8, "send WQE opcode", "DV, KRN")                          \
	X(qpn, uint32_t, 57, 3, 0, 24, "QP number", "DV, KRN")                                     \
	X(wqe_counter, uint16_t, 60, 2, 0, 16, "WQE index", "DV, KRN, PRM-H")                      \
	X(signature, uint8_t, 62, 1, 0, 8, "signature", "DV, KRN, PRM-H")                          \
	X(opcode, uint8_t, 63, 1, 4, 4, "13 requester error, 14 responder error", "DV, KRN")       \
	X(format, uint8_t, 63, 1, 2, 2, "0", "DV")                                                 \
	X(se, uint8_t, 63, 1, 1, 1, "solicited event", "DV")                                       \
	X(owner, uint8_t, 63, 1, 0, 1, "lap bit", "DV, KRN")

#define CQESIM_CQE_SIG_FIELDS(X)                                                                   \
	X(expected_trans_sig, uint32_t, 16, 4, 0, 32, "expected transaction signature", "KRN")     \
	X(actual_trans_sig, uint32_t, 20, 4, 0, 32, "actual transaction signature", "KRN")         \
	X(expected_reftag, uint32_t, 24, 4, 0, 32, "expected reference tag", "KRN")                \
	X(actual_reftag, uint32_t, 28, 4, 0, 32, "actual reference tag", "KRN")                    \
	X(syndrome, uint16_t, 32, 2, 0, 16, "what did not match", "KRN")                           \
	X(mkey, uint32_t, 36, 4, 0, 32, "memory key", "KRN")                                       \
	X(err_offset, uint64_t, 40, 8, 0, 64, "byte at which it was found", "KRN")                 \
	X(qpn, uint32_t, 56, 4, 0, 32, "QP number", "KRN")                                         \
	X(signature, uint8_t, 62, 1, 0, 8, "signature", "KRN")                                     \
	X(opcode, uint8_t, 63, 1, 4, 4, "12", "KRN")                                               \
	X(format, uint8_t, 63, 1, 2, 2, "0", "KRN")                                                \
	X(se, uint8_t, 63, 1, 1, 1, "solicited event", "DV")                                       \
	X(owner, uint8_t, 63, 1, 0, 1, "lap bit", "KRN")

#define CQESIM_FIELD_MEMBER(name, type, byte, bytes, shift, bits, meaning, source) type name;
/* A completion of the receive view (RESP_*), fields in host order. */
struct cqesim_cqe {
	CQESIM_CQE_RX_FIELDS(CQESIM_FIELD_MEMBER)
};
/* REQ_ERR and RESP_ERR. */
struct cqesim_cqe_err {
	CQESIM_CQE_ERR_FIELDS(CQESIM_FIELD_MEMBER)
};
/* SIG_ERR. */
struct cqesim_cqe_sig {
	CQESIM_CQE_SIG_FIELDS(CQESIM_FIELD_MEMBER)
};

/* Opcodes (DV, enum mlx5_cqe_opcode: MLX5_CQE_*). */
enum cqesim_opcode {
	CQESIM_OP_REQ = 0,
	CQESIM_OP_RESP_WR_IMM = 1,
	CQESIM_OP_RESP_SEND = 2, /* every Ethernet receive completion */
	CQESIM_OP_RESP_SEND_IMM = 3,
	CQESIM_OP_RESP_SEND_INV = 4,
	CQESIM_OP_RESIZE_CQ = 5,
	CQESIM_OP_NO_PACKET = 6,
	CQESIM_OP_SIG_ERR = 12,
	CQESIM_OP_REQ_ERR = 13,
	CQESIM_OP_RESP_ERR = 14,
	CQESIM_OP_INVALID = 15, /* the slot belongs to hardware */
};
/* "RESP_SEND" ...; "reserved" for numbers without a name. */
CQESIM_API const char *cqesim_opcode_name(unsigned opcode);

enum cqesim_cqe_format {
	CQESIM_FORMAT_PLAIN = 0,
	CQESIM_FORMAT_INLINE_32 = 1,
	CQESIM_FORMAT_INLINE_64 = 2,
	CQESIM_FORMAT_COMPRESSED = 3,
};

/* Error syndromes (DV, MLX5_CQE_SYNDROME_*); "unknown" for numbers without a name. */
CQESIM_API const char *cqesim_syndrome_name(unsigned syndrome);
#define CQESIM_SYNDROME_LOCAL_PROT 0x04
#define CQESIM_SYNDROME_WR_FLUSH 0x05

/* Byte 0 (PRM-H). */
#define CQESIM_PKT_INFO_TUNNELED 0x01u
#define CQESIM_PKT_INFO_OUTER_IPV6 0x02u

/* Byte 16 (KRN). */
#define CQESIM_HASH_TYPE_IPV4 (1u << 2)
#define CQESIM_HASH_TYPE_IPV6 (2u << 2)
#define CQESIM_HASH_TYPE_TCP (1u << 6)
#define CQESIM_HASH_TYPE_UDP (2u << 6)

/* Byte 28 (DV, KRN). */
#define CQESIM_L2_OK 0x01u
#define CQESIM_L3_OK 0x02u
#define CQESIM_L4_OK 0x04u

/* Byte 29 (PRM-H MLX5_CQE_RX_*, KRN, DV). */
#define CQESIM_HDR_VLAN_STRIPPED 0x01u
#define CQESIM_HDR_IP_OPTIONS 0x02u
#define CQESIM_HDR_L3_MASK 0x0cu
#define CQESIM_HDR_L3_IPV6 (1u << 2)
#define CQESIM_HDR_L3_IPV4 (2u << 2)
#define CQESIM_HDR_L4_MASK 0x70u
#define CQESIM_HDR_L4_TCP (1u << 4)          /* no ack */
#define CQESIM_HDR_L4_UDP (2u << 4)
#define CQESIM_HDR_L4_TCP_ACK (3u << 4)      /* ack, no data */
#define CQESIM_HDR_L4_TCP_ACK_DATA (4u << 4) /* ack and data */
#define CQESIM_HDR_FRAGMENT 0x80u

/* Byte 63. */
#define CQESIM_OP_OWN_BYTE 63u
#define CQESIM_OWNER_MASK 0x01u
#define CQESIM_OP_OWN(opcode, format, owner) ((uint8_t)((opcode) << 4 | (format) << 2 | (owner)))

/*
 * What the NIC says about one received packet, as the port makes it, the CQE
 * carries it and the reader returns it: one structure on both sides, so that
 * sent and received compare word by word.  No padding, 32-bit aligned.
 */
struct cqesim_rxmeta {
	uint32_t byte_cnt;      /* bytes delivered: after VLAN stripping, with FCS only if kept */
	uint32_t rx_hash_res;   /* RSS hash; 0 when there is none */
	uint32_t flow_tag;      /* 24 bits */
	uint32_t user_index;    /* 24 bits; the queue's: filled by nic */
	uint16_t vlan_info;     /* stripped TCI */
	uint16_t csum;          /* ones' complement sum over the L2 payload, 0 if not computed */
	uint8_t rx_hash_type;   /* byte 16 */
	uint8_t pkt_info;       /* byte 0 */
	uint8_t hds_ip_ext;     /* byte 28 */
	uint8_t l4_l3_hdr_type; /* byte 29 */
};

/* Big-endian loads and stores of 1, 2, 3, 4 or 8 bytes; `bytes` is a constant at each use. */
static inline uint64_t cqesim_be_load(const uint8_t *p, unsigned bytes)
{
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (bytes) {
	case 1:
		return p[0];
	case 2:
		memcpy(&v16, p, 2);
		return __builtin_bswap16(v16);
	case 3:
		return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
	case 4:
		memcpy(&v32, p, 4);
		return __builtin_bswap32(v32);
	default:
		memcpy(&v64, p, 8);
		return __builtin_bswap64(v64);
	}
}

static inline void cqesim_be_store(uint8_t *p, unsigned bytes, uint64_t value)
{
	uint16_t v16 = __builtin_bswap16((uint16_t)value);
	uint32_t v32 = __builtin_bswap32((uint32_t)value);
	uint64_t v64 = __builtin_bswap64(value);

	switch (bytes) {
	case 1:
		p[0] = (uint8_t)value;
		break;
	case 2:
		memcpy(p, &v16, 2);
		break;
	case 3:
		p[0] = (uint8_t)(value >> 16);
		p[1] = (uint8_t)(value >> 8);
		p[2] = (uint8_t)value;
		break;
	case 4:
		memcpy(p, &v32, 4);
		break;
	default:
		memcpy(p, &v64, 8);
	}
}
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "cqesim is written for little-endian hosts"
#endif

/* cqesim_cqe_get_NAME(raw): one field of the receive view, for hot paths. */
#define CQESIM_FIELD_GETTER(name, type, byte, bytes, shift, bits, meaning, source)                 \
	static inline type cqesim_cqe_get_##name(const uint8_t *raw)                               \
	{                                                                                          \
		return (type)(cqesim_be_load(raw + (byte), bytes) >> (shift) &                     \
			      (~UINT64_C(0) >> (64 - (bits))));                                    \
	}
CQESIM_CQE_RX_FIELDS(CQESIM_FIELD_GETTER)
#undef CQESIM_FIELD_GETTER

/* All fields.  Encoding writes all 64 bytes, reserved ones as 0. */
CQESIM_API void cqesim_cqe_decode(const uint8_t raw[64], struct cqesim_cqe *cqe);
CQESIM_API void cqesim_cqe_encode(const struct cqesim_cqe *cqe, uint8_t raw[64]);
CQESIM_API void cqesim_cqe_err_decode(const uint8_t raw[64], struct cqesim_cqe_err *err);
CQESIM_API void cqesim_cqe_err_encode(const struct cqesim_cqe_err *err, uint8_t raw[64]);
CQESIM_API void cqesim_cqe_sig_decode(const uint8_t raw[64], struct cqesim_cqe_sig *sig);
CQESIM_API void cqesim_cqe_sig_encode(const struct cqesim_cqe_sig *sig, uint8_t raw[64]);

/*
 * The receive completion of one packet, op_own byte apart: everything but the
 * fields given is 0; user_index is the queue's, m->user_index is not looked at.  Exactly cqesim_cqe_encode of the same values, but fast:
 * made as words, and stored as pairs of them, so that whoever copies the 64
 * bytes right away need not wait for a store of another size.
 */
static inline void cqesim_cqe_put_rx(uint8_t raw[64], const struct cqesim_rxmeta *m,
				     uint32_t user_index, uint64_t timestamp, uint16_t wqe_counter)
{
	typedef uint64_t pair __attribute__((vector_size(16)));
	const pair words[4] = {
		/* 0: pkt_info; 8: rx_hash_res at 12 */
		{m->pkt_info, (uint64_t)__builtin_bswap32(m->rx_hash_res) << 32},
		/* 16: rx_hash_type, csum at 20; 24: hds_ip_ext at 28, l4_l3_hdr_type, vlan_info */
		{m->rx_hash_type | (uint64_t)__builtin_bswap16(m->csum) << 32,
		 (uint64_t)m->hds_ip_ext << 32 | (uint64_t)m->l4_l3_hdr_type << 40 |
			 (uint64_t)__builtin_bswap16(m->vlan_info) << 48},
		/* 32: user_index; 40: byte_cnt at 44 */
		{__builtin_bswap32(user_index & 0xffffff),
		 (uint64_t)__builtin_bswap32(m->byte_cnt) << 32},
		/* 48: timestamp; 56: flow_tag, wqe_counter at 60 */
		{__builtin_bswap64(timestamp), __builtin_bswap32(m->flow_tag & 0xffffff) |
						       (uint64_t)__builtin_bswap16(wqe_counter) << 32},
	};

	memcpy(raw, words, sizeof(words));
}

/* The same fields back. */
static inline void cqesim_cqe_get_rx(const uint8_t raw[64], struct cqesim_rxmeta *m)
{
	m->byte_cnt = cqesim_cqe_get_byte_cnt(raw);
	m->rx_hash_res = cqesim_cqe_get_rx_hash_res(raw);
	m->flow_tag = (uint32_t)cqesim_be_load(raw + 56, 4) & 0xffffff;
	m->user_index = (uint32_t)cqesim_be_load(raw + 32, 4) & 0xffffff;
	m->vlan_info = cqesim_cqe_get_vlan_info(raw);
	m->csum = cqesim_cqe_get_csum(raw);
	m->rx_hash_type = cqesim_cqe_get_rx_hash_type(raw);
	m->pkt_info = cqesim_cqe_get_pkt_info(raw);
	m->hds_ip_ext = cqesim_cqe_get_hds_ip_ext(raw);
	m->l4_l3_hdr_type = cqesim_cqe_get_l4_l3_hdr_type(raw);
}

/* One row of a layout, for dumps, masks and checks. */
struct cqesim_field {
	const char *name;
	uint8_t byte, bytes, shift, bits;
	uint16_t offset, size; /* of the member in the struct */
	const char *meaning;
	const char *source;
};
CQESIM_API extern const struct cqesim_field cqesim_cqe_rx_fields[];
CQESIM_API extern const unsigned cqesim_cqe_rx_field_count;
CQESIM_API extern const struct cqesim_field cqesim_cqe_err_fields[];
CQESIM_API extern const unsigned cqesim_cqe_err_field_count;
CQESIM_API extern const struct cqesim_field cqesim_cqe_sig_fields[];
CQESIM_API extern const unsigned cqesim_cqe_sig_field_count;

/* The receive-view field of this name, or NULL. */
CQESIM_API const struct cqesim_field *cqesim_cqe_rx_field(const char *name);
/* Set the bits of a field in a 64-byte mask. */
CQESIM_API void cqesim_field_mask(const struct cqesim_field *field, uint8_t mask[64]);

/*
 * Mini-CQE formats.  The numbers are the PRM's mini_cqe_res_format; mlx5dv has
 * other numbers (bits), and L34H_STRIDX is asked for by res_format 0 and
 * res_format_ext 1 (PRM-H, PMD).
 */
enum cqesim_mini_format {
	CQESIM_MINI_HASH = 0,
	CQESIM_MINI_CSUM = 1,
	CQESIM_MINI_FTAG_STRIDX = 2,
	CQESIM_MINI_CSUM_STRIDX = 3,
	CQESIM_MINI_L34H_STRIDX = 4,
	CQESIM_MINI_FORMATS
};
CQESIM_API const char *cqesim_mini_format_name(enum cqesim_mini_format format);
/* The format of that name ("hash" ...), or -EINVAL. */
CQESIM_API int cqesim_mini_format_parse(const char *name);

/* What a mini-CQE can carry; a format fills some of it (the rest is 0). */
struct cqesim_mini {
	uint32_t byte_cnt;
	uint32_t rx_hash_res;
	uint32_t flow_tag;      /* 24 bits */
	uint16_t csum;
	uint16_t stride_index;
	uint8_t l4_l3_hdr_type; /* byte 29 of a CQE */
};
CQESIM_API void cqesim_mini_encode(enum cqesim_mini_format format, const struct cqesim_mini *mini,
				   uint8_t raw[8]);
CQESIM_API void cqesim_mini_decode(enum cqesim_mini_format format, const uint8_t raw[8],
				   struct cqesim_mini *mini);
/* Mask of the CQE bits that minis of this format carry instead of the title. */
CQESIM_API void cqesim_mini_carries(enum cqesim_mini_format format, uint8_t mask[64]);

#endif
