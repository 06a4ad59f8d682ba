/* SPDX-License-Identifier: BSD-3-Clause */
/* ceiling: bytes per packet worked out by hand, the reference table, properties of the form. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/ceiling.h"
#include "test.h"

/* An mlx5 card on a link without efficiency: what the reference table assumes. */
static struct cqesim_ceiling_config base(unsigned generation, unsigned lanes, unsigned mps)
{
	return (struct cqesim_ceiling_config){
		.link =
			{
				.generation = generation,
				.lanes = lanes,
				.mps = mps,
				.mrrs = 512,
				.rcb = 64,
				.addr_bits = 64,
				.ack_every = 1,
				.fc_every = 1,
				.skp_blocks = 370,
				.skp_symbols = 1538,
				.efficiency = 1,
			},
		.mlx5 = true,
		.frame_bytes = 64,
		.rx_desc_bytes = 16,
		.rx_desc_fetch = 64,
		.session = {1, 1},
		.compressed = {1, 1},
		.ports = 1,
		.queues = 1,
		.port_bps = 100e9,
		.tx_desc_bytes = 64,
		.tx_mpw = 1,
		.tx_completion_bytes = 64,
		.tx_completion_every = 32,
		.tx_doorbell_bytes = 8,
		.tx_doorbell_every = 32,
	};
}

static struct cqesim_ceiling solve(const struct cqesim_ceiling_config *c)
{
	struct cqesim_ceiling r;
	struct cqesim_error err = {""};

	ck_assert_msg(!cqesim_ceiling(&r, c, &err), "%s", err.text);
	return r;
}

static void is(struct cqesim_fraction f, uint64_t num, uint64_t den)
{
	ck_assert_msg(f.num == num && f.den == den, "%llu/%llu, not %llu/%llu",
		      (unsigned long long)f.num, (unsigned long long)f.den, (unsigned long long)num,
		      (unsigned long long)den);
}

static void near(double value, double expected)
{
	ck_assert_msg(fabs(value - expected) <= 1e-6 * fabs(expected), "%.9g, not %.9g", value,
		      expected);
}

START_TEST(fractions)
{
	char text[CQESIM_FRACTION_TEXT];
	struct cqesim_fraction third = cqesim_fraction(2, 6), sixth = cqesim_fraction(1, 6);

	is(third, 1, 3);
	is(cqesim_fraction_add(third, sixth), 1, 2);
	is(cqesim_fraction_mul(third, sixth), 1, 18);
	is(cqesim_fraction(0, 7), 0, 1);
	ck_assert_str_eq(cqesim_fraction_text(cqesim_fraction(4388, 41), text), "4388/41");
	ck_assert_str_eq(cqesim_fraction_text(cqesim_fraction(360, 2), text), "180");
	/* 1/p + 1/q of two large primes needs a denominator of 128 bits. */
	struct cqesim_fraction p = cqesim_fraction(1, UINT64_C(18446744073709551557));
	struct cqesim_fraction q = cqesim_fraction(1, UINT64_C(18446744073709551533));
	struct cqesim_fraction sum = cqesim_fraction_add(p, q);
	ck_assert_uint_eq(sum.den, 0);
	ck_assert_uint_eq(cqesim_fraction_add(sum, third).den, 0);
	ck_assert_uint_eq(cqesim_fraction_mul(third, sum).den, 0);
	ck_assert_uint_eq(cqesim_fraction(1, 0).den, 0);
	/* Halves are rounded up, as people do. */
	ck_assert_str_eq(cqesim_fraction_decimals(cqesim_fraction(69, 128), 6, text), "0.539063");
	ck_assert_str_eq(cqesim_fraction_decimals(cqesim_fraction(1, 2), 0, text), "1");
	ck_assert_str_eq(cqesim_fraction_decimals(cqesim_fraction(2, 3), 3, text), "0.667");
	ck_assert_str_eq(cqesim_fraction_decimals(cqesim_fraction(180, 1), 2, text), "180.00");
	ck_assert_str_eq(cqesim_fraction_decimals(sum, 2, text), "?");
	/* As large as it gets, exactly. */
	is(cqesim_fraction_add(cqesim_fraction(UINT64_MAX - 1, 1), cqesim_fraction(1, 1)),
	   UINT64_MAX, 1);
}
END_TEST

