/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.c - the report for people: a headline that answers the question, then
 * what was replayed, on what, and the sections of tables.c and receive.c.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report_internal.h"

/* ---- headline ---- */

static const char *limit_sentence(enum cqesim_limit limit)
{
	switch (limit) {
	case CQESIM_LIMIT_DEVICE:
		return "the device's pipeline is the limit";
	case CQESIM_LIMIT_HOST:
		return "the polling cores are the limit";
	case CQESIM_LIMIT_BUS:
		return "the device's internal bus is the limit";
	case CQESIM_LIMIT_COMPLETIONS:
		return "the device's writing of completions is the limit";
	case CQESIM_LIMIT_CREDITS:
		return "PCIe's posted credits are the limit";
	case CQESIM_LIMIT_TAGS:
		return "PCIe's reads in flight are the limit";
	default:
		return "the port is the limit";
	}
}

/* Many times, without decimals that nobody needs. */
static struct numtext times_text(double times)
{
	return report_real(times, times < 100 ? 2 : 0);
}

static void loss_headline(struct report_out *o, const struct cqesim_result *r,
			  const struct report_metrics *m)
{
	char reasons[256] = "";

	if (!m->dropped) {
		report_para(o, 0, "No packet was lost: %s of %s delivered.",
			    report_count(r->delivered).s, report_count(r->arrived).s);
		return;
	}
	for (unsigned i = 0; i < CQESIM_DROPS; i++) {
		size_t used = strlen(reasons);

		if (r->dropped[i])
			snprintf(reasons + used, sizeof(reasons) - used, "%s%s %s",
				 used ? ", " : "", report_count(r->dropped[i]).s,
				 cqesim_drop_name(i));
	}
	report_para(o, 0, "%s of %s packet%s (%s) not delivered: %s.", report_count(m->dropped).s,
		    report_count(r->arrived).s, report_plural(r->arrived),
		    report_percent(report_ratio((double)m->dropped, (double)r->arrived)).s,
		    reasons);
}

/* Forwarding: what became of those that were received. */
static void sent_headline(struct report_out *o, const struct cqesim_result *r)
{
	if (!r->tx_dropped)
		report_para(o, 0, "All that was received was sent on: %s.",
			    report_rate(r->sent_pps).s);
	else
		report_para(o, 0,
			    "%s of them %s received but not sent on (tx_dropped): the send ring of "
			    "%s packets was full. %s sent, %s.",
			    report_count(r->tx_dropped).s, r->tx_dropped == 1 ? "was" : "were",
			    report_count(r->config->tx_ring).s, report_count(r->sent).s,
			    report_rate(r->sent_pps).s);
}

/* Does the traffic as it is fit the link? */
static void trace_headline(struct report_out *o, const struct cqesim_result *r)
{
	double expected = r->limit_pps[CQESIM_LIMIT_LINK];
	double times = report_ratio(expected, r->offered_pps);

	report_para(o, 0,
		    "This trace offers %s on average; %s carries %s of this mix (%s at efficiency "
		    "1): %s%s.",
		    report_rate(r->offered_pps).s, r->config->link->name, report_rate(expected).s,
		    report_rate(r->link_max_pps).s,
		    times >= 1 ? times_text(times).s : report_percent(times).s,
		    times >= 1 ? " times that" : " of that");
	if (times < 1 && !r->dropped[CQESIM_DROP_BUFFER_FULL] && !r->tx_dropped)
		report_para(
			o, 0,
			"The device's buffer held the excess: a longer trace at this rate would "
			"lose packets.");
}

