/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json_result.c - the keys of one result: at the top of the document for the
 * configuration asked for, and again under "compare" for each policy.
 */
#include <math.h>
#include <string.h>

#include "report/report_internal.h"

static double positive(double x)
{
	return x > 0 ? x : NAN;
}

static json_t *traffic(struct report_json *j, const struct cqesim_result *r)
{
	json_t *all = json_object();

	for (unsigned k = 0; k < CQESIM_TRAFFIC_KINDS; k++) {
		const struct cqesim_tlps *t = &r->nic.traffic[k];
		json_t *o = json_object();

		report_put_text(j, o, "direction", report_direction(report_traffic_direction(k)));
		report_put_u64(j, o, "tlps", t->count);
		report_put_u64(j, o, "payload_bytes", t->payload);
		report_put_u64(j, o, "wire_bytes", t->wire);
		report_put_real(j, o, "bytes_per_packet",
				r->delivered ? r->bytes_per_packet[k] : NAN);
		report_put(j, all, cqesim_traffic_name(k), o);
	}
	return all;
}

static json_t *by_direction(struct report_json *j, double up, double down)
{
	json_t *o = json_object();

	report_put_real(j, o, "up", up);
	report_put_real(j, o, "down", down);
	return o;
}

static json_t *link_part(struct report_json *j, const struct cqesim_result *r,
			 const struct report_metrics *m)
{
	const struct cqesim_profile *link = r->config->link;
	json_t *o = json_object();
	bool any = r->delivered > 0;

	report_put_text(j, o, "name", link->name);
	report_put_u64(j, o, "generation", link->generation);
	report_put_u64(j, o, "lanes", link->lanes);
	report_put_u64(j, o, "mps", cqesim_profile_u64(link, CQESIM_LINK_MPS));
	report_put_u64(j, o, "mrrs", cqesim_profile_u64(link, CQESIM_LINK_MRRS));
	report_put_u64(j, o, "rcb", cqesim_profile_u64(link, CQESIM_LINK_RCB));
	report_put_real(j, o, "rate_bytes_per_s", r->link_rate);
	report_put_real(j, o, "efficiency", cqesim_profile_num(link, CQESIM_LINK_EFFICIENCY));
	report_put_real(j, o, "up_bytes_per_packet", any ? r->per_packet[CQESIM_UP] : NAN);
	report_put_real(j, o, "down_bytes_per_packet", any ? r->per_packet[CQESIM_DOWN] : NAN);
	report_put_real(j, o, "max_pps", positive(r->link_max_pps));
	report_put_real(j, o, "max_pps_plain", positive(r->link_plain_pps));
	report_put_real(j, o, "max_pps_compressed", positive(r->link_compressed_pps));
	report_put_real(j, o, "expected_pps", positive(r->limit_pps[CQESIM_LIMIT_LINK]));
	report_put_text(j, o, "binding", any ? report_direction(r->link_binding) : NULL);
	report_put(j, o, "has_room", any ? json_boolean(r->link_has_room) : json_null());
	report_put(j, o, "utilisation_at_trace_rate",
		   by_direction(j, m->use_trace[CQESIM_UP], m->use_trace[CQESIM_DOWN]));
	report_put(j, o, "utilisation_at_line_rate",
		   by_direction(j, m->use_line[CQESIM_UP], m->use_line[CQESIM_DOWN]));
	report_put(j, o, "traffic", traffic(j, r));
	report_put(j, o, "dllp_bytes_per_packet",
		   by_direction(j, any ? r->dllp_per_packet[CQESIM_UP] : NAN,
				any ? r->dllp_per_packet[CQESIM_DOWN] : NAN));
	return o;
}

static json_t *limits(struct report_json *j, const struct cqesim_result *r)
{
	static const char *const key[CQESIM_LIMITS] = {
		[CQESIM_LIMIT_PORT] = "port_pps",
		[CQESIM_LIMIT_LINK] = "link_pps",
		[CQESIM_LIMIT_DEVICE] = "device_pps",
		[CQESIM_LIMIT_HOST] = "host_pps",
		[CQESIM_LIMIT_BUS] = "bus_pps",
		[CQESIM_LIMIT_COMPLETIONS] = "completions_pps",
		[CQESIM_LIMIT_CREDITS] = "credits_pps",
		[CQESIM_LIMIT_TAGS] = "tags_pps",
	};
	json_t *o = json_object();

	for (unsigned i = 0; i < CQESIM_LIMITS; i++)
		report_put_real(j, o, key[i],
				isinf(r->limit_pps[i]) ? NAN : positive(r->limit_pps[i]));
	report_put_text(j, o, "binding", r->delivered ? cqesim_limit_name(r->binding) : NULL);
	return o;
}

/* [[size, count], ...] of the sizes that occur. */
static json_t *pairs(struct report_json *j, const uint64_t *hist, unsigned first, unsigned last)
{
	json_t *list = json_array();

	for (unsigned i = first; i <= last; i++) {
		json_t *pair;

		if (!hist[i])
			continue;
		pair = json_array();
		report_add(j, pair, report_u64(i));
		report_add(j, pair, report_u64(hist[i]));
		report_add(j, list, pair);
	}
	return list;
}

