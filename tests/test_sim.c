/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_sim.c - the whole way from a trace to a result: bytes on the link
 * against the reference table, drops by their reason, the compression policies,
 * segmentation, odd traces.  Damaged rings: test_sim_damage.c; random
 * configurations: test_sim_conservation.c.
 */
#include <errno.h>
#include <math.h>

#include "sim_run.h"
#include "trace_files.h"

/* ---- the reference table of ../shared/pcie ---- */

/* Columns of reference.csv that are used here. */
struct row {
	int generation, lanes, mps, wqe_fetch, pad, session;
	char rq[16], mode[16];
	double up, down, mpps;
};

/* "548/5" or "180" */
static double fraction(const char *text)
{
	const char *slash = strchr(text, '/');

	return strtod(text, NULL) / (slash ? strtod(slash + 1, NULL) : 1);
}

static bool read_row(char *line, struct row *row)
{
	char *at = line, *field[32];
	unsigned n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	while (n < 32 && (field[n] = strsep(&at, ",")) != NULL)
		n++;
	if (n < 21 || !strcmp(field[0], "gen"))
		return false;
	*row = (struct row){
		.generation = atoi(field[0]),
		.lanes = atoi(field[1]),
		.mps = atoi(field[2]),
		.wqe_fetch = atoi(field[4]),
		.pad = atoi(field[5]),
		.session = atoi(field[7]),
		.up = fraction(field[16]),
		.down = fraction(field[17]),
		.mpps = strtod(field[19], NULL),
	};
	snprintf(row->rq, sizeof(row->rq), "%s", field[3]);
	snprintf(row->mode, sizeof(row->mode), "%s", field[6]);
	return true;
}

/* Is the row one that the options reach?  A session of one is written as a plain CQE. */
static bool reached(const struct row *row)
{
	if (strcmp(row->rq, "cyclic") || row->generation > 5)
		return false;
	if (!strcmp(row->mode, "plain64"))
		return true;
	return row->session > 1 && (!strcmp(row->mode, "arrays") || !strcmp(row->mode, "burst") ||
				    !strcmp(row->mode, "exact"));
}

/*
 * So many sessions that they fit into one lap, where the ring's end cuts none.
 * Title and array in one write of 128 bytes must not lie across a 4 KiB border,
 * which would make it two (slot 63 of 64): the table knows no addresses.
 */
static unsigned sessions_of(const struct row *row, unsigned ring)
{
	unsigned n = 0;

	while ((n + 1) * (unsigned)row->session <= ring &&
	       (strcmp(row->mode, "burst") || n * (unsigned)row->session % 64 != 63))
		n++;
	return n;
}

static void check_row(const struct row *row)
{
	const unsigned ring = 4096;
	char link[64], spec[128], text[32], what[128];
	bool plain = !strcmp(row->mode, "plain64");
	unsigned packets = plain ? 20000 : (unsigned)row->session * sessions_of(row, ring);

	snprintf(what, sizeof(what), "gen%dx%d mps %d fetch %d pad %d %s %d", row->generation,
		 row->lanes, row->mps, row->wqe_fetch, row->pad, row->mode, row->session);
	snprintf(link, sizeof(link), "gen%dx%d,mps=%d", row->generation, row->lanes, row->mps);
	struct sim_run *r = run_new("connectx-5", link, "dpdk-mlx5-scalar");
	snprintf(text, sizeof(text), "%d", row->wqe_fetch);
	run_set(r, "wqe_fetch", text);
	run_set(r, "packet_padding", row->pad ? "on" : "off");
	r->config.comp = plain ? CQESIM_COMP_CHOOSE_OFF : CQESIM_COMP_CHOOSE_AGGRESSIVE;
	if (!plain) {
		snprintf(text, sizeof(text), "%d", row->session);
		run_set(r, "cqe_compression_max_num", text);
		run_set(r, "cqe_write_policy", row->mode);
		r->config.ring = r->config.cq_size = ring;
	}
	ck_assert_uint_ge(packets, 54);
	snprintf(spec, sizeof(spec), "frame=64,flows=1,rate=20Mpps,packets=%u", packets);
	const struct cqesim_result *s = run_synthetic(r, spec);
	ck_assert_uint_eq(s->delivered, packets);
	if (!plain)
		ck_assert_uint_eq(s->nic.session_hist[row->session] * (unsigned)row->session,
				  packets);
	ck_assert_msg(fabs(s->per_packet[CQESIM_UP] - row->up) < 1e-9, "%s: %.12f up, not %.12f",
		      what, s->per_packet[CQESIM_UP], row->up);
	ck_assert_msg(fabs(s->per_packet[CQESIM_DOWN] - row->down) < 1e-9,
		      "%s: %.12f down, not %.12f", what, s->per_packet[CQESIM_DOWN], row->down);
	ck_assert_msg(fabs(s->link_max_pps / (row->mpps * 1e6) - 1) < 1e-6,
		      "%s: %.3f pps, not %.6f M", what, s->link_max_pps, row->mpps);
	ck_assert_int_eq(s->link_binding, CQESIM_UP);
	run_free(r);
}

