/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host: striding queues.  WQEs of 8 strides of 256 bytes; the rig of host_rig.h at
 * 1 GHz: 50 cycles an empty poll, 100 one that finds packets and 20 for each.
 */
#include "host_rig.h"

#define STRIDES 8u

struct striding {
	struct rig rig;
	struct cqesim_host_striding config;
	uint8_t wqes[CQESIM_STRIDING_WQE_BYTES * 64];
	uint32_t stride; /* of the next packet */
	uint16_t wqe;
};

/* Four WQEs, four spare buffers, packets to 128 bytes are copied. */
static void striding_config(struct striding *s)
{
	memset(s, 0, sizeof(*s));
	config(&s->rig, 5); /* 4 WQEs of 8 strides: 32 completions */
	s->config = (struct cqesim_host_striding){
		.shape = {.log_wqes = 2, .log_strides = 3, .log_stride_bytes = 8},
		.ring = s->wqes,
		.dbrec = &s->rig.rq_dbrec,
		.lkey = 7,
		.address = 0x10000,
		.buffer_stride = 4096,
		.buffers = 8,
		.retire = CQESIM_RETIRE_AT_ONCE,
		.refill = 1,
		.memcpy_bytes = 128,
	};
}

static void striding_start(struct striding *s)
{
	struct rig *r = &s->rig;
	struct cqesim_cq_shape shape = {
		.log_size = r->log_size, .format = CQESIM_MINI_CSUM_STRIDX, .log_stride = 8};

	r->ring = test_cq_ring(r->log_size);
	cqesim_cq_init_ring(r->ring, &shape);
	ck_assert_int_eq(cqesim_cq_writer_init(&r->writer, r->ring, &shape, 2, false), 0);
	ck_assert_int_eq(
		cqesim_cq_reader_init(&r->reader, r->ring, &shape, CQESIM_INVALIDATE_DPDK_SCALAR),
		0);
	r->config.striding = &s->config;
	ck_assert_int_eq(cqesim_host_create(&r->host, &r->config, &r->reader, NULL, &r->cq_dbrec,
					    NULL, NULL),
			 0);
	r->stats = cqesim_host_stats(r->host);
}

static void completion(struct striding *s, uint32_t byte_cnt, uint32_t strides, uint64_t ps)
{
	struct cqesim_rxmeta m = {.byte_cnt = byte_cnt | strides << 16};
	uint8_t cqe[64];

	cqesim_cqe_put_rx(cqe, &m, 0, 0, (uint16_t)s->stride);
	cqesim_be_store(cqe + 2, 2, s->wqe);
	cqesim_cq_write(&s->rig.writer, cqe, CQESIM_OP_RESP_SEND, CQESIM_FORMAT_PLAIN);
	cqesim_host_announce(cqesim_host_inbox(s->rig.host), ps, 1, byte_cnt >> 31);
	s->stride += strides;
	if (s->stride == STRIDES) {
		s->stride = 0;
		s->wqe++;
	}
}

static void packets(struct striding *s, unsigned n, uint32_t length, uint64_t ps)
{
	for (unsigned i = 0; i < n; i++)
		completion(s, length, (length + 255) / 256, ps);
}

static void filler(struct striding *s, uint64_t ps)
{
	completion(s, UINT32_C(1) << 31, STRIDES - s->stride, ps);
}

static unsigned posted(const struct striding *s)
{
	return __builtin_bswap32(s->rig.rq_dbrec);
}

/* The buffer that the WQE at that place has now. */
static unsigned buffer_of(const struct striding *s, unsigned place)
{
	uint64_t address = cqesim_be_load(s->wqes + place * CQESIM_STRIDING_WQE_BYTES + 24, 8);

	ck_assert_uint_eq(cqesim_be_load(s->wqes + place * CQESIM_STRIDING_WQE_BYTES + 16, 4),
			  2048);
	ck_assert_uint_eq((address - 0x10000) % 4096, 0);
	return (unsigned)((address - 0x10000) / 4096);
}

START_TEST(all_posted)
{
	struct striding s;

	striding_config(&s);
	striding_start(&s);
	ck_assert_uint_eq(posted(&s), 4);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(buffer_of(&s, i), i);
	ck_assert_uint_eq(s.rig.stats->buffers_max, 4);
	stop(&s.rig);
}
END_TEST

