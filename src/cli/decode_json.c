/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim decode --json: one document, written as it goes; doc/json.md describes it. */
#include <string.h>

#include "decode.h"

/* ---- writing ---- */

static void indent(const struct decode_writer *w)
{
	printf("%*s", 2 * (int)w->depth, "");
}

static void string(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20 || c >= 0x7f) /* names of files and devices may be anything */
			printf("\\\\x%02x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void key_of(struct decode_writer *w, const char *key)
{
	if (!w->first)
		putchar(',');
	if (w->depth || !w->first)
		putchar('\n');
	w->first = false;
	indent(w);
	if (key) {
		string(key);
		printf(": ");
	}
}

void dump_json_open(struct decode_writer *w, const char *key, char bracket)
{
	if (w->depth)
		key_of(w, key);
	putchar(bracket);
	w->depth++;
	w->first = true;
}

void dump_json_close(struct decode_writer *w, char bracket)
{
	w->depth--;
	if (!w->first) {
		putchar('\n');
		indent(w);
	}
	putchar(bracket);
	w->first = false;
	if (!w->depth)
		putchar('\n');
}

void dump_json_text(struct decode_writer *w, const char *key, const char *value)
{
	if (!value)
		return dump_json_null(w, key);
	key_of(w, key);
	string(value);
}

void dump_json_uint(struct decode_writer *w, const char *key, uint64_t value)
{
	if (value > INT64_MAX) /* not every reader has more; hex has it all */
		return dump_json_null(w, key);
	key_of(w, key);
	printf("%llu", (unsigned long long)value);
}

void dump_json_bool(struct decode_writer *w, const char *key, bool value)
{
	key_of(w, key);
	fputs(value ? "true" : "false", stdout);
}

void dump_json_null(struct decode_writer *w, const char *key)
{
	key_of(w, key);
	printf("null");
}

static void dump_json_hex(struct decode_writer *w, const char *key, const uint8_t *bytes, size_t n)
{
	key_of(w, key);
	putchar('"');
	for (size_t i = 0; i < n; i++)
		printf("%02x", bytes[i]);
	putchar('"');
}

/* ---- a completion ---- */

static void parts(struct decode_writer *w, const struct cqesim_layout *view,
		  const struct cqesim_field *f, uint64_t v)
{
	bool open = false;

	for (unsigned i = 0; i < view->part_count; i++) {
		const struct cqesim_part *p = &view->parts[i];
		uint64_t part = v >> p->shift & (~UINT64_C(0) >> (64 - p->bits));

		if (strcmp(p->field, f->name))
			continue;
		if (!open)
			dump_json_open(w, "parts", '[');
		open = true;
		dump_json_open(w, NULL, '{');
		dump_json_text(w, "name", p->name);
		dump_json_uint(w, "shift", p->shift);
		dump_json_uint(w, "bits", p->bits);
		dump_json_uint(w, "value", part);
		dump_json_text(w, "text", cqesim_value_name(p->name, part));
		dump_json_text(w, "meaning", p->meaning);
		dump_json_text(w, "source", p->source);
		dump_json_close(w, '}');
	}
	if (open)
		dump_json_close(w, ']');
}

static void fields(struct decode_writer *w, const struct cqesim_dump_item *item)
{
	const struct cqesim_layout *view = cqesim_cqe_view(item->raw);

	dump_json_text(w, "view", view->name);
	dump_json_open(w, "fields", '[');
	for (unsigned i = 0; i < view->count; i++) {
		const struct cqesim_field *f = &view->fields[i];
		uint64_t v = cqesim_field_get(f, item->raw), bytes = (UINT64_C(1) << f->bytes) - 1;
		bool known = (item->known >> f->byte & bytes) == bytes;
		char hex[24];

		dump_json_open(w, NULL, '{');
		dump_json_text(w, "name", f->name);
		dump_json_uint(w, "byte", f->byte);
		dump_json_uint(w, "bytes", f->bytes);
		dump_json_uint(w, "shift", f->shift);
		dump_json_uint(w, "bits", f->bits);
		if (known) {
			snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)v);
			dump_json_uint(w, "value", v);
			dump_json_text(w, "hex", hex);
			dump_json_text(w, "text", cqesim_value_name(f->name, v));
			parts(w, view, f, v);
		} else {
			dump_json_null(w, "value");
		}
		dump_json_text(w, "meaning", f->meaning);
		dump_json_text(w, "source", f->source);
		dump_json_close(w, '}');
	}
	dump_json_close(w, ']');
}