START_TEST(reference_table)
{
	const char *shared = test_shared_dir();
	char path[PATH_MAX], line[1024];
	unsigned checked = 0, plain = 0;
	struct row row;

	if (!shared) {
		test_skip("sim reference_table", "../shared not found");
		return;
	}
	snprintf(path, sizeof(path), "%s/pcie/reference.csv", shared);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f)) {
		if (!read_row(line, &row) || !reached(&row))
			continue;
		check_row(&row);
		checked++;
		plain += !strcmp(row.mode, "plain64");
	}
	fclose(f);
	/* 3 links x 3 of fetch and padding x (1 plain + 3 policies x 7 lengths) in the table of
	 * 2026. */
	ck_assert_uint_ge(checked, 198);
	ck_assert_uint_ge(plain, 9);
}
END_TEST

/* The same by hand, for those without the table, and for the generations that are not in it. */
START_TEST(flood_by_hand)
{
	static const struct {
		const char *link;
		double rate; /* bytes per second: lanes x GT/s / 8 x line code x SKP */
	} links[] = {
		{"gen1x16", 16 * 2.5e9 / 8 * 0.8 * 1534 / 1538},
		{"gen2x8", 8 * 5e9 / 8 * 0.8 * 1534 / 1538},
		{"gen3x16", 16 * 8e9 / 8 * 128 / 130 * 370 / 371},
		{"gen4x8", 8 * 16e9 / 8 * 128 / 130 * 370 / 371},
		{"gen5x4", 4 * 32e9 / 8 * 128 / 130 * 370 / 371},
	};

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		struct sim_run *r = run_new("connectx-5", links[i].link, "dpdk-mlx5-vec");

		r->config.comp = CQESIM_COMP_CHOOSE_OFF;
		const struct cqesim_result *s =
			run_synthetic(r, "frame=64,flows=16,rate=1Mpps,packets=5k");
		/* 24 + 60 data, 24 + 64 CQE, a quarter of 24 for the WQE read, of 8 for its Ack. */
		ck_assert_double_eq_tol(s->per_packet[CQESIM_UP], 84 + 88 + 6 + 2, 1e-9);
		/* (20 + 64) / 4 of WQEs, Acks for 2.25 TLPs, credits for 2. */
		ck_assert_double_eq_tol(s->per_packet[CQESIM_DOWN], 21 + 18 + 16, 1e-9);
		ck_assert_double_eq_tol(s->link_max_pps / (links[i].rate / 180), 1, 1e-6);
		ck_assert_double_eq_tol(s->limit_pps[CQESIM_LIMIT_LINK] / s->link_max_pps, 0.97,
					1e-12);
		run_free(r);
	}
}
END_TEST

