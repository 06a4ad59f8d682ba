/* SPDX-License-Identifier: BSD-3-Clause */
/* An experiment from its YAML file: what must stand there, and nothing else. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml_events.h"
#include "describe/node.h"
#include "validate/internal.h"

struct loader {
	const char *file;
	struct cqesim_experiment *x;
	struct cqesim_error *err;
};

static int bad(const struct loader *l, const node *n, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int bad(const struct loader *l, const node *n, const char *fmt, ...)
{
	char text[300];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return cqesim_fail(l->err, -EINVAL, "%s:%u: %s", l->file, n->line, text);
}

/* ---- what may stand where ---- */

static int check_keys(const struct loader *l, const node *map, const char *what,
		      const char *const *allowed)
{
	if (map->kind != NODE_MAP)
		return bad(l, map, "%s: expected keys and values, not %s", what,
			   node_kind_name(map));
	for (const node *n = map->first; n; n = n->next) {
		bool known = false;

		for (const char *const *a = allowed; *a && !known; a++)
			known = !strcmp(*a, n->key);
		if (!known)
			return bad(l, n, "%s: key '%.60s' does not belong here", what, n->key);
	}
	return 0;
}

/* A copy of the text under the key; must: it has to be there, and not empty. */
static int get_text(const struct loader *l, const node *map, const char *key, bool must, char **to)
{
	const node *n = node_get(map, key);

	if (!n)
		return must ? bad(l, map, "key '%s' is missing", key) : 0;
	if (n->kind != NODE_TEXT || !*n->text)
		return bad(l, n, "%s: expected a text", key);
	*to = strdup(n->text);
	return *to ? 0 : cqesim_fail(l->err, -ENOMEM, "%s: out of memory", l->file);
}

static int to_number(const struct loader *l, const node *n, const char *key, double *v)
{
	char *end = NULL;

	if (n->kind == NODE_TEXT && *n->text)
		*v = strtod(n->text, &end);
	if (!end || *end || !isfinite(*v))
		return bad(l, n, "%s: expected a number", key);
	return 0;
}

static int to_pair(const struct loader *l, const node *n, const char *key, double *low,
		   double *high)
{
	int rc = n->kind == NODE_LIST && n->count == 2
			 ? 0
			 : bad(l, n, "%s: expected [lowest, highest]", key);

	if (!rc)
		rc = to_number(l, n->first, key, low);
	if (!rc)
		rc = to_number(l, n->first->next, key, high);
	if (!rc && *low > *high)
		rc = bad(l, n, "%s: %g is above %g", key, *low, *high);
	return rc;
}

static int get_yes(const struct loader *l, const node *map, const char *key, bool *yes)
{
	const node *n = node_get(map, key);

	*yes = n && n->kind == NODE_TEXT && !strcmp(n->text, "yes");
	return n && !*yes ? bad(l, n, "%s: expected yes, or no such key", key) : 0;
}

static int get_settings(const struct loader *l, const node *map, const char *what,
			struct cqesim_settings *s)
{
	if (map->kind != NODE_MAP)
		return bad(l, map, "%s: expected keys and values", what);
	for (const node *n = map->first; n; n = n->next) {
		if (n->kind != NODE_TEXT)
			return bad(l, n, "%s: %s: expected a single value", what, n->key);
		int rc = settings_put(s, n->key, n->text);
		if (rc)
			return bad(l, n, "%s: %s: %s", what, n->key, strerror(-rc));
	}
	return 0;
}

/* ---- figures ---- */

static int published(const struct loader *l, const node *map, struct cqesim_figure *f)
{
	const node *n = node_get(map, "published"), *rounding = node_get(map, "rounding");
	double whole = 0;
	bool at_least;
	int rc = get_yes(l, map, "at_least", &at_least);

	if (rc)
		return rc;
	if (!n)
		return bad(l, map, "key 'published' is missing");
	f->published = NAN;
	if (n->kind == NODE_LIST)
		return rounding || at_least ? bad(l, n,
						  "published: a range, with rounding or "
						  "at_least as well")
					    : to_pair(l, n, "published", &f->low, &f->high);
	rc = to_number(l, n, "published", &f->published);
	if (!rc && rounding)
		rc = to_number(l, rounding, "rounding", &whole);
	if (!rc && whole < 0)
		rc = bad(l, rounding, "rounding: expected a positive number");
	f->low = f->published - whole / 2;
	f->high = at_least ? INFINITY : f->published + whole / 2;
	return rc;
}

