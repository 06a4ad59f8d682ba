/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqesim rq: where each packet of a sequence lands.  The card's side is the queue
 * of rq.h; here is software that takes packets at once, keeps some, and posts WQEs
 * again: in the ring's order, or, in a linked list, as they become free.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rq.h"

struct draw {
	const struct rq_options *o;
	const struct rq_queue *q;
	struct rq_drawing *d;
	uint32_t ring_wqes;
	bool no_memory;
	uint32_t spare; /* buffers that may take a held one's place */
	/* Striding. */
	struct cqesim_strides strides;
	uint16_t *next; /* linked list: place of the WQE after each */
	uint16_t tail;
	/* Cyclic. */
	struct cqesim_rq rq;
	struct cqesim_rq_poster poster;
	uint8_t *ring;
	uint32_t dbrec;
	/* WQEs before this one are posted again, in the ring's order. */
	uint32_t oldest;
	/* Pages: of each packet its fragments, to be given back hold_for packets later. */
	struct cqesim_pool_page *page;
	uint32_t *stack, *in_ring, *out;
	size_t given_back;
};

/* ---- memory ---- */

static struct rq_place *add_place(struct draw *w)
{
	struct rq_drawing *d = w->d;

	if (d->places == d->room) {
		size_t room = d->room ? 2 * d->room : 256;
		struct rq_place *more = realloc(d->place, room * sizeof(*more));

		if (!more)
			return NULL;
		d->place = more;
		d->room = room;
	}
	d->place[d->places] = (struct rq_place){0};
	return &d->place[d->places++];
}

static struct rq_wqe *add_wqe(struct draw *w, uint16_t index)
{
	struct rq_drawing *d = w->d;

	if (d->wqes == d->wqe_room) {
		uint32_t room = d->wqe_room ? 2 * d->wqe_room : 64;
		struct rq_wqe *more = realloc(d->wqe, room * sizeof(*more));

		if (!more)
			return NULL;
		d->wqe = more;
		d->wqe_room = room;
	}
	d->wqe[d->wqes] = (struct rq_wqe){.index = index, .slot = index & (w->ring_wqes - 1)};
	return &d->wqe[d->wqes++];
}

/* ---- pages ---- */

static bool start_pages(struct draw *w)
{
	const struct cqesim_rq_layout *l = &w->q->layout;
	size_t in_ring = (size_t)w->ring_wqes * l->segments;
	size_t out = (size_t)RQ_DRAWN_MAX * l->segments, pages = in_ring + out;

	w->page = calloc(pages, sizeof(*w->page));
	w->stack = calloc(pages, sizeof(*w->stack));
	w->in_ring = calloc(in_ring, sizeof(*w->in_ring));
	w->out = calloc(out, sizeof(*w->out));
	if (!w->page || !w->stack || !w->in_ring || !w->out ||
	    cqesim_page_pool_init(&w->d->pool, w->page, w->stack, (uint32_t)pages,
				  (uint32_t)w->o->pool_cache, (uint32_t)w->o->page_bytes,
				  l->buffer_bytes))
		return false;
	for (size_t i = 0; i < in_ring; i++)
		cqesim_page_pool_take(&w->d->pool, &w->in_ring[i], NULL);
	return true;
}

/* What packets up to `upto` have and nobody keeps comes back. */
static void give_back(struct draw *w, size_t upto)
{
	unsigned n = w->q->layout.segments;

	for (; w->given_back < upto; w->given_back++) {
		const struct rq_place *p = &w->d->place[w->given_back];

		for (unsigned i = 0; i < n && p->fate == RQ_PLACED && !p->held; i++)
			cqesim_page_pool_give(&w->d->pool, w->out[w->given_back * n + i]);
	}
}

/* A packet goes up with its WQE's fragments; new ones take their place. */
static void swap_pages(struct draw *w, size_t place, uint32_t slot)
{
	unsigned n = w->q->layout.segments;

	memcpy(&w->out[place * n], &w->in_ring[(size_t)slot * n], n * sizeof(*w->out));
	if (w->d->places > w->o->hold_for)
		give_back(w, w->d->places - w->o->hold_for);
	for (unsigned i = 0; i < n; i++)
		cqesim_page_pool_take(&w->d->pool, &w->in_ring[(size_t)slot * n + i], NULL);
}

/* ---- software ---- */

