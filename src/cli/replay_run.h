/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of cqesim replay, for the files that make one or many of them. */
#ifndef CQESIM_REPLAY_RUN_H
#define CQESIM_REPLAY_RUN_H

#include "cqesim/report.h"
#include "cqesim/sim.h"
#include "replay_options.h"

/* What a run needs, to be given back at the end. */
struct run {
	struct cqesim_profile *device, *link, *driver, *host, *application;
	struct cqesim_trace *trace;
	struct cqesim_port *port;
	struct cqesim_port_stats *port_stats;
	struct cqesim_feed *feed;
	struct cqesim_tlp_dump *tlps;
	struct cqesim_timeline *timeline;
	struct cqesim_ring_observer observer;
	struct cqesim_replay replay;
	unsigned main;
};

/*
 * An exit code, EXIT_GOOD when run.replay can be run; otherwise what the user typed, or
 * what a file holds, was told.  Either way run_clean_up() gives back what there is.
 */
int run_set_up(struct run *run, struct options *o, const char *const *files, size_t n,
	       struct cqesim_error *err);
void run_clean_up(struct run *run);

/* replay_sweep.c, replay_ndr.c: exit codes. */
int replay_sweep(const struct options *o, const char *const *files, size_t n);
int replay_ndr(const struct options *o, const char *const *files, size_t n);

/* What was read, for a report; to be freed; NULL: no memory. */
char *replay_source(const struct options *o, const char *const *files, size_t n);

#endif
