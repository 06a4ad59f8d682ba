/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * card: LRO, by hand: which bytes the completion of several segments has, where their data
 * lies, what ends a session, and in which order completions come.
 */
#include <errno.h>
#include <string.h>

#include "test_card_lro.h"

static struct lro_rig rig;

/* 400 bytes of payload behind 54 of headers: 4 of them, 1654 bytes, fit a buffer of 2048. */
#define N 400u

static bool segment(uint32_t seq)
{
	return lro_receive(&rig, (struct lro_segment){.seq = seq, .payload = N, .fill = 1});
}

/*
 * Three segments, 01 02 03 all over: the sum is 200 x 0606 (hex), carries added b4b4.  PSH of the
 * last, its ACK number and window, the least TTL (mlx5_prm.h: bytes 4 to 11, 32), 1254 bytes
 * in all.  The rest is the first's: header types (TCP with ACK and data 4, IPv4 2: 48), the
 * time stamp (2 us: 7d0 ns), WQE 0.
 */
START_TEST(completion_bytes)
{
	static const uint8_t expected[64] = {
		[4] = 0x40,  [5] = 61,    [6] = 0x12,  [7] = 0x03,  [8] = 0xaa, [11] = 0x03,
		[20] = 0xb4, [21] = 0xb4, [28] = 0x07, [29] = 0x48, [32] = 3,   [46] = 0x04,
		[47] = 0xe6, [54] = 0x07, [55] = 0xd0, [63] = 0x20,
	};
	struct card_queue *q = lro_start(&rig, LRO_CYCLIC);
	uint8_t first[54];

	rig.card.now_ps = 1000000;
	for (unsigned i = 0; i < 3; i++) {
		ck_assert(lro_receive(&rig, (struct lro_segment){
						    .seq = 1000 + i * N,
						    .ack = 0xaa000001 + i,
						    .window = (uint16_t)(0x1201 + i),
						    .ttl = (uint8_t[]){64, 61, 63}[i],
						    .flags = i == 2 ? 0x18 : 0x10,
						    .payload = N,
						    .fill = (uint8_t)(i + 1),
					    }));
		if (!i)
			memcpy(first, rig.frame, sizeof(first));
	}
	ck_assert_mem_eq(q->ring, expected, 64);
	/* Headers as they came, data behind them. */
	const uint8_t *at = lro_buffer(&rig, q, 0);
	ck_assert_mem_eq(at, first, 54);
	for (unsigned i = 0; i < 3 * N; i++)
		ck_assert_uint_eq(at[54 + i], 1 + i / N);
	ck_assert_uint_eq(card_stats(&rig.card)->delivered, 3);
	const struct cqesim_nic_stats *n = cqesim_card_nic_stats(rig.card.card);
	ck_assert_uint_eq(n->lro_sessions, 1);
	ck_assert_uint_eq(n->lro_segments, 3);
	ck_assert_uint_eq(n->lro_longest, 3);
	ck_assert_uint_eq(n->lro_ends[CQESIM_FLUSH_FLAGS], 1);
	ck_assert_uint_eq(n->wqes, 1);
	/* Data is written once, the later headers never; one completion. */
	ck_assert_uint_eq(n->traffic[CQESIM_TRAFFIC_DATA].payload, 54 + 3 * N);
	ck_assert_uint_eq(n->traffic[CQESIM_TRAFFIC_CQE].count, 1);
	lro_stop(&rig);
}
END_TEST

/* An odd length: the sum counts bytes where they stand in the stream. */
START_TEST(odd_lengths)
{
	struct cqesim_completion c[2];
	struct card_queue *q = lro_start(&rig, LRO_CYCLIC);

	lro_receive(&rig, (struct lro_segment){.seq = 0, .payload = 201, .fill = 1});
	lro_receive(&rig,
		    (struct lro_segment){.seq = 201, .payload = 201, .fill = 2, .flags = 0x18});
	ck_assert_uint_eq(card_rig_poll(q, c, 2), 1);
	ck_assert_uint_eq(c[0].meta.byte_cnt, 54 + 402);
	/* 100 words 0101, one of the last 01 and the first 02, 100 words 0202. */
	uint32_t sum = 100 * 0x0101 + 0x0102 + 100 * 0x0202;
	ck_assert_uint_eq(c[0].meta.csum, (sum & 0xffff) + (sum >> 16));
	lro_stop(&rig);
}
END_TEST

