/* SPDX-License-Identifier: BSD-3-Clause */
/* The chapters about whole runs: their examples are run, and print what the pages show. */
#include "chapter.h"
#include "test.h"

START_TEST(bursts)
{
	chapter_check("bursts.md", 0, 7, 40);
}
END_TEST

START_TEST(limits)
{
	chapter_check("limits.md", 0, 4, 20);
}
END_TEST

START_TEST(unknown)
{
	chapter_check("unknown.md", 0, 1, 7);
}
END_TEST

Suite *suite_chapters(void)
{
	Suite *s = suite_create("chapters");
	TCase *t = tcase_create("pages");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, bursts);
	tcase_add_test(t, limits);
	tcase_add_test(t, unknown);
	suite_add_tcase(s, t);
	return s;
}
