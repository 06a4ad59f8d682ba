/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nic: sessions in the enhanced layout, byte by byte and by the clock, and
 * sessions that end by age in both.  Worked out by hand for a link of 1 ns per
 * byte (see test_nic.h): a packet's data 84, and 32 more with a read of four WQEs;
 * a title or an array 88.
 */
#include <string.h>

#include "test_nic.h"

static struct rig_queue *enhanced(struct rig *rig, unsigned log_size, uint32_t max)
{
	rig_aggressive(rig, max);
	rig->layout = CQESIM_CQ_ENHANCED;
	rig_start(rig);
	return rig_add(rig, log_size, 0, true, CQESIM_MINI_HASH);
}

/* A slot's last four bytes: WQE of the first packet, iteration count, op_own. */
static void ends_in(const struct rig_queue *q, unsigned slot, unsigned wqe, uint8_t count,
		    uint8_t op_own)
{
	const uint8_t *b = q->ring + slot * 64 + 60;

	ck_assert_msg(b[0] == wqe >> 8 && b[1] == (wqe & 0xff) && b[2] == count && b[3] == op_own,
		      "slot %u: %02x %02x %02x %02x, not WQE %u, %02x, %02x", slot, b[0], b[1],
		      b[2], b[3], wqe, count, op_own);
}

/* The next n packets have these hashes and WQEs, counting on. */
static void reads(struct rig_queue *q, unsigned n, uint32_t hash, uint16_t wqe)
{
	struct cqesim_completion c[64];

	ck_assert_int_eq(cqesim_cq_poll(&q->reader, c, 64, NULL), (int)n);
	for (unsigned i = 0; i < n; i++) {
		ck_assert_uint_eq(c[i].meta.rx_hash_res, hash + i);
		ck_assert_uint_eq(c[i].wqe_counter, wqe + i);
		ck_assert_uint_eq(c[i].meta.byte_cnt, 60);
		ck_assert_uint_eq(c[i].meta.l4_l3_hdr_type, CQESIM_HDR_L3_IPV4 | CQESIM_HDR_L4_UDP);
	}
}

START_TEST(title_at_once)
{
	static const uint8_t untouched[62];
	static const uint8_t minis[16] = {0, 0, 0, 8, 0, 0, 0, 60, 0, 0, 0, 9, 0, 0, 0, 60};
	struct rig rig;
	struct rig_queue *q = enhanced(&rig, 4, 64);

	rig_packet(&rig, 0, 0);
	rig_event(&rig, 0, 1, 1, 204000); /* 84 + 32 + 88 */
	ends_in(q, 0, 0, 0, 0x20);
	for (uint32_t i = 1; i < 7; i++)
		rig_packet(&rig, 0, i);
	ck_assert_uint_eq(rig.events, 1);
	/* 7 x 84 + 32, and the array, as it is full. */
	rig_packet(&rig, 0, 7);
	rig_event(&rig, 1, 1, 7, 912000);
	ends_in(q, 1, 1, 0, 0x6c);
	rig_packet(&rig, 0, 8);
	rig_packet(&rig, 0, 9);
	ck_assert_uint_eq(rig.events, 2);
	reads(q, 8, 0, 0);
	cqesim_nic_step(rig.nic, 10 * RIG_US);
	rig_event(&rig, 2, 1, 2, 10 * RIG_US + 88000);
	ends_in(q, 8, 8, 0, 0x1c);
	ck_assert_mem_eq(q->ring + 8 * 64, minis, 16);
	ck_assert_mem_eq(q->ring + 8 * 64 + 16, untouched, 44);
	for (unsigned hole = 2; hole < 8; hole++) {
		ck_assert_mem_eq(q->ring + hole * 64, untouched, 62);
		ends_in(q, hole, 0, 0xff, 0xf1);
	}
	reads(q, 2, 8, 8);
	rig_ends(&rig, 0, 0, 1, 0, 0, 0);
	ck_assert_uint_eq(rig_stats(&rig)->sessions, 1);
	ck_assert_uint_eq(rig_stats(&rig)->session_packets, 10);
	ck_assert_uint_eq(rig_stats(&rig)->session_hist[10], 1);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 0);
	ck_assert_uint_eq(rig_stats(&rig)->arrays, 2);
	ck_assert_uint_eq(rig_stats(&rig)->full_arrays, 1);
	rig_traffic(&rig, CQESIM_TRAFFIC_CQE, 0, 0, 0);
	rig_traffic(&rig, CQESIM_TRAFFIC_TITLE, 1, 64, 88);
	rig_traffic(&rig, CQESIM_TRAFFIC_MINI, 2, 128, 176);
	rig_stop(&rig);
}
END_TEST

