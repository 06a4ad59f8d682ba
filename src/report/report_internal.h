/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_internal.h - what the files of the report station share.
 *
 *   metrics.c   means, percentiles, sums: one place for text, JSON and CSV
 *   params.c    the profiles' parameters as they are in force
 *   format.c    numbers, wrapped lines, output errors
 *   text.c      the report for people: the headline, what was replayed, set-up
 *   tables.c    its limits, PCIe traffic and comparison
 *   receive.c   its compression, bursts, ring, drops and assumptions
 *   json.c      the report for programs; json_result.c: one result of it
 *   csv.c       a line per queue
 *   counters.c  as ethtool -S has them
 *   delay.c     completion delay, in text and JSON
 *   core.c      frames, interrupts, register writes, memory, likewise
 *   many.c      a line for each of many runs
 *   profile.c   one profile as text and JSON
 */
#ifndef CQESIM_REPORT_INTERNAL_H
#define CQESIM_REPORT_INTERNAL_H

#include <jansson.h>
#include <locale.h>

#include "cqesim/report.h"

/* ---- metrics.c; NAN stands for "n/a" everywhere ---- */

struct report_bursts {
	uint64_t polls, empty_polls; /* that found packets; that found none */
	double mean;
	unsigned p50, p90, p99, max; /* 0 without polls */
};

struct report_metrics {
	struct report_bursts bursts;
	double completions;    /* bytes per packet: plain CQEs, titles and mini arrays */
	double saved;          /* of these, per packet, against plain CQEs */
	double saved_total;    /* bytes */
	double session_mean;   /* packets per session */
	double compressed;     /* share of the completions that travelled in sessions */
	double delivered_pps;  /* over the trace's duration */
	double seconds;        /* that duration */
	double use_trace[2];   /* share of the link that this run used, by direction */
	double use_line[2];    /* and what the mix would use at the port's line rate */
	double line_bits;      /* per packet on the wire: frame, FCS, preamble and gap */
	double occupancy_mean; /* completions waiting at a poll */
	uint64_t dropped;
};

void report_bursts(const struct cqesim_host_stats *host, struct report_bursts *bursts);
void report_metrics(const struct cqesim_result *r, struct report_metrics *m);
/* Smallest size that at least `percent` of the entries do not exceed; 0 if there is none. */
unsigned report_percentile(const uint64_t *hist, unsigned classes, unsigned percent);
/* Share of the whole run in which a queue's core was in polls that found packets. */
double report_busy(const struct cqesim_result *r, const struct cqesim_host_stats *host);
/* part / whole, NAN when whole is 0. */
double report_ratio(double part, double whole);
/* "up" or "down". */
const char *report_direction(enum cqesim_direction direction);
enum cqesim_direction report_traffic_direction(enum cqesim_traffic kind);

/* Histograms in powers of two: class 0 is 1, then 2, 3-4, 5-8 ...; the last takes the rest. */
#define REPORT_CLASSES 12u
unsigned report_class(unsigned size);

/* ---- params.c ---- */

/* One parameter as it is in force: options go before the profile. */
struct report_param {
	const struct cqesim_profile *profile;
	const struct cqesim_param *param;
	char value[128]; /* as text, when overridden */
	bool overridden; /* by an option that is no profile parameter */
	double number;
	enum cqesim_grade grade;
};
/* "off", "balanced" or "aggressive": what the driver's and the firmware's switch come to. */
const char *report_compression(const struct cqesim_result *r);
/* The firmware's switch alone: "balanced" or "aggressive". */
const char *report_firmware(const struct cqesim_result *r);
/* What --compare asked for: heading and key of a column. */
const char *report_choice(const struct cqesim_result *r);
/* NULL: there is no application. */
const struct cqesim_profile *report_profile(const struct cqesim_result *r,
					    enum cqesim_profile_kind kind);
void report_param(const struct cqesim_result *r, enum cqesim_profile_kind kind, unsigned id,
		  struct report_param *p);
const char *report_param_text(const struct report_param *p);
/* The unit to print, or NULL for texts and plain numbers. */
const char *report_param_unit(const struct cqesim_param *p);

/* ---- format.c ---- */

