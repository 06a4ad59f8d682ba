/* SPDX-License-Identifier: BSD-3-Clause */
/* A queue's memory, and its parts in the device and in the host. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim_internal.h"

#define LKEY 0x1234u

/* Only the device addresses of the queue's buffers are good. */
static void *translate(void *context, uint32_t lkey, uint64_t address, uint32_t length)
{
	const struct queue *q = context;
	uint64_t offset = address - q->buffers_address;

	if (lkey != LKEY || offset > q->buffers_size || length > q->buffers_size - offset)
		return NULL;
	return q->buffers + offset;
}

static void ring_written(void *context, uint32_t slot, const uint8_t bytes[64])
{
	struct queue *q = context;
	const struct cqesim_ring_observer *o = q->sim->config.observer;

	o->written(o->context, q->number, slot, (uint8_t *)bytes);
}

static void *lines(size_t bytes)
{
	return aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
}

/* Cyclic: WQEs of one or more segments; headroom before the first alone. */
static int post_buffers(struct queue *q, struct cqesim_rq_poster *poster)
{
	const struct cqesim_sim *sim = q->sim;
	unsigned segs = 1u << sim->log_segs;
	int rc = cqesim_rq_poster_init(poster, q->wq_ring, sim->log_ring, sim->log_segs,
				       &q->dbrec[0]);

	for (uint32_t i = 0; i < sim->config.ring && !rc; i++) {
		struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX];

		for (unsigned k = 0; k < segs; k++)
			seg[k] = (struct cqesim_rq_seg){
				.address = q->buffers_address +
					   ((size_t)i * segs + k) * sim->buffer_stride +
					   BUFFER_HEAD + (k ? 0 : sim->headroom),
				.lkey = LKEY,
				.length = k ? sim->room : sim->first_room,
			};
		rc = cqesim_rq_post(poster, seg, segs);
	}
	cqesim_rq_doorbell(poster);
	return rc;
}

static int memory(struct queue *q)
{
	struct cqesim_sim *sim = q->sim;
	const struct cqesim_rq_result *rq = &sim->result.rq;

	/* ixgbe's bulk function posts again what it has taken from the ring and not returned yet.
	 */
	enum cqesim_poll_rule rule = cqesim_sim_poll_rule(sim->config.driver);
	uint32_t sent = sim->config.ring * (rule == CQESIM_POLL_IXGBE_BULK ? 2 : 1);

	q->sent_mask = sent - 1;
	q->cq_ring = lines(rq->cq_ring_bytes);
	q->wq_ring = lines(rq->wqe_ring_bytes);
	q->sent = calloc(sent, sizeof(*q->sent));
	q->times_mask = 2 * sim->config.ring - 1;
	q->times = calloc(2 * (size_t)sim->config.ring, sizeof(*q->times));
	if (rq->striding)
		q->place = calloc(sim->config.ring, sizeof(*q->place));
	q->cq_address = (uint64_t)(q->number + 1) << QUEUE_SPACE_LOG;
	q->wq_address = q->cq_address + WQ_OFFSET;
	q->buffers_address = q->cq_address + BUFFERS_OFFSET;
	q->buffers_size = sim->buffer_stride * rq->buffers;
	if (q->buffers_size > BUFFERS_MAX)
		return -ENOMEM;
	q->buffers = mmap(NULL, q->buffers_size, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (q->buffers == MAP_FAILED)
		q->buffers = NULL;
	if (!q->cq_ring || !q->wq_ring || !q->sent || !q->times || (rq->striding && !q->place) ||
	    !q->buffers)
		return -ENOMEM;
	int rc = sim_forward_queue(q);
	if (rc)
		return rc;
	cqesim_cq_init_ring(q->cq_ring, &(struct cqesim_cq_shape){.log_size = sim->log_cq});
	return 0;
}

/* What the device knows of the queue; its WQEs are posted. */
static int make_device(struct queue *q)
{
	struct cqesim_sim *sim = q->sim;
	const struct cqesim_ring_observer *observer = sim->config.observer;
	struct cqesim_cq_attr cq = {
		.ring = q->cq_ring,
		.address = q->cq_address,
		.log_size = sim->log_cq,
		.cqe_comp_en = sim->result.cqe_comp_en,
		.mini_format = sim->result.mini_format,
		.layout = sim->result.layout,
		.observer = observer && observer->written ? ring_written : NULL,
		.observer_context = q,
	};
	uint32_t cqn;
	int rc = cqesim_nic_create_cq(sim->nic, &cq, &cqn);

	if (rc)
		return rc;
	struct cqesim_rq_attr rq = {
		.ring = q->wq_ring,
		.address = q->wq_address,
		.log_size = sim->log_ring,
		.log_segs = sim->log_segs,
		.striding = sim->result.rq.striding,
		.strides = sim->result.rq.strides,
		.dbrec = &q->dbrec[0],
		.cqn = cqn,
		.user_index = q->number,
		.translate = translate,
		.translate_context = q,
	};
	rc = cqesim_nic_create_rq(sim->nic, &rq, &q->rqn);
	return rc ? rc : cqesim_nic_modify_rq(sim->nic, q->rqn, CQESIM_QUEUE_RDY, 0);
}

static int make_host(struct queue *q)
{
	struct cqesim_sim *sim = q->sim;
	const struct cqesim_ring_observer *observer = sim->config.observer;
	struct cqesim_cq_shape shape = {
		.log_size = sim->log_cq,
		.format = sim->result.mini_format,
		.layout = sim->result.layout,
		.log_stride = sim->result.rq.striding ? sim->result.rq.strides.log_stride_bytes : 0,
	};
	struct cqesim_host_config host = sim_host_config(sim, q->number);
	struct cqesim_host_striding striding;
	struct cqesim_rq_poster poster;
	struct cqesim_cq_reader reader;
	int rc = cqesim_cq_reader_init(&reader, q->cq_ring, &shape, sim_invalidate(sim));

	host.batch_reads = (!observer || !observer->polled) && !q->tx;
	if (sim->result.rq.striding) {
		striding = sim_host_striding(sim, q);
		striding.lkey = LKEY;
		host.striding = &striding;
	} else if (!rc) {
		rc = post_buffers(q, &poster);
	}
	if (!rc)
		rc = cqesim_host_create(&q->host, &host, &reader, host.striding ? NULL : &poster,
					&q->dbrec[1], sim_deliver, q);
	if (!rc)
		q->inbox = cqesim_host_inbox(q->host);
	return rc;
}

int queue_init(struct cqesim_sim *sim, struct queue *q, unsigned number)
{
	q->sim = sim;
	q->number = number;
	int rc = memory(q);
	if (!rc)
		rc = make_host(q);
	return rc ? rc : make_device(q);
}

void queue_free(struct queue *q)
{
	cqesim_host_destroy(q->host);
	if (q->buffers)
		munmap(q->buffers, q->buffers_size);
	free(q->sent);
	free(q->place);
	free(q->times);
	sim_forward_queue_free(q);
	free(q->wq_ring);
	free(q->cq_ring);
}
