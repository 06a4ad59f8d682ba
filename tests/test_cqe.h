/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files that test wire formats share. */
#ifndef CQESIM_TEST_CQE_H
#define CQESIM_TEST_CQE_H

#include <check.h>
#include <string.h>

#include "cqesim/cqe.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* An Ethernet receive completion with all fields, byte by byte; see test_cqe.c. */
extern const uint8_t test_cqe_resp_send[64];

static inline void same_bytes(const uint8_t *got, const uint8_t *want, size_t n, const char *what)
{
	if (memcmp(got, want, n) == 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (got[i] != want[i])
			ck_abort_msg("%s: byte %zu is %02x, not %02x", what, i, got[i], want[i]);
}

/* Add the tests of each field alone, of mini-CQEs, of the other views, and against rdma-core's
 * header. */
void test_cqe_fields(Suite *s);
void test_cqe_mini(Suite *s);
void test_cqe_views(Suite *s);
void test_cqe_mlx5dv(Suite *s);
void test_cqe_dpdk(Suite *s);

#endif