/* A session that ends with its title was a plain completion; nothing more is written. */
START_TEST(lone_title)
{
	struct rig rig;
	struct rig_queue *q = enhanced(&rig, 4, 64);

	rig_packet(&rig, 0, 5);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 10 * RIG_US);
	cqesim_nic_step(rig.nic, 10 * RIG_US);
	ck_assert_uint_eq(rig.events, 1);
	ck_assert_uint_eq(rig_stats(&rig)->link_busy_bytes, 204);
	rig_ends(&rig, 0, 0, 1, 0, 0, 0);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 1);
	ck_assert_uint_eq(rig_stats(&rig)->lone, 1);
	ck_assert_uint_eq(rig_stats(&rig)->sessions, 0);
	/* The next is a title again. */
	rig_packet(&rig, 10 * RIG_US, 6);
	ck_assert_uint_eq(rig.events, 2);
	ends_in(q, 1, 1, 0, 0x20);
	reads(q, 2, 5, 0);
	rig_stop(&rig);
}
END_TEST

START_TEST(what_closes)
{
	struct cqesim_rxmeta other = rig_meta(0);
	struct rig rig;
	struct rig_queue *q = enhanced(&rig, 4, 64);

	/* Another flow: the array of one goes out, then the new title, ahead of its data. */
	other.flow_tag = 7;
	rig_packet(&rig, 0, 0); /* 204 */
	rig_packet(&rig, 0, 1); /* 288 */
	cqesim_nic_receive(rig.nic, q->rqn, 0, &other, NULL, 0, NULL);
	rig_event(&rig, 1, 1, 1, 376000);
	rig_event(&rig, 2, 1, 1, 548000);
	ends_in(q, 1, 1, 0, 0x0c);
	ends_in(q, 2, 2, 0, 0x20);
	rig_ends(&rig, 1, 0, 0, 0, 0, 0);
	/* The queue stops: what is open goes out. */
	cqesim_nic_receive(rig.nic, q->rqn, 0, &other, NULL, 0, NULL);
	cqesim_nic_modify_rq(rig.nic, q->rqn, CQESIM_QUEUE_ERR, 5 * RIG_US);
	rig_event(&rig, 3, 1, 1, 5 * RIG_US + 88000);
	rig_ends(&rig, 1, 0, 0, 0, 0, 1);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
	rig_stop(&rig);

	/* The longest session: title and three. */
	q = enhanced(&rig, 4, 4);
	for (uint32_t i = 0; i < 5; i++)
		rig_packet(&rig, 0, i);
	ck_assert_uint_eq(rig.events, 3);
	ck_assert_uint_eq(rig.event[1].count, 3);
	ck_assert_uint_eq(rig.event[2].count, 1);
	ends_in(q, 1, 1, 0, 0x2c);
	ends_in(q, 4, 4, 0, 0x20);
	rig_ends(&rig, 0, 1, 0, 0, 0, 0);
	ck_assert_uint_eq(rig_stats(&rig)->full_arrays, 0);
	reads(q, 5, 0, 0);
	/* Only the title, and the queue goes: nothing is left to fall due. */
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, q->rqn), 0);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, q->cqn), 0);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
	rig_stop(&rig);
}
END_TEST

