/* SPDX-License-Identifier: BSD-3-Clause */
/* host: a core that is away now and then, and whose costs vary.  The rig of host_rig.h. */
#include <math.h>

#include "host_rig.h"
#include "test.h"

static void away(struct rig *rig, struct cqesim_host_away away)
{
	config(rig, 4);
	rig->config.away = away;
	start(rig);
}

START_TEST(at_fixed_intervals)
{
	struct rig rig;

	away(&rig, (struct cqesim_host_away){.every_ps = 1000 * NS, .length_ps = 300 * NS});
	/* 0, 50 ... 950; away until 1300; 1300 ... 1950. */
	advance(&rig, 999 * NS);
	state(&rig, 1000 * NS, 20, 0, 0);
	ck_assert_uint_eq(rig.stats->away_ps, 0);
	advance(&rig, 1000 * NS);
	state(&rig, 1300 * NS, 20, 0, 0);
	ck_assert_uint_eq(rig.stats->away_ps, 300 * NS);
	advance(&rig, 1999 * NS);
	state(&rig, 2000 * NS, 34, 0, 0);
	/* What arrives meanwhile waits. */
	plain(&rig, 2, 2100 * NS);
	advance(&rig, 2300 * NS);
	called(&rig, 0, 2300 * NS, 2);
	state(&rig, 2440 * NS, 34, 1, 2);
	ck_assert_uint_eq(rig.stats->away_ps, 600 * NS);
	ck_assert_uint_eq(rig.stats->busy_ps, 140 * NS);
	stop(&rig);
}
END_TEST

START_TEST(a_call_ends_first)
{
	struct rig rig;

	away(&rig, (struct cqesim_host_away){.every_ps = 1000 * NS, .length_ps = 900 * NS});
	plain(&rig, 4, 950 * NS);
	plain(&rig, 1, 960 * NS);
	/* The call from 950 to 1130; away to 2030, by when the next one is due, to 2930. */
	advance(&rig, 2929 * NS);
	ck_assert_uint_eq(rig.stats->polls, 1);
	ck_assert_uint_eq(rig.stats->away_ps, 1800 * NS);
	advance(&rig, 2930 * NS);
	called(&rig, 0, 950 * NS, 4);
	called(&rig, 1, 2930 * NS, 1);
	/* And so on: none is left out.  3050, 3950 ... */
	advance(&rig, 3050 * NS);
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), 3950 * NS);
	stop(&rig);
}
END_TEST

START_TEST(while_asleep)
{
	struct rig rig;

	config(&rig, 4);
	rig.config.wakeup = CQESIM_WAKE_INTERRUPT;
	rig.config.away = (struct cqesim_host_away){.every_ps = 1000 * NS, .length_ps = 300 * NS};
	start(&rig);
	plain(&rig, 1, 2500 * NS);
	advance(&rig, 2500 * NS);
	called(&rig, 0, 2500 * NS, 1);
	ck_assert_uint_eq(rig.stats->away_ps, 600 * NS);
	ck_assert_uint_eq(rig.stats->asleep_ps, (1000 + 700 + 200) * NS);
	/* Asleep from 2620 until 3000; an event at 3100 finds the core away until 3300. */
	plain(&rig, 1, 3100 * NS);
	advance(&rig, 3300 * NS);
	called(&rig, 1, 3300 * NS, 1);
	ck_assert_uint_eq(rig.stats->away_ps, 900 * NS);
	ck_assert_uint_eq(rig.stats->asleep_ps, 2280 * NS);
	ck_assert_uint_eq(rig.stats->interrupts, 2);
	stop(&rig);
}
END_TEST

/*
 * SplitMix64 of 1234567 gives 6457827717110365317, 3203168211198807973 (its published
 * test vector); of these -ln(u / 2^64) is 1.0495948874006737, 1.7507474959304532.
 */
START_TEST(drawn)
{
	struct rig rig;

	away(&rig, (struct cqesim_host_away){.every_ps = UINT64_C(1000000000000),
					     .length_ps = UINT64_C(500000000000),
					     .seed = 1234567});
	advance(&rig, UINT64_C(1049594000000));
	ck_assert_uint_eq(rig.stats->away_ps, 0);
	advance(&rig, UINT64_C(1049594950000)); /* a poll begins every 50 ns */
	ck_assert_uint_ne(rig.stats->away_ps, 0);
	ck_assert(fabs((double)rig.stats->away_ps - 0.5 * 1750747495930.4532) < 1000);
	stop(&rig);
}
END_TEST

