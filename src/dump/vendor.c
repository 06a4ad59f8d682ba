/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vendor syndromes (byte 54): what is publicly known, and how well.
 *
 * There is no public list.  What stands here is a constant in source that the
 * vendor maintains (A), what an engineer of the vendor said of one case (B), or
 * nothing but the company in which a value was always seen (C several independent
 * logs, D one).  For C and D no meaning is given, only the company: a cause that
 * somebody guessed is not a fact.
 */
#include <string.h>

#include "dump/dump_internal.h"

#define ANY_HW (-1)

const struct cqesim_dump_vendor cqesim_dump_vendors[] = {
	{0x32, 0x04, 0x93, 'B', "LOCAL_PROT_ERR (0x04) on the receiving side",
	 "with hw syndrome 0x93: the receive buffer's memory key violates the protection domain; "
	 "the "
	 "case was a key that the driver had left unmapped",
	 "header buffers of hardware GRO with 64 KiB pages",
	 "Linux: fix of the SHAMPO reservation size, mlx5e, and netdev, October 2025"},
	{0x32, 0x04, ANY_HW, 'C', "LOCAL_PROT_ERR (0x04) on the receiving side", NULL,
	 "a receive with a memory key that was wrong on purpose (hw 0x92), MPI receives (hw 0x92)",
	 "openucx/ucx #7801, #9167; a reproducer for Perlmutter"},
	{0x33, 0x04, ANY_HW, 'D', "LOCAL_PROT_ERR (0x04) on an RDMA_READ", NULL,
	 "one RDMA_READ into local memory (hw 0x9d)", "one public log"},
	{0x51, 0x04, ANY_HW, 'C', "LOCAL_PROT_ERR (0x04) on a SEND or RDMA_WRITE", NULL,
	 "data in GPU memory in nearly all cases (hw 0x02, 0x04)",
	 "ofiwg/libfabric #6733, openucx/ucx #9515 and #7774, NVIDIA/nccl #214, #707 and #1052, "
	 "linux-rdma/perftest #173 and #200"},
	{0x52, 0x04, ANY_HW, 'C', "LOCAL_PROT_ERR (0x04) on a SEND", NULL,
	 "sends whose local memory key was in doubt (hw 0x92, 0x93)",
	 "openucx/ucx #4727 and #6414, FDio/csit #3988"},
	{0x53, 0x04, ANY_HW, 'C', "LOCAL_PROT_ERR (0x04) on a SEND or RDMA_WRITE", NULL,
	 "DPDK and SPDK applications (hw 0x9d each time)", "Juniper/warp17 #81, spdk/spdk #507"},
	{0x56, 0x04, ANY_HW, 'D', "LOCAL_PROT_ERR (0x04) on the receiving side", NULL,
	 "an IOMMU page fault logged just before (hw 0xa9)", "linux-rdma, February 2022"},
	{0x61, 0x02, ANY_HW, 'D', "LOCAL_QP_OP_ERR (0x02) on an RDMA_WRITE", NULL,
	 "one RDMA_WRITE (hw 0x01)", "openucx/ucx #857"},
	{0x68, 0x01, 0x60, 'B', "LOCAL_LENGTH_ERR (0x01) on a SEND",
	 "with hw syndrome 1/0x60: the send request had no Ethernet header inline, which a "
	 "ConnectX-4 "
	 "Lx wants",
	 "AF_XDP packets without a linear part", "netdev, January 2021"},
	{0x68, 0x02, 0x86, 'B', "LOCAL_QP_OP_ERR (0x02) on a UMR",
	 "with hw syndrome 0x86: the list of translations in the UMR request had not the alignment "
	 "that the card asks for",
	 "UMR requests of the kernel's receive queues", "netdev, November 2022"},
	{0x68, 0x02, 0x01, 'B', "LOCAL_QP_OP_ERR (0x02) on an internal send queue",
	 "with hw syndrome 0x01: the request in the queue had been overwritten by another thread",
	 "the kernel's internal send queue (ICOSQ)", "netdev: fix of a race on the ICOSQ"},
	{0x68, 0, ANY_HW, 'C', "LOCAL_LENGTH_ERR (0x01) or LOCAL_QP_OP_ERR (0x02) on a request",
	 NULL, "send requests that the card did not accept as they stood in the queue",
	 "openucx/ucx #1151 and #3618, netdev"},
	{0x78, 0x06, 0x08, 'B', "MW_BIND_ERR (0x06) on a UMR",
	 "with hw syndrome 0x08: the UMR was about a memory key that had been freed already",
	 "memory with on-demand paging, invalidated while it was deregistered",
	 "linux-rdma: fix of a race between revoking and invalidating, January 2025"},
	{0x78, 0x06, 0x0f, 'B', "MW_BIND_ERR (0x06) on a UMR",
	 "with hw syndrome 0x0f: the memory key was too small for the translation that the UMR was "
	 "to write",
	 "memory with on-demand paging, not aligned", "linux-rdma: fix of ODP's page count"},
	{0x78, 0x06, ANY_HW, 'C', "MW_BIND_ERR (0x06) on a UMR", NULL,
	 "changes of memory registrations by the kernel", "linux-rdma"},
	{0x81, 0x15, ANY_HW, 'C', "TRANSPORT_RETRY_EXC_ERR (0x15)", NULL,
	 "peers that did not answer: down, not reachable, or not connected (hw 0/0)",
	 "NVIDIA/nccl #214, pytorch/pytorch #81628, openucx/ucx #2973 and #6871"},
	{0x87, 0x16, ANY_HW, 'C', "RNR_RETRY_EXC_ERR (0x16)", NULL,
	 "an experiment in which the receiver posts no receive (hw 0/0)",
	 "one published experiment"},
	{0x88, 0x13, ANY_HW, 'C', "REMOTE_ACCESS_ERR (0x13)", NULL,
	 "writes, reads and atomics to memory that the peer does not let be touched (hw 0/0); so "
	 "on "
	 "older cards too",
	 "open-mpi/ompi #8252, openucx/ucx #1569 and #2915, linux-rdma, Linux NFS"},
	{0x89, 0x14, ANY_HW, 'C', "REMOTE_OP_ERR (0x14)", NULL,
	 "peers that failed themselves: where both logs are public, the peer's has LOCAL_PROT_ERR "
	 "(hw 0/0)",
	 "openucx/ucx #5472, NVIDIA/nccl #214, open-mpi/ompi #13183, a reproducer for Perlmutter"},
	{0x8a, 0x12, ANY_HW, 'C', "REMOTE_INVAL_REQ_ERR (0x12)", NULL,
	 "peers that called the request invalid; in one case the peer had a DCT access error (hw "
	 "0/0)",
	 "charmplusplus/charm #2532, openucx/ucx #1770 and #4176, NVIDIA/nccl #1710"},
	{0x93, 0x22, ANY_HW, 'A', "REMOTE_ABORTED_ERR (0x22) on the receiving side",
	 "a page fault on memory with on-demand paging (MLX5_CQE_VENDOR_SYNDROME_ODP_PFAULT): the "
	 "operation is tried again",
	 "tag matching and shared receive queues",
	 "rdma-core: mlx5dv.h, providers/mlx5/cq.c; openucx/ucx: ib_mlx5.h"},
	{0x99, 0x22, ANY_HW, 'A', "REMOTE_ABORTED_ERR (0x22) on the receiving side",
	 "an abort that has to do with packet sequence numbers (UCT_IB_MLX5_CQE_VENDOR_SYND_PSN), "
	 "after which the queue pair goes on; more than the name is not public",
	 "shared receive queues", "openucx/ucx: ib_mlx5.h, rc_mlx5_iface.c"},
	{0xf9, 0x05, ANY_HW, 'C', "WR_FLUSH_ERR (0x05)", NULL,
	 "work flushed after an earlier error: never the cause",
	 "linux-nvme/nvme-cli #3268, netdev, NVIDIA/nccl #1353, #1405 and #1737"},
};
const unsigned cqesim_dump_vendor_count =
	sizeof(cqesim_dump_vendors) / sizeof(cqesim_dump_vendors[0]);

