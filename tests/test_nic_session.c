/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nic: the compression policy.  When sessions open, what ends them, what they
 * cost on the link and when they become visible; worked out by hand for a link
 * of 1 ns per byte (see test_nic.h): a packet's data 84, and 32 more with a
 * read of four WQEs; a plain CQE, a title, an array 88 each.
 */
#include <string.h>

#include "test_nic.h"

START_TEST(off_is_plain)
{
	struct rig rig;

	/* The device does not compress, whatever the queue allows. */
	rig_aggressive(&rig, 8);
	rig.config.compression = CQESIM_COMP_OFF;
	rig_start(&rig);
	rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 6; i++)
		rig_packet(&rig, 0, i);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 6);
	ck_assert_uint_eq(rig.events, 6);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
	rig_ends(&rig, 0, 0, 0, 0, 0, 0);
	rig_stop(&rig);

	/* The queue does not allow it, whatever the device would do; its neighbour does. */
	rig_aggressive(&rig, 8);
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	struct rig_queue *q = rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	struct cqesim_rxmeta m = rig_meta(9);
	for (uint32_t i = 0; i < 6; i++) {
		rig_packet(&rig, 0, i);
		cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
	}
	ck_assert_uint_eq(rig_stats(&rig)->plain, 6);
	ck_assert_uint_eq(rig.events, 6);
	for (unsigned i = 0; i < 6; i++)
		ck_assert_uint_eq(rig.event[i].cqn, 1);
	cqesim_nic_step(rig.nic, 10 * RIG_US);
	ck_assert_uint_eq(rig_stats(&rig)->sessions, 1);
	ck_assert_uint_eq(rig_stats(&rig)->session_packets, 6);
	rig_stop(&rig);
}
END_TEST

START_TEST(max_and_timeout)
{
	struct rig rig;

	rig_aggressive(&rig, 4);
	rig.config.write_latency_ps = 50;
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 10; i++)
		rig_packet(&rig, 0, i);
	/* 4 x 84 + 32, then title and array 176: 544; the same again: 1088. */
	ck_assert_uint_eq(rig.events, 2);
	rig_event(&rig, 0, 1, 4, 544000 + 50);
	rig_event(&rig, 1, 1, 4, 1088000 + 50);
	/* The last two wait, with their data sent: 2 x 84 + 32 more. */
	ck_assert_uint_eq(rig_stats(&rig)->link_busy_bytes, 1088 + 200);
	ck_assert_uint_eq(q->ring[8 * 64 + 63], 0xf1);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 10 * RIG_US);
	cqesim_nic_step(rig.nic, 10 * RIG_US - 1);
	ck_assert_uint_eq(rig.events, 2);
	cqesim_nic_step(rig.nic, 12 * RIG_US);
	/* As of when it fell due, not of when it was asked for. */
	rig_event(&rig, 2, 1, 2, 10 * RIG_US + 176000 + 50);
	ck_assert_uint_eq(rig.events, 3);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
	rig_ends(&rig, 0, 2, 1, 0, 0, 0);
	ck_assert_uint_eq(rig_stats(&rig)->sessions, 3);
	ck_assert_uint_eq(rig_stats(&rig)->session_packets, 10);
	ck_assert_uint_eq(rig_stats(&rig)->session_hist[4], 2);
	ck_assert_uint_eq(rig_stats(&rig)->session_hist[2], 1);
	ck_assert_uint_eq(rig_stats(&rig)->arrays, 3);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 0);
	rig_traffic(&rig, CQESIM_TRAFFIC_CQE, 0, 0, 0);
	rig_traffic(&rig, CQESIM_TRAFFIC_TITLE, 3, 192, 264);
	rig_traffic(&rig, CQESIM_TRAFFIC_MINI, 3, 192, 264);
	rig_traffic(&rig, CQESIM_TRAFFIC_DATA, 10, 600, 840);
	rig_stop(&rig);
}
END_TEST

