/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json.c - the report for programs: one document with keys in a fixed order.
 * doc/json.md describes every key.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/report_internal.h"

/* ---- building ---- */

void report_put(struct report_json *j, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value))
		j->failed = true;
}

void report_add(struct report_json *j, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		j->failed = true;
}

json_t *report_u64(uint64_t value)
{
	return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

json_t *report_number(double value)
{
	/* Negative zero reads as a mistake. */
	return isfinite(value) ? json_real(value == 0 ? 0 : value) : json_null();
}

json_t *report_string(struct report_json *j, const char *value)
{
	json_t *string;
	char *clean;

	if (!value)
		return json_null();
	clean = report_clean(value, false);
	string = clean ? json_string(clean) : NULL;
	free(clean);
	if (!string)
		j->failed = true;
	return string;
}

void report_put_u64(struct report_json *j, json_t *object, const char *key, uint64_t value)
{
	report_put(j, object, key, report_u64(value));
}

void report_put_real(struct report_json *j, json_t *object, const char *key, double value)
{
	report_put(j, object, key, report_number(value));
}

void report_put_text(struct report_json *j, json_t *object, const char *key, const char *value)
{
	report_put(j, object, key, report_string(j, value));
}

int report_dump(struct report_json *j, json_t *root, FILE *out, struct cqesim_error *err)
{
	struct report_out o;

	report_begin(&o, out);
	if (!root || j->failed)
		o.ret = -ENOMEM;
	/* What fails to be written is found by report_end. */
	else if (json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) == 0)
		fputc('\n', out);
	json_decref(root);
	return report_end(&o, err);
}

/* ---- the trace ---- */

static json_t *classes(struct report_json *j, const struct cqesim_port_stats *s)
{
	static const struct {
		const char *key;
		unsigned all, none;
	} class[] = {
		{"ipv4", CQESIM_VIEW_IPV4, 0},
		{"ipv6", CQESIM_VIEW_IPV6, 0},
		{"other", 0, CQESIM_VIEW_IPV4 | CQESIM_VIEW_IPV6},
		{"tcp", CQESIM_VIEW_TCP, 0},
		{"udp", CQESIM_VIEW_UDP, 0},
		{"l4_other", 0, CQESIM_VIEW_TCP | CQESIM_VIEW_UDP | CQESIM_VIEW_L4_NONE},
		{"l4_none", CQESIM_VIEW_L4_NONE, 0},
		{"vlan", CQESIM_VIEW_VLAN, 0},
		{"qinq", CQESIM_VIEW_QINQ, 0},
		{"fragment", CQESIM_VIEW_FRAGMENT, 0},
		{"ip_options", CQESIM_VIEW_OPTIONS, 0},
		{"vxlan", CQESIM_VIEW_VXLAN, 0},
		{"gre", CQESIM_VIEW_GRE, 0},
		{"geneve", CQESIM_VIEW_GENEVE, 0},
		{"ipip", CQESIM_VIEW_IPIP, 0},
	};
	json_t *o = json_object();

	for (unsigned i = 0; i < sizeof(class) / sizeof(class[0]); i++)
		report_put_u64(j, o, class[i].key,
			       cqesim_port_views(s, class[i].all, class[i].none));
	report_put_u64(j, o, "tunnel",
		       cqesim_port_views(s, 0, 0) - cqesim_port_views(s, 0, CQESIM_VIEW_TUNNEL));
	report_put_u64(j, o, "short", cqesim_port_views(s, CQESIM_VIEW_SHORT, 0));
	return o;
}

static json_t *skipped(struct report_json *j, const struct cqesim_trace_stats *t)
{
	json_t *o = json_object();

	for (unsigned i = 0; i < CQESIM_SKIP_REASONS; i++) {
		char key[32];

		snprintf(key, sizeof(key), "%s", cqesim_trace_skip_name(i));
		for (char *c = key; *c; c++)
			if (*c == '-' || *c == ' ')
				*c = '_';
		report_put_u64(j, o, key, t->skipped[i]);
	}
	return o;
}

