/* SPDX-License-Identifier: BSD-3-Clause */
/* test_link_cli.h - what the parts of the suite share. */
#ifndef CQESIM_TEST_LINK_CLI_H
#define CQESIM_TEST_LINK_CLI_H

#include "cli_run.h"

void add_link_texts(Suite *suite);
void add_link_usage(Suite *suite);

static inline void says(const struct output *o, const char *words)
{
	ck_assert_msg(o->code == 0, "exit %d: %s", o->code, o->err);
	ck_assert_msg(strstr(o->out, words) != NULL, "no \"%s\" in:\n%s", words, o->out);
}

static inline json_t *first_result(json_t *doc)
{
	return json_array_get(at(doc, "results"), 0);
}

#endif