START_TEST(balanced_relief)
{
	struct rig rig;

	rig_aggressive(&rig, 64);
	rig.layout = CQESIM_CQ_ENHANCED;
	rig.config.compression = CQESIM_COMP_BALANCED;
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	/* No backlog: plain, and no session. */
	rig_packet(&rig, 0, 0);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
	/* Some: a title, two in an array. */
	for (uint32_t i = 1; i < 4; i++)
		rig_packet(&rig, i, i);
	ck_assert_uint_eq(rig.events, 2);
	/* None again: the array, then plain. */
	rig_packet(&rig, 5 * RIG_US, 4);
	rig_event(&rig, 2, 1, 2, 5 * RIG_US + 88000);
	ck_assert_uint_eq(rig.events, 4);
	rig_ends(&rig, 0, 0, 0, 0, 1, 0);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 2);
	ck_assert_uint_eq(rig_stats(&rig)->session_packets, 3);
	reads(q, 5, 0, 0);
	rig_stop(&rig);
}
END_TEST

START_TEST(ring_end)
{
	struct cqesim_rxmeta other = rig_meta(7);
	struct rig rig;
	struct rig_queue *q = enhanced(&rig, 3, 64);

	/* Title and seven fill the ring. */
	for (uint32_t i = 0; i < 8; i++)
		rig_packet(&rig, 0, i);
	ck_assert_uint_eq(rig.event[1].count, 7);
	rig_ends(&rig, 0, 0, 0, 1, 0, 0);
	reads(q, 8, 0, 0);
	cqesim_rq_repost(&q->poster, 8);
	cqesim_rq_doorbell(&q->poster);
	/* The next lap: count 1, owner 1.  Its last slot is plain, and nobody's title. */
	for (uint32_t i = 0; i < 7; i++)
		rig_packet(&rig, 0, i);
	other.flow_tag = 7;
	cqesim_nic_receive(rig.nic, q->rqn, 0, &other, NULL, 0, NULL);
	ends_in(q, 0, 8, 1, 0x21);
	ends_in(q, 1, 9, 1, 0x5d);
	ends_in(q, 7, 15, 1, 0x21);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
	rig_ends(&rig, 1, 0, 0, 1, 0, 0);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 1);
	ck_assert_uint_eq(rig_stats(&rig)->lone, 0);
	reads(q, 8, 0, 8);
	rig_stop(&rig);

	/* Allowed to cross: a title in slot 4, its array in 5 to 3 of the next lap. */
	rig_aggressive(&rig, 8);
	rig.layout = CQESIM_CQ_ENHANCED;
	rig.config.comp_cross = true;
	rig_start(&rig);
	q = rig_add(&rig, 3, 0, true, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 4; i++)
		cqesim_nic_receive(rig.nic, q->rqn, 0, &other, NULL, 0, NULL);
	rig_packet(&rig, 0, 0);
	ck_assert_int_eq(cqesim_cq_poll(&q->reader, (struct cqesim_completion[8]){0}, 8, NULL), 5);
	cqesim_rq_repost(&q->poster, 5);
	cqesim_rq_doorbell(&q->poster);
	for (uint32_t i = 1; i < 8; i++)
		rig_packet(&rig, 0, i);
	ends_in(q, 5, 5, 0, 0x6c);
	ck_assert_uint_eq(rig.event[rig.events - 1].count, 7);
	rig_ends(&rig, 1, 1, 0, 0, 0, 0);
	reads(q, 7, 1, 5);
	/* And the next entry lies behind it. */
	rig_packet(&rig, 0, 8);
	ends_in(q, 4, 12, 1, 0x21);
	reads(q, 1, 8, 12);
	rig_stop(&rig);
}
END_TEST

