/* SPDX-License-Identifier: BSD-3-Clause */
/* The input, line by line, to items in order. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump/dump_internal.h"

/* Bytes for which "*" may stand, in all. */
#define FILL_MAX (UINT64_C(2) << 20)
/* Items and lines back in which the same error may have been told already. */
#define SAME_ITEMS 12u
#define SAME_LINES 60u

struct cqesim_dump_item *dump_add(struct dump_finder *f)
{
	struct cqesim_dump *out = f->out;

	if (f->failed)
		return NULL;
	if (out->count == CQESIM_DUMP_MAX_ITEMS) {
		f->failed = -E2BIG; /* the rest is not looked at: see unread */
		return NULL;
	}
	if (out->count == f->room) {
		uint32_t room = f->room ? 2 * f->room : 16;
		struct cqesim_dump_item *items = realloc(out->items, room * sizeof(*items));

		if (!items) {
			f->failed = cqesim_fail(f->err, -ENOMEM, "out of memory");
			return NULL;
		}
		out->items = items;
		f->room = room;
	}
	struct cqesim_dump_item *item = &out->items[out->count++];
	memset(item, 0, sizeof(*item));
	item->same_as = CQESIM_DUMP_NONE;
	return item;
}

/* Text has few control characters; a ring has little else. */
static bool is_binary(const uint8_t *in, size_t size)
{
	size_t strange = 0;

	for (size_t i = 0; i < size; i++)
		strange += in[i] < 0x20 && !(in[i] >= '\t' && in[i] <= '\r') && in[i] != 033;
	return strange > size / 8;
}

static bool is_empty(const struct dump_lines *l)
{
	for (size_t i = 0; i < l->length; i++)
		if (isalnum((unsigned char)l->text[i]))
			return false;
	return true;
}

static void take_line(struct dump_finder *f)
{
	const char *text = f->lines.text;

	tags_strip(&f->lines, &f->tag);
	f->ranks[f->lines.line % 64] = tags_rank(&f->tag);
	size_t length = f->lines.length;
	rows_close(f, false);
	if (hexrow_parse(text, length, &f->row)) {
		statement_flush(f, true);
		rows_take(f);
		/* Somebody else's line may be glued to the end of a row. */
		if (f->row.end < length && length - f->row.end > 20 && text[f->row.end] != '|')
			statement_take(f, text + f->row.end, length - f->row.end);
		return;
	}
	if (is_empty(&f->lines))
		return;
	f->text_lines++;
	f->before_line = f->lines.line;
	f->before_length = length < sizeof(f->before) ? length : sizeof(f->before);
	memcpy(f->before, text, f->before_length);
	if (!counter_take(f))
		statement_take(f, text, length);
}

static int by_place(const void *a, const void *b)
{
	const struct cqesim_dump_item *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->same_as < y->same_as ? -1 : 1; /* in one line: as they were found */
}

static void sort(struct cqesim_dump *dump)
{
	for (uint32_t i = 0; i < dump->count; i++)
		dump->items[i].same_as = i;
	qsort(dump->items, dump->count, sizeof(*dump->items), by_place);
	for (uint32_t i = 0; i < dump->count; i++)
		dump->items[i].same_as = CQESIM_DUMP_NONE;
}

#define DIFFER(fact, field) (both & (fact) && a.field != b.field)

/* Is there nothing in which they differ, and do both name the queue? */
static bool agree(const struct cqesim_dump_item *x, const struct cqesim_dump_item *y)
{
	struct cqesim_dump_facts a, b;

	cqesim_dump_facts(x, &a);
	cqesim_dump_facts(y, &b);
	uint32_t both = a.known & b.known;

	return cqesim_dump_is_error(x) && cqesim_dump_is_error(y) &&
	       !(DIFFER(CQESIM_FACT_SYNDROME, syndrome) ||
		 DIFFER(CQESIM_FACT_VENDOR, vendor_err_synd) || DIFFER(CQESIM_FACT_QPN, qpn) ||
		 DIFFER(CQESIM_FACT_WQE, wqe_index) || DIFFER(CQESIM_FACT_OPCODE, opcode) ||
		 DIFFER(CQESIM_FACT_SEND_OPCODE, send_opcode)) &&
	       both & CQESIM_FACT_QPN;
}

