/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of cqesim replay. */
#ifndef CQESIM_REPLAY_OPTIONS_H
#define CQESIM_REPLAY_OPTIONS_H

#include "cqesim/port.h"
#include "cqesim/sim.h"
#include "cqesim/trace.h"

#define SETS_MAX 64

enum format { TEXT, JSON, CSV };

/* What the command line says. */
struct options {
	const char *device, *link, *driver, *host;
	const char *rate, *synthetic, *dump_cq, *dump_tlp, *output, *rss_key, *rss_fields;
	const char *set[SETS_MAX];
	unsigned sets;
	uint64_t dump_tlp_limit; /* 0: all */
	struct cqesim_trace_config trace;
	struct cqesim_sim_config sim;
	uint8_t key[CQESIM_RSS_KEY_BYTES];
	bool compare, quiet;
	enum format format;
};

/* 0, an exit code, or -1 when --help was all; capture files are in argv from optind on. */
int replay_options(struct options *o, int argc, char **argv);

#endif
