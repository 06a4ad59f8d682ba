/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two halves of the device of ring_random.h share: ring_packet.c makes packets. */
#ifndef CQESIM_RING_DEVICE_H
#define CQESIM_RING_DEVICE_H

#include "ring_random.h"

/* What a place in a descriptor is for. */
enum ring_use { RING_FOR_PLAIN, RING_FOR_SESSION, RING_FOR_ERROR };

static inline bool ring_striding(const struct ring_device *d)
{
	return d->config->shape.log_stride != 0;
}

static inline bool ring_enhanced(const struct ring_device *d)
{
	return d->config->shape.layout == CQESIM_CQ_ENHANCED;
}

static inline bool ring_requester(const struct ring_device *d)
{
	return d->config->shape.format >= CQESIM_MINI_FORMATS;
}

static inline uint32_t ring_size(const struct ring_device *d)
{
	return UINT32_C(1) << d->config->shape.log_size;
}

/* Strides that the driver can still be sure to have free. */
static inline uint32_t ring_strides_left(const struct ring_device *d)
{
	return ring_striding(d) ? d->strides_free - d->strides_since : UINT32_MAX;
}

/* All that every packet of its own has; length and place come with ring_place. */
struct cqesim_completion ring_draw_packet(struct ring_device *d);
/* Length, and place in a striding RQ. */
void ring_draw_place(struct ring_device *d, struct cqesim_completion *c, enum ring_use use);
/* What a mini carries, anew; the rest stays the title's. */
void ring_draw_carried(struct ring_device *d, struct cqesim_completion *c);
/* wqe_counter of the next packet whose mini has none. */
void ring_count_on(struct ring_device *d, const struct cqesim_completion *c);

/* The 64 bytes of a completion, op_own apart. */
void ring_encode(struct ring_device *d, const struct cqesim_completion *c, uint8_t raw[64]);
/* What a reader makes of any 64 bytes that are one completion of this opcode. */
void ring_decode(const struct ring_device *d, const uint8_t raw[64], unsigned opcode,
		 struct cqesim_completion *c);
/* What a device is free to do with bytes of a mini array. */
void ring_disturb(struct ring_device *d, uint8_t array[64], unsigned minis);
void ring_random_bytes(struct ring_device *d, uint8_t *p, unsigned bytes);

#endif
