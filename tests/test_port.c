/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_port.c - how frames are classified.  What is expected stands beside each
 * frame in the bits of the CQE, as the facts have them.
 */
#include "port_frames.h"

START_TEST(no_ip)
{
	struct cqesim_port_config c = config();
	setup_port(&c);

	start(28), eth(0x0806); /* ARP */
	EXPECT(NONE, 0, 0, L2, 0, 0);
	start(40), eth(0x0026); /* 802.3 length */
	EXPECT(NONE, 0, 0, L2, 0, 0);
	start(0), udp(53), ip4(17, 0, 0), tag(5, 0x0800), eth(0x8847); /* IP under MPLS */
	EXPECT(NONE, 0, 0, L2, 0, 0);
	/* Version and lengths that cannot be: IPv4 by EtherType all the same, for tshark. */
	start(8), udp(53), ip4(17, 0, 0)[0] = 0x65, eth(0x0800);
	EXPECT(V4 | NONE, 0, 0, L2, 0, 0);
	start(8), udp(53), ip4(17, 0, 0)[0] = 0x44, eth(0x0800);
	EXPECT(V4 | NONE, 0, 0, L2, 0, 0);
	start(8), udp(53), ip4(17, 0, 0)[3] = 19, eth(0x0800);
	EXPECT(V4 | NONE, 0, 0, L2, 0, 0);
	start(8), udp(53), ip6(17)[0] = 0x40, eth(0x86dd);
	EXPECT(NONE, 0, 0, L2, 0, 0);
	/* No hash: the first entry of the table. */
	const uint16_t reta[2] = {3, 1};
	c.reta = reta;
	c.reta_size = 2;
	setup_port(&c);
	ck_assert_uint_eq(classify(0).queue, 3);
	ck_assert_uint_eq(classify(0).meta.rx_hash_res, 0);
}
END_TEST

START_TEST(ipv4)
{
	struct cqesim_port_config c = config();
	setup_port(&c);

	start(18), udp(53), ip4(17, 0, 0), eth(0x0800);
	EXPECT(V4 | VUDP, 42, 0, ALLOK, N4 | NUDP, H4 | HUDP);
	start(0), tcp(TCP_SYN, 1), ip4(6, 0, 0), eth(0x0800);
	EXPECT(V4 | VTCP, 58, 0, ALLOK, N4 | NTCP, H4 | HTCP);
	start(1), tcp(TCP_ACK, 0), ip4(6, 0, 0), eth(0x0800);
	EXPECT(V4 | VTCP, 54, 0, ALLOK, N4 | NDATA, H4 | HTCP);
	/* 40 bytes of IP in a frame of 60: the padding is no TCP data. */
	start(0), tcp(TCP_ACK, 0), ip4(6, 0, 0), eth(0x0800);
	memmove(pkt.buf + pkt.off - 6, pkt.buf + pkt.off, length());
	memset(pkt.buf + sizeof(pkt.buf) - 6, 0xee, 6);
	pkt.off -= 6;
	EXPECT(V4 | VTCP, 54, 0, ALLOK, N4 | NACK, H4 | HTCP);
	start(8), udp(53), ip4(17, 0, 2), eth(0x0800);
	EXPECT(V4 | VUDP | OPT, 50, 0, ALLOK, N4 | NUDP | NOPT, H4 | HUDP);
	start(8), ip4(1, 0, 0), eth(0x0800);
	EXPECT(V4, 0, 0, L3OK, N4, H4);
	/* Total length 0, as captured before segmentation: the frame's length counts. */
	start(100), tcp(TCP_ACK, 0), put16(ip4(6, 0, 0) + 2, 0), eth(0x0800);
	c.checksums = CQESIM_CHECKSUMS_TRUST;
	setup_port(&c);
	EXPECT(V4 | VTCP, 54, 0, ALLOK, N4 | NDATA, H4 | HTCP);
	/* TCP header length below 5 words: no header to repeat. */
	start(30), tcp(TCP_ACK, 0), pkt.buf[pkt.off + 12] = 0x40, ip4(6, 0, 0), eth(0x0800);
	EXPECT(V4 | VTCP, 0, 0, ALLOK, N4 | NDATA, H4 | HTCP);
}
END_TEST

