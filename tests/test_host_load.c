/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host: the vector function's rule, device and driver together at full load, and
 * that nothing depends on how time is advanced.
 */
#include "cqesim/nic.h"
#include "host_rig.h"

/* ---- the vector rule ---- */

/* In fours, at most one session a round, until the burst is full or a round finds nothing. */
START_TEST(vector_calls)
{
	struct rig rig;

	config(&rig, 6);
	rig.config.rule = CQESIM_POLL_DPDK_VEC;
	rig.config.burst = 32;
	rig.config.replenish = 64;
	start(&rig);
	plain(&rig, 3, 0); /* fewer than four are no obstacle */
	advance(&rig, 0);
	called(&rig, 0, 0, 3);
	/* A session, five, a session: three rounds of one call. 100 + 13 x 10 + 2 x 30 + 5 x 20 */
	uint64_t now = cqesim_host_next_ps(rig.host);
	ck_assert_uint_eq(now, 160 * NS);
	session(&rig, 10, now);
	plain(&rig, 5, now);
	session(&rig, 3, now);
	advance(&rig, now);
	called(&rig, 1, now, 18);
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), now + 390 * NS);
	/* A full burst, though more is there. */
	now = cqesim_host_next_ps(rig.host);
	plain(&rig, 40, now);
	advance(&rig, now);
	called(&rig, 2, now, 32);
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.call[3].n, 8);
	stop(&rig);

	/* Asked for six: the second round has room for two, which is less than four. */
	config(&rig, 6);
	rig.config.rule = CQESIM_POLL_DPDK_VEC;
	rig.config.burst = 6;
	start(&rig);
	plain(&rig, 7, 0);
	session(&rig, 9, 0);
	advance(&rig, 0);
	called(&rig, 0, 0, 4);
	/* Three and one of the session; what is left of it needs no room of four: two more. */
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.call[1].n, 6);
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.call[2].n, 6);
	session(&rig, 9, 0);
	plain(&rig, 9, 0);
	/* Four and two; then three, behind which the three places are no room. */
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.call[3].n, 6);
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.call[4].n, 3);
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.call[5].n, 4);
	stop(&rig);

	/* Fewer than four are never looked for: not a burst to begin with. */
	config(&rig, 6);
	start(&rig);
	rig.config.rule = CQESIM_POLL_DPDK_VEC;
	rig.config.burst = 3;
	struct cqesim_host_queue *host;
	ck_assert_int_eq(
		cqesim_host_create(&host, &rig.config, &rig.reader, &rig.poster, NULL, NULL, NULL),
		-EINVAL);
	stop(&rig);
}
END_TEST

/* Once a round, all but four of the free buffers, not past the ring's end. */
START_TEST(vector_posts)
{
	struct rig rig;

	config(&rig, 5);
	rig.config.rule = CQESIM_POLL_DPDK_VEC;
	rig.config.burst = 16;
	rig.config.replenish = 8;
	start(&rig);
	plain(&rig, 16, 0);
	advance(&rig, 0);
	ck_assert_uint_eq(rig.rq_dbrec, be(32)); /* at the next call */
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.rq_dbrec, be(32 + 12));
	/* 4 + 7 are 11: seven of them. */
	plain(&rig, 7, 0);
	advance(&rig, cqesim_host_next_ps(rig.host));
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.rq_dbrec, be(32 + 19));
	/* 4 + 3 are fewer than eight: none. */
	plain(&rig, 3, 0);
	advance(&rig, cqesim_host_next_ps(rig.host));
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.rq_dbrec, be(32 + 19));
	/* 7 + 12: up to the ring's end are 13, and what is left is below eight. */
	plain(&rig, 12, 0);
	advance(&rig, cqesim_host_next_ps(rig.host));
	advance(&rig, cqesim_host_next_ps(rig.host));
	ck_assert_uint_eq(rig.rq_dbrec, be(64));
	stop(&rig);
}
END_TEST

/* ---- device and driver at full load ---- */

struct load {
	struct cqesim_nic *nic;
	struct rig rig;
	uint8_t memory[2048];
	uint32_t sent[1024]; /* hashes of what was delivered and not read */
	uint32_t tail;
};

static void load_published(void *context, uint32_t cqn, uint64_t ps, uint32_t count,
			   bool filler)
{
	struct load *l = context;

	(void)cqn;
	(void)filler;
	cqesim_host_published(l->rig.host, ps, count);
}

static void *load_translate(void *context, uint32_t lkey, uint64_t address, uint32_t length)
{
	(void)lkey;
	(void)address;
	(void)length;
	return ((struct load *)context)->memory;
}

static int load_deliver(void *context, const struct cqesim_completion *c, unsigned n,
			uint64_t now_ps)
{
	struct load *l = context;

	(void)now_ps;
	for (unsigned i = 0; i < n; i++, l->rig.next++)
		if (c[i].meta.rx_hash_res != l->sent[l->rig.next % 1024])
			ck_abort_msg("packet %u (%u of %u) came out changed", l->rig.next,
				     c[i].session_i, c[i].session_n);
	return 0;
}