static json_t *trace(struct report_json *j, const struct cqesim_report *report)
{
	const struct cqesim_trace_stats *t = report->trace;
	json_t *o = json_object();

	report_put(j, o, "synthetic", json_boolean(t->synthetic));
	report_put_u64(j, o, "files", t->files);
	report_put_u64(j, o, "frames", t->frames);
	report_put_u64(j, o, "padded", t->padded);
	report_put_u64(j, o, "cut", t->cut);
	report_put_u64(j, o, "stored_longer", t->stored_longer);
	report_put_text(j, o, "first_zero_length", *t->zero_where ? t->zero_where : NULL);
	report_put_text(j, o, "fcs", t->fcs == CQESIM_FCS_PRESENT ? "present" : "absent");
	report_put(j, o, "fcs_detected", json_boolean(t->fcs_detected));
	report_put_text(j, o, "fcs_note", report->fcs_note);
	return o;
}

static json_t *times(struct report_json *j, const struct cqesim_trace_stats *t,
		     const struct cqesim_result *r, const struct report_metrics *m)
{
	json_t *o = json_object();
	bool rate = r->offered_pps > 0;

	report_put_real(j, o, "duration_s", (double)r->duration_ps * 1e-12);
	report_put_real(j, o, "last_frame_s", (double)t->last_ps * 1e-12);
	report_put_real(j, o, "end_s", (double)r->end_ps * 1e-12);
	report_put_real(j, o, "offered_pps", rate ? r->offered_pps : NAN);
	report_put_real(j, o, "offered_bits_per_s", rate ? r->offered_pps * m->line_bits : NAN);
	report_put_real(j, o, "line_pps", r->line_pps > 0 ? r->line_pps : NAN);
	report_put_real(j, o, "wire_lag_s", (double)r->wire_lag_ps * 1e-12);
	report_put_u64(j, o, "backwards", t->time_backwards);
	report_put_u64(j, o, "clock_steps", t->clock_steps);
	report_put_u64(j, o, "gaps_clamped", t->gaps_clamped);
	return o;
}

/* ---- what the NIC says of the packets ---- */

static json_t *nic_view(struct report_json *j, const struct cqesim_port_stats *s)
{
	static const char *const l3_key[3] = {"none", "ipv6", "ipv4"};
	static const char *const l4_key[5] = {"none", "tcp_no_ack", "udp", "tcp_ack_no_data",
					      "tcp_ack_data"};
	static const char *const ok_key[3] = {"l2_ok", "l3_ok", "l4_ok"};
	uint64_t l3[4] = {0}, l4[8] = {0}, options = 0, fragments = 0, ok[3] = {0};
	json_t *o = json_object(), *l3_object = json_object(), *l4_object = json_object();

	/* Bits of l4_l3_hdr_type: doc/json.md, and cqe.h. */
	for (unsigned i = 0; i < 256; i++) {
		l3[i >> 2 & 3] += s->by_l4_l3[i];
		l4[i >> 4 & 7] += s->by_l4_l3[i];
		options += i & 2 ? s->by_l4_l3[i] : 0;
		fragments += i & 0x80 ? s->by_l4_l3[i] : 0;
	}
	for (unsigned i = 0; i < 8; i++)
		for (unsigned b = 0; b < 3; b++)
			ok[b] += i >> b & 1 ? s->by_flags[i] : 0;
	for (unsigned i = 0; i < 3; i++)
		report_put_u64(j, l3_object, l3_key[i], l3[i]);
	for (unsigned i = 0; i < 5; i++)
		report_put_u64(j, l4_object, l4_key[i], l4[i]);
	report_put(j, o, "l3", l3_object);
	report_put(j, o, "l4", l4_object);
	report_put_u64(j, o, "ip_options", options);
	report_put_u64(j, o, "fragment", fragments);
	for (unsigned b = 0; b < 3; b++)
		report_put_u64(j, o, ok_key[b], ok[b]);
	report_put_u64(j, o, "vlan_stripped", s->nic_vlan);
	report_put_u64(j, o, "tunnel", s->nic_tunnel);
	report_put_u64(j, o, "hashed", s->hashed);
	return o;
}

