/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * numbered.h - frames that tell which they are: for whoever checks what arrives.
 *
 * A fixed table of frames of many kinds is sent round and round; frame number n is entry
 * n mod NUMBERED_FRAMES with n written into it.  So a receiver that has the same table
 * knows every byte of what was sent, without asking anybody.
 */
#ifndef TRACE_NUMBERED_H
#define TRACE_NUMBERED_H

#include <string.h>

#include "cqesim/cqe.h"
#include "cqesim/trace.h"

/* A prime, so that each frame comes to each place of a ring. */
#define NUMBERED_FRAMES 4093u
#define NUMBERED_BYTES  16u

enum numbered_kind {
	NUMBERED_UDP4,
	NUMBERED_TCP4,
	NUMBERED_UDP6,
	NUMBERED_TCP6,
	NUMBERED_ICMP4,
	NUMBERED_OTHER,     /* an Ethernet type for experiments */
	NUMBERED_FRAGMENT4, /* the first: with UDP header */
	NUMBERED_REST4,     /* a later one */
	NUMBERED_FRAGMENT6,
	NUMBERED_OPTIONS4,   /* UDP behind an IPv4 header of 24 bytes */
	NUMBERED_PADDED4,    /* UDP; the IP packet ends before the frame does */
	NUMBERED_BAD_HEADER, /* UDP over IPv4, wrong header checksum */
	NUMBERED_BAD_UDP,    /* wrong UDP checksum */
	NUMBERED_BAD_TCP,
	NUMBERED_VLAN_UDP4, /* tagged */
	NUMBERED_VLAN_TCP6,
	NUMBERED_VLAN_OTHER,
	/* Segments of TCP streams, with sequence numbers that go on; the mix "lro" alone. */
	NUMBERED_STREAM4,
	NUMBERED_STREAM6,
	NUMBERED_STREAM_VLAN4, /* tagged, and with TCP's time stamps */
	NUMBERED_KINDS
};

struct numbered_frame {
	uint8_t *bytes;
	uint32_t len; /* without FCS */
	uint16_t at;  /* of the number */
	uint8_t kind;
	/* Streams: which, where its TCP header is, bytes of payload. */
	uint8_t flow;
	uint16_t l4;
	uint32_t payload;
	uint32_t seq, per_round; /* sequence number in the first round, what each adds */
};
static inline bool numbered_is_stream(const struct numbered_frame *f)
{
	return f->kind >= NUMBERED_STREAM4;
}

struct numbered {
	struct numbered_frame frame[NUMBERED_FRAMES];
	uint8_t *memory;
	uint32_t largest; /* frame */
};

/*
 * mix: "udp" (64 bytes with FCS, UDP over IPv4), "tcp", "all" (runs of one kind; up to
 * 1518 bytes, 1522 with tag), "small" (all kinds, up to 128 bytes), "jumbo" (up to 9018), "lro"
 * (TCP streams in runs, mostly of full segments, with all that ends a session of LRO now and then).
 * -EINVAL, -ENOMEM with *err.
 */
int numbered_make(struct numbered *n, const char *mix, struct cqesim_error *err);
void numbered_free(struct numbered *n);

/* The number and its complement: checksums are the same whatever the number is. */
static inline void numbered_write(uint8_t at[NUMBERED_BYTES], uint64_t number)
{
	uint64_t complement = ~number;

	memcpy(at, &number, 8);
	memcpy(at + 8, &complement, 8);
}

static inline bool numbered_read(const uint8_t at[NUMBERED_BYTES], uint64_t *number)
{
	uint64_t complement;

	memcpy(number, at, 8);
	memcpy(&complement, at + 8, 8);
	return *number == ~complement;
}

static inline uint32_t numbered_seq(const struct numbered_frame *f, uint64_t number)
{
	return f->seq + (uint32_t)(number / NUMBERED_FRAMES) * f->per_round;
}

/*
 * What is different in frame `number` each time that it is sent: bytes from `at` on, behind a TCP
 * header at l4.  A stream's sequence number has its complement behind the number, for checksums.
 */
static inline void numbered_stamp_at(const struct numbered_frame *f, uint8_t *at, uint8_t *l4,
				     uint64_t number)
{
	numbered_write(at, number);
	if (!numbered_is_stream(f))
		return;
	uint32_t seq = numbered_seq(f, number);

	cqesim_be_store(l4 + 4, 4, seq);
	cqesim_be_store(at + NUMBERED_BYTES, 4, ~seq);
}
static inline void numbered_stamp(const struct numbered_frame *f, uint64_t number)
{
	numbered_stamp_at(f, f->bytes + f->at, f->bytes + f->l4, number);
}

#endif
