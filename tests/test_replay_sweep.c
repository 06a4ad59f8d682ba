/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqesim replay: many runs (--sweep, --ndr, --threads), and what a run tells beside the
 * report: counters, completion delay, the timeline.
 */
#include <math.h>

#include "cli_run.h"
#include "cqesim/sysinfo.h"
#include "sim_run.h"

/* 2 GHz; a poll of 32 packets costs 64 cycles, a packet 40: 42 together. */
#define CORE                                                                                       \
	"--device", "connectx-5", "--link", "gen4x16", "--driver", "dpdk-mlx5-scalar",             \
		"--cqe-comp", "off", "--set", "clock=2", "--set", "poll_cycles=64", "--set",       \
		"packet_cycles=40", "--set", "app_cycles=0", "--set", "miss_cycles=0", "--set",    \
		"app_poll_cycles=0", "--quiet"
#define CORE_PPS (2e9 / 42)

static void path_in_tmp(char path[PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", test_tmpdir(), name);
}

/* ---- --sweep ---- */

START_TEST(sweep_is_many_replays)
{
	json_t *many =
		good_json(cli("replay", CORE, "--synthetic", "frame=64,flows=999,packets=60k",
			      "--sweep", "queues=1..4", "--json"),
			  0);
	json_t *runs = at(many, "runs"), *run;
	size_t i;

	ck_assert_uint_eq(json_array_size(runs), 4);
	ck_assert_str_eq(json_string_value(at(many, "key")), "queues");
	json_array_foreach(runs, i, run)
	{
		char queues[24];

		snprintf(queues, sizeof(queues), "%zu", i + 1);
		ck_assert_str_eq(json_string_value(at(run, "value")), queues);
		json_t *one = good_json(cli("replay", CORE, "--synthetic",
					    "frame=64,flows=999,packets=60k", "--queues", queues,
					    "--json"),
					0);
		ck_assert_uint_eq(count_at(run, "delivered"), count_at(one, "delivered"));
		ck_assert_double_eq(number_at(run, "offered_pps"),
				    number_at(one, "time.offered_pps"));
		ck_assert_double_eq(number_at(run, "burst_mean"), number_at(one, "bursts.mean"));
		json_decref(one);
	}
	json_decref(many);
}
END_TEST

START_TEST(sweep_tells_where_more_stops_helping)
{
	/* 100 Mpps against cores of 47.6: one takes half, two nearly all, three all of it. */
	struct output o =
		cli("replay", CORE, "--synthetic", "frame=64,flows=4096,packets=200k,rate=100Mpps",
		    "--sweep", "queues=1..6");
	ck_assert_msg(o.code == 0, "%s", o.err);
	ck_assert_uint_eq(lines_of(o.out), 2 + 6 + 1);
	ck_assert_ptr_nonnull(strstr(o.out, "From queues=3 on nothing is lost"));
	output_free(&o);

	o = cli("replay", CORE, "--synthetic", "frame=64,packets=50k", "--sweep",
		"rate=40,44,60Mpps", "--csv");
	ck_assert_msg(o.code == 0, "%s", o.err);
	ck_assert_uint_eq(lines_of(o.out), 4);
	ck_assert_ptr_nonnull(strstr(o.out, "\r\n44Mpps,44000"));
	output_free(&o);
}
END_TEST

START_TEST(sweep_values)
{
	static const struct {
		const char *sweep;
		unsigned runs;
		const char *last;
	} good[] = {
		{"burst=8..32:8", 4, "32"},
		{"ring=256..1024", 3, "1024"},
		{"rate=10..30:10", 3, "30Mpps"},
		{"mtu=1000,1500", 2, "1500"},
		{"mps=128..512", 3, "512"},
		{"app_cycles=0.5..1:0.1", 6, "1"},
		{"link=gen3x8,gen3x16", 2, "gen3x16"},
		{"burst=4..64:x4", 3, "64"},
	};
	static const char *const bad[] = {
		"queues",        "queues=",         "=1..2",       "queues=3..1",
		"queues=1..4:0", "queues=0,1",      "no_such=1,2", "queues=1,,2",
		"burst=1..8:x1", "queues=1..20000", "json=1,2",    "queues=1..2:3x",
	};

	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		json_t *doc = good_json(cli("replay", CORE, "--synthetic", "packets=2k", "--sweep",
					    good[i].sweep, "--json"),
					0);
		json_t *runs = at(doc, "runs");

		ck_assert_msg(json_array_size(runs) == good[i].runs, "%s", good[i].sweep);
		ck_assert_str_eq(
			json_string_value(at(json_array_get(runs, good[i].runs - 1), "value")),
			good[i].last);
		json_decref(doc);
	}
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		fails(cli("replay", CORE, "--synthetic", "packets=2k", "--sweep", bad[i]), 2, NULL,
		      NULL);
	fails(cli("replay", "-", "--sweep", "queues=1..2"), 2, "standard input", NULL);
	fails(cli("replay", "--synthetic", "packets=2k", "--sweep", "queues=1..2", "--ndr"), 2,
	      "exclude each other", NULL);
}
END_TEST

