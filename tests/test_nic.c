/* SPDX-License-Identifier: BSD-3-Clause */
/* nic: the object, its queues, and what a packet without compression does and costs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "test_cq.h"
#include "test_nic.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- the rig ---- */

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

static void note(void *context, uint32_t cqn, uint64_t ps, uint32_t count)
{
	struct rig *rig = context;
	unsigned last = rig->events % RIG_EVENTS;

	if (rig->events && ps < rig->event[(rig->events - 1) % RIG_EVENTS].ps)
		ck_abort_msg("time ran backwards");
	rig->event[last].cqn = cqn;
	rig->event[last].ps = ps;
	rig->event[last].count = count;
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
static struct rig_queue *prepare(struct rig *rig, unsigned log_size, unsigned log_segs)
{
	struct rig_queue *q = &rig->queue[rig->queues];

	ck_assert_uint_lt(rig->queues, RIG_QUEUES);
	*q = (struct rig_queue){
		.log_size = log_size, .log_segs = log_segs, .base = RIG_BASE * (rig->queues + 1)};
	rig->queues++;
	q->ring = test_cq_ring(log_size + rig->cq_log_more);
	cqesim_cq_init_ring(q->ring, log_size + rig->cq_log_more);
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
	struct rig_queue *q = prepare(rig, log_size, log_segs);
	struct cqesim_cq_attr cq = {.ring = q->ring,
				    .address = 0x400000,
				    .log_size = log_size + rig->cq_log_more,
				    .cqe_comp_en = compress,
				    .mini_format = format};

	ck_assert_int_eq(cqesim_nic_create_cq(rig->nic, &cq, &q->cqn), 0);
	struct cqesim_rq_attr rq = rig_rq_attr(q, 0x00a000 + rig->queues);
	ck_assert_int_eq(cqesim_nic_create_rq(rig->nic, &rq, &q->rqn), 0);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig->nic, q->rqn, CQESIM_QUEUE_RDY, 0), 0);
	ck_assert_int_eq(cqesim_cq_reader_init(&q->reader, q->ring, log_size + rig->cq_log_more,
					       format, CQESIM_INVALIDATE_DPDK_SCALAR),
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

/* ---- the object ---- */

START_TEST(names)
{
	static const char *const ends[] = {"mismatch", "max_num", "timeout",
					   "ring_end", "relief",  "stop"};
	static const char *const results[] = {"delivered",        "rx_discards_phy",
					      "rx_out_of_buffer", "buffer_too_small",
					      "queue_not_ready",  "protection_error"};
	static const char *const kinds[] = {"packet_data", "plain_cqes",   "title_cqes",
					    "mini_arrays", "wqe_requests", "wqe_completions"};

	ck_assert_uint_eq(CQESIM_SESSION_ENDS, COUNT(ends));
	ck_assert_uint_eq(CQESIM_RX_RESULTS, COUNT(results));
	ck_assert_uint_eq(CQESIM_TRAFFIC_KINDS, COUNT(kinds));
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_str_eq(cqesim_session_end_name(i), ends[i]);
		ck_assert_str_eq(cqesim_rx_result_name(i), results[i]);
		ck_assert_str_eq(cqesim_traffic_name(i), kinds[i]);
	}
	ck_assert_str_eq(cqesim_session_end_name(6), "unknown");
	ck_assert_str_eq(cqesim_rx_result_name(6), "unknown");
	ck_assert_str_eq(cqesim_traffic_name(6), "unknown");
	/* The histogram of mismatches has a place for each field. */
	ck_assert_uint_le(cqesim_cqe_rx_field_count, CQESIM_RX_FIELDS_MAX);
}
END_TEST

