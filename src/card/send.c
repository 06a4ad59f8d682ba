/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send queues at work: WQEs in order, their packets given away, completions and
 * errors written.
 *
 * What that puts on the link: WQEs are read in blocks as receive WQEs are (assumed),
 * data as its segments lie, each doorbell is a register write of 8 bytes (PMD
 * mlx5_doorbell_ring), a completion 64 bytes.
 */
#include "card_internal.h"

#define TURN           64u /* packets of a queue before the next has its turn */
#define DOORBELL_BYTES 8u

/* PMD enum mlx5_completion_mode; bits 3:2 of byte 11. */
#define ONLY_FIRST_ERR 1u
#define ALWAYS         2u

static void look(struct cqesim_card *card, struct card_sq *sq)
{
	uint32_t word = __atomic_load_n(&sq->attr.dbrec[1], __ATOMIC_ACQUIRE);

	if (sq->stale && word == sq->stale)
		return;
	sq->stale = 0;
	uint16_t pi = (uint16_t)__builtin_bswap32(word);
	if (pi == sq->pi)
		return;
	sq->pi = pi;
	card->stats.send_doorbells++;
	cqesim_nic_tx_doorbell(card->nic, card->now_ps, DOORBELL_BYTES);
	card_tell(card, CQESIM_EVENT_POST, CQESIM_OBJECT_SQ, sq->number, pi);
	if ((uint16_t)(pi - sq->ci) > sq->mask + 1)
		card_broken(card, CARD_RULE_SQ_POSTED, CQESIM_OBJECT_SQ, sq->number);
}

static uint32_t posted_blocks(const struct card_sq *sq)
{
	uint32_t n = (uint16_t)(sq->pi - sq->ci);

	return n <= sq->mask + 1 ? n : sq->mask + 1;
}

static void write_completion(struct cqesim_card *card, struct card_cq *cq, const uint8_t raw[64],
			     enum cqesim_opcode opcode)
{
	uint32_t size = UINT32_C(1) << cq->attr.log_size;

	if (cq->pi - cq->ci >= size)
		card_look_cq(card, cq);
	if (cq->pi - cq->ci >= size) {
		card_broken(card, CARD_RULE_CQ_OVERRUN, CQESIM_OBJECT_CQ, cq->number);
		return;
	}
	uint64_t offset = (uint64_t)(cq->pi & (size - 1)) * CQESIM_CQE_BYTES;

	cqesim_nic_tx_write(card->nic, card->now_ps, CQESIM_TRAFFIC_TX_CQE,
			    cq->attr.address + offset, CQESIM_CQE_BYTES);
	cqesim_cq_write(&cq->writer, raw, opcode, CQESIM_FORMAT_PLAIN);
	cq->pi++;
}

static void complete(struct cqesim_card *card, struct card_sq *sq, const struct card_wqe *wqe)
{
	const struct cqesim_cqe_req req = {
		.timestamp = card->now_ps / card->config.nic.tick_ps,
		.send_opcode = wqe->opcode,
		.qpn = sq->number,
		.wqe_counter = wqe->index,
	};
	uint8_t raw[64];

	cqesim_cqe_req_encode(&req, raw);
	write_completion(card, sq->cq, raw, CQESIM_OP_REQ);
	card->stats.send_completions++;
}

static void complete_error(struct cqesim_card *card, struct card_sq *sq, const struct card_wqe *wqe,
			   uint8_t syndrome)
{
	const struct cqesim_cqe_err err = {
		.syndrome = syndrome,
		.wqe_opcode = wqe->opcode,
		.qpn = sq->number,
		.wqe_counter = wqe->index,
	};
	uint8_t raw[64];

	cqesim_cqe_err_encode(&err, raw);
	write_completion(card, sq->cq, raw, CQESIM_OP_REQ_ERR);
}

static void go_on(struct card_sq *sq, const struct card_wqe *wqe)
{
	sq->ci = (uint16_t)(sq->ci + wqe->blocks);
	sq->fetched = sq->fetched > wqe->blocks ? sq->fetched - wqe->blocks : 0;
	sq->offset = 0;
	sq->begun = false;
}

/*
 * WQEs that are posted are given back: a completion of syndrome WR_FLUSH for each that
 * wants one.  Those that ask for the first error alone have none, or PMD's rings,
 * which hold the completions that were asked for, would overrun (assumed).
 */
void card_flush_sq(struct cqesim_card *card, struct card_sq *sq)
{
	struct card_wqe wqe;
	uint32_t posted;

	while ((posted = posted_blocks(sq)) && !card_wqe_read(sq, posted, &wqe)) {
		if (wqe.completion != ONLY_FIRST_ERR)
			complete_error(card, sq, &wqe, CQESIM_SYNDROME_WR_FLUSH);
		go_on(sq, &wqe);
	}
	sq->ci = sq->pi;
}

/* -ECANCELED: on purpose; else the driver's fault. */
static uint8_t syndrome_of(struct cqesim_card *card, struct card_sq *sq, int why)
{
	if (why == -ECANCELED)
		return card_inject_take(card, CQESIM_OBJECT_SQ, sq->number, &sq->inject_at);
	bool memory = why == -EFAULT;

	card_broken(card, memory ? CARD_RULE_LKEY : CARD_RULE_WQE, CQESIM_OBJECT_SQ, sq->number);
	return memory ? CQESIM_SYNDROME_LOCAL_PROT : CQESIM_SYNDROME_LOCAL_QP_OP;
}

