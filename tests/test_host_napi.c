/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host: Linux's poll, to which belongs what comes while it runs; turns that are open when
 * a run ends; turns of a core that is behind.  The rig of host_rig.h: 1 GHz; 100 cycles a
 * poll that finds packets and 20 for each, 50 one that finds none.
 */
#include "cli_run.h"
#include "host_rig.h"
#include "test.h"

static void napi(struct rig *rig, unsigned log_size, unsigned budget)
{
	config(rig, log_size);
	rig->config.rule = CQESIM_POLL_NAPI;
	rig->config.burst = budget;
}

/* A packet at 0; others when the poll is at work on the one before. */
START_TEST(what_comes_is_taken)
{
	struct rig rig;

	napi(&rig, 4, 8);
	start(&rig);
	plain(&rig, 1, 0);
	plain(&rig, 1, 99 * NS);  /* before the first was taken, at 100 */
	plain(&rig, 1, 140 * NS); /* at the very end of the second */
	plain(&rig, 1, 161 * NS); /* the third is done at 160: too late */
	advance(&rig, 161 * NS);
	called(&rig, 0, 160 * NS, 3); /* delivered at the poll's end */
	ck_assert_uint_eq(rig.stats->burst_hist[3], 1);
	ck_assert_uint_eq(rig.stats->occupancy_sum, 1);
	ck_assert_uint_eq(rig.stats->busy_ps, 160 * NS);
	ck_assert_uint_eq(rig.stats->calls, 1);
	/* It polled without success at 160, until 210; then 100 and 20. */
	advance(&rig, 400 * NS);
	called(&rig, 1, 330 * NS, 1);
	stop(&rig);
}
END_TEST

/* The budget ends it; the next poll follows at once and costs its 100. */
START_TEST(budget)
{
	struct rig rig;

	napi(&rig, 4, 4);
	rig.config.wakeup = CQESIM_WAKE_INTERRUPT;
	rig.config.interrupt = (struct cqesim_host_interrupt){
		.latency_ps = 300 * NS, .cycles = 200, .arm_cycles = 40};
	start(&rig);
	plain(&rig, 2, 0);
	plain(&rig, 2, 620 * NS);
	plain(&rig, 1, 670 * NS);
	advance(&rig, 10000 * NS);
	/* Interrupt, 500: four taken at 600, 620, 640, 660; the fifth at 780, armed at 840. */
	called(&rig, 0, 680 * NS, 4);
	called(&rig, 1, 800 * NS, 1);
	ck_assert_uint_eq(cqesim_host_clock_ps(rig.host), 840 * NS);
	ck_assert_uint_eq(rig.stats->interrupts, 1);
	ck_assert_uint_eq(rig.stats->burst_hist[4], 1);
	ck_assert_uint_eq(rig.stats->burst_hist[1], 1);
	ck_assert_uint_eq(rig.stats->empty_polls, 0);
	stop(&rig);
}
END_TEST

/* A session's packets one after the other: 30 + 10 with the first, then 10 each. */
START_TEST(sessions)
{
	struct rig rig;

	napi(&rig, 4, 4);
	start(&rig);
	session(&rig, 6, 0);
	advance(&rig, 159 * NS);
	ck_assert_uint_eq(rig.stats->polls, 0);
	ck_assert(cqesim_host_in_turn(rig.host));
	ck_assert_uint_eq(cqesim_host_pending(rig.host), 3);
	advance(&rig, 170 * NS);
	called(&rig, 0, 170 * NS, 4);
	advance(&rig, 290 * NS);
	called(&rig, 1, 290 * NS, 2);
	ck_assert(!cqesim_host_in_turn(rig.host));
	ck_assert_uint_eq(rig.stats->busy_ps, 290 * NS);
	stop(&rig);
}
END_TEST

/* Buffers come back at its end; absences wait for it as well. */
START_TEST(ends_together)
{
	struct rig rig;

	napi(&rig, 4, 8);
	rig.config.away = (struct cqesim_host_away){.every_ps = 150 * NS, .length_ps = 50 * NS};
	start(&rig);
	plain(&rig, 4, 0);
	advance(&rig, 179 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(16));
	ck_assert_uint_eq(rig.stats->away_ps, 0);
	advance(&rig, 180 * NS); /* found no more; away until 230, when its buffers are posted */
	ck_assert_uint_eq(rig.stats->polls, 1);
	advance(&rig, 230 * NS);
	ck_assert_uint_eq(rig.stats->away_ps, 50 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(20));
	stop(&rig);
}
END_TEST

