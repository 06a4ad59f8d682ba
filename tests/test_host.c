/* SPDX-License-Identifier: BSD-3-Clause */
/* host: the poll loop, in cases small enough to be counted by hand; and rings that are wrong. */
#include <math.h>

#include "host_rig.h"
#include "test.h"

START_TEST(empty_polls)
{
	struct rig rig;

	config(&rig, 4);
	start(&rig);
	state(&rig, 0, 0, 0, 0);
	advance(&rig, 0); /* the one that begins at 0 */
	state(&rig, 50 * NS, 1, 0, 0);
	advance(&rig, 50 * NS - 1);
	state(&rig, 50 * NS, 1, 0, 0);
	advance(&rig, 50 * NS);
	state(&rig, 100 * NS, 2, 0, 0);
	/* 100, 150 ... 1000 */
	advance(&rig, 1000 * NS);
	state(&rig, 1050 * NS, 21, 0, 0);
	advance(&rig, 1049 * NS);
	advance(&rig, 3);
	state(&rig, 1050 * NS, 21, 0, 0);
	ck_assert_uint_eq(rig.stats->busy_ps, 0);
	ck_assert_uint_eq(cqesim_host_pending(rig.host), 0);
	stop(&rig);
}
END_TEST

START_TEST(bursts)
{
	struct rig rig;

	config(&rig, 4);
	start(&rig);
	plain(&rig, 6, 120 * NS);
	ck_assert_uint_eq(cqesim_host_pending(rig.host), 6);
	/* Empty at 0, 50, 100; at 150 four of six: 100 + 4 x 20. */
	advance(&rig, 149 * NS);
	state(&rig, 150 * NS, 3, 0, 0);
	advance(&rig, 150 * NS);
	state(&rig, 330 * NS, 3, 1, 4);
	ck_assert_uint_eq(cqesim_host_pending(rig.host), 2);
	/* The other two: 100 + 2 x 20; then empty ones. */
	advance(&rig, 469 * NS);
	state(&rig, 470 * NS, 3, 2, 6);
	advance(&rig, 520 * NS);
	state(&rig, 570 * NS, 5, 2, 6);
	called(&rig, 0, 150 * NS, 4);
	called(&rig, 1, 330 * NS, 2);
	ck_assert_uint_eq(rig.calls, 2);
	ck_assert_uint_eq(rig.stats->busy_ps, 320 * NS);
	ck_assert_uint_eq(rig.stats->bytes, 60 + 61 + 62 + 63 + 64 + 65);
	ck_assert_uint_eq(rig.stats->errors, 0);
	for (unsigned i = 0; i <= CQESIM_BURST_MAX; i++)
		ck_assert_uint_eq(rig.stats->burst_hist[i], i == 4 || i == 2);
	/* Six of sixteen slots, then two: classes of one sixteenth. */
	ck_assert_uint_eq(rig.stats->occupancy_max, 6);
	ck_assert_uint_eq(rig.stats->occupancy_sum, 8);
	for (unsigned i = 0; i < CQESIM_OCCUPANCY_CLASSES; i++)
		ck_assert_uint_eq(rig.stats->occupancy_hist[i], i == 5 || i == 1);
	stop(&rig);
}
END_TEST

START_TEST(full_ring)
{
	struct rig rig;

	/* 64 slots: 64 is the last class, 60 and 56 as well as 57 the ones before; 4 is the first.
	 */
	config(&rig, 6);
	start(&rig);
	plain(&rig, 64, 0);
	advance(&rig, 16 * 180 * NS - 1);
	state(&rig, 16 * 180 * NS, 0, 16, 64);
	ck_assert_uint_eq(rig.stats->occupancy_max, 64);
	ck_assert_uint_eq(rig.stats->occupancy_sum, 4 * 17 * 8);
	for (unsigned i = 0; i < CQESIM_OCCUPANCY_CLASSES; i++)
		ck_assert_uint_eq(rig.stats->occupancy_hist[i], 1);
	plain(&rig, 5, 16 * 180 * NS);
	advance(&rig, 16 * 180 * NS);
	ck_assert_uint_eq(rig.stats->occupancy_hist[1], 2);
	stop(&rig);
}
END_TEST

