/* SPDX-License-Identifier: BSD-3-Clause */
/* pcie: the link as a server in time, and what tags and credits allow. */
#include <errno.h>
#include <stdlib.h>

#include "cqesim/pcie.h"
#include "test_pcie.h"

#define SECOND 1e12

static struct cqesim_link_server server;
static struct cqesim_link_loan *loan;

static void start(const struct cqesim_link *link, struct cqesim_link_latency latency)
{
	uint32_t n = cqesim_link_server_loans(&latency);

	free(loan);
	loan = n ? calloc(n, sizeof(*loan)) : NULL;
	ck_assert_int_eq(cqesim_link_server_init(&server, link, &latency, loan), 0);
}

static void finish(void)
{
	free(loan);
	loan = NULL;
}

static uint64_t write_at(const struct cqesim_link *link, uint64_t ready_ps, uint32_t length)
{
	struct cqesim_tlps t = cqesim_link_write(link, 0, length);

	return cqesim_link_server_write(&server, ready_ps, &t);
}

static uint64_t read_at(const struct cqesim_link *link, uint64_t ready_ps, uint32_t length)
{
	struct cqesim_tlps request, completion;

	cqesim_link_read(link, 0, length, &request, &completion);
	return cqesim_link_server_read(&server, ready_ps, &request, &completion);
}

/* Gen6 x16 at efficiency 1: 118 bytes a nanosecond; 80 B + 76 B. */
START_TEST(one_after_the_other)
{
	struct cqesim_link l = make(base(6, 16, 256));

	start(&l, (struct cqesim_link_latency){0});
	ck_assert_uint_eq(write_at(&l, 1000, 64), 1000 + 678); /* 80 / 118 ns = 677.97 ps */
	ck_assert_uint_eq(cqesim_link_server_backlog(&server, 1000), 677);
	ck_assert_uint_eq(write_at(&l, 1000, 60), 1000 + 1323); /* behind it: 156 / 118 = 1322.03 */
	ck_assert_uint_eq(write_at(&l, 5000, 60), 5000 + 645);  /* idle in between: 644.07 */
	ck_assert_uint_eq(server.up.bytes, 80 + 76 + 76);
	ck_assert_uint_eq(server.down.bytes, 0);
}
END_TEST

/* A read alone comes back after the round trip, its completions included. */
START_TEST(round_trip)
{
	struct cqesim_link l = make(base(3, 16, 256));

	start(&l, (struct cqesim_link_latency){.rtt_ps = 600000});
	uint64_t back = read_at(&l, 7000, 64);
	ck_assert_uint_ge(back, 607000);
	ck_assert_uint_le(back, 607001);
	/*
	 * Longer than the round trip: the link's own time counts.  8 requests of 512, four
	 * completions of 128 + 20 each; the Acks of all requests but the first, which was idle
	 * time, are in between.
	 */
	l = make(base(1, 1, 128));
	start(&l, (struct cqesim_link_latency){.rtt_ps = 600000});
	double bytes = 24 + 8 * 4 * 148 + 7 * 8;
	ck_assert_double_eq_tol((double)read_at(&l, 0, 4096), bytes / cqesim_link_rate(&l) * SECOND,
				10);
}
END_TEST

/* 64-byte frames with plain CQEs, four WQEs a fetch: the formula's 180 B up, 55 B down. */
START_TEST(saturated_receive)
{
	struct cqesim_link l = make(base(3, 16, 256));
	const unsigned packets = 1000000;
	uint64_t done = 0;

	start(&l, (struct cqesim_link_latency){.rtt_ps = 600000});
	for (unsigned i = 0; i < packets; i++) {
		if (i % 4 == 0)
			read_at(&l, 0, 64);
		write_at(&l, 0, 60);
		done = write_at(&l, 0, 64);
	}
	double pps = packets / ((double)done / SECOND);
	ck_assert_double_eq_tol(pps, 87285460.87, 87285460.87 * 1e-3);
	ck_assert_double_eq_tol((double)server.up.bytes / packets, 180, 0.01);
	/* 21 B of completions; the DLLPs of the last TLPs are still owed. */
	ck_assert_double_eq_tol((double)server.down.bytes / packets, 55, 0.06);
}
END_TEST