START_TEST(checksums)
{
	struct cqesim_port_config c = config();

	/* What is wrong; flags of TRUST, L3, VERIFY. */
	for (unsigned wrong = 0; wrong < 5; wrong++) {
		static const uint8_t ok[5][3] = {
			{ALLOK, ALLOK, ALLOK},   /* nothing */
			{ALLOK, L2 | 4, L2 | 4}, /* IPv4 header checksum */
			{ALLOK, ALLOK, L3OK},    /* UDP checksum */
			{ALLOK, ALLOK, ALLOK},   /* UDP checksum left out */
			{ALLOK, ALLOK, L3OK},    /* UDP length beyond the IP packet */
		};
		start(19), udp(53), ip4(17, 0, 0), eth(0x0800);
		uint8_t *ip = pkt.buf + pkt.off + 14, *l4 = ip + 20;

		if (wrong == 1)
			ip[10] ^= 1;
		if (wrong == 2)
			l4[6] ^= 0x10;
		if (wrong == 3)
			put16(l4 + 6, 0);
		if (wrong == 4)
			put16(l4 + 4, 28);
		for (unsigned mode = 0; mode < 3; mode++) {
			c.checksums = mode;
			setup_port(&c);
			EXPECT(V4 | VUDP, 42, 0, ok[wrong][mode], N4 | NUDP, H4 | HUDP);
		}
	}
	start(20), tcp(TCP_ACK, 0), ip6(6), eth(0x86dd);
	EXPECT(V6 | VTCP, 74, 0, ALLOK, N6 | NDATA, H6 | HTCP);
	pkt.buf[sizeof(pkt.buf) - 1] ^= 1;
	EXPECT(V6 | VTCP, 74, 0, L3OK, N6 | NDATA, H6 | HTCP);
	/* Cut payload: trusted. */
	EXPECT_CAP(length() - 1, V6 | VTCP, 74, 0, ALLOK, N6 | NDATA, H6 | HTCP);
	/* UDP over IPv6 must have one. */
	start(20), udp(53), ip6(17), put16(pkt.buf + pkt.off + 46, 0), eth(0x86dd);
	EXPECT(V6 | VUDP, 62, 0, L3OK, N6 | NUDP, H6 | HUDP);
	/* An IP packet longer than its frame. */
	start(20), udp(53), put16(ip6(17) + 4, 29), eth(0x86dd);
	EXPECT(V6 | VUDP, 62, 0, L3OK, N6 | NUDP, H6 | HUDP);
}
END_TEST

START_TEST(fragments)
{
	struct cqesim_port_config c = config();
	setup_port(&c);

	start(32), udp(53), ip4(17, MF, 0), eth(0x0800);
	EXPECT(V4 | VUDP | FRAG, 0, 0, L3OK, N4 | NFRAG, H4);
	start(32), ip4(17, 4, 0), eth(0x0800);
	EXPECT(V4 | VUDP | FRAG, 0, 0, L3OK, N4 | NFRAG, H4);
	start(32), udp(53), frag6(17, 1), ip6(44), eth(0x86dd);
	EXPECT(V6 | VUDP | FRAG | OPT, 0, 0, L3OK, N6 | NFRAG | NOPT, H6);
	/* Atomic: a fragment header around the whole packet. */
	start(32), udp(53), frag6(17, 0), ip6(44), eth(0x86dd);
	EXPECT(V6 | VUDP | FRAG | OPT, 0, 0, L3OK, N6 | NFRAG | NOPT, H6);
	/* More headers may follow in the first fragment. */
	start(32), udp(53), ext(17, 0), frag6(60, 1), ip6(44), eth(0x86dd);
	EXPECT(V6 | VUDP | FRAG | OPT, 0, 0, L3OK, N6 | NFRAG | NOPT, H6);
	/* In a later one comes data, whatever its number and its first byte. */
	start(32), pkt.buf[pkt.off] = 17, frag6(60, 0x10), ip6(44), eth(0x86dd);
	EXPECT(V6 | FRAG | OPT, 0, 0, L3OK, N6 | NFRAG | NOPT, H6);
	/* No L4 header is missing from a small one. */
	start(4), ip4(17, 4, 0), eth(0x0800);
	EXPECT(V4 | VUDP | FRAG, 0, 0, L3OK, N4 | NFRAG, H4);
	/* Fragments of a tunnel are not looked into. */
	start(0), udp(53), ip4(17, 0, 0), eth(0x0800), vxlan(), ip4(17, MF, 0), eth(0x0800);
	EXPECT(V4 | VUDP | FRAG | CQESIM_VIEW_VXLAN, 0, 0, L3OK, N4 | NFRAG, H4);
	/* All fragments of a packet hash alike. */
	start(8), ip4(17, 1, 0), eth(0x0800);
	uint32_t later = classify(0).meta.rx_hash_res;
	start(8), udp(53), ip4(17, MF, 0), eth(0x0800);
	ck_assert_uint_eq(classify(0).meta.rx_hash_res, later);
}
END_TEST

