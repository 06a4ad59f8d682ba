/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * index.c - a walk over the events of a profile file, before libcyaml loads
 * it: notes the line of each key, so that later errors can name it, and
 * refuses what a profile has no use for (anchors and aliases, a second
 * document, deep nesting, keys given twice).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "profile/internal.h"

/* A profile has some hundred keys; more would only make the search for duplicates slow. */
#define KEYS_MAX  1000u
#define DEPTH_MAX 8u

struct walk {
	yaml_parser_t parser;
	yaml_event_t event;
	const char *file;
	const unsigned char *data;
	size_t size;
	struct yaml_index *index;
	struct cqesim_error *err;
};

static unsigned event_line(const struct walk *w)
{
	return (unsigned)w->event.start_mark.line + 1;
}

/* libyaml's own complaint.  Where bytes are no text at all it gives an offset, not a line. */
static int syntax_error(struct walk *w)
{
	const yaml_parser_t *p = &w->parser;
	unsigned line = (unsigned)p->problem_mark.line + 1;
	if (p->error == YAML_MEMORY_ERROR)
		return cqesim_fail(w->err, -ENOMEM, "%s: out of memory", w->file);
	if (p->error == YAML_READER_ERROR) {
		line = 1;
		for (size_t i = 0; i < p->problem_offset && i < w->size; i++)
			line += w->data[i] == '\n';
	}
	return cqesim_fail(w->err, -EINVAL, "%s:%u: not YAML: %s", w->file, line,
			   p->problem ? p->problem : "syntax error");
}

/* The next event, in w->event; refuses anchors, aliases and NUL in texts. */
static int next(struct walk *w)
{
	yaml_event_delete(&w->event);
	if (!yaml_parser_parse(&w->parser, &w->event)) {
		memset(&w->event, 0, sizeof(w->event));
		return syntax_error(w);
	}
	const yaml_event_t *e = &w->event;
	if (e->type == YAML_ALIAS_EVENT ||
	    (e->type == YAML_SCALAR_EVENT && e->data.scalar.anchor) ||
	    (e->type == YAML_SEQUENCE_START_EVENT && e->data.sequence_start.anchor) ||
	    (e->type == YAML_MAPPING_START_EVENT && e->data.mapping_start.anchor))
		return cqesim_fail(w->err, -EINVAL,
				   "%s:%u: anchors and aliases (& and *) are not for profiles",
				   w->file, event_line(w));
	if (e->type == YAML_SCALAR_EVENT &&
	    memchr(e->data.scalar.value, '\0', e->data.scalar.length))
		return cqesim_fail(w->err, -EINVAL, "%s:%u: a text holds a NUL character", w->file,
				   event_line(w));
	return 0;
}

/* Pass over a value whose first event is in w->event. */
static int skip_value(struct walk *w)
{
	unsigned depth = 0;
	for (;;) {
		switch (w->event.type) {
		case YAML_SEQUENCE_START_EVENT:
		case YAML_MAPPING_START_EVENT:
			if (++depth > DEPTH_MAX)
				return cqesim_fail(w->err, -EINVAL, "%s:%u: nested too deeply",
						   w->file, event_line(w));
			break;
		case YAML_SEQUENCE_END_EVENT:
		case YAML_MAPPING_END_EVENT:
			depth--;
			break;
		default:
			break;
		}
		if (!depth)
			return 0;
		int ret = next(w);
		if (ret)
			return ret;
	}
}

