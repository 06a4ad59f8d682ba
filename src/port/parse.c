/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parse.c - headers, one layer at a time.  Facts only; what a dissector and
 * what a NIC make of them is in general.c.  Nothing is read beyond cap_len.
 */
#include "internal.h"

static bool is_tag(unsigned type)
{
	return type == PORT_ETH_CTAG || type == PORT_ETH_STAG || type == PORT_ETH_9100;
}

/* NICs parse two tags, of the two types that IEEE 802.1Q has (assumed). */
#define NIC_TAGS 2u

void port_l2_parse(const struct cqesim_frame *f, uint32_t off, struct port_l2 *l2)
{
	*l2 = (struct port_l2){.off = off, .nic = true};
	if (!port_have(f, off, PORT_ETH_BYTES)) {
		l2->cut = true;
		return;
	}
	l2->type = port_be16(f->data + off + 12);
	l2->off = off + PORT_ETH_BYTES;
	if (is_tag(l2->type))
		l2->first_tag = l2->type;
	while (is_tag(l2->type)) {
		if (l2->type == PORT_ETH_9100)
			l2->nic = false;
		if (!port_have(f, l2->off, PORT_TAG_BYTES)) {
			l2->cut = true;
			break;
		}
		if (!l2->tags++)
			l2->first_tci = port_be16(f->data + l2->off);
		l2->type = port_be16(f->data + l2->off + 2);
		l2->off += PORT_TAG_BYTES;
	}
	if (l2->tags > NIC_TAGS)
		l2->nic = false;
}

/* MF, or an offset. */
static bool ipv4_more(const uint8_t *p)
{
	return port_be16(p + 6) & 0x3fff;
}

/*
 * An EtherType alone makes it IPv4, whatever follows; IPv6 only if the version
 * is 6: so tshark has it (ipv6_parse).
 */
static void ipv4_parse(const struct cqesim_frame *f, struct port_ip *ip)
{
	const uint8_t *p = f->data + ip->off;

	ip->version = 4;
	if (!port_have(f, ip->off, PORT_IPV4_BYTES)) {
		/* A dissector still tells a fragment where the cut comes after that field. */
		ip->fragment = port_have(f, ip->off, 8) && p[0] >> 4 == 4 && ipv4_more(p);
		ip->cut = true;
		return;
	}
	uint32_t header = (p[0] & 15u) * 4;
	uint32_t total = port_be16(p + 2);
	/* A total length of 0 stands in captures of packets that the sender's NIC will cut. */
	if (p[0] >> 4 != 4 || header < PORT_IPV4_BYTES || (total && total < header))
		return;
	ip->readable = true;
	ip->proto = p[9];
	ip->options = header > PORT_IPV4_BYTES;
	ip->fragment = ipv4_more(p);
	ip->later = port_be16(p + 6) & 0x1fff;
	ip->l4 = ip->off + header;
	ip->end = total ? ip->off + total : f->orig_len;
	ip->cut = !port_have(f, ip->off, header);
}

/*
 * The four extension headers that can be passed over without knowing more
 * (RFC 8200); anything else is the payload, AH and mobility too, as tshark has
 * it.  Where one was not captured, proto is its number.
 */
static void ipv6_extensions(const struct cqesim_frame *f, struct port_ip *ip)
{
	while (ip->proto == PORT_IP_HOPOPTS || ip->proto == PORT_IP_ROUTING ||
	       ip->proto == PORT_IP_DSTOPTS || ip->proto == PORT_IP_FRAGMENT) {
		ip->options = true;
		if (ip->proto == PORT_IP_FRAGMENT)
			ip->fragment = true;
		if (!port_have(f, ip->l4, 8)) {
			ip->cut = true;
			return;
		}
		const uint8_t *p = f->data + ip->l4;

		if (ip->proto == PORT_IP_FRAGMENT) {
			ip->later = port_be16(p + 2) & 0xfff8;
			ip->l4 += 8;
		} else {
			ip->l4 += (p[1] + 1u) * 8;
		}
		ip->proto = p[0];
		if (ip->later)
			return;
	}
}

