/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the station's enums, and verbs status against CQE syndrome. */
#include <stdarg.h>
#include <stdio.h>

#include "dump/dump_internal.h"

#define NAME(table, index)                                                                         \
	((unsigned)(index) < sizeof(table) / sizeof((table)[0]) && (table)[index] ? (table)[index] \
										  : "unknown")

const char *cqesim_dump_kind_name(enum cqesim_dump_kind kind)
{
	static const char *const name[] = {
		[CQESIM_DUMP_CQE] = "completion",  [CQESIM_DUMP_STATEMENT] = "statement",
		[CQESIM_DUMP_COUNTER] = "counter", [CQESIM_DUMP_WQE] = "wqe",
		[CQESIM_DUMP_FOREIGN] = "other",
	};
	return NAME(name, kind);
}

const char *cqesim_dump_notation_name(enum cqesim_dump_notation notation)
{
	static const char *const name[] = {
		[CQESIM_DUMP_NO_BYTES] = "none", [CQESIM_DUMP_BYTES] = "bytes",
		[CQESIM_DUMP_WORDS] = "words",   [CQESIM_DUMP_DWORDS] = "dwords",
		[CQESIM_DUMP_QWORDS] = "qwords", [CQESIM_DUMP_DIGITS] = "digits",
		[CQESIM_DUMP_BINARY] = "binary",
	};
	return NAME(name, notation);
}

const char *cqesim_dump_source_name(enum cqesim_dump_source source)
{
	static const char *const name[] = {
		[CQESIM_DUMP_BY_UNKNOWN] = "unknown",     [CQESIM_DUMP_BY_LIBMLX5] = "libmlx5",
		[CQESIM_DUMP_BY_MLX5_IB] = "mlx5_ib",     [CQESIM_DUMP_BY_MLX5_CORE] = "mlx5_core",
		[CQESIM_DUMP_BY_DPDK] = "DPDK",           [CQESIM_DUMP_BY_UCX] = "UCX",
		[CQESIM_DUMP_BY_NCCL] = "NCCL",           [CQESIM_DUMP_BY_PERFTEST] = "perftest",
		[CQESIM_DUMP_BY_SPDK] = "SPDK",           [CQESIM_DUMP_BY_OPENMPI] = "Open MPI",
		[CQESIM_DUMP_BY_LIBFABRIC] = "libfabric", [CQESIM_DUMP_BY_RPCRDMA] = "rpcrdma",
		[CQESIM_DUMP_BY_NVME] = "nvme",           [CQESIM_DUMP_BY_ISER] = "iser",
		[CQESIM_DUMP_BY_SRP] = "ib_srp",          [CQESIM_DUMP_BY_LNET] = "LNet",
		[CQESIM_DUMP_BY_VERBS] = "verbs",
	};
	return NAME(name, source);
}

const char *cqesim_dump_reason_name(enum cqesim_dump_reason reason)
{
	static const char *const name[] = {
		[CQESIM_DUMP_NO_REASON] = "none",
		[CQESIM_DUMP_OLD_CARD] = "old_card",
		[CQESIM_DUMP_OTHER_VENDOR] = "other_vendor",
		[CQESIM_DUMP_COMMAND] = "command",
		[CQESIM_DUMP_CQ_EVENT] = "cq_event",
		[CQESIM_DUMP_ASYNC_EVENT] = "async_event",
		[CQESIM_DUMP_HEALTH] = "health",
		[CQESIM_DUMP_HEX] = "hex",
		[CQESIM_DUMP_ZEROS] = "zeros",
		[CQESIM_DUMP_CODE] = "code",
	};
	return NAME(name, reason);
}

