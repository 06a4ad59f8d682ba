/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim: fluid limits.  Far below, at and far above saturation the simulation must
 * meet what a fluid would do, to 0.5 %: the smaller of the offer and of the closed
 * formula of whatever binds.  The formulas are those of the chapter, written here from facts
 * alone:
 *
 *   link   rate / bytes up;  a write of n bytes costs n + 24 (Gen3: 16 of header, 8 of framing);
 *          a CQE is one of 64; s WQEs are read with one request of 24 and an Ack of 8 for its
 *          completion; a session of n: title and ceil(n / 8) arrays of 64
 *   core   clock / (cycles per packet + cycles per poll / burst + cycles per session / n)
 *   device max_pps
 *
 * And, for any configuration: offered = delivered + every kind of drop.
 */
#include <math.h>

#include "cqesim/ceiling.h"
#include "sim_run.h"

#define WRITE(n)  ((n) + 24.0)
#define TOLERANCE 0.005
#define GEN3X8    (8e9 * 8 / 8 * 128 / 130 * 370 / 371) /* a block in 371 is a SKP ordered set */

struct fluid {
	struct sim_run *run;
	double pps; /* the closed formula */
	const char *flows;
	unsigned packets; /* thousands */
};

/* Read while packets came and after; the time is that of all of it. */
static double delivered_pps(const struct cqesim_result *s)
{
	uint64_t end = s->end_ps > s->duration_ps ? s->end_ps : s->duration_ps;

	return (double)s->delivered / ((double)end * 1e-12);
}

static void offer(struct fluid *f, double pps, double expected)
{
	char spec[128];

	snprintf(spec, sizeof(spec), "frame=64,flows=%s,packets=%uk,rate=%.0fpps", f->flows,
		 f->packets, pps);
	const struct cqesim_result *s = run_synthetic(f->run, spec);
	double got = delivered_pps(s);

	ck_assert_msg(fabs(got - expected) <= TOLERANCE * expected, "%s: %.0f, expected %.0f", spec,
		      got, expected);
	uint64_t lost = 0;
	for (unsigned d = 0; d < CQESIM_DROPS; d++)
		lost += s->dropped[d];
	ck_assert_uint_eq(s->arrived, s->delivered + lost);
	if (pps < f->pps * (1 - TOLERANCE))
		ck_assert_uint_eq(lost, 0);
	if (pps > f->pps * 1.05)
		ck_assert_uint_gt(lost, 0);
}

/* A fifth, nearly all, exactly all, somewhat and much more than there is room for. */
static void below_at_above(struct fluid *f)
{
	static const double share[] = {0.2, 0.99, 1, 1.1, 2.5};
	const double wire = 148.8e6; /* 100 Gb/s of 84 bytes */

	for (unsigned i = 0; i < sizeof(share) / sizeof(share[0]); i++) {
		double pps = share[i] * f->pps < wire ? share[i] * f->pps : wire;

		offer(f, pps, pps < f->pps ? pps : f->pps);
	}
	run_free(f->run);
}

/* Nothing but what a test sets: cheap cores, a fast pipeline, little buffer. */
static struct sim_run *machine(const char *link, const char *driver, enum cqesim_comp_choice comp)
{
	struct sim_run *r = run_new("connectx-5", link, driver);

	r->config.comp = comp;
	run_set(r, "efficiency", "1");
	run_set(r, "max_pps", "1000");
	run_set(r, "rx_buffer", "65536");
	run_set(r, "clock", "10");
	run_set(r, "app_cycles", "0");
	run_set(r, "miss_cycles", "0");
	run_set(r, "app_poll_cycles", "0");
	run_set(r, "poll_cycles", "64");
	run_set(r, "empty_poll_cycles", "20");
	run_set(r, "packet_cycles", "20");
	run_set(r, "mini_cycles", "20");
	run_set(r, "session_cycles", "0");
	return r;
}

/* One request and its Ack bring wqe_fetch bytes of WQEs; `packets` of them fill those. */
static double fetch_share(const struct sim_run *r, double packets_per_wqe, double wqe_bytes)
{
	double wqes = (double)cqesim_profile_u64(r->device, CQESIM_DEV_WQE_FETCH) / wqe_bytes;
	double ack = 8.0 / (double)cqesim_profile_u64(r->link, CQESIM_LINK_ACK_EVERY);

	return (24 + ack) / (wqes * packets_per_wqe);
}

START_TEST(link_plain_cyclic)
{
	struct sim_run *r = machine("gen3x8", "dpdk-mlx5-vec", CQESIM_COMP_CHOOSE_OFF);
	struct fluid f = {.run = r, .flows = "1024", .packets = 700};

	r->config.queues = 4;
	f.pps = GEN3X8 / (WRITE(60) + WRITE(64) + fetch_share(r, 1, 16));
	below_at_above(&f);
}
END_TEST

