/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ring writes of a simulation, kept until the first poll that can see them: for
 * whoever follows queue 0 through struct cqesim_ring_observer.
 */
#ifndef CQESIM_RING_LOG_H
#define CQESIM_RING_LOG_H

#include "cqesim/cqe.h"

struct ring_write {
	uint64_t visible_ps;
	uint32_t slot;
	uint8_t bytes[CQESIM_CQE_BYTES];
};

struct ring_log {
	struct ring_write
		*write; /* in order; [first, count) not yet taken, [dated, count) no time yet */
	size_t first, dated, count, room;
};

/* -ENOMEM */
int ring_log_written(struct ring_log *log, uint32_t slot, const uint8_t bytes[64]);
/* What has no time yet can be seen from visible_ps on. */
void ring_log_published(struct ring_log *log, uint64_t visible_ps);
/* The next write that can be seen at now_ps, or NULL; good until the next call of another function.
 */
const struct ring_write *ring_log_take(struct ring_log *log, uint64_t now_ps);
void ring_log_free(struct ring_log *log);

#endif
