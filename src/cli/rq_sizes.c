/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqesim rq FILE: what the lengths of a trace make of several stride sizes, fillers
 * included, so that one can be chosen.  WQEs keep their bytes: smaller strides are
 * more of them, and more completions' worth of ring.
 */
#include <string.h>

#include "rq.h"

/* Linux's striding WQE, KRN MLX5_MPWRQ_LOG_WQE_SZ. */
#define LOG_WQE_BYTES 18u
#define CHOICES       (CQESIM_LOG_STRIDE_BYTES_MAX - CQESIM_LOG_STRIDE_BYTES_MIN + 1)
/* For comparison: cyclic queues with buffers of these sizes. */
#define CYCLIC_CHOICES 3u

struct choice {
	struct cqesim_rq_usage usage;
	char name[64];
};

struct sizes {
	struct choice choice[CHOICES + CYCLIC_CHOICES];
	unsigned n;
	uint64_t packets, bytes;
	uint32_t shortest, longest;
};

static int each(void *context, const struct cqesim_frame *f, const struct rq_packet *packet)
{
	struct sizes *s = context;

	(void)packet;
	s->packets++;
	s->bytes += f->len;
	s->shortest = s->packets == 1 || f->len < s->shortest ? f->len : s->shortest;
	s->longest = f->len > s->longest ? f->len : s->longest;
	for (unsigned i = 0; i < s->n; i++)
		cqesim_rq_usage_add(&s->choice[i].usage, f->len);
	return 0;
}

static void add(struct sizes *s, const struct cqesim_rq_layout *l)
{
	struct choice *c = &s->choice[s->n];

	if (cqesim_rq_usage_init(&c->usage, l, NULL))
		return;
	if (l->striding)
		snprintf(c->name, sizeof(c->name), "%u x %u", 1u << l->log_strides,
			 1u << l->log_stride_bytes);
	else
		snprintf(c->name, sizeof(c->name), "buffer of %u", l->buffer_bytes);
	s->n++;
}

static void choices(struct sizes *s)
{
	static const uint32_t buffers[CYCLIC_CHOICES] = {2048, 4096, 16384};
	struct cqesim_rq_layout l = {.striding = true, .log_wqes = 3, .cqe_bytes = 64};

	for (unsigned log = CQESIM_LOG_STRIDE_BYTES_MIN; log <= CQESIM_LOG_STRIDE_BYTES_MAX;
	     log++) {
		l.log_stride_bytes = log;
		l.log_strides = LOG_WQE_BYTES - log;
		add(s, &l);
	}
	for (unsigned i = 0; i < CYCLIC_CHOICES; i++) {
		l = (struct cqesim_rq_layout){.log_wqes = 10,
					      .segments = 1,
					      .buffer_bytes = buffers[i],
					      .cqe_bytes = 64,
					      .cq_factor = 1};
		add(s, &l);
	}
}

static double empty_share(const struct cqesim_rq_usage *u)
{
	return report_ratio((double)u->waste, (double)u->held);
}

/* The fewest strides a packet among those that waste the least, to 5 % of all memory. */
static const struct choice *best(const struct sizes *s)
{
	const struct choice *least = NULL, *pick = NULL;

	for (unsigned i = 0; i < s->n; i++) {
		const struct cqesim_rq_usage *u = &s->choice[i].usage;

		if (u->layout.striding && !u->too_long && u->packets &&
		    (!least || empty_share(u) < empty_share(&least->usage)))
			least = &s->choice[i];
	}
	for (unsigned i = 0; i < s->n && least; i++) {
		const struct cqesim_rq_usage *u = &s->choice[i].usage;

		if (u->layout.striding && !u->too_long &&
		    empty_share(u) <= empty_share(&least->usage) + 0.05)
			pick = &s->choice[i]; /* in the order of growing strides */
	}
	return pick;
}

