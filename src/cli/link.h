/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of cqesim link share. */
#ifndef CQESIM_CLI_LINK_H
#define CQESIM_CLI_LINK_H

#include "cqesim/ceiling.h"

#define LINK_COMMAND     "link"
#define LINK_SETS_MAX    64
#define LINK_LINKS_MAX   32
#define LINK_TEXTS_MAX   16
#define LINK_REMARKS_MAX 12
#define LINK_DEVICE      "connectx-5" /* when nothing else is said */
#define LINK_DRIVER      "dpdk-mlx5-vec"
#define LINK_VALUES_MAX  4096 /* points of a sweep, frame sizes */

enum link_view { LINK_ANSWER, LINK_SWEEP, LINK_TABLE, LINK_BANDWIDTH, LINK_COMBINATIONS };
enum link_format { LINK_TEXT, LINK_JSON, LINK_CSV };
enum link_axis { LINK_SIZE, LINK_SESSION, LINK_QUEUES, LINK_MPW };

/* Numbers in ascending or given order. */
struct link_values {
	uint32_t value[LINK_VALUES_MAX];
	unsigned count;
};

/* What the command line says; numbers that were not given are -1. */
struct link_options {
	enum link_view view;
	enum link_format format;
	const char *device, *host, *app, *driver, *rate, *efficiency, *port_speed;
	const char *link[LINK_LINKS_MAX];
	unsigned links;
	const char *set[LINK_SETS_MAX];
	unsigned sets;
	struct link_values frames; /* sizes; with --bandwidth transfers */
	enum link_axis axis;
	uint32_t axis_low, axis_high, axis_step; /* step 0: only where the curve jumps */

	enum cqesim_rxtx direction;
	bool direction_given;
	bool keep_fcs, pad, blueflame, striding;
	int cqe;         /* enum cqesim_cqe_mode, plain ones */
	int compression; /* enum cqesim_cqe_mode from ARRAYS on; PLAIN64: off */
	struct cqesim_fraction session, compressed; /* den 0: not given */
	long offset, strides, stride_size, wqe_bytes, wqe_fetch, queues, ports, ring, cores;
	long interrupt_every, dbrec_every;
	long tx_inline, tx_inline_min, tx_mpw, tx_fetch, tx_cqe_every, tx_doorbell_every;
	double published_pps;             /* 0: none */
	const char *text[LINK_TEXTS_MAX]; /* files of --lspci, --dmesg, --ethtool */
	unsigned texts;
	bool local;
	const char *card; /* address or interface; NULL: the only one */
};

/* 0, an exit code, or -1 when --help was all. */
int link_options(struct link_options *o, int argc, char **argv);

/* Options that do not go together: 0 or an exit code. */
int link_check(const struct link_options *o);

extern const char link_help[];

/* Values; 0 or EXIT_USAGE after a message. */
int link_number(const char *option, const char *text, uint64_t low, uint64_t high, long *value);
int link_list(const char *option, const char *text, uint32_t low, uint32_t high,
	      struct link_values *v);
int link_axis_range(struct link_options *o, const char *text);
/* "6.01", with percent also "26%"; false: no such number. */
bool link_fraction(const char *text, bool percent, struct cqesim_fraction *f);

/* Profiles and the config that comes of them and the options. */
struct link_run {
	const struct link_options *options;
	struct cqesim_profile *device, *link, *host, *driver, *application;
	struct cqesim_ceiling_config config;
	char link_name[128];                 /* as lspci or this machine has it; or "" */
	char remarks[LINK_REMARKS_MAX][512]; /* said before the answer */
	unsigned remark_count;
};

/* What files and this machine say goes into the options and the run; an exit code. */
int link_sysinfo(struct link_run *run, struct link_options *o);

/* Let the config stand on another link; an exit code. */
int link_use(struct link_run *run, const char *name);

/* The config with the n-th frame size, session length ... in place of its own. */
struct cqesim_ceiling_config link_point(const struct link_run *run, enum link_axis axis,
					uint32_t value);

/* The views; exit codes. */
int link_answer(struct link_run *run);
int link_json(struct link_run *run, const struct link_values *points, enum link_axis axis);
int link_csv(struct link_run *run, const struct link_values *points, enum link_axis axis);
int link_sweep(struct link_run *run);
int link_table(struct link_run *run);
int link_bandwidth(struct link_run *run);
int link_combinations(struct link_run *run);

/* Something to be said before the answer. */
void link_remark(struct link_run *run, const char *text);
/* Print what there is, for people; with --csv, which has no place for it, to standard error. */
void link_print_remarks(const struct link_run *run);
/* JSON of a view that is a list: the remarks and the list, which it takes; an exit code. */
struct json_t;
int link_print_list(const struct link_run *run, struct json_t *list);

/* Text in lines of at most 78 columns. */
void link_wrapped(const char *text);

/* Why the answer is what it is, in a sentence or two. */
void link_sentence(const struct link_run *run, const struct cqesim_ceiling_config *c,
		   const struct cqesim_ceiling *r, char *text, size_t size);

/* The parameter behind a limit, for its grade; NULL: none, it follows from others. */
const struct cqesim_param *link_bound_param(const struct link_run *run,
					    const struct cqesim_ceiling *r,
					    enum cqesim_bound bound);

/* Packets per second that the link carries in both directions, at its efficiency. */
double link_carries(const struct cqesim_ceiling *r);

/* Ethernet speeds of the tables, Gb/s; ends with 0. */
extern const unsigned link_speeds[];

/* Why a config cannot be: exit code. */
int link_refuse(const struct cqesim_error *err);

#endif
