/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A read or write of the device as TLPs.  The peer divides and rounds up;
 * corrected, TLPs are whole double words and know where they start.
 */
#include "peer_internal.h"

#define PAGE 4096u

static uint32_t divided(uint32_t length, uint32_t by)
{
	return (length + by - 1) / by;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Bytes of the TLP at address when length are left and limit is the most. */
static uint32_t piece(const struct cqesim_peer_config *c, uint64_t address, uint32_t length,
		      uint32_t limit)
{
	if (!peer_fixed(c, CQESIM_PEER_FIX_ADDRESS))
		return smaller(length, limit);
	/* The limit counts whole DWs; the bytes before the first are not wanted. */
	return smaller(smaller(length, limit - (uint32_t)(address & 3)),
		       PAGE - (uint32_t)(address & (PAGE - 1)));
}

/* What length bytes at address take on the wire behind a header. */
static uint32_t carried(const struct cqesim_peer_config *c, uint64_t address, uint32_t length)
{
	if (!peer_fixed(c, CQESIM_PEER_FIX_ADDRESS))
		return length;
	return ((uint32_t)(address & 3) + length + 3) & ~3u;
}

void peer_write(const struct cqesim_peer_config *c, uint64_t address, uint32_t length,
		uint64_t times, struct peer_traffic *t)
{
	while (length) {
		uint32_t n = piece(c, address, length, c->mps), bytes = carried(c, address, n);

		t->up.posted += times;
		t->up.payload += times * bytes;
		t->up.credits += times * divided(bytes, 16);
		address += n;
		length -= n;
	}
}

/* Completions of one request: all but the last end on an RCB boundary. */
static void complete(const struct cqesim_peer_config *c, uint64_t address, uint32_t length,
		     uint64_t times, struct peer_flow *down)
{
	uint32_t step = c->rcb_chunks ? c->rcb : c->mps;

	while (length) {
		uint32_t n = smaller(length, step - (uint32_t)(address & (c->rcb - 1)));

		down->completions += times;
		down->payload += times * carried(c, address, n);
		address += n;
		length -= n;
	}
}

void peer_read(const struct cqesim_peer_config *c, uint64_t address, uint32_t length,
	       uint64_t times, struct peer_traffic *t)
{
	if (!peer_fixed(c, CQESIM_PEER_FIX_COMPLETIONS)) {
		t->down.completions += times * divided(length, c->rcb_chunks ? c->rcb : c->mps);
		t->down.payload += times * carried(c, address, length);
	}
	while (length) {
		uint32_t n = piece(c, address, length, c->mrrs);

		t->up.requests += times;
		if (peer_fixed(c, CQESIM_PEER_FIX_COMPLETIONS))
			complete(c, address, n, times, &t->down);
		address += n;
		length -= n;
	}
}