/* ---- drops ---- */

static void only_drop(const struct cqesim_result *s, enum cqesim_drop reason)
{
	for (unsigned d = 0; d < CQESIM_DROPS; d++)
		if (d == reason)
			ck_assert_msg(s->dropped[d] > s->arrived / 10, "%s: %llu of %llu",
				      cqesim_drop_name(d), (unsigned long long)s->dropped[d],
				      (unsigned long long)s->arrived);
		else
			ck_assert_msg(!s->dropped[d], "%s: %llu", cqesim_drop_name(d),
				      (unsigned long long)s->dropped[d]);
}

/* The link has room for ten times the load, the core does not keep up. */
START_TEST(slow_host)
{
	struct sim_run *r = run_new("connectx-5", "gen5x16", "dpdk-mlx5-scalar");

	run_set(r, "app_cycles", "1000"); /* 2.5 Mpps at 2.6 GHz */
	r->config.ring = 64;
	const struct cqesim_result *s =
		run_synthetic(r, "frame=64,flows=8,rate=10Mpps,packets=50k");
	only_drop(s, CQESIM_DROP_OUT_OF_BUFFER);
	/* What it delivers it delivers at its own speed. */
	double pps = (double)s->delivered / ((double)s->end_ps * 1e-12);
	ck_assert_double_eq_tol(pps / s->limit_pps[CQESIM_LIMIT_HOST], 1, 0.02);
	ck_assert_int_eq(s->binding, CQESIM_LIMIT_HOST);
	check_books("slow host", r);
	run_free(r);
}
END_TEST

/* One queue that the link, not the core, cannot serve: packets that wait for it hold all WQEs. */
START_TEST(slow_link_one_queue)
{
	struct sim_run *r = run_new("connectx-5", "gen3x8", "dpdk-mlx5-vec");

	r->config.comp = CQESIM_COMP_CHOOSE_OFF;
	const struct cqesim_result *s = run_synthetic(r, "frame=64,flows=64,packets=300k");
	only_drop(s, CQESIM_DROP_BUFFER_FULL);
	ck_assert_int_eq(s->binding, CQESIM_LIMIT_LINK);
	run_free(r);
}
END_TEST

/* What the link carries of a mix does not depend on how much of it was lost. */
START_TEST(ceiling_of_the_mix)
{
	static const char *const rates[] = {"10%", "60%", "100%"};
	double ceiling[3], bytes[3];

	for (unsigned i = 0; i < 3; i++) {
		struct sim_run *r = run_new("connectx-5", "gen3x8", "dpdk-mlx5-vec");
		char spec[128];

		snprintf(spec, sizeof(spec), "frame=imix,flows=64,packets=120k,rate=%s", rates[i]);
		r->config.comp = CQESIM_COMP_CHOOSE_OFF;
		r->config.queues = 4;
		const struct cqesim_result *s = run_synthetic(r, spec);
		ck_assert_msg(i == 0 || s->delivered < s->arrived, "%s: nothing was lost", spec);
		ceiling[i] = s->link_max_pps;
		bytes[i] = s->per_packet[CQESIM_UP];
		run_free(r);
	}
	for (unsigned i = 1; i < 3; i++) {
		ck_assert_double_eq_tol(ceiling[i] / ceiling[0], 1, 0.002);
		ck_assert_double_eq_tol(bytes[i] / bytes[0], 1, 0.002);
	}
}
END_TEST

