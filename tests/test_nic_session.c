/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nic: the compression policy.  When sessions open, what ends them, what they
 * cost on the link and when they become visible; worked out by hand for a link
 * of 1 ns per byte (see test_nic.h): a packet's data 84, and 32 more with a
 * read of four WQEs; a plain CQE, a title, an array 88 each.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "test_nic.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define US       UINT64_C(1000000)

/* Aggressive, sessions of at most max, 10 us; compared: what a driver takes from the title. */
static void aggressive(struct rig *rig, uint32_t max)
{
	rig_config(rig);
	rig->config.compression = CQESIM_COMP_AGGRESSIVE;
	rig->config.comp_max = max;
	rig->config.comp_timeout_ps = 10 * US;
	rig->config.comp_compare[0] = 0xff;             /* tunnel */
	memset(rig->config.comp_compare + 28, 0xff, 4); /* OK bits, headers, VLAN */
	memset(rig->config.comp_compare + 33, 0xff, 3); /* user index */
	memset(rig->config.comp_compare + 57, 0xff, 3); /* flow tag */
}

static void ends(const struct rig *rig, unsigned mismatch, unsigned max, unsigned timeout,
		 unsigned ring, unsigned relief, unsigned stop)
{
	const unsigned want[CQESIM_SESSION_ENDS] = {mismatch, max, timeout, ring, relief, stop};

	for (unsigned i = 0; i < CQESIM_SESSION_ENDS; i++)
		ck_assert_msg(rig_stats(rig)->session_ends[i] == want[i], "%s: %llu, not %u",
			      cqesim_session_end_name(i),
			      (unsigned long long)rig_stats(rig)->session_ends[i], want[i]);
}

START_TEST(off_is_plain)
{
	struct rig rig;

	/* The device does not compress, whatever the queue allows. */
	aggressive(&rig, 8);
	rig.config.compression = CQESIM_COMP_OFF;
	rig_start(&rig);
	rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 6; i++)
		rig_packet(&rig, 0, i);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 6);
	ck_assert_uint_eq(rig.events, 6);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
	ends(&rig, 0, 0, 0, 0, 0, 0);
	rig_stop(&rig);

	/* The queue does not allow it, whatever the device would do; its neighbour does. */
	aggressive(&rig, 8);
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
	cqesim_nic_step(rig.nic, 10 * US);
	ck_assert_uint_eq(rig_stats(&rig)->sessions, 1);
	ck_assert_uint_eq(rig_stats(&rig)->session_packets, 6);
	rig_stop(&rig);
}
END_TEST

START_TEST(max_and_timeout)
{
	struct rig rig;

	aggressive(&rig, 4);
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
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 10 * US);
	cqesim_nic_step(rig.nic, 10 * US - 1);
	ck_assert_uint_eq(rig.events, 2);
	cqesim_nic_step(rig.nic, 12 * US);
	/* As of when it fell due, not of when it was asked for. */
	rig_event(&rig, 2, 1, 2, 10 * US + 176000 + 50);
	ck_assert_uint_eq(rig.events, 3);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
	ends(&rig, 0, 2, 1, 0, 0, 0);
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

	aggressive(&rig, 16);
	rig_start(&rig);
	rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	rig_packet(&rig, 0, 0);
	rig_packet(&rig, 6 * US, 1);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 16 * US);
	cqesim_nic_step(rig.nic, 15 * US);
	rig_packet(&rig, 15 * US, 2);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 25 * US);
	ck_assert_uint_eq(rig.events, 0);
	/* A packet at the very moment is too late: it opens the next session. */
	rig_packet(&rig, 25 * US, 3);
	rig_event(&rig, 0, 1, 3, 25 * US + 176000);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 35 * US);
	/* A packet long after: the session went when it was due. A lone one is plain. */
	rig_packet(&rig, 50 * US, 4);
	rig_event(&rig, 1, 1, 1, 35 * US + 88000);
	ck_assert_uint_eq(rig.events, 2);
	ends(&rig, 0, 0, 2, 0, 0, 0);
	ck_assert_uint_eq(rig_stats(&rig)->lone, 1);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 1);
	ck_assert_uint_eq(rig_stats(&rig)->sessions, 1);
	ck_assert_uint_eq(rig.queue[0].ring[3 * 64 + 63], 0x20);
	rig_traffic(&rig, CQESIM_TRAFFIC_CQE, 1, 64, 88);
	/* So does one for a queue that cannot take it. */
	struct cqesim_rxmeta m = rig_meta(0);
	cqesim_nic_receive(rig.nic, 99, 70 * US, &m, NULL, 0, NULL);
	rig_event(&rig, 2, 1, 1, 60 * US + 88000);
	rig_stop(&rig);

	/* "Never" is a time-out too. */
	aggressive(&rig, 16);
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

	aggressive(&rig, 16);
	rig.config.max_pps = 1e6;
	rig_start(&rig);
	rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	rig_packet(&rig, 0, 0);
	rig_packet(&rig, 0, 1);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 12 * US);
	cqesim_nic_step(rig.nic, 20 * US);
	rig_event(&rig, 0, 1, 2, 12 * US + 176000);
	rig_stop(&rig);
}
END_TEST

