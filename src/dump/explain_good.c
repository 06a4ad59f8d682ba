/* SPDX-License-Identifier: BSD-3-Clause */
/* Completions that did not fail, in a sentence. */
#include <string.h>

#include "dump/dump_internal.h"

static const char *named(const char *part, unsigned value)
{
	return cqesim_value_name(part, value);
}

/* "IPv4, TCP with ACK and data, VLAN stripped, L3 and L4 checksums good" */
static void headers(const struct cqesim_cqe *c, struct dump_text *t)
{
	const char *l3 = named("l3_hdr_type", c->l4_l3_hdr_type >> 2 & 3);
	const char *l4 = named("l4_hdr_type", c->l4_l3_hdr_type >> 4 & 7);

	if (c->pkt_info & CQESIM_PKT_INFO_TUNNELED)
		dump_say(t, ", in a tunnel");
	if (c->l4_l3_hdr_type & CQESIM_HDR_L3_MASK)
		dump_say(t, ", %s", l3 ? l3 : "L3 type 3");
	if (c->l4_l3_hdr_type & CQESIM_HDR_L4_MASK)
		dump_say(t, ", %s", l4 ? l4 : "L4 type above 4");
	if (c->l4_l3_hdr_type & CQESIM_HDR_IP_OPTIONS)
		dump_say(t, ", IP options");
	if (c->l4_l3_hdr_type & CQESIM_HDR_FRAGMENT)
		dump_say(t, ", a fragment");
	if (c->l4_l3_hdr_type & CQESIM_HDR_VLAN_STRIPPED)
		dump_say(t, ", VLAN %u stripped", c->vlan_info & 0xfff);
	switch (c->hds_ip_ext & (CQESIM_L3_OK | CQESIM_L4_OK)) {
	case CQESIM_L3_OK | CQESIM_L4_OK:
		dump_say(t, ", L3 and L4 checksums good");
		break;
	case CQESIM_L3_OK:
		dump_say(t, ", L3 checksum good");
		break;
	case CQESIM_L4_OK:
		dump_say(t, ", L4 checksum good");
		break;
	default:
		break;
	}
}

static void tags(const struct cqesim_cqe *c, struct dump_text *t)
{
	if (c->rx_hash_res)
		dump_say(t, ", RSS hash 0x%08x", c->rx_hash_res);
	if (c->flow_tag)
		dump_say(t, ", flow tag 0x%06x", c->flow_tag);
	if (c->lro_num_seg > 1)
		dump_say(t, ", %u TCP segments joined", c->lro_num_seg);
}

/* Strides lie where the length of an ordinary frame has no bits (KRN, PRM-H). */
static bool striding(const struct cqesim_cqe *c)
{
	return c->byte_cnt >> 31 || (c->byte_cnt >> 16 && c->hds_ip_ext);
}

static void packet(const struct cqesim_cqe *c, struct dump_text *t)
{
	if (striding(c) && c->byte_cnt >> 31) {
		dump_say(t,
			 "A filler, no packet: it closes the striding WQE 0x%x, %u strides unused.",
			 c->wqe_id, c->byte_cnt >> 16 & 0x7fff);
		return;
	}
	if (striding(c))
		dump_say(t, "Received %u bytes in %u strides from stride %u on (striding WQE 0x%x)",
			 c->byte_cnt & 0xffff, c->byte_cnt >> 16 & 0x7fff, c->wqe_counter,
			 c->wqe_id);
	else
		dump_say(t, "Received %u bytes into the buffer with WQE index %u", c->byte_cnt,
			 c->wqe_counter);
	headers(c, t);
	tags(c, t);
	if (c->format == CQESIM_FORMAT_INLINE_32 || c->format == CQESIM_FORMAT_INLINE_64)
		dump_say(t, ", its data in the completion itself");
	dump_say(t, ".");
}

/* Format 3: title of the basic layout, or array of the enhanced one. */
static void compressed(const struct cqesim_cqe *c, struct dump_text *t)
{
	bool title =
		c->opcode == CQESIM_OP_RESP_SEND && c->byte_cnt >= 2 && c->byte_cnt <= 1u << 22;

	if (title) {
		dump_say(
			t,
			"The title of a compressed session of %u packets (basic layout): what they "
			"share stands here, their lengths and hashes in mini arrays in the slots "
			"that "
			"follow",
			c->byte_cnt);
		headers(c, t);
		if (c->flow_tag)
			dump_say(t, ", flow tag 0x%06x", c->flow_tag);
		dump_say(t,
			 "; in the enhanced layout the same last byte means an array of 3 minis");
	} else if (c->opcode + 1u <= 7) {
		dump_say(t,
			 "A mini array of the enhanced layout: %u packets, described by the plain "
			 "completion before it",
			 c->opcode + 1u);
	} else {
		dump_say(t,
			 "Compressed (format 3), but neither a title nor an array of 1 to 7 minis");
	}
	dump_say(t, ".");
}

