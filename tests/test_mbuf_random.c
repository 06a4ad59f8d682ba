/* SPDX-License-Identifier: BSD-3-Clause */
/* Random rings: cqesim_mbuf_poll against cqesim_cq_poll and cqesim_mbuf_fill. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/mbuf.h"
#include "ring_random.h"
#include "test_mbuf.h"

/* What of a packet's mbuf depends on its neighbours in the ring. */
#define NEIGHBOURS                                                                                 \
	((unsigned)(CQESIM_MBUF_VEC_FTAG_KEPT | CQESIM_MBUF_VEC_L34H_VLAN |                        \
		    CQESIM_MBUF_VEC_L34H_INFO))

#define MOST 64u

struct both {
	uint8_t *ring[2];
	size_t bytes;
	struct cqesim_cq_reader reader[2];
	enum cqesim_mini_format format;
	struct cqesim_mbuf_rx rx;
	struct rte_mbuf polled[MOST], filled[MOST];
	struct rte_mbuf *mbufs[MOST];
	struct cqesim_completion completions[MOST];
	uint64_t packets, faults;
};

static struct both both;

static struct cqesim_mbuf_config draw_settings(uint64_t *s)
{
	uint64_t bits = ring_random(s);

	return (struct cqesim_mbuf_config){
		.path = (unsigned)(bits & 1   ? CQESIM_MBUF_VEC
				   : bits & 2 ? bits >> 32
					      : CQESIM_MBUF_SCALAR) &
			CQESIM_MBUF_VEC & ~NEIGHBOURS,
		.rss = bits & 4,
		.csum = bits & 8,
		.vlan_strip = bits & 0x10,
		.mark = bits & 0x20,
		.timestamp = bits & 0x40,
		.real_time = bits & 0x80,
		.crc_present = bits & 0x100,
		.metadata = bits & 0x200,
		.timestamp_offset = TIME_OFFSET,
		.timestamp_flag = UINT64_C(1) << (23 + (bits >> 10 & 15)),
		.metadata_offset = META_OFFSET,
		.metadata_flag = UINT64_C(1) << 22,
		.metadata_mask = bits & 0x4000 ? 0 : 0xff,
		.tunnel = bits & 0x8000 ? RTE_PTYPE_TUNNEL_VXLAN | RTE_PTYPE_L4_UDP : 0,
	};
}

/* One call of each; false when there was nothing. */
static bool read_both(uint64_t *s)
{
	unsigned max = 1 + ring_below(s, MOST);
	struct cqesim_cq_fault fault[2] = {{0}, {0}};
	uint8_t old = (uint8_t)ring_random(s);

	memset(both.polled, old, sizeof(both.polled));
	memset(both.filled, old, sizeof(both.filled));
	int got = cqesim_mbuf_poll(&both.rx, &both.reader[0], both.mbufs, max, &fault[0]);
	int want = cqesim_cq_poll(&both.reader[1], both.completions, max, &fault[1]);
	ck_assert_int_eq(got, want);
	ck_assert_mem_eq(&fault[0], &fault[1], sizeof(fault[0]));
	for (int i = 0; i < want; i++)
		cqesim_mbuf_fill(&both.rx, both.format, &both.completions[i], &both.filled[i]);
	for (unsigned i = 0; i < MOST; i++)
		ck_assert_mem_eq(&both.polled[i], &both.filled[i], sizeof(struct rte_mbuf));
	ck_assert_uint_eq(both.reader[0].ci, both.reader[1].ci);
	if (want > 0)
		both.packets += (unsigned)want;
	else if (want < 0)
		both.faults++;
	return want != 0;
}

static void both_up(const struct cqesim_cq_shape *shape, uint32_t start, uint64_t *s)
{
	struct cqesim_mbuf_config c = draw_settings(s);

	both.bytes = cqesim_cq_ring_bytes(shape);
	both.format = shape->format;
	for (unsigned i = 0; i < 2; i++) {
		both.ring[i] = aligned_alloc(128, both.bytes < 128 ? 128 : both.bytes);
		ck_assert_ptr_nonnull(both.ring[i]);
		cqesim_cq_init_ring(both.ring[i], shape);
		ck_assert_int_eq(cqesim_cq_reader_init(&both.reader[i], both.ring[i], shape,
						       CQESIM_INVALIDATE_DPDK_SCALAR),
				 0);
		cqesim_cq_reader_seek(&both.reader[i], start);
	}
	for (unsigned i = 0; i < MOST; i++)
		both.mbufs[i] = &both.polled[i];
	ck_assert_int_eq(cqesim_mbuf_rx_init(&both.rx, &c), 0);
}

static void both_down(void)
{
	ck_assert_mem_eq(both.ring[0], both.ring[1], both.bytes);
	free(both.ring[0]);
	free(both.ring[1]);
}

static void on_write(void *context, uint32_t slot, const uint8_t bytes[64])
{
	const struct cqesim_cq_shape *shape = context;
	size_t at = (size_t)slot << (shape->cqe_128 ? 7 : 6);

	for (unsigned i = 0; i < 2; i++)
		memcpy(both.ring[i] + at + (shape->cqe_128 ? 64 : 0), bytes, 64);
}

static uint64_t calls;

static void on_poll(void *context, uint32_t most)
{
	(void)context;
	do
		if (!read_both(&calls))
			return;
	while (!most);
}

/* Every format, layout and setting, in traffic that a device may make. */
START_TEST(legal_rings)
{
	both.packets = 0;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct ring_config config;
		struct ring_device device;

		calls = seed;
		ring_config_draw_free(&config, 1000, seed);
		both_up(&config.shape, config.start, &calls);
		ck_assert_int_eq(
			ring_device_init(&device, &config, &config.shape, on_write, on_poll), 0);
		while (device.count < config.packets)
			ring_device_batch(&device);
		ring_device_free(&device);
		both_down();
	}
	ck_assert_uint_ge(both.packets, 200000);
	ck_assert_uint_eq(both.faults, 0);
}
END_TEST

/* Any bytes at all, with owner bits and counts that make entries look valid often. */
START_TEST(any_bytes)
{
	both.packets = both.faults = 0;
	for (uint64_t seed = 1; seed <= 4000; seed++) {
		uint64_t s = seed;
		struct cqesim_cq_shape shape = {
			.log_size = ring_below(&s, 7),
			.format = (enum cqesim_mini_format)ring_below(&s, CQESIM_MINI_ALL_FORMATS),
			.layout = (enum cqesim_cq_layout)ring_below(&s, 2),
			.log_stride = ring_below(&s, 2) ? 11 : 0,
		};

		both_up(&shape, 0, &s);
		for (size_t i = 0; i < both.bytes; i++) {
			uint8_t byte = (uint8_t)ring_random(&s);

			if (i % 64 == 44 || i % 64 == 45 || i % 8 == 4)
				byte = 0; /* small counts and lengths */
			if (i % 64 == 62)
				byte = (uint8_t)ring_below(&s, 2);
			if (i % 64 == 63)
				byte &= 0xfe;
			both.ring[0][i] = both.ring[1][i] = byte;
		}
		while (read_both(&s))
			;
		both_down();
	}
	ck_assert_uint_ge(both.packets, 5000);
	ck_assert_uint_ge(both.faults, 1000);
}
END_TEST

TCase *test_mbuf_random(void)
{
	TCase *t = tcase_create("random");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, legal_rings);
	tcase_add_test(t, any_bytes);
	return t;
}