START_TEST(mismatch_ends_it)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0);

	aggressive(&rig, 8);
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
	ends(&rig, 2, 0, 0, 0, 0, 0);
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
		aggressive(&rig, 8);
		rig_start(&rig);
		struct rig_queue *q = rig_add(&rig, 4, 0, true, format);
		cqesim_nic_receive(rig.nic, q->rqn, 0, &a, NULL, 0, NULL);
		cqesim_nic_receive(rig.nic, q->rqn, 0, &b, NULL, 0, NULL);
		ck_assert_msg(rig.events == differs, "%s, format %u", d->field, format);
		ends(&rig, differs, 0, 0, 0, 0, 0);
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

	aggressive(&rig, 8);
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

	aggressive(&rig, 8);
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
	ends(&rig, 1, 0, 0, 1, 0, 0);
	/* A session as long as the ring ends by its length. */
	cqesim_rq_repost(&q->poster, 8);
	cqesim_rq_doorbell(&q->poster);
	for (uint32_t i = 0; i < 8; i++)
		rig_packet(&rig, 0, i);
	ck_assert_uint_eq(rig.event[2].count, 8);
	ends(&rig, 1, 1, 0, 1, 0, 0);
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
	ends(&rig, 2, 1, 0, 1, 0, 0);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 1);
	ck_assert_uint_eq(rig_stats(&rig)->lone, 0);
	ck_assert_uint_eq(q->ring[7 * 64 + 63], 0x20);
	rig_stop(&rig);

	/* Allowed to cross: three, then eight over the end. */
	aggressive(&rig, 8);
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
	ends(&rig, 1, 1, 0, 0, 0, 0);
	rig_stop(&rig);

	/* A ring of one slot has no sessions. */
	aggressive(&rig, 8);
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
	aggressive(rig, 64);
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
	ends(&rig, 0, 0, 0, 0, 1, 0);
	/* 1096 - 597 = 499: not again yet; 1268 - 768 = 500: again, of its own. */
	rig_packet(&rig, 597000, 6);
	rig_event(&rig, 5, 1, 1, 1268000);
	rig_packet(&rig, 768000, 7);
	ck_assert_uint_eq(rig.events, 6);
	/* Over before a second came: the lone one is plain, and so is what ended it. */
	rig_packet(&rig, 9 * US, 8);
	ck_assert_uint_eq(rig.events, 8);
	rig_event(&rig, 6, 1, 1, 9 * US + 88000);
	ends(&rig, 0, 0, 0, 0, 2, 0);
	ck_assert_uint_eq(rig_stats(&rig)->lone, 1);
	ck_assert_uint_eq(rig_stats(&rig)->pressure_ps, 548000 + 9 * US - 768000);
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
	rig_packet(&rig, 5 * US, 3);
	ck_assert_uint_eq(rig.events, 3);
	ck_assert_uint_eq(rig.event[1].count, 2);
	ends(&rig, 0, 0, 0, 0, 1, 0);
	rig_stop(&rig);

	/* Under pressure from the first packets to the end of the run: it counts. */
	balanced(&rig, 100, 0);
	for (uint32_t i = 0; i < 20; i++)
		rig_packet(&rig, i * 1000, i);
	ck_assert_uint_eq(rig_stats(&rig)->pressure_ps, 18000);
	/* The session outlives the pressure when no packet comes: a time-out. */
	cqesim_nic_step(rig.nic, 20 * US);
	ends(&rig, 0, 0, 1, 0, 0, 0);
	rig_stop(&rig);

	/* A difference and relief at once is a mismatch. */
	balanced(&rig, 100, 0);
	struct cqesim_rxmeta m = rig_meta(0);
	for (uint32_t i = 0; i < 3; i++)
		rig_packet(&rig, 0, i);
	m.flow_tag = 3;
	cqesim_nic_receive(rig.nic, 1, 5 * US, &m, NULL, 0, NULL);
	ends(&rig, 1, 0, 0, 0, 0, 0);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 2);
	rig_stop(&rig);
}
END_TEST