/* A link of 250 MB/s under 10 Gb/s. */
START_TEST(narrow_link)
{
	struct sim_run *r = run_new("connectx-5", "gen1x1", "dpdk-mlx5-vec");

	r->config.comp = CQESIM_COMP_CHOOSE_OFF;
	const struct cqesim_result *s = run_synthetic(r, "frame=512,flows=8,rate=10G,packets=50k");
	only_drop(s, CQESIM_DROP_BUFFER_FULL);
	/* It runs at the link's rate once the buffer is full. */
	double pps = (double)s->delivered / ((double)s->end_ps * 1e-12);
	ck_assert_double_eq_tol(pps / s->limit_pps[CQESIM_LIMIT_LINK], 1, 0.001);
	ck_assert_int_eq(s->binding, CQESIM_LIMIT_LINK);
	ck_assert(!s->link_has_room);
	/* The longest wait is what the buffer holds. */
	double wait = 262016 / (s->link_rate * 0.97) * 1e12;
	ck_assert_double_le((double)s->nic.backlog_max_ps, wait * 1.01);
	ck_assert_double_ge((double)s->nic.backlog_max_ps, wait * 0.99);
	check_books("narrow link", r);
	run_free(r);
}
END_TEST

/* A pipeline slower than what comes: the packets wait in the buffer before it, too. */
START_TEST(slow_device)
{
	struct sim_run *r = run_new("connectx-5", "gen5x16", "dpdk-mlx5-vec");

	run_set(r, "max_pps", "5");
	run_set(r, "rx_buffer", "65536");
	r->config.queues = 4;
	const struct cqesim_result *s =
		run_synthetic(r, "frame=64,flows=64,rate=50Mpps,packets=200k");
	only_drop(s, CQESIM_DROP_BUFFER_FULL);
	ck_assert_int_eq(s->binding, CQESIM_LIMIT_DEVICE);
	check_books("slow device", r);
	run_free(r);
}
END_TEST

START_TEST(too_long)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-vec");

	/* 1500 + 14 + 4: with its FCS a frame of 1522 passes and one of 1523 does not. */
	r->config.mtu = 1500;
	const struct cqesim_result *s = run_synthetic(r, "frame=1523:1+1522:1,packets=1000");
	only_drop(s, CQESIM_DROP_OVERSIZE);
	ck_assert_uint_eq(s->dropped[CQESIM_DROP_OVERSIZE], 500);
	ck_assert_uint_eq(s->delivered_bytes, 500 * 1518);
	check_books("too long", r);
	/* A longer MTU takes both. */
	r->config.mtu = 1501;
	s = run_synthetic(r, "frame=1523:1+1522:1,packets=1000");
	ck_assert_uint_eq(s->delivered, 1000);
	run_free(r);
}
END_TEST

/* No drop at all where everything has room. */
START_TEST(no_drop)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-vec");
	const struct cqesim_result *s =
		run_synthetic(r, "frame=imix,flows=100,rate=10G,packets=50k");

	ck_assert_uint_eq(s->delivered, 50000);
	check_books("no drop", r);
	/* Large frames at line rate: 100 of 126 Gb/s. */
	s = run_synthetic(r, "frame=1518,flows=100,rate=line,packets=50k");
	ck_assert_uint_eq(s->delivered, 50000);
	ck_assert(s->link_has_room);
	check_books("no drop", r);
	run_free(r);
}
END_TEST

/* ---- odd traces ---- */

/* Whatever its clock says, a trace ends, and its gaps are what they are up to a hundred days. */
START_TEST(huge_gaps)
{
	struct bytes b = {0};
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-vec");
	const uint32_t days = 86400;

	pcap_header(&b, false, 65535, 1);
	record(&b, 0, 0, 60, 60, 1);
	record(&b, 100 * days, 0, 60, 60, 2);
	const char *path = save_bytes("hundred.pcap", &b);
	for (int comp = CQESIM_COMP_CHOOSE_OFF; comp <= CQESIM_COMP_CHOOSE_AGGRESSIVE; comp++) {
		r->config.comp = (enum cqesim_comp_choice)comp;
		const struct cqesim_result *s = run_file(r, path);
		ck_assert_uint_eq(s->delivered, 2);
		ck_assert_uint_eq(cqesim_trace_stats(r->trace)->gaps_clamped, 0);
		ck_assert_double_eq_tol((double)s->duration_ps * 1e-12, 8640000, 1e-5);
		ck_assert_uint_ge(s->end_ps, 100 * DAY_PS);
		check_books("100 days", r);
	}

	/* A century of gaps of fifty years: clamped, and the clock's end as well. */
	pcap_header(&b, false, 65535, 1);
	for (uint32_t i = 0; i < 3; i++)
		record(&b, i * 18262 * days, 999999, 60, 60, (uint8_t)i);
	path = save_bytes("century.pcap", &b);
	for (unsigned queues = 1; queues <= 16; queues += 15) {
		r->config.queues = queues;
		const struct cqesim_result *s = run_file(r, path);
		ck_assert_uint_eq(s->delivered, 3);
		ck_assert_uint_ge(cqesim_trace_stats(r->trace)->gaps_clamped, 2);
		ck_assert_uint_le(s->duration_ps, CQESIM_MAX_TIME_PS + CQESIM_PS_PER_S);
		check_books("a century", r);
	}
	run_free(r);
}
END_TEST

