/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim rq: drawings, tables, options. */
#include "cli_run.h"

/* tests/test_rq_cli_chapter.c */
TCase *rq_cli_chapter(void);

static void says(const struct output *o, const char *words)
{
	ck_assert_msg(strstr(o->out, words) != NULL, "no \"%s\" in\n%s", words, o->out);
}

/* The document of cqesim rq --json with these arguments. */
#define rq_json(...) good_json(cli("rq", "--json", __VA_ARGS__), 0)

static json_t *item(json_t *doc, const char *path, size_t i)
{
	json_t *o = json_array_get(at(doc, path), i);

	ck_assert_msg(o != NULL, "%s has no member %zu", path, i);
	return o;
}

static bool flag_at(json_t *doc, const char *path)
{
	json_t *v = at(doc, path);

	ck_assert(json_is_boolean(v));
	return json_is_true(v);
}

static const char *trace(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/traces/%s", test_top_srcdir(), name);
	return path;
}

/* ---- drawings ---- */

/* 16 strides of 128: 60 takes 1, 1514 takes 12, 900 does not fit into the 2 left. */
START_TEST(striding_text)
{
	struct output o = cli("rq", "--striding", "--wqes", "4", "--strides", "16",
			      "--stride-bytes", "128", "--packets", "60,1514,60,900");

	ck_assert_int_eq(o.code, 0);
	says(&o, "WQE 0, place 0, filler closes 2 strides, retired, posted again\n"
		 "       0 |abbbbbbbbbbbbc##|\n");
	says(&o, "WQE 1, place 1\n       0 |dddddddd........|\n");
	says(&o, "4 d     900      1        0        8        0      124  after a filler of 2\n");
	says(&o, "4 packets of 2,534 bytes in 2 WQEs; 538 bytes of the buffers they used are empty "
		 "(17.5 %), fillers\n  included.");
	says(&o, "Memory: striding, 4 WQEs x 16 strides x 128 bytes");
	output_free(&o);
}
END_TEST

START_TEST(striding_document)
{
	json_t *doc = rq_json("--striding", "--wqes", "2", "--strides", "8", "--stride-bytes", "64",
			      "--shift", "--packets", "62,63,400,600");
	json_t *d = item(doc, "drawings", 0), *p;

	ck_assert_uint_eq(count_at(d, "too_long"), 1); /* 602 bytes are 10 strides */
	ck_assert_uint_eq(count_at(d, "fillers"), 1);
	ck_assert_uint_eq(count_at(d, "filler_strides"), 5);
	p = item(d, "packets", 0);
	ck_assert_uint_eq(count_at(p, "strides"), 1);
	ck_assert_uint_eq(count_at(p, "offset"), 2);
	p = item(d, "packets", 1);
	ck_assert_uint_eq(count_at(p, "strides"), 2);
	ck_assert_uint_eq(count_at(p, "stride"), 1);
	ck_assert_uint_eq(count_at(p, "offset"), 66);
	p = item(d, "packets", 2);
	ck_assert_uint_eq(count_at(p, "wqe"), 1);
	ck_assert_uint_eq(count_at(p, "filler_before"), 5);
	p = item(d, "packets", 3);
	ck_assert_str_eq(json_string_value(at(p, "fate")), "too_long");
	ck_assert(flag_at(item(d, "wqes", 0), "retired"));
	ck_assert(!flag_at(item(d, "wqes", 1), "retired"));
	json_decref(doc);
}
END_TEST

/*
 * Four WQEs of 8 strides; packet 40 is kept, the last one of WQE 4 (place 0 on the
 * second lap).  In the ring's order nothing is posted again after WQE 3; in a linked
 * list one place is missing.
 */