/* No policy cuts an array or joins it with its title. */
START_TEST(arrays_are_whole)
{
	for (unsigned policy = CQESIM_WRITE_ARRAYS; policy <= CQESIM_WRITE_EXACT; policy++) {
		struct rig rig;

		rig_aggressive(&rig, 64);
		rig.layout = CQESIM_CQ_ENHANCED;
		rig.config.write_policy = policy;
		rig_start(&rig);
		rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
		for (uint32_t i = 0; i < 3; i++)
			rig_packet(&rig, 0, i);
		cqesim_nic_step(rig.nic, 10 * RIG_US);
		rig_traffic(&rig, CQESIM_TRAFFIC_TITLE, 1, 64, 88);
		rig_traffic(&rig, CQESIM_TRAFFIC_MINI, 1, 64, 88);
		rig_stop(&rig);
	}
}
END_TEST

/* ---- age ---- */

START_TEST(age_ends_it)
{
	struct rig rig;

	rig_aggressive(&rig, 16);
	rig.config.comp_age_ps = 5 * RIG_US;
	rig_start(&rig);
	rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	rig_packet(&rig, 0, 0);
	rig_packet(&rig, 3 * RIG_US, 1);
	rig_packet(&rig, 4900000, 2);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 5 * RIG_US);
	ck_assert_uint_eq(rig.events, 0);
	/* A packet at the very moment is too late: it opens the next session. */
	rig_packet(&rig, 5 * RIG_US, 3);
	rig_event(&rig, 0, 1, 3, 5 * RIG_US + 176000);
	ck_assert_uint_eq(rig_stats(&rig)->session_ends[CQESIM_END_AGE], 1);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 10 * RIG_US);
	cqesim_nic_step(rig.nic, 50 * RIG_US);
	ck_assert_uint_eq(rig_stats(&rig)->session_ends[CQESIM_END_AGE], 2);
	rig_stop(&rig);
}
END_TEST

/* Two queues, one too old and one silent too long: in the order of these times. */
START_TEST(age_and_time_out)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(9);

	rig_aggressive(&rig, 16);
	rig.config.comp_age_ps = 5 * RIG_US;
	rig.config.comp_timeout_ps = 3 * RIG_US;
	rig_start(&rig);
	rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	struct rig_queue *second = rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	rig_packet(&rig, 0, 0);
	cqesim_nic_receive(rig.nic, second->rqn, 1 * RIG_US, &m, NULL, 0, NULL);
	cqesim_nic_receive(rig.nic, second->rqn, 1 * RIG_US, &m, NULL, 0, NULL);
	rig_packet(&rig, 2 * RIG_US, 1);
	rig_packet(&rig, 3500000, 2);
	cqesim_nic_step(rig.nic, 20 * RIG_US);
	ck_assert_uint_eq(rig.events, 2);
	rig_event(&rig, 0, 2, 2, 4 * RIG_US + 176000);
	rig_event(&rig, 1, 1, 3, 5 * RIG_US + 176000);
	ck_assert_uint_eq(rig_stats(&rig)->session_ends[CQESIM_END_TIMEOUT], 1);
	ck_assert_uint_eq(rig_stats(&rig)->session_ends[CQESIM_END_AGE], 1);
	ck_assert_uint_eq(cqesim_nic_cq_stats(rig.nic, 1)->session_packets, 3);
	ck_assert_uint_eq(cqesim_nic_cq_stats(rig.nic, 2)->session_packets, 2);
	ck_assert_ptr_null(cqesim_nic_cq_stats(rig.nic, 3));
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
	rig_stop(&rig);
}
END_TEST

/* Behind a pipeline of 1 Mpps a session has the packets that were through it in time. */
START_TEST(age_behind_pipeline)
{
	struct rig rig;

	rig_aggressive(&rig, 16);
	rig.config.max_pps = 1e6;
	rig.config.comp_age_ps = 3 * RIG_US;
	rig_start(&rig);
	rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 10; i++)
		rig_packet(&rig, 0, i);
	/* Ready at 1, 2, 3; 4, 5, 6; 7, 8, 9; 10 us. */
	ck_assert_uint_eq(rig.events, 3);
	for (unsigned i = 0; i < 3; i++)
		rig_event(&rig, i, 1, 3, (4 + 3 * i) * RIG_US + 176000);
	ck_assert_uint_eq(rig_stats(&rig)->session_ends[CQESIM_END_AGE], 3);
	rig_stop(&rig);
}
END_TEST

