/* SPDX-License-Identifier: BSD-3-Clause */
/* What of LRO is the card's: which frames may be joined at all.  See card.h and nic.h. */
#include "card_internal.h"

#define TAG_BYTES    4u
#define CHECKSUMS_OK 0x06u /* hds_ip_ext: l3_ok, l4_ok */

int card_lro_config(const struct cqesim_card_lro *lro, struct cqesim_aggregate_config *config)
{
	cqesim_aggregate_defaults(config, CQESIM_AGGREGATE_LRO, 1500, NULL);
	config->contexts = 1;
	config->max_bytes = lro->max_bytes;
	config->timeout_ps = lro->timeout_ps;
	config->min_payload = lro->min_payload;

	struct cqesim_aggregate tried;
	return cqesim_aggregate_init(&tried, config, NULL, NULL, NULL);
}

bool card_lro_segment(const struct cqesim_card *card, const struct card_tir *tir,
		      const struct card_rq *rq, const struct cqesim_frame *frame,
		      const struct cqesim_rx *rx, struct cqesim_segment *segment)
{
	const struct cqesim_card_lro *lro = &tir->attr.lro;
	bool wanted = (rx->view & CQESIM_VIEW_IPV4 && lro->ipv4) ||
		      (rx->view & CQESIM_VIEW_IPV6 && lro->ipv6);

	/* DPDK mlx5_rxq.c: RQs of TIRs with LRO "should not be configured to scatter the FCS". */
	if (!wanted || rq->keep_fcs || (rx->meta.hds_ip_ext & CHECKSUMS_OK) != CHECKSUMS_OK ||
	    rx->meta.pkt_info)
		return false;
	cqesim_segment_read(frame, segment);
	if (!segment->tcp || segment->header_bytes + segment->payload_bytes != frame->len)
		return false;
	segment->time_ps = card->now_ps;
	/* Another rule's packet is another flow to the driver. */
	segment->traits ^= rx->meta.flow_tag * UINT64_C(0x9e3779b97f4a7c15);
	if (rx->meta.l4_l3_hdr_type & CQESIM_HDR_VLAN_STRIPPED)
		segment->header_bytes -= TAG_BYTES;
	return true;
}
