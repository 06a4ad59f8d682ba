/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures from a replay of synthetic traffic.  The first quarter of the trace is
 * left out, so that empty rings and buffers at its beginning do not count.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "validate/internal.h"

#define CYCLES_PER_PS 1e-12
#define STEPS         64u

void runs_free(struct runs *runs)
{
	for (unsigned i = 0; i < runs->count; i++)
		free(runs->run[i].key);
	free(runs->run);
	*runs = (struct runs){0};
}

/* ---- profiles ---- */

/* Settings that no profile has: what the measures themselves ask for. */
static const char *const own_keys[] = {
	"device",  "link",           "driver",    "host",         "queues",      "ring",
	"burst",   "comp",           "packets",   "flows",        "frame",       "offered",
	"forward", "tx_mpw",         "tx_inline", "session_time", "graph_nodes", "compressed_share",
	"app",     "generator_mpps",
};

static bool is_own(const char *key)
{
	for (size_t i = 0; i < sizeof(own_keys) / sizeof(own_keys[0]); i++)
		if (!strcmp(key, own_keys[i]))
			return true;
	return false;
}

static int set_parameter(struct evaluation *e, struct machine *m, const struct cqesim_setting *s)
{
	struct cqesim_profile *const all[] = {m->device, m->link, m->driver, m->host,
					      m->application};

	struct cqesim_error why = {""};
	int rc = cqesim_profile_set_each(all, sizeof(all) / sizeof(all[0]), s->key, s->value, &why);

	if (rc == -ENOENT)
		return setting_refuse(e, "%s: no such setting, nor a parameter of a profile",
				      s->key);
	return rc ? setting_refuse(e, "%s", why.text) : 0;
}

/* session_time (ns): the age at which a session ends, cqe_compression_age. */
static int set_session_age(struct evaluation *e, struct machine *m)
{
	int rc = 0;
	char text[32];
	double ns = setting_number_or(e, "session_time", 0, 0, 1e6, &rc);

	if (rc || ns == 0)
		return rc;
	snprintf(text, sizeof(text), "%.0f", fmax(1, round(ns)));
	return cqesim_profile_set(m->device, "cqe_compression_age", text, e->err);
}

/* The replay compresses always; where the card did not, the core has no session to pay for. */
static int set_session_cost(struct evaluation *e, struct machine *m)
{
	int rc = 0;
	char text[32];
	double share = setting_number_or(e, "compressed_share", 1, 0, 1, &rc);

	if (rc || share == 1)
		return rc;
	snprintf(text, sizeof(text), "%.9g",
		 share * cqesim_profile_num(m->driver, CQESIM_DRV_CYC_SESSION));
	return cqesim_profile_set(m->driver, "session_cycles", text, e->err);
}

int profiles_load(struct evaluation *e, struct machine *m)
{
	int rc = 0;
	const char *device = setting_word(e, "device", NULL, &rc),
		   *link = setting_word(e, "link", NULL, &rc);
	const char *driver = setting_word(e, "driver", NULL, &rc),
		   *host = setting_word(e, "host", NULL, &rc),
		   *app = setting_word(e, "app", "rxonly", &rc);

	*m = (struct machine){0};
	if (!rc)
		rc = cqesim_profile_load(&m->device, CQESIM_PROFILE_DEVICE, device, e->err);
	if (!rc)
		rc = cqesim_profile_load(&m->link, CQESIM_PROFILE_LINK, link, e->err);
	if (!rc)
		rc = cqesim_profile_load(&m->driver, CQESIM_PROFILE_DRIVER, driver, e->err);
	if (!rc)
		rc = cqesim_profile_load(&m->host, CQESIM_PROFILE_HOST, host, e->err);
	if (!rc)
		rc = cqesim_profile_load(&m->application, CQESIM_PROFILE_APPLICATION, app, e->err);
	/* Sending is the link's closed form; a replay is of what comes through that. */
	if (!rc)
		rc = cqesim_profile_set(m->application, "forward", "no", e->err);
	for (unsigned i = 0; i < e->settings.count && !rc; i++)
		if (!is_own(e->settings.setting[i].key)) {
			rc = set_parameter(e, m, &e->settings.setting[i]);
			e->used[i] = true;
		}
	if (!rc)
		rc = set_session_age(e, m);
	if (!rc)
		rc = set_session_cost(e, m);
	if (rc)
		profiles_free(m);
	return rc;
}

void profiles_free(struct machine *m)
{
	cqesim_profile_free(m->device);
	cqesim_profile_free(m->link);
	cqesim_profile_free(m->driver);
	cqesim_profile_free(m->host);
	cqesim_profile_free(m->application);
}

enum cqesim_comp_choice compression_choice(struct evaluation *e, int *rc)
{
	static const char *const words[] = {"profile", "off", "balanced", "aggressive"};
	const char *text = setting_word(e, "comp", words[0], rc);

