/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * receive.c - the text report's sections about sessions, polls, drops and the
 * assumptions that all of it rests on.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report_internal.h"

/* ---- compression ---- */

static const char *const end_words[CQESIM_SESSION_ENDS] = {
	[CQESIM_END_MISMATCH] = "the next packet differs",
	[CQESIM_END_MAX] = "longest session reached",
	[CQESIM_END_TIMEOUT] = "time-out without a packet",
	[CQESIM_END_RING] = "end of the ring",
	[CQESIM_END_RELIEF] = "link's backlog gone (balanced)",
	[CQESIM_END_STOP] = "end of the run",
	[CQESIM_END_FILLER] = "a filler comes next",
	[CQESIM_END_AGE] = "age: so long after its first",
};

static void counted(struct report_out *o, unsigned indent, const char *what, uint64_t n,
		    uint64_t all)
{
	fprintf(o->f, "  %*s%-*s %15s  %8s\n", (int)indent, "", (int)(32 - indent), what,
		report_count(n).s, report_percent(report_ratio((double)n, (double)all)).s);
}

static void session_ends(struct report_out *o, const struct cqesim_result *r)
{
	const struct cqesim_nic_stats *nic = &r->nic;
	const struct cqesim_profile *device = r->config->device;
	uint64_t all = 0;

	for (unsigned i = 0; i < CQESIM_SESSION_ENDS; i++)
		all += nic->session_ends[i];
	if (!all)
		return;
	fprintf(o->f, "  %-32s %15s  %8s\n", "what ended sessions", "sessions", "share");
	for (unsigned i = 0; i < CQESIM_SESSION_ENDS; i++) {
		if (!nic->session_ends[i])
			continue;
		counted(o, 0, end_words[i], nic->session_ends[i], all);
		for (unsigned f = 0; i == CQESIM_END_MISMATCH && f < cqesim_cqe_rx_field_count &&
				     f < CQESIM_RX_FIELDS_MAX;
		     f++)
			if (nic->mismatch[f])
				counted(o, 2, cqesim_cqe_rx_fields[f].name, nic->mismatch[f], all);
	}
	report_para(
		o, 2,
		"Sessions of one packet, which are written as plain CQEs, are counted here too. "
		"Fields compared: %s (what the mini-CQE carries is left out). Which fields a "
		"device compares is not public: the list is the device profile's session_compare, "
		"graded %s.",
		cqesim_profile_text(device, CQESIM_DEV_COMP_COMPARE),
		cqesim_grade_name(device->param[CQESIM_DEV_COMP_COMPARE].grade));
}

void report_sessions(struct report_out *o, const struct cqesim_result *r,
		     const struct report_metrics *m)
{
	const struct cqesim_nic_stats *nic = &r->nic;
	uint64_t classes[REPORT_CLASSES] = {0};
	const char *policy = report_compression(r);

	if (r->compression == CQESIM_COMP_OFF || !r->cqe_comp_en) {
		report_title(o, "Compression is off: each completion is a plain CQE");
		report_para(o, 2, "--compare shows beside it what compression would save.");
		return;
	}
	if (!nic->sessions)
		report_title(o, "Compression (%s): no packet was compressed%s", policy,
			     r->compression == CQESIM_COMP_BALANCED && !nic->pressure_ps
				     ? ", for there was no back-pressure of the link"
				     : "");
	else
		report_title(
			o, "Compression (%s): %s of packets in sessions of %s packets on average",
			policy, report_percent(m->compressed).s, report_real(m->session_mean, 2).s);
	report_row(o, "saved", "%s B per packet, %s B in all, against plain CQEs of %s B each",
		   report_real(m->saved, 2).s, report_real(m->saved_total, 0).s,
		   report_real(r->plain_cqe_bytes, 2).s);
	report_row(o, "sessions", "%s with %s packets and %s mini arrays",
		   report_count(nic->sessions).s, report_count(nic->session_packets).s,
		   report_count(nic->arrays).s);
	report_row(o, "plain", "%s packet%s, of these %s alone in their session",
		   report_count(nic->plain).s, report_plural(nic->plain),
		   report_count(nic->lone).s);
	if (r->compression == CQESIM_COMP_BALANCED)
		report_row(o, "pressure",
			   "%s under back-pressure of the link, when balanced compresses",
			   report_time(nic->pressure_ps).s);
	for (unsigned i = 2; i <= CQESIM_SESSION_HIST; i++)
		classes[report_class(i)] += nic->session_hist[i];
	report_bars(o, classes, ~0u, "packets/session", "sessions");
	session_ends(o, r);
}

/* ---- bursts and ring ---- */

static void occupancy(struct report_out *o, const struct cqesim_result *r,
		      const struct report_metrics *m)
{
	uint64_t quarter[4] = {0}, all = 0;

	for (unsigned i = 0; i < CQESIM_OCCUPANCY_CLASSES; i++) {
		quarter[i * 4 / CQESIM_OCCUPANCY_CLASSES] += r->host.occupancy_hist[i];
		all += r->host.occupancy_hist[i];
	}
	report_title(o, "Completion ring: %s completions waiting on average, %s at most, of %s",
		     report_real(m->occupancy_mean, 2).s, report_count(r->host.occupancy_max).s,
		     report_count(r->config->cq_size).s);
	report_para(o, 2,
		    "Seen by polls that found packets: up to a quarter of the ring %s, to a half "
		    "%s, to "
		    "three quarters %s, above %s.",
		    report_percent(report_ratio((double)quarter[0], (double)all)).s,
		    report_percent(report_ratio((double)quarter[1], (double)all)).s,
		    report_percent(report_ratio((double)quarter[2], (double)all)).s,
		    report_percent(report_ratio((double)quarter[3], (double)all)).s);
	report_para(o, 2, "Longest wait before the link: %s.",
		    report_time(r->nic.backlog_max_ps).s);
}

