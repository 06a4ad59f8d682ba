/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steering rules: what a match says about a frame, and which rule a frame meets.
 *
 * Most rules look at what the parser has told already (IP version, TCP or UDP).  For each
 * such class of headers the first rule that is sure to match is kept; only where one that
 * looks deeper comes before it, the frame's headers are gathered and all rules are tried.
 */
#include <stdlib.h>
#include <string.h>

#include "card_internal.h"
#include "port/internal.h"

#define MATCH_BYTES sizeof(struct cqesim_card_match)

_Static_assert(MATCH_BYTES == 64, "fte_match_set_lyr_2_4 has 64 bytes");

/* ---- made and unmade ---- */

static const struct cqesim_card_match none;

/* Does the value have a bit that the mask has not?  It could never match. */
static bool impossible(const struct cqesim_card_rule *r)
{
	const uint8_t *mask = (const uint8_t *)&r->mask, *value = (const uint8_t *)&r->value;

	for (unsigned i = 0; i < MATCH_BYTES; i++)
		if (value[i] & ~mask[i])
			return true;
	return false;
}

/* Bits that gather() does not tell. */
static bool unknown_bits(const struct cqesim_card_match *mask)
{
	return memcmp(mask->reserved, none.reserved, sizeof(none.reserved)) != 0;
}

static bool before(const struct card_steering *a, const struct card_steering *b)
{
	return a->attr.priority != b->attr.priority ? a->attr.priority < b->attr.priority
						    : a->made < b->made;
}

int cqesim_card_create_rule(struct cqesim_card *card, const struct cqesim_card_rule *attr,
			    uint32_t *number)
{
	struct card_tir *tir = card_find(card, CQESIM_OBJECT_TIR, attr->tirn);

	if (!attr->drop && !tir)
		return -ENOENT;
	if (attr->flow_tag >> 24 || impossible(attr))
		return -EINVAL;
	if (unknown_bits(&attr->mask))
		return -ENOTSUP;
	struct card_steering *rule = calloc(1, sizeof(*rule));
	if (!rule)
		return -ENOMEM;
	*rule = (struct card_steering){.attr = *attr, .made = ++card->rules_made};
	rule->tir = attr->drop ? NULL : tir;
	if (card_table_add(&card->rules, rule, number)) {
		free(rule);
		return -ENOMEM;
	}
	rule->number = *number;
	if (rule->tir)
		rule->tir->users++;
	struct card_steering **at = &card->first_rule;
	while (*at && before(*at, rule))
		at = &(*at)->next;
	rule->next = *at;
	*at = rule;
	card->changed = true;
	return 0;
}

int cqesim_card_destroy_rule(struct cqesim_card *card, uint32_t number)
{
	struct card_steering *rule = card_table_find(&card->rules, number);
	struct card_steering **at = &card->first_rule;

	if (!rule)
		return -ENOENT;
	while (*at != rule)
		at = &(*at)->next;
	*at = rule->next;
	if (rule->tir)
		rule->tir->users--;
	card_table_remove(&card->rules, number);
	free(rule);
	card->changed = true;
	return 0;
}

int cqesim_card_redirect_rules(struct cqesim_card *card, uint32_t from, uint32_t to)
{
	struct card_tir *old = card_find(card, CQESIM_OBJECT_TIR, from);
	struct card_tir *new = card_find(card, CQESIM_OBJECT_TIR, to);

	if (!old || !new)
		return -ENOENT;
	for (struct card_steering *r = card->first_rule; r; r = r->next)
		if (r->tir == old) {
			r->tir = new;
			r->attr.tirn = to;
			old->users--;
			new->users++;
		}
	card->changed = true;
	return 0;
}

void card_rules_free(struct cqesim_card *card)
{
	while (card->first_rule) {
		struct card_steering *r = card->first_rule;

		card->first_rule = r->next;
		free(r);
	}
	free(card->rules.item);
}

/* ---- matching ---- */

/* Is (have & mask) == value? */
static bool agrees(const struct cqesim_card_match *have, const struct cqesim_card_rule *r)
{
	const uint8_t *h = (const uint8_t *)have, *m = (const uint8_t *)&r->mask,
		      *v = (const uint8_t *)&r->value;

	for (unsigned i = 0; i < MATCH_BYTES; i++)
		if ((h[i] & m[i]) != v[i])
			return false;
	return true;
}

