/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim rq --burst: packets of a burst that are lost, and the ratios that a table allows. */
#include <math.h>
#include <stdlib.h>

#include "rq.h"

/* All that is found out about one queue. */
struct found {
	const struct rq_queue *q;
	bool with_ratio;
	struct rq_ratio ratio; /* that the results are for */
	struct cqesim_burst_result result[RQ_ROWS_MAX];
	struct cqesim_burst_range range, row_range[RQ_ROWS_MAX];
};

static double steps(uint32_t n)
{
	return (double)n / CQESIM_BURST_STEPS;
}

static int find(const struct rq_options *o, const struct rq_queue *q, struct found *f)
{
	struct cqesim_burst b = {
		.layout = q->layout,
		.packet_bytes = o->burst_bytes,
		.ratio_den = 1,
		.post_bulk = q->post_bulk,
	};
	struct cqesim_burst_row row[RQ_ROWS_MAX];
	void *scratch = malloc(cqesim_burst_scratch(&q->layout));
	struct cqesim_error err = {"out of memory"};
	int rc = !scratch;

	*f = (struct found){.q = q, .with_ratio = q->has_ratio, .ratio = q->ratio};
	for (unsigned i = 0; i < o->bursts && q->has_fit; i++)
		row[i] = (struct cqesim_burst_row){o->burst[i], q->fit[i]};
	if (!rc && q->has_fit)
		rc = cqesim_burst_fit(&b, row, o->bursts, o->rounding / 2, scratch, &f->range,
				      f->row_range, &err);
	if (!f->with_ratio && q->has_fit && f->range.possible) {
		/* None was given: the middle of what fits. */
		f->ratio =
			(struct rq_ratio){(f->range.low + f->range.high) / 2, CQESIM_BURST_STEPS};
		f->with_ratio = true;
	}
	b.ratio_num = f->ratio.num;
	b.ratio_den = f->ratio.den;
	for (unsigned i = 0; i < o->bursts && !rc && f->with_ratio; i++)
		rc = cqesim_burst_run(&b, o->burst[i], scratch, &f->result[i], &err);
	free(scratch);
	if (!rc)
		return 0;
	return usage_error(RQ_COMMAND, "%s", err.text);
}

/* ---- two queues side by side ---- */

/* Factor between the ratios of the first two fitted queues: at least, at most. */
struct gain {
	const struct found *a, *b;
	double low, high; /* percent */
};

static bool gain_of(const struct found *f, unsigned n, struct gain *g)
{
	*g = (struct gain){0};
	for (unsigned i = 0; i < n; i++) {
		if (!f[i].q->has_fit || !f[i].range.possible)
			continue;
		if (g->a) {
			g->b = &f[i];
			break;
		}
		g->a = &f[i];
	}
	if (!g->b || !g->a->range.low)
		return false;
	g->low = 100 * ((double)g->b->range.low / g->a->range.high - 1);
	g->high = 100 * ((double)g->b->range.high / g->a->range.low - 1);
	return true;
}

static bool contradicts(const struct rq_options *o, const struct gain *g)
{
	return o->gain_high > 0 && (g->low > o->gain_high || g->high < o->gain_low);
}

/* ---- text ---- */

static void range_text(const struct rq_options *o, const struct found *f, struct report_out *out)
{
	if (!f->q->has_fit)
		return;
	if (f->range.possible && f->range.high < CQESIM_BURST_STEPS)
		report_para(out, 2,
			    "All rows come out within %s (half the rounding) with a ratio "
			    "drain/arrival "
			    "from %.6f to %.6f.",
			    report_count(o->rounding / 2).s, steps(f->range.low),
			    steps(f->range.high));
	else if (f->range.possible)
		report_para(out, 2,
			    "All rows come out within %s (half the rounding) with any ratio "
			    "drain/arrival from %.6f.",
			    report_count(o->rounding / 2).s, steps(f->range.low));
	else
		report_para(out, 2,
			    "No ratio drain/arrival brings out all rows within %s (half the "
			    "rounding).",
			    report_count(o->rounding / 2).s);
}

static void rows_text(const struct rq_options *o, const struct found *f, struct report_out *out)
{
	fprintf(out->f, "\n  %9s %9s %9s", "burst", "lost", "first");
	if (f->q->has_fit)
		fprintf(out->f, " %10s %5s  %s", "published", "", "ratios that give it");
	fputc('\n', out->f);
	for (unsigned i = 0; i < o->bursts; i++) {
		const struct cqesim_burst_result *r = &f->result[i];
		const struct cqesim_burst_range *x = &f->row_range[i];

		fprintf(out->f, "  %9s %9s %9s", report_count(o->burst[i]).s,
			f->with_ratio ? report_count(r->lost).s : "n/a",
			f->with_ratio && r->lost ? report_count(r->first_lost + 1).s : "-");
		if (f->q->has_fit) {
			fprintf(out->f, " %10s %5s", report_count(f->q->fit[i]).s,
				!f->with_ratio ? ""
				: fabs((double)r->lost - (double)f->q->fit[i]) * 2 <=
						(double)o->rounding
					? "ok"
					: "off");
			if (!x->possible)
				fputs("  none", out->f);
			else if (x->high < CQESIM_BURST_STEPS)
				fprintf(out->f, "  %.6f to %.6f", steps(x->low), steps(x->high));
			else
				fprintf(out->f, "  from %.6f", steps(x->low));
		}
		fputc('\n', out->f);
	}
}

