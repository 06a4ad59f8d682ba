/* SPDX-License-Identifier: BSD-3-Clause */
/* cqe: against rdma-core's infiniband/mlx5dv.h, which user space drivers are built with. */
#include "test_cqe.h"

#ifdef HAVE_MLX5DV
#include <infiniband/mlx5dv.h>

static unsigned err_byte(const char *name)
{
	for (unsigned i = 0; i < cqesim_cqe_err_field_count; i++)
		if (!strcmp(cqesim_cqe_err_fields[i].name, name))
			return cqesim_cqe_err_fields[i].byte;
	return UINT32_MAX;
}

START_TEST(mlx5dv_layout)
{
	/* A dword that DV has whole and cqesim in parts is checked with its last part. */
	static const struct {
		const char *name;
		size_t offset, size;
	} rx[] = {
#define AT(ours, theirs)                                                                           \
	{ours, offsetof(struct mlx5_cqe64, theirs), sizeof(((struct mlx5_cqe64 *)0)->theirs)}
		AT("wqe_id", wqe_id),
		AT("ml_path", ml_path),
		AT("slid", slid),
		AT("flags_rqpn", flags_rqpn),
		AT("hds_ip_ext", hds_ip_ext),
		AT("l4_l3_hdr_type", l4_hdr_type_etc),
		AT("vlan_info", vlan_info),
		AT("flow_table_metadata", imm_inval_pkey),
		AT("app", app),
		AT("app_op", app_op),
		AT("app_info", app_info),
		AT("byte_cnt", byte_cnt),
		AT("timestamp", timestamp),
		AT("wqe_counter", wqe_counter),
		AT("signature", signature),
		AT("opcode", op_own),
		AT("format", op_own),
		AT("owner", op_own),
#undef AT
	};

	ck_assert_uint_eq(sizeof(struct mlx5_cqe64), CQESIM_CQE_BYTES);
	for (size_t i = 0; i < COUNT(rx); i++) {
		const struct cqesim_field *f = cqesim_cqe_rx_field(rx[i].name);

		ck_assert_ptr_nonnull(f);
		ck_assert_msg(f->byte == rx[i].offset && f->bytes == rx[i].size, "%s", f->name);
	}
	/* The 24-bit fields are the low bytes of DV's dwords, the 8-bit ones the top. */
	ck_assert_uint_eq(offsetof(struct mlx5_cqe64, srqn_uidx) + 1,
			  cqesim_cqe_rx_field("user_index")->byte);
	ck_assert_uint_eq(offsetof(struct mlx5_cqe64, srqn_uidx),
			  cqesim_cqe_rx_field("lro_num_seg")->byte);
	ck_assert_uint_eq(offsetof(struct mlx5_cqe64, sop_drop_qpn) + 1,
			  cqesim_cqe_rx_field("flow_tag")->byte);
	ck_assert_uint_eq(offsetof(struct mlx5_cqe64, sop_drop_qpn),
			  cqesim_cqe_rx_field("send_opcode")->byte);
}
END_TEST

START_TEST(mlx5dv_reads_ours)
{
	struct mlx5_cqe64 dv;

	memcpy(&dv, test_cqe_resp_send, sizeof(dv));
	ck_assert_uint_eq(mlx5dv_get_cqe_opcode(&dv), MLX5_CQE_RESP_SEND);
	ck_assert_uint_eq(mlx5dv_get_cqe_format(&dv), 0);
	ck_assert_uint_eq(mlx5dv_get_cqe_se(&dv), 0);
	ck_assert_uint_eq(mlx5dv_get_cqe_owner(&dv), 1);
	ck_assert_uint_eq(be32toh(dv.byte_cnt), 1496);
	ck_assert_uint_eq(be32toh(dv.srqn_uidx) & 0xffffff, 0xabcdef);
	ck_assert_uint_eq(be32toh(dv.sop_drop_qpn) & 0xffffff, 0x123456);
	ck_assert_uint_eq(be64toh(dv.timestamp), UINT64_C(0x0102030405060708));
	ck_assert_uint_eq(be16toh(dv.wqe_counter), 0xfedc);
	dv.op_own = CQESIM_OP_OWN(CQESIM_OP_REQ_ERR, CQESIM_FORMAT_COMPRESSED, 0) | 2;
	ck_assert_uint_eq(mlx5dv_get_cqe_opcode(&dv), MLX5_CQE_REQ_ERR);
	ck_assert_uint_eq(mlx5dv_get_cqe_format(&dv), 3);
	ck_assert_uint_eq(mlx5dv_get_cqe_se(&dv), 1);
	ck_assert_uint_eq(mlx5dv_get_cqe_owner(&dv), 0);
}
END_TEST

