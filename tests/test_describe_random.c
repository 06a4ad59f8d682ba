/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random descriptions: what is described is what the tables find in the slots
 * and what the reader returns, in both layouts, all formats and slot sizes, lap
 * after lap.
 */
#include <inttypes.h>
#include <stdio.h>

#include "test_describe.h"

#define EXPECTED_MAX 4096u
#define FIELDS_MAX   64u

/* One completion that must come back, and the fields that must be in its slot. */
struct expected {
	struct cqesim_completion c;
	unsigned checked; /* of enum what */
};
enum what { RECEIVED = 1, ERROR = 2, IN_SESSION = 4 };

struct given {
	uint32_t index;
	const struct cqesim_field *field;
	uint64_t value;
};

struct model {
	uint64_t state; /* of the generator of numbers */
	FILE *to;
	bool json;
	struct cqesim_cq_shape shape;
	bool cross;
	uint32_t start, pi, unread, slots;
	uint16_t counter;
	bool has_title;
	struct cqesim_completion title;
	struct expected expected[EXPECTED_MAX];
	unsigned count, read;
	struct given *given;
	unsigned givens, room, seen;
};

static uint64_t number(struct model *m)
{
	m->state ^= m->state << 13;
	m->state ^= m->state >> 7;
	m->state ^= m->state << 17;
	return m->state * UINT64_C(0x2545f4914f6cdd1d);
}

static unsigned below(struct model *m, unsigned n)
{
	return (unsigned)((number(m) >> 33) % n);
}

static uint64_t bits(struct model *m, unsigned n)
{
	return number(m) >> (64 - n);
}

/* ---- text ---- */

static void key(struct model *m, const char *name, const char *before)
{
	fprintf(m->to, m->json ? "%s\"%s\": " : "%s%s: ", before, name);
}

/* The value in one of the notations that there are. */
static void value(struct model *m, const char *field, uint64_t v)
{
	const char *name = cqesim_value_name(field, v);

	if (name && below(m, 3))
		fprintf(m->to, "\"%s\"", name);
	else if (below(m, 2))
		fprintf(m->to, m->json ? "\"0x%" PRIx64 "\"" : "0x%" PRIx64, v);
	else
		fprintf(m->to, "%" PRIu64, v);
}

static void member(struct model *m, const char *field, uint64_t v, const char *before)
{
	key(m, field, before);
	value(m, field, v);
}

/* ---- what is described ---- */

static void must_be(struct model *m, uint32_t index, const struct cqesim_field *f, uint64_t v)
{
	if (m->givens == m->room) {
		m->room = m->room ? 2 * m->room : 256;
		m->given = realloc(m->given, m->room * sizeof(*m->given));
		ck_assert_ptr_nonnull(m->given);
	}
	m->given[m->givens++] = (struct given){index, f, v};
}

static struct expected *expect(struct model *m, unsigned checked)
{
	struct expected *e = &m->expected[m->count++];

	ck_assert_uint_le(m->count, EXPECTED_MAX);
	*e = (struct expected){.checked = checked};
	e->c.index = m->pi;
	return e;
}

static uint16_t strides_of(const struct model *m, uint32_t length)
{
	uint32_t strides = (length + (1u << m->shape.log_stride) - 1) >> m->shape.log_stride;

	return (uint16_t)(strides ? strides : 1);
}

/* A length, in a striding RQ with its strides or as a filler. */
static void length(struct model *m, struct cqesim_completion *c, bool mini, const char *before)
{
	bool ftag = m->shape.format == CQESIM_MINI_FTAG_STRIDX && mini;

	c->meta.byte_cnt = 1 + below(m, 65535);
	if (!m->shape.log_stride) {
		member(m, "byte_cnt", c->meta.byte_cnt, before);
		return;
	}
	c->filler = !ftag && !below(m, 8);
	if (c->filler) {
		c->meta.byte_cnt = 0;
		c->strides = (uint16_t)(1 + below(m, 0x7fff));
		key(m, "striding", before);
		fputc('{', m->to);
		member(m, "filler", 1, "");
		member(m, "strides", c->strides, ", ");
		fputc('}', m->to);
	} else {
		c->strides = strides_of(m, c->meta.byte_cnt);
		member(m, "length", c->meta.byte_cnt, before);
	}
}

