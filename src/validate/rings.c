/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures from rings under bursts, as `cqesim rq --burst` simulates them: a
 * cyclic ring "before", a striding one "after", each drained at a ratio to the
 * rate at which packets arrive.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cqesim/buffers.h"
#include "validate/internal.h"

static struct cqesim_rq_layout before(struct evaluation *e, int *rc)
{
	return (struct cqesim_rq_layout){
		.log_wqes = (unsigned)log2(setting_number(e, "before_entries", 2, 32768, rc)),
		.segments = 1,
		.buffer_bytes = (uint32_t)setting_number(e, "before_buffer_bytes", 64, 65536, rc),
		.cqe_bytes = 64,
		.cq_factor = 1,
	};
}

static struct cqesim_rq_layout after(struct evaluation *e, int *rc)
{
	return (struct cqesim_rq_layout){
		.striding = true,
		.log_wqes = (unsigned)log2(setting_number(e, "after_wqes", 2, 32768, rc)),
		.log_strides = (unsigned)log2(setting_number(e, "after_strides", 8, 65536, rc)),
		.log_stride_bytes =
			(unsigned)log2(setting_number(e, "after_stride_bytes", 64, 8192, rc)),
		.cqe_bytes = 64,
		.cq_factor = 1,
	};
}

static int lost(struct evaluation *e, const struct cqesim_rq_layout *layout, const char *ratio,
		double *value, int rc)
{
	struct cqesim_burst b = {
		.layout = *layout,
		.packet_bytes = (uint32_t)setting_number_or(e, "packet_bytes", 60, 1, 9600, &rc),
		.ratio_num =
			(uint64_t)(setting_number(e, ratio, 0, 1, &rc) * CQESIM_BURST_STEPS + 0.5),
		.ratio_den = CQESIM_BURST_STEPS,
		.post_bulk = 1,
	};
	uint64_t packets = (uint64_t)setting_number(e, "burst", 1, 1e7, &rc);
	struct cqesim_burst_result result = {0};

	if (!rc)
		rc = cqesim_rq_layout_check(layout, e->err);
	if (rc)
		return rc;
	void *scratch = malloc(cqesim_burst_scratch(layout));
	if (!scratch)
		return cqesim_fail(e->err, -ENOMEM, "out of memory");
	rc = cqesim_burst_run(&b, packets, scratch, &result, e->err);
	free(scratch);
	*value = (double)result.lost;
	return rc;
}

int measure_lost_before(struct evaluation *e, double *value)
{
	int rc = 0;
	struct cqesim_rq_layout layout = before(e, &rc);

	return lost(e, &layout, "ratio_before", value, rc);
}

int measure_lost_after(struct evaluation *e, double *value)
{
	int rc = 0;
	struct cqesim_rq_layout layout = after(e, &rc);

	return lost(e, &layout, "ratio_after", value, rc);
}

int measure_buffers_before(struct evaluation *e, double *value)
{
	int rc = 0;
	struct cqesim_rq_layout layout = before(e, &rc);

	*value = (double)cqesim_rq_memory(&layout).buffers;
	return rc;
}

int measure_buffers_after(struct evaluation *e, double *value)
{
	int rc = 0;
	struct cqesim_rq_layout layout = after(e, &rc);

	*value = (double)cqesim_rq_memory(&layout).buffers;
	return rc;
}

/* Percent by which the second driver would have to be faster, arrivals being the same. */
int measure_ratio_gain(struct evaluation *e, double *value)
{
	int rc = 0;
	double a = setting_number(e, "ratio_before", 1e-6, 1, &rc),
	       b = setting_number(e, "ratio_after", 0, 1, &rc);

	*value = rc ? 0 : 100 * (b / a - 1);
	return rc;
}
