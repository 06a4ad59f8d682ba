/* SPDX-License-Identifier: BSD-3-Clause */
/* What all kinds of traces have in common. */
#include <stdlib.h>

#include "trace_internal.h"

const char *cqesim_trace_skip_name(enum cqesim_trace_skip reason)
{
	switch (reason) {
	case CQESIM_SKIP_REQUESTED:
		return "requested";
	case CQESIM_SKIP_ZERO_LENGTH:
		return "zero-length";
	case CQESIM_SKIP_REASONS:
		break;
	}
	return "unknown";
}

int cqesim_trace_next(struct cqesim_trace *trace, const struct cqesim_frame **frames,
		      struct cqesim_error *err)
{
	*frames = trace->frames;
	return trace->ops->next(trace, err);
}

const struct cqesim_trace_stats *cqesim_trace_stats(const struct cqesim_trace *trace)
{
	return &trace->stats;
}

void cqesim_trace_close(struct cqesim_trace *trace)
{
	if (!trace)
		return;
	trace->ops->close(trace);
	free(trace);
}
