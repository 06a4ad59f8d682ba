/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The poll loop in simulated time: see host.h.  Empty polls are counted in one
 * step up to the next completion, so that idle time costs nothing to simulate.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host_internal.h"

/* With batch_reads the ring is read when so many packets wait for it. */
#define READ_BATCH 256u

const char *cqesim_shortage_name(enum cqesim_shortage shortage)
{
	static const char *const name[CQESIM_SHORTAGES] = {"link", "application", "core", "ring"};

	return (unsigned)shortage < CQESIM_SHORTAGES ? name[shortage] : "unknown";
}

static bool config_is_good(const struct cqesim_host_config *c,
			   const struct cqesim_rq_poster *poster)
{
	if (!host_cycles_are_good(c->poll_cycles) || !host_cycles_are_good(c->empty_poll_cycles) ||
	    !host_cycles_are_good(c->plain_cycles) || !host_cycles_are_good(c->mini_cycles) ||
	    !host_cycles_are_good(c->session_cycles))
		return false;
	if (!(c->clock_hz >= 1e6 && c->clock_hz <= 1e11) || !host_milli(c->empty_poll_cycles) ||
	    !c->burst || c->burst > CQESIM_BURST_MAX || !c->replenish ||
	    (c->rule == CQESIM_POLL_DPDK_VEC && c->burst < CQESIM_VEC_BURST_MIN))
		return false;
	return c->striding || (poster && c->replenish <= poster->mask + 1);
}

int cqesim_host_create(struct cqesim_host_queue **out, const struct cqesim_host_config *c,
		       const struct cqesim_cq_reader *reader, const struct cqesim_rq_poster *poster,
		       uint32_t *cq_dbrec, cqesim_host_deliver deliver, void *deliver_context)
{
	*out = NULL;
	if (!config_is_good(c, poster))
		return -EINVAL;

	struct cqesim_host_queue *q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->inbox.mask = reader->mask;
	q->inbox.event = calloc((size_t)reader->mask + 1, sizeof(*q->inbox.event));
	q->vec = c->rule == CQESIM_POLL_DPDK_VEC;
	q->batch_reads = c->batch_reads;
	q->unread_max = c->batch_reads ? READ_BATCH : 1;
	q->completion =
		calloc(READ_BATCH + c->burst + (size_t)reader->mask + 1, sizeof(*q->completion));
	/* Cycles have decimals (26.7 per packet): the core's clock counts thousandths. */
	if (!q->inbox.event || !q->completion ||
	    cqesim_pacer_init(&q->core, (uint64_t)(c->clock_hz + 0.5) * 1000, 1)) {
		cqesim_host_destroy(q);
		return -ENOMEM;
	}
	q->reader = *reader;
	q->replenish = c->replenish;
	q->burst = c->burst;
	int rc = c->striding ? host_striding_create(q, c->striding) : 0;
	if (rc) {
		cqesim_host_destroy(q);
		return rc;
	}
	if (!c->striding)
		q->poster = *poster;
	q->cq_dbrec = cq_dbrec;
	q->deliver = deliver;
	q->deliver_context = deliver_context;
	q->poll = host_milli(c->poll_cycles);
	q->empty = host_milli(c->empty_poll_cycles);
	q->empty_cost =
		q->empty * q->core.num; /* up to 10^10 x 10^9: the rate has a factor of 1000 */
	q->empty_inv = q->empty_cost > 1 ? cqesim_reciprocal(q->empty_cost) : 0;
	q->plain = host_milli(c->plain_cycles);
	q->mini = host_milli(c->mini_cycles);
	q->session = host_milli(c->session_cycles);
	*out = q;
	return 0;
}

void cqesim_host_destroy(struct cqesim_host_queue *q)
{
	if (!q)
		return;
	host_striding_free(q->striding);
	free(q->inbox.event);
	free(q->completion);
	free(q);
}

struct cqesim_host_inbox *cqesim_host_inbox(struct cqesim_host_queue *q)
{
	return &q->inbox;
}

void cqesim_host_published(struct cqesim_host_queue *q, uint64_t ps, uint32_t count)
{
	cqesim_host_announce(&q->inbox, ps, count, false);
}

/* What is visible by the time of the poll. */
static void look(struct cqesim_host_queue *q)
{
	const struct cqesim_host_inbox *in = &q->inbox;

	while (q->seen != in->tail && in->event[q->seen & in->mask].ps <= q->core.ps)
		q->visible += in->event[q->seen++ & in->mask].count;
}

/* Nothing there: poll again and again until something is, or until until_ps has passed.  How often.
 */
