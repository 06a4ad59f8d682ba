/* SPDX-License-Identifier: BSD-3-Clause */
/* test_dump.h - the parts of the suite dump. */
#ifndef CQESIM_TEST_DUMP_H
#define CQESIM_TEST_DUMP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/dump.h"
#include "test.h"

void add_dump_words(Suite *suite);
void add_dump_verdict(Suite *suite);
void add_dump_shared(Suite *suite);
void add_dump_plausible(Suite *suite);
void add_dump_random(Suite *suite);
void add_dump_cli(Suite *suite);

/* The completion that stands in nearly all files of tests/dumps/, each time in another notation. */
static const uint8_t dump_error[64] = {
	[35] = 0x1f,                   /* SRQ or user index 31 */
	[52] = 0x9d, 0x20, 0x53, 0x04, /* hw 2/0x9d, vendor, LOCAL_PROT_ERR */
	[56] = 0x08, 0x00, 0xa1, 0xb2,
	0x0c,        0x3d, 0x7e, 0xd2, /* RDMA_WRITE, QP 0xa1b2, WQE 0xc3d */
};

/* A file of the source folder; ends the test when it is not there. */
static inline char *dump_file(const char *folder, const char *name, size_t *size)
{
	char path[8192];

	snprintf(path, sizeof(path), "%.4000s/%.4000s", folder, name);
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s cannot be opened", path);
	char *text = malloc(1 << 20);
	*size = fread(text, 1, (1 << 20) - 1, f);
	text[*size] = '\0';
	fclose(f);
	return text;
}

static inline struct cqesim_dump dump_of(const void *text, size_t size)
{
	struct cqesim_error err = {""};
	struct cqesim_dump dump;

	ck_assert_msg(cqesim_dump_find(&dump, text, size, &err) == 0, "%s", err.text);
	return dump;
}

static inline struct cqesim_dump dump_of_example(const char *name)
{
	char folder[4096];
	size_t size;

	snprintf(folder, sizeof(folder), "%.4000s/tests/dumps", test_top_srcdir());
	char *text = dump_file(folder, name, &size);
	struct cqesim_dump dump = dump_of(text, size);
	free(text);
	return dump;
}

#endif
