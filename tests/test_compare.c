/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim compare: the model's counters beside the differences of two texts of ethtool -S. */
#include "cli_run.h"

static const char before[] = "NIC statistics:\n"
			     "     rx_packets: 1000\n"
			     "     rx_bytes: 60000\n"
			     "     rx_out_of_buffer: 7\n"
			     "     rx_packets_phy: 1000\n"
			     "     outbound_pci_stalled_wr: 3\n"
			     "     rx_prio0_bytes: 1\n"
			     "     rx0_packets: 1000\n";
static const char after[] = "NIC statistics:\n"
			    "     rx_packets: 2001000\n"
			    "     rx_bytes: 120060000\n"
			    "     rx_out_of_buffer: 7\n"
			    "     rx_packets_phy: 2001000\n"
			    "     outbound_pci_stalled_wr: 0\n"
			    "     rx_prio0_bytes: 5\n"
			    "     rx0_packets: 2001000\n"
			    "a note of somebody\n";

static void put(char path[PATH_MAX], const char *name, const char *text)
{
	snprintf(path, PATH_MAX, "%s/%s", test_tmpdir(), name);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert(!fclose(f));
}

#define TRAFFIC "--synthetic", "frame=64,packets=10k,rate=1Mpps", "--quiet"

START_TEST(machine_and_model)
{
	char a[PATH_MAX], b[PATH_MAX];

	put(b, "before.txt", before);
	put(a, "after.txt", after);
	/* Two seconds of 1 Mpps, which is what the model replays. */
	json_t *doc = good_json(
		cli("compare", "--ethtool", b, a, "--seconds", "2", TRAFFIC, "--json"), 0);
	ck_assert_uint_eq(count_at(doc, "counters.rx_packets.machine"), 2000000);
	ck_assert_double_eq(number_at(doc, "counters.rx_packets.machine_per_s"), 1e6);
	ck_assert_uint_eq(count_at(doc, "counters.rx_packets.model"), 10000);
	ck_assert_double_eq_tol(number_at(doc, "counters.rx_packets.model_per_s"), 1e6, 200);
	ck_assert_double_eq_tol(number_at(doc, "counters.rx_packets.ratio"), 1, 2e-4);
	ck_assert_double_eq_tol(number_at(doc, "counters.rx_bytes.ratio"), 1, 2e-4);
	ck_assert(json_is_false(at(doc, "machine_s_assumed")));
	/* A percentage is no sum; a counter that did not grow has no ratio. */
	ck_assert_uint_eq(count_at(doc, "counters.outbound_pci_stalled_wr.machine"), 0);
	ck_assert_uint_eq(count_at(doc, "counters.rx_out_of_buffer.machine"), 0);
	ck_assert(json_is_null(at(doc, "counters.rx_out_of_buffer.ratio")));
	/* What the text has not. */
	ck_assert(json_is_null(at(doc, "counters.rx_discards_phy.machine")));
	ck_assert_uint_eq(count_at(doc, "ignored_lines"), 1);
	json_decref(doc);

	/* Without a time the packets say how long. */
	doc = good_json(cli("compare", "--ethtool", b, a, TRAFFIC, "--json"), 0);
	ck_assert(json_is_true(at(doc, "machine_s_assumed")));
	ck_assert_double_eq_tol(number_at(doc, "machine_s"), 2, 1e-3);
	ck_assert_double_eq_tol(number_at(doc, "counters.rx_packets_phy.ratio"), 1, 1e-9);
	json_decref(doc);

	struct output o = cli("compare", "--ethtool", b, a, TRAFFIC);
	ck_assert_msg(o.code == 0, "%s", o.err);
	ck_assert_ptr_nonnull(strstr(o.out, "rx_packets_phy"));
	ck_assert_ptr_nonnull(strstr(o.out, "assumed"));
	ck_assert_ptr_nonnull(strstr(o.out, "1 lines are no counters"));
	output_free(&o);
	unlink(a);
	unlink(b);
}
END_TEST

/* A replay's own counters, compared with the same replay: all ratios are 1. */
START_TEST(model_and_itself)
{
	char zero[PATH_MAX], text[PATH_MAX];
	struct output o = cli("replay", "--synthetic", "frame=64,packets=50k", "--counters");
	char zeros[4096] = "", name_read[64];

	ck_assert_msg(o.code == 0, "%s", o.err);
	put(text, "own.txt", o.out);
	for (const char *line = strchr(o.out, '\n'); line && line[1]; line = strchr(line + 1, '\n'))
		if (sscanf(line, " %63[^:]", name_read) == 1)
			snprintf(zeros + strlen(zeros), sizeof(zeros) - strlen(zeros), "%s: 0\n",
				 name_read);
	put(zero, "zero.txt", zeros);
	output_free(&o);
	json_t *doc = good_json(cli("compare", "--ethtool", zero, text, "--synthetic",
				    "frame=64,packets=50k", "--json"),
				0);
	const char *name;
	json_t *counter;
	json_object_foreach(at(doc, "counters"), name, counter)
	{
		json_t *ratio = at(counter, "ratio");

		ck_assert_msg(count_at(counter, "machine") == count_at(counter, "model"), "%s",
			      name);
		if (!json_is_null(ratio))
			ck_assert_double_eq_tol(json_number_value(ratio), 1, 1e-9);
	}
	json_decref(doc);
	unlink(zero);
	unlink(text);
}
END_TEST

START_TEST(bad_texts)
{
	char a[PATH_MAX], b[PATH_MAX], bad[PATH_MAX];

	put(b, "before.txt", before);
	put(a, "after.txt", after);
	fails(cli("compare", "--ethtool", a, b, TRAFFIC), 1, "rx_packets is 1000", "later");
	fails(cli("compare", "--ethtool", b, b, TRAFFIC), 1, "grew", "--seconds");
	put(bad, "bad.txt", "nothing\n");
	fails(cli("compare", "--ethtool", b, bad, TRAFFIC), 1, "no counter", "bad.txt");
	put(bad, "bad.txt", "rx_packets: 99999999999999999999999\n");
	fails(cli("compare", "--ethtool", bad, a, TRAFFIC), 1, "line 1", "64 bits");
	fails(cli("compare", "--ethtool", "/no/such", a, TRAFFIC), 1, "/no/such", NULL);
	fails(cli("compare", "--ethtool", b), 2, "two files", NULL);
	fails(cli("compare", TRAFFIC), 2, "--ethtool BEFORE AFTER", NULL);
	fails(cli("compare", "--ethtool", b, a, "--seconds", "0", TRAFFIC), 2, "--seconds 0", NULL);
	fails(cli("compare", "--ethtool", b, a, "--sweep", "queues=1..2", TRAFFIC), 2, "one run",
	      NULL);
	fails(cli("compare", "--ethtool", b, a), 2, "--synthetic", NULL);
	unlink(bad);
	unlink(a);
	unlink(b);
}
END_TEST

Suite *suite_compare(void)
{
	Suite *suite = suite_create("compare");
	TCase *all = tcase_create("all");

	tcase_set_timeout(all, 60);
	tcase_add_test(all, machine_and_model);
	tcase_add_test(all, model_and_itself);
	tcase_add_test(all, bad_texts);
	suite_add_tcase(suite, all);
	return suite;
}
