/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqesim rq: options.  --cyclic and --striding begin a queue; the options behind
 * one are its own, so that two can stand side by side.
 */
#include <stdlib.h>
#include <string.h>

#include "rq_options.h"

/* What was said of aggregation: it changes defaults that depend on the MTU. */
#define NOT_SAID UINT64_MAX
struct wishes {
	bool gro, lro, one_completion, count_bytes;
	uint64_t mtu, buffer_bytes, header_entries, contexts, max_bytes, max_segments, min_payload,
		timeout_us;
	const char *packets;
};

enum place { IN_OPTIONS, IN_WISHES, IN_QUEUE, IN_CYCLIC, IN_STRIDING };

/* Options with a whole number: its range, and which member takes it (or its logarithm). */
static const struct number {
	int option;
	enum place place;
	uint64_t low, high;
	bool power_of_two, logarithm;
	size_t offset, size;
} numbers[] = {
#define IN(place, option, type, member, low, high, power_of_two, logarithm)                        \
	{                                                                                          \
		option, place, low, high, power_of_two, logarithm, offsetof(struct type, member),  \
			sizeof(((struct type *)NULL)->member)                                      \
	}
	IN(IN_QUEUE, OPT_WQES, rq_queue, layout.log_wqes, 1, 1u << CQESIM_RQ_LOG_MAX, true, true),
	IN(IN_QUEUE, OPT_POST, rq_queue, post_bulk, 1, 1u << CQESIM_RQ_LOG_MAX, false, false),
	IN(IN_CYCLIC, OPT_SEGMENTS, rq_queue, layout.segments, 1, 1u << CQESIM_RQ_LOG_SEGS_MAX,
	   false, false),
	IN(IN_CYCLIC, OPT_BUFFER, rq_queue, layout.buffer_bytes, 1, 1u << 24, false, false),
	IN(IN_CYCLIC, OPT_HEADROOM, rq_queue, layout.headroom_bytes, 0, 65535, false, false),
	IN(IN_CYCLIC, OPT_CQ_FACTOR, rq_queue, layout.cq_factor, 1, 2, false, false),
	IN(IN_STRIDING, OPT_STRIDES, rq_queue, layout.log_strides,
	   1u << CQESIM_LOG_STRIDES_MIN_EXTENDED, 1u << CQESIM_LOG_STRIDES_MAX, true, true),
	IN(IN_STRIDING, OPT_STRIDE_BYTES, rq_queue, layout.log_stride_bytes,
	   1u << CQESIM_LOG_STRIDE_BYTES_MIN, 1u << CQESIM_LOG_STRIDE_BYTES_MAX, true, true),
	IN(IN_OPTIONS, OPT_LIMIT, rq_options, trace.limit, 1, UINT64_MAX, false, false),
	IN(IN_OPTIONS, OPT_HOLD, rq_options, hold, 1, UINT32_MAX, false, false),
	IN(IN_OPTIONS, OPT_MEMCPY, rq_options, memcpy_bytes, 0, 65535, false, false),
	IN(IN_OPTIONS, OPT_SPARE, rq_options, spare, 0, UINT32_MAX, false, false),
	IN(IN_OPTIONS, OPT_POOL_CACHE, rq_options, pool_cache, 0, 1u << 24, false, false),
	IN(IN_OPTIONS, OPT_HOLD_FOR, rq_options, hold_for, 0, RQ_DRAWN_MAX, false, false),
	IN(IN_OPTIONS, OPT_WIDTH, rq_options, width, 20, 10000, false, false),
	IN(IN_OPTIONS, OPT_QUEUES, rq_options, ring_queues, 1, 65536, false, false),
	IN(IN_OPTIONS, OPT_BURST_BYTES, rq_options, burst_bytes, 1, 65535, false, false),
	IN(IN_OPTIONS, OPT_ROUNDING, rq_options, rounding, 0, 1000000000, false, false),
	IN(IN_OPTIONS, OPT_FLOWS, rq_options, flows, 1, RQ_FLOWS_MAX, false, false),
	IN(IN_OPTIONS, OPT_HEADER_BYTES, rq_options, header_bytes, 1, 1024, false, false),
	IN(IN_OPTIONS, OPT_GAP, rq_options, gap_ns, 0, 1000000000, false, false),
	IN(IN_WISHES, OPT_ENTRIES, wishes, header_entries, 1, 1u << 20, true, false),
	IN(IN_WISHES, OPT_MTU, wishes, mtu, 68, 65535, false, false),
	IN(IN_WISHES, OPT_CONTEXTS, wishes, contexts, 1, CQESIM_AGGREGATE_CONTEXTS_MAX, false,
	   false),
	IN(IN_WISHES, OPT_MAX_BYTES, wishes, max_bytes, 1, 1u << 24, false, false),
	IN(IN_WISHES, OPT_MAX_SEGMENTS, wishes, max_segments, 1, 65535, false, false),
	IN(IN_WISHES, OPT_MIN_PAYLOAD, wishes, min_payload, 0, 65535, false, false),
	IN(IN_WISHES, OPT_TIMEOUT, wishes, timeout_us, 0, 1000000000, false, false),
#undef IN
};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

