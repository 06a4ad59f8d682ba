/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulation's inside, shared by the files of this folder. */
#ifndef CQESIM_SIM_INTERNAL_H
#define CQESIM_SIM_INTERNAL_H

#include <string.h>

#include "cqesim/sim.h"

/* cqesim_rxmeta as words, for comparing. */
#define META_WORDS (sizeof(struct cqesim_rxmeta) / sizeof(uint64_t))
_Static_assert(sizeof(struct cqesim_rxmeta) == 3 * sizeof(uint64_t), "compared in three words");

/* Where an mbuf's data begins in a mempool element: header and struct rte_mbuf, then headroom. */
#define BUFFER_HEAD (64u + 128u)

/* Striding: where a packet lies, or a filler. */
struct sent_place {
	uint16_t wqe, stride, strides;
	bool filler;
};

/* Device addresses: 64 GiB for each queue, the rings in its first pages, then buffers. */
#define QUEUE_SPACE_LOG 36
#define WQ_OFFSET       (UINT64_C(1) << 32)
#define BUFFERS_OFFSET  (UINT64_C(1) << 33)
#define BUFFERS_MAX     (UINT64_C(1) << 35)

/* A completion that is not returned yet: when its packet arrived, and when it could be seen. */
struct sent_times {
	uint64_t arrived_ps; /* IS_FILLER: of no packet */
	uint64_t visible_ps;
};
#define IS_FILLER UINT64_MAX

/* The parts of a driver's queue in memory, and what is in flight. */
struct queue {
	struct cqesim_sim *sim;
	unsigned number;
	uint8_t *cq_ring, *wq_ring;
	uint32_t dbrec[2]; /* RQ, CQ */
	uint8_t *buffers;  /* address space without memory: no data is ever written */
	size_t buffers_size;
	/* The same as the device sees them; not the process's, which differ from run to run. */
	uint64_t cq_address, wq_address, buffers_address;
	uint32_t rqn;
	struct cqesim_host_queue *host;
	struct cqesim_host_inbox *inbox;
	uint64_t last_visible_ps;

	/* In order, ring of as many as there are WQEs, or strides; or twice as many. */
	struct cqesim_rxmeta *sent;
	struct sent_place *place; /* beside it; striding only */
	uint32_t sent_mask;
	uint64_t sent_count, read_count; /* completions: packets and fillers */
	uint64_t fillers_read;
	/* Twice as many: what comes next has a place before it is known whether it is delivered. */
	struct sent_times *times;
	uint32_t times_mask;
	uint64_t published_count, returned_count;
	uint64_t arrived, dropped[CQESIM_DROPS], shortage[CQESIM_SHORTAGES];
	struct tx_queue *tx; /* forwarding only */
};

struct cqesim_sim {
	struct cqesim_sim_config config;
	struct cqesim_result result;
	struct cqesim_nic *nic;
	struct cqesim_pacer wire; /* units: bytes */
	uint64_t wire_gap_ps;     /* of the gap after a frame */
	uint64_t last_ps;         /* time of the last frame */
	uint64_t oversize, oversize_wire_bytes;
	struct cqesim_tlps lost_data; /* what packets that were not delivered would have been */
	bool data_padding;
	unsigned log_ring, log_cq; /* log_ring: cyclic */
	uint32_t headroom;
	unsigned log_segs;         /* cyclic: of a WQE */
	uint32_t first_room, room; /* cyclic: of its first segment, of each other one */
	size_t buffer_stride;      /* from one buffer to the next */
	uint64_t
		meta_mask[META_WORDS]; /* what must agree in packets of a session after the first */
	struct queue *queue;
	struct tx_plans *plans; /* forwarding only */
	struct cqesim_error fault;
	bool finished;
};

/* config.c: from profiles to the numbers that the stations take. */
int sim_defaults(struct cqesim_sim *sim, struct cqesim_error *err);
int sim_nic_config(const struct cqesim_sim *sim, struct cqesim_nic_config *nic,
		   struct cqesim_error *err);
enum cqesim_invalidate sim_invalidate(const struct cqesim_sim *sim);
/* core.c: driver, application and host together, in sim_defaults and after it. */
int sim_application(struct cqesim_sim *sim, struct cqesim_error *err);
int sim_core(struct cqesim_sim *sim, struct cqesim_error *err);
struct cqesim_host_config sim_host_config(const struct cqesim_sim *sim, unsigned queue);
/* receive.c: shape of the receive queues, in sim_defaults. */
int sim_receive_queue(struct cqesim_sim *sim, struct cqesim_error *err);
struct cqesim_host_striding sim_host_striding(const struct cqesim_sim *sim, struct queue *q);
/* For the mix: the data write that a lost packet did not become. */
struct cqesim_tlps sim_lost_write(const struct cqesim_sim *sim, const struct queue *q,
				  uint32_t bytes);

/* queue.c: a queue's memory, and its parts in device and host. */
int queue_init(struct cqesim_sim *sim, struct queue *q, unsigned number);
void queue_free(struct queue *q);

/* check.c: what comes back is what was sent. */
int sim_deliver(void *context, const struct cqesim_completion *c, unsigned n, uint64_t now_ps);

/* delay.c */
static inline void delay_add(struct cqesim_delay *d, uint64_t ps)
{
	unsigned top = 63 - (unsigned)__builtin_clzll(ps | 32);
	unsigned class = ps < 64 ? (unsigned)ps : (top - 5) * 64 + (unsigned)(ps >> (top - 6) & 63);

	d->hist[class]++;
	d->sum_ps += (double)ps;
	if (ps > d->max_ps)
		d->max_ps = ps;
}
void delay_count(struct cqesim_delay *d);

/* timeline.c; both only with a timeline */
void timeline_arrival(struct cqesim_timeline *t, unsigned queue, uint64_t now_ps,
		      uint64_t backlog_ps, int drop);
#define NO_DROP (-1)
void timeline_poll(struct cqesim_timeline *t, unsigned queue, uint64_t now_ps, uint64_t packets,
		   uint64_t polls, uint64_t occupancy);

/* result.c */
void sim_result(struct cqesim_sim *sim);

/* The logarithm of a power of two; -1 for others. */
static inline int log2_exact(uint64_t v)
{
	return v && !(v & (v - 1)) ? __builtin_ctzll(v) : -1;
}

/* Does this parameter say so? */
static inline bool is(const struct cqesim_profile *p, unsigned id, const char *word)
{
	return !strcmp(cqesim_profile_text(p, id), word);
}

/* forward.c: send rings, and what sending a packet on costs the link. */
int sim_forward_init(struct cqesim_sim *sim, struct cqesim_error *err);
int sim_forward_queue(struct queue *q);
int sim_forward(struct queue *q, const struct cqesim_completion *c, unsigned n, uint64_t now_ps);
void sim_forward_queue_free(struct queue *q);
void sim_forward_free(struct cqesim_sim *sim);
/* Forwarding only: reads that can go by now_ps do. */
void sim_forward_run(struct cqesim_sim *sim, uint64_t now_ps);
void sim_forward_counts(const struct queue *q, uint64_t *sent, uint64_t *dropped);
/* When the last packet that was sent had been read. */
uint64_t sim_forward_end_ps(const struct cqesim_sim *sim);

#endif