/* Copied packets hold nothing: the WQE comes back as it was, when the poll is over. */
START_TEST(copied)
{
	struct striding s;

	striding_config(&s);
	s.rig.config.burst = 32;
	s.config.copy_cycles = 4;
	striding_start(&s);
	packets(&s, 8, 100, 0); /* two lines: one after the first */
	advance(&s.rig, 0);
	/* 100 + 8 x (20 + 4) */
	ck_assert_uint_eq(cqesim_host_next_ps(s.rig.host), 292 * NS);
	ck_assert_uint_eq(posted(&s), 4);
	advance(&s.rig, 291 * NS);
	ck_assert_uint_eq(posted(&s), 4);
	advance(&s.rig, 292 * NS);
	ck_assert_uint_eq(posted(&s), 5);
	ck_assert_uint_eq(buffer_of(&s, 0), 0);
	ck_assert_uint_eq(s.rig.stats->copied, 8);
	ck_assert_uint_eq(s.rig.stats->copied_bytes, 800);
	ck_assert_uint_eq(s.rig.stats->replaced, 0);
	stop(&s.rig);
}
END_TEST

/* The application has the packets of the call that used the WQE up: another buffer takes its place.
 */
START_TEST(attached_and_replaced)
{
	struct striding s;

	striding_config(&s);
	s.rig.config.burst = 32;
	s.config.attach_cycles = 10;
	striding_start(&s);
	packets(&s, 4, 500, 0);
	advance(&s.rig, 0);
	ck_assert_uint_eq(cqesim_host_next_ps(s.rig.host), 220 * NS); /* 100 + 4 x (20 + 10) */
	advance(&s.rig, 220 * NS);
	ck_assert_uint_eq(posted(&s), 5);
	ck_assert_uint_eq(buffer_of(&s, 0), 4);
	ck_assert_uint_eq(s.rig.stats->replaced, 1);
	ck_assert_uint_eq(s.rig.stats->copied, 0);
	ck_assert_uint_eq(s.rig.stats->buffers_max, 5);
	/* Two calls: those of the first were given back before the second used the WQE up. */
	packets(&s, 3, 500, 300 * NS);
	advance(&s.rig, 400 * NS);
	packets(&s, 1, 100, 500 * NS);
	packets(&s, 1, 100, 500 * NS);
	advance(&s.rig, 1000 * NS);
	ck_assert_uint_eq(posted(&s), 6);
	ck_assert_uint_eq(buffer_of(&s, 1), 1);
	ck_assert_uint_eq(s.rig.stats->replaced, 1);
	stop(&s.rig);
}
END_TEST

/* When each kind of driver goes on to the next WQE: at once, in the next look, with a packet. */
START_TEST(retirement)
{
	for (unsigned rule = 0; rule < 3; rule++) {
		struct striding s;

		striding_config(&s);
		s.rig.config.burst = 8;
		s.config.retire = (enum cqesim_retire_rule)rule;
		striding_start(&s);
		packets(&s, 8, 100, 0); /* a full burst: no look after the last packet */
		advance(&s.rig, 260 * NS);
		ck_assert_uint_eq(posted(&s), rule == CQESIM_RETIRE_AT_ONCE ? 5 : 4);
		advance(&s.rig, 500 * NS); /* empty polls */
		ck_assert_uint_eq(posted(&s), rule == CQESIM_RETIRE_NEXT_FOUND ? 4 : 5);
		packets(&s, 1, 100, 500 * NS);
		advance(&s.rig, 1000 * NS);
		ck_assert_uint_eq(posted(&s), 5);
		packets(&s, 7, 100, 1000 * NS); /* less than a burst: one more look in the call */
		advance(&s.rig, 1300 * NS);
		ck_assert_uint_eq(posted(&s), rule == CQESIM_RETIRE_NEXT_FOUND ? 5 : 6);
		stop(&s.rig);
	}
}
END_TEST

START_TEST(low_watermark)
{
	struct striding s;

	striding_config(&s);
	s.rig.config.burst = 32;
	s.config.refill = 2;
	striding_start(&s);
	packets(&s, 8, 100, 0);
	advance(&s.rig, 1000 * NS);
	ck_assert_uint_eq(posted(&s), 4);
	packets(&s, 8, 100, 1000 * NS);
	advance(&s.rig, 2000 * NS);
	ck_assert_uint_eq(posted(&s), 6);
	stop(&s.rig);
}
END_TEST

