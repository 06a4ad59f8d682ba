/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host: the poll loop, in cases small enough to be counted by hand.  At 1 GHz a
 * cycle takes 1000 ps; an empty poll 50 cycles, one that finds packets 100 and
 * 20 for each plain packet, 10 for each of a session and 30 for the session.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/host.h"
#include "cqesim/nic.h"
#include "test.h"
#include "test_cq.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NS       UINT64_C(1000)

#define CALLS 8192u

struct rig {
	struct cqesim_host_config config;
	unsigned log_size;
	uint8_t *ring;
	uint32_t rq_dbrec, cq_dbrec;
	struct cqesim_cq_writer writer;
	struct cqesim_cq_reader reader;
	struct cqesim_rq_poster poster;
	struct cqesim_host_queue *host;
	const struct cqesim_host_stats *stats;

	struct {
		uint64_t ps;
		unsigned n;
	} call[CALLS]; /* of deliver */
	unsigned calls;
	uint32_t packets; /* written */
	uint32_t next;    /* packet that deliver expects */
	unsigned stop_at; /* deliver fails at this call; 0: never */
};

static void config(struct rig *rig, unsigned log_size)
{
	memset(rig, 0, sizeof(*rig));
	rig->log_size = log_size;
	rig->config = (struct cqesim_host_config){
		.clock_hz = 1e9,
		.poll_cycles = 100,
		.empty_poll_cycles = 50,
		.plain_cycles = 20,
		.mini_cycles = 10,
		.session_cycles = 30,
		.burst = 4,
		.replenish = 4,
	};
}

static int deliver(void *context, const struct cqesim_completion *c, unsigned n, uint64_t now_ps)
{
	struct rig *rig = context;

	if (rig->calls < CALLS) {
		rig->call[rig->calls].ps = now_ps;
		rig->call[rig->calls].n = n;
	}
	rig->calls++;
	for (unsigned i = 0; i < n; i++)
		if (c[i].opcode != CQESIM_OP_RESP_ERR && c[i].meta.rx_hash_res != rig->next++)
			ck_abort_msg("packet %u, not %u", c[i].meta.rx_hash_res, rig->next - 1);
	return rig->stop_at && rig->calls == rig->stop_at ? -EIO : (int)n;
}

static void start(struct rig *rig)
{
	static uint8_t wqes[16 << CQESIM_RQ_LOG_MAX]; /* nobody looks at them here */

	rig->ring = test_cq_ring(rig->log_size);
	cqesim_cq_init_ring(rig->ring, rig->log_size);
	ck_assert_int_eq(cqesim_cq_writer_init(&rig->writer, rig->ring, rig->log_size,
					       CQESIM_MINI_HASH, 1u << rig->log_size, true),
			 0);
	ck_assert_int_eq(cqesim_cq_reader_init(&rig->reader, rig->ring, rig->log_size,
					       CQESIM_MINI_HASH, CQESIM_INVALIDATE_DPDK_SCALAR),
			 0);
	cqesim_rq_poster_init(&rig->poster, wqes, rig->log_size, 0, &rig->rq_dbrec);
	cqesim_rq_repost(&rig->poster, 1u << rig->log_size);
	cqesim_rq_doorbell(&rig->poster);
	ck_assert_int_eq(cqesim_host_create(&rig->host, &rig->config, &rig->reader, &rig->poster,
					    &rig->cq_dbrec, deliver, rig),
			 0);
	rig->stats = cqesim_host_stats(rig->host);
}

static void stop(struct rig *rig)
{
	cqesim_host_destroy(rig->host);
	free(rig->ring);
}

static void one(struct rig *rig, uint8_t cqe[64])
{
	struct cqesim_rxmeta m = {.byte_cnt = 60 + rig->packets % 7, .rx_hash_res = rig->packets};

	cqesim_cqe_put_rx(cqe, &m, m.user_index, 0, (uint16_t)rig->packets);
	rig->packets++;
}

/* Written into the ring now, seen from ps on. */
static void plain(struct rig *rig, unsigned n, uint64_t ps)
{
	uint8_t cqe[64];

	for (unsigned i = 0; i < n; i++) {
		one(rig, cqe);
		cqesim_cq_write(&rig->writer, cqe, CQESIM_OP_RESP_SEND, CQESIM_FORMAT_PLAIN);
		cqesim_host_published(rig->host, ps, 1);
	}
}

static void session(struct rig *rig, unsigned n, uint64_t ps)
{
	uint8_t cqe[64];

	one(rig, cqe);
	ck_assert_uint_ge(cqesim_cq_session_open(&rig->writer, cqe), n);
	for (unsigned i = 1; i < n; i++) {
		one(rig, cqe);
		cqesim_cq_session_add(&rig->writer, cqe);
	}
	cqesim_cq_session_close(&rig->writer);
	cqesim_host_published(rig->host, ps, n);
}

