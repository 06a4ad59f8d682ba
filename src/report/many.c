/* SPDX-License-Identifier: BSD-3-Clause */
/* Many runs, a line each: what was varied, and what came of it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/report_internal.h"

/* What differs by less is the same: simulated times end with the last packet, not on a mean. */
#define SAME 0.001
/* And a rise by less is no help. */
#define HELP 0.005

/* "rx_out_of_buffer (core)" */
static void lost_by(const struct cqesim_summary *s, char *text, size_t size)
{
	if (!s->lost)
		snprintf(text, size, "-");
	else if (s->main_drop == CQESIM_DROP_OUT_OF_BUFFER)
		snprintf(text, size, "%s (%s)", cqesim_drop_name(s->main_drop),
			 cqesim_shortage_name(s->main_shortage));
	else
		snprintf(text, size, "%s", cqesim_drop_name(s->main_drop));
}

static bool same(double a, double b, double share)
{
	return fabs(a - b) <= share * (a > b ? a : b);
}

/* The first row that no later one is better than. */
static unsigned first_best(const struct cqesim_many *many)
{
	double best = 0;

	for (unsigned i = 0; i < many->rows; i++)
		if (many->row[i].summary.delivered_pps > best)
			best = many->row[i].summary.delivered_pps;
	for (unsigned i = 0; i < many->rows; i++)
		if (same(many->row[i].summary.delivered_pps, best, HELP))
			return i;
	return 0;
}

static bool offers_differ(const struct cqesim_many *many)
{
	for (unsigned i = 1; i < many->rows; i++)
		if (!same(many->row[i].summary.offered_pps, many->row[0].summary.offered_pps, SAME))
			return true;
	return false;
}

static bool no_difference(const struct cqesim_many *many)
{
	for (unsigned i = 1; i < many->rows; i++)
		if (!same(many->row[i].summary.delivered_pps, many->row[0].summary.delivered_pps,
			  HELP) ||
		    !many->row[i].summary.lost != !many->row[0].summary.lost)
			return false;
	return true;
}

/* The sentence under the table. */
static void conclusion(const struct cqesim_many *many, char *text, size_t size)
{
	unsigned best = first_best(many);
	const struct cqesim_many_row *row = &many->row[best];
	const struct cqesim_summary *s = &row->summary;
	int lossless = -1; /* the last row before the first that loses */

	for (unsigned i = 0; i < many->rows && !many->row[i].summary.lost; i++)
		lossless = (int)i;
	if (many->rows < 2) {
		snprintf(text, size, "One value: nothing to compare.");
	} else if (!offers_differ(many) && no_difference(many)) {
		snprintf(text, size, "%s makes no difference: %s of %s delivered, limit %s.",
			 many->key, report_rate(s->delivered_pps).s, report_rate(s->offered_pps).s,
			 cqesim_limit_name(s->binding));
	} else if (offers_differ(many)) {
		char upto[128] = "Every value loses packets; ";

		if (lossless >= 0)
			snprintf(upto, sizeof(upto), "Nothing is lost up to %s=%s; ", many->key,
				 many->row[lossless].value);
		snprintf(text, size, "%smost is delivered with %s=%s: %s (offered %s), limit %s.",
			 upto, many->key, row->value, report_rate(s->delivered_pps).s,
			 report_rate(s->offered_pps).s, cqesim_limit_name(s->binding));
	} else if (!s->lost) {
		snprintf(text, size, "From %s=%s on nothing is lost: all of %s delivered.",
			 many->key, row->value, report_rate(s->offered_pps).s);
	} else if (best + 1 == many->rows) {
		snprintf(text, size,
			 "Up to %s=%s each one helps: %s of %s delivered there, limit %s.",
			 many->key, row->value, report_rate(s->delivered_pps).s,
			 report_rate(s->offered_pps).s, cqesim_limit_name(s->binding));
	} else {
		const struct cqesim_summary *last = &many->row[many->rows - 1].summary;

		snprintf(text, size,
			 "Beyond %s=%s more stops helping: %s of %s delivered, most of the rest is "
			 "%s; limit %s.",
			 many->key, row->value, report_rate(s->delivered_pps).s,
			 report_rate(s->offered_pps).s, cqesim_drop_name(last->main_drop),
			 cqesim_limit_name(last->binding));
	}
}

static struct numtext mpps(double pps)
{
	return report_real(pps > 0 ? pps / 1e6 : NAN, 3);
}

