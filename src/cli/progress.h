/* SPDX-License-Identifier: BSD-3-Clause */
/* A progress line on a terminal: packets, rate, time left. */
#ifndef CQESIM_PROGRESS_H
#define CQESIM_PROGRESS_H

#include <stdbool.h>
#include <time.h>

#include "cqesim/trace.h"

struct progress {
	bool on, shown;
	struct timespec start, last;
};

/* Whether standard error is a terminal and nobody asked for quiet. */
bool progress_start(struct progress *p, bool quiet);
/* For cqesim_replay.progress. */
int progress_show(void *progress, const struct cqesim_trace_stats *stats);
/* Wipe the line. */
void progress_end(struct progress *p);

#endif
