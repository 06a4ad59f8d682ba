/* SPDX-License-Identifier: BSD-3-Clause */
/* What joining segments needs to know of a frame.  See aggregate.h. */
#include "cqesim/aggregate.h"
#include "cqesim/cqe.h"

#define ETHERTYPE_IPV4 0x0800u
#define ETHERTYPE_IPV6 0x86ddu
#define PROTO_TCP      6u
#define PROTO_UDP      17u

/* FNV-1a: keys only have to differ where the bytes do. */
#define KEY_START UINT64_C(0xcbf29ce484222325)

static uint64_t key(uint64_t k, const uint8_t *p, size_t n)
{
	while (n--)
		k = (k ^ *p++) * UINT64_C(0x100000001b3);
	return k;
}

static bool is_tag(unsigned type)
{
	return type == 0x8100 || type == 0x88a8 || type == 0x9100;
}

/* Where the frame's L4 header lies, and of which protocol it is; 0: none that counts. */
struct l4 {
	uint32_t at;  /* offset of the L4 header */
	uint32_t end; /* of the packet, padding left out */
	uint8_t proto;
};

static bool read_ipv4(const struct cqesim_frame *f, uint32_t at, struct l4 *l,
		      struct cqesim_segment *g)
{
	const uint8_t *h = f->data + at;

	if (f->cap_len < at + 20 || h[0] >> 4 != 4)
		return false;
	uint32_t length = (h[0] & 15u) * 4, total = (uint32_t)cqesim_be_load(h + 2, 2);
	/* More fragments, or an offset: the rest of the packet is elsewhere. */
	if (length < 20 || f->cap_len < at + length || total < length || at + total > f->len ||
	    cqesim_be_load(h + 6, 2) & 0x3fff)
		return false;
	const uint8_t compared[] = {h[1], h[6]};
	*l = (struct l4){at + length, at + total, h[9]};
	g->flow = key(g->flow, h + 12, 8);
	g->traits = key(g->traits, compared, sizeof(compared));
	g->traits = key(g->traits, h + 20, length - 20);
	g->ttl = h[8];
	g->ip_options = length > 20;
	return true;
}

static bool read_ipv6(const struct cqesim_frame *f, uint32_t at, struct l4 *l,
		      struct cqesim_segment *g)
{
	const uint8_t *h = f->data + at;

	if (f->cap_len < at + 40 || h[0] >> 4 != 6)
		return false;
	uint32_t payload = (uint32_t)cqesim_be_load(h + 4, 2);
	if (at + 40 + payload > f->len)
		return false;
	*l = (struct l4){at + 40, at + 40 + payload, h[6]};
	g->flow = key(g->flow, h + 8, 32);
	g->traits = key(g->traits, h, 4);
	g->ttl = h[7];
	return true;
}

/* Options count by kind and length; a time stamp's value moves on without harm. */
static void read_options(const uint8_t *o, uint32_t n, struct cqesim_segment *g)
{
	while (n) {
		uint32_t size = o[0] < 2 ? 1 : n < 2 || o[1] < 2 || o[1] > n ? n : o[1];

		g->traits = key(g->traits, o, o[0] == 8 && size == 10 ? 2 : size);
		o += size;
		n -= size;
	}
}

static void read_tcp(const struct cqesim_frame *f, const struct l4 *l, struct cqesim_segment *g)
{
	const uint8_t *h = f->data + l->at;

	if (l->end < l->at + 20 || f->cap_len < l->at + 20)
		return;
	uint32_t length = (h[12] >> 4) * 4u;
	if (length < 20 || l->end < l->at + length || f->cap_len < l->at + length)
		return;
	g->tcp = true;
	g->flow = key(g->flow, h, 4);
	g->seq = (uint32_t)cqesim_be_load(h + 4, 4);
	g->ack = (uint32_t)cqesim_be_load(h + 8, 4);
	g->tcp_flags = h[13];
	g->window = (uint16_t)cqesim_be_load(h + 14, 2);
	/* ECE and CWR (and what else is not in tcp_flags' rules) must not change in a session. */
	g->traits = key(g->traits, (const uint8_t[]){h[13] & 0xd0, h[12] & 0x0f}, 2);
	read_options(h + 20, length - 20, g);
	g->header_bytes = (uint16_t)(l->at + length);
	g->payload_bytes = l->end - l->at - length;
}

void cqesim_segment_read(const struct cqesim_frame *f, struct cqesim_segment *g)
{
	uint32_t at = 12;
	struct l4 l;

	*g = (struct cqesim_segment){
		.time_ps = f->time_ps,
		.flow = KEY_START,
		.traits = KEY_START,
		.payload_bytes = f->len,
	};
	for (unsigned tags = 0; tags < 2 && f->cap_len >= at + 4; tags++, at += 4) {
		if (!is_tag((unsigned)cqesim_be_load(f->data + at, 2)))
			break;
		g->traits = key(g->traits, f->data + at, 4);
	}
	if (f->cap_len < at + 2)
		return;
	unsigned type = (unsigned)cqesim_be_load(f->data + at, 2);
	at += 2;
	if (!(type == ETHERTYPE_IPV4   ? read_ipv4(f, at, &l, g)
	      : type == ETHERTYPE_IPV6 ? read_ipv6(f, at, &l, g)
				       : false))
		return;
	g->flow = key(g->flow, &l.proto, 1);
	if (l.proto == PROTO_TCP) {
		read_tcp(f, &l, g);
	} else if (l.proto == PROTO_UDP && l.end >= l.at + 8) {
		g->header_bytes = (uint16_t)(l.at + 8);
		g->payload_bytes = l.end - l.at - 8;
	}
}
