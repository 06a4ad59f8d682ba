/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * format.c - how numbers and lines look: grouped thousands, a unit always,
 * "n/a" for what cannot be said, text wrapped at a hundred columns.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report_internal.h"

#define LABEL_WIDTH 14u
#define BAR_WIDTH   40u

/* Put a comma before every third digit from the right of the whole part. */
static struct numtext group(const char *plain)
{
	struct numtext t;
	size_t used = 0, sign = *plain == '-', whole = sign + strspn(plain + sign, "0123456789");

	for (size_t i = 0; plain[i] && used + 2 < sizeof(t.s); i++) {
		if (i > sign && i < whole && (whole - i) % 3 == 0)
			t.s[used++] = ',';
		t.s[used++] = plain[i];
	}
	t.s[used] = '\0';
	return t;
}

struct numtext report_count(uint64_t n)
{
	char plain[24];

	snprintf(plain, sizeof(plain), "%" PRIu64, n);
	return group(plain);
}

struct numtext report_real(double x, int decimals)
{
	char plain[64];

	if (!isfinite(x))
		return (struct numtext){"n/a"};
	if (fabs(x) >= 1e15)
		snprintf(plain, sizeof(plain), "%.3e", x);
	else
		snprintf(plain, sizeof(plain), "%.*f", decimals, x);
	/* "-0.00" is zero. */
	return group(*plain == '-' && strspn(plain + 1, "0.") == strlen(plain + 1) ? plain + 1
										   : plain);
}

/* The largest unit of a descending list in which x is at least 1. */
static struct numtext scaled(double x, int decimals, const char *const unit[4])
{
	static const double factor[4] = {1e9, 1e6, 1e3, 1};
	struct numtext t, number;
	unsigned i = 0;

	if (!isfinite(x))
		return (struct numtext){"n/a"};
	while (i < 3 && (!unit[i] || fabs(x) < factor[i]))
		i++;
	number = report_real(x / factor[i], decimals);
	snprintf(t.s, sizeof(t.s), "%.36s %s", number.s, unit[i]);
	return t;
}

struct numtext report_rate(double pps)
{
	return scaled(pps, 2, (const char *const[4]){NULL, "Mpps", "kpps", "pps"});
}

struct numtext report_bits(double bits_per_s)
{
	return scaled(bits_per_s, 2, (const char *const[4]){"Gb/s", "Mb/s", "kb/s", "b/s"});
}

struct numtext report_time(uint64_t ps)
{
	/* Picoseconds in 1e9, 1e6, 1e3 and 1 ns. */
	return scaled((double)ps / 1000, 3, (const char *const[4]){"s", "ms", "us", "ns"});
}

struct numtext report_percent(double share)
{
	struct numtext t, number = report_real(share * 100, 1);

	if (!isfinite(share))
		return number;
	/* What is there does not read as nothing, what is missing not as all. */
	if (share > 0 && share < 0.0005)
		return (struct numtext){"<0.1 %"};
	if (share < 1 - 1e-6 && share >= 0.9995)
		return (struct numtext){">99.9 %"};
	snprintf(t.s, sizeof(t.s), "%.40s %%", number.s);
	return t;
}

const char *report_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

struct numtext report_span(unsigned c, unsigned top)
{
	struct numtext t;
	unsigned low = c ? (1u << (c - 1)) + 1 : 1, high = 1u << c;

	if (top < high || c == REPORT_CLASSES - 1)
		high = top < low ? low : top;
	if (low == high)
		snprintf(t.s, sizeof(t.s), "%u", low);
	else
		snprintf(t.s, sizeof(t.s), "%u-%u", low, high);
	return t;
}

