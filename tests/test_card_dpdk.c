/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPDK's packaged mlx5 driver on the emulated card, and every mbuf that it makes checked
 * field by field and byte by byte (tests/card_mbuf.c) in each of the ways in which it can
 * receive; then the same with mistakes that the card makes on purpose.
 *
 * 10^7 packets in each; CQESIM_LONG=1: 10^9; CQESIM_SHORT=1: 10^5, for who waits for it.
 */
#include <sched.h>
#include <signal.h>

#include "card_modes.h"
#include "card_run.h"

static const struct mode modes[] = {
	{"scalar",
	 NULL,
	 "rx_vec_en=0,rxq_cqe_comp_en=0",
	 "all",
	 {NULL},
	 .selected = SCALAR,
	 .known = FLAG},
	{"scalar, compressed",
	 NULL,
	 "rx_vec_en=0,rxq_cqe_comp_en=1",
	 "small",
	 {NULL},
	 .selected = SCALAR,
	 .compressed = true,
	 .known = FLAG},
	{"vector", NULL, "rx_vec_en=1,rxq_cqe_comp_en=0", "all", {NULL}, .selected = VECTOR},
	{"vector, compressed",
	 NULL,
	 "rx_vec_en=1,rxq_cqe_comp_en=1",
	 "all",
	 {NULL},
	 .selected = VECTOR,
	 .compressed = true},
	{"vector, one kind",
	 NULL,
	 "rx_vec_en=1,rxq_cqe_comp_en=1",
	 "udp",
	 {NULL},
	 .selected = VECTOR,
	 .compressed = true},
	{"MPRQ",
	 NULL,
	 STRIDES "rx_vec_en=0,rxq_cqe_comp_en=0",
	 "all",
	 {NULL},
	 .selected = MPRQ,
	 .known = FLAG,
	 .known2 = EXTERNAL},
	{"MPRQ, compressed",
	 NULL,
	 STRIDES "rx_vec_en=0,rxq_cqe_comp_en=1",
	 "small",
	 {"--no-hash"},
	 .selected = MPRQ,
	 .compressed = true,
	 .known = FLAG,
	 .known2 = TITLE},
	{"MPRQ vector",
	 NULL,
	 STRIDES "rx_vec_en=1,rxq_cqe_comp_en=0",
	 "all",
	 {NULL},
	 .selected = MPRQ_VEC,
	 .known = EXTERNAL},
	{"MPRQ vector, compressed",
	 NULL,
	 STRIDES "rx_vec_en=1,rxq_cqe_comp_en=1",
	 "small",
	 {NULL},
	 .selected = MPRQ_VEC,
	 .compressed = true},
	{"scalar, minis with tag",
	 NULL,
	 "rx_vec_en=0,rxq_cqe_comp_en=2",
	 "small",
	 {"--no-hash"},
	 .selected = SCALAR,
	 .compressed = true,
	 .known = FLAG,
	 .known2 = TITLE},
	{"vector, minis with tag",
	 NULL,
	 "rx_vec_en=1,rxq_cqe_comp_en=2",
	 "small",
	 {"--no-hash"},
	 .selected = VECTOR,
	 .compressed = true,
	 .known = NO_HASH},
	{"scalar, minis with checksum",
	 NULL,
	 "rx_vec_en=0,rxq_cqe_comp_en=3",
	 "small",
	 {"--no-hash"},
	 .selected = SCALAR,
	 .compressed = true,
	 .known = FLAG,
	 .known2 = TITLE},
	{"vector, minis with checksum",
	 NULL,
	 "rx_vec_en=1,rxq_cqe_comp_en=3",
	 "small",
	 {"--no-hash"},
	 .selected = VECTOR,
	 .compressed = true,
	 .known = NO_HASH},
	{"scalar, minis with header type",
	 NULL,
	 "rx_vec_en=0,rxq_cqe_comp_en=4",
	 "small",
	 {"--l34h"},
	 .selected = SCALAR,
	 .compressed = true,
	 .known = TYPE,
	 .known2 = TITLE,
	 .until = 241106},
	{"vector, minis with header type",
	 NULL,
	 "rx_vec_en=1,rxq_cqe_comp_en=4",
	 "small",
	 {"--l34h"},
	 .selected = VECTOR,
	 .compressed = true,
	 .known = NO_HASH},
	{"MPRQ vector, minis with checksum",
	 NULL,
	 STRIDES "rx_vec_en=1,rxq_cqe_comp_en=3",
	 "small",
	 {"--no-hash"},
	 .selected = MPRQ_VEC,
	 .compressed = true,
	 .known = NO_HASH},
	{"verbs, scalar",
	 "--no-devx",
	 "rx_vec_en=0,rxq_cqe_comp_en=0",
	 "small",
	 {NULL},
	 .selected = SCALAR,
	 .known = FLAG},
	{"verbs, vector, compressed",
	 "--no-devx",
	 "rx_vec_en=1,rxq_cqe_comp_en=1",
	 "small",
	 {NULL},
	 .selected = VECTOR,
	 .compressed = true},
	{"verbs, MPRQ, compressed",
	 "--no-devx",
	 STRIDES "rx_vec_en=0,rxq_cqe_comp_en=1",
	 "small",
	 {"--no-hash"},
	 .selected = MPRQ,
	 .compressed = true,
	 .known = FLAG,
	 .known2 = TITLE},
	{"verbs, MPRQ vector, compressed",
	 "--no-devx",
	 STRIDES "rx_vec_en=1,rxq_cqe_comp_en=1",
	 "small",
	 {"--no-hash"},
	 .selected = MPRQ_VEC,
	 .compressed = true,
	 .known = NO_HASH},
	{"dv_flow_en=0, 4 queues",
	 NULL,
	 "dv_flow_en=0",
	 "small",
	 {"--queues", "4"},
	 .selected = VECTOR,
	 .compressed = true,
	 .in_turn = true},
	{"dv_flow_en=1, 4 queues",
	 NULL,
	 "dv_flow_en=1",
	 "small",
	 {"--queues", "4"},
	 .selected = VECTOR,
	 .compressed = true,
	 .in_turn = true},
	{"dv_flow_en=2, 4 queues",
	 NULL,
	 "dv_flow_en=2",
	 "small",
	 {"--isolated", "--queues", "4"},
	 .selected = VECTOR,
	 .compressed = true,
	 .in_turn = true,
	 .until = 240700}, /* see refusals */
	{"verbs, 4 queues",
	 "--no-devx",
	 "dv_flow_en=0",
	 "small",
	 {"--queues", "4"},
	 .selected = VECTOR,
	 .compressed = true,
	 .in_turn = true},
	{"4 queues, MPRQ",
	 NULL,
	 STRIDES "dv_flow_en=1",
	 "small",
	 {"--queues", "4"},
	 .selected = MPRQ_VEC,
	 .compressed = true,
	 .in_turn = true},
	{"VLAN strip, vector",
	 NULL,
	 "rx_vec_en=1",
	 "small",
	 {"--vlan-strip"},
	 .selected = VECTOR,
	 .compressed = true},
	{"VLAN strip, scalar, time",
	 NULL,
	 "rx_vec_en=0",
	 "small",
	 {"--vlan-strip", "--timestamp"},
	 .selected = SCALAR,

	 .known = FLAG},
	{"FCS kept, time",
	 NULL,
	 "rx_vec_en=1,rxq_cqe_comp_en=0",
	 "small",
	 {"--keep-crc", "--timestamp"},
	 .selected = VECTOR},
	{"jumbo, several segments",
	 NULL,
	 "rxq_cqe_comp_en=0",
	 "jumbo",
	 {"--scatter"},
	 .selected = SCALAR,
	 .known = FLAG},
	{"jumbo, several segments, compressed",
	 NULL,
	 "rxq_cqe_comp_en=1",
	 "jumbo",
	 {"--scatter"},
	 .selected = SCALAR,
	 .compressed = true,
	 .known = FLAG},
	{"several strides, vector",
	 NULL,
	 STRIDES "mprq_log_stride_size=8,rx_vec_en=1",
	 "all",
	 {NULL},
	 .selected = MPRQ_VEC,
	 .compressed = true,
	 .in_turn = true,
	 .known = EXTERNAL},
	{"jumbo, several strides",
	 NULL,
	 STRIDES "mprq_log_stride_size=8,mprq_log_stride_num=9,rx_vec_en=0",
	 "jumbo",
	 {"--mbuf", "9216", "--no-hash"},
	 .selected = MPRQ,
	 .compressed = true,
	 .in_turn = true,
	 .known = FLAG,
	 .known2 = EXTERNAL},
	{"mark, scalar",
	 NULL,
	 "dv_flow_en=1,rx_vec_en=0,rxq_cqe_comp_en=0",
	 "all",
	 {"--mark", "0xffffef"}, /* the last that the driver takes */
	 .selected = SCALAR,
	 .known = FLAG},
	{"mark 0, vector",
	 NULL,
	 "dv_flow_en=1,rx_vec_en=1,rxq_cqe_comp_en=0",
	 "all",
	 {"--mark", "0"},
	 .selected = VECTOR},
	{"mark, vector, compressed",
	 NULL,
	 "dv_flow_en=1,rx_vec_en=1,rxq_cqe_comp_en=1",
	 "small",
	 {"--mark", "0x123456"},
	 .selected = VECTOR,
	 .compressed = true},
	{"mark, scalar, minis with tag",
	 NULL,
	 "dv_flow_en=1,rx_vec_en=0,rxq_cqe_comp_en=2",
	 "small",
	 {"--mark", "0x123456", "--no-hash"},
	 .selected = SCALAR,
	 .compressed = true,
	 .known = FLAG,
	 .known2 = TITLE},
	{"mark, vector, minis with tag",
	 NULL,
	 "dv_flow_en=1,rx_vec_en=1,rxq_cqe_comp_en=2",
	 "small",
	 {"--mark", "0x123456", "--no-hash"},
	 .selected = VECTOR,
	 .compressed = true,
	 .known = NO_HASH},
	{"mark, MPRQ vector, minis with tag",
	 NULL,
	 STRIDES "dv_flow_en=1,rx_vec_en=1,rxq_cqe_comp_en=2",
	 "small",
	 {"--mark", "0x123456", "--no-hash"},
	 .selected = MPRQ_VEC,
	 .compressed = true,
	 .known = NO_HASH},
	{"mark, 4 queues",
	 NULL,
	 "dv_flow_en=1",
	 "small",
	 {"--mark", "7", "--queues", "4"},
	 .selected = VECTOR,
	 .compressed = true,
	 .in_turn = true},
	{"mark, isolated",
	 NULL,
	 "dv_flow_en=1,rx_vec_en=1,rxq_cqe_comp_en=0",
	 "all",
	 {"--mark", "7", "--isolated"},
	 .selected = VECTOR},
};
#define MODES ((int)(sizeof(modes) / sizeof(modes[0])))

