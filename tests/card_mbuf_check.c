/* SPDX-License-Identifier: BSD-3-Clause */
/* Each mbuf against what was sent. */
#include <inttypes.h>
#include <zlib.h>

#include <rte_mbuf_dyn.h>

#include "card_mbuf.h"

#define SAY_MOST 10u

const char *difference_name(unsigned which)
{
	static const char *const name[DIFF_KINDS] = {
		"number", "order", "queue", "length", "data", "hash", "type",    "flags",
		"tci",    "time",  "fcs",   "port",   "mark", "room", "segment", "header",
	};
	return name[which];
}

const char *known_name(unsigned which)
{
	static const char *const name[KNOWN_KINDS] = {
		"scalar_no_rss_flag_for_hash_0",
		"scalar_hash_of_the_title",
		"vector_no_hash_in_session",
		"scalar_l34h_no_packet_type",
		"mprq_external_buffer",
		"l34h_vlan_flags",
		"vector_l34h_tunnel",
		"vector_mark_of_another",
		"lro_tso_segsz_counts_headers",
		"lro_tcp_checksum_ffff_for_0",
		"lro_mprq_buf_len_0",
	};
	return name[which];
}

void differs(struct state *s, enum difference d, unsigned queue, uint64_t number, uint64_t found,
	     uint64_t wanted)
{
	s->differences++;
	s->different[d]++;
	if (s->said++ < SAY_MOST)
		printf("queue %u, packet %" PRIu64 " (kind %u, %u bytes): %s is 0x%" PRIx64
		       ", expected 0x%" PRIx64 "\n",
		       queue, number, s->table.frame[number % NUMBERED_FRAMES].kind,
		       s->table.frame[number % NUMBERED_FRAMES].len, difference_name(d), found,
		       wanted);
}

/* Which frame is it?  Usually the one after the last of its queue. */
static bool number_of(const struct state *s, const struct rte_mbuf *m, unsigned queue,
		      uint64_t *number)
{
	uint8_t copy[NUMBERED_BYTES];
	uint32_t at = s->expected[s->next[queue] % NUMBERED_FRAMES].at;
	const uint8_t *bytes = rte_pktmbuf_read(m, at, NUMBERED_BYTES, copy);

	if (bytes && numbered_read(bytes, number) && *number < s->o.packets &&
	    s->expected[*number % NUMBERED_FRAMES].at == at)
		return true;
	for (at = 14; at < 90; at += 2) {
		bytes = rte_pktmbuf_read(m, at, NUMBERED_BYTES, copy);
		if (bytes && numbered_read(bytes, number) && *number < s->o.packets &&
		    s->expected[*number % NUMBERED_FRAMES].at == at)
			return true;
	}
	return false;
}

/* The same bytes, over all segments, from `from` to `to`? */
static bool same(const struct rte_mbuf *m, const uint8_t *bytes, uint32_t from, uint32_t to)
{
	uint32_t begin = 0;

	for (; m && begin < to; begin += m->data_len, m = m->next) {
		uint32_t a = begin > from ? begin : from;
		uint32_t end = begin + m->data_len, b = end < to ? end : to;

		if (a < b &&
		    memcmp(rte_pktmbuf_mtod_offset(m, uint8_t *, a - begin), bytes + a, b - a))
			return false;
	}
	return begin >= to;
}

static void check_length(struct state *s, const struct rte_mbuf *m, unsigned q, uint64_t number,
			 const struct expected *e)
{
	uint32_t sum = 0;
	unsigned segments = 0;

	if (m->pkt_len != e->len && !(m->ol_flags & RTE_MBUF_F_RX_LRO))
		differs(s, DIFF_LENGTH, q, number, m->pkt_len, e->len);
	for (const struct rte_mbuf *seg = m; seg; seg = seg->next, segments++) {
		sum += seg->data_len;
		if (seg->data_off + seg->data_len <= seg->buf_len)
			continue;
		if (!seg->buf_len && m->ol_flags & RTE_MBUF_F_RX_LRO && s->mprq)
			s->known[KNOWN_BUF_LEN]++;
		else
			differs(s, DIFF_ROOM, q, number, seg->data_off + seg->data_len,
				seg->buf_len);
	}
	s->segments += segments;
	if (sum != m->pkt_len || segments != m->nb_segs)
		differs(s, DIFF_LENGTH, q, number, (uint64_t)segments << 32 | sum,
			(uint64_t)m->nb_segs << 32 | m->pkt_len);
}

