/* SPDX-License-Identifier: BSD-3-Clause */
/* sim: striding queues end to end, buffers of several segments, memory, and reasons of drops. */
#include <errno.h>
#include <string.h>

#include "sim_run.h"

/* Books of a striding run: strides, fillers and WQEs agree with each other. */
static void check_strides(const char *what, const struct sim_run *r)
{
	const struct cqesim_result *s = r->result;
	uint64_t all = cqesim_strides_per_wqe(&s->rq.strides);
	uint64_t stride = UINT64_C(1) << s->rq.strides.log_stride_bytes;
	uint64_t taken = s->nic.strides + s->nic.filler_strides, short_of = 0;

	ck_assert(s->rq.striding);
	ck_assert_uint_eq(s->nic.results[CQESIM_RX_DELIVERED], s->delivered);
	ck_assert_uint_eq(s->delivered, s->nic.plain + s->nic.session_packets);
	ck_assert_uint_eq(s->host.fillers, s->nic.fillers);
	ck_assert_uint_eq(s->host.packets, s->delivered);
	ck_assert_uint_eq(s->nic.stride_bytes, s->nic.strides * stride);
	ck_assert_uint_eq(s->nic.filler_bytes, s->nic.filler_strides * stride);
	/* WQEs used up, and one in use in each queue. */
	ck_assert_msg(taken >= s->nic.wqes * all && taken <= (s->nic.wqes + s->queues) * all,
		      "%s: %llu strides, %llu WQEs", what, (unsigned long long)taken,
		      (unsigned long long)s->nic.wqes);
	ck_assert_uint_eq(s->rq.taken_bytes, s->nic.stride_bytes);
	ck_assert_uint_eq(s->rq.packet_bytes, s->delivered_bytes);
	ck_assert_uint_ge(s->rq.taken_bytes, s->rq.packet_bytes);
	ck_assert_uint_le(s->host.buffers_max, s->rq.buffers);
	for (unsigned i = 0; i < CQESIM_SHORTAGES; i++)
		short_of += s->shortage[i];
	ck_assert_uint_eq(short_of, s->nic.results[CQESIM_RX_OUT_OF_BUFFER]);
	ck_assert_uint_eq(short_of - s->shortage[CQESIM_SHORT_LINK],
			  s->dropped[CQESIM_DROP_OUT_OF_BUFFER]);
}

/* 60 bytes in strides of 64: 16 of a WQE of 16 strides, no filler, 4 of 64 bytes wasted. */
START_TEST(small_packets)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-mprq");

	run_set(r, "stride", "64");
	run_set(r, "strides", "16");
	const struct cqesim_result *s =
		run_synthetic(r, "frame=64,flows=9,rate=1Mpps,packets=1600");
	check_strides("small", r);
	ck_assert_uint_eq(s->delivered, 1600);
	ck_assert_uint_eq(s->nic.strides, 1600);
	ck_assert_uint_eq(s->nic.fillers, 0);
	ck_assert_uint_eq(s->nic.wqes, 100);
	ck_assert_uint_eq(s->rq.taken_bytes, 1600 * 64);
	ck_assert_uint_eq(s->rq.packet_bytes, 1600 * 60);
	ck_assert_uint_eq(s->host.copied, 1600);
	/* 64 bytes fetched are two WQEs of 16 packets each. */
	ck_assert_uint_eq(s->nic.traffic[CQESIM_TRAFFIC_WQE_REQUEST].count, 50);
	ck_assert_double_eq_tol(s->bytes_per_packet[CQESIM_TRAFFIC_WQE_REQUEST], 24.0 / 32, 1e-12);
	ck_assert_uint_eq(s->nic.traffic[CQESIM_TRAFFIC_DATA].wire, 1600 * 84);
	run_free(r);
}
END_TEST

/* 1514 bytes take 6 strides of 256; 16 of a WQE: two fit, and four are closed. */
START_TEST(fillers_by_hand)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-mprq-vec");

	run_set(r, "stride", "256");
	run_set(r, "strides", "16");
	const struct cqesim_result *s =
		run_synthetic(r, "frame=1518,flows=9,rate=100kpps,packets=1001");
	check_strides("fillers", r);
	ck_assert_uint_eq(s->delivered, 1001);
	ck_assert_uint_eq(s->nic.strides, 6 * 1001);
	ck_assert_uint_eq(s->nic.fillers, 500);
	ck_assert_uint_eq(s->nic.filler_strides, 4 * 500);
	ck_assert_uint_eq(s->nic.wqes, 500);
	/* A completion for each, at 88 bytes. */
	ck_assert_uint_eq(s->nic.traffic[CQESIM_TRAFFIC_CQE].count, 1501);
	ck_assert_double_eq_tol(s->bytes_per_packet[CQESIM_TRAFFIC_CQE], 88.0 * 1501 / 1001, 1e-9);
	/* 1536 - 1514 is less than the headroom: all are copied. */
	ck_assert_uint_eq(s->host.copied, 1001);
	run_free(r);
}
END_TEST

