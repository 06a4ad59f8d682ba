/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --combinations: which sizes of a WQE fetch, with which efficiency of the
 * link, come to a rate that somebody measured.  Both are unknown; choosing a
 * pair is fitting, and one number cannot fit two.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli.h"
#include "link.h"

#define M      1e6
#define WITHIN 0.03

/* TLP-layer efficiencies, after code and framing, that were measured. */
static const struct {
	double value;
	const char *whose;
} efficiencies[] = {
	{1.0, "nothing lost"},
	{0.97, "this model's default, fitted"},
	{0.957, "pcie-bench NFP-6000, reads, best"},
	{0.947, "pcie-bench NFP-6000, writes, best"},
	{0.941, "pcie-bench NFP-6000, reads, worst"},
	{0.920, "pcie-bench NFP-6000, writes, worst"},
};
#define EFFICIENCIES (sizeof(efficiencies) / sizeof(efficiencies[0]))

static const uint32_t fetches[] = {16, 32, 64, 128, 256, 512, 1024};
#define FETCHES (sizeof(fetches) / sizeof(fetches[0]))

struct tried {
	double pps[EFFICIENCIES];
	struct cqesim_ceiling r;
	bool possible; /* the fetch holds whole WQEs */
};

static int try(const struct link_run *run, struct tried tried[FETCHES])
{
	struct cqesim_error err = {""};

	for (unsigned f = 0; f < FETCHES; f++) {
		struct cqesim_ceiling_config c = run->config;

		c.rx_desc_fetch = fetches[f];
		c.link.efficiency = 1;
		tried[f].possible = !(fetches[f] % c.rx_desc_bytes);
		if (tried[f].possible && cqesim_ceiling(&tried[f].r, &c, &err))
			return link_refuse(&err);
		for (unsigned e = 0; e < EFFICIENCIES; e++)
			tried[f].pps[e] = tried[f].r.link_pps * efficiencies[e].value;
	}
	return 0;
}

static double deviation(const struct link_run *run, double pps)
{
	double published = run->options->published_pps;

	return published > 0 ? pps / published - 1 : NAN;
}

static void text(const struct link_run *run, const struct tried tried[FETCHES])
{
	double published = run->options->published_pps;
	unsigned near = 0, all = 0;
	char bytes[CQESIM_FRACTION_TEXT];

	printf("%s on %s, %u-byte frames%s: what the link carries by the size of a WQE fetch\n"
	       "and the efficiency of the link, Mpps%s\n\n%-40s",
	       run->device->name, run->link->name, run->config.frame_bytes,
	       run->config.pad ? ", padded to lines" : "",
	       published > 0 ? "; * within 3 % of the published rate" : "", "fetch, bytes");
	for (unsigned f = 0; f < FETCHES; f++)
		if (tried[f].possible)
			printf(" %8u", fetches[f]);
	printf("\n%-40s", "bytes up per packet");
	for (unsigned f = 0; f < FETCHES; f++)
		if (tried[f].possible)
			printf(" %8s", cqesim_fraction_decimals(tried[f].r.up_bytes, 2, bytes));
	putchar('\n');
	for (unsigned e = 0; e < EFFICIENCIES; e++) {
		printf("%.3f %-34s", efficiencies[e].value, efficiencies[e].whose);
		for (unsigned f = 0; f < FETCHES; f++) {
			bool is_near = fabs(deviation(run, tried[f].pps[e])) <= WITHIN;

			if (!tried[f].possible)
				continue;
			printf(" %7.2f%c", tried[f].pps[e] / M, is_near ? '*' : ' ');
			near += is_near;
			all++;
		}
		putchar('\n');
	}
	if (published > 0)
		printf("\n%u of %u come within 3 %% of %.4g Mpps. Neither number is published for "
		       "this card:\nchoosing one of them is fitting one parameter to this rate, "
		       "not "
		       "predicting it.\n",
		       near, all, published / M);
}

static void json(const struct link_run *run, const struct tried tried[FETCHES])
{
	json_t *list = json_array();
	char bytes[CQESIM_FRACTION_TEXT];

	for (unsigned f = 0; f < FETCHES; f++)
		for (unsigned e = 0; e < EFFICIENCIES && tried[f].possible; e++) {
			double d = deviation(run, tried[f].pps[e]);
			json_t *o =
				json_pack("{s:i, s:f, s:s, s:s, s:f}", "wqe_fetch_bytes",
					  (int)fetches[f], "efficiency", efficiencies[e].value,
					  "efficiency_source", efficiencies[e].whose, "up_exact",
					  cqesim_fraction_text(tried[f].r.up_bytes, bytes), "mpps",
					  tried[f].pps[e] / M);

			json_object_set_new(o, "deviation", isnan(d) ? json_null() : json_real(d));
			json_object_set_new(o, "within_3_percent",
					    isnan(d) ? json_null()
						     : json_boolean(fabs(d) <= WITHIN));
			json_array_append_new(list, o);
		}
	link_print_list(run, list);
}

int link_combinations(struct link_run *run)
{
	static struct tried tried[FETCHES];
	int code = try(run, tried);

	if (code)
		return code;
	if (run->options->format == LINK_JSON)
		json(run, tried);
	else {
		link_print_remarks(run);
		text(run, tried);
	}
	return 0;
}
