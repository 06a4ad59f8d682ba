/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion delay, and what happened when. */
#include <inttypes.h>
#include <math.h>

#include "report/report_internal.h"

static const double percents[] = {50, 90, 99, 99.9};
#define PERCENTS (sizeof(percents) / sizeof(percents[0]))

static struct numtext ns(double ps)
{
	return report_real(ps / 1e3, ps < 1e6 ? 1 : 0);
}

void report_delays(struct report_out *o, const struct cqesim_result *r)
{
	static const char *const words[CQESIM_DELAYS] = {
		[CQESIM_DELAY_VISIBLE] = "until visible",
		[CQESIM_DELAY_RETURNED] = "until polled",
	};
	const struct cqesim_delay *seen = &r->delay[CQESIM_DELAY_VISIBLE];

	if (!seen->count)
		return;
	report_title(o, "Completion delay: %s ns on average until visible, %s until a poll took it",
		     ns(seen->sum_ps / (double)seen->count).s,
		     ns(report_ratio(r->delay[CQESIM_DELAY_RETURNED].sum_ps,
				     (double)r->delay[CQESIM_DELAY_RETURNED].count))
			     .s);
	fprintf(o->f, "  %-14s %11s %11s %11s %11s %11s %11s\n", "ns", "mean", "50 %", "90 %",
		"99 %", "99.9 %", "longest");
	for (unsigned i = 0; i < CQESIM_DELAYS; i++) {
		const struct cqesim_delay *d = &r->delay[i];

		fprintf(o->f, "  %-14s %11s", words[i],
			ns(report_ratio(d->sum_ps, (double)d->count)).s);
		for (unsigned p = 0; p < PERCENTS; p++)
			fprintf(o->f, " %11s",
				ns((double)cqesim_delay_percentile(d, percents[p])).s);
		fprintf(o->f, " %11s\n", ns((double)d->max_ps).s);
	}
	report_para(o, 2,
		    "From the last bit of a packet at the port. All packets of %s. Percentiles "
		    "are exact to 1/64.",
		    r->layout == CQESIM_CQ_ENHANCED ? "an array wait until it is written"
						    : "a session wait for its title");
}

json_t *report_delays_json(struct report_json *j, const struct cqesim_result *r)
{
	static const char *const key[PERCENTS] = {"p50_s", "p90_s", "p99_s", "p999_s"};
	json_t *all = json_object();

	for (unsigned i = 0; i < CQESIM_DELAYS; i++) {
		const struct cqesim_delay *d = &r->delay[i];
		json_t *o = json_object(), *hist = json_array();
		uint64_t doubling[65] = {0};

		report_put_u64(j, o, "packets", d->count);
		report_put_real(j, o, "mean_s", report_ratio(d->sum_ps, (double)d->count) * 1e-12);
		for (unsigned p = 0; p < PERCENTS; p++)
			report_put_real(j, o, key[p],
					d->count ? (double)cqesim_delay_percentile(d, percents[p]) *
							   1e-12
						 : NAN);
		report_put_real(j, o, "max_s", d->count ? (double)d->max_ps * 1e-12 : NAN);
		/* By powers of two: class c >= 64 is of times with 6 + c / 64 bits. */
		for (unsigned c = 0; c < CQESIM_DELAY_CLASSES; c++)
			doubling[c < 64 ? 6 : 6 + c / 64] += d->hist[c];
		for (unsigned b = 6; b <= 64; b++) {
			json_t *pair;

			if (!doubling[b])
				continue;
			pair = json_array();
			report_add(j, pair, report_number(ldexp(1e-12, (int)b)));
			report_add(j, pair, report_u64(doubling[b]));
			report_add(j, hist, pair);
		}
		report_put(j, o, "histogram", hist);
		report_put(j, all, cqesim_delay_name(i), o);
	}
	return all;
}

static void ratio(FILE *f, double part, double whole)
{
	if (whole > 0)
		fprintf(f, ",%.3f", part / whole);
	else
		fputc(',', f);
}

static void timeline_step(FILE *out, const struct cqesim_step *s)
{
	fprintf(out, ",%" PRIu64 ",%" PRIu64, s->offered, s->delivered);
	for (unsigned d = 0; d < CQESIM_DROPS; d++)
		fprintf(out, ",%" PRIu64, s->lost[d]);
	ratio(out, s->backlog_sum_ps / 1e3, (double)(s->offered - s->lost[CQESIM_DROP_OVERSIZE]));
	fprintf(out, ",%.3f", (double)s->backlog_max_ps / 1e3);
	ratio(out, (double)s->occupancy_sum, (double)s->polls);
	fprintf(out, ",%" PRIu64, s->occupancy_max);
	ratio(out, (double)s->delivered, (double)s->polls);
	fputs("\r\n", out);
}

int cqesim_report_timeline(const struct cqesim_timeline *timeline, FILE *out,
			   struct cqesim_error *err)
{
	unsigned count, queues = cqesim_timeline_queues(timeline);
	struct report_out o;
	uint64_t width;

	cqesim_timeline_steps(timeline, 0, &count, &width);
	report_begin(&o, out);
	fprintf(out, "start_ns,end_ns,%soffered,delivered", queues ? "queue," : "");
	for (unsigned d = 0; d < CQESIM_DROPS; d++)
		fprintf(out, ",lost_%s", cqesim_drop_name(d));
	fputs(",link_backlog_mean_ns,link_backlog_max_ns,ring_mean,ring_max,burst_mean\r\n", out);
	for (unsigned i = 0; i < count; i++)
		for (unsigned q = 0; q < queues || !q; q++) {
			fprintf(out, "%.3f,%.3f", (double)i * (double)width / 1e3,
				(double)(i + 1) * (double)width / 1e3);
			if (queues)
				fprintf(out, ",%u", q);
			timeline_step(out, &cqesim_timeline_steps(timeline, q, &count, &width)[i]);
		}
	return report_end(&o, err);
}
