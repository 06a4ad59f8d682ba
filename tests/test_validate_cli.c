/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim validate: options, exit codes, documents, and the examples of doc/validate.md. */
#include <math.h>

#include "chapter.h"

void add_validate_cli(Suite *suite);

START_TEST(usage)
{
	fails(cli("validate", "--colour"), 2, "--colour", NULL);
	fails(cli("validate", "nothing"), 2, "nothing", "zcrx-rx-buf-len");
	fails(cli("validate", "./nothing.yaml"), 1, "nothing.yaml", NULL);
	fails(cli("validate", "--list", "--json"), 2, "--list", NULL);

	struct output o = cli("validate", "--help");
	ck_assert_int_eq(o.code, 0);
	ck_assert_ptr_nonnull(strstr(o.out, "--fit"));
	output_free(&o);
}
END_TEST

START_TEST(document)
{
	json_t *doc = good_json(cli("validate", "--json", "cx7-devmem-iouring"), 0);

	ck_assert_uint_eq(count_at(doc, "summary.experiments"), 1);
	ck_assert_uint_eq(count_at(doc, "summary.figures"), 6);
	ck_assert_uint_eq(count_at(doc, "summary.fit"), 4);
	ck_assert_uint_eq(count_at(doc, "summary.predicted"), 2);
	ck_assert_uint_eq(count_at(doc, "summary.fitted_parameters"), 4);
	ck_assert_uint_eq(count_at(doc, "summary.worse"), 0);
	json_t *x = json_array_get(at(doc, "experiments"), 0);
	json_t *f = json_array_get(at(x, "figures"), 4);
	ck_assert_str_eq(json_string_value(at(f, "name")), "io_uring, MTU 4096");
	ck_assert(number_at(f, "published") == 151);
	ck_assert(number_at(f, "deviation_percent") > 5);
	json_decref(doc);
}
END_TEST

/* A file whose recorded deviation is better than what comes out. */
START_TEST(worse)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/worse.yaml", test_tmpdir());
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs("kind: experiment\nname: worse\ntitle: t\nsource: s\n"
	      "setup: {after_wqes: 16, after_strides: 2048, after_stride_bytes: 64}\nfigures:\n"
	      "  - {name: a, unit: bytes, measure: buffers_after, role: predict, published: 2e6,"
	      " deviation: 1}\n",
	      f);
	fclose(f);
	struct output o = cli("validate", path);
	ck_assert_int_eq(o.code, 1);
	ck_assert_ptr_nonnull(strstr(o.out, "WORSE than recorded"));
	ck_assert_ptr_nonnull(strstr(o.out, "recorded: +1.0 %"));
	ck_assert_ptr_nonnull(strstr(o.out, "1 figure is further off than recorded."));
	output_free(&o);
	remove(path);
}
END_TEST

/* Comments and layout stay; the values change where they stand. */
START_TEST(fit_written)
{
	static const char before[] =
		"# a comment\nkind: experiment\nname: fitted\ntitle: \"\u00e4\u00f6\"\nsource: s\n"
		"setup: {clock: 1, copy_busy: 1, copy_segment_cycles: 0}\nfigures:\n"
		"  - {name: a, unit: Gb/s, measure: copy_gbps, role: fit, published: 20,\n"
		"     when: {mtu: 1052}, deviation: 100} # off\n"
		"parameters:\n"
		"  - key: copy_byte_cycles\n    value: 0.1   # cycles\n    unit: u\n"
		"    grade: fitted\n    range: [0.01, 2]\n    fitted_to: [a]\n    note: n\n";
	static const char after[] =
		"# a comment\nkind: experiment\nname: fitted\ntitle: \"\u00e4\u00f6\"\nsource: s\n"
		"setup: {clock: 1, copy_busy: 1, copy_segment_cycles: 0}\nfigures:\n"
		"  - {name: a, unit: Gb/s, measure: copy_gbps, role: fit, published: 20,\n"
		"     when: {mtu: 1052}, deviation: 0} # off\n"
		"parameters:\n"
		"  - key: copy_byte_cycles\n    value: 0.4   # cycles\n    unit: u\n"
		"    grade: fitted\n    range: [0.01, 2]\n    fitted_to: [a]\n    note: n\n";
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/fitted.yaml", test_tmpdir());
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(before, f);
	fclose(f);
	fails(cli("validate", "--write", path), 2, "--fit", NULL);
	/* 8 Gb/s are 10^9 bytes: 20 Gb/s at 1 GHz are 0.4 cycles a byte. */
	struct output o = cli("validate", "--fit", "--write", path);
	ck_assert_int_eq(o.code, 0);
	ck_assert_ptr_nonnull(strstr(o.out, "written to"));
	output_free(&o);
	char *text = slurp(path, NULL);
	ck_assert_str_eq(text, after);
	free(text);
	o = cli("validate", path);
	ck_assert_int_eq(o.code, 0);
	output_free(&o);
	remove(path);
}
END_TEST

