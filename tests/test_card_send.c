/* SPDX-License-Identifier: BSD-3-Clause */
/* card: send WQEs written by hand, what goes out, and completions byte by byte. */
#include <errno.h>
#include <string.h>

#include "test_card.h"

#define NOP  0x00
#define SEND 0x0a
#define MPW  0x29

static struct card_rig rig;
static uint8_t *data; /* 4096 registered bytes: a pattern */
static uint64_t address;

static void start(void)
{
	card_rig_config(&rig);
	card_rig_start(&rig);
	data = card_rig_memory(&rig, 4096);
	address = card_rig_address(&rig, data);
	for (unsigned i = 0; i < 4096; i++)
		data[i] = (uint8_t)(i ^ i >> 8);
}

static void stop(void)
{
	card_rig_stop(&rig);
}

static unsigned step(unsigned budget)
{
	rig.now_ps += 1000000;
	return cqesim_card_step(rig.card, rig.now_ps, budget);
}

/* SEND of `length` bytes at data + offset, one segment. */
static void send_plain(struct card_queue *q, unsigned offset, unsigned length, bool completion)
{
	card_wqe_control(q, SEND, 3, completion);
	card_data_segment(card_wqe_at(q, q->pi) + 32, length, CARD_KEY, address + offset);
	card_post_sq(q, 1);
}

static void expect_sent(unsigned i, const uint8_t *bytes, unsigned length)
{
	ck_assert_uint_lt(i, rig.sents);
	ck_assert_uint_eq(rig.sent[i].length, length);
	ck_assert_mem_eq(rig.sent[i].data, bytes, length);
}

START_TEST(plain)
{
	start();
	struct card_queue *q = card_rig_sq(&rig, 2, 1);
	rig.now_ps = 0x0102030405060708ull / 1000 * 1000 - 1000000;
	send_plain(q, 0, 60, false);
	send_plain(q, 100, 1000, true);
	ck_assert_uint_eq(step(10), 2);
	expect_sent(0, data, 60);
	expect_sent(1, data + 100, 1000);
	ck_assert_uint_eq(rig.sent[1].sqn, q->number);
	uint8_t cqe[64] = {0};
	uint64_t ns = rig.now_ps / 1000;
	for (unsigned i = 0; i < 8; i++)
		cqe[48 + i] = (uint8_t)(ns >> (56 - 8 * i));
	cqe[56] = SEND;
	cqe[59] = 1; /* queue number */
	cqe[61] = 1; /* WQE */
	cqe[63] = 0x00;
	ck_assert_mem_eq(q->ring, cqe, 64);
	ck_assert_uint_eq(q->ring[64 + 63], 0xf1);

	/* The ring of completions goes round: lap 1. */
	struct cqesim_completion c[2];
	for (unsigned i = 2; i < 5; i++) {
		ck_assert_uint_eq(card_rig_poll(q, c, 2), 1);
		ck_assert_uint_eq(c[0].opcode, CQESIM_OP_REQ);
		send_plain(q, 0, 60, true);
		ck_assert_uint_eq(step(10), 1);
	}
	ck_assert_uint_eq(q->ring[64 + 63], 0x01);
	ck_assert_uint_eq(q->ring[64 + 61], 4);
	const struct cqesim_card_stats *s = card_stats(&rig);
	ck_assert_uint_eq(s->sent, 5);
	ck_assert_uint_eq(s->sent_bytes, 60 + 1000 + 3 * 60);
	ck_assert_uint_eq(s->send_kinds[CQESIM_SEND_PLAIN], 5);
	ck_assert_uint_eq(s->inline_bytes, 0);
	ck_assert_uint_eq(s->send_wqes, 5);
	ck_assert_uint_eq(s->send_completions, 4);
	ck_assert_uint_eq(s->send_doorbells, 4); /* the first two were seen together */
	ck_assert_uint_eq(s->consumes, 0);       /* those of receiving */
	ck_assert_uint_eq(s->violations, 0);
	stop();
}
END_TEST

