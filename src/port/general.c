/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * general.c - classify any frame: the dissector's view, and the NIC's.
 *
 * Of the NIC's view, the encoding is public (cqe.h names the sources); which
 * headers the parser follows is not, and is assumed from what the drivers
 * offer: two VLAN tags, VXLAN, Geneve, GRE and IP-in-IP, one level deep, with
 * all fields of byte 29 then the inner packet's (DPDK, mlx5_set_ptype_table).
 * Where a capture was cut, the NIC is taken to have seen what was captured.
 */
#include "internal.h"

/* The dissector's view: what tshark says of the frame itself. */
static unsigned view_of(const struct cqesim_frame *f, const struct port_l2 *l2,
			const struct port_ip *ip, const struct port_tunnel *t)
{
	static const uint16_t tunnel_view[] = {
		[PORT_TUNNEL_NONE] = 0,
		[PORT_TUNNEL_VXLAN] = CQESIM_VIEW_VXLAN,
		[PORT_TUNNEL_GENEVE] = CQESIM_VIEW_GENEVE,
		[PORT_TUNNEL_GRE] = CQESIM_VIEW_GRE,
		[PORT_TUNNEL_IPIP] = CQESIM_VIEW_IPIP,
	};
	unsigned view = 0;

	if (l2->first_tag)
		view |= CQESIM_VIEW_VLAN;
	if (l2->tags > 1)
		view |= CQESIM_VIEW_QINQ;
	if (l2->cut || ip->cut || t->cut)
		view |= CQESIM_VIEW_SHORT;
	if (ip->version)
		view |= ip->version == 4 ? CQESIM_VIEW_IPV4 : CQESIM_VIEW_IPV6;
	if (ip->fragment)
		view |= CQESIM_VIEW_FRAGMENT;
	if (!ip->readable)
		return view | CQESIM_VIEW_L4_NONE;
	if (ip->options)
		view |= CQESIM_VIEW_OPTIONS;
	view |= tunnel_view[t->kind];
	if (ip->proto == PORT_IP_TCP || ip->proto == PORT_IP_UDP) {
		view |= ip->proto == PORT_IP_TCP ? CQESIM_VIEW_TCP : CQESIM_VIEW_UDP;
		if (!ip->later && !port_have(f, ip->l4, ip->proto == PORT_IP_TCP ? 20 : 8))
			view |= CQESIM_VIEW_SHORT;
	} else if (ip->proto == PORT_IP_GRE && !ip->later) {
		/* Also what the NIC does not look into: ERSPAN, PPTP, MPLS. */
		view |= CQESIM_VIEW_GRE;
	}
	return view;
}

/*
 * The TCP kinds of byte 29.  Where the flags were not captured, ACK is taken as
 * set, as it is in all segments of a connection but the first.
 */
static uint8_t tcp_kind(const struct cqesim_frame *f, const struct port_ip *ip)
{
	uint32_t header = port_l4_bytes(f, ip);

	if (port_have(f, ip->l4, 14) && !(f->data[ip->l4 + 13] & 0x10))
		return CQESIM_HDR_L4_TCP;
	if (!header)
		header = PORT_TCP_BYTES;
	/* By the IP length, for short frames are padded. */
	return ip->end > ip->l4 && ip->end - ip->l4 > header ? CQESIM_HDR_L4_TCP_ACK_DATA
							     : CQESIM_HDR_L4_TCP_ACK;
}

static bool ipv4_sum_ok(const struct cqesim_frame *f, const struct port_ip *ip)
{
	return ip->cut || port_sum(f->data + ip->off, ip->l4 - ip->off) == 0xffff;
}

/* Bytes 28 and 29 for the innermost IP packet. */
static void describe_ip(const struct cqesim_port *port, const struct cqesim_frame *f,
			const struct port_ip *ip, struct cqesim_rxmeta *meta)
{
	bool l3_ok = true;

	if (ip->version == 4) {
		meta->l4_l3_hdr_type |= CQESIM_HDR_L3_IPV4;
		if (port->checksums != CQESIM_CHECKSUMS_TRUST)
			l3_ok = ipv4_sum_ok(f, ip);
	} else {
		meta->l4_l3_hdr_type |= CQESIM_HDR_L3_IPV6;
	}
	if (l3_ok)
		meta->hds_ip_ext |= CQESIM_L3_OK;
	if (ip->options)
		meta->l4_l3_hdr_type |= CQESIM_HDR_IP_OPTIONS;
	if (ip->fragment) {
		meta->l4_l3_hdr_type |= CQESIM_HDR_FRAGMENT;
		return;
	}
	if (ip->proto == PORT_IP_TCP)
		meta->l4_l3_hdr_type |= tcp_kind(f, ip);
	else if (ip->proto == PORT_IP_UDP)
		meta->l4_l3_hdr_type |= CQESIM_HDR_L4_UDP;
	else
		return;
	if (port->checksums != CQESIM_CHECKSUMS_VERIFY || port_l4_sum_ok(f, ip))
		meta->hds_ip_ext |= CQESIM_L4_OK;
}

/* The inner IP packet; false when the NIC does not see one. */
static bool inner_ip(const struct cqesim_frame *f, const struct port_tunnel *t, struct port_ip *ip)
{
	uint32_t off = t->off;
	unsigned type = t->type;

	if (t->cut)
		return false;
	if (type == PORT_ETH_TEB) {
		struct port_l2 l2;

		port_l2_parse(f, off, &l2);
		if (!l2.nic || l2.cut)
			return false;
		off = l2.off;
		type = l2.type;
	}
	port_ip_parse(f, off, type, ip);
	return ip->readable;
}

