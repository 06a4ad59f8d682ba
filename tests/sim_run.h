/* SPDX-License-Identifier: BSD-3-Clause */
/* sim_run.h - for the tests of the simulation: a machine, a trace, a run and what came of it. */
#ifndef CQESIM_SIM_RUN_H
#define CQESIM_SIM_RUN_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/report.h"
#include "cqesim/sim.h"
#include "test.h"

#define LINE_BPS UINT64_C(100000000000) /* of connectx-5 */

/* The other parts of the suite. */
void add_sim_damage(Suite *suite);
void add_sim_conservation(Suite *suite);
void add_sim_striding(Suite *suite);
void add_sim_link(Suite *suite);

/* One simulation over one trace. */
struct sim_run {
	struct cqesim_profile *device, *link, *driver, *host, *application;
	struct cqesim_sim_config config;
	struct cqesim_trace_config trace_config;
	struct cqesim_port port;
	struct cqesim_port_stats port_stats;
	struct cqesim_trace *trace;
	struct cqesim_replay replay;
	const struct cqesim_result *result; /* after a run that went well */
	struct cqesim_error err;
};

static inline void use_models(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/models", test_top_srcdir());
	setenv("CQESIM_MODELS", path, 0);
}

static inline void load_profile(struct cqesim_profile **p, enum cqesim_profile_kind kind,
				const char *name)
{
	struct cqesim_error err = {""};

	ck_assert_msg(!cqesim_profile_load(p, kind, name, &err), "%s", err.text);
}

static inline struct sim_run *run_new(const char *device, const char *link, const char *driver)
{
	struct sim_run *r = calloc(1, sizeof(*r));

	ck_assert_ptr_nonnull(r);
	use_models();
	load_profile(&r->device, CQESIM_PROFILE_DEVICE, device);
	load_profile(&r->link, CQESIM_PROFILE_LINK, link);
	load_profile(&r->driver, CQESIM_PROFILE_DRIVER, driver);
	load_profile(&r->host, CQESIM_PROFILE_HOST, "generic");
	load_profile(&r->application, CQESIM_PROFILE_APPLICATION, "rxonly");
	r->config = (struct cqesim_sim_config){
		.device = r->device,
		.link = r->link,
		.driver = r->driver,
		.host = r->host,
		.application = r->application,
		.queues = 1,
		.mini_format = -1,
		.checksums = CQESIM_CHECKSUMS_L3,
	};
	return r;
}

static inline void run_set(struct sim_run *r, const char *key, const char *value)
{
	struct cqesim_profile *const all[] = {r->device, r->link, r->driver, r->host,
					      r->application};
	struct cqesim_error err = {""};
	bool known = false;

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		known |= !cqesim_profile_set(all[i], key, value, &err);
	ck_assert_msg(known, "%s=%s: %s", key, value, err.text);
}

/* Free what a run left, keep the machine: for the next one. */
static inline void run_reset(struct sim_run *r)
{
	for (unsigned i = 0; i < r->replay.sims; i++)
		cqesim_sim_destroy(r->replay.sim[i]);
	cqesim_trace_close(r->trace);
	memset(&r->replay, 0, sizeof(r->replay));
	memset(&r->port_stats, 0, sizeof(r->port_stats));
	r->trace = NULL;
	r->result = NULL;
	r->err.text[0] = '\0';
}

static inline void run_free(struct sim_run *r)
{
	run_reset(r);
	cqesim_profile_free(r->application);
	cqesim_profile_free(r->host);
	cqesim_profile_free(r->driver);
	cqesim_profile_free(r->link);
	cqesim_profile_free(r->device);
	free(r);
}

static inline void run_open_synthetic(struct sim_run *r, const char *spec)
{
	run_reset(r);
	ck_assert_msg(
		!cqesim_trace_open_synthetic(&r->trace, spec, LINE_BPS, &r->trace_config, &r->err),
		"%s: %s", spec, r->err.text);
}

static inline void run_open_file(struct sim_run *r, const char *path)
{
	run_reset(r);
	ck_assert_msg(!cqesim_trace_open(&r->trace, &path, 1, &r->trace_config, &r->err), "%s",
		      r->err.text);
}

/* One simulation of r->config more in the run. */
static inline int run_add_sim(struct sim_run *r)
{
	int rc = cqesim_sim_create(&r->replay.sim[r->replay.sims], &r->config, &r->err);

	if (!rc)
		r->replay.sims++;
	return rc;
}

/* Runs the trace through the simulations that were added (one, if none was). */
static inline int run_go(struct sim_run *r)
{
	int rc = cqesim_sim_port(&r->port, &r->config, &r->err);

	ck_assert_msg(!rc, "%s", r->err.text);
	if (!r->replay.sims && (rc = run_add_sim(r)))
		return rc;
	r->replay.trace = r->trace;
	r->replay.port = &r->port;
	r->replay.port_stats = &r->port_stats;
	rc = cqesim_replay_run(&r->replay, &r->err);
	if (!rc)
		r->result = cqesim_sim_result(r->replay.sim[0]);
	return rc;
}

