/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tables.c - the text report's tables: what limits the packet rate, PCIe
 * traffic by kind and direction, and policies side by side.
 */
#include <math.h>
#include <stdio.h>

#include "report/report_internal.h"

const char *report_limit_words(enum cqesim_limit limit)
{
	switch (limit) {
	case CQESIM_LIMIT_PORT:
		return "port (line rate)";
	case CQESIM_LIMIT_LINK:
		return "PCIe link";
	case CQESIM_LIMIT_DEVICE:
		return "device pipeline";
	case CQESIM_LIMIT_BUS:
		return "device bus";
	case CQESIM_LIMIT_COMPLETIONS:
		return "completion writes";
	case CQESIM_LIMIT_CREDITS:
		return "PCIe posted credits";
	case CQESIM_LIMIT_TAGS:
		return "PCIe reads in flight";
	default:
		return "host cores";
	}
}

/* ---- limits ---- */

static void limit_line(struct report_out *o, const struct cqesim_result *r,
		       const struct report_metrics *m, const char *what, double pps,
		       const char *mark)
{
	double gbps = pps > 0 && m->line_bits > 0 ? pps * m->line_bits / 1e9 : NAN;

	fprintf(o->f, "  %-28s  %12s Mpps  %10s Gb/s  %9s%s%s\n", what,
		report_real(pps > 0 ? pps / 1e6 : NAN, 2).s, report_real(gbps, 2).s,
		report_percent(pps > 0 ? report_ratio(pps, r->line_pps) : NAN).s, *mark ? "  " : "",
		mark);
}

/* The lowest limit that is not the binding one. */
static enum cqesim_limit next_limit(const struct cqesim_result *r)
{
	enum cqesim_limit next = r->binding;

	for (unsigned i = 0; i < CQESIM_LIMITS; i++)
		if (i != (unsigned)r->binding && r->limit_pps[i] > 0 &&
		    (next == r->binding || r->limit_pps[i] < r->limit_pps[next]))
			next = (enum cqesim_limit)i;
	return next;
}

/* What the link's ceiling means for a policy that depends on the link. */
static void report_balanced(struct report_out *o, const struct cqesim_result *r)
{
	double e = cqesim_profile_num(r->config->link, CQESIM_LINK_EFFICIENCY);

	if (r->link_compressed_pps > 0)
		report_para(o, 2,
			    "Balanced compresses when the link is the limit: it carries %s with "
			    "plain CQEs, and %s when all packets are in sessions as long as those "
			    "of this run.",
			    report_rate(r->link_plain_pps * e).s,
			    report_rate(r->link_compressed_pps * e).s);
	else
		report_para(o, 2,
			    "Nothing was compressed in this run, so the link's figures are for "
			    "plain CQEs. Balanced compresses when the link is the limit, and then "
			    "it carries more: --rate line or --compare shows how much.");
}

void report_limits(struct report_out *o, const struct cqesim_result *r,
		   const struct report_metrics *m)
{
	enum cqesim_limit next = next_limit(r);
	char offered[48];

	report_title(o, "What limits the packet rate, for this mix of packets");
	fprintf(o->f, "  %-28s  %12s       %10s        %9s\n", "limit", "packets", "on the port",
		"line rate");
	for (unsigned i = 0; i < CQESIM_LIMITS; i++) {
		if (isinf(r->limit_pps[i]))
			continue; /* nothing sets it */
		limit_line(o, r, m,
			   i == CQESIM_LIMIT_LINK ? "PCIe link, expected" : report_limit_words(i),
			   r->limit_pps[i],
			   r->delivered && i == (unsigned)r->binding ? "<- binds" : "");
	}
	limit_line(o, r, m, "PCIe link, efficiency 1", r->link_max_pps, "");
	limit_line(o, r, m, "this trace, on average", r->offered_pps, "");
	if (!r->delivered) {
		report_para(o, 2, "PCIe link and host cores: n/a, no packet was delivered.");
		return;
	}
	snprintf(offered, sizeof(offered), "%.40s",
		 report_real(report_ratio(r->limit_pps[r->binding], r->offered_pps), 2).s);
	if (next != r->binding)
		report_para(
			o, 2, "If the %s did not limit, the %s would, at %s times that rate.",
			report_limit_words(r->binding), report_limit_words(next),
			report_real(report_ratio(r->limit_pps[next], r->limit_pps[r->binding]), 2)
				.s);
	if (r->offered_pps > 0)
		report_para(o, 2, "The lowest limit is %s times the trace's own average rate.",
			    offered);
	report_para(o, 2,
		    "Gb/s count preamble and gap, as the speed of a port does. Expected: with the "
		    "efficiency of the link profile, %s. Host cores: all polls find full bursts; "
		    "packets spread over the queues as here.",
		    cqesim_profile_text(r->config->link, CQESIM_LINK_EFFICIENCY));
	if (r->compression == CQESIM_COMP_BALANCED)
		report_balanced(o, r);
}

