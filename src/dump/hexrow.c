/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One line as a row of bytes.  People and programs print bytes in many ways:
 *
 *   00000030: 00 00 00 00 9d 00 53 04 0a 00 15 42 00 19 b0 d2   Linux, rte_hexdump
 *   00000030  00 00 00 00 9d 00 53 04  0a 00 15 42 00 19 b0 d2  |......S....B....|
 *   00000030: 0000 0000 9d00 5304 0a00 1542 0019 b0d2  ......S.  xxd
 *   0000060 0000 0000 009d 0453 000a 4215 1900 d2b0             od -x, hexdump
 *   00000000 9d005304 0a001542 0019b0d2                         libmlx5
 *   0x7fffffffe0b0: 0x00 0x00 0x00 0x00 0x9d 0x00 0x53 0x04     gdb x/xb, x/xw, x/xg
 *   {0x0 <repeats 52 times>, 0x9d, 0x0, 0x53, 0x4, ...}         gdb p/x
 *   0000...b0d2                                                 128 digits
 *
 * with anything in front.  What the bytes are is decided later, from all rows.
 */
#include <ctype.h>
#include <string.h>

#include "dump/dump_internal.h"

enum token_class {
	T_OTHER,
	T_BAR,      /* "|": the ASCII column begins */
	T_BYTE,     /* 2 hex digits */
	T_WORD,     /* 4 */
	T_PLACE,    /* 6 or 7: only as an offset */
	T_DWORD,    /* 8 */
	T_QWORD,    /* 16 */
	T_PREFIXED, /* 0x and 1 to 16 digits */
	T_LABEL,    /* hex digits and a colon */
	T_COLON,
	T_LONG, /* 32 and more digits, perhaps with separators */
};

struct token {
	uint16_t start, length;
	uint8_t class, digits;
};
#define TOKENS_MAX 4096u

struct tokens {
	const char *s;
	unsigned n;
	struct token t[TOKENS_MAX];
};

static unsigned hex_run(const char *s, size_t n)
{
	unsigned i = 0;

	while (i < n && isxdigit((unsigned char)s[i]))
		i++;
	return i;
}

static bool starts_0x(const char *s, size_t n)
{
	return n > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
}

/* "00:00:9d:..." or "00-00-9d..." of 16 bytes and more. */
static bool separated(const char *s, size_t n)
{
	if (n < 47 || n % 3 != 2 || !strchr(":-_.", s[2]))
		return false;
	for (size_t i = 0; i < n; i++)
		if (i % 3 == 2 ? s[i] != s[2] : !isxdigit((unsigned char)s[i]))
			return false;
	return true;
}

static void classify(const char *s, struct token *t)
{
	const char *p = s + t->start;
	size_t n = t->length;
	bool prefixed = starts_0x(p, n);
	size_t from = prefixed ? 2 : n > 1 && p[0] == '+' ? 1 : 0;
	unsigned digits = hex_run(p + from, n - from);

	t->digits = (uint8_t)(digits < 255 ? digits : 255);
	t->class = T_OTHER;
	if (n == 1 && *p == ':') {
		t->class = T_COLON;
	} else if (digits && digits <= 16 && from + digits + 1 == n && p[n - 1] == ':') {
		t->class = T_LABEL;
	} else if (from + digits != n) {
		t->class = separated(p, n) ? T_LONG : T_OTHER;
	} else if (digits >= 32 && digits % 2 == 0) {
		t->class = T_LONG;
	} else if (prefixed && digits <= 16) {
		t->class = T_PREFIXED;
	} else if (!from) {
		t->class = digits == 2                  ? T_BYTE
			   : digits == 4                ? T_WORD
			   : digits == 8                ? T_DWORD
			   : digits == 16               ? T_QWORD
			   : digits == 6 || digits == 7 ? T_PLACE
							: T_OTHER;
	}
}

static void tokenise(const char *s, size_t n, struct tokens *all)
{
	size_t i = 0;

	all->s = s;
	all->n = 0;
	while (i < n && all->n < TOKENS_MAX) {
		struct token *t = &all->t[all->n];

		if (s[i] == '|') {
			*t = (struct token){.start = (uint16_t)i++, .length = 1, .class = T_BAR};
			all->n++;
			continue;
		}
		if (strchr(" \"[](){},;<>", s[i])) {
			i++;
			continue;
		}
		if (s[i] == ':' && i + 1 < n && isxdigit((unsigned char)s[i + 1])) {
			i++; /* "<stderr>:00000000" */
			continue;
		}
		size_t from = i;
		while (i < n && s[i] != '|' && !strchr(" \"[](){},;<>", s[i]))
			i++;
		t->start = (uint16_t)from;
		t->length = (uint16_t)(i - from);
		classify(s, t);
		all->n++;
	}
}

