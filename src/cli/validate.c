/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim validate: published measurements against the model. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cqesim/validate.h"
#include "report/report_internal.h"

#define COMMAND "validate"
/* A figure whose name is longer pushes its row to the right. */
#define NAME_WIDTH 40

enum { OPT_JSON = 256, OPT_LIST, OPT_FIT, OPT_WRITE };
static const struct option long_options[] = {
	{"json", no_argument, NULL, OPT_JSON}, {"list", no_argument, NULL, OPT_LIST},
	{"fit", no_argument, NULL, OPT_FIT},   {"write", no_argument, NULL, OPT_WRITE},
	{"help", no_argument, NULL, 'h'},      {0},
};

static const char help_text[] =
	"usage: cqesim validate [OPTIONS] [NAME...]\n\n"
	"Runs the model for published experiments (all in models/experiments, or those\n"
	"named, or files) and prints what was published, what the model says, by how much\n"
	"it is off, and whether parameters were fitted to the figure or it is predicted.\n\n"
	"  --list       the experiments, without running them\n"
	"  --fit        look for better values of the fitted parameters, print them; no\n"
	"               file is changed\n"
	"  --write      with --fit: write them, and the new deviations, into the files\n"
	"  --json       one document for programs\n\n"
	"Exit status: 0 good; 1 bad input, or a figure is further off than its file says\n"
	"(by more than half a percentage point); 2 bad usage; 3 internal error.\n";

/* ---- text ---- */

/* Counts with separators, anything else with four digits. */
static struct numtext value_text(double v)
{
	struct numtext t;

	if (!isfinite(v))
		return (struct numtext){"n/a"};
	if (v >= 10000)
		return report_count((uint64_t)(v + 0.5));
	snprintf(t.s, sizeof(t.s), "%.4g", v);
	return t;
}

static struct numtext published_text(const struct cqesim_figure *f)
{
	struct numtext t;

	if (isnan(f->published)) {
		snprintf(t.s, sizeof(t.s), "%.12s to %.12s", value_text(f->low).s,
			 value_text(f->high).s);
		return t;
	}
	snprintf(t.s, sizeof(t.s), "%s%.20s",
		 isinf(f->high)   ? ">= "
		 : f->approximate ? "~"
				  : "",
		 value_text(f->published).s);
	return t;
}

static struct numtext deviation_text(const struct cqesim_figure *f)
{
	struct numtext t = {"n/a"};

	if (!f->modelled)
		return t;
	if (f->deviation == 0)
		return (struct numtext){"within"};
	snprintf(t.s, sizeof(t.s), "%+.1f %%", f->deviation);
	return t;
}

/* Exact, rounded or a range: what "within" means is in the file; text when alone. */
static void figure_text(struct report_out *out, const struct cqesim_figure *f)
{
	fprintf(out->f, "  %-*s %14s %12s %10s  %-7s %s%s\n", NAME_WIDTH, f->name,
		published_text(f).s, f->modelled ? value_text(f->model).s : "n/a",
		deviation_text(f).s, cqesim_role_name(f->role), f->unit,
		f->worse ? (f->has_recorded ? "  WORSE than recorded" : "  not recorded") : "");
	if (f->worse && f->has_recorded)
		fprintf(out->f, "      recorded: %+.1f %%\n", f->recorded);
	if (f->remark)
		report_para(out, 6, "%s", f->remark);
}

static void parameter_text(struct report_out *out, const struct cqesim_experiment *x,
			   const struct cqesim_fitted *p)
{
	fprintf(out->f, "  %s = %.6g %s (%g to %g), %s", p->key, p->value, p->unit, p->low, p->high,
		cqesim_grade_name(p->grade));
	if (p->figures)
		fputs(" to", out->f);
	for (unsigned i = 0; i < p->figures; i++)
		fprintf(out->f, "%s \"%s\"", i ? "," : "", x->figure[p->figure[i]].name);
	if (p->shared)
		fprintf(out->f, "; shared with %s", p->shared);
	fputc('\n', out->f);
	report_para(out, 6, "%s", p->note);
}