/* ---- PCIe ---- */

const char *report_traffic_words(enum cqesim_traffic kind)
{
	static const char *const words[CQESIM_TRAFFIC_KINDS] = {
		"packet data",   "plain CQEs",      "title CQEs",      "mini arrays",
		"WQE requests",  "WQE completions", "Tx WQE requests", "Tx WQEs",
		"Tx data reads", "Tx data",         "Tx CQEs",         "Tx doorbells",
	};

	return words[kind];
}

static struct numtext megabytes(double bytes_per_s)
{
	return report_real(bytes_per_s / 1e6, 2);
}

/* tlps: what there was (NULL: DLLPs, known as an average only); bytes: per packet of the mix. */
static void pcie_line(struct report_out *o, const struct cqesim_result *r,
		      const struct report_metrics *m, const char *what,
		      enum cqesim_direction direction, const struct cqesim_tlps *tlps, double bytes)
{
	double run = tlps ? (double)tlps->wire : bytes * (double)r->delivered;

	if (!r->delivered)
		bytes = NAN;
	if (!r->delivered || !(r->offered_pps > 0))
		run = NAN;
	fprintf(o->f, "  %-15s %-4s %13s %15s %15s %9s %10s %10s\n", what,
		report_direction(direction), tlps ? report_count(tlps->count).s : "",
		tlps ? report_count(tlps->payload).s : "", tlps ? report_count(tlps->wire).s : "",
		report_real(bytes, 2).s, megabytes(run / m->seconds).s,
		megabytes(r->line_pps > 0 ? bytes * r->line_pps : NAN).s);
}

static void pcie_sums(struct report_out *o, const struct cqesim_result *r,
		      const struct report_metrics *m)
{
	for (unsigned d = CQESIM_UP; d <= CQESIM_DOWN; d++) {
		struct cqesim_tlps sum = {0};

		for (unsigned k = 0; k < CQESIM_TRAFFIC_KINDS; k++)
			if ((unsigned)report_traffic_direction(k) == d)
				cqesim_tlps_add(&sum, &r->nic.traffic[k]);
		/* The rate of what ran counts the DLLPs too. */
		fprintf(o->f, "  %-15s %-4s %13s %15s %15s %9s %10s %10s\n",
			d == CQESIM_UP ? "sum up" : "sum down", report_direction(d),
			report_count(sum.count).s, report_count(sum.payload).s,
			report_count(sum.wire).s,
			report_real(r->delivered ? r->per_packet[d] : NAN, 2).s,
			megabytes(m->use_trace[d] * r->link_rate).s,
			megabytes(m->use_line[d] * r->link_rate).s);
	}
	for (unsigned d = CQESIM_UP; d <= CQESIM_DOWN; d++)
		fprintf(o->f, "  %-15s %-4s %13s %15s %15s %9s %10s %10s\n", "link in use",
			report_direction(d), "", "", "", "", report_percent(m->use_trace[d]).s,
			report_percent(m->use_line[d]).s);
}

