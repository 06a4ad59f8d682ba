/* SPDX-License-Identifier: BSD-3-Clause */
/* Station 1: synthetic workloads, every checksum computed again. */
#include <errno.h>

#include "trace_files.h"

START_TEST(synthetic_frames)
{
	bool tcp = _i & 1, ipv6 = _i & 2;
	unsigned vlan = _i & 4 ? 4094 : 0;
	unsigned headers = 14 + (vlan ? 4 : 0) + (ipv6 ? 40 : 20) + (tcp ? 20 : 8);
	unsigned least = headers + 4 > 64 ? headers + 4 : 64;
	char spec[200];
	snprintf(spec, sizeof(spec),
		 "frame=%u:2+9622+%u,flows=600,packets=3k,proto=%s,l3=%s,vlan=%u", least, least + 1,
		 tcp ? "tcp" : "udp", ipv6 ? "ipv6" : "ipv4", vlan);
	struct cqesim_trace *t = open_workload(spec, NULL);
	struct tuple flows[600], seen;
	const struct cqesim_frame *f;
	unsigned at = 0, sizes[3] = {0};
	for (int n; (n = cqesim_trace_next(t, &f, NULL)) > 0;)
		for (int i = 0; i < n; i++, at++) {
			seen = check_handed(&f[i], vlan, ipv6, tcp);
			if (at < 600)
				flows[at] = seen;
			ck_assert_int_eq(memcmp(&seen, &flows[at % 600], sizeof(seen)), 0);
			sizes[f[i].len == 9618 ? 1 : f[i].len + 4 == least ? 0 : 2]++;
		}
	ck_assert_uint_eq(at, 3000);
	ck_assert_uint_eq(sizes[0], 1500);
	ck_assert_uint_eq(sizes[1], 750);
	for (unsigned i = 0; i < 600; i++)
		for (unsigned k = 0; k < i; k++)
			ck_assert_int_ne(memcmp(&flows[i], &flows[k], sizeof(seen)), 0);
	const struct cqesim_trace_stats *s = cqesim_trace_stats(t);
	ck_assert(s->synthetic);
	ck_assert_uint_eq(s->frames, 3000);
	ck_assert_uint_eq(s->packets, 3000);
	ck_assert_uint_eq(s->packets_total, 3000);
	ck_assert_uint_eq(s->wire_bytes, 1500 * least + 750 * 9622 + 750 * (least + 1));
	cqesim_trace_close(t);

	/* One byte less does not hold the headers. */
	if (headers + 4 > 64) {
		snprintf(spec, sizeof(spec), "frame=%u,proto=%s,l3=%s,vlan=%u", least - 1,
			 tcp ? "tcp" : "udp", ipv6 ? "ipv6" : "ipv4", vlan);
		ck_assert_int_eq(cqesim_trace_open_synthetic(&t, spec, 1000000000, NULL, NULL),
				 -EINVAL);
	}
}
END_TEST

static int compare_keys(const void *a, const void *b)
{
	return memcmp(a, b, 10);
}

