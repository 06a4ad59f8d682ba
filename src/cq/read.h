/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decoder of completion rings: see cq.h for the layouts, the memory order
 * and what is promised for rings that no device writes.  It is written once and
 * compiled once for each kind of result (whole completions, short ones, mbufs):
 * all of it is inlined into its callers, where the sink is a constant.
 */
#ifndef CQESIM_CQ_READ_H
#define CQESIM_CQ_READ_H

#include <errno.h>

#include "cqesim/cq.h"

#define CQ_INLINE static inline __attribute__((always_inline))

/* One packet of a session: its mini, and what follows from it. */
struct cq_mini {
	struct cqesim_mini mini;
	uint32_t i; /* which of the session */
	uint32_t length;
	uint16_t strides;
	uint16_t wqe_counter;
	bool filler;
};

/*
 * Where completions go.  `context` is the sink's own (cq_read's argument);
 * `pattern` is what it makes of the title, 64 bytes at most, for its minis.
 */
struct cq_sink {
	size_t bytes; /* of a result */
	void (*plain)(const struct cqesim_cq_reader *r, void *context, const uint8_t *cqe,
		      uint32_t index, void *result);
	/* What the packets of a session share. */
	void (*title)(const struct cqesim_cq_reader *r, void *context, const uint8_t *cqe,
		      void *pattern);
	void (*mini)(const struct cqesim_cq_reader *r, void *context, const void *pattern,
		     enum cqesim_mini_format format, const struct cq_mini *m, void *result);
};

CQ_INLINE uint8_t *cq_slot(const struct cqesim_cq_reader *r, uint32_t index)
{
	return r->ring + ((size_t)(index & r->mask) << r->log_slot);
}

/* byte_cnt of a plain completion or mini in a striding RQ (KRN, PRM-H). */
CQ_INLINE uint32_t cq_length(uint32_t byte_cnt, unsigned log_stride)
{
	return log_stride ? byte_cnt & 0xffff : byte_cnt;
}
CQ_INLINE uint16_t cq_strides(uint32_t byte_cnt, unsigned log_stride)
{
	return log_stride ? byte_cnt >> 16 & 0x7fff : 0;
}
CQ_INLINE bool cq_filler(uint32_t byte_cnt, unsigned log_stride)
{
	return log_stride && byte_cnt >> 31;
}

/* What wqe_counter goes on by after a packet (KRN mlx5e_decompress_cqe). */
CQ_INLINE uint16_t cq_counter_step(uint32_t byte_cnt, unsigned log_stride)
{
	return log_stride ? cq_strides(byte_cnt, log_stride) : 1;
}

/*
 * `count` minis that lie one after the other at raw, as long as their lengths
 * are possible; returns how many.  format and log_stride are constants where it
 * matters for speed.
 */
CQ_INLINE unsigned cq_minis_of(struct cqesim_cq_reader *r, const struct cq_sink *sink,
			       void *context, const void *pattern, enum cqesim_mini_format format,
			       unsigned log_stride, const uint8_t *raw, unsigned count, void *out)
{
	unsigned got = 0;
	uint32_t first = r->i;
	uint16_t counter = r->counter;

	for (; got < count; got++, raw += CQESIM_MINI_BYTES) {
		struct cq_mini m = {.i = first + got, .wqe_counter = counter};

		if (format == CQESIM_MINI_HASH) {
			uint64_t both = cqesim_be_load(raw, 8);

			m.mini.rx_hash_res = (uint32_t)(both >> 32);
			m.mini.byte_cnt = (uint32_t)both;
		} else {
			cqesim_mini_decode(format, raw, &m.mini);
		}
		m.length = cq_length(m.mini.byte_cnt, log_stride);
		m.strides = cq_strides(m.mini.byte_cnt, log_stride);
		m.filler = cq_filler(m.mini.byte_cnt, log_stride);
		if (format == CQESIM_MINI_FTAG_STRIDX && log_stride) {
			/* 24 bits hold neither filler nor strides; PMD mlx5_rx_burst_mprq computes
			 * them. */
			m.filler = false;
			m.strides = (uint16_t)((m.length + (1u << log_stride) - 1) >> log_stride);
		}
		if (format == CQESIM_MINI_REQ || format == CQESIM_MINI_REQ_ITER)
			m.wqe_counter = m.mini.wqe_counter;
		else if (m.length - 1 > 0xfffe && !m.filler && !r->any_length)
			break;
		else if (format != CQESIM_MINI_HASH && format != CQESIM_MINI_CSUM)
			m.wqe_counter = m.mini.stride_index;
		else
			counter += log_stride ? m.strides : 1;
		sink->mini(r, context, pattern, format, &m, (uint8_t *)out + got * sink->bytes);
	}
	r->i = first + got;
	r->counter = counter;
	return got;
}

