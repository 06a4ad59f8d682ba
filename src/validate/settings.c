/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys and values of an experiment, read as words and numbers. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/trace.h"
#include "validate/internal.h"

static struct cqesim_setting *find(const struct cqesim_settings *s, const char *key)
{
	for (unsigned i = 0; i < s->count; i++)
		if (!strcmp(s->setting[i].key, key))
			return &s->setting[i];
	return NULL;
}

int settings_put(struct cqesim_settings *s, const char *key, const char *value)
{
	struct cqesim_setting *old = find(s, key), *more;
	char *k = NULL, *v = strdup(value);

	if (!v)
		return -ENOMEM;
	if (old) {
		free(old->value);
		old->value = v;
		return 0;
	}
	if (s->count == SETTINGS_MAX) {
		free(v);
		return -E2BIG;
	}
	more = realloc(s->setting, (s->count + 1) * sizeof(*more));
	if (more)
		s->setting = more;
	k = more ? strdup(key) : NULL;
	if (!k) {
		free(v);
		return -ENOMEM;
	}
	s->setting[s->count++] = (struct cqesim_setting){k, v, false};
	return 0;
}

void settings_free(struct cqesim_settings *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		free(s->setting[i].key);
		free(s->setting[i].value);
	}
	free(s->setting);
	*s = (struct cqesim_settings){0};
}

const char *settings_get(const struct cqesim_settings *s, const char *key)
{
	const struct cqesim_setting *found = find(s, key);

	return found ? found->value : NULL;
}

int setting_refuse(const struct evaluation *e, const char *fmt, ...)
{
	char text[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return cqesim_fail(e->err, -EINVAL, "%s: figure \"%.60s\": %s", e->file, e->figure, text);
}

const char *setting_word(struct evaluation *e, const char *key, const char *otherwise, int *rc)
{
	const struct cqesim_setting *s = find(&e->settings, key);

	if (s) {
		e->used[s - e->settings.setting] = true;
		return s->value;
	}
	if (!otherwise && !*rc)
		*rc = setting_refuse(e, "no setting %s", key);
	return otherwise ? otherwise : "";
}

double setting_number_or(struct evaluation *e, const char *key, double otherwise, double low,
			 double high, int *rc)
{
	const char *text = *rc ? NULL : setting_word(e, key, "", rc);
	char *end;

	if (*rc)
		return low;
	if (!*text)
		return otherwise;
	double v = strtod(text, &end);
	if (*end || !(v >= low && v <= high)) {
		*rc = setting_refuse(e, "%s: %.60s: expected a number from %g to %g", key, text,
				     low, high);
		return low;
	}
	return v;
}

double setting_number(struct evaluation *e, const char *key, double low, double high, int *rc)
{
	if (!*rc)
		setting_word(e, key, NULL, rc);
	return setting_number_or(e, key, low, low, high, rc);
}

double setting_rate(struct evaluation *e, const char *key, int *rc)
{
	struct cqesim_rate rate;
	struct cqesim_error why = {""};
	const char *text = setting_word(e, key, NULL, rc);

	if (*rc)
		return 0;
	/* The name of another setting, so that a rate can be fitted: a number in Mpps. */
	if (find(&e->settings, text))
		return setting_number(e, text, 0.001, 1e4, rc) * 1e6;
	if (cqesim_rate_parse(text, 1, &rate, &why) || rate.kind != CQESIM_RATE_PPS) {
		*rc = setting_refuse(
			e,
			"%s: %.60s: expected packets per second, as 142Mpps, or a setting in Mpps",
			key, text);
		return 0;
	}
	return (double)rate.num / (double)rate.den;
}