/* ---- set-up and assumptions ---- */

static json_t *named(struct report_json *j, const struct cqesim_profile *p)
{
	json_t *o;

	if (!p)
		return json_null();
	o = json_object();
	report_put_text(j, o, "name", p->name);
	report_put_text(j, o, "title", p->title);
	return o;
}

static json_t *set_up(struct report_json *j, const struct cqesim_result *r)
{
	static const char *const checksums[] = {"trust", "l3", "verify"};
	const struct cqesim_sim_config *c = r->config;
	json_t *o = json_object();

	for (unsigned k = 0; k < CQESIM_PROFILE_KINDS; k++)
		report_put(j, o, cqesim_profile_kind_name(k), named(j, report_profile(r, k)));
	report_put_u64(j, o, "queues", r->queues);
	report_put_u64(j, o, "ring", c->ring);
	report_put_u64(j, o, "cq_size", c->cq_size);
	report_put_u64(j, o, "burst", c->burst);
	report_put_u64(j, o, "frame", c->frame);
	report_put(j, o, "tx_ring", c->forward ? report_u64(c->tx_ring) : json_null());
	report_put_u64(j, o, "mtu", c->mtu);
	report_put_u64(j, o, "max_frame", r->max_frame);
	report_put(j, o, "segment", json_boolean(c->segment));
	report_put(j, o, "keep_fcs", json_boolean(c->keep_fcs));
	report_put_text(j, o, "checksums",
			(unsigned)c->checksums <= CQESIM_CHECKSUMS_VERIFY ? checksums[c->checksums]
									  : NULL);
	return o;
}

static json_t *assumptions(struct report_json *j, const struct cqesim_result *r)
{
	json_t *list = json_array();

	for (unsigned kind = 0; kind < CQESIM_PROFILE_KINDS; kind++) {
		const struct cqesim_profile *profile = report_profile(r, kind);

		for (unsigned i = 0; profile && i < profile->count; i++) {
			struct report_param p;
			json_t *o = json_object();

			report_param(r, kind, i, &p);
			report_put_text(j, o, "kind", cqesim_profile_kind_name(kind));
			report_put_text(j, o, "profile", profile->name);
			report_json_param(j, o, &p);
			report_add(j, list, o);
		}
	}
	return list;
}

/* ---- queues and ring ---- */

static json_t *ring(struct report_json *j, const struct cqesim_result *r,
		    const struct report_metrics *m)
{
	json_t *o = json_object(), *hist = json_array();

	report_put_u64(j, o, "entries", r->config->cq_size);
	report_put_real(j, o, "occupancy_mean", m->occupancy_mean);
	report_put_u64(j, o, "occupancy_max", r->host.occupancy_max);
	for (unsigned i = 0; i < CQESIM_OCCUPANCY_CLASSES; i++)
		report_add(j, hist, report_u64(r->host.occupancy_hist[i]));
	report_put(j, o, "occupancy_histogram", hist);
	report_put_u64(j, o, "laps", r->laps);
	report_put_real(j, o, "link_backlog_max_s", (double)r->nic.backlog_max_ps * 1e-12);
	return o;
}

