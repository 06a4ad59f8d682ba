/* SPDX-License-Identifier: BSD-3-Clause */
/* The examples of doc/rq.md: each is run, and its lines are looked for in what it writes. */
#include "chapter.h"

TCase *rq_cli_chapter(void);

START_TEST(chapter)
{
	chapter_check("rq.md", 0, 8, 50);
}
END_TEST

TCase *rq_cli_chapter(void)
{
	TCase *tc = tcase_create("chapter");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, chapter);
	return tc;
}
