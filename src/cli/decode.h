/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of cqesim decode share.
 *
 *   decode.c         options and input
 *   decode_text.c    the report for people
 *   decode_fields.c  fields of a completion, and where they lie in its bytes
 *   decode_json.c    the report for programs
 *   decode_ring.c    ring images and feeds, through the reader of cq.h
 */
#ifndef CQESIM_DECODE_H
#define CQESIM_DECODE_H

#include "cli.h"
#include "cqesim/cq.h"
#include "cqesim/dump.h"

struct decode_options {
	bool json, annotate, all;
	const char *source; /* name of the input */
	bool ring, feed;
	struct cqesim_cq_shape shape;
	bool has_size; /* --log-cqe-n was given */
	uint32_t ci;
};

/* Text at an indentation, lines of up to 98 columns; what stands before is `used` columns long. */
void decode_wrap(const char *text, unsigned indent, unsigned used);
/* All fields; known: bytes that stood in the input. */
void decode_fields(const uint8_t raw[64], uint64_t known, unsigned indent);
void decode_annotate(const uint8_t raw[64], uint64_t known, unsigned indent);

/* "3 lines mention errors of completions without reporting one" */
void decode_mentions(const struct cqesim_dump *dump, char *text, size_t size);
void decode_text(const struct cqesim_dump *dump, const struct decode_options *o);
/* One failed completion whose bytes are known: fields, vendor syndrome, what next. */
void decode_details(const struct cqesim_dump_item *item, const struct decode_options *o,
		    unsigned indent, bool advice);
void decode_json(const struct cqesim_dump *dump, const struct decode_options *o);
int decode_ring(const uint8_t *in, uint64_t size, const struct decode_options *o);

/* Streaming JSON: commas and indentation by themselves. */
struct decode_writer {
	unsigned depth;
	bool first; /* nothing written yet at this depth */
};
void dump_json_open(struct decode_writer *w, const char *key, char bracket);
void dump_json_close(struct decode_writer *w, char bracket);
void dump_json_text(struct decode_writer *w, const char *key, const char *value);
void dump_json_uint(struct decode_writer *w, const char *key, uint64_t value);
void dump_json_bool(struct decode_writer *w, const char *key, bool value);
void dump_json_null(struct decode_writer *w, const char *key);
/* fields, and for failures error, vendor, next, of one completion's bytes */
void dump_json_completion(struct decode_writer *w, const struct cqesim_dump_item *item);

#endif