static inline const struct cqesim_result *run_well(struct sim_run *r)
{
	int rc = run_go(r);

	ck_assert_msg(!rc, "%d: %s", rc, r->err.text);
	ck_assert_ptr_nonnull(r->result);
	return r->result;
}

static inline const struct cqesim_result *run_synthetic(struct sim_run *r, const char *spec)
{
	run_open_synthetic(r, spec);
	return run_well(r);
}

static inline const struct cqesim_result *run_file(struct sim_run *r, const char *path)
{
	run_open_file(r, path);
	return run_well(r);
}

/* The JSON report of simulation i; to be freed. */
static inline char *run_json(struct sim_run *r, unsigned i)
{
	struct cqesim_report report = {
		.source = "a test",
		.trace = cqesim_trace_stats(r->trace),
		.port = &r->port_stats,
		.result = {cqesim_sim_result(r->replay.sim[i])},
		.results = 1,
	};
	struct cqesim_error err = {""};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(f);
	ck_assert_msg(!cqesim_report_json(&report, f, &err), "%s", err.text);
	ck_assert(!fclose(f));
	return text;
}

/* What must be true of any result: packets neither appear nor vanish. */
static inline void check_books(const char *what, const struct sim_run *r)
{
	const struct cqesim_result *s = r->result;
	const struct cqesim_trace_stats *t = cqesim_trace_stats(r->trace);
	uint64_t dropped = 0, offered = 0, delivered = 0, in_sessions = 0, sessions = 0, polled = 0;
	uint64_t polls = 0, dropped_in_queues = 0, ends = 0, mismatches = 0;

	for (unsigned d = 0; d < CQESIM_DROPS; d++)
		dropped += s->dropped[d];
	for (unsigned i = 0; i < s->queues; i++) {
		offered += s->queue[i].offered;
		delivered += s->queue[i].delivered;
		for (unsigned d = 0; d < CQESIM_DROPS; d++)
			dropped_in_queues += s->queue[i].dropped[d];
		ck_assert_uint_eq(s->queue[i].host->packets, s->queue[i].delivered);
	}
	for (unsigned n = 0; n <= CQESIM_SESSION_HIST; n++) {
		sessions += s->nic.session_hist[n];
		in_sessions += n * s->nic.session_hist[n];
	}
	for (unsigned n = 0; n <= CQESIM_BURST_MAX; n++) {
		polls += s->host.burst_hist[n];
		polled += n * s->host.burst_hist[n];
	}
	for (unsigned e = 0; e < CQESIM_SESSION_ENDS; e++)
		ends += s->nic.session_ends[e];
	for (unsigned f = 0; f < CQESIM_RX_FIELDS_MAX; f++)
		mismatches += s->nic.mismatch[f];
#define BOOK(a, b)                                                                                 \
	ck_assert_msg((uint64_t)(a) == (uint64_t)(b), "%s: %s is %llu, %s is %llu", what, #a,      \
		      (unsigned long long)(a), #b, (unsigned long long)(b))
	BOOK(s->arrived, s->delivered + dropped);
	BOOK(s->arrived, t->frames - s->segmented + s->segments);
	BOOK(s->arrived, offered);
	BOOK(s->delivered, delivered);
	BOOK(dropped, dropped_in_queues);
	BOOK(s->delivered, s->host.packets);
	BOOK(s->delivered, polled);
	BOOK(s->host.polls, polls);
	BOOK(s->nic.packets, s->arrived - s->dropped[CQESIM_DROP_OVERSIZE]);
	BOOK(s->nic.results[CQESIM_RX_DELIVERED], s->delivered);
	/* What found no WQE because the link is behind is told as the buffer's loss. */
	BOOK(s->nic.results[CQESIM_RX_BUFFER_FULL] + s->nic.results[CQESIM_RX_OUT_OF_BUFFER],
	     s->dropped[CQESIM_DROP_BUFFER_FULL] + s->dropped[CQESIM_DROP_OUT_OF_BUFFER]);
	BOOK(s->nic.wqes, s->delivered);
	BOOK(s->delivered, s->nic.plain + s->nic.session_packets);
	BOOK(sessions, s->nic.sessions);
	if (!s->nic.session_hist[CQESIM_SESSION_HIST]) /* the last class holds longer ones too */
		BOOK(in_sessions, s->nic.session_packets);
	BOOK(ends, s->nic.sessions + s->nic.lone);
	BOOK(mismatches, s->nic.session_ends[CQESIM_END_MISMATCH]);
	BOOK(s->host.errors, 0);
	ck_assert_uint_le(s->delivered_bytes, s->arrived_wire_bytes);
#undef BOOK
}

#endif