/* ---- queues that stop or go ---- */

START_TEST(stop_ends_it)
{
	for (unsigned to = 0; to < 2; to++) {
		struct rig rig;

		aggressive(&rig, 8);
		rig_start(&rig);
		rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
		for (uint32_t i = 0; i < 3; i++)
			rig_packet(&rig, 0, i);
		ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, 1,
						      to ? CQESIM_QUEUE_RST : CQESIM_QUEUE_ERR,
						      5 * US),
				 0);
		rig_event(&rig, 0, 1, 3, 5 * US + 176000);
		ends(&rig, 0, 0, 0, 0, 0, 1);
		ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
		cqesim_nic_step(rig.nic, 50 * US);
		ck_assert_uint_eq(rig.events, 1);
		/* Nothing open: nothing more is published. */
		if (!to)
			ck_assert_int_eq(
				cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_RST, 60 * US), 0);
		ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_RDY, 60 * US), 0);
		ck_assert_uint_eq(rig.events, 1);
		rig_stop(&rig);
	}
}
END_TEST

START_TEST(error_after_session)
{
	struct rig rig;
	struct cqesim_completion out[8];

	aggressive(&rig, 8);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	memset(q->wqes + 3 * 16 + 4, 0xff, 4);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_int_eq(rig_packet(&rig, 0, i), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(rig_packet(&rig, 0, 3), CQESIM_RX_ERROR);
	/* 3 x 84 + 32 + 176 = 460; then the error 88 */
	rig_event(&rig, 0, 1, 3, 460000);
	rig_event(&rig, 1, 1, 1, 548000);
	ends(&rig, 0, 0, 0, 0, 0, 1);
	ck_assert_int_eq(cqesim_cq_poll(&q->reader, out, 8, NULL), 4);
	ck_assert_uint_eq(out[2].session_n, 3);
	ck_assert_uint_eq(out[3].opcode, CQESIM_OP_RESP_ERR);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
	rig_stop(&rig);
}
END_TEST

START_TEST(many_queues_in_order)
{
	static const unsigned order[] = {3, 1, 4, 0, 2};
	struct rig rig;
	uint8_t before[16 * 64];

	aggressive(&rig, 8);
	rig_start(&rig);
	for (unsigned i = 0; i < 5; i++)
		rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	struct cqesim_rxmeta m = rig_meta(0);
	for (unsigned i = 0; i < 5; i++)
		for (unsigned n = 0; n < 2; n++)
			cqesim_nic_receive(rig.nic, rig.queue[order[i]].rqn, i * US, &m, NULL, 0,
					   NULL);
	/* Queue 1 once more, then it is the youngest; the oldest is 3 still. */
	cqesim_nic_receive(rig.nic, rig.queue[1].rqn, 5 * US, &m, NULL, 0, NULL);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 10 * US);
	/* Queue 0 goes, with its session open: nobody sees it, nothing is written. */
	struct rig_queue *gone = &rig.queue[0];
	memcpy(before, gone->ring, sizeof(before));
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, gone->rqn), 0);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, gone->cqn), 0);
	cqesim_nic_step(rig.nic, 13 * US); /* not 2, not 1 */
	rig_event(&rig, 0, rig.queue[3].cqn, 2, 10 * US + 176000);
	rig_event(&rig, 1, rig.queue[4].cqn, 2, 12 * US + 176000);
	ck_assert_uint_eq(rig.events, 2);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 14 * US);
	cqesim_nic_step(rig.nic, 100 * US);
	rig_event(&rig, 2, rig.queue[2].cqn, 2, 14 * US + 176000);
	rig_event(&rig, 3, rig.queue[1].cqn, 3, 15 * US + 176000);
	ck_assert_uint_eq(rig.events, 4);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
	ck_assert_mem_eq(before, gone->ring, sizeof(before));
	rig_stop(&rig);
}
END_TEST

