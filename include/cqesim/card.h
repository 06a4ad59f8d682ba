/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * card.h - a whole card as an object: what a driver creates, modifies, queries
 * and destroys (completion, receive and send queues, indirection tables, TIRs),
 * the steering of what arrives, and the sending of what is posted.  It has no
 * thread, no clock and no lock: the caller says what time it is, and never
 * calls it from two threads at once.  What a queue does in the device is nic.h's;
 * the card adds numbers for everything, steering, send queues and errors.
 *
 * Rings, WQEs and doorbell records lie in memory that is handed in.  Nothing of
 * an object's memory is touched after its destroy call returns, nor before its
 * queue is ready.
 */
#ifndef CQESIM_CARD_H
#define CQESIM_CARD_H

#include "cqesim/common.h"
#include "cqesim/nic.h"
#include "cqesim/port.h"

/* Queue numbers of all kinds count from 1; 24 bits. */

/* A frame that a send queue gave to the wire; its pieces are the driver's memory, or the WQE's. */
struct cqesim_sent_frame {
	uint32_t sqn;
	uint32_t length; /* without FCS, padding to 60 bytes not included */
	unsigned pieces;
	struct cqesim_sent_piece {
		const uint8_t *data;
		uint32_t length;
	} piece[64];
	/* Work that the driver left to the card (WQE cs_flags); VLAN tags are inserted already. */
	bool l3_checksum, l4_checksum;
};
/*
 * The frame in one piece, its checksums made where the driver left them to the card
 * (IPv4 header; TCP and UDP that are not in a tunnel).  Returns its length, or 0 when
 * `room` is less than that.
 */
CQESIM_API uint32_t cqesim_sent_frame_copy(const struct cqesim_sent_frame *frame, uint8_t *to,
					   uint32_t room);

/* How a send WQE gave its packet: rows of the report. */
enum cqesim_send_kind {
	CQESIM_SEND_PLAIN,  /* opcode SEND: a WQE of its own, data read by the card */
	CQESIM_SEND_INLINE, /* the same with (some) data in the WQE */
	CQESIM_SEND_MPW,    /* opcode ENHANCED_MPSW: packet of a multi-packet WQE, data read */
	CQESIM_SEND_MPW_INLINE,
	CQESIM_SEND_TSO, /* segment that the card cut */
	CQESIM_SEND_KINDS
};
CQESIM_API const char *cqesim_send_kind_name(enum cqesim_send_kind kind);

/* For a trace of what happens, and for whoever checks the driver and the card. */
enum cqesim_card_event_kind {
	CQESIM_EVENT_CREATE, /* object, number */
	CQESIM_EVENT_MODIFY,
	CQESIM_EVENT_DESTROY,
	CQESIM_EVENT_POST,      /* RQ or SQ: its doorbell record moved to `index` */
	CQESIM_EVENT_PACKET,    /* with tell_packets; RQ: a packet of `length` goes to WQE `index`;
				   SQ: one was sent from it; raw: (the begin of) the WQE */
	CQESIM_EVENT_CONSUME,   /* CQ: its doorbell record moved to `index` */
	CQESIM_EVENT_NOTIFY,    /* CQ: armed at `index`, and there is a completion from there on */
	CQESIM_EVENT_COMPLETE,  /* with tell_packets; CQ: a slot is written; raw: its 64 bytes */
	CQESIM_EVENT_DROP,      /* RQ: a packet was lost, see result */
	CQESIM_EVENT_INJECT,    /* RQ or SQ: an error that was asked for; index: its syndrome */
	CQESIM_EVENT_VIOLATION, /* a rule was broken; text says which */
};
enum cqesim_card_object {
	CQESIM_OBJECT_CQ,
	CQESIM_OBJECT_RQ,
	CQESIM_OBJECT_SQ,
	CQESIM_OBJECT_RQT,
	CQESIM_OBJECT_TIR,
	CQESIM_OBJECTS
};
struct cqesim_card_event {
	uint64_t now_ps;
	enum cqesim_card_event_kind kind;
	enum cqesim_card_object object;
	uint32_t number;
	uint32_t index;     /* POST, CONSUME: producer or consumer index; COMPLETE: slot */
	const uint8_t *raw; /* COMPLETE, PACKET */
	uint32_t raw_bytes;
	uint32_t length;              /* PACKET */
	const void *attr;             /* CREATE: struct cqesim_card_cq, _rq, _sq, _tir; or NULL */
	enum cqesim_rx_result result; /* DROP */
	const char *text;             /* VIOLATION */
};

