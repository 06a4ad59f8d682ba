/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim link: what it says and prints for programs, and the examples of its chapter. */
#include <math.h>

#include "chapter.h"
#include "cqesim/ceiling.h"
#include "test_link_cli.h"

/* 180 bytes up, 55 down; Gen3 x16: 15.7538 GB/s x 370/371 / 180. */
START_TEST(plain_answer)
{
	struct output o = cli("link");

	ck_assert_ptr_eq(strstr(o.out, "The link is the limit: it carries 84.7 Mpps of 64-byte"),
			 o.out);
	says(&o, "(87.3 Mpps at an");
	says(&o, "\n  receive completions            88.000            -\n");
	says(&o, "\n  exactly                           180           55\n");
	says(&o, "\n  link, device to host              84.67     43.35     binds  87.29 at");
	says(&o, "\n  line rate                        148.81     76.19     +76 %  documented\n");
	says(&o, "\n  line rate, Mpps             14.9    37.2    59.5    74.4   148.8   297.6   "
		 "595.2\n");
	for (const char *line = o.out; *line; line += strcspn(line, "\n") + 1) {
		size_t n = strcspn(line, "\n");

		ck_assert_msg(!n || line[n - 1] != ' ', "space at the end: %.*s", (int)n, line);
	}
	output_free(&o);
}
END_TEST

START_TEST(sentences)
{
	struct output o = cli("link", "--link", "gen5x16");
	says(&o, "The link has room: it carries 338.7 Mpps");
	output_free(&o);
	o = cli("link", "--device", "intel-e810");
	says(&o, "Not the link: the limit is the packet rate of the port, 58.5 Mpps (measured).");
	output_free(&o);
	o = cli("link", "--rate", "20Mpps");
	says(&o, "The link has room");
	says(&o, "the offered rate is 20.0 Mpps");
	output_free(&o);
	o = cli("link", "--rate", "20%", "--frame", "64");
	says(&o, "the offered rate is 29.8 Mpps");
	output_free(&o);
	o = cli("link", "--set", "posted_headers=64", "--set", "credit_return=800");
	says(&o, "The link's latency, not its bytes: the limit is the posted credits, 40.0 Mpps");
	output_free(&o);
	/* 127 x 1024 x (64 + 64 + 16) bytes. */
	o = cli("link", "--device", "connectx-6-dx", "--queues", "127");
	says(&o, "But the rings are 4.5 times");
	says(&o, "127 x 1024 packets go through 17.86 MiB");
	output_free(&o);
	o = cli("link", "--set", "link=gen3x8");
	says(&o, "\nconnectx-5 on gen3x8 ");
	output_free(&o);
	/* A core at 2.6 GHz, 18.5 + 113.4/64 + ... cycles: below the line, and named. */
	o = cli("link", "--link", "gen5x16", "--cores", "1", "--set", "app_cycles=260");
	says(&o, "Not the link: the limit is the host cores");
	output_free(&o);
}
END_TEST

/* 100GbE of 64 bytes is 148.8 Mpps; sessions of 64 end at 141.5 to 150.5. */
START_TEST(undecided)
{
	struct output o = cli("link", "--session", "64");
	says(&o,
	     "Undecided: the link carries 141.5 Mpps of 64-byte frames at an efficiency of\n0.94,"
	     " 146.0 Mpps at 0.97 and 150.5 Mpps at 1; line rate at 100 Gb/s is 148.8\nMpps");
	says(&o, "which is fitted.");
	output_free(&o);
	/* Below the line at 0.94 alone, above it at 0.97. */
	o = cli("link", "--session", "64", "--rate", "145Mpps");
	says(&o, "Undecided: ");
	says(&o, "the offered rate is 145.0");
	output_free(&o);
	/* Another limit is between. */
	o = cli("link", "--set", "queue_max_pps=86");
	says(&o, "Undecided: ");
	says(&o, "86.0 Mpps");
	output_free(&o);
	/* Clear on both sides; and an efficiency that was given is no question. */
	o = cli("link", "--session", "64", "--rate", "140Mpps");
	says(&o, "The link has room");
	output_free(&o);
	o = cli("link", "--session", "64", "--rate", "151Mpps", "--port-speed", "200");
	says(&o, "The link is the limit");
	output_free(&o);
	o = cli("link", "--session", "64", "--efficiency", "0.97");
	says(&o, "The link is the limit: it carries 146.0");
	output_free(&o);
	json_t *doc = good_json(cli("link", "--json", "--session", "64"), 0);
	ck_assert_ptr_nonnull(
		strstr(json_string_value(at(first_result(doc), "answer")), "Undecided"));
	json_decref(doc);
}
END_TEST

