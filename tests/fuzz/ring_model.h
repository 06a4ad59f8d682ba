/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ring_model.h - the reader of cq.h once more, one completion at a time and as
 * plainly as its header describes it, to be compared with the real one.  It
 * knows the wire format by itself: no table or function of the library is used.
 */
#ifndef CQESIM_RING_MODEL_H
#define CQESIM_RING_MODEL_H

#include "cqesim/cq.h"
#include "fuzz.h"

struct model {
	uint8_t *ring;
	struct cqesim_cq_shape shape;
	enum cqesim_invalidate invalidate;
	uint32_t ci, n, i;
	uint16_t counter;
	bool has_title;
	uint8_t title[64];
};

enum model_event_kind { MODEL_NOTHING, MODEL_COMPLETION, MODEL_FAULT };

/* What a poll for one completion has to return. */
struct model_event {
	enum model_event_kind kind;
	enum cqesim_cq_fault_kind fault;
	uint32_t index, found, mini;
	uint32_t session_n, session_i;
	uint32_t length;
	uint16_t strides, wqe_counter;
	bool filler;
	uint8_t opcode;
	uint8_t shared[64]; /* the CQE that all other fields are from */
	uint8_t own[8];     /* the mini */
};

static inline uint32_t model_be(const uint8_t *p, unsigned bytes)
{
	uint32_t v = 0;
	while (bytes--)
		v = v << 8 | *p++;
	return v;
}

static inline uint8_t *model_slot(const struct model *m, uint32_t index)
{
	uint32_t slots = UINT32_C(1) << m->shape.log_size;
	size_t bytes = m->shape.cqe_128 ? 128 : 64;
	return m->ring + index % slots * bytes + (bytes - 64);
}

static inline uint32_t model_lap(const struct model *m, uint32_t index)
{
	return index >> m->shape.log_size;
}

/* byte_cnt: in a striding RQ bits 31 filler, 30:16 strides, 15:0 length. */
static inline void model_byte_cnt(const struct model *m, uint32_t byte_cnt, struct model_event *e)
{
	bool striding = m->shape.log_stride != 0;
	e->length = striding ? byte_cnt & 0xffff : byte_cnt;
	e->strides = striding ? byte_cnt >> 16 & 0x7fff : 0;
	e->filler = striding && byte_cnt >> 31;
}

static inline void model_fault(struct model *m, struct model_event *e,
			       enum cqesim_cq_fault_kind fault, uint32_t found, uint32_t indices)
{
	e->kind = MODEL_FAULT;
	e->fault = fault;
	e->index = m->ci;
	e->found = found;
	m->ci += indices;
}

/* All of a session was returned. */
static inline void model_session_over(struct model *m)
{
	for (uint32_t k = 0; k < m->n && m->shape.layout == CQESIM_CQ_BASIC; k++) {
		uint8_t *op_own = &model_slot(m, m->ci + k)[63];
		if (m->invalidate == CQESIM_INVALIDATE_LINUX)
			*op_own = model_lap(m, m->ci + k) & 1;
		else if (k || m->invalidate == CQESIM_INVALIDATE_DPDK_VEC)
			*op_own = 0xf0;
	}
	m->ci += m->n;
	m->n = 0;
}

/* Mini i of the session: basic k+1 (0-7), k+8 (8-15), k+16 ...; enhanced in slot k. */
static inline const uint8_t *model_mini(const struct model *m)
{
	uint32_t slot = m->i / 8 * 8;
	if (m->shape.layout == CQESIM_CQ_BASIC && m->i < 8)
		slot = 1;
	return model_slot(m, m->ci + slot) + m->i % 8 * 8;
}

