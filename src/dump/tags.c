/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What tools put in front of every line: srun -l and mpirun the rank ("3: ", "[3] ",
 * "rank 3: "), grep -n and -Hn file and line ("job.err:124:", "job.err-124-"), diff a
 * sign.  It is taken for such a tag where at least three lines in a row have it, the
 * number stays or counts up by one, and two of them are rows of bytes behind it; so
 * an offset, which counts by 16, stays.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "dump/dump_internal.h"

#define RUN 3u
/* A tag is found within this many characters, of a line no more than this is looked at. */
#define TAG_MAX  256u
#define LOOK_MAX 1024u

static size_t count_digits(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && isdigit((unsigned char)s[i]))
		i++;
	return i;
}

static uint64_t number(const char *s, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v * 10 + (uint64_t)(s[i] - '0');
	return v;
}

static uint32_t hash(const char *s, size_t n, uint32_t start)
{
	for (size_t i = 0; i < n; i++)
		start = (start ^ (uint8_t)s[i]) * 16777619u;
	return start;
}

static bool is_separator(char c)
{
	return c == ':' || c == '-';
}

/* "22:10" of a time, "10-11" of a date, "9d:" of bytes: the digits are no line's number. */
static bool goes_on(const char *s, size_t n)
{
	return n > 2 && isxdigit((unsigned char)s[0]) && isxdigit((unsigned char)s[1]) &&
	       (is_separator(s[2]) || s[2] == '.' || s[2] == 'T');
}

/* "3: ", "[3] ", "rank 3: " */
static bool rank_tag(const char *s, size_t n, struct dump_tag *t)
{
	bool bracket = *s == '[', word = n > 6 && !strncasecmp(s, "rank ", 5);
	size_t from = word ? 5 : bracket, digits;

	while (bracket && from < n && s[from] == ' ')
		from++;
	digits = count_digits(s + from, n - from);
	size_t end = from + digits;
	if (!digits || digits > 6 || end + 2 > n || s[end] != (bracket ? ']' : ':') ||
	    s[end + 1] != ' ')
		return false;
	*t = (struct dump_tag){.kind = word      ? 'w'
				       : bracket ? '['
						 : ':',
			       .number = number(s + from, digits),
			       .length = (unsigned)end + 2};
	return true;
}

/* "124:", "job.err:124:", "job.err-124-" */
static bool line_tag(const char *s, size_t n, struct dump_tag *t)
{
	for (size_t i = 0; i < n && i < TAG_MAX && s[i] != ' '; i++) {
		if (i && !is_separator(s[i - 1]))
			continue;
		size_t digits = count_digits(s + i, n - i), end = i + digits;

		if (!digits || digits > 9 || end + 1 >= n || !is_separator(s[end]))
			continue;
		/* An offset, or a host's name, is no line's number. */
		if ((!i && digits > 7) || s[end + 1] == ' ')
			return false;
		if (goes_on(s + end + 1, n - end - 1))
			return false;
		*t = (struct dump_tag){.kind = 'n',
				       .text = i ? hash(s, i - 1, 2166136261u) : 0,
				       .number = number(s + i, digits),
				       .length = (unsigned)end + 1};
		return true;
	}
	return false;
}

static bool dword(const char *s, size_t n)
{
	if (n < 8 || (n > 8 && s[8] != ' '))
		return false;
	for (unsigned i = 0; i < 8; i++)
		if (!isxdigit((unsigned char)s[i]))
			return false;
	return true;
}

/* Eight digits in front of four words: the same in each row. */
static bool dword_tag(const char *s, size_t n, struct dump_tag *t)
{
	if (n != 44)
		return false;
	for (unsigned i = 0; i < 5; i++)
		if (!dword(s + 9 * i, n - 9 * i))
			return false;
	*t = (struct dump_tag){.kind = 'd', .text = hash(s, 8, 2166136261u), .length = 9};
	return true;
}

static bool find_tag(const char *s, size_t n, struct dump_tag *t)
{
	size_t space = 0;

	while (space < n && (s[space] == ' ' || s[space] == '\t'))
		space++;
	s += space;
	n -= space;
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\r'))
		n--;
	if (n < 3)
		return false;
	if ((*s == '+' || *s == '-') && (s[1] == ' ' || isalnum((unsigned char)s[1])))
		*t = (struct dump_tag){.kind = *s, .length = 1};
	else if (!rank_tag(s, n, t) && !line_tag(s, n, t) && !dword_tag(s, n, t))
		return false;
	t->length += (unsigned)space;
	return true;
}

static bool is_rank(const struct dump_tag *t)
{
	return t->kind == ':' || t->kind == '[' || t->kind == 'w';
}

static bool follows(const struct dump_tag *t, const struct dump_tag *before)
{
	return t->kind == before->kind && t->text == before->text &&
	       t->number - before->number <= 1;
}

/* Four values and more? */
static bool like_row(const char *s, size_t n)
{
	unsigned values = 0;

	for (size_t i = 0; i < n;) {
		size_t from = i;

		while (i < n && isxdigit((unsigned char)s[i]))
			i++;
		size_t digits = i - from;
		values += (i == n || s[i] == ' ' || s[i] == '\r') &&
			  (digits == 2 || digits == 4 || digits == 8 || digits == 16);
		while (i < n && s[i] != ' ')
			i++;
		while (i < n && s[i] == ' ')
			i++;
	}
	return values >= 4;
}

/* Do this and the next lines make a run? */
static bool begins_run(const struct dump_lines *l, const struct dump_tag *first)
{
	struct dump_tag before = *first, t;
	unsigned rows = like_row(l->text + first->length, l->length - first->length), lines = 1;
	size_t at = l->pos;

	for (; lines < RUN && at < l->size; lines++) {
		const char *s = (const char *)l->in + at;
		size_t most = l->size - at < LOOK_MAX ? l->size - at : LOOK_MAX;
		const char *end = memchr(s, '\n', most);
		size_t n = end ? (size_t)(end - s) : most;

		if ((!end && most == LOOK_MAX) || !find_tag(s, n, &t) || !follows(&t, &before))
			return false;
		rows += like_row(s + t.length, n - t.length);
		before = t;
		at += n + 1;
	}
	return lines == RUN && rows >= 2;
}

void tags_strip(struct dump_lines *l, struct dump_tag *last)
{
	struct dump_tag t;

	if (!find_tag(l->text, l->length, &t)) {
		last->kind = 0;
		return;
	}
	/* Within a run the lines of several ranks may be mixed. */
	if (!(last->kind && (follows(&t, last) || (is_rank(&t) && t.kind == last->kind))) &&
	    !begins_run(l, &t)) {
		last->kind = 0;
		return;
	}
	*last = t;
	while (t.length < l->length && l->text[t.length] == ' ')
		t.length++;
	memmove(l->text, l->text + t.length, l->length - t.length);
	l->length -= t.length;
	l->text[l->length] = '\0';
}

uint32_t tags_rank(const struct dump_tag *t)
{
	return t->kind && is_rank(t) ? (uint32_t)t->number + 1 : 0;
}
