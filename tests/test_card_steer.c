/* SPDX-License-Identifier: BSD-3-Clause */
/* card: which queue a frame goes to. */
#include <errno.h>
#include <string.h>

#include "test_card.h"

static struct card_rig rig;
static struct card_queue *q[4];
static uint8_t key[CQESIM_RSS_KEY_BYTES];

/* Vectors of Microsoft's "Verifying the RSS Hash Calculation", IPv4. */
static const struct {
	uint32_t src, dst;
	uint16_t sport, dport;
	uint32_t addresses, tcp;
	unsigned addresses_3, tcp_3; /* these mod 3, by hand */
} vector[] = {
	{0x420995bb, 0xa18e6450, 2794, 1766, 0x323e8fc2, 0x51ccc178, 2, 1},
	{0xc75c6f02, 0x41458c53, 14230, 4739, 0xd718262a, 0xc626b0ea, 1, 1},
	{0x1813c65f, 0x0c16cfb8, 12898, 38024, 0xd2d0a5de, 0x5c2b394a, 1, 2},
	{0x261bcd1e, 0xd18ea306, 48228, 2217, 0x82989176, 0xafc7327f, 2, 2},
	{0x9927a3bf, 0xcabc7f02, 44251, 1303, 0x5d1809c5, 0x10e828a2, 2, 0},
};

static void start(void)
{
	card_rig_config(&rig);
	card_rig_start(&rig);
	ck_assert_int_eq(cqesim_rss_key_parse("microsoft", key, NULL), 0);
	for (unsigned i = 0; i < 4; i++)
		q[i] = card_rig_rq(&rig, 6);
}

static void stop(void)
{
	card_rig_stop(&rig);
}

static uint32_t make_rqt(unsigned n)
{
	uint32_t rqn[4], rqtn;

	for (unsigned i = 0; i < n; i++)
		rqn[i] = q[i]->number;
	ck_assert_int_eq(cqesim_card_create_rqt(rig.card, rqn, n, &rqtn), 0);
	return rqtn;
}

static uint32_t make_tir(struct cqesim_card_tir tir)
{
	uint32_t tirn;

	memcpy(tir.key, key, sizeof(key));
	ck_assert_int_eq(cqesim_card_create_tir(rig.card, &tir, &tirn), 0);
	return tirn;
}

/* It arrives; the queue it went to, or 4: lost.  *c: its completion. */
static unsigned where(const struct cqesim_frame *f, struct cqesim_completion *c)
{
	card_rig_receive(&rig, f);
	for (unsigned i = 0; i < 4; i++)
		if (card_rig_poll(q[i], c, 1)) {
			card_rig_post(&rig, q[i], 1);
			return i;
		}
	return 4;
}

static struct cqesim_frame arp(uint8_t *buf)
{
	memset(buf, 0, 60);
	memcpy(buf, "\xff\xff\xff\xff\xff\xff\x02\0\0\0\0\x02\x08\x06", 14);
	return (struct cqesim_frame){.data = buf, .cap_len = 60, .orig_len = 60, .len = 60};
}

START_TEST(without_tir_in_turn)
{
	struct cqesim_completion c;
	uint8_t buf[64];
	struct cqesim_frame f = arp(buf);
	unsigned count[5] = {0};

	start();
	for (unsigned i = 0; i < 12; i++)
		count[where(&f, &c)]++;
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(count[i], 3);
	/* Queues that are not ready are passed over; so are those that have gone. */
	ck_assert_int_eq(cqesim_card_modify_rq(rig.card, q[1]->number, CQESIM_QUEUE_RST, 0), 0);
	ck_assert_int_eq(cqesim_card_destroy_rq(rig.card, q[2]->number), 0);
	for (unsigned i = 0; i < 12; i++)
		count[where(&f, &c)]++;
	ck_assert_uint_eq(count[0], 9);
	ck_assert_uint_eq(count[1], 3);
	ck_assert_uint_eq(count[2], 3);
	ck_assert_uint_eq(count[3], 9);
	ck_assert_uint_eq(count[4], 0);
	stop();
}
END_TEST

