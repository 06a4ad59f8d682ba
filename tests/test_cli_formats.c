/* SPDX-License-Identifier: BSD-3-Clause */
/* cli: `cqesim formats`, and doc/formats.md, which it makes. */
#include "cli_run.h"

START_TEST(page_is_current)
{
	char path[PATH_MAX];
	size_t size;
	struct output o = cli("formats", "--markdown");

	snprintf(path, sizeof(path), "%s/doc/formats.md", test_top_srcdir());
	char *page = slurp(path, &size);

	ck_assert_int_eq(o.code, 0);
	ck_assert_msg(!strcmp(page, o.out),
		      "doc/formats.md is not what `cqesim formats --markdown` prints");
	free(page);
	output_free(&o);
}
END_TEST

START_TEST(chosen_names)
{
	struct output o = cli("formats", "err", "l34h_stridx");

	ck_assert_int_eq(o.code, 0);
	/* Facts: syndrome in byte 55, vendor_err_synd in 54; the mini's type in byte 0. */
	ck_assert_ptr_nonnull(strstr(o.out, "\n  55            syndrome "));
	ck_assert_ptr_nonnull(strstr(o.out, "\n  54            vendor_err_synd "));
	ck_assert_ptr_nonnull(strstr(o.out, "\n  63     7:4    opcode "));
	ck_assert_ptr_nonnull(strstr(o.out, "\n  0             l4_l3_hdr_type "));
	ck_assert_ptr_nonnull(strstr(o.out, "0x13 REMOTE_ACCESS_ERR"));
	ck_assert_ptr_null(strstr(o.out, "rx_hash_res"));
	output_free(&o);
}
END_TEST

START_TEST(as_json)
{
	json_t *doc = good_json(cli("formats", "--json"), 0);
	size_t i;
	json_t *view, *found = NULL;

	ck_assert_uint_eq(json_array_size(json_object_get(doc, "views")), 10);
	ck_assert_uint_eq(json_array_size(json_object_get(doc, "minis")), 7);
	json_array_foreach(json_object_get(doc, "views"), i, view)
		if (!strcmp(json_string_value(json_object_get(view, "name")), "striding"))
			found = view;
	ck_assert_ptr_nonnull(found);
	json_t *filler = json_array_get(json_object_get(found, "fields"), 1);
	ck_assert_str_eq(json_string_value(json_object_get(filler, "name")), "filler");
	ck_assert_int_eq(json_integer_value(json_object_get(filler, "byte")), 44);
	ck_assert_int_eq(json_integer_value(json_object_get(filler, "shift")), 31);
	json_decref(doc);

	doc = good_json(cli("formats", "--json", "req_mini", "rx"), 0);
	ck_assert_uint_eq(json_array_size(json_object_get(doc, "views")), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(doc, "minis")), 1);
	json_decref(doc);
}
END_TEST

START_TEST(bad_usage)
{
	fails(cli("formats", "cqe"), 2, "no view or mini-CQE 'cqe'", NULL);
	fails(cli("formats", "rx", ""), 2, "no view or mini-CQE ''", NULL);
	fails(cli("formats", "--yaml"), 2, "--yaml", NULL);
}
END_TEST

void add_cli_formats(Suite *suite)
{
	TCase *t = tcase_create("formats");

	tcase_add_test(t, page_is_current);
	tcase_add_test(t, chosen_names);
	tcase_add_test(t, as_json);
	tcase_add_test(t, bad_usage);
	suite_add_tcase(suite, t);
}