/* A statement that repeats, in other words, an error told before. */
static bool repeats(const struct cqesim_dump_item *item, const struct cqesim_dump_item *before)
{
	struct cqesim_dump_facts a, b;
	uint64_t apart = item->line - before->last_line;

	if (!cqesim_dump_is_error(before) || before->same_as != CQESIM_DUMP_NONE ||
	    apart > SAME_LINES ||
	    (*item->device && *before->device && strcmp(item->device, before->device)))
		return false;
	if (item->source == before->source && before->kind == CQESIM_DUMP_STATEMENT)
		return false; /* the same program says it again: another one */
	cqesim_dump_facts(item, &a);
	cqesim_dump_facts(before, &b);
	uint32_t both = a.known & b.known;

	if (DIFFER(CQESIM_FACT_SYNDROME, syndrome) || DIFFER(CQESIM_FACT_VENDOR, vendor_err_synd) ||
	    DIFFER(CQESIM_FACT_QPN, qpn) || DIFFER(CQESIM_FACT_WQE, wqe_index) ||
	    DIFFER(CQESIM_FACT_OPCODE, opcode) || DIFFER(CQESIM_FACT_SEND_OPCODE, send_opcode))
		return false;
	/* The same queue; or close by, the same error, and nothing that speaks against it. */
	return both & CQESIM_FACT_QPN ||
	       (apart <= SAME_LINES / 5 && both & (CQESIM_FACT_SYNDROME | CQESIM_FACT_VENDOR));
}

/* "ERR CQE on RQ: 0x1180" may stand before the completion it is about. */
static uint32_t foretells(const struct cqesim_dump *dump, uint32_t i)
{
	const struct cqesim_dump_item *item = &dump->items[i];
	const uint32_t codes = CQESIM_FACT_SYNDROME | CQESIM_FACT_VENDOR | CQESIM_FACT_STATUS;
	struct cqesim_dump_facts f;

	if (item->stated.known & codes || !(item->stated.known & CQESIM_FACT_QPN))
		return CQESIM_DUMP_NONE;
	for (uint32_t k = i + 1; k < dump->count && k <= i + 3; k++) {
		cqesim_dump_facts(&dump->items[k], &f);
		if (cqesim_dump_is_error(&dump->items[k]) && f.known & codes &&
		    f.known & CQESIM_FACT_QPN && f.qpn == item->stated.qpn &&
		    dump->items[k].line - item->line < SAME_LINES)
			return k;
	}
	return CQESIM_DUMP_NONE;
}

/* DPDK tells of one completion and then prints the whole ring. */
static void find_in_rings(struct cqesim_dump *dump)
{
	struct cqesim_dump_item *told = NULL;
	struct cqesim_dump_facts f;

	for (uint32_t i = 0; i < dump->count; i++) {
		struct cqesim_dump_item *item = &dump->items[i];

		if (item->kind == CQESIM_DUMP_STATEMENT && item->source == CQESIM_DUMP_BY_DPDK)
			told = item;
		if (!told || !(item->flags & CQESIM_DUMP_IN_RING) || !cqesim_dump_is_error(item))
			continue;
		cqesim_dump_facts(item, &f);
		if (f.syndrome == told->stated.syndrome && f.wqe_index == told->stated.wqe_index) {
			told->same_as = i;
			told = NULL;
		}
	}
}

/* A program's line may come out before the bytes that it is about. */
static uint32_t told_behind(const struct cqesim_dump *dump, uint32_t i)
{
	const struct cqesim_dump_item *item = &dump->items[i];

	for (uint32_t k = i + 1; k < dump->count && k <= i + 3; k++) {
		const struct cqesim_dump_item *behind = &dump->items[k];

		if (behind->line - item->line <= SAME_LINES / 5 &&
		    behind->kind == CQESIM_DUMP_CQE && item->stated.known & CQESIM_FACT_QPN &&
		    (behind->known >> 57 & 7) == 7 && agree(item, behind))
			return k;
	}
	return CQESIM_DUMP_NONE;
}

static void find_repeats(struct cqesim_dump *dump)
{
	find_in_rings(dump);
	for (uint32_t i = 0; i < dump->count; i++) {
		struct cqesim_dump_item *item = &dump->items[i];

		if (item->kind != CQESIM_DUMP_STATEMENT || item->same_as != CQESIM_DUMP_NONE)
			continue;
		item->same_as = foretells(dump, i);
		if (item->same_as != CQESIM_DUMP_NONE)
			continue;
		for (uint32_t back = 1; back <= SAME_ITEMS && back <= i; back++)
			if (repeats(item, &dump->items[i - back])) {
				item->same_as = i - back;
				break;
			}
		if (item->same_as == CQESIM_DUMP_NONE)
			item->same_as = told_behind(dump, i);
	}
}