/*
 * What the link carries, by hand: data, completions, the fillers' (88 bytes per WQE,
 * whatever the packets' are), and WQEs of 32 bytes read two at a time (24, and 8 for
 * the Ack of what came).
 */
static double carried_up(const struct cqesim_result *s, double data, double cqe)
{
	double strides = (double)(s->nic.strides + s->nic.filler_strides);
	double wqes = strides / cqesim_strides_per_wqe(&s->rq.strides) / (double)s->delivered;
	double fillers = (double)s->nic.fillers / (double)s->delivered;

	return s->link_rate / (data + cqe + 88 * fillers + 32 * wqes / 2);
}

START_TEST(fillers_on_the_link)
{
	/* 326 bytes take 6 strides of 8: each WQE but the last ends in a filler. */
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-mprq");

	run_set(r, "stride", "64");
	run_set(r, "strides", "8");
	r->config.comp = CQESIM_COMP_CHOOSE_OFF;
	const struct cqesim_result *s =
		run_synthetic(r, "frame=330,flows=9,rate=1Mpps,packets=1000");
	ck_assert_uint_eq(s->nic.fillers, 999);
	double rate = carried_up(s, 376, 88);
	ck_assert_double_eq_tol(s->link_max_pps / rate, 1, 1e-9);
	ck_assert_double_eq_tol(s->link_plain_pps / rate, 1, 1e-9);
	ck_assert_double_eq_tol(s->link_rate / rate, 568, 0.2); /* with 1000 fillers exactly */
	ck_assert_double_eq_tol(s->limit_pps[CQESIM_LIMIT_LINK] / s->link_max_pps, 0.97, 1e-9);

	/* 186 bytes take 3 of 16: five packets to a WQE, in a session, and a filler. */
	run_set(r, "strides", "16");
	for (unsigned i = 0; i < 2; i++) {
		r->config.comp = i ? CQESIM_COMP_CHOOSE_BALANCED : CQESIM_COMP_CHOOSE_AGGRESSIVE;
		s = run_synthetic(r, "frame=190,flows=1,rate=50Mpps,packets=20000");
		ck_assert_uint_gt(s->nic.fillers, 500);
		if (!i)
			ck_assert_double_eq_tol(s->session_bytes, 176.0 / 5, 0.1);
		rate = carried_up(s, 212, s->session_bytes);
		if (s->nic.sessions)
			ck_assert_double_eq_tol(s->link_compressed_pps / rate, 1, 1e-9);
		double plain = carried_up(s, 212, 88);
		ck_assert_double_eq_tol(s->link_plain_pps / plain, 1, 1e-9);
		if (i)
			ck_assert_double_eq_tol(s->link_max_pps / (s->nic.sessions ? rate : plain),
						1, 1e-9);
	}
	run_free(r);
}
END_TEST

/* Linux 461017cb00: 16 WQEs of 2048 strides of 64 bytes, 2 MiB. */
START_TEST(first_linux_geometry)
{
	struct sim_run *r = run_new("connectx-4lx", "gen3x8", "linux-mlx5e-striding");

	run_set(r, "stride", "64");
	run_set(r, "strides", "2048");
	r->config.wqes = 16;
	const struct cqesim_result *s =
		run_synthetic(r, "frame=64,flows=1,rate=40Mpps,packets=32768");
	check_strides("linux", r);
	ck_assert_uint_eq(s->rq.buffer_bytes, 2097152);
	ck_assert_uint_eq(s->rq.wqe_ring_bytes, 512);
	ck_assert_uint_eq(s->rq.cq_ring_bytes, 32768 * 64);
	/* As many as the ring has strides: none is lost, however slow the core is. */
	ck_assert_uint_eq(s->delivered, 32768);
	run_synthetic(r, "frame=64,flows=1,rate=40Mpps,packets=65536");
	check_strides("linux, longer", r);
	ck_assert_uint_gt(r->result->dropped[CQESIM_DROP_OUT_OF_BUFFER], 0);
	ck_assert_uint_eq(r->result->shortage[CQESIM_SHORT_CORE],
			  r->result->dropped[CQESIM_DROP_OUT_OF_BUFFER]);
	run_free(r);
}
END_TEST

