/* SPDX-License-Identifier: BSD-3-Clause */
/* What the suite bursts draws: machines, and packets that come in all manners. */
#include <math.h>
#include <stdio.h>

#include "cqesim/trace.h"
#include "ring_random.h"
#include "test_referee_bursts.h"

/* About what DPDK's functions take themselves; only so that a load of 1 is near saturation. */
#define DRIVER_CYCLES 40.0

static double unit(uint64_t *random) /* 0 < x <= 1 */
{
	return (double)((ring_random(random) >> 11) + 1) * 0x1p-53;
}

/* As likely between 2 and 4 as between 200 and 400. */
static double spread(uint64_t *random, double low, double high)
{
	return low * exp(unit(random) * log(high / low));
}

static unsigned spread_int(uint64_t *random, unsigned low, unsigned high)
{
	unsigned v = (unsigned)spread(random, low, high + 1.0);

	return v < low ? low : v > high ? high : v;
}

/* ---- the machine ---- */

static enum cqesim_mini_format draw_format(struct bursts_workload *w)
{
	static const struct {
		unsigned n;
		enum cqesim_mini_format format[5];
	} takes[BURSTS_MODES] = {
		[BURSTS_SCALAR] = {4,
				   {CQESIM_MINI_HASH, CQESIM_MINI_CSUM, CQESIM_MINI_FTAG_STRIDX,
				    CQESIM_MINI_CSUM_STRIDX}},
		[BURSTS_VEC] = {5,
				{CQESIM_MINI_HASH, CQESIM_MINI_CSUM, CQESIM_MINI_FTAG_STRIDX,
				 CQESIM_MINI_CSUM_STRIDX, CQESIM_MINI_L34H_STRIDX}},
		[BURSTS_MPRQ] = {2, {CQESIM_MINI_FTAG_STRIDX, CQESIM_MINI_CSUM_STRIDX}},
		[BURSTS_MPRQ_VEC] = {3,
				     {CQESIM_MINI_HASH, CQESIM_MINI_CSUM_STRIDX,
				      CQESIM_MINI_L34H_STRIDX}},
	};

	return takes[w->mode].format[ring_below(&w->random, takes[w->mode].n)];
}

static void draw_ring(struct bursts_workload *w)
{
	/* Small ones more often: they show more per packet. */
	w->log_ring = ring_chance(&w->random, 512) ? ring_between(&w->random, 4, 8)
						   : ring_between(&w->random, 4, 13);
	if (w->mode == BURSTS_SCALAR || w->mode == BURSTS_VEC)
		return;
	unsigned most = w->log_ring - 1 < 10 ? w->log_ring - 1 : 10;

	w->log_strides = ring_between(&w->random, 3, most);
	/* A WQE takes the longest packet. */
	unsigned least = w->log_strides < 5 ? 11 - w->log_strides : 6;
	w->log_stride_len = ring_between(&w->random, least, 11);
	w->memcpy_len = ring_chance(&w->random, 512) ? 128 : ring_below(&w->random, 2000);
}

static void draw_machine(struct bursts_workload *w)
{
	static const char *const links[] = {"gen3x16", "gen3x8", "gen3x4"};
	static const enum cqesim_comp_choice comps[] = {
		CQESIM_COMP_CHOOSE_OFF, CQESIM_COMP_CHOOSE_BALANCED, CQESIM_COMP_CHOOSE_AGGRESSIVE,
		CQESIM_COMP_CHOOSE_AGGRESSIVE};

	w->link = links[ring_below(&w->random, 3)];
	draw_ring(w);
	/* Asked for fewer than four, the vector functions return nothing. */
	unsigned least = w->mode == BURSTS_VEC || w->mode == BURSTS_MPRQ_VEC ? 4 : 1;
	w->burst = ring_chance(&w->random, 256) ? 32 : spread_int(&w->random, least, 256);
	w->app_cycles = ring_chance(&w->random, 128) ? 0 : spread_int(&w->random, 5, 3000);
	w->poll_cycles = ring_chance(&w->random, 512) ? 0 : spread_int(&w->random, 10, 5000);
	w->comp = comps[ring_below(&w->random, 4)];
	w->format = draw_format(w);
	w->comp_max = spread_int(&w->random, 2, 1024);
	w->comp_timeout_ns = spread_int(&w->random, 100, 20000);
	w->comp_cross = (w->mode == BURSTS_SCALAR || w->mode == BURSTS_MPRQ) &&
			ring_chance(&w->random, 512);
}

void bursts_draw(struct bursts_workload *w, enum bursts_mode mode, uint64_t seed)
{
	*w = (struct bursts_workload){.mode = mode, .random = seed};
	draw_machine(w);
	w->arrivals = (enum bursts_arrivals)ring_below(&w->random, BURSTS_ARRIVALS);
	w->load = ring_chance(&w->random, 256) ? 1 : spread(&w->random, 0.1, 4);
	w->load_changes = ring_chance(&w->random, 512) ? 0 : spread_int(&w->random, 50, 5000);
	w->burst_mean = spread_int(&w->random, 2, 1000);
	w->kinds = ring_between(&w->random, 1, 4);
	w->kind_changes = ring_chance(&w->random, 512) ? spread_int(&w->random, 1, 40)
						       : ring_below(&w->random, 1024);
	w->len_min = 60;
	w->len_max = ring_chance(&w->random, 512) ? 60 : ring_between(&w->random, 60, 1514);
	w->packets = 8192 + (4u << w->log_ring);
}