START_TEST(held_strides)
{
	json_t *doc = rq_json("--packets", "60x100", "--hold", "40", "--striding", "--wqes", "4",
			      "--strides", "8");
	json_t *d = item(doc, "drawings", 0);
	/* WQE 4 holds packets 33 to 40; 5, 6, 7 follow, none after: 8 x 8 packets. */
	ck_assert_uint_eq(count_at(d, "out_of_buffer"), 36);
	ck_assert_uint_eq(count_at(d, "held"), 1);
	ck_assert_uint_eq(count_at(d, "held_packet_bytes"), 60);
	ck_assert_uint_eq(count_at(d, "held_buffer_bytes"), 512);
	ck_assert_uint_eq(count_at(item(d, "wqes", 4), "held"), 1);
	ck_assert(!flag_at(item(d, "wqes", 5), "posted_again"));
	json_decref(doc);
	doc = rq_json("--packets", "60x100", "--hold", "40", "--striding", "--wqes", "4",
		      "--strides", "8", "--linked-list");
	d = item(doc, "drawings", 0);
	/* Packet 80 is in WQE 10th begun, kept too; two WQEs go round. */
	ck_assert_uint_eq(count_at(d, "out_of_buffer"), 0);
	ck_assert_uint_eq(count_at(d, "held"), 2);
	ck_assert_uint_eq(json_array_size(at(d, "wqes")), 13);
	ck_assert_uint_eq(count_at(item(d, "wqes", 4), "place"), 0);
	ck_assert(flag_at(item(d, "wqes", 5), "posted_again"));
	ck_assert(!flag_at(item(d, "wqes", 4), "posted_again"));
	/* Places 1, 2, 3 follow each other; 0 never comes back. */
	ck_assert_uint_eq(count_at(item(d, "wqes", 8), "place"), 1);
	ck_assert_uint_eq(count_at(item(d, "wqes", 9), "place"), 2);
	json_decref(doc);
	doc = rq_json("--packets", "60x100", "--hold", "40", "--spare", "1", "--striding", "--wqes",
		      "4", "--strides", "8");
	d = item(doc, "drawings", 0);
	/* The first is replaced, the second (packet 80, WQE 9) stops the ring at 13 WQEs. */
	ck_assert_uint_eq(count_at(d, "spare_used"), 1);
	ck_assert_uint_eq(count_at(d, "out_of_buffer"), 0);
	json_decref(doc);
	doc = rq_json("--packets", "60x100", "--hold", "40", "--memcpy", "60", "--striding",
		      "--wqes", "4", "--strides", "8");
	d = item(doc, "drawings", 0);
	ck_assert_uint_eq(count_at(d, "copied"), 2);
	ck_assert_uint_eq(count_at(d, "held"), 0);
	ck_assert_uint_eq(count_at(d, "out_of_buffer"), 0);
	json_decref(doc);
	doc = rq_json("--packets", "60x100", "--no-refill", "--striding", "--wqes", "4",
		      "--strides", "8");
	ck_assert_uint_eq(count_at(item(doc, "drawings", 0), "out_of_buffer"), 68);
	json_decref(doc);
}
END_TEST

/* A filler closes WQE 0 before the packet that fills WQE 1: 0 is posted first and used next. */
START_TEST(linked_list_in_order_of_completion)
{
	struct output o = cli("rq", "--striding", "--linked-list", "--wqes", "2", "--strides", "8",
			      "--stride-bytes", "1024", "--packets", "5000,8192,60");

	ck_assert_int_eq(o.code, 0);
	ck_assert_ptr_nonnull(strstr(o.out, "3 c      60      0        0        1        0"));
	output_free(&o);
}
END_TEST

/* A linked list of which all WQEs are kept for a while goes on where one comes back. */
START_TEST(linked_list_runs_dry)
{
	json_t *doc = rq_json("--packets", "60x40", "--hold", "8", "--striding", "--wqes", "2",
			      "--strides", "8", "--linked-list");
	json_t *d = item(doc, "drawings", 0);

	ck_assert_uint_eq(count_at(d, "out_of_buffer"), 24);
	ck_assert_uint_eq(json_array_size(at(d, "wqes")), 2);
	json_decref(doc);
}
END_TEST

