/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim replay --sweep: the same run for each value of an option or a parameter. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "common/outfile.h"
#include "replay_many.h"
#include "replay_run.h"

#define COMMAND   "replay"
#define RUNS_MAX  10000u
#define VALUE_MAX 64u

struct sweep {
	const struct options *options;
	const char *const *files;
	size_t n;
	char key[64];
	bool parameter; /* of a profile, as --set takes it */
	char (*value)[VALUE_MAX];
	struct cqesim_many_row *row;
	unsigned count;
};

/* Options that make sense of more than one run; the rest are parameters of profiles. */
static const char *const swept_options[] = {
	"device",   "link",        "driver",    "host",      "app",        "jitter",     "queues",
	"ring",     "rq",          "wqes",      "hold",      "cq-size",    "burst",      "mtu",
	"cqe-comp", "mini-format", "tx-inline", "tx-mpw",    "rate",       "rss-fields", "rss-key",
	"limit",    "skip",        "repeat",    "checksums", "cqe-layout", NULL,
};
/* Sizes that are powers of two: they double when no step is given. */
static const char *const doubling[] = {
	"ring", "wqes",      "cq-size", "mps",    "mrrs",
	"rcb",  "wqe_fetch", "strides", "stride", "cq_factor_compressed",
	NULL,
};

