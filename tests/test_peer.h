/* SPDX-License-Identifier: BSD-3-Clause */
/* test_peer.h - the other part of the suite. */
#ifndef CQESIM_TEST_PEER_H
#define CQESIM_TEST_PEER_H

#include <check.h>

void add_peer_cli(Suite *suite);

#endif
