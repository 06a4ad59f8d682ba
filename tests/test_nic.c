/* SPDX-License-Identifier: BSD-3-Clause */
/* nic: the object, its queues and their states. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "test.h"
#include "test_nic.h"

START_TEST(names)
{
	static const char *const ends[] = {"mismatch", "max_num", "timeout", "ring_end",
					   "relief",   "stop",    "filler",  "age"};
	static const char *const results[] = {"delivered",        "rx_discards_phy",
					      "rx_out_of_buffer", "buffer_too_small",
					      "queue_not_ready",  "protection_error"};
	static const char *const kinds[] = {
		"packet_data",      "plain_cqes",          "title_cqes",      "mini_arrays",
		"wqe_requests",     "wqe_completions",     "tx_wqe_requests", "tx_wqe_completions",
		"tx_data_requests", "tx_data_completions", "tx_cqes",         "tx_doorbells",
	};

	ck_assert_uint_eq(CQESIM_SESSION_ENDS, COUNT(ends));
	ck_assert_uint_eq(CQESIM_RX_RESULTS, COUNT(results));
	ck_assert_uint_eq(CQESIM_TRAFFIC_KINDS, COUNT(kinds));
	for (unsigned i = 0; i < COUNT(results); i++)
		ck_assert_str_eq(cqesim_rx_result_name(i), results[i]);
	for (unsigned i = 0; i < COUNT(kinds); i++)
		ck_assert_str_eq(cqesim_traffic_name(i), kinds[i]);
	for (unsigned i = 0; i < COUNT(ends); i++)
		ck_assert_str_eq(cqesim_session_end_name(i), ends[i]);
	ck_assert_str_eq(cqesim_session_end_name(8), "unknown");
	ck_assert_str_eq(cqesim_rx_result_name(6), "unknown");
	ck_assert_str_eq(cqesim_traffic_name(12), "unknown");
	/* The histogram of mismatches has a place for each field. */
	ck_assert_uint_le(cqesim_cqe_rx_field_count, CQESIM_RX_FIELDS_MAX);
}
END_TEST

START_TEST(bad_configs)
{
	struct rig good;
	struct cqesim_nic_config c[14];
	static const char *const word[COUNT(c)] = {
		"max_pps",      "max_pps",     "max_pps",   "max_pps", "rx_buffer",
		"wqe_fetch",    "wqe_fetch",   "wqe_fetch", "max_num", "timeout",
		"backpressure", "compression", "lanes",     "tick_ps",
	};
	struct cqesim_nic *nic;
	struct cqesim_error err;

	rig_config(&good);
	good.config.compression = CQESIM_COMP_AGGRESSIVE;
	for (size_t i = 0; i < COUNT(c); i++)
		c[i] = good.config;
	c[0].max_pps = -1;
	c[1].max_pps = 0.5;
	c[2].max_pps = 2e12;
	c[3].max_pps = NAN;
	c[4].rx_buffer_bytes = 0;
	c[5].wqe_fetch_bytes = 8;
	c[6].wqe_fetch_bytes = 96;
	c[7].wqe_fetch_bytes = 8192;
	c[8].comp_max = 1;
	c[9].comp_timeout_ps = 0;
	c[10].backpressure_off_bytes = 1;
	c[11].compression = 3;
	c[12].link.lanes = 3;
	c[13].tick_ps = 1;
	for (size_t i = 0; i < COUNT(c); i++) {
		err.text[0] = 0;
		nic = (void *)&err;
		ck_assert_msg(cqesim_nic_create(&nic, &c[i], &err) == -EINVAL, "row %zu", i);
		ck_assert_msg(strstr(err.text, word[i]) != NULL, "row %zu: %s", i, err.text);
		ck_assert_ptr_null(nic);
		ck_assert_int_eq(cqesim_nic_create(&nic, &c[i], NULL), -EINVAL);
	}
	good.config.write_policy = 3;
	ck_assert_int_eq(cqesim_nic_create(&nic, &good.config, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "write_policy"));

	/* Without compression its parameters do not matter. */
	rig_config(&good);
	good.config.comp_max = 0;
	good.config.comp_timeout_ps = 0;
	ck_assert_int_eq(cqesim_nic_create(&nic, &good.config, NULL), 0);
	ck_assert_uint_eq(cqesim_nic_link(nic)->write_header, 24);
	cqesim_nic_destroy(nic);
	cqesim_nic_destroy(NULL);
}
END_TEST

