/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver's side of a completion ring, basic layout: see cq.h for the
 * layout and the memory order.  The only decoder of rings in cqesim.
 */
#include <errno.h>

#include "cqesim/cq.h"

int cqesim_cq_reader_init(struct cqesim_cq_reader *r, uint8_t *ring, unsigned log_size,
			  enum cqesim_mini_format format, enum cqesim_invalidate invalidate)
{
	if (!ring || (uintptr_t)ring % CQESIM_CQE_BYTES || log_size > CQESIM_CQ_LOG_MAX ||
	    (unsigned)format >= CQESIM_MINI_FORMATS ||
	    (unsigned)invalidate > CQESIM_INVALIDATE_LINUX)
		return -EINVAL;
	*r = (struct cqesim_cq_reader){
		.ring = ring,
		.mask = (UINT32_C(1) << log_size) - 1,
		.log_size = log_size,
		.format = format,
		.invalidate = invalidate,
	};
	return 0;
}

const char *cqesim_cq_fault_name(enum cqesim_cq_fault_kind kind)
{
	switch (kind) {
	case CQESIM_CQ_FAULT_SESSION_SHORT:
		return "a title CQE that announces fewer than two mini-CQEs";
	case CQESIM_CQ_FAULT_SESSION_LONG:
		return "a title CQE that announces more mini-CQEs than the ring has slots";
	default:
		return "no fault";
	}
}

static uint8_t *slot_of(const struct cqesim_cq_reader *r, uint32_t index)
{
	return r->ring + (size_t)(index & r->mask) * CQESIM_CQE_BYTES;
}

/* PMD check_cqe, rdma-core get_sw_cqe: the lap's owner bit and an opcode that is not INVALID. */
static bool software_owns(uint8_t op_own, uint32_t index, unsigned log_size)
{
	return (op_own & CQESIM_OWNER_MASK) == (index >> log_size & CQESIM_OWNER_MASK) &&
	       op_own >> 4 != CQESIM_OP_INVALID;
}

/* op_own of the session's slots, so that what lies there cannot be taken for a completion. */
static void session_done(struct cqesim_cq_reader *r)
{
	uint8_t value = CQESIM_OP_OWN(CQESIM_OP_INVALID, 0, 0);
	uint32_t first = r->invalidate == CQESIM_INVALIDATE_DPDK_SCALAR ? 1 : 0;

	for (uint32_t i = first; i < r->n; i++) {
		uint32_t index = r->ci + i;

		/* In the next lap the other bit is the valid one (also past the ring's end). */
		if (r->invalidate == CQESIM_INVALIDATE_LINUX)
			value = index >> r->log_size & CQESIM_OWNER_MASK;
		slot_of(r, index)[CQESIM_OP_OWN_BYTE] = value;
	}
	r->ci += r->n;
	r->n = 0;
}

static void read_plain(const uint8_t *slot, uint8_t op_own, uint32_t index,
		       struct cqesim_completion *c)
{
	cqesim_cqe_get_rx(slot, &c->meta);
	c->timestamp = cqesim_cqe_get_timestamp(slot);
	c->index = index;
	c->wqe_counter = cqesim_cqe_get_wqe_counter(slot);
	c->session_n = 0;
	c->session_i = 0;
	c->opcode = op_own >> 4;
	c->syndrome = 0;
	c->vendor_err_synd = 0;
	if (c->opcode >= CQESIM_OP_REQ_ERR) {
		struct cqesim_cqe_err err;

		cqesim_cqe_err_decode(slot, &err);
		c->syndrome = err.syndrome;
		c->vendor_err_synd = err.vendor_err_synd;
		c->timestamp = 0;
	}
}

/* The title's completion is the pattern; the mini replaces what it carries. */
static void read_mini(const struct cqesim_cq_reader *r, const uint8_t raw[8],
		      struct cqesim_completion *c)
{
	*c = r->title;
	c->session_i = r->i;
	c->wqe_counter = (uint16_t)(r->title.wqe_counter + r->i);
	if (r->format == CQESIM_MINI_HASH) {
		c->meta.rx_hash_res = (uint32_t)cqesim_be_load(raw, 4);
		c->meta.byte_cnt = (uint32_t)cqesim_be_load(raw + 4, 4);
		return;
	}

	struct cqesim_mini mini;
	cqesim_mini_decode(r->format, raw, &mini);
	c->meta.byte_cnt = mini.byte_cnt;
	if (r->format == CQESIM_MINI_CSUM || r->format == CQESIM_MINI_CSUM_STRIDX)
		c->meta.csum = mini.csum;
	if (r->format == CQESIM_MINI_FTAG_STRIDX)
		c->meta.flow_tag = mini.flow_tag;
	if (r->format == CQESIM_MINI_L34H_STRIDX)
		c->meta.l4_l3_hdr_type = mini.l4_l3_hdr_type;
	if (r->format != CQESIM_MINI_CSUM)
		c->wqe_counter = mini.stride_index;
}

static unsigned read_session(struct cqesim_cq_reader *r, struct cqesim_completion *out,
			     unsigned max)
{
	unsigned got = 0;

	while (got < max && r->i < r->n) {
		uint32_t array = r->i / CQESIM_MINIS_PER_ARRAY;
		uint32_t in_array = r->i % CQESIM_MINIS_PER_ARRAY;
		const uint8_t *minis =
			slot_of(r, r->ci + (array ? array * CQESIM_MINIS_PER_ARRAY : 1));

		for (; in_array < CQESIM_MINIS_PER_ARRAY && got < max && r->i < r->n; in_array++) {
			read_mini(r, minis + (size_t)in_array * CQESIM_MINI_BYTES, &out[got++]);
			r->i++;
		}
	}
	if (r->i == r->n)
		session_done(r);
	return got;
}

static int malformed(struct cqesim_cq_reader *r, uint32_t count, struct cqesim_cq_fault *fault)
{
	if (fault)
		*fault = (struct cqesim_cq_fault){
			.kind = count < 2 ? CQESIM_CQ_FAULT_SESSION_SHORT
					  : CQESIM_CQ_FAULT_SESSION_LONG,
			.index = r->ci,
			.slot = r->ci & r->mask,
			.count = count,
		};
	r->ci++;
	return -EBADMSG;
}

int cqesim_cq_poll(struct cqesim_cq_reader *r, struct cqesim_completion *out, unsigned max,
		   struct cqesim_cq_fault *fault)
{
	unsigned got = 0;

	while (got < max) {
		if (r->n) {
			got += read_session(r, out + got, max - got);
			continue;
		}
		const uint8_t *slot = slot_of(r, r->ci);
		uint8_t op_own = __atomic_load_n(&slot[CQESIM_OP_OWN_BYTE], __ATOMIC_ACQUIRE);

		if (!software_owns(op_own, r->ci, r->log_size))
			break;
		bool error = op_own >> 4 == CQESIM_OP_REQ_ERR || op_own >> 4 == CQESIM_OP_RESP_ERR;
		if ((op_own >> 2 & 3) != CQESIM_FORMAT_COMPRESSED || error) {
			read_plain(slot, op_own, r->ci, &out[got++]);
			r->ci++;
			continue;
		}
		uint32_t n = cqesim_cqe_get_byte_cnt(slot);
		if (n < 2 || n > r->mask + 1) {
			if (got) /* what is good first; this one is still there for the next call */
				break;
			return malformed(r, n, fault);
		}
		read_plain(slot, op_own, r->ci, &r->title);
		r->title.session_n = n;
		r->n = n;
		r->i = 0;
	}
	return (int)got;
}
