/* SPDX-License-Identifier: BSD-3-Clause */
/* card: LRO in queues of several segments and in striding ones; and streams drawn at random. */
#include <stdlib.h>
#include <string.h>

#include "test_card_lro.h"

static struct lro_rig rig;

#define N 400u

static bool segment(uint32_t seq)
{
	return lro_receive(&rig, (struct lro_segment){.seq = seq, .payload = N});
}

static uint8_t payload_at(uint32_t seq)
{
	return (uint8_t)(seq * 151 >> 3);
}

static void same_payload(const uint8_t *at, uint32_t seq, uint32_t n)
{
	uint32_t right = 0;

	while (right < n && at[right] == payload_at(seq + right))
		right++;
	ck_assert_uint_eq(right, n);
}

/* Four segments over the pieces of a WQE: 454, 854, 1254, 1654 are in 1, 2, 3 and 4 of 512. */
START_TEST(scattered)
{
	struct cqesim_completion c[2];
	uint8_t packet[2048];
	struct card_queue *q = lro_start(&rig, LRO_SCATTERED);

	for (unsigned i = 0; i < 4; i++)
		ck_assert(segment(i * N));
	lro_receive(&rig, (struct lro_segment){.udp = true, .payload = 20});
	ck_assert_uint_eq(card_rig_poll(q, c, 2), 2);
	ck_assert_uint_eq(c[0].lro_num_seg, 4);
	ck_assert_uint_eq(lro_packet(&rig, &c[0], packet), 54 + 4 * N);
	same_payload(packet + 54, 0, 4 * N);
	lro_stop(&rig);
}
END_TEST

/* The driver's second piece is not its own: the session ends there, and the queue as well. */
START_TEST(bad_memory)
{
	struct cqesim_completion c[10];
	struct card_queue *q = lro_start(&rig, LRO_SCATTERED);

	cqesim_be_store(q->wqes + 16 + 4, 4, 0xbad);
	ck_assert(segment(0));
	ck_assert(!segment(N));
	ck_assert_uint_eq(card_rig_poll(q, c, 10), 8);
	ck_assert_uint_eq(c[0].lro_num_seg, 1);
	ck_assert_uint_eq(c[1].opcode, CQESIM_OP_RESP_ERR);
	ck_assert_uint_eq(c[1].syndrome, CQESIM_SYNDROME_LOCAL_PROT);
	ck_assert_uint_eq(c[2].syndrome, CQESIM_SYNDROME_WR_FLUSH);
	ck_assert_uint_eq(card_rig_broken(&rig.card, "lkey"), 1);
	lro_stop(&rig);
}
END_TEST

/*
 * Strides of 128: 454 bytes take 4, 854 7, 1254 10; byte_cnt says 10 << 16 | 1254.  A packet of
 * 62 bytes lies behind them, in stride 10.
 */
START_TEST(striding)
{
	struct cqesim_completion c[3];
	uint8_t packet[2048];
	struct card_queue *q = lro_start(&rig, LRO_STRIDING);

	for (unsigned i = 0; i < 3; i++)
		ck_assert(segment(i * N));
	lro_receive(&rig, (struct lro_segment){.udp = true, .payload = 20});
	ck_assert_uint_eq((uint32_t)cqesim_be_load(q->ring + 44, 4), 10u << 16 | 1254);
	ck_assert_uint_eq(card_rig_poll(q, c, 3), 2);
	ck_assert_uint_eq(c[0].strides, 10);
	ck_assert_uint_eq(c[0].lro_num_seg, 3);
	lro_packet(&rig, &c[0], packet);
	same_payload(packet + 54, 0, 3 * N);
	ck_assert_uint_eq(c[1].wqe_counter, 10);
	ck_assert_uint_eq(c[1].wqe_id, 0);
	const struct cqesim_nic_stats *s = cqesim_card_nic_stats(rig.card.card);
	ck_assert_uint_eq(s->strides, 11);
	ck_assert_uint_eq(s->wqes, 0);
	/* Five strides are left: a session of one has room for 640 - 454 bytes more. */
	segment(3 * N);
	segment(4 * N);
	ck_assert_uint_eq(card_rig_poll(q, c, 3), 2);
	ck_assert_uint_eq(c[0].lro_num_seg, 1);
	ck_assert_uint_eq(c[0].wqe_counter, 11);
	/* The next, in WQE 1, stands behind a filler of one stride. */
	ck_assert(c[1].filler);
	ck_assert_uint_eq(c[1].wqe_counter, 15);
	ck_assert_uint_eq(c[1].strides, 1);
	lro_stop(&rig);
}
END_TEST

