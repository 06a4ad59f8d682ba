/* SPDX-License-Identifier: BSD-3-Clause */
/* The device object: queues, their states, and a packet's way through: see nic.h. */
#include <errno.h>
#include <stdlib.h>

#include "nic_internal.h"

const char *cqesim_session_end_name(enum cqesim_session_end end)
{
	static const char *const name[CQESIM_SESSION_ENDS] = {
		"mismatch", "max_num", "timeout", "ring_end", "relief", "stop",
	};
	return (unsigned)end < CQESIM_SESSION_ENDS ? name[end] : "unknown";
}

const char *cqesim_rx_result_name(enum cqesim_rx_result result)
{
	static const char *const name[CQESIM_RX_RESULTS] = {
		"delivered",        "rx_discards_phy", "rx_out_of_buffer",
		"buffer_too_small", "queue_not_ready", "protection_error",
	};
	return (unsigned)result < CQESIM_RX_RESULTS ? name[result] : "unknown";
}

const char *cqesim_traffic_name(enum cqesim_traffic kind)
{
	static const char *const name[CQESIM_TRAFFIC_KINDS] = {
		"packet_data", "plain_cqes",   "title_cqes",
		"mini_arrays", "wqe_requests", "wqe_completions",
	};
	return (unsigned)kind < CQESIM_TRAFFIC_KINDS ? name[kind] : "unknown";
}

static int check(const struct cqesim_nic_config *c, struct cqesim_error *err)
{
	if ((unsigned)c->compression > CQESIM_COMP_AGGRESSIVE)
		return cqesim_fail(err, -EINVAL,
				   "compression %d: expected off, balanced or aggressive",
				   (int)c->compression);
	if ((unsigned)c->write_policy > CQESIM_WRITE_EXACT)
		return cqesim_fail(err, -EINVAL, "write_policy %d: expected arrays, burst or exact",
				   (int)c->write_policy);
	if (c->max_pps && !(c->max_pps >= 1 && c->max_pps <= 1e12))
		return cqesim_fail(err, -EINVAL, "max_pps %g: expected 1 to 1e12", c->max_pps);
	if (!c->rx_buffer_bytes)
		return cqesim_fail(err, -EINVAL, "rx_buffer: expected more than 0 bytes");
	if (c->wqe_fetch_bytes < 16 || c->wqe_fetch_bytes > 4096 ||
	    (c->wqe_fetch_bytes & (c->wqe_fetch_bytes - 1)))
		return cqesim_fail(err, -EINVAL,
				   "wqe_fetch %u: expected a power of two, 16 to 4096",
				   c->wqe_fetch_bytes);
	if (c->compression != CQESIM_COMP_OFF && c->comp_max < 2)
		return cqesim_fail(err, -EINVAL, "cqe_compression_max_num %u: expected 2 or more",
				   c->comp_max);
	if (c->compression != CQESIM_COMP_OFF && !c->comp_timeout_ps)
		return cqesim_fail(err, -EINVAL, "cqe_compression_timeout: expected more than 0");
	if (c->backpressure_off_bytes > c->backpressure_on_bytes)
		return cqesim_fail(err, -EINVAL, "backpressure_off is above backpressure_on");
	return 0;
}

/* No packet that a queue takes is larger. */
#define LARGEST_PACKET 65536u

/* How long the link takes for so many bytes; longer than any clock: as long as clocks run. */
static uint64_t link_ps(const struct cqesim_nic *nic, uint64_t bytes)
{
	unsigned __int128 ps = (unsigned __int128)bytes * nic->up.num / nic->up.den;

	return ps < UINT64_MAX ? (uint64_t)ps : UINT64_MAX;
}

