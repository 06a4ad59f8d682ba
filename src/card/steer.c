/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Indirection tables and TIRs, and the way of a frame to its queue.
 *
 * The parser hashes while it parses, and delivers with or without tag and FCS: so
 * a frame is parsed as the frame before it was, which tells its headers for sure,
 * and again only if its TIR or queue turns out to want another way.
 */
#include <stdlib.h>
#include <string.h>

#include "card_internal.h"

#define RQT_MAX 2048u

/* ---- hash functions ---- */

struct card_hash *card_hash_new(const uint8_t key[CQESIM_RSS_KEY_BYTES], unsigned fields,
				bool symmetric)
{
	struct card_hash *hash = calloc(1, sizeof(*hash));

	if (!hash)
		return NULL;
	hash->users = 1;
	memcpy(hash->key, key, sizeof(hash->key));
	hash->fields = fields;
	hash->symmetric = symmetric;
	return hash;
}

void card_hash_free(struct card_hash *hash)
{
	if (!hash)
		return;
	for (unsigned i = 0; i < 4; i++)
		free(hash->port[i]);
	free(hash);
}

const struct cqesim_port *card_port(const struct cqesim_card *card, struct card_hash *hash,
				    unsigned kind)
{
	if (__builtin_expect(hash->port[kind] != NULL, 1))
		return hash->port[kind];
	struct cqesim_port_config config = {
		.rss_fields = hash->fields,
		.rss_symmetric = hash->symmetric,
		.queues = 1,
		.vlan_strip = kind & card_port_kind(true, false),
		.keep_fcs = kind & card_port_kind(false, true),
		.checksums = card->config.checksums,
		.want_csum = card->config.want_csum,
		.max_frame = UINT32_MAX,
	};
	struct cqesim_port *port = malloc(sizeof(*port));

	if (!port)
		return NULL;
	memcpy(config.rss_key, hash->key, sizeof(config.rss_key));
	cqesim_port_init(port, &config, NULL);
	hash->port[kind] = port;
	return port;
}

/*
 * The port's fields for a TIR.  A TIR that is for UDP over IPv4 alone hashes as one
 * for everything would hash such a packet, so that one function does for the set
 * that drivers make (PMD rss_hash_default_fields).
 */
static unsigned fields_of(const struct cqesim_card_tir *tir)
{
	if (!tir->addresses)
		return 0;
	return CQESIM_RSS_IPV4 | CQESIM_RSS_IPV6 |
	       (tir->ports ? CQESIM_RSS_TCP | CQESIM_RSS_UDP : 0);
}

static struct card_hash *hash_for(struct cqesim_card *card, const struct cqesim_card_tir *attr)
{
	unsigned fields = fields_of(attr);

	for (uint32_t i = 0; i < card->table[CQESIM_OBJECT_TIR].count; i++) {
		const struct card_tir *tir = CARD_ITEM(card, CQESIM_OBJECT_TIR, i);

		if (tir && tir->hash->fields == fields && tir->hash->symmetric == attr->symmetric &&
		    !memcmp(tir->hash->key, attr->key, sizeof(attr->key))) {
			tir->hash->users++;
			return tir->hash;
		}
	}
	return card_hash_new(attr->key, fields, attr->symmetric);
}

static void drop_hash(struct cqesim_card *card, struct card_hash *hash)
{
	if (--hash->users)
		return;
	if (card->guess == hash)
		card->guess = card->hash;
	card_hash_free(hash);
}

/* ---- indirection tables ---- */

static int fill(struct cqesim_card *card, const uint32_t *rqn, unsigned count,
		struct card_rq ***filled)
{
	if (!count || count > RQT_MAX)
		return -EINVAL;
	struct card_rq **rq = calloc(count, sizeof(struct card_rq *));
	if (!rq)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++)
		if (!(rq[i] = card_find(card, CQESIM_OBJECT_RQ, rqn[i]))) {
			free(rq);
			return -ENOENT;
		}
	for (unsigned i = 0; i < count; i++)
		rq[i]->users++;
	*filled = rq;
	return 0;
}

static void empty(struct card_rqt *rqt)
{
	for (uint32_t i = 0; i < rqt->count; i++)
		rqt->rq[i]->users--;
	free(rqt->rq);
}

int cqesim_card_create_rqt(struct cqesim_card *card, const uint32_t *rqn, unsigned count,
			   uint32_t *rqtn)
{
	struct card_rqt *rqt = calloc(1, sizeof(*rqt));

	if (!rqt)
		return -ENOMEM;
	int rc = fill(card, rqn, count, &rqt->rq);
	if (rc) {
		free(rqt);
		return rc;
	}
	rqt->count = count;
	rc = card_table_add(&card->table[CQESIM_OBJECT_RQT], rqt, rqtn);
	if (rc) {
		empty(rqt);
		free(rqt);
		return rc;
	}
	rqt->number = *rqtn;
	card_tell(card, CQESIM_EVENT_CREATE, CQESIM_OBJECT_RQT, *rqtn, 0);
	return 0;
}

