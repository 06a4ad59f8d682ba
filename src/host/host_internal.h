/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver's queue, shared by the files of this folder. */
#ifndef CQESIM_HOST_INTERNAL_H
#define CQESIM_HOST_INTERNAL_H

#include "cqesim/host.h"

struct event { /* a plain completion or a session, and when it can be seen */
	uint64_t ps;
	uint32_t count;
};

struct cqesim_host_queue {
	struct cqesim_pacer core; /* units: 1/1000 cycle; its clock is the next poll */
	struct cqesim_cq_reader reader;
	struct cqesim_rq_poster poster;
	uint32_t *cq_dbrec;
	cqesim_host_deliver deliver;
	void *deliver_context;

	/* Ring of as many events as the CQ has slots: head <= seen <= tail. */
	struct event *event;
	uint32_t event_mask;
	uint32_t head;      /* the next one to be taken (vector rule) */
	uint32_t seen;      /* visible up to here */
	uint32_t tail;
	uint64_t visible;   /* completions announced and visible, not read */
	uint64_t invisible; /* announced, not yet visible */
	uint32_t left;      /* vector rule: of a session that was decompressed, not returned */

	uint64_t poll, empty, plain, mini, session; /* 1/1000 cycle */
	uint64_t empty_cost; /* of an empty poll, in 1/den ps of the core's pacer */
	uint64_t empty_inv;  /* its reciprocal */
	unsigned burst, replenish;
	bool vec;
	unsigned free_buffers; /* consumed and not posted again */
	bool post_due;         /* simple rule: the poll before this one ended with a doorbell */
	int failed; /* what ended it; 0: running */

	struct cqesim_cq_fault fault;
	struct cqesim_host_stats stats;
	struct cqesim_completion *completion;
};

/* vec.c: packets that one call returns, and the buffers that it posts meanwhile. */
unsigned host_vec_call(struct cqesim_host_queue *q);
/* The replenishing of a call that finds nothing. */
void host_vec_replenish(struct cqesim_host_queue *q);

#endif
