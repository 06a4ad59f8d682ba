/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nic: striding queues.  WQEs of 8 strides of 256 bytes; the completion's bytes,
 * fillers, sessions, and what goes over a link of 1 ns per byte (see test_nic.h).
 */
#include <errno.h>
#include <string.h>

#include "test.h"
#include "test_cq.h"
#include "test_nic.h"

static const struct cqesim_strides_shape shape = {.log_strides = 3, .log_stride_bytes = 8};

/* 2^log_wqes WQEs over the rig's buffers; a completion for each stride. */
static struct rig_queue *add(struct rig *rig, unsigned log_wqes, bool compress,
			     enum cqesim_mini_format format)
{
	rig->cq_log_more = 3;
	struct rig_queue *q = rig_prepare(rig, log_wqes, 1); /* as many bytes of WQEs */
	struct cqesim_rq_attr rq = rig_rq_attr(q, 0x55);
	struct cqesim_cq_attr cq = {
		.ring = q->ring,
		.address = 0x100000,
		.log_size = log_wqes + 3,
		.cqe_comp_en = compress,
		.mini_format = format,
	};
	struct cqesim_striding_poster poster;

	rq.striding = true;
	rq.strides = shape;
	rq.strides.log_wqes = log_wqes;
	q->dbrec = 0;
	ck_assert_int_eq(cqesim_striding_poster_init(&poster, q->wqes, &rq.strides, &q->dbrec), 0);
	for (unsigned i = 0; i < 1u << log_wqes; i++) {
		struct cqesim_rq_seg seg = {
			.address = q->base + i * RIG_BUFFER, .lkey = RIG_KEY, .length = RIG_BUFFER};
		ck_assert_int_eq(cqesim_striding_post(&poster, (uint16_t)i, &seg), 0);
	}
	cqesim_striding_doorbell(&poster);
	ck_assert_int_eq(cqesim_nic_create_cq(rig->nic, &cq, &q->cqn), 0);
	rq.cqn = q->cqn;
	ck_assert_int_eq(cqesim_nic_create_rq(rig->nic, &rq, &q->rqn), 0);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig->nic, q->rqn, CQESIM_QUEUE_RDY, 0), 0);
	ck_assert_int_eq(cqesim_cq_reader_init(&q->reader, q->ring,
					       &(struct cqesim_cq_shape){.log_size = log_wqes + 3,
									 .format = format,
									 .log_stride = 8},
					       CQESIM_INVALIDATE_DPDK_SCALAR),
			 0);
	return q;
}

static enum cqesim_rx_result packet(struct rig *rig, struct rig_queue *q, uint32_t length,
				    uint32_t hash)
{
	struct cqesim_rxmeta m = rig_meta(hash);

	m.byte_cnt = length;
	return cqesim_nic_receive(rig->nic, q->rqn, 0, &m, NULL, 0, NULL);
}

static void delivered(struct rig *rig, struct rig_queue *q, uint32_t length, uint32_t hash)
{
	ck_assert_int_eq(packet(rig, q, length, hash), CQESIM_RX_DELIVERED);
}

/* byte 2-3 wqe_id, 44-47 filler, strides, length, 60-61 first stride. */
static void cqe_is(const uint8_t *cqe, unsigned wqe, uint32_t byte_cnt, unsigned stride)
{
	ck_assert_uint_eq(cqe[2] << 8 | cqe[3], wqe);
	ck_assert_uint_eq((uint32_t)cqe[44] << 24 | cqe[45] << 16 | cqe[46] << 8 | cqe[47],
			  byte_cnt);
	ck_assert_uint_eq(cqe[60] << 8 | cqe[61], stride);
	ck_assert_uint_eq(cqe[63] >> 4, CQESIM_OP_RESP_SEND);
	ck_assert_uint_eq(cqe[33] << 16 | cqe[34] << 8 | cqe[35], 0x55);
}

