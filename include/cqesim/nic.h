/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nic.h - the device as an object: completion and receive queues in memory
 * that others own, the compression policy, the packet buffer and the PCIe link
 * in front of them.  No thread and no clock: every call says what time it is.
 * A replay calls it in simulated time; something that emulates a card may call
 * it from a thread in real time.
 *
 * A packet's way:  pipeline (packet rate) -> buffer -> WQE -> data writes ->
 * CQE or compression session.  The buffer drains at the link's speed; a packet
 * that does not fit is lost before the link (rx_discards_phy), what finds no WQE after it
 * is lost as well (rx_out_of_buffer).  Receive is bounded by posted WQEs alone:
 * a completion ring is at least as large as the receive queues behind it.
 */
#ifndef CQESIM_NIC_H
#define CQESIM_NIC_H

#include "cqesim/aggregate.h"
#include "cqesim/common.h"
#include "cqesim/cq.h"
#include "cqesim/pcie.h"
#include "cqesim/rq.h"

/* Firmware policy (mlxconfig CQE_COMPRESSION), for queues that may be compressed. */
enum cqesim_compression {
	CQESIM_COMP_OFF,        /* for comparison: no queue is compressed */
	CQESIM_COMP_BALANCED,   /* under back-pressure of the link */
	CQESIM_COMP_AGGRESSIVE, /* always */
};

/* How title and arrays of a session become memory writes. */
enum cqesim_write_policy {
	CQESIM_WRITE_ARRAYS, /* title and each array: 64 bytes each */
	CQESIM_WRITE_BURST,  /* title and first array in one write of 128 */
	CQESIM_WRITE_EXACT,  /* arrays are cut to the minis used */
};

/* What ended a session. */
enum cqesim_session_end {
	CQESIM_END_MISMATCH, /* the next completion differs in a compared field */
	CQESIM_END_MAX,      /* cqe_compression_max_num reached */
	CQESIM_END_TIMEOUT,
	CQESIM_END_RING,   /* the ring's end */
	CQESIM_END_RELIEF, /* balanced: the link's backlog is gone */
	CQESIM_END_STOP,   /* the queue was stopped or the run ended */
	CQESIM_END_FILLER, /* striding: a filler comes next, which is always written plain */
	CQESIM_END_AGE,    /* so long after its first packet */
	CQESIM_SESSION_ENDS
};
CQESIM_API const char *cqesim_session_end_name(enum cqesim_session_end end);

/* What became of a packet. */
enum cqesim_rx_result {
	CQESIM_RX_DELIVERED,
	CQESIM_RX_BUFFER_FULL,   /* rx_discards_phy: the device's buffer is full, the link is behind
				  */
	CQESIM_RX_OUT_OF_BUFFER, /* rx_out_of_buffer: no WQE posted */
	CQESIM_RX_TOO_LONG,      /* longer than the WQE's buffers */
	CQESIM_RX_NOT_READY,     /* the queue is not in state RDY */
	CQESIM_RX_ERROR, /* protection error: an error CQE was written, the queue is in state ERR */
	CQESIM_RX_RESULTS
};
CQESIM_API const char *cqesim_rx_result_name(enum cqesim_rx_result result);

/*
 * Something that the device does wrong once, on purpose, to see who notices (basic layout).
 * In a session: minis of another format; an array that was not written; the title before
 * its arrays.  With any completion: owner bit of another lap; not written at all.
 */
enum cqesim_fault {
	CQESIM_FAULT_NONE,
	CQESIM_FAULT_OWNER,
	CQESIM_FAULT_MINI_FORMAT,
	CQESIM_FAULT_STALE_ARRAY,
	CQESIM_FAULT_LOST_COMPLETION,
	CQESIM_FAULT_EARLY_TITLE,
	CQESIM_FAULTS
};
/* "none", "owner", "mini_format" ...; "unknown" otherwise. */
CQESIM_API const char *cqesim_fault_name(enum cqesim_fault fault);