struct cqesim_card_config {
	struct cqesim_nic_config nic; /* copy_data, published and operation are the card's to set */
	enum cqesim_checksums checksums; /* what the parser verifies */
	bool want_csum; /* fill the CQE's csum: for Linux and for mini formats that carry it */
	/*
	 * Check too what the driver hands back: it reads each completion slot once more.  What
	 * can be told without that is always checked; see src/card/check.c for the rules.
	 */
	bool check;
	cqesim_translate translate; /* all regions of all queues: lkey, address, length */
	void *translate_context;
	/*
	 * A frame is sent; its memory is the driver's only during the call.  -EAGAIN: not
	 * now, the WQE stays and is tried again with the next step.  NULL: sent frames vanish.
	 */
	int (*send)(void *context, const struct cqesim_sent_frame *frame);
	void *send_context;
	void (*event)(void *context, const struct cqesim_card_event *event); /* or NULL */
	void *event_context;
	bool tell_packets; /* with an event, an event for each packet and completion too */
};

struct cqesim_card;

/* -EINVAL with *err, -ENOMEM. */
CQESIM_API int cqesim_card_create(struct cqesim_card **card,
				  const struct cqesim_card_config *config,
				  struct cqesim_error *err);
/* Destroys what is still there; touches no memory that was handed in. */
CQESIM_API void cqesim_card_destroy(struct cqesim_card *card);

/* ---- objects; -EINVAL, -ENOMEM, -ENOENT (a number that is not there), -EBUSY (in use) ---- */

struct cqesim_card_cq {
	uint8_t *ring;
	uint64_t address;
	unsigned log_size;
	bool cqe_128; /* -ENOTSUP */
	bool cqe_comp_en;
	enum cqesim_mini_format mini_format;
	enum cqesim_cq_layout layout;
	uint32_t *dbrec; /* [0] consumer index, [1] armed; big-endian words */
};
/* Its first receive or send queue decides what it is for. */
CQESIM_API int cqesim_card_create_cq(struct cqesim_card *card, const struct cqesim_card_cq *cq,
				     uint32_t *cqn);
/*
 * Tell (CQESIM_EVENT_NOTIFY) when the driver has armed it and there is a completion that was not
 * consumed when it did.  The word of the doorbell record is looked at, not the register that is
 * written after it: each change of it arms, and what it was made with counts as armed too, since
 * the driver's first word is 0 (PMD mlx5_arm_cq).  So the first event may come unasked.  -ENOENT.
 */
CQESIM_API int cqesim_card_notify_cq(struct cqesim_card *card, uint32_t cqn);
CQESIM_API int cqesim_card_destroy_cq(struct cqesim_card *card, uint32_t cqn);

struct cqesim_card_rq {
	const void *ring;
	uint64_t address;
	unsigned log_size, log_segs; /* cyclic: WQEs, and segments of each */
	bool striding;
	struct cqesim_strides_shape strides;
	const uint32_t *dbrec; /* [0] */
	uint32_t cqn;
	uint32_t user_index; /* 24 bits, in its completions */
	bool vlan_strip, keep_fcs;
};
CQESIM_API int cqesim_card_create_rq(struct cqesim_card *card, const struct cqesim_card_rq *rq,
				     uint32_t *rqn);
/*
 * States as cqesim_nic_modify_rq; a queue that goes to ERR, by this or by an error of
 * its own, writes its flush entries at once.
 */
CQESIM_API int cqesim_card_modify_rq(struct cqesim_card *card, uint32_t rqn,
				     enum cqesim_queue_state state, uint64_t now_ps);
/* In any state; from the next packet on.  -ENOENT. */
CQESIM_API int cqesim_card_modify_rq_offloads(struct cqesim_card *card, uint32_t rqn,
					      bool vlan_strip, bool keep_fcs);
CQESIM_API int cqesim_card_query_rq(const struct cqesim_card *card, uint32_t rqn,
				    enum cqesim_queue_state *state);
CQESIM_API int cqesim_card_destroy_rq(struct cqesim_card *card, uint32_t rqn);

struct cqesim_card_sq {
	const void *ring; /* 2^log_size send WQE basic blocks of 64 bytes */
	uint64_t address;
	unsigned log_size;
	const uint32_t *dbrec; /* [1] */
	uint32_t cqn;
};
/*
 * States as for receive queues.  Going to RST sets the index to 0; what the doorbell
 * record says when the queue becomes ready is from before, if it is not 0 (PMD does not
 * clear it when it recovers a queue), and does not count until it changes.
 */
CQESIM_API int cqesim_card_create_sq(struct cqesim_card *card, const struct cqesim_card_sq *sq,
				     uint32_t *sqn);
CQESIM_API int cqesim_card_modify_sq(struct cqesim_card *card, uint32_t sqn,
				     enum cqesim_queue_state state, uint64_t now_ps);
CQESIM_API int cqesim_card_query_sq(const struct cqesim_card *card, uint32_t sqn,
				    enum cqesim_queue_state *state);