/* Striding: fillers are counted, and what the replay does otherwise is said. */
START_TEST(striding)
{
	static const char words[] =
		"A WQE holds 8 packets of 64 bytes, fewer than a session of 64.";
	struct output o = cli("link", "--rq", "striding", "--strides", "8", "--stride-size", "64",
			      "--frame", "330");
	says(&o, "\n  receive completions           176.000            -\n");
	says(&o, "\n  exactly                           568          110\n");
	says(&o, "27.66 at an efficiency of 1");
	output_free(&o);
	o = cli("link", "--rq", "striding", "--strides", "8", "--session", "64");
	says(&o, words);
	says(&o, "--session\n8.\n");
	output_free(&o);
	json_t *doc = good_json(
		cli("link", "--rq", "striding", "--strides", "8", "--session", "64", "--json"), 0);
	ck_assert_uint_eq(json_array_size(at(doc, "remarks")), 1);
	ck_assert_ptr_nonnull(
		strstr(json_string_value(json_array_get(at(doc, "remarks"), 0)), words));
	json_decref(doc);
	/* The largest of several sizes: 1514 bytes in 24 of 64 strides. */
	o = cli("link", "--rq", "striding", "--strides", "64", "--stride-size", "64", "--session",
		"8", "--frame", "64,1518");
	says(&o, "A WQE holds 2 packets of 1518 bytes");
	output_free(&o);
	o = cli("link", "--rq", "striding", "--strides", "8", "--sweep", "session=1..16");
	says(&o, "fewer than a session of 16");
	output_free(&o);
	/* As many as it holds, and other queues: nothing to say. */
	o = cli("link", "--rq", "striding", "--strides", "8", "--session", "8");
	ck_assert_ptr_null(strstr(o.out, "A WQE holds"));
	output_free(&o);
	o = cli("link", "--session", "64");
	ck_assert_ptr_null(strstr(o.out, "A WQE holds"));
	output_free(&o);
}
END_TEST

/* The credits that run out first are named, with what is known of them. */
START_TEST(whose_limit)
{
	struct output o = cli("link", "--set", "posted_data=102");
	says(&o, "\n  posted credits                    22.44     11.49     binds  user\n");
	output_free(&o);
	json_t *doc = good_json(
		cli("link", "--json", "--set", "posted_data=102", "--set", "posted_headers=1000"),
		0);
	json_t *limits = at(first_result(doc), "limits");
	ck_assert_str_eq(
		json_string_value(at(json_array_get(limits, CQESIM_BOUND_CREDITS), "parameter")),
		"posted_data");
	json_decref(doc);
	doc = good_json(cli("link", "--json", "--set", "posted_data=1000", "--set",
			    "posted_headers=20", "--set", "read_headers=8"),
			0);
	limits = at(first_result(doc), "limits");
	ck_assert_str_eq(
		json_string_value(at(json_array_get(limits, CQESIM_BOUND_CREDITS), "parameter")),
		"posted_headers");
	ck_assert_str_eq(
		json_string_value(at(json_array_get(limits, CQESIM_BOUND_TAGS), "parameter")),
		"read_headers");
	json_decref(doc);
}
END_TEST

START_TEST(json_document)
{
	json_t *doc = good_json(cli("link", "--json", "--link", "gen3x8,mps=128", "--compression",
				    "exact", "--session", "41"),
				0);
	json_t *r = first_result(doc);

	ck_assert_str_eq(json_string_value(at(r, "bytes_per_packet.up.total.exact")), "4332/41");
	ck_assert_str_eq(json_string_value(at(r, "bytes_per_packet.down.total.exact")), "1711/41");
	ck_assert_double_eq_tol(number_at(r, "mpps.link"), 74.349804, 1e-5);
	ck_assert_double_eq_tol(number_at(r, "mpps.tlp_only"), 75.989140, 1e-5);
	ck_assert_double_eq_tol(number_at(r, "mpps.link_at_efficiency"), 0.97 * 74.349804, 1e-5);
	ck_assert_double_eq_tol(number_at(r, "share_of_100GbE"), 0.499631, 1e-6);
	ck_assert_double_eq_tol(number_at(r, "pcie_util_up_at_100GbE"), 2.001478, 1e-6);
	ck_assert_double_eq_tol(number_at(r, "pcie_util_down_at_100GbE"), 0.790519, 1e-6);
	ck_assert_str_eq(json_string_value(at(r, "bound")), "up");
	ck_assert_str_eq(json_string_value(at(r, "binding")), "link_up");
	ck_assert_str_eq(json_string_value(at(r, "next")), "line_rate");
	ck_assert_str_eq(json_string_value(at(r, "config.cqe_mode")), "exact");
	ck_assert_uint_eq(count_at(r, "config.gen"), 3);
	ck_assert_uint_eq(json_array_size(at(r, "limits")), 12);
	ck_assert_uint_eq(json_array_size(at(r, "line_rates")), 7);
	json_decref(doc);

	doc = good_json(cli("link", "--json", "--frame", "64,128..256:64"), 0);
	ck_assert_uint_eq(json_array_size(at(doc, "results")), 4);
	ck_assert_uint_eq(count_at(json_array_get(at(doc, "results"), 3), "config.frame_bytes"),
			  256);
	json_decref(doc);
}
END_TEST