/* Kinds of traffic on the link. */
enum cqesim_traffic {
	CQESIM_TRAFFIC_DATA,           /* up: packet data */
	CQESIM_TRAFFIC_CQE,            /* up: plain (and error) CQEs */
	CQESIM_TRAFFIC_TITLE,          /* up: title CQEs */
	CQESIM_TRAFFIC_MINI,           /* up: mini arrays */
	CQESIM_TRAFFIC_WQE_REQUEST,    /* up: reads of WQEs */
	CQESIM_TRAFFIC_WQE_COMPLETION, /* down: what they bring */
	/* Sending; each kind of read is followed by that of its completions. */
	CQESIM_TRAFFIC_TX_WQE_REQUEST,     /* up: reads of send WQEs */
	CQESIM_TRAFFIC_TX_WQE_COMPLETION,  /* down */
	CQESIM_TRAFFIC_TX_DATA_REQUEST,    /* up: reads of data to be sent */
	CQESIM_TRAFFIC_TX_DATA_COMPLETION, /* down */
	CQESIM_TRAFFIC_TX_CQE,             /* up: completions of sending */
	CQESIM_TRAFFIC_TX_DOORBELL,        /* down: register writes of the host */
	CQESIM_TRAFFIC_KINDS
};
CQESIM_API const char *cqesim_traffic_name(enum cqesim_traffic kind);
static inline bool cqesim_traffic_is_down(enum cqesim_traffic kind)
{
	return kind == CQESIM_TRAFFIC_WQE_COMPLETION || kind == CQESIM_TRAFFIC_TX_WQE_COMPLETION ||
	       kind == CQESIM_TRAFFIC_TX_DATA_COMPLETION || kind == CQESIM_TRAFFIC_TX_DOORBELL;
}

/* One access of the device to memory, in the order in which they go over the link. */
struct cqesim_nic_operation {
	enum cqesim_traffic kind; /* WQE_REQUEST: a read; its completions are not told apart */
	uint64_t time_ps;         /* its turn on the link */
	uint64_t back_ps;         /* reads: when the last completion has arrived */
	uint64_t address;
	uint32_t length;
	const void *data;     /* what was written or read; NULL: not known */
	uint32_t data_length; /* what there is of it */
};

struct cqesim_nic_config {
	struct cqesim_link_config link;
	struct cqesim_link_latency latency; /* 0s: no such limit */
	/* Of the free-running clock in completions, > 1; 0: 1000, so that stamps are nanoseconds.
	 */
	uint64_t tick_ps;
	double max_pps;            /* packets per second of the pipeline; 0: no limit */
	double bus_hz;             /* beats of the internal bus, of bus_bytes each; 0: no limit */
	uint32_t bus_bytes;        /* a packet's last beat is not shared; its FCS is on the bus */
	double completion_pps;     /* writes of completions: CQEs, titles, arrays; 0: no limit */
	uint64_t rx_buffer_bytes;  /* as bytes on the link that wait */
	uint64_t write_latency_ps; /* from the last byte on the link until software can see it */
	unsigned wqe_fetch_bytes;  /* read at a time, a power of two */
	bool data_padding;         /* packet data is padded to 64-byte lines */
	bool copy_data;            /* copy frames into the buffers; off: only addresses are used */
	enum cqesim_compression compression;
	uint32_t comp_max;        /* packets per session */
	uint64_t comp_timeout_ps; /* without a new packet */
	uint64_t comp_age_ps;     /* after the first packet; 0: no such end */
	bool comp_cross;          /* sessions may cross the ring's end */
	enum cqesim_fault fault;
	uint64_t fault_at; /* with the first completion or session after so many packets */
	/* Early title: called while it is there and its arrays are not; may be NULL. */
	void (*fault_early)(void *context);
	void *fault_early_context;
	uint8_t comp_compare[64]; /* mask of CQE bits that must agree (what minis carry is left out)
				   */
	enum cqesim_write_policy write_policy;
	uint64_t backpressure_on_bytes, backpressure_off_bytes; /* backlog on the link */

