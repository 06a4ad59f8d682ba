/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cq.h - completion rings: the writer (what a NIC does) and the reader (what a
 * driver does).  They share the ring's memory and know nothing of each other.
 * Neither owns the ring, allocates, or knows what time it is.
 *
 * A ring has 2^n slots; both sides count an index on and on, slot = index mod
 * 2^n, lap = index >> n.  How software knows that a slot is its own, and how
 * several packets share one entry, depends on the layout of the CQ.
 *
 * Basic layout (PMD mlx5_rx_poll_len and check_cqe, KRN en_rx.c).
 *
 *   plain completion at index k:  one slot; it belongs to software as soon as
 *       its owner bit equals bit 0 of the lap and its opcode is not INVALID.
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
 * Enhanced layout (KRN mlx5_cqwq_get_cqe_enhanced_comp, PMD
 * check_cqe_iteration, from DPDK 23.03).
 *
 *   plain completion at index k:  one slot; it belongs to software as soon as
 *       its validity iteration count (byte 62) equals the low 8 bits of the lap
 *       and its opcode is not INVALID.  It is the title of the arrays that
 *       follow, across polls and laps, until the next plain completion.
 *   array of 1 <= m <= 7 packets at index k:  m indices, one slot.
 *       slot k       minis 0..m-1; in its last bytes wqe_counter of the first
 *                    packet, the count, m-1 where the opcode was, format 3
 *       the rest     holes
 *
 * Nothing is rewritten: the count of a hole is wrong until 256 laps later.
 *
 * Memory order.  The writer fills a slot with plain stores and publishes it
 * with one release store of the byte that ownership hangs on: op_own (63) in
 * the basic layout; in the enhanced layout the count (62), with op_own stored
 * just before.  Of a session the arrays come first and the title's op_own
 * last.  The reader loads that byte with acquire before it looks at anything
 * else of the slot (or, for a title, at the arrays).  The reader's rewrites are
 * plain stores; whoever publishes its consumer index (a doorbell record) does
 * that with a release store.
 */
#ifndef CQESIM_CQ_H
#define CQESIM_CQ_H

#include "cqesim/common.h"
#include "cqesim/cqe.h"

#define CQESIM_CQ_LOG_MAX 22u
/* Minis in an array of the enhanced layout: the eighth would lie where the slot's last bytes are.
 */
#define CQESIM_ENHANCED_MINIS 7u
#define CQESIM_ITERATION_BYTE 62u

enum cqesim_cq_layout { CQESIM_CQ_BASIC, CQESIM_CQ_ENHANCED };

/* What device and driver agree upon when a CQ is made; what is 0 is the usual case. */
struct cqesim_cq_shape {
	unsigned log_size; /* 2^log_size slots, log_size 0 .. CQESIM_CQ_LOG_MAX */
	enum cqesim_mini_format format;
	enum cqesim_cq_layout layout;
	bool cqe_128;    /* slots of 128 bytes, the CQE in the second half of each */
	bool any_length; /* minis of RDMA messages: of any length, where packets have 1 .. 65535 */
	unsigned log_stride; /* striding RQ: log2 of a stride's bytes; byte_cnt is in striding form
			      */
};

/* Bytes that a ring takes. */
static inline size_t cqesim_cq_ring_bytes(const struct cqesim_cq_shape *shape)
{
	return (size_t)(shape->cqe_128 ? 128 : 64) << shape->log_size;
}

/* 0, or -EINVAL for a log_size, format, layout or log_stride (above 16) that there is not. */
CQESIM_API int cqesim_cq_shape_check(const struct cqesim_cq_shape *shape);

/*
 * Fill a new ring as drivers do before a device may write: opcode INVALID,
 * owner 1 (0xf1: KRN, PMD), validity iteration count 0xff (KRN, PRM-H).
 */
CQESIM_API void cqesim_cq_init_ring(uint8_t *ring, const struct cqesim_cq_shape *shape);

/* ---- writer ---- */

/* Told of each slot after it was written, in the order of publication. */
typedef void (*cqesim_cq_observer)(void *context, uint32_t slot, const uint8_t bytes[64]);

