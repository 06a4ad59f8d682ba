/* SPDX-License-Identifier: BSD-3-Clause */
/* card: what is received, what is counted of it, and what happens when it fails. */
#include <errno.h>
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

static const uint8_t *buffer(const struct card_queue *q, unsigned i)
{
	return rig.memory + (q->buffers - CARD_BASE) + i * CARD_BUFFER;
}

/* One packet, byte by byte. */
START_TEST(one_packet)
{
	uint8_t buf[128];
	struct cqesim_frame f = card_frame(buf, 17, 0x0a000001, 0x0a000002, 1000, 2000, 50);

	start();
	struct card_queue *q = card_rig_rq(&rig, 2);
	ck_assert_uint_eq(cqesim_card_credits(rig.card), 4);
	rig.now_ps = 0x123456789aull * 1000 - 1000000;
	ck_assert(card_rig_receive(&rig, &f));
	ck_assert_uint_eq(cqesim_card_credits(rig.card), 3);
	ck_assert_mem_eq(buffer(q, 0), buf, 92);
	const uint8_t *cqe = q->ring;
	static const uint8_t same[] = {0, 0, 0, 0x12, 0x34, 0x56, 0x78, 0x9a}; /* time stamp, ns */
	ck_assert_mem_eq(cqe + 48, same, 8);
	ck_assert_uint_eq(cqe[47], 92);   /* byte_cnt */
	ck_assert_uint_eq(cqe[16], 0x84); /* hashed: IPv4, UDP */
	ck_assert_uint_eq(cqe[28], 7);    /* L2, L3, L4 OK */
	ck_assert_uint_eq(cqe[29], 0x28); /* IPv4, UDP */
	ck_assert_uint_eq(cqe[61], 0);    /* wqe_counter */
	ck_assert_uint_eq(cqe[63], 0x20); /* RESP_SEND, lap 0 */
	ck_assert_uint_eq(q->ring[127], 0xf1);
	/* A wrong L4 checksum is seen. */
	buf[60] ^= 1;
	ck_assert(card_rig_receive(&rig, &f));
	ck_assert_uint_eq(q->ring[64 + 28], 3);
	ck_assert_uint_eq(q->ring[64 + 61], 1);

	uint64_t delivered, lost;
	ck_assert_int_eq(cqesim_card_rq_stats(rig.card, q->number, &delivered, &lost), 0);
	ck_assert_uint_eq(delivered, 2);
	ck_assert_uint_eq(lost, 0);
	ck_assert_int_eq(cqesim_card_rq_stats(rig.card, 9, &delivered, &lost), -ENOENT);
	ck_assert_uint_eq(card_stats(&rig)->arrived, 2);
	ck_assert_uint_eq(card_stats(&rig)->delivered, 2);
	ck_assert_uint_eq(card_stats(&rig)->delivered_bytes, 184);
	ck_assert_uint_eq(cqesim_card_nic_stats(rig.card)->plain, 2);
	stop();
}
END_TEST

/* Padded with zeros to 60 bytes, whatever was in the buffer. */
START_TEST(padding)
{
	uint8_t buf[64];
	struct cqesim_frame f = card_frame(buf, 17, 1, 2, 3, 4, 2);
	static const uint8_t zeros[16];

	start();
	struct card_queue *q = card_rig_rq(&rig, 2);
	memset(rig.memory + (q->buffers - CARD_BASE), 0xaa, 64);
	ck_assert_uint_eq(f.cap_len, 44);
	memset(buf + 44, 0x55, 16); /* not part of the frame */
	ck_assert(card_rig_receive(&rig, &f));
	ck_assert_mem_eq(buffer(q, 0), buf, 44);
	ck_assert_mem_eq(buffer(q, 0) + 44, zeros, 16);
	ck_assert_uint_eq(buffer(q, 0)[60], 0xaa);
	stop();
}
END_TEST

