/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues, the wire in front of the port, and the check that what is read back
 * is what was sent: see sim.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_internal.h"

/* No stack hands a card more in one piece (Linux GSO_MAX_SIZE); a longer "packet" is a broken
 * record. */
#define SEGMENT_BYTES_MAX 524280u

static void returned(void *context, const struct cqesim_host_returned *call);

/* ---- set-up ---- */

static void published(void *context, uint32_t cqn, uint64_t visible_ps, uint32_t count, bool filler)
{
	struct cqesim_sim *sim = context;
	struct queue *q = &sim->queue[cqn - 1];

	const struct cqesim_ring_observer *o = sim->config.observer;

	if (o && o->published)
		o->published(o->context, q->number, visible_ps);
	q->last_visible_ps = visible_ps;
	for (uint32_t i = 0; i < count; i++) {
		struct sent_times *t = &q->times[q->published_count++ & q->times_mask];

		t->visible_ps = visible_ps;
		if (filler)
			t->arrived_ps = IS_FILLER;
		else
			delay_add(&sim->result.delay[CQESIM_DELAY_VISIBLE],
				  visible_ps - t->arrived_ps);
	}
	cqesim_host_announce(q->inbox, visible_ps, count, filler);
}

/*
 * Which parts of cqesim_rxmeta a session's later packets must return as sent:
 * what their minis carry and what the device compared.  The rest is the title's.
 */
static void session_mask(struct cqesim_sim *sim, const uint8_t compared[64])
{
	uint8_t known[64];
	struct cqesim_rxmeta m;

	cqesim_mini_carries(sim->result.mini_format, known);
	for (unsigned i = 0; i < 64; i++)
		known[i] |= compared[i];
	/* The mask itself, decoded as if it were a completion, is the mask of the fields. */
	cqesim_cqe_get_rx(known, &m);
	m.user_index = 0xffffff; /* one queue, one index */
	memcpy(sim->meta_mask, &m, sizeof(m));
}

/* An access of the device to memory, for the file of TLPs. */
static void dump_operation(void *context, const struct cqesim_nic_operation *o)
{
	struct cqesim_sim *sim = context;
	char what[64];
	/* A device with short addresses would have been given such. */
	uint64_t address = cqesim_nic_link(sim->nic)->config.addr_bits == 32
				   ? o->address & UINT32_MAX
				   : o->address;

	snprintf(what, sizeof(what), "queue %u: %s", (unsigned)(o->address >> QUEUE_SPACE_LOG) - 1,
		 cqesim_traffic_name(o->kind));
	if (o->back_ps)
		cqesim_tlp_dump_read(sim->config.tlp_dump, o->time_ps, o->back_ps, address,
				     o->length, o->data, o->data_length, what);
	else
		cqesim_tlp_dump_write(sim->config.tlp_dump, o->time_ps, address, o->length, o->data,
				      o->data_length, what);
}

int cqesim_sim_create(struct cqesim_sim **out, const struct cqesim_sim_config *config,
		      struct cqesim_error *err)
{
	struct cqesim_nic_config nic;
	int rc;

	*out = NULL;
	struct cqesim_sim *sim = calloc(1, sizeof(*sim));
	if (!sim)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	sim->config = *config;
	rc = sim_defaults(sim, err);
	if (!rc)
		rc = sim_nic_config(sim, &nic, err);
	if (!rc) {
		nic.published = published;
		nic.published_context = sim;
		if (config->tlp_dump) {
			nic.operation = dump_operation;
			nic.operation_context = sim;
		}
		rc = cqesim_nic_create(&sim->nic, &nic, err);
	}
	if (rc)
		goto fail;
	rc = sim_forward_init(sim, err);
	if (rc)
		goto fail;
	session_mask(sim, nic.comp_compare);
	sim->data_padding = nic.data_padding;

	/* bytes per second = Gb/s x 10^9 / 8 */
	double gbps = cqesim_profile_num(sim->config.device, CQESIM_DEV_PORT_SPEED);
	rc = cqesim_pacer_init(&sim->wire, (uint64_t)(gbps * 1e6 + 0.5) * 125, 1);
	struct cqesim_pacer gap = sim->wire;
	cqesim_pacer_advance(&gap, CQESIM_WIRE_GAP_BYTES);
	sim->wire_gap_ps = gap.ps;

