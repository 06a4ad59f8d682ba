/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The differences between our reader and the driver that are the driver's own,
 * each with a name and as exact as it can be told: when it applies, and what the
 * driver says then.  All are listed in the referee's README.  What that README
 * calls a fault (crashes, lost packets) does not occur: ring_config.c and
 * ring_random.c keep away from it.
 */
#include "test_referee_random_judge.h"

/* ---- the driver's own differences ---- */

#define VEC        (1u << RING_VEC)
#define MPRQ       (1u << RING_MPRQ)
#define MPRQ_VEC   (1u << RING_MPRQ_VEC)
#define SCALAR     (1u << RING_SCALAR | 1u << RING_OOO)
#define VERSION_22 1u
#define VERSION_24 2u
#define EITHER     (VERSION_22 | VERSION_24)

static bool hash_zero_flag(const struct judge *j, const struct cqesim_completion *c,
			   const struct referee_record *said, struct referee_record *want)
{
	(void)said;
	if (!j->g->rss || c->meta.rx_hash_res)
		return false;
	want->ol_flags |= RX_RSS_HASH;
	want->valid |= VALID_RSS;
	return true;
}

static bool no_hash(const struct judge *j, const struct cqesim_completion *c,
		    const struct referee_record *said, struct referee_record *want)
{
	(void)said;
	if (!c->session_n || j->g->shape.format == CQESIM_MINI_HASH ||
	    !(want->ol_flags & RX_RSS_HASH))
		return false;
	want->ol_flags &= ~RX_RSS_HASH;
	want->valid &= (uint16_t)~VALID_RSS;
	want->rss = 0;
	return true;
}

static bool ignores_csum(const struct judge *j, const struct cqesim_completion *c,
			 const struct referee_record *said, struct referee_record *want)
{
	(void)said;
	if (j->g->csum || !judge_checksum_flags(c))
		return false;
	want->ol_flags |= judge_checksum_flags(c);
	return true;
}

static bool ignores_vlan_strip(const struct judge *j, const struct cqesim_completion *c,
			       const struct referee_record *said, struct referee_record *want)
{
	(void)said;
	if (j->g->vlan_strip || !(c->meta.l4_l3_hdr_type & 1))
		return false;
	judge_set_vlan(want, c, true);
	return true;
}

static bool l34h_session(const struct judge *j, const struct cqesim_completion *c)
{
	return c->session_n && j->g->shape.format == CQESIM_MINI_L34H_STRIDX;
}

static bool l34h_never_vlan(const struct judge *j, const struct cqesim_completion *c,
			    const struct referee_record *said, struct referee_record *want)
{
	(void)said;
	if (!l34h_session(j, c) || !(want->ol_flags & RX_VLAN))
		return false;
	judge_set_vlan(want, c, false);
	return true;
}

/* Packet i of c's session. */
static const struct cqesim_completion *mate(const struct cqesim_completion *c, uint32_t i)
{
	return c - c->session_i + i;
}

/* Bits come from packet 3-j of this four and of those before; unused minis are 0 here. */
static bool l34h_vlan_order(const struct judge *j, const struct cqesim_completion *c,
			    const struct referee_record *said, struct referee_record *want)
{
	bool was = want->ol_flags & RX_VLAN, stripped = false;

	(void)said;
	if (!l34h_session(j, c))
		return false;
	for (uint32_t i = 3 - c->session_i % 4; i < c->session_i / 4 * 4 + 4; i += 4)
		if (i < c->session_n)
			stripped |= mate(c, i)->meta.l4_l3_hdr_type & 1;
	judge_set_vlan(want, c, stripped);
	return was != stripped;
}

static bool ftag_session(const struct judge *j, const struct cqesim_completion *c)
{
	return c->session_n && j->g->mark && j->g->shape.format == CQESIM_MINI_FTAG_STRIDX;
}

static bool ftag_sticky_mark(const struct judge *j, const struct cqesim_completion *c,
			     const struct referee_record *said, struct referee_record *want)
{
	bool earlier = false;

	(void)said;
	if (!ftag_session(j, c) || c->meta.flow_tag)
		return false;
	for (uint32_t i = c->session_i % 4; i < c->session_i; i += 4)
		earlier |= mate(c, i)->meta.flow_tag != 0;
	if (earlier)
		judge_set_mark(want, 0);
	return earlier;
}

static bool ftag_default_mark(const struct judge *j, const struct cqesim_completion *c,
			      const struct referee_record *said, struct referee_record *want)
{
	(void)said;
	if (!ftag_session(j, c) || c->meta.flow_tag != 0xffffff)
		return false;
	judge_set_mark(want, 0xffffff);
	return true;
}

