/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What arrives at the card: frames of a capture or a workload, and with --sink loop
 * those that the program sent, with --cable those of the program at its other end.
 *
 * Nothing arrives before a receive queue has buffers; and when one is changed or
 * destroyed the source waits until that is so again, as if the cable were pulled.
 * What comes through a cable (--cable) does not wait, and is lost then.
 *
 * The emulation may be slower than the rate that was asked for.  Then all that is
 * to come is put off by what is missing (held back), rather than that packets pile
 * up which the card would have to take at once.
 */
#include <errno.h>
#include <string.h>

#include "cqesim/trace.h"
#include "emu/internal.h"

#define BATCH 32u
/* How far behind the source may fall before it is held back. */
#define SLACK_PS        UINT64_C(50000000)
#define POSTED_SLACK_PS UINT64_C(2000000)
/* Without TIRs or rules until then, frames are dealt to the queues in turn. */
#define DEAL_AFTER_PS UINT64_C(100000000000)
/* Often enough for ever. */
#define FOR_EVER (UINT64_C(1) << 40)

static struct {
	struct cqesim_trace *trace;
	const struct cqesim_frame *frames; /* of the batch in hand */
	unsigned count, at;
	bool running; /* somebody can receive */
	bool posted;  /* no faster than buffers are posted */
	bool started;
	uint64_t seen_ps;  /* when there were buffers, without TIRs or rules; 0: not seen */
	uint64_t ready_ps; /* when it first was so */
	bool done;
	uint64_t base_ps; /* card time at which the trace began, put off included */
	uint64_t handed, held_back_ps;
} source;

int emu_source_open(struct cqesim_error *err)
{
	const struct emu_settings *s = emu.settings;
	struct cqesim_trace_config config = {
		.limit = s->limit,
		.repeat = s->repeat ? s->repeat : FOR_EVER,
	};
	const char *path = s->source_text;
	const char *rate = s->rate;

	source.posted = !strcmp(rate, "posted");
	if (source.posted)
		rate = "line";
	if (*rate) {
		int rc = cqesim_rate_parse(rate, emu.port_bps, &config.rate, err);

		if (rc)
			return rc;
	}
	switch (s->source) {
	case EMU_SOURCE_SYNTHETIC:
		return cqesim_trace_open_synthetic(&source.trace, s->source_text, emu.port_bps,
						   &config, err);
	case EMU_SOURCE_NUMBERED:
		return cqesim_trace_open_numbered(&source.trace, s->source_text, emu.port_bps,
						  &config, err);
	case EMU_SOURCE_CAPTURE:
		return cqesim_trace_open(&source.trace, &path, 1, &config, err);
	case EMU_SOURCE_NONE:
		source.done = true;
		return 0;
	}
	return cqesim_fail(err, -EINVAL, "source %d: no such kind", (int)s->source);
}

void emu_source_pause(void)
{
	source.running = false;
	source.seen_ps = 0;
}

bool emu_source_running(void)
{
	return source.running;
}

/* More frames in hand; false: there are none any more. */
static bool fetch(void)
{
	struct cqesim_error err = {""};

	while (source.at == source.count && !source.done) {
		int n = cqesim_trace_next(source.trace, &source.frames, &err);

		source.at = 0;
		source.count = n > 0 ? (unsigned)n : 0;
		if (n > 0)
			break;
		source.done = true;
		if (n < 0) {
			emu_warn("%s", err.text);
			snprintf(emu.shared->statistics.message,
				 sizeof(emu.shared->statistics.message), "%s", err.text);
		}
	}
	return source.at < source.count;
}

/* The source's clock stood still: the next frame is due now. */
static void put_off(uint64_t now_ps)
{
	source.base_ps += now_ps - (source.base_ps + source.frames[source.at].time_ps);
}

/*
 * Too slow: the next frame is late by no more than the slack.  Some lateness remains, so
 * that frames are handed over several at a time.
 */
static void hold_back(uint64_t now_ps)
{
	uint64_t due_ps = source.base_ps + source.frames[source.at].time_ps;
	uint64_t slack_ps = source.posted ? POSTED_SLACK_PS : SLACK_PS;

	if (due_ps + slack_ps >= now_ps)
		return;
	source.base_ps += now_ps - slack_ps - due_ps;
	if (!source.posted)
		source.held_back_ps += now_ps - slack_ps - due_ps;
}