	sim->queue = calloc(sim->config.queues, sizeof(*sim->queue));
	sim->result.queue = calloc(sim->config.queues, sizeof(*sim->result.queue));
	if (!sim->queue || !sim->result.queue)
		rc = -ENOMEM;
	for (unsigned i = 0; i < sim->config.queues && !rc; i++)
		rc = queue_init(sim, &sim->queue[i], i);
	for (unsigned i = 0; i < sim->config.queues && !rc; i++)
		cqesim_host_observe(sim->queue[i].host, returned, &sim->queue[i]);
	if (rc) {
		cqesim_fail(err, rc, "cannot set up %u queues: %s", sim->config.queues,
			    strerror(-rc));
		goto fail;
	}
	*out = sim;
	return 0;
fail:
	cqesim_sim_destroy(sim);
	return rc;
}

void cqesim_sim_destroy(struct cqesim_sim *sim)
{
	if (!sim)
		return;
	cqesim_nic_destroy(sim->nic);
	for (unsigned i = 0; sim->queue && i < sim->config.queues; i++)
		queue_free(&sim->queue[i]);
	sim_forward_free(sim);
	free(sim->queue);
	free(sim->result.queue);
	free(sim);
}

/* ---- what comes back ---- */

/* A call of the receive function returned the next completions. */
static void returned(void *context, const struct cqesim_host_returned *call)
{
	struct queue *q = context;
	struct cqesim_delay *delay = &q->sim->result.delay[CQESIM_DELAY_RETURNED];
	struct cqesim_timeline *timeline = q->sim->config.timeline;

	for (unsigned n = call->packets + call->fillers; n; n--) {
		const struct sent_times *t = &q->times[q->returned_count++ & q->times_mask];

		if (t->arrived_ps != IS_FILLER)
			delay_add(delay, call->ps - t->arrived_ps);
	}
	if (__builtin_expect(timeline != NULL, 0))
		timeline_poll(timeline, q->number, call->ps, call->packets, call->polls,
			      call->occupancy);
}

static int advance(struct queue *q, uint64_t until_ps, bool flush, struct cqesim_error *err)
{
	int rc = cqesim_host_advance(q->host, until_ps);

	if (rc >= 0 && flush)
		rc = cqesim_host_flush(q->host);
	if (rc >= 0)
		return 0;
	if (*q->sim->fault.text)
		return cqesim_fail(err, rc, "%s", q->sim->fault.text);
	if (rc != -EBADMSG)
		return cqesim_fail(err, rc,
				   "queue %u, packet %llu: stopped by what observes the ring: %s",
				   q->number, (unsigned long long)q->read_count, strerror(-rc));
	const struct cqesim_cq_fault *f = cqesim_host_fault(q->host);
	return cqesim_fail(err, rc,
			   "internal error: queue %u, packet %llu: the completion ring at index %u "
			   "(slot %u) does not hold what was written: %s",
			   q->number, (unsigned long long)q->read_count, f->index, f->slot,
			   f->kind ? cqesim_cq_fault_name(f->kind) : "nothing there");
}

/* ---- what goes in ---- */

/*
 * Packets that wait for the link hold WQEs in this model.  So when none is left
 * and most are with the device, it is the link that is behind, not the core, and a
 * device would lose packets at its buffer.
 */
static enum cqesim_drop drop_reason(struct queue *q, enum cqesim_rx_result result, uint64_t now_ps)
{
	enum cqesim_shortage shortage;

	switch (result) {
	case CQESIM_RX_BUFFER_FULL:
		return CQESIM_DROP_BUFFER_FULL;
	case CQESIM_RX_OUT_OF_BUFFER:
		shortage = cqesim_host_shortage(q->host, now_ps);
		q->shortage[shortage]++;
		return shortage == CQESIM_SHORT_LINK ? CQESIM_DROP_BUFFER_FULL
						     : CQESIM_DROP_OUT_OF_BUFFER;
	default:
		return CQESIM_DROP_OTHER;
	}
}

static enum cqesim_drop lost(struct cqesim_sim *sim, struct queue *q, enum cqesim_rx_result result,
			     uint64_t now_ps, uint32_t bytes)
{
	enum cqesim_drop reason = drop_reason(q, result, now_ps);

	q->dropped[reason]++;
	struct cqesim_tlps t = sim_lost_write(sim, q, bytes);
	cqesim_tlps_add(&sim->lost_data, &t);
	return reason;
}

static void remember(struct queue *q, const struct cqesim_rxmeta *meta)
{
	struct cqesim_rxmeta *sent = &q->sent[q->sent_count++ & q->sent_mask];

	*sent = *meta;
	sent->user_index = q->number;
}

