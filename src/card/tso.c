/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Large sends: a TCP packet that is longer than the wire takes is cut into segments
 * of `mss` bytes of payload, each with the headers of the whole, put right: lengths,
 * IPv4's identification, sequence number, and flags that belong to the first (CWR)
 * or the last (PSH, FIN) alone.  What is not TCP in IP (tunnels) goes out uncut.
 */
#include <string.h>

#include "card_internal.h"

#define TCP      6u
#define TCP_FIN  0x01u
#define TCP_PSH  0x08u
#define TCP_CWR  0x80u
#define IPV6_FIX 40u

/* Bytes from..from+length of the whole packet, as pieces. */
static int add_slice(struct card_sending *s, const struct card_sending *whole, uint32_t from,
		     uint32_t length)
{
	const struct cqesim_sent_frame *f = &whole->frame;
	int rc = 0;

	for (unsigned i = 0; i < f->pieces && length && !rc; i++) {
		uint32_t there = f->piece[i].length;

		if (from >= there) {
			from -= there;
			continue;
		}
		uint32_t n = there - from < length ? there - from : length;
		uint64_t address = whole->address[i];

		rc = card_add_piece(s, f->piece[i].data + from,
				    address == CARD_IN_WQE ? address : address + from, n);
		length -= n;
		from = 0;
	}
	return rc;
}

static void copy_headers(uint8_t *to, const struct card_sending *whole, uint32_t length)
{
	const struct cqesim_sent_frame *f = &whole->frame;

	for (unsigned i = 0; length; i++) {
		uint32_t n = f->piece[i].length < length ? f->piece[i].length : length;

		memcpy(to, f->piece[i].data, n);
		to += n;
		length -= n;
	}
}

static void put_right(uint8_t *headers, uint32_t bytes, const struct card_headers *h, uint32_t from,
		      uint32_t length, uint32_t mss, bool last)
{
	uint8_t *ip = headers + h->l3, *tcp = headers + h->l4;

	if (h->version == 4) {
		cqesim_be_store(ip + 2, 2, bytes - h->l3 + length);
		cqesim_be_store(ip + 4, 2, cqesim_be_load(ip + 4, 2) + from / mss);
	} else {
		cqesim_be_store(ip + 4, 2, bytes - h->l3 - IPV6_FIX + length);
	}
	cqesim_be_store(tcp + 4, 4, cqesim_be_load(tcp + 4, 4) + from);
	if (from)
		tcp[13] &= (uint8_t)~TCP_CWR;
	if (!last)
		tcp[13] &= (uint8_t) ~(TCP_PSH | TCP_FIN);
}

int card_tso_segment(struct cqesim_card *card, struct card_sq *sq, uint32_t header, uint32_t mss)
{
	const struct card_sending *whole = &card->whole;
	struct card_sending *s = &card->sending;
	struct card_headers h;
	uint32_t payload = whole->frame.length - header, from = sq->begun ? sq->offset : 0;

	if (sq->begun && from >= payload)
		return 0;
	if (header > CARD_MADE_MAX)
		return -EBADMSG;
	s->kind = CQESIM_SEND_TSO;
	s->frame = (struct cqesim_sent_frame){.sqn = sq->number};
	copy_headers(s->made, whole, header);
	if (!card_headers(s->made, header, whole->frame.length, &h) || h.proto != TCP ||
	    h.l4 + 20 > header) {
		sq->offset = payload;
		s->frame.l3_checksum = whole->frame.l3_checksum;
		s->frame.l4_checksum = whole->frame.l4_checksum;
		int rc = add_slice(s, whole, 0, whole->frame.length);
		return rc ? rc : 1;
	}
	uint32_t length = payload - from < mss ? payload - from : mss;

	sq->offset = from + length;
	put_right(s->made, header, &h, from, length, mss, from + length == payload);
	/* No checksum of the whole is right for its parts. */
	s->frame.l3_checksum = s->frame.l4_checksum = true;
	int rc = card_add_piece(s, s->made, CARD_IN_WQE, header);
	if (!rc)
		rc = add_slice(s, whole, header + from, length);
	return rc ? rc : 1;
}