	for (unsigned i = 0; i < 4; i++)
		if (!strcmp(text, words[i]))
			return (enum cqesim_comp_choice)i;
	*rc = setting_refuse(e, "comp: %.40s: expected off, balanced or aggressive", text);
	return CQESIM_COMP_AS_PROFILED;
}

/* ---- one run ---- */

/* Counts what polls return between two times. */
struct window {
	uint64_t from_ps, to_ps;
	uint64_t packets;
	struct cqesim_timeline *timeline; /* of STEPS, window and what is before */
	uint64_t in_sessions, sessions;
};

static int count_poll(void *context, unsigned queue, uint64_t now_ps,
		      const struct cqesim_completion *c, unsigned n)
{
	struct window *w = context;

	(void)queue;
	if (now_ps < w->from_ps || now_ps >= w->to_ps)
		return 0;
	w->packets += n;
	for (unsigned i = 0; i < n; i++) {
		w->in_sessions += c[i].session_n != 0;
		w->sessions += c[i].session_n && !c[i].session_i;
	}
	return 0;
}

/* Packets of a turn: a poll, or a frame of several calls. */
static double per_turn(const struct window *w)
{
	unsigned count;
	uint64_t step_ps, packets = 0, polls = 0;
	const struct cqesim_step *step = cqesim_timeline_steps(w->timeline, 0, &count, &step_ps);

	for (unsigned i = STEPS / 4; i < count && i < STEPS; i++) {
		packets += step[i].delivered;
		polls += step[i].polls;
	}
	return polls ? (double)packets / (double)polls : 0;
}

static void keep(struct replay_run *run, const struct window *w, const struct cqesim_result *r,
		 double pps)
{
	double clock = cqesim_profile_num(r->config->host, CQESIM_HOST_CLOCK) * 1e9;
	double packets = (double)w->packets;

	run->seconds = (double)(w->to_ps - w->from_ps) * 1e-12;
	run->offered_pps = pps;
	run->delivered_pps = packets / run->seconds;
	/* The rings took their fill in the beginning: in the window all that is not delivered is
	 * lost. */
	run->out_of_buffer_pps =
		r->dropped[CQESIM_DROP_OUT_OF_BUFFER] ? pps - run->delivered_pps : 0;
	run->per_poll = per_turn(w);
	run->per_call =
		r->host.calls ? (double)r->host.packets / (double)r->host.calls : run->per_poll;
	run->cycles = r->host.packets ? (double)r->host.busy_ps * CYCLES_PER_PS * clock /
						(double)r->host.packets
				      : 0;
	run->sessions_per_packet = packets > 0 ? (double)w->sessions / packets : 0;
	run->session_share = packets > 0 ? (double)w->in_sessions / packets : 0;
}

static int run_replay(struct evaluation *e, struct cqesim_sim_config *config, double pps,
		      struct replay_run *run)
{
	int rc = 0;
	uint64_t packets = (uint64_t)setting_number_or(e, "packets", 300000, 1000, 1e8, &rc);
	uint64_t duration_ps = (uint64_t)((double)packets / pps * 1e12);
	struct window window = {.from_ps = duration_ps / 4, .to_ps = duration_ps};
	struct cqesim_ring_observer observer = {.context = &window, .polled = count_poll};
	struct cqesim_trace_config trace = {.rate = {CQESIM_RATE_PPS, (uint64_t)(pps + 0.5), 1}};
	struct cqesim_port_stats *stats = calloc(1, sizeof(*stats));
	struct cqesim_port *port = malloc(sizeof(*port));
	struct cqesim_replay replay = {.port = port, .port_stats = stats, .sims = 1};
	char spec[96];

	snprintf(spec, sizeof(spec), "frame=%s,flows=%s,packets=%llu",
		 setting_word(e, "frame", "64", &rc), setting_word(e, "flows", "65536", &rc),
		 (unsigned long long)packets);
	config->observer = &observer;
	if (!rc && (!stats || !port ||
		    cqesim_timeline_create(&window.timeline, (duration_ps + STEPS - 1) / STEPS, 0)))
		rc = cqesim_fail(e->err, -ENOMEM, "out of memory");
	config->timeline = window.timeline;
	if (!rc)
		rc = cqesim_trace_open_synthetic(&replay.trace, spec, 0, &trace, e->err);
	if (!rc)
		rc = cqesim_sim_port(port, config, e->err);
	if (!rc)
		rc = cqesim_sim_create(&replay.sim[0], config, e->err);
	if (!rc)
		rc = cqesim_replay_run(&replay, e->err);
	if (!rc)
		keep(run, &window, cqesim_sim_result(replay.sim[0]), pps);
	cqesim_sim_destroy(replay.sim[0]);
	cqesim_trace_close(replay.trace);
	cqesim_timeline_destroy(window.timeline);
	free(port);
	free(stats);
	return rc;
}

/* All settings in one line, so that figures of the same run share it. */
static char *run_key(const struct evaluation *e, const char *kind)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fputs(kind, f);
	for (unsigned i = 0; i < e->settings.count; i++)
		fprintf(f, " %s=%s", e->settings.setting[i].key, e->settings.setting[i].value);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

