/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rq.h - receive queues: rings of WQEs that software fills with buffers and
 * the device consumes.  The device's side reads what somebody else wrote; the
 * driver's side is here for those who have no driver of their own.  Nothing is
 * owned or allocated.
 *
 * Cyclic RQ: 2^n WQEs of 16 << m bytes, each up to 2^m data segments (DV struct
 * mlx5_wqe_data_seg: byte_count, lkey, address, big-endian).  A list shorter
 * than that ends with a segment of byte_count 0 or the invalid lkey (rdma-core).
 * The doorbell record holds, as a big-endian 32-bit word, how many WQEs were
 * ever posted, of which 16 bits count.
 */
#ifndef CQESIM_RQ_H
#define CQESIM_RQ_H

#include <errno.h>

#include "cqesim/common.h"
#include "cqesim/cqe.h"

#define CQESIM_RQ_LOG_MAX 15u
#define CQESIM_RQ_SEG_BYTES 16u
#define CQESIM_RQ_LOG_SEGS_MAX 5u
#define CQESIM_RQ_INVALID_LKEY 0x100u /* DV, MLX5_INVALID_LKEY */

/*
 * From a device address to memory: a pointer to `length` bytes, or NULL when
 * lkey and address do not cover them (a protection error).  A replay has its
 * own buffers behind it, an emulated card the regions that were registered.
 */
typedef void *(*cqesim_translate)(void *context, uint32_t lkey, uint64_t address, uint32_t length);

/* Device's side.  Plain state; fields are for reading only. */
struct cqesim_rq {
	const uint8_t *ring;   /* not owned */
	const uint32_t *dbrec; /* not owned */
	uint32_t mask;
	unsigned log_size, log_segs;
	uint16_t ci; /* next WQE to be used */
	cqesim_translate translate;
	void *translate_context;
};

/*
 * -EINVAL for NULL pointers or log_size above CQESIM_RQ_LOG_MAX or log_segs
 * above CQESIM_RQ_LOG_SEGS_MAX.
 */
CQESIM_API int cqesim_rq_init(struct cqesim_rq *rq, const void *ring, unsigned log_size,
			      unsigned log_segs, const uint32_t *dbrec, cqesim_translate translate,
			      void *translate_context);

/* WQEs that are posted and not consumed; more than the ring holds is cut to the ring (a driver's mistake). */
static inline uint32_t cqesim_rq_credits(const struct cqesim_rq *rq)
{
	/* Acquire: the WQEs behind the index are complete when the index is. */
	uint32_t pi = __builtin_bswap32(__atomic_load_n(rq->dbrec, __ATOMIC_ACQUIRE));
	uint32_t n = (uint16_t)(pi - rq->ci);

	return n <= rq->mask + 1 ? n : rq->mask + 1;
}

/* One piece of a buffer. */
struct cqesim_rq_seg {
	uint64_t address;
	uint32_t lkey;
	uint32_t length;
	void *memory; /* NULL when translation failed */
};

/*
 * The buffer for a packet of `length` bytes at the next WQE: fills seg[] with
 * the pieces the packet takes and returns how many.  -ENOSPC: the WQE's buffers
 * are too small (*length_fits, may be NULL, says what would fit).  -EFAULT:
 * translation failed (a protection error).  Consumes nothing; the caller
 * made sure that there are credits.
 */
CQESIM_API int cqesim_rq_buffer(const struct cqesim_rq *rq, uint32_t length,
				struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX],
				uint32_t *length_fits);

/* The same for WQEs of one segment, without a loop; others are passed on. */
static inline int cqesim_rq_buffer_fast(const struct cqesim_rq *rq, uint32_t length,
					struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX])
{
	const uint8_t *wqe = rq->ring + (size_t)(rq->ci & rq->mask) * CQESIM_RQ_SEG_BYTES;
	uint32_t bytes, lkey;

	if (rq->log_segs || !length)
		return cqesim_rq_buffer(rq, length, seg, NULL);
	bytes = (uint32_t)cqesim_be_load(wqe, 4) & 0x7fffffff;
	lkey = (uint32_t)cqesim_be_load(wqe + 4, 4);
	if (bytes < length || lkey == CQESIM_RQ_INVALID_LKEY)
		return cqesim_rq_buffer(rq, length, seg, NULL);
	seg->lkey = lkey;
	seg->address = cqesim_be_load(wqe + 8, 8);
	seg->length = length;
	seg->memory = rq->translate(rq->translate_context, lkey, seg->address, length);
	return seg->memory ? 1 : -EFAULT;
}

/* The next WQE is used up; returns its 16-bit index, as the CQE's wqe_counter tells it. */
static inline uint16_t cqesim_rq_consume(struct cqesim_rq *rq)
{
	return rq->ci++;
}

/* Driver's side: post buffers. */
struct cqesim_rq_poster {
	uint8_t *ring;   /* not owned */
	uint32_t *dbrec; /* not owned */
	uint32_t mask;
	unsigned log_segs;
	uint16_t pi;
};

CQESIM_API int cqesim_rq_poster_init(struct cqesim_rq_poster *p, void *ring, unsigned log_size,
				     unsigned log_segs, uint32_t *dbrec);

/* Write one WQE of n <= 2^log_segs segments (memory is ignored); not visible before the doorbell. */
CQESIM_API int cqesim_rq_post(struct cqesim_rq_poster *p, const struct cqesim_rq_seg *seg,
			      unsigned n);

/* Write count WQEs again as they are: buffers recycled in place. */
static inline void cqesim_rq_repost(struct cqesim_rq_poster *p, uint32_t count)
{
	p->pi = (uint16_t)(p->pi + count);
}

/* Make all that was posted visible to the device (release). */
static inline void cqesim_rq_doorbell(const struct cqesim_rq_poster *p)
{
	__atomic_store_n(p->dbrec, __builtin_bswap32(p->pi), __ATOMIC_RELEASE);
}

#endif