static void advance(struct rig *rig, uint64_t until_ps)
{
	int rc = cqesim_host_advance(rig->host, until_ps);

	if (rc)
		ck_abort_msg("advance to %llu: %d", (unsigned long long)until_ps, rc);
}

static void state(const struct rig *rig, uint64_t next_ps, uint64_t empty, uint64_t polls,
		  uint64_t packets)
{
	ck_assert_uint_eq(cqesim_host_next_ps(rig->host), next_ps);
	ck_assert_uint_eq(rig->stats->empty_polls, empty);
	ck_assert_uint_eq(rig->stats->polls, polls);
	ck_assert_uint_eq(rig->stats->packets, packets);
}

static void called(const struct rig *rig, unsigned i, uint64_t ps, unsigned n)
{
	ck_assert_uint_lt(i, rig->calls);
	ck_assert_uint_eq(rig->call[i].ps, ps);
	ck_assert_uint_eq(rig->call[i].n, n);
}

static uint32_t be(uint32_t word)
{
	return __builtin_bswap32(word);
}

static uint32_t random_u32(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 32);
}

START_TEST(empty_polls)
{
	struct rig rig;

	config(&rig, 4);
	start(&rig);
	state(&rig, 0, 0, 0, 0);
	advance(&rig, 0); /* the one that begins at 0 */
	state(&rig, 50 * NS, 1, 0, 0);
	advance(&rig, 50 * NS - 1);
	state(&rig, 50 * NS, 1, 0, 0);
	advance(&rig, 50 * NS);
	state(&rig, 100 * NS, 2, 0, 0);
	/* 100, 150 ... 1000 */
	advance(&rig, 1000 * NS);
	state(&rig, 1050 * NS, 21, 0, 0);
	advance(&rig, 1049 * NS);
	advance(&rig, 3);
	state(&rig, 1050 * NS, 21, 0, 0);
	ck_assert_uint_eq(rig.stats->busy_ps, 0);
	ck_assert_uint_eq(cqesim_host_pending(rig.host), 0);
	stop(&rig);
}
END_TEST

START_TEST(bursts)
{
	struct rig rig;

	config(&rig, 4);
	start(&rig);
	plain(&rig, 6, 120 * NS);
	ck_assert_uint_eq(cqesim_host_pending(rig.host), 6);
	/* Empty at 0, 50, 100; at 150 four of six: 100 + 4 x 20. */
	advance(&rig, 149 * NS);
	state(&rig, 150 * NS, 3, 0, 0);
	advance(&rig, 150 * NS);
	state(&rig, 330 * NS, 3, 1, 4);
	ck_assert_uint_eq(cqesim_host_pending(rig.host), 2);
	/* The other two: 100 + 2 x 20; then empty ones. */
	advance(&rig, 469 * NS);
	state(&rig, 470 * NS, 3, 2, 6);
	advance(&rig, 520 * NS);
	state(&rig, 570 * NS, 5, 2, 6);
	called(&rig, 0, 150 * NS, 4);
	called(&rig, 1, 330 * NS, 2);
	ck_assert_uint_eq(rig.calls, 2);
	ck_assert_uint_eq(rig.stats->busy_ps, 320 * NS);
	ck_assert_uint_eq(rig.stats->bytes, 60 + 61 + 62 + 63 + 64 + 65);
	ck_assert_uint_eq(rig.stats->errors, 0);
	for (unsigned i = 0; i <= CQESIM_BURST_MAX; i++)
		ck_assert_uint_eq(rig.stats->burst_hist[i], i == 4 || i == 2);
	/* Six of sixteen slots, then two: classes of one sixteenth. */
	ck_assert_uint_eq(rig.stats->occupancy_max, 6);
	ck_assert_uint_eq(rig.stats->occupancy_sum, 8);
	for (unsigned i = 0; i < CQESIM_OCCUPANCY_CLASSES; i++)
		ck_assert_uint_eq(rig.stats->occupancy_hist[i], i == 5 || i == 1);
	stop(&rig);
}
END_TEST

START_TEST(full_ring)
{
	struct rig rig;

	/* 64 slots: 64 is the last class, 60 and 56 as well as 57 the ones before; 4 is the first.
	 */
	config(&rig, 6);
	start(&rig);
	plain(&rig, 64, 0);
	advance(&rig, 16 * 180 * NS - 1);
	state(&rig, 16 * 180 * NS, 0, 16, 64);
	ck_assert_uint_eq(rig.stats->occupancy_max, 64);
	ck_assert_uint_eq(rig.stats->occupancy_sum, 4 * 17 * 8);
	for (unsigned i = 0; i < CQESIM_OCCUPANCY_CLASSES; i++)
		ck_assert_uint_eq(rig.stats->occupancy_hist[i], 1);
	plain(&rig, 5, 16 * 180 * NS);
	advance(&rig, 16 * 180 * NS);
	ck_assert_uint_eq(rig.stats->occupancy_hist[1], 2);
	stop(&rig);
}
END_TEST

