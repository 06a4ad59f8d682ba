/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sysinfo.h - what a machine says of its network cards and their PCIe link: the
 * text of "lspci -vv", "dmesg" and "ethtool -S", or (Linux, with hwloc) the
 * machine at hand.
 *
 *   struct cqesim_sysinfo info = {0};
 *   cqesim_sysinfo_read("lspci.txt", &info, &err);      one call per file
 *   cqesim_sysinfo_read("ethtool.txt", &info, &err);
 *   card = cqesim_sysinfo_pick(&info, "3b:00.0", &err); NULL as name: the only one
 *   cqesim_sysinfo_link(card, &link_config);            what is known, into the link
 *
 * What a text is, is seen line by line; kinds may be mixed.  Lines that say
 * nothing of this are counted, not believed.  Formats: pciutils ls-caps.c and
 * lspci.c, Linux drivers/pci/pci.c (__pcie_print_link_status), ethtool.c; the
 * counters' meaning: Linux Documentation/.../mlx5/counters.rst.
 */
#ifndef CQESIM_SYSINFO_H
#define CQESIM_SYSINFO_H

#include "cqesim/common.h"
#include "cqesim/pcie.h"

#define CQESIM_SYSINFO_CARDS  64u /* further ones are counted only */
#define CQESIM_SYSINFO_PORTS  256u
#define CQESIM_SYSINFO_BYTES  (64u << 20) /* larger texts are refused */
#define CQESIM_SYSINFO_REMARK 512u

/* 0: not said. */
struct cqesim_sysinfo_width {
	unsigned generation; /* 1..6 */
	unsigned lanes;      /* 1..32 */
};

/* What a setting is: not said, off, on. */
enum cqesim_sysinfo_flag { CQESIM_SYSINFO_UNKNOWN, CQESIM_SYSINFO_OFF, CQESIM_SYSINFO_ON };

/* Room for an address; a domain may have all its 32 bits (virtual machines, VMD). */
#define CQESIM_SYSINFO_ADDRESS 20

struct cqesim_sysinfo_card {
	char address[CQESIM_SYSINFO_ADDRESS]; /* "0000:3b:00.0" */
	char description[128];                /* lspci's words for it, or "" */
	char driver[32];                      /* or "" */
	char interfaces[64];                  /* "eth0 mlx5_0", of this machine, or "" */
	char cpus[128];          /* nearest ones, "0-15,32-47", of this machine, or "" */
	int numa_node;           /* -1: not said */
	unsigned vendor, device; /* 0: not said */
	bool network;            /* lspci's class or the driver says so */
	bool virtual_function;
	bool denied; /* lspci was not allowed to read the capabilities */

	struct cqesim_sysinfo_width negotiated; /* LnkSta */
	struct cqesim_sysinfo_width capable;    /* LnkCap of the card */
	struct cqesim_sysinfo_width slot;       /* LnkCap of the port above it */
	/* Where the kernel saw a narrower link on the way to the host. */
	struct cqesim_sysinfo_width path;
	char path_at[CQESIM_SYSINFO_ADDRESS];
	double path_gbps; /* as the kernel printed it */

	unsigned mps, mrrs;   /* DevCtl: what is in force */
	unsigned mps_capable; /* DevCap */
	unsigned rcb;
	enum cqesim_sysinfo_flag ecrc, relaxed_ordering, extended_tags, ten_bit_tags;
};

/* Counters of "ethtool -S"; `has` tells which were there. */
enum cqesim_sysinfo_counter {
	CQESIM_SYSINFO_RX_PACKETS,
	CQESIM_SYSINFO_COMPRESS_BLKS,     /* rx_cqe_compress_blks */
	CQESIM_SYSINFO_COMPRESS_PKTS,     /* rx_cqe_compress_pkts */
	CQESIM_SYSINFO_STALLED_RD,        /* outbound_pci_stalled_rd: percent of the last second */
	CQESIM_SYSINFO_STALLED_WR,        /* outbound_pci_stalled_wr: likewise */
	CQESIM_SYSINFO_STALLED_RD_EVENTS, /* seconds in which it was above 30 percent */
	CQESIM_SYSINFO_STALLED_WR_EVENTS,
	CQESIM_SYSINFO_BUFFER_OVERFLOW, /* outbound_pci_buffer_overflow: packets */
	CQESIM_SYSINFO_DISCARDS_PHY,    /* rx_discards_phy */
	CQESIM_SYSINFO_OUT_OF_BUFFER,   /* rx_out_of_buffer */
	CQESIM_SYSINFO_COUNTERS
};

