/* SPDX-License-Identifier: BSD-3-Clause */
/* link_peer_run.h - what link_peer.c (arguments), link_peer_print.c and link_peer_tables.c share.
 */
#ifndef CQESIM_LINK_PEER_RUN_H
#define CQESIM_LINK_PEER_RUN_H

#include "cqesim/peer.h"

#define PEER_SIZES_MAX 4096u

struct peer_question {
	struct cqesim_peer_config config;
	enum cqesim_peer_model models[CQESIM_PEER_MODELS];
	unsigned model_count;
	enum cqesim_peer_direction direction;
	uint32_t sizes[PEER_SIZES_MAX]; /* of payload; of cards: of frames with FCS */
	unsigned size_count;
	bool compare, json, csv;
};

/* What the model is asked for a size: of a frame the FCS stays behind. */
static inline uint32_t peer_bytes(enum cqesim_peer_model model, uint32_t size)
{
	return cqesim_peer_is_card(model) ? size - 4 : size;
}

void peer_print(const struct peer_question *q);
void peer_compare(const struct peer_question *q);

/* The output of the peer's own programs; sizes: those rows, or with size_count 0 all. */
bool peer_table_known(const char *name);
void peer_table(const char *name, const struct peer_question *q);

#endif
