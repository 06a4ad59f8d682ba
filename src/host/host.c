/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The poll loop in simulated time: see host.h.  Empty polls are counted in one
 * step up to the next completion, so that idle time costs nothing to simulate.
 */
#include <errno.h>
#include <stdlib.h>

#include "host_internal.h"

/* Cycles have decimals (26.7 per packet): the core's clock counts thousandths. */
#define MILLI 1000.0

/* Not negative, not a NaN, and small enough that a burst's sum is far from overflowing. */
static bool cycles_are_good(double cycles)
{
	return cycles >= 0 && cycles <= 1e7;
}

static uint64_t milli(double cycles)
{
	return (uint64_t)(cycles * MILLI + 0.5);
}

int cqesim_host_create(struct cqesim_host_queue **out, const struct cqesim_host_config *c,
		       const struct cqesim_cq_reader *reader,
		       const struct cqesim_rq_poster *poster, uint32_t *cq_dbrec,
		       cqesim_host_deliver deliver, void *deliver_context)
{
	*out = NULL;
	if (!cycles_are_good(c->poll_cycles) || !cycles_are_good(c->empty_poll_cycles) ||
	    !cycles_are_good(c->plain_cycles) || !cycles_are_good(c->mini_cycles) ||
	    !cycles_are_good(c->session_cycles))
		return -EINVAL;
	if (!(c->clock_hz >= 1e6 && c->clock_hz <= 1e11) || !milli(c->empty_poll_cycles) ||
	    !c->burst || c->burst > CQESIM_BURST_MAX || !c->replenish ||
	    (c->rule == CQESIM_POLL_DPDK_VEC && c->burst < CQESIM_VEC_BURST_MIN) ||
	    c->replenish > poster->mask + 1)
		return -EINVAL;

	struct cqesim_host_queue *q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->event_mask = reader->mask;
	q->event = calloc((size_t)q->event_mask + 1, sizeof(*q->event));
	q->completion = calloc(c->burst, sizeof(*q->completion));
	if (!q->event || !q->completion ||
	    cqesim_pacer_init(&q->core, (uint64_t)(c->clock_hz + 0.5) * (uint64_t)MILLI, 1)) {
		cqesim_host_destroy(q);
		return -ENOMEM;
	}
	q->reader = *reader;
	q->poster = *poster;
	q->cq_dbrec = cq_dbrec;
	q->deliver = deliver;
	q->deliver_context = deliver_context;
	q->poll = milli(c->poll_cycles);
	q->empty = milli(c->empty_poll_cycles);
	q->empty_cost = q->empty * q->core.num; /* up to 10^10 x 10^9: the rate has a factor of 1000 */
	q->empty_inv = q->empty_cost > 1 ? cqesim_reciprocal(q->empty_cost) : 0;
	q->plain = milli(c->plain_cycles);
	q->mini = milli(c->mini_cycles);
	q->session = milli(c->session_cycles);
	q->burst = c->burst;
	q->replenish = c->replenish;
	q->vec = c->rule == CQESIM_POLL_DPDK_VEC;
	*out = q;
	return 0;
}

void cqesim_host_destroy(struct cqesim_host_queue *q)
{
	if (!q)
		return;
	free(q->event);
	free(q->completion);
	free(q);
}

void cqesim_host_published(struct cqesim_host_queue *q, uint64_t ps, uint32_t count)
{
	/* One event per completion at most, and no more completions than slots: it cannot overrun. */
	q->event[q->tail++ & q->event_mask] = (struct event){ps, count};
	q->invisible += count;
}

/* What is visible by the time of the poll. */
static void look(struct cqesim_host_queue *q)
{
	while (q->seen != q->tail && q->event[q->seen & q->event_mask].ps <= q->core.ps) {
		uint32_t count = q->event[q->seen++ & q->event_mask].count;

		q->visible += count;
		q->invisible -= count;
	}
}

/* Nothing there: poll again and again until something is, or until until_ps has passed. */
static void poll_empty(struct cqesim_host_queue *q, uint64_t until_ps)
{
	uint64_t goal = until_ps == UINT64_MAX ? until_ps : until_ps + 1;

	if (q->seen != q->tail && q->event[q->seen & q->event_mask].ps < goal)
		goal = q->event[q->seen & q->event_mask].ps;

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
}

static void count_burst(struct cqesim_host_queue *q, unsigned n)
{
	struct cqesim_host_stats *s = &q->stats;
	uint64_t class = (q->visible * CQESIM_OCCUPANCY_CLASSES - 1) / (q->reader.mask + 1);

	s->polls++;
	s->burst_hist[n]++;
	s->packets += n;
	s->occupancy_sum += q->visible;
	if (q->visible > s->occupancy_max)
		s->occupancy_max = q->visible;
	s->occupancy_hist[class < CQESIM_OCCUPANCY_CLASSES ? class : CQESIM_OCCUPANCY_CLASSES - 1]++;
}

/* Cycles of a burst: minis and plain CQEs cost different things, and so does each new session. */
static uint64_t burst_cost(struct cqesim_host_queue *q, unsigned n)
{
	uint64_t minis = 0, sessions = 0, bytes = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct cqesim_completion *c = &q->completion[i];

		bytes += c->meta.byte_cnt;
		minis += c->session_n != 0;
		sessions += c->session_n && !c->session_i;
		q->stats.errors += c->opcode >= CQESIM_OP_REQ_ERR;
	}
	q->stats.bytes += bytes;
	return q->poll + (n - minis) * q->plain + minis * q->mini + sessions * q->session;
}

/* How many packets the call returns, and for the vector rule also what it posts. */
static unsigned call(struct cqesim_host_queue *q)
{
	if (q->vec)
		return host_vec_call(q);
	unsigned n = q->visible < q->burst ? (unsigned)q->visible : q->burst;
	q->free_buffers += n;
	q->post_due = q->free_buffers >= q->replenish;
	return n;
}

static int poll_burst(struct cqesim_host_queue *q)
{
	unsigned want = call(q);
	int got = cqesim_cq_poll(&q->reader, q->completion, want, &q->fault);

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
	count_burst(q, want);

	uint64_t start = q->core.ps;
	cqesim_pacer_advance(&q->core, burst_cost(q, want));
	q->stats.busy_ps += q->core.ps - start;
	q->visible -= want;
	int rc = q->deliver ? q->deliver(q->deliver_context, q->completion, want, start) : 0;
	if (rc < 0)
		return rc;
	if (q->cq_dbrec)
		cqesim_cq_doorbell(&q->reader, q->cq_dbrec);
	return 0;
}

int cqesim_host_advance(struct cqesim_host_queue *q, uint64_t until_ps)
{
	if (q->failed)
		return q->failed;
	while (q->core.ps <= until_ps) {
		if (q->post_due) { /* the end of the poll before: now the device may see it */
			cqesim_rq_repost(&q->poster, q->free_buffers);
			cqesim_rq_doorbell(&q->poster);
			q->free_buffers = 0;
			q->post_due = false;
		}
		look(q);
		if (!q->visible) {
			if (q->vec) { /* the second call posts what lies past the ring's end */
				host_vec_replenish(q);
				host_vec_replenish(q);
			}
			poll_empty(q, until_ps);
			continue;
		}
		int rc = poll_burst(q);
		if (rc < 0) {
			q->failed = rc;
			return rc;
		}
	}
	return 0;
}

uint64_t cqesim_host_next_ps(const struct cqesim_host_queue *q)
{
	return q->core.ps;
}

uint64_t cqesim_host_pending(const struct cqesim_host_queue *q)
{
	return q->visible + q->invisible;
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