START_TEST(numbers_and_users)
{
	struct rig rig;
	struct rig_queue *q;
	uint32_t cqn[4], rqn[4], n = 77;

	rig_config(&rig);
	rig_start(&rig);
	q = rig_prepare(&rig, 4, 0);
	struct cqesim_cq_attr cq = {.ring = q->ring, .log_size = 6};
	/* The ring is of 16; nothing is written here. */
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &cq, &cqn[i]), 0);
		ck_assert_uint_eq(cqn[i], i + 1);
	}
	struct cqesim_rq_attr rq = rig_rq_attr(q, 0);
	for (unsigned i = 0; i < 3; i++) {
		rq.cqn = 1 + i / 2; /* two on CQ 1, one on CQ 2 */
		ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &rq, &rqn[i]), 0);
		ck_assert_uint_eq(rqn[i], i + 1);
	}
	/* A CQ in use, a free one, one that is not there. */
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 1), -EBUSY);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 2), -EBUSY);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 3), 0);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 3), -ENOENT);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 0), -ENOENT);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 4), -ENOENT);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, 1), 0);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, 1), -ENOENT);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, 0), -ENOENT);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, 4), -ENOENT);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, UINT32_MAX), -ENOENT);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 1), -EBUSY);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, 2), 0);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 1), 0);
	/* Numbers of what is gone: not found, then given out again. */
	rq.cqn = 1;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &rq, &n), -ENOENT);
	rq.cqn = 0;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &rq, &n), -ENOENT);
	ck_assert_uint_eq(n, 77);
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &cq, &n), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &cq, &n), 0);
	ck_assert_uint_eq(n, 3);
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &cq, &n), 0);
	ck_assert_uint_eq(n, 4);
	rig_stop(&rig); /* with queues left */
}
END_TEST

START_TEST(bad_queues)
{
	struct rig rig;
	struct rig_queue *q;
	uint32_t n = 77;

	rig_config(&rig);
	rig_start(&rig);
	q = rig_prepare(&rig, 4, 0);
	struct cqesim_cq_attr cq = {.ring = q->ring, .log_size = 4}, bad = cq;
	bad.ring = NULL;
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &bad, &n), -EINVAL);
	bad.ring = q->ring + 32;
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &bad, &n), -EINVAL);
	bad = cq;
	bad.log_size = 23;
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &bad, &n), -EINVAL);
	bad = cq;
	bad.mini_format = CQESIM_MINI_FORMATS;
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &bad, &n), -EINVAL);
	ck_assert_uint_eq(n, 77);
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &cq, &q->cqn), 0);
	ck_assert_uint_eq(q->cqn, 1);

	struct cqesim_rq_attr rq = rig_rq_attr(q, 0), badr = rq;
	badr.ring = NULL;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), -EINVAL);
	badr = rq;
	badr.dbrec = NULL;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), -EINVAL);
	badr = rq;
	badr.translate = NULL;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), -EINVAL);
	badr = rq;
	badr.log_segs = 6;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), -EINVAL);
	badr = rq;
	badr.log_size = 16;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), -EINVAL);
	/* More WQEs than the CQ has slots could overrun it; in one queue or in several. */
	badr = rq;
	badr.log_size = 5;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), -EINVAL);
	badr.log_size = 3;
	ck_assert_uint_eq(n, 77);
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &rq, &n), -EINVAL);
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), 0);
	badr.log_size = 0;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), -EINVAL);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, 1), 0);
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), 0);
	rig_stop(&rig);
}
END_TEST

