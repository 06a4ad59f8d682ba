/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A driver's queue over memory of the test's own, for the tests of host.  At
 * 1 GHz a cycle takes 1000 ps; an empty poll 50 cycles, one that finds packets
 * 100 and 20 for each plain packet, 10 for each of a session and 30 for the
 * session.
 */
#ifndef CQESIM_HOST_RIG_H
#define CQESIM_HOST_RIG_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/host.h"
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

static inline void config(struct rig *rig, unsigned log_size)
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

static inline int deliver(void *context, const struct cqesim_completion *c, unsigned n,
			  uint64_t now_ps)
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

static inline void start(struct rig *rig)
{
	static uint8_t wqes[16 << CQESIM_RQ_LOG_MAX]; /* nobody looks at them here */

	rig->ring = test_cq_ring(rig->log_size);
	cqesim_cq_init_ring(rig->ring, &(struct cqesim_cq_shape){.log_size = rig->log_size});
	ck_assert_int_eq(
		cqesim_cq_writer_init(&rig->writer, rig->ring,
				      &(struct cqesim_cq_shape){.log_size = rig->log_size,
								.format = CQESIM_MINI_HASH},
				      1u << rig->log_size, true),
		0);
	ck_assert_int_eq(
		cqesim_cq_reader_init(&rig->reader, rig->ring,
				      &(struct cqesim_cq_shape){.log_size = rig->log_size,
								.format = CQESIM_MINI_HASH},
				      CQESIM_INVALIDATE_DPDK_SCALAR),
		0);
	cqesim_rq_poster_init(&rig->poster, wqes, rig->log_size, 0, &rig->rq_dbrec);
	cqesim_rq_repost(&rig->poster, 1u << rig->log_size);
	cqesim_rq_doorbell(&rig->poster);
	ck_assert_int_eq(cqesim_host_create(&rig->host, &rig->config, &rig->reader, &rig->poster,
					    &rig->cq_dbrec, deliver, rig),
			 0);
	rig->stats = cqesim_host_stats(rig->host);
}

static inline void stop(struct rig *rig)
{
	cqesim_host_destroy(rig->host);
	free(rig->ring);
}

static inline void one(struct rig *rig, uint8_t cqe[64])
{
	struct cqesim_rxmeta m = {.byte_cnt = 60 + rig->packets % 7, .rx_hash_res = rig->packets};

	cqesim_cqe_put_rx(cqe, &m, m.user_index, 0, (uint16_t)rig->packets);
	rig->packets++;
}

/* Written into the ring now, seen from ps on. */
static inline void plain(struct rig *rig, unsigned n, uint64_t ps)
{
	uint8_t cqe[64];

	for (unsigned i = 0; i < n; i++) {
		one(rig, cqe);
		cqesim_cq_write(&rig->writer, cqe, CQESIM_OP_RESP_SEND, CQESIM_FORMAT_PLAIN);
		cqesim_host_published(rig->host, ps, 1);
	}
}

static inline void session(struct rig *rig, unsigned n, uint64_t ps)
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

static inline void advance(struct rig *rig, uint64_t until_ps)
{
	int rc = cqesim_host_advance(rig->host, until_ps);

	if (rc)
		ck_abort_msg("advance to %llu: %d", (unsigned long long)until_ps, rc);
}

static inline void state(const struct rig *rig, uint64_t next_ps, uint64_t empty, uint64_t polls,
			 uint64_t packets)
{
	ck_assert_uint_eq(cqesim_host_next_ps(rig->host), next_ps);
	ck_assert_uint_eq(rig->stats->empty_polls, empty);
	ck_assert_uint_eq(rig->stats->polls, polls);
	ck_assert_uint_eq(rig->stats->packets, packets);
}

static inline void called(const struct rig *rig, unsigned i, uint64_t ps, unsigned n)
{
	ck_assert_uint_lt(i, rig->calls);
	ck_assert_uint_eq(rig->call[i].ps, ps);
	ck_assert_uint_eq(rig->call[i].n, n);
}

static inline uint32_t be(uint32_t word)
{
	return __builtin_bswap32(word);
}

static inline uint32_t random_u32(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 32);
}

/* Add the tests of the vector rule, of full load, and of one step against many. */
void test_host_load(Suite *s);
/* And those of striding queues. */
void test_host_striding(Suite *s);

#endif
