/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nic: what a packet without compression does and costs, when its completion is
 * visible, and what else can become of it.
 */
#include <errno.h>
#include <string.h>

#include "test_nic.h"

/* ---- what a packet costs ---- */

/* Byte 48 of a completion, big-endian: ticks of a clock, nanoseconds unless it is said. */
START_TEST(time_stamps)
{
	static const struct {
		uint64_t tick_ps, now_ps, stamp;
	} cases[] = {
		{0, 5999, 5},    {6400, 6399, 0},
		{6400, 6400, 1}, {6400, UINT64_C(64000006399), 10000000},
		{2, 9, 4},
	};

	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct rig rig = {.queues = 0};

		rig_config(&rig);
		rig.config.tick_ps = cases[i].tick_ps;
		rig_start(&rig);
		struct rig_queue *q = rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
		ck_assert_int_eq(rig_packet(&rig, cases[i].now_ps, 1), CQESIM_RX_DELIVERED);
		uint64_t stamp = 0;
		for (unsigned b = 0; b < 8; b++)
			stamp = stamp << 8 | q->ring[48 + b];
		ck_assert_uint_eq(stamp, cases[i].stamp);
		rig_stop(&rig);
	}
}
END_TEST

/* 64 packets of 60 bytes, the link's ceiling of the reference: bytes up for each. */
START_TEST(flood_bytes)
{
	static const struct {
		unsigned fetch, log_segs;
		bool pad;
		double ack_every;
		unsigned mps;
		uint64_t requests, completions, completion_bytes, data, up;
	} c[] = {
		/* 84 + 88 + 24/4 + 8/4 = 180 */
		{64, 0, false, 1, 256, 16, 16, 16 * 84, 84, 64 * 180},
		/* 84 + 88 + 24/16 + 8/16 = 174 */
		{256, 0, false, 1, 256, 4, 4, 4 * 276, 84, 64 * 174},
		/* at MPS 128 it takes two completions, so two Acks: 174.5 */
		{256, 0, false, 1, 128, 4, 8, 4 * 296, 84, 64 * 174 + 32},
		/* each WQE for itself: 84 + 88 + 24 + 8 = 204 */
		{16, 0, false, 1, 256, 64, 64, 64 * 36, 84, 64 * 204},
		/* an Ack for four: 178.5 */
		{64, 0, false, 4, 256, 16, 16, 16 * 84, 84, 64 * 178 + 32},
		/* for two and a half: of 16 completions six are answered */
		{64, 0, false, 2.5, 256, 16, 16, 16 * 84, 84, 64 * 178 + 48},
		/* data padded to a line: 184 */
		{64, 0, true, 1, 256, 16, 16, 16 * 84, 88, 64 * 184},
		/* WQEs of 32 bytes, two to a read: 188; of 128: one read each, all 128 bytes: 204
		 */
		{64, 1, false, 1, 256, 32, 32, 32 * 84, 84, 64 * 188},
		{64, 3, false, 1, 256, 64, 64, 64 * 148, 84, 64 * 204},
	};

	for (size_t i = 0; i < COUNT(c); i++) {
		struct rig rig;

		rig_config(&rig);
		rig.config.wqe_fetch_bytes = c[i].fetch;
		rig.config.data_padding = c[i].pad;
		rig.config.link.ack_every = c[i].ack_every;
		rig.config.link.mps = c[i].mps;
		rig_start(&rig);
		rig_add(&rig, 6, c[i].log_segs, true, CQESIM_MINI_HASH);
		for (uint32_t p = 0; p < 64; p++)
			ck_assert_int_eq(rig_packet(&rig, 0, p), CQESIM_RX_DELIVERED);
		rig_traffic(&rig, CQESIM_TRAFFIC_DATA, 64, c[i].pad ? 64 * 64 : 64 * 60,
			    64 * c[i].data);
		rig_traffic(&rig, CQESIM_TRAFFIC_CQE, 64, 64 * 64, 64 * 88);
		rig_traffic(&rig, CQESIM_TRAFFIC_TITLE, 0, 0, 0);
		rig_traffic(&rig, CQESIM_TRAFFIC_MINI, 0, 0, 0);
		rig_traffic(&rig, CQESIM_TRAFFIC_WQE_REQUEST, c[i].requests, 0, 24 * c[i].requests);
		rig_traffic(&rig, CQESIM_TRAFFIC_WQE_COMPLETION, c[i].completions,
			    c[i].completion_bytes - 20 * c[i].completions, c[i].completion_bytes);
		ck_assert_uint_eq(rig_stats(&rig)->link_busy_bytes, c[i].up);
		ck_assert_uint_eq(rig_stats(&rig)->link_done_ps, c[i].up * 1000);
		ck_assert_uint_eq(rig_stats(&rig)->plain, 64);
		ck_assert_uint_eq(rig_stats(&rig)->lone, 0);
		ck_assert_uint_eq(rig_stats(&rig)->sessions, 0);
		ck_assert_uint_eq(rig_stats(&rig)->packets, 64);
		ck_assert_uint_eq(rig.packets, 64);
		rig_stop(&rig);
	}
}
END_TEST