/* Reads without a limit on tags end at the bytes of the way down. */
START_TEST(saturated_reads)
{
	struct cqesim_link l = make(base(3, 8, 256));
	const unsigned reads = 200000;
	uint64_t done = 0;

	start(&l, (struct cqesim_link_latency){.rtt_ps = 600000});
	for (unsigned i = 0; i < reads; i++)
		done = read_at(&l, 0, 512);
	/* Two completions of 20 + 256 and an Ack for the request. */
	double formula = cqesim_link_rate(&l) / (2 * 276 + 8);
	ck_assert_double_eq_tol(reads / ((double)done / SECOND), formula, formula * 1e-3);
}
END_TEST

START_TEST(tags_bound_reads)
{
	struct cqesim_link l = make(base(3, 16, 256));
	struct cqesim_link_latency latency = {.rtt_ps = 557000, .tags = 35};
	const unsigned reads = 200000;
	uint64_t done = 0;

	/* 35 / 557 ns = 62.8 M/s; pcie-bench measured 63.6 M/s of 64 B at 557 ns. */
	ck_assert_double_eq_tol(cqesim_link_reads_max(&latency), 35 / 557e-9, 1);
	start(&l, latency);
	for (unsigned i = 0; i < reads; i++)
		done = read_at(&l, 0, 64);
	ck_assert_double_eq_tol(reads / ((double)done / SECOND), 35 / 557e-9, 35 / 557e-9 * 1e-3);
	ck_assert_uint_gt(server.tags.stalled_ps, 0);
}
END_TEST

/*
 * A read that waits for a tag holds up no write: Gen6 x16 serves 118 bytes a nanosecond; two
 * requests of 16, then a write of 80.  One tag: the second read goes when the first is answered,
 * a microsecond after it went, and so is answered after two.
 */
START_TEST(writes_pass_reads_that_wait)
{
	struct cqesim_link l = make(base(6, 16, 256));

	start(&l, (struct cqesim_link_latency){.rtt_ps = 1000000, .tags = 1});
	uint64_t first = read_at(&l, 0, 64);
	ck_assert_uint_ge(first, 1000000);
	ck_assert_uint_le(first, 1000001);
	ck_assert_uint_eq(cqesim_link_server_read_ps(&server, 0), first);
	uint64_t second = read_at(&l, 0, 64);
	ck_assert_uint_ge(second, 2000000);
	ck_assert_uint_le(second, 2000002);
	ck_assert_uint_eq(server.asked_ps, first);
	/* Both requests and the write itself; flits carry the Acks. */
	ck_assert_uint_le(write_at(&l, 0, 64), 112 * 1000 / 118 + 1);
	/* It waited from its turn, behind the first request, on. */
	ck_assert_uint_eq(server.tags.stalled_ps, first - 16 * 1000 / 118);
}
END_TEST

static void posted(struct cqesim_link_latency latency, uint32_t length, double formula)
{
	struct cqesim_link l = make(base(5, 16, 256));
	const unsigned writes = 200000;
	uint64_t done = 0;
	struct cqesim_tlps t = cqesim_link_write(&l, 0, length);
	double each = (double)t.credits / (double)t.count;

	ck_assert_double_eq_tol(cqesim_link_posted_max(&latency, each), formula, formula * 1e-9);
	start(&l, latency);
	for (unsigned i = 0; i < writes; i++)
		done = write_at(&l, 0, length);
	double tlps = (double)writes * (double)t.count;
	ck_assert_double_eq_tol(tlps / ((double)done / SECOND), formula, formula * 1e-3);
	ck_assert_uint_gt(server.posted.stalled_ps, 0);
}

START_TEST(credits_bound_writes)
{
	/* 32 TLPs in 500 ns. */
	posted((struct cqesim_link_latency){.credit_return_ps = 500000, .posted_headers = 32}, 64,
	       64e6);
	/* 128 data credits, four a write: 32 as well. */
	posted((struct cqesim_link_latency){.credit_return_ps = 500000, .posted_data = 128}, 64,
	       64e6);
	/* Both: the headers end first, then the data. */
	posted((struct cqesim_link_latency){.credit_return_ps = 500000,
					    .posted_headers = 16,
					    .posted_data = 128},
	       64, 32e6);
	/* 256-byte TLPs of a large write: 16 credits each, 8 at a time. */
	posted((struct cqesim_link_latency){.credit_return_ps = 500000,
					    .posted_headers = 16,
					    .posted_data = 130},
	       4096, 16e6);
}
END_TEST

