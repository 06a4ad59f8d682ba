/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host.h - a driver's queue and the core that polls it: reads completions in
 * bursts with the one reader of cq.h, spends cycles, posts buffers again.  It
 * knows nothing of the device beyond the rings in memory and the times at which
 * completions become visible.
 *
 *   poll: nothing visible    empty_poll cycles, again
 *   poll: n <= burst         poll + application's call cycles, and per packet:
 *                            plain or mini cycles, application, cache misses;
 *                            per session its own
 *
 * How many packets a poll returns and when buffers are posted is the driver's
 * rule.  Simple: all that are visible up to the burst; at the end of the call
 * buffers are posted when `replenish` or more were used.  Linux: the same, but
 * what comes during the call belongs to it: see src/host/napi.c.  DPDK's vector
 * function: see src/host/vec.c.  Striding queues: see src/host/striding.c.
 * ixgbe: see src/host/ixgbe.c.  When the core polls: see src/host/wakeup.c, away.c.
 */
#ifndef CQESIM_HOST_H
#define CQESIM_HOST_H

#include "cqesim/common.h"
#include "cqesim/cq.h"
#include "cqesim/rq.h"

#define CQESIM_BURST_MAX 4096u
/* The vector rule: asked for fewer, the driver never looks at a new completion. */
#define CQESIM_VEC_BURST_MIN 4u
#define CQESIM_FRAME_MAX     4096u
/* 40 hours. */
#define CQESIM_AWAY_MAX_PS       (UINT64_C(1) << 57)
#define CQESIM_OCCUPANCY_CLASSES 16u

enum cqesim_poll_rule {
	CQESIM_POLL_SIMPLE,
	CQESIM_POLL_DPDK_VEC,     /* PMD mlx5_rx_burst_vec */
	CQESIM_POLL_NAPI,         /* Linux mlx5e_poll_rx_cq: src/host/napi.c */
	CQESIM_POLL_IXGBE_SCALAR, /* PMD ixgbe_recv_pkts: src/host/ixgbe.c */
	CQESIM_POLL_IXGBE_BULK,   /* PMD ixgbe_recv_pkts_bulk_alloc */
	CQESIM_POLL_IXGBE_VEC,    /* PMD ixgbe_recv_pkts_vec */
};

static inline bool cqesim_poll_is_ixgbe(enum cqesim_poll_rule rule)
{
	return rule >= CQESIM_POLL_IXGBE_SCALAR;
}

/* The least burst with which a call of this rule can return a packet. */
static inline unsigned cqesim_poll_burst_min(enum cqesim_poll_rule rule)
{
	return rule == CQESIM_POLL_DPDK_VEC || rule == CQESIM_POLL_IXGBE_VEC ? CQESIM_VEC_BURST_MIN
									     : 1;
}

/* When a core looks for packets at all. */
enum cqesim_wakeup {
	CQESIM_WAKE_POLL, /* it never stops */
	/*
	 * Linux NAPI: after a call that returned less than the burst (the budget) it arms the
	 * completion queue and sleeps until the next event.
	 */
	CQESIM_WAKE_INTERRUPT,
};

/* Moderation of a completion queue's events (Linux: ethtool -C), and what an interrupt costs. */
struct cqesim_host_interrupt {
	uint64_t period_ps;   /* cq_period; 0: the first completion makes an event */
	uint32_t packets;     /* cq_max_count: so many completions do at once; 0: there is no such
				 number */
	bool period_from_cqe; /* each completion starts the period anew; otherwise the last event */
	uint64_t latency_ps;  /* from the event until the poll begins */
	double cycles;        /* that the interrupt takes from the core, before the poll */
	double arm_cycles;    /* to arm again and leave the poll */
};

/*
 * A core that does something else now and then.  seed 0: at fixed intervals and costs that do not
 * vary; otherwise intervals and lengths are exponentially distributed with these means, and the
 * cycles of every call that finds packets are multiplied by 1 - share .. 1 + share, evenly.
 * An absence that falls due during a call, or another absence, begins after it.
 */
struct cqesim_host_away {
	uint64_t every_ps; /* from one's beginning to the next one's, more than length_ps, up to
			    * CQESIM_AWAY_MAX_PS; 0: never */
	uint64_t length_ps;
	uint64_t seed;
	double share; /* 0..1 */
};

