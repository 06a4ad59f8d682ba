/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decoder of rings with mbufs for a sink: see mbuf.h for what is filled and
 * PMD rxq_cq_to_mbuf for what it is modelled on.  The sink is compiled three
 * times: with all that can be asked for, and lean, with and without marks, for a
 * queue without time stamps and metadata that does as the vector functions do
 * (they are what such a queue gets).
 */
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>

#include "cq/read.h"
#include "cqesim/mbuf.h"

#define VLAN_FLAGS (RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED)

enum ask { LEAN, LEAN_MARKS, ALL };

/* What a completion says, from wherever it was read. */
struct facts {
	uint64_t timestamp;
	uint32_t hash, tag, metadata;
	uint16_t vlan;
	uint8_t pkt_info, hds_ip_ext, hdr_type, segments;
};

/* What an mbuf is to say but for its lengths. */
struct pattern {
	uint64_t flags; /* without the RSS flag that a hash brings */
	uint64_t timestamp;
	uint32_t type, hash, mark, metadata;
	uint16_t vlan;
	uint8_t pkt_info;
	uint8_t segments; /* joined by LRO, if that is to be told */
	bool marked, timed;
};
_Static_assert(sizeof(struct pattern) <= 64, "the decoder's room for it");

CQ_INLINE struct facts cqe_facts(const uint8_t *cqe)
{
	return (struct facts){
		.timestamp = cqesim_cqe_get_timestamp(cqe),
		.hash = cqesim_cqe_get_rx_hash_res(cqe),
		.tag = cqesim_cqe_get_flow_tag(cqe),
		.metadata = cqesim_cqe_get_flow_table_metadata(cqe),
		.vlan = cqesim_cqe_get_vlan_info(cqe),
		.pkt_info = cqesim_cqe_get_pkt_info(cqe),
		.hds_ip_ext = cqesim_cqe_get_hds_ip_ext(cqe),
		.hdr_type = cqesim_cqe_get_l4_l3_hdr_type(cqe),
		.segments = cqesim_cqe_get_lro_num_seg(cqe),
	};
}

static struct facts completion_facts(const struct cqesim_completion *c)
{
	return (struct facts){
		.timestamp = c->timestamp,
		.hash = c->meta.rx_hash_res,
		.tag = c->meta.flow_tag,
		.metadata = c->flow_table_metadata,
		.vlan = c->meta.vlan_info,
		.pkt_info = c->meta.pkt_info,
		.hds_ip_ext = c->meta.hds_ip_ext,
		.hdr_type = c->meta.l4_l3_hdr_type,
		.segments = c->lro_num_seg,
	};
}

/* ---- the parts of a pattern ---- */

CQ_INLINE uint32_t type_of(const struct cqesim_mbuf_rx *rx, uint8_t pkt_info, uint8_t hdr_type)
{
	return rx->types[(pkt_info & 3) << 6 | hdr_type >> 2];
}

/*
 * The tag's bytes are the mark's in the opposite order, plus one (PMD
 * mlx5_flow_mark_get); 0 is no mark, all ones a FLAG without a number.
 */
#define TAG_FLAG 0xffffffu

static inline uint64_t mark_flags(const struct cqesim_mbuf_rx *rx, uint32_t tag, bool numbered)
{
	if (!tag)
		return 0;
	return RTE_MBUF_F_RX_FDIR | (numbered || tag != TAG_FLAG ? rx->config.mark_flags : 0);
}

static inline void set_mark(const struct cqesim_mbuf_rx *rx, uint32_t tag, uint64_t flags,
			    struct pattern *p)
{
	p->flags |= flags;
	p->marked = flags & rx->config.mark_flags;
	p->mark = (__builtin_bswap32(tag) >> 8) - 1;
}

static inline uint64_t time_of(const struct cqesim_mbuf_rx *rx, uint64_t timestamp)
{
	if (!rx->config.real_time)
		return timestamp;
	/* PMD mlx5_txpp_convert_rx_ts: seconds, nanoseconds. */
	return (timestamp & UINT32_MAX) + (timestamp >> 32) * UINT64_C(1000000000);
}

CQ_INLINE void describe(const struct cqesim_mbuf_rx *rx, const struct facts *x, struct pattern *p,
			enum ask ask)
{
	p->type = type_of(rx, x->pkt_info, x->hdr_type);
	p->flags = rx->flags[(x->hdr_type & CQESIM_HDR_VLAN_STRIPPED) |
			     (x->hds_ip_ext & (CQESIM_L3_OK | CQESIM_L4_OK))];
	p->hash = x->hash;
	p->vlan = x->vlan;
	p->pkt_info = x->pkt_info;
	p->marked = false;
	p->mark = 0;
	if (ask == LEAN_MARKS || (ask == ALL && rx->config.mark))
		set_mark(rx, x->tag, mark_flags(rx, x->tag, false), p);
	if (ask != ALL)
		return;
	p->timed = rx->config.timestamp;
	p->timestamp = p->timed ? time_of(rx, x->timestamp) : 0;
	p->metadata = rx->config.metadata ? x->metadata & rx->config.metadata_mask : 0;
	if (p->metadata)
		p->flags |= rx->config.metadata_flag;
	p->segments = rx->config.path & CQESIM_MBUF_VEC_LRO ? 0 : x->segments;
}