CQ_INLINE unsigned cq_minis(struct cqesim_cq_reader *r, const struct cq_sink *sink, void *context,
			    const void *pattern, const uint8_t *raw, unsigned count, void *out)
{
	if (r->format == CQESIM_MINI_HASH && !r->log_stride)
		return cq_minis_of(r, sink, context, pattern, CQESIM_MINI_HASH, 0, raw, count, out);
	return cq_minis_of(r, sink, context, pattern, r->format, r->log_stride, raw, count, out);
}

/* Where mini i of the session or array at ci lies: arrays at k+1, k+8, k+16 ..., or at k. */
CQ_INLINE const uint8_t *cq_mini_at(const struct cqesim_cq_reader *r, uint32_t i)
{
	uint32_t first = i / CQESIM_MINIS_PER_ARRAY * CQESIM_MINIS_PER_ARRAY;

	if (r->layout == CQESIM_CQ_BASIC && !first)
		first = 1;
	return cq_slot(r, r->ci + first) + i % CQESIM_MINIS_PER_ARRAY * CQESIM_MINI_BYTES;
}

/* All packets of a session were returned: on to the next entry. */
static inline void cq_session_done(struct cqesim_cq_reader *r)
{
	uint8_t *const ring = r->ring + CQESIM_OP_OWN_BYTE;
	const uint32_t mask = r->mask, end = r->ci + r->n;
	const unsigned log_slot = r->log_slot;
	uint32_t index = r->ci + (r->invalidate == CQESIM_INVALIDATE_DPDK_SCALAR ? 1 : 0);

	r->n = 0;
	r->ci = end;
	if (r->layout == CQESIM_CQ_ENHANCED)
		return;
	/* Basic: op_own of its slots, so that what lies there cannot be taken for a completion. */
	if (r->invalidate == CQESIM_INVALIDATE_LINUX) {
		/* In the next lap the other bit is the valid one (also past the ring's end). */
		for (const unsigned log_size = r->log_size; index != end; index++)
			ring[(size_t)(index & mask) << log_slot] =
				index >> log_size & CQESIM_OWNER_MASK;
		return;
	}
	for (; index != end; index++)
		ring[(size_t)(index & mask) << log_slot] = CQESIM_OP_OWN(CQESIM_OP_INVALID, 0, 0);
}

/* Up to max packets of the session or array being read; less than asked for if a mini is bad. */
CQ_INLINE unsigned cq_session(struct cqesim_cq_reader *r, const struct cq_sink *sink, void *context,
			      const uint8_t *title, uint8_t *out, unsigned max)
{
	uint8_t pattern[64] __attribute__((aligned(64)));
	unsigned got = 0;

	sink->title(r, context, title, pattern);
	while (got < max && r->i < r->n) {
		uint32_t count = CQESIM_MINIS_PER_ARRAY - r->i % CQESIM_MINIS_PER_ARRAY;

		if (count > r->n - r->i)
			count = r->n - r->i;
		if (count > max - got)
			count = max - got;
		unsigned good = cq_minis(r, sink, context, pattern, cq_mini_at(r, r->i), count,
					 out + got * sink->bytes);
		got += good;
		if (good < count)
			return got;
	}
	if (r->i == r->n)
		cq_session_done(r);
	return got;
}

/* The mini that cq_session stopped at: give it up. */
static int cq_bad_mini(struct cqesim_cq_reader *r, struct cqesim_cq_fault *fault)
{
	struct cqesim_mini mini;

	cqesim_mini_decode(r->format, cq_mini_at(r, r->i), &mini);
	if (fault)
		*fault = (struct cqesim_cq_fault){
			.kind = CQESIM_CQ_FAULT_MINI_LENGTH,
			.index = r->ci,
			.slot = r->ci & r->mask,
			.mini = r->i,
			.found = mini.byte_cnt,
		};
	if (++r->i == r->n)
		cq_session_done(r);
	return -EBADMSG;
}

/* The entry at ci: what it announces. */
struct cq_entry {
	enum cqesim_cq_fault_kind fault;
	uint32_t minis;   /* 0: a plain completion */
	uint32_t found;   /* what is at fault */
	uint32_t indices; /* that it takes, if at fault */
};

/* Opcodes 7 to 11: DV names none. */
CQ_INLINE bool cq_no_opcode(unsigned opcode)
{
	return 0x0f80u >> opcode & 1;
}

CQ_INLINE bool cq_error_opcode(unsigned opcode)
{
	return 0x7000u >> opcode & 1; /* SIG_ERR, REQ_ERR, RESP_ERR */
}

CQ_INLINE struct cq_entry cq_basic_entry(const struct cqesim_cq_reader *r, const uint8_t *slot,
					 uint8_t op_own)
{
	struct cq_entry e = {.indices = 1, .found = op_own >> 4};

	if (cq_no_opcode(op_own >> 4)) {
		e.fault = CQESIM_CQ_FAULT_OPCODE;
	} else if ((op_own >> 2 & 3) == CQESIM_FORMAT_COMPRESSED && !cq_error_opcode(op_own >> 4)) {
		e.minis = e.found = cqesim_cqe_get_byte_cnt(slot);
		if (e.minis < 2)
			e.fault = CQESIM_CQ_FAULT_SESSION_SHORT;
		else if (e.minis > r->mask + 1)
			e.fault = CQESIM_CQ_FAULT_SESSION_LONG;
	}
	return e;
}

