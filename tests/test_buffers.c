/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory behind receive queues: footprints and waste by hand, pages. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/buffers.h"
#include "test.h"

/* tests/test_buffers_burst.c */
TCase *buffers_bursts(void);

static struct cqesim_rq_layout cyclic(unsigned log_wqes, unsigned segments, uint32_t bytes)
{
	return (struct cqesim_rq_layout){.log_wqes = log_wqes,
					 .segments = segments,
					 .buffer_bytes = bytes,
					 .cqe_bytes = 64,
					 .cq_factor = 1};
}

static struct cqesim_rq_layout striding(unsigned log_wqes, unsigned log_strides, unsigned log_bytes)
{
	return (struct cqesim_rq_layout){.striding = true,
					 .log_wqes = log_wqes,
					 .log_strides = log_strides,
					 .log_stride_bytes = log_bytes,
					 .cqe_bytes = 64};
}

/* ---- footprints ---- */

START_TEST(footprints)
{
	/* 16 x 2048 x 64; and 1024 x MTU. */
	struct cqesim_rq_layout after = striding(4, 11, 6), before = cyclic(10, 1, 1500);
	struct cqesim_rq_memory m = cqesim_rq_memory(&after);

	ck_assert_uint_eq(m.buffers, 2097152);
	ck_assert_uint_eq(m.wqe_ring, 16 * 32);
	ck_assert_uint_eq(m.cq, 16 * 2048 * 64);
	ck_assert_uint_eq(m.total, 2097152 + 512 + 2097152 + 16);
	m = cqesim_rq_memory(&before);
	ck_assert_uint_eq(m.buffers, 1536000);
	ck_assert_uint_eq(m.wqe_ring, 1024 * 16);
	ck_assert_uint_eq(m.cq, 1024 * 64);
	ck_assert_uint_eq(m.total, 1536000 + 16384 + 65536 + 16);
	/* Three segments take the place of four; twice the CQ; header entries. */
	before = cyclic(10, 3, 2048);
	before.cq_factor = 2;
	before.header_entries = 2048;
	before.header_entry_bytes = 256;
	m = cqesim_rq_memory(&before);
	ck_assert_uint_eq(m.wqe_ring, 1024 * 64);
	ck_assert_uint_eq(m.buffers, 1024 * 3 * 2048);
	ck_assert_uint_eq(m.cq, 1024 * 2 * 64);
	ck_assert_uint_eq(m.headers, 2048 * 256);
}
END_TEST

START_TEST(what_a_packet_takes)
{
	static const struct {
		uint32_t length, pieces;
		uint64_t held, waste, in_ring;
		bool fits;
	} c[] = {
		{60, 1, 64, 4, 32768, true},
		{64, 1, 64, 0, 32768, true},
		{65, 2, 128, 63, 16384, true},
		{1514, 24, 1536, 22, 16 * 85, true}, /* 2048 / 24 = 85.3 */
		{131072, 2048, 131072, 0, 16, true},
		{131073, 2049, 2049 * 64, 0, 0, false},
	};
	struct cqesim_rq_layout l = striding(4, 11, 6);

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct cqesim_rq_fit f = cqesim_rq_fit(&l, c[i].length);

		ck_assert_uint_eq(f.pieces, c[i].pieces);
		ck_assert_uint_eq(f.held, c[i].held);
		ck_assert_uint_eq(f.waste, c[i].waste);
		ck_assert_uint_eq(f.in_ring, c[i].in_ring);
		ck_assert(f.fits == c[i].fits);
	}
	l.two_byte_shift = true;
	ck_assert_uint_eq(cqesim_rq_fit(&l, 62).pieces, 1);
	ck_assert_uint_eq(cqesim_rq_fit(&l, 63).pieces, 2);
	l = cyclic(3, 2, 2048);
	l.headroom_bytes = 128;
	ck_assert_uint_eq(cqesim_rq_fit(&l, 1920).pieces, 1);
	ck_assert_uint_eq(cqesim_rq_fit(&l, 1921).pieces, 2);
	ck_assert_uint_eq(cqesim_rq_fit(&l, 60).waste, 4096 - 60);
	ck_assert(cqesim_rq_fit(&l, 3968).fits);
	ck_assert(!cqesim_rq_fit(&l, 3969).fits);
}
END_TEST