/* May the WQE be posted again?  With another buffer, if a packet keeps its own. */
static bool returnable(struct draw *w, struct rq_wqe *e)
{
	if (!e->closed || e->posted_again || w->o->no_refill)
		return false;
	if (e->held && !w->o->page_bytes) {
		if (!w->spare)
			return false;
		w->spare--;
		w->d->spare_used++;
	}
	e->posted_again = true;
	return true;
}

static void post_listed(struct draw *w, struct rq_wqe *e)
{
	if (!returnable(w, e))
		return;
	w->next[w->tail] = (uint16_t)e->slot;
	w->tail = (uint16_t)e->slot;
	w->strides.posted++;
}

/* In the ring's order: one that is kept keeps those behind it, too. */
static void post_in_order(struct draw *w)
{
	while (w->oldest < w->d->wqes && returnable(w, &w->d->wqe[w->oldest])) {
		w->oldest++;
		if (w->q->layout.striding) {
			w->strides.posted++;
		} else {
			cqesim_rq_repost(&w->poster, 1);
			cqesim_rq_doorbell(&w->poster);
		}
	}
}

static void software(struct draw *w, uint32_t from)
{
	if (!w->q->linked_list) {
		post_in_order(w);
		return;
	}
	for (uint32_t i = from; i < w->d->wqes; i++)
		post_listed(w, &w->d->wqe[i]);
}

/* Does software keep this packet's buffer? */
static void keep(struct draw *w, struct rq_place *p)
{
	struct rq_drawing *d = w->d;

	if (!w->o->hold || d->places % w->o->hold)
		return;
	p->copied = p->length <= w->o->memcpy_bytes;
	p->held = !p->copied;
	d->copied += p->copied;
	d->held += p->held;
	if (!p->held)
		return;
	d->held_packet_bytes += p->length;
	if (!d->wqe[p->wqe].held++)
		d->held_bytes += w->q->layout.striding ? cqesim_strides_wqe_bytes(&w->strides.shape)
						       : (uint64_t)w->q->layout.segments *
								 w->q->layout.buffer_bytes;
}

/* ---- the card ---- */

static void arrive_striding(struct draw *w, struct rq_place *p)
{
	struct rq_drawing *d = w->d;
	struct cqesim_placement at;
	int rc = cqesim_strides_place(&w->strides, p->length, &at);
	uint32_t from = d->wqes ? d->wqes - 1 : 0;

	if (rc) {
		p->fate = rc == -EMSGSIZE ? RQ_TOO_LONG : RQ_OUT_OF_BUFFER;
		return;
	}
	if (at.filler) {
		d->wqe[from].used += at.filler;
		d->wqe[from].filler = at.filler;
		d->wqe[from].closed = true;
		d->fillers++;
		d->filler_strides += at.filler;
	}
	if (at.opens && !add_wqe(w, at.wqe)) {
		w->no_memory = true;
		return;
	}
	p->wqe = d->wqes - 1;
	p->first = at.stride;
	p->pieces = at.strides;
	p->offset = at.offset;
	p->waste = ((uint64_t)at.strides << w->strides.shape.log_stride_bytes) - p->length;
	p->filler = at.filler;
	p->retires = at.retires;
	d->wqe[p->wqe].used += at.strides;
	d->wqe[p->wqe].closed = at.retires;
	keep(w, p);
	software(w, from);
}

static void arrive_cyclic(struct draw *w, struct rq_place *p)
{
	const struct cqesim_rq_layout *l = &w->q->layout;
	struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX];
	struct rq_wqe *e;

	if (!cqesim_rq_credits(&w->rq)) {
		p->fate = RQ_OUT_OF_BUFFER;
		return;
	}
	int n = cqesim_rq_buffer(&w->rq, p->length, seg, NULL);
	if (n < 0) {
		p->fate = RQ_TOO_LONG;
		return;
	}
	e = add_wqe(w, cqesim_rq_consume(&w->rq));
	if (!e) {
		w->no_memory = true;
		return;
	}
	p->wqe = w->d->wqes - 1;
	p->pieces = (uint32_t)n;
	p->offset = l->headroom_bytes;
	p->waste = (uint64_t)l->segments * l->buffer_bytes - p->length;
	p->retires = true;
	e->used = (uint32_t)n;
	e->closed = true;
	keep(w, p);
	if (w->o->page_bytes)
		swap_pages(w, w->d->places - 1, e->slot);
	software(w, 0);
}

