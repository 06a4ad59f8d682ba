/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim: the link in the replay beyond receiving alone: forwarding against the
 * closed form, limits that are not bytes, the file of TLPs.
 */
#include <errno.h>
#include <unistd.h>

#include "cqesim/ceiling.h"
#include "sim_run.h"

/* Saturated: packets per second that went through while the trace came in. */
static double carried(const struct cqesim_result *s)
{
	return (double)s->delivered / ((double)s->nic.link_done_ps * 1e-12);
}

/* ---- forwarding ---- */

/* Plain CQEs, cyclic, no padding: bytes of the closed form, and its rate at saturation. */
static void forwards(const char *link, uint32_t frame, uint32_t tx_inline, uint32_t mpw,
		     double tolerance, const char *spec)
{
	struct sim_run *r = run_new("connectx-5", link, "dpdk-mlx5-vec");
	struct cqesim_ceiling_config c;
	struct cqesim_ceiling formula;
	struct cqesim_error err = {""};

	r->config.forward = true;
	r->config.tx_inline = tx_inline;
	r->config.tx_mpw = mpw;
	r->config.queues = 8;
	r->config.comp = CQESIM_COMP_CHOOSE_OFF;
	/* Four megabytes of buffer or more make the beginning and the end matter. */
	run_set(r, "rx_buffer", "65536");
	run_set(r, "max_pps", "1000");
	const struct cqesim_result *s = run_synthetic(r, spec);
	check_books(spec, r);

	ck_assert(!cqesim_ceiling_from_profiles(&c, r->device, r->link, r->host, &err));
	c.direction = CQESIM_FORWARD;
	c.frame_bytes = frame;
	c.tx_inline_max = tx_inline;
	c.tx_mpw = mpw;
	ck_assert_msg(!cqesim_ceiling(&formula, &c, &err), "%s", err.text);

	double up = cqesim_fraction_value(formula.up_bytes);
	double down = cqesim_fraction_value(formula.down_bytes);
	ck_assert_double_eq_tol(s->per_packet[CQESIM_UP], up, up * tolerance);
	ck_assert_double_eq_tol(s->per_packet[CQESIM_DOWN], down, down * tolerance);
	/*
	 * While packets come; after them the last bufferful.  Where the way down is full, the
	 * buffer, which looks at the way up, is no judge: nothing holds a sender back.
	 */
	if (formula.link_bound == CQESIM_BOUND_UP) {
		double pps = formula.link_pps * c.link.efficiency;
		ck_assert_double_eq_tol(carried(s), pps, pps * 2 * tolerance);
	}
	run_free(r);
}

START_TEST(forwarding)
{
	forwards("gen3x16", 64, 0, 1, 1e-3, "frame=64,flows=1024,rate=line,packets=400k");
	forwards("gen3x8", 64, 0, 1, 1e-3, "frame=64,flows=1024,rate=line,packets=400k");
	forwards("gen3x8", 64, 64, 4, 1e-3, "frame=64,flows=1024,rate=line,packets=400k");
	/* Here some packets cross a 4 KiB boundary, which the closed form does not know. */
	forwards("gen3x8", 512, 0, 8, 5e-3, "frame=512,flows=1024,rate=line,packets=100k");
}
END_TEST

/* 100 frames of 64 bytes, one WQE each: 60 bytes of data, WQEs of 64; a CQE every 32, 3 in all. */
START_TEST(forwarding_by_hand)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-vec");

	r->config.forward = true;
	run_set(r, "tx_completion_every", "32");
	run_set(r, "tx_doorbell_every", "32");
	const struct cqesim_result *s = run_synthetic(r, "frame=64,flows=4,rate=1Mpps,packets=100");
	const struct cqesim_tlps *t = s->nic.traffic;
	static const struct {
		enum cqesim_traffic kind;
		uint64_t tlps, wire;
	} expected[] = {
		{CQESIM_TRAFFIC_TX_WQE_REQUEST, 100, 100 * 24},
		{CQESIM_TRAFFIC_TX_WQE_COMPLETION, 100, 100 * 84},
		{CQESIM_TRAFFIC_TX_DATA_REQUEST, 100, 100 * 24},
		{CQESIM_TRAFFIC_TX_DATA_COMPLETION, 100, 100 * 80},
		{CQESIM_TRAFFIC_TX_CQE, 3, 3 * 88},
		{CQESIM_TRAFFIC_TX_DOORBELL, 3, 3 * 32},
	};

	for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const char *name = cqesim_traffic_name(expected[i].kind);

		ck_assert_msg(t[expected[i].kind].count == expected[i].tlps, "%s: %llu TLPs", name,
			      (unsigned long long)t[expected[i].kind].count);
		ck_assert_msg(t[expected[i].kind].wire == expected[i].wire, "%s: %llu B", name,
			      (unsigned long long)t[expected[i].kind].wire);
	}
	run_free(r);
}
END_TEST