START_TEST(visible_in_time)
{
	struct rig rig;

	config(&rig, 4);
	start(&rig);
	plain(&rig, 1, 100 * NS);     /* at the very moment of a poll: seen */
	plain(&rig, 1, 100 * NS + 1); /* just after: the next one's */
	plain(&rig, 2, 400 * NS);
	advance(&rig, 100 * NS);
	state(&rig, 220 * NS, 2, 1, 1);
	advance(&rig, 220 * NS);
	state(&rig, 340 * NS, 2, 2, 2);
	advance(&rig, 390 * NS);
	state(&rig, 440 * NS, 4, 2, 2);
	ck_assert_uint_eq(cqesim_host_pending(rig.host), 2);
	advance(&rig, 440 * NS);
	state(&rig, 580 * NS, 4, 3, 4);
	stop(&rig);
}
END_TEST

START_TEST(sessions_cost_theirs)
{
	struct rig rig;

	config(&rig, 4);
	start(&rig);
	session(&rig, 5, 0);
	plain(&rig, 1, 0);
	session(&rig, 2, 0);
	plain(&rig, 3, 0);
	/* Four of the session: 100 + 40 + 30. */
	advance(&rig, 0);
	state(&rig, 170 * NS, 0, 1, 4);
	/* Its fifth, not charged for the session again; plain 20; two and their session. */
	advance(&rig, 170 * NS);
	state(&rig, (170 + 100 + 10 + 20 + 20 + 30) * NS, 0, 2, 8);
	advance(&rig, 350 * NS);
	state(&rig, 510 * NS, 0, 3, 11);
	called(&rig, 0, 0, 4);
	called(&rig, 1, 170 * NS, 4);
	called(&rig, 2, 350 * NS, 3);
	stop(&rig);
}
END_TEST

START_TEST(fractions_of_cycles)
{
	struct rig rig;

	/* 3 GHz, a poll of one cycle: thirds of 1000 ps. */
	config(&rig, 4);
	rig.config.clock_hz = 3e9;
	rig.config.empty_poll_cycles = 1;
	rig.config.poll_cycles = 0.5;
	rig.config.plain_cycles = 0.1;
	start(&rig);
	plain(&rig, 1, 333);
	plain(&rig, 1, 1333);
	plain(&rig, 1, 2001);
	/* 0; 333 1/3 finds one: 0.6 cycles, until 533 1/3. */
	advance(&rig, 400);
	state(&rig, 533, 1, 1, 1);
	/* 533 1/3, 866 2/3, 1200, 1533 1/3 finds one: 1733 1/3. */
	advance(&rig, 1600);
	state(&rig, 1733, 4, 2, 2);
	/* 1733 1/3, 2066 2/3 */
	advance(&rig, 2066);
	state(&rig, 2266, 5, 3, 3);
	stop(&rig);

	/* From 333 1/3 the third poll begins at 1000 exactly, where one is seen. */
	config(&rig, 4);
	rig.config.clock_hz = 3e9;
	rig.config.empty_poll_cycles = 1;
	start(&rig);
	advance(&rig, 0);
	plain(&rig, 1, 1000);
	advance(&rig, 1000);
	state(&rig, 1000 + 40000, 3, 1, 1);
	stop(&rig);
}
END_TEST

