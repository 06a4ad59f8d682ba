/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * checksum.c - Internet checksums.
 *
 * port_sum() is the CQE's csum field: the ones' complement sum (not its
 * complement) of big-endian 16-bit words.  Linux takes the field's two bytes
 * for such a sum in memory order (en_rx.c, mlx5e_handle_csum: CHECKSUM_COMPLETE
 * with csum_unfold((__sum16)cqe->check_sum)); written big-endian from here, the
 * two bytes lie as Linux expects them, for the sum does not depend on the order
 * in which the bytes of words are taken.
 *
 * What the sum covers follows the same driver's repairs (mlx5e_skb_csum_fixup):
 * from the IP header on, no VLAN tags, and up to the end of the IP packet, no
 * padding.  The driver does not use the field for other frames; here it is then
 * the sum over all captured bytes after the Ethernet header and the stripped
 * tag (assumed).
 */
#include "internal.h"

static uint16_t fold(uint64_t sum)
{
	sum = (sum >> 32) + (sum & 0xffffffff);
	sum = (sum >> 32) + (sum & 0xffffffff);
	sum = (sum >> 16) + (sum & 0xffff);
	sum = (sum >> 16) + (sum & 0xffff);
	return (uint16_t)sum;
}

/* Sum of 32-bit words in memory order; cannot overflow below 16 GB. */
static uint64_t sum_words(const uint8_t *p, size_t n)
{
	uint64_t sum = 0;
	uint64_t w;

	for (; n >= 8; p += 8, n -= 8) {
		memcpy(&w, p, 8);
		sum += (w >> 32) + (w & 0xffffffff);
	}
	if (n & 4) {
		uint32_t half;

		memcpy(&half, p, 4);
		sum += half;
		p += 4;
	}
	/* The last one to three bytes, as if zeros followed. */
	uint8_t rest[4] = {0};

	if (n & 2)
		memcpy(rest, p, 2);
	if (n & 1)
		rest[n & 2] = p[n & 2];
	uint32_t last;

	memcpy(&last, rest, 4);
	return sum + last;
}

uint16_t port_sum(const uint8_t *p, size_t n)
{
	return be16toh(fold(sum_words(p, n)));
}

/*
 * Is the TCP or UDP checksum right?  Trusted where it cannot be known: part of
 * the packet was not captured.  Packets longer than their frame are wrong.  The
 * destination in the pseudo-header is the IP header's, so IPv6 packets with
 * routing segments left come out as wrong (assumed: a NIC does not look there).
 */
bool port_l4_sum_ok(const struct cqesim_frame *f, const struct port_ip *ip)
{
	if (ip->end > f->orig_len || ip->l4 > ip->end)
		return false;
	if (ip->end > f->cap_len)
		return true;

	const uint8_t *l4 = f->data + ip->l4;
	uint32_t len = ip->end - ip->l4;

	if (ip->proto == PORT_IP_UDP) {
		if (len < PORT_UDP_BYTES)
			return false;
		/* IPv4 allows leaving it out (RFC 768), IPv6 does not (RFC 8200). */
		if (!port_be16(l4 + 6))
			return ip->version == 4;
		uint32_t udp_len = port_be16(l4 + 4);
		/* 0: longer than the field can tell (RFC 2675), or not yet segmented. */
		if (udp_len && (udp_len < PORT_UDP_BYTES || udp_len > len))
			return false;
		if (udp_len)
			len = udp_len;
	} else if (len < PORT_TCP_BYTES) {
		return false;
	}
	const uint8_t pseudo[8] = {(uint8_t)(len >> 24),
				   (uint8_t)(len >> 16),
				   (uint8_t)(len >> 8),
				   (uint8_t)len,
				   0,
				   0,
				   0,
				   ip->proto};
	uint64_t sum = sum_words(pseudo, sizeof(pseudo));

	if (ip->version == 4)
		sum += sum_words(f->data + ip->off + 12, 8);
	else
		sum += sum_words(f->data + ip->off + 8, 32);
	return fold(sum + sum_words(l4, len)) == 0xffff;
}
