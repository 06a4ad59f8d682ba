/* SPDX-License-Identifier: BSD-3-Clause */
/* Station 1: arrival times, rates, which packets are read, frame check sequences. */
#include <errno.h>

#include "trace_files.h"

/* --- time --- */

START_TEST(clock_is_tamed)
{
	struct bytes b = {0};
	pcap_header(&b, false, 65535, 1);
	static const struct {
		uint32_t sec, us;
		uint64_t ps;
	} t[] = {
		{100, 0, 0},
		{100, 500, 500 * PS_PER_US},
		{100, 400, 500 * PS_PER_US}, /* reordered: taken as equal */
		{99, 500, 500 * PS_PER_US},  /* back by one second exactly: not a set clock */
		{100, 510, 510 * PS_PER_US}, /* on from the latest time seen */
		{50, 0, 510 * PS_PER_US},    /* set clock */
		{50, 30, 540 * PS_PER_US},   /* on from there */
		{0x7fffffff, 0, 100 * DAY_PS + 540 * PS_PER_US}, /* gap of decades */
		{0x80000001, 0, 100 * DAY_PS + 540 * PS_PER_US + 2 * CQESIM_PS_PER_S}, /* 2038 */
		/* 2106, a second gap of decades: a second */
		{0xffffffff, 0, 100 * DAY_PS + 540 * PS_PER_US + 3 * CQESIM_PS_PER_S},
		{0xffffffff, 9, 100 * DAY_PS + 549 * PS_PER_US + 3 * CQESIM_PS_PER_S},
	};
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		record(&b, t[i].sec, t[i].us, 60, 60, 0);
	struct result r = read_path(save_bytes("clock.pcap", &b), NULL);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_uint_eq(r.n, sizeof(t) / sizeof(*t));
	for (size_t i = 0; i < r.n; i++)
		ck_assert_msg(r.frames[i].time_ps == t[i].ps, "frame %zu at %llu", i,
			      (unsigned long long)r.frames[i].time_ps);
	ck_assert_uint_eq(r.stats.time_backwards, 3);
	ck_assert_uint_eq(r.stats.clock_steps, 1);
	ck_assert_uint_eq(r.stats.gaps_clamped, 2);
	ck_assert_uint_eq(r.stats.last_ps, 100 * DAY_PS + 549 * PS_PER_US + 3 * CQESIM_PS_PER_S);
}
END_TEST

/* Gaps that are fine one by one, but more of them than the clock holds: packets stay apart. */
START_TEST(clock_does_not_end)
{
	struct bytes b = {0};
	const uint32_t step = 90 * 86400;
	uint64_t want[] = {0,
			   90 * DAY_PS,
			   180 * DAY_PS,
			   180 * DAY_PS + CQESIM_PS_PER_S,
			   180 * DAY_PS + CQESIM_PS_PER_S + PS_PER_US,
			   180 * DAY_PS + 2 * CQESIM_PS_PER_S + PS_PER_US};
	pcap_header(&b, false, 65535, 1);
	for (uint32_t i = 0; i < 4; i++)
		record(&b, i * step, 0, 60, 60, 0);
	record(&b, 3 * step, 1, 60, 60, 0);
	record(&b, 4 * step, 1, 60, 60, 0);
	struct result r = read_path(save_bytes("long.pcap", &b), NULL);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_uint_eq(r.n, 6);
	for (size_t i = 0; i < r.n; i++)
		ck_assert_msg(r.frames[i].time_ps == want[i], "frame %zu at %llu", i,
			      (unsigned long long)r.frames[i].time_ps);
	ck_assert_uint_eq(r.stats.gaps_clamped, 2);
}
END_TEST