/* 24 + 60, 24 + 64, a quarter of an MRd and of an Ack; down a quarter of 20 + 64, DLLPs. */
START_TEST(plain)
{
	struct cqesim_ceiling_config c = base(3, 16, 256);
	struct cqesim_ceiling r = solve(&c);

	is(r.up[CQESIM_CAUSE_RX_DATA], 84, 1);
	is(r.up[CQESIM_CAUSE_RX_CQE], 88, 1);
	is(r.up[CQESIM_CAUSE_RX_WQE], 6, 1);
	is(r.up[CQESIM_CAUSE_DLLP], 2, 1);
	is(r.up_bytes, 180, 1);
	is(r.down[CQESIM_CAUSE_RX_WQE], 21, 1);
	is(r.down[CQESIM_CAUSE_DLLP], 34, 1); /* 16 + 16 + 2 */
	is(r.down_bytes, 55, 1);
	near(r.link_pps, 16e9 * 128 / 130 * 370 / 371 / 180);
	near(r.tlp_only_pps, 16e9 * 128 / 130 / 178);
	ck_assert_int_eq(r.link_bound, CQESIM_BOUND_UP);
	ck_assert_int_eq(r.binding, CQESIM_BOUND_UP);
	ck_assert_int_eq(r.next, CQESIM_BOUND_LINE);
	near(r.bound_pps[CQESIM_BOUND_LINE], 100e9 / 8 / 84);
	c.link.efficiency = 0.97;
	r = solve(&c);
	near(r.pps, 0.97 * 16e9 * 128 / 130 * 370 / 371 / 180);
	near(r.link_pps, 16e9 * 128 / 130 * 370 / 371 / 180);
}
END_TEST

/* FLIT mode: no framing, DLLPs or SKP; 76 + 80 + 4 bytes at 118 GB/s. */
START_TEST(flit)
{
	struct cqesim_ceiling_config c = base(6, 16, 256);
	struct cqesim_ceiling r = solve(&c);

	is(r.up_bytes, 160, 1);
	is(r.up[CQESIM_CAUSE_DLLP], 0, 1);
	is(r.down[CQESIM_CAUSE_DLLP], 0, 1);
	near(r.link_pps, 737.5e6);
	near(r.tlp_only_pps, 737.5e6);
}
END_TEST

/* Figures of the formulas' section 3 for each way of writing completions. */
START_TEST(completions)
{
	static const struct {
		enum cqesim_cqe_mode mode;
		unsigned n, num, den;
	} cases[] = {
		{CQESIM_CQE_PLAIN64, 1, 88, 1},  {CQESIM_CQE_PLAIN128, 1, 88, 1},
		{CQESIM_CQE_128PAD, 1, 152, 1},  {CQESIM_CQE_ARRAYS, 1, 176, 1},
		{CQESIM_CQE_ARRAYS, 2, 88, 1},   {CQESIM_CQE_ARRAYS, 8, 22, 1},
		{CQESIM_CQE_ARRAYS, 9, 88, 3},   {CQESIM_CQE_ARRAYS, 64, 99, 8},
		{CQESIM_CQE_BURST, 1, 152, 1},   {CQESIM_CQE_BURST, 8, 19, 1},
		{CQESIM_CQE_BURST, 64, 12, 1},   {CQESIM_CQE_EXACT, 9, 231, 10},
		{CQESIM_CQE_EXACT, 64, 99, 8},   {CQESIM_CQE_STREAM, 64, 81, 8},
		{CQESIM_CQE_ENHANCED, 8, 22, 1}, {CQESIM_CQE_ENHANCED, 64, 55, 4},
		{CQESIM_CQE_ENHANCED, 1, 88, 1}, {CQESIM_CQE_EXACT, 1, 120, 1},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cqesim_ceiling_config c = base(3, 16, 256);

		c.cqe_mode = cases[i].mode;
		c.session = cqesim_fraction(cases[i].n, 1);
		struct cqesim_ceiling r = solve(&c);
		struct cqesim_fraction want = cqesim_fraction(cases[i].num, cases[i].den);

		/* 23.1 stands for 9 packets of 88 + 88 + 32: 208/9. */
		if (cases[i].mode == CQESIM_CQE_EXACT && cases[i].n == 9)
			want = cqesim_fraction(208, 9);
		is(r.up[CQESIM_CAUSE_RX_CQE], want.num, want.den);
	}
}
END_TEST

