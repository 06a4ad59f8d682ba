/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rings of a cable, in plain memory: full, around, damaged, and with two threads.
 * The latter is best run with a thread sanitizer, which sees one mapping.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "test_cable.h"

struct pair {
	struct cable_file *file;
	struct cable end[CABLE_ENDS];
};

static void lay(struct pair *p)
{
	p->file = aligned_alloc(64, sizeof(*p->file));
	ck_assert_ptr_nonnull(p->file);
	memset(p->file, 0, sizeof(*p->file));
	for (unsigned i = 0; i < CABLE_ENDS; i++) {
		atomic_store(&p->file->end[i].card, i + 1);
		p->end[i] = (struct cable){.fd = -1,
					   .file = p->file,
					   .end = i,
					   .partner = !i + 1u,
					   .partner_alive = true};
	}
}

START_TEST(both_ways)
{
	struct pair p;

	lay(&p);
	/* More than the ring holds, so that indices go around; they may begin anywhere. */
	for (unsigned i = 0; i < CABLE_ENDS; i++) {
		atomic_store(&p.file->ring[i].head, UINT32_MAX - 100);
		atomic_store(&p.file->ring[i].tail, UINT32_MAX - 100);
		p.end[i].head = p.end[i].tail = UINT32_MAX - 100;
	}
	for (uint32_t n = 0; n < 4 * CABLE_SLOTS; n++) {
		ck_assert_int_eq(put_number(&p.end[0], n), 0);
		ck_assert_int_eq(put_number(&p.end[1], n + 77), 0);
		ck_assert(get_number(&p.end[1], n));
		ck_assert(get_number(&p.end[0], n + 77));
		ck_assert(!get_number(&p.end[1], n + 1));
	}
	for (unsigned i = 0; i < CABLE_ENDS; i++) {
		ck_assert_uint_eq(p.end[i].counts.out, 4 * CABLE_SLOTS);
		ck_assert_uint_eq(p.end[i].counts.in, 4 * CABLE_SLOTS);
		ck_assert_uint_eq(p.end[i].counts.out_bytes, p.end[!i].counts.in_bytes);
		ck_assert_uint_eq(p.end[i].counts.damaged, 0);
	}
	free(p.file);
}
END_TEST

START_TEST(full)
{
	struct pair p;
	uint32_t n = 0;

	lay(&p);
	while (!put_number(&p.end[0], n))
		n++;
	ck_assert_uint_eq(n, CABLE_SLOTS);
	ck_assert_int_eq(put_number(&p.end[0], n), -EAGAIN);
	ck_assert_uint_eq(cable_on_the_way(&p.end[0]), CABLE_SLOTS);
	/* A frame waits once, however often it is tried. */
	ck_assert_uint_eq(p.end[0].counts.waits, 1);
	ck_assert(get_number(&p.end[1], 0));
	ck_assert_int_eq(put_number(&p.end[0], n), 0);
	ck_assert_int_eq(put_number(&p.end[0], n + 1), -EAGAIN);
	ck_assert_uint_eq(p.end[0].counts.waits, 2);
	for (uint32_t k = 1; k <= n; k++)
		ck_assert(get_number(&p.end[1], k));
	ck_assert(!get_number(&p.end[1], n + 1));
	ck_assert_uint_eq(p.end[0].counts.out, p.end[1].counts.in);
	ck_assert_uint_eq(cable_on_the_way(&p.end[0]), 0);
	free(p.file);
}
END_TEST

/* Frames that were read and not taken are still there. */
START_TEST(taken_later)
{
	uint8_t frame[CABLE_FRAME_MAX];
	uint32_t behind[3], length[3];
	struct pair p;

	lay(&p);
	for (uint32_t n = 0; n < 3; n++)
		ck_assert_int_eq(put_number(&p.end[0], n), 0);
	for (unsigned i = 0; i < 3; i++)
		length[i] = cable_get(&p.end[1], frame, &behind[i]);
	ck_assert_uint_eq(cable_get(&p.end[1], frame, &behind[0]), 0);
	ck_assert_uint_eq(cable_on_the_way(&p.end[0]), 3);
	cable_taken(&p.end[1], behind[1], 2, length[0] + length[1]);
	ck_assert_uint_eq(cable_on_the_way(&p.end[0]), 1);
	ck_assert_uint_eq(p.end[1].counts.in, 2);
	free(p.file);
}
END_TEST