static void link_compressed(unsigned n, const char *max_num)
{
	struct sim_run *r = machine("gen3x8", "dpdk-mlx5-vec", CQESIM_COMP_CHOOSE_AGGRESSIVE);
	struct fluid f = {.run = r, .flows = "1", .packets = 700};

	run_set(r, "cqe_compression_max_num", max_num);
	run_set(r, "cqe_write_policy", "arrays");
	f.pps = GEN3X8 / (WRITE(60) + (1 + ceil(n / 8.0)) * WRITE(64) / n + fetch_share(r, 1, 16));
	below_at_above(&f);
}

START_TEST(link_compressed_cyclic)
{
	link_compressed(8, "8");
	link_compressed(32, "32");
}
END_TEST

/* 64 strides of 2048 bytes: a WQE (64 bytes with its pointers) for 64 packets. */
static struct sim_run *striding(const char *link, enum cqesim_comp_choice comp)
{
	struct sim_run *r = machine(link, "dpdk-mlx5-mprq", comp);

	run_set(r, "strides", "64");
	run_set(r, "stride", "2048");
	run_set(r, "memcpy", "128"); /* packets of 60 are copied: one line, no cycles on top */
	run_set(r, "attach_cycles", "0");
	run_set(r, "copy_cycles", "0");
	return r;
}

START_TEST(link_plain_striding)
{
	struct sim_run *r = striding("gen3x8", CQESIM_COMP_CHOOSE_OFF);
	struct fluid f = {.run = r, .flows = "1024", .packets = 700};

	r->config.queues = 4;
	f.pps = GEN3X8 / (WRITE(60) + WRITE(64) + fetch_share(r, 64, CQESIM_STRIDING_WQE_BYTES));
	below_at_above(&f);
}
END_TEST

START_TEST(link_compressed_striding)
{
	struct sim_run *r = striding("gen3x8", CQESIM_COMP_CHOOSE_AGGRESSIVE);
	struct fluid f = {.run = r, .flows = "1", .packets = 700};

	run_set(r, "cqe_compression_max_num", "16"); /* four sessions to a WQE */
	run_set(r, "cqe_write_policy", "arrays");
	f.pps = GEN3X8 /
		(WRITE(60) + 3 * WRITE(64) / 16 + fetch_share(r, 64, CQESIM_STRIDING_WQE_BYTES));
	below_at_above(&f);
}
END_TEST

/* 2 GHz; 64 cycles per poll of 32, 40 per packet: 42 together. */
static void slow_core(struct sim_run *r)
{
	run_set(r, "clock", "2");
	run_set(r, "packet_cycles", "30");
	run_set(r, "mini_cycles", "10");
	run_set(r, "session_cycles", "48");
	run_set(r, "app_cycles", "10");
	r->config.burst = 32;
}

START_TEST(core_plain)
{
	static const char *const drivers[] = {"dpdk-mlx5-vec", "dpdk-mlx5-scalar"};

	for (unsigned i = 0; i < 2; i++) {
		struct fluid f = {
			.run = machine("gen4x16", drivers[i], CQESIM_COMP_CHOOSE_OFF),
			.flows = "1",
			.packets = 700,
			.pps = 2e9 / (30 + 10 + 64.0 / 32),
		};

		slow_core(f.run);
		below_at_above(&f);
	}
}
END_TEST

/* Half the cycles of a poll are the application's. */
START_TEST(core_by_poll)
{
	struct fluid f = {
		.run = machine("gen4x16", "dpdk-mlx5-scalar", CQESIM_COMP_CHOOSE_OFF),
		.flows = "1",
		.packets = 500,
		.pps = 2e9 / (30 + 10 + (64 + 256.0) / 8),
	};

	slow_core(f.run);
	run_set(f.run, "app_poll_cycles", "256");
	f.run->config.burst = 8;
	below_at_above(&f);
}
END_TEST

START_TEST(core_compressed)
{
	struct fluid f = {
		.run = machine("gen4x16", "dpdk-mlx5-scalar", CQESIM_COMP_CHOOSE_AGGRESSIVE),
		.flows = "1",
		.packets = 700,
		.pps = 2e9 / (10 + 10 + 48.0 / 8 + 64.0 / 32),
	};

	slow_core(f.run);
	run_set(f.run, "cqe_compression_max_num", "8");
	below_at_above(&f);
}
END_TEST

START_TEST(core_striding)
{
	struct fluid f = {
		.run = striding("gen4x16", CQESIM_COMP_CHOOSE_OFF),
		.flows = "1",
		.packets = 700,
		.pps = 2e9 / (30 + 10 + 64.0 / 32),
	};

	slow_core(f.run);
	below_at_above(&f);
}
END_TEST