/* 18 bytes of headers in the WQE, the rest read. */
START_TEST(inline_headers)
{
	start();
	struct card_queue *q = card_rig_sq(&rig, 2, 2);
	card_wqe_control(q, SEND, 4, true);
	uint8_t *wqe = card_wqe_at(q, 0);
	wqe[20] = 0xc0; /* both checksums */
	wqe[29] = 18;
	memcpy(wqe + 30, data, 18);
	card_data_segment(wqe + 48, 50, CARD_KEY, address + 18);
	card_post_sq(q, 1);
	ck_assert_uint_eq(step(10), 1);
	ck_assert(rig.sent[0].l3_checksum && rig.sent[0].l4_checksum);
	expect_sent(0, data, 68);
	ck_assert_uint_eq(card_stats(&rig)->send_kinds[CQESIM_SEND_INLINE], 1);
	ck_assert_uint_eq(card_stats(&rig)->inline_bytes, 18);
	stop();
}
END_TEST

/* All in the WQE, over the ring's end; then segments, one of them inline. */
START_TEST(inline_whole)
{
	start();
	struct card_queue *q = card_rig_sq(&rig, 2, 2);
	for (unsigned i = 0; i < 3; i++)
		send_plain(q, 0, 60, false);
	ck_assert_uint_eq(step(10), 3);
	/* 100 bytes from byte 30 on: 34 up to the ring's end. 14 + 100 -> 128, + 16: 9 units. */
	card_wqe_control(q, SEND, 9, true);
	uint8_t *wqe = card_wqe_at(q, 3);
	wqe[29] = 100;
	memcpy(wqe + 30, data + 7, 34);
	memcpy(q->wqes, data + 7 + 34, 66);
	card_post_sq(q, 3);
	ck_assert_uint_eq(step(10), 1);
	expect_sent(3, data + 7, 100);
	ck_assert_uint_eq(rig.sent[3].pieces, 2);
	ck_assert_uint_eq(q->ring[61], 3);

	/* Two segments and 5 inline bytes between them. */
	card_wqe_control(q, SEND, 5, true);
	wqe = card_wqe_at(q, q->pi);
	ck_assert_ptr_eq(wqe, q->wqes + 128); /* 6 mod 4 */
	card_data_segment(wqe + 32, 20, CARD_KEY, address);
	cqesim_be_store(wqe + 48, 4, 0x80000005);
	memcpy(wqe + 52, data + 20, 5);
	card_data_segment(q->wqes + 192, 35, CARD_KEY, address + 25);
	card_post_sq(q, 2);
	ck_assert_uint_eq(step(10), 1);
	expect_sent(4, data, 60);
	ck_assert_uint_eq(card_stats(&rig)->inline_bytes, 105);
	ck_assert_uint_eq(card_stats(&rig)->violations, 0);
	stop();
}
END_TEST

/* A pointer, 30 inline bytes (4 + 30 -> 48), a pointer: 2 + 1 + 3 + 1 units. */
static void multi_packet(struct card_queue *q)
{
	card_wqe_control(q, MPW, 7, true);
	uint8_t *wqe = card_wqe_at(q, q->pi), *rest = card_wqe_at(q, (uint16_t)(q->pi + 1));
	card_data_segment(wqe + 32, 60, CARD_KEY, address);
	cqesim_be_store(wqe + 48, 4, 0x8000001e);
	memcpy(wqe + 52, data + 100, 12);
	memcpy(rest, data + 112, 18);
	card_data_segment(rest + 32, 70, CARD_KEY, address + 200);
	card_post_sq(q, 2);
}

START_TEST(mpw)
{
	start();
	struct card_queue *q = card_rig_sq(&rig, 2, 2);
	send_plain(q, 0, 60, false);
	for (unsigned lap = 0; lap < 3; lap++) { /* begins at blocks 1, 3 (over the end), 1 */
		multi_packet(q);
		ck_assert_uint_eq(step(100), lap ? 3 : 4);
		expect_sent(1 + 3 * lap, data, 60);
		expect_sent(2 + 3 * lap, data + 100, 30);
		expect_sent(3 + 3 * lap, data + 200, 70);
		ck_assert_uint_eq(q->ring[lap * 64 + 56], MPW);
		ck_assert_uint_eq(q->ring[lap * 64 + 61], 1 + 2 * lap);
	}
	const struct cqesim_card_stats *s = card_stats(&rig);
	ck_assert_uint_eq(s->send_kinds[CQESIM_SEND_MPW], 6);
	ck_assert_uint_eq(s->send_kinds[CQESIM_SEND_MPW_INLINE], 3);
	ck_assert_uint_eq(s->inline_bytes, 90);
	ck_assert_uint_eq(s->send_wqes, 4);
	ck_assert_uint_eq(s->violations, 0);
	stop();
}
END_TEST

