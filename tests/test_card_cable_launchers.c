/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim card --cable without DPDK: usage, two launchers and a third, files of others. */
#include "card_side.h"

START_TEST(usage)
{
	folders();
	fails(cli("card", "--cable", "", "--", "true"), 2, "--cable", "file");
	fails(cli("card", "--cable", path(), "--sink", "drop", "--", "true"), 2, "--cable",
	      "--sink");
	fails(cli("card", "--sink", "loop", "--cable", path(), "--", "true"), 2, "--cable",
	      "--sink");
	fails(cli("card", "--cable", path(), "--limit", "3", "--", "true"), 2, "--limit",
	      "need a --source");
	fails(cli("card", "--cable", path(), "--rate", "1Mpps", "--", "true"), 2, "--rate",
	      "need a --source");
	fails(cli("card", "--cable", path(), "--trace", path(), "--", "true"), 2, "--trace",
	      "--cable");
	ck_assert(!is_there());
}
END_TEST

START_TEST(launchers)
{
	if (!has_library("card --cable"))
		return;
	const char *command = "sleep 60";
	struct side a = start("a", no_options, command), b = start("b", no_options, command);

	fails(cli("card", "--cable", path(), "--", "true"), 1, path(), "both are taken");
	kill(a.program, SIGTERM);
	json_t *doc = end(&a, 128 + SIGTERM);
	ck_assert_str_eq(json_string_value(at(doc, "cable.end")), "A");
	ck_assert_str_eq(json_string_value(at(doc, "cable.path")), path());
	ck_assert_uint_eq(count_at(doc, "cable.out_frames"), 0);
	json_decref(doc);
	ck_assert(is_there());
	struct output o = cli("card", "--cable", path(), "--no-eal-args", "--", "true");
	ck_assert_int_eq(o.code, 0);
	has(o.out, "Cable: end A of ");
	output_free(&o);
	ck_assert(is_there());
	/* Killed: its end is free, and the next launcher tidies up. */
	kill(b.launcher, SIGKILL);
	end(&b, -1);
	kill(b.program, SIGKILL);
	ck_assert(is_there());
	o = cli("card", "--cable", path(), "--no-eal-args", "--json", "--", "true");
	doc = good_json(o, 0);
	ck_assert_str_eq(json_string_value(at(doc, "cable.end")), "A");
	json_decref(doc);
	ck_assert(!is_there());
	ck_assert_uint_eq(left_over(), 0);
	/* By hand: no end is taken before the program is there. */
	o = cli("card", "--cable", path(), "--print-env", "--", "true");
	ck_assert_int_eq(o.code, 0);
	output_free(&o);
	ck_assert(!is_there());
}
END_TEST

START_TEST(foreign)
{
	if (!has_library("card --cable, foreign files"))
		return;
	FILE *f = fopen(path(), "w");
	fputs("not a cable\n", f);
	fclose(f);
	fails(cli("card", "--cable", path(), "--", "true"), 1, path(), "expected a cable");
	char *text = slurp(path(), NULL);
	ck_assert_str_eq(text, "not a cable\n");
	free(text);
	unlink(path());
	ck_assert_uint_eq(left_over(), 0);
}
END_TEST

void add_card_cable_launchers(Suite *suite)
{
	TCase *tc = tcase_create("launchers");

	tcase_set_timeout(tc, 10 * PATIENCE);
	tcase_add_test(tc, usage);
	tcase_add_test(tc, launchers);
	tcase_add_test(tc, foreign);
	suite_add_tcase(suite, tc);
}
