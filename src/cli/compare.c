/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqesim compare: what a real machine's counters did between two texts of
 * `ethtool -S`, beside what a replay says that they would do.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "common/outfile.h"
#include "compare.h"
#include "cqesim/sysinfo.h"
#include "progress.h"
#include "replay_run.h"

#define COMMAND "compare"

static const char help_text[] =
	"usage: cqesim compare --ethtool BEFORE AFTER [--seconds T] [REPLAY OPTIONS] FILE...\n"
	"       cqesim compare --ethtool BEFORE AFTER [--seconds T] [REPLAY OPTIONS]\n"
	"                      --synthetic SPEC\n"
	"\n"
	"Lays a run of the model beside a real machine: the differences of two texts of\n"
	"\"ethtool -S\", taken before and after, and the counters of the replay that the\n"
	"options describe, both per second.\n"
	"\n"
	"  --ethtool BEFORE AFTER   the two texts (- is standard input)\n"
	"  --seconds T              the time between them; without it, as long as the\n"
	"                           model's rate takes for the machine's packets\n"
	"\n"
	"The other options are those of cqesim replay: machine, traffic, --json, --csv,\n"
	"--output, --quiet.\n"
	"\n"
	"Exit status: 0 good, 1 bad input, 2 bad usage, 3 internal error.\n";

/* One line of the table; NAN: not known. */
struct line {
	const char *name;
	bool gauge, seen; /* the machine has it */
	uint64_t machine; /* difference; a gauge: as it was after */
	double machine_s, model_s, ratio;
};

struct compare {
	const char *file[2];
	struct statistics text[2];
	double seconds; /* 0: not given */
	bool assumed;   /* they follow from the number of packets */
	double model_seconds;
	struct cqesim_counter *model;
	struct line *line;
	unsigned lines;
};

/* Takes --ethtool A B and --seconds T out of the arguments; the rest is the replay's. */
static int take_own(struct compare *c, int *argc, char **argv)
{
	int kept = 1;

	for (int i = 1; i < *argc; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			fputs(help_text, stdout);
			return -1;
		}
		if (!strcmp(argv[i], "--ethtool")) {
			if (i + 2 >= *argc)
				return usage_error(COMMAND, "--ethtool: expected two files, before "
							    "and after");
			if (c->file[0])
				return usage_error(COMMAND, "--ethtool: once only");
			c->file[0] = argv[++i];
			c->file[1] = argv[++i];
		} else if (!strcmp(argv[i], "--seconds") || !strncmp(argv[i], "--seconds=", 10)) {
			char *end = NULL;
			const char *text = argv[i][9]      ? argv[i] + 10
					   : i + 1 < *argc ? argv[++i]
							   : "";

			c->seconds = strtod(text, &end);
			if (end == text || *end || !(c->seconds >= 1e-6 && c->seconds < 1e9))
				return usage_error(COMMAND,
						   "--seconds %s: expected seconds, as 10, from "
						   "1e-6 to 1e9",
						   text);
		} else {
			argv[kept++] = argv[i];
		}
	}
	argv[kept] = NULL;
	*argc = kept;
	if (!c->file[0])
		return usage_error(COMMAND, "expected --ethtool BEFORE AFTER");
	if (!strcmp(c->file[0], "-") && !strcmp(c->file[1], "-"))
		return usage_error(COMMAND, "--ethtool: standard input can be read only once");
	return 0;
}

static int check_options(const struct options *o)
{
	if (o->sweep || o->ndr || o->compare || o->dump_cq || o->dump_tlp || o->timeline ||
	    o->format == COUNTERS)
		return usage_error(COMMAND,
				   "none of --sweep, --ndr, --compare, --dump-cq, --dump-tlp, "
				   "--timeline, --counters: expected one run");
	return 0;
}

/* The machine's side of a counter. */
static int machine_value(const struct compare *c, const struct cqesim_counter *model,
			 struct line *line, struct cqesim_error *err)
{
	const struct cqesim_counter *before = statistics_find(&c->text[0], model->name);
	const struct cqesim_counter *after = statistics_find(&c->text[1], model->name);

	*line = (struct line){.name = model->name, .gauge = model->gauge};
	line->seen = after && (before || model->gauge);
	if (!line->seen)
		return 0;
	if (!model->gauge && after->value < before->value)
		return cqesim_fail(err, -EINVAL,
				   "%s: %s is %" PRIu64 ", and %" PRIu64
				   " in %s: expected a later text, without a restart between",
				   c->file[1], model->name, after->value, before->value,
				   c->file[0]);
	line->machine = model->gauge ? after->value : after->value - before->value;
	return 0;
}

