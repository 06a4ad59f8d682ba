/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peer_internal.h - what the files of this folder share.
 *
 *   link.c    raw and usable rate, the limits of Acks and UpdateFCs
 *   split.c   a read or write as TLPs, as the peer does it or corrected
 *   models.c  what each operation and each card transfers
 *   peer.c    the rate that follows; names
 */
#ifndef CQESIM_PEER_INTERNAL_H
#define CQESIM_PEER_INTERNAL_H

#include "cqesim/peer.h"

/* TLPs of one direction, by kind, over a batch of transactions. */
struct peer_flow {
	uint64_t posted, requests, completions;
	uint64_t payload; /* bytes behind their headers, all kinds */
	uint64_t credits; /* posted data credits, one for each 16 bytes begun */
};

/* A batch: whole numbers whatever is done once in so many packets. */
struct peer_traffic {
	struct peer_flow up, down;
	uint64_t batch;
};

static inline bool peer_fixed(const struct cqesim_peer_config *c, enum cqesim_peer_fix fix)
{
	return c->fixes & fix;
}

/* Are TLPs in flits: then no framing, no DLLPs and no SKP of their own. */
static inline bool peer_flit(const struct cqesim_peer_config *c)
{
	return peer_fixed(c, CQESIM_PEER_FIX_FLIT) && c->generation >= 6;
}

/* times operations of length bytes by the device, each at address. */
void peer_write(const struct cqesim_peer_config *c, uint64_t address, uint32_t length,
		uint64_t times, struct peer_traffic *t);
void peer_read(const struct cqesim_peer_config *c, uint64_t address, uint32_t length,
	       uint64_t times, struct peer_traffic *t);

void peer_traffic(const struct cqesim_peer_config *c, enum cqesim_peer_model model,
		  enum cqesim_peer_direction direction, uint32_t size, struct peer_traffic *t);

#endif