/* Whichever of three open sessions goes, oldest, middle or youngest, and also all of them. */
START_TEST(destroy_with_open_sessions)
{
	for (unsigned gone = 0; gone < 4; gone++) {
		struct rig rig;
		uint8_t before[3][16 * 64];
		struct cqesim_rxmeta m = rig_meta(0);

		aggressive(&rig, 8);
		rig_start(&rig);
		for (unsigned i = 0; i < 3; i++) {
			struct rig_queue *q = rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);

			for (unsigned n = 0; n < 9 && (i != 1 || n < 3); n++)
				cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
			memcpy(before[i], q->ring, sizeof(before[i]));
		}
		unsigned events = rig.events;
		if (gone < 3) {
			cqesim_nic_destroy_rq(rig.nic, rig.queue[gone].rqn);
			cqesim_nic_destroy_cq(rig.nic, rig.queue[gone].cqn);
			/* Its memory may go too. */
			memset(rig.queue[gone].wqes, 0xff, 256);
			cqesim_nic_step(rig.nic, 100 * US);
			ck_assert_uint_eq(rig.events, events + 2);
			ck_assert_mem_eq(before[gone], rig.queue[gone].ring, sizeof(before[gone]));
		} else {
			cqesim_nic_destroy(rig.nic);
			rig.nic = NULL;
			for (unsigned i = 0; i < 3; i++)
				ck_assert_mem_eq(before[i], rig.queue[i].ring, sizeof(before[i]));
			ck_assert_uint_eq(rig.events, events);
		}
		rig_stop(&rig);
	}
}
END_TEST

/* An RQ that goes while its CQ stays: the session's packets arrived, and come out. */
START_TEST(cq_outlives_rq)
{
	struct rig rig;
	struct cqesim_completion out[4];

	aggressive(&rig, 8);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	rig_packet(&rig, 0, 1);
	rig_packet(&rig, 0, 2);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, q->rqn), 0);
	cqesim_nic_step(rig.nic, 100 * US);
	rig_event(&rig, 0, 1, 2, 10 * US + 176000);
	ck_assert_int_eq(cqesim_cq_poll(&q->reader, out, 4, NULL), 2);
	ck_assert_uint_eq(out[1].meta.rx_hash_res, 2);
	rig_stop(&rig);
}
END_TEST

/*
 * Two RQs on one CQ, alike in all that is compared: their WQE counters do not
 * follow one another, so a driver would get them wrong from one session, unless
 * minis bring the index.
 */
