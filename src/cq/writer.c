/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NIC's side of a completion ring: see cq.h for the layouts and the memory
 * order.
 */
#include <errno.h>

#include "cqesim/cq.h"

void cqesim_cq_init_ring(uint8_t *ring, const struct cqesim_cq_shape *shape)
{
	size_t bytes = cqesim_cq_ring_bytes(shape), slot = bytes >> shape->log_size;

	memset(ring, 0, bytes);
	for (size_t end = slot; end <= bytes; end += slot) {
		uint8_t *cqe = ring + end - CQESIM_CQE_BYTES;

		cqe[CQESIM_ITERATION_BYTE] = 0xff;
		cqe[CQESIM_OP_OWN_BYTE] = CQESIM_OP_OWN(CQESIM_OP_INVALID, 0, 1);
	}
}

int cqesim_cq_writer_init(struct cqesim_cq_writer *w, uint8_t *ring,
			  const struct cqesim_cq_shape *shape, uint32_t max, bool cross)
{
	bool enhanced = shape->layout == CQESIM_CQ_ENHANCED;

	if (!ring || (uintptr_t)ring % CQESIM_CQE_BYTES || cqesim_cq_shape_check(shape) ||
	    max < (enhanced ? 1 : 2))
		return -EINVAL;
	uint32_t size = UINT32_C(1) << shape->log_size;
	uint32_t most = enhanced && size > CQESIM_ENHANCED_MINIS ? CQESIM_ENHANCED_MINIS : size;
	*w = (struct cqesim_cq_writer){
		.ring = ring + (shape->cqe_128 ? CQESIM_CQE_BYTES : 0),
		.mask = size - 1,
		.log_size = shape->log_size,
		.log_slot = shape->cqe_128 ? 7 : 6,
		.format = shape->format,
		.layout = shape->layout,
		.cross = cross,
		.max = max < most ? max : most,
	};
	return 0;
}

void cqesim_cq_writer_seek(struct cqesim_cq_writer *w, uint32_t index)
{
	w->pi = index;
	w->has_title = false;
}

int cqesim_cq_write_inline(struct cqesim_cq_writer *w, const uint8_t cqe[64], unsigned opcode,
			   const uint8_t *data, size_t bytes)
{
	uint8_t with_data[CQESIM_CQE_BYTES];

	if (bytes <= 32) {
		memcpy(with_data, cqe, sizeof(with_data));
		memset(with_data, 0, 32);
		if (bytes)
			memcpy(with_data, data, bytes);
		cqesim_cq_write(w, with_data, opcode, CQESIM_FORMAT_INLINE_32);
		return 0;
	}
	if (bytes > 64 || w->log_slot != 7)
		return -EMSGSIZE;
	memcpy(cqesim_cq_writer_slot(w, w->pi) - CQESIM_CQE_BYTES, data, bytes);
	cqesim_cq_write(w, cqe, opcode, CQESIM_FORMAT_INLINE_64);
	return 0;
}

/* Where mini i of the open session lies: arrays at k+1, k+8, k+16 ...; enhanced: in the array. */
static uint8_t *mini_of(struct cqesim_cq_writer *w, uint32_t i)
{
	uint32_t array = i / CQESIM_MINIS_PER_ARRAY;
	uint32_t index = w->pi + (array ? array * CQESIM_MINIS_PER_ARRAY : 1);
	uint8_t *minis =
		w->layout == CQESIM_CQ_ENHANCED ? w->array : cqesim_cq_writer_slot(w, index);

	return minis + (size_t)(i % CQESIM_MINIS_PER_ARRAY) * CQESIM_MINI_BYTES;
}

/* Minis go straight to their place: in the ring, to slots that only the closed title makes visible.
 */
static void put_mini(struct cqesim_cq_writer *w, uint32_t i, const uint8_t cqe[64])
{
	uint8_t *raw = mini_of(w, i);

	if (w->format == CQESIM_MINI_HASH) {
		/* Both fields as they lie in the CQE, still big-endian. */
		memcpy(raw, cqe + 12, 4);
		memcpy(raw + 4, cqe + 44, 4);
		return;
	}
	struct cqesim_mini mini;
	cqesim_mini_from_cqe(cqe, &mini);
	mini.iteration_count = (uint8_t)((w->pi + i) >> w->log_size);
	cqesim_mini_encode(w->format, &mini, raw);
}

uint32_t cqesim_cq_session_open(struct cqesim_cq_writer *w, const uint8_t cqe[64])
{
	bool enhanced = w->layout == CQESIM_CQ_ENHANCED;
	uint32_t to_end = w->mask + 1 - (w->pi & w->mask);

	if (enhanced && !w->has_title)
		return 0;
	w->room = w->max;
	w->room_is_ring_end = false;
	if (!w->cross && to_end < w->room) {
		w->room = to_end;
		w->room_is_ring_end = true;
	}
	if (w->room < (enhanced ? 1 : 2))
		return w->room;
	if (enhanced) {
		memset(w->array, 0, sizeof(w->array));
		/* wqe_counter of the first packet, where PMD's out-of-order function looks. */
		memcpy(w->array + 60, cqe + 60, 2);
		put_mini(w, 0, cqe);
	} else {
		memcpy(w->title, cqe, CQESIM_CQE_BYTES);
	}
	w->n = 1;
	return w->room;
}

void cqesim_cq_session_add(struct cqesim_cq_writer *w, const uint8_t cqe[64])
{
	/* A lone packet is written plain (basic), so mini 0 waits until there are two. */
	if (w->n == 1 && w->layout == CQESIM_CQ_BASIC)
		put_mini(w, 0, w->title);
	put_mini(w, w->n, cqe);
	w->n++;
}

uint32_t cqesim_cq_session_close(struct cqesim_cq_writer *w)
{
	uint32_t n = w->n;
	unsigned opcode = w->format < CQESIM_MINI_FORMATS ? CQESIM_OP_RESP_SEND : CQESIM_OP_REQ;

	if (!n)
		return 0;
	w->n = 0;
	if (w->layout == CQESIM_CQ_ENHANCED) {
		cqesim_cq_publish(w, w->array, n - 1, CQESIM_FORMAT_COMPRESSED);
		w->pi += n;
		return n;
	}
	if (n == 1) {
		cqesim_cq_write(w, w->title, opcode, CQESIM_FORMAT_PLAIN);
		return 1;
	}
	/* Unused minis of the last array are 0: the vector PMD looks at their VLAN bits (L34H). */
	uint32_t used = n % CQESIM_MINIS_PER_ARRAY;
	if (used)
		memset(mini_of(w, n), 0, (CQESIM_MINIS_PER_ARRAY - used) * CQESIM_MINI_BYTES);
	if (w->observer)
		for (uint32_t i = 0; i < n; i += CQESIM_MINIS_PER_ARRAY) {
			uint32_t index = w->pi + (i ? i : 1);
			w->observer(w->observer_context, index & w->mask,
				    cqesim_cq_writer_slot(w, index));
		}
	cqesim_be_store(w->title + 44, 4, n);
	cqesim_cq_publish(w, w->title, opcode, CQESIM_FORMAT_COMPRESSED);
	w->pi += n;
	return n;
}