/* What a session's packets have not got from its title. */
CQ_INLINE void describe_title(const struct cqesim_mbuf_rx *rx, enum cqesim_mini_format format,
			      struct pattern *p, enum ask ask)
{
	if (format != CQESIM_MINI_HASH && rx->config.path & CQESIM_MBUF_VEC_NO_HASH) {
		p->flags &= ~RTE_MBUF_F_RX_RSS_HASH;
		p->hash = 0;
	}
	if (ask != ALL)
		return;
	if (format == CQESIM_MINI_L34H_STRIDX)
		p->flags &= ~VLAN_FLAGS;
	if (format == CQESIM_MINI_FTAG_STRIDX && rx->config.mark)
		p->flags &= ~(RTE_MBUF_F_RX_FDIR | rx->config.mark_flags);
}

/* ---- an mbuf ---- */

/* packet_type, pkt_len, data_len, vlan_tci and hash.rss lie in 16 bytes one after the other. */
#define TYPE_OFFSET offsetof(struct rte_mbuf, packet_type)
_Static_assert(offsetof(struct rte_mbuf, pkt_len) == TYPE_OFFSET + 4 &&
		       offsetof(struct rte_mbuf, data_len) == TYPE_OFFSET + 8 &&
		       offsetof(struct rte_mbuf, vlan_tci) == TYPE_OFFSET + 10 &&
		       offsetof(struct rte_mbuf, hash.rss) == TYPE_OFFSET + 12,
	       "struct rte_mbuf");

CQ_INLINE void put(struct rte_mbuf *m, uint32_t type, uint32_t length, uint16_t vlan, uint32_t hash)
{
	const uint64_t words[2] = {
		type | (uint64_t)length << 32,
		(uint16_t)length | (uint64_t)vlan << 16 | (uint64_t)hash << 32,
	};

	memcpy((uint8_t *)m + TYPE_OFFSET, words, sizeof(words));
}

static __attribute__((cold, noinline)) void put_no_packet(const struct cqesim_mbuf_rx *rx,
							  struct rte_mbuf *m)
{
	m->ol_flags =
		rx->config.path & CQESIM_MBUF_VEC_FLAGS ? 0 : m->ol_flags & RTE_MBUF_F_EXTERNAL;
	put(m, CQESIM_MBUF_NO_PACKET, 0, 0, 0);
}

CQ_INLINE void put_packet(const struct cqesim_mbuf_rx *rx, const struct pattern *p, uint32_t length,
			  uint32_t hash, struct rte_mbuf *m, enum ask ask)
{
	uint64_t flags = p->flags;

	if (ask != ALL) {
		length &= 0xffff;
		length = length > rx->crc ? length - rx->crc : 0;
		m->ol_flags = flags;
		put(m, p->type, length, p->vlan, hash);
		if (ask == LEAN_MARKS && p->marked)
			m->hash.fdir.hi = p->mark;
		return;
	}
	length &= rx->length_mask;
	length = length > rx->crc ? length - rx->crc : 0;
	if (hash)
		flags |= rx->hash_flags;
	if (!(rx->config.path & CQESIM_MBUF_VEC_FLAGS))
		flags |= m->ol_flags & RTE_MBUF_F_EXTERNAL;
	if (p->segments > 1) {
		flags |= RTE_MBUF_F_RX_LRO;
		m->tso_segsz = (uint16_t)(length / p->segments);
	}
	m->ol_flags = flags;
	put(m, p->type, length, p->vlan, hash);
	if (p->marked)
		m->hash.fdir.hi = p->mark;
	if (p->timed)
		*RTE_MBUF_DYNFIELD(m, rx->config.timestamp_offset, uint64_t *) = p->timestamp;
	if (p->metadata)
		*RTE_MBUF_DYNFIELD(m, rx->config.metadata_offset, uint32_t *) = p->metadata;
}

/* ---- the vector functions' own ways with a session ---- */

/*
 * Flags by place of four, made from all four minis when the first of them is
 * read.  In the enhanced layout mlx5_rx_burst_vec decodes arrays that follow each
 * other in one go, up to the ring's end, and starts anew after that only.
 */
