/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host: a core that sleeps until an event.  The rig of host_rig.h: 1 GHz; 100 cycles a
 * poll that finds packets and 20 for each, 50 one that finds none; up to 4 packets.
 */
#include "host_rig.h"
#include "test.h"

static void sleeping(struct rig *rig, struct cqesim_host_interrupt interrupt)
{
	config(rig, 4);
	rig->config.wakeup = CQESIM_WAKE_INTERRUPT;
	rig->config.interrupt = interrupt;
	start(rig);
}

static const struct cqesim_host_interrupt costly = {
	.latency_ps = 300 * NS, .cycles = 200, .arm_cycles = 40};

static void slept(const struct rig *rig, uint64_t interrupts, uint64_t asleep_ps)
{
	ck_assert_uint_eq(rig->stats->interrupts, interrupts);
	ck_assert_uint_eq(rig->stats->asleep_ps, asleep_ps);
}

START_TEST(sleeps_until_an_event)
{
	struct rig rig;

	sleeping(&rig, costly);
	state(&rig, UINT64_MAX, 0, 0, 0);
	advance(&rig, 1000 * NS);
	state(&rig, UINT64_MAX, 0, 0, 0);
	ck_assert_uint_eq(cqesim_host_clock_ps(rig.host), 0);
	plain(&rig, 2, 2000 * NS);
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), 2000 * NS);
	advance(&rig, 1999 * NS);
	slept(&rig, 0, 0);
	/* Event at 2000, interrupt at 2300, poll at 2500 until 2640, armed at 2680. */
	advance(&rig, 2000 * NS);
	slept(&rig, 1, 2300 * NS);
	state(&rig, 2500 * NS, 0, 0, 0);
	advance(&rig, 2500 * NS);
	state(&rig, 2640 * NS, 0, 1, 2);
	advance(&rig, 2640 * NS);
	state(&rig, UINT64_MAX, 0, 1, 2);
	ck_assert_uint_eq(cqesim_host_clock_ps(rig.host), 2680 * NS);
	/* Asleep from 2680 to 3000. */
	plain(&rig, 1, 2700 * NS);
	advance(&rig, 4000 * NS);
	called(&rig, 0, 2500 * NS, 2);
	called(&rig, 1, 3200 * NS, 1);
	slept(&rig, 2, 2620 * NS);
	ck_assert_uint_eq(rig.stats->busy_ps, 260 * NS);
	ck_assert_uint_eq(rig.stats->empty_polls, 0);
	/* Buffers of a call whose threshold was not reached stay with software, asleep or not. */
	ck_assert_uint_eq(cqesim_host_held(rig.host, 4000 * NS), 3);
	stop(&rig);
}
END_TEST

/* Between the poll's look at 2500 and arming at 2680: the armed index has not seen it. */
START_TEST(lands_before_arming)
{
	struct rig rig;

	sleeping(&rig, costly);
	plain(&rig, 2, 2000 * NS);
	plain(&rig, 1, 2600 * NS);
	advance(&rig, 2640 * NS);
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), 2680 * NS);
	advance(&rig, 2679 * NS);
	slept(&rig, 1, 2300 * NS);
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), 2680 * NS);
	advance(&rig, 2680 * NS);
	slept(&rig, 2, 2600 * NS);
	state(&rig, 3180 * NS, 0, 1, 2);
	advance(&rig, 3180 * NS);
	called(&rig, 1, 3180 * NS, 1);
	stop(&rig);
}
END_TEST

/* A full poll goes on without arming; the next one finds nothing, once, and arms. */
START_TEST(full_polls_go_on)
{
	struct rig rig;

	sleeping(&rig, costly);
	plain(&rig, 4, 0);
	advance(&rig, 680 * NS);
	called(&rig, 0, 500 * NS, 4);
	state(&rig, 730 * NS, 1, 1, 4);
	/* Buffers are posted at the poll's end, not at the next one. */
	ck_assert_uint_eq(rig.rq_dbrec, be(20));
	advance(&rig, 5000 * NS);
	state(&rig, UINT64_MAX, 1, 1, 4);
	ck_assert_uint_eq(cqesim_host_clock_ps(rig.host), 770 * NS);
	plain(&rig, 7, 5000 * NS);
	advance(&rig, 9000 * NS);
	/* 5500: four until 5680, then three until 5840, armed at 5880. */
	called(&rig, 1, 5500 * NS, 4);
	called(&rig, 2, 5680 * NS, 3);
	ck_assert_uint_eq(cqesim_host_clock_ps(rig.host), 5880 * NS);
	slept(&rig, 2, 300 * NS + (5300 - 770) * NS);
	stop(&rig);
}
END_TEST

