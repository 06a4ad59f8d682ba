/* SPDX-License-Identifier: BSD-3-Clause */
/* The device's inside, shared by the files of this folder. */
#ifndef CQESIM_NIC_INTERNAL_H
#define CQESIM_NIC_INTERNAL_H

#include "cqesim/nic.h"

/* TLP costs of a write by length, for addresses on a DW that do not cross 4 KiB. */
#define COST_TABLE 4097u

struct nic_cq {
	uint32_t number;
	unsigned users; /* RQs */
	uint32_t room;  /* completions that these can leave unread */
	struct cqesim_cq_writer writer;
	uint64_t address;
	bool compress;  /* cqe_comp_en, and the device's policy is not off */
	bool counts_on; /* minis hold no stride index: a session's WQEs follow one another */
	bool striding;
	uint16_t strides; /* striding: of the open session */
	/*
	 * Enhanced layout, where the writer knows of arrays alone: packets of the open session,
	 * the title's included (0: none is open), and how many it can have.  Basic: 0.
	 */
	uint32_t session_n, session_room;
	bool room_is_ring_end; /* the ring's end sets that limit */
	struct cqesim_nic_cq_stats stats;
	uint8_t compare[64] __attribute__((aligned(64)));
	/* Open sessions in the order of their last packet, oldest first ... */
	uint64_t deadline_ps;
	struct nic_cq *older, *newer;
	/* ... and, if age ends them, in the order of their first. */
	uint64_t ends_ps;
	struct nic_cq *elder, *younger;
};

/* The open LRO session of a receive queue, and what is known of the next packet. */
struct nic_lro {
	struct cqesim_aggregate a;
	struct cqesim_nic *nic;
	struct nic_rq *rq;
	/* Of the packet that is arriving; NULL: it cannot be joined. */
	const struct cqesim_segment *segment;
	const struct cqesim_aggregate_config *config;
	/* Of the session: its completion so far, its WQE, when its last data was ready to go. */
	uint8_t cqe[64];
	uint16_t wqe;
	struct cqesim_placement place;
	uint32_t bytes, sum; /* sum: of the payload, as the checksum counts */
	uint64_t ready_ps;
};

struct nic_rq {
	uint32_t number;
	enum cqesim_queue_state state;
	bool striding;
	struct cqesim_rq rq;
	struct cqesim_striding_rq strides;
	struct cqesim_placement place; /* striding: of the last packet */
	struct nic_cq *cq;
	uint32_t room; /* completions that can be unread */
	uint32_t wqe_bytes, wqe_mask;
	uint64_t address;
	uint32_t user_index;
	struct cqesim_tlps fetch_request, fetch_completion; /* of one block of WQEs */
	uint32_t fetch_mask; /* a block: WQEs whose index differs in these bits alone */
	uint16_t fetched_to; /* cyclic: WQEs before this one were read */
	uint32_t fetched_on; /* striding: so many after the last that was begun were read with it */
	uint16_t opened;     /* striding: the last WQE that was begun */
	bool any_opened;
	uint8_t inject;      /* syndrome for the next packet; 0: none */
	struct nic_lro *lro; /* NULL: nothing to be joined has arrived */
};

struct cqesim_nic {
	struct cqesim_nic_config config;
	struct cqesim_link link;
	struct cqesim_pacer pipeline;    /* units: packets */
	struct cqesim_pacer bus;         /* units: beats */
	struct cqesim_pacer completions; /* units: writes of them */
	struct cqesim_link_server server;
	struct cqesim_link_loan *loan; /* the server's */
	/* Since when the link has had something to do, and its bytes until then. */
	uint64_t busy_since_ps, busy_bytes;
	/*
	 * Data of the one load that has any, piece by piece, where that matters: it is
	 * watched, or each TLP waits for credits.
	 */
	bool by_piece;
	struct cqesim_nic_operation piece[1 << CQESIM_RQ_LOG_SEGS_MAX];
	uint64_t buffer_ps, pressure_on_ps, pressure_off_ps;
	uint64_t buffer_guard_ps; /* up to this backlog any packet fits */
	bool pressed;             /* balanced: compressing now */
	uint64_t pressed_since_ps;
	struct cqesim_tlps cost[COST_TABLE];
	/* Sending: the last read of WQEs, and of data. */
	struct nic_read_cost {
		uint32_t offset, length; /* length 0: none yet */
		struct cqesim_tlps request, completion;
	} tx_read[2];
	struct cqesim_tlps cqe_cost; /* of a plain CQE: rings lie on whole lines */