START_TEST(ddio)
{
	struct cqesim_rq_layout l = cyclic(10, 1, 1984); /* 1984 + 64 = 2 KiB a packet: 2 MiB */

	ck_assert_uint_eq(cqesim_ddio_bytes(20u << 20, 0.1), 2u << 20);
	ck_assert_uint_eq(cqesim_ddio_bytes(20u << 20, 0), 0);
	ck_assert_uint_eq(cqesim_ddio_bytes(20u << 20, 2), 20u << 20);
	ck_assert_double_eq(cqesim_ddio_queues(&l, 5u << 20), 2.5);
}
END_TEST

START_TEST(buffer_lengths)
{
	ck_assert_int_eq(cqesim_rx_buf_len_check(4096, NULL), 0);
	ck_assert_int_eq(cqesim_rx_buf_len_check(131072, NULL), 0);
	ck_assert_int_eq(cqesim_rx_buf_len_check(2048, NULL), -EINVAL);
	ck_assert_int_eq(cqesim_rx_buf_len_check(262144, NULL), -EINVAL);
	ck_assert_int_eq(cqesim_rx_buf_len_check(12288, NULL), -EINVAL);
}
END_TEST

/* 8 strides of 64: 300 takes 5, 250 (4) does not fit, filler of 3; 200 takes 4 and retires. */
START_TEST(use_by_a_sequence)
{
	struct cqesim_rq_usage u;
	struct cqesim_rq_layout l = striding(0, 3, 6);

	ck_assert_int_eq(cqesim_rq_usage_init(&u, &l, NULL), 0);
	cqesim_rq_usage_add(&u, 300);
	cqesim_rq_usage_add(&u, 250);
	cqesim_rq_usage_add(&u, 200);
	cqesim_rq_usage_add(&u, 513);
	cqesim_rq_usage_add(&u, 1);
	ck_assert_uint_eq(u.packets, 4);
	ck_assert_uint_eq(u.too_long, 1);
	ck_assert_uint_eq(u.pieces, 5 + 4 + 4 + 1);
	ck_assert_uint_eq(u.fillers, 1);
	ck_assert_uint_eq(u.filler_strides, 3);
	ck_assert_uint_eq(u.wqes, 3);
	ck_assert_uint_eq(u.held, (14 + 3) * 64);
	ck_assert_uint_eq(u.waste, 17 * 64 - 751);
	l = cyclic(10, 1, 2048);
	ck_assert_int_eq(cqesim_rq_usage_init(&u, &l, NULL), 0);
	cqesim_rq_usage_add(&u, 1514);
	cqesim_rq_usage_add(&u, 2049);
	ck_assert_uint_eq(u.waste, 534);
	ck_assert_uint_eq(u.too_long, 1);
	l.segments = 0;
	ck_assert_int_eq(cqesim_rq_usage_init(&u, &l, NULL), -EINVAL);
}
END_TEST

/* ---- pages ---- */