/* Sessions of 6.5 packets: half of six, half of seven; a quarter of the packets plain. */
START_TEST(average_session)
{
	struct cqesim_ceiling_config c = base(3, 16, 256);

	c.cqe_mode = CQESIM_CQE_EXACT;
	c.session = cqesim_fraction(13, 2);
	struct cqesim_ceiling r = solve(&c);
	/* (88 + 24 + 48 + 88 + 24 + 56) / 13 */
	is(r.up[CQESIM_CAUSE_RX_CQE], 328, 13);
	c.compressed = cqesim_fraction(3, 4);
	r = solve(&c);
	/* 3/4 x 328/13 + 88/4 = (246 + 286) / 13 */
	is(r.up[CQESIM_CAUSE_RX_CQE], 532, 13);
	c.compressed = cqesim_fraction(0, 1);
	r = solve(&c);
	is(r.up[CQESIM_CAUSE_RX_CQE], 88, 1);
}
END_TEST

START_TEST(striding)
{
	struct cqesim_ceiling_config c = base(3, 16, 256);

	c.rx_desc_bytes = 32;
	c.rx_strides = 64;
	c.stride_bytes = 2048;
	struct cqesim_ceiling r = solve(&c);
	is(r.up[CQESIM_CAUSE_RX_WQE], 3, 16); /* 24 per 2 x 64 packets */
	is(r.up_bytes, 689, 4);               /* 172.25 */
	/* 1514 bytes take 24 strides of 64: two packets to a WQE, four to a fetch. */
	c.stride_bytes = 64;
	c.frame_bytes = 1518;
	r = solve(&c);
	is(r.up[CQESIM_CAUSE_RX_WQE], 6, 1);
	/* 5 x 256 + 234: 236 in whole double words, six headers. */
	is(r.up[CQESIM_CAUSE_RX_DATA], 6 * 24 + 1516, 1);
	/* 16 of 64 strides are left: one filler of 88 bytes for two packets. */
	is(r.up[CQESIM_CAUSE_RX_CQE], 88 + 44, 1);
	is(r.completions, 3, 2);
	/* Seven data and CQE TLPs and half a filler's at 16, a quarter of 8 for the read. */
	is(r.down[CQESIM_CAUSE_DLLP], 7 * 16 + 8 + 2, 1);
}
END_TEST

/* Fillers: one per WQE where strides are left, whatever the packets' completions are. */
START_TEST(fillers)
{
	struct cqesim_ceiling_config c = base(3, 16, 256);

	c.rx_desc_bytes = 32;
	c.rx_strides = 8;
	c.stride_bytes = 64;
	c.frame_bytes = 330; /* 326 bytes take six of eight strides */
	struct cqesim_ceiling r = solve(&c);
	ck_assert_uint_eq(cqesim_ceiling_packets_per_wqe(&c), 1);
	is(r.up[CQESIM_CAUSE_RX_CQE], 176, 1);
	is(r.up_bytes, 568, 1);   /* 376 data, 12 + 4 for half a read of WQEs */
	is(r.down_bytes, 110, 1); /* 42 + 16 x 4 + 4 */
	near(r.link_pps, 16e9 * 128 / 130 * 370 / 371 / 568);
	/* None where packets fill a WQE. */
	c.frame_bytes = 260; /* four strides */
	is(solve(&c).up[CQESIM_CAUSE_RX_CQE], 88, 1);
	ck_assert_uint_eq(cqesim_ceiling_packets_per_wqe(&c), 2);
	/* 186 bytes take three of 16: five packets and a filler, plain also with sessions. */
	c.rx_strides = 16;
	c.frame_bytes = 190;
	c.cqe_mode = CQESIM_CQE_ARRAYS;
	c.session = cqesim_fraction(5, 1);
	is(solve(&c).up[CQESIM_CAUSE_RX_CQE], 176 + 88, 5);
	c.cqe_mode = CQESIM_CQE_128PAD;
	is(solve(&c).up[CQESIM_CAUSE_RX_CQE], 5 * 152 + 152, 5);
	/* With the FCS 190 bytes: three strides as well. */
	c.keep_fcs = true;
	ck_assert_uint_eq(cqesim_ceiling_packets_per_wqe(&c), 5);
	c.rx_strides = 0;
	ck_assert_uint_eq(cqesim_ceiling_packets_per_wqe(&c), 1);
}
END_TEST

