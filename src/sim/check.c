/* SPDX-License-Identifier: BSD-3-Clause */
/* The check that what a queue's core reads back is what was sent. */
#include <errno.h>
#include <string.h>

#include "sim_internal.h"

static const char *differing_field(const struct cqesim_rxmeta *a, const struct cqesim_rxmeta *b,
				   const struct cqesim_rxmeta *mask)
{
#define DIFFERS(field)                                                                             \
	if ((a->field ^ b->field) & mask->field)                                                   \
	return #field
	DIFFERS(byte_cnt);
	DIFFERS(rx_hash_res);
	DIFFERS(flow_tag);
	DIFFERS(user_index);
	DIFFERS(vlan_info);
	DIFFERS(csum);
	DIFFERS(rx_hash_type);
	DIFFERS(pkt_info);
	DIFFERS(hds_ip_ext);
	DIFFERS(l4_l3_hdr_type);
#undef DIFFERS
	return "wqe_counter, wqe_id, strides or opcode";
}

static int mismatch(struct queue *q, const struct cqesim_completion *c,
		    const struct cqesim_rxmeta *sent, const struct cqesim_rxmeta *mask)
{
	return cqesim_fail(
		&q->sim->fault, -EBADMSG,
		"internal error: queue %u, packet %llu: the completion at index %u (slot %u) "
		"does not say what was sent: %s",
		q->number, (unsigned long long)q->read_count, c->index,
		c->index & (q->sim->config.cq_size - 1), differing_field(&c->meta, sent, mask));
}

static inline uint64_t word(const struct cqesim_rxmeta *m, unsigned i)
{
	uint64_t v;

	memcpy(&v, (const uint8_t *)m + i * sizeof(v), sizeof(v));
	return v;
}

/* Bits in which two of them differ, where mask has bits. */
static inline uint64_t differing_bits(const struct cqesim_rxmeta *a, const struct cqesim_rxmeta *b,
				      const uint64_t mask[META_WORDS])
{
	return ((word(a, 0) ^ word(b, 0)) & mask[0]) | ((word(a, 1) ^ word(b, 1)) & mask[1]) |
	       ((word(a, 2) ^ word(b, 2)) & mask[2]);
}

/* Packets that are right go on: out of the card again, to whoever watches. */
static int observe(struct queue *q, const struct cqesim_completion *c, unsigned n, uint64_t now_ps)
{
	const struct cqesim_ring_observer *o = q->sim->config.observer;
	int rc = q->tx ? sim_forward(q, c, n, now_ps) : 0;

	if (rc)
		return rc;
	return o && o->polled ? o->polled(o->context, q->number, now_ps, c, n) : 0;
}

static const uint64_t everything[META_WORDS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};

/*
 * What must be as it was sent.  A packet whose completion is not its own has the
 * title's fields: in the basic layout all of a session but the first, in the
 * enhanced one all of an array.
 */
static inline const uint64_t *sent_mask(const struct cqesim_sim *sim,
					const struct cqesim_completion *c)
{
	bool shared = sim->result.layout == CQESIM_CQ_ENHANCED ? c->session_n : c->session_i;

	return shared ? sim->meta_mask : everything;
}

static bool same_place(const struct sent_place *p, const struct cqesim_completion *c)
{
	return p->wqe == c->wqe_id && p->stride == c->wqe_counter && p->strides == c->strides &&
	       p->filler == c->filler;
}

static int deliver_striding(struct queue *q, const struct cqesim_completion *c, unsigned n,
			    uint64_t now_ps)
{
	for (unsigned i = 0; i < n; i++, q->read_count++) {
		uint64_t at = q->read_count & q->sent_mask;
		const uint64_t *mask = sent_mask(q->sim, &c[i]);

		if (differing_bits(&c[i].meta, &q->sent[at], mask) ||
		    c[i].opcode != CQESIM_OP_RESP_SEND || !same_place(&q->place[at], &c[i]) ||
		    q->read_count == q->sent_count)
			return mismatch(q, &c[i], &q->sent[at], (const struct cqesim_rxmeta *)mask);
		q->fillers_read += c[i].filler;
	}
	return observe(q, c, n, now_ps);
}

int sim_deliver(void *context, const struct cqesim_completion *c, unsigned n, uint64_t now_ps)
{
	struct queue *q = context;
	const struct cqesim_sim *sim = q->sim;

	if (q->sent_count - q->read_count < n)
		n = (unsigned)(q->sent_count - q->read_count) +
		    1; /* the first that was never sent */
	if (q->place)
		return deliver_striding(q, c, n, now_ps);
	for (unsigned i = 0; i < n; i++, q->read_count++) {
		const struct cqesim_rxmeta *sent = &q->sent[q->read_count & q->sent_mask];
		const uint64_t *mask = sent_mask(sim, &c[i]);

		if (__builtin_expect(differing_bits(&c[i].meta, sent, mask) ||
					     c[i].opcode != CQESIM_OP_RESP_SEND ||
					     c[i].wqe_counter != (uint16_t)q->read_count ||
					     q->read_count == q->sent_count,
				     0))
			return mismatch(q, &c[i], sent, (const struct cqesim_rxmeta *)mask);
	}
	return observe(q, c, n, now_ps);
}
