/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer for people: a sentence, then bytes, limits and shares of line rate. */
#include <math.h>
#include <string.h>

#include "cli.h"
#include "link.h"

#define M 1e6

const struct cqesim_param *link_bound_param(const struct link_run *run, enum cqesim_bound bound)
{
	switch (bound) {
	case CQESIM_BOUND_UP:
	case CQESIM_BOUND_DOWN:
		return &run->link->param[CQESIM_LINK_EFFICIENCY];
	case CQESIM_BOUND_LINE:
		return &run->device->param[CQESIM_DEV_PORT_SPEED];
	case CQESIM_BOUND_PORT:
		return &run->device->param[CQESIM_DEV_MAX_PPS];
	case CQESIM_BOUND_DEVICE:
		return &run->device->param[CQESIM_DEV_DEVICE_MAX_PPS];
	case CQESIM_BOUND_QUEUES:
		return &run->device->param[CQESIM_DEV_QUEUE_MAX_PPS];
	case CQESIM_BOUND_BUS:
		return &run->device->param[CQESIM_DEV_BUS_CLOCK];
	case CQESIM_BOUND_COMPLETIONS:
		return &run->device->param[CQESIM_DEV_COMPLETION_RATE];
	case CQESIM_BOUND_TAGS:
		return &run->link->param[CQESIM_LINK_TAGS];
	case CQESIM_BOUND_CREDITS:
		return &run->link->param[CQESIM_LINK_POSTED_HEADERS];
	default:
		return NULL;
	}
}

static const char *direction_words(enum cqesim_bound bound)
{
	return bound == CQESIM_BOUND_UP ? "device to host" : "host to device";
}

/* The cause that takes most of a direction's bytes. */
static unsigned largest(const struct cqesim_fraction bytes[CQESIM_CAUSES])
{
	unsigned most = 0;

	for (unsigned i = 1; i < CQESIM_CAUSES; i++)
		if (cqesim_fraction_value(bytes[i]) > cqesim_fraction_value(bytes[most]))
			most = i;
	return most;
}

static const char *grade(const struct cqesim_param *p)
{
	return p ? cqesim_grade_name(p->grade) : "given";
}

/* What the packets would come at: the line, or less when less is offered. */
static double demand(const struct cqesim_ceiling *r)
{
	return fmin(r->bound_pps[CQESIM_BOUND_LINE], r->bound_pps[CQESIM_BOUND_OFFERED]);
}

/* Four or so digits: large packets come in few millions. */
static const char *mpps(double pps, char text[24])
{
	snprintf(text, 24, "%.*f Mpps", pps < 10 * M ? 2 : 1, pps / M);
	return text;
}

static void speeds(const struct link_run *run, const struct cqesim_ceiling_config *c,
		   const struct cqesim_ceiling *r, char *text, size_t size)
{
	const char *gbps = cqesim_profile_text(run->device, CQESIM_DEV_PORT_SPEED);
	char ports[32] = "", rate[24];

	if (c->ports > 1)
		snprintf(ports, sizeof(ports), "%u x ", c->ports);
	if (r->bound_pps[CQESIM_BOUND_OFFERED] < r->bound_pps[CQESIM_BOUND_LINE])
		snprintf(text, size, "the offered rate is %s",
			 mpps(r->bound_pps[CQESIM_BOUND_OFFERED], rate));
	else
		snprintf(text, size, "line rate at %s%s Gb/s is %s", ports, gbps,
			 mpps(r->bound_pps[CQESIM_BOUND_LINE], rate));
}

/* What no rate can be computed of. */
static void add_rings(const struct cqesim_ceiling_config *c, const struct cqesim_ceiling *r,
		      char *text, size_t size)
{
	size_t used = strlen(text);

	if (c->ddio_bytes && r->ring_bytes > c->ddio_bytes && used < size)
		snprintf(text + used, size - used,
			 " But the rings are %.1f times what DMA may fill of the cache: look there "
			 "next.",
			 (double)r->ring_bytes / (double)c->ddio_bytes);
}

/* "it carries 84.7 Mpps of 64-byte frames (87.3 Mpps at an efficiency of 1), line rate ..." */
static void carried(const struct link_run *run, const struct cqesim_ceiling_config *c,
		    const struct cqesim_ceiling *r, char text[256])
{
	char now[24], best[24];
	size_t n = (size_t)snprintf(
		text, 256, "carries %s of %u-byte frames (%s at an efficiency of 1), ",
		mpps(link_carries(r), now), c->frame_bytes, mpps(r->link_pps, best));

	speeds(run, c, r, text + n, 256 - n);
}

