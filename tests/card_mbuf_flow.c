/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules of the program's own: UDP packets, over IPv4 and over IPv6, are marked and go to the
 * queues that the indirection table says; what meets none goes where it would without them.
 */
#include <rte_flow.h>

#include "card_mbuf.h"

static void rule(const struct state *s, enum rte_flow_item_type l3, uint64_t types,
		 const uint8_t *key)
{
	struct rte_eth_rss_reta_entry64 reta[16] = {0};
	struct rte_flow_error error = {0};
	struct rte_eth_dev_info info;
	uint16_t queues[1024];
	unsigned count = 1;

	if (rte_eth_dev_info_get(s->port, &info))
		rte_exit(1, "no device information\n");
	if (s->o.queues > 1) {
		count = info.reta_size;
		for (unsigned i = 0; i < count; i++)
			reta[i / RTE_ETH_RETA_GROUP_SIZE].mask = UINT64_MAX;
		if (rte_eth_dev_rss_reta_query(s->port, reta, (uint16_t)count))
			rte_exit(1, "no indirection table\n");
	}
	for (unsigned i = 0; i < count; i++)
		queues[i] = reta[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE];
	const struct rte_flow_action_mark mark = {.id = s->o.mark_id};
	const struct rte_flow_action_rss rss = {
		.types = types,
		.key = s->o.isolated ? NULL : key,
		.key_len = s->o.isolated ? 0 : 40,
		.queue = queues,
		.queue_num = count,
	};
	const struct rte_flow_item pattern[] = {
		{.type = RTE_FLOW_ITEM_TYPE_ETH},
		{.type = l3},
		{.type = RTE_FLOW_ITEM_TYPE_UDP},
		{.type = RTE_FLOW_ITEM_TYPE_END},
	};
	const struct rte_flow_action actions[] = {
		{.type = RTE_FLOW_ACTION_TYPE_MARK, .conf = &mark},
		{.type = RTE_FLOW_ACTION_TYPE_RSS, .conf = &rss},
		{.type = RTE_FLOW_ACTION_TYPE_END},
	};

	if (!rte_flow_create(s->port, &(struct rte_flow_attr){.ingress = 1}, pattern, actions,
			     &error))
		rte_exit(1, "rule: %s\n", error.message ? error.message : "no reason given");
}

void flow_rules(const struct state *s, const uint8_t *key)
{
	rule(s, RTE_FLOW_ITEM_TYPE_IPV4, RTE_ETH_RSS_NONFRAG_IPV4_UDP, key);
	rule(s, RTE_FLOW_ITEM_TYPE_IPV6, RTE_ETH_RSS_NONFRAG_IPV6_UDP, key);
}
