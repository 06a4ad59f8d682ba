/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With --check-order: each frame that arrives gets a number, 40 bits in its source
 * address, which no hash, no checksum and no forwarding of testpmd's mode "io" looks
 * at; and what a send queue sends must have rising numbers.
 */
#include <string.h>

#include "emu/internal.h"

#define BATCH      32u
#define ROOM       65536u
#define SOURCE     6u /* offset of the address */
#define QUEUES     1024u
#define LOCAL_ADDR 0x02 /* locally administered */

static struct {
	struct cqesim_frame frame[BATCH];
	uint8_t bytes[BATCH][ROOM];
	uint64_t marked, back, out_of_order;
	uint64_t before[BATCH]; /* marked, when it came to this frame */
	uint64_t last[QUEUES];  /* by number of the send queue */
} order;

static void put_number(uint8_t *to, uint64_t number)
{
	cqesim_be_store(to, 1, number >> 32);
	cqesim_be_store(to + 1, 4, number);
}

const struct cqesim_frame *emu_order_mark(const struct cqesim_frame *frames, unsigned n)
{
	if (!emu.settings->check_order || n > BATCH)
		return frames;
	for (unsigned i = 0; i < n; i++) {
		order.frame[i] = frames[i];
		order.before[i] = order.marked;
		if (frames[i].cap_len < SOURCE + 6 || frames[i].cap_len > ROOM)
			continue;
		memcpy(order.bytes[i], frames[i].data, frames[i].cap_len);
		order.bytes[i][SOURCE] = LOCAL_ADDR;
		put_number(order.bytes[i] + SOURCE + 1, ++order.marked);
		order.frame[i].data = order.bytes[i];
		order.frame[i].kept = 0;
	}
	return order.frame;
}

void emu_order_taken(unsigned taken, unsigned n)
{
	if (emu.settings->check_order && taken < n && n <= BATCH)
		order.marked = order.before[taken];
}

/* The first bytes; false: there are not so many. */
static bool head(const struct cqesim_sent_frame *frame, uint8_t *to, uint32_t n)
{
	uint32_t done = 0;

	for (unsigned i = 0; i < frame->pieces && done < n; i++) {
		uint32_t piece = frame->piece[i].length;
		uint32_t take = piece < n - done ? piece : n - done;

		memcpy(to + done, frame->piece[i].data, take);
		done += take;
	}
	return done == n;
}

void emu_order_sent(const struct cqesim_sent_frame *frame)
{
	uint8_t bytes[SOURCE + 6];

	if (!emu.settings->check_order || !head(frame, bytes, sizeof(bytes)) ||
	    bytes[SOURCE] != LOCAL_ADDR)
		return;
	uint64_t number =
		cqesim_be_load(bytes + SOURCE + 1, 1) << 32 | cqesim_be_load(bytes + SOURCE + 2, 4);
	if (!number || number > order.marked) /* a packet of the program's own */
		return;
	order.back++;
	uint64_t *last = &order.last[frame->sqn % QUEUES];
	if (number <= *last)
		order.out_of_order++;
	else
		*last = number;
}

void emu_order_forget(uint32_t sqn)
{
	order.last[sqn % QUEUES] = 0;
}

void emu_order_statistics(struct emu_statistics *s)
{
	s->marked = order.marked;
	s->back = order.back;
	s->out_of_order = order.out_of_order;
}