/* The time-out counts from the last packet, and a later packet comes after it. */
START_TEST(timeout_moves_on)
{
	struct rig rig;

	rig_aggressive(&rig, 16);
	rig_start(&rig);
	rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	rig_packet(&rig, 0, 0);
	rig_packet(&rig, 6 * RIG_US, 1);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 16 * RIG_US);
	cqesim_nic_step(rig.nic, 15 * RIG_US);
	rig_packet(&rig, 15 * RIG_US, 2);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 25 * RIG_US);
	ck_assert_uint_eq(rig.events, 0);
	/* A packet at the very moment is too late: it opens the next session. */
	rig_packet(&rig, 25 * RIG_US, 3);
	rig_event(&rig, 0, 1, 3, 25 * RIG_US + 176000);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 35 * RIG_US);
	/* A packet long after: the session went when it was due. A lone one is plain. */
	rig_packet(&rig, 50 * RIG_US, 4);
	rig_event(&rig, 1, 1, 1, 35 * RIG_US + 88000);
	ck_assert_uint_eq(rig.events, 2);
	rig_ends(&rig, 0, 0, 2, 0, 0, 0);
	ck_assert_uint_eq(rig_stats(&rig)->lone, 1);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 1);
	ck_assert_uint_eq(rig_stats(&rig)->sessions, 1);
	ck_assert_uint_eq(rig.queue[0].ring[3 * 64 + 63], 0x20);
	rig_traffic(&rig, CQESIM_TRAFFIC_CQE, 1, 64, 88);
	/* So does one for a queue that cannot take it. */
	struct cqesim_rxmeta m = rig_meta(0);
	cqesim_nic_receive(rig.nic, 99, 70 * RIG_US, &m, NULL, 0, NULL);
	rig_event(&rig, 2, 1, 1, 60 * RIG_US + 88000);
	rig_stop(&rig);

	/* "Never" is a time-out too. */
	rig_aggressive(&rig, 16);
	rig.config.comp_timeout_ps = UINT64_MAX;
	rig_start(&rig);
	rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	rig_packet(&rig, 5, 0);
	rig_packet(&rig, UINT64_C(1) << 60, 1);
	cqesim_nic_step(rig.nic, UINT64_C(1) << 62);
	ck_assert_uint_eq(rig.events, 0);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
	rig_stop(&rig);
}
END_TEST

/* With a pipeline the time-out counts from when the packet is through it. */
START_TEST(timeout_after_pipeline)
{
	struct rig rig;

	rig_aggressive(&rig, 16);
	rig.config.max_pps = 1e6;
	rig_start(&rig);
	rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	rig_packet(&rig, 0, 0);
	rig_packet(&rig, 0, 1);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 12 * RIG_US);
	cqesim_nic_step(rig.nic, 20 * RIG_US);
	rig_event(&rig, 0, 1, 2, 12 * RIG_US + 176000);
	rig_stop(&rig);
}
END_TEST

START_TEST(mismatch_ends_it)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0);

	rig_aggressive(&rig, 8);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	rig_packet(&rig, 0, 0); /* 116 */
	m.flow_tag = 7;
	cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
	/* The lone one before it goes out plain, ahead of the new packet's data. */
	rig_event(&rig, 0, 1, 1, 204000);
	cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
	cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL); /* 3 x 84 = 456 */
	ck_assert_uint_eq(rig.events, 1);
	rig_packet(&rig, 0, 0);
	rig_event(&rig, 1, 1, 3, 632000);
	ck_assert_uint_eq(rig.events, 2);
	rig_ends(&rig, 2, 0, 0, 0, 0, 0);
	ck_assert_uint_eq(rig_stats(&rig)->lone, 1);
	ck_assert_uint_eq(rig_stats(&rig)->session_hist[3], 1);
	rig_stop(&rig);
}
END_TEST

