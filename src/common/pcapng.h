/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pcapng.h - blocks of a pcapng file (draft-ietf-opsawg-pcapng), for files that libpcap does not
 * write.  In the byte order of this machine, which the section header tells; one interface;
 * time stamps are nanoseconds (Wireshark 4.0 overflows on finer ones).  Errors of the stream are
 * the caller's to find.
 */
#ifndef CQESIM_PCAPNG_H
#define CQESIM_PCAPNG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pcapng {
	FILE *stream;
	uint8_t *block; /* where a block is made: of data and 512 bytes at least */
	size_t at;
};

/* Codes of options. */
#define PCAPNG_COMMENT   1u
#define PCAPNG_EPB_FLAGS 2u
#define PCAPNG_EPB_QUEUE 6u
/* Values of flags. */
#define PCAPNG_INBOUND  1u
#define PCAPNG_OUTBOUND 2u

/* Section header and interface; names of up to 64 letters. */
void pcapng_head(struct pcapng *p, uint16_t linktype, const char *interface_name);
/* An enhanced packet block: begun, the data appended in pieces, options, ended. */
void pcapng_packet_begin(struct pcapng *p, uint64_t time_ns, uint32_t length);
void pcapng_packet_data(struct pcapng *p, const void *data, size_t n);
void pcapng_option(struct pcapng *p, uint16_t code, const void *value, size_t n);
void pcapng_packet_end(struct pcapng *p);

#endif