/*
 * Twice as many packets as the driver takes, a CQ as large as the RQ: whatever
 * the burst cuts off a session must be safe from the device.
 */
static void load(enum cqesim_poll_rule rule, enum cqesim_invalidate invalidate, bool batch,
		 unsigned burst, unsigned replenish, uint32_t max)
{
	static struct load l;
	const unsigned log_size = 6;
	struct cqesim_nic_config nic = {
		.link = {.generation = 4,
			 .lanes = 16,
			 .mps = 256,
			 .mrrs = 512,
			 .rcb = 64,
			 .addr_bits = 64,
			 .ack_every = 1,
			 .fc_every = 1,
			 .skp_blocks = 370,
			 .skp_symbols = 1538,
			 .efficiency = 1},
		.rx_buffer_bytes = 1 << 20,
		.wqe_fetch_bytes = 64,
		.compression = CQESIM_COMP_AGGRESSIVE,
		.comp_max = max,
		.comp_timeout_ps = 1000000,
		.published = load_published,
		.published_context = &l,
	};
	uint64_t seed = 3, now = 0;
	uint32_t cqn, rqn;

	memset(nic.comp_compare + 57, 0xff, 3);
	memset(&l, 0, sizeof(l));
	config(&l.rig, log_size);
	l.rig.config.rule = rule;
	l.rig.config.clock_hz = 2e9;
	l.rig.config.burst = burst;
	l.rig.config.replenish = replenish;
	l.rig.config.batch_reads = batch;
	start(&l.rig);
	cqesim_host_destroy(l.rig.host);
	l.rig.reader.invalidate = invalidate;
	ck_assert_int_eq(cqesim_host_create(&l.rig.host, &l.rig.config, &l.rig.reader,
					    &l.rig.poster, &l.rig.cq_dbrec, load_deliver, &l),
			 0);
	ck_assert_int_eq(cqesim_nic_create(&l.nic, &nic, NULL), 0);
	struct cqesim_rq_seg seg = {.address = 0x1000, .lkey = 1, .length = 2048};
	l.rig.poster.pi = 0;
	for (unsigned i = 0; i < 1u << log_size; i++)
		cqesim_rq_post(&l.rig.poster, &seg, 1);
	struct cqesim_cq_attr cq = {.ring = l.rig.ring, .log_size = log_size, .cqe_comp_en = true};
	ck_assert_int_eq(cqesim_nic_create_cq(l.nic, &cq, &cqn), 0);
	struct cqesim_rq_attr rq = {.ring = l.rig.poster.ring,
				    .log_size = log_size,
				    .dbrec = &l.rig.rq_dbrec,
				    .cqn = cqn,
				    .translate = load_translate,
				    .translate_context = &l};
	ck_assert_int_eq(cqesim_nic_create_rq(l.nic, &rq, &rqn), 0);
	ck_assert_int_eq(cqesim_nic_modify_rq(l.nic, rqn, CQESIM_QUEUE_RDY, 0), 0);

	struct cqesim_rxmeta m = {.byte_cnt = 60};
	for (unsigned i = 0; i < 20000; i++) {
		m.rx_hash_res = random_u32(&seed);
		m.flow_tag += random_u32(&seed) % 23 == 0;
		now += 6720;
		advance(&l.rig, now);
		l.sent[l.tail % 1024] = m.rx_hash_res;
		l.tail += cqesim_nic_receive(l.nic, rqn, now, &m, NULL, 0, NULL) ==
			  CQESIM_RX_DELIVERED;
	}
	cqesim_nic_step(l.nic, now + 10000000);
	advance(&l.rig, now + 1000000000);
	ck_assert_int_eq(cqesim_host_flush(l.rig.host), 0);
	ck_assert_uint_eq(l.rig.next, l.tail);
	ck_assert_uint_gt(l.tail, 1000);
	ck_assert_uint_gt(cqesim_nic_stats(l.nic)->results[CQESIM_RX_OUT_OF_BUFFER], 1000);
	cqesim_nic_destroy(l.nic);
	stop(&l.rig);
}

START_TEST(full_load)
{
	static const unsigned bursts[] = {4, 5, 7, 16, 32}, thresholds[] = {1, 4, 16};
	static const uint32_t max[] = {8, 17, 64};
	enum cqesim_invalidate invalidate = (enum cqesim_invalidate)_i;

	for (size_t b = 0; b < COUNT(bursts); b++)
		for (size_t t = 0; t < COUNT(thresholds); t++)
			for (size_t m = 0; m < COUNT(max); m++)
				for (unsigned batch = 0; batch < 2; batch++)
					load(invalidate == CQESIM_INVALIDATE_DPDK_VEC
						     ? CQESIM_POLL_DPDK_VEC
						     : CQESIM_POLL_SIMPLE,
					     invalidate, batch, bursts[b], thresholds[t], max[m]);
}
END_TEST

/* ---- one step or many ---- */

enum way { AT_ONCE, SMALL_STEPS, JUST_IN_TIME, BATCH_READS };

