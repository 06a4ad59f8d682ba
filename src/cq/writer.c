/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NIC's side of a completion ring, basic layout: see cq.h for the layout
 * and the memory order.
 */
#include <errno.h>

#include "cqesim/cq.h"

void cqesim_cq_init_ring(uint8_t *ring, unsigned log_size)
{
	size_t slots = (size_t)1 << log_size;

	memset(ring, 0, slots * CQESIM_CQE_BYTES);
	for (size_t i = 0; i < slots; i++)
		ring[i * CQESIM_CQE_BYTES + CQESIM_OP_OWN_BYTE] =
			CQESIM_OP_OWN(CQESIM_OP_INVALID, 0, 1);
}

int cqesim_cq_writer_init(struct cqesim_cq_writer *w, uint8_t *ring, unsigned log_size,
			  enum cqesim_mini_format format, uint32_t max, bool cross)
{
	if (!ring || (uintptr_t)ring % CQESIM_CQE_BYTES || log_size > CQESIM_CQ_LOG_MAX ||
	    max < 2 || (unsigned)format >= CQESIM_MINI_FORMATS)
		return -EINVAL;
	uint32_t size = UINT32_C(1) << log_size;
	*w = (struct cqesim_cq_writer){
		.ring = ring,
		.mask = size - 1,
		.log_size = log_size,
		.format = format,
		.cross = cross,
		.max = max < size ? max : size,
	};
	return 0;
}

static uint8_t *slot_of(const struct cqesim_cq_writer *w, uint32_t index)
{
	return w->ring + (size_t)(index & w->mask) * CQESIM_CQE_BYTES;
}

/* Where mini i of the open session lies: arrays at k+1, k+8, k+16 ... */
static uint8_t *mini_of(const struct cqesim_cq_writer *w, uint32_t i)
{
	uint32_t array = i / CQESIM_MINIS_PER_ARRAY;
	uint32_t index = w->pi + (array ? array * CQESIM_MINIS_PER_ARRAY : 1);

	return slot_of(w, index) + (size_t)(i % CQESIM_MINIS_PER_ARRAY) * CQESIM_MINI_BYTES;
}

uint32_t cqesim_cq_session_open(struct cqesim_cq_writer *w, const uint8_t cqe[64])
{
	uint32_t to_end = w->mask + 1 - (w->pi & w->mask);

	w->room = w->max;
	w->room_is_ring_end = false;
	if (!w->cross && to_end < w->room) {
		w->room = to_end;
		w->room_is_ring_end = true;
	}
	if (w->room < 2)
		return w->room;
	memcpy(w->title, cqe, CQESIM_CQE_BYTES);
	w->n = 1;
	return w->room;
}

/* Minis go straight to their place in the ring: slots that only the closed title makes visible. */
static void put_mini(struct cqesim_cq_writer *w, uint32_t i, const uint8_t cqe[64])
{
	uint8_t *raw = mini_of(w, i);

	if (w->format == CQESIM_MINI_HASH) {
		/* Both fields as they lie in the CQE, still big-endian. */
		memcpy(raw, cqe + 12, 4);
		memcpy(raw + 4, cqe + 44, 4);
		return;
	}
	struct cqesim_mini mini = {
		.byte_cnt = cqesim_cqe_get_byte_cnt(cqe),
		.flow_tag = cqesim_cqe_get_flow_tag(cqe),
		.csum = cqesim_cqe_get_csum(cqe),
		.stride_index = cqesim_cqe_get_wqe_counter(cqe),
		.l4_l3_hdr_type = cqesim_cqe_get_l4_l3_hdr_type(cqe),
	};
	cqesim_mini_encode(w->format, &mini, raw);
}

void cqesim_cq_session_add(struct cqesim_cq_writer *w, const uint8_t cqe[64])
{
	/* A lone packet is written plain, so mini 0 waits until there are two. */
	if (w->n == 1)
		put_mini(w, 0, w->title);
	put_mini(w, w->n, cqe);
	w->n++;
}

uint32_t cqesim_cq_session_close(struct cqesim_cq_writer *w)
{
	uint32_t n = w->n;

	if (!n)
		return 0;
	w->n = 0;
	if (n == 1) {
		cqesim_cq_write(w, w->title, CQESIM_OP_RESP_SEND, CQESIM_FORMAT_PLAIN);
		return 1;
	}
	/* Unused minis of the last array are 0: the vector PMD looks at their VLAN bits (L34H). */
	uint32_t used = n % CQESIM_MINIS_PER_ARRAY;
	if (used)
		memset(mini_of(w, n), 0, (CQESIM_MINIS_PER_ARRAY - used) * CQESIM_MINI_BYTES);
	if (w->observer)
		for (uint32_t i = 0; i < n; i += CQESIM_MINIS_PER_ARRAY) {
			uint32_t index = w->pi + (i ? i : 1);
			w->observer(w->observer_context, index & w->mask, slot_of(w, index));
		}
	cqesim_be_store(w->title + 44, 4, n);
	cqesim_cq_publish(w, w->title, CQESIM_OP_RESP_SEND, CQESIM_FORMAT_COMPRESSED);
	w->pi += n;
	return n;
}
