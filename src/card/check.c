/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rules that a driver keeps, and the card itself; what breaks one is counted and
 * reported as an event, and the card goes on as well as it can.
 *
 * Sources: rdma-core providers/mlx5 (DV), DPDK's driver (PMD), this project's
 * headers.  "assumed" marks what no public text says.
 */
#include "card_internal.h"

static const char *const rule_text[CARD_RULES] = {
	/* PMD, DV: a ring's WQEs are posted once each until they are completed. */
	[CARD_RULE_RQ_POSTED] = "rq_posted: more receive WQEs are posted than the ring has",
	[CARD_RULE_SQ_POSTED] = "sq_posted: more send WQEs are posted than the ring has",
	/* A consumer index follows what was written (cq.h). */
	[CARD_RULE_CQ_AHEAD] = "cq_ahead: the consumer index is not between what was consumed "
			       "before and what was written",
	/* DV mlx5_cq_set_ci and PRM: 24 bits; PMD 22.11 keeps 16 in rxq_zip.cq_ci. */
	[CARD_RULE_CQ_BITS] = "cq_bits: the consumer index has lost its bits above 15",
	/* cq.h: what lies in a slot of a session is arbitrary, unless it is rewritten. */
	[CARD_RULE_CQ_SLOT] = "cq_slot: a slot was handed back that the next lap takes for a "
			      "completion",
	/* nic.h: the ring holds all that can be unread; assumed that hardware then stops. */
	[CARD_RULE_CQ_OVERRUN] = "cq_overrun: more completions were written than the ring holds",
	/* PMD mlx5_tx_cseg_init, DV mlx5dv_set_ctrl_seg: index and queue of the WQE. */
	[CARD_RULE_WQE_INDEX] = "wqe_index: a send WQE tells another index than the one it has",
	[CARD_RULE_WQE_NUMBER] = "wqe_number: a send WQE names another queue",
	[CARD_RULE_WQE] = "wqe: a send WQE that the card cannot make sense of",
	[CARD_RULE_LKEY] = "lkey: a WQE names memory that is not registered",
	/* Firmware refuses to destroy what another object uses. */
	[CARD_RULE_BUSY] = "busy: an object was to be destroyed that another one uses",
	[CARD_RULE_LEAK] = "leak: the card was closed while the object was there",
};

void card_broken(struct cqesim_card *card, enum card_rule rule, enum cqesim_card_object object,
		 uint32_t number)
{
	card->stats.violations++;
	card_emit(card, &(struct cqesim_card_event){
				.kind = CQESIM_EVENT_VIOLATION,
				.object = object,
				.number = number,
				.text = rule_text[rule],
			});
}

int card_busy(struct cqesim_card *card, enum cqesim_card_object object, uint32_t number)
{
	card_broken(card, CARD_RULE_BUSY, object, number);
	return -EBUSY;
}

void card_check_slots(struct card_cq *cq, uint32_t from, uint32_t count)
{
	uint32_t size = UINT32_C(1) << cq->attr.log_size;

	if (cq->attr.layout != CQESIM_CQ_BASIC) /* nothing is rewritten there */
		return;
	for (uint32_t i = from; i != from + count; i++) {
		uint32_t lap = i >> cq->attr.log_size;

		if (cq->pi - i > size) /* the card has written the next lap there already */
			continue;
		uint8_t op_own = cq->attr.ring[(size_t)(i & (size - 1)) * CQESIM_CQE_BYTES +
					       CQESIM_OP_OWN_BYTE];
		if (op_own >> 4 != CQESIM_OP_INVALID && ((op_own ^ lap) & CQESIM_OWNER_MASK)) {
			card_broken(cq->card, CARD_RULE_CQ_SLOT, CQESIM_OBJECT_CQ, cq->number);
			return; /* once per step of the index: one mistake leaves many slots */
		}
	}
}
