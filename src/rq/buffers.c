/* SPDX-License-Identifier: BSD-3-Clause */
/* Footprints and waste of receive queues: the formulas of buffers.h. */
#include <errno.h>

#include "cqesim/buffers.h"

#define STRIDING_WQE_BYTES 32u
#define RECORD_BYTES       8u

int cqesim_rx_buf_len_check(uint64_t bytes, struct cqesim_error *err)
{
	if (bytes < CQESIM_RX_BUF_LEN_MIN || bytes > CQESIM_RX_BUF_LEN_MAX || bytes & (bytes - 1))
		return cqesim_fail(
			err, -EINVAL, "buffer length %llu: expected a power of two from %u to %u",
			(unsigned long long)bytes, CQESIM_RX_BUF_LEN_MIN, CQESIM_RX_BUF_LEN_MAX);
	return 0;
}

static struct cqesim_strides_shape shape_of(const struct cqesim_rq_layout *l)
{
	return (struct cqesim_strides_shape){
		.log_wqes = l->log_wqes,
		.log_strides = l->log_strides,
		.log_stride_bytes = l->log_stride_bytes,
		.two_byte_shift = l->two_byte_shift,
	};
}

static int check_cyclic(const struct cqesim_rq_layout *l, struct cqesim_error *err)
{
	if (l->log_wqes > CQESIM_RQ_LOG_MAX)
		return cqesim_fail(err, -EINVAL, "2^%u WQEs: expected at most 2^%u", l->log_wqes,
				   CQESIM_RQ_LOG_MAX);
	if (!l->segments || l->segments > 1u << CQESIM_RQ_LOG_SEGS_MAX)
		return cqesim_fail(err, -EINVAL, "%u segments: expected 1 to %u", l->segments,
				   1u << CQESIM_RQ_LOG_SEGS_MAX);
	if (!l->buffer_bytes || l->buffer_bytes > 1u << 24)
		return cqesim_fail(err, -EINVAL, "buffers of %u bytes: expected 1 to 16 MiB",
				   l->buffer_bytes);
	if (l->headroom_bytes >= l->buffer_bytes)
		return cqesim_fail(err, -EINVAL, "headroom of %u bytes: buffers have only %u",
				   l->headroom_bytes, l->buffer_bytes);
	if (l->cq_factor != 1 && l->cq_factor != 2)
		return cqesim_fail(err, -EINVAL, "%u completions per WQE: expected 1 or 2",
				   l->cq_factor);
	return 0;
}

int cqesim_rq_layout_check(const struct cqesim_rq_layout *l, struct cqesim_error *err)
{
	struct cqesim_strides_shape shape = shape_of(l);

	if (l->cqe_bytes != 64 && l->cqe_bytes != 128)
		return cqesim_fail(err, -EINVAL, "completions of %u bytes: expected 64 or 128",
				   l->cqe_bytes);
	if (l->header_entries > 1u << 24 || l->header_entry_bytes > 1u << 16)
		return cqesim_fail(err, -EINVAL,
				   "header buffer: expected up to 2^24 entries of up to 64 KiB");
	return l->striding ? cqesim_strides_check(&shape, true, err) : check_cyclic(l, err);
}

static uint64_t wqe_slot_bytes(const struct cqesim_rq_layout *l)
{
	uint32_t n = 1;

	if (l->striding)
		return STRIDING_WQE_BYTES;
	while (n < l->segments)
		n *= 2;
	return (uint64_t)n * CQESIM_RQ_SEG_BYTES;
}

/* Bytes of buffers behind one WQE. */
static uint64_t wqe_buffer_bytes(const struct cqesim_rq_layout *l)
{
	return l->striding ? UINT64_C(1) << (l->log_strides + l->log_stride_bytes)
			   : (uint64_t)l->segments * l->buffer_bytes;
}

