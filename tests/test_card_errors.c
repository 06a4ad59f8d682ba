/* SPDX-License-Identifier: BSD-3-Clause */
/* card: receive queues that fail, what they write, and how they come back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test_card.h"
#include "test_cq.h"

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

static enum cqesim_queue_state state_of(uint32_t rqn)
{
	enum cqesim_queue_state state;

	ck_assert_int_eq(cqesim_card_query_rq(rig.card, rqn, &state), 0);
	return state;
}

/* An error completion: opcode RESP_ERR, syndrome in byte 55, WQE in 60 and 61. */
static void expect_error(const uint8_t *cqe, unsigned syndrome, unsigned wqe, unsigned owner)
{
	ck_assert_uint_eq(cqe[63], 0xe0 | owner);
	ck_assert_uint_eq(cqe[55], syndrome);
	ck_assert_uint_eq(cqe[60] << 8 | cqe[61], wqe);
}

START_TEST(protection)
{
	struct cqesim_completion c[8];

	start();
	struct card_queue *q = card_rig_rq(&rig, 2);
	cqesim_be_store(q->wqes + 16 + 4, 4, CARD_KEY + 1);
	ck_assert(card_rig_packet(&rig));
	ck_assert(!card_rig_packet(&rig));
	ck_assert_int_eq(state_of(q->number), CQESIM_QUEUE_ERR);
	ck_assert_uint_eq(q->ring[63], 0x20);
	expect_error(q->ring + 64, 4, 1, 0);
	expect_error(q->ring + 128, 5, 2, 0);
	expect_error(q->ring + 192, 5, 3, 0);
	ck_assert_uint_eq(card_rig_broken(&rig, "lkey"), 1);
	ck_assert_uint_eq(card_stats(&rig)->lost[CQESIM_RX_ERROR], 1);
	ck_assert(!card_rig_packet(&rig));
	ck_assert_uint_eq(card_stats(&rig)->no_queue, 1);
	ck_assert_uint_eq(cqesim_card_credits(rig.card), 0);

	/* As PMD does: reset, read the ring to its end, ready, posted anew. */
	ck_assert_int_eq(cqesim_card_modify_rq(rig.card, q->number, CQESIM_QUEUE_RST, 0), 0);
	ck_assert_uint_eq(card_rig_poll(q, c, 8), 4);
	ck_assert_uint_eq(c[1].opcode, CQESIM_OP_RESP_ERR);
	q->dbrec[0] = 0;
	q->poster.pi = 0;
	ck_assert_int_eq(cqesim_card_modify_rq(rig.card, q->number, CQESIM_QUEUE_RDY, 0), 0);
	ck_assert(!card_rig_packet(&rig)); /* nothing is posted */
	card_rig_post(&rig, q, 4);
	ck_assert(card_rig_packet(&rig));
	ck_assert_uint_eq(q->ring[63], 0x21); /* the CQ's index has gone on: lap 1 */
	ck_assert_uint_eq(q->ring[61], 0);    /* the RQ's is 0 again */
	ck_assert_uint_eq(card_rig_broken(&rig, "lkey"), 1);
	ck_assert_uint_eq(card_stats(&rig)->violations, 1);
	stop();
}
END_TEST

/* Which syndromes stop a queue: 2, 4 and 5 alone (PMD mlx5_rx_err_handle). */
START_TEST(injected)
{
	static const struct {
		uint8_t syndrome;
		bool stops;
	} list[] = {
		{0x01, false}, {0x02, true},  {0x04, true},  {0x05, true},  {0x06, false},
		{0x10, false}, {0x11, false}, {0x12, false}, {0x13, false}, {0x14, false},
		{0x15, false}, {0x16, false}, {0x22, false},
	};

	for (unsigned i = 0; i < COUNT(list); i++) {
		start();
		struct card_queue *q = card_rig_rq(&rig, 2);
		ck_assert_int_eq(cqesim_card_inject_error(rig.card, q->number, list[i].syndrome),
				 0);
		ck_assert(!card_rig_packet(&rig));
		expect_error(q->ring, list[i].syndrome, 0, 0);
		ck_assert_int_eq(state_of(q->number),
				 list[i].stops ? CQESIM_QUEUE_ERR : CQESIM_QUEUE_RDY);
		ck_assert_int_eq(card_rig_packet(&rig), !list[i].stops);
		if (list[i].stops)
			expect_error(q->ring + 64, 5, 1, 0);
		else
			ck_assert_uint_eq(q->ring[64 + 63], 0x20);
		ck_assert_uint_eq(card_stats(&rig)->violations, 0);
		ck_assert_int_eq(cqesim_card_inject_error(rig.card, q->number, 0), -EINVAL);
		ck_assert_int_eq(cqesim_card_inject_error(rig.card, 77, 1), -ENOENT);
		stop();
	}
}
END_TEST

