/* SPDX-License-Identifier: BSD-3-Clause */
/* The device that the tests of nic are about: see test_nic.h. */
#include <stdlib.h>
#include <string.h>

#include "test_cq.h"
#include "test_nic.h"

void rig_config(struct rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	rig->config = (struct cqesim_nic_config){
		/* 5 GT/s x 4 / 8 x 8/10, half of it SKP: 10^9 bytes a second */
		.link = {.generation = 2,
			 .lanes = 4,
			 .mps = 256,
			 .mrrs = 512,
			 .rcb = 64,
			 .addr_bits = 64,
			 .ack_every = 1,
			 .fc_every = 1,
			 .skp_blocks = 370,
			 .skp_symbols = 8,
			 .efficiency = 1},
		.rx_buffer_bytes = UINT64_C(1) << 40,
		.wqe_fetch_bytes = 64,
		.compression = CQESIM_COMP_OFF,
		.comp_max = 64,
		.comp_timeout_ps = UINT64_C(1000000000),
	};
}

static void note(void *context, uint32_t cqn, uint64_t ps, uint32_t count, bool filler)
{
	struct rig *rig = context;
	unsigned last = rig->events % RIG_EVENTS;

	if (rig->events && ps < rig->event[(rig->events - 1) % RIG_EVENTS].ps)
		ck_abort_msg("time ran backwards");
	rig->event[last].cqn = cqn;
	rig->event[last].ps = ps;
	rig->event[last].count = count;
	rig->event[last].filler = filler;
	rig->events++;
	rig->packets += count;
}

void rig_start(struct rig *rig)
{
	struct cqesim_error err = {""};

	rig->config.published = note;
	rig->config.published_context = rig;
	int rc = cqesim_nic_create(&rig->nic, &rig->config, &err);
	ck_assert_msg(rc == 0, "%s", err.text);
}

void rig_stop(struct rig *rig)
{
	cqesim_nic_destroy(rig->nic);
	for (unsigned i = 0; i < rig->queues; i++) {
		free(rig->queue[i].ring);
		free(rig->queue[i].wqes);
		free(rig->queue[i].memory);
	}
}

static void *translate(void *context, uint32_t lkey, uint64_t address, uint32_t length)
{
	const struct rig_queue *q = context;
	uint64_t bytes = (uint64_t)RIG_BUFFER << q->log_size;

	if (lkey != RIG_KEY || address < q->base || address - q->base > bytes ||
	    length > bytes - (address - q->base))
		return NULL;
	return q->memory + (address - q->base);
}

struct cqesim_rq_attr rig_rq_attr(struct rig_queue *q, uint32_t user_index)
{
	return (struct cqesim_rq_attr){
		.ring = q->wqes,
		.address = 0x200000,
		.log_size = q->log_size,
		.log_segs = q->log_segs,
		.dbrec = &q->dbrec,
		.cqn = q->cqn,
		.user_index = user_index,
		.translate = translate,
		.translate_context = q,
	};
}

/* Memory, WQEs posted; no queues of the device yet. */
struct rig_queue *rig_prepare(struct rig *rig, unsigned log_size, unsigned log_segs)
{
	struct rig_queue *q = &rig->queue[rig->queues];

	ck_assert_uint_lt(rig->queues, RIG_QUEUES);
	*q = (struct rig_queue){
		.log_size = log_size, .log_segs = log_segs, .base = RIG_BASE * (rig->queues + 1)};
	rig->queues++;
	q->ring = test_cq_ring(log_size + rig->cq_log_more);
	cqesim_cq_init_ring(q->ring,
			    &(struct cqesim_cq_shape){.log_size = log_size + rig->cq_log_more});
	q->wqes = calloc((size_t)1 << log_size, 16u << log_segs);
	q->memory = calloc((size_t)1 << log_size, RIG_BUFFER);
	ck_assert(q->wqes && q->memory);
	cqesim_rq_poster_init(&q->poster, q->wqes, log_size, log_segs, &q->dbrec);
	for (unsigned i = 0; i < 1u << log_size; i++) {
		struct cqesim_rq_seg seg[32];
		uint32_t length = RIG_BUFFER >> log_segs;

		for (unsigned s = 0; s < 1u << log_segs; s++)
			seg[s] = (struct cqesim_rq_seg){.address = q->base + i * RIG_BUFFER +
								   s * length,
							.lkey = RIG_KEY,
							.length = length};
		ck_assert_int_eq(cqesim_rq_post(&q->poster, seg, 1u << log_segs), 0);
	}
	cqesim_rq_doorbell(&q->poster);
	return q;
}

