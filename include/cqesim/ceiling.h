/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ceiling.h - how many packets a second a card and its PCIe link can carry at
 * most, without a trace: bytes per packet by cause and direction as exact
 * fractions, and the limits that are not bytes.
 *
 *   config ──► traffic: what happens how often per packet (write, read, doorbell)
 *          ──► bytes on the link, by cause, up and down
 *          ──► packets per second that each limit allows; the smallest binds
 *
 * Two models of a card, chosen by its profile (queue_model):
 *   mlx5         CQEs, sessions of compressed CQEs, cyclic and striding receive
 *                queues, send WQEs with inline data and several packets in one
 *   descriptors  rings of descriptors that are fetched in blocks and written
 *                back or completed in another ring (82599, XL710, E810, Broadcom)
 *
 * The closed form has no addresses but one: where a packet's data starts
 * (data_offset).  That packets at changing addresses cross a 4 KiB boundary now
 * and then, and so do titles that are written together with their array, is
 * left to the replay.  Nothing is lost to replays of TLPs or to the host's
 * memory: this is a ceiling.
 *
 * Pure: no I/O, no allocation, no globals.
 */
#ifndef CQESIM_CEILING_H
#define CQESIM_CEILING_H

#include "cqesim/common.h"
#include "cqesim/pcie.h"
#include "cqesim/profile.h"

/* ---- fractions ---- */

/* num/den, reduced, den >= 1.  den 0: too large to be kept exactly, and so is every sum with it. */
struct cqesim_fraction {
	uint64_t num, den;
};
CQESIM_API struct cqesim_fraction cqesim_fraction(uint64_t num, uint64_t den);
CQESIM_API struct cqesim_fraction cqesim_fraction_add(struct cqesim_fraction a,
						      struct cqesim_fraction b);
CQESIM_API struct cqesim_fraction cqesim_fraction_mul(struct cqesim_fraction a,
						      struct cqesim_fraction b);
static inline double cqesim_fraction_value(struct cqesim_fraction f)
{
	return (double)f.num / (double)f.den;
}
/* "4388/41", or "180" when it is whole; into a text of at least 48 bytes, which is returned. */
#define CQESIM_FRACTION_TEXT 48
CQESIM_API const char *cqesim_fraction_text(struct cqesim_fraction f,
					    char text[CQESIM_FRACTION_TEXT]);
/* The same in decimals, 0..9 of them, halves rounded up; a fraction that was too large is "?". */
CQESIM_API const char *cqesim_fraction_decimals(struct cqesim_fraction f, unsigned digits,
						char text[CQESIM_FRACTION_TEXT]);

/* ---- what is asked ---- */

/* What a packet's bytes are spent on. */
enum cqesim_cause {
	CQESIM_CAUSE_RX_DATA,
	CQESIM_CAUSE_RX_CQE, /* completions, write-backs */
	CQESIM_CAUSE_RX_WQE, /* receive WQEs or descriptors, read by the device */
	CQESIM_CAUSE_TX_DATA,
	CQESIM_CAUSE_TX_WQE, /* send WQEs or descriptors, inline data included */
	CQESIM_CAUSE_TX_CQE,
	CQESIM_CAUSE_DOORBELL,  /* registers written and read by the host, doorbell records */
	CQESIM_CAUSE_INTERRUPT, /* event entries, MSI-X, arming */
	CQESIM_CAUSE_DLLP,      /* Acks and flow-control updates */
	CQESIM_CAUSES
};
/* "rx data", ...; key: "rx_data", for programs. */
CQESIM_API const char *cqesim_cause_name(enum cqesim_cause cause);
CQESIM_API const char *cqesim_cause_key(enum cqesim_cause cause);

enum cqesim_rxtx { CQESIM_RX, CQESIM_TX, CQESIM_FORWARD };

/* How completions are written. */
enum cqesim_cqe_mode {
	CQESIM_CQE_PLAIN64,  /* 64 bytes each */
	CQESIM_CQE_PLAIN128, /* 128 bytes, of which the second half is written */
	CQESIM_CQE_128PAD,   /* 128 bytes, written whole */
	CQESIM_CQE_ARRAYS,   /* sessions: title and each array of 8 mini-CQEs 64 bytes each */
	CQESIM_CQE_BURST,    /* title and first array in one write of 128 bytes */
	CQESIM_CQE_EXACT,    /* the last array cut to the minis used */
	CQESIM_CQE_STREAM,   /* all minis in one run: a lower bound that the layout does not allow
				beyond 8 */
	CQESIM_CQE_ENHANCED, /* one title for the session, arrays of 7 minis */
	CQESIM_CQE_MODES
};
/* "plain64", "cqe128", "cqe128pad", "arrays", ... */
CQESIM_API const char *cqesim_cqe_mode_name(enum cqesim_cqe_mode mode);