START_TEST(buffers_are_posted)
{
	struct rig rig;

	/* Threshold 6 with bursts of 4: after the second one, with both bursts' buffers. */
	config(&rig, 4);
	rig.config.replenish = 6;
	start(&rig);
	plain(&rig, 9, 0);
	ck_assert_uint_eq(rig.rq_dbrec, be(16));
	ck_assert_uint_eq(rig.cq_dbrec, 0);
	advance(&rig, 0); /* until 180 */
	ck_assert_uint_eq(rig.cq_dbrec, be(4));
	advance(&rig, 180 * NS); /* until 360: only then are they the device's */
	ck_assert_uint_eq(rig.cq_dbrec, be(8));
	ck_assert_uint_eq(rig.rq_dbrec, be(16));
	advance(&rig, 359 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(16));
	advance(&rig, 360 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(24));
	ck_assert_uint_eq(rig.stats->packets, 9);
	/* One more is not enough for the next time; five more are. */
	advance(&rig, 1000 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(24));
	ck_assert_uint_eq(rig.cq_dbrec, be(9));
	plain(&rig, 5, 1001 * NS);
	advance(&rig, 1400 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(30));
	stop(&rig);
}
END_TEST

/*
 * A call that ends within a session: the rest is read ahead, or the device could
 * write over it when the buffers of the first part are posted.
 */
START_TEST(sessions_are_read_whole)
{
	struct rig rig;

	config(&rig, 4);
	start(&rig);
	plain(&rig, 1, 0);
	session(&rig, 6, 0);
	advance(&rig, 0);
	ck_assert_uint_eq(rig.stats->packets, 4);
	called(&rig, 0, 0, 4);
	ck_assert_uint_eq(rig.cq_dbrec, be(7));
	ck_assert_uint_eq(cqesim_host_reader(rig.host)->ci, 7);
	/* Posted at 180 ns; what the slots hold then is of no matter. */
	memset(rig.ring, 0xff, 64 << 4);
	advance(&rig, 210 * NS);
	called(&rig, 1, 180 * NS, 3);
	ck_assert_uint_eq(rig.stats->packets, 7);
	ck_assert_uint_eq(rig.cq_dbrec, be(7));
	ck_assert_uint_eq(cqesim_host_reader(rig.host)->ci, 7);
	stop(&rig);
}
END_TEST

/* A hundred days without a packet: at once, and to the very poll. */
START_TEST(long_idle)
{
	struct rig rig;

	/* 26.7 cycles at 2.6 GHz: 133500/13 ps a poll. */
	config(&rig, 4);
	rig.config.clock_hz = 2.6e9;
	rig.config.empty_poll_cycles = 26.7;
	rig.config.poll_cycles = 26;
	rig.config.plain_cycles = 0;
	start(&rig);
	plain(&rig, 1, UINT64_C(8640000000000000000));
	advance(&rig, UINT64_C(8640000000000000000));
	/* ceil(8.64 10^18 x 13 / 133500) polls; the next begins at ...4384 8/13 */
	state(&rig, UINT64_C(8640000000000004384), UINT64_C(841348314606742), 0, 0);
	advance(&rig, UINT64_C(8640000000000004384));
	state(&rig, UINT64_C(8640000000000014384), UINT64_C(841348314606742), 1, 1);
	stop(&rig);

	/* The same in steps of a tenth. */
	config(&rig, 4);
	rig.config.clock_hz = 2.6e9;
	rig.config.empty_poll_cycles = 26.7;
	start(&rig);
	for (unsigned i = 1; i <= 10; i++)
		advance(&rig, i * UINT64_C(864000000000000000));
	state(&rig, UINT64_C(8640000000000004384), UINT64_C(841348314606742), 0, 0);
	stop(&rig);

	/* The fastest poll and the slowest clock that are allowed. */
	config(&rig, 4);
	rig.config.clock_hz = 1e11;
	rig.config.empty_poll_cycles = 0.001; /* 0.01 ps */
	start(&rig);
	advance(&rig, UINT64_C(1000000000000)); /* all that begin before 10^12 + 1 */
	state(&rig, UINT64_C(1000000000001), UINT64_C(100000000000100), 0, 0);
	stop(&rig);
	config(&rig, 4);
	rig.config.clock_hz = 1e6;
	rig.config.empty_poll_cycles = 100000; /* 0.1 s */
	start(&rig);
	advance(&rig, UINT64_C(8640000000000000000));
	state(&rig, UINT64_C(8640000100000000000), 86400001, 0, 0);
	stop(&rig);
}
END_TEST

