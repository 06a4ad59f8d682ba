/* SPDX-License-Identifier: BSD-3-Clause */
/* Hardware GRO and LRO: which packets one session takes, and where they go.  See aggregate.h. */
#include <string.h>

#include "cqesim/aggregate.h"

/* KRN GRO_LEGACY_MAX_SIZE */
#define WHOLE_BUFFERS_BELOW 65536u

/* ---- data buffers ---- */

static uint64_t align_up(uint64_t at, uint64_t to)
{
	return (at + to - 1) & ~(to - 1);
}

/* How many data buffers the bytes at `start` lie in. */
static uint32_t pieces(const struct cqesim_aggregate *a, uint64_t start, uint64_t bytes)
{
	if (!bytes)
		return 0;
	return (uint32_t)((start + bytes - 1) / a->config.buffer_bytes -
			  start / a->config.buffer_bytes + 1);
}

/*
 * With one context sessions follow each other.  With several each gets room for
 * the longest at once, or they would grow into each other.
 */
static void reserve(struct cqesim_aggregate *a, struct cqesim_session *s,
		    const struct cqesim_segment *g, bool alone)
{
	uint64_t room = alone ? (uint64_t)g->header_bytes + g->payload_bytes : a->config.max_bytes;

	s->data_start = a->cursor = align_up(a->cursor, a->config.align_bytes);
	if (a->config.contexts > 1)
		a->cursor += room;
}

/* ---- sessions ---- */

static void end(struct cqesim_aggregate *a, unsigned i, enum cqesim_flush flush, uint64_t now_ps)
{
	struct cqesim_session s = a->open[i];
	struct cqesim_aggregate_stats *st = &a->stats;

	memmove(&a->open[i], &a->open[i + 1], (--a->opened - i) * sizeof(a->open[0]));
	s.flush = flush;
	s.end_ps = now_ps;
	s.buffers = pieces(a, s.data_start, s.data_bytes);
	s.completions = a->config.cqe_per_segment ? s.segments : 1;
	a->entries_in_use -= s.header_entries;
	st->sessions++;
	st->flushes[flush]++;
	st->joined += s.segments > 1 ? s.segments : 0;
	st->completions += s.completions;
	st->data_bytes += s.data_bytes;
	st->buffers += s.buffers;
	if (s.segments > st->segments_max)
		st->segments_max = s.segments;
	if (a->done)
		a->done(a->done_context, &s);
}

/* They are in the order of their start, and all have the same time-out. */
static void expire(struct cqesim_aggregate *a, uint64_t now_ps)
{
	uint64_t t = a->config.timeout_ps;

	while (t && a->opened && now_ps - a->open[0].start_ps > t)
		end(a, 0, CQESIM_FLUSH_TIMEOUT, a->open[0].start_ps + t);
}

static int find(const struct cqesim_aggregate *a, uint64_t flow)
{
	for (unsigned i = 0; i < a->opened; i++)
		if (a->open[i].flow == flow)
			return (int)i;
	return -1;
}

static bool splits(const struct cqesim_aggregate *a, const struct cqesim_segment *g)
{
	return a->config.header_split && g->header_bytes &&
	       g->header_bytes <= a->config.header_entry_bytes;
}

/* What counts of a session towards max_bytes. */
static uint64_t weight(const struct cqesim_aggregate *a, const struct cqesim_session *s)
{
	uint32_t buffer = a->config.buffer_bytes;

	if (a->config.count_buffers && buffer < WHOLE_BUFFERS_BELOW)
		return (uint64_t)pieces(a, s->data_start, s->data_bytes) * buffer;
	if (a->config.count_buffers)
		return s->header_bytes / s->segments + s->payload_bytes;
	return a->config.kind == CQESIM_AGGREGATE_LRO ? s->data_bytes : s->payload_bytes;
}

/* Does the segment rule out that it opens a session?  Then why the flow's open one ends. */
static bool stands_alone(const struct cqesim_aggregate *a, const struct cqesim_segment *g,
			 enum cqesim_flush *why)
{
	bool lro = a->config.kind == CQESIM_AGGREGATE_LRO;
	unsigned control = CQESIM_TCP_SYN | CQESIM_TCP_RST | CQESIM_TCP_URG;