/* The same traffic, announced and advanced in different ways; all ends at the same time. */
static void play(struct rig *rig, enum way way, uint64_t traffic_seed, uint64_t end_ps)
{
	uint64_t seed = 5, now = 0, ps = 0;

	config(rig, 12);
	rig->config.clock_hz = 2.7e9;
	rig->config.poll_cycles = 61.3;
	rig->config.empty_poll_cycles = 17.9;
	rig->config.plain_cycles = 26.7;
	rig->config.mini_cycles = 12.123;
	rig->config.session_cycles = 85.5;
	rig->config.burst = 32;
	rig->config.replenish = 64;
	rig->config.batch_reads = way == BATCH_READS;
	start(rig);
	while (rig->packets < 4000) {
		uint32_t r = random_u32(&traffic_seed), n = 1 + (r >> 8) % 40;

		ps += r % 8 ? r % 400000 : (uint64_t)r << 4; /* up to 70 ms now and then */
		if (way == JUST_IN_TIME && ps)
			advance(rig, ps - 1);
		if (r >> 30 && n > 1)
			session(rig, n, ps);
		else
			plain(rig, n, ps);
	}
	ck_assert_uint_lt(ps, end_ps);
	while (way == SMALL_STEPS && now < end_ps) {
		/* Now and then exactly to the next poll. */
		now += random_u32(&seed) % (now < ps ? 3000000 : 2000000000);
		if (now % 5 == 0 && cqesim_host_next_ps(rig->host) > now)
			now = cqesim_host_next_ps(rig->host);
		advance(rig, now < end_ps ? now : end_ps);
	}
	advance(rig, end_ps);
	ck_assert_int_eq(cqesim_host_flush(rig->host), 0);
	ck_assert_uint_eq(cqesim_host_pending(rig->host), 0);
	ck_assert_uint_eq(rig->next, rig->packets);
}

START_TEST(steps_do_not_matter)
{
	static struct rig a, b;

	for (uint64_t seed = 1; seed <= 3; seed++) {
		play(&a, AT_ONCE, seed, UINT64_C(4) * CQESIM_PS_PER_S);
		for (unsigned way = SMALL_STEPS; way <= BATCH_READS; way++) {
			play(&b, (enum way)way, seed, UINT64_C(4) * CQESIM_PS_PER_S);
			ck_assert_mem_eq(a.stats, b.stats, sizeof(*a.stats));
			if (way != BATCH_READS) {
				ck_assert_uint_eq(a.calls, b.calls);
				ck_assert_mem_eq(a.call, b.call, sizeof(a.call));
			}
			ck_assert_uint_eq(a.cq_dbrec, b.cq_dbrec);
			ck_assert_uint_eq(a.rq_dbrec, b.rq_dbrec);
			ck_assert_uint_eq(cqesim_host_next_ps(a.host), cqesim_host_next_ps(b.host));
			stop(&b);
		}
		ck_assert_uint_gt(a.calls, 130);
		stop(&a);
	}
}
END_TEST

/* Time is polls times their cost, to the last picosecond. */
START_TEST(time_adds_up)
{
	static struct rig rig;

	play(&rig, AT_ONCE, 9, UINT64_C(4) * CQESIM_PS_PER_S);
	const struct cqesim_host_stats *s = rig.stats;
	uint64_t sessions = 0, minis = 0, polls = 0, packets = 0;
	for (unsigned i = 0; i <= CQESIM_BURST_MAX; i++) {
		polls += s->burst_hist[i];
		packets += i * s->burst_hist[i];
	}
	ck_assert_uint_eq(polls, s->polls);
	ck_assert_uint_eq(packets, s->packets);
	/* How many were in sessions, from the traffic itself. */
	uint64_t seed = 9;
	for (uint32_t sent = 0; sent < 4000;) {
		uint32_t r = random_u32(&seed), n = 1 + (r >> 8) % 40;

		if (r >> 30 && n > 1) {
			sessions++;
			minis += n;
		}
		sent += n;
	}
	/* In 1/1000 cycles of 1/2.7 ns: 10/27 ps. */
	uint64_t milli = s->empty_polls * 17900 + s->polls * 61300 + (s->packets - minis) * 26700 +
			 minis * 12123 + sessions * 85500;
	ck_assert_uint_eq(cqesim_host_next_ps(rig.host), milli * 10 / 27);
	uint64_t idle = s->empty_polls * 17900;
	ck_assert_uint_le(s->busy_ps, (milli - idle) * 10 / 27 + s->polls);
	ck_assert_uint_ge(s->busy_ps + s->polls, (milli - idle) * 10 / 27);
	stop(&rig);
}
END_TEST

void test_host_load(Suite *s)
{
	TCase *t = tcase_create("load");

	tcase_add_test(t, vector_calls);
	tcase_add_test(t, vector_posts);
	tcase_add_loop_test(t, full_load, 0, 3);
	tcase_add_test(t, steps_do_not_matter);
	tcase_add_test(t, time_adds_up);
	tcase_set_timeout(t, 120);
	suite_add_tcase(s, t);
}
