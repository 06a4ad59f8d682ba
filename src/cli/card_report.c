/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of cqesim card, for people. */
#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "card.h"
#include "report/report_internal.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void end_words(int status, char *text, size_t size)
{
	if (WIFSIGNALED(status))
		snprintf(text, size, "was ended by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(text, size, "ended with status %d", WEXITSTATUS(status));
	else
		snprintf(text, size, "ended well");
}

/* Nothing came of it: what is missing? */
static void why_nothing(struct report_out *o, const struct card_outcome *c)
{
	const struct emu_statistics *s = c->s;

	switch (s->phase) {
	case EMU_PHASE_LOADED:
		report_para(o, 0,
			    "The program never asked for an RDMA device: is it a DPDK program, "
			    "with the mlx5 driver (librte-net-mlx5) installed, and did EAL start?");
		break;
	case EMU_PHASE_LISTED:
		report_para(o, 0,
			    "The driver listed the card and did not open it: what it printed says "
			    "why; --verbose shows its calls.");
		break;
	case EMU_PHASE_FAILED:
		report_para(o, 0, "There was no card: %s.", s->message);
		break;
	default:
		report_para(o, 0,
			    "The card was opened, but no receive queue ever had buffers, and "
			    "nothing was sent.");
		break;
	}
}

static void headline(struct report_out *o, const struct card_outcome *c,
		     const struct card_figures *f)
{
	const struct cqesim_card_stats *s = &c->s->card;
	const char *name = base_name(c->o->program[0]);
	char end[96];

	end_words(c->status, end, sizeof(end));
	if (s->delivered || s->sent)
		report_para(o, 0,
			    "%s received %s packet%s (%s) and sent %s (%s) in %s s; %s %s lost. It "
			    "%s.",
			    name, report_count(s->delivered).s, report_plural(s->delivered),
			    report_rate(report_ratio((double)s->delivered, f->packets_seconds)).s,
			    report_count(s->sent).s,
			    report_rate(report_ratio((double)s->sent, f->packets_seconds)).s,
			    report_real(f->packets_seconds, 2).s,
			    f->lost ? report_count(f->lost).s : "none",
			    f->lost == 1 ? "was" : "were", end);
	else {
		report_para(o, 0, "%s received and sent nothing. It %s.", name, end);
		why_nothing(o, c);
	}
	if (s->violations)
		report_para(o, 0, "%s rule%s of the interface %s broken, the first: %s",
			    report_count(s->violations).s, report_plural(s->violations),
			    s->violations == 1 ? "was" : "were", c->s->violation);
}

static void set_up(struct report_out *o, const struct card_outcome *c)
{
	const struct emu_settings *s = &c->o->settings;

	report_title(o, "Set-up");
	report_row(o, "device", "%s: %s", c->device->name, c->device->title);
	report_row(o, "link", "%s: PCIe Gen%u, %u lane%s", c->link->name, c->link->generation,
		   c->link->lanes, report_plural(c->link->lanes));
	report_row(o, "driver", "%s%suses %s", c->s->driver, *c->s->driver ? ", " : "",
		   c->s->phase <= EMU_PHASE_LISTED ? "nothing yet"
		   : c->s->devx                    ? "DevX"
						   : "verbs, without DevX");
	report_row(o, "source", "%s%s%s%s",
		   s->source == EMU_SOURCE_NONE        ? "none"
		   : s->source == EMU_SOURCE_SYNTHETIC ? "synthetic:"
		   : s->source == EMU_SOURCE_NUMBERED  ? "numbered:"
						       : "",
		   s->source == EMU_SOURCE_NONE ? "" : s->source_text, *s->rate ? ", rate " : "",
		   s->rate);
	report_row(o, "made",
		   "%llu CQs, %llu RQs, %llu SQs, %llu indirection tables, %llu TIRs; "
		   "%s steering objects, %s registered ranges at the end",
		   (unsigned long long)c->s->created[CQESIM_OBJECT_CQ],
		   (unsigned long long)c->s->created[CQESIM_OBJECT_RQ],
		   (unsigned long long)c->s->created[CQESIM_OBJECT_SQ],
		   (unsigned long long)c->s->created[CQESIM_OBJECT_RQT],
		   (unsigned long long)c->s->created[CQESIM_OBJECT_TIR],
		   report_count(c->s->steering_objects).s, report_count(c->s->regions).s);
	if (c->s->steering_refused)
		report_row(o, "refused", "%s steering rules that the card cannot follow",
			   report_count(c->s->steering_refused).s);
	if (s->time_scale != 1)
		report_row(o, "time", "a second of the card took %g here", s->time_scale);
}

static void losses(struct report_out *o, const struct card_outcome *c)
{
	const struct cqesim_card_stats *s = &c->s->card;

	report_title(o, "Arrived: %s packets", report_count(s->arrived).s);
	report_row(o, "delivered", "%s, %s B", report_count(s->delivered).s,
		   report_count(s->delivered_bytes).s);
	for (unsigned i = 0; i < CQESIM_RX_RESULTS; i++)
		if (s->lost[i])
			report_row(o, "lost", "%s: %s", report_count(s->lost[i]).s,
				   cqesim_rx_result_name(i));
	if (s->no_queue)
		report_row(o, "lost", "%s: no receive queue was ready",
			   report_count(s->no_queue).s);
	if (s->over_limit)
		report_row(o, "lost", "%s: longer than the MTU", report_count(s->over_limit).s);
	if (c->s->injected)
		report_row(o, "injected", "%s error%s, on purpose", report_count(c->s->injected).s,
			   report_plural(c->s->injected));
	if (c->o->settings.check_order)
		report_row(o, "order", "%s of %s numbered packets were sent, %s out of order",
			   report_count(c->s->back).s, report_count(c->s->marked).s,
			   report_count(c->s->out_of_order).s);
	if (c->s->held_back_ps)
		report_row(o, "held back",
			   "the source was slower than asked for by %s s of the card's time: the "
			   "emulation could do no more (--time-scale slows the card down)",
			   report_real((double)c->s->held_back_ps / 1e12, 3).s);
	if (*c->s->message)
		report_row(o, "source", "%s", c->s->message);
}

static void pcie(struct report_out *o, const struct card_outcome *c, const struct card_figures *f)
{
	const struct cqesim_tlps *t = c->s->nic.traffic;

	report_title(o, "PCIe: %s B up and %s B down per packet received", report_real(f->up, 2).s,
		     report_real(f->down, 2).s);
	fprintf(o->f, "  %-15s %-4s %15s %18s %18s %10s\n", "kind", "way", "TLPs", "payload B",
		"wire B", "B/packet");
	for (unsigned k = 0; k < CQESIM_TRAFFIC_KINDS; k++)
		if (t[k].count)
			fprintf(o->f, "  %-15s %-4s %15s %18s %18s %10s\n", report_traffic_words(k),
				cqesim_traffic_is_down(k) ? "down" : "up",
				report_count(t[k].count).s, report_count(t[k].payload).s,
				report_count(t[k].wire).s, report_real(f->bytes[k], 2).s);
	report_para(
		o, 2,
		"Link in use: %s up, %s down, DLLPs included, of the time in which packets could "
		"arrive. B/packet of Tx rows: per packet sent.",
		report_percent(f->use_up).s, report_percent(f->use_down).s);
}

static void completions(struct report_out *o, const struct card_outcome *c,
			const struct card_figures *f)
{
	const struct cqesim_nic_stats *nic = &c->s->nic;
	uint64_t ends = 0;

	if (!nic->sessions) {
		report_title(o, "Completions: %s, all plain", report_count(nic->plain).s);
		return;
	}
	report_title(o, "Completions: %s of packets in sessions of %s on average",
		     report_percent(f->compressed).s, report_real(f->session_mean, 2).s);
	report_row(o, "plain", "%s", report_count(nic->plain).s);
	report_row(o, "sessions", "%s with %s packets and %s mini arrays",
		   report_count(nic->sessions).s, report_count(nic->session_packets).s,
		   report_count(nic->arrays).s);
	for (unsigned i = 0; i < CQESIM_SESSION_ENDS; i++)
		ends += nic->session_ends[i];
	for (unsigned i = 0; i < CQESIM_SESSION_ENDS; i++)
		if (nic->session_ends[i])
			report_row(o, "ended by", "%s: %s (%s)", cqesim_session_end_name(i),
				   report_count(nic->session_ends[i]).s,
				   report_percent((double)nic->session_ends[i] / (double)ends).s);
}

/* Segments that the card joined. */
static void lro(struct report_out *o, const struct card_outcome *c)
{
	const struct cqesim_nic_stats *nic = &c->s->nic;
	uint64_t all = nic->lro_sessions + nic->lro_lone;

	if (!all)
		return;
	report_title(
		o, "LRO: %s segments became %s packets of %s on average, %s at most",
		report_count(nic->lro_segments).s, report_count(nic->lro_sessions).s,
		report_real(report_ratio((double)nic->lro_segments, (double)nic->lro_sessions), 2)
			.s,
		report_count(nic->lro_longest).s);
	report_row(o, "alone", "%s sessions ended with one segment", report_count(nic->lro_lone).s);
	for (unsigned i = 0; i < CQESIM_FLUSHES; i++)
		if (nic->lro_ends[i])
			report_row(o, "ended by", "%s: %s (%s)", cqesim_flush_name(i),
				   report_count(nic->lro_ends[i]).s,
				   report_percent((double)nic->lro_ends[i] / (double)all).s);
}

static void program(struct report_out *o, const struct card_outcome *c,
		    const struct card_figures *f)
{
	const struct cqesim_card_stats *s = &c->s->card;
	uint64_t classes[REPORT_CLASSES] = {0};

	if (!s->consumes)
		return;
	report_title(o, "The program took %s packets at a time, on average",
		     report_real(f->burst_mean, 2).s);
	for (unsigned i = 1; i < CQESIM_CARD_BURSTS; i++)
		classes[report_class(i)] += s->burst[i];
	report_bars(o, classes, ~0u, "completions", "steps");
	report_row(o, "waiting", "%s completions on average when a packet arrives, %s at most",
		   report_real(f->waiting_mean, 2).s, report_count(s->waiting_max).s);
	report_row(o, "posting", "%s WQEs with %s doorbells: %s at a time",
		   report_count(s->posted_wqes).s, report_count(s->posts).s,
		   report_real(report_ratio((double)s->posted_wqes, (double)s->posts), 2).s);
	if (s->notifies)
		report_row(
			o, "events", "%s of completion queues, %s packets each",
			report_count(s->notifies).s,
			report_real(report_ratio((double)s->delivered, (double)s->notifies), 2).s);
	report_para(o, 2,
		    "Steps of the consumer index as the card saw them; it looks now and then, so "
		    "short steps that follow each other closely may be one.");
}

static void sending(struct report_out *o, const struct card_outcome *c)
{
	const struct cqesim_card_stats *s = &c->s->card;
	const struct emu_statistics *e = c->s;
	double sent = (double)s->sent;

	if (!s->sent)
		return;
	report_title(o, "Sent: %s packets, %s B", report_count(s->sent).s,
		     report_count(s->sent_bytes).s);
	for (unsigned i = 0; i < CQESIM_SEND_KINDS; i++)
		if (s->send_kinds[i])
			report_row(o, cqesim_send_kind_name(i), "%s (%s)",
				   report_count(s->send_kinds[i]).s,
				   report_percent((double)s->send_kinds[i] / sent).s);
	report_row(o, "inline", "%s of the bytes",
		   report_percent(report_ratio((double)s->inline_bytes, (double)s->sent_bytes)).s);
	report_row(o, "WQEs", "%s: %s packets each; %s doorbells: %s packets each",
		   report_count(s->send_wqes).s,
		   report_real(report_ratio(sent, (double)s->send_wqes), 2).s,
		   report_count(s->send_doorbells).s,
		   report_real(report_ratio(sent, (double)s->send_doorbells), 2).s);
	report_row(o, "completions", "%s: one for %s packets; %s with an error",
		   report_count(s->send_completions).s,
		   report_real(report_ratio(sent, (double)s->send_completions), 2).s,
		   report_count(s->send_errors).s);
	if (e->looped)
		report_row(o, "loop", "%s arrived again; %s times one had to wait",
			   report_count(e->looped).s, report_count(e->loop_waits).s);
	if (e->sink_frames || e->sink_failed)
		report_row(o, "capture", "%s frames in %s%s", report_count(e->sink_frames).s,
			   c->o->settings.sink_file,
			   e->sink_failed ? ", which is incomplete: it could not be written" : "");
	if (e->sink_long)
		report_row(o, "too long", "%s frames were dropped", report_count(e->sink_long).s);
}

static void cable(struct report_out *o, const struct card_outcome *c)
{
	const struct emu_statistics *s = c->s;
	const struct cable_counts *n = &s->cable;

	if (c->o->settings.sink != EMU_SINK_CABLE)
		return;
	report_title(o, "Cable: end %c of %s", 'A' + c->o->settings.cable_end,
		     c->o->settings.cable);
	report_row(o, "out", "%s frames, %s B", report_count(n->out).s,
		   report_count(n->out_bytes).s);
	if (n->waits)
		report_row(o, "waits", "%s of those out found the cable full first",
			   report_count(n->waits).s);
	report_row(o, "in", "%s frames, %s B", report_count(n->in).s, report_count(n->in_bytes).s);
	if (n->down)
		report_row(o, "lost", "%s sent while no card was at the other end",
			   report_count(n->down).s);
	if (s->cable_left)
		report_row(o, "lost", "%s of those out: the other card went without taking them",
			   report_count(s->cable_left).s);
	if (s->cable_on_the_way)
		report_row(o, "on the way", "%s of those out, when this card went",
			   report_count(s->cable_on_the_way).s);
	if (n->damaged)
		report_row(o, "damaged", "%s entries in the cable's file were passed over",
			   report_count(n->damaged).s);
}

int card_report_text(const struct card_outcome *c, FILE *out, struct cqesim_error *err)
{
	struct card_figures f;
	struct report_out o;

	card_figures(c, &f);
	report_begin(&o, out);
	headline(&o, c, &f);
	set_up(&o, c);
	if (c->s->card.arrived)
		losses(&o, c);
	if (c->s->card.delivered || c->s->card.sent)
		pcie(&o, c, &f);
	if (c->s->card.delivered) {
		completions(&o, c, &f);
		lro(&o, c);
		program(&o, c, &f);
	}
	sending(&o, c);
	cable(&o, c);
	if (c->s->event_lines)
		report_row(&o, "trace", "%s events in %s%s", report_count(c->s->event_lines).s,
			   c->o->settings.trace,
			   c->s->trace_failed ? ", which is incomplete: it could not be written"
					      : "");
	return report_end(&o, err);
}
