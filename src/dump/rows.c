/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows to dumps.  A row says by its offset, or by following another one, which
 * dump it belongs to; but rows get lost, are wrapped, doubled, and mixed with those
 * of another CPU or process.  Up to DUMP_OPEN_MAX dumps are open at a time.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump/dump_internal.h"

/* Lines after which a dump that nothing is added to is over. */
#define LABELLED_GAP   400u
#define UNLABELLED_GAP 60u
/* Bytes that may be missing between two rows. */
#define MISSING_MAX 112u
/* A wrapped row goes on in the next line, or behind an empty one. */
#define WRAP_GAP 3u

/* ---- dumps ---- */

static void close_dump(struct dump_finder *f, struct dump_open *d)
{
	if (d->od)
		odrows_settle(f, d);
	image_close(f, d);
	free(d->rows);
	free(d->bytes);
	free(d->known);
	memset(d, 0, sizeof(*d));
	f->open_count--;
}

void rows_close(struct dump_finder *f, bool all)
{
	for (unsigned i = 0; i < DUMP_OPEN_MAX && f->open_count; i++) {
		struct dump_open *d = &f->open[i];
		uint64_t gap = d->labelled ? LABELLED_GAP : UNLABELLED_GAP;

		if (d->used && (all || f->lines.line - d->last_line > gap))
			close_dump(f, d);
	}
	if (all || headings_wait(f))
		headings_drop(f, all);
}

static struct dump_open *free_slot(struct dump_finder *f)
{
	struct dump_open *oldest = &f->open[0];

	for (unsigned i = 0; i < DUMP_OPEN_MAX; i++) {
		if (!f->open[i].used)
			return &f->open[i];
		if (f->open[i].last_line < oldest->last_line)
			oldest = &f->open[i];
	}
	close_dump(f, oldest);
	return oldest;
}

bool rows_reserve(struct dump_finder *f, struct dump_open *d, size_t size)
{
	if (size <= d->room)
		return true;
	size_t room = d->room ? d->room : 128;

	if (size > SIZE_MAX / 4) { /* no place that a caller should come to */
		f->failed = -ENOMEM;
		return false;
	}
	while (room < size)
		room *= 2;
	uint8_t *bytes = realloc(d->bytes, room);
	if (bytes)
		d->bytes = bytes;
	uint8_t *known = bytes ? realloc(d->known, room) : NULL;
	if (!known) {
		f->failed = -ENOMEM;
		return false;
	}
	d->known = known;
	memset(d->bytes + d->room, 0, room - d->room);
	memset(d->known + d->room, 0, room - d->room);
	d->room = room;
	return true;
}

/* Of a new dump from the same stream: what was before is over if it is whole. */
static void close_whole(struct dump_finder *f, const struct dump_open *new)
{
	for (unsigned i = 0; i < DUMP_OPEN_MAX; i++) {
		struct dump_open *d = &f->open[i];

		if (d->used && d != new && d->notation == new->notation &&
		    d->labelled == new->labelled && d->prefix == new->prefix && d->size &&
		    d->size % 64 == 0)
			close_dump(f, d);
	}
}

static struct dump_open *new_dump(struct dump_finder *f, uint32_t prefix)
{
	const struct hexrow *row = &f->row;
	struct dump_open *d = free_slot(f);

	*d = (struct dump_open){
		.used = true,
		.notation = row->notation,
		.labelled = row->labelled,
		.colon = row->colon,
		.prefixed = row->prefixed,
		.unit = row->unit,
		.label_digits = row->label_digits,
		.prefix = prefix,
		.line = f->lines.line,
		.offset = f->lines.offset,
		.clock = f->lines.clock,
		.time_ns = f->lines.stamp_ns,
		.row_bytes = row->count,
		.lone = true,
		.other = headings_other(f),
		.named = headings_named(f),
	};
	f->open_count++;
	headings_take(f, d);
	close_whole(f, d);
	return d;
}

/* ---- which one ---- */

enum fit { NO_FIT, DOUBLED, OVERLAPS, LATER, FITS };

static enum fit fit_of(const struct dump_finder *f, const struct dump_open *d, uint64_t label)
{
	const struct hexrow *row = &f->row;
	uint64_t at = label - d->base; /* a label before the base gives a place beyond everything */

