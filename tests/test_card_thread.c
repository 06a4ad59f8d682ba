/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * card: a driver in another thread, with no lock around rings and doorbell records
 * and one around the card's calls, as a front end has it.  Best run with a thread
 * sanitizer.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "test_card.h"
#include "test_cq.h"

#define ROUNDS   12u
#define PACKETS  3000u
#define LOG_SIZE 6u
#define SIZE     (1u << LOG_SIZE)

struct shared {
	struct cqesim_card *card;
	pthread_mutex_t lock;
	bool stop;     /* atomic */
	uint32_t next; /* sequence number of the next frame, for the card's side */
	uint64_t now_ps;
	uint64_t sent; /* sums of what was sent, on the card's side */
};

static void *translate(void *context, uint32_t lkey, uint64_t address, uint32_t length)
{
	(void)context;
	(void)lkey;
	(void)length;
	return (void *)(uintptr_t)address;
}

static int take_sent(void *context, const struct cqesim_sent_frame *f)
{
	struct shared *s = context;
	uint8_t copy[64];

	ck_assert_uint_eq(cqesim_sent_frame_copy(f, copy, sizeof(copy)), 60);
	s->sent += cqesim_be_load(copy + 42, 4);
	return 0;
}

/* All memory of the driver, and its objects. */
struct driver {
	uint8_t *ring, *tx_ring, *buffers;
	uint8_t wqes[SIZE * 16], tx_wqes[SIZE * 64];
	uint32_t dbrec[2], cq_dbrec[2], tx_dbrec[2], tx_cq_dbrec[2];
	uint32_t cqn, rqn, tx_cqn, sqn;
	struct cqesim_rq_poster poster;
	struct cqesim_cq_reader reader, tx_reader;
	uint16_t tx_pi;
	uint32_t tx_done;
};

static void post(struct driver *d, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct cqesim_rq_seg seg = {.address = (uintptr_t)d->buffers +
						       (d->poster.pi % SIZE) * 64u,
					    .lkey = 1,
					    .length = 64};

		cqesim_rq_post(&d->poster, &seg, 1);
	}
	cqesim_rq_doorbell(&d->poster);
}

static struct driver *make(struct shared *s)
{
	struct driver *d = calloc(1, sizeof(*d));
	struct cqesim_cq_shape shape = {.log_size = LOG_SIZE};

	d->ring = test_cq_ring(LOG_SIZE);
	d->tx_ring = test_cq_ring(LOG_SIZE);
	d->buffers = calloc(SIZE, 64);
	struct cqesim_card_cq cq = {
		.ring = d->ring, .log_size = LOG_SIZE, .cqe_comp_en = true, .dbrec = d->cq_dbrec};
	struct cqesim_card_cq tx_cq = {
		.ring = d->tx_ring, .log_size = LOG_SIZE, .dbrec = d->tx_cq_dbrec};
	pthread_mutex_lock(&s->lock);
	cqesim_card_create_cq(s->card, &cq, &d->cqn);
	cqesim_card_create_cq(s->card, &tx_cq, &d->tx_cqn);
	struct cqesim_card_rq rq = {
		.ring = d->wqes, .log_size = LOG_SIZE, .dbrec = d->dbrec, .cqn = d->cqn};
	struct cqesim_card_sq sq = {
		.ring = d->tx_wqes, .log_size = LOG_SIZE, .dbrec = d->tx_dbrec, .cqn = d->tx_cqn};
	cqesim_card_create_rq(s->card, &rq, &d->rqn);
	cqesim_card_create_sq(s->card, &sq, &d->sqn);
	pthread_mutex_unlock(&s->lock);
	/* A driver fills its rings afterwards. */
	cqesim_cq_init_ring(d->ring, &shape);
	cqesim_cq_init_ring(d->tx_ring, &shape);
	cqesim_cq_reader_init(&d->reader, d->ring, &shape, CQESIM_INVALIDATE_DPDK_SCALAR);
	cqesim_cq_reader_init(&d->tx_reader, d->tx_ring, &shape, CQESIM_INVALIDATE_DPDK_SCALAR);
	cqesim_rq_poster_init(&d->poster, d->wqes, LOG_SIZE, 0, d->dbrec);
	pthread_mutex_lock(&s->lock);
	cqesim_card_modify_rq(s->card, d->rqn, CQESIM_QUEUE_RDY, s->now_ps);
	cqesim_card_modify_sq(s->card, d->sqn, CQESIM_QUEUE_RDY, s->now_ps);
	pthread_mutex_unlock(&s->lock);
	post(d, SIZE);
	return d;
}