/* Where the data starts, and padding to lines from there. */
START_TEST(data_placement)
{
	struct cqesim_ceiling_config c = base(3, 16, 256);

	c.pad = true;
	is(solve(&c).up[CQESIM_CAUSE_RX_DATA], 88, 1);
	c.frame_bytes = 69; /* 65 bytes: two lines */
	is(solve(&c).up[CQESIM_CAUSE_RX_DATA], 24 + 128, 1);
	c.data_offset = 2; /* up to the end of the second line, in whole double words */
	is(solve(&c).up[CQESIM_CAUSE_RX_DATA], 24 + 128, 1);
	c.pad = false;
	is(solve(&c).up[CQESIM_CAUSE_RX_DATA], 24 + 68, 1);
	c.data_offset = 4096 - 32; /* 65 bytes over the boundary */
	is(solve(&c).up[CQESIM_CAUSE_RX_DATA], 24 + 32 + 24 + 36, 1);
	c.data_offset = 0;
	c.keep_fcs = true;
	is(solve(&c).up[CQESIM_CAUSE_RX_DATA], 24 + 72, 1);
}
END_TEST

/* One WQE of 48 bytes in a unit of 64, 60 bytes of data read, CQE and doorbell every 32. */
START_TEST(sending)
{
	struct cqesim_ceiling_config c = base(3, 16, 256);

	c.direction = CQESIM_TX;
	struct cqesim_ceiling r = solve(&c);
	is(r.up[CQESIM_CAUSE_TX_WQE], 24, 1);
	is(r.down[CQESIM_CAUSE_TX_WQE], 84, 1);
	is(r.up[CQESIM_CAUSE_TX_DATA], 24, 1);
	is(r.down[CQESIM_CAUSE_TX_DATA], 80, 1);
	is(r.up[CQESIM_CAUSE_TX_CQE], 11, 4);
	is(r.down[CQESIM_CAUSE_DOORBELL], 1, 1); /* (24 + 8) / 32 */
	/* Up: an Ack for each of two completions, an Ack and an update for the doorbell. */
	is(r.up[CQESIM_CAUSE_DLLP], 33, 2);
	/* Down: an Ack for each of two requests, 16 for the CQE in 32. */
	is(r.down[CQESIM_CAUSE_DLLP], 33, 2);
	is(r.up[CQESIM_CAUSE_RX_DATA], 0, 1);

	/* 60 bytes inline: 32 + 58 to 64 bytes of segments, 96, two units; nothing to read. */
	c.tx_inline_max = 64;
	r = solve(&c);
	is(r.down[CQESIM_CAUSE_TX_WQE], 148, 1);
	is(r.down[CQESIM_CAUSE_TX_DATA], 0, 1);
	is(r.up[CQESIM_CAUSE_TX_DATA], 0, 1);

	/* The first 18 bytes of a longer packet: 32 + 16 + 16 bytes, one unit. */
	c.frame_bytes = 256;
	c.tx_inline_min = 18;
	r = solve(&c);
	is(r.down[CQESIM_CAUSE_TX_WQE], 84, 1);
	is(r.down[CQESIM_CAUSE_TX_DATA], 20 + 236, 1); /* 234 bytes from 18 on: 59 double words */
}
END_TEST

START_TEST(sending_several)
{
	struct cqesim_ceiling_config c = base(3, 16, 256);

	/* Four pointers: 32 + 64 bytes, two units for four packets. */
	c.direction = CQESIM_TX;
	c.tx_mpw = 4;
	struct cqesim_ceiling r = solve(&c);
	is(r.up[CQESIM_CAUSE_TX_WQE], 6, 1);
	is(r.down[CQESIM_CAUSE_TX_WQE], 37, 1); /* (20 + 128) / 4 */
	/* Inline: 32 + 4 x 64 bytes, five units, read as 256 + 64. */
	c.tx_inline_max = 64;
	r = solve(&c);
	is(r.up[CQESIM_CAUSE_TX_WQE], 6, 1);
	is(r.down[CQESIM_CAUSE_TX_WQE], 90, 1); /* (40 + 320) / 4 */
	is(r.down[CQESIM_CAUSE_TX_DATA], 0, 1);
	/* Fetched 256 bytes at a time: 320/256 of 24 for four packets. */
	c.tx_desc_fetch = 256;
	r = solve(&c);
	is(r.up[CQESIM_CAUSE_TX_WQE], 15, 2);
	/* Written by the host: five lines of 88 for four packets, no doorbell, nothing up. */
	c.tx_blueflame = true;
	r = solve(&c);
	is(r.up[CQESIM_CAUSE_TX_WQE], 0, 1);
	is(r.down[CQESIM_CAUSE_TX_WQE], 110, 1);
	is(r.down[CQESIM_CAUSE_DOORBELL], 0, 1);
}
END_TEST

