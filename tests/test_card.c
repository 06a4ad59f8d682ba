/* SPDX-License-Identifier: BSD-3-Clause */
/* card: its objects, what uses what, and the states of queues. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "test_card.h"

static struct card_rig rig;

static void start(void)
{
	card_rig_config(&rig);
	card_rig_start(&rig);
}

static void stop(void)
{
	card_rig_stop(&rig);
}

START_TEST(bad_config)
{
	struct cqesim_card *card;
	struct cqesim_error err;

	card_rig_config(&rig);
	struct cqesim_card_config c = rig.config;
	c.translate = NULL;
	ck_assert_int_eq(cqesim_card_create(&card, &c, &err), -EINVAL);
	ck_assert_ptr_null(card);
	ck_assert_ptr_nonnull(strstr(err.text, "translation"));
	c = rig.config;
	c.nic.wqe_fetch_bytes = 3;
	ck_assert_int_eq(cqesim_card_create(&card, &c, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "wqe_fetch"));
	c = rig.config;
	c.checksums = 9;
	ck_assert_int_eq(cqesim_card_create(&card, &c, &err), -EINVAL);
	free(rig.memory);
	cqesim_card_destroy(NULL);
	ck_assert_str_eq(cqesim_send_kind_name(CQESIM_SEND_MPW_INLINE), "mpw_inline");
	ck_assert_str_eq(cqesim_send_kind_name(CQESIM_SEND_KINDS), "unknown");
}
END_TEST

START_TEST(bad_queues)
{
	static uint8_t ring[4 * 64] __attribute__((aligned(64)));
	uint32_t dbrec[2] = {0}, number;
	const struct cqesim_card_cq good = {.ring = ring, .log_size = 2, .dbrec = dbrec};
	struct cqesim_card_cq cq;

	start();
#define BAD_CQ(rc, change)                                                                         \
	do {                                                                                       \
		cq = good;                                                                         \
		change;                                                                            \
		ck_assert_int_eq(cqesim_card_create_cq(rig.card, &cq, &number), rc);               \
	} while (0)
	BAD_CQ(-EINVAL, cq.ring = NULL);
	BAD_CQ(-EINVAL, cq.ring = ring + 8);
	BAD_CQ(-EINVAL, cq.dbrec = NULL);
	BAD_CQ(-EINVAL, cq.address = 8);
	BAD_CQ(-EINVAL, cq.log_size = 40);
	BAD_CQ(-EINVAL, cq.mini_format = CQESIM_MINI_REQ);
	BAD_CQ(-EINVAL, cq.layout = 7);
	BAD_CQ(-ENOTSUP, cq.cqe_128 = true);
	BAD_CQ(0, (void)0);
	ck_assert_uint_eq(number, 1);

	struct cqesim_card_rq rq = {.ring = ring, .log_size = 2, .dbrec = dbrec, .cqn = 2};
	uint32_t rqn;
	ck_assert_int_eq(cqesim_card_create_rq(rig.card, &rq, &rqn), -ENOENT);
	rq.cqn = 1;
	rq.log_size = 3; /* more completions than the ring has places */
	ck_assert_int_eq(cqesim_card_create_rq(rig.card, &rq, &rqn), -EINVAL);
	rq.log_size = 2;
	rq.dbrec = NULL;
	ck_assert_int_eq(cqesim_card_create_rq(rig.card, &rq, &rqn), -EINVAL);
	rq.dbrec = dbrec;
	ck_assert_int_eq(cqesim_card_create_rq(rig.card, &rq, &rqn), 0);
	/* The CQ receives now; it cannot send. */
	struct cqesim_card_sq sq = {.ring = ring, .log_size = 2, .dbrec = dbrec, .cqn = 1};
	uint32_t sqn;
	ck_assert_int_eq(cqesim_card_create_sq(rig.card, &sq, &sqn), -EINVAL);
	ck_assert_int_eq(cqesim_card_create_cq(rig.card, &good, &number), 0);
	sq.cqn = number;
	sq.log_size = 16;
	ck_assert_int_eq(cqesim_card_create_sq(rig.card, &sq, &sqn), -EINVAL);
	sq.log_size = 2;
	ck_assert_int_eq(cqesim_card_create_sq(rig.card, &sq, &sqn), 0);
	rq.cqn = number;
	ck_assert_int_eq(cqesim_card_create_rq(rig.card, &rq, &rqn), -EINVAL);
	sq.cqn = 77;
	ck_assert_int_eq(cqesim_card_create_sq(rig.card, &sq, &sqn), -ENOENT);
	ck_assert_int_eq(cqesim_card_destroy_cq(rig.card, 0), -ENOENT);
	ck_assert_int_eq(cqesim_card_destroy_rq(rig.card, 99), -ENOENT);
	ck_assert_int_eq(cqesim_card_destroy_sq(rig.card, 99), -ENOENT);
	ck_assert_int_eq(cqesim_card_destroy_rqt(rig.card, 99), -ENOENT);
	ck_assert_int_eq(cqesim_card_destroy_tir(rig.card, 99), -ENOENT);
	stop();
}
END_TEST