int cqesim_card_modify_rqt(struct cqesim_card *card, uint32_t rqtn, const uint32_t *rqn,
			   unsigned count)
{
	struct card_rqt *rqt = card_find(card, CQESIM_OBJECT_RQT, rqtn);
	struct card_rq **rq;

	if (!rqt)
		return -ENOENT;
	int rc = fill(card, rqn, count, &rq);
	if (rc)
		return rc;
	empty(rqt);
	rqt->rq = rq;
	rqt->count = count;
	card->changed = true;
	card_tell(card, CQESIM_EVENT_MODIFY, CQESIM_OBJECT_RQT, rqtn, 0);
	return 0;
}

int cqesim_card_destroy_rqt(struct cqesim_card *card, uint32_t rqtn)
{
	struct card_rqt *rqt = card_find(card, CQESIM_OBJECT_RQT, rqtn);

	if (!rqt)
		return -ENOENT;
	if (rqt->users)
		return card_busy(card, CQESIM_OBJECT_RQT, rqtn);
	empty(rqt);
	free(rqt);
	card_table_remove(&card->table[CQESIM_OBJECT_RQT], rqtn);
	card_tell(card, CQESIM_EVENT_DESTROY, CQESIM_OBJECT_RQT, rqtn, 0);
	return 0;
}

/* ---- TIRs ---- */

int cqesim_card_create_tir(struct cqesim_card *card, const struct cqesim_card_tir *attr,
			   uint32_t *tirn)
{
	struct card_rq *rq = card_find(card, CQESIM_OBJECT_RQ, attr->rqn);
	struct card_rqt *rqt = card_find(card, CQESIM_OBJECT_RQT, attr->rqtn);

	if (attr->direct ? !rq : !rqt)
		return -ENOENT;
	if (attr->ports && !attr->addresses)
		return -ENOTSUP;
	struct cqesim_aggregate_config lro_config = {0};
	bool lro = attr->lro.ipv4 || attr->lro.ipv6;
	if (lro && card_lro_config(&attr->lro, &lro_config))
		return -EINVAL;
	struct card_tir *tir = calloc(1, sizeof(*tir));
	if (!tir)
		return -ENOMEM;
	tir->attr = *attr;
	tir->lro = lro;
	tir->lro_config = lro_config;
	tir->hash = hash_for(card, attr);
	if (!tir->hash) {
		free(tir);
		return -ENOMEM;
	}
	if (card_table_add(&card->table[CQESIM_OBJECT_TIR], tir, tirn)) {
		drop_hash(card, tir->hash);
		free(tir);
		return -ENOMEM;
	}
	tir->number = *tirn;
	tir->made = ++card->tirs_made;
	if (attr->direct) {
		tir->rq = rq;
		rq->users++;
	} else {
		tir->rqt = rqt;
		rqt->users++;
	}
	card->changed = true;
	card_tell(card, CQESIM_EVENT_CREATE, CQESIM_OBJECT_TIR, *tirn, 0);
	return 0;
}

int cqesim_card_destroy_tir(struct cqesim_card *card, uint32_t tirn)
{
	struct card_tir *tir = card_find(card, CQESIM_OBJECT_TIR, tirn);

	if (!tir)
		return -ENOENT;
	if (tir->users)
		return card_busy(card, CQESIM_OBJECT_TIR, tirn);
	if (tir->rq)
		tir->rq->users--;
	else
		tir->rqt->users--;
	drop_hash(card, tir->hash);
	free(tir);
	card_table_remove(&card->table[CQESIM_OBJECT_TIR], tirn);
	card->changed = true;
	card_tell(card, CQESIM_EVENT_DESTROY, CQESIM_OBJECT_TIR, tirn, 0);
	return 0;
}

/* ---- frames ---- */

static bool counts(const struct card_tir *tir)
{
	if (tir->rq)
		return tir->rq->open;
	for (uint32_t i = 0; i < tir->rqt->count; i++)
		if (tir->rqt->rq[i]->open)
			return true;
	return false;
}

/* How well a TIR fits these headers; 0: not at all. */
static unsigned fits(const struct cqesim_card_tir *tir, unsigned l3, unsigned l4)
{
	bool any_l3 = !tir->ipv4 && !tir->ipv6, any_l4 = !tir->tcp && !tir->udp;
	bool is_l3 = (l3 == CARD_L3_IPV4 && tir->ipv4) || (l3 == CARD_L3_IPV6 && tir->ipv6);
	bool is_l4 = (l4 == CARD_L4_TCP && tir->tcp) || (l4 == CARD_L4_UDP && tir->udp);

	if ((!any_l3 && !is_l3) || (!any_l4 && !is_l4))
		return 0;
	return 1 + is_l3 + is_l4;
}

