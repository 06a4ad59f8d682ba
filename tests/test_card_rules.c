/* SPDX-License-Identifier: BSD-3-Clause */
/* card: steering rules, by hand: which TIR, which tag, what is dropped. */
#include <errno.h>
#include <string.h>

#include "test_card.h"

static struct card_rig rig;
static struct card_queue *q[3];
static uint32_t tir[3];
static uint8_t frame_bytes[256];

static void start(void)
{
	card_rig_config(&rig);
	card_rig_start(&rig);
	for (unsigned i = 0; i < COUNT(q); i++) {
		struct cqesim_card_tir t = {.direct = true};

		q[i] = card_rig_rq(&rig, 6);
		t.rqn = q[i]->number;
		ck_assert_int_eq(cqesim_card_create_tir(rig.card, &t, &tir[i]), 0);
	}
}

static void stop(void)
{
	card_rig_stop(&rig);
}

static uint32_t make(struct cqesim_card_rule rule)
{
	uint32_t number;

	ck_assert_int_eq(cqesim_card_create_rule(rig.card, &rule, &number), 0);
	return number;
}

/* It arrives; the queue it went to, or 3: lost.  *tag: in its completion. */
static unsigned where(const struct cqesim_frame *f, uint32_t *tag)
{
	struct cqesim_completion c;

	*tag = 0xffffffff;
	card_rig_receive(&rig, f);
	for (unsigned i = 0; i < COUNT(q); i++)
		if (card_rig_poll(q[i], &c, 1)) {
			*tag = c.meta.flow_tag;
			return i;
		}
	return 3;
}

static struct cqesim_frame packet(unsigned proto, uint16_t dport)
{
	return card_frame(frame_bytes, proto, 0x0a000001, 0x0a000002, 1000, dport, 20);
}

static const struct cqesim_card_match udp_value = {.ip_protocol = 17, .flags = 4 << 1};
static const struct cqesim_card_match udp_mask = {.ip_protocol = 0xff, .flags = 0x1e};

START_TEST(everything)
{
	uint32_t tag;
	struct cqesim_frame f = packet(17, 53);

	start();
	uint32_t n = make((struct cqesim_card_rule){.tirn = tir[1], .flow_tag = 0xabcdef});
	ck_assert_uint_eq(where(&f, &tag), 1);
	ck_assert_uint_eq(tag, 0xabcdef);
	ck_assert_uint_eq(card_stats(&rig)->tagged, 1);
	/* The bytes where a driver reads them: 57 to 59, 56 is zero. */
	ck_assert_mem_eq(q[1]->ring + 56, "\0\xab\xcd\xef", 4);
	/* Without rules the youngest TIR of several that fit, and no tag. */
	ck_assert_int_eq(cqesim_card_destroy_rule(rig.card, n), 0);
	ck_assert_int_eq(cqesim_card_destroy_rule(rig.card, n), -ENOENT);
	ck_assert_uint_eq(where(&f, &tag), 2);
	ck_assert_uint_eq(tag, 0);
	stop();
}
END_TEST

START_TEST(by_protocol)
{
	uint32_t tag;
	struct cqesim_frame f;

	start();
	make((struct cqesim_card_rule){.tirn = tir[0], .priority = 9});
	make((struct cqesim_card_rule){.value = udp_value,
				       .mask = udp_mask,
				       .priority = 3,
				       .tirn = tir[1],
				       .flow_tag = 5});
	f = packet(17, 53);
	ck_assert_uint_eq(where(&f, &tag), 1);
	ck_assert_uint_eq(tag, 5);
	f = packet(6, 53);
	ck_assert_uint_eq(where(&f, &tag), 0);
	ck_assert_uint_eq(tag, 0);
	/* UDP over IPv4 that is a first fragment is UDP still; the parser's class is another. */
	f = packet(17, 53);
	frame_bytes[20] = 0x20;
	ck_assert_uint_eq(where(&f, &tag), 1);
	stop();
}
END_TEST