START_TEST(bad_configs)
{
	struct rig good;
	struct cqesim_nic_config c[13];
	static const char *const word[COUNT(c)] = {
		"max_pps",      "max_pps",     "max_pps",   "max_pps", "rx_buffer",
		"wqe_fetch",    "wqe_fetch",   "wqe_fetch", "max_num", "timeout",
		"backpressure", "compression", "lanes",
	};
	struct cqesim_nic *nic;
	struct cqesim_error err;

	rig_config(&good);
	good.config.compression = CQESIM_COMP_AGGRESSIVE;
	for (size_t i = 0; i < COUNT(c); i++)
		c[i] = good.config;
	c[0].max_pps = -1;
	c[1].max_pps = 0.5;
	c[2].max_pps = 2e12;
	c[3].max_pps = NAN;
	c[4].rx_buffer_bytes = 0;
	c[5].wqe_fetch_bytes = 8;
	c[6].wqe_fetch_bytes = 96;
	c[7].wqe_fetch_bytes = 8192;
	c[8].comp_max = 1;
	c[9].comp_timeout_ps = 0;
	c[10].backpressure_off_bytes = 1;
	c[11].compression = 3;
	c[12].link.lanes = 3;
	for (size_t i = 0; i < COUNT(c); i++) {
		err.text[0] = 0;
		nic = (void *)&err;
		ck_assert_msg(cqesim_nic_create(&nic, &c[i], &err) == -EINVAL, "row %zu", i);
		ck_assert_msg(strstr(err.text, word[i]) != NULL, "row %zu: %s", i, err.text);
		ck_assert_ptr_null(nic);
		ck_assert_int_eq(cqesim_nic_create(&nic, &c[i], NULL), -EINVAL);
	}
	good.config.write_policy = 3;
	ck_assert_int_eq(cqesim_nic_create(&nic, &good.config, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "write_policy"));

	/* Without compression its parameters do not matter. */
	rig_config(&good);
	good.config.comp_max = 0;
	good.config.comp_timeout_ps = 0;
	ck_assert_int_eq(cqesim_nic_create(&nic, &good.config, NULL), 0);
	ck_assert_uint_eq(cqesim_nic_link(nic)->write_header, 24);
	cqesim_nic_destroy(nic);
	cqesim_nic_destroy(NULL);
}
END_TEST

START_TEST(numbers_and_users)
{
	struct rig rig;
	struct rig_queue *q;
	uint32_t cqn[4], rqn[4], n = 77;

	rig_config(&rig);
	rig_start(&rig);
	q = prepare(&rig, 4, 0);
	struct cqesim_cq_attr cq = {.ring = q->ring, .log_size = 6};
	/* The ring is of 16; nothing is written here. */
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &cq, &cqn[i]), 0);
		ck_assert_uint_eq(cqn[i], i + 1);
	}
	struct cqesim_rq_attr rq = rig_rq_attr(q, 0);
	for (unsigned i = 0; i < 3; i++) {
		rq.cqn = 1 + i / 2; /* two on CQ 1, one on CQ 2 */
		ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &rq, &rqn[i]), 0);
		ck_assert_uint_eq(rqn[i], i + 1);
	}
	/* A CQ in use, a free one, one that is not there. */
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 1), -EBUSY);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 2), -EBUSY);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 3), 0);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 3), -ENOENT);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 0), -ENOENT);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 4), -ENOENT);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, 1), 0);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, 1), -ENOENT);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, 0), -ENOENT);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, 4), -ENOENT);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, UINT32_MAX), -ENOENT);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 1), -EBUSY);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, 2), 0);
	ck_assert_int_eq(cqesim_nic_destroy_cq(rig.nic, 1), 0);
	/* Numbers of what is gone: not found, then given out again. */
	rq.cqn = 1;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &rq, &n), -ENOENT);
	rq.cqn = 0;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &rq, &n), -ENOENT);
	ck_assert_uint_eq(n, 77);
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &cq, &n), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &cq, &n), 0);
	ck_assert_uint_eq(n, 3);
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &cq, &n), 0);
	ck_assert_uint_eq(n, 4);
	rig_stop(&rig); /* with queues left */
}
END_TEST

START_TEST(bad_queues)
{
	struct rig rig;
	struct rig_queue *q;
	uint32_t n = 77;

	rig_config(&rig);
	rig_start(&rig);
	q = prepare(&rig, 4, 0);
	struct cqesim_cq_attr cq = {.ring = q->ring, .log_size = 4}, bad = cq;
	bad.ring = NULL;
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &bad, &n), -EINVAL);
	bad.ring = q->ring + 32;
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &bad, &n), -EINVAL);
	bad = cq;
	bad.log_size = 23;
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &bad, &n), -EINVAL);
	bad = cq;
	bad.mini_format = CQESIM_MINI_FORMATS;
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &bad, &n), -EINVAL);
	ck_assert_uint_eq(n, 77);
	ck_assert_int_eq(cqesim_nic_create_cq(rig.nic, &cq, &q->cqn), 0);
	ck_assert_uint_eq(q->cqn, 1);

	struct cqesim_rq_attr rq = rig_rq_attr(q, 0), badr = rq;
	badr.ring = NULL;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), -EINVAL);
	badr = rq;
	badr.dbrec = NULL;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), -EINVAL);
	badr = rq;
	badr.translate = NULL;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), -EINVAL);
	badr = rq;
	badr.log_segs = 6;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), -EINVAL);
	badr = rq;
	badr.log_size = 16;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), -EINVAL);
	/* More WQEs than the CQ has slots could overrun it; in one queue or in several. */
	badr = rq;
	badr.log_size = 5;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), -EINVAL);
	badr.log_size = 3;
	ck_assert_uint_eq(n, 77);
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &rq, &n), -EINVAL);
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), 0);
	badr.log_size = 0;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), -EINVAL);
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, 1), 0);
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &badr, &n), 0);
	rig_stop(&rig);
}
END_TEST

