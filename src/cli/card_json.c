/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of cqesim card, for programs. */
#include <string.h>
#include <sys/wait.h>

#include "card.h"
#include "report/report_internal.h"

static json_t *program(struct report_json *j, const struct card_outcome *c)
{
	json_t *o = json_object(), *words = json_array();

	for (char *const *a = c->o->program; *a; a++)
		report_add(j, words, report_string(j, *a));
	report_put(j, o, "arguments", words);
	if (WIFSIGNALED(c->status))
		report_put_u64(j, o, "signal", (uint64_t)WTERMSIG(c->status));
	else
		report_put_u64(j, o, "status", (uint64_t)WEXITSTATUS(c->status));
	return o;
}

static json_t *set_up(struct report_json *j, const struct card_outcome *c)
{
	static const char *const phases[] = {"loaded",  "listed", "opened",
					     "running", "closed", "failed"};
	static const char *const objects[] = {"cq", "rq", "sq", "rqt", "tir"};
	json_t *o = json_object(), *made = json_object();

	report_put_text(j, o, "device", c->device->name);
	report_put_text(j, o, "link", c->link->name);
	report_put_text(j, o, "phase", phases[c->s->phase]);
	report_put_text(j, o, "driver", *c->s->driver ? c->s->driver : NULL);
	report_put(j, o, "devx", json_boolean(c->s->devx));
	for (unsigned i = 0; i < CQESIM_OBJECTS; i++)
		report_put_u64(j, made, objects[i], c->s->created[i]);
	report_put(j, o, "created", made);
	report_put_u64(j, o, "steering_objects", c->s->steering_objects);
	report_put_u64(j, o, "rules_refused", c->s->steering_refused);
	report_put_u64(j, o, "regions", c->s->regions);
	report_put_u64(j, o, "calls", c->s->calls);
	report_put_real(j, o, "time_scale", c->o->settings.time_scale);
	report_put_text(j, o, "message", *c->s->message ? c->s->message : NULL);
	return o;
}

static json_t *lost(struct report_json *j, const struct card_outcome *c,
		    const struct card_figures *f)
{
	json_t *o = json_object();

	report_put_u64(j, o, "all", f->lost);
	for (unsigned i = 0; i < CQESIM_RX_RESULTS; i++)
		if (i != CQESIM_RX_DELIVERED)
			report_put_u64(j, o, cqesim_rx_result_name(i), c->s->card.lost[i]);
	report_put_u64(j, o, "no_queue", c->s->card.no_queue);
	report_put_u64(j, o, "ruled_out", c->s->card.ruled_out);
	report_put_u64(j, o, "over_mtu", c->s->card.over_limit);
	return o;
}

static json_t *received(struct report_json *j, const struct card_outcome *c,
			const struct card_figures *f)
{
	const struct cqesim_card_stats *s = &c->s->card;
	json_t *o = json_object(), *bursts = json_array();

	report_put_u64(j, o, "arrived", s->arrived);
	report_put_u64(j, o, "delivered", s->delivered);
	report_put_u64(j, o, "delivered_bytes", s->delivered_bytes);
	report_put_real(j, o, "pps", report_ratio((double)s->delivered, f->packets_seconds));
	report_put(j, o, "lost", lost(j, c, f));
	report_put_u64(j, o, "source_frames", c->s->source_frames);
	report_put(j, o, "source_done", json_boolean(c->s->source_done));
	report_put_real(j, o, "held_back_s", (double)c->s->held_back_ps / 1e12);
	report_put_u64(j, o, "posts", s->posts);
	report_put_u64(j, o, "posted_wqes", s->posted_wqes);
	report_put_u64(j, o, "consumes", s->consumes);
	for (unsigned i = 0; i < CQESIM_CARD_BURSTS; i++)
		report_add(j, bursts, report_u64(s->burst[i]));
	report_put(j, o, "burst_histogram", bursts);
	report_put_u64(j, o, "events", s->notifies);
	report_put_real(j, o, "burst_mean", f->burst_mean);
	report_put_real(j, o, "waiting_mean", f->waiting_mean);
	report_put_u64(j, o, "waiting_max", s->waiting_max);
	return o;
}

static json_t *sent(struct report_json *j, const struct card_outcome *c,
		    const struct card_figures *f)
{
	const struct cqesim_card_stats *s = &c->s->card;
	json_t *o = json_object(), *kinds = json_object();

	report_put_u64(j, o, "packets", s->sent);
	report_put_u64(j, o, "bytes", s->sent_bytes);
	report_put_real(j, o, "pps", report_ratio((double)s->sent, f->packets_seconds));
	for (unsigned i = 0; i < CQESIM_SEND_KINDS; i++)
		report_put_u64(j, kinds, cqesim_send_kind_name(i), s->send_kinds[i]);
	report_put(j, o, "kinds", kinds);
	report_put_u64(j, o, "inline_bytes", s->inline_bytes);
	report_put_u64(j, o, "wqes", s->send_wqes);
	report_put_u64(j, o, "doorbells", s->send_doorbells);
	report_put_u64(j, o, "completions", s->send_completions);
	report_put_u64(j, o, "errors", s->send_errors);
	report_put_u64(j, o, "looped", c->s->looped);
	report_put_u64(j, o, "loop_waits", c->s->loop_waits);
	report_put_u64(j, o, "captured", c->s->sink_frames);
	report_put(j, o, "capture_incomplete", json_boolean(c->s->sink_failed));
	report_put_u64(j, o, "too_long", c->s->sink_long);
	return o;
}

