/* SPDX-License-Identifier: BSD-3-Clause */
/* A YAML or JSON document as a tree whose nodes know their lines. */
#ifndef CQESIM_DESCRIBE_NODE_H
#define CQESIM_DESCRIBE_NODE_H

#include "cqesim/common.h"

enum node_kind { NODE_TEXT, NODE_LIST, NODE_MAP };

struct cqesim_description_node {
	enum node_kind kind;
	unsigned line;
	unsigned count; /* of what is in it */
	char *key;      /* in a map */
	char *text;     /* NODE_TEXT */
	struct cqesim_description_node *first, *next;
};
typedef struct cqesim_description_node node;

/* "file:line: " stands before every refusal.  *root is NULL for an empty document. */
int node_parse(const char *file, const unsigned char *data, size_t size, node **root,
	       struct cqesim_error *err);
void node_free(node *root);

/* What the map has under that key, or NULL. */
const node *node_get(const node *map, const char *key);
/* "a text", "a list", "keys and values" */
const char *node_kind_name(const node *n);

#endif
