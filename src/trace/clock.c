/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The capture's own times: from whatever a file claims to gaps that never are
 * negative and never absurd.
 */
#include "trace_internal.h"

#define NS_PER_S  INT64_C(1000000000)
#define PS_PER_NS UINT64_C(1000)

int64_t trace_clock_ns(int64_t sec, int64_t nsec, bool unsigned32)
{
	/*
	 * Seconds in pcap files are unsigned (draft-ietf-opsawg-pcap), but
	 * libpcap 1.10 takes them as signed: put the years after 2038 right.
	 */
	if (unsigned32 && sec < 0 && sec >= INT32_MIN)
		sec += INT64_C(1) << 32;
	int64_t ns;
	if (__builtin_mul_overflow(sec, NS_PER_S, &ns) || __builtin_add_overflow(ns, nsec, &ns))
		return sec < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}

uint64_t trace_clock_gap(struct trace_clock *clock, int64_t ns, struct cqesim_trace_stats *stats)
{
	clock->round_frames++;
	if (!clock->running) {
		clock->running = true;
		clock->last_ns = ns;
		return clock->join_ps;
	}
	if (ns < clock->last_ns) {
		stats->time_backwards++;
		/* The difference of two int64_t fits uint64_t, whatever their signs. */
		uint64_t back_ns = (uint64_t)clock->last_ns - (uint64_t)ns;
		if (back_ns > CQESIM_CLOCK_STEP_PS / PS_PER_NS) {
			stats->clock_steps++;
			clock->last_ns = ns;
		}
		return 0;
	}
	uint64_t gap = (uint64_t)ns - (uint64_t)clock->last_ns;
	clock->last_ns = ns;
	if (gap > CQESIM_MAX_GAP_PS / PS_PER_NS) {
		/* One of them still shows that time passed; more of that size would use up the
		 * clock. */
		gap = (clock->long_gaps++ ? CQESIM_LATER_GAP_PS : CQESIM_MAX_GAP_PS) / PS_PER_NS;
		stats->gaps_clamped++;
	}
	gap *= PS_PER_NS;
	if (__builtin_add_overflow(clock->round_ps, gap, &clock->round_ps))
		clock->round_ps = UINT64_MAX;
	return gap;
}

void trace_clock_file(struct trace_clock *clock, bool round)
{
	clock->running = false;
	clock->join_ps = 0;
	if (!round)
		return;
	if (clock->round_frames > 1)
		clock->join_ps = clock->round_ps / (clock->round_frames - 1);
	uint64_t most = clock->long_gaps ? CQESIM_LATER_GAP_PS : CQESIM_MAX_GAP_PS;
	if (clock->join_ps > most)
		clock->join_ps = most;
	clock->round_ps = 0;
	clock->round_frames = 0;
}