START_TEST(visible_in_time)
{
	struct rig rig;

	config(&rig, 4);
	start(&rig);
	plain(&rig, 1, 100 * NS);     /* at the very moment of a poll: seen */
	plain(&rig, 1, 100 * NS + 1); /* just after: the next one's */
	plain(&rig, 2, 400 * NS);
	advance(&rig, 100 * NS);
	state(&rig, 220 * NS, 2, 1, 1);
	advance(&rig, 220 * NS);
	state(&rig, 340 * NS, 2, 2, 2);
	advance(&rig, 390 * NS);
	state(&rig, 440 * NS, 4, 2, 2);
	ck_assert_uint_eq(cqesim_host_pending(rig.host), 2);
	advance(&rig, 440 * NS);
	state(&rig, 580 * NS, 4, 3, 4);
	stop(&rig);
}
END_TEST

START_TEST(sessions_cost_theirs)
{
	struct rig rig;

	config(&rig, 4);
	start(&rig);
	session(&rig, 5, 0);
	plain(&rig, 1, 0);
	session(&rig, 2, 0);
	plain(&rig, 3, 0);
	/* Four of the session: 100 + 40 + 30. */
	advance(&rig, 0);
	state(&rig, 170 * NS, 0, 1, 4);
	/* Its fifth, not charged for the session again; plain 20; two and their session. */
	advance(&rig, 170 * NS);
	state(&rig, (170 + 100 + 10 + 20 + 20 + 30) * NS, 0, 2, 8);
	advance(&rig, 350 * NS);
	state(&rig, 510 * NS, 0, 3, 11);
	called(&rig, 0, 0, 4);
	called(&rig, 1, 170 * NS, 4);
	called(&rig, 2, 350 * NS, 3);
	stop(&rig);
}
END_TEST

START_TEST(fractions_of_cycles)
{
	struct rig rig;

	/* 3 GHz, a poll of one cycle: thirds of 1000 ps. */
	config(&rig, 4);
	rig.config.clock_hz = 3e9;
	rig.config.empty_poll_cycles = 1;
	rig.config.poll_cycles = 0.5;
	rig.config.plain_cycles = 0.1;
	start(&rig);
	plain(&rig, 1, 333);
	plain(&rig, 1, 1333);
	plain(&rig, 1, 2001);
	/* 0; 333 1/3 finds one: 0.6 cycles, until 533 1/3. */
	advance(&rig, 400);
	state(&rig, 533, 1, 1, 1);
	/* 533 1/3, 866 2/3, 1200, 1533 1/3 finds one: 1733 1/3. */
	advance(&rig, 1600);
	state(&rig, 1733, 4, 2, 2);
	/* 1733 1/3, 2066 2/3 */
	advance(&rig, 2066);
	state(&rig, 2266, 5, 3, 3);
	stop(&rig);
}
END_TEST

START_TEST(buffers_are_posted)
{
	struct rig rig;

	/* Threshold 6 with bursts of 4: after the second one, with both bursts' buffers. */
	config(&rig, 4);
	rig.config.replenish = 6;
	start(&rig);
	plain(&rig, 9, 0);
	ck_assert_uint_eq(rig.rq_dbrec, be(16));
	ck_assert_uint_eq(rig.cq_dbrec, 0);
	advance(&rig, 0); /* until 180 */
	ck_assert_uint_eq(rig.cq_dbrec, be(4));
	advance(&rig, 180 * NS); /* until 360: only then are they the device's */
	ck_assert_uint_eq(rig.cq_dbrec, be(8));
	ck_assert_uint_eq(rig.rq_dbrec, be(16));
	advance(&rig, 359 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(16));
	advance(&rig, 360 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(24));
	ck_assert_uint_eq(rig.stats->packets, 9);
	/* One more is not enough for the next time; five more are. */
	advance(&rig, 1000 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(24));
	ck_assert_uint_eq(rig.cq_dbrec, be(9));
	plain(&rig, 5, 1001 * NS);
	advance(&rig, 1400 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(30));
	stop(&rig);
}
END_TEST

/*
 * A call that ends within a session: the rest is read ahead, or the device could
 * write over it when the buffers of the first part are posted.
 */
START_TEST(sessions_are_read_whole)
{
	struct rig rig;

	config(&rig, 4);
	start(&rig);
	plain(&rig, 1, 0);
	session(&rig, 6, 0);
	advance(&rig, 0);
	ck_assert_uint_eq(rig.stats->packets, 4);
	called(&rig, 0, 0, 4);
	ck_assert_uint_eq(rig.cq_dbrec, be(7));
	ck_assert_uint_eq(cqesim_host_reader(rig.host)->ci, 7);
	/* Posted at 180 ns; what the slots hold then is of no matter. */
	memset(rig.ring, 0xff, 64 << 4);
	advance(&rig, 210 * NS);
	called(&rig, 1, 180 * NS, 3);
	ck_assert_uint_eq(rig.stats->packets, 7);
	ck_assert_uint_eq(rig.cq_dbrec, be(7));
	ck_assert_uint_eq(cqesim_host_reader(rig.host)->ci, 7);
	stop(&rig);
}
END_TEST

