/* SPDX-License-Identifier: BSD-3-Clause */
/* A link profile as numbers for the station pcie. */
#include <string.h>

#include "cqesim/pcie.h"
#include "cqesim/profile.h"

#define PS_PER_NS 1000u

static uint32_t number(const struct cqesim_profile *link, unsigned id)
{
	return (uint32_t)cqesim_profile_u64(link, id);
}

void cqesim_profile_link(const struct cqesim_profile *link, struct cqesim_link_config *config,
			 struct cqesim_link_latency *latency)
{
	if (config)
		*config = (struct cqesim_link_config){
			.generation = link->generation,
			.lanes = link->lanes,
			.mps = number(link, CQESIM_LINK_MPS),
			.mrrs = number(link, CQESIM_LINK_MRRS),
			.rcb = number(link, CQESIM_LINK_RCB),
			.addr_bits = number(link, CQESIM_LINK_ADDR_BITS),
			.ecrc = cqesim_profile_flag(link, CQESIM_LINK_ECRC),
			.prefixes = number(link, CQESIM_LINK_PREFIXES),
			.cpl_per_rcb =
				!strcmp(cqesim_profile_text(link, CQESIM_LINK_COMPLETIONS), "rcb"),
			.ack_every = cqesim_profile_num(link, CQESIM_LINK_ACK_EVERY),
			.fc_every = cqesim_profile_num(link, CQESIM_LINK_FC_EVERY),
			.skp_blocks = number(link, CQESIM_LINK_SKP_BLOCKS),
			.skp_symbols = number(link, CQESIM_LINK_SKP_SYMBOLS),
			.efficiency = cqesim_profile_num(link, CQESIM_LINK_EFFICIENCY),
		};
	if (latency)
		*latency = (struct cqesim_link_latency){
			.rtt_ps = (uint64_t)number(link, CQESIM_LINK_READ_RTT) * PS_PER_NS,
			.tags = number(link, CQESIM_LINK_TAGS),
			.credit_return_ps =
				(uint64_t)number(link, CQESIM_LINK_CREDIT_RETURN) * PS_PER_NS,
			.posted_headers = number(link, CQESIM_LINK_POSTED_HEADERS),
			.posted_data = number(link, CQESIM_LINK_POSTED_DATA),
			.read_headers = number(link, CQESIM_LINK_READ_HEADERS),
		};
}