void link_sentence(const struct link_run *run, const struct cqesim_ceiling_config *c,
		   const struct cqesim_ceiling *r, char *text, size_t size)
{
	double carries = link_carries(r), wanted = demand(r);
	bool up = r->link_bound == CQESIM_BOUND_UP;
	const struct cqesim_fraction *bytes = up ? r->up : r->down;
	double all = cqesim_fraction_value(up ? r->up_bytes : r->down_bytes);
	unsigned most = largest(bytes);
	char rate[256], limit[24];

	carried(run, c, r, rate);
	switch (r->binding) {
	case CQESIM_BOUND_UP:
	case CQESIM_BOUND_DOWN:
		snprintf(text, size,
			 "The link is the limit: it %s. %.0f %% of that get through. The direction "
			 "from %s is full; %.0f %% of its bytes are %s.",
			 rate, 100 * carries / wanted, direction_words(r->link_bound),
			 100 * cqesim_fraction_value(bytes[most]) / all, cqesim_cause_name(most));
		return;
	case CQESIM_BOUND_LINE:
	case CQESIM_BOUND_OFFERED:
		snprintf(text, size,
			 "The link has room: it %s. That fills %.0f %% of it; no limit known here "
			 "is below.",
			 rate, 100 * wanted / carries);
		break;
	default:
		snprintf(text, size, "%s: the limit is the %s, %s (%s). The link %s%s.",
			 r->binding == CQESIM_BOUND_TAGS || r->binding == CQESIM_BOUND_CREDITS
				 ? "The link's latency, not its bytes"
				 : "Not the link",
			 cqesim_bound_name(r->binding), mpps(r->pps, limit),
			 grade(link_bound_param(run, r->binding)), rate,
			 carries < wanted ? "; beyond the first limit it would be one too" : "");
		break;
	}
	add_rings(c, r, text, size);
}

/* Text in lines of at most 78 columns. */
static void wrapped(const char *text)
{
	unsigned column = 0;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (column && column + 1 + n > 78) {
			putchar('\n');
			column = 0;
		} else if (column) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)n, text);
		column += (unsigned)n;
		text += n + (text[n] == ' ');
	}
	putchar('\n');
}

static void describe_queue(const struct cqesim_ceiling_config *c)
{
	char n[CQESIM_FRACTION_TEXT];

	if (c->direction == CQESIM_TX)
		return;
	if (!c->mlx5) {
		printf(", descriptors of %u bytes read %u at a time", c->rx_desc_bytes,
		       c->rx_desc_fetch / c->rx_desc_bytes);
		return;
	}
	if (c->rx_strides)
		printf(", striding queue of %u x %u bytes", c->rx_strides, c->stride_bytes);
	else
		printf(", cyclic queue");
	if (c->cqe_mode < CQESIM_CQE_ARRAYS) {
		printf(", CQEs of %s bytes", c->cqe_mode == CQESIM_CQE_PLAIN64 ? "64" : "128");
		return;
	}
	printf(", sessions of %s packets (%s)",
	       c->session.den == 1 ? cqesim_fraction_text(c->session, n)
				   : cqesim_fraction_decimals(c->session, 2, n),
	       cqesim_cqe_mode_name(c->cqe_mode));
	if (c->compressed.num != c->compressed.den)
		printf(" for %.3g %% of them", 100 * cqesim_fraction_value(c->compressed));
}

static void describe(const struct link_run *run, const struct cqesim_ceiling_config *c)
{
	static const char *const what[] = {"receiving", "sending", "forwarding"};

	printf("%s on %s (MPS %u, MRRS %u), %s%s", run->device->name, run->link->name, c->link.mps,
	       c->link.mrrs, what[c->direction], c->pad ? ", data padded to lines" : "");
	describe_queue(c);
	putchar('\n');
}

static void cell(struct cqesim_fraction f)
{
	char text[CQESIM_FRACTION_TEXT];

	printf(" %12s", f.num ? cqesim_fraction_decimals(f, 3, text) : "-");
}

static void bytes_table(const struct cqesim_ceiling *r)
{
	char up[CQESIM_FRACTION_TEXT], down[CQESIM_FRACTION_TEXT];

	printf("\n%-26s %12s %12s\n", "Bytes per packet", "up", "down");
	for (unsigned i = 0; i < CQESIM_CAUSES; i++) {
		if (!r->up[i].num && !r->down[i].num)
			continue;
		printf("  %-24s", cqesim_cause_name(i));
		cell(r->up[i]);
		cell(r->down[i]);
		putchar('\n');
	}
	printf("  %-24s", "all");
	cell(r->up_bytes);
	cell(r->down_bytes);
	printf("\n  %-24s %12s %12s\n", "exactly", cqesim_fraction_text(r->up_bytes, up),
	       cqesim_fraction_text(r->down_bytes, down));
}

/* Bounds in the order of what they allow; those without a value are left out. */
static unsigned ordered(const struct cqesim_ceiling *r, unsigned order[CQESIM_BOUNDS])
{
	unsigned n = 0;

	for (unsigned b = 0; b < CQESIM_BOUNDS; b++) {
		unsigned at = n;

		if (!isfinite(r->bound_pps[b]))
			continue;
		while (at && r->bound_pps[order[at - 1]] > r->bound_pps[b]) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = b;
		n++;
	}
	return n;
}

