/* SPDX-License-Identifier: BSD-3-Clause */
/* The cable between two cards: processes, those that are killed, and many at once. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_cable.h"

/* ---- those that are killed ---- */

/* A child that has an end, puts so many frames there, and waits to be killed. */
static pid_t child_with_end(uint32_t frames)
{
	int ready[2];
	char byte;

	ck_assert_int_eq(pipe(ready), 0);
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		struct cable c = plugged(path());

		for (uint32_t n = 0; n < frames; n++)
			put_number(&c, n);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void kill_it(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

START_TEST(partner_killed)
{
	struct cable a = plugged(path());
	pid_t pid = child_with_end(3);

	ck_assert(cable_is_up(&a));
	for (uint32_t n = 0; n < 3; n++)
		ck_assert(get_number(&a, n));
	for (uint32_t n = 0; n < 20; n++)
		ck_assert_int_eq(put_number(&a, n), 0);
	kill_it(pid);
	cable_look(&a);
	ck_assert(!cable_is_up(&a));
	ck_assert_uint_eq(cable_left(&a), 20);
	ck_assert_uint_eq(cable_on_the_way(&a), 0);
	ck_assert_int_eq(put_number(&a, 20), 0);
	ck_assert_uint_eq(a.counts.down, 1);
	/* Its end is free; nothing old is for whoever takes it. */
	struct cable b = plugged(path());
	ck_assert_uint_eq(b.end, 1);
	ck_assert(!get_number(&b, 0));
	ck_assert_int_eq(put_number(&a, 21), 0);
	ck_assert(get_number(&b, 21));
	ck_assert_uint_eq(cable_left(&a), 20);
	ck_assert_uint_eq(a.counts.down, 1);
	/* A new one may be there before the death of the old was noticed. */
	cable_leave(&b);
	pid = child_with_end(0);
	ck_assert(cable_is_up(&a));
	ck_assert_int_eq(put_number(&a, 22), 0);
	kill_it(pid);
	b = plugged(path());
	ck_assert_int_eq(put_number(&a, 23), 0);
	ck_assert(get_number(&b, 23));
	ck_assert_uint_eq(cable_left(&a), 21);
	cable_leave(&b);
	cable_leave(&a);
	ck_assert(!is_there());
}
END_TEST

START_TEST(both_killed)
{
	pid_t first = child_with_end(0), second = child_with_end(CABLE_SLOTS / 2);
	struct cqesim_error err = {""};
	struct cable c;

	ck_assert_int_eq(cable_take(&c, path(), &err), -EBUSY);
	kill_it(first);
	kill_it(second);
	ck_assert(is_there());
	struct cable a = plugged(path()), b = plugged(path());
	ck_assert_uint_eq(a.end, 0);
	ck_assert_uint_eq(b.end, 1);
	ck_assert(!get_number(&a, 0));
	ck_assert(!get_number(&b, 0));
	ck_assert_uint_eq(cable_left(&a) + cable_left(&b), 0);
	cable_leave(&a);
	cable_leave(&b);
	ck_assert(!is_there());
}
END_TEST

/* ---- processes ---- */

#define FRAMES 20000u

START_TEST(processes)
{
	struct cable a = plugged(path());
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) { /* echoes */
		uint8_t *frame = malloc(CABLE_FRAME_MAX);
		struct cable b = plugged(path());

		for (uint32_t n = 0; n < FRAMES;) {
			uint32_t behind, length = cable_get(&b, frame, &behind);

			while (length && cable_put(&b, frame, length))
				sched_yield();
			if (!length) {
				sched_yield();
				continue;
			}
			cable_taken(&b, behind, 1, length);
			n++;
		}
		cable_leave(&b);
		free(frame);
		_exit(b.counts.down || b.counts.in != FRAMES ? 1 : 0);
	}
	while (!cable_is_up(&a))
		sched_yield();
	for (uint32_t sent = 0, back = 0; back < FRAMES;) {
		if (sent < FRAMES && !put_number(&a, sent))
			sent++;
		if (get_number(&a, back))
			back++;
		else if (sent == FRAMES)
			sched_yield();
	}
	int status;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(a.counts.out_bytes, a.counts.in_bytes);
	ck_assert_uint_eq(a.counts.down + a.counts.damaged + cable_left(&a), 0);
	cable_leave(&a);
	ck_assert(!is_there());
}
END_TEST

/* Many come and go: never more than two have it, and at the end nothing is there. */
START_TEST(crowd)
{
	enum { PEOPLE = 6, ROUNDS = 150 };
	struct together {
		atomic_int inside[CABLE_ENDS], got;
	} *t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *at = path();

	ck_assert(t != MAP_FAILED);
	for (unsigned i = 0; i < PEOPLE; i++)
		if (!fork()) {
			for (unsigned k = 0; k < ROUNDS; k++) {
				struct cqesim_error err = {""};
				struct cable c;
				int rc = cable_take(&c, at, &err);

				if (rc == -EBUSY)
					continue;
				if (rc || atomic_fetch_add(&t->inside[c.end], 1))
					_exit(1);
				atomic_fetch_add(&t->got, 1);
				if ((i + k) % 3 == 0)
					sched_yield();
				atomic_fetch_sub(&t->inside[c.end], 1);
				cable_leave(&c);
			}
			_exit(0);
		}
	for (unsigned i = 0; i < PEOPLE; i++) {
		int status;

		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_int_ge(atomic_load(&t->got), ROUNDS);
	ck_assert(!is_there());
	munmap(t, sizeof(*t));
}
END_TEST

void add_cable_processes(Suite *suite)
{
	TCase *tc = tcase_create("processes");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, partner_killed);
	tcase_add_test(tc, both_killed);
	tcase_add_test(tc, processes);
	tcase_add_test(tc, crowd);
	suite_add_tcase(suite, tc);
}
