/* SPDX-License-Identifier: BSD-3-Clause */
/* The single values of a description: strict, and clear about what was expected. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe/internal.h"

int refuse(const struct context *c, const node *n, const char *fmt, ...)
{
	char text[sizeof(c->err->text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return cqesim_fail(c->err, -EINVAL, "%s:%u: %.60s%s%s", c->d->file, n->line,
			   n->key ? n->key : "", n->key ? ": " : "", text);
}

int no_memory(const struct context *c)
{
	return cqesim_fail(c->err, -ENOMEM, "%s: out of memory", c->d->file);
}

/* A whole number without a sign, decimal or with 0x. */
static bool parse_number(const char *text, uint64_t *v)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;

	if (!isxdigit((unsigned char)text[hex ? 2 : 0]) || (!hex && !isdigit((unsigned char)*text)))
		return false;
	errno = 0;
	*v = strtoull(text, &end, hex ? 16 : 10);
	return !*end && !errno;
}

int value_number(const struct context *c, const node *n, uint64_t low, uint64_t high, uint64_t *v)
{
	if (n->kind == NODE_TEXT && parse_number(n->text, v) && *v >= low && *v <= high)
		return 0;
	return refuse(c, n, "expected a whole number, %llu to %llu, not %.60s",
		      (unsigned long long)low, (unsigned long long)high,
		      n->kind == NODE_TEXT ? n->text : node_kind_name(n));
}

/* Letters in either case, and space, _ and - are one. */
static bool same_word(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		bool gap = strchr(" _-", *a) && strchr(" _-", *b);

		if (!gap && tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
	}
	return *a == *b;
}

int value_flag(const struct context *c, const node *n, bool *v)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on"};

	for (unsigned i = 0; n->kind == NODE_TEXT && i < 6; i++)
		if (same_word(n->text, words[i])) {
			*v = i & 1;
			return 0;
		}
	return refuse(c, n, "expected yes or no, not %.60s",
		      n->kind == NODE_TEXT ? n->text : node_kind_name(n));
}

int value_word(const struct context *c, const node *n, const char *const *words, unsigned *v)
{
	char list[160] = "";

	for (*v = 0; words[*v]; ++*v) {
		if (n->kind == NODE_TEXT && same_word(n->text, words[*v]))
			return 0;
		size_t at = strlen(list);
		snprintf(list + at, sizeof(list) - at, "%s%s", *v ? ", " : "", words[*v]);
	}
	return refuse(c, n, "expected one of %s, not %.60s", list,
		      n->kind == NODE_TEXT ? n->text : node_kind_name(n));
}

/* "or a name: REQ, RESP_SEND ..." as far as there is room. */
static void names_of(const char *name, uint64_t most, char *to, size_t size)
{
	size_t at = 0;

	*to = '\0';
	for (uint64_t v = 0; v <= most && v < 256; v++) {
		const char *text = cqesim_value_name(name, v);

		if (!text || at + strlen(text) + 20 > size)
			continue;
		at += (size_t)snprintf(to + at, size - at, "%s%s",
				       at ? ", " : ", or a name: ", text);
	}
}

int value_field(const struct context *c, const node *n, const char *name, unsigned bits,
		uint64_t *v)
{
	uint64_t most = ~UINT64_C(0) >> (64 - bits);
	char names[240];
	bool flag;

	if (n->kind != NODE_TEXT)
		return refuse(c, n, "expected a value, not %s", node_kind_name(n));
	if (parse_number(n->text, v)) {
		if (*v <= most)
			return 0;
		return refuse(c, n, "%.40s does not fit in %u bit%s, the largest is %llu (0x%llx)",
			      n->text, bits, bits == 1 ? "" : "s", (unsigned long long)most,
			      (unsigned long long)most);
	}
	for (*v = 0; *v <= most && *v < 256; ++*v) {
		const char *text = cqesim_value_name(name, *v);

		if (text && same_word(n->text, text))
			return 0;
	}
	if (bits == 1 && !value_flag(&(struct context){.d = c->d}, n, &flag)) {
		*v = flag;
		return 0;
	}
	names_of(name, most, names, sizeof(names));
	return refuse(c, n, "expected a number up to %llu (0x%llx)%s%s, not '%.60s'",
		      (unsigned long long)most, (unsigned long long)most,
		      bits == 1 ? ", yes or no" : "", names, n->text);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int value_hex(const struct context *c, const node *n, uint8_t *to, size_t max, size_t *bytes)
{
	size_t digits = 0;

	if (n->kind != NODE_TEXT)
		return refuse(c, n, "expected hex digits, not %s", node_kind_name(n));
	for (const char *p = n->text; *p; p++) {
		int digit = hex_digit(*p);

		if (isspace((unsigned char)*p))
			continue;
		if (digit < 0)
			return refuse(c, n, "expected hex digits, not '%c' behind %zu of them", *p,
				      digits);
		if (digits / 2 < max)
			to[digits / 2] =
				(uint8_t)(digits % 2 ? to[digits / 2] << 4 | digit : digit);
		digits++;
	}
	if (digits % 2 || digits / 2 > max)
		return refuse(c, n, "%zu hex digits, expected two a byte and at most %zu bytes",
			      digits, max);
	*bytes = digits / 2;
	return 0;
}

/* Letters to change, add or leave out (Levenshtein). */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[40];
	size_t n = strlen(b);

	if (n >= 40 || strlen(a) >= 40)
		return 100;
	for (unsigned i = 0; i <= n; i++)
		row[i] = i;
	for (; *a; a++) {
		unsigned corner = row[0]++;

		for (size_t i = 1; i <= n; i++) {
			unsigned change = corner + (tolower((unsigned char)*a) != b[i - 1]);

			corner = row[i];
			row[i] = corner < row[i - 1] ? corner + 1 : row[i - 1] + 1;
			if (change < row[i])
				row[i] = change;
		}
	}
	return row[n];
}

void guess_try(struct guess *g, const char *name)
{
	unsigned d = distance(g->word, name);

	if (d <= 1 + strlen(g->word) / 4 && (!g->best || d < g->distance)) {
		g->best = name;
		g->distance = d;
	}
}
