/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <unistd.h>

#include "progress.h"

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
	return (double)(b->tv_sec - a->tv_sec) + (double)(b->tv_nsec - a->tv_nsec) * 1e-9;
}

bool progress_start(struct progress *p, bool quiet)
{
	*p = (struct progress){.on = !quiet && isatty(STDERR_FILENO)};
	clock_gettime(CLOCK_MONOTONIC, &p->start);
	p->last = p->start;
	return p->on;
}

int progress_show(void *progress, const struct cqesim_trace_stats *s)
{
	struct progress *p = progress;
	struct timespec now;
	double done = 0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (seconds_between(&p->last, &now) < 0.25)
		return 0;
	p->last = now;
	p->shown = true;

	double elapsed = seconds_between(&p->start, &now);
	if (s->packets_total)
		done = (double)s->packets / (double)s->packets_total;
	else if (s->bytes_total)
		done = (double)s->bytes_read / (double)s->bytes_total;
	fprintf(stderr, "\r%.1f M packets, %.1f M/s", (double)s->packets / 1e6,
		(double)s->packets / 1e6 / elapsed);
	if (done > 0 && done <= 1)
		fprintf(stderr, ", %.0f %%, %.0f s left", 100 * done, elapsed * (1 - done) / done);
	fputs("\033[K", stderr);
	return 0;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
