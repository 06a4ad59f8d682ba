/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * common.h - what every station needs: symbol visibility, the error text, and
 * clocks that never round.
 *
 * Conventions of the whole library:
 *   - functions that can fail return 0 (or a count) and a negative errno;
 *   - time is uint64_t picoseconds since the first frame (names end in _ps);
 *   - sizes are bytes, rates are per second.
 */
#ifndef CQESIM_COMMON_H
#define CQESIM_COMMON_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CQESIM_API __attribute__((visibility("default")))

/* Picoseconds in a second. */
#define CQESIM_PS_PER_S UINT64_C(1000000000000)

/*
 * One line, without a newline, that names the file, offset or key at fault and
 * what was expected.  A caller that does not care passes NULL.
 */
struct cqesim_error {
	char text[512];
};

/*
 * Fill *err (when it is not NULL) and return code, so that failing reads
 * "return cqesim_fail(err, -EINVAL, ...)".
 */
CQESIM_API int cqesim_fail(struct cqesim_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Version of the library that is linked, for instance "0.1.0". */
CQESIM_API const char *cqesim_version(void);

/*
 * A pacer turns work into time without ever rounding per item: it moves a
 * clock forward by (units x num / den) picoseconds and keeps the remainder.
 * A link (units: bytes), a wire (bytes) and a CPU (cycles) are pacers.
 */
struct cqesim_pacer {
	uint64_t ps;  /* whole picoseconds */
	uint64_t rem; /* the rest, in 1/den ps; < den */
	uint64_t num; /* picoseconds per unit are num / den */
	uint64_t den;
	uint64_t inv; /* 2^64 / den, rounded down: dividing by multiplying */
};

/*
 * Set the rate to units_num / units_den units per second (both > 0) and the
 * clock to 0.  The fraction is reduced; -ERANGE when it does not fit.
 */
CQESIM_API int cqesim_pacer_init(struct cqesim_pacer *p, uint64_t units_num, uint64_t units_den);

/* Let the clock stand at no less than now_ps: an idle server starts afresh. */
static inline void cqesim_pacer_not_before(struct cqesim_pacer *p, uint64_t now_ps)
{
	if (p->ps < now_ps) {
		p->ps = now_ps;
		p->rem = 0;
	}
}

/* 2^64 / den, rounded down; den > 1. */
static inline uint64_t cqesim_reciprocal(uint64_t den)
{
	uint64_t q = UINT64_MAX / den;

	return UINT64_MAX % den == den - 1 ? q + 1 : q; /* den is a power of two */
}

/*
 * Exact quotient and remainder by a divisor whose reciprocal inv is known.  The
 * product is at most one too small, which the remainder shows.
 */
static inline uint64_t cqesim_divide(uint64_t n, uint64_t den, uint64_t inv, uint64_t *rem)
{
	uint64_t q = (uint64_t)((unsigned __int128)n * inv >> 64);
	uint64_t r = n - q * den;

	if (r >= den) {
		q++;
		r -= den;
	}
	*rem = r;
	return q;
}

/* Do `units` of work.  Exact: no sequence of calls accumulates an error. */
static inline void cqesim_pacer_advance(struct cqesim_pacer *p, uint64_t units)
{
	uint64_t t;

	if (p->den == 1) {
		p->ps += units * p->num;
	} else if (!__builtin_mul_overflow(units, p->num, &t) &&
		   !__builtin_add_overflow(t, p->rem, &t)) {
		p->ps += cqesim_divide(t, p->den, p->inv, &p->rem);
	} else {
		unsigned __int128 w = (unsigned __int128)units * p->num + p->rem;
		p->ps += (uint64_t)(w / p->den);
		p->rem = (uint64_t)(w % p->den);
	}
}

/* The clock, rounded up to whole picoseconds: work is done when it is all done. */
static inline uint64_t cqesim_pacer_done_ps(const struct cqesim_pacer *p)
{
	return p->ps + (p->rem != 0);
}

#endif
