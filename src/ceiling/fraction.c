/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact fractions: bytes per packet are sums of k/n that decimals would only approximate. */
#include <inttypes.h>
#include <stdio.h>

#include "cqesim/ceiling.h"

typedef unsigned __int128 wide;

static struct cqesim_fraction reduce(wide num, wide den)
{
	wide a = num, b = den;

	while (b) {
		wide r = a % b;

		a = b;
		b = r;
	}
	if (!den || num / a > UINT64_MAX || den / a > UINT64_MAX)
		return (struct cqesim_fraction){0, 0};
	return (struct cqesim_fraction){(uint64_t)(num / a), (uint64_t)(den / a)};
}

struct cqesim_fraction cqesim_fraction(uint64_t num, uint64_t den)
{
	return reduce(num, den);
}

struct cqesim_fraction cqesim_fraction_add(struct cqesim_fraction a, struct cqesim_fraction b)
{
	wide left = (wide)a.num * b.den, sum;

	/* Products of two 64-bit numbers fit; their sum may not. */
	if (__builtin_add_overflow(left, (wide)b.num * a.den, &sum))
		return (struct cqesim_fraction){0, 0};
	return reduce(sum, (wide)a.den * b.den);
}

struct cqesim_fraction cqesim_fraction_mul(struct cqesim_fraction a, struct cqesim_fraction b)
{
	return reduce((wide)a.num * b.num, (wide)a.den * b.den);
}

const char *cqesim_fraction_text(struct cqesim_fraction f, char text[CQESIM_FRACTION_TEXT])
{
	if (f.den == 1)
		snprintf(text, CQESIM_FRACTION_TEXT, "%" PRIu64, f.num);
	else
		snprintf(text, CQESIM_FRACTION_TEXT, "%" PRIu64 "/%" PRIu64, f.num, f.den);
	return text;
}

const char *cqesim_fraction_decimals(struct cqesim_fraction f, unsigned digits,
				     char text[CQESIM_FRACTION_TEXT])
{
	uint64_t scale = 1;

	if (digits > 9)
		digits = 9;
	for (unsigned i = 0; i < digits; i++)
		scale *= 10;
	if (!f.den) {
		snprintf(text, CQESIM_FRACTION_TEXT, "?");
		return text;
	}
	/* In units of the last digit: twice the value, plus one, halved. */
	wide units = ((wide)f.num * scale * 2 + f.den) / ((wide)f.den * 2);
	if (digits)
		snprintf(text, CQESIM_FRACTION_TEXT, "%" PRIu64 ".%0*" PRIu64,
			 (uint64_t)(units / scale), (int)digits, (uint64_t)(units % scale));
	else
		snprintf(text, CQESIM_FRACTION_TEXT, "%" PRIu64, (uint64_t)units);
	return text;
}
