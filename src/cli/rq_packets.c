/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim rq: lists of packets, numbers with units, frames of captures. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rq.h"

#define LENGTH_MAX 65535u

/* The classic mix, 7 : 4 : 1 of 64, 594 and 1518 bytes with FCS, spread evenly. */
static const uint32_t imix[12] = {60, 590, 60, 60, 590, 60, 1514, 60, 590, 60, 590, 60};

struct list {
	struct rq_packet *packet;
	size_t n, room;
};

static int append(struct list *l, struct rq_packet p, uint64_t count, struct cqesim_error *err)
{
	if (count > RQ_LIST_MAX - l->n)
		return cqesim_fail(err, -EINVAL, "more than %u packets", RQ_LIST_MAX);
	if (l->n + count > l->room) {
		size_t room = 2 * (l->n + count);
		struct rq_packet *more = realloc(l->packet, room * sizeof(*more));

		if (!more)
			return cqesim_fail(err, -ENOMEM, "out of memory");
		l->packet = more;
		l->room = room;
	}
	while (count--)
		l->packet[l->n++] = p;
	return 0;
}

/* A number up to high at *text; moves on behind it. */
static bool number(const char **text, uint64_t low, uint64_t high, uint64_t *value)
{
	char digits[24];
	size_t n = strspn(*text, "0123456789");

	if (!n || n >= sizeof(digits))
		return false;
	memcpy(digits, *text, n);
	digits[n] = '\0';
	*text += n;
	return parse_count(digits, low, high, false, value);
}

static bool mark(char c, struct rq_packet *p)
{
	switch (c) {
	case 'p':
		p->tcp_flags |= CQESIM_TCP_PSH;
		return true;
	case 'f':
		p->tcp_flags |= CQESIM_TCP_FIN;
		return true;
	case 's':
		p->tcp_flags |= CQESIM_TCP_SYN;
		return true;
	case 'r':
		p->tcp_flags |= CQESIM_TCP_RST;
		return true;
	case 'g':
		p->gap = true;
		return true;
	default:
		return false;
	}
}

/* "1514", "1514x3", "1514p", "imix:20" */
static int item(const char **text, bool marks, struct list *l, struct cqesim_error *err)
{
	const char *start = *text;
	uint64_t length, count = 1;
	struct rq_packet p = {.tcp_flags = CQESIM_TCP_ACK};
	int rc = 0;

	if (!strncmp(start, "imix:", 5)) {
		*text += 5;
		if (!number(text, 1, RQ_LIST_MAX, &count))
			goto bad;
		for (uint64_t i = 0; i < count && !rc; i++) {
			p.length = imix[i % 12];
			rc = append(l, p, 1, err);
		}
		return rc;
	}
	if (!number(text, 1, LENGTH_MAX, &length))
		goto bad;
	p.length = (uint32_t)length;
	if (**text == 'x') {
		++*text;
		if (!number(text, 1, RQ_LIST_MAX, &count))
			goto bad;
	}
	while (marks && **text && mark(**text, &p))
		++*text;
	if (!**text || **text == ',')
		return append(l, p, count, err);
bad:
	return cqesim_fail(err, -EINVAL,
			   "at \"%.20s\": expected a length from 1 to %u, LENGTHxCOUNT or imix:N%s",
			   start, LENGTH_MAX,
			   marks ? ", with p, f, s, r or g behind it for PSH, FIN, SYN, RST or a "
				   "lost segment"
				 : "");
}

int rq_parse_packets(const char *text, bool marks, struct rq_packet **packet, size_t *n,
		     struct cqesim_error *err)
{
	struct list l = {0};
	int rc;

	do {
		rc = item(&text, marks, &l, err);
	} while (!rc && *text == ',' && text++);
	if (!rc && *text)
		rc = cqesim_fail(err, -EINVAL, "at \"%.20s\": expected a comma", text);
	if (rc) {
		free(l.packet);
		return rc;
	}
	*packet = l.packet;
	*n = l.n;
	return 0;
}

bool rq_parse_counts(const char *text, uint64_t high, uint64_t *value, unsigned *n)
{
	*n = 0;
	do {
		if (*n == RQ_ROWS_MAX || !number(&text, 0, high, &value[*n]))
			return false;
		++*n;
	} while (*text == ',' && text++);
	return !*text;
}

bool rq_parse_bytes(const char *text, uint64_t low, uint64_t high, uint64_t *bytes)
{
	static const struct {
		const char *unit;
		unsigned shift;
	} unit[] = {{"", 0},     {"K", 10}, {"KiB", 10}, {"M", 20},
		    {"MiB", 20}, {"G", 30}, {"GiB", 30}};
	uint64_t n;

	if (!number(&text, 0, UINT64_MAX >> 30, &n))
		return false;
	for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
		if (!strcmp(text, unit[i].unit)) {
			*bytes = n << unit[i].shift;
			return *bytes >= low && *bytes <= high;
		}
	return false;
}

bool rq_parse_ratio(const char *text, struct rq_ratio *r)
{
	uint64_t whole;

	*r = (struct rq_ratio){.den = 1};
	if (!number(&text, 0, 1000, &whole))
		return false;
	r->num = whole;
	if (*text == '.' && text[1])
		for (text++; isdigit((unsigned char)*text) && r->den < 1000000000; text++) {
			r->num = r->num * 10 + (uint64_t)(*text - '0');
			r->den *= 10;
		}
	return !*text;
}

bool rq_parse_percent(const char *text, double *low, double *high)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	*low = *high = strtod(text, &end);
	if (*end == '-' && isdigit((unsigned char)end[1]))
		*high = strtod(end + 1, &end);
	return (!*end || !strcmp(end, "%")) && *low <= *high && *high <= 100;
}

const char *rq_source(const struct rq_options *o)
{
	return !o->file_count       ? "the packets given"
	       : o->file_count == 1 ? o->files[0]
				    : "the captures";
}

static int list_frames(const struct rq_options *o, rq_each each, void *context)
{
	for (size_t i = 0; i < o->packets; i++) {
		const struct rq_packet *p = &o->packet[i];
		struct cqesim_frame f = {
			.time_ps = i * o->gap_ns * 1000,
			.orig_len = p->length,
			.len = p->length,
		};

		if (each(context, &f, p))
			break;
	}
	return 0;
}

int rq_frames(const struct rq_options *o, rq_each each, void *context)
{
	const struct cqesim_frame *frame;
	struct cqesim_error err = {""};
	struct cqesim_trace *trace;
	int n, stop = 0;

	if (!o->file_count)
		return list_frames(o, each, context);
	if (cqesim_trace_open(&trace, o->files, o->file_count, &o->trace, &err)) {
		complain("%s", err.text);
		return EXIT_INPUT;
	}
	while (!stop && (n = cqesim_trace_next(trace, &frame, &err)) > 0)
		for (int i = 0; i < n && !stop; i++)
			stop = each(context, &frame[i], NULL);
	if (!stop && n < 0)
		complain("%s", err.text);
	else if (cqesim_trace_stats(trace)->truncated)
		complain("%s; what was read before it counts",
			 cqesim_trace_stats(trace)->truncated_where);
	if (cqesim_trace_stats(trace)->skipped[CQESIM_SKIP_ZERO_LENGTH])
		complain("%llu records without a byte were left out, the first: %s",
			 (unsigned long long)cqesim_trace_stats(trace)
				 ->skipped[CQESIM_SKIP_ZERO_LENGTH],
			 cqesim_trace_stats(trace)->zero_where);
	cqesim_trace_close(trace);
	return !stop && n < 0 ? EXIT_INPUT : 0;
}