START_TEST(ipv6)
{
	struct cqesim_port_config c = config();
	setup_port(&c);

	start(8), udp(53), ip6(17), eth(0x86dd);
	EXPECT(V6 | VUDP, 62, 0, ALLOK, N6 | NUDP, H6 | HUDP);
	start(8), tcp(TCP_ACK, 0), ext(6, 0), ext(60, 1), ext(43, 0), ip6(0), eth(0x86dd);
	EXPECT(V6 | VTCP | OPT, 106, 0, ALLOK, N6 | NDATA | NOPT, H6 | HTCP);
	/* Authentication header: not passed over. */
	start(8), udp(53), ext(17, 4), ip6(51), eth(0x86dd);
	EXPECT(V6, 0, 0, L3OK, N6, H6);
	start(0), ip6(59), eth(0x86dd); /* no next header */
	EXPECT(V6, 0, 0, L3OK, N6, H6);
}
END_TEST

START_TEST(vlans)
{
	struct cqesim_port_config c = config();
	setup_port(&c);
	struct cqesim_rx rx;

	start(30), udp(53), ip4(17, 0, 0), tag(0x6abc, 0x0800), eth(0x8100);
	EXPECT(V4 | VUDP | VLAN, 46, 0, ALLOK, N4 | NUDP | CV, H4 | HUDP);
	rx = classify(0);
	ck_assert_uint_eq(rx.meta.vlan_info, 0x6abc);
	ck_assert_uint_eq(rx.meta.byte_cnt, 76 - 4);
	c.vlan_strip = false;
	c.keep_fcs = true;
	setup_port(&c);
	EXPECT(V4 | VUDP | VLAN, 46, 0, ALLOK, N4 | NUDP, H4 | HUDP);
	rx = classify(0);
	ck_assert_uint_eq(rx.meta.vlan_info, 0);
	ck_assert_uint_eq(rx.meta.byte_cnt, 76 + 4);
	c.vlan_strip = true;
	c.keep_fcs = false;
	setup_port(&c);

	/* An S-tag stays; of two C-tags, the outer goes. */
	start(30), udp(53), ip4(17, 0, 0), tag(2, 0x0800), tag(1, 0x8100), eth(0x88a8);
	EXPECT(V4 | VUDP | VLAN | QINQ, 50, 0, ALLOK, N4 | NUDP, H4 | HUDP);
	ck_assert_uint_eq(classify(0).meta.byte_cnt, 80);
	start(30), udp(53), ip4(17, 0, 0), tag(2, 0x0800), tag(1, 0x8100), eth(0x8100);
	EXPECT(V4 | VUDP | VLAN | QINQ, 50, 0, ALLOK, N4 | NUDP | CV, H4 | HUDP);
	ck_assert_uint_eq(classify(0).meta.vlan_info, 1);
	/* Where the NIC gives up and the dissector does not. */
	start(30), udp(53), ip4(17, 0, 0), tag(3, 0x0800), tag(2, 0x8100), tag(1, 0x8100),
		eth(0x8100);
	EXPECT(V4 | VUDP | VLAN | QINQ, 54, 0, L2, CV, 0);
	start(30), udp(53), ip4(17, 0, 0), tag(1, 0x0800), eth(0x9100);
	EXPECT(V4 | VUDP | VLAN, 46, 0, L2, 0, 0);
	start(30), udp(53), ip4(17, 0, 0), tag(2, 0x0800), tag(1, 0x9100), eth(0x8100);
	EXPECT(V4 | VUDP | VLAN | QINQ, 50, 0, L2, CV, 0);
	/* The tag leaves the hash alone. */
	start(30), udp(53), ip4(17, 0, 0), eth(0x0800);
	uint32_t hash = classify(0).meta.rx_hash_res;
	start(30), udp(53), ip4(17, 0, 0), tag(1, 0x0800), eth(0x8100);
	ck_assert_uint_eq(classify(0).meta.rx_hash_res, hash);
	ck_assert_uint_ne(hash, 0);
}
END_TEST

