/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver's side of a completion ring: the decoder of read.h with two of its sinks. */
#include "cq/read.h"

int cqesim_cq_shape_check(const struct cqesim_cq_shape *shape)
{
	if (shape->log_size > CQESIM_CQ_LOG_MAX || shape->log_stride > 16 ||
	    (unsigned)shape->format >= CQESIM_MINI_ALL_FORMATS ||
	    (unsigned)shape->layout > CQESIM_CQ_ENHANCED)
		return -EINVAL;
	return 0;
}

int cqesim_cq_reader_init(struct cqesim_cq_reader *r, uint8_t *ring,
			  const struct cqesim_cq_shape *shape, enum cqesim_invalidate invalidate)
{
	if (!ring || (uintptr_t)ring % CQESIM_CQE_BYTES || cqesim_cq_shape_check(shape) ||
	    (unsigned)invalidate > CQESIM_INVALIDATE_LINUX)
		return -EINVAL;
	*r = (struct cqesim_cq_reader){
		.ring = ring + (shape->cqe_128 ? CQESIM_CQE_BYTES : 0),
		.mask = (UINT32_C(1) << shape->log_size) - 1,
		.log_size = shape->log_size,
		.log_slot = shape->cqe_128 ? 7 : 6,
		.log_stride = shape->log_stride,
		.format = shape->format,
		.layout = shape->layout,
		.invalidate = invalidate,
		.any_length = shape->any_length,
	};
	return 0;
}

void cqesim_cq_reader_seek(struct cqesim_cq_reader *r, uint32_t index)
{
	r->ci = index;
	r->n = 0;
	r->has_title = false;
}

const char *cqesim_cq_fault_name(enum cqesim_cq_fault_kind kind)
{
	static const char *const name[CQESIM_CQ_FAULTS] = {
		[CQESIM_CQ_FAULT_NONE] = "no fault",
		[CQESIM_CQ_FAULT_SESSION_SHORT] =
			"a title CQE that announces fewer than two mini-CQEs",
		[CQESIM_CQ_FAULT_SESSION_LONG] =
			"a title CQE that announces more mini-CQEs than the ring has slots",
		[CQESIM_CQ_FAULT_ARRAY_LONG] =
			"an array that announces more mini-CQEs than fit in one slot",
		[CQESIM_CQ_FAULT_NO_TITLE] = "an array of mini-CQEs whose title CQE never came",
		[CQESIM_CQ_FAULT_MINI_LENGTH] =
			"a mini-CQE with a length that no packet has: stale, or never written",
		[CQESIM_CQ_FAULT_OPCODE] = "a CQE with an opcode that there is not",
		[CQESIM_CQ_FAULT_OUT_OF_ORDER] =
			"a CQE that was written although one before it was not",
		[CQESIM_CQ_FAULT_AHEAD] =
			"a CQE with the validity iteration count of a lap yet to come",
	};
	return (unsigned)kind < CQESIM_CQ_FAULTS ? name[kind] : "unknown fault";
}

/* ---- whole completions ---- */

static inline void whole_shared(const uint8_t *cqe, struct cqesim_completion *c)
{
	uint8_t op_own = cqe[CQESIM_OP_OWN_BYTE];

	cqesim_cqe_get_rx(cqe, &c->meta);
	c->timestamp = cqesim_cqe_get_timestamp(cqe);
	c->flow_table_metadata = cqesim_cqe_get_flow_table_metadata(cqe);
	c->wqe_id = cqesim_cqe_get_wqe_id(cqe);
	c->lro_num_seg = cqesim_cqe_get_lro_num_seg(cqe);
	c->opcode = op_own >> 4;
	c->format = op_own >> 2 & 3;
	c->send_opcode = cqesim_cqe_get_send_opcode(cqe);
	c->syndrome = 0;
	c->vendor_err_synd = 0;
}