static int figure(const struct loader *l, const node *map, struct cqesim_figure *f)
{
	static const char *const keys[] = {"name",     "unit",      "measure", "published",
					   "rounding", "at_least",  "approx",  "role",
					   "when",     "deviation", "remark",  NULL};
	const node *role, *n;
	int rc = check_keys(l, map, "figures", keys);

	if (rc || (rc = get_text(l, map, "name", true, &f->name)) ||
	    (rc = get_text(l, map, "unit", true, &f->unit)) ||
	    (rc = get_text(l, map, "measure", true, &f->measure)) ||
	    (rc = get_text(l, map, "remark", false, &f->remark)) ||
	    (rc = get_yes(l, map, "approx", &f->approximate)) || (rc = published(l, map, f)))
		return rc;
	if (strcmp(f->measure, "none") && !find_measure(f->measure))
		return bad(l, node_get(map, "measure"), "measure: there is none called %.60s",
			   f->measure);
	role = node_get(map, "role");
	bool modelled = strcmp(f->measure, "none") != 0, known = false;
	for (unsigned r = CQESIM_FIT; role && role->kind == NODE_TEXT && r <= CQESIM_ROLE_NONE; r++)
		if (!strcmp(role->text, cqesim_role_name((enum cqesim_role)r))) {
			f->role = (enum cqesim_role)r;
			known = true;
		}
	if (!known || modelled != (f->role != CQESIM_ROLE_NONE))
		return bad(l, role ? role : map,
			   "role: expected fit or predict, or none with measure none");
	if ((n = node_get(map, "when")) && (rc = get_settings(l, n, "when", &f->when)))
		return rc;
	n = node_get(map, "deviation");
	f->has_recorded = n != NULL;
	return n ? to_number(l, n, "deviation", &f->recorded) : 0;
}

static int figures(struct loader *l, const node *list)
{
	struct cqesim_experiment *x = l->x;

	if (!list || list->kind != NODE_LIST || !list->count)
		return cqesim_fail(l->err, -EINVAL, "%s: figures: expected a list", l->file);
	x->figure = calloc(list->count, sizeof(*x->figure));
	if (!x->figure)
		return cqesim_fail(l->err, -ENOMEM, "%s: out of memory", l->file);
	for (const node *n = list->first; n; n = n->next) {
		int rc = figure(l, n, &x->figure[x->figures++]);

		if (rc)
			return rc;
		for (unsigned i = 0; i + 1 < x->figures; i++)
			if (!strcmp(x->figure[i].name, x->figure[x->figures - 1].name))
				return bad(l, n, "name: two figures are called \"%.60s\"",
					   x->figure[i].name);
	}
	return 0;
}

/* ---- parameters ---- */

static int fitted_to(const struct loader *l, const node *list, struct cqesim_fitted *p)
{
	const struct cqesim_experiment *x = l->x;

	if (list->kind != NODE_LIST || !list->count)
		return bad(l, list, "fitted_to: expected a list of figures' names");
	p->figure = calloc(list->count, sizeof(*p->figure));
	if (!p->figure)
		return cqesim_fail(l->err, -ENOMEM, "%s: out of memory", l->file);
	for (const node *n = list->first; n; n = n->next) {
		unsigned i = 0;

		while (i < x->figures &&
		       (n->kind != NODE_TEXT || strcmp(n->text, x->figure[i].name)))
			i++;
		if (i == x->figures)
			return bad(l, n, "fitted_to: no such figure");
		if (x->figure[i].role != CQESIM_FIT)
			return bad(l, n, "fitted_to: \"%.60s\" is to be predicted",
				   x->figure[i].name);
		p->figure[p->figures++] = i;
	}
	return 0;
}

static int grade(const struct loader *l, const node *map, struct cqesim_fitted *p)
{
	const node *n = node_get(map, "grade");

	for (unsigned g = 0; n && n->kind == NODE_TEXT && g < CQESIM_GRADE_USER; g++)
		if (!strcmp(n->text, cqesim_grade_name((enum cqesim_grade)g))) {
			p->grade = (enum cqesim_grade)g;
			return 0;
		}
	return bad(l, n ? n : map,
		   "grade: expected documented, driver, measured, fitted or assumed");
}

static int parameter(const struct loader *l, const node *map, struct cqesim_fitted *p)
{
	static const char *const keys[] = {"key",  "value",     "unit",   "grade", "range",
					   "note", "fitted_to", "shared", "whole", NULL};
	const node *n;
	int rc = check_keys(l, map, "parameters", keys);

	if (rc || (rc = get_text(l, map, "key", true, &p->key)) ||
	    (rc = get_text(l, map, "unit", true, &p->unit)) ||
	    (rc = get_text(l, map, "note", true, &p->note)) ||
	    (rc = get_text(l, map, "shared", false, &p->shared)) ||
	    (rc = get_yes(l, map, "whole", &p->whole)) || (rc = grade(l, map, p)))
		return rc;
	if (!(n = node_get(map, "value")))
		return bad(l, map, "key 'value' is missing");
	if ((rc = to_number(l, n, "value", &p->value)))
		return rc;
	if (!(n = node_get(map, "range")))
		return bad(l, map, "key 'range' is missing");
	if ((rc = to_pair(l, n, "range", &p->low, &p->high)))
		return rc;
	if (p->value < p->low || p->value > p->high)
		return bad(l, n, "range: does not hold the value %g", p->value);
	if (p->whole && p->value != round(p->value))
		return bad(l, n, "value: %g is not whole", p->value);
	n = node_get(map, "fitted_to");
	if (n && p->grade != CQESIM_GRADE_FITTED)
		return bad(l, n, "fitted_to: the grade is %s", cqesim_grade_name(p->grade));
	if (!n && p->grade == CQESIM_GRADE_FITTED && !p->shared)
		return bad(l, map, "a fitted parameter: fitted_to is missing");
	return n ? fitted_to(l, n, p) : 0;
}

