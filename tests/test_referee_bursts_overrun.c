/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where mprq_vec cannot be followed, in the smallest ring, on the driver itself.
 *
 * PMD rxq_cq_decompress_v writes the lengths of a whole session into the packet
 * buffers behind rq_pi, without asking whether so many are at hand.  Those past
 * elts_ci are the four places of the stand-in fake_mbuf, and then buffers that the
 * application or the pool has by now.  When mlx5_rx_mprq_replenish_bulk_mbuf puts
 * others into these places, their lengths are what an earlier packet left, and
 * rxq_copy_mprq_mbuf_v goes by them: wrong strides, and of length 0 no packet at all
 * but the end of a WQE.  "fix threshold for mbuf replenishment in MPRQ" (21.08)
 * tells what the driver counts on: sessions of 64, and rings that have buffers for
 * 64 and a session.  So its returns are no longer a function of the ring alone.
 *
 * 16 places: after a lap of plain packets there are at most 12 (four are kept
 * back), taken in calls as 5, 5 and 2.  A session of 12 is right, one of 13 is not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/cq.h"
#include "host/host_internal.h"
#include "sim/feed_format.h"
#include "test.h"
#include "test_cq.h"
#include "test_referee_bursts.h"
#include "test_referee_random.h"

#define LOG_RING 4u
#define RING     (1u << LOG_RING)
#define AT_HAND  12u
#define BURST    32u
#define PLAIN    200u /* bytes, of the packets of the first lap: a stride */
#define MINI     60u
#define NS       UINT64_C(1000)

struct overrun {
	uint8_t *ring, wqes[2 * CQESIM_STRIDING_WQE_BYTES];
	uint32_t rq_dbrec, cq_dbrec;
	struct cqesim_cq_writer writer;
	struct cqesim_cq_reader reader;
	struct cqesim_host_queue *host;
	FILE *feed;
	uint16_t packets;
};

static void to_feed(void *context, uint32_t slot, const uint8_t bytes[64])
{
	feed_slot(context, slot, bytes);
}

/* 2 WQEs of 8 strides of 256 bytes, and the driver's thresholds for them. */
static void overrun_start(struct overrun *o, const char *path)
{
	struct cqesim_cq_shape shape = {
		.log_size = LOG_RING, .format = CQESIM_MINI_HASH, .log_stride = 8};
	struct cqesim_host_striding striding = {
		.shape = {.log_wqes = 1, .log_strides = 3, .log_stride_bytes = 8},
		.ring = o->wqes,
		.dbrec = &o->rq_dbrec,
		.buffer_stride = 4096,
		.buffers = 8,
		.retire = CQESIM_RETIRE_NEXT_FOUND,
		.refill = 1,
		.memcpy_bytes = 65535,
	};
	struct cqesim_host_config config = {
		.rule = CQESIM_POLL_DPDK_VEC,
		.clock_hz = 1e9,
		.poll_cycles = 100,
		.empty_poll_cycles = 100,
		.burst = BURST,
		.replenish = (RING + 4) / 4, /* MLX5_VPMD_RXQ_RPLNSH_THRESH */
		.striding = &striding,
	};

	memset(o, 0, sizeof(*o));
	o->ring = test_cq_ring(LOG_RING);
	cqesim_cq_init_ring(o->ring, &shape);
	ck_assert(!cqesim_cq_writer_init(&o->writer, o->ring, &shape, RING, false));
	ck_assert(!cqesim_cq_reader_init(&o->reader, o->ring, &shape, CQESIM_INVALIDATE_DPDK_VEC));
	ck_assert(
		!cqesim_host_create(&o->host, &config, &o->reader, NULL, &o->cq_dbrec, NULL, NULL));
	o->feed = fopen(path, "wb");
	ck_assert_ptr_nonnull(o->feed);
	feed_begin(o->feed);
	o->writer.observer = to_feed;
	o->writer.observer_context = o->feed;
}

static void next(struct overrun *o, uint32_t length, uint8_t cqe[64])
{
	struct cqesim_rxmeta m = {.byte_cnt = length | UINT32_C(1) << 16};

	cqesim_cqe_put_rx(cqe, &m, 0, 0, o->packets++ % 8);
}

static void lap_of_plain(struct overrun *o)
{
	uint8_t cqe[64];

	for (unsigned i = 0; i < RING; i++) {
		next(o, PLAIN, cqe);
		cqesim_cq_write(&o->writer, cqe, CQESIM_OP_RESP_SEND, CQESIM_FORMAT_PLAIN);
		cqesim_host_published(o->host, 0, 1);
	}
}

