/* SPDX-License-Identifier: BSD-3-Clause */
/* A step of a walk in words. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "cqesim/walk.h"
#include "report/report_internal.h"
#include "describe/internal.h"

#define INDENT 2u
#define LABEL  12u
#define BOLD   "\033[1m"
#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define GREEN  "\033[32m"
#define PLAIN  "\033[0m"

/* A text that grows; what does not fit is left out. */
struct say {
	size_t n;
	char text[2048];
};

static void say(struct say *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct say *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(s->text + s->n, sizeof(s->text) - s->n, fmt, args);
	va_end(args);
	if (n > 0)
		s->n += (size_t)n;
	if (s->n >= sizeof(s->text))
		s->n = sizeof(s->text) - 1;
}

static void line(struct report_out *o, const char *label, const struct say *s)
{
	report_labelled(o, INDENT, LABEL, label, "%s", s->text);
}

static bool enhanced(const struct cqesim_walk *w)
{
	return w->shape.layout == CQESIM_CQ_ENHANCED;
}

/* ---- lists of slots ---- */

/* "slots 0 to 4, 6, 14" in the order in which they come. */
static void say_slots(struct say *s, const uint32_t *slot, uint32_t count)
{
	say(s, "slot%s ", count == 1 ? "" : "s");
	for (uint32_t i = 0, run; i < count; i += run) {
		for (run = 1; i + run < count && slot[i + run] == slot[i] + run; run++)
			;
		run = run > 2 ? run : 1;
		say(s, "%s%u", i ? ", " : "", slot[i]);
		if (run > 1)
			say(s, " to %u", slot[i] + run - 1);
		if (s->n > sizeof(s->text) - 64) {
			say(s, " ...");
			return;
		}
	}
}

/* Rewrites of one byte to one value, slot after slot, are one. */
static uint32_t run_of(const struct cqesim_walk *w, const struct cqesim_walk_step *step, uint32_t i)
{
	const struct cqesim_walk_change *r = step->change + i;
	uint32_t run = 1;

	while (i + run < step->changes && r[run].byte == r->byte && r[run].to == r->to &&
	       r[run].slot == ((r->slot + run) & w->reader.mask))
		run++;
	return run;
}

static void say_changes(struct say *s, const struct cqesim_walk *w,
			const struct cqesim_walk_step *step)
{
	unsigned op_own = (1u << w->reader.log_slot) - 1;

	for (uint32_t i = 0, run; i < step->changes; i += run) {
		const struct cqesim_walk_change *r = step->change + i;

		run = run_of(w, step, i);
		if (r->byte == op_own)
			say(s, "%sop_own of ", i ? "; " : "");
		else
			say(s, "%sbyte %u of ", i ? "; " : "", r->byte);
		if (run > 1)
			say(s, "slots %u to %u: ", r->slot, r[run - 1].slot);
		else
			say(s, "slot %u: ", r->slot);
		say(s, "0x%02x (was", r->to);
		for (uint32_t k = 0; k < run && k < 8; k++)
			say(s, " %02x", r[k].from);
		say(s, run > 8 ? " ...)" : ")");
		if (s->n > sizeof(s->text) - 128) {
			say(s, " ...");
			break;
		}
	}
	if (!step->changes)
		say(s, "nothing");
}

/* ---- what it looks at ---- */

static void say_op_own(struct say *s, uint8_t op_own)
{
	unsigned format = op_own >> 2 & 3;

	say(s, "0x%02x = opcode %u (%s), format %u (%s), owner %u", op_own, op_own >> 4,
	    cqesim_opcode_name(op_own >> 4), format, cqesim_value_name("format", format),
	    op_own & CQESIM_OWNER_MASK);
}

/* Why the slot is software's, or not. */
static void say_ownership(struct say *s, const struct cqesim_walk *w,
			  const struct cqesim_walk_step *step)
{
	bool mine = step->kind != CQESIM_WALK_STOP;

	if (enhanced(w))
		say(s, "validity iteration count %u, lap %u wants %u", step->count, step->lap,
		    step->count_wanted);
	else
		say(s, "owner %u, lap %u wants %u", step->op_own & CQESIM_OWNER_MASK, step->lap,
		    step->owner_wanted);
	if (step->op_own >> 4 == CQESIM_OP_INVALID)
		say(s, ", and opcode 15 is never software's");
	say(s, ": %s", mine ? "software's" : "hardware's");
}

