/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * csv.c - a header and a line per queue (RFC 4180, lines end in CR LF).  No
 * field needs quotes: all are numbers or words of this program.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/report_internal.h"

/* An empty field stands for "n/a". */
static void real(FILE *f, double x, int decimals)
{
	if (isfinite(x))
		fprintf(f, ",%.*f", decimals, x);
	else
		fputc(',', f);
}

static void header(FILE *f, bool compare)
{
	fprintf(f, "%squeue,offered,delivered", compare ? "compression," : "");
	for (unsigned d = 0; d < CQESIM_DROPS; d++)
		fprintf(f, ",dropped_%s", cqesim_drop_name(d));
	fputs(",bytes,polls,empty_polls,burst_mean,burst_p50,burst_p90,burst_p99,burst_max,"
	      "occupancy_mean,occupancy_max,busy_share\r\n",
	      f);
}

static void percentile(FILE *f, const struct report_bursts *b, unsigned value)
{
	if (b->polls)
		fprintf(f, ",%u", value);
	else
		fputc(',', f);
}

static void line(FILE *f, const struct cqesim_result *r, unsigned number, const char *policy)
{
	const struct cqesim_queue_result *q = &r->queue[number];
	struct report_bursts b;

	report_bursts(q->host, &b);
	fprintf(f, "%s%s%u,%" PRIu64 ",%" PRIu64, policy ? policy : "", policy ? "," : "", number,
		q->offered, q->delivered);
	for (unsigned d = 0; d < CQESIM_DROPS; d++)
		fprintf(f, ",%" PRIu64, q->dropped[d]);
	fprintf(f, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, q->host->bytes, b.polls, b.empty_polls);
	real(f, b.mean, 3);
	percentile(f, &b, b.p50);
	percentile(f, &b, b.p90);
	percentile(f, &b, b.p99);
	percentile(f, &b, b.max);
	real(f, report_ratio((double)q->host->occupancy_sum, (double)b.polls), 3);
	fprintf(f, ",%" PRIu64, q->host->occupancy_max);
	real(f, report_busy(r, q->host), 6);
	fputs("\r\n", f);
}

int cqesim_report_csv(const struct cqesim_report *report, FILE *out, struct cqesim_error *err)
{
	struct report_out o;
	bool compare = report->results > 1;

	if (!report->results || report->main >= report->results)
		return cqesim_fail(err, -EINVAL, "report: main result %u of %u does not exist",
				   report->main, report->results);
	report_begin(&o, out);
	header(out, compare);
	for (unsigned i = 0; i < report->results; i++)
		for (unsigned q = 0; q < report->result[i]->queues; q++)
			line(out, report->result[i], q,
			     compare ? report_choice(report->result[i]) : NULL);
	return report_end(&o, err);
}