START_TEST(no_packet_and_one)
{
	struct bytes b = {0};
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-vec");

	pcap_header(&b, false, 65535, 1);
	const char *none = save_bytes("none.pcap", &b);
	pcap_header(&b, false, 65535, 1);
	record(&b, 7, 0, 60, 60, 1);
	const char *one = save_bytes("one.pcap", &b);
	for (int comp = CQESIM_COMP_CHOOSE_OFF; comp <= CQESIM_COMP_CHOOSE_AGGRESSIVE; comp++) {
		r->config.comp = (enum cqesim_comp_choice)comp;
		const struct cqesim_result *s = run_file(r, none);
		ck_assert_uint_eq(s->arrived, 0);
		ck_assert_uint_eq(s->delivered, 0);
		ck_assert_uint_eq(s->duration_ps, 0);
		ck_assert_double_eq(s->offered_pps, 0);
		ck_assert_double_eq(s->per_packet[CQESIM_UP], 0);
		check_books("no packet", r);
		free(run_json(r, 0));

		s = run_file(r, one);
		ck_assert_uint_eq(s->arrived, 1);
		ck_assert_uint_eq(s->delivered, 1);
		ck_assert_uint_eq(s->delivered_bytes, 60);
		ck_assert_uint_eq(s->nic.plain, 1);
		ck_assert_double_eq(s->offered_pps, 0);
		/* 64 bytes at 100 Gb/s; the gap before a next frame is not waited for. */
		ck_assert_uint_ge(s->duration_ps, 64 * 80);
		ck_assert_uint_le(s->duration_ps, 84 * 80);
		check_books("one packet", r);
		free(run_json(r, 0));
	}
	run_free(r);
}
END_TEST

/* A dissector counts records without a byte, the port never sees them. */
START_TEST(zero_length_records)
{
	struct bytes b = {0};
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-vec");

	pcap_header(&b, false, 65535, 1);
	record(&b, 1, 0, 60, 60, 1);
	record(&b, 2, 0, 0, 0, 0);
	record(&b, 3, 0, 0, 0, 0);
	const struct cqesim_result *s = run_file(r, save_bytes("zero.pcap", &b));
	ck_assert_uint_eq(s->arrived, 1);
	ck_assert_uint_eq(cqesim_port_views(&r->port_stats, 0, 0), 3);
	ck_assert_uint_eq(cqesim_port_views(&r->port_stats, 0, CQESIM_VIEW_IPV4 | CQESIM_VIEW_IPV6),
			  3);
	ck_assert_uint_eq(cqesim_port_views(&r->port_stats, CQESIM_VIEW_L4_NONE, 0), 3);
	run_free(r);
}
END_TEST

/* ---- the same again ---- */

