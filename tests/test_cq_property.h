/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the property tests share. */
#ifndef CQESIM_TEST_CQ_PROPERTY_H
#define CQESIM_TEST_CQ_PROPERTY_H

#include <stdlib.h>

#include "ring_random.h"
#include "test.h"

/* Less under sanitizers, more with CQESIM_LONG=1. */
static inline uint32_t property_count(uint32_t n)
{
	if (RING_SANITIZED)
		return n / 20;
	return ring_long_run() ? 20 * n : n;
}
#define PROPERTY_MANY 10000000u
#define RING_LOOPS    16

/* The seed of the i-th test; CQESIM_SEED, which is printed, gives them all. */
uint64_t property_seed(unsigned i);
uint64_t property_master_seed(void);

/* Does the short form of a completion say the same? */
bool property_agree(const struct cqesim_packet *p, const struct cqesim_completion *c);

/* Add the tests of rings that no device writes. */
void property_hostile(Suite *s);

#endif