static void offer(struct cqesim_card *card, struct card_tir *tir)
{
	for (unsigned l3 = 0; l3 < CARD_L3S; l3++)
		for (unsigned l4 = 0; l4 < CARD_L4S; l4++) {
			struct card_tir **best = &card->by_headers[l3][l4];
			unsigned fit = fits(&tir->attr, l3, l4);
			unsigned now = *best ? fits(&(*best)->attr, l3, l4) : 0;

			if (fit > now || (fit && fit == now && tir->made > (*best)->made))
				*best = tir;
		}
}

void card_steer_again(struct cqesim_card *card)
{
	bool open = false;

	card->changed = false;
	card->steered = false;
	card_classify_forget(card);
	memset(card->by_headers, 0, sizeof(card->by_headers));
	for (uint32_t i = 0; i < card->table[CQESIM_OBJECT_TIR].count; i++) {
		struct card_tir *tir = CARD_ITEM(card, CQESIM_OBJECT_TIR, i);

		if (tir && counts(tir)) {
			card->steered = true;
			offer(card, tir);
		}
	}
	if (card->first_rule)
		card_rules_again(card);
	for (uint32_t i = 0; i < card->table[CQESIM_OBJECT_RQ].count; i++) {
		const struct card_rq *rq = CARD_ITEM(card, CQESIM_OBJECT_RQ, i);

		open |= rq && rq->open;
	}
	if (card->steered || card->first_rule)
		card->dealing = false;
	else if (!open)
		card->dealing = true;
}

/* The dissector's view tells the outer headers; of a fragment a device knows no L4. */
static void headers_of(unsigned view, unsigned *l3, unsigned *l4)
{
	*l3 = view & CQESIM_VIEW_IPV4   ? CARD_L3_IPV4
	      : view & CQESIM_VIEW_IPV6 ? CARD_L3_IPV6
					: CARD_L3_OTHER;
	*l4 = view & CQESIM_VIEW_FRAGMENT ? CARD_L4_OTHER
	      : view & CQESIM_VIEW_TCP    ? CARD_L4_TCP
	      : view & CQESIM_VIEW_UDP    ? CARD_L4_UDP
					  : CARD_L4_OTHER;
}

/* NULL: there is none.  *tag: of the rule that led there. */
static const struct card_tir *tir_for(struct cqesim_card *card, const struct cqesim_frame *frame,
				      unsigned view, uint32_t *tag)
{
	unsigned l3, l4;

	headers_of(view, &l3, &l4);
	if (!card->first_rule)
		return card->by_headers[l3][l4];
	const struct card_steering_way *way = &card->way[l3][l4];
	const struct card_steering *rule = way->deeper ? card_rule_search(card, frame) : way->rule;
	if (!rule)
		return NULL;
	card->stats.ruled_out += !rule->tir;
	*tag = rule->attr.flow_tag;
	return rule->tir;
}

static struct card_rq *next_open(struct cqesim_card *card)
{
	const struct card_table *t = &card->table[CQESIM_OBJECT_RQ];

	for (uint32_t i = 0; i < t->count; i++) {
		if (++card->turn >= t->count)
			card->turn = 0;
		struct card_rq *rq = t->item[card->turn];
		if (rq && rq->open)
			return rq;
	}
	return NULL;
}

static bool parse_as(struct cqesim_card *card, const struct cqesim_frame *frame,
		     struct card_hash *hash, unsigned kind, struct cqesim_rx *rx)
{
	const struct cqesim_port *port = card_port(card, hash, kind);

	if (!port)
		return false;
	card_classify(card, port, frame, 1, rx);
	card->guess = hash;
	card->guess_kind = kind;
	return true;
}

struct card_rq *card_steer(struct cqesim_card *card, const struct cqesim_frame *frame,
			   struct card_hash *hash, unsigned kind, struct cqesim_rx *rx,
			   const struct card_tir **lro)
{
	struct card_hash *wanted = card->hash;
	struct card_rq *rq;
	uint32_t tag = 0;

	*lro = NULL;
	if (card->steered || card->first_rule) {
		const struct card_tir *tir = tir_for(card, frame, rx->view, &tag);

		if (!tir)
			return NULL;
		wanted = tir->hash;
		*lro = tir->lro ? tir : NULL;
		if (wanted != hash && !parse_as(card, frame, wanted, kind, rx))
			return NULL;
		rq = tir->rq ? tir->rq : tir->rqt->rq[rx->meta.rx_hash_res % tir->rqt->count];
	} else {
		rq = card->dealing ? next_open(card) : NULL;
		if (!rq)
			return NULL;
		if (wanted != hash && !parse_as(card, frame, wanted, kind, rx))
			return NULL;
	}
	unsigned wanted_kind = card_port_kind(rq->vlan_strip, rq->keep_fcs);
	if (wanted_kind != kind && !parse_as(card, frame, wanted, wanted_kind, rx))
		return NULL;
	if (__builtin_expect(tag != 0, 0)) {
		rx->meta.flow_tag = tag;
		card->stats.tagged++;
	}
	return rq;
}
