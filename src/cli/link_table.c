/* SPDX-License-Identifier: BSD-3-Clause */
/* --table: does it fit?  --bandwidth: reads and writes of a link, whatever card. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "link.h"

#define M      1e6
#define G      1e9
#define GREEN  "\033[32m"
#define RED    "\033[31m"
#define NORMAL "\033[0m"

static const char *const table_links[] = {
	"gen2x8",  "gen3x4", "gen3x8",  "gen3x16", "gen4x8",
	"gen4x16", "gen5x8", "gen5x16", "gen6x16", NULL,
};

static bool colours(void)
{
	return isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
}

static void table_cell(double share, bool colour)
{
	char text[16];

	if (share >= 1)
		snprintf(text, sizeof(text), "ok");
	else
		snprintf(text, sizeof(text), "no %.0f%%", floor(100 * share));
	printf(" %s%8s%s", !colour ? "" : share >= 1 ? GREEN : RED, text, colour ? NORMAL : "");
}

static int table_row(struct link_run *run, int width, uint32_t frame, json_t *list)
{
	struct cqesim_ceiling_config c = link_point(run, LINK_SIZE, frame);
	struct cqesim_error err = {""};
	struct cqesim_ceiling r;
	bool colour = colours();

	if (cqesim_ceiling(&r, &c, &err))
		return link_refuse(&err);
	double carries = link_carries(&r);
	if (!list)
		printf("%-*s %6u %9.2f", width, run->link->name, frame, carries / M);
	for (unsigned i = 0; link_speeds[i]; i++) {
		double share = carries / (cqesim_line_pps(link_speeds[i] * G, frame) * c.ports);
		json_t *o;

		if (!list) {
			table_cell(share, colour);
			continue;
		}
		o = json_pack("{s:s, s:i, s:i, s:f, s:f, s:b}", "link", run->link->name,
			      "frame_bytes", (int)frame, "gbps", (int)link_speeds[i], "link_mpps",
			      carries / M, "share", share, "fits", share >= 1);
		json_array_append_new(list, o);
	}
	if (!list)
		putchar('\n');
	return 0;
}

static void table_head(const struct link_run *run, int width)
{
	static const char *const what[] = {"received", "sent", "forwarded"};

	printf("Does the link of %s carry %s frames at line rate? Ports: %u. The efficiency of "
	       "each link\nis its profile's; \"no 57%%\" is the share that gets through.\n\n",
	       run->device->name, what[run->config.direction], run->config.ports);
	printf("%-*s %6s %9s", width, "link", "bytes", "Mpps");
	for (unsigned i = 0; link_speeds[i]; i++)
		printf(" %6uG%s", link_speeds[i], link_speeds[i + 1] ? " " : "");
	putchar('\n');
}

int link_table(struct link_run *run)
{
	static const uint32_t frames[] = {64, 128, 256, 512, 1518};
	const struct link_options *o = run->options;
	json_t *list = o->format == LINK_JSON ? json_array() : NULL;
	unsigned sizes = o->frames.count ? o->frames.count : sizeof(frames) / sizeof(frames[0]);
	const uint32_t *size = o->frames.count ? o->frames.value : frames;
	int code = 0;

	/* Those asked for, or the machine's, or a choice. */
	const char *const seen[] = {run->link_name, NULL};
	const char *const *links = o->links ? o->link : *run->link_name ? seen : table_links;

	int width = 12;

	for (unsigned i = 0; o->links ? i < o->links : links[i] != NULL; i++)
		width = (int)strlen(links[i]) > width ? (int)strlen(links[i]) : width;
	for (unsigned i = 0; !code && (o->links ? i < o->links : links[i] != NULL); i++) {
		code = link_use(run, links[i]);
		if (!code && !i && !list) {
			link_print_remarks(run);
			table_head(run, width);
		}
		for (unsigned k = 0; !code && k < sizes; k++)
			code = table_row(run, width, size[k], list);
	}
	if (!code && list)
		return link_print_list(run, list);
	json_decref(list);
	return code;
}

/* ---- bandwidth ---- */