/* A ring that is smaller than a read of WQEs: no more is read than is there. */
START_TEST(small_ring_fetches)
{
	struct rig rig;

	rig_config(&rig);
	rig.config.wqe_fetch_bytes = 256;
	rig_start(&rig);
	rig_add(&rig, 1, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 6; i++) {
		ck_assert_int_eq(rig_packet(&rig, i, i), CQESIM_RX_DELIVERED);
		cqesim_rq_repost(&rig.queue[0].poster, 1);
		cqesim_rq_doorbell(&rig.queue[0].poster);
	}
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_REQUEST, 3, 0, 72);
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_COMPLETION, 3, 96, 3 * 52);
	rig_stop(&rig);
}
END_TEST

START_TEST(long_packets)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0);
	struct rig_queue *q;

	/* 1500 bytes in one segment: five TLPs of 256 and one of 220. */
	rig_config(&rig);
	rig_start(&rig);
	q = rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	m.byte_cnt = 1500;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL), 0);
	rig_traffic(&rig, CQESIM_TRAFFIC_DATA, 6, 1500, 1500 + 6 * 24);
	rig_event(&rig, 0, 1, 1, (24 + 8 + 1644 + 88) * 1000);
	/* Buffer 1 moved to 100 bytes before a page: cut there, 100 and 200. */
	struct cqesim_rq_seg seg = {
		.address = q->base + 4096 - 100, .lkey = RIG_KEY, .length = 300};
	q->poster.pi = 1;
	cqesim_rq_post(&q->poster, &seg, 1);
	q->poster.pi = 16;
	m.byte_cnt = 300;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL), 0);
	rig_traffic(&rig, CQESIM_TRAFFIC_DATA, 8, 1800, 1500 + 6 * 24 + 300 + 2 * 24);
	rig_stop(&rig);

	/* Two segments of 1024: 1100 bytes are four TLPs and one of 76. */
	rig_config(&rig);
	rig_start(&rig);
	q = rig_add(&rig, 4, 1, false, CQESIM_MINI_HASH);
	m.byte_cnt = 1100;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL), 0);
	rig_traffic(&rig, CQESIM_TRAFFIC_DATA, 5, 1100, 1100 + 5 * 24);
	rig_stop(&rig);
}
END_TEST

/* ---- when completions are visible ---- */

START_TEST(times_of_the_link)
{
	struct rig rig;

	rig_config(&rig);
	rig.config.write_latency_ps = 700;
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	/* Together: 204 bytes with the read of WQEs, then 172 each; a read again at the fifth. */
	for (uint32_t i = 0; i < 5; i++)
		rig_packet(&rig, 0, i);
	rig_event(&rig, 0, 1, 1, 204000 + 700);
	rig_event(&rig, 1, 1, 1, 376000 + 700);
	rig_event(&rig, 2, 1, 1, 548000 + 700);
	rig_event(&rig, 3, 1, 1, 720000 + 700);
	rig_event(&rig, 4, 1, 1, 924000 + 700);
	/* The link is busy until 924 ns: behind the others; then idle: at once. */
	rig_packet(&rig, 500000, 5);
	rig_event(&rig, 5, 1, 1, 1096000 + 700);
	rig_packet(&rig, 1096000, 6);
	rig_event(&rig, 6, 1, 1, 1268000 + 700);
	rig_packet(&rig, UINT64_C(10000000000000), 7);
	rig_event(&rig, 7, 1, 1, UINT64_C(10000000000000) + 172000 + 700);
	ck_assert_uint_eq(rig.events, 8);
	/* The longest wait was that of the fifth: 720 ns before it. */
	ck_assert_uint_eq(rig_stats(&rig)->backlog_max_ps, 720000);
	rig_stop(&rig);
}
END_TEST

