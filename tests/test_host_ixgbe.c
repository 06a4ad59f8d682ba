/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host: ixgbe's receive functions.  The rig of host_rig.h with a ring of 64, 10 cycles a
 * write of the tail; and the driver once more, by its own variables, beside random calls.
 */
#include "host_rig.h"
#include "test.h"

static void ixgbe(struct rig *rig, enum cqesim_poll_rule rule, unsigned burst, unsigned thresh)
{
	config(rig, 6);
	rig->config.rule = rule;
	rig->config.burst = burst;
	rig->config.replenish = thresh;
	rig->config.tail_cycles = 10;
	start(rig);
}

START_TEST(scalar)
{
	struct rig rig;

	ixgbe(&rig, CQESIM_POLL_IXGBE_SCALAR, 8, 4);
	plain(&rig, 4, 0);
	advance(&rig, 0); /* four are not more than four */
	state(&rig, 180 * NS, 0, 1, 4);
	plain(&rig, 1, 180 * NS);
	advance(&rig, 180 * NS);
	state(&rig, (180 + 100 + 20 + 10) * NS, 0, 2, 5);
	ck_assert_uint_eq(rig.stats->tail_writes, 1);
	/* At the end of the call: five, less the one that is kept back for ever. */
	plain(&rig, 5, 310 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(64));
	advance(&rig, 310 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(68));
	ck_assert_uint_eq(rig.stats->tail_writes, 2);
	advance(&rig, 1000 * NS);
	ck_assert_uint_eq(rig.rq_dbrec, be(73));
	ck_assert_uint_eq(cqesim_host_held(rig.host, 1000 * NS), 1);
	stop(&rig);

	/* A threshold of 0: with every call. */
	ixgbe(&rig, CQESIM_POLL_IXGBE_SCALAR, 8, 0);
	for (unsigned i = 0; i < 5; i++) {
		plain(&rig, 1, i * 1000 * NS);
		advance(&rig, (i * 1000 + 900) * NS);
		ck_assert_uint_eq(rig.stats->tail_writes, i + 1);
		ck_assert_uint_eq(rig.rq_dbrec, be(64 + i));
	}
	stop(&rig);
}
END_TEST

START_TEST(bulk)
{
	struct rig rig;

	/* Asked for 20: a look takes 32; 20, then the other 12, though eight more are there. */
	ixgbe(&rig, CQESIM_POLL_IXGBE_BULK, 20, 32);
	plain(&rig, 40, 0);
	advance(&rig, 0);
	state(&rig, (100 + 20 * 20 + 10) * NS, 0, 1, 20);
	/* The block of 32 is the device's during the call, and so all 32 have been read. */
	ck_assert_uint_eq(rig.rq_dbrec, be(95));
	ck_assert_uint_eq(rig.cq_dbrec, be(32));
	ck_assert_uint_eq(cqesim_host_held(rig.host, 0), 1 + 8);
	advance(&rig, 510 * NS);
	called(&rig, 1, 510 * NS, 12);
	advance(&rig, (510 + 340) * NS);
	called(&rig, 2, 850 * NS, 8);
	ck_assert_uint_eq(rig.stats->tail_writes, 1);
	ck_assert_uint_eq(cqesim_host_held(rig.host, 850 * NS), 1 + 8);
	/* 24 more fill the ring and the second block. */
	plain(&rig, 30, 1110 * NS);
	advance(&rig, 1110 * NS);
	called(&rig, 3, 1110 * NS, 20);
	ck_assert_uint_eq(rig.stats->tail_writes, 2);
	ck_assert_uint_eq(rig.rq_dbrec, be(127));
	advance(&rig, 1620 * NS); /* the look ended at the ring's end: four are left of it */
	called(&rig, 4, 1620 * NS, 4);
	advance(&rig, 1800 * NS);
	called(&rig, 5, 1800 * NS, 6);
	stop(&rig);

	/* Asked for 64, it looks again as long as looks are full. */
	ixgbe(&rig, CQESIM_POLL_IXGBE_BULK, 64, 32);
	plain(&rig, 63, 0);
	advance(&rig, 0);
	called(&rig, 0, 0, 63);
	ck_assert_uint_eq(rig.stats->tail_writes, 1);
	plain(&rig, 1, 1370 * NS);
	advance(&rig, 1370 * NS);
	ck_assert_uint_eq(rig.stats->tail_writes, 2);
	stop(&rig);
}
END_TEST

