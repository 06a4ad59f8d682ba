/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libmlx5's own functions, DevX and steering apart: what the device can do, queues with
 * its options, and the memory behind verbs objects.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/verbs.h"

#define UAR_OFFSET 4096 /* any page will do, it is not mapped by others */

EMU_API int mlx5dv_query_device(struct ibv_context *context, struct mlx5dv_context *out)
{
	uint64_t wanted = out->comp_mask, filled = 0;

	(void)context;
	emu_log("mlx5dv_query_device, mask 0x%llx", (unsigned long long)wanted);
	out->version = 0;
	out->flags = MLX5DV_CONTEXT_FLAGS_CQE_V1 | MLX5DV_CONTEXT_FLAGS_MPW_ALLOWED |
		     MLX5DV_CONTEXT_FLAGS_ENHANCED_MPW;
	if (wanted & MLX5DV_CONTEXT_MASK_CQE_COMPRESION) {
		out->cqe_comp_caps.max_num =
			(uint32_t)cqesim_profile_u64(emu.device, CQESIM_DEV_COMP_MAX_NUM);
		out->cqe_comp_caps.supported_format = MLX5DV_CQE_RES_FORMAT_HASH |
						      MLX5DV_CQE_RES_FORMAT_CSUM |
						      MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX;
		filled |= MLX5DV_CONTEXT_MASK_CQE_COMPRESION;
	}
	if (wanted & MLX5DV_CONTEXT_MASK_STRIDING_RQ) {
		out->striding_rq_caps = (struct mlx5dv_striding_rq_caps){
			.min_single_stride_log_num_of_bytes = CQESIM_LOG_STRIDE_BYTES_MIN,
			.max_single_stride_log_num_of_bytes = CQESIM_LOG_STRIDE_BYTES_MAX,
			.min_single_wqe_log_num_of_strides = CQESIM_LOG_STRIDES_MIN_BASIC,
			.max_single_wqe_log_num_of_strides = CQESIM_LOG_STRIDES_MAX,
			.supported_qpts = 1u << IBV_QPT_RAW_PACKET,
		};
		filled |= MLX5DV_CONTEXT_MASK_STRIDING_RQ;
	}
	if (wanted & MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS) {
		out->tunnel_offloads_caps = MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_VXLAN |
					    MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_GRE;
		filled |= MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS;
	}
	out->comp_mask = filled;
	return 0;
}

EMU_API int mlx5dv_set_context_attr(struct ibv_context *context, enum mlx5dv_set_ctx_attr_type type,
				    void *attr)
{
	(void)context;
	(void)attr;
	emu_log("mlx5dv_set_context_attr %d", (int)type);
	return 0; /* allocators for queues' memory: ours comes from malloc */
}

/* Uplink, representors: there are none. */
EMU_API int _mlx5dv_query_port(struct ibv_context *context, uint32_t port, struct mlx5dv_port *info,
			       size_t size)
{
	(void)context;
	emu_log("mlx5dv_query_port %u", port);
	memset(info, 0, size);
	return EOPNOTSUPP;
}

/* ---- queues with mlx5's options ---- */

EMU_API struct ibv_cq_ex *mlx5dv_create_cq(struct ibv_context *context,
					   struct ibv_cq_init_attr_ex *attr,
					   struct mlx5dv_cq_init_attr *mlx5)
{
	enum cqesim_mini_format format = CQESIM_MINI_HASH;
	bool compressed = mlx5->comp_mask & MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE;

