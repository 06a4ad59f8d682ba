/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames in a cable: see cable.h. */
#include <errno.h>
#include <string.h>

#include "cqesim/trace.h"
#include "emu/cable.h"

#define MASK (CABLE_SLOTS - 1)

bool cable_is_up(struct cable *c)
{
	uint32_t card = atomic_load_explicit(&c->file->end[!c->end].card, memory_order_acquire);

	if (card != c->partner)
		cable_look(c);
	return c->partner_alive;
}

/* Not more than there is room for, whatever the other side says. */
static uint32_t used(const struct cable *c)
{
	uint32_t tail = atomic_load_explicit(&c->file->ring[c->end].tail, memory_order_acquire);
	uint32_t n = c->head - tail;

	return n < CABLE_SLOTS ? n : CABLE_SLOTS;
}

int cable_put(struct cable *c, const uint8_t *frame, uint32_t length)
{
	struct cable_ring *ring = &c->file->ring[c->end];

	if (!cable_is_up(c)) {
		c->counts.down++;
		c->waiting = false;
		return 0;
	}
	if (used(c) == CABLE_SLOTS) {
		c->counts.waits += !c->waiting;
		c->waiting = true;
		return -EAGAIN;
	}
	struct cable_slot *slot = &ring->slot[c->head & MASK];
	slot->length = length;
	memcpy(slot->data, frame, length);
	atomic_store_explicit(&ring->head, ++c->head, memory_order_release);
	c->waiting = false;
	c->counts.out++;
	c->counts.out_bytes += length;
	return 0;
}

uint32_t cable_get(struct cable *c, uint8_t *frame, uint32_t *behind)
{
	struct cable_ring *ring = &c->file->ring[!c->end];
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
	uint32_t length = 0;

	if (head == c->tail)
		return 0;
	if (head - c->tail > CABLE_SLOTS) { /* no sender of ours did that */
		c->counts.damaged++;
		c->tail = head;
		atomic_store_explicit(&ring->tail, head, memory_order_release);
	}
	while (!length && c->tail != head) {
		const struct cable_slot *slot = &ring->slot[c->tail++ & MASK];

		/* Once: what stands there may change. */
		length = *(const volatile uint32_t *)&slot->length;
		if (length < CQESIM_MIN_FRAME || length > CABLE_FRAME_MAX) {
			c->counts.damaged++;
			length = 0;
			continue;
		}
		memcpy(frame, slot->data, length);
	}
	*behind = c->tail;
	if (!length) /* nothing but damaged entries */
		atomic_store_explicit(&ring->tail, c->tail, memory_order_release);
	return length;
}

void cable_taken(struct cable *c, uint32_t behind, unsigned frames, uint64_t bytes)
{
	c->counts.in += frames;
	c->counts.in_bytes += bytes;
	atomic_store_explicit(&c->file->ring[!c->end].tail, behind, memory_order_release);
}

uint64_t cable_left(struct cable *c)
{
	struct cable_ring *ring = &c->file->ring[c->end];
	uint64_t left = atomic_load_explicit(&ring->left, memory_order_relaxed) - c->left_before;

	left += cable_is_up(c) ? 0 : used(c);
	return left < c->counts.out ? left : c->counts.out; /* not a predecessor's */
}

uint32_t cable_on_the_way(struct cable *c)
{
	return cable_is_up(c) ? used(c) : 0;
}