/* Fillers use strides up, are no packets, and count towards a burst only where told. */
START_TEST(fillers)
{
	for (unsigned count = 0; count < 2; count++) {
		struct striding s;

		striding_config(&s);
		s.config.fillers_count = count;
		striding_start(&s); /* bursts of 4 */
		packets(&s, 3, 500, 0);
		filler(&s, 0);
		packets(&s, 2, 500, 0);
		advance(&s.rig, 0);
		ck_assert_uint_eq(s.rig.stats->packets, count ? 3 : 4);
		ck_assert_uint_eq(s.rig.stats->fillers, 1);
		ck_assert_uint_eq(cqesim_host_next_ps(s.rig.host), (count ? 180 : 200) * NS);
		advance(&s.rig, 1000 * NS);
		ck_assert_uint_eq(s.rig.stats->packets, 5);
		ck_assert_uint_eq(posted(&s), 5);
		ck_assert_uint_eq(cqesim_host_pending(s.rig.host), 0);
		stop(&s.rig);
	}
}
END_TEST

/* No spare buffer: the WQE waits until its last packet is released. */
START_TEST(waits_for_the_application)
{
	struct striding s;

	striding_config(&s);
	s.rig.config.burst = 32;
	s.config.buffers = 4;
	s.config.hold_every = 4;
	s.config.hold_ps = 5000 * NS;
	striding_start(&s);
	packets(&s, 4, 500, 0); /* the fourth is kept */
	advance(&s.rig, 3000 * NS);
	ck_assert_uint_eq(posted(&s), 4);
	ck_assert_uint_eq(s.rig.stats->waited, 1);
	ck_assert_uint_eq(s.rig.stats->kept_max, 1);
	/* The device has used the others up as well, and the core has kept up. */
	packets(&s, 24, 100, 3000 * NS);
	ck_assert_int_eq(cqesim_host_shortage(s.rig.host, 3000 * NS), CQESIM_SHORT_APPLICATION);
	advance(&s.rig, 4900 * NS);
	ck_assert_uint_eq(posted(&s), 4); /* in order: those behind wait too */
	advance(&s.rig, 5100 * NS);
	ck_assert_uint_eq(posted(&s), 8);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_lt(buffer_of(&s, i), 4);
	ck_assert_uint_eq(s.rig.stats->buffers_max, 4);
	stop(&s.rig);
}
END_TEST

/* No spare buffer, and packets are copied instead: nothing waits. */
START_TEST(copies_in_need)
{
	struct striding s;

	striding_config(&s);
	s.rig.config.burst = 32;
	s.config.buffers = 5;
	s.config.copy_if_none = true;
	s.config.hold_every = 1;
	s.config.hold_packets = 6;
	striding_start(&s);
	for (unsigned i = 0; i < 12; i++) { /* 4 in a WQE: the one spare is gone after the first */
		packets(&s, 1, 500, i * 1000 * NS);
		advance(&s.rig, (i * 1000 + 999) * NS);
	}
	ck_assert_uint_eq(posted(&s), 7);
	ck_assert_uint_eq(s.rig.stats->waited, 0);
	ck_assert_uint_eq(s.rig.stats->replaced, 1);
	ck_assert_uint_eq(s.rig.stats->copied_in_need, 8);
	ck_assert_uint_eq(s.rig.stats->kept_max, 4);
	ck_assert_uint_eq(s.rig.stats->buffers_max, 5);
	stop(&s.rig);
}
END_TEST

/* The next packet's headroom would lie in the last stride. */
START_TEST(headroom_overlap)
{
	struct striding s;

	striding_config(&s);
	s.config.headroom = 128;
	striding_start(&s);
	packets(&s, 1, 384, 0); /* two strides: 512 - 384 = 128 */
	packets(&s, 1, 385, 0);
	advance(&s.rig, 0);
	ck_assert_uint_eq(s.rig.stats->copied, 1);
	stop(&s.rig);
}
END_TEST