/* What all frames of a class have: values, and which bits that is. */
static void class_of(unsigned l3, unsigned l4, struct cqesim_card_match *value,
		     struct cqesim_card_match *known)
{
	*value = *known = none;
	if (l3 != CARD_L3_OTHER) {
		cqesim_be_store(value->ethertype, 2,
				l3 == CARD_L3_IPV4 ? PORT_ETH_IPV4 : PORT_ETH_IPV6);
		value->flags = (l3 == CARD_L3_IPV4 ? 4 : 6) << 1;
		memset(known->ethertype, 0xff, 2);
		known->flags = CQESIM_MATCH_IP_VERSION;
	}
	if (l4 != CARD_L4_OTHER) {
		value->ip_protocol = l4 == CARD_L4_TCP ? PORT_IP_TCP : PORT_IP_UDP;
		known->ip_protocol = 0xff;
		known->flags |= CQESIM_MATCH_FRAGMENT; /* fragments are of no such class */
	}
}

enum verdict { NEVER, MAYBE, ALWAYS };

static enum verdict judge(const struct cqesim_card_rule *r, const struct cqesim_card_match *value,
			  const struct cqesim_card_match *known)
{
	const uint8_t *m = (const uint8_t *)&r->mask, *v = (const uint8_t *)&r->value;
	const uint8_t *have = (const uint8_t *)value, *k = (const uint8_t *)known;
	enum verdict verdict = ALWAYS;

	for (unsigned i = 0; i < MATCH_BYTES; i++) {
		if ((have[i] ^ v[i]) & m[i] & k[i])
			return NEVER;
		if (m[i] & ~k[i])
			verdict = MAYBE;
	}
	return verdict;
}

void card_rules_again(struct cqesim_card *card)
{
	struct cqesim_card_match value, known;

	for (unsigned l3 = 0; l3 < CARD_L3S; l3++)
		for (unsigned l4 = 0; l4 < CARD_L4S; l4++) {
			struct card_steering_way *way = &card->way[l3][l4];

			*way = (struct card_steering_way){NULL, false};
			class_of(l3, l4, &value, &known);
			for (struct card_steering *r = card->first_rule; r; r = r->next) {
				enum verdict verdict = judge(&r->attr, &value, &known);

				if (verdict == NEVER)
					continue;
				way->deeper = verdict == MAYBE;
				way->rule = r;
				break;
			}
		}
}

static void gather_l4(const struct cqesim_frame *f, const struct port_ip *ip,
		      struct cqesim_card_match *m)
{
	const uint8_t *l4 = f->data + ip->l4;

	if (ip->fragment || ip->cut || !port_have(f, ip->l4, 4))
		return;
	if (ip->proto == PORT_IP_UDP) {
		memcpy(m->udp_sport, l4, 2);
		memcpy(m->udp_dport, l4 + 2, 2);
	} else if (ip->proto == PORT_IP_TCP) {
		memcpy(m->tcp_sport, l4, 2);
		memcpy(m->tcp_dport, l4 + 2, 2);
		if (port_have(f, ip->l4, 14)) {
			m->flags |= l4[12] & 1; /* the ninth: NS */
			m->tcp_flags = l4[13];
		}
	}
}

static void gather_ip(const struct cqesim_frame *f, const struct port_ip *ip,
		      struct cqesim_card_match *m)
{
	const uint8_t *h = f->data + ip->off;

	if (!ip->readable)
		return;
	m->flags |= (uint8_t)(ip->version << 1 | (ip->fragment ? CQESIM_MATCH_FRAGMENT : 0));
	m->ip_protocol = ip->proto;
	if (ip->version == 4) {
		m->dscp_ecn = h[1];
		m->ttl = h[8];
		memcpy(m->src_ip + 12, h + 12, 4);
		memcpy(m->dst_ip + 12, h + 16, 4);
	} else {
		m->dscp_ecn = (uint8_t)(h[0] << 4 | h[1] >> 4);
		m->ttl = h[7];
		memcpy(m->src_ip, h + 8, 16);
		memcpy(m->dst_ip, h + 24, 16);
	}
	gather_l4(f, ip, m);
}

static void gather(const struct cqesim_frame *f, struct cqesim_card_match *m)
{
	struct port_l2 l2;
	struct port_ip ip;

	*m = none;
	if (!port_have(f, 0, PORT_ETH_BYTES))
		return;
	memcpy(m->dmac, f->data, 6);
	memcpy(m->smac, f->data + 6, 6);
	port_l2_parse(f, 0, &l2);
	cqesim_be_store(m->ethertype, 2, l2.type);
	if (l2.tags) {
		cqesim_be_store(m->first_tci, 2, l2.first_tci);
		m->flags = l2.first_tag == PORT_ETH_CTAG ? CQESIM_MATCH_CVLAN : CQESIM_MATCH_SVLAN;
	}
	port_ip_parse(f, l2.off, l2.cut ? 0 : l2.type, &ip);
	gather_ip(f, &ip, m);
}

const struct card_steering *card_rule_search(const struct cqesim_card *card,
					     const struct cqesim_frame *frame)
{
	struct cqesim_card_match have;

	gather(frame, &have);
	for (const struct card_steering *r = card->first_rule; r; r = r->next)
		if (agrees(&have, &r->attr))
			return r;
	return NULL;
}