/* Plain state, may be copied; fields are for reading only. */
struct cqesim_cq_writer {
	uint8_t *ring; /* not owned; 64-byte aligned; of 128-byte slots the second half */
	uint32_t mask; /* slots - 1 */
	unsigned log_size;
	unsigned log_slot; /* 6 or 7 */
	uint32_t pi;       /* index of the next completion; an open session starts here */
	enum cqesim_mini_format format;
	enum cqesim_cq_layout layout;
	bool cross;            /* sessions may cross the ring's end */
	bool has_title;        /* enhanced: title below is the last plain completion */
	uint32_t max;          /* longest session, or array */
	uint32_t n;            /* packets of the open session or array; 0: none is open */
	uint32_t room;         /* packets that the open session can have at most */
	bool room_is_ring_end; /* the ring's end, not max, sets that limit */
	uint8_t title[64] __attribute__((aligned(64))); /* basic: of the open session */
	uint8_t array[64] __attribute__((aligned(64))); /* enhanced: the open array */
	cqesim_cq_observer observer;                    /* may be NULL */
	void *observer_context;
	/*
	 * With an observer: it gets copies, before the slot is published.  Afterwards another
	 * thread may have read and changed it.
	 */
	bool observe_copies;
};

/*
 * ring: cqesim_cq_ring_bytes(shape), aligned to 64 bytes, prepared by
 * cqesim_cq_init_ring or a driver.  max: longest session (basic: 2 .. slots;
 * enhanced: minis in an array, 1 .. 7; larger is cut to that).  -EINVAL for a
 * NULL or unaligned ring, a shape that there is not, or a smaller max.
 */
CQESIM_API int cqesim_cq_writer_init(struct cqesim_cq_writer *w, uint8_t *ring,
				     const struct cqesim_cq_shape *shape, uint32_t max, bool cross);

/* Go on at another index (a ring that has been in use); no session may be open. */
CQESIM_API void cqesim_cq_writer_seek(struct cqesim_cq_writer *w, uint32_t index);

static inline uint8_t *cqesim_cq_writer_slot(const struct cqesim_cq_writer *w, uint32_t index)
{
	return w->ring + ((size_t)(index & w->mask) << w->log_slot);
}

/*
 * Everything but the ownership byte with plain stores, then that one with
 * release: the slot at the producer index is software's.  high: the upper
 * nibble of op_own, an opcode or an array's number of minis less one.
 */
static inline void cqesim_cq_publish(struct cqesim_cq_writer *w, const uint8_t cqe[64],
				     unsigned high, unsigned format)
{
	uint8_t *slot = cqesim_cq_writer_slot(w, w->pi);
	uint32_t lap = w->pi >> w->log_size;
	uint8_t op_own = CQESIM_OP_OWN(high, format, lap & CQESIM_OWNER_MASK);

	/* The last word in parts, so that no load spans two words stored just before. */
	uint64_t last;
	memcpy(slot, cqe, 56);
	memcpy(&last, cqe + 56, 8);
	uint32_t low = (uint32_t)last;
	uint16_t middle = (uint16_t)(last >> 32);
	memcpy(slot + 56, &low, 4);
	memcpy(slot + 60, &middle, 2);
	if (__builtin_expect(w->observe_copies, 0)) {
		uint8_t copy[CQESIM_CQE_BYTES];

		memcpy(copy, cqe, CQESIM_CQE_BYTES);
		if (w->layout == CQESIM_CQ_ENHANCED)
			copy[CQESIM_ITERATION_BYTE] = (uint8_t)lap;
		copy[CQESIM_OP_OWN_BYTE] = op_own;
		w->observer(w->observer_context, w->pi & w->mask, copy);
	}
	if (w->layout == CQESIM_CQ_ENHANCED) {
		slot[CQESIM_OP_OWN_BYTE] = op_own;
		__atomic_store_n(&slot[CQESIM_ITERATION_BYTE], (uint8_t)lap, __ATOMIC_RELEASE);
	} else {
		slot[CQESIM_ITERATION_BYTE] = (uint8_t)(last >> 48);
		__atomic_store_n(&slot[CQESIM_OP_OWN_BYTE], op_own, __ATOMIC_RELEASE);
	}
	if (w->observer && !w->observe_copies)
		w->observer(w->observer_context, w->pi & w->mask, slot);
}

/*
 * Write a plain completion; op_own (and byte 62 in the enhanced layout) is made
 * from opcode, format and the lap.  No session may be open.  In the enhanced
 * layout it becomes the title of the arrays that follow, an error completion
 * excepted: drivers do not agree whether the title before it still holds, so
 * after one there is none.
 */