START_TEST(shared_completion_queue)
{
	static const enum cqesim_mini_format formats[] = {CQESIM_MINI_HASH,
							  CQESIM_MINI_CSUM_STRIDX};

	for (unsigned f = 0; f < 2; f++) {
		struct rig rig;
		struct cqesim_completion out[16];
		struct cqesim_rxmeta m = rig_meta(0);
		uint32_t rqn, dbrec = __builtin_bswap32(8);
		/* a a b b a b: WQEs 0 1, 0 1, 2, 2 */
		static const uint8_t from[] = {0, 0, 1, 1, 0, 1}, wqe[] = {0, 1, 0, 1, 2, 2};

		aggressive(&rig, 16);
		memset(rig.config.comp_compare + 33, 0, 3);
		rig_start(&rig);
		struct rig_queue *q = rig_add(&rig, 4, 0, true, formats[f]);
		/* Make room: both of eight. */
		ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, q->rqn), 0);
		struct cqesim_rq_attr attr = rig_rq_attr(q, 5);
		attr.log_size = 3;
		attr.dbrec = &dbrec;
		for (unsigned i = 0; i < 2; i++) {
			ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &attr, &rqn), 0);
			ck_assert_uint_eq(rqn, i + 1);
			ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, rqn, CQESIM_QUEUE_RDY, 0),
					 0);
		}
		for (unsigned i = 0; i < 6; i++)
			ck_assert_int_eq(
				cqesim_nic_receive(rig.nic, 1 + from[i], 0, &m, NULL, 0, NULL),
				CQESIM_RX_DELIVERED);
		cqesim_nic_step(rig.nic, 100 * US);
		/* hash: a a | b b a(2 counts on) | b; with an index all six */
		ck_assert_uint_eq(rig.events, f ? 1 : 3);
		ck_assert_uint_eq(rig.event[0].count, f ? 6 : 2);
		for (unsigned i = 0; i < cqesim_cqe_rx_field_count; i++)
			ck_assert_uint_eq(
				rig_stats(&rig)->mismatch[i],
				!f && !strcmp(cqesim_cqe_rx_fields[i].name, "wqe_counter") ? 2 : 0);
		ck_assert_int_eq(cqesim_cq_poll(&q->reader, out, 16, NULL), 6);
		for (unsigned i = 0; i < 6; i++)
			ck_assert_uint_eq(out[i].wqe_counter, wqe[i]);
		rig_stop(&rig);
	}
}
END_TEST

/* ---- bytes ---- */

/* CQE bytes up for a session of n, by the formulas of the public reference. */
static unsigned session_bytes(enum cqesim_write_policy policy, unsigned n)
{
	unsigned arrays = (n + 7) / 8, left = n % 8;

	switch (policy) {
	case CQESIM_WRITE_ARRAYS:
		return 88 * (1 + arrays);
	case CQESIM_WRITE_BURST:
		return 152 + 88 * (arrays - 1);
	default:
		return 88 + n / 8 * 88 + (left ? 24 + 8 * left : 0);
	}
}