/* What the second or third packet is, and what that makes of two segments that were joined. */
START_TEST(what_ends_a_session)
{
	static const struct {
		struct lro_segment third;
		enum cqesim_flush flush;
		unsigned completions; /* at once; the first is of two segments */
	} c[] = {
		{{.seq = 2 * N, .payload = N, .flags = 0x18}, CQESIM_FLUSH_FLAGS, 1},
		{{.seq = 2 * N + 1, .payload = N}, CQESIM_FLUSH_SEQUENCE, 1},
		{{.seq = N, .payload = N}, CQESIM_FLUSH_SEQUENCE, 1}, /* once more */
		{{.seq = 2 * N, .payload = N, .flags = 0x11}, CQESIM_FLUSH_CONTROL, 2},
		{{.seq = 2 * N, .payload = N, .flags = 0x14}, CQESIM_FLUSH_CONTROL, 2},
		{{.seq = 2 * N, .payload = N, .flags = 0x12}, CQESIM_FLUSH_CONTROL, 2},
		{{.seq = 2 * N, .payload = N, .flags = 0x30}, CQESIM_FLUSH_CONTROL, 2},
		{{.seq = 2 * N, .payload = N, .flags = 0x50}, CQESIM_FLUSH_HEADER, 1}, /* ECE */
		{{.seq = 2 * N, .payload = N, .tos = 1}, CQESIM_FLUSH_HEADER, 1},      /* ECN */
		{{.seq = 2 * N, .payload = 99}, CQESIM_FLUSH_SHORT, 2},
		{{.seq = 2 * N, .payload = 1148}, CQESIM_FLUSH_SIZE, 1}, /* 2002: max_bytes 2000 */
		{{.seq = 2 * N, .payload = N, .flow = 1}, CQESIM_FLUSH_OTHER_FLOW, 1},
		{{.seq = 2 * N, .payload = N, .bad_checksum = true}, CQESIM_FLUSH_OTHER_FLOW, 2},
		{{.payload = 20, .udp = true}, CQESIM_FLUSH_OTHER_FLOW, 2},
		{{.seq = 2 * N, .payload = 0, .padding = 6}, CQESIM_FLUSH_OTHER_FLOW, 2},
	};
	struct cqesim_completion out[4];

	for (size_t i = 0; i < COUNT(c); i++) {
		struct card_queue *q = lro_start(&rig, LRO_CYCLIC);

		segment(0);
		segment(N);
		ck_assert_uint_eq(card_rig_poll(q, out, 4), 0);
		ck_assert(lro_receive(&rig, c[i].third));
		unsigned n = card_rig_poll(q, out, 4);
		ck_assert_msg(n == c[i].completions, "case %zu: %u completions", i, n);
		const struct cqesim_nic_stats *s = cqesim_card_nic_stats(rig.card.card);
		ck_assert_msg(s->lro_ends[c[i].flush] == 1, "case %zu", i);
		ck_assert_uint_eq(out[0].lro_num_seg, c[i].flush == CQESIM_FLUSH_FLAGS ? 3 : 2);
		ck_assert_uint_eq(out[0].wqe_counter, 0);
		if (n == 2) { /* it was delivered alone, in the next WQE */
			ck_assert_uint_eq(out[1].lro_num_seg, 0);
			ck_assert_uint_eq(out[1].wqe_counter, 1);
		}
		lro_stop(&rig);
	}
}
END_TEST

