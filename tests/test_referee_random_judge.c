/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does the driver say of a ring what our reader says?  From a completion
 * follows, by hand, what a packet buffer must hold; then come the differences
 * that are the driver's own (test_referee_random_exceptions.c), and nothing else
 * may differ.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "test_referee_random_judge.h"

/* ---- what follows from a completion ---- */

/* rte_mbuf_ptype.h, from the header types of a CQE. */
static uint32_t packet_type(uint8_t pkt_info, uint8_t hdr)
{
	static const uint32_t l3[4] = {0, 0xe0, 0x90, 0}; /* IPV6_EXT_UNKNOWN, IPV4_EXT_UNKNOWN */
	static const uint32_t inner_l3[4] = {0, 0x600000, 0x400000, 0};
	static const uint32_t l4[8] = {0x600, 0x100, 0x200, 0x100, 0x100}; /* NONFRAG, TCP, UDP */
	unsigned ip = hdr >> 2 & 3;
	uint32_t transport = ip ? (hdr & 0x80 ? 0x300 : l4[hdr >> 4 & 7]) : 0;

	if (pkt_info & 1)
		return 1 | (pkt_info & 2 ? l3[1] : l3[2]) | inner_l3[ip] | transport << 16;
	return 1 | l3[ip] | transport;
}

bool judge_attached(const struct ring_config *g, const struct cqesim_completion *c, uint32_t length)
{
	/* PMD mprq_buf_to_pkt: not if short, or if the next packet would have no headroom. */
	return g->log_strides && length > g->memcpy_len &&
	       length + HEADROOM <= (uint32_t)c->strides << g->shape.log_stride;
}

uint32_t judge_length(const struct ring_config *g, const struct cqesim_completion *c)
{
	return c->meta.byte_cnt - (g->crc ? 4 : 0);
}

void judge_set_mark(struct referee_record *r, uint32_t tag)
{
	/* README: the tag's three bytes the other way round, less one. */
	r->ol_flags |= RX_FDIR | RX_FDIR_ID;
	r->valid |= VALID_MARK;
	r->mark = ((tag & 0xff) << 16 | (tag & 0xff00) | tag >> 16) - 1;
}

void judge_set_vlan(struct referee_record *r, const struct cqesim_completion *c, bool stripped)
{
	r->ol_flags &= ~(RX_VLAN | RX_VLAN_STRIPPED);
	r->valid &= (uint16_t)~VALID_VLAN;
	r->vlan = 0;
	if (stripped) {
		r->ol_flags |= RX_VLAN | RX_VLAN_STRIPPED;
		r->valid |= VALID_VLAN;
		r->vlan = c->meta.vlan_info;
	}
}

uint64_t judge_checksum_flags(const struct cqesim_completion *c)
{
	return (c->meta.hds_ip_ext & 2 ? RX_IP_GOOD : 0) |
	       (c->meta.hds_ip_ext & 4 ? RX_L4_GOOD : 0);
}

/* What a packet buffer holds for a completion, with this queue's offloads. */
static struct referee_record fill(const struct ring_config *g, const struct cqesim_completion *c)
{
	struct referee_record r = {
		.length = judge_length(g, c),
		.ptype = packet_type(c->meta.pkt_info, c->meta.l4_l3_hdr_type),
	};

	if (g->csum)
		r.ol_flags |= judge_checksum_flags(c);
	if (g->rss && c->meta.rx_hash_res) {
		r.ol_flags |= RX_RSS_HASH;
		r.valid |= VALID_RSS;
		r.rss = c->meta.rx_hash_res;
	}
	if (g->mark && c->meta.flow_tag == 0xffffff)
		r.ol_flags |= RX_FDIR; /* a rule without a mark */
	else if (g->mark && c->meta.flow_tag)
		judge_set_mark(&r, c->meta.flow_tag);
	judge_set_vlan(&r, c, g->vlan_strip && c->meta.l4_l3_hdr_type & 1);
	if (g->timestamp) {
		r.ol_flags |= RX_TIMESTAMP;
		r.valid |= VALID_TIMESTAMP;
		r.timestamp = c->timestamp;
	}
	if (judge_attached(g, c, r.length)) {
		r.ol_flags |= EXTERNAL;
		r.valid |= VALID_ATTACHED;
	}
	return r;
}

