/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * profile.c - profiles as the rest of the library sees them: found by name,
 * loaded, checked as a whole, and changed from the command line.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/internal.h"

#define SUFFIX ".yaml"

/* What is being loaded, for the checks of one parameter and their errors. */
struct loading {
	struct cqesim_profile *profile;
	const struct raw_profile *raw;
	const struct yaml_index *index;
	struct cqesim_error *err;
};

void cqesim_profile_free(struct cqesim_profile *profile)
{
	if (!profile)
		return;
	for (unsigned i = 0; i < profile->count; i++) {
		free(profile->param[i].text);
		free(profile->param[i].source);
		free(profile->param[i].note);
	}
	free(profile->name);
	free(profile->title);
	free(profile->notes);
	free(profile->file);
	free(profile);
}

/* A copy on one line: titles, sources and notes are printed in tables. */
static char *one_line(const char *text)
{
	char *copy = strdup(text);
	if (!copy)
		return NULL;
	char *out = copy;
	for (const char *c = copy; *c; c++) {
		bool space = (unsigned char)*c <= ' ' || *c == 0x7f;
		if (!space)
			*out++ = *c;
		else if (out != copy && out[-1] != ' ')
			*out++ = ' ';
	}
	while (out != copy && out[-1] == ' ')
		out--;
	*out = '\0';
	return copy;
}

/* Every complaint about a parameter of a file reads "FILE:LINE: KEY: WHAT". */
static int param_fail(const struct loading *l, unsigned id, const char *sub, const char *why)
{
	const char *key = l->profile->param[id].key;
	return cqesim_fail(l->err, -EINVAL, "%s:%u: %s: %s", l->profile->file,
			   cqesim_yaml_line(l->index, key, sub), key, why);
}

static int load_unit(const struct loading *l, unsigned id)
{
	const struct raw_param *raw = &l->raw->param[id];
	const struct cqesim_param *p = &l->profile->param[id];
	char why[WHY_SIZE];
	if (p->type == 'S') {
		if (raw->unit)
			return param_fail(l, id, "unit", "a text has no unit");
		return 0;
	}
	if (raw->unit && !strcmp(raw->unit, p->unit))
		return 0;
	if (raw->unit)
		snprintf(why, sizeof(why), "unit must be %s, not '%.40s'", p->unit, raw->unit);
	else
		snprintf(why, sizeof(why), "unit is missing: must be %s", p->unit);
	return param_fail(l, id, "unit", why);
}

static int load_bound(const struct loading *l, unsigned id, unsigned i, double *number)
{
	char why[WHY_SIZE], longer[WHY_SIZE + 16], *text;
	int ret = cqesim_param_parse(l->profile->kind, id, l->raw->param[id].range[i], &text,
				     number, why);
	if (ret) {
		snprintf(longer, sizeof(longer), "range: %s %s", i ? "high" : "low", why);
		return param_fail(l, id, "range", longer);
	}
	free(text);
	return 0;
}

static int load_range(const struct loading *l, unsigned id)
{
	const struct raw_param *raw = &l->raw->param[id];
	struct cqesim_param *p = &l->profile->param[id];
	char why[WHY_SIZE];
	if (!raw->range_count) {
		bool uncertain =
			p->grade == CQESIM_GRADE_FITTED || p->grade == CQESIM_GRADE_ASSUMED;
		if (p->type == 'S' || !uncertain)
			return 0;
		snprintf(why, sizeof(why), "range is missing: grade %s needs one",
			 cqesim_grade_name(p->grade));
		return param_fail(l, id, NULL, why);
	}
	if (p->type == 'S')
		return param_fail(l, id, "range", "a text has no range");
	int ret = load_bound(l, id, 0, &p->low);
	if (!ret)
		ret = load_bound(l, id, 1, &p->high);
	if (ret)
		return ret;
	if (p->low > p->high) {
		snprintf(why, sizeof(why), "range: low %.10g is above high %.10g", p->low, p->high);
		return param_fail(l, id, "range", why);
	}
	if (p->number < p->low || p->number > p->high) {
		snprintf(why, sizeof(why), "value %.40s is outside its range, %.10g to %.10g",
			 p->text, p->low, p->high);
		return param_fail(l, id, "value", why);
	}
	p->has_range = true;
	return 0;
}

static int load_param(const struct loading *l, unsigned id)
{
	const struct raw_param *raw = &l->raw->param[id];
	struct cqesim_param *p = &l->profile->param[id];
	char why[WHY_SIZE];
	int ret = load_unit(l, id);
	if (ret)
		return ret;
	if (cqesim_param_parse(l->profile->kind, id, raw->value, &p->text, &p->number, why))
		return param_fail(l, id, "value", why);
	p->grade = (enum cqesim_grade)raw->grade;
	p->source = one_line(raw->source);
	if (raw->note)
		p->note = one_line(raw->note);
	if (!p->source || (raw->note && !p->note))
		return cqesim_fail(l->err, -ENOMEM, "%s: out of memory", l->profile->file);
	if (!*p->source)
		return param_fail(l, id, "source", "source is empty: say where the value is from");
	return load_range(l, id);
}

