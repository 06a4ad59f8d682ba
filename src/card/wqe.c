/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send WQEs: which packets they hold.  Layouts: DV struct mlx5_wqe_ctrl_seg,
 * mlx5_wqe_eth_seg, mlx5_wqe_data_seg; PMD mlx5_prm.h, mlx5_tx.h.
 *
 *    0  control segment: opcode, index (bits 23:8) | queue number, size in units of
 *       16 bytes (bits 5:0) | byte 11, bits 3:2: completion wanted
 *   16  Ethernet segment: byte 20 checksums, 22 MSS, 28 size of inline headers or
 *       (bit 15) a tag to be inserted, 30 the headers or the tag
 *   32, or where the inline headers end: data segments of 16 bytes (length, lkey,
 *       address), or inline ones (bit 31 of the length, then the data), each on 16
 *
 * A multi-packet WQE has one data segment per packet; others are one packet.  All of
 * it goes on at the ring's begin when it comes to the end.
 */
#include <string.h>

#include "card_internal.h"

#define UNIT        16u
#define ETH         16u
#define BODY        32u /* begin of data segments without inline headers */
#define CS_FLAGS    20u
#define MSS         22u
#define INLINE      28u /* size, then the data */
#define TAG_INSERT  0x8000u
#define L3_CSUM     0x40u
#define L4_CSUM     0x80u
#define DATA_INLINE 0x80000000u

#define OP_NOP  0x00u
#define OP_SEND 0x0au
#define OP_TSO  0x0eu
#define OP_MPW  0x29u /* ENHANCED_MPSW */

#define MAC_BYTES 12u
#define TAG_BYTES 4u

static uint32_t round_up(uint32_t n)
{
	return (n + UNIT - 1) & ~(UNIT - 1);
}

/* Byte `offset` of the WQE; 16 from a multiple of 16 on lie together. */
static const uint8_t *at(const struct card_sq *sq, uint32_t offset)
{
	uint32_t ring = (sq->mask + 1) * CARD_BLOCK;

	return (const uint8_t *)sq->attr.ring +
	       (((uint32_t)sq->ci * CARD_BLOCK + offset) & (ring - 1));
}

int card_wqe_read(const struct card_sq *sq, uint32_t posted, struct card_wqe *wqe)
{
	const uint8_t *control = at(sq, 0);
	uint32_t opcode = (uint32_t)cqesim_be_load(control, 4);
	uint32_t number = (uint32_t)cqesim_be_load(control + 4, 4);

	*wqe = (struct card_wqe){
		.index = sq->ci,
		.opcode = (uint8_t)opcode,
		.bytes = (number & 0x3f) * UNIT,
		.completion = control[11] >> 2 & 3,
		.told_index = (uint16_t)(opcode >> 8),
		.told_number = number >> 8,
	};
	wqe->blocks = (wqe->bytes + CARD_BLOCK - 1) / CARD_BLOCK;
	if (!wqe->bytes || wqe->blocks > posted)
		return -EBADMSG;
	if (wqe->opcode == OP_NOP)
		return 0;
	/* The high byte modifies the opcode: TSO with one is the older multi-packet WQE. */
	bool known = wqe->opcode == OP_SEND || wqe->opcode == OP_MPW || wqe->opcode == OP_TSO;
	return known && !(opcode >> 24) && wqe->bytes >= BODY ? 0 : -EBADMSG;
}

int card_add_piece(struct card_sending *s, const uint8_t *data, uint64_t address, uint32_t length)
{
	struct cqesim_sent_frame *f = &s->frame;

	if (!length)
		return 0;
	if (f->pieces == CARD_PIECES)
		return -EBADMSG;
	f->piece[f->pieces].data = data;
	f->piece[f->pieces].length = length;
	s->address[f->pieces++] = address;
	f->length += length;
	return 0;
}

/* Data in the WQE itself, which may go on at the ring's begin. */
static int add_inline(struct card_sending *s, const struct card_sq *sq, uint32_t offset,
		      uint32_t length)
{
	const uint8_t *data = at(sq, offset);
	uint32_t to_end = (uint32_t)((const uint8_t *)sq->attr.ring +
				     (size_t)(sq->mask + 1) * CARD_BLOCK - data);
	uint32_t first = length < to_end ? length : to_end;
	int rc = card_add_piece(s, data, CARD_IN_WQE, first);

	return rc ? rc : card_add_piece(s, sq->attr.ring, CARD_IN_WQE, length - first);
}

/* One data segment; *offset goes on to the next. */
static int add_segment(const struct cqesim_card *card, struct card_sending *s,
		       const struct card_sq *sq, const struct card_wqe *wqe, uint32_t *offset)
{
	const uint8_t *segment = at(sq, *offset);
	uint32_t length = (uint32_t)cqesim_be_load(segment, 4);

	if (length & DATA_INLINE) {
		length &= ~DATA_INLINE;
		if (length > wqe->bytes - *offset - 4)
			return -EBADMSG;
		int rc = add_inline(s, sq, *offset + 4, length);

		*offset += round_up(4 + length);
		return rc;
	}
	uint32_t lkey = (uint32_t)cqesim_be_load(segment + 4, 4);
	uint64_t address = cqesim_be_load(segment + 8, 8);

	*offset += UNIT;
	if (!length)
		return 0;
	const uint8_t *data =
		card->config.translate(card->config.translate_context, lkey, address, length);
	return data ? card_add_piece(s, data, address, length) : -EFAULT;
}

