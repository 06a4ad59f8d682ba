/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devx_layout.h - reading and writing fields of firmware commands by name:
 * DEVX_GET(raw, cqc, log_cq_size).  The tables are in devx_fields.h.
 */
#ifndef CQESIM_DEVX_LAYOUT_H
#define CQESIM_DEVX_LAYOUT_H

#include "cqesim/cqe.h"
#include "emu/devx_fields.h"

#define DEVX_FIELD_PLACE(layout, field, bit, bits)                                                 \
	DEVX_AT_##layout##_##field = (bit), DEVX_BITS_##layout##_##field = (bits),
enum {
	DEVX_ENVELOPE(DEVX_FIELD_PLACE) DEVX_FIELDS(DEVX_FIELD_PLACE)
		DEVX_FIELDS_23_03(DEVX_FIELD_PLACE) DEVX_FIELDS_24_07(DEVX_FIELD_PLACE)
			DEVX_LINUX_FIELDS(DEVX_FIELD_PLACE)
};
#undef DEVX_FIELD_PLACE

#define DEVX_LAYOUT_BYTES(layout, bytes) DEVX_BYTES_##layout = (bytes),
enum { DEVX_LAYOUTS(DEVX_LAYOUT_BYTES) DEVX_LAYOUTS_24_07(DEVX_LAYOUT_BYTES) };
#undef DEVX_LAYOUT_BYTES

/* No field lies across two dwords, but those that are two. */
#define DEVX_FIELD_FITS(layout, field, bit, bits)                                                  \
	_Static_assert((bits) > 32 ? (bit) % 32 == 0 && (bits) % 32 == 0                           \
				   : (bit) % 32 + (bits) <= 32,                                    \
		       #layout "." #field);
DEVX_ENVELOPE(DEVX_FIELD_FITS)
DEVX_FIELDS(DEVX_FIELD_FITS)
DEVX_FIELDS_23_03(DEVX_FIELD_FITS)
DEVX_FIELDS_24_07(DEVX_FIELD_FITS)
DEVX_LINUX_FIELDS(DEVX_FIELD_FITS)
#undef DEVX_FIELD_FITS

static inline uint64_t devx_load(const uint8_t *raw, unsigned bit, unsigned bits)
{
	const uint8_t *dword = raw + bit / 32 * 4;

	if (bits == 64)
		return cqesim_be_load(dword, 8);
	return cqesim_be_load(dword, 4) >> (32 - bit % 32 - bits) & (UINT64_MAX >> (64 - bits));
}

/* The value is cut to the field. */
static inline void devx_store(uint8_t *raw, unsigned bit, unsigned bits, uint64_t value)
{
	uint8_t *dword = raw + bit / 32 * 4;
	unsigned shift = 32 - bit % 32 - (bits == 64 ? 32 : bits);
	uint64_t mask = (UINT64_MAX >> (64 - bits)) << shift;

	if (bits == 64)
		cqesim_be_store(dword, 8, value);
	else
		cqesim_be_store(dword, 4,
				(cqesim_be_load(dword, 4) & ~mask) | (value << shift & mask));
}

#define DEVX_GET(raw, layout, field)                                                               \
	devx_load(raw, DEVX_AT_##layout##_##field, DEVX_BITS_##layout##_##field)
#define DEVX_SET(raw, layout, field, value)                                                        \
	devx_store(raw, DEVX_AT_##layout##_##field, DEVX_BITS_##layout##_##field, value)
/* A place in a layout: the bytes of a context or a key. */
#define DEVX_PART(raw, layout, field) ((raw) + DEVX_AT_##layout##_##field / 8)

/* The tables as data. */
struct devx_field {
	const char *layout, *name;
	uint16_t bit, bits;
};
extern const struct devx_field devx_fields[];
extern const unsigned devx_field_count;

/*
 * "name=value ..." of all numbers of a layout that are not 0, in hexadecimal from 10 on; cut to
 * `size` with its final 0.  raw has the layout's bytes.
 */
void devx_print(char *text, size_t size, const char *layout, const uint8_t *raw);

#endif
