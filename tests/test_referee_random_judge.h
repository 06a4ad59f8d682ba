/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What follows from a completion for the driver's packet buffer, and in what the
 * driver differs: shared by the judge and its table of exceptions.
 */
#ifndef CQESIM_REFEREE_JUDGE_H
#define CQESIM_REFEREE_JUDGE_H

#include "test_referee_random.h"

/* Public values of DPDK: rte_mbuf_core.h; RX_TIMESTAMP is the first dynamic flag. */
#define RX_VLAN          (UINT64_C(1) << 0)
#define RX_RSS_HASH      (UINT64_C(1) << 1)
#define RX_FDIR          (UINT64_C(1) << 2)
#define RX_VLAN_STRIPPED (UINT64_C(1) << 6)
#define RX_IP_GOOD       (UINT64_C(1) << 7)
#define RX_L4_GOOD       (UINT64_C(1) << 8)
#define RX_FDIR_ID       (UINT64_C(1) << 13)
#define RX_TIMESTAMP     (UINT64_C(1) << 23)
#define EXTERNAL         (UINT64_C(1) << 61)
#define HEADROOM         128u

/* Members of a record that mean something. */
#define VALID_RSS       1
#define VALID_VLAN      2
#define VALID_MARK      4
#define VALID_TIMESTAMP 8
#define VALID_STRIDE    16
#define VALID_ATTACHED  32

/* One ring, being judged. */
struct judge {
	const struct referee_case *c;
	const struct ring_config *g;
	const struct cqesim_completion *title; /* enhanced: the last plain one */
};

/* Would the driver attach the packet's strides instead of copying them? */
bool judge_attached(const struct ring_config *g, const struct cqesim_completion *c,
		    uint32_t length);
uint32_t judge_length(const struct ring_config *g, const struct cqesim_completion *c);
void judge_set_mark(struct referee_record *r, uint32_t tag);
void judge_set_vlan(struct referee_record *r, const struct cqesim_completion *c, bool stripped);
uint64_t judge_checksum_flags(const struct cqesim_completion *c);

/* ---- exceptions ---- */

/* Whether it applies to this packet, and the record changed as the driver would. */
typedef bool difference(const struct judge *j, const struct cqesim_completion *c,
			const struct referee_record *said, struct referee_record *want);

/* Those without a function are about more than one packet; the judge knows them by number. */
enum {
	CRITICAL_DROP,
	NOT_COUNTED,
	INDEX_16,
	PAST_END,
	INVALIDATES,
	PER_PACKET, /* the first with a function */
	ATTACHED_TITLE = PER_PACKET,
};

struct exception {
	const char *name;
	unsigned paths, versions; /* bits: 1 << enum ring_path; 1 22.11, 2 24.11 */
	difference *apply;
	const char *what;
};
extern const struct exception referee_exception[];

/* Is it about this receive function in this version? */
bool judge_about(unsigned i, const struct ring_config *g);

#endif