/* A hundred days without a packet: at once, and to the very poll. */
START_TEST(long_idle)
{
	struct rig rig;

	/* 26.7 cycles at 2.6 GHz: 133500/13 ps a poll. */
	config(&rig, 4);
	rig.config.clock_hz = 2.6e9;
	rig.config.empty_poll_cycles = 26.7;
	rig.config.poll_cycles = 26;
	rig.config.plain_cycles = 0;
	start(&rig);
	plain(&rig, 1, UINT64_C(8640000000000000000));
	advance(&rig, UINT64_C(8640000000000000000));
	/* ceil(8.64 10^18 x 13 / 133500) polls; the next begins at ...4384 8/13 */
	state(&rig, UINT64_C(8640000000000004384), UINT64_C(841348314606742), 0, 0);
	advance(&rig, UINT64_C(8640000000000004384));
	state(&rig, UINT64_C(8640000000000014384), UINT64_C(841348314606742), 1, 1);
	stop(&rig);

	/* The same in steps of a tenth. */
	config(&rig, 4);
	rig.config.clock_hz = 2.6e9;
	rig.config.empty_poll_cycles = 26.7;
	start(&rig);
	for (unsigned i = 1; i <= 10; i++)
		advance(&rig, i * UINT64_C(864000000000000000));
	state(&rig, UINT64_C(8640000000000004384), UINT64_C(841348314606742), 0, 0);
	stop(&rig);

	/* The fastest poll and the slowest clock that are allowed. */
	config(&rig, 4);
	rig.config.clock_hz = 1e11;
	rig.config.empty_poll_cycles = 0.001; /* 0.01 ps */
	start(&rig);
	advance(&rig, UINT64_C(1000000000000)); /* all that begin before 10^12 + 1 */
	state(&rig, UINT64_C(1000000000001), UINT64_C(100000000000100), 0, 0);
	stop(&rig);
	config(&rig, 4);
	rig.config.clock_hz = 1e6;
	rig.config.empty_poll_cycles = 100000; /* 0.1 s */
	start(&rig);
	advance(&rig, UINT64_C(8640000000000000000));
	state(&rig, UINT64_C(8640000100000000000), 86400001, 0, 0);
	stop(&rig);
}
END_TEST

/* ---- what is wrong with a ring ---- */

START_TEST(announced_but_not_there)
{
	struct rig rig;

	config(&rig, 4);
	start(&rig);
	plain(&rig, 2, 0);
	cqesim_host_published(rig.host, 0, 1);
	ck_assert_int_eq(cqesim_host_advance(rig.host, 0), -EBADMSG);
	ck_assert_int_eq(cqesim_host_fault(rig.host)->kind, CQESIM_CQ_FAULT_NONE);
	ck_assert_uint_eq(cqesim_host_fault(rig.host)->index, 2);
	ck_assert_uint_eq(cqesim_host_fault(rig.host)->slot, 2);
	/* The queue has ended; it does not poll on. */
	uint64_t next = cqesim_host_next_ps(rig.host), polls = rig.stats->polls;
	ck_assert_int_eq(cqesim_host_advance(rig.host, 1000 * NS), -EBADMSG);
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), next);
	ck_assert_uint_eq(rig.stats->polls, polls);
	ck_assert_uint_eq(rig.stats->empty_polls, 0);
	ck_assert_uint_eq(rig.calls, 0);
	stop(&rig);

	/* From the first slot on, in a later lap. */
	config(&rig, 2);
	start(&rig);
	plain(&rig, 4, 0);
	advance(&rig, 0);
	plain(&rig, 2, 200 * NS);
	advance(&rig, 300 * NS);
	cqesim_host_published(rig.host, 400 * NS, 1);
	ck_assert_int_eq(cqesim_host_advance(rig.host, 1000 * NS), -EBADMSG);
	ck_assert_uint_eq(cqesim_host_fault(rig.host)->index, 6);
	ck_assert_uint_eq(cqesim_host_fault(rig.host)->slot, 2);
	stop(&rig);
}
END_TEST

START_TEST(malformed_title)
{
	for (unsigned good = 0; good < 3; good++) {
		struct rig rig;

		config(&rig, 4);
		start(&rig);
		plain(&rig, good, 0);
		session(&rig, 2, 0);
		rig.ring[good * 64 + 47] = 17;
		ck_assert_int_eq(cqesim_host_advance(rig.host, 0), -EBADMSG);
		ck_assert_int_eq(cqesim_host_fault(rig.host)->kind, CQESIM_CQ_FAULT_SESSION_LONG);
		ck_assert_uint_eq(cqesim_host_fault(rig.host)->index, good);
		ck_assert_uint_eq(cqesim_host_fault(rig.host)->count, 17);
		stop(&rig);
	}
}
END_TEST

