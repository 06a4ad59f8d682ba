/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mbuf.h - the parts of the suite mbuf. */
#ifndef CQESIM_TEST_MBUF_H
#define CQESIM_TEST_MBUF_H

#include <check.h>

TCase *test_mbuf_random(void);
TCase *test_mbuf_referee(void);

#endif
