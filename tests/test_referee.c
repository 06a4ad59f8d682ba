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

#include "cqesim/sim.h"
#include "test.h"
#include "test_referee_random.h"

#define RING 64u
#define LAPS 100u

#define VALID_VLAN 2

/* The program, built once for all tests (each runs in its own process); NULL and a reason if not.
 */
static const char *referee(const char **why)
{
	static struct referee r;

	return referee_find(&r, false, why) ? r.path : NULL;
}

/* ---- DPDK's packet types (rte_mbuf_ptype.h), from the CQE's header types ---- */

static uint32_t l3_type(uint8_t hdr, bool inner)
{
	switch (hdr & CQESIM_HDR_L3_MASK) {
	case CQESIM_HDR_L3_IPV4:
		return inner ? 0x00400000 : 0x90; /* IPV4_EXT_UNKNOWN */
	case CQESIM_HDR_L3_IPV6:
		return inner ? 0x00600000 : 0xe0; /* IPV6_EXT_UNKNOWN */
	default:
		return 0;
	}
}

static uint32_t l4_type(uint8_t hdr)
{
	if (hdr & CQESIM_HDR_FRAGMENT)
		return 0x300;
	switch (hdr & CQESIM_HDR_L4_MASK) {
	case CQESIM_HDR_L4_UDP:
		return 0x200;
	case CQESIM_HDR_L4_TCP:
	case CQESIM_HDR_L4_TCP_ACK:
	case CQESIM_HDR_L4_TCP_ACK_DATA:
		return 0x100;
	default:
		return 0x600; /* NONFRAG */
	}
}

static uint32_t packet_type(const struct cqesim_rxmeta *m)
{
	uint32_t type = 1; /* L2_ETHER */
	uint8_t hdr = m->l4_l3_hdr_type;

	if (!(hdr & CQESIM_HDR_L3_MASK) && !(m->pkt_info & CQESIM_PKT_INFO_TUNNELED))
		return type;
	if (!(m->pkt_info & CQESIM_PKT_INFO_TUNNELED))
		return type | l3_type(hdr, false) | l4_type(hdr);
	type |= m->pkt_info & CQESIM_PKT_INFO_OUTER_IPV6 ? 0xe0 : 0x90;
	if (!(hdr & CQESIM_HDR_L3_MASK)) /* nothing known inside */
		return type;
	return type | l3_type(hdr, true) | l4_type(hdr) << 16; /* INNER_L4_* */
}

/* ---- one replay and its judgement ---- */

/* What our reader returned, in order, beside the feed. */
struct seen {
	struct cqesim_ring_observer feed;
	struct cqesim_rxmeta *meta;
	size_t count, room;
};

static void see_write(void *context, unsigned queue, uint32_t slot, uint8_t *bytes)
{
	struct seen *s = context;

	s->feed.written(s->feed.context, queue, slot, bytes);
}

static void see_publication(void *context, unsigned queue, uint64_t visible_ps)
{
	struct seen *s = context;

	s->feed.published(s->feed.context, queue, visible_ps);
}

static int see_poll(void *context, unsigned queue, uint64_t now_ps,
		    const struct cqesim_completion *c, unsigned n)
{
	struct seen *s = context;

	for (unsigned i = 0; i < n; i++) {
		if (s->count == s->room) {
			s->room = s->room ? 2 * s->room : 4096;
			s->meta = realloc(s->meta, s->room * sizeof(*s->meta));
			ck_assert_ptr_nonnull(s->meta);
		}
		s->meta[s->count++] = c[i].meta;
	}
	return s->feed.polled(s->feed.context, queue, now_ps, c, n);
}

struct machine {
	struct cqesim_profile *device, *link, *driver, *host;
};

static struct machine machine(const char *driver)
{
	struct cqesim_error err = {""};
	struct machine m;

	ck_assert_msg(!cqesim_profile_load(&m.device, CQESIM_PROFILE_DEVICE, "connectx-5", &err),
		      "%s", err.text);
	ck_assert(!cqesim_profile_load(&m.link, CQESIM_PROFILE_LINK, "gen3x16", &err));
	ck_assert(!cqesim_profile_load(&m.driver, CQESIM_PROFILE_DRIVER, driver, &err));
	ck_assert(!cqesim_profile_load(&m.host, CQESIM_PROFILE_HOST, "generic", &err));
	return m;
}

static void machine_free(struct machine *m)
{
	cqesim_profile_free(m->device);
	cqesim_profile_free(m->link);
	cqesim_profile_free(m->driver);
	cqesim_profile_free(m->host);
}