START_TEST(completions_by_hand)
{
	struct rig rig;

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = add(&rig, 2, false, CQESIM_MINI_HASH);
	const struct cqesim_placement *p = cqesim_nic_placement(rig.nic, q->rqn);

	delivered(&rig, q, 60, 1);
	delivered(&rig, q, 1500, 2); /* 6 strides: 1536 */
	delivered(&rig, q, 300, 3);  /* 2, and one is left: a filler */
	cqe_is(q->ring, 0, 0x0001003c, 0);
	cqe_is(q->ring + 64, 0, 0x000605dc, 1);
	cqe_is(q->ring + 128, 0, 0x80010000, 7);
	cqe_is(q->ring + 192, 1, 0x0002012c, 0);
	ck_assert_uint_eq(p->filler, 1);
	ck_assert_uint_eq(p->wqe, 1);

	/* A filler says nothing of a packet. */
	for (unsigned i = 0; i < 44; i++)
		ck_assert_uint_eq(q->ring[128 + i], i == 35 ? 0x55 : 0);
	/* It is told apart where it is announced: its own event, before the packet's. */
	ck_assert_uint_eq(rig.events, 4);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(rig.event[i].count, 1);
		ck_assert_int_eq(rig.event[i].filler, i == 2);
	}

	const struct cqesim_nic_stats *s = rig_stats(&rig);
	ck_assert_uint_eq(s->strides, 9);
	ck_assert_uint_eq(s->stride_bytes, 9 * 256);
	ck_assert_uint_eq(s->fillers, 1);
	ck_assert_uint_eq(s->filler_strides, 1);
	ck_assert_uint_eq(s->filler_bytes, 256);
	ck_assert_uint_eq(s->wqes, 1); /* used up */
	ck_assert_uint_eq(s->plain, 3);

	/* Our own reader sees the same. */
	struct cqesim_completion c[8];
	ck_assert_int_eq(cqesim_cq_poll(&q->reader, c, 8, NULL), 4);
	ck_assert_uint_eq(c[1].meta.byte_cnt, 1500);
	ck_assert_uint_eq(c[1].strides, 6);
	ck_assert_uint_eq(c[1].wqe_counter, 1);
	ck_assert_uint_eq(c[2].filler, 1);
	ck_assert_uint_eq(c[3].wqe_id, 1);
	rig_stop(&rig);
}
END_TEST

/* 64 bytes hold two WQEs of 32: one read for both; a WQE is read when it is begun. */
START_TEST(bytes_on_the_link)
{
	struct rig rig;

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = add(&rig, 2, false, CQESIM_MINI_HASH);

	for (unsigned i = 0; i < 8; i++)
		delivered(&rig, q, 60, i);
	/* 24 and 8 for the read and its Ack, then 84 + 88 for each. */
	rig_event(&rig, 0, 1, 1, (32 + 172) * 1000);
	rig_event(&rig, 1, 1, 1, (32 + 2 * 172) * 1000);
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_REQUEST, 1, 0, 24);
	delivered(&rig, q, 60, 8); /* the second WQE: read already */
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_REQUEST, 1, 0, 24);
	rig_traffic(&rig, CQESIM_TRAFFIC_DATA, 9, 540, 9 * 84);
	delivered(&rig, q, 2048, 9); /* does not fit: the third is read, a filler is written */
	rig_traffic(&rig, CQESIM_TRAFFIC_WQE_REQUEST, 2, 0, 48);
	rig_traffic(&rig, CQESIM_TRAFFIC_CQE, 11, 11 * 64, 11 * 88);
	/* 2048 in TLPs of 256, from the WQE's begin. */
	rig_traffic(&rig, CQESIM_TRAFFIC_DATA, 17, 540 + 2048, 9 * 84 + 8 * 280);
	ck_assert_uint_eq(rig_stats(&rig)->wqes, 3);
	rig_stop(&rig);
}
END_TEST

START_TEST(what_is_lost)
{
	struct rig rig;

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = add(&rig, 1, false, CQESIM_MINI_HASH);

	ck_assert_int_eq(packet(&rig, q, 2049, 0), CQESIM_RX_TOO_LONG);
	ck_assert_int_eq(packet(&rig, q, 70000, 0), CQESIM_RX_TOO_LONG);
	delivered(&rig, q, 2048, 1);
	delivered(&rig, q, 1900, 1);
	ck_assert_int_eq(packet(&rig, q, 1, 2), CQESIM_RX_OUT_OF_BUFFER);
	ck_assert_uint_eq(rig.events, 2);
	rig_stop(&rig);
}
END_TEST

