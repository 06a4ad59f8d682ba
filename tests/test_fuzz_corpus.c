/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_fuzz_corpus.c - the fuzz targets over their seed corpora, with whatever
 * compiler the rest is built with: what fuzzing once found does not come back,
 * and the targets do not rot.  Each file is also tried cut short and with
 * bytes changed, always in the same way.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "test.h"

#define CUTS    16u
#define CHANGES 24u

typedef int target_function(const uint8_t *data, size_t size);

/* What is being tried, for the handler of the signal by which a target tells of a finding. */
static char trying[512];

static void tell(int number)
{
	ssize_t ignored = write(STDERR_FILENO, trying, strlen(trying));
	(void)ignored;
	signal(number, SIG_DFL);
	raise(number);
}

static void try_input(target_function *target, const char *file, const char *how, size_t at,
		      const uint8_t *data, size_t size)
{
	/* A copy of its own, so that a memory checker sees its end. */
	uint8_t *copy = malloc(size ? size : 1);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, data, size);
	snprintf(trying, sizeof(trying), "while trying %s, %s %zu\n", file, how, at);
	ck_assert_int_eq(target(copy, size), 0);
	free(copy);
}

/* Next of a fixed sequence (Knuth's MMIX generator). */
static uint64_t draw(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static void try_variants(target_function *target, const char *file, uint8_t *data, size_t size)
{
	uint64_t state = size;
	try_input(target, file, "whole, bytes", size, data, size);
	for (size_t i = 0; i < CUTS && size; i++)
		try_input(target, file, "cut at", size * i / CUTS, data, size * i / CUTS);
	for (unsigned i = 0; i < CHANGES && size; i++) {
		size_t at = draw(&state) % size;
		uint8_t before = data[at];
		data[at] ^= (uint8_t)(1 + draw(&state) % 255);
		try_input(target, file, "changed at", at, data, size);
		data[at] = before;
	}
}

static void try_file(target_function *target, const char *path)
{
	static uint8_t data[1 << 20];
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "cannot open %s", path);
	size_t size = fread(data, 1, sizeof(data), f);
	fclose(f);
	ck_assert_msg(size < sizeof(data), "%s: too large for a seed", path);
	try_variants(target, path, data, size);
}

/* All files of a corpus, which has at least so many. */
static void replay(const char *name, target_function *target, unsigned at_least)
{
	char folder[4096], path[8192];
	unsigned files = 0;
	snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%s", test_top_srcdir(), name);
	DIR *dir = opendir(folder);
	ck_assert_msg(dir != NULL, "no folder %s", folder);
	signal(SIGABRT, tell);
	signal(SIGSEGV, tell);
	setenv("TMPDIR", test_tmpdir(), 1);
	for (struct dirent *e; (e = readdir(dir));) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		try_file(target, path);
		files++;
	}
	closedir(dir);
	ck_assert_uint_ge(files, at_least);
}

START_TEST(capture_corpus)
{
	replay("capture", fuzz_capture, 80);
}
END_TEST

START_TEST(profile_corpus)
{
	replay("profile", fuzz_profile, 70);
}
END_TEST

START_TEST(ring_corpus)
{
	replay("ring", fuzz_ring, 45);
}
END_TEST

START_TEST(dump_corpus)
{
	replay("dump", fuzz_dump, 50);
}
END_TEST

START_TEST(sysinfo_corpus)
{
	replay("sysinfo", fuzz_sysinfo, 50);
}
END_TEST

Suite *suite_fuzz(void)
{
	Suite *s = suite_create("fuzz");
	TCase *tc = tcase_create("corpora");
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, capture_corpus);
	tcase_add_test(tc, profile_corpus);
	tcase_add_test(tc, ring_corpus);
	tcase_add_test(tc, dump_corpus);
	tcase_add_test(tc, sysinfo_corpus);
	suite_add_tcase(s, tc);
	return s;
}
