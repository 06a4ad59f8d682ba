/* SPDX-License-Identifier: BSD-3-Clause */
/* The card as a whole: made, unmade, asked what happened; see card.h. */
#include <stdlib.h>

#include "card_internal.h"

#define SCRATCH_BYTES (65536u + CQESIM_FCS_BYTES)

const char *cqesim_send_kind_name(enum cqesim_send_kind kind)
{
	static const char *const name[CQESIM_SEND_KINDS] = {
		"send", "send_inline", "mpw", "mpw_inline", "tso",
	};
	return (unsigned)kind < CQESIM_SEND_KINDS ? name[kind] : "unknown";
}

void card_tell(struct cqesim_card *card, enum cqesim_card_event_kind kind,
	       enum cqesim_card_object object, uint32_t number, uint32_t index)
{
	card_emit(card, &(struct cqesim_card_event){
				.kind = kind,
				.object = object,
				.number = number,
				.index = index,
			});
}

void card_tell_slot(struct card_cq *cq, uint32_t slot, const uint8_t raw[64])
{
	card_emit(cq->card, &(struct cqesim_card_event){
				    .kind = CQESIM_EVENT_COMPLETE,
				    .object = CQESIM_OBJECT_CQ,
				    .number = cq->number,
				    .index = slot,
				    .raw = raw,
				    .raw_bytes = CQESIM_CQE_BYTES,
			    });
}

void card_tell_packet(struct cqesim_card *card, enum cqesim_card_object object, uint32_t number,
		      uint32_t index, uint32_t length, const uint8_t *wqe, uint32_t wqe_bytes)
{
	card_emit(card, &(struct cqesim_card_event){
				.kind = CQESIM_EVENT_PACKET,
				.object = object,
				.number = number,
				.index = index,
				.length = length,
				.raw = wqe,
				.raw_bytes = wqe_bytes,
			});
}

/* The device wrote completions. */
static void published(void *context, uint32_t nic_cqn, uint64_t visible_ps, uint32_t count,
		      bool filler)
{
	struct cqesim_card *card = context;

	(void)visible_ps;
	(void)filler;
	card->by_nic_cqn[nic_cqn - 1]->pi += count;
}

int cqesim_card_create(struct cqesim_card **out, const struct cqesim_card_config *config,
		       struct cqesim_error *err)
{
	uint8_t key[CQESIM_RSS_KEY_BYTES];

	*out = NULL;
	if (!config->translate)
		return cqesim_fail(err, -EINVAL, "a card needs a translation of addresses");
	if ((unsigned)config->checksums > CQESIM_CHECKSUMS_VERIFY)
		return cqesim_fail(err, -EINVAL, "checksums %d: expected trust, l3 or verify",
				   (int)config->checksums);
	int rc = cqesim_rss_key_parse("mlx5", key, err);
	if (rc)
		return rc;
	struct cqesim_card *card = calloc(1, sizeof(*card));
	if (!card)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	card->config = *config;
	if (!card->config.nic.tick_ps)
		card->config.nic.tick_ps = 1000;
	card->config.nic.copy_data = true;
	card->config.nic.published = published;
	card->config.nic.published_context = card;
	card->config.nic.operation = NULL;
	card->frame_limit = UINT32_MAX;
	card->dealing = true;
	card->config.tell_packets &= config->event != NULL;
	card->hash = card_hash_new(
		key, CQESIM_RSS_IPV4 | CQESIM_RSS_IPV6 | CQESIM_RSS_TCP | CQESIM_RSS_UDP, false);
	card->guess = card->hash;
	card->scratch = malloc(SCRATCH_BYTES);
	if (!card->hash || !card->scratch)
		rc = cqesim_fail(err, -ENOMEM, "out of memory");
	else
		rc = cqesim_nic_create(&card->nic, &card->config.nic, err);
	if (rc) {
		cqesim_card_destroy(card);
		return rc;
	}
	*out = card;
	return 0;
}

void cqesim_card_destroy(struct cqesim_card *card)
{
	if (!card)
		return;
	for (unsigned object = 0; object < CQESIM_OBJECTS; object++)
		for (uint32_t i = 0; i < card->table[object].count; i++)
			if (CARD_ITEM(card, object, i))
				card_broken(card, CARD_RULE_LEAK, object, i + 1);
	for (uint32_t i = 0; i < card->table[CQESIM_OBJECT_TIR].count; i++) {
		struct card_tir *tir = CARD_ITEM(card, CQESIM_OBJECT_TIR, i);

		if (tir && !--tir->hash->users)
			card_hash_free(tir->hash);
	}
	for (uint32_t i = 0; i < card->table[CQESIM_OBJECT_RQT].count; i++) {
		struct card_rqt *rqt = CARD_ITEM(card, CQESIM_OBJECT_RQT, i);

		if (rqt)
			free(rqt->rq);
	}
	for (unsigned object = 0; object < CQESIM_OBJECTS; object++) {
		for (uint32_t i = 0; i < card->table[object].count; i++)
			free(CARD_ITEM(card, object, i));
		free(card->table[object].item);
	}
	card_rules_free(card);
	cqesim_nic_destroy(card->nic);
	card_hash_free(card->hash);
	free(card->by_nic_cqn);
	free(card->known);
	free(card->scratch);
	free(card);
}

void cqesim_card_frame_limit(struct cqesim_card *card, uint32_t bytes)
{
	card->frame_limit = bytes ? bytes : UINT32_MAX;
}

unsigned cqesim_card_step(struct cqesim_card *card, uint64_t now_ps, unsigned budget)
{
	card->now_ps = now_ps;
	card_look(card);
	cqesim_nic_step(card->nic, now_ps);
	return card_send(card, budget);
}

uint64_t cqesim_card_credits(struct cqesim_card *card)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < card->table[CQESIM_OBJECT_RQ].count; i++) {
		const struct card_rq *rq = CARD_ITEM(card, CQESIM_OBJECT_RQ, i);

		if (rq && rq->state == CQESIM_QUEUE_RDY)
			sum += cqesim_nic_rq_credits(card->nic, rq->nic_rqn);
	}
	return sum;
}

bool cqesim_card_is_steered(struct cqesim_card *card)
{
	card_look(card);
	if (card->changed)
		card_steer_again(card);
	return card->steered || card->first_rule;
}

const struct cqesim_card_stats *cqesim_card_stats(const struct cqesim_card *card)
{
	return &card->stats;
}

int cqesim_card_rq_stats(const struct cqesim_card *card, uint32_t rqn, uint64_t *delivered,
			 uint64_t *lost)
{
	const struct card_rq *rq = card_find(card, CQESIM_OBJECT_RQ, rqn);

	if (!rq)
		return -ENOENT;
	*delivered = rq->delivered;
	*lost = rq->lost;
	return 0;
}

const struct cqesim_nic_stats *cqesim_card_nic_stats(const struct cqesim_card *card)
{
	return cqesim_nic_stats(card->nic);
}