static void experiment_text(struct report_out *out, const struct cqesim_experiment *x)
{
	fprintf(out->f, "%s\n", x->name);
	report_para(out, 2, "%s", x->title);
	report_para(out, 2, "Source: %s", x->source);
	fprintf(out->f, "\n  %-*s %14s %12s %10s  %-7s %s\n", NAME_WIDTH, "figure", "published",
		"model", "off by", "role", "unit");
	for (unsigned i = 0; i < x->figures; i++)
		figure_text(out, &x->figure[i]);
	if (x->caveats)
		fputs("\n  To be kept in mind\n", out->f);
	for (unsigned i = 0; i < x->caveats; i++)
		report_para(out, 4, "%s", x->caveat[i]);
	if (x->parameters)
		fputs("\n  Parameters that no wire format and no source fixes\n", out->f);
	for (unsigned i = 0; i < x->parameters; i++)
		parameter_text(out, x, &x->parameter[i]);
	fputc('\n', out->f);
}

static void summary_text(struct report_out *out, const struct cqesim_validate_summary *s)
{
	report_para(
		out, 0,
		"Summary: %u experiment%s, %u figure%s: %u predicted, %u that parameters were "
		"fitted to, %u not modelled; %u fitted parameters. Predictions within 3 %%: %u, "
		"10 %%: %u, 25 %%: %u of %u.",
		s->experiments, report_plural(s->experiments), s->figures,
		report_plural(s->figures), s->predicted, s->fit, s->not_modelled,
		s->fitted_parameters, s->within[0], s->within[1], s->within[2], s->predicted);
	if (s->worse)
		report_para(out, 0, "%u figure%s further off than recorded.", s->worse,
			    s->worse == 1 ? " is" : "s are");
	else
		report_para(out, 0, "No figure is further off than recorded.");
}

/* ---- JSON ---- */

static json_t *figure_json(struct report_json *j, const struct cqesim_figure *f)
{
	json_t *o = json_object();

	report_put_text(j, o, "name", f->name);
	report_put_text(j, o, "unit", f->unit);
	report_put_real(j, o, "published", f->published);
	report_put_real(j, o, "low", f->low);
	report_put_real(j, o, "high", f->high);
	report_put(j, o, "approximate", json_boolean(f->approximate));
	report_put_text(j, o, "role", cqesim_role_name(f->role));
	report_put_real(j, o, "model", f->modelled ? f->model : NAN);
	report_put_real(j, o, "deviation_percent", f->modelled ? f->deviation : NAN);
	report_put_real(j, o, "recorded_percent", f->has_recorded ? f->recorded : NAN);
	report_put(j, o, "worse", json_boolean(f->worse));
	if (f->remark)
		report_put_text(j, o, "remark", f->remark);
	return o;
}

static json_t *parameter_json(struct report_json *j, const struct cqesim_experiment *x,
			      const struct cqesim_fitted *p)
{
	json_t *o = json_object(), *to = json_array();

	report_put_text(j, o, "key", p->key);
	report_put_real(j, o, "value", p->value);
	report_put_text(j, o, "unit", p->unit);
	report_put_text(j, o, "grade", cqesim_grade_name(p->grade));
	report_put_real(j, o, "low", p->low);
	report_put_real(j, o, "high", p->high);
	for (unsigned i = 0; i < p->figures; i++)
		report_add(j, to, report_string(j, x->figure[p->figure[i]].name));
	report_put(j, o, "fitted_to", to);
	if (p->shared)
		report_put_text(j, o, "shared", p->shared);
	report_put_text(j, o, "note", p->note);
	return o;
}