static void bound_note(const struct link_run *run, const struct cqesim_ceiling *r, unsigned b)
{
	const struct cqesim_param *p = link_bound_param(run, b);

	if (b == CQESIM_BOUND_UP || b == CQESIM_BOUND_DOWN) {
		printf("%.2f at an efficiency of 1; %s is %s",
		       r->bound_pps[b] / M / r->link.config.efficiency, p->text, grade(p));
	} else if (p) {
		printf("%s", grade(p));
		if (p->has_range && p->grade != CQESIM_GRADE_DOCUMENTED)
			printf(", %g to %g %s", p->low, p->high, p->unit);
	} else {
		printf("given");
	}
}

/* Limits that nobody has published, as opposed to those that have no part in this. */
static void unknown(const struct link_run *run, const struct cqesim_ceiling *r)
{
	char text[512] = "Not known, so not looked at:";
	size_t used = strlen(text);
	bool any = false;

	for (unsigned b = 0; b < CQESIM_BOUNDS; b++) {
		const struct cqesim_param *p = link_bound_param(run, b);

		if (isfinite(r->bound_pps[b]) || !p || p->number != 0 || used >= sizeof(text))
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %s (%s)",
					 any ? "," : "", cqesim_bound_name(b), p->key);
		any = true;
	}
	if (any)
		wrapped(text);
}

static void limits_table(const struct link_run *run, const struct cqesim_ceiling_config *c,
			 const struct cqesim_ceiling *r)
{
	unsigned order[CQESIM_BOUNDS], n = ordered(r, order);

	printf("\n%-30s %10s %9s\n", "Limits", "Mpps", "Gb/s");
	for (unsigned i = 0; i < n; i++) {
		char far[32];
		unsigned b = order[i];

		snprintf(far, sizeof(far), "+%.0f %%", 100 * (r->bound_pps[b] / r->pps - 1));
		printf("  %-28s %10.2f %9.2f %9s  ", cqesim_bound_name(b), r->bound_pps[b] / M,
		       r->bound_pps[b] * c->frame_bytes * 8 / 1e9, i ? far : "binds");
		bound_note(run, r, b);
		putchar('\n');
	}
	unknown(run, r);
}

static void rings(const struct link_run *run, const struct cqesim_ceiling_config *c,
		  const struct cqesim_ceiling *r)
{
	const struct cqesim_param *p = &run->host->param[CQESIM_HOST_DDIO];
	double mib = 1 << 20;

	if (!r->ring_bytes || c->direction == CQESIM_TX)
		return;
	printf("\nRings: %u x %u packets go through %.2f MiB", c->queues, c->ring_entries,
	       (double)r->ring_bytes / mib);
	if (!c->ddio_bytes) {
		printf("; what DMA may fill of the cache of %s is not known.\n", run->host->name);
		return;
	}
	printf("; DMA may fill %.2f MiB of the cache of\nhost %s (%s): ",
	       (double)c->ddio_bytes / mib, run->host->name, grade(p));
	if (r->ring_bytes <= c->ddio_bytes)
		puts("they fit.");
	else
		printf("%.1f times too much. Then packets and completions go\nthrough memory, "
		       "which "
		       "these limits do not contain; fewer queues or smaller rings help.\n",
		       (double)r->ring_bytes / (double)c->ddio_bytes);
}

static void shares(const struct cqesim_ceiling_config *c, const struct cqesim_ceiling *r)
{
	double carries = link_carries(r);

	printf("\n%-26s", "Ethernet, Gb/s");
	for (unsigned i = 0; link_speeds[i]; i++)
		printf(" %7u", link_speeds[i]);
	printf("\n  %-24s", "line rate, Mpps");
	for (unsigned i = 0; link_speeds[i]; i++)
		printf(" %7.1f", cqesim_line_pps(link_speeds[i] * 1e9, c->frame_bytes) / M);
	printf("\n  %-24s", "the link carries, %");
	for (unsigned i = 0; link_speeds[i]; i++)
		printf(" %7.0f",
		       100 * carries / cqesim_line_pps(link_speeds[i] * 1e9, c->frame_bytes));
	printf("\n  %-24s", "at an efficiency of 1, %");
	for (unsigned i = 0; link_speeds[i]; i++)
		printf(" %7.0f",
		       100 * r->link_pps / cqesim_line_pps(link_speeds[i] * 1e9, c->frame_bytes));
	putchar('\n');
}

int link_answer(struct link_run *run)
{
	const struct cqesim_ceiling_config *c = &run->config;
	struct cqesim_error err = {""};
	struct cqesim_ceiling r;
	char text[1024];

	if (cqesim_ceiling(&r, c, &err))
		return link_refuse(&err);
	for (unsigned i = 0; i < run->remark_count; i++)
		wrapped(run->remarks[i]);
	link_sentence(run, c, &r, text, sizeof(text));
	wrapped(text);
	putchar('\n');
	describe(run, c);
	bytes_table(&r);
	limits_table(run, c, &r);
	rings(run, c, &r);
	shares(c, &r);
	return 0;
}
