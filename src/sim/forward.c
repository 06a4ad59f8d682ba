/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forwarding: what sending a packet on adds to the link.  The list of accesses
 * is that of the station ceiling for a frame of this length, each with how often
 * per packet; an access is made when its parts have come to a whole one.  So a
 * long run costs what the closed form says.
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

struct tx_plans {
	struct cqesim_ceiling_config config;
	struct tx_plan *of_frame[FRAMES_MAX]; /* made when a packet of that length comes */
};

/* Parts of accesses that are not yet whole ones. */
struct tx_debt {
	double part[CQESIM_CAUSES][ACCESSES];
};

int sim_forward_init(struct cqesim_sim *sim, struct cqesim_error *err)
{
	const struct cqesim_sim_config *c = &sim->config;

	if (!c->forward)
		return 0;
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
	return q->tx ? 0 : -ENOMEM;
}

void sim_forward_free(struct cqesim_sim *sim)
{
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

static void make_access(struct queue *q, const struct cqesim_transaction *t, uint64_t now_ps)
{
	struct cqesim_nic *nic = q->sim->nic;

	switch (t->access) {
	case CQESIM_DMA_WRITE:
		cqesim_nic_tx_write(nic, now_ps, CQESIM_TRAFFIC_TX_CQE,
				    q->cq_address + TX_CQ_OFFSET, t->bytes);
		break;
	case CQESIM_DMA_READ:
		if (t->cause == CQESIM_CAUSE_TX_DATA)
			cqesim_nic_tx_read(nic, now_ps, CQESIM_TRAFFIC_TX_DATA_REQUEST,
					   q->buffers_address + t->address, t->bytes);
		else
			cqesim_nic_tx_read(nic, now_ps, CQESIM_TRAFFIC_TX_WQE_REQUEST,
					   q->cq_address + SQ_OFFSET, t->bytes);
		break;
	case CQESIM_CPU_WRITE:
		cqesim_nic_tx_doorbell(nic, now_ps, t->bytes);
		break;
	case CQESIM_CPU_READ: /* no mlx5 driver does */
		break;
	}
}

int sim_forward(struct queue *q, const struct cqesim_completion *c, unsigned n, uint64_t now_ps)
{
	int rc = 0;

	for (unsigned i = 0; i < n && !rc; i++) {
		if (c[i].filler)
			continue;
		const struct tx_plan *plan = plan_of(q->sim, c[i].meta.byte_cnt, &rc);

		for (int k = 0; plan && k < plan->count; k++) {
			const struct cqesim_transaction *t = &plan->access[k];
			double *part = &q->tx->part[t->cause][t->access];

			for (*part += plan->per_packet[k]; *part >= ALMOST_ONE; *part -= 1)
				make_access(q, t, now_ps);
		}
	}
	return rc;
}
