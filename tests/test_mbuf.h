/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mbuf.h - the parts of the suite mbuf. */
#ifndef CQESIM_TEST_MBUF_H
#define CQESIM_TEST_MBUF_H

#include <check.h>
#include <rte_mbuf.h>

/* Dynamic fields, as they could have been registered. */
#define TIME_OFFSET ((offsetof(struct rte_mbuf, dynfield1) + 7) / 8 * 8)
#define META_OFFSET (TIME_OFFSET + 8)

Suite *suite_mbuf(void);
TCase *test_mbuf_random(void);
TCase *test_mbuf_referee(void);

#endif