static const struct line *find_line(const struct compare *c, const char *name)
{
	for (unsigned i = 0; i < c->lines; i++)
		if (!strcmp(c->line[i].name, name))
			return &c->line[i];
	return NULL;
}

/* How long the machine ran, if nobody says so: the model's packet rate is taken for its own. */
static int assume_seconds(struct compare *c, struct cqesim_error *err)
{
	static const char *const packets[] = {"rx_packets_phy", "rx_packets"};

	for (unsigned i = 0; i < 2 && !c->seconds; i++) {
		const struct line *l = find_line(c, packets[i]);
		double model = (double)c->model[l - c->line].value;

		if (l->seen && l->machine && model > 0)
			c->seconds = (double)l->machine / model * c->model_seconds;
		c->assumed = true;
	}
	if (c->seconds > 0)
		return 0;
	return cqesim_fail(err, -EINVAL,
			   "%s: neither rx_packets_phy nor rx_packets grew: expected traffic, or "
			   "--seconds",
			   c->file[1]);
}

static int fill(struct compare *c, const struct cqesim_result *r, struct cqesim_error *err)
{
	c->model = calloc(CQESIM_COUNTERS_MAX, sizeof(*c->model));
	c->line = calloc(CQESIM_COUNTERS_MAX, sizeof(*c->line));
	if (!c->model || !c->line)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	c->lines = cqesim_counters(r, c->model, CQESIM_COUNTERS_MAX);
	c->model_seconds = (double)(r->duration_ps ? r->duration_ps : 1) * 1e-12;
	for (unsigned i = 0; i < c->lines; i++) {
		int rc = machine_value(c, &c->model[i], &c->line[i], err);

		if (rc)
			return rc;
	}
	int rc = c->seconds ? 0 : assume_seconds(c, err);
	for (unsigned i = 0; i < c->lines && !rc; i++) {
		struct line *l = &c->line[i];
		double model = (double)c->model[i].value;

		l->model_s = l->gauge ? model : model / c->model_seconds;
		l->machine_s = !l->seen   ? NAN
			       : l->gauge ? (double)l->machine
					  : (double)l->machine / c->seconds;
		l->ratio = l->machine_s > 0 ? l->model_s / l->machine_s : NAN;
	}
	return rc;
}

static void number(FILE *f, double x, int width)
{
	if (isnan(x))
		fprintf(f, " %*s", width, "-");
	else if (width < 12)
		fprintf(f, " %*.3f", width, x);
	else
		fprintf(f, " %*.1f", width, x);
}

/* What the machine's counters mean, in the words of sysinfo. */
static void remarks(const struct compare *c, FILE *f)
{
	struct cqesim_sysinfo *info = calloc(1, sizeof(*info));
	char text[CQESIM_SYSINFO_REMARK];

	for (unsigned i = 0; info && i < CQESIM_SYSINFO_COUNTERS; i++) {
		const struct line *l = find_line(c, cqesim_sysinfo_counter_name(i));

		if (l && l->seen) {
			info->counters[i] = l->machine;
			info->has |= 1u << i;
			info->statistics = 1;
		}
	}
	for (unsigned n = 0; info && cqesim_sysinfo_remark(info, NULL, n, text); n++)
		fprintf(f, "Machine: %s\n", text);
	free(info);
}

static void print_text(const struct compare *c, FILE *f)
{
	unsigned left_out = 0;

	fprintf(f, "%-32s %16s %16s %16s %9s\n", "", "machine", "machine", "model", "model /");
	fprintf(f, "%-32s %16s %16s %16s %9s\n", "counter", "difference", "per second",
		"per second", "machine");
	for (unsigned i = 0; i < c->lines; i++) {
		const struct line *l = &c->line[i];
		bool queue = l->name[2] >= '0' && l->name[2] <= '9';

		if (queue && !l->seen) {
			left_out++;
			continue;
		}
		fprintf(f, "%-32s", l->name);
		if (l->seen)
			fprintf(f, " %16" PRIu64, l->machine);
		else
			fprintf(f, " %16s", "-");
		number(f, l->machine_s, 16);
		number(f, l->model_s, 16);
		number(f, l->ratio, 9);
		fputs(l->gauge ? "  percent\n" : "\n", f);
	}
	fprintf(f, "Machine: %.6g s%s. Model: %.6g s.\n", c->seconds,
		c->assumed ? ", assumed: as long as the model takes for as many packets (--seconds)"
			   : "",
		c->model_seconds);
	if (left_out)
		fprintf(f, "%u counters of queues are not in the machine's text.\n", left_out);
	for (unsigned i = 0; i < 2; i++)
		if (c->text[i].other_lines)
			fprintf(f, "%s: %u lines are no counters.\n", c->file[i],
				c->text[i].other_lines);
	remarks(c, f);
}