/* A short text by value, so that calls can stand in argument lists. */
struct numtext {
	char s[48];
};
struct numtext report_count(uint64_t n);                        /* 10,000 */
struct numtext report_real(double x, int decimals);             /* 12,345.68 or n/a */
struct numtext report_rate(double pps);                         /* 87.29 Mpps, 1.20 kpps */
struct numtext report_bits(double bits_per_s);                  /* 98.76 Gb/s */
struct numtext report_time(uint64_t ps);                        /* 1.235 ms */
struct numtext report_percent(double share);                    /* 12.3 % */
const char *report_plural(uint64_t n);                          /* "s" or nothing */
struct numtext report_span(unsigned class_index, unsigned top); /* 5-8; top: no larger size */

/*
 * Valid UTF-8, to be freed: other bytes become \xNN; for people (terminal)
 * control characters too, and line ends become spaces.  NULL: no memory.
 */
char *report_clean(const char *text, bool terminal);

struct report_out {
	FILE *f;
	int ret; /* first error that is not the stream's */
	locale_t c, before;
};
/* Numbers are written with a point whatever the program's locale says. */
void report_begin(struct report_out *o, FILE *f);
/* Flush; 0, or a negative errno and "standard output: REASON". */
int report_end(struct report_out *o, struct cqesim_error *err);

#define REPORT_COLUMNS 100u
/* "\nTITLE\n", wrapped. */
void report_title(struct report_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A paragraph, every line indented. */
void report_para(struct report_out *o, unsigned indent, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A label and a text that wraps beside it. */
void report_row(struct report_out *o, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void report_labelled(struct report_out *o, unsigned indent, unsigned width, const char *label,
		     const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Histogram over classes as bars; unit is what is counted, size what is measured. */
void report_bars(struct report_out *o, const uint64_t classes[REPORT_CLASSES], unsigned top,
		 const char *size, const char *unit);

/* ---- sections of the text ---- */

void report_limits(struct report_out *o, const struct cqesim_result *r,
		   const struct report_metrics *m);
void report_pcie(struct report_out *o, const struct cqesim_result *r,
		 const struct report_metrics *m);
void report_compare(struct report_out *o, const struct cqesim_report *report);
void report_sessions(struct report_out *o, const struct cqesim_result *r,
		     const struct report_metrics *m);
void report_polls(struct report_out *o, const struct cqesim_result *r,
		  const struct report_metrics *m);
void report_rq(struct report_out *o, const struct cqesim_result *r);
void report_core(struct report_out *o, const struct cqesim_result *r);
void report_delays(struct report_out *o, const struct cqesim_result *r);
/* "16 WQEs of 64 strides" */
struct rqtext {
	char s[128];
};
struct rqtext report_rq_shape(const struct cqesim_result *r);
void report_shortages(struct report_out *o, const struct cqesim_result *r);
void report_drops(struct report_out *o, const struct cqesim_result *r,
		  const struct report_metrics *m);
void report_assumptions(struct report_out *o, const struct cqesim_result *r);
/* In words: "port (line rate)", "PCIe link" ... */
const char *report_limit_words(enum cqesim_limit limit);
const char *report_traffic_words(enum cqesim_traffic kind);

/* ---- JSON ---- */

/* A document under construction; `failed` once memory was short. */
struct report_json {
	bool failed;
};
/* A NULL value is a failed allocation. */
void report_put(struct report_json *j, json_t *object, const char *key, json_t *value);
void report_put_u64(struct report_json *j, json_t *object, const char *key, uint64_t value);
void report_put_real(struct report_json *j, json_t *object, const char *key, double value);
void report_put_text(struct report_json *j, json_t *object, const char *key, const char *value);
void report_add(struct report_json *j, json_t *array, json_t *value);
/* Integers beyond int64_t and numbers that are not finite become reals and null. */
json_t *report_u64(uint64_t value);
json_t *report_number(double value);
json_t *report_string(struct report_json *j, const char *value);
int report_dump(struct report_json *j, json_t *root, FILE *out, struct cqesim_error *err);

/* The keys "delivered", "dropped", "link", "limits", "compression", "bursts", "rq". */
void report_json_result(struct report_json *j, json_t *object, const struct cqesim_result *r,
			const struct report_metrics *m);
/* The key "rq". */
json_t *report_rq_json(struct report_json *j, const struct cqesim_result *r);
/* The key "completion_delay". */
json_t *report_delays_json(struct report_json *j, const struct cqesim_result *r);
/* The key "counters". */
json_t *report_counters_json(struct report_json *j, const struct cqesim_result *r);
/* The key "core". */
json_t *report_core_json(struct report_json *j, const struct cqesim_result *r);
/* One parameter, profile and kind left out. */
void report_json_param(struct report_json *j, json_t *object, const struct report_param *p);

#endif