void report_pcie(struct report_out *o, const struct cqesim_result *r,
		 const struct report_metrics *m)
{
	if (r->delivered)
		report_title(o, "PCIe: %s B up and %s B down per packet",
			     report_real(r->per_packet[CQESIM_UP], 2).s,
			     report_real(r->per_packet[CQESIM_DOWN], 2).s);
	else
		report_title(o, "PCIe: bytes per packet n/a, no packet was delivered");
	report_para(
		o, 2,
		"Completions cost %s B per packet, headers included; plain CQEs would cost %s B.",
		report_real(m->completions, 2).s, report_real(r->plain_cqe_bytes, 2).s);
	fprintf(o->f, "  %-15s %-4s %13s %15s %15s %9s %10s %10s\n", "", "", "", "payload", "wire",
		"wire", "this run", "line rate");
	fprintf(o->f, "  %-15s %-4s %13s %15s %15s %9s %10s %10s\n", "kind", "way", "TLPs", "B",
		"B", "B/packet", "MB/s", "MB/s");
	unsigned kinds = r->config->forward ? CQESIM_TRAFFIC_KINDS : CQESIM_TRAFFIC_TX_WQE_REQUEST;
	for (unsigned k = 0; k < kinds; k++)
		pcie_line(o, r, m, report_traffic_words(k), report_traffic_direction(k),
			  &r->nic.traffic[k], r->bytes_per_packet[k]);
	pcie_line(o, r, m, "DLLPs", CQESIM_UP, NULL, r->dllp_per_packet[CQESIM_UP]);
	pcie_line(o, r, m, "DLLPs", CQESIM_DOWN, NULL, r->dllp_per_packet[CQESIM_DOWN]);
	pcie_sums(o, r, m);
	report_para(
		o, 2,
		"Up: device to host; TLP: a packet on PCIe. Wire: with TLP headers and framing. "
		"DLLPs (the link's own Acks and credits) are averages and not in the TLP counts. "
		"B/packet: of the mix as offered, also where packets were lost; WQE reads as the "
		"share of the WQEs used. 100 %% is %s MB/s each way; above it the device's buffer "
		"held the rest.",
		report_real(r->link_rate / 1e6, 0).s);
}

/* ---- policies side by side ---- */

struct column {
	const struct cqesim_result *r;
	struct report_metrics m;
};

enum row_kind {
	ROW_COMPLETIONS,
	ROW_UP,
	ROW_DOWN,
	ROW_SAVED,
	ROW_SAVED_TOTAL,
	ROW_LINK_MAX,
	ROW_LINK_EXPECTED,
	ROW_HOST,
	ROW_BINDING,
	ROW_ROOM,
	ROW_DELIVERED,
	ROW_SESSIONS,
	ROW_SESSION_MEAN,
	ROW_COMPRESSED,
	ROW_BURST_MEAN,
	ROW_BURST_P99,
	ROW_POLLS,
	ROW_EMPTY,
	ROW_DELAY,
	ROW_DELAY_P99,
	ROWS
};

static const char *const row_words[ROWS] = {
	[ROW_COMPLETIONS] = "completions, B/packet",
	[ROW_UP] = "PCIe up, B/packet",
	[ROW_DOWN] = "PCIe down, B/packet",
	[ROW_SAVED] = "saved against plain, B/packet",
	[ROW_SAVED_TOTAL] = "saved against plain, B in all",
	[ROW_LINK_MAX] = "link ceiling, Mpps",
	[ROW_LINK_EXPECTED] = "link expected, Mpps",
	[ROW_HOST] = "host cores, Mpps",
	[ROW_BINDING] = "what binds",
	[ROW_ROOM] = "link carries line rate",
	[ROW_DELIVERED] = "delivered, packets",
	[ROW_SESSIONS] = "sessions",
	[ROW_SESSION_MEAN] = "packets per session",
	[ROW_COMPRESSED] = "packets compressed",
	[ROW_BURST_MEAN] = "burst, mean packets",
	[ROW_BURST_P99] = "burst, 99th percentile",
	[ROW_POLLS] = "polls that found packets",
	[ROW_EMPTY] = "empty polls",
	[ROW_DELAY] = "delay until visible, mean ns",
	[ROW_DELAY_P99] = "delay until visible, 99 % ns",
};

