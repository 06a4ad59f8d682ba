/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues, the wire in front of the port, and the check that what is read back
 * is what was sent: see sim.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim_internal.h"

#define LKEY 0x1234u
/* No stack hands a card more in one piece (Linux GSO_MAX_SIZE); a longer "packet" is a broken
 * record. */
#define SEGMENT_BYTES_MAX 524280u
/* Where an mbuf's data begins in a mempool element: header, struct rte_mbuf, headroom. */
#define BUFFER_HEAD (64u + 128u + 128u)

/* ---- set-up ---- */

/* Device addresses are the process's own; only those of the queue's buffers are good. */
static void *translate(void *context, uint32_t lkey, uint64_t address, uint32_t length)
{
	const struct queue *q = context;
	uint64_t offset = address - (uintptr_t)q->buffers;

	if (lkey != LKEY || offset > q->buffers_size || length > q->buffers_size - offset)
		return NULL;
	return q->buffers + offset;
}

static void ring_written(void *context, uint32_t slot, const uint8_t bytes[64])
{
	struct queue *q = context;
	const struct cqesim_ring_observer *o = q->sim->config.observer;

	o->written(o->context, q->number, slot, (uint8_t *)bytes);
}

static void published(void *context, uint32_t cqn, uint64_t visible_ps, uint32_t count)
{
	struct cqesim_sim *sim = context;
	struct queue *q = &sim->queue[cqn - 1];

	const struct cqesim_ring_observer *o = sim->config.observer;

	if (o && o->published)
		o->published(o->context, q->number, visible_ps);
	q->last_visible_ps = visible_ps;
	cqesim_host_announce(q->inbox, visible_ps, count);
}

static int deliver(void *context, const struct cqesim_completion *c, unsigned n, uint64_t now_ps);

static void *lines(size_t bytes)
{
	return aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
}

static int post_buffers(struct queue *q, struct cqesim_rq_poster *poster, size_t stride,
			uint32_t room)
{
	const struct cqesim_sim *sim = q->sim;
	int rc = cqesim_rq_poster_init(poster, q->wq_ring, sim->log_ring, 0, &q->dbrec[0]);

	for (uint32_t i = 0; i < sim->config.ring && !rc; i++) {
		struct cqesim_rq_seg seg = {
			.address = (uintptr_t)q->buffers + i * stride + BUFFER_HEAD,
			.lkey = LKEY,
			.length = room,
		};
		rc = cqesim_rq_post(poster, &seg, 1);
	}
	cqesim_rq_doorbell(poster);
	return rc;
}

