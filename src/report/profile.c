/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * profile.c - one profile with its sources, as text and as JSON, and the JSON
 * of a parameter that the replay's report uses too.
 */
#include <stdio.h>
#include <string.h>

#include "report/report_internal.h"

int cqesim_report_profile_text(const struct cqesim_profile *profile, FILE *out,
			       struct cqesim_error *err)
{
	struct report_out o;

	report_begin(&o, out);
	report_para(&o, 0, "%s %s: %s", cqesim_profile_kind_name(profile->kind), profile->name,
		    profile->title);
	if (profile->kind == CQESIM_PROFILE_LINK)
		report_para(&o, 2, "PCIe Gen%u, %u lane%s", profile->generation, profile->lanes,
			    profile->lanes == 1 ? "" : "s");
	report_para(&o, 2, "file: %s", profile->file ? profile->file : "none");
	if (profile->notes)
		report_para(&o, 2, "%s", profile->notes);
	for (unsigned i = 0; i < profile->count; i++) {
		const struct cqesim_param *p = &profile->param[i];
		const char *unit = report_param_unit(p);
		char range[96] = "";

		if (p->has_range)
			snprintf(range, sizeof(range), ", range %.10g to %.10g%s%s", p->low,
				 p->high, unit ? " " : "", unit ? unit : "");
		fputc('\n', out);
		report_para(&o, 0, "%s = %s%s%s  [%s%s]", p->key, p->text, unit ? " " : "",
			    unit ? unit : "", cqesim_grade_name(p->grade), range);
		report_para(&o, 4, "%s", p->meaning);
		if (p->type == 'S' && strchr(p->unit, '|'))
			report_labelled(&o, 4, 8, "one of:", "%s", p->unit);
		report_labelled(&o, 4, 8, "source:", "%s", p->source ? p->source : "none");
		if (p->note)
			report_labelled(&o, 4, 8, "note:", "%s", p->note);
	}
	return report_end(&o, err);
}

static json_t *allowed(struct report_json *j, const char *choices)
{
	json_t *list = json_array();

	for (const char *c = choices; *c;) {
		size_t n = strcspn(c, "|");

		report_add(j, list, json_stringn(c, n));
		c += n + (c[n] == '|');
	}
	return list;
}

/* Whole numbers as such, others as reals, texts as strings. */
static json_t *value(struct report_json *j, const struct report_param *p)
{
	switch (p->param->type) {
	case 'U':
		return report_u64((uint64_t)p->number);
	case 'D':
		return report_number(p->number);
	default:
		return report_string(j, report_param_text(p));
	}
}

void report_json_param(struct report_json *j, json_t *o, const struct report_param *p)
{
	const struct cqesim_param *param = p->param;
	json_t *range = json_null();

	if (param->has_range) {
		range = json_array();
		report_add(j, range, report_number(param->low));
		report_add(j, range, report_number(param->high));
	}
	report_put_text(j, o, "key", param->key);
	report_put(j, o, "value", value(j, p));
	report_put_text(j, o, "unit", report_param_unit(param));
	if (param->type == 'S' && strchr(param->unit, '|'))
		report_put(j, o, "allowed", allowed(j, param->unit));
	report_put_text(j, o, "grade", cqesim_grade_name(p->grade));
	report_put(j, o, "range", range);
	report_put_text(j, o, "meaning", param->meaning);
	report_put_text(j, o, "source", p->overridden ? "given by an option" : param->source);
	report_put_text(j, o, "note", param->note);
}

int cqesim_report_profile_json(const struct cqesim_profile *profile, FILE *out,
			       struct cqesim_error *err)
{
	struct report_json j = {false};
	json_t *o = json_object(), *list = json_array();

	report_put_text(&j, o, "kind", cqesim_profile_kind_name(profile->kind));
	report_put_text(&j, o, "name", profile->name);
	report_put_text(&j, o, "title", profile->title);
	report_put_text(&j, o, "notes", profile->notes);
	report_put_text(&j, o, "file", profile->file);
	if (profile->kind == CQESIM_PROFILE_LINK) {
		report_put_u64(&j, o, "generation", profile->generation);
		report_put_u64(&j, o, "lanes", profile->lanes);
	}
	for (unsigned i = 0; i < profile->count; i++) {
		struct report_param p = {
			.profile = profile,
			.param = &profile->param[i],
			.number = profile->param[i].number,
			.grade = profile->param[i].grade,
		};
		json_t *param = json_object();

		report_json_param(&j, param, &p);
		report_add(&j, list, param);
	}
	report_put(&j, o, "parameters", list);
	return report_dump(&j, o, out, err);
}
