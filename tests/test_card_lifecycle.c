/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqesim card: start and stop, over and over, programs and launchers that are killed,
 * and packets that come back in order.  CQESIM_LONG=1: a thousand times.
 */
#include <signal.h>

#include "card_run.h"

static bool is_long(void)
{
	return getenv("CQESIM_LONG") != NULL;
}

/* Where programs leave things behind. */
static unsigned elsewhere(void)
{
	return entries("/dev/shm") + entries("/run/dpdk") + entries("/var/run/dpdk");
}

static const char *built(const char *name)
{
	static char path[PATH_MAX];
	const char *slash = strrchr(cli_program(), '/');

	snprintf(path, sizeof(path), "%.*s/tests/%s", slash ? (int)(slash - cli_program()) : 1,
		 slash ? cli_program() : ".", name);
	return access(path, X_OK) ? NULL : path;
}

static const char *program(void)
{
	return built("card_lifecycle");
}

START_TEST(rounds)
{
	if (!has_driver("card lifecycle"))
		return;
	if (!program()) {
		test_skip("card lifecycle", "tests/card_lifecycle was not built");
		return;
	}
	const char *n = is_long() ? "1000" : "20";
	unsigned before = elsewhere();
	json_t *doc = NULL;
	json_error_t error;
	char report[PATH_MAX];
	snprintf(report, sizeof(report), "%s/report.%d", test_tmpdir(), getpid());
	struct output o = cli("card", "--check-order", "--check", "--rate", "100kpps", "--mac",
			      "02:00:00:00:00:99", "--devargs", "rx_vec_en=0", "--json", "--output",
			      report, "--", program(), "-l", "1", "--", n);

	ck_assert_msg(o.code == 0, "exit %d: %s%s", o.code, o.out, o.err);
	has(o.out, " 0 mbufs not given back");
	output_free(&o);
	doc = json_load_file(report, 0, &error);
	ck_assert_msg(doc != NULL, "%s", error.text);
	unlink(report);
	ck_assert_uint_eq(count_at(doc, "rules.violations"), 0);
	ck_assert_uint_eq(count_at(doc, "order.out_of_order"), 0);
	ck_assert_uint_gt(count_at(doc, "order.sent"), 4 * 64 * strtoul(n, NULL, 10) / 2);
	ck_assert_uint_eq(count_at(doc, "setup.regions"), 0);
	json_decref(doc);
	ck_assert_uint_eq(left_over(), 0);
	ck_assert_uint_eq(elsewhere(), before);
}
END_TEST

/* The program is killed at any time: the launcher tells and tidies up. */
START_TEST(kill_program)
{
	if (!has_testpmd("card kill -9"))
		return;
	unsigned before = elsewhere(), n = is_long() ? 1000 : 6;

	for (unsigned i = 0; i < n; i++) {
		char script[256];

		snprintf(script, sizeof(script),
			 "dpdk-testpmd \"$@\" >/dev/null 2>&1 </dev/null & sleep 0.%02u; kill -9 "
			 "$!; "
			 "wait $!",
			 (i * 37) % 100);
		struct output o = cli("card", "--no-eal-args", "--", "bash", "-c", script, "bash",
				      "-l", "0,1", "--no-huge", "-m", "256", "--iova-mode=va", "-a",
				      "0000:c1:00.0", "--", "--forward-mode=rxonly",
				      "--total-num-mbufs=4096", "--stats-period", "1");
		ck_assert_msg(o.code == 128 + SIGKILL, "exit %d: %s", o.code, o.err);
		ck_assert_uint_eq(left_over(), 0);
		output_free(&o);
	}
	ck_assert_uint_eq(elsewhere(), before);
}
END_TEST

/* The launcher is: the program goes on, and the next launcher tidies up when that has ended. */
START_TEST(kill_launcher)
{
	char started[PATH_MAX], script[PATH_MAX + 64];

	if (!has_library("card kill -9 of the launcher"))
		return;
	snprintf(started, sizeof(started), "%s/started.%d", test_tmpdir(), getpid());
	snprintf(script, sizeof(script), "echo $$ >%s; exec sleep 60", started);
	for (unsigned i = 0; i < (is_long() ? 1000 : 5); i++) {
		const char *args[] = {"card", "--no-eal-args", "--", "sh", "-c", script, NULL};
		struct output o = {0};
		int child = 0;

		pid_t pid =
			cli_start(&(struct streams){.out = "/dev/null", .err = "/dev/null"}, args);
		for (int wait = 0; !child && wait < 1000; wait++) {
			FILE *f = fopen(started, "r");

			if (f) {
				if (fscanf(f, "%d", &child) != 1)
					child = 0;
				fclose(f);
			}
			usleep(5000);
		}
		ck_assert_int_gt(child, 0);
		kill(pid, SIGKILL);
		cli_wait(pid, &o);
		ck_assert_uint_eq(left_over(), 1);
		kill(child, SIGKILL);
		unlink(started);
		for (int wait = 0; !kill(child, 0) && wait < 200; wait++)
			usleep(5000);
		o = cli("card", "--no-eal-args", "--", "true");
		output_free(&o);
		ck_assert_uint_eq(left_over(), 0);
	}
}
END_TEST