/* Forwarding is receiving and sending; interrupts once in 64 packets. */
START_TEST(forwarding)
{
	struct cqesim_ceiling_config c = base(4, 16, 256), rx = c, tx = c;

	c.direction = CQESIM_FORWARD;
	tx.direction = CQESIM_TX;
	struct cqesim_ceiling both = solve(&c), in = solve(&rx), out = solve(&tx);
	struct cqesim_fraction up = cqesim_fraction_add(in.up_bytes, out.up_bytes);
	struct cqesim_fraction down = cqesim_fraction_add(in.down_bytes, out.down_bytes);
	is(both.up_bytes, up.num, up.den);
	is(both.down_bytes, down.num, down.den);
	rx.interrupt_every = 64;
	rx.event_bytes = 64;
	rx.arm_bytes = 8;
	in = solve(&rx);
	is(in.up[CQESIM_CAUSE_INTERRUPT], 29, 16); /* (88 + 28) / 64 */
	is(in.down[CQESIM_CAUSE_INTERRUPT], 1, 2); /* 32 / 64 */
	rx.dbrec_every = 16;
	in = solve(&rx);
	is(in.up[CQESIM_CAUSE_DOORBELL], 3, 2);   /* 24 / 16 */
	is(in.down[CQESIM_CAUSE_DOORBELL], 3, 2); /* (20 + 4) / 16 */
}
END_TEST

/* The lines of the formulas' section 1, with the descriptor read that is missing there. */
START_TEST(descriptors)
{
	struct cqesim_ceiling_config c = base(3, 8, 256);

	c.mlx5 = false;
	c.rx_desc_fetch = 16;
	c.completion_bytes = 16;
	c.completion_batch = 1;
	c.rx_doorbell_bytes = 4;
	c.rx_doorbell_every = 32;
	c.frame_bytes = 68; /* 64 bytes of data */
	struct cqesim_ceiling r = solve(&c);
	is(r.up[CQESIM_CAUSE_RX_DATA], 88, 1);
	is(r.up[CQESIM_CAUSE_RX_CQE], 40, 1);
	is(r.up[CQESIM_CAUSE_RX_WQE], 24, 1);
	is(r.down[CQESIM_CAUSE_RX_WQE], 36, 1);
	is(r.down[CQESIM_CAUSE_DOORBELL], 7, 8); /* 28 / 32 */
	c.rx_head_every = 8;
	r = solve(&c);
	is(r.up[CQESIM_CAUSE_DOORBELL], 3, 1); /* 24 / 8: completion of the register read */
	is(r.down[CQESIM_CAUSE_DOORBELL], 31, 8);

	c.direction = CQESIM_TX;
	c.tx_desc_bytes = 16;
	c.tx_desc_fetch = 640;
	c.tx_completion_bytes = 128;
	c.tx_completion_every = 8;
	c.tx_doorbell_bytes = 4;
	c.tx_doorbell_every = 1;
	c.tx_head_every = 1;
	c.link.mrrs = 512;
	r = solve(&c);
	is(r.up[CQESIM_CAUSE_TX_WQE], 6, 5);      /* 2 x 24 / 40 */
	is(r.down[CQESIM_CAUSE_TX_WQE], 35, 2);   /* (3 x 20 + 640) / 40 */
	is(r.up[CQESIM_CAUSE_TX_CQE], 19, 1);     /* (24 + 128) / 8 */
	is(r.down[CQESIM_CAUSE_DOORBELL], 52, 1); /* 28 + 24 */
	is(r.up[CQESIM_CAUSE_DOORBELL], 24, 1);
}
END_TEST

