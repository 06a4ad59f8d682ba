/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parser says of a frame depends on its bytes and the parser alone.  A source
 * that repeats frames gives each a number (cqesim_frame.kept), and parsing them once
 * is enough until TIRs, tables or queues change.
 */
#include <stdlib.h>
#include <string.h>

#include "card_internal.h"

/* Frames with a larger number are parsed each time: 4 MiB are what a cache may hold. */
#define KNOWN_MAX 65536u

struct card_known {
	const struct cqesim_port *port; /* that said so; NULL: nothing is known */
	struct cqesim_rx rx;
};

void card_classify_forget(struct cqesim_card *card)
{
	if (card->knowns)
		memset(card->known, 0, card->knowns * sizeof(*card->known));
}

/* NULL: none, or no memory for it, which costs time and nothing else. */
static struct card_known *place_of(struct cqesim_card *card, uint32_t kept)
{
	if (__builtin_expect(kept - 1 < card->knowns, 1)) /* 0 is no number */
		return &card->known[kept - 1];
	if (!kept || kept > KNOWN_MAX)
		return NULL;
	uint32_t room = card->knowns ? card->knowns : 1024;

	while (room < kept)
		room *= 2;
	struct card_known *more = realloc(card->known, room * sizeof(*more));
	if (!more)
		return NULL;
	memset(more + card->knowns, 0, (room - card->knowns) * sizeof(*more));
	card->known = more;
	card->knowns = room;
	return &card->known[kept - 1];
}

void card_classify(struct cqesim_card *card, const struct cqesim_port *port,
		   const struct cqesim_frame *frames, unsigned n, struct cqesim_rx *rx)
{
	for (unsigned i = 0; i < n; i++) {
		struct card_known *known = place_of(card, frames[i].kept);

		if (known && known->port == port) {
			rx[i] = known->rx;
			continue;
		}
		if (!known) { /* together with those that follow, as the parser likes it */
			unsigned end = i + 1;

			while (end < n && !frames[end].kept)
				end++;
			cqesim_port_classify(port, frames + i, end - i, rx + i);
			i = end - 1;
			continue;
		}
		cqesim_port_classify(port, frames + i, 1, rx + i);
		known->port = port;
		known->rx = rx[i];
	}
}
