/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim link with what lspci, dmesg and ethtool said. */
#include "test_link_cli.h"

START_TEST(from_texts)
{
	char lspci[PATH_MAX], ethtool[PATH_MAX], dmesg[PATH_MAX];
	const char *top = test_top_srcdir();

	snprintf(lspci, sizeof(lspci), "%s/tests/sysinfo/lspci-narrow.txt", top);
	snprintf(ethtool, sizeof(ethtool), "%s/tests/sysinfo/ethtool.txt", top);
	snprintf(dmesg, sizeof(dmesg), "%s/tests/sysinfo/dmesg.txt", top);
	json_t *doc = good_json(cli("link", "--json", "--lspci", lspci, "--ethtool", ethtool), 0);
	json_t *r = first_result(doc);
	ck_assert_str_eq(json_string_value(at(doc, "device")), "connectx-5-ex");
	ck_assert_uint_eq(count_at(r, "config.gen"), 3);
	ck_assert_uint_eq(count_at(r, "config.lanes"), 8);
	ck_assert_double_eq(number_at(r, "config.session_packets"), 7.5);
	ck_assert_str_eq(json_string_value(at(r, "config.cqe_mode")), "arrays");
	ck_assert_uint_ge(json_array_size(at(doc, "remarks")), 3);
	json_decref(doc);
	/* The command line is stronger. */
	doc = good_json(cli("link", "--json", "--lspci", lspci, "--ethtool", ethtool, "--link",
			    "gen4x16", "--device", "connectx-7", "--session", "3"),
			0);
	r = first_result(doc);
	ck_assert_str_eq(json_string_value(at(doc, "device")), "connectx-7");
	ck_assert_uint_eq(count_at(r, "config.gen"), 4);
	ck_assert_double_eq(number_at(r, "config.session_packets"), 3);
	json_decref(doc);
	struct output o = cli_from(dmesg, "link", "--dmesg", "-", "--frame", "1518");
	says(&o, "The link is narrower and slower than the card");
	says(&o, "The link is the limit: it carries 4.34 Mpps");
	output_free(&o);
	fails(cli("link", "--lspci", "/no/such/file"), 1, "/no/such/file", NULL);
	fails(cli("link", "--card", "3b:00.0"), 2, "--card", "--lspci");
}
END_TEST

static const char *text_file(const char *text)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/seen.%d.txt", test_tmpdir(), getpid());
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	return path;
}

/* A card of which there is no profile gets no answer, unless one like it is named. */
START_TEST(unknown_cards)
{
	static const struct {
		const char *option, *text, *says;
	} cards[] = {
		{"--lspci",
		 "04:00.0 Ethernet controller: Intel Corporation Ethernet Controller 10-Gigabit "
		 "X540-AT2 (rev 01)\n\t\tLnkSta:\tSpeed 5GT/s, Width x8\n",
		 "X540-AT2"},
		{"--lspci",
		 "05:00.0 Ethernet controller [0200]: Intel Corporation I350 Gigabit Network "
		 "Connection [8086:1521]\n\t\tLnkSta:\tSpeed 5GT/s, Width x4\n",
		 "I350"},
		{"--lspci",
		 "3b:00.0 Ethernet controller: Mellanox Technologies CX8 Family [ConnectX-8]\n"
		 "\t\tLnkSta:\tSpeed 64GT/s, Width x16\n\tKernel driver in use: mlx5_core\n",
		 "ConnectX-8"},
		{"--lspci",
		 "3b:00.0 Ethernet controller: Mellanox Technologies MT27700 Family [ConnectX-4]\n"
		 "\t\tLnkSta:\tSpeed 8GT/s, Width x16\n",
		 "ConnectX-4"},
		{"--lspci", "3b:00.0 0200: 15b3:1023\n\t\tLnkSta:\tSpeed 64GT/s, Width x16\n",
		 "15b3:1023"},
		{"--dmesg",
		 "ixgbe 0000:04:00.0: 16.000 Gb/s available PCIe bandwidth, limited by 5 GT/s x4 "
		 "link at 0000:00:1c.4 (capable of 32.000 Gb/s with 5 GT/s x8 link)\n",
		 "ixgbe"},
	};

	for (size_t i = 0; i < sizeof(cards) / sizeof(cards[0]); i++) {
		const char *file = text_file(cards[i].text);

		fails(cli("link", cards[i].option, file), 1, cards[i].says, "--device");
		fails(cli("link", cards[i].option, file, "--table"), 1, cards[i].says, "--device");
		fails(cli("link", cards[i].option, file, "--json"), 1, cards[i].says, "--device");
		struct output o = cli("link", cards[i].option, file, "--device", "connectx-7");
		says(&o, "connectx-7,");
		output_free(&o);
		/* Of the link alone: whatever the card. */
		o = cli("link", cards[i].option, file, "--bandwidth", "--frame", "64");
		says(&o, "Seen: 0000:");
		ck_assert_ptr_null(strstr(o.out, "taken as"));
		output_free(&o);
		unlink(file);
	}
	/* mlx5's driver, but no name: said. */
	struct output o = cli("link", "--dmesg",
			      text_file("mlx5_core 0000:3b:00.0: 126.016 Gb/s available PCIe "
					"bandwidth (8.0 GT/s PCIe x16 link)\n"));
	says(&o, "taken as connectx-5, since only its driver is\nknown");
	output_free(&o);
}
END_TEST