/* A session ends with its WQE, and where a filler comes. */
START_TEST(sessions)
{
	struct rig rig;

	rig_aggressive(&rig, 64);
	rig_start(&rig);
	struct rig_queue *q = add(&rig, 3, true, CQESIM_MINI_CSUM_STRIDX);
	struct cqesim_completion c[64];

	for (unsigned i = 0; i < 12; i++) /* 8, and 4 of the next WQE */
		delivered(&rig, q, 100 + i, i);
	rig_event(&rig, 0, 1, 8, rig.event[0].ps);
	ck_assert_uint_eq(rig_stats(&rig)->session_ends[CQESIM_END_MISMATCH], 1);
	ck_assert_uint_eq(
		rig_stats(&rig)->mismatch[cqesim_cqe_rx_field("wqe_id") - cqesim_cqe_rx_fields], 1);
	delivered(&rig, q, 2000, 12); /* 8 strides: four are closed */
	ck_assert_uint_eq(rig.event[1].count, 4);
	ck_assert_uint_eq(rig.event[2].filler, 1);
	ck_assert_uint_eq(rig_stats(&rig)->session_ends[CQESIM_END_FILLER], 1);
	cqesim_nic_step(rig.nic, 100 * RIG_US);
	ck_assert_int_eq(cqesim_cq_poll(&q->reader, c, 64, NULL), 14);
	for (unsigned i = 0; i < 14; i++) {
		ck_assert_uint_eq(c[i].wqe_id, i < 8 ? 0 : i < 13 ? 1 : 2);
		ck_assert_uint_eq(c[i].wqe_counter, i < 8 ? i : i < 13 ? i - 8 : 0);
		ck_assert_uint_eq(c[i].strides, i < 12 ? 1 : i == 12 ? 4 : 8);
		ck_assert_uint_eq(c[i].filler, i == 12);
		ck_assert_uint_eq(c[i].meta.byte_cnt, i < 12 ? 100 + i : i == 12 ? 0 : 2000);
	}
	rig_stop(&rig);
}
END_TEST

/* Minis without a stride index: the reader counts strides on from the title's. */
START_TEST(strides_counted_on)
{
	static const uint32_t length[] = {60, 300, 256, 513, 1}; /* 1 2 1 3 1: a whole WQE */
	struct rig rig;

	rig_aggressive(&rig, 64);
	rig_start(&rig);
	struct rig_queue *q = add(&rig, 3, true, CQESIM_MINI_CSUM);
	struct cqesim_completion c[64];
	unsigned stride = 0;

	for (unsigned i = 0; i < 5; i++)
		delivered(&rig, q, length[i], i);
	cqesim_nic_step(rig.nic, 100 * RIG_US);
	ck_assert_uint_eq(rig_stats(&rig)->sessions, 1);
	ck_assert_int_eq(cqesim_cq_poll(&q->reader, c, 64, NULL), 5);
	for (unsigned i = 0; i < 5; i++) {
		ck_assert_uint_eq(c[i].session_n, 5);
		ck_assert_uint_eq(c[i].meta.byte_cnt, length[i]);
		ck_assert_uint_eq(c[i].wqe_counter, stride);
		stride += (length[i] + 255) / 256;
	}
	rig_stop(&rig);
}
END_TEST

START_TEST(errors_and_states)
{
	struct rig rig;
	enum cqesim_queue_state state;
	struct cqesim_completion c[4];
	uint16_t ci;

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = add(&rig, 1, false, CQESIM_MINI_HASH);

	delivered(&rig, q, 300, 1);
	cqesim_be_store(q->wqes + 16 + 4, 4, 1); /* a key that nobody registered */
	ck_assert_int_eq(packet(&rig, q, 60, 2), CQESIM_RX_ERROR);
	ck_assert_int_eq(packet(&rig, q, 60, 3), CQESIM_RX_NOT_READY);
	ck_assert_int_eq(cqesim_cq_poll(&q->reader, c, 4, NULL), 2);
	ck_assert_uint_eq(c[1].opcode, CQESIM_OP_RESP_ERR);
	ck_assert_uint_eq(c[1].syndrome, CQESIM_SYNDROME_LOCAL_PROT);
	/* PRM-H mlx5_error_cqe: eth_wqe_id 2-3, ib_stride_index 20-21. */
	ck_assert_uint_eq(q->ring[64 + 20] << 8 | q->ring[64 + 21], 2);

	ck_assert_int_eq(cqesim_nic_query_rq(rig.nic, q->rqn, &state, &ci), 0);
	ck_assert_int_eq(state, CQESIM_QUEUE_ERR);
	cqesim_be_store(q->wqes + 16 + 4, 4, RIG_KEY);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, q->rqn, CQESIM_QUEUE_RST, 0), 0);
	ck_assert_int_eq(cqesim_nic_modify_rq(rig.nic, q->rqn, CQESIM_QUEUE_RDY, 0), 0);
	delivered(&rig, q, 60, 4);
	ck_assert_uint_eq(cqesim_nic_placement(rig.nic, q->rqn)->stride, 0);
	rig_stop(&rig);
}
END_TEST

