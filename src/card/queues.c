/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion, receive and send queues as objects.  A completion queue becomes a
 * receiving one, inside the device, or a sending one, here, with its first queue.
 */
#include <stdlib.h>

#include "card_internal.h"

/* 2^15 basic blocks (PMD max_qp_wr); 16 bits count them. */
#define SQ_LOG_MAX 15u

static int add(struct cqesim_card *card, enum cqesim_card_object object, void *item,
	       const void *attr, uint32_t *number)
{
	int rc = card_table_add(&card->table[object], item, number);

	if (rc)
		free(item);
	else
		card_emit(card, &(struct cqesim_card_event){
					.kind = CQESIM_EVENT_CREATE,
					.object = object,
					.number = *number,
					.attr = attr,
				});
	return rc;
}

static void take_away(struct cqesim_card *card, enum cqesim_card_object object, uint32_t number)
{
	card_inject_forget(card, object, number);
	free(card_find(card, object, number));
	card_table_remove(&card->table[object], number);
	card_tell(card, CQESIM_EVENT_DESTROY, object, number, 0);
}

/* ---- completion queues ---- */

int cqesim_card_create_cq(struct cqesim_card *card, const struct cqesim_card_cq *attr,
			  uint32_t *cqn)
{
	struct cqesim_cq_shape shape = {
		.log_size = attr->log_size, .format = attr->mini_format, .layout = attr->layout};

	if (attr->cqe_128)
		return -ENOTSUP;
	if (!attr->ring || !attr->dbrec || (uintptr_t)attr->ring % CQESIM_CQE_BYTES ||
	    attr->address % CQESIM_CQE_BYTES || attr->mini_format >= CQESIM_MINI_FORMATS ||
	    cqesim_cq_shape_check(&shape))
		return -EINVAL;
	struct card_cq *cq = aligned_alloc(64, sizeof(*cq)); /* its writer asks for whole lines */
	if (!cq)
		return -ENOMEM;
	*cq = (struct card_cq){.card = card, .attr = *attr};
	int rc = add(card, CQESIM_OBJECT_CQ, cq, attr, cqn);
	if (!rc)
		cq->number = *cqn;
	return rc;
}

static void slot_written(void *context, uint32_t slot, const uint8_t raw[64])
{
	card_tell_slot(context, slot, raw);
}

static int begin_receiving(struct card_cq *cq)
{
	struct cqesim_card *card = cq->card;
	struct cqesim_cq_attr attr = {
		.ring = cq->attr.ring,
		.address = cq->attr.address,
		.log_size = cq->attr.log_size,
		.cqe_comp_en = cq->attr.cqe_comp_en,
		.mini_format = cq->attr.mini_format,
		.layout = cq->attr.layout,
		.observer = card->config.tell_packets ? slot_written : NULL,
		.observer_context = cq,
		.observe_copies = true,
	};
	int rc = cqesim_nic_create_cq(card->nic, &attr, &cq->nic_cqn);

	if (rc)
		return rc;
	if (cq->nic_cqn > card->by_nic_cqns) {
		struct card_cq **more =
			realloc(card->by_nic_cqn, cq->nic_cqn * sizeof(struct card_cq *));

		if (!more) {
			cqesim_nic_destroy_cq(card->nic, cq->nic_cqn);
			return -ENOMEM;
		}
		card->by_nic_cqn = more;
		card->by_nic_cqns = cq->nic_cqn;
	}
	card->by_nic_cqn[cq->nic_cqn - 1] = cq;
	return 0;
}

static int begin_sending(struct card_cq *cq)
{
	int rc = cqesim_cq_writer_init(
		&cq->writer, cq->attr.ring,
		&(struct cqesim_cq_shape){.log_size = cq->attr.log_size, .layout = cq->attr.layout},
		2, false);

	if (!rc && cq->card->config.tell_packets) {
		cq->writer.observer = slot_written;
		cq->writer.observer_context = cq;
		cq->writer.observe_copies = true;
	}
	return rc;
}

int card_cq_take(struct card_cq *cq, enum card_use use)
{
	int rc = 0;

	if (cq->use == CARD_UNUSED)
		rc = use == CARD_RECEIVES ? begin_receiving(cq) : begin_sending(cq);
	else if (cq->use != use)
		rc = -EINVAL;
	if (!rc) {
		cq->use = use;
		cq->users++;
	}
	return rc;
}

