/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim rq: a drawing as rows of cells and a table, and as JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rq.h"

#define CELL_INDENT 9u
/* Cells that one segment of a cyclic WQE gets. */
#define SEGMENT_CELLS 16u

char rq_letter(uint64_t packet)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

	return letters[packet % (sizeof(letters) - 1)];
}

/* Is the row that starts at `at` of one character alone, as the row before? */
static bool like_before(const char *row, uint64_t at, unsigned per_row, uint64_t cells)
{
	if (at < per_row || cells - at < per_row)
		return false;
	for (uint64_t i = at - per_row; i < at + per_row; i++)
		if (row[i] != row[at - per_row])
			return false;
	return true;
}

void rq_cells(struct report_out *out, unsigned width, const char *row, uint64_t cells)
{
	unsigned per_row = width > CELL_INDENT + 2 ? width - CELL_INDENT - 2 : 1;
	bool skipping = false;

	per_row = per_row > 8 ? per_row & ~7u : per_row;
	for (uint64_t at = 0; at < cells; at += per_row) {
		uint64_t n = cells - at < per_row ? cells - at : per_row;

		if (like_before(row, at, per_row, cells)) {
			if (!skipping)
				fprintf(out->f, "%*s ...\n", CELL_INDENT - 1, "");
			skipping = true;
			continue;
		}
		skipping = false;
		fprintf(out->f, "%*llu |%.*s|\n", CELL_INDENT - 1, (unsigned long long)at, (int)n,
			row + at);
	}
}

/* ---- rows: a striding WQE has a cell for each stride ---- */

/* A cyclic one SEGMENT_CELLS for each segment, and a bar between. */
static uint64_t row_cells(const struct rq_queue *q)
{
	return q->layout.striding ? UINT64_C(1) << q->layout.log_strides
				  : (uint64_t)q->layout.segments * (SEGMENT_CELLS + 1) - 1;
}

static void put_segments(const struct rq_queue *q, const struct rq_place *place, char letter,
			 char *row)
{
	uint64_t buffer = q->layout.buffer_bytes, head = q->layout.headroom_bytes;

	for (uint64_t i = 0; i < row_cells(q); i++) {
		uint64_t segment = i / (SEGMENT_CELLS + 1), cell = i % (SEGMENT_CELLS + 1);
		/* A cell is taken if any byte of it is. */
		uint64_t begin = segment * buffer + cell * buffer / SEGMENT_CELLS;
		uint64_t end = segment * buffer + (cell + 1) * buffer / SEGMENT_CELLS;

		row[i] = cell == SEGMENT_CELLS          ? '|'
			 : end <= head                  ? '-'
			 : begin < head + place->length ? letter
							: '.';
	}
}

/* The row of a WQE whose packets are [from, to). */
static void fill_row(const struct rq_queue *q, const struct rq_drawing *d, uint32_t wqe,
		     size_t from, size_t to, char *row)
{
	const struct rq_wqe *e = &d->wqe[wqe];

	memset(row, '.', row_cells(q));
	for (size_t k = from; k < to; k++) {
		const struct rq_place *p = &d->place[k];

		if (p->fate != RQ_PLACED)
			continue;
		if (q->layout.striding)
			memset(row + p->first, rq_letter(k), p->pieces);
		else
			put_segments(q, p, rq_letter(k), row);
	}
	if (q->layout.striding)
		memset(row + e->used - e->filler, '#', e->filler);
}

static const char *plural(uint64_t n)
{
	return report_plural(n);
}

static void wqe_line(const struct rq_queue *q, const struct rq_drawing *d, uint32_t i,
		     struct report_out *out)
{
	const struct rq_wqe *e = &d->wqe[i];

	fprintf(out->f, "\n  WQE %u, place %u", e->index, e->slot);
	if (e->filler)
		fprintf(out->f, ", filler closes %u stride%s", e->filler, plural(e->filler));
	if (q->layout.striding && e->closed)
		fputs(", retired", out->f);
	if (e->held)
		fprintf(out->f, ", held by %u packet%s", e->held, plural(e->held));
	if (e->posted_again)
		fputs(e->held ? ", posted again with another buffer" : ", posted again", out->f);
	fputc('\n', out->f);
}