/* The pipeline serves 20 M packets a second whatever comes behind it. */
START_TEST(pipeline)
{
	static const enum cqesim_comp_choice comp[] = {CQESIM_COMP_CHOOSE_OFF,
						       CQESIM_COMP_CHOOSE_AGGRESSIVE};

	for (unsigned i = 0; i < 4; i++) {
		struct fluid f = {
			.run = i < 2 ? machine("gen3x16", "dpdk-mlx5-vec", comp[i % 2])
				     : striding("gen3x16", comp[i % 2]),
			.flows = "1",
			.packets = 500,
			.pps = 20e6,
		};

		run_set(f.run, "max_pps", "20");
		run_set(f.run, "cqe_compression_max_num", "16");
		below_at_above(&f);
	}
}
END_TEST

/* ---- sending on ---- */

/* Bytes of the closed form for a direction of traffic, in sessions of n packets (0: plain). */
static struct cqesim_ceiling ceiling_of(const struct sim_run *r, enum cqesim_rxtx way,
					uint32_t session)
{
	struct cqesim_ceiling_config c;
	struct cqesim_ceiling formula;

	ck_assert(!cqesim_ceiling_from_profiles(&c, r->device, r->link, r->host, NULL));
	c.direction = way;
	c.frame_bytes = 64;
	c.cqe_mode = session ? CQESIM_CQE_ARRAYS : CQESIM_CQE_PLAIN64;
	c.session = (struct cqesim_fraction){session ? session : 1, 1};
	c.compressed = (struct cqesim_fraction){session != 0, 1};
	ck_assert(!cqesim_ceiling(&formula, &c, NULL));
	return formula;
}

/*
 * With the profile's tags.  Below the ceiling of forwarding everything nothing is lost.  Above it
 * the way that is full is full to half a percent: up, the card discards, and what is received is
 * sent; down, receiving goes on, and what it takes of the way is not there for sending:
 * sent = (rate - received x bytes down of receiving) / bytes down of sending.
 */
static void forwards(const char *link, enum cqesim_comp_choice comp, unsigned queues, double share)
{
	bool off = comp == CQESIM_COMP_CHOOSE_OFF;
	struct sim_run *r = machine(link, "dpdk-mlx5-vec", comp);
	char spec[128], what[192];

	r->config.forward = true;
	r->config.queues = queues;
	run_set(r, "poll_cycles", "0");
	run_set(r, "packet_cycles", "1");
	run_set(r, "mini_cycles", "1");
	run_set(r, "port_speed", "200");
	run_set(r, "cqe_compression_max_num", "16");
	run_set(r, "cqe_write_policy", "arrays");
	struct cqesim_ceiling both = ceiling_of(r, CQESIM_FORWARD, off ? 0 : 16);
	double rx = cqesim_fraction_value(ceiling_of(r, CQESIM_RX, off ? 0 : 16).down_bytes);
	double tx = cqesim_fraction_value(ceiling_of(r, CQESIM_TX, 0).down_bytes);
	double rate = both.link_pps * cqesim_fraction_value(both.link_bound == CQESIM_BOUND_UP
								    ? both.up_bytes
								    : both.down_bytes);
	double offered = share * both.link_pps;

	ck_assert_int_eq(both.link_bound == CQESIM_BOUND_UP, off);
	snprintf(spec, sizeof(spec), "frame=64,flows=%u,packets=700k,rate=%.0fpps",
		 off ? 1024 : queues, offered);
	const struct cqesim_result *s = run_synthetic(r, spec);
	snprintf(what, sizeof(what), "%s, %s, %u queues, %s", link, off ? "off" : "aggressive",
		 queues, spec);
	uint64_t end_ps = s->sent_end_ps > s->end_ps ? s->sent_end_ps : s->end_ps;
	double seconds = (double)end_ps * 1e-12, received = (double)s->delivered / seconds;
	double expected = off ? both.link_pps : (rate - received * rx) / tx;

	ck_assert_msg(s->delivered == s->sent + s->tx_dropped, "%s", what);
	if (share < 1) {
		ck_assert_msg(s->sent == s->arrived, "%s: %llu of %llu", what,
			      (unsigned long long)s->sent, (unsigned long long)s->arrived);
	} else {
		double got = (double)s->sent / seconds;

		ck_assert_msg(fabs(got - expected) <= TOLERANCE * expected,
			      "%s: %.0f sent, expected %.0f", what, got, expected);
		if (off)
			ck_assert_msg(!s->tx_dropped, "%s", what);
	}
	run_free(r);
}

