/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devx_queues.c - completion, receive and send queues: from contexts to card.h's
 * structures.  An object keeps its context as it was given, for queries; its number
 * is the card's, since queues made by verbs are numbered there too.
 */
#include <errno.h>
#include <string.h>

#include "emu/devx.h"

/* mlx5_prm.h MLX5_WQ_TYPE_* */
enum { WQ_CYCLIC = 1, WQ_CYCLIC_STRIDING = 3 };
/* MLX5_RQC_STATE_*, MLX5_SQC_STATE_* */
enum { STATE_RST = 0, STATE_RDY = 1, STATE_ERR = 3 };
/* MLX5_MODIFY_RQ_IN_MODIFY_BITMASK_* */
enum { MODIFY_LWM = 1, MODIFY_VSD = 2, MODIFY_SCATTER_FCS = 4, MODIFY_COUNTER = 8 };

/* MLX5_MIN_SINGLE_WQE_LOG_NUM_STRIDES, MLX5_MIN_SINGLE_STRIDE_LOG_NUM_BYTES */
#define LOG_STRIDES_BASE      9
#define LOG_STRIDE_BYTES_BASE 6
#define SQ_LOG_STRIDE         6u /* send WQEs are counted in blocks of 64 bytes */

enum devx_syndrome devx_of_card(int error)
{
	switch (error) {
	case 0:
		return DEVX_SYND_FINE;
	case -ENOENT:
		return DEVX_SYND_NO_REFERENCE;
	case -EBUSY:
		return DEVX_SYND_BUSY;
	case -ENOMEM:
		return DEVX_SYND_LIMIT;
	default:
		return DEVX_SYND_REFUSED;
	}
}

/* ---- memory ---- */

/* Ring and doorbell record of a receive or send queue. */
static enum devx_syndrome locate_wq(const uint8_t *wq, void **ring, void **record)
{
	const struct devx_place rings = {
		.umem = (uint32_t)DEVX_GET(wq, wq, wq_umem_id),
		.offset = DEVX_GET(wq, wq, wq_umem_offset),
		.length = (size_t)1
			  << (DEVX_GET(wq, wq, log_wq_sz) + DEVX_GET(wq, wq, log_wq_stride)),
		.align = 16,
	};
	const struct devx_place records = {
		.umem = (uint32_t)DEVX_GET(wq, wq, dbr_umem_id),
		.offset = DEVX_GET(wq, wq, dbr_addr),
		.length = 8,
		.align = 8,
	};
	enum devx_syndrome synd;

	if (!DEVX_GET(wq, wq, wq_umem_valid) || !DEVX_GET(wq, wq, dbr_umem_valid))
		return DEVX_SYND_NOT_UMEM;
	synd = devx_locate(&rings, ring);
	return synd ? synd : devx_locate(&records, record);
}

/* ---- completion queues ---- */

static enum devx_syndrome cq_attributes(const uint8_t *in, const uint8_t *cqc,
					struct cqesim_card_cq *cq)
{
	const struct devx_place ring = {
		.umem = (uint32_t)DEVX_GET(in, create_cq_in, cq_umem_id),
		.offset = DEVX_GET(in, create_cq_in, cq_umem_offset),
		.length = (size_t)64 << DEVX_GET(cqc, cqc, log_cq_size),
		.align = 64,
	};
	const struct devx_place record = {
		.umem = (uint32_t)DEVX_GET(cqc, cqc, dbr_umem_id),
		.offset = DEVX_GET(cqc, cqc, dbr_addr),
		.length = 8,
		.align = 8,
	};
	void *rings = NULL, *records = NULL;
	enum devx_syndrome synd = devx_locate(&ring, &rings);

	if (!synd)
		synd = devx_locate(&record, &records);
	*cq = (struct cqesim_card_cq){
		.ring = rings,
		.address = (uintptr_t)rings,
		.log_size = (unsigned)DEVX_GET(cqc, cqc, log_cq_size),
		.cqe_comp_en = DEVX_GET(cqc, cqc, cqe_comp_en),
		/* Number 4 is 0 with ext 1 (DPDK mlx5_rxq_create_devx_cq_resources). */
		.mini_format =
			(enum cqesim_mini_format)(DEVX_GET(cqc, cqc, mini_cqe_res_format) |
						  DEVX_GET(cqc, cqc, mini_cqe_res_format_ext) << 2),
		.layout =
			DEVX_GET(cqc, cqc, cqe_comp_layout) ? CQESIM_CQ_ENHANCED : CQESIM_CQ_BASIC,
		.dbrec = records,
	};
	return synd;
}

