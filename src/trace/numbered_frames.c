/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of frames: see numbered.h.  Addresses as in flows.c. */
#include <errno.h>
#include <stdlib.h>

#include "numbered_streams.h"

#define ETH_BYTES 14u
#define FLOWS     1024u
/* Streams: every other time so many frames are nothing but full segments. */
#define CALM_FRAMES 512u

struct mix {
	const char *name;
	bool kind[NUMBERED_KINDS];
	uint32_t longest; /* without FCS, tag not counted */
	uint32_t run;     /* most frames of one kind and length in a row; 0: all of them */
	bool streams;     /* one in eight or less of `kind`, the others of streams */
};

#define ALL_KINDS                                                                                  \
	{                                                                                          \
		[0 ... NUMBERED_VLAN_OTHER] = true                                                 \
	}
static const struct mix mixes[] = {
	{"udp", {[NUMBERED_UDP4] = true}, 60, 0, false},
	{"tcp", {[NUMBERED_TCP4] = true}, 1514, 0, false},
	{"small", ALL_KINDS, 124, 40, false},
	{"all", ALL_KINDS, 1514, 40, false},
	{"jumbo", ALL_KINDS, 9014, 20, false},
	{"lro", ALL_KINDS, 1514, 1, true},
};

struct builder {
	const struct mix *mix;
	uint32_t state; /* of the draws */
	enum numbered_kind kind;
	uint32_t len, left; /* of the run */
};

static uint32_t draw(struct builder *b, uint32_t below)
{
	return numbered_draw(&b->state, below);
}

static bool is_ipv6(enum numbered_kind k)
{
	return k == NUMBERED_UDP6 || k == NUMBERED_TCP6 || k == NUMBERED_FRAGMENT6 ||
	       k == NUMBERED_VLAN_TCP6;
}

static bool is_tcp(enum numbered_kind k)
{
	return k == NUMBERED_TCP4 || k == NUMBERED_TCP6 || k == NUMBERED_BAD_TCP ||
	       k == NUMBERED_VLAN_TCP6;
}

static bool has_tag(enum numbered_kind k)
{
	return k >= NUMBERED_VLAN_UDP4;
}

static bool is_other(enum numbered_kind k)
{
	return k == NUMBERED_OTHER || k == NUMBERED_VLAN_OTHER;
}

static uint32_t tag_bytes(enum numbered_kind k)
{
	return has_tag(k) ? 4 : 0;
}

static uint32_t l3_bytes(enum numbered_kind k)
{
	if (is_other(k))
		return 0;
	if (is_ipv6(k))
		return k == NUMBERED_FRAGMENT6 ? 48 : 40;
	return k == NUMBERED_OPTIONS4 ? 24 : 20;
}

static uint32_t l4_bytes(enum numbered_kind k)
{
	if (is_other(k) || k == NUMBERED_REST4)
		return 0;
	return is_tcp(k) ? 20 : 8;
}

/* The IP packet's L3 header at ip; `bytes` long with what follows. */
static void put_l3(struct builder *b, uint8_t *ip, uint32_t bytes, uint32_t flow)
{
	enum numbered_kind k = b->kind;
	uint8_t proto = is_tcp(k) ? 6 : k == NUMBERED_ICMP4 ? 1 : 17;

	if (is_ipv6(k)) {
		static const uint8_t net[] = {0x20, 0x01, 0, 2};

		ip[0] = 0x60;
		numbered_put16(ip + 4, bytes - 40);
		ip[6] = k == NUMBERED_FRAGMENT6 ? 44 : proto;
		ip[7] = 64;
		memcpy(ip + 8, net, sizeof(net));
		numbered_put16(ip + 22, flow);
		memcpy(ip + 24, net, sizeof(net));
		ip[39] = 1;
		if (k == NUMBERED_FRAGMENT6) {
			ip[40] = proto;
			numbered_put16(ip + 42, 1); /* offset 0, more fragments */
			numbered_put16(ip + 46, flow);
		}
		return;
	}
	uint32_t words = l3_bytes(k) / 4;
	static const uint8_t addresses[8] = {198, 18, 0, 0, 198, 19, 0, 1};

	ip[0] = (uint8_t)(0x40 | words);
	numbered_put16(ip + 2, bytes);
	numbered_put16(ip + 4, flow);
	if (k == NUMBERED_FRAGMENT4)
		numbered_put16(ip + 6, 0x2000);
	else if (k == NUMBERED_REST4)
		numbered_put16(ip + 6, 185);
	ip[8] = 64;
	ip[9] = proto;
	memcpy(ip + 12, addresses, sizeof(addresses));
	numbered_put16(ip + 14, flow);
	if (words == 6)
		memset(ip + 20, 1, 4); /* four times "no operation" (RFC 791) */
	numbered_put16(ip + 10, numbered_checksum(numbered_sum(ip, words * 4)));
	if (k == NUMBERED_BAD_HEADER)
		ip[11] ^= 0x5a;
}