/* Bytes of the valid UTF-8 character at s (RFC 3629), 0 if there is none. */
static size_t utf8_length(const unsigned char *s)
{
	size_t n = *s < 0x80   ? 1
		   : *s < 0xc2 ? 0
		   : *s < 0xe0 ? 2
		   : *s < 0xf0 ? 3
		   : *s < 0xf5 ? 4
			       : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || /* overlong, surrogates */
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static bool is_control(const unsigned char *s, size_t length)
{
	return (length == 1 && (*s < 0x20 || *s == 0x7f)) ||
	       (length == 2 && *s == 0xc2 && s[1] < 0xa0);
}

char *report_clean(const char *text, bool terminal)
{
	const unsigned char *s = (const unsigned char *)text;
	char *clean = malloc(4 * strlen(text) + 1), *end = clean;

	if (!clean)
		return NULL;
	while (*s) {
		size_t n = utf8_length(s);

		if (terminal && (*s == '\n' || *s == '\t')) {
			*end++ = ' ';
			s++;
		} else if (n && !(terminal && is_control(s, n))) {
			memcpy(end, s, n);
			end += n;
			s += n;
		} else {
			for (n += !n; n; n--, s++)
				end += sprintf(end, "\\x%02x", *s);
		}
	}
	*end = '\0';
	return clean;
}

void report_begin(struct report_out *o, FILE *f)
{
	o->f = f;
	o->ret = 0;
	o->before = (locale_t)0;
	o->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (o->c)
		o->before = uselocale(o->c);
	errno = 0;
}

int report_end(struct report_out *o, struct cqesim_error *err)
{
	int code = -o->ret;

	if (o->c) {
		uselocale(o->before);
		freelocale(o->c);
	}
	if (code)
		return cqesim_fail(err, -code, "report: %s", strerror(code));
	if (fflush(o->f) || ferror(o->f)) {
		code = errno ? errno : EIO;
		return cqesim_fail(err, -code, "%s: %s",
				   fileno(o->f) == STDOUT_FILENO ? "standard output"
								 : "output file",
				   strerror(code));
	}
	return 0;
}

/* Columns that n bytes of UTF-8 take, one a character. */
static unsigned columns(const char *s, size_t n)
{
	unsigned c = 0;

	for (size_t i = 0; i < n; i++)
		c += ((unsigned char)s[i] & 0xc0) != 0x80;
	return c;
}

/* Words from column `at` on; following lines are indented. */
static void wrap(struct report_out *o, unsigned at, unsigned indent, const char *text)
{
	bool fresh = true;

	for (const char *w = text + strspn(text, " "); *w; w += strspn(w, " ")) {
		size_t n = strcspn(w, " ");
		unsigned width = columns(w, n);

		if (!fresh && at + 1 + width > REPORT_COLUMNS) {
			fprintf(o->f, "\n%*s", (int)indent, "");
			at = indent;
			fresh = true;
		}
		fprintf(o->f, "%s%.*s", fresh ? "" : " ", (int)n, w);
		at += width + !fresh;
		fresh = false;
		w += n;
	}
	fputc('\n', o->f);
}

static void wrapped(struct report_out *o, unsigned at, unsigned indent, const char *fmt,
		    va_list args) __attribute__((format(printf, 4, 0)));
static void wrapped(struct report_out *o, unsigned at, unsigned indent, const char *fmt,
		    va_list args)
{
	char *text = NULL, *clean = NULL;

	if (vasprintf(&text, fmt, args) < 0) {
		o->ret = -ENOMEM;
		return;
	}
	clean = report_clean(text, true);
	if (clean)
		wrap(o, at, indent, clean);
	else
		o->ret = -ENOMEM;
	free(clean);
	free(text);
}

void report_title(struct report_out *o, const char *fmt, ...)
{
	va_list args;

	fputc('\n', o->f);
	va_start(args, fmt);
	wrapped(o, 0, 0, fmt, args);
	va_end(args);
}

void report_para(struct report_out *o, unsigned indent, const char *fmt, ...)
{
	va_list args;

	fprintf(o->f, "%*s", (int)indent, "");
	va_start(args, fmt);
	wrapped(o, indent, indent, fmt, args);
	va_end(args);
}

void report_row(struct report_out *o, const char *label, const char *fmt, ...)
{
	va_list args;

	fprintf(o->f, "  %-*s", (int)LABEL_WIDTH, label);
	va_start(args, fmt);
	wrapped(o, 2 + LABEL_WIDTH, 2 + LABEL_WIDTH, fmt, args);
	va_end(args);
}

void report_labelled(struct report_out *o, unsigned indent, unsigned width, const char *label,
		     const char *fmt, ...)
{
	va_list args;

	fprintf(o->f, "%*s%-*s", (int)indent, "", (int)width, label);
	va_start(args, fmt);
	wrapped(o, indent + width, indent + width, fmt, args);
	va_end(args);
}

void report_bars(struct report_out *o, const uint64_t classes[REPORT_CLASSES], unsigned top,
		 const char *size, const char *unit)
{
	uint64_t all = 0, most = 0;
	unsigned first = REPORT_CLASSES, last = 0;

	for (unsigned i = 0; i < REPORT_CLASSES; i++) {
		all += classes[i];
		if (classes[i] > most)
			most = classes[i];
		if (classes[i] && first == REPORT_CLASSES)
			first = i;
		if (classes[i])
			last = i;
	}
	if (!all)
		return;
	fprintf(o->f, "  %16s  %15s  %8s\n", size, unit, "share");
	for (unsigned i = first; i <= last; i++) {
		double share = (double)classes[i] / (double)all;
		unsigned bar =
			(unsigned)((double)BAR_WIDTH * (double)classes[i] / (double)most + 0.5);

		if (classes[i] && !bar)
			bar = 1;
		fprintf(o->f, "  %16s  %15s  %8s%s%.*s\n", report_span(i, top).s,
			report_count(classes[i]).s, report_percent(share).s, bar ? "  " : "",
			(int)bar, "########################################");
	}
}