/* ---- packet by packet ---- */

/* Does the driver return anything for it? */
static bool is_packet(const struct judge *j, const struct cqesim_completion *c, enum ring_fate fate)
{
	bool critical = c->syndrome == 2 || c->syndrome == 4 || c->syndrome == 5;

	if (fate == RING_LOST || c->filler)
		return false;
	return c->opcode != CQESIM_OP_RESP_ERR || (j->g->path == RING_MPRQ && !critical);
}

/* Where the packet's data lies: the descriptor is counted by strides, as a driver does. */
static void set_place(const struct ring_config *g, const struct cqesim_completion *c,
		      uint64_t strides, struct referee_record *r)
{
	/* The referee reads it from the first four bytes of the data. */
	if (!g->log_strides || r->length < 4)
		return;
	r->valid |= VALID_STRIDE;
	r->stride = c->wqe_counter & ((1u << g->log_strides) - 1);
	r->descriptor = (uint16_t)(strides >> g->log_strides & ((1u << g->log_elts) - 1));
}

static int describe(char *text, size_t size, const char *who, const struct referee_record *r)
{
	return snprintf(text, size,
			"%s: length %u, type %#x, flags %#" PRIx64
			", hash %#x, mark %#x, VLAN %#x, "
			"time %" PRIu64 ", stride %u of descriptor %u, valid %#x",
			who, r->length, r->ptype, r->ol_flags, r->rss, r->mark, r->vlan,
			r->timestamp, r->stride, r->descriptor, r->valid);
}

static void differ(const struct cqesim_completion *c, size_t i, const struct referee_record *said,
		   const struct referee_record *want, char *text, size_t size)
{
	int n = snprintf(text, size, "completion %zu (index %u, %u of %u, opcode %u): ", i,
			 c->index, c->session_i, c->session_n, c->opcode);

	n += describe(text + n, size - (size_t)n, "driver", said);
	n += snprintf(text + n, size - (size_t)n, "; ");
	describe(text + n, size - (size_t)n, "reader", want);
}

static bool judge_packets(struct judge *j, uint64_t *count, char *text, size_t size)
{
	const struct referee_case *k = j->c;
	uint64_t strides = 0;
	size_t packet = 0;

	for (size_t i = 0; i < k->count; i++) {
		const struct cqesim_completion *c = &k->got[i];
		bool lost = k->fate[i] == RING_LOST;

		if (lost) {
			count[CRITICAL_DROP] += judge_about(CRITICAL_DROP, j->g);
			strides = 0; /* the queue starts afresh */
		}
		if (is_packet(j, c, (enum ring_fate)k->fate[i])) {
			struct referee_record want = fill(j->g, c);
			const struct referee_record *said = &k->records[packet];

			if (packet == k->record_count) {
				snprintf(text, size, "completion %zu of %zu (index %u) is missing",
					 i, k->count, c->index);
				return false;
			}
			want.number = packet++;
			set_place(j->g, c, strides, &want);
			for (unsigned e = PER_PACKET; e < referee_exceptions; e++)
				if (judge_about(e, j->g) &&
				    referee_exception[e].apply(j, c, said, &want))
					count[e]++;
			if (memcmp(&want, said, sizeof(want))) {
				differ(c, i, said, &want, text, size);
				return false;
			}
		}
		if (!lost)
			strides += c->strides;
		if (!c->session_n && c->opcode != CQESIM_OP_RESP_ERR)
			j->title = c;
	}
	if (packet == k->record_count)
		return true;
	snprintf(text, size, "the driver has %zu packets, we have %zu", k->record_count, packet);
	return false;
}

/* ---- the whole ---- */

/* The ring as it was left: what a driver rewrites, our reader does too. */
static bool judge_rings(const struct judge *j, uint64_t *count, char *text, size_t size)
{
	size_t bytes = cqesim_cq_ring_bytes(&j->g->shape);
	const uint8_t *ours = j->c->ring, *theirs = j->c->driver_ring;
	bool may = judge_about(INVALIDATES, j->g) && j->g->shape.layout == CQESIM_CQ_ENHANCED;

	for (size_t i = 0; i < bytes; i++) {
		if (ours[i] == theirs[i])
			continue;
		if (may && i % 64 == 63 && theirs[i] == 0xf0) {
			count[INVALIDATES]++;
			continue;
		}
		snprintf(text, size, "left in slot %zu, byte %zu: driver %#x, reader %#x", i / 64,
			 i % 64, theirs[i], ours[i]);
		return false;
	}
	return true;
}