/* Means, and the exponential distribution's spread: as large as its mean. */
START_TEST(means)
{
	struct rig rig;
	double n = 0, sum = 0, squares = 0;
	uint64_t before = 0;

	config(&rig, 4);
	rig.config.empty_poll_cycles = 1;
	rig.config.away = (struct cqesim_host_away){
		.every_ps = 10000 * NS, .length_ps = 2000 * NS, .seed = 7};
	start(&rig);
	for (uint64_t ps = 0; ps < UINT64_C(200000000000); ps += 1000 * NS) {
		advance(&rig, ps);
		double length = (double)(rig.stats->away_ps - before);
		before = rig.stats->away_ps;
		sum += length;
		squares += length * length;
		n += length > 0;
	}
	/* 20000 of them; two within one step, a tenth of all, count as one here. */
	ck_assert(fabs(sum / 200e9 - 0.2) < 0.2 * 0.03);
	ck_assert(n > 17000 && n < 20000);
	ck_assert(squares / n > 1.8 * (sum / n) * (sum / n));
	stop(&rig);
}
END_TEST

static uint64_t end_of(uint64_t seed, double share, unsigned n, double *least, double *most)
{
	struct rig rig;

	config(&rig, 12);
	rig.config.burst = 1;
	rig.config.away = (struct cqesim_host_away){.seed = seed, .share = share};
	start(&rig);
	plain(&rig, n, 0);
	*least = INFINITY;
	*most = 0;
	for (unsigned i = 0; i < n; i++) {
		uint64_t ps = cqesim_host_next_ps(rig.host);

		advance(&rig, ps);
		double took = (double)(cqesim_host_next_ps(rig.host) - ps);
		*least = fmin(*least, took);
		*most = fmax(*most, took);
	}
	uint64_t end = cqesim_host_next_ps(rig.host);
	ck_assert_uint_eq(rig.stats->busy_ps, end);
	stop(&rig);
	return end;
}

/* 120 cycles a call, 2000 calls. */
START_TEST(costs_vary)
{
	double least, most;
	uint64_t end = end_of(3, 0.25, 2000, &least, &most);

	ck_assert(least >= 90e3 && least < 90.2e3);
	ck_assert(most <= 150e3 && most > 149.8e3);
	ck_assert(fabs((double)end / 2000 - 120e3) < 1.2e3);
	ck_assert_uint_eq(end_of(3, 0.25, 2000, &least, &most), end);
	ck_assert_uint_ne(end_of(4, 0.25, 2000, &least, &most), end);
	/* Without a seed, or a share, they do not. */
	ck_assert_uint_eq(end_of(0, 0.25, 2000, &least, &most), 2000 * 120 * NS);
	ck_assert_uint_eq(end_of(3, 0, 2000, &least, &most), 2000 * 120 * NS);
	end_of(5, 1, 2000, &least, &most);
	ck_assert(least < 1e3 && most > 239e3 && most <= 240e3);
}
END_TEST

START_TEST(bad_absences)
{
	static const struct cqesim_host_away bad[] = {
		{.every_ps = 1000, .length_ps = 1000},
		{.every_ps = CQESIM_AWAY_MAX_PS + 1, .length_ps = 5},
		{.share = -0.1},
		{.share = 1.1},
		{.share = NAN},
	};
	struct rig rig;
	struct cqesim_host_queue *host;

	config(&rig, 4);
	start(&rig);
	for (size_t i = 0; i < COUNT(bad); i++) {
		rig.config.away = bad[i];
		ck_assert_msg(cqesim_host_create(&host, &rig.config, &rig.reader, &rig.poster, NULL,
						 NULL, NULL) == -EINVAL,
			      "row %zu", i);
	}
	stop(&rig);
}
END_TEST

Suite *suite_host_away(void)
{
	Suite *s = suite_create("host_away");
	TCase *t = tcase_create("absences");

	tcase_add_test(t, at_fixed_intervals);
	tcase_add_test(t, a_call_ends_first);
	tcase_add_test(t, while_asleep);
	tcase_add_test(t, drawn);
	tcase_add_test(t, means);
	tcase_add_test(t, costs_vary);
	tcase_add_test(t, bad_absences);
	suite_add_tcase(s, t);
	return s;
}
