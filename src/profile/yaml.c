/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yaml.c - loads a profile file with libcyaml.  The schema of each kind is
 * made from the lists of parameters in cqesim/profile.h, so that a parameter
 * added there is at once a required key of the files.
 *
 * libcyaml explains an error by several lines given to a log function.  They
 * are collected and made one line again, with the key's line from the walk in
 * index.c: libcyaml itself names the place of the event before.
 */
#include <cyaml/cyaml.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml_events.h"
#include "profile/internal.h"

static const cyaml_strval_t grades[] = {
	{"documented", CQESIM_GRADE_DOCUMENTED}, {"driver", CQESIM_GRADE_DRIVER},
	{"measured", CQESIM_GRADE_MEASURED},     {"fitted", CQESIM_GRADE_FITTED},
	{"assumed", CQESIM_GRADE_ASSUMED},
};

/* Numbers are read as texts: the text is kept, and params.c says more about a bad one. */
static const cyaml_schema_value_t bound = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED),
};

#define TEXT(structure, member, flags)                                                             \
	CYAML_FIELD_STRING_PTR(#member, CYAML_FLAG_POINTER | (flags), structure, member, 0,        \
			       CYAML_UNLIMITED)

static const cyaml_schema_field_t param_fields[] = {
	TEXT(struct raw_param, value, 0),
	TEXT(struct raw_param, unit, CYAML_FLAG_OPTIONAL),
	CYAML_FIELD_ENUM("grade", CYAML_FLAG_STRICT, struct raw_param, grade, grades,
			 CYAML_ARRAY_LEN(grades)),
	CYAML_FIELD_SEQUENCE_COUNT("range", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
				   struct raw_param, range, range_count, &bound, 2, 2),
	TEXT(struct raw_param, source, 0),
	TEXT(struct raw_param, note, CYAML_FLAG_OPTIONAL),
	CYAML_FIELD_END,
};

#define FIELD(id, name, ...)                                                                       \
	CYAML_FIELD_MAPPING(#name, CYAML_FLAG_DEFAULT, struct raw_profile, param[CQESIM_##id],     \
			    param_fields),
#define PROFILE_FIELDS(list)                                                                       \
	TEXT(struct raw_profile, kind, 0), TEXT(struct raw_profile, name, 0),                      \
		TEXT(struct raw_profile, title, 0),                                                \
		TEXT(struct raw_profile, notes, CYAML_FLAG_OPTIONAL), list(FIELD) CYAML_FIELD_END

static const cyaml_schema_field_t device_fields[] = {PROFILE_FIELDS(CQESIM_DEVICE_PARAMS)};
static const cyaml_schema_field_t link_fields[] = {PROFILE_FIELDS(CQESIM_LINK_PARAMS)};
static const cyaml_schema_field_t driver_fields[] = {PROFILE_FIELDS(CQESIM_DRIVER_PARAMS)};
static const cyaml_schema_field_t host_fields[] = {PROFILE_FIELDS(CQESIM_HOST_PARAMS)};
static const cyaml_schema_field_t application_fields[] = {
	PROFILE_FIELDS(CQESIM_APPLICATION_PARAMS)};

static const cyaml_schema_value_t schemas[CQESIM_PROFILE_KINDS] = {
	[CQESIM_PROFILE_DEVICE] = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_profile,
						       device_fields)},
	[CQESIM_PROFILE_LINK] = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_profile,
						     link_fields)},
	[CQESIM_PROFILE_DRIVER] = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_profile,
						       driver_fields)},
	[CQESIM_PROFILE_HOST] = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_profile,
						     host_fields)},
	[CQESIM_PROFILE_APPLICATION] = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_profile,
							    application_fields)},
};

/* What libcyaml said: its first line, and the fields of its backtrace, innermost first. */
struct complaint {
	char text[200];
	char field[4][64];
	unsigned depth; /* lines of the backtrace: mappings and lists that are open */
};

static void collect(cyaml_log_t level, void *ctx, const char *fmt, va_list args)
{
	struct complaint *c = ctx;
	char line[256];
	(void)level;
	vsnprintf(line, sizeof(line), fmt, args);
	line[strcspn(line, "\n")] = '\0';
	const char *in = strstr(line, "  in ");
	if (in) {
		if (c->depth < 4)
			sscanf(in, "  in mapping field '%63[^']'", c->field[c->depth]);
		c->depth++;
	} else if (!c->text[0] && !strstr(line, "Backtrace:")) {
		const char *text = line + strspn(line, " ");
		if (!strncmp(text, "Load: ", 6))
			text += 6;
		snprintf(c->text, sizeof(c->text), "%s", text);
	}
}

static cyaml_config_t configure(struct complaint *complaint)
{
	return (cyaml_config_t){
		.log_fn = collect,
		.log_ctx = complaint,
		.log_level = CYAML_LOG_WARNING,
		.mem_fn = cyaml_mem,
		.flags = CYAML_CFG_NO_ALIAS,
	};
}

