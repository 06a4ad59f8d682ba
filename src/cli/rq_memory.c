/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim rq: footprints of queues, what packets waste, what a DDIO share holds. */
#include <stdlib.h>
#include <string.h>

#include "rq.h"

#define SIZES_MAX 12u

const char *rq_queue_name(const struct rq_queue *q, char *buffer, size_t size)
{
	const struct cqesim_rq_layout *l = &q->layout;

	if (l->striding)
		snprintf(buffer, size, "striding, %u WQE%s x %u strides x %u bytes%s%s",
			 1u << l->log_wqes, report_plural(1u << l->log_wqes), 1u << l->log_strides,
			 1u << l->log_stride_bytes, l->two_byte_shift ? ", 2-byte shift" : "",
			 q->linked_list ? ", linked list" : "");
	else
		snprintf(buffer, size, "cyclic, %u WQE%s x %u segment%s x %u bytes",
			 1u << l->log_wqes, report_plural(1u << l->log_wqes), l->segments,
			 report_plural(l->segments), l->buffer_bytes);
	return buffer;
}

json_t *rq_queue_json(struct report_json *j, const struct rq_queue *q)
{
	const struct cqesim_rq_layout *l = &q->layout;
	json_t *o = json_object();

	report_put_text(j, o, "type", l->striding ? "striding" : "cyclic");
	report_put_u64(j, o, "wqes", 1u << l->log_wqes);
	if (l->striding) {
		report_put_u64(j, o, "strides", 1u << l->log_strides);
		report_put_u64(j, o, "stride_bytes", 1u << l->log_stride_bytes);
		report_put(j, o, "two_byte_shift", json_boolean(l->two_byte_shift));
		report_put(j, o, "linked_list", json_boolean(q->linked_list));
	} else {
		report_put_u64(j, o, "segments", l->segments);
		report_put_u64(j, o, "buffer_bytes", l->buffer_bytes);
		report_put_u64(j, o, "headroom_bytes", l->headroom_bytes);
	}
	return o;
}

/* ---- the lengths to be told of ---- */

struct sizes {
	uint32_t length[SIZES_MAX];
	unsigned n;
	bool more;
};