/* A budget, or a sink that is full, in the middle of a multi-packet WQE. */
START_TEST(in_parts)
{
	start();
	struct card_queue *q = card_rig_sq(&rig, 2, 2);
	multi_packet(q);
	ck_assert_uint_eq(step(1), 1);
	ck_assert_uint_eq(q->ring[63], 0xf1);
	rig.refuse_after = 2;
	ck_assert_uint_eq(step(10), 1);
	ck_assert_uint_eq(step(10), 0);
	ck_assert_uint_eq(q->ring[63], 0xf1);
	rig.refuse_after = 0;
	ck_assert_uint_eq(step(10), 1);
	ck_assert_uint_eq(q->ring[63], 0x00);
	ck_assert_uint_eq(rig.sents, 3);
	expect_sent(0, data, 60);
	expect_sent(1, data + 100, 30);
	expect_sent(2, data + 200, 70);
	ck_assert_uint_eq(card_stats(&rig)->sent, 3);
	/* The first packet of a WQE is refused. */
	rig.refuse_after = 3;
	send_plain(q, 5, 64, true);
	ck_assert_uint_eq(step(10), 0);
	rig.refuse_after = 0;
	ck_assert_uint_eq(step(10), 1);
	expect_sent(3, data + 5, 64);
	stop();
}
END_TEST

/* Sixteen bits of index: many laps. */
START_TEST(many)
{
	struct cqesim_completion c;

	card_rig_config(&rig);
	rig.config.send = NULL;
	rig.config.event = NULL;
	card_rig_start(&rig);
	data = card_rig_memory(&rig, 4096);
	address = card_rig_address(&rig, data);
	struct card_queue *q = card_rig_sq(&rig, 2, 1);
	for (unsigned i = 0; i < 70000; i++) {
		send_plain(q, 0, 60, true);
		if (step(10) != 1 || card_rig_poll(q, &c, 1) != 1 || c.wqe_counter != (uint16_t)i)
			ck_abort_msg("packet %u", i);
	}
	ck_assert_uint_eq(card_stats(&rig)->sent, 70000);
	ck_assert_uint_eq(card_stats(&rig)->violations, 0);
	stop();
}
END_TEST

/* A tag behind the addresses: in the middle of a piece, and between pieces. */
START_TEST(tag)
{
	uint8_t want[64];

	start();
	struct card_queue *q = card_rig_sq(&rig, 2, 2);
	memcpy(want, data, 12);
	memcpy(want + 12, "\x81\0\x60\x07", 4);
	memcpy(want + 16, data + 12, 48);
	card_wqe_control(q, SEND, 3, true);
	uint8_t *wqe = card_wqe_at(q, 0);
	cqesim_be_store(wqe + 28, 4, 0x80006007);
	card_data_segment(wqe + 32, 60, CARD_KEY, address);
	card_post_sq(q, 1);
	card_wqe_control(q, SEND, 4, true);
	wqe = card_wqe_at(q, 1);
	cqesim_be_store(wqe + 28, 4, 0x80006007);
	card_data_segment(wqe + 32, 12, CARD_KEY, address);
	card_data_segment(wqe + 48, 48, CARD_KEY, address + 12);
	card_post_sq(q, 1);
	ck_assert_uint_eq(step(10), 2);
	for (unsigned i = 0; i < 2; i++) {
		expect_sent(i, want, 64);
		ck_assert_uint_eq(rig.sent[i].pieces, 3);
	}
	ck_assert_uint_eq(card_stats(&rig)->inline_bytes, 0);
	stop();
}
END_TEST

START_TEST(nop)
{
	start();
	struct card_queue *q = card_rig_sq(&rig, 2, 2);
	card_wqe_control(q, NOP, 1, true);
	card_post_sq(q, 1);
	ck_assert_uint_eq(step(10), 0);
	ck_assert_uint_eq(rig.sents, 0);
	ck_assert_uint_eq(q->ring[63], 0);
	ck_assert_uint_eq(q->ring[56], NOP);
	ck_assert_uint_eq(card_stats(&rig)->send_wqes, 1);
	ck_assert_uint_eq(card_stats(&rig)->violations, 0);
	stop();
}
END_TEST

