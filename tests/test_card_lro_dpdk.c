/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPDK's packaged mlx5 driver asks the emulated card for LRO: every mbuf that it makes of joined
 * segments is checked (tests/card_mbuf.c), in each of the queues in which it can receive them.
 * How many segments come together follows from the real time in which the card's thread runs;
 * what is checked does not.
 */
#include "card_run.h"

#define PROGRAM TEST_BUILDDIR "/tests/card_mbuf"
#define TIME    "lro_timeout_usec=1024"
#define STRIDES TIME ",mprq_en=1,rxqs_min_mprq=1"

struct mode {
	const char *name, *devargs;
	const char *options[10]; /* of the program */
	const char *selected;
	bool in_turn; /* one of several queues may be full while others are not */
	const char *known;
	uint64_t longest; /* at least so many segments were joined to one */
	bool whole;       /* as many packets as in the modes of card_dpdk */
};

/* The modes without LRO have 10^7 and 10^9; CQESIM_SHORT=1 is for who waits for it. */
static const char *packets_of(const struct mode *m)
{
	if (getenv("CQESIM_SHORT") || !m->whole)
		return "40000";
	return getenv("CQESIM_LONG") ? "1000000000" : "10000000";
}

static const struct mode modes[] = {
	{"one buffer",
	 TIME,
	 {"--lro", "8192", "--mbuf", "8400"},
	 "Scalar,",
	 false,
	 NULL,
	 .longest = 5},
	{"several buffers",
	 TIME,
	 {"--lro", "16000", "--scatter"},
	 "Scalar,",
	 false,
	 NULL,
	 .longest = 11,
	 .whole = true},
	{"65280 bytes",
	 TIME,
	 {"--lro", "65280", "--scatter", "--mbuf", "4096"},
	 "Scalar,",
	 false,
	 NULL,
	 .longest = 44},
	{"vector and compression asked for",
	 TIME ",rx_vec_en=1,rxq_cqe_comp_en=1",
	 {"--lro", "16000", "--scatter"},
	 "Scalar,",
	 false,
	 NULL,
	 .longest = 11},
	{"4 queues, tags stripped, time",
	 TIME,
	 {"--lro", "8000", "--scatter", "--queues", "4", "--vlan-strip", "--timestamp"},
	 "Scalar,",
	 true,
	 NULL,
	 .longest = 5},
	{"8 us",
	 "lro_timeout_usec=8",
	 {"--lro", "16000", "--scatter"},
	 "Scalar,",
	 false,
	 NULL,
	 .longest = 2},
	{"MPRQ, a stride for each",
	 STRIDES,
	 {"--lro", "8000", "--scatter"},
	 "Multi-Packet RQ,",
	 false,
	 "mprq_external_buffer",
	 .longest = 5},
	{"MPRQ, several strides",
	 STRIDES ",mprq_log_stride_size=11,mprq_log_stride_num=9",
	 {"--lro", "32000", "--scatter"},
	 "Multi-Packet RQ,",
	 true,
	 "mprq_external_buffer",
	 .longest = 21,
	 .whole = true},
	{"MPRQ, 64 KiB of strides",
	 STRIDES ",mprq_log_stride_size=11,mprq_log_stride_num=9",
	 {"--lro", "65280", "--scatter"},
	 "Multi-Packet RQ,",
	 true,
	 "lro_mprq_buf_len_0",
	 .longest = 44},
	{"MPRQ, 4 queues",
	 STRIDES ",mprq_log_stride_size=11,mprq_log_stride_num=9",
	 {"--lro", "16000", "--scatter", "--queues", "4"},
	 "Multi-Packet RQ,",
	 true,
	 "mprq_external_buffer",
	 .longest = 10},
};
#define MODES ((int)(sizeof(modes) / sizeof(modes[0])))

static uint64_t number_after(const char *text, const char *words)
{
	const char *at = strstr(text, words);

	return at ? strtoull(at + strlen(words), NULL, 10) : 0;
}