/* The io loop: nothing is lost that testpmd does not count, nothing out of order. */
START_TEST(loop)
{
	char report[PATH_MAX];
	json_error_t error;

	if (!has_testpmd("card io loop"))
		return;
	snprintf(report, sizeof(report), "%s/report.%d", test_tmpdir(), getpid());
	struct output o =
		cli("card", "--sink", "loop", "--check-order", "--wait", "0.3", "--rate", "posted",
		    "--limit", "200", "--duration", is_long() ? "60" : "2", "--json", "--output",
		    report, "--", "dpdk-testpmd", "-l", "0,1", "--", "--forward-mode=io",
		    "--total-num-mbufs=8192", "--rxd=512", "--txd=1024", "--stats-period", "1");
	ck_assert_msg(o.code == 0, "exit %d: %s%s", o.code, o.out, o.err);
	json_t *doc = json_load_file(report, 0, &error);
	ck_assert_msg(doc != NULL, "%s", error.text);
	unlink(report);
	uint64_t received = 0, sent = 0, dropped = 0;
	const char *end = strstr(o.out, "Accumulated forward statistics");
	ck_assert_ptr_nonnull(end);
	ck_assert_int_eq(sscanf(strstr(end, "RX-packets:"), "RX-packets: %lu", &received), 1);
	ck_assert_int_eq(sscanf(strstr(end, "TX-packets:"), "TX-packets: %lu", &sent), 1);
	ck_assert_int_eq(sscanf(strstr(end, "TX-dropped:"), "TX-dropped: %lu", &dropped), 1);
	uint64_t delivered = count_at(doc, "received.delivered");
	ck_assert_uint_eq(received, sent + dropped);
	ck_assert_uint_eq(count_at(doc, "received.lost.all"), 0);
	/* What lies in the rings when it stops is in neither's counters. */
	ck_assert_uint_ge(delivered, received);
	ck_assert_uint_le(delivered - received, 512);
	ck_assert_uint_eq(count_at(doc, "order.numbered"), delivered);
	ck_assert_uint_le(count_at(doc, "order.sent"), sent);
	ck_assert_uint_ge(count_at(doc, "order.sent") + 1024, sent);
	ck_assert_uint_eq(count_at(doc, "order.out_of_order"), 0);
	ck_assert_uint_gt(sent, 10000);
	json_decref(doc);
	output_free(&o);
	ck_assert_uint_eq(left_over(), 0);
}
END_TEST

/* A queue that the program made by verbs, mapped as an external one into DPDK's port. */
START_TEST(own_queue)
{
	char report[PATH_MAX];
	json_error_t error;

	if (!has_driver("card, a queue of the program's own"))
		return;
	const char *external = built("card_external");
	if (!external) {
		test_skip("card, a queue of the program's own",
			  "DPDK's driver could not be linked to, or has no external queues");
		return;
	}
	snprintf(report, sizeof(report), "%s/report.%d", test_tmpdir(), getpid());
	struct output o = cli("card", "--check", "--cqe-comp", "aggressive", "--source",
			      "numbered:udp", "--rate", "posted", "--limit", "20k", "--json",
			      "--output", report, "--", external, "-l", "1", "-a", "0000:00:00.0",
			      "--", "20000", _i ? "compressed" : NULL);
	ck_assert_msg(o.code == 0, "exit %d: %s%s", o.code, o.out, o.err);
	has(o.out, "received 20000 of 20000 in a queue of our own");
	ck_assert_int_eq(strstr(o.out, ", 0 sessions") == NULL, _i);
	output_free(&o);
	json_t *doc = json_load_file(report, 0, &error);
	ck_assert_msg(doc != NULL, "%s", error.text);
	unlink(report);
	ck_assert_uint_eq(count_at(doc, "rules.violations"), 0);
	ck_assert_uint_eq(count_at(doc, "setup.regions"), 0);
	ck_assert_uint_eq(count_at(doc, "received.delivered"), 20000);
	json_decref(doc);
	ck_assert_uint_eq(left_over(), 0);
}
END_TEST

/* A program that sleeps until its queues have something: DevX and verbs, plain and compressed. */
START_TEST(sleeper)
{
	static const char *const ways[] = {"--cqe-comp=off", "--cqe-comp=aggressive", "--no-devx"};
	char report[PATH_MAX];
	json_error_t error;

	if (!has_driver("card, a program that sleeps"))
		return;
	const char *program = built("card_sleeper");
	if (!program) {
		test_skip("card, a program that sleeps", "tests/card_sleeper was not built");
		return;
	}
	snprintf(report, sizeof(report), "%s/report.%d", test_tmpdir(), getpid());
	struct output o = cli("card", ways[_i], "--source", "numbered:udp", "--wait", "1", "--rate",
			      "2kpps", "--limit", "2k", "--json", "--output", report, "--", program,
			      "-l", "1", "--", "2000");
	ck_assert_msg(o.code == 0, "exit %d: %s%s", o.code, o.out, o.err);
	const char *told = strstr(o.out, "received ");
	ck_assert_ptr_nonnull(told);
	uint64_t received = strtoull(told + strlen("received "), NULL, 10);
	output_free(&o);
	json_t *doc = json_load_file(report, 0, &error);
	ck_assert_msg(doc != NULL, "%s", error.text);
	unlink(report);
	/* What came before the driver had told where to, or on a busy machine, is counted. */
	ck_assert_uint_eq(received + count_at(doc, "received.lost.all"), 2000);
	ck_assert_uint_gt(received, 1000);
	ck_assert_uint_gt(count_at(doc, "received.events"), 10);
	json_decref(doc);
}
END_TEST

Suite *suite_card_lifecycle(void)
{
	Suite *suite = suite_create("card_lifecycle");
	TCase *tc = tcase_create("lifecycle");

	tcase_set_timeout(tc, 7200);
	tcase_add_test(tc, rounds);
	tcase_add_test(tc, kill_program);
	tcase_add_test(tc, kill_launcher);
	tcase_add_test(tc, loop);
	tcase_add_loop_test(tc, own_queue, 0, 2);
	tcase_add_loop_test(tc, sleeper, 0, 3);
	suite_add_tcase(suite, tc);
	return suite;
}