struct cqesim_rq_memory cqesim_rq_memory(const struct cqesim_rq_layout *l)
{
	uint64_t wqes = UINT64_C(1) << l->log_wqes;
	struct cqesim_rq_memory m = {
		.wqe_ring = wqes * wqe_slot_bytes(l),
		.buffers = wqes * wqe_buffer_bytes(l),
		.cq = wqes * (l->striding ? UINT64_C(1) << l->log_strides : l->cq_factor) *
		      l->cqe_bytes,
		.headers = (uint64_t)l->header_entries * l->header_entry_bytes,
		.records = 2 * RECORD_BYTES,
	};

	m.total = m.wqe_ring + m.buffers + m.cq + m.headers + m.records;
	return m;
}

struct cqesim_rq_fit cqesim_rq_fit(const struct cqesim_rq_layout *l, uint32_t length)
{
	uint64_t wqes = UINT64_C(1) << l->log_wqes;
	struct cqesim_rq_fit f = {.fits = true};

	if (l->striding) {
		struct cqesim_strides_shape shape = shape_of(l);

		f.pieces = cqesim_strides_for(&shape, length);
		f.held = (uint64_t)f.pieces << l->log_stride_bytes;
		f.fits = f.pieces <= cqesim_strides_per_wqe(&shape);
		f.in_ring = f.pieces ? wqes * (cqesim_strides_per_wqe(&shape) / f.pieces) : 0;
	} else {
		uint64_t end = (uint64_t)l->headroom_bytes + length;

		f.held = wqe_buffer_bytes(l);
		f.pieces = (uint32_t)((end + l->buffer_bytes - 1) / l->buffer_bytes);
		f.fits = end <= f.held;
		f.in_ring = f.fits ? wqes : 0;
	}
	f.waste = f.fits ? f.held - length : 0;
	return f;
}

uint64_t cqesim_ddio_bytes(uint64_t llc_bytes, double share)
{
	return share > 0 ? (uint64_t)((double)llc_bytes * (share < 1 ? share : 1)) : 0;
}

double cqesim_ddio_queues(const struct cqesim_rq_layout *l, uint64_t ddio_bytes)
{
	struct cqesim_rq_memory m = cqesim_rq_memory(l);

	return (double)ddio_bytes / (double)(m.buffers + m.cq + m.headers);
}

/* ---- use by a sequence ---- */

int cqesim_rq_usage_init(struct cqesim_rq_usage *u, const struct cqesim_rq_layout *l,
			 struct cqesim_error *err)
{
	struct cqesim_strides_shape shape = shape_of(l);
	int rc = cqesim_rq_layout_check(l, err);

	if (rc)
		return rc;
	*u = (struct cqesim_rq_usage){.layout = *l};
	shape.log_wqes = 1; /* as many as are posted at a time */
	return l->striding ? cqesim_strides_init(&u->strides, &shape, true, err) : 0;
}

static void add_striding(struct cqesim_rq_usage *u, uint32_t length)
{
	unsigned log_bytes = u->layout.log_stride_bytes;
	struct cqesim_placement p;

	/* The one in use and, behind a filler, the next: software posts in time. */
	u->strides.posted = (uint16_t)(u->strides.done + 2);
	if (cqesim_strides_place(&u->strides, length, &p)) {
		u->too_long++;
		return;
	}
	uint64_t held = (uint64_t)p.strides << log_bytes, filler = (uint64_t)p.filler << log_bytes;

	u->packets++;
	u->bytes += length;
	u->pieces += p.strides;
	u->wqes += p.opens;
	u->fillers += p.filler != 0;
	u->filler_strides += p.filler;
	u->held += held + filler;
	u->waste += held - length + filler;
}

void cqesim_rq_usage_add(struct cqesim_rq_usage *u, uint32_t length)
{
	if (u->layout.striding) {
		add_striding(u, length);
		return;
	}
	struct cqesim_rq_fit f = cqesim_rq_fit(&u->layout, length);

	if (!f.fits) {
		u->too_long++;
		return;
	}
	u->packets++;
	u->bytes += length;
	u->pieces += f.pieces;
	u->wqes++;
	u->held += f.held;
	u->waste += f.waste;
}
