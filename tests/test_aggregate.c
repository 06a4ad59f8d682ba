/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hardware GRO and LRO: sessions by hand.  1448 bytes of payload behind 66 of
 * headers are a TCP segment of MTU 1500 with time stamps.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/aggregate.h"
#include "test.h"

/* tests/test_aggregate_frames.c */
TCase *aggregate_frames(void);

#define MSS    1448u
#define HEADER 66u
#define US     UINT64_C(1000000) /* ps */

struct log {
	struct cqesim_session session[64];
	unsigned n;
};

static struct cqesim_aggregate agg;
static struct cqesim_aggregate_config config;
static struct cqesim_segment_place place;
static struct log done;

static void keep(void *context, const struct cqesim_session *s)
{
	struct log *l = context;

	ck_assert_uint_lt(l->n, 64);
	l->session[l->n++] = *s;
}

static void start(enum cqesim_aggregate_kind kind)
{
	memset(&done, 0, sizeof(done));
	ck_assert_int_eq(cqesim_aggregate_defaults(&config, kind, 1500, NULL), 0);
	ck_assert_int_eq(cqesim_aggregate_init(&agg, &config, keep, &done, NULL), 0);
}

/* Again with what was changed in config. */
static void restart(void)
{
	memset(&done, 0, sizeof(done));
	ck_assert_int_eq(cqesim_aggregate_init(&agg, &config, keep, &done, NULL), 0);
}

static struct cqesim_segment segment(uint64_t flow, uint32_t seq, uint32_t payload)
{
	return (struct cqesim_segment){
		.flow = flow,
		.seq = seq,
		.payload_bytes = payload,
		.header_bytes = HEADER,
		.tcp_flags = CQESIM_TCP_ACK,
		.tcp = true,
	};
}

static void add(struct cqesim_segment g)
{
	cqesim_aggregate_add(&agg, &g, &place);
}

/* n full segments of a flow from sequence number seq on; the next one. */
static uint32_t train(uint64_t flow, uint32_t seq, unsigned n)
{
	for (; n--; seq += MSS)
		add(segment(flow, seq, MSS));
	return seq;
}

static void ended(unsigned i, uint32_t segments, enum cqesim_flush flush)
{
	ck_assert_uint_lt(i, done.n);
	ck_assert_uint_eq(done.session[i].id, i);
	ck_assert_uint_eq(done.session[i].segments, segments);
	ck_assert_str_eq(cqesim_flush_name(done.session[i].flush), cqesim_flush_name(flush));
}

/* What Linux sets for an MTU of 1500: 64 KiB, 2^6 >= 65536/1500 = 43.7, 1024 us, 256-byte entries.
 */
START_TEST(defaults)
{
	start(CQESIM_AGGREGATE_HW_GRO);
	ck_assert_uint_eq(config.contexts, 1);
	ck_assert_uint_eq(config.max_bytes, 65536);
	ck_assert_uint_eq(config.max_segments, 64);
	ck_assert_uint_eq(config.timeout_ps, 1024 * US);
	ck_assert_uint_eq(config.header_entry_bytes, 256);
	/* 8 WQEs x 4 reservations x 64 packets. */
	ck_assert_uint_eq(config.log_header_entries, 11);
	start(CQESIM_AGGREGATE_LRO);
	ck_assert_uint_eq(config.max_bytes, 65280);
	ck_assert_uint_eq(config.max_segments, 255);
	ck_assert_uint_eq(config.timeout_ps, 32 * US);
	ck_assert_uint_eq(config.min_payload, 1348);
	/* MTU 9000: 65536/9000 = 7.3, so 8. */
	cqesim_aggregate_defaults(&config, CQESIM_AGGREGATE_HW_GRO, 9000, NULL);
	ck_assert_uint_eq(config.max_segments, 8);
	ck_assert_int_eq(cqesim_aggregate_defaults(&config, CQESIM_AGGREGATE_LRO, 67, NULL),
			 -EINVAL);
}
END_TEST

