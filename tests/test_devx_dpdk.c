/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devx: every place of devx_fields.h against drivers/common/mlx5/mlx5_prm.h of a
 * DPDK source tree (configure --with-dpdk-source=DIR), where it is a member of a struct
 * in which each byte stands for a bit.
 */
#include <check.h>
#include <stdio.h>

#ifdef HAVE_DPDK_SOURCE
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <mlx5_prm.h>
#pragma GCC diagnostic pop

#include "emu/devx_layout.h"
#include "test.h"
#include "test_devx.h"

struct place {
	const char *layout, *field;
	size_t bit, bits, their_bit, their_bits;
};

#define THERE(layout, field)                                                                       \
	offsetof(struct mlx5_ifc_##layout##_bits, field),                                          \
		sizeof(((struct mlx5_ifc_##layout##_bits *)0)->field)
#define ROW(layout, field, bit, bits) {#layout, #field, bit, bits, THERE(layout, field)},

START_TEST(dpdk_source_places)
{
	static const struct place places[] = {DEVX_FIELDS(ROW)
#ifdef MLX5_CQE_NUM_MINIS /* a tree from 23.03 on */
						      DEVX_FIELDS_23_03(ROW)
#endif
#ifdef HAVE_MLX5_QUERY_CQ
							      DEVX_FIELDS_24_07(ROW)
#endif
	};
	unsigned wrong = 0;

	for (size_t i = 0; i < COUNT(places); i++) {
		const struct place *p = &places[i];

		/* Trees of 23.03 have it in the old place and their driver reads it there. */
		if (!strcmp(p->field, "enhanced_cqe_compression") && p->their_bit == 0x5bb)
			continue;
		if (p->bit == p->their_bit && p->bits == p->their_bits)
			continue;
		printf("%s.%s: bits 0x%zx+%zu, DPDK 0x%zx+%zu\n", p->layout, p->field, p->bit,
		       p->bits, p->their_bit, p->their_bits);
		wrong++;
	}
	ck_assert_uint_gt(COUNT(places), 200);
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

#define BYTES(layout, bytes) {#layout, "", bytes, 0, sizeof(struct mlx5_ifc_##layout##_bits), 0},

START_TEST(dpdk_source_lengths)
{
	static const struct place lengths[] = {DEVX_LAYOUTS(BYTES)
#ifdef HAVE_MLX5_QUERY_CQ
						       DEVX_LAYOUTS_24_07(BYTES)
#endif
	};

	for (size_t i = 0; i < COUNT(lengths); i++) {
		/*
		 * The union of all groups of capabilities comes behind the first there; the
		 * second had a dword too many in 21.11.
		 */
		if (!strcmp(lengths[i].layout, "query_hca_cap_out") ||
		    !strcmp(lengths[i].layout, "cmd_hca_cap"))
			continue;
		ck_assert_msg(8 * lengths[i].bit == lengths[i].their_bit, "%s: %zu bytes, DPDK %zu",
			      lengths[i].layout, lengths[i].bit, lengths[i].their_bit / 8);
	}
	ck_assert_uint_eq(offsetof(struct mlx5_ifc_query_hca_cap_out_bits, capability),
			  8 * DEVX_BYTES_query_hca_cap_out);
}
END_TEST

/* The envelope, and where the lists and the statistics begin. */
START_TEST(dpdk_source_envelope)
{
	static const struct place places[] = {
		{"in", "opcode", DEVX_AT_in_opcode, DEVX_BITS_in_opcode,
		 THERE(create_rq_in, opcode)},
		{"in", "uid", DEVX_AT_in_uid, DEVX_BITS_in_uid, THERE(create_rq_in, uid)},
		{"in", "op_mod", DEVX_AT_in_op_mod, DEVX_BITS_in_op_mod,
		 THERE(query_hca_cap_in, op_mod)},
		{"out", "status", DEVX_AT_out_status, DEVX_BITS_out_status,
		 THERE(create_rq_out, status)},
		{"out", "syndrome", DEVX_AT_out_syndrome, DEVX_BITS_out_syndrome,
		 THERE(create_rq_out, syndrome)},
	};

	for (size_t i = 0; i < COUNT(places); i++)
		ck_assert_msg(places[i].bit == places[i].their_bit &&
				      places[i].bits == places[i].their_bits,
			      "%s.%s", places[i].layout, places[i].field);
	ck_assert_uint_eq(offsetof(struct mlx5_ifc_rqtc_bits, rq_num), 8 * DEVX_BYTES_rqtc);
}
END_TEST
#else
#include "test_devx.h"
#endif

void test_devx_dpdk(Suite *s)
{
#ifdef HAVE_DPDK_SOURCE
	TCase *t = tcase_create("dpdk_source");

	tcase_add_test(t, dpdk_source_places);
	tcase_add_test(t, dpdk_source_lengths);
	tcase_add_test(t, dpdk_source_envelope);
	suite_add_tcase(s, t);
#else
	(void)s;
#endif
}