START_TEST(states)
{
	/* From RST, RDY, ERR (rows) to RST, RDY, ERR and to numbers that are no state. */
	static const bool legal[3][5] = {{false, true, false, false, false},
					 {true, false, true, false, false},
					 {true, false, false, false, false}};
	static const enum cqesim_queue_state no = (enum cqesim_queue_state)3;
	const enum cqesim_queue_state to[5] = {CQESIM_QUEUE_RST, CQESIM_QUEUE_RDY, CQESIM_QUEUE_ERR,
					       no, (enum cqesim_queue_state) - 1};
	struct rig rig;
	enum cqesim_queue_state state;
	uint16_t ci;

	rig_config(&rig);
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	for (unsigned from = 0; from < 3; from++)
		for (unsigned i = 0; i < 5; i++) {
			/* By legal ways to `from`. */
			cqesim_nic_query_rq(rig.nic, 1, &state, &ci);
			if (state != CQESIM_QUEUE_RST)
				ck_assert_int_eq(
					cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_RST, 0), 0);
			if (from != 0)
				ck_assert_int_eq(
					cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_RDY, 0), 0);
			if (from == 2)
				ck_assert_int_eq(
					cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_ERR, 0), 0);
			int rc = cqesim_nic_modify_rq(rig.nic, 1, to[i], 0);
			ck_assert_msg(rc == (legal[from][i] ? 0 : -EINVAL), "%u to %d: %d", from,
				      (int)to[i], rc);
			ck_assert_int_eq(cqesim_nic_query_rq(rig.nic, 1, &state, &ci), 0);
			ck_assert_uint_eq(state, legal[from][i] ? to[i] : from);
		}
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, 0, CQESIM_QUEUE_RDY, 0), -ENOENT);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, 2, CQESIM_QUEUE_RDY, 0), -ENOENT);
	ck_assert_int_eq(cqesim_nic_query_rq(rig.nic, 0, &state, &ci), -ENOENT);
	ck_assert_int_eq(cqesim_nic_query_rq(rig.nic, 2, &state, &ci), -ENOENT);
	rig_stop(&rig);
}
END_TEST

START_TEST(only_ready_queues_receive)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(1);
	enum cqesim_queue_state state;
	uint16_t ci;

	rig_config(&rig);
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	ck_assert_int_eq(rig_packet(&rig, 0, 1), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, 0, 0, &m, NULL, 0, NULL), CQESIM_RX_NOT_READY);
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, 2, 0, &m, NULL, 0, NULL), CQESIM_RX_NOT_READY);
	ck_assert_int_eq(rig_packet(&rig, 0, 2), CQESIM_RX_DELIVERED);
	cqesim_nic_query_rq(rig.nic, 1, &state, &ci);
	ck_assert_uint_eq(ci, 2);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_ERR, 0), 0);
	ck_assert_int_eq(rig_packet(&rig, 0, 3), CQESIM_RX_NOT_READY);
	/* ERR keeps the index, RST sets it to 0; the completion ring goes on where it was. */
	cqesim_nic_query_rq(rig.nic, 1, &state, &ci);
	ck_assert_uint_eq(ci, 2);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_RST, 0), 0);
	ck_assert_int_eq(rig_packet(&rig, 0, 3), CQESIM_RX_NOT_READY);
	cqesim_nic_query_rq(rig.nic, 1, &state, &ci);
	ck_assert_uint_eq(ci, 0);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, 1, CQESIM_QUEUE_RDY, 0), 0);
	ck_assert_int_eq(rig_packet(&rig, 0, 4), CQESIM_RX_DELIVERED);
	ck_assert_uint_eq(rig.queue[0].ring[2 * 64 + 15], 4);
	ck_assert_uint_eq(rig.queue[0].ring[2 * 64 + 61], 0); /* WQE 0 again */
	ck_assert_uint_eq(rig_stats(&rig)->packets, 7);
	ck_assert_uint_eq(rig_stats(&rig)->results[CQESIM_RX_DELIVERED], 3);
	ck_assert_uint_eq(rig_stats(&rig)->results[CQESIM_RX_NOT_READY], 4);
	ck_assert_uint_eq(rig_stats(&rig)->wqes, 3);
	/* WQEs 0-3 read twice: a reset queue has fetched nothing. */
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_REQUEST, 2, 0, 48);
	rig_stop(&rig);
}
END_TEST

/* ---- what a packet costs ---- */