static void check_data(struct state *s, const struct rte_mbuf *m, unsigned q, uint64_t number,
		       const struct expected *e)
{
	if (lro_is_stream(s, number)) /* more than its number is different each time */
		return;
	if (!same(m, e->bytes, 0, e->at) || !same(m, e->bytes, e->at + NUMBERED_BYTES, e->len))
		differs(s, DIFF_DATA, q, number, 1, 0);
	if (!s->o.keep_crc || m->nb_segs != 1)
		return;
	/* The driver leaves it behind the data and counts it nowhere; of the frame with its tag. */
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	const struct numbered_frame *f = &s->table.frame[number % NUMBERED_FRAMES];
	uint32_t there;

	numbered_write(f->bytes + f->at, number);
	memcpy(&there, data + m->data_len, 4);
	uint32_t fcs = (uint32_t)crc32(0, f->bytes, f->len);
	if (there != fcs)
		differs(s, DIFF_FCS, q, number, there, fcs);
}

/* Is it the hash of a packet shortly before, as a session's title is? */
static bool is_titles(const struct state *s, unsigned q, uint32_t hash)
{
	for (unsigned i = 0; i < TITLES; i++)
		if (s->titles[q][i] == hash)
			return true;
	return false;
}

/* Are hash and RSS flag right, or as the driver is known for? */
static bool hash_as_known(struct state *s, const struct rte_mbuf *m, unsigned q,
			  const struct expected *e)
{
	bool flag = m->ol_flags & RTE_MBUF_F_RX_RSS_HASH;

	s->titles[q][s->title_at[q]++ % TITLES] = e->hash;
	if (flag && m->hash.rss == e->hash)
		return true;
	if (s->scalar && !flag) { /* nothing is said of a hash, since it is 0 */
		if (e->hash && !(s->o.no_hash && is_titles(s, q, 0)))
			return false;
		s->known[KNOWN_NO_RSS_FLAG]++;
		return true;
	}
	if (!s->o.no_hash || (s->scalar ? !is_titles(s, q, m->hash.rss) : flag || m->hash.rss))
		return false;
	s->known[s->scalar ? KNOWN_TITLE_HASH : KNOWN_NO_HASH]++;
	return true;
}

static bool type_as_known(struct state *s, const struct rte_mbuf *m)
{
	if (!s->o.l34h)
		return false;
	if (s->scalar && s->version < L34H_TYPE_FIXED && m->packet_type == RTE_PTYPE_L2_ETHER) {
		s->known[KNOWN_L34H_TYPE]++;
		return true;
	}
	/* The first mini's first byte has bit 0 set where a VLAN was stripped. */
	if (!s->scalar && s->o.enhanced && s->o.vlan_strip &&
	    m->packet_type & RTE_PTYPE_INNER_L3_MASK) {
		s->known[KNOWN_L34H_TUNNEL]++;
		return true;
	}
	return false;
}

/* Are these flags those that the driver is known to get wrong? */
static bool flags_as_known(struct state *s, uint64_t wrong, const struct expected *e)
{
	const uint64_t vlan = RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
	const uint64_t mark = RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID;

	if (s->o.l34h && s->o.vlan_strip && !(wrong & ~vlan) &&
	    (!s->scalar || s->version < L34H_TYPE_FIXED)) {
		s->known[KNOWN_L34H_VLAN]++;
		return true;
	}
	if (!s->scalar && s->o.enhanced && s->o.mark && s->o.no_hash && !e->marked &&
	    wrong == mark) {
		s->known[KNOWN_MARK]++;
		return true;
	}
	return false;
}

