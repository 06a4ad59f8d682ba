/* SPDX-License-Identifier: BSD-3-Clause */
/* Mistakes that the device makes on purpose, as a reader of the ring sees them. */
#include "test_nic.h"

#define MAX 12u

/* Packets with hashes 100, 101 ... in sessions of 12, those after 24 packets with the mistake. */
static struct rig_queue *run(struct rig *rig, enum cqesim_fault fault, unsigned packets)
{
	rig_config(rig);
	rig_aggressive(rig, MAX);
	rig->config.fault = fault;
	rig->config.fault_at = 24;
	rig_start(rig);
	struct rig_queue *q = rig_add(rig, 6, 0, true, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < packets; i++)
		ck_assert_int_eq(rig_packet(rig, i, 100 + i), CQESIM_RX_DELIVERED);
	return q;
}

/* What a reader gets; wrong: how many have not the hash that was sent. */
static unsigned take(struct rig_queue *q, unsigned *wrong)
{
	struct cqesim_completion c[64];
	struct cqesim_cq_fault fault;
	int n = cqesim_cq_poll(&q->reader, c, 64, &fault);

	*wrong = 0;
	ck_assert_int_ge(n, 0);
	for (int i = 0; i < n; i++)
		*wrong += c[i].meta.rx_hash_res != 100 + (uint32_t)i;
	return (unsigned)n;
}

START_TEST(none)
{
	struct rig rig;
	unsigned wrong;
	struct rig_queue *q = run(&rig, CQESIM_FAULT_NONE, 48);

	ck_assert_uint_eq(take(q, &wrong), 48);
	ck_assert_uint_eq(wrong, 0);
	rig_stop(&rig);
}
END_TEST

/* The ring seems to end where the entry is that nobody can see. */
START_TEST(not_seen)
{
	struct rig rig;
	unsigned wrong;
	struct rig_queue *q = run(&rig, _i ? CQESIM_FAULT_OWNER : CQESIM_FAULT_LOST_COMPLETION, 48);

	ck_assert_uint_eq(take(q, &wrong), 24);
	ck_assert_uint_eq(wrong, 0);
	/* Those after it are there: entry 36, for the fourth session, is of this lap. */
	ck_assert_uint_eq(q->ring[36 * 64 + 63] & 1, 0);
	ck_assert_uint_eq(q->ring[36 * 64 + 63] >> 2 & 3, CQESIM_FORMAT_COMPRESSED);
	ck_assert_int_eq(cqesim_cq_check(&q->reader, NULL), -EBADMSG);
	rig_stop(&rig);
}
END_TEST

/* Hash and length of 12 packets change places with checksum, stride and length: hash is 0. */
START_TEST(mini_format)
{
	struct rig rig;
	unsigned wrong;
	struct rig_queue *q = run(&rig, CQESIM_FAULT_MINI_FORMAT, 48);

	ck_assert_uint_eq(take(q, &wrong), 48);
	ck_assert_uint_eq(wrong, 12);
	rig_stop(&rig);
}
END_TEST

/* Of a third session of 12, minis 8 .. 11 are as the slot was before: never written. */
START_TEST(stale)
{
	struct rig rig;
	struct cqesim_completion c[64];
	struct cqesim_cq_fault fault;
	struct rig_queue *q = run(&rig, CQESIM_FAULT_STALE_ARRAY, 48);

	ck_assert_int_eq(cqesim_cq_poll(&q->reader, c, 64, &fault), 32);
	ck_assert_int_eq(cqesim_cq_poll(&q->reader, c, 64, &fault), -EBADMSG);
	ck_assert_int_eq(fault.kind, CQESIM_CQ_FAULT_MINI_LENGTH);
	ck_assert_uint_eq(fault.index, 24);
	ck_assert_uint_eq(fault.mini, 8);
	rig_stop(&rig);
}
END_TEST

/* When all is written nothing is to be seen of it: what was read before is another matter. */
START_TEST(early)
{
	struct rig rig;
	unsigned wrong;
	struct rig_queue *q = run(&rig, CQESIM_FAULT_EARLY_TITLE, 48);

	ck_assert_uint_eq(take(q, &wrong), 48);
	ck_assert_uint_eq(wrong, 0);
	rig_stop(&rig);
}
END_TEST

struct early {
	struct rig_queue *queue;
	unsigned times;
};

/* The third session's title is there, and of its minis the first has no length yet. */
static void look(void *context)
{
	struct early *e = context;
	struct cqesim_cq_reader reader = e->queue->reader;
	struct cqesim_completion c[64];
	struct cqesim_cq_fault fault;

	e->times++;
	ck_assert_int_eq(cqesim_cq_poll(&reader, c, 64, &fault), 24);
	ck_assert_int_eq(cqesim_cq_poll(&reader, c, 64, &fault), -EBADMSG);
	ck_assert_int_eq(fault.kind, CQESIM_CQ_FAULT_MINI_LENGTH);
	ck_assert_uint_eq(fault.index, 24);
	ck_assert_uint_eq(fault.mini, 0);
}

START_TEST(meanwhile)
{
	struct rig rig;
	struct early e = {0};

	rig_config(&rig);
	rig_aggressive(&rig, MAX);
	rig.config.fault = CQESIM_FAULT_EARLY_TITLE;
	rig.config.fault_at = 24;
	rig.config.fault_early = look;
	rig.config.fault_early_context = &e;
	rig_start(&rig);
	e.queue = rig_add(&rig, 6, 0, true, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 48; i++)
		ck_assert_int_eq(rig_packet(&rig, i, 100 + i), CQESIM_RX_DELIVERED);
	ck_assert_uint_eq(e.times, 1);
	rig_stop(&rig);
}
END_TEST

START_TEST(names)
{
	ck_assert_str_eq(cqesim_fault_name(CQESIM_FAULT_NONE), "none");
	ck_assert_str_eq(cqesim_fault_name(CQESIM_FAULT_EARLY_TITLE), "early_title");
	ck_assert_str_eq(cqesim_fault_name(CQESIM_FAULTS), "unknown");
}
END_TEST

void test_nic_fault(Suite *s)
{
	TCase *t = tcase_create("faults on purpose");

	tcase_add_test(t, none);
	tcase_add_loop_test(t, not_seen, 0, 2);
	tcase_add_test(t, mini_format);
	tcase_add_test(t, stale);
	tcase_add_test(t, early);
	tcase_add_test(t, meanwhile);
	tcase_add_test(t, names);
	suite_add_tcase(s, t);
}