/* Numbers count from 1 for each kind, and are free again after destroy. */
START_TEST(numbers)
{
	uint32_t number;
	uint32_t one[2];

	start();
	struct card_queue *a = card_rig_rq(&rig, 2), *b = card_rig_rq(&rig, 2);
	ck_assert_uint_eq(a->cqn, 1);
	ck_assert_uint_eq(b->cqn, 2);
	ck_assert_uint_eq(a->number, 1);
	ck_assert_uint_eq(b->number, 2);
	one[0] = a->number;
	one[1] = b->number;
	for (uint32_t i = 1; i <= 40; i++) {
		ck_assert_int_eq(cqesim_card_create_rqt(rig.card, one, 2, &number), 0);
		ck_assert_uint_eq(number, i);
	}
	ck_assert_int_eq(cqesim_card_destroy_rqt(rig.card, 17), 0);
	ck_assert_int_eq(cqesim_card_create_rqt(rig.card, one, 2, &number), 0);
	ck_assert_uint_eq(number, 17);
	stop();
}
END_TEST

START_TEST(busy)
{
	uint32_t rqtn, tirn, direct, bad = 9;
	struct cqesim_card_tir tir = {.rqtn = 1};

	start();
	struct card_queue *q = card_rig_rq(&rig, 2), *s = card_rig_sq(&rig, 2, 2);
	ck_assert_int_eq(cqesim_card_create_tir(rig.card, &tir, &tirn), -ENOENT);
	ck_assert_int_eq(cqesim_card_create_rqt(rig.card, &q->number, 0, &rqtn), -EINVAL);
	ck_assert_int_eq(cqesim_card_create_rqt(rig.card, &q->number, 2049, &rqtn), -EINVAL);
	ck_assert_int_eq(cqesim_card_create_rqt(rig.card, &bad, 1, &rqtn), -ENOENT);
	ck_assert_int_eq(cqesim_card_create_rqt(rig.card, &q->number, 1, &rqtn), 0);
	ck_assert_int_eq(cqesim_card_create_tir(rig.card, &tir, &tirn), 0);
	tir = (struct cqesim_card_tir){.direct = true, .rqn = q->number};
	ck_assert_int_eq(cqesim_card_create_tir(rig.card, &tir, &direct), 0);
	tir.ports = true;
	ck_assert_int_eq(cqesim_card_create_tir(rig.card, &tir, &bad), -ENOTSUP);

	ck_assert_int_eq(cqesim_card_destroy_cq(rig.card, q->cqn), -EBUSY);
	ck_assert_int_eq(cqesim_card_destroy_cq(rig.card, s->cqn), -EBUSY);
	ck_assert_int_eq(cqesim_card_destroy_rq(rig.card, q->number), -EBUSY);
	ck_assert_int_eq(cqesim_card_destroy_rqt(rig.card, rqtn), -EBUSY);
	ck_assert_uint_eq(card_rig_broken(&rig, "busy"), 4);
	ck_assert_int_eq(cqesim_card_destroy_tir(rig.card, tirn), 0);
	ck_assert_int_eq(cqesim_card_destroy_rq(rig.card, q->number), -EBUSY);
	/* The table lets its queues go when it gets others. */
	struct card_queue *other = card_rig_rq(&rig, 2);
	ck_assert_int_eq(cqesim_card_modify_rqt(rig.card, rqtn, &bad, 1), -ENOENT);
	ck_assert_int_eq(cqesim_card_modify_rqt(rig.card, rqtn, &other->number, 1), 0);
	ck_assert_int_eq(cqesim_card_destroy_rq(rig.card, q->number), -EBUSY); /* the direct TIR */
	ck_assert_int_eq(cqesim_card_destroy_tir(rig.card, direct), 0);
	ck_assert_int_eq(cqesim_card_destroy_rq(rig.card, q->number), 0);
	ck_assert_int_eq(cqesim_card_destroy_rq(rig.card, other->number), -EBUSY);
	ck_assert_int_eq(cqesim_card_destroy_rqt(rig.card, rqtn), 0);
	ck_assert_int_eq(cqesim_card_destroy_rq(rig.card, other->number), 0);
	ck_assert_int_eq(cqesim_card_destroy_sq(rig.card, s->number), 0);
	for (unsigned i = 0; i < rig.queues; i++)
		ck_assert_int_eq(cqesim_card_destroy_cq(rig.card, rig.queue[i].cqn), 0);
	ck_assert_uint_eq(card_rig_broken(&rig, "leak"), 0);
	stop();
	ck_assert_uint_eq(card_rig_broken(&rig, "leak"), 0);
}
END_TEST

