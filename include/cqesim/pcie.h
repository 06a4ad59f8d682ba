/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pcie.h - what memory operations cost on a PCIe link, generations 1 to 5, and
 * the link as a server in time.  Pure; knows nothing of NICs.
 *
 * "Up" is device to host.  Sizes on the wire include header and framing.
 *
 *   framing      8 B per TLP: STP, sequence number, LCRC, END (Gen1/2) or STP
 *                token and LCRC (Gen3-5)
 *   MWr, MRd     16 B header with 64-bit addresses, 12 B with 32-bit: 24 or 20 B
 *   CplD         12 B header: 20 B
 *   ECRC         4 B more on each
 *   DLLP         8 B: Ack per TLP received (or rarer), UpdateFC per posted TLP
 *   code         8b/10b at 2.5 and 5 GT/s, 128b/130b at 8, 16, 32 GT/s
 *   SKP          Gen1/2: 4 symbols in 1538; Gen3-5: one block per 370 blocks
 *
 * A TLP's payload is whole double words, no larger than MPS, and crosses no
 * 4 KiB boundary; requests are cut at MRRS and 4 KiB; all completions of a
 * request but the last end on an RCB boundary.  (PCI Express Base
 * Specification, sections 2.2, 2.3 and 3; the numbers as restated by pcie-bench
 * and cocotbext-pcie.)
 */
#ifndef CQESIM_PCIE_H
#define CQESIM_PCIE_H

#include "cqesim/common.h"

#define CQESIM_DLLP_BYTES 8u

struct cqesim_link_config {
	unsigned generation; /* 1..5 */
	unsigned lanes;      /* 1, 2, 4, 8, 16, 32 */
	unsigned mps;        /* 128..4096, a power of two */
	unsigned mrrs;       /* likewise */
	unsigned rcb;        /* 64 or 128 */
	unsigned addr_bits;  /* 32 or 64 */
	bool ecrc;
	bool cpl_per_rcb;    /* the completer sends RCB-sized pieces, not the largest legal ones */
	double ack_every;    /* TLPs per Ack, >= 1 */
	double fc_every;     /* posted TLPs per UpdateFC-P (towards the device), >= 1 */
	unsigned skp_blocks;  /* Gen3-5: blocks per SKP block */
	unsigned skp_symbols; /* Gen1/2: symbols per SKP set, the set of 4 included */
	double efficiency;   /* share of the TLP bandwidth that is reached, (0, 1] */
};

struct cqesim_link {
	struct cqesim_link_config config;
	unsigned write_header, read_header, cpl_header; /* framing and ECRC included */
	/* Bytes per second and direction for TLPs and DLLPs: after code and SKP; exact. */
	uint64_t rate_num, rate_den;
	double raw_bps; /* bits per second after the line code alone */
};

/* -EINVAL with *err naming the value at fault. */
CQESIM_API int cqesim_link_init(struct cqesim_link *link, const struct cqesim_link_config *config,
				struct cqesim_error *err);

/* Bytes per second, efficiency not applied. */
static inline double cqesim_link_rate(const struct cqesim_link *link)
{
	return (double)link->rate_num / (double)link->rate_den;
}

/* TLPs of one kind and direction. */
struct cqesim_tlps {
	uint64_t count;
	uint64_t payload; /* bytes asked for, without padding to double words */
	uint64_t wire;    /* bytes with headers, framing and whole double words */
};

/* Memory write of length bytes (0: nothing) at address. */
CQESIM_API struct cqesim_tlps cqesim_link_write(const struct cqesim_link *link, uint64_t address,
						uint32_t length);

/* Memory read: requests one way, completions the other. */
CQESIM_API void cqesim_link_read(const struct cqesim_link *link, uint64_t address, uint32_t length,
				 struct cqesim_tlps *requests, struct cqesim_tlps *completions);

static inline void cqesim_tlps_add(struct cqesim_tlps *sum, const struct cqesim_tlps *t)
{
	sum->count += t->count;
	sum->payload += t->payload;
	sum->wire += t->wire;
}

/*
 * DLLP bytes that answer traffic, averages: upstream Acks for the completions
 * received by the device; downstream Acks for every TLP from the device and
 * flow-control updates for the posted ones.
 */
static inline double cqesim_link_dllp_up(const struct cqesim_link *link, uint64_t completions)
{
	return (double)completions * CQESIM_DLLP_BYTES / link->config.ack_every;
}
static inline double cqesim_link_dllp_down(const struct cqesim_link *link, uint64_t posted,
					   uint64_t requests)
{
	return (double)(posted + requests) * CQESIM_DLLP_BYTES / link->config.ack_every +
	       (double)posted * CQESIM_DLLP_BYTES / link->config.fc_every;
}

/* A pacer that serves bytes at the link's rate times its efficiency. */
CQESIM_API int cqesim_link_pacer(const struct cqesim_link *link, struct cqesim_pacer *pacer);

#endif