/* The L4 header, `bytes` long with its data, which is there already. */
static void put_l4(struct builder *b, uint8_t *l4, const uint8_t *ip, uint32_t bytes, uint32_t flow)
{
	enum numbered_kind k = b->kind;
	uint32_t check_at = is_tcp(k) ? 16 : k == NUMBERED_ICMP4 ? 2 : 6;

	if (k == NUMBERED_ICMP4) {
		l4[0] = 8;
		numbered_put16(l4 + 4, flow);
		numbered_put16(l4 + 2, numbered_checksum(numbered_sum(l4, bytes)));
		return;
	}
	numbered_put16(l4, 49152 + (flow & 0x3f));
	numbered_put16(l4 + 2, 9);
	if (is_tcp(k)) {
		l4[12] = 0x50;
		l4[13] = 0x10;
		numbered_put16(l4 + 14, 0xffff);
	} else {
		numbered_put16(l4 + 4, bytes);
	}
	uint32_t sum = numbered_sum(l4, bytes) + bytes + (is_tcp(k) ? 6 : 17);
	sum += is_ipv6(k) ? numbered_sum(ip + 8, 32) : numbered_sum(ip + 12, 8);
	uint32_t value = numbered_checksum(sum);
	numbered_put16(l4 + check_at, value ? value : 0xffff);
	if (k == NUMBERED_BAD_UDP || k == NUMBERED_BAD_TCP)
		l4[check_at] ^= 0x5a;
}

static void put_frame(struct builder *b, struct numbered_frame *f, uint32_t flow)
{
	static const uint8_t macs[12] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2};
	uint32_t ip = ETH_BYTES + tag_bytes(b->kind), l4 = ip + l3_bytes(b->kind);
	uint32_t end = f->len - (b->kind == NUMBERED_PADDED4 ? 7 : 0);

	/* Data that is different everywhere; the number comes over it. */
	for (uint32_t i = 0; i < f->len; i++)
		f->bytes[i] = (uint8_t)(i * 167 + flow);
	memset(f->bytes, 0, l4 + l4_bytes(b->kind));
	memcpy(f->bytes, macs, sizeof(macs));
	if (has_tag(b->kind)) {
		numbered_put16(f->bytes + 12, 0x8100);
		numbered_put16(f->bytes + 14, (flow & 7) << 13 | (flow & 0xfff));
	}
	numbered_put16(f->bytes + ip - 2, is_other(b->kind)  ? 0x88b5
					  : is_ipv6(b->kind) ? 0x86dd
							     : 0x0800);
	f->at = (uint16_t)(l4 + l4_bytes(b->kind));
	f->kind = (uint8_t)b->kind;
	numbered_write(f->bytes + f->at, 0);
	if (is_other(b->kind))
		return;
	put_l3(b, f->bytes + ip, end - ip, flow);
	if (l4_bytes(b->kind))
		put_l4(b, f->bytes + l4, f->bytes + ip, end - l4, flow);
}

static uint32_t shortest(enum numbered_kind k)
{
	uint32_t n = ETH_BYTES + tag_bytes(k) + l3_bytes(k) + l4_bytes(k) + NUMBERED_BYTES;

	n += k == NUMBERED_PADDED4 ? 7 : 0;
	return n > CQESIM_MIN_FRAME ? n : CQESIM_MIN_FRAME;
}

/* Half of all runs are short frames, as on most wires. */
static void next_run(struct builder *b)
{
	do
		b->kind = (enum numbered_kind)draw(b, NUMBERED_VLAN_OTHER + 1);
	while (!b->mix->kind[b->kind]);
	uint32_t least = shortest(b->kind), most = b->mix->longest + tag_bytes(b->kind);

	b->len = least;
	if (most > least && draw(b, 2))
		b->len = least + draw(b, most - least + 1);
	b->left = b->mix->run ? 1 + draw(b, b->mix->run) : NUMBERED_FRAMES;
}

static int find_mix(struct builder *b, const char *name, struct cqesim_error *err)
{
	for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++)
		if (!strcmp(name, mixes[i].name)) {
			*b = (struct builder){.mix = &mixes[i], .state = 0x9e3779b9};
			return 0;
		}
	return cqesim_fail(err, -EINVAL,
			   "numbered:%s: expected one of udp, tcp, small, all, jumbo, lro", name);
}

int numbered_make(struct numbered *n, const char *mix, struct cqesim_error *err)
{
	struct builder b = {0};
	int rc = find_mix(&b, mix, err);

	if (rc)
		return rc;
	n->largest = 0;
	uint32_t room = b.mix->longest + 64;
	n->memory = malloc((size_t)room * NUMBERED_FRAMES);
	if (!n->memory)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	struct numbered_streams streams;
	numbered_streams_begin(&streams);
	for (uint32_t i = 0; i < NUMBERED_FRAMES; i++) {
		struct numbered_frame *f = &n->frame[i];

		*f = (struct numbered_frame){.bytes = n->memory + (size_t)room * i};
		streams.calm = i / CALM_FRAMES & 1;
		if (b.mix->streams && (streams.calm || draw(&b, 8))) {
			numbered_streams_next(&streams, f);
			if (f->len > n->largest)
				n->largest = f->len;
			continue;
		}
		if (!b.left)
			next_run(&b);
		b.left--;
		/* Lengths within a run differ now and then: minis carry them. */
		uint32_t least = shortest(b.kind);
		f->len = b.mix->run && !draw(&b, 4) ? least + draw(&b, b.len - least + 1) : b.len;
		put_frame(&b, f, draw(&b, FLOWS));
		if (f->len > n->largest)
			n->largest = f->len;
	}
	numbered_streams_end(&streams, n);
	return 0;
}

void numbered_free(struct numbered *n)
{
	free(n->memory);
	n->memory = NULL;
}
