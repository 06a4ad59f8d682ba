/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a fit found, back into the experiment's file: the values of fitted
 * parameters and every figure's deviation change in the text where they stand;
 * comments, order and wrapping stay.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "common/outfile.h"
#include "common/yaml_events.h"
#include "validate/internal.h"

#define DEPTH_MAX 16u

/* A number in the text that is to become another. */
struct change {
	size_t from, to; /* characters; from == to: not found yet */
	char text[32];
};

struct writing {
	struct cqesim_experiment *x;
	struct change *value;     /* of each parameter; those not fitted stay */
	struct change *deviation; /* of each figure */
	struct cqesim_error *err;
};

/* ---- the new texts ---- */

static int new_texts(struct writing *w)
{
	struct cqesim_experiment *x = w->x;

	for (unsigned i = 0; i < x->parameters; i++)
		if (x->parameter[i].figures)
			round_value(&x->parameter[i], w->value[i].text);
	int rc = cqesim_experiment_run(x, w->err);
	for (unsigned i = 0; i < x->figures && !rc; i++)
		if (x->figure[i].modelled)
			snprintf(w->deviation[i].text, sizeof(w->deviation[i].text), "%.10g",
				 round(x->figure[i].deviation * 10) / 10 + 0.0);
	return rc;
}

/* ---- where they go ---- */

/* Mappings and lists that are open, from the document's on. */
struct place {
	struct {
		bool list;
		unsigned item; /* of a list */
		bool is_value; /* of a mapping: a key was read */
		char key[32];
	} level[DEPTH_MAX];
	unsigned depth;
};

/* One more item of a list, or a key's value. */
static void count_item(struct place *p)
{
	if (!p->depth)
		return;
	if (p->level[p->depth - 1].list)
		p->level[p->depth - 1].item++;
	else
		p->level[p->depth - 1].is_value = false;
}

static bool open_level(struct place *p, bool list)
{
	if (p->depth == DEPTH_MAX)
		return false;
	memset(&p->level[p->depth], 0, sizeof(p->level[0]));
	p->level[p->depth++].list = list;
	return true;
}

/* figures or parameters > item > key: the change that the scalar stands for, or NULL. */
static struct change *change_here(const struct writing *w, const struct place *p)
{
	if (p->depth != 3 || p->level[0].list || !p->level[1].list || p->level[2].list)
		return NULL;
	unsigned item = p->level[1].item;
	if (!strcmp(p->level[0].key, "parameters") && !strcmp(p->level[2].key, "value") &&
	    item < w->x->parameters)
		return &w->value[item];
	if (!strcmp(p->level[0].key, "figures") && !strcmp(p->level[2].key, "deviation") &&
	    item < w->x->figures)
		return &w->deviation[item];
	return NULL;
}

static void scalar(const struct writing *w, struct place *p, const yaml_event_t *e)
{
	if (p->depth && !p->level[p->depth - 1].list && !p->level[p->depth - 1].is_value) {
		snprintf(p->level[p->depth - 1].key, sizeof(p->level[0].key), "%s",
			 (const char *)e->data.scalar.value);
		p->level[p->depth - 1].is_value = true;
		return;
	}
	struct change *c = change_here(w, p);
	if (c) {
		c->from = e->start_mark.index;
		c->to = e->end_mark.index;
	}
	count_item(p);
}

