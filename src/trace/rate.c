/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates as people write them, and the clock that stamps frames at a rate. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "trace_internal.h"

/* No wire is faster than a frame or a thousand bits per picosecond, none slower than these. */
#define MAX_PPS                UINT64_C(1000000000000)
#define MAX_BPS                UINT64_C(1000000000000000)
#define MIN_BPS                UINT64_C(1)
#define MAX_SECONDS_PER_PACKET UINT64_C(864000)

static unsigned __int128 gcd(unsigned __int128 a, unsigned __int128 b)
{
	while (b) {
		unsigned __int128 r = a % b;
		a = b;
		b = r;
	}
	return a;
}

static int reduce(unsigned __int128 n, unsigned __int128 d, uint64_t *num, uint64_t *den)
{
	unsigned __int128 g = gcd(n, d);
	if (!g)
		return -ERANGE;
	n /= g;
	d /= g;
	if (n >> 64 || d >> 64)
		return -ERANGE;
	*num = (uint64_t)n;
	*den = (uint64_t)d;
	return 0;
}

static uint64_t suffix(char c)
{
	switch (c) {
	case 'k':
	case 'K':
		return 1000;
	case 'M':
		return 1000000;
	case 'G':
		return 1000000000;
	case 'T':
		return UINT64_C(1000000000000);
	}
	return 1;
}

int trace_parse_decimal(const char *text, const char **end, uint64_t *num, uint64_t *den)
{
	uint64_t digits = 0, scale = 1;
	bool point = false, any = false, fits = true;
	const char *c = text;
	for (; (*c >= '0' && *c <= '9') || (*c == '.' && !point); c++) {
		if (*c == '.') {
			point = true;
			continue;
		}
		any = true;
		fits = fits && !__builtin_mul_overflow(digits, 10, &digits) &&
		       !__builtin_add_overflow(digits, (uint64_t)(*c - '0'), &digits) &&
		       (!point || !__builtin_mul_overflow(scale, 10, &scale));
	}
	if (!any)
		return -EINVAL;
	uint64_t times = suffix(*c);
	*end = c + (times != 1);
	if (!fits)
		return -ERANGE;
	return reduce((unsigned __int128)digits * times, scale, num, den);
}

/* What a rate is measured in, by what follows the number. */
static bool is_pps(const char *unit)
{
	return !strcasecmp(unit, "pps") || !strcmp(unit, "p/s") || !strcmp(unit, "packets/s");
}

/* A capital B would be bytes: not taken for bits. */
static bool is_bps(const char *unit)
{
	return !strcmp(unit, "bps") || !strcmp(unit, "b/s") || !strcmp(unit, "bit/s") ||
	       !strcmp(unit, "bits/s") || !strcmp(unit, "bit");
}

static bool in_range(const struct cqesim_rate *rate)
{
	unsigned __int128 num = rate->num, den = rate->den;
	switch (rate->kind) {
	case CQESIM_RATE_ASIS:
		return true;
	case CQESIM_RATE_PPS:
		return num && den && num <= den * MAX_PPS && num * MAX_SECONDS_PER_PACKET >= den;
	case CQESIM_RATE_BPS:
		return num && den && num <= den * MAX_BPS && num >= den * MIN_BPS;
	case CQESIM_RATE_SPEEDUP:
		return num && den;
	}
	return false;
}

static int of_line(const char *text, uint64_t line_bps, uint64_t num, uint64_t den,
		   struct cqesim_rate *rate, struct cqesim_error *err)
{
	if (!line_bps)
		return cqesim_fail(err, -EINVAL, "rate '%s': the rate of the line is not known",
				   text);
	rate->kind = CQESIM_RATE_BPS;
	/* num and den are in lowest terms, and the product of two uint64_t fits. */
	unsigned __int128 n = (unsigned __int128)line_bps * num;
	unsigned __int128 d = (unsigned __int128)den * 100;
	if (reduce(n, d, &rate->num, &rate->den))
		return -ERANGE;
	return 0;
}

static int parse(const char *text, uint64_t line_bps, struct cqesim_rate *rate,
		 struct cqesim_error *err)
{
	bool speedup = text[0] == 'x';
	uint64_t num = 0, den = 1;
	const char *unit;
	int rc = trace_parse_decimal(text + speedup, &unit, &num, &den);
	if (rc == -EINVAL)
		return cqesim_fail(err, -EINVAL,
				   "rate '%s' is none of asis, line, 80%%, 14.88Mpps, 100G, x2",
				   text);
	bool suffixed = unit > text && strchr("kKMGT", unit[-1]);
	if (!rc && !num)
		return cqesim_fail(err, -EINVAL, "rate '%s': must be above zero", text);
	if (!strcmp(unit, "%") && !speedup && !suffixed)
		return rc ? rc : of_line(text, line_bps, num, den, rate, err);
	if (speedup && !*unit && !suffixed)
		rate->kind = CQESIM_RATE_SPEEDUP;
	else if (!speedup && is_pps(unit))
		rate->kind = CQESIM_RATE_PPS;
	else if (!speedup && (is_bps(unit) || (suffixed && !*unit)))
		rate->kind = CQESIM_RATE_BPS;
	else if (!speedup && !*unit)
		return cqesim_fail(err, -EINVAL, "rate '%s' has no unit: say %spps or %sbps", text,
				   text, text);
	else
		return cqesim_fail(err, -EINVAL,
				   "rate '%s' has no unit that is known: pps, bps, %% or x", text);
	rate->num = num;
	rate->den = den;
	return rc;
}