struct cqesim_host_config {
	enum cqesim_poll_rule rule;
	double clock_hz;
	double poll_cycles;       /* driver and application, per poll that finds packets */
	double empty_poll_cycles; /* per poll that finds none; > 0 */
	double plain_cycles;      /* per packet from a plain CQE, application and misses included */
	double mini_cycles;       /* per packet of a session, likewise */
	double session_cycles;    /* per session, on top */
	unsigned burst;           /* packets asked for, 1..CQESIM_BURST_MAX */
	unsigned replenish;       /* post buffers when so many are free; ixgbe: rx_free_thresh */
	/*
	 * An application's frame: the driver is called again for `burst` packets as long as calls
	 * are full, until the frame has so many (VPP dpdk-input: 32 until 256); 0: one call.
	 * poll_cycles are the frame's, call_cycles each call's.  Interrupts look at the frame.
	 */
	unsigned frame;
	double call_cycles;
	/*
	 * Of plain_cycles and mini_cycles: what the application spends, with a frame after its
	 * last call (the driver's is spent with each call, while packets go on arriving).
	 */
	double app_cycles;
	double byte_cycles; /* per byte of packet data; > 0: completions are read with each call */
	double tail_cycles; /* per write of the tail register (rules of ixgbe) */
	enum cqesim_wakeup wakeup;
	struct cqesim_host_interrupt interrupt; /* CQESIM_WAKE_INTERRUPT */
	struct cqesim_host_away away;
	/*
	 * The ring may be read some calls later, in larger batches, but always
	 * before the device can write over it.  Nothing that is simulated changes;
	 * deliver sees several calls' packets at once.
	 */
	bool batch_reads;
	/* A striding queue, or NULL; looked at during cqesim_host_create only. */
	const struct cqesim_host_striding *striding;
};

/* When a striding driver goes on to the next WQE and posts the one that is used up. */
enum cqesim_retire_rule {
	CQESIM_RETIRE_AT_ONCE,    /* Linux mlx5e_handle_rx_cqe_mpwrq */
	CQESIM_RETIRE_NEXT_LOOK,  /* before it looks for another packet: PMD mlx5_rx_burst_mprq */
	CQESIM_RETIRE_NEXT_FOUND, /* with the next packet: PMD rxq_copy_mprq_mbuf_v */
};

/*
 * What a striding queue's driver and its application do with strides.  A packet is
 * either copied, and its strides are free, or handed on where it lies, and its
 * WQE's buffer is held until the application releases it.  A WQE that is used up
 * is posted again: with the same buffer if nothing holds that, else with a spare
 * one; when there is none it waits, or (copy_if_none) packets are copied until
 * there is one again.
 */
struct cqesim_host_striding {
	struct cqesim_strides_shape shape;
	void *ring;      /* WQEs, not owned */
	uint32_t *dbrec; /* not owned */
	uint32_t lkey;
	uint64_t address;       /* of the first buffer ... */
	uint64_t buffer_stride; /* ... and from one to the next */
	uint32_t buffers;       /* in all, at least as many as WQEs */
	enum cqesim_retire_rule retire;
	uint32_t refill; /* WQEs are posted when so many are free, 1 .. WQEs */
	bool copy_if_none;
	uint32_t memcpy_bytes; /* packets up to this length are copied */
	uint32_t headroom;     /* a packet whose last stride leaves less is copied too */
	bool fillers_count;    /* towards the burst */
	double attach_cycles;  /* per packet handed on, on top */
	double copy_cycles;    /* per line of 64 bytes that is copied after the first */
	/*
	 * What the application keeps after the call that returned it: every
	 * hold_every-th packet (0: none), until hold_packets later ones are kept (0:
	 * any number) or hold_ps have passed (0: any time).
	 */
	uint32_t hold_every;
	uint64_t hold_packets, hold_ps;
};

/* Why a packet found no buffer. */
enum cqesim_shortage {
	CQESIM_SHORT_LINK,        /* most completions are on their way: the link is behind */
	CQESIM_SHORT_APPLICATION, /* WQEs wait for buffers that the application holds */
	CQESIM_SHORT_CORE,        /* the core does not keep up: its last poll left packets behind */
	CQESIM_SHORT_RING,        /* it does, but between two polls more came than the ring takes */
	CQESIM_SHORTAGES
};
/* "link", "application", "core", "ring". */
CQESIM_API const char *cqesim_shortage_name(enum cqesim_shortage shortage);