START_TEST(threads_change_nothing)
{
	static const char *const formats[] = {"--json", "--csv", "--quiet"};

	for (unsigned f = 0; f < 3; f++) {
		struct output one = cli("replay", "--synthetic", "frame=imix,flows=99,packets=20k",
					"--sweep", "queues=1..5", formats[f]);
		struct output three =
			cli("replay", "--synthetic", "frame=imix,flows=99,packets=20k", "--sweep",
			    "queues=1..5", formats[f], "--threads", "3");

		ck_assert_msg(one.code == 0 && three.code == 0, "%s%s", one.err, three.err);
		ck_assert_str_eq(one.out, three.out);
		output_free(&one);
		output_free(&three);
	}
	/* One run: the second thread reads ahead. */
	for (unsigned f = 0; f < 2; f++) {
		struct output plain =
			cli("replay", "--synthetic", "frame=imix,flows=99,packets=300k", "--queues",
			    "3", "--compare", formats[f]);
		struct output two = cli("replay", "--synthetic", "frame=imix,flows=99,packets=300k",
					"--queues", "3", "--compare", formats[f], "--threads", "2");

		ck_assert_msg(plain.code == 0 && two.code == 0, "%s%s", plain.err, two.err);
		ck_assert_str_eq(plain.out, two.out);
		output_free(&plain);
		output_free(&two);
	}
	struct output one = cli("replay", "--synthetic", "packets=100k", "--ndr", "--json");
	struct output two =
		cli("replay", "--synthetic", "packets=100k", "--ndr", "--json", "--threads", "2");
	ck_assert_int_eq(one.code, 0);
	ck_assert_str_eq(one.out, two.out);
	output_free(&one);
	output_free(&two);
}
END_TEST

/* ---- --ndr ---- */

START_TEST(ndr_of_a_core)
{
	json_t *doc = good_json(
		cli("replay", CORE, "--synthetic", "frame=64,packets=3M", "--ndr", "--json"), 0);

	ck_assert_uint_eq(json_object_size(at(doc, "ndr")), 1);
	double ndr = number_at(doc, "ndr.off.ndr_pps");
	double above = number_at(doc, "ndr.off.above.offered_pps");
	ck_assert_double_eq_tol(ndr, CORE_PPS, CORE_PPS * 0.001);
	ck_assert_double_gt(above, ndr);
	ck_assert_double_le(above, ndr * 1.0006);
	ck_assert_uint_eq(count_at(doc, "ndr.off.best.lost"), 0);
	ck_assert_uint_eq(count_at(doc, "ndr.off.best.packets"), 3000000);
	json_decref(doc);
}
END_TEST

START_TEST(ndr_of_a_capture)
{
	char path[PATH_MAX];

	/* Long frames at line rate lose nothing: the top is the answer. */
	path_in_tmp(path, "ndr.pcap");
	struct output o =
		cli("gen", "--quiet", "--synthetic", "frame=1518,packets=500,rate=1G", path);
	ck_assert_msg(o.code == 0, "%s", o.err);
	output_free(&o);
	json_t *doc = good_json(cli("replay", "--ndr", "--cqe-comp", "off", "--limit", "50k",
				    "--repeat", "200", "--json", path),
				0);
	ck_assert(json_is_true(at(doc, "ndr.off.at_top")));
	/* 1538 bytes each on 100 Gb/s: 8.127 Mpps. */
	ck_assert_double_eq_tol(number_at(doc, "ndr.off.ndr_pps"), 1e11 / 8 / 1538, 1e4);
	json_decref(doc);

	/* Short ones meet the core, whatever their spacing. */
	path_in_tmp(path, "ndr64.pcap");
	o = cli("gen", "--quiet", "--synthetic", "frame=64,packets=1000,rate=1G", path);
	ck_assert_msg(o.code == 0, "%s", o.err);
	output_free(&o);
	doc = good_json(cli("replay", CORE, "--ndr", "--repeat", "2000", "--json", path), 0);
	ck_assert_double_eq_tol(number_at(doc, "ndr.off.ndr_pps"), CORE_PPS, CORE_PPS * 0.0015);
	json_decref(doc);
	unlink(path);
}
END_TEST

