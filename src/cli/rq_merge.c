/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim rq --hw-gro, --lro: which packets one session takes, and where their data lies. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rq.h"

/* What is listed and drawn; sums are over all. */
#define PACKETS_SHOWN  100u
#define SESSIONS_SHOWN 40u
#define BUFFERS_SHOWN  32u
#define BUFFER_CELLS   64u

struct shown_packet {
	struct cqesim_segment segment;
	struct cqesim_segment_place place;
};

struct merge {
	const struct rq_options *o;
	struct cqesim_aggregate aggregate;
	uint32_t seq[RQ_FLOWS_MAX]; /* of the flows of a list */
	uint64_t packets;
	uint64_t last_ps;
	struct shown_packet packet[PACKETS_SHOWN];
	struct cqesim_session session[SESSIONS_SHOWN];
	unsigned sessions;
};

/* ---- packets ---- */

/* Of a list: flows take turns, each goes on where it was. */
static void from_list(struct merge *m, const struct cqesim_frame *f, const struct rq_packet *p,
		      struct cqesim_segment *g)
{
	uint64_t flow = m->packets % m->o->flows;
	uint32_t header = m->o->header_bytes;

	if (header > f->len)
		header = f->len;
	*g = (struct cqesim_segment){
		.time_ps = f->time_ps,
		.flow = flow,
		.payload_bytes = f->len - header,
		.header_bytes = (uint16_t)header,
		.tcp_flags = p->tcp_flags,
		.tcp = true,
	};
	if (p->gap)
		m->seq[flow] += g->payload_bytes;
	g->seq = m->seq[flow];
	m->seq[flow] += g->payload_bytes;
}

static int each(void *context, const struct cqesim_frame *f, const struct rq_packet *p)
{
	struct merge *m = context;
	struct shown_packet here = {0};

	if (p)
		from_list(m, f, p, &here.segment);
	else
		cqesim_segment_read(f, &here.segment);
	cqesim_aggregate_add(&m->aggregate, &here.segment, &here.place);
	if (m->packets < PACKETS_SHOWN)
		m->packet[m->packets] = here;
	m->packets++;
	m->last_ps = f->time_ps;
	return 0;
}

static void done(void *context, const struct cqesim_session *s)
{
	struct merge *m = context;

	if (m->sessions < SESSIONS_SHOWN)
		m->session[m->sessions++] = *s;
}

/* ---- text ---- */

static const char *kind(const struct merge *m)
{
	return m->o->aggregate.kind == CQESIM_AGGREGATE_LRO ? "LRO" : "Hardware GRO";
}

static void sums(const struct merge *m, struct report_out *out)
{
	const struct cqesim_aggregate_stats *s = &m->aggregate.stats;
	const struct cqesim_aggregate_config *c = &m->o->aggregate;

	report_para(out, 2,
		    "%s packet%s of %s bytes become %s; the longest session has %s. Completions: "
		    "%s, %s.",
		    report_count(s->packets).s, report_plural(s->packets), report_count(s->bytes).s,
		    report_count(s->sessions).s, report_count(s->segments_max).s,
		    report_count(s->completions).s,
		    c->cqe_per_segment ? "one for each segment: the driver joins them by match and "
					 "flush"
				       : "one for all segments of a session");
	if (c->header_split)
		report_para(out, 2,
			    "Header entries used: %s, at most %s of %s at a time; packets whose "
			    "header stayed with the data: %s.",
			    report_count(s->header_entries).s,
			    report_count(s->header_entries_max).s,
			    report_count(UINT64_C(1) << c->log_header_entries).s,
			    report_count(s->not_split).s);
	if (s->data_bytes)
		report_para(out, 2,
			    "Data: %s bytes in %s piece%s of buffers of %s bytes; they span %s "
			    "bytes, of which %s are empty.",
			    report_count(s->data_bytes).s, report_count(s->buffers).s,
			    report_plural(s->buffers), report_count(c->buffer_bytes).s,
			    report_count(s->data_span).s,
			    report_percent(report_ratio((double)(s->data_span - s->data_bytes),
							(double)s->data_span))
				    .s);
}

static void flushes_text(const struct merge *m, struct report_out *out)
{
	fputs("\n  sessions ended because\n", out->f);
	for (unsigned i = 0; i < CQESIM_FLUSHES; i++)
		if (m->aggregate.stats.flushes[i])
			fprintf(out->f, "  %12s  %s\n",
				report_count(m->aggregate.stats.flushes[i]).s,
				cqesim_flush_words(i));
}

