/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics.c - means, percentiles and sums over a result, in one place so that
 * text, JSON and CSV cannot differ.
 */
#include <math.h>
#include <string.h>

#include "report/report_internal.h"

double report_ratio(double part, double whole)
{
	return whole > 0 && isfinite(part) ? part / whole : NAN;
}

const char *report_direction(enum cqesim_direction direction)
{
	return direction == CQESIM_UP ? "up" : "down";
}

enum cqesim_direction report_traffic_direction(enum cqesim_traffic kind)
{
	return cqesim_traffic_is_down(kind) ? CQESIM_DOWN : CQESIM_UP;
}

unsigned report_percentile(const uint64_t *hist, unsigned classes, unsigned percent)
{
	uint64_t all = 0, seen = 0, rank;

	for (unsigned i = 0; i < classes; i++)
		all += hist[i];
	if (!all)
		return 0;
	/* Nearest rank: the ceiling of all * percent / 100. */
	rank = (uint64_t)(((unsigned __int128)all * percent + 99) / 100);
	for (unsigned i = 0; i < classes; i++) {
		seen += hist[i];
		if (seen && seen >= rank)
			return i;
	}
	return classes - 1;
}

unsigned report_class(unsigned size)
{
	unsigned c = 0;

	while (c < REPORT_CLASSES - 1 && size > 1u << c)
		c++;
	return c;
}

void report_bursts(const struct cqesim_host_stats *host, struct report_bursts *b)
{
	const unsigned classes = CQESIM_BURST_MAX + 1;
	double packets = 0;

	memset(b, 0, sizeof(*b));
	b->empty_polls = host->empty_polls;
	for (unsigned i = 1; i < classes; i++) {
		if (!host->burst_hist[i])
			continue;
		b->polls += host->burst_hist[i];
		packets += (double)host->burst_hist[i] * i;
		b->max = i;
	}
	b->mean = report_ratio(packets, (double)b->polls);
	b->p50 = report_percentile(host->burst_hist + 1, classes - 1, 50);
	b->p90 = report_percentile(host->burst_hist + 1, classes - 1, 90);
	b->p99 = report_percentile(host->burst_hist + 1, classes - 1, 99);
	if (b->polls) { /* index 0 of what was handed over is size 1 */
		b->p50++;
		b->p90++;
		b->p99++;
	}
}

double report_busy(const struct cqesim_result *r, const struct cqesim_host_stats *host)
{
	uint64_t run = cqesim_run_ps(r);

	return report_ratio((double)host->busy_ps, (double)run);
}

static double completion_bytes(const struct cqesim_nic_stats *nic)
{
	return (double)nic->traffic[CQESIM_TRAFFIC_CQE].wire +
	       (double)nic->traffic[CQESIM_TRAFFIC_TITLE].wire +
	       (double)nic->traffic[CQESIM_TRAFFIC_MINI].wire;
}

void report_metrics(const struct cqesim_result *r, struct report_metrics *m)
{
	const struct cqesim_nic_stats *nic = &r->nic;
	bool any = r->delivered > 0;

	memset(m, 0, sizeof(*m));
	report_bursts(&r->host, &m->bursts);
	for (unsigned i = 0; i < CQESIM_DROPS; i++)
		m->dropped += r->dropped[i];
	m->completions = any ? r->bytes_per_packet[CQESIM_TRAFFIC_CQE] +
					 r->bytes_per_packet[CQESIM_TRAFFIC_TITLE] +
					 r->bytes_per_packet[CQESIM_TRAFFIC_MINI]
			     : NAN;
	/* Fillers would be there without compression as well. */
	double fillers = r->plain_cqe_bytes * (double)nic->fillers;
	m->saved = any ? r->plain_cqe_bytes - m->completions + fillers / (double)r->delivered : NAN;
	m->saved_total =
		any ? r->plain_cqe_bytes * (double)r->delivered - completion_bytes(nic) + fillers
		    : 0;
	m->session_mean = report_ratio((double)nic->session_packets, (double)nic->sessions);
	m->compressed = report_ratio((double)nic->session_packets,
				     (double)nic->session_packets + (double)nic->plain);
	m->delivered_pps =
		r->offered_pps > 0 && any
			? r->offered_pps * report_ratio((double)r->delivered, (double)r->arrived)
			: NAN;
	m->seconds = (double)r->duration_ps * 1e-12;
	for (unsigned d = 0; d < 2; d++) {
		double bytes = r->dllp_per_packet[d] * (double)r->delivered;

		for (unsigned k = 0; k < CQESIM_TRAFFIC_KINDS; k++)
			if ((unsigned)report_traffic_direction(k) == d)
				bytes += (double)nic->traffic[k].wire;
		m->use_trace[d] = any && r->offered_pps > 0
					  ? report_ratio(bytes, m->seconds * r->link_rate)
					  : NAN;
		m->use_line[d] =
			any ? report_ratio(r->per_packet[d] * r->line_pps, r->link_rate) : NAN;
	}
	m->line_bits = 8 * r->mix_wire_bytes;
	m->occupancy_mean = report_ratio((double)r->host.occupancy_sum, (double)m->bursts.polls);
}
