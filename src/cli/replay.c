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
#include "replay_options.h"

#define COMMAND "replay"

/* What a run needs, to be given back at the end. */
struct run {
	struct cqesim_profile *device, *link, *driver, *host;
	struct cqesim_trace *trace;
	struct cqesim_port *port;
	struct cqesim_port_stats *port_stats;
	struct cqesim_feed *feed;
	struct cqesim_tlp_dump *tlps;
	struct cqesim_ring_observer observer;
	struct cqesim_replay replay;
	unsigned main;
};

/* The profile that has the key takes the value. */
static int apply_set(struct run *run, const char *set, struct cqesim_error *err)
{
	struct cqesim_profile *const profiles[] = {run->device, run->link, run->driver, run->host};
	const char *value = strchr(set, '=') + 1;
	char key[64];

	snprintf(key, sizeof(key), "%.*s", (int)(value - 1 - set), set);
	for (unsigned i = 0; i < 4; i++) {
		int rc = cqesim_profile_set(profiles[i], key, value, err);
		if (rc != -ENOENT)
			return rc;
	}
	return cqesim_fail(err, -EINVAL,
			   "--set %s: no such parameter (cqesim models show NAME lists them)", set);
}

/*
 * All of them, in whatever order they fit together: some parameters must not be
 * above others, so one may have to wait for the next.
 */
static int apply_sets(struct run *run, const struct options *o, struct cqesim_error *err)
{
	bool done[SETS_MAX] = {false};
	int rc;

	for (bool progress = true; progress;) {
		progress = false;
		rc = 0;
		for (unsigned i = 0; i < o->sets; i++) {
			struct cqesim_error why;
			int failed = done[i] ? 0 : apply_set(run, o->set[i], &why);

			if (failed && !rc) { /* the first is told, should it stay so */
				rc = failed;
				*err = why;
			} else if (!failed && !done[i]) {
				done[i] = progress = true;
			}
		}
		if (!rc)
			break;
	}
	return rc;
}

/* Is it the name that is wrong, and not a file or folder of profiles? */
static bool name_is_wrong(enum cqesim_profile_kind kind, const char *name, int rc)
{
	bool good;

	if (kind == CQESIM_PROFILE_LINK) { /* all links share a file: is that one good? */
		struct cqesim_profile *any = NULL;

		good = !cqesim_profile_load(&any, kind, "gen1x1", NULL);
		cqesim_profile_free(any);
		return good;
	}
	if (rc != -ENOENT || strchr(name, '/') || strstr(name, ".yaml"))
		return false;
	char **names = cqesim_profile_names(kind, NULL);
	good = names != NULL;
	cqesim_profile_names_free(names);
	return good;
}

static int load_profile(struct cqesim_profile **profile, enum cqesim_profile_kind kind,
			const char *name, bool typed)
{
	struct cqesim_error err = {""};
	int rc = cqesim_profile_load(profile, kind, name, &err);

	if (!rc)
		return EXIT_GOOD;
	if (typed && name_is_wrong(kind, name, rc))
		return usage_error(COMMAND, "--%s: %s", cqesim_profile_kind_name(kind), err.text);
	complain("%s", err.text);
	return EXIT_INPUT;
}

/* An exit code. */
static int load_profiles(struct run *run, struct options *o)
{
	struct cqesim_error err = {""};
	int code = load_profile(&run->device, CQESIM_PROFILE_DEVICE, o->device, true);

	if (!code)
		code = load_profile(&run->link, CQESIM_PROFILE_LINK,
				    o->link ? o->link
					    : cqesim_profile_text(run->device, CQESIM_DEV_LINK),
				    o->link != NULL);
	if (!code)
		code = load_profile(&run->driver, CQESIM_PROFILE_DRIVER, o->driver, true);
	if (!code)
		code = load_profile(&run->host, CQESIM_PROFILE_HOST, o->host, true);
	if (code)
		return code;
	int rc = apply_sets(run, o, &err);
	if (!rc && o->rss_fields)
		rc = cqesim_profile_set(run->driver, "rss_fields", o->rss_fields, &err);
	if (!rc && o->rss_key) {
		rc = cqesim_rss_key_parse(o->rss_key, o->key, &err);
		if (!rc)
			rc = cqesim_profile_set(run->driver, "rss_key", o->rss_key, &err);
	}
	o->sim.device = run->device;
	o->sim.link = run->link;
	o->sim.driver = run->driver;
	o->sim.host = run->host;
	return rc ? usage_error(COMMAND, "%s", err.text) : EXIT_GOOD;
}

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

/* The simulation asked for; with --compare all three policies, that one among them. */
static int create_sims(struct run *run, const struct options *o, struct cqesim_error *err)
{
	static const enum cqesim_comp_choice policies[] = {
		CQESIM_COMP_CHOOSE_OFF,
		CQESIM_COMP_CHOOSE_BALANCED,
		CQESIM_COMP_CHOOSE_AGGRESSIVE,
	};
	struct cqesim_sim_config c = o->sim;
	enum cqesim_comp_choice wanted = c.comp;

	if (wanted == CQESIM_COMP_AS_PROFILED) {
		if (!cqesim_profile_flag(run->driver, CQESIM_DRV_CQE_COMP_EN))
			wanted = CQESIM_COMP_CHOOSE_OFF;
		else if (!strcmp(cqesim_profile_text(run->device, CQESIM_DEV_CQE_COMPRESSION),
				 "aggressive"))
			wanted = CQESIM_COMP_CHOOSE_AGGRESSIVE;
		else
			wanted = CQESIM_COMP_CHOOSE_BALANCED;
	}
	for (unsigned i = 0; i < 3; i++) {
		bool is_main = policies[i] == wanted;

		if (!is_main && !o->compare)
			continue;
		if (is_main)
			run->main = run->replay.sims;
		c.comp = is_main ? o->sim.comp : policies[i];
		c.observer = is_main && run->feed ? &run->observer : NULL;
		c.tlp_dump = is_main ? run->tlps : NULL;
		int rc = cqesim_sim_create(&run->replay.sim[run->replay.sims], &c, err);
		if (rc)
			return rc;
		run->replay.sims++;
	}
	return 0;
}

