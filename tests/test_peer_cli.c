/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim link --peer: the peer's tables byte for byte, options, and the examples of doc/peer.md. */
#include <zlib.h>

#include "chapter.h"
#include "test_peer.h"

static void says(const struct output *o, const char *words)
{
	ck_assert_msg(strstr(o->out, words) != NULL, "no \"%s\" in:\n%s%s", words, o->out, o->err);
}

/*
 * What the peer's own programs wrote (commit 40703cf, without options): size and
 * CRC-32 of the whole, and some rows of it to read.
 */
static const struct {
	const char *table;
	size_t size;
	unsigned long crc;
	const char *rows[8];
} published[] = {
	{"pcie_bw",
	 110798,
	 0x8e6806e0,
	 {"\"Payload(Bytes)\" \"PCIe Write BW\" \"PCIe Write Trans/s\" ",
	  "\n1 2.32 289423828.1 2.41 301483154.3 1.18 147665218.4\n",
	  "\n63 41.92 83167766.7 43.94 87175851.8 32.85 65185546.9\n",
	  "\n64 42.10 82222678.4 44.10 86138044.1 33.08 64603533.1 30.48 59523809 16.80\n",
	  "\n66 42.45 80395507.8 44.42 84134833.8 33.51 63470137.7 30.70 58139534 17.20\n"}},
	{"nic_bw",
	 121397,
	 0xf49211fd,
	 {"\"Packet Size(Bytes)\" \"Max. Write Bandwidth\" \"Max. R/W Bandwidth\" ",
	  "\n64 41.35 43.41   28.57   12.58 20.67 19.73   17.63 23.23 27.16   20.65 35.30 28.01\n",
	  "\n66 41.73 43.77   29.52   12.91 21.11 20.16   18.04 23.69 27.63   21.09 35.75 "
	  "28.48\n"}},
	{"links",
	 2576,
	 0x93f9a4a1,
	 {"PCIe Version: gen1\nLanes Phys BW (Gb/s) Data BW (Gb/s) MPS=128\n   x1   2.00   1.86\n",
	  "\n   x8  63.02  56.67\n", "\n  x32 128.00 103.29\n", "\n   x8  63.02  57.88\n",
	  "\n  x16 126.03 113.70\n", "\n  x16 968.00 873.29\n", "\n  x32 3872.00 3422.55\n"}},
};

START_TEST(published_tables)
{
	for (unsigned i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		struct output o = cli("link", "--peer", "--reproduce", published[i].table);

		ck_assert_msg(o.code == 0, "%d: %s", o.code, o.err);
		for (unsigned r = 0; r < 8 && published[i].rows[r]; r++)
			says(&o, published[i].rows[r]);
		ck_assert_uint_eq(o.out_size, published[i].size);
		ck_assert_uint_eq(crc32(0, (const unsigned char *)o.out, (unsigned)o.out_size),
				  published[i].crc);
		output_free(&o);
	}
}
END_TEST

/* Rows of its tables, corrected. */
START_TEST(corrected_tables)
{
	struct output o = cli("link", "--peer", "--reproduce", "nic_bw", "--size", "68", "--fix",
			      "ethernet,column");

	/* 40 x 64/88; 57.885 x 64 / (24 + 64 + 24) */
	ck_assert_int_eq(o.code, 0);
	ck_assert_uint_eq(lines_of(o.out), 2);
	says(&o, "\n68 42.10 33.08   29.09   ");
	output_free(&o);
	o = cli("link", "--peer", "--reproduce", "links", "--fix", "share");
	says(&o, "\n  x16 126.03 124.95\n"); /* x (1 - 16/168/16 - 4/1538) */
	output_free(&o);
}
END_TEST

START_TEST(one_figure)
{
	struct output o = cli("link", "--peer", "--op", "read", "--size", "64", "--link",
			      "gen3x8,mps=256,mrrs=512");

	ck_assert_msg(o.code == 0, "%s", o.err);
	says(&o, "raw 63.015 Gb/s, for TLPs 57.885 Gb/s; corrected: nothing\n");
	says(&o, "     64     24.000     84.000     44.103     86.138  down\n");
	output_free(&o);
	o = cli("link", "--peer", "--nic", "dpdk", "--direction", "rx", "--fix", "descriptor");
	says(&o, "corrected: descriptor\n");
	says(&o, "    148.000     36.875     23.467     48.889  up\n");
	output_free(&o);
	o = cli("link", "--peer", "--bandwidth", "--op", "write", "--csv");
	ck_assert_uint_eq(lines_of(o.out), 7);
	says(&o, "\nwrite,,512,,57.884766,560.000000,0.000000,12920706.6,52.923214,up,0.000000\n");
	output_free(&o);
}
END_TEST