static int parameters(struct loader *l, const node *list)
{
	struct cqesim_experiment *x = l->x;

	if (!list)
		return 0;
	if (list->kind != NODE_LIST)
		return bad(l, list, "parameters: expected a list");
	x->parameter = calloc(list->count + 1, sizeof(*x->parameter));
	if (!x->parameter)
		return cqesim_fail(l->err, -ENOMEM, "%s: out of memory", l->file);
	for (const node *n = list->first; n; n = n->next) {
		int rc = parameter(l, n, &x->parameter[x->parameters++]);

		if (rc)
			return rc;
	}
	return 0;
}

/* What is called fit must be what something is fitted to. */
static int check_fits(const struct loader *l)
{
	const struct cqesim_experiment *x = l->x;

	for (unsigned i = 0; i < x->figures; i++) {
		bool found = x->figure[i].role != CQESIM_FIT;

		for (unsigned k = 0; k < x->parameters; k++)
			for (unsigned n = 0; n < x->parameter[k].figures; n++)
				found |= x->parameter[k].figure[n] == i;
		if (!found)
			return cqesim_fail(l->err, -EINVAL,
					   "%s: figure \"%.60s\": role fit, but no parameter is "
					   "fitted to it",
					   l->file, x->figure[i].name);
	}
	return 0;
}

/* ---- the file ---- */

static int caveats(struct loader *l, const node *list)
{
	struct cqesim_experiment *x = l->x;

	if (!list)
		return 0;
	if (list->kind != NODE_LIST)
		return bad(l, list, "caveats: expected a list of texts");
	x->caveat = calloc(list->count + 1, sizeof(*x->caveat));
	for (const node *n = list->first; n && x->caveat; n = n->next) {
		if (n->kind != NODE_TEXT)
			return bad(l, n, "caveats: expected a text");
		if (!(x->caveat[x->caveats] = strdup(n->text)))
			break;
		x->caveats++;
	}
	if (x->caveats == list->count)
		return 0;
	return cqesim_fail(l->err, -ENOMEM, "%s: out of memory", l->file);
}

static int document(struct loader *l, const node *root, const char *name)
{
	static const char *const keys[] = {"kind",  "name",    "title",      "source", "caveats",
					   "setup", "figures", "parameters", NULL};
	struct cqesim_experiment *x = l->x;
	const node *n, *kind;
	int rc = check_keys(l, root, "an experiment", keys);

	if (rc)
		return rc;
	kind = node_get(root, "kind");
	if (!kind || kind->kind != NODE_TEXT || strcmp(kind->text, "experiment"))
		return bad(l, kind ? kind : root, "kind: expected experiment");
	if ((rc = get_text(l, root, "name", true, &x->name)) ||
	    (rc = get_text(l, root, "title", true, &x->title)) ||
	    (rc = get_text(l, root, "source", true, &x->source)))
		return rc;
	if (strcmp(x->name, name))
		return bad(l, node_get(root, "name"), "name: expected the file's, %s", name);
	if ((n = node_get(root, "setup")) && (rc = get_settings(l, n, "setup", &x->setup)))
		return rc;
	if ((rc = caveats(l, node_get(root, "caveats"))) ||
	    (rc = figures(l, node_get(root, "figures"))))
		return rc;
	rc = parameters(l, node_get(root, "parameters"));
	return rc ? rc : check_fits(l);
}

static bool is_path(const char *name)
{
	size_t n = strlen(name);

	return strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".yaml"));
}

/* The file's name without folder and ".yaml". */
static void stem(const char *path, char *to, size_t size)
{
	const char *slash = strrchr(path, '/');
	size_t n;

	snprintf(to, size, "%s", slash ? slash + 1 : path);
	n = strlen(to);
	if (n > 5 && !strcmp(to + n - 5, ".yaml"))
		to[n - 5] = '\0';
}