static void sessions_text(const struct merge *m, struct report_out *out)
{
	fputs("\n  session  packets     bytes  pieces  entries  ended because\n", out->f);
	for (unsigned i = 0; i < m->sessions; i++) {
		const struct cqesim_session *s = &m->session[i];

		fprintf(out->f, "  %7llu %8u %9llu %7u %8u  %s\n", (unsigned long long)s->id,
			s->segments, (unsigned long long)s->payload_bytes, s->buffers,
			s->header_entries, cqesim_flush_words(s->flush));
	}
	if (m->aggregate.stats.sessions > m->sessions)
		fprintf(out->f, "  and %s more\n",
			report_count(m->aggregate.stats.sessions - m->sessions).s);
}

static unsigned shown(const struct merge *m)
{
	return m->packets < PACKETS_SHOWN ? (unsigned)m->packets : PACKETS_SHOWN;
}

static void packets_text(const struct merge *m, struct report_out *out)
{
	fputs("\n  packet    bytes  session  match  flush    entry   header   data at     bytes\n",
	      out->f);
	for (unsigned i = 0; i < shown(m); i++) {
		const struct shown_packet *p = &m->packet[i];
		char entry[16] = "-";

		if (p->place.header_size)
			snprintf(entry, sizeof(entry), "%u", p->place.header_entry);
		fprintf(out->f, "  %5u %c %7u %8llu  %5s  %5s %8s %8u %9llu %9u\n", i + 1,
			rq_letter(i), p->segment.header_bytes + p->segment.payload_bytes,
			(unsigned long long)p->place.session, p->place.match ? "yes" : "-",
			p->place.flush ? "yes" : "-", entry, p->place.header_size,
			(unsigned long long)p->place.data_start, p->place.data_bytes);
	}
	if (m->packets > PACKETS_SHOWN)
		fprintf(out->f, "  and %s more\n", report_count(m->packets - PACKETS_SHOWN).s);
}

/* Buffers that the packets shown lie in; a cell shows the last packet that begins in it. */
static void buffers_text(const struct merge *m, struct report_out *out)
{
	static char row[BUFFERS_SHOWN][BUFFER_CELLS];
	uint64_t buffer = m->o->aggregate.buffer_bytes;
	uint64_t cell = buffer >= BUFFER_CELLS ? buffer / BUFFER_CELLS : 1;
	uint64_t cells = buffer / cell, last = 0;

	memset(row, '.', sizeof(row));
	for (unsigned i = 0; i < shown(m); i++) {
		const struct cqesim_segment_place *p = &m->packet[i].place;
		uint64_t end = (p->data_start + p->data_bytes + cell - 1) / cell;

		for (uint64_t k = p->data_start / cell; k < end && p->data_bytes; k++) {
			if (k / cells >= BUFFERS_SHOWN)
				break;
			row[k / cells][k % cells] = rq_letter(i);
			last = k / cells;
		}
	}
	fprintf(out->f, "\n  data buffers of %s bytes; a cell is %llu byte%s, a letter a packet\n",
		report_count(buffer).s, (unsigned long long)cell, report_plural(cell));
	for (uint64_t i = 0; i <= last; i++)
		fprintf(out->f, "%8llu |%.*s|\n", (unsigned long long)i, (int)cells, row[i]);
}

static void text(const struct merge *m, struct report_out *out)
{
	report_title(out, "%s: %s", kind(m), rq_source(m->o));
	fputc('\n', out->f);
	sums(m, out);
	flushes_text(m, out);
	sessions_text(m, out);
	packets_text(m, out);
	if (m->aggregate.stats.data_bytes)
		buffers_text(m, out);
}

/* ---- JSON ---- */

static json_t *config_json(struct report_json *j, const struct cqesim_aggregate_config *c)
{
	json_t *o = json_object();

	report_put_text(j, o, "kind", c->kind == CQESIM_AGGREGATE_LRO ? "lro" : "hw_gro");
	report_put_u64(j, o, "contexts", c->contexts);
	report_put_u64(j, o, "max_bytes", c->max_bytes);
	report_put(j, o, "count_buffers", json_boolean(c->count_buffers));
	report_put_u64(j, o, "max_segments", c->max_segments);
	report_put_u64(j, o, "timeout_ps", c->timeout_ps);
	report_put_u64(j, o, "min_payload", c->min_payload);
	report_put(j, o, "exact", json_boolean(c->exact));
	report_put(j, o, "header_split", json_boolean(c->header_split));
	report_put_u64(j, o, "header_entries",
		       c->header_split ? UINT64_C(1) << c->log_header_entries : 0);
	report_put_u64(j, o, "header_entry_bytes", c->header_entry_bytes);
	report_put_u64(j, o, "buffer_bytes", c->buffer_bytes);
	report_put_u64(j, o, "align_bytes", c->align_bytes);
	report_put(j, o, "cqe_per_segment", json_boolean(c->cqe_per_segment));
	return o;
}