START_TEST(bytes_of_sessions)
{
	/* Some of them spelt out. */
	ck_assert_uint_eq(session_bytes(CQESIM_WRITE_ARRAYS, 2), 176);
	ck_assert_uint_eq(session_bytes(CQESIM_WRITE_ARRAYS, 9), 264);
	ck_assert_uint_eq(session_bytes(CQESIM_WRITE_ARRAYS, 64), 792);
	ck_assert_uint_eq(session_bytes(CQESIM_WRITE_BURST, 8), 152);
	ck_assert_uint_eq(session_bytes(CQESIM_WRITE_BURST, 64), 768);
	ck_assert_uint_eq(session_bytes(CQESIM_WRITE_EXACT, 9), 208);
	ck_assert_uint_eq(session_bytes(CQESIM_WRITE_EXACT, 64), 792);
	for (unsigned n = 2; n <= 64; n++) {
		struct rig rig;

		aggressive(&rig, n);
		rig.config.write_policy = (enum cqesim_write_policy)_i;
		rig_start(&rig);
		rig_add(&rig, 7, 0, true, CQESIM_MINI_HASH);
		for (uint32_t p = 0; p < n; p++)
			rig_packet(&rig, 0, p);
		uint64_t data = 84 * n + 32 * ((n + 3) / 4), cqe = session_bytes(_i, n);
		ck_assert_uint_eq(rig.events, 1);
		rig_event(&rig, 0, 1, n, (data + cqe) * 1000);
		ck_assert_uint_eq(rig_stats(&rig)->link_busy_bytes, data + cqe);
		const struct cqesim_tlps *t = &rig_stats(&rig)->traffic[CQESIM_TRAFFIC_TITLE];
		const struct cqesim_tlps *m = &rig_stats(&rig)->traffic[CQESIM_TRAFFIC_MINI];
		ck_assert_uint_eq(t->wire + m->wire, cqe);
		ck_assert_uint_eq(t->payload, 64);
		ck_assert_uint_eq(m->payload,
				  _i == CQESIM_WRITE_EXACT ? 8 * n : 64 * ((n + 7) / 8));
		ck_assert_uint_eq(t->count + m->count, (n + 7) / 8 + (_i != CQESIM_WRITE_BURST));
		ck_assert_uint_eq(rig_stats(&rig)->arrays, (n + 7) / 8);
		rig_stop(&rig);
	}
}
END_TEST

/* Title and first array in one write, where memory lets them be one. */
START_TEST(burst_at_edges)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0);

	/* Slot 63 is the last of a page: the write of 128 bytes is cut, 88 and 88. */
	aggressive(&rig, 65);
	rig.config.write_policy = CQESIM_WRITE_BURST;
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 7, 0, true, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 63; i++)
		rig_packet(&rig, 0, i);
	m.flow_tag = 1;
	for (uint32_t i = 0; i < 2; i++)
		cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
	uint64_t before = rig_stats(&rig)->link_busy_bytes;
	cqesim_nic_step(rig.nic, 100 * US);
	ck_assert_uint_eq(rig.event[1].count, 2);
	ck_assert_uint_eq(rig_stats(&rig)->link_busy_bytes - before, 176);
	rig_stop(&rig);

	/* Title in the ring's last slot, array in its first: two writes, no run of 128 bytes. */
	aggressive(&rig, 64);
	rig.config.write_policy = CQESIM_WRITE_BURST;
	rig.config.comp_cross = true;
	rig_start(&rig);
	q = rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 15; i++)
		rig_packet(&rig, 0, i);
	cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
	cqesim_rq_repost(&q->poster, 15);
	cqesim_rq_doorbell(&q->poster);
	cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
	/* So far 15 packets: two arrays, 240 bytes. */
	ck_assert_uint_eq(rig_stats(&rig)->traffic[CQESIM_TRAFFIC_TITLE].wire +
				  rig_stats(&rig)->traffic[CQESIM_TRAFFIC_MINI].wire,
			  240);
	cqesim_nic_step(rig.nic, 100 * US);
	ck_assert_uint_eq(rig.event[1].count, 2);
	ck_assert_uint_eq(rig_stats(&rig)->traffic[CQESIM_TRAFFIC_TITLE].wire +
				  rig_stats(&rig)->traffic[CQESIM_TRAFFIC_MINI].wire,
			  240 + 176);
	ck_assert_uint_eq(rig_stats(&rig)->traffic[CQESIM_TRAFFIC_TITLE].count +
				  rig_stats(&rig)->traffic[CQESIM_TRAFFIC_MINI].count,
			  2 + 2);
	rig_stop(&rig);
}
END_TEST