static json_t *experiment_json(struct report_json *j, const struct cqesim_experiment *x)
{
	json_t *o = json_object(), *figures = json_array(), *parameters = json_array();
	json_t *caveats = json_array();

	report_put_text(j, o, "name", x->name);
	report_put_text(j, o, "title", x->title);
	report_put_text(j, o, "source", x->source);
	for (unsigned i = 0; i < x->figures; i++)
		report_add(j, figures, figure_json(j, &x->figure[i]));
	for (unsigned i = 0; i < x->parameters; i++)
		report_add(j, parameters, parameter_json(j, x, &x->parameter[i]));
	for (unsigned i = 0; i < x->caveats; i++)
		report_add(j, caveats, report_string(j, x->caveat[i]));
	report_put(j, o, "figures", figures);
	report_put(j, o, "parameters", parameters);
	report_put(j, o, "caveats", caveats);
	return o;
}

static int json_document(struct cqesim_experiment *const *x, unsigned count,
			 const struct cqesim_validate_summary *s, struct cqesim_error *err)
{
	static const char *const within[] = {"within_3_percent", "within_10_percent",
					     "within_25_percent"};
	struct report_json j = {false};
	json_t *root = json_object(), *list = json_array(), *sum = json_object();

	report_put_text(&j, root, "version", cqesim_version());
	for (unsigned i = 0; i < count; i++)
		report_add(&j, list, experiment_json(&j, x[i]));
	report_put(&j, root, "experiments", list);
	report_put_u64(&j, sum, "experiments", s->experiments);
	report_put_u64(&j, sum, "figures", s->figures);
	report_put_u64(&j, sum, "not_modelled", s->not_modelled);
	report_put_u64(&j, sum, "fit", s->fit);
	report_put_u64(&j, sum, "predicted", s->predicted);
	report_put_u64(&j, sum, "fitted_parameters", s->fitted_parameters);
	for (unsigned i = 0; i < 3; i++)
		report_put_u64(&j, sum, within[i], s->within[i]);
	report_put_u64(&j, sum, "worse", s->worse);
	report_put(&j, root, "summary", sum);
	return report_dump(&j, root, stdout, err);
}

/* ---- the command ---- */

struct todo {
	bool fit, write;
};

/* Others that share a parameter cannot be loaded until they have its new value. */
static void tell_partners(const struct cqesim_experiment *x)
{
	struct cqesim_error err = {""};
	char **names = cqesim_experiment_names(&err);

	for (char **n = names; n && *n; n++) {
		struct cqesim_experiment *other = NULL;

		if (cqesim_experiment_load(&other, *n, &err) && strstr(err.text, x->name))
			complain("warning: %s", err.text);
		cqesim_experiment_free(other);
	}
	cqesim_profile_names_free(names);
}

static void fit_text(struct report_out *out, const struct cqesim_experiment *x,
		     const double *before, bool written)
{
	fprintf(out->f, "%s: what a search over the ranges finds\n", x->name);
	for (unsigned i = 0; i < x->parameters; i++) {
		const struct cqesim_fitted *p = &x->parameter[i];

		if (p->figures)
			fprintf(out->f, "  %-26s %12.6g -> value: %-12.6g # %s, %g to %g\n", p->key,
				before[i], p->value, p->unit, p->low, p->high);
	}
	if (written) {
		fprintf(out->f, "  written to %s\n", x->file);
		tell_partners(x);
	}
	fputc('\n', out->f);
}

/* 0, or an exit code after a message. */
static int compute(struct cqesim_experiment *x, const struct todo *todo, struct report_out *out)
{
	struct cqesim_error err = {""};
	double *before = calloc(x->parameters + 1, sizeof(*before));
	int rc = before ? 0 : cqesim_fail(&err, -ENOMEM, "out of memory");

	for (unsigned i = 0; i < x->parameters && !rc; i++)
		before[i] = x->parameter[i].value;
	if (!rc)
		rc = todo->fit ? cqesim_experiment_fit(x, &err) : cqesim_experiment_run(x, &err);
	if (!rc && todo->write)
		rc = cqesim_experiment_write(x, &err);
	if (!rc && todo->fit && out)
		fit_text(out, x, before, todo->write);
	free(before);
	if (!rc)
		return EXIT_GOOD;
	complain("%s", err.text);
	return rc == -EBADMSG ? EXIT_INTERNAL : EXIT_INPUT;
}