/* ---- what is wrong with a ring ---- */

START_TEST(announced_but_not_there)
{
	struct rig rig;

	config(&rig, 4);
	start(&rig);
	plain(&rig, 2, 0);
	cqesim_host_published(rig.host, 0, 1);
	ck_assert_int_eq(cqesim_host_advance(rig.host, 0), -EBADMSG);
	ck_assert_int_eq(cqesim_host_fault(rig.host)->kind, CQESIM_CQ_FAULT_NONE);
	ck_assert_uint_eq(cqesim_host_fault(rig.host)->index, 2);
	ck_assert_uint_eq(cqesim_host_fault(rig.host)->slot, 2);
	/* The queue has ended; it does not poll on. */
	uint64_t next = cqesim_host_next_ps(rig.host), polls = rig.stats->polls;
	ck_assert_int_eq(cqesim_host_advance(rig.host, 1000 * NS), -EBADMSG);
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), next);
	ck_assert_uint_eq(rig.stats->polls, polls);
	ck_assert_uint_eq(rig.stats->empty_polls, 0);
	ck_assert_uint_eq(rig.calls, 0);
	stop(&rig);

	/* From the first slot on, in a later lap. */
	config(&rig, 2);
	start(&rig);
	plain(&rig, 4, 0);
	advance(&rig, 0);
	plain(&rig, 2, 200 * NS);
	advance(&rig, 300 * NS);
	cqesim_host_published(rig.host, 400 * NS, 1);
	ck_assert_int_eq(cqesim_host_advance(rig.host, 1000 * NS), -EBADMSG);
	ck_assert_uint_eq(cqesim_host_fault(rig.host)->index, 6);
	ck_assert_uint_eq(cqesim_host_fault(rig.host)->slot, 2);
	stop(&rig);
}
END_TEST

START_TEST(malformed_title)
{
	for (unsigned good = 0; good < 3; good++) {
		struct rig rig;

		config(&rig, 4);
		start(&rig);
		plain(&rig, good, 0);
		session(&rig, 2, 0);
		rig.ring[good * 64 + 47] = 17;
		ck_assert_int_eq(cqesim_host_advance(rig.host, 0), -EBADMSG);
		ck_assert_int_eq(cqesim_host_fault(rig.host)->kind, CQESIM_CQ_FAULT_SESSION_LONG);
		ck_assert_uint_eq(cqesim_host_fault(rig.host)->index, good);
		ck_assert_uint_eq(cqesim_host_fault(rig.host)->found, 17);
		stop(&rig);
	}
}
END_TEST

START_TEST(deliver_stops)
{
	struct rig rig;

	config(&rig, 4);
	rig.stop_at = 2;
	start(&rig);
	plain(&rig, 12, 0);
	ck_assert_int_eq(cqesim_host_advance(rig.host, 1000 * NS), -EIO);
	/* The first burst went its way; the second one's buffers are nobody's. */
	ck_assert_uint_eq(rig.calls, 2);
	called(&rig, 1, 180 * NS, 4);
	ck_assert_uint_eq(rig.cq_dbrec, be(4));
	ck_assert_int_eq(cqesim_host_advance(rig.host, 2000 * NS), -EIO);
	ck_assert_uint_eq(rig.calls, 2);
	ck_assert_uint_eq(cqesim_host_pending(rig.host), 4);
	stop(&rig);
}
END_TEST