/* Enhanced: what is open when the session is too old. */
START_TEST(age_of_a_title)
{
	struct rig rig;

	rig_aggressive(&rig, 16);
	rig.layout = CQESIM_CQ_ENHANCED;
	rig.config.comp_age_ps = 5 * RIG_US;
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	rig_packet(&rig, 0, 0);
	rig_packet(&rig, 4 * RIG_US, 1);
	rig_packet(&rig, 6 * RIG_US, 2);
	rig_event(&rig, 1, 1, 1, 5 * RIG_US + 88000);
	ends_in(q, 1, 1, 0, 0x0c);
	ends_in(q, 2, 2, 0, 0x20);
	ck_assert_uint_eq(rig_stats(&rig)->session_ends[CQESIM_END_AGE], 1);
	/* Never: as if there were no age. */
	rig_stop(&rig);
	rig_aggressive(&rig, 16);
	rig.config.comp_age_ps = UINT64_MAX;
	rig_start(&rig);
	rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	rig_packet(&rig, 1, 0);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 10 * RIG_US + 1);
	rig_stop(&rig);
}
END_TEST

/* ---- seconds in which the link was stalled ---- */

/*
 * One posted TLP in flight, whose credit is back after a millisecond: of a packet
 * alone the data goes at once, the completion when that credit is back.
 */
START_TEST(stalled_seconds)
{
	struct rig rig;

	rig_config(&rig);
	rig.config.latency.credit_return_ps = 1000 * RIG_US;
	rig.config.latency.posted_headers = 1;
	rig.config.latency.posted_data = 1000;
	rig_start(&rig);
	rig_add(&rig, 10, 0, false, CQESIM_MINI_HASH);
	/* 400 in the first second: 400 waits of nearly a millisecond are 40 percent. */
	for (uint32_t i = 0; i < 400; i++)
		rig_packet(&rig, i * 2500 * RIG_US, i);
	ck_assert_uint_eq(rig_stats(&rig)->stalls.seconds, 0);
	/* 100 in the second. */
	for (uint32_t i = 0; i < 100; i++)
		rig_packet(&rig, CQESIM_PS_PER_S + i * 2500 * RIG_US, i);
	const struct cqesim_stalls *s = &rig_stats(&rig)->stalls;
	ck_assert_uint_eq(s->seconds, 1);
	ck_assert_uint_eq(s->above[0], 1);
	ck_assert_uint_eq(s->above[1], 0);
	ck_assert_double_eq_tol((double)s->last_ps[0] * 1e-12, 0.4, 0.001);
	rig_packet(&rig, 2 * CQESIM_PS_PER_S, 0);
	ck_assert_uint_eq(s->seconds, 2);
	ck_assert_uint_eq(s->above[0], 1);
	ck_assert_double_eq_tol((double)s->last_ps[0] * 1e-12, 0.1, 0.001);
	/* Three more without a packet: nothing waited in the last one. */
	rig_packet(&rig, 5 * CQESIM_PS_PER_S, 0);
	ck_assert_uint_eq(s->seconds, 5);
	ck_assert_uint_eq(s->last_ps[0], 0);
	rig_stop(&rig);
}
END_TEST

void test_nic_enhanced(Suite *s)
{
	TCase *t = tcase_create("enhanced");

	tcase_add_test(t, title_at_once);
	tcase_add_test(t, lone_title);
	tcase_add_test(t, what_closes);
	tcase_add_test(t, balanced_relief);
	tcase_add_test(t, ring_end);
	tcase_add_test(t, arrays_are_whole);
	tcase_add_test(t, age_ends_it);
	tcase_add_test(t, age_and_time_out);
	tcase_add_test(t, age_behind_pipeline);
	tcase_add_test(t, age_of_a_title);
	tcase_add_test(t, stalled_seconds);
	suite_add_tcase(s, t);
}
