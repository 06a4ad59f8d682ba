/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synthetic workloads: frames of given lengths and flows at a given rate.
 *
 * Frame i belongs to flow i % flows.  Lengths follow a fixed pattern in which
 * each appears as often as its weight says, spread out evenly; the pattern is
 * shifted from one round through the flows to the next, so that each flow
 * sees all lengths.  Up to a few MiB the bytes of all frames are made once,
 * and a batch is nothing but pointers, times and lengths.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#define MAX_SIZES       16u
#define MAX_PATTERN     65536u
#define MIN_LENGTH      64u
#define MAX_LENGTH      9622u
#define DEFAULT_PACKETS UINT64_C(10000000)
/* Bytes of frames that are made once. */
#define PREBUILT_BYTES (UINT32_C(8) << 20)

struct size_class {
	uint32_t len; /* without FCS */
	uint32_t weight;
	uint32_t cap_len;
	uint64_t step_ps, step_rem; /* what one such frame adds to the clock */
	const uint8_t *prebuilt;    /* of flow 0; NULL: made for each batch */
	struct trace_flow_template template;
};

struct synthetic {
	struct cqesim_trace base;
	struct trace_flow_spec spec;
	uint32_t flows;
	uint32_t n_sizes;
	struct size_class sizes[MAX_SIZES];
	uint32_t period; /* of the pattern */
	uint32_t shift;  /* by which it moves with each round through the flows */
	uint8_t *pattern;
	uint8_t *prebuilt; /* per size, flow: TRACE_SYNTH_BYTES */
	struct cqesim_rate rate;

	uint64_t packets; /* in one round of the workload */
	uint64_t at;      /* next frame of this round */
	uint64_t left;    /* frames to hand out in all */
	uint32_t flow, pattern_at;
	uint64_t now_ps, rem;
	bool time_over; /* beyond CQESIM_MAX_TIME_PS */
	uint8_t arena[CQESIM_BATCH][TRACE_SYNTH_BYTES];
};

/* --- the specification --- */

static int parse_count(const char *key, const char *text, uint64_t min, uint64_t max,
		       uint64_t *count, struct cqesim_error *err)
{
	const char *end = text;
	uint64_t den = 1;
	int rc = trace_parse_decimal(text, &end, count, &den);
	if (rc || *end || den != 1 || *count < min || *count > max)
		return cqesim_fail(err, -EINVAL,
				   "workload: %s=%s is not a whole number from %llu to %llu", key,
				   text, (unsigned long long)min, (unsigned long long)max);
	return 0;
}

static int add_size(struct synthetic *s, uint64_t length, uint64_t weight)
{
	if (s->n_sizes == MAX_SIZES)
		return -ENOSPC;
	s->sizes[s->n_sizes].len = (uint32_t)length - CQESIM_FCS_BYTES;
	s->sizes[s->n_sizes++].weight = (uint32_t)weight;
	return 0;
}

/* "N", "N:WEIGHT+N:WEIGHT" or "imix". */
static int parse_frame(struct synthetic *s, char *value, struct cqesim_error *err)
{
	if (!strcmp(value, "imix")) {
		add_size(s, 64, 7);
		add_size(s, 594, 4);
		return add_size(s, 1518, 1);
	}
	char *rest = value;
	for (char *item; (item = strsep(&rest, "+"));) {
		char *weight_text = strchr(item, ':');
		uint64_t length, weight = 1;
		if (weight_text)
			*weight_text++ = '\0';
		int rc = parse_count("frame", item, MIN_LENGTH, MAX_LENGTH, &length, err);
		if (!rc && weight_text)
			rc = parse_count("frame weight", weight_text, 1, MAX_PATTERN, &weight, err);
		if (rc)
			return rc;
		if (add_size(s, length, weight))
			return cqesim_fail(err, -EINVAL, "workload: more than %u frame lengths",
					   MAX_SIZES);
	}
	return 0;
}