/* Sessions above the histogram's last class share it. */
START_TEST(long_sessions)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0);

	aggressive(&rig, 4096);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 12, 0, true, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 1023; i++)
		rig_packet(&rig, 0, i);
	m.flow_tag = 1;
	for (uint32_t i = 0; i < 1024; i++)
		cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
	for (uint32_t i = 0; i < 1025; i++)
		rig_packet(&rig, 0, i);
	cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
	ck_assert_uint_eq(rig_stats(&rig)->session_hist[1023], 1);
	ck_assert_uint_eq(rig_stats(&rig)->session_hist[1024], 2);
	ck_assert_uint_eq(rig_stats(&rig)->arrays, 128 + 128 + 129);
	rig_stop(&rig);
}
END_TEST

/* ---- all together ---- */

struct flight {
	struct cqesim_rxmeta meta[1024];
	uint64_t timestamp[1024];
	uint16_t wqe[1024];
	uint32_t sent, read;
};

static uint32_t random_u32(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 32);
}

static void read_all(struct rig *rig, unsigned queue, struct flight *f,
		     enum cqesim_mini_format format, uint32_t max)
{
	struct rig_queue *q = &rig->queue[queue];
	struct cqesim_completion out[64];
	uint64_t title_time = 0;
	int n;

	/*
	 * A session half read still holds its slots.  So buffers are given back
	 * when the slots are, or at once where the ring has twice as many (as the
	 * scalar DPDK driver does).
	 */
	uint32_t ci = q->reader.ci;
	while (max && (n = cqesim_cq_poll(&q->reader, out, max < 64 ? max : 64, NULL)) > 0) {
		for (int i = 0; i < n; i++, f->read++) {
			struct cqesim_rxmeta want = f->meta[f->read % 1024];
			uint32_t title = f->read - out[i].session_i;

			/* What a driver cannot know is the title's. */
			if (format != CQESIM_MINI_HASH)
				want.rx_hash_res = f->meta[title % 1024].rx_hash_res;
			if (format != CQESIM_MINI_CSUM && format != CQESIM_MINI_CSUM_STRIDX)
				want.csum = f->meta[title % 1024].csum;
			want.rx_hash_type = f->meta[title % 1024].rx_hash_type;
			want.user_index = 0xa001 + queue;
			title_time = f->timestamp[title % 1024];
			if (memcmp(&want, &out[i].meta, sizeof(want)) ||
			    out[i].timestamp != title_time / 1000 ||
			    out[i].wqe_counter != f->wqe[f->read % 1024])
				ck_abort_msg("queue %u: packet %u (%u of %u) came out changed",
					     queue, f->read, out[i].session_i, out[i].session_n);
		}
		max -= (uint32_t)n;
		cqesim_rq_repost(&q->poster, rig->cq_log_more ? (uint32_t)n : q->reader.ci - ci);
		cqesim_rq_doorbell(&q->poster);
		ci = q->reader.ci;
	}
}