/* ---- limits that are not bytes ---- */

static void limited(const char *const set[][2], const char *driver, double pps,
		    enum cqesim_drop drop, enum cqesim_limit binding)
{
	struct sim_run *r = run_new("connectx-5", "gen4x16", driver);

	r->config.queues = 8;
	r->config.comp = CQESIM_COMP_CHOOSE_OFF;
	run_set(r, "rx_buffer", "65536");
	run_set(r, "max_pps", "1000");
	for (unsigned i = 0; set[i][0]; i++)
		run_set(r, set[i][0], set[i][1]);
	const struct cqesim_result *s =
		run_synthetic(r, "frame=64,flows=1024,rate=line,packets=400k");
	check_books(set[0][0], r);
	ck_assert_msg(carried(s) > pps * 0.998 && carried(s) < pps * 1.002,
		      "%s: %.0f packets a second, not %.0f", set[0][0], carried(s), pps);
	ck_assert_msg(s->dropped[drop] == s->arrived - s->delivered, "%s: lost as something else",
		      set[0][0]);
	/* And the report names it. */
	ck_assert_msg(s->binding == binding, "%s: %s binds", set[0][0],
		      cqesim_limit_name(s->binding));
	ck_assert_double_eq_tol(s->limit_pps[binding], pps, pps * 2e-3);
	run_free(r);
}

START_TEST(limits)
{
	/* 64 header credits in 1.6 us: 40 million TLPs, two to a packet. */
	limited((const char *const[][2]){{"posted_headers", "64"},
					 {"credit_return", "1600"},
					 {NULL, NULL}},
		"dpdk-mlx5-vec", 20e6, CQESIM_DROP_BUFFER_FULL, CQESIM_LIMIT_CREDITS);
	/* 4 + 4 data credits a packet, 160 in 1 us. */
	limited((const char *const[][2]){{"posted_data", "160"},
					 {"credit_return", "1000"},
					 {NULL, NULL}},
		"dpdk-mlx5-vec", 20e6, CQESIM_DROP_BUFFER_FULL, CQESIM_LIMIT_CREDITS);
	/* Reads of WQEs: 4 in flight over 1 us, each for four packets. */
	limited((const char *const[][2]){{"tags", "4"}, {"read_rtt", "1000"}, {NULL, NULL}},
		"dpdk-mlx5-vec", 16e6, CQESIM_DROP_BUFFER_FULL, CQESIM_LIMIT_TAGS);
	/* 64 bytes are four beats of 16. */
	limited((const char *const[][2]){{"bus_clock", "80"}, {"bus_width", "16"}, {NULL, NULL}},
		"dpdk-mlx5-vec", 20e6, CQESIM_DROP_BUFFER_FULL, CQESIM_LIMIT_BUS);
	limited((const char *const[][2]){{"completion_rate", "20"}, {NULL, NULL}}, "dpdk-mlx5-vec",
		20e6, CQESIM_DROP_BUFFER_FULL, CQESIM_LIMIT_COMPLETIONS);
	limited((const char *const[][2]){{"device_max_pps", "20"}, {NULL, NULL}}, "dpdk-mlx5-vec",
		20e6, CQESIM_DROP_BUFFER_FULL, CQESIM_LIMIT_DEVICE);
}
END_TEST

/* The replay has no limit per queue; it must not look as if it had. */
START_TEST(queue_limit_is_refused)
{
	struct sim_run *r = run_new("connectx-5", "gen4x16", "dpdk-mlx5-vec");

	run_set(r, "queue_max_pps", "3");
	run_open_synthetic(r, "packets=10");
	ck_assert_int_eq(run_go(r), -EINVAL);
	ck_assert_msg(strstr(r->err.text, "queue_max_pps") != NULL, "%s", r->err.text);
	run_free(r);
}
END_TEST

/* ---- the file of TLPs ---- */

