/* SPDX-License-Identifier: BSD-3-Clause */
/* Values on the command line of cqesim link: fractions, lists, ranges. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "link.h"

#define COMMAND LINK_COMMAND

int link_number(const char *option, const char *text, uint64_t low, uint64_t high, long *value)
{
	uint64_t v;

	if (!parse_count(text, low, high, false, &v))
		return usage_error(COMMAND, "--%s %s: expected a whole number, %llu to %llu",
				   option, text, (unsigned long long)low, (unsigned long long)high);
	*value = (long)v;
	return 0;
}

/* "6.01", or with percent "26%": exactly, up to six decimals. */
bool link_fraction(const char *text, bool percent, struct cqesim_fraction *f)
{
	uint64_t digits = 0, scale = 1;
	unsigned places = 0, any = 0;
	bool point = false;

	for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
		if (*text == '.') {
			point = true;
			continue;
		}
		if (++any > 12 || (point && ++places > 6))
			return false;
		digits = digits * 10 + (uint64_t)(*text - '0');
		scale *= point ? 10 : 1;
	}
	if (percent && *text == '%' && any) {
		scale *= 100;
		text++;
	}
	*f = cqesim_fraction(digits, scale);
	return any && !*text;
}

static int add_value(const char *option, struct link_values *v, uint32_t value)
{
	if (v->count == LINK_VALUES_MAX)
		return usage_error(COMMAND, "--%s: more than %d values", option, LINK_VALUES_MAX);
	v->value[v->count++] = value;
	return 0;
}

/* "64", "64..1518" or "64..1518:64"; step 1 without one when it is a range. */
static bool range(char *text, uint32_t low, uint32_t high, uint32_t *from, uint32_t *to,
		  uint32_t *step)
{
	char *dots = strstr(text, ".."), *colon = strchr(text, ':');
	uint64_t a, b, s = 0;

	if (colon)
		*colon++ = '\0';
	if (dots)
		*dots = '\0';
	if (!parse_count(text, low, high, false, &a))
		return false;
	b = a;
	if (dots && !parse_count(dots + 2, a, high, false, &b))
		return false;
	if (colon && (!dots || !parse_count(colon, 1, high, false, &s)))
		return false;
	*from = (uint32_t)a;
	*to = (uint32_t)b;
	*step = (uint32_t)s;
	return true;
}

int link_list(const char *option, const char *text, uint32_t low, uint32_t high,
	      struct link_values *v)
{
	char *copy = strdup(text), *at = copy, *word;
	int rc = copy ? 0 : usage_error(COMMAND, "--%s: out of memory", option);

	v->count = 0;
	while (!rc && (word = strsep(&at, ",")) != NULL) {
		uint32_t from, to, step;

		if (!range(word, low, high, &from, &to, &step)) {
			rc = usage_error(COMMAND,
					 "--%s %s: expected numbers from %u to %u, as 64,512 or "
					 "64..1518:64",
					 option, text, low, high);
			break;
		}
		for (uint64_t n = from; !rc && n <= to; n += step ? step : 1)
			rc = add_value(option, v, (uint32_t)n);
	}
	free(copy);
	return rc;
}

int link_axis_range(struct link_options *o, const char *text)
{
	static const struct {
		const char *name;
		uint32_t low, high;
	} axes[] = {
		[LINK_SIZE] = {"size", 64, 65536},
		[LINK_SESSION] = {"session", 1, 65535},
		[LINK_QUEUES] = {"queues", 1, 65536},
		[LINK_MPW] = {"mpw", 1, 61},
	};
	const char *equal = strchr(text, '=');

	for (unsigned i = 0; equal && i < sizeof(axes) / sizeof(axes[0]); i++) {
		if (strncmp(text, axes[i].name, strlen(axes[i].name)) ||
		    equal != text + strlen(axes[i].name))
			continue;
		char *copy = strdup(equal + 1);
		bool good = copy && range(copy, axes[i].low, axes[i].high, &o->axis_low,
					  &o->axis_high, &o->axis_step);

		free(copy);
		if (!good)
			return usage_error(COMMAND,
					   "--sweep %s: expected %s=LOW..HIGH[:STEP], %u to %u",
					   text, axes[i].name, axes[i].low, axes[i].high);
		o->axis = (enum link_axis)i;
		/* Of sizes and sessions without a step only a few are shown. */
		if (!o->axis_step && (o->axis == LINK_QUEUES || o->axis == LINK_MPW))
			o->axis_step = 1;
		if (o->axis_step && (o->axis_high - o->axis_low) / o->axis_step >= LINK_VALUES_MAX)
			return usage_error(COMMAND, "--sweep %s: more than %d values", text,
					   LINK_VALUES_MAX);
		return 0;
	}
	return usage_error(COMMAND, "--sweep %s: expected size=, session=, queues= or mpw=", text);
}