/* The list of words in force, as the device profile has it. */
static json_t *words(struct report_json *j, const char *text)
{
	json_t *list = json_array();

	for (const char *w = text + strspn(text, " "); *w; w += strspn(w, " ")) {
		size_t n = strcspn(w, " ");

		report_add(j, list, json_stringn(w, n));
		w += n;
	}
	return list;
}

static void session_ends(struct report_json *j, json_t *o, const struct cqesim_nic_stats *nic)
{
	json_t *ends = json_object(), *mismatch = json_object();

	for (unsigned i = 0; i < CQESIM_SESSION_ENDS; i++)
		report_put_u64(j, ends, cqesim_session_end_name(i), nic->session_ends[i]);
	report_put(j, o, "session_ends", ends);
	for (unsigned f = 0; f < cqesim_cqe_rx_field_count && f < CQESIM_RX_FIELDS_MAX; f++)
		if (nic->mismatch[f])
			report_put_u64(j, mismatch, cqesim_cqe_rx_fields[f].name, nic->mismatch[f]);
	report_put(j, o, "mismatch", mismatch);
}

static json_t *compression(struct report_json *j, const struct cqesim_result *r,
			   const struct report_metrics *m)
{
	const struct cqesim_nic_stats *nic = &r->nic;
	const struct cqesim_profile *device = r->config->device;
	json_t *o = json_object();

	report_put_text(j, o, "policy", report_compression(r));
	report_put(j, o, "cqe_comp_en", json_boolean(r->cqe_comp_en));
	report_put_text(j, o, "cqe_compression", report_firmware(r));
	report_put_text(j, o, "mini_format", cqesim_mini_format_name(r->mini_format));
	report_put_text(j, o, "layout", r->layout == CQESIM_CQ_ENHANCED ? "enhanced" : "basic");
	report_put_u64(j, o, "max_num", cqesim_profile_u64(device, CQESIM_DEV_COMP_MAX_NUM));
	report_put_u64(j, o, "sessions", nic->sessions);
	report_put_u64(j, o, "session_packets", nic->session_packets);
	report_put_real(j, o, "packets_per_session", m->session_mean);
	report_put_real(j, o, "share_compressed", m->compressed);
	report_put_u64(j, o, "plain", nic->plain);
	report_put_u64(j, o, "lone", nic->lone);
	report_put_u64(j, o, "arrays", nic->arrays);
	report_put_u64(j, o, "full_arrays", nic->full_arrays);
	report_put_real(j, o, "bytes_per_packet", m->completions);
	report_put_real(j, o, "plain_bytes_per_packet", r->plain_cqe_bytes);
	report_put_real(j, o, "saved_bytes_per_packet", m->saved);
	report_put_real(j, o, "saved_bytes", m->saved_total);
	session_ends(j, o, nic);
	report_put(j, o, "compared_fields",
		   words(j, cqesim_profile_text(device, CQESIM_DEV_COMP_COMPARE)));
	report_put_text(j, o, "compared_fields_grade",
			cqesim_grade_name(device->param[CQESIM_DEV_COMP_COMPARE].grade));
	report_put(j, o, "histogram", pairs(j, nic->session_hist, 2, CQESIM_SESSION_HIST));
	report_put_real(j, o, "pressure_s", (double)nic->pressure_ps * 1e-12);
	return o;
}

static json_t *bursts(struct report_json *j, const struct cqesim_result *r,
		      const struct report_bursts *b)
{
	json_t *o = json_object();

	report_put_real(j, o, "mean", b->mean);
	report_put(j, o, "p50", b->polls ? report_u64(b->p50) : json_null());
	report_put(j, o, "p90", b->polls ? report_u64(b->p90) : json_null());
	report_put(j, o, "p99", b->polls ? report_u64(b->p99) : json_null());
	report_put(j, o, "max", b->polls ? report_u64(b->max) : json_null());
	report_put_u64(j, o, "polls", b->polls);
	report_put_u64(j, o, "empty_polls", b->empty_polls);
	report_put(j, o, "histogram", pairs(j, r->host.burst_hist, 1, CQESIM_BURST_MAX));
	return o;
}

void report_json_result(struct report_json *j, json_t *object, const struct cqesim_result *r,
			const struct report_metrics *m)
{
	json_t *dropped = json_object();

	report_put_u64(j, object, "delivered", r->delivered);
	for (unsigned d = 0; d < CQESIM_DROPS; d++)
		report_put_u64(j, dropped, cqesim_drop_name(d), r->dropped[d]);
	report_put(j, object, "dropped", dropped);
	report_put_u64(j, object, "sent", r->sent);
	report_put_u64(j, object, "tx_dropped", r->tx_dropped);
	report_put_real(j, object, "sent_pps", positive(r->sent_pps));
	report_put(j, object, "link", link_part(j, r, m));
	report_put(j, object, "limits", limits(j, r));
	report_put(j, object, "compression", compression(j, r, m));
	report_put(j, object, "bursts", bursts(j, r, &m->bursts));
	report_put(j, object, "core", report_core_json(j, r));
	report_put(j, object, "rq", report_rq_json(j, r));
	report_put(j, object, "completion_delay", report_delays_json(j, r));
	report_put(j, object, "counters", report_counters_json(j, r));
}
