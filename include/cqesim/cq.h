/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cq.h - completion rings: the writer (what a NIC does) and the reader (what a
 * driver does).  They share the ring's memory and know nothing of each other.
 * Neither owns the ring, allocates, or knows what time it is.
 *
 * Basic layout (PMD mlx5_rx_poll_len and check_cqe, KRN en_rx.c).  A ring of
 * 2^n slots of 64 bytes; both sides count an index on and on, slot = index mod
 * 2^n, lap bit = bit n of the index.
 *
 *   plain completion at index k:  one slot; it belongs to software as soon as
 *       its owner bit equals the lap bit of k and its opcode is not INVALID.
 *   session of n >= 2 packets at index k:  n slots.
 *       slot k       title: format 3, byte_cnt = n, all that the packets share
 *       slot k+1     minis 0..7
 *       slot k+8     minis 8..15
 *       slot k+16    minis 16..23 ...
 *       the rest     holes: keep whatever an earlier lap left there
 *
 * Mini 0 describes the title's own packet.  As holes and arrays hold stale or
 * arbitrary bytes, the reader must rewrite op_own of the session's slots before
 * it gives them back, or the next lap would take them for completions.
 *
 * Memory order.  The writer fills a slot with plain stores and publishes it
 * with one release store of op_own (byte 63); of a session the arrays come
 * first and the title's op_own last.  The reader loads op_own with acquire
 * before it looks at anything else of the slot (or, for a title, at the
 * arrays).  The reader's rewrites are plain stores; whoever publishes its
 * consumer index (a doorbell record) does that with a release store.
 */
#ifndef CQESIM_CQ_H
#define CQESIM_CQ_H

#include "cqesim/common.h"
#include "cqesim/cqe.h"

#define CQESIM_CQ_LOG_MAX 22u

/* Fill a new ring as drivers do before a device may write: opcode INVALID, owner 1 (0xf1: KRN, PMD). */
CQESIM_API void cqesim_cq_init_ring(uint8_t *ring, unsigned log_size);

/* ---- writer ---- */

/* Told of each slot after it was written, in the order of publication. */
typedef void (*cqesim_cq_observer)(void *context, uint32_t slot, const uint8_t bytes[64]);

/* Plain state, may be copied; fields are for reading only. */
struct cqesim_cq_writer {
	uint8_t *ring;      /* not owned; 64-byte aligned */
	uint32_t mask;      /* slots - 1 */
	unsigned log_size;
	uint32_t pi;        /* index of the next completion; an open session starts here */
	enum cqesim_mini_format format;
	bool cross;         /* sessions may cross the ring's end */
	uint32_t max;       /* longest session */
	uint32_t n;         /* packets of the open session; 0: none is open */
	uint32_t room;      /* packets that the open session can have at most */
	bool room_is_ring_end; /* the ring's end, not max, sets that limit */
	uint8_t title[64] __attribute__((aligned(64))); /* of the open session */
	cqesim_cq_observer observer; /* may be NULL */
	void *observer_context;
};

/*
 * ring: 2^log_size slots, aligned to 64 bytes, prepared by cqesim_cq_init_ring
 * or a driver.  max: longest session, 2 .. 2^log_size (larger is cut to that).
 * -EINVAL for a NULL or unaligned ring, log_size above CQESIM_CQ_LOG_MAX, max
 * below 2, or an unknown format.
 */
CQESIM_API int cqesim_cq_writer_init(struct cqesim_cq_writer *w, uint8_t *ring, unsigned log_size,
				     enum cqesim_mini_format format, uint32_t max, bool cross);

/*
 * Everything but op_own with plain stores, then op_own with release: the slot
 * at the producer index is software's.
 */
static inline void cqesim_cq_publish(struct cqesim_cq_writer *w, const uint8_t cqe[64],
				     unsigned opcode, unsigned format)
{
	uint8_t *slot = w->ring + (size_t)(w->pi & w->mask) * CQESIM_CQE_BYTES;
	uint8_t op_own = CQESIM_OP_OWN(opcode, format, w->pi >> w->log_size & CQESIM_OWNER_MASK);

	/* The last word in parts, so that no load spans two words stored just before. */
	uint64_t last;
	memcpy(slot, cqe, 56);
	memcpy(&last, cqe + 56, 8);
	uint32_t low = (uint32_t)last;
	uint16_t middle = (uint16_t)(last >> 32);
	memcpy(slot + 56, &low, 4);
	memcpy(slot + 60, &middle, 2);
	slot[62] = (uint8_t)(last >> 48);
	__atomic_store_n(&slot[CQESIM_OP_OWN_BYTE], op_own, __ATOMIC_RELEASE);
	if (w->observer)
		w->observer(w->observer_context, w->pi & w->mask, slot);
}

/* Write a plain completion; op_own is made from opcode, format and the lap.  No session may be open. */
static inline void cqesim_cq_write(struct cqesim_cq_writer *w, const uint8_t cqe[64],
				   unsigned opcode, unsigned format)
{
	cqesim_cq_publish(w, cqe, opcode, format);
	w->pi++;
}

