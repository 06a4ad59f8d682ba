/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A card and a driver of the test's own, over plain memory: for the tests of the
 * card.  The driver's side is what cq.h and rq.h have for it, and WQEs by hand.
 */
#ifndef CQESIM_TEST_CARD_H
#define CQESIM_TEST_CARD_H

#include <check.h>

#include "cqesim/card.h"

#define CARD_KEY    0x00c0ffeeu
#define CARD_BASE   UINT64_C(0x7000000000)
#define CARD_MEMORY (1u << 20)
#define CARD_BUFFER 2048u
#define CARD_QUEUES 8u
#define CARD_EVENTS 512u
#define CARD_FRAMES 64u
#define CARD_FRAME  4096u

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct card_queue {
	unsigned log_size, cq_log;
	uint8_t *ring; /* completions */
	uint8_t *wqes;
	uint32_t cq_dbrec[2], dbrec[2];
	uint32_t cqn, number; /* RQ or SQ */
	uint64_t buffers;     /* device address */
	struct cqesim_rq_poster poster;
	struct cqesim_cq_reader reader;
	uint16_t pi; /* SQ: blocks posted */
};

struct card_rig {
	struct cqesim_card_config config;
	struct cqesim_card *card;
	uint8_t *memory; /* registered as CARD_KEY at CARD_BASE */
	uint32_t used;
	struct card_queue queue[CARD_QUEUES];
	unsigned queues;
	uint64_t now_ps;
	bool compress; /* completion queues of receive queues */
	bool vlan_strip, keep_fcs;

	/* What was sent, in one piece as the card's copy has it, and as the pieces were. */
	struct {
		uint32_t sqn, length;
		unsigned pieces;
		bool l3_checksum, l4_checksum;
		uint8_t data[CARD_FRAME];
	} sent[CARD_FRAMES];
	unsigned sents, refuse_after; /* from that many on: -EAGAIN; 0: never */

	struct {
		enum cqesim_card_event_kind kind;
		enum cqesim_card_object object;
		uint32_t number, index;
		char text[24]; /* the rule's name */
	} event[CARD_EVENTS];
	unsigned events;
};

/* A link on which a byte takes 1 ns, no compression; change rig->config, then start. */
void card_rig_config(struct card_rig *rig);
void card_rig_start(struct card_rig *rig);
void card_rig_stop(struct card_rig *rig);

/* Bytes of the registered memory, for buffers; device address of memory. */
uint8_t *card_rig_memory(struct card_rig *rig, uint32_t bytes);
uint64_t card_rig_address(const struct card_rig *rig, const uint8_t *memory);

/* Memory of a queue, and objects; a receive queue is ready and has all its WQEs posted. */
struct card_queue *card_rig_rq(struct card_rig *rig, unsigned log_size);
struct card_queue *card_rig_sq(struct card_rig *rig, unsigned log_size, unsigned cq_log);
/* The same, before the queue is made ready or something is posted. */
struct card_queue *card_rig_rq_made(struct card_rig *rig, unsigned log_size);
void card_rig_post(struct card_rig *rig, struct card_queue *q, unsigned n);

/* Read up to max completions; the consumer index is written afterwards. */
unsigned card_rig_poll(struct card_queue *q, struct cqesim_completion *out, unsigned max);

/* A frame over IPv4, checksums right; 60 bytes at least.  proto 6 or 17. */
struct cqesim_frame card_frame(uint8_t *buf, unsigned proto, uint32_t src, uint32_t dst,
			       uint16_t sport, uint16_t dport, uint32_t payload);
/* One frame arrives; delivered? */
bool card_rig_receive(struct card_rig *rig, const struct cqesim_frame *frame);
/* A UDP frame of 60 bytes arrives. */
bool card_rig_packet(struct card_rig *rig);

/* Send WQE at block `index` of the ring: control segment, rest 0; 64 bytes x blocks. */
uint8_t *card_wqe_at(struct card_queue *q, uint16_t index);
void card_wqe_control(struct card_queue *q, unsigned opcode, unsigned units, bool completion);
/* A data segment of 16 bytes. */
void card_data_segment(uint8_t *at, uint32_t length, uint32_t lkey, uint64_t address);
void card_post_sq(struct card_queue *q, unsigned blocks);

/* How many violations of the rule of this name were reported. */
unsigned card_rig_broken(const struct card_rig *rig, const char *rule);

static inline const struct cqesim_card_stats *card_stats(const struct card_rig *rig)
{
	return cqesim_card_stats(rig->card);
}

void test_card_receive(Suite *s);
void test_card_errors(Suite *s);
void test_card_steer(Suite *s);
void test_card_rules(Suite *s);
void test_card_lro(Suite *s);
void test_card_lro_queues(Suite *s);
void test_card_send(Suite *s);
void test_card_tso(Suite *s);
void test_card_check(Suite *s);
void test_card_thread(Suite *s);

#endif