START_TEST(vector)
{
	struct rig rig;

	ixgbe(&rig, CQESIM_POLL_IXGBE_VEC, 64, 32);
	plain(&rig, 33, 0);
	advance(&rig, 0);
	called(&rig, 0, 0, 32); /* never more */
	advance(&rig, 740 * NS);
	called(&rig, 1, 740 * NS, 1);
	ck_assert_uint_eq(rig.stats->tail_writes, 0);
	ck_assert_uint_eq(rig.rq_dbrec, be(64));
	/* More than 32: the next call, which finds nothing, writes the tail: 50 + 10. */
	advance(&rig, 860 * NS);
	state(&rig, 920 * NS, 1, 2, 33);
	ck_assert_uint_eq(rig.stats->tail_writes, 1);
	ck_assert_uint_eq(rig.rq_dbrec, be(95));
	advance(&rig, 920 * NS);
	state(&rig, 970 * NS, 2, 2, 33);
	ck_assert_uint_eq(rig.stats->tail_writes, 1);
	stop(&rig);

	/* In fours, not past the ring's end. */
	ixgbe(&rig, CQESIM_POLL_IXGBE_VEC, 7, 32);
	plain(&rig, 63, 0);
	for (unsigned i = 0; i < 15; i++)
		advance(&rig, cqesim_host_next_ps(rig.host));
	plain(&rig, 6, cqesim_host_next_ps(rig.host));
	for (unsigned i = 0; i < 4; i++)
		advance(&rig, cqesim_host_next_ps(rig.host));
	for (unsigned i = 0; i < 15; i++)
		ck_assert_uint_eq(rig.call[i].n, 4);
	/* 60 ... 63; from 64 on the ring begins anew. */
	ck_assert_uint_eq(rig.call[15].n, 4);
	ck_assert_uint_eq(rig.call[16].n, 4);
	ck_assert_uint_eq(rig.call[17].n, 1);
	stop(&rig);

	/* Single ones move the fours: from 62, two up to the end. */
	ixgbe(&rig, CQESIM_POLL_IXGBE_VEC, 8, 32);
	plain(&rig, 62, 0);
	advance(&rig, 3000 * NS);
	unsigned before = rig.calls;
	plain(&rig, 5, 3000 * NS);
	advance(&rig, 5000 * NS);
	ck_assert_uint_eq(rig.call[before].n, 2);
	ck_assert_uint_eq(rig.call[before + 1].n, 3);
	stop(&rig);
}
END_TEST

/* ---- the driver by its own variables (22.11, see src/host/ixgbe.c) ---- */

struct driver {
	unsigned ring, thresh;
	unsigned rx_tail, nb_rx_hold, rx_free_trigger, rxrearm_nb, rxrearm_start;
	unsigned stage, rdt;
	unsigned writes;
	unsigned ready; /* descriptors done, from rx_tail on, the stage apart */
};

static void rdt(struct driver *d, unsigned value)
{
	d->rdt = value;
	d->writes++;
}

static unsigned scalar_driver(struct driver *d, unsigned nb_pkts)
{
	unsigned nb_rx = 0;

	for (; nb_rx < nb_pkts && d->ready; nb_rx++, d->ready--) {
		d->nb_rx_hold++;
		if (++d->rx_tail == d->ring)
			d->rx_tail = 0;
	}
	if (d->nb_rx_hold > d->thresh) {
		rdt(d, d->rx_tail ? d->rx_tail - 1 : d->ring - 1);
		d->nb_rx_hold = 0;
	}
	return nb_rx;
}

static unsigned fill_from_stage(struct driver *d, unsigned nb_pkts)
{
	unsigned n = nb_pkts < d->stage ? nb_pkts : d->stage;

	d->stage -= n;
	return n;
}