enum devx_syndrome devx_create_cq(struct devx_call *call)
{
	const uint8_t *cqc = DEVX_PART(call->in, create_cq_in, cq_context);
	struct cqesim_card_cq cq;
	enum devx_syndrome synd;

	if (!DEVX_GET(call->in, create_cq_in, cq_umem_valid) || !DEVX_GET(cqc, cqc, dbr_umem_valid))
		return DEVX_SYND_NOT_UMEM;
	if (DEVX_GET(cqc, cqc, cqe_sz))
		return DEVX_SYND_CQE_SIZE;
	synd = cq_attributes(call->in, cqc, &cq);
	if (synd)
		return synd;
	if ((unsigned)cq.mini_format >= CQESIM_MINI_FORMATS ||
	    DEVX_GET(cqc, cqc, cqe_comp_layout) > 1)
		return DEVX_SYND_MINI_FORMAT;
	synd = devx_of_card(cqesim_card_create_cq(emu.card, &cq, &call->object->card));
	if (synd)
		return synd;
	call->object->number = call->object->card;
	memcpy(call->object->context, cqc, DEVX_BYTES_cqc);
	devx_hold(call->object, (uint32_t)DEVX_GET(call->in, create_cq_in, cq_umem_id),
		  (uint32_t)DEVX_GET(cqc, cqc, dbr_umem_id));
	return DEVX_SYND_FINE;
}

enum devx_syndrome devx_query_cq(struct devx_call *call)
{
	memcpy(DEVX_PART(call->out, query_cq_out, cq_context), call->object->context,
	       DEVX_BYTES_cqc);
	return DEVX_SYND_FINE;
}

/* ---- states ---- */

static bool state_of(uint64_t prm, enum cqesim_queue_state *state)
{
	switch (prm) {
	case STATE_RST:
		*state = CQESIM_QUEUE_RST;
		return true;
	case STATE_RDY:
		*state = CQESIM_QUEUE_RDY;
		return true;
	case STATE_ERR:
		*state = CQESIM_QUEUE_ERR;
		return true;
	default:
		return false;
	}
}

static unsigned prm_of(enum cqesim_queue_state state)
{
	return state == CQESIM_QUEUE_ERR   ? STATE_ERR
	       : state == CQESIM_QUEUE_RDY ? STATE_RDY
					   : STATE_RST;
}

/* ---- receive queues ---- */

static enum devx_syndrome rq_shape(const uint8_t *wq, struct cqesim_card_rq *rq)
{
	unsigned type = (unsigned)DEVX_GET(wq, wq, wq_type);
	unsigned log_stride = (unsigned)DEVX_GET(wq, wq, log_wq_stride);
	unsigned log_size = (unsigned)DEVX_GET(wq, wq, log_wq_sz);
	int log_strides = (int)DEVX_GET(wq, wq, single_wqe_log_num_of_strides);

	rq->log_size = log_size;
	if (type == WQ_CYCLIC && log_stride >= 4) {
		rq->log_segs = log_stride - 4;
		return DEVX_SYND_FINE;
	}
	/* Next segment and data segment: DPDK struct mlx5_wqe_mprq. */
	if (type != WQ_CYCLIC_STRIDING || log_stride != 5)
		return DEVX_SYND_WQ_TYPE;
	rq->striding = true;
	rq->strides = (struct cqesim_strides_shape){
		.log_wqes = log_size,
		/* Four bits with a sign where there are fewer strides than 2^9. */
		.log_strides = (unsigned)(LOG_STRIDES_BASE +
					  (log_strides < 8 ? log_strides : log_strides - 16)),
		.log_stride_bytes = LOG_STRIDE_BYTES_BASE +
				    (unsigned)DEVX_GET(wq, wq, single_stride_log_num_of_bytes),
		.two_byte_shift = DEVX_GET(wq, wq, two_byte_shift_en),
	};
	return DEVX_SYND_FINE;
}

static enum devx_syndrome rq_attributes(const uint8_t *rqc, struct cqesim_card_rq *rq)
{
	const uint8_t *wq = DEVX_PART(rqc, rqc, wq);
	uint64_t counter = DEVX_GET(rqc, rqc, counter_set_id);
	void *ring = NULL, *record = NULL;
	enum devx_syndrome synd;

