/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Better values for fitted parameters: one after the other, each by a search over
 * its range, a few times over.  Where a stretch of values is equally good, as
 * with figures that were rounded, the middle of it is taken.  Values are rounded as
 * they are written, and the last sweep changed none: a fit from there is that sweep.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/internal.h"

#define COARSE 12u /* steps over the range, to find the right valley */
#define FINE   18u /* golden sections within it */
#define SWEEPS 24u
#define BISECT 14u
#define ENOUGH 2e-3 /* of the range: less is no change of the middle of a stretch */
/* Percentage points by which the figures must get better on average for a value to change: a
 * replay is not smooth, and somewhere there is always a better value by a hair. */
#define BETTER 0.25

struct search {
	struct cqesim_experiment *x;
	struct cqesim_fitted *p;
	struct runs runs;
	struct cqesim_error *err;
	int rc;
};

/* Sum of the squared deviations of the figures that it is fitted to. */
static double badness(struct search *s, double value)
{
	double sum = 0, before = s->p->value;

	s->p->value = value;
	for (unsigned i = 0; i < s->p->figures && !s->rc; i++) {
		s->rc = run_figure(s->x, s->p->figure[i], &s->runs, s->err);
		sum += pow(s->x->figure[s->p->figure[i]].deviation, 2);
	}
	s->p->value = before;
	runs_free(&s->runs);
	return s->rc ? INFINITY : sum;
}

static double golden(struct search *s, double a, double b)
{
	const double share = (sqrt(5) - 1) / 2;
	double c = b - share * (b - a), d = a + share * (b - a);
	double at_c = badness(s, c), at_d = badness(s, d);

	for (unsigned i = 0; i < FINE && !s->rc; i++) {
		if (at_c <= at_d) {
			b = d;
			d = c;
			at_d = at_c;
			at_c = badness(s, c = b - share * (b - a));
		} else {
			a = c;
			c = d;
			at_c = at_d;
			at_d = badness(s, d = a + share * (b - a));
		}
	}
	return at_c <= at_d ? c : d;
}

/* How far from `good` towards `end` nothing is off? */
static double edge(struct search *s, double good, double end)
{
	if (badness(s, end) == 0)
		return end;
	for (unsigned i = 0; i < BISECT && !s->rc; i++) {
		double middle = (good + end) / 2;

		if (badness(s, middle) == 0)
			good = middle;
		else
			end = middle;
	}
	return good;
}

/* The mean deviation, by squares, that a badness stands for. */
static double off_by(const struct search *s, double bad)
{
	return sqrt(bad / s->p->figures);
}

static double best(struct search *s)
{
	double low = s->p->low, step = (s->p->high - low) / COARSE;
	double found = s->p->value, least = badness(s, found);
	const double before = found, off_before = off_by(s, least);

	if (least > 0 && off_before <= BETTER)
		return before;
	for (unsigned i = 0; i <= COARSE && !s->rc; i++) {
		double value = low + i * step, bad = badness(s, value);

		if (bad < least) {
			least = bad;
			found = value;
		}
	}
	if (least > 0) {
		double fine = golden(s, fmax(low, found - step), fmin(s->p->high, found + step));
		double bad = badness(s, fine);

		if (bad < least) {
			least = bad;
			found = fine;
		}
	}
	if (least == 0) {
		found = (edge(s, found, low) + edge(s, found, s->p->high)) / 2;
		if (off_before == 0 && fabs(found - before) <= ENOUGH * (s->p->high - low))
			found = before;
	} else if (off_before - off_by(s, least) <= BETTER) {
		found = before;
	}
	return found;
}

void round_value(struct cqesim_fitted *p, char text[32])
{
	double v = p->whole ? round(p->value) : p->value;

	snprintf(text, 32, p->whole ? "%.0f" : "%.4g", v);
	v = strtod(text, NULL);
	/* A bound with more digits may lie between. */
	if (v < p->low || v > p->high)
		snprintf(text, 32, "%.10g", p->value);
	p->value = strtod(text, NULL);
}

int cqesim_experiment_fit(struct cqesim_experiment *x, struct cqesim_error *err)
{
	bool moved = true;

	for (unsigned sweep = 0; sweep < SWEEPS && moved; sweep++) {
		moved = false;
		for (unsigned i = 0; i < x->parameters; i++) {
			struct cqesim_fitted *p = &x->parameter[i];
			struct search s = {.x = x, .p = p, .err = err};

			if (!p->figures)
				continue;
			double value = best(&s);
			if (s.rc)
				return s.rc;
			if (value == p->value)
				continue;
			double before = p->value;
			char text[32];

			p->value = value;
			round_value(p, text);
			moved |= p->value != before;
		}
	}
	if (moved)
		return cqesim_fail(err, -ERANGE, "%s: the values do not settle in %u sweeps",
				   x->file, SWEEPS);
	return cqesim_experiment_run(x, err);
}
