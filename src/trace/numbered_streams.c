/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TCP streams for the table of numbered frames: each goes on from round to round.  Runs of one
 * stream, as a sender's bursts are; mostly full segments.  Now and then another length, a gap, PSH,
 * FIN, and other ACK numbers, windows and TTLs.
 */
#include "numbered_streams.h"

#define MTU       1500u
#define LONG_RUN  48u
#define CALM_RUN  200u
#define LRO_LEAST 1348u

void numbered_streams_begin(struct numbered_streams *s)
{
	*s = (struct numbered_streams){.state = 0x2545f491};
	for (unsigned i = 0; i < NUMBERED_FLOWS; i++) {
		/* Some of them wrap soon. */
		uint32_t seq = i % 4 ? i * 0x10000001u : UINT32_C(0) - 100000 * i;

		s->stream[i] = (struct numbered_stream){
			.seq = seq, .first_seq = seq, .ack = i << 24, .window = 0xffff, .ttl = 64};
	}
}

static bool one_in(struct numbered_streams *s, uint32_t n)
{
	return !numbered_draw(&s->state, s->calm ? 100 * n : n);
}

static enum numbered_kind kind_of(unsigned flow)
{
	return (enum numbered_kind)(NUMBERED_STREAM4 + flow % 3);
}

static uint32_t put_l2(uint8_t *to, enum numbered_kind k, unsigned flow)
{
	static const uint8_t macs[12] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2};
	uint32_t ip = 14;

	memcpy(to, macs, sizeof(macs));
	if (k == NUMBERED_STREAM_VLAN4) {
		numbered_put16(to + 12, 0x8100);
		numbered_put16(to + 14, 0x2000 | flow);
		ip += 4;
	}
	numbered_put16(to + ip - 2, k == NUMBERED_STREAM6 ? 0x86dd : 0x0800);
	return ip;
}

/* The sum of the addresses. */
static uint32_t put_l3(uint8_t *ip, enum numbered_kind k, unsigned flow, uint32_t l4_bytes,
		       uint8_t ttl, uint8_t ecn)
{
	static const uint8_t net6[] = {0x20, 0x01, 0, 2};
	static const uint8_t addresses[8] = {198, 18, 1, 0, 198, 19, 0, 1};

	if (k == NUMBERED_STREAM6) {
		ip[0] = 0x60;
		ip[1] = (uint8_t)(ecn << 4);
		numbered_put16(ip + 4, l4_bytes);
		ip[6] = 6;
		ip[7] = ttl;
		memcpy(ip + 8, net6, sizeof(net6));
		numbered_put16(ip + 22, 0x100 + flow);
		memcpy(ip + 24, net6, sizeof(net6));
		ip[39] = 1;
		return numbered_sum(ip + 8, 32);
	}
	ip[0] = 0x45;
	ip[1] = ecn;
	numbered_put16(ip + 2, 20 + l4_bytes);
	numbered_put16(ip + 6, 0x4000);
	ip[8] = ttl;
	ip[9] = 6;
	memcpy(ip + 12, addresses, sizeof(addresses));
	ip[15] = (uint8_t)flow;
	numbered_put16(ip + 10, numbered_checksum(numbered_sum(ip, 20)));
	return numbered_sum(ip + 12, 8);
}

static void put_tcp(uint8_t *l4, const struct numbered_stream *t, unsigned flow, uint8_t flags,
		    uint32_t header, uint32_t bytes, uint32_t addresses)
{
	static const uint8_t time[12] = {1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8};

	numbered_put16(l4, 40000 + flow);
	numbered_put16(l4 + 2, 443);
	cqesim_be_store(l4 + 8, 4, t->ack);
	l4[12] = (uint8_t)(header / 4 << 4);
	l4[13] = flags;
	numbered_put16(l4 + 14, t->window);
	if (header > 20)
		memcpy(l4 + 20, time, sizeof(time));
	numbered_put16(l4 + 16, numbered_checksum(addresses + 6 + bytes + numbered_sum(l4, bytes)));
}

static uint32_t payload(struct numbered_streams *s, uint32_t full)
{
	uint32_t least = NUMBERED_BYTES + 4;

	if (one_in(s, 24))
		return least + numbered_draw(&s->state, LRO_LEAST - least);
	return one_in(s, 12) ? LRO_LEAST + numbered_draw(&s->state, full - LRO_LEAST + 1) : full;
}

/* What changes from segment to segment. */
static void wander(struct numbered_streams *s, struct numbered_stream *t)
{
	if (one_in(s, 4))
		t->ack += numbered_draw(&s->state, 3000);
	if (one_in(s, 4))
		t->window = (uint16_t)numbered_draw(&s->state, 65536);
	if (one_in(s, 10))
		t->ttl = (uint8_t)(62 + numbered_draw(&s->state, 3));
	if (one_in(s, 60))
		t->seq += 1 + numbered_draw(&s->state, 3000);
}

void numbered_streams_next(struct numbered_streams *s, struct numbered_frame *f)
{
	if (!s->left) {
		s->flow = (uint8_t)numbered_draw(&s->state, NUMBERED_FLOWS);
		s->left = 1 + numbered_draw(&s->state, s->calm ? CALM_RUN : LONG_RUN);
	}
	s->left--;
	struct numbered_stream *t = &s->stream[s->flow];
	enum numbered_kind k = kind_of(s->flow);
	uint32_t l3 = k == NUMBERED_STREAM6 ? 40 : 20, tcp = k == NUMBERED_STREAM_VLAN4 ? 32 : 20;
	uint32_t ip = k == NUMBERED_STREAM_VLAN4 ? 18 : 14;
	uint8_t flags = 0x10, ecn = one_in(s, 100) ? 1 : 2;

	wander(s, t);
	if (one_in(s, s->left ? 40 : 2))
		flags |= 0x08;
	if (one_in(s, 150))
		flags |= 0x01;
	f->kind = (uint8_t)k;
	f->flow = s->flow;
	f->payload = payload(s, MTU - l3 - tcp);
	f->l4 = (uint16_t)(ip + l3);
	f->at = (uint16_t)(f->l4 + tcp);
	f->seq = t->seq;
	f->len = f->at + f->payload;
	t->seq += f->payload;
	for (uint32_t i = 0; i < f->len; i++)
		f->bytes[i] = (uint8_t)(i * 31 + f->seq);
	memset(f->bytes, 0, f->at);
	numbered_stamp(f, 0);
	put_l2(f->bytes, k, s->flow);
	uint32_t sum = put_l3(f->bytes + ip, k, s->flow, tcp + f->payload, t->ttl, ecn);
	put_tcp(f->bytes + f->l4, t, s->flow, flags, tcp, tcp + f->payload, sum);
}

void numbered_streams_end(const struct numbered_streams *s, struct numbered *n)
{
	for (unsigned i = 0; i < NUMBERED_FRAMES; i++) {
		struct numbered_frame *f = &n->frame[i];

		if (numbered_is_stream(f))
			f->per_round = s->stream[f->flow].seq - s->stream[f->flow].first_seq;
	}
}