START_TEST(cyclic_segments)
{
	struct output o = cli("rq", "--cyclic", "--wqes", "4", "--segments", "2", "--buffer-bytes",
			      "1600", "--headroom", "100", "--packets", "60,1500,1501,3101");

	ck_assert_int_eq(o.code, 0);
	/* A cell is 100 bytes; the first is headroom. */
	says(&o, "       0 |-a..............|................|\n");
	says(&o, "       0 |-bbbbbbbbbbbbbbb|................|\n");
	says(&o, "       0 |-ccccccccccccccc|c...............|\n");
	says(&o, "4 d    3101   fits in no WQE: lost\n");
	says(&o, "Lost: 0 found no WQE (out of buffer), 1 fit in none (too long).");
	output_free(&o);
}
END_TEST

/*
 * Buffers of half a page, given back at once.  Four WQEs take two pages; the first
 * packet's new buffer begins a third one, whose halves serve packets 1 and 2; page 0
 * is whole again after packet 2, before its buffer is replaced, and so on: each
 * second packet takes a page, from the cache once one is there.
 */
START_TEST(page_pool)
{
	json_t *doc =
		rq_json("--cyclic", "--wqes", "4", "--page-bytes", "4096", "--packets", "1514x100");
	json_t *p = at(item(doc, "drawings", 0), "pages");

	ck_assert_uint_eq(count_at(p, "fragments_per_page"), 2);
	ck_assert_uint_eq(count_at(p, "fragments"), 104);
	ck_assert_uint_eq(count_at(p, "allocated") + count_at(p, "recycled"), 52);
	ck_assert_uint_le(count_at(p, "allocated"), 4);
	json_decref(doc);
	/* Software that keeps each for 20 packets needs ten pages more. */
	doc = rq_json("--cyclic", "--wqes", "4", "--page-bytes", "4096", "--hold-for", "20",
		      "--packets", "1514x100");
	json_t *q = at(item(doc, "drawings", 0), "pages");
	ck_assert_uint_ge(count_at(q, "in_flight_max"), 12);
	ck_assert_uint_le(count_at(q, "in_flight_max"), 14);
	json_decref(doc);
	/* Nothing is kept in a cache of no pages. */
	doc = rq_json("--cyclic", "--wqes", "4", "--page-bytes", "4096", "--pool-cache", "0",
		      "--packets", "1514x100");
	ck_assert_uint_eq(count_at(at(item(doc, "drawings", 0), "pages"), "recycled"), 0);
	json_decref(doc);
}
END_TEST

START_TEST(wide_rows)
{
	struct output o = cli("rq", "--striding", "--wqes", "1", "--strides", "64", "--packets",
			      "640", "--width", "30");

	/* 30 - 9 - 2 = 19 columns, 16 of them used; the rest is all alike. */
	says(&o, "       0 |aaaaaaaaaa......|\n      16 |................|\n         ...\n");
	output_free(&o);
}
END_TEST

/* Of a capture that is drawn, 40 packets unless said otherwise. */
START_TEST(captures)
{
	json_t *doc = rq_json("--striding", trace("imix.pcap.gz"));

	ck_assert_uint_eq(json_array_size(at(item(doc, "drawings", 0), "packets")), 40);
	json_decref(doc);
	doc = rq_json("--striding", "--limit", "50", trace("imix.pcap.gz"));
	ck_assert_uint_eq(json_array_size(at(item(doc, "drawings", 0), "packets")), 50);
	json_decref(doc);
}
END_TEST

/* ---- memory ---- */

START_TEST(memory)
{
	json_t *doc = rq_json("--striding", "--wqes", "16", "--strides", "2048", "--stride-bytes",
			      "64", "--cyclic", "--entries", "1024", "--buffer-bytes", "1500",
			      "--queues", "8", "--llc", "20MiB");
	json_t *m = item(doc, "memory", 0);

	ck_assert_uint_eq(count_at(m, "buffers"), 2097152);
	ck_assert_uint_eq(count_at(m, "ddio_bytes"), 2097152);
	ck_assert_double_eq(number_at(m, "ddio_queues"), 0.5); /* buffers and as large a CQ */
	m = item(doc, "memory", 1);
	ck_assert_uint_eq(count_at(m, "buffers"), 1536000);
	ck_assert_uint_eq(count_at(m, "queues"), 8);
	json_decref(doc);
	struct output o = cli("rq", "--cyclic", "--buffer-bytes", "1500", "--queues", "8", "--llc",
			      "20MiB", "--ddio-share", "50");
	says(&o, "buffers                     1,536,000         12,288,000\n");
	says(&o, "50.0 % of 20,971,520 bytes of cache are 10,485,760 bytes");
	output_free(&o);
}
END_TEST