/* 8 us from the first segment: one at the last picosecond joins; then the step ends it. */
START_TEST(time_out)
{
	struct cqesim_completion c[2];
	struct card_queue *q = lro_start(&rig, LRO_CYCLIC);

	segment(0);
	uint64_t start_ps = rig.card.now_ps;
	rig.card.now_ps += LRO_TIMEOUT_PS - 1000000;
	segment(N);
	ck_assert_uint_eq(rig.card.now_ps, start_ps + LRO_TIMEOUT_PS);
	cqesim_card_step(rig.card.card, rig.card.now_ps, 1);
	ck_assert_uint_eq(card_rig_poll(q, c, 2), 0);
	cqesim_card_step(rig.card.card, rig.card.now_ps + 1, 1);
	ck_assert_uint_eq(card_rig_poll(q, c, 2), 1);
	ck_assert_uint_eq(c[0].lro_num_seg, 2);
	/* A segment later begins a new one, alone until its time is over. */
	segment(2 * N);
	cqesim_card_step(rig.card.card, rig.card.now_ps + LRO_TIMEOUT_PS + 1, 1);
	ck_assert_uint_eq(card_rig_poll(q, c, 2), 1);
	ck_assert_uint_eq(c[0].lro_num_seg, 1);
	ck_assert_uint_eq(c[0].meta.byte_cnt, 54 + N);
	const struct cqesim_nic_stats *s = cqesim_card_nic_stats(rig.card.card);
	ck_assert_uint_eq(s->lro_ends[CQESIM_FLUSH_TIMEOUT], 2);
	ck_assert_uint_eq(s->lro_lone, 1);
	lro_stop(&rig);
}
END_TEST

/* Without a step in between the next packet does what fell due before it. */
START_TEST(time_out_by_packet)
{
	struct cqesim_completion c[4];
	struct card_queue *q = lro_start(&rig, LRO_CYCLIC);

	segment(0);
	rig.card.now_ps += LRO_TIMEOUT_PS;
	segment(N);
	ck_assert_uint_eq(card_rig_poll(q, c, 4), 1);
	ck_assert_uint_eq(c[0].lro_num_seg, 1);
	lro_stop(&rig);
}
END_TEST

/* The end of the WQE's buffer: the fifth begins another WQE. */
START_TEST(full_buffer)
{
	struct cqesim_completion c[4];
	struct card_queue *q;

	rig.max_bytes = 65280;
	q = lro_start(&rig, LRO_CYCLIC);
	for (unsigned i = 0; i < 5; i++)
		ck_assert(segment(i * N));
	ck_assert_uint_eq(card_rig_poll(q, c, 4), 1);
	ck_assert_uint_eq(c[0].lro_num_seg, 4);
	ck_assert_uint_eq(c[0].meta.byte_cnt, 54 + 4 * N);
	lro_stop(&rig);
	rig.max_bytes = 0;
}
END_TEST

/* Joining needs no WQE.  Another flow's packet finds none: the session is ended all the same. */
START_TEST(out_of_buffer)
{
	struct cqesim_completion c[8];
	struct card_queue *q = lro_start(&rig, LRO_CYCLIC);
	uint64_t lost;

	for (unsigned i = 0; i < 7; i++)
		lro_receive(&rig, (struct lro_segment){.udp = true, .payload = 20});
	segment(0);
	ck_assert(segment(N));
	ck_assert(!lro_receive(&rig, (struct lro_segment){.udp = true, .payload = 20}));
	ck_assert(!segment(2 * N));
	ck_assert_uint_eq(card_rig_poll(q, c, 8), 8);
	ck_assert_uint_eq(c[7].lro_num_seg, 2);
	lost = card_stats(&rig.card)->lost[CQESIM_RX_OUT_OF_BUFFER];
	ck_assert_uint_eq(lost, 2);
	lro_post(&rig, q);
	ck_assert(segment(3 * N));
	lro_stop(&rig);
}
END_TEST

/* What leaves the state RDY gives its session first; then flush entries for what is posted. */
START_TEST(states)
{
	static const enum cqesim_queue_state to[] = {CQESIM_QUEUE_ERR, CQESIM_QUEUE_RST};
	struct cqesim_completion c[16];

	for (unsigned i = 0; i < COUNT(to); i++) {
		struct card_queue *q = lro_start(&rig, LRO_CYCLIC);

		segment(0);
		segment(N);
		ck_assert_int_eq(
			cqesim_card_modify_rq(rig.card.card, q->number, to[i], rig.card.now_ps + 5),
			0);
		ck_assert_uint_eq(card_rig_poll(q, c, 16), i ? 1 : 8);
		ck_assert_uint_eq(c[0].lro_num_seg, 2);
		ck_assert_uint_eq(c[0].opcode, CQESIM_OP_RESP_SEND);
		for (unsigned k = 1; k < (i ? 1 : 8); k++)
			ck_assert_uint_eq(c[k].opcode, CQESIM_OP_RESP_ERR);
		/* Nothing is left of it. */
		cqesim_card_step(rig.card.card, rig.card.now_ps + 2 * LRO_TIMEOUT_PS, 1);
		ck_assert_uint_eq(card_rig_poll(q, c, 16), 0);
		lro_stop(&rig);
	}
}
END_TEST