START_TEST(rates)
{
	static const struct {
		const char *text;
		enum cqesim_rate_kind kind;
		uint64_t num, den;
	} good[] = {
		{"asis", CQESIM_RATE_ASIS, 1, 1},
		{"142Mpps", CQESIM_RATE_PPS, 142000000, 1},
		{"14.88095Mpps", CQESIM_RATE_PPS, 14880950, 1},
		{"0.5pps", CQESIM_RATE_PPS, 1, 2},
		{"10k"
		 "pps",
		 CQESIM_RATE_PPS, 10000, 1},
		{"1.5Kp/s", CQESIM_RATE_PPS, 1500, 1},
		{"100G", CQESIM_RATE_BPS, 100000000000, 1},
		{"2.5G", CQESIM_RATE_BPS, 2500000000, 1},
		{"40Gbps", CQESIM_RATE_BPS, 40000000000, 1},
		{"40Gbit/s", CQESIM_RATE_BPS, 40000000000, 1},
		{"1.6T", CQESIM_RATE_BPS, 1600000000000, 1},
		{"1000bps", CQESIM_RATE_BPS, 1000, 1},
		{"line", CQESIM_RATE_BPS, 25000000000, 1},
		{"100%", CQESIM_RATE_BPS, 25000000000, 1},
		{"80%", CQESIM_RATE_BPS, 20000000000, 1},
		{"33.333333333333%", CQESIM_RATE_BPS, UINT64_C(33333333333333), 4000},
		{"x2", CQESIM_RATE_SPEEDUP, 2, 1},
		{"x0.5", CQESIM_RATE_SPEEDUP, 1, 2},
		{"x1.25", CQESIM_RATE_SPEEDUP, 5, 4},
	};
	static const char *const bad[] = {
		"",
		"fast",
		"pps",
		"0pps",
		"0%",
		"x0",
		"x",
		"0.0G",
		"100",
		"-5pps",
		"1e9pps",
		"1.2.3Mpps",
		"100GB",
		"100GBps",
		"100 G",
		"5Xpps",
		"x2k",
		"80k%",
		"x2pps",
		".",
		"99999999999999999999pps",
		"0.00000000000000000001pps",
		"20000000Mpps",
		"9999T",
		"0.0000001pps",
		"0.5bps",
		"0.12345678901234567891G",
		"100Gpps ",
		"asis ",
		"x2%",
		"inf",
		"nan",
		"0x10pps",
		"+5pps",
	};
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct cqesim_rate r = {0};
		struct cqesim_error err = {""};
		int rc = cqesim_rate_parse(good[i].text, 25000000000, &r, &err);
		ck_assert_msg(rc == 0 && r.kind == good[i].kind && r.num == good[i].num &&
				      r.den == good[i].den,
			      "%s: %d %llu/%llu %s", good[i].text, rc, (unsigned long long)r.num,
			      (unsigned long long)r.den, err.text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct cqesim_rate r = {0};
		struct cqesim_error err = {""};
		ck_assert_msg(cqesim_rate_parse(bad[i], 25000000000, &r, &err) == -EINVAL, "'%s'",
			      bad[i]);
		ck_assert_msg(*err.text && r.num == 0, "'%s'", bad[i]);
	}
	struct cqesim_rate r;
	ck_assert_int_eq(cqesim_rate_parse("line", 0, &r, NULL), -EINVAL);
	ck_assert_int_eq(cqesim_rate_parse("5%", 0, &r, NULL), -EINVAL);
}
END_TEST

START_TEST(retiming)
{
	struct bytes b = {0};
	pcap_header(&b, false, 65535, 1);
	for (unsigned i = 0; i < 300; i++)
		record(&b, i, 0, 10, i % 2 ? 1514 : 20, 0);
	const char *path = save_bytes("rate.pcap", &b);

	/* 3 packets in 7 seconds: frame i at floor(i x 7/3 s). */
	struct cqesim_trace_config c = {.rate = {CQESIM_RATE_PPS, 3, 7}};
	struct result r = read_path(path, &c);
	ck_assert_uint_eq(r.n, 300);
	for (unsigned i = 0; i < 300; i++)
		ck_assert_uint_eq(r.frames[i].time_ps, i * 7 * CQESIM_PS_PER_S / 3);

	/* 10 Gbit/s: 84 bytes take 67.2 ns, 1538 take 1230.4 ns. */
	c.rate = (struct cqesim_rate){CQESIM_RATE_BPS, 10000000000, 1};
	r = read_path(path, &c);
	for (unsigned i = 0; i < 300; i++)
		ck_assert_uint_eq(r.frames[i].time_ps,
				  i / 2 * (67200 + 1230400) + i % 2 * UINT64_C(67200));

	/* 7 bit/s: a byte takes 8/7 s; nothing is lost to rounding. */
	c.rate = (struct cqesim_rate){CQESIM_RATE_BPS, 7, 1};
	r = read_path(path, &c);
	for (unsigned i = 0; i < 300; i++)
		ck_assert_uint_eq(r.frames[i].time_ps,
				  (i / 2 * (84 + 1538) + i % 2 * 84) * 8 * CQESIM_PS_PER_S / 7);

	c.rate = (struct cqesim_rate){CQESIM_RATE_SPEEDUP, 7, 2};
	r = read_path(path, &c);
	for (unsigned i = 0; i < 300; i++)
		ck_assert_uint_eq(r.frames[i].time_ps, i * 2 * CQESIM_PS_PER_S / 7);

	/* One packet per nine days: after 200 days steps are of a second. */
	c.rate = (struct cqesim_rate){CQESIM_RATE_PPS, 1, 9 * 86400};
	r = read_path(path, &c);
	ck_assert_uint_eq(r.frames[22].time_ps, 198 * DAY_PS);
	ck_assert_uint_eq(r.frames[23].time_ps, 198 * DAY_PS + CQESIM_PS_PER_S);
	ck_assert_uint_eq(r.frames[299].time_ps, 198 * DAY_PS + 277 * CQESIM_PS_PER_S);
	ck_assert_uint_eq(r.stats.gaps_clamped, 300 - 23);

	struct cqesim_trace *t;
	c.rate = (struct cqesim_rate){CQESIM_RATE_PPS, 0, 1};
	ck_assert_int_eq(cqesim_trace_open(&t, &path, 1, &c, NULL), -EINVAL);
}
END_TEST