static int queue_init(struct cqesim_sim *sim, struct queue *q, unsigned number)
{
	uint32_t room = sim->result.max_frame + CQESIM_FCS_BYTES;
	size_t stride = (BUFFER_HEAD + room + 63) & ~(size_t)63;
	struct cqesim_cq_reader reader;
	struct cqesim_rq_poster poster;
	uint32_t cqn;
	int rc;

	q->sim = sim;
	q->number = number;
	q->sent_mask = sim->config.ring - 1;
	q->cq_ring = lines((size_t)sim->config.cq_size * CQESIM_CQE_BYTES);
	q->wq_ring = lines((size_t)sim->config.ring * CQESIM_RQ_SEG_BYTES);
	q->sent = calloc(sim->config.ring, sizeof(*q->sent));
	q->buffer_stride = stride;
	q->buffers_size = stride * sim->config.ring;
	q->buffers = mmap(NULL, q->buffers_size, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (q->buffers == MAP_FAILED)
		q->buffers = NULL;
	if (!q->cq_ring || !q->wq_ring || !q->sent || !q->buffers)
		return -ENOMEM;
	cqesim_cq_init_ring(q->cq_ring, &(struct cqesim_cq_shape){.log_size = sim->log_cq});
	rc = post_buffers(q, &poster, stride, room);
	if (rc)
		return rc;

	const struct cqesim_ring_observer *observer = sim->config.observer;
	struct cqesim_cq_attr cq = {
		.ring = q->cq_ring,
		.address = (uintptr_t)q->cq_ring,
		.log_size = sim->log_cq,
		.cqe_comp_en = sim->result.cqe_comp_en,
		.mini_format = sim->result.mini_format,
		.observer = observer && observer->written ? ring_written : NULL,
		.observer_context = q,
	};
	rc = cqesim_nic_create_cq(sim->nic, &cq, &cqn);
	if (rc)
		return rc;
	struct cqesim_rq_attr rq = {
		.ring = q->wq_ring,
		.address = (uintptr_t)q->wq_ring,
		.log_size = sim->log_ring,
		.dbrec = &q->dbrec[0],
		.cqn = cqn,
		.user_index = number,
		.translate = translate,
		.translate_context = q,
	};
	rc = cqesim_nic_create_rq(sim->nic, &rq, &q->rqn);
	if (!rc)
		rc = cqesim_nic_modify_rq(sim->nic, q->rqn, CQESIM_QUEUE_RDY, 0);
	if (!rc)
		rc = cqesim_cq_reader_init(
			&reader, q->cq_ring,
			&(struct cqesim_cq_shape){.log_size = sim->log_cq,
						  .format = sim->result.mini_format},
			sim_invalidate(sim));
	if (rc)
		return rc;
	struct cqesim_host_config host = sim_host_config(sim);
	host.batch_reads = !observer || !observer->polled;
	rc = cqesim_host_create(&q->host, &host, &reader, &poster, &q->dbrec[1], deliver, q);
	if (!rc)
		q->inbox = cqesim_host_inbox(q->host);
	return rc;
}

static void queue_free(struct queue *q)
{
	cqesim_host_destroy(q->host);
	if (q->buffers)
		munmap(q->buffers, q->buffers_size);
	free(q->sent);
	free(q->wq_ring);
	free(q->cq_ring);
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
		rc = cqesim_nic_create(&sim->nic, &nic, err);
	}
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
	free(sim->queue);
	free(sim->result.queue);
	free(sim);
}

/* ---- what comes back ---- */

static const char *differing_field(const struct cqesim_rxmeta *a, const struct cqesim_rxmeta *b,
				   const struct cqesim_rxmeta *mask)
{
#define DIFFERS(field)                                                                             \
	if ((a->field ^ b->field) & mask->field)                                                   \
	return #field
	DIFFERS(byte_cnt);
	DIFFERS(rx_hash_res);
	DIFFERS(flow_tag);
	DIFFERS(user_index);
	DIFFERS(vlan_info);
	DIFFERS(csum);
	DIFFERS(rx_hash_type);
	DIFFERS(pkt_info);
	DIFFERS(hds_ip_ext);
	DIFFERS(l4_l3_hdr_type);
#undef DIFFERS
	return "wqe_counter or opcode";
}

static int mismatch(struct queue *q, const struct cqesim_completion *c,
		    const struct cqesim_rxmeta *sent, const struct cqesim_rxmeta *mask)
{
	return cqesim_fail(
		&q->sim->fault, -EBADMSG,
		"internal error: queue %u, packet %llu: the completion at index %u (slot %u) "
		"does not say what was sent: %s",
		q->number, (unsigned long long)q->read_count, c->index,
		c->index & (q->sim->config.cq_size - 1), differing_field(&c->meta, sent, mask));
}

static inline uint64_t word(const struct cqesim_rxmeta *m, unsigned i)
{
	uint64_t v;

	memcpy(&v, (const uint8_t *)m + i * sizeof(v), sizeof(v));
	return v;
}

/* Bits in which two of them differ, where mask has bits. */
static inline uint64_t differing_bits(const struct cqesim_rxmeta *a, const struct cqesim_rxmeta *b,
				      const uint64_t mask[META_WORDS])
{
	return ((word(a, 0) ^ word(b, 0)) & mask[0]) | ((word(a, 1) ^ word(b, 1)) & mask[1]) |
	       ((word(a, 2) ^ word(b, 2)) & mask[2]);
}