static int run_steps(struct rig *rig, uint64_t step_ps, bool batch)
{
	uint64_t seed = 7, at = 0;

	napi(rig, 9, 8);
	rig->config.wakeup = CQESIM_WAKE_INTERRUPT;
	rig->config.interrupt = (struct cqesim_host_interrupt){
		.period_ps = 700 * NS, .packets = 5, .latency_ps = 90 * NS, .cycles = 30};
	rig->config.away = (struct cqesim_host_away){
		.every_ps = 900 * NS, .length_ps = 40 * NS, .seed = 3, .share = 0.3};
	rig->config.batch_reads = batch;
	start(rig);
	for (unsigned i = 0; i < 400; i++) {
		at += random_u32(&seed) % (200 * NS);
		plain(rig, 1, at);
		for (uint64_t t = at - at % step_ps; step_ps < at && t + step_ps <= at;
		     t += step_ps)
			advance(rig, t);
		if (step_ps == 1)
			advance(rig, at);
	}
	for (uint64_t t = at; t<at + 4000 * NS; t += step_ps> 1 ? step_ps : 77 * NS)
		advance(rig, t);
	advance(rig, at + 9000 * NS);
	ck_assert_uint_eq(cqesim_host_pending(rig->host), 0);
	return 0;
}

/* How often the core is advanced changes nothing, nor does reading later. */
START_TEST(steps_do_not_matter)
{
	struct rig rig;
	struct cqesim_host_stats stats;

	run_steps(&rig, 1, false);
	stats = *rig.stats;
	ck_assert_uint_eq(stats.packets, 400);
	ck_assert_uint_gt(stats.interrupts, 5);
	ck_assert_uint_gt(stats.away_ps, 0);
	stop(&rig);
	for (unsigned batch = 0; batch < 2; batch++) {
		run_steps(&rig, 4000 * NS, batch);
		cqesim_host_flush(rig.host);
		ck_assert_mem_eq(&stats, rig.stats, sizeof(stats));
		stop(&rig);
	}
}
END_TEST

/* The frame that was open when nothing more came: 30 for the call that finds nothing. */
START_TEST(open_frame)
{
	struct rig rig;

	config(&rig, 5);
	rig.config.frame = 8;
	rig.config.call_cycles = 30;
	start(&rig);
	plain(&rig, 4, 0);
	advance(&rig, 0);
	ck_assert_uint_eq(cqesim_host_pending(rig.host), 0);
	ck_assert(cqesim_host_in_turn(rig.host));
	advance(&rig, 110 * NS);
	ck_assert(!cqesim_host_in_turn(rig.host));
	state(&rig, 240 * NS, 0, 1, 4);
	stop(&rig);
}
END_TEST

START_TEST(full_turns)
{
	static const struct {
		enum cqesim_poll_rule rule;
		unsigned burst, frame, ring;
		bool sessions;
		double packets, calls;
	} row[] = {
		{CQESIM_POLL_SIMPLE, 33, 0, 1024, false, 33, 1},
		{CQESIM_POLL_NAPI, 64, 0, 1024, false, 64, 1},
		{CQESIM_POLL_SIMPLE, 32, 256, 1024, false, 256, 8},
		{CQESIM_POLL_DPDK_VEC, 33, 0, 1024, false, 32, 1}, /* in fours */
		{CQESIM_POLL_DPDK_VEC, 33, 0, 1024, true, 33, 1},
		{CQESIM_POLL_IXGBE_VEC, 64, 0, 1024, false, 32, 1}, /* never more */
		{CQESIM_POLL_IXGBE_VEC, 64, 256, 1024, false, 32, 1},
		{CQESIM_POLL_IXGBE_BULK, 32, 0, 1024, false, 32, 1},
		/* 31 of the stage's 32, then the one that is left */
		{CQESIM_POLL_IXGBE_BULK, 31, 0, 1024, false, 16, 1},
		/* 32 and one of the next look, then its 31: 64 in two calls */
		{CQESIM_POLL_IXGBE_BULK, 33, 0, 1024, false, 32, 1},
		{CQESIM_POLL_IXGBE_SCALAR, 48, 0, 1024, false, 48, 1},
	};

	for (size_t i = 0; i < COUNT(row); i++) {
		struct cqesim_host_config c = {
			.rule = row[i].rule, .burst = row[i].burst, .frame = row[i].frame};
		struct cqesim_host_turn t = cqesim_host_full_turn(&c, row[i].ring, row[i].sessions);

		ck_assert_msg(t.packets > row[i].packets - 0.01 &&
				      t.packets < row[i].packets + 0.01 && t.calls == row[i].calls,
			      "row %zu: %g packets, %g calls", i, t.packets, t.calls);
	}
}
END_TEST

/* ---- replays ---- */

#define REPLAY(...) good_json(cli("replay", "--quiet", "--json", __VA_ARGS__), 0)

/*
 * Interrupts come with the 32nd packet; latency, interrupt and poll take 2 us + 700
 * cycles of 2.6 GHz; each packet 164.5 cycles.  The poll ends after packet n when packet
 * n + 1 has not come: n > (31 + rate x wait) / (1 - rate x cycles); a second poll costs 200.
 */