START_TEST(states)
{
	/* From RST, RDY, ERR (rows) to RST, RDY, ERR and to numbers that are no state. */
	static const bool legal[3][5] = {{false, true, false, false, false},
					 {true, false, true, false, false},
					 {true, false, false, false, false}};
	static const enum cqesim_queue_state no = (enum cqesim_queue_state)3;
	const enum cqesim_queue_state to[5] = {CQESIM_QUEUE_RST, CQESIM_QUEUE_RDY, CQESIM_QUEUE_ERR,
					       no, (enum cqesim_queue_state) - 1};
	struct rig rig;
	enum cqesim_queue_state state;
	uint16_t ci;

	rig_config(&rig);
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	for (unsigned from = 0; from < 3; from++)
		for (unsigned i = 0; i < 5; i++) {
			/* By legal ways to `from`. */
			cqesim_nic_query_rq(rig.nic, 1, &state, &ci);
			if (state != CQESIM_QUEUE_RST)
				ck_assert_int_eq(
					cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_RST, 0), 0);
			if (from != 0)
				ck_assert_int_eq(
					cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_RDY, 0), 0);
			if (from == 2)
				ck_assert_int_eq(
					cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_ERR, 0), 0);
			int rc = cqesim_nic_modify_rq(rig.nic, 1, to[i], 0);
			ck_assert_msg(rc == (legal[from][i] ? 0 : -EINVAL), "%u to %d: %d", from,
				      (int)to[i], rc);
			ck_assert_int_eq(cqesim_nic_query_rq(rig.nic, 1, &state, &ci), 0);
			ck_assert_uint_eq(state, legal[from][i] ? to[i] : from);
		}
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, 0, CQESIM_QUEUE_RDY, 0), -ENOENT);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, 2, CQESIM_QUEUE_RDY, 0), -ENOENT);
	ck_assert_int_eq(cqesim_nic_query_rq(rig.nic, 0, &state, &ci), -ENOENT);
	ck_assert_int_eq(cqesim_nic_query_rq(rig.nic, 2, &state, &ci), -ENOENT);
	rig_stop(&rig);
}
END_TEST

START_TEST(only_ready_queues_receive)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(1);
	enum cqesim_queue_state state;
	uint16_t ci;

	rig_config(&rig);
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	ck_assert_int_eq(rig_packet(&rig, 0, 1), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, 0, 0, &m, NULL, 0, NULL), CQESIM_RX_NOT_READY);
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, 2, 0, &m, NULL, 0, NULL), CQESIM_RX_NOT_READY);
	ck_assert_int_eq(rig_packet(&rig, 0, 2), CQESIM_RX_DELIVERED);
	cqesim_nic_query_rq(rig.nic, 1, &state, &ci);
	ck_assert_uint_eq(ci, 2);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_ERR, 0), 0);
	ck_assert_int_eq(rig_packet(&rig, 0, 3), CQESIM_RX_NOT_READY);
	/* ERR keeps the index, RST sets it to 0; the completion ring goes on where it was. */
	cqesim_nic_query_rq(rig.nic, 1, &state, &ci);
	ck_assert_uint_eq(ci, 2);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_RST, 0), 0);
	ck_assert_int_eq(rig_packet(&rig, 0, 3), CQESIM_RX_NOT_READY);
	cqesim_nic_query_rq(rig.nic, 1, &state, &ci);
	ck_assert_uint_eq(ci, 0);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_RDY, 0), 0);
	ck_assert_int_eq(rig_packet(&rig, 0, 4), CQESIM_RX_DELIVERED);
	ck_assert_uint_eq(rig.queue[0].ring[2 * 64 + 15], 4);
	ck_assert_uint_eq(rig.queue[0].ring[2 * 64 + 61], 0); /* WQE 0 again */
	ck_assert_uint_eq(rig_stats(&rig)->packets, 7);
	ck_assert_uint_eq(rig_stats(&rig)->results[CQESIM_RX_DELIVERED], 3);
	ck_assert_uint_eq(rig_stats(&rig)->results[CQESIM_RX_NOT_READY], 4);
	ck_assert_uint_eq(rig_stats(&rig)->wqes, 3);
	/* WQEs 0-3 read twice: a reset queue has fetched nothing. */
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_REQUEST, 2, 0, 48);
	rig_stop(&rig);
}
END_TEST

Suite *suite_nic(void)
{
	Suite *s = suite_create("nic");
	TCase *t = tcase_create("object");

	tcase_add_test(t, names);
	tcase_add_test(t, bad_configs);
	tcase_add_test(t, numbers_and_users);
	tcase_add_test(t, bad_queues);
	tcase_add_test(t, states);
	tcase_add_test(t, only_ready_queues_receive);
	suite_add_tcase(s, t);
	test_nic_packets(s);
	test_nic_fault(s);
	test_nic_session(s);
	test_nic_open(s);
	test_nic_enhanced(s);
	test_nic_traffic(s);
	test_nic_striding(s);
	return s;
}
