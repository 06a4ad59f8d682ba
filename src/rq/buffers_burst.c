/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many packets of a burst find no buffer: the device's side of rq.h takes
 * WQEs, a driver takes packets and posts again.  See buffers.h.
 */
#include <errno.h>
#include <string.h>

#include "cqesim/buffers.h"

/* The driver's place: time in arrivals, as exact credit towards the next packet. */
struct driver {
	uint64_t credit, num, den;
	uint64_t waiting; /* packets delivered and not taken */
	uint64_t taken;
	uint32_t bulk, free; /* WQEs that are free and not posted */
};

/* One kind of ring: take a packet (false: none is there), give one back. */
struct ring {
	const struct cqesim_burst *b;
	struct driver d;
	/* Cyclic. */
	struct cqesim_rq rq;
	struct cqesim_rq_poster poster;
	uint32_t *dbrec;
	/* Striding: of each WQE of the ring, packets that are not taken. */
	struct cqesim_strides strides;
	uint32_t *packets;
	uint32_t oldest; /* WQE whose packets are taken, counted from the start */
	uint32_t closed; /* WQEs whose strides are all consumed, likewise */
};

static uint64_t cyclic_bytes(const struct cqesim_rq_layout *l)
{
	struct cqesim_rq_memory m = cqesim_rq_memory(l);

	return sizeof(uint64_t) + m.wqe_ring;
}

size_t cqesim_burst_scratch(const struct cqesim_rq_layout *l)
{
	return l->striding ? sizeof(uint32_t) << l->log_wqes : (size_t)cyclic_bytes(l);
}

/* No data is written: any address will do. */
static void *anywhere(void *context, uint32_t lkey, uint64_t address, uint32_t length)
{
	(void)lkey;
	(void)address;
	(void)length;
	return context;
}

static void start_cyclic(struct ring *r, void *scratch)
{
	const struct cqesim_rq_layout *l = &r->b->layout;
	uint8_t *wqes = (uint8_t *)scratch + sizeof(uint64_t);
	struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX];
	unsigned log_segs = 0;

	while (1u << log_segs < l->segments)
		log_segs++;
	r->dbrec = scratch;
	*r->dbrec = 0;
	cqesim_rq_init(&r->rq, wqes, l->log_wqes, log_segs, r->dbrec, anywhere, r);
	cqesim_rq_poster_init(&r->poster, wqes, l->log_wqes, log_segs, r->dbrec);
	for (unsigned i = 0; i < l->segments; i++) {
		uint32_t head = i ? 0 : l->headroom_bytes;

		seg[i] = (struct cqesim_rq_seg){
			.address = (uint64_t)i * l->buffer_bytes + head,
			.lkey = 1,
			.length = l->buffer_bytes - head,
		};
	}
	for (uint32_t i = 0; i <= r->rq.mask; i++)
		cqesim_rq_post(&r->poster, seg, l->segments);
	cqesim_rq_doorbell(&r->poster);
}

static void start_striding(struct ring *r, void *scratch)
{
	const struct cqesim_rq_layout *l = &r->b->layout;
	struct cqesim_strides_shape shape = {
		.log_wqes = l->log_wqes,
		.log_strides = l->log_strides,
		.log_stride_bytes = l->log_stride_bytes,
		.two_byte_shift = l->two_byte_shift,
	};

	cqesim_strides_init(&r->strides, &shape, true, NULL);
	r->strides.posted = (uint16_t)(1u << l->log_wqes);
	r->packets = scratch;
	memset(r->packets, 0, sizeof(uint32_t) << l->log_wqes);
}

static void post(struct ring *r)
{
	if (r->d.free < r->d.bulk)
		return;
	if (r->b->layout.striding) {
		r->strides.posted = (uint16_t)(r->strides.posted + r->d.free);
	} else {
		cqesim_rq_repost(&r->poster, r->d.free);
		cqesim_rq_doorbell(&r->poster);
	}
	r->d.free = 0;
}

static uint32_t *count_of(struct ring *r, uint32_t wqe)
{
	return &r->packets[wqe & ((1u << r->b->layout.log_wqes) - 1)];
}

/* WQEs of which nothing is left to be consumed or taken. */
static void free_wqes(struct ring *r)
{
	while (r->oldest != r->closed && !*count_of(r, r->oldest)) {
		r->oldest++;
		r->d.free++;
	}
	post(r);
}

/* Software takes the oldest packet. */
static void take(struct ring *r)
{
	r->d.waiting--;
	r->d.taken++;
	if (!r->b->layout.striding) {
		r->d.free++;
		post(r);
		return;
	}
	/* A WQE without packets that is still open cannot be the one: none waits there. */
	--*count_of(r, r->oldest);
	free_wqes(r);
}

/* One arrival's time passes. */
static void drain(struct ring *r)
{
	struct driver *d = &r->d;

	d->credit += d->num;
	while (d->waiting && d->credit >= d->den) {
		d->credit -= d->den;
		take(r);
	}
	if (!d->waiting)
		d->credit = 0; /* idle: the next packet is begun when it comes */
}

