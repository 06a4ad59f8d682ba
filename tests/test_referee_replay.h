/* SPDX-License-Identifier: BSD-3-Clause */
/* One replay and what DPDK's own receive code makes of its ring: for the tests of the suite
 * referee. */
#ifndef CQESIM_TEST_REFEREE_REPLAY_H
#define CQESIM_TEST_REFEREE_REPLAY_H

#include "cqesim/sim.h"
#include "test.h"
#include "test_referee_random.h"

#define RING 64u

/* The program, built once for all tests (each runs in its own process); NULL and a reason if not.
 */
const char *referee(const char **why);

/* What our reader returned, in order, beside the feed; fillers are counted alone. */
struct seen {
	struct cqesim_ring_observer feed;
	struct seen_packet {
		struct cqesim_rxmeta meta;
		uint16_t wqe, stride; /* striding */
	} * packet;
	size_t count, room, fillers;
};

struct machine {
	struct cqesim_profile *device, *link, *driver, *host;
	unsigned wqes; /* striding */
	struct cqesim_hold hold;
	enum cqesim_layout_choice layout;
};

struct machine machine(const char *driver);
void machine_free(struct machine *m);

/* Replays what the trace gives; the result is written to feed, the packets to *seen.  The laps. */
unsigned replay(const struct machine *m, struct cqesim_trace *trace, enum cqesim_comp_choice comp,
		enum cqesim_mini_format format, const char *feed_path, struct seen *seen,
		char *command, size_t size);

/* wqes: of a striding queue, 0 of a cyclic one. */
void judge(const char *name, const char *program, const char *command, const char *driver,
	   enum cqesim_mini_format format, unsigned wqes, const struct seen *seen);

struct capture {
	const char *path;
	uint64_t repeat;
};

struct cqesim_trace *open_capture(const void *what);
struct cqesim_trace *open_synthetic(const void *what);
/* Packets of a capture; 0 for what cannot be replayed to its end. */
uint64_t packets_of(const char *path);

/* Add the tests of striding queues. */
void test_referee_striding(Suite *s);

#endif