static int each(void *context, const struct cqesim_frame *f, const struct rq_packet *packet)
{
	struct draw *w = context;
	struct rq_drawing *d = w->d;
	struct rq_place *p;

	(void)packet;
	if (d->places == RQ_DRAWN_MAX) {
		d->not_read = 1;
		return 1;
	}
	p = add_place(w);
	if (!p) {
		w->no_memory = true;
		return 1;
	}
	p->length = f->len;
	if (w->q->layout.striding)
		arrive_striding(w, p);
	else
		arrive_cyclic(w, p);
	d->lost += p->fate == RQ_OUT_OF_BUFFER;
	d->too_long += p->fate == RQ_TOO_LONG;
	return w->no_memory;
}

/* ---- start ---- */

static uint16_t next_place(void *context, uint16_t index)
{
	return ((struct draw *)context)->next[index];
}

static void *memory_of(void *context, uint32_t lkey, uint64_t address, uint32_t length)
{
	(void)lkey;
	(void)address;
	(void)length;
	return context; /* where bytes lie counts here, not what they are */
}

static bool start_striding(struct draw *w)
{
	const struct cqesim_rq_layout *l = &w->q->layout;
	struct cqesim_strides_shape shape = {
		.log_wqes = l->log_wqes,
		.log_strides = l->log_strides,
		.log_stride_bytes = l->log_stride_bytes,
		.two_byte_shift = l->two_byte_shift,
		.linked_list = w->q->linked_list,
	};

	w->next = calloc(w->ring_wqes, sizeof(*w->next));
	if (!w->next || cqesim_strides_init(&w->strides, &shape, true, NULL))
		return false;
	for (uint32_t i = 0; i < w->ring_wqes; i++)
		w->next[i] = (uint16_t)((i + 1) & (w->ring_wqes - 1));
	w->tail = (uint16_t)(w->ring_wqes - 1);
	w->strides.next = next_place;
	w->strides.next_context = w;
	w->strides.posted = (uint16_t)w->ring_wqes;
	return true;
}

static bool start_cyclic(struct draw *w)
{
	const struct cqesim_rq_layout *l = &w->q->layout;
	struct cqesim_rq_seg seg[1 << CQESIM_RQ_LOG_SEGS_MAX];
	unsigned log_segs = 0;

	while (1u << log_segs < l->segments)
		log_segs++;
	w->ring = calloc((size_t)w->ring_wqes << log_segs, CQESIM_RQ_SEG_BYTES);
	if (!w->ring)
		return false;
	cqesim_rq_init(&w->rq, w->ring, l->log_wqes, log_segs, &w->dbrec, memory_of, w);
	cqesim_rq_poster_init(&w->poster, w->ring, l->log_wqes, log_segs, &w->dbrec);
	for (uint32_t k = 0; k < w->ring_wqes; k++) {
		for (unsigned i = 0; i < l->segments; i++) {
			uint64_t at = ((uint64_t)k * l->segments + i) * l->buffer_bytes;
			uint32_t head = i ? 0 : l->headroom_bytes;

			seg[i] = (struct cqesim_rq_seg){
				.address = at + head, .lkey = 1, .length = l->buffer_bytes - head};
		}
		cqesim_rq_post(&w->poster, seg, l->segments);
	}
	cqesim_rq_doorbell(&w->poster);
	return !w->o->page_bytes || start_pages(w);
}

static int draw_queue(const struct rq_options *o, const struct rq_queue *q, struct rq_drawing *d)
{
	struct draw w = {
		.o = o,
		.q = q,
		.d = d,
		.ring_wqes = 1u << q->layout.log_wqes,
		.spare = o->spare,
	};
	int rc = 0;

	w.no_memory = !(q->layout.striding ? start_striding(&w) : start_cyclic(&w));
	if (!w.no_memory)
		rc = rq_frames(o, each, &w);
	if (w.no_memory) {
		complain("out of memory");
		rc = EXIT_INPUT;
	}
	free(w.next);
	free(w.ring);
	free(w.page);
	free(w.stack);
	free(w.in_ring);
	free(w.out);
	return rc;
}

int rq_draw(const struct rq_options *o, struct rq_out *out)
{
	json_t *array = out->root ? json_array() : NULL;
	int rc = 0;

	for (unsigned i = 0; i < o->queues && !rc; i++) {
		struct rq_drawing d = {0};

		rc = draw_queue(o, &o->queue[i], &d);
		if (!rc && out->root)
			report_add(&out->json, array,
				   rq_picture_json(&out->json, o, &o->queue[i], &d));
		else if (!rc)
			rq_picture_text(o, &o->queue[i], &d, out->text);
		free(d.place);
		free(d.wqe);
	}
	if (out->root)
		report_put(&out->json, out->root, "drawings", array);
	return rc;
}
