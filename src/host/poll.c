/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The poll loop in simulated time: see host.h.  A step is one call of the receive
 * function, or all the calls that find nothing up to the next completion, so that
 * idle time costs nothing to simulate.
 */
#include <errno.h>

#include "host_internal.h"

/* The replay's hot loop: compilers leave functions with two callers outside. */
#define INLINED static inline __attribute__((always_inline))

/* ---- calls that find nothing ---- */

/*
 * Poll again and again until something is there, until_ps has passed or the core is
 * called away.  How often.
 */
static uint64_t poll_empty(struct cqesim_host_queue *q, uint64_t until_ps)
{
	uint64_t goal = until_ps + 1;

	if (q->seen != q->inbox.tail && q->inbox.event[q->seen & q->inbox.mask].ps < goal)
		goal = q->inbox.event[q->seen & q->inbox.mask].ps;
	if (q->away.next_ps < goal)
		goal = q->away.next_ps;

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

/* One that does more than to look. */
static uint64_t poll_empty_once(struct cqesim_host_queue *q, uint64_t cycles)
{
	cqesim_pacer_advance(&q->core, cycles);
	q->stats.empty_polls++;
	return 1;
}

/* mlx5e_napi_poll goes on as long as a WQE could not be posted for want of a buffer. */
static bool may_sleep(const struct cqesim_host_queue *q)
{
	return q->interrupts && !(q->striding && q->striding->filled != q->striding->used_up);
}

static uint64_t nothing(struct cqesim_host_queue *q, uint64_t until_ps)
{
	q->arm_due = q->interrupts;
	return may_sleep(q) ? poll_empty_once(q, q->empty) : poll_empty(q, until_ps);
}

static void cyclic_nothing(struct cqesim_host_queue *q, uint64_t until_ps)
{
	if (host_ixgbe_rearm_due(q)) {
		struct host_call call = {0};

		host_ixgbe_call(q, &call);
		q->stats.tail_writes += call.tails;
		poll_empty_once(q, q->empty + call.tails * q->tail);
		q->arm_due = q->interrupts;
		return;
	}
	uint64_t polls = nothing(q, until_ps);

	/* The second one posts what lies past the ring's end. */
	for (unsigned i = 0; q->vec && i < 2 && i < polls; i++)
		host_vec_replenish(q);
}

/* ---- calls that find something ---- */

/* Up to the burst, whatever is visible. */
static void simple_call(struct cqesim_host_queue *q, struct host_call *call)
{
	call->packets = host_take_rest(q, call, q->burst);
	while (call->packets < q->burst && host_peek(q))
		call->packets += host_take_entry(q, call, q->burst - call->packets);
	q->free_buffers += call->packets;
	q->post_due = q->free_buffers >= q->replenish ? q->free_buffers : 0;
}

static void rule_call(struct cqesim_host_queue *q, struct host_call *call)
{
	if (q->striding)
		host_striding_call(q, call);
	else if (q->vec)
		host_vec_call(q, call);
	else if (q->rule == CQESIM_POLL_SIMPLE)
		simple_call(q, call);
	else
		host_ixgbe_call(q, call);
}

/* Read at once: how many strides are free, and how many bytes there are, stands in completions. */
int host_read_now(struct cqesim_host_queue *q, const struct host_call *call, uint64_t *cost)
{
	unsigned n = q->unread;
	uint64_t bytes = q->stats.bytes;
	int rc = host_read_ring(q);

	if (rc >= 0 && q->striding)
		rc = host_striding_read(q, q->completion, n, call, cost);
	*cost += ((q->stats.bytes - bytes) * q->byte + 500) / 1000;
	return rc;
}

void host_tell(const struct cqesim_host_queue *q, const struct host_call *call, unsigned polls,
	       uint64_t occupancy)
{
	const struct cqesim_host_returned r = {
		.ps = q->call_ps,
		.packets = call->packets,
		.fillers = call->fillers,
		.polls = polls,
		.occupancy = polls ? occupancy : 0,
	};

	q->returned(q->returned_context, &r);
}

/* A call that has something to return, in itself.  What it costs, its frame apart. */
INLINED int call(struct cqesim_host_queue *q, struct host_call *call, uint64_t *cost)
{
	uint64_t occupancy = q->visible;
	int rc = 0;

	rule_call(q, call);
	unsigned entries = call->packets + call->fillers;
	q->unread += entries;
	q->visible -= entries;
	q->taken += entries;
	q->left_behind = q->visible >= (q->vec ? VEC_PER_LOOP : 1);
	q->call_ps = q->core.ps;
	q->stats.calls += entries != 0;
	if (q->returned && entries)
		host_tell(q, call, !q->framing, occupancy);
	*cost = q->call + (call->packets - call->minis) * q->plain + call->minis * q->mini +
		call->sessions * q->session;
	if (call->tails) {
		*cost += call->tails * q->tail;
		q->stats.tail_writes += call->tails;
	}
	if (q->striding || q->byte)
		rc = host_read_now(q, call, cost);
	return rc;
}

INLINED void spend(struct cqesim_host_queue *q, uint64_t cycles)
{
	if (__builtin_expect(q->away.share != 0, false))
		cycles = host_vary(&q->away, cycles);
	cqesim_pacer_advance(&q->core, cycles);
	q->stats.busy_ps += q->core.ps - q->call_ps;
}

/* One poll that finds something: what it returns, and what it costs. */
static int poll_burst(struct cqesim_host_queue *q)
{
	struct host_call c = {0};
	uint64_t occupancy = q->visible, cost;
	int rc = call(q, &c, &cost);

	host_count_burst(q, c.packets, occupancy);
	spend(q, cost + q->poll);
	if (q->interrupts)
		q->arm_due = host_counted(q, c.packets, c.fillers) < q->burst;
	return rc;
}

uint64_t host_frame_called(struct cqesim_host_queue *q, unsigned packets, unsigned n)
{
	q->framing = true;
	q->framed += packets;
	q->frame_counted += n;
	if (n == q->burst && q->frame_counted < q->frame)
		return 0;
	uint64_t cost = q->poll + q->framed * q->app;

	host_count_burst(q, q->framed, q->frame_occupancy);
	q->arm_due = q->interrupts && q->frame_counted < q->frame;
	q->framing = false;
	q->framed = q->frame_counted = 0;
	return cost;
}

/* One call of a frame's.  All but the first may find nothing. */
static int frame_call(struct cqesim_host_queue *q)
{
	struct host_call c = {0};
	uint64_t cost;

	q->burst = host_min(q->frame - q->frame_counted, q->burst_most);
	if (!q->framing)
		q->frame_occupancy = q->visible;
	int rc = call(q, &c, &cost);
	spend(q, cost + host_frame_called(q, c.packets, host_counted(q, c.packets, c.fillers)));
	return rc;
}

static int something(struct cqesim_host_queue *q, uint64_t until_ps)
{
	if (q->rule == CQESIM_POLL_NAPI)
		return host_napi(q, until_ps);
	return q->frame ? frame_call(q) : poll_burst(q);
}

/* ---- a step ---- */

/* The device may know of buffers only after the completions in their way were read. */
static int ring_doorbell(struct cqesim_host_queue *q)
{
	int rc = host_read_ring(q);

	if (rc < 0)
		return rc;
	cqesim_rq_doorbell(&q->poster);
	q->doorbell_due = false;
	return 0;
}

static int striding_step(struct cqesim_host_queue *q, uint64_t until_ps)
{
	if (!q->open)
		host_striding_between(q);
	if (q->arm_due && may_sleep(q)) {
		host_arm(q);
		return 0;
	}
	host_look(q);
	if (q->visible || q->framing || q->open)
		return something(q, until_ps);
	host_striding_empty(q, nothing(q, host_striding_until(q, until_ps)));
	return 0;
}

INLINED int step(struct cqesim_host_queue *q, uint64_t until_ps)
{
	int rc = 0;

	if (q->striding)
		return striding_step(q, until_ps);
	if (q->post_due) { /* the end of the call before */
		cqesim_rq_repost(&q->poster, q->post_due);
		q->free_buffers -= q->post_due;
		q->post_due = 0;
		q->doorbell_due = true;
	}
	if (q->arm_due) {
		host_arm(q);
	} else {
		host_look(q);
		if (q->visible || q->framing || q->open)
			rc = something(q, until_ps);
		else
			cyclic_nothing(q, until_ps);
	}
	if (rc < 0)
		return rc;
	if (q->doorbell_due)
		return ring_doorbell(q);
	return q->unread >= q->unread_max ? host_read_ring(q) : 0;
}

/* Does a step begin by until_ps?  Events and absences come before it. */
static bool comes_to(struct cqesim_host_queue *q, uint64_t until_ps)
{
	if (__builtin_expect(q->steady, true))
		return q->core.ps <= until_ps;
	if (q->asleep && !host_wake(q, until_ps))
		return false;
	while (!q->open && q->core.ps <= until_ps && q->away.next_ps <= q->core.ps)
		host_go_away(q);
	return q->core.ps <= until_ps;
}

int cqesim_host_advance(struct cqesim_host_queue *q, uint64_t until_ps)
{
	if (until_ps == UINT64_MAX)
		return -EINVAL;
	while (comes_to(q, until_ps) && !q->failed)
		q->failed = step(q, until_ps);
	q->inbox.asleep = q->asleep;
	q->inbox.next_ps = q->asleep ? host_wake_ps(q) : q->core.ps;
	return q->failed;
}
