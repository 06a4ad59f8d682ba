/* SPDX-License-Identifier: BSD-3-Clause */
/* rq_options.h - the options of cqesim rq by number: rq_option_list.c has their names. */
#ifndef CQESIM_CLI_RQ_OPTIONS_H
#define CQESIM_CLI_RQ_OPTIONS_H

#include "rq.h"

enum {
	OPT_CYCLIC = 256,
	OPT_STRIDING,
	OPT_WQES,
	OPT_SEGMENTS,
	OPT_BUFFER,
	OPT_HEADROOM,
	OPT_CQ_FACTOR,
	OPT_STRIDES,
	OPT_STRIDE_BYTES,
	OPT_SHIFT,
	OPT_LINKED,
	OPT_ENTRIES,
	OPT_PACKETS,
	OPT_LIMIT,
	OPT_HOLD,
	OPT_MEMCPY,
	OPT_SPARE,
	OPT_NO_REFILL,
	OPT_PAGE,
	OPT_POOL_CACHE,
	OPT_HOLD_FOR,
	OPT_WIDTH,
	OPT_QUEUES,
	OPT_LLC,
	OPT_DDIO,
	OPT_BURST,
	OPT_RATIO,
	OPT_FIT,
	OPT_POST,
	OPT_BURST_BYTES,
	OPT_ROUNDING,
	OPT_GAIN,
	OPT_GRO,
	OPT_LRO,
	OPT_MTU,
	OPT_BUF_LEN,
	OPT_CONTEXTS,
	OPT_MAX_BYTES,
	OPT_MAX_SEGMENTS,
	OPT_MIN_PAYLOAD,
	OPT_TIMEOUT,
	OPT_ONE,
	OPT_COUNT_BYTES,
	OPT_FLOWS,
	OPT_HEADER_BYTES,
	OPT_GAP,
	OPT_JSON,
};

extern const struct option rq_long_options[];
/* "wqes" of OPT_WQES. */
const char *rq_option_name(int option);

#endif
