/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tlp.h - memory operations as the TLPs that go over the link, and a stream of
 * them in a file that Wireshark opens.
 *
 * A TLP is its header and data as in the transaction layer: no sequence number,
 * LCRC or framing, no digest (TD 0) and no prefix, in the format without flits.
 * (PCI Express Base Specification, section 2.2; field positions as
 * cocotbext-pcie and NetTLP have them.)
 *
 *   byte  0     Fmt (7:5): 0 3 DW, 1 4 DW, 2 3 DW with data, 3 4 DW with data;
 *               Type (4:0): 0 memory, 10 completion
 *   byte  1     tag bits 9 (bit 7) and 8 (bit 3), traffic class, attributes
 *   bytes 2-3   length in DWs (9:0; 1024 is 0), attributes
 *   requests    4-5 requester, 6 tag, 7 byte enables (last 7:4, first 3:0),
 *               8- address of the first DW, 32 or 64 bits
 *   completions 4-5 completer, 6-7 status (0) and byte count (11:0; 4096 is 0),
 *               8-9 requester, 10 tag, 11 lower address (6:0)
 */
#ifndef CQESIM_TLP_H
#define CQESIM_TLP_H

#include "cqesim/pcie.h"

enum cqesim_tlp_type {
	CQESIM_TLP_MRD,
	CQESIM_TLP_MWR,
	CQESIM_TLP_CPLD,
};

/* Bus, device and function of the card and of the root complex, in the files of a dump. */
#define CQESIM_TLP_CARD 0x0100u /* 01:00.0 */
#define CQESIM_TLP_ROOT 0x0000u

struct cqesim_tlp {
	enum cqesim_tlp_type type;
	uint64_t address;    /* of the first byte */
	uint32_t length;     /* bytes from there, 1 to 4096 (in whole DWs) */
	uint32_t byte_count; /* completions: bytes left of the request, these included */
	uint16_t requester, completer;
	uint16_t tag;     /* 0 to 1023 */
	const void *data; /* writes and completions: length bytes; NULL: zeros */
};

#define CQESIM_TLP_BYTES_MAX (16u + 4096u)

/*
 * Header and data of a TLP; requests have 4 DW headers when addr_bits is 64 and
 * the address needs it (the specification forbids the long form below 4 GiB).
 * Bytes of whole DWs that are not asked for are 0.  Returns bytes written;
 * -EINVAL: a length of 0 or over 4096, or an address that 32 bits do not hold.
 */
CQESIM_API int cqesim_tlp_encode(const struct cqesim_tlp *tlp, unsigned addr_bits,
				 uint8_t out[CQESIM_TLP_BYTES_MAX]);

/* A file of TLPs. */
struct cqesim_tlp_dump;

/*
 * pcapng: link type USER0 (147) of raw TLPs, time stamps of nanoseconds, a flag
 * for the direction (outbound: from the card), a comment that tells what the
 * TLP is for.  path "-": standard output.  limit: TLPs that are written, 0: all;
 * what comes after is counted.  The file appears when it is closed with keep.
 */
CQESIM_API int cqesim_tlp_dump_create(struct cqesim_tlp_dump **dump, const char *path,
				      const struct cqesim_link *link, uint64_t limit,
				      struct cqesim_error *err);
/*
 * A memory operation of the card, cut as the link cuts it.  Errors of writing
 * are kept for the close.  data may be NULL (zeros); data_length: what there is
 * of it.  A read's completions follow at once, with the time of their arrival.
 */
CQESIM_API void cqesim_tlp_dump_write(struct cqesim_tlp_dump *dump, uint64_t time_ps,
				      uint64_t address, uint32_t length, const void *data,
				      uint32_t data_length, const char *what);
CQESIM_API void cqesim_tlp_dump_read(struct cqesim_tlp_dump *dump, uint64_t time_ps,
				     uint64_t back_ps, uint64_t address, uint32_t length,
				     const void *data, uint32_t data_length, const char *what);
/* TLPs written, and those beyond the limit. */
CQESIM_API void cqesim_tlp_dump_counts(const struct cqesim_tlp_dump *dump, uint64_t *written,
				       uint64_t *left_out);
CQESIM_API int cqesim_tlp_dump_close(struct cqesim_tlp_dump *dump, bool keep,
				     struct cqesim_error *err);

#endif
