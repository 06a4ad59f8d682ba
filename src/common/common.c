/* SPDX-License-Identifier: BSD-3-Clause */
/* Error texts, pacers, version. */
#include <errno.h>
#include <stdio.h>

#include "cqesim/common.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#else
#define PACKAGE_VERSION "unknown"
#endif

const char *cqesim_version(void)
{
	return PACKAGE_VERSION;
}

int cqesim_fail(struct cqesim_error *err, int code, const char *fmt, ...)
{
	if (!err)
		return code;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	/* One line is promised, whatever a file name or a key may hold. */
	for (char *c = err->text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	return code;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;
		a = b;
		b = r;
	}
	return a;
}

int cqesim_pacer_init(struct cqesim_pacer *p, uint64_t units_num, uint64_t units_den)
{
	if (!units_num || !units_den)
		return -ERANGE;
	/* ps per unit = 10^12 x units_den / units_num, in lowest terms. */
	uint64_t g = gcd(units_num, units_den);
	uint64_t num = units_den / g, den = units_num / g;
	uint64_t second = CQESIM_PS_PER_S;
	g = gcd(second, den);
	second /= g;
	den /= g;
	if (__builtin_mul_overflow(num, second, &num))
		return -ERANGE;
	*p = (struct cqesim_pacer){
		.num = num, .den = den, .inv = den > 1 ? cqesim_reciprocal(den) : 0};
	return 0;
}