START_TEST(deterministic)
{
	static const struct {
		const char *driver, *spec;
		enum cqesim_comp_choice comp;
		unsigned queues;
	} runs[] = {
		{"dpdk-mlx5-vec", "frame=imix,flows=1000,rate=line,packets=50k",
		 CQESIM_COMP_AS_PROFILED, 4},
		{"dpdk-mlx5-scalar", "frame=64,flows=7,rate=line,packets=50k,proto=tcp,vlan=3",
		 CQESIM_COMP_CHOOSE_AGGRESSIVE, 1},
		{"linux-mlx5e", "frame=80:3+1518:1,flows=99,rate=60%,packets=50k,l3=ipv6",
		 CQESIM_COMP_CHOOSE_BALANCED, 16},
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		char *text[2];
		for (int again = 0; again < 2; again++) {
			struct sim_run *r = run_new("connectx-5", "gen3x8", runs[i].driver);

			r->config.comp = runs[i].comp;
			r->config.queues = runs[i].queues;
			run_synthetic(r, runs[i].spec);
			text[again] = run_json(r, 0);
			run_free(r);
			/* Memory that somebody else used before must not matter. */
			void *dirt = malloc(3000000);
			memset(dirt, 0x5a + again, 3000000);
			free(dirt);
		}
		ck_assert_str_eq(text[0], text[1]);
		free(text[0]);
		free(text[1]);
	}
}
END_TEST

/* One reading of a trace through three simulations is three runs. */
START_TEST(compared_as_alone)
{
	const char *spec = "frame=64:9+1518:1,flows=200,rate=line,packets=60k";
	struct sim_run *r = run_new("connectx-5", "gen3x8", "dpdk-mlx5-vec");
	char *together[3];

	r->config.queues = 3;
	run_open_synthetic(r, spec);
	for (int i = 0; i < 3; i++) {
		r->config.comp = (enum cqesim_comp_choice)(CQESIM_COMP_CHOOSE_OFF + i);
		ck_assert_int_eq(run_add_sim(r), 0);
	}
	run_well(r);
	for (unsigned i = 0; i < 3; i++)
		together[i] = run_json(r, i);
	ck_assert_str_ne(together[0], together[1]);
	ck_assert_str_ne(together[1], together[2]);
	for (int i = 0; i < 3; i++) {
		r->config.comp = (enum cqesim_comp_choice)(CQESIM_COMP_CHOOSE_OFF + i);
		run_synthetic(r, spec);
		char *alone = run_json(r, 0);
		ck_assert_str_eq(alone, together[i]);
		free(alone);
		free(together[i]);
	}
	run_free(r);
}
END_TEST

/* ---- the compression policies ---- */

START_TEST(balanced)
{
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-vec");

	/* Room on the link: not a single session, and no pressure. */
	r->config.comp = CQESIM_COMP_CHOOSE_BALANCED;
	r->config.queues = 8;
	const struct cqesim_result *s =
		run_synthetic(r, "frame=64,flows=1024,rate=40Mpps,packets=100k");
	ck_assert_uint_eq(s->nic.sessions + s->nic.lone, 0);
	ck_assert_uint_eq(s->nic.plain, 100000);
	ck_assert_uint_eq(s->nic.pressure_ps, 0);
	/* The same traffic aggressively: nearly all of it. */
	r->config.comp = CQESIM_COMP_CHOOSE_AGGRESSIVE;
	s = run_synthetic(r, "frame=64,flows=1024,rate=40Mpps,packets=100k");
	ck_assert_uint_ge(s->nic.session_packets, 90000);

	/* Line rate at 64 bytes is more than plain CQEs let through (87 of 149 Mpps). */
	const char *flood = "frame=64,flows=1024,rate=line,packets=200k";
	uint64_t delivered[3], sessions[3];
	for (int i = 0; i < 3; i++) {
		r->config.comp = (enum cqesim_comp_choice)(CQESIM_COMP_CHOOSE_OFF + i);
		s = run_synthetic(r, flood);
		delivered[i] = s->delivered;
		sessions[i] = s->nic.session_packets;
		check_books("flood", r);
	}
	ck_assert_uint_eq(sessions[0], 0);
	ck_assert_uint_gt(sessions[1], 20000);
	ck_assert_uint_gt(sessions[2], sessions[1]);
	ck_assert_uint_gt(delivered[1], delivered[0]);
	run_free(r);
}
END_TEST

