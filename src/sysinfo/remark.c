/* SPDX-License-Identifier: BSD-3-Clause */
/* What is worth saying of a card, its slot and its counters. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

typedef bool remark(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card,
		    char text[CQESIM_SYSINFO_REMARK]);

static uint64_t counted(const struct cqesim_sysinfo *info, enum cqesim_sysinfo_counter c)
{
	return info->has >> c & 1 ? info->counters[c] : 0;
}

static bool denied(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card,
		   char text[CQESIM_SYSINFO_REMARK])
{
	(void)info;
	if (!card || !card->denied)
		return false;
	snprintf(text, CQESIM_SYSINFO_REMARK,
		 "%s: lspci was not allowed to read link and settings; run it as root.",
		 card->address);
	return true;
}

static bool no_link(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card,
		    char text[CQESIM_SYSINFO_REMARK])
{
	(void)info;
	if (!card || card->denied || cqesim_sysinfo_gbps(cqesim_sysinfo_bottleneck(card)) > 0)
		return false;
	snprintf(text, CQESIM_SYSINFO_REMARK, "%s: width and speed of its link are not said%s.",
		 card->address,
		 card->virtual_function ? "; a virtual function has none of its own"
					: " (lspci needs -vv)");
	return true;
}

static bool narrow(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card,
		   char text[CQESIM_SYSINFO_REMARK])
{
	static const char *const speeds[] = {"?", "2.5", "5", "8", "16", "32", "64"};
	struct cqesim_sysinfo_width w;
	const char *why;
	char port[96] = "";

	(void)info;
	if (!card || !cqesim_sysinfo_degraded(card))
		return false;
	w = cqesim_sysinfo_bottleneck(card);
	if (cqesim_sysinfo_gbps(card->negotiated) > cqesim_sysinfo_gbps(w) ||
	    (*card->path_at && !card->negotiated.lanes)) {
		snprintf(port, sizeof(port), "the narrowest link on the way to the host is at %s",
			 *card->path_at ? card->path_at : "an unknown device");
		why = port;
	} else if (!card->slot.lanes) {
		why = "slot, riser or a failed training";
	} else if (cqesim_sysinfo_gbps(card->slot) <= cqesim_sysinfo_gbps(w)) {
		why = "the slot has no more";
	} else {
		why = "the slot has more: look at riser, contacts, BIOS settings";
	}
	snprintf(text, CQESIM_SYSINFO_REMARK,
		 "The link is %s%s%s than the card: %s GT/s x%u, the card can %s GT/s x%u; %.1f of "
		 "%.1f Gb/s after the line code (%s).",
		 w.lanes < card->capable.lanes ? "narrower" : "",
		 w.lanes < card->capable.lanes && w.generation < card->capable.generation ? " and "
											  : "",
		 w.generation < card->capable.generation ? "slower" : "", speeds[w.generation],
		 w.lanes, speeds[card->capable.generation], card->capable.lanes,
		 cqesim_sysinfo_gbps(w), cqesim_sysinfo_gbps(card->capable), why);
	return true;
}

static bool small_payload(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card,
			  char text[CQESIM_SYSINFO_REMARK])
{
	(void)info;
	if (!card || !card->mps || card->mps >= 256 || card->mps_capable <= card->mps)
		return false;
	snprintf(text, CQESIM_SYSINFO_REMARK,
		 "MaxPayload is %u bytes, the card can %u: large packets take more TLPs than they "
		 "need (kernel option pci=pcie_bus_perf, if all devices on the way can).",
		 card->mps, card->mps_capable);
	return true;
}

static bool compression(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card,
			char text[CQESIM_SYSINFO_REMARK])
{
	uint64_t blks = counted(info, CQESIM_SYSINFO_COMPRESS_BLKS);
	uint64_t pkts = counted(info, CQESIM_SYSINFO_COMPRESS_PKTS);
	uint64_t all = counted(info, CQESIM_SYSINFO_RX_PACKETS);
	double n = cqesim_sysinfo_session(info);
	char share[64] = "";

	(void)card;
	if (!(info->has >> CQESIM_SYSINFO_COMPRESS_BLKS & 1) ||
	    (blks && !(info->has >> CQESIM_SYSINFO_COMPRESS_PKTS & 1)))
		return false;
	if (pkts < blks) {
		snprintf(text, CQESIM_SYSINFO_REMARK,
			 "The counters contradict each other: rx_cqe_compress_pkts %llu, but "
			 "rx_cqe_compress_blks %llu; no session is shorter than a packet. They are "
			 "not used.",
			 (unsigned long long)pkts, (unsigned long long)blks);
		return true;
	}
	if (!(n > 0)) {
		snprintf(text, CQESIM_SYSINFO_REMARK,
			 "No completion was compressed (rx_cqe_compress_blks is 0).");
		return true;
	}
	if (all >= pkts)
		snprintf(share, sizeof(share), "; %.1f %% of rx_packets",
			 100 * (double)pkts / (double)all);
	snprintf(text, CQESIM_SYSINFO_REMARK,
		 "Compression sessions of %.2f packets on average%s. That is with the title's own "
		 "packet in the basic layout; in the enhanced layout the kernel does not count it, "
		 "and a session is one longer.",
		 n, share);
	return true;
}

static bool more_than_all(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card,
			  char text[CQESIM_SYSINFO_REMARK])
{
	uint64_t pkts = counted(info, CQESIM_SYSINFO_COMPRESS_PKTS);
	uint64_t all = counted(info, CQESIM_SYSINFO_RX_PACKETS);

	(void)card;
	if (!(info->has >> CQESIM_SYSINFO_RX_PACKETS & 1) || pkts <= all)
		return false;
	snprintf(
		text, CQESIM_SYSINFO_REMARK,
		"The counters contradict each other: rx_cqe_compress_pkts %llu of rx_packets %llu; "
		"the share of compressed packets is not used.",
		(unsigned long long)pkts, (unsigned long long)all);
	return true;
}

static bool stalled(const struct cqesim_sysinfo *info, enum cqesim_sysinfo_counter now,
		    const char *what, char text[CQESIM_SYSINFO_REMARK])
{
	uint64_t percent = counted(info, now), events = counted(info, now + 2);

	if (!percent && !events)
		return false;
	snprintf(text, CQESIM_SYSINFO_REMARK,
		 "%s: in the last second the card had %s to send but no credits from the host for "
		 "%llu %% of the time; above 30 %% in %llu seconds so far. The host takes them too "
		 "slowly, or the link is full.",
		 cqesim_sysinfo_counter_name(now), what, (unsigned long long)percent,
		 (unsigned long long)events);
	return true;
}

static bool stalled_writes(const struct cqesim_sysinfo *info,
			   const struct cqesim_sysinfo_card *card, char text[CQESIM_SYSINFO_REMARK])
{
	(void)card;
	return stalled(info, CQESIM_SYSINFO_STALLED_WR, "writes", text);
}

static bool stalled_reads(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card,
			  char text[CQESIM_SYSINFO_REMARK])
{
	(void)card;
	return stalled(info, CQESIM_SYSINFO_STALLED_RD, "read requests", text);
}

static bool overflow(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card,
		     char text[CQESIM_SYSINFO_REMARK])
{
	uint64_t n = counted(info, CQESIM_SYSINFO_BUFFER_OVERFLOW);

	(void)card;
	if (n)
		snprintf(text, CQESIM_SYSINFO_REMARK,
			 "outbound_pci_buffer_overflow: %llu packets dropped because more came in "
			 "than "
			 "PCIe took.",
			 (unsigned long long)n);
	return n;
}

static bool discards(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card,
		     char text[CQESIM_SYSINFO_REMARK])
{
	uint64_t n = counted(info, CQESIM_SYSINFO_DISCARDS_PHY);

	(void)card;
	if (n)
		snprintf(text, CQESIM_SYSINFO_REMARK,
			 "rx_discards_phy: %llu packets dropped for want of room in the card's own "
			 "buffer: the card, PCIe or the host's memory was behind, not the driver.",
			 (unsigned long long)n);
	return n;
}

static bool out_of_buffer(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card,
			  char text[CQESIM_SYSINFO_REMARK])
{
	uint64_t n = counted(info, CQESIM_SYSINFO_OUT_OF_BUFFER);

	(void)card;
	if (n)
		snprintf(text, CQESIM_SYSINFO_REMARK,
			 "rx_out_of_buffer: %llu packets dropped because no receive buffer was "
			 "posted: "
			 "the driver's core was behind, not the link.",
			 (unsigned long long)n);
	return n;
}

static bool several_statistics(const struct cqesim_sysinfo *info,
			       const struct cqesim_sysinfo_card *card,
			       char text[CQESIM_SYSINFO_REMARK])
{
	(void)card;
	if (info->statistics < 2)
		return false;
	snprintf(text, CQESIM_SYSINFO_REMARK,
		 "%u texts of ethtool -S were read; the counters are those of the last.",
		 info->statistics);
	return true;
}

static bool left_out(const struct cqesim_sysinfo *info, const struct cqesim_sysinfo_card *card,
		     char text[CQESIM_SYSINFO_REMARK])
{
	(void)card;
	if (!info->cards_left_out)
		return false;
	snprintf(text, CQESIM_SYSINFO_REMARK,
		 "There were more than %u network devices; %u mentions of others were left out.",
		 CQESIM_SYSINFO_CARDS, info->cards_left_out);
	return true;
}

bool cqesim_sysinfo_remark(const struct cqesim_sysinfo *info,
			   const struct cqesim_sysinfo_card *card, unsigned n,
			   char text[CQESIM_SYSINFO_REMARK])
{
	static remark *const all[] = {
		denied,      no_link,       narrow,         small_payload,
		compression, more_than_all, stalled_writes, stalled_reads,
		overflow,    discards,      out_of_buffer,  several_statistics,
		left_out,
	};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i](info, card, text) && !n--)
			return true;
	return false;
}
