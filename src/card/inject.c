/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors on purpose, each at a packet of a queue; the queue knows the next one's place. */
#include <errno.h>

#include "card_internal.h"

#define INJECTIONS                                                                                 \
	(sizeof(((struct cqesim_card *)0)->injection) / sizeof(struct cqesim_card_injection))

static bool is_of(const struct cqesim_card_injection *i, enum cqesim_card_object queue,
		  uint32_t number)
{
	return i->queue == queue && i->number == number;
}

static struct cqesim_card_injection *next(struct cqesim_card *card, enum cqesim_card_object queue,
					  uint32_t number)
{
	struct cqesim_card_injection *first = NULL;

	for (unsigned i = 0; i < card->injections; i++) {
		struct cqesim_card_injection *this = &card->injection[i];

		if (is_of(this, queue, number) && (!first || this->packet < first->packet))
			first = this;
	}
	return first;
}

/* How many packets have gone when the next one is due. */
static uint64_t place(struct cqesim_card *card, enum cqesim_card_object queue, uint32_t number)
{
	const struct cqesim_card_injection *i = next(card, queue, number);

	return i ? i->packet - 1 : UINT64_MAX;
}

static void remove_one(struct cqesim_card *card, struct cqesim_card_injection *i)
{
	*i = card->injection[--card->injections];
}

int cqesim_card_inject(struct cqesim_card *card, const struct cqesim_card_injection *injection)
{
	if (!injection->packet || !injection->syndrome ||
	    (injection->queue != CQESIM_OBJECT_RQ && injection->queue != CQESIM_OBJECT_SQ))
		return -EINVAL;
	void *queue = card_find(card, injection->queue, injection->number);
	if (!queue)
		return -ENOENT;
	if (card->injections == INJECTIONS)
		return -ENOSPC;
	card->injection[card->injections++] = *injection;
	*(injection->queue == CQESIM_OBJECT_RQ ? &((struct card_rq *)queue)->inject_at
					       : &((struct card_sq *)queue)->inject_at) =
		place(card, injection->queue, injection->number);
	return 0;
}

uint8_t card_inject_take(struct cqesim_card *card, enum cqesim_card_object queue, uint32_t number,
			 uint64_t *inject_at)
{
	struct cqesim_card_injection *i = next(card, queue, number);
	uint8_t syndrome = i->syndrome;

	remove_one(card, i);
	*inject_at = place(card, queue, number);
	card_tell(card, CQESIM_EVENT_INJECT, queue, number, syndrome);
	return syndrome;
}

void card_inject_forget(struct cqesim_card *card, enum cqesim_card_object queue, uint32_t number)
{
	struct cqesim_card_injection *i;

	while ((i = next(card, queue, number)))
		remove_one(card, i);
}