START_TEST(times_of_the_pipeline)
{
	struct rig rig;

	/* A million a second: 1 us each, the link is idle in between. */
	rig_config(&rig);
	rig.config.max_pps = 1e6;
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 3; i++)
		rig_packet(&rig, 0, i);
	rig_event(&rig, 0, 1, 1, 1000000 + 204000);
	rig_event(&rig, 1, 1, 1, 2000000 + 172000);
	rig_event(&rig, 2, 1, 1, 3000000 + 172000);
	rig_packet(&rig, 9000000, 3);
	rig_event(&rig, 3, 1, 1, 10000000 + 172000);
	rig_stop(&rig);

	/* 3 million: thirds of a picosecond add up, ready at whole ones. */
	rig_config(&rig);
	rig.config.max_pps = 3e6;
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 3; i++)
		rig_packet(&rig, 0, i);
	rig_event(&rig, 0, 1, 1, 333334 + 204000);
	rig_event(&rig, 1, 1, 1, 666667 + 172000);
	rig_event(&rig, 2, 1, 1, 1000000 + 172000);
	rig_stop(&rig);
}
END_TEST

/* A link whose bytes take no whole picoseconds: done is rounded up, the sum is exact. */
START_TEST(times_round_up_once)
{
	struct rig rig;

	rig_config(&rig);
	rig.config.link.skp_symbols = 7; /* 10^9 x 2 x 3/7: 7/6 ns a byte */
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 3; i++)
		rig_packet(&rig, 0, i);
	rig_event(&rig, 0, 1, 1, 238000); /* 204 x 7/6 = 238 */
	rig_event(&rig, 1, 1, 1, 438667); /* 376 x 7/6 = 438.666.. */
	rig_event(&rig, 2, 1, 1, 639334); /* 548 x 7/6 = 639.333.. */
	ck_assert_uint_eq(rig_stats(&rig)->link_done_ps, 639334);
	rig_stop(&rig);
}
END_TEST

/* ---- what becomes of packets ---- */

START_TEST(completions_say_what_was_sent)
{
	static const uint8_t want[64] = {
		[0] = 0x01,  [12] = 0xde, [13] = 0xad, [14] = 0xbe, [15] = 0xef,
		[16] = 0x84, [20] = 0x12, [21] = 0x34, [28] = 0x07, [29] = 0x29,
		[30] = 0x2f, [31] = 0xfe, [33] = 0x00, [34] = 0xa0, [35] = 0x01,
		[47] = 0x40, [52] = 0x00, [53] = 0x12, [54] = 0xd6, [55] = 0x87, /* 1234567 ns */
		[57] = 0x65, [58] = 0x43, [59] = 0x21, [61] = 0x02, [63] = 0x20,
	};
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0xdeadbeef);
	uint16_t wqe = 99;

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	rig_packet(&rig, 0, 0);
	rig_packet(&rig, 0, 0);
	m.byte_cnt = 64;
	m.pkt_info = CQESIM_PKT_INFO_TUNNELED;
	m.l4_l3_hdr_type |= CQESIM_HDR_VLAN_STRIPPED;
	m.vlan_info = 0x2ffe;
	m.flow_tag = 0x654321;
	m.user_index = 0x777777; /* ignored: the queue's counts */
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 1234567999, &m, NULL, 0, &wqe),
			 CQESIM_RX_DELIVERED);
	ck_assert_uint_eq(wqe, 2);
	for (unsigned i = 0; i < 64; i++)
		ck_assert_msg(q->ring[128 + i] == want[i], "byte %u: %02x, not %02x", i,
			      q->ring[128 + i], want[i]);
	ck_assert_uint_eq(q->ring[3 * 64 + 63], 0xf1);
	rig_stop(&rig);
}
END_TEST

