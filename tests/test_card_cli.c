/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim card: the launcher with shell programs, and DPDK's testpmd on the card. */
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "card_run.h"
#include "chapter.h"

START_TEST(usage)
{
	folders();
	fails(cli("card"), 2, "expected a program", NULL);
	fails(cli("card", "--"), 2, "expected a program", NULL);
	fails(cli("card", "--no-such", "--", "true"), 2, "--no-such", NULL);
	fails(cli("card", "--rate"), 2, "--rate", "needs a value");
	fails(cli("card", "--rate", "fast", "--", "true"), 2, "rate", "fast");
	fails(cli("card", "--source", "-", "--", "true"), 2, "--source -", "the program's");
	fails(cli("card", "--source", "synthetic:frame=1", "--", "true"), 2, "frame=1", NULL);
	fails(cli("card", "--source", "/nowhere.pcap", "--", "true"), 1, "/nowhere.pcap", NULL);
	fails(cli("card", "--source", "none", "--limit", "3", "--", "true"), 2, "--limit",
	      "need a --source");
	fails(cli("card", "--set", "mps", "--", "true"), 2, "--set mps", "KEY=VALUE");
	fails(cli("card", "--set", "colour=red", "--", "true"), 2, "colour=red", NULL);
	fails(cli("card", "--set", "mps=100", "--", "true"), 2, "mps", NULL);
	fails(cli("card", "--device", "intel-e810", "--", "true"), 2, "intel-e810", "mlx5");
	fails(cli("card", "--device", "connectx-99", "--", "true"), 1, "connectx-99", NULL);
	fails(cli("card", "--link", "gen9x1", "--", "true"), 1, "gen9x1", NULL);
	fails(cli("card", "--time-scale", "0", "--", "true"), 2, "--time-scale 0", NULL);
	fails(cli("card", "--duration", "soon", "--", "true"), 2, "--duration soon", NULL);
	fails(cli("card", "--cpu", "x", "--", "true"), 2, "--cpu x", NULL);
	fails(cli("card", "--limit", "0", "--", "true"), 2, "--limit 0", NULL);
	fails(cli("card", "--cqe-comp", "most", "--", "true"), 2, "--cqe-comp most", "balanced");
	fails(cli("card", "--sink", "-", "--", "true"), 2, "--sink -", NULL);
	fails(cli("card", "--trace", "/nonexistent/x", "--", "true"), 1, "/nonexistent/x", NULL);
	fails(cli("card", "--trace", "/tmp", "--", "true"), 1, "/tmp", "directory");
	fails(cli("card", "--sink", "/nonexistent/x", "--", "true"), 1, "/nonexistent/x", NULL);
	fails(cli("card", "--time-scale", "1e-9", "--", "true"), 2, "--time-scale", "0.001");
	fails(cli("card", "--mac", "03:00:00:00:00:01", "--", "true"), 2, "--mac 03", NULL);
	fails(cli("card", "--mac", "02:0:0", "--", "true"), 2, "--mac 02:0:0", NULL);
	fails(cli("card", "--inject", "4", "--", "true"), 2, "--inject 4", "SYNDROME@PACKET");
	fails(cli("card", "--inject", "0@5", "--", "true"), 2, "--inject 0@5", NULL);
	fails(cli("card", "--inject", "256@5", "--", "true"), 2, "--inject 256@5", NULL);
	fails(cli("card", "--inject", "4@0", "--", "true"), 2, "--inject 4@0", NULL);
	fails(cli("card", "--inject", "4@5,tq=1", "--", "true"), 2, "--inject 4@5,tq=1", NULL);
	fails(cli("card", "--dumps", "/nowhere", "--", "true"), 2, "--dumps /nowhere", NULL);
	fails(cli("card", "--devargs", "a=1", "--no-eal-args", "--", "true"), 2, "--devargs", NULL);
	ck_assert_uint_eq(left_over(), 0);
}
END_TEST

