/* SPDX-License-Identifier: BSD-3-Clause */
/* The device's queues: made, moved from state to state, destroyed. */
#include <errno.h>
#include <stdlib.h>

#include "nic_internal.h"

/* A free place in a table of objects; grows it by one if there is none. */
static int place(void ***table, uint32_t *count, uint32_t *number)
{
	/* The tables are of void pointers: C lets no other pointer be written through void **. */
	for (uint32_t i = 0; i < *count; i++)
		if (!(*table)[i]) {
			*number = i + 1;
			return 0;
		}
	void **grown = realloc(*table, (*count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	grown[*count] = NULL;
	*table = grown;
	*number = ++*count;
	return 0;
}

int cqesim_nic_create_cq(struct cqesim_nic *nic, const struct cqesim_cq_attr *attr, uint32_t *cqn)
{
	struct nic_cq *cq = aligned_alloc(64, sizeof(*cq)); /* its type asks for whole lines */
	int rc;

	if (!cq)
		return -ENOMEM;
	memset(cq, 0, sizeof(*cq));
	bool compress = attr->cqe_comp_en && nic->config.compression != CQESIM_COMP_OFF;
	/* Queues that receive have receive completions. */
	rc = attr->address % CQESIM_CQE_BYTES || attr->mini_format >= CQESIM_MINI_FORMATS ? -EINVAL
											  : 0;
	if (!rc)
		rc = cqesim_cq_writer_init(&cq->writer, attr->ring,
					   &(struct cqesim_cq_shape){.log_size = attr->log_size,
								     .format = attr->mini_format,
								     .layout = attr->layout},
					   compress ? nic->config.comp_max : 2,
					   nic->config.comp_cross);
	if (!rc)
		rc = place(&nic->cq, &nic->cqs, &cq->number);
	if (rc) {
		free(cq);
		return rc;
	}
	cq->address = attr->address;
	cq->compress = compress;
	cq->counts_on =
		attr->mini_format == CQESIM_MINI_HASH || attr->mini_format == CQESIM_MINI_CSUM;
	cq->writer.observer = attr->observer;
	cq->writer.observer_context = attr->observer_context;
	cq->writer.observe_copies = attr->observer && attr->observe_copies;

	uint8_t carried[64];
	cqesim_mini_carries(attr->mini_format, carried);
	for (unsigned i = 0; i < 64; i++)
		cq->compare[i] = nic->config.comp_compare[i] & (uint8_t)~carried[i];
	nic->cq[cq->number - 1] = cq;
	*cqn = cq->number;
	return 0;
}

/* The queue over the memory that was handed in; how many completions it can leave unread. */
static int make_rq(struct nic_rq *rq, const struct cqesim_rq_attr *a)
{
	rq->striding = a->striding;
	if (a->striding) {
		int rc = cqesim_striding_rq_init(&rq->strides, a->ring, &a->strides, true, a->dbrec,
						 a->translate, a->translate_context, NULL);
		if (rc)
			return rc;
		rq->wqe_mask = (UINT32_C(1) << a->strides.log_wqes) - 1;
		rq->wqe_bytes = CQESIM_STRIDING_WQE_BYTES;
		uint64_t strides = (uint64_t)cqesim_strides_per_wqe(&a->strides)
				   << a->strides.log_wqes;
		rq->room = strides <= UINT32_MAX ? (uint32_t)strides : UINT32_MAX;
		return 0;
	}
	int rc = cqesim_rq_init(&rq->rq, a->ring, a->log_size, a->log_segs, a->dbrec, a->translate,
				a->translate_context);
	rq->wqe_mask = rq->rq.mask;
	rq->wqe_bytes = CQESIM_RQ_SEG_BYTES << a->log_segs;
	rq->room = rq->rq.mask + 1;
	return rc;
}

/* Reads of WQEs bring blocks of wqe_fetch bytes. */
static void plan_fetches(struct cqesim_nic *nic, struct nic_rq *rq, uint64_t address)
{
	uint32_t per_fetch = nic->config.wqe_fetch_bytes / rq->wqe_bytes;

	if (per_fetch > rq->wqe_mask + 1) /* not past the end of a small ring */
		per_fetch = rq->wqe_mask + 1;
	rq->fetch_mask = per_fetch > 1 ? per_fetch - 1 : 0;
	uint32_t fetch = (rq->fetch_mask + 1) * rq->wqe_bytes;
	/* Blocks on multiples of their size, within a page, all cost the same. */
	if (!(address & (fetch - 1)) && fetch <= 4096)
		cqesim_link_read(&nic->link, address, fetch, &rq->fetch_request,
				 &rq->fetch_completion);
	rq->address = address;
}

int cqesim_nic_create_rq(struct cqesim_nic *nic, const struct cqesim_rq_attr *attr, uint32_t *rqn)
{
	struct nic_cq *cq = nic_find_cq(nic, attr->cqn);
	struct nic_rq *rq;
	int rc;

	if (!cq)
		return -ENOENT;
	rq = calloc(1, sizeof(*rq));
	if (!rq)
		return -ENOMEM;
	rc = make_rq(rq, attr);
	if (!rc && rq->room > cq->writer.mask + 1 - cq->room)
		rc = -EINVAL; /* the ring could overrun: see the head of nic.h */
	if (!rc && cq->users && cq->striding != rq->striding)
		rc = -EINVAL;
	if (!rc)
		rc = place(&nic->rq, &nic->rqs, &rq->number);
	if (rc) {
		free(rq);
		return rc;
	}
	plan_fetches(nic, rq, attr->address);
	rq->user_index = attr->user_index & 0xffffff;
	rq->cq = cq;
	cq->users++;
	cq->room += rq->room;
	cq->striding = rq->striding;
	if (cq->striding) /* packets of two WQEs: no driver could tell whose strides they are */
		cqesim_field_mask(cqesim_cqe_rx_field("wqe_id"), cq->compare);
	nic->rq[rq->number - 1] = rq;
	*rqn = rq->number;
	return 0;
}

int cqesim_nic_modify_rq(struct cqesim_nic *nic, uint32_t rqn, enum cqesim_queue_state state,
			 uint64_t now_ps)
{
	struct nic_rq *rq = nic_find_rq(nic, rqn);

	if (!rq)
		return -ENOENT;
	if (!cqesim_queue_may_go(rq->state, state))
		return -EINVAL;
	if (rq->state == CQESIM_QUEUE_RDY)
		nic_lro_stop(rq, now_ps);
	if (rq->state == CQESIM_QUEUE_RDY && nic_session_is_open(rq->cq))
		nic_session_close(nic, rq->cq, now_ps, CQESIM_END_STOP, &(struct nic_load){0});
	if (state == CQESIM_QUEUE_RST) {
		rq->rq.ci = 0;
		rq->any_opened = false;
		rq->fetched_to = 0;
		rq->fetched_on = 0;
		if (rq->striding)
			cqesim_striding_rq_reset(&rq->strides);
	}
	rq->state = state;
	return 0;
}

int cqesim_nic_query_rq(const struct cqesim_nic *nic, uint32_t rqn, enum cqesim_queue_state *state,
			uint16_t *ci)
{
	const struct nic_rq *rq = nic_find_rq(nic, rqn);

	if (!rq)
		return -ENOENT;
	*state = rq->state;
	*ci = rq->striding ? rq->strides.at.index : rq->rq.ci;
	return 0;
}

int cqesim_nic_destroy_rq(struct cqesim_nic *nic, uint32_t rqn)
{
	struct nic_rq *rq = nic_find_rq(nic, rqn);

	if (!rq)
		return -ENOENT;
	rq->cq->users--;
	rq->cq->room -= rq->room;
	nic->rq[rqn - 1] = NULL;
	free(rq->lro);
	free(rq);
	return 0;
}

int cqesim_nic_destroy_cq(struct cqesim_nic *nic, uint32_t cqn)
{
	struct nic_cq *cq = nic_find_cq(nic, cqn);

	if (!cq)
		return -ENOENT;
	if (cq->users)
		return -EBUSY;
	if (nic_session_is_open(cq)) /* never to be published */
		nic_session_forget(nic, cq);
	nic->cq[cqn - 1] = NULL;
	free(cq);
	return 0;
}
