/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one call of the receive functions of DPDK's ixgbe driver does (22.11,
 * drivers/net/ixgbe/ixgbe_rxtx.c, ixgbe_rxtx_vec_sse.c), told by counts.  A
 * descriptor is its packet's completion and its next buffer's request; the device
 * knows of buffers up to the tail register, which is written
 *
 *   scalar, ixgbe_recv_pkts       at the end of a call, when more than rx_free_thresh are
 *                                 free; each packet's descriptor has its new buffer by then
 *   bulk, ..._recv_pkts_bulk_alloc  when a look at the ring has filled a block of
 *                                 rx_free_thresh descriptors: for that block
 *   vector, ..._recv_pkts_vec     at the beginning of a call, when more than 32 are free:
 *                                 for 32 (RTE_IXGBE_RXQ_REARM_THRESH, whatever rx_free_thresh is)
 *
 * Bulk: a look takes up to 32 packets from the ring, eight descriptors at a time
 * (LOOK_AHEAD), into a stage, from which calls are served until it is empty; a call for
 * more than 32 looks again as long as looks are full.  Vector: fours, at most 32, even
 * for a call that asks for more (ixgbe_recv_pkts_vec does not go on; only the function
 * for scattered packets does).  Both stop at the ring's end.
 *
 * The tail never reaches the head: one descriptor is never the device's.  Here the
 * device begins with all of them, and the first write keeps one back.
 */
#include <errno.h>

#include "host_internal.h"

#define REARM          32u /* RTE_IXGBE_RXQ_REARM_THRESH */
#define DESCS_PER_LOOP 4u  /* RTE_IXGBE_DESCS_PER_LOOP */
/* ixgbe_rxtx.h: IXGBE_MIN_RING_DESC, IXGBE_MAX_RING_DESC, IXGBE_RXD_ALIGN. */
#define RING_MIN   32u
#define RING_MAX   4096u
#define RING_ALIGN 8u

int cqesim_ixgbe_rule_check(enum cqesim_poll_rule rule, unsigned ring, unsigned thresh,
			    struct cqesim_error *err)
{
	if (rule != CQESIM_POLL_IXGBE_SCALAR && rule != CQESIM_POLL_IXGBE_BULK &&
	    rule != CQESIM_POLL_IXGBE_VEC)
		return cqesim_fail(err, -EINVAL, "poll rule %d: expected one of ixgbe's",
				   (int)rule);
	if (ring < RING_MIN || ring > RING_MAX || ring % RING_ALIGN)
		return cqesim_fail(err, -EINVAL,
				   "ring %u: ixgbe has rings of %u to %u descriptors, multiples of "
				   "%u",
				   ring, RING_MIN, RING_MAX, RING_ALIGN);
	if (rule == CQESIM_POLL_IXGBE_SCALAR) {
		if (thresh >= ring - 1)
			return cqesim_fail(
				err, -EINVAL,
				"rx_free_thresh %u: expected less than ring - 1 = %u, or "
				"the tail is never written",
				thresh, ring - 1);
		return 0;
	}
	/* check_rx_burst_bulk_alloc_preconditions: ixgbe_recv_pkts would be taken otherwise. */
	if (thresh < IXGBE_BURST_MAX)
		return cqesim_fail(err, -EINVAL,
				   "rx_free_thresh %u: bulk allocation needs at least %u", thresh,
				   IXGBE_BURST_MAX);
	if (thresh >= ring)
		return cqesim_fail(err, -EINVAL,
				   "rx_free_thresh %u: bulk allocation needs less than the ring's "
				   "%u",
				   thresh, ring);
	if (ring % thresh)
		return cqesim_fail(err, -EINVAL,
				   "rx_free_thresh %u: bulk allocation needs a divisor of the "
				   "ring's %u",
				   thresh, ring);
	if (rule == CQESIM_POLL_IXGBE_VEC && (ring & (ring - 1)))
		return cqesim_fail(err, -EINVAL,
				   "ring %u: the vector function needs a power of two", ring);
	return 0;
}

/* Descriptors that the device does not know of and that have been its own. */
static unsigned hold(const struct cqesim_host_queue *q)
{
	return q->free_buffers - q->kept_back;
}

/* The first write of the tail keeps one back. */
static unsigned to_post(struct cqesim_host_queue *q, unsigned n)
{
	n -= !q->kept_back;
	q->kept_back = 1;
	return n;
}

static void write_tail(struct cqesim_host_queue *q, struct host_call *call, unsigned n)
{
	n = to_post(q, n);
	cqesim_rq_repost(&q->poster, n);
	q->free_buffers -= n;
	q->doorbell_due = true;
	call->tails++;
}

static uint32_t to_end(const struct cqesim_host_queue *q)
{
	return q->poster.mask + 1 - (q->scanned & q->poster.mask);
}

/* Packets from the ring, whatever is visible.  ixgbe has no sessions: minis would count as plain.
 */
static unsigned scan(struct cqesim_host_queue *q, unsigned want)
{
	struct host_call ignored = {0};
	unsigned n = host_take_rest(q, &ignored, want);

	while (n < want && host_peek(q))
		n += host_take_entry(q, &ignored, want - n);
	q->scanned += n;
	q->free_buffers += n;
	return n;
}

static void scalar_call(struct cqesim_host_queue *q, struct host_call *call)
{
	call->packets = scan(q, q->burst);
	if (hold(q) <= q->replenish)
		return;
	q->post_due = to_post(q, hold(q));
	call->tails++;
}

static unsigned bulk_round(struct cqesim_host_queue *q, struct host_call *call, unsigned want)
{
	if (!q->staged) {
		q->staged = scan(q, host_min(IXGBE_BURST_MAX, to_end(q)));
		if (hold(q) >= q->replenish)
			write_tail(q, call, q->replenish);
	}
	unsigned n = host_min(want, q->staged);

	q->staged -= n;
	call->packets += n;
	return n;
}

static void bulk_call(struct cqesim_host_queue *q, struct host_call *call)
{
	unsigned want;

	do
		want = host_min(q->burst - call->packets, IXGBE_BURST_MAX);
	while (bulk_round(q, call, want) == want && call->packets < q->burst);
}

bool host_ixgbe_rearm_due(const struct cqesim_host_queue *q)
{
	return q->rule == CQESIM_POLL_IXGBE_VEC && hold(q) > REARM;
}

static void vec_call(struct cqesim_host_queue *q, struct host_call *call)
{
	unsigned want = host_min(q->burst, IXGBE_BURST_MAX) / DESCS_PER_LOOP * DESCS_PER_LOOP;

	if (host_ixgbe_rearm_due(q))
		write_tail(q, call, REARM);
	call->packets = scan(q, host_min(want, to_end(q)));
}

void host_ixgbe_call(struct cqesim_host_queue *q, struct host_call *call)
{
	if (q->rule == CQESIM_POLL_IXGBE_SCALAR)
		scalar_call(q, call);
	else if (q->rule == CQESIM_POLL_IXGBE_BULK)
		bulk_call(q, call);
	else
		vec_call(q, call);
}
