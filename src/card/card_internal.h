/* SPDX-License-Identifier: BSD-3-Clause */
/* The card's inside, shared by the files of this folder; see card.h. */
#ifndef CQESIM_CARD_INTERNAL_H
#define CQESIM_CARD_INTERNAL_H

#include "cqesim/card.h"

enum card_use { CARD_UNUSED, CARD_RECEIVES, CARD_SENDS };

struct card_cq {
	struct cqesim_card *card;
	struct cqesim_card_cq attr;
	uint32_t number;
	unsigned users;    /* queues */
	enum card_use use; /* decided by the first of them */
	bool touched;      /* a queue of it has been ready: its memory may be looked at */
	uint32_t nic_cqn;  /* receives: its number in the device */
	struct cqesim_cq_writer writer; /* sends */
	uint32_t told;                  /* what the doorbell record said last, 24 bits */
	bool notify, armed;             /* events are wanted; the next completion is one */
	uint32_t arm_word;              /* second word of the record, as last seen */
	uint32_t pi, ci;                /* completions written; consumed, as far as was seen */
};

struct card_rq {
	struct card_cq *cq;
	const uint32_t *dbrec;
	uint32_t number, nic_rqn, room;
	unsigned users; /* places in indirection tables, TIRs */
	enum cqesim_queue_state state;
	uint16_t posted; /* as last seen */
	bool open;       /* ready, and something was posted since */
	bool injected;   /* the next error is not the driver's */
	bool vlan_strip, keep_fcs;
	uint32_t coming; /* frames of this batch that were steered here */
	/* Strides of a WQE (cyclic: 1) and their bytes; how many this batch may use yet. */
	uint32_t per_wqe, stride_bytes, units;
	uint64_t delivered, lost;
	uint64_t inject_at;  /* the packet to be replaced by an error; UINT64_MAX: none */
	const uint8_t *ring; /* for the trace */
	uint32_t wqe_bytes, wqe_mask;
};

struct card_sq {
	struct card_cq *cq;
	struct cqesim_card_sq attr;
	uint32_t number, mask; /* basic blocks less one */
	enum cqesim_queue_state state;
	uint16_t pi, ci; /* basic blocks posted, done */
	uint32_t stale;  /* the doorbell record's word from before the queue was ready; 0: none */
	/* Of the WQE at ci: where its next packet begins, and whether there was one. */
	uint32_t offset;
	bool begun;
	uint32_t fetched; /* blocks from ci on that were read already */
	uint64_t packets, inject_at;
};

struct card_rqt {
	uint32_t number, count;
	unsigned users; /* TIRs */
	struct card_rq **rq;
};

/* A hash function, shared by the TIRs that have it; a parser for each way to deliver. */
struct card_hash {
	unsigned users;
	uint8_t key[CQESIM_RSS_KEY_BYTES];
	unsigned fields; /* CQESIM_RSS_* */
	bool symmetric;
	struct cqesim_port *port[4]; /* made when needed; by card_port_kind */
};

struct card_tir {
	uint32_t number;
	struct cqesim_card_tir attr;
	struct card_rq *rq; /* direct; otherwise */
	struct card_rqt *rqt;
	struct card_hash *hash;
	bool lro; /* of some packets; then */
	struct cqesim_aggregate_config lro_config;
	uint64_t made;  /* counts on: later ones are larger */
	unsigned users; /* rules */
};

struct card_steering {
	struct card_steering *next; /* the order in which they are tried */
	struct cqesim_card_rule attr;
	struct card_tir *tir; /* NULL: drops */
	uint32_t number;
	uint64_t made;
};

/* For a class of headers: the rule that is met; deeper: more than the class must be known. */
struct card_steering_way {
	const struct card_steering *rule;
	bool deeper;
};

/* Objects of one kind, by number - 1; NULL: free. */
struct card_table {
	void **item;
	uint32_t count;
};

/* Outer headers, as TIRs tell them apart. */
enum { CARD_L3_OTHER, CARD_L3_IPV4, CARD_L3_IPV6, CARD_L3S };
enum { CARD_L4_OTHER, CARD_L4_TCP, CARD_L4_UDP, CARD_L4S };

#define CARD_PIECES   64u
#define CARD_IN_WQE   UINT64_MAX /* address of a piece that is not read for itself */
#define CARD_MADE_MAX 512u