static int create_tlp_dump(struct run *run, const struct options *o, struct cqesim_error *err)
{
	struct cqesim_link_config config;
	struct cqesim_link link;

	cqesim_profile_link(run->link, &config, NULL);
	int rc = cqesim_link_init(&link, &config, err);
	if (rc)
		return rc;
	return cqesim_tlp_dump_create(&run->tlps, o->dump_tlp, &link, o->dump_tlp_limit, err);
}

static int open_trace(struct run *run, struct options *o, const char *const *files, size_t n,
		      struct cqesim_error *err)
{
	double gbps = cqesim_profile_num(run->device, CQESIM_DEV_PORT_SPEED);
	uint64_t line_bps = (uint64_t)(gbps * 1e9 + 0.5);
	int rc = 0;

	if (o->rate)
		rc = cqesim_rate_parse(o->rate, line_bps, &o->trace.rate, err);
	if (rc)
		return rc;
	if (o->synthetic)
		return cqesim_trace_open_synthetic(&run->trace, o->synthetic, line_bps, &o->trace,
						   err);
	return cqesim_trace_open(&run->trace, files, n, &o->trace, err);
}

/* Exit code of a failure at set-up: what the user typed, or what a file holds. */
static int set_up(struct run *run, struct options *o, const char *const *files, size_t n,
		  struct cqesim_error *err)
{
	struct cqesim_rate rate;
	int rc = o->rate ? cqesim_rate_parse(o->rate, 1000000000, &rate, err) : 0;

	if (rc)
		return usage_error(COMMAND, "--%s", err->text);
	int code = check_output("output", o->output, files, n);
	if (!code)
		code = check_output("dump-cq", o->dump_cq, files, n);
	if (!code)
		code = check_output("dump-tlp", o->dump_tlp, files, n);
	if (!code)
		code = load_profiles(run, o);
	if (code)
		return code;
	rc = open_trace(run, o, files, n, err);
	if (rc == -EINVAL && o->synthetic)
		return usage_error(COMMAND, "--synthetic %s: %s", o->synthetic, err->text);
	if (rc)
		goto input;
	run->port = malloc(sizeof(*run->port));
	run->port_stats = calloc(1, sizeof(*run->port_stats));
	if (!run->port || !run->port_stats) {
		rc = cqesim_fail(err, -ENOMEM, "out of memory");
		goto input;
	}
	if (o->dump_cq) {
		unsigned burst =
			o->sim.burst ? o->sim.burst
				     : (unsigned)cqesim_profile_u64(run->driver, CQESIM_DRV_BURST);

		rc = cqesim_feed_create(&run->feed, o->dump_cq, burst, err);
		if (rc)
			goto input;
		run->observer = cqesim_feed_observer(run->feed);
	}
	if (o->dump_tlp) {
		rc = create_tlp_dump(run, o, err);
		if (rc)
			goto input;
	}
	rc = create_sims(run, o, err);
	if (rc == -EINVAL)
		return usage_error(COMMAND, "%s", err->text);
	if (!rc)
		rc = cqesim_sim_port(run->port, &o->sim, err);
	if (rc)
		goto input;
	run->replay.trace = run->trace;
	run->replay.port = run->port;
	run->replay.port_stats = run->port_stats;
	return EXIT_GOOD;
input:
	complain("%s", err->text);
	return EXIT_INPUT;
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
	if (left_out)
		fprintf(to, ", the first ones; %llu more are left out (--dump-tlp-limit)",
			(unsigned long long)left_out);
	fputs("; to look into it:\n  wireshark -X lua_script:" CQESIM_PKGDATADIR "/tlp.lua ", to);
	fprintf(to, "%s\n", o->dump_tlp);
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
	struct outfile out;
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
	rc = o->format == JSON  ? cqesim_report_json(&r, out.stream, &err)
	     : o->format == CSV ? cqesim_report_csv(&r, out.stream, &err)
				: cqesim_report_text(&r, out.stream, &err);
	if (rc && o->output && strcmp(o->output, "-"))
		cqesim_fail(&err, rc, "%s: cannot write: %s", o->output, strerror(-rc));
	if (!rc && o->dump_cq)
		describe_feed(o, r.result[r.main], out.stream);
	if (!rc && o->dump_tlp)
		describe_tlps(run, o, out.stream);
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

static void clean_up(struct run *run)
{
	cqesim_feed_close(run->feed, false, NULL);
	cqesim_tlp_dump_close(run->tlps, false, NULL);
	for (unsigned i = 0; i < run->replay.sims; i++)
		cqesim_sim_destroy(run->replay.sim[i]);
	cqesim_trace_close(run->trace);
	free(run->port_stats);
	free(run->port);
	cqesim_profile_free(run->host);
	cqesim_profile_free(run->driver);
	cqesim_profile_free(run->link);
	cqesim_profile_free(run->device);
}

/* "a.pcap, b.pcap" for the report. */
static char *source_text(const struct options *o, const char *const *files, size_t n)
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

	code = set_up(&run, &o, files, n, &err);
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
		char *source = source_text(&o, files, n);

		if (!o.quiet)
			warn(&run);
		code = report(&run, &o, source ? source : "");
		free(source);
	}
	clean_up(&run);
	return code;
}