static void message(const struct cqesim_cqe *c, struct dump_text *t)
{
	switch (c->opcode) {
	case CQESIM_OP_RESP_WR_IMM:
		dump_say(t,
			 "An RDMA write of the peer with immediate 0x%x arrived, %u bytes; it used "
			 "the "
			 "receive with WQE index %u.",
			 c->flow_table_metadata, c->byte_cnt, c->wqe_counter);
		break;
	case CQESIM_OP_RESP_SEND_IMM:
		dump_say(
			t,
			"A message of %u bytes with immediate 0x%x arrived in the receive with WQE "
			"index %u.",
			c->byte_cnt, c->flow_table_metadata, c->wqe_counter);
		break;
	default:
		dump_say(t,
			 "A message of %u bytes arrived in the receive with WQE index %u and "
			 "invalidated the memory key 0x%x.",
			 c->byte_cnt, c->wqe_counter, c->flow_table_metadata);
		break;
	}
}

static void sent(const struct cqesim_dump_item *item, struct dump_text *t)
{
	struct cqesim_dump_facts f;
	struct cqesim_cqe_req c;

	cqesim_cqe_req_decode(item->raw, &c);
	cqesim_dump_facts(item, &f);
	const char *operation = dump_operation(c.send_opcode);
	bool zero = true;
	for (unsigned i = 0; i < 64; i++)
		zero &= !item->raw[i];
	if (zero) {
		dump_say(t, "64 zero bytes: no completion was written here.");
		return;
	}
	dump_say(t, "Sent without error: %s up to WQE index %u on QP 0x%x",
		 operation ? operation : "work", c.wqe_counter, c.qpn);
	if (c.byte_cnt)
		dump_say(t, ", %u bytes came back", c.byte_cnt);
	dump_say(t, ".");
}

static void signature(const struct cqesim_dump_item *item, struct dump_text *t)
{
	struct cqesim_cqe_sig s;

	cqesim_cqe_sig_decode(item->raw, &s);
	const char *what = cqesim_value_name("sig_syndrome", s.sig_syndrome);

	dump_say(t,
		 "On this host: data under memory key 0x%x does not match its signature%s%s, at "
		 "byte %llu (transaction signature 0x%08x expected, 0x%08x found; reference tag "
		 "0x%08x expected, 0x%08x found).",
		 s.mkey, what ? "'s " : "", what ? what : "", (unsigned long long)s.err_offset,
		 s.expected_trans_sig, s.actual_trans_sig, s.expected_reftag, s.actual_reftag);
}

void dump_explain_good(const struct cqesim_dump_item *item, struct dump_text *t)
{
	struct cqesim_cqe c;

	cqesim_cqe_decode(item->raw, &c);
	if (item->flags & CQESIM_DUMP_ARRAY) {
		dump_say(t, "No completion: minis, or a hole, of the session whose title stands "
			    "before.");
		return;
	}
	if (!(item->known >> 63)) {
		dump_say(t, "A part of a completion without its last byte, which says what it is.");
		return;
	}
	if (c.format == CQESIM_FORMAT_COMPRESSED && c.opcode != CQESIM_OP_INVALID) {
		compressed(&c, t);
		return;
	}
	switch (c.opcode) {
	case CQESIM_OP_REQ:
		sent(item, t);
		break;
	case CQESIM_OP_RESP_SEND:
		packet(&c, t);
		break;
	case CQESIM_OP_RESP_WR_IMM:
	case CQESIM_OP_RESP_SEND_IMM:
	case CQESIM_OP_RESP_SEND_INV:
		message(&c, t);
		break;
	case CQESIM_OP_RESIZE_CQ:
		dump_say(t,
			 "The completion queue was resized: what follows stands in the new ring.");
		break;
	case CQESIM_OP_NO_PACKET:
		dump_say(t, "A completion without a packet (NO_PACKET).");
		break;
	case CQESIM_OP_SIG_ERR:
		signature(item, t);
		break;
	case CQESIM_OP_INVALID:
		dump_say(t, "An empty slot: it belongs to the card, or software has marked it as "
			    "read.");
		break;
	default:
		dump_say(t, "Opcode %u, which no public source names: probably no completion.",
			 c.opcode);
		break;
	}
}
