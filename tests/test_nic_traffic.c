/* SPDX-License-Identifier: BSD-3-Clause */
/* nic: what sessions cost on the link, and random traffic that must come out unchanged. */
#include <string.h>

#include "test_nic.h"

/* ---- bytes ---- */

/* CQE bytes up for a session of n, by the formulas of the public reference. */
static unsigned session_bytes(enum cqesim_write_policy policy, unsigned n)
{
	unsigned arrays = (n + 7) / 8, left = n % 8;

	switch (policy) {
	case CQESIM_WRITE_ARRAYS:
		return 88 * (1 + arrays);
	case CQESIM_WRITE_BURST:
		return 152 + 88 * (arrays - 1);
	default:
		return 88 + n / 8 * 88 + (left ? 24 + 8 * left : 0);
	}
}

START_TEST(bytes_of_sessions)
{
	/* Some of them spelt out. */
	ck_assert_uint_eq(session_bytes(CQESIM_WRITE_ARRAYS, 2), 176);
	ck_assert_uint_eq(session_bytes(CQESIM_WRITE_ARRAYS, 9), 264);
	ck_assert_uint_eq(session_bytes(CQESIM_WRITE_ARRAYS, 64), 792);
	ck_assert_uint_eq(session_bytes(CQESIM_WRITE_BURST, 8), 152);
	ck_assert_uint_eq(session_bytes(CQESIM_WRITE_BURST, 64), 768);
	ck_assert_uint_eq(session_bytes(CQESIM_WRITE_EXACT, 9), 208);
	ck_assert_uint_eq(session_bytes(CQESIM_WRITE_EXACT, 64), 792);
	for (unsigned n = 2; n <= 64; n++) {
		struct rig rig;

		rig_aggressive(&rig, n);
		rig.config.write_policy = (enum cqesim_write_policy)_i;
		rig_start(&rig);
		rig_add(&rig, 7, 0, true, CQESIM_MINI_HASH);
		for (uint32_t p = 0; p < n; p++)
			rig_packet(&rig, 0, p);
		uint64_t data = 84 * n + 32 * ((n + 3) / 4), cqe = session_bytes(_i, n);
		ck_assert_uint_eq(rig.events, 1);
		rig_event(&rig, 0, 1, n, (data + cqe) * 1000);
		ck_assert_uint_eq(rig_stats(&rig)->link_busy_bytes, data + cqe);
		const struct cqesim_tlps *t = &rig_stats(&rig)->traffic[CQESIM_TRAFFIC_TITLE];
		const struct cqesim_tlps *m = &rig_stats(&rig)->traffic[CQESIM_TRAFFIC_MINI];
		ck_assert_uint_eq(t->wire + m->wire, cqe);
		ck_assert_uint_eq(t->payload, 64);
		ck_assert_uint_eq(m->payload,
				  _i == CQESIM_WRITE_EXACT ? 8 * n : 64 * ((n + 7) / 8));
		ck_assert_uint_eq(t->count + m->count, (n + 7) / 8 + (_i != CQESIM_WRITE_BURST));
		ck_assert_uint_eq(rig_stats(&rig)->arrays, (n + 7) / 8);
		rig_stop(&rig);
	}
}
END_TEST

/* Title and first array in one write, where memory lets them be one. */
START_TEST(burst_at_edges)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0);

	/* Slot 63 is the last of a page: the write of 128 bytes is cut, 88 and 88. */
	rig_aggressive(&rig, 65);
	rig.config.write_policy = CQESIM_WRITE_BURST;
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 7, 0, true, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 63; i++)
		rig_packet(&rig, 0, i);
	m.flow_tag = 1;
	for (uint32_t i = 0; i < 2; i++)
		cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
	uint64_t before = rig_stats(&rig)->link_busy_bytes;
	cqesim_nic_step(rig.nic, 100 * RIG_US);
	ck_assert_uint_eq(rig.event[1].count, 2);
	ck_assert_uint_eq(rig_stats(&rig)->link_busy_bytes - before, 176);
	rig_stop(&rig);

	/* Title in the ring's last slot, array in its first: two writes, no run of 128 bytes. */
	rig_aggressive(&rig, 64);
	rig.config.write_policy = CQESIM_WRITE_BURST;
	rig.config.comp_cross = true;
	rig_start(&rig);
	q = rig_add(&rig, 4, 0, true, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 15; i++)
		rig_packet(&rig, 0, i);
	cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
	cqesim_rq_repost(&q->poster, 15);
	cqesim_rq_doorbell(&q->poster);
	cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
	/* So far 15 packets: two arrays, 240 bytes. */
	ck_assert_uint_eq(rig_stats(&rig)->traffic[CQESIM_TRAFFIC_TITLE].wire +
				  rig_stats(&rig)->traffic[CQESIM_TRAFFIC_MINI].wire,
			  240);
	cqesim_nic_step(rig.nic, 100 * RIG_US);
	ck_assert_uint_eq(rig.event[1].count, 2);
	ck_assert_uint_eq(rig_stats(&rig)->traffic[CQESIM_TRAFFIC_TITLE].wire +
				  rig_stats(&rig)->traffic[CQESIM_TRAFFIC_MINI].wire,
			  240 + 176);
	ck_assert_uint_eq(rig_stats(&rig)->traffic[CQESIM_TRAFFIC_TITLE].count +
				  rig_stats(&rig)->traffic[CQESIM_TRAFFIC_MINI].count,
			  2 + 2);
	rig_stop(&rig);
}
END_TEST

