/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The judge: every ring that a replay writes goes through the receive code of
 * the real DPDK driver (../shared/referee, built here in a copy), scalar and
 * vector, and must come out as the packets that our own reader returned.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_referee_replay.h"

#define LAPS 100u

/* One trace, opened anew for each judgement. */
static void judge_all(const char *name, const char *program,
		      struct cqesim_trace *(*open)(const void *what), const void *what,
		      unsigned *laps)
{
	static const struct {
		const char *driver;
		enum cqesim_comp_choice comp;
		enum cqesim_mini_format format;
	} with[] = {
		{"dpdk-mlx5-scalar", CQESIM_COMP_CHOOSE_OFF, CQESIM_MINI_HASH},
		{"dpdk-mlx5-vec", CQESIM_COMP_CHOOSE_OFF, CQESIM_MINI_HASH},
		{"dpdk-mlx5-scalar", CQESIM_COMP_CHOOSE_AGGRESSIVE, CQESIM_MINI_HASH},
		{"dpdk-mlx5-vec", CQESIM_COMP_CHOOSE_AGGRESSIVE, CQESIM_MINI_HASH},
	};
	char feed[512], command[8192];

	snprintf(feed, sizeof(feed), "%s/feed", test_tmpdir());
	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
		struct machine m = machine(with[i].driver);
		struct cqesim_trace *trace = open(what);
		struct seen seen = {0};

		*laps = replay(&m, trace, with[i].comp, with[i].format, feed, &seen, command,
			       sizeof(command));
		judge(name, program, command, with[i].driver, with[i].format, 0, &seen);
		free(seen.packet);
		cqesim_trace_close(trace);
		machine_free(&m);
	}
}

/* Every Ethernet capture; those of 64 packets and more go round the ring a hundred times. */
START_TEST(captures)
{
	const char *why, *program = referee(&why), *shared = test_shared_dir();
	char dir[4096], path[8192];
	struct dirent *entry;
	unsigned judged = 0, large = 0;

	if (!program) {
		test_skip("referee captures", why);
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
		struct capture c = {path, n >= RING ? (2 * RING * LAPS + n - 1) / n + 1 : 1};
		unsigned laps;
		judge_all(entry->d_name, program, open_capture, &c, &laps);
		judged++;
		if (n >= RING) {
			/* the last one was the vector driver: its completion ring is as large as
			 * its ring */
			ck_assert_msg(laps >= LAPS, "%s: %u laps", entry->d_name, laps);
			large++;
		}
	}
	closedir(d);
	ck_assert_uint_ge(judged, 120);
	ck_assert_uint_ge(large, 40);
}
END_TEST

START_TEST(synthetic)
{
	static const char *const specs[] = {
		"frame=64,flows=1024,rate=line,packets=100k",
		"frame=imix,flows=77,rate=20Mpps,packets=50k,proto=tcp",
		"frame=128,flows=3,rate=1Mpps,packets=20k,l3=ipv6,vlan=7",
	};
	const char *why, *program = referee(&why);

	if (!program) {
		test_skip("referee synthetic", why);
		return;
	}
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		unsigned laps;
		judge_all(specs[i], program, open_synthetic, specs[i], &laps);
		ck_assert_uint_ge(laps, LAPS);
	}
}
END_TEST

/* The other mini formats, on mixed traffic. */
START_TEST(mini_formats)
{
	static const enum cqesim_mini_format formats[] = {
		CQESIM_MINI_CSUM,
		CQESIM_MINI_FTAG_STRIDX,
		CQESIM_MINI_CSUM_STRIDX,
		CQESIM_MINI_L34H_STRIDX,
	};
	static const char *const drivers[] = {"dpdk-mlx5-scalar", "dpdk-mlx5-vec"};
	const char *why, *program = referee(&why);
	char feed[512], command[8192];

	if (!program) {
		test_skip("referee mini_formats", why);
		return;
	}
	snprintf(feed, sizeof(feed), "%s/feed", test_tmpdir());
	for (unsigned i = 0; i < 8; i++) {
		const char *driver = drivers[i % 2];
		enum cqesim_mini_format format = formats[i / 2];
		struct machine m = machine(driver);
		struct cqesim_trace *trace =
			open_synthetic("frame=imix,flows=50,rate=20Mpps,packets=40k");
		struct seen seen = {0};

		/* Scalar 22.11 takes L34H's header type from the mini's second byte: see
		 * mlx5-facts. */
		if (format == CQESIM_MINI_L34H_STRIDX && i % 2 == 0) {
			machine_free(&m);
			cqesim_trace_close(trace);
			continue;
		}
		replay(&m, trace, CQESIM_COMP_CHOOSE_AGGRESSIVE, format, feed, &seen, command,
		       sizeof(command));
		judge(cqesim_mini_format_name(format), program, command, driver, format, 0, &seen);
		free(seen.packet);
		cqesim_trace_close(trace);
		machine_free(&m);
	}
}
END_TEST

/* The enhanced layout, which DPDK knows since 23.03: over 300 laps, so that the count wraps. */
START_TEST(enhanced_layout)
{
	static const struct {
		enum cqesim_mini_format format;
		const char *spec;
	} with[] = {
		{CQESIM_MINI_HASH, "frame=64,flows=1024,rate=30Mpps,packets=50k"},
		{CQESIM_MINI_HASH, "frame=imix,flows=77,rate=5Mpps,packets=50k,proto=tcp"},
		{CQESIM_MINI_CSUM, "frame=imix,flows=50,rate=20Mpps,packets=50k"},
	};
	static struct referee r;
	char feed[512], command[8192];
	const char *why;

	if (!referee_find(&r, true, &why)) {
		test_skip("referee enhanced_layout", why);
		return;
	}
	snprintf(feed, sizeof(feed), "%s/feed", test_tmpdir());
	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
		struct machine m = machine("dpdk-mlx5-scalar");
		struct cqesim_trace *trace = open_synthetic(with[i].spec);
		struct seen seen = {0};

		m.layout = CQESIM_LAYOUT_CHOOSE_ENHANCED;
		unsigned laps = replay(&m, trace, CQESIM_COMP_CHOOSE_AGGRESSIVE, with[i].format,
				       feed, &seen, command, sizeof(command));
		ck_assert_uint_ge(laps, 300);
		ck_assert_ptr_nonnull(strstr(command, "--layout enhanced"));
		judge(with[i].spec, r.path, command, "dpdk-mlx5-scalar", with[i].format, 0, &seen);
		free(seen.packet);
		cqesim_trace_close(trace);
		machine_free(&m);
	}
}
END_TEST

Suite *suite_referee(void)
{
	Suite *s = suite_create("referee");
	TCase *t = tcase_create("referee"), *enhanced = tcase_create("enhanced");

	tcase_set_timeout(t, 1200);
	tcase_add_test(t, synthetic);
	tcase_add_test(t, mini_formats);
	tcase_add_test(t, captures);
	suite_add_tcase(s, t);
	tcase_set_timeout(enhanced, 600);
	tcase_add_test(enhanced, enhanced_layout);
	suite_add_tcase(s, enhanced);
	test_referee_striding(s);
	return s;
}