static uint64_t packets_each(void)
{
	return getenv("CQESIM_LONG")    ? UINT64_C(1000000000)
	       : getenv("CQESIM_SHORT") ? UINT64_C(100000)
					: UINT64_C(10000000);
}

static const char *program(void)
{
	return TEST_BUILDDIR "/tests/card_mbuf";
}

static bool possible(const char *test)
{
	if (access(program(), X_OK)) {
		test_skip(test, "built without DPDK");
		return false;
	}
	if (system("ls /usr/lib/*/librte_net_mlx5.so.* /usr/lib*/librte_net_mlx5.so.* "
		   "/usr/local/lib/*/librte_net_mlx5.so.* 2>/dev/null | grep -q .")) {
		test_skip(test, "DPDK's mlx5 driver is not installed");
		return false;
	}
	struct output o = cli("card", "--no-eal-args", "--", "true");
	bool library = o.code == 0;

	output_free(&o);
	if (!library)
		test_skip(test, "libcqesim-card.so was not built");
	else if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		test_skip(test, "driver and card take a CPU each");
	return library && sysconf(_SC_NPROCESSORS_ONLN) >= 2;
}

/* Any CPU but the first that we may use: the card's thread takes another. */
static const char *worker_cpu(void)
{
	static char text[16];
	cpu_set_t set;
	int last = 0;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			last = i;
	snprintf(text, sizeof(text), "%d", last);
	return text;
}

