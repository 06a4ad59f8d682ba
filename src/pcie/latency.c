/* SPDX-License-Identifier: BSD-3-Clause */
/* What a link's latency allows: tags, credits, and how late an Ack may come: see pcie.h. */
#include <math.h>

#include "cqesim/pcie.h"

/* At most `headers` TLPs, and `data` credits among them, in a time of ps. */
static double per_second(uint32_t headers, uint64_t data, double data_each, uint64_t ps)
{
	double in_flight = headers ? headers : INFINITY;

	if (data && data_each > 0)
		in_flight = fmin(in_flight, floor((double)data / data_each));
	if (!isfinite(in_flight) || !ps)
		return 0;
	return in_flight * (double)CQESIM_PS_PER_S / (double)ps;
}

static double smaller_limit(double a, double b)
{
	if (!(a > 0) || !(b > 0))
		return a > 0 ? a : b;
	return fmin(a, b);
}

double cqesim_link_reads_max(const struct cqesim_link_latency *l)
{
	return smaller_limit(per_second(l->tags, 0, 0, l->rtt_ps),
			     per_second(l->read_headers, 0, 0, l->credit_return_ps));
}

double cqesim_link_posted_max(const struct cqesim_link_latency *l, double data_credits)
{
	return per_second(l->posted_headers, l->posted_data, data_credits, l->credit_return_ps);
}

double cqesim_link_ack_latest(const struct cqesim_link *link)
{
	static const unsigned delay[] = {0, 19, 70, 115, 115, 115};
	const struct cqesim_link_config *c = &link->config;
	unsigned longest = c->mps + 28; /* the specification's TLP of maximum size */
	double factor;

	if (!link->dllp_bytes)
		return 1;
	if (c->mps <= 256)
		factor = c->lanes <= 4 ? 1.4 : c->lanes <= 8 ? 2.5 : 3.0;
	else
		factor = c->lanes <= 8 ? 1.0 : 2.0;
	/* In symbol times, of which each carries a byte on every lane. */
	double symbols = floor(longest * factor / c->lanes + delay[c->generation]);

	return fmax(1, floor(symbols * c->lanes / (c->mps + link->write_header)));
}
