/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What to look at next, by syndrome and side.  Only what follows from the meaning of
 * the syndrome; guesses of users are not repeated here.
 */
#include "dump/dump_internal.h"

static const char *const length_send[] = {
	"Compare the lengths in the request with what the queue allows: message size, inline size, "
	"MTU for datagrams.",
	"Raw Ethernet: does the request carry as many header bytes inline as the card asks for?",
	NULL,
};
static const char *const length_receive[] = {
	"Compare the longest message that the peer sends with the length of the receives posted "
	"here.",
	"Ethernet: compare the MTU with the size of the receive buffers.",
	NULL,
};
static const char *const operation[] = {
	"Print the work request itself: opcode, sizes, number of segments, and the queue's "
	"capabilities.",
	"Is the operation supported by this card and enabled on this queue (UMR, masked atomics, "
	"inline)?",
	"If it comes and goes: do two threads write to the same queue without a lock?",
	NULL,
};
static const char *const protection_send[] = {
	"Check the request's local addresses: inside a registered region, with its lkey, of the "
	"same "
	"protection domain as the QP, still registered?",
	"Memory of a GPU or another device: is peer-to-peer access set up (nvidia-peermem or "
	"DMA-BUF, "
	"IOMMU, ACS)?",
	"Look for IOMMU faults in the kernel's log at the same time.",
	NULL,
};
static const char *const protection_receive[] = {
	"Check the receive buffers posted here: inside a registered region, with its lkey and "
	"local "
	"write permission, of the same protection domain, still registered?",
	"The peer sees REMOTE_OP_ERR (0x14) for the same event; the cause is on this side.",
	"Look for IOMMU faults in the kernel's log at the same time.",
	NULL,
};
static const char *const flush[] = {
	"Look for the first error on the same queue that is not a flush, earlier in this log.",
	"None there: look in the peer's log, and in the kernel's for events about the queue. "
	"Closing a "
	"connection flushes as well.",
	NULL,
};
static const char *const bind[] = {
	"It is a registration: look in the kernel's log which memory region was changed, and "
	"whether "
	"it was deregistered at the same time.",
	"With on-demand paging: does it go away with pinned memory? Is there a fix in a later "
	"kernel?",
	NULL,
};
static const char *const bad_response[] = {
	"Do both ends agree about packet sequence numbers and connection (same attempt to "
	"connect)?",
	NULL,
};
static const char *const local_access[] = {
	"The peer's request touched memory here that it may not touch: compare its address, length "
	"and "
	"rkey with what is registered here.",
	NULL,
};
static const char *const invalid_request[] = {
	"Look at the peer's log: it may name its own error for the same event.",
	"Compare what both queues were set up with: RDMA read and write enabled, number of "
	"outstanding "
	"reads and atomics, message size, type of queue.",
	"Is the request longer than the peer's receive buffer?",
	"Did setting up the queue fail unnoticed? Look for failed firmware commands in the "
	"kernel's "
	"log.",
	NULL,
};
static const char *const remote_access[] = {
	"On the peer: is the region still registered, with remote read, write or atomic "
	"permission, "
	"under this rkey?",
	"Compare remote address and length with the region, byte for byte.",
	"Did the peer deregister or restart before this request was done?",
	NULL,
};
static const char *const remote_operation[] = {
	"Look at the peer's log for its own error at the same time, first of all LOCAL_PROT_ERR "
	"(0x04) on the receiving side.",
	"Memory of a GPU on the peer: is peer-to-peer access set up there?",
	NULL,
};
static const char *const retry[] = {
	"Is the peer alive, its port up, its queue connected? A queue that went away looks like "
	"this.",
	"RoCE: right GID index and version, route, MTU, PFC or ECN on all switches between?",
	"Counters: local_ack_timeout_err and packet_seq_err here, out_of_sequence there; errors "
	"and "
	"discards on the switches.",
	"Timeout and retry count: enough for the way and for the time that the peer may be busy?",
	NULL,
};
static const char *const rnr[] = {
	"Does the peer post receives before this side sends, and enough of them?",
	"rnr_retry 7 tries for ever; below that a slow receiver ends like this.",
	"Counters: rnr_nak_retry_err here, out_of_buffer there.",
	NULL,
};
static const char *const aborted[] = {
	"Look at the other side's log; with on-demand paging or tag matching the operation is "
	"usually tried again.",
	NULL,
};
static const char *const signature[] = {
	"Compare the data at that offset with what its protection information says; the transfer "
	"itself was carried out.",
	NULL,
};
static const char *const unknown[] = {
	"Find the completion's bytes: the kernel and rdma-core print them, and they tell more than "
	"the "
	"line.",
	NULL,
};
static const char *const nothing[] = {NULL};

const char *const *cqesim_dump_advice(const struct cqesim_dump_facts *f)
{
	bool receive = f->known & CQESIM_FACT_OPCODE && f->opcode == CQESIM_OP_RESP_ERR;

	if (f->known & CQESIM_FACT_OPCODE && f->opcode == CQESIM_OP_SIG_ERR)
		return signature;
	if (f->known & CQESIM_FACT_OPCODE && f->opcode != CQESIM_OP_REQ_ERR && !receive)
		return nothing;
	if (!(f->known & CQESIM_FACT_SYNDROME))
		return unknown;
	switch (f->syndrome) {
	case 0x01:
		return receive ? length_receive : length_send;
	case 0x02:
		return operation;
	case CQESIM_SYNDROME_LOCAL_PROT:
		return receive ? protection_receive : protection_send;
	case CQESIM_SYNDROME_WR_FLUSH:
		return flush;
	case 0x06:
		return bind;
	case 0x10:
		return bad_response;
	case 0x11:
		return local_access;
	case 0x12:
		return invalid_request;
	case 0x13:
		return remote_access;
	case 0x14:
		return remote_operation;
	case 0x15:
		return retry;
	case 0x16:
		return rnr;
	case 0x22:
		return aborted;
	default:
		return unknown;
	}
}