START_TEST(packets_per_interrupt)
{
	static const struct {
		const char *rate;
		double mpps;
		unsigned polls;
	} row[] = {{"frame=64,flows=64,rate=2Mpps,packets=100k", 2, 1},
		   {"frame=64,flows=64,rate=5Mpps,packets=100k", 5, 1},
		   {"frame=64,flows=64,rate=10Mpps,packets=100k", 10, 3},
		   {"frame=64,flows=64,rate=14Mpps,packets=100k", 14, 10}};

	for (size_t i = 0; i < COUNT(row); i++) {
		double wait = 2 + (500 + 200.0 * row[i].polls) / 2600;
		double n = 1 +
			   (unsigned)((31 + row[i].mpps * wait) / (1 - row[i].mpps * 164.5 / 2600));
		json_t *j = REPLAY("--driver", "linux-mlx5e", "--app", "xdp-drop", "--cqe-comp",
				   "off", "--synthetic", row[i].rate);
		double is = number_at(j, "core.packets_per_interrupt");

		ck_assert_msg(is > n * 0.985 && is < n * 1.015, "%g Mpps: %g, not %g", row[i].mpps,
			      is, n);
		json_decref(j);
	}
}
END_TEST

/* A run that ends with a full call: its frame is counted. */
START_TEST(last_frame)
{
	json_t *j = REPLAY("--driver", "linux-mlx5e", "--app", "vpp-ip4", "--cqe-comp", "off",
			   "--synthetic", "frame=64,flows=64,rate=line,packets=128");

	ck_assert_uint_eq(count_at(j, "bursts.polls"), 1);
	ck_assert_uint_eq(count_at(j, "bursts.max"), 128);
	ck_assert(number_at(j, "core.packets_per_interrupt") == 128);
	json_decref(j);
}
END_TEST

/* ixgbe's bulk function posts descriptors whose packets it returns with a later call. */
START_TEST(staged_packets)
{
	static const char *const row[][3] = {
		{"33", "ring=1024", "replenish=32"}, {"40", "ring=128", "replenish=32"},
		{"65", "ring=256", "replenish=64"},  {"4", "ring=512", "replenish=32"},
		{"16", "ring=512", "replenish=128"},
	};

	for (size_t i = 0; i < COUNT(row); i++) {
		json_t *j = REPLAY("--driver", "dpdk-ixgbe-bulk", "--burst", row[i][0], "--set",
				   row[i][1], "--set", row[i][2], "--synthetic",
				   "frame=64,flows=64,rate=100Mpps,packets=30000");

		ck_assert_uint_gt(count_at(j, "delivered"), 1000);
		json_decref(j);
	}
}
END_TEST

static void limit_is(double pps, const char *driver, const char *burst, const char *traffic)
{
	json_t *j = REPLAY("--driver", driver, "--cqe-comp", "off", "--burst", burst, "--link",
			   "gen5x16", "--device", "connectx-7", "--set", "max_pps=2000", "--set",
			   "port_speed=800", "--synthetic", traffic);
	double is = number_at(j, "limits.host_pps");

	ck_assert_msg(is > pps * 0.999 && is < pps * 1.001, "%s: %.0f, not %.0f", driver, is, pps);
	ck_assert_str_eq(json_string_value(at(j, "limits.binding")), "host");
	json_decref(j);
}

/*
 * The core's limit has all that packets cost there, 2.6 GHz.  The vector MPRQ function: 30 a
 * call of 32, 41.3 + 20 a packet, 18.8 for its strides (models/drivers).  ixgbe-vec: 64 asked for
 * are 32; 26 + 20 a packet, a write of the tail, 150, for 32.
 */
START_TEST(core_limits)
{
	static const char traffic[] = "frame=133,flows=64,rate=200Mpps,packets=60k";

	limit_is(2.6e9 / (30.0 / 32 + 41.3 + 20 + 18.8), "dpdk-mlx5-mprq-vec", "32", traffic);
	limit_is(2.6e9 / (30.0 / 32 + 41.3 + 20 + 18.8), "dpdk-mlx5-mprq-vec", "32",
		 "frame=1500,flows=64,rate=60Mpps,packets=60k");
	limit_is(2.6e9 / (30.0 / 32 + 26 + 20 + 150.0 / 32), "dpdk-ixgbe-vec", "64", traffic);
}
END_TEST

START_TEST(away_needs_both)
{
	fails(cli("replay", "--synthetic", "frame=64,flows=64,rate=line,packets=128", "--set",
		  "away_length=20"),
	      2, "away_length 20 us without away_every", NULL);
}
END_TEST

Suite *suite_host_napi(void)
{
	Suite *s = suite_create("host_napi");
	TCase *t = tcase_create("polls");

	tcase_add_test(t, what_comes_is_taken);
	tcase_add_test(t, budget);
	tcase_add_test(t, sessions);
	tcase_add_test(t, ends_together);
	tcase_add_test(t, steps_do_not_matter);
	tcase_add_test(t, open_frame);
	tcase_add_test(t, full_turns);
	tcase_add_test(t, packets_per_interrupt);
	tcase_add_test(t, last_frame);
	tcase_add_test(t, staged_packets);
	tcase_add_test(t, core_limits);
	tcase_add_test(t, away_needs_both);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
	return s;
}