struct straight {
	uint64_t capacity;
	unsigned trials;
};

/* Everything above a rate fails; at the top as much is delivered as that. */
static int straight_trial(void *context, bool whole, struct cqesim_ndr_trial *trial)
{
	struct straight *s = context;

	s->trials++;
	trial->passed = trial->parts <= s->capacity;
	trial->cut_short = !whole && !trial->passed;
	trial->summary.lost_share =
		trial->passed ? 0 : 1 - (double)s->capacity / (double)trial->parts;
	return 0;
}

START_TEST(ndr_search)
{
	static const uint64_t capacities[] = {0, 1, 2, 999, 12345, 5000000, 9999999, 10000000};

	for (unsigned i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++) {
		struct straight s = {.capacity = capacities[i]};
		struct cqesim_ndr ndr;

		ck_assert_int_eq(cqesim_ndr_search(straight_trial, &s, &ndr), 0);
		ck_assert_uint_eq(ndr.trials, s.trials);
		ck_assert(ndr.found == (s.capacity > 0));
		ck_assert(ndr.at_top == (s.capacity == CQESIM_NDR_PARTS));
		if (!ndr.found)
			continue;
		ck_assert_uint_le(ndr.best.parts, s.capacity);
		if (ndr.at_top)
			continue;
		ck_assert_uint_gt(ndr.above.parts, s.capacity);
		ck_assert(!ndr.above.cut_short);
		ck_assert(ndr.above.parts - ndr.best.parts <= 1 ||
			  (ndr.above.parts - ndr.best.parts) * 2000 <= ndr.best.parts);
	}
}
END_TEST

/* ---- counters ---- */

START_TEST(counters_are_ethtool_text)
{
	struct cqesim_sysinfo info = {0};
	struct cqesim_error err = {""};
	json_t *doc = good_json(cli("replay", "--synthetic", "frame=64,packets=50k", "--cqe-comp",
				    "aggressive", "--json"),
				0);
	struct output o = cli("replay", "--synthetic", "frame=64,packets=50k", "--cqe-comp",
			      "aggressive", "--counters");

	ck_assert_msg(o.code == 0, "%s", o.err);
	ck_assert_msg(!cqesim_sysinfo_parse(o.out, o.out_size, "counters", &info, &err), "%s",
		      err.text);
	ck_assert_uint_eq(info.ignored_lines, 0);
	ck_assert_uint_eq(info.counters[CQESIM_SYSINFO_RX_PACKETS], count_at(doc, "delivered"));
	ck_assert_uint_eq(info.counters[CQESIM_SYSINFO_COMPRESS_BLKS],
			  count_at(doc, "compression.sessions"));
	ck_assert_uint_eq(info.counters[CQESIM_SYSINFO_COMPRESS_PKTS],
			  count_at(doc, "compression.session_packets"));
	ck_assert_uint_eq(info.counters[CQESIM_SYSINFO_OUT_OF_BUFFER],
			  count_at(doc, "dropped.rx_out_of_buffer"));
	ck_assert_uint_gt(info.counters[CQESIM_SYSINFO_OUT_OF_BUFFER], 0);
	ck_assert_uint_eq(count_at(doc, "counters.rx_packets_phy"), 50000);
	ck_assert_uint_eq(count_at(doc, "counters.rx_bytes_phy"), 50000 * 64);
	/* Bytes without FCS. */
	ck_assert_uint_eq(count_at(doc, "counters.rx_bytes"), 60 * count_at(doc, "delivered"));
	ck_assert_uint_eq(count_at(doc, "counters.rx0_packets"), count_at(doc, "delivered"));
	json_decref(doc);
	output_free(&o);
}
END_TEST