START_TEST(states)
{
	enum cqesim_queue_state state;

	start();
	struct card_queue *q = card_rig_rq_made(&rig, 2), *s = card_rig_sq(&rig, 2, 2);
	const enum cqesim_queue_state R = CQESIM_QUEUE_RST, D = CQESIM_QUEUE_RDY,
				      E = CQESIM_QUEUE_ERR;
	const struct {
		enum cqesim_queue_state to;
		int rc;
	} way[] = {
		{R, -EINVAL}, {E, -EINVAL}, {D, 0}, {D, -EINVAL}, {E, 0},
		{D, -EINVAL}, {E, -EINVAL}, {R, 0}, {D, 0},       {R, 0},
	};
	enum cqesim_queue_state now = R;

	ck_assert_int_eq(cqesim_card_modify_sq(rig.card, s->number, R, 0), 0);
	for (unsigned i = 0; i < COUNT(way); i++) {
		ck_assert_int_eq(cqesim_card_modify_rq(rig.card, q->number, way[i].to, 0),
				 way[i].rc);
		ck_assert_int_eq(cqesim_card_modify_sq(rig.card, s->number, way[i].to, 0),
				 way[i].rc);
		if (!way[i].rc)
			now = way[i].to;
		ck_assert_int_eq(cqesim_card_query_rq(rig.card, q->number, &state), 0);
		ck_assert_int_eq(state, now);
		ck_assert_int_eq(cqesim_card_query_sq(rig.card, s->number, &state), 0);
		ck_assert_int_eq(state, now);
	}
	ck_assert_int_eq(cqesim_card_modify_rq(rig.card, 9, D, 0), -ENOENT);
	ck_assert_int_eq(cqesim_card_modify_sq(rig.card, 9, D, 0), -ENOENT);
	ck_assert_int_eq(cqesim_card_query_rq(rig.card, 9, &state), -ENOENT);
	ck_assert_int_eq(cqesim_card_query_sq(rig.card, 9, &state), -ENOENT);
	stop();
}
END_TEST

