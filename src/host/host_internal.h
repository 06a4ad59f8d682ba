/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver's queue, shared by the files of this folder. */
#ifndef CQESIM_HOST_INTERNAL_H
#define CQESIM_HOST_INTERNAL_H

#include "cqesim/host.h"

/* striding.c: what a striding queue has beside the rest. */
struct host_striding {
	struct cqesim_host_striding config;
	struct cqesim_striding_poster poster;
	uint32_t wqes, strides; /* of the ring, of a WQE */
	uint64_t attach, copy;  /* 1/1000 cycle */
	uint32_t consumed;      /* strides of the WQE that completions are about */
	/* WQEs in the order of the ring: used up >= have a buffer again >= posted again. */
	uint32_t used_up, filled, posted;
	uint32_t *buffer; /* of each place of the ring; NO_BUFFER: none yet */
	uint32_t *held;   /* per buffer: packets that the application has in it */
	bool *in_ring;    /* per buffer */
	uint32_t *spare;
	uint32_t spares;
	bool attach_allowed; /* copy_if_none: there is a replacement */
	uint32_t mbufs;      /* vector rule: packet buffers at hand */
	/* Buffers of the packets that the last call returned and the application does not keep. */
	uint32_t *returned;
	uint32_t returned_count;
	/* What it keeps, oldest first, from kept_first on in a ring of 2^n. */
	struct host_kept {
		uint64_t ps;
		uint32_t buffer;
	} * kept;
	uint64_t kept_first, kept_count, kept_room;
	uint64_t keep_counter;
};

/* wakeup.c: a completion queue's events. */
struct host_wakeup {
	uint64_t period_ps, latency_ps;
	uint32_t packets;
	bool from_cqe;
	uint64_t cycles, arm; /* 1/1000 cycle */
	uint64_t timer_ps;    /* the last event's: it has run off then */
	/* Since the queue was armed. */
	uint64_t armed_ps;
	uint32_t cursor;   /* announced events looked at */
	uint64_t unseen;   /* completions in them */
	uint64_t due_ps;   /* an event, if nothing else comes; NEVER */
	bool due_by_count; /* nothing that comes can put it off */
};

/* away.c: when a core does something else, and how its costs vary. */
struct host_away {
	uint64_t next_ps; /* NEVER */
	uint64_t every_ps, length_ps;
	bool drawn;      /* both are means */
	uint64_t share;  /* 1/2^32; 0: costs do not vary */
	uint64_t factor; /* likewise, of the poll that goes on: napi.c */
	uint64_t random;
};

#define NEVER UINT64_MAX

struct cqesim_host_queue {
	struct cqesim_pacer core; /* units: 1/1000 cycle; its clock is the next poll */
	struct cqesim_cq_reader reader;
	struct cqesim_rq_poster poster;
	uint32_t *cq_dbrec;
	cqesim_host_deliver deliver;
	void *deliver_context;

	/* Events: head <= seen <= inbox.tail. */
	struct cqesim_host_inbox inbox;
	uint32_t head;         /* the next one to be taken */
	uint32_t seen;         /* visible up to here */
	uint32_t landed;       /* visible by the time of cqesim_host_held up to here ... */
	uint64_t landed_count; /* ... which makes so many completions, in all */
	uint64_t visible;      /* completions visible and not taken */
	uint64_t taken;        /* completions returned by calls, in all */
	uint32_t left;         /* of a session that calls have begun to return */
	uint32_t index;        /* consumer index of the next packet to be returned */

	uint64_t poll, empty, plain, mini, session, call, app, tail; /* 1/1000 cycle */
	uint64_t byte;                                               /* 1/1000000 cycle */
	uint64_t empty_cost; /* of an empty poll, in 1/den ps of the core's pacer */
	uint64_t empty_inv;  /* its reciprocal */
	unsigned burst;      /* that this call asks for */
	unsigned burst_most, frame, replenish;
	enum cqesim_poll_rule rule;
	bool vec, batch_reads;
	bool left_behind;               /* the last call left packets in the ring */
	struct host_striding *striding; /* NULL: cyclic */
	unsigned free_buffers;          /* consumed and not posted again */
	unsigned post_due; /* simple rule: buffers that the end of the call before has posted */
	bool doorbell_due; /* buffers were posted: the device may know when the ring was read */
	int failed;        /* what ended it; 0: running */
	bool framing;      /* the call before was a frame's, and not its last */
	unsigned framed;   /* its packets so far */
	unsigned frame_counted;   /* and what counts towards its size */
	uint64_t frame_occupancy; /* when it began */
	unsigned staged;          /* ixgbe: taken from the ring, not yet returned */
	unsigned kept_back;       /* ixgbe: of free_buffers, never posted */
	uint32_t scanned;         /* ixgbe: taken from the ring, in all */