static struct numtext word(const char *s)
{
	struct numtext t;

	snprintf(t.s, sizeof(t.s), "%s", s);
	return t;
}

static struct numtext mega(double pps)
{
	return report_real(pps > 0 ? pps / 1e6 : NAN, 2);
}

static struct numtext cell(const struct column *c, enum row_kind row)
{
	const struct cqesim_result *r = c->r;

	switch (row) {
	case ROW_COMPLETIONS:
		return report_real(c->m.completions, 2);
	case ROW_UP:
		return report_real(r->delivered ? r->per_packet[CQESIM_UP] : NAN, 2);
	case ROW_DOWN:
		return report_real(r->delivered ? r->per_packet[CQESIM_DOWN] : NAN, 2);
	case ROW_SAVED:
		return report_real(c->m.saved, 2);
	case ROW_SAVED_TOTAL:
		return report_real(c->m.saved_total, 0);
	case ROW_LINK_MAX:
		return mega(r->link_max_pps);
	case ROW_LINK_EXPECTED:
		return mega(r->limit_pps[CQESIM_LIMIT_LINK]);
	case ROW_HOST:
		return mega(r->limit_pps[CQESIM_LIMIT_HOST]);
	case ROW_BINDING:
		return word(r->delivered ? cqesim_limit_name(r->binding) : "n/a");
	case ROW_ROOM:
		return word(!r->delivered ? "n/a" : r->link_has_room ? "yes" : "no");
	case ROW_DELIVERED:
		return report_count(r->delivered);
	case ROW_SESSIONS:
		return report_count(r->nic.sessions);
	case ROW_SESSION_MEAN:
		return report_real(c->m.session_mean, 2);
	case ROW_COMPRESSED:
		return report_percent(c->m.compressed);
	case ROW_BURST_MEAN:
		return report_real(c->m.bursts.mean, 2);
	case ROW_BURST_P99:
		return c->m.bursts.polls ? report_count(c->m.bursts.p99) : word("n/a");
	case ROW_POLLS:
		return report_count(c->m.bursts.polls);
	case ROW_DELAY:
		return report_real(report_ratio(r->delay[CQESIM_DELAY_VISIBLE].sum_ps / 1e3,
						(double)r->delay[CQESIM_DELAY_VISIBLE].count),
				   1);
	case ROW_DELAY_P99:
		return report_real(
			(double)cqesim_delay_percentile(&r->delay[CQESIM_DELAY_VISIBLE], 99) / 1e3,
			1);
	default:
		return report_count(c->m.bursts.empty_polls);
	}
}

void report_compare(struct report_out *o, const struct cqesim_report *report)
{
	struct column column[CQESIM_REPLAY_SIMS_MAX];
	unsigned n = report->results;

	report_title(o, "Compression policies side by side, over one reading of the trace");
	fprintf(o->f, "  %-30s", "");
	for (unsigned i = 0; i < n; i++) {
		char name[32];

		column[i].r = report->result[i];
		report_metrics(column[i].r, &column[i].m);
		snprintf(name, sizeof(name), "%s%s", report_choice(column[i].r),
			 i == report->main ? " *" : "");
		fprintf(o->f, " %17s", name);
	}
	fputc('\n', o->f);
	for (unsigned row = 0; row < ROWS; row++) {
		fprintf(o->f, "  %-30s", row_words[row]);
		for (unsigned i = 0; i < n; i++)
			fprintf(o->f, " %17s", cell(&column[i], row).s);
		fputc('\n', o->f);
	}
	for (unsigned d = 0; d < CQESIM_DROPS; d++) {
		char label[64];

		snprintf(label, sizeof(label), "lost: %s", cqesim_drop_name(d));
		fprintf(o->f, "  %-30s", label);
		for (unsigned i = 0; i < n; i++)
			fprintf(o->f, " %17s", report_count(column[i].r->dropped[d]).s);
		fputc('\n', o->f);
	}
	report_para(o, 2, "* as asked for: all else in this report is about it.");
}
