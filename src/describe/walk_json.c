/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A walk for programs: one document, written step by step, so that its length
 * costs no memory.  doc/json.md describes the keys.
 */
#include <errno.h>
#include <string.h>

#include "cqesim/walk.h"
#include "describe/internal.h"
#include "report/report_internal.h"

#define FLAGS (JSON_INDENT(2) | JSON_REAL_PRECISION(15))

static json_t *hex(const uint8_t *bytes, unsigned count)
{
	char text[33] = "";

	for (unsigned i = 0; i < count && i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return json_string(text);
}

static json_t *ring(struct report_json *j, const struct cqesim_walk *w)
{
	json_t *o = json_object();

	report_put_u64(j, o, "slots", w->reader.mask + UINT64_C(1));
	report_put_u64(j, o, "cqe_size", UINT64_C(1) << w->reader.log_slot);
	report_put_text(j, o, "layout",
			w->shape.layout == CQESIM_CQ_ENHANCED ? "enhanced" : "basic");
	report_put_text(j, o, "mini_format", cqesim_mini_format_name(w->shape.format));
	report_put_u64(j, o, "log_stride", w->shape.log_stride);
	report_put_u64(j, o, "start", w->reader.ci);
	return o;
}

static json_t *looked_at(struct report_json *j, const struct cqesim_walk *w,
			 const struct cqesim_walk_step *s)
{
	json_t *o = json_object();

	report_put_u64(j, o, "op_own", s->op_own);
	report_put_u64(j, o, "opcode", s->op_own >> 4);
	report_put_u64(j, o, "format", s->op_own >> 2 & 3);
	report_put_u64(j, o, "owner", s->op_own & CQESIM_OWNER_MASK);
	if (w->shape.layout == CQESIM_CQ_ENHANCED) {
		report_put_u64(j, o, "validity_iteration_count", s->count);
		report_put_u64(j, o, "validity_iteration_count_wanted", s->count_wanted);
	} else {
		report_put_u64(j, o, "owner_wanted", s->owner_wanted);
	}
	report_put(j, o, "software", json_boolean(s->kind != CQESIM_WALK_STOP));
	return o;
}

static json_t *session(struct report_json *j, const struct cqesim_walk_step *s)
{
	json_t *o = json_object(), *mini = json_object();

	report_put_u64(j, o, "packets", s->session_n);
	report_put_u64(j, o, "packet", s->session_i);
	report_put_u64(j, mini, "slot", s->mini_slot);
	report_put_u64(j, mini, "byte", s->mini_byte);
	report_put(j, mini, "hex", hex(s->mini, sizeof(s->mini)));
	report_put(j, o, "mini", mini);
	report_put_u64(j, o, "left", s->left);
	return o;
}

static json_t *completion(struct report_json *j, const struct cqesim_completion *c)
{
	const struct cqesim_rxmeta *m = &c->meta;
	json_t *o = json_object();

	report_put_u64(j, o, "index", c->index);
	report_put_u64(j, o, "opcode", c->opcode);
	report_put_text(j, o, "opcode_name", cqesim_opcode_name(c->opcode));
	report_put_u64(j, o, "format", c->format);
	report_put_u64(j, o, "byte_cnt", m->byte_cnt);
	report_put_u64(j, o, "strides", c->strides);
	report_put(j, o, "filler", json_boolean(c->filler));
	report_put_u64(j, o, "rx_hash_res", m->rx_hash_res);
	report_put_u64(j, o, "rx_hash_type", m->rx_hash_type);
	report_put_u64(j, o, "flow_tag", m->flow_tag);
	report_put_u64(j, o, "user_index", m->user_index);
	report_put_u64(j, o, "vlan_info", m->vlan_info);
	report_put_u64(j, o, "csum", m->csum);
	report_put_u64(j, o, "pkt_info", m->pkt_info);
	report_put_u64(j, o, "hds_ip_ext", m->hds_ip_ext);
	report_put_u64(j, o, "l4_l3_hdr_type", m->l4_l3_hdr_type);
	report_put_u64(j, o, "timestamp", c->timestamp);
	report_put_u64(j, o, "flow_table_metadata", c->flow_table_metadata);
	report_put_u64(j, o, "wqe_counter", c->wqe_counter);
	report_put_u64(j, o, "wqe_id", c->wqe_id);
	report_put_u64(j, o, "lro_num_seg", c->lro_num_seg);
	report_put_u64(j, o, "send_opcode", c->send_opcode);
	report_put_u64(j, o, "syndrome", c->syndrome);
	report_put_u64(j, o, "vendor_err_synd", c->vendor_err_synd);
	return o;
}

static const char *fault_key(enum cqesim_cq_fault_kind kind)
{
	static const char *const key[CQESIM_CQ_FAULTS] = {
		[CQESIM_CQ_FAULT_NONE] = "none",
		[CQESIM_CQ_FAULT_SESSION_SHORT] = "session_short",
		[CQESIM_CQ_FAULT_SESSION_LONG] = "session_long",
		[CQESIM_CQ_FAULT_ARRAY_LONG] = "array_long",
		[CQESIM_CQ_FAULT_NO_TITLE] = "no_title",
		[CQESIM_CQ_FAULT_MINI_LENGTH] = "mini_length",
		[CQESIM_CQ_FAULT_OPCODE] = "opcode",
		[CQESIM_CQ_FAULT_OUT_OF_ORDER] = "out_of_order",
		[CQESIM_CQ_FAULT_AHEAD] = "ahead",
	};
	return (unsigned)kind < CQESIM_CQ_FAULTS && key[kind] ? key[kind] : "unknown";
}

static json_t *fault(struct report_json *j, const struct cqesim_cq_fault *f)
{
	json_t *o = json_object();

	report_put_text(j, o, "kind", fault_key(f->kind));
	report_put_text(j, o, "text", cqesim_cq_fault_name(f->kind));
	report_put_u64(j, o, "index", f->index);
	report_put_u64(j, o, "slot", f->slot);
	report_put_u64(j, o, "mini", f->mini);
	report_put_u64(j, o, "found", f->found);
	return o;
}

static json_t *changes(struct report_json *j, const struct cqesim_walk_step *s)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < s->changes; i++) {
		json_t *o = json_object();

		report_put_u64(j, o, "slot", s->change[i].slot);
		report_put_u64(j, o, "byte", s->change[i].byte);
		report_put_u64(j, o, "from", s->change[i].from);
		report_put_u64(j, o, "to", s->change[i].to);
		report_add(j, list, o);
	}
	return list;
}