/* The last poll before sleeping used up the threshold: its buffers are the device's at its end. */
START_TEST(posted_before_sleeping)
{
	struct rig rig;

	config(&rig, 4);
	rig.config.wakeup = CQESIM_WAKE_INTERRUPT;
	rig.config.replenish = 2;
	rig.config.batch_reads = true;
	start(&rig);
	plain(&rig, 3, 0);
	advance(&rig, 159 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(16));
	advance(&rig, 160 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(19));
	ck_assert_uint_eq(rig.cq_dbrec, be(3));
	stop(&rig);
}
END_TEST

START_TEST(timer_from_the_last_event)
{
	struct rig rig;

	sleeping(&rig, (struct cqesim_host_interrupt){.period_ps = 10000 * NS});
	plain(&rig, 1, 1000 * NS); /* after a pause: at once */
	advance(&rig, 1000 * NS);
	called(&rig, 0, 1000 * NS, 1);
	plain(&rig, 1, 2000 * NS);
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), 1120 * NS);
	advance(&rig, 2000 * NS);
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), 11000 * NS);
	plain(&rig, 1, 3000 * NS);
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), 3000 * NS);
	advance(&rig, 10999 * NS);
	slept(&rig, 1, 1000 * NS);
	plain(&rig, 1, 11000 * NS); /* at the very moment */
	advance(&rig, 11000 * NS);
	called(&rig, 1, 11000 * NS, 3);
	plain(&rig, 1, 25000 * NS);
	advance(&rig, 30000 * NS);
	called(&rig, 2, 25000 * NS, 1);
	slept(&rig, 3, 1000 * NS + (11000 - 1120) * NS + (25000 - 11160) * NS);
	stop(&rig);
}
END_TEST

START_TEST(enough_packets_at_once)
{
	struct rig rig;

	sleeping(&rig, (struct cqesim_host_interrupt){.period_ps = 10000 * NS, .packets = 3});
	plain(&rig, 1, 1000 * NS);
	advance(&rig, 1000 * NS);
	plain(&rig, 1, 2000 * NS);
	advance(&rig, 2000 * NS);
	plain(&rig, 1, 3000 * NS);
	advance(&rig, 3000 * NS);
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), 11000 * NS);
	plain(&rig, 1, 4000 * NS);
	advance(&rig, 3999 * NS);
	slept(&rig, 1, 1000 * NS);
	advance(&rig, 4000 * NS);
	called(&rig, 1, 4000 * NS, 3);
	/* The timer has restarted with that event; a session counts its packets. */
	plain(&rig, 1, 5000 * NS);
	advance(&rig, 13999 * NS);
	slept(&rig, 2, 1000 * NS + (4000 - 1120) * NS);
	advance(&rig, 14000 * NS);
	called(&rig, 2, 14000 * NS, 1);
	session(&rig, 3, 15000 * NS);
	advance(&rig, 15000 * NS);
	called(&rig, 3, 15000 * NS, 3);
	stop(&rig);
}
END_TEST

START_TEST(timer_from_the_last_completion)
{
	static const struct {
		uint32_t packets;
		unsigned n;
		uint64_t at[4], event;
	} row[] = {
		{3, 1, {1000}, 11000},        /* even the first one after a pause waits */
		{3, 2, {1000, 9000}, 19000},  /* the second one puts it off */
		{3, 2, {1000, 11000}, 11000}, /* at the moment: too late */
		{3, 3, {1000, 9000, 18000}, 18000},
		{0, 3, {1000, 9000, 18000}, 28000},
		{2, 3, {1000, 1000, 1000}, 1000},
	};

	for (unsigned i = 0; i < COUNT(row); i++) {
		struct rig rig;
		unsigned n = row[i].n;

		sleeping(&rig, (struct cqesim_host_interrupt){.period_ps = 10000 * NS,
							      .packets = row[i].packets,
							      .period_from_cqe = true});
		for (unsigned p = 0; p < n; p++) {
			plain(&rig, 1, row[i].at[p] * NS);
			if (p + 1 < n && row[i].at[p] != row[i].at[p + 1])
				advance(&rig, row[i].at[p] * NS);
		}
		advance(&rig, row[i].event * NS - 1);
		ck_assert_msg(!rig.stats->interrupts, "row %u: too early", i);
		advance(&rig, row[i].event * NS);
		ck_assert_msg(rig.stats->interrupts == 1, "row %u: too late", i);
		called(&rig, 0, row[i].event * NS, n);
		stop(&rig);
	}
}
END_TEST