START_TEST(statuses)
{
	if (!has_library("card statuses"))
		return;
	static const struct {
		const char *script;
		int code;
	} ends[] = {{"exit 0", 0},
		    {"exit 7", 7},
		    {"kill -TERM $$", 128 + SIGTERM},
		    {"kill -KILL $$", 128 + SIGKILL},
		    {"kill -SEGV $$", 128 + SIGSEGV}};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct output o = cli("card", "--no-eal-args", "--", "sh", "-c", ends[i].script);

		ck_assert_msg(o.code == ends[i].code, "%s: %d, %s", ends[i].script, o.code, o.err);
		has(o.out, "never asked for an RDMA device");
		ck_assert_uint_eq(left_over(), 0);
		output_free(&o);
	}
	fails(cli("card", "--", "/nowhere/testpmd"), 1, "/nowhere/testpmd", "cannot be started");
	ck_assert_uint_eq(left_over(), 0);
	setenv("CQESIM_CARD_LIBRARY", "/nowhere.so", 1);
	fails(cli("card", "--", "true"), 1, "CQESIM_CARD_LIBRARY", "/nowhere.so");
}
END_TEST

/* What the program finds: variables, and the files that DPDK reads. */
START_TEST(surroundings)
{
	if (!has_library("card surroundings"))
		return;
	struct output o = cli(
		"card", "--no-eal-args", "--json", "--output", "/dev/null", "--", "sh", "-c",
		"cd $SYSFS_PCI_DEVICES/0000:c1:00.0 && cat vendor device class net/*/dev_port && "
		"grep SLOT uevent && readlink driver && wc -l <resource && "
		"cat $CQESIM_CARD_FOLDER/sys/class/infiniband/cqesim0/device/vendor && "
		"echo $LD_PRELOAD");

	ck_assert_msg(o.code == 0, "exit %d: %s", o.code, o.err);
	has(o.out, "0x15b3\n0x1017\n0x020000\n0\nPCI_SLOT_NAME=0000:c1:00.0\n");
	has(o.out, "/mlx5_core\n7\n0x15b3\n");
	has(o.out, "libcqesim-card.so");
	output_free(&o);
	ck_assert_uint_eq(left_over(), 0);
}
END_TEST

START_TEST(document)
{
	if (!has_library("card document"))
		return;
	json_t *doc = good_json(cli("card", "--no-eal-args", "--json", "--", "true"), 0);

	ck_assert_str_eq(json_string_value(at(doc, "setup.phase")), "loaded");
	ck_assert_str_eq(json_string_value(at(doc, "setup.device")), "connectx-5");
	ck_assert(json_is_null(at(doc, "setup.driver")));
	ck_assert_str_eq(json_string_value(json_array_get(at(doc, "program.arguments"), 0)),
			 "true");
	ck_assert_uint_eq(count_at(doc, "program.status"), 0);
	ck_assert_uint_eq(count_at(doc, "received.delivered"), 0);
	ck_assert(json_is_null(at(doc, "received.pps")));
	json_decref(doc);
	doc = good_json(cli("card", "--no-eal-args", "--json", "--link", "gen4x8", "--", "sh", "-c",
			    "exit 0"),
			0);
	ck_assert_str_eq(json_string_value(at(doc, "setup.link")), "gen4x8");
	json_decref(doc);
}
END_TEST

