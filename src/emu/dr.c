/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steering: domains, tables, matchers, actions and rules.  They are made, counted and
 * destroyed, and mean nothing: the card steers by its TIRs.  A driver only keeps the
 * pointers.
 */
#include <errno.h>
#include <stdlib.h>

#include "emu/verbs.h"

/* As large as what a caller may write to (ibv_flow's context and handle). */
struct steering {
	struct ibv_flow flow;
	const char *kind;
};

void *emu_steering_create(const char *kind)
{
	struct steering *s = calloc(1, sizeof(*s));

	emu_log("%s", kind);
	if (!s) {
		errno = ENOMEM;
		return NULL;
	}
	s->kind = kind;
	if (emu.shared)
		__atomic_fetch_add(&emu.shared->statistics.steering_objects, 1, __ATOMIC_RELAXED);
	return s;
}

int emu_steering_destroy(void *object)
{
	struct steering *s = object;

	if (s)
		emu_log("destroy: %s", s->kind);
	free(s);
	return 0;
}

EMU_API struct mlx5dv_dr_domain *mlx5dv_dr_domain_create(struct ibv_context *context,
							 enum mlx5dv_dr_domain_type type)
{
	(void)context;
	(void)type;
	return emu_steering_create(__func__);
}

EMU_API int mlx5dv_dr_domain_destroy(struct mlx5dv_dr_domain *domain)
{
	return emu_steering_destroy(domain);
}

EMU_API int mlx5dv_dr_domain_sync(struct mlx5dv_dr_domain *domain, uint32_t flags)
{
	(void)domain;
	(void)flags;
	emu_log("%s", __func__);
	return 0;
}

EMU_API void mlx5dv_dr_domain_set_reclaim_device_memory(struct mlx5dv_dr_domain *domain,
							bool enable)
{
	(void)domain;
	(void)enable;
	emu_log("%s", __func__);
}

EMU_API void mlx5dv_dr_domain_allow_duplicate_rules(struct mlx5dv_dr_domain *domain, bool allow)
{
	(void)domain;
	(void)allow;
	emu_log("%s", __func__);
}

EMU_API struct mlx5dv_dr_table *mlx5dv_dr_table_create(struct mlx5dv_dr_domain *domain,
						       uint32_t level)
{
	(void)domain;
	(void)level;
	return emu_steering_create(__func__);
}

EMU_API int mlx5dv_dr_table_destroy(struct mlx5dv_dr_table *table)
{
	return emu_steering_destroy(table);
}

EMU_API struct mlx5dv_dr_matcher *
mlx5dv_dr_matcher_create(struct mlx5dv_dr_table *table, uint16_t priority, uint8_t criteria,
			 struct mlx5dv_flow_match_parameters *mask)
{
	(void)table;
	(void)priority;
	(void)criteria;
	(void)mask;
	return emu_steering_create(__func__);
}

EMU_API int mlx5dv_dr_matcher_destroy(struct mlx5dv_dr_matcher *matcher)
{
	return emu_steering_destroy(matcher);
}

EMU_API struct mlx5dv_dr_rule *mlx5dv_dr_rule_create(struct mlx5dv_dr_matcher *matcher,
						     struct mlx5dv_flow_match_parameters *value,
						     size_t num_actions,
						     struct mlx5dv_dr_action *actions[])
{
	(void)matcher;
	(void)value;
	(void)num_actions;
	(void)actions;
	return emu_steering_create(__func__);
}

EMU_API int mlx5dv_dr_rule_destroy(struct mlx5dv_dr_rule *rule)
{
	return emu_steering_destroy(rule);
}

/* ---- actions ---- */

EMU_API int mlx5dv_dr_action_destroy(struct mlx5dv_dr_action *action)
{
	return emu_steering_destroy(action);
}

EMU_API struct mlx5dv_dr_action *mlx5dv_dr_action_create_dest_ibv_qp(struct ibv_qp *qp)
{
	(void)qp;
	return emu_steering_create(__func__);
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
	(void)object;
	return emu_steering_create(__func__);
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
	return emu_steering_create(__func__);
}

EMU_API struct mlx5dv_dr_action *mlx5dv_dr_action_create_default_miss(void)
{
	return emu_steering_create(__func__);
}

EMU_API struct mlx5dv_dr_action *mlx5dv_dr_action_create_tag(uint32_t tag)
{
	(void)tag;
	return emu_steering_create(__func__);
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

/* ---- the older way ---- */

EMU_API struct mlx5dv_flow_matcher *
mlx5dv_create_flow_matcher(struct ibv_context *context, struct mlx5dv_flow_matcher_attr *attr)
{
	(void)context;
	(void)attr;
	return emu_steering_create(__func__);
}

EMU_API int mlx5dv_destroy_flow_matcher(struct mlx5dv_flow_matcher *matcher)
{
	return emu_steering_destroy(matcher);
}

/* Destroyed by the context's ibv_destroy_flow. */
EMU_API struct ibv_flow *mlx5dv_create_flow(struct mlx5dv_flow_matcher *matcher,
					    struct mlx5dv_flow_match_parameters *value,
					    size_t num_actions,
					    struct mlx5dv_flow_action_attr actions[])
{
	(void)matcher;
	(void)value;
	(void)num_actions;
	(void)actions;
	return emu_steering_create(__func__);
}

EMU_API struct ibv_flow_action *
mlx5dv_create_flow_action_modify_header(struct ibv_context *context, size_t size,
					uint64_t actions[], enum mlx5dv_flow_table_type type)
{
	(void)context;
	(void)size;
	(void)actions;
	(void)type;
	emu_unsupported(__func__);
	return NULL;
}

EMU_API struct ibv_flow_action *
mlx5dv_create_flow_action_packet_reformat(struct ibv_context *context, size_t size, void *data,
					  enum mlx5dv_flow_action_packet_reformat_type reformat,
					  enum mlx5dv_flow_table_type type)
{
	(void)context;
	(void)size;
	(void)data;
	(void)reformat;
	(void)type;
	emu_unsupported(__func__);
	return NULL;
}

EMU_API int mlx5dv_dump_dr_domain(FILE *out, struct mlx5dv_dr_domain *domain)
{
	(void)out;
	(void)domain;
	emu_unsupported(__func__);
	return EOPNOTSUPP;
}

EMU_API int mlx5dv_dump_dr_rule(FILE *out, struct mlx5dv_dr_rule *rule)
{
	(void)out;
	(void)rule;
	emu_unsupported(__func__);
	return EOPNOTSUPP;
}