START_TEST(consecutive_segments_join)
{
	start(CQESIM_AGGREGATE_HW_GRO);
	uint32_t seq = train(7, 1000, 4);
	ck_assert(place.match && !place.flush);
	ck_assert_uint_eq(place.header_size, HEADER);
	ck_assert_uint_eq(place.header_entry, 3);
	ck_assert_uint_eq(place.data_start, 3 * MSS);
	ck_assert_uint_eq(place.data_bytes, MSS);
	struct cqesim_segment last = segment(7, seq, MSS);
	last.tcp_flags |= CQESIM_TCP_PSH;
	add(last);
	ck_assert(place.match && place.flush);
	ck_assert_uint_eq(done.n, 1);
	ended(0, 5, CQESIM_FLUSH_FLAGS);
	const struct cqesim_session *s = &done.session[0];
	ck_assert_uint_eq(s->payload_bytes, 5 * MSS);
	ck_assert_uint_eq(s->header_bytes, 5 * HEADER);
	ck_assert_uint_eq(s->header_entries, 5);
	ck_assert_uint_eq(s->data_bytes, 7240);
	ck_assert_uint_eq(s->buffers, 2);     /* 7240 bytes in buffers of 4096 */
	ck_assert_uint_eq(s->completions, 5); /* mlx5: a CQE each */
	ck_assert_uint_eq(s->next_seq, 1000 + 5 * MSS);
	ck_assert_uint_eq(agg.entries_in_use, 0);
	ck_assert_uint_eq(agg.stats.joined, 5);
	/* The next session begins at the next stride: 7240 -> 7296 = 114 x 64. */
	train(7, seq + MSS, 1);
	ck_assert(!place.match);
	ck_assert_uint_eq(place.data_start, 7296);
	ck_assert_uint_eq(place.header_entry, 5);
}
END_TEST

/* Each reason that a segment of the same flow gives: what was open ends, a new session begins. */
START_TEST(why_the_flow_breaks)
{
	static const struct {
		uint32_t seq_off, payload, ack;
		uint64_t traits;
		uint8_t flags;
		enum cqesim_flush flush;
		bool alone;
	} c[] = {
		{1, MSS, 0, 0, 0, CQESIM_FLUSH_SEQUENCE, false},
		{UINT32_MAX, MSS, 0, 0, 0, CQESIM_FLUSH_SEQUENCE, false}, /* overlaps by a byte */
		{0, MSS, 5, 0, 0, CQESIM_FLUSH_HEADER, false},
		{0, MSS, 0, 9, 0, CQESIM_FLUSH_HEADER, false},
		{0, MSS + 1, 0, 0, 0, CQESIM_FLUSH_LENGTH, false},
		{0, 0, 0, 0, 0, CQESIM_FLUSH_EMPTY, true},
		{0, MSS, 0, 0, CQESIM_TCP_SYN, CQESIM_FLUSH_CONTROL, true},
		{0, MSS, 0, 0, CQESIM_TCP_RST, CQESIM_FLUSH_CONTROL, true},
		{0, MSS, 0, 0, CQESIM_TCP_URG, CQESIM_FLUSH_CONTROL, true},
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		start(CQESIM_AGGREGATE_HW_GRO);
		uint32_t seq = train(1, 0, 3);
		struct cqesim_segment g = segment(1, seq + c[i].seq_off, c[i].payload);
		g.ack = c[i].ack;
		g.traits = c[i].traits;
		g.tcp_flags |= c[i].flags;
		add(g);
		ck_assert(!place.match);
		ck_assert_uint_eq(place.session, 1);
		ck_assert_uint_eq(done.n, 1 + c[i].alone);
		ended(0, 3, c[i].flush);
		if (c[i].alone)
			ended(1, 1, CQESIM_FLUSH_ALONE);
	}
}
END_TEST

/* A shorter last segment joins; nothing may follow it, or GSO could not undo the session. */
START_TEST(shorter_segment_ends)
{
	start(CQESIM_AGGREGATE_HW_GRO);
	uint32_t seq = train(1, 0, 2);
	add(segment(1, seq, 100));
	ck_assert(place.match && place.flush);
	ended(0, 3, CQESIM_FLUSH_LENGTH);
	/* LRO only asks for the least length. */
	start(CQESIM_AGGREGATE_LRO);
	seq = train(1, 0, 2);
	add(segment(1, seq, 1400));
	ck_assert(place.match && !place.flush);
	add(segment(1, seq + 1400, 1347));
	ended(0, 3, CQESIM_FLUSH_SHORT);
	ended(1, 1, CQESIM_FLUSH_ALONE);
}
END_TEST