START_TEST(print_env)
{
	char path[PATH_MAX];

	if (!has_library("card --print-env"))
		return;
	struct output o = cli("card", "--print-env", "--devargs", "mprq_en=1", "--", "prog", "-l",
			      "0,1", "--", "-m", "x y");
	has(o.out, " --no-huge -m 1024 --iova-mode=va --no-telemetry --file-prefix cqesim");
	has(o.out, " -a 0000:c1:00.0,mprq_en=1 -l 0,1 -- -m 'x y'\n");
	has(o.out, "LD_PRELOAD=/");
	has(o.out, " SYSFS_PCI_DEVICES=/");
	/* Kept for the program that is to come, also when others run in the meantime. */
	const char *from = strstr(o.out, "rm -r ");
	ck_assert_ptr_nonnull(from);
	ck_assert_int_eq(sscanf(from, "rm -r %4000s", path), 1);
	output_free(&o);
	o = cli("card", "--no-eal-args", "--", "true");
	ck_assert_int_eq(o.code, 0);
	output_free(&o);
	ck_assert_uint_eq(left_over(), 1);
	strcat(path, "/shared");
	ck_assert_int_eq(access(path, R_OK), 0);

	/* What is given is left alone. */
	o = cli("card", "--print-env", "--", "prog", "-a", "0000:c1:00.0", "--huge-dir=/x", "-m512",
		"--file-prefix=mine", "--iova-mode", "pa");
	has(o.out, " prog --no-telemetry -a 0000:c1:00.0 --huge-dir=/x -m512 "
		   "--file-prefix=mine --iova-mode pa\n");
	output_free(&o);
	o = cli("card", "--print-env", "--wrap", " gdb  --args", "--", "prog", "-l", "1");
	has(o.out, " gdb --args prog --no-huge -m 1024 ");
	has(o.out, " -l 1\n");
	output_free(&o);
	fails(cli("card", "--wrap", " ", "--", "true"), 2, "--wrap", "expected words");
	o = cli("card", "--print-env", "--no-eal-args", "--", "prog", "x");
	has(o.out, " prog x\n");
	output_free(&o);
}
END_TEST

/* A signal to the launcher reaches the program. */
START_TEST(signals)
{
	static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP};
	char started[PATH_MAX], script[PATH_MAX + 200];

	if (!has_library("card signals"))
		return;
	snprintf(started, sizeof(started), "%s/started.%d", test_tmpdir(), getpid());
	snprintf(script, sizeof(script),
		 "trap 'exit 41' INT; trap 'exit 42' TERM; trap 'exit 43' HUP; : >%s; "
		 "while :; do sleep 0.02; done",
		 started);
	/* What nohup or a shell's background left ignored no shell can trap. */
	for (int i = 0; i < 3; i++)
		signal(forwarded[i], SIG_DFL);
	for (int i = 0; i < 3; i++) {
		const char *args[] = {"card", "--no-eal-args", "--", "sh", "-c", script, NULL};
		struct output o = {0};

		pid_t pid =
			cli_start(&(struct streams){.out = "/dev/null", .err = "/dev/null"}, args);
		for (int wait = 0; access(started, R_OK) && wait < 1000; wait++)
			usleep(10000);
		kill(pid, forwarded[i]);
		cli_wait(pid, &o);
		ck_assert_int_eq(o.code, 41 + i);
		ck_assert_uint_eq(left_over(), 0);
		unlink(started);
	}
}
END_TEST

/* A folder "cqesim-card-NAME" with a shared file, as a launcher leaves it that is killed. */
static int abandoned(const char *name)
{
	char path[PATH_MAX];

	int n = snprintf(path, sizeof(path), "%s/cqesim-card-%s", folders(), name);
	ck_assert_int_lt(n + 8, (int)sizeof(path));
	ck_assert_int_eq(mkdir(path, 0700), 0);
	strcat(path, "/shared");
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	ck_assert_int_eq((int)write(fd, "x", 1), 1);
	return fd;
}

START_TEST(sweep)
{
	if (!has_library("card sweep"))
		return;
	close(abandoned("dead"));
	int alive = abandoned("alive");
	ck_assert_int_eq(flock(alive, LOCK_SH), 0);
	struct output o = cli("card", "--no-eal-args", "--", "true");
	ck_assert_int_eq(o.code, 0);
	output_free(&o);
	ck_assert_uint_eq(left_over(), 1);
	close(alive);
	o = cli("card", "--no-eal-args", "--", "true");
	output_free(&o);
	ck_assert_uint_eq(left_over(), 0);
}
END_TEST

/* ---- with DPDK's own program ---- */