/* ---- queues ---- */

static int add_queue(struct rq_options *o, bool striding)
{
	if (o->queues == RQ_QUEUES_MAX)
		return usage_error(RQ_COMMAND, "more than %u queues", RQ_QUEUES_MAX);
	o->queue[o->queues++] = (struct rq_queue){
		.layout.striding = striding,
		.layout.log_wqes = striding ? 3 : 10,
		.layout.segments = 1,
		.layout.buffer_bytes = 2048,
		.layout.log_strides = 12,
		.layout.log_stride_bytes = 6,
		.layout.cqe_bytes = 64,
		.layout.cq_factor = 1,
		.post_bulk = 1,
	};
	return 0;
}

/* The queue that the option stands behind; NULL after a message. */
static struct rq_queue *queue_of(struct rq_options *o, int option, enum place place)
{
	struct rq_queue *q = o->queues ? &o->queue[o->queues - 1] : NULL;

	if (q && (place == IN_QUEUE || q->layout.striding == (place == IN_STRIDING)))
		return q;
	usage_error(RQ_COMMAND, "--%s stands behind the queue that it is for: %s",
		    rq_option_name(option),
		    place == IN_QUEUE      ? "--cyclic or --striding"
		    : place == IN_STRIDING ? "--striding"
					   : "--cyclic");
	return NULL;
}

static int set_number(struct rq_options *o, struct wishes *w, const struct number *n)
{
	void *base = n->place == IN_OPTIONS  ? (void *)o
		     : n->place == IN_WISHES ? (void *)w
					     : (void *)queue_of(o, n->option, n->place);
	uint64_t v;

	if (!base)
		return EXIT_USAGE;
	if (!parse_count(optarg, n->low, n->high, false, &v) || (n->power_of_two && v & (v - 1)))
		return usage_error(RQ_COMMAND, "--%s %s: expected %s%llu to %llu",
				   rq_option_name(n->option), optarg,
				   n->power_of_two ? "a power of two from " : "",
				   (unsigned long long)n->low, (unsigned long long)n->high);
	if (n->logarithm)
		v = 63 - (unsigned)__builtin_clzll(v);
	if (n->size == sizeof(uint64_t)) {
		memcpy((char *)base + n->offset, &v, sizeof(v));
	} else {
		uint32_t v32 = (uint32_t)v;

		memcpy((char *)base + n->offset, &v32, sizeof(v32));
	}
	return 0;
}

static int set_queue_option(struct rq_options *o, int option)
{
	enum place place = option == OPT_SHIFT || option == OPT_LINKED ? IN_STRIDING : IN_QUEUE;
	struct rq_queue *q = queue_of(o, option, place);

	if (!q)
		return EXIT_USAGE;
	switch (option) {
	case OPT_SHIFT:
		q->layout.two_byte_shift = true;
		break;
	case OPT_LINKED:
		q->linked_list = true;
		break;
	case OPT_RATIO:
		q->has_ratio = true;
		if (!rq_parse_ratio(optarg, &q->ratio))
			return usage_error(RQ_COMMAND,
					   "--drain-ratio %s: expected 0 to 1000, with up to nine "
					   "decimals",
					   optarg);
		break;
	case OPT_FIT:
		q->has_fit = true;
		if (!rq_parse_counts(optarg, 1000000000, q->fit, &q->fits))
			return usage_error(RQ_COMMAND,
					   "--fit %s: expected packets lost, separated by commas",
					   optarg);
		break;
	}
	return 0;
}

/* ---- the others ---- */