START_TEST(driver_stops_the_queue)
{
	start();
	struct card_queue *q = card_rig_rq(&rig, 2);
	ck_assert(card_rig_packet(&rig));
	ck_assert_int_eq(cqesim_card_modify_rq(rig.card, q->number, CQESIM_QUEUE_ERR, 5), 0);
	for (unsigned i = 1; i < 4; i++)
		expect_error(q->ring + i * 64, 5, i, 0);
	stop();
}
END_TEST

/* 2 WQEs of 8 strides of 64 bytes: a packet takes one, the third fails, the second WQE is flushed.
 */
START_TEST(striding)
{
	static uint32_t dbrec[2], cq_dbrec[2];
	uint8_t *ring = test_cq_ring(4), wqes[64];
	const struct cqesim_strides_shape shape = {
		.log_wqes = 1, .log_strides = 3, .log_stride_bytes = 6};
	struct cqesim_striding_poster poster;
	uint32_t cqn, rqn;

	start();
	cqesim_cq_init_ring(ring, &(struct cqesim_cq_shape){.log_size = 4});
	uint8_t *buffers = card_rig_memory(&rig, 1024);
	struct cqesim_card_cq cq = {.ring = ring, .log_size = 4, .dbrec = cq_dbrec};
	ck_assert_int_eq(cqesim_card_create_cq(rig.card, &cq, &cqn), 0);
	struct cqesim_card_rq rq = {
		.ring = wqes, .striding = true, .strides = shape, .dbrec = dbrec, .cqn = cqn};
	ck_assert_int_eq(cqesim_card_create_rq(rig.card, &rq, &rqn), 0);
	ck_assert_int_eq(cqesim_card_modify_rq(rig.card, rqn, CQESIM_QUEUE_RDY, 0), 0);
	ck_assert_int_eq(cqesim_striding_poster_init(&poster, wqes, &shape, dbrec), 0);
	for (uint16_t i = 0; i < 2; i++) {
		struct cqesim_rq_seg seg = {.address = card_rig_address(&rig, buffers) + i * 512u,
					    .lkey = CARD_KEY,
					    .length = 512};
		ck_assert_int_eq(cqesim_striding_post(&poster, i, &seg), 0);
	}
	cqesim_striding_doorbell(&poster);
	ck_assert_uint_eq(cqesim_card_credits(rig.card), 2);
	ck_assert(card_rig_packet(&rig));
	ck_assert(card_rig_packet(&rig));
	ck_assert_mem_eq(buffers + 64, buffers, 60);
	ck_assert_int_eq(cqesim_card_inject_error(rig.card, rqn, 4), 0);
	ck_assert(!card_rig_packet(&rig));
	expect_error(ring + 128, 4, 2, 0);   /* stride 2 ... */
	ck_assert_uint_eq(ring[128 + 3], 0); /* ... of WQE 0 */
	expect_error(ring + 192, 5, 0, 0);
	ck_assert_uint_eq(ring[192 + 3], 1);
	ck_assert_uint_eq(ring[256 + 63], 0xf1); /* no more */
	ck_assert_int_eq(state_of(rqn), CQESIM_QUEUE_ERR);
	stop();
	free(ring);
}
END_TEST