static json_t *step_object(struct report_json *j, const struct cqesim_walk *w,
			   const struct cqesim_walk_step *s)
{
	json_t *o = json_object(), *wrote = json_array();

	report_put_u64(j, o, "step", s->number);
	report_put(j, o, "time_ps",
		   s->time_ps == UINT64_MAX ? json_null() : report_u64(s->time_ps));
	for (uint32_t i = 0; i < s->wrote_count; i++)
		report_add(j, wrote, report_u64(s->wrote[i]));
	report_put(j, o, "device_wrote", wrote);
	report_put_text(j, o, "kind", cqesim_walk_kind_name(s->kind));
	report_put_u64(j, o, "index", s->ci);
	report_put_u64(j, o, "slot", s->slot);
	report_put_u64(j, o, "lap", s->lap);
	report_put(j, o, "looked_at", looked_at(j, w, s));
	report_put(j, o, "session", s->session_n ? session(j, s) : json_null());
	bool good = s->kind != CQESIM_WALK_STOP && s->kind != CQESIM_WALK_FAULT;
	report_put(j, o, "completion", good ? completion(j, &s->completion) : json_null());
	report_put(j, o, "fault", s->kind == CQESIM_WALK_FAULT ? fault(j, &s->fault) : json_null());
	report_put(j, o, "changes", changes(j, s));
	report_put_u64(j, o, "index_after", s->ci_after);
	report_put_u64(j, o, "doorbell", s->ci_after & 0xffffff);
	return o;
}

/* "key": value, as one member of the document. */
static void member(struct report_json *j, FILE *to, const char *before, const char *key,
		   json_t *value)
{
	if (!value)
		j->failed = true;
	fprintf(to, "%s\"%s\": ", before, key);
	json_dumpf(value, to, FLAGS | JSON_ENCODE_ANY);
	json_decref(value);
}

int cqesim_walk_json_head(const struct cqesim_walk *w, const char *source, FILE *to)
{
	struct report_json j = {.failed = false};

	member(&j, to, "{\n", "version", json_string(cqesim_version()));
	member(&j, to, ",\n", "source", report_string(&j, source));
	member(&j, to, ",\n", "ring", ring(&j, w));
	member(&j, to, ",\n", "driver", json_string(cqesim_invalidate_name(w->reader.invalidate)));
	fputs(",\n\"steps\": [", to);
	return j.failed ? -ENOMEM : 0;
}

int cqesim_walk_json(const struct cqesim_walk *w, const struct cqesim_walk_step *s, bool first,
		     FILE *to)
{
	struct report_json j = {.failed = false};
	json_t *o = step_object(&j, w, s);

	fputs(first ? "\n" : ",\n", to);
	json_dumpf(o, to, FLAGS);
	json_decref(o);
	return j.failed ? -ENOMEM : 0;
}

int cqesim_walk_json_end(const struct cqesim_walk *w, const struct cqesim_walk_step *last, bool cut,
			 const char *error, FILE *to)
{
	struct report_json j = {.failed = false};
	struct cqesim_cq_fault f;
	bool whole = !cut && !error;
	bool missing = whole && cqesim_cq_check(&w->reader, &f);

	fputc('\n', to);
	member(&j, to, "],\n", "completions", report_u64(w->packets));
	member(&j, to, ",\n", "faults", report_u64(w->faults));
	member(&j, to, ",\n", "stopped_at", whole ? report_u64(last->ci) : json_null());
	member(&j, to, ",\n", "missing", missing ? fault(&j, &f) : json_null());
	member(&j, to, ",\n", "error", report_string(&j, error));
	fputs("\n}\n", to);
	return j.failed ? -ENOMEM : 0;
}
