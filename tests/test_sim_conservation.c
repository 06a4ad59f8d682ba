/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_sim_conservation.c - many machines drawn at random (the same ones each
 * time) over many traces: never an internal error, and packets neither appear
 * nor vanish.
 */
#include <dirent.h>
#include <errno.h>

#include "sim_run.h"

static uint32_t drawn(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % below);
}

#define PICK(list) list[drawn(rng, sizeof(list) / sizeof((list)[0]))]

static struct sim_run *draw_machine(uint64_t *rng, char *what, size_t size)
{
	static const char *const devices[] = {"connectx-4lx", "connectx-5", "connectx-5-ex",
					      "connectx-6-dx", "connectx-7"};
	static const char *const links[] = {"gen1x1",  "gen2x4",  "gen3x8",
					    "gen3x16", "gen5x16", "gen3x4,mps=128"};
	static const char *const drivers[] = {"dpdk-mlx5-vec", "dpdk-mlx5-scalar", "linux-mlx5e"};
	static const char *const buffers[] = {"4096", "20000", "262016"};
	static const char *const lengths[] = {"2", "3", "8", "15", "64", "1000", "65535"};
	static const char *const timeouts[] = {"1", "100", "1000", "1000000000"};
	static const char *const policies[] = {"arrays", "burst", "exact"};
	static const char *const fetches[] = {"16", "64", "1024", "4096"};
	static const char *const compares[] = {"none", "pkt_info l4_l3_hdr_type",
					       ("pkt_info rx_hash_type hds_ip_ext l4_l3_hdr_type "
						"vlan_info user_index flow_tag opcode")};
	static const unsigned bursts[] = {1, 3, 4, 5, 32, 64, 100, 256};
	const char *device = PICK(devices), *link = PICK(links), *driver = PICK(drivers);
	struct sim_run *r = run_new(device, link, driver);
	struct cqesim_sim_config *c = &r->config;

	run_set(r, "rx_buffer", PICK(buffers));
	run_set(r, "cqe_compression_max_num", PICK(lengths));
	run_set(r, "cqe_compression_timeout", PICK(timeouts));
	run_set(r, "cqe_write_policy", PICK(policies));
	run_set(r, "wqe_fetch", PICK(fetches));
	run_set(r, "session_compare", PICK(compares));
	run_set(r, "session_crosses_ring_end", drawn(rng, 2) ? "yes" : "no");
	run_set(r, "vlan_strip", drawn(rng, 2) ? "on" : "off");
	run_set(r, "packet_padding", drawn(rng, 2) ? "on" : "off");
	run_set(r, "backpressure_off", "0");
	run_set(r, "backpressure_on", drawn(rng, 2) ? "0" : "3000");
	if (!drawn(rng, 3))
		run_set(r, "app_cycles", "700");
	c->queues = 1 + drawn(rng, 16);
	c->ring = strstr(driver, "vec") ? 16u << drawn(rng, 9) : 4u << drawn(rng, 11);
	if (drawn(rng, 2))
		c->cq_size = c->ring << drawn(rng, 3);
	do
		c->burst = PICK(bursts);
	while (c->burst < CQESIM_VEC_BURST_MIN && strstr(driver, "vec"));
	c->comp = (enum cqesim_comp_choice)drawn(rng, 4);
	c->mini_format = (int)drawn(rng, CQESIM_MINI_FORMATS + 1) - 1;
	c->checksums = (enum cqesim_checksums)drawn(rng, 3);
	c->segment = drawn(rng, 2);
	c->keep_fcs = drawn(rng, 2);
	c->mtu = drawn(rng, 2) ? 9216 : 500 + drawn(rng, 3000);
	snprintf(what, size,
		 "%s %s %s, %u queues, ring %u, cq %u, burst %u, mtu %u, comp %d, mini %d, sums "
		 "%d%s%s",
		 device, link, driver, c->queues, c->ring, c->cq_size, c->burst, c->mtu, c->comp,
		 c->mini_format, c->checksums, c->segment ? ", segment" : "",
		 c->keep_fcs ? ", fcs" : "");
	return r;
}