static int list(struct cqesim_experiment *const *x, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		printf("%-36s %3u figures  %s\n", x[i]->name, x[i]->figures, x[i]->title);
	return close_stdout();
}

static int run(struct cqesim_experiment **x, unsigned count, const struct todo *todo, bool json)
{
	struct cqesim_validate_summary sum;
	struct cqesim_error err = {""};
	struct report_out out;
	int code = EXIT_GOOD;

	if (!json)
		report_begin(&out, stdout);
	for (unsigned i = 0; i < count && !code; i++) {
		code = compute(x[i], todo, json ? NULL : &out);
		if (!code && !json)
			experiment_text(&out, x[i]);
	}
	cqesim_validate_sum(x, count, &sum);
	if (!json && !code)
		summary_text(&out, &sum);
	int rc = !json ? report_end(&out, &err) : code ? 0 : json_document(x, count, &sum, &err);
	if (rc) {
		complain("%s", err.text);
		return EXIT_INPUT;
	}
	if (!code)
		code = close_stdout();
	return !code && sum.worse ? EXIT_INPUT : code;
}

/* The same file under two names would be counted twice. */
static int check_once(struct cqesim_experiment *const *x, unsigned count)
{
	char a[PATH_MAX], b[PATH_MAX];

	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < i; k++)
			if (realpath(x[i]->file, a) && realpath(x[k]->file, b) && !strcmp(a, b))
				return usage_error(COMMAND, "%s is named twice", x[i]->name);
	return EXIT_GOOD;
}

static int load_all(char *const *names, unsigned count, struct cqesim_experiment **x)
{
	struct cqesim_error err = {""};

	for (unsigned i = 0; i < count; i++) {
		int rc = cqesim_experiment_load(&x[i], names[i], &err);

		if (rc == -ENOENT && !strchr(names[i], '/') && !strstr(names[i], ".yaml"))
			return usage_error(COMMAND, "%s", err.text);
		if (rc) {
			complain("%s", err.text);
			return EXIT_INPUT;
		}
	}
	return check_once(x, count);
}

int cmd_validate(int argc, char **argv)
{
	bool json = false, only_list = false;
	struct todo todo = {false, false};
	struct cqesim_error err = {""};
	char **all = NULL;
	unsigned count = 0;
	int c, code;

	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		switch (c) {
		case 'h':
			fputs(help_text, stdout);
			return close_stdout();
		case OPT_JSON:
			json = true;
			break;
		case OPT_LIST:
			only_list = true;
			break;
		case OPT_FIT:
			todo.fit = true;
			break;
		case OPT_WRITE:
			todo.write = true;
			break;
		default:
			return bad_option(COMMAND, argv, c);
		}
	}
	if (only_list && (json || todo.fit))
		return usage_error(COMMAND, "--list excludes --json and --fit");
	if (todo.write && !todo.fit)
		return usage_error(COMMAND, "--write goes with --fit");
	if (optind == argc && !(all = cqesim_experiment_names(&err))) {
		complain("%s", err.text);
		return EXIT_INPUT;
	}
	char *const *names = all ? all : argv + optind;
	while (names[count])
		count++;
	struct cqesim_experiment **x = calloc(count + 1, sizeof(struct cqesim_experiment *));
	if (!x) {
		complain("out of memory");
		code = EXIT_INPUT;
	} else {
		code = load_all(names, count, x);
	}
	if (!code)
		code = only_list ? list(x, count) : run(x, count, &todo, json);
	for (unsigned i = 0; x && i < count; i++)
		cqesim_experiment_free(x[i]);
	free(x);
	cqesim_profile_names_free(all);
	return code;
}
