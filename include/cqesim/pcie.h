/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pcie.h - what memory operations cost on a PCIe link, generations 1 to 6, what
 * its latency allows (tags, credits), and the link as a server in time.  Pure;
 * knows nothing of NICs.
 *
 * "Up" is device to host.  Sizes on the wire include header and framing.
 *
 *   framing      8 B per TLP: STP, sequence number, LCRC, END (Gen1/2) or STP
 *                token and LCRC (Gen3-5); Gen6 (FLIT mode): none
 *   MWr, MRd     16 B header with 64-bit addresses, 12 B with 32-bit: 24 or 20 B
 *   CplD         12 B header: 20 B
 *   ECRC         4 B more on each
 *   prefix       4 B each, on requests (a PASID prefix, for instance)
 *   DLLP         8 B: Ack per TLP received (or rarer), UpdateFC per posted TLP;
 *                in FLIT mode they have bytes of their own in each flit
 *   code         8b/10b at 2.5 and 5 GT/s, 128b/130b at 8, 16, 32 GT/s; at 64
 *                GT/s flits of 256 B, of which 236 carry TLPs
 *   SKP          Gen1/2: 4 symbols in 1538; Gen3-5: one block per 370 blocks
 *
 * A TLP's payload is whole double words, no larger than MPS, and crosses no
 * 4 KiB boundary; requests are cut at MRRS and 4 KiB; all completions of a
 * request but the last end on an RCB boundary.  (PCI Express Base
 * Specification, sections 2.2, 2.3 and 3; the numbers as restated by pcie-bench
 * and cocotbext-pcie; FLIT mode as restated by PCI-SIG.  Header sizes of FLIT
 * mode are taken to be those of before: what its orthogonal header content
 * adds is not known here.)
 */
#ifndef CQESIM_PCIE_H
#define CQESIM_PCIE_H

#include "cqesim/common.h"

#define CQESIM_DLLP_BYTES 8u

struct cqesim_link_config {
	unsigned generation; /* 1..6 */
	unsigned lanes;      /* 1, 2, 4, 8, 12, 16, 32 */
	unsigned mps;        /* 128..4096, a power of two */
	unsigned mrrs;       /* likewise */
	unsigned rcb;        /* 64 or 128 */
	unsigned addr_bits;  /* 32 or 64 */
	bool ecrc;
	unsigned prefixes;    /* TLP prefixes of 4 bytes on each request, 0..4 */
	bool cpl_per_rcb;     /* the completer sends RCB-sized pieces, not the largest legal ones */
	double ack_every;     /* TLPs per Ack, >= 1 */
	double fc_every;      /* posted TLPs per UpdateFC-P (towards the device), >= 1 */
	unsigned skp_blocks;  /* Gen3-5: blocks per SKP block */
	unsigned skp_symbols; /* Gen1/2: symbols per SKP set, the set of 4 included */
	double efficiency;    /* share of the TLP bandwidth that is reached, (0, 1] */
};

struct cqesim_link {
	struct cqesim_link_config config;
	unsigned write_header, read_header, cpl_header; /* framing, prefixes and ECRC included */
	unsigned dllp_bytes; /* what a DLLP takes from TLPs: 8, in FLIT mode 0 */
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
	uint64_t credits; /* data credits: one for each 16 bytes begun, TLP by TLP */
};

/* Memory write of length bytes (0: nothing) at address. */
CQESIM_API struct cqesim_tlps cqesim_link_write(const struct cqesim_link *link, uint64_t address,
						uint32_t length);

/* Memory read: requests one way, completions the other. */
CQESIM_API void cqesim_link_read(const struct cqesim_link *link, uint64_t address, uint32_t length,
				 struct cqesim_tlps *requests, struct cqesim_tlps *completions);

/*
 * The same one by one: bytes (not 0, up to left) of the next TLP of a write, of
 * the next request of a read, and of the next completion of a request.
 */
CQESIM_API uint32_t cqesim_link_write_piece(const struct cqesim_link *link, uint64_t address,
					    uint32_t left);
