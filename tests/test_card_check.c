/* SPDX-License-Identifier: BSD-3-Clause */
/* card: each rule of src/card/check.c, and something that breaks it and it alone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static void step(void)
{
	cqesim_card_step(rig.card, ++rig.now_ps, 100);
}

static void only(const char *rule, unsigned n)
{
	ck_assert_msg(card_rig_broken(&rig, rule) == n && card_stats(&rig)->violations == n,
		      "%s: %u, not %u; %llu in all", rule, card_rig_broken(&rig, rule), n,
		      (unsigned long long)card_stats(&rig)->violations);
}

static void ring_rq(struct card_queue *q, uint32_t value)
{
	__atomic_store_n(&q->dbrec[0], __builtin_bswap32(value), __ATOMIC_RELEASE);
}

static void consume(struct card_queue *q, uint32_t value)
{
	__atomic_store_n(&q->cq_dbrec[0], __builtin_bswap32(value), __ATOMIC_RELEASE);
}

START_TEST(rq_posted)
{
	start();
	struct card_queue *q = card_rig_rq(&rig, 2);
	step();
	only("rq_posted", 0);
	ring_rq(q, 5);
	step();
	only("rq_posted", 1);
	stop();
}
END_TEST

START_TEST(sq_posted)
{
	start();
	struct card_queue *q = card_rig_sq(&rig, 2, 2);
	for (unsigned i = 0; i < 4; i++) {
		card_wqe_control(q, 0, 1, false);
		q->pi++;
	}
	q->dbrec[1] = __builtin_bswap32(4);
	step();
	only("sq_posted", 0);
	for (unsigned i = 0; i < 4; i++) {
		card_wqe_control(q, 0, 1, false);
		q->pi++;
	}
	q->dbrec[1] = __builtin_bswap32(9);
	step();
	/* The ninth block is the fifth of that lap: it tells its index of the lap before. */
	ck_assert_uint_eq(card_rig_broken(&rig, "sq_posted"), 1);
	stop();
}
END_TEST

START_TEST(cq_ahead)
{
	start();
	struct card_queue *q = card_rig_rq(&rig, 2);
	ck_assert(card_rig_packet(&rig));
	ck_assert(card_rig_packet(&rig));
	consume(q, 2);
	step();
	only("cq_ahead", 0);
	consume(q, 3);
	step();
	only("cq_ahead", 1);
	stop();
	/* Backwards. */
	start();
	q = card_rig_rq(&rig, 2);
	ck_assert(card_rig_packet(&rig));
	ck_assert(card_rig_packet(&rig));
	consume(q, 2);
	step();
	consume(q, 1);
	step();
	only("cq_ahead", 1);
	stop();
}
END_TEST

/* As PMD 22.11 does after a session: rxq_zip.cq_ci has 16 bits. */
START_TEST(cq_bits)
{
	struct cqesim_completion c[8];

	start();
	rig.config.event = NULL;
	struct card_queue *q = card_rig_rq(&rig, 2);
	for (unsigned i = 0; i < 65538; i++) {
		ck_assert(card_rig_packet(&rig));
		ck_assert_uint_eq(card_rig_poll(q, c, 8), 1);
		card_rig_post(&rig, q, 1);
	}
	step();
	rig.events = 0; /* the log is full of the others */
	ck_assert_uint_eq(card_stats(&rig)->violations, 0);
	ck_assert(card_rig_packet(&rig));
	consume(q, 3); /* 65539 */
	step();
	only("cq_bits", 1);
	/* It is understood: nothing waits. */
	ck_assert(card_rig_packet(&rig));
	ck_assert_uint_eq(card_stats(&rig)->waiting_max, 0);
	consume(q, 65540);
	step();
	only("cq_bits", 1);
	stop();
}
END_TEST

/* A session of 8: the last byte of its array is the end of a length, 61, 0x3d: owner 1. */
static struct card_queue *session_of_8(void)
{
	uint8_t buf[64];
	struct cqesim_frame f = card_frame(buf, 17, 1, 2, 3, 4, 19);

	card_rig_config(&rig);
	rig.config.nic.compression = CQESIM_COMP_AGGRESSIVE;
	rig.config.nic.comp_max = 8;
	rig.config.nic.comp_timeout_ps = CQESIM_PS_PER_S;
	rig.compress = true;
	card_rig_start(&rig);
	struct card_queue *q = card_rig_rq(&rig, 4);
	for (unsigned i = 0; i < 8; i++)
		ck_assert(card_rig_receive(&rig, &f));
	ck_assert_uint_eq(q->ring[64 + 63], 0x3d);
	return q;
}

START_TEST(cq_slot)
{
	struct cqesim_completion c[8];

	struct card_queue *q = session_of_8();
	consume(q, 8);
	step();
	only("cq_slot", 1);
	stop();
	q = session_of_8();
	ck_assert_uint_eq(card_rig_poll(q, c, 8), 8); /* rewrites them */
	step();
	only("cq_slot", 0);
	ck_assert_uint_eq(card_stats(&rig)->burst[8], 1);
	stop();
}
END_TEST

START_TEST(cq_overrun)
{
	start();
	struct card_queue *q = card_rig_sq(&rig, 3, 1);
	for (unsigned i = 0; i < 3; i++) {
		card_wqe_control(q, 0, 1, true);
		card_post_sq(q, 1);
	}
	step();
	only("cq_overrun", 1);
	ck_assert_uint_eq(q->ring[61], 0); /* not written over */
	ck_assert_uint_eq(q->ring[64 + 61], 1);
	stop();
	/* The consumer index is looked at before that. */
	start();
	q = card_rig_sq(&rig, 3, 1);
	for (unsigned i = 0; i < 4; i++) {
		card_wqe_control(q, 0, 1, true);
		card_post_sq(q, 1);
		step();
		consume(q, i + 1);
	}
	only("cq_overrun", 0);
	stop();
}
END_TEST

START_TEST(wqe_index_and_number)
{
	start();
	struct card_queue *q = card_rig_sq(&rig, 2, 2);
	card_wqe_control(q, 0, 1, false);
	card_wqe_at(q, 0)[2] = 1;
	card_post_sq(q, 1);
	step();
	only("wqe_index", 1);
	stop();
	start();
	q = card_rig_sq(&rig, 2, 2);
	card_wqe_control(q, 0, 1, false);
	card_wqe_at(q, 0)[6] = 2;
	card_post_sq(q, 1);
	step();
	only("wqe_number", 1);
	ck_assert_uint_eq(card_stats(&rig)->send_wqes, 1);
	stop();
}
END_TEST

/* The other rules, wqe, lkey and busy, are broken in the tests of what they are about. */
START_TEST(leak)
{
	start();
	card_rig_rq(&rig, 2);
	card_rig_sq(&rig, 2, 2);
	stop();
	ck_assert_uint_eq(card_rig_broken(&rig, "leak"), 4);
	start();
	stop();
	ck_assert_uint_eq(card_rig_broken(&rig, "leak"), 0);
}
END_TEST

void test_card_check(Suite *s)
{
	TCase *t = tcase_create("check");

	tcase_set_timeout(t, 60); /* many laps, on busy machines */
	tcase_add_test(t, rq_posted);
	tcase_add_test(t, sq_posted);
	tcase_add_test(t, cq_ahead);
	tcase_add_test(t, cq_bits);
	tcase_add_test(t, cq_slot);
	tcase_add_test(t, cq_overrun);
	tcase_add_test(t, wqe_index_and_number);
	tcase_add_test(t, leak);
	suite_add_tcase(s, t);
}
