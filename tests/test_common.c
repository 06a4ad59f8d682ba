/* SPDX-License-Identifier: BSD-3-Clause */
/* common: the error text, and clocks that never round. */
#include <errno.h>
#include <string.h>

/* All headers together: they must not be in each other's way. */
#include "cqesim/cqesim.h"
#include "test.h"

static uint64_t seed;

static uint64_t random_u64(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return seed >> 32 ^ seed;
}

START_TEST(fail_returns_its_code)
{
	struct cqesim_error err = {"old"};

	ck_assert_int_eq(cqesim_fail(NULL, -ENOENT, "%s", "nobody listens"), -ENOENT);
	ck_assert_int_eq(cqesim_fail(&err, -EINVAL, "%s:%d: expected %u", "a.yaml", 7, 2u),
			 -EINVAL);
	ck_assert_str_eq(err.text, "a.yaml:7: expected 2");
}
END_TEST

START_TEST(fail_keeps_to_one_line)
{
	struct cqesim_error err;
	char name[] = {'a', '\n', 'b', '\r', 'c', '\t', 'd', 0x1b, 0x7f, 0x01, 'e', 0};

	cqesim_fail(&err, -EINVAL, "%s", name);
	ck_assert_str_eq(err.text, "a?b?c?d???e");
	/* What is not ASCII is left as it is: names of files are often UTF-8. */
	cqesim_fail(&err, -EINVAL, "%s", "\xc3\xbc.pcap");
	ck_assert_str_eq(err.text, "\xc3\xbc.pcap");
	cqesim_fail(&err, -EINVAL, "first\nsecond");
	ck_assert_str_eq(err.text, "first?second");
}
END_TEST

START_TEST(fail_cuts_long_texts)
{
	struct {
		struct cqesim_error err;
		char guard[8];
	} s;
	char longest[2000];

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	memset(&s, 0x55, sizeof(s));
	ck_assert_int_eq(cqesim_fail(&s.err, -EBADMSG, "%s", longest), -EBADMSG);
	ck_assert_uint_eq(strlen(s.err.text), 511);
	for (size_t i = 0; i < sizeof(s.guard); i++)
		ck_assert_int_eq(s.guard[i], 0x55);
}
END_TEST

START_TEST(version_is_there)
{
	ck_assert_ptr_nonnull(cqesim_version());
	ck_assert_uint_gt(strlen(cqesim_version()), 0);
}
END_TEST

START_TEST(pacer_rates)
{
	/* Units per second, and what a unit takes: num / den picoseconds in lowest terms. */
	static const struct {
		uint64_t units_num, units_den, num, den;
	} good[] = {
		{1, 1, UINT64_C(1000000000000), 1},
		{UINT64_C(8000000000), 1, 125, 1},
		{3, 1, UINT64_C(1000000000000), 3},
		{6, 4, UINT64_C(2000000000000), 3},
		{UINT64_C(2600000000), 1, 5000, 13},
		{UINT64_C(1000000000000), 1, 1, 1},
		{UINT64_C(3000000000000), 1, 1, 3},
		{7, 1000000, UINT64_C(1000000000000000000), 7},
		{UINT64_MAX, UINT64_MAX, UINT64_C(1000000000000), 1},
		/* 2^64 - 1 = 5 x 3689348814741910323 */
		{UINT64_MAX, 1, UINT64_C(200000000000), UINT64_C(3689348814741910323)},
		/* the slowest: 10^12 x 18446744 still fits */
		{1, 18446744, UINT64_C(18446744000000000000), 1},
	};
	struct cqesim_pacer p;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		memset(&p, 0xff, sizeof(p));
		ck_assert_int_eq(cqesim_pacer_init(&p, good[i].units_num, good[i].units_den), 0);
		ck_assert_uint_eq(p.num, good[i].num);
		ck_assert_uint_eq(p.den, good[i].den);
		ck_assert_uint_eq(p.ps, 0);
		ck_assert_uint_eq(p.rem, 0);
	}
	ck_assert_int_eq(cqesim_pacer_init(&p, 0, 1), -ERANGE);
	ck_assert_int_eq(cqesim_pacer_init(&p, 1, 0), -ERANGE);
	ck_assert_int_eq(cqesim_pacer_init(&p, 0, 0), -ERANGE);
	ck_assert_int_eq(cqesim_pacer_init(&p, 1, 18446745), -ERANGE);
	ck_assert_int_eq(cqesim_pacer_init(&p, 7, UINT64_MAX), -ERANGE);
}
END_TEST