static uint64_t poll_empty(struct cqesim_host_queue *q, uint64_t until_ps)
{
	uint64_t goal = until_ps + 1;

	if (q->seen != q->inbox.tail && q->inbox.event[q->seen & q->inbox.mask].ps < goal)
		goal = q->inbox.event[q->seen & q->inbox.mask].ps;

	/* ceil(gap / cost of a poll), both in 1/den ps; goal lies after the core's time. */
	unsigned __int128 gap = (unsigned __int128)(goal - q->core.ps) * q->core.den - q->core.rem;
	uint64_t polls, rest;

	if (!(uint64_t)(gap >> 64) && q->empty_inv) {
		polls = cqesim_divide((uint64_t)gap, q->empty_cost, q->empty_inv, &rest);
		polls += rest != 0;
	} else {
		polls = (uint64_t)((gap + q->empty_cost - 1) / q->empty_cost);
	}
	unsigned __int128 units = (unsigned __int128)polls * q->empty;
	while (units >> 64) { /* 100 days of gap are too many 1/1000 cycles for one step */
		uint64_t step = UINT64_MAX / q->empty * q->empty;
		cqesim_pacer_advance(&q->core, step);
		units -= step;
	}
	cqesim_pacer_advance(&q->core, (uint64_t)units);
	q->stats.empty_polls += polls;
	return polls;
}

static void count_burst(struct cqesim_host_queue *q, unsigned n)
{
	struct cqesim_host_stats *s = &q->stats;
	/* The ring is a power of two, and so are the classes. */
	uint64_t class = (q->visible * CQESIM_OCCUPANCY_CLASSES - 1) >> q->reader.log_size;

	s->polls++;
	s->burst_hist[n]++;
	s->packets += n;
	s->occupancy_sum += q->visible;
	if (q->visible > s->occupancy_max)
		s->occupancy_max = q->visible;
	s->occupancy_hist
		[class < CQESIM_OCCUPANCY_CLASSES ? class : CQESIM_OCCUPANCY_CLASSES - 1]++;
}

/*
 * `want` packets from the ring, behind those read ahead.  What is left of a
 * session is read too, as drivers do: were it left in the ring, the device could
 * write over its minis when the buffers of its first packets are posted again.
 */
static int take(struct cqesim_host_queue *q, unsigned want)
{
	unsigned have = q->ahead;

	if (have && q->ahead_at)
		memmove(q->completion, q->completion + q->ahead_at, have * sizeof(*q->completion));
	if (have < want) {
		int got = cqesim_cq_poll(&q->reader, q->completion + have, want - have, &q->fault);

		if (got < 0)
			return got;
		have += (unsigned)got;
	}
	while (q->reader.n) {
		int rest = cqesim_cq_poll(&q->reader, q->completion + have,
					  q->reader.n - q->reader.i, &q->fault);

		if (rest < 0)
			return rest;
		have += (unsigned)rest;
	}
	if (have < want)
		return (int)have;
	q->ahead = have - want;
	q->ahead_at = want;
	return (int)want;
}

/* Read what the calls so far have returned, and hand it on. */
static int read_ring(struct cqesim_host_queue *q)
{
	unsigned want = q->unread;
	uint64_t bytes = 0;

	if (!want)
		return 0;
	q->unread = 0;
	int got = take(q, want);
	if (got != (int)want) {
		/* Good ones may have come first: ask once more for what is wrong with the next. */
		if (got >= 0 && cqesim_cq_poll(&q->reader, q->completion, 1, &q->fault) >= 0) {
			/* announced, but the ring does not show it */
			q->fault = (struct cqesim_cq_fault){
				.index = q->reader.ci,
				.slot = q->reader.ci & q->reader.mask,
			};
		}
		return -EBADMSG;
	}
	for (unsigned i = 0; i < want; i++) {
		bytes += q->completion[i].meta.byte_cnt;
		q->stats.errors += q->completion[i].opcode >= CQESIM_OP_REQ_ERR;
	}
	q->stats.bytes += bytes;
	if (q->deliver) {
		int rc = q->deliver(q->deliver_context, q->completion, want, q->call_ps);
		if (rc < 0)
			return rc;
	}
	if (q->cq_dbrec)
		cqesim_cq_doorbell(&q->reader, q->cq_dbrec);
	return 0;
}

/* Up to the burst, whatever is visible. */
static void simple_call(struct cqesim_host_queue *q, struct host_call *call)
{
	call->packets = host_take_rest(q, call, q->burst);
	while (call->packets < q->burst && host_peek(q))
		call->packets += host_take_entry(q, call, q->burst - call->packets);
	q->free_buffers += call->packets;
	q->post_due = q->free_buffers >= q->replenish;
}

/* A striding queue's completions are read at once: how many strides are free stands in them. */
static int read_strides(struct cqesim_host_queue *q, const struct host_call *call, uint64_t *cost)
{
	unsigned n = q->unread;
	int rc = read_ring(q);

	return rc < 0 ? rc : host_striding_read(q, q->completion, n, call, cost);
}

