/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of cqesim replay. */
#ifndef CQESIM_REPLAY_OPTIONS_H
#define CQESIM_REPLAY_OPTIONS_H

#include "cqesim/port.h"
#include "cqesim/sim.h"
#include "cqesim/trace.h"

#define SETS_MAX 64

#define THREADS_MAX 256

enum format { TEXT, JSON, CSV, COUNTERS };

/* What the command line says. */
struct options {
	const char *device, *link, *driver, *host, *app;
	const char *rate, *synthetic, *dump_cq, *dump_tlp, *output, *rss_key, *rss_fields;
	const char *set[SETS_MAX];
	unsigned sets;
	uint64_t dump_tlp_limit; /* 0: all */
	struct cqesim_trace_config trace;
	struct cqesim_sim_config sim;
	uint8_t key[CQESIM_RSS_KEY_BYTES];
	bool compare, quiet, ndr;
	const char *sweep, *timeline;
	bool timeline_queues;
	uint64_t bin_ps;  /* 0: as it fits */
	unsigned threads; /* 0: 1 */
	enum format format;
};

/* 0, an exit code, or -1 when --help was all; capture files are in argv from optind on. */
int replay_options(struct options *o, int argc, char **argv);

/* One more option, by its long name; -ENOENT: there is none of that name. */
int replay_option(struct options *o, const char *key, const char *value);

extern const char replay_help[];

#endif
