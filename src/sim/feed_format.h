/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes of a feed, the format that pmd_referee reads: CQFEED01, then words
 * of 32 bits, little-endian as this host is.  Errors stay in the stream.
 */
#ifndef CQESIM_FEED_FORMAT_H
#define CQESIM_FEED_FORMAT_H

#include <stdio.h>

#include "cqesim/cqe.h"

#define FEED_MAGIC "CQFEED01"
#define FEED_CALL  UINT32_C(0xfffffffd) /* a count follows: call the driver for so many packets */
#define FEED_BATCH UINT32_C(0xffffffff) /* call the driver until it finds nothing */

static inline void feed_begin(FILE *to)
{
	fwrite(FEED_MAGIC, 1, sizeof(FEED_MAGIC) - 1, to);
}

static inline void feed_word(FILE *to, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, to);
}

static inline void feed_slot(FILE *to, uint32_t slot, const uint8_t bytes[64])
{
	feed_word(to, slot);
	fwrite(bytes, 1, CQESIM_CQE_BYTES, to);
}

static inline void feed_call(FILE *to, uint32_t packets)
{
	feed_word(to, FEED_CALL);
	feed_word(to, packets);
}

#endif