/* Half of the packets of 60 and 1514 bytes, on a few WQEs; lengths by hand. */
START_TEST(sizes_of_a_list)
{
	json_t *doc = rq_json("--packets", "60,1514");
	json_t *s = at(doc, "sizes"), *c = item(s, "choices", 0);

	ck_assert_uint_eq(count_at(s, "packets"), 2);
	ck_assert_uint_eq(count_at(s, "bytes"), 1574);
	ck_assert_uint_eq(count_at(c, "stride_bytes"), 64);
	ck_assert_uint_eq(count_at(c, "pieces"), 1 + 24);
	ck_assert_uint_eq(count_at(c, "waste"), 4 + 22);
	c = item(s, "choices", 2);
	ck_assert_uint_eq(count_at(c, "stride_bytes"), 256);
	ck_assert_uint_eq(count_at(c, "waste"), 196 + 22);
	/* 26 of 1600 bytes are empty with 64, 90 of 1664 with 128, 218 of 1792 with 256. */
	ck_assert_uint_eq(count_at(s, "stride_bytes"), 128);
	json_decref(doc);
}
END_TEST

/* ---- bursts ---- */

#define TABLE                                                                                      \
	"--burst", "2048,8192,16384,32768,65536", "--cyclic", "--entries", "1024",                 \
		"--buffer-bytes", "1500", "--fit", "1024,6144,13312,28672,58368", "--striding",    \
		"--wqes", "16", "--strides", "2048", "--stride-bytes", "64", "--fit",              \
		"0,0,0,0,24576"

START_TEST(published_bursts)
{
	json_t *doc = rq_json(TABLE, "--gain", "2-10");

	for (unsigned i = 0; i < 2; i++) {
		json_t *b = item(doc, "bursts", i);

		ck_assert(flag_at(b, "fit.possible"));
		for (unsigned k = 0; k < 5; k++) {
			json_t *row = item(b, "rows", k);
			double off =
				(double)count_at(row, "lost") - (double)count_at(row, "published");

			ck_assert_double_le(off, 512);
			ck_assert_double_ge(off, -512);
		}
	}
	ck_assert_uint_eq(count_at(item(doc, "bursts", 0), "buffers"), 1536000);
	ck_assert_uint_eq(count_at(item(doc, "bursts", 1), "buffers"), 2097152);
	/* 0.128 / 0.10158 and 0.15748 / 0.09375. */
	ck_assert_double_ge(number_at(doc, "ratio_gain.low_percent"), 26.0);
	ck_assert_double_le(number_at(doc, "ratio_gain.low_percent"), 26.1);
	ck_assert_double_ge(number_at(doc, "ratio_gain.high_percent"), 67.9);
	ck_assert_double_le(number_at(doc, "ratio_gain.high_percent"), 68.1);
	ck_assert(flag_at(doc, "ratio_gain.contradicts_stated_gain"));
	json_decref(doc);
	struct output o = cli("rq", TABLE, "--gain", "2-10");
	says(&o, "That is more than the gain in packet rate that is stated, 2 to 10 %");
	says(&o, "Nothing was");
	output_free(&o);
	o = cli("rq", TABLE, "--gain", "20-30");
	says(&o, "That agrees with the stated gain");
	output_free(&o);
}
END_TEST

START_TEST(bursts_without_fit)
{
	json_t *doc = rq_json("--burst", "8192", "--cyclic", "--drain-ratio", "0.125", "--cyclic",
			      "--drain-ratio", "0");

	/* 1024 + 8192 / 8 get in; 1023 are taken when the last one comes. */
	ck_assert_uint_eq(count_at(item(item(doc, "bursts", 0), "rows", 0), "lost"), 6145);
	ck_assert_uint_eq(count_at(item(item(doc, "bursts", 1), "rows", 0), "lost"), 7168);
	json_decref(doc);
	struct output o =
		cli("rq", "--burst", "2048", "--cyclic", "--fit", "1500", "--rounding", "2");
	says(&o, "No ratio drain/arrival brings out all rows");
	says(&o, "n/a");
	output_free(&o);
}
END_TEST