static void reserved(struct decode_writer *w, const uint8_t raw[64])
{
	dump_json_open(w, "nonzero_in_reserved", '[');
	for (unsigned i = 0; i < 64; i++)
		if (CQESIM_DUMP_ERR_RESERVED >> i & 1 && raw[i])
			dump_json_uint(w, NULL, i);
	dump_json_close(w, ']');
}

/* The values of an error completion by name, as they are mostly asked for. */
static void error(struct decode_writer *w, const uint8_t raw[64])
{
	struct cqesim_cqe_err e;
	char pair[16];

	cqesim_cqe_err_decode(raw, &e);
	snprintf(pair, sizeof(pair), "%u/%u", e.hw_synd_type >> 4, e.hw_err_synd);
	dump_json_open(w, "error", '{');
	dump_json_uint(w, "opcode", e.opcode);
	dump_json_text(w, "opcode_name", cqesim_opcode_name(e.opcode));
	dump_json_uint(w, "cqe_format", e.format);
	dump_json_uint(w, "solicited", e.se);
	dump_json_uint(w, "owner", e.owner);
	dump_json_uint(w, "syndrome", e.syndrome);
	dump_json_text(w, "syndrome_name", cqesim_syndrome_name(e.syndrome));
	dump_json_uint(w, "vendor_err_synd", e.vendor_err_synd);
	dump_json_uint(w, "hw_err_synd", e.hw_err_synd);
	dump_json_uint(w, "hw_synd_type_byte", e.hw_synd_type);
	dump_json_text(w, "ucx_style_hw_synd", pair);
	dump_json_uint(w, "s_wqe_opcode", e.wqe_opcode);
	dump_json_text(w, "s_wqe_opcode_name",
		       e.opcode == CQESIM_OP_REQ_ERR ? cqesim_send_opcode_name(e.wqe_opcode)
						     : "n/a (responder)");
	dump_json_uint(w, "qpn", e.qpn);
	dump_json_uint(w, "wqe_counter", e.wqe_counter);
	dump_json_uint(w, "signature", e.signature);
	dump_json_uint(w, "srqn_uidx", e.srqn);
	dump_json_uint(w, "byte_cnt_off44", e.byte_cnt);
	dump_json_uint(w, "dword_off48", cqesim_be_load(raw + 48, 4));
	reserved(w, raw);
	dump_json_uint(w, "signature_residual_xor", cqesim_dump_signature_residual(raw));
	dump_json_close(w, '}');
}

static void vendor(struct decode_writer *w, const struct cqesim_dump_facts *f)
{
	const struct cqesim_dump_vendor *v = cqesim_dump_vendor(f);
	char text[CQESIM_DUMP_TEXT], grade[2] = "";

	if (!(f->known & CQESIM_FACT_VENDOR))
		return dump_json_null(w, "vendor");
	cqesim_dump_vendor_text(f, text, sizeof(text));
	dump_json_open(w, "vendor", '{');
	dump_json_uint(w, "value", f->vendor_err_synd);
	if (v)
		grade[0] = v->grade;
	dump_json_text(w, "grade", v ? grade : NULL);
	dump_json_text(w, "with", v ? v->with : NULL);
	dump_json_text(w, "meaning", v ? v->meaning : NULL);
	dump_json_text(w, "seen", v ? v->seen : NULL);
	dump_json_text(w, "sources", v ? v->sources : NULL);
	dump_json_text(w, "text", text);
	dump_json_close(w, '}');
}

static void next(struct decode_writer *w, const struct cqesim_dump_facts *f)
{
	dump_json_open(w, "next", '[');
	for (const char *const *line = cqesim_dump_advice(f); *line; line++)
		dump_json_text(w, NULL, *line);
	dump_json_close(w, ']');
}

