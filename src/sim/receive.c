/* SPDX-License-Identifier: BSD-3-Clause */
/* The shape of the receive queues: from profile and options to WQEs, segments and strides. */
#include <errno.h>
#include <string.h>

#include "sim_internal.h"

/* Below, DPDK's vector function could never post buffers again. */
#define VEC_RING_MIN 16u
#define CYCLIC_MIN   4u
#define PAGE         4096u
/* Below two a driver that goes on to the next WQE with the next packet never would. */
#define STRIDING_WQES 2u

static bool is_vec(const struct cqesim_sim *sim)
{
	return cqesim_sim_poll_rule(sim->config.driver) == CQESIM_POLL_DPDK_VEC;
}

static bool is_dpdk(const struct cqesim_sim *sim)
{
	return !is(sim->config.driver, CQESIM_DRV_REFEREE_MODE, "none");
}

/* ---- cyclic ---- */

/*
 * Segments for the largest frame.  As in DPDK the first buffer keeps its headroom
 * free and the others give it to the packet.
 */
static int segments(struct cqesim_sim *sim, struct cqesim_error *err)
{
	uint32_t most = sim->result.max_frame + CQESIM_FCS_BYTES;
	uint32_t room = (uint32_t)cqesim_profile_u64(sim->config.driver, CQESIM_DRV_BUFFER);
	uint32_t n = 1;

	if (room && room < most) {
		uint32_t more = room + sim->headroom;

		n += (most - room + more - 1) / more;
		while (n & (n - 1))
			n++;
	} else {
		room = most;
	}
	if (n > 1u << CQESIM_RQ_LOG_SEGS_MAX)
		return cqesim_fail(err, -EINVAL,
				   "buffer %u: frames of %u bytes would take more than the %u "
				   "segments that a WQE can have",
				   room, most, 1u << CQESIM_RQ_LOG_SEGS_MAX);
	if (n > 1 && is_vec(sim))
		return cqesim_fail(err, -EINVAL,
				   "buffer %u: frames of %u bytes take several segments, which the "
				   "vector receive function does not do: use --driver "
				   "dpdk-mlx5-scalar, or a smaller --mtu",
				   room, most);
	sim->log_segs = (unsigned)__builtin_ctz(n);
	sim->first_room = room;
	sim->room = room + sim->headroom;
	sim->buffer_stride = (BUFFER_HEAD + sim->headroom + room + 63) & ~(size_t)63;
	return 0;
}

static int cyclic(struct cqesim_sim *sim, struct cqesim_error *err)
{
	struct cqesim_sim_config *c = &sim->config;
	struct cqesim_rq_result *r = &sim->result.rq;

	if (c->wqes)
		return cqesim_fail(err, -EINVAL,
				   "wqes %u: a cyclic receive queue has as many as "
				   "its ring (--ring); --rq striding makes another",
				   c->wqes);
	if (c->hold.every)
		return cqesim_fail(err, -EINVAL,
				   "hold: packets of a cyclic receive queue hold no WQE, for each "
				   "has a buffer of its own; --rq striding makes another");
	if (log2_exact(c->ring) < (int)__builtin_ctz(CYCLIC_MIN) ||
	    log2_exact(c->ring) > (int)CQESIM_RQ_LOG_MAX)
		return cqesim_fail(err, -EINVAL, "ring %u: expected a power of two, 4 to 32768",
				   c->ring);
	/* PMD: MLX5_VPMD_RXQ_RPLNSH_THRESH must be above MLX5_VPMD_DESCS_PER_LOOP. */
	if (is_vec(sim) && c->ring < VEC_RING_MIN)
		return cqesim_fail(err, -EINVAL,
				   "ring %u: the vector receive function needs %u or more", c->ring,
				   VEC_RING_MIN);
	sim->log_ring = (unsigned)log2_exact(c->ring);
	int rc = segments(sim, err);
	if (rc)
		return rc;
	r->segments = 1u << sim->log_segs;
	r->wqes = c->ring;
	r->wqe_ring_bytes = (uint64_t)c->ring * (CQESIM_RQ_SEG_BYTES << sim->log_segs);
	r->wqe_room = sim->first_room + (uint64_t)(r->segments - 1) * sim->room;
	r->buffers = r->wqes * r->segments;
	r->buffer_bytes = r->buffers * (sim->headroom + (uint64_t)sim->first_room);
	return 0;
}

/* ---- striding ---- */