/* Fields that any receive completion may have, by their tables. */
static void some_fields(struct model *m, struct cqesim_completion *c, uint32_t index)
{
	const struct cqesim_layout *view = cqesim_cqe_view_named("rx");

	for (unsigned i = 0; i < view->count; i++) {
		const struct cqesim_field *f = &view->fields[i];
		static const char *const own[] = {"byte_cnt", "wqe_counter", "signature",
						  "opcode",   "format",      "owner"};
		bool mine = false;

		for (unsigned k = 0; k < 6; k++)
			mine |= !strcmp(f->name, own[k]);
		if (mine || below(m, 3))
			continue;
		uint64_t v = bits(m, f->bits);
		member(m, f->name, v, ", ");
		must_be(m, index, f, v);
		if (!strcmp(f->name, "rx_hash_res"))
			c->meta.rx_hash_res = (uint32_t)v;
		else if (!strcmp(f->name, "csum"))
			c->meta.csum = (uint16_t)v;
		else if (!strcmp(f->name, "flow_tag"))
			c->meta.flow_tag = (uint32_t)v;
		else if (!strcmp(f->name, "l4_l3_hdr_type"))
			c->meta.l4_l3_hdr_type = (uint8_t)v;
		else if (!strcmp(f->name, "vlan_info"))
			c->meta.vlan_info = (uint16_t)v;
		else if (!strcmp(f->name, "user_index"))
			c->meta.user_index = (uint32_t)v;
		else if (!strcmp(f->name, "timestamp"))
			c->timestamp = v;
		else if (!strcmp(f->name, "wqe_id"))
			c->wqe_id = (uint16_t)v;
		else if (!strcmp(f->name, "lro_num_seg"))
			c->lro_num_seg = (uint8_t)v;
	}
}

static uint16_t step(const struct model *m, const struct cqesim_completion *c)
{
	return m->shape.log_stride ? c->strides : 1;
}

static void plain(struct model *m)
{
	struct expected *e = expect(m, RECEIVED);

	e->c.opcode = CQESIM_OP_RESP_SEND;
	fputs(m->json ? "    {" : "  - {", m->to);
	length(m, &e->c, false, "");
	some_fields(m, &e->c, m->pi);
	e->c.wqe_counter = m->counter;
	if (!below(m, 4)) {
		e->c.wqe_counter = (uint16_t)bits(m, 16);
		member(m, "wqe_counter", e->c.wqe_counter, ", ");
	}
	must_be(m, m->pi, cqesim_cqe_rx_field("wqe_counter"), e->c.wqe_counter);
	fputc('}', m->to);
	m->counter = (uint16_t)(e->c.wqe_counter + step(m, &e->c));
	m->title = e->c;
	m->has_title = true;
	m->pi++;
}

/* A completion of another kind, all of its fields at random. */
static void other(struct model *m)
{
	static const struct {
		const char *view;
		enum cqesim_opcode opcode;
	} kinds[] = {
		{"err", CQESIM_OP_REQ_ERR},    {"err", CQESIM_OP_RESP_ERR},
		{"sig", CQESIM_OP_SIG_ERR},    {"req", CQESIM_OP_REQ},
		{"bare", CQESIM_OP_RESIZE_CQ},
	};
	unsigned kind = below(m, 5);
	const struct cqesim_layout *view = cqesim_cqe_view_named(kinds[kind].view);
	struct expected *e = expect(m, ERROR);

	e->c.opcode = (uint8_t)kinds[kind].opcode;
	fputs(m->json ? "    {" : "  - {", m->to);
	member(m, "opcode", e->c.opcode, "");
	key(m, "view", ", ");
	fprintf(m->to, "\"%s\"", kinds[kind].view);
	for (unsigned i = 0; i < view->count; i++) {
		const struct cqesim_field *f = &view->fields[i];
		uint64_t v = bits(m, f->bits);

		/* Byte 63 is the ring's but for the solicited event, byte 62 in the enhanced
		 * layout. */
		if ((f->byte == 63 && strcmp(f->name, "se")) ||
		    (f->byte == 62 && m->shape.layout == CQESIM_CQ_ENHANCED))
			continue;
		member(m, f->name, v, ", ");
		must_be(m, m->pi, f, v);
		if (!strcmp(f->name, "wqe_counter"))
			m->counter = (uint16_t)(v + 1);
		if (!strcmp(f->name, "syndrome") && e->c.opcode != CQESIM_OP_SIG_ERR)
			e->c.syndrome = (uint8_t)v;
		if (!strcmp(f->name, "vendor_err_synd"))
			e->c.vendor_err_synd = (uint8_t)v;
	}
	fputc('}', m->to);
	m->has_title = false; /* of an array it may be the title, but that is not tried here */
	m->pi++;
}

