/* SPDX-License-Identifier: BSD-3-Clause */
/* card: large sends cut into segments, and checksums that were left to the card. */
#include <string.h>

#include "test_card.h"

#define TSO    0x0e
#define SEND   0x0a
#define HEADER 54u /* Ethernet, IPv4, TCP */

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

static uint32_t sum(const uint8_t *p, uint32_t n, uint32_t from)
{
	for (uint32_t i = 0; i < n; i++)
		from += i & 1 ? p[i] : (uint32_t)p[i] << 8;
	while (from >> 16)
		from = (from & 0xffff) + (from >> 16);
	return from;
}

/* Headers of `headers` bytes in the WQE, the rest of the frame read. */
static void post(struct card_queue *q, unsigned opcode, const struct cqesim_frame *f,
		 uint32_t headers, uint16_t mss)
{
	uint8_t *rest = card_rig_memory(&rig, f->cap_len);
	uint32_t eth = (14 + headers + 15) / 16 * 16, units = (16 + eth) / 16 + 1;

	memcpy(rest, f->data + headers, f->cap_len - headers);
	card_wqe_control(q, opcode, units, true);
	uint8_t *wqe = card_wqe_at(q, q->pi);
	memset(wqe + 64, 0, 128);
	cqesim_be_store(wqe + 22, 2, mss);
	cqesim_be_store(wqe + 28, 2, headers);
	memcpy(wqe + 30, f->data, headers);
	card_data_segment(wqe + 16 + eth, f->cap_len - headers, CARD_KEY,
			  card_rig_address(&rig, rest));
	card_post_sq(q, (units + 3) / 4);
}

/* 250 bytes by 100. */
START_TEST(three_segments)
{
	uint8_t buf[512];
	struct cqesim_frame f = card_frame(buf, 6, 0x0a000001, 0x0a000002, 1000, 80, 250);
	static const uint32_t payload[] = {100, 100, 50};
	static const uint8_t flags[] = {0x90, 0x10, 0x19}; /* CWR first; PSH, FIN last */

	start();
	struct card_queue *q = card_rig_sq(&rig, 3, 2);
	cqesim_be_store(buf + 18, 2, 0xfffe);     /* identification */
	cqesim_be_store(buf + 38, 4, 0xffffff9c); /* sequence number: -100 */
	buf[47] = 0x99;                           /* CWR, ACK, PSH, FIN */
	post(q, TSO, &f, HEADER, 100);
	ck_assert_uint_eq(cqesim_card_step(rig.card, 1, 10), 3);
	static const uint16_t id[] = {0xfffe, 0xffff, 0};
	static const uint32_t seq[] = {0xffffff9c, 0, 100};
	for (unsigned i = 0; i < 3; i++) {
		const uint8_t *d = rig.sent[i].data;

		ck_assert_uint_eq(rig.sent[i].length, HEADER + payload[i]);
		ck_assert_mem_eq(d, buf, 16);
		ck_assert_uint_eq(cqesim_be_load(d + 16, 2), 40 + payload[i]);
		ck_assert_uint_eq(cqesim_be_load(d + 18, 2), id[i]);
		ck_assert_uint_eq(cqesim_be_load(d + 38, 4), seq[i]);
		ck_assert_uint_eq(d[47], flags[i]);
		ck_assert_uint_eq(sum(d + 14, 20, 0), 0xffff);
		ck_assert_uint_eq(sum(d + 34, 20 + payload[i], sum(d + 26, 8, 6 + 20 + payload[i])),
				  0xffff);
		ck_assert_mem_eq(d + HEADER, buf + HEADER + 100 * i, payload[i]);
	}
	ck_assert_uint_eq(q->ring[63], 0);
	ck_assert_uint_eq(q->ring[56], TSO);
	ck_assert_uint_eq(q->ring[64 + 63], 0xf1);
	const struct cqesim_card_stats *s = card_stats(&rig);
	ck_assert_uint_eq(s->send_kinds[CQESIM_SEND_TSO], 3);
	ck_assert_uint_eq(s->sent_bytes, 3 * HEADER + 250);
	ck_assert_uint_eq(s->send_wqes, 1);
	ck_assert_uint_eq(s->violations, 0);
	const struct cqesim_tlps *t = cqesim_card_nic_stats(rig.card)->traffic;
	ck_assert_uint_eq(t[CQESIM_TRAFFIC_TX_DATA_COMPLETION].payload, 250);
	stop();
}
END_TEST

/* One segment after the other, as there is room; and a payload that is a multiple. */
START_TEST(in_parts)
{
	uint8_t buf[512];
	struct cqesim_frame f = card_frame(buf, 6, 1, 2, 1000, 80, 200);

	start();
	struct card_queue *q = card_rig_sq(&rig, 3, 2);
	post(q, TSO, &f, HEADER, 100);
	ck_assert_uint_eq(cqesim_card_step(rig.card, 1, 1), 1);
	rig.refuse_after = 1;
	ck_assert_uint_eq(cqesim_card_step(rig.card, 2, 9), 0);
	rig.refuse_after = 0;
	ck_assert_uint_eq(cqesim_card_step(rig.card, 3, 9), 1);
	ck_assert_uint_eq(rig.sents, 2);
	ck_assert_mem_eq(rig.sent[0].data + HEADER, buf + HEADER, 100);
	ck_assert_mem_eq(rig.sent[1].data + HEADER, buf + HEADER + 100, 100);
	ck_assert_uint_eq(q->ring[63], 0);
	stop();
}
END_TEST

