/* SPDX-License-Identifier: BSD-3-Clause */
/* pcie: properties of the costs, on random links, addresses and lengths. */
#include <stdlib.h>

#include "cqesim/pcie.h"
#include "test_pcie.h"

#define ROUNDS 50000

static unsigned pick(unsigned short seed[3], unsigned n)
{
	return (unsigned)(nrand48(seed) % (long)n);
}

static struct cqesim_link_config any_link(unsigned short seed[3])
{
	static const unsigned lanes[] = {1, 2, 4, 8, 12, 16, 32};
	struct cqesim_link_config c =
		base(1 + pick(seed, 6), lanes[pick(seed, 7)], 128u << pick(seed, 6));

	c.mrrs = 128u << pick(seed, 6);
	c.rcb = pick(seed, 2) ? 64 : 128;
	c.addr_bits = pick(seed, 2) ? 32 : 64;
	c.ecrc = pick(seed, 2);
	c.prefixes = pick(seed, 5);
	c.cpl_per_rcb = pick(seed, 2);
	return c;
}

struct cost {
	struct cqesim_tlps write, request, completion;
};

static struct cost cost(struct cqesim_link_config c, uint64_t address, uint32_t length)
{
	struct cqesim_link l = make(c);
	struct cost cost = {.write = cqesim_link_write(&l, address, length)};

	cqesim_link_read(&l, address, length, &cost.request, &cost.completion);
	return cost;
}

/*
 * More of something costs no less, in either direction.  Check notes each of its
 * assertions in a file, so it is asked only when there is something to tell.
 */
static void no_less(struct cost less, struct cost more)
{
	bool good = less.write.wire <= more.write.wire && less.write.count <= more.write.count &&
		    less.write.credits <= more.write.credits &&
		    less.request.wire <= more.request.wire &&
		    less.completion.wire <= more.completion.wire &&
		    less.completion.count <= more.completion.count;

	if (!good)
		ck_abort_msg("write %llu B, %llu B with more; request %llu, %llu; completions "
			     "%llu, %llu",
			     (unsigned long long)less.write.wire,
			     (unsigned long long)more.write.wire,
			     (unsigned long long)less.request.wire,
			     (unsigned long long)more.request.wire,
			     (unsigned long long)less.completion.wire,
			     (unsigned long long)more.completion.wire);
}

START_TEST(monotonic)
{
	unsigned short seed[3] = {1, 2, 3};

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct cqesim_link_config c = any_link(seed), d = c;
		uint64_t address = (uint64_t)nrand48(seed);
		uint32_t length = 1 + pick(seed, 10000);
		struct cost here = cost(c, address, length);

		no_less(here, cost(c, address, length + 1 + pick(seed, 200)));
		if (c.mps > 128) {
			d.mps /= 2;
			no_less(here, cost(d, address, length));
			d = c;
		}
		if (c.mrrs > 128) {
			d.mrrs /= 2;
			no_less(here, cost(d, address, length));
			d = c;
		}
		if (!c.ecrc) {
			d.ecrc = true;
			no_less(here, cost(d, address, length));
			d = c;
		}
		if (c.addr_bits == 32) {
			d.addr_bits = 64;
			no_less(here, cost(d, address, length));
			d = c;
		}
		if (c.prefixes < 4) {
			d.prefixes++;
			no_less(here, cost(d, address, length));
		}
	}
}
END_TEST

/* Nothing is lost or invented by cutting, and headers account for the rest. */
START_TEST(sums)
{
	unsigned short seed[3] = {4, 5, 6};

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct cqesim_link l = make(any_link(seed));
		uint64_t address = (uint64_t)nrand48(seed);
		uint32_t length = 1 + pick(seed, 10000);
		struct cqesim_tlps w = cqesim_link_write(&l, address, length), q, a;

		cqesim_link_read(&l, address, length, &q, &a);
		/* Whole DWs: those that the range touches, none of them twice. */
		uint64_t dws = (address + length + 3) / 4 - address / 4;
		ck_assert_uint_eq(w.payload, length);
		ck_assert_uint_eq(w.wire - w.count * l.write_header, dws * 4);
		ck_assert_uint_eq(q.payload, 0);
		ck_assert_uint_eq(q.wire, q.count * l.read_header);
		ck_assert_uint_eq(a.payload, length);
		ck_assert_uint_eq(a.wire - a.count * l.cpl_header, dws * 4);
		ck_assert_uint_ge(w.credits * 16, dws * 4);
		ck_assert_uint_le(w.credits * 16, dws * 4 + w.count * 12);
	}
}
END_TEST

TCase *tcase_pcie_property(void)
{
	TCase *t = tcase_create("property");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, monotonic);
	tcase_add_test(t, sums);
	return t;
}