START_TEST(limits)
{
	struct cqesim_ceiling_config c = base(5, 16, 256);

	/* 65 bytes on a bus of 64 at 250 MHz: two beats. */
	c.bus_hz = 250e6;
	c.bus_bytes = 64;
	c.frame_bytes = 65;
	struct cqesim_ceiling r = solve(&c);
	near(r.bound_pps[CQESIM_BOUND_BUS], 125e6);
	ck_assert_int_eq(r.binding, CQESIM_BOUND_BUS);
	ck_assert_int_eq(r.next, CQESIM_BOUND_LINE);
	c.frame_bytes = 64;
	near(solve(&c).bound_pps[CQESIM_BOUND_BUS], 250e6);

	c.queue_pps = 3e6;
	c.queues = 16;
	c.port_pps = 60e6;
	c.ports = 2;
	c.device_pps = 100e6;
	r = solve(&c);
	near(r.bound_pps[CQESIM_BOUND_QUEUES], 48e6);
	near(r.bound_pps[CQESIM_BOUND_PORT], 120e6);
	near(r.bound_pps[CQESIM_BOUND_DEVICE], 100e6);
	near(r.bound_pps[CQESIM_BOUND_LINE], 2 * 100e9 / 8 / 84);
	near(r.bound_pps[CQESIM_BOUND_BUS], 500e6);
	ck_assert_int_eq(r.binding, CQESIM_BOUND_QUEUES);
	ck_assert_int_eq(r.next, CQESIM_BOUND_DEVICE);
	near(r.pps, 48e6);

	c.host_pps = 20e6;
	c.offered_pps = 30e6;
	r = solve(&c);
	ck_assert_int_eq(r.binding, CQESIM_BOUND_HOST);
	ck_assert_int_eq(r.next, CQESIM_BOUND_OFFERED);

	/* A session of 8 is two writes for eight packets. */
	c.completion_pps = 10e6;
	c.cqe_mode = CQESIM_CQE_ARRAYS;
	c.session = cqesim_fraction(8, 1);
	r = solve(&c);
	is(r.completions, 1, 4);
	near(r.bound_pps[CQESIM_BOUND_COMPLETIONS], 40e6);

	/* 32 tags at 1 us: 32 M reads a second, one for four packets. */
	c.latency = (struct cqesim_link_latency){
		.rtt_ps = 1000000,
		.tags = 32,
		.credit_return_ps = 500000,
		.posted_headers = 64,
	};
	r = solve(&c);
	near(r.bound_pps[CQESIM_BOUND_TAGS], 128e6);
	/* Posted: the data and a quarter of a CQE; 64 in 500 ns. */
	near(r.bound_pps[CQESIM_BOUND_CREDITS], 128e6 / 1.25);
	c.ring_entries = 1024;
	r = solve(&c);
	ck_assert_uint_eq(r.ring_bytes, UINT64_C(16) * 1024 * (64 + 64 + 16));
}
END_TEST

/* Every row of the reference table, every column. */
START_TEST(reference)
{
	const char *dir = test_shared_dir();
	char path[4096], line[1024], text[CQESIM_FRACTION_TEXT];
	unsigned rows = 0;

	if (!dir) {
		test_skip("ceiling reference", "../shared not found");
		return;
	}
	snprintf(path, sizeof(path), "%s/pcie/reference.csv", dir);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), f));
	while (fgets(line, sizeof(line), f)) {
		char *v[24], *at = line;
		for (int i = 0; i < 24; i++) {
			v[i] = strsep(&at, ",\n");
			ck_assert_ptr_nonnull(v[i]);
		}
		struct cqesim_ceiling_config c =
			base((unsigned)atoi(v[0]), (unsigned)atoi(v[1]), (unsigned)atoi(v[2]));
		if (!strcmp(v[3], "striding")) {
			c.rx_desc_bytes = 32;
			c.rx_strides = 64;
			c.stride_bytes = 2048;
		}
		c.rx_desc_fetch = (uint32_t)atoi(v[4]);
		c.pad = atoi(v[5]);
		while (strcmp(cqesim_cqe_mode_name(c.cqe_mode), v[6]))
			c.cqe_mode++;
		c.session = cqesim_fraction((uint64_t)atoi(v[7]), 1);
		struct cqesim_ceiling r = solve(&c);
		const struct cqesim_fraction bytes[] = {
			r.up[CQESIM_CAUSE_RX_DATA],
			r.up[CQESIM_CAUSE_RX_CQE],
			r.up[CQESIM_CAUSE_RX_WQE],
			r.up[CQESIM_CAUSE_DLLP],
			r.up_bytes,
			r.down[CQESIM_CAUSE_RX_WQE],
			r.down[CQESIM_CAUSE_DLLP],
			r.down_bytes,
		};
		for (unsigned i = 0; i < 8; i++) {
			ck_assert_str_eq(cqesim_fraction_decimals(bytes[i], 6, text), v[8 + i]);
		}
		ck_assert_str_eq(cqesim_fraction_text(r.up_bytes, text), v[16]);
		ck_assert_str_eq(cqesim_fraction_text(r.down_bytes, text), v[17]);
		near(r.tlp_only_pps / 1e6, atof(v[18]));
		near(r.link_pps / 1e6, atof(v[19]));
		ck_assert_str_eq(r.link_bound == CQESIM_BOUND_UP ? "up" : "down", v[20]);
		double line_pps = cqesim_line_pps(100e9, 64);
		/* Six decimals of a number near one are just a part in a million. */
		ck_assert_double_eq_tol(r.link_pps / line_pps, atof(v[21]), 1e-6);
		ck_assert_double_eq_tol(cqesim_ceiling_use(&r, r.up_bytes, line_pps), atof(v[22]),
					1e-6);
		ck_assert_double_eq_tol(cqesim_ceiling_use(&r, r.down_bytes, line_pps), atof(v[23]),
					1e-6);
		rows++;
	}
	fclose(f);
	ck_assert_uint_gt(rows, 600);
}
END_TEST