	if (at == d->size)
		return FITS;
	if (label > d->last_label && at < d->size && label - d->last_label >= 8)
		return OVERLAPS;
	if (at > d->size &&
	    (at - d->size <= MISSING_MAX || (d->starred && at - d->size <= f->fill_left)))
		return LATER;
	if (label == d->last_label && at <= d->size && row->count <= d->size - at &&
	    !memcmp(d->bytes + at, row->bytes, row->count))
		return DOUBLED;
	return NO_FIT;
}

static bool same_form(const struct dump_open *d, const struct hexrow *row)
{
	return d->used && d->labelled == row->labelled && d->notation == row->notation &&
	       d->colon == row->colon && d->unit == row->unit && d->prefixed == row->prefixed;
}

static struct dump_open *find_labelled(struct dump_finder *f, uint32_t prefix, enum fit *best_fit)
{
	struct dump_open *best = NULL;
	unsigned claims = 0;

	*best_fit = NO_FIT;
	for (unsigned i = 0; i < DUMP_OPEN_MAX; i++) {
		struct dump_open *d = &f->open[i];

		if (!same_form(d, &f->row))
			continue;
		enum fit fit = fit_of(f, d, f->row.label);
		if (fit == NO_FIT || (fit == DOUBLED && headings_wait(f)))
			continue;
		/* The same stream first, then the better fit, then the one that waits longest. */
		bool same = d->prefix == prefix, best_same = best && best->prefix == prefix;
		claims += fit == FITS && same;
		if (best &&
		    (best_same > same ||
		     (best_same == same &&
		      (*best_fit > fit || (*best_fit == fit && best->last_line <= d->last_line)))))
			continue;
		best = d;
		*best_fit = fit;
	}
	for (unsigned i = 0; claims > 1 && i < DUMP_OPEN_MAX; i++) {
		struct dump_open *d = &f->open[i];

		if (same_form(d, &f->row) && d->prefix == prefix &&
		    d->base + d->size == f->row.label)
			d->mixed = true;
	}
	return best;
}

static struct dump_open *find_unlabelled(struct dump_finder *f, uint32_t prefix)
{
	struct dump_open *best = NULL;

	for (unsigned i = 0; i < DUMP_OPEN_MAX; i++) {
		struct dump_open *d = &f->open[i];

		if (same_form(d, &f->row) && d->prefix == prefix &&
		    (!best || d->last_line < best->last_line))
			best = d;
	}
	return best;
}

/* xxd -p: the last line is shorter than the others, perhaps as short as a word. */
static struct dump_open *find_digits(struct dump_finder *f, uint32_t prefix)
{
	for (unsigned i = 0; i < DUMP_OPEN_MAX; i++) {
		struct dump_open *d = &f->open[i];

		if (d->used && d->notation == CQESIM_DUMP_DIGITS && d->prefix == prefix &&
		    f->row.bare && f->row.count < d->row_bytes && f->row.count <= 8 &&
		    f->lines.line - d->last_line == 1)
			return d;
	}
	return NULL;
}

/* The rest of a row with an offset, wrapped into this line. */
static struct dump_open *find_wrapped(struct dump_finder *f)
{
	const struct hexrow *row = &f->row;

	for (unsigned i = 0; i < DUMP_OPEN_MAX; i++) {
		struct dump_open *d = &f->open[i];

		if (d->used && d->labelled && d->unit == row->unit && row->bare &&
		    d->prefixed == row->prefixed && f->lines.line - d->last_line <= WRAP_GAP &&
		    d->last_count + row->count <= 16)
			return d;
	}
	return NULL;
}

/* ---- taking a row ---- */

static void put(struct dump_finder *f, struct dump_open *d, uint64_t at)
{
	const struct hexrow *row = &f->row;
	size_t from = (size_t)at;

	if (!rows_reserve(f, d, from + row->count))
		return;
	if (from < d->size)
		d->surplus = true;
	/* "*": the row before, again and again. */
	if (d->starred && from > d->size && d->last_count) {
		uint64_t missing = from - d->size;

		for (size_t i = d->size; i < from; i++) {
			d->bytes[i] = d->bytes[i - d->last_count];
			d->known[i] = 1;
		}
		f->fill_left -= missing < f->fill_left ? missing : f->fill_left;
	}
	memcpy(d->bytes + from, row->bytes, row->count);
	memset(d->known + from, 1, row->count);
	d->size = from + row->count;
	d->last_count = row->count;
	d->last_line = f->lines.line;
	d->starred = false;
	d->lone &= row->bare;
}