START_TEST(pages)
{
	struct cqesim_pool_page page[4];
	uint32_t stack[4], n[8], fragment;
	struct cqesim_page_pool p;

	/* Four pages of two fragments, a cache of one page. */
	ck_assert_int_eq(cqesim_page_pool_init(&p, page, stack, 4, 1, 4096, 2048), 0);
	ck_assert_uint_eq(p.fragments_per_page, 2);
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_int_eq(cqesim_page_pool_take(&p, &n[i], &fragment), 0);
		ck_assert_uint_eq(n[i], i / 2);
		ck_assert_uint_eq(fragment, i % 2);
	}
	ck_assert_int_eq(cqesim_page_pool_take(&p, &n[0], NULL), -ENOBUFS);
	ck_assert_uint_eq(p.in_flight, 4);
	/* A page is free when both halves are back. */
	ck_assert_int_eq(cqesim_page_pool_give(&p, 2), 0);
	ck_assert_uint_eq(p.in_flight, 4);
	ck_assert_int_eq(cqesim_page_pool_give(&p, 2), 0);
	ck_assert_uint_eq(p.in_flight, 3);
	ck_assert_int_eq(cqesim_page_pool_give(&p, 2), -EINVAL);
	ck_assert_int_eq(cqesim_page_pool_give(&p, 4), -EINVAL);
	/* The cache is full: the next page is freed. */
	cqesim_page_pool_give(&p, 0);
	cqesim_page_pool_give(&p, 0);
	ck_assert_uint_eq(p.freed, 1);
	ck_assert_int_eq(cqesim_page_pool_take(&p, &n[0], NULL), 0);
	ck_assert_uint_eq(n[0], 2);
	ck_assert_uint_eq(p.recycled, 1);
	/* Given back while it is at hand: it is not free yet. */
	ck_assert_int_eq(cqesim_page_pool_give(&p, 2), 0);
	ck_assert_int_eq(cqesim_page_pool_give(&p, 2), -EINVAL);
	ck_assert_int_eq(cqesim_page_pool_take(&p, &n[0], &fragment), 0);
	ck_assert_uint_eq(n[0], 2);
	ck_assert_uint_eq(fragment, 1);
	ck_assert_int_eq(cqesim_page_pool_take(&p, &n[0], NULL), 0);
	ck_assert_uint_eq(n[0], 0);
	ck_assert_uint_eq(p.allocated, 5);
	ck_assert_uint_eq(p.in_flight_max, 4);
	ck_assert_int_eq(cqesim_page_pool_init(&p, page, stack, 4, 1, 2048, 4096), -EINVAL);
}
END_TEST

/* Random use against plain counting. */
START_TEST(pages_random)
{
	enum { PAGES = 32, PER = 4 };
	static struct cqesim_pool_page page[PAGES];
	uint32_t stack[PAGES], out[PAGES] = {0}, n;
	struct cqesim_page_pool p;
	unsigned total = 0;

	srandom(7);
	ck_assert_int_eq(cqesim_page_pool_init(&p, page, stack, PAGES, 5, 4096, 1024), 0);
	for (unsigned i = 0; i < 20000; i++) {
		if (random() % (i / 1000 % 2 ? 3 : 2)) {
			if (cqesim_page_pool_take(&p, &n, NULL))
				continue;
			out[n]++;
			total++;
			ck_assert_uint_le(out[n], PER);
		} else {
			n = (uint32_t)random() % PAGES;
			ck_assert_int_eq(cqesim_page_pool_give(&p, n), out[n] ? 0 : -EINVAL);
			total -= out[n] != 0;
			out[n] -= out[n] != 0;
		}
		unsigned busy = 0;
		for (unsigned k = 0; k < PAGES; k++)
			busy += out[k] || p.at_hand == k;
		ck_assert_uint_eq(p.in_flight, busy);
		ck_assert_uint_eq(p.in_flight + p.cached + p.unused, PAGES);
		ck_assert_uint_eq(p.allocated - p.freed, p.in_flight + p.cached);
	}
}
END_TEST

Suite *suite_buffers(void)
{
	Suite *suite = suite_create("buffers");
	TCase *tc = tcase_create("memory");

	tcase_add_test(tc, footprints);
	tcase_add_test(tc, what_a_packet_takes);
	tcase_add_test(tc, ddio);
	tcase_add_test(tc, buffer_lengths);
	tcase_add_test(tc, use_by_a_sequence);
	suite_add_tcase(suite, tc);
	tc = tcase_create("pages");
	tcase_add_test(tc, pages);
	tcase_add_test(tc, pages_random);
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, buffers_bursts());
	return suite;
}
