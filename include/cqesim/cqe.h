/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqe.h - the wire format of mlx5 completions: 64-byte CQEs in all their views
 * and the 8-byte mini-CQEs.  Pure functions; rings, ownership and time are
 * elsewhere (cq.h).
 *
 * The layouts are data, in cqe_layout.h, with their sources; the structs and
 * functions here are those tables expanded.
 *
 * A CQE of 128 bytes is this one in the second half of its slot (KRN
 * mlx5_cqwq_get_cqe, rdma-core get_sw_cqe, PRM-H); the first half is padding,
 * or up to 64 bytes of data (format 2).
 */
#ifndef CQESIM_CQE_H
#define CQESIM_CQE_H

#include <string.h>

#include "cqesim/common.h"
#include "cqesim/cqe_layout.h"

#define CQESIM_CQE_BYTES  64u
#define CQESIM_MINI_BYTES 8u
/* Mini-CQEs in one 64-byte array. */
#define CQESIM_MINIS_PER_ARRAY 8u

/* Views of the 64 bytes: V(struct, table) */
#define CQESIM_CQE_VIEWS(V)                                                                        \
	V(cqesim_cqe, CQESIM_CQE_RX_FIELDS)                                                        \
	V(cqesim_cqe_err, CQESIM_CQE_ERR_FIELDS)                                                   \
	V(cqesim_cqe_sig, CQESIM_CQE_SIG_FIELDS)                                                   \
	V(cqesim_cqe_req, CQESIM_CQE_REQ_FIELDS)                                                   \
	V(cqesim_cqe_bare, CQESIM_CQE_BARE_FIELDS)                                                 \
	V(cqesim_cqe_lro, CQESIM_CQE_LRO_FIELDS)                                                   \
	V(cqesim_cqe_shampo, CQESIM_CQE_SHAMPO_FIELDS)                                             \
	V(cqesim_cqe_tm, CQESIM_CQE_TM_FIELDS)                                                     \
	V(cqesim_cqe_striding, CQESIM_CQE_STRIDING_FIELDS)                                         \
	V(cqesim_array_tail, CQESIM_ARRAY_TAIL_FIELDS)

/*
 * struct cqesim_cqe (receive), cqesim_cqe_err (REQ_ERR, RESP_ERR),
 * cqesim_cqe_sig (SIG_ERR), cqesim_cqe_req (REQ) ...: fields in host order.
 * The last five are overlays: they tell what some bytes mean in one case.
 */
#define CQESIM_FIELD_MEMBER(name, type, byte, bytes, shift, bits, meaning, source) type name;
#define CQESIM_VIEW_STRUCT(tag, table)                                                             \
	struct tag {                                                                               \
		table(CQESIM_FIELD_MEMBER)                                                         \
	};
CQESIM_CQE_VIEWS(CQESIM_VIEW_STRUCT)
#undef CQESIM_VIEW_STRUCT

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
#define CQESIM_SYNDROME_LOCAL_QP_OP 0x02
#define CQESIM_SYNDROME_LOCAL_PROT  0x04
#define CQESIM_SYNDROME_WR_FLUSH    0x05
/* Opcodes of send WQEs (DV, MLX5_OPCODE_*): "SEND" ...; "unknown" for numbers without a name. */
CQESIM_API const char *cqesim_send_opcode_name(unsigned opcode);

/* Byte 0 (PRM-H). */
#define CQESIM_PKT_INFO_TUNNELED   0x01u
#define CQESIM_PKT_INFO_OUTER_IPV6 0x02u

/* Byte 16 (KRN). */
#define CQESIM_HASH_TYPE_IPV4 (1u << 2)
#define CQESIM_HASH_TYPE_IPV6 (2u << 2)
#define CQESIM_HASH_TYPE_TCP  (1u << 6)
#define CQESIM_HASH_TYPE_UDP  (2u << 6)

/* Byte 28 (DV, KRN). */
#define CQESIM_L2_OK 0x01u
#define CQESIM_L3_OK 0x02u
#define CQESIM_L4_OK 0x04u

/* Byte 29 (PRM-H MLX5_CQE_RX_*, KRN, DV). */
#define CQESIM_HDR_VLAN_STRIPPED   0x01u
#define CQESIM_HDR_IP_OPTIONS      0x02u
#define CQESIM_HDR_L3_MASK         0x0cu
#define CQESIM_HDR_L3_IPV6         (1u << 2)
#define CQESIM_HDR_L3_IPV4         (2u << 2)
#define CQESIM_HDR_L4_MASK         0x70u
#define CQESIM_HDR_L4_TCP          (1u << 4) /* no ack */
#define CQESIM_HDR_L4_UDP          (2u << 4)
#define CQESIM_HDR_L4_TCP_ACK      (3u << 4) /* ack, no data */
#define CQESIM_HDR_L4_TCP_ACK_DATA (4u << 4) /* ack and data */
#define CQESIM_HDR_FRAGMENT        0x80u

/* Byte 63. */
#define CQESIM_OP_OWN_BYTE                   63u
#define CQESIM_OWNER_MASK                    0x01u
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

/*
 * cqesim_NAME_decode(raw, out), cqesim_NAME_encode(in, raw) for each view, for
 * example cqesim_cqe_err_decode: all fields.  Encoding writes all 64 bytes,
 * reserved ones as 0; cqesim_NAME_put changes the view's own bits alone (for
 * overlays).  Values wider than their field are cut to its bits.
 */
#define CQESIM_VIEW_FUNCTIONS(tag, table)                                                          \
	CQESIM_API void tag##_decode(const uint8_t raw[64], struct tag *out);                      \
	CQESIM_API void tag##_encode(const struct tag *in, uint8_t raw[64]);                       \
	CQESIM_API void tag##_put(const struct tag *in, uint8_t raw[64]);
