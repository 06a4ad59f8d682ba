/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.h - station 1: frames with arrival times.
 *
 * A trace hands out batches of frames from capture files (pcap, pcapng, plain
 * or compressed, standard input), or from a synthetic workload.  It knows
 * nothing about NICs.
 */
#ifndef CQESIM_TRACE_H
#define CQESIM_TRACE_H

#include <stdio.h>

#include "cqesim/common.h"

/* Smallest frame on an Ethernet wire without its FCS; shorter ones are padded. */
#define CQESIM_MIN_FRAME 60u
#define CQESIM_FCS_BYTES 4u
/* Preamble, start delimiter and inter-frame gap: wire time that carries no frame. */
#define CQESIM_WIRE_GAP_BYTES 20u

/* No batch is larger. */
#define CQESIM_BATCH 256u

/* One frame of a batch; the pointer is valid until the next call for a batch. */
struct cqesim_frame {
	const uint8_t *data; /* captured bytes, destination MAC first, no FCS */
	uint64_t time_ps;    /* arrival of the frame, ps since the first frame; never decreases */
	uint32_t cap_len;    /* bytes at data, <= orig_len */
	uint32_t orig_len;   /* length without FCS as the capture says it, not padded; > 0 */
	uint32_t len;        /* length without FCS on the wire: max(orig_len, 60) */
	/* Of a source that repeats frames: this one's number, from 1; same number, same bytes. */
	uint32_t kept;
};

/* Do the lengths in the capture include the frame check sequence? */
enum cqesim_fcs {
	CQESIM_FCS_ABSENT,  /* as most captures are */
	CQESIM_FCS_PRESENT, /* the last 4 bytes of each frame are the FCS */
	/*
	 * What the pcap file header says about it or, when it says nothing,
	 * whether the last 4 bytes are the right CRC-32 of the rest in most of
	 * the uncut frames of the first batch of each file.
	 */
	CQESIM_FCS_AUTO,
};

/*
 * How arrival times are made.  At a rate of packets frame i comes at
 * floor(i x 10^12 x den / num) ps; at a rate of bits each frame starts when the
 * one before it has left the wire.  Fractions of a picosecond are carried on.
 */
enum cqesim_rate_kind {
	CQESIM_RATE_ASIS,    /* the capture's own times */
	CQESIM_RATE_PPS,     /* num/den packets per second, evenly spaced */
	CQESIM_RATE_BPS,     /* num/den bits per second on the wire, gaps and FCS included */
	CQESIM_RATE_SPEEDUP, /* the capture's times divided by num/den */
};

struct cqesim_rate {
	enum cqesim_rate_kind kind;
	uint64_t num, den;
};

/*
 * Read "asis", "142Mpps", "14.88Mpps", "100G" (bits per second on the wire;
 * also "40Gbps"), "80%" or "line" (of line_bps) or "x2".  Decimal fractions are
 * kept exactly.  -EINVAL with *err set for anything else, for zero and for
 * what is out of range.
 */
CQESIM_API int cqesim_rate_parse(const char *text, uint64_t line_bps, struct cqesim_rate *rate,
				 struct cqesim_error *err);

struct cqesim_trace_config {
	enum cqesim_fcs fcs;
	struct cqesim_rate rate; /* zeroed: as captured */
	uint64_t skip;           /* leave out so many packets at the start, once */
	uint64_t limit;          /* stop after so many packets in all; 0: no limit */
	uint64_t repeat;         /* go through the input so many times; 0 and 1: once */
	bool strict;             /* a truncated capture is an error */
};

/* Packets that were read and not handed out, by reason. */
enum cqesim_trace_skip {
	CQESIM_SKIP_REQUESTED,   /* --skip */
	CQESIM_SKIP_ZERO_LENGTH, /* a record without a single byte on the wire */
	CQESIM_SKIP_REASONS
};
CQESIM_API const char *cqesim_trace_skip_name(enum cqesim_trace_skip reason);

/* A gap in time stamps above this is shortened: the first to this length, later ones to a second.
 */
#define CQESIM_MAX_GAP_PS   (UINT64_C(100) * 86400 * CQESIM_PS_PER_S)
#define CQESIM_LATER_GAP_PS CQESIM_PS_PER_S
/* From here on no gap is longer than CQESIM_LATER_GAP_PS (uint64_t holds 213 days of ps) ... */
#define CQESIM_MAX_TIME_PS (UINT64_C(200) * 86400 * CQESIM_PS_PER_S)
/* ... and here, a million such gaps later, time stops. */
#define CQESIM_CLOCK_END_PS (UINT64_C(212) * 86400 * CQESIM_PS_PER_S)
/* A step back by more than this is a clock that was set; time goes on from there. */
#define CQESIM_CLOCK_STEP_PS CQESIM_PS_PER_S

