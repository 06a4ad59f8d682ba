/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device over memory of the test's own, for the tests of nic: a link on
 * which a byte takes 1 ns, so that times can be worked out by hand.
 *
 * Bytes up, with 64-bit addresses: 60 bytes of data 24 + 60 = 84; a CQE or a
 * whole array 24 + 64 = 88; a read of WQEs 24, and 8 for the Ack of what it
 * brings.
 */
#ifndef CQESIM_TEST_NIC_H
#define CQESIM_TEST_NIC_H

#include <check.h>

#include "cqesim/nic.h"

#define RIG_QUEUES 8u
#define RIG_EVENTS 4096u
#define RIG_BUFFER 2048u
#define RIG_KEY    0x00c0ffeeu
#define RIG_BASE   UINT64_C(0x100000000)
#define RIG_US     UINT64_C(1000000)

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct rig_queue {
	unsigned log_size, log_segs;
	uint8_t *ring; /* completions */
	uint8_t *wqes;
	uint8_t *memory; /* of the buffers */
	uint64_t base;   /* device address of memory */
	uint32_t dbrec;
	uint32_t cqn, rqn;
	struct cqesim_rq_poster poster;
	struct cqesim_cq_reader reader;
};

struct rig {
	struct cqesim_nic_config config;
	struct cqesim_nic *nic;
	struct rig_queue queue[RIG_QUEUES];
	unsigned queues;
	unsigned cq_log_more; /* completion rings are that much larger than receive rings */
	enum cqesim_cq_layout layout; /* of completion rings */
	struct {
		uint32_t cqn, count;
		uint64_t ps;
		bool filler;
	} event[RIG_EVENTS]; /* what was published */
	unsigned events;
	uint64_t packets; /* published in all */
};

/* Defaults: 1 ns per byte, MPS 256, 64 bytes of WQEs at a time, no compression, no limits. */
void rig_config(struct rig *rig);
/* Make the device from rig->config. */
void rig_start(struct rig *rig);
void rig_stop(struct rig *rig);

/* A queue's memory, all WQEs posted; nothing of the device yet. */
struct rig_queue *rig_prepare(struct rig *rig, unsigned log_size, unsigned log_segs);

/* A queue with all WQEs posted, in state RDY; 2^log_segs segments that share RIG_BUFFER bytes. */
struct rig_queue *rig_add(struct rig *rig, unsigned log_size, unsigned log_segs, bool compress,
			  enum cqesim_mini_format format);

/* How its receive queue is made. */
struct cqesim_rq_attr rig_rq_attr(struct rig_queue *q, uint32_t user_index);

/* 60 bytes of queue 0 with this hash; what it should become is the caller's to say. */
enum cqesim_rx_result rig_packet(struct rig *rig, uint64_t now_ps, uint32_t hash);
struct cqesim_rxmeta rig_meta(uint32_t hash);

static inline const struct cqesim_nic_stats *rig_stats(const struct rig *rig)
{
	return cqesim_nic_stats(rig->nic);
}

/* The i-th thing published. */
void rig_event(const struct rig *rig, unsigned i, uint32_t cqn, uint32_t count, uint64_t ps);

/* TLPs of one kind. */
void rig_traffic(const struct rig *rig, enum cqesim_traffic kind, uint64_t count, uint64_t payload,
		 uint64_t wire);

/* Aggressive, sessions of at most max, 10 us; compared: what a driver takes from the title. */
void rig_aggressive(struct rig *rig, uint32_t max);

/* How many sessions ended for which reason. */
void rig_ends(const struct rig *rig, unsigned mismatch, unsigned max, unsigned timeout,
	      unsigned ring, unsigned relief, unsigned stop);

/*
 * Add the tests of packets, of the compression policy, of queues that go, of the enhanced
 * layout and of age, of bytes, of strides.
 */
void test_nic_packets(Suite *s);
void test_nic_fault(Suite *s);
void test_nic_session(Suite *s);
void test_nic_open(Suite *s);
void test_nic_enhanced(Suite *s);
void test_nic_traffic(Suite *s);
void test_nic_striding(Suite *s);

#endif
