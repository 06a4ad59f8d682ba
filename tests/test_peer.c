/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peer: pcie-model's figures.  Expected values are what the peer itself computes
 * (commit 40703cf) and spot values of the reference material; corrected ones are
 * worked out by hand, and all corrections together must give what cqesim's own
 * link gives.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cqesim/pcie.h"
#include "cqesim/peer.h"
#include "test.h"
#include "test_peer.h"

static struct cqesim_peer_config base(void)
{
	struct cqesim_peer_config c;

	cqesim_peer_defaults(&c);
	ck_assert_int_eq(cqesim_peer_check(&c, NULL), 0);
	return c;
}

static struct cqesim_peer_result run(struct cqesim_peer_config c, enum cqesim_peer_model model,
				     enum cqesim_peer_direction direction, uint32_t size)
{
	struct cqesim_peer_result r;
	struct cqesim_error err = {""};

	ck_assert_msg(!cqesim_peer_check(&c, &err), "%s", err.text);
	cqesim_peer_run(&c, model, direction, size, &r);
	return r;
}

/* Gb/s and M/s to three places. */
static void is(struct cqesim_peer_result r, double gbps, double millions)
{
	ck_assert_double_eq_tol(r.payload_gbps, gbps, 0.0005);
	ck_assert_double_eq_tol(r.transactions / 1e6, millions, 0.0005);
}

/* The tables of Ack limits in symbol times (Gen1, 2, 3 and later), x1 to x32, MPS 128 to 4096. */
static const unsigned limits[3][6][6] = {
	{{237, 416, 559, 1071, 2095, 4143},
	 {128, 217, 289, 545, 1057, 2081},
	 {73, 118, 154, 282, 538, 1050},
	 {67, 107, 86, 150, 278, 534},
	 {48, 72, 86, 150, 278, 534},
	 {33, 45, 52, 84, 148, 276}},
	{{288, 467, 610, 1122, 2146, 4194},
	 {179, 268, 340, 596, 1108, 2132},
	 {124, 169, 205, 333, 589, 1101},
	 {118, 158, 137, 201, 329, 585},
	 {99, 123, 137, 201, 329, 585},
	 {84, 96, 103, 135, 199, 237}},
	{{333, 512, 655, 1167, 2191, 4239},
	 {224, 313, 385, 641, 1153, 2177},
	 {169, 214, 250, 378, 634, 1146},
	 {163, 203, 182, 246, 374, 630},
	 {144, 168, 182, 246, 374, 630},
	 {129, 141, 148, 180, 244, 372}},
};

START_TEST(tables)
{
	struct cqesim_peer_config c = base();

	for (c.generation = 1; c.generation <= 7; c.generation++)
		for (unsigned l = 0; l < 6; l++)
			for (unsigned m = 0; m < 6; m++) {
				unsigned g = c.generation > 3 ? 2 : c.generation - 1;
				unsigned ack = limits[g][l][m], fc = ack;

				/* Its misprints: UpdateFC 248 for 148, Ack 237 for 327. */
				if (g == 0 && l == 5 && m == 4)
					fc = 248;
				if (g == 1 && l == 5 && m == 5)
					fc = 327;
				c.lanes = 1u << l;
				c.mps = 128u << m;
				c.fixes = 0;
				ck_assert_uint_eq(cqesim_peer_ack_limit(&c), ack);
				ck_assert_uint_eq(cqesim_peer_fc_limit(&c), fc);
				c.fixes = CQESIM_PEER_FIX_MISPRINTS;
				ck_assert_uint_eq(cqesim_peer_ack_limit(&c),
						  g == 1 && l == 5 && m == 5 ? 327 : ack);
				ck_assert_uint_eq(cqesim_peer_fc_limit(&c),
						  g == 0 && l == 5 && m == 4   ? 148
						  : g == 1 && l == 5 && m == 5 ? 327
									       : ack);
			}
}
END_TEST

