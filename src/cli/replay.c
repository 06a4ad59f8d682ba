/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim replay: configuration, run, report. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "common/outfile.h"
#include "cqesim/report.h"
#include "cqesim/sim.h"
#include "progress.h"
#include "replay_run.h"

#define COMMAND "replay"

/* Would this output take an input's place? */
static int check_output(const char *option, const char *output, const char *const *files, size_t n)
{
	struct stat out, in;

	if (!output)
		return EXIT_GOOD;
	if (!*output)
		return usage_error(COMMAND, "--%s: expected a file name", option);
	if (stat(output, &out) || !S_ISREG(out.st_mode))
		return EXIT_GOOD;
	for (size_t i = 0; i < n; i++)
		if (!stat(files[i], &in) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return usage_error(COMMAND, "--%s %s: that is the capture to be replayed",
					   option, output);
	return EXIT_GOOD;
}

static int check_outputs(const struct options *o, const char *const *files, size_t n)
{
	int code = check_output("output", o->output, files, n);

	if (!code)
		code = check_output("dump-cq", o->dump_cq, files, n);
	if (!code)
		code = check_output("dump-tlp", o->dump_tlp, files, n);
	return code ? code : check_output("timeline", o->timeline, files, n);
}

/* What the reader of a report should know even if he reads only standard error. */
static void warn(const struct run *run)
{
	const struct cqesim_trace_stats *s = cqesim_trace_stats(run->trace);

	if (s->truncated)
		complain("warning: truncated: %s", s->truncated_where);
	if (s->skipped[CQESIM_SKIP_ZERO_LENGTH])
		complain("warning: %llu zero-length packets skipped, the first: %s",
			 (unsigned long long)s->skipped[CQESIM_SKIP_ZERO_LENGTH], s->zero_where);
}

/* What to do with the feed; beside a document for programs it goes where people look. */
static void describe_feed(const struct options *o, const struct cqesim_result *result, FILE *report)
{
	FILE *to = o->format == TEXT ? report : stderr;
	struct cqesim_error err = {""};
	char command[8192];

	if (!cqesim_feed_command(result, o->dump_cq, command, sizeof(command), &err))
		fprintf(to,
			"\nThe feed %s holds the ring's writes; to run DPDK's receive code over "
			"it:\n  %s\n",
			o->dump_cq, command);
	else
		fprintf(to, "\nThe feed %s holds the ring's writes. No referee command: %s\n",
			o->dump_cq, err.text);
}

static void describe_tlps(const struct run *run, const struct options *o, FILE *report)
{
	FILE *to = o->format == TEXT ? report : stderr;
	uint64_t written, left_out;

	cqesim_tlp_dump_counts(run->tlps, &written, &left_out);
	fprintf(to, "\nThe file %s holds %llu TLPs", o->dump_tlp, (unsigned long long)written);
	if (o->compare) {
		static const char *const policy[] = {"off", "balanced", "aggressive"};
		const struct cqesim_result *r = cqesim_sim_result(run->replay.sim[run->main]);

		fprintf(to, " of the run with %s", policy[r->compression]);
	}
	if (left_out)
		fprintf(to, ", the first ones; %llu more are left out (--dump-tlp-limit)",
			(unsigned long long)left_out);
	fputs("; to look into it:\n  wireshark -X lua_script:" CQESIM_PKGDATADIR "/tlp.lua ", to);
	fprintf(to, "%s\n", o->dump_tlp);
}

/* What happened when: a file of its own, written before the report speaks of it. */
static int write_timeline(const struct run *run, const struct options *o, struct outfile *out,
			  struct cqesim_error *err)
{
	int rc = outfile_open(out, o->timeline, err);

	if (rc)
		return rc;
	rc = cqesim_report_timeline(run->timeline, out->stream, err);
	if (!rc)
		return 0;
	cqesim_fail(err, rc, "%s: cannot write: %s", o->timeline, strerror(-rc));
	outfile_close(out, false, NULL);
	return rc;
}

static void describe_timeline(const struct run *run, const struct options *o, FILE *report)
{
	uint64_t step_ps;
	unsigned count;

	cqesim_timeline_steps(run->timeline, 0, &count, &step_ps);
	fprintf(o->format == TEXT ? report : stderr, "\nThe file %s holds %u steps of %.6g us%s.\n",
		o->timeline, count, (double)step_ps / 1e6,
		o->bin_ps && step_ps != o->bin_ps ? ", wider than asked for: there were too many"
						  : "");
}

static int report(struct run *run, const struct options *o, const char *source)
{
	struct cqesim_report r = {
		.source = source,
		.trace = cqesim_trace_stats(run->trace),
		.port = run->port_stats,
		.results = run->replay.sims,
		.main = run->main,
	};
	struct cqesim_error err = {""};
	struct outfile out, timeline;
	int rc;

	for (unsigned i = 0; i < r.results; i++)
		r.result[i] = cqesim_sim_result(run->replay.sim[i]);
	rc = outfile_open(&out, o->output ? o->output : "-", &err);
	if (rc)
		goto fail;
	rc = cqesim_feed_flush(run->feed, &err); /* all written before the report speaks of it */
	if (rc) {
		outfile_close(&out, false, NULL);
		goto fail;
	}
	rc = o->timeline ? write_timeline(run, o, &timeline, &err) : 0;
	if (rc) {
		outfile_close(&out, false, NULL);
		goto fail;
	}
	rc = o->format == JSON       ? cqesim_report_json(&r, out.stream, &err)
	     : o->format == CSV      ? cqesim_report_csv(&r, out.stream, &err)
	     : o->format == COUNTERS ? cqesim_report_counters(r.result[r.main], out.stream, &err)
				     : cqesim_report_text(&r, out.stream, &err);
	if (rc && o->output && strcmp(o->output, "-"))
		cqesim_fail(&err, rc, "%s: cannot write: %s", o->output, strerror(-rc));
	if (!rc && o->dump_cq)
		describe_feed(o, r.result[r.main], out.stream);
	if (!rc && o->dump_tlp)
		describe_tlps(run, o, out.stream);
	if (o->timeline) {
		if (!rc)
			describe_timeline(run, o, out.stream);
		int closed = outfile_close(&timeline, !rc, rc ? NULL : &err);
		rc = rc ? rc : closed;
	}
	if (!rc) {
		rc = cqesim_feed_close(run->feed, true, &err);
		run->feed = NULL;
	}
	if (!rc) {
		rc = cqesim_tlp_dump_close(run->tlps, true, &err);
		run->tlps = NULL;
	}
	if (rc)
		outfile_close(&out, false, NULL);
	else
		rc = outfile_close(&out, true, &err);
	if (!rc)
		return EXIT_GOOD;
fail:
	complain("%s", err.text);
	return EXIT_INPUT;
}

/* "a.pcap, b.pcap" for the report. */
char *replay_source(const struct options *o, const char *const *files, size_t n)
{
	size_t size = 16 + (o->synthetic ? strlen(o->synthetic) : 0);

	for (size_t i = 0; i < n; i++)
		size += strlen(files[i]) + 16;
	char *text = calloc(1, size);
	if (!text)
		return NULL;
	if (o->synthetic)
		snprintf(text, size, "synthetic: %s", o->synthetic);
	for (size_t i = 0; i < n; i++) {
		strcat(text, i ? ", " : "");
		strcat(text, strcmp(files[i], "-") ? files[i] : "standard input");
	}
	return text;
}

int cmd_replay(int argc, char **argv)
{
	struct options o;
	struct run run = {0};
	struct cqesim_error err = {""};
	struct progress progress;
	int code = replay_options(&o, argc, argv);

	if (code)
		return code < 0 ? close_stdout() : code;
	const char *const *files = (const char *const *)argv + optind;
	size_t n = (size_t)(argc - optind);

	code = check_outputs(&o, files, n);
	if (code)
		return code;
	if (o.sweep)
		return replay_sweep(&o, files, n);
	if (o.ndr)
		return replay_ndr(&o, files, n);
	code = run_set_up(&run, &o, files, n, &err);
	if (!code) {
		if (progress_start(&progress, o.quiet)) {
			run.replay.progress = progress_show;
			run.replay.progress_context = &progress;
		}
		int rc = cqesim_replay_run(&run.replay, &err);
		progress_end(&progress);
		if (rc) {
			struct cqesim_error feed = {""};

			/* If it was the feed that could not be written, then that is what to tell.
			 */
			if (cqesim_feed_close(run.feed, false, &feed))
				err = feed;
			run.feed = NULL;
			complain("%s", err.text);
			code = rc == -EBADMSG ? EXIT_INTERNAL : EXIT_INPUT;
		}
	}
	if (!code) {
		char *source = replay_source(&o, files, n);

		if (!o.quiet)
			warn(&run);
		code = report(&run, &o, source ? source : "");
		free(source);
	}
	run_clean_up(&run);
	return code;
}