	void **cq; /* struct nic_cq, by number - 1; NULL: free */
	void **rq; /* struct nic_rq, likewise */
	uint32_t cqs, rqs;
	uint64_t
		lro_due_ps; /* when the first open LRO session ends, or before; UINT64_MAX: never */
	uint64_t lro_joined; /* packets that used no WQE of a cyclic queue */
	struct nic_cq *oldest, *newest;
	struct nic_cq *eldest, *youngest; /* NULL without comp_age_ps */
	uint64_t second_ps;               /* the end of the second that it is now ... */
	uint64_t stalled_before_ps[2];    /* ... and what was stalled before it: writes, reads */
	uint64_t error_cqes;
	uint64_t tick_inv;                        /* reciprocal of config.tick_ps */
	struct nic_fault *fault;                  /* still to be done; NULL: none */
	uint64_t striding_packets, striding_wqes; /* delivered through striding queues, used up */
	struct cqesim_nic_stats stats;
};

static inline struct nic_cq *nic_find_cq(const struct cqesim_nic *nic, uint32_t cqn)
{
	return cqn && cqn <= nic->cqs ? nic->cq[cqn - 1] : NULL;
}

static inline struct nic_rq *nic_find_rq(const struct cqesim_nic *nic, uint32_t rqn)
{
	return rqn && rqn <= nic->rqs ? nic->rq[rqn - 1] : NULL;
}

/* How long the link takes for so many bytes; longer than any clock: as long as clocks run. */
static inline uint64_t nic_link_ps(const struct cqesim_nic *nic, uint64_t bytes)
{
	const struct cqesim_pacer *up = &nic->server.up.pacer;
	uint64_t t, rem;

	if (!__builtin_mul_overflow(bytes, up->num, &t))
		return up->den == 1 ? t : cqesim_divide(t, up->den, up->inv, &rem);
	unsigned __int128 ps = (unsigned __int128)bytes * up->num / up->den;
	return ps < UINT64_MAX ? (uint64_t)ps : UINT64_MAX;
}

/* As a completion has it. */
static inline uint64_t nic_stamp(const struct cqesim_nic *nic, uint64_t now_ps)
{
	uint64_t rem;

	return cqesim_divide(now_ps, nic->config.tick_ps, nic->tick_inv, &rem);
}

/* What goes to the link together: a read of WQEs, then writes. */
struct nic_load {
	const struct nic_rq *fetch; /* NULL: none */
	uint16_t fetch_index;
	uint32_t fetch_count;
	uint32_t tlps, bytes, credits;
	unsigned pieces; /* of a packet's data, kept in the device: see nic_write_data */
};

static inline void nic_load_add(struct nic_load *load, const struct cqesim_tlps *t)
{
	load->tlps += (uint32_t)t->count;
	load->bytes += (uint32_t)t->wire;
	load->credits += (uint32_t)t->credits;
}

/* session.c: what to do with a completion, and what that costs on the link; data goes before. */
void nic_complete(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64], uint64_t now_ps,
		  struct nic_load *data);
/* A filler: closes an open session and is written plain. */
void nic_complete_filler(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
			 uint64_t now_ps);
void nic_complete_error(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
			uint64_t now_ps);
void nic_session_close(struct cqesim_nic *nic, struct nic_cq *cq, uint64_t now_ps,
		       enum cqesim_session_end why, struct nic_load *data);
/* It is open no more, and nothing is written. */
void nic_session_forget(struct cqesim_nic *nic, struct nic_cq *cq);

/* For enhanced.c: steps that both layouts take. */
void nic_session_begin(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
		       uint64_t now_ps);
void nic_session_goes_on(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
			 uint64_t now_ps);
void nic_write_plain(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
		     uint64_t now_ps, struct nic_load *data);
void nic_published(struct cqesim_nic *nic, const struct nic_cq *cq, uint32_t count, bool filler);
void nic_watch_ring(const struct cqesim_nic *nic, const struct nic_cq *cq, enum cqesim_traffic kind,
		    uint64_t time_ps, uint32_t index, uint32_t length);
uint64_t nic_pass_completions(struct cqesim_nic *nic, uint64_t now_ps, uint32_t writes);

/* enhanced.c: what session.c does in a queue of that layout; closing: after nic_session_forget. */
void nic_enhanced_open(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
		       uint64_t now_ps, struct nic_load *data);
void nic_enhanced_add(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
		      uint64_t now_ps, struct nic_load *data);
