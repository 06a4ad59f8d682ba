/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One mapping of a description as the bytes of a completion: each key is a field
 * of the view that the opcode asks for, a part of one, or a group of them
 * ("lro", "striding"...).  Two keys that mean the same bits are refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "describe/internal.h"

/* Keys that are no fields; the rest of what a completion may have. */
static const char *const words[] = {"view", "raw", "inline", "repeat", "note", NULL};
/* Overlays of a receive completion. */
static const char *const groups[] = {"lro", "shampo", "tm", "striding", NULL};
/* Views of a whole completion. */
static const char *const views[] = {"rx", "err", "sig", "req", "bare", NULL};

static bool among(const char *const *list, const char *word)
{
	for (; *list; list++)
		if (!strcmp(*list, word))
			return true;
	return false;
}

int cqe_repeat(const struct context *c, const node *map, uint64_t *repeat)
{
	const node *n = node_get(map, "repeat");

	*repeat = 1;
	return n ? value_number(c, n, 1, CQESIM_DESCRIPTION_COMPLETIONS, repeat) : 0;
}

/* ---- fields ---- */

static bool find_in(const struct cqesim_layout *view, const char *name, struct cqesim_field *f)
{
	const struct cqesim_field *whole = cqesim_layout_field(view, name);

	for (unsigned i = 0; !whole && i < view->part_count; i++) {
		const struct cqesim_part *part = &view->parts[i];

		if (strcmp(part->name, name))
			continue;
		*f = *cqesim_layout_field(view, part->field);
		f->name = part->name;
		f->shift = (uint8_t)(f->shift + part->shift);
		f->bits = part->bits;
		return true;
	}
	if (whole)
		*f = *whole;
	return whole != NULL;
}

/* In a striding RQ its own names for byte_cnt and wqe_counter go without a group. */
static bool find_field(const struct context *c, const struct cqesim_layout *view, const char *name,
		       struct cqesim_field *f)
{
	if (find_in(view, name, f))
		return true;
	return c->d->shape.log_stride && !strcmp(view->name, "rx") &&
	       find_in(cqesim_cqe_view_named("striding"), name, f);
}

static void guess_in(const struct cqesim_layout *view, struct guess *g)
{
	for (unsigned i = 0; i < view->count; i++)
		guess_try(g, view->fields[i].name);
	for (unsigned i = 0; i < view->part_count; i++)
		guess_try(g, view->parts[i].name);
}

/* "an error completion" */
static const char *article(const struct cqesim_layout *view)
{
	return strchr("aeiou", view->title[0]) ? "an" : "a";
}

static int unknown_key(const struct context *c, const node *n, const struct cqesim_layout *view)
{
	struct guess g = {.word = n->key};

	guess_in(view, &g);
	for (unsigned i = 0; words[i]; i++)
		guess_try(&g, words[i]);
	if (g.best)
		return refuse(c, n, "no field of %s %s; is %s meant?", article(view), view->title,
			      g.best);
	for (unsigned i = 0; views[i]; i++) {
		struct cqesim_field f;

		if (find_in(cqesim_cqe_view_named(views[i]), n->key, &f))
			return refuse(c, n, "no field of %s %s, but of view %s", article(view),
				      view->title, views[i]);
	}
	return refuse(c, n, "no field of %s %s; cqesim formats %s lists them", article(view),
		      view->title, view->name);
}

/* Put the key's value where the field lies; no other key may have been there. */
static int set_field(const struct context *c, const node *n, const struct cqesim_field *f,
		     struct made *m)
{
	uint8_t mask[64] = {0};
	uint64_t value;
	int rc = value_field(c, n, f->name, f->bits, &value);

	if (rc)
		return rc;
	cqesim_field_mask(f, mask);
	for (unsigned i = 0; i < 64; i++) {
		if (mask[i] & m->set[i])
			return refuse(c, n, "gives bits of byte %u that %s gives in line %u too", i,
				      m->by[i]->key, m->by[i]->line);
		m->set[i] |= mask[i];
		if (mask[i])
			m->by[i] = n;
	}
	cqesim_field_set(f, m->cqe, value);
	return 0;
}

/* All keys of a group are fields of its overlay. */
static int set_group(const struct context *c, const node *group, const struct cqesim_layout *view,
		     struct made *m)
{
	struct cqesim_field f;