START_TEST(forwarding)
{
	static const unsigned queues[] = {1, 4, 32};
	static const double share[] = {0.5, 0.98, 1, 1.1};

	for (unsigned q = 0; q < 3; q++)
		for (unsigned i = 0; i < 4; i++) {
			const char *link = _i & 1 ? "gen4x16" : "gen3x16";

			forwards(link,
				 _i & 2 ? CQESIM_COMP_CHOOSE_AGGRESSIVE : CQESIM_COMP_CHOOSE_OFF,
				 queues[q], share[i]);
		}
}
END_TEST

/* ---- nothing appears, nothing vanishes ---- */

static uint64_t next(uint64_t *state, uint64_t below)
{
	/* xorshift64* */
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * UINT64_C(2685821657736338717) >> 33) % below;
}

static void one_random_run(uint64_t seed)
{
	static const char *const links[] = {"gen3x4", "gen3x8", "gen3x16", "gen4x16"};
	static const char *const drivers[] = {"dpdk-mlx5-vec",  "dpdk-mlx5-scalar",
					      "dpdk-mlx5-mprq", "dpdk-mlx5-mprq-vec",
					      "linux-mlx5e",    "linux-mlx5e-striding"};
	static const char *const frames[] = {"64", "imix", "1518", "64:3+9000:1", "128:1+9622:1"};
	uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	struct sim_run *r = run_new("connectx-5", links[next(&state, 4)], drivers[next(&state, 6)]);
	char spec[128], value[32], what[160];

	r->config.queues = 1 + (unsigned)next(&state, 9);
	r->config.comp = CQESIM_COMP_CHOOSE_OFF + next(&state, 3);
	r->config.burst = 4 + (unsigned)next(&state, 100);
	r->config.mtu = next(&state, 2) ? 0 : 1500;
	r->config.segment = next(&state, 4) == 0;
	snprintf(value, sizeof(value), "%llu", (unsigned long long)next(&state, 2000));
	run_set(r, "app_cycles", value);
	snprintf(value, sizeof(value), "%llu", 4096 + (unsigned long long)next(&state, 500000));
	run_set(r, "rx_buffer", value);
	snprintf(value, sizeof(value), "%llu", 2 + (unsigned long long)next(&state, 100));
	run_set(r, "cqe_compression_max_num", value);
	snprintf(spec, sizeof(spec), "frame=%s,flows=%llu,packets=20k,rate=%llu%%",
		 frames[next(&state, 5)], 1 + (unsigned long long)next(&state, 100),
		 1 + (unsigned long long)next(&state, 100));
	const struct cqesim_result *s = run_synthetic(r, spec);
	uint64_t lost = 0, offered = 0;

	snprintf(what, sizeof(what), "seed %llu: %s, %s, %s", (unsigned long long)seed, spec,
		 r->driver->name, r->link->name);
	for (unsigned q = 0; q < s->queues; q++) {
		uint64_t here = s->queue[q].delivered;

		for (unsigned d = 0; d < CQESIM_DROPS; d++)
			here += s->queue[q].dropped[d];
		ck_assert_msg(here == s->queue[q].offered, "%s: queue %u", what, q);
		offered += s->queue[q].offered;
	}
	for (unsigned d = 0; d < CQESIM_DROPS; d++)
		lost += s->dropped[d];
	ck_assert_msg(s->arrived == s->delivered + lost, "%s", what);
	ck_assert_msg(s->arrived == offered, "%s", what);
	ck_assert_msg(s->arrived == 20000 - s->segmented + s->segments, "%s", what);
	ck_assert_msg(s->delivered == s->nic.plain + s->nic.session_packets, "%s", what);
	ck_assert_msg(s->delivered == s->host.packets, "%s", what);
	run_free(r);
}

START_TEST(conservation)
{
	const char *given = getenv("CQESIM_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
	unsigned runs = given ? 1 : 120;

	for (unsigned i = 0; i < runs; i++)
		one_random_run(seed + i);
}
END_TEST

Suite *suite_fluid(void)
{
	Suite *suite = suite_create("fluid");
	TCase *limits = tcase_create("limits"), *books = tcase_create("books");

	tcase_set_timeout(limits, 120);
	tcase_set_timeout(books, 120);
	tcase_add_test(limits, link_plain_cyclic);
	tcase_add_test(limits, link_compressed_cyclic);
	tcase_add_test(limits, link_plain_striding);
	tcase_add_test(limits, link_compressed_striding);
	tcase_add_test(limits, core_plain);
	tcase_add_test(limits, core_by_poll);
	tcase_add_test(limits, core_compressed);
	tcase_add_test(limits, core_striding);
	tcase_add_test(limits, pipeline);
	tcase_add_loop_test(limits, forwarding, 0, 4);
	tcase_add_test(books, conservation);
	suite_add_tcase(suite, limits);
	suite_add_tcase(suite, books);
	return suite;
}