START_TEST(synthetic_many_flows)
{
	/* Too many to be made in advance: all distinct all the same, and no flow is odd. */
	enum { N = 1 << 24 };
	struct cqesim_trace *t = open_workload("flows=16777216,packets=16777217", NULL);
	uint8_t *seen = calloc(1, N / 8), first[128];
	ck_assert_ptr_nonnull(seen);
	const struct cqesim_frame *f;
	uint64_t at = 0;
	for (int n; (n = cqesim_trace_next(t, &f, NULL)) > 0;)
		for (int i = 0; i < n; i++, at++) {
			if (at == 0)
				memcpy(first, f[i].data, 60);
			if (at == N) { /* all round: flow 0 again */
				ck_assert_int_eq(memcmp(first, f[i].data, 60), 0);
				break;
			}
			if (at % 65521 == 0)
				check_handed(&f[i], 0, false, false);
			/* Low 16 bits in the address, 8 more in the port. */
			unsigned key =
				get16(f[i].data + 28) | (get16(f[i].data + 34) - 49152) >> 6 << 16;
			if (seen[key / 8] & 1 << key % 8)
				ck_abort_msg("flow %llu is not distinct", (unsigned long long)at);
			seen[key / 8] |= (uint8_t)(1 << key % 8);
		}
	ck_assert_uint_eq(cqesim_trace_stats(t)->frames, N + 1);
	cqesim_trace_close(t);
	free(seen);

	/* 100k flows without knowing how they are numbered. */
	t = open_workload("flows=100k,packets=100k,proto=tcp", NULL);
	uint8_t(*keys)[10] = calloc(100000, 10);
	at = 0;
	for (int n; (n = cqesim_trace_next(t, &f, NULL)) > 0;)
		for (int i = 0; i < n; i++, at++) {
			memcpy(keys[at], f[i].data + 26, 8);
			memcpy(keys[at] + 8, f[i].data + 34, 2);
		}
	cqesim_trace_close(t);
	qsort(keys, 100000, 10, compare_keys);
	for (unsigned i = 1; i < 100000; i++)
		ck_assert_int_ne(memcmp(keys[i - 1], keys[i], 10), 0);
	free(keys);
}
END_TEST

START_TEST(synthetic_lengths)
{
	/* Flows and pattern have common factors; each flow sees all lengths all the same. */
	static const unsigned flows[] = {1, 2, 3, 4, 6, 8, 12, 24, 36, 5};
	char spec[100];
	snprintf(spec, sizeof(spec), "frame=imix,flows=%u,packets=%u", flows[_i], flows[_i] * 12);
	struct result r = read_trace(open_workload(spec, NULL));
	ck_assert_uint_eq(r.n, flows[_i] * 12);
	unsigned per_flow[36][3] = {{0}};
	for (unsigned i = 0; i < r.n; i++) {
		unsigned len = r.frames[i].len;
		ck_assert(len == 60 || len == 590 || len == 1514);
		per_flow[i % flows[_i]][len == 60 ? 0 : len == 590 ? 1 : 2]++;
	}
	for (unsigned i = 0; i < flows[_i]; i++) {
		ck_assert_uint_eq(per_flow[i][0], 7);
		ck_assert_uint_eq(per_flow[i][1], 4);
		ck_assert_uint_eq(per_flow[i][2], 1);
	}
	/* Spread out: never more than three short ones in a row (7 of 12). */
	if (flows[_i] == 1)
		for (unsigned i = 0; i + 3 < r.n; i++)
			ck_assert_uint_gt(r.frames[i].len + r.frames[i + 1].len +
						  r.frames[i + 2].len + r.frames[i + 3].len,
					  240);
}
END_TEST

START_TEST(synthetic_times)
{
	/* Line rate of 100 Gbit/s: 84 bytes take 6720 ps. */
	struct result r = read_trace(open_workload("packets=1k", NULL));
	ck_assert_uint_eq(r.n, 1000);
	for (unsigned i = 0; i < 1000; i++)
		ck_assert_uint_eq(r.frames[i].time_ps, i * 6720);
	r = read_trace(open_workload("packets=1000,rate=3pps,frame=imix", NULL));
	for (unsigned i = 0; i < 1000; i++)
		ck_assert_uint_eq(r.frames[i].time_ps, i * CQESIM_PS_PER_S / 3);
	r = read_trace(open_workload("packets=1000,rate=70%,frame=65+1000", NULL));
	uint64_t bytes = 0;
	for (unsigned i = 0; i < 1000; i++) {
		/* 70 Gbit/s: 8000/70 ps per byte. */
		ck_assert_uint_eq(r.frames[i].time_ps, bytes * 8000 / 70);
		bytes += r.frames[i].len + 24;
	}
	/* The caller's rate is stronger. */
	struct cqesim_trace_config c = {.rate = {CQESIM_RATE_PPS, 1000, 1}};
	r = read_trace(open_workload("packets=10,rate=5G", &c));
	ck_assert_uint_eq(r.frames[9].time_ps, 9 * 1000 * PS_PER_US);
	r = read_trace(open_workload("packets=300,rate=0.000002pps", NULL));
	ck_assert_uint_eq(r.frames[34].time_ps, 34 * 500000 * CQESIM_PS_PER_S);
	ck_assert_uint_eq(r.frames[35].time_ps, 200 * DAY_PS);
	ck_assert_uint_eq(r.stats.gaps_clamped, 300 - 35);
}
END_TEST