START_TEST(link_rates)
{
	struct cqesim_peer_config c = base();

	/* 8 GT/s x 8 x 128/130 = 63.0154; x (1 - 8/203 - 8/203 - 4/1538) = 57.8849. */
	ck_assert_double_eq_tol(cqesim_peer_raw(&c), 63.015385, 1e-6);
	ck_assert_double_eq_tol(cqesim_peer_usable(&c),
				63.015384615 * (1 - 16.0 / 203 - 4.0 / 1538), 1e-6);
	c.fixes = CQESIM_PEER_FIX_SHARE; /* a symbol time is 8 bytes on 8 lanes */
	ck_assert_double_eq_tol(cqesim_peer_usable(&c), 63.015384615 * (1 - 2.0 / 203 - 4.0 / 1538),
				1e-6);
	c.fixes = CQESIM_PEER_FIX_SKP;
	ck_assert_double_eq_tol(cqesim_peer_usable(&c), 63.015384615 * (1 - 16.0 / 203 - 1.0 / 371),
				1e-6);
	c.fixes = CQESIM_PEER_FIX_POLICY;
	ck_assert_double_eq_tol(cqesim_peer_usable(&c), 63.015384615 * (1 - 4.0 / 1538), 1e-6);
	c.generation = 6;
	c.lanes = 16;
	c.fixes = 0;
	ck_assert_double_eq_tol(cqesim_peer_raw(&c), 968, 1e-9); /* 1024 x 242/256 */
	ck_assert_double_eq_tol(cqesim_peer_usable(&c), 968 * (1 - 16.0 / 168 - 4.0 / 1538), 1e-6);
	c.fixes = CQESIM_PEER_FIX_FLIT;
	ck_assert_double_eq_tol(cqesim_peer_usable(&c), 944, 1e-9); /* 1024 x 236/256 */
	c.generation = 2; /* no flits there: nothing changes */
	c.lanes = 1;
	ck_assert_double_eq_tol(cqesim_peer_raw(&c), 4, 1e-9);
	c.fixes = CQESIM_PEER_FIX_SKP; /* right for 8b/10b */
	ck_assert_double_eq_tol(cqesim_peer_usable(&c), 4 * (1 - 16.0 / 467 - 4.0 / 1538), 1e-9);
}
END_TEST

/* The spot values of the reference material. */
START_TEST(spot_values)
{
	struct cqesim_peer_config c = base();

	is(run(c, CQESIM_PEER_WRITE, CQESIM_PEER_BI, 64), 42.098, 82.223);
	is(run(c, CQESIM_PEER_WRITE, CQESIM_PEER_BI, 512), 52.923, 12.921);
	is(run(c, CQESIM_PEER_READ, CQESIM_PEER_BI, 64), 44.103, 86.138);
	is(run(c, CQESIM_PEER_READ, CQESIM_PEER_BI, 512), 53.690, 13.108);
	is(run(c, CQESIM_PEER_READ_WRITE, CQESIM_PEER_BI, 64), 33.077, 64.604);
	is(run(c, CQESIM_PEER_READ_WRITE, CQESIM_PEER_BI, 512), 50.748, 12.390);
	is(run(c, CQESIM_PEER_SIMPLE, CQESIM_PEER_BI, 60), 12.584, 26.216);
	is(run(c, CQESIM_PEER_KERNEL, CQESIM_PEER_BI, 60), 17.634, 36.738);
	is(run(c, CQESIM_PEER_DPDK, CQESIM_PEER_BI, 60), 20.649, 43.018);
	is(run(c, CQESIM_PEER_DPDK, CQESIM_PEER_RX, 60), 28.009, 58.352);
	c.fixes = CQESIM_PEER_FIX_DESCRIPTOR;
	is(run(c, CQESIM_PEER_DPDK, CQESIM_PEER_RX, 60), 23.467, 48.889);
}
END_TEST