static void draw_workload(uint64_t *rng, char *spec, size_t size)
{
	/* Headers of IPv6 do not fit into 64 bytes. */
	static const char *const frames[] = {"64", "imix", "64:5+9018:1", "128:1+68:3+1518:1",
					     "1500"};
	static const char *const longer[] = {"70", "70:7+594:4+1518:1", "70:5+9018:1"};
	static const char *const rates[] = {"line", "1Mpps", "20%", "30Mpps"};
	static const char *const rest[] = {"", ",proto=tcp", ",vlan=5"};
	static const char *const ipv6[] = {",l3=ipv6", ",vlan=6,l3=ipv6"};
	static const unsigned flows[] = {1, 2, 16, 100, 1024};
	bool six = drawn(rng, 3) == 0;

	snprintf(spec, size, "frame=%s,rate=%s,flows=%u,packets=%u%s",
		 six ? PICK(longer) : PICK(frames), PICK(rates), PICK(flows), 1 + drawn(rng, 3000),
		 six ? PICK(ipv6) : PICK(rest));
}

START_TEST(synthetic)
{
	uint64_t rng = 20260730 + (uint64_t)_i;
	char what[512], spec[256], both[800];
	uint64_t delivered = 0, dropped = 0, sessions = 0;

	for (unsigned i = 0; i < 150; i++) {
		struct sim_run *r = draw_machine(&rng, what, sizeof(what));

		draw_workload(&rng, spec, sizeof(spec));
		snprintf(both, sizeof(both), "%s: %s", what, spec);
		run_open_synthetic(r, spec);
		int rc = run_go(r);
		ck_assert_msg(!rc, "%s: %d %s", both, rc, r->err.text);
		check_books(both, r);
		delivered += r->result->delivered;
		dropped += r->result->arrived - r->result->delivered;
		sessions += r->result->nic.sessions;
		run_free(r);
	}
	/* The draw must not have missed what it is for. */
	ck_assert_uint_gt(delivered, 20000);
	ck_assert_uint_gt(dropped, 5000);
	ck_assert_uint_gt(sessions, 500);
}
END_TEST

static int is_capture(const struct dirent *e)
{
	return e->d_name[0] != '.' && !strstr(e->d_name, ".md") && !strstr(e->d_name, ".json");
}

/* All captures, each on another machine, at its own pace or at line rate. */
START_TEST(captures)
{
	const char *shared = test_shared_dir();
	char dir[PATH_MAX], path[2 * PATH_MAX], what[512], both[2 * PATH_MAX + 600];
	struct dirent **entry;
	uint64_t rng = 4711;
	unsigned done = 0;

	if (!shared) {
		test_skip("sim captures", "../shared not found");
		return;
	}
	snprintf(dir, sizeof(dir), "%s/traces/real", shared);
	int n = scandir(dir, &entry, is_capture, alphasort);
	ck_assert_int_gt(n, 0);
	for (int i = 0; i < n; i++) {
		struct sim_run *r = draw_machine(&rng, what, sizeof(what));
		const char *paths[] = {path};

		snprintf(path, sizeof(path), "%s/%s", dir, entry[i]->d_name);
		snprintf(both, sizeof(both), "%s: %s", what, path);
		free(entry[i]);
		if (drawn(&rng, 2))
			cqesim_rate_parse("line", LINE_BPS, &r->trace_config.rate, NULL);
		r->trace_config.limit = 5000;
		r->trace_config.repeat = 1 + drawn(&rng, 3);
		if (cqesim_trace_open(&r->trace, paths, 1, &r->trace_config, NULL)) {
			run_free(r);
			continue;
		}
		int rc = run_go(r);
		ck_assert_msg(!rc || rc == -EINVAL, "%s: %d %s", both, rc, r->err.text);
		if (!rc) {
			check_books(both, r);
			done++;
		}
		run_free(r);
	}
	free(entry);
	ck_assert_uint_ge(done, 127);
}
END_TEST

void add_sim_conservation(Suite *suite)
{
	TCase *t = tcase_create("conservation");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, synthetic, 0, 4);
	tcase_add_test(t, captures);
	suite_add_tcase(suite, t);
}