/* A session takes the last stride: the WQE is used up, nothing joins any more. */
START_TEST(striding_to_the_end)
{
	struct cqesim_completion c[3];
	struct card_queue *q;

	rig.max_bytes = 65280;
	q = lro_start(&rig, LRO_STRIDING);
	rig.max_bytes = 0;
	/* 54 + 4 x 498 = 2046 of 2048 bytes. */
	for (unsigned i = 0; i < 5; i++)
		ck_assert(lro_receive(&rig, (struct lro_segment){.seq = i * 498, .payload = 498}));
	ck_assert_uint_eq(card_rig_poll(q, c, 3), 1);
	ck_assert_uint_eq(c[0].strides, 16);
	ck_assert_uint_eq(c[0].lro_num_seg, 4);
	ck_assert_uint_eq(cqesim_card_nic_stats(rig.card.card)->wqes, 1);
	ck_assert_uint_eq(cqesim_card_nic_stats(rig.card.card)->fillers, 0);
	cqesim_card_step(rig.card.card, rig.card.now_ps + LRO_TIMEOUT_PS + 1, 1);
	ck_assert_uint_eq(card_rig_poll(q, c, 3), 1);
	ck_assert_uint_eq(c[0].wqe_id, 1);
	lro_stop(&rig);
}
END_TEST

/* A stripped tag is in the completion, and tags that differ are not joined. */
START_TEST(tags)
{
	struct cqesim_completion c[2];
	uint8_t packet[2048];

	for (unsigned strip = 0; strip < 2; strip++) {
		rig.vlan_strip = strip;
		struct card_queue *q = lro_start(&rig, LRO_CYCLIC);
		for (unsigned i = 0; i < 2; i++)
			lro_receive(&rig, (struct lro_segment){
						  .seq = i * N, .payload = N, .tagged = true});
		segment(2 * N); /* without */
		ck_assert_uint_eq(card_rig_poll(q, c, 2), 1);
		ck_assert_uint_eq(c[0].lro_num_seg, 2);
		ck_assert_uint_eq(c[0].meta.byte_cnt, (strip ? 54 : 58) + 2 * N);
		lro_packet(&rig, &c[0], packet);
		same_payload(packet + (strip ? 54 : 58), 0, 2 * N);
		ck_assert_uint_eq(c[0].meta.vlan_info, strip ? 0x2005 : 0);
		ck_assert_uint_eq(
			cqesim_card_nic_stats(rig.card.card)->lro_ends[CQESIM_FLUSH_HEADER], 1);
		lro_stop(&rig);
	}
	rig.vlan_strip = false;
}
END_TEST

START_TEST(ipv6)
{
	struct cqesim_completion c[2];
	uint8_t packet[2048];
	struct card_queue *q = lro_start(&rig, LRO_CYCLIC);

	for (unsigned i = 0; i < 3; i++)
		lro_receive(&rig, (struct lro_segment){.seq = i * N,
						       .payload = N,
						       .ipv6 = true,
						       .ttl = (uint8_t)(9 - i),
						       .flags = i == 2 ? 0x18 : 0});
	ck_assert_uint_eq(card_rig_poll(q, c, 2), 1);
	ck_assert_uint_eq(lro_packet(&rig, &c[0], packet), 74 + 3 * N);
	ck_assert_uint_eq(packet[21], 9); /* as it arrived ... */
	ck_assert_uint_eq(q->ring[5], 7); /* ... and the least */
	same_payload(packet + 74, 0, 3 * N);
	lro_stop(&rig);
}
END_TEST

/* ---- at random ---- */

