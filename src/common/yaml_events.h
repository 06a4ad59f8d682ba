/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading YAML files event by event: what profiles and descriptions share.
 * Every refusal is one line that names file and line.  JSON is YAML too.
 */
#ifndef CQESIM_YAML_EVENTS_H
#define CQESIM_YAML_EVENTS_H

#include <yaml.h>

#include "cqesim/common.h"

#define YAML_FILE_MAX_BYTES (1u << 20)

struct yaml_events {
	yaml_parser_t parser;
	yaml_event_t event; /* the last one */
	const char *file;   /* as messages name it */
	const char *kind;   /* what it should hold: "profile" */
	const unsigned char *data;
	size_t size;
	struct cqesim_error *err;
};

/* data must outlive it.  yaml_events_close in any case. */
int yaml_events_open(struct yaml_events *e, const char *file, const char *kind,
		     const unsigned char *data, size_t size, struct cqesim_error *err);
void yaml_events_close(struct yaml_events *e);

/* The next event, in e->event; refuses anchors, aliases and NUL in texts. */
int yaml_events_next(struct yaml_events *e);

/* The line of e->event, from 1. */
unsigned yaml_events_line(const struct yaml_events *e);

/* -EINVAL with a text that begins with file and line. */
int yaml_events_refuse(struct yaml_events *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The bytes of a file, malloced.  Above YAML_FILE_MAX_BYTES it is refused, and
 * unless pipes are allowed whatever is no regular file; "-" is then standard input.
 */
int yaml_read_file(const char *file, const char *kind, bool pipes, unsigned char **data,
		   size_t *size, struct cqesim_error *err);

#endif