static void session(struct overrun *o, unsigned n, uint64_t ps)
{
	uint8_t cqe[64];

	next(o, MINI, cqe);
	ck_assert_uint_ge(cqesim_cq_session_open(&o->writer, cqe), n);
	for (unsigned i = 1; i < n; i++) {
		next(o, MINI, cqe);
		cqesim_cq_session_add(&o->writer, cqe);
	}
	cqesim_cq_session_close(&o->writer);
	cqesim_host_published(o->host, ps, n);
}

static void calls(struct overrun *o, unsigned n, uint64_t until_ps)
{
	for (unsigned i = 0; i < n; i++)
		feed_call(o->feed, BURST);
	ck_assert_int_eq(cqesim_host_advance(o->host, until_ps), 0);
}

/* A lap, three empty calls, a session of n: sizes of the calls, and whether it has room. */
static void simulate(const char *path, unsigned n)
{
	struct overrun o;

	overrun_start(&o, path);
	const struct cqesim_host_stats *s = cqesim_host_stats(o.host);
	lap_of_plain(&o);
	calls(&o, 1, 0);
	calls(&o, 3, 399 * NS);
	ck_assert_uint_eq(o.host->striding->mbufs, AT_HAND);
	session(&o, n, 400 * NS);
	calls(&o, 1, 400 * NS);
	ck_assert_uint_eq(s->polls, 2);
	ck_assert_uint_eq(s->burst_hist[RING], 1 + (n == RING));
	ck_assert_uint_eq(s->burst_hist[n], 1 + (n == RING));
	ck_assert_uint_eq(cqesim_host_stats(o.host)->overruns, n > AT_HAND);
	ck_assert_int_eq(fclose(o.feed), 0);
	cqesim_host_destroy(o.host);
	free(o.ring);
}

static size_t read_file(const char *path, void *to, size_t size, size_t count)
{
	FILE *f = fopen(path, "rb");

	ck_assert_ptr_nonnull(f);
	size_t n = fread(to, size, count, f);
	fclose(f);
	return n;
}

/* The driver's calls are the same; its lengths are the session's as far as buffers were at hand. */
static void judge(const char *program, const char *feed, unsigned n)
{
	static const uint32_t sizes[] = {RING, 0, 0, 0};
	char path[2][256], command[2048];
	struct referee_record record[2 * RING + 1];
	uint32_t call[16][2];

	snprintf(path[0], sizeof(path[0]), "%.200s/overrun.calls", test_tmpdir());
	snprintf(path[1], sizeof(path[1]), "%.200s/overrun.records", test_tmpdir());
	snprintf(command, sizeof(command),
		 "CQESIM_CALLS='%s' '%s' --feed '%s' --records '%s' --mode mprq_vec --burst %u "
		 "--log-cqe-n %u --log-elts-n 1 --log-strd-num 3 --log-strd-sz 8 "
		 "--mprq-memcpy 65535 --out summary >/dev/null",
		 path[0], program, feed, path[1], BURST, LOG_RING);
	ck_assert_int_eq(system(command), 0);
	ck_assert_uint_ge(read_file(path[0], call, sizeof(call[0]), 16), 5);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(call[i][0], sizes[i]);
	ck_assert_uint_eq(call[4][0], n);
	ck_assert_uint_eq(read_file(path[1], record, sizeof(record[0]), 2 * RING + 1), RING + n);
	for (unsigned i = 0; i < RING; i++)
		ck_assert_uint_eq(record[i].length, PLAIN);
	for (unsigned i = 0; i < n; i++)
		ck_assert_uint_eq(record[RING + i].length, i < AT_HAND ? MINI : PLAIN);
}

START_TEST(session_longer_than_buffers)
{
	char feed[256];

	snprintf(feed, sizeof(feed), "%.200s/overrun.feed", test_tmpdir());
	for (unsigned n = AT_HAND - 1; n <= RING; n++) {
		simulate(feed, n);
		for (unsigned newer = 0; newer < 2; newer++) {
			const char *why, *program = bursts_driver(newer, &why);

			if (program)
				judge(program, feed, n);
			else if (n == RING)
				test_skip(newer ? "bursts overrun, 24.11" : "bursts overrun, 22.11",
					  why);
		}
	}
}
END_TEST

TCase *bursts_overrun(void)
{
	TCase *t = tcase_create("overrun");

	tcase_set_timeout(t, 1200); /* it may build the drivers */
	tcase_add_test(t, session_longer_than_buffers);
	return t;
}