/* What drivers could not read back right. */
static int striding_format(const struct cqesim_sim *sim, struct cqesim_error *err)
{
	enum cqesim_mini_format f = sim->result.mini_format;

	if (!sim->result.cqe_comp_en)
		return 0;
	if (is_dpdk(sim) && !is_vec(sim) && (f == CQESIM_MINI_HASH || f == CQESIM_MINI_CSUM))
		return cqesim_fail(err, -EINVAL,
				   "mini-format %s: DPDK's scalar function takes a striding "
				   "packet's place from the mini: use --driver dpdk-mlx5-mprq, or "
				   "--mini-format csum_stridx",
				   cqesim_mini_format_name(f));
	if (sim->result.rq.strides.two_byte_shift && (f == CQESIM_MINI_FTAG_STRIDX || is_vec(sim)))
		return cqesim_fail(err, -EINVAL,
				   "two_byte_shift: %s, which does not know of the shift",
				   is_vec(sim) ? "the vector receive function counts strides by "
						 "length"
					       : "ftag_stridx has strides counted by length");
	return 0;
}

static int wqes_of(struct cqesim_sim *sim, uint64_t strides, struct cqesim_error *err)
{
	struct cqesim_sim_config *c = &sim->config;
	uint64_t wqes = c->wqes ? c->wqes : c->ring / strides;

	if (log2_exact(c->ring) < 0)
		return cqesim_fail(err, -EINVAL, "ring %u: expected a power of two", c->ring);
	if (!c->wqes && wqes < STRIDING_WQES)
		return cqesim_fail(err, -EINVAL,
				   "ring %u: with WQEs of %llu strides expected at least %llu "
				   "(strides of all WQEs; --wqes tells their number)",
				   c->ring, (unsigned long long)strides,
				   (unsigned long long)(STRIDING_WQES * strides));
	if (log2_exact(wqes) < 1 || log2_exact(wqes) > (int)CQESIM_RQ_LOG_MAX)
		return cqesim_fail(err, -EINVAL, "wqes %llu: expected a power of two, 2 to 32768",
				   (unsigned long long)wqes);
	if (wqes * strides > UINT64_C(1) << CQESIM_CQ_LOG_MAX)
		return cqesim_fail(err, -EINVAL,
				   "wqes %llu of %llu strides: expected up to %u strides in all, a "
				   "completion for each",
				   (unsigned long long)wqes, (unsigned long long)strides,
				   1u << CQESIM_CQ_LOG_MAX);
	c->wqes = (unsigned)wqes;
	c->ring = (unsigned)(wqes * strides);
	return 0;
}

static int striding(struct cqesim_sim *sim, struct cqesim_error *err)
{
	struct cqesim_sim_config *c = &sim->config;
	const struct cqesim_profile *drv = c->driver;
	struct cqesim_rq_result *r = &sim->result.rq;
	uint64_t strides = cqesim_profile_u64(drv, CQESIM_DRV_STRIDES);
	uint64_t stride = cqesim_profile_u64(drv, CQESIM_DRV_STRIDE);
	int rc;

	if (log2_exact(strides) < 0)
		return cqesim_fail(err, -EINVAL, "strides %llu: expected a power of two",
				   (unsigned long long)strides);
	if (log2_exact(stride) < 0)
		return cqesim_fail(err, -EINVAL, "stride %llu: expected a power of two",
				   (unsigned long long)stride);
	if (c->hold.every && !c->hold.packets && !c->hold.ps)
		return cqesim_fail(err, -EINVAL, "hold: expected how many packets or how long");
	rc = wqes_of(sim, strides, err);
	if (rc)
		return rc;
	r->strides = (struct cqesim_strides_shape){
		.log_wqes = (unsigned)log2_exact(c->wqes),
		.log_strides = (unsigned)log2_exact(strides),
		.log_stride_bytes = (unsigned)log2_exact(stride),
		.two_byte_shift = cqesim_profile_flag(drv, CQESIM_DRV_TWO_BYTE_SHIFT),
		.linked_list = is(drv, CQESIM_DRV_WQE_ORDER, "linked"),
	};
	rc = cqesim_strides_check(&r->strides, true, err);
	if (!rc)
		rc = striding_format(sim, err);
	if (rc)
		return rc;
	uint64_t wqe_bytes = cqesim_strides_wqe_bytes(&r->strides);
	/* Each buffer on a page of its own, its headroom before it. */
	sim->buffer_stride = wqe_bytes + ((sim->headroom + PAGE - 1) & ~(size_t)(PAGE - 1));
	if (sim->buffer_stride & (PAGE - 1))
		sim->buffer_stride = (sim->buffer_stride + PAGE) & ~(size_t)(PAGE - 1);
	r->striding = true;
	r->segments = 1;
	r->wqes = c->wqes;
	r->wqe_ring_bytes = r->wqes * CQESIM_STRIDING_WQE_BYTES;
	r->wqe_room = wqe_bytes - (r->strides.two_byte_shift ? CQESIM_TWO_BYTE_SHIFT : 0);
	r->buffers = r->wqes * cqesim_profile_u64(drv, CQESIM_DRV_BUFFERS);
	r->buffer_bytes = r->wqes * wqe_bytes;
	return 0;
}