/* A burst waits; nothing that comes later is earlier; a pause makes up for it. */
START_TEST(bursts_queue)
{
	struct cqesim_link l = make(base(3, 8, 256));
	uint64_t last = 0;

	start(&l, (struct cqesim_link_latency){.credit_return_ps = 300000, .posted_headers = 24});
	for (unsigned i = 0; i < 10000; i++) {
		uint64_t done = write_at(&l, i / 100 * 1000000, 1 + i % 1500);

		ck_assert_uint_gt(done, last);
		last = done;
	}
	uint64_t later = last + 10000000;
	ck_assert_uint_eq(cqesim_link_server_backlog(&server, later), 0);
	ck_assert_uint_lt(write_at(&l, later, 64), later + 30000);
}
END_TEST

START_TEST(memory_is_asked_for)
{
	struct cqesim_link l = make(base(3, 8, 256));
	struct cqesim_link_latency none = {0}, some = {.rtt_ps = 1000, .tags = 5};

	ck_assert_uint_eq(cqesim_link_server_loans(&none), 0);
	ck_assert_uint_eq(cqesim_link_server_loans(&some), 8);
	ck_assert_int_eq(cqesim_link_server_init(&server, &l, &some, NULL), -EINVAL);
	/* Without a limit there is none to be found. */
	ck_assert_double_eq(cqesim_link_reads_max(&none), 0);
	ck_assert_double_eq(cqesim_link_posted_max(&none, 4), 0);
	some = (struct cqesim_link_latency){.credit_return_ps = 1000000, .read_headers = 8};
	ck_assert_double_eq_tol(cqesim_link_reads_max(&some), 8e6, 1e-3);
	some.tags = 4;
	some.rtt_ps = 1000000;
	ck_assert_double_eq_tol(cqesim_link_reads_max(&some), 4e6, 1e-3);
}
END_TEST

/*
 * Symbol times of the specification's table for Acks, Gen3 x8, MPS 256:
 * floor(284 x 2.5 / 8 + 115) = 203, in which 8 lanes carry 1624 bytes: five
 * TLPs of 280.  (The table's own value without the 115 of internal delay: 88.)
 */
START_TEST(latest_ack)
{
	struct cqesim_link l = make(base(3, 8, 256));

	ck_assert_double_eq(cqesim_link_ack_latest(&l), 5);
	l = make(base(3, 16, 256)); /* floor(284 x 3 / 16 + 115) = 168 x 16 / 280 = 9.6 */
	ck_assert_double_eq(cqesim_link_ack_latest(&l), 9);
	l = make(base(1, 1, 128)); /* floor(156 x 1.4 + 19) = 237 / 152 = 1.6 */
	ck_assert_double_eq(cqesim_link_ack_latest(&l), 1);
	l = make(base(3, 16, 512)); /* floor(540 x 2 / 16 + 115) = 182 x 16 / 536 = 5.4 */
	ck_assert_double_eq(cqesim_link_ack_latest(&l), 5);
	l = make(base(6, 16, 512));
	ck_assert_double_eq(cqesim_link_ack_latest(&l), 1);
}
END_TEST

TCase *tcase_pcie_server(void)
{
	TCase *t = tcase_create("server");

	tcase_add_checked_fixture(t, NULL, finish);
	tcase_add_test(t, one_after_the_other);
	tcase_add_test(t, round_trip);
	tcase_add_test(t, saturated_receive);
	tcase_add_test(t, saturated_reads);
	tcase_add_test(t, tags_bound_reads);
	tcase_add_test(t, writes_pass_reads_that_wait);
	tcase_add_test(t, credits_bound_writes);
	tcase_add_test(t, bursts_queue);
	tcase_add_test(t, memory_is_asked_for);
	tcase_add_test(t, latest_ack);
	return t;
}
