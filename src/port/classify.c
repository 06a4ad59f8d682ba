/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * classify.c - batches, and the fast path: untagged IPv4 without options or
 * fragmentation, with TCP or UDP that is not a tunnel, headers captured.  Most traffic is that;
 * everything else goes through general.c.
 */
#include "internal.h"

/* Offsets in such a frame. */
#define L3    PORT_ETH_BYTES
#define L4    (PORT_ETH_BYTES + PORT_IPV4_BYTES)
#define AHEAD 8u /* frames whose headers are fetched in advance */

static inline uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Ones' complement sum of a 20-byte header is 0xffff, in whatever byte order. */
static inline bool header_sum_ok(const uint8_t *p)
{
	uint64_t a = load64(p), b = load64(p + 8);
	uint64_t sum = (a >> 32) + (a & 0xffffffff) + (b >> 32) + (b & 0xffffffff) + load32(p + 16);

	sum = (sum >> 32) + (sum & 0xffffffff);
	sum = (sum >> 16) + (sum & 0xffff);
	sum = (sum >> 16) + (sum & 0xffff);
	sum = (sum >> 16) + (sum & 0xffff);
	return sum == 0xffff;
}

/* Hash of both addresses and, if wanted, both ports; symmetric as in rss.c. */
static inline uint32_t hash_tuple(const struct cqesim_port *port, const uint8_t *addresses,
				  bool with_ports)
{
	const uint32_t(*t)[256] = port->toeplitz;
	uint64_t a = le64toh(load64(addresses)); /* the first byte is the lowest */
	uint32_t p = le32toh(load32(addresses + 8));

	if (port->rss_symmetric) {
		uint32_t src = (uint32_t)a, dst = (uint32_t)(a >> 32);
		uint32_t from = p & 0xffff, to = p >> 16;

		a = (src | dst) | (uint64_t)(src ^ dst) << 32;
		p = (from | to) | (from ^ to) << 16;
	}
	uint32_t hash = (t[0][a & 0xff] ^ t[1][a >> 8 & 0xff]) ^
			(t[2][a >> 16 & 0xff] ^ t[3][a >> 24 & 0xff]) ^
			(t[4][a >> 32 & 0xff] ^ t[5][a >> 40 & 0xff]) ^
			(t[6][a >> 48 & 0xff] ^ t[7][a >> 56]);

	if (with_ports)
		hash ^= (t[8][p & 0xff] ^ t[9][p >> 8 & 0xff]) ^
			(t[10][p >> 16 & 0xff] ^ t[11][p >> 24]);
	return hash;
}

/* What the fast path has to know of the L4 header; header 0: not for the fast path. */
struct fast_l4 {
	uint32_t header;
	uint8_t kind, hash_type;
	uint16_t view;
	bool hash_ports;
};

static inline struct fast_l4 fast_udp(const struct cqesim_port *port, const uint8_t *d,
				      unsigned total)
{
	unsigned dst = port_be16(d + L4 + 2);

	if (total < PORT_IPV4_BYTES + PORT_UDP_BYTES || dst == PORT_UDP_VXLAN ||
	    dst == PORT_UDP_GENEVE)
		return (struct fast_l4){0};
	return (struct fast_l4){.header = PORT_UDP_BYTES,
				.kind = CQESIM_HDR_L4_UDP,
				.hash_type = CQESIM_HASH_TYPE_UDP,
				.view = CQESIM_VIEW_UDP,
				.hash_ports = port->rss_fields & CQESIM_RSS_UDP};
}

static inline struct fast_l4 fast_tcp(const struct cqesim_port *port, const struct cqesim_frame *f,
				      unsigned total)
{
	const uint8_t *d = f->data;

	if (f->cap_len < L4 + PORT_TCP_BYTES)
		return (struct fast_l4){0};

	unsigned header = (d[L4 + 12] >> 4) * 4u;

	if (header < PORT_TCP_BYTES || f->cap_len < L4 + header || total < PORT_IPV4_BYTES + header)
		return (struct fast_l4){0};
	return (struct fast_l4){.header = header,
				.kind = !(d[L4 + 13] & 0x10) ? CQESIM_HDR_L4_TCP
					: total == PORT_IPV4_BYTES + header
						? CQESIM_HDR_L4_TCP_ACK
						: CQESIM_HDR_L4_TCP_ACK_DATA,
				.hash_type = CQESIM_HASH_TYPE_TCP,
				.view = CQESIM_VIEW_TCP,
				.hash_ports = port->rss_fields & CQESIM_RSS_TCP};
}