/* A short run; extra: an option of the launcher. */
static json_t *testpmd(const char *extra, const char *mode, const char *sink, const char *limit)
{
	char report[PATH_MAX];
	json_error_t error;

	snprintf(report, sizeof(report), "%s/report.%d", test_tmpdir(), getpid());
	struct output o =
		cli("card", extra, "--sink", sink, "--wait", "0.3", "--rate", "posted", "--limit",
		    limit, "--check", "--duration", "1.5", "--json", "--output", report, "--",
		    "dpdk-testpmd", "-l", "0,1", "--", mode, "--total-num-mbufs=8192", "--rxd=512",
		    "--txd=512", "--stats-period", "1");
	ck_assert_msg(o.code == 0, "exit %d, %s%s", o.code, o.out, o.err);
	has(o.out, "RX-errors: 0\n");
	has(o.out, "Bye...");
	output_free(&o);
	ck_assert_uint_eq(left_over(), 0);
	json_t *doc = json_load_file(report, 0, &error);
	ck_assert_msg(doc != NULL, "%s", error.text);
	unlink(report);
	ck_assert_str_eq(json_string_value(at(doc, "setup.phase")), "closed");
	ck_assert_uint_ge(driver_version(doc), 211100);
	return doc;
}

static void receives(const char *extra, bool devx)
{
	json_t *doc = testpmd(extra, "--forward-mode=rxonly", "drop", "5k");

	ck_assert_int_eq(json_is_true(at(doc, "setup.devx")), devx);
	/* As fast as buffers are posted: all arrive. */
	ck_assert_uint_eq(count_at(doc, "received.delivered"), 5000);
	ck_assert_uint_eq(count_at(doc, "received.lost.all"), 0);
	ck_assert_uint_eq(count_at(doc, "sent.packets"), 0);
	ck_assert_uint_eq(count_at(doc, "rules.violations"), 0);
	/* 60 bytes in 84: header, framing. A plain CQE is 64 in 88. */
	ck_assert_uint_eq(count_at(doc, "link.traffic.packet_data.wire"), 5000 * 84);
	ck_assert_uint_eq(count_at(doc, "completions.plain"), 5000);
	ck_assert_uint_eq(count_at(doc, "setup.regions"), 0);
	json_decref(doc);
}

START_TEST(testpmd_devx)
{
	if (has_testpmd("card testpmd, DevX"))
		receives("--cqe-comp=off", true);
}
END_TEST

START_TEST(testpmd_verbs)
{
	if (has_testpmd("card testpmd, verbs"))
		receives("--no-devx", false);
}
END_TEST

/* What is sent arrives again, and nothing is lost on the way. */
START_TEST(testpmd_loop)
{
	if (!has_testpmd("card testpmd, loop"))
		return;
	json_t *doc = testpmd("--time-scale=1", "--forward-mode=io", "loop", "200");
	uint64_t sent = count_at(doc, "sent.packets");

	ck_assert_uint_gt(sent, 5000);
	ck_assert_uint_eq(count_at(doc, "sent.looped"), sent);
	ck_assert_uint_eq(count_at(doc, "received.lost.all"), 0);
	ck_assert_uint_eq(count_at(doc, "sent.errors"), 0);
	ck_assert_uint_eq(count_at(doc, "rules.violations"), 0);
	json_decref(doc);
}
END_TEST

