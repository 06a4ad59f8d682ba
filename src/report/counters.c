/* SPDX-License-Identifier: BSD-3-Clause */
/* A run's counters, in the format of `ethtool -S` and as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "report/report_internal.h"

/* To be freed; NULL: no memory. */
static struct cqesim_counter *counters_of(const struct cqesim_result *r, unsigned *count)
{
	struct cqesim_counter *c = calloc(CQESIM_COUNTERS_MAX, sizeof(*c));

	*count = c ? cqesim_counters(r, c, CQESIM_COUNTERS_MAX) : 0;
	return c;
}

int cqesim_report_counters(const struct cqesim_result *result, FILE *out, struct cqesim_error *err)
{
	struct report_out o;
	unsigned count;
	struct cqesim_counter *c = counters_of(result, &count);

	if (!c)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	report_begin(&o, out);
	fputs("NIC statistics:\n", out);
	for (unsigned i = 0; i < count; i++)
		fprintf(out, "     %s: %" PRIu64 "\n", c[i].name, c[i].value);
	free(c);
	return report_end(&o, err);
}

json_t *report_counters_json(struct report_json *j, const struct cqesim_result *r)
{
	json_t *o = json_object();
	unsigned count;
	struct cqesim_counter *c = counters_of(r, &count);

	if (!c)
		j->failed = true;
	for (unsigned i = 0; i < count; i++)
		report_put_u64(j, o, c[i].name, c[i].value);
	free(c);
	return o;
}
