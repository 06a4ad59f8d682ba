/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The test runner: all suites, or those named on the command line.  Check's
 * totals are the last line; what was skipped, and why, stands before it.
 */
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

#ifndef TEST_SRCDIR
#define TEST_SRCDIR "."
#endif

static char tmpdir[64];
static char skip_log[96];
static pid_t runner;

const char *test_top_srcdir(void)
{
	const char *dir = getenv("CQESIM_TEST_SRCDIR");

	return dir ? dir : TEST_SRCDIR;
}

const char *test_shared_dir(void)
{
	static char path[4096];
	const char *dir = getenv("CQESIM_SHARED");
	struct stat st;

	if (dir)
		snprintf(path, sizeof(path), "%s", dir);
	else
		snprintf(path, sizeof(path), "%s/../shared", test_top_srcdir());
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? path : NULL;
}

const char *test_tmpdir(void)
{
	return tmpdir;
}

/* Tests run in processes of their own, so the list is kept in a file. */
void test_skip(const char *name, const char *reason)
{
	FILE *f = fopen(skip_log, "a");

	printf("skipped: %s: %s\n", name, reason);
	fflush(stdout);
	if (f) {
		fprintf(f, "skipped: %s: %s\n", name, reason);
		fclose(f);
	}
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void clean_up(void)
{
	if (getpid() == runner && *tmpdir)
		nftw(tmpdir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static const struct {
	const char *name;
	Suite *(*make)(void);
} suites[] = {
#define SUITE(name) {#name, suite_##name},
#include "suites.h"
};

static bool wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc < 2;
}

/* A name that is misspelt must not pass for a suite that has. */
static bool all_known(int argc, char **argv)
{
	bool known = true;

	for (int i = 1; i < argc; i++) {
		bool found = false;

		for (size_t k = 0; k < sizeof(suites) / sizeof(suites[0]); k++)
			found |= !strcmp(suites[k].name, argv[i]);
		if (!found)
			fprintf(stderr, "unknown suite \"%s\"\n", argv[i]);
		known &= found;
	}
	return known;
}

int main(int argc, char **argv)
{
	if (!all_known(argc, argv))
		return 2;
	SRunner *sr = srunner_create(NULL);
	unsigned skipped = 0;
	char line[512];

	runner = getpid();
	snprintf(tmpdir, sizeof(tmpdir), "%s/cqesim-test-XXXXXX",
		 access("/tmp", W_OK) == 0 ? "/tmp" : ".");
	if (!mkdtemp(tmpdir)) {
		perror(tmpdir);
		return 2;
	}
	snprintf(skip_log, sizeof(skip_log), "%s/skipped.log", tmpdir);
	atexit(clean_up);
	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
		if (wanted(suites[i].name, argc, argv))
			srunner_add_suite(sr, suites[i].make());
	srunner_run_all(sr, CK_SILENT);

	FILE *f = fopen(skip_log, "r");
	while (f && fgets(line, sizeof(line), f)) {
		fputs(line, stdout);
		skipped++;
	}
	if (f)
		fclose(f);
	if (skipped)
		printf("%u tests had nothing to run on\n", skipped);
	srunner_print(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? 1 : 0;
}
