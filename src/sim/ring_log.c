/* SPDX-License-Identifier: BSD-3-Clause */
/* See ring_log.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ring_log.h"

int ring_log_written(struct ring_log *log, uint32_t slot, const uint8_t bytes[64])
{
	if (log->first == log->count)
		log->first = log->dated = log->count = 0;
	if (log->count == log->room) {
		size_t room = log->room ? 2 * log->room : 1024;
		struct ring_write *grown = realloc(log->write, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		log->write = grown;
		log->room = room;
	}
	struct ring_write *w = &log->write[log->count++];
	w->slot = slot;
	memcpy(w->bytes, bytes, sizeof(w->bytes));
	return 0;
}

void ring_log_published(struct ring_log *log, uint64_t visible_ps)
{
	for (; log->dated < log->count; log->dated++)
		log->write[log->dated].visible_ps = visible_ps;
}

const struct ring_write *ring_log_take(struct ring_log *log, uint64_t now_ps)
{
	if (log->first == log->dated || log->write[log->first].visible_ps > now_ps)
		return NULL;
	return &log->write[log->first++];
}

void ring_log_free(struct ring_log *log)
{
	free(log->write);
	*log = (struct ring_log){0};
}