START_TEST(by_ports_and_addresses)
{
	struct cqesim_card_rule r = {.value = udp_value, .mask = udp_mask, .tirn = tir[0]};
	uint32_t tag;
	struct cqesim_frame f = packet(17, 53);

	start();
	r.tirn = tir[0];
	r.flow_tag = 1;
	r.value.udp_dport[1] = 53;
	memset(r.mask.udp_dport, 0xff, 2);
	make(r);
	r = (struct cqesim_card_rule){.tirn = tir[1], .flow_tag = 2, .priority = 1};
	memcpy(r.value.dst_ip + 12, "\x0a\0\0\2", 4);
	memset(r.mask.dst_ip + 12, 0xff, 4);
	make(r);
	ck_assert_uint_eq(where(&f, &tag), 0);
	ck_assert_uint_eq(tag, 1);
	f = packet(17, 54);
	ck_assert_uint_eq(where(&f, &tag), 1);
	ck_assert_uint_eq(tag, 2);
	f = packet(6, 53); /* a TCP port is no UDP port */
	ck_assert_uint_eq(where(&f, &tag), 1);
	f = card_frame(frame_bytes, 6, 0x0a000001, 0x0a000003, 1000, 53, 20);
	ck_assert_uint_eq(where(&f, &tag), 3); /* meets none */
	ck_assert_uint_eq(card_stats(&rig)->no_queue, 1);
	ck_assert_uint_eq(card_stats(&rig)->ruled_out, 0);
	stop();
}
END_TEST

START_TEST(dropping)
{
	uint32_t tag;
	struct cqesim_frame f = packet(17, 53);

	start();
	/* Equal priority: the older one. */
	uint32_t n = make((struct cqesim_card_rule){
		.value = udp_value, .mask = udp_mask, .priority = 1, .drop = true});
	make((struct cqesim_card_rule){.tirn = tir[2], .priority = 1});
	ck_assert_uint_eq(where(&f, &tag), 3);
	ck_assert_uint_eq(card_stats(&rig)->no_queue, 1);
	ck_assert_uint_eq(card_stats(&rig)->ruled_out, 1);
	ck_assert_int_eq(cqesim_card_destroy_rule(rig.card, n), 0);
	ck_assert_uint_eq(where(&f, &tag), 2);
	stop();
}
END_TEST

START_TEST(refused)
{
	uint32_t number;
	struct cqesim_card_rule r = {.tirn = 99};

	start();
	ck_assert_int_eq(cqesim_card_create_rule(rig.card, &r, &number), -ENOENT);
	r.tirn = tir[0];
	r.flow_tag = 1u << 24;
	ck_assert_int_eq(cqesim_card_create_rule(rig.card, &r, &number), -EINVAL);
	r.flow_tag = 0;
	r.value.ip_protocol = 17;
	ck_assert_int_eq(cqesim_card_create_rule(rig.card, &r, &number), -EINVAL);
	r.mask.ip_protocol = 17;
	r.mask.reserved[2] = 1;
	ck_assert_int_eq(cqesim_card_create_rule(rig.card, &r, &number), -ENOTSUP);
	stop();
}
END_TEST

/* A rule holds its TIR, until it is led elsewhere. */
START_TEST(redirect)
{
	uint32_t tag;
	struct cqesim_frame f = packet(17, 53);

	start();
	make((struct cqesim_card_rule){.tirn = tir[0], .flow_tag = 7});
	ck_assert_int_eq(cqesim_card_destroy_tir(rig.card, tir[0]), -EBUSY);
	ck_assert_uint_eq(card_rig_broken(&rig, "busy"), 1);
	ck_assert_int_eq(cqesim_card_redirect_rules(rig.card, tir[0], 99), -ENOENT);
	ck_assert_int_eq(cqesim_card_redirect_rules(rig.card, tir[0], tir[1]), 0);
	ck_assert_int_eq(cqesim_card_destroy_tir(rig.card, tir[0]), 0);
	ck_assert_uint_eq(where(&f, &tag), 1);
	ck_assert_uint_eq(tag, 7);
	stop();
}
END_TEST

void test_card_rules(Suite *s)
{
	TCase *t = tcase_create("rules");

	tcase_set_timeout(t, 60); /* many laps, on busy machines */
	tcase_add_test(t, everything);
	tcase_add_test(t, by_protocol);
	tcase_add_test(t, by_ports_and_addresses);
	tcase_add_test(t, dropping);
	tcase_add_test(t, refused);
	tcase_add_test(t, redirect);
	suite_add_tcase(s, t);
}