/* Sessions above the histogram's last class share it. */
START_TEST(long_sessions)
{
	struct rig rig;
	struct cqesim_rxmeta m = rig_meta(0);

	rig_aggressive(&rig, 4096);
	rig_start(&rig);
	struct rig_queue *q = rig_add(&rig, 12, 0, true, CQESIM_MINI_HASH);
	for (uint32_t i = 0; i < 1023; i++)
		rig_packet(&rig, 0, i);
	m.flow_tag = 1;
	for (uint32_t i = 0; i < 1024; i++)
		cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
	for (uint32_t i = 0; i < 1025; i++)
		rig_packet(&rig, 0, i);
	cqesim_nic_receive(rig.nic, q->rqn, 0, &m, NULL, 0, NULL);
	ck_assert_uint_eq(rig_stats(&rig)->session_hist[1023], 1);
	ck_assert_uint_eq(rig_stats(&rig)->session_hist[1024], 2);
	ck_assert_uint_eq(rig_stats(&rig)->arrays, 128 + 128 + 129);
	rig_stop(&rig);
}
END_TEST

/* ---- all together ---- */

struct flight {
	struct cqesim_rxmeta meta[1024];
	uint64_t timestamp[1024];
	uint16_t wqe[1024];
	uint32_t sent, read;
};

static uint32_t random_u32(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 32);
}

static void read_all(struct rig *rig, unsigned queue, struct flight *f,
		     enum cqesim_mini_format format, uint32_t max)
{
	struct rig_queue *q = &rig->queue[queue];
	struct cqesim_completion out[64];
	uint64_t title_time = 0;
	int n;

	/*
	 * A session half read still holds its slots.  So buffers are given back
	 * when the slots are, or at once where the ring has twice as many (as the
	 * scalar DPDK driver does).
	 */
	uint32_t ci = q->reader.ci;
	while (max && (n = cqesim_cq_poll(&q->reader, out, max < 64 ? max : 64, NULL)) > 0) {
		for (int i = 0; i < n; i++, f->read++) {
			struct cqesim_rxmeta want = f->meta[f->read % 1024];
			uint32_t title = f->read - out[i].session_i;

			/* What a driver cannot know is the title's. */
			if (format != CQESIM_MINI_HASH)
				want.rx_hash_res = f->meta[title % 1024].rx_hash_res;
			if (format != CQESIM_MINI_CSUM && format != CQESIM_MINI_CSUM_STRIDX)
				want.csum = f->meta[title % 1024].csum;
			want.rx_hash_type = f->meta[title % 1024].rx_hash_type;
			want.user_index = 0xa001 + queue;
			title_time = f->timestamp[title % 1024];
			if (memcmp(&want, &out[i].meta, sizeof(want)) ||
			    out[i].timestamp != title_time / 1000 ||
			    out[i].wqe_counter != f->wqe[f->read % 1024])
				ck_abort_msg("queue %u: packet %u (%u of %u) came out changed",
					     queue, f->read, out[i].session_i, out[i].session_n);
		}
		max -= (uint32_t)n;
		cqesim_rq_repost(&q->poster, rig->cq_log_more ? (uint32_t)n : q->reader.ci - ci);
		cqesim_rq_doorbell(&q->poster);
		ci = q->reader.ci;
	}
}

