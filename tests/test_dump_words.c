/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines that tell of a completion: messages after the format strings of Linux,
 * rdma-core, DPDK, UCX, NCCL and others, with what stands in them; and lines that
 * look alike and are something else.
 */
#include "dump/dump_internal.h"
#include "test_dump.h"

#define S  CQESIM_FACT_SYNDROME
#define V  CQESIM_FACT_VENDOR
#define H  CQESIM_FACT_HW
#define O  CQESIM_FACT_OPCODE
#define T  CQESIM_FACT_STATUS
#define Q  CQESIM_FACT_QPN
#define RQ CQESIM_FACT_REMOTE_QPN
#define C  CQESIM_FACT_CQN
#define W  CQESIM_FACT_WQE
#define CI CQESIM_FACT_CI
#define WC CQESIM_FACT_WQ_CI
#define SO CQESIM_FACT_SEND_OPCODE
#define LK CQESIM_FACT_LKEY
#define RK CQESIM_FACT_RKEY

static const struct statement {
	const char *text;
	enum cqesim_dump_source source;
	struct cqesim_dump_facts facts;
} statements[] = {
	{"mlx5_core 0000:08:00.0 eth2: Error cqe on cqn 0x40b, ci 0x3, sqn 0x104f, opcode 0xd, "
	 "syndrome 0x2, vendor syndrome 0x68",
	 CQESIM_DUMP_BY_MLX5_CORE,
	 {.known = S | V | O | Q | C | CI,
	  .syndrome = 2,
	  .vendor_err_synd = 0x68,
	  .opcode = 13,
	  .qpn = 0x104f,
	  .cqn = 0x40b,
	  .ci = 3}},
	{"[1.5] mlx5_core 0000:08:00.0 eth2: ERR CQE on RQ: 0x1133",
	 CQESIM_DUMP_BY_MLX5_CORE,
	 {.known = Q | O, .qpn = 0x1133, .opcode = 14}},
	{"[15601.66] infiniband rocep33s0f0: mlx5_poll_one:527:(pid 0): Responder error cqe on cqn "
	 "0x406:\n"
	 "[15601.67] infiniband rocep33s0f0: mlx5_poll_one:530:(pid 0): syndrome 0x5, vendor "
	 "syndrome 0xf9",
	 CQESIM_DUMP_BY_MLX5_IB,
	 {.known = S | V | O | C,
	  .syndrome = 5,
	  .vendor_err_synd = 0xf9,
	  .opcode = 14,
	  .cqn = 0x406}},
	{"[1.0] infiniband mlx5_0: mlx5_handle_error_cqe:333:(pid 0): WC error: 10, message: "
	 "remote "
	 "access error",
	 CQESIM_DUMP_BY_MLX5_IB,
	 {.known = T, .status = 10}},
	/* The kernel looks a syndrome up in the wrong list there: its words are not taken. */
	{"rocep2s0/1: QP 137 error: unrecognized status (0x41 0x1 0x2)",
	 CQESIM_DUMP_BY_MLX5_IB,
	 {.known = Q | V | H,
	  .qpn = 137,
	  .vendor_err_synd = 0x41,
	  .hw_synd_type = 1,
	  .hw_err_synd = 2}},
	{"Unexpected CQE error syndrome 0x04 CQN = 128 SQN = 14688 wqe_counter = 1 wq_ci = 2 cq_ci "
	 "= 7",
	 CQESIM_DUMP_BY_DPDK,
	 {.known = S | O | Q | C | W | WC | CI,
	  .syndrome = 4,
	  .opcode = 13,
	  .qpn = 14688,
	  .cqn = 128,
	  .wqe_index = 1,
	  .wq_ci = 2,
	  .ci = 7}},
	{"Unexpected CQE error syndrome 0x05 CQN = 9 RQN = 20 wqe_counter = 3 rq_ci = 4 cq_ci = 5",
	 CQESIM_DUMP_BY_DPDK,
	 {.known = S | O | Q | C | W | WC | CI,
	  .syndrome = 5,
	  .opcode = 14,
	  .qpn = 20,
	  .cqn = 9,
	  .wqe_index = 3,
	  .wq_ci = 4,
	  .ci = 5}},
	{"mlx5_net: CQE ERR:0x4, Vendor_ERR:0x51, OP:0x2f, QPN:0x1234, WQE_CNT:0x7",
	 CQESIM_DUMP_BY_DPDK,
	 {.known = S | V | O | Q | W | SO,
	  .syndrome = 4,
	  .vendor_err_synd = 0x51,
	  .opcode = 13,
	  .qpn = 0x1234,
	  .wqe_index = 7,
	  .send_opcode = 0x2f}},
	/* DPDK's XTS driver swaps a single byte. */
	{"mlx5_crypto: CQE ERR:4000000.", CQESIM_DUMP_BY_DPDK, {.known = S, .syndrome = 4}},
	{"[host1:162239:0:162239] ib_mlx5_log.c:177  Local protection on mlx5_0:1/IB (synd 0x4 "
	 "vend "
	 "0x51 hw_synd 1/146)\n"
	 "[host1:162239:0:162239] ib_mlx5_log.c:177  RC QP 0x169 wqe[3]: SEND s-- [inl len 10] [va "
	 "0x7f len 1 lkey 0xb5d2] [rqpn 0x16a dlid=12 sl=0]",
	 CQESIM_DUMP_BY_UCX,
	 {.known = S | V | H | O | Q | W | SO | LK | RQ,
	  .syndrome = 4,
	  .vendor_err_synd = 0x51,
	  .hw_synd_type = 1,
	  .hw_err_synd = 146,
	  .opcode = 13,
	  .qpn = 0x169,
	  .wqe_index = 3,
	  .send_opcode = 0x0a,
	  .lkey = 0xb5d2,
	  .remote_qpn = 0x16a}},
	{"UCX  FATAL Error on QP 0x1590d wqe[43850]: Local QP operation (synd 0x2 vend 0x68) "
	 "opcode "
	 "MASKED_COMPARE_SWAP",
	 CQESIM_DUMP_BY_UCX,
	 {.known = S | V | O | Q | W | SO,
	  .syndrome = 2,
	  .vendor_err_synd = 0x68,
	  .opcode = 13,
	  .qpn = 0x1590d,
	  .wqe_index = 43850,
	  .send_opcode = 0x14}},
	{"ib_mlx5_log.c:184  SRQ QP 0x12639 wqe[1]: next_wqe 2 desc 0x7f (synd 0x4 vend 0x32 "
	 "hw_synd "
	 "0/146)",
	 CQESIM_DUMP_BY_UCX,
	 {.known = S | V | H | O | Q | W,
	  .syndrome = 4,
	  .vendor_err_synd = 0x32,
	  .hw_err_synd = 146,
	  .opcode = 14,
	  .qpn = 0x12639,
	  .wqe_index = 1}},
	/* SPDK's and SNAP's copy: the index has leading zeros and is decimal. */
	{"Error on QP 0x123 wqe[013]: Remote access (synd 0x13 vend 0x88 hw 0x1f) opcode "
	 "RDMA_WRITE",
	 CQESIM_DUMP_BY_UCX,
	 {.known = S | V | H | O | Q | W | SO,
	  .syndrome = 0x13,
	  .vendor_err_synd = 0x88,
	  .hw_err_synd = 0x1f,
	  .opcode = 13,
	  .qpn = 0x123,
	  .wqe_index = 13,
	  .send_opcode = 8}},
	/* In 2017 UCX called the vendor's code syndrome. */
	{"UCX  ERROR Send completion with error on qp 0x6214: remote access error syndrome 0x88",
	 CQESIM_DUMP_BY_UCX,
	 {.known = V | T | O | Q,
	  .vendor_err_synd = 0x88,
	  .status = 10,
	  .opcode = 13,
	  .qpn = 0x6214}},
	/* And forgot a space. */
	{"send completion with error: transport retry counter exceeded [qpn 0x92c wrid "
	 "0x2vendor_err "
	 "0x81] [rqpn 0x92b rlid 2]",
	 CQESIM_DUMP_BY_VERBS,
	 {.known = V | T | O | Q | RQ,
	  .vendor_err_synd = 0x81,
	  .status = 12,
	  .opcode = 13,
	  .qpn = 0x92c,
	  .remote_qpn = 0x92b}},
	{"NCCL WARN NET/IB : Got completion with error 4, opcode 1, len 21938, vendor err 81",
	 CQESIM_DUMP_BY_NCCL,
	 {.known = T | V, .status = 4, .vendor_err_synd = 81}},
	{"NCCL WARN NET/IB: Got completion from peer 10.0.0.1<35162> with status=12 opcode=129 "
	 "len=65536 vendor err 129 (Recv)",
	 CQESIM_DUMP_BY_NCCL,
	 {.known = T | V, .status = 12, .vendor_err_synd = 129}},
	{" Completion with error at client\n  Failed status 4: wr_id 0 syndrom 0x51",
	 CQESIM_DUMP_BY_PERFTEST,
	 {.known = T | V, .status = 4, .vendor_err_synd = 0x51}},
	{"[[62713,1],1867][btl_openib_component.c:3224:handle_wc] from a to: b error polling LP CQ "
	 "with status RETRY EXCEEDED ERROR status number 12 for\nwr_id bdba80 opcode 1  vendor "
	 "error "
	 "129 qp_idx 0",
	 CQESIM_DUMP_BY_OPENMPI,
	 {.known = T | V, .status = 12, .vendor_err_synd = 129}},
	{"rdma.c:3778:nvmf_rdma_log_wc_status: *ERROR*: Error on CQ 0xffff4c0921f0, (qp state 1 "
	 "ibv_state 6) request 0x281, type SEND, opcode 0, status: (12): transport retry counter "
	 "exceeded rqpair 0x2c1cc180",
	 CQESIM_DUMP_BY_SPDK,
	 {.known = T | SO | O, .status = 12, .send_opcode = 0x0a, .opcode = 13}},
	{"libfabric:ofi_rxm:cq:rxm_cq_read_write_error():819<warn> fi_cq_readerr: err: 5, "
	 "prov_err: "
	 "remote access error (10)",
	 CQESIM_DUMP_BY_LIBFABRIC,
	 {.known = T, .status = 10}},
	{"rpcrdma: Recv: local length error (1/0xd7)",
	 CQESIM_DUMP_BY_RPCRDMA,
	 {.known = T | V, .status = 1, .vendor_err_synd = 0xd7}},
	{"nvme nvme15: RECV for CQE 0x00000000ce392ed9 failed with status local protection error "
	 "(4)",
	 CQESIM_DUMP_BY_NVME,
	 {.known = T, .status = 4}},
	{"iser: iser_err_comp: command failure: local protection error (4) vend_err 0x51",
	 CQESIM_DUMP_BY_ISER,
	 {.known = T | V, .status = 4, .vendor_err_synd = 0x51}},
	{"isert: isert_print_wc: login send failure: transport retry counter exceeded (12) "
	 "vend_err 81",
	 CQESIM_DUMP_BY_ISER,
	 {.known = T | V, .status = 12, .vendor_err_synd = 0x81}},
	{"ib_srpt: receiving failed for ioctx 00000000abc with status 5",
	 CQESIM_DUMP_BY_SRP,
	 {.known = T, .status = 5}},
	{"LNetError: 21:0:(o2iblnd_cb.c:1169:kiblnd_tx_complete()) Tx -> 10.1.1.1@o2ib cookie 0x1 "
	 "sending 1 waiting 0: failed 12",
	 CQESIM_DUMP_BY_LNET,
	 {.known = T, .status = 12}},
	{"RDMA send failed: transport retry counter exceeded",
	 CQESIM_DUMP_BY_VERBS,
	 {.known = T, .status = 12}},
	{"2024-01-10 18:06:44 worker 3: IBV_WC_RETRY_EXC_ERR",
	 CQESIM_DUMP_BY_VERBS,
	 {.known = T, .status = 12}},
	{"[E] VERBS RDMA write error IBV_WC_REM_ACCESS_ERR to node 3",
	 CQESIM_DUMP_BY_VERBS,
	 {.known = T, .status = 10}},
	{"got bad completion with status: 0xd, vendor syndrome: 0x87",
	 CQESIM_DUMP_BY_VERBS,
	 {.known = T | V, .status = 13, .vendor_err_synd = 0x87}},
	{"[cn4021:mpi_rank_198][handle_cqe] ibv_channel_manager.c:547: [] Got completion with "
	 "error "
	 "12, vendor code=0x81, dest rank=196",
	 CQESIM_DUMP_BY_VERBS,
	 {.known = T | V, .status = 12, .vendor_err_synd = 0x81}},
	/* Without 0x it may be either; the status tells. */
	{"cq completion failed with wr_id 5 status 12 opcode 0 vendor_err 81",
	 CQESIM_DUMP_BY_VERBS,
	 {.known = T | V, .status = 12, .vendor_err_synd = 0x81}},
	{"cq completion failed with wr_id 5 status 4 opcode 0 vendor_err 81",
	 CQESIM_DUMP_BY_VERBS,
	 {.known = T | V, .status = 4, .vendor_err_synd = 81}},
	{"cq completion failed with wr_id 5 status 5 opcode 0 vender_err f9",
	 CQESIM_DUMP_BY_VERBS,
	 {.known = T | V, .status = 5, .vendor_err_synd = 0xf9}},
	{"send completion failed: local_qpn=5, status=10, opcode=3, vendor_err=136",
	 CQESIM_DUMP_BY_VERBS,
	 {.known = T | V | O, .status = 10, .vendor_err_synd = 136, .opcode = 13}},
	{"CQE error: status=10 (REM_ACCESS_ERR), vendor_err=0x88",
	 CQESIM_DUMP_BY_VERBS,
	 {.known = T | V, .status = 10, .vendor_err_synd = 0x88}},
	{"Error MLX5_CQE_REQ_ERR, wqe_idx: 6, wqe_opcode_qpn: b0002ab, syndrome: 15, "
	 "vendor_err_synd: 81",
	 CQESIM_DUMP_BY_VERBS,
	 {.known = S | V | O | Q | W | SO,
	  .syndrome = 0x15,
	  .vendor_err_synd = 0x81,
	  .opcode = 13,
	  .qpn = 0x2ab,
	  .wqe_index = 6,
	  .send_opcode = 0x0b}},
	{"wc.status == IBV_WC_WR_FLUSH_ERR after the first", CQESIM_DUMP_BY_VERBS, {.known = 0}},
	{"poll cq: IBV_WC_REM_INV_REQ_ERR (9), vendor_err 138",
	 CQESIM_DUMP_BY_VERBS,
	 {.known = T | V, .status = 9, .vendor_err_synd = 138}},
	{"the error is MLX5_CQE_REQ_ERR with syndrome MLX5_CQE_SYNDROME_LOCAL_PROT_ERR "
	 "(vendor_err_synd byte is 0x52); later CQEs have MLX5_CQE_SYNDROME_WR_FLUSH_ERR",
	 CQESIM_DUMP_BY_VERBS,
	 {.known = S | V | O, .syndrome = 4, .vendor_err_synd = 0x52, .opcode = 13}},
};
#define STATEMENTS (sizeof(statements) / sizeof(statements[0]))

