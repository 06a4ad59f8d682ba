/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Applications, wake-up and memory: from profiles and options to what a run does.
 * Expected values are worked out beside them.
 */
#include <math.h>

#include "cli_run.h"
#include "sim_run.h"

#define NEAR(a, b, tolerance) ck_assert_double_eq_tol(a, b, tolerance)
#define QUIET                 "--quiet", "--json"
#define TRAFFIC               "--synthetic", "frame=64,flows=1024,packets=40k"

static json_t *replay_doc(const char *const *more)
{
	const char *args[40] = {"replay", TRAFFIC, QUIET};
	unsigned n = 5;

	while (*more)
		args[n++] = *more++;
	args[n] = NULL;
	return good_json(cli_args(NULL, args), 0);
}
#define REPLAY(...) replay_doc((const char *const[]){__VA_ARGS__, NULL})

/* ---- mapping ---- */

/* Option, application, driver: the first that says something. */
START_TEST(burst_order)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "linux-mlx5e");
	struct cqesim_profile *app;

	load_profile(&app, CQESIM_PROFILE_APPLICATION, "pktgen"); /* 64 */
	ck_assert_uint_eq(cqesim_sim_burst(&r->config), 64);      /* NAPI's budget */
	run_set(r, "wakeup", "busy_poll");
	ck_assert_uint_eq(cqesim_sim_burst(&r->config), 8); /* BUSY_POLL_BUDGET */
	run_set(r, "burst", "4");
	ck_assert_uint_eq(cqesim_sim_burst(&r->config), 4);
	r->config.application = app;
	ck_assert_uint_eq(cqesim_sim_burst(&r->config), 64);
	r->config.burst = 7;
	ck_assert_uint_eq(cqesim_sim_burst(&r->config), 7);
	cqesim_profile_free(app);
	run_free(r);
}
END_TEST

/*
 * Two queues, rings of 1024: completions 2 x 64 KiB, packets of 60 bytes 2 x 64 KiB.  The cache may
 * hold half of that: half of all lines are gone.
 */
START_TEST(memory)
{
	json_t *doc =
		REPLAY("--queues", "2", "--set", "memory_cycles=100", "--set", "ddio_share=131072");

	ck_assert_uint_eq(count_at(doc, "core.memory.working_set"), 262144);
	NEAR(number_at(doc, "core.memory.missed"), 0.5, 1e-12);
	NEAR(number_at(doc, "core.memory.plain_cycles"), 100, 1e-9);
	NEAR(number_at(doc, "core.memory.mini_cycles"), 56.25, 1e-9);
	NEAR(number_at(doc, "core.memory.session_cycles"), 50, 1e-9);
	json_decref(doc);
	/* A ring of 256 is a quarter of it: nothing is gone. */
	doc = REPLAY("--queues", "2", "--set", "memory_cycles=100", "--set", "ddio_share=131072",
		     "--ring", "256");
	ck_assert(number_at(doc, "core.memory.missed") == 0);
	json_decref(doc);
	doc = REPLAY("--queues", "2");
	ck_assert(json_is_null(at(doc, "core.memory")));
	json_decref(doc);
}
END_TEST

/* Limits of a core without and with the stalls: 2.6 GHz, one packet per plain CQE. */
START_TEST(memory_slows)
{
	json_t *fast = REPLAY("--cqe-comp", "off"),
	       *slow = REPLAY("--cqe-comp", "off", "--set", "memory_cycles=100", "--set",
			      "ddio_share=65536");

	/* 128 KiB, of which half fits: 50 cycles a line, two lines. */
	NEAR(2.6e9 / number_at(slow, "limits.host_pps") -
		     2.6e9 / number_at(fast, "limits.host_pps"),
	     100, 1e-6);
	json_decref(fast);
	json_decref(slow);
}
END_TEST

/* ---- applications ---- */

START_TEST(application_costs)
{
	json_t *without = REPLAY("--app", "rxonly", "--cqe-comp", "off");
	json_t *with = REPLAY("--app", "testpmd-io", "--cqe-comp", "off");

	ck_assert_str_eq(json_string_value(at(with, "setup.application.name")), "testpmd-io");
	NEAR(2.6e9 / number_at(with, "limits.host_pps") -
		     2.6e9 / number_at(without, "limits.host_pps"),
	     75, 1e-6);
	/* It forwards: sending takes its part of the link. */
	ck_assert(number_at(with, "limits.link_pps") < number_at(without, "limits.link_pps"));
	json_decref(without);
	json_decref(with);
}
END_TEST

START_TEST(frames)
{
	json_t *doc = REPLAY("--app", "vpp-ip4", "--set", "forward=no");

	ck_assert_uint_eq(count_at(doc, "setup.burst"), 32);
	ck_assert_uint_eq(count_at(doc, "setup.frame"), 256);
	ck_assert_uint_eq(count_at(doc, "bursts.max"), 256); /* offered: 25 times what it can do */
	ck_assert_uint_ge(count_at(doc, "core.calls"), 6 * count_at(doc, "bursts.polls"));
	json_decref(doc);
	fails(cli("replay", TRAFFIC, "--app", "vpp-ip4", "--burst", "512"), 2, "frame 256", "512");
}
END_TEST