struct sent {
	struct lro_segment segment;
	bool told;
};
static struct sent sent[4096];
static unsigned sents, tolds;

/* The completion's packets are the next ones that were sent: theirs in order, nothing else. */
static void account(const struct cqesim_completion *c)
{
	uint8_t packet[2048];
	uint32_t n = lro_packet(&rig, c, packet);
	const struct lro_segment *first = &sent[tolds].segment;
	uint32_t at = first->udp ? 42 : 54;
	unsigned segments = c->lro_num_seg ? c->lro_num_seg : 1;

	for (unsigned i = 0; i < segments; i++) {
		ck_assert_uint_lt(tolds, sents);
		const struct lro_segment *s = &sent[tolds++].segment;
		ck_assert_uint_eq(s->flow, first->flow);
		ck_assert(segments == 1 || !s->udp);
		ck_assert_uint_le(at + s->payload, n);
		same_payload(packet + at, s->seq, s->payload);
		at += s->payload;
	}
	ck_assert_uint_eq(at, n);
}

static void read_all(struct card_queue *q)
{
	struct cqesim_completion c[32];
	unsigned n = card_rig_poll(q, c, 32);

	for (unsigned i = 0; i < n; i++) {
		if (!c[i].filler)
			account(&c[i]);
		bool last = rig.kind != LRO_STRIDING || c[i].wqe_counter + c[i].strides == 16;
		if (last)
			lro_post(&rig, q);
	}
}

START_TEST(random_streams)
{
	uint32_t seq[3] = {0};
	bool lone = false;

	for (unsigned round = 0; round < 10; round++) {
		srandom(round);
		rig.max_bytes = 65280;
		struct card_queue *q = lro_start(&rig, (enum lro_kind)(_i));
		unsigned lost = 0;
		sents = tolds = 0;
		for (unsigned i = 0; i < 2000; i++) {
			unsigned flow = random() % 6 ? 0 : (unsigned)random() % 3;
			struct lro_segment s = {
				.flow = (uint16_t)flow,
				.seq = seq[flow],
				.payload = (uint32_t)(random() % 8 ? 300 : random() % 500),
				.flags = random() % 20 ? 0x10 : 0x18,
				.udp = random() % 30 == 0,
				.ttl = (uint8_t)(60 + random() % 3),
			};
			lone |= !s.payload;
			seq[flow] += random() % 25 ? s.payload : 77;
			rig.card.now_ps += (uint64_t)random() % 10 ? 0 : 10000000;
			sent[sents].segment = s;
			if (lro_receive(&rig, s))
				sents++;
			else
				lost++;
			if (random() % 4 == 0)
				read_all(q);
			if (random() % 16 == 0)
				cqesim_card_step(rig.card.card, rig.card.now_ps, 1);
		}
		cqesim_card_step(rig.card.card, rig.card.now_ps + 2 * LRO_TIMEOUT_PS, 1);
		read_all(q);
		ck_assert_uint_eq(tolds, sents);
		const struct cqesim_card_stats *s = card_stats(&rig.card);
		ck_assert_uint_eq(s->delivered, sents);
		ck_assert_uint_eq(s->lost[CQESIM_RX_OUT_OF_BUFFER], lost);
		ck_assert_uint_eq(s->violations, 0);
		const struct cqesim_nic_stats *n = cqesim_card_nic_stats(rig.card.card);
		ck_assert_uint_gt(n->lro_sessions, 100);
		lro_stop(&rig);
	}
	rig.max_bytes = 0;
	ck_assert(lone);
}
END_TEST

void test_card_lro_queues(Suite *s)
{
	TCase *t = tcase_create("lro_queues");

	tcase_set_timeout(t, 60); /* many laps, on busy machines */
	tcase_add_test(t, scattered);
	tcase_add_test(t, bad_memory);
	tcase_add_test(t, striding);
	tcase_add_test(t, striding_to_the_end);
	tcase_add_test(t, tags);
	tcase_add_test(t, ipv6);
	tcase_add_loop_test(t, random_streams, 0, 3);
	suite_add_tcase(s, t);
}