/* Random traffic over four queues: all that was delivered is read, in order and unchanged. */
START_TEST(soak)
{
	enum cqesim_mini_format format = (enum cqesim_mini_format)(_i % CQESIM_MINI_FORMATS);
	static struct flight flight[4];
	struct rig rig;
	uint64_t seed = (uint64_t)_i + 1, now = 0;
	struct cqesim_rxmeta m = rig_meta(0);

	memset(flight, 0, sizeof(flight));
	aggressive(&rig, 2 + random_u32(&seed) % 70);
	if (_i / CQESIM_MINI_FORMATS % 2)
		rig.config.compression = CQESIM_COMP_BALANCED;
	rig.config.backpressure_on_bytes = 3000;
	rig.config.backpressure_off_bytes = 1000;
	rig.config.comp_cross = _i % 3 == 0;
	rig.config.write_policy = (enum cqesim_write_policy)(_i % 3);
	rig.config.rx_buffer_bytes = 20000;
	rig.config.write_latency_ps = 12345;
	rig.cq_log_more = _i / (2 * CQESIM_MINI_FORMATS);
	rig_start(&rig);
	for (unsigned i = 0; i < 4; i++)
		rig_add(&rig, 4 + i, 0, true, format);
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t r = random_u32(&seed);
		unsigned queue = r & 3;
		struct flight *f = &flight[queue];
		uint16_t wqe;

		m.byte_cnt = 60 + (r >> 4) % 100;
		m.rx_hash_res = random_u32(&seed);
		m.csum = (uint16_t)(r >> 9);
		if (r >> 8 & 1)
			m.flow_tag ^= (r >> 10) % 8 == 0;
		if ((r >> 13) % 32 == 0)
			m.l4_l3_hdr_type ^= CQESIM_HDR_FRAGMENT;
		if ((r >> 18) % 64 == 0)
			m.vlan_info = (uint16_t)r;
		now += (r >> 24) < 2 ? 20 * US : random_u32(&seed) % 300000;
		if (r % 7 == 0)
			cqesim_nic_step(rig.nic, now);
		f->meta[f->sent % 1024] = m;
		f->timestamp[f->sent % 1024] = now;
		if (cqesim_nic_receive(rig.nic, rig.queue[queue].rqn, now, &m, NULL, 0, &wqe) ==
		    CQESIM_RX_DELIVERED)
			f->wqe[f->sent++ % 1024] = wqe;
		unsigned reads = random_u32(&seed) % 4;
		read_all(&rig, reads, &flight[reads], format, random_u32(&seed) % 20);
	}
	while (cqesim_nic_next_ps(rig.nic) != UINT64_MAX)
		cqesim_nic_step(rig.nic, cqesim_nic_next_ps(rig.nic));

	const struct cqesim_nic_stats *s = rig_stats(&rig);
	uint64_t sent = 0, ended = 0, results = 0, hist = 0, up = 0;
	for (unsigned i = 0; i < 4; i++) {
		read_all(&rig, i, &flight[i], format, UINT32_MAX);
		ck_assert_uint_eq(flight[i].read, flight[i].sent);
		sent += flight[i].sent;
	}
	for (unsigned i = 0; i < CQESIM_SESSION_ENDS; i++)
		ended += s->session_ends[i];
	for (unsigned i = 0; i < CQESIM_RX_RESULTS; i++)
		results += s->results[i];
	for (unsigned i = 0; i <= CQESIM_SESSION_HIST; i++)
		hist += s->session_hist[i];
	for (unsigned i = 0; i < CQESIM_TRAFFIC_KINDS; i++)
		up += i == CQESIM_TRAFFIC_WQE_COMPLETION ? 8 * s->traffic[i].count
							 : s->traffic[i].wire;
	ck_assert_uint_gt(sent, 10000);
	ck_assert_uint_gt(s->sessions, 1000);
	ck_assert_uint_eq(rig.packets, sent);
	ck_assert_uint_eq(s->packets, 100000);
	ck_assert_uint_eq(results, 100000);
	ck_assert_uint_eq(s->results[CQESIM_RX_DELIVERED], sent);
	ck_assert_uint_eq(s->wqes, sent);
	ck_assert_uint_eq(s->plain + s->session_packets, sent);
	ck_assert_uint_eq(ended, s->sessions + s->lone);
	ck_assert_uint_eq(hist, s->sessions);
	ck_assert_uint_eq(s->link_busy_bytes, up);
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
	tcase_add_test(t, stop_ends_it);
	tcase_add_test(t, error_after_session);
	tcase_add_test(t, many_queues_in_order);
	tcase_add_test(t, destroy_with_open_sessions);
	tcase_add_test(t, cq_outlives_rq);
	tcase_add_test(t, shared_completion_queue);
	tcase_add_loop_test(t, bytes_of_sessions, 0, 3);
	tcase_add_test(t, burst_at_edges);
	tcase_add_test(t, long_sessions);
	tcase_add_loop_test(t, soak, 0, 4 * CQESIM_MINI_FORMATS);
	tcase_set_timeout(t, 120);
	suite_add_tcase(s, t);
}