START_TEST(destroyed)
{
	struct cqesim_completion c[4];
	struct card_queue *q = lro_start(&rig, LRO_CYCLIC);

	segment(0);
	segment(N);
	ck_assert_int_eq(cqesim_card_destroy_tir(rig.card.card, rig.tir), 0);
	ck_assert_int_eq(cqesim_card_destroy_rq(rig.card.card, q->number), 0);
	ck_assert_uint_eq(card_rig_poll(q, c, 4), 1);
	ck_assert_uint_eq(c[0].lro_num_seg, 2);
	uint8_t before[8 * 64];
	memcpy(before, q->ring, sizeof(before));
	cqesim_card_step(rig.card.card, CQESIM_PS_PER_S, 1);
	ck_assert_mem_eq(before, q->ring, sizeof(before));
	lro_stop(&rig);
	/* A card that goes with a session open touches nothing. */
	q = lro_start(&rig, LRO_CYCLIC);
	segment(0);
	memcpy(before, q->ring, sizeof(before));
	cqesim_card_destroy(rig.card.card);
	rig.card.card = NULL;
	ck_assert_mem_eq(before, q->ring, sizeof(before));
	lro_stop(&rig);
}
END_TEST

/* An error on purpose takes the place of a packet that would have joined, in a WQE of its own. */
START_TEST(injected_error)
{
	struct cqesim_completion c[4];
	struct card_queue *q = lro_start(&rig, LRO_CYCLIC);

	segment(0);
	segment(N);
	cqesim_card_inject_error(rig.card.card, q->number, 0x22);
	ck_assert(!segment(2 * N));
	ck_assert_uint_eq(card_rig_poll(q, c, 4), 2);
	ck_assert_uint_eq(c[0].lro_num_seg, 2);
	ck_assert_uint_eq(c[1].opcode, CQESIM_OP_RESP_ERR);
	ck_assert_uint_eq(c[1].syndrome, 0x22);
	ck_assert_uint_eq(c[1].wqe_counter, 1);
	ck_assert(segment(3 * N));
	ck_assert_uint_eq(card_rig_broken(&rig.card, "lkey"), 0);
	lro_stop(&rig);
}
END_TEST

/* Asked for IPv4 alone, for neither, or by a queue that keeps FCSs: nothing is joined. */
START_TEST(not_asked_for)
{
	struct cqesim_completion c[4];

	for (unsigned i = 0; i < 3; i++) {
		rig.no_ipv4 = i == 0;
		rig.no_lro = i == 1;
		rig.card_keep_fcs = i == 2;
		struct card_queue *q = lro_start(&rig, LRO_CYCLIC);
		segment(0);
		segment(N);
		ck_assert_uint_eq(card_rig_poll(q, c, 4), 2);
		ck_assert_uint_eq(c[1].lro_num_seg, 0);
		lro_stop(&rig);
	}
	rig.no_ipv4 = rig.no_lro = rig.card_keep_fcs = false;
	struct cqesim_card_tir bad = {.direct = true, .lro = {.ipv6 = true}};
	uint32_t tirn;
	struct card_queue *q = lro_start(&rig, LRO_CYCLIC);
	bad.rqn = q->number;
	ck_assert_int_eq(cqesim_card_create_tir(rig.card.card, &bad, &tirn), -EINVAL);
	lro_stop(&rig);
}
END_TEST

void test_card_lro(Suite *s)
{
	TCase *t = tcase_create("lro");

	tcase_set_timeout(t, 60); /* many laps, on busy machines */
	tcase_add_test(t, completion_bytes);
	tcase_add_test(t, odd_lengths);
	tcase_add_test(t, what_ends_a_session);
	tcase_add_test(t, time_out);
	tcase_add_test(t, time_out_by_packet);
	tcase_add_test(t, full_buffer);
	tcase_add_test(t, out_of_buffer);
	tcase_add_test(t, states);
	tcase_add_test(t, destroyed);
	tcase_add_test(t, injected_error);
	tcase_add_test(t, not_asked_for);
	suite_add_tcase(s, t);
}