CQESIM_API uint32_t cqesim_link_request_piece(const struct cqesim_link *link, uint64_t address,
					      uint32_t left);
CQESIM_API uint32_t cqesim_link_completion_piece(const struct cqesim_link *link, uint64_t address,
						 uint32_t left);

static inline void cqesim_tlps_add(struct cqesim_tlps *sum, const struct cqesim_tlps *t)
{
	sum->count += t->count;
	sum->payload += t->payload;
	sum->wire += t->wire;
	sum->credits += t->credits;
}

/*
 * DLLP bytes that answer traffic, averages: upstream Acks for the completions
 * received by the device; downstream Acks for every TLP from the device and
 * flow-control updates for the posted ones.
 */
static inline double cqesim_link_dllp_up(const struct cqesim_link *link, uint64_t completions)
{
	return (double)completions * link->dllp_bytes / link->config.ack_every;
}
static inline double cqesim_link_dllp_down(const struct cqesim_link *link, uint64_t posted,
					   uint64_t requests)
{
	return (double)(posted + requests) * link->dllp_bytes / link->config.ack_every +
	       (double)posted * link->dllp_bytes / link->config.fc_every;
}

/*
 * The range of ack_every and fc_every: an Ack or UpdateFC is due at the latest
 * after so many TLPs of maximum size that the specification's limit allows,
 * floor((MPS + 28) x AF / lanes + d) symbol times, d = 19, 70, 115 for Gen1, 2,
 * 3 and later, AF by width and MPS (formula and factors as cocotbext-pcie
 * restates them).  A symbol time carries one byte on every lane.  Returns TLPs
 * of MPS bytes, at least 1; in FLIT mode 1.
 */
CQESIM_API double cqesim_link_ack_latest(const struct cqesim_link *link);

/*
 * What latency allows.  A read holds a tag, and a TLP its flow-control credits,
 * for a round trip.  0 means without limit, also as the answer.
 */
struct cqesim_link_latency {
	uint64_t rtt_ps; /* from a read request's first byte to its last completion's last */
	uint32_t tags; /* reads in flight: 5 bits 32, 8 bits 256, 10 bits 768 (tags 256 to 1023) to
			  1024, 14 bits 16384 */
	uint64_t credit_return_ps; /* from a TLP's first byte until its credits are back */
	uint32_t posted_headers, posted_data; /* credits of the root port; data: 16 bytes each */
	uint32_t read_headers;                /* non-posted header credits */
};

/* Read requests a second: the smaller of tags and non-posted header credits over their time. */
CQESIM_API double cqesim_link_reads_max(const struct cqesim_link_latency *latency);
/*
 * Posted TLPs a second, when each takes data_credits (an average, may be a
 * fraction) beside its header credit.
 */
CQESIM_API double cqesim_link_posted_max(const struct cqesim_link_latency *latency,
					 double data_credits);

/* A pacer that serves bytes at the link's rate times its efficiency. */
CQESIM_API int cqesim_link_pacer(const struct cqesim_link *link, struct cqesim_pacer *pacer);

/* ---- the link as a server in time ---- */

/* Credits or tags that are out, in the order in which they come back. */
struct cqesim_link_loan {
	uint64_t back_ps;
	uint64_t data;
};
struct cqesim_link_pool {
	struct cqesim_link_loan *loan; /* a ring, not owned */
	uint32_t mask, head, count;
	uint32_t headers; /* 0: without limit */
	uint64_t data;    /* likewise */
	uint64_t data_out;
	uint64_t stalled_ps; /* time that TLPs at the head of the line waited for it */
};

/*
 * Both directions of a link, served first come, first served, byte by byte at
 * the link's rate times its efficiency; the clocks keep their remainders.
 * What a TLP waits for: the bytes before it; its credits; for a read a tag.
 * A write that waits holds up what is behind it, as ordering demands of posted
 * TLPs.  Reads hold up no write, for writes may pass them: a read waits for the
 * reads before it, in the device, whose engines take turns on the link.  So its
 * request's bytes are served in the order of calls, but when its answer comes
 * follows from the reads alone.  DLLPs take their bytes before the next TLP of
 * their direction, or what was idle before it.
 */