	/* napi.c: a poll goes on while packets come. */
	bool open;
	unsigned open_packets, open_fillers; /* what it has taken */
	/* Completions that it has read, which are delivered when it ends; NULL with batch_reads. */
	struct cqesim_completion *gathered;
	unsigned gathered_count;

	bool steady; /* it never sleeps and is never away */
	bool interrupts, asleep;
	bool arm_due; /* the poll before this one ended with arming */
	struct host_wakeup wakeup;
	struct host_away away;

	/*
	 * Packets that calls have returned and nobody has read from the ring; and,
	 * behind each other, completions that were read ahead of their call.
	 */
	unsigned unread, unread_max;
	struct cqesim_completion *completion;
	unsigned ahead, ahead_at;
	uint64_t call_ps; /* when the last call began */
	cqesim_host_returned returned;
	void *returned_context;

	struct cqesim_cq_fault fault;
	struct cqesim_host_stats stats;
};

/* What one call of the receive function returns. */
struct host_call {
	unsigned packets;
	unsigned minis;    /* of these: from sessions */
	unsigned sessions; /* begun */
	unsigned fillers;  /* beside them */
	unsigned tails;    /* ixgbe: writes of the tail register */
};

/* The next visible entry's packets; 0: there is none. */
static inline uint32_t host_peek(const struct cqesim_host_queue *q)
{
	return q->head == q->seen ? 0 : q->inbox.event[q->head & q->inbox.mask].count;
}

static inline bool host_peek_filler(const struct cqesim_host_queue *q)
{
	return q->head != q->seen && q->inbox.event[q->head & q->inbox.mask].filler;
}

/* What is visible by the time of the core. */
static inline void host_look(struct cqesim_host_queue *q)
{
	const struct cqesim_host_inbox *in = &q->inbox;

	while (q->seen != in->tail && in->event[q->seen & in->mask].ps <= q->core.ps)
		q->visible += in->event[q->seen++ & in->mask].count;
}

/* Return what is left of a session, up to `want`. */
static inline unsigned host_take_rest(struct cqesim_host_queue *q, struct host_call *call,
				      unsigned want)
{
	unsigned n = q->left < want ? q->left : want;

	q->left -= n;
	q->index += n;
	call->minis += n;
	return n;
}

/* Return the next visible entry, or as much of it as `want` (>= 1) allows. */
static inline unsigned host_take_entry(struct cqesim_host_queue *q, struct host_call *call,
				       unsigned want)
{
	uint32_t count = q->inbox.event[q->head++ & q->inbox.mask].count;

	if (count == 1) {
		q->index++;
		return 1;
	}
	call->sessions++;
	q->left = count;
	return host_take_rest(q, call, want);
}

/* What counts towards the burst that was asked for. */
static inline unsigned host_counted(const struct cqesim_host_queue *q, unsigned packets,
				    unsigned fillers)
{
	return packets + (q->striding && q->striding->config.fillers_count ? fillers : 0);
}

/* A poll that found so many visible has returned n. */
static inline __attribute__((always_inline)) void host_count_burst(struct cqesim_host_queue *q,
								   unsigned n, uint64_t visible)
{
	struct cqesim_host_stats *s = &q->stats;
	/* The ring is a power of two, and so are the classes. */
	uint64_t class = (visible * CQESIM_OCCUPANCY_CLASSES - 1) >> q->reader.log_size;

	s->polls++;
	s->burst_hist[n]++;
	s->packets += n;
	s->occupancy_sum += visible;
	if (visible > s->occupancy_max)
		s->occupancy_max = visible;
	s->occupancy_hist
		[class < CQESIM_OCCUPANCY_CLASSES ? class : CQESIM_OCCUPANCY_CLASSES - 1]++;
}

/* Cycles as the core's clock counts them. */
static inline uint64_t host_milli(double cycles)
{
	return (uint64_t)(cycles * 1000.0 + 0.5);
}

