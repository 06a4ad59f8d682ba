/* SPDX-License-Identifier: BSD-3-Clause */
/* A packet's way through the device: buffer, pipeline, WQE, data, completion. */
#include <errno.h>

#include "nic_internal.h"

#define FCS_BYTES 4u

uint64_t nic_fetch_wqes(struct cqesim_nic *nic, const struct nic_load *load, uint64_t ready_ps)
{
	const struct nic_rq *rq = load->fetch;
	struct cqesim_tlps request = {0}, completion = {0};
	uint64_t offset = (uint64_t)(load->fetch_index & rq->wqe_mask) * rq->wqe_bytes;
	uint32_t length = load->fetch_count * rq->wqe_bytes;

	if (load->fetch_count == rq->fetch_mask + 1) { /* a whole block */
		request = rq->fetch_request;
		completion = rq->fetch_completion;
	}
	if (!request.count)
		cqesim_link_read(&nic->link, rq->address + offset, length, &request, &completion);
	nic_count(nic, CQESIM_TRAFFIC_WQE_REQUEST, &request);
	nic_count(nic, CQESIM_TRAFFIC_WQE_COMPLETION, &completion);

	uint64_t turn_ps = nic_turn_ps(nic, ready_ps);
	uint64_t back_ps = cqesim_link_server_read(&nic->server, ready_ps, &request, &completion);
	nic_watch(nic, &(struct cqesim_nic_operation){
			       .kind = CQESIM_TRAFFIC_WQE_REQUEST,
			       .time_ps = turn_ps,
			       .back_ps = nic_shown_back_ps(ready_ps, turn_ps, back_ps),
			       .address = rq->address + offset,
			       .length = length,
			       .data = (rq->striding ? rq->strides.ring : rq->rq.ring) + offset,
			       .data_length = length,
		       });
	return nic->server.asked_ps;
}

static void protection_error(struct cqesim_nic *nic, struct nic_rq *rq, uint64_t now_ps)
{
	struct cqesim_cqe_err err = {
		.srqn = rq->user_index,
		.wqe_counter = rq->rq.ci,
	};
	uint8_t raw[64];

	nic_fail_rq(rq, &err);
	cqesim_cqe_err_encode(&err, raw);
	cqesim_rq_consume(&rq->rq);
	nic_complete_error(nic, rq->cq, raw, now_ps);
}

void nic_copy_data(const struct cqesim_rq_seg *seg, int segs, const uint8_t *data, uint32_t len)
{
	for (int i = 0; i < segs && len; i++) {
		uint32_t n = seg[i].length < len ? seg[i].length : len;

		memcpy(seg[i].memory, data, n);
		data += n;
		len -= n;
	}
}

/* The same bytes at the same time, piece by piece. */
uint64_t nic_send_pieces(struct cqesim_nic *nic, uint64_t now_ps, const struct nic_load *load)
{
	struct cqesim_tlps rest = {
		.count = load->tlps, .wire = load->bytes, .credits = load->credits};

	for (unsigned i = 0; i < load->pieces; i++) {
		struct cqesim_nic_operation *o = &nic->piece[i];
		struct cqesim_tlps t = nic_write_cost(nic, o->address, o->length);

		o->time_ps = nic_turn_ps(nic, now_ps);
		nic_watch(nic, o);
		cqesim_link_server_write(&nic->server, now_ps, &t);
		rest.count -= t.count;
		rest.wire -= t.wire;
		rest.credits -= t.credits;
	}
	uint64_t turn_ps = nic_turn_ps(nic, now_ps);
	if (rest.count)
		cqesim_link_server_write(&nic->server, now_ps, &rest);
	return turn_ps;
}

/*
 * Picoseconds of the link's own work that wait.  TLPs that wait for credits are
 * fewer bytes in the buffer than their time: as many as went through a stalling
 * link in that time since it last had nothing to do.
 */
static uint64_t waiting_ps(const struct cqesim_nic *nic, uint64_t now_ps, uint64_t backlog)
{
	uint64_t busy_ps = now_ps + backlog - nic->busy_since_ps;
	uint64_t work_ps = nic_link_ps(nic, nic->server.up.bytes - nic->busy_bytes);

	if (work_ps >= busy_ps)
		return backlog;
	return (uint64_t)((unsigned __int128)backlog * work_ps / busy_ps);
}

/* What waits and the packet itself must fit; far from full that needs no sum. */
static inline bool buffer_is_full(struct cqesim_nic *nic, uint64_t now_ps, uint64_t backlog,
				  uint32_t bytes)
{
	if (!backlog) { /* see waiting_ps */
		nic->busy_since_ps = now_ps;
		nic->busy_bytes = nic->server.up.bytes;
	}
	if (__builtin_expect(backlog <= nic->buffer_guard_ps, 1))
		return false;
	if (nic->server.posted.stalled_ps || nic->server.reads.stalled_ps ||
	    nic->server.tags.stalled_ps)
		backlog = waiting_ps(nic, now_ps, backlog);
	return backlog + nic_link_ps(nic, bytes) > nic->buffer_ps;
}