static bool arrive_striding(struct ring *r)
{
	struct cqesim_placement p;

	if (cqesim_strides_place(&r->strides, r->b->packet_bytes, &p))
		return false;
	r->closed += p.filler != 0;
	++*count_of(r, r->closed);
	r->closed += p.retires;
	if (p.filler)
		free_wqes(r);
	return true;
}

static bool arrive(struct ring *r)
{
	struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX];

	if (r->b->layout.striding)
		return arrive_striding(r);
	if (!cqesim_rq_credits(&r->rq) ||
	    cqesim_rq_buffer_fast(&r->rq, r->b->packet_bytes, seg) <= 0)
		return false;
	cqesim_rq_consume(&r->rq);
	return true;
}

static int check(const struct cqesim_burst *b, struct cqesim_error *err)
{
	int rc = cqesim_rq_layout_check(&b->layout, err);

	if (rc)
		return rc;
	if (!b->packet_bytes || !cqesim_rq_fit(&b->layout, b->packet_bytes).fits)
		return cqesim_fail(err, -EINVAL, "packets of %u bytes fit in no WQE",
				   b->packet_bytes);
	if (!b->ratio_den || b->ratio_den > UINT64_C(1) << 32 || b->ratio_num > UINT64_C(1) << 52)
		return cqesim_fail(err, -EINVAL, "ratio of drain to arrival out of range");
	if (!b->post_bulk || b->post_bulk > 1u << b->layout.log_wqes)
		return cqesim_fail(err, -EINVAL, "%u WQEs posted together: expected 1 to %u",
				   b->post_bulk, 1u << b->layout.log_wqes);
	return 0;
}

int cqesim_burst_run(const struct cqesim_burst *b, uint64_t packets, void *scratch,
		     struct cqesim_burst_result *result, struct cqesim_error *err)
{
	struct ring r = {
		.b = b,
		.d = {.num = b->ratio_num, .den = b->ratio_den, .bulk = b->post_bulk},
	};
	int rc = check(b, err);

	if (rc)
		return rc;
	if (b->layout.striding)
		start_striding(&r, scratch);
	else
		start_cyclic(&r, scratch);
	*result = (struct cqesim_burst_result){.first_lost = packets};
	for (uint64_t i = 0; i < packets; i++) {
		drain(&r);
		if (arrive(&r)) {
			r.d.waiting++;
			result->delivered++;
		} else if (!result->lost++) {
			result->first_lost = i;
		}
	}
	result->taken = r.d.taken;
	return 0;
}

/* ---- ratios that reproduce a table ---- */

static uint64_t lost_at(struct cqesim_burst *b, uint64_t packets, uint32_t step, void *scratch)
{
	struct cqesim_burst_result result;

	b->ratio_num = step;
	cqesim_burst_run(b, packets, scratch, &result, NULL);
	return result.lost;
}

/* The smallest step with at most `lost` lost; CQESIM_BURST_STEPS + 1: there is none. */
static uint32_t first_with(struct cqesim_burst *b, uint64_t packets, uint64_t lost, void *scratch)
{
	uint32_t low = 0, high = CQESIM_BURST_STEPS + 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (lost_at(b, packets, middle, scratch) > lost)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct cqesim_burst_range fit_row(struct cqesim_burst *b, const struct cqesim_burst_row *row,
					 uint64_t tolerance, void *scratch)
{
	struct cqesim_burst_range range = {.high = CQESIM_BURST_STEPS};

	range.low = first_with(b, row->packets, row->lost + tolerance, scratch);
	range.possible = range.low <= CQESIM_BURST_STEPS;
	if (row->lost > tolerance) {
		/* From here on fewer are lost than were published. */
		uint32_t fewer = first_with(b, row->packets, row->lost - tolerance - 1, scratch);

		range.possible = range.possible && range.low < fewer;
		range.high = fewer ? fewer - 1 : 0;
	}
	return range;
}

int cqesim_burst_fit(const struct cqesim_burst *b, const struct cqesim_burst_row *row,
		     unsigned rows, uint64_t tolerance, void *scratch,
		     struct cqesim_burst_range *range, struct cqesim_burst_range *row_range,
		     struct cqesim_error *err)
{
	struct cqesim_burst at = *b;
	int rc;

	at.ratio_num = 0;
	at.ratio_den = CQESIM_BURST_STEPS;
	rc = check(&at, err);
	if (rc)
		return rc;
	*range = (struct cqesim_burst_range){.high = CQESIM_BURST_STEPS, .possible = rows > 0};
	for (unsigned i = 0; i < rows; i++) {
		struct cqesim_burst_range r = fit_row(&at, &row[i], tolerance, scratch);

		if (row_range)
			row_range[i] = r;
		range->low = r.low > range->low ? r.low : range->low;
		range->high = r.high < range->high ? r.high : range->high;
		range->possible = range->possible && r.possible && range->low <= range->high;
	}
	return 0;
}
