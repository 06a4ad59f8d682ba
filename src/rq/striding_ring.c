/* SPDX-License-Identifier: BSD-3-Clause */
/* Striding receive queues in memory, the device's side and the driver's: see rq.h. */
#include <errno.h>
#include <string.h>

#include "cqesim/rq.h"

#define DATA_SEG   16u /* in the WQE, behind the next segment */
#define NEXT_INDEX 2u  /* in the next segment */

static const uint8_t *wqe_at(const struct cqesim_striding_rq *rq, uint16_t index)
{
	uint32_t mask = (UINT32_C(1) << rq->at.shape.log_wqes) - 1;

	return rq->ring + (size_t)(index & mask) * CQESIM_STRIDING_WQE_BYTES;
}

/* What the next segment of that WQE says, cut to the ring. */
static uint16_t linked_next(void *context, uint16_t index)
{
	const struct cqesim_striding_rq *rq = context;

	return (uint16_t)(cqesim_be_load(wqe_at(rq, index) + NEXT_INDEX, 2) &
			  ((UINT32_C(1) << rq->at.shape.log_wqes) - 1));
}

int cqesim_striding_rq_init(struct cqesim_striding_rq *rq, const void *ring,
			    const struct cqesim_strides_shape *shape, bool extended,
			    const uint32_t *dbrec, cqesim_translate translate,
			    void *translate_context, struct cqesim_error *err)
{
	if (!ring || !dbrec || !translate)
		return cqesim_fail(err, -EINVAL,
				   "a striding queue needs ring, doorbell record and "
				   "translation");
	*rq = (struct cqesim_striding_rq){
		.ring = ring,
		.dbrec = dbrec,
		.translate = translate,
		.translate_context = translate_context,
	};
	return cqesim_strides_init(&rq->at, shape, extended, err);
}

void cqesim_striding_rq_reset(struct cqesim_striding_rq *rq)
{
	rq->at = (struct cqesim_strides){.shape = rq->at.shape};
}

/* What is posted by now, and how WQEs follow each other. */
static void look(struct cqesim_striding_rq *rq)
{
	/* Acquire: the WQEs behind the index are complete when the index is. */
	uint32_t pi = __builtin_bswap32(__atomic_load_n(rq->dbrec, __ATOMIC_ACQUIRE));

	rq->at.posted = (uint16_t)pi;
	rq->at.next = linked_next;
	rq->at.next_context = rq; /* each time, so that the structure may be copied */
}

uint32_t cqesim_striding_rq_credits(struct cqesim_striding_rq *rq)
{
	look(rq);
	return cqesim_strides_credits(&rq->at);
}

int cqesim_striding_rq_place(struct cqesim_striding_rq *rq, uint32_t length,
			     struct cqesim_placement *p, struct cqesim_rq_seg *seg)
{
	look(rq);
	int rc = cqesim_strides_place(&rq->at, length, p);

	return rc ? rc : cqesim_striding_rq_piece(rq, p, 0, length, seg);
}

int cqesim_striding_rq_piece(const struct cqesim_striding_rq *rq, const struct cqesim_placement *p,
			     uint32_t from, uint32_t length, struct cqesim_rq_seg *seg)
{
	const uint8_t *data = wqe_at(rq, p->wqe) + DATA_SEG;
	uint32_t bytes = (uint32_t)cqesim_be_load(data, 4) & 0x7fffffff;

	seg->lkey = (uint32_t)cqesim_be_load(data + 4, 4);
	seg->address = cqesim_be_load(data + 8, 8) + p->offset + from;
	seg->length = length;
	seg->memory = NULL;
	if (p->offset + from + length > bytes)
		return -EFAULT;
	seg->memory = rq->translate(rq->translate_context, seg->lkey, seg->address, length);
	return seg->memory ? 0 : -EFAULT;
}

int cqesim_striding_poster_init(struct cqesim_striding_poster *p, void *ring,
				const struct cqesim_strides_shape *shape, uint32_t *dbrec)
{
	if (!ring || !dbrec || shape->log_wqes > CQESIM_RQ_LOG_MAX)
		return -EINVAL;
	*p = (struct cqesim_striding_poster){
		.ring = ring,
		.dbrec = dbrec,
		.mask = (UINT32_C(1) << shape->log_wqes) - 1,
		.linked_list = shape->linked_list,
	};
	memset(ring, 0, ((size_t)p->mask + 1) * CQESIM_STRIDING_WQE_BYTES);
	return 0;
}

int cqesim_striding_post(struct cqesim_striding_poster *p, uint16_t place,
			 const struct cqesim_rq_seg *seg)
{
	uint8_t *wqe = p->ring + (size_t)place * CQESIM_STRIDING_WQE_BYTES;
	/* Cyclic, and where a linked list begins: the place is known. */
	bool fixed = !p->linked_list || !p->has_tail;

	if (place > p->mask || (fixed && place != (p->pi & p->mask)))
		return -EINVAL;
	cqesim_be_store(wqe + DATA_SEG, 4, seg->length);
	cqesim_be_store(wqe + DATA_SEG + 4, 4, seg->lkey);
	cqesim_be_store(wqe + DATA_SEG + 8, 8, seg->address);
	if (p->linked_list && p->has_tail)
		cqesim_be_store(p->ring + (size_t)p->tail * CQESIM_STRIDING_WQE_BYTES + NEXT_INDEX,
				2, place);
	p->tail = place;
	p->has_tail = true;
	p->pi++;
	return 0;
}