/* Each field of a completion that can differ, compared or not, carried or not. */
static const struct difference {
	const char *field;
	unsigned ends; /* formats in which it ends a session, a bit each */
} differences[] = {
	{"byte_cnt", 0},
	{"rx_hash_res", 0}, /* not compared here, whatever carries it */
	{"flow_tag", 0x1f & ~(1 << CQESIM_MINI_FTAG_STRIDX)},
	{"vlan_info", 0x1f},
	{"csum", 0},
	{"rx_hash_type", 0},
	{"pkt_info", 0x1f},
	{"hds_ip_ext", 0x1f},
	{"l4_l3_hdr_type", 0x1f & ~(1 << CQESIM_MINI_L34H_STRIDX)},
};

START_TEST(compared_fields)
{
	const struct difference *d = &differences[_i];

	for (unsigned format = 0; format < CQESIM_MINI_FORMATS; format++) {
		struct cqesim_rxmeta a = rig_meta(1), b = a;
		bool differs = d->ends >> format & 1;
		struct rig rig;

		b.byte_cnt += _i == 0;
		b.rx_hash_res += _i == 1;
		b.flow_tag ^= _i == 2 ? 0x800000 : 0;
		b.vlan_info ^= _i == 3 ? 1 : 0;
		b.csum ^= _i == 4 ? 0x8000 : 0;
		b.rx_hash_type ^= _i == 5 ? 0x40 : 0;
		b.pkt_info ^= _i == 6 ? 1 : 0;
		b.hds_ip_ext ^= _i == 7 ? 4 : 0;
		b.l4_l3_hdr_type ^= _i == 8 ? 0x80 : 0;
		rig_aggressive(&rig, 8);
		rig_start(&rig);
		struct rig_queue *q = rig_add(&rig, 4, 0, true, format);
		cqesim_nic_receive(rig.nic, q->rqn, 0, &a, NULL, 0, NULL);
		cqesim_nic_receive(rig.nic, q->rqn, 0, &b, NULL, 0, NULL);
		ck_assert_msg(rig.events == differs, "%s, format %u", d->field, format);
		rig_ends(&rig, differs, 0, 0, 0, 0, 0);
		for (unsigned f = 0; f < cqesim_cqe_rx_field_count; f++)
			ck_assert_uint_eq(rig_stats(&rig)->mismatch[f],
					  differs &&
						  !strcmp(cqesim_cqe_rx_fields[f].name, d->field));
		rig_stop(&rig);
	}
}
END_TEST

/* Several fields differ: the first in the layout is the reason. */
START_TEST(first_mismatch_counts)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0);

	rig_aggressive(&rig, 8);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	rig_packet(&rig, 0, 0);
	m.flow_tag = 1;
	m.vlan_info = 5;
	m.csum = 77; /* not compared, though it comes first */
	cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
	for (unsigned f = 0; f < cqesim_cqe_rx_field_count; f++)
		ck_assert_uint_eq(rig_stats(&rig)->mismatch[f],
				  !strcmp(cqesim_cqe_rx_fields[f].name, "vlan_info"));
	rig_stop(&rig);
}
END_TEST