/* behind_link: the traffic is what the link lets through when all is sent on. */
static int new_run(struct evaluation *e, bool behind_link, struct replay_run *run)
{
	struct machine m;
	int rc = profiles_load(e, &m);

	if (rc)
		return rc;
	struct cqesim_sim_config config = {
		.device = m.device,
		.link = m.link,
		.driver = m.driver,
		.host = m.host,
		.application = m.application,
		.queues = (unsigned)setting_number(e, "queues", 1, CQESIM_QUEUES_MAX, &rc),
		.ring = (unsigned)setting_number_or(e, "ring", 0, 4, 32768, &rc),
		.burst = (unsigned)setting_number_or(e, "burst", 0, 1, CQESIM_BURST_MAX, &rc),
		.comp = compression_choice(e, &rc),
		.mini_format = -1,
		.checksums = CQESIM_CHECKSUMS_L3,
	};
	double pps = setting_rate(e, "offered", &rc);

	if (!rc && behind_link)
		rc = link_received(e, &m, config.comp, &pps);
	if (!rc)
		rc = run_replay(e, &config, pps, run);
	profiles_free(&m);
	return rc;
}

static int get_run(struct evaluation *e, bool behind_link, const struct replay_run **out)
{
	char *key = run_key(e, behind_link ? "behind the link" : "as offered");
	struct runs *runs = e->runs;

	if (!key)
		return cqesim_fail(e->err, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < runs->count; i++)
		if (!strcmp(runs->run[i].key, key)) {
			free(key);
			*out = &runs->run[i];
			return 0;
		}
	struct replay_run *more = realloc(runs->run, (runs->count + 1) * sizeof(*more));
	if (!more) {
		free(key);
		return cqesim_fail(e->err, -ENOMEM, "out of memory");
	}
	runs->run = more;
	struct replay_run *run = &runs->run[runs->count];
	*run = (struct replay_run){.key = key};
	int rc = new_run(e, behind_link, run);
	if (rc) {
		free(key);
		return rc;
	}
	runs->count++;
	*out = run;
	return 0;
}

/* ---- measures ---- */

/* packets per second that the drivers returned */
int measure_delivered(struct evaluation *e, double *value)
{
	const struct replay_run *run;
	int rc = get_run(e, false, &run);

	*value = rc ? 0 : run->delivered_pps;
	return rc;
}

/* rx_out_of_buffer per second */
int measure_out_of_buffer(struct evaluation *e, double *value)
{
	const struct replay_run *run;
	int rc = get_run(e, false, &run);

	*value = rc ? 0 : run->out_of_buffer_pps;
	return rc;
}

/* rx_cqe_compress_blks per second; compressed_share: see measure_compress_pkts */
int measure_compress_blks(struct evaluation *e, double *value)
{
	const struct replay_run *run;
	int rc = get_run(e, false, &run);
	double share = setting_number_or(e, "compressed_share", 1, 0, 1, &rc);

	*value = rc ? 0 : share * run->sessions_per_packet * run->delivered_pps;
	return rc;
}

/*
 * rx_cqe_compress_pkts per second.  The replay compresses always; compressed_share
 * is the part of the time in which the card does.
 */
int measure_compress_pkts(struct evaluation *e, double *value)
{
	const struct replay_run *run;
	int rc = get_run(e, false, &run);
	double share = setting_number_or(e, "compressed_share", 1, 0, 1, &rc);

	*value = rc ? 0 : share * run->session_share * run->delivered_pps;
	return rc;
}

/* packets of a poll, or frame, that found some: a dispatch of VPP's dpdk-input */
int measure_dispatch(struct evaluation *e, double *value)
{
	const struct replay_run *run;
	int rc = get_run(e, true, &run);

	*value = rc ? 0 : run->per_poll;
	return rc;
}

/*
 * Cycles per packet of one node of a graph of graph_nodes: the driver's own, and its
 * share of all that is the application's.
 */
int measure_node_cycles(struct evaluation *e, double *value)
{
	const struct replay_run *run;
	struct machine m;
	int rc = get_run(e, true, &run);
	double nodes = setting_number(e, "graph_nodes", 1, 100, &rc);

	if (!rc)
		rc = profiles_load(e, &m);
	if (rc)
		return rc;
	double poll = cqesim_profile_num(m.driver, CQESIM_DRV_CYC_POLL) / run->per_call;
	double driver =
		poll +
		(1 - run->session_share) * cqesim_profile_num(m.driver, CQESIM_DRV_CYC_PACKET) +
		run->session_share * cqesim_profile_num(m.driver, CQESIM_DRV_CYC_MINI) +
		run->sessions_per_packet * cqesim_profile_num(m.driver, CQESIM_DRV_CYC_SESSION);
	profiles_free(&m);
	*value = driver + (run->cycles - driver) / nodes;
	return 0;
}