START_TEST(tunnels)
{
	struct cqesim_port_config c = config();
	setup_port(&c);
	const unsigned VX = CQESIM_VIEW_VXLAN, GNV = CQESIM_VIEW_GENEVE;

	/* Bytes 28 and 29 are the inner packet's, the hash is the outer's. */
	start(9), tcp(TCP_ACK, 0), ip6(6), eth(0x86dd), vxlan(), ip4(17, 0, 0), eth(0x0800);
	EXPECT(V4 | VUDP | VX, 42, 1, ALLOK, N6 | NDATA, H4 | HUDP);
	start(9), udp(1), ip4(17, 0, 1), tag(1, 0x0800), eth(0x8100), vxlan(), ip6(17), eth(0x86dd);
	EXPECT(V6 | VUDP | VX, 62, 3, ALLOK, N4 | NUDP | NOPT, H6 | HUDP);
	start(9), ip4(17, 5, 0), eth(0x0800), vxlan(), ip4(17, 0, 0), tag(7, 0x0800), eth(0x8100);
	EXPECT(V4 | VUDP | VX | VLAN, 46, 1, L3OK, N4 | NFRAG | CV, H4 | HUDP);
	start(28), eth(0x0806), vxlan(), ip4(17, 0, 0), eth(0x0800);
	EXPECT(V4 | VUDP | VX, 42, 1, L2, 0, H4 | HUDP);
	/* A bad inner checksum tells, a bad outer one does not. */
	start(9), udp(1), ip4(17, 0, 0)[10] ^= 1, eth(0x0800), vxlan(), ip4(17, 0, 0), eth(0x0800);
	EXPECT(V4 | VUDP | VX, 42, 1, L2 | 4, N4 | NUDP, H4 | HUDP);
	start(9), udp(1), ip4(17, 0, 0), eth(0x0800), vxlan(), ip4(17, 0, 0)[10] ^= 1, eth(0x0800);
	EXPECT(V4 | VUDP | VX, 42, 1, ALLOK, N4 | NUDP, H4 | HUDP);

	start(9), udp(1), ip4(17, 0, 0), eth(0x0800), geneve(40, 0x6558), ip6(17), eth(0x86dd);
	EXPECT(V6 | VUDP | GNV, 62, 3, ALLOK, N4 | NUDP, H6 | HUDP);
	start(0), tcp(TCP_SYN, 0), ip6(6), geneve(0, 0x86dd), ip4(17, 0, 0), eth(0x0800);
	EXPECT(V4 | VUDP | GNV, 42, 1, ALLOK, N6 | NTCP, H4 | HUDP);

	start(9), udp(1), ip4(17, 0, 0), gre(0, 0x0800, 0), ip4(47, 0, 0), eth(0x0800);
	EXPECT(V4 | VGRE, 0, 1, ALLOK, N4 | NUDP, H4);
	start(9), udp(1), ip6(17), gre(0xb000, 0x86dd, 3), ip6(47), eth(0x86dd);
	EXPECT(V6 | VGRE, 0, 3, ALLOK, N6 | NUDP, H6);
	start(0), tcp(TCP_ACK, 0), ip4(6, 0, 0), eth(0x0800), gre(0x2000, 0x6558, 1), ip4(47, 0, 0),
		eth(0x0800);
	EXPECT(V4 | VGRE, 0, 1, ALLOK, N4 | NACK, H4);
	/* Version 1 (PPTP) and ERSPAN: GRE to a dissector, plain IPv4 to the NIC. */
	start(9), gre(0x3001, 0x880b, 2), ip4(47, 0, 0), eth(0x0800);
	EXPECT(V4 | VGRE, 0, 0, L3OK, N4, H4);
	start(9), udp(1), ip4(17, 0, 0), gre(0x2001, 0x0800, 1), ip4(47, 0, 0), eth(0x0800);
	EXPECT(V4 | VGRE, 0, 0, L3OK, N4, H4);
	start(9), udp(1), ip4(17, 0, 0), gre(0x4000, 0x0800, 0), ip4(47, 0, 0), eth(0x0800);
	EXPECT(V4 | VGRE, 0, 0, L3OK, N4, H4);
	start(60), gre(0x1000, 0x88be, 1), ip4(47, 0, 0), eth(0x0800);
	EXPECT(V4 | VGRE, 0, 0, L3OK, N4, H4);

	start(9), udp(1), ip4(17, 0, 0), ip4(4, 0, 0), eth(0x0800);
	EXPECT(V4 | IPIP, 0, 1, ALLOK, N4 | NUDP, H4);
	start(9), udp(1), ip6(17), ip4(41, 0, 0), eth(0x0800);
	EXPECT(V4 | IPIP, 0, 1, ALLOK, N6 | NUDP, H4);
	start(9), udp(1), ip4(17, 0, 0), ip6(4), eth(0x86dd);
	EXPECT(V6 | IPIP, 0, 3, ALLOK, N4 | NUDP, H6);
	start(9), udp(1), ip6(17), ip6(41), eth(0x86dd);
	EXPECT(V6 | IPIP, 0, 3, ALLOK, N6 | NUDP, H6);
	start(40), ip4(41, 0, 0), eth(0x0800); /* no IPv6 inside */
	EXPECT(V4 | IPIP, 0, 0, L3OK, N4, H4);
	/* One level: the second tunnel is the inner packet's payload. */
	start(9), udp(1), ip4(17, 0, 0), ip4(4, 0, 0), ip4(4, 0, 0), eth(0x0800);
	EXPECT(V4 | IPIP, 0, 1, L3OK, N4, H4);
}
END_TEST