static void check_report(const char *path, const char *told)
{
	json_error_t error;
	json_t *doc = json_load_file(path, 0, &error);

	ck_assert_msg(doc != NULL, "%s", error.text);
	ck_assert_uint_eq(count_at(doc, "received.delivered"), number_after(told, "result: "));
	ck_assert_uint_eq(count_at(doc, "rules.violations"), 0);
	/* Nothing of a queue with LRO is compressed; what the card joined is what arrived so. */
	ck_assert_uint_eq(count_at(doc, "completions.sessions"), 0);
	ck_assert_uint_eq(count_at(doc, "completions.lro.sessions"),
			  number_after(told, "joined: "));
	ck_assert_uint_eq(count_at(doc, "completions.lro.segments"),
			  number_after(told, "packets of "));
	ck_assert_uint_eq(count_at(doc, "completions.lro.longest"), number_after(told, "at most "));
	json_decref(doc);
	unlink(path);
}

static bool possible(const char *test)
{
	if (access(PROGRAM, X_OK)) {
		test_skip(test, "built without DPDK");
		return false;
	}
	return has_driver(test);
}

START_TEST(mode)
{
	const struct mode *m = &modes[_i];
	const char *packets = packets_of(m);
	char report[PATH_MAX], name[100];

	snprintf(name, sizeof(name), "card_lro_dpdk: %s", m->name);
	if (!possible(name))
		return;
	snprintf(report, sizeof(report), "%s/lro.%d", test_tmpdir(), getpid());
	const char *args[CLI_ARGS_MAX + 1] = {
		"card",      "--cqe-comp", "aggressive",   "--wait",    "0.2",      "--rate",
		"posted",    "--source",   "numbered:lro", "--limit",   packets,    "--check",
		"--json",    "--output",   report,         "--devargs", m->devargs, "--",
		PROGRAM,     "-l",         "0,1",          "--",        "--mix",    "lro",
		"--packets", packets,
	};
	unsigned n = 26;
	for (unsigned i = 0; i < 10 && m->options[i]; i++)
		args[n++] = m->options[i];
	struct output o = cli_args(NULL, args);
	ck_assert_msg(o.code == 0, "%s: exit %d, signal %d\n%s%s", m->name, o.code, o.signal, o.out,
		      o.err);
	has(o.out, m->selected);
	has(o.out, " 0 differences,");
	has(o.out, "lro_tso_segsz_counts_headers");
	if (m->known)
		has(o.out, m->known);
	if (!m->in_turn)
		ck_assert_uint_eq(number_after(o.out, "result: "), strtoull(packets, NULL, 10));
	ck_assert_msg(number_after(o.out, "at most ") >= m->longest, "%s:\n%s", m->name, o.out);
	check_report(report, o.out);
	output_free(&o);
}
END_TEST

/* testpmd's own option; and what the trace tells is read as the driver reads it. */
START_TEST(testpmd)
{
	if (!has_testpmd("card_lro_dpdk: testpmd"))
		return;
	char trace[PATH_MAX];

	snprintf(trace, sizeof(trace), "%s/lro-trace.%d", test_tmpdir(), getpid());
	struct output o =
		cli("card", "--devargs", TIME, "--source", "numbered:lro", "--limit", "20k",
		    "--wait", "0.3", "--rate", "posted", "--duration", "1.5", "--trace", trace,
		    "--", "dpdk-testpmd", "-l", "0,1", "--", "--forward-mode=rxonly",
		    "--enable-lro", "--enable-scatter", "--max-lro-pkt-size=16000",
		    "--mbuf-size=4096", "--stats-period", "1");
	ck_assert_msg(o.code == 0, "exit %d\n%s%s", o.code, o.out, o.err);
	has(o.out, "LRO: ");
	output_free(&o);
	o = cli("walk", trace, "--steps", "40");
	ck_assert_msg(o.code == 0, "exit %d\n%s", o.code, o.err);
	has(o.out, " segments"); /* "joined" may be on the next line */
	output_free(&o);
	unlink(trace);
}
END_TEST

Suite *suite_card_lro_dpdk(void)
{
	Suite *suite = suite_create("card_lro_dpdk");
	TCase *tc = tcase_create("modes");

	tcase_set_timeout(tc, getenv("CQESIM_LONG") ? 7200 : 300);
	tcase_add_loop_test(tc, mode, 0, MODES);
	tcase_add_test(tc, testpmd);
	suite_add_tcase(suite, tc);
	return suite;
}