/* ---- sessions and arrays ---- */

/* One mini: what its format carries. */
static void mini(struct model *m, const struct cqesim_completion *title, uint32_t n, uint32_t i,
		 uint32_t index)
{
	struct expected *e = expect(m, RECEIVED | IN_SESSION);
	struct cqesim_completion *c = &e->c;

	*c = *title;
	c->filler = 0;
	c->index = index;
	c->session_n = n;
	c->session_i = i;
	fputs(i ? ", {" : "{", m->to);
	length(m, c, true, "");
	switch (m->shape.format) {
	case CQESIM_MINI_HASH:
		c->meta.rx_hash_res = (uint32_t)bits(m, 32);
		member(m, "rx_hash_res", c->meta.rx_hash_res, ", ");
		break;
	case CQESIM_MINI_CSUM:
	case CQESIM_MINI_CSUM_STRIDX:
		c->meta.csum = (uint16_t)bits(m, 16);
		member(m, "csum", c->meta.csum, ", ");
		break;
	case CQESIM_MINI_FTAG_STRIDX:
		c->meta.flow_tag = (uint32_t)bits(m, 24);
		member(m, "flow_tag", c->meta.flow_tag, ", ");
		break;
	default: /* L34H_STRIDX, by a part of the field */
		c->meta.l4_l3_hdr_type = (uint8_t)(below(m, 3) << 2);
		member(m, "l4_l3_hdr_type", c->meta.l4_l3_hdr_type, ", ");
	}
	bool has_stride =
		m->shape.format != CQESIM_MINI_HASH && m->shape.format != CQESIM_MINI_CSUM;
	if (has_stride && !below(m, 3)) {
		m->counter = (uint16_t)bits(m, 16);
		member(m, "stride_index", m->counter, ", ");
	}
	c->wqe_counter = m->counter;
	m->counter = (uint16_t)(m->counter + step(m, c));
	fputc('}', m->to);
}

static void session(struct model *m, uint32_t n)
{
	struct cqesim_completion title = {.opcode = CQESIM_OP_RESP_SEND};

	fputs(m->json ? "    {\"session\": {" : "  - {session: {", m->to);
	key(m, "title", "");
	fputc('{', m->to);
	member(m, "opcode", CQESIM_OP_RESP_SEND, "");
	title.index = m->pi;
	some_fields(m, &title, m->pi);
	fputc('}', m->to);
	key(m, "minis", ", ");
	fputc('[', m->to);
	for (uint32_t i = 0; i < n; i++)
		mini(m, &title, n, i, m->pi);
	fputs("]}}", m->to);
	must_be(m, m->pi, cqesim_cqe_rx_field("byte_cnt"), n);
	must_be(m, m->pi, cqesim_cqe_rx_field("format"), CQESIM_FORMAT_COMPRESSED);
	m->pi += n;
}

static void array(struct model *m, uint32_t n)
{
	fputs(m->json ? "    {\"array\": [" : "  - {array: [", m->to);
	for (uint32_t i = 0; i < n; i++)
		mini(m, &m->title, n, i, m->pi);
	fputs("]}", m->to);
	must_be(m, m->pi, cqesim_layout_field(cqesim_cqe_view_named("array"), "minis"), n - 1);
	m->pi += n;
}

/* ---- the whole ---- */

static void batch(struct model *m)
{
	fputs(m->json ? "    {\"batch\": " : "  - {batch: ", m->to);
	if (below(m, 4)) {
		fputs("\"all\"}", m->to);
		m->unread = 0;
	} else {
		fprintf(m->to, "%u}", 1 + below(m, 9)); /* how much that frees is not known here */
	}
}