static inline void whole_plain(const struct cqesim_cq_reader *r, void *context, const uint8_t *cqe,
			       uint32_t index, void *result)
{
	struct cqesim_completion *c = result;
	uint32_t byte_cnt = cqesim_cqe_get_byte_cnt(cqe);

	(void)context;
	whole_shared(cqe, c);
	c->meta.byte_cnt = cq_length(byte_cnt, r->log_stride);
	c->strides = cq_strides(byte_cnt, r->log_stride);
	c->filler = cq_filler(byte_cnt, r->log_stride);
	c->index = index;
	c->session_n = 0;
	c->session_i = 0;
	c->wqe_counter = cqesim_cqe_get_wqe_counter(cqe);
	if (c->opcode == CQESIM_OP_REQ_ERR || c->opcode == CQESIM_OP_RESP_ERR) {
		struct cqesim_cqe_err err;

		cqesim_cqe_err_decode(cqe, &err);
		c->syndrome = err.syndrome;
		c->vendor_err_synd = err.vendor_err_synd;
		c->timestamp = 0;
	}
}

static inline void whole_title(const struct cqesim_cq_reader *r, void *context, const uint8_t *cqe,
			       void *pattern)
{
	struct cqesim_completion *c = pattern;

	(void)context;
	whole_shared(cqe, c);
	c->index = r->ci;
	c->session_n = r->n;
}

static inline void whole_mini(const struct cqesim_cq_reader *r, void *context, const void *pattern,
			      enum cqesim_mini_format format, const struct cq_mini *m, void *result)
{
	struct cqesim_completion *c = result;

	(void)r;
	(void)context;
	memcpy(c, pattern, sizeof(*c));
	c->session_i = m->i;
	c->meta.byte_cnt = m->length;
	c->strides = m->strides;
	c->filler = m->filler;
	c->wqe_counter = m->wqe_counter;
	switch (format) {
	case CQESIM_MINI_HASH:
		c->meta.rx_hash_res = m->mini.rx_hash_res;
		break;
	case CQESIM_MINI_CSUM:
	case CQESIM_MINI_CSUM_STRIDX:
		c->meta.csum = m->mini.csum;
		break;
	case CQESIM_MINI_FTAG_STRIDX:
		c->meta.flow_tag = m->mini.flow_tag;
		break;
	case CQESIM_MINI_L34H_STRIDX:
		c->meta.l4_l3_hdr_type = m->mini.l4_l3_hdr_type;
		break;
	default: /* REQ, REQ_ITER */
		c->send_opcode = m->mini.send_opcode;
	}
}

int cqesim_cq_poll(struct cqesim_cq_reader *r, struct cqesim_completion *out, unsigned max,
		   struct cqesim_cq_fault *fault)
{
	static const struct cq_sink whole = {
		.bytes = sizeof(struct cqesim_completion),
		.plain = whole_plain,
		.title = whole_title,
		.mini = whole_mini,
	};
	_Static_assert(sizeof(struct cqesim_completion) <= 64, "the pattern's size");

	return cq_read(r, &whole, NULL, out, max, fault);
}

/* ---- what a forwarding program needs ---- */

static inline void packet_shared(const uint8_t *cqe, struct cqesim_packet *p)
{
	p->rx_hash_res = cqesim_cqe_get_rx_hash_res(cqe);
	p->vlan_info = cqesim_cqe_get_vlan_info(cqe);
	p->pkt_info = cqesim_cqe_get_pkt_info(cqe);
	p->hds_ip_ext = cqesim_cqe_get_hds_ip_ext(cqe);
	p->l4_l3_hdr_type = cqesim_cqe_get_l4_l3_hdr_type(cqe);
	p->opcode = cqe[CQESIM_OP_OWN_BYTE] >> 4;
}

