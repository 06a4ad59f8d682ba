/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames arrive: parsed in batches, steered one by one, given to the device.
 *
 * What is delivered has its tag stripped, is padded and carries an FCS as the queue
 * wants it; the device copies from one piece of memory, so such frames are made in
 * the card's own first.
 */
#include <string.h>
#include <zlib.h>

#include "card_internal.h"

#define BATCH     32u
#define MAC_BYTES 12u
#define TAG_BYTES 4u

/* What to deliver of a frame: its own memory where nothing is to be changed. */
static const uint8_t *delivered(struct cqesim_card *card, const struct card_rq *rq,
				const struct cqesim_frame *f, const struct cqesim_rxmeta *meta,
				uint32_t *there)
{
	bool stripped = meta->l4_l3_hdr_type & CQESIM_HDR_VLAN_STRIPPED;

	*there = f->cap_len;
	if (__builtin_expect(!stripped && !rq->keep_fcs && f->cap_len == f->len, 1))
		return f->data;
	uint32_t length = f->len <= 65536 ? f->len : 65536; /* no queue takes a longer one */
	uint32_t n = f->cap_len < length ? f->cap_len : length;
	uint8_t *to = card->scratch;

	memcpy(to, f->data, n);
	memset(to + n, 0, length - n); /* padding, and what a capture did not keep */
	*there = length;
	if (rq->keep_fcs) { /* of the frame as it was on the wire */
		uint32_t fcs = (uint32_t)crc32(0, to, length);

		memcpy(to + length, &fcs, sizeof(fcs)); /* least significant byte first */
		*there += CQESIM_FCS_BYTES;
	}
	if (stripped) {
		memmove(to + TAG_BYTES, to, MAC_BYTES);
		*there -= TAG_BYTES;
		return to + TAG_BYTES;
	}
	return to;
}

static void lost(struct cqesim_card *card, struct card_rq *rq, enum cqesim_rx_result result)
{
	card->stats.lost[result]++;
	rq->lost++;
	card_emit(card, &(struct cqesim_card_event){
				.kind = CQESIM_EVENT_DROP,
				.object = CQESIM_OBJECT_RQ,
				.number = rq->number,
				.result = result,
			});
	if (result != CQESIM_RX_ERROR)
		return;
	uint16_t ci;

	if (!rq->injected)
		card_broken(card, CARD_RULE_LKEY, CQESIM_OBJECT_RQ, rq->number);
	rq->injected = false;
	cqesim_nic_query_rq(card->nic, rq->nic_rqn, &rq->state, &ci);
	if (rq->state == CQESIM_QUEUE_ERR) {
		rq->open = false;
		card->changed = true;
		cqesim_nic_flush_rq(card->nic, rq->nic_rqn, card->now_ps);
		card_tell(card, CQESIM_EVENT_MODIFY, CQESIM_OBJECT_RQ, rq->number, rq->state);
	}
}

static void sample_waiting(struct cqesim_card *card, const struct card_cq *cq)
{
	uint32_t waiting = cq->pi - cq->ci;

	card->stats.waiting_sum += waiting;
	card->stats.waiting_samples++;
	if (waiting > card->stats.waiting_max)
		card->stats.waiting_max = waiting;
}

/* segment: NULL, it is not to be joined. */
static void tell_packet(struct cqesim_card *card, const struct card_rq *rq, uint32_t length,
			const struct cqesim_segment *segment)
{
	enum cqesim_queue_state state;
	uint16_t ci;

	if (!segment || !cqesim_nic_lro_joins(card->nic, rq->nic_rqn, segment, &ci))
		cqesim_nic_query_rq(card->nic, rq->nic_rqn, &state, &ci);
	card_tell_packet(card, CQESIM_OBJECT_RQ, rq->number, ci, length,
			 rq->ring + (size_t)(ci & rq->wqe_mask) * rq->wqe_bytes, rq->wqe_bytes);
}

/* lro: as card_steer says. */
static bool arrive(struct cqesim_card *card, struct card_rq *rq, const struct cqesim_frame *f,
		   const struct cqesim_rx *rx, const struct card_tir *lro)
{
	struct cqesim_segment segment;
	uint32_t there;
	bool joinable = __builtin_expect(lro != NULL, 0) &&
			card_lro_segment(card, lro, rq, f, rx, &segment);

	card_look_cq(card, rq->cq);
	card_look_rq(card, rq);
	sample_waiting(card, rq->cq);
	if (__builtin_expect(rq->delivered + rq->lost >= rq->inject_at, 0))
		cqesim_card_inject_error(
			card, rq->number,
			card_inject_take(card, CQESIM_OBJECT_RQ, rq->number, &rq->inject_at));
	if (__builtin_expect(card->config.tell_packets, 0))
		tell_packet(card, rq, rx->meta.byte_cnt, joinable ? &segment : NULL);
	const uint8_t *data = delivered(card, rq, f, &rx->meta, &there);
	/* The driver writes it at any time; it comes while the packet is dealt with. */
	__builtin_prefetch(rq->cq->attr.dbrec);
	enum cqesim_rx_result result =
		joinable ? cqesim_nic_receive_lro(card->nic, rq->nic_rqn, card->now_ps, &rx->meta,
						  data, there, NULL, &lro->lro_config, &segment)
			 : cqesim_nic_receive(card->nic, rq->nic_rqn, card->now_ps, &rx->meta, data,
					      there, NULL);
	if (result != CQESIM_RX_DELIVERED) {
		lost(card, rq, result);
		return false;
	}
	rq->delivered++;
	card->stats.delivered++;
	card->stats.delivered_bytes += rx->meta.byte_cnt;
	return true;
}

