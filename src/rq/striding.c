/* SPDX-License-Identifier: BSD-3-Clause */
/* Striding receive queues: see rq.h.  Where packets land, without memory or time. */
#include <errno.h>

#include "cqesim/rq.h"

int cqesim_strides_check(const struct cqesim_strides_shape *shape, bool extended,
			 struct cqesim_error *err)
{
	unsigned fewest = extended ? CQESIM_LOG_STRIDES_MIN_EXTENDED : CQESIM_LOG_STRIDES_MIN_BASIC;

	if (shape->log_wqes > CQESIM_RQ_LOG_MAX)
		return cqesim_fail(err, -EINVAL, "2^%u WQEs: expected up to 2^%u", shape->log_wqes,
				   CQESIM_RQ_LOG_MAX);
	if (shape->log_strides < fewest || shape->log_strides > CQESIM_LOG_STRIDES_MAX)
		return cqesim_fail(err, -EINVAL, "2^%u strides in a WQE: expected 2^%u to 2^%u%s",
				   shape->log_strides, fewest, CQESIM_LOG_STRIDES_MAX,
				   extended ? "" : " (2^3 with ext_stride_num_range)");
	if (shape->log_stride_bytes < CQESIM_LOG_STRIDE_BYTES_MIN ||
	    shape->log_stride_bytes > CQESIM_LOG_STRIDE_BYTES_MAX)
		return cqesim_fail(err, -EINVAL, "strides of 2^%u bytes: expected 2^%u to 2^%u",
				   shape->log_stride_bytes, CQESIM_LOG_STRIDE_BYTES_MIN,
				   CQESIM_LOG_STRIDE_BYTES_MAX);
	return 0;
}

int cqesim_strides_init(struct cqesim_strides *s, const struct cqesim_strides_shape *shape,
			bool extended, struct cqesim_error *err)
{
	int rc = cqesim_strides_check(shape, extended, err);

	if (!rc)
		*s = (struct cqesim_strides){.shape = *shape};
	return rc;
}

/* The index of the WQE after this one. */
static uint16_t next_index(const struct cqesim_strides *s)
{
	if (!s->shape.linked_list)
		return (uint16_t)(s->index + 1);
	if (s->next)
		return s->next(s->next_context, s->index);
	return (uint16_t)((s->index + 1u) & ((1u << s->shape.log_wqes) - 1));
}

/* The WQE is used up.  The one that follows may not be linked yet. */
static void finish(struct cqesim_strides *s)
{
	s->finished = true;
	s->done++;
	s->used = 0;
}

/* Go to the next WQE, which is posted. */
static void go_on(struct cqesim_strides *s)
{
	if (!s->finished)
		return;
	s->index = next_index(s);
	s->finished = false;
}

int cqesim_strides_place(struct cqesim_strides *s, uint32_t length, struct cqesim_placement *p)
{
	uint32_t all = cqesim_strides_per_wqe(&s->shape), left = all - s->used;
	uint32_t need = cqesim_strides_for(&s->shape, length);

	if (!length)
		return -EINVAL;
	if (need > all)
		return -EMSGSIZE;
	if (cqesim_strides_credits(s) < (need > left ? 2u : 1u))
		return -ENOBUFS;
	go_on(s);
	p->filler = 0;
	if (need > left) {
		p->filler = left;
		p->filler_wqe = s->index;
		p->filler_stride = (uint16_t)s->used;
		finish(s);
		go_on(s);
	}
	p->wqe = s->index;
	p->stride = (uint16_t)s->used;
	p->strides = need;
	p->offset = ((uint64_t)s->used << s->shape.log_stride_bytes) +
		    (s->shape.two_byte_shift ? CQESIM_TWO_BYTE_SHIFT : 0);
	p->opens = !s->used;
	s->used += need;
	p->retires = s->used == all;
	if (p->retires)
		finish(s);
	return 0;
}

uint32_t cqesim_strides_room(const struct cqesim_strides *s, const struct cqesim_placement *p)
{
	/* With the WQE's last stride taken the rest of that stride is left. */
	uint32_t strides = cqesim_strides_per_wqe(&s->shape) - p->stride;
	uint64_t bytes = ((uint64_t)strides << s->shape.log_stride_bytes) -
			 (s->shape.two_byte_shift ? CQESIM_TWO_BYTE_SHIFT : 0);

	return bytes <= UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

int cqesim_strides_extend(struct cqesim_strides *s, uint32_t length, struct cqesim_placement *p)
{
	uint32_t all = cqesim_strides_per_wqe(&s->shape);
	uint32_t need = cqesim_strides_for(&s->shape, length);

	if (length > cqesim_strides_room(s, p))
		return -ENOSPC;
	if (need <= p->strides)
		return 0;
	s->used += need - p->strides;
	p->strides = need;
	p->retires = s->used == all;
	if (p->retires)
		finish(s);
	return 0;
}

void cqesim_strides_finish(struct cqesim_strides *s)
{
	if (!s->finished)
		finish(s);
}

uint16_t cqesim_strides_consume(struct cqesim_strides *s)
{
	go_on(s);
	finish(s);
	return s->index;
}