/* The packet, and the filler that the device wrote before it. */
static void remember_striding(struct queue *q, const struct cqesim_rxmeta *meta)
{
	static const struct cqesim_rxmeta nothing;
	const struct cqesim_placement *p = cqesim_nic_placement(q->sim->nic, q->rqn);

	if (p->filler) {
		q->place[q->sent_count & q->sent_mask] = (struct sent_place){
			p->filler_wqe, p->filler_stride, (uint16_t)p->filler, true};
		remember(q, &nothing);
	}
	q->place[q->sent_count & q->sent_mask] =
		(struct sent_place){p->wqe, p->stride, (uint16_t)p->strides, false};
	remember(q, meta);
}

/* A frame that the port takes: over the wire, then to its queue. */
static int arrive(struct cqesim_sim *sim, const struct cqesim_frame *frame, uint32_t len,
		  const struct cqesim_rxmeta *meta, unsigned queue, struct cqesim_error *err)
{
	struct queue *q = &sim->queue[queue];

	sim->last_ps = frame->time_ps;
	/* Frames cannot come faster than the wire carries them. */
	cqesim_pacer_not_before(&sim->wire, frame->time_ps);
	cqesim_pacer_advance(&sim->wire, len + CQESIM_FCS_BYTES + CQESIM_WIRE_GAP_BYTES);
	uint64_t now_ps = sim->wire.ps - sim->wire_gap_ps;

	sim->result.arrived_wire_bytes += len + CQESIM_FCS_BYTES;
	q->arrived++;
	if (q->inbox->next_ps <= now_ps) {
		int rc = advance(q, now_ps, false, err);
		if (rc)
			return rc;
	}

	if (__builtin_expect(sim->plans != NULL, 0))
		sim_forward_run(sim, now_ps);
	struct cqesim_timeline *timeline = sim->config.timeline;
	uint64_t backlog = timeline ? cqesim_nic_backlog(sim->nic, now_ps) : 0;
	int drop = NO_DROP;

	q->times[q->sent_count & q->times_mask].arrived_ps = now_ps;
	if (q->place) /* should a filler come first */
		q->times[(q->sent_count + 1) & q->times_mask].arrived_ps = now_ps;
	/* Time-outs before now may publish to other queues: always in the past of their next
	 * packet. */
	enum cqesim_rx_result result = cqesim_nic_receive(sim->nic, q->rqn, now_ps, meta,
							  frame->data, frame->cap_len, NULL);
	if (result != CQESIM_RX_DELIVERED)
		drop = (int)lost(sim, q, result, now_ps, meta->byte_cnt);
	else if (q->place)
		remember_striding(q, meta);
	else
		remember(q, meta);
	if (__builtin_expect(timeline != NULL, 0))
		timeline_arrival(timeline, queue, now_ps, backlog, drop);
	return 0;
}

/* A sender's card cuts to the MTU: IP packets of that size, in frames with the packet's own tags.
 */
static uint32_t segment_max(const struct cqesim_sim *sim, const struct cqesim_rx *rx)
{
	uint32_t max = sim->config.mtu + 14;

	max += rx->view & CQESIM_VIEW_VLAN ? 4 : 0;
	return max < sim->result.max_frame ? max : sim->result.max_frame;
}

/* Too long for the port: lost, or cut as the sender's card would have cut it. */
static int oversize(struct cqesim_sim *sim, const struct cqesim_frame *frame,
		    const struct cqesim_rx *rx, struct cqesim_error *err)
{
	uint32_t max = segment_max(sim, rx);
	bool cut = sim->config.segment && frame->orig_len <= SEGMENT_BYTES_MAX;
	unsigned n = cut ? cqesim_port_segments(frame, rx, max) : 0;

	if (!n) {
		sim->result.arrived_wire_bytes += (uint64_t)frame->len + CQESIM_FCS_BYTES;
		sim->queue[rx->queue].arrived++;
		sim->queue[rx->queue].dropped[CQESIM_DROP_OVERSIZE]++;
		sim->oversize++;
		sim->oversize_wire_bytes += (uint64_t)frame->len + CQESIM_FCS_BYTES;
		sim->last_ps = frame->time_ps;
		cqesim_pacer_not_before(&sim->wire, frame->time_ps);
		cqesim_pacer_advance(&sim->wire, (uint64_t)frame->len + CQESIM_FCS_BYTES +
							 CQESIM_WIRE_GAP_BYTES);
		if (sim->config.timeline)
			timeline_arrival(sim->config.timeline, rx->queue,
					 sim->wire.ps - sim->wire_gap_ps, 0, CQESIM_DROP_OVERSIZE);
		return 0;
	}
	sim->result.segmented++;
	for (unsigned i = 0; i < n; i++) {
		struct cqesim_rxmeta meta = rx->meta;
		uint32_t len = cqesim_port_segment_len(frame, rx, max, i);

		/* A stripped tag is off, a kept FCS on, as in the whole packet. */
		meta.byte_cnt = meta.byte_cnt - frame->len + len;
		sim->result.segments++;
		int rc = arrive(sim, frame, len, &meta, rx->queue, err);
		if (rc)
			return rc;
	}
	return 0;
}

