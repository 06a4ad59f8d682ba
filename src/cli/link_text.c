/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer for people: remarks and a sentence, then bytes, limits and shares of line rate. */
#include <math.h>
#include <string.h>

#include "cli.h"
#include "link.h"

#define M 1e6

static const char *grade(const struct cqesim_param *p)
{
	return p ? cqesim_grade_name(p->grade) : "given";
}

void link_wrapped(const char *text)
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
	const struct cqesim_param *p = link_bound_param(run, r, b);

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
		const struct cqesim_param *p = link_bound_param(run, r, b);

		if (isfinite(r->bound_pps[b]) || !p || p->number != 0 || used >= sizeof(text))
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %s (%s)",
					 any ? "," : "", cqesim_bound_name(b), p->key);
		any = true;
	}
	if (any)
		link_wrapped(text);
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
	link_print_remarks(run);
	link_sentence(run, c, &r, text, sizeof(text));
	link_wrapped(text);
	putchar('\n');
	describe(run, c);
	bytes_table(&r);
	limits_table(run, c, &r);
	rings(run, c, &r);
	shares(c, &r);
	return 0;
}