/*
 * RSS is over the outer header (level 0 and 1 of rte_flow's RSS action), for
 * fragments over the addresses alone.
 */
static void hash_ip(const struct cqesim_port *port, const struct cqesim_frame *f,
		    const struct port_ip *ip, struct cqesim_rxmeta *meta)
{
	bool v4 = ip->version == 4;
	const uint8_t *addresses = f->data + ip->off + (v4 ? 12 : 8);
	const uint8_t *ports = NULL;
	unsigned type = v4 ? CQESIM_HASH_TYPE_IPV4 : CQESIM_HASH_TYPE_IPV6;

	if (!(port->rss_fields & (v4 ? CQESIM_RSS_IPV4 : CQESIM_RSS_IPV6)))
		return;
	if (!ip->fragment && port_have(f, ip->l4, 4)) {
		if (ip->proto == PORT_IP_TCP && (port->rss_fields & CQESIM_RSS_TCP)) {
			ports = f->data + ip->l4;
			type |= CQESIM_HASH_TYPE_TCP;
		} else if (ip->proto == PORT_IP_UDP && (port->rss_fields & CQESIM_RSS_UDP)) {
			ports = f->data + ip->l4;
			type |= CQESIM_HASH_TYPE_UDP;
		}
	}
	meta->rx_hash_type = (uint8_t)type;
	meta->rx_hash_res = v4 ? port_hash_ipv4(port, addresses, ports)
			       : port_hash_ipv6(port, addresses, ports);
}

static void nic_ip(const struct cqesim_port *port, const struct cqesim_frame *f,
		   const struct port_ip *outer, const struct port_tunnel *t,
		   struct cqesim_rxmeta *meta)
{
	/* A tunnel in fragments is not looked into. */
	bool tunneled = t->kind != PORT_TUNNEL_NONE && !outer->fragment;
	struct port_ip inner;

	hash_ip(port, f, outer, meta);
	if (!tunneled) {
		describe_ip(port, f, outer, meta);
		return;
	}
	bool ip_inside = inner_ip(f, t, &inner);

	/* IP-in-IP without IP inside is no tunnel. */
	if (t->kind == PORT_TUNNEL_IPIP && !ip_inside) {
		describe_ip(port, f, outer, meta);
		return;
	}
	meta->pkt_info = CQESIM_PKT_INFO_TUNNELED;
	if (outer->version == 6)
		meta->pkt_info |= CQESIM_PKT_INFO_OUTER_IPV6;
	if (ip_inside)
		describe_ip(port, f, &inner, meta);
}

/* See checksum.c for what is covered. */
static uint16_t csum_of(const struct cqesim_frame *f, const struct port_ip *ip, uint32_t l2_bytes)
{
	uint32_t from = l2_bytes, to = f->cap_len;

	if (ip) {
		from = ip->off;
		if (ip->end < to)
			to = ip->end;
	}
	return to > from ? port_sum(f->data + from, to - from) : 0;
}

/* Only C-tags are taken off (assumed; DPDK's and Linux's offloads are named for them). */
static bool strip_tag(const struct cqesim_port *port, const struct port_l2 *l2)
{
	return port->vlan_strip && l2->tags && l2->first_tag == PORT_ETH_CTAG;
}

void port_classify_general(const struct cqesim_port *port, const struct cqesim_frame *f,
			   struct cqesim_rx *rx)
{
	struct port_l2 l2;
	struct port_ip ip;
	struct port_tunnel tunnel;

	memset(rx, 0, sizeof(*rx));
	port_l2_parse(f, 0, &l2);
	port_ip_parse(f, l2.off, l2.cut ? 0 : l2.type, &ip);
	port_tunnel_parse(f, &ip, &tunnel);
	rx->view = (uint16_t)view_of(f, &l2, &ip, &tunnel);
	rx->oversize = f->len > port->max_frame;

	uint32_t l4_bytes = ip.readable && !ip.cut && !ip.fragment ? port_l4_bytes(f, &ip) : 0;

	if (l4_bytes && ip.l4 + l4_bytes <= UINT16_MAX)
		rx->hdr_len = (uint16_t)(ip.l4 + l4_bytes);

	struct cqesim_rxmeta *meta = &rx->meta;
	bool nic_sees_ip = l2.nic && ip.readable;
	bool strip = strip_tag(port, &l2);

	meta->hds_ip_ext = CQESIM_L2_OK;
	meta->byte_cnt = f->len + (port->keep_fcs ? CQESIM_FCS_BYTES : 0);
	if (strip) {
		meta->byte_cnt -= PORT_TAG_BYTES;
		meta->vlan_info = l2.first_tci;
		meta->l4_l3_hdr_type = CQESIM_HDR_VLAN_STRIPPED;
	}
	if (nic_sees_ip)
		nic_ip(port, f, &ip, &tunnel, meta);
	if (port->want_csum)
		meta->csum = csum_of(f, nic_sees_ip ? &ip : NULL,
				     PORT_ETH_BYTES + (strip ? PORT_TAG_BYTES : 0));
	rx->queue = port->reta[meta->rx_hash_type ? meta->rx_hash_res & port->reta_mask : 0];
}