/* A tag goes into the completion, the FCS stays behind the data. */
START_TEST(tag_and_fcs)
{
	uint8_t plain[128], tagged[128];
	struct cqesim_frame f = card_frame(plain, 17, 1, 2, 3, 4, 40);

	memcpy(tagged, plain, 12);
	memcpy(tagged + 12, "\x81\0\x60\x07", 4);
	memcpy(tagged + 16, plain + 12, f.len - 12);
	struct cqesim_frame t = {
		.data = tagged, .cap_len = f.len + 4, .orig_len = f.len + 4, .len = f.len + 4};
	card_rig_config(&rig);
	rig.vlan_strip = true;
	card_rig_start(&rig);
	struct card_queue *q = card_rig_rq(&rig, 2);
	ck_assert(card_rig_receive(&rig, &t));
	ck_assert_mem_eq(buffer(q, 0), plain, 82);
	ck_assert_uint_eq(q->ring[47], 82);
	ck_assert_uint_eq(q->ring[29], 0x29); /* stripped */
	ck_assert_mem_eq(q->ring + 30, "\x60\x07", 2);
	ck_assert(card_rig_receive(&rig, &f));
	ck_assert_uint_eq(q->ring[64 + 29], 0x28);
	stop();

	/* The check value of CRC-32 is that of "123456789": cbf43926. */
	static const uint8_t nine[] = "123456789";
	card_rig_config(&rig);
	rig.keep_fcs = true;
	card_rig_start(&rig);
	q = card_rig_rq(&rig, 2);
	struct cqesim_frame n = {.data = nine, .cap_len = 9, .orig_len = 9, .len = 9};
	ck_assert(card_rig_receive(&rig, &n));
	ck_assert_uint_eq(q->ring[47], 13);
	ck_assert_mem_eq(buffer(q, 0), "123456789\x26\x39\xf4\xcb", 13);
	stop();
}
END_TEST

/* Queues that want it differently, side by side; the parser's guess is wrong each time. */
START_TEST(mixed_queues)
{
	uint8_t plain[128], tagged[128];
	struct cqesim_frame f = card_frame(plain, 17, 1, 2, 3, 4, 40);

	memcpy(tagged, plain, 12);
	memcpy(tagged + 12, "\x81\0\x60\x07", 4);
	memcpy(tagged + 16, plain + 12, 70);
	f.data = tagged;
	f.cap_len = f.orig_len = f.len = 86;
	start();
	struct card_queue *a = card_rig_rq(&rig, 4);
	rig.vlan_strip = true;
	struct card_queue *b = card_rig_rq(&rig, 4);
	rig.keep_fcs = true;
	struct card_queue *c = card_rig_rq(&rig, 4);
	for (unsigned i = 0; i < 12; i++)
		ck_assert(card_rig_receive(&rig, &f));
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(a->ring[i * 64 + 47], 86);
		ck_assert_uint_eq(b->ring[i * 64 + 47], 82);
		ck_assert_uint_eq(c->ring[i * 64 + 47], 86);
		ck_assert_uint_eq(a->ring[i * 64 + 29], 0x28);
		ck_assert_uint_eq(c->ring[i * 64 + 29], 0x29);
		ck_assert_mem_eq(buffer(a, i), tagged, 86);
		ck_assert_mem_eq(buffer(b, i), plain, 82);
		ck_assert_mem_eq(buffer(c, i), plain, 82);
	}
	stop();
}
END_TEST

START_TEST(out_of_buffer)
{
	start();
	struct card_queue *q = card_rig_rq(&rig, 2);
	for (unsigned i = 0; i < 6; i++)
		ck_assert_int_eq(card_rig_packet(&rig), i < 4);
	ck_assert_uint_eq(card_stats(&rig)->lost[CQESIM_RX_OUT_OF_BUFFER], 2);
	ck_assert_uint_eq(cqesim_card_credits(rig.card), 0);
	card_rig_post(&rig, q, 1);
	ck_assert_uint_eq(cqesim_card_credits(rig.card), 1);
	ck_assert(card_rig_packet(&rig));
	uint64_t delivered, lost;
	cqesim_card_rq_stats(rig.card, q->number, &delivered, &lost);
	ck_assert_uint_eq(delivered, 5);
	ck_assert_uint_eq(lost, 2);
	unsigned drops = 0;
	for (unsigned i = 0; i < rig.events; i++)
		drops += rig.event[i].kind == CQESIM_EVENT_DROP;
	ck_assert_uint_eq(drops, 2);
	stop();
}
END_TEST