static uint32_t word(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

/*
 * What is sent, in a file: draft-ietf-opsawg-pcapng by hand.  An enhanced packet block: type 6,
 * length, interface, time (two words), captured and original length, the bytes padded to 4,
 * options (2: flags, 2 is outbound; 6: queue; 0: the end), length.
 */
START_TEST(testpmd_capture)
{
	char path[PATH_MAX];
	struct stat st;
	uint32_t packets = 0;

	if (!has_testpmd("card testpmd, capture"))
		return;
	snprintf(path, sizeof(path), "%s/sent.%d.pcapng", test_tmpdir(), getpid());
	json_t *doc = testpmd("--devargs=dv_flow_en=1", "--forward-mode=io", path, "1000");
	FILE *f = fopen(path, "rb");
	ck_assert(f && !fstat(fileno(f), &st));
	uint8_t *bytes = malloc((size_t)st.st_size);
	ck_assert_uint_eq(fread(bytes, 1, (size_t)st.st_size, f), st.st_size);
	fclose(f);
	ck_assert_uint_eq(word(bytes), 0x0a0d0d0a);
	ck_assert_uint_eq(word(bytes + 8), 0x1a2b3c4d);
	for (size_t at = 0; at < (size_t)st.st_size; at += word(bytes + at + 4)) {
		const uint8_t *b = bytes + at;
		uint32_t length = word(b + 4);

		ck_assert_uint_ge(length, 12);
		ck_assert_uint_le(at + length, st.st_size);
		ck_assert_uint_eq(word(b + length - 4), length);
		if (word(b) != 6)
			continue;
		packets++;
		ck_assert_uint_eq(length, 28 + 60 + 2 * 8 + 4 + 4);
		ck_assert_uint_eq(word(b + 20), 60);
		ck_assert_uint_eq(word(b + 24), 60);
		ck_assert_uint_eq(b[28 + 12] << 8 | b[28 + 13], 0x0800);
		ck_assert_uint_eq(word(b + 88), 4u << 16 | 2);
		ck_assert_uint_eq(word(b + 92), 2);
		ck_assert_uint_eq(word(b + 96), 4u << 16 | 6);
		ck_assert_uint_eq(word(b + 100), 1); /* its only send queue */
		ck_assert_uint_eq(word(b + 104), 0);
	}
	ck_assert_uint_gt(packets, 0);
	ck_assert_uint_eq(packets, count_at(doc, "sent.packets"));
	json_decref(doc);
	free(bytes);
	unlink(path);
}
END_TEST

/* The trace of a run, as cqesim walk reads it: every packet, as the driver read them. */
START_TEST(trace)
{
	char trace[PATH_MAX];

	if (!has_testpmd("card trace"))
		return;
	snprintf(trace, sizeof(trace), "%s/trace.%d", test_tmpdir(), getpid());
	struct output o =
		cli("card", "--rate", "posted", "--limit", "300", "--wait", "0.3", "--duration",
		    "1.2", "--cqe-comp", "aggressive", "--devargs", "rxq_cqe_comp_en=1", "--trace",
		    trace, "--", "dpdk-testpmd", "-l", "0,1", "--", "--forward-mode=io",
		    "--total-num-mbufs=8192", "--rxd=256", "--stats-period", "1");
	ck_assert_msg(o.code == 0, "exit %d, %s%s", o.code, o.out, o.err);
	output_free(&o);
	o = cli("walk", trace);
	ck_assert_msg(o.code == 0, "exit %d, %s", o.code, o.err);
	/* A ring of 256: doorbell, WQE, completion, and a lap later. */
	has(o.out, "doorbell record of RQ 2: posted up to index 256\n");
	has(o.out, "RQ 2: a packet of 60 bytes for WQE 0: 00000800"); /* a buffer of 2048 */
	has(o.out, "the title of a session of ");
	has(o.out, " 300 completions read, 0 faults.");
	output_free(&o);
	o = cli("walk", "--cq", "2", trace);
	ck_assert_msg(o.code == 0, "exit %d, %s", o.code, o.err);
	has(o.out, "SQ 1: a packet of 60 bytes from WQE 0: ");
	output_free(&o);
	json_t *doc = good_json(cli("walk", "--json", "--packets", "7", trace), 0);
	ck_assert_uint_eq(json_array_size(at(doc, "steps")), 7);
	json_decref(doc);
	fails(cli("walk", "--cq", "77", trace), 1, trace, "77");
	unlink(trace);
}
END_TEST

/* What is no such trace, or a damaged one. */
START_TEST(trace_input)
{
#define EVENT(rest) "{\"ps\": 5, \"event\": " rest "}\n"
#define MADE                                                                                       \
	EVENT("\"create\", \"object\": \"CQ\", \"number\": 1, \"log_size\": 2, \"layout\": "       \
	      "\"basic\", \"mini_format\": \"hash\"")                                              \
	EVENT("\"create\", \"object\": \"RQ\", \"number\": 1, \"cq\": 1")                          \
	EVENT("\"post\", \"object\": \"RQ\", \"number\": 1, \"index\": 4")
	static const struct {
		const char *text, *words;
	} bad[] = {
		{MADE "{\"ps\": 6,\n", "line 4"},
		{EVENT("\"create\", \"object\": \"CQ\", \"number\": 1"), "log_size"},
		{EVENT("\"create\", \"object\": \"CQ\", \"number\": 99999"), "number"},
		{EVENT("\"create\", \"object\": \"RQ\", \"number\": 1, \"cq\": 3")
			 EVENT("\"post\", \"object\": \"RQ\", \"number\": 1, \"index\": 4"),
		 "queue 3 was not made"},
		{MADE EVENT("\"complete\", \"object\": \"CQ\", \"number\": 1, \"slot\": 4, "
			    "\"raw\": \"00\""),
		 "slot"},
		{MADE EVENT("\"complete\", \"object\": \"CQ\", \"number\": 1, \"slot\": 0, "
			    "\"raw\": \"00\""),
		 "raw"},
	};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(path, sizeof(path), "%s/bad.%d", test_tmpdir(), getpid());
		FILE *f = fopen(path, "w");
		fputs(bad[i].text, f);
		fclose(f);
		struct output o = cli("walk", path); /* what was walked before is told */
		ck_assert_msg(o.code == 1, "exit %d: %s", o.code, o.err);
		has(o.err, path);
		has(o.err, bad[i].words);
		output_free(&o);
		unlink(path);
	}
	fails(cli("walk", "--cq", "1", "--synthetic", "frame=64"), 2, "--cq", NULL);
}
END_TEST