static void queue_text(const struct rq_options *o, const struct found *f, struct report_out *out)
{
	struct cqesim_rq_memory m = cqesim_rq_memory(&f->q->layout);
	char name[160];

	report_title(out, "Bursts of packets of %u bytes: %s", o->burst_bytes,
		     rq_queue_name(f->q, name, sizeof(name)));
	fputc('\n', out->f);
	range_text(o, f, out);
	if (f->with_ratio)
		report_para(out, 2, "The losses are for %.6f%s.",
			    (double)f->ratio.num / (double)f->ratio.den,
			    f->q->has_ratio ? "" : ", the middle of that range");
	report_para(out, 2, "The ring holds %s such packets in buffers of %s bytes.",
		    report_count(cqesim_rq_fit(&f->q->layout, o->burst_bytes).in_ring).s,
		    report_count(m.buffers).s);
	rows_text(o, f, out);
}

static void gain_text(const struct rq_options *o, const struct gain *g, struct report_out *out)
{
	report_title(out, "The two ratios");
	fputc('\n', out->f);
	report_para(out, 2,
		    "The second queue's ratio is %.0f to %.0f %% above the first one's: so much "
		    "the drain rates would have to differ if packets arrived at the same rate.",
		    g->low, g->high);
	if (contradicts(o, g))
		report_para(out, 2,
			    "That is %s than the gain in packet rate that is stated, %g to %g %%: "
			    "ring geometry and one ratio per driver reproduce the losses, but not "
			    "with ratios that the stated gain explains. Nothing was tuned.",
			    g->low > o->gain_high ? "more" : "less", o->gain_low, o->gain_high);
	else if (o->gain_high > 0)
		report_para(out, 2, "That agrees with the stated gain of %g to %g %%.", o->gain_low,
			    o->gain_high);
}

/* ---- JSON ---- */

static void put_range(struct report_json *j, json_t *o, const struct cqesim_burst_range *r)
{
	report_put(j, o, "possible", json_boolean(r->possible));
	report_put_real(j, o, "low", r->possible ? steps(r->low) : NAN);
	report_put_real(j, o, "high",
			r->possible && r->high < CQESIM_BURST_STEPS ? steps(r->high) : NAN);
}

static json_t *queue_json(struct report_json *j, const struct rq_options *o, const struct found *f)
{
	struct cqesim_rq_memory m = cqesim_rq_memory(&f->q->layout);
	json_t *object = json_object(), *rows = json_array();

	report_put(j, object, "queue", rq_queue_json(j, f->q));
	report_put_u64(j, object, "buffers", m.buffers);
	report_put_u64(j, object, "in_ring", cqesim_rq_fit(&f->q->layout, o->burst_bytes).in_ring);
	report_put_real(j, object, "ratio",
			f->with_ratio ? (double)f->ratio.num / (double)f->ratio.den : NAN);
	if (f->q->has_fit) {
		json_t *range = json_object();

		put_range(j, range, &f->range);
		report_put(j, object, "fit", range);
	}
	for (unsigned i = 0; i < o->bursts; i++) {
		json_t *row = json_object();

		report_put_u64(j, row, "burst", o->burst[i]);
		if (f->with_ratio) {
			report_put_u64(j, row, "lost", f->result[i].lost);
			report_put_u64(j, row, "taken", f->result[i].taken);
		}
		if (f->q->has_fit) {
			json_t *range = json_object();

			report_put_u64(j, row, "published", f->q->fit[i]);
			put_range(j, range, &f->row_range[i]);
			report_put(j, row, "fit", range);
		}
		report_add(j, rows, row);
	}
	report_put(j, object, "rows", rows);
	return object;
}

static json_t *gain_json(struct report_json *j, const struct rq_options *o, const struct gain *g)
{
	json_t *object = json_object();

	report_put_real(j, object, "low_percent", g->low);
	report_put_real(j, object, "high_percent", g->high);
	if (o->gain_high > 0)
		report_put(j, object, "contradicts_stated_gain", json_boolean(contradicts(o, g)));
	return object;
}

int rq_burst(const struct rq_options *o, struct rq_out *out)
{
	struct found *f = calloc(o->queues, sizeof(*f));
	json_t *array = out->root ? json_array() : NULL;
	struct gain gain;
	int rc = 0;

	if (!f) {
		complain("out of memory");
		rc = EXIT_INPUT;
	}
	for (unsigned i = 0; i < o->queues && !rc; i++)
		rc = find(o, &o->queue[i], &f[i]);
	for (unsigned i = 0; i < o->queues && !rc; i++) {
		if (array)
			report_add(&out->json, array, queue_json(&out->json, o, &f[i]));
		else
			queue_text(o, &f[i], out->text);
	}
	if (!rc && gain_of(f, o->queues, &gain)) {
		if (array)
			report_put(&out->json, out->root, "ratio_gain",
				   gain_json(&out->json, o, &gain));
		else
			gain_text(o, &gain, out->text);
	}
	if (array)
		report_put(&out->json, out->root, "bursts", array);
	free(f);
	return rc;
}