/* What the other side may write: never believed beyond what fits. */
START_TEST(damaged)
{
	static const uint32_t lengths[] = {0, 1, CQESIM_MIN_FRAME - 1, CABLE_FRAME_MAX + 1,
					   UINT32_MAX};
	struct pair p;

	lay(&p);
	for (unsigned i = 0; i < 5; i++) {
		ck_assert_int_eq(put_number(&p.end[0], 2 * i), 0);
		p.file->ring[0].slot[(p.end[0].head - 1) % CABLE_SLOTS].length = lengths[i];
		ck_assert_int_eq(put_number(&p.end[0], 2 * i + 1), 0);
		ck_assert(get_number(&p.end[1], 2 * i + 1));
		ck_assert(!get_number(&p.end[1], 0));
		ck_assert_uint_eq(p.end[1].counts.damaged, i + 1);
	}
	/* Nothing but bad ones: gone all the same. */
	ck_assert_int_eq(put_number(&p.end[0], 0), 0);
	p.file->ring[0].slot[(p.end[0].head - 1) % CABLE_SLOTS].length = 0;
	ck_assert(!get_number(&p.end[1], 0));
	ck_assert_uint_eq(cable_on_the_way(&p.end[0]), 0);
	/* A head that no sender of ours can have: begun again behind it. */
	atomic_store(&p.file->ring[0].head, p.end[0].head + CABLE_SLOTS + 1);
	p.end[0].head += CABLE_SLOTS + 1;
	ck_assert(!get_number(&p.end[1], 0));
	ck_assert_uint_eq(p.end[1].counts.damaged, 7);
	ck_assert_int_eq(put_number(&p.end[0], 5), 0);
	ck_assert(get_number(&p.end[1], 5));
	/* A tail that no receiver can have: the sender waits, and writes nowhere else. */
	atomic_store(&p.file->ring[0].tail, p.end[0].head + 1);
	ck_assert_int_eq(put_number(&p.end[0], 5), -EAGAIN);
	ck_assert_uint_le(cable_on_the_way(&p.end[0]), CABLE_SLOTS);
	free(p.file);
}
END_TEST

/* All of the file at random, again and again. */
START_TEST(noise)
{
	uint8_t *frame = malloc(CABLE_FRAME_MAX);
	uint32_t random = 20261201, behind;
	struct pair p;

	lay(&p);
	for (unsigned round = 0; round < 3000; round++) {
		uint32_t word[6];

		for (unsigned i = 0; i < 6; i++)
			word[i] = random = random * 1664525 + 1013904223;
		atomic_store(&p.file->ring[0].head,
			     round % 3 ? p.end[1].tail + word[0] % 600 : word[0]);
		atomic_store(&p.file->ring[0].tail,
			     round % 2 ? word[1] : p.end[0].head - word[1] % 600);
		p.file->ring[0].slot[word[2] % CABLE_SLOTS].length = word[3] >> (word[4] % 32);
		for (unsigned i = 0; i < 20; i++) {
			uint32_t length = cable_get(&p.end[1], frame, &behind);

			ck_assert(!length ||
				  (length >= CQESIM_MIN_FRAME && length <= CABLE_FRAME_MAX));
			if (length)
				cable_taken(&p.end[1], behind, 1, length);
			put_number(&p.end[0], word[5] + i);
		}
	}
	ck_assert_uint_gt(p.end[1].counts.damaged, 100);
	free(frame);
	free(p.file);
}
END_TEST

/* ---- two threads ---- */

#define FRAMES 60000u

static void *send_all(void *end)
{
	for (uint32_t n = 0; n < FRAMES; n++)
		while (put_number(end, n) == -EAGAIN)
			sched_yield();
	return NULL;
}

static void *receive_all(void *end)
{
	for (uint32_t n = 0; n < FRAMES; n++)
		while (!get_number(end, n))
			sched_yield();
	return NULL;
}

START_TEST(threads)
{
	pthread_t sender, receiver;
	struct pair p;

	lay(&p);
	ck_assert_int_eq(pthread_create(&sender, NULL, send_all, &p.end[0]), 0);
	ck_assert_int_eq(pthread_create(&receiver, NULL, receive_all, &p.end[1]), 0);
	pthread_join(sender, NULL);
	pthread_join(receiver, NULL);
	ck_assert_uint_eq(p.end[0].counts.out, FRAMES);
	ck_assert_uint_eq(p.end[1].counts.in, FRAMES);
	ck_assert_uint_eq(p.end[0].counts.out_bytes, p.end[1].counts.in_bytes);
	ck_assert_uint_eq(p.end[1].counts.damaged, 0);
	free(p.file);
}
END_TEST

void add_cable_ring(Suite *suite)
{
	TCase *tc = tcase_create("ring");

	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, both_ways);
	tcase_add_test(tc, full);
	tcase_add_test(tc, taken_later);
	tcase_add_test(tc, damaged);
	tcase_add_test(tc, noise);
	tcase_add_test(tc, threads);
	suite_add_tcase(suite, tc);
}
