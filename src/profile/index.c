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

#include "common/yaml_events.h"
#include "profile/internal.h"

/* A profile has some hundred keys; more would only make the search for duplicates slow. */
#define KEYS_MAX  1000u
#define DEPTH_MAX 8u

struct walk {
	struct yaml_events y;
	struct yaml_index *index;
};

/* Pass over a value whose first event is in w->y.event. */
static int skip_value(struct walk *w)
{
	unsigned depth = 0;
	for (;;) {
		switch (w->y.event.type) {
		case YAML_SEQUENCE_START_EVENT:
		case YAML_MAPPING_START_EVENT:
			if (++depth > DEPTH_MAX)
				return yaml_events_refuse(&w->y, "nested too deeply");
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
		int ret = yaml_events_next(&w->y);
		if (ret)
			return ret;
	}
}

/* Note the key in w->event, below `parent` (NULL at the top). */
static int note_key(struct walk *w, const char *parent)
{
	struct yaml_index *ix = w->index;
	const char *text = (const char *)w->y.event.data.scalar.value;
	if (w->y.event.type != YAML_SCALAR_EVENT)
		return yaml_events_refuse(&w->y, "a key must be a word");
	for (unsigned i = 0; i < ix->count; i++) {
		const struct yaml_line *l = &ix->lines[i];
		bool same = parent ? l->sub && !strcmp(l->key, parent) && !strcmp(l->sub, text)
				   : !l->sub && !strcmp(l->key, text);
		if (same)
			return yaml_events_refuse(
				&w->y, "%s%skey '%.60s' given twice, first in line %u",
				parent ? parent : "", parent ? ": " : "", text, l->line);
	}
	if (ix->count == KEYS_MAX)
		return yaml_events_refuse(&w->y, "more than %u keys", KEYS_MAX);
	if (ix->count == ix->room) {
		unsigned room = ix->room ? 2 * ix->room : 64;
		void *lines = realloc(ix->lines, room * sizeof(*ix->lines));
		if (!lines)
			return cqesim_fail(w->y.err, -ENOMEM, "%s: out of memory", w->y.file);
		ix->lines = lines;
		ix->room = room;
	}
	struct yaml_line *l = &ix->lines[ix->count];
	l->line = yaml_events_line(&w->y);
	l->key = strdup(parent ? parent : text);
	l->sub = parent ? strdup(text) : NULL;
	if (!l->key || (parent && !l->sub)) {
		free(l->key);
		free(l->sub);
		return cqesim_fail(w->y.err, -ENOMEM, "%s: out of memory", w->y.file);
	}
	ix->count++;
	return 0;
}

/* The keys and values of the mapping that has just begun. */
static int walk_mapping(struct walk *w, const char *parent)
{
	for (;;) {
		int ret = yaml_events_next(&w->y);
		if (ret || w->y.event.type == YAML_MAPPING_END_EVENT)
			return ret;
		ret = note_key(w, parent);
		if (ret)
			return ret;
		unsigned key = w->index->count - 1;
		ret = yaml_events_next(&w->y);
		if (ret)
			return ret;
		if (!parent && w->y.event.type == YAML_SCALAR_EVENT &&
		    !strcmp(w->index->lines[key].key, "kind")) {
			w->index->kind = strdup((const char *)w->y.event.data.scalar.value);
			if (!w->index->kind)
				return cqesim_fail(w->y.err, -ENOMEM, "%s: out of memory",
						   w->y.file);
		}
		/* The list of lines may move while the nested mapping adds to it; its texts do not.
		 */
		if (!parent && w->y.event.type == YAML_MAPPING_START_EVENT)
			ret = walk_mapping(w, w->index->lines[key].key);
		else
			ret = skip_value(w);
		if (ret)
			return ret;
	}
}

static int walk_stream(struct walk *w)
{
	int ret = yaml_events_next(&w->y); /* stream start */
	if (!ret)
		ret = yaml_events_next(&w->y);
	if (ret)
		return ret;
	if (w->y.event.type == YAML_STREAM_END_EVENT)
		return cqesim_fail(w->y.err, -EINVAL, "%s:1: the file is empty, expected a profile",
				   w->y.file);
	ret = yaml_events_next(&w->y);
	if (ret)
		return ret;
	if (w->y.event.type != YAML_MAPPING_START_EVENT)
		return yaml_events_refuse(&w->y,
					  "expected keys and values, such as \"kind: device\"");
	ret = walk_mapping(w, NULL);
	if (!ret)
		ret = yaml_events_next(&w->y); /* document end */
	if (!ret)
		ret = yaml_events_next(&w->y);
	if (!ret && w->y.event.type != YAML_STREAM_END_EVENT)
		return cqesim_fail(w->y.err, -EINVAL, "%s:%u: a second document; expected one",
				   w->y.file, yaml_events_line(&w->y));
	return ret;
}

int cqesim_yaml_walk(const char *file, const unsigned char *data, size_t size,
		     struct yaml_index *index, struct cqesim_error *err)
{
	struct walk w = {.index = index};
	int ret = yaml_events_open(&w.y, file, "profile", data, size, err);
	if (!ret)
		ret = walk_stream(&w);
	yaml_events_close(&w.y);
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
