/* SPDX-License-Identifier: BSD-3-Clause */
/* Sent frames in one piece, with the checksums that the driver left to the card. */
#include <string.h>

#include "card_internal.h"
#include "port/internal.h"

bool card_headers(const uint8_t *data, uint32_t there, uint32_t length, struct card_headers *h)
{
	const struct cqesim_frame f = {
		.data = data, .cap_len = there, .orig_len = length, .len = length};
	struct port_l2 l2;
	struct port_ip ip;

	port_l2_parse(&f, 0, &l2);
	port_ip_parse(&f, l2.off, l2.cut ? 0 : l2.type, &ip);
	if (!ip.readable || ip.cut || ip.fragment)
		return false;
	*h = (struct card_headers){
		.version = ip.version, .proto = ip.proto, .l3 = ip.off, .l4 = ip.l4, .end = ip.end};
	return true;
}

static void ipv4_checksum(uint8_t *ip, uint32_t bytes)
{
	cqesim_be_store(ip + 10, 2, 0);
	cqesim_be_store(ip + 10, 2, (uint16_t)~port_sum(ip, bytes));
}

static uint16_t add(uint32_t a, uint32_t b)
{
	a += b;
	return (uint16_t)((a & 0xffff) + (a >> 16));
}

/* RFC 768, 9293: over the pseudo-header too; UDP tells 0 as ffff. */
static void l4_checksum(uint8_t *frame, uint32_t length, const struct card_headers *h)
{
	uint8_t *l4 = frame + h->l4;
	uint32_t end = h->end < length ? h->end : length;
	uint32_t at = h->proto == PORT_IP_TCP ? 16 : 6;

	if (end < h->l4 + (h->proto == PORT_IP_TCP ? PORT_TCP_BYTES : PORT_UDP_BYTES))
		return;
	cqesim_be_store(l4 + at, 2, 0);
	uint16_t sum =
		h->version == 4 ? port_sum(frame + h->l3 + 12, 8) : port_sum(frame + h->l3 + 8, 32);
	sum = add(sum, add(h->proto, add((end - h->l4) >> 16, (end - h->l4) & 0xffff)));
	sum = (uint16_t)~add(sum, port_sum(l4, end - h->l4));
	cqesim_be_store(l4 + at, 2, !sum && h->proto == PORT_IP_UDP ? 0xffff : sum);
}

uint32_t cqesim_sent_frame_copy(const struct cqesim_sent_frame *frame, uint8_t *to, uint32_t room)
{
	uint32_t length = 0;
	struct card_headers h;

	if (frame->length > room)
		return 0;
	for (unsigned i = 0; i < frame->pieces; i++) {
		memcpy(to + length, frame->piece[i].data, frame->piece[i].length);
		length += frame->piece[i].length;
	}
	if (!(frame->l3_checksum || frame->l4_checksum) || !card_headers(to, length, length, &h))
		return length;
	if (frame->l3_checksum && h.version == 4)
		ipv4_checksum(to + h.l3, h.l4 - h.l3);
	if (frame->l4_checksum && (h.proto == PORT_IP_TCP || h.proto == PORT_IP_UDP))
		l4_checksum(to, length, &h);
	return length;
}
