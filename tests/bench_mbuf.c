/* SPDX-License-Identifier: BSD-3-Clause */
/* The mbuf station in bench_ring.c: nothing without DPDK. */
#include "bench_mbuf.h"

#ifdef HAVE_MBUF
#include <stdlib.h>
#include <string.h>

#include "cqesim/mbuf.h"

/*
 * mbufs lie as in a packet pool: header, mbuf, headroom and 2048 bytes.  As many
 * go round as the ring has slots, as with the driver, whose ring holds as many.
 */
enum { SLOTS = 4096, APART = 64 + 128 + 128 + 2048 };

static struct cqesim_mbuf_rx rx;
static struct rte_mbuf *mbufs[SLOTS];
static uint32_t next;

bool bench_mbuf_init(unsigned burst)
{
	/* The settings that the referee has without options. */
	const struct cqesim_mbuf_config config = {
		.path = CQESIM_MBUF_VEC,
		.rss = true,
		.csum = true,
		.vlan_strip = true,
	};
	uint8_t *memory = aligned_alloc(64, (size_t)SLOTS * APART);

	if (!memory || burst > SLOTS || cqesim_mbuf_rx_init(&rx, &config))
		return false;
	memset(memory, 0, (size_t)SLOTS * APART);
	for (size_t i = 0; i < SLOTS; i++)
		mbufs[i] = (struct rte_mbuf *)(void *)(memory + i * APART + 64);
	return true;
}

int bench_mbuf_poll(struct cqesim_cq_reader *r, unsigned burst)
{
	uint32_t slots = r->mask + 1;

	if (next + burst > slots || next + burst > SLOTS)
		next = 0;
	int got = cqesim_mbuf_poll(&rx, r, mbufs + next, burst, NULL);
	next += got > 0 ? (uint32_t)got : 0;
	return got;
}
#else
bool bench_mbuf_init(unsigned burst)
{
	(void)burst;
	return false;
}

int bench_mbuf_poll(struct cqesim_cq_reader *r, unsigned burst)
{
	(void)r;
	(void)burst;
	return -1;
}
#endif
