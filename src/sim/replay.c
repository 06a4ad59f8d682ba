/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One reading of a trace through one or several simulations: by one thread, or
 * with a second one that reads and classifies ahead.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/sim.h"

/* Often enough for a progress line, too rarely to cost anything. */
#define BATCHES_PER_PROGRESS 256u
/* Read ahead; enough that neither waits for the other's pauses. */
#define SLOTS 64u
/* Handed over at a time, so that the two seldom wake each other. */
#define HANDED 16u

/* Of a batch, all but the packets' bytes: they are good until the next one is read. */
struct slot {
	int n; /* 0: the end; below: an error */
	struct cqesim_frame frame[CQESIM_BATCH];
	struct cqesim_rx rx[CQESIM_BATCH];
	struct cqesim_trace_stats stats; /* with every BATCHES_PER_PROGRESS-th batch */
};

struct reader {
	struct cqesim_replay *replay;
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	unsigned head, tail; /* batches taken, batches there */
	bool stop;
	struct cqesim_error err;
	struct slot slot[SLOTS];
};

static int feed(struct cqesim_replay *r, const struct cqesim_frame *frames,
		const struct cqesim_rx *rx, int n, struct cqesim_error *err)
{
	for (unsigned i = 0; i < r->sims; i++) {
		int rc = cqesim_sim_feed(r->sim[i], frames, rx, (unsigned)n, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* Every batch, counted from 1, comes by here. */
static int tell(struct cqesim_replay *r, unsigned batch, const struct cqesim_trace_stats *stats,
		struct cqesim_error *err)
{
	if (r->progress && batch % BATCHES_PER_PROGRESS == 0 &&
	    r->progress(r->progress_context, stats))
		return cqesim_fail(err, -EINTR, "interrupted");
	return 0;
}

static int run_alone(struct cqesim_replay *r, struct cqesim_error *err)
{
	struct cqesim_rx rx[CQESIM_BATCH];
	const struct cqesim_frame *frames;
	unsigned batches = 0;
	int n;

	while ((n = cqesim_trace_next(r->trace, &frames, err)) > 0) {
		cqesim_port_classify(r->port, frames, (unsigned)n, rx);
		cqesim_port_count(r->port_stats, rx, (unsigned)n);
		int rc = feed(r, frames, rx, n, err);
		if (!rc)
			rc = tell(r, ++batches, cqesim_trace_stats(r->trace), err);
		if (rc)
			return rc;
	}
	return n;
}

/* HANDED empty slots, or false when nobody wants another batch. */
static bool wait_for_room(struct reader *reader)
{
	pthread_mutex_lock(&reader->lock);
	while (reader->tail - reader->head > SLOTS - HANDED && !reader->stop)
		pthread_cond_wait(&reader->emptied, &reader->lock);
	bool stop = reader->stop;
	pthread_mutex_unlock(&reader->lock);
	return !stop;
}

static void hand_over(struct reader *reader, unsigned *count, pthread_cond_t *whom, unsigned now)
{
	pthread_mutex_lock(&reader->lock);
	*count = now;
	pthread_cond_signal(whom);
	pthread_mutex_unlock(&reader->lock);
}

static int read_batch(struct reader *reader, struct slot *slot, unsigned batch)
{
	struct cqesim_replay *r = reader->replay;
	const struct cqesim_frame *frames;
	int n = cqesim_trace_next(r->trace, &frames, &reader->err);

	slot->n = n;
	if (n <= 0)
		return n;
	cqesim_port_classify(r->port, frames, (unsigned)n, slot->rx);
	cqesim_port_count(r->port_stats, slot->rx, (unsigned)n);
	memcpy(slot->frame, frames, (unsigned)n * sizeof(*frames));
	for (int i = 0; i < n; i++)
		slot->frame[i].data = NULL;
	if (batch % BATCHES_PER_PROGRESS == 0)
		slot->stats = *cqesim_trace_stats(r->trace);
	return n;
}

static void *read_ahead(void *context)
{
	struct reader *reader = context;
	unsigned tail = 0;
	int n = 1;

	while (n > 0 && wait_for_room(reader)) {
		do {
			n = read_batch(reader, &reader->slot[tail % SLOTS], tail + 1);
			tail++;
		} while (n > 0 && tail % HANDED);
		hand_over(reader, &reader->tail, &reader->filled, tail);
	}
	return NULL;
}

static int simulate(struct reader *reader, struct cqesim_error *err)
{
	for (unsigned head = 0, tail = 0;; head++) {
		if (head == tail) {
			hand_over(reader, &reader->head, &reader->emptied, head);
			pthread_mutex_lock(&reader->lock);
			while (reader->tail == head)
				pthread_cond_wait(&reader->filled, &reader->lock);
			tail = reader->tail;
			pthread_mutex_unlock(&reader->lock);
		} else if (head % HANDED == 0) {
			hand_over(reader, &reader->head, &reader->emptied, head);
		}
		const struct slot *slot = &reader->slot[head % SLOTS];
		if (slot->n < 0)
			*err = reader->err;
		if (slot->n <= 0)
			return slot->n;
		int rc = feed(reader->replay, slot->frame, slot->rx, slot->n, err);
		if (!rc)
			rc = tell(reader->replay, head + 1, &slot->stats, err);
		if (rc)
			return rc;
	}
}

/* -EAGAIN: there is no second thread to be had. */
static int run_two(struct cqesim_replay *r, struct cqesim_error *err)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	pthread_t thread;

	if (!reader)
		return -EAGAIN;
	reader->replay = r;
	pthread_mutex_init(&reader->lock, NULL);
	pthread_cond_init(&reader->filled, NULL);
	pthread_cond_init(&reader->emptied, NULL);
	int rc = pthread_create(&thread, NULL, read_ahead, reader) ? -EAGAIN : 0;
	if (!rc) {
		struct cqesim_error why = {""};

		rc = simulate(reader, &why);
		if (rc && err)
			*err = why;
		pthread_mutex_lock(&reader->lock);
		reader->stop = true;
		pthread_cond_signal(&reader->emptied);
		pthread_mutex_unlock(&reader->lock);
		pthread_join(thread, NULL);
	}
	pthread_cond_destroy(&reader->emptied);
	pthread_cond_destroy(&reader->filled);
	pthread_mutex_destroy(&reader->lock);
	free(reader);
	return rc;
}

int cqesim_replay_run(struct cqesim_replay *r, struct cqesim_error *err)
{
	int rc = -EAGAIN;

	if (r->threads > 1 && !r->needs_bytes)
		rc = run_two(r, err);
	if (rc == -EAGAIN)
		rc = run_alone(r, err);
	if (rc)
		return rc;
	/* Records without a byte are no frames, but a dissector counts them: nothing readable in
	 * them. */
	r->port_stats->by_view[CQESIM_VIEW_L4_NONE] +=
		cqesim_trace_stats(r->trace)->skipped[CQESIM_SKIP_ZERO_LENGTH];
	for (unsigned i = 0; i < r->sims; i++) {
		rc = cqesim_sim_finish(r->sim[i], err);
		if (rc)
			return rc;
	}
	return 0;
}