static void look(struct report_out *o, const struct cqesim_walk *w,
		 const struct cqesim_walk_step *step)
{
	struct say s = {.n = 0};

	if (step->kind == CQESIM_WALK_MINI) {
		say(&s, "the %s at slot %u, which is being read", enhanced(w) ? "array" : "session",
		    step->slot);
		line(o, "looks at", &s);
		return;
	}
	if (enhanced(w))
		say(&s, "bytes 62 and 63 of slot %u: validity iteration count %u; ", step->slot,
		    step->count);
	else
		say(&s, "byte 63 of slot %u: ", step->slot);
	if (enhanced(w) && (step->op_own >> 2 & 3) == CQESIM_FORMAT_COMPRESSED)
		say(&s, "0x%02x = %u mini-CQEs, format 3 (compressed)", step->op_own,
		    (step->op_own >> 4) + 1u);
	else
		say_op_own(&s, step->op_own);
	line(o, "looks at", &s);
	if (step->kind == CQESIM_WALK_FAULT && step->session_n && step->session_i)
		return; /* not the entry, but a mini of it */
	s = (struct say){.n = 0};
	say_ownership(&s, w, step);
	line(o, "", &s);
}

static void read_what(struct report_out *o, const struct cqesim_walk *w,
		      const struct cqesim_walk_step *step)
{
	struct say s = {.n = 0};

	if (step->kind == CQESIM_WALK_TITLE)
		say(&s,
		    "bytes 44 to 47 = %u: the title of a session of %u packets, indices %u to %u",
		    step->byte_cnt, step->session_n, step->ci, step->ci + step->session_n - 1);
	else if (step->kind == CQESIM_WALK_ARRAY && step->session_n > 1)
		say(&s, "an array of %u packets, indices %u to %u; the rest is in the last title",
		    step->session_n, step->ci, step->ci + step->session_n - 1);
	else if (step->kind == CQESIM_WALK_ARRAY)
		say(&s, "an array of one packet; the rest is in the last title");
	if (s.n)
		line(o, "reads", &s);
	if (!step->session_n)
		return;
	unsigned rows;
	const struct cqesim_mini_field *row = cqesim_mini_fields(w->shape.format, &rows);
	bool first = !s.n;
	s = (struct say){.n = 0};
	say(&s, "mini %u in slot %u, bytes %u to %u:", step->session_i, step->mini_slot,
	    step->mini_byte, step->mini_byte + CQESIM_MINI_BYTES - 1);
	for (unsigned i = 0; i < CQESIM_MINI_BYTES; i++)
		say(&s, " %02x", step->mini[i]);
	for (unsigned i = 0; i < rows; i++)
		if (!i || strcmp(row[i].name, row[i - 1].name))
			say(&s, "%s%s", i ? ", " : " = ", row[i].name);
	line(o, first ? "reads" : "", &s);
}

/* ---- what it concludes ---- */

/* "IPv4 UDP, VLAN 5" and so on: what byte 29 and its neighbours say. */
static void say_headers(struct say *s, const struct cqesim_rxmeta *m)
{
	unsigned l3 = m->l4_l3_hdr_type >> 2 & 3, l4 = m->l4_l3_hdr_type >> 4 & 7;
	const char *l3_name = cqesim_value_name("l3_hdr_type", l3);
	const char *l4_name = cqesim_value_name("l4_hdr_type", l4);

	if (m->pkt_info & CQESIM_PKT_INFO_TUNNELED)
		say(s, ", in a tunnel");
	if (l3)
		say(s, ", %s", l3_name ? l3_name : "unknown L3");
	if (l4)
		say(s, ", %s", l4_name ? l4_name : "unknown L4");
	if (m->l4_l3_hdr_type & CQESIM_HDR_FRAGMENT)
		say(s, ", fragment");
	if (m->l4_l3_hdr_type & CQESIM_HDR_VLAN_STRIPPED)
		say(s, ", VLAN tag 0x%04x stripped", m->vlan_info);
	if (m->hds_ip_ext & (CQESIM_L3_OK | CQESIM_L4_OK))
		say(s, ",%s%s checksum good", m->hds_ip_ext & CQESIM_L3_OK ? " L3" : "",
		    m->hds_ip_ext & CQESIM_L4_OK ? " L4" : "");
}