START_TEST(compared)
{
	struct output o = cli("link", "--peer", "--nic", "dpdk", "--compare");

	ck_assert_msg(o.code == 0, "%s", o.err);
	says(&o, "\n   3  descriptor      57.885   148.000    36.875    23.467    48.889  up       "
		 "+19.35 %\n");
	says(&o, "no difference here: misprints (2), flit (7), ");
	for (const char *line = o.out; *line; line += strcspn(line, "\n") + 1) {
		size_t n = strcspn(line, "\n");

		ck_assert_msg(n <= 120 && (!n || line[n - 1] != ' '), "%.*s", (int)n, line);
	}
	output_free(&o);
	json_t *doc = good_json(cli("link", "--peer", "--nic", "dpdk", "--compare", "--json"), 0);
	json_t *result = json_array_get(at(doc, "results"), 0);
	ck_assert_double_eq_tol(number_at(result, "transactions_per_second"), 58352e3, 1e3);
	ck_assert_uint_eq(json_array_size(at(result, "corrected")), 11);
	json_t *third = json_array_get(at(result, "corrected"), 2);
	ck_assert_uint_eq(count_at(third, "line"), 3);
	ck_assert_double_eq_tol(number_at(third, "peer_off_percent"), 19.355, 0.001);
	json_decref(doc);
	o = cli("link", "--peer", "--op", "read", "--compare", "--fix", "skp,share", "--csv");
	ck_assert_uint_eq(lines_of(o.out), 5); /* head, the peer, two, both */
	output_free(&o);
}
END_TEST

START_TEST(usage)
{
	struct output o = cli("link", "--peer", "--help");

	ck_assert_int_eq(o.code, 0);
	says(&o, "usage: cqesim link --peer");
	output_free(&o);
	fails(cli("link", "--peer", "--op", "erase"), 2, "--op erase", "read+write");
	fails(cli("link", "--peer", "--nic", "mlx5"), 2, "--nic mlx5", "dpdk");
	fails(cli("link", "--peer", "--op", "read", "--nic", "dpdk"), 2, "exclude", NULL);
	fails(cli("link", "--peer", "--direction", "rx"), 2, "without --nic", NULL);
	fails(cli("link", "--peer", "--nic", "dpdk", "--direction", "up"), 2, "--direction up",
	      NULL);
	fails(cli("link", "--peer", "--nic", "dpdk", "--size", "60"), 2, "at least 64", NULL);
	fails(cli("link", "--peer", "--size", "0"), 2, "--size 0", NULL);
	fails(cli("link", "--peer", "--size", "9..1"), 2, "--size 9..1", NULL);
	fails(cli("link", "--peer", "--size", "1..5000"), 2, "4096 sizes", NULL);
	fails(cli("link", "--peer", "--link", "gen8x8"), 2, "generation 8", NULL);
	fails(cli("link", "--peer", "--link", "gen3"), 2, "--link gen3", NULL);
	fails(cli("link", "--peer", "--link", "mps=100"), 2, "mps 100", NULL);
	fails(cli("link", "--peer", "--link", "mps=x"), 2, "--link mps=x", NULL);
	fails(cli("link", "--peer", "--link", "prefixes=1"), 2, "--fix prefixes", NULL);
	fails(cli("link", "--peer", "--address", "1"), 2, "--fix address", NULL);
	fails(cli("link", "--peer", "--link", "tags=32", "--fix", "tags"), 2, "rtt=", NULL);
	fails(cli("link", "--peer", "--fix", "everything"), 2, "--fix everything", NULL);
	fails(cli("link", "--peer", "--reproduce", "table"), 2, "pcie_bw", NULL);
	fails(cli("link", "--peer", "--reproduce", "links", "--json"), 2, "--reproduce", NULL);
	fails(cli("link", "--peer", "--json", "--csv"), 2, "exclude", NULL);
	fails(cli("link", "--peer", "more"), 2, "unexpected argument more", NULL);
	fails(cli("link", "--peer", "--what"), 2, "unknown option --what", NULL);
}
END_TEST

/* ---- the chapter ---- */

START_TEST(chapter)
{
	chapter_check("peer.md", 0, 15, 40);
}
END_TEST

void add_peer_cli(Suite *suite)
{
	TCase *tc = tcase_create("program");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, published_tables);
	tcase_add_test(tc, corrected_tables);
	tcase_add_test(tc, one_figure);
	tcase_add_test(tc, compared);
	tcase_add_test(tc, usage);
	tcase_add_test(tc, chapter);
	suite_add_tcase(suite, tc);
}