START_TEST(cut_captures)
{
	struct cqesim_port_config c = config();
	setup_port(&c);

	start(100), tcp(TCP_SYN, 1), ip4(6, 0, 1), tag(1, 0x0800), eth(0x8100); /* 14 4 24 24 */
	EXPECT_CAP(13, NONE | SHORT, 0, 0, L2, 0, 0);
	EXPECT_CAP(17, NONE | SHORT | VLAN, 0, 0, L2, 0, 0); /* no TCI to strip */
	EXPECT_CAP(18, V4 | NONE | SHORT | VLAN, 0, 0, L2, CV, 0);
	EXPECT_CAP(37, V4 | NONE | SHORT | VLAN, 0, 0, L2, CV, 0);
	/* The type of L4 is known, its header is not: ports leave the hash, ACK is assumed. */
	EXPECT_CAP(38, V4 | VTCP | SHORT | VLAN | OPT, 0, 0, ALLOK, N4 | NDATA | NOPT | CV, H4);
	EXPECT_CAP(45, V4 | VTCP | SHORT | VLAN | OPT, 0, 0, ALLOK, N4 | NDATA | NOPT | CV, H4);
	EXPECT_CAP(46, V4 | VTCP | SHORT | VLAN | OPT, 0, 0, ALLOK, N4 | NDATA | NOPT | CV,
		   H4 | HTCP);
	EXPECT_CAP(56, V4 | VTCP | SHORT | VLAN | OPT, 0, 0, ALLOK, N4 | NTCP | NOPT | CV,
		   H4 | HTCP);
	EXPECT_CAP(65, V4 | VTCP | VLAN | OPT, 0, 0, ALLOK, N4 | NTCP | NOPT | CV, H4 | HTCP);
	EXPECT_CAP(66, V4 | VTCP | VLAN | OPT, 66, 0, ALLOK, N4 | NTCP | NOPT | CV, H4 | HTCP);

	start(40), ip4(17, MF, 0), eth(0x0800);
	EXPECT_CAP(21, V4 | NONE | SHORT, 0, 0, L2, 0, 0);
	EXPECT_CAP(22, V4 | NONE | SHORT | FRAG, 0, 0, L2, 0, 0);
	start(40), udp(1), ip6(17), eth(0x86dd);
	EXPECT_CAP(14, V6 | NONE | SHORT, 0, 0, L2, 0, 0);
	EXPECT_CAP(53, V6 | NONE | SHORT, 0, 0, L2, 0, 0);
	EXPECT_CAP(54, V6 | VUDP | SHORT, 0, 0, ALLOK, N6 | NUDP, H6);
	start(40), udp(1), frag6(17, 0), ext(44, 0), ip6(0), eth(0x86dd);
	EXPECT_CAP(61, V6 | SHORT | OPT, 0, 0, L3OK, N6 | NOPT, H6);
	EXPECT_CAP(69, V6 | SHORT | OPT | FRAG, 0, 0, L3OK, N6 | NOPT | NFRAG, H6);
	/* Inside a tunnel. */
	start(9), udp(1), ip4(17, 0, 0), eth(0x0800), vxlan(), ip4(17, 0, 0), eth(0x0800);
	EXPECT_CAP(41, V4 | VUDP | SHORT, 0, 0, ALLOK, N4 | NUDP, H4 | HUDP);
	EXPECT_CAP(49, V4 | VUDP | SHORT | CQESIM_VIEW_VXLAN, 42, 1, L2, 0, H4 | HUDP);
	EXPECT_CAP(83, V4 | VUDP | CQESIM_VIEW_VXLAN, 42, 1, L2, 0, H4 | HUDP);
	EXPECT_CAP(84, V4 | VUDP | CQESIM_VIEW_VXLAN, 42, 1, ALLOK, N4 | NUDP, H4 | HUDP);
}
END_TEST