int cqesim_rate_parse(const char *text, uint64_t line_bps, struct cqesim_rate *rate,
		      struct cqesim_error *err)
{
	struct cqesim_rate r = {.kind = CQESIM_RATE_ASIS, .num = 1, .den = 1};
	int rc = 0;
	if (!strcmp(text, "line"))
		rc = of_line(text, line_bps, 100, 1, &r, err);
	else if (strcmp(text, "asis") != 0)
		rc = parse(text, line_bps, &r, err);
	if (!rc && !in_range(&r))
		rc = -ERANGE;
	if (!rc) {
		struct trace_timer fits;
		rc = trace_timer_init(&fits, &r, NULL) ? -ERANGE : 0;
	}
	if (rc == -ERANGE)
		return cqesim_fail(err, -EINVAL, "rate '%s' is out of range", text);
	if (!rc)
		*rate = r;
	return rc;
}

int trace_timer_init(struct trace_timer *timer, const struct cqesim_rate *rate,
		     struct cqesim_error *err)
{
	*timer = (struct trace_timer){.kind = rate->kind, .pacer = {.num = 1, .den = 1}};
	int rc = in_range(rate) ? 0 : -ERANGE;
	uint64_t bits;
	if (!rc && rate->kind == CQESIM_RATE_PPS)
		rc = cqesim_pacer_init(&timer->pacer, rate->num, rate->den);
	else if (!rc && rate->kind == CQESIM_RATE_BPS)
		rc = __builtin_mul_overflow(rate->den, 8, &bits)
			     ? -ERANGE
			     : cqesim_pacer_init(&timer->pacer, rate->num, bits);
	else if (!rc && rate->kind == CQESIM_RATE_SPEEDUP) {
		/* Picoseconds of output per picosecond of the capture. */
		timer->pacer.num = rate->den;
		timer->pacer.den = rate->num;
	}
	if (rc)
		return cqesim_fail(err, -EINVAL, "rate %llu/%llu is out of range",
				   (unsigned long long)rate->num, (unsigned long long)rate->den);
	return 0;
}

/*
 * As cqesim_pacer_advance(), but for steps out of files that may claim anything:
 * from CQESIM_MAX_TIME_PS on no step is longer than CQESIM_LATER_GAP_PS, so that
 * packets still keep their distance, and the clock never overflows.
 */
static void advance(struct cqesim_pacer *p, uint64_t units, uint64_t *clamped)
{
	unsigned __int128 w = (unsigned __int128)units * p->num + p->rem;
	unsigned __int128 q;
	if (p->den == 1) {
		q = w;
	} else if (!(w >> 64)) {
		q = (uint64_t)w / p->den;
		p->rem = (uint64_t)w % p->den;
	} else {
		q = w / p->den;
		p->rem = (uint64_t)(w % p->den);
	}
	uint64_t left = p->ps < CQESIM_MAX_TIME_PS ? CQESIM_MAX_TIME_PS - p->ps : 0;
	if (left < CQESIM_LATER_GAP_PS)
		left = CQESIM_LATER_GAP_PS;
	if (left > CQESIM_CLOCK_END_PS - p->ps)
		left = CQESIM_CLOCK_END_PS - p->ps;
	if (q > left) {
		(*clamped)++;
		q = left < CQESIM_LATER_GAP_PS ? left : CQESIM_LATER_GAP_PS;
		p->rem = 0;
	}
	p->ps += (uint64_t)q;
}

uint64_t trace_timer_stamp(struct trace_timer *timer, uint64_t gap_ps, uint32_t len,
			   uint64_t *clamped)
{
	uint64_t units = gap_ps;
	switch (timer->kind) {
	case CQESIM_RATE_PPS:
		units = timer->owed;
		timer->owed = 1;
		break;
	case CQESIM_RATE_BPS:
		units = timer->owed;
		timer->owed = (uint64_t)len + CQESIM_FCS_BYTES + CQESIM_WIRE_GAP_BYTES;
		break;
	case CQESIM_RATE_ASIS:
	case CQESIM_RATE_SPEEDUP:
		break;
	}
	advance(&timer->pacer, units, clamped);
	return timer->pacer.ps;
}