/* Bytes grow with the packet, shrink with MPS and with fewer fields; sums are sums. */
START_TEST(monotone)
{
	static const unsigned mps[] = {128, 256, 512, 1024, 2048, 4096};

	for (unsigned frame = 64; frame <= 2048; frame++) {
		double before = INFINITY;

		for (unsigned m = 0; m < 6; m++) {
			struct cqesim_ceiling_config c = base(3, 16, mps[m]);
			c.direction = CQESIM_FORWARD;
			c.frame_bytes = frame;
			struct cqesim_ceiling r = solve(&c), more;
			double up = cqesim_fraction_value(r.up_bytes), sum = 0;

			for (unsigned i = 0; i < CQESIM_CAUSES; i++)
				sum += cqesim_fraction_value(r.up[i]);
			ck_assert_double_eq_tol(sum, up, 1e-9 * up);
			ck_assert_double_le(up, before);
			before = up;
			c.frame_bytes++;
			more = solve(&c);
			ck_assert_double_ge(cqesim_fraction_value(more.up_bytes), up);
			ck_assert_double_ge(cqesim_fraction_value(more.down_bytes),
					    cqesim_fraction_value(r.down_bytes));
			c.frame_bytes--;
			c.link.ecrc = true;
			more = solve(&c);
			ck_assert_double_gt(cqesim_fraction_value(more.up_bytes), up);
			c.link.ecrc = false;
			c.link.prefixes = 1;
			more = solve(&c);
			ck_assert_double_gt(cqesim_fraction_value(more.up_bytes), up);
			c.link.prefixes = 0;
			c.pad = true;
			more = solve(&c);
			ck_assert_double_ge(cqesim_fraction_value(more.up_bytes), up);
		}
	}
}
END_TEST

/* The link as a server in time, kept busy, comes to the closed form. */
START_TEST(server_agrees)
{
	static const enum cqesim_cqe_mode modes[] = {CQESIM_CQE_PLAIN64, CQESIM_CQE_ARRAYS,
						     CQESIM_CQE_EXACT};
	const unsigned packets = 64 * 1000;

	for (unsigned i = 0; i < 3 * 6; i++) {
		struct cqesim_ceiling_config c = base(i % 6 + 1, 8, 256);
		struct cqesim_transaction traffic[CQESIM_TRANSACTIONS_MAX];
		struct cqesim_link_server server;
		struct cqesim_link_latency latency = {0};

		c.cqe_mode = modes[i / 6];
		c.session = cqesim_fraction(16, 1);
		struct cqesim_ceiling r = solve(&c);
		int n = cqesim_ceiling_traffic(&c, traffic, NULL);
		ck_assert_int_gt(n, 0);
		ck_assert_int_eq(cqesim_link_server_init(&server, &r.link, &latency, NULL), 0);
		uint64_t done = 0;
		for (unsigned p = 0; p < packets; p++)
			for (int t = 0; t < n; t++) {
				const struct cqesim_transaction *w = &traffic[t];
				/* num times in den packets */
				if (p % w->per_packet.den >= w->per_packet.num)
					continue;
				struct cqesim_tlps up, down;
				if (w->access == CQESIM_DMA_WRITE) {
					up = cqesim_link_write(&r.link, w->address, w->bytes);
					done = cqesim_link_server_write(&server, 0, &up);
				} else {
					cqesim_link_read(&r.link, w->address, w->bytes, &up, &down);
					cqesim_link_server_read(&server, 0, &up, &down);
				}
			}
		double pps = packets * 1e12 / (double)done;
		ck_assert_msg(fabs(pps / r.link_pps - 1) < 1e-3, "gen %u: %.6g, not %.6g",
			      c.link.generation, pps, r.link_pps);
	}
}
END_TEST