/* All drivers, mixes, policies and shapes: what comes back is what was sent. */
START_TEST(books)
{
	static const char *const drivers[] = {"dpdk-mlx5-mprq", "dpdk-mlx5-mprq-vec",
					      "linux-mlx5e-striding"};
	static const struct {
		const char *stride, *strides, *shift;
		unsigned wqes;
	} shapes[] = {
		{"64", "512", "off", 2},   {"256", "64", "off", 8}, {"128", "8", "on", 64},
		{"2048", "128", "off", 4}, {"8192", "16", "on", 2},
	};
	static const char *const traces[] = {
		"frame=imix,flows=40,rate=line,packets=20k",
		"frame=64,flows=300,rate=30Mpps,packets=20k",
		"frame=9000,flows=3,rate=line,packets=2k",
	};
	static const enum cqesim_comp_choice comp[] = {
		CQESIM_COMP_CHOOSE_OFF, CQESIM_COMP_CHOOSE_BALANCED, CQESIM_COMP_CHOOSE_AGGRESSIVE};

	for (unsigned i = 0; i < 3 * 5 * 3 * 3; i++) {
		const char *driver = drivers[i % 3];
		unsigned s = i / 3 % 5, t = i / 15 % 3, c = i / 45;
		char what[200];

		if (shapes[s].shift[1] == 'n' && strstr(driver, "vec"))
			continue; /* it counts strides by length */
		snprintf(what, sizeof(what), "%s, %s x %s, %s, policy %u", driver,
			 shapes[s].strides, shapes[s].stride, traces[t], c);
		struct sim_run *r = run_new("connectx-5", "gen3x16", driver);
		run_set(r, "stride", shapes[s].stride);
		run_set(r, "strides", shapes[s].strides);
		run_set(r, "two_byte_shift", shapes[s].shift);
		r->config.wqes = shapes[s].wqes;
		r->config.comp = comp[c];
		r->config.queues = 1 + i % 2;
		run_synthetic(r, traces[t]);
		check_strides(what, r);
		ck_assert_uint_gt(r->result->delivered + r->result->dropped[CQESIM_DROP_OTHER], 0);
		run_free(r);
	}
}
END_TEST

/* Every mini format that a driver of this kind can have. */
START_TEST(formats)
{
	for (int f = 0; f < CQESIM_MINI_FORMATS; f++)
		for (unsigned linux_driver = 0; linux_driver < 2; linux_driver++) {
			struct sim_run *r =
				run_new("connectx-5", "gen3x16",
					linux_driver ? "linux-mlx5e-striding" : "dpdk-mlx5-mprq");
			bool no_index = f == CQESIM_MINI_HASH || f == CQESIM_MINI_CSUM;

			run_set(r, "stride", "256");
			run_set(r, "strides", "32");
			r->config.comp = CQESIM_COMP_CHOOSE_AGGRESSIVE;
			r->config.mini_format = f;
			run_open_synthetic(r, "frame=imix,flows=40,rate=1Mpps,packets=10k");
			if (no_index && !linux_driver) {
				ck_assert_int_eq(run_add_sim(r), -EINVAL);
				ck_assert_ptr_nonnull(strstr(r->err.text, "csum_stridx"));
			} else {
				run_well(r);
				check_strides(cqesim_mini_format_name((enum cqesim_mini_format)f),
					      r);
				ck_assert_uint_eq(r->result->delivered, 10000);
				ck_assert_uint_gt(r->result->nic.sessions, 100);
			}
			run_free(r);
		}
}
END_TEST

/* One packet in 50 is kept, and pins a WQE's buffer of which there is no other. */
START_TEST(held_by_the_application)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "linux-mlx5e-striding");
	const char *const spec = "frame=512,flows=9,rate=2Mpps,packets=20k";

	run_set(r, "stride", "512");
	run_set(r, "strides", "64");
	run_set(r, "wqe_buffers", "1");
	r->config.wqes = 8;
	ck_assert_uint_eq(run_synthetic(r, spec)->delivered, 20000);
	ck_assert_uint_eq(r->result->host.kept_max, 0);
	r->config.hold = (struct cqesim_hold){.every = 50, .packets = 100};
	run_synthetic(r, spec);
	check_strides("held", r);
	/* 8 WQEs of 64 packets and no more: all are pinned by some of the first 11 kept. */
	ck_assert_uint_eq(r->result->delivered, 512);
	ck_assert_uint_eq(r->result->host.kept_max, 10);
	ck_assert_uint_eq(r->result->shortage[CQESIM_SHORT_APPLICATION], 20000 - 512);
	/* Enough other buffers, and nothing is lost. */
	run_set(r, "wqe_buffers", "16");
	run_synthetic(r, spec);
	check_strides("held, spares", r);
	ck_assert_uint_eq(r->result->delivered, 20000);
	ck_assert_uint_gt(r->result->host.replaced, 0);
	/* For a time only. */
	run_set(r, "wqe_buffers", "1");
	r->config.hold = (struct cqesim_hold){.every = 50, .ps = 1000000000};
	run_synthetic(r, spec);
	check_strides("held for a time", r);
	ck_assert_uint_gt(r->result->delivered, 512);
	ck_assert_uint_gt(r->result->shortage[CQESIM_SHORT_APPLICATION], 0);
	run_free(r);
}
END_TEST