void card_cq_leave(struct card_cq *cq)
{
	cq->users--;
}

int cqesim_card_notify_cq(struct cqesim_card *card, uint32_t cqn)
{
	struct card_cq *cq = card_find(card, CQESIM_OBJECT_CQ, cqn);

	if (!cq)
		return -ENOENT;
	cq->notify = cq->armed = true;
	return 0;
}

int cqesim_card_destroy_cq(struct cqesim_card *card, uint32_t cqn)
{
	struct card_cq *cq = card_find(card, CQESIM_OBJECT_CQ, cqn);

	if (!cq)
		return -ENOENT;
	if (cq->users)
		return card_busy(card, CQESIM_OBJECT_CQ, cqn);
	if (cq->use == CARD_RECEIVES)
		cqesim_nic_destroy_cq(card->nic, cq->nic_cqn);
	take_away(card, CQESIM_OBJECT_CQ, cqn);
	return 0;
}

/* ---- receive queues ---- */

int cqesim_card_create_rq(struct cqesim_card *card, const struct cqesim_card_rq *attr,
			  uint32_t *rqn)
{
	struct card_cq *cq = card_find(card, CQESIM_OBJECT_CQ, attr->cqn);

	if (!cq)
		return -ENOENT;
	struct card_rq *rq = calloc(1, sizeof(*rq));
	if (!rq)
		return -ENOMEM;
	*rq = (struct card_rq){
		.cq = cq,
		.dbrec = attr->dbrec,
		.room = attr->striding ? 0 : UINT32_C(1) << (attr->log_size & 31),
		.vlan_strip = attr->vlan_strip,
		.keep_fcs = attr->keep_fcs,
		.per_wqe = attr->striding ? cqesim_strides_per_wqe(&attr->strides) : 1,
		.stride_bytes =
			attr->striding ? UINT32_C(1) << (attr->strides.log_stride_bytes & 31) : 0,
		.inject_at = UINT64_MAX,
		.ring = attr->ring,
		.wqe_bytes = attr->striding ? CQESIM_STRIDING_WQE_BYTES
					    : CQESIM_RQ_SEG_BYTES << (attr->log_segs & 15),
		.wqe_mask = (UINT32_C(1)
			     << ((attr->striding ? attr->strides.log_wqes : attr->log_size) & 31)) -
			    1,
	};
	int rc = card_cq_take(cq, CARD_RECEIVES);
	if (rc) {
		free(rq);
		return rc;
	}
	struct cqesim_rq_attr nic_attr = {
		.ring = attr->ring,
		.address = attr->address,
		.log_size = attr->log_size,
		.log_segs = attr->log_segs,
		.striding = attr->striding,
		.strides = attr->strides,
		.dbrec = attr->dbrec,
		.cqn = cq->nic_cqn,
		.user_index = attr->user_index,
		.translate = card->config.translate,
		.translate_context = card->config.translate_context,
	};
	rc = cqesim_nic_create_rq(card->nic, &nic_attr, &rq->nic_rqn);
	if (rc) {
		free(rq);
	} else {
		uint32_t nic_rqn = rq->nic_rqn;

		rc = add(card, CQESIM_OBJECT_RQ, rq, attr, rqn);
		if (rc)
			cqesim_nic_destroy_rq(card->nic, nic_rqn);
		else
			rq->number = *rqn;
	}
	if (rc)
		card_cq_leave(cq);
	return rc;
}

int cqesim_card_modify_rq(struct cqesim_card *card, uint32_t rqn, enum cqesim_queue_state state,
			  uint64_t now_ps)
{
	struct card_rq *rq = card_find(card, CQESIM_OBJECT_RQ, rqn);

	if (!rq)
		return -ENOENT;
	card->now_ps = now_ps;
	int rc = cqesim_nic_modify_rq(card->nic, rq->nic_rqn, state, now_ps);
	if (rc)
		return rc;
	rq->state = state;
	rq->open = false;
	card->changed = true;
	card_tell(card, CQESIM_EVENT_MODIFY, CQESIM_OBJECT_RQ, rqn, state);
	if (state == CQESIM_QUEUE_ERR)
		cqesim_nic_flush_rq(card->nic, rq->nic_rqn, now_ps);
	if (state == CQESIM_QUEUE_RST)
		rq->posted = 0;
	if (state == CQESIM_QUEUE_RDY)
		rq->cq->touched = true;
	return 0;
}

