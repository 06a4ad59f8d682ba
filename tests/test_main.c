/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The test runner: all suites, or those named on the command line.  Several are run by as
 * many processes as there are CPUs, and those that want two CPUs for themselves after that.
 * Check's totals of all are the last line; what was skipped, and why, stands before it.
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#ifndef TEST_SRCDIR
#define TEST_SRCDIR "."
#endif

#define WORKERS_MAX 8

static char tmpdir[64];
static char skip_log[96], failure_log[96]; /* the runner's, for all workers */
static pid_t owner;                        /* of tmpdir */

/* What the workers share. */
static struct {
	unsigned next; /* unit to be taken */
	int checks, failures, errors;
} * shared;

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
	if (getpid() == owner && *tmpdir)
		nftw(tmpdir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* What a suite needs while it runs. */
enum needs {
	NEEDS_CPU,
	NEEDS_JUDGE, /* built once, in the worker's folder: all of them are one worker's */
	NEEDS_TWO    /* CPUs: nothing else runs beside it */
};

static const struct {
	const char *name;
	Suite *(*make)(void);
	enum needs needs;
} suites[] = {
#define SUITE(name)  {#name, suite_##name, NEEDS_CPU},
#define JUDGED(name) {#name, suite_##name, NEEDS_JUDGE},
#define TWO(name)    {#name, suite_##name, NEEDS_TWO},
#include "suites.h"
};
#define SUITES ((unsigned)(sizeof(suites) / sizeof(suites[0])))

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

		for (unsigned k = 0; k < SUITES; k++)
			found |= !strcmp(suites[k].name, argv[i]);
		if (!found)
			fprintf(stderr, "unknown suite \"%s\"\n", argv[i]);
		known &= found;
	}
	return known;
}

static bool make_folder(void)
{
	snprintf(tmpdir, sizeof(tmpdir), "%s/cqesim-test-XXXXXX",
		 access("/tmp", W_OK) == 0 ? "/tmp" : ".");
	owner = getpid();
	if (!mkdtemp(tmpdir)) {
		perror(tmpdir);
		*tmpdir = 0;
		return false;
	}
	return true;
}

/* What Check prints, but for its totals, goes to the list of failures. */
static void keep_failures(SRunner *sr)
{
	int out = dup(STDOUT_FILENO);

	fflush(stdout);
	if (out < 0 || !freopen(failure_log, "a", stdout))
		exit(2); /* the runner counts what is missing */
	srunner_print(sr, CK_NORMAL);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
}

static void run_suite(unsigned i)
{
	SRunner *sr = srunner_create(suites[i].make());

	srunner_run_all(sr, CK_SILENT);
	int failed = srunner_ntests_failed(sr), errors = 0;
	TestResult **results = srunner_failures(sr);
	for (int k = 0; k < failed; k++)
		errors += tr_rtype(results[k]) == CK_ERROR;
	free(results);
	__atomic_fetch_add(&shared->checks, srunner_ntests_run(sr), __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared->failures, failed - errors, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared->errors, errors, __ATOMIC_RELAXED);
	if (failed)
		keep_failures(sr);
	srunner_free(sr);
}

/* A unit of work is a suite, or (0) all that need the judge, which take longest. */
static void work(int argc, char **argv)
{
	unsigned unit;

	while ((unit = __atomic_fetch_add(&shared->next, 1, __ATOMIC_RELAXED)) <= SUITES)
		for (unsigned i = 0; i < SUITES; i++)
			if (wanted(suites[i].name, argc, argv) &&
			    suites[i].needs == (unit ? NEEDS_CPU : NEEDS_JUDGE) &&
			    (!unit || unit == i + 1))
				run_suite(i);
}

static unsigned workers(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return cpus < 1 ? 1 : cpus > WORKERS_MAX ? WORKERS_MAX : (unsigned)cpus;
}

/* False: a worker has ended in a way that is not its end. */
static bool run_side_by_side(int argc, char **argv)
{
	unsigned n = workers(), started = 0;
	bool good = true;
	int status;

	fflush(stdout);
	for (; started < n; started++) {
		pid_t pid = fork();

		if (pid < 0)
			break;
		if (pid)
			continue;
		if (!make_folder())
			_exit(2);
		work(argc, argv);
		exit(0); /* its folder goes */
	}
	while (started--)
		good &= wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
	return good;
}

/* Lines of a log; those with Check's totals of single suites are left out. */
static unsigned print_log(const char *path)
{
	char line[4096];
	unsigned lines = 0;
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (strstr(line, "%: Checks: "))
			continue;
		fputs(line, stdout);
		lines++;
	}
	if (f)
		fclose(f);
	return lines;
}

int main(int argc, char **argv)
{
	if (!all_known(argc, argv))
		return 2;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	if (!make_folder())
		return 2;
	atexit(clean_up);
	snprintf(skip_log, sizeof(skip_log), "%s/skipped.log", tmpdir);
	snprintf(failure_log, sizeof(failure_log), "%s/failures.log", tmpdir);
	bool good = run_side_by_side(argc, argv);
	for (unsigned i = 0; i < SUITES; i++)
		if (suites[i].needs == NEEDS_TWO && wanted(suites[i].name, argc, argv))
			run_suite(i);

	unsigned skipped = print_log(skip_log);
	if (skipped)
		printf("%u tests had nothing to run on\n", skipped);
	print_log(failure_log);
	if (!good)
		printf("a process that ran suites has ended before them\n");
	int failed = shared->failures + shared->errors;
	printf("%d%%: Checks: %d, Failures: %d, Errors: %d\n",
	       shared->checks ? 100 * (shared->checks - failed) / shared->checks : 100,
	       shared->checks, shared->failures, shared->errors);
	return failed || !good ? 1 : 0;
}