/*
 * Is there surely room for one more packet, after those of this batch that are on their
 * way here?  The WQE in use of a striding queue does not count, and a packet of several
 * strides counts twice, for what it may leave unused at a WQE's end.
 */
static bool has_room(struct cqesim_card *card, struct card_rq *rq, uint32_t bytes)
{
	if (!rq->coming) { /* what this batch may use */
		uint32_t wqes = cqesim_nic_rq_credits(card->nic, rq->nic_rqn);

		if (rq->per_wqe > 1 && wqes && rq->wqe_mask)
			wqes--;
		rq->units = wqes * rq->per_wqe;
	}
	uint32_t units = rq->per_wqe > 1 ? (bytes + rq->stride_bytes - 1) / rq->stride_bytes : 1;

	units = units > 1 ? 2 * units : 1;
	if (rq->units < units)
		return false;
	rq->units -= units;
	return true;
}

/* How many of the n are dealt with is in *taken: all, unless the next must wait. */
static unsigned batch(struct cqesim_card *card, const struct cqesim_frame *frames, unsigned n,
		      bool wait, unsigned *taken)
{
	struct cqesim_rx rx[BATCH];
	struct card_rq *rq[BATCH];
	const struct card_tir *lro[BATCH];
	struct card_hash *hash = card->guess;
	unsigned kind = card->guess_kind, done = 0;
	const struct cqesim_port *port = card_port(card, hash, kind);

	*taken = n;
	if (!port) {
		card->stats.arrived += n;
		card->stats.no_queue += n;
		return 0;
	}
	if (__builtin_expect(card->changed, 0))
		card_steer_again(card);
	card_classify(card, port, frames, n, rx);
	/* First all ways, so that the memory at their ends is near when it is written. */
	for (unsigned i = 0; i < n; i++) {
		if (__builtin_expect(frames[i].len > card->frame_limit, 0)) {
			card->stats.over_limit++;
			rq[i] = NULL;
			continue;
		}
		rq[i] = card_steer(card, &frames[i], hash, kind, &rx[i], &lro[i]);
		if (wait && rq[i] && !has_room(card, rq[i], rx[i].meta.byte_cnt)) {
			*taken = n = i;
			break;
		}
		card->stats.no_queue += !rq[i];
		if (rq[i])
			cqesim_nic_prefetch(card->nic, rq[i]->nic_rqn, rq[i]->coming++);
	}
	card->stats.arrived += n;
	for (unsigned i = 0; i < n; i++) {
		if (!rq[i])
			continue;
		rq[i]->coming = 0;
		done += arrive(card, rq[i], &frames[i], &rx[i], lro[i]);
	}
	return done;
}

unsigned cqesim_card_receive(struct cqesim_card *card, uint64_t now_ps,
			     const struct cqesim_frame *frames, unsigned n)
{
	unsigned done = 0;

	card->now_ps = now_ps;
	card_look(card);
	for (unsigned i = 0, taken; i < n; i += taken)
		done += batch(card, frames + i, n - i < BATCH ? n - i : BATCH, false, &taken);
	return done;
}

unsigned cqesim_card_receive_posted(struct cqesim_card *card, uint64_t now_ps,
				    const struct cqesim_frame *frames, unsigned n)
{
	unsigned all = 0;

	card->now_ps = now_ps;
	card_look(card);
	while (all < n) {
		unsigned most = n - all < BATCH ? n - all : BATCH, taken;

		batch(card, frames + all, most, true, &taken);
		all += taken;
		if (taken < most)
			break;
	}
	return all;
}

int cqesim_card_inject_error(struct cqesim_card *card, uint32_t rqn, uint8_t syndrome)
{
	struct card_rq *rq = card_find(card, CQESIM_OBJECT_RQ, rqn);

	if (!rq)
		return -ENOENT;
	if (!syndrome)
		return -EINVAL;
	rq->injected = true;
	return cqesim_nic_inject_error(card->nic, rq->nic_rqn, syndrome);
}
