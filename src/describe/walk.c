/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader of cq.h asked for one completion at a time, with the ring's bytes
 * before and after.  Whatever is said about a step comes from what the reader
 * returned and from the tables of cqe.h; there is no second decoder here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cqesim/walk.h"
#include "describe/internal.h"

const char *cqesim_walk_kind_name(enum cqesim_walk_kind kind)
{
	static const char *const name[CQESIM_WALK_KINDS] = {"stop",  "plain", "title",
							    "array", "mini",  "fault"};
	return (unsigned)kind < CQESIM_WALK_KINDS ? name[kind] : "unknown";
}

static size_t slot_bytes(const struct cqesim_walk *w)
{
	return (size_t)1 << w->reader.log_slot;
}

int cqesim_walk_create(struct cqesim_walk **out, uint8_t *ring, const struct cqesim_cq_shape *shape,
		       enum cqesim_invalidate driver, uint32_t ci, struct cqesim_error *err)
{
	struct cqesim_walk *w = calloc(1, sizeof(*w));

	*out = w;
	if (!w)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	int rc = cqesim_cq_reader_init(&w->reader, ring, shape, driver);
	if (rc)
		return cqesim_fail(err, rc, "no such ring or driver");
	size_t bytes = cqesim_cq_ring_bytes(shape);
	w->shape = *shape;
	w->ring = ring;
	w->time_ps = UINT64_MAX;
	w->before = malloc(bytes);
	if (!w->before)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	memcpy(w->before, ring, bytes);
	cqesim_cq_reader_seek(&w->reader, ci);
	return 0;
}

void cqesim_walk_destroy(struct cqesim_walk *w)
{
	if (!w)
		return;
	free(w->before);
	free(w->change);
	free(w->wrote);
	free(w);
}

void cqesim_walk_time(struct cqesim_walk *w, uint64_t now_ps)
{
	w->time_ps = now_ps;
}

/* Make room for one more; *list may move. */
static int grow(void *list, uint32_t count, uint32_t *room, size_t size)
{
	void *old, *grown;

	if (count < *room)
		return 0;
	memcpy(&old, list, sizeof(old));
	uint32_t more = *room ? 2 * *room : 64;
	grown = realloc(old, more * size);
	if (!grown)
		return -ENOMEM;
	memcpy(list, &grown, sizeof(grown));
	*room = more;
	return 0;
}

int cqesim_walk_wrote(struct cqesim_walk *w, uint32_t slot)
{
	size_t at = (size_t)(slot & w->reader.mask) << w->reader.log_slot;

	if (w->wrote_taken)
		w->wrote_count = 0;
	w->wrote_taken = false;
	int rc = grow(&w->wrote, w->wrote_count, &w->wrote_room, sizeof(*w->wrote));
	if (rc)
		return rc;
	w->wrote[w->wrote_count++] = slot & w->reader.mask;
	memcpy(w->before + at, w->ring + at, slot_bytes(w));
	return 0;
}

/* What is not as it was in a slot. */
static int compare_slot(struct cqesim_walk *w, uint32_t slot)
{
	size_t at = (size_t)slot << w->reader.log_slot;
	uint8_t *before = w->before + at, *now = w->ring + at;

	if (!memcmp(before, now, slot_bytes(w)))
		return 0;
	for (unsigned i = 0; i < slot_bytes(w); i++) {
		if (before[i] == now[i])
			continue;
		int rc = grow(&w->change, w->changes, &w->change_room, sizeof(*w->change));
		if (rc)
			return rc;
		w->change[w->changes++] = (struct cqesim_walk_change){
			.slot = slot, .byte = (uint8_t)i, .from = before[i], .to = now[i]};
		before[i] = now[i];
	}
	return 0;
}

/*
 * Slots are rewritten when they are given back, so it is those before the new
 * consumer index that are compared; at a stop it is the whole ring, so that
 * nothing goes unseen.
 */
static int compare(struct cqesim_walk *w, uint32_t from, uint32_t to, bool all)
{
	uint32_t slots = w->reader.mask + 1, n = all || to - from > slots ? slots : to - from;
	int rc = 0;

	w->changes = 0;
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = compare_slot(w, (from + i) & w->reader.mask);
	return rc;
}

static void look(const struct cqesim_walk *w, struct cqesim_walk_step *s)
{
	const struct cqesim_cq_reader *r = &w->reader;
	const uint8_t *cqe;

	*s = (struct cqesim_walk_step){
		.number = w->steps,
		.ci = r->ci,
		.slot = r->ci & r->mask,
		.lap = r->ci >> r->log_size,
		.time_ps = w->time_ps,
	};
	cqe = r->ring + ((size_t)s->slot << r->log_slot);
	s->op_own = cqe[CQESIM_OP_OWN_BYTE];
	s->count = cqe[CQESIM_ITERATION_BYTE];
	s->count_wanted = (uint8_t)s->lap;
	s->owner_wanted = s->lap & CQESIM_OWNER_MASK;
	s->byte_cnt = cqesim_cqe_get_byte_cnt(cqe);
}

/* Where the packet's mini lies, and its bytes. */
static void find_mini(const struct cqesim_walk *w, struct cqesim_walk_step *s, uint32_t n,
		      uint32_t i)
{
	unsigned byte;
	uint32_t index = s->ci + mini_place(w->shape.layout, i, &byte);

	s->session_n = n;
	s->session_i = i;
	s->mini_slot = index & w->reader.mask;
	s->mini_byte = (uint8_t)byte;
	/* As it was: the reader may have given the slot back and written over the last one. */
	size_t at = (size_t)s->mini_slot << w->reader.log_slot;
	const uint8_t *cqe = w->before + at + slot_bytes(w) - CQESIM_CQE_BYTES;
	memcpy(s->mini, cqe + byte, sizeof(s->mini));
}

static void conclude(struct cqesim_walk *w, struct cqesim_walk_step *s, int got, uint32_t n)
{
	const struct cqesim_completion *c = &s->completion;

	if (got < 0) {
		s->kind = CQESIM_WALK_FAULT;
		w->faults++;
		if (s->fault.kind == CQESIM_CQ_FAULT_MINI_LENGTH)
			find_mini(w, s, n, s->fault.mini);
	} else if (!got) {
		s->kind = CQESIM_WALK_STOP;
	} else if (!c->session_n) {
		s->kind = CQESIM_WALK_PLAIN;
	} else {
		s->kind = c->session_i                         ? CQESIM_WALK_MINI
			  : w->shape.layout == CQESIM_CQ_BASIC ? CQESIM_WALK_TITLE
							       : CQESIM_WALK_ARRAY;
		find_mini(w, s, c->session_n, c->session_i);
	}
	w->packets += got > 0;
}

int cqesim_walk_step(struct cqesim_walk *w, struct cqesim_walk_step *s)
{
	struct cqesim_cq_reader *r = &w->reader;

	w->steps++;
	look(w, s);
	uint32_t n = r->n;
	/* Should already its first mini be at fault, the entry tells how many there were to be. */
	if (!n)
		n = w->shape.layout == CQESIM_CQ_BASIC ? s->byte_cnt : (s->op_own >> 4) + 1u;
	int got = cqesim_cq_poll(r, &s->completion, 1, &s->fault);
	conclude(w, s, got, n);
	s->ci_after = r->ci;
	s->left = r->n ? r->n - r->i : 0;
	int rc = compare(w, s->ci, r->ci, !got);
	s->change = w->change;
	s->changes = w->changes;
	if (!w->wrote_taken) {
		s->wrote = w->wrote;
		s->wrote_count = w->wrote_count;
	}
	w->wrote_taken = true;
	return rc;
}