CQ_INLINE struct cq_entry cq_enhanced_entry(const struct cqesim_cq_reader *r, uint8_t op_own,
					    bool has_title)
{
	struct cq_entry e = {.indices = 1, .found = op_own >> 4};

	if ((op_own >> 2 & 3) == CQESIM_FORMAT_COMPRESSED) {
		e.minis = e.found = (op_own >> 4) + 1u;
		/* A number that cannot be does not tell where the next entry is either. */
		if (e.minis > CQESIM_ENHANCED_MINIS || e.minis > r->mask + 1) {
			e.fault = CQESIM_CQ_FAULT_ARRAY_LONG;
		} else if (!has_title) {
			e.fault = CQESIM_CQ_FAULT_NO_TITLE;
			e.indices = e.minis;
		}
	} else if (cq_no_opcode(op_own >> 4)) {
		e.fault = CQESIM_CQ_FAULT_OPCODE;
	}
	return e;
}

static int cq_bad_entry(struct cqesim_cq_reader *r, const struct cq_entry *e,
			struct cqesim_cq_fault *fault)
{
	if (fault)
		*fault = (struct cqesim_cq_fault){
			.kind = e->fault,
			.index = r->ci,
			.slot = r->ci & r->mask,
			.found = e->found,
		};
	r->ci += e->indices;
	return -EBADMSG;
}

/*
 * Is the slot at ci software's?  Basic: the lap's owner bit (PMD check_cqe,
 * rdma-core get_sw_cqe); enhanced: the lap's count (KRN, PMD
 * check_cqe_iteration).  In both an opcode that is not INVALID.  That byte is
 * loaded with acquire, before anything else of the slot.
 */
CQ_INLINE bool cq_owned(const uint8_t *slot, uint32_t lap, bool enhanced, uint8_t *op_own)
{
	if (enhanced) {
		if (__atomic_load_n(&slot[CQESIM_ITERATION_BYTE], __ATOMIC_ACQUIRE) != (uint8_t)lap)
			return false;
		*op_own = slot[CQESIM_OP_OWN_BYTE];
	} else {
		*op_own = __atomic_load_n(&slot[CQESIM_OP_OWN_BYTE], __ATOMIC_ACQUIRE);
		if ((*op_own ^ lap) & CQESIM_OWNER_MASK)
			return false;
	}
	return *op_own >> 4 != CQESIM_OP_INVALID;
}

CQ_INLINE int cq_read_layout(struct cqesim_cq_reader *r, const struct cq_sink *sink, void *context,
			     void *results, unsigned max, struct cqesim_cq_fault *fault,
			     bool enhanced)
{
	const uint8_t *title = r->title; /* copied at the end: until then its slot is still ours */
	uint8_t *out = results;
	unsigned got = 0;
	uint8_t op_own;
	int rc = 0;

	while (got < max) {
		if (r->n) {
			unsigned good = cq_session(r, sink, context, title, out + got * sink->bytes,
						   max - got);
			got += good;
			if (got == max || !r->n)
				continue;
			if (!got)
				rc = cq_bad_mini(r, fault);
			break; /* what is good first */
		}
		const uint8_t *slot = cq_slot(r, r->ci);
		if (!cq_owned(slot, r->ci >> r->log_size, enhanced, &op_own))
			break;
		struct cq_entry e = enhanced ? cq_enhanced_entry(r, op_own, r->has_title)
					     : cq_basic_entry(r, slot, op_own);
		if (e.fault) {
			if (!got)
				return cq_bad_entry(r, &e, fault);
			break;
		}
		if (!e.minis) {
			sink->plain(r, context, slot, r->ci++, out + got++ * sink->bytes);
			if (enhanced && !cq_error_opcode(op_own >> 4)) {
				title = slot;
				r->has_title = true;
				r->counter = cqesim_cqe_get_wqe_counter(slot) +
					     cq_counter_step(cqesim_cqe_get_byte_cnt(slot),
							     r->log_stride);
			}
			continue;
		}
		r->n = e.minis;
		r->i = 0;
		if (!enhanced) {
			title = slot;
			r->counter = cqesim_cqe_get_wqe_counter(slot);
		}
	}
	if (title != r->title && (r->n || enhanced))
		memcpy(r->title, title, CQESIM_CQE_BYTES);
	return rc ? rc : (int)got;
}

CQ_INLINE int cq_read(struct cqesim_cq_reader *r, const struct cq_sink *sink, void *context,
		      void *results, unsigned max, struct cqesim_cq_fault *fault)
{
	if (r->layout == CQESIM_CQ_ENHANCED)
		return cq_read_layout(r, sink, context, results, max, fault, true);
	return cq_read_layout(r, sink, context, results, max, fault, false);
}

#endif