/* Lines of the reference table come out letter by letter, also those with halves. */
START_TEST(reference_csv)
{
	const char *dir = test_shared_dir();
	char path[4096], line[1024], link[64];
	unsigned row = 0, tried = 0;

	if (!dir) {
		test_skip("link reference_csv", "../shared not found");
		return;
	}
	snprintf(path, sizeof(path), "%s/pcie/reference.csv", dir);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f)) {
		char copy[1024], *v[8], *at = copy;
		const char *args[32];
		unsigned n = 0;

		if (row++ % 23 != 1) /* a few dozen of them, of all kinds */
			continue;
		strcpy(copy, line);
		for (unsigned i = 0; i < 8; i++)
			v[i] = strsep(&at, ",");
		snprintf(link, sizeof(link), "gen%sx%s,mps=%s", v[0], v[1], v[2]);
		args[n++] = "link";
		args[n++] = "--csv";
		args[n++] = "--link";
		args[n++] = link;
		args[n++] = "--rq";
		args[n++] = v[3];
		args[n++] = "--wqe-fetch";
		args[n++] = v[4];
		if (*v[5] == '1')
			args[n++] = "--pad";
		if (!strcmp(v[6], "cqe128pad")) {
			args[n++] = "--cqe";
			args[n++] = "128pad";
		} else if (strcmp(v[6], "plain64")) {
			args[n++] = "--compression";
			args[n++] = v[6];
			args[n++] = "--session";
			args[n++] = v[7];
		}
		args[n] = NULL;
		struct output o = cli_args(NULL, args);
		ck_assert_msg(o.code == 0, "%s: %s", line, o.err);
		line[strcspn(line, "\r\n")] = '\0';
		const char *data = strchr(o.out, '\n') + 1;
		ck_assert_msg(!strncmp(data, line, strlen(line)) && data[strlen(line)] == ',',
			      "%s\nis not the beginning of\n%s", line, data);
		output_free(&o);
		tried++;
	}
	fclose(f);
	ck_assert_uint_gt(tried, 25);
}
END_TEST

START_TEST(sweeps)
{
	struct output o = cli("link", "--pad", "--sweep", "size=64..140");

	says(&o, "\n      68    184.00     55.00     82.83");
	says(&o,
	     "\n      69    248.00     55.00     61.45     61.45     43.75     44 %  link, device "
	     "to host  < next 64-byte line\n");
	ck_assert_ptr_null(strstr(o.out, "\n      70 "));
	output_free(&o);
	o = cli("link", "--sweep", "size=256..264:4");
	says(&o, "\n     260 ");
	says(&o,
	     "\n     264    404.00     71.00     37.72     37.72     85.71     86 %  link, device "
	     "to host  < another TLP\n");
	output_free(&o);
	o = cli("link", "--sweep", "session=7..10");
	says(&o, "\n       9    121.33     44.33 ");
	says(&o, "< another array\n");
	ck_assert_uint_eq(lines_of(o.out), 3 + 4 + 2);
	output_free(&o);
	/* As many lines as values, and a head. */
	o = cli("link", "--csv", "--sweep", "session=1..64:1");
	ck_assert_uint_eq(lines_of(o.out), 65);
	output_free(&o);
	o = cli("link", "--sweep", "queues=1..4", "--set", "queue_max_pps=20");
	says(&o, "\n       4    180.00     55.00     84.67     80.00 ");
	output_free(&o);
	/* Jumbo frames; all that has changed is named. */
	o = cli("link", "--sweep", "size=64..9018");
	says(&o, "\n    8964 ");
	says(&o, "\n    9018   9976.00 "); /* 36 TLPs of 9014 bytes, 88, 8 */
	ck_assert_uint_lt(lines_of(o.out), 100);
	output_free(&o);
	o = cli("link", "--tx", "--sweep", "size=500..530");
	says(&o, "\n     517 ");
	says(&o, "  < another read request, another completion\n");
	output_free(&o);
	o = cli("link", "--compression", "stream", "--sweep", "session=30..36");
	says(&o, "\n      33    104.12 "); /* 84, (88 + 2 x 24 + 264) / 33, 8 */
	says(&o, "  < another TLP\n");
	output_free(&o);
	/* Fillers make no arrays. */
	o = cli("link", "--rq", "striding", "--strides", "16", "--stride-size", "64", "--frame",
		"190", "--sweep", "session=1..40");
	ck_assert_ptr_null(strstr(o.out, "\n      12 "));
	says(&o, "\n      33 ");
	output_free(&o);
	json_t *doc = good_json(cli("link", "--json", "--tx", "--sweep", "mpw=1..3"), 0);
	ck_assert_uint_eq(json_array_size(at(doc, "results")), 3);
	json_decref(doc);
}
END_TEST