/* A burst that the core would manage, but not this ring between two of its polls. */
START_TEST(ring_too_small)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-mprq-vec");

	run_set(r, "strides", "8");
	run_set(r, "stride", "64");
	run_set(r, "app_poll_cycles", "3000"); /* a poll takes a microsecond, whatever it finds */
	r->config.wqes = 2;
	r->config.burst = 64;
	run_synthetic(r, "frame=64,flows=9,rate=12Mpps,packets=20k");
	check_strides("ring", r);
	ck_assert_uint_gt(r->result->shortage[CQESIM_SHORT_RING], 2000);
	ck_assert_uint_eq(r->result->shortage[CQESIM_SHORT_CORE], 0);
	r->config.wqes = 32;
	ck_assert_uint_eq(run_synthetic(r, "frame=64,flows=9,rate=12Mpps,packets=20k")->delivered,
			  20000);
	run_free(r);
}
END_TEST

/* Cyclic: buffers of 2048 bytes; as in DPDK only the first keeps its headroom free. */
START_TEST(several_segments)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-scalar");
	const struct cqesim_result *s;

	run_set(r, "buffer", "2048");
	s = run_synthetic(r, "frame=9000,flows=9,rate=100kpps,packets=1000");
	ck_assert_uint_eq(s->delivered, 1000);
	/* MTU 9216: 2048 + 4 x 2176 is enough, rounded up to 8 segments. */
	ck_assert_uint_eq(s->rq.segments, 8);
	ck_assert_uint_eq(s->rq.wqe_room, 2048 + 7 * 2176);
	ck_assert_uint_eq(s->rq.wqe_ring_bytes, 1024 * 8 * 16);
	ck_assert_uint_eq(s->rq.buffers, 8192);
	ck_assert_uint_eq(s->rq.taken_bytes, 1000 * s->rq.wqe_room);
	/* 8996 bytes in five pieces; a WQE of 128 bytes is read by itself. */
	ck_assert_uint_eq(s->nic.traffic[CQESIM_TRAFFIC_DATA].payload, 1000 * 8996);
	ck_assert_uint_eq(s->nic.traffic[CQESIM_TRAFFIC_WQE_REQUEST].count, 1000);
	check_books("segments", r);
	/* Where one buffer is enough, one is used. */
	r->config.mtu = 1500;
	s = run_synthetic(r, "frame=1500,flows=9,rate=100kpps,packets=100");
	ck_assert_uint_eq(s->rq.segments, 1);
	ck_assert_uint_eq(s->rq.wqe_room, 1500 + 18 + 4);
	run_free(r);
}
END_TEST