static json_t *session_json(struct report_json *j, const struct cqesim_session *s)
{
	json_t *o = json_object();

	report_put_u64(j, o, "session", s->id);
	report_put_u64(j, o, "segments", s->segments);
	report_put_u64(j, o, "payload", s->payload_bytes);
	report_put_u64(j, o, "pieces", s->buffers);
	report_put_u64(j, o, "header_entries", s->header_entries);
	report_put_u64(j, o, "completions", s->completions);
	report_put_u64(j, o, "start_ps", s->start_ps);
	report_put_u64(j, o, "end_ps", s->end_ps);
	report_put_text(j, o, "flush", cqesim_flush_name(s->flush));
	return o;
}

static json_t *packet_json(struct report_json *j, const struct shown_packet *p)
{
	json_t *o = json_object();

	report_put_u64(j, o, "payload", p->segment.payload_bytes);
	report_put_u64(j, o, "session", p->place.session);
	report_put(j, o, "match", json_boolean(p->place.match));
	report_put(j, o, "flush", json_boolean(p->place.flush));
	report_put_u64(j, o, "header_size", p->place.header_size);
	if (p->place.header_size)
		report_put_u64(j, o, "header_entry", p->place.header_entry);
	report_put_u64(j, o, "data_start", p->place.data_start);
	report_put_u64(j, o, "data_bytes", p->place.data_bytes);
	return o;
}

static json_t *merge_json(struct report_json *j, const struct merge *m)
{
	const struct cqesim_aggregate_stats *s = &m->aggregate.stats;
	json_t *o = json_object(), *flushes = json_object();
	json_t *sessions = json_array(), *packets = json_array();

	for (unsigned i = 0; i < CQESIM_FLUSHES; i++)
		report_put_u64(j, flushes, cqesim_flush_name(i), s->flushes[i]);
	for (unsigned i = 0; i < m->sessions; i++)
		report_add(j, sessions, session_json(j, &m->session[i]));
	for (unsigned i = 0; i < shown(m); i++)
		report_add(j, packets, packet_json(j, &m->packet[i]));
	report_put(j, o, "config", config_json(j, &m->o->aggregate));
	report_put_u64(j, o, "packets", s->packets);
	report_put_u64(j, o, "bytes", s->bytes);
	report_put_u64(j, o, "sessions", s->sessions);
	report_put_u64(j, o, "joined", s->joined);
	report_put_u64(j, o, "completions", s->completions);
	report_put_u64(j, o, "segments_max", s->segments_max);
	report_put_u64(j, o, "header_entries", s->header_entries);
	report_put_u64(j, o, "header_entries_max", s->header_entries_max);
	report_put_u64(j, o, "not_split", s->not_split);
	report_put_u64(j, o, "data_bytes", s->data_bytes);
	report_put_u64(j, o, "data_span", s->data_span);
	report_put_u64(j, o, "pieces", s->buffers);
	report_put(j, o, "flushes", flushes);
	report_put(j, o, "first_sessions", sessions);
	report_put(j, o, "first_packets", packets);
	return o;
}

int rq_merge(const struct rq_options *o, struct rq_out *out)
{
	struct merge *m = calloc(1, sizeof(*m));
	struct cqesim_error err = {"out of memory"};
	int rc;

	if (!m) {
		complain("%s", err.text);
		return EXIT_INPUT;
	}
	m->o = o;
	if (cqesim_aggregate_init(&m->aggregate, &o->aggregate, done, m, &err)) {
		free(m);
		return usage_error(RQ_COMMAND, "%s", err.text);
	}
	rc = rq_frames(o, each, m);
	if (!rc) {
		cqesim_aggregate_stop(&m->aggregate, m->last_ps);
		if (out->root)
			report_put(&out->json, out->root, "merge", merge_json(&out->json, m));
		else
			text(m, out->text);
	}
	free(m);
	return rc;
}