static void arrivals(struct rig *rig, unsigned n, uint64_t apart_ps)
{
	for (unsigned i = 1; i <= n; i++) {
		plain(rig, 1, i * apart_ps);
		advance(rig, i * apart_ps);
	}
}

/* rate x period packets with each interrupt, whatever the latency. */
START_TEST(moderated_rate)
{
	static const uint64_t latency[] = {0, 2000 * NS};

	for (unsigned i = 0; i < COUNT(latency); i++) {
		struct rig rig;

		config(&rig, 8);
		rig.config.wakeup = CQESIM_WAKE_INTERRUPT;
		rig.config.burst = 200;
		rig.config.plain_cycles = 5;
		rig.config.interrupt = (struct cqesim_host_interrupt){.period_ps = 10000 * NS,
								      .latency_ps = latency[i]};
		start(&rig);
		/* 10 Mpps; events at 100 ns and every 10 us from there. */
		arrivals(&rig, 10001, 100 * NS);
		advance(&rig, 1010000 * NS);
		unsigned first = 1 + (unsigned)(latency[i] / (100 * NS));
		ck_assert_uint_eq(rig.stats->packets, 10001);
		ck_assert_uint_eq(rig.stats->burst_hist[first], 1);
		/* The last one finds what came until 1000100 ns. */
		ck_assert_uint_eq(rig.stats->burst_hist[100], i ? 99 : 100);
		ck_assert_uint_eq(rig.stats->polls, 101);
		ck_assert_uint_eq(rig.stats->empty_polls, 0);
		/* Of all the time until the last poll, what is not spent in polls: 100 + 5 each. */
		uint64_t last = i ? 80 : 100;
		slept(&rig, 101, 1000100 * NS + latency[i] - (100 * 100 + 5 * (10001 - last)) * NS);
		stop(&rig);
	}
}
END_TEST

/* 10 Mpps at a core that does less: four interrupts until polls are full, then none. */
START_TEST(overload_needs_no_interrupts)
{
	struct rig rig;

	config(&rig, 7);
	rig.config.wakeup = CQESIM_WAKE_INTERRUPT;
	rig.config.plain_cycles = 100;
	start(&rig);
	arrivals(&rig, 300, 100 * NS);
	called(&rig, 0, 100 * NS, 1);
	called(&rig, 1, 300 * NS, 2);
	called(&rig, 2, 600 * NS, 3);
	for (unsigned i = 3; i < 50; i++)
		called(&rig, i, (1000 + 500 * (i - 3)) * NS, 4);
	slept(&rig, 4, 100 * NS);
	ck_assert_uint_eq(rig.stats->empty_polls, 0);
	/* When it ends, it catches up and sleeps: 6, 73 x 4, and 2, which is less than 4. */
	advance(&rig, 40000 * NS);
	ck_assert_uint_eq(rig.stats->packets, 300);
	ck_assert_uint_eq(rig.stats->interrupts, 4);
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), UINT64_MAX);
	stop(&rig);
}
END_TEST

/* ---- nothing depends on how time is advanced ---- */

#define ARRIVALS 900u

