/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues by verbs: their memory is the library's, as libmlx5's would be.  Sizes are
 * those that libmlx5 chooses, since the driver computes with them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/internal.h"
#include "emu/verbs.h"

#define PAGE 4096u

unsigned emu_log2_up(uint32_t v)
{
	unsigned log = 0;

	while ((UINT64_C(1) << log) < v)
		log++;
	return log;
}

void *emu_pages(size_t bytes)
{
	void *memory;

	if (posix_memalign(&memory, PAGE, (bytes + PAGE - 1) / PAGE * PAGE))
		return NULL;
	memset(memory, 0, bytes);
	return memory;
}

/* Two words, on a line of their own. */
uint32_t *emu_doorbell_record(void)
{
	void *memory;

	if (posix_memalign(&memory, 64, 64))
		return NULL;
	return memset(memory, 0, 64);
}

void *emu_no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

/* ---- completion queues ---- */

static void free_cq(struct emu_cq *cq)
{
	free(cq->ring);
	free(cq->dbrec);
	free(cq);
}

struct emu_cq *emu_cq_create(struct ibv_context *context, uint32_t cqe, void *cq_context,
			     struct ibv_comp_channel *channel, bool compressed,
			     enum cqesim_mini_format format)
{
	struct emu_cq *cq = calloc(1, sizeof(*cq));

	if (!cq)
		return emu_no_memory();
	/* The ring never gets full: a power of two above what was asked for. */
	cq->log_size = emu_log2_up(cqe + 1);
	cq->ring = emu_pages((size_t)CQESIM_CQE_BYTES << cq->log_size);
	cq->dbrec = emu_doorbell_record();
	if (!cq->ring || !cq->dbrec) {
		free_cq(cq);
		return emu_no_memory();
	}
	cqesim_cq_init_ring(cq->ring, &(struct cqesim_cq_shape){.log_size = cq->log_size});
	struct cqesim_card_cq attr = {
		.ring = cq->ring,
		.address = (uintptr_t)cq->ring,
		.log_size = cq->log_size,
		.cqe_comp_en = compressed,
		.mini_format = format,
		.dbrec = cq->dbrec,
	};
	emu_lock();
	int rc = cqesim_card_create_cq(emu.card, &attr, &cq->cqn);
	if (!rc && channel) {
		rc = emu_notify_add(cq->cqn, channel->fd, (uintptr_t)cq);
		if (rc)
			cqesim_card_destroy_cq(emu.card, cq->cqn);
	}
	emu_unlock();
	if (rc) {
		free_cq(cq);
		errno = -rc;
		return NULL;
	}
	cq->cq.context = context;
	cq->cq.channel = channel;
	cq->cq.cq_context = cq_context;
	cq->cq.handle = cq->cqn;
	cq->cq.cqe = (int)(1u << cq->log_size) - 1;
	emu_log("create_cq: %u entries, number %u%s", 1u << cq->log_size, cq->cqn,
		compressed ? ", compressed" : "");
	return cq;
}

EMU_API struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
				     struct ibv_comp_channel *channel, int vector)
{
	(void)vector;
	if (cqe < 1 || cqe >= 1 << CQESIM_CQ_LOG_MAX) {
		errno = EINVAL;
		return NULL;
	}
	struct emu_cq *cq =
		emu_cq_create(context, (uint32_t)cqe, cq_context, channel, false, CQESIM_MINI_HASH);

	return cq ? ibv_cq_ex_to_cq(&cq->cq) : NULL;
}

EMU_API int ibv_destroy_cq(struct ibv_cq *ibcq)
{
	struct emu_cq *cq = (struct emu_cq *)ibcq;

	emu_log("ibv_destroy_cq: number %u", cq->cqn);
	emu_lock();
	int rc = cqesim_card_destroy_cq(emu.card, cq->cqn);
	emu_unlock();
	if (!rc)
		free_cq(cq);
	return -rc;
}

/* ---- receive queues ---- */

static void free_wq(struct emu_wq *wq)
{
	free(wq->ring);
	free(wq->dbrec);
	free(wq);
}

static int create_rq(struct emu_wq *wq, const struct ibv_wq_init_attr *attr, unsigned log_segs,
		     const struct mlx5dv_striding_rq_init_attr *striding)
{
	uint32_t flags = attr->comp_mask & IBV_WQ_INIT_ATTR_FLAGS ? attr->create_flags : 0;
	struct cqesim_card_rq rq = {
		.ring = wq->ring,
		.address = (uintptr_t)wq->ring,
		.log_size = wq->log_size,
		.log_segs = log_segs,
		.dbrec = wq->dbrec,
		.cqn = ((struct emu_cq *)attr->cq)->cqn,
		.vlan_strip = flags & IBV_WQ_FLAGS_CVLAN_STRIPPING,
		.keep_fcs = flags & IBV_WQ_FLAGS_SCATTER_FCS,
	};

	if (striding) {
		rq.striding = true;
		rq.strides = (struct cqesim_strides_shape){
			.log_wqes = wq->log_size,
			.log_strides = striding->single_wqe_log_num_of_strides,
			.log_stride_bytes = striding->single_stride_log_num_of_bytes,
			.two_byte_shift = striding->two_byte_shift_en,
		};
	}
	emu_lock();
	int rc = cqesim_card_create_rq(emu.card, &rq, &wq->rqn);
	emu_unlock();
	return rc;
}