START_TEST(ring_end)
{
	struct rig rig;
	struct cqesim_rxmeta other = rig_meta(0);

	rig_aggressive(&rig, 8);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 3, 0, true, CQESIM_MINI_HASH);
	other.flow_tag = 1;
	/* Three, then five to the end of the ring of 8, with no packet that would not fit. */
	for (uint32_t i = 0; i < 3; i++)
		rig_packet(&rig, 0, i);
	for (uint32_t i = 0; i < 5; i++)
		cqesim_nic_receive(rig.nic, q->rqn, 0, &other, NULL, 0, NULL);
	ck_assert_uint_eq(rig.events, 2);
	ck_assert_uint_eq(rig.event[0].count, 3);
	ck_assert_uint_eq(rig.event[1].count, 5);
	rig_ends(&rig, 1, 0, 0, 1, 0, 0);
	/* A session as long as the ring ends by its length. */
	cqesim_rq_repost(&q->poster, 8);
	cqesim_rq_doorbell(&q->poster);
	for (uint32_t i = 0; i < 8; i++)
		rig_packet(&rig, 0, i);
	ck_assert_uint_eq(rig.event[2].count, 8);
	rig_ends(&rig, 1, 1, 0, 1, 0, 0);
	/* Seven and one: the last slot can hold no title. */
	cqesim_rq_repost(&q->poster, 8);
	cqesim_rq_doorbell(&q->poster);
	for (uint32_t i = 0; i < 7; i++)
		rig_packet(&rig, 0, i);
	cqesim_nic_receive(rig.nic, q->rqn, 0, &other, NULL, 0, NULL);
	ck_assert_uint_eq(rig.events, 5);
	ck_assert_uint_eq(rig.event[3].count, 7);
	ck_assert_uint_eq(rig.event[4].count, 1);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
	rig_ends(&rig, 2, 1, 0, 1, 0, 0);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 1);
	ck_assert_uint_eq(rig_stats(&rig)->lone, 0);
	ck_assert_uint_eq(q->ring[7 * 64 + 63], 0x20);
	rig_stop(&rig);

	/* Allowed to cross: three, then eight over the end. */
	rig_aggressive(&rig, 8);
	rig.config.comp_cross = true;
	rig_start(&rig);
	q = rig_add(&rig, 3, 0, true, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 3; i++)
		rig_packet(&rig, 0, i);
	cqesim_nic_receive(rig.nic, q->rqn, 0, &other, NULL, 0, NULL);
	cqesim_rq_repost(&q->poster, 3);
	cqesim_rq_doorbell(&q->poster);
	for (uint32_t i = 1; i < 8; i++)
		cqesim_nic_receive(rig.nic, q->rqn, 0, &other, NULL, 0, NULL);
	ck_assert_uint_eq(rig.events, 2);
	ck_assert_uint_eq(rig.event[1].count, 8);
	rig_ends(&rig, 1, 1, 0, 0, 0, 0);
	rig_stop(&rig);

	/* A ring of one slot has no sessions. */
	rig_aggressive(&rig, 8);
	rig_start(&rig);
	q = rig_add(&rig, 0, 0, true, CQESIM_MINI_HASH);
	rig_packet(&rig, 0, 0);
	ck_assert_uint_eq(rig.events, 1);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 1);
	rig_stop(&rig);
}
END_TEST

/* ---- balanced ---- */

static void balanced(struct rig *rig, uint64_t on, uint64_t off)
{
	rig_aggressive(rig, 64);
	rig->config.compression = CQESIM_COMP_BALANCED;
	rig->config.backpressure_on_bytes = on;
	rig->config.backpressure_off_bytes = off;
	rig_start(rig);
	rig_add(rig, 5, 0, true, CQESIM_MINI_HASH);
}

