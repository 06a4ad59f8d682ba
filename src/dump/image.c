/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dumps to completions.  Whether 128 bytes are one wide completion or two, and
 * whether bytes are a completion at all, is told by where an opcode and a syndrome
 * come to lie.
 */
#include <string.h>

#include "dump/dump_internal.h"

/* ---- items ---- */

static bool zeros(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

static bool announced(const struct dump_open *d)
{
	return d->heading_count && d->heading[0].what != HEADS_WQE;
}

static struct cqesim_dump_item *add(struct dump_finder *f, const struct dump_open *d,
				    enum cqesim_dump_kind kind)
{
	struct cqesim_dump_item *item = dump_add(f);

	if (!item)
		return NULL;
	item->kind = kind;
	item->notation = d->notation;
	item->line = d->line;
	item->last_line = d->last_line;
	item->offset = d->offset;
	item->clock = d->clock;
	item->time_ns = d->time_ns;
	return item;
}

/* What the text says of these bytes, and does it agree? */
static void merge_statement(struct cqesim_dump_item *item, const struct dump_heading *h)
{
	const struct cqesim_dump_item *s = &h->statement;

	item->flags |= CQESIM_DUMP_ANNOUNCED;
	if (!h->has_statement)
		return;
	item->source = s->source;
	item->stated = s->stated;
	if (s->line < item->line) {
		item->line = s->line;
		item->offset = s->offset;
	}
	if (s->clock != CQESIM_DUMP_NO_TIME) {
		item->clock = s->clock;
		item->time_ns = s->time_ns;
	}
	memcpy(item->device, s->device, sizeof(item->device));
}

static void check_statement(struct cqesim_dump_item *item)
{
	const struct cqesim_dump_facts *s = &item->stated;
	const uint8_t *raw = item->raw;
	unsigned opcode = raw[63] >> 4;
	bool error = opcode == CQESIM_OP_REQ_ERR || opcode == CQESIM_OP_RESP_ERR;
	uint64_t need = UINT64_C(0x80c0000000000000);

	if ((item->known & need) != need)
		return;
	if ((s->known & CQESIM_FACT_OPCODE && s->opcode != opcode) ||
	    (error && ((s->known & CQESIM_FACT_SYNDROME && s->syndrome != raw[55]) ||
		       (s->known & CQESIM_FACT_VENDOR && s->vendor_err_synd != raw[54]) ||
		       (s->known & CQESIM_FACT_STATUS && s->status < 23 &&
			cqesim_dump_status_syndrome(s->status) &&
			cqesim_dump_status_syndrome(s->status) != raw[55]))))
		item->flags |= CQESIM_DUMP_CONFLICT;
}

/* What a heading said must not get lost with the bytes that it announced. */
static void keep_statement(struct dump_finder *f, const struct dump_heading *heading)
{
	struct cqesim_dump_item *item = heading->has_statement ? dump_add(f) : NULL;

	if (item)
		*item = heading->statement;
}

static bool any_known(const struct dump_open *d, size_t from, size_t size)
{
	return memchr(d->known + from, 1, size < 64 ? size : 64);
}

/* 64 bytes (or fewer) of d from `from` on become an item; NULL if none of them stands there. */
static struct cqesim_dump_item *add_cqe(struct dump_finder *f, const struct dump_open *d,
					size_t from, size_t size)
{
	if (!any_known(d, from, size)) {
		if (d->heading_count)
			keep_statement(f, &d->heading[0]);
		return NULL;
	}
	struct cqesim_dump_item *item = add(f, d, CQESIM_DUMP_CQE);

	if (!item)
		return NULL;
	for (size_t i = 0; i < size && i < 64; i++) {
		item->raw[i] = d->bytes[from + i];
		item->known |= (uint64_t)d->known[from + i] << i;
	}
	item->size = size;
	if (d->heading_count)
		merge_statement(item, &d->heading[0]);
	else
		item->flags |= CQESIM_DUMP_BY_SHAPE;
	item->flags |= (d->surplus ? CQESIM_DUMP_SURPLUS : 0) | (d->mixed ? CQESIM_DUMP_MIXED : 0);
	check_statement(item);
	return item;
}

/* Blocks of something else one behind the other are one item, with their number. */
static bool joins_hex(struct dump_finder *f, const struct dump_open *d)
{
	struct cqesim_dump_item *last = f->out->count ? &f->out->items[f->out->count - 1] : NULL;

	if (!last || last->kind != CQESIM_DUMP_FOREIGN || last->reason != CQESIM_DUMP_HEX ||
	    last->known || last->line > d->line)
		return false;
	last->last_line = d->last_line > last->last_line ? d->last_line : last->last_line;
	last->size += d->size;
	last->value++;
	return true;
}

static void add_hex(struct dump_finder *f, const struct dump_open *d)
{
	size_t at = d->size == 128 ? 64 : 0;
	bool zero = d->size == 64 && zeros(d->bytes, 64);
	bool could_be = d->lone && !d->other && (d->size == 64 || d->size == 128) &&
			image_could_be(d->bytes + at);
	struct cqesim_dump_item *item;

	if (!zero && !could_be && joins_hex(f, d))
		return;
	item = add(f, d, CQESIM_DUMP_FOREIGN);
	if (!item)
		return;
	item->size = d->size;
	item->value = 1;
	item->reason = zero ? CQESIM_DUMP_ZEROS : CQESIM_DUMP_HEX;
	/* Should there be nothing else in the input, it was meant to be decoded. */
	for (unsigned i = 0; could_be && i < 64; i++) {
		item->raw[i] = d->bytes[at + i];
		item->known |= (uint64_t)d->known[at + i] << i;
	}
}

static void add_wqe(struct dump_finder *f, const struct dump_open *d)
{
	struct cqesim_dump_item *item = add(f, d, CQESIM_DUMP_WQE);
	const struct dump_heading *h = &d->heading[0];

	if (!item)
		return;
	merge_statement(item, h);
	item->size = d->size;
	memcpy(item->raw, d->bytes, d->size < 64 ? d->size : 64);
	item->known = d->size < 64 ? (UINT64_C(1) << d->size) - 1 : ~UINT64_C(0);
}

/* ---- rings ---- */

static void ring(struct dump_finder *f, const struct dump_open *d)
{
	uint32_t slots = (uint32_t)(d->size / 64), inside = 0;

	for (uint32_t k = 0; k < slots && !f->failed; k++) {
		if (!any_known(d, (size_t)k * 64, 64))
			continue;
		struct cqesim_dump_item *item = add_cqe(f, d, (size_t)k * 64, 64);

		if (!item)
			return;
		item->flags |= CQESIM_DUMP_IN_RING;
		item->slot = k;
		/* The statement was about one of them, not about all. */
		if (k)
			item->stated = (struct cqesim_dump_facts){0};
		if (inside) {
			item->flags |= CQESIM_DUMP_ARRAY;
			inside--;
		} else {
			inside = image_session_slots(item->raw, slots - 1 - k);
		}
	}
}

/* A statement in front of a whole ring goes to the slot that it is about. */
static void place_statement(struct dump_finder *f, const struct dump_open *d, uint32_t from)
{
	const struct dump_heading *h = &d->heading[0];
	struct cqesim_dump_item *item;

	for (uint32_t i = from; i < f->out->count; i++)
		f->out->items[i].flags &= ~(uint32_t)CQESIM_DUMP_CONFLICT;
	if (!d->heading_count || !h->has_statement || !h->statement.stated.known)
		return;
	f->out->items[from].stated = (struct cqesim_dump_facts){0};
	item = dump_add(f);
	if (item)
		*item = h->statement;
}

/* ---- several streams ---- */

/* Rows of k completions, each with the rows of the others in between? */
static bool round_robin(const struct dump_open *d, unsigned k, unsigned rows, uint8_t out[][64])
{
	if (rows != 4 * k)
		return false;
	for (unsigned i = 0; i < k; i++) {
		for (unsigned r = 0; r < 4; r++)
			memcpy(out[i] + 16 * r, d->bytes + 16 * (r * k + i), 16);
		if (image_score(out[i]) < 10)
			return false;
	}
	return true;
}

static bool in_blocks(const struct dump_open *d, unsigned k)
{
	for (unsigned i = 0; i < k; i++)
		if (image_score(d->bytes + 64 * i) < 10)
			return false;
	return true;
}

/* Only the last row of each completion can be told. */
static void tails_only(struct dump_finder *f, struct dump_open *d)
{
	unsigned stream = 0;

	for (size_t at = 0; at + 16 <= d->size; at += 16) {
		uint8_t raw[64] = {0};

		memcpy(raw + 48, d->bytes + at, 16);
		if (image_score(raw) < 10)
			continue;
		struct cqesim_dump_item *item = add(f, d, CQESIM_DUMP_CQE);
		if (!item)
			return;
		memcpy(item->raw, raw, 64);
		item->known = UINT64_C(0xffff) << 48;
		if (stream < d->heading_count)
			merge_statement(item, &d->heading[stream]);
		item->flags |= CQESIM_DUMP_MIXED;
		item->size = 16;
		stream++;
	}
	if (!stream)
		add_hex(f, d);
	for (; stream < d->heading_count; stream++)
		keep_statement(f, &d->heading[stream]);
}

static void streams(struct dump_finder *f, struct dump_open *d)
{
	uint8_t mixed[DUMP_STREAMS_MAX][64];
	unsigned k = d->size >= 64 * (size_t)d->streams ? d->streams : (unsigned)(d->size / 64);

	bool blocks = k && in_blocks(d, k);
	bool robin = !blocks && k && round_robin(d, k, (unsigned)(d->size / 16), mixed);
	if (!blocks && !robin)
		return tails_only(f, d);
	for (unsigned i = 0; i < k; i++) {
		struct dump_open one = *d;

		one.heading[0] = d->heading[i];
		one.bytes = robin ? mixed[i] : d->bytes + 64 * i;
		one.known = d->known + 64 * i;
		one.mixed = robin;
		add_cqe(f, &one, 0, 64);
	}
}

/* ---- closing ---- */

static bool ringed(const struct dump_open *d)
{
	return d->heading_count && d->heading[0].what == HEADS_RING;
}

/* One wide completion: the CQE is in the second half. */
static bool is_wide(const struct dump_open *d)
{
	if (d->size != 128 || ringed(d) || image_score(d->bytes) >= 10)
		return false;
	return announced(d) ? image_score(d->bytes + 64) >= 4 : image_is_error(d->bytes + 64);
}

static bool last_row_known(const struct dump_open *d)
{
	for (unsigned i = 52; i < 64; i++)
		if (!d->known[i])
			return false;
	return true;
}

static bool all_known(const struct dump_open *d)
{
	return !memchr(d->known, 0, d->size);
}

static void part(struct dump_finder *f, struct dump_open *d)
{
	bool shape = !d->other && d->size >= 64 && last_row_known(d) && image_is_error(d->bytes);

	/* Short, or rows are missing. */
	size_t at = 0; /* the first of them of which there is anything */

	while (at + 64 < d->size && !any_known(d, at, 64))
		at += 64;
	if (announced(d) || shape)
		add_cqe(f, d, at, d->size - at < 64 ? d->size - at : 64);
	else if (d->size >= 16 && (d->labelled || (d->lone && d->size > 32)))
		add_hex(f, d);
}

static void single(struct dump_finder *f, struct dump_open *d)
{
	if (announced(d) || (!d->other && image_is_error(d->bytes)) ||
	    (d->named && image_could_be(d->bytes)))
		add_cqe(f, d, 0, 64);
	else if (d->labelled || d->lone)
		add_hex(f, d);
}

/* Failed completions here and there in bytes of something else. */
static bool errors_only(struct dump_finder *f, const struct dump_open *d)
{
	bool any = false;

	for (size_t at = 0; at + 64 <= d->size && !f->failed; at += 64) {
		if (!image_is_error(d->bytes + at) || memchr(d->known + at, 0, 64))
			continue;
		struct cqesim_dump_item *item = add_cqe(f, d, at, 64);

		if (!item)
			return true;
		item->flags |= CQESIM_DUMP_IN_RING;
		item->slot = (uint32_t)(at / 64);
		any = true;
	}
	return any;
}

static void several(struct dump_finder *f, struct dump_open *d)
{
	uint32_t from = f->out->count;
	bool shape = !announced(d) && !d->other;

	if (is_wide(d) && (shape || announced(d))) {
		struct cqesim_dump_item *item = add_cqe(f, d, 64, 64);

		if (item)
			item->flags |= CQESIM_DUMP_WIDE;
	} else if (announced(d) || (shape && d->size > 128 && all_known(d) &&
				    image_looks_like_ring(d->bytes, d->size))) {
		ring(f, d);
		if (!f->failed)
			place_statement(f, d, from);
	} else if (!(shape && errors_only(f, d)) && (d->labelled || d->lone)) {
		add_hex(f, d);
	}
}

void image_close(struct dump_finder *f, struct dump_open *d)
{
	if (f->failed || !d->size)
		return;
	if (d->heading_count && d->heading[0].what == HEADS_WQE) {
		/* Whoever printed the completion printed this. */
		if (d->unit == 4 && f->swapped)
			image_swap(d->bytes, d->size, d->unit);
		return add_wqe(f, d);
	}
	/* A byte or two behind the last row are slips of whoever copied it. */
	if (d->surplus || (announced(d) && d->size > 64 && d->size < 72)) {
		d->surplus = true;
		d->size -= d->size % 16;
	}
	bool swap = image_swapped(d);
	if (swap) {
		image_swap(d->bytes, d->size, d->unit);
		image_swap(d->known, d->size, d->unit);
	}
	uint32_t from = f->out->count;
	f->swapped = swap;
	if (d->streams > 1)
		streams(f, d);
	else if (d->size < 64 || (d->size == 64 && !all_known(d)))
		part(f, d);
	else if (d->size == 64)
		single(f, d);
	else
		several(f, d);
	for (uint32_t i = from; swap && i < f->out->count; i++)
		if (f->out->items[i].notation != CQESIM_DUMP_NO_BYTES)
			f->out->items[i].flags |= CQESIM_DUMP_SWAPPED;
}

/* False when it is no ring, and no completion. */
bool image_binary(struct dump_finder *f, const uint8_t *in, size_t size)
{
	bool wide = size == 128 && image_could_be(in + 64) && image_score(in) < 10 &&
		    !image_could_be(in);

	if (!wide && !image_looks_like_ring(in, size))
		return false;
	for (size_t at = wide ? 64 : 0; at < size && !f->failed; at += 64) {
		struct cqesim_dump_item *item = dump_add(f);

		if (!item)
			return true;
		item->kind = CQESIM_DUMP_CQE;
		item->notation = CQESIM_DUMP_BINARY;
		item->offset = wide ? 0 : at;
		item->known = ~UINT64_C(0);
		item->size = 64;
		item->flags = CQESIM_DUMP_BY_SHAPE | (wide        ? CQESIM_DUMP_WIDE
						      : size > 64 ? CQESIM_DUMP_IN_RING
								  : 0);
		item->slot = (uint32_t)(at / 64);
		memcpy(item->raw, in + at, 64);
	}
	return true;
}
