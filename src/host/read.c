/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the ring: which packets a call returns follows from times and counts
 * alone, so that several calls' completions may be read, checked and handed on at
 * once, at the latest before the device can write over them.
 */
#include <errno.h>
#include <string.h>

#include "host_internal.h"

/*
 * `want` packets from the ring, behind those read ahead.  What is left of a
 * session is read too, as drivers do: were it left in the ring, the device could
 * write over its minis when the buffers of its first packets are posted again.
 * So is what ixgbe's rule has taken from the ring and not returned.
 */
static int take(struct cqesim_host_queue *q, unsigned want)
{
	unsigned have = q->ahead, all = want + q->staged;

	if (have && q->ahead_at)
		memmove(q->completion, q->completion + q->ahead_at, have * sizeof(*q->completion));
	if (have < all) {
		int got = cqesim_cq_poll(&q->reader, q->completion + have, all - have, &q->fault);

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

int host_deliver_gathered(struct cqesim_host_queue *q)
{
	unsigned n = q->gathered_count;

	q->gathered_count = 0;
	return n && q->deliver ? q->deliver(q->deliver_context, q->gathered, n, q->call_ps) : 0;
}

static int hand_on(struct cqesim_host_queue *q, unsigned n)
{
	if (!q->gathered)
		return q->deliver ? q->deliver(q->deliver_context, q->completion, n, q->call_ps)
				  : 0;
	memcpy(q->gathered + q->gathered_count, q->completion, n * sizeof(*q->completion));
	q->gathered_count += n;
	return 0;
}

int host_read_ring(struct cqesim_host_queue *q)
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
	int rc = hand_on(q, want);
	if (rc < 0)
		return rc;
	if (q->cq_dbrec)
		cqesim_cq_doorbell(&q->reader, q->cq_dbrec);
	return 0;
}
