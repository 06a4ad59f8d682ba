/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * walk.h - a ring's reader at work, one completion at a time: what it looks at,
 * what it concludes, what it changes.  The reader is cqesim_cq_poll itself, asked
 * for one completion; what it rewrote is found by comparing the ring's bytes.
 */
#ifndef CQESIM_WALK_H
#define CQESIM_WALK_H

#include <stdio.h>

#include "cqesim/common.h"
#include "cqesim/cq.h"

enum cqesim_walk_kind {
	CQESIM_WALK_STOP,  /* the slot is not software's */
	CQESIM_WALK_PLAIN, /* a completion of its own */
	CQESIM_WALK_TITLE, /* basic layout: a session begins, with its first packet */
	CQESIM_WALK_ARRAY, /* enhanced layout: an array begins, with its first packet */
	CQESIM_WALK_MINI,  /* the next packet of the session or array */
	CQESIM_WALK_FAULT, /* malformed */
	CQESIM_WALK_KINDS
};
CQESIM_API const char *cqesim_walk_kind_name(enum cqesim_walk_kind kind);

/* A byte that software changed. */
struct cqesim_walk_change {
	uint32_t slot;
	uint8_t byte; /* in the slot; of 128-byte slots 0 to 127 */
	uint8_t from, to;
};

struct cqesim_walk_step {
	uint64_t number; /* from 1 */
	enum cqesim_walk_kind kind;
	uint32_t ci, slot, lap; /* where the reader stands: ci, and what follows from it */
	/* What tells whether the slot is software's (of MINI: of the session's first slot). */
	uint8_t op_own;
	uint8_t count, count_wanted; /* enhanced: validity iteration count */
	uint8_t owner_wanted;        /* basic */
	uint32_t byte_cnt;           /* of the slot, as a CQE; of a title the number of packets */
	/* TITLE, ARRAY, MINI, and FAULT in a mini: the packet's place in its session. */
	uint32_t session_n, session_i;
	uint32_t mini_slot;
	uint8_t mini_byte;
	uint8_t mini[8];
	uint32_t left;                       /* packets of the session that are still to be read */
	struct cqesim_completion completion; /* unless STOP or FAULT */
	struct cqesim_cq_fault fault;        /* FAULT */
	uint32_t ci_after;                   /* and the doorbell record, of which 24 bits count */
	const struct cqesim_walk_change *change; /* until the next step */
	uint32_t changes;
	const uint32_t *wrote; /* slots that the device wrote since the step before */
	uint32_t wrote_count;
	uint64_t time_ps; /* of the poll in a simulation; UINT64_MAX: there is none */
};

/* Fields are for reading only. */
struct cqesim_walk {
	struct cqesim_cq_shape shape;
	struct cqesim_cq_reader reader;
	uint8_t *ring;   /* not owned */
	uint8_t *before; /* the ring's bytes as of the last step */
	uint64_t steps, packets, faults;
	uint64_t time_ps;
	struct cqesim_walk_change *change;
	uint32_t changes, change_room;
	uint32_t *wrote;
	uint32_t wrote_count, wrote_room;
	bool wrote_taken; /* the step that told of them is over */
	int failed;
};

/* ring: as for cqesim_cq_reader_init; ci: where the reader starts.  -EINVAL, -ENOMEM. */
CQESIM_API int cqesim_walk_create(struct cqesim_walk **w, uint8_t *ring,
				  const struct cqesim_cq_shape *shape,
				  enum cqesim_invalidate driver, uint32_t ci,
				  struct cqesim_error *err);
CQESIM_API void cqesim_walk_destroy(struct cqesim_walk *w);

/* The device, whoever that is, wrote a slot; the next step tells it. */
CQESIM_API int cqesim_walk_wrote(struct cqesim_walk *w, uint32_t slot);
/* Steps from now on are of a poll at this time. */
CQESIM_API void cqesim_walk_time(struct cqesim_walk *w, uint64_t now_ps);

/* One look at the ring; STOP when there is nothing (more may come).  -ENOMEM. */
CQESIM_API int cqesim_walk_step(struct cqesim_walk *w, struct cqesim_walk_step *step);

/*
 * In words, at most 100 columns; colour: with the escape sequences of terminals.
 * At the end: why it stopped, and what cqesim_cq_check finds; cut: the walk was
 * ended before the ring was read to its end.  -ENOMEM; errors of the stream stay
 * in it.
 */
CQESIM_API int cqesim_walk_text_head(const struct cqesim_walk *w, const char *source, FILE *to);
CQESIM_API int cqesim_walk_text(const struct cqesim_walk *w, const struct cqesim_walk_step *step,
				bool colour, FILE *to);
CQESIM_API int cqesim_walk_text_end(const struct cqesim_walk *w,
				    const struct cqesim_walk_step *last, bool cut, FILE *to);

/*
 * The same as one JSON document, see doc/json.md.  first: no step was written
 * before; error: what ended the walk, or NULL.
 */
CQESIM_API int cqesim_walk_json_head(const struct cqesim_walk *w, const char *source, FILE *to);
CQESIM_API int cqesim_walk_json(const struct cqesim_walk *w, const struct cqesim_walk_step *step,
				bool first, FILE *to);
CQESIM_API int cqesim_walk_json_end(const struct cqesim_walk *w,
				    const struct cqesim_walk_step *last, bool cut,
				    const char *error, FILE *to);

#endif
