/* SPDX-License-Identifier: BSD-3-Clause */
/* libibverbs: queue pairs, which are a send queue, or what packets are hashed with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/verbs.h"

/*
 * libmlx5: control and Ethernet segment, then pointers or inline data, in blocks of 64
 * bytes; the ring has a power of two of these.
 */
static unsigned log_send_blocks(const struct ibv_qp_cap *cap)
{
	uint32_t head = 16 + 16;
	uint32_t pointers = head + 16 * cap->max_send_sge;
	uint32_t in_line =
		head + (cap->max_inline_data ? (4 + cap->max_inline_data + 15) / 16 * 16 : 0);
	uint32_t wqe = pointers > in_line ? pointers : in_line;

	return emu_log2_up((wqe + 63) / 64 * cap->max_send_wr);
}

static void free_qp(struct emu_qp *qp)
{
	free(qp->ring);
	free(qp->dbrec);
	free(qp);
}

static int create_sq(struct emu_qp *qp, const struct ibv_qp_init_attr_ex *attr)
{
	qp->log_size = log_send_blocks(&attr->cap);
	qp->ring = emu_pages((size_t)64 << qp->log_size);
	qp->dbrec = emu_doorbell_record();
	if (!qp->ring || !qp->dbrec)
		return -ENOMEM;
	struct cqesim_card_sq sq = {
		.ring = qp->ring,
		.address = (uintptr_t)qp->ring,
		.log_size = qp->log_size,
		.dbrec = qp->dbrec,
		.cqn = ((struct emu_cq *)attr->send_cq)->cqn,
	};
	return cqesim_card_create_sq(emu.card, &sq, &qp->sqn);
}

static int create_tir(struct emu_qp *qp, const struct ibv_qp_init_attr_ex *attr)
{
	const struct ibv_rx_hash_conf *hash = &attr->rx_hash_conf;
	uint64_t fields =
		attr->comp_mask & IBV_QP_INIT_ATTR_RX_HASH ? hash->rx_hash_fields_mask : 0;
	const uint64_t ipv4 = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4;
	const uint64_t ipv6 = IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6;
	const uint64_t tcp = IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_TCP;
	const uint64_t udp = IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP;
	struct cqesim_card_tir tir = {
		.rqtn = ((struct emu_table *)attr->rwq_ind_tbl)->rqtn,
		.ipv4 = fields & ipv4,
		.ipv6 = fields & ipv6,
		.tcp = fields & tcp,
		.udp = fields & udp,
		.addresses = fields & (ipv4 | ipv6),
		.ports = fields & (tcp | udp),
	};

	if (fields && hash->rx_hash_key && hash->rx_hash_key_len == CQESIM_RSS_KEY_BYTES)
		memcpy(tir.key, hash->rx_hash_key, CQESIM_RSS_KEY_BYTES);
	return cqesim_card_create_tir(emu.card, &tir, &qp->tirn);
}

struct ibv_qp *emu_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	struct emu_qp *qp = calloc(1, sizeof(*qp));
	int rc = 0;

	if (!qp)
		return emu_no_memory();
	emu_lock();
	if (attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE && attr->rwq_ind_tbl)
		rc = create_tir(qp, attr);
	else if (attr->cap.max_send_wr && attr->send_cq)
		rc = create_sq(qp, attr);
	emu_unlock();
	if (rc) {
		free_qp(qp);
		errno = -rc;
		return NULL;
	}
	qp->qp.context = context;
	qp->qp.qp_context = attr->qp_context;
	qp->qp.pd = attr->pd;
	qp->qp.send_cq = attr->send_cq;
	qp->qp.recv_cq = attr->recv_cq;
	qp->qp.qp_type = attr->qp_type;
	qp->qp.state = IBV_QPS_RESET;
	qp->qp.qp_num = qp->sqn ? qp->sqn : qp->tirn;
	qp->qp.handle = qp->qp.qp_num;
	emu_log("create_qp: %s, number %u",
		qp->sqn    ? "sending"
		: qp->tirn ? "hashing"
			   : "empty",
		qp->qp.qp_num);
	return &qp->qp;
}

EMU_API struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = {0};

	/* The old structure is the beginning of the new one. */
	memcpy(&ex, attr, sizeof(*attr));
	ex.comp_mask = IBV_QP_INIT_ATTR_PD;
	ex.pd = pd;
	return emu_create_qp_ex(pd->context, &ex);
}

static int move_sq(struct emu_qp *qp, enum ibv_qp_state state)
{
	enum cqesim_queue_state now = CQESIM_QUEUE_RST, to;
	int rc = cqesim_card_query_sq(emu.card, qp->sqn, &now);

	if (rc)
		return rc;
	switch (state) {
	case IBV_QPS_RESET:
		to = CQESIM_QUEUE_RST;
		qp->dbrec[MLX5_SND_DBR] = 0;
		break;
	case IBV_QPS_RTS:
		to = CQESIM_QUEUE_RDY;
		break;
	case IBV_QPS_ERR:
		to = CQESIM_QUEUE_ERR;
		break;
	default:
		return 0; /* INIT, RTR: a send queue has none of these */
	}
	return now == to ? 0 : cqesim_card_modify_sq(emu.card, qp->sqn, to, emu_now_ps());
}

EMU_API int ibv_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask)
{
	struct emu_qp *qp = (struct emu_qp *)ibqp;
	int rc = 0;

	emu_log("ibv_modify_qp: number %u, mask 0x%x, state %d", ibqp->qp_num, (unsigned)mask,
		attr->qp_state);
	if (!(mask & IBV_QP_STATE))
		return 0;
	if (qp->sqn) {
		emu_lock();
		rc = move_sq(qp, attr->qp_state);
		emu_unlock();
	}
	if (!rc)
		ibqp->state = attr->qp_state;
	return -rc;
}

EMU_API int ibv_destroy_qp(struct ibv_qp *ibqp)
{
	struct emu_qp *qp = (struct emu_qp *)ibqp;
	int rc = 0;

	emu_log("ibv_destroy_qp: number %u", ibqp->qp_num);
	emu_lock();
	if (qp->sqn)
		rc = cqesim_card_destroy_sq(emu.card, qp->sqn);
	else if (qp->tirn)
		rc = cqesim_card_destroy_tir(emu.card, qp->tirn);
	emu_unlock();
	if (!rc)
		free_qp(qp);
	return -rc;
}