	if (group->kind != NODE_MAP)
		return refuse(c, group, "expected fields with values, not %s",
			      node_kind_name(group));
	for (const node *n = group->first; n; n = n->next) {
		int rc = find_in(view, n->key, &f) ? set_field(c, n, &f, m)
						   : unknown_key(c, n, view);

		if (rc)
			return rc;
	}
	return 0;
}

int cqe_make_over(const struct context *c, const node *map, const struct cqesim_layout *view,
		  struct made *m)
{
	*m = (struct made){.view = view};
	return set_group(c, map, view, m);
}

/* ---- a completion ---- */

static const struct cqesim_layout *view_of(unsigned opcode)
{
	uint8_t raw[64] = {0};

	raw[CQESIM_OP_OWN_BYTE] = CQESIM_OP_OWN(opcode, 0, 0);
	return cqesim_cqe_view(raw);
}

static int take_raw(const struct context *c, const node *n, struct made *m)
{
	bool wide = c->d->shape.cqe_128;
	uint8_t bytes[128];
	size_t count;
	int rc = value_hex(c, n, bytes, wide ? 128 : 64, &count);

	if (rc)
		return rc;
	if (count != 64 && !(wide && count == 128))
		return refuse(c, n, "%zu bytes, expected 64%s", count, wide ? " or 128" : "");
	m->has_half = count == 128;
	if (m->has_half)
		memcpy(m->half, bytes, 64);
	memcpy(m->cqe, bytes + count - 64, 64);
	return 0;
}

/* The opcode that a view stands for when none is given. */
static int default_opcode(const struct context *c, const node *view, unsigned *opcode)
{
	static const uint8_t of[] = {CQESIM_OP_RESP_SEND, 0, CQESIM_OP_SIG_ERR, CQESIM_OP_REQ,
				     CQESIM_OP_RESIZE_CQ};
	unsigned which;
	int rc = value_word(c, view, views, &which);

	if (rc)
		return rc;
	if (!strcmp(views[which], "err"))
		return refuse(c, view, "err needs an opcode beside it, REQ_ERR or RESP_ERR");
	*opcode = of[which];
	return 0;
}

/* Opcode and view, each of which may follow from the other. */
static int choose_view(const struct context *c, const node *map, struct made *m)
{
	const node *raw = node_get(map, "raw"), *view = node_get(map, "view");
	const node *op = node_get(map, "opcode");
	unsigned opcode =
		c->d->shape.format < CQESIM_MINI_FORMATS ? CQESIM_OP_RESP_SEND : CQESIM_OP_REQ;
	uint64_t number;
	int rc = raw ? take_raw(c, raw, m) : 0;

	if (rc)
		return rc;
	if (op) {
		rc = value_field(c, op, "opcode", 4, &number);
		opcode = (unsigned)number;
	} else if (raw) {
		opcode = m->cqe[CQESIM_OP_OWN_BYTE] >> 4;
	} else if (view) {
		rc = default_opcode(c, view, &opcode);
	}
	if (rc)
		return rc;
	m->view = view_of(opcode);
	m->cqe[CQESIM_OP_OWN_BYTE] = (uint8_t)(opcode << 4 | (m->cqe[CQESIM_OP_OWN_BYTE] & 0x0f));
	unsigned which;
	if (view)
		rc = value_word(c, view, views, &which);
	if (!rc && view && strcmp(views[which], m->view->name))
		return refuse(c, view, "an opcode of %u (%s) is %s, not %s", opcode,
			      cqesim_opcode_name(opcode), m->view->name, views[which]);
	return rc;
}

static int take_inline(const struct context *c, const node *n, bool raw, struct made *m)
{
	struct cqesim_field format = *cqesim_layout_field(m->view, "format");
	int rc = value_hex(c, n, m->data, sizeof(m->data), &m->data_bytes);

	if (rc)
		return rc;
	if (m->data_bytes > 32 && !c->d->shape.cqe_128)
		return refuse(c, n, "%zu bytes, expected at most 32 (64 with cqe_size: 128)",
			      m->data_bytes);
	m->has_data = true;
	if (raw)
		return refuse(c, n, "raw says it all, inline data included");
	if (m->set[CQESIM_OP_OWN_BYTE] >> format.shift & 3)
		return refuse(c, n, "the format follows from the data, leave format out");
	for (unsigned i = 0; i < 32 && m->data_bytes <= 32; i++)
		if (m->set[i])
			return refuse(c, n, "lies in bytes 0 to 31, where %s of line %u is",
				      m->by[i]->key, m->by[i]->line);
	const struct cqesim_field *byte_cnt = cqesim_layout_field(m->view, "byte_cnt");
	if (byte_cnt && !m->set[byte_cnt->byte])
		cqesim_field_set(byte_cnt, m->cqe, m->data_bytes);
	return 0;
}