/* HW-GRO: FIN joins as PSH does.  LRO's completion could not tell it: it goes alone. */
START_TEST(psh_and_fin)
{
	start(CQESIM_AGGREGATE_HW_GRO);
	struct cqesim_segment g = segment(1, train(1, 0, 2), MSS);
	g.tcp_flags |= CQESIM_TCP_FIN;
	add(g);
	ended(0, 3, CQESIM_FLUSH_FLAGS);
	start(CQESIM_AGGREGATE_LRO);
	g = segment(1, train(1, 0, 2), MSS);
	g.tcp_flags |= CQESIM_TCP_FIN;
	add(g);
	ended(0, 2, CQESIM_FLUSH_CONTROL);
	ended(1, 1, CQESIM_FLUSH_ALONE);
	start(CQESIM_AGGREGATE_LRO);
	g = segment(1, train(1, 0, 2), MSS);
	g.tcp_flags |= CQESIM_TCP_PSH;
	add(g);
	ended(0, 3, CQESIM_FLUSH_FLAGS);
	ck_assert_uint_eq(done.session[0].tcp_flags, CQESIM_TCP_ACK | CQESIM_TCP_PSH);
	/* One completion for all; the first header stays, 66 + 3 x 1448. */
	ck_assert_uint_eq(done.session[0].completions, 1);
	ck_assert_uint_eq(done.session[0].data_bytes, 4410);
	ck_assert_uint_eq(agg.stats.header_entries, 0);
}
END_TEST

/* What LRO's completion tells: the least TTL, the last window; HW-GRO compares TTLs. */
START_TEST(ttl_and_window)
{
	static const uint8_t ttl[] = {64, 62, 63};

	for (unsigned kind = 0; kind < 2; kind++) {
		start(kind ? CQESIM_AGGREGATE_LRO : CQESIM_AGGREGATE_HW_GRO);
		for (unsigned i = 0; i < 3; i++) {
			struct cqesim_segment g = segment(1, i * MSS, MSS);
			g.ttl = ttl[i];
			g.window = (uint16_t)(100 + i);
			add(g);
			ck_assert(place.match == (kind && i));
		}
		cqesim_aggregate_stop(&agg, 0);
		ended(0, kind ? 3 : 1, kind ? CQESIM_FLUSH_STOP : CQESIM_FLUSH_HEADER);
		ck_assert_uint_eq(done.session[0].ttl, kind ? 62 : 64);
		ck_assert_uint_eq(done.session[0].window, kind ? 102 : 100);
	}
	/* IPv4 options: LRO's drivers would look for TCP in the wrong place. */
	for (unsigned kind = 0; kind < 2; kind++) {
		start(kind ? CQESIM_AGGREGATE_LRO : CQESIM_AGGREGATE_HW_GRO);
		for (unsigned i = 0; i < 2; i++) {
			struct cqesim_segment g = segment(1, i * MSS, MSS);
			g.ip_options = true;
			add(g);
		}
		ck_assert(place.match == !kind);
	}
}
END_TEST

/* A device's view: what would join, what ends, how much room there is, when time is over. */
START_TEST(step_by_step)
{
	start(CQESIM_AGGREGATE_LRO);
	config.contexts = 1;
	restart();
	struct cqesim_segment g = segment(1, 0, MSS);
	ck_assert(!cqesim_aggregate_joins(&agg, &g));
	ck_assert(!cqesim_aggregate_alone(&agg, &g));
	ck_assert_uint_eq(cqesim_aggregate_next_ps(&agg), UINT64_MAX);
	add(g);
	ck_assert_uint_eq(cqesim_aggregate_next_ps(&agg), 32 * US + 1);
	cqesim_aggregate_room(&agg, HEADER + 3 * MSS);
	g = segment(1, MSS, MSS);
	ck_assert(cqesim_aggregate_joins(&agg, &g));
	g.time_ps = 32 * US;
	ck_assert(cqesim_aggregate_joins(&agg, &g));
	g.time_ps++;
	ck_assert(!cqesim_aggregate_joins(&agg, &g));
	g.time_ps = 0;
	add(g);
	cqesim_aggregate_yield(&agg, &(struct cqesim_segment){.tcp = true,
							      .flow = 1,
							      .seq = 2 * MSS,
							      .payload_bytes = MSS,
							      .header_bytes = HEADER});
	ck_assert_uint_eq(done.n, 0);
	add(segment(1, 2 * MSS, MSS));
	add(segment(1, 3 * MSS, MSS));
	ended(0, 3, CQESIM_FLUSH_SIZE);
	/* What is not TCP ends it too, and begins nothing. */
	cqesim_aggregate_yield(&agg, &(struct cqesim_segment){.time_ps = US});
	ended(1, 1, CQESIM_FLUSH_OTHER_FLOW);
	ck_assert_uint_eq(agg.opened, 0);
	g = segment(1, 0, MSS);
	g.time_ps = 2 * US;
	add(g);
	cqesim_aggregate_step(&agg, 34 * US);
	ck_assert_uint_eq(done.n, 2);
	cqesim_aggregate_step(&agg, 34 * US + 1);
	ended(2, 1, CQESIM_FLUSH_TIMEOUT);
	ck_assert_uint_eq(done.session[2].end_ps, 34 * US);
	cqesim_aggregate_step(&agg, UINT64_MAX);
	ck_assert_uint_eq(done.n, 3);
}
END_TEST