	if (g->tcp_flags & (lro ? control | CQESIM_TCP_FIN : control))
		*why = CQESIM_FLUSH_CONTROL;
	else if (!g->payload_bytes)
		*why = CQESIM_FLUSH_EMPTY;
	else if (g->payload_bytes < a->config.min_payload)
		*why = CQESIM_FLUSH_SHORT;
	else if ((a->config.header_split && !splits(a, g)) || (lro && g->ip_options))
		*why = CQESIM_FLUSH_HEADER;
	else
		return false;
	return true;
}

/* Why the segment cannot follow in its flow's open session; false: it can. */
static bool breaks(const struct cqesim_aggregate *a, const struct cqesim_session *s,
		   const struct cqesim_segment *g, enum cqesim_flush *why)
{
	const struct cqesim_aggregate_config *c = &a->config;

	if (stands_alone(a, g, why))
		return true;
	if (g->seq != s->next_seq)
		*why = CQESIM_FLUSH_SEQUENCE;
	else if (g->traits != s->traits || (c->exact && g->ack != s->ack) ||
		 (c->kind == CQESIM_AGGREGATE_HW_GRO && g->ttl != s->ttl))
		*why = CQESIM_FLUSH_HEADER;
	else if (c->exact && g->payload_bytes > s->segment_bytes)
		*why = CQESIM_FLUSH_LENGTH;
	else if (weight(a, s) + g->payload_bytes > c->max_bytes ||
		 s->payload_bytes + g->payload_bytes > c->max_bytes ||
		 (s->data_room && s->data_bytes + g->payload_bytes > s->data_room))
		*why = CQESIM_FLUSH_SIZE;
	else if (c->header_split && a->entries_in_use >> c->log_header_entries)
		*why = CQESIM_FLUSH_ENTRIES;
	else
		return false;
	return true;
}

/* Header and data of a segment find their places at the end of the session. */
static void put(struct cqesim_aggregate *a, struct cqesim_session *s,
		const struct cqesim_segment *g, struct cqesim_segment_place *p)
{
	struct cqesim_aggregate_stats *st = &a->stats;
	bool split = splits(a, g);

	p->session = s->id;
	p->match = s->segments > 0;
	p->data_start = s->data_start + s->data_bytes;
	p->data_bytes = g->payload_bytes;
	/* Without a split the first header stays before the data; LRO drops the others. */
	if (!split && !s->segments)
		p->data_bytes += g->header_bytes;
	if (split) {
		p->header_size = g->header_bytes;
		p->header_entry = a->next_entry;
		a->next_entry = (a->next_entry + 1) & ((1u << a->config.log_header_entries) - 1);
		s->header_entries++;
		st->header_entries++;
		if (++a->entries_in_use > st->header_entries_max)
			st->header_entries_max = a->entries_in_use;
	} else if (a->config.header_split) {
		st->not_split++;
	}
	s->segments++;
	s->data_bytes += p->data_bytes;
	s->payload_bytes += g->payload_bytes;
	s->header_bytes += g->header_bytes;
	s->next_seq = g->seq + g->payload_bytes;
	s->ack = g->ack;
	s->window = g->window;
	if (g->ttl < s->ttl)
		s->ttl = g->ttl;
	s->tcp_flags |= g->tcp_flags;
	if (a->config.contexts == 1)
		a->cursor = s->data_start + s->data_bytes;
	if (s->data_start + s->data_bytes > st->data_span)
		st->data_span = s->data_start + s->data_bytes;
}

static unsigned begin(struct cqesim_aggregate *a, const struct cqesim_segment *g, bool alone)
{
	struct cqesim_session *s = &a->open[a->opened];

	*s = (struct cqesim_session){
		.id = a->sessions++,
		.flow = g->flow,
		.start_ps = g->time_ps,
		.traits = g->traits,
		.ttl = g->ttl,
		.segment_bytes = g->payload_bytes,
	};
	reserve(a, s, g, alone);
	return a->opened++;
}

