/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Encode and decode of 64-byte CQEs: each function is a layout table of
 * cqe_layout.h, expanded once more.
 */
#include "cqesim/cqe.h"

#define MASK(bits) (~UINT64_C(0) >> (64 - (bits)))

#define DECODE(name, type, byte, bytes, shift, bits, meaning, source)                              \
	out->name = (type)(cqesim_be_load(raw + (byte), bytes) >> (shift)&MASK(bits));

/* Fields may share bytes (op_own, byte_cnt), so only their own bits change. */
#define PUT(name, type, byte, bytes, shift, bits, meaning, source)                                 \
	cqesim_be_store(raw + (byte), bytes,                                                       \
			(cqesim_be_load(raw + (byte), bytes) & ~(MASK(bits) << (shift))) |         \
				((uint64_t)in->name & MASK(bits)) << (shift));

#define FUNCTIONS(tag, table)                                                                      \
	void tag##_decode(const uint8_t raw[64], struct tag *out)                                  \
	{                                                                                          \
		table(DECODE)                                                                      \
	}                                                                                          \
	void tag##_put(const struct tag *in, uint8_t raw[64])                                      \
	{                                                                                          \
		table(PUT)                                                                         \
	}                                                                                          \
	void tag##_encode(const struct tag *in, uint8_t raw[64])                                   \
	{                                                                                          \
		memset(raw, 0, 64);                                                                \
		tag##_put(in, raw);                                                                \
	}
CQESIM_CQE_VIEWS(FUNCTIONS)

uint64_t cqesim_field_get(const struct cqesim_field *f, const uint8_t *raw)
{
	return cqesim_be_load(raw + f->byte, f->bytes) >> f->shift & MASK(f->bits);
}

void cqesim_field_set(const struct cqesim_field *f, uint8_t *raw, uint64_t value)
{
	uint64_t others = cqesim_be_load(raw + f->byte, f->bytes) & ~(MASK(f->bits) << f->shift);

	cqesim_be_store(raw + f->byte, f->bytes, others | (value & MASK(f->bits)) << f->shift);
}

void cqesim_field_mask(const struct cqesim_field *f, uint8_t mask[64])
{
	cqesim_field_set(f, mask, MASK(f->bits));
}