START_TEST(mlx5dv_error_layout)
{
	static const struct {
		const char *name;
		size_t offset;
	} err[] = {
#define AT(name) {#name, offsetof(struct mlx5_err_cqe, name)}
		AT(srqn),
		AT(vendor_err_synd),
		AT(syndrome),
		AT(wqe_counter),
		AT(signature),
#undef AT
		{"opcode", offsetof(struct mlx5_err_cqe, op_own)},
		{"wqe_opcode", offsetof(struct mlx5_err_cqe, s_wqe_opcode_qpn)},
		{"qpn", offsetof(struct mlx5_err_cqe, s_wqe_opcode_qpn) + 1},
	};

	ck_assert_uint_eq(sizeof(struct mlx5_err_cqe), CQESIM_CQE_BYTES);
	for (size_t i = 0; i < COUNT(err); i++)
		ck_assert_msg(err_byte(err[i].name) == err[i].offset, "%s", err[i].name);
}
END_TEST

START_TEST(mlx5dv_numbers)
{
	static const struct {
		unsigned ours, theirs;
	} n[] = {
		{CQESIM_OP_REQ, MLX5_CQE_REQ},
		{CQESIM_OP_RESP_WR_IMM, MLX5_CQE_RESP_WR_IMM},
		{CQESIM_OP_RESP_SEND, MLX5_CQE_RESP_SEND},
		{CQESIM_OP_RESP_SEND_IMM, MLX5_CQE_RESP_SEND_IMM},
		{CQESIM_OP_RESP_SEND_INV, MLX5_CQE_RESP_SEND_INV},
		{CQESIM_OP_RESIZE_CQ, MLX5_CQE_RESIZE_CQ},
		{CQESIM_OP_NO_PACKET, MLX5_CQE_NO_PACKET},
		{CQESIM_OP_SIG_ERR, MLX5_CQE_SIG_ERR},
		{CQESIM_OP_REQ_ERR, MLX5_CQE_REQ_ERR},
		{CQESIM_OP_RESP_ERR, MLX5_CQE_RESP_ERR},
		{CQESIM_OP_INVALID, MLX5_CQE_INVALID},
		{CQESIM_OWNER_MASK, MLX5_CQE_OWNER_MASK},
		{CQESIM_FORMAT_INLINE_32 << 2, MLX5_INLINE_SCATTER_32},
		{CQESIM_FORMAT_INLINE_64 << 2, MLX5_INLINE_SCATTER_64},
		{CQESIM_SYNDROME_LOCAL_PROT, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR},
		{CQESIM_SYNDROME_WR_FLUSH, MLX5_CQE_SYNDROME_WR_FLUSH_ERR},
		{CQESIM_L2_OK, MLX5_CQE_L2_OK},
		{CQESIM_L3_OK, MLX5_CQE_L3_OK},
		{CQESIM_L4_OK, MLX5_CQE_L4_OK},
		{CQESIM_HDR_L3_IPV6 >> 2, MLX5_CQE_L3_HDR_TYPE_IPV6},
		{CQESIM_HDR_L3_IPV4 >> 2, MLX5_CQE_L3_HDR_TYPE_IPV4},
	};
	static const struct {
		unsigned number;
		const char *name;
	} syndrome[] = {
#define SYNDROME(name) {MLX5_CQE_SYNDROME_##name, #name}
		SYNDROME(LOCAL_LENGTH_ERR),
		SYNDROME(LOCAL_QP_OP_ERR),
		SYNDROME(LOCAL_PROT_ERR),
		SYNDROME(WR_FLUSH_ERR),
		SYNDROME(MW_BIND_ERR),
		SYNDROME(BAD_RESP_ERR),
		SYNDROME(LOCAL_ACCESS_ERR),
		SYNDROME(REMOTE_INVAL_REQ_ERR),
		SYNDROME(REMOTE_ACCESS_ERR),
		SYNDROME(REMOTE_OP_ERR),
		SYNDROME(TRANSPORT_RETRY_EXC_ERR),
		SYNDROME(RNR_RETRY_EXC_ERR),
		SYNDROME(REMOTE_ABORTED_ERR),
#undef SYNDROME
	};

	for (size_t i = 0; i < COUNT(n); i++)
		ck_assert_msg(n[i].ours == n[i].theirs, "row %zu: %u, mlx5dv %u", i, n[i].ours,
			      n[i].theirs);
	for (size_t i = 0; i < COUNT(syndrome); i++)
		ck_assert_str_eq(cqesim_syndrome_name(syndrome[i].number), syndrome[i].name);
}
END_TEST
void test_cqe_mlx5dv(Suite *s)
{
	TCase *t = tcase_create("mlx5dv");

	tcase_add_test(t, mlx5dv_layout);
	tcase_add_test(t, mlx5dv_reads_ours);
	tcase_add_test(t, mlx5dv_error_layout);
	tcase_add_test(t, mlx5dv_numbers);
	suite_add_tcase(s, t);
}

#else
#include "test.h"

START_TEST(mlx5dv_layout)
{
	test_skip("cqe mlx5dv_layout", "built without infiniband/mlx5dv.h");
}
END_TEST

void test_cqe_mlx5dv(Suite *s)
{
	TCase *t = tcase_create("mlx5dv");

	tcase_add_test(t, mlx5dv_layout);
	suite_add_tcase(s, t);
}
#endif