START_TEST(counters_of_oversize_and_fillers)
{
	json_t *doc =
		good_json(cli("replay", "--synthetic", "frame=64:1+1518:1,packets=20k,rate=1G",
			      "--mtu", "1000", "--json"),
			  0);

	ck_assert_uint_eq(count_at(doc, "counters.rx_oversize_pkts_phy"), 10000);
	ck_assert_uint_eq(count_at(doc, "counters.rx_packets_phy"), 10000);
	ck_assert_uint_eq(count_at(doc, "counters.rx_bytes_phy"), 10000 * 64);
	ck_assert_uint_eq(count_at(doc, "counters.rx_packets"), 10000);
	json_decref(doc);
	doc = good_json(cli("replay", "--driver", "linux-mlx5e-striding", "--synthetic",
			    "frame=1518,packets=20k,rate=1G", "--json"),
			0);
	ck_assert_uint_eq(count_at(doc, "counters.rx_mpwqe_filler_cqes"),
			  count_at(doc, "rq.fillers"));
	ck_assert_uint_eq(count_at(doc, "counters.rx_mpwqe_filler_strides"),
			  count_at(doc, "rq.filler_strides"));
	json_decref(doc);
}
END_TEST

/* ---- completion delay ---- */

START_TEST(delay_of_lone_packets)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-scalar");

	r->config.comp = CQESIM_COMP_CHOOSE_OFF;
	run_set(r, "write_latency", "300");
	run_set(r, "max_pps", "200"); /* 5 ns */
	run_set(r, "clock", "2");
	run_set(r, "empty_poll_cycles", "20"); /* 10 ns */
	const struct cqesim_result *s = run_synthetic(r, "frame=64,packets=1000,rate=1Mpps");
	const struct cqesim_delay *seen = &s->delay[CQESIM_DELAY_VISIBLE];
	const struct cqesim_delay *taken = &s->delay[CQESIM_DELAY_RETURNED];

	/* 5 ns of pipeline, 172 to 204 bytes at 15.7 GB/s of which 97 % are used, 300 ns. */
	double low = 305e3 + 172 / 15.72e9 * 1e12, high = 305e3 + 212 / 15.2e9 * 1e12;
	ck_assert_uint_eq(seen->count, 1000);
	ck_assert_uint_eq(taken->count, 1000);
	ck_assert_double_ge(seen->sum_ps / 1000, low);
	ck_assert_double_le(seen->sum_ps / 1000, high);
	ck_assert_uint_le(seen->max_ps, (uint64_t)high);
	/* A poll begins every 10 ns. */
	ck_assert_double_ge(taken->sum_ps, seen->sum_ps);
	ck_assert_double_le(taken->sum_ps, seen->sum_ps + 1000 * 10e3);
	ck_assert_uint_le(taken->max_ps, (uint64_t)high + 10000);
	run_free(r);
}
END_TEST

/* Four packets, 100 ns apart; their session ends 1 us after the last one. */
START_TEST(delay_of_a_session)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-scalar");

	r->config.comp = CQESIM_COMP_CHOOSE_AGGRESSIVE;
	run_set(r, "write_latency", "300");
	run_set(r, "cqe_compression_timeout", "1000");
	const struct cqesim_result *s = run_synthetic(r, "frame=64,packets=4,rate=10Mpps");
	const struct cqesim_delay *seen = &s->delay[CQESIM_DELAY_VISIBLE];

	ck_assert_uint_eq(s->nic.sessions, 1);
	ck_assert_uint_eq(seen->count, 4);
	/* 1300 ns, some 20 for pipeline and link, and 0, 100, 200, 300 for waiting. */
	ck_assert_double_eq_tol(seen->sum_ps / 4, 1470e3, 20e3);
	ck_assert_double_eq_tol((double)seen->max_ps, 1620e3, 20e3);
	ck_assert_double_eq_tol((double)cqesim_delay_percentile(seen, 25), 1320e3, 45e3);
	ck_assert_double_eq_tol((double)cqesim_delay_percentile(seen, 50), 1420e3, 45e3);
	ck_assert_uint_eq(cqesim_delay_percentile(seen, 100), seen->max_ps);
	run_free(r);
}
END_TEST