START_TEST(pacer_keeps_the_rest)
{
	struct cqesim_pacer p;

	ck_assert_int_eq(cqesim_pacer_init(&p, 3, 1), 0);
	ck_assert_uint_eq(cqesim_pacer_done_ps(&p), 0);
	cqesim_pacer_advance(&p, 1);
	ck_assert_uint_eq(p.ps, UINT64_C(333333333333));
	ck_assert_uint_eq(p.rem, 1);
	/* Done is when all is done. */
	ck_assert_uint_eq(cqesim_pacer_done_ps(&p), UINT64_C(333333333334));
	cqesim_pacer_advance(&p, 1);
	ck_assert_uint_eq(p.ps, UINT64_C(666666666666));
	ck_assert_uint_eq(p.rem, 2);
	cqesim_pacer_advance(&p, 1);
	ck_assert_uint_eq(p.ps, UINT64_C(1000000000000));
	ck_assert_uint_eq(p.rem, 0);
	ck_assert_uint_eq(cqesim_pacer_done_ps(&p), UINT64_C(1000000000000));
	cqesim_pacer_advance(&p, 0);
	ck_assert_uint_eq(p.ps, UINT64_C(1000000000000));
	/* Whole picoseconds per unit: no rest ever. */
	ck_assert_int_eq(cqesim_pacer_init(&p, UINT64_C(8000000000), 1), 0);
	cqesim_pacer_advance(&p, 180);
	ck_assert_uint_eq(p.ps, 22500);
	ck_assert_uint_eq(p.rem, 0);
}
END_TEST

START_TEST(pacer_starts_afresh_when_idle)
{
	struct cqesim_pacer p;

	ck_assert_int_eq(cqesim_pacer_init(&p, 3, 1), 0);
	cqesim_pacer_advance(&p, 2);
	/* Busy until 666666666666 2/3: an earlier or the same time changes nothing. */
	cqesim_pacer_not_before(&p, 5);
	ck_assert_uint_eq(p.ps, UINT64_C(666666666666));
	ck_assert_uint_eq(p.rem, 2);
	cqesim_pacer_not_before(&p, UINT64_C(666666666666));
	ck_assert_uint_eq(p.ps, UINT64_C(666666666666));
	ck_assert_uint_eq(p.rem, 2);
	cqesim_pacer_not_before(&p, UINT64_C(666666666667));
	ck_assert_uint_eq(p.ps, UINT64_C(666666666667));
	ck_assert_uint_eq(p.rem, 0);
}
END_TEST

/* Products above 64 bits, worked out by hand for 2^64 - 1 units per second. */
START_TEST(pacer_wide_products)
{
	struct cqesim_pacer p;

	ck_assert_int_eq(cqesim_pacer_init(&p, UINT64_MAX, 1), 0);
	/* 2^63 units: half a second and 10^11 of the 3689348814741910323 parts. */
	cqesim_pacer_advance(&p, UINT64_C(1) << 63);
	ck_assert_uint_eq(p.ps, UINT64_C(500000000000));
	ck_assert_uint_eq(p.rem, UINT64_C(100000000000));

	/* The product alone fits (1.8446744 10^19), the rest of before on top does not. */
	ck_assert_int_eq(cqesim_pacer_init(&p, UINT64_MAX, 1), 0);
	cqesim_pacer_advance(&p, 1);
	ck_assert_uint_eq(p.ps, 0);
	ck_assert_uint_eq(p.rem, UINT64_C(200000000000));
	cqesim_pacer_advance(&p, 92233720);
	ck_assert_uint_eq(p.ps, 5);
	ck_assert_uint_eq(p.rem, UINT64_C(126290448385));
}
END_TEST

/* However work is cut into pieces, the sum takes the same time: floor(units x num / den). */
START_TEST(pacer_never_rounds)
{
	static const uint64_t rates[][2] = {
		{3, 1},
		{UINT64_C(14880952), 1},
		{UINT64_C(2600000000000), 1},
		{UINT64_C(7876923076923), 1000},
		{UINT64_C(15669362093) * 97, 200},
		{UINT64_MAX - 58, 1000003},
	};

	seed = 1;
	for (size_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
		struct cqesim_pacer p;
		unsigned __int128 units = 0;

		ck_assert_int_eq(cqesim_pacer_init(&p, rates[r][0], rates[r][1]), 0);
		for (unsigned i = 0; i < 20000; i++) {
			uint64_t step = random_u64() >> (20 + random_u64() % 44);

			/* Slow rates reach 2^64 ps sooner. */
			if (step > rates[r][0] / rates[r][1] * 100 + 5)
				step %= 5;
			cqesim_pacer_advance(&p, step);
			units += step;
		}
		unsigned __int128 parts = units * p.num;
		ck_assert_uint_eq(p.ps, (uint64_t)(parts / p.den));
		ck_assert_uint_eq(p.rem, (uint64_t)(parts % p.den));
	}
}
END_TEST

Suite *suite_common(void)
{
	Suite *s = suite_create("common");
	TCase *t = tcase_create("common");

	tcase_add_test(t, fail_returns_its_code);
	tcase_add_test(t, fail_keeps_to_one_line);
	tcase_add_test(t, fail_cuts_long_texts);
	tcase_add_test(t, version_is_there);
	tcase_add_test(t, pacer_rates);
	tcase_add_test(t, pacer_keeps_the_rest);
	tcase_add_test(t, pacer_starts_afresh_when_idle);
	tcase_add_test(t, pacer_wide_products);
	tcase_add_test(t, pacer_never_rounds);
	suite_add_tcase(s, t);
	return s;
}