struct cqesim_sysinfo {
	struct cqesim_sysinfo_card cards[CQESIM_SYSINFO_CARDS];
	uint32_t card_count, cards_left_out;
	/* Ports and bridges: the link below them, found by their secondary bus. */
	struct cqesim_sysinfo_port {
		uint32_t domain;
		uint8_t bus;
		struct cqesim_sysinfo_width capable;
	} ports[CQESIM_SYSINFO_PORTS];
	uint32_t port_count;

	uint64_t counters[CQESIM_SYSINFO_COUNTERS];
	uint32_t has;        /* bit 1 << enum cqesim_sysinfo_counter */
	uint32_t statistics; /* texts of ethtool -S; the last one counts */

	uint64_t lines, lspci_lines, dmesg_lines, ethtool_lines, ignored_lines;
};

/*
 * Read a file ("-": standard input) and add what it says.  -EINVAL: nothing in
 * it is known, or a counter cannot be (more than 64 bits, more packets per block
 * of compressed completions than the 65535 that a CQE can count); -E2BIG: larger than
 * CQESIM_SYSINFO_BYTES; or errno of reading. *info stays as it was on errors.
 */
CQESIM_API int cqesim_sysinfo_read(const char *file, struct cqesim_sysinfo *info,
				   struct cqesim_error *err);
/* The same for text in memory; name is for messages. */
CQESIM_API int cqesim_sysinfo_parse(const void *text, size_t size, const char *name,
				    struct cqesim_sysinfo *info, struct cqesim_error *err);

/*
 * The network cards of this machine, with links from sysfs (or from the folder
 * that `sysfs` names; NULL is "/sys"), NUMA nodes and CPUs from hwloc.  -ENOTSUP:
 * built without hwloc; -ENODEV: no network card has a PCIe link.
 */
CQESIM_API int cqesim_sysinfo_local(const char *sysfs, struct cqesim_sysinfo *info,
				    struct cqesim_error *err);

/*
 * The card of this address ("3b:00.0", with or without domain) or interface.
 * NULL as name: the only network card; of several functions of one the first,
 * of several cards Mellanox's if there is one.  NULL and *err (naming what there
 * is) when that does not decide.  info without any card: NULL and *err.
 */
CQESIM_API const struct cqesim_sysinfo_card *
cqesim_sysinfo_pick(const struct cqesim_sysinfo *info, const char *name, struct cqesim_error *err);

/* The link that counts: the narrower of the card's own and the path's. */
CQESIM_API struct cqesim_sysinfo_width
cqesim_sysinfo_bottleneck(const struct cqesim_sysinfo_card *card);
/* Gb/s after the line code (Gen6: what flits leave to TLPs); 0 if unknown. */
CQESIM_API double cqesim_sysinfo_gbps(struct cqesim_sysinfo_width width);
/* Is the link narrower or slower than the card could? */
CQESIM_API bool cqesim_sysinfo_degraded(const struct cqesim_sysinfo_card *card);

/* Set what is known of it (generation, lanes, mps, mrrs, rcb, ecrc); returns how many values. */
CQESIM_API unsigned cqesim_sysinfo_link(const struct cqesim_sysinfo_card *card,
					struct cqesim_link_config *config);

/*
 * Reads that may be in flight by the tags in use: 32 with 5 bits (ExtTag-), 256
 * with 8 (ExtTag+), 768 with 10 (10BitTagReq+: values below 256 are left to
 * completers with 8 bits; so Intel's documents of its R-Tile, "Tag Allocation");
 * 0: not said.
 */
CQESIM_API unsigned cqesim_sysinfo_tags(const struct cqesim_sysinfo_card *card);

/*
 * Packets per block of compressed completions, measured: rx_cqe_compress_pkts /
 * rx_cqe_compress_blks; 0 if nothing was compressed, or if there are fewer packets
 * than blocks, which cannot be.  The kernel counts a block
 * per title.  In the basic layout the title's own packet is among pkts, so this
 * is the length of a session; in the enhanced layout the title is a completion
 * like others and its packet is not among them, so a session is one longer
 * (Linux en_rx.c, mlx5e_decompress_cqes_start and
 * mlx5e_rx_cq_process_enhanced_cqe_comp).
 */
CQESIM_API double cqesim_sysinfo_session(const struct cqesim_sysinfo *info);

/*
 * The n-th thing worth saying, one sentence or two without a newline: a narrow slot, a
 * small MPS, what counters mean.  card may be NULL.  False when there is no n-th.
 */
CQESIM_API bool cqesim_sysinfo_remark(const struct cqesim_sysinfo *info,
				      const struct cqesim_sysinfo_card *card, unsigned n,
				      char text[CQESIM_SYSINFO_REMARK]);

/* "rx_cqe_compress_blks". */
CQESIM_API const char *cqesim_sysinfo_counter_name(enum cqesim_sysinfo_counter counter);

#endif