/* Frames of 1600 bytes in a port of MTU 1400, that takes 1418; its address.  Told 1500, which it
 * has, the driver would do nothing. */
START_TEST(mtu_and_address)
{
	char report[PATH_MAX], log[PATH_MAX];
	json_error_t error;

	if (!has_testpmd("card MTU"))
		return;
	snprintf(report, sizeof(report), "%s/report.%d", test_tmpdir(), getpid());
	snprintf(log, sizeof(log), "%s/testpmd.%d", test_tmpdir(), getpid());
	setenv("CQESIM_CARD_LOG", log, 1);
	struct output o = cli(
		"card", "--source", "synthetic:frame=1600", "--rate", "10kpps", "--limit", "300k",
		"--mac", "02:12:34:56:78:9a", "--no-eal-args", "--json", "--output", report, "--",
		"sh", "-c",
		/* It takes commands when it asks for them, and loses those that came before. */
		"log=$CQESIM_CARD_LOG; : >$log; "
		"(i=0; until grep -q 'testpmd>' $log || [ $i = 150 ]; do sleep .2; i=$((i+1)); "
		"done; echo port config mtu 0 1400; echo start; sleep 1; echo stop; echo quit) | "
		"dpdk-testpmd -l 0,1 --no-huge -m 256 --iova-mode=va -a 0000:c1:00.0 -- "
		"-i --total-num-mbufs=4096 --forward-mode=rxonly | tee $log");
	unlink(log);
	ck_assert_msg(o.code == 0, "exit %d, %s%s", o.code, o.out, o.err);
	has(o.out, "02:12:34:56:78:9A");
	output_free(&o);
	json_t *doc = json_load_file(report, 0, &error);
	ck_assert_msg(doc != NULL, "%s", error.text);
	unlink(report);
	ck_assert_uint_gt(count_at(doc, "received.lost.over_mtu"), 0);
	json_decref(doc);
}
END_TEST