void bursts_describe(const struct bursts_workload *w, char *text, size_t size)
{
	static const char *const arrivals[] = {"even", "poisson", "on-off", "clumps"};
	static const char *const comps[] = {"as profiled", "off", "balanced", "aggressive"};

	snprintf(text, size,
		 "%s, ring %u, strides %u of %u, burst %u, %u cycles per packet, %u per call, "
		 "compression %s, %s, sessions up to %u, time-out %u ns, arrivals %s at %.2f of "
		 "saturation (bursts of %u, changing after %u), %u kinds (%u of 1024), %u to %u "
		 "bytes, %u packets",
		 w->link, 1u << w->log_ring, w->log_strides ? 1u << w->log_strides : 0,
		 w->log_stride_len ? 1u << w->log_stride_len : 0, w->burst, w->app_cycles,
		 w->poll_cycles, comps[w->comp], cqesim_mini_format_name(w->format), w->comp_max,
		 w->comp_timeout_ns, arrivals[w->arrivals], w->load, w->burst_mean, w->load_changes,
		 w->kinds, w->kind_changes, w->len_min, w->len_max, w->packets);
}

/* ---- the traffic ---- */

struct traffic {
	struct bursts_workload *w;
	double mean_ps, now_ps;
	unsigned left; /* of a burst */
	unsigned kind;
};

static double exponential(uint64_t *random, double mean)
{
	return -mean * log(unit(random));
}

/* From a burst's first packet to the next one's; within a burst the wire keeps them apart. */
static void next_time(struct traffic *t)
{
	struct bursts_workload *w = t->w;

	switch (w->arrivals) {
	case BURSTS_EVEN:
		t->now_ps += t->mean_ps;
		return;
	case BURSTS_POISSON:
		t->now_ps += exponential(&w->random, t->mean_ps);
		return;
	default:
		if (t->left && t->left--)
			return;
	}
	if (w->arrivals == BURSTS_CLUMPS)
		t->left = 1 + ring_below(&w->random, w->burst_mean);
	else
		t->left = 1 + (unsigned)exponential(&w->random, w->burst_mean);
	double gap = t->mean_ps * t->left;
	t->now_ps += w->arrivals == BURSTS_CLUMPS ? gap : exponential(&w->random, gap);
}

static void next_load(struct traffic *t, double clock_hz, double load)
{
	t->mean_ps = 1e12 * (t->w->app_cycles + DRIVER_CYCLES) / clock_hz / load;
}

static void next_packet(struct traffic *t, struct cqesim_frame *frame, struct cqesim_rx *rx)
{
	static const uint8_t kinds[] = {
		CQESIM_HDR_L3_IPV4 | CQESIM_HDR_L4_UDP,
		CQESIM_HDR_L3_IPV4 | CQESIM_HDR_L4_TCP,
		CQESIM_HDR_L3_IPV6 | CQESIM_HDR_L4_UDP,
		CQESIM_HDR_L3_IPV6 | CQESIM_HDR_L4_TCP,
	};
	static const uint8_t nothing[64];
	struct bursts_workload *w = t->w;
	unsigned len = ring_between(&w->random, w->len_min, w->len_max);

	next_time(t);
	if (ring_chance(&w->random, w->kind_changes))
		t->kind = ring_below(&w->random, w->kinds);
	*frame = (struct cqesim_frame){
		.data = nothing,
		.time_ps = (uint64_t)t->now_ps,
		.cap_len = sizeof(nothing),
		.orig_len = len,
		.len = len,
	};
	*rx = (struct cqesim_rx){.meta = {
					 .byte_cnt = len,
					 .rx_hash_res = (uint32_t)ring_random(&w->random),
					 .l4_l3_hdr_type = kinds[t->kind],
				 }};
}

int bursts_feed(struct bursts_workload *w, struct cqesim_sim *sim, double clock_hz,
		struct cqesim_error *err)
{
	struct cqesim_frame frame[CQESIM_BATCH];
	struct cqesim_rx rx[CQESIM_BATCH];
	struct traffic t = {.w = w};

	next_load(&t, clock_hz, w->load);
	for (unsigned done = 0, n = 0; done < w->packets; done += n) {
		n = w->packets - done < CQESIM_BATCH ? w->packets - done : CQESIM_BATCH;
		for (unsigned i = 0; i < n; i++) {
			if (w->load_changes && !ring_below(&w->random, w->load_changes))
				next_load(&t, clock_hz, spread(&w->random, 0.1, 4));
			next_packet(&t, &frame[i], &rx[i]);
		}
		int rc = cqesim_sim_feed(sim, frame, rx, n, err);
		if (rc)
			return rc;
	}
	return cqesim_sim_finish(sim, err);
}