/* One line from libcyaml's several. */
static int explain(const char *file, enum cqesim_profile_kind kind, const struct complaint *c,
		   cyaml_err_t code, const struct yaml_index *index, struct cqesim_error *err)
{
	static const char unexpected[] = "Unexpected key: ";
	static const char missing[] = "Missing required mapping field: ";
	static const char invalid[] = "Invalid ENUM value: ";
	const char *text = c->text;
	bool nested = c->depth >= 2 && c->depth <= 4;
	/* The key at the top, and the one below it when there is one. */
	const char *key = c->depth && c->depth <= 4 ? c->field[c->depth - 1] : "";
	const char *sub = nested ? c->field[c->depth - 2] : "";

	if (!strncmp(text, unexpected, strlen(unexpected))) {
		const char *found = text + strlen(unexpected);
		if (nested)
			return cqesim_fail(err, -EINVAL,
					   "%s:%u: %s: unknown key '%s': a parameter has value, "
					   "unit, grade, range, source and note",
					   file, cqesim_yaml_line(index, key, found), key, found);
		return cqesim_fail(err, -EINVAL, "%s:%u: unknown key '%s' for a %s profile", file,
				   cqesim_yaml_line(index, found, NULL), found,
				   cqesim_kinds[kind].name);
	}
	if (!strncmp(text, missing, strlen(missing))) {
		const char *lost = text + strlen(missing);
		if (nested)
			return cqesim_fail(err, -EINVAL, "%s:%u: %s: %s is missing", file,
					   cqesim_yaml_line(index, key, NULL), key, lost);
		return cqesim_fail(
			err, -EINVAL, "%s:%u: key '%s' is missing: a %s profile needs it", file,
			index->count ? index->lines[0].line : 1, lost, cqesim_kinds[kind].name);
	}
	if (!strncmp(text, invalid, strlen(invalid)))
		return cqesim_fail(err, -EINVAL,
				   "%s:%u: %s: unknown grade '%s': must be documented, driver, "
				   "measured, fitted or assumed",
				   file, cqesim_yaml_line(index, key, sub), key,
				   text + strlen(invalid));
	if (!nested && !strncmp(text, "Expecting MAPPING", 17))
		return cqesim_fail(err, -EINVAL,
				   "%s:%u: %s: must be a parameter: {value: ..., unit: ..., grade: "
				   "..., source: ...}",
				   file, cqesim_yaml_line(index, key, NULL), key);
	if (!strcmp(sub, "range"))
		return cqesim_fail(err, -EINVAL,
				   "%s:%u: %s: range must be two numbers, [low, high]", file,
				   cqesim_yaml_line(index, key, sub), key);
	return cqesim_fail(err, -EINVAL, "%s:%u: %s%s%s%s%s", file,
			   cqesim_yaml_line(index, key, sub), key, *key ? ": " : "", sub,
			   *sub ? ": " : "", *text ? text : cyaml_strerror(code));
}

/* A file of another kind is told so, instead of that its first parameter is unknown. */
static int check_kind(const char *file, enum cqesim_profile_kind kind,
		      const struct yaml_index *index, struct cqesim_error *err)
{
	if (!index->kind || !strcmp(index->kind, cqesim_kinds[kind].name))
		return 0;
	unsigned line = cqesim_yaml_line(index, "kind", NULL);
	for (unsigned k = 0; k < CQESIM_PROFILE_KINDS; k++)
		if (!strcmp(index->kind, cqesim_kinds[k].name))
			return cqesim_fail(err, -EINVAL,
					   "%s:%u: kind: this is a %s profile, expected a %s", file,
					   line, index->kind, cqesim_kinds[kind].name);
	return cqesim_fail(
		err, -EINVAL,
		"%s:%u: kind: must be device, link, driver, host or application, not '%.40s'", file,
		line, index->kind);
}

int cqesim_yaml_load(const char *file, enum cqesim_profile_kind kind, struct raw_profile **raw,
		     struct yaml_index *index, struct cqesim_error *err)
{
	unsigned char *data = NULL;
	size_t size = 0;
	*index = (struct yaml_index){0};
	*raw = NULL;
	int ret = yaml_read_file(file, "profile", false, &data, &size, err);
	if (ret)
		return ret;
	ret = cqesim_yaml_walk(file, data, size, index, err);
	if (!ret)
		ret = check_kind(file, kind, index, err);
	if (!ret) {
		struct complaint complaint = {0};
		cyaml_config_t config = configure(&complaint);
		cyaml_err_t code = cyaml_load_data(data, size, &config, &schemas[kind],
						   (cyaml_data_t **)raw, NULL);
		if (code == CYAML_ERR_OOM)
			ret = cqesim_fail(err, -ENOMEM, "%s: out of memory", file);
		else if (code != CYAML_OK || !*raw)
			ret = explain(file, kind, &complaint, code, index, err);
	}
	free(data);
	if (ret)
		cqesim_yaml_index_free(index);
	return ret;
}

void cqesim_yaml_free(struct raw_profile *raw, enum cqesim_profile_kind kind)
{
	struct complaint complaint = {0};
	cyaml_config_t config = configure(&complaint);
	cyaml_free(&config, &schemas[kind], raw, 0);
}