static void entry(struct model *m)
{
	uint32_t slot = m->pi & (m->slots - 1), room = m->slots - m->unread, before = m->pi;
	bool enhanced = m->shape.layout == CQESIM_CQ_ENHANCED;

	if (!m->cross && m->slots - slot < room)
		room = m->slots - slot;
	unsigned kind = below(m, 8);
	if (!(m->slots - m->unread) || !kind)
		batch(m);
	else if (kind == 1)
		other(m);
	else if (kind < 5 && enhanced && m->has_title && room)
		array(m, 1 + below(m, room < 7 ? room : 7));
	else if (kind < 5 && !enhanced && room >= 2)
		session(m, 2 + below(m, room - 1));
	else
		plain(m);
	m->unread += m->pi - before;
}

static void head(struct model *m)
{
	static const unsigned strides[] = {0, 0, 6, 8, 11};

	m->shape.log_size = 3 + below(m, 4);
	m->shape.layout = (enum cqesim_cq_layout)below(m, 2);
	m->shape.format = (enum cqesim_mini_format)below(m, CQESIM_MINI_FORMATS);
	m->shape.cqe_128 = below(m, 2);
	m->shape.log_stride = strides[below(m, 5)];
	m->cross = below(m, 2);
	m->slots = 1u << m->shape.log_size;
	m->start = below(m, 3) ? (uint32_t)bits(m, 20) : UINT32_MAX - below(m, 40);
	m->pi = m->start;
	m->counter = (uint16_t)m->start;
	fputs(m->json ? "{\"ring\": {" : "ring: {", m->to);
	member(m, "log_cqe_n", m->shape.log_size, "");
	key(m, "layout", ", ");
	fputs(m->shape.layout == CQESIM_CQ_ENHANCED ? "\"enhanced\"" : "\"basic\"", m->to);
	key(m, "mini_format", ", ");
	fprintf(m->to, "\"%s\"", cqesim_mini_format_name(m->shape.format));
	member(m, "cqe_size", m->shape.cqe_128 ? 128 : 64, ", ");
	member(m, "log_stride", m->shape.log_stride, ", ");
	key(m, "cross", ", ");
	fputs(m->cross ? "true" : "false", m->to);
	member(m, "start", m->start, ", ");
	fputs(m->json ? "}, \"entries\": [\n" : "}\nentries:\n", m->to);
}

static int on_written(void *context, uint32_t index, const uint8_t *slot)
{
	struct model *m = context;
	const uint8_t *cqe = slot + (m->shape.cqe_128 ? 64 : 0);

	/* Arrays of the basic layout come before their title and have no fields. */
	for (unsigned i = m->seen; i < m->givens && m->given[i].index == index; m->seen = ++i) {
		const struct given *g = &m->given[i];
		uint64_t v = cqesim_field_get(g->field, cqe);

		ck_assert_msg(v == g->value, "index %u, %s: %" PRIu64 ", not %" PRIu64, index,
			      g->field->name, v, g->value);
	}
	return 0;
}

static void compare(const struct model *m, const struct cqesim_completion *c)
{
	ck_assert_uint_lt(m->read, m->count);
	const struct expected *e = &m->expected[m->read];

#define SAME(f)                                                                                    \
	ck_assert_msg(c->f == e->c.f, "completion %u: " #f " is 0x%" PRIx64 ", not 0x%" PRIx64,    \
		      m->read, (uint64_t)c->f, (uint64_t)e->c.f)
	SAME(index);
	SAME(opcode);
	SAME(session_n);
	SAME(session_i);
	SAME(syndrome);
	SAME(vendor_err_synd);
	if (!(e->checked & RECEIVED))
		return;
	SAME(meta.byte_cnt);
	SAME(meta.rx_hash_res);
	SAME(meta.csum);
	SAME(meta.flow_tag);
	SAME(meta.l4_l3_hdr_type);
	SAME(meta.vlan_info);
	SAME(meta.user_index);
	SAME(timestamp);
	SAME(wqe_counter);
	SAME(wqe_id);
	SAME(strides);
	SAME(filler);
	SAME(lro_num_seg);
#undef SAME
}