static void facts(struct decode_writer *w, const char *key, const struct cqesim_dump_facts *f)
{
	static const char *const queue[] = {"qp", "sq", "rq", "srq", "dci", "dct"};
	const struct {
		uint32_t fact;
		const char *name;
		uint32_t value;
	} number[] = {
		{CQESIM_FACT_OPCODE, "opcode", f->opcode},
		{CQESIM_FACT_STATUS, "status", f->status},
		{CQESIM_FACT_SYNDROME, "syndrome", f->syndrome},
		{CQESIM_FACT_VENDOR, "vendor_err_synd", f->vendor_err_synd},
		{CQESIM_FACT_HW, "hw_err_synd", f->hw_err_synd},
		{CQESIM_FACT_HW, "hw_synd_type", f->hw_synd_type},
		{CQESIM_FACT_SEND_OPCODE, "s_wqe_opcode", f->send_opcode},
		{CQESIM_FACT_QPN, "qpn", f->qpn},
		{CQESIM_FACT_REMOTE_QPN, "remote_qpn", f->remote_qpn},
		{CQESIM_FACT_SRQN, "srqn", f->srqn},
		{CQESIM_FACT_CQN, "cqn", f->cqn},
		{CQESIM_FACT_WQE, "wqe_index", f->wqe_index},
		{CQESIM_FACT_CI, "ci", f->ci},
		{CQESIM_FACT_WQ_CI, "wq_ci", f->wq_ci},
		{CQESIM_FACT_WQ_SIZE, "wq_size", f->wq_size},
		{CQESIM_FACT_LKEY, "lkey", f->lkey},
		{CQESIM_FACT_RKEY, "rkey", f->rkey},
	};

	dump_json_open(w, key, '{');
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
		if (f->known & number[i].fact)
			dump_json_uint(w, number[i].name, number[i].value);
	if (f->known & CQESIM_FACT_SYNDROME)
		dump_json_text(w, "syndrome_name", cqesim_syndrome_name(f->syndrome));
	if (f->known & CQESIM_FACT_STATUS)
		dump_json_text(w, "status_name", cqesim_dump_status_name(f->status));
	if (f->known & CQESIM_FACT_SEND_OPCODE)
		dump_json_text(w, "s_wqe_opcode_name", cqesim_send_opcode_name(f->send_opcode));
	if (f->known & CQESIM_FACT_QPN && f->queue < sizeof(queue) / sizeof(queue[0]))
		dump_json_text(w, "queue", queue[f->queue]);
	dump_json_close(w, '}');
}

static bool has_error_bytes(const struct cqesim_dump_item *item)
{
	unsigned opcode = item->raw[CQESIM_OP_OWN_BYTE] >> 4;

	return item->kind == CQESIM_DUMP_CQE && item->known >> 63 &&
	       (opcode == CQESIM_OP_REQ_ERR || opcode == CQESIM_OP_RESP_ERR);
}

void dump_json_completion(struct decode_writer *w, const struct cqesim_dump_item *item)
{
	struct cqesim_dump_facts f;

	cqesim_dump_facts(item, &f);
	if (item->kind == CQESIM_DUMP_CQE && !(item->flags & CQESIM_DUMP_ARRAY))
		fields(w, item);
	if (!cqesim_dump_is_error(item))
		return;
	facts(w, "facts", &f);
	if (has_error_bytes(item))
		error(w, item->raw);
	dump_json_text(w, "where", cqesim_dump_where_name(cqesim_dump_where(&f)));
	dump_json_bool(w, "flush", cqesim_dump_is_flush(item));
	vendor(w, &f);
	next(w, &f);
}

/* ---- items ---- */

static void flags(struct decode_writer *w, uint32_t set)
{
	static const char *const name[] = {"announced", "swapped", "mixed",    "surplus",
					   "wide",      "in_ring", "conflict", "by_shape",
					   "rate",      "table",   "array"};

	dump_json_open(w, "flags", '[');
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (set >> i & 1)
			dump_json_text(w, NULL, name[i]);
	dump_json_close(w, ']');
}