static json_t *queues(struct report_json *j, const struct cqesim_result *r)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < r->queues; i++) {
		const struct cqesim_queue_result *q = &r->queue[i];
		struct report_bursts b;
		json_t *o = json_object(), *dropped = json_object();

		report_bursts(q->host, &b);
		report_put_u64(j, o, "queue", i);
		report_put_u64(j, o, "offered", q->offered);
		report_put_u64(j, o, "delivered", q->delivered);
		for (unsigned d = 0; d < CQESIM_DROPS; d++)
			report_put_u64(j, dropped, cqesim_drop_name(d), q->dropped[d]);
		report_put(j, o, "dropped", dropped);
		report_put_u64(j, o, "sent", q->sent);
		report_put_u64(j, o, "tx_dropped", q->tx_dropped);
		report_put_u64(j, o, "bytes", q->host->bytes);
		report_put_u64(j, o, "rx_cqe_compress_blks", q->compress_blks);
		report_put_u64(j, o, "rx_cqe_compress_pkts", q->compress_pkts);
		report_put_u64(j, o, "polls", b.polls);
		report_put_u64(j, o, "empty_polls", b.empty_polls);
		report_put_real(j, o, "burst_mean", b.mean);
		report_put_u64(j, o, "burst_p50", b.p50);
		report_put_u64(j, o, "burst_p90", b.p90);
		report_put_u64(j, o, "burst_p99", b.p99);
		report_put_u64(j, o, "burst_max", b.max);
		report_put_real(j, o, "occupancy_mean",
				report_ratio((double)q->host->occupancy_sum, (double)b.polls));
		report_put_u64(j, o, "occupancy_max", q->host->occupancy_max);
		report_put_real(j, o, "busy_share", report_busy(r, q->host));
		report_add(j, list, o);
	}
	return list;
}

static json_t *compare(struct report_json *j, const struct cqesim_report *report)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < report->results; i++) {
		const struct cqesim_result *r = report->result[i];
		struct report_metrics m;
		json_t *o = json_object();

		report_metrics(r, &m);
		report_json_result(j, o, r, &m);
		report_put(j, all, report_choice(r), o);
	}
	return all;
}

int cqesim_report_json(const struct cqesim_report *report, FILE *out, struct cqesim_error *err)
{
	struct report_json j = {false};
	const struct cqesim_trace_stats *t = report->trace;
	struct report_metrics m;
	json_t *o;

	if (!report->results || report->main >= report->results)
		return cqesim_fail(err, -EINVAL, "report: main result %u of %u does not exist",
				   report->main, report->results);
	const struct cqesim_result *r = report->result[report->main];

	o = json_object();
	report_metrics(r, &m);
	report_put_text(&j, o, "version", cqesim_version());
	report_put_text(&j, o, "source", report->source);
	report_put(&j, o, "truncated", json_boolean(t->truncated));
	report_put_text(&j, o, "truncated_where",
			t->truncated && *t->truncated_where ? t->truncated_where : NULL);
	report_put_u64(&j, o, "packets", t->packets);
	report_put_u64(&j, o, "capture_bytes", t->capture_bytes);
	report_put_u64(&j, o, "stored_bytes", t->stored_bytes);
	report_put_u64(&j, o, "wire_bytes", t->wire_bytes);
	report_put(&j, o, "classes", classes(&j, report->port));
	report_put(&j, o, "skipped", skipped(&j, t));
	report_put(&j, o, "trace", trace(&j, report));
	report_put(&j, o, "time", times(&j, t, r, &m));
	report_put(&j, o, "nic_view", nic_view(&j, report->port));
	report_put(&j, o, "setup", set_up(&j, r));
	report_put_u64(&j, o, "arrived", r->arrived);
	report_put_u64(&j, o, "arrived_wire_bytes", r->arrived_wire_bytes);
	report_put_u64(&j, o, "segmented", r->segmented);
	report_put_u64(&j, o, "segments", r->segments);
	report_put_u64(&j, o, "delivered_bytes", r->delivered_bytes);
	report_json_result(&j, o, r, &m);
	report_put(&j, o, "ring", ring(&j, r, &m));
	report_put(&j, o, "queues", queues(&j, r));
	if (report->results > 1)
		report_put(&j, o, "compare", compare(&j, report));
	report_put(&j, o, "assumptions", assumptions(&j, r));
	return report_dump(&j, o, out, err);
}
