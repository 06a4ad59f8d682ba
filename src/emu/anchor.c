/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steering anchors, places in a flow table for tables from elsewhere to lead to.  DPDK's
 * driver refers to them from 23.07 on, for the destination "root table" of its own
 * steering (hws/mlx5dr_action.c), which takes devices with more capabilities than this.
 */
#include <errno.h>

#include "emu/verbs.h"

/* Headers of rdma-core before 42 have neither. */
struct mlx5dv_steering_anchor_attr;
struct mlx5dv_steering_anchor;
struct mlx5dv_steering_anchor *
mlx5dv_create_steering_anchor(struct ibv_context *context,
			      struct mlx5dv_steering_anchor_attr *attr);
int mlx5dv_destroy_steering_anchor(struct mlx5dv_steering_anchor *anchor);

EMU_API struct mlx5dv_steering_anchor *
mlx5dv_create_steering_anchor(struct ibv_context *context, struct mlx5dv_steering_anchor_attr *attr)
{
	(void)context;
	(void)attr;
	emu_unsupported(__func__);
	return NULL;
}

EMU_API int mlx5dv_destroy_steering_anchor(struct mlx5dv_steering_anchor *anchor)
{
	(void)anchor;
	emu_unsupported(__func__);
	return EOPNOTSUPP;
}