int sim_receive_queue(struct cqesim_sim *sim, struct cqesim_error *err)
{
	struct cqesim_sim_config *c = &sim->config;
	bool strides = is(c->driver, CQESIM_DRV_RQ, "striding");

	if (c->rq)
		strides = c->rq == CQESIM_RQ_CHOOSE_STRIDING;
	if (!c->ring)
		c->ring = (unsigned)cqesim_profile_u64(c->driver, CQESIM_DRV_RING);
	sim->headroom = (uint32_t)cqesim_profile_u64(c->driver, CQESIM_DRV_HEADROOM);
	return strides ? striding(sim, err) : cyclic(sim, err);
}

struct cqesim_host_striding sim_host_striding(const struct cqesim_sim *sim, struct queue *q)
{
	const struct cqesim_profile *drv = sim->config.driver;
	const struct cqesim_rq_result *r = &sim->result.rq;
	bool dpdk = is_dpdk(sim);
	uint32_t refill = (uint32_t)cqesim_profile_u64(drv, CQESIM_DRV_REFILL);
	/* KRN mlx5e_mpwqe_get_min_wqe_bulk, so that a small ring is refilled at all. */
	uint32_t most = r->wqes > 2 ? (uint32_t)r->wqes / 2 - 1 : 1;

	return (struct cqesim_host_striding){
		.shape = r->strides,
		.ring = q->wq_ring,
		.dbrec = &q->dbrec[0],
		.address = q->buffers_address + sim->headroom,
		.buffer_stride = sim->buffer_stride,
		.buffers = (uint32_t)r->buffers,
		.retire = !dpdk         ? CQESIM_RETIRE_AT_ONCE
			  : is_vec(sim) ? CQESIM_RETIRE_NEXT_FOUND
					: CQESIM_RETIRE_NEXT_LOOK,
		.refill = refill < most ? refill : most,
		.copy_if_none = is(drv, CQESIM_DRV_NO_BUFFER, "copy"),
		.memcpy_bytes = (uint32_t)cqesim_profile_u64(drv, CQESIM_DRV_MEMCPY),
		/* PMD mprq_buf_to_pkt: the next packet's headroom lies in the last stride. */
		.headroom = dpdk ? sim->headroom : 0,
		.fillers_count = !dpdk, /* KRN mlx5e_poll_rx_cq counts completions */
		.attach_cycles = cqesim_profile_num(drv, CQESIM_DRV_CYC_ATTACH),
		.copy_cycles = cqesim_profile_num(drv, CQESIM_DRV_CYC_COPY),
		.hold_every = sim->config.hold.every,
		.hold_packets = sim->config.hold.packets,
		.hold_ps = sim->config.hold.ps,
	};
}

/* ---- packets that were lost ---- */

static void add_write(const struct cqesim_sim *sim, struct cqesim_tlps *sum, uint64_t address,
		      uint32_t bytes)
{
	if (sim->data_padding)
		bytes = (bytes + 63) & ~63u;
	struct cqesim_tlps t = cqesim_link_write(cqesim_nic_link(sim->nic), address, bytes);
	cqesim_tlps_add(sum, &t);
}

/* To one buffer after the other; striding: to one stride after the other. */
struct cqesim_tlps sim_lost_write(const struct cqesim_sim *sim, const struct queue *q,
				  uint32_t bytes)
{
	const struct cqesim_rq_result *rq = &sim->result.rq;
	uint64_t i = q->arrived & q->sent_mask, at = q->buffers_address;
	struct cqesim_tlps sum = {0};

	if (rq->striding) {
		at += sim->headroom +
		      ((i << rq->strides.log_stride_bytes) &
		       (cqesim_strides_wqe_bytes(&rq->strides) - 1)) +
		      (rq->strides.two_byte_shift ? CQESIM_TWO_BYTE_SHIFT : 0);
		add_write(sim, &sum, at, bytes);
		return sum;
	}
	at += (i << sim->log_segs) * sim->buffer_stride + BUFFER_HEAD + sim->headroom;
	uint32_t room = sim->first_room;
	/* What fits in no WQE would be written as far as it goes. */
	for (unsigned k = 0; bytes && k < rq->segments; k++) {
		uint32_t n = bytes < room ? bytes : room;

		add_write(sim, &sum, at, n);
		bytes -= n;
		at += sim->buffer_stride - (k ? 0 : sim->headroom);
		room = sim->room;
	}
	return sum;
}