static uint64_t errors_counted(const struct judge *j, uint64_t *count)
{
	const struct referee_case *k = j->c;

	if (ring_path_vec(j->g->path))
		return (uint64_t)k->errors + k->criticals;
	count[NOT_COUNTED] += k->errors;
	return count[CRITICAL_DROP]; /* the critical errors themselves among them */
}

static uint32_t index_mask(const struct judge *j, uint64_t *count)
{
	if (j->g->newer)
		return 0xffffff; /* 24 bits, always */
	if (!judge_about(INDEX_16, j->g))
		return UINT32_MAX;
	count[INDEX_16] += j->c->end != j->c->summary->cq_ci;
	return 0xffff;
}

/*
 * Receive descriptors given back: one for each completion since the queue was
 * reset last (ooo goes by wqe_counter), or one for so many strides.  The vector
 * functions give them back in larger lots.
 */
static uint32_t descriptors(const struct judge *j)
{
	uint64_t strides = 0, completions = 0;

	if (ring_path_vec(j->g->path))
		return j->c->summary->rq_ci;
	for (size_t i = 0; i < j->c->count; i++) {
		bool lost = j->c->fate[i] == RING_LOST;

		strides = lost ? 0 : strides + j->c->got[i].strides;
		completions = lost ? 0 : completions + 1;
	}
	if (j->g->log_strides)
		completions = strides >> j->g->log_strides;
	return (uint32_t)completions + (1u << j->g->log_elts);
}

static bool judge_summary(const struct judge *j, uint64_t *count, char *text, size_t size)
{
	const struct referee_summary *s = j->c->summary;
	uint64_t false_external = count[ATTACHED_TITLE];
	uint32_t mask = index_mask(j, count);
	const struct {
		const char *what;
		uint64_t said, want;
	} same[] = {
		{"packets", s->packets, j->c->record_count},
		{"errors", s->errors, errors_counted(j, count)},
		{"queue state changes", s->queue_modifies, 2 * (uint64_t)j->c->criticals},
		{"slots written twice", s->rewrites, 0},
		{"packets without buffer", s->nombuf, 0},
		{"bytes written past the end", s->slack_written, 0},
		{"falsely attached", s->false_external, false_external},
		{"faults", s->fault + s->runaway, 0},
		{"descriptors", s->rq_ci, descriptors(j)},
		{"consumer index", s->cq_ci & mask, j->c->end & mask},
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		if (same[i].said == same[i].want)
			continue;
		snprintf(text, size, "%s: driver %" PRIu64 ", reader %" PRIu64, same[i].what,
			 same[i].said, same[i].want);
		return false;
	}
	return true;
}

/* Arrays that end with the ring, where the driver needs room to look further. */
static uint64_t arrays_at_end(const struct judge *j)
{
	uint32_t mask = (UINT32_C(1) << j->g->shape.log_size) - 1;
	uint64_t n = 0;

	for (size_t i = 0; i < j->c->count; i++) {
		const struct cqesim_completion *c = &j->c->got[i];
		n += c->session_n && !c->session_i && !((c->index + c->session_n) & mask);
	}
	return n;
}

void referee_judge(const struct referee_case *c, uint64_t *total, char *text, size_t size)
{
	struct judge j = {.c = c, .g = c->config};
	uint64_t count[REFEREE_EXCEPTIONS_MAX] = {0};

	*text = '\0';
	if (!judge_packets(&j, count, text, size) || !judge_summary(&j, count, text, size) ||
	    !judge_rings(&j, count, text, size))
		return;
	if (judge_about(PAST_END, j.g) && j.g->shape.layout == CQESIM_CQ_ENHANCED)
		count[PAST_END] = arrays_at_end(&j);
	for (unsigned e = 0; e < referee_exceptions; e++)
		total[e] += count[e];
}
