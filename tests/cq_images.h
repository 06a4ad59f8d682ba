/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion rings built by hand, for the tests of cq: the layout as the DPDK
 * and Linux drivers read it, title at k, minis 0-7 at k+1, 8-15 at k+8, 16-23 at
 * k+16 ...
 */
#ifndef CQESIM_CQ_IMAGES_H
#define CQESIM_CQ_IMAGES_H

#include <string.h>

#include "cqesim/cq.h"
#include "test_cq.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static inline void be32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

static inline uint32_t hash_of(uint32_t i)
{
	return 0x9e3779b9u * (i + 1);
}

static inline uint32_t length_of(uint32_t i)
{
	return 60 + i * 7;
}

/* Packet i: its own hash, length and WQE; what packets share is the same for all. */
static inline void packet(uint8_t cqe[64], uint32_t i)
{
	memset(cqe, 0, 64);
	be32(cqe + 12, hash_of(i));
	cqe[16] = 0x84;
	cqe[20] = 0xab;
	cqe[21] = 0xcd;
	cqe[28] = 0x07;
	cqe[29] = 0x28;
	be32(cqe + 32, 0x00012345);
	be32(cqe + 44, length_of(i));
	be32(cqe + 52, 1000000 + i);
	be32(cqe + 56, 0x00abcdef);
	cqe[60] = (uint8_t)((0x4000 + i) >> 8);
	cqe[61] = (uint8_t)i;
	cqe[63] = 0xff; /* not for the ring */
}

static inline uint8_t *slot(uint8_t *ring, unsigned log_size, uint32_t index)
{
	return ring + (index & ((1u << log_size) - 1)) * 64;
}

static inline uint8_t lap(unsigned log_size, uint32_t index)
{
	return index >> log_size & 1;
}

static inline void image_plain(uint8_t *ring, unsigned log_size, uint32_t k, uint32_t i)
{
	uint8_t *s = slot(ring, log_size, k);

	packet(s, i);
	s[63] = 0x20 | lap(log_size, k);
}

/* Packets first .. first+n-1 in format HASH; what is not written stays. */
static inline void image_session(uint8_t *ring, unsigned log_size, uint32_t k, uint32_t n,
				 uint32_t first)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t place = i < 8 ? k + 1 : k + i / 8 * 8;
		uint8_t *mini = slot(ring, log_size, place) + i % 8 * 8;

		if (i % 8 == 0)
			memset(mini, 0, 64);
		be32(mini, hash_of(first + i));
		be32(mini + 4, length_of(first + i));
	}
	uint8_t *title = slot(ring, log_size, k);
	packet(title, first);
	be32(title + 44, n);
	title[63] = 0x2c | lap(log_size, k);
}

static inline void same_ring(const uint8_t *got, const uint8_t *want, unsigned log_size,
			     const char *what)
{
	size_t bytes = (size_t)64 << log_size;

	if (memcmp(got, want, bytes) == 0)
		return;
	for (size_t i = 0; i < bytes; i++)
		if (got[i] != want[i])
			ck_abort_msg("%s: slot %zu byte %zu is %02x, not %02x", what, i / 64,
				     i % 64, got[i], want[i]);
}

static inline uint8_t *fresh(unsigned log_size)
{
	uint8_t *ring = test_cq_ring(log_size);

	cqesim_cq_init_ring(ring, &(struct cqesim_cq_shape){.log_size = log_size});
	return ring;
}

static inline struct cqesim_cq_writer writer(uint8_t *ring, unsigned log_size, uint32_t max,
					     bool cross)
{
	struct cqesim_cq_writer w;

	ck_assert_int_eq(
		cqesim_cq_writer_init(
			&w, ring,
			&(struct cqesim_cq_shape){.log_size = log_size, .format = CQESIM_MINI_HASH},
			max, cross),
		0);
	return w;
}

static inline struct cqesim_cq_reader reader(uint8_t *ring, unsigned log_size)
{
	struct cqesim_cq_reader r;

	ck_assert_int_eq(
		cqesim_cq_reader_init(
			&r, ring,
			&(struct cqesim_cq_shape){.log_size = log_size, .format = CQESIM_MINI_HASH},
			CQESIM_INVALIDATE_DPDK_SCALAR),
		0);
	return r;
}

/* Move a writer to an index, the way that it gets there in real life. */
static inline void write_up_to(struct cqesim_cq_writer *w, uint32_t index)
{
	uint8_t cqe[64];

	for (packet(cqe, 0); w->pi != index;)
		cqesim_cq_write(w, cqe, 2, 0);
}

static inline void write_session(struct cqesim_cq_writer *w, uint32_t n, uint32_t first)
{
	uint8_t cqe[64] __attribute__((aligned(64)));

	packet(cqe, first);
	ck_assert_uint_ge(cqesim_cq_session_open(w, cqe), n);
	for (uint32_t i = 1; i < n; i++) {
		packet(cqe, first + i);
		cqesim_cq_session_add(w, cqe);
	}
	ck_assert_uint_eq(w->n, n);
	ck_assert_uint_eq(cqesim_cq_session_close(w), n);
	ck_assert_uint_eq(w->n, 0);
}

#endif
