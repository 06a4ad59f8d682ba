/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of od and hexdump.  Their offsets have seven digits and are octal, decimal or
 * hexadecimal; which, only all of them together tell, as "*" may stand for any number
 * of rows.  So rows are kept as they come and put in their places at the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump/dump_internal.h"

bool odrows_is(const struct hexrow *row)
{
	return !row->colon && row->label_digits == 7;
}

void odrows_put(struct dump_finder *f, struct dump_open *d)
{
	const struct hexrow *row = &f->row;

	if (d->row_count == d->row_room) {
		unsigned room = d->row_room ? 2 * d->row_room : 8;
		struct dump_od_row *rows = realloc(d->rows, room * sizeof(*rows));

		if (!rows) {
			f->failed = cqesim_fail(f->err, -ENOMEM, "out of memory");
			return;
		}
		d->rows = rows;
		d->row_room = room;
	}
	if (!rows_reserve(f, d, d->size + row->count))
		return;
	d->rows[d->row_count++] = (struct dump_od_row){
		.label = {row->label, row->label_octal, row->label_decimal},
		.at = d->size,
		.count = row->count,
		.starred = d->starred,
	};
	memcpy(d->bytes + d->size, row->bytes, row->count);
	memset(d->known + d->size, 1, row->count);
	d->size += row->count;
	d->last_count = row->count;
	d->last_line = f->lines.line;
	d->starred = false;
	d->lone &= row->bare;
}

/* Do all offsets fit in this radix?  *end: behind the last row. */
static bool fits(const struct dump_open *d, unsigned radix, uint64_t *end)
{
	uint64_t at = d->rows[0].label[radix];

	for (unsigned i = 0; i < d->row_count; i++) {
		const struct dump_od_row *row = &d->rows[i];
		uint64_t label = row->label[radix];

		if (label == UINT64_MAX || (row->starred ? label < at : label != at))
			return false;
		at = label + row->count;
	}
	*end = at - d->rows[0].label[radix];
	return true;
}

static unsigned choose(const struct dump_open *d)
{
	unsigned best = 3;
	uint64_t end, best_end = 0;

	for (unsigned radix = 0; radix < 3; radix++)
		if (fits(d, radix, &end) && (best == 3 || (best_end % 64 && end % 64 == 0))) {
			best = radix;
			best_end = end;
		}
	return best;
}

/* Without a radix that fits, the rows one behind the other. */
void odrows_settle(struct dump_finder *f, struct dump_open *d)
{
	unsigned radix = d->row_count ? choose(d) : 3;
	uint64_t end;

	if (radix == 3 || !fits(d, radix, &end) || end == d->size)
		return;
	uint64_t fill = end - d->size;
	size_t packed = d->size;
	if (fill > f->fill_left || !rows_reserve(f, d, (size_t)end))
		return;
	f->fill_left -= fill;
	/* From the last row on, so that nothing is written over before it was moved. */
	for (unsigned i = d->row_count; i-- > 0;) {
		const struct dump_od_row *row = &d->rows[i];
		size_t to = (size_t)(row->label[radix] - d->rows[0].label[radix]);

		memmove(d->bytes + to, d->bytes + row->at, row->count);
	}
	for (unsigned i = 1; i < d->row_count; i++) {
		const struct dump_od_row *before = &d->rows[i - 1];
		size_t from =
			(size_t)(before->label[radix] - d->rows[0].label[radix]) + before->count;
		size_t to = (size_t)(d->rows[i].label[radix] - d->rows[0].label[radix]);

		for (size_t k = from; k < to && before->count; k++)
			d->bytes[k] = d->bytes[k - before->count];
	}
	memset(d->known + packed, 1, (size_t)end - packed);
	d->size = (size_t)end;
}