static void check_flags(struct state *s, const struct rte_mbuf *m, unsigned q, uint64_t number,
			const struct expected *e)
{
	uint64_t wanted = e->flags | s->time_flag, flags = m->ol_flags & ~RTE_MBUF_F_RX_LRO, wrong;

	if (m->packet_type != e->packet_type && !type_as_known(s, m))
		differs(s, DIFF_TYPE, q, number, m->packet_type, e->packet_type);
	if (s->mprq && flags & RTE_MBUF_F_EXTERNAL) {
		s->known[KNOWN_EXTERNAL]++;
		flags &= ~RTE_MBUF_F_EXTERNAL;
	}
	if (!hash_as_known(s, m, q, e))
		differs(s, DIFF_HASH, q, number, m->hash.rss, e->hash);
	wrong = (flags ^ wanted) & ~RTE_MBUF_F_RX_RSS_HASH; /* that flag went with the hash */
	if (wrong && !flags_as_known(s, wrong, e))
		differs(s, DIFF_FLAGS, q, number, flags, wanted);
	if ((e->flags & flags & RTE_MBUF_F_RX_VLAN_STRIPPED) && m->vlan_tci != e->tci)
		differs(s, DIFF_TCI, q, number, m->vlan_tci, e->tci);
	if (e->marked && m->hash.fdir.hi != s->o.mark_id)
		differs(s, DIFF_MARK, q, number, m->hash.fdir.hi, s->o.mark_id);
	s->marked += (flags & RTE_MBUF_F_RX_FDIR_ID) != 0;
	if (m->port != s->port)
		differs(s, DIFF_PORT, q, number, m->port, s->port);
}

/* Not before the packet before it; not in the future: see check_burst. */
static uint64_t check_time(struct state *s, const struct rte_mbuf *m, unsigned q, uint64_t number)
{
	uint64_t stamp = *RTE_MBUF_DYNFIELD(m, s->time_offset, const rte_mbuf_timestamp_t *);

	if (stamp < s->time_last[q] || !stamp)
		differs(s, DIFF_TIME, q, number, stamp, s->time_last[q]);
	s->time_last[q] = stamp;
	return stamp;
}

static void check(struct state *s, unsigned q, const struct rte_mbuf *m)
{
	uint64_t number;

	if (!number_of(s, m, q, &number)) {
		s->received++;
		differs(s, DIFF_NUMBER, q, s->next[q], m->pkt_len, 0);
		return;
	}
	const struct expected *e = &s->expected[number % NUMBERED_FRAMES];

	if (number < s->next[q])
		differs(s, DIFF_ORDER, q, number, number, s->next[q]);
	s->next[q] = number + 1;
	unsigned segments = 1; /* which moves s->next on */
	if (lro_is_stream(s, number))
		segments = lro_check(s, m, q, number);
	else if (m->ol_flags & RTE_MBUF_F_RX_LRO)
		differs(s, DIFF_SEGMENT, q, number, 1, 0);
	s->received += segments;
	s->of_queue[q] += segments;
	s->kinds[s->table.frame[number % NUMBERED_FRAMES].kind] += segments;
	if (q != e->queue && !s->o.isolated)
		differs(s, DIFF_QUEUE, q, number, q, e->queue);
	check_length(s, m, q, number, e);
	check_data(s, m, q, number, e);
	check_flags(s, m, q, number, e);
	if (s->o.timestamp)
		check_time(s, m, q, number);
}

void check_burst(struct state *s, unsigned queue, struct rte_mbuf **mbufs, unsigned n)
{
	uint64_t now;

	for (unsigned i = 0; i < n; i++)
		check(s, queue, mbufs[i]);
	if (n && s->o.timestamp && !rte_eth_read_clock(s->port, &now) && s->time_last[queue] > now)
		differs(s, DIFF_TIME, queue, s->next[queue] - 1, s->time_last[queue], now);
}
