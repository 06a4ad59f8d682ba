/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cq, writer and reader together: many laps over one ring with contents chosen
 * to be mistaken for completions, and the two in threads of their own.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif
#ifndef RUNNING_ON_VALGRIND
#define RUNNING_ON_VALGRIND 0
#endif

#include "cqesim/cq.h"
#include "test_cq.h"

uint8_t *test_cq_ring(unsigned log_size)
{
	size_t bytes = (size_t)64 << log_size;
	uint8_t *ring = aligned_alloc(64, bytes);

	ck_assert_ptr_nonnull(ring);
	memset(ring, 0, bytes);
	return ring;
}

static uint32_t random_u32(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 32);
}

/* ---- stale bytes ---- */

/*
 * A byte_cnt whose last byte looks like op_own of either lap: in the eighth
 * mini of an array it lies where a slot has op_own; in the sixth it lies where
 * a title has its count, so counts that a ring can have are among them.
 */
static uint32_t tempting_length(uint64_t *seed, uint32_t size)
{
	static const uint8_t op_own[] = {0x20, 0x21, 0x2c, 0x2d, 0x00, 0x01, 0xe0, 0xe1,
					 0xd0, 0xd1, 0xf0, 0xf1, 0x0c, 0x0d, 0xec, 0xed};
	uint32_t r = random_u32(seed);

	if (r % 8 == 0)
		return 1 + random_u32(seed) % (size + 1);
	r = (r & 0xff00) | op_own[r >> 16 & 15];
	return r ? r : 0x100; /* no packet has length 0 */
}

struct sent {
	struct cqesim_rxmeta meta;
	uint64_t timestamp;
	uint16_t counter;
	uint32_t n, i;
};

struct laps {
	struct cqesim_cq_writer w;
	struct cqesim_cq_reader r;
	uint32_t size;
	uint64_t seed;
	struct sent *sent; /* ring of as many as the CQ has slots: written and not read */
	uint32_t head, tail;
};

static struct sent *sent_at(struct laps *l, uint32_t i)
{
	return &l->sent[i & (l->size - 1)];
}

/* A random packet; in a session only what the minis carry differs. */
static void next_packet(struct laps *l, uint8_t cqe[64], const struct sent *title)
{
	struct sent *s = sent_at(l, l->tail);
	uint32_t r = random_u32(&l->seed);

	if (title) {
		*s = *title;
		s->counter = (uint16_t)(title->counter + (l->tail - title->i));
	} else {
		s->meta = (struct cqesim_rxmeta){
			.flow_tag = r & 0xffffff,
			.user_index = r >> 8,
			.vlan_info = (uint16_t)(r >> 3),
			.csum = (uint16_t)(r >> 5),
			.rx_hash_type = (uint8_t)(r >> 7),
			.pkt_info = r & 3,
			.hds_ip_ext = (uint8_t)(r >> 9),
			.l4_l3_hdr_type = (uint8_t)(r >> 11),
		};
		s->timestamp = (uint64_t)random_u32(&l->seed) << 32 | r;
		s->counter = (uint16_t)random_u32(&l->seed);
	}
	s->meta.byte_cnt = tempting_length(&l->seed, l->size);
	if (l->w.format == CQESIM_MINI_HASH)
		s->meta.rx_hash_res = random_u32(&l->seed);
	else /* CSUM_STRIDX */
		s->meta.csum = (uint16_t)random_u32(&l->seed);
	cqesim_cqe_put_rx(cqe, &s->meta, s->meta.user_index, s->timestamp, s->counter);
	cqe[63] = (uint8_t)random_u32(&l->seed);
}

static void write_some(struct laps *l)
{
	uint8_t cqe[64];
	uint32_t room = l->size - (l->w.pi - l->r.ci);

	/* What was not read and the reader's open session: it gives slots back when it is through.
	 */
	if (!room)
		return;
	uint32_t n = random_u32(&l->seed) % 4 ? 1 + random_u32(&l->seed) % room : 1;
	next_packet(l, cqe, NULL);
	struct sent title = *sent_at(l, l->tail);
	title.i = l->tail;
	uint32_t can = n < 2 ? 0 : cqesim_cq_session_open(&l->w, cqe);
	if (can < 2) {
		sent_at(l, l->tail)->n = sent_at(l, l->tail)->i = 0;
		cqesim_cq_write(&l->w, cqe, CQESIM_OP_RESP_SEND, CQESIM_FORMAT_PLAIN);
		l->tail++;
		return;
	}
	n = n < can ? n : can;
	l->tail++;
	for (uint32_t i = 1; i < n; i++) {
		next_packet(l, cqe, &title);
		cqesim_cq_session_add(&l->w, cqe);
		l->tail++;
	}
	for (uint32_t i = 0; i < n; i++) {
		sent_at(l, l->tail - n + i)->n = n;
		sent_at(l, l->tail - n + i)->i = i;
	}
	if (cqesim_cq_session_close(&l->w) != n)
		ck_abort_msg("session of %u closed with another count", n);
}