START_TEST(vectors)
{
	struct cqesim_completion c;
	uint8_t buf[128];

	start();
	uint32_t rqt = make_rqt(3);
	make_tir((struct cqesim_card_tir){.direct = true, .rqn = q[3]->number});
	make_tir((struct cqesim_card_tir){.rqtn = rqt, .ipv4 = true, .addresses = true});
	make_tir((struct cqesim_card_tir){
		.rqtn = rqt, .ipv4 = true, .tcp = true, .addresses = true, .ports = true});
	for (unsigned i = 0; i < COUNT(vector); i++) {
		struct cqesim_frame f = card_frame(buf, 6, vector[i].src, vector[i].dst,
						   vector[i].sport, vector[i].dport, 4);

		ck_assert_uint_eq(where(&f, &c), vector[i].tcp_3);
		ck_assert_uint_eq(c.meta.rx_hash_res, vector[i].tcp);
		ck_assert_uint_eq(c.meta.rx_hash_type, 0x44); /* IPv4, TCP */
		/* No TIR for UDP: that for IPv4. */
		f = card_frame(buf, 17, vector[i].src, vector[i].dst, 9, 9, 30);
		ck_assert_uint_eq(where(&f, &c), vector[i].addresses_3);
		ck_assert_uint_eq(c.meta.rx_hash_res, vector[i].addresses);
		ck_assert_uint_eq(c.meta.rx_hash_type, 0x04);
		/* A fragment of TCP is for IPv4 too. */
		f = card_frame(buf, 6, vector[i].src, vector[i].dst, 9, 9, 30);
		buf[14 + 6] = 0x20;
		ck_assert_uint_eq(where(&f, &c), vector[i].addresses_3);
		f = arp(buf);
		ck_assert_uint_eq(where(&f, &c), 3);
		ck_assert_uint_eq(c.meta.rx_hash_type, 0);
	}
	ck_assert_uint_eq(card_stats(&rig)->violations, 0);
	stop();
}
END_TEST

START_TEST(nobody_fits)
{
	struct cqesim_completion c;
	uint8_t buf[128];
	struct cqesim_frame f = arp(buf);

	start();
	uint32_t rqt = make_rqt(2);
	uint32_t tir = make_tir((struct cqesim_card_tir){
		.rqtn = rqt, .ipv6 = true, .udp = true, .addresses = true});
	ck_assert_uint_eq(where(&f, &c), 4);
	f = card_frame(buf, 17, 1, 2, 3, 4, 30);
	ck_assert_uint_eq(where(&f, &c), 4);
	ck_assert_uint_eq(card_stats(&rig)->no_queue, 2);
	ck_assert_int_eq(cqesim_card_destroy_tir(rig.card, tir), 0);
	/* Where frames were steered once they are not dealt in turn: no TIR, no packets. */
	ck_assert_uint_eq(where(&f, &c), 4);
	ck_assert_uint_eq(card_stats(&rig)->no_queue, 3);
	stop();
}
END_TEST

/* A kept frame is parsed once; another hash function is asked anew, and so is another key. */
START_TEST(kept_frames)
{
	struct cqesim_completion c;
	uint8_t buf[128];
	struct cqesim_frame f = card_frame(buf, 17, 1, 2, 3, 4, 30);

	start();
	make_tir((struct cqesim_card_tir){.direct = true, .rqn = q[0]->number, .addresses = true});
	ck_assert_uint_eq(where(&f, &c), 0);
	uint32_t addresses = c.meta.rx_hash_res;
	f.kept = 3;
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_eq(where(&f, &c), 0);
		ck_assert_uint_eq(c.meta.rx_hash_res, addresses);
	}
	make_tir((struct cqesim_card_tir){
		.direct = true, .rqn = q[1]->number, .addresses = true, .ports = true});
	ck_assert_uint_eq(where(&f, &c), 1);
	uint32_t ports = c.meta.rx_hash_res;
	ck_assert_uint_ne(ports, addresses);
	f.kept = 0;
	ck_assert_uint_eq(where(&f, &c), 1);
	ck_assert_uint_eq(c.meta.rx_hash_res, ports);
	stop();
}
END_TEST