/* Bytes per packet of 60, by hand from the list of what a card does. */
START_TEST(card_bytes)
{
	static const struct {
		enum cqesim_peer_model model;
		enum cqesim_peer_direction direction;
		double up, down;
	} cards[] = {
		/* 24 desc + 24 packet + 28 MSI + 24 head; 28 tail + 36 desc + 80 + 24 */
		{CQESIM_PEER_SIMPLE, CQESIM_PEER_TX, 100, 168},
		/* 84 + 40 + 28 + 24, without the 24 of the request; 28 + 36 + 24 */
		{CQESIM_PEER_SIMPLE, CQESIM_PEER_RX, 176, 88},
		{CQESIM_PEER_SIMPLE, CQESIM_PEER_BI, 276, 256},
		/* 2 x 24/40 + 24 + (24+128)/8 + 28/32 + 24; 28 + (3 x 20 + 640)/40 + 80 + 24 */
		{CQESIM_PEER_KERNEL, CQESIM_PEER_TX, 1.2 + 24 + 19 + 0.875 + 24, 28 + 17.5 + 104},
		/* 84 + 40 + 28/32 + 24/8; 28/32 + 36 + 24/8 */
		{CQESIM_PEER_KERNEL, CQESIM_PEER_RX, 127.875, 39.875},
		{CQESIM_PEER_DPDK, CQESIM_PEER_TX, 44.2, 0.875 + 17.5 + 80},
		{CQESIM_PEER_DPDK, CQESIM_PEER_RX, 124, 36.875},
		{CQESIM_PEER_DPDK, CQESIM_PEER_BI, 168.2, 135.25},
	};

	for (unsigned i = 0; i < sizeof(cards) / sizeof(cards[0]); i++) {
		struct cqesim_peer_config c = base();
		struct cqesim_peer_result r = run(c, cards[i].model, cards[i].direction, 60);

		ck_assert_double_eq_tol(r.up_bytes, cards[i].up, 1e-9);
		ck_assert_double_eq_tol(r.down_bytes, cards[i].down, 1e-9);
		c.fixes = CQESIM_PEER_FIX_DESCRIPTOR;
		r = run(c, cards[i].model, cards[i].direction, 60);
		double lost = cards[i].direction == CQESIM_PEER_TX ? 0 : 24;
		ck_assert_double_eq_tol(r.up_bytes, cards[i].up + lost, 1e-9);
		ck_assert_double_eq_tol(r.down_bytes, cards[i].down, 1e-9);
	}
}
END_TEST

START_TEST(operation_bytes)
{
	struct cqesim_peer_config c = base();
	struct cqesim_peer_result r;

	c.addr_bits = 32;
	c.ecrc = true; /* 20 + 4, 20 + 4, CplD 20 + 4 */
	r = run(c, CQESIM_PEER_READ_WRITE, CQESIM_PEER_BI, 300);
	ck_assert_double_eq_tol(r.up_bytes, 2 * 24 + 300 + 24, 1e-9);
	ck_assert_double_eq_tol(r.down_bytes, 2 * 24 + 300, 1e-9);
	c.rcb_chunks = true;
	r = run(c, CQESIM_PEER_READ, CQESIM_PEER_BI, 300);
	ck_assert_double_eq_tol(r.down_bytes, 5 * 24 + 300, 1e-9);
	ck_assert_int_eq(r.bound, CQESIM_PEER_BOUND_DOWN);
}
END_TEST

