/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files that try random rings on the real driver share. */
#ifndef CQESIM_TEST_REFEREE_RANDOM_H
#define CQESIM_TEST_REFEREE_RANDOM_H

#include <sys/types.h>

#include "ring_random.h"

/* ---- the program ---- */

struct referee {
	char path[512];
	bool newer; /* DPDK 24.11, else 22.11 */
};
/*
 * The referee with the driver of DPDK 22.11 or 24.11, built once for all tests
 * in a copy (or, made already, in the folder that CQESIM_REFEREE names).  False
 * and a reason if it cannot be had.
 */
bool referee_find(struct referee *r, bool newer, const char **why);

/* ---- what it says ---- */

/* As the referee's README describes its binary records. */
struct referee_record {
	uint64_t number, ol_flags, timestamp;
	uint32_t length, ptype, rss, mark;
	uint16_t vlan, valid, stride, descriptor;
};
_Static_assert(sizeof(struct referee_record) == 48, "record size");

/* Its last line. */
struct referee_summary {
	uint64_t packets, errors, queue_modifies, rewrites, nombuf, false_external, slack_written;
	uint32_t cq_ci, rq_ci;
	bool fault, runaway;
};

/* ---- the judge ---- */

/* Differences that are the driver's own: the table stands in test_referee_random_judge.c. */
#define REFEREE_EXCEPTIONS_MAX 24
extern const unsigned referee_exceptions;
const char *referee_exception_name(unsigned i);

/* One ring, as our reader found it and as the driver did. */
struct referee_case {
	const struct ring_config *config;
	const struct cqesim_completion *got; /* what our reader returned */
	const uint8_t *fate;                 /* enum ring_fate of each */
	size_t count;
	uint32_t errors, criticals; /* error completions among them, by kind */
	uint32_t end;               /* consumer index of our reader */
	const uint8_t *ring;        /* as our reader left it */
	const struct referee_record *records;
	size_t record_count;
	const struct referee_summary *summary;
	const uint8_t *driver_ring; /* as the driver left it */
};

/*
 * Empty if the two agree but for the exceptions, which are counted in
 * exceptions[]; else what the first difference is.
 */
void referee_judge(const struct referee_case *c, uint64_t *exceptions, char *text, size_t size);

/* ---- one ring ---- */

/* What the rings of a pair held. */
struct contents {
	uint64_t laps, sessions, over_end, up_to_end, whole_ring, fillers, errors;
	uint32_t longest;
	unsigned smallest, largest; /* log2 of slots */
};

/* One mini format with one receive function. */
struct pair {
	char name[96];
	struct referee referee;
	enum ring_path path;
	enum cqesim_cq_layout layout;
	enum cqesim_mini_format format;
	uint64_t packets, exceptions[REFEREE_EXCEPTIONS_MAX];
	unsigned rings;
	struct contents held;
	uint64_t seed; /* that all seeds are made of */
	double seconds;
};

/* One ring: written and read by us, being read by the driver. */
struct job {
	struct pair *pair;
	unsigned number;
	struct ring_config config;
	struct ring_device device;
	struct cqesim_cq_reader reader;
	uint8_t *image; /* the ring that our reader reads */
	size_t got;
	uint64_t deliverable;
	uint8_t *feed;
	size_t feed_size, feed_room;
	uint64_t random;
	pid_t pid;
	char feed_path[512], records_path[512], ring_path[512], out_path[512];
};

/* Rings that the driver reads at the same time as the next one is written. */
#define REFEREE_JOBS 3

/*
 * Write the number-th ring of a pair, of `packets` packets and 2^log_size slots
 * (0: any size), read it, and have the driver start to read it.
 */
void referee_start(struct job *j, struct pair *pair, unsigned number, uint32_t packets,
		   unsigned log_size);
/* If it was started: wait for the driver, judge, add to the pair's counts, and tidy up. */
void referee_finish(struct job *j);

#endif