static int not_there(const char *name, struct cqesim_error *err)
{
	char **names = cqesim_experiment_names(err), known[300] = "";

	for (char **n = names; n && *n; n++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s",
			 n == names ? "" : ", ", *n);
	bool have = names != NULL;
	cqesim_profile_names_free(names);
	return have ? cqesim_fail(err, -ENOENT, "no experiment %.60s; there are %s", name, known)
		    : -ENOENT;
}

static int load_alone(struct cqesim_experiment **out, const char *name, struct cqesim_error *err)
{
	char path[PATH_MAX], short_name[PATH_MAX];
	struct loader l = {.file = path, .err = err};
	unsigned char *data = NULL;
	size_t size;
	node *root = NULL;

	*out = NULL;
	int n = is_path(name) ? snprintf(path, sizeof(path), "%s", name)
			      : snprintf(path, sizeof(path), "%s/experiments/%s.yaml",
					 cqesim_profile_folder(), name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return cqesim_fail(err, -ENAMETOOLONG, "experiment: the name is too long");
	int rc = yaml_read_file(path, "experiment", false, &data, &size, err);
	if (rc == -ENOENT && !is_path(name))
		return not_there(name, err);
	if (rc)
		return rc;
	stem(path, short_name, sizeof(short_name));
	rc = node_parse(path, data, size, &root, err);
	l.x = calloc(1, sizeof(*l.x));
	if (!rc && (!l.x || !(l.x->file = strdup(path))))
		rc = cqesim_fail(err, -ENOMEM, "%s: out of memory", path);
	if (!rc && !root)
		rc = cqesim_fail(err, -EINVAL, "%s: is empty", path);
	if (!rc)
		rc = document(&l, root, short_name);
	node_free(root);
	free(data);
	if (rc)
		cqesim_experiment_free(l.x);
	else
		*out = l.x;
	return rc;
}

/* The experiment that a parameter is shared with: beside this one, or in models/experiments. */
static int load_partner(const struct cqesim_experiment *x, const char *name,
			struct cqesim_experiment **partner, struct cqesim_error *err)
{
	char path[PATH_MAX];
	const char *slash = strrchr(x->file, '/');
	int folder = slash ? (int)(slash - x->file + 1) : 0;
	int n = snprintf(path, sizeof(path), "%s%.*s%s.yaml", folder ? "" : "./", folder, x->file,
			 name);
	int rc = n < 0 || (size_t)n >= sizeof(path) ? -ENOENT : load_alone(partner, path, err);

	return rc == -ENOENT ? load_alone(partner, name, err) : rc;
}

static int check_shared(const struct cqesim_experiment *x, const struct cqesim_fitted *p,
			struct cqesim_error *err)
{
	struct cqesim_experiment *partner = NULL;
	struct cqesim_error why = {""};
	const struct cqesim_fitted *other = NULL;
	int rc = load_partner(x, p->shared, &partner, &why);

	if (rc)
		return cqesim_fail(err, rc == -ENOMEM ? rc : -EINVAL, "%s: %s: shared: %.300s",
				   x->file, p->key, why.text);
	for (unsigned i = 0; i < partner->parameters && !other; i++)
		if (!strcmp(partner->parameter[i].key, p->key))
			other = &partner->parameter[i];
	if (!other)
		rc = cqesim_fail(err, -EINVAL, "%s: %s: shared: %s has no such parameter", x->file,
				 p->key, p->shared);
	else if (other->value != p->value)
		rc = cqesim_fail(err, -EINVAL,
				 "%s: %s: %.10g, but %s, which it is shared with, has %.10g",
				 x->file, p->key, p->value, p->shared, other->value);
	cqesim_experiment_free(partner);
	return rc;
}

int cqesim_experiment_load(struct cqesim_experiment **out, const char *name,
			   struct cqesim_error *err)
{
	int rc = load_alone(out, name, err);

	for (unsigned i = 0; !rc && i < (*out)->parameters; i++)
		if ((*out)->parameter[i].shared)
			rc = check_shared(*out, &(*out)->parameter[i], err);
	if (rc) {
		cqesim_experiment_free(*out);
		*out = NULL;
	}
	return rc;
}

void cqesim_experiment_free(struct cqesim_experiment *x)
{
	if (!x)
		return;
	for (unsigned i = 0; i < x->figures; i++) {
		struct cqesim_figure *f = &x->figure[i];

		settings_free(&f->when);
		free(f->name);
		free(f->unit);
		free(f->measure);
		free(f->remark);
	}
	for (unsigned i = 0; i < x->parameters; i++) {
		struct cqesim_fitted *p = &x->parameter[i];

		free(p->key);
		free(p->unit);
		free(p->figure);
		free(p->note);
		free(p->shared);
	}
	for (unsigned i = 0; i < x->caveats; i++)
		free(x->caveat[i]);
	settings_free(&x->setup);
	free(x->caveat);
	free(x->figure);
	free(x->parameter);
	free(x->name);
	free(x->title);
	free(x->source);
	free(x->file);
	free(x);
}
