/* SPDX-License-Identifier: BSD-3-Clause */
/* What joining segments reads from frames. */
#include <stdlib.h>
#include <string.h>

#include "cqesim/aggregate.h"
#include "test.h"

TCase *aggregate_frames(void);

/* Ethernet, IPv4 and TCP with a time stamp option: 14 + 20 + 32 bytes. */
static const uint8_t tcp_frame[66 + 100] =
	{
		2,    0,    0,    0,    0, 1, 2,    0,    0,  0, 0, 2, 0x08, 0x00, /* Ethernet */
		0x45, 0,    0,    152,  0, 7, 0x40, 0,    64, 6, 0, 0, 10,   0,    0, 1,
		10,   0,    0,    2, /* IPv4 */
		0x1f, 0x90, 0x9c, 0x40, 0, 0, 0x12, 0x34, 0,  0, 0, 9, 0x80, 0x18, 1, 0,
		0,    0,    0,    0,    1, 1, 8,    10,   1,  2, 3, 4, 5,    6,    7, 8, /* TCP */
};

static struct cqesim_segment read_frame(const uint8_t *data, uint32_t n)
{
	struct cqesim_frame f = {.data = data, .cap_len = n, .orig_len = n, .len = n < 60 ? 60 : n};
	struct cqesim_segment g;

	cqesim_segment_read(&f, &g);
	return g;
}

START_TEST(frames)
{
	uint8_t f[256];
	struct cqesim_segment g = read_frame(tcp_frame, 166), h;

	ck_assert(g.tcp);
	ck_assert_uint_eq(g.header_bytes, 66);
	ck_assert_uint_eq(g.payload_bytes, 100);
	ck_assert_uint_eq(g.seq, 0x1234);
	ck_assert_uint_eq(g.ack, 9);
	ck_assert_uint_eq(g.tcp_flags, CQESIM_TCP_ACK | CQESIM_TCP_PSH);
	/* Another time stamp, IP id, sequence number: the same flow and traits. */
	static const unsigned free_bytes[] = {18, 19, 41, 45, 48, 58, 65, 100};
	for (size_t i = 0; i < sizeof(free_bytes) / sizeof(free_bytes[0]); i++) {
		memcpy(f, tcp_frame, sizeof(tcp_frame));
		f[free_bytes[i]] ^= 1;
		h = read_frame(f, 166);
		ck_assert(h.tcp && h.flow == g.flow && h.traits == g.traits);
	}
	ck_assert_uint_eq(g.ttl, 64);
	ck_assert_uint_eq(g.window, 256);
	ck_assert(!g.ip_options);
	/* Addresses and ports make the flow; TOS, DF, option kinds, ECE the traits. */
	static const unsigned flow_bytes[] = {29, 33, 35, 37}, trait_bytes[] = {15, 20, 54};
	for (size_t i = 0; i < sizeof(flow_bytes) / sizeof(flow_bytes[0]); i++) {
		memcpy(f, tcp_frame, sizeof(tcp_frame));
		f[flow_bytes[i]] ^= 4;
		ck_assert(read_frame(f, 166).flow != g.flow);
	}
	for (size_t i = 0; i < sizeof(trait_bytes) / sizeof(trait_bytes[0]); i++) {
		memcpy(f, tcp_frame, sizeof(tcp_frame));
		f[trait_bytes[i]] ^= trait_bytes[i] == 20 ? 0x40 : 2;
		h = read_frame(f, 166);
		ck_assert_msg(h.tcp && h.flow == g.flow && h.traits != g.traits, "byte %u",
			      trait_bytes[i]);
	}
	memcpy(f, tcp_frame, sizeof(tcp_frame));
	f[22] = 63; /* TTL: told beside the traits */
	h = read_frame(f, 166);
	ck_assert(h.flow == g.flow && h.traits == g.traits);
	ck_assert_uint_eq(h.ttl, 63);
	memcpy(f, tcp_frame, sizeof(tcp_frame));
	f[47] |= 0x40;
	ck_assert(read_frame(f, 166).traits != g.traits);
	/* A fragment is none. */
	f[20] = 0x20;
	h = read_frame(f, 166);
	ck_assert(!h.tcp);
	ck_assert_uint_eq(h.header_bytes, 0);
	ck_assert_uint_eq(h.payload_bytes, 166);
}
END_TEST

/* A tag before it moves all by four bytes; Ethernet's padding is no payload. */
START_TEST(tags_and_padding)
{
	uint8_t f[256];

	memcpy(f, tcp_frame, 12);
	memcpy(f + 12, (const uint8_t[]){0x81, 0x00, 0x20, 0x05}, 4);
	memcpy(f + 16, tcp_frame + 12, sizeof(tcp_frame) - 12);
	struct cqesim_segment g = read_frame(f, 170), h = read_frame(tcp_frame, 166);
	ck_assert_uint_eq(g.header_bytes, 70);
	ck_assert_uint_eq(g.payload_bytes, 100);
	ck_assert(g.flow == h.flow && g.traits != h.traits);
	memcpy(f, tcp_frame, sizeof(tcp_frame));
	f[17] = 52; /* headers alone, and 100 bytes of padding */
	g = read_frame(f, 166);
	ck_assert(g.tcp);
	ck_assert_uint_eq(g.payload_bytes, 0);
	/* Cut anywhere: nothing beyond what was captured is read. */
	for (uint32_t n = 0; n <= 166; n++) {
		uint8_t *copy = malloc(n ? n : 1);
		struct cqesim_frame frame = {
			.data = copy, .cap_len = n, .orig_len = 166, .len = 166};

		memcpy(copy, tcp_frame, n);
		cqesim_segment_read(&frame, &g);
		ck_assert(g.tcp == (n >= 66));
		free(copy);
	}
}
END_TEST

TCase *aggregate_frames(void)
{
	TCase *tc = tcase_create("frames");
	tcase_add_test(tc, frames);
	tcase_add_test(tc, tags_and_padding);

	return tc;
}