struct rig_queue *rig_add(struct rig *rig, unsigned log_size, unsigned log_segs, bool compress,
			  enum cqesim_mini_format format)
{
	struct rig_queue *q = rig_prepare(rig, log_size, log_segs);
	struct cqesim_cq_attr cq = {.ring = q->ring,
				    .address = 0x400000,
				    .log_size = log_size + rig->cq_log_more,
				    .cqe_comp_en = compress,
				    .mini_format = format,
				    .layout = rig->layout};

	ck_assert_int_eq(cqesim_nic_create_cq(rig->nic, &cq, &q->cqn), 0);
	struct cqesim_rq_attr rq = rig_rq_attr(q, 0x00a000 + rig->queues);
	ck_assert_int_eq(cqesim_nic_create_rq(rig->nic, &rq, &q->rqn), 0);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig->nic, q->rqn, CQESIM_QUEUE_RDY, 0), 0);
	ck_assert_int_eq(cqesim_cq_reader_init(
				 &q->reader, q->ring,
				 &(struct cqesim_cq_shape){.log_size = log_size + rig->cq_log_more,
							   .format = format,
							   .layout = rig->layout},
				 CQESIM_INVALIDATE_DPDK_SCALAR),
			 0);
	return q;
}

struct cqesim_rxmeta rig_meta(uint32_t hash)
{
	return (struct cqesim_rxmeta){
		.byte_cnt = 60,
		.rx_hash_res = hash,
		.rx_hash_type = CQESIM_HASH_TYPE_IPV4 | CQESIM_HASH_TYPE_UDP,
		.csum = 0x1234,
		.hds_ip_ext = CQESIM_L2_OK | CQESIM_L3_OK | CQESIM_L4_OK,
		.l4_l3_hdr_type = CQESIM_HDR_L3_IPV4 | CQESIM_HDR_L4_UDP,
	};
}

enum cqesim_rx_result rig_packet(struct rig *rig, uint64_t now_ps, uint32_t hash)
{
	struct cqesim_rxmeta m = rig_meta(hash);

	return cqesim_nic_receive(rig->nic, rig->queue[0].rqn, now_ps, &m, NULL, 0, NULL);
}

void rig_event(const struct rig *rig, unsigned i, uint32_t cqn, uint32_t count, uint64_t ps)
{
	ck_assert_msg(i < rig->events, "%u published, no number %u", rig->events, i);
	ck_assert_msg(rig->event[i].cqn == cqn && rig->event[i].count == count &&
			      rig->event[i].ps == ps,
		      "event %u: %u of CQ %u at %llu ps, not %u of CQ %u at %llu", i,
		      rig->event[i].count, rig->event[i].cqn, (unsigned long long)rig->event[i].ps,
		      count, cqn, (unsigned long long)ps);
}

void rig_traffic(const struct rig *rig, enum cqesim_traffic kind, uint64_t count, uint64_t payload,
		 uint64_t wire)
{
	const struct cqesim_tlps *t = &rig_stats(rig)->traffic[kind];

	ck_assert_msg(t->count == count && t->payload == payload && t->wire == wire,
		      "%s: %llu TLPs, %llu bytes, %llu on the wire, not %llu, %llu, %llu",
		      cqesim_traffic_name(kind), (unsigned long long)t->count,
		      (unsigned long long)t->payload, (unsigned long long)t->wire,
		      (unsigned long long)count, (unsigned long long)payload,
		      (unsigned long long)wire);
}

void rig_aggressive(struct rig *rig, uint32_t max)
{
	rig_config(rig);
	rig->config.compression = CQESIM_COMP_AGGRESSIVE;
	rig->config.comp_max = max;
	rig->config.comp_timeout_ps = 10 * RIG_US;
	rig->config.comp_compare[0] = 0xff;             /* tunnel */
	memset(rig->config.comp_compare + 28, 0xff, 4); /* OK bits, headers, VLAN */
	memset(rig->config.comp_compare + 33, 0xff, 3); /* user index */
	memset(rig->config.comp_compare + 57, 0xff, 3); /* flow tag */
}

void rig_ends(const struct rig *rig, unsigned mismatch, unsigned max, unsigned timeout,
	      unsigned ring, unsigned relief, unsigned stop)
{
	const unsigned want[CQESIM_SESSION_ENDS] = {mismatch, max, timeout, ring, relief, stop};

	for (unsigned i = 0; i < CQESIM_SESSION_ENDS; i++)
		ck_assert_msg(rig_stats(rig)->session_ends[i] == want[i], "%s: %llu, not %u",
			      cqesim_session_end_name(i),
			      (unsigned long long)rig_stats(rig)->session_ends[i], want[i]);
}