CQESIM_API int cqesim_card_destroy_sq(struct cqesim_card *card, uint32_t sqn);

/* An indirection table: 1 .. 2048 receive queues; a hash takes entry hash mod count. */
CQESIM_API int cqesim_card_create_rqt(struct cqesim_card *card, const uint32_t *rqn, unsigned count,
				      uint32_t *rqtn);
CQESIM_API int cqesim_card_modify_rqt(struct cqesim_card *card, uint32_t rqtn, const uint32_t *rqn,
				      unsigned count);
CQESIM_API int cqesim_card_destroy_rqt(struct cqesim_card *card, uint32_t rqtn);

struct cqesim_card_tir {
	bool direct; /* one receive queue; otherwise rqtn's, by hash */
	uint32_t rqn, rqtn;
	/*
	 * What it is for, and what it hashes.  A packet goes to the TIR that knows most of its
	 * (outer) headers, of several the one made last.  A TIR counts while it leads to an open
	 * receive queue.  Ports without addresses: -ENOTSUP.
	 */
	bool ipv4, ipv6;       /* L3 type that it is for; neither: any packet */
	bool tcp, udp;         /* L4 type; neither: any */
	bool addresses, ports; /* hashed */
	bool symmetric;
	uint8_t key[CQESIM_RSS_KEY_BYTES];
	/*
	 * LRO: TCP segments over these are joined in the queue (see cqesim_nic_receive_lro), as
	 * long as headers and payload are up to max_bytes and timeout_ps have not passed since the
	 * first, if each has min_payload.  Not joined: packets with wrong checksums, in tunnels,
	 * with Ethernet padding, and those of queues that keep FCSs.
	 */
	struct cqesim_card_lro {
		bool ipv4, ipv6;
		uint32_t max_bytes; /* 1 .. 2^24 */
		uint64_t timeout_ps;
		uint32_t min_payload;
	} lro;
};
CQESIM_API int cqesim_card_create_tir(struct cqesim_card *card, const struct cqesim_card_tir *tir,
				      uint32_t *tirn);
/* -EBUSY: a rule leads to it. */
CQESIM_API int cqesim_card_destroy_tir(struct cqesim_card *card, uint32_t tirn);

/*
 * What a rule looks at: the outer headers as the device knows them, in the layout of PRM
 * fte_match_set_lyr_2_4 (big-endian).  ethertype: what follows the tags.
 */
struct cqesim_card_match {
	uint8_t smac[6], ethertype[2];
	uint8_t dmac[6], first_tci[2];
	uint8_t ip_protocol, dscp_ecn;
	uint8_t flags; /* CQESIM_MATCH_*; bit 0: TCP's NS */
	uint8_t tcp_flags;
	uint8_t tcp_sport[2], tcp_dport[2]; /* 0 in packets of another protocol, and fragments */
	uint8_t reserved[3];                /* IHL, what was checked: -ENOTSUP in a mask */
	uint8_t ttl;
	uint8_t udp_sport[2], udp_dport[2];
	uint8_t src_ip[16], dst_ip[16]; /* IPv4: the last 4 bytes */
};
#define CQESIM_MATCH_CVLAN      0x80u
#define CQESIM_MATCH_SVLAN      0x40u
#define CQESIM_MATCH_FRAGMENT   0x20u
#define CQESIM_MATCH_IP_VERSION 0x1eu

/*
 * A rule: packets whose headers, of the mask's bits, have the value go to the TIR, with the
 * tag in their completions, or are dropped.  As soon as there is a rule, TIRs are for those
 * that lead to them: the first rule by priority (0 is first), then by age, decides, and what
 * meets none is lost (no_queue).
 */
struct cqesim_card_rule {
	struct cqesim_card_match mask, value;
	uint32_t priority;
	bool drop; /* otherwise tirn */
	uint32_t tirn;
	uint32_t flow_tag; /* 24 bits; 0: none */
};
/* -ENOENT; -EINVAL: a tag of more bits, a value outside its mask; -ENOTSUP; -ENOMEM. */
CQESIM_API int cqesim_card_create_rule(struct cqesim_card *card,
				       const struct cqesim_card_rule *rule, uint32_t *number);
CQESIM_API int cqesim_card_destroy_rule(struct cqesim_card *card, uint32_t number);
/* Rules that lead to TIR `from` lead to `to`: it takes the other's place. */
CQESIM_API int cqesim_card_redirect_rules(struct cqesim_card *card, uint32_t from, uint32_t to);

/* ---- what happens ---- */

/*
 * Frames arrive: parsed, steered (TIRs when there are any that count; without one to the open
 * receive queues in turn, so that an isolated port gets something) and received.  A queue is
 * open when it is ready and something was ever posted to it: a drop queue is ready and has
 * nothing.  now_ps never decreases; frames' own times are not looked at.  Returns how many were
 * delivered; what became of the rest is counted.
 */
