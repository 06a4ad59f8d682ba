/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of TCP streams, joined or not.  Each segment in one holds its number, so what was joined
 * is read from the data; then every byte is known.  Headers: the first segment's, with what the
 * driver is to bring up to date (mlx5_lro_update_hdr): length, least TTL, ACK, window, PSH,
 * checksums, made anew by DPDK's own functions.
 */
#include <stdlib.h>

#include <rte_byteorder.h>
#include <rte_ip.h>
#include <rte_tcp.h>

#include "card_mbuf.h"

#define PACKET_MAX 65536u

struct joined {
	unsigned segments;
	uint64_t last;
	uint8_t ttl;
	bool psh, ack;
	uint32_t end, payload; /* bytes of the packet accounted for; of the first's payload */
};

bool lro_is_stream(const struct state *s, uint64_t number)
{
	return numbered_is_stream(&s->table.frame[number % NUMBERED_FRAMES]);
}

void lro_begin(struct state *s)
{
	s->packet = malloc(PACKET_MAX);
	s->wanted = malloc(PACKET_MAX);
	if (!s->packet || !s->wanted)
		rte_exit(1, "out of memory\n");
}

/* The frame as it is delivered: where its L3 and L4 headers are then. */
struct delivered {
	const struct expected *e;
	const struct numbered_frame *f;
	uint32_t l3, l4;
};

static struct delivered delivered(const struct state *s, uint64_t number)
{
	struct delivered d = {.e = &s->expected[number % NUMBERED_FRAMES],
			      .f = &s->table.frame[number % NUMBERED_FRAMES]};

	d.l4 = d.f->l4 - (d.f->at - d.e->at);
	d.l3 = d.l4 - (d.f->kind == NUMBERED_STREAM6 ? 40 : 20);
	return d;
}

/* `to`: its headers and payload from offset `from` on. */
static void make(const struct delivered *d, uint64_t number, uint8_t *to, uint32_t from)
{
	uint8_t frame[2048];

	memcpy(frame, d->e->bytes, d->e->len);
	numbered_stamp_at(d->f, frame + d->e->at, frame + d->l4, number);
	memcpy(to, frame + from, d->e->len - from);
}

static uint8_t ttl_of(const struct delivered *d, const uint8_t *headers)
{
	return headers[d->l3 + (d->f->kind == NUMBERED_STREAM6 ? 7 : 8)];
}

/* Does frame `number` follow in the stream that ends with frame `last`? */
static bool follows(const struct state *s, uint64_t last, uint64_t number)
{
	const struct numbered_frame *a = &s->table.frame[last % NUMBERED_FRAMES];
	const struct numbered_frame *b = &s->table.frame[number % NUMBERED_FRAMES];

	return number > last && number < s->o.packets && numbered_is_stream(b) &&
	       a->flow == b->flow && numbered_seq(b, number) == numbered_seq(a, last) + a->payload;
}

/* Builds in s->wanted what the packet should be, but for the first segment's headers. */
static struct joined walk(struct state *s, const struct delivered *first, uint64_t number,
			  uint32_t length)
{
	struct joined j = {.segments = 1, .last = number, .end = first->e->len};

	make(first, number, s->wanted, 0);
	j.ttl = ttl_of(first, s->wanted);
	j.psh = s->wanted[first->l4 + 13] & RTE_TCP_PSH_FLAG;
	while (j.end + NUMBERED_BYTES <= length) {
		uint8_t headers[2048];
		uint64_t next;

		if (!numbered_read(s->packet + j.end, &next) || !follows(s, j.last, next))
			break;
		struct delivered d = delivered(s, next);
		if (j.end + d.f->payload > length)
			break;
		make(&d, next, s->wanted + j.end, d.e->at);
		make(&d, next, headers, 0);
		if (ttl_of(&d, headers) < j.ttl)
			j.ttl = ttl_of(&d, headers);
		j.psh |= headers[d.l4 + 13] & RTE_TCP_PSH_FLAG;
		memcpy(s->wanted + first->l4 + 8, headers + d.l4 + 8, 4);   /* ACK */
		memcpy(s->wanted + first->l4 + 14, headers + d.l4 + 14, 2); /* window */
		j.end += d.f->payload;
		j.last = next;
		j.segments++;
	}
	return j;
}