START_TEST(reasons)
{
	struct striding s;

	striding_config(&s);
	striding_start(&s); /* bursts of 4 */
	advance(&s.rig, 0);
	/* All strides are taken, nothing can be seen yet. */
	packets(&s, 32, 100, 10000 * NS);
	ck_assert_int_eq(cqesim_host_shortage(s.rig.host, 100 * NS), CQESIM_SHORT_LINK);
	/* Now it can, and the core has not looked since: too much for this ring between two polls.
	 */
	ck_assert_int_eq(cqesim_host_shortage(s.rig.host, 10000 * NS), CQESIM_SHORT_RING);
	advance(&s.rig, 10000 * NS); /* it takes four and leaves 28 */
	ck_assert_int_eq(cqesim_host_shortage(s.rig.host, 10001 * NS), CQESIM_SHORT_CORE);
	stop(&s.rig);
	for (unsigned i = 0; i < CQESIM_SHORTAGES; i++)
		ck_assert_str_ne(cqesim_shortage_name(i), "unknown");
	ck_assert_str_eq(cqesim_shortage_name(CQESIM_SHORTAGES), "unknown");
}
END_TEST

/* Strides beyond the WQE's: no device writes that. */
START_TEST(too_many_strides)
{
	struct striding s;

	striding_config(&s);
	striding_start(&s);
	packets(&s, 3, 600, 0); /* 9 strides */
	ck_assert_int_eq(cqesim_host_advance(s.rig.host, 0), -EBADMSG);
	stop(&s.rig);
}
END_TEST

START_TEST(bad_striding)
{
	for (unsigned i = 0; i < 8; i++) {
		struct striding s;
		struct cqesim_host_queue *host;

		striding_config(&s);
		striding_start(&s);
		s.config.refill = i == 0 ? 0 : i == 1 ? 5 : 1;
		s.config.buffers = i == 2 ? 3 : 8;
		s.config.buffer_stride = i == 3 ? 2047 : 4096;
		s.config.shape.log_strides = i == 4 ? 2 : 3;
		s.config.attach_cycles = i == 5 ? -1 : 0;
		s.config.hold_every = i == 6; /* for how long? */
		s.config.ring = i == 7 ? NULL : s.wqes;
		ck_assert_int_eq(cqesim_host_create(&host, &s.rig.config, &s.rig.reader, NULL, NULL,
						    NULL, NULL),
				 -EINVAL);
		ck_assert_ptr_null(host);
		stop(&s.rig);
	}
}
END_TEST

/*
 * Linux polls on as long as a WQE waits for a buffer (mlx5e_post_rx_mpwqes), and sleeps
 * when all are posted.
 */
START_TEST(awake_for_want_of_buffers)
{
	struct striding s;

	striding_config(&s);
	s.rig.config.wakeup = CQESIM_WAKE_INTERRUPT;
	s.config.buffers = 4; /* no spare one */
	s.config.hold_every = 1;
	s.config.hold_ps = 10000 * NS;
	striding_start(&s);
	packets(&s, 4, 400, 0); /* eight strides: one WQE, and its buffer is held */
	advance(&s.rig, 0);     /* a full poll, until 180 */
	ck_assert_uint_eq(s.rig.stats->waited, 1);
	advance(&s.rig, 5000 * NS);
	ck_assert_uint_eq(s.rig.stats->interrupts, 1);
	ck_assert_uint_eq(s.rig.stats->empty_polls, 97); /* 180, 230 ... 4980 */
	/* Released and posted at the end of the first call that ends after 10000: at 10030. */
	advance(&s.rig, 20000 * NS);
	ck_assert_uint_eq(s.rig.stats->empty_polls, 197);
	ck_assert_uint_eq(cqesim_host_next_ps(s.rig.host), UINT64_MAX);
	ck_assert_uint_eq(s.rig.rq_dbrec, be(5));
	stop(&s.rig);
}
END_TEST

void test_host_striding(Suite *s)
{
	TCase *t = tcase_create("striding");

	tcase_add_test(t, all_posted);
	tcase_add_test(t, copied);
	tcase_add_test(t, attached_and_replaced);
	tcase_add_test(t, retirement);
	tcase_add_test(t, low_watermark);
	tcase_add_test(t, fillers);
	tcase_add_test(t, waits_for_the_application);
	tcase_add_test(t, copies_in_need);
	tcase_add_test(t, headroom_overlap);
	tcase_add_test(t, reasons);
	tcase_add_test(t, too_many_strides);
	tcase_add_test(t, awake_for_want_of_buffers);
	tcase_add_test(t, bad_striding);
	suite_add_tcase(s, t);
}
