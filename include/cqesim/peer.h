/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peer.h - the formulas of pcie-bench/pcie-model, figure for figure with its
 * mistakes, and each mistake corrected alone.  Pure; allocates nothing.
 *
 * pcie-model (Python, https://github.com/pcie-bench/pcie-model, commit 40703cf)
 * goes with "Understanding PCIe Performance for End Host Networking" (SIGCOMM
 * 2018) and is what others calculate with.  Whoever compares with it finds its
 * figures here; doc/peer.md tells line by line where they are wrong and by how
 * much.  cqesim's own model is pcie.h and has nothing from here.
 *
 * "Up" is device to host (the peer's TX), "down" host to device.  Its formulas:
 *
 *   raw      GT/s x code x lanes; code 8/10 (Gen1, 2), 128/130 (Gen3-5), 242/256
 *            (Gen6, 7)
 *   usable   raw x (1 - 8/AckLimit - 8/UpdateFC limit - 4/1538), both directions
 *   write    up ceil(size/MPS) x 24 + size
 *   read     up ceil(size/MRRS) x 24, down ceil(size/C) x 20 + size; C is MPS, or
 *            RCB with rcb_chunks
 *   rate     the smaller of usable / bytes of the two directions
 *
 * and network cards that do reads and writes of packets, descriptors of 16
 * bytes, pointers and interrupts of 4 bytes in batches (src/peer/models.c).
 */
#ifndef CQESIM_PEER_H
#define CQESIM_PEER_H

#include "cqesim/common.h"
#include "cqesim/pcie.h"

enum cqesim_peer_model {
	CQESIM_PEER_WRITE,
	CQESIM_PEER_READ,
	CQESIM_PEER_READ_WRITE, /* a read and a write of this size */
	CQESIM_PEER_SIMPLE,     /* a card without any batching */
	CQESIM_PEER_KERNEL,     /* Intel 82599 under the Linux driver */
	CQESIM_PEER_DPDK,       /* Intel 82599 under DPDK */
	CQESIM_PEER_MODELS
};

enum cqesim_peer_direction {
	CQESIM_PEER_RX, /* to the host */
	CQESIM_PEER_TX,
	CQESIM_PEER_BI, /* one of each */
	CQESIM_PEER_DIRECTIONS
};

/* What can be corrected, each alone; the number is the line of doc/peer.md. */
enum cqesim_peer_fix {
	CQESIM_PEER_FIX_SHARE = 1 << 0,       /* 1: a symbol time carries a byte on every lane */
	CQESIM_PEER_FIX_MISPRINTS = 1 << 1,   /* 2: two entries of its tables */
	CQESIM_PEER_FIX_DESCRIPTOR = 1 << 2,  /* 3: the read request of Rx descriptors */
	CQESIM_PEER_FIX_POLICY = 1 << 3,      /* 4: Acks and UpdateFCs answer traffic */
	CQESIM_PEER_FIX_SKP = 1 << 4,         /* 5: one block in 371 from Gen3 on */
	CQESIM_PEER_FIX_FLIT = 1 << 5,        /* 7: flits of Gen6 and 7 */
	CQESIM_PEER_FIX_ADDRESS = 1 << 6,     /* 8: whole DWs, start address, 4 KiB */
	CQESIM_PEER_FIX_COMPLETIONS = 1 << 7, /* 9: per request, ending on RCB boundaries */
	CQESIM_PEER_FIX_PREFIXES = 1 << 8,    /* 10: TLP prefixes on the device's requests */
	CQESIM_PEER_FIX_TAGS = 1 << 9,        /* 11: reads in flight */
	CQESIM_PEER_FIX_CREDITS = 1 << 10,    /* 12: flow-control credits */
	CQESIM_PEER_FIX_ETHERNET =
		1 << 11, /* 18: line rate of frames without FCS (a table's column) */
	CQESIM_PEER_FIX_COLUMN = 1 << 12, /* 19: the "R/W" column of that table holds reads */
	CQESIM_PEER_FIX_ALL = (1 << 13) - 1,
};

struct cqesim_peer_fix_info {
	unsigned fix, line;
	const char *name; /* "share" */
	const char *what; /* what is put right, without a full stop */
};
#define CQESIM_PEER_FIXES 13u
extern CQESIM_API const struct cqesim_peer_fix_info cqesim_peer_fixes[CQESIM_PEER_FIXES];

struct cqesim_peer_config {
	unsigned generation; /* 1..7 */
	unsigned lanes;      /* 1, 2, 4, 8, 16, 32 */
	unsigned mps, mrrs;  /* 128..4096, a power of two */
	unsigned rcb;        /* 64, 128, 256, 512; for corrected completions 64 or 128 */
	unsigned addr_bits;  /* 32 or 64 */
	bool ecrc;
	bool rcb_chunks; /* completions of RCB bytes */
	unsigned fixes;  /* of enum cqesim_peer_fix; 0: as the peer has it */
	/* Only corrections look at the rest: what the peer knows nothing of. */
	uint64_t address;  /* FIX_ADDRESS, FIX_COMPLETIONS: where payload and packets start */
	double ack_every;  /* FIX_POLICY: TLPs per Ack, >= 1 */
	double fc_every;   /* FIX_POLICY: posted TLPs per UpdateFC, >= 1 */
	unsigned prefixes; /* FIX_PREFIXES: 0..4 */
	struct cqesim_link_latency latency; /* FIX_TAGS, FIX_CREDITS; 0: without limit */
};

/* The peer's own defaults: Gen3 x8, MPS 256, MRRS 512, RCB 64, 64-bit addresses; no latency. */
CQESIM_API void cqesim_peer_defaults(struct cqesim_peer_config *config);

/* -EINVAL with *err naming the value at fault. */
CQESIM_API int cqesim_peer_check(const struct cqesim_peer_config *config, struct cqesim_error *err);

/*
 * Symbol times after which an Ack or UpdateFC is due: what the peer's tables
 * say, or (FIX_MISPRINTS) the specification's formula without the misprints.
 */
CQESIM_API unsigned cqesim_peer_ack_limit(const struct cqesim_peer_config *config);
CQESIM_API unsigned cqesim_peer_fc_limit(const struct cqesim_peer_config *config);

enum cqesim_peer_bound {
	CQESIM_PEER_BOUND_UP,
	CQESIM_PEER_BOUND_DOWN,
	CQESIM_PEER_BOUND_TAGS,
	CQESIM_PEER_BOUND_CREDITS,
};

struct cqesim_peer_result {
	double raw_gbps, usable_gbps;
	double up_bytes, down_bytes; /* per transaction (a packet); DLLPs with FIX_POLICY */
	double transactions;         /* a second */
	double payload_gbps;         /* transactions x size; "effective" */
	enum cqesim_peer_bound bound;
};

/* Raw and usable rate alone, in Gb/s.  config has passed cqesim_peer_check(). */
CQESIM_API double cqesim_peer_raw(const struct cqesim_peer_config *config);
CQESIM_API double cqesim_peer_usable(const struct cqesim_peer_config *config);

/*
 * One model on one link.  size: bytes of payload, 1..1 MiB; of a packet those
 * that are transferred, the FCS not included unless it is.  The direction
 * counts for cards only.  config has passed cqesim_peer_check().
 */
CQESIM_API void cqesim_peer_run(const struct cqesim_peer_config *config,
				enum cqesim_peer_model model, enum cqesim_peer_direction direction,
				uint32_t size, struct cqesim_peer_result *result);

/*
 * Frames a second at an Ethernet rate in Gb/s, and the bits of their frame_bytes in
 * Gb/s.  frame_bytes counts the FCS; the peer's frames have a VLAN tag and are padded
 * to 64 bytes.
 */
CQESIM_API double cqesim_peer_ethernet_frames(double gbps, uint32_t frame_bytes);
CQESIM_API double cqesim_peer_ethernet_gbps(double gbps, uint32_t frame_bytes);

/* "read+write", "dpdk"; "bi"; "up". */
CQESIM_API const char *cqesim_peer_model_name(enum cqesim_peer_model model);
CQESIM_API const char *cqesim_peer_direction_name(enum cqesim_peer_direction direction);
CQESIM_API const char *cqesim_peer_bound_name(enum cqesim_peer_bound bound);
static inline bool cqesim_peer_is_card(enum cqesim_peer_model model)
{
	return model >= CQESIM_PEER_SIMPLE;
}

#endif