/* Checks and sums over the payload, for those who asked for them. */
static void fast_payload(const struct cqesim_port *port, const struct cqesim_frame *f,
			 unsigned total, uint8_t proto, struct cqesim_rx *rx)
{
	const struct port_ip ip = {.off = L3,
				   .l4 = L4,
				   .end = L3 + total,
				   .version = 4,
				   .proto = proto,
				   .readable = true};

	if (port->checksums == CQESIM_CHECKSUMS_VERIFY && !port_l4_sum_ok(f, &ip))
		rx->meta.hds_ip_ext &= (uint8_t)~CQESIM_L4_OK;
	if (port->want_csum)
		rx->meta.csum =
			port_sum(f->data + L3, (ip.end < f->cap_len ? ip.end : f->cap_len) - L3);
}

static inline bool classify_fast(const struct cqesim_port *port, const struct cqesim_frame *f,
				 struct cqesim_rx *rx)
{
	const uint8_t *d = f->data;

	if (f->cap_len < L4 + PORT_UDP_BYTES)
		return false;
	/* EtherType, version and header length; then MF and the fragment offset. */
	if ((be32toh(load32(d + 12)) >> 8) != (PORT_ETH_IPV4 << 8 | 0x45) ||
	    (port_be16(d + L3 + 6) & 0x3fff))
		return false;

	unsigned total = port_be16(d + L3 + 2);
	uint8_t proto = d[L3 + 9];
	struct fast_l4 l4;

	if (proto == PORT_IP_UDP)
		l4 = fast_udp(port, d, total);
	else if (proto == PORT_IP_TCP)
		l4 = fast_tcp(port, f, total);
	else
		return false;
	if (!l4.header)
		return false;

	uint32_t hash = 0;
	uint8_t hash_type = 0;

	if (port->rss_fields & CQESIM_RSS_IPV4) {
		hash = hash_tuple(port, d + L3 + 12, l4.hash_ports);
		hash_type = CQESIM_HASH_TYPE_IPV4 | (l4.hash_ports ? l4.hash_type : 0);
	}
	uint8_t ok = CQESIM_L2_OK | CQESIM_L3_OK | CQESIM_L4_OK;

	if (port->checksums != CQESIM_CHECKSUMS_TRUST && !header_sum_ok(d + L3))
		ok = CQESIM_L2_OK | CQESIM_L4_OK;
	*rx = (struct cqesim_rx){
		.meta = {.byte_cnt = f->len + (port->keep_fcs ? CQESIM_FCS_BYTES : 0),
			 .rx_hash_res = hash,
			 .rx_hash_type = hash_type,
			 .hds_ip_ext = ok,
			 .l4_l3_hdr_type = CQESIM_HDR_L3_IPV4 | l4.kind},
		.queue = port->reta[hash & port->reta_mask],
		.view = CQESIM_VIEW_IPV4 | l4.view,
		.hdr_len = (uint16_t)(L4 + l4.header),
		.oversize = f->len > port->max_frame,
	};
	if (port->checksums == CQESIM_CHECKSUMS_VERIFY || port->want_csum)
		fast_payload(port, f, total, proto, rx);
	return true;
}

bool port_classify_fast(const struct cqesim_port *port, const struct cqesim_frame *f,
			struct cqesim_rx *rx)
{
	return classify_fast(port, f, rx);
}

void cqesim_port_classify(const struct cqesim_port *port, const struct cqesim_frame *frames,
			  unsigned n, struct cqesim_rx *rx)
{
	for (unsigned i = 0; i < n; i++) {
		if (i + AHEAD < n)
			__builtin_prefetch(frames[i + AHEAD].data);
		if (!classify_fast(port, &frames[i], &rx[i]))
			port_classify_general(port, &frames[i], &rx[i]);
	}
}
