/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbered frames as a trace. */
#include <errno.h>
#include <stdlib.h>

#include "numbered.h"
#include "trace_internal.h"

struct numbered_trace {
	struct cqesim_trace base;
	struct numbered table;
	uint64_t at, end;
};

static int numbered_next(struct cqesim_trace *trace, struct cqesim_error *err)
{
	struct numbered_trace *t = (struct numbered_trace *)trace;
	struct cqesim_trace_stats *stats = &trace->stats;
	uint64_t left = t->end - t->at;
	unsigned n = left < CQESIM_BATCH ? (unsigned)left : CQESIM_BATCH;

	(void)err;
	for (unsigned i = 0; i < n; i++, t->at++) {
		struct numbered_frame *f = &t->table.frame[t->at % NUMBERED_FRAMES];

		/* In its place: a batch is shorter than the table, so no frame is in it twice. */
		numbered_stamp(f, t->at);
		trace->frames[i] = (struct cqesim_frame){
			.data = f->bytes,
			.time_ps =
				trace_timer_stamp(&trace->timer, 0, f->len, &stats->gaps_clamped),
			.cap_len = f->len,
			.orig_len = f->len,
			.len = f->len,
		};
		stats->capture_bytes += f->len;
		stats->stored_bytes += f->len;
		stats->wire_bytes += f->len + CQESIM_FCS_BYTES;
	}
	stats->packets += n;
	stats->frames += n;
	if (n)
		stats->last_ps = trace->frames[n - 1].time_ps;
	return (int)n;
}

static void numbered_close(struct cqesim_trace *trace)
{
	numbered_free(&((struct numbered_trace *)trace)->table);
}

int cqesim_trace_open_numbered(struct cqesim_trace **trace, const char *mix, uint64_t line_bps,
			       const struct cqesim_trace_config *config, struct cqesim_error *err)
{
	static const struct trace_ops ops = {.next = numbered_next, .close = numbered_close};
	struct numbered_trace *t = calloc(1, sizeof(*t));

	if (!t)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	t->base.ops = &ops;
	t->base.stats.synthetic = true;
	if (config)
		t->base.config = *config;
	t->end = t->base.config.limit ? t->base.config.limit : UINT64_MAX;
	struct cqesim_rate rate = t->base.config.rate;
	int rc = numbered_make(&t->table, mix, err);
	if (!rc && rate.kind == CQESIM_RATE_SPEEDUP)
		rc = cqesim_fail(err, -EINVAL,
				 "numbered frames have no times to speed up; give packets or bits "
				 "per second");
	if (!rc && rate.kind == CQESIM_RATE_ASIS)
		rc = cqesim_rate_parse("line", line_bps, &rate, err);
	if (!rc)
		rc = trace_timer_init(&t->base.timer, &rate, err);
	if (rc) {
		cqesim_trace_close(&t->base);
		return rc;
	}
	*trace = &t->base;
	return 0;
}
