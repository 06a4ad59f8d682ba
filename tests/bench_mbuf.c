/* SPDX-License-Identifier: BSD-3-Clause */
/* The mbuf station in bench_ring.c: nothing without DPDK. */
#include "bench_mbuf.h"

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
