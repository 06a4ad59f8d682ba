/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rq.h - receive queues, cyclic and striding: rings of WQEs that software fills
 * with buffers and the device consumes.  The device's side reads what somebody
 * else wrote; the driver's side is here for those who have no driver of their
 * own.  Nothing is owned or allocated.
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

#define CQESIM_RQ_LOG_MAX      15u
#define CQESIM_RQ_SEG_BYTES    16u
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

/* WQEs that are posted and not consumed; more than the ring holds is cut to the ring (a driver's
 * mistake). */
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

/*
 * The same for bytes `from` .. `from` + `length` of WQE `index`'s buffers, consumed or not: for
 * a packet that grows.
 */
CQESIM_API int cqesim_rq_buffer_at(const struct cqesim_rq *rq, uint16_t index, uint32_t from,
				   uint32_t length,
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

/* Write one WQE of n <= 2^log_segs segments (memory is ignored); not visible before the doorbell.
 */
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

/* ---- striding receive queues: where packets land ---- */

/*
 * A striding WQE (multi-packet WQE, MPWQE) is one large buffer that is cut into
 * 2^log_strides strides of 2^log_stride_bytes.  A packet begins at a stride and
 * takes as many as it needs; one that does not fit into the strides that are left
 * goes to the next WQE, and a filler completion closes the rest of this one.
 *
 * Legal sizes (KRN device.h MLX5_MPWQE_LOG_NUM_STRIDES_BASE, _EXT_BASE, _MAX,
 * MLX5_MPWQE_LOG_STRIDE_SZ_BASE, _MAX; DPDK names the same bases): 2^9 .. 2^16
 * strides, from 2^3 on devices with the capability ext_stride_num_range, of 2^6 ..
 * 2^13 bytes.  What one device takes it says itself (DV striding_rq_caps); the
 * smallest WQE too (PRM-H log_min_stride_wqe_sz; 2^14 where DPDK cannot ask).
 */
#define CQESIM_LOG_STRIDES_MIN_BASIC    9u
#define CQESIM_LOG_STRIDES_MIN_EXTENDED 3u
#define CQESIM_LOG_STRIDES_MAX          16u
#define CQESIM_LOG_STRIDE_BYTES_MIN     6u
#define CQESIM_LOG_STRIDE_BYTES_MAX     13u
#define CQESIM_TWO_BYTE_SHIFT           2u

struct cqesim_strides_shape {
	unsigned log_wqes;    /* WQEs of the ring, 0 .. CQESIM_RQ_LOG_MAX */
	unsigned log_strides; /* of a WQE */
	unsigned log_stride_bytes;
	bool two_byte_shift; /* packets begin two bytes after their stride does */
	bool linked_list;    /* WQEs follow each other by next_wqe_index, not by place */
};

/* -EINVAL with *err for what no device takes; extended: the device has ext_stride_num_range. */
CQESIM_API int cqesim_strides_check(const struct cqesim_strides_shape *shape, bool extended,
				    struct cqesim_error *err);

static inline uint32_t cqesim_strides_per_wqe(const struct cqesim_strides_shape *shape)
{
	return UINT32_C(1) << shape->log_strides;
}

static inline uint64_t cqesim_strides_wqe_bytes(const struct cqesim_strides_shape *shape)
{
	return UINT64_C(1) << (shape->log_strides + shape->log_stride_bytes);
}

/* Strides that a packet takes, in whatever WQE (more than a WQE has: it fits in none). */
static inline uint32_t cqesim_strides_for(const struct cqesim_strides_shape *shape, uint32_t length)
{
	uint64_t bytes = (uint64_t)length + (shape->two_byte_shift ? CQESIM_TWO_BYTE_SHIFT : 0);

	return (uint32_t)((bytes + (UINT64_C(1) << shape->log_stride_bytes) - 1) >>
			  shape->log_stride_bytes);
}

/* The WQE that follows: what its next segment says.  NULL: the next place of the ring. */
typedef uint16_t (*cqesim_strides_next)(void *context, uint16_t index);

/* Where the device stands.  Plain state, may be copied; set `posted`, read the rest. */
struct cqesim_strides {
	struct cqesim_strides_shape shape;
	uint16_t posted; /* WQEs ever posted, as the doorbell record counts them */
	uint16_t done;   /* WQEs ever finished: posted - done are there, this one included */
	uint16_t index;  /* of this WQE: cyclic counts on (16 bits), linked list is a place */
	bool finished;   /* that WQE is used up; which one follows is looked up when it is needed */
	uint32_t used;   /* strides of this WQE that are consumed */
	cqesim_strides_next next; /* linked list; may be NULL */
	void *next_context;
};

/* 0, or as cqesim_strides_check.  Begins at WQE 0 with none posted. */
CQESIM_API int cqesim_strides_init(struct cqesim_strides *s,
				   const struct cqesim_strides_shape *shape, bool extended,
				   struct cqesim_error *err);

/* A packet's place, and the filler before it. */
struct cqesim_placement {
	uint16_t wqe;     /* index, as the CQE's wqe_id tells it */
	uint16_t stride;  /* first stride, as the CQE's wqe_counter tells it */
	uint32_t strides; /* consumed */
	uint64_t offset;  /* of the packet's first byte in the WQE's buffer, the shift included */
	bool retires;     /* the packet takes the WQE's last stride */
	bool opens;       /* the packet is the WQE's first */
	uint32_t filler;  /* strides that a filler closes before; 0: there is none */
	uint16_t filler_wqe; /* the filler's WQE (which it retires) and first stride */
	uint16_t filler_stride;
};

/* WQEs that are there, the one in use included; at most the ring's. */
static inline uint32_t cqesim_strides_credits(const struct cqesim_strides *s)
{
	uint32_t n = (uint16_t)(s->posted - s->done), all = UINT32_C(1) << s->shape.log_wqes;

	return n <= all ? n : all;
}

/*
 * A packet of `length` bytes (> 0) arrives: fills *p and moves on.  -ENOBUFS: no
 * WQE is posted, or it does not fit into the rest of this one and there is no
 * next; -EMSGSIZE: it fits in no WQE; -EINVAL: length 0.  With an error nothing
 * changes: the rest of a WQE is not closed for a packet that finds no other
 * (assumed; nobody has published what a device does).
 */
CQESIM_API int cqesim_strides_place(struct cqesim_strides *s, uint32_t length,
				    struct cqesim_placement *p);

/*
 * The packet placed last, at *p, is to have `length` bytes in all: consumes the strides that
 * it takes more, and *p tells them.  -ENOSPC: longer than cqesim_strides_room.
 */
CQESIM_API int cqesim_strides_extend(struct cqesim_strides *s, uint32_t length,
				     struct cqesim_placement *p);
/* The length that it can have. */
CQESIM_API uint32_t cqesim_strides_room(const struct cqesim_strides *s,
					const struct cqesim_placement *p);

/* This WQE takes no more packets; nothing happens if it was used up already. */
CQESIM_API void cqesim_strides_finish(struct cqesim_strides *s);

/* Use up the next WQE, which is posted, without a packet: its index. */
CQESIM_API uint16_t cqesim_strides_consume(struct cqesim_strides *s);

/* ---- striding receive queues in memory ---- */

/*
 * A WQE is 32 bytes: the next segment (DV struct mlx5_wqe_srq_next_seg: bytes 2-3
 * next_wqe_index) and one data segment (PMD struct mlx5_wqe_mprq, KRN struct
 * mlx5e_rx_wqe_ll; rdma-core's striding WQEs begin likewise).
 */
#define CQESIM_STRIDING_WQE_BYTES 32u

/* Device's side.  Plain state; fields are for reading only. */
struct cqesim_striding_rq {
	const uint8_t *ring;   /* not owned; 2^log_wqes WQEs */
	const uint32_t *dbrec; /* not owned */
	struct cqesim_strides at;
	cqesim_translate translate;
	void *translate_context;
};

/* -EINVAL with *err for NULL pointers and as cqesim_strides_check. */
CQESIM_API int cqesim_striding_rq_init(struct cqesim_striding_rq *rq, const void *ring,
				       const struct cqesim_strides_shape *shape, bool extended,
				       const uint32_t *dbrec, cqesim_translate translate,
				       void *translate_context, struct cqesim_error *err);

/* Begin anew at WQE 0, as a queue that was reset. */
CQESIM_API void cqesim_striding_rq_reset(struct cqesim_striding_rq *rq);

/* WQEs that are there by the doorbell record, the one in use included. */
CQESIM_API uint32_t cqesim_striding_rq_credits(struct cqesim_striding_rq *rq);

/*
 * A packet's place and its piece of the WQE's buffer.  -ENOBUFS, -EMSGSIZE and -EINVAL
 * as cqesim_strides_place; -EFAULT: the WQE's data segment is too short or does not
 * translate (a protection error; the place is consumed).
 */
CQESIM_API int cqesim_striding_rq_place(struct cqesim_striding_rq *rq, uint32_t length,
					struct cqesim_placement *p, struct cqesim_rq_seg *seg);

/* Memory of bytes `from` .. `from` + `length` of the packet at *p; -EFAULT as above. */
CQESIM_API int cqesim_striding_rq_piece(const struct cqesim_striding_rq *rq,
					const struct cqesim_placement *p, uint32_t from,
					uint32_t length, struct cqesim_rq_seg *seg);

/* Driver's side. */
struct cqesim_striding_poster {
	uint8_t *ring;   /* not owned */
	uint32_t *dbrec; /* not owned */
	uint32_t mask;
	bool linked_list;
	bool has_tail;
	uint16_t pi;   /* WQEs ever posted */
	uint16_t tail; /* linked list: place of the WQE posted last */
};

CQESIM_API int cqesim_striding_poster_init(struct cqesim_striding_poster *p, void *ring,
					   const struct cqesim_strides_shape *shape,
					   uint32_t *dbrec);

/*
 * Post the WQE at `place` (0 .. WQEs - 1) with a buffer; not visible before the
 * doorbell.  Cyclic: the places follow each other.  Linked list: any that the
 * device is done with, place 0 first of all; it is linked behind the one before.
 * -EINVAL for another place.
 */
CQESIM_API int cqesim_striding_post(struct cqesim_striding_poster *p, uint16_t place,
				    const struct cqesim_rq_seg *seg);

/* Make all that was posted visible to the device (release). */
static inline void cqesim_striding_doorbell(const struct cqesim_striding_poster *p)
{
	__atomic_store_n(p->dbrec, __builtin_bswap32(p->pi), __ATOMIC_RELEASE);
}

#endif