/* A source that waits: nothing is lost, and the frames after the one that waits do too. */
START_TEST(waits_for_its_queue)
{
	uint8_t buf[128];
	struct cqesim_frame one = card_frame(buf, 17, 1, 2, 3, 4, 30), f[64];

	start();
	make_tir((struct cqesim_card_tir){.direct = true, .rqn = q[1]->number});
	ck_assert(cqesim_card_is_steered(rig.card));
	for (unsigned i = 0; i < 64; i++)
		f[i] = one;
	uint64_t taken = 0;
	unsigned n;
	for (unsigned i = 0; i < 100 && (n = cqesim_card_receive_posted(rig.card, 0, f, 64)); i++)
		taken += n;
	ck_assert_uint_eq(n, 0);
	ck_assert_uint_gt(taken, 0);
	ck_assert_uint_eq(card_stats(&rig)->arrived, taken);
	ck_assert_uint_eq(card_stats(&rig)->delivered, taken);
	ck_assert_uint_eq(card_stats(&rig)->lost[CQESIM_RX_OUT_OF_BUFFER], 0);
	/* The others have buffers still: the sum of credits says nothing. */
	ck_assert_uint_gt(cqesim_card_credits(rig.card), 0);
	stop();
}
END_TEST

/* Of two that fit as well the later one; when it goes, the other again. */
START_TEST(latest)
{
	struct cqesim_completion c;
	uint8_t buf[128];
	struct cqesim_frame f = card_frame(buf, 17, 1, 2, 3, 4, 30);

	start();
	make_tir((struct cqesim_card_tir){.direct = true, .rqn = q[2]->number});
	ck_assert_uint_eq(where(&f, &c), 2);
	uint32_t tir = make_tir((struct cqesim_card_tir){.direct = true, .rqn = q[1]->number});
	ck_assert_uint_eq(where(&f, &c), 1);
	ck_assert_int_eq(cqesim_card_destroy_tir(rig.card, tir), 0);
	ck_assert_uint_eq(where(&f, &c), 2);
	stop();
}
END_TEST

/* PMD makes a TIR for its drop queue, which is ready and has no buffers. */
START_TEST(drop_queue)
{
	struct cqesim_completion c;
	uint8_t buf[128];
	struct cqesim_frame f = card_frame(buf, 17, 1, 2, 3, 4, 30);

	start();
	struct card_queue *drop = card_rig_rq_made(&rig, 0);
	ck_assert_int_eq(cqesim_card_modify_rq(rig.card, drop->number, CQESIM_QUEUE_RDY, 0), 0);
	uint32_t rqtn;
	ck_assert_int_eq(cqesim_card_create_rqt(rig.card, &drop->number, 1, &rqtn), 0);
	make_tir((struct cqesim_card_tir){.rqtn = rqtn});
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_lt(where(&f, &c), 4);
	/* It counts once it is one that receives. */
	card_rig_post(&rig, drop, 1);
	ck_assert_uint_eq(where(&f, &c), 4);
	ck_assert_uint_eq(card_rig_poll(drop, &c, 1), 1);
	stop();
}
END_TEST

