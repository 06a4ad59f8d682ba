/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one call of DPDK's vector receive function does (PMD mlx5_rx_burst_vec,
 * rxq_burst_v and mlx5_rx_replenish_bulk_mbuf, 22.11 and 24.11), told by counts:
 *
 *   round, until the caller's burst is full or a round looks and finds nothing:
 *     1. replenish: when `replenish` buffers or more are free, post all but four
 *        of them, not past the ring's end
 *     2. return what is left of a session that was decompressed, up to 64 packets
 *     3. look at plain entries in fours, within what is left of burst and 64,
 *        not past the ring's end, nor past the last four buffers that are posted,
 *        up to the first title or invisible entry
 *     4. decompress the session of that title, return what still fits
 *
 * So fewer than four packets asked for get nothing new, and up to three stay
 * behind when a session's rest and plain entries meet in one call.  That it minds
 * the posted buffers is new with "net/mlx5: fix polling CQEs" (25.03; 22.11.11 has
 * it): up to three of the last ones wait for a round that has posted more.
 */
#include "host_internal.h"

static uint32_t in_fours(uint32_t n)
{
	return n / VEC_PER_LOOP * VEC_PER_LOOP;
}

void host_vec_replenish(struct cqesim_host_queue *q)
{
	if (q->free_buffers < q->replenish || q->free_buffers <= VEC_PER_LOOP)
		return;
	uint32_t to_end = q->poster.mask + 1 - (q->poster.pi & q->poster.mask);
	uint32_t n = host_min(q->free_buffers - VEC_PER_LOOP, to_end);

	cqesim_rq_repost(&q->poster, n);
	q->doorbell_due = true;
	q->free_buffers -= n;
}

/* One round of a call that still wants so many.  False: it is the call's last. */
static bool vec_round(struct cqesim_host_queue *q, struct host_call *call, unsigned want)
{
	unsigned rest = host_take_rest(q, call, host_min(want, VEC_PER_ROUND)), got = 0;
	uint32_t to_end = q->reader.mask + 1 - (q->index & q->reader.mask);
	uint32_t posted = q->poster.mask + 1 - q->free_buffers - rest;

	want = host_min(in_fours(host_min(want, VEC_PER_ROUND) - rest),
			host_min(to_end, in_fours(posted)));
	while (got < want && host_peek(q) == 1)
		got += host_take_entry(q, call, 1);
	if (got < want && host_peek(q))
		got += host_take_entry(q, call, want - got);
	call->packets += rest + got;
	q->free_buffers += rest + got;
	return want ? got : rest;
}

void host_vec_call(struct cqesim_host_queue *q, struct host_call *call)
{
	do
		host_vec_replenish(q);
	while (vec_round(q, call, q->burst - call->packets) && call->packets < q->burst);
}