static int set_option(struct rq_options *o, struct wishes *w, int option)
{
	double low, high;

	switch (option) {
	case OPT_CYCLIC:
	case OPT_STRIDING:
		return add_queue(o, option == OPT_STRIDING);
	case OPT_SHIFT:
	case OPT_LINKED:
	case OPT_RATIO:
	case OPT_FIT:
		return set_queue_option(o, option);
	case OPT_PACKETS:
		w->packets = optarg;
		return 0;
	case OPT_NO_REFILL:
		o->no_refill = true;
		return 0;
	case OPT_GRO:
		w->gro = true;
		return 0;
	case OPT_LRO:
		w->lro = true;
		return 0;
	case OPT_ONE:
		w->one_completion = true;
		return 0;
	case OPT_COUNT_BYTES:
		w->count_bytes = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_PAGE:
		if (rq_parse_bytes(optarg, 64, 1u << 24, &o->page_bytes))
			return 0;
		return usage_error(RQ_COMMAND, "--page-bytes %s: expected 64 to 16MiB", optarg);
	case OPT_LLC:
		if (rq_parse_bytes(optarg, 1, UINT64_C(1) << 40, &o->llc_bytes))
			return 0;
		return usage_error(RQ_COMMAND, "--llc %s: expected bytes, for instance 20MiB",
				   optarg);
	case OPT_BUF_LEN:
		if (!rq_parse_bytes(optarg, 1, 1u << 24, &w->buffer_bytes) ||
		    cqesim_rx_buf_len_check(w->buffer_bytes, NULL))
			return usage_error(RQ_COMMAND,
					   "--rx-buf-len %s: expected a power of two from 4KiB to "
					   "128KiB",
					   optarg);
		return 0;
	case OPT_DDIO:
		if (!rq_parse_percent(optarg, &low, &high) || low != high)
			return usage_error(RQ_COMMAND,
					   "--ddio-share %s: expected 0 to 100 "
					   "(percent)",
					   optarg);
		o->ddio_share = low / 100;
		return 0;
	case OPT_GAIN:
		if (!rq_parse_percent(optarg, &o->gain_low, &o->gain_high))
			return usage_error(RQ_COMMAND,
					   "--gain %s: expected percent, for instance 2-10",
					   optarg);
		return 0;
	case OPT_BURST:
		if (!rq_parse_counts(optarg, 100000000, o->burst, &o->bursts))
			return usage_error(RQ_COMMAND,
					   "--burst %s: expected numbers of packets up to "
					   "100000000, separated by commas",
					   optarg);
		return 0;
	}
	for (size_t i = 0; i < NUMBERS; i++)
		if (numbers[i].option == option)
			return set_number(o, w, &numbers[i]);
	return EXIT_INTERNAL;
}

/* ---- what belongs together ---- */

static int set_aggregation(struct rq_options *o, const struct wishes *w)
{
	struct cqesim_aggregate_config *c = &o->aggregate;
	struct cqesim_error err = {""};

	o->merge = true;
	if (cqesim_aggregate_defaults(c, w->lro ? CQESIM_AGGREGATE_LRO : CQESIM_AGGREGATE_HW_GRO,
				      w->mtu == NOT_SAID ? 1500 : (uint32_t)w->mtu, &err))
		return usage_error(RQ_COMMAND, "--mtu: %s", err.text);
	if (w->buffer_bytes != NOT_SAID)
		c->buffer_bytes = (uint32_t)w->buffer_bytes;
	if (w->lro)
		c->align_bytes = c->buffer_bytes;
	if (w->header_entries != NOT_SAID)
		c->log_header_entries = 63 - (unsigned)__builtin_clzll(w->header_entries);
	if (w->contexts != NOT_SAID)
		c->contexts = (unsigned)w->contexts;
	if (w->max_bytes != NOT_SAID)
		c->max_bytes = (uint32_t)w->max_bytes;
	if (w->max_segments != NOT_SAID)
		c->max_segments = (unsigned)w->max_segments;
	if (w->min_payload != NOT_SAID)
		c->min_payload = (uint32_t)w->min_payload;
	if (w->timeout_us != NOT_SAID)
		c->timeout_ps = w->timeout_us * (CQESIM_PS_PER_S / 1000000);
	if (w->one_completion)
		c->cqe_per_segment = false;
	if (w->count_bytes)
		c->count_buffers = false;
	return 0;
}