/* And the same packets at the port's line rate? */
static void line_headline(struct report_out *o, const struct cqesim_result *r)
{
	struct numtext line = report_rate(r->line_pps);
	struct numtext limit = report_rate(r->limit_pps[r->binding]);
	bool unknown = r->compression == CQESIM_COMP_BALANCED && !(r->link_compressed_pps > 0);

	if (r->link_has_room)
		report_para(o, 0, "At the port's line rate of %s the link%s has room; %s: %s.",
			    line.s, r->binding >= CQESIM_LIMIT_CREDITS ? ", as to bytes," : "",
			    limit_sentence(r->binding), limit.s);
	else if (unknown && r->binding == CQESIM_LIMIT_LINK)
		report_para(o, 0,
			    "At the port's line rate of %s PCIe %s would be the limit with plain "
			    "CQEs; the card would then compress and carry more (--rate line or "
			    "--compare shows how much).",
			    line.s, report_direction(r->link_binding));
	else if (r->binding == CQESIM_LIMIT_LINK)
		report_para(o, 0, "At the port's line rate of %s PCIe %s is the limit: %s.", line.s,
			    report_direction(r->link_binding), limit.s);
	else
		report_para(o, 0, "The link does not carry the port's line rate of %s, and %s: %s.",
			    line.s, limit_sentence(r->binding), limit.s);
}

static void headline(struct report_out *o, const struct cqesim_result *r,
		     const struct report_metrics *m)
{
	if (!r->arrived) {
		report_para(o, 0, "Nothing was replayed: no packet arrived.");
		return;
	}
	loss_headline(o, r, m);
	if (!r->delivered)
		return;
	if (r->config->forward)
		sent_headline(o, r);
	if (r->offered_pps > 0)
		trace_headline(o, r);
	line_headline(o, r);
	report_para(
		o, 0,
		"Completions cost %s B of PCIe per packet; compression (%s%s) saves %s B (%s) of "
		"the %s B of plain CQEs.",
		report_real(m->completions, 2).s, report_compression(r),
		r->compression == CQESIM_COMP_BALANCED ? ": under back-pressure only" : "",
		report_real(m->saved, 2).s,
		report_percent(report_ratio(m->saved, r->plain_cqe_bytes)).s,
		report_real(r->plain_cqe_bytes, 2).s);
}

/* ---- what was replayed ---- */

/* "IPv4 9,000 (90.0 %), ..." of the classes that occur. */
static void append_class(char *text, size_t size, const char *name, uint64_t n, uint64_t all)
{
	size_t used = strlen(text);

	if (n)
		snprintf(text + used, size - used, "%s%s %s (%s)", used ? ", " : "", name,
			 report_count(n).s, report_percent(report_ratio((double)n, (double)all)).s);
}

static void classes(struct report_out *o, const struct cqesim_port_stats *s)
{
	static const struct {
		const char *name;
		unsigned all, none;
	} class[] = {
		{"IPv4", CQESIM_VIEW_IPV4, 0},
		{"IPv6", CQESIM_VIEW_IPV6, 0},
		{"neither", 0, CQESIM_VIEW_IPV4 | CQESIM_VIEW_IPV6},
		{"TCP", CQESIM_VIEW_TCP, 0},
		{"UDP", CQESIM_VIEW_UDP, 0},
		{"other L4", 0, CQESIM_VIEW_TCP | CQESIM_VIEW_UDP | CQESIM_VIEW_L4_NONE},
		{"VLAN", CQESIM_VIEW_VLAN, 0},
		{"QinQ", CQESIM_VIEW_QINQ, 0},
		{"fragments", CQESIM_VIEW_FRAGMENT, 0},
		{"IP options", CQESIM_VIEW_OPTIONS, 0},
		{"VXLAN", CQESIM_VIEW_VXLAN, 0},
		{"GRE", CQESIM_VIEW_GRE, 0},
		{"Geneve", CQESIM_VIEW_GENEVE, 0},
		{"IP in IP", CQESIM_VIEW_IPIP, 0},
		{"headers cut short", CQESIM_VIEW_SHORT, 0},
	};
	uint64_t all = cqesim_port_views(s, 0, 0);
	char text[1024] = "";

	for (unsigned i = 0; i < sizeof(class) / sizeof(class[0]); i++)
		append_class(text, sizeof(text), class[i].name,
			     cqesim_port_views(s, class[i].all, class[i].none), all);
	report_row(o, "classes", "%s", *text ? text : "none");
}