static int deliver(void *context, const struct cqesim_completion *c, unsigned n, uint64_t now_ps)
{
	static const uint64_t everything[META_WORDS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
	struct queue *q = context;
	const struct cqesim_sim *sim = q->sim;

	if (q->sent_count - q->read_count < n)
		n = (unsigned)(q->sent_count - q->read_count) +
		    1; /* the first that was never sent */
	for (unsigned i = 0; i < n; i++, q->read_count++) {
		const struct cqesim_rxmeta *sent = &q->sent[q->read_count & q->sent_mask];
		const uint64_t *mask = c[i].session_i ? sim->meta_mask : everything;

		if (__builtin_expect(differing_bits(&c[i].meta, sent, mask) ||
					     c[i].opcode != CQESIM_OP_RESP_SEND ||
					     c[i].wqe_counter != (uint16_t)q->read_count ||
					     q->read_count == q->sent_count,
				     0))
			return mismatch(q, &c[i], sent, (const struct cqesim_rxmeta *)mask);
	}
	if (sim->config.observer && sim->config.observer->polled)
		return sim->config.observer->polled(sim->config.observer->context, q->number,
						    now_ps, c, n);
	return 0;
}

static int advance(struct queue *q, uint64_t until_ps, bool flush, struct cqesim_error *err)
{
	int rc = cqesim_host_advance(q->host, until_ps);

	q->next_poll_ps = cqesim_host_next_ps(q->host);
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
	switch (result) {
	case CQESIM_RX_BUFFER_FULL:
		return CQESIM_DROP_BUFFER_FULL;
	case CQESIM_RX_OUT_OF_BUFFER:
		return 2 * cqesim_host_held(q->host, now_ps) < q->sim->config.ring
			       ? CQESIM_DROP_BUFFER_FULL
			       : CQESIM_DROP_OUT_OF_BUFFER;
	default:
		return CQESIM_DROP_OTHER;
	}
}

/* For the mix: the data write that a lost packet did not become, to one buffer after the other. */
static void count_lost(struct cqesim_sim *sim, const struct queue *q, uint32_t bytes)
{
	uint64_t buffer = (uintptr_t)q->buffers + (q->arrived & q->sent_mask) * q->buffer_stride;

	if (sim->data_padding)
		bytes = (bytes + 63) & ~63u;
	struct cqesim_tlps t =
		cqesim_link_write(cqesim_nic_link(sim->nic), buffer + BUFFER_HEAD, bytes);
	cqesim_tlps_add(&sim->lost_data, &t);
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
	if (q->next_poll_ps <= now_ps) {
		int rc = advance(q, now_ps, false, err);
		if (rc)
			return rc;
	}

	/* Time-outs before now may publish to other queues: always in the past of their next
	 * packet. */
	enum cqesim_rx_result result = cqesim_nic_receive(sim->nic, q->rqn, now_ps, meta,
							  frame->data, frame->cap_len, NULL);
	if (result == CQESIM_RX_DELIVERED) {
		struct cqesim_rxmeta *sent = &q->sent[q->sent_count++ & q->sent_mask];

		*sent = *meta;
		sent->user_index = queue;
	} else {
		q->dropped[drop_reason(q, result, now_ps)]++;
		count_lost(sim, q, meta->byte_cnt);
	}
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

int cqesim_sim_finish(struct cqesim_sim *sim, struct cqesim_error *err)
{
	if (sim->finished)
		return 0;
	/* Sessions that are still open end by time-out, as they would without more traffic. */
	while (cqesim_nic_next_ps(sim->nic) != UINT64_MAX)
		cqesim_nic_step(sim->nic, cqesim_nic_next_ps(sim->nic));
	for (unsigned i = 0; i < sim->config.queues; i++) {
		struct queue *q = &sim->queue[i];
		uint64_t until = q->last_visible_ps;

		while (cqesim_host_pending(q->host)) {
			int rc = advance(q, until, false, err);
			if (rc)
				return rc;
			until = cqesim_host_next_ps(q->host);
		}
		int rc = advance(q, 0, true, err);
		if (rc)
			return rc;
		if (q->read_count != q->sent_count)
			return cqesim_fail(err, -EBADMSG,
					   "internal error: queue %u: %llu packets sent, %llu read",
					   i, (unsigned long long)q->sent_count,
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

const struct cqesim_result *cqesim_sim_result(const struct cqesim_sim *sim)
{
	return sim->finished ? &sim->result : NULL;
}