/* 64 packets of 60 bytes, the link's ceiling of the reference: bytes up for each. */
START_TEST(flood_bytes)
{
	static const struct {
		unsigned fetch, log_segs;
		bool pad;
		double ack_every;
		unsigned mps;
		uint64_t requests, completions, completion_bytes, data, up;
	} c[] = {
		/* 84 + 88 + 24/4 + 8/4 = 180 */
		{64, 0, false, 1, 256, 16, 16, 16 * 84, 84, 64 * 180},
		/* 84 + 88 + 24/16 + 8/16 = 174 */
		{256, 0, false, 1, 256, 4, 4, 4 * 276, 84, 64 * 174},
		/* at MPS 128 it takes two completions, so two Acks: 174.5 */
		{256, 0, false, 1, 128, 4, 8, 4 * 296, 84, 64 * 174 + 32},
		/* each WQE for itself: 84 + 88 + 24 + 8 = 204 */
		{16, 0, false, 1, 256, 64, 64, 64 * 36, 84, 64 * 204},
		/* an Ack for four: 178.5 */
		{64, 0, false, 4, 256, 16, 16, 16 * 84, 84, 64 * 178 + 32},
		/* for two and a half: of 16 completions six are answered */
		{64, 0, false, 2.5, 256, 16, 16, 16 * 84, 84, 64 * 178 + 48},
		/* data padded to a line: 184 */
		{64, 0, true, 1, 256, 16, 16, 16 * 84, 88, 64 * 184},
		/* WQEs of 32 bytes, two to a read: 188; of 128: one read each, all 128 bytes: 204
		 */
		{64, 1, false, 1, 256, 32, 32, 32 * 84, 84, 64 * 188},
		{64, 3, false, 1, 256, 64, 64, 64 * 148, 84, 64 * 204},
	};

	for (size_t i = 0; i < COUNT(c); i++) {
		struct rig rig;

		rig_config(&rig);
		rig.config.wqe_fetch_bytes = c[i].fetch;
		rig.config.data_padding = c[i].pad;
		rig.config.link.ack_every = c[i].ack_every;
		rig.config.link.mps = c[i].mps;
		rig_start(&rig);
		rig_add(&rig, 6, c[i].log_segs, true, CQESIM_MINI_HASH);
		for (uint32_t p = 0; p < 64; p++)
			ck_assert_int_eq(rig_packet(&rig, 0, p), CQESIM_RX_DELIVERED);
		rig_traffic(&rig, CQESIM_TRAFFIC_DATA, 64, c[i].pad ? 64 * 64 : 64 * 60,
			    64 * c[i].data);
		rig_traffic(&rig, CQESIM_TRAFFIC_CQE, 64, 64 * 64, 64 * 88);
		rig_traffic(&rig, CQESIM_TRAFFIC_TITLE, 0, 0, 0);
		rig_traffic(&rig, CQESIM_TRAFFIC_MINI, 0, 0, 0);
		rig_traffic(&rig, CQESIM_TRAFFIC_WQE_REQUEST, c[i].requests, 0, 24 * c[i].requests);
		rig_traffic(&rig, CQESIM_TRAFFIC_WQE_COMPLETION, c[i].completions,
			    c[i].completion_bytes - 20 * c[i].completions, c[i].completion_bytes);
		ck_assert_uint_eq(rig_stats(&rig)->link_busy_bytes, c[i].up);
		ck_assert_uint_eq(rig_stats(&rig)->link_done_ps, c[i].up * 1000);
		ck_assert_uint_eq(rig_stats(&rig)->plain, 64);
		ck_assert_uint_eq(rig_stats(&rig)->lone, 0);
		ck_assert_uint_eq(rig_stats(&rig)->sessions, 0);
		ck_assert_uint_eq(rig_stats(&rig)->packets, 64);
		ck_assert_uint_eq(rig.packets, 64);
		rig_stop(&rig);
	}
}
END_TEST

/* A ring that is smaller than a read of WQEs: no more is read than is there. */
START_TEST(small_ring_fetches)
{
	struct rig rig;

	rig_config(&rig);
	rig.config.wqe_fetch_bytes = 256;
	rig_start(&rig);
	rig_add(&rig, 1, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 6; i++) {
		ck_assert_int_eq(rig_packet(&rig, i, i), CQESIM_RX_DELIVERED);
		cqesim_rq_repost(&rig.queue[0].poster, 1);
		cqesim_rq_doorbell(&rig.queue[0].poster);
	}
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_REQUEST, 3, 0, 72);
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_COMPLETION, 3, 96, 3 * 52);
	rig_stop(&rig);
}
END_TEST

