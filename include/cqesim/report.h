/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report.h - the last station: results as text for people, JSON for programs,
 * CSV per queue.  It computes nothing that is not in the result.
 */
#ifndef CQESIM_REPORT_H
#define CQESIM_REPORT_H

#include <stdio.h>

#include "cqesim/common.h"
#include "cqesim/port.h"
#include "cqesim/sim.h"
#include "cqesim/trace.h"

struct cqesim_report {
	const char *source; /* what was read: file names, or the synthetic spec */
	const struct cqesim_trace_stats *trace;
	const struct cqesim_port_stats *port;
	const struct cqesim_result *result[CQESIM_REPLAY_SIMS_MAX];
	unsigned results;     /* 1: one report; more: columns side by side (--compare) */
	unsigned main;        /* which of them is the configuration asked for */
	const char *fcs_note; /* may be NULL */
};

/* All return 0 or a negative errno when writing failed (*err set). */
CQESIM_API int cqesim_report_text(const struct cqesim_report *report, FILE *out,
				  struct cqesim_error *err);
CQESIM_API int cqesim_report_json(const struct cqesim_report *report, FILE *out,
				  struct cqesim_error *err);
CQESIM_API int cqesim_report_csv(const struct cqesim_report *report, FILE *out,
				 struct cqesim_error *err);

/* One line of many runs. */
struct cqesim_many_row {
	const char *value; /* of what was varied */
	struct cqesim_summary summary;
};
struct cqesim_many {
	const char *source;
	const char *key; /* what was varied */
	const struct cqesim_many_row *row;
	unsigned rows;
};
/* A line for each, and where more stops helping. */
CQESIM_API int cqesim_report_many_text(const struct cqesim_many *many, FILE *out,
				       struct cqesim_error *err);
CQESIM_API int cqesim_report_many_json(const struct cqesim_many *many, FILE *out,
				       struct cqesim_error *err);
CQESIM_API int cqesim_report_many_csv(const struct cqesim_many *many, FILE *out,
				      struct cqesim_error *err);

/* The highest rate without loss of one or several policies. */
struct cqesim_ndr_row {
	const char *policy;
	struct cqesim_ndr ndr;
};
struct cqesim_ndr_report {
	const char *source;
	const char *spacing; /* how a trial's rate is made */
	double tolerance;    /* what a trial of this length cannot tell apart, of the rate */
	uint64_t uncounted;  /* packets that no rate delivers: above the MTU ... */
	const struct cqesim_ndr_row *row;
	unsigned rows;
};
CQESIM_API int cqesim_report_ndr_text(const struct cqesim_ndr_report *report, FILE *out,
				      struct cqesim_error *err);
CQESIM_API int cqesim_report_ndr_json(const struct cqesim_ndr_report *report, FILE *out,
				      struct cqesim_error *err);
CQESIM_API int cqesim_report_ndr_csv(const struct cqesim_ndr_report *report, FILE *out,
				     struct cqesim_error *err);

/* CSV, a line per step, or per step and queue if these have steps of their own. */
CQESIM_API int cqesim_report_timeline(const struct cqesim_timeline *timeline, FILE *out,
				      struct cqesim_error *err);

/* The counters of sim.h, as `ethtool -S` prints them. */
CQESIM_API int cqesim_report_counters(const struct cqesim_result *result, FILE *out,
				      struct cqesim_error *err);

/* `cqesim models show NAME`, and the same as JSON. */
CQESIM_API int cqesim_report_profile_text(const struct cqesim_profile *profile, FILE *out,
					  struct cqesim_error *err);
CQESIM_API int cqesim_report_profile_json(const struct cqesim_profile *profile, FILE *out,
					  struct cqesim_error *err);

#endif
