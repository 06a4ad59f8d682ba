/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From YAML events to a tree.  Which keys a mapping may have depends here on
 * what stands beside them (the view on the opcode, the fields on the view), so
 * there is no schema that libcyaml could load by.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml_events.h"
#include "describe/node.h"

/* Descriptions nest six deep; more than these are not written by hand. */
#define DEPTH_MAX 8u
#define KEYS_MAX  100u
#define NODES_MAX 200000u

struct builder {
	struct yaml_events y;
	unsigned nodes;
};

void node_free(node *root)
{
	while (root) {
		node *next = root->next;

		node_free(root->first);
		free(root->key);
		free(root->text);
		free(root);
		root = next;
	}
}

const node *node_get(const node *map, const char *key)
{
	if (map->kind == NODE_MAP)
		for (const node *n = map->first; n; n = n->next)
			if (!strcmp(n->key, key))
				return n;
	return NULL;
}

const char *node_kind_name(const node *n)
{
	return n->kind == NODE_TEXT   ? "a single value"
	       : n->kind == NODE_LIST ? "a list"
				      : "keys and values";
}

static int out_of_memory(struct builder *b)
{
	return cqesim_fail(b->y.err, -ENOMEM, "%s: out of memory", b->y.file);
}

/* The key in the present event, to be that of a node of the map. */
static int take_key(struct builder *b, const node *map, char **key)
{
	const char *text = (const char *)b->y.event.data.scalar.value;

	if (b->y.event.type != YAML_SCALAR_EVENT)
		return yaml_events_refuse(&b->y, "a key must be a word");
	const node *same = node_get(map, text);
	if (same)
		return yaml_events_refuse(&b->y, "key '%.60s' given twice, first in line %u", text,
					  same->line);
	if (map->count == KEYS_MAX)
		return yaml_events_refuse(&b->y, "more than %u keys in one place", KEYS_MAX);
	*key = strdup(text);
	return *key ? 0 : out_of_memory(b);
}

static int build(struct builder *b, unsigned depth, node **out);

/* What is in a list or map whose first event was the last one. */
static int build_children(struct builder *b, unsigned depth, node *parent)
{
	node **end = &parent->first;

	for (;;) {
		char *key = NULL;
		int rc = yaml_events_next(&b->y);

		if (rc || b->y.event.type == YAML_MAPPING_END_EVENT ||
		    b->y.event.type == YAML_SEQUENCE_END_EVENT)
			return rc;
		unsigned line = yaml_events_line(&b->y);
		if (parent->kind == NODE_MAP) {
			rc = take_key(b, parent, &key);
			if (!rc)
				rc = yaml_events_next(&b->y);
		}
		if (!rc)
			rc = build(b, depth + 1, end);
		if (rc) {
			free(key);
			return rc;
		}
		(*end)->key = key;
		if (key) /* messages about a key name the line where it stands */
			(*end)->line = line;
		end = &(*end)->next;
		parent->count++;
	}
}

/* The value that begins with the present event. */
static int build(struct builder *b, unsigned depth, node **out)
{
	const yaml_event_t *e = &b->y.event;

	if (depth > DEPTH_MAX)
		return yaml_events_refuse(&b->y, "nested too deeply");
	if (++b->nodes > NODES_MAX)
		return yaml_events_refuse(&b->y, "more than %u values", NODES_MAX);
	node *n = calloc(1, sizeof(*n));
	if (!n)
		return out_of_memory(b);
	n->line = yaml_events_line(&b->y);
	n->kind = e->type == YAML_MAPPING_START_EVENT    ? NODE_MAP
		  : e->type == YAML_SEQUENCE_START_EVENT ? NODE_LIST
							 : NODE_TEXT;
	int rc = 0;
	if (n->kind != NODE_TEXT)
		rc = build_children(b, depth, n);
	else if (!(n->text = strdup((const char *)e->data.scalar.value)))
		rc = out_of_memory(b);
	if (rc) {
		node_free(n);
		return rc;
	}
	*out = n;
	return 0;
}

static int build_document(struct builder *b, node **root)
{
	int rc = yaml_events_next(&b->y); /* stream start */

	if (!rc)
		rc = yaml_events_next(&b->y);
	if (rc || b->y.event.type == YAML_STREAM_END_EVENT)
		return rc;
	rc = yaml_events_next(&b->y);
	if (!rc)
		rc = build(b, 1, root);
	if (!rc)
		rc = yaml_events_next(&b->y); /* document end */
	if (!rc)
		rc = yaml_events_next(&b->y);
	if (!rc && b->y.event.type != YAML_STREAM_END_EVENT)
		return yaml_events_refuse(&b->y, "a second document; expected one");
	return rc;
}

int node_parse(const char *file, const unsigned char *data, size_t size, node **root,
	       struct cqesim_error *err)
{
	struct builder b = {.nodes = 0};

	*root = NULL;
	int rc = yaml_events_open(&b.y, file, "description", data, size, err);
	if (!rc)
		rc = build_document(&b, root);
	yaml_events_close(&b.y);
	if (rc) {
		node_free(*root);
		*root = NULL;
	}
	return rc;
}
