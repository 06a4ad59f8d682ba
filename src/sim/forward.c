/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forwarding: what sending a packet on adds to the link.  The list of accesses
 * is that of the station ceiling for a frame of this length, each with how often
 * per packet; an access is made when its parts have come to a whole one.  So a
 * long run costs what the closed form says.
 *
 * A queue sends from a ring of tx_ring packets.  Reads of its WQEs and data wait
 * in the device, in the order in which they are asked for, until they can go; a
 * packet leaves the ring when what is read for it is there.  One that finds the
 * ring full is freed by the application, as testpmd and VPP do (PMD: the burst
 * function takes as many packets as elts_free says).
 */
#include <errno.h>
#include <stdlib.h>

#include "cqesim/ceiling.h"
#include "sim_internal.h"

#define ACCESSES   (CQESIM_CPU_READ + 1)
#define ALMOST_ONE (1 - 1e-9) /* thirds that are summed up */
#define FRAMES_MAX 65537u
#define FRAME_MIN  64u
/* Behind a queue's buffers: send WQEs and their completions. */
#define SQ_OFFSET    (BUFFERS_OFFSET + BUFFERS_MAX)
#define TX_CQ_OFFSET (SQ_OFFSET + (UINT64_C(1) << 32))

struct tx_plan {
	int count;
	struct cqesim_transaction access[CQESIM_TRANSACTIONS_MAX];
	double per_packet[CQESIM_TRANSACTIONS_MAX];
};

/* A queue's send ring. */
struct tx_queue {
	double part[CQESIM_CAUSES][ACCESSES]; /* of accesses that are not yet whole ones */
	/* Of packets in the ring: when they are read.  0: with the one before; WAITS: not known. */
	uint64_t *done_ps;
	uint64_t head, tail; /* packets that left it, that were put in: the sum of those sent */
	uint64_t dropped;
};
#define WAITS UINT64_MAX

/* A read that was asked for. */
struct tx_read {
	enum cqesim_traffic kind;
	uint32_t length;
	uint64_t address, ready_ps;
	uint64_t *done_ps;
};

/* Those that cannot go yet, of all queues. */
struct tx_reads {
	struct tx_read *read; /* a ring */
	uint64_t size, head, tail;
	uint64_t end_ps; /* when the last that went is answered */
};

struct tx_plans {
	struct cqesim_ceiling_config config;
	struct tx_plan *of_frame[FRAMES_MAX]; /* made when a packet of that length comes */
	struct tx_reads reads;
};

int sim_forward_init(struct cqesim_sim *sim, struct cqesim_error *err)
{
	const struct cqesim_sim_config *c = &sim->config;

	if (!c->forward)
		return 0;
	if (c->tx_ring > CQESIM_TX_RING_MAX)
		return cqesim_fail(err, -EINVAL, "tx-ring %u: expected 1 to %u", c->tx_ring,
				   CQESIM_TX_RING_MAX);
	sim->plans = calloc(1, sizeof(*sim->plans));
	if (!sim->plans)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	struct cqesim_ceiling_config *plan = &sim->plans->config;
	int rc = cqesim_ceiling_from_profiles(plan, c->device, c->link, c->host, err);
	plan->direction = CQESIM_TX;
	plan->tx_inline_max = c->tx_inline;
	plan->tx_mpw = c->tx_mpw ? c->tx_mpw : 1;
	plan->interrupt_every = 0; /* the receiving side has them */
	return rc;
}

int sim_forward_queue(struct queue *q)
{
	if (!q->sim->plans)
		return 0;
	q->tx = calloc(1, sizeof(*q->tx));
	if (q->tx)
		q->tx->done_ps = calloc(q->sim->config.tx_ring, sizeof(*q->tx->done_ps));
	return q->tx && q->tx->done_ps ? 0 : -ENOMEM;
}

void sim_forward_queue_free(struct queue *q)
{
	if (q->tx)
		free(q->tx->done_ps);
	free(q->tx);
}

void sim_forward_counts(const struct queue *q, uint64_t *sent, uint64_t *dropped)
{
	*sent = q->tx ? q->tx->tail : 0;
	*dropped = q->tx ? q->tx->dropped : 0;
}

uint64_t sim_forward_end_ps(const struct cqesim_sim *sim)
{
	return sim->plans ? sim->plans->reads.end_ps : 0;
}

void sim_forward_free(struct cqesim_sim *sim)
{
	if (sim->plans)
		free(sim->plans->reads.read);
	for (unsigned i = 0; sim->plans && i < FRAMES_MAX; i++)
		free(sim->plans->of_frame[i]);
	free(sim->plans);
}

