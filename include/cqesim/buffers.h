/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * buffers.h - part of rq: the memory behind receive queues.  Footprints and
 * waste by formula, pages that are recycled, and how many packets of a burst a
 * ring loses.  Nothing is allocated: memory is handed in.
 *
 * Footprint of a queue (bytes):
 *   cyclic    WQE ring  wqes x 16 x 2^ceil(log2 segments)          (DV mlx5_wqe_data_seg)
 *             buffers   wqes x segments x buffer_bytes
 *             CQ        wqes x cq_factor x CQE            (KRN en/params.c; DPDK mlx5_devx.c)
 *   striding  WQE ring  wqes x 32                         (next and data segment: PMD, KRN)
 *             buffers   wqes x strides x stride bytes
 *             CQ        wqes x strides x CQE              (one packet a stride: PMD, KRN)
 *   both      headers   header entries x entry bytes      (header/data split)
 *             records   2 x 8                             (doorbell records of RQ and CQ)
 *
 * A packet of L bytes holds
 *   cyclic    its WQE's buffers whole: segments x buffer_bytes, however short it is
 *   striding  ceil((L + shift) / stride) strides; at a WQE's end a filler on top
 * and wastes what of that is not L.
 *
 * DDIO: a card's writes go to share x LLC bytes of the last-level cache.  What a
 * ring writes over and over is its buffers and its CQ; beyond that share they are
 * evicted to memory before software reads them.
 */
#ifndef CQESIM_BUFFERS_H
#define CQESIM_BUFFERS_H

#include "cqesim/common.h"
#include "cqesim/rq.h"

/* ---- layout and footprint ---- */

/* Length of a data buffer of a queue (ethtool and netdev's rx-buf-len): a power of two. */
#define CQESIM_RX_BUF_LEN_MIN 4096u
#define CQESIM_RX_BUF_LEN_MAX 131072u
/* -EINVAL with *err for another length. */
CQESIM_API int cqesim_rx_buf_len_check(uint64_t bytes, struct cqesim_error *err);

struct cqesim_rq_layout {
	bool striding;
	unsigned log_wqes; /* 0 .. CQESIM_RQ_LOG_MAX */

	/* Cyclic. */
	unsigned segments;       /* of a WQE, 1 .. 2^CQESIM_RQ_LOG_SEGS_MAX */
	uint32_t buffer_bytes;   /* of each, headroom included, 1 .. 2^24 */
	uint32_t headroom_bytes; /* of the first buffer, not written by the device */

	/* Striding. */
	unsigned log_strides, log_stride_bytes;
	bool two_byte_shift;

	uint32_t cqe_bytes; /* 64 or 128 */
	uint32_t cq_factor; /* cyclic: completions per WQE, 1 or 2 */
	/* Header/data split; 0 entries: none. */
	uint32_t header_entries, header_entry_bytes;
};

/* -EINVAL with *err. Strides of any legal range are taken (extended). */
CQESIM_API int cqesim_rq_layout_check(const struct cqesim_rq_layout *layout,
				      struct cqesim_error *err);

struct cqesim_rq_memory {
	uint64_t wqe_ring, buffers, cq, headers, records, total;
};
CQESIM_API struct cqesim_rq_memory cqesim_rq_memory(const struct cqesim_rq_layout *layout);

/* What one packet takes. */
struct cqesim_rq_fit {
	bool fits;        /* in one WQE */
	uint32_t pieces;  /* segments or strides that hold data */
	uint64_t held;    /* bytes of buffers that it keeps from others */
	uint64_t waste;   /* of these, without data; headroom and shift are waste */
	uint64_t in_ring; /* packets of this length that the whole ring holds */
};
CQESIM_API struct cqesim_rq_fit cqesim_rq_fit(const struct cqesim_rq_layout *layout,
					      uint32_t length);

/* Bytes of a share (0..1) of a last-level cache, and how many such queues fit. */
CQESIM_API uint64_t cqesim_ddio_bytes(uint64_t llc_bytes, double share);
CQESIM_API double cqesim_ddio_queues(const struct cqesim_rq_layout *layout, uint64_t ddio_bytes);

/* ---- use by a sequence of packets, fillers included ---- */

struct cqesim_rq_usage {
	struct cqesim_rq_layout layout;
	struct cqesim_strides strides;
	uint64_t packets, bytes; /* that were placed */
	uint64_t pieces;         /* strides with data, or segments */
	uint64_t wqes;           /* begun */
	uint64_t fillers, filler_strides;
	uint64_t held, waste; /* bytes, fillers included in both */
	uint64_t too_long;    /* packets that fit in no WQE */
};
/* As cqesim_rq_layout_check. */
CQESIM_API int cqesim_rq_usage_init(struct cqesim_rq_usage *u,
				    const struct cqesim_rq_layout *layout,
				    struct cqesim_error *err);