/* Occupancy is what waits when a packet comes; bursts are steps of the consumer index. */
START_TEST(occupancy_and_bursts)
{
	struct cqesim_completion c[8];

	start();
	struct card_queue *q = card_rig_rq(&rig, 3);
	ck_assert_uint_eq(card_stats(&rig)->posts, 0);
	for (unsigned i = 0; i < 5; i++) /* 0 1 2 3 4 */
		ck_assert(card_rig_packet(&rig));
	ck_assert_uint_eq(card_stats(&rig)->posts, 1);
	ck_assert_uint_eq(card_stats(&rig)->posted_wqes, 8);
	ck_assert_uint_eq(card_rig_poll(q, c, 3), 3);
	ck_assert(card_rig_packet(&rig)); /* 2 */
	ck_assert_uint_eq(card_rig_poll(q, c, 2), 2);
	cqesim_card_step(rig.card, rig.now_ps, 1);
	ck_assert_uint_eq(card_rig_poll(q, c, 8), 1);
	card_rig_post(&rig, q, 6);
	cqesim_card_step(rig.card, rig.now_ps, 1);
	ck_assert(card_rig_packet(&rig)); /* 0 */
	const struct cqesim_card_stats *s = card_stats(&rig);
	ck_assert_uint_eq(s->waiting_samples, 7);
	ck_assert_uint_eq(s->waiting_sum, 12);
	ck_assert_uint_eq(s->waiting_max, 4);
	ck_assert_uint_eq(s->consumes, 3);
	ck_assert_uint_eq(s->burst[3], 1);
	ck_assert_uint_eq(s->burst[2], 1);
	ck_assert_uint_eq(s->burst[1], 1);
	ck_assert_uint_eq(s->posts, 2);
	ck_assert_uint_eq(s->posted_wqes, 14);
	/* Two polls between looks are one. */
	ck_assert_uint_eq(card_rig_poll(q, c, 8), 1);
	ck_assert(card_rig_packet(&rig));
	ck_assert(card_rig_packet(&rig));
	ck_assert_uint_eq(card_rig_poll(q, c, 1), 1);
	ck_assert_uint_eq(card_rig_poll(q, c, 1), 1);
	cqesim_card_step(rig.card, rig.now_ps, 1);
	ck_assert_uint_eq(s->consumes, 5);
	ck_assert_uint_eq(s->burst[2], 2);
	ck_assert_uint_eq(s->violations, 0);
	stop();
}
END_TEST

/* Steps of 256 and more share the last class. */
START_TEST(long_bursts)
{
	static struct cqesim_completion c[512];

	start();
	struct card_queue *q = card_rig_rq_made(&rig, 8);
	ck_assert_int_eq(cqesim_card_modify_rq(rig.card, q->number, CQESIM_QUEUE_RDY, 0), 0);
	card_rig_post(&rig, q, 256);
	for (unsigned i = 0; i < 256; i++)
		ck_assert(card_rig_packet(&rig));
	ck_assert_uint_eq(card_rig_poll(q, c, 512), 256);
	card_rig_post(&rig, q, 256);
	for (unsigned i = 0; i < 255; i++)
		ck_assert(card_rig_packet(&rig));
	ck_assert_uint_eq(card_rig_poll(q, c, 512), 255);
	cqesim_card_step(rig.card, rig.now_ps, 1);
	ck_assert_uint_eq(card_stats(&rig)->burst[256], 1);
	ck_assert_uint_eq(card_stats(&rig)->burst[255], 1);
	stop();
}
END_TEST

/* Counters of many laps; the ring's owner bit and all indices wrap. */
START_TEST(many_laps)
{
	struct cqesim_completion c[8];

	card_rig_config(&rig);
	rig.config.event = NULL;
	card_rig_start(&rig);
	struct card_queue *q = card_rig_rq(&rig, 3);
	uint64_t got = 0;

	for (unsigned i = 0; i < 70000; i++) {
		for (unsigned k = 0; k < 1 + i % 4; k++)
			ck_assert(card_rig_packet(&rig));
		unsigned n = card_rig_poll(q, c, 8);
		if (c[0].wqe_counter != (uint16_t)got || n != 1 + i % 4)
			ck_abort_msg("round %u: %u completions, WQE %u", i, n, c[0].wqe_counter);
		got += n;
		card_rig_post(&rig, q, n);
	}
	cqesim_card_step(rig.card, rig.now_ps, 1);
	ck_assert_uint_eq(got, 175000);
	ck_assert_uint_eq(card_stats(&rig)->delivered, got);
	ck_assert_uint_eq(card_stats(&rig)->consumes, 70000);
	ck_assert_uint_eq(card_stats(&rig)->burst[3], 17500);
	ck_assert_uint_eq(card_stats(&rig)->posted_wqes, 8 + got);
	ck_assert_uint_eq(card_stats(&rig)->violations, 0);
	stop();
}
END_TEST

static unsigned notified(struct card_rig *rig, const struct card_queue *q)
{
	unsigned n = 0;

	cqesim_card_step(rig->card, ++rig->now_ps, 1);
	for (unsigned i = 0; i < rig->events; i++)
		n += rig->event[i].kind == CQESIM_EVENT_NOTIFY && rig->event[i].number == q->cqn;
	ck_assert_uint_eq(n, card_stats(rig)->notifies);
	return n;
}