static void ipv6_parse(const struct cqesim_frame *f, struct port_ip *ip)
{
	const uint8_t *p = f->data + ip->off;

	if (port_have(f, ip->off, 1) && p[0] >> 4 != 6)
		return;
	ip->version = 6;
	if (!port_have(f, ip->off, PORT_IPV6_BYTES)) {
		ip->cut = true;
		return;
	}
	ip->readable = true;
	ip->proto = p[6];
	ip->l4 = ip->off + PORT_IPV6_BYTES;
	/* 0: a jumbogram (RFC 2675), or a packet that the sender's NIC will cut. */
	ip->end = port_be16(p + 4) ? ip->l4 + port_be16(p + 4) : f->orig_len;
	ipv6_extensions(f, ip);
}

void port_ip_parse(const struct cqesim_frame *f, uint32_t off, unsigned ethertype,
		   struct port_ip *ip)
{
	*ip = (struct port_ip){.off = off};
	if (ethertype == PORT_ETH_IPV4)
		ipv4_parse(f, ip);
	else if (ethertype == PORT_ETH_IPV6)
		ipv6_parse(f, ip);
}

/* GRE (RFC 2784 with the key and sequence number of RFC 2890); version 0 only. */
static void gre_parse(const struct cqesim_frame *f, uint32_t off, struct port_tunnel *t)
{
	if (!port_have(f, off, 4)) {
		t->cut = true;
		return;
	}
	unsigned flags = port_be16(f->data + off);
	unsigned type = port_be16(f->data + off + 2);

	if ((flags & 0x4007) ||
	    (type != PORT_ETH_IPV4 && type != PORT_ETH_IPV6 && type != PORT_ETH_TEB))
		return;
	t->kind = PORT_TUNNEL_GRE;
	t->type = (uint16_t)type;
	/* Checksum, key and sequence number take four bytes each. */
	t->off = off + 4 + 4u * (unsigned)__builtin_popcount(flags & 0xb000);
}

static void udp_tunnel_parse(const struct cqesim_frame *f, uint32_t off, struct port_tunnel *t)
{
	if (!port_have(f, off, PORT_UDP_BYTES)) {
		t->cut = true;
		return;
	}
	unsigned port = port_be16(f->data + off + 2);

	off += PORT_UDP_BYTES;
	if (port == PORT_UDP_VXLAN) { /* RFC 7348: eight bytes, then a frame */
		t->kind = PORT_TUNNEL_VXLAN;
		t->cut = !port_have(f, off, 8);
		t->type = PORT_ETH_TEB;
		t->off = off + 8;
	} else if (port == PORT_UDP_GENEVE) { /* RFC 8926 */
		t->kind = PORT_TUNNEL_GENEVE;
		t->cut = !port_have(f, off, 8);
		if (t->cut)
			return;
		t->type = port_be16(f->data + off + 2);
		t->off = off + 8 + (f->data[off] & 0x3fu) * 4;
	}
}

void port_tunnel_parse(const struct cqesim_frame *f, const struct port_ip *ip,
		       struct port_tunnel *t)
{
	*t = (struct port_tunnel){.kind = PORT_TUNNEL_NONE};
	if (!ip->readable || ip->later || ip->cut)
		return;
	switch (ip->proto) {
	case PORT_IP_UDP:
		udp_tunnel_parse(f, ip->l4, t);
		break;
	case PORT_IP_GRE:
		gre_parse(f, ip->l4, t);
		break;
	case PORT_IP_IPV4:
	case PORT_IP_IPV6:
		t->kind = PORT_TUNNEL_IPIP;
		t->type = ip->proto == PORT_IP_IPV4 ? PORT_ETH_IPV4 : PORT_ETH_IPV6;
		t->off = ip->l4;
		break;
	}
}

uint32_t port_l4_bytes(const struct cqesim_frame *f, const struct port_ip *ip)
{
	uint32_t n = 0;

	if (ip->proto == PORT_IP_UDP) {
		n = PORT_UDP_BYTES;
	} else if (ip->proto == PORT_IP_TCP && port_have(f, ip->l4, 13)) {
		n = (f->data[ip->l4 + 12] >> 4) * 4u;
		if (n < PORT_TCP_BYTES)
			n = 0;
	}
	return port_have(f, ip->l4, n) ? n : 0;
}