static void unmake(struct shared *s, struct driver *d)
{
	pthread_mutex_lock(&s->lock);
	int rc = cqesim_card_destroy_sq(s->card, d->sqn);
	rc |= cqesim_card_destroy_cq(s->card, d->tx_cqn);
	rc |= cqesim_card_destroy_rq(s->card, d->rqn);
	rc |= cqesim_card_destroy_cq(s->card, d->cqn);
	pthread_mutex_unlock(&s->lock);
	ck_assert_int_eq(rc, 0);
	memset(d->buffers, 0xdd, SIZE * 64);
	free(d->ring);
	free(d->tx_ring);
	free(d->buffers);
	memset(d, 0xdd, sizeof(*d));
	free(d);
}

/* Send the frame in this buffer back, and wait until it is gone. */
static void send_back(struct driver *d, const uint8_t *frame)
{
	uint8_t *wqe = d->tx_wqes + (d->tx_pi % SIZE) * 64u;
	struct cqesim_completion c;

	memset(wqe, 0, 64);
	cqesim_be_store(wqe, 4, (uint32_t)d->tx_pi << 8 | 0x0a);
	cqesim_be_store(wqe + 4, 4, d->sqn << 8 | 3);
	wqe[11] = 8;
	cqesim_be_store(wqe + 32, 4, 60);
	cqesim_be_store(wqe + 40, 8, (uintptr_t)frame);
	d->tx_pi++;
	__atomic_store_n(&d->tx_dbrec[1], __builtin_bswap32(d->tx_pi), __ATOMIC_RELEASE);
	while (cqesim_cq_poll(&d->tx_reader, &c, 1, NULL) != 1)
		sched_yield();
	ck_assert_uint_eq(c.opcode, CQESIM_OP_REQ);
	cqesim_cq_doorbell(&d->tx_reader, d->tx_cq_dbrec);
}

static void *driver(void *context)
{
	struct shared *s = context;
	uint64_t sum = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct driver *d = make(s);
		uint32_t got = 0, last = 0;

		while (got < PACKETS) {
			struct cqesim_completion c[16];
			int n = cqesim_cq_poll(&d->reader, c, 16, NULL);

			ck_assert_int_ge(n, 0);
			for (int i = 0; i < n; i++, got++) {
				const uint8_t *frame = d->buffers + c[i].wqe_counter % SIZE * 64u;
				uint32_t sequence = (uint32_t)cqesim_be_load(frame + 42, 4);

				ck_assert_uint_eq(c[i].opcode, CQESIM_OP_RESP_SEND);
				ck_assert_uint_eq(c[i].wqe_counter, (uint16_t)got);
				ck_assert(!got || sequence > last);
				last = sequence;
				if (got % 16 == 0) {
					send_back(d, frame);
					sum += sequence;
				}
			}
			if (n) {
				cqesim_cq_doorbell(&d->reader, d->cq_dbrec);
				/* Only whole sessions are given back: see cqesim_cq_poll. */
				uint16_t back = (uint16_t)(d->reader.ci + SIZE - d->poster.pi);
				post(d, back);
			} else {
				sched_yield();
			}
		}
		unmake(s, d);
	}
	__atomic_store_n(&s->stop, true, __ATOMIC_RELEASE);
	pthread_mutex_lock(&s->lock);
	ck_assert_uint_eq(s->sent, sum);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void arrive(struct shared *s)
{
	uint8_t buf[8][64];
	struct cqesim_frame f[8];

	for (unsigned i = 0; i < 8; i++) {
		f[i] = card_frame(buf[i], 17, 1, 2, 3, 4, 18);
		cqesim_be_store(buf[i] + 42, 4, ++s->next);
	}
	pthread_mutex_lock(&s->lock);
	s->now_ps += 1000000;
	if (cqesim_card_credits(s->card) >= 8)
		cqesim_card_receive(s->card, s->now_ps, f, 8);
	cqesim_card_step(s->card, s->now_ps, 32);
	pthread_mutex_unlock(&s->lock);
}

START_TEST(two_threads)
{
	static struct card_rig rig;
	struct shared s = {.lock = PTHREAD_MUTEX_INITIALIZER};
	pthread_t thread;

	card_rig_config(&rig);
	rig.config.nic.compression = CQESIM_COMP_AGGRESSIVE;
	rig.config.nic.comp_max = 16;
	rig.config.nic.comp_timeout_ps = 20 * 1000000;
	rig.config.translate = translate;
	rig.config.send = take_sent;
	rig.config.send_context = &s;
	rig.config.event = NULL;
	card_rig_start(&rig);
	s.card = rig.card;
	ck_assert_int_eq(pthread_create(&thread, NULL, driver, &s), 0);
	while (!__atomic_load_n(&s.stop, __ATOMIC_ACQUIRE)) {
		arrive(&s);
		sched_yield();
	}
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_uint_ge(card_stats(&rig)->delivered, ROUNDS * PACKETS);
	ck_assert_uint_eq(card_stats(&rig)->violations, 0);
	card_rig_stop(&rig);
}
END_TEST

void test_card_thread(Suite *s)
{
	TCase *t = tcase_create("thread");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, two_threads);
	suite_add_tcase(s, t);
}