START_TEST(long_packets)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0);
	struct rig_queue *q;

	/* 1500 bytes in one segment: five TLPs of 256 and one of 220. */
	rig_config(&rig);
	rig_start(&rig);
	q = rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	m.byte_cnt = 1500;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL), 0);
	rig_traffic(&rig, CQESIM_TRAFFIC_DATA, 6, 1500, 1500 + 6 * 24);
	rig_event(&rig, 0, 1, 1, (24 + 8 + 1644 + 88) * 1000);
	/* Buffer 1 moved to 100 bytes before a page: cut there, 100 and 200. */
	struct cqesim_rq_seg seg = {
		.address = q->base + 4096 - 100, .lkey = RIG_KEY, .length = 300};
	q->poster.pi = 1;
	cqesim_rq_post(&q->poster, &seg, 1);
	q->poster.pi = 16;
	m.byte_cnt = 300;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL), 0);
	rig_traffic(&rig, CQESIM_TRAFFIC_DATA, 8, 1800, 1500 + 6 * 24 + 300 + 2 * 24);
	rig_stop(&rig);

	/* Two segments of 1024: 1100 bytes are four TLPs and one of 76. */
	rig_config(&rig);
	rig_start(&rig);
	q = rig_add(&rig, 4, 1, false, CQESIM_MINI_HASH);
	m.byte_cnt = 1100;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL), 0);
	rig_traffic(&rig, CQESIM_TRAFFIC_DATA, 5, 1100, 1100 + 5 * 24);
	rig_stop(&rig);
}
END_TEST

/* ---- when completions are visible ---- */

START_TEST(times_of_the_link)
{
	struct rig rig;

	rig_config(&rig);
	rig.config.write_latency_ps = 700;
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	/* Together: 204 bytes with the read of WQEs, then 172 each; a read again at the fifth. */
	for (uint32_t i = 0; i < 5; i++)
		rig_packet(&rig, 0, i);
	rig_event(&rig, 0, 1, 1, 204000 + 700);
	rig_event(&rig, 1, 1, 1, 376000 + 700);
	rig_event(&rig, 2, 1, 1, 548000 + 700);
	rig_event(&rig, 3, 1, 1, 720000 + 700);
	rig_event(&rig, 4, 1, 1, 924000 + 700);
	/* The link is busy until 924 ns: behind the others; then idle: at once. */
	rig_packet(&rig, 500000, 5);
	rig_event(&rig, 5, 1, 1, 1096000 + 700);
	rig_packet(&rig, 1096000, 6);
	rig_event(&rig, 6, 1, 1, 1268000 + 700);
	rig_packet(&rig, UINT64_C(10000000000000), 7);
	rig_event(&rig, 7, 1, 1, UINT64_C(10000000000000) + 172000 + 700);
	ck_assert_uint_eq(rig.events, 8);
	/* The longest wait was that of the fifth: 720 ns before it. */
	ck_assert_uint_eq(rig_stats(&rig)->backlog_max_ps, 720000);
	rig_stop(&rig);
}
END_TEST

START_TEST(times_of_the_pipeline)
{
	struct rig rig;

	/* A million a second: 1 us each, the link is idle in between. */
	rig_config(&rig);
	rig.config.max_pps = 1e6;
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 3; i++)
		rig_packet(&rig, 0, i);
	rig_event(&rig, 0, 1, 1, 1000000 + 204000);
	rig_event(&rig, 1, 1, 1, 2000000 + 172000);
	rig_event(&rig, 2, 1, 1, 3000000 + 172000);
	rig_packet(&rig, 9000000, 3);
	rig_event(&rig, 3, 1, 1, 10000000 + 172000);
	rig_stop(&rig);

	/* 3 million: thirds of a picosecond add up, ready at whole ones. */
	rig_config(&rig);
	rig.config.max_pps = 3e6;
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 3; i++)
		rig_packet(&rig, 0, i);
	rig_event(&rig, 0, 1, 1, 333334 + 204000);
	rig_event(&rig, 1, 1, 1, 666667 + 172000);
	rig_event(&rig, 2, 1, 1, 1000000 + 172000);
	rig_stop(&rig);
}
END_TEST

/* A link whose bytes take no whole picoseconds: done is rounded up, the sum is exact. */
START_TEST(times_round_up_once)
{
	struct rig rig;

	rig_config(&rig);
	rig.config.link.skp_symbols = 7; /* 10^9 x 2 x 3/7: 7/6 ns a byte */
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 3; i++)
		rig_packet(&rig, 0, i);
	rig_event(&rig, 0, 1, 1, 238000); /* 204 x 7/6 = 238 */
	rig_event(&rig, 1, 1, 1, 438667); /* 376 x 7/6 = 438.666.. */
	rig_event(&rig, 2, 1, 1, 639334); /* 548 x 7/6 = 639.333.. */
	ck_assert_uint_eq(rig_stats(&rig)->link_done_ps, 639334);
	rig_stop(&rig);
}
END_TEST

/* ---- what becomes of packets ---- */

