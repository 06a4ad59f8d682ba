/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core.c - what a core does besides polling without end: frames of several calls,
 * interrupts and sleep, register writes, absences, and stalls for memory; as text
 * where there is any of it, as JSON always.
 */
#include "report/report_internal.h"

/* Share of all cores' time. */
static double share_of_run(const struct cqesim_result *r, uint64_t ps)
{
	return report_ratio((double)ps, (double)cqesim_run_ps(r) * r->queues);
}

static double per(uint64_t part, uint64_t whole)
{
	return report_ratio((double)part, (double)whole);
}

static void memory_text(struct report_out *o, const struct cqesim_result *r)
{
	const struct cqesim_memory_result *m = &r->memory;
	const struct cqesim_profile *host = r->config->host;
	const struct cqesim_param *cycles = &host->param[CQESIM_HOST_CYC_MEMORY];
	uint64_t ddio = cqesim_profile_u64(host, CQESIM_HOST_DDIO);

	if (!(cycles->number > 0))
		return;
	report_row(
		o, "memory",
		"rings and filled buffers take %s bytes, of which the cache may hold %s%s: %s of "
		"the lines that the card wrote are gone when the core reads them, which costs %s "
		"cycles per packet from a plain CQE, %s per packet and %s more per session from "
		"compressed ones (%s cycles a line, %s)",
		report_count(m->working_set).s, report_count(ddio).s,
		ddio ? "" : " (not known: all lines are counted)", report_percent(m->missed).s,
		report_real(m->plain_cycles, 1).s, report_real(m->mini_cycles, 1).s,
		report_real(m->session_cycles, 1).s, cycles->text,
		cqesim_grade_name(cycles->grade));
}

void report_core(struct report_out *o, const struct cqesim_result *r)
{
	const struct cqesim_host_stats *h = &r->host;
	uint64_t frames = h->polls - h->burst_hist[0]; /* striding: others held fillers alone */

	if (r->config->frame)
		report_row(o, "frames",
			   "%s with packets, %s calls of the driver that returned some: %s a frame",
			   report_count(frames).s, report_count(h->calls).s,
			   report_real(per(h->calls, frames), 2).s);
	if (h->interrupts)
		report_row(o, "interrupts", "%s, %s packets each; cores asleep %s of the time",
			   report_count(h->interrupts).s,
			   report_real(per(h->packets, h->interrupts), 2).s,
			   report_percent(share_of_run(r, h->asleep_ps)).s);
	if (h->tail_writes)
		report_row(o, "tail writes", "%s, one for %s packets",
			   report_count(h->tail_writes).s,
			   report_real(per(h->packets, h->tail_writes), 2).s);
	if (h->away_ps)
		report_row(o, "away", "cores did something else for %s of the time",
			   report_percent(share_of_run(r, h->away_ps)).s);
	memory_text(o, r);
	if (cqesim_poll_is_ixgbe(cqesim_sim_poll_rule(r->config->driver)))
		report_para(o, 2,
			    "How many packets a call takes and when buffers are posted are the "
			    "ixgbe driver's; the card stays an mlx5 (%s).",
			    r->config->device->name);
}

static json_t *memory_json(struct report_json *j, const struct cqesim_result *r)
{
	const struct cqesim_memory_result *m = &r->memory;
	json_t *o;

	if (!(cqesim_profile_num(r->config->host, CQESIM_HOST_CYC_MEMORY) > 0))
		return json_null();
	o = json_object();
	report_put_u64(j, o, "working_set", m->working_set);
	report_put_u64(j, o, "ddio_share", cqesim_profile_u64(r->config->host, CQESIM_HOST_DDIO));
	report_put_real(j, o, "missed", m->missed);
	report_put_real(j, o, "plain_cycles", m->plain_cycles);
	report_put_real(j, o, "mini_cycles", m->mini_cycles);
	report_put_real(j, o, "session_cycles", m->session_cycles);
	return o;
}

json_t *report_core_json(struct report_json *j, const struct cqesim_result *r)
{
	const struct cqesim_host_stats *h = &r->host;
	json_t *o = json_object();

	report_put_u64(j, o, "calls", r->config->frame ? h->calls : h->polls);
	report_put_u64(j, o, "interrupts", h->interrupts);
	report_put_real(j, o, "packets_per_interrupt", per(h->packets, h->interrupts));
	report_put_real(j, o, "asleep_share", share_of_run(r, h->asleep_ps));
	report_put_u64(j, o, "tail_writes", h->tail_writes);
	report_put_real(j, o, "away_share", share_of_run(r, h->away_ps));
	report_put(j, o, "memory", memory_json(j, r));
	return o;
}
