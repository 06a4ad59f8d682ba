/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet's way through a striding queue.  What differs from a cyclic one: it
 * takes strides of a WQE that it may share, a filler completion may have to close
 * the WQE before, and the completion tells WQE, first stride and strides.
 *
 * Fillers are written plain whatever the compression policy is, and end a session
 * (assumed: whether a device puts them into sessions is not public).
 */
#include <errno.h>

#include "nic_internal.h"

#define BYTE_CNT_FILLER (UINT32_C(1) << 31)
#define LENGTH_MAX      UINT32_C(0xffff) /* byte_cnt has 16 bits for it */

static void put_wqe_id(uint8_t cqe[64], uint16_t id)
{
	cqesim_be_store(cqe + 2, 2, id);
}

/* The rest of a WQE is closed. */
static void filler(struct cqesim_nic *nic, struct nic_rq *rq, uint64_t now_ps, uint64_t ready_ps)
{
	const struct cqesim_placement *p = &rq->place;
	struct cqesim_rxmeta none = {.byte_cnt = BYTE_CNT_FILLER | p->filler << 16};
	uint8_t cqe[64] __attribute__((aligned(64)));

	cqesim_cqe_put_rx(cqe, &none, rq->user_index, nic_stamp(nic, now_ps), p->filler_stride);
	put_wqe_id(cqe, p->filler_wqe);
	nic_complete_filler(nic, rq->cq, cqe, ready_ps);
	nic->striding_wqes++;
	nic->stats.filler_strides += p->filler;
	nic->stats.filler_bytes += (uint64_t)p->filler << rq->strides.at.shape.log_stride_bytes;
}

/* A WQE is begun: was it read with the one before it? */
static void fetch(struct nic_rq *rq, struct nic_load *load)
{
	uint16_t wqe = rq->place.wqe;
	bool follows = rq->any_opened && (wqe & rq->wqe_mask) == ((rq->opened + 1u) & rq->wqe_mask);

	rq->opened = wqe;
	rq->any_opened = true;
	if (follows && rq->fetched_on) {
		rq->fetched_on--;
		return;
	}
	/* The packet may have used it up already. */
	uint32_t posted = cqesim_strides_credits(&rq->strides.at) + rq->place.retires;
	rq->fetched_on = nic_plan_fetch(load, rq, wqe, posted) - 1;
}

static enum cqesim_rx_result protection_error(struct cqesim_nic *nic, struct nic_rq *rq,
					      uint64_t now_ps)
{
	struct cqesim_cqe_err err = {
		.eth_wqe_id = rq->place.wqe,
		.ib_stride_index = rq->place.stride,
		.srqn = rq->user_index,
		.wqe_counter = rq->place.stride,
	};
	uint8_t raw[64];

	nic_fail_rq(rq, &err);
	cqesim_cqe_err_encode(&err, raw);
	nic_complete_error(nic, rq->cq, raw, now_ps);
	return CQESIM_RX_ERROR;
}

static void count(struct cqesim_nic *nic, const struct nic_rq *rq)
{
	const struct cqesim_placement *p = &rq->place;

	nic->striding_packets++;
	nic->striding_wqes += p->retires;
	nic->stats.strides += p->strides;
	nic->stats.stride_bytes += (uint64_t)p->strides << rq->strides.at.shape.log_stride_bytes;
}

enum cqesim_rx_result nic_receive_striding(struct cqesim_nic *nic, struct nic_rq *rq,
					   uint64_t now_ps, uint64_t ready_ps,
					   const struct cqesim_rxmeta *meta, const uint8_t *data,
					   uint32_t cap_len, uint16_t *wqe)
{
	struct cqesim_placement *p = &rq->place;
	struct cqesim_rq_seg seg;
	int rc = meta->byte_cnt > LENGTH_MAX
			 ? -EMSGSIZE
			 : cqesim_striding_rq_place(&rq->strides, meta->byte_cnt, p, &seg);
	if (!rc && rq->inject)
		rc = -EFAULT;

	if (rc && rc != -EFAULT) /* the place is still that of the packet before */
		return rc == -ENOBUFS ? CQESIM_RX_OUT_OF_BUFFER : CQESIM_RX_TOO_LONG;
	if (p->filler)
		filler(nic, rq, now_ps, ready_ps);
	struct nic_load load = {0};
	if (p->opens)
		fetch(rq, &load);
	if (rc) {
		if (load.fetch)
			nic_send(nic, ready_ps, &load);
		return protection_error(nic, rq, ready_ps);
	}
	nic_write_data(nic, &load, seg.address, seg.length, data, cap_len);
	if (nic->config.copy_data) {
		uint32_t n = cap_len < seg.length ? cap_len : seg.length;
		if (n)
			memcpy(seg.memory, data, n);
	}

	uint8_t cqe[64] __attribute__((aligned(64)));
	struct cqesim_rxmeta striding = *meta;
	striding.byte_cnt |= p->strides << 16;
	cqesim_cqe_put_rx(cqe, &striding, rq->user_index, nic_stamp(nic, now_ps), p->stride);
	put_wqe_id(cqe, p->wqe);
	count(nic, rq);
	if (__builtin_expect(!rq->lro, 1) ||
	    !nic_lro_begins(nic, rq, cqe, p->wqe, ready_ps, data, cap_len, &load))
		nic_complete(nic, rq->cq, cqe, ready_ps, &load);
	if (wqe)
		*wqe = p->wqe;
	return CQESIM_RX_DELIVERED;
}