/* A completion ring that the strides could overrun, and one with both kinds of queues. */
START_TEST(bad_queues)
{
	struct rig rig;

	rig_config(&rig);
	rig_start(&rig);
	struct rig_queue *q = add(&rig, 2, false, CQESIM_MINI_HASH);
	struct cqesim_rq_attr a = rig_rq_attr(q, 1);
	uint32_t rqn, cqn;

	a.striding = true;
	a.strides = shape;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &a, &rqn), -EINVAL); /* no room is left */
	ck_assert_int_eq(cqesim_nic_destroy_rq(rig.nic, q->rqn), 0);
	a.strides.log_wqes = 1;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &a, &rqn), 0);
	struct cqesim_rq_attr cyclic = rig_rq_attr(q, 1);
	cyclic.log_size = 1;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &cyclic, &cqn), -EINVAL);
	a.strides.log_stride_bytes = 14;
	ck_assert_int_eq(cqesim_nic_create_rq(rig.nic, &a, &cqn), -EINVAL);
	ck_assert_ptr_null(cqesim_nic_placement(rig.nic, 7));
	rig_stop(&rig);
}
END_TEST

/* Frames lie in memory where the completions say, and none is written over. */
START_TEST(data_is_where_it_says)
{
	struct rig rig;
	uint8_t frame[1600];
	struct cqesim_completion c[64];

	rig_config(&rig);
	rig.config.copy_data = true;
	rig_start(&rig);
	struct rig_queue *q = add(&rig, 3, false, CQESIM_MINI_HASH);
	unsigned sent = 0;

	for (;; sent++) {
		struct cqesim_rxmeta m = rig_meta(sent);

		m.byte_cnt = 1 + sent * 397 % 1600;
		memset(frame, (int)(sent + 1), sizeof(frame));
		if (cqesim_nic_receive(rig.nic, q->rqn, 0, &m, frame, sizeof(frame), NULL) !=
		    CQESIM_RX_DELIVERED)
			break;
	}
	ck_assert_uint_ge(sent, 12);
	int n = cqesim_cq_poll(&q->reader, c, 64, NULL);
	ck_assert_int_ge(n, (int)sent);
	unsigned i = 0;
	for (int k = 0; k < n; k++) {
		if (c[k].filler)
			continue;
		const uint8_t *data = q->memory + c[k].wqe_id * RIG_BUFFER + c[k].wqe_counter * 256;
		ck_assert_uint_eq(c[k].meta.byte_cnt, 1 + i * 397 % 1600);
		for (uint32_t b = 0; b < c[k].meta.byte_cnt; b++)
			if (data[b] != (uint8_t)(i + 1))
				ck_abort_msg("packet %u, byte %u: %u", i, b, data[b]);
		i++;
	}
	ck_assert_uint_eq(i, sent);
	rig_stop(&rig);
}
END_TEST

void test_nic_striding(Suite *s)
{
	TCase *t = tcase_create("striding");

	tcase_add_test(t, completions_by_hand);
	tcase_add_test(t, bytes_on_the_link);
	tcase_add_test(t, what_is_lost);
	tcase_add_test(t, sessions);
	tcase_add_test(t, strides_counted_on);
	tcase_add_test(t, errors_and_states);
	tcase_add_test(t, bad_queues);
	tcase_add_test(t, data_is_where_it_says);
	suite_add_tcase(s, t);
}
