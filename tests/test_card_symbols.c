/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * card_cli: the library defines every function of libibverbs and libmlx5 that the installed
 * drivers refer to.  One that is missing would come from the real library, which takes our
 * objects for its own.
 */
#include <glob.h>

#include "card_run.h"

/* Names in order, a line each; of the files that the pattern finds. */
static char *symbols(const char *which, const char *pattern)
{
	char command[PATH_MAX];
	size_t size;
	char *text = NULL;

	snprintf(command, sizeof(command),
		 "nm -D %s %s | awk '{print $NF}' | sed 's/@.*//' | grep -E "
		 "'^_?(ibv|mlx5dv)_' | LC_ALL=C sort -u",
		 which, pattern);
	FILE *f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	FILE *memory = open_memstream(&text, &size);
	for (int c; (c = getc(f)) != EOF;)
		putc(c, memory);
	fclose(memory);
	ck_assert_int_eq(pclose(f), 0);
	return text;
}

static bool has_line(const char *text, const char *line)
{
	char wanted[128];

	snprintf(wanted, sizeof(wanted), "\n%s\n", line);
	return !strncmp(text, wanted + 1, strlen(wanted + 1)) || strstr(text, wanted);
}

START_TEST(complete)
{
	static const char *const folders[] = {"/usr/lib/*", "/usr/lib64", "/usr/local/lib/*"};
	char library[PATH_MAX], pattern[64];
	unsigned libraries = 0, names = 0;

	if (!has_driver("card symbols"))
		return;
	if (system("command -v nm >/dev/null 2>&1")) {
		test_skip("card symbols", "nm (binutils) is not installed");
		return;
	}
	snprintf(library, sizeof(library), "%s/.libs/libcqesim-card.so", TEST_BUILDDIR);
	char *ours = symbols("--defined-only", library);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		glob_t found;

		snprintf(pattern, sizeof(pattern), "%s/librte_*_mlx5.so.*", folders[i]);
		if (glob(pattern, 0, NULL, &found))
			continue;
		libraries += (unsigned)found.gl_pathc;
		char *theirs = symbols("--undefined-only", pattern), *rest = theirs;
		for (char *line; (line = strsep(&rest, "\n")) && *line; names++)
			ck_assert_msg(has_line(ours, line), "%s: not defined, but %s refers to it",
				      line, pattern);
		free(theirs);
		globfree(&found);
	}
	/* 22.11 refers to 98, 24.11 to 100. */
	ck_assert_uint_gt(libraries, 0);
	ck_assert_uint_ge(names, 98);
	free(ours);
}
END_TEST

void add_card_symbols(Suite *suite)
{
	TCase *tc = tcase_create("symbols");

	tcase_add_test(tc, complete);
	suite_add_tcase(suite, tc);
}