static void fcs(struct report_out *o, const struct cqesim_trace_stats *t, const char *note)
{
	if (t->synthetic)
		report_row(o, "FCS",
			   "sizes of the synthetic workload are with FCS, as on the wire");
	else if (t->fcs == CQESIM_FCS_PRESENT)
		report_row(o, "FCS", "the capture's lengths include the 4 bytes of the FCS (%s)",
			   t->fcs_detected ? "detected" : "--fcs present");
	else
		report_row(o, "FCS",
			   "the capture's lengths are without FCS (%s); 4 bytes are added to each "
			   "on the wire",
			   t->fcs_detected ? "detected" : "--fcs absent");
	if (note)
		report_row(o, "", "%s", note);
}

/* What was not as in a clean capture; nothing when all was. */
static void notes(struct report_out *o, const struct cqesim_trace_stats *t,
		  const struct cqesim_result *r)
{
	const struct {
		uint64_t n;
		const char *what;
	} note[] = {
		{t->skipped[CQESIM_SKIP_REQUESTED], "left out at the start, as asked (--skip)"},
		{t->skipped[CQESIM_SKIP_ZERO_LENGTH], "skipped: records without a single byte"},
		{t->padded, "below 60 bytes: padded as on the wire"},
		{t->cut,
		 "stored shorter than they were: full length counts, headers as far as stored"},
		{t->stored_longer, "stored longer than they were: the surplus is ignored"},
		{t->time_backwards, "with a time before an earlier one: taken as equal to it"},
		{t->clock_steps,
		 "of these more than a second back: the clock was set, time goes on"},
		{t->gaps_clamped, "after a gap of over 100 days, which was shortened"},
		{r->segmented, "longer than the MTU: cut into segments (--segment)"},
		{r->segments, "made by that"},
	};
	const char *label = "notes";

	for (unsigned i = 0; i < sizeof(note) / sizeof(note[0]); i++) {
		if (!note[i].n)
			continue;
		report_row(o, label, "%s packet%s %s", report_count(note[i].n).s,
			   report_plural(note[i].n), note[i].what);
		label = "";
	}
	if (t->skipped[CQESIM_SKIP_ZERO_LENGTH] && *t->zero_where) {
		report_row(o, label, "first record without a byte: %s", t->zero_where);
		label = "";
	}
	if (r->wire_lag_ps > r->duration_ps / 100 && r->arrived > 1) {
		report_row(
			o, label,
			"the times ask for more than the port's line carries: frames were spread "
			"to line rate, the last one came %s late",
			report_time(r->wire_lag_ps).s);
		label = "";
	}
	if (t->truncated)
		report_row(o, label, "truncated: %s; what was read before counts",
			   *t->truncated_where ? t->truncated_where
					       : "the capture ends in a record");
}

static void replayed(struct report_out *o, const struct cqesim_report *report,
		     const struct cqesim_result *r, const struct report_metrics *m)
{
	const struct cqesim_trace_stats *t = report->trace;
	double mean = report_ratio((double)t->wire_bytes, (double)t->frames);

	report_title(o, "What was replayed");
	report_row(o, t->synthetic ? "workload" : "source", "%s",
		   report->source ? report->source : "unknown");
	report_row(o, "packets", "%s read, %s replayed", report_count(t->packets).s,
		   report_count(t->frames).s);
	report_row(o, "bytes", "%s B as captured (%s B stored), %s B on the wire, %s B a packet",
		   report_count(t->capture_bytes).s, report_count(t->stored_bytes).s,
		   report_count(t->wire_bytes).s, report_real(mean, 2).s);
	if (r->offered_pps > 0)
		report_row(o, "time",
			   "%s from the first frame to the end of the last: %s, %s on the port",
			   report_time(r->duration_ps).s, report_rate(r->offered_pps).s,
			   report_bits(r->offered_pps * m->line_bits).s);
	else
		report_row(o, "time", "%s; packet rate n/a, it takes two packets",
			   r->arrived ? report_time(r->duration_ps).s : "n/a");
	classes(o, report->port);
	fcs(o, t, report->fcs_note);
	notes(o, t, r);
}

/* ---- set-up ---- */

