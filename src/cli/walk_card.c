/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace of an emulated card (cqesim card --trace), walked: one completion queue,
 * and in text what happened around it.  The ring is built up in a copy from the
 * completions in the trace; the reader goes as far as the program's consumer index
 * went, each time that it moved.
 */
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "walk_run.h"

#define QUEUES 4096u /* numbers of a trace that are known; a card counts them from 1 */

enum { KIND_RQ, KIND_SQ, KINDS };

struct followed {
	struct walking *k;
	const char *file;
	unsigned line;
	FILE *stream;
	char *text;
	size_t text_size;
	uint8_t *ring;
	uint32_t cq; /* 0: not chosen yet */
	uint32_t cq_of[KINDS][QUEUES];
	struct cqesim_cq_shape shape[QUEUES]; /* by number of the CQ; log_size 0 and not made: */
	bool made[QUEUES];
	bool over; /* the queue was destroyed, or --packets are through */
	struct cqesim_error *err;
};

bool walk_is_card_trace(const char *file)
{
	static const char begin[] = "{\"ps\": ";
	char bytes[sizeof(begin) - 1];
	FILE *f = strcmp(file, "-") ? fopen(file, "rb") : NULL;
	bool is = false;

	if (!f)
		return false;
	is = fread(bytes, sizeof(bytes), 1, f) == 1 && !memcmp(bytes, begin, sizeof(bytes));
	fclose(f);
	return is;
}

/* ---- a line's values ---- */

static int missing(struct followed *f, const char *key)
{
	return cqesim_fail(f->err, -EINVAL, "%s: line %u: expected \"%s\" as cqesim card writes it",
			   f->file, f->line, key);
}

static const char *word(const json_t *event, const char *key)
{
	const char *text = json_string_value(json_object_get(event, key));

	return text ? text : "";
}

/* -EINVAL: not there, or more than that. */
static int number(struct followed *f, const json_t *event, const char *key, uint64_t most,
		  uint64_t *value)
{
	const json_t *v = json_object_get(event, key);

	if (!json_is_integer(v) || json_integer_value(v) < 0 ||
	    (uint64_t)json_integer_value(v) > most)
		return missing(f, key);
	*value = (uint64_t)json_integer_value(v);
	return 0;
}