START_TEST(completions_say_what_was_sent)
{
	static const uint8_t want[64] = {
		[0] = 0x01,  [12] = 0xde, [13] = 0xad, [14] = 0xbe, [15] = 0xef,
		[16] = 0x84, [20] = 0x12, [21] = 0x34, [28] = 0x07, [29] = 0x29,
		[30] = 0x2f, [31] = 0xfe, [33] = 0x00, [34] = 0xa0, [35] = 0x01,
		[47] = 0x40, [52] = 0x00, [53] = 0x12, [54] = 0xd6, [55] = 0x87, /* 1234567 ns */
		[57] = 0x65, [58] = 0x43, [59] = 0x21, [61] = 0x02, [63] = 0x20,
	};
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0xdeadbeef);
	uint16_t wqe = 99;

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	rig_packet(&rig, 0, 0);
	rig_packet(&rig, 0, 0);
	m.byte_cnt = 64;
	m.pkt_info = CQESIM_PKT_INFO_TUNNELED;
	m.l4_l3_hdr_type |= CQESIM_HDR_VLAN_STRIPPED;
	m.vlan_info = 0x2ffe;
	m.flow_tag = 0x654321;
	m.user_index = 0x777777; /* ignored: the queue's counts */
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 1234567999, &m, NULL, 0, &wqe),
			 CQESIM_RX_DELIVERED);
	ck_assert_uint_eq(wqe, 2);
	for (unsigned i = 0; i < 64; i++)
		ck_assert_msg(q->ring[128 + i] == want[i], "byte %u: %02x, not %02x", i,
			      q->ring[128 + i], want[i]);
	ck_assert_uint_eq(q->ring[3 * 64 + 63], 0xf1);
	rig_stop(&rig);
}
END_TEST

START_TEST(out_of_buffer)
{
	struct rig rig;
	uint16_t wqe = 99;
	struct cqesim_rxmeta m = rig_meta(0);

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 2, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_int_eq(rig_packet(&rig, 0, i), CQESIM_RX_DELIVERED);
	uint64_t bytes = rig_stats(&rig)->link_busy_bytes;
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 5000000, &m, NULL, 0, &wqe),
				 CQESIM_RX_OUT_OF_BUFFER);
	/* It costs the link nothing and writes nothing. */
	ck_assert_uint_eq(rig_stats(&rig)->link_busy_bytes, bytes);
	ck_assert_uint_eq(rig.events, 4);
	ck_assert_uint_eq(wqe, 99);
	cqesim_rq_repost(&q->poster, 1);
	ck_assert_int_eq(rig_packet(&rig, 5000000, 4), CQESIM_RX_OUT_OF_BUFFER);
	cqesim_rq_doorbell(&q->poster);
	ck_assert_int_eq(rig_packet(&rig, 5000000, 4), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(rig_packet(&rig, 5000000, 5), CQESIM_RX_OUT_OF_BUFFER);
	ck_assert_uint_eq(q->ring[63], 0x21); /* the second lap */
	ck_assert_uint_eq(rig_stats(&rig)->results[CQESIM_RX_OUT_OF_BUFFER], 5);
	ck_assert_uint_eq(rig_stats(&rig)->results[CQESIM_RX_DELIVERED], 5);
	ck_assert_uint_eq(rig_stats(&rig)->wqes, 5);
	rig_stop(&rig);
}
END_TEST

