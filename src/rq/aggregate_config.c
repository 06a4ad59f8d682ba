/* SPDX-License-Identifier: BSD-3-Clause */
/* Hardware GRO and LRO: what can be set, and what ends a session in words.  See aggregate.h. */
#include <errno.h>

#include "cqesim/aggregate.h"

static const struct {
	const char *name, *words;
} flush_text[CQESIM_FLUSHES] = {
	[CQESIM_FLUSH_FLAGS] = {"flags", "its last segment has PSH or FIN"},
	[CQESIM_FLUSH_CONTROL] = {"control", "a segment with SYN, RST, URG (LRO: FIN) came"},
	[CQESIM_FLUSH_EMPTY] = {"empty", "a segment without payload came"},
	[CQESIM_FLUSH_SEQUENCE] = {"sequence", "the flow went on with another sequence number"},
	[CQESIM_FLUSH_HEADER] = {"header", "the flow went on with other header fields"},
	[CQESIM_FLUSH_LENGTH] = {"length", "a segment of another length"},
	[CQESIM_FLUSH_SHORT] = {"short", "a segment too short to be joined came"},
	[CQESIM_FLUSH_SIZE] = {"size", "one more segment would have been too many bytes"},
	[CQESIM_FLUSH_SEGMENTS] = {"segments", "as many segments as a session may have"},
	[CQESIM_FLUSH_ENTRIES] = {"entries", "no free header entry"},
	[CQESIM_FLUSH_OTHER_FLOW] = {"other_flow", "another flow came and no context was free"},
	[CQESIM_FLUSH_TIMEOUT] = {"timeout", "time-out"},
	[CQESIM_FLUSH_STOP] = {"stop", "end of the packets"},
	[CQESIM_FLUSH_ALONE] = {"alone", "cannot be joined"},
};

const char *cqesim_flush_name(enum cqesim_flush flush)
{
	return (unsigned)flush < CQESIM_FLUSHES ? flush_text[flush].name : "unknown";
}

const char *cqesim_flush_words(enum cqesim_flush flush)
{
	return (unsigned)flush < CQESIM_FLUSHES ? flush_text[flush].words : "unknown";
}

/* ---- configuration ---- */

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

static unsigned log2_up(uint32_t n)
{
	return n <= 1 ? 0 : 32 - (unsigned)__builtin_clz(n - 1);
}

int cqesim_aggregate_defaults(struct cqesim_aggregate_config *config,
			      enum cqesim_aggregate_kind kind, uint32_t mtu,
			      struct cqesim_error *err)
{
	bool gro = kind == CQESIM_AGGREGATE_HW_GRO;

	if (mtu < 68 || mtu > 65535)
		return cqesim_fail(err, -EINVAL, "MTU %u: expected 68 to 65535", mtu);
	*config = (struct cqesim_aggregate_config){
		.kind = kind,
		.contexts = gro ? 1 : 32,
		.max_bytes = gro ? 65536 : 255 * 256,
		.count_buffers = gro,
		.max_segments = gro ? 1u << log2_up((65536 + mtu - 1) / mtu) : 255,
		.timeout_ps = (gro ? 1024 : 32) * (CQESIM_PS_PER_S / 1000000),
		.min_payload = gro ? 1 : CQESIM_LRO_MIN_PAYLOAD,
		.exact = gro,
		.header_split = gro,
		.header_entry_bytes = 256,
		.buffer_bytes = gro ? 4096 : 65536,
		.align_bytes = gro ? 64 : 65536,
		.cqe_per_segment = gro,
	};
	/* KRN: WQEs of 256 KiB hold four reservations; a ring of 1024 packets of 1500 is 8 WQEs. */
	config->log_header_entries = gro ? log2_up(config->max_segments * 4 * 8) : 0;
	return 0;
}

static int check(const struct cqesim_aggregate_config *c, struct cqesim_error *err)
{
	if (!c->contexts || c->contexts > CQESIM_AGGREGATE_CONTEXTS_MAX)
		return cqesim_fail(err, -EINVAL, "contexts %u: expected 1 to %u", c->contexts,
				   CQESIM_AGGREGATE_CONTEXTS_MAX);
	if (!c->max_segments || c->max_segments > 65535)
		return cqesim_fail(err, -EINVAL, "segments per session %u: expected 1 to 65535",
				   c->max_segments);
	if (!c->max_bytes || c->max_bytes > (1u << 24))
		return cqesim_fail(err, -EINVAL, "bytes per session %u: expected 1 to 16 MiB",
				   c->max_bytes);
	if (!power_of_two(c->buffer_bytes) || c->buffer_bytes > (1u << 24))
		return cqesim_fail(err, -EINVAL,
				   "data buffers of %u bytes: expected a power of two to 16 MiB",
				   c->buffer_bytes);
	if (!power_of_two(c->align_bytes) || c->align_bytes > c->buffer_bytes)
		return cqesim_fail(err, -EINVAL,
				   "sessions at multiples of %u bytes: expected a power of two up "
				   "to the buffers' %u",
				   c->align_bytes, c->buffer_bytes);
	if (c->header_split && (c->log_header_entries > 20 || !c->header_entry_bytes))
		return cqesim_fail(err, -EINVAL,
				   "header entries: expected up to 2^20 of at least a byte");
	return 0;
}

int cqesim_aggregate_init(struct cqesim_aggregate *a, const struct cqesim_aggregate_config *config,
			  cqesim_session_done done, void *done_context, struct cqesim_error *err)
{
	int rc = check(config, err);

	if (rc)
		return rc;
	*a = (struct cqesim_aggregate){
		.config = *config,
		.done = done,
		.done_context = done_context,
	};
	return 0;
}