static unsigned bulk_driver_32(struct driver *d, unsigned nb_pkts)
{
	if (d->stage)
		return fill_from_stage(d, nb_pkts);
	/* Eight at a time; beyond the ring's end descriptors are never done. */
	for (unsigned i = 0; i < 32; i += 8) {
		unsigned done = 0;

		while (done < 8 && d->ready && d->rx_tail + d->stage < d->ring) {
			d->ready--;
			d->stage++;
			done++;
		}
		if (done != 8)
			break;
	}
	d->rx_tail += d->stage;
	if (d->rx_tail > d->rx_free_trigger) {
		unsigned trigger = d->rx_free_trigger;

		d->rx_free_trigger += d->thresh;
		if (d->rx_free_trigger >= d->ring)
			d->rx_free_trigger = d->thresh - 1;
		rdt(d, trigger);
	}
	if (d->rx_tail >= d->ring)
		d->rx_tail = 0;
	return fill_from_stage(d, nb_pkts);
}

static unsigned bulk_driver(struct driver *d, unsigned nb_pkts)
{
	unsigned nb_rx = 0;

	while (nb_pkts) {
		unsigned n = nb_pkts < 32 ? nb_pkts : 32, ret = bulk_driver_32(d, n);

		nb_rx += ret;
		nb_pkts -= ret;
		if (ret < n)
			break;
	}
	return nb_rx;
}

static unsigned vec_driver(struct driver *d, unsigned nb_pkts)
{
	unsigned recd = 0;

	nb_pkts = (nb_pkts < 32 ? nb_pkts : 32) & ~3u;
	if (d->rxrearm_nb > 32) {
		d->rxrearm_start += 32;
		if (d->rxrearm_start >= d->ring)
			d->rxrearm_start = 0;
		d->rxrearm_nb -= 32;
		rdt(d, d->rxrearm_start ? d->rxrearm_start - 1 : d->ring - 1);
	}
	for (unsigned pos = 0; pos < nb_pkts; pos += 4) {
		unsigned var = 0;

		for (; var < 4 && d->ready && d->rx_tail + pos + var < d->ring; var++)
			d->ready--;
		recd += var;
		if (var != 4)
			break;
	}
	d->rx_tail = (d->rx_tail + recd) & (d->ring - 1);
	d->rxrearm_nb += recd;
	return recd;
}

static unsigned driver(struct driver *d, enum cqesim_poll_rule rule, unsigned nb_pkts)
{
	return rule == CQESIM_POLL_IXGBE_SCALAR ? scalar_driver(d, nb_pkts)
	       : rule == CQESIM_POLL_IXGBE_BULK ? bulk_driver(d, nb_pkts)
						: vec_driver(d, nb_pkts);
}

/* Descriptors from the first that is not done up to the tail. */
static unsigned device_has(const struct rig *rig, unsigned written)
{
	return __builtin_bswap32(rig->rq_dbrec) - written;
}

static void beside_the_driver(enum cqesim_poll_rule rule, unsigned burst, unsigned thresh,
			      uint64_t seed)
{
	struct driver d = {.ring = 64, .thresh = thresh, .rx_free_trigger = thresh - 1, .rdt = 63};
	struct rig rig;

	ixgbe(&rig, rule, burst, thresh);
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t now = cqesim_host_next_ps(rig.host);
		unsigned most = device_has(&rig, rig.packets);
		/* One descriptor is never the driver's device's. */
		most = most && !d.writes ? most - 1 : most;
		unsigned n = random_u32(&seed) % 40, calls = rig.calls;

		n = n < most ? n : most;
		plain(&rig, n, now);
		d.ready += n;
		advance(&rig, now); /* one call */
		unsigned got = rig.calls == calls ? 0 : rig.call[calls % CALLS].n;
		unsigned expected = driver(&d, rule, burst);
		ck_assert_msg(got == expected, "rule %d, burst %u, call %u: %u, not %u", (int)rule,
			      burst, i, got, expected);
		ck_assert_uint_eq(rig.stats->tail_writes, d.writes);
		ck_assert_uint_eq(rig.stats->empty_polls + rig.stats->polls, i + 1);
		/* The scalar function's write is the call's last: seen with the next one. */
		if (d.writes && rule != CQESIM_POLL_IXGBE_SCALAR)
			ck_assert_uint_eq(__builtin_bswap32(rig.rq_dbrec) % 64, d.rdt);
	}
	ck_assert_uint_gt(rig.stats->packets, 2000);
	stop(&rig);
}

