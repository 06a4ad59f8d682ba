/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver's queue, shared by the files of this folder. */
#ifndef CQESIM_HOST_INTERNAL_H
#define CQESIM_HOST_INTERNAL_H

#include "cqesim/host.h"

struct cqesim_host_queue {
	struct cqesim_pacer core; /* units: 1/1000 cycle; its clock is the next poll */
	struct cqesim_cq_reader reader;
	struct cqesim_rq_poster poster;
	uint32_t *cq_dbrec;
	cqesim_host_deliver deliver;
	void *deliver_context;

	/* Events: head <= seen <= inbox.tail. */
	struct cqesim_host_inbox inbox;
	uint32_t head;         /* the next one to be taken */
	uint32_t seen;         /* visible up to here */
	uint32_t landed;       /* visible by the time of cqesim_host_held up to here ... */
	uint64_t landed_count; /* ... which makes so many completions, in all */
	uint64_t visible;      /* completions visible and not taken */
	uint64_t taken;        /* completions returned by calls, in all */
	uint32_t left;         /* of a session that calls have begun to return */
	uint32_t index;        /* consumer index of the next packet to be returned */

	uint64_t poll, empty, plain, mini, session; /* 1/1000 cycle */
	uint64_t empty_cost; /* of an empty poll, in 1/den ps of the core's pacer */
	uint64_t empty_inv;  /* its reciprocal */
	unsigned burst, replenish;
	bool vec, batch_reads;
	unsigned free_buffers; /* consumed and not posted again */
	bool post_due;         /* simple rule: the poll before this one ended with posting */
	bool doorbell_due;     /* buffers were posted: the device may know when the ring was read */
	int failed;            /* what ended it; 0: running */

	/*
	 * Packets that calls have returned and nobody has read from the ring; and,
	 * behind each other, completions that were read ahead of their call.
	 */
	unsigned unread, unread_max;
	struct cqesim_completion *completion;
	unsigned ahead, ahead_at;
	uint64_t call_ps; /* when the last call began */

	struct cqesim_cq_fault fault;
	struct cqesim_host_stats stats;
};

/* What one call of the receive function returns. */
struct host_call {
	unsigned packets;
	unsigned minis;    /* of these: from sessions */
	unsigned sessions; /* begun */
};

/* The next visible entry's packets; 0: there is none. */
static inline uint32_t host_peek(const struct cqesim_host_queue *q)
{
	return q->head == q->seen ? 0 : q->inbox.event[q->head & q->inbox.mask].count;
}

/* Return what is left of a session, up to `want`. */
static inline unsigned host_take_rest(struct cqesim_host_queue *q, struct host_call *call,
				      unsigned want)
{
	unsigned n = q->left < want ? q->left : want;

	q->left -= n;
	q->index += n;
	call->minis += n;
	return n;
}

/* Return the next visible entry, or as much of it as `want` (>= 1) allows. */
static inline unsigned host_take_entry(struct cqesim_host_queue *q, struct host_call *call,
				       unsigned want)
{
	uint32_t count = q->inbox.event[q->head++ & q->inbox.mask].count;

	if (count == 1) {
		q->index++;
		return 1;
	}
	call->sessions++;
	q->left = count;
	return host_take_rest(q, call, want);
}

/* vec.c: one call, and the buffers that it posts meanwhile. */
void host_vec_call(struct cqesim_host_queue *q, struct host_call *call);
/* The replenishing of a call that finds nothing. */
void host_vec_replenish(struct cqesim_host_queue *q);

#endif