struct cqesim_ceiling_config {
	struct cqesim_link_config link;
	struct cqesim_link_latency latency; /* 0s: no such limit */
	enum cqesim_rxtx direction;
	bool mlx5; /* otherwise a ring of descriptors */

	/* the packet */
	uint32_t frame_bytes; /* with its FCS, 64..65536 */
	bool keep_fcs;        /* the FCS goes to the host too */
	bool pad;             /* written data is made whole 64-byte lines */
	uint32_t data_offset; /* where the data starts, from a 4 KiB boundary */

	/* receiving */
	uint32_t rx_desc_bytes; /* of one WQE or descriptor */
	uint32_t rx_desc_fetch; /* bytes of them read at a time, a multiple of rx_desc_bytes */
	uint32_t rx_strides;    /* striding queue: strides of a WQE, 8..65536; 0: cyclic */
	uint32_t stride_bytes;  /* 64..8192; a packet takes as many whole strides as it needs */
	enum cqesim_cqe_mode cqe_mode;
	struct cqesim_fraction session;    /* mlx5: packets per session, >= 1; may be an average */
	struct cqesim_fraction compressed; /* share of the packets that are in sessions, 0..1 */
	uint32_t completion_bytes;         /* descriptors: of one completion */
	uint32_t completion_batch;         /* descriptors: completions per write */
	uint32_t rx_doorbell_bytes; /* register write; 0: the doorbell is a record in memory */
	uint32_t rx_doorbell_every; /* packets per doorbell */
	uint32_t rx_head_every;     /* packets per register read by the driver; 0: none */
	uint32_t dbrec_every;       /* packets per doorbell record read by the device; 0: none */
	uint32_t interrupt_every;   /* packets per interrupt; 0: polled */
	uint32_t event_bytes;       /* written into an event queue before an interrupt */
	uint32_t arm_bytes;         /* register write that allows the next one */

	/* sending */
	uint32_t tx_desc_bytes;       /* mlx5: 64, the unit of send WQEs */
	uint32_t tx_desc_fetch;       /* bytes read at a time; 0: mlx5, each WQE by itself */
	uint32_t tx_mpw;              /* mlx5: packets in one WQE, 1: the ordinary WQE */
	uint32_t tx_inline_max;       /* mlx5: packets up to this many bytes stand in the WQE */
	uint32_t tx_inline_min;       /* mlx5: of longer ones so many bytes stand in the WQE */
	bool tx_blueflame;            /* mlx5: the host writes WQEs into the device */
	uint32_t tx_completion_bytes; /* one write; 0: none */
	uint32_t tx_completion_every; /* packets per completion or write-back */
	uint32_t tx_doorbell_bytes;   /* 0: none */
	uint32_t tx_doorbell_every;   /* packets per doorbell */
	uint32_t tx_head_every;       /* packets per register read; 0: none */

	/* limits that are not bytes; 0: not known, no limit */
	unsigned ports, queues; /* ports share the link; queues of all ports */
	double port_bps;        /* line rate of one port */
	double offered_pps;     /* all ports; 0: as much as the line carries */
	double port_pps, device_pps, queue_pps;
	double bus_hz;         /* internal bus of a port */
	uint32_t bus_bytes;    /* a beat; the packet's last beat is not shared */
	double completion_pps; /* writes of completions per second, all queues */
	double host_pps;       /* what the host's cores do, all of them */
	uint32_t ring_entries; /* packets a queue's ring holds, for its footprint */
	uint64_t ddio_bytes;   /* share of the cache that DMA may fill */
};

/*
 * A config from profiles: one packet of 64 bytes, receiving on one queue and
 * port, plain CQEs, cyclic, no padding.  host may be NULL.  -EINVAL when the
 * profiles are not of these kinds.
 */
CQESIM_API int cqesim_ceiling_from_profiles(struct cqesim_ceiling_config *config,
					    const struct cqesim_profile *device,
					    const struct cqesim_profile *link,
					    const struct cqesim_profile *host,
					    struct cqesim_error *err);

/* ---- traffic: what happens how often per packet ---- */

enum cqesim_access {
	CQESIM_DMA_WRITE, /* device to memory */
	CQESIM_DMA_READ,  /* device from memory */
	CQESIM_CPU_WRITE, /* host to register */
	CQESIM_CPU_READ,  /* host from register */
};

struct cqesim_transaction {
	enum cqesim_cause cause;
	enum cqesim_access access;
	uint32_t bytes;
	uint32_t address; /* from a 4 KiB boundary */
	struct cqesim_fraction per_packet;
};
#define CQESIM_TRANSACTIONS_MAX 32