START_TEST(deliver_stops)
{
	struct rig rig;

	config(&rig, 4);
	rig.stop_at = 2;
	start(&rig);
	plain(&rig, 12, 0);
	ck_assert_int_eq(cqesim_host_advance(rig.host, 1000 * NS), -EIO);
	/* The first burst went its way; the second one's buffers are nobody's. */
	ck_assert_uint_eq(rig.calls, 2);
	called(&rig, 1, 180 * NS, 4);
	ck_assert_uint_eq(rig.cq_dbrec, be(4));
	ck_assert_int_eq(cqesim_host_advance(rig.host, 2000 * NS), -EIO);
	ck_assert_uint_eq(rig.calls, 2);
	ck_assert_uint_eq(cqesim_host_pending(rig.host), 4);
	stop(&rig);
}
END_TEST

START_TEST(error_completions)
{
	struct rig rig;
	struct cqesim_cqe_err err = {.syndrome = CQESIM_SYNDROME_LOCAL_PROT};
	uint8_t raw[64];

	config(&rig, 4);
	start(&rig);
	plain(&rig, 1, 0);
	cqesim_cqe_err_encode(&err, raw);
	cqesim_cq_write(&rig.writer, raw, CQESIM_OP_RESP_ERR, CQESIM_FORMAT_PLAIN);
	cqesim_host_published(rig.host, 0, 1);
	plain(&rig, 1, 0);
	advance(&rig, 0);
	ck_assert_uint_eq(rig.stats->errors, 1);
	ck_assert_uint_eq(rig.stats->packets, 3);
	ck_assert_uint_eq(rig.calls, 1);
	stop(&rig);
}
END_TEST

START_TEST(nobody_listens)
{
	struct rig rig;

	config(&rig, 4);
	start(&rig);
	cqesim_host_destroy(rig.host);
	cqesim_host_destroy(NULL);
	ck_assert_int_eq(cqesim_host_create(&rig.host, &rig.config, &rig.reader, &rig.poster, NULL,
					    NULL, NULL),
			 0);
	rig.stats = cqesim_host_stats(rig.host);
	plain(&rig, 4, 0);
	advance(&rig, 180 * NS);
	ck_assert_uint_eq(rig.stats->packets, 4);
	ck_assert_uint_eq(rig.rq_dbrec, be(20));
	stop(&rig);
}
END_TEST

START_TEST(bad_configs)
{
	struct rig rig;
	struct cqesim_host_config bad[16];
	struct cqesim_host_queue *host;
	unsigned n = 0;

	config(&rig, 4);
	start(&rig);
	for (size_t i = 0; i < COUNT(bad); i++)
		bad[i] = rig.config;
	bad[n++].clock_hz = 0;
	bad[n++].clock_hz = -1e9;
	bad[n++].clock_hz = 1e12;
	bad[n++].clock_hz = NAN;
	bad[n++].empty_poll_cycles = 0;
	bad[n++].empty_poll_cycles = -5;
	bad[n++].empty_poll_cycles = NAN;
	bad[n++].burst = 0;
	bad[n++].burst = CQESIM_BURST_MAX + 1;
	bad[n++].replenish = 0;
	bad[n++].replenish = 17;
	bad[n++].poll_cycles = -1;
	bad[n++].plain_cycles = INFINITY;
	bad[n++].mini_cycles = -0.1;
	bad[n++].session_cycles = NAN;
	bad[n++].plain_cycles = 1e30;
	ck_assert_uint_eq(n, COUNT(bad));
	for (unsigned i = 0; i < n; i++) {
		host = rig.host;
		ck_assert_msg(cqesim_host_create(&host, &bad[i], &rig.reader, &rig.poster, NULL,
						 NULL, NULL) == -EINVAL,
			      "row %u", i);
		ck_assert_ptr_null(host);
	}
	/* At the limits. */
	rig.config.burst = CQESIM_BURST_MAX;
	rig.config.replenish = 16;
	rig.config.plain_cycles = 0;
	ck_assert_int_eq(
		cqesim_host_create(&host, &rig.config, &rig.reader, &rig.poster, NULL, NULL, NULL),
		0);
	cqesim_host_destroy(host);
	stop(&rig);
}
END_TEST

/* ---- the vector rule ---- */