START_TEST(skip_limit_repeat)
{
	struct bytes b = {0};
	three_packets(&b);
	const char *one = save_bytes("r1.pcap", &b);
	three_packets(&b);
	const char *two[] = {one, save_bytes("r2.pcap", &b)};
	/* Rounds of 0 1 2 | 2 3 4 seconds: the mean gap is 4/5 s. */
	struct cqesim_trace_config c = {.repeat = 2};
	struct result r = read_paths(two, 2, &c);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_uint_eq(r.n, 12);
	ck_assert_uint_eq(r.frames[5].time_ps, 4 * CQESIM_PS_PER_S);
	ck_assert_uint_eq(r.frames[6].time_ps, 4800000000000);
	ck_assert_uint_eq(r.frames[11].time_ps, 8800000000000);
	ck_assert_uint_eq(r.stats.files, 2);
	ck_assert_uint_eq(r.stats.bytes_total, 4 * 252);
	ck_assert_uint_eq(r.stats.bytes_read, 4 * 252);

	c = (struct cqesim_trace_config){.repeat = 3, .skip = 4, .limit = 10};
	r = read_path(one, &c);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_uint_eq(r.n, 5);
	ck_assert_uint_eq(r.first[0], 2);
	ck_assert_uint_eq(r.first[1], 3);
	ck_assert_uint_eq(r.first[2], 1);
	ck_assert_uint_eq(r.frames[0].time_ps, 0);
	ck_assert_uint_eq(r.frames[2].time_ps, 2 * CQESIM_PS_PER_S);
	ck_assert_uint_eq(r.stats.skipped[CQESIM_SKIP_REQUESTED], 4);
	ck_assert_uint_eq(r.stats.packets, 5);

	c = (struct cqesim_trace_config){.repeat = UINT64_MAX, .limit = 1000};
	r = read_path(one, &c);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_uint_eq(r.n, 1000);
	ck_assert_uint_eq(r.stats.packets_total, 1000);
	ck_assert_uint_eq(r.frames[999].time_ps, 999 * CQESIM_PS_PER_S);

	c = (struct cqesim_trace_config){.skip = 1, .limit = 1};
	r = read_path(one, &c);
	ck_assert_uint_eq(r.n, 1);
	ck_assert_uint_eq(r.first[0], 2);

	c = (struct cqesim_trace_config){.skip = UINT64_MAX, .limit = UINT64_MAX};
	r = read_path(one, &c);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_uint_eq(r.n, 0);

	/* Nothing in it: an endless repetition ends. */
	pcap_header(&b, false, 100, 1);
	c = (struct cqesim_trace_config){.repeat = UINT64_MAX};
	r = read_path(save_bytes("none.pcap", &b), &c);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_uint_eq(r.n, 0);
}
END_TEST

/* --- frame check sequences --- */

/* Bit by bit, IEEE 802.3 3.2.9. */
static uint32_t crc(const uint8_t *p, size_t n)
{
	uint32_t c = ~0u;
	for (size_t i = 0; i < n; i++) {
		c ^= p[i];
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
	}
	return ~c;
}

/* A frame of `length` bytes, FCS included, right or wrong. */
static void record_with_fcs(struct bytes *b, uint32_t stored, uint32_t length, bool right)
{
	uint8_t f[2000];
	for (uint32_t i = 0; i < length; i++)
		f[i] = (uint8_t)(i * 7 + length);
	uint32_t c = crc(f, length - 4) ^ !right;
	for (int i = 0; i < 4; i++)
		f[length - 4 + (uint32_t)i] = (uint8_t)(c >> 8 * i);
	record(b, 1, 0, 0, length, 0);
	b->at[b->n - 8] = (uint8_t)stored;
	b->at[b->n - 7] = (uint8_t)(stored >> 8);
	put(b, f, stored);
}

