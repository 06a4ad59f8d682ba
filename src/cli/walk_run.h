/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of cqesim walk share. */
#ifndef CQESIM_WALK_RUN_H
#define CQESIM_WALK_RUN_H

#include <stdio.h>

#include "cqesim/walk.h"

struct walk_options {
	const char *input;     /* description or capture; NULL: --ring or --synthetic */
	const char *image;     /* --ring */
	const char *synthetic; /* --synthetic */
	const char *device;
	int comp;                     /* enum cqesim_comp_choice */
	int driver;                   /* enum cqesim_invalidate; -1: not said */
	int log_size;                 /* -1: not said */
	int format;                   /* -1: not said */
	struct cqesim_cq_shape shape; /* the rest of it */
	bool shaped;                  /* a shape or ci was given, which a description has itself */
	uint32_t ci;
	uint32_t cq; /* of a card's trace; 0: of the first queue that receives */
	uint64_t packets, steps; /* 0: no limit */
	bool json, colour;
};

/* A walk and what has become of it. */
struct walking {
	const struct walk_options *o;
	const char *source;
	struct cqesim_walk *walk;
	struct cqesim_walk_step last;
	bool first; /* no step was written yet */
	bool cut;   /* ended by --packets or --steps */
};

/* Start with this ring; whatever is printed goes to standard output.  0 or a negative errno. */
int walk_begin(struct walking *k, uint8_t *ring, const struct cqesim_cq_shape *shape,
	       enum cqesim_invalidate driver, uint32_t ci, struct cqesim_error *err);
/*
 * Up to max completions, or until nothing is found.  -ECANCELED when the walk is
 * cut, -EPIPE when standard output takes no more.
 */
int walk_on(struct walking *k, uint64_t max, struct cqesim_error *err);
/* error: what ended it too early, or NULL. */
int walk_end(struct walking *k, const char *error, struct cqesim_error *err);

/* A ring at rest (walk_ring.c); exit codes. */
int walk_description(struct walking *k);
int walk_image(struct walking *k);

/* The ring of a simulation (walk_trace.c); an exit code. */
int walk_trace(struct walking *k);

/* The trace of an emulated card (walk_card.c). */
bool walk_is_card_trace(const char *file);
int walk_card(struct walking *k);

#endif