static json_t *order(struct report_json *j, const struct card_outcome *c)
{
	json_t *o = json_object();

	report_put_u64(j, o, "numbered", c->s->marked);
	report_put_u64(j, o, "sent", c->s->back);
	report_put_u64(j, o, "out_of_order", c->s->out_of_order);
	return o;
}

static json_t *cable(struct report_json *j, const struct card_outcome *c)
{
	const struct emu_settings *s = &c->o->settings;
	const struct cable_counts *n = &c->s->cable;
	json_t *o = json_object();

	report_put_text(j, o, "path", s->cable);
	report_put_text(j, o, "end", s->cable_end ? "B" : "A");
	report_put_u64(j, o, "out_frames", n->out);
	report_put_u64(j, o, "out_bytes", n->out_bytes);
	report_put_u64(j, o, "waits", n->waits);
	report_put_u64(j, o, "cable_down", n->down);
	report_put_u64(j, o, "left", c->s->cable_left);
	report_put_u64(j, o, "on_the_way", c->s->cable_on_the_way);
	report_put_u64(j, o, "in_frames", n->in);
	report_put_u64(j, o, "in_bytes", n->in_bytes);
	report_put_u64(j, o, "damaged", n->damaged);
	return o;
}

static json_t *link_json(struct report_json *j, const struct card_outcome *c,
			 const struct card_figures *f)
{
	json_t *o = json_object(), *traffic = json_object();

	report_put_real(j, o, "bytes_per_packet_up", f->up);
	report_put_real(j, o, "bytes_per_packet_down", f->down);
	report_put_real(j, o, "use_up", f->use_up);
	report_put_real(j, o, "use_down", f->use_down);
	for (unsigned k = 0; k < CQESIM_TRAFFIC_KINDS; k++) {
		const struct cqesim_tlps *t = &c->s->nic.traffic[k];
		json_t *row = json_object();

		report_put_u64(j, row, "tlps", t->count);
		report_put_u64(j, row, "payload", t->payload);
		report_put_u64(j, row, "wire", t->wire);
		report_put_real(j, row, "bytes_per_packet", f->bytes[k]);
		report_put(j, traffic, cqesim_traffic_name(k), row);
	}
	report_put(j, o, "traffic", traffic);
	return o;
}

static json_t *lro(struct report_json *j, const struct cqesim_nic_stats *nic)
{
	json_t *o = json_object(), *ends = json_object();

	report_put_u64(j, o, "sessions", nic->lro_sessions);
	report_put_u64(j, o, "segments", nic->lro_segments);
	report_put_u64(j, o, "lone", nic->lro_lone);
	report_put_u64(j, o, "longest", nic->lro_longest);
	for (unsigned i = 0; i < CQESIM_FLUSHES; i++)
		report_put_u64(j, ends, cqesim_flush_name(i), nic->lro_ends[i]);
	report_put(j, o, "ends", ends);
	return o;
}

static json_t *completions(struct report_json *j, const struct card_outcome *c,
			   const struct card_figures *f)
{
	const struct cqesim_nic_stats *nic = &c->s->nic;
	json_t *o = json_object(), *ends = json_object();

	report_put_u64(j, o, "plain", nic->plain);
	report_put_u64(j, o, "sessions", nic->sessions);
	report_put_u64(j, o, "session_packets", nic->session_packets);
	report_put_u64(j, o, "arrays", nic->arrays);
	report_put_real(j, o, "session_mean", f->session_mean);
	report_put_real(j, o, "compressed", f->compressed);
	for (unsigned i = 0; i < CQESIM_SESSION_ENDS; i++)
		report_put_u64(j, ends, cqesim_session_end_name(i), nic->session_ends[i]);
	report_put(j, o, "session_ends", ends);
	report_put(j, o, "lro", lro(j, nic));
	return o;
}

int card_report_json(const struct card_outcome *c, FILE *out, struct cqesim_error *err)
{
	struct report_json j = {false};
	struct card_figures f;
	json_t *root = json_object(), *time = json_object(), *rules = json_object();

	card_figures(c, &f);
	report_put_text(&j, root, "cqesim", cqesim_version());
	report_put(&j, root, "program", program(&j, c));
	report_put(&j, root, "setup", set_up(&j, c));
	report_put_real(&j, time, "running_s", f.seconds);
	report_put_real(&j, time, "packets_s", f.packets_seconds);
	report_put_real(&j, time, "card_running_s", f.card_seconds);
	report_put_real(&j, time, "open_s", (double)c->s->real_ns / 1e9);
	report_put(&j, root, "time", time);
	report_put(&j, root, "received", received(&j, c, &f));
	report_put(&j, root, "sent", sent(&j, c, &f));
	report_put(&j, root, "link", link_json(&j, c, &f));
	report_put(&j, root, "completions", completions(&j, c, &f));
	report_put_u64(&j, rules, "violations", c->s->card.violations);
	report_put_text(&j, rules, "first", *c->s->violation ? c->s->violation : NULL);
	report_put(&j, root, "rules", rules);
	report_put(&j, root, "order", c->o->settings.check_order ? order(&j, c) : json_null());
	report_put(&j, root, "cable",
		   c->o->settings.sink == EMU_SINK_CABLE ? cable(&j, c) : json_null());
	report_put_u64(&j, root, "injected", c->s->injected);
	report_put_u64(&j, root, "trace_events", c->s->event_lines);
	report_put(&j, root, "trace_incomplete", json_boolean(c->s->trace_failed));
	return report_dump(&j, root, out, err);
}