/*
 * Open a session with the completion of its first packet.  Returns how many
 * packets it can hold (up to the ring's end unless crossing is allowed, or
 * max); when that is below 2 nothing is opened and the caller writes plain.
 * Nothing is visible to the reader until the session is closed.
 */
CQESIM_API uint32_t cqesim_cq_session_open(struct cqesim_cq_writer *w, const uint8_t cqe[64]);

/* Add a packet; the caller saw to it that n < room and that it agrees with the title. */
CQESIM_API void cqesim_cq_session_add(struct cqesim_cq_writer *w, const uint8_t cqe[64]);

/* Publish the open session (a session of one as a plain completion); returns its packets. */
CQESIM_API uint32_t cqesim_cq_session_close(struct cqesim_cq_writer *w);

/* Do two completions differ where mask has bits?  Two words at a time, without a branch. */
static inline bool cqesim_cqe_differs(const uint8_t a[64], const uint8_t b[64],
				      const uint8_t mask[64])
{
	typedef uint64_t pair __attribute__((vector_size(16)));
	pair x[4], y[4], m[4];

	memcpy(x, a, 64);
	memcpy(y, b, 64);
	memcpy(m, mask, 64);
	pair any = ((x[0] ^ y[0]) & m[0]) | ((x[1] ^ y[1]) & m[1]) | ((x[2] ^ y[2]) & m[2]) |
		   ((x[3] ^ y[3]) & m[3]);
	return any[0] | any[1];
}

/* ---- reader ---- */

/* How op_own of consumed session slots is rewritten. */
enum cqesim_invalidate {
	CQESIM_INVALIDATE_DPDK_SCALAR, /* 0xf0 in all slots but the title's (PMD mlx5_rx_poll_len) */
	CQESIM_INVALIDATE_DPDK_VEC,    /* 0xf0 in all slots (PMD rxq_cq_decompress_v) */
	CQESIM_INVALIDATE_LINUX,       /* this lap's owner bit in all slots (KRN mlx5e_cqes_update_owner) */
};

/* One completion as software sees it. */
struct cqesim_completion {
	struct cqesim_rxmeta meta;
	uint64_t timestamp;    /* a session has one, its title's */
	uint32_t index;        /* of its entry, for a session the title's; slot = index mod ring size */
	uint32_t session_n;    /* packets in its session; 0: plain */
	uint32_t session_i;    /* which of them */
	uint16_t wqe_counter;  /* in sessions counts on from the title's, or is the mini's stride index */
	uint8_t opcode;
	uint8_t syndrome;        /* opcodes 13 and 14; else 0 */
	uint8_t vendor_err_synd; /* likewise */
};

/* What the reader found in a ring that no device writes. */
enum cqesim_cq_fault_kind {
	CQESIM_CQ_FAULT_NONE,
	CQESIM_CQ_FAULT_SESSION_SHORT, /* title with a count of 0 or 1 */
	CQESIM_CQ_FAULT_SESSION_LONG,  /* title with a count above the ring's size */
};
CQESIM_API const char *cqesim_cq_fault_name(enum cqesim_cq_fault_kind kind);

struct cqesim_cq_fault {
	enum cqesim_cq_fault_kind kind;
	uint32_t index; /* consumer index */
	uint32_t slot;
	uint32_t count; /* what the title said */
};

/* Plain state; fields are for reading only. */
struct cqesim_cq_reader {
	uint8_t *ring; /* not owned */
	uint32_t mask;
	unsigned log_size;
	uint32_t ci;   /* all before it is consumed; a session counts when its last packet was returned */
	enum cqesim_mini_format format;
	enum cqesim_invalidate invalidate;
	uint32_t n, i; /* session being read: its packets, the next one; n = 0: none */
	struct cqesim_completion title;
};

/* -EINVAL as for the writer.  The ring is read from index 0 on. */
CQESIM_API int cqesim_cq_reader_init(struct cqesim_cq_reader *r, uint8_t *ring, unsigned log_size,
				     enum cqesim_mini_format format,
				     enum cqesim_invalidate invalidate);

/*
 * Read up to max completions.  Returns how many (0: nothing new), or -EBADMSG
 * with *fault (may be NULL) filled when the next entry is malformed; good ones
 * before it are returned first.  A malformed entry is consumed as one slot, so
 * that the reader stays usable.  A session may be returned over several calls;
 * but its minis lie before the indices of the packets that they describe, so
 * buffers may be given back up to ci only, or the session must be read to its
 * end first, or the ring must have twice as many slots as there are buffers.
 */
CQESIM_API int cqesim_cq_poll(struct cqesim_cq_reader *r, struct cqesim_completion *out,
			      unsigned max, struct cqesim_cq_fault *fault);

/* Write the consumer index to a CQ doorbell record (24 bits, big-endian; PMD, DV), release. */
static inline void cqesim_cq_doorbell(const struct cqesim_cq_reader *r, uint32_t *dbrec)
{
	__atomic_store_n(dbrec, __builtin_bswap32(r->ci & 0xffffff), __ATOMIC_RELEASE);
}

#endif
