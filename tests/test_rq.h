/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the suite rq. */
#ifndef CQESIM_TEST_RQ_H
#define CQESIM_TEST_RQ_H

#include <check.h>

/* Add the tests of striding queues. */
void test_rq_striding(Suite *s);

#endif