const struct cqesim_dump_vendor *cqesim_dump_vendor(const struct cqesim_dump_facts *f)
{
	const struct cqesim_dump_vendor *best = NULL;

	if (!(f->known & CQESIM_FACT_VENDOR))
		return NULL;
	for (unsigned i = 0; i < cqesim_dump_vendor_count; i++) {
		const struct cqesim_dump_vendor *v = &cqesim_dump_vendors[i];

		if (v->vendor_err_synd != f->vendor_err_synd)
			continue;
		/* A row for one hardware code is about that very case, no other. */
		if (v->hw_err_synd != ANY_HW &&
		    (!(f->known & CQESIM_FACT_HW) || v->hw_err_synd != f->hw_err_synd ||
		     !(f->known & CQESIM_FACT_SYNDROME) || v->syndrome != f->syndrome))
			continue;
		if (!best || v->hw_err_synd != ANY_HW)
			best = v;
	}
	return best;
}

void cqesim_dump_vendor_text(const struct cqesim_dump_facts *f, char *text, size_t size)
{
	const struct cqesim_dump_vendor *v = cqesim_dump_vendor(f);
	struct dump_text t = {text, size};

	if (size)
		*text = '\0';
	if (!(f->known & CQESIM_FACT_VENDOR))
		return;
	dump_say(&t, "Vendor syndrome 0x%02x (%u): ", f->vendor_err_synd, f->vendor_err_synd);
	if (!v) {
		dump_say(&t, "not publicly documented.");
		return;
	}
	if (v->meaning)
		dump_say(&t, "%s.", v->meaning);
	else
		dump_say(&t, "what it means is not publicly documented.");
	dump_say(&t, " %s seen with %s; in public with: %s.", v->grade == 'D' ? "Once" : "Always",
		 v->with, v->seen);
	if (v->syndrome && f->known & CQESIM_FACT_SYNDROME && f->syndrome != v->syndrome)
		dump_say(&t, " Here it comes with syndrome 0x%02x, which is new.", f->syndrome);
	dump_say(&t, " Grade %c (%s); sources: %s.", v->grade,
		 v->grade == 'A'   ? "constant in the vendor's public source"
		 : v->grade == 'B' ? "said by the vendor's engineers about one case"
		 : v->grade == 'C' ? "several logs agree"
				   : "one log",
		 v->sources);
}
