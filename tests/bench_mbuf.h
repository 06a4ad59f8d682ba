/* SPDX-License-Identifier: BSD-3-Clause */
/* The mbuf station in bench_ring.c, where there is one. */
#ifndef CQESIM_BENCH_MBUF_H
#define CQESIM_BENCH_MBUF_H

#include "cqesim/cq.h"

/* Make `burst` mbufs; false: built without DPDK. */
bool bench_mbuf_init(unsigned burst);
/* One call: as many completions as there are, at most burst, into the mbufs. */
int bench_mbuf_poll(struct cqesim_cq_reader *r, unsigned burst);

#endif
