/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this folder share.
 *
 *   node.c      the text as a tree
 *   value.c     one value: a number, a word, hex digits
 *   cqe.c       a mapping as the bytes of one completion, or of one mini
 *   entry.c     entries as ring writes: the writer of cq.h, and what is put over them
 *   describe.c  the ring's shape, the whole description
 *   walk.c      a reader at work, step by step; walk_text.c and walk_json.c tell of it
 */
#ifndef CQESIM_DESCRIBE_INTERNAL_H
#define CQESIM_DESCRIBE_INTERNAL_H

#include "cqesim/describe.h"
#include "describe/node.h"

/* For whom, and where errors go. */
struct context {
	const struct cqesim_description *d;
	struct cqesim_error *err;
};

/* -EINVAL with "file:line: key: " and the text. */
int refuse(const struct context *c, const node *n, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int no_memory(const struct context *c);

/* ---- value.c ---- */

int value_number(const struct context *c, const node *n, uint64_t low, uint64_t high, uint64_t *v);
/* yes, no, true, false, on, off */
int value_flag(const struct context *c, const node *n, bool *v);
/* One of the words; they end with NULL. */
int value_word(const struct context *c, const node *n, const char *const *words, unsigned *v);
/* What a field or part of that name may hold: a number of so many bits, or the name of a value. */
int value_field(const struct context *c, const node *n, const char *name, unsigned bits,
		uint64_t *v);
/* Hex digits, with white space as one likes, of at most max bytes. */
int value_hex(const struct context *c, const node *n, uint8_t *to, size_t max, size_t *bytes);
/* The known name that looks most like it, or NULL. */
struct guess {
	const char *word, *best;
	unsigned distance;
};
void guess_try(struct guess *g, const char *name);

/* ---- cqe.c ---- */

/* A completion that was described. */
struct made {
	const struct cqesim_layout *view;
	uint8_t cqe[64];
	uint8_t set[64];    /* bits that the description gives */
	const node *by[64]; /* the key that gave some of the byte */
	uint8_t half[64];   /* of a 128-byte slot, the first */
	uint8_t data[64];   /* inline */
	size_t data_bytes;
	bool has_half, has_data, counted; /* counted: wqe_counter is left to the ring */
	uint64_t repeat;
};

/* The keys of a plain completion, or of a session's title. */
int cqe_make(const struct context *c, const node *map, bool title, struct made *m);

/* One packet of a session or array. */
struct made_mini {
	uint8_t cqe[64]; /* as if it were a completion of its own */
	uint8_t raw[8];
	bool is_raw, counted;
};
/* The packets of a list, over what their title says.  *mini is malloced; at most max. */
int cqe_make_minis(const struct context *c, const node *list, const uint8_t title[64], uint32_t max,
		   struct made_mini **mini, uint32_t *count);
/* Fields of a view put over a slot: the tail of an array. */
int cqe_make_over(const struct context *c, const node *map, const struct cqesim_layout *view,
		  struct made *m);

/* "repeat" of a map, 1 without. */
int cqe_repeat(const struct context *c, const node *map, uint64_t *repeat);

/* ---- entry.c ---- */

/* One writing of a description. */
struct play {
	struct context c;
	const struct cqesim_description_watch *watch;
	struct cqesim_cq_writer w;
	struct cqesim_cq_reader *reader;
	uint32_t *noted; /* slots written by the entry at work, in order */
	unsigned noted_count;
	uint64_t completions;
	uint16_t counter; /* wqe_counter of the next completion that does not give its own */
	bool has_title;   /* enhanced: of the arrays to come */
	uint8_t title[64];
};
int entry_play(struct play *p, const node *entry);

/* Where mini i of a session or array lies: slots behind its first index, and the byte there. */
static inline uint32_t mini_place(enum cqesim_cq_layout layout, uint32_t i, unsigned *byte)
{
	uint32_t array = i / CQESIM_MINIS_PER_ARRAY;

	*byte = i % CQESIM_MINIS_PER_ARRAY * CQESIM_MINI_BYTES;
	if (layout == CQESIM_CQ_ENHANCED)
		return 0;
	return array ? array * CQESIM_MINIS_PER_ARRAY : 1; /* k+1, k+8, k+16 ... (cq.h) */
}

#endif