/* Keys, units and meanings from the tables; the rest is still empty. */
static void describe_params(struct cqesim_profile *p)
{
	const struct kind_def *def = &cqesim_kinds[p->kind];
	p->count = def->count;
	for (unsigned i = 0; i < def->count; i++) {
		p->param[i].key = def->params[i].key;
		p->param[i].meaning = def->params[i].meaning;
		p->param[i].unit = def->params[i].unit;
		p->param[i].type = def->params[i].type;
	}
}

/* The file's name without folder and ".yaml". */
static char *stem(const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	size_t n = strlen(base), s = strlen(SUFFIX);
	return strndup(base, n > s && !strcmp(base + n - s, SUFFIX) ? n - s : n);
}

static int load_head(const struct loading *l)
{
	struct cqesim_profile *p = l->profile;
	const struct raw_profile *raw = l->raw;
	char *expected = stem(p->file);
	p->name = strdup(raw->name);
	p->title = one_line(raw->title);
	p->notes = raw->notes ? one_line(raw->notes) : NULL;
	int ret = 0;
	if (!expected || !p->name || !p->title || (raw->notes && !p->notes))
		ret = cqesim_fail(l->err, -ENOMEM, "%s: out of memory", p->file);
	else if (strcmp(p->name, expected))
		ret = cqesim_fail(l->err, -EINVAL,
				  "%s:%u: name: must be '%.60s', as the file's "
				  "name, not '%.60s'",
				  p->file, cqesim_yaml_line(l->index, "name", NULL), expected,
				  p->name);
	else if (!*p->title)
		ret = cqesim_fail(l->err, -EINVAL, "%s:%u: title: must not be empty", p->file,
				  cqesim_yaml_line(l->index, "title", NULL));
	free(expected);
	return ret;
}

static int load_file(struct cqesim_profile **profile, enum cqesim_profile_kind kind,
		     const char *file, struct cqesim_error *err)
{
	struct raw_profile *raw;
	struct yaml_index index;
	int ret = cqesim_yaml_load(file, kind, &raw, &index, err);
	if (ret)
		return ret;
	struct cqesim_profile *p = calloc(1, sizeof(*p));
	if (!p || !(p->file = strdup(file))) {
		ret = cqesim_fail(err, -ENOMEM, "%s: out of memory", file);
	} else {
		struct loading l = {.profile = p, .raw = raw, .index = &index, .err = err};
		char why[WHY_SIZE];
		unsigned id;
		p->kind = kind;
		describe_params(p);
		ret = load_head(&l);
		for (unsigned i = 0; !ret && i < p->count; i++)
			ret = load_param(&l, i);
		if (!ret && cqesim_param_cross_check(p, &id, why))
			ret = param_fail(&l, id, "value", why);
	}
	cqesim_yaml_free(raw, kind);
	cqesim_yaml_index_free(&index);
	if (ret)
		cqesim_profile_free(p);
	else
		*profile = p;
	return ret;
}

/* Apply the ",key=value" part of a link's name. */
static int apply_overrides(struct cqesim_profile *p, const char *rest, struct cqesim_error *err)
{
	while (*rest == ',') {
		size_t n = strcspn(++rest, ",");
		const char *equals = memchr(rest, '=', n);
		if (!equals || equals == rest)
			return cqesim_fail(err, -EINVAL,
					   "link %.60s: expected key=value after the comma, not "
					   "'%.*s'",
					   p->name, n > 60 ? 60 : (int)n, rest);
		char *key = strndup(rest, (size_t)(equals - rest));
		char *value = strndup(equals + 1, n - (size_t)(equals + 1 - rest));
		int ret = key && value ? cqesim_profile_set(p, key, value, err)
				       : cqesim_fail(err, -ENOMEM, "out of memory");
		free(key);
		free(value);
		if (ret)
			return ret;
		rest += n;
	}
	return 0;
}

static int load_link(struct cqesim_profile **profile, const char *name, struct cqesim_error *err)
{
	unsigned generation, lanes;
	const char *rest;
	char file[PATH_MAX];
	if (cqesim_link_name_parse(name, &generation, &lanes, &rest))
		return cqesim_fail(err, -EINVAL, "no PCIe link '%.60s': " LINK_EXPECTED, name);
	if ((size_t)snprintf(file, sizeof(file), "%s/links/pcie" SUFFIX, cqesim_profile_folder()) >=
	    sizeof(file))
		return cqesim_fail(err, -ENAMETOOLONG, "the name of the models folder is too long");
	struct cqesim_profile *p;
	int ret = load_file(&p, CQESIM_PROFILE_LINK, file, err);
	if (ret)
		return ret;
	p->generation = generation;
	p->lanes = lanes;
	char *given = strdup(name);
	if (!given) {
		cqesim_profile_free(p);
		return cqesim_fail(err, -ENOMEM, "out of memory");
	}
	free(p->name);
	p->name = given;
	ret = apply_overrides(p, rest, err);
	if (ret)
		cqesim_profile_free(p);
	else
		*profile = p;
	return ret;
}