static void expect_error(const uint8_t *cqe, unsigned syndrome, unsigned opcode, unsigned wqe)
{
	ck_assert_uint_eq(cqe[63], 0xd0); /* REQ_ERR, lap 0 */
	ck_assert_uint_eq(cqe[55], syndrome);
	ck_assert_uint_eq(cqe[56], opcode);
	ck_assert_uint_eq(cqe[59], 1);
	ck_assert_uint_eq(cqe[61], wqe);
}

/* Wrong memory: an error, then a flush entry for each WQE that asked for a completion. */
START_TEST(protection)
{
	enum cqesim_queue_state state;

	start();
	struct card_queue *q = card_rig_sq(&rig, 3, 3);
	send_plain(q, 0, 60, true);
	send_plain(q, 0, 60, false);
	card_data_segment(card_wqe_at(q, 1) + 32, 60, CARD_KEY + 1, address);
	send_plain(q, 0, 60, false);
	send_plain(q, 0, 60, true);
	multi_packet(q);
	ck_assert_uint_eq(step(10), 1);
	ck_assert_int_eq(cqesim_card_query_sq(rig.card, q->number, &state), 0);
	ck_assert_int_eq(state, CQESIM_QUEUE_ERR);
	ck_assert_uint_eq(q->ring[63], 0x00);
	expect_error(q->ring + 64, 4, SEND, 1);
	expect_error(q->ring + 128, 5, SEND, 3);
	expect_error(q->ring + 192, 5, MPW, 4);
	ck_assert_uint_eq(q->ring[256 + 63], 0xf1);
	ck_assert_uint_eq(card_stats(&rig)->send_errors, 1);
	ck_assert_uint_eq(card_rig_broken(&rig, "lkey"), 1);
	ck_assert_uint_eq(rig.sents, 1);
	ck_assert_uint_eq(step(10), 0);

	/* Reset and ready; the record still says 6 until the driver posts again (PMD). */
	ck_assert_int_eq(cqesim_card_modify_sq(rig.card, q->number, CQESIM_QUEUE_RST, 0), 0);
	ck_assert_int_eq(cqesim_card_modify_sq(rig.card, q->number, CQESIM_QUEUE_RDY, 0), 0);
	ck_assert_uint_eq(step(10), 0);
	q->pi = 0;
	send_plain(q, 9, 61, true);
	ck_assert_uint_eq(step(10), 1);
	expect_sent(1, data + 9, 61);
	ck_assert_uint_eq(card_stats(&rig)->violations, 1);
	stop();
}
END_TEST

/* What is no WQE: error 2 (QP operation), the queue stops. */
START_TEST(malformed)
{
	static const struct {
		uint8_t opcode, modifier, units;
		unsigned blocks;
		uint32_t at28, at32;
	} list[] = {
		{0x0f, 0, 3, 1, 0, 60},         /* WAIT */
		{0x0e, 1, 3, 1, 0, 60},         /* the older multi-packet WQE */
		{SEND, 0, 0, 1, 0, 60},         /* no size */
		{SEND, 0, 1, 1, 0, 60},         /* no Ethernet segment */
		{SEND, 0, 5, 1, 0, 60},         /* two blocks, one posted */
		{SEND, 0, 2, 1, 0, 60},         /* no data */
		{SEND, 0, 3, 1, 19 << 16, 60},  /* more headers than WQE: 30 + 19 > 48 */
		{SEND, 0, 3, 1, 0, 0x8000000d}, /* 13 inline bytes in 12 */
		{MPW, 0, 3, 1, 0, 0},           /* a packet without data */
		{SEND, 0, 3, 1, 0x80000000, 9}, /* a tag into 9 bytes */
	};

	for (unsigned i = 0; i < COUNT(list); i++) {
		enum cqesim_queue_state state;

		start();
		struct card_queue *q = card_rig_sq(&rig, 2, 2);
		card_wqe_control(q, list[i].opcode, list[i].units, false);
		uint8_t *wqe = card_wqe_at(q, 0);
		wqe[0] = list[i].modifier;
		cqesim_be_store(wqe + 28, 4, list[i].at28);
		card_data_segment(wqe + 32, list[i].at32, CARD_KEY, address);
		card_post_sq(q, list[i].blocks);
		ck_assert_uint_eq(step(10), 0);
		expect_error(q->ring, 2, list[i].opcode, 0);
		ck_assert_uint_eq(q->ring[64 + 63], 0xf1);
		cqesim_card_query_sq(rig.card, q->number, &state);
		ck_assert_int_eq(state, CQESIM_QUEUE_ERR);
		ck_assert_uint_eq(card_rig_broken(&rig, "wqe"), 1);
		ck_assert_uint_eq(rig.sents, 0);
		stop();
	}
}
END_TEST