#define SAME(field)                                                                                \
	ck_assert_msg(got->field == want->field, "%s: " #field " is 0x%x", s->text, got->field)

START_TEST(statement)
{
	const struct statement *s = &statements[_i];
	struct cqesim_dump d = dump_of(s->text, strlen(s->text));
	const struct cqesim_dump_facts *want = &s->facts;

	if (!want->known) { /* source code that somebody quotes */
		ck_assert_uint_eq(d.count, 0);
		return;
	}
	ck_assert_msg(d.count == 1, "%s: %u items", s->text, d.count);
	ck_assert_int_eq(d.items[0].kind, CQESIM_DUMP_STATEMENT);
	ck_assert_msg(d.items[0].source == s->source, "%s: source %d", s->text, d.items[0].source);
	const struct cqesim_dump_facts *got = &d.items[0].stated;
	SAME(known);
	SAME(syndrome);
	SAME(vendor_err_synd);
	SAME(hw_err_synd);
	SAME(hw_synd_type);
	SAME(opcode);
	SAME(qpn);
	SAME(remote_qpn);
	SAME(cqn);
	SAME(wqe_index);
	SAME(ci);
	SAME(wq_ci);
	SAME(send_opcode);
	SAME(lkey);
	if (want->known & T)
		SAME(status);
	cqesim_dump_free(&d);
}
END_TEST

static const struct {
	const char *text;
	enum cqesim_dump_reason reason;
} others[] = {
	{"mlx4: local QP operation err (QPN 260092, WQE index 9a9e0000, vendor syndrome 6f, opcode "
	 "= "
	 "5e)",
	 CQESIM_DUMP_OLD_CARD},
	{"mlx4_en: eth0: CQE error - vendor syndrome: 0x22 syndrome: 0x4", CQESIM_DUMP_OLD_CARD},
	{"mcxnex0: CQE ERR: cqe ffff QPN 0x40064 indx 0x1d81 status 0x13 vendor syndrome 0x88",
	 CQESIM_DUMP_OLD_CARD},
	{"xsc: host1: got completion with error:", CQESIM_DUMP_OTHER_VENDOR},
	{"bnxt_re0: completion error status 12 vendor_err 0xa", CQESIM_DUMP_OTHER_VENDOR},
	{"mlx5_core 0000:04:00.0: mlx5_cmd_check:795:(pid 9): RTR2RTS_QP(0x504) op_mod(0x0) "
	 "failed, "
	 "status bad parameter(0x3), syndrome (0x4bb88f)",
	 CQESIM_DUMP_COMMAND},
	{"mlx5_core 0000:04:00.0: mlx5_cmd_out_err:808:(pid 1): CREATE_MKEY(0x200) op_mod(0x0) "
	 "failed, status bad resource(0x5), syndrome (0x2f1396), err(-22)",
	 CQESIM_DUMP_COMMAND},
	{"mlx5_common: DevX create q counter set failed errno=121 status=0x2 syndrome=0x8975f1",
	 CQESIM_DUMP_COMMAND},
	{"mlx5dr: Failed to create FT (syndrome: 0x70b9d)", CQESIM_DUMP_COMMAND},
	{"mlx5_core 0000:02:00.0: cq_err_event_notifier:517:(pid 0): CQ error on CQN 0x407, "
	 "syndrome "
	 "0x1",
	 CQESIM_DUMP_CQ_EVENT},
	{"mlx5_core 0000:02:00.0: mlx5_eq_int:556:(pid 0): CQ error on CQN 0x40a, syndrom 0x1",
	 CQESIM_DUMP_CQ_EVENT},
	{"async event: DCT access error on DCTN 0x23db", CQESIM_DUMP_ASYNC_EVENT},
	{"mlx5_core 0000:02:00.0: print_health_info:390: synd 0x1: firmware internal error",
	 CQESIM_DUMP_HEALTH},
	{"mlx5_core 0000:02:00.0: ext_synd 0x8ce4", CQESIM_DUMP_HEALTH},
	{"hns3 0000:7d:00.0: error cqe status is: 0x12", CQESIM_DUMP_OTHER_VENDOR},
};
#define OTHERS (sizeof(others) / sizeof(others[0]))

START_TEST(something_else)
{
	struct cqesim_dump d = dump_of(others[_i].text, strlen(others[_i].text));

	ck_assert_msg(d.count == 1 && d.items[0].kind == CQESIM_DUMP_FOREIGN, "%s",
		      others[_i].text);
	ck_assert_msg(d.items[0].reason == others[_i].reason, "%s: %s", others[_i].text,
		      cqesim_dump_reason_name(d.items[0].reason));
	ck_assert_uint_gt(strlen(cqesim_dump_reason_text(d.items[0].reason)), 20);
	cqesim_dump_free(&d);
}
END_TEST

/* Ordinary lines are not taken for anything. */
START_TEST(nothing)
{
	static const char *const lines[] = {
		"[    2.1] mlx5_core 0000:3b:00.0: firmware version: 16.27.2008",
		"[    2.2] mlx5_core 0000:3b:00.0: 126.016 Gb/s available PCIe bandwidth",
		"systemd[1]: app.service: Main process exited, code=exited, status=1/FAILURE",
		"HTTP error: status 500 for request 12",
		"user completion script: exit status 2",
		"bnxt_re0: link up",
		"raid6: syndrome 0x33 recalculated",
		"eth0: error 12 while opening",
		"case MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR:",
		"if (wc.status != IBV_WC_SUCCESS && wc.vendor_err == 0x81) {",
		"00:15:5d:01:02:03 is the MAC address",
		"poll: wr_id 3 status 0 vendor_err 0 byte_len 64 from the CQ",
		"Peek CQE error 62",
		"Err cqe on dev eth0 cqn=0x1 ci=0x2 sqn=0x3 err_code=0x4 qpid=0x5",
		"sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct cqesim_dump d = dump_of(lines[i], strlen(lines[i]));

		ck_assert_msg(d.count == 0, "%s: a %s", lines[i],
			      d.count ? cqesim_dump_kind_name(d.items[0].kind) : "");
		cqesim_dump_free(&d);
	}
}
END_TEST

/* Prose and source that have the name of an error in them: counted, no errors. */
START_TEST(mentions)
{
	static const char *const lines[] = {
		"See the manual for IBV_WC_REM_ACCESS_ERR.",
		"transport retry counter exceeded",
		"CQE error, e.g. REMOTE_ACCESS_ERR (0x13): the peer got a wrong rkey.",
		"IBV_WC_RETRY_EXC_ERR (12) - Transport Retry Counter Exceeded: no answer came.",
		"If the error is \"transport retry counter exceeded\", raise the timeout.",
		"If you see status 12 (transport retry counter exceeded), raise the timeout.",
		"* fix: handle local protection error in poll_cq (#1234)",
		"\t[IB_WC_LOC_PROT_ERR]\t\t= \"local protection error\",",
		"\tMLX5_CQE_SYNDROME_LOCAL_PROT_ERR\t\t= 0x04,",
		"\tIBV_WC_RETRY_EXC_ERR,",
		"#define FATAL IBV_WC_RETRY_EXC_ERR",
		"case MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR:",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct cqesim_dump d = dump_of(lines[i], strlen(lines[i]));

		ck_assert_msg(d.count == 0, "%s: taken for an error", lines[i]);
		ck_assert_msg(d.mentions == 1, "%s: %d mentions", lines[i], (int)d.mentions);
		cqesim_dump_free(&d);
	}
}
END_TEST

/* Lines of source that print a heading announce nothing. */
START_TEST(heading_in_source)
{
	static const char text[] =
		"\tmlx5_ib_warn(dev, \"dump error cqe\\n\");\n"
		"\tprint_hex_dump(KERN_WARNING, \"\", 0, 16, 1, cqe, 64, false);\n";
	struct cqesim_dump d = dump_of(text, strlen(text));

	ck_assert_uint_eq(d.count, 0);
	cqesim_dump_free(&d);
}
END_TEST

/* SPDK's last line names a status that is always the same. */
START_TEST(constant_status)
{
	static const char text[] =
		"nvme_rdma.c:1748:nvme_rdma_qpair_process_completions: *ERROR*: CQ error on Queue "
		"Pair 0x7efd, Response Index 139 (4): local protection error\n"
		"nvme_qpair.c: 453:spdk_nvme_qpair_process_completions: *ERROR*: CQ error, abort "
		"requests after transport retry counter exceeded\n";
	struct cqesim_dump d = dump_of(text, strlen(text));

	ck_assert_uint_eq(d.count, 1);
	ck_assert_uint_eq(d.items[0].stated.status, 4);
	ck_assert_uint_eq(d.items[0].last_line, 2);
	cqesim_dump_free(&d);
	/* Alone it tells that something failed, and not what. */
	const char *last = strchr(text, '\n') + 1;
	d = dump_of(last, strlen(last));
	ck_assert_uint_eq(d.count, 1);
	ck_assert_uint_eq(d.items[0].stated.known, 0);
	cqesim_dump_free(&d);
}
END_TEST

/* A program's line about the same queue, behind or before the old card's message. */
START_TEST(program_on_old_card)
{
	static const char driver[] =
		"local QP operation err (QPN 350406, WQE @ 00000883, CQN 9b0083, "
		"index 153)\n"
		"[ 0] 00350406\n[10] 02700000\n[1c] 99000081\n";
	static const char program[] = "send completion with error: local QP operation error qpn "
				      "0x350406 wrid 0x38 vendor_err 0x70\n";
	char text[1024];

	for (unsigned order = 0; order < 2; order++) {
		snprintf(text, sizeof(text), "%s%s", order ? program : driver,
			 order ? driver : program);
		struct cqesim_dump d = dump_of(text, strlen(text));

		ck_assert_uint_eq(d.count, 1);
		ck_assert_int_eq(d.items[0].reason, CQESIM_DUMP_OLD_CARD);
		cqesim_dump_free(&d);
	}
	/* Another queue's is an error of its own. */
	snprintf(text, sizeof(text),
		 "%ssend completion with error: local QP operation error qpn "
		 "0x77 wrid 0x38 vendor_err 0x70\n",
		 driver);
	struct cqesim_dump d = dump_of(text, strlen(text));
	ck_assert_uint_eq(d.count, 2);
	ck_assert_int_eq(d.items[1].kind, CQESIM_DUMP_STATEMENT);
	cqesim_dump_free(&d);
}
END_TEST

START_TEST(addresses)
{
	static const struct {
		const char *text, *addresses, *device;
	} cases[] = {
		{"NCCL WARN NET/IB: Got completion from peer 10.0.0.1<35162> with status=12 "
		 "opcode=129 len=65536 vendor err 129 (Recv) localGid fe80::2 remoteGidsfe80::1 "
		 "hca mlx5_0",
		 "peer 10.0.0.1<35162>, localGid fe80::2, remoteGid fe80::1", "mlx5_0"},
		{"NCCL WARN NET/IB: Got completion from 10.0.0.3<4000> with error 4, opcode 1, len "
		 "2, vendor err 81",
		 "peer 10.0.0.3<4000>", ""},
		{"work completion on mlx5_0: local protection error, qpn 5", "", "mlx5_0"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cqesim_dump d = dump_of(cases[i].text, strlen(cases[i].text));

		ck_assert_uint_eq(d.count, 1);
		ck_assert_str_eq(d.items[0].addresses, cases[i].addresses);
		ck_assert_str_eq(d.items[0].device, cases[i].device);
		cqesim_dump_free(&d);
	}
}
END_TEST

/* An old card's dump goes with its message; what stands in it is told, not explained. */
START_TEST(old_card)
{
	struct cqesim_dump d = dump_of_example("not-mlx5.log");

	ck_assert_uint_eq(d.count, 8);
	for (uint32_t i = 0; i < d.count; i++)
		ck_assert_int_eq(d.items[i].kind, CQESIM_DUMP_FOREIGN);
	ck_assert_uint_eq(d.items[1].line, 2);
	ck_assert_uint_eq(d.items[1].last_line, 10);
	ck_assert_uint_eq(d.items[1].stated.qpn, 0x350406);
	ck_assert_uint_eq(d.items[1].stated.vendor_err_synd, 0x70);
	ck_assert_uint_eq(d.items[1].stated.syndrome, 2);
	ck_assert_uint_eq(d.items[0].stated.qpn, 0x260092);
	ck_assert_uint_eq(d.items[0].stated.vendor_err_synd, 0x6f);
	cqesim_dump_free(&d);
}
END_TEST

START_TEST(devices_and_times)
{
	static const struct {
		const char *text, *device;
		enum cqesim_dump_clock clock;
		uint64_t ns;
	} cases[] = {
		{"[ 1141.838449] infiniband mlx5_1: x: WC error: 4, m", "mlx5_1",
		 CQESIM_DUMP_SECONDS, UINT64_C(1141838449000)},
		{"18:06:44 mlx5: host1: got completion with error:", "host1", CQESIM_DUMP_DAY,
		 UINT64_C(65204000000000)},
		{"Local protection on mlx5_0:1/IB (synd 0x4 vend 0x51 hw_synd 0/2)", "mlx5_0:1/IB",
		 CQESIM_DUMP_NO_TIME, 0},
		{"Jan 10 00:00:01 h kernel: mlx5_core 0000:08:00.0 eth2: ERR CQE on SQ: 0x1",
		 "0000:08:00.0 eth2", CQESIM_DUMP_YEAR, UINT64_C(864001000000000)},
		{"Jan 10 00:00:01 h kernel: [    2.5] infiniband a: WC error: 4", "a",
		 CQESIM_DUMP_SECONDS, UINT64_C(2500000000)},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cqesim_dump d = dump_of(cases[i].text, strlen(cases[i].text));

		ck_assert_uint_eq(d.count, 1);
		if (*cases[i].device != 'a')
			ck_assert_str_eq(d.items[0].device, cases[i].device);
		ck_assert_msg(d.items[0].clock == cases[i].clock, "%s: clock %d", cases[i].text,
			      d.items[0].clock);
		ck_assert_uint_eq(d.items[0].time_ns, cases[i].ns);
		cqesim_dump_free(&d);
	}
}
END_TEST

/* The finder searches by first letter: the lexicon must be in that order, each word once. */
START_TEST(lexicon)
{
	for (unsigned i = 1; i < dump_lexicon_count; i++) {
		const char *a = dump_lexicon[i - 1].text, *b = dump_lexicon[i].text;

		ck_assert_msg((a[0] | 0x20) <= (b[0] | 0x20), "%s before %s", a, b);
		for (unsigned k = 0; k < i; k++)
			ck_assert_str_ne(dump_lexicon[k].text, b);
		for (const char *c = b; !dump_lexicon[i].exact && *c; c++)
			ck_assert_msg(*c < 'A' || *c > 'Z', "%s", b);
	}
}
END_TEST

void add_dump_words(Suite *suite)
{
	TCase *tc = tcase_create("words");

	tcase_add_loop_test(tc, statement, 0, STATEMENTS);
	tcase_add_loop_test(tc, something_else, 0, OTHERS);
	tcase_add_test(tc, nothing);
	tcase_add_test(tc, mentions);
	tcase_add_test(tc, heading_in_source);
	tcase_add_test(tc, constant_status);
	tcase_add_test(tc, program_on_old_card);
	tcase_add_test(tc, addresses);
	tcase_add_test(tc, old_card);
	tcase_add_test(tc, devices_and_times);
	tcase_add_test(tc, lexicon);
	suite_add_tcase(suite, tc);
}