static int check_bursts(const struct rq_options *o)
{
	for (unsigned i = 0; i < o->queues; i++) {
		const struct rq_queue *q = &o->queue[i];

		if ((q->has_ratio || q->has_fit) && !o->bursts)
			return usage_error(RQ_COMMAND, "--%s needs --burst",
					   q->has_fit ? "fit" : "drain-ratio");
		if (o->bursts && !q->has_ratio && !q->has_fit)
			return usage_error(RQ_COMMAND,
					   "--burst: a queue needs --drain-ratio or --fit");
		for (unsigned i = 0; q->has_fit && i < q->fits && i < o->bursts; i++)
			if (q->fit[i] > o->burst[i])
				return usage_error(RQ_COMMAND,
						   "--fit: %llu lost of a burst of %llu packets",
						   (unsigned long long)q->fit[i],
						   (unsigned long long)o->burst[i]);
		if (q->has_fit && q->fits != o->bursts)
			return usage_error(RQ_COMMAND, "--fit names %u losses, --burst %u bursts",
					   q->fits, o->bursts);
	}
	if (o->bursts && !o->queues)
		return usage_error(RQ_COMMAND, "--burst needs a queue: --cyclic or --striding");
	if (o->bursts && (o->packets || o->file_count))
		return usage_error(RQ_COMMAND, "--burst takes neither --packets nor files");
	return 0;
}

static int check_queues(struct rq_options *o, const struct wishes *w)
{
	struct cqesim_error err = {""};

	for (unsigned i = 0; i < o->queues; i++) {
		struct cqesim_rq_layout *l = &o->queue[i].layout;

		if (w->header_entries != NOT_SAID) {
			l->header_entries = (uint32_t)w->header_entries;
			l->header_entry_bytes = 256; /* KRN MLX5E_RX_MAX_HEAD */
		}
		if (cqesim_rq_layout_check(l, &err))
			return usage_error(RQ_COMMAND, "%s", err.text);
		if (!l->striding && o->page_bytes && l->buffer_bytes > o->page_bytes)
			return usage_error(RQ_COMMAND,
					   "--page-bytes: buffers of %u bytes are larger than that",
					   l->buffer_bytes);
	}
	return 0;
}

static int check_together(struct rq_options *o, const struct wishes *w)
{
	int rc;

	if (w->packets && o->file_count)
		return usage_error(RQ_COMMAND, "--packets or files, not both");
	if (w->gro && w->lro)
		return usage_error(RQ_COMMAND, "--hw-gro or --lro, not both");
	if ((w->gro || w->lro) && (o->queues || o->bursts))
		return usage_error(RQ_COMMAND, "--hw-gro and --lro take no queue and no --burst");
	if ((w->gro || w->lro) && !w->packets && !o->file_count)
		return usage_error(RQ_COMMAND, "--hw-gro and --lro need --packets or a file");
	rc = check_bursts(o);
	if (!rc && !o->queues && !w->packets && !o->file_count)
		rc = usage_error(RQ_COMMAND, "expected a queue (--cyclic, --striding), --hw-gro or "
					     "--lro, or a file");
	if (!rc)
		rc = check_queues(o, w);
	if (!rc && (w->gro || w->lro))
		rc = set_aggregation(o, w);
	return rc;
}

int rq_options(int argc, char **argv, struct rq_options *o, bool *help)
{
	struct wishes w = {
		.mtu = NOT_SAID,
		.buffer_bytes = NOT_SAID,
		.header_entries = NOT_SAID,
		.contexts = NOT_SAID,
		.max_bytes = NOT_SAID,
		.max_segments = NOT_SAID,
		.min_payload = NOT_SAID,
		.timeout_us = NOT_SAID,
	};
	struct cqesim_error err = {""};
	int c, rc = 0;

	*help = false;
	*o = (struct rq_options){
		.pool_cache = 1024,
		.burst_bytes = 60,
		.rounding = 1024,
		.ddio_share = 0.1,
		.ring_queues = 1,
		.header_bytes = 66,
		.flows = 1,
	};
	opterr = 0;
	optind = 1;
	while (!rc && (c = getopt_long(argc, argv, ":h", rq_long_options, NULL)) != -1) {
		if (c == 'h') {
			*help = true;
			return 0;
		}
		rc = c == '?' || c == ':' ? bad_option(RQ_COMMAND, argv, c) : set_option(o, &w, c);
	}
	if (rc)
		return rc;
	o->files = (const char *const *)argv + optind;
	o->file_count = (unsigned)(argc - optind);
	if (w.packets && rq_parse_packets(w.packets, w.gro || w.lro, &o->packet, &o->packets, &err))
		return usage_error(RQ_COMMAND, "--packets %s", err.text);
	/* A list is cut here, a capture by the trace. */
	if (o->trace.limit && o->packets > o->trace.limit)
		o->packets = (size_t)o->trace.limit;
	if (!o->trace.limit && o->file_count && o->queues)
		o->trace.limit = 40;
	return check_together(o, &w);
}