START_TEST(lengths)
{
	struct cqesim_port_config c = config();

	c.max_frame = 200;
	setup_port(&c);
	start(0), udp(53), ip4(17, 0, 0), eth(0x0800);
	ck_assert_uint_eq(classify(0).meta.byte_cnt, 60);
	start(158), udp(53), ip4(17, 0, 0), eth(0x0800);
	ck_assert_uint_eq(classify(0).oversize, 0);
	ck_assert_uint_eq(classify(60).meta.byte_cnt, 200);
	start(159), udp(53), ip4(17, 0, 0), eth(0x0800);
	ck_assert_uint_eq(classify(0).oversize, 1);
	start(200), eth(0x0806);
	ck_assert_uint_eq(classify(0).oversize, 1);
}
END_TEST

START_TEST(csum)
{
	struct cqesim_port_config c = config();
	setup_port(&c);
	start(11), udp(53), ip4(17, 0, 0), eth(0x0800);
	ck_assert_uint_eq(classify(0).meta.csum, 0);
	c.want_csum = true;
	setup_port(&c);

	/*
	 * A right IPv4 header sums to ffff, and so does UDP with its pseudo-header:
	 * left is ffff less the pseudo-header (addresses, protocol 17, length 19).
	 */
	ck_assert_uint_eq(0xc0a8 + 0x0102 + 0x0a00 + 0x00fe + 17 + 19, 0xcccc);
	ck_assert_uint_eq(classify(0).meta.csum, 0x3333);
	/* Neither tags nor padding are covered. */
	memmove(pkt.buf + pkt.off - 9, pkt.buf + pkt.off, length());
	pkt.off -= 9;
	memset(pkt.buf + sizeof(pkt.buf) - 9, 0x77, 9);
	ck_assert_uint_eq(classify(0).meta.csum, 0x3333);
	start(11), udp(53), ip4(17, 0, 0), tag(0x1234, 0x0800), eth(0x8100);
	ck_assert_uint_eq(classify(0).meta.csum, 0x3333);
	start(11), udp(53), ip4(17, 0, 0), tag(0x1234, 0x0800), eth(0x88a8);
	ck_assert_uint_eq(classify(0).meta.csum, 0x3333);
	/* Not IP: all after the Ethernet header, after a stripped tag. Odd length, too. */
	start(5), eth(0x88cc); /* 01 02 03 04 05 */
	ck_assert_uint_eq(classify(0).meta.csum, 0x0102 + 0x0304 + 0x0500);
	start(5), tag(0x1234, 0x88cc), eth(0x8100);
	ck_assert_uint_eq(classify(0).meta.csum, 0x0102 + 0x0304 + 0x0500);
	start(5), tag(0x1234, 0x88cc), eth(0x88a8);
	ck_assert_uint_eq(classify(0).meta.csum, 0x1234 + 0x88cc + 0x0102 + 0x0304 + 0x0500);
	ck_assert_uint_eq(classify(20).meta.csum, 0x1234 + 0x88cc + 0x0102);
	/* End-around carry. */
	start(0), push(4), memcpy(pkt.buf + pkt.off, "\xff\xfe\x00\x03", 4), eth(0x88cc);
	ck_assert_uint_eq(classify(0).meta.csum, 2);
}
END_TEST

Suite *suite_port(void)
{
	Suite *s = suite_create("port");
	TCase *frames = tcase_create("frames");

	tcase_add_test(frames, no_ip);
	tcase_add_test(frames, ipv4);
	tcase_add_test(frames, checksums);
	tcase_add_test(frames, fragments);
	tcase_add_test(frames, ipv6);
	tcase_add_test(frames, vlans);
	tcase_add_test(frames, tunnels);
	tcase_add_test(frames, cut_captures);
	tcase_add_test(frames, lengths);
	tcase_add_test(frames, csum);
	suite_add_tcase(s, frames);
	suite_add_tcase(s, tcase_port_rss());
	suite_add_tcase(s, tcase_port_count());
	suite_add_tcase(s, tcase_port_captures());
	return s;
}
