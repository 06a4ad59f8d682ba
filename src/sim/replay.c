/* SPDX-License-Identifier: BSD-3-Clause */
/* One reading of a trace through one or several simulations. */
#include <errno.h>

#include "cqesim/sim.h"

/* Often enough for a progress line, too rarely to cost anything. */
#define BATCHES_PER_PROGRESS 256u

int cqesim_replay_run(struct cqesim_replay *r, struct cqesim_error *err)
{
	struct cqesim_rx rx[CQESIM_BATCH];
	const struct cqesim_frame *frames;
	unsigned batches = 0;
	int n;

	while ((n = cqesim_trace_next(r->trace, &frames, err)) > 0) {
		cqesim_port_classify(r->port, frames, (unsigned)n, rx);
		cqesim_port_count(r->port_stats, rx, (unsigned)n);
		for (unsigned i = 0; i < r->sims; i++) {
			int rc = cqesim_sim_feed(r->sim[i], frames, rx, (unsigned)n, err);
			if (rc)
				return rc;
		}
		if (r->progress && ++batches % BATCHES_PER_PROGRESS == 0 &&
		    r->progress(r->progress_context, cqesim_trace_stats(r->trace)))
			return cqesim_fail(err, -EINTR, "interrupted");
	}
	if (n < 0)
		return n;
	/* Records without a byte are no frames, but a dissector counts them: nothing readable in
	 * them. */
	r->port_stats->by_view[CQESIM_VIEW_L4_NONE] +=
		cqesim_trace_stats(r->trace)->skipped[CQESIM_SKIP_ZERO_LENGTH];
	for (unsigned i = 0; i < r->sims; i++) {
		int rc = cqesim_sim_finish(r->sim[i], err);
		if (rc)
			return rc;
	}
	return 0;
}