/*
 * 64 KiB by payload: 45 x 1448 = 65160, one more is too many.  As Linux counts,
 * buffers are whole: with 4 KiB, 16 of them are begun by segment 43 (62264 bytes);
 * with 32 KiB, two by segment 23 (33304).
 */
START_TEST(size_limits)
{
	static const struct {
		uint32_t buffer;
		bool count_buffers;
		unsigned segments;
	} c[] = {{4096, false, 45}, {4096, true, 43}, {32768, true, 23}, {65536, true, 45}};

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		start(CQESIM_AGGREGATE_HW_GRO);
		config.buffer_bytes = c[i].buffer;
		config.count_buffers = c[i].count_buffers;
		restart();
		train(1, 0, 46);
		ck_assert_uint_ge(done.n, 1);
		ended(0, c[i].segments, CQESIM_FLUSH_SIZE);
	}
	/* LRO: headers count: 66 + 45 x 1448 = 65226 <= 65280. */
	start(CQESIM_AGGREGATE_LRO);
	train(1, 0, 46);
	ended(0, 45, CQESIM_FLUSH_SIZE);
	config.max_bytes = 65225;
	restart();
	train(1, 0, 46);
	ended(0, 44, CQESIM_FLUSH_SIZE);
}
END_TEST

START_TEST(segment_and_entry_limits)
{
	start(CQESIM_AGGREGATE_HW_GRO);
	config.max_segments = 10;
	restart();
	train(1, 0, 11);
	ended(0, 10, CQESIM_FLUSH_SEGMENTS);
	config.log_header_entries = 3;
	restart();
	uint32_t seq = train(1, 0, 8);
	ck_assert_uint_eq(done.n, 0);
	train(1, seq, 1);
	ended(0, 8, CQESIM_FLUSH_ENTRIES);
	ck_assert_uint_eq(place.header_entry, 0); /* around the header buffer */
	ck_assert_uint_eq(agg.stats.header_entries_max, 8);
}
END_TEST

START_TEST(time_out)
{
	start(CQESIM_AGGREGATE_LRO);
	struct cqesim_segment g = segment(1, 0, MSS);
	g.time_ps = 5 * US;
	add(g);
	g.seq += MSS;
	g.time_ps = 37 * US; /* just in time */
	add(g);
	ck_assert(place.match);
	g.seq += MSS;
	g.time_ps = 37 * US + 1;
	add(g);
	ck_assert(!place.match);
	ended(0, 2, CQESIM_FLUSH_TIMEOUT);
	ck_assert_uint_eq(done.session[0].end_ps, 37 * US);
	config.timeout_ps = 0;
	restart();
	g.time_ps = 0;
	add(g);
	g.seq += MSS;
	g.time_ps = 1000000 * US;
	add(g);
	ck_assert(place.match);
}
END_TEST

/* One context: any other packet comes between.  With more, each flow goes on. */
START_TEST(contexts)
{
	start(CQESIM_AGGREGATE_HW_GRO);
	train(1, 0, 2);
	train(2, 0, 1);
	ended(0, 2, CQESIM_FLUSH_OTHER_FLOW);
	struct cqesim_segment udp = {.payload_bytes = 100, .header_bytes = 42};
	add(udp);
	ended(1, 1, CQESIM_FLUSH_OTHER_FLOW);
	ended(2, 1, CQESIM_FLUSH_ALONE);
	config.contexts = 2;
	restart();
	for (unsigned i = 0; i < 3; i++) {
		train(1, i * MSS, 1);
		add(udp);
		train(2, i * MSS, 1);
	}
	ck_assert(place.match);
	ck_assert_uint_eq(done.n, 3); /* the UDP packets */
	train(3, 0, 1);               /* the oldest goes */
	ck_assert_uint_eq(done.n, 4);
	ck_assert_uint_eq(done.session[3].flow, 1);
	ck_assert_uint_eq(done.session[3].segments, 3);
	cqesim_aggregate_stop(&agg, 0);
	ck_assert_uint_eq(done.n, 6);
	ck_assert_int_eq(done.session[5].flush, CQESIM_FLUSH_STOP);
	ck_assert_uint_eq(agg.stats.packets, 10);
	ck_assert_uint_eq(agg.stats.joined, 6);
}
END_TEST