/* One byte at an odd place; a request of MRRS less than MPS; pages. */
START_TEST(corrected_bytes)
{
	struct cqesim_peer_config c = base();
	struct cqesim_peer_result r;

	r = run(c, CQESIM_PEER_WRITE, CQESIM_PEER_BI, 1);
	ck_assert_double_eq_tol(r.up_bytes, 25, 1e-9);
	c.fixes = CQESIM_PEER_FIX_ADDRESS;
	r = run(c, CQESIM_PEER_WRITE, CQESIM_PEER_BI, 1);
	ck_assert_double_eq_tol(r.up_bytes, 28, 1e-9);
	c.address = 4096 - 2; /* two TLPs, a double word each */
	r = run(c, CQESIM_PEER_WRITE, CQESIM_PEER_BI, 4);
	ck_assert_double_eq_tol(r.up_bytes, 56, 1e-9);
	/* 64 bytes from offset 1: 17 double words; one completion may have all of them. */
	c.address = 1;
	c.fixes |= CQESIM_PEER_FIX_COMPLETIONS;
	r = run(c, CQESIM_PEER_READ, CQESIM_PEER_BI, 64);
	ck_assert_double_eq_tol(r.up_bytes, 24, 1e-9);
	ck_assert_double_eq_tol(r.down_bytes, 20 + 68, 1e-9);
	c.rcb_chunks = true; /* from a root port that sends lines they come as 63 and 1 */
	r = run(c, CQESIM_PEER_READ, CQESIM_PEER_BI, 64);
	ck_assert_double_eq_tol(r.down_bytes, 40 + 64 + 4, 1e-9);
	/* MRRS 128 below MPS 256: 512 bytes are 4 requests and so 4 completions, not 2. */
	c = base();
	c.mrrs = 128;
	r = run(c, CQESIM_PEER_READ, CQESIM_PEER_BI, 512);
	ck_assert_double_eq_tol(r.down_bytes, 512 + 40, 1e-9);
	c.fixes = CQESIM_PEER_FIX_COMPLETIONS;
	r = run(c, CQESIM_PEER_READ, CQESIM_PEER_BI, 512);
	ck_assert_double_eq_tol(r.down_bytes, 512 + 80, 1e-9);
	/* Prefixes: 4 bytes on the device's requests, none on completions. */
	c = base();
	c.prefixes = 1;
	c.fixes = CQESIM_PEER_FIX_PREFIXES;
	r = run(c, CQESIM_PEER_READ_WRITE, CQESIM_PEER_BI, 64);
	ck_assert_double_eq_tol(r.up_bytes, 28 + 64 + 28, 1e-9);
	ck_assert_double_eq_tol(r.down_bytes, 84, 1e-9);
	/* Flits carry no framing. */
	c = base();
	c.generation = 6;
	c.fixes = CQESIM_PEER_FIX_FLIT;
	r = run(c, CQESIM_PEER_READ_WRITE, CQESIM_PEER_BI, 64);
	ck_assert_double_eq_tol(r.up_bytes, 16 + 64 + 16, 1e-9);
	ck_assert_double_eq_tol(r.down_bytes, 12 + 64, 1e-9);
	c.generation = 5; /* not before Gen6 */
	r = run(c, CQESIM_PEER_WRITE, CQESIM_PEER_BI, 64);
	ck_assert_double_eq_tol(r.up_bytes, 88, 1e-9);
}
END_TEST

/* Acks and UpdateFCs where traffic asks for them. */
START_TEST(corrected_policy)
{
	struct cqesim_peer_config c = base();
	struct cqesim_peer_result r;

	c.fixes = CQESIM_PEER_FIX_POLICY;
	r = run(c, CQESIM_PEER_WRITE, CQESIM_PEER_BI, 64);
	ck_assert_double_eq_tol(r.up_bytes, 88, 1e-9);
	ck_assert_double_eq_tol(r.down_bytes, 16, 1e-9);
	r = run(c, CQESIM_PEER_READ, CQESIM_PEER_BI, 512); /* 2 completions, 1 request */
	ck_assert_double_eq_tol(r.up_bytes, 24 + 16, 1e-9);
	ck_assert_double_eq_tol(r.down_bytes, 552 + 8, 1e-9);
	c.ack_every = 4;
	c.fc_every = 2;
	r = run(c, CQESIM_PEER_READ_WRITE, CQESIM_PEER_BI, 64);
	ck_assert_double_eq_tol(r.up_bytes, 112 + 2, 1e-9);
	ck_assert_double_eq_tol(r.down_bytes, 84 + 4 + 4, 1e-9);
	/* DPDK Rx: down comes a completion a packet and a doorbell every 32. */
	c.ack_every = c.fc_every = 1;
	r = run(c, CQESIM_PEER_DPDK, CQESIM_PEER_RX, 60);
	ck_assert_double_eq_tol(r.up_bytes, 124 + 8 + 8.0 / 32 + 8.0 / 32, 1e-9);
	ck_assert_double_eq_tol(r.down_bytes, 36.875 + 2 * 8 + 2 * 8, 1e-9);
}
END_TEST