	/*
	 * Completions became visible, in this order and at this time (may be
	 * NULL).  Times never decrease.  filler: it is one, a filler.
	 */
	void (*published)(void *context, uint32_t cqn, uint64_t visible_ps, uint32_t count,
			  bool filler);
	void *published_context;
	void (*operation)(void *context,
			  const struct cqesim_nic_operation *operation); /* or NULL */
	void *operation_context;
};

struct cqesim_nic;

/* -EINVAL with *err for values that make no sense, -ENOMEM. */
CQESIM_API int cqesim_nic_create(struct cqesim_nic **nic, const struct cqesim_nic_config *config,
				 struct cqesim_error *err);
/* Destroys what is still there; touches no memory that was handed in. */
CQESIM_API void cqesim_nic_destroy(struct cqesim_nic *nic);

struct cqesim_cq_attr {
	uint8_t *ring;    /* 2^log_size slots of 64 bytes, filled as cqesim_cq_init_ring does */
	uint64_t address; /* device address of the ring, a multiple of 64, for the link's cost */
	unsigned log_size;
	bool cqe_comp_en;
	enum cqesim_mini_format mini_format;
	enum cqesim_cq_layout layout;
	cqesim_cq_observer observer; /* may be NULL */
	void *observer_context;
	bool observe_copies; /* see cq.h */
};

enum cqesim_queue_state {
	CQESIM_QUEUE_RST,
	CQESIM_QUEUE_RDY,
	CQESIM_QUEUE_ERR,
};
/* The changes of state that a queue can make: RST to RDY, RDY to RST and ERR, ERR to RST. */
static inline bool cqesim_queue_may_go(enum cqesim_queue_state from, enum cqesim_queue_state to)
{
	return (from == CQESIM_QUEUE_RST && to == CQESIM_QUEUE_RDY) ||
	       (from == CQESIM_QUEUE_RDY && (to == CQESIM_QUEUE_RST || to == CQESIM_QUEUE_ERR)) ||
	       (from == CQESIM_QUEUE_ERR && to == CQESIM_QUEUE_RST);
}

struct cqesim_rq_attr {
	const void *ring;
	uint64_t address; /* device address of the WQE ring */
	unsigned log_size, log_segs;
	bool striding; /* the shape below counts, not log_size and log_segs */
	struct cqesim_strides_shape strides;
	const uint32_t *dbrec;
	uint32_t cqn;
	uint32_t user_index;
	cqesim_translate translate;
	void *translate_context;
};

/*
 * Numbers count from 1.  -EINVAL, -ENOMEM; for an RQ -ENOENT when the CQ is not
 * there.  The CQ of a striding RQ has a completion for each stride; cyclic and
 * striding RQs share none, for their completions do not look alike.
 */
CQESIM_API int cqesim_nic_create_cq(struct cqesim_nic *nic, const struct cqesim_cq_attr *attr,
				    uint32_t *cqn);
CQESIM_API int cqesim_nic_create_rq(struct cqesim_nic *nic, const struct cqesim_rq_attr *attr,
				    uint32_t *rqn);
/*
 * RST to RDY, RDY to ERR or RST, ERR to RST; others are -EINVAL.  Going to RST
 * sets the RQ's index to 0 (the CQ's goes on).  Leaving RDY publishes an open
 * session at now_ps.
 */
CQESIM_API int cqesim_nic_modify_rq(struct cqesim_nic *nic, uint32_t rqn,
				    enum cqesim_queue_state state, uint64_t now_ps);
/* *ci: the next WQE; striding: the WQE in use, or the one just used up. */
CQESIM_API int cqesim_nic_query_rq(const struct cqesim_nic *nic, uint32_t rqn,
				   enum cqesim_queue_state *state, uint16_t *ci);
/* WQEs that are posted and not used up; 0 for a queue that is not there. */
CQESIM_API uint32_t cqesim_nic_rq_credits(struct cqesim_nic *nic, uint32_t rqn);
/*
 * A packet for this queue will arrive, after `ahead` others: what it will write to is
 * fetched into the processor's cache.  Changes nothing.
 */
CQESIM_API void cqesim_nic_prefetch(const struct cqesim_nic *nic, uint32_t rqn, uint32_t ahead);
/*
 * Instead of the next packet that finds room the queue gets an error completion of
 * this syndrome (not 0), which uses up what the packet would have.  -ENOENT.
 */
