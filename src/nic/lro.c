/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LRO in a receive queue: see cqesim_nic_receive_lro.  What joins and when a session ends is
 * aggregate.h's; here a session has a WQE, data goes there, and its completion is made.
 *
 * The completion: length, strides and segments of all; TCP's PSH of any, window and ACK number of
 * the last segment, the least TTL (mlx5_prm.h; Linux and DPDK write these into the first segment's
 * headers, which are delivered as they came); the sum of the payload alone (PMD
 * mlx5_lro_update_tcp_hdr: "the HW calculates only the TCP payload checksum").  The rest is the
 * first segment's, time stamp included (assumed).  It is written plain and ends a
 * compression session (assumed; DPDK does not ask for compression on a queue with LRO).
 */
#include <stdlib.h>

#include "nic_internal.h"

#define LENGTH_MAX UINT32_C(0xffff) /* striding: byte_cnt has 16 bits for it */
#define LRO_PSH    0x40u

/* Ones' complement sum of what stands at an offset of a packet's TCP payload. */
static uint32_t sum_of(const uint8_t *p, uint32_t n, bool odd)
{
	uint64_t sum = 0;
	uint32_t i = 0;

	if (odd && n)
		sum += p[i++];
	for (; i + 1 < n; i += 2)
		sum += (uint32_t)p[i] << 8 | p[i + 1];
	if (i < n)
		sum += (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint32_t)sum;
}

static void add_sum(struct nic_lro *l, uint32_t payload_before, const uint8_t *data, uint32_t n)
{
	l->sum += sum_of(data, n, payload_before & 1);
	l->sum = (l->sum & 0xffff) + (l->sum >> 16);
}

static void ended(void *context, const struct cqesim_session *s)
{
	struct nic_lro *l = context;
	struct cqesim_nic *nic = l->nic;
	struct nic_cq *cq = l->rq->cq;
	uint64_t now_ps = s->end_ps > l->ready_ps ? s->end_ps : l->ready_ps;

	nic->stats.lro_ends[s->flush]++;
	if (s->segments > 1) {
		nic->stats.lro_sessions++;
		nic->stats.lro_segments += s->segments;
		cqesim_be_store(l->cqe + 20, 2, l->sum);
	} else {
		nic->stats.lro_lone++;
	}
	if (s->segments > nic->stats.lro_longest)
		nic->stats.lro_longest = s->segments;
	l->cqe[4] = s->tcp_flags & CQESIM_TCP_PSH ? LRO_PSH : 0;
	l->cqe[5] = s->ttl;
	cqesim_be_store(l->cqe + 6, 2, s->window);
	cqesim_be_store(l->cqe + 8, 4, s->ack);
	l->cqe[32] = (uint8_t)s->segments;
	cqesim_be_store(l->cqe + 44, 4,
			l->rq->striding ? l->place.strides << 16 | l->bytes : l->bytes);
	if (nic_session_is_open(cq))
		nic_session_close(nic, cq, now_ps, CQESIM_END_MISMATCH, &(struct nic_load){0});
	nic_write_plain(nic, cq, l->cqe, now_ps, &(struct nic_load){0});
}

/* ---- a packet joins ---- */

/* Where the session's next bytes go; negative as the queue says. */
static int next_pieces(struct nic_lro *l, uint32_t n,
		       struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX])
{
	struct nic_rq *rq = l->rq;

	if (!rq->striding)
		return cqesim_rq_buffer_at(&rq->rq, l->wqe, l->bytes, n, seg, NULL);
	int rc = cqesim_striding_rq_piece(&rq->strides, &l->place, l->bytes, n, seg);
	return rc ? rc : 1;
}

static void count_joined(struct cqesim_nic *nic, struct nic_lro *l, uint32_t n)
{
	struct nic_rq *rq = l->rq;
	uint32_t before = l->place.strides;
	bool retired = l->place.retires;

	l->bytes += n;
	if (!rq->striding) {
		nic->lro_joined++;
		return;
	}
	cqesim_strides_extend(&rq->strides.at, l->bytes, &l->place);
	rq->place = l->place;
	nic->striding_packets++;
	nic->striding_wqes += l->place.retires && !retired;
	nic->stats.strides += l->place.strides - before;
	nic->stats.stride_bytes += (uint64_t)(l->place.strides - before)
				   << rq->strides.at.shape.log_stride_bytes;
}

static bool join(struct cqesim_nic *nic, struct nic_lro *l, uint64_t ready_ps, const uint8_t *data,
		 uint32_t cap_len)
{
	const struct cqesim_segment *g = l->segment;
	struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX];
	int segs = next_pieces(l, g->payload_bytes, seg);
	struct nic_load load = {0};
	uint32_t done = g->header_bytes;

	if (segs < 0 || cap_len < done + g->payload_bytes)
		return false;
	for (int i = 0; i < segs; i++) {
		nic_write_data(nic, &load, seg[i].address, seg[i].length, data + done,
			       seg[i].length);
		done += seg[i].length;
	}
	if (nic->config.copy_data)
		nic_copy_data(seg, segs, data + g->header_bytes, g->payload_bytes);
	nic_send(nic, ready_ps, &load);
	add_sum(l, (uint32_t)l->a.open[0].payload_bytes, data + g->header_bytes, g->payload_bytes);
	count_joined(nic, l, g->payload_bytes);
	l->ready_ps = ready_ps;
	cqesim_aggregate_add(&l->a, g, NULL);
	return true;
}

