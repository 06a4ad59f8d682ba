/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sysinfo.h - what the parts of the suite share. */
#ifndef CQESIM_TEST_SYSINFO_H
#define CQESIM_TEST_SYSINFO_H

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cqesim/sysinfo.h"
#include "test.h"

void add_sysinfo_local(Suite *suite);

/* A file of tests/sysinfo. */
static inline const char *sysinfo_file(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/tests/sysinfo/%s", test_top_srcdir(), name);
	return path;
}

/* Is there a remark with these words? */
static inline bool sysinfo_says(const struct cqesim_sysinfo *info,
				const struct cqesim_sysinfo_card *card, const char *words)
{
	char text[CQESIM_SYSINFO_REMARK];

	for (unsigned n = 0; cqesim_sysinfo_remark(info, card, n, text); n++)
		if (strstr(text, words))
			return true;
	return false;
}

#endif
