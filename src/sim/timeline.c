/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happened when, in steps of time.  How long a run is, is not known before it
 * ends: when there are too many steps, two become one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim_internal.h"

#define STEPS_WANTED 200u
#define STEPS_MAX    (1u << 20)
#define FIRST_STEP   1000u /* ps */

struct cqesim_timeline {
	struct cqesim_step *step; /* `most` of the first queue, of the next ... */
	uint64_t step_ps;
	unsigned most, count;
	unsigned queues; /* with steps of their own; 0: shared */
};

int cqesim_timeline_create(struct cqesim_timeline **out, uint64_t step_ps, unsigned queues)
{
	unsigned rows = queues ? queues : 1;
	struct cqesim_timeline *t = calloc(1, sizeof(*t));

	*out = NULL;
	if (!t)
		return -ENOMEM;
	t->step_ps = step_ps ? step_ps : FIRST_STEP;
	t->queues = queues;
	t->most = step_ps ? STEPS_MAX / rows & ~1u : STEPS_WANTED;
	/* Untouched pages cost nothing, and nothing can fail later. */
	t->step = t->most ? calloc((size_t)rows * t->most, sizeof(*t->step)) : NULL;
	if (!t->step) {
		free(t);
		return -ENOMEM;
	}
	*out = t;
	return 0;
}

void cqesim_timeline_destroy(struct cqesim_timeline *t)
{
	if (t)
		free(t->step);
	free(t);
}

static struct cqesim_step *steps_of(const struct cqesim_timeline *t, unsigned queue)
{
	return t->step + (t->queues ? (size_t)queue * t->most : 0);
}

const struct cqesim_step *cqesim_timeline_steps(const struct cqesim_timeline *t, unsigned queue,
						unsigned *count, uint64_t *step_ps)
{
	*count = t->count;
	*step_ps = t->step_ps;
	return steps_of(t, queue);
}

unsigned cqesim_timeline_queues(const struct cqesim_timeline *t)
{
	return t->queues;
}

static void merge(struct cqesim_step *to, const struct cqesim_step *more)
{
	to->offered += more->offered;
	for (unsigned d = 0; d < CQESIM_DROPS; d++)
		to->lost[d] += more->lost[d];
	to->delivered += more->delivered;
	to->polls += more->polls;
	to->backlog_sum_ps += more->backlog_sum_ps;
	to->occupancy_sum += more->occupancy_sum;
	if (more->backlog_max_ps > to->backlog_max_ps)
		to->backlog_max_ps = more->backlog_max_ps;
	if (more->occupancy_max > to->occupancy_max)
		to->occupancy_max = more->occupancy_max;
}

static void halve(struct cqesim_step *step, unsigned count)
{
	unsigned half = (count + 1) / 2;

	for (unsigned i = 0; i < half; i++) {
		struct cqesim_step sum = step[2 * i];

		if (2 * i + 1 < count)
			merge(&sum, &step[2 * i + 1]);
		step[i] = sum;
	}
	memset(&step[half], 0, (count - half) * sizeof(*step));
}

static void widen(struct cqesim_timeline *t)
{
	for (unsigned q = 0; q < t->queues || !q; q++)
		halve(steps_of(t, q), t->count);
	t->count = (t->count + 1) / 2;
	t->step_ps *= 2;
}

static struct cqesim_step *step_at(struct cqesim_timeline *t, unsigned queue, uint64_t now_ps)
{
	while (now_ps / t->step_ps >= t->most)
		widen(t);
	unsigned i = (unsigned)(now_ps / t->step_ps);
	if (i >= t->count)
		t->count = i + 1;
	return &steps_of(t, queue)[i];
}

void timeline_arrival(struct cqesim_timeline *t, unsigned queue, uint64_t now_ps,
		      uint64_t backlog_ps, int drop)
{
	struct cqesim_step *s = step_at(t, queue, now_ps);

	s->offered++;
	if (drop != NO_DROP)
		s->lost[drop]++;
	if (drop == CQESIM_DROP_OVERSIZE)
		return;
	s->backlog_sum_ps += (double)backlog_ps;
	if (backlog_ps > s->backlog_max_ps)
		s->backlog_max_ps = backlog_ps;
}

void timeline_poll(struct cqesim_timeline *t, unsigned queue, uint64_t now_ps, uint64_t packets,
		   uint64_t polls, uint64_t occupancy)
{
	struct cqesim_step *s = step_at(t, queue, now_ps);

	s->delivered += packets;
	s->polls += polls;
	s->occupancy_sum += occupancy;
	if (polls && occupancy / polls > s->occupancy_max)
		s->occupancy_max = occupancy / polls;
}
