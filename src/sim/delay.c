/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion delay: classes of time, see delay_add() in sim_internal.h. */
#include "sim_internal.h"

const char *cqesim_delay_name(enum cqesim_delay_kind kind)
{
	static const char *const name[CQESIM_DELAYS] = {"visible", "returned"};

	return (unsigned)kind < CQESIM_DELAYS ? name[kind] : "unknown";
}

/* What follows from the classes is not counted packet by packet. */
void delay_count(struct cqesim_delay *d)
{
	d->count = 0;
	for (unsigned i = 0; i < CQESIM_DELAY_CLASSES; i++)
		d->count += d->hist[i];
}

/* The longest time of a class. */
static uint64_t upper_edge(unsigned class)
{
	if (class < 64)
		return class;
	unsigned shift = class / 64 - 1;
	uint64_t next = (uint64_t)(class % 64 + 64 + 1);

	/* The last class ends where the numbers do. */
	return next << shift >> shift == next ? (next << shift) - 1 : UINT64_MAX;
}

uint64_t cqesim_delay_percentile(const struct cqesim_delay *d, double percent)
{
	double rank = (double)d->count * percent / 100;
	uint64_t seen = 0;

	for (unsigned i = 0; i < CQESIM_DELAY_CLASSES; i++) {
		seen += d->hist[i];
		if (seen && (double)seen >= rank) {
			uint64_t edge = upper_edge(i);

			return edge < d->max_ps ? edge : d->max_ps;
		}
	}
	return 0;
}