CQESIM_API int cqesim_nic_inject_error(struct cqesim_nic *nic, uint32_t rqn, uint8_t syndrome);
/*
 * A queue in state ERR gives its WQEs back: an error completion of syndrome
 * WR_FLUSH for each that is posted.  Returns how many; 0 in other states.
 */
CQESIM_API uint32_t cqesim_nic_flush_rq(struct cqesim_nic *nic, uint32_t rqn, uint64_t now_ps);

/* After these return nothing of the queue's memory is touched.  -EBUSY: an RQ uses the CQ. */
CQESIM_API int cqesim_nic_destroy_rq(struct cqesim_nic *nic, uint32_t rqn);
CQESIM_API int cqesim_nic_destroy_cq(struct cqesim_nic *nic, uint32_t cqn);

/*
 * A packet for a receive queue arrives at now_ps (never less than before).
 * data: its first cap_len bytes, used with copy_data only.  meta->user_index is
 * ignored.  *wqe (may be NULL): index of the WQE used when delivered.
 */
CQESIM_API enum cqesim_rx_result cqesim_nic_receive(struct cqesim_nic *nic, uint32_t rqn,
						    uint64_t now_ps,
						    const struct cqesim_rxmeta *meta,
						    const uint8_t *data, uint32_t cap_len,
						    uint16_t *wqe);

/*
 * The same for a packet that LRO may join with others (rules: aggregate.h): `segment` is read
 * from it as it is delivered, NULL if it is none that could be joined; `lro` holds for a session
 * that it begins, is kept by reference, and has one context and no split headers.
 *
 * A queue has one open session, which took a WQE (striding: strides of one) when it began.
 * Data is written when it arrives, behind that of the segment before; the completion when the
 * session ends.  Whatever else arrives for the queue ends it first, so that completions are in the
 * order of WQEs, as drivers of cyclic rings take them for granted.  What ends it besides: the
 * end of its WQE's buffers (or strides), a change of the queue's state.  A packet that joins uses
 * no WQE.  A segment whose memory does not translate ends the session, and is an error
 * completion of its own.
 */
CQESIM_API enum cqesim_rx_result
cqesim_nic_receive_lro(struct cqesim_nic *nic, uint32_t rqn, uint64_t now_ps,
		       const struct cqesim_rxmeta *meta, const uint8_t *data, uint32_t cap_len,
		       uint16_t *wqe, const struct cqesim_aggregate_config *lro,
		       const struct cqesim_segment *segment);
/* Would it join the queue's open session?  Then *wqe is that one's. */
CQESIM_API bool cqesim_nic_lro_joins(const struct cqesim_nic *nic, uint32_t rqn,
				     const struct cqesim_segment *segment, uint16_t *wqe);

/*
 * Where the last packet that a striding queue delivered lies; NULL for another
 * queue.  Good until the next packet.
 */
CQESIM_API const struct cqesim_placement *cqesim_nic_placement(const struct cqesim_nic *nic,
							       uint32_t rqn);

/*
 * What sending adds to the link, at the turn that it has after what is there: a
 * write or a read of the device (kind: TX_CQE; TX_WQE_REQUEST or
 * TX_DATA_REQUEST), a register write of the host.  The send queue itself is not
 * part of this object.  A read returns when it is answered.  Reads that have to wait, for
 * tags say, wait before those that are given later: who gives a read no earlier than it
 * could go (cqesim_nic_tx_read_ps) lets the reads of receiving take their turn.
 */
CQESIM_API void cqesim_nic_tx_write(struct cqesim_nic *nic, uint64_t now_ps,
				    enum cqesim_traffic kind, uint64_t address, uint32_t length);
CQESIM_API uint64_t cqesim_nic_tx_read(struct cqesim_nic *nic, uint64_t now_ps,
				       enum cqesim_traffic kind, uint64_t address, uint32_t length);