/* As many delays as packets, whatever is lost, and whatever fillers come between. */
START_TEST(delay_books)
{
	static const char *const drivers[] = {"dpdk-mlx5-vec", "dpdk-mlx5-mprq",
					      "linux-mlx5e-striding"};

	for (unsigned i = 0; i < 3; i++) {
		struct sim_run *r = run_new("connectx-5", "gen3x8", drivers[i]);

		r->config.queues = 3;
		const struct cqesim_result *s =
			run_synthetic(r, "frame=imix,flows=7,packets=60k,rate=line");
		for (unsigned k = 0; k < CQESIM_DELAYS; k++)
			ck_assert_uint_eq(s->delay[k].count, s->delivered);
		ck_assert_double_ge(s->delay[CQESIM_DELAY_RETURNED].sum_ps,
				    s->delay[CQESIM_DELAY_VISIBLE].sum_ps);
		run_free(r);
	}
}
END_TEST

/*
 * Enhanced layout: a packet waits for its array of seven, not for a session of 64.  At
 * 40 Mpps (25 ns) that is 6 intervals at most instead of 63; what is left is the way to memory.
 */
START_TEST(delay_of_arrays)
{
	double longest[2], mean[2], blks[2], pkts[2];
	const char *const layout[] = {"basic", "enhanced"};

	for (unsigned i = 0; i < 2; i++) {
		json_t *doc = good_json(
			cli("replay", "--synthetic", "frame=64,flows=9,rate=40Mpps,packets=6400",
			    "--cqe-comp", "aggressive", "--cqe-layout", layout[i], "--driver",
			    "dpdk-mlx5-vec", "--ring", "8192", "--set",
			    "cqe_compression_timeout=100000", "--json"),
			0);

		ck_assert_str_eq(json_string_value(at(doc, "compression.layout")), layout[i]);
		longest[i] = number_at(doc, "completion_delay.visible.max_s") * 1e9;
		mean[i] = number_at(doc, "completion_delay.visible.mean_s") * 1e9;
		blks[i] = number_at(doc, "counters.rx0_cqe_compress_blks");
		pkts[i] = number_at(doc, "counters.rx0_cqe_compress_pkts");
		json_decref(doc);
	}
	/* Nine TLPs of a basic session take 50 ns more than an array's one. */
	ck_assert_double_eq_tol(longest[0] - longest[1], (63 - 6) * 25, 100);
	/* Mean waits: 31.5 intervals; a title none, 63 packets in nine arrays 3 each. */
	ck_assert_double_eq_tol(mean[0] - mean[1], (31.5 - 3 * 63 / 64.0) * 25, 100);
	/* 100 titles: among their packets, or not. */
	ck_assert_double_eq(blks[0], 100);
	ck_assert_double_eq(blks[1], 100);
	ck_assert_double_eq(pkts[0], 6400);
	ck_assert_double_eq(pkts[1], 6300);
}
END_TEST

/* ---- the timeline ---- */

struct sums {
	unsigned lines;
	double offered, delivered, lost[CQESIM_DROPS], ring_max, width;
};

static struct sums sum_timeline(const char *path)
{
	char *text = slurp(path, NULL), *line = strtok(text, "\r\n");
	struct sums s = {0};

	ck_assert_ptr_nonnull(line);
	ck_assert(!strncmp(line, "start_ns,end_ns,offered,delivered,lost_oversize,", 48));
	while ((line = strtok(NULL, "\r\n")) != NULL) {
		double start, end, offered, delivered, lost[4], mean, max;
		int n = sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &start, &end,
			       &offered, &delivered, &lost[0], &lost[1], &lost[2], &lost[3], &mean,
			       &max);

		ck_assert_msg(n >= 8, "%s", line);
		ck_assert_double_eq_tol(start, s.lines * (end - start), 1e-3);
		s.width = end - start;
		s.lines++;
		s.offered += offered;
		s.delivered += delivered;
		for (unsigned d = 0; d < 4; d++)
			s.lost[d] += lost[d];
	}
	free(text);
	return s;
}