static bool pictures(const struct rq_options *o, const struct rq_queue *q,
		     const struct rq_drawing *d, struct report_out *out)
{
	char *row = malloc(row_cells(q));
	size_t from = 0, to = 0;

	for (uint32_t wqe = 0; row && wqe < d->wqes; wqe++, from = to) {
		while (to < d->places &&
		       (d->place[to].fate != RQ_PLACED || d->place[to].wqe == wqe))
			to++;
		wqe_line(q, d, wqe, out);
		fill_row(q, d, wqe, from, to, row);
		rq_cells(out, o->width, row, row_cells(q));
	}
	free(row);
	return row != NULL;
}

/* ---- the table ---- */

static const char *fate_words(enum rq_fate fate)
{
	return fate == RQ_OUT_OF_BUFFER ? "out of buffer: lost" : "fits in no WQE: lost";
}

static void table(const struct rq_queue *q, const struct rq_drawing *d, struct report_out *out)
{
	bool striding = q->layout.striding;

	fprintf(out->f, "\n  packet    bytes    WQE %s   offset    waste\n",
		striding ? "  stride  strides" : " segments");
	for (size_t i = 0; i < d->places; i++) {
		const struct rq_place *p = &d->place[i];

		fprintf(out->f, "  %5zu %c %7u ", i + 1, rq_letter(i), p->length);
		if (p->fate != RQ_PLACED) {
			fprintf(out->f, "  %s\n", fate_words(p->fate));
			continue;
		}
		fprintf(out->f, "%6u ", d->wqe[p->wqe].index);
		if (striding)
			fprintf(out->f, "%8u ", p->first);
		fprintf(out->f, "%8u %8llu %8llu", p->pieces, (unsigned long long)p->offset,
			(unsigned long long)p->waste);
		if (p->filler)
			fprintf(out->f, "  after a filler of %u", p->filler);
		if (striding && p->retires)
			fputs("  retires its WQE", out->f);
		fputs(p->held ? "  held" : p->copied ? "  copied" : "", out->f);
		fputc('\n', out->f);
	}
}

static void sums(const struct rq_options *o, const struct rq_queue *q, const struct rq_drawing *d,
		 struct report_out *out)
{
	uint64_t bytes = 0, waste = 0, placed = 0, unit = UINT64_C(1) << q->layout.log_stride_bytes;

	for (size_t i = 0; i < d->places; i++) {
		if (d->place[i].fate != RQ_PLACED)
			continue;
		placed++;
		bytes += d->place[i].length;
		waste += d->place[i].waste;
	}
	waste += q->layout.striding ? d->filler_strides * unit : 0;
	report_para(out, 2,
		    "%s packet%s of %s bytes in %s WQE%s; %s bytes of the buffers they used are "
		    "empty (%s)%s.",
		    report_count(placed).s, plural(placed), report_count(bytes).s,
		    report_count(d->wqes).s, plural(d->wqes), report_count(waste).s,
		    report_percent(report_ratio((double)waste, (double)(waste + bytes))).s,
		    d->fillers ? ", fillers included" : "");
	if (d->lost || d->too_long)
		report_para(out, 2,
			    "Lost: %s found no WQE (out of buffer), %s fit in none (too long).",
			    report_count(d->lost).s, report_count(d->too_long).s);
	if (d->held || d->copied)
		report_para(out, 2,
			    "Software keeps %s packet%s of %s bytes and with them buffers of %s "
			    "bytes; %s copied; %s spare buffer%s used.",
			    report_count(d->held).s, plural(d->held),
			    report_count(d->held_packet_bytes).s, report_count(d->held_bytes).s,
			    report_count(d->copied).s, report_count(d->spare_used).s,
			    plural(d->spare_used));
	if (o->page_bytes && !q->layout.striding)
		report_para(out, 2,
			    "Pages of %s bytes, %u fragment%s each: %s fragments taken, %s pages "
			    "allocated, %s recycled, %s freed, at most %u in flight.",
			    report_count(o->page_bytes).s, d->pool.fragments_per_page,
			    plural(d->pool.fragments_per_page), report_count(d->pool.taken).s,
			    report_count(d->pool.allocated).s, report_count(d->pool.recycled).s,
			    report_count(d->pool.freed).s, d->pool.in_flight_max);
	if (d->not_read)
		report_para(out, 2, "Only the first %u packets were taken.", RQ_DRAWN_MAX);
}