/* Bytes of headers in the Ethernet segment. */
static uint32_t inline_headers(const struct card_sq *sq)
{
	uint32_t size = (uint32_t)cqesim_be_load(at(sq, INLINE), 2);

	return size & TAG_INSERT ? 0 : size;
}

static void begin(struct card_sending *s, const struct card_sq *sq)
{
	uint8_t flags = *at(sq, CS_FLAGS);

	s->frame.sqn = sq->number;
	s->frame.length = 0;
	s->frame.pieces = 0;
	s->frame.l3_checksum = flags & L3_CSUM;
	s->frame.l4_checksum = flags & L4_CSUM;
}

/* All that the WQE holds, as one packet. */
static int read_whole(const struct cqesim_card *card, struct card_sending *s,
		      const struct card_sq *sq, const struct card_wqe *wqe)
{
	uint32_t headers = inline_headers(sq), offset = BODY;
	int rc = 0;

	begin(s, sq);
	if (headers) {
		if (INLINE + 2 + headers > wqe->bytes)
			return -EBADMSG;
		rc = add_inline(s, sq, INLINE + 2, headers);
		offset = ETH + round_up(INLINE + 2 - ETH + headers);
	}
	while (!rc && offset < wqe->bytes)
		rc = add_segment(card, s, sq, wqe, &offset);
	return rc;
}

/* A tag behind the addresses: pieces from there on move up. */
static int insert_tag(struct card_sending *s, uint16_t tci)
{
	struct cqesim_sent_frame *f = &s->frame;
	uint32_t left = MAC_BYTES;
	unsigned i = 0;

	for (; i < f->pieces && f->piece[i].length <= left; i++)
		left -= f->piece[i].length;
	unsigned more = left ? 2 : 1; /* the piece at the border becomes two */
	if (i == f->pieces || f->pieces + more > CARD_PIECES)
		return -EBADMSG;
	memmove(&f->piece[i + more], &f->piece[i], (f->pieces - i) * sizeof(f->piece[0]));
	memmove(&s->address[i + more], &s->address[i], (f->pieces - i) * sizeof(s->address[0]));
	if (left) {
		f->piece[i].length = left;
		f->piece[i + 2].data += left;
		f->piece[i + 2].length -= left;
		if (s->address[i + 2] != CARD_IN_WQE)
			s->address[i + 2] += left;
		i++;
	}
	cqesim_be_store(s->made, 2, 0x8100);
	cqesim_be_store(s->made + 2, 2, tci);
	f->piece[i].data = s->made;
	f->piece[i].length = TAG_BYTES;
	s->address[i] = CARD_IN_WQE;
	f->pieces += more;
	f->length += TAG_BYTES;
	return 0;
}

static int finish(struct card_sending *s, const struct card_sq *sq)
{
	uint32_t word = (uint32_t)cqesim_be_load(at(sq, INLINE), 4);
	int rc = word >> 16 & TAG_INSERT ? insert_tag(s, (uint16_t)word) : 0;

	if (rc)
		return rc;
	return s->frame.length ? 1 : -EBADMSG;
}

static bool any_inline(const struct card_sending *s)
{
	for (unsigned i = 0; i < s->frame.pieces; i++)
		if (s->address[i] == CARD_IN_WQE && s->frame.piece[i].data != s->made)
			return true;
	return false;
}

static int multi_packet(struct cqesim_card *card, struct card_sq *sq, const struct card_wqe *wqe)
{
	struct card_sending *s = &card->sending;
	uint32_t offset = sq->begun ? sq->offset : BODY;

	if (offset >= wqe->bytes)
		return 0;
	begin(s, sq);
	int rc = add_segment(card, s, sq, wqe, &offset);

	sq->offset = offset;
	if (rc)
		return rc;
	s->kind = any_inline(s) ? CQESIM_SEND_MPW_INLINE : CQESIM_SEND_MPW;
	return finish(s, sq);
}

static int one_packet(struct cqesim_card *card, struct card_sq *sq, const struct card_wqe *wqe)
{
	struct card_sending *s = &card->sending;

	if (sq->begun)
		return 0;
	int rc = read_whole(card, s, sq, wqe);

	if (rc)
		return rc;
	s->kind = any_inline(s) ? CQESIM_SEND_INLINE : CQESIM_SEND_PLAIN;
	return finish(s, sq);
}

static int to_be_cut(struct cqesim_card *card, struct card_sq *sq, const struct card_wqe *wqe)
{
	uint32_t headers = inline_headers(sq), mss = (uint32_t)cqesim_be_load(at(sq, MSS), 2);

	if (!headers || !mss)
		return -EBADMSG;
	int rc = read_whole(card, &card->whole, sq, wqe);

	return rc ? rc : card_tso_segment(card, sq, headers, mss);
}

int card_wqe_packet(struct cqesim_card *card, struct card_sq *sq, const struct card_wqe *wqe)
{
	int rc = 0;

	if (wqe->opcode == OP_MPW)
		rc = multi_packet(card, sq, wqe);
	else if (wqe->opcode == OP_SEND)
		rc = one_packet(card, sq, wqe);
	else if (wqe->opcode == OP_TSO)
		rc = to_be_cut(card, sq, wqe);
	if (rc > 0)
		sq->begun = true;
	return rc;
}