/* Note the key in w->event, below `parent` (NULL at the top). */
static int note_key(struct walk *w, const char *parent)
{
	struct yaml_index *ix = w->index;
	const char *text = (const char *)w->event.data.scalar.value;
	if (w->event.type != YAML_SCALAR_EVENT)
		return cqesim_fail(w->err, -EINVAL, "%s:%u: a key must be a word", w->file,
				   event_line(w));
	for (unsigned i = 0; i < ix->count; i++) {
		const struct yaml_line *l = &ix->lines[i];
		bool same = parent ? l->sub && !strcmp(l->key, parent) && !strcmp(l->sub, text)
				   : !l->sub && !strcmp(l->key, text);
		if (same)
			return cqesim_fail(w->err, -EINVAL,
					   "%s:%u: %s%skey '%.60s' given twice, first in line %u",
					   w->file, event_line(w), parent ? parent : "",
					   parent ? ": " : "", text, l->line);
	}
	if (ix->count == KEYS_MAX)
		return cqesim_fail(w->err, -EINVAL, "%s:%u: more than %u keys", w->file,
				   event_line(w), KEYS_MAX);
	if (ix->count == ix->room) {
		unsigned room = ix->room ? 2 * ix->room : 64;
		void *lines = realloc(ix->lines, room * sizeof(*ix->lines));
		if (!lines)
			return cqesim_fail(w->err, -ENOMEM, "%s: out of memory", w->file);
		ix->lines = lines;
		ix->room = room;
	}
	struct yaml_line *l = &ix->lines[ix->count];
	l->line = event_line(w);
	l->key = strdup(parent ? parent : text);
	l->sub = parent ? strdup(text) : NULL;
	if (!l->key || (parent && !l->sub)) {
		free(l->key);
		free(l->sub);
		return cqesim_fail(w->err, -ENOMEM, "%s: out of memory", w->file);
	}
	ix->count++;
	return 0;
}

/* The keys and values of the mapping that has just begun. */
static int walk_mapping(struct walk *w, const char *parent)
{
	for (;;) {
		int ret = next(w);
		if (ret || w->event.type == YAML_MAPPING_END_EVENT)
			return ret;
		ret = note_key(w, parent);
		if (ret)
			return ret;
		unsigned key = w->index->count - 1;
		ret = next(w);
		if (ret)
			return ret;
		if (!parent && w->event.type == YAML_SCALAR_EVENT &&
		    !strcmp(w->index->lines[key].key, "kind")) {
			w->index->kind = strdup((const char *)w->event.data.scalar.value);
			if (!w->index->kind)
				return cqesim_fail(w->err, -ENOMEM, "%s: out of memory", w->file);
		}
		/* The list of lines may move while the nested mapping adds to it; its texts do not.
		 */
		if (!parent && w->event.type == YAML_MAPPING_START_EVENT)
			ret = walk_mapping(w, w->index->lines[key].key);
		else
			ret = skip_value(w);
		if (ret)
			return ret;
	}
}

static int walk_stream(struct walk *w)
{
	int ret = next(w); /* stream start */
	if (!ret)
		ret = next(w);
	if (ret)
		return ret;
	if (w->event.type == YAML_STREAM_END_EVENT)
		return cqesim_fail(w->err, -EINVAL, "%s:1: the file is empty, expected a profile",
				   w->file);
	ret = next(w);
	if (ret)
		return ret;
	if (w->event.type != YAML_MAPPING_START_EVENT)
		return cqesim_fail(w->err, -EINVAL,
				   "%s:%u: expected keys and values, such as \"kind: device\"",
				   w->file, event_line(w));
	ret = walk_mapping(w, NULL);
	if (!ret)
		ret = next(w); /* document end */
	if (!ret)
		ret = next(w);
	if (!ret && w->event.type != YAML_STREAM_END_EVENT)
		return cqesim_fail(w->err, -EINVAL, "%s:%u: a second document; expected one",
				   w->file, event_line(w));
	return ret;
}

int cqesim_yaml_walk(const char *file, const unsigned char *data, size_t size,
		     struct yaml_index *index, struct cqesim_error *err)
{
	struct walk w = {.file = file, .data = data, .size = size, .index = index, .err = err};
	if (!yaml_parser_initialize(&w.parser))
		return cqesim_fail(err, -ENOMEM, "%s: out of memory", file);
	yaml_parser_set_input_string(&w.parser, data, size);
	int ret = walk_stream(&w);
	yaml_event_delete(&w.event);
	yaml_parser_delete(&w.parser);
	return ret;
}

unsigned cqesim_yaml_line(const struct yaml_index *index, const char *key, const char *sub)
{
	unsigned line = 0;
	for (unsigned i = 0; i < index->count; i++) {
		const struct yaml_line *l = &index->lines[i];
		if (strcmp(l->key, key))
			continue;
		if (!l->sub)
			line = l->line;
		else if (sub && !strcmp(l->sub, sub))
			return l->line;
	}
	return line ? line : 1;
}

void cqesim_yaml_index_free(struct yaml_index *index)
{
	for (unsigned i = 0; i < index->count; i++) {
		free(index->lines[i].key);
		free(index->lines[i].sub);
	}
	free(index->lines);
	free(index->kind);
	*index = (struct yaml_index){0};
}