struct cqesim_trace_stats {
	uint64_t packets;       /* records read, zero-length ones included, --skip ones not */
	uint64_t capture_bytes; /* sum of the original lengths of these, as stored (with FCS if
				   present) */
	uint64_t stored_bytes;  /* sum of what the capture stores of them */
	uint64_t frames;        /* handed out */
	uint64_t wire_bytes;    /* of these: sum of len + FCS */
	uint64_t skipped[CQESIM_SKIP_REASONS];
	uint64_t padded;           /* frames below 60 bytes */
	uint64_t cut;              /* fewer bytes stored than there were */
	uint64_t stored_longer;    /* more bytes stored than there were; the surplus is ignored */
	uint64_t time_backwards;   /* time stamps before an earlier one: taken as equal to it */
	uint64_t clock_steps;      /* of these, by more than CQESIM_CLOCK_STEP_PS */
	uint64_t gaps_clamped;     /* gaps above CQESIM_MAX_GAP_PS, or beyond CQESIM_MAX_TIME_PS */
	uint64_t last_ps;          /* time of the last frame */
	unsigned files;            /* opened so far */
	bool truncated;            /* a capture ended inside a record */
	char truncated_where[256]; /* the first: file, packet number and byte offset */
	char zero_where[256];      /* the first zero-length record, likewise */
	enum cqesim_fcs fcs;       /* ABSENT or PRESENT: what was applied (the first file's) */
	bool fcs_detected;         /* by AUTO */
	bool synthetic;
	uint64_t bytes_read;    /* of the input file(s), for progress; 0 if unknown */
	uint64_t bytes_total;   /* 0 if unknown */
	uint64_t packets_total; /* known in advance (synthetic, --limit), else 0 */
};

struct cqesim_trace;

/*
 * Open capture files to be read in sequence ("-" is standard input).  The
 * first file is opened and looked at now, so that what is no capture is told
 * at once.  Errors: -ENOENT, -EACCES, -EISDIR ... from the system, -EINVAL for
 * what is not a capture, -EPROTONOSUPPORT for a link type other than Ethernet.
 *
 * Times count from the first frame of each file: a file starts at the time at
 * which the one before it ended, a repetition one mean gap later.  A capture
 * that ends inside a record ends there, and the next one follows.  Standard
 * input can be read only once.
 */
CQESIM_API int cqesim_trace_open(struct cqesim_trace **trace, const char *const *paths, size_t n,
				 const struct cqesim_trace_config *config,
				 struct cqesim_error *err);

/*
 * Open a synthetic workload: "frame=64,flows=1024,rate=line,packets=10M".
 * Keys (all optional): frame=N, or frame=N:WEIGHT+N:WEIGHT..., or frame=imix
 * (7 x 64, 4 x 594, 1 x 1518), lengths with FCS as on the wire, 64..9622;
 * flows=N (1..16M distinct UDP or TCP flows, round robin); rate= as in
 * cqesim_rate_parse (line without one); packets=N with suffix k, M or G
 * (default 10M); proto=udp|tcp; l3=ipv4|ipv6; vlan=ID (0: none).
 * Unknown keys and impossible values are -EINVAL.  config->rate, unless ASIS,
 * overrides rate=; a workload has no times of its own, so SPEEDUP is -EINVAL.
 *
 * Frames hold valid headers and checksums over a payload of zeros.  At most the
 * first 128 bytes are handed out (cap_len), the rest is zero; they count as
 * stored and not as cut.  Lengths are interleaved, each as often as its weight
 * says, and over time each flow sees all of them.
 */
CQESIM_API int cqesim_trace_open_synthetic(struct cqesim_trace **trace, const char *spec,
					   uint64_t line_bps,
					   const struct cqesim_trace_config *config,
					   struct cqesim_error *err);

/*
 * Open a workload for checking receivers: frames that hold their own number, of many
 * kinds, lengths and checksums (right and wrong), so that a receiver knows every byte of
 * what was sent; config->limit of them, or without end.  mix: "udp", "tcp", "small",
 * "all", "jumbo"; see src/trace/numbered.h.  At the line's rate unless config->rate says
 * another.  -EINVAL for another mix, or rate SPEEDUP.
 */
CQESIM_API int cqesim_trace_open_numbered(struct cqesim_trace **trace, const char *mix,
					  uint64_t line_bps,
					  const struct cqesim_trace_config *config,
					  struct cqesim_error *err);

/*
 * The next batch: number of frames (1..CQESIM_BATCH) and *frames, 0 at the
 * end, a negative errno for a broken input (then what was handed out before
 * still stands).
 */
CQESIM_API int cqesim_trace_next(struct cqesim_trace *trace, const struct cqesim_frame **frames,
				 struct cqesim_error *err);

CQESIM_API const struct cqesim_trace_stats *cqesim_trace_stats(const struct cqesim_trace *trace);
CQESIM_API void cqesim_trace_close(struct cqesim_trace *trace);

/*
 * Write a trace to a nanosecond pcap file ("-" is standard output).  The file
 * appears under its name only when it is complete; a device or FIFO is written
 * in place.  Synthetic frames are written whole, others as far as they were
 * captured, all without FCS.  Returns packets written through *packets (may be
 * NULL).
 */
CQESIM_API int cqesim_trace_write_pcap(struct cqesim_trace *trace, const char *path,
				       uint64_t *packets, struct cqesim_error *err);

#endif
