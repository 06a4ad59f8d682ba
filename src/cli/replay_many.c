/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs that know nothing of each other, taken by threads one after the other. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "cli.h"
#include "replay_many.h"

#define THREADS_MAX 256u

struct crew {
	pthread_mutex_t lock;
	many_job job;
	void *context;
	unsigned jobs, next, done;
	unsigned failed; /* number of the first job that did; jobs: none */
	int code;        /* its exit code */
	bool progress;
};

static void show(const struct crew *c)
{
	if (c->progress)
		fprintf(stderr, "\r%u of %u runs\033[K", c->done, c->jobs);
}

static void *work(void *context)
{
	struct crew *c = context;

	pthread_mutex_lock(&c->lock);
	while (c->next < c->jobs && !c->code) {
		unsigned i = c->next++;

		pthread_mutex_unlock(&c->lock);
		int code = c->job(c->context, i);
		pthread_mutex_lock(&c->lock);
		c->done++;
		if (code && i < c->failed) {
			c->failed = i;
			c->code = code;
		}
		show(c);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

int many_run(unsigned jobs, unsigned threads, bool quiet, many_job job, void *context)
{
	struct crew crew = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.job = job,
		.context = context,
		.jobs = jobs,
		.failed = jobs,
		.progress = !quiet && isatty(STDERR_FILENO),
	};
	pthread_t thread[THREADS_MAX];
	unsigned started = 0;

	show(&crew);
	/* One of them is this one; with fewer than asked for the work is done as well. */
	while (started + 1 < threads && started + 1 < jobs && started < THREADS_MAX &&
	       !pthread_create(&thread[started], NULL, work, &crew))
		started++;
	work(&crew);
	while (started)
		pthread_join(thread[--started], NULL);
	if (crew.progress)
		fputs("\r\033[K", stderr);
	return crew.code;
}