START_TEST(timeline_adds_up)
{
	char path[PATH_MAX];

	path_in_tmp(path, "timeline.csv");
	json_t *doc =
		good_json(cli("replay", "--synthetic", "frame=imix,flows=50,packets=80k", "--link",
			      "gen3x4", "--mtu", "1000", "--timeline", path, "--json"),
			  2);
	struct sums s = sum_timeline(path);

	ck_assert_uint_ge(s.lines, 100);
	ck_assert_uint_le(s.lines, 200);
	ck_assert_double_eq(s.offered, 80000);
	ck_assert_double_eq(s.delivered, (double)count_at(doc, "delivered"));
	ck_assert_double_eq(s.lost[CQESIM_DROP_OVERSIZE],
			    (double)count_at(doc, "dropped.oversize"));
	ck_assert_double_eq(s.lost[CQESIM_DROP_BUFFER_FULL],
			    (double)count_at(doc, "dropped.rx_discards_phy"));
	ck_assert_double_eq(s.lost[CQESIM_DROP_OUT_OF_BUFFER],
			    (double)count_at(doc, "dropped.rx_out_of_buffer"));
	ck_assert_double_eq(s.delivered + s.lost[0] + s.lost[1] + s.lost[2] + s.lost[3], 80000);
	json_decref(doc);

	/* 1 ms at 1 Mpps in steps of 100 us: ten, the last packet read in the tenth or after. */
	struct output o = cli("replay", "--synthetic", "packets=1000,rate=1Mpps", "--timeline",
			      path, "--bin", "100us");
	ck_assert_msg(o.code == 0, "%s", o.err);
	s = sum_timeline(path);
	ck_assert_double_eq(s.width, 100000);
	ck_assert_uint_ge(s.lines, 10);
	ck_assert_uint_le(s.lines, 11);
	ck_assert_double_eq(s.delivered, 1000);
	output_free(&o);
	unlink(path);
	fails(cli("replay", "--synthetic", "packets=1k", "--bin", "1us"), 2, "--timeline", NULL);
	fails(cli("replay", "--synthetic", "packets=1k", "--timeline-queues"), 2, "--timeline",
	      NULL);
	fails(cli("replay", "--synthetic", "packets=1k", "--timeline", path, "--bin", "1"), 2,
	      "--bin 1", NULL);
	fails(cli("replay", "--synthetic", "packets=1k", "--timeline", "/no/such/folder/x"), 1,
	      "/no/such/folder/x", NULL);
}
END_TEST

/* A line for each queue and step; together they are what one line for all would be. */
START_TEST(timeline_of_queues)
{
	char path[PATH_MAX];
	double offered[3] = {0}, start, end, n;
	unsigned lines = 0, queue;

	path_in_tmp(path, "queues.csv");
	json_t *doc = good_json(cli("replay", "--synthetic", "flows=64,rate=1Mpps,packets=1000",
				    "--queues", "3", "--timeline", path, "--timeline-queues",
				    "--bin", "100us", "--json"),
				2);
	char *text = slurp(path, NULL), *line = strtok(text, "\r\n");
	ck_assert(!strncmp(line, "start_ns,end_ns,queue,offered,", 30));
	for (; (line = strtok(NULL, "\r\n")) != NULL; lines++) {
		ck_assert_int_eq(sscanf(line, "%lf,%lf,%u,%lf", &start, &end, &queue, &n), 4);
		ck_assert_uint_eq(queue, lines % 3);
		ck_assert_double_eq(start, lines / 3 * 100000.0);
		offered[queue] += n;
	}
	ck_assert_uint_ge(lines, 30);
	for (unsigned q = 0; q < 3; q++)
		ck_assert_double_eq(offered[q],
				    json_number_value(json_object_get(
					    json_array_get(at(doc, "queues"), q), "offered")));
	ck_assert_double_eq(offered[0] + offered[1] + offered[2], 1000);
	json_decref(doc);
	free(text);
	unlink(path);
}
END_TEST

Suite *suite_sweep(void)
{
	Suite *suite = suite_create("sweep");
	TCase *many = tcase_create("many"), *one = tcase_create("one");

	tcase_set_timeout(many, 120);
	tcase_add_test(many, sweep_is_many_replays);
	tcase_add_test(many, sweep_tells_where_more_stops_helping);
	tcase_add_test(many, sweep_values);
	tcase_add_test(many, threads_change_nothing);
	tcase_add_test(many, ndr_of_a_core);
	tcase_add_test(many, ndr_of_a_capture);
	tcase_add_test(many, ndr_search);
	tcase_add_test(one, counters_are_ethtool_text);
	tcase_add_test(one, counters_of_oversize_and_fillers);
	tcase_add_test(one, delay_of_lone_packets);
	tcase_add_test(one, delay_of_a_session);
	tcase_add_test(one, delay_books);
	tcase_add_test(one, delay_of_arrays);
	tcase_add_test(one, timeline_adds_up);
	tcase_add_test(one, timeline_of_queues);
	suite_add_tcase(suite, many);
	suite_add_tcase(suite, one);
	return suite;
}