/* A packet in a striding RQ takes as many strides as it needs, unless told otherwise. */
static void fill_strides(const struct context *c, uint8_t cqe[64], const uint8_t set[64])
{
	struct cqesim_cqe_striding s;
	unsigned log_stride = c->d->shape.log_stride;

	if (!log_stride || set[44] & 0x7f || set[45] || !(set[46] | set[47]))
		return; /* bits 30:16 of byte_cnt are given, or the length is not */
	cqesim_cqe_striding_decode(cqe, &s);
	s.strides = (uint16_t)((s.length + (1u << log_stride) - 1) >> log_stride);
	if (!s.strides)
		s.strides = 1;
	cqesim_cqe_striding_put(&s, cqe);
}

static int make_fields(const struct context *c, const node *map, bool title, struct made *m)
{
	bool rx = !strcmp(m->view->name, "rx");
	struct cqesim_field f;

	for (const node *n = map->first; n; n = n->next) {
		int rc = 0;

		if (rx && among(groups, n->key))
			rc = set_group(c, n, cqesim_cqe_view_named(n->key), m);
		else if (find_field(c, m->view, n->key, &f))
			rc = set_field(c, n, &f, m);
		else if (title && (!strcmp(n->key, "inline") || !strcmp(n->key, "repeat")))
			rc = refuse(c, n, "not for a title");
		else if (!among(words, n->key))
			rc = unknown_key(c, n, m->view);
		if (rc)
			return rc;
	}
	return 0;
}

int cqe_make(const struct context *c, const node *map, bool title, struct made *m)
{
	*m = (struct made){.repeat = 1};
	if (map->kind != NODE_MAP)
		return refuse(c, map, "expected the fields of a completion, not %s",
			      node_kind_name(map));
	bool raw = node_get(map, "raw") != NULL;
	int rc = choose_view(c, map, m);
	if (!rc)
		rc = make_fields(c, map, title, m);
	const node *data = node_get(map, "inline");
	if (!rc && data)
		rc = take_inline(c, data, raw, m);
	if (!rc)
		rc = cqe_repeat(c, map, &m->repeat);
	if (rc)
		return rc;
	const struct cqesim_field *counter = cqesim_layout_field(m->view, "wqe_counter");
	m->counted = counter && !raw && !m->set[counter->byte];
	if (!raw && !strcmp(m->view->name, "rx"))
		fill_strides(c, m->cqe, m->set);
	/* What was given as bytes stands as it is, ownership included. */
	if (raw)
		memset(m->set, 0xff, sizeof(m->set));
	return 0;
}

/* ---- minis ---- */

/* A field that this format does not have: say which it has. */
static int not_carried(const struct context *c, const node *n)
{
	enum cqesim_mini_format format = c->d->shape.format;
	char list[120] = "";
	unsigned rows;
	const struct cqesim_mini_field *row = cqesim_mini_fields(format, &rows);

	for (unsigned i = 0; i < rows; i++) {
		if (strstr(list, row[i].name)) /* the tag of ftag_stridx has two rows */
			continue;
		if (*list)
			strcat(list, ", ");
		strcat(list, row[i].name);
	}
	return refuse(c, n, "%s minis carry %s; the rest is the title's",
		      cqesim_mini_format_name(format), list);
}

static int set_mini_field(const struct context *c, const node *n, const struct cqesim_layout *view,
			  struct made *m)
{
	enum cqesim_mini_format format = c->d->shape.format;
	uint8_t mask[64] = {0}, carried[64];
	struct cqesim_field f;

	/* In formats that have it, stride_index is what wqe_counter is in a CQE. */
	if (!strcmp(n->key, "stride_index"))
		find_in(cqesim_cqe_view_named("striding"), n->key, &f);
	else if (!find_field(c, view, n->key, &f) && !find_in(&cqesim_cqe_views[0], n->key, &f))
		return unknown_key(c, n, view);
	cqesim_field_mask(&f, mask);
	cqesim_mini_carries(format, carried);
	for (unsigned i = 0; i < 64; i++)
		if (mask[i] & ~carried[i])
			return not_carried(c, n);
	return set_field(c, n, &f, m);
}