static void say_received(struct say *s, const struct cqesim_walk *w,
			 const struct cqesim_completion *c)
{
	const struct cqesim_rxmeta *m = &c->meta;

	if (c->filler) {
		say(s, "a filler, no packet: %u strides are given up", c->strides);
	} else {
		say(s, "%u bytes", m->byte_cnt);
		if (c->opcode != CQESIM_OP_RESP_SEND)
			say(s, " (%s, 0x%08x)", cqesim_opcode_name(c->opcode),
			    c->flow_table_metadata);
		if (w->shape.log_stride)
			say(s, ", %u stride%s from %u", c->strides, c->strides == 1 ? "" : "s",
			    c->wqe_counter);
	}
	if (m->rx_hash_res)
		say(s, ", RSS hash 0x%08x", m->rx_hash_res);
	say_headers(s, m);
	if (m->csum)
		say(s, ", csum 0x%04x", m->csum);
	if (m->flow_tag)
		say(s, ", flow tag 0x%06x", m->flow_tag);
	if (c->lro_num_seg > 1)
		say(s, ", %u segments joined", c->lro_num_seg);
	if (c->format == CQESIM_FORMAT_INLINE_32 || c->format == CQESIM_FORMAT_INLINE_64) {
		size_t bytes;
		bool there = cqesim_cq_inline_data(&w->reader, c, &bytes) != NULL;

		say(s, there ? ", whose data is in the ring" : ", data that cannot be in the ring");
	}
	if (!w->shape.log_stride)
		say(s, ", WQE %u", c->wqe_counter);
}

static void say_completion(struct say *s, const struct cqesim_walk *w,
			   const struct cqesim_completion *c)
{
	if (c->session_n)
		say(s, "packet %u of %u: ", c->session_i + 1, c->session_n);
	switch (c->opcode) {
	case CQESIM_OP_REQ:
		say(s, "sent: %s, up to WQE %u, %u bytes", cqesim_send_opcode_name(c->send_opcode),
		    c->wqe_counter, c->meta.byte_cnt);
		break;
	case CQESIM_OP_REQ_ERR:
	case CQESIM_OP_RESP_ERR:
		say(s,
		    "%s: syndrome 0x%02x (%s), vendor syndrome 0x%02x, QP 0x%06x, WQE %u: no "
		    "packet",
		    cqesim_opcode_name(c->opcode), c->syndrome, cqesim_syndrome_name(c->syndrome),
		    c->vendor_err_synd, c->meta.flow_tag, c->wqe_counter);
		break;
	case CQESIM_OP_RESP_WR_IMM:
	case CQESIM_OP_RESP_SEND:
	case CQESIM_OP_RESP_SEND_IMM:
	case CQESIM_OP_RESP_SEND_INV:
		say_received(s, w, c);
		break;
	default:
		say(s, "%s: no packet", cqesim_opcode_name(c->opcode));
	}
}

static void say_fault(struct say *s, const struct cqesim_cq_fault *f)
{
	say(s, "fault: %s", cqesim_cq_fault_name(f->kind));
	say(s, f->kind == CQESIM_CQ_FAULT_MINI_LENGTH ? " (0x%x)" : " (%u)", f->found);
}

static const char *colour_of(enum cqesim_walk_kind kind)
{
	return kind == CQESIM_WALK_FAULT ? RED : kind == CQESIM_WALK_STOP ? YELLOW : GREEN;
}

/* ---- the parts ---- */

