/* SPDX-License-Identifier: BSD-3-Clause */
/* test.h - what the test files share. */
#ifndef CQESIM_TEST_H
#define CQESIM_TEST_H

#include <check.h>
#include <stdbool.h>

/* The source folder that the tests were built from. */
const char *test_top_srcdir(void);

/* The folder with reference material, or NULL: then say test_skip() and return. */
const char *test_shared_dir(void);

/* A fresh folder, one per process, removed when the process ends. */
const char *test_tmpdir(void);

/* Print "skipped: NAME: REASON"; counted and listed again by the runner. */
void test_skip(const char *name, const char *reason);

Suite *suite_common(void);
Suite *suite_cqe(void);
Suite *suite_cq(void);
Suite *suite_rq(void);
Suite *suite_aggregate(void);
Suite *suite_buffers(void);
Suite *suite_rq_cli(void);
Suite *suite_pcie(void);
Suite *suite_peer(void);
Suite *suite_sysinfo(void);
Suite *suite_ceiling(void);
Suite *suite_link(void);
Suite *suite_tlp(void);
Suite *suite_trace(void);
Suite *suite_port(void);
Suite *suite_nic(void);
Suite *suite_card(void);
Suite *suite_cable(void);
Suite *suite_card_cable(void);
Suite *suite_card_cli(void);
Suite *suite_card_errors_dpdk(void);
Suite *suite_card_lifecycle(void);
Suite *suite_card_dpdk(void);
Suite *suite_card_lro_dpdk(void);
Suite *suite_host(void);
Suite *suite_host_away(void);
Suite *suite_host_frame(void);
Suite *suite_host_ixgbe(void);
Suite *suite_host_napi(void);
Suite *suite_host_wakeup(void);
Suite *suite_sim(void);
Suite *suite_fluid(void);
Suite *suite_sweep(void);
Suite *suite_compare(void);
Suite *suite_profile(void);
Suite *suite_report(void);
Suite *suite_fuzz(void);
Suite *suite_application(void);
Suite *suite_captures(void);
Suite *suite_chapters(void);
Suite *suite_referee(void);
Suite *suite_bursts(void);
Suite *suite_describe(void);
Suite *suite_random(void);
Suite *suite_mbuf(void);
Suite *suite_devx(void);
Suite *suite_dump(void);
Suite *suite_property(void);
Suite *suite_cli(void);
Suite *suite_validate(void);

#endif
