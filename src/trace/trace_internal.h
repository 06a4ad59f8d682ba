/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_internal.h - what the files of the trace station share. */
#ifndef TRACE_INTERNAL_H
#define TRACE_INTERNAL_H

#include <stdio.h>

#include "cqesim/trace.h"

/* --- source.c: bytes of a capture, decompressed --- */

/* A file name in messages; longer ones lose their beginning. */
#define TRACE_NAME_MAX 160u
/* stdio's buffer: 64 KiB read fastest, larger ones fall out of the L1/L2 caches. */
#define TRACE_STREAM_BUFFER 65536u

enum trace_format { TRACE_PLAIN, TRACE_GZIP, TRACE_ZSTD };

struct trace_source {
	char name[TRACE_NAME_MAX + 4];
	FILE *stream; /* NULL once libpcap owns it */
	int fd;       /* -1 when the stream owns it */
	enum trace_format format;
	void *decoder;         /* z_stream or ZSTD_DStream */
	uint64_t read_bytes;   /* out of the file or pipe */
	uint64_t handed_bytes; /* to the stream, decompressed */
	uint64_t file_size;    /* 0: not a regular file */
	bool seekable;         /* the stream reads the file itself, not through us */
	bool input_ended;
	bool member_open;  /* inside a gzip member or zstd frame */
	bool truncated;    /* compressed data ended inside one */
	char problem[160]; /* what is wrong with the compressed data or the reading of it */
	size_t in_at, in_end;
	uint8_t in[65536];
	char buffer[TRACE_STREAM_BUFFER];
};

/* "-" is standard input.  Errors name the file. */
int trace_source_open(struct trace_source **source, const char *path, struct cqesim_error *err);
void trace_source_close(struct trace_source *source);
/* The name for messages: no control characters, no more than TRACE_NAME_MAX + 3 bytes. */
void trace_source_name(char name[TRACE_NAME_MAX + 4], const char *path);

/* --- rate.c: arrival times --- */

/*
 * A decimal number with an optional suffix k, K, M, G or T as the fraction
 * num / den in lowest terms; *end is what follows.  -EINVAL when there is no
 * number, -ERANGE when it does not fit.
 */
int trace_parse_decimal(const char *text, const char **end, uint64_t *num, uint64_t *den);

/* The clock that stamps frames; pacer.ps is the time of the last one, rounded down. */
struct trace_timer {
	enum cqesim_rate_kind kind;
	struct cqesim_pacer pacer;
	uint64_t owed; /* units that the last frame takes (PPS, BPS) */
};

int trace_timer_init(struct trace_timer *timer, const struct cqesim_rate *rate,
		     struct cqesim_error *err);
/*
 * The time of a frame that follows the last one by gap_ps in the capture and
 * is `len` bytes long; *clamped is counted up when CQESIM_MAX_TIME_PS is hit.
 */
uint64_t trace_timer_stamp(struct trace_timer *timer, uint64_t gap_ps, uint32_t len,
			   uint64_t *clamped);

/* --- clock.c: the capture's own times --- */

struct trace_clock {
	bool running;      /* false: the next frame is the first of its file */
	int64_t last_ns;   /* the latest time stamp of this file */
	uint64_t join_ps;  /* between the last frame of a file and the first of the next */
	uint64_t round_ps; /* sum of the gaps of this round, saturating */
	uint64_t round_frames;
	uint64_t long_gaps; /* above CQESIM_MAX_GAP_PS so far */
};

/* Seconds and nanoseconds as libpcap gives them, in one number that saturates. */
int64_t trace_clock_ns(int64_t sec, int64_t nsec, bool unsigned32);
/* Gap before the frame in ps, <= CQESIM_MAX_GAP_PS; what is odd about it goes to *stats. */
uint64_t trace_clock_gap(struct trace_clock *clock, int64_t ns, struct cqesim_trace_stats *stats);
/* Another file begins; `round`: it is the first one again. */
void trace_clock_file(struct trace_clock *clock, bool round);

/* --- the trace object --- */

struct cqesim_trace {
	const struct trace_ops {
		int (*next)(struct cqesim_trace *trace, struct cqesim_error *err);
		void (*close)(struct cqesim_trace *trace);
	} * ops;
	struct cqesim_trace_config config;
	struct cqesim_trace_stats stats;
	struct trace_timer timer;
	struct cqesim_frame frames[CQESIM_BATCH];
};

/* --- flows.c: bytes of synthetic frames --- */

/* Bytes handed out of a synthetic frame at most; all that follow are zero. */
#define TRACE_SYNTH_BYTES     128u
#define TRACE_SYNTH_MAX_FLOWS (UINT32_C(1) << 24)

struct trace_flow_spec {
	bool tcp, ipv6;
	uint16_t vlan; /* 0: none */
};

/* Frames of one length: everything but what differs between flows. */
struct trace_flow_template {
	uint8_t bytes[TRACE_SYNTH_BYTES];
	uint32_t ip_sum; /* of the IPv4 header without the flow's bytes */
	uint32_t l4_sum; /* of pseudo header and segment, likewise */
	uint16_t address_at, port_at, ip_sum_at, l4_sum_at; /* ip_sum_at 0: IPv6 */
	bool udp;
};

/* Headers of such a frame: no frame (without FCS) can be shorter. */
uint32_t trace_flow_header_bytes(const struct trace_flow_spec *spec);
void trace_flow_template(struct trace_flow_template *t, const struct trace_flow_spec *spec,
			 uint32_t len);
/* Write the TRACE_SYNTH_BYTES first bytes of a frame of flow number `flow`. */
void trace_flow_stamp(uint8_t *bytes, const struct trace_flow_template *t, uint32_t flow);

#endif