/* A packet to be sent. */
struct card_sending {
	struct cqesim_sent_frame frame;
	enum cqesim_send_kind kind;
	uint64_t address[CARD_PIECES]; /* of its pieces */
	uint8_t made[CARD_MADE_MAX];   /* tag or headers that the card made */
};

struct cqesim_card {
	struct cqesim_card_config config;
	struct cqesim_nic *nic;
	struct card_table table[CQESIM_OBJECTS];
	struct card_cq **by_nic_cqn; /* - 1 */
	uint32_t by_nic_cqns;
	uint64_t now_ps;

	/* Steering. */
	struct card_hash *hash;   /* without a TIR */
	bool changed;             /* what follows is to be made anew */
	bool steered;             /* there is a TIR that counts */
	bool dealing;             /* no TIR has counted since the first queue opened */
	struct card_known *known; /* by cqesim_frame.kept, - 1 */
	uint32_t knowns;
	struct card_tir *by_headers[CARD_L3S][CARD_L4S];
	struct card_hash *guess; /* the next packet's parser: that of the last one */
	unsigned guess_kind;
	uint64_t tirs_made;
	struct card_table rules;
	struct card_steering *first_rule;
	uint64_t rules_made;
	struct card_steering_way way[CARD_L3S][CARD_L4S];
	uint32_t turn; /* of receive queues, without a TIR */
	uint8_t *scratch;

	uint32_t send_turn;
	struct card_sending sending;
	struct card_sending whole; /* of a packet that is cut */

	struct cqesim_card_injection injection[64];
	unsigned injections;
	uint32_t frame_limit; /* UINT32_MAX: none */

	struct cqesim_card_stats stats;
};

/* ---- table.c ---- */

int card_table_add(struct card_table *table, void *item, uint32_t *number);
void card_table_remove(struct card_table *table, uint32_t number);
static inline void *card_table_find(const struct card_table *table, uint32_t number)
{
	return number && number <= table->count ? table->item[number - 1] : NULL;
}
static inline void *card_find(const struct cqesim_card *card, enum cqesim_card_object object,
			      uint32_t number)
{
	return card_table_find(&card->table[object], number);
}

/* The i-th of a kind, from 0; may be NULL. */
#define CARD_ITEM(card, object, i) ((card)->table[object].item[i])

/* ---- card.c: telling whoever listens ---- */

/* With the time that it is. */
static inline void card_emit(const struct cqesim_card *card, const struct cqesim_card_event *event)
{
	if (!card->config.event)
		return;
	struct cqesim_card_event timed = *event;

	timed.now_ps = card->now_ps;
	card->config.event(card->config.event_context, &timed);
}
void card_tell(struct cqesim_card *card, enum cqesim_card_event_kind kind,
	       enum cqesim_card_object object, uint32_t number, uint32_t index);
void card_tell_slot(struct card_cq *cq, uint32_t slot, const uint8_t raw[64]);
/* `index` of the WQE; only with tell_packets. */
void card_tell_packet(struct cqesim_card *card, enum cqesim_card_object object, uint32_t number,
		      uint32_t index, uint32_t length, const uint8_t *wqe, uint32_t wqe_bytes);

/* ---- queues.c ---- */

/* A queue begins to use a CQ (-EINVAL: it is used for the other direction), or ends. */
int card_cq_take(struct card_cq *cq, enum card_use use);
void card_cq_leave(struct card_cq *cq);

/* ---- look.c: doorbell records ---- */

void card_look_rq(struct cqesim_card *card, struct card_rq *rq);
void card_look_cq(struct cqesim_card *card, struct card_cq *cq);
void card_look(struct cqesim_card *card);

/* ---- inject.c: errors on purpose ---- */

/* The queue's packet is there that an injection waits for: its syndrome; *inject_at: the next. */
uint8_t card_inject_take(struct cqesim_card *card, enum cqesim_card_object queue, uint32_t number,
			 uint64_t *inject_at);
void card_inject_forget(struct cqesim_card *card, enum cqesim_card_object queue, uint32_t number);

/* ---- steer.c ---- */

static inline unsigned card_port_kind(bool vlan_strip, bool keep_fcs)
{
	return vlan_strip | keep_fcs << 1;
}
struct card_hash *card_hash_new(const uint8_t key[CQESIM_RSS_KEY_BYTES], unsigned fields,
				bool symmetric);
void card_hash_free(struct card_hash *hash);
/* NULL: out of memory. */
const struct cqesim_port *card_port(const struct cqesim_card *card, struct card_hash *hash,
				    unsigned kind);
