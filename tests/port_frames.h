/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * port_frames.h - frames for the port's tests, built header by header, the
 * innermost first, with checksums of the tests' own; and short names for what
 * is expected of them.
 */
#ifndef CQESIM_PORT_FRAMES_H
#define CQESIM_PORT_FRAMES_H

#include <stdlib.h>
#include <string.h>

#include "cqesim/port.h"
#include "port/internal.h"
#include "test.h"

struct packet {
	uint8_t buf[4096]; /* filled from its end */
	unsigned off;
	unsigned l4; /* offset of a header whose checksum waits for the IP header; 0: none */
	uint8_t l4_proto;
};

static struct packet pkt;

static inline uint8_t *push(unsigned n)
{
	pkt.off -= n;
	memset(pkt.buf + pkt.off, 0, n);
	return pkt.buf + pkt.off;
}

static inline unsigned length(void)
{
	return sizeof(pkt.buf) - pkt.off;
}

static inline void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline uint16_t plain_sum(const uint8_t *p, unsigned n, uint32_t sum)
{
	for (unsigned i = 0; i < n; i++)
		sum += i & 1 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static inline void start(unsigned payload)
{
	pkt.off = sizeof(pkt.buf);
	pkt.l4 = 0;
	uint8_t *p = push(payload);
	for (unsigned i = 0; i < payload; i++)
		p[i] = (uint8_t)(i + 1);
}

static inline void udp(unsigned dst)
{
	unsigned len = length() + 8;
	uint8_t *p = push(8);

	put16(p, 40000);
	put16(p + 2, dst);
	put16(p + 4, len);
	pkt.l4 = pkt.off;
	pkt.l4_proto = 17;
}

#define TCP_SYN 0x02
#define TCP_ACK 0x10

static inline void tcp(unsigned flags, unsigned option_words)
{
	uint8_t *p = push(20 + 4 * option_words);

	put16(p, 40000);
	put16(p + 2, 443);
	p[12] = (uint8_t)((5 + option_words) << 4);
	p[13] = (uint8_t)flags;
	pkt.l4 = pkt.off;
	pkt.l4_proto = 6;
}

static inline void l4_sum(const uint8_t *addresses, unsigned n)
{
	if (!pkt.l4)
		return;
	unsigned len = sizeof(pkt.buf) - pkt.l4;
	uint8_t *field = pkt.buf + pkt.l4 + (pkt.l4_proto == 6 ? 16 : 6);
	uint32_t sum = plain_sum(addresses, n, pkt.l4_proto + len);

	put16(field, ~plain_sum(pkt.buf + pkt.l4, len, sum));
	pkt.l4 = 0;
}

#define MF 0x2000

static inline uint8_t *ip4(unsigned proto, unsigned frag, unsigned option_words)
{
	unsigned header = 20 + 4 * option_words, total = length() + header;
	uint8_t *p = push(header);

	p[0] = (uint8_t)(0x45 + option_words);
	memset(p + 20, 1, 4 * option_words);
	put16(p + 2, total);
	put16(p + 6, frag);
	p[8] = 64;
	p[9] = (uint8_t)proto;
	put16(p + 12, 0xc0a8);
	put16(p + 14, 0x0102);
	put16(p + 16, 0x0a00);
	put16(p + 18, 0x00fe);
	put16(p + 10, ~plain_sum(p, header, 0));
	l4_sum(p + 12, 8);
	return p;
}

static inline uint8_t *ip6(unsigned next)
{
	unsigned len = length();
	uint8_t *p = push(40);

	p[0] = 0x60;
	put16(p + 4, len);
	p[6] = (uint8_t)next;
	p[7] = 64;
	put16(p + 8, 0x2001);
	p[23] = 1;
	put16(p + 24, 0x2001);
	p[39] = 2;
	l4_sum(p + 8, 32);
	return p;
}

/* An IPv6 extension header of 8 x (1 + more) bytes. */
static inline void ext(unsigned next, unsigned more)
{
	uint8_t *p = push(8 + 8 * more);

	p[0] = (uint8_t)next;
	p[1] = (uint8_t)more;
}

static inline void frag6(unsigned next, unsigned offset_and_more)
{
	uint8_t *p = push(8);

	p[0] = (uint8_t)next;
	put16(p + 2, offset_and_more);
}

static inline void tag(unsigned tci, unsigned type)
{
	uint8_t *p = push(4);

	put16(p, tci);
	put16(p + 2, type);
}

static inline void eth(unsigned type)
{
	uint8_t *p = push(14);

	p[0] = p[6] = 2;
	p[5] = 1;
	put16(p + 12, type);
}

static inline void vxlan(void)
{
	push(8)[0] = 8;
	udp(4789);
}

static inline void geneve(unsigned option_words, unsigned type)
{
	uint8_t *p = push(8 + 4 * option_words);

	p[0] = (uint8_t)option_words;
	put16(p + 2, type);
	udp(6081);
}

static inline void gre(unsigned flags, unsigned type, unsigned words)
{
	uint8_t *p = push(4 + 4 * words);

	put16(p, flags);
	put16(p + 2, type);
}

#define V4    CQESIM_VIEW_IPV4
#define V6    CQESIM_VIEW_IPV6
#define VTCP  CQESIM_VIEW_TCP
#define VUDP  CQESIM_VIEW_UDP
#define NONE  CQESIM_VIEW_L4_NONE
#define VLAN  CQESIM_VIEW_VLAN
#define QINQ  CQESIM_VIEW_QINQ
#define FRAG  CQESIM_VIEW_FRAGMENT
#define OPT   CQESIM_VIEW_OPTIONS
#define SHORT CQESIM_VIEW_SHORT
#define IPIP  CQESIM_VIEW_IPIP
#define VGRE  CQESIM_VIEW_GRE

/* Bits by number, as mlx5-facts has them, not by the names under test. */
#define L2    1
#define L3OK  (L2 | 2)
#define ALLOK (L2 | 2 | 4)
#define N6    0x04
#define N4    0x08
#define NTCP  0x10
#define NUDP  0x20
#define NACK  0x30
#define NDATA 0x40
#define NOPT  0x02
#define NFRAG 0x80
#define CV    0x01
#define H4    0x04
#define H6    0x08
#define HTCP  0x40
#define HUDP  0x80

static inline struct cqesim_port_config config(void)
{
	struct cqesim_port_config c = {
		.rss_fields = CQESIM_RSS_IPV4 | CQESIM_RSS_IPV6 | CQESIM_RSS_TCP | CQESIM_RSS_UDP,
		.queues = 4,
		.vlan_strip = true,
		.checksums = CQESIM_CHECKSUMS_VERIFY,
		.max_frame = 1518,
	};

	ck_assert_int_eq(cqesim_rss_key_parse("mlx5", c.rss_key, NULL), 0);
	return c;
}

static struct cqesim_port port;

static inline void setup_port(const struct cqesim_port_config *c)
{
	struct cqesim_error err = {{0}};

	ck_assert_msg(!cqesim_port_init(&port, c, &err), "%s", err.text);
}

/* The frame as it would be captured: `cap` bytes (0: all), in a buffer of just that size. */
static inline struct cqesim_rx classify(unsigned cap)
{
	unsigned n = length();
	struct cqesim_rx rx, fast, general;

	if (!cap)
		cap = n;
	uint8_t *copy = malloc(cap);
	memcpy(copy, pkt.buf + pkt.off, cap);
	struct cqesim_frame f = {
		.data = copy, .cap_len = cap, .orig_len = n, .len = n < 60 ? 60 : n};

	memset(&rx, 0xa5, sizeof(rx));
	memset(&general, 0x5a, sizeof(general));
	cqesim_port_classify(&port, &f, 1, &rx);
	port_classify_general(&port, &f, &general);
	ck_assert_mem_eq(&rx, &general, sizeof(rx));
	if (port_classify_fast(&port, &f, &fast))
		ck_assert_mem_eq(&rx, &fast, sizeof(rx));
	free(copy);
	return rx;
}

#define EXPECT_CAP(cap, want_view, want_hdr, want_info, want_ok, want_type, want_hash)             \
	do {                                                                                       \
		struct cqesim_rx rx_ = classify(cap);                                              \
		ck_assert_uint_eq(rx_.view, (want_view));                                          \
		ck_assert_uint_eq(rx_.hdr_len, (want_hdr));                                        \
		ck_assert_uint_eq(rx_.meta.pkt_info, (want_info));                                 \
		ck_assert_uint_eq(rx_.meta.hds_ip_ext, (want_ok));                                 \
		ck_assert_uint_eq(rx_.meta.l4_l3_hdr_type, (want_type));                           \
		ck_assert_uint_eq(rx_.meta.rx_hash_type, (want_hash));                             \
	} while (0)
#define EXPECT(view, hdr, info, ok, type, hash) EXPECT_CAP(0, view, hdr, info, ok, type, hash)

/* The rest of the suite: test_port_rss.c and test_port_count.c. */
TCase *tcase_port_rss(void);
TCase *tcase_port_count(void);
TCase *tcase_port_captures(void);

#endif
