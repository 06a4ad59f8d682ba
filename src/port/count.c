/* SPDX-License-Identifier: BSD-3-Clause */
/* count.c - counters over classified packets, and the segments of oversize ones. */
#include "internal.h"

void cqesim_port_count(struct cqesim_port_stats *stats, const struct cqesim_rx *rx, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct cqesim_rxmeta *meta = &rx[i].meta;

		stats->by_view[rx[i].view & ((1u << CQESIM_VIEW_BITS) - 1)]++;
		stats->by_l4_l3[meta->l4_l3_hdr_type & ~CQESIM_HDR_VLAN_STRIPPED & 0xffu]++;
		stats->by_flags[meta->hds_ip_ext & 7u]++;
		stats->nic_tunnel += meta->pkt_info & CQESIM_PKT_INFO_TUNNELED;
		stats->nic_vlan += meta->l4_l3_hdr_type & CQESIM_HDR_VLAN_STRIPPED;
		stats->hashed += meta->rx_hash_type != 0;
	}
}

uint64_t cqesim_port_views(const struct cqesim_port_stats *stats, unsigned all, unsigned none)
{
	uint64_t sum = 0;

	for (unsigned view = 0; view < 1u << CQESIM_VIEW_BITS; view++)
		if ((view & all) == all && !(view & none))
			sum += stats->by_view[view];
	return sum;
}

/*
 * Segments carry the headers and as much data as fits, the last one the rest:
 * TSO for TCP, USO for UDP.  Of a tunnel, the outer UDP packet is cut; that a
 * NIC would repeat the inner headers is not modelled.
 */
unsigned cqesim_port_segments(const struct cqesim_frame *frame, const struct cqesim_rx *rx,
			      uint32_t max_frame)
{
	uint32_t headers = rx->hdr_len;

	if (!headers || headers >= max_frame || frame->orig_len < headers)
		return 0;

	uint32_t data = frame->orig_len - headers;
	uint32_t chunk = max_frame - headers;

	return data ? (data - 1) / chunk + 1 : 1;
}

uint32_t cqesim_port_segment_len(const struct cqesim_frame *frame, const struct cqesim_rx *rx,
				 uint32_t max_frame, unsigned i)
{
	unsigned n = cqesim_port_segments(frame, rx, max_frame);
	uint32_t len = max_frame;

	if (i >= n)
		return 0;
	if (i == n - 1)
		len = frame->orig_len - i * (max_frame - rx->hdr_len);
	return len < CQESIM_MIN_FRAME ? CQESIM_MIN_FRAME : len;
}