struct ibv_wq *emu_wq_create(struct ibv_context *context, struct ibv_wq_init_attr *attr,
			     const struct mlx5dv_striding_rq_init_attr *striding)
{
	struct emu_wq *wq = calloc(1, sizeof(*wq));
	unsigned log_segs = emu_log2_up(attr->max_sge ? attr->max_sge : 1);

	if (!wq)
		return emu_no_memory();
	wq->log_size = emu_log2_up(attr->max_wr ? attr->max_wr : 1);
	wq->log_stride = striding ? 5 : 4 + log_segs;
	wq->ring = emu_pages((size_t)1 << (wq->log_size + wq->log_stride));
	wq->dbrec = emu_doorbell_record();
	if (!wq->ring || !wq->dbrec) {
		free_wq(wq);
		return emu_no_memory();
	}
	int rc = create_rq(wq, attr, log_segs, striding);
	if (rc) {
		free_wq(wq);
		errno = -rc;
		return NULL;
	}
	wq->wq.context = context;
	wq->wq.wq_context = attr->wq_context;
	wq->wq.pd = attr->pd;
	wq->wq.cq = attr->cq;
	wq->wq.wq_num = wq->rqn;
	wq->wq.handle = wq->rqn;
	wq->wq.state = IBV_WQS_RESET;
	wq->wq.wq_type = attr->wq_type;
	emu_log("create_wq: %u WQEs of %u bytes, number %u%s", 1u << wq->log_size,
		1u << wq->log_stride, wq->rqn, striding ? ", striding" : "");
	return &wq->wq;
}

struct ibv_wq *emu_create_wq(struct ibv_context *context, struct ibv_wq_init_attr *attr)
{
	return emu_wq_create(context, attr, NULL);
}

int emu_modify_wq(struct ibv_wq *ibwq, struct ibv_wq_attr *attr)
{
	static const enum cqesim_queue_state states[] = {
		[IBV_WQS_RESET] = CQESIM_QUEUE_RST,
		[IBV_WQS_RDY] = CQESIM_QUEUE_RDY,
		[IBV_WQS_ERR] = CQESIM_QUEUE_ERR,
	};
	struct emu_wq *wq = (struct emu_wq *)ibwq;
	int rc = 0;

	emu_log("modify_wq: number %u, mask 0x%x, state %d", wq->rqn, attr->attr_mask,
		attr->wq_state);
	if (attr->attr_mask & IBV_WQ_ATTR_STATE) {
		if ((unsigned)attr->wq_state > IBV_WQS_ERR)
			return EINVAL;
		emu_lock();
		enum cqesim_queue_state now = CQESIM_QUEUE_RST;
		rc = cqesim_card_query_rq(emu.card, wq->rqn, &now);
		/* libmlx5: reset forgets what was posted. */
		if (!rc && states[attr->wq_state] == CQESIM_QUEUE_RST)
			wq->dbrec[MLX5_RCV_DBR] = 0;
		if (!rc && now != states[attr->wq_state])
			rc = cqesim_card_modify_rq(emu.card, wq->rqn, states[attr->wq_state],
						   emu_now_ps());
		emu_unlock();
		if (!rc)
			wq->wq.state = attr->wq_state;
	}
	return -rc;
}

int emu_destroy_wq(struct ibv_wq *ibwq)
{
	struct emu_wq *wq = (struct emu_wq *)ibwq;

	emu_log("destroy_wq: number %u", wq->rqn);
	emu_lock();
	int rc = cqesim_card_destroy_rq(emu.card, wq->rqn);
	emu_unlock();
	if (!rc)
		free_wq(wq);
	return -rc;
}

/* ---- indirection tables ---- */

struct ibv_rwq_ind_table *emu_create_table(struct ibv_context *context,
					   struct ibv_rwq_ind_table_init_attr *attr)
{
	unsigned count = 1u << attr->log_ind_tbl_size;
	struct emu_table *table = calloc(1, sizeof(*table));
	uint32_t *rqn = calloc(count, sizeof(*rqn));
	int rc = -ENOMEM;

	if (table && rqn) {
		for (unsigned i = 0; i < count; i++)
			rqn[i] = attr->ind_tbl[i]->wq_num;
		emu_lock();
		rc = cqesim_card_create_rqt(emu.card, rqn, count, &table->rqtn);
		emu_unlock();
	}
	free(rqn);
	if (rc) {
		free(table);
		errno = -rc;
		return NULL;
	}
	table->table.context = context;
	table->table.ind_tbl_handle = (int)table->rqtn;
	table->table.ind_tbl_num = (int)table->rqtn;
	emu_log("create_rwq_ind_table: %u entries, number %u", count, table->rqtn);
	return &table->table;
}

int emu_destroy_table(struct ibv_rwq_ind_table *ibtable)
{
	struct emu_table *table = (struct emu_table *)ibtable;

	emu_log("destroy_rwq_ind_table: number %u", table->rqtn);
	emu_lock();
	int rc = cqesim_card_destroy_rqt(emu.card, table->rqtn);
	emu_unlock();
	if (!rc)
		free(table);
	return -rc;
}