static inline void cqesim_cq_write(struct cqesim_cq_writer *w, const uint8_t cqe[64],
				   unsigned opcode, unsigned format)
{
	cqesim_cq_publish(w, cqe, opcode, format);
	w->pi++;
	if (w->layout == CQESIM_CQ_ENHANCED) {
		memcpy(w->title, cqe, CQESIM_CQE_BYTES);
		w->has_title = opcode < CQESIM_OP_SIG_ERR;
	}
}

/*
 * The same with the packet's data in the CQE (scatter to CQE): up to 32 bytes in
 * the CQE's first half (format 1), up to 64 in the first half of a 128-byte slot
 * (format 2).  -EMSGSIZE if there is no such place.
 */
CQESIM_API int cqesim_cq_write_inline(struct cqesim_cq_writer *w, const uint8_t cqe[64],
				      unsigned opcode, const uint8_t *data, size_t bytes);

/*
 * Basic: open a session with the completion of its first packet.  Enhanced:
 * open an array with the completion of its first packet; the caller saw to it
 * that it agrees with w->title.  Returns how many packets it can hold (up to the
 * ring's end unless crossing is allowed, or max; 0 without a title); when that
 * is below 2 (basic) or 1 (enhanced) nothing is opened and the caller writes
 * plain.  Nothing is visible to the reader until the session is closed.
 */
CQESIM_API uint32_t cqesim_cq_session_open(struct cqesim_cq_writer *w, const uint8_t cqe[64]);

/* Add a packet; the caller saw to it that n < room and that it agrees with the title. */
CQESIM_API void cqesim_cq_session_add(struct cqesim_cq_writer *w, const uint8_t cqe[64]);

/*
 * Publish the open session or array (a basic session of one as a plain
 * completion); returns its packets.
 */
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

/* How op_own of consumed session slots is rewritten (basic layout alone). */
enum cqesim_invalidate {
	CQESIM_INVALIDATE_DPDK_SCALAR, /* 0xf0 in all slots but the title's (PMD mlx5_rx_poll_len)
					*/
	CQESIM_INVALIDATE_DPDK_VEC,    /* 0xf0 in all slots (PMD rxq_cq_decompress_v) */
	CQESIM_INVALIDATE_LINUX, /* this lap's owner bit in all slots (KRN mlx5e_cqes_update_owner)
				  */
};

/* One completion as software sees it, in one cache line. */
struct cqesim_completion {
	struct cqesim_rxmeta meta; /* byte_cnt is the length alone, also in a striding RQ */
	uint64_t timestamp;        /* a session has one, its title's; 0 for errors */
	uint32_t index;     /* of its entry (session: the title's; array: its own); slot = index mod
			       slots */
	uint32_t session_n; /* packets in its session or array; 0: plain */
	uint32_t session_i; /* which of them */
	uint32_t flow_table_metadata; /* or immediate, invalidated rkey */
	uint16_t wqe_counter; /* without a stride index in the mini it counts on from the title's */
	uint16_t wqe_id;
	uint16_t strides; /* striding RQ: strides consumed, else 0 */
	uint8_t filler;   /* striding RQ: 1 for a filler, which is no packet */
	uint8_t lro_num_seg;
	uint8_t opcode;
	uint8_t format; /* enum cqesim_cqe_format of the entry; of a session's packets the title's
			 */
	uint8_t send_opcode;     /* opcode REQ; opcodes 13 and 14: opcode of the failed WQE */
	uint8_t syndrome;        /* opcodes 13 and 14; else 0 */
	uint8_t vendor_err_synd; /* likewise */
};

/* What a forwarding program needs of a completion, for reading fast. */
struct cqesim_packet {
	uint32_t length; /* 0: no packet (an error, or a filler) */
	uint32_t rx_hash_res;
	uint16_t vlan_info;
	uint16_t wqe_counter;
	uint8_t pkt_info;       /* byte 0 */
	uint8_t hds_ip_ext;     /* byte 28 */
	uint8_t l4_l3_hdr_type; /* byte 29 */
	uint8_t opcode;
};