static int kind_of(const json_t *event)
{
	const char *object = word(event, "object");

	return !strcmp(object, "RQ") ? KIND_RQ : !strcmp(object, "SQ") ? KIND_SQ : -1;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int parse_raw(struct followed *f, const json_t *event, uint8_t raw[CQESIM_CQE_BYTES])
{
	const char *text = word(event, "raw");

	if (strlen(text) != 2 * CQESIM_CQE_BYTES)
		return missing(f, "raw");
	for (unsigned i = 0; i < CQESIM_CQE_BYTES; i++) {
		int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return missing(f, "raw");
		raw[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

/* ---- what happened around the queue, in text ---- */

static void say(const struct followed *f, uint64_t ps, const char *fmt, ...)
{
	va_list ap;

	if (f->k->o->json)
		return;
	printf("%14.3f us  ", (double)ps / 1e6);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

static int around(struct followed *f, const json_t *event, uint64_t ps, unsigned number_of)
{
	const char *kind = word(event, "event"), *object = word(event, "object");
	uint64_t index = 0, length = 0;
	int rc = 0;

	if (!strcmp(kind, "post")) {
		rc = number(f, event, "index", UINT32_MAX, &index);
		say(f, ps, "doorbell record of %s %u: posted up to index %u", object, number_of,
		    (unsigned)index);
	} else if (!strcmp(kind, "packet")) {
		rc = number(f, event, "index", UINT32_MAX, &index);
		rc = rc ? rc : number(f, event, "length", UINT32_MAX, &length);
		say(f, ps, "%s %u: a packet of %u bytes %s WQE %u: %s", object, number_of,
		    (unsigned)length, *object == 'R' ? "for" : "from", (unsigned)index,
		    word(event, "wqe"));
	} else if (!strcmp(kind, "drop")) {
		say(f, ps, "%s %u: a packet is lost: %s", object, number_of, word(event, "cause"));
	} else if (!strcmp(kind, "notify")) {
		say(f, ps, "%s %u: an event, for who sleeps", object, number_of);
	} else if (!strcmp(kind, "inject")) {
		rc = number(f, event, "syndrome", 255, &index);
		say(f, ps, "%s %u: an error on purpose, syndrome 0x%02x", object, number_of,
		    (unsigned)index);
	} else if (!strcmp(kind, "modify")) {
		say(f, ps, "%s %u: state %s", object, number_of, word(event, "state"));
	} else if (!strcmp(kind, "violation")) {
		say(f, ps, "%s %u: %s", object, number_of, word(event, "text"));
	}
	return rc;
}

/* ---- the completion queue ---- */

static int created(struct followed *f, const json_t *event, unsigned number_of)
{
	int kind = kind_of(event);
	uint64_t value = 0;
	int rc;

	if (kind >= 0) {
		rc = number(f, event, "cq", QUEUES - 1, &value);
		f->cq_of[kind][number_of] = (uint32_t)value;
		return rc;
	}
	if (strcmp(word(event, "object"), "CQ"))
		return 0;
	rc = number(f, event, "log_size", CQESIM_CQ_LOG_MAX, &value);
	int format = cqesim_mini_format_parse(word(event, "mini_format"));
	if (!rc && format < 0)
		rc = missing(f, "mini_format");
	if (rc)
		return rc;
	f->made[number_of] = true;
	f->shape[number_of] = (struct cqesim_cq_shape){
		.log_size = (unsigned)value,
		.format = (enum cqesim_mini_format)format,
		.layout = strcmp(word(event, "layout"), "enhanced") ? CQESIM_CQ_BASIC
								    : CQESIM_CQ_ENHANCED,
	};
	return 0;
}

static int begin(struct followed *f)
{
	const struct walk_options *o = f->k->o;
	struct cqesim_cq_shape *shape = &f->shape[f->cq];
	enum cqesim_invalidate driver =
		o->driver < 0 ? CQESIM_INVALIDATE_DPDK_VEC : (enum cqesim_invalidate)o->driver;

	if (!f->made[f->cq])
		return cqesim_fail(f->err, -EINVAL, "%s: line %u: completion queue %u was not made",
				   f->file, f->line, (unsigned)f->cq);
	f->ring = aligned_alloc(64, cqesim_cq_ring_bytes(shape));
	if (!f->ring)
		return cqesim_fail(f->err, -ENOMEM, "out of memory");
	cqesim_cq_init_ring(f->ring, shape);
	return walk_begin(f->k, f->ring, shape, driver, 0, f->err);
}

static int completed(struct followed *f, const json_t *event)
{
	uint64_t slot = 0;
	uint32_t last = (UINT32_C(1) << f->shape[f->cq].log_size) - 1;
	int rc = number(f, event, "slot", last, &slot);

	if (!rc)
		rc = parse_raw(f, event, f->ring + slot * CQESIM_CQE_BYTES);
	return rc ? rc : cqesim_walk_wrote(f->k->walk, (uint32_t)slot);
}

/* Is the reader before this index, of 24 bits? */
static bool before(const struct followed *f, uint32_t index)
{
	uint32_t distance = (index - f->k->walk->reader.ci) & 0xffffff;

	return distance && distance < 0x800000;
}

static int consumed(struct followed *f, const json_t *event, uint64_t ps)
{
	const struct walk_options *o = f->k->o;
	uint64_t index = 0;
	int rc = number(f, event, "index", 0xffffff, &index);

	say(f, ps, "doorbell record of CQ %u: consumed up to index %u", (unsigned)f->cq,
	    (unsigned)index);
	cqesim_walk_time(f->k->walk, ps);
	while (!rc && before(f, (uint32_t)index)) {
		rc = walk_on(f->k, 1, f->err);
		if (!rc && f->k->last.kind == CQESIM_WALK_STOP) {
			say(f, ps,
			    "the program consumed what this reader does not find at index %u: "
			    "another --driver?",
			    (unsigned)f->k->walk->reader.ci);
			f->k->cut = f->over = true;
			break;
		}
		if (!rc && o->packets && f->k->walk->packets >= o->packets) {
			f->k->cut = f->over = true;
			break;
		}
	}
	return rc;
}

/* ---- lines ---- */

static int one_event(struct followed *f, const json_t *event)
{
	const char *kind = word(event, "event"), *object = word(event, "object");
	uint64_t ps = 0, n = 0;
	int queue = kind_of(event);
	int rc = number(f, event, "ps", INT64_MAX, &ps);

	rc = rc ? rc : number(f, event, "number", QUEUES - 1, &n);
	if (rc)
		return rc;
	if (!strcmp(kind, "create"))
		return created(f, event, (unsigned)n);
	bool is_cq = !strcmp(object, "CQ");
	uint32_t cq = is_cq ? (uint32_t)n : queue >= 0 ? f->cq_of[queue][n] : 0;
	if (!f->cq)
		f->cq = f->k->o->cq ? f->k->o->cq
			: queue == KIND_RQ && (!strcmp(kind, "post") || !strcmp(kind, "packet"))
				? cq
				: 0;
	if (!cq || cq != f->cq)
		return 0;
	if (!f->k->walk) {
		rc = begin(f);
		if (rc)
			return rc;
	}
	if (is_cq && !strcmp(kind, "destroy"))
		f->over = true;
	if (is_cq && !strcmp(kind, "complete"))
		return completed(f, event);
	if (is_cq && !strcmp(kind, "consume"))
		return consumed(f, event, ps);
	return around(f, event, ps, (unsigned)n);
}

/* 1; 0: the end. */
static int next_line(struct followed *f)
{
	json_error_t error;
	ssize_t n = getline(&f->text, &f->text_size, f->stream);

	if (n < 0)
		return ferror(f->stream)
			       ? cqesim_fail(f->err, -EIO, "%s: %s", f->file, strerror(errno))
			       : 0;
	f->line++;
	/* A program that was killed has not written its last line to the end. */
	if (f->text[n - 1] != '\n') {
		complain("warning: %s: line %u: cut off, not read", f->file, f->line);
		return 0;
	}
	json_t *event = json_loads(f->text, 0, &error);
	if (!event)
		return cqesim_fail(f->err, -EINVAL, "%s: line %u: %s", f->file, f->line,
				   error.text);
	int rc = one_event(f, event);
	json_decref(event);
	return rc ? rc : 1;
}

int walk_card(struct walking *k)
{
	struct cqesim_error err = {""};
	struct followed *f = calloc(1, sizeof(*f));
	int rc = 1;

	if (!f) {
		complain("out of memory");
		return EXIT_INPUT;
	}
	f->k = k;
	f->file = k->source = k->o->input;
	f->err = &err;
	f->stream = fopen(f->file, "r");
	if (!f->stream)
		rc = cqesim_fail(&err, -errno, "%s: %s", f->file, strerror(errno));
	while (rc > 0 && !f->over)
		rc = next_line(f);
	if (rc >= 0 && !k->walk)
		rc = cqesim_fail(&err, -EINVAL,
				 k->o->cq ? "%s: nothing happened to completion queue %u"
					  : "%s: no packet went to a receive queue",
				 f->file, (unsigned)k->o->cq);
	const char *error = rc < 0 && rc != -ECANCELED ? err.text : NULL;
	if (k->walk && rc != -EPIPE) {
		int end = walk_end(k, error, &err);

		rc = error ? rc : end;
	}
	if (rc < 0 && rc != -EPIPE && rc != -ECANCELED)
		complain("%s", err.text);
	if (f->stream)
		fclose(f->stream);
	free(f->text);
	free(f->ring);
	free(f);
	int code = close_stdout();
	return rc < 0 && rc != -ECANCELED ? EXIT_INPUT : code;
}