/* ---- aggregation ---- */

START_TEST(hardware_gro)
{
	json_t *doc = rq_json("--hw-gro", "--packets", "1514x5,1514p,1514x2,800,66,1514g");
	json_t *m = at(doc, "merge");

	ck_assert_uint_eq(count_at(m, "sessions"), 4);
	ck_assert_uint_eq(count_at(m, "completions"), 11);
	ck_assert_uint_eq(count_at(m, "header_entries"), 11);
	ck_assert_uint_eq(count_at(m, "flushes.flags"), 1);
	ck_assert_uint_eq(count_at(m, "flushes.length"), 1);
	ck_assert_uint_eq(count_at(m, "flushes.alone"), 1);
	ck_assert_uint_eq(count_at(m, "flushes.stop"), 1);
	json_t *s = item(m, "first_sessions", 0);
	ck_assert_uint_eq(count_at(s, "segments"), 6);
	ck_assert_uint_eq(count_at(s, "payload"), 6 * 1448);
	ck_assert_uint_eq(count_at(s, "pieces"), 3);
	json_decref(doc);
	doc = rq_json("--hw-gro", "--one-completion", "--packets", "1514x43");
	ck_assert_uint_eq(count_at(doc, "merge.completions"), 1);
	json_decref(doc);
	/* Two flows in turn: with one context nothing joins. */
	doc = rq_json("--hw-gro", "--flows", "2", "--packets", "1514x10");
	ck_assert_uint_eq(count_at(doc, "merge.joined"), 0);
	json_decref(doc);
	doc = rq_json("--hw-gro", "--flows", "2", "--contexts", "2", "--packets", "1514x10");
	ck_assert_uint_eq(count_at(doc, "merge.joined"), 10);
	json_decref(doc);
}
END_TEST

START_TEST(lro)
{
	/* A packet a microsecond, 32 us from the first: 33 segments. */
	json_t *doc = rq_json("--lro", "--packets", "1514x50", "--gap-ns", "1000");
	json_t *s = item(at(doc, "merge"), "first_sessions", 0);

	ck_assert_uint_eq(count_at(s, "segments"), 33);
	ck_assert_uint_eq(count_at(s, "completions"), 1);
	ck_assert_str_eq(json_string_value(at(s, "flush")), "timeout");
	ck_assert_uint_eq(count_at(s, "end_ps"), 32000000);
	json_decref(doc);
}
END_TEST

/* A real capture: all packets are accounted for. */
START_TEST(capture_joined)
{
	json_t *doc = rq_json("--lro", "--min-payload", "1", trace("office.pcap.gz"));
	json_t *m = at(doc, "merge"), *v;
	uint64_t flushes = 0;
	const char *key;

	json_object_foreach(at(m, "flushes"), key, v) flushes += (uint64_t)json_integer_value(v);
	ck_assert_uint_eq(flushes, count_at(m, "sessions"));
	ck_assert_uint_eq(count_at(m, "packets"), 5518);
	ck_assert_uint_lt(count_at(m, "sessions"), 5518);
	ck_assert_uint_eq(json_array_size(at(m, "first_packets")), 100);
	json_decref(doc);
}
END_TEST

/* ---- refusals ---- */