static void fail(struct cqesim_card *card, struct card_sq *sq, const struct card_wqe *wqe, int why)
{
	card->stats.send_errors++;
	complete_error(card, sq, wqe, syndrome_of(card, sq, why));
	sq->state = CQESIM_QUEUE_ERR;
	card_tell(card, CQESIM_EVENT_MODIFY, CQESIM_OBJECT_SQ, sq->number, sq->state);
	if (wqe->blocks && wqe->blocks <= posted_blocks(sq)) {
		go_on(sq, wqe);
		card_flush_sq(card, sq);
	}
	sq->ci = sq->pi; /* where the next WQE begins is not known */
}

/* Read WQEs until this one is there. */
static void fetch(struct cqesim_card *card, struct card_sq *sq, const struct card_wqe *wqe,
		  uint32_t posted)
{
	uint32_t at_once = card->config.nic.wqe_fetch_bytes / CARD_BLOCK;

	while (sq->fetched < wqe->blocks) {
		uint32_t place = (sq->ci + sq->fetched) & sq->mask;
		uint32_t n = wqe->blocks - sq->fetched;

		if (n < at_once)
			n = at_once;
		if (n > posted - sq->fetched)
			n = posted - sq->fetched;
		if (n > sq->mask + 1 - place)
			n = sq->mask + 1 - place;
		cqesim_nic_tx_read(card->nic, card->now_ps, CQESIM_TRAFFIC_TX_WQE_REQUEST,
				   sq->attr.address + (uint64_t)place * CARD_BLOCK, n * CARD_BLOCK);
		sq->fetched += n;
	}
}

static void begin_wqe(struct cqesim_card *card, struct card_sq *sq, const struct card_wqe *wqe,
		      uint32_t posted)
{
	if (wqe->told_index != wqe->index)
		card_broken(card, CARD_RULE_WQE_INDEX, CQESIM_OBJECT_SQ, sq->number);
	if (wqe->told_number != sq->number)
		card_broken(card, CARD_RULE_WQE_NUMBER, CQESIM_OBJECT_SQ, sq->number);
	fetch(card, sq, wqe, posted);
}

static void count_sent(struct cqesim_card *card, const struct card_sending *s)
{
	struct cqesim_card_stats *stats = &card->stats;

	stats->sent++;
	stats->sent_bytes += s->frame.length;
	stats->send_kinds[s->kind]++;
	for (unsigned i = 0; i < s->frame.pieces; i++) {
		uint32_t length = s->frame.piece[i].length;

		if (s->address[i] != CARD_IN_WQE)
			cqesim_nic_tx_read(card->nic, card->now_ps, CQESIM_TRAFFIC_TX_DATA_REQUEST,
					   s->address[i], length);
		else if (s->frame.piece[i].data != s->made || s->kind == CQESIM_SEND_TSO)
			stats->inline_bytes += length;
	}
}

/* Give the packet away; false: the other side cannot take it now. */
static bool give(struct cqesim_card *card)
{
	struct card_sending *s = &card->sending;

	if (card->config.send && card->config.send(card->config.send_context, &s->frame) == -EAGAIN)
		return false;
	count_sent(card, s);
	return true;
}

/* Up to `budget` packets of one queue; *blocked: no more can be taken now. */
static unsigned serve(struct cqesim_card *card, struct card_sq *sq, unsigned budget, bool *blocked)
{
	struct card_wqe wqe;
	unsigned sent = 0;
	uint32_t posted;

	while (sq->state == CQESIM_QUEUE_RDY && sent < budget && (posted = posted_blocks(sq))) {
		int rc = card_wqe_read(sq, posted, &wqe);

		if (!rc && !sq->begun)
			begin_wqe(card, sq, &wqe, posted);
		uint32_t offset = sq->offset;
		bool begun = sq->begun;

		while (!rc && sent < budget && (rc = card_wqe_packet(card, sq, &wqe)) > 0) {
			if (__builtin_expect(sq->packets >= sq->inject_at, 0)) {
				rc = -ECANCELED;
				break;
			}
			if (!give(card)) {
				sq->offset = offset;
				sq->begun = begun;
				*blocked = true;
				return sent;
			}
			sent++;
			sq->packets++;
			if (__builtin_expect(card->config.tell_packets, 0))
				card_tell_packet(card, CQESIM_OBJECT_SQ, sq->number, sq->ci,
						 card->sending.frame.length,
						 (const uint8_t *)sq->attr.ring +
							 (size_t)(sq->ci & sq->mask) * CARD_BLOCK,
						 CARD_BLOCK);
			offset = sq->offset;
			begun = true;
			rc = 0;
			if (sent == budget)
				return sent;
		}
		if (rc < 0) {
			fail(card, sq, &wqe, rc);
			break;
		}
		card->stats.send_wqes++;
		if (wqe.completion >= ALWAYS)
			complete(card, sq, &wqe);
		go_on(sq, &wqe);
	}
	return sent;
}

unsigned card_send(struct cqesim_card *card, unsigned budget)
{
	const struct card_table *t = &card->table[CQESIM_OBJECT_SQ];
	unsigned sent = 0, idle = 0;
	bool blocked = false;

	for (uint32_t i = 0; i < t->count; i++) {
		struct card_sq *sq = t->item[i];

		if (sq && sq->state == CQESIM_QUEUE_RDY)
			look(card, sq);
	}
	while (idle < t->count && sent < budget && !blocked) {
		if (++card->send_turn >= t->count)
			card->send_turn = 0;
		struct card_sq *sq = t->item[card->send_turn];
		unsigned left = budget - sent < TURN ? budget - sent : TURN;
		uint16_t before = sq ? sq->ci : 0;
		unsigned n = sq ? serve(card, sq, left, &blocked) : 0;

		sent += n;
		idle = n || (sq && sq->ci != before) ? 0 : idle + 1;
	}
	return sent;
}
