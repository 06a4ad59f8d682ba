/* SPDX-License-Identifier: BSD-3-Clause */
/* devx_layout.c - the tables of devx_fields.h as data, and contexts as text for the log. */
#include "emu/devx_layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROW(layout, field, bit, bits) {#layout, #field, bit, bits},
const struct devx_field devx_fields[] = {DEVX_FIELDS(ROW) DEVX_FIELDS_23_03(ROW)};
#undef ROW
const unsigned devx_field_count = sizeof(devx_fields) / sizeof(devx_fields[0]);

void devx_print(char *text, size_t size, const char *layout, const uint8_t *raw)
{
	size_t used = 0;

	if (size)
		text[0] = 0;
	for (unsigned i = 0; i < devx_field_count && used < size; i++) {
		const struct devx_field *f = &devx_fields[i];
		uint64_t value;

		if (strcmp(f->layout, layout) || f->bits > 64)
			continue;
		value = devx_load(raw, f->bit, f->bits);
		if (value)
			used += (size_t)snprintf(text + used, size - used,
						 value < 10 ? "%s%s=%" PRIu64 : "%s%s=0x%" PRIx64,
						 used ? " " : "", f->name, value);
	}
}