START_TEST(out_of_buffer)
{
	struct rig rig;
	uint16_t wqe = 99;
	struct cqesim_rxmeta m = rig_meta(0);

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 2, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_int_eq(rig_packet(&rig, 0, i), CQESIM_RX_DELIVERED);
	uint64_t bytes = rig_stats(&rig)->link_busy_bytes;
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 5000000, &m, NULL, 0, &wqe),
				 CQESIM_RX_OUT_OF_BUFFER);
	/* It costs the link nothing and writes nothing. */
	ck_assert_uint_eq(rig_stats(&rig)->link_busy_bytes, bytes);
	ck_assert_uint_eq(rig.events, 4);
	ck_assert_uint_eq(wqe, 99);
	cqesim_rq_repost(&q->poster, 1);
	ck_assert_int_eq(rig_packet(&rig, 5000000, 4), CQESIM_RX_OUT_OF_BUFFER);
	cqesim_rq_doorbell(&q->poster);
	ck_assert_int_eq(rig_packet(&rig, 5000000, 4), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(rig_packet(&rig, 5000000, 5), CQESIM_RX_OUT_OF_BUFFER);
	ck_assert_uint_eq(q->ring[63], 0x21); /* the second lap */
	ck_assert_uint_eq(rig_stats(&rig)->results[CQESIM_RX_OUT_OF_BUFFER], 5);
	ck_assert_uint_eq(rig_stats(&rig)->results[CQESIM_RX_DELIVERED], 5);
	ck_assert_uint_eq(rig_stats(&rig)->wqes, 5);
	rig_stop(&rig);
}
END_TEST

START_TEST(buffer_full)
{
	struct rig rig;

	rig_config(&rig);
	rig.config.rx_buffer_bytes = 1000;
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	/* 204, 376, 548, 720, 924, 1096 bytes on the link: behind 924 there is room for 60 more. */
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_int_eq(rig_packet(&rig, 0, i), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(rig_packet(&rig, 0, 6), CQESIM_RX_BUFFER_FULL);
	/* Until 1096 - 156 + 60 = 1000; and by then not for 61. */
	ck_assert_int_eq(rig_packet(&rig, 155999, 6), CQESIM_RX_BUFFER_FULL);
	struct cqesim_rxmeta m = rig_meta(6);
	m.byte_cnt = 61;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, 1, 156000, &m, NULL, 0, NULL),
			 CQESIM_RX_BUFFER_FULL);
	ck_assert_int_eq(rig_packet(&rig, 156000, 6), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(rig_packet(&rig, 156000, 7), CQESIM_RX_BUFFER_FULL);
	ck_assert_uint_eq(rig_stats(&rig)->results[CQESIM_RX_BUFFER_FULL], 4);
	ck_assert_uint_eq(rig_stats(&rig)->wqes, 7);
	ck_assert_uint_eq(rig_stats(&rig)->backlog_max_ps, 1112000);
	rig_stop(&rig);

	/* 138 times four are 99360; 99564, 99736, 99908: the next 60 fit in 100000, no more. */
	rig_config(&rig);
	rig.config.rx_buffer_bytes = 100000;
	rig_start(&rig);
	rig_add(&rig, 10, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 600; i++)
		ck_assert_int_eq(rig_packet(&rig, 0, i),
				 i < 556 ? CQESIM_RX_DELIVERED : CQESIM_RX_BUFFER_FULL);
	rig_stop(&rig);

	/* As large as can be is no limit. */
	rig_config(&rig);
	rig.config.rx_buffer_bytes = UINT64_MAX;
	rig_start(&rig);
	rig_add(&rig, 10, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 1024; i++)
		ck_assert_int_eq(rig_packet(&rig, 0, i), CQESIM_RX_DELIVERED);
	rig_stop(&rig);
}
END_TEST

/* What waits for the pipeline lies in the buffer as well. */
START_TEST(buffer_full_before_pipeline)
{
	struct rig rig;

	rig_config(&rig);
	rig.config.rx_buffer_bytes = 3500; /* 3.5 us */
	rig.config.max_pps = 1e6;
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	/* Through the link at 1.204, 2.172, 3.172, 4.172 us. */
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_int_eq(rig_packet(&rig, 0, i), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(rig_packet(&rig, 0, 4), CQESIM_RX_BUFFER_FULL);
	ck_assert_int_eq(rig_packet(&rig, 731999, 4), CQESIM_RX_BUFFER_FULL);
	ck_assert_int_eq(rig_packet(&rig, 732000, 4), CQESIM_RX_DELIVERED);
	rig_stop(&rig);
}
END_TEST

/* Only what is posted is read: what lies behind is the lap before. */
START_TEST(reads_no_further_than_posted)
{
	struct rig rig;

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	q->dbrec = __builtin_bswap32(6); /* of 16 WQEs; four to a block */
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_int_eq(rig_packet(&rig, i * RIG_US, i), CQESIM_RX_DELIVERED);
	/* Four, then two: 20 + 64 and 20 + 32. */
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_REQUEST, 2, 0, 48);
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_COMPLETION, 2, 96, 84 + 52);
	ck_assert_int_eq(rig_packet(&rig, 6 * RIG_US, 6), CQESIM_RX_OUT_OF_BUFFER);
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_REQUEST, 2, 0, 48);
	q->dbrec = __builtin_bswap32(16);
	/* The rest of that block, then whole ones. */
	for (uint32_t i = 6; i < 16; i++)
		ck_assert_int_eq(rig_packet(&rig, i * RIG_US, i), CQESIM_RX_DELIVERED);
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_REQUEST, 5, 0, 5 * 24);
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_COMPLETION, 5, 256, 3 * 84 + 2 * 52);
	rig_stop(&rig);
}
END_TEST