CQESIM_API unsigned cqesim_card_receive(struct cqesim_card *card, uint64_t now_ps,
					const struct cqesim_frame *frames, unsigned n);

/*
 * The same for a source that waits: stops before the first frame whose queue may have no
 * room for it.  Returns how many frames were dealt with.
 */
CQESIM_API unsigned cqesim_card_receive_posted(struct cqesim_card *card, uint64_t now_ps,
					       const struct cqesim_frame *frames, unsigned n);

/* Is it told by TIRs or rules where frames go? */
CQESIM_API bool cqesim_card_is_steered(struct cqesim_card *card);

/*
 * Send up to `budget` packets of the send queues that have some, in turn; do what falls
 * due by now_ps (time-outs of sessions).  Returns how many were sent.
 */
CQESIM_API unsigned cqesim_card_step(struct cqesim_card *card, uint64_t now_ps, unsigned budget);

/* WQEs posted and free for packets, over all ready receive queues: 0, nobody could receive. */
CQESIM_API uint64_t cqesim_card_credits(struct cqesim_card *card);

/*
 * Deliver the next packet of this queue with this error instead (syndrome of an error CQE, not
 * 0).  0x02, 0x04 and 0x05 stop the queue, which then flushes; after others it goes on, as PMD
 * mlx5_rx_err_handle expects.
 */
CQESIM_API int cqesim_card_inject_error(struct cqesim_card *card, uint32_t rqn, uint8_t syndrome);

/*
 * The same at a place: instead of the packet'th packet (from 1) since the queue was made, lost ones
 * included.  A send queue stops whatever the syndrome (assumed: every error of a requester does
 * that).  -EINVAL, -ENOENT, -ENOSPC: 64 wait already.
 */
struct cqesim_card_injection {
	enum cqesim_card_object queue; /* RQ or SQ */
	uint32_t number;
	uint64_t packet;
	uint8_t syndrome;
};
CQESIM_API int cqesim_card_inject(struct cqesim_card *card,
				  const struct cqesim_card_injection *injection);

/*
 * The port drops frames that are longer than this, from the Ethernet header on and without FCS;
 * 0, as at the start: takes what comes.
 */
CQESIM_API void cqesim_card_frame_limit(struct cqesim_card *card, uint32_t bytes);

/* ---- what happened ---- */

#define CQESIM_CARD_BURSTS 257u

struct cqesim_card_stats {
	uint64_t arrived, delivered, delivered_bytes;
	uint64_t lost[CQESIM_RX_RESULTS]; /* by cause; [CQESIM_RX_DELIVERED] stays 0 */
	uint64_t no_queue;                /* no receive queue was open, no TIR or rule fits */
	uint64_t ruled_out;               /* of these: a rule drops them */
	uint64_t tagged;                  /* steered by a rule with a flow tag */
	uint64_t over_limit;              /* longer than the port takes */
	uint64_t sent, sent_bytes;
	uint64_t send_kinds[CQESIM_SEND_KINDS];
	uint64_t inline_bytes; /* of sent_bytes */
	uint64_t send_wqes, send_completions, send_errors;
	uint64_t posts, posted_wqes; /* moves of receive doorbell records */
	uint64_t send_doorbells;     /* moves of send doorbell records */
	uint64_t notifies;           /* events of completion queues */
	/*
	 * Doorbell records are looked at with each packet for their queue, each call to receive
	 * and each step: two moves between looks are one.
	 */
	uint64_t consumes;                  /* moves of consumer indices of receive CQs ... */
	uint64_t burst[CQESIM_CARD_BURSTS]; /* ... by how far; the last: that and more */
	uint64_t violations;
	/* Completions that wait for the driver, when a packet arrives: sum, most, samples. */
	uint64_t waiting_sum, waiting_max, waiting_samples;
};
CQESIM_API const struct cqesim_card_stats *cqesim_card_stats(const struct cqesim_card *card);
/* Packets that arrived and were not delivered, for whatever reason. */
static inline uint64_t cqesim_card_lost(const struct cqesim_card_stats *stats)
{
	uint64_t lost = stats->no_queue + stats->over_limit;

	for (unsigned i = 0; i < CQESIM_RX_RESULTS; i++)
		lost += stats->lost[i];
	return lost;
}
/* Of one receive queue: delivered and lost packets.  -ENOENT. */
CQESIM_API int cqesim_card_rq_stats(const struct cqesim_card *card, uint32_t rqn,
				    uint64_t *delivered, uint64_t *lost);
CQESIM_API const struct cqesim_nic_stats *cqesim_card_nic_stats(const struct cqesim_card *card);

#endif