START_TEST(error_completions)
{
	struct rig rig;
	struct cqesim_cqe_err err = {.syndrome = CQESIM_SYNDROME_LOCAL_PROT};
	uint8_t raw[64];

	config(&rig, 4);
	start(&rig);
	plain(&rig, 1, 0);
	cqesim_cqe_err_encode(&err, raw);
	cqesim_cq_write(&rig.writer, raw, CQESIM_OP_RESP_ERR, CQESIM_FORMAT_PLAIN);
	cqesim_host_published(rig.host, 0, 1);
	plain(&rig, 1, 0);
	advance(&rig, 0);
	ck_assert_uint_eq(rig.stats->errors, 1);
	ck_assert_uint_eq(rig.stats->packets, 3);
	ck_assert_uint_eq(rig.calls, 1);
	stop(&rig);
}
END_TEST

START_TEST(nobody_listens)
{
	struct rig rig;

	config(&rig, 4);
	start(&rig);
	cqesim_host_destroy(rig.host);
	cqesim_host_destroy(NULL);
	ck_assert_int_eq(cqesim_host_create(&rig.host, &rig.config, &rig.reader, &rig.poster, NULL,
					    NULL, NULL),
			 0);
	rig.stats = cqesim_host_stats(rig.host);
	plain(&rig, 4, 0);
	advance(&rig, 180 * NS);
	ck_assert_uint_eq(rig.stats->packets, 4);
	ck_assert_uint_eq(rig.rq_dbrec, be(20));
	stop(&rig);
}
END_TEST

START_TEST(bad_configs)
{
	struct rig rig;
	struct cqesim_host_config bad[16];
	struct cqesim_host_queue *host;
	unsigned n = 0;

	config(&rig, 4);
	start(&rig);
	for (size_t i = 0; i < COUNT(bad); i++)
		bad[i] = rig.config;
	bad[n++].clock_hz = 0;
	bad[n++].clock_hz = -1e9;
	bad[n++].clock_hz = 1e12;
	bad[n++].clock_hz = NAN;
	bad[n++].empty_poll_cycles = 0;
	bad[n++].empty_poll_cycles = -5;
	bad[n++].empty_poll_cycles = NAN;
	bad[n++].burst = 0;
	bad[n++].burst = CQESIM_BURST_MAX + 1;
	bad[n++].replenish = 0;
	bad[n++].replenish = 17;
	bad[n++].poll_cycles = -1;
	bad[n++].plain_cycles = INFINITY;
	bad[n++].mini_cycles = -0.1;
	bad[n++].session_cycles = NAN;
	bad[n++].plain_cycles = 1e30;
	ck_assert_uint_eq(n, COUNT(bad));
	for (unsigned i = 0; i < n; i++) {
		host = rig.host;
		ck_assert_msg(cqesim_host_create(&host, &bad[i], &rig.reader, &rig.poster, NULL,
						 NULL, NULL) == -EINVAL,
			      "row %u", i);
		ck_assert_ptr_null(host);
	}
	/* At the limits. */
	rig.config.burst = CQESIM_BURST_MAX;
	rig.config.replenish = 16;
	rig.config.plain_cycles = 0;
	ck_assert_int_eq(
		cqesim_host_create(&host, &rig.config, &rig.reader, &rig.poster, NULL, NULL, NULL),
		0);
	cqesim_host_destroy(host);
	stop(&rig);
}
END_TEST

Suite *suite_host(void)
{
	Suite *s = suite_create("host");
	TCase *t = tcase_create("polls");

	tcase_add_test(t, empty_polls);
	tcase_add_test(t, bursts);
	tcase_add_test(t, full_ring);
	tcase_add_test(t, visible_in_time);
	tcase_add_test(t, sessions_cost_theirs);
	tcase_add_test(t, fractions_of_cycles);
	tcase_add_test(t, buffers_are_posted);
	tcase_add_test(t, sessions_are_read_whole);
	tcase_add_test(t, long_idle);
	tcase_add_test(t, announced_but_not_there);
	tcase_add_test(t, malformed_title);
	tcase_add_test(t, deliver_stops);
	tcase_add_test(t, error_completions);
	tcase_add_test(t, nobody_listens);
	tcase_add_test(t, bad_configs);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
	test_host_load(s);
	test_host_striding(s);
	return s;
}