void rq_picture_text(const struct rq_options *o, const struct rq_queue *q,
		     const struct rq_drawing *d, struct report_out *out)
{
	char name[160];

	report_title(out, "Where %s land: %s", rq_source(o), rq_queue_name(q, name, sizeof(name)));
	fputc('\n', out->f);
	sums(o, q, d, out);
	if (!pictures(o, q, d, out))
		out->ret = -ENOMEM;
	fprintf(out->f, "\n  %s\n",
		q->layout.striding
			? "A cell is a stride; a letter a packet, # filler, . not used."
			: "A box is a segment; a letter a packet, . not used, - headroom.");
	table(q, d, out);
}

/* ---- JSON ---- */

static json_t *place_json(struct report_json *j, const struct rq_queue *q,
			  const struct rq_drawing *d, size_t i)
{
	static const char *const fates[] = {"placed", "out_of_buffer", "too_long"};
	const struct rq_place *p = &d->place[i];
	json_t *o = json_object();

	report_put_u64(j, o, "bytes", p->length);
	report_put_text(j, o, "fate", fates[p->fate]);
	if (p->fate != RQ_PLACED)
		return o;
	report_put_u64(j, o, "wqe", d->wqe[p->wqe].index);
	if (q->layout.striding)
		report_put_u64(j, o, "stride", p->first);
	report_put_u64(j, o, q->layout.striding ? "strides" : "segments", p->pieces);
	report_put_u64(j, o, "offset", p->offset);
	report_put_u64(j, o, "waste", p->waste);
	report_put_u64(j, o, "filler_before", p->filler);
	report_put(j, o, "retires", json_boolean(p->retires));
	report_put(j, o, "held", json_boolean(p->held));
	report_put(j, o, "copied", json_boolean(p->copied));
	return o;
}

static json_t *wqe_json(struct report_json *j, const struct rq_wqe *e)
{
	json_t *o = json_object();

	report_put_u64(j, o, "wqe", e->index);
	report_put_u64(j, o, "place", e->slot);
	report_put_u64(j, o, "used", e->used);
	report_put_u64(j, o, "filler", e->filler);
	report_put_u64(j, o, "held", e->held);
	report_put(j, o, "retired", json_boolean(e->closed));
	report_put(j, o, "posted_again", json_boolean(e->posted_again));
	return o;
}

static json_t *pool_json(struct report_json *j, const struct cqesim_page_pool *p)
{
	json_t *o = json_object();

	report_put_u64(j, o, "fragments_per_page", p->fragments_per_page);
	report_put_u64(j, o, "fragments", p->taken);
	report_put_u64(j, o, "allocated", p->allocated);
	report_put_u64(j, o, "recycled", p->recycled);
	report_put_u64(j, o, "freed", p->freed);
	report_put_u64(j, o, "in_flight_max", p->in_flight_max);
	return o;
}

json_t *rq_picture_json(struct report_json *j, const struct rq_options *o, const struct rq_queue *q,
			const struct rq_drawing *d)
{
	json_t *object = json_object(), *places = json_array(), *wqes = json_array();

	for (size_t i = 0; i < d->places; i++)
		report_add(j, places, place_json(j, q, d, i));
	for (uint32_t i = 0; i < d->wqes; i++)
		report_add(j, wqes, wqe_json(j, &d->wqe[i]));
	report_put(j, object, "queue", rq_queue_json(j, q));
	report_put_u64(j, object, "out_of_buffer", d->lost);
	report_put_u64(j, object, "too_long", d->too_long);
	report_put_u64(j, object, "fillers", d->fillers);
	report_put_u64(j, object, "filler_strides", d->filler_strides);
	report_put_u64(j, object, "held", d->held);
	report_put_u64(j, object, "held_buffer_bytes", d->held_bytes);
	report_put_u64(j, object, "held_packet_bytes", d->held_packet_bytes);
	report_put_u64(j, object, "copied", d->copied);
	report_put_u64(j, object, "spare_used", d->spare_used);
	report_put(j, object, "cut", json_boolean(d->not_read != 0));
	if (o->page_bytes && !q->layout.striding)
		report_put(j, object, "pages", pool_json(j, &d->pool));
	report_put(j, object, "packets", places);
	report_put(j, object, "wqes", wqes);
	return object;
}