/* Nothing but completions' bytes in the whole input: whoever asks means them. */
static void take_what_there_is(struct dump_finder *f)
{
	struct cqesim_dump *out = f->out;

	for (uint32_t i = 0; i < out->count; i++) {
		const struct cqesim_dump_item *item = &out->items[i];

		if (f->text_lines || (item->kind != CQESIM_DUMP_CQE &&
				      (item->reason != CQESIM_DUMP_HEX || ~item->known)))
			return;
	}
	for (uint32_t i = 0; i < out->count; i++) {
		struct cqesim_dump_item *item = &out->items[i];

		if (item->kind == CQESIM_DUMP_CQE)
			continue;
		item->kind = CQESIM_DUMP_CQE;
		item->reason = CQESIM_DUMP_NO_REASON;
		item->value = 0;
		item->flags |= CQESIM_DUMP_BY_SHAPE | (item->size == 128 ? CQESIM_DUMP_WIDE : 0);
	}
}

/* What is left of such bytes is something else: blocks behind each other are one item. */
static void join_hex(struct cqesim_dump *dump)
{
	struct cqesim_dump_item *last = NULL;
	uint32_t to = 0;

	for (uint32_t i = 0; i < dump->count; i++) {
		struct cqesim_dump_item *item = &dump->items[i];
		bool hex = item->kind == CQESIM_DUMP_FOREIGN && item->reason == CQESIM_DUMP_HEX;

		if (hex) {
			item->known = 0;
			memset(item->raw, 0, sizeof(item->raw));
		}
		if (hex && last) {
			if (item->last_line > last->last_line)
				last->last_line = item->last_line;
			last->size += item->size;
			last->value += item->value;
			continue;
		}
		if (to != i)
			dump->items[to] = *item;
		last = hex ? &dump->items[to] : NULL;
		to++;
	}
	dump->count = to;
}

/* There was no room for what the line before pos tells: it and the rest are left. */
static void count_unread(struct dump_finder *f, const uint8_t *in, size_t size)
{
	uint64_t left = f->out->lines - (f->lines.line - 1), more = 0;

	for (size_t i = f->lines.pos; i < size; i++)
		more += in[i] == '\n' && i + 1 < size;
	/* Behind the line that ends the input nothing begins. */
	if (f->lines.pos < size && in[size - 1] == '\n')
		more++;
	f->out->lines += more;
	f->out->unread = left + more;
}

static int run(struct dump_finder *f, const uint8_t *in, size_t size)
{
	dump_lines_begin(&f->lines, in, size);
	while (!f->failed && dump_lines_next(&f->lines))
		take_line(f);
	statement_flush(f, false);
	rows_close(f, true);
	f->out->lines = f->lines.number - (size && in[size - 1] == '\n');
	if (f->failed && f->failed != -E2BIG)
		return f->failed;
	if (f->failed)
		count_unread(f, in, size);
	if (f->out->count)
		sort(f->out);
	take_what_there_is(f);
	join_hex(f->out);
	find_repeats(f->out);
	return 0;
}

int cqesim_dump_find(struct cqesim_dump *dump, const void *input, uint64_t size,
		     struct cqesim_error *err)
{
	const uint8_t *in = input;
	struct dump_finder *f;
	int ret = 0;

	memset(dump, 0, sizeof(*dump));
	dump->bytes = size;
	if (size > CQESIM_DUMP_MAX_BYTES)
		return cqesim_fail(
			err, -E2BIG,
			"%llu bytes; at most %llu MiB are looked through, cut out the part "
			"around the error",
			(unsigned long long)size,
			(unsigned long long)(CQESIM_DUMP_MAX_BYTES >> 20));
	if (!size)
		return 0;
	dump->binary = is_binary(in, size);
	if (dump->binary && size % 64)
		return cqesim_fail(
			err, -EINVAL,
			"binary data of %llu bytes; expected text, or a completion ring: a "
			"multiple of 64 bytes",
			(unsigned long long)size);
	f = calloc(1, sizeof(*f));
	if (!f)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	f->out = dump;
	f->err = err;
	f->fill_left = FILL_MAX;
	if (dump->binary) {
		if (image_binary(f, in, size))
			ret = f->failed == -E2BIG ? 0 : f->failed;
		else
			ret = cqesim_fail(err, -EINVAL,
					  "binary data of %llu bytes that are no completions; "
					  "expected text, or a completion ring",
					  (unsigned long long)size);
		if (f->failed == -E2BIG)
			dump->unread = size - UINT64_C(64) * dump->count;
	} else {
		ret = run(f, in, size);
	}
	free(f);
	if (ret)
		cqesim_dump_free(dump);
	return ret;
}

void cqesim_dump_free(struct cqesim_dump *dump)
{
	free(dump->items);
	dump->items = NULL;
	dump->count = 0;
}
