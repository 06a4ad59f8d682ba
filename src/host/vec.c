/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one call of DPDK's vector receive function does (PMD mlx5_rx_burst_vec,
 * rxq_burst_v and mlx5_rx_replenish_bulk_mbuf, 22.11 and 24.11), told by counts:
 *
 *   round, until the caller's burst is full or a round finds nothing:
 *     1. replenish: when `replenish` buffers or more are free, post all but four
 *        of them, not past the ring's end
 *     2. return what is left of a session that was decompressed, up to 64 packets
 *     3. look at plain entries in fours, within what is left of burst and 64,
 *        not past the ring's end, up to the first title or invisible entry
 *     4. decompress the session of that title, return what still fits
 *
 * So fewer than four packets asked for get nothing new, and up to three stay
 * behind when a session's rest and plain entries meet in one call.
 */
#include "host_internal.h"

#define PER_LOOP 4u   /* MLX5_VPMD_DESCS_PER_LOOP, also the buffers kept back */
#define PER_ROUND 64u /* MLX5_VPMD_RX_MAX_BURST */

static uint32_t min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void host_vec_replenish(struct cqesim_host_queue *q)
{
	if (q->free_buffers < q->replenish || q->free_buffers <= PER_LOOP)
		return;
	uint32_t to_end = q->poster.mask + 1 - (q->poster.pi & q->poster.mask);
	uint32_t n = min(q->free_buffers - PER_LOOP, to_end);

	cqesim_rq_repost(&q->poster, n);
	cqesim_rq_doorbell(&q->poster);
	q->free_buffers -= n;
}

/* The next visible entry's packets; 0: there is none. */
static uint32_t peek(const struct cqesim_host_queue *q)
{
	return q->head == q->seen ? 0 : q->event[q->head & q->event_mask].count;
}

/* One round for up to `want` packets, the first of which is number `returned` of the call. */
static unsigned vec_round(struct cqesim_host_queue *q, unsigned want, uint32_t index)
{
	unsigned rest = min(q->left, min(want, PER_ROUND));

	q->left -= rest;
	want = (min(want, PER_ROUND) - rest) / PER_LOOP * PER_LOOP;
	want = min(want, q->reader.mask + 1 - ((index + rest) & q->reader.mask));
	if (!want)
		return rest;

	unsigned plain = 0;
	while (plain < want && peek(q) == 1) {
		plain++;
		q->head++;
	}
	uint32_t session = plain < want ? peek(q) : 0;
	if (session) {
		uint32_t fits = min(session, want - plain);

		q->head++;
		q->left = session - fits;
		plain += fits;
	}
	return rest + plain;
}

unsigned host_vec_call(struct cqesim_host_queue *q)
{
	/* Where the next packet to be returned lies; sessions do not cross the ring's end. */
	uint32_t index = q->reader.ci + (q->reader.n ? q->reader.i : 0);
	unsigned total = 0, got;

	do {
		host_vec_replenish(q);
		got = vec_round(q, q->burst - total, index + total);
		total += got;
		q->free_buffers += got;
	} while (got && total < q->burst);
	return total;
}