static int by_length(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static struct sizes lengths(const struct rq_options *o)
{
	static const uint32_t usual[] = {60, 128, 590, 1514, 9014};
	struct sizes s = {.n = 0};

	if (!o->packets) {
		memcpy(s.length, usual, sizeof(usual));
		s.n = sizeof(usual) / sizeof(usual[0]);
	}
	for (size_t i = 0; i < o->packets; i++) {
		unsigned k = 0;

		while (k < s.n && s.length[k] != o->packet[i].length)
			k++;
		if (k < s.n)
			continue;
		if (s.n == SIZES_MAX) {
			s.more = true;
			break;
		}
		s.length[s.n++] = o->packet[i].length;
	}
	qsort(s.length, s.n, sizeof(s.length[0]), by_length);
	return s;
}

/* ---- text ---- */

static void row(struct report_out *out, const char *label, uint64_t one, uint64_t all)
{
	fprintf(out->f, "  %-20s %16s", label, report_count(one).s);
	if (all != one)
		fprintf(out->f, " %18s", report_count(all).s);
	fputc('\n', out->f);
}

static void fits_text(const struct rq_queue *q, const struct sizes *s, struct report_out *out)
{
	fprintf(out->f, "\n  packet bytes  %8s     held    waste   empty   packets in the ring\n",
		q->layout.striding ? "strides" : "segments");
	for (unsigned i = 0; i < s->n; i++) {
		struct cqesim_rq_fit f = cqesim_rq_fit(&q->layout, s->length[i]);

		if (!f.fits) {
			fprintf(out->f, "  %12u  fits in no WQE\n", s->length[i]);
			continue;
		}
		fprintf(out->f, "  %12u  %8u %8s %8s %7s  %20s\n", s->length[i], f.pieces,
			report_count(f.held).s, report_count(f.waste).s,
			report_percent(report_ratio((double)f.waste, (double)f.held)).s,
			report_count(f.in_ring).s);
	}
	if (s->more)
		fputs("  and more lengths\n", out->f);
}

static void ddio_text(const struct rq_options *o, const struct rq_queue *q, struct report_out *out)
{
	uint64_t bytes = cqesim_ddio_bytes(o->llc_bytes, o->ddio_share);
	struct cqesim_rq_memory m = cqesim_rq_memory(&q->layout);
	double fit = cqesim_ddio_queues(&q->layout, bytes);
	uint64_t written = m.buffers + m.cq + m.headers;

	fputc('\n', out->f);
	report_para(
		out, 2,
		"DDIO: %s of %s bytes of cache are %s bytes. A queue's buffers, completions and "
		"headers are %s bytes: %s such queue%s fit%s.",
		report_percent(o->ddio_share).s, report_count(o->llc_bytes).s,
		report_count(bytes).s, report_count(written).s, report_real(fit, 2).s,
		fit == 1 ? "" : "s",
		(double)o->ring_queues <= fit ? ""
					      : "; what is used beyond that is evicted to "
						"memory before software reads it");
}

static void memory_text(const struct rq_options *o, const struct rq_queue *q, const struct sizes *s,
			struct report_out *out)
{
	struct cqesim_rq_memory m = cqesim_rq_memory(&q->layout);
	uint64_t n = o->ring_queues;
	char name[160];

	report_title(out, "Memory: %s", rq_queue_name(q, name, sizeof(name)));
	fprintf(out->f, "\n  %-20s %16s", "bytes", "one queue");
	if (n > 1)
		fprintf(out->f, " %11s queues", report_count(n).s);
	fputc('\n', out->f);
	row(out, "buffers", m.buffers, n * m.buffers);
	row(out, "WQE ring", m.wqe_ring, n * m.wqe_ring);
	row(out, "completion ring", m.cq, n * m.cq);
	if (m.headers)
		row(out, "header entries", m.headers, n * m.headers);
	row(out, "doorbell records", m.records, n * m.records);
	row(out, "total", m.total, n * m.total);
	fits_text(q, s, out);
	if (o->llc_bytes)
		ddio_text(o, q, out);
}

/* ---- JSON ---- */

static json_t *fits_json(struct report_json *j, const struct rq_queue *q, const struct sizes *s)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < s->n; i++) {
		struct cqesim_rq_fit f = cqesim_rq_fit(&q->layout, s->length[i]);
		json_t *o = json_object();

		report_put_u64(j, o, "bytes", s->length[i]);
		report_put(j, o, "fits", json_boolean(f.fits));
		report_put_u64(j, o, q->layout.striding ? "strides" : "segments", f.pieces);
		report_put_u64(j, o, "held", f.held);
		report_put_u64(j, o, "waste", f.waste);
		report_put_u64(j, o, "in_ring", f.in_ring);
		report_add(j, array, o);
	}
	return array;
}

static json_t *memory_json(struct report_json *j, const struct rq_options *o,
			   const struct rq_queue *q, const struct sizes *s)
{
	struct cqesim_rq_memory m = cqesim_rq_memory(&q->layout);
	json_t *object = json_object();

	report_put(j, object, "queue", rq_queue_json(j, q));
	report_put_u64(j, object, "queues", o->ring_queues);
	report_put_u64(j, object, "buffers", m.buffers);
	report_put_u64(j, object, "wqe_ring", m.wqe_ring);
	report_put_u64(j, object, "cq", m.cq);
	report_put_u64(j, object, "headers", m.headers);
	report_put_u64(j, object, "records", m.records);
	report_put_u64(j, object, "total", m.total);
	report_put(j, object, "packets", fits_json(j, q, s));
	if (o->llc_bytes) {
		uint64_t bytes = cqesim_ddio_bytes(o->llc_bytes, o->ddio_share);

		report_put_u64(j, object, "ddio_bytes", bytes);
		report_put_real(j, object, "ddio_queues", cqesim_ddio_queues(&q->layout, bytes));
	}
	return object;
}

void rq_memory(const struct rq_options *o, struct rq_out *out)
{
	json_t *array = out->root ? json_array() : NULL;
	struct sizes s = lengths(o);

	for (unsigned i = 0; i < o->queues; i++) {
		if (array)
			report_add(&out->json, array, memory_json(&out->json, o, &o->queue[i], &s));
		else
			memory_text(o, &o->queue[i], &s, out->text);
	}
	if (array)
		report_put(&out->json, out->root, "memory", array);
}
