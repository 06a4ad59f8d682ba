/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steering: domains, tables, matchers, actions and rules.  Rules of the receive side's
 * root table that look at outer headers and lead to a TIR, or to nowhere, are the card's
 * (a tag goes with them); what else a rule may ask for is refused, with a line and counted.
 * The older ways (flows of verbs) are made, counted and destroyed, and mean nothing: the
 * card then steers by its TIRs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/steering.h"

static const char other_table[] = "not in the root table";

#define CRITERIA_OUTER 1u /* mlx5_prm.h MLX5_MATCH_CRITERIA_ENABLE_OUTER_BIT */

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
	struct steering *s = emu_steering_create(__func__);

	(void)context;
	if (s)
		s->domain = type;
	return (void *)s;
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
	struct steering *s = emu_steering_create(__func__);

	if (s) {
		s->table.domain = ((const struct steering *)domain)->domain;
		s->table.level = level;
	}
	return (void *)s;
}

EMU_API int mlx5dv_dr_table_destroy(struct mlx5dv_dr_table *table)
{
	return emu_steering_destroy(table);
}

/* The outer headers' part; false: bits of other parts are set. */
static bool read_match(const struct mlx5dv_flow_match_parameters *p, struct cqesim_card_match *m)
{
	const uint8_t *bytes = (const uint8_t *)p->match_buf;
	size_t n = p->match_sz < sizeof(*m) ? p->match_sz : sizeof(*m);

	*m = (struct cqesim_card_match){.ttl = 0};
	memcpy(m, bytes, n);
	for (size_t i = n; i < p->match_sz; i++)
		if (bytes[i])
			return false;
	return true;
}

EMU_API struct mlx5dv_dr_matcher *
mlx5dv_dr_matcher_create(struct mlx5dv_dr_table *table, uint16_t priority, uint8_t criteria,
			 struct mlx5dv_flow_match_parameters *mask)
{
	struct steering *s = emu_steering_create(__func__);

	if (!s)
		return NULL;
	s->matcher.table = (const struct steering *)table;
	s->matcher.priority = priority;
	if (!read_match(mask, &s->matcher.mask))
		s->matcher.deeper = "fields that are not of the outer headers";
	else if (criteria & CRITERIA_OUTER)
		s->matcher.deeper = NULL;
	else
		s->matcher.mask = (struct cqesim_card_match){.ttl = 0};
	return (void *)s;
}

EMU_API int mlx5dv_dr_matcher_destroy(struct mlx5dv_dr_matcher *matcher)
{
	return emu_steering_destroy(matcher);
}

void *emu_steering_refuse(const char *why)
{
	/* The driver finds out with such rules which registers there are: no news to anyone. */
	if (why == other_table)
		emu_log("a steering rule is refused: %s", why);
	else
		emu_warn("a steering rule is refused: %s", why);
	if (emu.shared)
		__atomic_fetch_add(&emu.shared->statistics.steering_refused, 1, __ATOMIC_RELAXED);
	errno = EOPNOTSUPP;
	return NULL;
}

/* What the actions come to; NULL, or why the card cannot do that. */
static const char *read_actions(struct mlx5dv_dr_action *const actions[], size_t n,
				struct cqesim_card_rule *rule)
{
	unsigned ends = 0;

	for (size_t i = 0; i < n; i++) {
		const struct steering *s = (const struct steering *)actions[i];

		switch (s->action.is) {
		case ACTION_TAG:
			rule->flow_tag = s->action.tag & 0xffffff; /* rdma-core dr_action.c too */
			break;
		case ACTION_DROP:
			rule->drop = true;
			ends++;
			break;
		case ACTION_TIR:
			rule->tirn = emu_devx_tir(s->action.tir);
			if (!rule->tirn)
				return "its TIR is one that the card cannot steer to";
			ends++;
			break;
		case ACTION_QP: /* of verbs: a hashing queue pair is a TIR */
			rule->tirn = s->action.qp->tirn;
			if (!rule->tirn)
				return "its queue pair does not receive";
			ends++;
			break;
		default:
			return s->kind;
		}
	}
	return ends == 1 ? NULL : "not one destination";
}

EMU_API struct mlx5dv_dr_rule *mlx5dv_dr_rule_create(struct mlx5dv_dr_matcher *matcher,
						     struct mlx5dv_flow_match_parameters *value,
						     size_t num_actions,
						     struct mlx5dv_dr_action *actions[])
{
	const struct steering *m = (const struct steering *)matcher;
	struct cqesim_card_rule r = {.mask = m->matcher.mask, .priority = m->matcher.priority};
	const struct steering *table = m->matcher.table;
	const char *why = m->matcher.deeper;
	int rc;

	if (table->table.domain != MLX5DV_DR_DOMAIN_TYPE_NIC_RX)
		why = "not of the receive side";
	else if (table->table.level)
		why = other_table;
	if (!why && !read_match(value, &r.value))
		why = "a value that is not of the outer headers";
	if (why)
		return emu_steering_refuse(why);
	for (size_t i = 0; i < sizeof(r.mask); i++)
		((uint8_t *)&r.value)[i] &= ((const uint8_t *)&r.mask)[i];
	struct steering *s = emu_steering_create(__func__);
	if (!s)
		return NULL;
	emu_lock();
	why = read_actions(actions, num_actions, &r);
	rc = why ? 0 : cqesim_card_create_rule(emu.card, &r, &s->rule);
	emu_unlock();
	if (!why && !rc)
		return (void *)s;
	emu_steering_destroy(s);
	return emu_steering_refuse(why ? why : strerror(-rc));
}

EMU_API int mlx5dv_dr_rule_destroy(struct mlx5dv_dr_rule *rule)
{
	struct steering *s = (struct steering *)rule;

	emu_lock();
	cqesim_card_destroy_rule(emu.card, s->rule);
	emu_unlock();
	return emu_steering_destroy(rule);
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
