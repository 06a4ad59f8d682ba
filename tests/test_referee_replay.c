/* SPDX-License-Identifier: BSD-3-Clause */
/* See test_referee_replay.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_referee_replay.h"

#define VALID_VLAN   2
#define VALID_STRIDE 16

/* The program, built once for all tests (each runs in its own process); NULL and a reason if not.
 */
const char *referee(const char **why)
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
		if (c[i].filler) {
			s->fillers++;
			continue;
		}
		if (s->count == s->room) {
			s->room = s->room ? 2 * s->room : 4096;
			s->packet = realloc(s->packet, s->room * sizeof(*s->packet));
			ck_assert_ptr_nonnull(s->packet);
		}
		s->packet[s->count++] =
			(struct seen_packet){c[i].meta, c[i].wqe_id, c[i].wqe_counter};
	}
	return s->feed.polled(s->feed.context, queue, now_ps, c, n);
}

struct machine machine(const char *driver)
{
	struct cqesim_error err = {""};
	struct machine m = {0};

	ck_assert_msg(!cqesim_profile_load(&m.device, CQESIM_PROFILE_DEVICE, "connectx-5", &err),
		      "%s", err.text);
	ck_assert(!cqesim_profile_load(&m.link, CQESIM_PROFILE_LINK, "gen3x16", &err));
	ck_assert(!cqesim_profile_load(&m.driver, CQESIM_PROFILE_DRIVER, driver, &err));
	ck_assert(!cqesim_profile_load(&m.host, CQESIM_PROFILE_HOST, "generic", &err));
	return m;
}

void machine_free(struct machine *m)
{
	cqesim_profile_free(m->device);
	cqesim_profile_free(m->link);
	cqesim_profile_free(m->driver);
	cqesim_profile_free(m->host);
}

unsigned replay(const struct machine *m, struct cqesim_trace *trace, enum cqesim_comp_choice comp,
		enum cqesim_mini_format format, const char *feed_path, struct seen *seen,
		char *command, size_t size)
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
		.ring = m->wqes ? 0 : RING,
		.wqes = m->wqes,
		.hold = m->hold,
		.comp = comp,
		.layout = m->layout,
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

void judge(const char *name, const char *program, const char *command, const char *driver,
	   enum cqesim_mini_format format, unsigned wqes, const struct seen *seen)
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
		const struct cqesim_rxmeta *m = &seen->packet[i].meta;
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
		if (wqes) {
			ck_assert_msg(r.valid & VALID_STRIDE, "%s: packet %zu: no place", name, i);
			ck_assert_msg(r.stride == seen->packet[i].stride &&
					      r.descriptor == (seen->packet[i].wqe & (wqes - 1)),
				      "%s: packet %zu: stride %u of WQE %u, not %u of %u", name, i,
				      r.stride, r.descriptor, seen->packet[i].stride,
				      seen->packet[i].wqe & (wqes - 1));
		}
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

struct cqesim_trace *open_capture(const void *what)
{
	const struct capture *c = what;
	const struct cqesim_trace_config config = {.repeat = c->repeat};
	struct cqesim_trace *trace;

	return cqesim_trace_open(&trace, &c->path, 1, &config, NULL) ? NULL : trace;
}

uint64_t packets_of(const char *path)
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

struct cqesim_trace *open_synthetic(const void *what)
{
	const struct cqesim_trace_config config = {0};
	struct cqesim_trace *trace;

	return cqesim_trace_open_synthetic(&trace, what, 100000000000, &config, NULL) ? NULL
										      : trace;
}
