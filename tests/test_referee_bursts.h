/* SPDX-License-Identifier: BSD-3-Clause */
/* A random workload for a simulated driver, for the tests of the suite bursts. */
#ifndef CQESIM_TEST_REFEREE_BURSTS_H
#define CQESIM_TEST_REFEREE_BURSTS_H

#include <check.h>

#include "cqesim/sim.h"

enum bursts_mode { BURSTS_SCALAR, BURSTS_VEC, BURSTS_MPRQ, BURSTS_MPRQ_VEC, BURSTS_MODES };

enum bursts_arrivals {
	BURSTS_EVEN,
	BURSTS_POISSON,
	BURSTS_ON_OFF, /* bursts of any length at the wire's rate, and pauses */
	BURSTS_CLUMPS, /* several at the same time */
	BURSTS_ARRIVALS
};

struct bursts_workload {
	enum bursts_mode mode;
	uint64_t random;

	/* the machine */
	const char *link;
	unsigned log_ring;                    /* slots, or strides of all WQEs */
	unsigned log_strides, log_stride_len; /* striding */
	unsigned memcpy_len;
	unsigned burst;
	unsigned app_cycles, poll_cycles; /* per packet, per call */
	enum cqesim_comp_choice comp;
	enum cqesim_mini_format format;
	unsigned comp_max, comp_timeout_ns;
	bool comp_cross;

	/* the traffic */
	enum bursts_arrivals arrivals;
	double load;           /* of what the core can do */
	unsigned load_changes; /* after so many packets on average; 0: never */
	unsigned burst_mean;   /* ON_OFF, CLUMPS */
	unsigned kinds;        /* of packets, which end sessions ... */
	unsigned kind_changes; /* ... so many of 1024 times */
	unsigned len_min, len_max;
	unsigned packets;
};

/* Draw one.  The same mode and seed give the same workload and the same packets. */
void bursts_draw(struct bursts_workload *w, enum bursts_mode mode, uint64_t seed);
void bursts_describe(const struct bursts_workload *w, char *text, size_t size);
/* Feed its packets; clock_hz: the core's. */
int bursts_feed(struct bursts_workload *w, struct cqesim_sim *sim, double clock_hz,
		struct cqesim_error *err);

/*
 * The real driver's program, of DPDK 22.11 or 24.11, built once; NULL and a reason
 * if it cannot be had.  Called with a feed it writes to the file CQESIM_CALLS what
 * each call returned and the receive doorbell after it, 32 bits each.
 */
const char *bursts_driver(bool newer, const char **why);

/* Sessions longer than the packet buffers at hand. */
TCase *bursts_overrun(void);

#endif