/* In fours, at most one session a round, until the burst is full or a round finds nothing. */
START_TEST(vector_calls)
{
	struct rig rig;

	config(&rig, 6);
	rig.config.rule = CQESIM_POLL_DPDK_VEC;
	rig.config.burst = 32;
	rig.config.replenish = 64;
	start(&rig);
	plain(&rig, 3, 0); /* fewer than four are no obstacle */
	advance(&rig, 0);
	called(&rig, 0, 0, 3);
	/* A session, five, a session: three rounds of one call. 100 + 13 x 10 + 2 x 30 + 5 x 20 */
	uint64_t now = cqesim_host_next_ps(rig.host);
	ck_assert_uint_eq(now, 160 * NS);
	session(&rig, 10, now);
	plain(&rig, 5, now);
	session(&rig, 3, now);
	advance(&rig, now);
	called(&rig, 1, now, 18);
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), now + 390 * NS);
	/* A full burst, though more is there. */
	now = cqesim_host_next_ps(rig.host);
	plain(&rig, 40, now);
	advance(&rig, now);
	called(&rig, 2, now, 32);
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.call[3].n, 8);
	stop(&rig);

	/* Asked for six: the second round has room for two, which is less than four. */
	config(&rig, 6);
	rig.config.rule = CQESIM_POLL_DPDK_VEC;
	rig.config.burst = 6;
	start(&rig);
	plain(&rig, 7, 0);
	session(&rig, 9, 0);
	advance(&rig, 0);
	called(&rig, 0, 0, 4);
	/* Three and one of the session; what is left of it needs no room of four: two more. */
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.call[1].n, 6);
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.call[2].n, 6);
	session(&rig, 9, 0);
	plain(&rig, 9, 0);
	/* Four and two; then three, behind which the three places are no room. */
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.call[3].n, 6);
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.call[4].n, 3);
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.call[5].n, 4);
	stop(&rig);

	/* Fewer than four are never looked for: not a burst to begin with. */
	config(&rig, 6);
	start(&rig);
	rig.config.rule = CQESIM_POLL_DPDK_VEC;
	rig.config.burst = 3;
	struct cqesim_host_queue *host;
	ck_assert_int_eq(
		cqesim_host_create(&host, &rig.config, &rig.reader, &rig.poster, NULL, NULL, NULL),
		-EINVAL);
	stop(&rig);
}
END_TEST

/* Once a round, all but four of the free buffers, not past the ring's end. */
START_TEST(vector_posts)
{
	struct rig rig;

	config(&rig, 5);
	rig.config.rule = CQESIM_POLL_DPDK_VEC;
	rig.config.burst = 16;
	rig.config.replenish = 8;
	start(&rig);
	plain(&rig, 16, 0);
	advance(&rig, 0);
	ck_assert_uint_eq(rig.rq_dbrec, be(32)); /* at the next call */
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.rq_dbrec, be(32 + 12));
	/* 4 + 7 are 11: seven of them. */
	plain(&rig, 7, 0);
	advance(&rig, cqesim_host_next_ps(rig.host));
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.rq_dbrec, be(32 + 19));
	/* 4 + 3 are fewer than eight: none. */
	plain(&rig, 3, 0);
	advance(&rig, cqesim_host_next_ps(rig.host));
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.rq_dbrec, be(32 + 19));
	/* 7 + 12: up to the ring's end are 13, and what is left is below eight. */
	plain(&rig, 12, 0);
	advance(&rig, cqesim_host_next_ps(rig.host));
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.rq_dbrec, be(64));
	stop(&rig);
}
END_TEST

/* ---- device and driver at full load ---- */

struct load {
	struct cqesim_nic *nic;
	struct rig rig;
	uint8_t memory[2048];
	uint32_t sent[1024]; /* hashes of what was delivered and not read */
	uint32_t tail;
};

static void load_published(void *context, uint32_t cqn, uint64_t ps, uint32_t count)
{
	struct load *l = context;

	(void)cqn;
	cqesim_host_published(l->rig.host, ps, count);
}

static void *load_translate(void *context, uint32_t lkey, uint64_t address, uint32_t length)
{
	(void)lkey;
	(void)address;
	(void)length;
	return ((struct load *)context)->memory;
}

static int load_deliver(void *context, const struct cqesim_completion *c, unsigned n,
			uint64_t now_ps)
{
	struct load *l = context;

	(void)now_ps;
	for (unsigned i = 0; i < n; i++, l->rig.next++)
		if (c[i].meta.rx_hash_res != l->sent[l->rig.next % 1024])
			ck_abort_msg("packet %u (%u of %u) came out changed", l->rig.next,
				     c[i].session_i, c[i].session_n);
	return 0;
}

/*
 * Twice as many packets as the driver takes, a CQ as large as the RQ: whatever
 * the burst cuts off a session must be safe from the device.
 */
