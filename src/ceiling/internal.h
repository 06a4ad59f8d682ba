/* SPDX-License-Identifier: BSD-3-Clause */
/* internal.h - what the files of the ceiling share. */
#ifndef CQESIM_CEILING_INTERNAL_H
#define CQESIM_CEILING_INTERNAL_H

#include "cqesim/ceiling.h"

/* Values that cannot be: -EINVAL. */
int ceiling_check(const struct cqesim_ceiling_config *c, struct cqesim_error *err);

/* Bytes of packet data that are written, padding included. */
uint32_t ceiling_data_bytes(const struct cqesim_ceiling_config *c);

/* Segments of 16 bytes of a send WQE. */
uint32_t ceiling_wqe_segments(const struct cqesim_ceiling_config *c);
#define CEILING_WQE_SEGMENTS_MAX 63u

#endif