static bool is_word(const struct tokens *all, unsigned i, const char *word)
{
	return i < all->n && all->t[i].length == strlen(word) &&
	       !memcmp(all->s + all->t[i].start, word, all->t[i].length);
}

/* gdb: "0x0 <repeats 52 times>"; how often, and how many tokens that takes. */
static unsigned repeats(const struct tokens *all, unsigned i, unsigned *skip)
{
	unsigned times = 0;

	*skip = 1;
	if (!is_word(all, i + 1, "repeats") || !is_word(all, i + 3, "times"))
		return 1;
	for (unsigned k = 0; k < all->t[i + 2].length && times < 10000; k++) {
		char c = all->s[all->t[i + 2].start + k];

		if (!isdigit((unsigned char)c))
			return 1;
		times = times * 10 + (unsigned)(c - '0');
	}
	*skip = 4;
	return times;
}

static unsigned nibble(char c)
{
	return isdigit((unsigned char)c) ? (unsigned)(c - '0')
					 : (unsigned)(tolower((unsigned char)c) - 'a' + 10);
}

/* Append the value of a token as unit bytes, most significant first. */
static void append(struct hexrow *row, const char *digits, unsigned n, unsigned unit)
{
	uint64_t v = 0;

	if (row->count + unit > HEXROW_MAX)
		return;
	for (unsigned i = 0; i < n; i++)
		v = v << 4 | nibble(digits[i]);
	for (unsigned k = 0; k < unit; k++)
		row->bytes[row->count++] = (uint8_t)(v >> 8 * (unit - 1 - k));
}

static void append_long(struct hexrow *row, const char *s, unsigned n)
{
	unsigned i = starts_0x(s, n) ? 2 : 0;
	unsigned step = i + 2 < n && !isxdigit((unsigned char)s[i + 2]) ? 3 : 2;

	for (; i + 1 < n && row->count < HEXROW_MAX; i += step)
		row->bytes[row->count++] = (uint8_t)(nibble(s[i]) << 4 | nibble(s[i + 1]));
}

/* Bytes in a value with 0x: by its width where that is the same for all, else by how many. */
static unsigned prefixed_unit(const struct tokens *all, unsigned from, unsigned to, unsigned count)
{
	unsigned most = 0, least = 16;

	for (unsigned i = from; i < to; i++) {
		if (all->t[i].class != T_PREFIXED)
			continue;
		most = all->t[i].digits > most ? all->t[i].digits : most;
		least = all->t[i].digits < least ? all->t[i].digits : least;
	}
	if (most == least && (most == 2 || most == 4 || most == 8 || most == 16))
		return most / 2;
	unsigned need = most <= 2 ? 1 : most <= 4 ? 2 : most <= 8 ? 4 : 8;
	if (need == 1)
		return 1;
	unsigned fits = count && count <= 64 && 64 % count == 0 ? 64 / count : 0;
	return fits >= need && fits <= 8 ? fits : need;
}

struct run {
	unsigned from, to; /* tokens */
	unsigned count;    /* values */
	unsigned unit;
	unsigned label; /* token, or all->n */
	bool colon;
};

static void find_label(const struct tokens *all, struct run *r)
{
	unsigned i = r->from;

	r->label = all->n;
	r->colon = true;
	if (i && all->t[i - 1].class == T_LABEL) {
		r->label = i - 1;
	} else if (i > 1 && all->t[i - 1].class == T_COLON) { /* gdb: 0x7ffe <cqe+16>: */
		r->label = i > 2 && all->t[i - 2].class != T_PREFIXED ? i - 3 : i - 2;
		if (all->t[r->label].class != T_PREFIXED)
			r->label = all->n;
	} else if (i == 1 && (all->t[0].class == T_PLACE || all->t[0].class == T_DWORD ||
			      all->t[0].class == T_QWORD || all->t[0].class == T_PREFIXED)) {
		r->label = 0; /* hexdump, od */
		r->colon = false;
	} else if (!i && all->t[0].class == T_DWORD && r->count == 5 &&
		   all->s[all->t[0].start + 7] ==
			   '0') { /* offset and four words, all of 8 digits */
		r->label = 0;
		r->from++;
		r->count--;
		r->colon = false;
	}
}

/* The run of like values that begins at token i. */
static bool run_at(const struct tokens *all, unsigned i, struct run *r)
{
	uint8_t class = all->t[i].class;

	*r = (struct run){.from = i, .to = i};
	if (class < T_BYTE || class == T_PLACE || class > T_PREFIXED)
		return false;
	while (r->to < all->n && all->t[r->to].class == class) {
		unsigned skip;

		r->count += class == T_PREFIXED ? repeats(all, r->to, &skip) : 1;
		r->to += class == T_PREFIXED ? skip : 1;
	}
	r->unit = class == T_BYTE    ? 1
		  : class == T_WORD  ? 2
		  : class == T_DWORD ? 4
		  : class == T_QWORD ? 8
				     : prefixed_unit(all, i, r->to, r->count);
	find_label(all, r);
	return true;
}

