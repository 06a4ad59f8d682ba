/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls return when there is more than they take, rule by rule: for the rate
 * at which a core is full.  A call may return less than it was asked for all the
 * same, and its fixed costs then are those of fewer packets.
 */
#include "host_internal.h"

#define TURNS 4096u /* that are averaged: some laps of the largest ring at small bursts */

struct full_ring {
	unsigned size, index, staged;
};

static unsigned advance(struct full_ring *r, unsigned n)
{
	unsigned to_end = r->size - r->index;

	n = host_min(n, to_end);
	r->index = n == to_end ? 0 : r->index + n;
	return n;
}

/* bulk_call in ixgbe.c */
static unsigned bulk(struct full_ring *r, unsigned burst)
{
	unsigned packets = 0, want, n;

	do {
		want = host_min(burst - packets, IXGBE_BURST_MAX);
		if (!r->staged)
			r->staged = advance(r, IXGBE_BURST_MAX);
		n = host_min(want, r->staged);
		r->staged -= n;
		packets += n;
	} while (n == want && packets < burst);
	return packets;
}

static unsigned full_call(const struct cqesim_host_config *c, struct full_ring *r, unsigned burst,
			  bool sessions)
{
	switch (c->rule) {
	case CQESIM_POLL_DPDK_VEC:
		return sessions ? burst : burst / VEC_PER_LOOP * VEC_PER_LOOP;
	case CQESIM_POLL_IXGBE_BULK:
		return bulk(r, burst);
	case CQESIM_POLL_IXGBE_VEC:
		return advance(r, host_min(burst, IXGBE_BURST_MAX) / VEC_PER_LOOP * VEC_PER_LOOP);
	default:
		return burst;
	}
}

struct cqesim_host_turn cqesim_host_full_turn(const struct cqesim_host_config *c, unsigned ring,
					      bool sessions)
{
	struct full_ring r = {.size = ring};
	uint64_t packets = 0, calls = 0;

	for (unsigned i = 0; i < TURNS; i++) {
		unsigned most = c->frame ? c->frame : c->burst, got = 0, want, n;

		do {
			want = host_min(most - got, c->burst);
			n = full_call(c, &r, want, sessions);
			got += n;
			calls++;
		} while (n == want && got < most);
		packets += got;
	}
	return (struct cqesim_host_turn){(double)packets / TURNS, (double)calls / TURNS};
}