static bool session_timestamp(const struct judge *j, const struct cqesim_completion *c,
			      const struct referee_record *said, struct referee_record *want)
{
	bool title = j->g->shape.layout == CQESIM_CQ_BASIC && !c->session_i;

	if (!j->g->timestamp || !c->session_n || title)
		return false;
	want->timestamp = said->timestamp; /* whatever was in memory */
	return true;
}

static bool error_is_packet(const struct judge *j, const struct cqesim_completion *c,
			    const struct referee_record *said, struct referee_record *want)
{
	if (c->opcode != CQESIM_OP_RESP_ERR)
		return false;
	if (j->g->timestamp) /* syndromes, in an error */
		want->timestamp = said->timestamp;
	return true;
}

static bool attached_title(const struct judge *j, const struct cqesim_completion *c,
			   const struct referee_record *said, struct referee_record *want)
{
	(void)said;
	if (!c->session_n || j->g->shape.layout != CQESIM_CQ_ENHANCED ||
	    j->g->shape.format != CQESIM_MINI_HASH || want->ol_flags & EXTERNAL ||
	    !judge_attached(j->g, j->title, judge_length(j->g, j->title)))
		return false;
	want->ol_flags |= EXTERNAL;
	return true;
}

const struct exception referee_exception[] = {
	[CRITICAL_DROP] = {"critical_drop", SCALAR | MPRQ, EITHER, NULL,
			   "after a critical error everything up to the first entry that is not "
			   "software's yet is thrown away"},
	[NOT_COUNTED] = {"error_not_counted", SCALAR | MPRQ, EITHER, NULL,
			 "errors that are not critical are not counted"},
	[INDEX_16] = {"index_16_bits", SCALAR | MPRQ, VERSION_22, NULL,
		      "a session leaves 16 bits of the consumer index"},
	[PAST_END] = {"reads_past_end", VEC, VERSION_24, NULL,
		      "after an array that ends with the ring it looks at the slot that would "
		      "follow"},
	[INVALIDATES] = {"array_invalidated", MPRQ_VEC, VERSION_24, NULL,
			 "op_own of an array's slots becomes 0xf0, which nothing asks for"},
	[ATTACHED_TITLE] = {"mprq_vec_attached_title", MPRQ_VEC, VERSION_24, attached_title,
			    "copied packets of an array get the attached flag of the title"},
	{"vec_hash_zero_flag", VEC | MPRQ_VEC, EITHER, hash_zero_flag,
	 "the RSS flag is set for hash 0"},
	{"vec_no_hash", VEC | MPRQ_VEC, EITHER, no_hash,
	 "sessions in formats without a hash: no hash, where scalar gives the title's"},
	{"vec_ignores_csum", VEC | MPRQ_VEC, EITHER, ignores_csum,
	 "checksum flags even if not asked for"},
	{"vec_ignores_vlan_strip", VEC | MPRQ_VEC, EITHER, ignores_vlan_strip,
	 "the stripped VLAN even if not asked for"},
	{"l34h_never_vlan", SCALAR | MPRQ, VERSION_22, l34h_never_vlan,
	 "the VLAN bit of L34H minis is not seen"},
	{"vec_l34h_vlan_order", VEC | MPRQ_VEC, EITHER, l34h_vlan_order,
	 "VLAN bits of each four L34H minis in reverse order, never cleared in the session"},
	{"vec_ftag_sticky_mark", VEC | MPRQ_VEC, EITHER, ftag_sticky_mark,
	 "a mark for tag 0 if the packet in the same place of an earlier four had one"},
	{"vec_ftag_default_mark", VEC | MPRQ_VEC, EITHER, ftag_default_mark,
	 "tag 0xffffff taken for a mark"},
	{"vec_session_timestamp", VEC | MPRQ_VEC, EITHER, session_timestamp,
	 "old memory for a time stamp, in sessions but for the title"},
	{"mprq_error_is_packet", MPRQ, EITHER, error_is_packet,
	 "a packet of the entry's length for an error that is not critical"},
};
#define COUNT (sizeof(referee_exception) / sizeof(referee_exception[0]))
const unsigned referee_exceptions = COUNT;
_Static_assert(COUNT <= REFEREE_EXCEPTIONS_MAX, "table size");

const char *referee_exception_name(unsigned i)
{
	return referee_exception[i].name;
}

bool judge_about(unsigned i, const struct ring_config *g)
{
	return referee_exception[i].paths >> g->path & 1 &&
	       referee_exception[i].versions & (g->newer ? VERSION_24 : VERSION_22);
}