/* A driver fills its rings after it has made the queue, and unmaps them after it has unmade it. */
START_TEST(memory_is_left_alone)
{
	start();
	struct card_queue *q = card_rig_rq_made(&rig, 2);

	memset(q->cq_dbrec, 0xff, sizeof(q->cq_dbrec));
	memset(q->dbrec, 0xff, sizeof(q->dbrec));
	memset(q->ring, 0xf1, 4 * 64);
	ck_assert(!card_rig_packet(&rig));
	cqesim_card_step(rig.card, 1, 10);
	ck_assert_uint_eq(card_stats(&rig)->posts, 0);
	ck_assert_uint_eq(card_stats(&rig)->consumes, 0);
	ck_assert_uint_eq(card_stats(&rig)->violations, 0);
	ck_assert_uint_eq(card_stats(&rig)->no_queue, 1);
	memset(q->cq_dbrec, 0, sizeof(q->cq_dbrec));
	memset(q->dbrec, 0, sizeof(q->dbrec));
	ck_assert_int_eq(cqesim_card_modify_rq(rig.card, q->number, CQESIM_QUEUE_RDY, 0), 0);
	card_rig_post(&rig, q, 4);
	ck_assert(card_rig_packet(&rig));
	ck_assert_int_eq(cqesim_card_destroy_rq(rig.card, q->number), 0);
	ck_assert_int_eq(cqesim_card_destroy_cq(rig.card, q->cqn), 0);
	free(q->ring); /* whoever looks at it now is caught by the sanitizer */
	free(q->wqes);
	q->ring = q->wqes = NULL;
	ck_assert(!card_rig_packet(&rig));
	cqesim_card_step(rig.card, rig.now_ps + 1, 10);
	stop();
}
END_TEST

/* An open session is published when its queue goes, not afterwards. */
START_TEST(destroy_with_open_session)
{
	struct cqesim_completion c[4];

	card_rig_config(&rig);
	rig.config.nic.compression = CQESIM_COMP_AGGRESSIVE;
	rig.config.nic.comp_max = 64;
	rig.config.nic.comp_timeout_ps = CQESIM_PS_PER_S;
	rig.compress = true;
	card_rig_start(&rig);
	struct card_queue *q = card_rig_rq(&rig, 4);
	for (unsigned i = 0; i < 3; i++)
		ck_assert(card_rig_packet(&rig));
	ck_assert_uint_eq(card_rig_poll(q, c, 4), 0);
	ck_assert_int_eq(cqesim_card_destroy_rq(rig.card, q->number), 0);
	ck_assert_uint_eq(card_rig_poll(q, c, 4), 3);
	ck_assert_uint_eq(c[0].session_n, 3);
	ck_assert_uint_eq(c[2].meta.byte_cnt, 60);
	uint8_t before[16 * 64];
	memcpy(before, q->ring, sizeof(before));
	cqesim_card_step(rig.card, 2 * CQESIM_PS_PER_S, 1);
	ck_assert_mem_eq(before, q->ring, sizeof(before));
	ck_assert_int_eq(cqesim_card_destroy_cq(rig.card, q->cqn), 0);
	stop();
}
END_TEST

Suite *suite_card(void)
{
	Suite *s = suite_create("card");
	TCase *t = tcase_create("objects");

	tcase_add_test(t, bad_config);
	tcase_add_test(t, bad_queues);
	tcase_add_test(t, numbers);
	tcase_add_test(t, busy);
	tcase_add_test(t, states);
	tcase_add_test(t, memory_is_left_alone);
	tcase_add_test(t, destroy_with_open_session);
	suite_add_tcase(s, t);
	test_card_receive(s);
	test_card_errors(s);
	test_card_steer(s);
	test_card_rules(s);
	test_card_lro(s);
	test_card_lro_queues(s);
	test_card_send(s);
	test_card_tso(s);
	test_card_check(s);
	test_card_thread(s);
	return s;
}
