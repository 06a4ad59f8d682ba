/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error completions put in on purpose, and what DPDK's packaged driver makes of them:
 * its counters, its dump files (read by cqesim decode), whether packets go on.
 *
 * PMD 22.11.11 resets a receive queue for syndromes 2, 4 and 5 and passes over others;
 * it writes a dump file for a reset.  A send queue is recovered for all but 5.
 */
#include "card_run.h"

static char dumps[PATH_MAX];

static void dump_folder(void)
{
	snprintf(dumps, sizeof(dumps), "%s/dumps.%d", test_tmpdir(), getpid());
	mkdir(dumps, 0700);
}

/* The one dump file whose name has this in it; *count: how many files there are. */
static bool dump_file(const char *word, char path[2 * PATH_MAX], unsigned *count)
{
	DIR *folder = opendir(dumps);
	struct dirent *entry;
	bool found = false;

	*count = 0;
	while (folder && (entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		++*count;
		if (strstr(entry->d_name, word)) {
			snprintf(path, 2 * PATH_MAX, "%s/%s", dumps, entry->d_name);
			found = true;
		}
	}
	if (folder)
		closedir(folder);
	return found;
}

static void remove_dumps(void)
{
	char path[2 * PATH_MAX];
	unsigned n;

	while (dump_file("dpdk_mlx5", path, &n))
		unlink(path);
	rmdir(dumps);
}

struct injected {
	const char *devargs, *mode;
	const char *inject[12];
};

/* testpmd's output, whose last statistics are of when all packets had come. */
static struct output run(const struct injected *i, json_t **doc)
{
	char report[PATH_MAX];
	const char *args[64] = {
		"card", "--limit",    "20k", "--rate",    "posted",   "--wait",
		"0.3",  "--duration", "2.3", "--check",   "--json",   "--output",
		report, "--dumps",    dumps, "--devargs", i->devargs,
	};
	static const char *const program[] = {"--",        "dpdk-testpmd", "-l",
					      "0,1",       "--",           "--total-num-mbufs=8192",
					      "--rxd=512", "--txd=512",    "--stats-period",
					      "1"};
	json_error_t error;
	unsigned n = 17;

	snprintf(report, sizeof(report), "%s/report.%d", test_tmpdir(), getpid());
	dump_folder();
	for (unsigned k = 0; i->inject[k]; k++) {
		args[n++] = "--inject";
		args[n++] = i->inject[k];
	}
	for (unsigned k = 0; k < sizeof(program) / sizeof(program[0]); k++)
		args[n++] = program[k];
	args[n++] = i->mode;
	args[n] = NULL;
	struct output o = cli_args(NULL, args);

	ck_assert_msg(o.code == 0, "exit %d, %s%s", o.code, o.out, o.err);
	has(o.out, "Bye...");
	ck_assert_uint_eq(left_over(), 0);
	*doc = json_load_file(report, 0, &error);
	ck_assert_msg(*doc != NULL, "%s", error.text);
	unlink(report);
	return o;
}

/* The last number that testpmd printed behind these words. */
static uint64_t last(const char *text, const char *words)
{
	const char *found = NULL;

	for (const char *at = text; (at = strstr(at, words)); at++)
		found = at;
	ck_assert_msg(found != NULL, "no %s in\n%s", words, text);
	return strtoull(found + strlen(words), NULL, 10);
}

#define PASSED_OVER                                                                                \
	"1@100", "6@200", "0x10@300", "0x11@400", "0x12@500", "0x13@600", "0x14@700", "0x15@800",  \
		"0x16@900", "0x22@1000"

/* Errors that leave the queue alone: each costs its packet and counts as one. */
static void passed_over(const char *devargs)
{
	const struct injected i = {devargs, "--forward-mode=rxonly", {PASSED_OVER}};
	char path[2 * PATH_MAX];
	json_t *doc;
	unsigned files;
	struct output o = run(&i, &doc);

	ck_assert_uint_eq(count_at(doc, "injected"), 10);
	ck_assert_uint_eq(count_at(doc, "received.lost.protection_error"), 10);
	ck_assert_uint_eq(count_at(doc, "received.lost.all"), 10);
	ck_assert_uint_eq(count_at(doc, "received.delivered"), 19990);
	ck_assert_uint_eq(count_at(doc, "rules.violations"), 0);
	ck_assert_uint_eq(last(o.out, "RX-packets: "), 19990);
	ck_assert_uint_eq(last(o.out, "RX-errors: "), 10);
	dump_file("dpdk", path, &files);
	ck_assert_uint_eq(files, 0);
	json_decref(doc);
	output_free(&o);
	remove_dumps();
}

START_TEST(passed_over_vector)
{
	if (has_testpmd("card errors, vector"))
		passed_over("rx_vec_en=1");
}
END_TEST

START_TEST(passed_over_mprq_vector)
{
	if (has_testpmd("card errors, MPRQ vector"))
		passed_over("rx_vec_en=1,mprq_en=1,rxqs_min_mprq=1");
}
END_TEST

/* Decode finds the error that is no flush, by name. */
static void decodes(const char *path, const char *name, const char *direction)
{
	char words[64];
	struct output o = cli("decode", path);

	ck_assert_msg(o.code == 0, "exit %d: %s", o.code, o.err);
	snprintf(words, sizeof(words), "(%s, syndrome", name);
	has(o.out, words);
	has(o.out, direction);
	output_free(&o);
}

/* Errors that stop the queue: it is reset, a dump file is written, and packets go on. */
static void recovers(const char *devargs)
{
	static const char *const name[] = {"LOCAL_QP_OP_ERR", "LOCAL_PROT_ERR"};
	struct injected i = {devargs, "--forward-mode=io", {"2@5000", "1@1000,sq=0"}};
	char path[2 * PATH_MAX];
	json_t *doc;
	unsigned files;

	for (unsigned k = 0; k < 2; k++) {
		i.inject[0] = k ? "4@5000" : "2@5000";
		struct output o = run(&i, &doc);
		uint64_t delivered = count_at(doc, "received.delivered");

		ck_assert_uint_eq(count_at(doc, "injected"), 2);
		ck_assert_uint_eq(count_at(doc, "received.lost.protection_error"), 1);
		/* What arrives until it is ready again. */
		ck_assert_uint_eq(delivered + count_at(doc, "received.lost.all"), 20000);
		ck_assert_uint_gt(delivered, 19000);
		ck_assert_uint_eq(count_at(doc, "rules.violations"), 0);
		ck_assert_uint_eq(last(o.out, "RX-packets: "), delivered);
		ck_assert_uint_ge(last(o.out, "RX-errors: "), 1);
		ck_assert_uint_eq(count_at(doc, "sent.errors"), 1);
		ck_assert_uint_gt(count_at(doc, "sent.packets"), 15000);
		ck_assert_uint_ge(last(o.out, "TX-errors: "), 1);
		ck_assert(dump_file("_rxq_", path, &files));
		ck_assert_uint_eq(files, 2);
		decodes(path, name[k], "on receive queue");
		ck_assert(dump_file("_txq_", path, &files));
		decodes(path, "LOCAL_LENGTH_ERR", "on send queue");
		json_decref(doc);
		output_free(&o);
		remove_dumps();
	}
}

START_TEST(recovers_scalar)
{
	if (has_testpmd("card errors, scalar"))
		recovers("rx_vec_en=0");
}
END_TEST

START_TEST(recovers_mprq)
{
	if (has_testpmd("card errors, MPRQ"))
		recovers("rx_vec_en=0,mprq_en=1,rxqs_min_mprq=1");
}
END_TEST

/* doc/findings.md: the vector function does not come back; nothing crashes, closing works. */
START_TEST(vector_stays_away)
{
	const struct injected i = {"rx_vec_en=1", "--forward-mode=rxonly", {"4@5000"}};
	char path[2 * PATH_MAX];
	json_t *doc;
	unsigned files;

	if (!has_testpmd("card errors, vector reset"))
		return;
	struct output o = run(&i, &doc);
	ck_assert_uint_eq(last(o.out, "RX-packets: "), 4999);
	ck_assert(dump_file("_rxq_", path, &files));
	decodes(path, "LOCAL_PROT_ERR", "on receive queue");
	json_decref(doc);
	output_free(&o);
	remove_dumps();
}
END_TEST

Suite *suite_card_errors_dpdk(void)
{
	Suite *suite = suite_create("card_errors_dpdk");
	TCase *tc = tcase_create("errors");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, passed_over_vector);
	tcase_add_test(tc, passed_over_mprq_vector);
	tcase_add_test(tc, recovers_scalar);
	tcase_add_test(tc, recovers_mprq);
	tcase_add_test(tc, vector_stays_away);
	suite_add_tcase(suite, tc);
	return suite;
}