void nic_enhanced_close(struct cqesim_nic *nic, struct nic_cq *cq, uint64_t now_ps,
			struct nic_load *data);

/* Packets of the open session; 0: none is open. */
static inline uint32_t nic_session_packets(const struct nic_cq *cq)
{
	return cq->session_n ? cq->session_n : cq->writer.n;
}

static inline bool nic_session_is_open(const struct nic_cq *cq)
{
	return nic_session_packets(cq) != 0;
}

/* When the next session ends without a packet; one is open. */
static inline uint64_t nic_next_ps(const struct cqesim_nic *nic)
{
	uint64_t ps = nic->oldest->deadline_ps;

	return nic->eldest && nic->eldest->ends_ps < ps ? nic->eldest->ends_ps : ps;
}

static inline bool nic_session_due(const struct cqesim_nic *nic, uint64_t now_ps)
{
	return (nic->oldest && nic_next_ps(nic) <= now_ps) || nic->lro_due_ps <= now_ps;
}

/* A session of n >= 2 packets has ended. */
static inline void nic_count_session(struct cqesim_nic *nic, struct nic_cq *cq, uint32_t n)
{
	nic->stats.sessions++;
	nic->stats.session_packets += n;
	nic->stats.session_hist[n < CQESIM_SESSION_HIST ? n : CQESIM_SESSION_HIST]++;
	cq->stats.sessions++;
	cq->stats.session_packets += n;
}

/*
 * Can the completion not be told as one more of the session, which has n packets?
 * A compared field differs; or the minis leave out WQE index or stride and this
 * one does not count on from the title's (queues that share a CQ): no driver could
 * get it right.  Striding: the WQE's id is among what is compared, for the same
 * reason.
 */
static inline bool nic_differs_from_session(const struct nic_cq *cq, const uint8_t cqe[64],
					    uint32_t n)
{
	if (cqesim_cqe_differs(cq->writer.title, cqe, cq->compare))
		return true;
	return cq->counts_on && cqesim_cqe_get_wqe_counter(cqe) !=
					(uint16_t)(cqesim_cqe_get_wqe_counter(cq->writer.title) +
						   (cq->striding ? cq->strides : n));
}

/* Strides in byte_cnt, striding form. */
static inline uint16_t nic_strides_of(const uint8_t cqe[64])
{
	return (uint16_t)(cqesim_cqe_get_byte_cnt(cqe) >> 16 & 0x7fff);
}

/* See nic_send.  When the read went: a packet's data waits for it (it is read ahead). */
uint64_t nic_fetch_wqes(struct cqesim_nic *nic, const struct nic_load *load, uint64_t ready_ps);
uint64_t nic_send_pieces(struct cqesim_nic *nic, uint64_t now_ps, const struct nic_load *load);

/*
 * The load reads WQEs from index on: to the end of their block, but none that is
 * not posted yet, since what the device would read is the lap before.  How many.
 */
static inline uint32_t nic_plan_fetch(struct nic_load *load, const struct nic_rq *rq,
				      uint16_t index, uint32_t posted)
{
	uint32_t count = rq->fetch_mask + 1 - (index & rq->fetch_mask);

	load->fetch = rq;
	load->fetch_index = index;
	load->fetch_count = count < posted ? count : posted;
	return load->fetch_count;
}

/* flush.c: an error completion is made: its syndrome, and what it does to the queue. */
void nic_fail_rq(struct nic_rq *rq, struct cqesim_cqe_err *err);

/* fault.c: -ENOMEM; and in place of the writer's functions while nic->fault is there. */
int nic_fault_init(struct cqesim_nic *nic);
void nic_fault_write(struct cqesim_nic *nic, struct nic_cq *cq, const uint8_t cqe[64],
		     enum cqesim_opcode opcode);
void nic_fault_open(struct cqesim_nic *nic, const struct nic_cq *cq);
void nic_fault_close(struct cqesim_nic *nic, struct nic_cq *cq);

/* lro.c.  Does the packet join the open session?  If not, that one is ended. */
bool nic_lro_takes(struct cqesim_nic *nic, struct nic_rq *rq, uint64_t now_ps, uint64_t ready_ps,
		   const uint8_t *data, uint32_t cap_len, uint16_t *wqe);
/* Its data is written and this would be its completion: does it begin a session instead? */
bool nic_lro_begins(struct cqesim_nic *nic, struct nic_rq *rq, const uint8_t cqe[64], uint16_t wqe,
		    uint64_t ready_ps, const uint8_t *data, uint32_t cap_len,
		    struct nic_load *load);