START_TEST(buffer_full)
{
	struct rig rig;

	rig_config(&rig);
	rig.config.rx_buffer_bytes = 1000;
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	/* 204, 376, 548, 720, 924, 1096 bytes on the link: the seventh finds more than 1000. */
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_int_eq(rig_packet(&rig, 0, i), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(rig_packet(&rig, 0, 6), CQESIM_RX_BUFFER_FULL);
	ck_assert_int_eq(rig_packet(&rig, 95999, 6), CQESIM_RX_BUFFER_FULL);
	ck_assert_int_eq(rig_packet(&rig, 96000, 6), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(rig_packet(&rig, 96000, 7), CQESIM_RX_BUFFER_FULL);
	ck_assert_uint_eq(rig_stats(&rig)->results[CQESIM_RX_BUFFER_FULL], 3);
	ck_assert_uint_eq(rig_stats(&rig)->wqes, 7);
	ck_assert_uint_eq(rig_stats(&rig)->backlog_max_ps, 1172000);
	rig_stop(&rig);

	/* As large as can be is no limit. */
	rig_config(&rig);
	rig.config.rx_buffer_bytes = UINT64_MAX;
	rig_start(&rig);
	rig_add(&rig, 10, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 1024; i++)
		ck_assert_int_eq(rig_packet(&rig, 0, i), CQESIM_RX_DELIVERED);
	rig_stop(&rig);
}
END_TEST

/* What waits for the pipeline lies in the buffer as well. */
START_TEST(buffer_full_before_pipeline)
{
	struct rig rig;

	rig_config(&rig);
	rig.config.rx_buffer_bytes = 3500; /* 3.5 us */
	rig.config.max_pps = 1e6;
	rig_start(&rig);
	rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	/* Through the link at 1.204, 2.172, 3.172, 4.172 us. */
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_int_eq(rig_packet(&rig, 0, i), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(rig_packet(&rig, 0, 4), CQESIM_RX_BUFFER_FULL);
	ck_assert_int_eq(rig_packet(&rig, 672000, 4), CQESIM_RX_DELIVERED);
	rig_stop(&rig);
}
END_TEST

START_TEST(too_long)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0);
	uint16_t wqe = 99;

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	m.byte_cnt = RIG_BUFFER + 1;
	for (unsigned i = 0; i < 5; i++)
		ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, &wqe),
				 CQESIM_RX_TOO_LONG);
	m.byte_cnt = UINT32_MAX;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, &wqe),
			 CQESIM_RX_TOO_LONG);
	/* No WQE is lost, no completion written; the WQEs are read once. */
	ck_assert_uint_eq(rig_stats(&rig)->results[CQESIM_RX_TOO_LONG], 6);
	ck_assert_uint_eq(rig_stats(&rig)->wqes, 0);
	ck_assert_uint_eq(rig.events, 0);
	ck_assert_uint_eq(rig_stats(&rig)->link_busy_bytes, 32);
	ck_assert_uint_eq(wqe, 99);
	m.byte_cnt = RIG_BUFFER;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, &wqe),
			 CQESIM_RX_DELIVERED);
	ck_assert_uint_eq(wqe, 0);
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_REQUEST, 1, 0, 24);
	rig_event(&rig, 0, 1, 1, (32 + 2048 + 8 * 24 + 88) * 1000);
	rig_stop(&rig);
}
END_TEST

START_TEST(protection_error)
{
	/* Error CQE: user index, syndrome 4, WQE 1, opcode 14, first lap. */
	static const uint8_t want[64] = {
		[34] = 0xa0, [35] = 0x01, [55] = 0x04, [61] = 0x01, [63] = 0xe0,
	};
	struct rig rig;
	struct cqesim_completion out[4];
	enum cqesim_queue_state state;
	uint16_t ci;

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	memset(q->wqes + 16 + 4, 0xff, 4); /* the key of WQE 1 */
	ck_assert_int_eq(rig_packet(&rig, 0, 7), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(rig_packet(&rig, 0, 8), CQESIM_RX_ERROR);
	for (unsigned i = 0; i < 64; i++)
		ck_assert_msg(q->ring[64 + i] == want[i], "byte %u: %02x, not %02x", i,
			      q->ring[64 + i], want[i]);
	cqesim_nic_query_rq(rig.nic, q->rqn, &state, &ci);
	ck_assert_int_eq(state, CQESIM_QUEUE_ERR);
	ck_assert_uint_eq(ci, 2);
	ck_assert_int_eq(rig_packet(&rig, 0, 9), CQESIM_RX_NOT_READY);
	/* No data, one completion more on the link. */
	rig_event(&rig, 0, 1, 1, 204000);
	rig_event(&rig, 1, 1, 1, 292000);
	rig_traffic(&rig, CQESIM_TRAFFIC_DATA, 1, 60, 84);
	rig_traffic(&rig, CQESIM_TRAFFIC_CQE, 2, 128, 176);
	ck_assert_uint_eq(rig_stats(&rig)->results[CQESIM_RX_ERROR], 1);
	ck_assert_uint_eq(rig_stats(&rig)->wqes, 2);
	ck_assert_uint_eq(rig_stats(&rig)->plain, 1);
	ck_assert_int_eq(cqesim_cq_poll(&q->reader, out, 4, NULL), 2);
	ck_assert_uint_eq(out[1].opcode, CQESIM_OP_RESP_ERR);
	ck_assert_uint_eq(out[1].syndrome, 4);
	ck_assert_uint_eq(out[1].wqe_counter, 1);
	/* Reset by the driver, WQE put right: goes on in the same ring. */
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, q->rqn, CQESIM_QUEUE_RDY, 0), -EINVAL);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, q->rqn, CQESIM_QUEUE_RST, 0), 0);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, q->rqn, CQESIM_QUEUE_RDY, 0), 0);
	memcpy(q->wqes + 16 + 4, q->wqes + 4, 4);
	ck_assert_int_eq(rig_packet(&rig, 0, 10), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(rig_packet(&rig, 0, 11), CQESIM_RX_DELIVERED);
	ck_assert_int_eq(cqesim_cq_poll(&q->reader, out, 4, NULL), 2);
	ck_assert_uint_eq(out[0].wqe_counter, 0);
	ck_assert_uint_eq(out[0].index, 2);
	ck_assert_uint_eq(out[1].meta.rx_hash_res, 11);
	rig_stop(&rig);
}
END_TEST