START_TEST(table_is_changed)
{
	struct cqesim_completion c;
	uint8_t buf[128];
	struct cqesim_frame f = card_frame(buf, 6, vector[0].src, vector[0].dst, 2794, 1766, 4);

	start();
	uint32_t rqt = make_rqt(3);
	make_tir((struct cqesim_card_tir){.rqtn = rqt, .addresses = true, .ports = true});
	ck_assert_uint_eq(where(&f, &c), 1);
	const uint32_t other[3] = {q[0]->number, q[3]->number, q[0]->number};
	ck_assert_int_eq(cqesim_card_modify_rqt(rig.card, rqt, other, 3), 0);
	ck_assert_uint_eq(where(&f, &c), 3);
	/* 0x51ccc178 is even. */
	ck_assert_int_eq(cqesim_card_modify_rqt(rig.card, rqt, other, 2), 0);
	ck_assert_uint_eq(where(&f, &c), 0);
	/* A queue of the table that is not ready loses its share. */
	ck_assert_int_eq(cqesim_card_modify_rq(rig.card, q[0]->number, CQESIM_QUEUE_RST, 0), 0);
	ck_assert_uint_eq(where(&f, &c), 4);
	ck_assert_uint_eq(card_stats(&rig)->lost[CQESIM_RX_NOT_READY], 1);
	stop();
}
END_TEST

START_TEST(symmetric)
{
	struct cqesim_completion there, back;
	uint8_t buf[128];

	start();
	uint32_t rqt = make_rqt(4);
	make_tir((struct cqesim_card_tir){
		.rqtn = rqt, .addresses = true, .ports = true, .symmetric = true});
	for (unsigned i = 0; i < COUNT(vector); i++) {
		struct cqesim_frame f = card_frame(buf, 17, vector[i].src, vector[i].dst,
						   vector[i].sport, vector[i].dport, 30);
		unsigned to = where(&f, &there);

		f = card_frame(buf, 17, vector[i].dst, vector[i].src, vector[i].dport,
			       vector[i].sport, 30);
		ck_assert_uint_eq(where(&f, &back), to);
		ck_assert_uint_eq(there.meta.rx_hash_res, back.meta.rx_hash_res);
		ck_assert_uint_eq(there.meta.rx_hash_res & 3, to);
	}
	stop();
}
END_TEST

/* Many in one call, of several kinds: each goes where it would alone. */
START_TEST(batches)
{
	static uint8_t buf[100][128];
	struct cqesim_frame f[100];
	struct cqesim_completion c[64];
	unsigned want[4] = {0};

	start();
	uint32_t rqt = make_rqt(3);
	make_tir((struct cqesim_card_tir){.direct = true, .rqn = q[3]->number});
	make_tir((struct cqesim_card_tir){
		.rqtn = rqt, .ipv4 = true, .addresses = true, .ports = true});
	key[0] ^= 1;
	make_tir((struct cqesim_card_tir){.rqtn = rqt, .ipv4 = true, .udp = true});
	for (unsigned i = 0; i < 100; i++) {
		unsigned v = i % COUNT(vector);

		if (i % 3 == 0) {
			f[i] = arp(buf[i]);
			want[3]++;
		} else if (i % 3 == 1) {
			f[i] = card_frame(buf[i], 6, vector[v].src, vector[v].dst, vector[v].sport,
					  vector[v].dport, 4);
			want[vector[v].tcp_3]++;
		} else { /* not hashed: the first entry */
			f[i] = card_frame(buf[i], 17, vector[v].src, vector[v].dst, 1, 2, 30);
			want[0]++;
		}
	}
	ck_assert_uint_eq(cqesim_card_receive(rig.card, 1, f, 100), 100);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(card_rig_poll(q[i], c, 64), want[i]);
	stop();
}
END_TEST

void test_card_steer(Suite *s)
{
	TCase *t = tcase_create("steer");

	tcase_set_timeout(t, 60); /* many laps, on busy machines */
	tcase_add_test(t, without_tir_in_turn);
	tcase_add_test(t, vectors);
	tcase_add_test(t, nobody_fits);
	tcase_add_test(t, kept_frames);
	tcase_add_test(t, waits_for_its_queue);
	tcase_add_test(t, latest);
	tcase_add_test(t, drop_queue);
	tcase_add_test(t, table_is_changed);
	tcase_add_test(t, symmetric);
	tcase_add_test(t, batches);
	suite_add_tcase(s, t);
}