/* At a place: the third packet, then the fifth; the places count since the queue was made. */
START_TEST(injected_at)
{
	start();
	struct card_queue *q = card_rig_rq(&rig, 3);
	struct cqesim_card_injection at = {
		.queue = CQESIM_OBJECT_RQ, .number = q->number, .packet = 5, .syndrome = 0x22};
	ck_assert_int_eq(cqesim_card_inject(rig.card, &at), 0);
	at.packet = 3;
	at.syndrome = 1;
	ck_assert_int_eq(cqesim_card_inject(rig.card, &at), 0);
	for (unsigned i = 1; i <= 6; i++)
		ck_assert_int_eq(card_rig_packet(&rig), i != 3 && i != 5);
	expect_error(q->ring + 2 * 64, 1, 2, 0);
	expect_error(q->ring + 4 * 64, 0x22, 4, 0);
	ck_assert_uint_eq(card_stats(&rig)->violations, 0);
	at.packet = 0;
	ck_assert_int_eq(cqesim_card_inject(rig.card, &at), -EINVAL);
	at.packet = 9;
	at.syndrome = 0;
	ck_assert_int_eq(cqesim_card_inject(rig.card, &at), -EINVAL);
	at.syndrome = 1;
	at.queue = CQESIM_OBJECT_CQ;
	ck_assert_int_eq(cqesim_card_inject(rig.card, &at), -EINVAL);
	at.queue = CQESIM_OBJECT_SQ;
	ck_assert_int_eq(cqesim_card_inject(rig.card, &at), -ENOENT);
	at.queue = CQESIM_OBJECT_RQ;
	for (unsigned i = 0; i < 64; i++)
		ck_assert_int_eq(cqesim_card_inject(rig.card, &at), 0);
	ck_assert_int_eq(cqesim_card_inject(rig.card, &at), -ENOSPC);
	stop();
}
END_TEST

/* The rig's packet has 60 bytes. */
START_TEST(frame_limit)
{
	start();
	card_rig_rq(&rig, 3);
	cqesim_card_frame_limit(rig.card, 60);
	ck_assert(card_rig_packet(&rig));
	cqesim_card_frame_limit(rig.card, 59);
	ck_assert(!card_rig_packet(&rig));
	ck_assert_uint_eq(card_stats(&rig)->over_limit, 1);
	ck_assert_uint_eq(card_stats(&rig)->no_queue, 0);
	cqesim_card_frame_limit(rig.card, 0);
	ck_assert(card_rig_packet(&rig));
	stop();
}
END_TEST

/* A session that is open when the error comes is published before it. */
START_TEST(error_after_session)
{
	struct cqesim_completion c[8];

	card_rig_config(&rig);
	rig.config.nic.compression = CQESIM_COMP_AGGRESSIVE;
	rig.config.nic.comp_max = 64;
	rig.config.nic.comp_timeout_ps = CQESIM_PS_PER_S;
	rig.compress = true;
	card_rig_start(&rig);
	struct card_queue *q = card_rig_rq(&rig, 3);
	for (unsigned i = 0; i < 4; i++)
		ck_assert(card_rig_packet(&rig));
	cqesim_card_inject_error(rig.card, q->number, 0x22);
	ck_assert(!card_rig_packet(&rig));
	ck_assert_uint_eq(card_rig_poll(q, c, 8), 5);
	ck_assert_uint_eq(c[3].session_n, 4);
	ck_assert_uint_eq(c[4].syndrome, 0x22);
	ck_assert_uint_eq(c[4].wqe_counter, 4);
	stop();
}
END_TEST

void test_card_errors(Suite *s)
{
	TCase *t = tcase_create("errors");

	tcase_set_timeout(t, 60); /* many laps, on busy machines */
	tcase_add_test(t, protection);
	tcase_add_test(t, injected);
	tcase_add_test(t, driver_stops_the_queue);
	tcase_add_test(t, striding);
	tcase_add_test(t, error_after_session);
	tcase_add_test(t, injected_at);
	tcase_add_test(t, frame_limit);
	suite_add_tcase(s, t);
}
