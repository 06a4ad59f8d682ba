/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures: settings, the model's value, how far it is off; and the sum of all. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/internal.h"

const char *cqesim_role_name(enum cqesim_role role)
{
	static const char *const names[] = {"fit", "predict", "none"};

	return names[role];
}

static int add_all(struct cqesim_settings *to, const struct cqesim_settings *from)
{
	int rc = 0;

	for (unsigned i = 0; i < from->count && !rc; i++)
		rc = settings_put(to, from->setting[i].key, from->setting[i].value);
	return rc;
}

static int figure_settings(const struct cqesim_experiment *x, const struct cqesim_figure *f,
			   struct cqesim_settings *s)
{
	int rc = add_all(s, &x->setup);

	for (unsigned i = 0; i < x->parameters && !rc; i++) {
		char text[40];

		snprintf(text, sizeof(text), "%.10g", x->parameter[i].value);
		rc = settings_put(s, x->parameter[i].key, text);
	}
	return rc ? rc : add_all(s, &f->when);
}

/* Percent of what is published, or of the nearer end of its range; nothing published: of one. */
static double deviation(const struct cqesim_figure *f)
{
	double base = !isnan(f->published) ? f->published : f->model < f->low ? f->low : f->high;

	if (f->model >= f->low && f->model <= f->high)
		return 0;
	return 100 * (f->model - base) / (fabs(base) > 0 ? fabs(base) : 1);
}

/* What the figure's model asked for; a setting that no figure asks for is a mistake. */
static void mark_used(struct cqesim_experiment *x, const struct evaluation *e)
{
	for (unsigned i = 0; i < e->settings.count; i++) {
		const char *key = e->settings.setting[i].key;

		if (!e->used[i])
			continue;
		for (unsigned k = 0; k < x->setup.count; k++)
			x->setup.setting[k].used |= !strcmp(key, x->setup.setting[k].key);
		for (unsigned k = 0; k < x->parameters; k++)
			x->parameter[k].used |= !strcmp(key, x->parameter[k].key);
	}
}

static int check_used(const struct cqesim_experiment *x, struct cqesim_error *err)
{
	for (unsigned k = 0; k < x->setup.count; k++)
		if (!x->setup.setting[k].used)
			return cqesim_fail(err, -EINVAL, "%s: setup: no figure's model asks for %s",
					   x->file, x->setup.setting[k].key);
	for (unsigned k = 0; k < x->parameters; k++)
		if (!x->parameter[k].used)
			return cqesim_fail(err, -EINVAL,
					   "%s: parameters: no figure's model asks for %s", x->file,
					   x->parameter[k].key);
	return 0;
}

int run_figure(struct cqesim_experiment *x, unsigned number, struct runs *runs,
	       struct cqesim_error *err)
{
	struct cqesim_figure *f = &x->figure[number];
	struct evaluation e = {.file = x->file, .figure = f->name, .runs = runs, .err = err};
	measure_fn measure = find_measure(f->measure);
	int rc;

	f->modelled = measure != NULL;
	f->worse = false;
	if (!measure) {
		f->model = f->deviation = NAN;
		return 0;
	}
	rc = figure_settings(x, f, &e.settings);
	if (rc)
		cqesim_fail(err, rc, "%s: figure \"%s\": %s", x->file, f->name, strerror(-rc));
	else
		rc = measure(&e, &f->model);
	mark_used(x, &e);
	settings_free(&e.settings);
	if (rc)
		return rc;
	f->deviation = deviation(f);
	f->worse =
		!f->has_recorded || fabs(f->deviation) > fabs(f->recorded) + CQESIM_VALIDATE_SLACK;
	return 0;
}

int cqesim_experiment_run(struct cqesim_experiment *x, struct cqesim_error *err)
{
	struct runs runs = {0};
	int rc = 0;

	for (unsigned i = 0; i < x->figures && !rc; i++)
		rc = run_figure(x, i, &runs, err);
	runs_free(&runs);
	return rc ? rc : check_used(x, err);
}

/* Is it another experiment's, which is among them? */
static bool counted_elsewhere(struct cqesim_experiment *const *x, unsigned count,
			      const struct cqesim_fitted *p)
{
	for (unsigned i = 0; i < count && p->shared; i++)
		if (!strcmp(x[i]->name, p->shared))
			return true;
	return false;
}

void cqesim_validate_sum(struct cqesim_experiment *const *x, unsigned count,
			 struct cqesim_validate_summary *s)
{
	static const double limit[3] = {3, 10, 25};

	*s = (struct cqesim_validate_summary){.experiments = count};
	for (unsigned i = 0; i < count; i++) {
		s->figures += x[i]->figures;
		for (unsigned k = 0; k < x[i]->figures; k++) {
			const struct cqesim_figure *f = &x[i]->figure[k];

			s->not_modelled += !f->modelled;
			s->worse += f->worse;
			s->fit += f->modelled && f->role == CQESIM_FIT;
			if (!f->modelled || f->role != CQESIM_PREDICT)
				continue;
			s->predicted++;
			for (unsigned w = 0; w < 3; w++)
				s->within[w] += fabs(f->deviation) <= limit[w];
		}
		for (unsigned k = 0; k < x[i]->parameters; k++) {
			const struct cqesim_fitted *p = &x[i]->parameter[k];

			s->fitted_parameters +=
				p->grade == CQESIM_GRADE_FITTED && !counted_elsewhere(x, count, p);
		}
	}
}