static void load(enum cqesim_poll_rule rule, enum cqesim_invalidate invalidate, bool batch,
		 unsigned burst, unsigned replenish, uint32_t max)
{
	static struct load l;
	const unsigned log_size = 6;
	struct cqesim_nic_config nic = {
		.link = {.generation = 4,
			 .lanes = 16,
			 .mps = 256,
			 .mrrs = 512,
			 .rcb = 64,
			 .addr_bits = 64,
			 .ack_every = 1,
			 .fc_every = 1,
			 .skp_blocks = 370,
			 .skp_symbols = 1538,
			 .efficiency = 1},
		.rx_buffer_bytes = 1 << 20,
		.wqe_fetch_bytes = 64,
		.compression = CQESIM_COMP_AGGRESSIVE,
		.comp_max = max,
		.comp_timeout_ps = 1000000,
		.published = load_published,
		.published_context = &l,
	};
	uint64_t seed = 3, now = 0;
	uint32_t cqn, rqn;

	memset(nic.comp_compare + 57, 0xff, 3);
	memset(&l, 0, sizeof(l));
	config(&l.rig, log_size);
	l.rig.config.rule = rule;
	l.rig.config.clock_hz = 2e9;
	l.rig.config.burst = burst;
	l.rig.config.replenish = replenish;
	l.rig.config.batch_reads = batch;
	start(&l.rig);
	cqesim_host_destroy(l.rig.host);
	l.rig.reader.invalidate = invalidate;
	ck_assert_int_eq(cqesim_host_create(&l.rig.host, &l.rig.config, &l.rig.reader,
					    &l.rig.poster, &l.rig.cq_dbrec, load_deliver, &l),
			 0);
	ck_assert_int_eq(cqesim_nic_create(&l.nic, &nic, NULL), 0);
	struct cqesim_rq_seg seg = {.address = 0x1000, .lkey = 1, .length = 2048};
	l.rig.poster.pi = 0;
	for (unsigned i = 0; i < 1u << log_size; i++)
		cqesim_rq_post(&l.rig.poster, &seg, 1);
	struct cqesim_cq_attr cq = {.ring = l.rig.ring, .log_size = log_size, .cqe_comp_en = true};
	ck_assert_int_eq(cqesim_nic_create_cq(l.nic, &cq, &cqn), 0);
	struct cqesim_rq_attr rq = {.ring = l.rig.poster.ring,
				    .log_size = log_size,
				    .dbrec = &l.rig.rq_dbrec,
				    .cqn = cqn,
				    .translate = load_translate,
				    .translate_context = &l};
	ck_assert_int_eq(cqesim_nic_create_rq(l.nic, &rq, &rqn), 0);
	ck_assert_int_eq(cqesim_nic_modify_rq(l.nic, rqn, CQESIM_QUEUE_RDY, 0), 0);

	struct cqesim_rxmeta m = {.byte_cnt = 60};
	for (unsigned i = 0; i < 20000; i++) {
		m.rx_hash_res = random_u32(&seed);
		m.flow_tag += random_u32(&seed) % 23 == 0;
		now += 6720;
		advance(&l.rig, now);
		l.sent[l.tail % 1024] = m.rx_hash_res;
		l.tail += cqesim_nic_receive(l.nic, rqn, now, &m, NULL, 0, NULL) ==
			  CQESIM_RX_DELIVERED;
	}
	cqesim_nic_step(l.nic, now + 10000000);
	advance(&l.rig, now + 1000000000);
	ck_assert_int_eq(cqesim_host_flush(l.rig.host), 0);
	ck_assert_uint_eq(l.rig.next, l.tail);
	ck_assert_uint_gt(l.tail, 1000);
	ck_assert_uint_gt(cqesim_nic_stats(l.nic)->results[CQESIM_RX_OUT_OF_BUFFER], 1000);
	cqesim_nic_destroy(l.nic);
	stop(&l.rig);
}

START_TEST(full_load)
{
	static const unsigned bursts[] = {4, 5, 7, 16, 32}, thresholds[] = {1, 4, 16};
	static const uint32_t max[] = {8, 17, 64};
	enum cqesim_invalidate invalidate = (enum cqesim_invalidate)_i;

	for (size_t b = 0; b < COUNT(bursts); b++)
		for (size_t t = 0; t < COUNT(thresholds); t++)
			for (size_t m = 0; m < COUNT(max); m++)
				for (unsigned batch = 0; batch < 2; batch++)
					load(invalidate == CQESIM_INVALIDATE_DPDK_VEC
						     ? CQESIM_POLL_DPDK_VEC
						     : CQESIM_POLL_SIMPLE,
					     invalidate, batch, bursts[b], thresholds[t], max[m]);
}
END_TEST

/* ---- one step or many ---- */

enum way { AT_ONCE, SMALL_STEPS, JUST_IN_TIME, BATCH_READS };

