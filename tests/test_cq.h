/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files that test completion rings share. */
#ifndef CQESIM_TEST_CQ_H
#define CQESIM_TEST_CQ_H

#include <check.h>
#include <stdint.h>

/* Memory for a ring of 2^log_size slots, filled with 0; to be freed. */
uint8_t *test_cq_ring(unsigned log_size);

/* Add the tests of the reader. */
void test_cq_reader(Suite *s);

/* Add the tests of many laps: what lies in slots from laps before, and two threads. */
void test_cq_laps(Suite *s);

/* Add the tests of the enhanced layout, and of other shapes of ring. */
void test_cq_enhanced(Suite *s);
void test_cq_shapes(Suite *s);

#endif
