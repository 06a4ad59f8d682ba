/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --sweep: the curve over packet size, session length or queues, with the
 * places where it jumps and why.
 */
#include <math.h>
#include <string.h>

#include "cli.h"
#include "link.h"

#define M 1e6

/* Whole numbers that make steps: when one changes, the curve jumps. */
struct shape {
	uint64_t writes;      /* TLPs of the data written */
	uint64_t requests;    /* of the data read */
	uint64_t completions; /* TLPs of the data read */
	uint64_t wqe;         /* bytes of the send WQE */
	uint32_t lines;       /* padded data */
	uint32_t beats, strides;
	uint64_t arrays, session_tlps; /* writes of a session, and their TLPs */
};

#define REASONS 128

/* A session's writes: of a cyclic queue with sessions only, for which all are the session's. */
static void session_shape(const struct cqesim_ceiling_config *config,
			  const struct cqesim_link *link, struct shape *s)
{
	struct cqesim_transaction traffic[CQESIM_TRANSACTIONS_MAX];
	struct cqesim_ceiling_config c = *config;

	c.rx_strides = 0;
	c.compressed = cqesim_fraction(1, 1);
	int n = cqesim_ceiling_traffic(&c, traffic, NULL);
	for (int i = 0; i < n; i++) {
		if (traffic[i].cause != CQESIM_CAUSE_RX_CQE)
			continue;
		/* An exact number of times a session: 1/N, k/N ... */
		uint64_t times = (uint64_t)(cqesim_fraction_value(traffic[i].per_packet) *
						    cqesim_fraction_value(c.session) +
					    0.5);
		s->arrays += times;
		s->session_tlps += times * cqesim_link_write(link, 0, traffic[i].bytes).count;
	}
}

static struct shape shape_of(const struct cqesim_ceiling_config *c, const struct cqesim_link *link)
{
	struct cqesim_transaction traffic[CQESIM_TRANSACTIONS_MAX];
	int n = cqesim_ceiling_traffic(c, traffic, NULL);
	struct shape s = {0};
	struct cqesim_tlps one, two;

	for (int i = 0; i < n; i++) {
		const struct cqesim_transaction *t = &traffic[i];

		switch (t->cause) {
		case CQESIM_CAUSE_RX_DATA:
			one = cqesim_link_write(link, t->address, t->bytes);
			s.writes = one.count;
			s.lines = c->pad ? t->bytes / 64 : 0;
			break;
		case CQESIM_CAUSE_TX_DATA:
			cqesim_link_read(link, t->address, t->bytes, &one, &two);
			s.requests = one.count;
			s.completions = two.count;
			break;
		case CQESIM_CAUSE_TX_WQE:
			s.wqe = (uint64_t)(t->bytes * cqesim_fraction_value(t->per_packet) *
						   c->tx_mpw +
					   0.5);
			break;
		default:
			break;
		}
	}
	if (c->mlx5 && c->cqe_mode >= CQESIM_CQE_ARRAYS)
		session_shape(c, link, &s);
	if (c->bus_hz > 0)
		s.beats = (c->frame_bytes + c->bus_bytes - 1) / c->bus_bytes;
	if (c->rx_strides)
		s.strides = (c->frame_bytes - (c->keep_fcs ? 0 : 4) + c->stride_bytes - 1) /
			    c->stride_bytes;
	return s;
}

static void because(char why[REASONS], bool so, const char *reason)
{
	size_t n = strlen(why);

	if (so)
		snprintf(why + n, REASONS - n, "%s%s", n ? ", " : "", reason);
}

/* All that has changed, or "". */
static const char *jump(const struct shape *a, const struct shape *b, enum link_axis axis,
			char why[REASONS])
{
	bool read = a->completions, reads = b->completions;

	*why = '\0';
	if (axis == LINK_SESSION) {
		because(why, a->arrays != b->arrays, "another array");
		because(why, !*why && a->session_tlps != b->session_tlps, "another TLP");
	}
	if (axis != LINK_SIZE)
		return why;
	because(why, a->lines != b->lines, "next 64-byte line");
	because(why, a->writes < b->writes, "another TLP");
	because(why, !read && reads, "no longer inline: data is read");
	because(why, read && a->requests < b->requests, "another read request");
	because(why, read && a->completions < b->completions, "another completion");
	because(why, a->wqe != b->wqe, "send WQE of another size");
	because(why, a->beats != b->beats, "another beat of the internal bus");
	because(why, a->strides != b->strides, "another stride");
	return why;
}

