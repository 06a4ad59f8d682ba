/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A core that does something else now and then, and whose costs vary: timer ticks,
 * other threads, frequencies.  What is drawn comes from a generator and a logarithm
 * of our own, in integers, since those of C libraries differ in their last bits.
 */
#include "host_internal.h"

/* SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t draw(struct host_away *away)
{
	uint64_t z = away->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/*
 * -ln(u / 2^64) in 1/2^32, up to 44.4.  The logarithm to base 2 bit by bit: squaring a
 * mantissa in [1, 2) doubles its logarithm, whose whole part is the next bit.
 */
static uint64_t minus_ln(uint64_t u)
{
	static const uint64_t ln2 = UINT64_C(0xb17217f7d1cf79ab); /* x 2^64 */
	unsigned zeros = (unsigned)__builtin_clzll(u |= 1);
	uint64_t mantissa = u << zeros, log2 = 63 - zeros;

	for (unsigned bit = 0; bit < 32; bit++) {
		unsigned __int128 square = (unsigned __int128)mantissa * mantissa;
		bool two = square >> 127;

		mantissa = (uint64_t)(square >> (two ? 64 : 63));
		log2 = log2 << 1 | two;
	}
	return (uint64_t)((unsigned __int128)((UINT64_C(64) << 32) - log2) * ln2 >> 64);
}

static uint64_t exponential(struct host_away *away, uint64_t mean)
{
	return (uint64_t)((unsigned __int128)mean * minus_ln(draw(away)) >> 32);
}

static uint64_t length_of(struct host_away *away, uint64_t ps)
{
	return away->drawn ? exponential(away, ps) : ps;
}

bool host_away_is_good(const struct cqesim_host_away *c)
{
	return c->share >= 0 && c->share <= 1 && c->every_ps <= CQESIM_AWAY_MAX_PS &&
	       (!c->every_ps || c->length_ps < c->every_ps);
}

void host_away_init(struct host_away *away, const struct cqesim_host_away *c)
{
	*away = (struct host_away){
		.next_ps = NEVER,
		.every_ps = c->every_ps,
		.length_ps = c->length_ps,
		.drawn = c->seed != 0,
		.share = c->seed ? (uint64_t)(c->share * 4294967296.0) : 0,
		.random = c->seed,
	};
	if (c->every_ps)
		away->next_ps = length_of(away, c->every_ps);
}

void host_go_away(struct cqesim_host_queue *q)
{
	struct host_away *away = &q->away;
	uint64_t length = length_of(away, away->length_ps);

	q->core.ps = host_later(q->core.ps, length);
	q->stats.away_ps += length;
	away->next_ps = host_later(away->next_ps, length_of(away, away->every_ps));
}

uint64_t host_draw_factor(struct host_away *away)
{
	uint64_t one = UINT64_C(1) << 32, wide = 2 * away->share + 1;

	if (!away->share)
		return one;
	return one - away->share + (uint64_t)((unsigned __int128)draw(away) * wide >> 64);
}

uint64_t host_vary(struct host_away *away, uint64_t cycles)
{
	return host_apply_factor(host_draw_factor(away), cycles);
}