struct cqesim_link_way {
	struct cqesim_pacer pacer;
	/*
	 * DLLPs that are owed in this direction; whole ones are sent.  Apart, or compilers load
	 * both at once, which waits for the two stores before.
	 */
	double acks;
	uint64_t bytes; /* served, DLLPs included */
	double updates;
};
struct cqesim_link_server {
	struct cqesim_link_way up, down;
	struct cqesim_pacer requests; /* those of reads, as if nothing else went up */
	uint64_t asked_ps;            /* when the last one of them went */
	double ack_each, update_each; /* per TLP, per posted TLP */
	unsigned dllp_bytes;
	uint64_t rtt_ps, credit_return_ps;
	uint64_t alone_bytes, alone_ps; /* how long the last answer takes on an idle link */
	struct cqesim_link_pool posted, reads, tags;
};

/* Entries of memory that cqesim_link_server_init wants; 0: none. */
CQESIM_API uint32_t cqesim_link_server_loans(const struct cqesim_link_latency *latency);

/*
 * loan: cqesim_link_server_loans() entries, kept by the caller as long as the
 * server is used; NULL when that is 0.  -EINVAL: loans missing; -ERANGE: see
 * cqesim_link_pacer.
 */
CQESIM_API int cqesim_link_server_init(struct cqesim_link_server *server,
				       const struct cqesim_link *link,
				       const struct cqesim_link_latency *latency,
				       struct cqesim_link_loan *loan);

/* The same as below, for whatever state the server is in. */
CQESIM_API uint64_t cqesim_link_server_write_any(struct cqesim_link_server *server,
						 uint64_t ready_ps, const struct cqesim_tlps *t);

/*
 * A memory write of t (from cqesim_link_write) that is ready at ready_ps.
 * Returns when its last byte is through.
 */
static inline uint64_t cqesim_link_server_write(struct cqesim_link_server *server,
						uint64_t ready_ps, const struct cqesim_tlps *t)
{
	struct cqesim_link_way *up = &server->up;

	/* Nothing but bytes before it: no DLLP is due and credits are not limited. */
	if (server->posted.headers || server->posted.data || up->acks >= 1 || up->updates >= 1)
		return cqesim_link_server_write_any(server, ready_ps, t);
	server->down.acks += (double)t->count * server->ack_each;
	server->down.updates += (double)t->count * server->update_each;
	up->bytes += t->wire;
	cqesim_pacer_not_before(&up->pacer, ready_ps);
	cqesim_pacer_advance(&up->pacer, t->wire);
	return cqesim_pacer_done_ps(&up->pacer);
}

/*
 * A memory read (from cqesim_link_read): requests up, after the round trip the
 * completions down.  Returns when the last completion has arrived.  When its last
 * request went, and so how long it waited, then stands in asked_ps.
 */
CQESIM_API uint64_t cqesim_link_server_read(struct cqesim_link_server *server, uint64_t ready_ps,
					    const struct cqesim_tlps *requests,
					    const struct cqesim_tlps *completions);
/* When the next read could go that is ready at ready_ps. */
CQESIM_API uint64_t cqesim_link_server_read_ps(const struct cqesim_link_server *server,
					       uint64_t ready_ps);
/* A memory write of the host to the device (a doorbell in a BAR). */
CQESIM_API uint64_t cqesim_link_server_host_write(struct cqesim_link_server *server,
						  uint64_t ready_ps, const struct cqesim_tlps *t);

/* Picoseconds of work that wait for the way up. */
static inline uint64_t cqesim_link_server_backlog(const struct cqesim_link_server *server,
						  uint64_t now_ps)
{
	return server->up.pacer.ps > now_ps ? server->up.pacer.ps - now_ps : 0;
}

#endif
