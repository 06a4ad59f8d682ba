/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the card tells of: counted, and with --trace written to a file, a JSON object
 * a line.  A completion's 64 bytes are in "raw", where cqesim walk looks for them.
 */
#include <errno.h>
#include <string.h>

#include "emu/internal.h"

#define FILE_BUFFER (1u << 20)

static struct {
	FILE *file;
	bool failed;
	uint64_t lines;
	uint64_t created[CQESIM_OBJECTS], modified[CQESIM_OBJECTS], destroyed[CQESIM_OBJECTS];
	char violation[256];
} events;

int emu_events_open(struct cqesim_error *err)
{
	const char *path = emu.settings->trace;

	if (!*path)
		return 0;
	events.file = fopen(path, "we");
	if (!events.file || setvbuf(events.file, NULL, _IOFBF, FILE_BUFFER))
		return cqesim_fail(err, -errno, "%s: cannot write: %s", path, strerror(errno));
	return 0;
}

void emu_events_close(void)
{
	if (events.file)
		fclose(events.file);
	events.file = NULL;
}

void emu_events_flush(void)
{
	if (events.file && (fflush(events.file) || ferror(events.file)) && !events.failed) {
		events.failed = true;
		emu_warn("%s: cannot write: %s", emu.settings->trace, strerror(errno));
	}
}

static void write_hex(FILE *f, const uint8_t *bytes, unsigned n)
{
	static const char digit[] = "0123456789abcdef";

	for (unsigned i = 0; i < n; i++) {
		const char text[2] = {digit[bytes[i] >> 4], digit[bytes[i] & 15]};

		fwrite(text, 2, 1, f);
	}
}

/* What is needed to follow the object's ring. */
static void write_attributes(FILE *f, const struct cqesim_card_event *e)
{
	const struct cqesim_card_cq *cq = e->attr;
	const struct cqesim_card_rq *rq = e->attr;
	const struct cqesim_card_sq *sq = e->attr;

	if (e->object == CQESIM_OBJECT_CQ && cq)
		fprintf(f,
			", \"log_size\": %u, \"layout\": \"%s\", \"mini_format\": \"%s\", "
			"\"compressed\": %s",
			cq->log_size, cq->layout == CQESIM_CQ_BASIC ? "basic" : "enhanced",
			cqesim_mini_format_name(cq->mini_format),
			cq->cqe_comp_en ? "true" : "false");
	else if (e->object == CQESIM_OBJECT_RQ && rq)
		fprintf(f, ", \"cq\": %u, \"striding\": %s, \"log_size\": %u", (unsigned)rq->cqn,
			rq->striding ? "true" : "false",
			rq->striding ? rq->strides.log_wqes : rq->log_size);
	else if (e->object == CQESIM_OBJECT_SQ && sq)
		fprintf(f, ", \"cq\": %u, \"log_size\": %u", (unsigned)sq->cqn, sq->log_size);
}

static void write_line(const struct cqesim_card_event *e)
{
	static const char *const kind[] = {
		[CQESIM_EVENT_CREATE] = "create",     [CQESIM_EVENT_MODIFY] = "modify",
		[CQESIM_EVENT_DESTROY] = "destroy",   [CQESIM_EVENT_POST] = "post",
		[CQESIM_EVENT_PACKET] = "packet",     [CQESIM_EVENT_CONSUME] = "consume",
		[CQESIM_EVENT_COMPLETE] = "complete", [CQESIM_EVENT_DROP] = "drop",
		[CQESIM_EVENT_INJECT] = "inject",     [CQESIM_EVENT_VIOLATION] = "violation",
		[CQESIM_EVENT_NOTIFY] = "notify",
	};
	static const char *const object[] = {"CQ", "RQ", "SQ", "RQT", "TIR"};
	static const char *const state[] = {[CQESIM_QUEUE_RST] = "reset",
					    [CQESIM_QUEUE_RDY] = "ready",
					    [CQESIM_QUEUE_ERR] = "error"};
	FILE *f = events.file;

	fprintf(f, "{\"ps\": %llu, \"event\": \"%s\", \"object\": \"%s\", \"number\": %u",
		(unsigned long long)e->now_ps, kind[e->kind], object[e->object],
		(unsigned)e->number);
	switch (e->kind) {
	case CQESIM_EVENT_CREATE:
		write_attributes(f, e);
		break;
	case CQESIM_EVENT_MODIFY:
		fprintf(f, ", \"state\": \"%s\"", e->index < 3 ? state[e->index] : "?");
		break;
	case CQESIM_EVENT_PACKET:
		fprintf(f, ", \"index\": %u, \"length\": %u, \"wqe\": \"", (unsigned)e->index,
			(unsigned)e->length);
		write_hex(f, e->raw, e->raw_bytes);
		fputc('"', f);
		break;
	case CQESIM_EVENT_INJECT:
		fprintf(f, ", \"syndrome\": %u", (unsigned)e->index);
		break;
	case CQESIM_EVENT_POST:
	case CQESIM_EVENT_CONSUME:
	case CQESIM_EVENT_NOTIFY:
		fprintf(f, ", \"index\": %u", (unsigned)e->index);
		break;
	case CQESIM_EVENT_COMPLETE:
		fprintf(f, ", \"slot\": %u, \"raw\": \"", (unsigned)e->index);
		write_hex(f, e->raw, 64);
		fputc('"', f);
		break;
	case CQESIM_EVENT_DROP:
		fprintf(f, ", \"cause\": \"%s\"", cqesim_rx_result_name(e->result));
		break;
	case CQESIM_EVENT_VIOLATION:
		fprintf(f, ", \"text\": \"%s\"", e->text); /* ours: nothing to be escaped */
		break;
	default:
		break;
	}
	fputs("}\n", f);
	events.lines++;
}

void emu_event(void *context, const struct cqesim_card_event *event)
{
	(void)context;
	switch (event->kind) {
	case CQESIM_EVENT_CREATE:
		events.created[event->object]++;
		break;
	case CQESIM_EVENT_MODIFY:
		events.modified[event->object]++;
		break;
	case CQESIM_EVENT_DESTROY:
		events.destroyed[event->object]++;
		break;
	case CQESIM_EVENT_VIOLATION:
		if (!*events.violation)
			snprintf(events.violation, sizeof(events.violation), "%s", event->text);
		emu_log("violation: %s", event->text);
		break;
	default:
		break;
	}
	if (event->object == CQESIM_OBJECT_RQ &&
	    (event->kind == CQESIM_EVENT_MODIFY || event->kind == CQESIM_EVENT_DESTROY))
		emu_source_pause();
	emu_inject_event(event);
	emu_notify_event(event);
	if (event->object == CQESIM_OBJECT_SQ && event->kind == CQESIM_EVENT_DESTROY)
		emu_order_forget(event->number);
	if (events.file)
		write_line(event);
}

void emu_events_statistics(struct emu_statistics *s)
{
	memcpy(s->created, events.created, sizeof(s->created));
	memcpy(s->modified, events.modified, sizeof(s->modified));
	memcpy(s->destroyed, events.destroyed, sizeof(s->destroyed));
	memcpy(s->violation, events.violation, sizeof(s->violation));
	s->event_lines = events.lines;
	s->trace_failed = events.failed;
}