/* Is the session complete with this segment? */
static bool completes(const struct cqesim_aggregate *a, const struct cqesim_session *s,
		      const struct cqesim_segment *g, enum cqesim_flush *why)
{
	if (g->tcp_flags & (CQESIM_TCP_PSH | CQESIM_TCP_FIN))
		*why = CQESIM_FLUSH_FLAGS;
	else if (a->config.exact && g->payload_bytes < s->segment_bytes)
		*why = CQESIM_FLUSH_LENGTH;
	else if (s->segments >= a->config.max_segments)
		*why = CQESIM_FLUSH_SEGMENTS;
	else
		return false;
	return true;
}

/*
 * A context (and a header entry) for one more session: the oldest goes.  What goes
 * alone needs none, but data in one stream must not come between a session's.
 */
static void make_room(struct cqesim_aggregate *a, const struct cqesim_segment *g, bool alone)
{
	if (a->opened == a->config.contexts && (!alone || a->config.contexts == 1))
		end(a, 0, CQESIM_FLUSH_OTHER_FLOW, g->time_ps);
	while (splits(a, g) && a->opened && a->entries_in_use >> a->config.log_header_entries)
		end(a, 0, CQESIM_FLUSH_ENTRIES, g->time_ps);
}

/* End what is over or in the way; the session that is left for the segment, or -1. */
static int prepare(struct cqesim_aggregate *a, const struct cqesim_segment *g, bool *alone)
{
	enum cqesim_flush why;

	expire(a, g->time_ps);
	int i = g->tcp ? find(a, g->flow) : -1;
	if (i >= 0 && breaks(a, &a->open[i], g, &why)) {
		end(a, (unsigned)i, why, g->time_ps);
		i = -1;
	}
	*alone = cqesim_aggregate_alone(a, g);
	if (i < 0)
		make_room(a, g, *alone);
	return i;
}

void cqesim_aggregate_add(struct cqesim_aggregate *a, const struct cqesim_segment *g,
			  struct cqesim_segment_place *place)
{
	struct cqesim_segment_place here = {0};
	enum cqesim_flush why = CQESIM_FLUSH_ALONE;
	bool alone;
	int i = prepare(a, g, &alone);

	a->stats.packets++;
	a->stats.bytes += (uint64_t)g->header_bytes + g->payload_bytes;
	if (i < 0)
		i = (int)begin(a, g, alone);
	struct cqesim_session *s = &a->open[i];
	put(a, s, g, &here);
	if (alone || completes(a, s, g, &why)) {
		here.flush = true;
		end(a, (unsigned)i, why, g->time_ps);
	}
	if (place)
		*place = here;
}

void cqesim_aggregate_stop(struct cqesim_aggregate *a, uint64_t now_ps)
{
	expire(a, now_ps);
	while (a->opened)
		end(a, 0, CQESIM_FLUSH_STOP, now_ps);
}

/* ---- step by step ---- */

bool cqesim_aggregate_joins(const struct cqesim_aggregate *a, const struct cqesim_segment *g)
{
	uint64_t t = a->config.timeout_ps;
	int i = g->tcp ? find(a, g->flow) : -1;
	enum cqesim_flush why;

	return i >= 0 && (!t || g->time_ps - a->open[i].start_ps <= t) &&
	       !breaks(a, &a->open[i], g, &why);
}

bool cqesim_aggregate_alone(const struct cqesim_aggregate *a, const struct cqesim_segment *g)
{
	enum cqesim_flush why;

	return !g->tcp || stands_alone(a, g, &why);
}

void cqesim_aggregate_yield(struct cqesim_aggregate *a, const struct cqesim_segment *g)
{
	bool alone;

	prepare(a, g, &alone);
}

void cqesim_aggregate_room(struct cqesim_aggregate *a, uint32_t data_bytes)
{
	a->open[a->opened - 1].data_room = data_bytes;
}

uint64_t cqesim_aggregate_next_ps(const struct cqesim_aggregate *a)
{
	return a->opened && a->config.timeout_ps ? a->open[0].start_ps + a->config.timeout_ps + 1
						 : UINT64_MAX;
}

void cqesim_aggregate_step(struct cqesim_aggregate *a, uint64_t now_ps)
{
	expire(a, now_ps);
}