/*
 * Packets that one receive WQE takes; 1 for a cyclic queue.  When strides are
 * left over at its end, a completion of its own (a filler, never compressed)
 * closes them.  For configs that cqesim_ceiling_traffic takes.
 */
CQESIM_API uint32_t cqesim_ceiling_packets_per_wqe(const struct cqesim_ceiling_config *config);

/*
 * The list for a config; returns how many.  -EINVAL with *err set for values
 * that cannot be.
 */
CQESIM_API int cqesim_ceiling_traffic(const struct cqesim_ceiling_config *config,
				      struct cqesim_transaction traffic[CQESIM_TRANSACTIONS_MAX],
				      struct cqesim_error *err);

/* ---- the answer ---- */

enum cqesim_bound {
	CQESIM_BOUND_UP, /* the link, device to host, at its efficiency */
	CQESIM_BOUND_DOWN,
	CQESIM_BOUND_LINE, /* the ports' line rate */
	CQESIM_BOUND_OFFERED,
	CQESIM_BOUND_PORT,   /* packets per second of the ports */
	CQESIM_BOUND_DEVICE, /* of the device as a whole */
	CQESIM_BOUND_QUEUES,
	CQESIM_BOUND_BUS,
	CQESIM_BOUND_COMPLETIONS,
	CQESIM_BOUND_TAGS,    /* reads in flight */
	CQESIM_BOUND_CREDITS, /* posted TLPs in flight */
	CQESIM_BOUND_HOST,
	CQESIM_BOUNDS
};
CQESIM_API const char *cqesim_bound_name(enum cqesim_bound bound);
CQESIM_API const char *cqesim_bound_key(enum cqesim_bound bound);

struct cqesim_ceiling {
	struct cqesim_link link;
	struct cqesim_fraction up[CQESIM_CAUSES], down[CQESIM_CAUSES]; /* bytes per packet */
	struct cqesim_fraction up_bytes, down_bytes;                   /* their sums */
	struct cqesim_fraction posted;      /* posted TLPs up, per packet */
	struct cqesim_fraction credits;     /* their data credits, per packet */
	struct cqesim_fraction reads;       /* read requests, per packet */
	struct cqesim_fraction completions; /* writes of completions, per packet */

	/* packets per second; INFINITY where nothing is carried */
	double tlp_only_pps;             /* TLP bytes alone against the rate after the line code */
	double link_pps;                 /* DLLPs and SKP as well, efficiency 1 */
	enum cqesim_bound link_bound;    /* UP or DOWN, whichever is full first */
	double bound_pps[CQESIM_BOUNDS]; /* INFINITY: no such limit, or not known */
	enum cqesim_bound binding, next;
	double pps; /* of the binding one */

	uint64_t ring_bytes; /* lines of data, completion and descriptor of all rings; 0: not asked
			      */
};

/* -EINVAL: see cqesim_ceiling_traffic; -ERANGE: fractions too large to be kept exactly. */
CQESIM_API int cqesim_ceiling(struct cqesim_ceiling *ceiling,
			      const struct cqesim_ceiling_config *config, struct cqesim_error *err);

/* Frames per second on a wire of `bps`: preamble, start and gap take 20 bytes each. */
static inline double cqesim_line_pps(double bps, uint32_t frame_bytes)
{
	return bps / 8 / (frame_bytes + 20);
}

/* Use of the link's direction at a packet rate; more than 1: it does not fit. */
static inline double cqesim_ceiling_use(const struct cqesim_ceiling *c,
					struct cqesim_fraction bytes, double pps)
{
	return pps * cqesim_fraction_value(bytes) / cqesim_link_rate(&c->link);
}

/* ---- the link alone ---- */

/* One transfer after the other, all alike; "both": a read and a write of the same size. */
enum cqesim_transfer_op { CQESIM_TRANSFER_WRITE, CQESIM_TRANSFER_READ, CQESIM_TRANSFER_BOTH };

struct cqesim_transfers {
	struct cqesim_fraction up_bytes, down_bytes; /* of one transfer, DLLPs included */
	struct cqesim_fraction reads;                /* requests of one transfer */
	double per_second;                           /* at efficiency 1 */
	double bps;                                  /* payload; of "both" one direction's */
	enum cqesim_bound bound;                     /* UP or DOWN */
};

/* bytes 1..1 MiB, from address on.  -EINVAL for others; -ERANGE as cqesim_ceiling. */
CQESIM_API int cqesim_ceiling_transfers(const struct cqesim_link *link, enum cqesim_transfer_op op,
					uint64_t address, uint32_t bytes,
					struct cqesim_transfers *transfers,
					struct cqesim_error *err);

#endif