static void set_up(struct report_out *o, const struct cqesim_result *r)
{
	const struct cqesim_sim_config *c = r->config;
	static const char *const checksums[] = {"trusted", "IPv4 header verified, L4 trusted",
						"verified where the whole frame is there"};

	report_title(o, "Set-up");
	report_row(o, "device", "%s: %s; port %s Gb/s", c->device->name, c->device->title,
		   cqesim_profile_text(c->device, CQESIM_DEV_PORT_SPEED));
	report_row(
		o, "link",
		"%s: PCIe Gen%u, %u lane%s, %s MB/s each way for TLPs and DLLPs; MPS %s B, MRRS %s "
		"B, RCB %s B, efficiency %s",
		c->link->name, c->link->generation, c->link->lanes, report_plural(c->link->lanes),
		report_real(r->link_rate / 1e6, 0).s, cqesim_profile_text(c->link, CQESIM_LINK_MPS),
		cqesim_profile_text(c->link, CQESIM_LINK_MRRS),
		cqesim_profile_text(c->link, CQESIM_LINK_RCB),
		cqesim_profile_text(c->link, CQESIM_LINK_EFFICIENCY));
	report_row(o, "driver", "%s: %s", c->driver->name, c->driver->title);
	report_row(o, "host", "%s: %s; %s GHz", c->host->name, c->host->title,
		   cqesim_profile_text(c->host, CQESIM_HOST_CLOCK));
	if (c->application)
		report_row(o, "application", "%s: %s", c->application->name, c->application->title);
	report_row(o, "queues",
		   "%u, each on a core of its own: ring %s, completion ring %s CQEs, polls for "
		   "bursts of up to %s packets%s%s",
		   r->queues, report_rq_shape(r).s, report_count(c->cq_size).s,
		   report_count(c->burst).s,
		   c->frame ? ", again while they are full, in frames of up to " : "",
		   c->frame ? report_count(c->frame).s : "");
	report_row(o, "port", "MTU %s B (frames to %s B without FCS); checksums %s; FCS %s",
		   report_count(c->mtu).s, report_count(r->max_frame).s,
		   checksums[(unsigned)c->checksums <= CQESIM_CHECKSUMS_VERIFY ? c->checksums : 0],
		   c->keep_fcs ? "delivered" : "stripped");
	report_row(o, "compression",
		   "%s: the driver %s for it (cqe_comp_en %s), the firmware's policy is %s "
		   "(cqe_compression); %s layout, mini-CQE format %s, up to %s packets a session",
		   report_compression(r), r->cqe_comp_en ? "asks" : "does not ask",
		   r->cqe_comp_en ? "on" : "off", report_firmware(r),
		   r->layout == CQESIM_CQ_ENHANCED ? "enhanced" : "basic",
		   cqesim_mini_format_name(r->mini_format),
		   cqesim_profile_text(c->device, CQESIM_DEV_COMP_MAX_NUM));
}

static void verified(struct report_out *o, const struct cqesim_result *r)
{
	report_title(o, "Verified");
	if (!r->delivered)
		report_para(o, 2, "No packet was delivered, so no completion was read back.");
	else
		report_para(o, 2,
			    "Every one of %s delivered packet%s was read back from the completion "
			    "ring as it was sent; the busiest ring went round %s time%s.",
			    report_count(r->delivered).s, report_plural(r->delivered),
			    report_count(r->laps).s, report_plural(r->laps));
}

int cqesim_report_text(const struct cqesim_report *report, FILE *out, struct cqesim_error *err)
{
	struct report_out o;
	struct report_metrics m;

	if (!report->results || report->main >= report->results)
		return cqesim_fail(err, -EINVAL, "report: main result %u of %u does not exist",
				   report->main, report->results);
	const struct cqesim_result *r = report->result[report->main];

	report_begin(&o, out);
	report_metrics(r, &m);
	headline(&o, r, &m);
	replayed(&o, report, r, &m);
	set_up(&o, r);
	if (report->results > 1)
		report_compare(&o, report);
	report_limits(&o, r, &m);
	report_pcie(&o, r, &m);
	report_sessions(&o, r, &m);
	report_polls(&o, r, &m);
	report_delays(&o, r);
	report_rq(&o, r);
	report_drops(&o, r, &m);
	verified(&o, r);
	report_assumptions(&o, r);
	return report_end(&o, err);
}