START_TEST(data_is_copied)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0);
	uint8_t data[700], want[4 * RIG_BUFFER] = {0};

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + 1);
	rig_config(&rig);
	rig.config.copy_data = true;
	rig_start(&rig);
	/* Four segments of 512 bytes. */
	struct rig_queue *q = rig_add(&rig, 2, 2, false, CQESIM_MINI_HASH);
	/* The segments of WQE 0 in another order: the packet's pieces go where they say. */
	struct cqesim_rq_seg seg[3] = {
		{.address = q->base + 1536, .lkey = RIG_KEY, .length = 100},
		{.address = q->base + 3, .lkey = RIG_KEY, .length = 200},
		{.address = q->base + 1024, .lkey = RIG_KEY, .length = 400},
	};
	q->poster.pi = 0;
	cqesim_rq_post(&q->poster, seg, 3);
	q->poster.pi = 4;
	m.byte_cnt = 350;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, data, 350, NULL), 0);
	memcpy(want + 1536, data, 100);
	memcpy(want + 3, data + 100, 200);
	memcpy(want + 1024, data + 300, 50);
	ck_assert_mem_eq(q->memory, want, sizeof(want));
	/* Captured shorter than it was: what is there is copied. */
	m.byte_cnt = 700;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, data, 64, NULL), 0);
	memcpy(want + RIG_BUFFER, data, 64);
	ck_assert_mem_eq(q->memory, want, sizeof(want));
	/* More at hand than the packet has (an FCS that is stripped): not copied. */
	m.byte_cnt = 60;
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, data, 64, NULL), 0);
	memcpy(want + 2 * RIG_BUFFER, data, 60);
	ck_assert_mem_eq(q->memory, want, sizeof(want));
	/* Nothing captured at all. */
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL), 0);
	ck_assert_mem_eq(q->memory, want, sizeof(want));
	rig_stop(&rig);

	/* Without copy_data memory stays as it is. */
	rig_config(&rig);
	rig_start(&rig);
	q = rig_add(&rig, 2, 0, false, CQESIM_MINI_HASH);
	ck_assert_int_eq(cqesim_nic_receive(rig.nic, q->rqn, 0, &m, data, 64, NULL), 0);
	memset(want, 0, sizeof(want));
	ck_assert_mem_eq(q->memory, want, sizeof(want));
	rig_stop(&rig);
}
END_TEST

/* 16 bits of WQE index and a ring of 16 go around together. */
START_TEST(many_laps)
{
	struct rig rig;
	struct cqesim_completion out[2];
	struct cqesim_rxmeta m = rig_meta(0);

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 4, 0, false, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 70000; i++) {
		uint16_t wqe;

		m.rx_hash_res = i;
		if (cqesim_nic_receive(rig.nic, q->rqn, i, &m, NULL, 0, &wqe) || wqe != (uint16_t)i)
			ck_abort_msg("packet %u: WQE %u", i, wqe);
		if (cqesim_cq_poll(&q->reader, out, 2, NULL) != 1 || out[0].meta.rx_hash_res != i ||
		    out[0].wqe_counter != (uint16_t)i)
			ck_abort_msg("packet %u", i);
		cqesim_rq_repost(&q->poster, 1);
		cqesim_rq_doorbell(&q->poster);
	}
	ck_assert_uint_eq(rig_stats(&rig)->wqes, 70000);
	rig_stop(&rig);
}
END_TEST

Suite *suite_nic(void)
{
	Suite *s = suite_create("nic");
	TCase *o = tcase_create("object");
	TCase *p = tcase_create("packets");

	tcase_add_test(o, names);
	tcase_add_test(o, bad_configs);
	tcase_add_test(o, numbers_and_users);
	tcase_add_test(o, bad_queues);
	tcase_add_test(o, states);
	tcase_add_test(o, only_ready_queues_receive);
	tcase_add_test(p, flood_bytes);
	tcase_add_test(p, small_ring_fetches);
	tcase_add_test(p, long_packets);
	tcase_add_test(p, times_of_the_link);
	tcase_add_test(p, times_of_the_pipeline);
	tcase_add_test(p, times_round_up_once);
	tcase_add_test(p, completions_say_what_was_sent);
	tcase_add_test(p, out_of_buffer);
	tcase_add_test(p, buffer_full);
	tcase_add_test(p, buffer_full_before_pipeline);
	tcase_add_test(p, too_long);
	tcase_add_test(p, protection_error);
	tcase_add_test(p, data_is_copied);
	tcase_add_test(p, many_laps);
	tcase_set_timeout(p, 60);
	suite_add_tcase(s, o);
	suite_add_tcase(s, p);
	test_nic_session(s);
	return s;
}
