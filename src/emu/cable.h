/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cable.h - a cable between the cards of two programs: a file that both map, with a
 * ring of frames for each direction.
 *
 * An end belongs to a launch (the launcher and the program it starts), which says so
 * with a lock on a byte of the file; a card that is open in the program locks another.
 * The kernel gives the locks back when their holders are gone, however they went.
 * Whoever leaves last removes the file; one that killed processes left behind has no
 * locks, and the next that comes begins it anew.
 *
 * The other side is not trusted: what it wrote is looked at once, in a copy, and
 * indices into the rings are masked.  Its cutting the file short is not survived, but
 * the file is private to the user.
 */
#ifndef CQESIM_EMU_CABLE_H
#define CQESIM_EMU_CABLE_H

#include <limits.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "cqesim/common.h"

#define CABLE_SLOTS     512u /* a power of two */
#define CABLE_FRAME_MAX 16384u
#define CABLE_VERSION   1u
#define CABLE_ENDS      2u

struct cable_slot {
	uint32_t length; /* without FCS: CQESIM_MIN_FRAME .. CABLE_FRAME_MAX */
	uint8_t unused[60];
	uint8_t data[CABLE_FRAME_MAX];
};

/* One direction: one sender, one receiver. */
struct cable_ring {
	/* Free running: frames put in, and taken.  Each is written by one side alone. */
	_Alignas(64) _Atomic uint32_t head;
	_Alignas(64) _Atomic uint32_t tail;
	_Atomic uint64_t left; /* the receiver's: that its predecessors did not take */
	_Alignas(64) struct cable_slot slot[CABLE_SLOTS];
};

struct cable_file {
	char magic[8]; /* written last */
	uint32_t version, size, slots, frame_max;
	struct {
		uint32_t token; /* of the launch that took the end last */
		_Atomic uint32_t
			card; /* another number for each card that was plugged in; 0: none */
	} end[CABLE_ENDS];
	uint32_t cards; /* that were plugged in */
	/* What the end of this number sends. */
	struct cable_ring ring[CABLE_ENDS];
};

/* What a process has of it. */
struct cable {
	char path[PATH_MAX];
	int fd;
	struct cable_file *file;
	unsigned end;   /* 0 or 1: A or B */
	uint32_t token; /* for cable_join */
	bool plugged, waiting;
	/* Own copies: what stands in the file is for the other side. */
	uint32_t head, tail;
	uint32_t partner; /* the card that was looked at last */
	bool partner_alive;
	uint64_t left_before; /* of the ring's left, when this card was plugged in */
	struct cable_counts {
		uint64_t out, out_bytes; /* put into the cable */
		uint64_t waits;          /* of these: found it full first */
		uint64_t down;           /* lost: no card at the other end */
		uint64_t in, in_bytes;
		uint64_t damaged; /* entries that break the rules; also passed over */
	} counts;
};

/* ---- cable.c ---- */

/*
 * Take a free end of the cable, made if it is not there.  -EBUSY: both are taken; -EINVAL:
 * the file is something else; or an error of the file system.
 */
int cable_take(struct cable *c, const char *path, struct cqesim_error *err);
/* Hold an end together with the launcher that took it.  -EBUSY: it is somebody else's by now. */
int cable_join(struct cable *c, const char *path, unsigned end, uint32_t token,
	       struct cqesim_error *err);
/* Give the end back (a card is pulled before); the last one removes the file. */
void cable_leave(struct cable *c);

/* A card is there, and its program may get frames; what came for its predecessor is not for it. */
int cable_plug(struct cable *c, struct cqesim_error *err);
void cable_unplug(struct cable *c);
/* Ask the kernel whether the other end's card is alive; a system call. */
void cable_look(struct cable *c);

/* ---- cable_ring.c ---- */

/* Is there a card at the other end, as of the last look? */
bool cable_is_up(struct cable *c);
/*
 * length: CQESIM_MIN_FRAME .. CABLE_FRAME_MAX.  -EAGAIN: full, not now.  Frames that nobody
 * can get are lost, and counted: 0.
 */
int cable_put(struct cable *c, const uint8_t *frame, uint32_t length);
/*
 * A copy of the next frame, and where the cable goes on behind it; its length, 0: there is
 * none.  Room: CABLE_FRAME_MAX.  The frame stays in the cable until it is taken.
 */
uint32_t cable_get(struct cable *c, uint8_t *frame, uint32_t *behind);
/* All up to there are done with: so many frames, of so many bytes. */
void cable_taken(struct cable *c, uint32_t behind, unsigned frames, uint64_t bytes);
/* Of the frames put in: those that the other side will not take any more, and may still take. */
uint64_t cable_left(struct cable *c);
uint32_t cable_on_the_way(struct cable *c);

#endif