START_TEST(refused)
{
	static const struct {
		const char *driver, *key, *value;
		unsigned ring, wqes;
		struct cqesim_hold hold;
		const char *says;
	} bad[] = {
		{"dpdk-mlx5-mprq",
		 "strides",
		 "48",
		 0,
		 0,
		 {0, 0, 0},
		 "strides 48: expected a power"},
		{"dpdk-mlx5-mprq",
		 "stride",
		 "100",
		 0,
		 0,
		 {0, 0, 0},
		 "stride 100: expected a power"},
		{"dpdk-mlx5-mprq", "strides", "1024", 0, 0, {0, 0, 0}, "at least 2048"},
		{"dpdk-mlx5-mprq", "strides", "64", 96, 0, {0, 0, 0}, "ring 96"},
		{"dpdk-mlx5-mprq", "strides", "64", 0, 1, {0, 0, 0}, "wqes 1"},
		{"dpdk-mlx5-mprq", "strides", "64", 0, 12, {0, 0, 0}, "wqes 12"},
		{"dpdk-mlx5-mprq", "strides", "65536", 0, 128, {0, 0, 0}, "strides in all"},
		{"dpdk-mlx5-mprq",
		 "strides",
		 "64",
		 0,
		 0,
		 {5, 0, 0},
		 "how many packets or how long"},
		{"dpdk-mlx5-mprq-vec", "two_byte_shift", "on", 0, 0, {0, 0, 0}, "by length"},
		{"dpdk-mlx5-vec", "strides", "64", 0, 4, {0, 0, 0}, "cyclic receive queue"},
		{"dpdk-mlx5-vec", "strides", "64", 0, 0, {5, 1, 0}, "hold no WQE"},
		{"dpdk-mlx5-vec", "buffer", "2048", 0, 0, {0, 0, 0}, "dpdk-mlx5-scalar"},
		{"dpdk-mlx5-scalar", "buffer", "64", 0, 0, {0, 0, 0}, "32 segments"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sim_run *r = run_new("connectx-5", "gen3x16", bad[i].driver);

		run_set(r, bad[i].key, bad[i].value);
		r->config.ring = bad[i].ring;
		r->config.wqes = bad[i].wqes;
		r->config.hold = bad[i].hold;
		ck_assert_int_eq(run_add_sim(r), -EINVAL);
		ck_assert_msg(strstr(r->err.text, bad[i].says) != NULL, "%zu: %s", i, r->err.text);
		run_free(r);
	}
}
END_TEST

/* The option goes before the profile, and the JSON tells what ran. */
START_TEST(option_and_json)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-vec");

	r->config.rq = CQESIM_RQ_CHOOSE_STRIDING;
	run_set(r, "stride", "256");
	run_synthetic(r, "frame=imix,flows=9,rate=1Mpps,packets=1000");
	check_strides("option", r);
	char *json = run_json(r, 0);
	ck_assert_ptr_nonnull(strstr(json, "\"type\": \"striding\""));
	ck_assert_ptr_nonnull(strstr(json, "\"stride_bytes\": 256"));
	ck_assert_ptr_nonnull(strstr(json, "\"wasted_bytes\""));
	char *again = run_json(r, 0);
	ck_assert_str_eq(json, again);
	free(again);
	/* Same input, same output. */
	run_synthetic(r, "frame=imix,flows=9,rate=1Mpps,packets=1000");
	again = run_json(r, 0);
	ck_assert_str_eq(json, again);
	free(again);
	free(json);
	run_free(r);

	r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-mprq");
	r->config.rq = CQESIM_RQ_CHOOSE_CYCLIC;
	ck_assert(!run_synthetic(r, "frame=64,rate=1Mpps,packets=10")->rq.striding);
	run_free(r);
}
END_TEST

/* Padding aligns the end of what is written, so it stays within the packet's strides. */
START_TEST(padding_after_a_shift)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "linux-mlx5e-striding");

	r->config.comp = CQESIM_COMP_CHOOSE_OFF;
	run_set(r, "stride", "64");
	run_set(r, "strides", "64");
	run_set(r, "two_byte_shift", "on");
	const struct cqesim_result *s = run_synthetic(r, "frame=126,packets=200,rate=1G");
	const struct cqesim_tlps *data = &s->nic.traffic[CQESIM_TRAFFIC_DATA];
	/* 122 bytes at +2 end at 124: written up to 128, 126 bytes in 32 DWs, two strides. */
	ck_assert_uint_eq(data->payload, 200 * 126);
	ck_assert_uint_eq(data->wire, data->count * 24 + 200 * 128);
	run_free(r);
}
END_TEST

/* Fillers are no loss of compression: without it nothing is saved, and nothing lost. */
START_TEST(fillers_and_savings)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-mprq");

	r->config.comp = CQESIM_COMP_CHOOSE_OFF;
	run_set(r, "strides", "8");
	run_set(r, "stride", "256");
	const struct cqesim_result *s = run_synthetic(r, "frame=imix,flows=4,rate=1G,packets=3k");
	ck_assert_uint_gt(s->nic.fillers, 0);
	char *json = run_json(r, 0);
	ck_assert_ptr_nonnull(strstr(json, "\"saved_bytes_per_packet\": 0.0"));
	free(json);
	run_free(r);
}
END_TEST

void add_sim_striding(Suite *suite)
{
	TCase *t = tcase_create("striding");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, small_packets);
	tcase_add_test(t, padding_after_a_shift);
	tcase_add_test(t, fillers_by_hand);
	tcase_add_test(t, fillers_and_savings);
	tcase_add_test(t, fillers_on_the_link);
	tcase_add_test(t, first_linux_geometry);
	tcase_add_test(t, books);
	tcase_add_test(t, formats);
	tcase_add_test(t, held_by_the_application);
	tcase_add_test(t, ring_too_small);
	tcase_add_test(t, several_segments);
	tcase_add_test(t, refused);
	tcase_add_test(t, option_and_json);
	suite_add_tcase(suite, t);
}