static const struct tx_plan *plan_of(struct cqesim_sim *sim, uint32_t bytes, int *rc)
{
	uint32_t frame = bytes + CQESIM_FCS_BYTES;

	frame = frame < FRAME_MIN ? FRAME_MIN : frame >= FRAMES_MAX ? FRAMES_MAX - 1 : frame;
	struct tx_plan **plan = &sim->plans->of_frame[frame];
	if (*plan)
		return *plan;
	*plan = calloc(1, sizeof(**plan));
	if (!*plan) {
		*rc = -ENOMEM;
		return NULL;
	}
	sim->plans->config.frame_bytes = frame;
	(*plan)->count = cqesim_ceiling_traffic(&sim->plans->config, (*plan)->access, &sim->fault);
	if ((*plan)->count < 0) {
		*rc = (*plan)->count;
		(*plan)->count = 0;
	}
	for (int k = 0; k < (*plan)->count; k++)
		(*plan)->per_packet[k] = cqesim_fraction_value((*plan)->access[k].per_packet);
	return *plan;
}

void sim_forward_run(struct cqesim_sim *sim, uint64_t now_ps)
{
	struct tx_reads *r = &sim->plans->reads;

	while (r->head != r->tail) {
		const struct tx_read *next = &r->read[r->head & (r->size - 1)];

		if (cqesim_nic_tx_read_ps(sim->nic, next->ready_ps) > now_ps)
			break;
		*next->done_ps = cqesim_nic_tx_read(sim->nic, next->ready_ps, next->kind,
						    next->address, next->length);
		if (*next->done_ps > r->end_ps)
			r->end_ps = *next->done_ps;
		r->head++;
	}
}

/* Room for one more. */
static int make_room(struct tx_reads *r)
{
	if (r->tail - r->head < r->size)
		return 0;
	uint64_t size = r->size ? 2 * r->size : 64;
	struct tx_read *read = calloc(size, sizeof(*read));

	if (!read)
		return -ENOMEM;
	for (uint64_t i = r->head; i != r->tail; i++)
		read[i & (size - 1)] = r->read[i & (r->size - 1)];
	free(r->read);
	r->read = read;
	r->size = size;
	return 0;
}

/* The packet that is put in now waits for it. */
static int ask(struct queue *q, enum cqesim_traffic kind, uint64_t address, uint32_t length,
	       uint64_t now_ps)
{
	struct tx_reads *r = &q->sim->plans->reads;
	uint64_t *done_ps = &q->tx->done_ps[q->tx->tail % q->sim->config.tx_ring];

	if (make_room(r))
		return -ENOMEM;
	*done_ps = WAITS;
	r->read[r->tail++ & (r->size - 1)] = (struct tx_read){
		.kind = kind,
		.length = length,
		.address = address,
		.ready_ps = now_ps,
		.done_ps = done_ps,
	};
	sim_forward_run(q->sim, now_ps);
	return 0;
}

static int make_access(struct queue *q, const struct cqesim_transaction *t, uint64_t now_ps)
{
	struct cqesim_nic *nic = q->sim->nic;

	switch (t->access) {
	case CQESIM_DMA_WRITE:
		cqesim_nic_tx_write(nic, now_ps, CQESIM_TRAFFIC_TX_CQE,
				    q->cq_address + TX_CQ_OFFSET, t->bytes);
		break;
	case CQESIM_DMA_READ:
		if (t->cause == CQESIM_CAUSE_TX_DATA)
			return ask(q, CQESIM_TRAFFIC_TX_DATA_REQUEST,
				   q->buffers_address + t->address, t->bytes, now_ps);
		return ask(q, CQESIM_TRAFFIC_TX_WQE_REQUEST, q->cq_address + SQ_OFFSET, t->bytes,
			   now_ps);
	case CQESIM_CPU_WRITE:
		cqesim_nic_tx_doorbell(nic, now_ps, t->bytes);
		break;
	case CQESIM_CPU_READ: /* no mlx5 driver does */
		break;
	}
	return 0;
}

/* Packets leave the ring in order. */
static bool ring_is_full(struct queue *q, uint64_t now_ps)
{
	struct tx_queue *tx = q->tx;
	uint64_t size = q->sim->config.tx_ring;

	while (tx->head != tx->tail && tx->done_ps[tx->head % size] <= now_ps)
		tx->head++;
	return tx->tail - tx->head == size;
}

int sim_forward(struct queue *q, const struct cqesim_completion *c, unsigned n, uint64_t now_ps)
{
	struct tx_queue *tx = q->tx;
	int rc = 0;

	sim_forward_run(q->sim, now_ps);
	for (unsigned i = 0; i < n && !rc; i++) {
		if (c[i].filler)
			continue;
		if (ring_is_full(q, now_ps)) {
			tx->dropped++;
			continue;
		}
		tx->done_ps[tx->tail % q->sim->config.tx_ring] = 0;
		const struct tx_plan *plan = plan_of(q->sim, c[i].meta.byte_cnt, &rc);

		for (int k = 0; plan && k < plan->count; k++) {
			const struct cqesim_transaction *t = &plan->access[k];
			double *part = &tx->part[t->cause][t->access];

			for (*part += plan->per_packet[k]; *part >= ALMOST_ONE && !rc; *part -= 1)
				rc = make_access(q, t, now_ps);
		}
		tx->tail++;
	}
	return rc;
}