START_TEST(too_long)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0);
	uint16_t wqe = 99;

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	m.byte_cnt = RIG_BUFFER + 1;
	for (unsigned i = 0; i < 5; i++)
		ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, &wqe),
				 CQESIM_RX_TOO_LONG);
	m.byte_cnt = UINT32_MAX;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, &wqe),
			 CQESIM_RX_TOO_LONG);
	/* No WQE is lost, no completion written; the WQEs are read once. */
	ck_assert_uint_eq(rig_stats(&rig)->results[CQESIM_RX_TOO_LONG], 6);
	ck_assert_uint_eq(rig_stats(&rig)->wqes, 0);
	ck_assert_uint_eq(rig.events, 0);
	ck_assert_uint_eq(rig_stats(&rig)->link_busy_bytes, 32);
	ck_assert_uint_eq(wqe, 99);
	m.byte_cnt = RIG_BUFFER;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, &wqe),
			 CQESIM_RX_DELIVERED);
	ck_assert_uint_eq(wqe, 0);
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_REQUEST, 1, 0, 24);
	rig_event(&rig, 0, 1, 1, (32 + 2048 + 8 * 24 + 88) * 1000);
	rig_stop(&rig);
}
END_TEST

START_TEST(protection_error)
{
	/* Error CQE: user index, syndrome 4, WQE 1, opcode 14, first lap. */
	static const uint8_t want[64] = {
		[34] = 0xa0, [35] = 0x01, [55] = 0x04, [61] = 0x01, [63] = 0xe0,
	};
	struct rig rig;
	struct cqesim_completion out[4];
	enum cqesim_queue_state state;
	uint16_t ci;

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	memset(q->wqes + 16 + 4, 0xff, 4); /* the key of WQE 1 */
	ck_assert_int_eq(rig_packet(&rig, 0, 7), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(rig_packet(&rig, 0, 8), CQESIM_RX_ERROR);
	for (unsigned i = 0; i < 64; i++)
		ck_assert_msg(q->ring[64 + i] == want[i], "byte %u: %02x, not %02x", i,
			      q->ring[64 + i], want[i]);
	cqesim_nic_query_rq(rig.nic, q->rqn, &state, &ci);
	ck_assert_int_eq(state, CQESIM_QUEUE_ERR);
	ck_assert_uint_eq(ci, 2);
	ck_assert_int_eq(rig_packet(&rig, 0, 9), CQESIM_RX_NOT_READY);
	/* No data, one completion more on the link. */
	rig_event(&rig, 0, 1, 1, 204000);
	rig_event(&rig, 1, 1, 1, 292000);
	rig_traffic(&rig, CQESIM_TRAFFIC_DATA, 1, 60, 84);
	rig_traffic(&rig, CQESIM_TRAFFIC_CQE, 2, 128, 176);
	ck_assert_uint_eq(rig_stats(&rig)->results[CQESIM_RX_ERROR], 1);
	ck_assert_uint_eq(rig_stats(&rig)->wqes, 2);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 1);
	ck_assert_int_eq(cqesim_cq_poll(&q->reader, out, 4, NULL), 2);
	ck_assert_uint_eq(out[1].opcode, CQESIM_OP_RESP_ERR);
	ck_assert_uint_eq(out[1].syndrome, 4);
	ck_assert_uint_eq(out[1].wqe_counter, 1);
	/* Reset by the driver, WQE put right: goes on in the same ring. */
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, q->rqn, CQESIM_QUEUE_RDY, 0), -EINVAL);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, q->rqn, CQESIM_QUEUE_RST, 0), 0);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, q->rqn, CQESIM_QUEUE_RDY, 0), 0);
	memcpy(q->wqes + 16 + 4, q->wqes + 4, 4);
	ck_assert_int_eq(rig_packet(&rig, 0, 10), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(rig_packet(&rig, 0, 11), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(cqesim_cq_poll(&q->reader, out, 4, NULL), 2);
	ck_assert_uint_eq(out[0].wqe_counter, 0);
	ck_assert_uint_eq(out[0].index, 2);
	ck_assert_uint_eq(out[1].meta.rx_hash_res, 11);
	rig_stop(&rig);
}
END_TEST

START_TEST(data_is_copied)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0);
	uint8_t data[700], want[4 * RIG_BUFFER] = {0};

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + 1);
	rig_config(&rig);
	rig.config.copy_data = true;
	rig_start(&rig);
	/* Four segments of 512 bytes. */
	struct rig_queue *q = rig_add(&rig, 2, 2, false, CQESIM_MINI_HASH);
	/* The segments of WQE 0 in another order: the packet's pieces go where they say. */
	struct cqesim_rq_seg seg[3] = {
		{.address = q->base + 1536, .lkey = RIG_KEY, .length = 100},
		{.address = q->base + 3, .lkey = RIG_KEY, .length = 200},
		{.address = q->base + 1024, .lkey = RIG_KEY, .length = 400},
	};
	q->poster.pi = 0;
	cqesim_rq_post(&q->poster, seg, 3);
	q->poster.pi = 4;
	m.byte_cnt = 350;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, data, 350, NULL), 0);
	memcpy(want + 1536, data, 100);
	memcpy(want + 3, data + 100, 200);
	memcpy(want + 1024, data + 300, 50);
	ck_assert_mem_eq(q->memory, want, sizeof(want));
	/* Captured shorter than it was: what is there is copied. */
	m.byte_cnt = 700;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, data, 64, NULL), 0);
	memcpy(want + RIG_BUFFER, data, 64);
	ck_assert_mem_eq(q->memory, want, sizeof(want));
	/* More at hand than the packet has (an FCS that is stripped): not copied. */
	m.byte_cnt = 60;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, data, 64, NULL), 0);
	memcpy(want + 2 * RIG_BUFFER, data, 60);
	ck_assert_mem_eq(q->memory, want, sizeof(want));
	/* Nothing captured at all. */
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL), 0);
	ck_assert_mem_eq(q->memory, want, sizeof(want));
	rig_stop(&rig);

	/* Without copy_data memory stays as it is. */
	rig_config(&rig);
	rig_start(&rig);
	q = rig_add(&rig, 2, 0, false, CQESIM_MINI_HASH);
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, data, 64, NULL), 0);
	memset(want, 0, sizeof(want));
	ck_assert_mem_eq(q->memory, want, sizeof(want));
	rig_stop(&rig);
}
END_TEST

