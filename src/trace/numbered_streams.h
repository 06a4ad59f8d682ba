/* SPDX-License-Identifier: BSD-3-Clause */
/* numbered_streams.h - the parts from which the table of numbered frames is made. */
#ifndef TRACE_NUMBERED_STREAMS_H
#define TRACE_NUMBERED_STREAMS_H

#include "numbered.h"

#define NUMBERED_FLOWS 24u

/* TCP streams: what the next segment of each is like. */
struct numbered_streams {
	uint32_t state; /* of the draws */
	bool calm;      /* full segments in long runs, and little else */
	uint8_t flow;
	uint32_t left; /* segments of this run */
	struct numbered_stream {
		uint32_t seq, first_seq, ack;
		uint16_t window;
		uint8_t ttl;
	} stream[NUMBERED_FLOWS];
};
void numbered_streams_begin(struct numbered_streams *s);
/* f->bytes is there, of 1518 bytes. */
void numbered_streams_next(struct numbered_streams *s, struct numbered_frame *f);
/* The table is complete. */
void numbered_streams_end(const struct numbered_streams *s, struct numbered *n);

/* Marsaglia's xorshift: the same table wherever it is made. */
static inline uint32_t numbered_draw(uint32_t *state, uint32_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state % below;
}

static inline void numbered_put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

static inline uint32_t numbered_sum(const uint8_t *at, uint32_t n)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i + 1 < n; i += 2)
		sum += (uint32_t)at[i] << 8 | at[i + 1];
	return n & 1 ? sum + ((uint32_t)at[n - 1] << 8) : sum;
}

static inline uint32_t numbered_checksum(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

#endif