/* What the reader found in a ring that no device writes. */
enum cqesim_cq_fault_kind {
	CQESIM_CQ_FAULT_NONE,
	CQESIM_CQ_FAULT_SESSION_SHORT, /* title with a count of 0 or 1 */
	CQESIM_CQ_FAULT_SESSION_LONG,  /* title with a count above the ring's size */
	CQESIM_CQ_FAULT_ARRAY_LONG,    /* enhanced: array with more than 7 minis */
	CQESIM_CQ_FAULT_NO_TITLE,      /* enhanced: array before any plain completion */
	CQESIM_CQ_FAULT_MINI_LENGTH,   /* mini with a length that no packet has: stale or never
					  written */
	CQESIM_CQ_FAULT_OPCODE,        /* opcode that there is not (7 .. 11) */
	CQESIM_CQ_FAULT_OUT_OF_ORDER,  /* cqesim_cq_check: written although one before it is missing
					*/
	CQESIM_CQ_FAULT_AHEAD,         /* cqesim_cq_check, enhanced: count of a lap yet to come */
	CQESIM_CQ_FAULTS
};
/* One sentence; "no fault" for CQESIM_CQ_FAULT_NONE. */
CQESIM_API const char *cqesim_cq_fault_name(enum cqesim_cq_fault_kind kind);

struct cqesim_cq_fault {
	enum cqesim_cq_fault_kind kind;
	uint32_t index; /* of the entry */
	uint32_t slot;
	uint32_t mini;  /* MINI_LENGTH: which of the session's */
	uint32_t found; /* the count, byte_cnt, opcode or validity count at fault */
};

/* Plain state; fields are for reading only. */
struct cqesim_cq_reader {
	uint8_t *ring; /* not owned; of 128-byte slots the second half */
	uint32_t mask;
	unsigned log_size;
	unsigned log_slot;
	unsigned log_stride;
	uint32_t ci; /* all before it is consumed; a session counts when its last packet was
			returned */
	enum cqesim_mini_format format;
	enum cqesim_cq_layout layout;
	enum cqesim_invalidate invalidate;
	bool any_length;
	bool has_title;   /* enhanced: a plain completion has been read */
	uint16_t counter; /* wqe_counter of the next mini that has none of its own */
	uint32_t n, i;    /* session or array being read: its packets, the next one; n = 0: none */
	uint8_t title[64]
		__attribute__((aligned(64))); /* of the session, or for the arrays to come */
};

/* -EINVAL as for the writer.  The ring is read from index 0 on. */
CQESIM_API int cqesim_cq_reader_init(struct cqesim_cq_reader *r, uint8_t *ring,
				     const struct cqesim_cq_shape *shape,
				     enum cqesim_invalidate invalidate);

/* Go on at another consumer index; a session or title that was being read is forgotten. */
CQESIM_API void cqesim_cq_reader_seek(struct cqesim_cq_reader *r, uint32_t index);

/*
 * Read up to max completions.  Returns how many (0: nothing new), or -EBADMSG
 * with *fault (may be NULL) filled when the next entry is malformed; good ones
 * before it are returned first.  What is malformed is consumed (one slot, an
 * array's indices, or one mini), so that the reader stays usable; the title
 * too is given up if it was that.  Nothing outside the ring is read whatever it
 * holds, and no index is read twice.
 *
 * A session may be returned over several calls; but its minis lie before the
 * indices of the packets that they describe, so buffers may be given back up to
 * ci only, or the session must be read to its end first, or the ring must have
 * twice as many slots as there are buffers.
 */
CQESIM_API int cqesim_cq_poll(struct cqesim_cq_reader *r, struct cqesim_completion *out,
			      unsigned max, struct cqesim_cq_fault *fault);

/* The same reader, for those who want less of each completion and want it fast. */
CQESIM_API int cqesim_cq_poll_packets(struct cqesim_cq_reader *r, struct cqesim_packet *out,
				      unsigned max, struct cqesim_cq_fault *fault);

/*
 * For a ring at rest (an image, a queue that has stopped) of which everything
 * was read: is there something that shows that a completion is missing?  0, or
 * -EBADMSG with *fault.  Looks at all slots, changes nothing.  A ring that a
 * device is writing may show the same for a moment.
 */
CQESIM_API int cqesim_cq_check(const struct cqesim_cq_reader *r, struct cqesim_cq_fault *fault);

/*
 * Data that lies in the ring with a completion just read (format INLINE_32 or
 * INLINE_64), until its slot is given back: *bytes of it.  NULL if there is none
 * or the completion claims more than fits there.
 */
CQESIM_API const uint8_t *cqesim_cq_inline_data(const struct cqesim_cq_reader *r,
						const struct cqesim_completion *c, size_t *bytes);

/* Write the consumer index to a CQ doorbell record (24 bits, big-endian; PMD, DV), release. */
static inline void cqesim_cq_doorbell(const struct cqesim_cq_reader *r, uint32_t *dbrec)
{
	__atomic_store_n(dbrec, __builtin_bswap32(r->ci & 0xffffff), __ATOMIC_RELEASE);
}

#endif