/* PRM, PMD mlx5_arm_cq: sequence number in bits 28 and 29, consumer index in the lower 24. */
static void arm(struct card_queue *q, uint32_t sn, uint32_t ci)
{
	q->cq_dbrec[1] = __builtin_bswap32(sn << 28 | ci);
}

/* One event each time that the queue is armed and has something: for programs that sleep. */
START_TEST(sleepers)
{
	struct card_rig rig = {.queues = 0};
	struct cqesim_completion c[4];

	card_rig_config(&rig);
	card_rig_start(&rig);
	struct card_queue *q = card_rig_rq(&rig, 4);
	ck_assert(card_rig_packet(&rig));
	ck_assert_uint_eq(notified(&rig, q), 0); /* nobody has asked */
	ck_assert_int_eq(cqesim_card_notify_cq(rig.card, 99), -ENOENT);
	ck_assert_int_eq(cqesim_card_notify_cq(rig.card, q->cqn), 0);
	/* The first arm is a word of 0, which cannot be told from memory as it was made. */
	ck_assert_uint_eq(notified(&rig, q), 1);
	ck_assert(card_rig_packet(&rig));
	ck_assert_uint_eq(notified(&rig, q), 1); /* one for all until it is armed again */
	ck_assert_uint_eq(card_rig_poll(q, c, 4), 2);

	arm(q, 1, 2); /* all was consumed: at the next one */
	ck_assert_uint_eq(notified(&rig, q), 1);
	ck_assert(card_rig_packet(&rig));
	ck_assert_uint_eq(notified(&rig, q), 2);
	ck_assert_uint_eq(notified(&rig, q), 2);
	ck_assert(card_rig_packet(&rig));
	arm(q, 2, 3); /* one came before it was armed: at once */
	ck_assert_uint_eq(notified(&rig, q), 3);
	arm(q, 2, 3); /* the same again: it was told already */
	ck_assert_uint_eq(notified(&rig, q), 3);
	arm(q, 3, 5); /* ahead of what was written: nothing to tell before that */
	ck_assert_uint_eq(notified(&rig, q), 3);
	ck_assert(card_rig_packet(&rig));
	ck_assert_uint_eq(notified(&rig, q), 3);
	ck_assert(card_rig_packet(&rig));
	ck_assert_uint_eq(notified(&rig, q), 4);
	card_rig_stop(&rig);
}
END_TEST

/* Events come in the order of what they tell. */
START_TEST(events)
{
	struct cqesim_completion c[8];

	start();
	struct card_queue *q = card_rig_rq(&rig, 2);
	ck_assert(card_rig_packet(&rig));
	ck_assert_uint_eq(card_rig_poll(q, c, 8), 1);
	cqesim_card_step(rig.card, rig.now_ps, 1);
	static const struct {
		enum cqesim_card_event_kind kind;
		enum cqesim_card_object object;
		uint32_t index;
	} want[] = {
		{CQESIM_EVENT_CREATE, CQESIM_OBJECT_CQ, 0},
		{CQESIM_EVENT_CREATE, CQESIM_OBJECT_RQ, 0},
		{CQESIM_EVENT_MODIFY, CQESIM_OBJECT_RQ, CQESIM_QUEUE_RDY},
		{CQESIM_EVENT_POST, CQESIM_OBJECT_RQ, 4},
		{CQESIM_EVENT_PACKET, CQESIM_OBJECT_RQ, 0},
		{CQESIM_EVENT_COMPLETE, CQESIM_OBJECT_CQ, 0},
		{CQESIM_EVENT_CONSUME, CQESIM_OBJECT_CQ, 1},
	};
	ck_assert_uint_eq(rig.events, COUNT(want));
	for (unsigned i = 0; i < COUNT(want); i++) {
		ck_assert_int_eq(rig.event[i].kind, want[i].kind);
		ck_assert_int_eq(rig.event[i].object, want[i].object);
		ck_assert_uint_eq(rig.event[i].number, 1);
		ck_assert_uint_eq(rig.event[i].index, want[i].index);
	}
	stop();
}
END_TEST

void test_card_receive(Suite *s)
{
	TCase *t = tcase_create("receive");

	tcase_set_timeout(t, 60); /* many laps, on busy machines */
	tcase_add_test(t, one_packet);
	tcase_add_test(t, padding);
	tcase_add_test(t, tag_and_fcs);
	tcase_add_test(t, mixed_queues);
	tcase_add_test(t, out_of_buffer);
	tcase_add_test(t, occupancy_and_bursts);
	tcase_add_test(t, long_bursts);
	tcase_add_test(t, many_laps);
	tcase_add_test(t, events);
	tcase_add_test(t, sleepers);
	suite_add_tcase(s, t);
}