/* Nothing but the run, its label and an ASCII column? */
static bool is_bare(const struct tokens *all, const struct run *r)
{
	unsigned first = r->label < all->n ? r->label : r->from;

	return first == 0 && (r->to == all->n || all->t[r->to].class == T_BAR);
}

static bool worth(const struct tokens *all, const struct run *r)
{
	if (r->label < all->n)
		return true;
	if (is_bare(all, r))
		return r->unit != 8 || r->count > 1;
	switch (r->unit) {
	case 1:
		return r->count >= 8;
	case 4:
		return r->count == 4 || r->count == 8 || r->count == 16;
	default:
		return r->count >= 8;
	}
}

static uint64_t hex_value(const char *s, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = starts_0x(s, n) ? 2 : s[0] == '+'; i < n; i++)
		if (isxdigit((unsigned char)s[i]))
			v = v << 4 | nibble(s[i]);
	return v;
}

/* Up to 16 digits in base 8 or 10; UINT64_MAX where one of them is none. */
static uint64_t value_in(const char *s, unsigned n, unsigned base)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] >= (char)('0' + base))
			return UINT64_MAX;
		v = v * base + (uint64_t)(s[i] - '0');
	}
	return v;
}

static void set_label(const struct tokens *all, unsigned token, struct hexrow *row)
{
	const struct token *t = &all->t[token];

	row->labelled = true;
	row->label_digits = t->digits;
	row->label = hex_value(all->s + t->start, t->length);
	row->label_octal = value_in(all->s + t->start, t->length, 8);
	row->label_decimal = value_in(all->s + t->start, t->length, 10);
	row->start = t->start;
}

static void fill(const struct tokens *all, const struct run *r, struct hexrow *row)
{
	static const enum cqesim_dump_notation notation[] = {
		[1] = CQESIM_DUMP_BYTES,
		[2] = CQESIM_DUMP_WORDS,
		[4] = CQESIM_DUMP_DWORDS,
		[8] = CQESIM_DUMP_QWORDS,
	};
	/* xxd has no bar in front of its ASCII column, but never more than 16 bytes. */
	unsigned limit = r->unit == 2 && r->label < all->n && r->colon ? 8 : UINT32_MAX;

	row->notation = notation[r->unit];
	row->unit = r->unit;
	row->prefixed = all->t[r->from].class == T_PREFIXED;
	row->colon = r->colon;
	row->start = all->t[r->from].start;
	if (r->label < all->n)
		set_label(all, r->label, row);
	row->bare = is_bare(all, r);
	row->end = all->t[r->to - 1].start + all->t[r->to - 1].length;
	for (unsigned i = r->from; i < r->to && limit;) {
		unsigned skip = 1, times = row->prefixed ? repeats(all, i, &skip) : 1;
		const struct token *t = &all->t[i];
		unsigned prefix = row->prefixed ? 2 : 0;

		for (; times && limit; times--, limit--)
			append(row, all->s + t->start + prefix, t->digits, r->unit);
		i += skip;
	}
}

static bool long_digits(const struct tokens *all, unsigned i, struct hexrow *row)
{
	const struct token *t = &all->t[i];

	if (t->class != T_LONG)
		return false;
	row->notation = CQESIM_DUMP_DIGITS;
	row->unit = 1;
	row->start = t->start;
	row->end = t->start + t->length;
	row->bare = all->n == 1;
	append_long(row, all->s + t->start, t->length);
	return true;
}

bool hexrow_parse(const char *text, size_t length, struct hexrow *row)
{
	static const char code[] = "Code:";
	struct tokens all;
	struct run best = {0}, r;
	bool found = false;

	memset(row, 0, offsetof(struct hexrow, bytes));
	row->label_octal = UINT64_MAX;
	if (length == 1 && *text == '*')
		return row->repeat = true;
	if (memmem(text, length, code, sizeof(code) - 1))
		return false;
	tokenise(text, length, &all);
	for (unsigned i = 0; i < all.n; i++) {
		if (long_digits(&all, i, row))
			return true;
		if (!run_at(&all, i, &r))
			continue;
		/* A label makes it one for sure; else the longest. */
		bool better = !found || (r.label < all.n) > (best.label < all.n) ||
			      ((r.label < all.n) == (best.label < all.n) &&
			       r.count * r.unit > best.count * best.unit);
		if (worth(&all, &r) && better) {
			best = r;
			found = true;
		}
		i = r.to - 1;
	}
	if (found) {
		fill(&all, &best, row);
		return row->count > 0;
	}
	/* The end of what od prints, or a row whose bytes went astray. */
	if (all.n == 1 && (all.t[0].class == T_LABEL || all.t[0].class == T_PLACE)) {
		set_label(&all, 0, row);
		row->colon = all.t[0].class == T_LABEL;
		return row->lone_label = true;
	}
	return false;
}