static void read_some(struct laps *l, unsigned burst)
{
	struct cqesim_completion out[80];
	uint32_t waiting = l->tail - l->head;
	int want = waiting < burst ? (int)waiting : (int)burst;
	int got = cqesim_cq_poll(&l->r, out, burst, NULL);

	if (got != want)
		ck_abort_msg("index %u: %d completions, not %d", l->r.ci, got, want);
	for (int i = 0; i < got; i++, l->head++) {
		const struct sent *s = sent_at(l, l->head);
		const struct cqesim_completion *c = &out[i];

		if (memcmp(&c->meta, &s->meta, sizeof(s->meta)) || c->timestamp != s->timestamp ||
		    c->wqe_counter != s->counter || c->session_n != s->n || c->session_i != s->i ||
		    c->opcode != CQESIM_OP_RESP_SEND || c->syndrome)
			ck_abort_msg("packet %u (%u of %u) came out changed", l->head, s->i, s->n);
	}
}

/* _i: policy, ring size, format and crossing, all combined. */
START_TEST(stale_bytes)
{
	unsigned log_size = 1 + (unsigned)_i / 3 % 6;
	bool cross = _i / 18 % 2 == 0;
	enum cqesim_mini_format format = _i / 36 ? CQESIM_MINI_CSUM_STRIDX : CQESIM_MINI_HASH;
	struct laps l = {.size = 1u << log_size, .seed = (uint64_t)_i + 1};
	uint8_t *ring = test_cq_ring(log_size);
	const uint32_t laps = RUNNING_ON_VALGRIND ? 50 : 3000;

	cqesim_cq_init_ring(ring, &(struct cqesim_cq_shape){.log_size = log_size});
	l.sent = calloc(l.size, sizeof(*l.sent));
	ck_assert_int_eq(cqesim_cq_writer_init(
				 &l.w, ring,
				 &(struct cqesim_cq_shape){.log_size = log_size, .format = format},
				 l.size, cross),
			 0);
	ck_assert_int_eq(cqesim_cq_reader_init(
				 &l.r, ring,
				 &(struct cqesim_cq_shape){.log_size = log_size, .format = format},
				 (enum cqesim_invalidate)(_i % 3)),
			 0);
	while (l.tail < laps * l.size) {
		for (uint32_t i = random_u32(&l.seed) % 4; i; i--)
			write_some(&l);
		for (uint32_t i = random_u32(&l.seed) % 3; i; i--)
			read_some(&l, 1 + random_u32(&l.seed) % 70);
	}
	read_some(&l, 70);
	read_some(&l, 70);
	ck_assert_uint_eq(l.head, l.tail);
	free(l.sent);
	free(ring);
}
END_TEST

/* ---- two threads ---- */

#define THREADS_LOG 9u

struct shared {
	uint8_t *ring;
	uint32_t dbrec; /* as the NIC reads it: consumer index, big-endian */
	uint32_t packets;
	enum cqesim_invalidate invalidate;
	bool writer_done, reader_done;   /* so that neither waits for the other in vain */
	uint32_t wrong, sessions, plain; /* the reader's findings */
};

static void thread_packet(uint8_t cqe[64], uint32_t i, uint32_t first)
{
	struct cqesim_rxmeta m = {
		.byte_cnt = 60 + i % 1441,
		.rx_hash_res = i * 0x9e3779b9u,
		.flow_tag = first & 0xffffff,
		.user_index = (first ^ 0x5a5a5a) & 0xffffff,
		.csum = (uint16_t)first,
	};

	cqesim_cqe_put_rx(cqe, &m, m.user_index, UINT64_C(0x123456789a) * first, (uint16_t)i);
}

/* Slots that are free; the doorbell record counts 24 bits. */
static uint32_t free_slots(struct shared *sh, const struct cqesim_cq_writer *w)
{
	uint32_t ci = __builtin_bswap32(__atomic_load_n(&sh->dbrec, __ATOMIC_ACQUIRE));

	return (1u << THREADS_LOG) - ((w->pi - ci) & 0xffffff);
}

