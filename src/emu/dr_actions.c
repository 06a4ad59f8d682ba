/* SPDX-License-Identifier: BSD-3-Clause */
/* What rules may do with a packet; dr.c says which of it the card can. */
#include "emu/steering.h"

EMU_API int mlx5dv_dr_action_destroy(struct mlx5dv_dr_action *action)
{
	return emu_steering_destroy(action);
}

EMU_API struct mlx5dv_dr_action *mlx5dv_dr_action_create_dest_ibv_qp(struct ibv_qp *qp)
{
	struct steering *s = emu_steering_create(__func__);

	if (s) {
		s->action.is = ACTION_QP;
		s->action.qp = (struct emu_qp *)qp;
	}
	return (void *)s;
}

EMU_API struct mlx5dv_dr_action *mlx5dv_dr_action_create_dest_table(struct mlx5dv_dr_table *table)
{
	(void)table;
	return emu_steering_create(__func__);
}

EMU_API struct mlx5dv_dr_action *
mlx5dv_dr_action_create_dest_root_table(struct mlx5dv_dr_table *table, uint16_t priority)
{
	(void)table;
	(void)priority;
	return emu_steering_create(__func__);
}

EMU_API struct mlx5dv_dr_action *
mlx5dv_dr_action_create_dest_ib_port(struct mlx5dv_dr_domain *domain, uint32_t port)
{
	(void)domain;
	(void)port;
	return emu_steering_create(__func__);
}

EMU_API struct mlx5dv_dr_action *
mlx5dv_dr_action_create_dest_devx_tir(struct mlx5dv_devx_obj *object)
{
	struct steering *s = emu_steering_create(__func__);

	if (s) {
		s->action.is = ACTION_TIR;
		s->action.tir = (struct emu_object *)object;
	}
	return (void *)s;
}

EMU_API struct mlx5dv_dr_action *
mlx5dv_dr_action_create_dest_array(struct mlx5dv_dr_domain *domain, size_t count,
				   struct mlx5dv_dr_action_dest_attr *dests[])
{
	(void)domain;
	(void)count;
	(void)dests;
	return emu_steering_create(__func__);
}

EMU_API struct mlx5dv_dr_action *mlx5dv_dr_action_create_drop(void)
{
	struct steering *s = emu_steering_create(__func__);

	if (s)
		s->action.is = ACTION_DROP;
	return (void *)s;
}

EMU_API struct mlx5dv_dr_action *mlx5dv_dr_action_create_default_miss(void)
{
	struct steering *s = emu_steering_create(__func__);

	/* To whoever else listens to this port: to the program that is a drop. */
	if (s)
		s->action.is = ACTION_DROP;
	return (void *)s;
}

EMU_API struct mlx5dv_dr_action *mlx5dv_dr_action_create_tag(uint32_t tag)
{
	struct steering *s = emu_steering_create(__func__);

	if (s) {
		s->action.is = ACTION_TAG;
		s->action.tag = tag;
	}
	return (void *)s;
}

EMU_API struct mlx5dv_dr_action *
mlx5dv_dr_action_create_flow_counter(struct mlx5dv_devx_obj *object, uint32_t offset)
{
	(void)object;
	(void)offset;
	return emu_steering_create(__func__);
}

EMU_API struct mlx5dv_dr_action *mlx5dv_dr_action_create_aso(struct mlx5dv_dr_domain *domain,
							     struct mlx5dv_devx_obj *object,
							     uint32_t offset, uint32_t flags,
							     uint8_t reg)
{
	(void)domain;
	(void)object;
	(void)offset;
	(void)flags;
	(void)reg;
	return emu_steering_create(__func__);
}

EMU_API struct mlx5dv_dr_action *
mlx5dv_dr_action_create_packet_reformat(struct mlx5dv_dr_domain *domain, uint32_t flags,
					enum mlx5dv_flow_action_packet_reformat_type type,
					size_t size, void *data)
{
	(void)domain;
	(void)flags;
	(void)type;
	(void)size;
	(void)data;
	return emu_steering_create(__func__);
}

EMU_API struct mlx5dv_dr_action *
mlx5dv_dr_action_create_modify_header(struct mlx5dv_dr_domain *domain, uint32_t flags, size_t size,
				      __be64 actions[])
{
	(void)domain;
	(void)flags;
	(void)size;
	(void)actions;
	return emu_steering_create(__func__);
}

EMU_API struct mlx5dv_dr_action *
mlx5dv_dr_action_create_flow_meter(struct mlx5dv_dr_flow_meter_attr *attr)
{
	(void)attr;
	return emu_steering_create(__func__);
}

EMU_API int mlx5dv_dr_action_modify_flow_meter(struct mlx5dv_dr_action *action,
					       struct mlx5dv_dr_flow_meter_attr *attr,
					       __be64 select)
{
	(void)action;
	(void)attr;
	(void)select;
	emu_log("%s", __func__);
	return 0;
}

EMU_API struct mlx5dv_dr_action *
mlx5dv_dr_action_create_flow_sampler(struct mlx5dv_dr_flow_sampler_attr *attr)
{
	(void)attr;
	return emu_steering_create(__func__);
}

EMU_API struct mlx5dv_dr_action *mlx5dv_dr_action_create_pop_vlan(void)
{
	return emu_steering_create(__func__);
}

EMU_API struct mlx5dv_dr_action *mlx5dv_dr_action_create_push_vlan(struct mlx5dv_dr_domain *domain,
								   __be32 header)
{
	(void)domain;
	(void)header;
	return emu_steering_create(__func__);
}