CQESIM_CQE_VIEWS(CQESIM_VIEW_FUNCTIONS)
#undef CQESIM_VIEW_FUNCTIONS

/*
 * The receive completion of one packet, op_own byte apart: everything but the
 * fields given is 0; user_index is the queue's, m->user_index is not looked at.  Exactly
 * cqesim_cqe_encode of the same values, but fast: made as words, and stored as pairs of them, so
 * that whoever copies the 64 bytes right away need not wait for a store of another size.
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
		{__builtin_bswap32(user_index & 0xffffff), (uint64_t)__builtin_bswap32(m->byte_cnt)
								   << 32},
		/* 48: timestamp; 56: flow_tag, wqe_counter at 60 */
		{__builtin_bswap64(timestamp), __builtin_bswap32(m->flow_tag & 0xffffff) |
						       (uint64_t)__builtin_bswap16(wqe_counter)
							       << 32},
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
/* Several things in one field: what lies in it, shift and bits counted in the field. */
struct cqesim_part {
	const char *field, *name;
	uint8_t shift, bits;
	const char *meaning, *source;
};

struct cqesim_layout {
	const char *name;  /* "rx", "err" ... */
	const char *title; /* "receive completion" ... */
	const struct cqesim_field *fields;
	unsigned count;
	const struct cqesim_part *parts;
	unsigned part_count;
};
/* All views, in the order of CQESIM_CQE_VIEWS. */
CQESIM_API extern const struct cqesim_layout cqesim_cqe_views[];
CQESIM_API extern const unsigned cqesim_cqe_view_count;
/* The view of that name, or NULL. */
CQESIM_API const struct cqesim_layout *cqesim_cqe_view_named(const char *name);
/* The view that the opcode asks for: rx, err, sig, req, or bare. */
CQESIM_API const struct cqesim_layout *cqesim_cqe_view(const uint8_t raw[64]);

CQESIM_API extern const struct cqesim_field cqesim_cqe_rx_fields[];
CQESIM_API extern const unsigned cqesim_cqe_rx_field_count;
CQESIM_API extern const struct cqesim_field cqesim_cqe_err_fields[];
CQESIM_API extern const unsigned cqesim_cqe_err_field_count;
CQESIM_API extern const struct cqesim_field cqesim_cqe_sig_fields[];
CQESIM_API extern const unsigned cqesim_cqe_sig_field_count;

/* The receive-view field of this name, or NULL. */
CQESIM_API const struct cqesim_field *cqesim_cqe_rx_field(const char *name);
/* The field of this name in a view, or NULL. */
CQESIM_API const struct cqesim_field *cqesim_layout_field(const struct cqesim_layout *view,
							  const char *name);
/* Set the bits of a field in a 64-byte mask. */
CQESIM_API void cqesim_field_mask(const struct cqesim_field *field, uint8_t mask[64]);
/* Value of a field in raw bytes; put one there, cut to its bits. */
CQESIM_API uint64_t cqesim_field_get(const struct cqesim_field *field, const uint8_t *raw);
CQESIM_API void cqesim_field_set(const struct cqesim_field *field, uint8_t *raw, uint64_t value);
/*
 * The name of a value, for the fields and parts that have named ones ("opcode",
 * "syndrome", "l3_hdr_type" ...), by the name of field or part; NULL: none.
 */
CQESIM_API const char *cqesim_value_name(const char *field, uint64_t value);

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
	CQESIM_MINI_FORMATS, /* of receive completions */
	/* What completion queues of sent work have; the PRM gives them no number. */
	CQESIM_MINI_REQ = CQESIM_MINI_FORMATS, /* send opcode in byte 2 (KRN, PRM-H until 22.11) */
	CQESIM_MINI_REQ_ITER,                  /* in byte 3 (PRM-H from 23.03) */
	CQESIM_MINI_ALL_FORMATS
};
CQESIM_API const char *cqesim_mini_format_name(enum cqesim_mini_format format);
/* The format of that name ("hash" ... "req", "req_iter"), or -EINVAL. */
CQESIM_API int cqesim_mini_format_parse(const char *name);

/* What a mini-CQE can carry; a format fills some of it (the rest is 0). */
struct cqesim_mini {
	uint32_t byte_cnt;
	uint32_t rx_hash_res;
	uint32_t flow_tag; /* 24 bits */
	uint16_t csum;
	uint16_t stride_index;
	uint8_t l4_l3_hdr_type;  /* byte 29 of a CQE */
	uint8_t send_opcode;     /* REQ formats */
	uint16_t wqe_counter;    /* REQ formats */
	uint8_t iteration_count; /* REQ_ITER */
};
CQESIM_API void cqesim_mini_encode(enum cqesim_mini_format format, const struct cqesim_mini *mini,
				   uint8_t raw[8]);
CQESIM_API void cqesim_mini_decode(enum cqesim_mini_format format, const uint8_t raw[8],
				   struct cqesim_mini *mini);
/* One row of a mini's layout: `bits` bits of the member from bit `to` on. */
struct cqesim_mini_field {
	const char *name;
	uint8_t to, byte, bytes, shift, bits;
	const char *meaning, *source;
};
/* The rows of a format and their number; NULL for an unknown format. */
CQESIM_API const struct cqesim_mini_field *cqesim_mini_fields(enum cqesim_mini_format format,
							      unsigned *count);
/* The mini of a completion, as a device makes it: every field from the CQE. */
CQESIM_API void cqesim_mini_from_cqe(const uint8_t cqe[64], struct cqesim_mini *mini);
/* Mask of the CQE bits that minis of this format carry instead of the title. */
CQESIM_API void cqesim_mini_carries(enum cqesim_mini_format format, uint8_t mask[64]);

#endif