/* End what is open: because the queue stops, or because time is over in some queue. */
void nic_lro_stop(struct nic_rq *rq, uint64_t now_ps);
void nic_lro_expire(struct cqesim_nic *nic);

/* nic.c: into a packet's buffer. */
void nic_copy_data(const struct cqesim_rq_seg *seg, int segs, const uint8_t *data, uint32_t len);

/* striding.c: a packet that is ready for the link, to a striding queue. */
enum cqesim_rx_result nic_receive_striding(struct cqesim_nic *nic, struct nic_rq *rq,
					   uint64_t now_ps, uint64_t ready_ps,
					   const struct cqesim_rxmeta *meta, const uint8_t *data,
					   uint32_t cap_len, uint16_t *wqe);

/* Cost of a write; the table for what is common, the rules for the rest. */
static inline struct cqesim_tlps nic_write_cost(const struct cqesim_nic *nic, uint64_t address,
						uint32_t length)
{
	if (!(address & 3) && (address & 4095) + length <= 4096)
		return nic->cost[length];
	return cqesim_link_write(&nic->link, address, length);
}

static inline void nic_count(struct cqesim_nic *nic, enum cqesim_traffic kind,
			     const struct cqesim_tlps *t)
{
	cqesim_tlps_add(&nic->stats.traffic[kind], t);
}

/* One piece of a packet, of whose data `there` bytes are known, is added to load. */
static inline void nic_write_data(struct cqesim_nic *nic, struct nic_load *load, uint64_t address,
				  uint32_t length, const uint8_t *data, uint32_t there)
{
	if (nic->config.data_padding) /* PRM-H end_padding_mode: the end is aligned to a line */
		length = (uint32_t)(((address + length + 63) & ~UINT64_C(63)) - address);
	struct cqesim_tlps t = nic_write_cost(nic, address, length);

	nic_count(nic, CQESIM_TRAFFIC_DATA, &t);
	nic_load_add(load, &t);
	if (__builtin_expect(nic->by_piece, 0))
		nic->piece[load->pieces++] = (struct cqesim_nic_operation){
			.kind = CQESIM_TRAFFIC_DATA,
			.address = address,
			.length = length,
			.data = data,
			.data_length = there,
		};
}

/* Work of one unit kind that a part of the device does one after the other: when it is done. */
static inline uint64_t nic_pace(struct cqesim_pacer *pacer, uint64_t ready_ps, uint64_t units)
{
	cqesim_pacer_not_before(pacer, ready_ps);
	cqesim_pacer_advance(pacer, units);
	return cqesim_pacer_done_ps(pacer);
}

static inline uint64_t nic_backlog_ps(const struct cqesim_nic *nic, uint64_t now_ps)
{
	return cqesim_link_server_backlog(&nic->server, now_ps);
}

/* When the link would come to what is ready now. */
static inline uint64_t nic_turn_ps(const struct cqesim_nic *nic, uint64_t now_ps)
{
	return now_ps + nic_backlog_ps(nic, now_ps);
}

/*
 * For whoever watches a read: operations are told in the order of their bytes, so a request stands
 * at its turn among the writes, and its completions so much later than they come.
 */
static inline uint64_t nic_shown_back_ps(uint64_t ready_ps, uint64_t turn_ps, uint64_t back_ps)
{
	return back_ps + (turn_ps - ready_ps);
}

/*
 * Let the link carry a load after what it has already; it never starts before now.
 * Sent by pieces it returns when the turn of the last write was.
 */
static inline __attribute__((always_inline)) uint64_t
nic_send(struct cqesim_nic *nic, uint64_t now_ps, const struct nic_load *load)
{
	if (load->fetch) {
		uint64_t asked_ps = nic_fetch_wqes(nic, load, now_ps);

		now_ps = asked_ps > now_ps ? asked_ps : now_ps;
	}
	if (__builtin_expect(nic->by_piece, 0))
		return nic_send_pieces(nic, now_ps, load);
	cqesim_link_server_write(&nic->server, now_ps,
				 &(struct cqesim_tlps){
					 .count = load->tlps,
					 .wire = load->bytes,
					 .credits = load->credits,
				 });
	return 0;
}

/* Tell whoever watches. */
static inline void nic_watch(const struct cqesim_nic *nic, const struct cqesim_nic_operation *o)
{
	if (__builtin_expect(nic->config.operation != NULL, 0))
		nic->config.operation(nic->config.operation_context, o);
}

#endif
