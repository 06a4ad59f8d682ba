/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looking at doorbell records: what a driver posted and consumed since the last
 * look.  A real card is told; here the records are read often enough.  Acquire loads: what the
 * driver wrote before it moved an index is there.
 */
#include "card_internal.h"

static inline uint32_t record(const uint32_t *dbrec)
{
	return __builtin_bswap32(__atomic_load_n(dbrec, __ATOMIC_ACQUIRE));
}

static void posted(struct cqesim_card *card, struct card_rq *rq, uint16_t pi)
{
	card->stats.posts++;
	card->stats.posted_wqes += (uint16_t)(pi - rq->posted);
	rq->posted = pi;
	card_tell(card, CQESIM_EVENT_POST, CQESIM_OBJECT_RQ, rq->number, pi);
	if (!rq->open) {
		rq->open = true;
		card->changed = true;
	}
	enum cqesim_queue_state state;
	uint16_t ci;

	cqesim_nic_query_rq(card->nic, rq->nic_rqn, &state, &ci);
	if (rq->room && (uint16_t)(pi - ci) > rq->room)
		card_broken(card, CARD_RULE_RQ_POSTED, CQESIM_OBJECT_RQ, rq->number);
}

void card_look_rq(struct cqesim_card *card, struct card_rq *rq)
{
	if (rq->state != CQESIM_QUEUE_RDY)
		return;
	uint16_t pi = (uint16_t)record(rq->dbrec);

	if (pi != rq->posted)
		posted(card, rq, pi);
}

/*
 * How far a consumer index moved that now reads `told`.  One that lost its upper bits
 * is understood, as hardware has lived with the driver that does so.  Those of send CQs
 * have never had more than 16 (PMD struct mlx5_txq_data).
 */
static uint32_t step_of(struct card_cq *cq, uint32_t told)
{
	uint32_t unread = cq->pi - cq->ci;
	uint32_t step = (told - cq->ci) & 0xffffff;

	if (step <= unread)
		return step;
	step = (told - cq->ci) & 0xffff;
	if (step <= unread) {
		if (step && cq->use == CARD_RECEIVES)
			card_broken(cq->card, CARD_RULE_CQ_BITS, CQESIM_OBJECT_CQ, cq->number);
		return step;
	}
	card_broken(cq->card, CARD_RULE_CQ_AHEAD, CQESIM_OBJECT_CQ, cq->number);
	return unread;
}

static void consumed(struct cqesim_card *card, struct card_cq *cq, uint32_t told)
{
	uint32_t from = cq->ci, step = step_of(cq, told);

	if (!step)
		return;
	cq->ci += step;
	card_tell(card, CQESIM_EVENT_CONSUME, CQESIM_OBJECT_CQ, cq->number, cq->ci & 0xffffff);
	if (cq->use != CARD_RECEIVES)
		return;
	card->stats.consumes++;
	card->stats.burst[step < CQESIM_CARD_BURSTS ? step : CQESIM_CARD_BURSTS - 1]++;
	if (card->config.check)
		card_check_slots(cq, from, step);
}

/* The word is: sequence number, command, consumer index (24 bits) from which on it is armed. */
static void look_armed(struct cqesim_card *card, struct card_cq *cq)
{
	uint32_t word = record(cq->attr.dbrec + 1);

	if (word != cq->arm_word) {
		cq->arm_word = word;
		cq->armed = true;
	}
	uint32_t since = (cq->pi - word) & 0xffffff;
	if (!cq->armed || !since || since >> 23) /* the driver is ahead of what it was told */
		return;
	cq->armed = false;
	card->stats.notifies++;
	card_tell(card, CQESIM_EVENT_NOTIFY, CQESIM_OBJECT_CQ, cq->number, word & 0xffffff);
}

void card_look_cq(struct cqesim_card *card, struct card_cq *cq)
{
	if (!cq->touched)
		return;
	if (__builtin_expect(cq->notify, 0))
		look_armed(card, cq);
	uint32_t told = record(cq->attr.dbrec) & 0xffffff;

	if (told != cq->told) {
		cq->told = told;
		consumed(card, cq, told);
	}
}

void card_look(struct cqesim_card *card)
{
	for (uint32_t i = 0; i < card->table[CQESIM_OBJECT_CQ].count; i++)
		if (CARD_ITEM(card, CQESIM_OBJECT_CQ, i))
			card_look_cq(card, CARD_ITEM(card, CQESIM_OBJECT_CQ, i));
	for (uint32_t i = 0; i < card->table[CQESIM_OBJECT_RQ].count; i++)
		if (CARD_ITEM(card, CQESIM_OBJECT_RQ, i))
			card_look_rq(card, CARD_ITEM(card, CQESIM_OBJECT_RQ, i));
}