START_TEST(tables)
{
	struct output o = cli("link", "--table", "--frame", "64,1518");

	says(&o, "\ngen3x16          64     84.67       ok       ok       ok       ok   no 56%");
	says(&o, "\ngen6x16          64    715.38       ok ");
	ck_assert_ptr_null(strchr(o.out, '\033')); /* no terminal, no colour */
	output_free(&o);
	json_t *doc = good_json(cli("link", "--json", "--table", "--link", "gen3x8", "--ports", "2",
				    "--frame", "1518"),
				0);
	ck_assert_uint_eq(json_array_size(at(doc, "results")), 7);
	json_t *two_40 = json_array_get(at(doc, "results"), 2);
	ck_assert_uint_eq(count_at(two_40, "gbps"), 40);
	ck_assert(json_is_false(at(two_40, "fits")));
	json_decref(doc);
	/* 256 of 280 bytes of 63.015 Gb/s, 370 of 371 blocks. */
	doc = good_json(cli("link", "--json", "--bandwidth", "--link", "gen3x8", "--frame", "256"),
			0);
	ck_assert_uint_eq(json_array_size(at(doc, "results")), 3);
	ck_assert_double_eq_tol(number_at(first_result(doc), "gbps"),
				64.0 * 128 / 130 * 370 / 371 * 256 / 280, 1e-6);
	json_decref(doc);
}
END_TEST

/* The plateau at 86.8 Mpps: 184 bytes up with reads of 64 bytes, 178 with 256. */
START_TEST(combinations)
{
	json_t *doc =
		good_json(cli("link", "--json", "--device", "connectx-5-ex", "--link", "gen3x16",
			      "--pad", "--combinations", "--published", "86.8Mpps"),
			  0);
	unsigned near = 0;
	size_t i;
	json_t *o;

	json_array_foreach(at(doc, "results"), i, o)
	{
		double mpps = number_at(o, "mpps");
		bool within = fabs(mpps / 86.8 - 1) <= 0.03;

		ck_assert_int_eq(json_is_true(at(o, "within_3_percent")), within);
		near += within;
		if (count_at(o, "wqe_fetch_bytes") == 64 && number_at(o, "efficiency") == 1) {
			ck_assert_str_eq(json_string_value(at(o, "up_exact")), "184");
			ck_assert_double_eq_tol(mpps, 85.39, 0.01);
		}
		if (count_at(o, "wqe_fetch_bytes") == 256 && number_at(o, "efficiency") == 0.97)
			ck_assert_double_eq_tol(mpps, 0.97 * 88.27, 0.01);
	}
	ck_assert_uint_eq(json_array_size(at(doc, "results")), 42);
	ck_assert_uint_eq(near, 12);
	json_decref(doc);
}
END_TEST

/* ---- the chapter ---- */

START_TEST(chapter)
{
	chapter_check("link.md", 0, 21, 155);
}
END_TEST

Suite *suite_link(void)
{
	Suite *s = suite_create("link");
	TCase *t = tcase_create("program");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, plain_answer);
	tcase_add_test(t, sentences);
	tcase_add_test(t, undecided);
	tcase_add_test(t, striding);
	tcase_add_test(t, whose_limit);
	tcase_add_test(t, json_document);
	tcase_add_test(t, reference_csv);
	tcase_add_test(t, sweeps);
	tcase_add_test(t, tables);
	tcase_add_test(t, combinations);
	tcase_add_test(t, chapter);
	suite_add_tcase(s, t);
	add_link_texts(s);
	add_link_usage(s);
	return s;
}