static inline void model_next_mini(struct model *m, struct model_event *e)
{
	enum cqesim_mini_format format = m->shape.format;
	bool sent = format == CQESIM_MINI_REQ || format == CQESIM_MINI_REQ_ITER;
	bool counts = format == CQESIM_MINI_HASH || format == CQESIM_MINI_CSUM;
	memcpy(e->own, model_mini(m), 8);
	uint32_t byte_cnt = model_be(e->own + 4, 4);
	if (format == CQESIM_MINI_FTAG_STRIDX) {
		byte_cnt &= 0xffffff;
		model_byte_cnt(m, byte_cnt, e);
		uint32_t stride = UINT32_C(1) << m->shape.log_stride;
		e->filler = false;
		e->strides =
			m->shape.log_stride ? (uint16_t)((e->length + stride - 1) / stride) : 0;
	} else {
		model_byte_cnt(m, byte_cnt, e);
	}
	e->index = m->ci;
	e->session_n = m->n;
	e->session_i = m->i;
	if (!sent && !m->shape.any_length && !e->filler && (e->length == 0 || e->length > 0xffff)) {
		model_fault(m, e, CQESIM_CQ_FAULT_MINI_LENGTH, byte_cnt, 0);
		e->mini = m->i;
	} else {
		e->kind = MODEL_COMPLETION;
		memcpy(e->shared, m->title, 64);
		e->opcode = m->title[63] >> 4;
		e->wqe_counter =
			counts ? m->counter : (uint16_t)model_be(e->own + (sent ? 0 : 2), 2);
		m->counter += counts ? (m->shape.log_stride ? e->strides : 1) : 0;
	}
	if (++m->i == m->n)
		model_session_over(m);
}

static inline void model_plain(struct model *m, const uint8_t *cqe, struct model_event *e)
{
	e->kind = MODEL_COMPLETION;
	e->index = m->ci++;
	e->opcode = cqe[63] >> 4;
	e->wqe_counter = (uint16_t)model_be(cqe + 60, 2);
	model_byte_cnt(m, model_be(cqe + 44, 4), e);
	memcpy(e->shared, cqe, 64);
	/* Enhanced: the title of what follows, unless it is an error. */
	if (m->shape.layout == CQESIM_CQ_ENHANCED && (e->opcode < 12 || e->opcode > 14)) {
		memcpy(m->title, cqe, 64);
		m->has_title = true;
		m->counter = (uint16_t)(e->wqe_counter + (m->shape.log_stride ? e->strides : 1));
	}
}

/* The next entry; false if it opened a session, whose first mini is then the event. */
static inline bool model_entry(struct model *m, struct model_event *e)
{
	const uint8_t *cqe = model_slot(m, m->ci);
	const uint32_t slots = UINT32_C(1) << m->shape.log_size;
	bool enhanced = m->shape.layout == CQESIM_CQ_ENHANCED;
	bool mine = enhanced ? cqe[62] == (model_lap(m, m->ci) & 0xff)
			     : (cqe[63] & 1) == (model_lap(m, m->ci) & 1);
	unsigned high = cqe[63] >> 4, format = cqe[63] >> 2 & 3;
	if (!mine || high == 15)
		return true;
	if (enhanced && format == 3) {
		if (high + 1 > 7 || high + 1 > slots)
			model_fault(m, e, CQESIM_CQ_FAULT_ARRAY_LONG, high + 1, 1);
		else if (!m->has_title)
			model_fault(m, e, CQESIM_CQ_FAULT_NO_TITLE, high + 1, high + 1);
		else
			m->n = high + 1;
	} else if (high >= 7 && high <= 11) {
		model_fault(m, e, CQESIM_CQ_FAULT_OPCODE, high, 1);
	} else if (!enhanced && format == 3 && high < 12) {
		uint32_t n = model_be(cqe + 44, 4);
		if (n < 2 || n > slots) {
			model_fault(m, e,
				    n < 2 ? CQESIM_CQ_FAULT_SESSION_SHORT
					  : CQESIM_CQ_FAULT_SESSION_LONG,
				    n, 1);
		} else {
			m->n = n;
			memcpy(m->title, cqe, 64);
			m->counter = (uint16_t)model_be(cqe + 60, 2);
		}
	} else {
		model_plain(m, cqe, e);
	}
	m->i = 0;
	return !m->n;
}

static inline void model_step(struct model *m, struct model_event *e)
{
	memset(e, 0, sizeof(*e));
	if (m->n || !model_entry(m, e))
		model_next_mini(m, e);
}

#endif