static int make_mini_fields(const struct context *c, const node *map,
			    const struct cqesim_layout *view, struct made *m)
{
	for (const node *n = map->first; n; n = n->next) {
		int rc = 0;

		if (!strcmp(n->key, "striding") && n->kind == NODE_MAP) {
			for (const node *s = n->first; s && !rc; s = s->next)
				rc = set_mini_field(c, s, cqesim_cqe_view_named("striding"), m);
		} else if (strcmp(n->key, "repeat") && strcmp(n->key, "note")) {
			rc = set_mini_field(c, n, view, m);
		}
		if (rc)
			return rc;
	}
	return 0;
}

static int make_raw_mini(const struct context *c, const node *map, struct made_mini *out)
{
	const node *raw = node_get(map, "raw");
	size_t bytes;

	for (const node *n = map->first; n; n = n->next)
		if (n != raw && strcmp(n->key, "repeat") && strcmp(n->key, "note"))
			return refuse(c, n, "raw says it all");
	out->is_raw = out->counted = true;
	int rc = value_hex(c, raw, out->raw, sizeof(out->raw), &bytes);
	if (!rc && bytes != sizeof(out->raw))
		rc = refuse(c, raw, "%zu bytes, expected 8", bytes);
	return rc;
}

static int make_mini(const struct context *c, const node *map, const uint8_t title[64],
		     struct made_mini *out)
{
	struct made m = {.view = cqesim_cqe_view(title)};
	struct cqesim_mini wanted, got;
	uint8_t raw[8];

	memcpy(m.cqe, title, 64);
	memset(m.cqe + 44, 0, 4); /* the title's is their number */
	*out = (struct made_mini){.is_raw = false};
	if (map->kind != NODE_MAP)
		return refuse(c, map, "expected the fields of a mini-CQE, not %s",
			      node_kind_name(map));
	if (node_get(map, "raw")) {
		memcpy(out->cqe, m.cqe, 64);
		return make_raw_mini(c, map, out);
	}
	int rc = make_mini_fields(c, map, m.view, &m);
	if (rc)
		return rc;
	if (!(m.set[44] | m.set[45] | m.set[46] | m.set[47]))
		return refuse(c, map, "byte_cnt is missing: each packet has its length");
	/* ftag_stridx has 24 bits for it, without strides. */
	if (c->d->shape.format != CQESIM_MINI_FTAG_STRIDX)
		fill_strides(c, m.cqe, m.set);
	cqesim_mini_from_cqe(m.cqe, &wanted);
	cqesim_mini_encode(c->d->shape.format, &wanted, raw);
	cqesim_mini_decode(c->d->shape.format, raw, &got);
	if (got.byte_cnt != wanted.byte_cnt)
		return refuse(c, map, "byte_cnt: 0x%x does not fit in the 24 bits of %s minis",
			      wanted.byte_cnt, cqesim_mini_format_name(c->d->shape.format));
	out->counted = !m.set[60];
	memcpy(out->cqe, m.cqe, 64);
	return 0;
}

int cqe_make_minis(const struct context *c, const node *list, const uint8_t title[64], uint32_t max,
		   struct made_mini **out, uint32_t *count)
{
	*out = NULL;
	*count = 0;
	if (list->kind != NODE_LIST || !list->count)
		return refuse(c, list, "expected a list of mini-CQEs, not %s",
			      list->kind == NODE_LIST ? "an empty one" : node_kind_name(list));
	struct made_mini *mini = calloc(max, sizeof(*mini));
	if (!mini)
		return no_memory(c);
	*out = mini;
	for (const node *n = list->first; n; n = n->next) {
		struct made_mini one;
		uint64_t repeat = 1;
		int rc = make_mini(c, n, title, &one);

		if (!rc)
			rc = cqe_repeat(c, n, &repeat);
		if (rc)
			return rc;
		if (repeat > max - *count)
			return refuse(c, n, "more than %u mini-CQEs, which is the most here", max);
		while (repeat--)
			mini[(*count)++] = one;
	}
	return 0;
}