/* What was seen is said in all views, and the table is that of the machine's link. */
START_TEST(views)
{
	static const char narrower[] = "The link is narrower and slower than the card";
	char lspci[PATH_MAX];

	snprintf(lspci, sizeof(lspci), "%s/tests/sysinfo/lspci-narrow.txt", test_top_srcdir());
	struct output o = cli("link", "--lspci", lspci, "--table", "--frame", "64");
	says(&o, "Seen: 0000:3b:00.0");
	says(&o, narrower);
	says(&o, "\ngen3x8,mps=256,mrrs=512,rcb=64,tags=256     64     42.33       ok ");
	ck_assert_ptr_null(strstr(o.out, "\ngen3x16"));
	output_free(&o);
	o = cli("link", "--lspci", lspci, "--table", "--frame", "64", "--link", "gen5x4");
	says(&o, narrower);
	says(&o, "\ngen5x4 ");
	ck_assert_ptr_null(strstr(o.out, "tags=256     64"));
	output_free(&o);
	o = cli("link", "--lspci", lspci, "--bandwidth", "--frame", "64");
	says(&o, narrower);
	says(&o, "256 tags");
	output_free(&o);
	o = cli("link", "--lspci", lspci, "--sweep", "size=64..128");
	says(&o, narrower);
	output_free(&o);
	o = cli("link", "--lspci", lspci, "--frame", "64,128");
	says(&o, narrower);
	output_free(&o);
	o = cli("link", "--lspci", lspci, "--combinations");
	says(&o, narrower);
	output_free(&o);
	o = cli("link", "--lspci", lspci, "--csv");
	ck_assert_uint_eq(lines_of(o.out), 2);
	ck_assert_uint_eq(lines_of(o.err), 2);
	ck_assert_ptr_nonnull(strstr(o.err, narrower));
	output_free(&o);
	static const char *const lists[] = {"--table", "--bandwidth", "--combinations"};
	for (unsigned i = 0; i < 3; i++) {
		json_t *doc = good_json(cli("link", "--lspci", lspci, lists[i], "--json"), 0);

		ck_assert_uint_eq(json_array_size(at(doc, "remarks")), 2);
		ck_assert_uint_gt(json_array_size(at(doc, "results")), 2);
		json_decref(doc);
	}
}
END_TEST

/* 32 reads in 557 ns, one for four packets. */
START_TEST(tags)
{
	const char *file = text_file("3b:00.0 Ethernet controller: Mellanox MT27800 [ConnectX-5]\n"
				     "\t\tDevCtl:\tRlxdOrd+ ExtTag-\n"
				     "\t\tLnkSta:\tSpeed 8GT/s, Width x16\n");
	struct output o = cli("link", "--lspci", file);

	says(&o, "gen3x16,tags=32");
	says(&o, "\n  reads in flight                  229.80 ");
	output_free(&o);
}
END_TEST

START_TEST(counters)
{
	struct output o = cli("link", "--ethtool",
			      text_file("rx_cqe_compress_blks: 10\nrx_cqe_compress_pkts: 5\n"));

	says(&o, "The counters contradict each other");
	says(&o, "CQEs of 64 bytes");
	output_free(&o);
	fails(cli("link", "--ethtool",
		  text_file("rx_packets: 1\nrx_cqe_compress_blks: 99999999999999999999999\n")),
	      1, "seen.", "line 2: a counter of more than 64 bits");
	fails(cli("link", "--ethtool",
		  text_file("rx_cqe_compress_blks: 1\nrx_cqe_compress_pkts: 65536\n")),
	      1, "line 2: ", "65535");
}
END_TEST

void add_link_texts(Suite *suite)
{
	TCase *t = tcase_create("texts");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, from_texts);
	tcase_add_test(t, unknown_cards);
	tcase_add_test(t, views);
	tcase_add_test(t, tags);
	tcase_add_test(t, counters);
	suite_add_tcase(suite, t);
}