static int parse_choice(const char *key, const char *value, const char *no, const char *yes,
			bool *choice, struct cqesim_error *err)
{
	*choice = !strcmp(value, yes);
	if (!*choice && strcmp(value, no) != 0)
		return cqesim_fail(err, -EINVAL, "workload: %s=%s is neither %s nor %s", key, value,
				   no, yes);
	return 0;
}

enum key { FRAME, FLOWS, RATE, PACKETS, PROTO, L3, VLAN, KEYS };

static const char *const key_names[KEYS] = {
	[FRAME] = "frame", [FLOWS] = "flows", [RATE] = "rate", [PACKETS] = "packets",
	[PROTO] = "proto", [L3] = "l3",       [VLAN] = "vlan",
};

static int set_key(struct synthetic *s, enum key key, char *value, uint64_t line_bps,
		   struct cqesim_error *err)
{
	const char *name = key_names[key];
	uint64_t n;
	int rc = 0;
	switch (key) {
	case FRAME:
		return parse_frame(s, value, err);
	case FLOWS:
		rc = parse_count(name, value, 1, TRACE_SYNTH_MAX_FLOWS, &n, err);
		s->flows = rc ? 0 : (uint32_t)n;
		return rc;
	case RATE:
		return cqesim_rate_parse(value, line_bps, &s->rate, err);
	case PACKETS:
		return parse_count(name, value, 1, UINT64_MAX, &s->packets, err);
	case PROTO:
		return parse_choice(name, value, "udp", "tcp", &s->spec.tcp, err);
	case L3:
		return parse_choice(name, value, "ipv4", "ipv6", &s->spec.ipv6, err);
	case VLAN:
		rc = parse_count(name, value, 0, 4094, &n, err);
		s->spec.vlan = rc ? 0 : (uint16_t)n;
		return rc;
	case KEYS:
		break;
	}
	return -EINVAL;
}

static int set_item(struct synthetic *s, char *item, uint64_t line_bps, unsigned *seen,
		    struct cqesim_error *err)
{
	char *value = strchr(item, '=');
	if (!value)
		return cqesim_fail(err, -EINVAL, "workload: '%s' is not key=value", item);
	*value++ = '\0';
	for (enum key key = 0; key < KEYS; key++) {
		if (strcmp(item, key_names[key]) != 0)
			continue;
		if (*seen & 1u << key)
			return cqesim_fail(err, -EINVAL, "workload: %s= is given twice", item);
		*seen |= 1u << key;
		return set_key(s, key, value, line_bps, err);
	}
	return cqesim_fail(err, -EINVAL,
			   "workload: unknown key '%s'; known: frame, flows, rate, packets, proto, "
			   "l3, vlan",
			   item);
}

static int parse_spec(struct synthetic *s, const char *spec, uint64_t line_bps,
		      struct cqesim_error *err)
{
	s->flows = 1;
	s->packets = DEFAULT_PACKETS;
	if (!spec || !*spec)
		return 0;
	char *copy = strdup(spec);
	if (!copy)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	unsigned seen = 0;
	int rc = 0;
	char *rest = copy;
	for (char *item; !rc && (item = strsep(&rest, ","));)
		rc = set_item(s, item, line_bps, &seen, err);
	free(copy);
	return rc;
}

/* --- lengths, pattern, rate, frames --- */

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t r = a % b;
		a = b;
		b = r;
	}
	return a;
}

static int check_sizes(struct synthetic *s, struct cqesim_error *err)
{
	uint32_t headers = trace_flow_header_bytes(&s->spec);
	uint32_t least = headers + CQESIM_FCS_BYTES;
	if (!s->n_sizes)
		add_size(s, least > MIN_LENGTH ? least : MIN_LENGTH, 1);
	for (uint32_t i = 0; i < s->n_sizes; i++)
		if (s->sizes[i].len < headers)
			return cqesim_fail(
				err, -EINVAL,
				"workload: frame=%u is too short: the headers and FCS of "
				"l3=%s,proto=%s%s take %u bytes",
				s->sizes[i].len + CQESIM_FCS_BYTES, s->spec.ipv6 ? "ipv6" : "ipv4",
				s->spec.tcp ? "tcp" : "udp", s->spec.vlan ? " with a VLAN tag" : "",
				least);
	return 0;
}