static void bytes(struct decode_writer *w, const struct cqesim_dump_item *item)
{
	unsigned n = item->kind == CQESIM_DUMP_WQE && item->size < 64 ? (unsigned)item->size : 64;

	dump_json_text(w, "notation", cqesim_dump_notation_name(item->notation));
	dump_json_uint(w, "size", item->size);
	dump_json_hex(w, "hex", item->raw, n);
	dump_json_open(w, "missing", '[');
	for (unsigned i = 0; i < n; i++)
		if (!(item->known >> i & 1))
			dump_json_uint(w, NULL, i);
	dump_json_close(w, ']');
}

static void when(struct decode_writer *w, const struct cqesim_dump_item *item)
{
	static const char *const clock[] = {NULL, "seconds", "day", "year", "date"};

	if (item->clock == CQESIM_DUMP_NO_TIME)
		return dump_json_null(w, "time");
	dump_json_open(w, "time", '{');
	dump_json_text(w, "clock", clock[item->clock]);
	dump_json_uint(w, "ns", item->time_ns);
	dump_json_close(w, '}');
}

static void one(struct decode_writer *w, const struct cqesim_dump *dump, uint32_t i)
{
	const struct cqesim_dump_item *item = &dump->items[i];
	char text[CQESIM_DUMP_TEXT];

	dump_json_open(w, NULL, '{');
	dump_json_uint(w, "number", i + 1);
	dump_json_text(w, "kind", cqesim_dump_kind_name(item->kind));
	dump_json_text(w, "by", cqesim_dump_source_name(item->source));
	dump_json_text(w, "device", *item->device ? item->device : NULL);
	dump_json_uint(w, "line", item->line);
	dump_json_uint(w, "last_line", item->last_line);
	dump_json_uint(w, "offset", item->offset);
	if (item->more)
		dump_json_uint(w, "more", item->more);
	if (*item->addresses)
		dump_json_text(w, "addresses", item->addresses);
	when(w, item);
	cqesim_dump_explain(item, text, sizeof(text));
	dump_json_text(w, "sentence", text);
	flags(w, item->flags);
	if (item->same_as != CQESIM_DUMP_NONE)
		dump_json_uint(w, "same_as", item->same_as + 1);
	else
		dump_json_null(w, "same_as");
	if (item->flags & CQESIM_DUMP_IN_RING)
		dump_json_uint(w, "slot", item->slot);
	if (item->kind == CQESIM_DUMP_COUNTER) {
		dump_json_text(w, "name", item->name);
		dump_json_uint(w, "value", item->value);
	} else {
		facts(w, "stated", &item->stated);
	}
	if (item->kind == CQESIM_DUMP_FOREIGN)
		dump_json_text(w, "reason", cqesim_dump_reason_name(item->reason));
	if (item->kind == CQESIM_DUMP_CQE || item->kind == CQESIM_DUMP_WQE)
		bytes(w, item);
	if (item->kind == CQESIM_DUMP_CQE || item->kind == CQESIM_DUMP_STATEMENT)
		dump_json_completion(w, item);
	dump_json_close(w, '}');
}

void decode_json(const struct cqesim_dump *dump, const struct decode_options *o)
{
	struct decode_writer w = {.first = true};
	struct cqesim_dump_verdict v;

	cqesim_dump_verdict(dump, &v);
	dump_json_open(&w, NULL, '{');
	dump_json_text(&w, "version", cqesim_version());
	dump_json_text(&w, "source", o->source);
	dump_json_uint(&w, "bytes", dump->bytes);
	dump_json_uint(&w, "lines", dump->lines);
	dump_json_bool(&w, "binary", dump->binary);
	dump_json_uint(&w, "other_counters", dump->other_counters);
	dump_json_uint(&w, "mentions", dump->mentions);
	dump_json_uint(&w, "unread", dump->unread);
	dump_json_open(&w, "verdict", '{');
	if (v.root == CQESIM_DUMP_NONE)
		dump_json_null(&w, "root");
	else
		dump_json_uint(&w, "root", v.root + 1);
	dump_json_uint(&w, "errors", v.errors);
	dump_json_uint(&w, "flushes", v.flushes);
	dump_json_uint(&w, "completions", v.completions);
	dump_json_text(&w, "text", v.text);
	dump_json_close(&w, '}');
	dump_json_open(&w, "items", '[');
	for (uint32_t i = 0; i < dump->count; i++)
		one(&w, dump, i);
	dump_json_close(&w, ']');
	dump_json_close(&w, '}');
}