CQESIM_API uint64_t cqesim_nic_tx_read_ps(const struct cqesim_nic *nic, uint64_t ready_ps);
CQESIM_API void cqesim_nic_tx_doorbell(struct cqesim_nic *nic, uint64_t now_ps, uint32_t length);

/* Do what falls due by now_ps without a packet: time-outs of sessions, LRO's too. */
CQESIM_API void cqesim_nic_step(struct cqesim_nic *nic, uint64_t now_ps);
/* When cqesim_nic_step has something to do next; UINT64_MAX: never. */
CQESIM_API uint64_t cqesim_nic_next_ps(const struct cqesim_nic *nic);

/* Time that TLPs waited for credits or tags, second by second of simulated time. */
#define CQESIM_STALL_EVENT_PERCENT 30u
struct cqesim_stalls {
	uint64_t seconds; /* that are over */
	/* Writes, reads: of the last of them; how many were above CQESIM_STALL_EVENT_PERCENT. */
	uint64_t last_ps[2], above[2];
};

/* Sessions longer than this share the last class of the histogram. */
#define CQESIM_SESSION_HIST  1024u
#define CQESIM_RX_FIELDS_MAX 40u

struct cqesim_nic_stats {
	uint64_t packets; /* given to cqesim_nic_receive */
	uint64_t results[CQESIM_RX_RESULTS];
	uint64_t wqes;           /* consumed; striding: used up */
	uint64_t strides;        /* striding: consumed by packets ... */
	uint64_t stride_bytes;   /* ... which have so many bytes */
	uint64_t fillers;        /* completions that close a WQE ... */
	uint64_t filler_strides; /* ... and so many strides */
	uint64_t filler_bytes;
	uint64_t plain;           /* packets delivered as plain CQEs */
	uint64_t lone;            /* of these: sessions that ended with one packet */
	uint64_t sessions;        /* of two and more */
	uint64_t session_packets; /* packets in them, the titles' own included */
	uint64_t arrays;          /* mini arrays written */
	uint64_t full_arrays; /* enhanced, of these: written for being full, the session went on */
	uint64_t session_ends[CQESIM_SESSION_ENDS]; /* lone ones included */
	uint64_t mismatch[CQESIM_RX_FIELDS_MAX];    /* first field that differed, by row of
						       cqesim_cqe_rx_fields */
	uint64_t session_hist[CQESIM_SESSION_HIST + 1];
	struct cqesim_tlps traffic[CQESIM_TRAFFIC_KINDS];
	uint64_t pressure_ps;      /* balanced: time spent compressing */
	uint64_t backlog_max_ps;   /* longest queue before the link */
	uint64_t link_done_ps;     /* when the last byte was through */
	uint64_t beats;            /* of the internal bus, when it has a limit */
	uint64_t link_busy_bytes;  /* bytes up that the link served, Acks included */
	uint64_t link_down_bytes;  /* bytes down, DLLPs included */
	uint64_t stalled_ps;       /* TLPs waited so long for credits or tags: */
	uint64_t stalled_write_ps; /* posted ones */
	uint64_t stalled_read_ps;  /* reads */
	struct cqesim_stalls stalls;
	/* LRO: completions of several segments, and these; sessions that ended with one; why. */
	uint64_t lro_sessions, lro_segments, lro_lone;
	uint64_t lro_longest; /* segments */
	uint64_t lro_ends[CQESIM_FLUSHES];
};
CQESIM_API const struct cqesim_nic_stats *cqesim_nic_stats(const struct cqesim_nic *nic);

/* Of one completion queue. */
struct cqesim_nic_cq_stats {
	uint64_t sessions, session_packets; /* as above */
};
/* NULL: there is no such queue. */
CQESIM_API const struct cqesim_nic_cq_stats *cqesim_nic_cq_stats(const struct cqesim_nic *nic,
								 uint32_t cqn);
/* How long the link is busy with what waits for it at now_ps. */
CQESIM_API uint64_t cqesim_nic_backlog(const struct cqesim_nic *nic, uint64_t now_ps);
CQESIM_API const struct cqesim_link *cqesim_nic_link(const struct cqesim_nic *nic);

#endif
