/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of descriptions and walks share. */
#ifndef CQESIM_TEST_DESCRIBE_H
#define CQESIM_TEST_DESCRIBE_H

#include <stdlib.h>
#include <string.h>

#include "cqesim/describe.h"
#include "test.h"

/* The other parts of the suite. */
void add_describe_random(Suite *suite);
void add_describe_cli(Suite *suite);
void add_walk(Suite *suite);

/* A description that is good. */
static inline struct cqesim_description *description(const char *text)
{
	struct cqesim_description *d;
	struct cqesim_error err = {""};
	int rc = cqesim_description_parse(&d, "text", text, strlen(text), &err);

	ck_assert_msg(rc == 0, "%d: %s\n%.1500s", rc, err.text, text);
	return d;
}

static inline struct cqesim_description *example(const char *name)
{
	struct cqesim_description *d;
	struct cqesim_error err = {""};
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/describe/%s", test_top_srcdir(), name);
	ck_assert_msg(!cqesim_description_load(&d, path, &err), "%s", err.text);
	return d;
}

static inline uint8_t *ring_of(const struct cqesim_description *d)
{
	uint8_t *ring = aligned_alloc(64, cqesim_cq_ring_bytes(&d->shape));

	ck_assert_ptr_nonnull(ring);
	return ring;
}

/* The ring that it describes, written; to be freed. */
static inline uint8_t *written(const struct cqesim_description *d, struct cqesim_cq_reader *reader)
{
	struct cqesim_error err = {""};
	struct cqesim_cq_reader own;
	uint8_t *ring = ring_of(d);
	int rc = cqesim_description_write(d, ring, d->driver, reader ? reader : &own, NULL, &err);

	ck_assert_msg(rc == 0, "%d: %s", rc, err.text);
	return ring;
}

#endif
