/* SPDX-License-Identifier: BSD-3-Clause */
/* The highest rate without loss, for each policy. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/report_internal.h"

/* What went wrong just above. */
static void above_text(const struct cqesim_ndr *n, char *text, size_t size)
{
	const struct cqesim_summary *s = &n->above.summary;
	bool core = s->main_drop == CQESIM_DROP_OUT_OF_BUFFER;

	if (n->at_top)
		snprintf(text, size, "nothing is faster");
	else if (s->lost)
		snprintf(text, size, "at %s: %s of %s lost, most by %s%s%s%s",
			 report_rate(s->offered_pps).s, report_count(s->lost).s,
			 report_count(s->arrived).s, cqesim_drop_name(s->main_drop),
			 core ? " (" : "", core ? cqesim_shortage_name(s->main_shortage) : "",
			 core ? ")" : "");
	else
		snprintf(text, size, "at %s: none of %s lost yet, but %s behind at the end",
			 report_rate(s->offered_pps).s, report_count(s->arrived).s,
			 report_time(n->above.behind_ps).s);
}

int cqesim_report_ndr_text(const struct cqesim_ndr_report *report, FILE *out,
			   struct cqesim_error *err)
{
	struct report_out o;
	uint64_t packets = 0;
	unsigned trials = 0;

	report_begin(&o, out);
	fprintf(out, "%-12s %14s %9s  %s\n", "policy", "without loss", "of top", "just above");
	for (unsigned i = 0; i < report->rows; i++) {
		const struct cqesim_ndr *n = &report->row[i].ndr;
		char above[256];

		above_text(n, above, sizeof(above));
		fprintf(out, "%-12s %14s %9s  %s\n", report->row[i].policy,
			n->found ? report_rate(n->best.summary.offered_pps).s : "none",
			n->found ? report_percent((double)n->best.parts / CQESIM_NDR_PARTS).s : "",
			above);
		trials += n->trials;
		if (n->found)
			packets = n->best.summary.arrived;
	}
	report_para(&o, 0,
		    "%u trials of %s packets each; top: %s. A rate passes when nothing is lost and "
		    "the last packets are read in time; it is exact to %s.",
		    trials, report_count(packets).s, report->spacing,
		    report_percent(report->tolerance).s);
	if (report->tolerance > 0.0011)
		report_para(&o, 0, "Trials are too short for 0.1 %%: use more packets.");
	if (report->uncounted)
		report_para(&o, 0,
			    "Not counted as loss: %s packets of each trial that no rate delivers "
			    "(oversize).",
			    report_count(report->uncounted).s);
	return report_end(&o, err);
}

static json_t *trial_json(struct report_json *j, const struct cqesim_ndr_trial *t)
{
	const struct cqesim_summary *s = &t->summary;
	json_t *o = json_object();

	report_put_real(j, o, "offered_pps", s->offered_pps);
	report_put_real(j, o, "share_of_top", (double)t->parts / CQESIM_NDR_PARTS);
	report_put_u64(j, o, "packets", s->arrived);
	report_put_u64(j, o, "lost", s->lost);
	report_put_text(j, o, "lost_by", s->lost ? cqesim_drop_name(s->main_drop) : NULL);
	report_put_text(j, o, "shortage",
			s->lost && s->main_drop == CQESIM_DROP_OUT_OF_BUFFER
				? cqesim_shortage_name(s->main_shortage)
				: NULL);
	report_put_real(j, o, "behind_s", (double)t->behind_ps * 1e-12);
	report_put_real(j, o, "burst_mean", s->burst_mean);
	report_put_real(j, o, "core_use", s->core_use);
	return o;
}

int cqesim_report_ndr_json(const struct cqesim_ndr_report *report, FILE *out,
			   struct cqesim_error *err)
{
	struct report_json j = {false};
	json_t *root = json_object(), *policies = json_object();

	for (unsigned i = 0; i < report->rows; i++) {
		const struct cqesim_ndr *n = &report->row[i].ndr;
		json_t *o = json_object();

		report_put_real(&j, o, "ndr_pps", n->found ? n->best.summary.offered_pps : NAN);
		report_put(&j, o, "at_top", json_boolean(n->at_top));
		report_put_u64(&j, o, "trials", n->trials);
		report_put(&j, o, "best", n->found ? trial_json(&j, &n->best) : json_null());
		report_put(&j, o, "above", n->at_top ? json_null() : trial_json(&j, &n->above));
		report_put(&j, policies, report->row[i].policy, o);
	}
	report_put_text(&j, root, "version", cqesim_version());
	report_put_text(&j, root, "source", report->source);
	report_put_text(&j, root, "top", report->spacing);
	report_put_real(&j, root, "tolerance", report->tolerance);
	report_put_u64(&j, root, "uncounted", report->uncounted);
	report_put(&j, root, "ndr", policies);
	return report_dump(&j, root, out, err);
}

int cqesim_report_ndr_csv(const struct cqesim_ndr_report *report, FILE *out,
			  struct cqesim_error *err)
{
	struct report_out o;

	report_begin(&o, out);
	fputs("policy,ndr_pps,share_of_top,packets,trials,above_pps,above_lost,above_lost_by,"
	      "above_behind_s\r\n",
	      out);
	for (unsigned i = 0; i < report->rows; i++) {
		const struct cqesim_ndr *n = &report->row[i].ndr;
		const struct cqesim_summary *a = &n->above.summary;

		fprintf(out, "%s,%.3f,%.7f,%" PRIu64 ",%u", report->row[i].policy,
			n->found ? n->best.summary.offered_pps : 0,
			(double)n->best.parts / CQESIM_NDR_PARTS, n->best.summary.arrived,
			n->trials);
		if (n->at_top)
			fputs(",,,,\r\n", out);
		else
			fprintf(out, ",%.3f,%" PRIu64 ",%s,%.12f\r\n", a->offered_pps, a->lost,
				a->lost ? cqesim_drop_name(a->main_drop) : "",
				(double)n->above.behind_ps * 1e-12);
	}
	return report_end(&o, err);
}