static const char *const ops[] = {"write", "read", "both"};

/* What reads in flight allow, as a share of what the bytes allow; 1 or more: no limit. */
static double by_latency(const struct link_run *run, const struct cqesim_transfers *t)
{
	double reads = cqesim_link_reads_max(&run->config.latency);

	if (!(reads > 0) || !t->reads.num)
		return INFINITY;
	return reads / cqesim_fraction_value(t->reads);
}

static int bandwidth_row(const struct link_run *run, const struct cqesim_link *link, uint32_t size,
			 json_t *list)
{
	double efficiency = run->config.link.efficiency;
	struct cqesim_error err = {""};
	struct cqesim_transfers t;

	if (!list)
		printf("%8u", size);
	for (unsigned op = 0; op < 3; op++) {
		if (cqesim_ceiling_transfers(link, op, run->config.data_offset, size, &t, &err))
			return link_refuse(&err);
		double latency = by_latency(run, &t);
		double rate = fmin(t.per_second * efficiency, latency);

		if (!list) {
			printf("  %8.2f %8.2f %7.2f%s", t.bps / G, rate * size * 8 / G, rate / M,
			       latency < t.per_second * efficiency ? "*" : " ");
			continue;
		}
		json_array_append_new(list, json_pack("{s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:s}",
						      "op", ops[op], "bytes", (int)size, "gbps",
						      t.bps / G, "mtps", t.per_second / M,
						      "gbps_at_efficiency", t.bps * efficiency / G,
						      "gbps_with_latency", rate * size * 8 / G,
						      "mtps_with_latency", rate / M, "bound",
						      t.bound == CQESIM_BOUND_UP ? "up" : "down"));
	}
	if (!list)
		putchar('\n');
	return 0;
}

static void bandwidth_head(const struct link_run *run, const struct cqesim_link *link)
{
	const struct cqesim_link_config *c = &link->config;

	printf("%s (MPS %u, MRRS %u): %.2f Gb/s (%.2f GB/s) after the line code, %.2f for TLPs "
	       "and DLLPs.\nPayload of one direction, Gb/s at an efficiency of 1 and of %g, "
	       "million transfers a second at the latter.\n\n",
	       run->link->name, c->mps, c->mrrs, link->raw_bps / G, link->raw_bps / 8 / G,
	       cqesim_link_rate(link) * 8 / G, c->efficiency);
	printf("%8s  %-26s  %-26s  %-26s\n%8s", "", "write", "read", "read and write", "bytes");
	for (unsigned i = 0; i < 3; i++)
		printf("  %8s %8s %7s ", "Gb/s", "", "M/s");
	putchar('\n');
}

int link_bandwidth(struct link_run *run)
{
	static const uint32_t powers[] = {64, 128, 256, 512, 1024, 2048, 4096};
	const struct link_options *o = run->options;
	unsigned sizes = o->frames.count ? o->frames.count : sizeof(powers) / sizeof(powers[0]);
	const uint32_t *size = o->frames.count ? o->frames.value : powers;
	json_t *list = o->format == LINK_JSON ? json_array() : NULL;
	struct cqesim_error err = {""};
	struct cqesim_link link;
	int code = 0;

	if (cqesim_link_init(&link, &run->config.link, &err))
		return link_refuse(&err);
	if (!list) {
		link_print_remarks(run);
		bandwidth_head(run, &link);
	}
	for (unsigned i = 0; !code && i < sizes; i++)
		code = bandwidth_row(run, &link, size[i], list);
	if (!code && !list)
		printf("\n* reads in flight: %u tags at %.0f ns are %.1f million requests a second "
		       "(%s, %s).\n",
		       run->config.latency.tags, (double)run->config.latency.rtt_ps / 1e3,
		       cqesim_link_reads_max(&run->config.latency) / M,
		       cqesim_grade_name(run->link->param[CQESIM_LINK_TAGS].grade),
		       cqesim_grade_name(run->link->param[CQESIM_LINK_READ_RTT].grade));
	if (!code && list)
		return link_print_list(run, list);
	json_decref(list);
	return code;
}