bool nic_lro_takes(struct cqesim_nic *nic, struct nic_rq *rq, uint64_t now_ps, uint64_t ready_ps,
		   const uint8_t *data, uint32_t cap_len, uint16_t *wqe)
{
	struct nic_lro *l = rq->lro;
	const struct cqesim_segment *g = l->segment;

	if (!l->a.opened)
		return false;
	if (!g || !cqesim_aggregate_joins(&l->a, g)) {
		cqesim_aggregate_yield(&l->a, g ? g : &(struct cqesim_segment){.time_ps = now_ps});
		return false;
	}
	if (!rq->inject) {
		if (join(nic, l, ready_ps, data, cap_len)) {
			if (wqe)
				*wqe = l->wqe;
			return true;
		}
		rq->inject = CQESIM_SYNDROME_LOCAL_PROT;
	}
	nic_lro_stop(rq, now_ps);
	return false;
}

bool cqesim_nic_lro_joins(const struct cqesim_nic *nic, uint32_t rqn,
			  const struct cqesim_segment *g, uint16_t *wqe)
{
	const struct nic_rq *rq = nic_find_rq(nic, rqn);

	if (!rq || !rq->lro || rq->inject || !cqesim_aggregate_joins(&rq->lro->a, g))
		return false;
	*wqe = rq->lro->wqe;
	return true;
}

/* ---- a packet begins ---- */

/* All that the WQE at hand could hold. */
static uint32_t room(const struct nic_lro *l)
{
	const struct nic_rq *rq = l->rq;
	struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX];
	uint32_t fits = LENGTH_MAX;

	if (!rq->striding) { /* more than any session has; memory is looked at when it is used */
		cqesim_rq_buffer_at(&rq->rq, l->wqe, 0, UINT32_MAX, seg, &fits);
		return fits;
	}
	fits = cqesim_strides_room(&rq->strides.at, &l->place);
	return fits < LENGTH_MAX ? fits : LENGTH_MAX;
}

bool nic_lro_begins(struct cqesim_nic *nic, struct nic_rq *rq, const uint8_t cqe[64], uint16_t wqe,
		    uint64_t ready_ps, const uint8_t *data, uint32_t cap_len, struct nic_load *load)
{
	struct nic_lro *l = rq->lro;
	const struct cqesim_segment *g = l->segment;

	if (!g || cap_len < (uint32_t)g->header_bytes + g->payload_bytes)
		return false;
	l->a.config = *l->config;
	if (cqesim_aggregate_alone(&l->a, g))
		return false;
	nic_send(nic, ready_ps, load);
	memcpy(l->cqe, cqe, sizeof(l->cqe));
	l->wqe = wqe;
	l->place = rq->place;
	l->bytes = g->header_bytes + g->payload_bytes;
	l->ready_ps = ready_ps;
	l->sum = 0;
	add_sum(l, 0, data + g->header_bytes, g->payload_bytes);
	cqesim_aggregate_add(&l->a, g, NULL);
	if (!l->a.opened) /* PSH: it has ended at once */
		return true;
	cqesim_aggregate_room(&l->a, room(l));
	uint64_t due_ps = cqesim_aggregate_next_ps(&l->a);
	if (due_ps < nic->lro_due_ps)
		nic->lro_due_ps = due_ps;
	return true;
}

enum cqesim_rx_result cqesim_nic_receive_lro(struct cqesim_nic *nic, uint32_t rqn, uint64_t now_ps,
					     const struct cqesim_rxmeta *meta, const uint8_t *data,
					     uint32_t cap_len, uint16_t *wqe,
					     const struct cqesim_aggregate_config *lro,
					     const struct cqesim_segment *segment)
{
	struct nic_rq *rq = nic_find_rq(nic, rqn);

	if (rq && !rq->lro && segment) {
		struct nic_lro *l = calloc(1, sizeof(*l));

		/* Without memory, or with rules that this cannot follow, nothing is joined. */
		if (l && (lro->contexts != 1 || lro->header_split ||
			  cqesim_aggregate_init(&l->a, lro, ended, l, NULL))) {
			free(l);
			l = NULL;
		}
		if (l) {
			l->nic = nic;
			l->rq = rq;
		}
		rq->lro = l;
	}
	if (rq && rq->lro) {
		rq->lro->segment = segment;
		rq->lro->config = lro;
	}
	enum cqesim_rx_result result =
		cqesim_nic_receive(nic, rqn, now_ps, meta, data, cap_len, wqe);
	if (rq && rq->lro)
		rq->lro->segment = NULL;
	return result;
}

/* ---- without a packet ---- */

void nic_lro_stop(struct nic_rq *rq, uint64_t now_ps)
{
	if (rq->lro)
		cqesim_aggregate_stop(&rq->lro->a, now_ps);
}

void nic_lro_expire(struct cqesim_nic *nic)
{
	uint64_t now_ps = nic->lro_due_ps;

	nic->lro_due_ps = UINT64_MAX;
	for (uint32_t i = 0; i < nic->rqs; i++) {
		struct nic_rq *rq = nic->rq[i];

		if (!rq || !rq->lro)
			continue;
		cqesim_aggregate_step(&rq->lro->a, now_ps);
		uint64_t due_ps = cqesim_aggregate_next_ps(&rq->lro->a);
		if (due_ps < nic->lro_due_ps)
			nic->lro_due_ps = due_ps;
	}
}