START_TEST(headers_that_do_not_fit)
{
	start(CQESIM_AGGREGATE_HW_GRO);
	train(1, 0, 1);
	struct cqesim_segment g = segment(1, MSS, MSS);
	g.header_bytes = 257;
	add(g);
	ended(0, 1, CQESIM_FLUSH_HEADER);
	ended(1, 1, CQESIM_FLUSH_ALONE);
	ck_assert_uint_eq(place.header_size, 0);
	ck_assert_uint_eq(place.data_bytes, 257 + MSS);
	ck_assert_uint_eq(agg.stats.not_split, 1);
}
END_TEST

/* Whatever comes: packets, payload and entries are accounted for, data never overlaps. */
START_TEST(random_packets)
{
	uint64_t payload = 0, packets = 0, last = 0;

	srandom(41);
	start(CQESIM_AGGREGATE_HW_GRO);
	for (unsigned k = 0; k < 20; k++) {
		config.contexts = 1;
		config.log_header_entries = 1 + (unsigned)random() % 6;
		config.max_segments = 1 + (unsigned)random() % 40;
		config.buffer_bytes = 4096u << random() % 6;
		ck_assert_int_eq(cqesim_aggregate_init(&agg, &config, NULL, NULL, NULL), 0);
		uint32_t seq[3] = {0};
		payload = packets = last = 0;
		for (unsigned i = 0; i < 3000; i++) {
			unsigned flow = random() % 16 ? 0 : (unsigned)random() % 3;
			struct cqesim_segment g = segment(
				flow, seq[flow], random() % 9 ? MSS : (uint32_t)random() % 3000);
			g.time_ps = i * US;
			g.tcp = random() % 50 != 0;
			g.tcp_flags |= random() % 30 ? 0 : (uint8_t)random();
			g.header_bytes = (uint16_t)(random() % 20 ? HEADER : random() % 400);
			seq[flow] += random() % 40 ? g.payload_bytes : 1;
			add(g);
			ck_assert_uint_ge(place.data_start, last);
			last = place.data_start + place.data_bytes;
			ck_assert_uint_le(agg.entries_in_use, 1u << config.log_header_entries);
			payload += g.payload_bytes + (place.header_size ? 0 : g.header_bytes);
			packets++;
		}
		cqesim_aggregate_stop(&agg, 3000 * US);
		uint64_t flushes = 0;
		for (unsigned i = 0; i < CQESIM_FLUSHES; i++)
			flushes += agg.stats.flushes[i];
		ck_assert_uint_eq(flushes, agg.stats.sessions);
		ck_assert_uint_eq(agg.stats.completions, packets);
		ck_assert_uint_eq(agg.stats.data_bytes, payload);
		ck_assert_uint_eq(agg.stats.header_entries + agg.stats.not_split, packets);
		ck_assert_uint_eq(agg.entries_in_use, 0);
		ck_assert_uint_le(agg.stats.segments_max, config.max_segments);
	}
}
END_TEST

START_TEST(refused)
{
	struct cqesim_error err;

	start(CQESIM_AGGREGATE_HW_GRO);
	struct cqesim_aggregate_config good = config;
#define BAD(member, value)                                                                         \
	do {                                                                                       \
		config = good;                                                                     \
		config.member = value;                                                             \
		ck_assert_int_eq(cqesim_aggregate_init(&agg, &config, NULL, NULL, &err), -EINVAL); \
	} while (0)
	BAD(contexts, 0);
	BAD(contexts, 65);
	BAD(max_segments, 0);
	BAD(max_bytes, 0);
	BAD(buffer_bytes, 5000);
	BAD(align_bytes, 8192);
	BAD(align_bytes, 0);
	BAD(log_header_entries, 21);
#undef BAD
}
END_TEST

Suite *suite_aggregate(void)
{
	Suite *suite = suite_create("aggregate");
	TCase *tc = tcase_create("sessions");

	tcase_add_test(tc, defaults);
	tcase_add_test(tc, consecutive_segments_join);
	tcase_add_test(tc, why_the_flow_breaks);
	tcase_add_test(tc, shorter_segment_ends);
	tcase_add_test(tc, psh_and_fin);
	tcase_add_test(tc, ttl_and_window);
	tcase_add_test(tc, step_by_step);
	tcase_add_test(tc, size_limits);
	tcase_add_test(tc, segment_and_entry_limits);
	tcase_add_test(tc, time_out);
	tcase_add_test(tc, contexts);
	tcase_add_test(tc, headers_that_do_not_fit);
	tcase_add_test(tc, random_packets);
	tcase_add_test(tc, refused);
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, aggregate_frames());
	return suite;
}