static int on_read(void *context, struct cqesim_cq_reader *reader, uint32_t max)
{
	struct model *m = context;
	struct cqesim_completion c;
	struct cqesim_cq_fault fault = {.kind = CQESIM_CQ_FAULT_NONE};
	int got = 1;

	for (; max && got; max--) {
		got = cqesim_cq_poll(reader, &c, 1, &fault);
		ck_assert_msg(got >= 0, "%s", cqesim_cq_fault_name(fault.kind));
		if (!got)
			break;
		compare(m, &c);
		m->read++;
	}
	return 0;
}

START_TEST(random_descriptions)
{
	static struct model model;
	struct model *m = &model;
	char *text = NULL;
	size_t size = 0;

	for (unsigned round = 0; round < 40; round++) {
		struct given *given = m->given;
		unsigned room = m->room;

		*m = (struct model){.given = given, .room = room};
		m->state = UINT64_C(0x9e3779b97f4a7c15) * (unsigned)(_i * 40 + (int)round + 1);
		m->json = round % 2;
		m->to = open_memstream(&text, &size);
		head(m);
		for (unsigned i = 0; i < 60 && m->count < EXPECTED_MAX - 70; i++) {
			if (i)
				fputs(m->json ? ",\n" : "\n", m->to);
			entry(m);
		}
		fputs(m->json ? "\n]}\n" : "\n", m->to);
		fclose(m->to);

		struct cqesim_description *d = description(text);
		struct cqesim_description_watch watch = {m, on_written, on_read};
		struct cqesim_cq_reader reader;
		struct cqesim_error err;
		uint8_t *ring = ring_of(d);
		ck_assert_int_eq(cqesim_description_write(d, ring,
							  (enum cqesim_invalidate)below(m, 3),
							  &reader, &watch, &err),
				 0);
		on_read(m, &reader, UINT32_MAX);
		ck_assert_uint_eq(m->read, m->count);
		ck_assert_uint_eq(m->seen, m->givens);
		ck_assert_uint_eq(reader.ci, m->pi);
		ck_assert_int_eq(cqesim_cq_check(&reader, NULL), 0);
		free(ring);
		free(text);
		cqesim_description_free(d);
	}
	free(m->given);
	m->given = NULL;
	m->room = 0;
}
END_TEST

/* Whatever text: an answer, and memory given back. */
START_TEST(damaged)
{
	static const char *const seeds[] = {
		"ring: {log_cqe_n: 4, mini_format: hash}\nentries:\n  - {byte_cnt: 60}\n"
		"  - session:\n      title: {opcode: 2}\n      minis: [{byte_cnt: 60, repeat: 3}]\n"
		"  - batch: all\n  - {raw: 00}\n",
		"ring: {log_cqe_n: 3, layout: enhanced, log_stride: 6}\nentries:\n"
		"  - {length: 60, inline: 0102}\n  - array: [{length: 1}]\n    tail: {minis: 9}\n"
		"  - hole: 2\n",
	};
	static const char bytes[] = "0159afx:{}[],-\n \"'#&*!|>%@`?~\t";
	struct model m = {.state = UINT64_C(0x123456789abcdef) + (unsigned)_i};

	for (unsigned round = 0; round < 4000; round++) {
		char text[512];
		size_t n = strlen(seeds[round % 2]);
		struct cqesim_description *d;
		struct cqesim_error err = {""};

		memcpy(text, seeds[round % 2], n);
		for (unsigned i = 1 + below(&m, 4); i; i--)
			text[below(&m, (unsigned)n)] = bytes[below(&m, sizeof(bytes))];
		if (!below(&m, 8))
			n = below(&m, (unsigned)n);
		int rc = cqesim_description_parse(&d, "d", text, n, &err);
		ck_assert_msg(!rc == !*err.text, "%d: %s", rc, err.text);
		ck_assert_msg(!rc || !strncmp(err.text, "d:", 2), "%s", err.text);
		ck_assert_ptr_null(strstr(err.text, "internal"));
		cqesim_description_free(d);
	}
}
END_TEST

void add_describe_random(Suite *s)
{
	TCase *tc = tcase_create("random");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, random_descriptions, 0, 25);
	tcase_add_loop_test(tc, damaged, 0, 3);
	suite_add_tcase(s, tc);
}