START_TEST(balanced_by_hand)
{
	struct rig rig;

	balanced(&rig, 500, 200);
	/* Backlogs 0, 204 and 376 are below 500: plain. */
	for (uint32_t i = 0; i < 3; i++)
		rig_packet(&rig, 0, i);
	ck_assert_uint_eq(rig.events, 3);
	rig_event(&rig, 2, 1, 1, 548000);
	/* 548: compressing; its data until 632. */
	rig_packet(&rig, 0, 3);
	ck_assert_uint_eq(rig.events, 3);
	/* 632 - 300 = 332, between the two: it goes on; data and a read until 748. */
	rig_packet(&rig, 300000, 4);
	ck_assert_uint_eq(rig.events, 3);
	ck_assert_uint_eq(rig_stats(&rig)->pressure_ps, 300000);
	/* 748 - 548 = 200: over; two packets 176, then plain 172. */
	rig_packet(&rig, 548000, 5);
	ck_assert_uint_eq(rig.events, 5);
	rig_event(&rig, 3, 1, 2, 924000);
	rig_event(&rig, 4, 1, 1, 1096000);
	ck_assert_uint_eq(rig_stats(&rig)->pressure_ps, 548000);
	rig_ends(&rig, 0, 0, 0, 0, 1, 0);
	/* 1096 - 597 = 499: not again yet; 1268 - 768 = 500: again, of its own. */
	rig_packet(&rig, 597000, 6);
	rig_event(&rig, 5, 1, 1, 1268000);
	rig_packet(&rig, 768000, 7);
	ck_assert_uint_eq(rig.events, 6);
	/* Over before a second came: the lone one is plain, and so is what ended it. */
	rig_packet(&rig, 9 * RIG_US, 8);
	ck_assert_uint_eq(rig.events, 8);
	rig_event(&rig, 6, 1, 1, 9 * RIG_US + 88000);
	rig_ends(&rig, 0, 0, 0, 0, 2, 0);
	ck_assert_uint_eq(rig_stats(&rig)->lone, 1);
	ck_assert_uint_eq(rig_stats(&rig)->pressure_ps, 548000 + 9 * RIG_US - 768000);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 7);
	ck_assert_uint_eq(rig_stats(&rig)->session_packets, 2);
	rig_stop(&rig);
}
END_TEST

START_TEST(balanced_corners)
{
	struct rig rig;

	/* Thresholds of 0: any backlog at all, but a backlog. */
	balanced(&rig, 0, 0);
	rig_packet(&rig, 0, 0);
	ck_assert_uint_eq(rig.events, 1);
	rig_packet(&rig, 1, 1);
	rig_packet(&rig, 2, 2);
	ck_assert_uint_eq(rig.events, 1);
	rig_packet(&rig, 5 * RIG_US, 3);
	ck_assert_uint_eq(rig.events, 3);
	ck_assert_uint_eq(rig.event[1].count, 2);
	rig_ends(&rig, 0, 0, 0, 0, 1, 0);
	rig_stop(&rig);

	/* Under pressure from the first packets to the end of the run: it counts. */
	balanced(&rig, 100, 0);
	for (uint32_t i = 0; i < 20; i++)
		rig_packet(&rig, i * 1000, i);
	ck_assert_uint_eq(rig_stats(&rig)->pressure_ps, 18000);
	/* The session outlives the pressure when no packet comes: a time-out. */
	cqesim_nic_step(rig.nic, 20 * RIG_US);
	rig_ends(&rig, 0, 0, 1, 0, 0, 0);
	rig_stop(&rig);

	/* A difference and relief at once is a mismatch. */
	balanced(&rig, 100, 0);
	struct cqesim_rxmeta m = rig_meta(0);
	for (uint32_t i = 0; i < 3; i++)
		rig_packet(&rig, 0, i);
	m.flow_tag = 3;
	cqesim_nic_receive(rig.nic, 1, 5 * RIG_US, &m, NULL, 0, NULL);
	rig_ends(&rig, 1, 0, 0, 0, 0, 0);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 2);
	rig_stop(&rig);
}
END_TEST

void test_nic_session(Suite *s)
{
	TCase *t = tcase_create("sessions");

	tcase_add_test(t, off_is_plain);
	tcase_add_test(t, max_and_timeout);
	tcase_add_test(t, timeout_moves_on);
	tcase_add_test(t, timeout_after_pipeline);
	tcase_add_test(t, mismatch_ends_it);
	tcase_add_loop_test(t, compared_fields, 0, COUNT(differences));
	tcase_add_test(t, first_mismatch_counts);
	tcase_add_test(t, ring_end);
	tcase_add_test(t, balanced_by_hand);
	tcase_add_test(t, balanced_corners);
	tcase_set_timeout(t, 120);
	suite_add_tcase(s, t);
}
