/* SPDX-License-Identifier: BSD-3-Clause */
/* The judge over striding queues: DPDK's mprq and mprq_vec, fillers and strides included. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_referee_replay.h"

/* A ring of few strides, so that it goes round often. */
struct strided {
	const char *driver, *strides, *stride, *cycles; /* of the application, per packet */
	unsigned wqes;
	enum cqesim_comp_choice comp;
	enum cqesim_mini_format format;
	struct cqesim_hold hold;
};

/* How many fillers there were. */
static size_t judge_striding(const char *name, const char *program, const struct strided *with,
			     struct cqesim_trace *trace, unsigned *laps)
{
	char feed[512], command[8192];
	struct machine m = machine(with->driver);
	struct seen seen = {0};

	snprintf(feed, sizeof(feed), "%s/feed", test_tmpdir());
	ck_assert(!cqesim_profile_set(m.driver, "strides", with->strides, NULL));
	ck_assert(!cqesim_profile_set(m.driver, "stride", with->stride, NULL));
	ck_assert(!cqesim_profile_set(m.host, "miss_cycles", with->cycles, NULL));
	m.wqes = with->wqes;
	m.hold = with->hold;
	*laps = replay(&m, trace, with->comp, with->format, feed, &seen, command, sizeof(command));
	judge(name, program, command, with->driver, with->format, with->wqes, &seen);
	free(seen.packet);
	machine_free(&m);
	return seen.fillers;
}

#define OFF        CQESIM_COMP_CHOOSE_OFF
#define AGGRESSIVE CQESIM_COMP_CHOOSE_AGGRESSIVE

/* Mixes with fillers, under load and without, in all formats that each function reads. */
START_TEST(striding)
{
	static const struct strided with[] = {
		{"dpdk-mlx5-mprq", "16", "256", "10", 8, OFF, CQESIM_MINI_CSUM_STRIDX, {0, 0, 0}},
		{"dpdk-mlx5-mprq",
		 "16",
		 "256",
		 "10",
		 8,
		 AGGRESSIVE,
		 CQESIM_MINI_CSUM_STRIDX,
		 {0, 0, 0}},
		{"dpdk-mlx5-mprq",
		 "64",
		 "64",
		 "300",
		 4,
		 AGGRESSIVE,
		 CQESIM_MINI_CSUM_STRIDX,
		 {0, 0, 0}},
		{"dpdk-mlx5-mprq",
		 "8",
		 "512",
		 "10",
		 16,
		 AGGRESSIVE,
		 CQESIM_MINI_FTAG_STRIDX,
		 {0, 0, 0}},
		{"dpdk-mlx5-mprq-vec", "16", "256", "10", 8, OFF, CQESIM_MINI_HASH, {0, 0, 0}},
		{"dpdk-mlx5-mprq-vec",
		 "16",
		 "256",
		 "10",
		 8,
		 AGGRESSIVE,
		 CQESIM_MINI_HASH,
		 {0, 0, 0}},
		{"dpdk-mlx5-mprq-vec",
		 "64",
		 "64",
		 "300",
		 4,
		 AGGRESSIVE,
		 CQESIM_MINI_HASH,
		 {0, 0, 0}},
		{"dpdk-mlx5-mprq-vec",
		 "8",
		 "2048",
		 "200",
		 2,
		 AGGRESSIVE,
		 CQESIM_MINI_HASH,
		 {0, 0, 0}},
		{"dpdk-mlx5-mprq-vec",
		 "32",
		 "128",
		 "10",
		 4,
		 AGGRESSIVE,
		 CQESIM_MINI_CSUM_STRIDX,
		 {0, 0, 0}},
		{"dpdk-mlx5-mprq-vec",
		 "32",
		 "128",
		 "50",
		 4,
		 AGGRESSIVE,
		 CQESIM_MINI_L34H_STRIDX,
		 {3, 40, 0}},
	};
	static const char *const specs[] = {
		"frame=imix,flows=77,rate=12Mpps,packets=30k",
		"frame=imix,flows=7,rate=line,packets=30k,proto=tcp",
		"frame=64,flows=1024,rate=line,packets=30k",
	};
	const char *why, *program = referee(&why);
	size_t fillers = 0;
	unsigned all_laps = 0;

	if (!program) {
		test_skip("referee striding", why);
		return;
	}
	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++)
		for (size_t k = 0; k < sizeof(specs) / sizeof(specs[0]); k++) {
			struct cqesim_trace *trace = open_synthetic(specs[k]);
			char name[128];
			unsigned laps;

			snprintf(name, sizeof(name), "%s, %s x %s, %s", with[i].driver,
				 with[i].strides, with[i].stride, specs[k]);
			fillers += judge_striding(name, program, &with[i], trace, &laps);
			cqesim_trace_close(trace);
			ck_assert_msg(laps >= 3, "%s: %u laps", name, laps);
			all_laps += laps;
		}
	ck_assert_uint_ge(fillers, 10000);
	ck_assert_uint_ge(all_laps, 2000);
}
END_TEST

/* Every Ethernet capture through both functions. */
START_TEST(striding_captures)
{
	static const struct strided with[] = {
		{"dpdk-mlx5-mprq",
		 "16",
		 "256",
		 "10",
		 8,
		 AGGRESSIVE,
		 CQESIM_MINI_CSUM_STRIDX,
		 {0, 0, 0}},
		{"dpdk-mlx5-mprq-vec",
		 "32",
		 "128",
		 "10",
		 8,
		 AGGRESSIVE,
		 CQESIM_MINI_HASH,
		 {0, 0, 0}},
	};
	const char *why, *program = referee(&why), *shared = test_shared_dir();
	char dir[4096], path[8192];
	struct dirent *entry;
	unsigned judged = 0;
	size_t fillers = 0;

	if (!program) {
		test_skip("referee striding_captures", why);
		return;
	}
	snprintf(dir, sizeof(dir), "%s/traces/real", shared);
	DIR *d = opendir(dir);
	ck_assert_ptr_nonnull(d);
	while ((entry = readdir(d)) != NULL) {
		if (entry->d_name[0] == '.' || strstr(entry->d_name, ".json") ||
		    strstr(entry->d_name, ".md"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		uint64_t n = packets_of(path);
		if (!n)
			continue;
		struct capture c = {path, n >= RING ? (10 * RING + n - 1) / n : 1};
		for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
			struct cqesim_trace *trace = open_capture(&c);
			unsigned laps;

			fillers += judge_striding(entry->d_name, program, &with[i], trace, &laps);
			cqesim_trace_close(trace);
		}
		judged++;
	}
	closedir(d);
	ck_assert_uint_ge(judged, 120);
	ck_assert_uint_ge(fillers, 1000);
}
END_TEST

void test_referee_striding(Suite *s)
{
	TCase *t = tcase_create("striding");

	tcase_set_timeout(t, 1200);
	tcase_add_test(t, striding);
	tcase_add_test(t, striding_captures);
	suite_add_tcase(s, t);
}