/* Not negative, not a NaN, and small enough that a burst's sum is far from overflowing. */
static inline bool host_cycles_are_good(double cycles)
{
	return cycles >= 0 && cycles <= 1e7;
}

static inline uint32_t host_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint64_t host_later(uint64_t ps, uint64_t by)
{
	return __builtin_add_overflow(ps, by, &ps) ? NEVER : ps;
}

/* read.c: read what the calls so far have returned, and hand it on. */
int host_read_ring(struct cqesim_host_queue *q);
/* Deliver what a poll of napi.c has gathered. */
int host_deliver_gathered(struct cqesim_host_queue *q);

/* poll.c: read at once, and add what only completions tell to the cost. */
int host_read_now(struct cqesim_host_queue *q, const struct host_call *call, uint64_t *cost);
void host_tell(const struct cqesim_host_queue *q, const struct host_call *call, unsigned polls,
	       uint64_t occupancy);
/* A frame's call has returned so many packets and counted so much; what that costs beside. */
uint64_t host_frame_called(struct cqesim_host_queue *q, unsigned packets, unsigned counted);

/* napi.c: a poll, as far as it comes by until_ps. */
int host_napi(struct cqesim_host_queue *q, uint64_t until_ps);

/* RTE_PMD_IXGBE_RX_MAX_BURST, RTE_IXGBE_MAX_RX_BURST */
#define IXGBE_BURST_MAX 32u

/* ixgbe.c: one call, and the buffers that it posts. */
void host_ixgbe_call(struct cqesim_host_queue *q, struct host_call *call);
/* Would a call that finds nothing post buffers all the same? */
bool host_ixgbe_rearm_due(const struct cqesim_host_queue *q);

/* wakeup.c */
void host_wakeup_init(struct cqesim_host_queue *q, const struct cqesim_host_interrupt *config);
/* A poll has ended: ask for an event and sleep. */
void host_arm(struct cqesim_host_queue *q);
/* Asleep: does an event come by until_ps?  Then the core's clock is where its poll begins. */
bool host_wake(struct cqesim_host_queue *q, uint64_t until_ps);
/* Asleep: before this nothing happens. */
uint64_t host_wake_ps(const struct cqesim_host_queue *q);

/* away.c */
bool host_away_is_good(const struct cqesim_host_away *config);
void host_away_init(struct host_away *away, const struct cqesim_host_away *config);
/* The next absence, from now on. */
void host_go_away(struct cqesim_host_queue *q);
/* Cycles as they come out this time. */
uint64_t host_vary(struct host_away *away, uint64_t cycles);
/* The same in two steps, for what comes in parts: draw, 1/2^32 (1 unless costs vary), and apply. */
uint64_t host_draw_factor(struct host_away *away);
static inline uint64_t host_apply_factor(uint64_t factor, uint64_t cycles)
{
	return (uint64_t)((unsigned __int128)cycles * factor >> 32);
}

/* Of DPDK's vector functions. */
#define VEC_PER_LOOP  4u  /* MLX5_VPMD_DESCS_PER_LOOP, also the buffers kept back */
#define VEC_PER_ROUND 64u /* MLX5_VPMD_RX_MAX_BURST */

/* vec.c: one call, and the buffers that it posts meanwhile. */
void host_vec_call(struct cqesim_host_queue *q, struct host_call *call);
/* The replenishing of a call that finds nothing. */
void host_vec_replenish(struct cqesim_host_queue *q);

/* striding.c: posts all WQEs.  -EINVAL, -ENOMEM. */
int host_striding_create(struct cqesim_host_queue *q, const struct cqesim_host_striding *config);
void host_striding_free(struct host_striding *s);
/* Between two calls: release what the application is done with, post what is free. */
void host_striding_between(struct cqesim_host_queue *q);
/* Without a packet, polls go on until then before something is to be done. */
uint64_t host_striding_until(const struct cqesim_host_queue *q, uint64_t until_ps);
/* What so many calls that find nothing do. */
void host_striding_empty(struct cqesim_host_queue *q, uint64_t calls);
/* What one call returns ... */
void host_striding_call(struct cqesim_host_queue *q, struct host_call *call);
/* ... and, from the completions themselves, what becomes of the strides.  *cost: 1/1000 cycle. */
int host_striding_read(struct cqesim_host_queue *q, const struct cqesim_completion *c, unsigned n,
		       const struct host_call *call, uint64_t *cost);

#endif