START_TEST(corrected_latency)
{
	struct cqesim_peer_config c = base();
	struct cqesim_peer_result r;

	c.lanes = 16;
	c.latency.tags = 32;
	c.latency.rtt_ps = 557000;
	c.latency.posted_headers = 64;
	c.latency.posted_data = 512;
	c.latency.credit_return_ps = 500000;
	r = run(c, CQESIM_PEER_READ, CQESIM_PEER_BI, 64);
	ck_assert_int_eq(r.bound, CQESIM_PEER_BOUND_DOWN);
	c.fixes = CQESIM_PEER_FIX_TAGS;
	r = run(c, CQESIM_PEER_READ, CQESIM_PEER_BI, 64);
	ck_assert_int_eq(r.bound, CQESIM_PEER_BOUND_TAGS);
	ck_assert_double_eq_tol(r.transactions, 32 / 557e-9, 1);
	r = run(c, CQESIM_PEER_WRITE, CQESIM_PEER_BI, 64); /* takes no tags */
	ck_assert_int_eq(r.bound, CQESIM_PEER_BOUND_UP);
	/* 256 bytes are 16 data credits: 32 TLPs in 500 ns, not 64. */
	c.fixes = CQESIM_PEER_FIX_CREDITS;
	c.generation = 5;
	r = run(c, CQESIM_PEER_WRITE, CQESIM_PEER_BI, 256);
	ck_assert_int_eq(r.bound, CQESIM_PEER_BOUND_CREDITS);
	ck_assert_double_eq_tol(r.transactions, 32 / 500e-9, 1);
	r = run(c, CQESIM_PEER_WRITE, CQESIM_PEER_BI, 64); /* 4 each: the headers bind */
	ck_assert_double_eq_tol(r.transactions, 64 / 500e-9, 1);
	c.latency.posted_headers = c.latency.posted_data = 0;
	c.latency.read_headers = 16;
	r = run(c, CQESIM_PEER_READ, CQESIM_PEER_BI, 64);
	ck_assert_double_eq_tol(r.transactions, 16 / 500e-9, 1);
	ck_assert_int_eq(r.bound, CQESIM_PEER_BOUND_CREDITS);
}
END_TEST

/* Everything corrected, it is cqesim's own link. */
START_TEST(all_corrected)
{
	uint64_t state = 7;

	for (unsigned i = 0; i < 20000; i++) {
		uint64_t v = state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
		struct cqesim_peer_config c = base();
		struct cqesim_link link;
		struct cqesim_error err = {""};
		uint32_t size = 1 + (uint32_t)(v >> 40) % 9000;

		c.generation = 1 + (unsigned)(v >> 8) % 6;
		c.lanes = 1u << (v >> 12) % 6;
		c.mps = 128u << (v >> 16) % 6;
		c.mrrs = 128u << (v >> 20) % 6;
		c.rcb = v >> 24 & 1 ? 64 : 128;
		c.addr_bits = v >> 25 & 1 ? 32 : 64;
		c.ecrc = v >> 26 & 1;
		c.rcb_chunks = v >> 27 & 1;
		c.prefixes = (unsigned)(v >> 28) % 5;
		c.ack_every = 1 + (double)(v >> 32 & 3);
		c.fc_every = 1 + (double)(v >> 34 & 3);
		c.address = v >> 36 & 8191;
		c.fixes = CQESIM_PEER_FIX_ALL;
		struct cqesim_link_config own = {
			.generation = c.generation,
			.lanes = c.lanes,
			.mps = c.mps,
			.mrrs = c.mrrs,
			.rcb = c.rcb,
			.addr_bits = c.addr_bits,
			.ecrc = c.ecrc,
			.prefixes = c.prefixes,
			.cpl_per_rcb = c.rcb_chunks,
			.ack_every = c.ack_every,
			.fc_every = c.fc_every,
			.skp_blocks = 370,
			.skp_symbols = 1538,
			.efficiency = 1,
		};
		ck_assert_msg(!cqesim_link_init(&link, &own, &err), "%s", err.text);
		struct cqesim_peer_result r = run(c, CQESIM_PEER_READ_WRITE, CQESIM_PEER_BI, size);
		struct cqesim_tlps w = cqesim_link_write(&link, c.address, size), q, a;
		cqesim_link_read(&link, c.address, size, &q, &a);
		double up = (double)(w.wire + q.wire) + cqesim_link_dllp_up(&link, a.count);
		double down = (double)a.wire + cqesim_link_dllp_down(&link, w.count, q.count);
		double most = fmax(up, down);
		ck_assert_double_eq_tol(r.up_bytes, up, 1e-6);
		ck_assert_double_eq_tol(r.down_bytes, down, 1e-6);
		ck_assert_double_eq_tol(r.usable_gbps / (cqesim_link_rate(&link) * 8e-9), 1, 1e-9);
		ck_assert_double_eq_tol(r.transactions * most / cqesim_link_rate(&link), 1, 1e-9);
	}
}
END_TEST