/* Ready for the link when pipeline and bus are done with it (or now, without limits). */
static inline uint64_t pass_device(struct cqesim_nic *nic, uint64_t now_ps, uint32_t bytes)
{
	const struct cqesim_nic_config *c = &nic->config;
	uint64_t ready_ps = now_ps;

	if (c->max_pps)
		ready_ps = nic_pace(&nic->pipeline, ready_ps, 1);
	if (__builtin_expect(c->bus_hz > 0, 0)) {
		uint64_t beats = (bytes + FCS_BYTES + c->bus_bytes - 1) / c->bus_bytes;

		nic->stats.beats += beats;
		ready_ps = nic_pace(&nic->bus, ready_ps, beats);
	}
	return ready_ps;
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
	if (buffer_is_full(nic, now_ps, backlog, meta->byte_cnt))
		return CQESIM_RX_BUFFER_FULL;
	uint64_t ready_ps = pass_device(nic, now_ps, meta->byte_cnt);
	if (__builtin_expect(rq->lro != NULL, 0) &&
	    nic_lro_takes(nic, rq, now_ps, ready_ps, data, cap_len, wqe))
		return CQESIM_RX_DELIVERED;
	if (rq->striding)
		return nic_receive_striding(nic, rq, now_ps, ready_ps, meta, data, cap_len, wqe);
	uint32_t posted = cqesim_rq_credits(&rq->rq);
	if (!posted)
		return CQESIM_RX_OUT_OF_BUFFER;

	struct nic_load load = {0};
	if (rq->rq.ci == rq->fetched_to)
		rq->fetched_to += (uint16_t)nic_plan_fetch(&load, rq, rq->rq.ci, posted);

	struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX];
	int segs = cqesim_rq_buffer_fast(&rq->rq, meta->byte_cnt, seg);
	if (__builtin_expect(rq->inject, 0) && segs >= 0)
		segs = -EFAULT;
	if (__builtin_expect(segs < 0, 0)) {
		if (load.fetch)
			nic_send(nic, ready_ps, &load);
		if (segs == -ENOSPC)
			return CQESIM_RX_TOO_LONG;
		protection_error(nic, rq, ready_ps);
		return CQESIM_RX_ERROR;
	}
	uint32_t done = 0;
	for (int i = 0; i < segs; i++) {
		nic_write_data(nic, &load, seg[i].address, seg[i].length, data ? data + done : NULL,
			       cap_len > done ? cap_len - done : 0);
		done += seg[i].length;
	}
	if (nic->config.copy_data)
		nic_copy_data(seg, segs, data, cap_len < meta->byte_cnt ? cap_len : meta->byte_cnt);

	uint8_t cqe[64] __attribute__((aligned(64)));
	uint16_t index = cqesim_rq_consume(&rq->rq);
	cqesim_cqe_put_rx(cqe, meta, rq->user_index, nic_stamp(nic, now_ps), index);
	if (__builtin_expect(!rq->lro, 1) ||
	    !nic_lro_begins(nic, rq, cqe, index, ready_ps, data, cap_len, &load))
		nic_complete(nic, rq->cq, cqe, ready_ps, &load);
	if (wqe)
		*wqe = index;
	return CQESIM_RX_DELIVERED;
}

/* What was stalled in the second that is over; more of them may have passed without a packet. */
static void second_over(struct cqesim_nic *nic, uint64_t now_ps)
{
	struct cqesim_stalls *s = &nic->stats.stalls;
	uint64_t over = (now_ps - nic->second_ps) / CQESIM_PS_PER_S + 1;
	const uint64_t sum[2] = {
		nic->server.posted.stalled_ps,
		nic->server.reads.stalled_ps + nic->server.tags.stalled_ps,
	};

	s->seconds += over;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t stalled = sum[i] - nic->stalled_before_ps[i];

		nic->stalled_before_ps[i] = sum[i];
		s->above[i] += stalled * 100 > CQESIM_PS_PER_S * CQESIM_STALL_EVENT_PERCENT;
		s->last_ps[i] = over == 1 ? stalled : 0;
	}
	nic->second_ps += over * CQESIM_PS_PER_S;
}

enum cqesim_rx_result cqesim_nic_receive(struct cqesim_nic *nic, uint32_t rqn, uint64_t now_ps,
					 const struct cqesim_rxmeta *meta, const uint8_t *data,
					 uint32_t cap_len, uint16_t *wqe)
{
	struct nic_rq *rq = nic_find_rq(nic, rqn);
	enum cqesim_rx_result result = CQESIM_RX_NOT_READY;

	if (nic_session_due(nic, now_ps))
		cqesim_nic_step(nic, now_ps);
	if (__builtin_expect(now_ps >= nic->second_ps, 0))
		second_over(nic, now_ps);
	if (rq)
		result = receive(nic, rq, now_ps, meta, data, cap_len, wqe);
	nic->stats.results[result]++;
	return result;
}
