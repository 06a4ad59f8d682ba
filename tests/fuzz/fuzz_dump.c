/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_dump.c - any bytes as a log: what is found must lie in it and be well
 * formed, and everything that can be said about each find must be sayable.
 */
#include <errno.h>

#include "cqesim/cqe.h"
#include "cqesim/dump.h"
#include "fuzz.h"

/* One line of text of less than `room` bytes. */
static void require_line(const char *text, size_t room)
{
	FUZZ_REQUIRE(memchr(text, '\0', room));
	for (; *text; text++)
		FUZZ_REQUIRE((unsigned char)*text >= 0x20 && *text != 0x7f);
}

static void check_names(const struct cqesim_dump_item *i)
{
	FUZZ_REQUIRE(i->kind < CQESIM_DUMP_KINDS);
	FUZZ_REQUIRE(i->notation < CQESIM_DUMP_NOTATIONS);
	FUZZ_REQUIRE(i->source < CQESIM_DUMP_SOURCES);
	FUZZ_REQUIRE(i->reason < CQESIM_DUMP_REASONS);
	FUZZ_REQUIRE(i->clock <= CQESIM_DUMP_DATE);
	fuzz_require_message(cqesim_dump_kind_name(i->kind));
	fuzz_require_message(cqesim_dump_notation_name(i->notation));
	fuzz_require_message(cqesim_dump_source_name(i->source));
	fuzz_require_message(cqesim_dump_reason_name(i->reason));
	if (i->kind == CQESIM_DUMP_FOREIGN) {
		FUZZ_REQUIRE(i->reason != CQESIM_DUMP_NO_REASON);
		fuzz_require_message(cqesim_dump_reason_text(i->reason));
	}
	require_line(i->device, sizeof(i->device));
	require_line(i->name, sizeof(i->name));
}

static void check_item(const struct cqesim_dump *d, uint32_t n)
{
	const struct cqesim_dump_item *i = &d->items[n];
	check_names(i);
	FUZZ_REQUIRE(i->offset < d->bytes);
	FUZZ_REQUIRE(i->line <= i->last_line && i->last_line <= d->lines);
	FUZZ_REQUIRE(d->binary || i->line >= 1);
	FUZZ_REQUIRE(n == 0 || d->items[n - 1].offset <= i->offset);
	FUZZ_REQUIRE(i->same_as == CQESIM_DUMP_NONE || (i->same_as < d->count && i->same_as != n));
	if (i->kind == CQESIM_DUMP_CQE)
		FUZZ_REQUIRE(i->known && i->notation != CQESIM_DUMP_NO_BYTES);
	if (i->kind == CQESIM_DUMP_COUNTER)
		FUZZ_REQUIRE(*i->name);
	/* Bytes that did not stand in the input are not made up. */
	for (unsigned b = 0; b < sizeof(i->raw); b++)
		FUZZ_REQUIRE(i->known >> b & 1 || !i->raw[b]);
}

/* The fields of a completion, in the view that its opcode asks for. */
static void show_fields(const uint8_t raw[64])
{
	const struct cqesim_layout *view = cqesim_cqe_view(raw);
	FUZZ_REQUIRE(view && view->count);
	for (unsigned f = 0; f < view->count; f++) {
		uint64_t value = cqesim_field_get(&view->fields[f], raw);
		FUZZ_REQUIRE(view->fields[f].bits == 64 || value >> view->fields[f].bits == 0);
		const char *name = cqesim_value_name(view->fields[f].name, value);
		FUZZ_REQUIRE(!name || *name);
	}
	(void)cqesim_dump_signature_residual(raw);
}

static void check_facts(const struct cqesim_dump_facts *f)
{
	char text[CQESIM_DUMP_TEXT];
	FUZZ_REQUIRE(cqesim_dump_where(f) <= CQESIM_DUMP_NOWHERE);
	fuzz_require_message(cqesim_dump_where_name(cqesim_dump_where(f)));
	const char *const *advice = cqesim_dump_advice(f);
	FUZZ_REQUIRE(advice);
	for (; *advice; advice++)
		fuzz_require_message(*advice);
	const struct cqesim_dump_vendor *v = cqesim_dump_vendor(f);
	FUZZ_REQUIRE(!v || (v >= cqesim_dump_vendors &&
			    v < cqesim_dump_vendors + cqesim_dump_vendor_count));
	FUZZ_REQUIRE(!v || v->vendor_err_synd == f->vendor_err_synd);
	cqesim_dump_vendor_text(f, text, sizeof(text));
	require_line(text, sizeof(text));
	fuzz_require_message(cqesim_dump_status_name(f->status));
}

/* A sentence that does not fit is cut, not something else, and nothing is written behind it. */
static void explain(const struct cqesim_dump_item *i)
{
	static const size_t rooms[] = {1, 2, 60, 200};
	char whole[CQESIM_DUMP_TEXT];
	cqesim_dump_explain(i, whole, sizeof(whole));
	FUZZ_REQUIRE(*whole);
	require_line(whole, sizeof(whole));
	/* A word that was not there for "%s", unless the log itself says so. */
	FUZZ_REQUIRE(!strstr(whole, "(null)") || strstr(i->name, "(null)") ||
		     strstr(i->device, "(null)"));
	for (unsigned r = 0; r < sizeof(rooms) / sizeof(rooms[0]); r++) {
		char *cut = malloc(rooms[r]);
		FUZZ_NEED(cut);
		cqesim_dump_explain(i, cut, rooms[r]);
		require_line(cut, rooms[r]);
		FUZZ_REQUIRE(strlen(cut) <= strlen(whole));
		free(cut);
	}
}

static void check_verdict(const struct cqesim_dump *d)
{
	struct cqesim_dump_verdict v;
	cqesim_dump_verdict(d, &v);
	FUZZ_REQUIRE(v.root == CQESIM_DUMP_NONE || v.root < d->count);
	FUZZ_REQUIRE(v.flushes <= v.errors);
	FUZZ_REQUIRE((uint64_t)v.errors + v.completions <= d->count);
	if (v.root != CQESIM_DUMP_NONE)
		FUZZ_REQUIRE(cqesim_dump_is_error(&d->items[v.root]));
	require_line(v.text, sizeof(v.text));
}

static void check_items(const struct cqesim_dump *d)
{
	for (uint32_t n = 0; n < d->count; n++) {
		const struct cqesim_dump_item *i = &d->items[n];
		struct cqesim_dump_facts facts;
		check_item(d, n);
		cqesim_dump_facts(i, &facts);
		check_facts(&facts);
		FUZZ_REQUIRE(!cqesim_dump_is_flush(i) || cqesim_dump_is_error(i));
		explain(i);
		show_fields(i->raw);
		if (i->kind == CQESIM_DUMP_COUNTER) {
			const char *text = cqesim_dump_counter_text(i->name);
			FUZZ_REQUIRE(!text || *text);
		}
	}
}

FUZZ_TARGET(dump)
{
	struct cqesim_dump dump = {0};
	struct cqesim_error err = {""};
	int rc = cqesim_dump_find(&dump, data, size, &err);
	if (rc) {
		FUZZ_REQUIRE(rc == -EINVAL || rc == -E2BIG);
		fuzz_require_message(err.text);
		return 0;
	}
	FUZZ_REQUIRE(dump.bytes == size && dump.lines <= size);
	FUZZ_REQUIRE(!dump.count == !dump.items || !dump.count);
	check_items(&dump);
	check_verdict(&dump);
	cqesim_dump_free(&dump);
	return 0;
}