START_TEST(usage)
{
	struct output o = cli("rq", "--help");

	ck_assert_int_eq(o.code, 0);
	says(&o, "usage: cqesim rq");
	output_free(&o);
	fails(cli("rq"), 2, "expected a queue", NULL);
	fails(cli("rq", "--wqes", "4"), 2, "--wqes stands behind", "--cyclic or --striding");
	fails(cli("rq", "--cyclic", "--strides", "8"), 2, "--strides stands behind", "--striding");
	fails(cli("rq", "--striding", "--segments", "2"), 2, "--segments", "--cyclic");
	fails(cli("rq", "--striding", "--strides", "12"), 2, "--strides 12", "power of two");
	fails(cli("rq", "--striding", "--stride-bytes", "32"), 2, "--stride-bytes 32",
	      "64 to 8192");
	fails(cli("rq", "--cyclic", "--headroom", "2048"), 2, "headroom of 2048", NULL);
	fails(cli("rq", "--cyclic", "--packets", "60,"), 2, "--packets", "expected a length");
	fails(cli("rq", "--cyclic", "--packets", "60p"), 2, "--packets", "60p");
	fails(cli("rq", "--cyclic", "--packets", "65536"), 2, "65536", "1 to 65535");
	fails(cli("rq", "--cyclic", "--packets", "60x1000001"), 2, "60x1000001", NULL);
	fails(cli("rq", "--cyclic", "--packets", "60x600000,60x600000"), 2, "more than 1000000",
	      NULL);
	fails(cli("rq", "--cyclic", "--packets", "60", "file"), 2, "not both", NULL);
	fails(cli("rq", "--cyclic", "--page-bytes", "1024"), 2, "--page-bytes", "2048");
	fails(cli("rq", "--cyclic", "--burst", "5"), 2, "--drain-ratio or --fit", NULL);
	fails(cli("rq", "--cyclic", "--fit", "5"), 2, "--fit needs --burst", NULL);
	fails(cli("rq", "--cyclic", "--burst", "5,6", "--fit", "5"), 2, "names 1 losses", NULL);
	fails(cli("rq", "--cyclic", "--burst", "5", "--drain-ratio", "-1"), 2, "--drain-ratio -1",
	      NULL);
	fails(cli("rq", "--burst", "5"), 2, "--burst needs a queue", NULL);
	fails(cli("rq", "--striding", "--strides", "8", "--burst", "5", "--burst-bytes", "1000",
		  "--drain-ratio", "1"),
	      2, "1000 bytes fit in no WQE", NULL);
	fails(cli("rq", "--hw-gro"), 2, "need --packets or a file", NULL);
	fails(cli("rq", "--hw-gro", "--lro", "--packets", "60"), 2, "not both", NULL);
	fails(cli("rq", "--hw-gro", "--cyclic", "--packets", "60"), 2, "take no queue", NULL);
	fails(cli("rq", "--hw-gro", "--rx-buf-len", "6000", "--packets", "60"), 2,
	      "--rx-buf-len 6000", "4KiB to 128KiB");
	fails(cli("rq", "--gain", "10-2", "--cyclic"), 2, "--gain 10-2", NULL);
	fails(cli("rq", "--cyclic", "--cyclic", "--cyclic", "--cyclic", "--cyclic"), 2,
	      "more than 4 queues", NULL);
	fails(cli("rq", "/nowhere/at/all"), 1, "/nowhere/at/all", NULL);
	fails(cli("rq", "--json", "--striding", test_tmpdir()), 1, test_tmpdir(), NULL);
}
END_TEST

Suite *suite_rq_cli(void)
{
	Suite *suite = suite_create("rq_cli");
	TCase *tc = tcase_create("program");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, striding_text);
	tcase_add_test(tc, striding_document);
	tcase_add_test(tc, held_strides);
	tcase_add_test(tc, linked_list_in_order_of_completion);
	tcase_add_test(tc, linked_list_runs_dry);
	tcase_add_test(tc, cyclic_segments);
	tcase_add_test(tc, page_pool);
	tcase_add_test(tc, wide_rows);
	tcase_add_test(tc, captures);
	tcase_add_test(tc, memory);
	tcase_add_test(tc, sizes_of_a_list);
	tcase_add_test(tc, published_bursts);
	tcase_add_test(tc, bursts_without_fit);
	tcase_add_test(tc, hardware_gro);
	tcase_add_test(tc, lro);
	tcase_add_test(tc, capture_joined);
	tcase_add_test(tc, usage);
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, rq_cli_chapter());
	return suite;
}
