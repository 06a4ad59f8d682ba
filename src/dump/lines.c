/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The input as clean lines.  Logs come wrapped: in JSON ("\n", "\t"), in syslog
 * ("#012"), in mail ("> ", quoted-printable), in web pages ("&nbsp;", "<br>"), with
 * terminal colours and carriage returns.  All of that goes, so that the rest of
 * the station sees what the program printed.  Each line keeps its number and
 * place in the input, and its time stamp.
 */
#include <ctype.h>
#include <string.h>

#include "dump/dump_internal.h"

void dump_lines_begin(struct dump_lines *lines, const uint8_t *in, size_t size)
{
	lines->in = in;
	lines->size = size;
	lines->pos = 0;
	lines->number = 1;
	lines->length = 0;
	lines->time_ns = 0;
	/* "=20" means itself everywhere but in such mail, so look for a sure sign first. */
	lines->quoted_printable = memmem(in, size, "=0A=\n", 5) || memmem(in, size, "=0A=\r", 5) ||
				  memmem(in, size, "quoted-printable", 16);
}

static bool here(const struct dump_lines *l, const char *what)
{
	size_t n = strlen(what);

	return l->size - l->pos >= n && !memcmp(l->in + l->pos, what, n);
}

static bool here_nocase(const struct dump_lines *l, const char *what)
{
	size_t n = strlen(what);

	if (l->size - l->pos < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (tolower(l->in[l->pos + i]) != what[i])
			return false;
	return true;
}

/* "ESC [ ... letter"; the input stands behind ESC. */
static void skip_colour(struct dump_lines *l)
{
	if (l->pos >= l->size || l->in[l->pos] != '[')
		return;
	size_t p = l->pos + 1, end = p + 24 < l->size ? p + 24 : l->size;

	while (p < end && (isdigit(l->in[p]) || strchr(";?<=>:", l->in[p])))
		p++;
	if (p < end && isalpha(l->in[p]))
		l->pos = p + 1;
}

/* What a sequence that starts at pos stands for. */
enum { PLAIN = -1, LINE_END = -2, NOTHING = -3 };

static int escape(struct dump_lines *l)
{
	static const struct {
		const char *text;
		int means;
	} escapes[] = {
		{"\\\\n", LINE_END}, {"\\n", LINE_END}, {"\\r", NOTHING}, {"\\\\t", ' '},
		{"\\t", ' '},        {"\\\"", '"'},     {"\\u001b", 033}, {"\\x1b", 033},
		{"\\033", 033},      {"\\u003c", '<'},  {"\\u003e", '>'},
	};
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++)
		if (here(l, escapes[i].text)) {
			l->pos += strlen(escapes[i].text);
			if (escapes[i].means != 033)
				return escapes[i].means;
			skip_colour(l);
			return NOTHING;
		}
	return PLAIN;
}

static int entity(struct dump_lines *l)
{
	static const struct {
		const char *text;
		int means;
	} entities[] = {
		{"&gt;", '>'},  {"&lt;", '<'},   {"&nbsp;", ' '}, {"&#160;", ' '},
		{"&amp;", '&'}, {"&quot;", '"'}, {"&#39;", '\''},
	};
	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
		if (here(l, entities[i].text)) {
			l->pos += strlen(entities[i].text);
			return entities[i].means;
		}
	return PLAIN;
}

/* The few tags that logs in web pages have; "<stdout>" and "<33092>" are none of them. */
static int tag(struct dump_lines *l)
{
	static const struct {
		const char *text;
		int means;
	} tags[] = {
		{"<br", LINE_END},    {"<p>", LINE_END},   {"</p>", LINE_END},
		{"<pre", LINE_END},   {"</pre", LINE_END}, {"<span ", NOTHING},
		{"</span>", NOTHING}, {"<code", NOTHING},  {"</code", NOTHING},
	};
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		if (!here_nocase(l, tags[i].text))
			continue;
		size_t room = l->size - l->pos < 200 ? l->size - l->pos : 200;
		const uint8_t *close = memchr(l->in + l->pos, '>', room);

		if (!close || memchr(l->in + l->pos, '\n', (size_t)(close - l->in) - l->pos))
			return PLAIN;
		l->pos = (size_t)(close - l->in) + 1;
		return tags[i].means;
	}
	return PLAIN;
}