static json_t *real(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static int print_json(const struct compare *c, FILE *f)
{
	json_t *root = json_object(), *all = json_object();
	int rc = 0;

	for (unsigned i = 0; i < c->lines; i++) {
		const struct line *l = &c->line[i];
		json_t *o = json_object();

		rc |= json_object_set_new(
			o, "machine", l->seen ? json_integer((json_int_t)l->machine) : json_null());
		rc |= json_object_set_new(o, "model", json_integer((json_int_t)c->model[i].value));
		rc |= json_object_set_new(o, "machine_per_s", real(l->gauge ? NAN : l->machine_s));
		rc |= json_object_set_new(o, "model_per_s", real(l->gauge ? NAN : l->model_s));
		rc |= json_object_set_new(o, "ratio", real(l->ratio));
		rc |= json_object_set_new(all, l->name, o);
	}
	rc |= json_object_set_new(root, "version", json_string(cqesim_version()));
	rc |= json_object_set_new(root, "machine_s", real(c->seconds));
	rc |= json_object_set_new(root, "machine_s_assumed", json_boolean(c->assumed));
	rc |= json_object_set_new(root, "model_s", real(c->model_seconds));
	rc |= json_object_set_new(root, "ignored_lines",
				  json_integer(c->text[0].other_lines + c->text[1].other_lines));
	rc |= json_object_set_new(root, "counters", all);
	if (!rc && !json_dumpf(root, f, JSON_INDENT(2) | JSON_REAL_PRECISION(15)))
		fputc('\n', f);
	json_decref(root);
	return rc ? -ENOMEM : 0;
}

static void print_csv(const struct compare *c, FILE *f)
{
	fputs("counter,machine,machine_per_s,model,model_per_s,ratio\r\n", f);
	for (unsigned i = 0; i < c->lines; i++) {
		const struct line *l = &c->line[i];

		fprintf(f, "%s,", l->name);
		if (l->seen)
			fprintf(f, "%" PRIu64, l->machine);
		fputc(',', f);
		if (l->seen && !l->gauge)
			fprintf(f, "%.3f", l->machine_s);
		fprintf(f, ",%" PRIu64 ",", c->model[i].value);
		if (!l->gauge)
			fprintf(f, "%.3f", l->model_s);
		fputc(',', f);
		if (isfinite(l->ratio))
			fprintf(f, "%.6f", l->ratio);
		fputs("\r\n", f);
	}
}

static int print(const struct compare *c, const struct options *o, struct cqesim_error *err)
{
	struct outfile out;
	int rc = outfile_open(&out, o->output ? o->output : "-", err);

	if (rc)
		return rc;
	if (o->format == JSON)
		rc = print_json(c, out.stream);
	else if (o->format == CSV)
		print_csv(c, out.stream);
	else
		print_text(c, out.stream);
	if (rc)
		cqesim_fail(err, rc, "out of memory");
	int closed = outfile_close(&out, !rc, rc ? NULL : err);
	return rc ? rc : closed;
}

static int run_and_print(struct compare *c, struct options *o, const char *const *files, size_t n)
{
	struct cqesim_error err = {""};
	struct progress progress;
	struct run run = {0};
	int code = run_set_up(&run, o, files, n, &err);

	if (!code) {
		if (progress_start(&progress, o->quiet)) {
			run.replay.progress = progress_show;
			run.replay.progress_context = &progress;
		}
		int rc = cqesim_replay_run(&run.replay, &err);
		progress_end(&progress);
		if (!rc)
			rc = fill(c, cqesim_sim_result(run.replay.sim[0]), &err);
		if (!rc)
			rc = print(c, o, &err);
		if (rc) {
			complain("%s", err.text);
			code = rc == -EBADMSG ? EXIT_INTERNAL : EXIT_INPUT;
		}
	}
	run_clean_up(&run);
	return code;
}

int cmd_compare(int argc, char **argv)
{
	struct compare c = {0};
	struct cqesim_error err = {""};
	struct options o;
	int code = take_own(&c, &argc, argv);

	if (code)
		return code < 0 ? close_stdout() : code;
	code = replay_options(&o, argc, argv);
	if (!code)
		code = check_options(&o);
	if (code)
		return code;
	for (unsigned i = 0; i < 2 && !code; i++)
		if (statistics_read(c.file[i], &c.text[i], &err)) {
			complain("%s", err.text);
			code = EXIT_INPUT;
		}
	if (!code)
		code = run_and_print(&c, &o, (const char *const *)argv + optind,
				     (size_t)(argc - optind));
	free(c.model);
	free(c.line);
	statistics_free(&c.text[0]);
	statistics_free(&c.text[1]);
	return code;
}
