/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host: an application's frame of several calls; costs per byte; being told of calls.
 * The rig of host_rig.h, and 30 cycles a call; of a packet's 20 (10 of a session's) 5 are
 * spent when the frame is whole.
 */
#include "host_rig.h"
#include "test.h"

static void framed(struct rig *rig, unsigned frame)
{
	config(rig, 5);
	rig->config.frame = frame;
	rig->config.call_cycles = 30;
	rig->config.app_cycles = 5;
}

START_TEST(calls_until_it_is_whole)
{
	struct rig rig;

	framed(&rig, 10);
	start(&rig);
	plain(&rig, 11, 0);
	/* 30 + 4 x 15, the same, then two: 30 + 2 x 15, and 100 + 10 x 5. */
	advance(&rig, 0);
	state(&rig, 90 * NS, 0, 0, 0);
	advance(&rig, 90 * NS);
	state(&rig, 180 * NS, 0, 0, 0);
	advance(&rig, 180 * NS);
	state(&rig, 390 * NS, 0, 1, 10);
	called(&rig, 0, 0, 4);
	called(&rig, 1, 90 * NS, 4);
	called(&rig, 2, 180 * NS, 2);
	ck_assert_uint_eq(rig.stats->calls, 3);
	ck_assert_uint_eq(rig.stats->burst_hist[10], 1);
	ck_assert_uint_eq(rig.stats->occupancy_sum, 11);
	/* The last one: asked for four, it ends its frame. */
	advance(&rig, 390 * NS);
	state(&rig, (390 + 30 + 15 + 100 + 5) * NS, 0, 2, 11);
	ck_assert_uint_eq(rig.stats->burst_hist[1], 1);
	ck_assert_uint_eq(rig.stats->occupancy_sum, 12);
	ck_assert_uint_eq(rig.stats->busy_ps, 540 * NS);
	/* Then calls that find nothing, as ever. */
	advance(&rig, 540 * NS);
	state(&rig, 590 * NS, 1, 2, 11);
	stop(&rig);
}
END_TEST

/* A full call is followed by another one, though nothing is left. */
START_TEST(a_full_call_asks_again)
{
	struct rig rig;

	framed(&rig, 10);
	start(&rig);
	plain(&rig, 4, 0);
	advance(&rig, 90 * NS);
	state(&rig, (90 + 30 + 100 + 20) * NS, 0, 1, 4);
	ck_assert_uint_eq(rig.stats->calls, 1);
	ck_assert_uint_eq(rig.stats->burst_hist[4], 1);
	stop(&rig);

	/* What arrives during the first call is the frame's. */
	framed(&rig, 10);
	start(&rig);
	plain(&rig, 4, 0);
	plain(&rig, 1, 90 * NS);
	advance(&rig, 90 * NS);
	state(&rig, (90 + 30 + 15 + 100 + 25) * NS, 0, 1, 5);
	ck_assert_uint_eq(rig.stats->burst_hist[5], 1);
	ck_assert_uint_eq(rig.stats->occupancy_sum, 4);
	ck_assert_uint_eq(rig.stats->calls, 2);
	stop(&rig);
}
END_TEST

START_TEST(sessions_in_frames)
{
	struct rig rig;

	/* Four of a session of six, then its rest and two plain ones: 30 + 4 x 5 + 30. */
	framed(&rig, 8);
	start(&rig);
	session(&rig, 6, 0);
	plain(&rig, 3, 0);
	advance(&rig, 0);
	state(&rig, 80 * NS, 0, 0, 0);
	advance(&rig, 80 * NS);
	state(&rig, (80 + 30 + 2 * 5 + 2 * 15 + 100 + 8 * 5) * NS, 0, 1, 8);
	stop(&rig);
}
END_TEST

START_TEST(buffers_after_each_call)
{
	struct rig rig;

	framed(&rig, 16);
	start(&rig);
	plain(&rig, 12, 0);
	advance(&rig, 89 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(32));
	advance(&rig, 90 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(36));
	advance(&rig, 270 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(44));
	ck_assert_uint_eq(rig.stats->polls, 1);
	stop(&rig);
}
END_TEST

/* VPP: 32 at a time until 256, each call by the vector function's rule. */
START_TEST(vector_rule)
{
	struct rig rig;

	config(&rig, 9);
	rig.config.rule = CQESIM_POLL_DPDK_VEC;
	rig.config.burst = 32;
	rig.config.replenish = 64;
	rig.config.frame = 256;
	rig.config.call_cycles = 30;
	start(&rig);
	plain(&rig, 300, 0);
	advance(&rig, 7 * (30 + 32 * 20) * NS);
	ck_assert_uint_eq(rig.calls, 8);
	for (unsigned i = 0; i < 8; i++)
		called(&rig, i, i * 670 * NS, 32);
	ck_assert_uint_eq(rig.stats->burst_hist[256], 1);
	/* 44 more: 32 and 12. */
	advance(&rig, (8 * 670 + 100 + 670) * NS);
	called(&rig, 8, (8 * 670 + 100) * NS, 32);
	called(&rig, 9, (8 * 670 + 100 + 670) * NS, 12);
	ck_assert_uint_eq(rig.stats->burst_hist[44], 1);
	stop(&rig);

	/* The last call of a frame of ten asks for two: the driver does not look. */
	config(&rig, 6);
	rig.config.rule = CQESIM_POLL_DPDK_VEC;
	rig.config.frame = 10;
	start(&rig);
	plain(&rig, 16, 0);
	advance(&rig, 2 * 80 * NS);
	state(&rig, (2 * 80 + 100) * NS, 0, 1, 8);
	stop(&rig);
}
END_TEST