	if (mlx5->comp_mask & MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE && mlx5->cqe_size != 64) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (attr->cqe < 1 || attr->cqe >= 1u << CQESIM_CQ_LOG_MAX) {
		errno = EINVAL;
		return NULL;
	}
	/* Here formats are bits; in commands of DevX they are numbers. */
	if (compressed && mlx5->cqe_comp_res_format == MLX5DV_CQE_RES_FORMAT_CSUM)
		format = CQESIM_MINI_CSUM;
	if (compressed && mlx5->cqe_comp_res_format == MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX)
		format = CQESIM_MINI_CSUM_STRIDX;
	emu_log("mlx5dv_create_cq: cqe %u, mask 0x%llx, format bit %u", attr->cqe,
		(unsigned long long)mlx5->comp_mask, mlx5->cqe_comp_res_format);
	struct emu_cq *cq = emu_cq_create(context, attr->cqe, attr->cq_context, attr->channel,
					  compressed, format);
	return cq ? &cq->cq : NULL;
}

EMU_API struct ibv_wq *mlx5dv_create_wq(struct ibv_context *context, struct ibv_wq_init_attr *attr,
					struct mlx5dv_wq_init_attr *mlx5)
{
	bool striding = mlx5 && mlx5->comp_mask & MLX5DV_WQ_INIT_ATTR_MASK_STRIDING_RQ;

	return emu_wq_create(context, attr, striding ? &mlx5->striding_rq_attrs : NULL);
}

EMU_API struct ibv_qp *mlx5dv_create_qp(struct ibv_context *context,
					struct ibv_qp_init_attr_ex *attr,
					struct mlx5dv_qp_init_attr *mlx5)
{
	(void)mlx5; /* tunnel offloads and loopback of TIRs */
	return emu_create_qp_ex(context, attr);
}

/* ---- what is behind a verbs object ---- */

static void show_qp(const struct emu_qp *qp, struct mlx5dv_qp *out)
{
	uint64_t wanted = out->comp_mask;

	memset(out, 0, sizeof(*out));
	out->dbrec = qp->dbrec;
	out->sq.buf = qp->ring;
	out->sq.wqe_cnt = qp->ring ? 1u << qp->log_size : 0;
	out->sq.stride = 64;
	out->bf.reg = (uint8_t *)emu_register_page() + 0x800;
	out->bf.size = 256;
	out->tirn = qp->tirn;
	out->sqn = qp->sqn;
	out->comp_mask = wanted & (MLX5DV_QP_MASK_UAR_MMAP_OFFSET | MLX5DV_QP_MASK_RAW_QP_HANDLES);
	out->uar_mmap_offset = UAR_OFFSET;
}

static void show_cq(const struct emu_cq *cq, struct mlx5dv_cq *out)
{
	*out = (struct mlx5dv_cq){
		.buf = cq->ring,
		.dbrec = cq->dbrec,
		.cqe_cnt = 1u << cq->log_size,
		.cqe_size = CQESIM_CQE_BYTES,
		.cq_uar = emu_register_page(),
		.cqn = cq->cqn,
	};
}

EMU_API int mlx5dv_init_obj(struct mlx5dv_obj *obj, uint64_t type)
{
	emu_log("mlx5dv_init_obj 0x%llx", (unsigned long long)type);
	if (type & (MLX5DV_OBJ_SRQ | MLX5DV_OBJ_DM | MLX5DV_OBJ_AH)) {
		emu_warn("mlx5dv_init_obj 0x%llx: not emulated", (unsigned long long)type);
		return EOPNOTSUPP;
	}
	if (type & MLX5DV_OBJ_QP)
		show_qp((const struct emu_qp *)obj->qp.in, obj->qp.out);
	if (type & MLX5DV_OBJ_CQ)
		show_cq((const struct emu_cq *)obj->cq.in, obj->cq.out);
	if (type & MLX5DV_OBJ_RWQ) {
		const struct emu_wq *wq = (const struct emu_wq *)obj->rwq.in;

		*obj->rwq.out = (struct mlx5dv_rwq){
			.buf = wq->ring,
			.dbrec = wq->dbrec,
			.wqe_cnt = 1u << wq->log_size,
			.stride = 1u << wq->log_stride,
		};
	}
	if (type & MLX5DV_OBJ_PD)
		*obj->pd.out = (struct mlx5dv_pd){.pdn = obj->pd.in->handle};
	return 0;
}