START_TEST(ipv6)
{
	uint8_t buf[512] = {0};
	struct cqesim_frame f = {.data = buf, .cap_len = 274, .orig_len = 274, .len = 274};

	start();
	struct card_queue *q = card_rig_sq(&rig, 3, 2);
	buf[12] = 0x86;
	buf[13] = 0xdd;
	buf[14] = 0x60;
	cqesim_be_store(buf + 18, 2, 220); /* TCP of 20, 200 of payload */
	buf[20] = 6;
	buf[23] = buf[38] = 0x11;
	buf[54 + 12] = 0x50;
	for (unsigned i = 74; i < 274; i++)
		buf[i] = (uint8_t)i;
	post(q, TSO, &f, 74, 150);
	ck_assert_uint_eq(cqesim_card_step(rig.card, 1, 10), 2);
	static const uint32_t payload[] = {150, 50};
	for (unsigned i = 0; i < 2; i++) {
		const uint8_t *d = rig.sent[i].data;
		uint32_t tcp = 20 + payload[i];

		ck_assert_uint_eq(rig.sent[i].length, 54 + tcp);
		ck_assert_uint_eq(cqesim_be_load(d + 18, 2), tcp);
		ck_assert_uint_eq(sum(d + 54, tcp, sum(d + 22, 32, 6 + tcp)), 0xffff);
		ck_assert_mem_eq(d + 74, buf + 74 + 150 * i, payload[i]);
	}
	stop();
}
END_TEST

/* What is not TCP goes out as it is. */
START_TEST(uncut)
{
	uint8_t buf[512];
	struct cqesim_frame f = card_frame(buf, 17, 1, 2, 1000, 80, 250);

	start();
	struct card_queue *q = card_rig_sq(&rig, 3, 2);
	post(q, TSO, &f, 42, 100);
	ck_assert_uint_eq(cqesim_card_step(rig.card, 1, 10), 1);
	ck_assert_uint_eq(rig.sent[0].length, 292);
	ck_assert_mem_eq(rig.sent[0].data, buf, 292);
	ck_assert_uint_eq(q->ring[63], 0);
	/* Without MSS it is no WQE. */
	post(q, TSO, &f, 42, 0);
	ck_assert_uint_eq(cqesim_card_step(rig.card, 1, 10), 0);
	ck_assert_uint_eq(q->ring[64 + 63], 0xd0);
	ck_assert_uint_eq(q->ring[64 + 55], 2);
	stop();
}
END_TEST

/* The copy has the checksums that were asked for, and no others. */
START_TEST(checksums)
{
	uint8_t buf[128], right[128], to[128];

	for (unsigned proto = 6; proto <= 17; proto += 11) {
		struct cqesim_frame f = card_frame(right, proto, 0x0a000001, 0x0a000002, 7, 8, 33);
		unsigned at = 34 + (proto == 6 ? 16 : 6);
		struct cqesim_sent_frame s = {.length = f.cap_len, .pieces = 2};

		memcpy(buf, right, f.cap_len);
		memset(buf + 24, 0x11, 2);
		memset(buf + at, 0x22, 2);
		s.piece[0].data = buf;
		s.piece[0].length = 31;
		s.piece[1].data = buf + 31;
		s.piece[1].length = f.cap_len - 31;
		ck_assert_uint_eq(cqesim_sent_frame_copy(&s, to, f.cap_len - 1), 0);
		ck_assert_uint_eq(cqesim_sent_frame_copy(&s, to, f.cap_len), f.cap_len);
		ck_assert_mem_eq(to, buf, f.cap_len);
		s.l3_checksum = true;
		ck_assert_uint_eq(cqesim_sent_frame_copy(&s, to, sizeof(to)), f.cap_len);
		ck_assert_mem_eq(to + 24, right + 24, 2);
		ck_assert_mem_eq(to + at, buf + at, 2);
		s.l4_checksum = true;
		ck_assert_uint_eq(cqesim_sent_frame_copy(&s, to, sizeof(to)), f.cap_len);
		ck_assert_mem_eq(to, right, f.cap_len);
	}
}
END_TEST

/* UDP tells a sum of 0 as ffff (RFC 768). */
START_TEST(udp_zero)
{
	uint8_t buf[64], to[64];
	struct cqesim_frame f = card_frame(buf, 17, 1, 2, 0, 0, 2);

	/* Two bytes of payload that make the sum ffff. */
	cqesim_be_store(buf + 42, 2, 0);
	cqesim_be_store(buf + 40, 2, 0);
	cqesim_be_store(buf + 42, 2, (uint16_t)~sum(buf + 34, 10, sum(buf + 26, 8, 17 + 10)));
	struct cqesim_sent_frame s = {.length = f.cap_len, .pieces = 1, .l4_checksum = true};
	s.piece[0].data = buf;
	s.piece[0].length = f.cap_len;
	ck_assert_uint_eq(cqesim_sent_frame_copy(&s, to, sizeof(to)), f.cap_len);
	ck_assert_uint_eq(cqesim_be_load(to + 40, 2), 0xffff);
}
END_TEST

void test_card_tso(Suite *s)
{
	TCase *t = tcase_create("tso");

	tcase_set_timeout(t, 60); /* many laps, on busy machines */
	tcase_add_test(t, three_segments);
	tcase_add_test(t, in_parts);
	tcase_add_test(t, ipv6);
	tcase_add_test(t, uncut);
	tcase_add_test(t, checksums);
	tcase_add_test(t, udp_zero);
	suite_add_tcase(s, t);
}