const char *cqesim_dump_reason_text(enum cqesim_dump_reason reason)
{
	static const char *const text[] = {
		[CQESIM_DUMP_NO_REASON] = "",
		[CQESIM_DUMP_OLD_CARD] =
			"Not an mlx5 completion: an older Mellanox card (mlx4: ConnectX to "
			"ConnectX-3, or mthca). Its completions have another layout, and its "
			"vendor "
			"codes are another list.",
		[CQESIM_DUMP_OTHER_VENDOR] = "Not an mlx5 completion: another vendor's card. Its "
					     "vendor codes have nothing "
					     "to do with those of mlx5.",
		[CQESIM_DUMP_COMMAND] =
			"Not a completion: the firmware refused a command. This syndrome is one of "
			"the firmware's command interface and says nothing about a completion.",
		[CQESIM_DUMP_CQ_EVENT] =
			"Not a completion: an event about the completion queue itself. This "
			"syndrome "
			"is not that of a completion; 1 is an overrun, the queue was full when the "
			"card wanted to write.",
		[CQESIM_DUMP_ASYNC_EVENT] =
			"Not a completion: an asynchronous event about a queue or the card. The "
			"failed completion, if there is one, stands elsewhere.",
		[CQESIM_DUMP_HEALTH] =
			"Not a completion: the firmware's health report. Its synd and ext_synd are "
			"the firmware's own.",
		[CQESIM_DUMP_HEX] = "Hexadecimal bytes that are no mlx5 completion.",
		[CQESIM_DUMP_ZEROS] = "64 zero bytes: no completion was written there.",
		[CQESIM_DUMP_CODE] = "Machine code from a kernel oops, no completion.",
	};
	return NAME(text, reason);
}

const char *cqesim_dump_where_name(enum cqesim_dump_where where)
{
	static const char *const name[] = {
		[CQESIM_DUMP_LOCAL] = "local",  [CQESIM_DUMP_REMOTE] = "remote",
		[CQESIM_DUMP_PATH] = "path",    [CQESIM_DUMP_CONSEQUENCE] = "consequence",
		[CQESIM_DUMP_NOWHERE] = "none",
	};
	return NAME(name, where);
}

/* infiniband/verbs.h, enum ibv_wc_status; the kernel's ib_wc_status has the same numbers. */
const char *cqesim_dump_status_name(unsigned status)
{
	static const char *const name[] = {
		"SUCCESS",
		"LOC_LEN_ERR",
		"LOC_QP_OP_ERR",
		"LOC_EEC_OP_ERR",
		"LOC_PROT_ERR",
		"WR_FLUSH_ERR",
		"MW_BIND_ERR",
		"BAD_RESP_ERR",
		"LOC_ACCESS_ERR",
		"REM_INV_REQ_ERR",
		"REM_ACCESS_ERR",
		"REM_OP_ERR",
		"RETRY_EXC_ERR",
		"RNR_RETRY_EXC_ERR",
		"LOC_RDD_VIOL_ERR",
		"REM_INV_RD_REQ_ERR",
		"REM_ABORT_ERR",
		"INV_EECN_ERR",
		"INV_EEC_STATE_ERR",
		"FATAL_ERR",
		"RESP_TIMEOUT_ERR",
		"GENERAL_ERR",
		"TM_ERR",
		"TM_RNDV_INCOMPLETE",
	};
	return NAME(name, status);
}

/* rdma-core providers/mlx5/cq.c, mlx5_handle_error_cqe; Linux has the same table. */
static const struct {
	uint8_t syndrome, status;
} pairs[] = {
	{0x01, 1}, {0x02, 2},  {0x04, 4},  {0x05, 5},  {0x06, 6},  {0x10, 7},  {0x11, 8},
	{0x12, 9}, {0x13, 10}, {0x14, 11}, {0x15, 12}, {0x16, 13}, {0x22, 16},
};

unsigned cqesim_dump_status_syndrome(unsigned status)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i].status == status)
			return pairs[i].syndrome;
	return 0;
}

unsigned cqesim_dump_syndrome_status(unsigned syndrome)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i].syndrome == syndrome)
			return pairs[i].status;
	return 255;
}

void dump_say(struct dump_text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(t->at, t->room, fmt, ap);
	va_end(ap);
	if (n < 0 || !t->room)
		return;
	size_t used = (size_t)n < t->room ? (size_t)n : t->room - 1;
	t->at += used;
	t->room -= used;
}
