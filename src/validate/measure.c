/* SPDX-License-Identifier: BSD-3-Clause */
/* The measures that a figure may name. */
#include <string.h>

#include "validate/internal.h"

static const struct {
	const char *name;
	measure_fn fn;
} measures[] = {
	/* replay.c */
	{"delivered", measure_delivered},
	{"out_of_buffer", measure_out_of_buffer},
	{"compress_blks", measure_compress_blks},
	{"compress_pkts", measure_compress_pkts},
	{"packets_per_dispatch", measure_dispatch},
	{"node_cycles", measure_node_cycles},
	/* ceiling.c */
	{"link_received", measure_link_received},
	{"link_gain", measure_link_gain},
	{"cqe_payload", measure_cqe_payload},
	/* rings.c */
	{"lost_before", measure_lost_before},
	{"lost_after", measure_lost_after},
	{"buffers_before", measure_buffers_before},
	{"buffers_after", measure_buffers_after},
	{"ratio_gain", measure_ratio_gain},
	/* cost.c */
	{"zcrx_rate", measure_zcrx_rate},
	{"zcrx_user", measure_zcrx_user},
	{"zcrx_softirq", measure_zcrx_softirq},
	{"copy_gbps", measure_copy_gbps},
	{"zero_copy_gbps", measure_zero_copy_gbps},
	{"free_thresh_gain", measure_free_thresh_gain},
};

measure_fn find_measure(const char *name)
{
	for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++)
		if (!strcmp(name, measures[i].name))
			return measures[i].fn;
	return NULL;
}