int cqesim_card_modify_rq_offloads(struct cqesim_card *card, uint32_t rqn, bool vlan_strip,
				   bool keep_fcs)
{
	struct card_rq *rq = card_find(card, CQESIM_OBJECT_RQ, rqn);

	if (!rq)
		return -ENOENT;
	rq->vlan_strip = vlan_strip;
	rq->keep_fcs = keep_fcs;
	return 0;
}

int cqesim_card_query_rq(const struct cqesim_card *card, uint32_t rqn,
			 enum cqesim_queue_state *state)
{
	const struct card_rq *rq = card_find(card, CQESIM_OBJECT_RQ, rqn);

	if (!rq)
		return -ENOENT;
	*state = rq->state;
	return 0;
}

int cqesim_card_destroy_rq(struct cqesim_card *card, uint32_t rqn)
{
	struct card_rq *rq = card_find(card, CQESIM_OBJECT_RQ, rqn);

	if (!rq)
		return -ENOENT;
	if (rq->users)
		return card_busy(card, CQESIM_OBJECT_RQ, rqn);
	if (rq->state == CQESIM_QUEUE_RDY) /* an open session is published: its packets are there */
		cqesim_nic_modify_rq(card->nic, rq->nic_rqn, CQESIM_QUEUE_RST, card->now_ps);
	cqesim_nic_destroy_rq(card->nic, rq->nic_rqn);
	card_cq_leave(rq->cq);
	card->changed = true;
	take_away(card, CQESIM_OBJECT_RQ, rqn);
	return 0;
}

/* ---- send queues ---- */

int cqesim_card_create_sq(struct cqesim_card *card, const struct cqesim_card_sq *attr,
			  uint32_t *sqn)
{
	struct card_cq *cq = card_find(card, CQESIM_OBJECT_CQ, attr->cqn);

	if (!cq)
		return -ENOENT;
	if (!attr->ring || !attr->dbrec || attr->log_size > SQ_LOG_MAX)
		return -EINVAL;
	struct card_sq *sq = calloc(1, sizeof(*sq));
	if (!sq)
		return -ENOMEM;
	*sq = (struct card_sq){
		.cq = cq,
		.attr = *attr,
		.mask = (UINT32_C(1) << attr->log_size) - 1,
		.inject_at = UINT64_MAX,
	};
	int rc = card_cq_take(cq, CARD_SENDS);
	if (rc) {
		free(sq);
		return rc;
	}
	rc = add(card, CQESIM_OBJECT_SQ, sq, attr, sqn);
	if (rc)
		card_cq_leave(cq);
	else
		sq->number = *sqn;
	return rc;
}

int cqesim_card_modify_sq(struct cqesim_card *card, uint32_t sqn, enum cqesim_queue_state state,
			  uint64_t now_ps)
{
	struct card_sq *sq = card_find(card, CQESIM_OBJECT_SQ, sqn);

	if (!sq)
		return -ENOENT;
	if (!cqesim_queue_may_go(sq->state, state))
		return -EINVAL;
	card->now_ps = now_ps;
	sq->state = state;
	card_tell(card, CQESIM_EVENT_MODIFY, CQESIM_OBJECT_SQ, sqn, state);
	if (state == CQESIM_QUEUE_ERR)
		card_flush_sq(card, sq);
	if (state == CQESIM_QUEUE_RST) {
		sq->pi = sq->ci = 0;
		sq->offset = 0;
		sq->begun = false;
		sq->fetched = 0;
	}
	if (state == CQESIM_QUEUE_RDY) {
		sq->cq->touched = true;
		sq->stale = __atomic_load_n(&sq->attr.dbrec[1], __ATOMIC_ACQUIRE);
	}
	return 0;
}

int cqesim_card_query_sq(const struct cqesim_card *card, uint32_t sqn,
			 enum cqesim_queue_state *state)
{
	const struct card_sq *sq = card_find(card, CQESIM_OBJECT_SQ, sqn);

	if (!sq)
		return -ENOENT;
	*state = sq->state;
	return 0;
}

int cqesim_card_destroy_sq(struct cqesim_card *card, uint32_t sqn)
{
	struct card_sq *sq = card_find(card, CQESIM_OBJECT_SQ, sqn);

	if (!sq)
		return -ENOENT;
	card_cq_leave(sq->cq);
	take_away(card, CQESIM_OBJECT_SQ, sqn);
	return 0;
}