static inline void packet_plain(const struct cqesim_cq_reader *r, void *context, const uint8_t *cqe,
				uint32_t index, void *result)
{
	struct cqesim_packet *p = result;
	uint32_t byte_cnt = cqesim_cqe_get_byte_cnt(cqe);

	(void)context;
	(void)index;
	packet_shared(cqe, p);
	p->length = cq_length(byte_cnt, r->log_stride);
	p->wqe_counter = cqesim_cqe_get_wqe_counter(cqe);
	if (cq_error_opcode(p->opcode) || cq_filler(byte_cnt, r->log_stride))
		p->length = 0;
}

static inline void packet_title(const struct cqesim_cq_reader *r, void *context, const uint8_t *cqe,
				void *pattern)
{
	(void)r;
	(void)context;
	packet_shared(cqe, pattern);
}

static inline void packet_mini(const struct cqesim_cq_reader *r, void *context, const void *pattern,
			       enum cqesim_mini_format format, const struct cq_mini *m,
			       void *result)
{
	struct cqesim_packet *p = result;

	(void)r;
	(void)context;
	memcpy(p, pattern, sizeof(*p));
	p->length = m->filler ? 0 : m->length;
	p->wqe_counter = m->wqe_counter;
	if (format == CQESIM_MINI_HASH)
		p->rx_hash_res = m->mini.rx_hash_res;
	else if (format == CQESIM_MINI_L34H_STRIDX)
		p->l4_l3_hdr_type = m->mini.l4_l3_hdr_type;
}

int cqesim_cq_poll_packets(struct cqesim_cq_reader *r, struct cqesim_packet *out, unsigned max,
			   struct cqesim_cq_fault *fault)
{
	static const struct cq_sink packets = {
		.bytes = sizeof(struct cqesim_packet),
		.plain = packet_plain,
		.title = packet_title,
		.mini = packet_mini,
	};

	return cq_read(r, &packets, NULL, out, max, fault);
}

/* ---- a ring at rest ---- */

int cqesim_cq_check(const struct cqesim_cq_reader *r, struct cqesim_cq_fault *fault)
{
	bool enhanced = r->layout == CQESIM_CQ_ENHANCED;
	uint8_t op_own = 0;

	if (cq_owned(cq_slot(r, r->ci), r->ci >> r->log_size, enhanced, &op_own))
		return 0; /* not read to its end */
	for (uint32_t i = 0; i <= r->mask; i++) {
		uint32_t index = r->ci + i, lap = index >> r->log_size;
		const uint8_t *slot = cq_slot(r, index);
		enum cqesim_cq_fault_kind kind = CQESIM_CQ_FAULT_NONE;
		uint8_t count = slot[CQESIM_ITERATION_BYTE];

		if (i && cq_owned(slot, lap, enhanced, &op_own))
			kind = CQESIM_CQ_FAULT_OUT_OF_ORDER;
		else if (enhanced && count == (uint8_t)(lap + 1) && count != 0xff)
			kind = CQESIM_CQ_FAULT_AHEAD;
		if (kind == CQESIM_CQ_FAULT_NONE)
			continue;
		if (fault)
			*fault = (struct cqesim_cq_fault){
				.kind = kind,
				.index = index,
				.slot = index & r->mask,
				.found = enhanced ? count : op_own >> 4,
			};
		return -EBADMSG;
	}
	return 0;
}

const uint8_t *cqesim_cq_inline_data(const struct cqesim_cq_reader *r,
				     const struct cqesim_completion *c, size_t *bytes)
{
	const uint8_t *cqe = cq_slot(r, c->index);

	*bytes = c->meta.byte_cnt;
	if (c->session_n)
		return NULL;
	/* rdma-core handle_responder: the CQE itself, or the 64 bytes before it. */
	if (c->format == CQESIM_FORMAT_INLINE_32 && *bytes <= 32)
		return cqe;
	if (c->format == CQESIM_FORMAT_INLINE_64 && *bytes <= 64 && r->log_slot == 7)
		return cqe - CQESIM_CQE_BYTES;
	return NULL;
}