static void text(const struct rq_options *o, const struct sizes *s, struct report_out *out)
{
	const struct choice *pick = best(s);

	report_title(out, "Strides for the lengths of %s", rq_source(o));
	fputc('\n', out->f);
	report_para(out, 2, "%s packet%s, %u to %u bytes, %s on average (without FCS).",
		    report_count(s->packets).s, report_plural(s->packets), s->shortest, s->longest,
		    report_real(report_ratio((double)s->bytes, (double)s->packets), 1).s);
	if (pick)
		report_para(
			out, 2,
			"Strides of %u bytes are the largest that stay within 5 %% of the least "
			"waste: %s of the memory is empty.",
			1u << pick->usage.layout.log_stride_bytes,
			report_percent(empty_share(&pick->usage)).s);
	fputs("\n  queue            pieces a     held a    waste a   empty    fillers  per MiB "
	      "packets\n"
	      "                     packet     packet     packet\n",
	      out->f);
	for (unsigned i = 0; i < s->n; i++) {
		const struct cqesim_rq_usage *u = &s->choice[i].usage;
		double n = (double)u->packets;

		if (!u->packets) {
			fprintf(out->f, "  %-16s no packet fits\n", s->choice[i].name);
			continue;
		}
		fprintf(out->f, "  %-16s %8s %10s %10s %7s %10s %16s", s->choice[i].name,
			report_real((double)u->pieces / n, 2).s,
			report_real((double)u->held / n, 1).s,
			report_real((double)u->waste / n, 1).s, report_percent(empty_share(u)).s,
			report_count(u->fillers).s,
			report_real(1048576 * n / (double)u->held, 1).s);
		if (u->too_long)
			fprintf(out->f, "  %s too long", report_count(u->too_long).s);
		fputc('\n', out->f);
	}
	fputc('\n', out->f);
	report_para(out, 2,
		    "Striding WQEs have 256 KiB, as Linux's; pieces are strides, or segments. "
		    "Cyclic queues have one segment a WQE. A stride, however small, has a "
		    "completion's place in the CQ.");
}

static json_t *choice_json(struct report_json *j, const struct choice *c)
{
	const struct cqesim_rq_usage *u = &c->usage;
	json_t *o = json_object();

	report_put_text(j, o, "type", u->layout.striding ? "striding" : "cyclic");
	if (u->layout.striding) {
		report_put_u64(j, o, "strides", 1u << u->layout.log_strides);
		report_put_u64(j, o, "stride_bytes", 1u << u->layout.log_stride_bytes);
	} else {
		report_put_u64(j, o, "buffer_bytes", u->layout.buffer_bytes);
	}
	report_put_u64(j, o, "packets", u->packets);
	report_put_u64(j, o, "pieces", u->pieces);
	report_put_u64(j, o, "held", u->held);
	report_put_u64(j, o, "waste", u->waste);
	report_put_u64(j, o, "wqes", u->wqes);
	report_put_u64(j, o, "fillers", u->fillers);
	report_put_u64(j, o, "filler_strides", u->filler_strides);
	report_put_u64(j, o, "too_long", u->too_long);
	return o;
}

int rq_sizes(const struct rq_options *o, struct rq_out *out)
{
	static struct sizes s;
	json_t *object, *array;
	int rc;

	memset(&s, 0, sizeof(s));
	choices(&s);
	rc = rq_frames(o, each, &s);
	if (rc || !out->root) {
		if (!rc)
			text(o, &s, out->text);
		return rc;
	}
	object = json_object();
	array = json_array();
	for (unsigned i = 0; i < s.n; i++)
		report_add(&out->json, array, choice_json(&out->json, &s.choice[i]));
	report_put_u64(&out->json, object, "packets", s.packets);
	report_put_u64(&out->json, object, "bytes", s.bytes);
	report_put_u64(&out->json, object, "shortest", s.shortest);
	report_put_u64(&out->json, object, "longest", s.longest);
	if (best(&s))
		report_put_u64(&out->json, object, "stride_bytes",
			       1u << best(&s)->usage.layout.log_stride_bytes);
	report_put(&out->json, object, "choices", array);
	report_put(&out->json, out->root, "sizes", object);
	return 0;
}