static void keep(struct cqesim_mbuf_rx *rx, const struct cqesim_cq_reader *r, uint32_t i)
{
	const uint8_t *four = cq_mini_at(r, i);

	if (i == 0) {
		if (r->layout == CQESIM_CQ_BASIC || r->log_stride || !rx->run || !(r->ci & r->mask))
			memset(rx->kept, 0, sizeof(rx->kept));
		rx->run = true;
	}
	for (unsigned place = 0; place < 4; place++) {
		bool reverse = r->format == CQESIM_MINI_L34H_STRIDX;
		struct cqesim_mini mini;

		cqesim_mini_decode(r->format,
				   four + (reverse ? 3 - place : place) * CQESIM_MINI_BYTES, &mini);
		if (reverse && mini.l4_l3_hdr_type & CQESIM_HDR_VLAN_STRIPPED)
			rx->kept[place] |= rx->flags[CQESIM_HDR_VLAN_STRIPPED] & VLAN_FLAGS;
		else if (!reverse)
			rx->kept[place] |= mark_flags(
				rx, mini.flow_tag, rx->config.path & CQESIM_MBUF_VEC_FTAG_DEFAULT);
	}
}

/* ---- what minis change ---- */

static inline void l34h_packet(const struct cqesim_mbuf_rx *rx, uint8_t hdr_type, uint8_t pkt_info,
			       struct pattern *p)
{
	p->type = type_of(rx, pkt_info, hdr_type);
	if (rx->config.path & CQESIM_MBUF_VEC_L34H_TUNNEL)
		p->type &= ~rx->config.tunnel;
	if (hdr_type & CQESIM_HDR_VLAN_STRIPPED)
		p->flags |= rx->flags[CQESIM_HDR_VLAN_STRIPPED] & VLAN_FLAGS;
}

static inline void ftag_packet(const struct cqesim_mbuf_rx *rx, uint32_t tag, struct pattern *p)
{
	if (rx->config.mark)
		set_mark(rx, tag,
			 mark_flags(rx, tag, rx->config.path & CQESIM_MBUF_VEC_FTAG_DEFAULT), p);
}

/* The last of it: what is the same wherever the packet was read. */
static inline void end_session_packet(const struct cqesim_mbuf_rx *rx,
				      enum cqesim_mini_format format, bool enhanced, uint32_t i,
				      struct pattern *p)
{
	if (format != CQESIM_MINI_HASH && rx->config.path & CQESIM_MBUF_VEC_FLAGS)
		p->flags = (uint64_t)(int64_t)(int32_t)p->flags;
	if (rx->config.path & CQESIM_MBUF_VEC_TIMESTAMP && (enhanced || i))
		p->timed = false;
}

static void session_packet(struct cqesim_mbuf_rx *rx, const struct cqesim_cq_reader *r,
			   enum cqesim_mini_format format, const struct cqesim_mini *mini,
			   uint32_t i, struct pattern *p)
{
	bool enhanced = r->layout == CQESIM_CQ_ENHANCED;
	unsigned path = rx->config.path;

	if (format == CQESIM_MINI_L34H_STRIDX) {
		uint8_t pkt_info = enhanced && path & CQESIM_MBUF_VEC_L34H_INFO ? *cq_mini_at(r, 0)
										: p->pkt_info;
		l34h_packet(rx, mini->l4_l3_hdr_type, pkt_info, p);
		if (path & CQESIM_MBUF_VEC_L34H_VLAN) {
			if (i % 4 == 0)
				keep(rx, r, i);
			p->flags = (p->flags & ~VLAN_FLAGS) | rx->kept[i % 4];
		}
	} else if (format == CQESIM_MINI_FTAG_STRIDX) {
		ftag_packet(rx, mini->flow_tag, p);
		if (rx->config.mark && path & CQESIM_MBUF_VEC_FTAG_KEPT) {
			if (i % 4 == 0)
				keep(rx, r, i);
			p->flags |= rx->kept[i % 4];
			p->marked = p->flags & rx->config.mark_flags;
		}
	}
	end_session_packet(rx, format, enhanced, i, p);
}

/* ---- the sink ---- */

CQ_INLINE void plain(const struct cqesim_cq_reader *r, struct cqesim_mbuf_rx *rx,
		     const uint8_t *cqe, void *result, enum ask ask)
{
	struct rte_mbuf *m = *(struct rte_mbuf **)result;
	uint32_t byte_cnt = cqesim_cqe_get_byte_cnt(cqe);
	struct facts x = cqe_facts(cqe);
	struct pattern p;

	if (ask == ALL)
		rx->run = false;
	if (cq_error_opcode(cqe[CQESIM_OP_OWN_BYTE] >> 4) || cq_filler(byte_cnt, r->log_stride)) {
		put_no_packet(rx, m);
		return;
	}
	describe(rx, &x, &p, ask);
	put_packet(rx, &p, cq_length(byte_cnt, r->log_stride), p.hash, m, ask);
}