int cqesim_nic_create(struct cqesim_nic **out, const struct cqesim_nic_config *config,
		      struct cqesim_error *err)
{
	*out = NULL;
	int rc = check(config, err);
	if (rc)
		return rc;
	struct cqesim_nic *nic = calloc(1, sizeof(*nic));
	if (!nic)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	nic->config = *config;
	rc = cqesim_link_init(&nic->link, &config->link, err);
	if (!rc) {
		rc = cqesim_link_pacer(&nic->link, &nic->up);
		if (!rc && config->max_pps)
			rc = cqesim_pacer_init(&nic->pipeline, (uint64_t)config->max_pps, 1);
		if (rc)
			cqesim_fail(err, rc, "a rate is out of range");
	}
	if (rc) {
		free(nic);
		return rc;
	}
	nic->buffer_ps = link_ps(nic, config->rx_buffer_bytes);
	uint64_t largest_ps = link_ps(nic, LARGEST_PACKET);
	nic->buffer_guard_ps = nic->buffer_ps > largest_ps ? nic->buffer_ps - largest_ps : 0;
	nic->pressure_on_ps = link_ps(nic, config->backpressure_on_bytes);
	nic->pressure_off_ps = link_ps(nic, config->backpressure_off_bytes);
	for (uint32_t i = 0; i < COST_TABLE; i++)
		nic->cost[i] = cqesim_link_write(&nic->link, 0, i);
	nic->cqe_cost = nic->cost[CQESIM_CQE_BYTES];
	*out = nic;
	return 0;
}

void cqesim_nic_destroy(struct cqesim_nic *nic)
{
	if (!nic)
		return;
	for (uint32_t i = 0; i < nic->rqs; i++)
		free(nic->rq[i]);
	for (uint32_t i = 0; i < nic->cqs; i++)
		free(nic->cq[i]);
	free(nic->rq);
	free(nic->cq);
	free(nic);
}

static struct nic_cq *find_cq(const struct cqesim_nic *nic, uint32_t cqn)
{
	return cqn && cqn <= nic->cqs ? nic->cq[cqn - 1] : NULL;
}

static struct nic_rq *find_rq(const struct cqesim_nic *nic, uint32_t rqn)
{
	return rqn && rqn <= nic->rqs ? nic->rq[rqn - 1] : NULL;
}

