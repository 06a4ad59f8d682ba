/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of cqesim replay: from options to profiles, trace and simulations, and back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "replay_run.h"

#define COMMAND "replay"
/* So many packets tell what is usual. */
#define USUAL_PACKETS 4096u

static int apply_set(struct run *run, const char *set, struct cqesim_error *err)
{
	struct cqesim_profile *const profiles[] = {run->device, run->link, run->driver, run->host,
						   run->application};
	int rc =
		cqesim_profile_set_text(profiles, sizeof(profiles) / sizeof(profiles[0]), set, err);

	if (rc != -ENOENT)
		return rc;
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

/* Moderation that nothing would come of: a core that polls waits for no event. */
static int check_moderation(const struct run *run, const struct options *o,
			    struct cqesim_error *err)
{
	if (strcmp(cqesim_profile_text(run->driver, CQESIM_DRV_WAKEUP), "poll"))
		return 0;
	for (unsigned i = 0; i < o->sets; i++)
		if (!strncmp(o->set[i], "cq_period", 9) || !strncmp(o->set[i], "cq_max_count=", 13))
			return cqesim_fail(err, -EINVAL,
					   "--set %s: the driver polls, nothing waits for an event "
					   "(wakeup=interrupt)",
					   o->set[i]);
	return 0;
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
	const char *option =
		kind == CQESIM_PROFILE_APPLICATION ? "app" : cqesim_profile_kind_name(kind);
	struct cqesim_error err = {""};
	int rc = cqesim_profile_load(profile, kind, name, &err);

	if (!rc)
		return EXIT_GOOD;
	if (typed && name_is_wrong(kind, name, rc))
		return usage_error(COMMAND, "--%s: %s", option, err.text);
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
	if (!code)
		code = load_profile(&run->application, CQESIM_PROFILE_APPLICATION, o->app, true);
	if (code)
		return code;
	int rc = apply_sets(run, o, &err);
	if (!rc)
		rc = check_moderation(run, o, &err);
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
	o->sim.application = run->application;
	if (rc)
		return usage_error(COMMAND, "%s", err.text);
	if (!o->sim.forward && !cqesim_profile_flag(run->application, CQESIM_APP_FORWARD) &&
	    (o->sim.tx_inline || o->sim.tx_mpw || o->sim.tx_ring))
		return usage_error(COMMAND,
				   "--tx-inline, --tx-mpw and --tx-ring go with --forward, "
				   "or with an application that forwards (--app)");
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
		c.timeline = is_main ? run->timeline : NULL;
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

static int open_source(struct cqesim_trace **trace, const struct options *o, uint64_t line_bps,
		       const char *const *files, size_t n, struct cqesim_error *err)
{
	if (o->synthetic)
		return cqesim_trace_open_synthetic(trace, o->synthetic, line_bps, &o->trace, err);
	return cqesim_trace_open(trace, files, n, &o->trace, err);
}

/*
 * Mean length of the first packets, for the memory that the card fills.  0: standard input, which
 * can be read only once, or what the run itself will complain of.
 */
static uint32_t usual_packet(const struct options *o, uint64_t line_bps, const char *const *files,
			     size_t n)
{
	const struct cqesim_frame *frames;
	struct cqesim_trace *trace = NULL;
	uint64_t bytes = 0, packets = 0;
	struct cqesim_error err;
	int got;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(files[i], "-"))
			return 0;
	if (open_source(&trace, o, line_bps, files, n, &err))
		return 0;
	while (packets < USUAL_PACKETS && (got = cqesim_trace_next(trace, &frames, &err)) > 0)
		for (int i = 0; i < got; i++, packets++)
			bytes += frames[i].len;
	cqesim_trace_close(trace);
	return packets ? (uint32_t)((bytes + packets - 1) / packets) : 0;
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
	if (cqesim_profile_num(run->host, CQESIM_HOST_CYC_MEMORY) > 0)
		o->sim.packet_bytes = usual_packet(o, line_bps, files, n);
	return open_source(&run->trace, o, line_bps, files, n, err);
}

int run_set_up(struct run *run, struct options *o, const char *const *files, size_t n,
	       struct cqesim_error *err)
{
	struct cqesim_rate rate;
	int rc = o->rate ? cqesim_rate_parse(o->rate, 1000000000, &rate, err) : 0;

	if (rc)
		return usage_error(COMMAND, "--%s", err->text);
	int code = load_profiles(run, o);
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
		rc = cqesim_feed_create(&run->feed, o->dump_cq, cqesim_sim_burst(&o->sim), err);
		if (rc)
			goto input;
		run->observer = cqesim_feed_observer(run->feed);
	}
	if (o->dump_tlp) {
		rc = create_tlp_dump(run, o, err);
		if (rc)
			goto input;
	}
	if (o->timeline && cqesim_timeline_create(&run->timeline, o->bin_ps,
						  o->timeline_queues ? o->sim.queues : 0)) {
		cqesim_fail(err, -ENOMEM, "out of memory");
		goto input;
	}
	rc = create_sims(run, o, err);
	if (rc == -EINVAL)
		return usage_error(COMMAND, "%s", err->text);
	if (!rc)
		rc = cqesim_sim_port(run->port, &o->sim, err);
	if (rc)
		goto input;
	run->replay.threads = o->threads;
	run->replay.needs_bytes = o->sim.segment || o->dump_tlp;
	run->replay.trace = run->trace;
	run->replay.port = run->port;
	run->replay.port_stats = run->port_stats;
	return EXIT_GOOD;
input:
	complain("%s", err->text);
	return EXIT_INPUT;
}

void run_clean_up(struct run *run)
{
	cqesim_feed_close(run->feed, false, NULL);
	cqesim_tlp_dump_close(run->tlps, false, NULL);
	for (unsigned i = 0; i < run->replay.sims; i++)
		cqesim_sim_destroy(run->replay.sim[i]);
	cqesim_timeline_destroy(run->timeline);
	cqesim_trace_close(run->trace);
	free(run->port_stats);
	free(run->port);
	cqesim_profile_free(run->application);
	cqesim_profile_free(run->host);
	cqesim_profile_free(run->driver);
	cqesim_profile_free(run->link);
	cqesim_profile_free(run->device);
}