START_TEST(synthetic_extent)
{
	struct cqesim_trace_config c = {.skip = 7, .limit = 20, .repeat = 3};
	struct result whole = read_trace(open_workload("packets=10,flows=4,frame=64+65+66", NULL));
	struct result r = read_trace(open_workload("packets=10,flows=4,frame=64+65+66", &c));
	ck_assert_uint_eq(r.n, 20);
	ck_assert_uint_eq(r.stats.packets_total, 20);
	ck_assert_uint_eq(r.stats.skipped[CQESIM_SKIP_REQUESTED], 7);
	for (unsigned i = 0; i < 20; i++)
		ck_assert_uint_eq(r.frames[i].len, whole.frames[(i + 7) % 10].len);
	ck_assert_uint_eq(r.frames[0].time_ps, 0);
	c = (struct cqesim_trace_config){.skip = 50};
	r = read_trace(open_workload("packets=10", &c));
	ck_assert_uint_eq(r.n, 0);
	ck_assert_uint_eq(r.stats.skipped[CQESIM_SKIP_REQUESTED], 10);
}
END_TEST

START_TEST(synthetic_refusals)
{
	static const char *const bad[] = {
		"frame=63",
		"frame=9623",
		"frame=",
		"frame=64:0",
		"frame=64:",
		"frame=64+",
		"frame=64x",
		"frame=64.5",
		"frame=64:1:2",
		"flows=0",
		"flows=16777217",
		"flows=",
		"packets=0",
		"packets=1.5",
		"packets=-1",
		"packets=99999999999G",
		"rate=0",
		"rate=",
		"rate=x2",
		"proto=sctp",
		"l3=ipx",
		"vlan=4095",
		"vlan=-1",
		"colour=red",
		"frame",
		"=5",
		",",
		"frame=64,",
		"frame=64,frame=65",
		"frame=64:65536+65:1",
		"frame=64+65+66+67+68+69+70+71+72+73+74+75+76+77+78+79+80",
		"frame=imix,l3=ipv6",
		" frame=64",
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct cqesim_trace *t = NULL;
		struct cqesim_error err = {""};
		ck_assert_msg(cqesim_trace_open_synthetic(&t, bad[i], 1000000000, NULL, &err) ==
				      -EINVAL,
			      "'%s'", bad[i]);
		ck_assert_msg(!t && *err.text, "'%s'", bad[i]);
	}
	struct cqesim_trace *t;
	struct cqesim_error err;
	ck_assert_int_eq(cqesim_trace_open_synthetic(&t, "frame=70", 0, NULL, &err), -EINVAL);
	struct cqesim_trace_config c = {.rate = {CQESIM_RATE_SPEEDUP, 2, 1}};
	ck_assert_int_eq(cqesim_trace_open_synthetic(&t, "", 1000, &c, &err), -EINVAL);
	ck_assert_int_eq(cqesim_trace_open_synthetic(&t, "frame=64,l3=ipv6", 1000, NULL, &err),
			 -EINVAL);
	ck_assert_str_eq(err.text, "workload: frame=64 is too short: the headers and FCS of "
				   "l3=ipv6,proto=udp take 66 bytes");
}
END_TEST

void add_trace_synthetic(Suite *suite)
{
	TCase *c = tcase_create("synthetic");
	tcase_add_loop_test(c, synthetic_frames, 0, 8);
	tcase_add_test(c, synthetic_many_flows);
	tcase_add_loop_test(c, synthetic_lengths, 0, 10);
	tcase_add_test(c, synthetic_times);
	tcase_add_test(c, synthetic_extent);
	tcase_add_test(c, synthetic_refusals);
	tcase_set_timeout(c, 120);
	suite_add_tcase(suite, c);
}