START_TEST(same_twice)
{
	struct output a = cli("validate", "cx5-xdp-redirect-compression-counters");
	struct output b = cli("validate", "cx5-xdp-redirect-compression-counters");

	ck_assert_int_eq(a.code, 0);
	ck_assert_str_eq(a.out, b.out);
	output_free(&a);
	output_free(&b);
}
END_TEST

/*
 * With profiles alone replay says what validate says: the rings' fill more (6144
 * of 246000), since validate leaves the
 * first quarter out.  compressed_share is in no profile: 59.5 = 0.2623 x 226.9.
 */
START_TEST(replay_agrees)
{
	static const struct {
		const char *app, *queues, *comp, *rate, *set;
		double mpps;
	} rows[] = {
		{"xdp-drop", "1", "off", "100Mpps", NULL, 24.405},
		{"xdp-drop", "2", "off", "100Mpps", NULL, 48.754},
		{"xdp-drop", "3", "off", "100Mpps", NULL, 73.131},
		{"xdp-drop", "4", "off", "100Mpps", NULL, 82.82},
		{"xdp-drop", "5", "off", "100Mpps", NULL, 82.82},
		{"xdp-drop", "6", "off", "100Mpps", NULL, 82.82},
		{"xdp-drop", "1", "aggressive", "100Mpps", NULL, 23.268},
		{"xdp-drop", "2", "aggressive", "100Mpps", NULL, 45.511},
		{"xdp-drop", "3", "aggressive", "100Mpps", NULL, 66.219},
		{"xdp-drop", "4", "aggressive", "100Mpps", NULL, 85.333},
		{"xdp-drop", "5", "aggressive", "100Mpps", NULL, 99.96},
		{"xdp-drop", "6", "aggressive", "108.1Mpps", NULL, 108.1},
		{"xdp-redirect", "6", "off", "74994463pps", NULL, 30.782},
		{"xdp-redirect", "6", "aggressive", "73608402pps", "session_cycles=59.5", 30.380},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *doc = good_json(cli("replay", "--quiet", "--json", "--device",
					    "connectx-5-ex-2018", "--link", "gen3x16", "--host",
					    "xeon-e5-1650v4", "--driver", "linux-mlx5e",
					    "--synthetic", "frame=64,flows=65536,packets=600k",
					    "--app", rows[i].app, "--queues", rows[i].queues,
					    "--cqe-comp", rows[i].comp, "--rate", rows[i].rate,
					    "--set", rows[i].set ? rows[i].set : "ring=1024"),
					0);

		double pps = number_at(doc, "delivered") / number_at(doc, "time.duration_s");

		ck_assert_msg(fabs(pps / 1e6 / rows[i].mpps - 1) < 0.03, "row %u: %g", i, pps);
		json_decref(doc);
	}
}
END_TEST

START_TEST(refused_options)
{
#define ONE "--synthetic", "frame=64,packets=100", "--rate", "1Mpps"
	fails(cli("validate", "ixgbe-rx-free-thresh", "ixgbe-rx-free-thresh"), 2, "twice", NULL);
	fails(cli("replay", "--forward", "--app", "xdp-drop", ONE), 2, "xdp-drop", NULL);
	fails(cli("replay", "--set", "cq_period=5", ONE), 2, "cq_period=5", "polls");
	fails(cli("replay", "--jitter", "1,share=.1,share=.2", ONE), 2, "once each", NULL);
	fails(cli("compare", "--ethtool", "a", "b", "--seconds", "1e-320", ONE), 2, "1e-320", NULL);
	fails(cli("compare", "--ethtool", "a", "b", "--seconds", "inf", ONE), 2, "inf", NULL);

	struct output o = cli("replay", "--quiet", "--sweep", "cqe-layout=basic,enhanced", ONE);
	ck_assert_int_eq(o.code, 0);
	ck_assert_ptr_nonnull(strstr(o.out, "enhanced"));
	output_free(&o);
}
END_TEST

START_TEST(chapter)
{
	chapter_check("validate.md", 0, 9, 80);
}
END_TEST

void add_validate_cli(Suite *suite)
{
	TCase *t = tcase_create("program");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, usage);
	tcase_add_test(t, document);
	tcase_add_test(t, worse);
	tcase_add_test(t, fit_written);
	tcase_add_test(t, same_twice);
	tcase_add_test(t, replay_agrees);
	tcase_add_test(t, refused_options);
	tcase_add_test(t, chapter);
	suite_add_tcase(suite, t);
}