/* What --cqe-comp leaves alone: two switches, and both must be on. */
START_TEST(two_switches)
{
	static const struct {
		const char *asks, *policy;
		enum cqesim_compression want;
	} cases[] = {
		{"off", "balanced", CQESIM_COMP_OFF},
		{"off", "aggressive", CQESIM_COMP_OFF},
		{"on", "balanced", CQESIM_COMP_BALANCED},
		{"on", "aggressive", CQESIM_COMP_AGGRESSIVE},
	};
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-vec");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		run_set(r, "cqe_comp_en", cases[i].asks);
		run_set(r, "cqe_compression", cases[i].policy);
		const struct cqesim_result *s = run_synthetic(r, "rate=1Mpps,flows=1,packets=1000");
		ck_assert_int_eq(s->compression, cases[i].want);
		/* 1000 ns of time-out and 1000 ns between packets: sessions only where always. */
		run_set(r, "cqe_compression_timeout", "2000");
		s = run_synthetic(r, "rate=1Mpps,flows=1,packets=1000");
		ck_assert_int_eq(s->nic.sessions > 0, cases[i].want == CQESIM_COMP_AGGRESSIVE);
	}
	run_free(r);
}
END_TEST

/* ---- segmentation ---- */

/* An IPv4 TCP packet with `payload` bytes of data, of which 10 are stored. */
static void tcp_record(struct bytes *b, uint32_t usec, uint32_t payload)
{
	uint8_t frame[64] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0};
	uint8_t *ip = frame + 14, *tcp = ip + 20;
	uint32_t total = 40 + payload;

	ip[0] = 0x45;
	ip[2] = (uint8_t)(total >> 8); /* TSO beyond 64 KiB writes anything here */
	ip[3] = (uint8_t)total;
	ip[8] = 64;
	ip[9] = 6;
	ip[15] = 1;
	ip[19] = 2;
	tcp[1] = 80;
	tcp[12] = 0x50;
	tcp[13] = 0x10;
	put32(b, 1);
	put32(b, usec);
	put32(b, 64);
	put32(b, 54 + payload);
	put(b, frame, 64);
}

START_TEST(segments)
{
	static const uint32_t payloads[] = {
		1464, 1465, 2921, 2929, 9000, 29280, 62000, 65000, 200000, 500000,
	};
	/* Untagged frames of MTU + 14 hold 1460 bytes; up to MTU + 18 the port takes them whole. */
	const uint32_t headers = 54, most = 1514 - headers, whole = 1518 - headers;
	struct bytes b = {0};
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-vec");
	uint64_t all = 0, expected = 0, cut = 0;

	pcap_header(&b, false, 65535, 1);
	for (unsigned i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		tcp_record(&b, i * 1000, payloads[i]);
		all += payloads[i];
		expected += payloads[i] > whole ? (payloads[i] + most - 1) / most : 1;
		cut += payloads[i] > whole;
	}
	const char *path = save_bytes("tso.pcap", &b);
	r->config.mtu = 1500;
	r->config.segment = true;
	r->config.checksums = CQESIM_CHECKSUMS_TRUST;
	r->config.ring = 4096;
	const struct cqesim_result *s = run_file(r, path);
	ck_assert_uint_eq(s->segmented, cut);
	ck_assert_uint_eq(s->arrived, expected);
	ck_assert_uint_eq(s->delivered, expected);
	/* Segments below 60 bytes are padded on the wire: payloads of five bytes and of one. */
	ck_assert_uint_eq(s->delivered_bytes - headers * expected, all + (60 - 59) + (60 - 55));
	check_books("segments", r);

	/* Without the option they are lost. */
	r->config.segment = false;
	s = run_file(r, path);
	ck_assert_uint_eq(s->dropped[CQESIM_DROP_OVERSIZE], cut);
	ck_assert_uint_eq(s->arrived, 10);

	/* A length that no stack hands to a card is a broken record: lost, at once. */
	r->config.segment = true;
	pcap_header(&b, false, 65535, 1);
	tcp_record(&b, 0, 4000000000u);
	s = run_file(r, save_bytes("absurd.pcap", &b));
	ck_assert_uint_eq(s->dropped[CQESIM_DROP_OVERSIZE], 1);
	ck_assert_uint_eq(s->segments, 0);
	run_free(r);
}
END_TEST