static bool is_jump(const struct link_run *run, const struct cqesim_link *link, enum link_axis axis,
		    uint32_t value)
{
	struct cqesim_ceiling_config a = link_point(run, axis, value - 1);
	struct cqesim_ceiling_config b = link_point(run, axis, value);
	struct shape before = shape_of(&a, link), after = shape_of(&b, link);

	char why[REASONS];

	return *jump(&before, &after, axis, why) != '\0';
}

/* The values to show: a grid, or both ends and the two sides of each jump. */
static int choose(const struct link_run *run, struct link_values *v)
{
	const struct link_options *o = run->options;
	struct cqesim_error err = {""};
	struct cqesim_link link;
	uint32_t step = o->axis_step;
	bool here, next = false;

	v->count = 0;
	if (cqesim_link_init(&link, &run->config.link, &err))
		return link_refuse(&err);
	for (uint32_t n = o->axis_low; n <= o->axis_high; n += step ? step : 1) {
		bool ends = n == o->axis_low || n == o->axis_high;

		here = next;
		next = !step && n < o->axis_high && is_jump(run, &link, o->axis, n + 1);
		if (!step && !ends && !here && !next)
			continue;
		if (v->count == LINK_VALUES_MAX)
			return usage_error(
				LINK_COMMAND,
				"--sweep: more than %d places where it jumps; expected a "
				"shorter range or a step",
				LINK_VALUES_MAX);
		v->value[v->count++] = n;
	}
	return 0;
}

static void head(const struct link_run *run, enum link_axis axis)
{
	static const char *const names[] = {"bytes", "session", "queues", "per WQE"};
	const struct cqesim_ceiling_config *c = &run->config;

	printf("%s on %s (MPS %u): link at its efficiency of %g, ceiling of all limits\n\n",
	       run->device->name, run->link->name, c->link.mps, c->link.efficiency);
	printf("%8s %9s %9s %9s %9s %9s %8s  %s\n", names[axis], "B up", "B down", "link Mpps",
	       "Mpps", "Gb/s", "of line", "binds");
}

static int row(const struct link_run *run, enum link_axis axis, uint32_t value, const char *mark)
{
	struct cqesim_ceiling_config c = link_point(run, axis, value);
	struct cqesim_error err = {""};
	struct cqesim_ceiling r;
	char up[CQESIM_FRACTION_TEXT], down[CQESIM_FRACTION_TEXT];

	if (cqesim_ceiling(&r, &c, &err))
		return link_refuse(&err);
	printf("%8u %9s %9s %9.2f %9.2f %9.2f %6.0f %%  %s%s%s\n", value,
	       cqesim_fraction_decimals(r.up_bytes, 2, up),
	       cqesim_fraction_decimals(r.down_bytes, 2, down), link_carries(&r) / M, r.pps / M,
	       r.pps * (c.frame_bytes + 20) * 8 / 1e9, 100 * r.pps / r.bound_pps[CQESIM_BOUND_LINE],
	       cqesim_bound_name(r.binding), *mark ? "  < " : "", mark);
	return 0;
}

int link_sweep(struct link_run *run)
{
	static struct link_values values;
	const struct link_options *o = run->options;
	const struct link_values *v = &o->frames;
	enum link_axis axis = o->view == LINK_SWEEP ? o->axis : LINK_SIZE;
	struct cqesim_error err = {""};
	struct cqesim_link link;
	struct shape before = {0};

	if ((axis == LINK_SESSION || axis == LINK_MPW) && !run->config.mlx5)
		return usage_error(LINK_COMMAND,
				   "--sweep: device %s has no sessions and no send "
				   "WQEs of several packets",
				   run->device->name);
	if (o->view == LINK_SWEEP) {
		int code = choose(run, &values);
		if (code)
			return code;
		v = &values;
	}
	if (o->format == LINK_JSON)
		return link_json(run, v, axis);
	if (o->format == LINK_CSV)
		return link_csv(run, v, axis);
	if (cqesim_link_init(&link, &run->config.link, &err))
		return link_refuse(&err);
	for (unsigned i = 0; i < v->count; i++) {
		struct cqesim_ceiling_config c = link_point(run, axis, v->value[i]);
		struct cqesim_ceiling r;

		/* What cannot be is said before anything is printed. */
		if (cqesim_ceiling(&r, &c, &err))
			return link_refuse(&err);
	}
	link_print_remarks(run);
	head(run, axis);
	for (unsigned i = 0; i < v->count; i++) {
		struct cqesim_ceiling_config c = link_point(run, axis, v->value[i]);
		struct shape now = shape_of(&c, &link);
		char why[REASONS];
		int code = row(run, axis, v->value[i], i ? jump(&before, &now, axis, why) : "");

		if (code)
			return code;
		before = now;
	}
	puts("\nGb/s with preamble and gap; < marks what has changed since the line above.");
	return 0;
}