/* Bytes on the link, 1 ns each: see test_nic.h. */
START_TEST(link)
{
	start();
	struct card_queue *q = card_rig_sq(&rig, 2, 2);
	send_plain(q, 0, 60, true);
	ck_assert_uint_eq(step(1000), 1);
	const struct cqesim_tlps *t = cqesim_card_nic_stats(rig.card)->traffic;
	ck_assert_uint_eq(t[CQESIM_TRAFFIC_TX_WQE_REQUEST].count, 1);
	ck_assert_uint_eq(t[CQESIM_TRAFFIC_TX_WQE_REQUEST].wire, 24);
	ck_assert_uint_eq(t[CQESIM_TRAFFIC_TX_WQE_COMPLETION].payload, 64);
	ck_assert_uint_eq(t[CQESIM_TRAFFIC_TX_DATA_REQUEST].count, 1);
	ck_assert_uint_eq(t[CQESIM_TRAFFIC_TX_DATA_COMPLETION].payload, 60);
	ck_assert_uint_eq(t[CQESIM_TRAFFIC_TX_CQE].wire, 88);
	ck_assert_uint_eq(t[CQESIM_TRAFFIC_TX_DOORBELL].payload, 8);
	/* Two blocks read as two reads of 64, 30 of its bytes sent are there then. */
	multi_packet(q);
	ck_assert_uint_eq(step(1000), 3);
	ck_assert_uint_eq(t[CQESIM_TRAFFIC_TX_WQE_COMPLETION].payload, 64 + 128);
	ck_assert_uint_eq(t[CQESIM_TRAFFIC_TX_DATA_COMPLETION].payload, 60 + 130);
	ck_assert_uint_eq(t[CQESIM_TRAFFIC_TX_DATA_REQUEST].count, 3);
	stop();
}
END_TEST

/* Queues take turns. */
START_TEST(two_queues)
{
	start();
	struct card_queue *a = card_rig_sq(&rig, 2, 2), *b = card_rig_sq(&rig, 2, 2);
	for (unsigned i = 0; i < 4; i++) {
		send_plain(a, 0, 60, i == 3);
		send_plain(b, 0, 61, i == 3);
	}
	ck_assert_uint_eq(step(3), 3);
	ck_assert_uint_eq(step(100), 5);
	ck_assert_uint_eq(rig.sents, 8);
	unsigned first = 0;
	for (unsigned i = 0; i < 8; i++)
		first += rig.sent[i].sqn == a->number;
	ck_assert_uint_eq(first, 4);
	ck_assert_uint_eq(a->ring[61], 3);
	ck_assert_uint_eq(b->ring[61], 3);
	ck_assert_uint_eq(b->ring[59], 2);
	stop();
}
END_TEST

void test_card_send(Suite *s)
{
	TCase *t = tcase_create("send");

	tcase_set_timeout(t, 60); /* many laps, on busy machines */
	tcase_add_test(t, plain);
	tcase_add_test(t, inline_headers);
	tcase_add_test(t, inline_whole);
	tcase_add_test(t, mpw);
	tcase_add_test(t, in_parts);
	tcase_add_test(t, many);
	tcase_add_test(t, tag);
	tcase_add_test(t, nop);
	tcase_add_test(t, protection);
	tcase_add_test(t, malformed);
	tcase_add_test(t, link);
	tcase_add_test(t, two_queues);
	suite_add_tcase(s, t);
}