/*
 * The queue for a frame, and its *rx parsed as that queue wants it; NULL: there is none.
 * *lro: the TIR that led there, if it joins segments; otherwise NULL.
 */
struct card_rq *card_steer(struct cqesim_card *card, const struct cqesim_frame *frame,
			   struct card_hash *hash, unsigned kind, struct cqesim_rx *rx,
			   const struct card_tir **lro);
/* classify.c: as port says; what was said of a kept frame is said again. */
void card_classify(struct cqesim_card *card, const struct cqesim_port *port,
		   const struct cqesim_frame *frames, unsigned n, struct cqesim_rx *rx);
void card_classify_forget(struct cqesim_card *card);
/* After something changed which TIRs count. */
void card_steer_again(struct cqesim_card *card);

/* ---- lro.c ---- */

/* -EINVAL. */
int card_lro_config(const struct cqesim_card_lro *lro, struct cqesim_aggregate_config *config);
/* What LRO looks at in a frame as the queue delivers it.  False: it is not to be joined. */
bool card_lro_segment(const struct cqesim_card *card, const struct card_tir *tir,
		      const struct card_rq *rq, const struct cqesim_frame *frame,
		      const struct cqesim_rx *rx, struct cqesim_segment *segment);

/* ---- rules.c ---- */

void card_rules_again(struct cqesim_card *card);
void card_rules_free(struct cqesim_card *card);
/* By all of its headers; NULL: it meets none. */
const struct card_steering *card_rule_search(const struct cqesim_card *card,
					     const struct cqesim_frame *frame);

/* ---- wqe.c: what a send WQE holds ---- */

#define CARD_BLOCK 64u /* bytes of a basic block */

struct card_wqe {
	uint16_t index;
	uint8_t opcode;
	uint32_t bytes, blocks;
	unsigned completion; /* bits 3:2 of byte 11 */
	uint16_t told_index; /* what the control segment says itself */
	uint32_t told_number;
};
/* The WQE at sq->ci, of which `posted` blocks are there.  -EBADMSG: it is none. */
int card_wqe_read(const struct card_sq *sq, uint32_t posted, struct card_wqe *wqe);
/*
 * The WQE's next packet.  1; 0: there is none more; -EBADMSG: it makes no sense; -EFAULT:
 * its memory does not translate.
 */
int card_wqe_packet(struct cqesim_card *card, struct card_sq *sq, const struct card_wqe *wqe);
/* tso.c: the next segment of card->whole, which begins with so many bytes of headers. */
int card_tso_segment(struct cqesim_card *card, struct card_sq *sq, uint32_t header, uint32_t mss);
/* Add a piece; -EBADMSG: too many. */
int card_add_piece(struct card_sending *s, const uint8_t *data, uint64_t address, uint32_t length);

/* ---- frame.c ---- */

/* Where the headers of an IP packet lie that is no fragment and in no tunnel. */
struct card_headers {
	uint8_t version, proto;
	uint32_t l3, l4, end;
};
bool card_headers(const uint8_t *data, uint32_t there, uint32_t length, struct card_headers *h);

/* ---- send.c ---- */

unsigned card_send(struct cqesim_card *card, unsigned budget);
void card_flush_sq(struct cqesim_card *card, struct card_sq *sq);

/* ---- check.c: rules ---- */

enum card_rule {
	CARD_RULE_RQ_POSTED,
	CARD_RULE_SQ_POSTED,
	CARD_RULE_CQ_AHEAD,
	CARD_RULE_CQ_BITS,
	CARD_RULE_CQ_SLOT,
	CARD_RULE_CQ_OVERRUN,
	CARD_RULE_WQE_INDEX,
	CARD_RULE_WQE_NUMBER,
	CARD_RULE_WQE,
	CARD_RULE_LKEY,
	CARD_RULE_BUSY,
	CARD_RULE_LEAK,
	CARD_RULES
};
void card_broken(struct cqesim_card *card, enum card_rule rule, enum cqesim_card_object object,
		 uint32_t number);
/* -EBUSY, and the rule is broken that what is used is not destroyed. */
int card_busy(struct cqesim_card *card, enum cqesim_card_object object, uint32_t number);
/* The driver has handed back `count` slots from this index on. */
void card_check_slots(struct card_cq *cq, uint32_t from, uint32_t count);

#endif