static int locate(const struct writing *w, const unsigned char *data, size_t size)
{
	struct place place = {.depth = 0};
	yaml_parser_t parser;
	yaml_event_t e;
	bool good = yaml_parser_initialize(&parser), end = false;

	if (!good)
		return -ENOMEM;
	yaml_parser_set_input_string(&parser, data, size);
	while (good && !end) {
		good = yaml_parser_parse(&parser, &e);
		if (!good)
			break;
		switch (e.type) {
		case YAML_SCALAR_EVENT:
			scalar(w, &place, &e);
			break;
		case YAML_MAPPING_START_EVENT:
		case YAML_SEQUENCE_START_EVENT:
			good = open_level(&place, e.type == YAML_SEQUENCE_START_EVENT);
			break;
		case YAML_MAPPING_END_EVENT:
		case YAML_SEQUENCE_END_EVENT:
			place.depth--;
			count_item(&place);
			break;
		case YAML_STREAM_END_EVENT:
			end = true;
			break;
		default:
			break;
		}
		yaml_event_delete(&e);
	}
	yaml_parser_delete(&parser);
	return good ? 0 : -EINVAL;
}

static int check_found(const struct writing *w)
{
	const struct cqesim_experiment *x = w->x;

	for (unsigned i = 0; i < x->figures; i++)
		if (*w->deviation[i].text && w->deviation[i].from == w->deviation[i].to)
			return cqesim_fail(w->err, -EINVAL,
					   "%s: figure \"%.60s\": expected a key deviation, whose "
					   "value would be %s",
					   x->file, x->figure[i].name, w->deviation[i].text);
	for (unsigned i = 0; i < x->parameters; i++)
		if (*w->value[i].text && w->value[i].from == w->value[i].to)
			return cqesim_fail(w->err, -EINVAL, "%s: the value of %.60s was not found",
					   x->file, x->parameter[i].key);
	return 0;
}

/* ---- the file ---- */

/* libyaml counts characters. */
static size_t next_character(const unsigned char *data, size_t at, size_t size)
{
	for (at++; at < size && (data[at] & 0xc0) == 0x80;)
		at++;
	return at;
}

static const struct change *change_at(const struct writing *w, size_t character)
{
	for (unsigned i = 0; i < w->x->parameters; i++)
		if (*w->value[i].text && w->value[i].from == character)
			return &w->value[i];
	for (unsigned i = 0; i < w->x->figures; i++)
		if (*w->deviation[i].text && w->deviation[i].from == character)
			return &w->deviation[i];
	return NULL;
}

static int write_out(const struct writing *w, const unsigned char *data, size_t size)
{
	struct outfile out;
	int rc = outfile_open(&out, w->x->file, w->err);
	size_t at = 0, character = 0;

	if (rc)
		return rc;
	while (at < size) {
		const struct change *c = change_at(w, character);

		if (c)
			fputs(c->text, out.stream);
		for (; c && character < c->to && at < size; character++)
			at = next_character(data, at, size);
		size_t next = c ? at : next_character(data, at, size);

		fwrite(data + at, 1, next - at, out.stream);
		character += next != at;
		at = next;
	}
	return outfile_close(&out, true, w->err);
}

int cqesim_experiment_write(struct cqesim_experiment *x, struct cqesim_error *err)
{
	struct writing w = {.x = x, .err = err};
	unsigned char *data = NULL;
	size_t size = 0;
	int rc = yaml_read_file(x->file, "experiment", false, &data, &size, err);

	if (rc)
		return rc;
	w.value = calloc(x->parameters + 1, sizeof(*w.value));
	w.deviation = calloc(x->figures + 1, sizeof(*w.deviation));
	if (!w.value || !w.deviation)
		rc = cqesim_fail(err, -ENOMEM, "%s: out of memory", x->file);
	if (!rc)
		rc = new_texts(&w);
	if (!rc) {
		rc = locate(&w, data, size);
		if (rc)
			cqesim_fail(err, rc, "%s: cannot be read again", x->file);
	}
	if (!rc)
		rc = check_found(&w);
	if (!rc)
		rc = write_out(&w, data, size);
	for (unsigned i = 0; i < x->figures && !rc; i++)
		if (x->figure[i].modelled) {
			x->figure[i].recorded = strtod(w.deviation[i].text, NULL);
			x->figure[i].worse = false;
		}
	free(w.value);
	free(w.deviation);
	free(data);
	return rc;
}
