/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random rings, read by our reader and by the real DPDK driver: every legal pair
 * of mini format and receive function, basic layout with DPDK 22.11 and 24.11,
 * enhanced layout with 24.11, a million packets each.
 *
 * The seed is printed; CQESIM_SEED=N repeats a run, CQESIM_RING='24.11 basic vec
 * hash 3' one ring of it, whose feed is then left in the current folder.
 * CQESIM_LONG=1 tries twenty times as much, with every ring size in turn.
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test.h"
#include "test_referee_random.h"

static uint64_t master_seed;

/* ---- a pair, and all of a receive function ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void report(const struct pair *p)
{
	const struct contents *h = &p->held;

	printf("random: %s: %" PRIu64 " packets, %.1f s; %u rings of 2^%u to 2^%u slots, %" PRIu64
	       " laps, %" PRIu64 " sessions of up to %u (%" PRIu64 " over the ring's end, %" PRIu64
	       " up to it, %" PRIu64 " whole rings), %" PRIu64 " fillers, %" PRIu64 " errors",
	       p->name, p->packets, p->seconds, p->rings, h->smallest, h->largest, h->laps,
	       h->sessions, h->longest, h->over_end, h->up_to_end, h->whole_ring, h->fillers,
	       h->errors);
	for (unsigned i = 0; i < referee_exceptions; i++)
		if (p->exceptions[i])
			printf("; %s: %" PRIu64, referee_exception_name(i), p->exceptions[i]);
	printf("\n");
	fflush(stdout);
}

static void try_pair(struct pair *p)
{
	const char *only = getenv("CQESIM_RING"); /* the name and a number */
	bool more = ring_long_run();
	uint64_t quota = RING_SANITIZED ? 60000 : more ? 20000000 : 1000000;
	uint32_t each = RING_SANITIZED ? 15000 : 125000;
	unsigned smallest = ring_path_vec(p->path) ? 4 : 1;
	struct job jobs[REFEREE_JOBS] = {{0}};
	uint64_t planned = 0;
	double begin = now();
	unsigned n = 0;

	if (only)
		n = (unsigned)strtoul(only + strlen(p->name), NULL, 10);
	for (; planned < quota; n++) {
		struct job *j = &jobs[n % REFEREE_JOBS];

		referee_finish(j);
		referee_start(j, p, n, each, more ? smallest + n % (16 - smallest) : 0);
		planned += only ? quota : j->deliverable;
	}
	for (unsigned i = 0; i < REFEREE_JOBS; i++)
		referee_finish(&jobs[(n + i) % REFEREE_JOBS]);
	p->seconds = now() - begin;
	report(p);
	if (!only)
		ck_assert_uint_ge(p->packets, quota);
}

/* Which driver, and which layout: the index of the loop is one of these times a path. */
static const struct {
	bool newer;
	enum cqesim_cq_layout layout;
} drivers[] = {
	{false, CQESIM_CQ_BASIC},
	{true, CQESIM_CQ_BASIC},
	{true, CQESIM_CQ_ENHANCED},
};
static const enum ring_path paths[] = {RING_SCALAR, RING_VEC, RING_MPRQ, RING_MPRQ_VEC, RING_OOO};
#define PATHS   (sizeof(paths) / sizeof(paths[0]))
#define DRIVERS (sizeof(drivers) / sizeof(drivers[0]))

START_TEST(pairs)
{
	unsigned d = (unsigned)_i / PATHS;
	const char *why, *only = getenv("CQESIM_RING");
	struct pair p = {.path = paths[(unsigned)_i % PATHS],
			 .layout = drivers[d].layout,
			 .seed = master_seed};
	char name[64];

	snprintf(name, sizeof(name), "%s %s %s", drivers[d].newer ? "24.11" : "22.11",
		 p.layout == CQESIM_CQ_ENHANCED ? "enhanced" : "basic", ring_path_name(p.path));
	if (only && (strncmp(only, name, strlen(name)) || only[strlen(name)] != ' '))
		return;
	if (!referee_find(&p.referee, drivers[d].newer, &why)) {
		char what[128];
		snprintf(what, sizeof(what), "random %s", name);
		test_skip(what, why);
		return;
	}
	/* The same memory for one ring after the other. */
	mallopt(M_MMAP_THRESHOLD, 1 << 28);
	mallopt(M_TRIM_THRESHOLD, 1 << 29);
	for (int f = 0; f < CQESIM_MINI_FORMATS; f++) {
		p.format = (enum cqesim_mini_format)f;
		snprintf(p.name, sizeof(p.name), "%s %s", name, cqesim_mini_format_name(p.format));
		if (!ring_pair_legal(p.path, p.format))
			continue;
		if (only && (strncmp(only, p.name, strlen(p.name)) || only[strlen(p.name)] != ' '))
			continue;
		p.packets = p.rings = 0;
		p.held = (struct contents){0};
		memset(p.exceptions, 0, sizeof(p.exceptions));
		try_pair(&p);
	}
}
END_TEST

Suite *suite_random(void)
{
	Suite *s = suite_create("random");
	TCase *t = tcase_create("pairs");

	master_seed = ring_master_seed();
	printf("random: CQESIM_SEED=%#" PRIx64 "\n", master_seed);
	fflush(stdout);
	tcase_set_timeout(t, ring_long_run() ? 36000 : 1200);
	tcase_add_loop_test(t, pairs, 0, (int)(PATHS * DRIVERS));
	suite_add_tcase(s, t);
	return s;
}