/* One more packet (length > 0); there is always a WQE. */
CQESIM_API void cqesim_rq_usage_add(struct cqesim_rq_usage *u, uint32_t length);

/* ---- pages ---- */

/*
 * Pages that are cut into fragments and come back, as Linux's page pool does: a
 * fragment is the next one of the page at hand; a page whose last fragment came
 * back goes to the cache, and from there it is taken before a new one is
 * allocated; what finds the cache full is freed.
 */
struct cqesim_pool_page {
	uint32_t users; /* fragments out, plus one while it is the page at hand */
	bool exists;
};

struct cqesim_page_pool {
	struct cqesim_pool_page *page; /* not owned */
	uint32_t *stack;               /* not owned; cached pages first, then unused numbers */
	uint32_t pages, cache_max, fragments_per_page;
	uint32_t cached, unused;
	uint32_t at_hand, next_fragment;     /* at_hand == pages: none */
	uint64_t taken;                      /* fragments */
	uint64_t allocated, recycled, freed; /* pages: new, from the cache, back to the system */
	uint32_t in_flight, in_flight_max;   /* pages with fragments out, or at hand */
};

/*
 * `page` and `stack` have `pages` members (1..2^24); fragment_bytes at most
 * page_bytes.  cache_max: pages that the cache keeps.  -EINVAL.
 */
CQESIM_API int cqesim_page_pool_init(struct cqesim_page_pool *pool, struct cqesim_pool_page *page,
				     uint32_t *stack, uint32_t pages, uint32_t cache_max,
				     uint32_t page_bytes, uint32_t fragment_bytes);
/* A fragment: its page, and which one of it (may be NULL).  -ENOBUFS: all pages are in flight. */
CQESIM_API int cqesim_page_pool_take(struct cqesim_page_pool *pool, uint32_t *page,
				     uint32_t *fragment);
/* A fragment of the page comes back.  -EINVAL when none is out. */
CQESIM_API int cqesim_page_pool_give(struct cqesim_page_pool *pool, uint32_t page);

/* ---- bursts ---- */

/*
 * A burst of packets of one length arrives back to back at a full ring of posted
 * WQEs; software takes `ratio` packets in the time in which one arrives, in order,
 * and posts WQEs again: cyclic, post_bulk of them as soon as so many are free;
 * striding, likewise, and one is free when all its packets are taken and all its
 * strides consumed.  What finds no WQE is lost.  Packet by packet, on the queue
 * objects of rq.h.
 */
struct cqesim_burst {
	struct cqesim_rq_layout layout;
	uint32_t packet_bytes;
	uint64_t ratio_num, ratio_den; /* drain rate / arrival rate; den 1 .. 2^32 */
	uint32_t post_bulk;            /* 1 .. WQEs of the ring */
};

struct cqesim_burst_result {
	uint64_t lost, delivered;
	uint64_t taken;      /* of the delivered, by software before the last packet came */
	uint64_t first_lost; /* its number from 0; as many as packets: none was */
};

/* Bytes of scratch memory, aligned as malloc does. */
CQESIM_API size_t cqesim_burst_scratch(const struct cqesim_rq_layout *layout);
/* -EINVAL with *err: layout, a packet that fits in no WQE, or values out of range. */
CQESIM_API int cqesim_burst_run(const struct cqesim_burst *b, uint64_t packets, void *scratch,
				struct cqesim_burst_result *result, struct cqesim_error *err);

/* Ratios are looked for in steps of one in a million, up to 1: from there nothing queues. */
#define CQESIM_BURST_STEPS 1000000u

struct cqesim_burst_row {
	uint64_t packets, lost; /* as published, with lost +- tolerance */
};
struct cqesim_burst_range {
	uint32_t low, high; /* millionths, both included; high == CQESIM_BURST_STEPS: or more */
	bool possible;
};

/*
 * The ratios with which every row comes out within the tolerance (range), and those
 * of each row alone (rows' ranges; may be NULL).  b's ratio is ignored.  Losses
 * never grow with the ratio.  -EINVAL as cqesim_burst_run.
 */
CQESIM_API int cqesim_burst_fit(const struct cqesim_burst *b, const struct cqesim_burst_row *row,
				unsigned rows, uint64_t tolerance, void *scratch,
				struct cqesim_burst_range *range,
				struct cqesim_burst_range *row_range, struct cqesim_error *err);

#endif