/* -ENOENT, and the names there are, as many as fit. */
static int not_found(enum cqesim_profile_kind kind, const char *name, struct cqesim_error *err)
{
	char **names = cqesim_profile_names(kind, err);
	if (!names)
		return -ENOENT;
	char list[300] = "";
	size_t used = 0;
	for (char **n = names; *n; n++) {
		if (used + strlen(*n) + 8 > sizeof(list)) {
			snprintf(list + used, sizeof(list) - used, ", ...");
			break;
		}
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 n == names ? "" : ", ", *n);
	}
	cqesim_fail(err, -ENOENT, "no %s profile '%.60s'; there are: %s", cqesim_kinds[kind].name,
		    name, *names ? list : "none");
	cqesim_profile_names_free(names);
	return -ENOENT;
}

static bool is_path(const char *name)
{
	size_t n = strlen(name), s = strlen(SUFFIX);
	return strchr(name, '/') || (n > s && !strcmp(name + n - s, SUFFIX));
}

int cqesim_profile_load(struct cqesim_profile **profile, enum cqesim_profile_kind kind,
			const char *name, struct cqesim_error *err)
{
	char file[PATH_MAX];
	*profile = NULL;
	if ((unsigned)kind >= CQESIM_PROFILE_KINDS)
		return cqesim_fail(err, -EINVAL, "no kind of profile has the number %d", (int)kind);
	if (kind == CQESIM_PROFILE_LINK)
		return load_link(profile, name, err);
	if (is_path(name))
		return load_file(profile, kind, name, err);
	if (!*name || *name == '.')
		return not_found(kind, name, err);
	if ((size_t)snprintf(file, sizeof(file), "%s/%s/%s" SUFFIX, cqesim_profile_folder(),
			     cqesim_kinds[kind].folder, name) >= sizeof(file))
		return cqesim_fail(err, -ENAMETOOLONG, "the name of the %s profile is too long",
				   cqesim_kinds[kind].name);
	if (access(file, F_OK))
		return not_found(kind, name, err);
	return load_file(profile, kind, file, err);
}

static int no_such_key(const struct cqesim_profile *p, const char *key, struct cqesim_error *err)
{
	char list[360] = "";
	size_t used = 0;
	for (unsigned i = 0; i < p->count && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
					 p->param[i].key);
	return cqesim_fail(err, -ENOENT, "%s %.40s has no parameter '%.40s', but %s",
			   cqesim_kinds[p->kind].name, p->name, key, list);
}

int cqesim_profile_set(struct cqesim_profile *profile, const char *key, const char *value,
		       struct cqesim_error *err)
{
	int found = cqesim_param_find(profile->kind, key);
	if (found < 0)
		return no_such_key(profile, key, err);
	struct cqesim_param *p = &profile->param[found];
	struct cqesim_param changed = *p;
	char why[WHY_SIZE];
	int ret = cqesim_param_parse(profile->kind, (unsigned)found, value, &changed.text,
				     &changed.number, why);
	if (ret)
		return cqesim_fail(err, ret, "%s %.60s: %s: %s", cqesim_kinds[profile->kind].name,
				   profile->name, key, why);
	changed.grade = CQESIM_GRADE_USER;
	changed.has_range = false;
	changed.low = changed.high = 0;
	changed.note = NULL;
	changed.source = strdup("given by the user");
	if (!changed.source) {
		free(changed.text);
		return cqesim_fail(err, -ENOMEM, "out of memory");
	}
	struct cqesim_param before = *p;
	unsigned id;
	*p = changed;
	ret = cqesim_param_cross_check(profile, &id, why);
	if (ret) {
		cqesim_fail(err, ret, "%s %.60s: %s: %s", cqesim_kinds[profile->kind].name,
			    profile->name, profile->param[id].key, why);
		*p = before;
		before = changed;
	}
	free(before.text);
	free(before.source);
	free(before.note);
	return ret;
}

int cqesim_profile_set_each(struct cqesim_profile *const *profiles, unsigned count, const char *key,
			    const char *value, struct cqesim_error *err)
{
	bool known = false;

	for (unsigned i = 0; i < count; i++) {
		int rc = profiles[i] ? cqesim_profile_set(profiles[i], key, value, err) : -ENOENT;

		if (rc && rc != -ENOENT)
			return rc;
		known |= !rc;
	}
	return known ? 0 : cqesim_fail(err, -ENOENT, "%.100s: no such parameter", key);
}

int cqesim_profile_set_text(struct cqesim_profile *const *profiles, unsigned count,
			    const char *text, struct cqesim_error *err)
{
	const char *equals = strchr(text, '=');

	if (!equals)
		return cqesim_fail(err, -EINVAL, "%.100s: expected KEY=VALUE", text);
	char *key = strndup(text, (size_t)(equals - text));
	if (!key)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	int rc = cqesim_profile_set_each(profiles, count, key, equals + 1, err);
	free(key);
	return rc;
}

bool cqesim_profile_flag(const struct cqesim_profile *p, unsigned id)
{
	return !strcmp(p->param[id].text, "on") || !strcmp(p->param[id].text, "yes");
}