START_TEST(ethernet)
{
	/* 84 bytes on the wire: 59.52 M frames of 64 bytes at 40 Gb/s. */
	ck_assert_double_eq_tol(cqesim_peer_ethernet_frames(40, 64), 40e9 / 672, 1);
	ck_assert_double_eq_tol(cqesim_peer_ethernet_frames(40, 60), 40e9 / 672, 1);
	ck_assert_double_eq_tol(cqesim_peer_ethernet_gbps(40, 60), 40.0 * 60 / 84, 1e-9);
	ck_assert_double_eq_tol(cqesim_peer_ethernet_gbps(100, 1518), 100.0 * 1518 / 1538, 1e-9);
}
END_TEST

START_TEST(bad_values)
{
	static const struct {
		const char *what;
		size_t offset;
		unsigned value;
	} bad[] = {
		{"generation 0", offsetof(struct cqesim_peer_config, generation), 0},
		{"generation 8", offsetof(struct cqesim_peer_config, generation), 8},
		{"12 lanes", offsetof(struct cqesim_peer_config, lanes), 12},
		{"mps 192", offsetof(struct cqesim_peer_config, mps), 192},
		{"mrrs 8192", offsetof(struct cqesim_peer_config, mrrs), 8192},
		{"rcb 32", offsetof(struct cqesim_peer_config, rcb), 32},
		{"addr_bits 48", offsetof(struct cqesim_peer_config, addr_bits), 48},
		{"prefixes 5", offsetof(struct cqesim_peer_config, prefixes), 5},
		{"fixes 0x2000", offsetof(struct cqesim_peer_config, fixes), 0x2000},
	};
	struct cqesim_error err;

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct cqesim_peer_config c = base();

		memcpy((char *)&c + bad[i].offset, &bad[i].value, sizeof(unsigned));
		ck_assert_int_eq(cqesim_peer_check(&c, &err), -EINVAL);
		ck_assert_msg(strstr(err.text, bad[i].what) != NULL, "%s", err.text);
	}
	struct cqesim_peer_config c = base();
	c.rcb = 256; /* the peer's alone */
	ck_assert_int_eq(cqesim_peer_check(&c, &err), 0);
	c.fixes = CQESIM_PEER_FIX_COMPLETIONS;
	ck_assert_int_eq(cqesim_peer_check(&c, &err), -EINVAL);
	c = base();
	c.ack_every = 0.5;
	ck_assert_int_eq(cqesim_peer_check(&c, &err), -EINVAL);
	c.ack_every = NAN;
	ck_assert_int_eq(cqesim_peer_check(&c, &err), -EINVAL);
}
END_TEST

Suite *suite_peer(void)
{
	Suite *s = suite_create("peer");
	TCase *tc = tcase_create("figures");

	tcase_add_test(tc, tables);
	tcase_add_test(tc, link_rates);
	tcase_add_test(tc, spot_values);
	tcase_add_test(tc, card_bytes);
	tcase_add_test(tc, operation_bytes);
	tcase_add_test(tc, corrected_bytes);
	tcase_add_test(tc, corrected_policy);
	tcase_add_test(tc, corrected_latency);
	tcase_add_test(tc, all_corrected);
	tcase_add_test(tc, ethernet);
	tcase_add_test(tc, bad_values);
	suite_add_tcase(s, tc);
	add_peer_cli(s);
	return s;
}