void report_polls(struct report_out *o, const struct cqesim_result *r,
		  const struct report_metrics *m)
{
	const struct report_bursts *b = &m->bursts;
	uint64_t classes[REPORT_CLASSES] = {0};
	unsigned limit = r->config->frame ? r->config->frame : r->config->burst;

	if (!b->polls) {
		report_title(o, "Bursts: n/a, no poll found a packet (%s empty polls)",
			     report_count(b->empty_polls).s);
		return;
	}
	report_title(o,
		     "Bursts: %s packets per poll on average, half of the polls find %u or fewer",
		     report_real(b->mean, 2).s, b->p50);
	report_row(o, "percentiles",
		   "50 %%: %u, 90 %%: %u, 99 %%: %u, largest: %u, limit: %u packets", b->p50,
		   b->p90, b->p99, b->max, limit);
	report_row(o, "polls", "%s found packets, %s found none; %s of the first were full bursts",
		   report_count(b->polls).s, report_count(b->empty_polls).s,
		   report_percent(report_ratio(limit <= CQESIM_BURST_MAX
						       ? (double)r->host.burst_hist[limit]
						       : 0,
					       (double)b->polls))
			   .s);
	for (unsigned i = 1; i <= CQESIM_BURST_MAX; i++)
		classes[report_class(i)] += r->host.burst_hist[i];
	report_core(o, r);
	report_bars(o, classes, limit, "packets/burst", "polls");
	occupancy(o, r, m);
}

/* ---- drops ---- */

static const char *const drop_hints[CQESIM_DROPS] = {
	[CQESIM_DROP_OVERSIZE] =
		"longer than the MTU allows. Captured after TSO or GRO? Try --segment, or --mtu",
	[CQESIM_DROP_BUFFER_FULL] =
		"the device's packet buffer was full: the link or the pipeline is too slow",
	[CQESIM_DROP_OUT_OF_BUFFER] = ("no buffer was posted: the host is too slow or the ring too "
				       "small (--ring, --queues)"),
	[CQESIM_DROP_OTHER] = "buffer too small or queue not ready",
};

void report_drops(struct report_out *o, const struct cqesim_result *r,
		  const struct report_metrics *m)
{
	if (!m->dropped) {
		report_title(o, "Drops: none");
		return;
	}
	report_title(o, "Drops: %s of %s packets, %s", report_count(m->dropped).s,
		     report_count(r->arrived).s,
		     report_percent(report_ratio((double)m->dropped, (double)r->arrived)).s);
	for (unsigned i = 0; i < CQESIM_DROPS; i++)
		if (r->dropped[i])
			report_labelled(o, 2, 18, cqesim_drop_name(i), "%s: %s.",
					report_count(r->dropped[i]).s, drop_hints[i]);
	report_shortages(o, r);
}

/* ---- assumptions ---- */

static bool uncertain(enum cqesim_grade grade)
{
	return grade == CQESIM_GRADE_FITTED || grade == CQESIM_GRADE_ASSUMED ||
	       grade == CQESIM_GRADE_USER;
}

/* Bytes of the first sentence: up to a full stop or colon that ends a clause. */
static int first_sentence(const char *text)
{
	for (const char *s = text; *s; s++)
		if ((*s == '.' || *s == ';') && (s[1] == ' ' || s[1] == '\n'))
			return (int)(s - text);
	size_t n = strlen(text);
	return (int)(n && text[n - 1] == '.' ? n - 1 : n);
}

/* 262,016 or 0.97: as many digits as it has. */
static struct numtext plain_number(double x)
{
	struct numtext t;

	if (x >= 0 && x < 1e15 && x == floor(x))
		return report_count((uint64_t)x);
	snprintf(t.s, sizeof(t.s), "%.10g", x);
	return t;
}

static void assumption(struct report_out *o, const struct report_param *p)
{
	const char *unit = report_param_unit(p->param);
	const char *why = p->param->note ? p->param->note : p->param->source;
	char range[128] = "";

	if (p->grade == CQESIM_GRADE_USER)
		why = p->overridden ? "given by an option" : p->param->source;
	if (p->param->has_range)
		snprintf(range, sizeof(range), ", range %s to %s", plain_number(p->param->low).s,
			 plain_number(p->param->high).s);
	report_labelled(o, 4, 26, p->param->key, "%s%s%s (%s%s): %.*s.",
			p->param->type == 'U' ? report_count((uint64_t)p->number).s
					      : report_param_text(p),
			unit ? " " : "", unit ? unit : "", cqesim_grade_name(p->grade), range,
			why ? first_sentence(why) : 0, why ? why : "");
}

void report_assumptions(struct report_out *o, const struct cqesim_result *r)
{
	unsigned all = 0, shown = 0;

	report_title(o, "Assumptions in force: parameters graded fitted, assumed or user");
	for (unsigned kind = 0; kind < CQESIM_PROFILE_KINDS; kind++) {
		const struct cqesim_profile *profile = report_profile(r, kind);
		bool headed = false;

		for (unsigned i = 0; profile && i < profile->count; i++, all++) {
			struct report_param p;

			report_param(r, kind, i, &p);
			if (!uncertain(p.grade))
				continue;
			if (!headed)
				fprintf(o->f, "  %s %s\n", cqesim_profile_kind_name(kind),
					profile->name);
			headed = true;
			shown++;
			assumption(o, &p);
		}
	}
	report_para(o, 2,
		    "%u of %u parameters; --json has all of them, \"cqesim models show NAME\" the "
		    "sources.",
		    shown, all);
}