	if (DEVX_GET(rqc, rqc, hairpin) || DEVX_GET(rqc, rqc, mem_rq_type))
		return DEVX_SYND_QUEUE_KIND;
	if (DEVX_GET(rqc, rqc, state) != STATE_RST)
		return DEVX_SYND_STATE;
	if (counter && !devx_object_find(DEVX_Q_COUNTER, counter))
		return DEVX_SYND_NO_REFERENCE;
	*rq = (struct cqesim_card_rq){
		.cqn = (uint32_t)DEVX_GET(rqc, rqc, cqn),
		.user_index = (uint32_t)DEVX_GET(rqc, rqc, user_index),
		.vlan_strip = !DEVX_GET(rqc, rqc, vsd), /* "VLAN strip disable" */
		.keep_fcs = DEVX_GET(rqc, rqc, scatter_fcs),
	};
	synd = rq_shape(wq, rq);
	if (!synd)
		synd = locate_wq(wq, &ring, &record);
	rq->ring = ring;
	rq->address = (uintptr_t)ring;
	rq->dbrec = record;
	return synd;
}

static void hold_wq(struct emu_object *object, const uint8_t *wq)
{
	devx_hold(object, (uint32_t)DEVX_GET(wq, wq, wq_umem_id),
		  (uint32_t)DEVX_GET(wq, wq, dbr_umem_id));
}

enum devx_syndrome devx_create_rq(struct devx_call *call)
{
	const uint8_t *rqc = DEVX_PART(call->in, create_rq_in, ctx);
	struct cqesim_card_rq rq;
	enum devx_syndrome synd = rq_attributes(rqc, &rq);

	if (!synd)
		synd = devx_of_card(cqesim_card_create_rq(emu.card, &rq, &call->object->card));
	if (synd)
		return synd;
	call->object->number = call->object->card;
	memcpy(call->object->context, rqc, DEVX_BYTES_rqc);
	hold_wq(call->object, DEVX_PART(rqc, rqc, wq));
	return DEVX_SYND_FINE;
}

/* What the bits name, from `rqc` into a copy of the queue's own context. */
static enum devx_syndrome merge_rq(uint8_t *own, uint64_t bits, const uint8_t *rqc)
{
	uint64_t counter = DEVX_GET(rqc, rqc, counter_set_id);

	if (bits & ~(uint64_t)(MODIFY_LWM | MODIFY_VSD | MODIFY_SCATTER_FCS | MODIFY_COUNTER))
		return DEVX_SYND_MODIFY_BITS;
	if (bits & MODIFY_COUNTER && counter && !devx_object_find(DEVX_Q_COUNTER, counter))
		return DEVX_SYND_NO_REFERENCE;
	if (bits & MODIFY_VSD)
		DEVX_SET(own, rqc, vsd, DEVX_GET(rqc, rqc, vsd));
	if (bits & MODIFY_SCATTER_FCS)
		DEVX_SET(own, rqc, scatter_fcs, DEVX_GET(rqc, rqc, scatter_fcs));
	if (bits & MODIFY_COUNTER)
		DEVX_SET(own, rqc, counter_set_id, counter);
	if (bits & MODIFY_LWM)
		DEVX_SET(DEVX_PART(own, rqc, wq), wq, lwm,
			 DEVX_GET(DEVX_PART(rqc, rqc, wq), wq, lwm));
	return DEVX_SYND_FINE;
}

enum devx_syndrome devx_modify_rq(struct devx_call *call)
{
	const uint8_t *rqc = DEVX_PART(call->in, modify_rq_in, ctx);
	uint32_t rqn = call->object->card;
	uint8_t own[DEVX_BYTES_rqc];
	enum cqesim_queue_state said, to, now;
	enum devx_syndrome synd = devx_of_card(cqesim_card_query_rq(emu.card, rqn, &now));

	if (synd)
		return synd;
	if (!state_of(DEVX_GET(call->in, modify_rq_in, rq_state), &said) ||
	    !state_of(DEVX_GET(rqc, rqc, state), &to) || said != now)
		return DEVX_SYND_STATE;
	memcpy(own, call->object->context, sizeof(own));
	synd = merge_rq(own, DEVX_GET(call->in, modify_rq_in, modify_bitmask), rqc);
	if (synd)
		return synd;
	if (to != now && cqesim_card_modify_rq(emu.card, rqn, to, emu_now_ps()))
		return DEVX_SYND_STATE;
	memcpy(call->object->context, own, sizeof(own));
	return devx_of_card(cqesim_card_modify_rq_offloads(emu.card, rqn, !DEVX_GET(own, rqc, vsd),
							   DEVX_GET(own, rqc, scatter_fcs)));
}

