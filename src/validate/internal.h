/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of validate share.
 *
 *   names.c     which experiments there are
 *   load.c      an experiment from its file
 *   settings.c  keys and values, read as numbers and words
 *   run.c       figures, deviations, summary
 *   fit.c       better values for parameters
 *   write.c     these, back into the file
 *   measure.c   the table of measures
 *   replay.c    measures from a replay of synthetic traffic
 *   ceiling.c   measures from the link's closed form
 *   rings.c     measures from rings under bursts
 *   cost.c      measures from cost per byte, segment, buffer and call
 */
#ifndef CQESIM_VALIDATE_INTERNAL_H
#define CQESIM_VALIDATE_INTERNAL_H

#include "cqesim/sim.h"
#include "cqesim/validate.h"

/* ---- settings.c ---- */

int settings_put(struct cqesim_settings *s, const char *key, const char *value);
void settings_free(struct cqesim_settings *s);
/* NULL when there is none. */
const char *settings_get(const struct cqesim_settings *s, const char *key);

/* One evaluation: the settings of a figure, and which of them were asked for. */
struct evaluation {
	struct cqesim_settings settings;
	bool used[64];
	const char *file, *figure;
	struct runs *runs;
	struct cqesim_error *err;
};
#define SETTINGS_MAX 64u

int setting_refuse(const struct evaluation *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The text of a key, or `otherwise` (NULL: it must be there; then -EINVAL in *rc). */
const char *setting_word(struct evaluation *e, const char *key, const char *otherwise, int *rc);
/* A number within low..high; a key that must be there.  Nothing happens when *rc is not 0. */
double setting_number(struct evaluation *e, const char *key, double low, double high, int *rc);
double setting_number_or(struct evaluation *e, const char *key, double otherwise, double low,
			 double high, int *rc);
/* "142Mpps" as packets per second. */
double setting_rate(struct evaluation *e, const char *key, int *rc);

/* ---- measure.c ---- */

/* The model's value of a figure, in its unit. */
typedef int (*measure_fn)(struct evaluation *e, double *value);
measure_fn find_measure(const char *name);

/* ---- replay.c ---- */

/* What is kept of a replay. */
struct replay_run {
	char *key;          /* its settings in one line */
	double seconds;     /* that were counted: the trace without its first quarter */
	double offered_pps; /* by the traffic */
	double delivered_pps, out_of_buffer_pps;
	double per_poll; /* packets of a poll, or frame, that found some */
	double per_call; /* of a call of the driver's */
	double cycles;   /* of the core per packet, polls that found nothing left out */
	double sessions_per_packet, session_share;
};
struct runs {
	struct replay_run *run;
	unsigned count;
};
void runs_free(struct runs *runs);

/* Profiles with the evaluation's settings applied to them. */
struct machine {
	struct cqesim_profile *device, *link, *driver, *host, *application;
};
int profiles_load(struct evaluation *e, struct machine *m);
void profiles_free(struct machine *m);
enum cqesim_comp_choice compression_choice(struct evaluation *e, int *rc);

int measure_delivered(struct evaluation *e, double *value);
int measure_out_of_buffer(struct evaluation *e, double *value);
int measure_compress_blks(struct evaluation *e, double *value);
int measure_compress_pkts(struct evaluation *e, double *value);
int measure_dispatch(struct evaluation *e, double *value);
int measure_node_cycles(struct evaluation *e, double *value);

/* ---- ceiling.c ---- */

/* What the link lets through of the offered rate, sending included. */
int link_received(struct evaluation *e, const struct machine *m, enum cqesim_comp_choice comp,
		  double *pps);
int measure_link_received(struct evaluation *e, double *value);
int measure_link_gain(struct evaluation *e, double *value);
int measure_cqe_payload(struct evaluation *e, double *value);

/* ---- rings.c ---- */

int measure_lost_before(struct evaluation *e, double *value);
int measure_lost_after(struct evaluation *e, double *value);
int measure_buffers_before(struct evaluation *e, double *value);
int measure_buffers_after(struct evaluation *e, double *value);
int measure_ratio_gain(struct evaluation *e, double *value);

/* ---- cost.c ---- */

int measure_zcrx_rate(struct evaluation *e, double *value);
int measure_zcrx_user(struct evaluation *e, double *value);
int measure_zcrx_softirq(struct evaluation *e, double *value);
int measure_copy_gbps(struct evaluation *e, double *value);
int measure_zero_copy_gbps(struct evaluation *e, double *value);
int measure_free_thresh_gain(struct evaluation *e, double *value);

/* ---- fit.c ---- */

/* To what is written: four digits, or a whole number; the text, too. */
void round_value(struct cqesim_fitted *p, char text[32]);

/* ---- run.c ---- */

/* One figure anew; its deviation follows. */
int run_figure(struct cqesim_experiment *x, unsigned figure, struct runs *runs,
	       struct cqesim_error *err);

#endif