/* A free place in a table of objects; grows it by one if there is none. */
static int place(void ***table, uint32_t *count, uint32_t *number)
{
	/* The tables are of void pointers: C lets no other pointer be written through void **. */
	for (uint32_t i = 0; i < *count; i++)
		if (!(*table)[i]) {
			*number = i + 1;
			return 0;
		}
	void **grown = realloc(*table, (*count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	grown[*count] = NULL;
	*table = grown;
	*number = ++*count;
	return 0;
}

int cqesim_nic_create_cq(struct cqesim_nic *nic, const struct cqesim_cq_attr *attr, uint32_t *cqn)
{
	struct nic_cq *cq = aligned_alloc(64, sizeof(*cq)); /* its type asks for whole lines */
	int rc;

	if (!cq)
		return -ENOMEM;
	memset(cq, 0, sizeof(*cq));
	bool compress = attr->cqe_comp_en && nic->config.compression != CQESIM_COMP_OFF;
	/* Queues that receive have receive completions. */
	rc = attr->address % CQESIM_CQE_BYTES || attr->mini_format >= CQESIM_MINI_FORMATS ? -EINVAL
											  : 0;
	if (!rc)
		rc = cqesim_cq_writer_init(&cq->writer, attr->ring,
					   &(struct cqesim_cq_shape){.log_size = attr->log_size,
								     .format = attr->mini_format},
					   compress ? nic->config.comp_max : 2,
					   nic->config.comp_cross);
	if (!rc)
		rc = place(&nic->cq, &nic->cqs, &cq->number);
	if (rc) {
		free(cq);
		return rc;
	}
	cq->address = attr->address;
	cq->compress = compress;
	cq->counts_on =
		attr->mini_format == CQESIM_MINI_HASH || attr->mini_format == CQESIM_MINI_CSUM;
	cq->writer.observer = attr->observer;
	cq->writer.observer_context = attr->observer_context;

	uint8_t carried[64];
	cqesim_mini_carries(attr->mini_format, carried);
	for (unsigned i = 0; i < 64; i++)
		cq->compare[i] = nic->config.comp_compare[i] & (uint8_t)~carried[i];
	nic->cq[cq->number - 1] = cq;
	*cqn = cq->number;
	return 0;
}

int cqesim_nic_create_rq(struct cqesim_nic *nic, const struct cqesim_rq_attr *attr, uint32_t *rqn)
{
	struct nic_cq *cq = find_cq(nic, attr->cqn);
	struct nic_rq *rq;
	int rc;

	if (!cq)
		return -ENOENT;
	rq = calloc(1, sizeof(*rq));
	if (!rq)
		return -ENOMEM;
	rc = cqesim_rq_init(&rq->rq, attr->ring, attr->log_size, attr->log_segs, attr->dbrec,
			    attr->translate, attr->translate_context);
	uint32_t wqes = rc ? 0 : UINT32_C(1) << attr->log_size;
	if (!rc && wqes > cq->writer.mask + 1 - cq->wqes)
		rc = -EINVAL; /* the ring could overrun: see the head of nic.h */
	if (!rc)
		rc = place(&nic->rq, &nic->rqs, &rq->number);
	if (rc) {
		free(rq);
		return rc;
	}
	uint32_t per_fetch = nic->config.wqe_fetch_bytes / (CQESIM_RQ_SEG_BYTES << attr->log_segs);
	if (per_fetch > wqes) /* not past the end of a small ring */
		per_fetch = wqes;
	rq->fetch_mask = per_fetch > 1 ? per_fetch - 1 : 0;
	uint32_t fetch = (rq->fetch_mask + 1) * (CQESIM_RQ_SEG_BYTES << attr->log_segs);
	/* Blocks on multiples of their size, within a page, all cost the same. */
	if (!(attr->address & (fetch - 1)) && fetch <= 4096)
		cqesim_link_read(&nic->link, attr->address, fetch, &rq->fetch_request,
				 &rq->fetch_completion);
	rq->address = attr->address;
	rq->user_index = attr->user_index & 0xffffff;
	rq->cq = cq;
	cq->users++;
	cq->wqes += wqes;
	nic->rq[rq->number - 1] = rq;
	*rqn = rq->number;
	return 0;
}

int cqesim_nic_modify_rq(struct cqesim_nic *nic, uint32_t rqn, enum cqesim_queue_state state,
			 uint64_t now_ps)
{
	struct nic_rq *rq = find_rq(nic, rqn);

	if (!rq)
		return -ENOENT;
	bool legal = (rq->state == CQESIM_QUEUE_RST && state == CQESIM_QUEUE_RDY) ||
		     (rq->state == CQESIM_QUEUE_RDY &&
		      (state == CQESIM_QUEUE_RST || state == CQESIM_QUEUE_ERR)) ||
		     (rq->state == CQESIM_QUEUE_ERR && state == CQESIM_QUEUE_RST);
	if (!legal)
		return -EINVAL;
	if (rq->state == CQESIM_QUEUE_RDY && rq->cq->writer.n)
		nic_session_close(nic, rq->cq, now_ps, CQESIM_END_STOP, 0);
	if (state == CQESIM_QUEUE_RST) {
		rq->rq.ci = 0;
		rq->fetched = false;
	}
	rq->state = state;
	return 0;
}

int cqesim_nic_query_rq(const struct cqesim_nic *nic, uint32_t rqn, enum cqesim_queue_state *state,
			uint16_t *ci)
{
	const struct nic_rq *rq = find_rq(nic, rqn);

	if (!rq)
		return -ENOENT;
	*state = rq->state;
	*ci = rq->rq.ci;
	return 0;
}

int cqesim_nic_destroy_rq(struct cqesim_nic *nic, uint32_t rqn)
{
	struct nic_rq *rq = find_rq(nic, rqn);

	if (!rq)
		return -ENOENT;
	rq->cq->users--;
	rq->cq->wqes -= rq->rq.mask + 1;
	nic->rq[rqn - 1] = NULL;
	free(rq);
	return 0;
}

int cqesim_nic_destroy_cq(struct cqesim_nic *nic, uint32_t cqn)
{
	struct nic_cq *cq = find_cq(nic, cqn);

	if (!cq)
		return -ENOENT;
	if (cq->users)
		return -EBUSY;
	if (cq->writer.n) { /* never to be published: just forget it */
		*(cq->older ? &cq->older->newer : &nic->oldest) = cq->newer;
		*(cq->newer ? &cq->newer->older : &nic->newest) = cq->older;
	}
	nic->cq[cqn - 1] = NULL;
	free(cq);
	return 0;
}

/* A read of WQEs when the next one was not fetched yet; bytes up for request and Acks. */
static uint32_t fetch_wqes(struct cqesim_nic *nic, const struct nic_rq *rq)
{
	struct cqesim_tlps request = rq->fetch_request, completion = rq->fetch_completion;

	if (!request.count) {
		uint32_t wqe_bytes = CQESIM_RQ_SEG_BYTES << rq->rq.log_segs;
		uint64_t address = rq->address + (uint64_t)(rq->rq.ci & rq->rq.mask) * wqe_bytes;

		cqesim_link_read(&nic->link, address, (rq->fetch_mask + 1) * wqe_bytes, &request,
				 &completion);
	}
	nic_count(nic, CQESIM_TRAFFIC_WQE_REQUEST, &request);
	nic_count(nic, CQESIM_TRAFFIC_WQE_COMPLETION, &completion);

	uint32_t up = (uint32_t)request.wire;
	nic->ack_debt += (double)completion.count;
	while (nic->ack_debt >= nic->link.config.ack_every) {
		nic->ack_debt -= nic->link.config.ack_every;
		nic->ack_bytes += CQESIM_DLLP_BYTES;
		up += CQESIM_DLLP_BYTES;
	}
	return up;
}

static void protection_error(struct cqesim_nic *nic, struct nic_rq *rq, uint64_t now_ps)
{
	struct cqesim_cqe_err err = {
		.srqn = rq->user_index,
		.syndrome = CQESIM_SYNDROME_LOCAL_PROT,
		.wqe_counter = rq->rq.ci,
	};
	uint8_t raw[64];

	cqesim_cqe_err_encode(&err, raw);
	cqesim_rq_consume(&rq->rq);
	nic_complete_error(nic, rq->cq, raw, now_ps);
	rq->state = CQESIM_QUEUE_ERR;
}

static void copy_data(const struct cqesim_rq_seg *seg, int segs, const uint8_t *data, uint32_t len)
{
	for (int i = 0; i < segs && len; i++) {
		uint32_t n = seg[i].length < len ? seg[i].length : len;

		memcpy(seg[i].memory, data, n);
		data += n;
		len -= n;
	}
}

/* One piece of a packet over the link; bytes up. */
static uint32_t write_data(struct cqesim_nic *nic, uint64_t address, uint32_t length)
{
	if (nic->config.data_padding)
		length = (length + 63) & ~63u;
	struct cqesim_tlps t = nic_write_cost(nic, address, length);
	nic_count(nic, CQESIM_TRAFFIC_DATA, &t);
	return (uint32_t)t.wire;
}

static inline __attribute__((always_inline)) enum cqesim_rx_result
receive(struct cqesim_nic *nic, struct nic_rq *rq, uint64_t now_ps,
	const struct cqesim_rxmeta *meta, const uint8_t *data, uint32_t cap_len, uint16_t *wqe)
{
	uint64_t backlog = nic_backlog_ps(nic, now_ps);

	if (backlog > nic->stats.backlog_max_ps)
		nic->stats.backlog_max_ps = backlog;
	if (rq->state != CQESIM_QUEUE_RDY)
		return CQESIM_RX_NOT_READY;
	/* What waits and the packet itself must fit; far from full that needs no sum. */
	if (backlog > nic->buffer_guard_ps &&
	    backlog + link_ps(nic, meta->byte_cnt) > nic->buffer_ps)
		return CQESIM_RX_BUFFER_FULL;
	/* Ready for the link when the pipeline is done with it (or now, without a limit). */
	uint64_t ready_ps = now_ps;
	if (nic->config.max_pps) {
		cqesim_pacer_not_before(&nic->pipeline, now_ps);
		cqesim_pacer_advance(&nic->pipeline, 1);
		ready_ps = cqesim_pacer_done_ps(&nic->pipeline);
	}
	if (!cqesim_rq_credits(&rq->rq))
		return CQESIM_RX_OUT_OF_BUFFER;

	uint32_t bytes = 0;
	if (!(rq->rq.ci & rq->fetch_mask) && !rq->fetched) {
		bytes = fetch_wqes(nic, rq);
		rq->fetched = true;
	}

	struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX];
	int segs = cqesim_rq_buffer_fast(&rq->rq, meta->byte_cnt, seg);
	if (__builtin_expect(segs < 0, 0)) {
		if (bytes)
			nic_send(nic, ready_ps, bytes);
		if (segs == -ENOSPC)
			return CQESIM_RX_TOO_LONG;
		protection_error(nic, rq, ready_ps);
		return CQESIM_RX_ERROR;
	}
	for (int i = 0; i < segs; i++)
		bytes += write_data(nic, seg[i].address, seg[i].length);
	if (nic->config.copy_data)
		copy_data(seg, segs, data, cap_len < meta->byte_cnt ? cap_len : meta->byte_cnt);

	uint8_t cqe[64] __attribute__((aligned(64)));
	uint16_t index = cqesim_rq_consume(&rq->rq);
	rq->fetched = false;
	cqesim_cqe_put_rx(cqe, meta, rq->user_index, now_ps / 1000, index);
	nic_complete(nic, rq->cq, cqe, ready_ps, bytes);
	if (wqe)
		*wqe = index;
	return CQESIM_RX_DELIVERED;
}

enum cqesim_rx_result cqesim_nic_receive(struct cqesim_nic *nic, uint32_t rqn, uint64_t now_ps,
					 const struct cqesim_rxmeta *meta, const uint8_t *data,
					 uint32_t cap_len, uint16_t *wqe)
{
	struct nic_rq *rq = find_rq(nic, rqn);
	enum cqesim_rx_result result = CQESIM_RX_NOT_READY;

	if (nic->oldest && nic->oldest->deadline_ps <= now_ps)
		cqesim_nic_step(nic, now_ps);
	if (rq)
		result = receive(nic, rq, now_ps, meta, data, cap_len, wqe);
	nic->stats.results[result]++;
	return result;
}

/* What follows from other counters is not counted packet by packet. */
const struct cqesim_nic_stats *cqesim_nic_stats(const struct cqesim_nic *nic)
{
	struct cqesim_nic_stats *s = (struct cqesim_nic_stats *)&nic->stats;
	const struct cqesim_tlps *cqe = &nic->cqe_cost;
	uint64_t cqes = s->plain + nic->error_cqes;

	s->packets = 0;
	for (unsigned i = 0; i < CQESIM_RX_RESULTS; i++)
		s->packets += s->results[i];
	s->wqes = s->results[CQESIM_RX_DELIVERED] + s->results[CQESIM_RX_ERROR];
	s->traffic[CQESIM_TRAFFIC_CQE] = (struct cqesim_tlps){
		.count = cqes * cqe->count,
		.payload = cqes * cqe->payload,
		.wire = cqes * cqe->wire,
	};
	s->link_busy_bytes = nic->ack_bytes;
	for (unsigned k = CQESIM_TRAFFIC_DATA; k <= CQESIM_TRAFFIC_WQE_REQUEST; k++)
		s->link_busy_bytes += s->traffic[k].wire;
	s->link_done_ps = cqesim_pacer_done_ps(&nic->up);
	return s;
}

const struct cqesim_link *cqesim_nic_link(const struct cqesim_nic *nic)
{
	return &nic->link;
}
