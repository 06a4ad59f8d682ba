/* SPDX-License-Identifier: BSD-3-Clause */
/* nic: queues that stop, fail, share or go while sessions are open. */
#include <errno.h>
#include <string.h>

#include "test_nic.h"

START_TEST(stop_ends_it)
{
	for (unsigned to = 0; to < 2; to++) {
		struct rig rig;

		rig_aggressive(&rig, 8);
		rig_start(&rig);
		rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
		for (uint32_t i = 0; i < 3; i++)
			rig_packet(&rig, 0, i);
		ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, 1,
						      to ? CQESIM_QUEUE_RST : CQESIM_QUEUE_ERR,
						      5 * RIG_US),
				 0);
		rig_event(&rig, 0, 1, 3, 5 * RIG_US + 176000);
		rig_ends(&rig, 0, 0, 0, 0, 0, 1);
		ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), UINT64_MAX);
		cqesim_nic_step(rig.nic, 50 * RIG_US);
		ck_assert_uint_eq(rig.events, 1);
		/* Nothing open: nothing more is published. */
		if (!to)
			ck_assert_int_eq(
				cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_RST, 60 * RIG_US), 0);
		ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_RDY, 60 * RIG_US),
				 0);
		ck_assert_uint_eq(rig.events, 1);
		rig_stop(&rig);
	}
}
END_TEST

START_TEST(error_after_session)
{
	struct rig rig;
	struct cqesim_completion out[8];

	rig_aggressive(&rig, 8);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	memset(q->wqes + 3 * 16 + 4, 0xff, 4);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_int_eq(rig_packet(&rig, 0, i), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(rig_packet(&rig, 0, 3), CQESIM_RX_ERROR);
	/* 3 x 84 + 32 + 176 = 460; then the error 88 */
	rig_event(&rig, 0, 1, 3, 460000);
	rig_event(&rig, 1, 1, 1, 548000);
	rig_ends(&rig, 0, 0, 0, 0, 0, 1);
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

	rig_aggressive(&rig, 8);
	rig_start(&rig);
	for (unsigned i = 0; i < 5; i++)
		rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	struct cqesim_rxmeta m = rig_meta(0);
	for (unsigned i = 0; i < 5; i++)
		for (unsigned n = 0; n < 2; n++)
			cqesim_nic_receive(rig.nic, rig.queue[order[i]].rqn, i * RIG_US, &m, NULL,
					   0, NULL);
	/* Queue 1 once more, then it is the youngest; the oldest is 3 still. */
	cqesim_nic_receive(rig.nic, rig.queue[1].rqn, 5 * RIG_US, &m, NULL, 0, NULL);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 10 * RIG_US);
	/* Queue 0 goes, with its session open: nobody sees it, nothing is written. */
	struct rig_queue *gone = &rig.queue[0];
	memcpy(before, gone->ring, sizeof(before));
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, gone->rqn), 0);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, gone->cqn), 0);
	cqesim_nic_step(rig.nic, 13 * RIG_US); /* not 2, not 1 */
	rig_event(&rig, 0, rig.queue[3].cqn, 2, 10 * RIG_US + 176000);
	rig_event(&rig, 1, rig.queue[4].cqn, 2, 12 * RIG_US + 176000);
	ck_assert_uint_eq(rig.events, 2);
	ck_assert_uint_eq(cqesim_nic_next_ps(rig.nic), 14 * RIG_US);
	cqesim_nic_step(rig.nic, 100 * RIG_US);
	rig_event(&rig, 2, rig.queue[2].cqn, 2, 14 * RIG_US + 176000);
	rig_event(&rig, 3, rig.queue[1].cqn, 3, 15 * RIG_US + 176000);
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

		rig_aggressive(&rig, 8);
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
			cqesim_nic_step(rig.nic, 100 * RIG_US);
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

	rig_aggressive(&rig, 8);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	rig_packet(&rig, 0, 1);
	rig_packet(&rig, 0, 2);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, q->rqn), 0);
	cqesim_nic_step(rig.nic, 100 * RIG_US);
	rig_event(&rig, 0, 1, 2, 10 * RIG_US + 176000);
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

		rig_aggressive(&rig, 16);
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
		cqesim_nic_step(rig.nic, 100 * RIG_US);
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

void test_nic_open(Suite *s)
{
	TCase *t = tcase_create("open sessions");

	tcase_add_test(t, stop_ends_it);
	tcase_add_test(t, error_after_session);
	tcase_add_test(t, many_queues_in_order);
	tcase_add_test(t, destroy_with_open_sessions);
	tcase_add_test(t, cq_outlives_rq);
	tcase_add_test(t, shared_completion_queue);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
}