/* Replays what the trace gives; the result is written to feed, the packets to *seen. */
static unsigned replay(const struct machine *m, struct cqesim_trace *trace,
		       enum cqesim_comp_choice comp, enum cqesim_mini_format format,
		       const char *feed_path, struct seen *seen, char *command, size_t size)
{
	struct cqesim_error err = {""};
	struct cqesim_feed *feed;
	struct cqesim_ring_observer observer = {seen, see_write, see_publication, see_poll};
	struct cqesim_sim_config config = {
		.device = m->device,
		.link = m->link,
		.driver = m->driver,
		.host = m->host,
		.queues = 1,
		.ring = RING,
		.comp = comp,
		.mini_format = (int)format,
		.checksums = CQESIM_CHECKSUMS_L3,
		.observer = &observer,
	};
	struct cqesim_port *port = malloc(sizeof(*port));
	struct cqesim_port_stats *stats = calloc(1, sizeof(*stats));
	struct cqesim_replay r = {.trace = trace, .port = port, .port_stats = stats, .sims = 1};

	ck_assert(port && stats);
	ck_assert(!cqesim_feed_create(&feed, feed_path, 32, &err));
	seen->feed = cqesim_feed_observer(feed);
	ck_assert_msg(!cqesim_sim_port(port, &config, &err), "%s", err.text);
	ck_assert_msg(!cqesim_sim_create(&r.sim[0], &config, &err), "%s", err.text);
	ck_assert_msg(!cqesim_replay_run(&r, &err), "%s", err.text);
	ck_assert(!cqesim_feed_close(feed, true, &err));
	const struct cqesim_result *result = cqesim_sim_result(r.sim[0]);
	ck_assert_uint_eq(result->delivered, seen->count);
	unsigned laps = (unsigned)result->laps;
	ck_assert_msg(!cqesim_feed_command(result, feed_path, command, size, &err), "%s", err.text);
	cqesim_sim_destroy(r.sim[0]);
	free(port);
	free(stats);
	return laps;
}

static void judge(const char *name, const char *program, const char *command, const char *driver,
		  enum cqesim_mini_format format, const struct seen *seen)
{
	char line[16384], records[512];
	bool vec = strstr(driver, "vec") != NULL;

	/* The command is the one that users are given; only the program's place differs. */
	ck_assert(!strncmp(command, "pmd_referee ", 12));
	snprintf(records, sizeof(records), "%s/records", test_tmpdir());
	snprintf(line, sizeof(line), "%s %s --out summary --records %s >%s/referee.out 2>&1",
		 program, command + 12, records, test_tmpdir());
	ck_assert_msg(system(line) == 0, "%s: %s", name, line);

	FILE *f = fopen(records, "rb");
	ck_assert_ptr_nonnull(f);
	for (size_t i = 0; i < seen->count; i++) {
		const struct cqesim_rxmeta *m = &seen->meta[i];
		struct referee_record r;
		bool stripped = m->l4_l3_hdr_type & CQESIM_HDR_VLAN_STRIPPED;

		ck_assert_msg(fread(&r, sizeof(r), 1, f) == 1, "%s: packet %zu of %zu missing",
			      name, i, seen->count);
		ck_assert_msg(r.length == m->byte_cnt, "%s: packet %zu: length %u, not %u", name, i,
			      r.length, m->byte_cnt);
		ck_assert_msg(r.ptype == packet_type(m), "%s: packet %zu: type %#x, not %#x", name,
			      i, r.ptype, packet_type(m));
		/* The vector code reports no hash in formats without one (referee's README). */
		if (format == CQESIM_MINI_HASH || !vec)
			ck_assert_msg(r.rss == m->rx_hash_res, "%s: packet %zu: hash %#x, not %#x",
				      name, i, r.rss, m->rx_hash_res);
		/* It also gives VLAN bits of L34H minis in reverse order. */
		if (format == CQESIM_MINI_L34H_STRIDX)
			continue;
		ck_assert_msg(!!(r.valid & VALID_VLAN) == stripped, "%s: packet %zu: VLAN", name,
			      i);
		if (stripped)
			ck_assert_msg(r.vlan == m->vlan_info, "%s: packet %zu: TCI %#x, not %#x",
				      name, i, r.vlan, m->vlan_info);
	}
	ck_assert_msg(fgetc(f) == EOF, "%s: the referee has more packets than we", name);
	fclose(f);
}

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
		judge(name, program, command, with[i].driver, with[i].format, &seen);
		free(seen.meta);
		cqesim_trace_close(trace);
		machine_free(&m);
	}
}

struct capture {
	const char *path;
	uint64_t repeat;
};

static struct cqesim_trace *open_capture(const void *what)
{
	const struct capture *c = what;
	const struct cqesim_trace_config config = {.repeat = c->repeat};
	struct cqesim_trace *trace;

	return cqesim_trace_open(&trace, &c->path, 1, &config, NULL) ? NULL : trace;
}

/* Packets of a capture; 0 for what cannot be replayed to its end. */
static uint64_t packets_of(const char *path)
{
	const struct cqesim_frame *frames;
	struct capture c = {path, 1};
	struct cqesim_trace *trace = open_capture(&c);
	uint64_t n = 0;
	int got;

	if (!trace)
		return 0;
	while ((got = cqesim_trace_next(trace, &frames, NULL)) > 0)
		n += (uint64_t)got;
	cqesim_trace_close(trace);
	return got < 0 ? 0 : n;
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

static struct cqesim_trace *open_synthetic(const void *what)
{
	const struct cqesim_trace_config config = {0};
	struct cqesim_trace *trace;

	return cqesim_trace_open_synthetic(&trace, what, 100000000000, &config, NULL) ? NULL
										      : trace;
}

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
		judge(cqesim_mini_format_name(format), program, command, driver, format, &seen);
		free(seen.meta);
		cqesim_trace_close(trace);
		machine_free(&m);
	}
}
END_TEST

Suite *suite_referee(void)
{
	Suite *s = suite_create("referee");
	TCase *t = tcase_create("referee");

	tcase_set_timeout(t, 1200);
	tcase_add_test(t, synthetic);
	tcase_add_test(t, mini_formats);
	tcase_add_test(t, captures);
	suite_add_tcase(s, t);
	return s;
}
