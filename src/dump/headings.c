/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headings: lines that announce bytes.  They wait until rows come, which may be
 * after lines of somebody else, and tell what those rows are.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "dump/dump_internal.h"

/* Lines between a heading and its first row. */
#define HEADING_GAP 60u

uint32_t rows_prefix(const char *text, size_t length)
{
	uint32_t hash = 2166136261u;
	size_t i = 0;

	while (i < length) {
		size_t from = i;
		bool letters = false, comma = false;

		while (i < length && text[i] != ' ') {
			letters |=
				isalpha((unsigned char)text[i]) && text[i] != 'T' && text[i] != 'Z';
			comma |= text[i] == ',';
			i++;
		}
		/* "[ 1141.838463]", "18:06:44", "2024-01-10T18:06:44Z" are times; "[1,367]" is a
		 * rank, "T715]" the kernel's name for a thread. */
		bool thread =
			from < i && (text[from] == 'T' ||
				     (text[from] == '[' && i - from > 2 && text[from + 1] == 'T'));
		if (letters || comma || thread)
			for (; from < i; from++)
				hash = (hash ^ (uint8_t)text[from]) * 16777619u;
		while (i < length && text[i] == ' ')
			i++;
	}
	return hash;
}

static bool has_word(const char *text, size_t length, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= length; i++)
		if (!strncasecmp(text + i, word, n) &&
		    (!i || !isalnum((unsigned char)text[i - 1])) &&
		    (i + n == length || !isalpha((unsigned char)text[i + n])))
			return true;
	return false;
}

/* "usb 1-1: config dump", "IP a > b: length 70", "dump mbuf at 0x1234" */
bool headings_other(const struct dump_finder *f)
{
	static const char *const ours[] = {"mlx5", "cqe", "cq", "completion", "wc", "err_cqe"};
	static const char *const others[] = {
		"usb",   "nvme", "acpi", "pci", "scsi", "ata",  "packet", "frame", "tcp", "udp",
		"icmp6", "icmp", "arp",  "ip",  "ip6",  "mbuf", "skb",    "urb",   "mad", "sector"};

	const char *text = f->before;
	size_t length = f->before_length;

	if (!length || f->before_line + 1 != f->lines.line)
		return false;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (has_word(text, length, ours[i]))
			return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (has_word(text, length, others[i]))
			return true;
	return false;
}

/* Does the line before at least name a completion? */
bool headings_named(const struct dump_finder *f)
{
	if (f->before_line + 1 != f->lines.line)
		return false;
	for (size_t i = 0; i + 3 <= f->before_length; i++)
		if (!strncasecmp(f->before + i, "cqe", 3))
			return true;
	return false;
}

/* No bytes came: what the heading itself says is all there is. */
static void drop_heading(struct dump_finder *f, struct dump_heading *h)
{
	struct cqesim_dump_item *item = h->has_statement ? dump_add(f) : NULL;

	h->used = false;
	if (item)
		*item = h->statement;
}

void rows_heading(struct dump_finder *f, enum dump_heads what,
		  const struct cqesim_dump_item *statement, uint64_t length)
{
	struct dump_heading *slot = &f->headings[0];
	const unsigned n = sizeof(f->headings) / sizeof(f->headings[0]);

	for (unsigned i = 0; i < n && slot->used; i++)
		if (!f->headings[i].used || f->headings[i].line < slot->line)
			slot = &f->headings[i];
	if (slot->used)
		drop_heading(f, slot);
	*slot = (struct dump_heading){
		.used = true, .what = what, .line = f->lines.line, .length = length};
	if (statement) {
		slot->rank = f->ranks[statement->line % 64];
		slot->has_statement = true;
		slot->statement = *statement;
	}
}

/* The oldest that waits for rows of this rank. */
static struct dump_heading *next_heading(struct dump_finder *f)
{
	struct dump_heading *oldest = NULL;
	const unsigned n = sizeof(f->headings) / sizeof(f->headings[0]);

	for (unsigned i = 0; i < n; i++) {
		struct dump_heading *h = &f->headings[i];

		if (h->used && (!h->rank || h->rank == tags_rank(&f->tag)) &&
		    (!oldest || h->line < oldest->line))
			oldest = h;
	}
	return oldest;
}

void headings_drop(struct dump_finder *f, bool all)
{
	const unsigned n = sizeof(f->headings) / sizeof(f->headings[0]);

	for (unsigned i = 0; i < n; i++) {
		struct dump_heading *h = &f->headings[i];

		if (!h->used || (!all && f->lines.line - h->line <= HEADING_GAP))
			continue;
		drop_heading(f, h);
	}
}

bool headings_wait(const struct dump_finder *f)
{
	const unsigned n = sizeof(f->headings) / sizeof(f->headings[0]);

	for (unsigned i = 0; i < n; i++)
		if (f->headings[i].used)
			return true;
	return false;
}

/* "cqe_dump: 00000000: ...": each row is its own heading. */
static void own_heading(struct dump_finder *f, struct dump_open *d)
{
	const char *text = f->lines.text;
	size_t start = f->row.start;

	for (size_t i = 0; i + 3 < start; i++) {
		bool cqe = !strncasecmp(text + i, "cqe", 3), wqe = !strncasecmp(text + i, "wqe", 3);

		if (!cqe && !wqe)
			continue;
		d->heading[0] = (struct dump_heading){
			.used = true, .what = cqe ? HEADS_CQE : HEADS_WQE, .line = f->lines.line};
		d->heading_count = 1;
		return;
	}
}

/* Take the headings that wait for these rows. */
void headings_take(struct dump_finder *f, struct dump_open *d)
{
	struct dump_heading *h;

	d->streams = 1;
	while (d->heading_count < DUMP_STREAMS_MAX && (h = next_heading(f))) {
		if (d->heading_count && (d->labelled || h->what != HEADS_CQE))
			break;
		d->heading[d->heading_count++] = *h;
		h->used = false;
		if (d->heading[0].what != HEADS_CQE)
			break;
	}
	/* Without offsets, rows under two headings may belong to either. */
	if (d->heading_count > 1)
		d->streams = d->heading_count;
	if (!d->heading_count)
		own_heading(f, d);
}