CQ_INLINE void title(const struct cqesim_cq_reader *r, const struct cqesim_mbuf_rx *rx,
		     const uint8_t *cqe, struct pattern *p, enum ask ask)
{
	struct facts x = cqe_facts(cqe);

	describe(rx, &x, p, ask);
	describe_title(rx, r->format, p, ask);
}

CQ_INLINE void mini(const struct cqesim_cq_reader *r, struct cqesim_mbuf_rx *rx,
		    const struct pattern *title_says, enum cqesim_mini_format format,
		    const struct cq_mini *m, void *result, enum ask ask)
{
	struct rte_mbuf *mbuf = *(struct rte_mbuf **)result;
	uint32_t hash = format == CQESIM_MINI_HASH ? m->mini.rx_hash_res : title_says->hash;
	struct pattern p = *title_says;

	if (ask == ALL && (format != CQESIM_MINI_HASH || p.timed))
		session_packet(rx, r, format, &m->mini, m->i, &p);
	if (m->filler) {
		put_no_packet(rx, mbuf);
		return;
	}
	put_packet(rx, &p, m->length, hash, mbuf, ask);
}

/* A poll function of its own for each of enum ask, with a sink in which that is a constant. */
#define POLL(name, ask)                                                                            \
	CQ_INLINE void name##_plain(const struct cqesim_cq_reader *r, void *context,               \
				    const uint8_t *cqe, uint32_t index, void *result)              \
	{                                                                                          \
		(void)index;                                                                       \
		plain(r, context, cqe, result, ask);                                               \
	}                                                                                          \
	CQ_INLINE void name##_title(const struct cqesim_cq_reader *r, void *context,               \
				    const uint8_t *cqe, void *pattern)                             \
	{                                                                                          \
		title(r, context, cqe, pattern, ask);                                              \
	}                                                                                          \
	CQ_INLINE void name##_mini(const struct cqesim_cq_reader *r, void *context,                \
				   const void *pattern, enum cqesim_mini_format format,            \
				   const struct cq_mini *m, void *result)                          \
	{                                                                                          \
		mini(r, context, pattern, format, m, result, ask);                                 \
	}                                                                                          \
	static __attribute__((noinline)) int name(                                                 \
		struct cqesim_mbuf_rx *rx, struct cqesim_cq_reader *r, struct rte_mbuf **mbufs,    \
		unsigned max, struct cqesim_cq_fault *fault)                                       \
	{                                                                                          \
		static const struct cq_sink sink = {                                               \
			.bytes = sizeof(struct rte_mbuf *),                                        \
			.plain = name##_plain,                                                     \
			.title = name##_title,                                                     \
			.mini = name##_mini,                                                       \
		};                                                                                 \
		return cq_read(r, &sink, rx, mbufs, max, fault);                                   \
	}

POLL(poll_lean, LEAN)
POLL(poll_lean_marks, LEAN_MARKS)
POLL(poll_all, ALL)

int cqesim_mbuf_poll(struct cqesim_mbuf_rx *rx, struct cqesim_cq_reader *r, struct rte_mbuf **mbufs,
		     unsigned max, struct cqesim_cq_fault *fault)
{
	/* Marks and types of minis are for poll_all, with all the ways that there are. */
	bool own = r->format == CQESIM_MINI_L34H_STRIDX ||
		   (r->format == CQESIM_MINI_FTAG_STRIDX && rx->config.mark);

	if (rx->lean && !own)
		return rx->config.mark ? poll_lean_marks(rx, r, mbufs, max, fault)
				       : poll_lean(rx, r, mbufs, max, fault);
	int got = poll_all(rx, r, mbufs, max, fault);
	if (got >= 0 && (unsigned)got < max)
		rx->run = false;
	return got;
}

void cqesim_mbuf_fill(const struct cqesim_mbuf_rx *rx, enum cqesim_mini_format format,
		      const struct cqesim_completion *c, struct rte_mbuf *mbuf)
{
	struct facts x = completion_facts(c);
	struct pattern p;

	if (cq_error_opcode(c->opcode) || c->filler) {
		put_no_packet(rx, mbuf);
		return;
	}
	describe(rx, &x, &p, ALL);
	if (c->session_n) {
		/* Format 3 is in the title (basic) or in the array (enhanced). */
		bool enhanced = c->format != CQESIM_FORMAT_COMPRESSED;

		describe_title(rx, format, &p, ALL);
		if (format == CQESIM_MINI_L34H_STRIDX)
			l34h_packet(rx, x.hdr_type, x.pkt_info, &p);
		else if (format == CQESIM_MINI_FTAG_STRIDX)
			ftag_packet(rx, x.tag, &p);
		end_session_packet(rx, format, enhanced, c->session_i, &p);
	}
	put_packet(rx, &p, c->meta.byte_cnt, p.hash, mbuf, ALL);
}
