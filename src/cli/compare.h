/* SPDX-License-Identifier: BSD-3-Clause */
/* Two texts of `ethtool -S`: see compare_read.c. */
#ifndef CQESIM_COMPARE_H
#define CQESIM_COMPARE_H

#include "cqesim/sim.h"

struct statistics {
	struct cqesim_counter *counter;
	unsigned count, room;
	unsigned other_lines; /* that are no counter, headings and empty ones apart */
};

/* The counters of a file ("-": standard input); -EINVAL: there is none, or a line is broken. */
int statistics_read(const char *file, struct statistics *s, struct cqesim_error *err);
void statistics_free(struct statistics *s);
/* NULL: there is none of that name. */
const struct cqesim_counter *statistics_find(const struct statistics *s, const char *name);

#endif