START_TEST(options)
{
	struct output o;

	fails(cli("replay", TRAFFIC, "--app", "nobody"), 2, "--app", "nobody");
	fails(cli("replay", TRAFFIC, "--tx-mpw", "4"), 2, "--tx-mpw", "--app");
	o = cli("replay", TRAFFIC, "--tx-mpw", "4", "--app", "xdp-tx", "--quiet");
	ck_assert_int_eq(o.code, 0);
	output_free(&o);
	fails(cli("replay", TRAFFIC, "--set", "frame=8"), 2, "frame 8", "32");
	fails(cli("replay", TRAFFIC, "--set", "replenish=0"), 2, "replenish 0", NULL);
	/* Both the driver's and the application's: the application may say 0, a driver not. */
	fails(cli("replay", TRAFFIC, "--set", "burst=0"), 2, "burst", NULL);
}
END_TEST

/* ---- wake-up ---- */

/* A packet every 10 us, 3 us after which there is an interrupt: one for each. */
START_TEST(interrupts)
{
	json_t *doc = REPLAY("--driver", "linux-mlx5e", "--rate", "100kpps", "--limit", "1000");

	ck_assert_uint_ge(count_at(doc, "core.interrupts"), 999);
	ck_assert_uint_le(count_at(doc, "core.interrupts"), 1000);
	/* Of 10 us: 2 us of latency are slept through, some 1200 cycles of 2.6 GHz are not. */
	ck_assert(number_at(doc, "core.asleep_share") > 0.9);
	ck_assert(number_at(doc, "core.asleep_share") < 0.97);
	json_decref(doc);
	doc = REPLAY("--driver", "linux-mlx5e", "--rate", "100kpps", "--limit", "1000", "--set",
		     "wakeup=poll");
	ck_assert_uint_eq(count_at(doc, "core.interrupts"), 0);
	ck_assert(number_at(doc, "core.asleep_share") == 0);
	json_decref(doc);
}
END_TEST

/* cq_max_count 32 with a period that never ends a wait: 32 packets each. */
START_TEST(moderation)
{
	json_t *doc = REPLAY("--driver", "linux-mlx5e", "--rate", "1Mpps", "--limit", "3200",
			     "--set", "cq_period=1000");

	NEAR(number_at(doc, "core.packets_per_interrupt"), 34, 2.5);
	json_decref(doc);
}
END_TEST

/* ---- ixgbe's rules ---- */

START_TEST(ixgbe)
{
	json_t *doc = REPLAY("--driver", "dpdk-ixgbe-scalar", "--rate", "1Mpps");

	/* rx_free_thresh 0: at the end of every call that had packets. */
	ck_assert_uint_eq(count_at(doc, "core.tail_writes"), count_at(doc, "bursts.polls"));
	json_decref(doc);
	doc = REPLAY("--driver", "dpdk-ixgbe-bulk", "--rate", "1Mpps");
	/* 32 buffers at a time. */
	NEAR((double)count_at(doc, "delivered") / (double)count_at(doc, "core.tail_writes"), 32,
	     0.2);
	json_decref(doc);
	fails(cli("replay", TRAFFIC, "--driver", "dpdk-ixgbe-bulk", "--set", "replenish=16"), 2,
	      "32", NULL);
	fails(cli("replay", TRAFFIC, "--driver", "dpdk-ixgbe-vec", "--rq", "striding"), 2,
	      "striding", "ixgbe");
	struct output o = cli("replay", TRAFFIC, "--driver", "dpdk-ixgbe-vec", "--quiet");
	ck_assert_ptr_nonnull(strstr(o.out, "tail writes"));
	ck_assert_ptr_nonnull(strstr(o.out, "mlx5 (connectx-5)"));
	output_free(&o);
}
END_TEST

/* ---- jitter ---- */

START_TEST(jitter)
{
	struct output a = cli("replay", TRAFFIC, QUIET, "--jitter", "7"),
		      b = cli("replay", TRAFFIC, QUIET, "--jitter", "7"),
		      c = cli("replay", TRAFFIC, QUIET, "--jitter", "8"),
		      d = cli("replay", TRAFFIC, QUIET, "--jitter", "8,share=0"),
		      e = cli("replay", TRAFFIC, QUIET);

	ck_assert_int_eq(a.code, 0);
	ck_assert_str_eq(a.out, b.out);
	ck_assert_str_ne(a.out, c.out);
	ck_assert_str_eq(d.out, e.out);
	output_free(&a);
	output_free(&b);
	output_free(&c);
	output_free(&d);
	output_free(&e);
	fails(cli("replay", TRAFFIC, "--jitter", "0"), 2, "--jitter", "seed");
	fails(cli("replay", TRAFFIC, "--jitter", "1,share=2"), 2, "--jitter", "share");
	fails(cli("replay", TRAFFIC, "--jitter", "1,every=1ms"), 2, "--jitter", "length");
	fails(cli("replay", TRAFFIC, "--jitter", "1,every=1us,length=1us"), 2, "away_length", NULL);
}
END_TEST

/* A tenth of the time elsewhere, at fixed times: 10 us of each 100. */
START_TEST(away)
{
	json_t *doc =
		REPLAY("--rate", "10Mpps", "--set", "away_every=100", "--set", "away_length=10");

	NEAR(number_at(doc, "core.away_share"), 0.1, 0.006);
	json_decref(doc);
}
END_TEST

Suite *suite_application(void)
{
	Suite *s = suite_create("application");
	TCase *t = tcase_create("runs");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, burst_order);
	tcase_add_test(t, memory);
	tcase_add_test(t, memory_slows);
	tcase_add_test(t, application_costs);
	tcase_add_test(t, frames);
	tcase_add_test(t, options);
	tcase_add_test(t, interrupts);
	tcase_add_test(t, moderation);
	tcase_add_test(t, ixgbe);
	tcase_add_test(t, jitter);
	tcase_add_test(t, away);
	suite_add_tcase(s, t);
	return s;
}