START_TEST(bad_values)
{
	struct {
		const char *what;
		struct cqesim_ceiling_config c;
	} bad[] = {
		{"frame", base(3, 8, 256)},
		{"offset", base(3, 8, 256)},
		{"ports", base(3, 8, 256)},
		{"queues", base(3, 8, 256)},
		{"multiple", base(3, 8, 256)},
		{"does not fit", base(3, 8, 256)},
		{"session", base(3, 8, 256)},
		{"share", base(3, 8, 256)},
		{"per send WQE", base(3, 8, 256)},
		{"63", base(3, 8, 256)},
		{"mps", base(3, 8, 300)},
		{"stride bytes", base(3, 8, 256)},
		{"once", base(3, 8, 256)},
		{"read at a time", base(3, 8, 256)},
		{"strides 48: expected a power of two, 8", base(3, 8, 256)},
		{"strides 4: expected a power of two, 8", base(3, 8, 256)},
		{"stride bytes 100: expected a power of two, 64", base(3, 8, 256)},
		{"stride bytes 16384: expected a power of two, 64", base(3, 8, 256)},
	};
	struct cqesim_error err;
	struct cqesim_ceiling r;

	bad[0].c.frame_bytes = 63;
	bad[1].c.data_offset = 4096;
	bad[2].c.ports = 0;
	bad[3].c.queues = 0;
	bad[4].c.rx_desc_bytes = 48;
	bad[5].c.rx_strides = 8;
	bad[5].c.stride_bytes = 64;
	bad[5].c.frame_bytes = 1518;
	bad[6].c.cqe_mode = CQESIM_CQE_ARRAYS;
	bad[6].c.session = cqesim_fraction(1, 2);
	bad[7].c.cqe_mode = CQESIM_CQE_ARRAYS;
	bad[7].c.compressed = cqesim_fraction(11, 10);
	bad[8].c.direction = CQESIM_TX;
	bad[8].c.tx_mpw = 62;
	bad[9].c.direction = CQESIM_TX;
	bad[9].c.tx_mpw = 16;
	bad[9].c.tx_inline_max = 64;
	bad[11].c.rx_strides = 8;
	bad[11].c.stride_bytes = 32;
	bad[12].c.interrupt_every = 1000001;
	bad[13].c.direction = CQESIM_TX;
	bad[13].c.tx_desc_fetch = 96;
	bad[14].c.rx_strides = 48;
	bad[14].c.stride_bytes = 64;
	bad[15].c.rx_strides = 4;
	bad[15].c.stride_bytes = 64;
	bad[16].c.rx_strides = 64;
	bad[16].c.stride_bytes = 100;
	bad[17].c.rx_strides = 64;
	bad[17].c.stride_bytes = 16384;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_msg(cqesim_ceiling(&r, &bad[i].c, &err) == -EINVAL, "%s", bad[i].what);
		ck_assert_msg(strstr(err.text, bad[i].what) != NULL, "%zu: %s", i, err.text);
	}
	/* A denominator that does not fit. */
	struct cqesim_ceiling_config c = base(3, 8, 256);
	c.cqe_mode = CQESIM_CQE_EXACT;
	c.session = cqesim_fraction(UINT64_C(18446744073709551557), UINT64_C(1000000000000000003));
	c.link.ack_every = 1.000003;
	ck_assert_int_eq(cqesim_ceiling(&r, &c, &err), -ERANGE);
	ck_assert_ptr_nonnull(strstr(err.text, "denominator"));
}
END_TEST

Suite *suite_ceiling(void)
{
	Suite *s = suite_create("ceiling");
	TCase *t = tcase_create("ceiling");

	tcase_set_timeout(t, 30);
	tcase_add_test(t, fractions);
	tcase_add_test(t, plain);
	tcase_add_test(t, flit);
	tcase_add_test(t, completions);
	tcase_add_test(t, average_session);
	tcase_add_test(t, striding);
	tcase_add_test(t, fillers);
	tcase_add_test(t, data_placement);
	tcase_add_test(t, sending);
	tcase_add_test(t, sending_several);
	tcase_add_test(t, forwarding);
	tcase_add_test(t, descriptors);
	tcase_add_test(t, limits);
	tcase_add_test(t, reference);
	tcase_add_test(t, monotone);
	tcase_add_test(t, server_agrees);
	tcase_add_test(t, bad_values);
	suite_add_tcase(s, t);
	return s;
}