static void *write_thread(void *arg)
{
	struct shared *sh = arg;
	struct cqesim_cq_writer w;
	uint64_t seed = 99;
	uint8_t cqe[64] __attribute__((aligned(64)));

	if (cqesim_cq_writer_init(
		    &w, sh->ring,
		    &(struct cqesim_cq_shape){.log_size = THREADS_LOG, .format = CQESIM_MINI_HASH},
		    64, true))
		return NULL;
	for (uint32_t i = 0; i < sh->packets;) {
		uint32_t r = random_u32(&seed), first = i, room = free_slots(sh, &w);

		if (!room) {
			if (__atomic_load_n(&sh->reader_done, __ATOMIC_RELAXED))
				break;
			sched_yield();
			continue;
		}
		uint32_t n = r % 4 ? 1 + (r >> 8) % 64 : 1;
		n = n < room ? n : room;
		n = n < sh->packets - i ? n : sh->packets - i;
		thread_packet(cqe, i++, first);
		if (n < 2) {
			cqesim_cq_write(&w, cqe, CQESIM_OP_RESP_SEND, CQESIM_FORMAT_PLAIN);
			continue;
		}
		cqesim_cq_session_open(&w, cqe);
		while (i < first + n) {
			thread_packet(cqe, i, first);
			cqesim_cq_session_add(&w, cqe);
			i++;
		}
		cqesim_cq_session_close(&w);
	}
	__atomic_store_n(&sh->writer_done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void *read_thread(void *arg)
{
	struct shared *sh = arg;
	struct cqesim_cq_reader r;
	struct cqesim_completion out[100];
	uint64_t seed = 7;
	uint8_t cqe[64];
	time_t last = time(NULL); /* that something came */

	if (cqesim_cq_reader_init(
		    &r, sh->ring,
		    &(struct cqesim_cq_shape){.log_size = THREADS_LOG, .format = CQESIM_MINI_HASH},
		    sh->invalidate))
		return NULL;
	for (uint32_t i = 0; i < sh->packets;) {
		bool all_written = __atomic_load_n(&sh->writer_done, __ATOMIC_ACQUIRE);
		int got = cqesim_cq_poll(&r, out, 1 + random_u32(&seed) % 100, NULL);

		if (got < 0 || (!got && (all_written || time(NULL) > last + 20))) {
			sh->wrong++;
			break;
		}
		for (int p = 0; p < got; p++, i++) {
			struct cqesim_rxmeta m;
			uint32_t first = i - out[p].session_i;

			thread_packet(cqe, i, first);
			cqesim_cqe_get_rx(cqe, &m);
			sh->wrong += memcmp(&m, &out[p].meta, sizeof(m)) != 0 ||
				     out[p].timestamp != UINT64_C(0x123456789a) * first ||
				     out[p].wqe_counter != (uint16_t)i || out[p].opcode != 2;
			sh->plain += !out[p].session_n;
			sh->sessions += out[p].session_n && !out[p].session_i;
		}
		if (!got) {
			sched_yield();
			continue;
		}
		last = time(NULL);
		cqesim_cq_doorbell(&r, &sh->dbrec);
	}
	/* Nothing may be left that looks like a completion. */
	sh->wrong += cqesim_cq_poll(&r, out, 100, NULL) != 0;
	__atomic_store_n(&sh->reader_done, true, __ATOMIC_RELAXED);
	return NULL;
}

START_TEST(two_threads)
{
	struct shared sh = {
		.ring = test_cq_ring(THREADS_LOG),
		.packets = RUNNING_ON_VALGRIND ? 20000 : 2000000,
		.invalidate = (enum cqesim_invalidate)_i,
	};
	pthread_t writes, reads;

	cqesim_cq_init_ring(sh.ring, &(struct cqesim_cq_shape){.log_size = THREADS_LOG});
	ck_assert_int_eq(pthread_create(&writes, NULL, write_thread, &sh), 0);
	ck_assert_int_eq(pthread_create(&reads, NULL, read_thread, &sh), 0);
	pthread_join(writes, NULL);
	pthread_join(reads, NULL);
	ck_assert_uint_eq(sh.wrong, 0);
	ck_assert_uint_gt(sh.sessions, sh.packets / 100);
	ck_assert_uint_gt(sh.plain, sh.packets / 1000);
	ck_assert_uint_eq(__builtin_bswap32(sh.dbrec), sh.packets & 0xffffff);
	free(sh.ring);
}
END_TEST

void test_cq_laps(Suite *s)
{
	TCase *t = tcase_create("laps");

	tcase_add_loop_test(t, stale_bytes, 0, 3 * 6 * 2 * 2);
	tcase_add_loop_test(t, two_threads, 0, 3);
	tcase_set_timeout(t, 120);
	suite_add_tcase(s, t);
}