/* ---- what cannot be ---- */

START_TEST(impossible)
{
	static const struct {
		unsigned queues, ring, cq_size, burst, mtu;
		int format;
		const char *words;
	} cases[] = {
		{0, 0, 0, 0, 0, -1, "queues 0"},
		{CQESIM_QUEUES_MAX + 1, 0, 0, 0, 0, -1, "queues 1025"},
		{1, 2, 0, 0, 0, -1, "ring 2"},
		{1, 100, 0, 0, 0, -1, "ring 100"},
		{1, 8, 0, 0, 0, -1, "ring 8"}, /* for the vector function */
		{1, 65536, 0, 0, 0, -1, "ring 65536"},
		{1, 64, 32, 0, 0, -1, "cq-size 32"},
		{1, 64, 96, 0, 0, -1, "cq-size 96"},
		{1, 64, 1u << 23, 0, 0, -1, "cq-size 8388608"},
		{1, 0, 0, 3, 0, -1, "burst 3"},
		{1, 0, 0, 4097, 0, -1, "burst 4097"},
		{1, 0, 0, 0, 67, -1, "mtu 67"},
		{1, 0, 0, 0, 65536, -1, "mtu 65536"},
		{1, 0, 0, 0, 0, 5, "mini-CQE format 5"},
	};
	struct sim_run *r = run_new("connectx-5", "gen3x16", "dpdk-mlx5-vec");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cqesim_sim_config c = r->config;
		struct cqesim_sim *sim = NULL;
		struct cqesim_error err = {""};

		c.queues = cases[i].queues;
		c.ring = cases[i].ring;
		c.cq_size = cases[i].cq_size;
		c.burst = cases[i].burst;
		c.mtu = cases[i].mtu;
		c.mini_format = cases[i].format;
		ck_assert_int_eq(cqesim_sim_create(&sim, &c, &err), -EINVAL);
		ck_assert_ptr_null(sim);
		ck_assert_msg(strstr(err.text, cases[i].words), "%s: no \"%s\"", err.text,
			      cases[i].words);
		ck_assert_ptr_null(strchr(err.text, '\n'));
	}
	run_free(r);
}
END_TEST

Suite *suite_sim(void)
{
	Suite *s = suite_create("sim");
	TCase *t = tcase_create("sim");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, reference_table);
	tcase_add_test(t, flood_by_hand);
	tcase_add_test(t, slow_host);
	tcase_add_test(t, narrow_link);
	tcase_add_test(t, slow_link_one_queue);
	tcase_add_test(t, ceiling_of_the_mix);
	tcase_add_test(t, slow_device);
	tcase_add_test(t, too_long);
	tcase_add_test(t, no_drop);
	tcase_add_test(t, huge_gaps);
	tcase_add_test(t, no_packet_and_one);
	tcase_add_test(t, zero_length_records);
	tcase_add_test(t, deterministic);
	tcase_add_test(t, compared_as_alone);
	tcase_add_test(t, balanced);
	tcase_add_test(t, two_switches);
	tcase_add_test(t, segments);
	tcase_add_test(t, impossible);
	suite_add_tcase(s, t);
	add_sim_damage(s);
	add_sim_conservation(s);
	add_sim_striding(s);
	add_sim_link(s);
	return s;
}