/* 16 bits of WQE index and a ring of 16 go around together. */
START_TEST(many_laps)
{
	struct rig rig;
	struct cqesim_completion out[2];
	struct cqesim_rxmeta m = rig_meta(0);

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 70000; i++) {
		uint16_t wqe;

		m.rx_hash_res = i;
		if (cqesim_nic_receive(rig.nic, q->rqn, i, &m, NULL, 0, &wqe) || wqe != (uint16_t)i)
			ck_abort_msg("packet %u: WQE %u", i, wqe);
		if (cqesim_cq_poll(&q->reader, out, 2, NULL) != 1 || out[0].meta.rx_hash_res != i ||
		    out[0].wqe_counter != (uint16_t)i)
			ck_abort_msg("packet %u", i);
		cqesim_rq_repost(&q->poster, 1);
		cqesim_rq_doorbell(&q->poster);
	}
	ck_assert_uint_eq(rig_stats(&rig)->wqes, 70000);
	rig_stop(&rig);
}
END_TEST

void test_nic_packets(Suite *s)
{
	TCase *t = tcase_create("packets");

	tcase_add_test(t, time_stamps);
	tcase_add_test(t, flood_bytes);
	tcase_add_test(t, small_ring_fetches);
	tcase_add_test(t, long_packets);
	tcase_add_test(t, times_of_the_link);
	tcase_add_test(t, times_of_the_pipeline);
	tcase_add_test(t, times_round_up_once);
	tcase_add_test(t, completions_say_what_was_sent);
	tcase_add_test(t, out_of_buffer);
	tcase_add_test(t, buffer_full);
	tcase_add_test(t, buffer_full_before_pipeline);
	tcase_add_test(t, reads_no_further_than_posted);
	tcase_add_test(t, too_long);
	tcase_add_test(t, protection_error);
	tcase_add_test(t, data_is_copied);
	tcase_add_test(t, many_laps);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
}