enum devx_syndrome devx_query_rq(struct devx_call *call)
{
	uint8_t *rqc = DEVX_PART(call->out, query_rq_out, rq_context);
	enum cqesim_queue_state state;
	enum devx_syndrome synd =
		devx_of_card(cqesim_card_query_rq(emu.card, call->object->card, &state));

	if (synd)
		return synd;
	memcpy(rqc, call->object->context, DEVX_BYTES_rqc);
	DEVX_SET(rqc, rqc, state, prm_of(state));
	return DEVX_SYND_FINE;
}

/* ---- send queues ---- */

static enum devx_syndrome sq_attributes(const uint8_t *sqc, struct cqesim_card_sq *sq)
{
	const uint8_t *wq = DEVX_PART(sqc, sqc, wq);
	void *ring = NULL, *record = NULL;
	enum devx_syndrome synd;

	if (DEVX_GET(sqc, sqc, hairpin) || DEVX_GET(sqc, sqc, non_wire) ||
	    DEVX_GET(sqc, sqc, static_sq_wq))
		return DEVX_SYND_QUEUE_KIND;
	if (DEVX_GET(sqc, sqc, state) != STATE_RST)
		return DEVX_SYND_STATE;
	if (DEVX_GET(wq, wq, wq_type) != WQ_CYCLIC ||
	    DEVX_GET(wq, wq, log_wq_stride) != SQ_LOG_STRIDE)
		return DEVX_SYND_WQ_TYPE;
	if (DEVX_GET(sqc, sqc, tis_lst_sz) &&
	    !devx_object_find(DEVX_TIS, DEVX_GET(sqc, sqc, tis_num_0)))
		return DEVX_SYND_NO_REFERENCE;
	synd = locate_wq(wq, &ring, &record);
	*sq = (struct cqesim_card_sq){
		.ring = ring,
		.address = (uintptr_t)ring,
		.log_size = (unsigned)DEVX_GET(wq, wq, log_wq_sz),
		.dbrec = record,
		.cqn = (uint32_t)DEVX_GET(sqc, sqc, cqn),
	};
	return synd;
}

enum devx_syndrome devx_create_sq(struct devx_call *call)
{
	const uint8_t *sqc = DEVX_PART(call->in, create_sq_in, ctx);
	struct cqesim_card_sq sq;
	enum devx_syndrome synd = sq_attributes(sqc, &sq);

	if (!synd)
		synd = devx_of_card(cqesim_card_create_sq(emu.card, &sq, &call->object->card));
	if (synd)
		return synd;
	call->object->number = call->object->card;
	memcpy(call->object->context, sqc, DEVX_BYTES_sqc);
	hold_wq(call->object, DEVX_PART(sqc, sqc, wq));
	return DEVX_SYND_FINE;
}

enum devx_syndrome devx_modify_sq(struct devx_call *call)
{
	const uint8_t *sqc = DEVX_PART(call->in, modify_sq_in, ctx);
	enum cqesim_queue_state said, to, now;
	enum devx_syndrome synd =
		devx_of_card(cqesim_card_query_sq(emu.card, call->object->card, &now));

	if (synd)
		return synd;
	if (!state_of(DEVX_GET(call->in, modify_sq_in, sq_state), &said) ||
	    !state_of(DEVX_GET(sqc, sqc, state), &to) || said != now)
		return DEVX_SYND_STATE;
	if (DEVX_GET(call->in, modify_sq_in, modify_bitmask))
		return DEVX_SYND_MODIFY_BITS; /* rates and hairpin peers */
	if (to != now && cqesim_card_modify_sq(emu.card, call->object->card, to, emu_now_ps()))
		return DEVX_SYND_STATE;
	return DEVX_SYND_FINE;
}

enum devx_syndrome devx_query_sq(struct devx_call *call)
{
	uint8_t *sqc = DEVX_PART(call->out, query_sq_out, sq_context);
	enum cqesim_queue_state state;
	enum devx_syndrome synd =
		devx_of_card(cqesim_card_query_sq(emu.card, call->object->card, &state));

	if (synd)
		return synd;
	memcpy(sqc, call->object->context, DEVX_BYTES_sqc);
	DEVX_SET(sqc, sqc, state, prm_of(state));
	return DEVX_SYND_FINE;
}