/* How many of the frames in hand are due. */
static unsigned due(uint64_t now_ps, unsigned max)
{
	unsigned n = 0;

	while (n < max && source.at + n < source.count &&
	       source.base_ps + source.frames[source.at + n].time_ps <= now_ps)
		n++;
	return n;
}

/* How many were taken; waits: those for which there are buffers. */
static unsigned give(uint64_t now_ps, const struct cqesim_frame *frames, unsigned n, bool waits)
{
	if (!waits) {
		cqesim_card_receive(emu.card, now_ps, emu_order_mark(frames, n), n);
		return n;
	}
	unsigned taken = cqesim_card_receive_posted(emu.card, now_ps, emu_order_mark(frames, n), n);

	emu_order_taken(taken, n);
	return taken;
}

static unsigned from_outside(uint64_t now_ps, uint64_t credits)
{
	if (!fetch())
		return 0;
	if (!source.started) {
		if (now_ps < source.ready_ps + emu.settings->wait_ps)
			return 0;
		source.started = true;
		source.base_ps = now_ps - source.frames[source.at].time_ps;
	}
	hold_back(now_ps);
	unsigned max = source.posted && credits < BATCH ? (unsigned)credits : BATCH;
	unsigned n = due(now_ps, max);
	if (n) {
		n = give(now_ps, source.frames + source.at, n,
			 source.posted || emu.settings->sink == EMU_SINK_LOOP);
		source.at += n;
		source.handed += n;
	}
	return n;
}

/* Looped frames wait for buffers rather than that they are lost. */
static unsigned from_loop(uint64_t now_ps, uint64_t credits)
{
	struct cqesim_frame frames[BATCH];
	unsigned n = emu_loop_peek(frames, credits < BATCH ? (unsigned)credits : BATCH);

	if (n) {
		n = give(now_ps, frames, n, true);
		emu_loop_take(n);
	}
	return n;
}

/* They come when they come: what has no buffer is lost, but with --rate posted. */
static unsigned from_cable(uint64_t now_ps, uint64_t credits)
{
	const struct cqesim_frame *frames;
	unsigned max = source.posted && credits < BATCH ? (unsigned)credits : BATCH;
	unsigned n = emu_cable_peek(&frames, max);

	if (n) {
		n = give(now_ps, frames, n, source.posted);
		emu_cable_take(n);
	}
	return n;
}

/*
 * A driver makes its queues ready first and tells where frames go a little later, but for an
 * isolated port, where it never does.  The card cannot know which it will be: it waits for a
 * while, and then deals to the queues in turn.
 */
static bool steering_is_told(uint64_t now_ps)
{
	if (cqesim_card_is_steered(emu.card)) {
		source.seen_ps = 0;
		return true;
	}
	if (!source.seen_ps)
		source.seen_ps = now_ps;
	return now_ps - source.seen_ps >= DEAL_AFTER_PS;
}

unsigned emu_source_run(uint64_t now_ps)
{
	bool loop = emu.settings->sink == EMU_SINK_LOOP;
	bool cable = emu.settings->sink == EMU_SINK_CABLE;
	uint64_t credits = 0;

	if (cable)
		emu_cable_time(now_ps);
	if (!source.running || source.posted || loop)
		credits = cqesim_card_credits(emu.card);
	if (!source.running) {
		if (!credits) /* of a cable: nobody takes it */
			return cable ? from_cable(now_ps, credits) : 0;
		if (!steering_is_told(now_ps))
			return 0;
		source.running = true;
		if (!source.ready_ps)
			source.ready_ps = now_ps;
		if (source.started && fetch())
			put_off(now_ps);
	}
	unsigned n = loop ? from_loop(now_ps, credits) : cable ? from_cable(now_ps, credits) : 0;
	return n + from_outside(now_ps, credits > n ? credits - n : 0);
}

bool emu_source_active(void)
{
	if (!source.running)
		return false;
	return emu.settings->source == EMU_SOURCE_NONE || emu.settings->sink == EMU_SINK_LOOP ||
	       emu.settings->sink == EMU_SINK_CABLE ||
	       (source.started && (!source.done || source.at < source.count));
}

void emu_source_statistics(struct emu_statistics *s)
{
	s->source_frames = source.handed;
	s->source_done = source.done;
	s->held_back_ps = source.held_back_ps;
}