struct cqesim_host_stats {
	uint64_t packets;
	uint64_t bytes; /* sum of byte_cnt */
	uint64_t polls; /* that found packets */
	uint64_t empty_polls;
	uint64_t busy_ps; /* time spent in polls that found packets */
	uint64_t calls; /* of the receive function, those that found packets: polls, without frames
			 */
	uint64_t tail_writes; /* rules of ixgbe */
	uint64_t interrupts;
	uint64_t asleep_ps; /* until a poll begins, interrupt's cycles apart; when it has ended */
	uint64_t away_ps;   /* see cqesim_host_away; of a core that sleeps: told when it wakes */
	uint64_t errors;    /* error completions */
	uint64_t burst_hist[CQESIM_BURST_MAX + 1];
	/* Completions visible and not yet read, at each poll that found some; class i: up to
	 * (i+1)/16 of the ring. */
	uint64_t occupancy_hist[CQESIM_OCCUPANCY_CLASSES];
	uint64_t occupancy_max;
	uint64_t occupancy_sum;
	/* Striding queues. */
	uint64_t fillers;
	uint64_t copied; /* packets; the rest was handed on in its strides */
	uint64_t copied_bytes;
	uint64_t copied_lines;   /* of 64 bytes, the first of each packet apart: at copy_cycles */
	uint64_t copied_in_need; /* of these: because there was no spare buffer */
	/*
	 * DPDK's vector MPRQ function: sessions longer than the mbufs at hand.  The real function
	 * then writes lengths into mbufs that others own and goes wrong from there; here they are
	 * returned.
	 */
	uint64_t overruns;
	uint64_t replaced;    /* WQEs posted with another buffer, as theirs was held */
	uint64_t waited;      /* WQEs that had to wait for a buffer */
	uint64_t kept_max;    /* most packets that the application kept */
	uint64_t buffers_max; /* most buffers in use, those in the ring included */
};

/*
 * A rule of ixgbe, a ring's descriptors and rx_free_thresh: do they go together?  The
 * driver would take another function, or its device would stop.  -EINVAL.
 */
CQESIM_API int cqesim_ixgbe_rule_check(enum cqesim_poll_rule rule, unsigned ring,
				       unsigned rx_free_thresh, struct cqesim_error *err);

/*
 * Called with each burst and the time at which its call began (with batch_reads:
 * the last one's; CQESIM_POLL_NAPI: at which it ended), before its buffers are
 * posted again; but those that ixgbe's bulk rule takes ahead may be posted before
 * a call returns their packets.  A negative value stops the queue: it is what
 * cqesim_host_advance then returns.
 */
typedef int (*cqesim_host_deliver)(void *context, const struct cqesim_completion *completions,
				   unsigned n, uint64_t now_ps);

struct cqesim_host_queue;

/*
 * The queue's memory stays the caller's: cq ring of 2^cq_log_size slots, poster
 * with all WQEs posted (striding: NULL, they are posted here), cq doorbell record
 * (may be NULL).  -EINVAL, -ENOMEM.
 */
CQESIM_API int cqesim_host_create(struct cqesim_host_queue **queue,
				  const struct cqesim_host_config *config,
				  const struct cqesim_cq_reader *reader,
				  const struct cqesim_rq_poster *poster, uint32_t *cq_dbrec,
				  cqesim_host_deliver deliver, void *deliver_context);
CQESIM_API void cqesim_host_destroy(struct cqesim_host_queue *queue);

/* A plain completion or a session, and when software can see it. */
struct cqesim_host_event {
	uint64_t ps;
	uint32_t count;
	uint32_t filler; /* it is one, a filler */
};

/*
 * Where completions are announced.  A ring of as many events as the completion
 * ring has slots: it cannot overrun before that does.
 */
struct cqesim_host_inbox {
	struct cqesim_host_event *event;
	uint32_t mask;
	uint32_t tail;      /* next to be written */
	bool asleep;        /* the core: what is announced may wake it */
	uint64_t next_ps;   /* nothing happens before: cqesim_host_next_ps */
	uint64_t announced; /* completions, in all */
};
CQESIM_API struct cqesim_host_inbox *cqesim_host_inbox(struct cqesim_host_queue *queue);