/* Linux takes completions one by one until its budget: those that arrive meanwhile as well. */
START_TEST(one_by_one)
{
	struct rig rig;

	config(&rig, 4);
	rig.config.wakeup = CQESIM_WAKE_INTERRUPT;
	rig.config.frame = 4;
	rig.config.burst = 1;
	start(&rig);
	plain(&rig, 1, 0);
	plain(&rig, 1, 15 * NS);
	plain(&rig, 1, 35 * NS);
	plain(&rig, 1, 61 * NS); /* after the last look at 60 */
	advance(&rig, 60 * NS);
	state(&rig, 160 * NS, 0, 1, 3);
	ck_assert_uint_eq(rig.stats->interrupts, 1);
	advance(&rig, 160 * NS); /* armed, and at once an event */
	ck_assert_uint_eq(rig.stats->interrupts, 2);
	/* The budget is used up: no arming. */
	plain(&rig, 4, 300 * NS);
	advance(&rig, 1000 * NS);
	ck_assert_uint_eq(rig.stats->burst_hist[4], 1);
	ck_assert_uint_eq(rig.stats->interrupts, 3);
	ck_assert_uint_eq(rig.stats->empty_polls, 1);
	stop(&rig);
}
END_TEST

/* ---- bytes ---- */

START_TEST(cycles_per_byte)
{
	struct rig rig;

	config(&rig, 4);
	rig.config.byte_cycles = 0.5;
	rig.config.batch_reads = true;
	start(&rig);
	plain(&rig, 2, 0); /* of 60 and 61 bytes */
	advance(&rig, 0);
	state(&rig, 200500, 0, 1, 2);
	called(&rig, 0, 0, 2); /* read with its call */
	stop(&rig);

	/* Millionths of a cycle count: 121 x 0.000265 = 0.032065. */
	config(&rig, 4);
	rig.config.byte_cycles = 0.000265;
	start(&rig);
	plain(&rig, 2, 0);
	advance(&rig, 0);
	state(&rig, 140032, 0, 1, 2);
	stop(&rig);
}
END_TEST

/* ---- being told ---- */

static struct cqesim_host_returned told[8];
static unsigned told_n;

static void tell(void *context, const struct cqesim_host_returned *call)
{
	ck_assert_ptr_eq(context, &told_n);
	told[told_n++] = *call;
}

START_TEST(told_of_calls)
{
	struct rig rig;

	framed(&rig, 10);
	rig.config.batch_reads = true;
	rig.config.replenish = 32;
	start(&rig);
	cqesim_host_observe(rig.host, tell, &told_n);
	plain(&rig, 4, 40 * NS);
	plain(&rig, 2, 100 * NS);
	advance(&rig, 1000 * NS);
	static const struct cqesim_host_returned expected[] = {
		{50 * NS, 4, 0, 1, 4},
		{140 * NS, 2, 0, 0, 0},
	};
	ck_assert_uint_eq(told_n, 2);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_uint_eq(told[i].ps, expected[i].ps);
		ck_assert_uint_eq(told[i].packets, expected[i].packets);
		ck_assert_uint_eq(told[i].fillers, expected[i].fillers);
		ck_assert_uint_eq(told[i].polls, expected[i].polls);
		ck_assert_uint_eq(told[i].occupancy, expected[i].occupancy);
	}
	ck_assert_uint_eq(rig.calls, 0); /* the ring has not been read yet */
	cqesim_host_observe(rig.host, NULL, NULL);
	plain(&rig, 1, 1000 * NS);
	advance(&rig, 2000 * NS);
	ck_assert_uint_eq(told_n, 2);
	stop(&rig);
}
END_TEST

START_TEST(bad_frames)
{
	struct rig rig;
	struct cqesim_host_config bad[8];
	struct cqesim_host_queue *host;
	unsigned n = 0;

	framed(&rig, 10);
	start(&rig);
	for (size_t i = 0; i < COUNT(bad); i++)
		bad[i] = rig.config;
	bad[n++].frame = 3; /* less than the burst */
	bad[n++].frame = CQESIM_FRAME_MAX + 1;
	bad[n++].call_cycles = -1;
	bad[n++].app_cycles = 10.1; /* more than a session's packet costs */
	bad[n++].app_cycles = -1;
	bad[n++].byte_cycles = -1;
	bad[n++].byte_cycles = 10001;
	bad[n++].empty_poll_cycles = 0;
	for (unsigned i = 0; i < n; i++)
		ck_assert_msg(cqesim_host_create(&host, &bad[i], &rig.reader, &rig.poster, NULL,
						 NULL, NULL) == -EINVAL,
			      "row %u", i);
	stop(&rig);
}
END_TEST

Suite *suite_host_frame(void)
{
	Suite *s = suite_create("host_frame");
	TCase *t = tcase_create("frames");

	tcase_add_test(t, calls_until_it_is_whole);
	tcase_add_test(t, a_full_call_asks_again);
	tcase_add_test(t, sessions_in_frames);
	tcase_add_test(t, buffers_after_each_call);
	tcase_add_test(t, vector_rule);
	tcase_add_test(t, one_by_one);
	tcase_add_test(t, cycles_per_byte);
	tcase_add_test(t, told_of_calls);
	tcase_add_test(t, bad_frames);
	suite_add_tcase(s, t);
	return s;
}