static int hex_digit(uint8_t c)
{
	return isdigit(c) ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int printable_quote(struct dump_lines *l)
{
	if (l->pos + 2 >= l->size)
		return PLAIN;
	const uint8_t *p = l->in + l->pos;

	if (p[1] == '\n' || (p[1] == '\r' && p[2] == '\n')) { /* a line that was broken */
		l->pos += p[1] == '\n' ? 2 : 3;
		l->number++;
		return NOTHING;
	}
	int high = hex_digit(p[1]), low = hex_digit(p[2]);
	if (high < 0 || low < 0)
		return PLAIN;
	l->pos += 3;
	int c = high << 4 | low;
	if (c == '\n' && here(l, "=\n")) { /* the line ends here as well */
		l->pos += 2;
		l->number++;
	} else if (c == '\n' && here(l, "=\r\n")) {
		l->pos += 3;
		l->number++;
	}
	return c == '\n' ? LINE_END : c == '\r' ? NOTHING : c < ' ' || c > '~' ? ' ' : c;
}

/* The next character of the line, or LINE_END; moves on. */
static int next_char(struct dump_lines *l)
{
	uint8_t c = l->in[l->pos];
	int means = PLAIN;

	switch (c) {
	case '\\':
		means = escape(l);
		break;
	case '&':
		means = entity(l);
		break;
	case '<':
		means = tag(l);
		break;
	case '=':
		means = l->quoted_printable ? printable_quote(l) : PLAIN;
		break;
	case '#':
		if (here(l, "#012") || here(l, "#011")) { /* rsyslog */
			means = l->in[l->pos + 3] == '2' ? LINE_END : ' ';
			l->pos += 4;
		}
		break;
	default:
		break;
	}
	if (means != PLAIN)
		return means;
	l->pos++;
	switch (c) {
	case '\n':
		l->number++;
		return LINE_END;
	case '\r': /* before a newline nothing, alone a line end */
		return l->pos < l->size && l->in[l->pos] == '\n' ? NOTHING : LINE_END;
	case 033:
		skip_colour(l);
		return NOTHING;
	case 0xc2: /* no-break space in UTF-8 */
		if (l->pos < l->size && l->in[l->pos] == 0xa0) {
			l->pos++;
			return ' ';
		}
		return c;
	default:
		return c < ' ' || c == 0x7f ? ' ' : c;
	}
}

/* Quotation marks of mail, and spaces. */
static void strip(struct dump_lines *l)
{
	size_t from = 0;

	while (from < l->length && (l->text[from] == ' ' || l->text[from] == '>'))
		from++;
	while (l->length > from && l->text[l->length - 1] == ' ')
		l->length--;
	memmove(l->text, l->text + from, l->length - from);
	l->length -= from;
	l->text[l->length] = '\0';
}

/* ---- time stamps ---- */

/* 18:06:44.123 in at least h:mm:ss form; returns how many characters, or 0. */
static size_t time_of_day(const char *s, uint64_t *ns)
{
	unsigned part[3] = {0};
	size_t i = 0;

	for (unsigned n = 0; n < 3; n++) {
		size_t from = i;

		while (isdigit((unsigned char)s[i]) && i - from < 2)
			part[n] = part[n] * 10 + (unsigned)(s[i++] - '0');
		if (i == from || (n < 2 && s[i++] != ':'))
			return 0;
	}
	if (part[0] > 23 || part[1] > 59 || part[2] > 60 || isdigit((unsigned char)s[i]) ||
	    s[i] == ':')
		return 0;
	*ns = ((uint64_t)part[0] * 3600 + part[1] * 60 + part[2]) * 1000000000u;
	if ((s[i] == '.' || s[i] == ',') && isdigit((unsigned char)s[i + 1])) {
		uint64_t unit = 100000000;

		for (i++; isdigit((unsigned char)s[i]); i++, unit /= 10)
			*ns += (uint64_t)(s[i] - '0') * unit;
	}
	return i;
}

/* [ 1141.838463] */
static bool seconds(const char *s, uint64_t *ns)
{
	uint64_t whole = 0, unit = 100000000;
	unsigned digits = 0;

	while (*s == ' ')
		s++;
	for (; isdigit((unsigned char)*s) && digits < 10; s++, digits++)
		whole = whole * 10 + (uint64_t)(*s - '0');
	if (!digits || *s++ != '.' || !isdigit((unsigned char)*s))
		return false;
	*ns = whole * 1000000000u;
	for (; isdigit((unsigned char)*s); s++, unit /= 10)
		*ns += (uint64_t)(*s - '0') * unit;
	return *s == ']';
}

#define DAY_NS UINT64_C(86400000000000)

/* 2024-01-10 or 2024/01/10 in front of a time; days in a calendar of 31-day months order well. */
static bool date(const char *s, uint64_t *days)
{
	for (int i = 0; i < 10; i++)
		if (i == 4 || i == 7 ? s[i] != '-' && s[i] != '/' : !isdigit((unsigned char)s[i]))
			return false;
	*days = ((uint64_t)(s[0] - '0') * 1000 + (uint64_t)(s[1] - '0') * 100 +
		 (uint64_t)(s[2] - '0') * 10 + (uint64_t)(s[3] - '0')) *
			372 +
		((uint64_t)(s[5] - '0') * 10 + (uint64_t)(s[6] - '0')) * 31 +
		(uint64_t)(s[8] - '0') * 10 + (uint64_t)(s[9] - '0');
	return true;
}

/* "Jan 10 18:06:44"; s stands at the month. */
static bool syslog_date(const char *s, uint64_t *ns)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (unsigned m = 0; m < 12; m++) {
		if (strncmp(s, months + 3 * m, 3) || s[3] != ' ')
			continue;
		unsigned i = s[4] == ' ' ? 5 : 4, day = 0;

		while (isdigit((unsigned char)s[i]) && day < 32)
			day = day * 10 + (unsigned)(s[i++] - '0');
		if (!day || day > 31 || s[i] != ' ' || !time_of_day(s + i + 1, ns))
			return false;
		*ns += (m * 31u + day) * DAY_NS;
		return true;
	}
	return false;
}

