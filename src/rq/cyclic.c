/* SPDX-License-Identifier: BSD-3-Clause */
/* Cyclic receive queues: see rq.h. */
#include <errno.h>

#include "cqesim/cqe.h"
#include "cqesim/rq.h"

static bool shape_is_bad(const void *ring, const void *dbrec, unsigned log_size, unsigned log_segs)
{
	return !ring || !dbrec || log_size > CQESIM_RQ_LOG_MAX || log_segs > CQESIM_RQ_LOG_SEGS_MAX;
}

int cqesim_rq_init(struct cqesim_rq *rq, const void *ring, unsigned log_size, unsigned log_segs,
		   const uint32_t *dbrec, cqesim_translate translate, void *translate_context)
{
	if (shape_is_bad(ring, dbrec, log_size, log_segs) || !translate)
		return -EINVAL;
	*rq = (struct cqesim_rq){
		.ring = ring,
		.dbrec = dbrec,
		.mask = (UINT32_C(1) << log_size) - 1,
		.log_size = log_size,
		.log_segs = log_segs,
		.translate = translate,
		.translate_context = translate_context,
	};
	return 0;
}

int cqesim_rq_buffer(const struct cqesim_rq *rq, uint32_t length,
		     struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX], uint32_t *length_fits)
{
	return cqesim_rq_buffer_at(rq, rq->ci, 0, length, seg, length_fits);
}

int cqesim_rq_buffer_at(const struct cqesim_rq *rq, uint16_t index, uint32_t from, uint32_t length,
			struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX],
			uint32_t *length_fits)
{
	const uint8_t *wqe =
		rq->ring + ((size_t)(index & rq->mask) << rq->log_segs) * CQESIM_RQ_SEG_BYTES;
	const uint8_t *end = wqe + ((size_t)CQESIM_RQ_SEG_BYTES << rq->log_segs);
	uint32_t left = length;
	int n = 0;

	for (; left && wqe < end; wqe += CQESIM_RQ_SEG_BYTES) {
		uint32_t bytes = (uint32_t)cqesim_be_load(wqe, 4) & 0x7fffffff;
		uint32_t lkey = (uint32_t)cqesim_be_load(wqe + 4, 4);
		struct cqesim_rq_seg *s = &seg[n];

		if (!bytes || lkey == CQESIM_RQ_INVALID_LKEY)
			break;
		if (from >= bytes) {
			from -= bytes;
			continue;
		}
		bytes -= from;
		n++;
		s->lkey = lkey;
		s->address = cqesim_be_load(wqe + 8, 8) + from;
		s->length = bytes < left ? bytes : left;
		from = 0;
		s->memory = rq->translate(rq->translate_context, lkey, s->address, s->length);
		if (!s->memory)
			return -EFAULT;
		left -= s->length;
	}
	if (!left)
		return n;
	if (length_fits)
		*length_fits = length - left;
	return -ENOSPC;
}

int cqesim_rq_poster_init(struct cqesim_rq_poster *p, void *ring, unsigned log_size,
			  unsigned log_segs, uint32_t *dbrec)
{
	if (shape_is_bad(ring, dbrec, log_size, log_segs))
		return -EINVAL;
	*p = (struct cqesim_rq_poster){
		.ring = ring,
		.dbrec = dbrec,
		.mask = (UINT32_C(1) << log_size) - 1,
		.log_segs = log_segs,
	};
	return 0;
}

int cqesim_rq_post(struct cqesim_rq_poster *p, const struct cqesim_rq_seg *seg, unsigned n)
{
	unsigned room = 1u << p->log_segs;

	if (!n || n > room)
		return -EINVAL;
	uint8_t *wqe = p->ring + ((size_t)(p->pi & p->mask) << p->log_segs) * CQESIM_RQ_SEG_BYTES;
	for (unsigned i = 0; i < room; i++, wqe += CQESIM_RQ_SEG_BYTES) {
		cqesim_be_store(wqe, 4, i < n ? seg[i].length : 0);
		cqesim_be_store(wqe + 4, 4, i < n ? seg[i].lkey : CQESIM_RQ_INVALID_LKEY);
		cqesim_be_store(wqe + 8, 8, i < n ? seg[i].address : 0);
	}
	p->pi++;
	return 0;
}