static void update(const struct delivered *first, const struct joined *j, uint8_t *packet)
{
	struct rte_tcp_hdr *tcp = (void *)(packet + first->l4);

	if (j->psh)
		tcp->tcp_flags |= RTE_TCP_PSH_FLAG;
	tcp->cksum = 0;
	if (first->f->kind == NUMBERED_STREAM6) {
		struct rte_ipv6_hdr *ip = (void *)(packet + first->l3);

		ip->hop_limits = j->ttl;
		ip->payload_len = rte_cpu_to_be_16((uint16_t)(j->end - first->l4));
		tcp->cksum = rte_ipv6_udptcp_cksum(ip, tcp);
		return;
	}
	struct rte_ipv4_hdr *ip = (void *)(packet + first->l3);

	ip->time_to_live = j->ttl;
	ip->total_length = rte_cpu_to_be_16((uint16_t)(j->end - first->l3));
	ip->hdr_checksum = 0;
	ip->hdr_checksum = rte_ipv4_cksum(ip);
	tcp->cksum = rte_ipv4_udptcp_cksum(ip, tcp);
}

unsigned lro_check(struct state *s, const struct rte_mbuf *m, unsigned q, uint64_t number)
{
	struct delivered first = delivered(s, number);
	bool flag = m->ol_flags & RTE_MBUF_F_RX_LRO;
	uint32_t length = m->pkt_len;

	if (length > PACKET_MAX || !length) {
		differs(s, DIFF_LENGTH, q, number, length, PACKET_MAX);
		return 1;
	}
	const uint8_t *bytes = rte_pktmbuf_read(m, 0, length, s->packet);
	if (!bytes) {
		differs(s, DIFF_LENGTH, q, number, length, 0);
		return 1;
	}
	if (bytes != s->packet)
		memcpy(s->packet, bytes, length);
	struct joined j = walk(s, &first, number, length);
	s->next[q] = j.last + 1;
	if (flag != (j.segments > 1) || length > s->o.lro + (s->o.lro ? 0 : PACKET_MAX))
		differs(s, DIFF_SEGMENT, q, number, flag, j.segments);
	if (j.end != length)
		differs(s, DIFF_SEGMENT, q, number, length, j.end);
	if (j.segments > 1)
		update(&first, &j, s->wanted);
	struct rte_tcp_hdr *tcp = (void *)(s->wanted + first.l4);
	const struct rte_tcp_hdr *found = (const void *)(s->packet + first.l4);
	if (flag && !tcp->cksum && found->cksum == 0xffff) { /* the same sum to a receiver */
		s->known[KNOWN_TCP_FFFF]++;
		tcp->cksum = 0xffff;
	}
	if (memcmp(s->packet, s->wanted, first.e->at))
		differs(s, DIFF_HEADER, q, number, s->packet[first.l4 + 16],
			s->wanted[first.l4 + 16]);
	if (memcmp(s->packet + first.e->at, s->wanted + first.e->at,
		   (j.end < length ? j.end : length) - first.e->at))
		differs(s, DIFF_DATA, q, number, 1, 0);
	if (!flag)
		return j.segments;
	s->joined++;
	s->joined_segments += j.segments;
	if (j.segments > s->joined_most)
		s->joined_most = j.segments;
	/* The driver divides the whole length, headers too. */
	if (m->tso_segsz != length / j.segments)
		differs(s, DIFF_SEGMENT, q, number, m->tso_segsz, length / j.segments);
	else if (m->tso_segsz != first.f->payload)
		s->known[KNOWN_SEGSZ]++;
	return j.segments;
}