int cqesim_sim_feed(struct cqesim_sim *sim, const struct cqesim_frame *frames,
		    const struct cqesim_rx *rx, unsigned n, struct cqesim_error *err)
{
	for (unsigned i = 0; i < n; i++) {
		int rc = rx[i].oversize ? oversize(sim, &frames[i], &rx[i], err)
					: arrive(sim, &frames[i], frames[i].len, &rx[i].meta,
						 rx[i].queue, err);
		if (rc)
			return rc;
	}
	return 0;
}

/*
 * Queues that send meet on the link, so what is left is read in the order of time: the core whose
 * next poll is the first goes first.
 */
static int finish_sending(struct cqesim_sim *sim, struct cqesim_error *err)
{
	for (;;) {
		struct queue *first = NULL;

		for (unsigned i = 0; i < sim->config.queues; i++) {
			struct queue *q = &sim->queue[i];

			if (cqesim_host_pending(q->host) &&
			    (!first || q->inbox->next_ps < first->inbox->next_ps))
				first = q;
		}
		if (!first)
			break;
		int rc = advance(first, first->inbox->next_ps, false, err);
		if (rc)
			return rc;
	}
	sim_forward_run(sim, UINT64_MAX);
	return 0;
}

int cqesim_sim_finish(struct cqesim_sim *sim, struct cqesim_error *err)
{
	if (sim->finished)
		return 0;
	/* Sessions that are still open end by time-out, as they would without more traffic. */
	while (cqesim_nic_next_ps(sim->nic) != UINT64_MAX)
		cqesim_nic_step(sim->nic, cqesim_nic_next_ps(sim->nic));
	int sending = sim->plans ? finish_sending(sim, err) : 0;
	if (sending)
		return sending;
	for (unsigned i = 0; i < sim->config.queues; i++) {
		struct queue *q = &sim->queue[i];
		uint64_t until = q->last_visible_ps;

		while (cqesim_host_pending(q->host) || cqesim_host_in_turn(q->host)) {
			int rc = advance(q, until, false, err);
			if (rc)
				return rc;
			until = cqesim_host_next_ps(q->host);
		}
		int rc = advance(q, 0, true, err);
		if (rc)
			return rc;
		if (q->read_count != q->sent_count)
			return cqesim_fail(
				err, -EBADMSG,
				"internal error: queue %u: %llu completions written, %llu read", i,
				(unsigned long long)q->sent_count,
				(unsigned long long)q->read_count);
		/* A title that promises more than there was shows only in what the reader still
		 * expects. */
		const struct cqesim_cq_reader *reader = cqesim_host_reader(q->host);
		if (reader->n || reader->ci != (uint32_t)q->read_count)
			return cqesim_fail(
				err, -EBADMSG,
				"internal error: queue %u: the completion at index %u (slot %u) "
				"is of a session longer than what was sent",
				i, reader->ci, reader->ci & reader->mask);
	}
	sim_result(sim);
	sim->finished = true;
	return 0;
}

uint64_t cqesim_sim_lost(const struct cqesim_sim *sim)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < sim->config.queues; i++) {
		const struct queue *q = &sim->queue[i];
		uint64_t sent, tx_dropped;

		sim_forward_counts(q, &sent, &tx_dropped);
		lost += q->dropped[CQESIM_DROP_BUFFER_FULL] +
			q->dropped[CQESIM_DROP_OUT_OF_BUFFER] + tx_dropped;
	}
	return lost;
}

const struct cqesim_result *cqesim_sim_result(const struct cqesim_sim *sim)
{
	return sim->finished ? &sim->result : NULL;
}