/* Random traffic over four queues: all that was delivered is read, in order and unchanged. */
START_TEST(soak)
{
	enum cqesim_mini_format format = (enum cqesim_mini_format)(_i % CQESIM_MINI_FORMATS);
	static struct flight flight[4];
	struct rig rig;
	uint64_t seed = (uint64_t)_i + 1, now = 0;
	struct cqesim_rxmeta m = rig_meta(0);

	memset(flight, 0, sizeof(flight));
	rig_aggressive(&rig, 2 + random_u32(&seed) % 70);
	if (_i / CQESIM_MINI_FORMATS % 2)
		rig.config.compression = CQESIM_COMP_BALANCED;
	rig.config.backpressure_on_bytes = 3000;
	rig.config.backpressure_off_bytes = 1000;
	rig.config.comp_cross = _i % 3 == 0;
	rig.config.write_policy = (enum cqesim_write_policy)(_i % 3);
	rig.config.rx_buffer_bytes = 20000;
	rig.config.write_latency_ps = 12345;
	rig.cq_log_more = _i / (2 * CQESIM_MINI_FORMATS);
	rig_start(&rig);
	for (unsigned i = 0; i < 4; i++)
		rig_add(&rig, 4 + i, 0, true, format);
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t r = random_u32(&seed);
		unsigned queue = r & 3;
		struct flight *f = &flight[queue];
		uint16_t wqe;

		m.byte_cnt = 60 + (r >> 4) % 100;
		m.rx_hash_res = random_u32(&seed);
		m.csum = (uint16_t)(r >> 9);
		if (r >> 8 & 1)
			m.flow_tag ^= (r >> 10) % 8 == 0;
		if ((r >> 13) % 32 == 0)
			m.l4_l3_hdr_type ^= CQESIM_HDR_FRAGMENT;
		if ((r >> 18) % 64 == 0)
			m.vlan_info = (uint16_t)r;
		now += (r >> 24) < 2 ? 20 * RIG_US : random_u32(&seed) % 300000;
		if (r % 7 == 0)
			cqesim_nic_step(rig.nic, now);
		f->meta[f->sent % 1024] = m;
		f->timestamp[f->sent % 1024] = now;
		if (cqesim_nic_receive(rig.nic, rig.queue[queue].rqn, now, &m, NULL, 0, &wqe) ==
		    CQESIM_RX_DELIVERED)
			f->wqe[f->sent++ % 1024] = wqe;
		unsigned reads = random_u32(&seed) % 4;
		read_all(&rig, reads, &flight[reads], format, random_u32(&seed) % 20);
	}
	while (cqesim_nic_next_ps(rig.nic) != UINT64_MAX)
		cqesim_nic_step(rig.nic, cqesim_nic_next_ps(rig.nic));

	const struct cqesim_nic_stats *s = rig_stats(&rig);
	uint64_t sent = 0, ended = 0, results = 0, hist = 0, up = 0;
	for (unsigned i = 0; i < 4; i++) {
		read_all(&rig, i, &flight[i], format, UINT32_MAX);
		ck_assert_uint_eq(flight[i].read, flight[i].sent);
		sent += flight[i].sent;
	}
	for (unsigned i = 0; i < CQESIM_SESSION_ENDS; i++)
		ended += s->session_ends[i];
	for (unsigned i = 0; i < CQESIM_RX_RESULTS; i++)
		results += s->results[i];
	for (unsigned i = 0; i <= CQESIM_SESSION_HIST; i++)
		hist += s->session_hist[i];
	for (unsigned i = 0; i < CQESIM_TRAFFIC_KINDS; i++)
		up += i == CQESIM_TRAFFIC_WQE_COMPLETION ? 8 * s->traffic[i].count
							 : s->traffic[i].wire;
	ck_assert_uint_gt(sent, 10000);
	ck_assert_uint_gt(s->sessions, 1000);
	ck_assert_uint_eq(rig.packets, sent);
	ck_assert_uint_eq(s->packets, 100000);
	ck_assert_uint_eq(results, 100000);
	ck_assert_uint_eq(s->results[CQESIM_RX_DELIVERED], sent);
	ck_assert_uint_eq(s->wqes, sent);
	ck_assert_uint_eq(s->plain + s->session_packets, sent);
	ck_assert_uint_eq(ended, s->sessions + s->lone);
	ck_assert_uint_eq(hist, s->sessions);
	ck_assert_uint_eq(s->link_busy_bytes, up);
	rig_stop(&rig);
}
END_TEST

void test_nic_traffic(Suite *s)
{
	TCase *t = tcase_create("traffic");

	tcase_add_loop_test(t, bytes_of_sessions, 0, 3);
	tcase_add_test(t, burst_at_edges);
	tcase_add_test(t, long_sessions);
	tcase_add_loop_test(t, soak, 0, 4 * CQESIM_MINI_FORMATS);
	tcase_set_timeout(t, 120);
	suite_add_tcase(s, t);
}