int cqesim_report_many_text(const struct cqesim_many *many, FILE *out, struct cqesim_error *err)
{
	struct report_out o;
	unsigned width = (unsigned)strlen(many->key);
	char text[512];

	for (unsigned i = 0; i < many->rows; i++)
		if (strlen(many->row[i].value) > width)
			width = (unsigned)strlen(many->row[i].value);
	report_begin(&o, out);
	fprintf(out, "%*s %10s %10s %8s %-25s %7s %7s %9s %s\n", (int)width, "", "offered",
		"delivered", "lost", "", "burst", "cores", "cycles", "lowest limit");
	fprintf(out, "%*s %10s %10s %8s %-25s %7s %7s %9s %s\n", (int)width, many->key, "Mpps",
		"Mpps", "%", "most by", "mean", "busy %", "/packet", "Mpps");
	for (unsigned i = 0; i < many->rows; i++) {
		const struct cqesim_summary *s = &many->row[i].summary;
		bool any = s->delivered > 0;

		lost_by(s, text, sizeof(text));
		fprintf(out, "%*s %10s %10s %8s %-25s %7s %7s %9s %s %s\n", (int)width,
			many->row[i].value, mpps(s->offered_pps).s, mpps(s->delivered_pps).s,
			report_real(100 * s->lost_share, 3).s, text,
			report_real(any ? s->burst_mean : NAN, 2).s,
			report_real(100 * s->core_use, 1).s,
			report_real(any ? s->cycles_per_packet : NAN, 1).s,
			any ? cqesim_limit_name(s->binding) : "n/a",
			any ? report_real(s->binding_pps / 1e6, 2).s : "");
	}
	conclusion(many, text, sizeof(text));
	report_para(&o, 0, "%s", text);
	return report_end(&o, err);
}

int cqesim_report_many_json(const struct cqesim_many *many, FILE *out, struct cqesim_error *err)
{
	struct report_json j = {false};
	json_t *root = json_object(), *rows = json_array();
	char text[512];

	for (unsigned i = 0; i < many->rows; i++) {
		const struct cqesim_summary *s = &many->row[i].summary;
		bool any = s->delivered > 0, rate = s->offered_pps > 0;
		json_t *o = json_object();

		report_put_text(&j, o, "value", many->row[i].value);
		report_put_real(&j, o, "offered_pps", rate ? s->offered_pps : NAN);
		report_put_real(&j, o, "delivered_pps", rate ? s->delivered_pps : NAN);
		report_put_u64(&j, o, "arrived", s->arrived);
		report_put_u64(&j, o, "delivered", s->delivered);
		report_put_u64(&j, o, "lost", s->lost);
		report_put_real(&j, o, "lost_share", s->lost_share);
		report_put_text(&j, o, "lost_by", s->lost ? cqesim_drop_name(s->main_drop) : NULL);
		report_put_text(&j, o, "shortage",
				s->lost && s->main_drop == CQESIM_DROP_OUT_OF_BUFFER
					? cqesim_shortage_name(s->main_shortage)
					: NULL);
		report_put_real(&j, o, "burst_mean", any ? s->burst_mean : NAN);
		report_put_real(&j, o, "core_use", s->core_use);
		report_put_real(&j, o, "busiest_core_use", s->busiest_use);
		report_put_real(&j, o, "cycles_per_packet", any ? s->cycles_per_packet : NAN);
		report_put_text(&j, o, "binding", any ? cqesim_limit_name(s->binding) : NULL);
		report_put_real(&j, o, "binding_pps", any ? s->binding_pps : NAN);
		report_add(&j, rows, o);
	}
	report_put_text(&j, root, "version", cqesim_version());
	report_put_text(&j, root, "source", many->source);
	report_put_text(&j, root, "key", many->key);
	report_put(&j, root, "runs", rows);
	report_put_text(&j, root, "first_best",
			many->rows ? many->row[first_best(many)].value : NULL);
	conclusion(many, text, sizeof(text));
	report_put_text(&j, root, "conclusion", text);
	return report_dump(&j, root, out, err);
}

/* A field of CSV; a list that was swept may hold anything but a comma. */
static void field(FILE *f, const char *text)
{
	if (!strpbrk(text, "\"\r\n")) {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

int cqesim_report_many_csv(const struct cqesim_many *many, FILE *out, struct cqesim_error *err)
{
	struct report_out o;
	char text[512];

	report_begin(&o, out);
	field(out, many->key);
	fputs(",offered_pps,delivered_pps,arrived,delivered,lost,lost_share,lost_by,burst_mean,"
	      "core_use,busiest_core_use,cycles_per_packet,binding,binding_pps\r\n",
	      out);
	for (unsigned i = 0; i < many->rows; i++) {
		const struct cqesim_summary *s = &many->row[i].summary;

		field(out, many->row[i].value);
		lost_by(s, text, sizeof(text));
		fprintf(out,
			",%.3f,%.3f,%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%.9f,%s,%.3f,%.6f,%.6f,%.3f,%s,%.3f\r\n",
			s->offered_pps, s->delivered_pps, s->arrived, s->delivered, s->lost,
			s->lost_share, s->lost ? text : "", s->burst_mean, s->core_use,
			s->busiest_use, s->cycles_per_packet, cqesim_limit_name(s->binding),
			s->binding_pps);
	}
	return report_end(&o, err);
}