/* Who writes to a completion queue, as gdb sees it. */
START_TEST(watchpoints)
{
	char wrap[PATH_MAX + 200];

	if (!has_testpmd("card under gdb"))
		return;
	if (system("command -v gdb >/dev/null 2>&1")) {
		test_skip("card under gdb", "gdb is not installed");
		return;
	}
	snprintf(wrap, sizeof(wrap),
		 "gdb -batch -x %s/doc/card-watch.gdb -ex continue -ex continue -ex continue "
		 "-ex continue -ex kill --args",
		 test_top_srcdir());
	struct output o =
		cli("card", "--wrap", wrap, "--devargs", "dv_flow_en=1,rxq_cqe_comp_en=1",
		    "--cqe-comp", "aggressive", "--rate", "posted", "--limit", "100", "--wait", "1",
		    "--", "dpdk-testpmd", "-l", "0,1", "--", "--forward-mode=rxonly",
		    "--flow-isolate-all", "--stats-period", "60");
	if (strstr(o.err, "ptrace: Operation not permitted") ||
	    strstr(o.out, "Couldn't write debug register")) {
		test_skip("card under gdb", "gdb may not do here what it would");
	} else {
		const char *card = strstr(o.out, "\"cqesim-card\" hit Hardware watchpoint");
		const char *driver = strstr(o.out, "\"rte-worker-1\" hit Hardware watchpoint");

		if (!driver) /* from 23.11 on */
			driver = strstr(o.out, "\"dpdk-worker1\" hit Hardware watchpoint");

		/* Stops that come together are told in any order. */
		ck_assert_msg(card && driver, "%.3000s", o.out);
		ck_assert_ptr_nonnull(strstr(o.out, "Old value = 241"));
		ck_assert_ptr_nonnull(strstr(o.out, "cqesim_cq_publish"));
		ck_assert_ptr_nonnull(strstr(o.out, "consumer index 1\n"));
	}
	output_free(&o);
	ck_assert_uint_eq(left_over(), 0);
}
END_TEST

/* A file that could not be written to its end is not told as if it were whole. */
START_TEST(full_disk)
{
	if (!has_testpmd("card, a full disk"))
		return;
	if (access("/dev/full", W_OK)) {
		test_skip("card, a full disk", "/dev/full is not there");
		return;
	}
	json_t *doc = testpmd("--trace=/dev/full", "--forward-mode=rxonly", "drop", "1000");
	ck_assert(json_is_true(at(doc, "trace_incomplete")));
	ck_assert(json_is_false(at(doc, "sent.capture_incomplete")));
	json_decref(doc);
	doc = testpmd("--devargs=dv_flow_en=1", "--forward-mode=io", "/dev/full", "1000");
	ck_assert(json_is_false(at(doc, "trace_incomplete")));
	ck_assert(json_is_true(at(doc, "sent.capture_incomplete")));
	json_decref(doc);
}
END_TEST

/* The page's examples. */
START_TEST(page)
{
	if (!has_testpmd("card chapter"))
		return;
	chapter_check("card.md", 0, 3, 7);
	unlink("/tmp/cqesim-card-page.jsonl");
}
END_TEST

Suite *suite_card_cli(void)
{
	Suite *suite = suite_create("card_cli");
	TCase *tc = tcase_create("launcher"), *dpdk = tcase_create("testpmd");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, usage);
	tcase_add_test(tc, statuses);
	tcase_add_test(tc, surroundings);
	tcase_add_test(tc, document);
	tcase_add_test(tc, print_env);
	tcase_add_test(tc, signals);
	tcase_add_test(tc, sweep);
	tcase_add_test(tc, trace_input);
	suite_add_tcase(suite, tc);
	tcase_set_timeout(dpdk, 120);
	tcase_add_test(dpdk, testpmd_devx);
	tcase_add_test(dpdk, testpmd_verbs);
	tcase_add_test(dpdk, testpmd_loop);
	tcase_add_test(dpdk, testpmd_capture);
	tcase_add_test(dpdk, full_disk);
	tcase_add_test(dpdk, watchpoints);
	tcase_add_test(dpdk, page);
	tcase_add_test(dpdk, trace);
	tcase_add_test(dpdk, mtu_and_address);
	suite_add_tcase(suite, dpdk);
	add_card_symbols(suite);
	return suite;
}