static void take_labelled(struct dump_finder *f, uint32_t prefix)
{
	const struct hexrow *row = &f->row;
	enum fit fit;
	struct dump_open *d = find_labelled(f, prefix, &fit);

	if (d && fit == DOUBLED) {
		d->last_line = f->lines.line;
		return;
	}
	if (!d) {
		d = new_dump(f, prefix);
		d->base = row->label & ~UINT64_C(63);
	}
	d->last_label = row->label;
	put(f, d, row->label - d->base);
}

/* od and hexdump leave no line between their rows. */
static void take_od(struct dump_finder *f, uint32_t prefix)
{
	struct dump_open *d = NULL;

	for (unsigned i = 0; i < DUMP_OPEN_MAX && !d; i++)
		if (same_form(&f->open[i], &f->row) && f->open[i].od &&
		    f->open[i].prefix == prefix && f->lines.line - f->open[i].last_line <= WRAP_GAP)
			d = &f->open[i];
	if (d && !f->row.label) {
		close_dump(f, d);
		d = NULL;
	}
	if (!d) {
		d = new_dump(f, prefix);
		d->od = true;
	}
	odrows_put(f, d);
}

static uint64_t wanted(const struct dump_open *d)
{
	uint64_t length = d->heading_count ? d->heading[0].length : 0;

	return length > 64 ? length : 64 * (uint64_t)d->streams;
}

static void take_unlabelled(struct dump_finder *f, uint32_t prefix)
{
	const struct hexrow *row = &f->row;
	struct dump_open *d = find_wrapped(f);

	if (d) {
		unsigned before = d->last_count;

		put(f, d, d->size);
		d->last_count += before;
		return;
	}
	d = find_digits(f, prefix);
	if (!d)
		d = find_unlabelled(f, prefix);
	if (d && row->notation == CQESIM_DUMP_DIGITS && row->count >= 64)
		d = NULL; /* whole in one line */
	if (!d) {
		if (row->notation == CQESIM_DUMP_BYTES && row->count < 8 && !headings_wait(f))
			return; /* a few letters that could be hex */
		d = new_dump(f, prefix);
	}
	put(f, d, d->size);
	if (d->size >= wanted(d))
		close_dump(f, d);
}

/* A label with nothing behind it: the end of what od prints, or bytes in the next line. */
static void take_lone_label(struct dump_finder *f, uint32_t prefix)
{
	for (unsigned i = 0; i < DUMP_OPEN_MAX; i++) {
		struct dump_open *d = &f->open[i];

		if (!d->used || !d->labelled || d->colon != f->row.colon ||
		    d->label_digits != f->row.label_digits || d->prefix != prefix ||
		    f->lines.line - d->last_line > WRAP_GAP)
			continue;
		if (d->od) {
			odrows_put(f, d);
			close_dump(f, d);
		} else if (d->colon) {
			d->last_count = 0;
			d->last_line = f->lines.line;
			d->last_label = f->row.label;
		} else if (f->row.label - d->base > d->size && d->starred &&
			   f->row.label - d->base - d->size <= f->fill_left) {
			put(f, d, f->row.label - d->base); /* hexdump -C, ends with "*" */
			close_dump(f, d);
		} else {
			close_dump(f, d);
		}
		return;
	}
}

void rows_take(struct dump_finder *f)
{
	uint32_t prefix = rows_prefix(f->lines.text, f->row.start);

	prefix += tags_rank(&f->tag) * 2654435761u;
	if (f->row.repeat) {
		for (unsigned i = 0; i < DUMP_OPEN_MAX; i++)
			if (f->open[i].used && f->open[i].labelled &&
			    f->lines.line - f->open[i].last_line == 1) {
				f->open[i].starred = true;
				f->open[i].last_line = f->lines.line;
			}
	} else if (f->row.lone_label) {
		take_lone_label(f, prefix);
	} else if (f->row.labelled && odrows_is(&f->row)) {
		take_od(f, prefix);
	} else if (f->row.labelled) {
		take_labelled(f, prefix);
	} else {
		take_unlabelled(f, prefix);
	}
}
