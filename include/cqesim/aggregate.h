/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aggregate.h - part of rq: joining consecutive TCP segments of a flow, as
 * hardware GRO (mlx5: SHAMPO, headers split from data) and as classic LRO.
 * Pure state machines over the packets of one queue.
 *
 * What the device compares and when it gives up is not public.  Each rule is a
 * member of the configuration; its comment says where the value comes from:
 * [documented], [driver] (a driver could not work otherwise, or sets it), or
 * [assumed].  KRN is Linux mlx5 (core/en_rx.c, core/en/params.c, core/en.h),
 * PMD is DPDK drivers/net/mlx5, NETDEV is Linux
 * Documentation/networking/netdev-features.rst.
 *
 * A segment joins the open session of its flow when it is the next in sequence
 * and agrees in what is compared.  PSH joins and ends the session; SYN, RST, URG
 * and a segment without payload go alone and end the flow's session before.  FIN
 * does as PSH with HW-GRO and as SYN with LRO, whose completion has no bit for it
 * [driver: KRN mlx5e_lro_update_tcp_hdr and PMD mlx5_lro_update_tcp_hdr set PSH and
 * ACK in the first segment's header, so that a FIN that joined would be lost].  IPv4
 * options go alone with LRO [driver: both take the TCP header to be behind 20 bytes].
 * Data of a session is consecutive in the data buffers; a session starts at a
 * multiple of align_bytes.
 */
#ifndef CQESIM_AGGREGATE_H
#define CQESIM_AGGREGATE_H

#include "cqesim/common.h"
#include "cqesim/trace.h"

#define CQESIM_AGGREGATE_CONTEXTS_MAX 64u
/* Least payload that LRO joins [documented for a ConnectX-6 Dx: lro_min_mss_size, mlx5ctl's
 * README]. */
#define CQESIM_LRO_MIN_PAYLOAD 1348u

enum cqesim_aggregate_kind {
	CQESIM_AGGREGATE_LRO,
	CQESIM_AGGREGATE_HW_GRO,
};

/* Why a session ended. */
enum cqesim_flush {
	CQESIM_FLUSH_FLAGS,      /* its last segment has PSH or FIN */
	CQESIM_FLUSH_CONTROL,    /* a segment of the flow with SYN, RST, URG (LRO: FIN) came */
	CQESIM_FLUSH_EMPTY,      /* a segment of the flow without payload came */
	CQESIM_FLUSH_SEQUENCE,   /* the flow went on with another sequence number */
	CQESIM_FLUSH_HEADER,     /* the flow went on with other header fields, or another ACK */
	CQESIM_FLUSH_LENGTH,     /* last segment shorter than the others, or the next one longer */
	CQESIM_FLUSH_SHORT,      /* a segment of the flow below the least payload came */
	CQESIM_FLUSH_SIZE,       /* the next segment would have exceeded max_bytes */
	CQESIM_FLUSH_SEGMENTS,   /* max_segments */
	CQESIM_FLUSH_ENTRIES,    /* all header entries in use */
	CQESIM_FLUSH_OTHER_FLOW, /* another flow came and no context was free */
	CQESIM_FLUSH_TIMEOUT,
	CQESIM_FLUSH_STOP,  /* cqesim_aggregate_stop: end of the run, or of the driver's poll */
	CQESIM_FLUSH_ALONE, /* never open: a packet that cannot be joined */
	CQESIM_FLUSHES
};
/* "psh/fin", "sequence", ... for tables; one word for JSON keys. */
CQESIM_API const char *cqesim_flush_name(enum cqesim_flush flush);
/* A sentence's end: "the flow went on with another sequence number". */
CQESIM_API const char *cqesim_flush_words(enum cqesim_flush flush);

struct cqesim_aggregate_config {
	enum cqesim_aggregate_kind kind;
	/*
	 * Flows open at a time, 1..CQESIM_AGGREGATE_CONTEXTS_MAX.  HW-GRO: 1 [driver: KRN
	 * keeps one packet under construction a queue].  LRO: 32 [assumed; 1 to 64]; with
	 * DPDK's cyclic rings 1 [vendor: "LRO in MLX5 PMD", dev@dpdk.org May 2019: a session
	 * ends when a "packet from a different flow is received on the same queue"].
	 */
	unsigned contexts;
	/*
	 * Bytes of a session.  HW-GRO: payload, 65536 [driver: KRN reservation of 64 KiB,
	 * GRO_LEGACY_MAX_SIZE].  LRO: headers and payload, 65280 [driver: PMD, 255 units of
	 * 256; its guide rounds down to these].
	 */
	uint32_t max_bytes;
	/*
	 * Buffers below 64 KiB count whole towards max_bytes, so larger ones make shorter
	 * sessions; from 64 KiB on headers and payload count [driver: KRN
	 * mlx5e_hw_gro_skb_has_enough_space].  HW-GRO: true.
	 */
	bool count_buffers;
	/*
	 * Segments of a session.  HW-GRO: 2^ceil(log2(65536 / MTU)) [driver: KRN, packets
	 * per reservation].  LRO: 255 [documented: lro_num_seg has 8 bits].
	 */
	unsigned max_segments;
	/*
	 * From a session's first segment, 0: none.  HW-GRO: 1024 us, LRO: 32 us with KRN, 8 us
	 * with PMD [driver; devices offer four periods, a ConnectX-6 Dx 8, 16, 32 and 1024 us:
	 * mlx5ctl's README].
	 */
	uint64_t timeout_ps;
	/* Less payload is not joined.  LRO: 1348 [documented: lro_min_mss_size, same dump]. */
	uint32_t min_payload;
	/*
	 * All segments but the last have the first one's length, and all its ACK number: what
	 * HW-GRO needs to be undone exactly [documented: NETDEV]; LRO does not.
	 */
	bool exact;
	/* Headers go to entries of their own, data to data buffers [driver: KRN, HW-GRO]. */
	bool header_split;
	/*
	 * Header buffer: 2^log_header_entries entries of header_entry_bytes [driver: KRN, 256
	 * bytes; entries: max_segments x sessions that the queue's WQEs hold].  Longer headers,
	 * and what is no TCP or UDP, stay with the data (header size 0).  A session's entries
	 * are free again when it ended [assumed: the driver copies headers at once].
	 */
	unsigned log_header_entries;
	uint32_t header_entry_bytes;
	/* Data buffers (rx-buf-len), a power of two. */
	uint32_t buffer_bytes;
	/*
	 * Where a session may start, a power of two up to buffer_bytes.  HW-GRO: a stride
	 * [driver: KRN asks for NO_MATCH_ALIGNMENT_GRANULARITY_STRIDE]; LRO: a buffer [assumed].
	 */
	uint32_t align_bytes;
	/*
	 * HW-GRO of mlx5 writes a CQE for each segment and the driver joins them by match and
	 * flush [driver: KRN mlx5e_handle_rx_cqe_mpwrq_shampo]; LRO one for the session, as
	 * other vendors' HW-GRO does.
	 */
	bool cqe_per_segment;
};

/* What Linux (mlx5e) sets, for an MTU (without Ethernet header) of 68..65535; -EINVAL otherwise. */
CQESIM_API int cqesim_aggregate_defaults(struct cqesim_aggregate_config *config,
					 enum cqesim_aggregate_kind kind, uint32_t mtu,
					 struct cqesim_error *err);

/* TCP flags as they stand in the header. */
#define CQESIM_TCP_FIN 0x01u
#define CQESIM_TCP_SYN 0x02u
#define CQESIM_TCP_RST 0x04u
#define CQESIM_TCP_PSH 0x08u
#define CQESIM_TCP_ACK 0x10u
#define CQESIM_TCP_URG 0x20u

/* A packet as the state machine sees it. */
struct cqesim_segment {
	uint64_t time_ps; /* never less than before */
	uint64_t flow;    /* the same for packets of the same 5-tuple */
	uint64_t traits;  /* the same when all other compared header fields are */
	uint8_t ttl;      /* or hop limit; compared with HW-GRO, LRO tells the least */
	uint16_t window;
	uint32_t seq, ack;
	uint32_t payload_bytes;
	uint16_t header_bytes; /* L2 to L4; 0: nothing that can be split off */
	uint8_t tcp_flags;
	bool tcp;        /* a TCP packet, whole and unfragmented; others go alone */
	bool ip_options; /* IPv4 */
};

/*
 * Fill *segment from a frame: Ethernet, up to two VLAN tags, IPv4 or IPv6 without
 * fragments and extension headers, TCP or UDP.  Traits: VLAN tags, DSCP and ECN,
 * IPv4 DF bit, IPv6 flow label, TCP options but for time stamps' values, and the TTL
 * beside them [assumed: what Linux compares in software GRO; but LRO's completion has a
 * lro_min_ttl, so TTLs of a session may differ].  Whatever it is not is a packet
 * without header_bytes and tcp.
 */
CQESIM_API void cqesim_segment_read(const struct cqesim_frame *frame,
				    struct cqesim_segment *segment);

/* A session that ended, or a packet that went alone. */
struct cqesim_session {
	uint64_t id; /* counts from 0 in the order in which they began */
	uint64_t flow;
	uint64_t start_ps, end_ps;
	uint64_t data_start; /* offset in the queue's data buffers, laid end to end */
	uint64_t data_bytes; /* there, headers included where they are not split off */
	uint64_t payload_bytes;
	uint64_t header_bytes; /* of all its segments */
	uint64_t traits;
	uint32_t segments;
	uint32_t segment_bytes;  /* payload of the first */
	uint32_t next_seq, ack;  /* ack: the last segment's */
	uint32_t data_room;      /* it may have so many data bytes; 0: as max_bytes says */
	uint16_t window;         /* the last segment's */
	uint8_t ttl;             /* the least */
	uint32_t header_entries; /* used */
	uint32_t buffers;        /* data buffers in which it lies */
	uint32_t completions;
	uint8_t tcp_flags; /* of all */
	enum cqesim_flush flush;
};

/* Where one segment went: as the CQE overlay of a SHAMPO completion tells it. */
struct cqesim_segment_place {
	uint64_t session;
	bool match;            /* joined the session that was open, driver's limits included */
	bool flush;            /* and ended it */
	uint16_t header_size;  /* in the header buffer, 0: with the data */
	uint32_t header_entry; /* entry index, when header_size is not 0 */
	uint64_t data_start;   /* offset as in cqesim_session */
	uint32_t data_bytes;
};

struct cqesim_aggregate_stats {
	uint64_t packets, bytes; /* in */
	uint64_t sessions;       /* ended, packets alone included */
	uint64_t joined;         /* packets in sessions of two and more */
	uint64_t completions;
	uint64_t flushes[CQESIM_FLUSHES];
	uint64_t segments_max;       /* longest session */
	uint64_t header_entries;     /* used, in all */
	uint64_t header_entries_max; /* in use at a time */
	uint64_t not_split;          /* packets whose header stayed with the data */
	uint64_t data_bytes;         /* in data buffers */
	uint64_t data_span;          /* these and the gaps between sessions */
	uint64_t buffers;            /* pieces of sessions: fragments that the host gets */
};

/* *session is valid during the call. */
typedef void (*cqesim_session_done)(void *context, const struct cqesim_session *session);

/* State; read only the statistics. */
struct cqesim_aggregate {
	struct cqesim_aggregate_config config;
	/* In the order of their start; the last place is for a packet that goes alone. */
	struct cqesim_session open[CQESIM_AGGREGATE_CONTEXTS_MAX + 1];
	unsigned opened;
	uint32_t entries_in_use, next_entry;
	uint64_t sessions, cursor;
	cqesim_session_done done;
	void *done_context;
	struct cqesim_aggregate_stats stats;
};

/* done may be NULL.  -EINVAL for values out of the ranges above. */
CQESIM_API int cqesim_aggregate_init(struct cqesim_aggregate *a,
				     const struct cqesim_aggregate_config *config,
				     cqesim_session_done done, void *done_context,
				     struct cqesim_error *err);

/* A packet arrives; *place may be NULL.  Sessions that time out before it end first. */
CQESIM_API void cqesim_aggregate_add(struct cqesim_aggregate *a,
				     const struct cqesim_segment *segment,
				     struct cqesim_segment_place *place);

/* End what is open. */
CQESIM_API void cqesim_aggregate_stop(struct cqesim_aggregate *a, uint64_t now_ps);

/*
 * For a device, which gives a session its buffer: what cqesim_aggregate_add does, step by step.
 * Would the segment join an open session?
 */
CQESIM_API bool cqesim_aggregate_joins(const struct cqesim_aggregate *a,
				       const struct cqesim_segment *segment);
/* Would it go alone, whatever is open? */
CQESIM_API bool cqesim_aggregate_alone(const struct cqesim_aggregate *a,
				       const struct cqesim_segment *segment);
/* End what the segment's arrival ends, without adding it. */
CQESIM_API void cqesim_aggregate_yield(struct cqesim_aggregate *a,
				       const struct cqesim_segment *segment);
/* The session begun last, which is open, has room for so many data bytes in all. */
CQESIM_API void cqesim_aggregate_room(struct cqesim_aggregate *a, uint32_t data_bytes);
/*
 * End sessions whose time is over at now_ps; when the next one's will be (UINT64_MAX: never):
 * a segment that arrives at the time-out's last picosecond still joins.
 */
CQESIM_API void cqesim_aggregate_step(struct cqesim_aggregate *a, uint64_t now_ps);
CQESIM_API uint64_t cqesim_aggregate_next_ps(const struct cqesim_aggregate *a);

#endif
