/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver's queue, shared by the files of this folder. */
#ifndef CQESIM_HOST_INTERNAL_H
#define CQESIM_HOST_INTERNAL_H

#include "cqesim/host.h"

/* striding.c: what a striding queue has beside the rest. */
struct host_striding {
	struct cqesim_host_striding config;
	struct cqesim_striding_poster poster;
	uint32_t wqes, strides; /* of the ring, of a WQE */
	uint64_t attach, copy;  /* 1/1000 cycle */
	uint32_t consumed;      /* strides of the WQE that completions are about */
	/* WQEs in the order of the ring: used up >= have a buffer again >= posted again. */
	uint32_t used_up, filled, posted;
	uint32_t *buffer; /* of each place of the ring; NO_BUFFER: none yet */
	uint32_t *held;   /* per buffer: packets that the application has in it */
	bool *in_ring;    /* per buffer */
	uint32_t *spare;
	uint32_t spares;
	bool attach_allowed; /* copy_if_none: there is a replacement */
	uint32_t mbufs;      /* vector rule: packet buffers at hand */
	/* Buffers of the packets that the last call returned and the application does not keep. */
	uint32_t *returned;
	uint32_t returned_count;
	/* What it keeps, oldest first, from kept_first on in a ring of 2^n. */
	struct host_kept {
		uint64_t ps;
		uint32_t buffer;
	} * kept;
	uint64_t kept_first, kept_count, kept_room;
	uint64_t keep_counter;
};

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
	bool left_behind;               /* the last call left packets in the ring */
	struct host_striding *striding; /* NULL: cyclic */
	unsigned free_buffers;          /* consumed and not posted again */
	bool post_due;     /* simple rule: the poll before this one ended with posting */
	bool doorbell_due; /* buffers were posted: the device may know when the ring was read */
	int failed;        /* what ended it; 0: running */

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
	unsigned fillers;  /* beside them */
};

/* The next visible entry's packets; 0: there is none. */
static inline uint32_t host_peek(const struct cqesim_host_queue *q)
{
	return q->head == q->seen ? 0 : q->inbox.event[q->head & q->inbox.mask].count;
}

static inline bool host_peek_filler(const struct cqesim_host_queue *q)
{
	return q->head != q->seen && q->inbox.event[q->head & q->inbox.mask].filler;
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

/* Cycles as the core's clock counts them. */
static inline uint64_t host_milli(double cycles)
{
	return (uint64_t)(cycles * 1000.0 + 0.5);
}

/* Not negative, not a NaN, and small enough that a burst's sum is far from overflowing. */
static inline bool host_cycles_are_good(double cycles)
{
	return cycles >= 0 && cycles <= 1e7;
}

/* Of DPDK's vector functions. */
#define VEC_PER_LOOP  4u  /* MLX5_VPMD_DESCS_PER_LOOP, also the buffers kept back */
#define VEC_PER_ROUND 64u /* MLX5_VPMD_RX_MAX_BURST */

/* vec.c: one call, and the buffers that it posts meanwhile. */
void host_vec_call(struct cqesim_host_queue *q, struct host_call *call);
/* The replenishing of a call that finds nothing. */
void host_vec_replenish(struct cqesim_host_queue *q);

/* striding.c: posts all WQEs.  -EINVAL, -ENOMEM. */
int host_striding_create(struct cqesim_host_queue *q, const struct cqesim_host_striding *config);
void host_striding_free(struct host_striding *s);
/* Between two calls: release what the application is done with, post what is free. */
void host_striding_between(struct cqesim_host_queue *q);
/* Without a packet, polls go on until then before something is to be done. */
uint64_t host_striding_until(const struct cqesim_host_queue *q, uint64_t until_ps);
/* What so many calls that find nothing do. */
void host_striding_empty(struct cqesim_host_queue *q, uint64_t calls);
/* What one call returns ... */
void host_striding_call(struct cqesim_host_queue *q, struct host_call *call);
/* ... and, from the completions themselves, what becomes of the strides.  *cost: 1/1000 cycle. */
int host_striding_read(struct cqesim_host_queue *q, const struct cqesim_completion *c, unsigned n,
		       const struct host_call *call, uint64_t *cost);

#endif