/*
 * A plain completion (count 1) or a whole session (its packets) becomes visible
 * at ps, never earlier than the ones before.
 */
static inline void cqesim_host_announce(struct cqesim_host_inbox *inbox, uint64_t ps,
					uint32_t count, bool filler)
{
	inbox->event[inbox->tail++ & inbox->mask] = (struct cqesim_host_event){ps, count, filler};
	inbox->announced += count;
	if (inbox->asleep && ps < inbox->next_ps)
		inbox->next_ps = ps;
}

/* The same for a queue, no filler. */
CQESIM_API void cqesim_host_published(struct cqesim_host_queue *queue, uint64_t ps, uint32_t count);

/*
 * Let the core poll until until_ps: all polls that begin at or before it
 * happen.  0; what deliver returned; or -EBADMSG when the ring did not hold what
 * was announced (then cqesim_host_fault tells where); -EINVAL for UINT64_MAX,
 * which no clock passes.
 */
CQESIM_API int cqesim_host_advance(struct cqesim_host_queue *queue, uint64_t until_ps);

/* With batch_reads: read what is still to be read.  Errors as of cqesim_host_advance. */
CQESIM_API int cqesim_host_flush(struct cqesim_host_queue *queue);

/*
 * Time of the next poll: advancing to less does nothing.  Of a core that sleeps: before
 * this nothing wakes it; UINT64_MAX: nothing announced so far will.  What is announced
 * then may bring it nearer.  The same stands in the inbox.
 */
CQESIM_API uint64_t cqesim_host_next_ps(const struct cqesim_host_queue *queue);

/* What the core has done ends here: the next poll's time; of one that sleeps, when it fell asleep.
 */
CQESIM_API uint64_t cqesim_host_clock_ps(const struct cqesim_host_queue *queue);

/* A call of the receive function that found something. */
struct cqesim_host_returned {
	uint64_t ps; /* when it began; CQESIM_POLL_NAPI: told for each packet, when it was taken */
	unsigned packets, fillers;
	unsigned polls;     /* 1; 0: a frame's second call or a later one, or a poll's packet */
	uint64_t occupancy; /* polls 1: completions that it saw */
};
typedef void (*cqesim_host_returned)(void *context, const struct cqesim_host_returned *call);
/* Be told of each such call, in the order of time, when it is simulated; NULL: of none. */
CQESIM_API void cqesim_host_observe(struct cqesim_host_queue *queue, cqesim_host_returned returned,
				    void *context);

/*
 * Buffers that software holds at now_ps (never less than before): in completions
 * that it can see and has not read, or read and not posted again.  The others are
 * with the device.
 */
CQESIM_API uint64_t cqesim_host_held(struct cqesim_host_queue *queue, uint64_t now_ps);

/*
 * Why the device finds no WQE at now_ps (never less than before), all of them
 * being consumed.
 */
CQESIM_API enum cqesim_shortage cqesim_host_shortage(struct cqesim_host_queue *queue,
						     uint64_t now_ps);

/* Completions announced and not yet read. */
CQESIM_API uint64_t cqesim_host_pending(const struct cqesim_host_queue *queue);

/*
 * Is the core in the middle of a frame, or of a Linux poll?  It ends, and is counted,
 * when the core is advanced further.
 */
CQESIM_API bool cqesim_host_in_turn(const struct cqesim_host_queue *queue);

/*
 * A turn (a call, or a frame's calls) of a core that is so far behind that calls find
 * all they ask for: packets and calls, on average.  ring: descriptors.  sessions: packets
 * come in sessions, of which calls may return a part.
 */
struct cqesim_host_turn {
	double packets, calls;
};
CQESIM_API struct cqesim_host_turn cqesim_host_full_turn(const struct cqesim_host_config *config,
							 unsigned ring, bool sessions);

CQESIM_API const struct cqesim_host_stats *cqesim_host_stats(const struct cqesim_host_queue *queue);
CQESIM_API const struct cqesim_cq_fault *cqesim_host_fault(const struct cqesim_host_queue *queue);
CQESIM_API const struct cqesim_cq_reader *cqesim_host_reader(const struct cqesim_host_queue *queue);

#endif