static struct output run(const struct mode *m, const char *fault, uint64_t packets,
			 const char *report)
{
	char count[32], source[64];
	/* Nobody tells an isolated port's card that there will be rules. */
	const char *wait = strstr(m->name, "isolated") ? "2" : "0.2";
	const char *args[CLI_ARGS_MAX + 1] = {"card",     "--cqe-comp", "aggressive", "--wait",
					      wait,       "--rate",     "posted",     "--source",
					      source,     "--limit",    count,        "--devargs",
					      m->devargs, "--json",     "--output",   report};
	unsigned n = 16;

	snprintf(count, sizeof(count), "%llu", (unsigned long long)packets);
	snprintf(source, sizeof(source), "numbered:%s", m->mix);
	if (m->launcher)
		args[n++] = m->launcher;
	if (fault) {
		args[n++] = "--fault";
		args[n++] = fault;
	}
	const char *rest[] = {"--",   program(),   "-l",  worker_cpu(),    "--",  "--mix",
			      m->mix, "--packets", count, "--descriptors", "4096"};
	for (unsigned i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		args[n++] = rest[i];
	for (unsigned i = 0; i < 5 && m->options[i]; i++)
		args[n++] = m->options[i];
	if (fault) { /* what is missing will not come */
		args[n++] = "--idle";
		args[n++] = "1";
	}
	return cli_args(NULL, args);
}

static uint64_t number_after(const char *text, const char *words)
{
	const char *at = strstr(text, words);

	return at ? strtoull(at + strlen(words), NULL, 10) : 0;
}

/* The driver that is met; 0: not told. */
static unsigned version(void)
{
	char command[PATH_MAX], text[64] = "";
	unsigned year = 0, month = 0, minor = 0;

	snprintf(command, sizeof(command), "'%s' --version", program());
	FILE *f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert(fgets(text, sizeof(text), f) != NULL);
	ck_assert_int_eq(pclose(f), 0);
	ck_assert_int_eq(sscanf(text, "driver: DPDK %u.%u.%u", &year, &month, &minor), 3);
	return year * 10000 + month * 100 + minor;
}

/* Is the way one of this driver? */
static bool of_version(const struct mode *m, const char *name)
{
	if (version() < m->since) {
		test_skip(name, "the driver is older");
		return false;
	}
	return !m->until || version() < m->until;
}

/* The scalar function of 22.11 cuts the consumer index to 16 bits after a session. */
static bool cuts_index(const struct mode *m, unsigned driver)
{
	return driver < 230300 && m->compressed &&
	       (!strcmp(m->selected, SCALAR) || !strcmp(m->selected, MPRQ));
}

/* The card's own report of the same run. */
static void check_report(const struct mode *m, const char *path, uint64_t packets, const char *told)
{
	json_error_t error;
	json_t *doc = json_load_file(path, 0, &error);
	uint64_t received = number_after(told, "result: ");

	ck_assert_msg(doc != NULL, "%s", error.text);
	ck_assert_uint_eq(count_at(doc, "received.delivered"), received);
	ck_assert_uint_eq(count_at(doc, "received.lost.all"), packets - received);
	ck_assert_msg((count_at(doc, "completions.sessions") > packets / 1000) == m->compressed,
		      "%s: %llu sessions", m->name,
		      (unsigned long long)count_at(doc, "completions.sessions"));
	ck_assert_uint_eq(driver_version(doc), version());
	if (count_at(doc, "rules.violations"))
		ck_assert_msg(cuts_index(m, driver_version(doc)) &&
				      strstr(json_string_value(at(doc, "rules.first")), "cq_bits"),
			      "%s: %s", m->name, json_string_value(at(doc, "rules.first")));
	json_decref(doc);
	unlink(path);
}

START_TEST(mode)
{
	const struct mode *m = _i < MODES ? &modes[_i] : &later_modes[_i - MODES];
	uint64_t packets = packets_each();
	char report[PATH_MAX], name[100], selected[100];

	snprintf(name, sizeof(name), "card_dpdk: %s", m->name);
	if (!possible(name) || !of_version(m, name))
		return;
	snprintf(report, sizeof(report), "%s/mbuf.%d", test_tmpdir(), getpid());
	struct output o = run(m, NULL, packets, report);
	ck_assert_msg(o.code == 0, "%s: exit %d, signal %d\n%s%s", m->name, o.code, o.signal, o.out,
		      o.err);
	snprintf(selected, sizeof(selected), "mode: %s", m->selected);
	ck_assert_msg(strstr(o.out, selected) != NULL, "%s: not \"%s\" but\n%s", m->name, selected,
		      o.out);
	ck_assert_msg(strstr(o.out, " 0 differences,") != NULL, "%s", o.out);
	/* As fast as buffers are posted; but the queue for a packet may be the one without. */
	if (!m->in_turn)
		ck_assert_uint_eq(number_after(o.out, "result: "), packets);
	else
		ck_assert_uint_gt(number_after(o.out, "result: "), packets / 2);
	/* What is known of the driver is seen, so it is still so; nothing else is let pass. */
	ck_assert_msg(!m->known || strstr(o.out, m->known), "%s: no %s in\n%s", m->name, m->known,
		      o.out);
	ck_assert_msg(!m->known2 || strstr(o.out, m->known2), "%s: no %s in\n%s", m->name,
		      m->known2, o.out);
	ck_assert_msg(m->known || !strstr(o.out, "known:"), "%s:\n%s", m->name, o.out);
	check_report(m, report, packets, o.out);
	output_free(&o);
}
END_TEST

static const struct {
	const char *kind, *sign;
} faults[] = {
	{"owner@5000", "incomplete:"},     {"mini_format@5000", "differs: hash"},
	{"stale_array@5000", "differs: "}, {"lost_completion@5000", "incomplete:"},
	{"early_title@5000", "differs: "},
};
#define FAULTS ((int)(sizeof(faults) / sizeof(faults[0])))

/* Each mistake of the card is noticed; vector and scalar, plain where that is possible. */
START_TEST(fault)
{
	static const struct mode ways[] = {
		{"vector",
		 NULL,
		 "rx_vec_en=1,rxq_cqe_comp_en=1",
		 "small",
		 {NULL},
		 .selected = VECTOR},
		{"scalar",
		 NULL,
		 "rx_vec_en=0,rxq_cqe_comp_en=1",
		 "small",
		 {NULL},
		 .selected = SCALAR},
		{"plain",
		 NULL,
		 "rx_vec_en=1,rxq_cqe_comp_en=0",
		 "small",
		 {NULL},
		 .selected = VECTOR},
	};
	char report[PATH_MAX];

	if (!possible("card_dpdk: faults on purpose"))
		return;
	snprintf(report, sizeof(report), "%s/fault.%d", test_tmpdir(), getpid());
	bool any_entry = !strncmp(faults[_i].sign, "incomplete", 10);
	for (int w = 0; w < (any_entry ? 3 : 2); w++) {
		struct output o = run(&ways[w], faults[_i].kind, 20000, report);

		ck_assert_msg(o.code != 0 && strstr(o.out, faults[_i].sign),
			      "%s, %s: exit %d, not noticed\n%s%s", faults[_i].kind, ways[w].name,
			      o.code, o.out, o.err);
		output_free(&o);
		unlink(report);
	}
}
END_TEST

/*
 * doc/findings.md: a packet that is copied has the title's flag that says that it is not; freed,
 * it is no packet.  And steering by hardware of a card that has it not.
 */
START_TEST(refusals)
{
	static const struct mode crash = {"enhanced, MPRQ vector, not all copied",
					  "--device=connectx-6-dx",
					  STRIDES "rx_vec_en=1,rxq_cqe_comp_en=0x81",
					  "all",
					  {"--enhanced"},
					  .since = 230300};
	static const struct mode hws = {"dv_flow_en=2", NULL,   "dv_flow_en=2",
					"small",        {NULL}, .since = 240700};
	static const struct mode layout = {"enhanced layout of a ConnectX-5",
					   NULL,
					   "rxq_cqe_comp_en=0x81",
					   "small",
					   {NULL},
					   .since = 230300};
	char report[PATH_MAX];

	if (!possible("card_dpdk: what a later driver refuses") ||
	    !of_version(&hws, "card_dpdk: what a later driver refuses"))
		return;
	snprintf(report, sizeof(report), "%s/refused.%d", test_tmpdir(), getpid());
	struct output o = run(&hws, NULL, 1000, report);
	ck_assert_msg(o.code == 1, "exit %d: %s%s", o.code, o.out, o.err);
	has(o.err, "HWS is not supported");
	output_free(&o);
	o = run(&layout, NULL, 1000, report);
	ck_assert_msg(o.code == 0, "exit %d: %s%s", o.code, o.out, o.err);
	has(o.err, "Enhanced CQE compression isn't supported.");
	has(o.out, " 0 differences,");
	output_free(&o);
	o = run(&crash, NULL, 20000, report);
	ck_assert_msg(o.code == 128 + SIGSEGV, "exit %d: %s%s", o.code, o.out, o.err);
	output_free(&o);
	unlink(report);
}
END_TEST

START_TEST(usage)
{
	fails(cli("card", "--fault", "owner@x", "--", "true"), 2, "--fault owner@x", NULL);
	fails(cli("card", "--fault", "gremlin", "--", "true"), 2, "--fault gremlin", "stale_array");
	fails(cli("card", "--source", "numbered:none", "--", "true"), 2, "numbered:none", "jumbo");
}
END_TEST

Suite *suite_card_dpdk(void)
{
	Suite *suite = suite_create("card_dpdk");
	TCase *tc = tcase_create("modes"), *wrong = tcase_create("faults");

	tcase_set_timeout(tc, getenv("CQESIM_LONG") ? 7200 : 300);
	tcase_add_test(tc, usage);
	tcase_add_test(tc, refusals);
	tcase_add_loop_test(tc, mode, 0, MODES + later_modes_count);
	suite_add_tcase(suite, tc);
	tcase_set_timeout(wrong, 60);
	tcase_add_loop_test(wrong, fault, 0, FAULTS);
	suite_add_tcase(suite, wrong);
	return suite;
}
