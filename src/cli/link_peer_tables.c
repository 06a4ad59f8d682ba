/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqesim link --peer --reproduce: byte for byte what the peer's programs write:
 * pcie_bw.py (pcie_bw.dat), nic_bw.py (nic_bw.dat), model/pcie.py (printed).
 */
#include <stdio.h>
#include <string.h>

#include "link_peer_run.h"

#define ETHERNET_GBPS 40.0

static bool wanted(const struct peer_question *q, uint32_t size)
{
	for (unsigned i = 0; i < q->size_count; i++)
		if (q->sizes[i] == size)
			return true;
	return !q->size_count;
}

static void head(const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		printf("\"%s\" ", names[i]);
	putchar('\n');
}
#define HEAD(names) head(names, sizeof(names) / sizeof((names)[0]))

static void pcie_bw(const struct peer_question *q)
{
	static const char *const names[] = {
		"Payload(Bytes)",          "PCIe Write BW",
		"PCIe Write Trans/s",      "PCIe Read BW",
		"PCIe Read Trans/s",       "PCIe Read/Write BW",
		"PCIe Read/Write Trans/s", "40G Ethernet BW",
		"40G Ethernet PPS",        "40G Ethernet Frame time (ns)",
	};
	struct cqesim_peer_result r;

	HEAD(names);
	for (uint32_t size = 1; size <= 1500; size++) {
		if (!wanted(q, size))
			continue;
		printf("%u", size);
		for (int m = CQESIM_PEER_WRITE; m <= CQESIM_PEER_READ_WRITE; m++) {
			cqesim_peer_run(&q->config, (enum cqesim_peer_model)m, CQESIM_PEER_BI, size,
					&r);
			printf(" %.2f %.1f", r.payload_gbps, r.transactions);
		}
		if (size >= 64) {
			double frames = cqesim_peer_ethernet_frames(ETHERNET_GBPS, size);

			printf(" %.2f %u %.2f", cqesim_peer_ethernet_gbps(ETHERNET_GBPS, size),
			       (unsigned)frames, 1e9 / frames);
		}
		putchar('\n');
	}
}

/*
 * Bits of the frame without FCS at line rate.  The peer asks for the rate of a
 * frame of 4 bytes less, FCS included, which is faster.
 */
static double line_rate(const struct peer_question *q, uint32_t frame)
{
	if (q->config.fixes & CQESIM_PEER_FIX_ETHERNET)
		return cqesim_peer_ethernet_frames(ETHERNET_GBPS, frame) * (frame - 4) * 8 / 1e9;
	return cqesim_peer_ethernet_gbps(ETHERNET_GBPS, frame - 4);
}

static double payload(const struct peer_question *q, enum cqesim_peer_model model,
		      enum cqesim_peer_direction direction, uint32_t frame)
{
	struct cqesim_peer_result r;

	cqesim_peer_run(&q->config, model, direction, frame - 4, &r);
	return r.payload_gbps;
}

static void nic_bw(const struct peer_question *q)
{
	static const char *const names[] = {
		"Packet Size(Bytes)",
		"Max. Write Bandwidth",
		"Max. R/W Bandwidth",
		"40Gb/s Line Rate (- FCS)",
		"Simplistic NIC Bi-directional",
		"Simplistic NIC TX only",
		"Simplistic NIC RX only",
		"kernel NIC Bi-directional",
		"kernel NIC TX only",
		"kernel NIC RX only",
		"DPDK NIC Bi-directional",
		"DPDK NIC TX only",
		"DPDK NIC RX only",
	};
	/* The peer fills the column that it calls R/W with its reads. */
	enum cqesim_peer_model both = q->config.fixes & CQESIM_PEER_FIX_COLUMN
					      ? CQESIM_PEER_READ_WRITE
					      : CQESIM_PEER_READ;

	HEAD(names);
	for (uint32_t frame = 64; frame < 1500; frame++) {
		if (!wanted(q, frame))
			continue;
		printf("%u %.2f %.2f   %.2f", frame,
		       payload(q, CQESIM_PEER_WRITE, CQESIM_PEER_BI, frame),
		       payload(q, both, CQESIM_PEER_BI, frame), line_rate(q, frame));
		for (int m = CQESIM_PEER_SIMPLE; m <= CQESIM_PEER_DPDK; m++) {
			enum cqesim_peer_model card = (enum cqesim_peer_model)m;

			printf("   %.2f %.2f %.2f", payload(q, card, CQESIM_PEER_BI, frame),
			       payload(q, card, CQESIM_PEER_TX, frame),
			       payload(q, card, CQESIM_PEER_RX, frame));
		}
		putchar('\n');
	}
}

static void links(const struct peer_question *q)
{
	static const unsigned mps[] = {128, 256};

	for (unsigned m = 0; m < 2; m++)
		for (unsigned generation = 1; generation <= 7; generation++) {
			printf("PCIe Version: gen%u\nLanes Phys BW (Gb/s) Data BW (Gb/s) MPS=%u\n",
			       generation, mps[m]);
			for (unsigned lanes = 1; lanes <= 32; lanes *= 2) {
				struct cqesim_peer_config c = q->config;
				char x[8];

				c.generation = generation;
				c.lanes = lanes;
				c.mps = mps[m];
				snprintf(x, sizeof(x), "x%u", lanes);
				printf("%5s %6.2f %6.2f\n", x, cqesim_peer_raw(&c),
				       cqesim_peer_usable(&c));
			}
		}
}

static const struct {
	const char *name;
	void (*print)(const struct peer_question *q);
} tables[] = {{"pcie_bw", pcie_bw}, {"nic_bw", nic_bw}, {"links", links}};

bool peer_table_known(const char *name)
{
	for (unsigned i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!strcmp(tables[i].name, name))
			return true;
	return false;
}

void peer_table(const char *name, const struct peer_question *q)
{
	for (unsigned i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!strcmp(tables[i].name, name))
			tables[i].print(q);
}