/*
 * Spread lengths evenly: at each step all gain their weight, and the one that
 * has most is taken and pays the sum of all weights.
 */
static int make_pattern(struct synthetic *s, struct cqesim_error *err)
{
	uint32_t common = 0;
	for (uint32_t i = 0; i < s->n_sizes; i++)
		common = gcd(s->sizes[i].weight, common);
	uint64_t period = 0;
	for (uint32_t i = 0; i < s->n_sizes; i++)
		period += s->sizes[i].weight /= common;
	if (period > MAX_PATTERN)
		return cqesim_fail(err, -EINVAL, "workload: frame weights add up to more than %u",
				   MAX_PATTERN);
	s->period = (uint32_t)period;
	s->pattern = malloc(s->period);
	if (!s->pattern)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	int64_t credit[MAX_SIZES] = {0};
	for (uint32_t at = 0; at < s->period; at++) {
		uint32_t most = 0;
		for (uint32_t i = 0; i < s->n_sizes; i++) {
			credit[i] += s->sizes[i].weight;
			most = credit[i] > credit[most] ? i : most;
		}
		credit[most] -= s->period;
		s->pattern[at] = (uint8_t)most;
	}
	/* With flows + shift prime to the period each flow walks through all of it. */
	while (gcd(s->flows + s->shift, s->period) != 1)
		s->shift++;
	return 0;
}

static int set_rate(struct synthetic *s, uint64_t line_bps, struct cqesim_error *err)
{
	if (s->base.config.rate.kind != CQESIM_RATE_ASIS)
		s->rate = s->base.config.rate;
	int rc = 0;
	if (s->rate.kind == CQESIM_RATE_ASIS)
		rc = cqesim_rate_parse("line", line_bps, &s->rate, err);
	if (!rc && s->rate.kind == CQESIM_RATE_SPEEDUP)
		return cqesim_fail(err, -EINVAL,
				   "workload: a synthetic workload has no times to speed up; give "
				   "packets or bits per second");
	if (!rc)
		rc = trace_timer_init(&s->base.timer, &s->rate, err);
	for (uint32_t i = 0; !rc && i < s->n_sizes; i++) {
		struct size_class *c = &s->sizes[i];
		/* Both kinds of clock move by a constant for a length. */
		struct trace_timer t = s->base.timer;
		uint64_t clamped = 0;
		trace_timer_stamp(&t, 0, c->len, &clamped);
		c->step_ps = trace_timer_stamp(&t, 0, c->len, &clamped);
		c->step_rem = t.pacer.rem;
	}
	return rc;
}

static int make_frames(struct synthetic *s, struct cqesim_error *err)
{
	for (uint32_t i = 0; i < s->n_sizes; i++) {
		struct size_class *c = &s->sizes[i];
		c->cap_len = c->len < TRACE_SYNTH_BYTES ? c->len : TRACE_SYNTH_BYTES;
		trace_flow_template(&c->template, &s->spec, c->len);
	}
	uint64_t bytes = (uint64_t)s->n_sizes * s->flows * TRACE_SYNTH_BYTES;
	if (bytes > PREBUILT_BYTES)
		return 0;
	s->prebuilt = malloc(bytes);
	if (!s->prebuilt)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	uint8_t *at = s->prebuilt;
	for (uint32_t i = 0; i < s->n_sizes; i++) {
		s->sizes[i].prebuilt = at;
		for (uint32_t flow = 0; flow < s->flows; flow++, at += TRACE_SYNTH_BYTES)
			trace_flow_stamp(at, &s->sizes[i].template, flow);
	}
	return 0;
}

/* --- handing out --- */

/* Stand before frame number `at` of a round. */
static void go_to(struct synthetic *s, uint64_t at)
{
	s->at = at;
	s->flow = (uint32_t)(at % s->flows);
	uint64_t rounds = at / s->flows % s->period;
	s->pattern_at = (uint32_t)((at % s->period + rounds * s->shift) % s->period);
}