/* One poll that finds something: what it returns, and what it costs. */
static int poll_burst(struct cqesim_host_queue *q)
{
	struct host_call call = {0};
	uint64_t more = 0;
	int rc = 0;

	if (q->striding)
		host_striding_call(q, &call);
	else if (q->vec)
		host_vec_call(q, &call);
	else
		simple_call(q, &call);
	count_burst(q, call.packets);
	unsigned entries = call.packets + call.fillers;
	q->unread += entries;
	q->visible -= entries;
	q->taken += entries;
	q->left_behind = q->visible >= (q->vec ? VEC_PER_LOOP : 1);
	q->call_ps = q->core.ps;
	if (q->striding)
		rc = read_strides(q, &call, &more);
	cqesim_pacer_advance(&q->core, q->poll + (call.packets - call.minis) * q->plain +
					       call.minis * q->mini + call.sessions * q->session +
					       more);
	q->stats.busy_ps += q->core.ps - q->call_ps;
	return rc;
}

/* The device may know of buffers only after the completions in their way were read. */
static int ring_doorbell(struct cqesim_host_queue *q)
{
	int rc = read_ring(q);

	if (rc < 0)
		return rc;
	cqesim_rq_doorbell(&q->poster);
	q->doorbell_due = false;
	return 0;
}

static int striding_step(struct cqesim_host_queue *q, uint64_t until_ps)
{
	host_striding_between(q);
	look(q);
	if (q->visible)
		return poll_burst(q);
	host_striding_empty(q, poll_empty(q, host_striding_until(q, until_ps)));
	return 0;
}

static int step(struct cqesim_host_queue *q, uint64_t until_ps)
{
	if (q->striding)
		return striding_step(q, until_ps);
	if (q->post_due) { /* the end of the poll before */
		cqesim_rq_repost(&q->poster, q->free_buffers);
		q->free_buffers = 0;
		q->post_due = false;
		q->doorbell_due = true;
	}
	look(q);
	if (q->visible) {
		int rc = poll_burst(q);
		if (rc < 0)
			return rc;
	} else {
		uint64_t polls = poll_empty(q, until_ps);

		/* The second one posts what lies past the ring's end. */
		for (unsigned i = 0; q->vec && i < 2 && i < polls; i++)
			host_vec_replenish(q);
	}
	if (q->doorbell_due)
		return ring_doorbell(q);
	return q->unread >= q->unread_max ? read_ring(q) : 0;
}

int cqesim_host_advance(struct cqesim_host_queue *q, uint64_t until_ps)
{
	if (until_ps == UINT64_MAX)
		return -EINVAL;
	while (q->core.ps <= until_ps && !q->failed)
		q->failed = step(q, until_ps);
	return q->failed;
}

int cqesim_host_flush(struct cqesim_host_queue *q)
{
	if (!q->failed)
		q->failed = read_ring(q);
	return q->failed;
}

uint64_t cqesim_host_next_ps(const struct cqesim_host_queue *q)
{
	return q->core.ps;
}

/* Completions visible at now_ps and not returned by a call. */
static uint64_t landed(struct cqesim_host_queue *q, uint64_t now_ps)
{
	const struct cqesim_host_inbox *in = &q->inbox;

	/* Polls may have looked further than the last question did. */
	if ((int32_t)(q->seen - q->landed) > 0) {
		q->landed = q->seen;
		q->landed_count = q->taken + q->visible;
	}
	while (q->landed != in->tail && in->event[q->landed & in->mask].ps <= now_ps)
		q->landed_count += in->event[q->landed++ & in->mask].count;
	return q->landed_count - q->taken;
}

uint64_t cqesim_host_held(struct cqesim_host_queue *q, uint64_t now_ps)
{
	return landed(q, now_ps) + q->free_buffers;
}

enum cqesim_shortage cqesim_host_shortage(struct cqesim_host_queue *q, uint64_t now_ps)
{
	const struct host_striding *s = q->striding;
	uint64_t software = cqesim_host_held(q, now_ps);
	/* Striding: completions stand for strides; WQEs not posted yet are software's as well. */
	uint64_t all = s ? software + q->inbox.announced - q->landed_count : q->poster.mask + 1;

	if (s && s->used_up != s->filled)
		return CQESIM_SHORT_APPLICATION;
	if (2 * software < all && !(s && s->used_up != s->posted))
		return CQESIM_SHORT_LINK;
	return q->left_behind ? CQESIM_SHORT_CORE : CQESIM_SHORT_RING;
}

uint64_t cqesim_host_pending(const struct cqesim_host_queue *q)
{
	return q->inbox.announced - q->taken;
}

const struct cqesim_host_stats *cqesim_host_stats(const struct cqesim_host_queue *q)
{
	return &q->stats;
}

const struct cqesim_cq_fault *cqesim_host_fault(const struct cqesim_host_queue *q)
{
	return &q->fault;
}

const struct cqesim_cq_reader *cqesim_host_reader(const struct cqesim_host_queue *q)
{
	return &q->reader;
}