/* The first that stands near the start of the line. */
static void find_stamp(struct dump_lines *l)
{
	const char *s = l->text;
	size_t end = l->length < 200 ? l->length : 200;
	uint64_t days, ns;

	l->clock = CQESIM_DUMP_NO_TIME;
	l->stamp_ns = 0;
	for (size_t i = 0; i < end; i++) {
		bool start = !i || !isalnum((unsigned char)s[i - 1]);

		if (s[i] == '[' && seconds(s + i + 1, &ns)) {
			l->clock = CQESIM_DUMP_SECONDS;
		} else if (!start) {
			continue;
		} else if (end - i > 18 && date(s + i, &days) &&
			   (s[i + 10] == 'T' || s[i + 10] == ' ') && time_of_day(s + i + 11, &ns)) {
			l->clock = CQESIM_DUMP_DATE;
			ns = ns % DAY_NS + days * DAY_NS;
		} else if (end - i > 14 && syslog_date(s + i, &ns)) {
			l->clock = CQESIM_DUMP_YEAR;
		} else if (isdigit((unsigned char)s[i]) && (!i || s[i - 1] != ':') &&
			   time_of_day(s + i, &ns)) {
			l->clock = CQESIM_DUMP_DAY;
		} else {
			continue;
		}
		/* The kernel's own clock is finer than what a logger put in front of it. */
		l->stamp_ns = ns;
		if (l->clock == CQESIM_DUMP_SECONDS)
			return;
		for (size_t k = i; k < end; k++)
			if (s[k] == '[' && seconds(s + k + 1, &ns)) {
				l->clock = CQESIM_DUMP_SECONDS;
				l->stamp_ns = ns;
				break;
			}
		return;
	}
}

bool dump_lines_next(struct dump_lines *l)
{
	if (l->pos >= l->size)
		return false;
	l->line = l->number;
	l->offset = l->pos;
	l->length = 0;
	while (l->pos < l->size) {
		if (l->length == DUMP_LINE_MAX ||
		    (l->length > DUMP_LINE_MAX - 128 && l->in[l->pos] == ' '))
			break;
		int c = next_char(l);

		if (c == LINE_END)
			break;
		if (c != NOTHING)
			l->text[l->length++] = (char)c;
	}
	strip(l);
	find_stamp(l);
	return true;
}