static inline void step(struct synthetic *s, const struct size_class *c)
{
	uint64_t den = s->base.timer.pacer.den;
	uint64_t add = c->step_ps;
	s->rem += c->step_rem;
	if (s->rem >= den) {
		s->rem -= den;
		add++;
	}
	if (add > CQESIM_MAX_TIME_PS - s->now_ps) {
		s->time_over = true;
		add = CQESIM_MAX_TIME_PS - s->now_ps;
	}
	s->now_ps += add;
	if (++s->flow == s->flows) {
		s->flow = 0;
		s->pattern_at += s->shift;
	}
	if (++s->pattern_at >= s->period)
		s->pattern_at %= s->period;
}

static int synthetic_next(struct cqesim_trace *trace, struct cqesim_error *err)
{
	(void)err;
	struct synthetic *s = (struct synthetic *)trace;
	struct cqesim_trace_stats *stats = &trace->stats;
	if (s->at == s->packets)
		go_to(s, 0);
	uint64_t n = s->packets - s->at;
	n = n < s->left ? n : s->left;
	n = n < CQESIM_BATCH ? n : CQESIM_BATCH;
	uint64_t bytes = 0;
	for (uint64_t i = 0; i < n; i++) {
		const struct size_class *c = &s->sizes[s->pattern[s->pattern_at]];
		struct cqesim_frame *f = &trace->frames[i];
		if (c->prebuilt) {
			f->data = c->prebuilt + (size_t)s->flow * TRACE_SYNTH_BYTES;
			f->kept = (uint32_t)(c - s->sizes) * s->flows + s->flow + 1;
		} else {
			trace_flow_stamp(s->arena[i], &c->template, s->flow);
			f->data = s->arena[i];
		}
		f->time_ps = s->now_ps;
		f->cap_len = c->cap_len;
		f->orig_len = f->len = c->len;
		bytes += c->len;
		stats->gaps_clamped += s->time_over;
		step(s, c);
	}
	if (!n)
		return 0;
	s->at += n;
	s->left -= n;
	stats->packets += n;
	stats->frames += n;
	stats->capture_bytes += bytes;
	stats->stored_bytes += bytes;
	stats->wire_bytes += bytes + n * CQESIM_FCS_BYTES;
	stats->last_ps = trace->frames[n - 1].time_ps;
	return (int)n;
}

static void synthetic_close(struct cqesim_trace *trace)
{
	struct synthetic *s = (struct synthetic *)trace;
	free(s->pattern);
	free(s->prebuilt);
}

/* How many frames there are, after skip, repeat and limit. */
static void set_extent(struct synthetic *s)
{
	const struct cqesim_trace_config *config = &s->base.config;
	uint64_t total, rounds = config->repeat ? config->repeat : 1;
	if (__builtin_mul_overflow(s->packets, rounds, &total))
		total = UINT64_MAX;
	uint64_t skip = config->skip < total ? config->skip : total;
	s->left = total - skip;
	if (config->limit && s->left > config->limit)
		s->left = config->limit;
	s->base.stats.skipped[CQESIM_SKIP_REQUESTED] = skip;
	s->base.stats.packets_total = s->left;
	go_to(s, skip % s->packets);
}

int cqesim_trace_open_synthetic(struct cqesim_trace **trace, const char *spec, uint64_t line_bps,
				const struct cqesim_trace_config *config, struct cqesim_error *err)
{
	static const struct trace_ops ops = {.next = synthetic_next, .close = synthetic_close};
	struct synthetic *s = calloc(1, sizeof(*s));
	if (!s)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	s->base.ops = &ops;
	s->base.stats.synthetic = true;
	if (config)
		s->base.config = *config;
	int rc = parse_spec(s, spec, line_bps, err);
	if (!rc)
		rc = check_sizes(s, err);
	if (!rc)
		rc = make_pattern(s, err);
	if (!rc)
		rc = set_rate(s, line_bps, err);
	if (!rc)
		rc = make_frames(s, err);
	if (rc) {
		cqesim_trace_close(&s->base);
		return rc;
	}
	set_extent(s);
	*trace = &s->base;
	return 0;
}