START_TEST(as_the_driver)
{
	static const unsigned burst[] = {4, 5, 8, 16, 31, 32, 33, 64, 100};
	static const unsigned thresh[] = {0, 1, 31, 32, 48, 62};

	for (unsigned i = 0; i < COUNT(burst); i++) {
		for (unsigned k = 0; k < COUNT(thresh); k++)
			beside_the_driver(CQESIM_POLL_IXGBE_SCALAR, burst[i], thresh[k], i);
		beside_the_driver(CQESIM_POLL_IXGBE_BULK, burst[i], 32, i);
		beside_the_driver(CQESIM_POLL_IXGBE_VEC, burst[i], 32, i);
	}
}
END_TEST

START_TEST(rules)
{
	static const struct {
		enum cqesim_poll_rule rule;
		unsigned ring, thresh;
		const char *text; /* NULL: good */
	} row[] = {
		{CQESIM_POLL_IXGBE_SCALAR, 64, 0, NULL},
		{CQESIM_POLL_IXGBE_SCALAR, 64, 62, NULL},
		{CQESIM_POLL_IXGBE_SCALAR, 64, 63, "less than ring - 1 = 63"},
		{CQESIM_POLL_IXGBE_SCALAR, 24, 4, "rings of 32 to 4096"},
		{CQESIM_POLL_IXGBE_SCALAR, 8192, 4, "rings of 32 to 4096"},
		{CQESIM_POLL_IXGBE_SCALAR, 100, 4, "multiples of 8"},
		{CQESIM_POLL_IXGBE_SCALAR, 104, 4, NULL},
		{CQESIM_POLL_IXGBE_BULK, 512, 32, NULL},
		{CQESIM_POLL_IXGBE_BULK, 512, 256, NULL},
		{CQESIM_POLL_IXGBE_BULK, 512, 31, "at least 32"},
		{CQESIM_POLL_IXGBE_BULK, 512, 512, "less than the ring's 512"},
		{CQESIM_POLL_IXGBE_BULK, 512, 48, "a divisor of the ring's 512"},
		{CQESIM_POLL_IXGBE_BULK, 480, 48, NULL},
		{CQESIM_POLL_IXGBE_VEC, 512, 64, NULL},
		{CQESIM_POLL_IXGBE_VEC, 512, 0, "at least 32"},
		{CQESIM_POLL_IXGBE_VEC, 480, 48, "a power of two"},
		{CQESIM_POLL_SIMPLE, 512, 32, "one of ixgbe's"},
	};

	for (unsigned i = 0; i < COUNT(row); i++) {
		struct cqesim_error err = {0};
		int rc = cqesim_ixgbe_rule_check(row[i].rule, row[i].ring, row[i].thresh, &err);

		ck_assert_msg(rc == (row[i].text ? -EINVAL : 0), "row %u", i);
		if (row[i].text)
			ck_assert_msg(strstr(err.text, row[i].text) != NULL, "row %u: %s", i,
				      err.text);
	}
}
END_TEST

START_TEST(bad_configs)
{
	struct rig rig;
	struct cqesim_host_queue *host;

	ixgbe(&rig, CQESIM_POLL_IXGBE_VEC, 4, 32);
	rig.config.burst = 3; /* fewer than four: nothing, ever */
	ck_assert_int_eq(
		cqesim_host_create(&host, &rig.config, &rig.reader, &rig.poster, NULL, NULL, NULL),
		-EINVAL);
	rig.config.burst = 4;
	rig.config.replenish = 31;
	ck_assert_int_eq(
		cqesim_host_create(&host, &rig.config, &rig.reader, &rig.poster, NULL, NULL, NULL),
		-EINVAL);
	stop(&rig);
}
END_TEST

Suite *suite_host_ixgbe(void)
{
	Suite *s = suite_create("host_ixgbe");
	TCase *t = tcase_create("ixgbe");

	tcase_add_test(t, scalar);
	tcase_add_test(t, bulk);
	tcase_add_test(t, vector);
	tcase_add_test(t, as_the_driver);
	tcase_add_test(t, rules);
	tcase_add_test(t, bad_configs);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
	return s;
}