static void random_config(struct rig *rig, uint64_t *seed)
{
	config(rig, 10);
	rig->config.wakeup = CQESIM_WAKE_INTERRUPT;
	rig->config.interrupt = (struct cqesim_host_interrupt){
		.period_ps = random_u32(seed) % 3 * 2000 * NS,
		.packets = random_u32(seed) % 3 * 5,
		.period_from_cqe = random_u32(seed) & 1,
		.latency_ps = random_u32(seed) % 2 * 700 * NS,
		.cycles = random_u32(seed) % 300,
		.arm_cycles = random_u32(seed) % 50,
	};
	if (random_u32(seed) & 1)
		rig->config.frame = 4 + random_u32(seed) % 9;
	if (random_u32(seed) & 1)
		rig->config.away = (struct cqesim_host_away){
			.every_ps = 5000 * NS,
			.length_ps = 900 * NS,
			.seed = random_u32(seed) % 3,
			.share = 0.3,
		};
	rig->config.byte_cycles = random_u32(seed) % 2 * 0.3;
	rig->config.batch_reads = false;
}

/* 0: all announced first, one step; 1: the same, in many steps; 2: each as it comes. */
static void run(struct rig *rig, uint64_t seed, unsigned how)
{
	uint64_t ps = 0, at[ARRIVALS], steps = seed ^ how;

	random_config(rig, &seed);
	start(rig);
	for (unsigned i = 0; i < ARRIVALS; i++) {
		uint32_t r = random_u32(&seed);

		ps += r % 16 ? (r >> 8) % (300 * NS) : (r >> 8) % (20000 * NS);
		at[i] = ps;
		plain(rig, 1, ps);
		if (how == 2)
			advance(rig, ps);
	}
	for (uint64_t now = 0; how == 1 && now < at[ARRIVALS - 1];
	     now += random_u32(&steps) % (400 * NS))
		advance(rig, now);
	advance(rig, at[ARRIVALS - 1] + 1000000 * NS);
	ck_assert_uint_eq(rig->stats->packets, ARRIVALS);
}

START_TEST(steps_do_not_matter)
{
	static struct rig rig[3];

	for (uint64_t seed = 1; seed <= 60; seed++) {
		for (unsigned how = 0; how < 3; how++)
			run(&rig[how], seed, how);
		for (unsigned how = 1; how < 3; how++) {
			ck_assert_msg(!memcmp(rig[0].stats, rig[how].stats, sizeof(*rig[0].stats)),
				      "seed %u, way %u: counters", (unsigned)seed, how);
			ck_assert_msg(rig[0].calls == rig[how].calls &&
					      !memcmp(rig[0].call, rig[how].call,
						      rig[0].calls * sizeof(rig[0].call[0])),
				      "seed %u, way %u: calls", (unsigned)seed, how);
		}
		ck_assert_uint_gt(rig[0].stats->interrupts, 10);
		for (unsigned how = 0; how < 3; how++)
			stop(&rig[how]);
	}
}
END_TEST

START_TEST(bad_configs)
{
	struct rig rig;
	struct cqesim_host_config bad[5];
	struct cqesim_host_queue *host;

	config(&rig, 4);
	start(&rig);
	for (size_t i = 0; i < COUNT(bad); i++)
		bad[i] = rig.config;
	bad[0].wakeup = (enum cqesim_wakeup)2;
	bad[1].interrupt.cycles = -1;
	bad[2].interrupt.arm_cycles = 1e8;
	bad[3].rule = (enum cqesim_poll_rule)6;
	bad[4].tail_cycles = -1;
	for (size_t i = 0; i < COUNT(bad); i++)
		ck_assert_msg(cqesim_host_create(&host, &bad[i], &rig.reader, &rig.poster, NULL,
						 NULL, NULL) == -EINVAL,
			      "row %zu", i);
	stop(&rig);
}
END_TEST

Suite *suite_host_wakeup(void)
{
	Suite *s = suite_create("host_wakeup");
	TCase *t = tcase_create("interrupts");

	tcase_add_test(t, sleeps_until_an_event);
	tcase_add_test(t, lands_before_arming);
	tcase_add_test(t, full_polls_go_on);
	tcase_add_test(t, posted_before_sleeping);
	tcase_add_test(t, timer_from_the_last_event);
	tcase_add_test(t, enough_packets_at_once);
	tcase_add_test(t, timer_from_the_last_completion);
	tcase_add_test(t, moderated_rate);
	tcase_add_test(t, overload_needs_no_interrupts);
	tcase_add_test(t, steps_do_not_matter);
	tcase_add_test(t, bad_configs);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
	return s;
}