START_TEST(frame_check_sequence)
{
	ck_assert_uint_eq(crc((const uint8_t *)"123456789", 9), 0xcbf43926);
	struct bytes b = {0};
	pcap_header(&b, false, 65535, 1);
	record_with_fcs(&b, 64, 64, true);
	record_with_fcs(&b, 128, 1518, false); /* cut: not looked at */
	record_with_fcs(&b, 1516, 1518, true); /* cut inside the FCS */
	record_with_fcs(&b, 1518, 1518, true);
	record_with_fcs(&b, 70, 70, false); /* one damaged frame is outvoted */
	record(&b, 1, 0, 3, 3, 0);
	record(&b, 1, 0, 4, 4, 0);
	record(&b, 1, 0, 5, 5, 0);
	const char *with = save_bytes("fcs.pcap", &b);
	for (int mode = CQESIM_FCS_PRESENT; mode <= CQESIM_FCS_AUTO; mode++) {
		struct result r = read_path(with, &(struct cqesim_trace_config){.fcs = mode});
		ck_assert_int_eq(r.stats.fcs, CQESIM_FCS_PRESENT);
		ck_assert_int_eq(r.stats.fcs_detected, mode == CQESIM_FCS_AUTO);
		ck_assert_uint_eq(r.n, 6);
		static const uint32_t orig[] = {60, 1514, 1514, 1514, 66, 1};
		static const uint32_t cap[] = {60, 128, 1514, 1514, 66, 1};
		for (int i = 0; i < 6; i++) {
			ck_assert_uint_eq(r.frames[i].orig_len, orig[i]);
			ck_assert_uint_eq(r.frames[i].cap_len, cap[i]);
		}
		ck_assert_uint_eq(r.stats.skipped[CQESIM_SKIP_ZERO_LENGTH], 2);
		ck_assert_uint_eq(r.stats.cut, 1);
		ck_assert_uint_eq(r.stats.capture_bytes, 64 + 3 * 1518 + 70 + 3 + 4 + 5);
	}
	struct result r = read_path(with, NULL);
	ck_assert_int_eq(r.stats.fcs, CQESIM_FCS_ABSENT);
	ck_assert_uint_eq(r.n, 8);
	ck_assert_uint_eq(r.frames[0].orig_len, 64);

	/* Half of them right is not most; none to look at means none. */
	struct cqesim_trace_config automatic = {.fcs = CQESIM_FCS_AUTO};
	pcap_header(&b, false, 65535, 1);
	record_with_fcs(&b, 64, 64, true);
	record_with_fcs(&b, 65, 65, false);
	r = read_path(save_bytes("fcs2.pcap", &b), &automatic);
	ck_assert_int_eq(r.stats.fcs, CQESIM_FCS_ABSENT);
	ck_assert_uint_eq(r.frames[0].orig_len, 64);
	pcap_header(&b, false, 65535, 1);
	record_with_fcs(&b, 63, 63, true);
	r = read_path(save_bytes("fcs3.pcap", &b), &automatic);
	ck_assert_int_eq(r.stats.fcs, CQESIM_FCS_ABSENT);

	/* The file header says two 16-bit words of FCS, or none: believed. */
	pcap_header(&b, false, 65535, 0x24000001);
	record(&b, 1, 0, 64, 64, 0);
	r = read_path(save_bytes("fcs4.pcap", &b), &automatic);
	ck_assert_int_eq(r.stats.fcs, CQESIM_FCS_PRESENT);
	ck_assert_uint_eq(r.frames[0].orig_len, 60);
	pcap_header(&b, false, 65535, 0x04000001);
	record_with_fcs(&b, 64, 64, true);
	r = read_path(save_bytes("fcs5.pcap", &b), &automatic);
	ck_assert_int_eq(r.stats.fcs, CQESIM_FCS_ABSENT);
}
END_TEST

void add_trace_times(Suite *suite)
{
	TCase *c = tcase_create("times");
	tcase_add_test(c, clock_is_tamed);
	tcase_add_test(c, clock_does_not_end);
	tcase_add_test(c, rates);
	tcase_add_test(c, retiming);
	tcase_add_test(c, skip_limit_repeat);
	tcase_add_test(c, frame_check_sequence);
	suite_add_tcase(suite, c);
}