static void head(struct report_out *o, const struct cqesim_walk_step *step, bool colour)
{
	struct say s = {.n = 0};

	fputc('\n', o->f);
	if (step->wrote_count) {
		say(&s, "The device writes ");
		say_slots(&s, step->wrote, step->wrote_count);
		say(&s, ".");
		report_para(o, 0, "%s", s.text);
		s = (struct say){.n = 0};
	}
	say(&s, "step %llu", (unsigned long long)step->number);
	if (step->time_ps != UINT64_MAX)
		say(&s, ", at %s", report_time(step->time_ps).s);
	say(&s, ": consumer index %u = slot %u of lap %u", step->ci, step->slot, step->lap);
	fputs(colour ? BOLD : "", o->f);
	report_para(o, 0, "%s", s.text);
	fputs(colour ? PLAIN : "", o->f);
}

static void after(struct report_out *o, const struct cqesim_walk *w,
		  const struct cqesim_walk_step *step)
{
	struct say s = {.n = 0};

	say(&s, "consumer index %u%s, doorbell record 0x%06x", step->ci_after,
	    step->ci_after == step->ci ? " still" : "", step->ci_after & 0xffffff);
	if (step->left)
		say(&s, "; %u packet%s of the %s left", step->left, step->left == 1 ? "" : "s",
		    enhanced(w) ? "array" : "session");
	line(o, "then", &s);
}

int cqesim_walk_text(const struct cqesim_walk *w, const struct cqesim_walk_step *step, bool colour,
		     FILE *to)
{
	struct report_out o = {.f = to};
	struct say s = {.n = 0};

	head(&o, step, colour);
	look(&o, w, step);
	read_what(&o, w, step);
	if (step->kind == CQESIM_WALK_FAULT)
		say_fault(&s, &step->fault);
	else if (step->kind == CQESIM_WALK_STOP)
		say(&s, "nothing new");
	else
		say_completion(&s, w, &step->completion);
	fputs(colour ? colour_of(step->kind) : "", to);
	line(&o, "concludes", &s);
	fputs(colour ? PLAIN : "", to);
	s = (struct say){.n = 0};
	say_changes(&s, w, step);
	line(&o, "changes", &s);
	after(&o, w, step);
	return o.ret;
}

int cqesim_walk_text_head(const struct cqesim_walk *w, const char *source, FILE *to)
{
	struct report_out o = {.f = to};
	struct say s = {.n = 0};

	say(&s, "%.400s: a ring of %u slot%s of %u bytes, %s layout, %s mini-CQEs", source,
	    w->reader.mask + 1, w->reader.mask ? "s" : "", 1u << w->reader.log_slot,
	    enhanced(w) ? "enhanced" : "basic", cqesim_mini_format_name(w->shape.format));
	if (w->shape.log_stride)
		say(&s, ", strides of %u bytes", 1u << w->shape.log_stride);
	say(&s, "; read as %s does, from consumer index %u on.",
	    cqesim_invalidate_name(w->reader.invalidate), w->reader.ci);
	report_para(&o, 0, "%s", s.text);
	return o.ret;
}

int cqesim_walk_text_end(const struct cqesim_walk *w, const struct cqesim_walk_step *last, bool cut,
			 FILE *to)
{
	struct report_out o = {.f = to};
	struct cqesim_cq_fault fault;
	struct say s = {.n = 0};

	if (cut) {
		say(&s, "Ended after %llu steps, as asked for; there may be more to read.",
		    (unsigned long long)w->steps);
	} else {
		say(&s, "Stopped at slot %u: ", last->slot);
		say_ownership(&s, w, last);
		say(&s, ".");
	}
	say(&s, " %llu completion%s read, %llu fault%s.", (unsigned long long)w->packets,
	    w->packets == 1 ? "" : "s", (unsigned long long)w->faults, w->faults == 1 ? "" : "s");
	if (!cut && cqesim_cq_check(&w->reader, &fault)) {
		say(&s, " But slot %u (index %u) shows that one is missing: ", fault.slot,
		    fault.index);
		say(&s, "%s.", cqesim_cq_fault_name(fault.kind));
	} else if (!cut) {
		say(&s, " No other slot shows that one is missing.");
	}
	report_title(&o, "%s", s.text);
	return o.ret;
}