/* The same traffic, announced and advanced in different ways; all ends at the same time. */
static void play(struct rig *rig, enum way way, uint64_t traffic_seed, uint64_t end_ps)
{
	uint64_t seed = 5, now = 0, ps = 0;

	config(rig, 12);
	rig->config.clock_hz = 2.7e9;
	rig->config.poll_cycles = 61.3;
	rig->config.empty_poll_cycles = 17.9;
	rig->config.plain_cycles = 26.7;
	rig->config.mini_cycles = 12.123;
	rig->config.session_cycles = 85.5;
	rig->config.burst = 32;
	rig->config.replenish = 64;
	rig->config.batch_reads = way == BATCH_READS;
	start(rig);
	while (rig->packets < 4000) {
		uint32_t r = random_u32(&traffic_seed), n = 1 + (r >> 8) % 40;

		ps += r % 8 ? r % 400000 : (uint64_t)r << 4; /* up to 70 ms now and then */
		if (way == JUST_IN_TIME && ps)
			advance(rig, ps - 1);
		if (r >> 30 && n > 1)
			session(rig, n, ps);
		else
			plain(rig, n, ps);
	}
	ck_assert_uint_lt(ps, end_ps);
	while (way == SMALL_STEPS && now < end_ps) {
		/* Now and then exactly to the next poll. */
		now += random_u32(&seed) % (now < ps ? 3000000 : 2000000000);
		if (now % 5 == 0 && cqesim_host_next_ps(rig->host) > now)
			now = cqesim_host_next_ps(rig->host);
		advance(rig, now < end_ps ? now : end_ps);
	}
	advance(rig, end_ps);
	ck_assert_int_eq(cqesim_host_flush(rig->host), 0);
	ck_assert_uint_eq(cqesim_host_pending(rig->host), 0);
	ck_assert_uint_eq(rig->next, rig->packets);
}

START_TEST(steps_do_not_matter)
{
	static struct rig a, b;

	for (uint64_t seed = 1; seed <= 3; seed++) {
		play(&a, AT_ONCE, seed, UINT64_C(4) * CQESIM_PS_PER_S);
		for (unsigned way = SMALL_STEPS; way <= BATCH_READS; way++) {
			play(&b, (enum way)way, seed, UINT64_C(4) * CQESIM_PS_PER_S);
			ck_assert_mem_eq(a.stats, b.stats, sizeof(*a.stats));
			if (way != BATCH_READS) {
				ck_assert_uint_eq(a.calls, b.calls);
				ck_assert_mem_eq(a.call, b.call, sizeof(a.call));
			}
			ck_assert_uint_eq(a.cq_dbrec, b.cq_dbrec);
			ck_assert_uint_eq(a.rq_dbrec, b.rq_dbrec);
			ck_assert_uint_eq(cqesim_host_next_ps(a.host), cqesim_host_next_ps(b.host));
			stop(&b);
		}
		ck_assert_uint_gt(a.calls, 130);
		stop(&a);
	}
}
END_TEST

/* Time is polls times their cost, to the last picosecond. */
START_TEST(time_adds_up)
{
	static struct rig rig;

	play(&rig, AT_ONCE, 9, UINT64_C(4) * CQESIM_PS_PER_S);
	const struct cqesim_host_stats *s = rig.stats;
	uint64_t sessions = 0, minis = 0, polls = 0, packets = 0;
	for (unsigned i = 0; i <= CQESIM_BURST_MAX; i++) {
		polls += s->burst_hist[i];
		packets += i * s->burst_hist[i];
	}
	ck_assert_uint_eq(polls, s->polls);
	ck_assert_uint_eq(packets, s->packets);
	/* How many were in sessions, from the traffic itself. */
	uint64_t seed = 9;
	for (uint32_t sent = 0; sent < 4000;) {
		uint32_t r = random_u32(&seed), n = 1 + (r >> 8) % 40;

		if (r >> 30 && n > 1) {
			sessions++;
			minis += n;
		}
		sent += n;
	}
	/* In 1/1000 cycles of 1/2.7 ns: 10/27 ps. */
	uint64_t milli = s->empty_polls * 17900 + s->polls * 61300 + (s->packets - minis) * 26700 +
			 minis * 12123 + sessions * 85500;
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), milli * 10 / 27);
	uint64_t idle = s->empty_polls * 17900;
	ck_assert_uint_le(s->busy_ps, (milli - idle) * 10 / 27 + s->polls);
	ck_assert_uint_ge(s->busy_ps + s->polls, (milli - idle) * 10 / 27);
	stop(&rig);
}
END_TEST

Suite *suite_host(void)
{
	Suite *s = suite_create("host");
	TCase *t = tcase_create("host");

	tcase_add_test(t, empty_polls);
	tcase_add_test(t, bursts);
	tcase_add_test(t, full_ring);
	tcase_add_test(t, visible_in_time);
	tcase_add_test(t, sessions_cost_theirs);
	tcase_add_test(t, fractions_of_cycles);
	tcase_add_test(t, buffers_are_posted);
	tcase_add_test(t, sessions_are_read_whole);
	tcase_add_test(t, long_idle);
	tcase_add_test(t, announced_but_not_there);
	tcase_add_test(t, malformed_title);
	tcase_add_test(t, deliver_stops);
	tcase_add_test(t, error_completions);
	tcase_add_test(t, nobody_listens);
	tcase_add_test(t, bad_configs);
	tcase_add_test(t, vector_calls);
	tcase_add_test(t, vector_posts);
	tcase_add_loop_test(t, full_load, 0, 3);
	tcase_add_test(t, steps_do_not_matter);
	tcase_add_test(t, time_adds_up);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
	return s;
}