static uint32_t word(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* TLPs of the file by their first byte, headers left out: payloads' bytes in all. */
struct tally {
	uint64_t writes, write_bytes, reads, completions, completion_bytes;
};

static struct tally tally(const char *path)
{
	static uint8_t all[1 << 24];
	FILE *f = fopen(path, "rb");
	struct tally t = {0};

	ck_assert_ptr_nonnull(f);
	size_t size = fread(all, 1, sizeof(all), f);
	fclose(f);
	ck_assert_uint_lt(size, sizeof(all));
	for (size_t at = 0; at < size; at += word(all + at + 4)) {
		const uint8_t *tlp = all + at + 28;
		uint32_t n = word(all + at + 20);

		if (word(all + at) != 6)
			continue;
		unsigned header = *tlp & 0x20 ? 16 : 12;
		if (*tlp == 0x40 || *tlp == 0x60) {
			t.writes++;
			t.write_bytes += n - header;
		} else if (*tlp == 0x00 || *tlp == 0x20) {
			t.reads++;
			ck_assert_uint_eq(n, header);
		} else {
			ck_assert_uint_eq(*tlp, 0x4a);
			t.completions++;
			t.completion_bytes += n - 12;
		}
	}
	return t;
}

static void dumped(const char *driver, bool forward, enum cqesim_comp_choice comp,
		   const char *credits, const char *spec)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", driver);
	struct cqesim_link_config config;
	struct cqesim_link link;
	char path[PATH_MAX];

	r->config.comp = comp;
	r->config.forward = forward;
	run_set(r, "posted_headers", credits);
	run_synthetic(r, spec);
	char *without = run_json(r, 0);

	snprintf(path, sizeof(path), "%s/sim.pcapng", test_tmpdir());
	cqesim_profile_link(r->link, &config, NULL);
	ck_assert(!cqesim_link_init(&link, &config, NULL));
	ck_assert(!cqesim_tlp_dump_create(&r->config.tlp_dump, path, &link, 0, NULL));
	const struct cqesim_result *s = run_synthetic(r, spec);
	ck_assert(!cqesim_tlp_dump_close(r->config.tlp_dump, true, NULL));

	/* Watching changes nothing, and each TLP that was counted is there. */
	char *with = run_json(r, 0);
	ck_assert_str_eq(with, without);
	struct tally t = tally(path);
	const struct cqesim_tlps *n = s->nic.traffic;
	uint64_t writes = 0, reads = 0, completions = 0, written = 0, read = 0;
	for (unsigned k = 0; k < CQESIM_TRAFFIC_TX_DOORBELL; k++) {
		bool down = cqesim_traffic_is_down(k);
		bool request = k + 1 < CQESIM_TRAFFIC_KINDS && !down &&
			       cqesim_traffic_is_down(k + 1) && k != CQESIM_TRAFFIC_TX_CQE;

		*(down ? &completions : request ? &reads : &writes) += n[k].count;
		if (down)
			read += n[k].wire - 20 * n[k].count;
		else if (!request)
			written += n[k].wire - 24 * n[k].count;
	}
	ck_assert_uint_eq(t.writes, writes);
	ck_assert_uint_eq(t.write_bytes, written);
	ck_assert_uint_eq(t.reads, reads);
	ck_assert_uint_eq(t.completions, completions);
	ck_assert_uint_eq(t.completion_bytes, read);
	free(with);
	free(without);
	run_free(r);
}

START_TEST(tlp_file)
{
	const char *calm = "frame=imix,flows=20,rate=20Mpps,packets=2k";
	/* Sessions that end with a packet whose data is more than their completions. */
	const char *flood = "frame=64:1+1518:2,flows=20,rate=line,packets=3k";

	dumped("dpdk-mlx5-vec", false, CQESIM_COMP_CHOOSE_OFF, "0", calm);
	dumped("dpdk-mlx5-vec", false, CQESIM_COMP_CHOOSE_AGGRESSIVE, "0", calm);
	dumped("dpdk-mlx5-vec", true, CQESIM_COMP_CHOOSE_BALANCED, "0", calm);
	dumped("dpdk-mlx5-vec", false, CQESIM_COMP_CHOOSE_BALANCED, "0", flood);
	dumped("dpdk-mlx5-mprq", false, CQESIM_COMP_CHOOSE_AGGRESSIVE, "0", flood);
	dumped("dpdk-mlx5-mprq", false, CQESIM_COMP_CHOOSE_AGGRESSIVE, "8", flood);
	dumped("dpdk-mlx5-scalar", false, CQESIM_COMP_CHOOSE_OFF, "8", flood);
}
END_TEST

void add_sim_link(Suite *s)
{
	TCase *t = tcase_create("link");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, forwarding);
	tcase_add_test(t, forwarding_by_hand);
	tcase_add_test(t, limits);
	tcase_add_test(t, queue_limit_is_refused);
	tcase_add_test(t, tlp_file);
	suite_add_tcase(s, t);
}