static bool in(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

static int add(struct sweep *s, const char *text, size_t length)
{
	/* A packet rate without a unit is in Mpps. */
	bool bare = !strcmp(s->key, "rate") && length && strspn(text, "0123456789.") >= length;

	if (!length || length + 4 >= VALUE_MAX)
		return -EINVAL;
	if (s->count == RUNS_MAX)
		return -E2BIG;
	if (s->count % 64 == 0) {
		void *grown = realloc(s->value, (s->count + 64) * sizeof(*s->value));

		if (!grown)
			return -ENOMEM;
		s->value = grown;
	}
	snprintf(s->value[s->count++], VALUE_MAX, "%.*s%s", (int)length, text, bare ? "Mpps" : "");
	return 0;
}

static int add_list(struct sweep *s, const char *text)
{
	int rc = 0;

	for (const char *word = text; word && !rc;) {
		size_t n = strcspn(word, ",");

		rc = add(s, word, n);
		word = word[n] ? word + n + 1 : NULL;
	}
	return rc;
}

/* A number and what follows it. */
static bool number(const char *text, char **end, double *value)
{
	if ((*text < '0' || *text > '9') && *text != '.')
		return false;
	*value = strtod(text, end);
	return *end != text && *value <= 1e15;
}

/* LOW..HIGH[UNIT][:STEP | :xFACTOR] */
static int add_range(struct sweep *s, const char *text)
{
	double low, high, step = 1;
	bool times = in(s->key, doubling);
	char word[VALUE_MAX], unit[16] = "";
	char *end;

	if (times)
		step = 2;
	if (!number(text, &end, &low))
		return -EINVAL;
	/* "1..32": strtod takes the first point for its own. */
	if (end[-1] == '.' && *end == '.')
		end--;
	size_t units = strcspn(end, ".");
	if (strncmp(end + units, "..", 2) || units >= sizeof(unit))
		return -EINVAL;
	snprintf(unit, sizeof(unit), "%.*s", (int)units, end);
	if (!number(end + units + 2, &end, &high) || high < low)
		return -EINVAL;
	size_t tail = strcspn(end, ":");
	if (units && (tail != units || strncmp(end, unit, units)))
		return -EINVAL;
	if (!units && tail >= sizeof(unit))
		return -EINVAL;
	snprintf(unit, sizeof(unit), "%.*s", (int)tail, end);
	end += tail;
	if (*end == ':') {
		times = end[1] == 'x';
		if (!number(end + 1 + times, &end, &step) || *end || !(step > 0) ||
		    (times && !(step > 1 && low > 0)))
			return -EINVAL;
	}
	/* Steps are counted, not added up: 0.1 ten times is 1. */
	double value = low;
	for (unsigned i = 0; value <= high * (1 + 1e-12); i++) {
		int n = snprintf(word, sizeof(word), "%.10g%s", value, unit);
		int rc = add(s, word, (size_t)n);

		if (rc)
			return rc;
		value = times ? value * step : low + (i + 1) * step;
	}
	return 0;
}

static int parse(struct sweep *s)
{
	const char *text = s->options->sweep, *equals = strchr(text, '=');

	if (!equals || equals == text || (size_t)(equals - text) >= sizeof(s->key))
		return usage_error(COMMAND, "--sweep %s: expected KEY=VALUES, as queues=1..32",
				   text);
	snprintf(s->key, sizeof(s->key), "%.*s", (int)(equals - text), text);
	s->parameter = !in(s->key, swept_options);
	int rc = strstr(equals, "..") ? add_range(s, equals + 1) : add_list(s, equals + 1);
	if (rc == -E2BIG)
		return usage_error(COMMAND, "--sweep %s: more than %u values", text, RUNS_MAX);
	if (rc == -ENOMEM) {
		complain("out of memory");
		return EXIT_INPUT;
	}
	if (rc)
		return usage_error(COMMAND,
				   "--sweep %s: expected 1..32, 10..140:10, 64..4096:x2 or a list "
				   "a,b,c behind %s=",
				   text, s->key);
	return EXIT_GOOD;
}

/* One value: a run of its own, of which only the row stays. */
static int run_one(void *context, unsigned i)
{
	struct sweep *s = context;
	struct options o = *s->options;
	struct cqesim_error err = {""};
	char set[sizeof(s->key) + VALUE_MAX];
	struct run run = {0};
	int code;

	snprintf(set, sizeof(set), "%s=%s", s->key, s->value[i]);
	o.sweep = NULL;
	o.threads = 1;
	code = s->parameter ? replay_option(&o, "set", set)
			    : replay_option(&o, s->key, s->value[i]);
	if (!code)
		code = run_set_up(&run, &o, s->files, s->n, &err);
	if (!code) {
		int rc = cqesim_replay_run(&run.replay, &err);

		if (rc) {
			complain("%s: %s", set, err.text);
			code = rc == -EBADMSG ? EXIT_INTERNAL : EXIT_INPUT;
		} else {
			s->row[i].value = s->value[i];
			cqesim_summarize(cqesim_sim_result(run.replay.sim[0]), &s->row[i].summary);
		}
	}
	run_clean_up(&run);
	return code;
}

static int print(const struct sweep *s)
{
	const struct options *o = s->options;
	char *source = replay_source(o, s->files, s->n);
	struct cqesim_many many = {
		.source = source ? source : "", .key = s->key, .row = s->row, .rows = s->count};
	struct cqesim_error err = {""};
	struct outfile out;
	int rc = outfile_open(&out, o->output ? o->output : "-", &err);

	if (!rc) {
		rc = o->format == JSON  ? cqesim_report_many_json(&many, out.stream, &err)
		     : o->format == CSV ? cqesim_report_many_csv(&many, out.stream, &err)
					: cqesim_report_many_text(&many, out.stream, &err);
		int closed = outfile_close(&out, !rc, rc ? NULL : &err);
		rc = rc ? rc : closed;
	}
	free(source);
	if (rc)
		complain("%s", err.text);
	return rc ? EXIT_INPUT : EXIT_GOOD;
}

int replay_sweep(const struct options *o, const char *const *files, size_t n)
{
	struct sweep s = {.options = o, .files = files, .n = n};
	int code = parse(&s);

	if (!code) {
		s.row = calloc(s.count, sizeof(*s.row));
		code = s.row ? many_run(s.count, o->threads, o->quiet, run_one, &s) : EXIT_INPUT;
		if (!s.row)
			complain("out of memory");
	}
	if (!code)
		code = print(&s);
	free(s.value);
	free(s.row);
	return code;
}
