/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cqesim replay --ndr: the highest rate without loss of each policy.
 *
 * The top is what the port's wire carries.  How a rate is made follows --rate: a
 * capture's own times, stretched (default); packets evenly spaced (a rate in
 * pps); or frames one behind the other on a slower wire (any other rate, and
 * synthetic workloads).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "common/outfile.h"
#include "replay_many.h"
#include "replay_run.h"

#define COMMAND "replay"
/* Of a capture that is shorter, when --repeat says nothing. */
#define TRIAL_PACKETS UINT64_C(4000000)
/* A trial keeps pace if it is not further behind at its end than 1 in so many of its time. */
#define PACE 2000u

struct ndr {
	struct options options; /* what all trials share */
	const char *const *files;
	size_t n;
	enum cqesim_rate_kind kind;
	double line_bps, top_pps, top_speedup;
	uint64_t usual_ps; /* so far behind is any run: time-outs, latencies, two full polls */
	uint64_t uncounted;
	const char *policy[3];
	struct cqesim_ndr_row row[3];
	double tolerance[3];
	int code[3];
};

/* What one policy's search hands to its trials. */
struct search {
	struct ndr *ndr;
	unsigned number;
	int code;
};

static int stop_at_loss(void *context, const struct cqesim_trace_stats *stats)
{
	(void)stats;
	return cqesim_sim_lost(context) > 0;
}

static struct cqesim_rate rate_of(const struct ndr *n, uint64_t parts)
{
	double share = (double)parts / (double)CQESIM_NDR_PARTS;
	struct cqesim_rate rate = {.kind = n->kind, .den = 1000};

	if (n->kind == CQESIM_RATE_BPS)
		return (struct cqesim_rate){.kind = n->kind,
					    .num = (uint64_t)n->line_bps * parts,
					    .den = CQESIM_NDR_PARTS};
	if (n->kind == CQESIM_RATE_PPS) {
		rate.num = (uint64_t)(n->top_pps * share * 1e3 + 0.5);
	} else {
		rate.den = 1000000000;
		rate.num = (uint64_t)(n->top_speedup * share * 1e9 + 0.5);
	}
	rate.num += !rate.num;
	return rate;
}

static void judge(const struct ndr *n, const struct cqesim_result *r,
		  struct cqesim_ndr_trial *trial)
{
	uint64_t lost = r->dropped[CQESIM_DROP_BUFFER_FULL] +
			r->dropped[CQESIM_DROP_OUT_OF_BUFFER] + r->tx_dropped;
	uint64_t end_ps = r->sent_end_ps > r->end_ps ? r->sent_end_ps : r->end_ps;

	cqesim_summarize(r, &trial->summary);
	trial->behind_ps = end_ps > r->duration_ps ? end_ps - r->duration_ps : 0;
	trial->passed = !lost && trial->behind_ps <= n->usual_ps + r->duration_ps / PACE;
}

static int trial(void *context, bool whole, struct cqesim_ndr_trial *trial)
{
	struct search *s = context;
	struct ndr *n = s->ndr;
	struct options o = n->options;
	struct cqesim_error err = {""};
	struct run run = {0};

	o.trace.rate = rate_of(n, trial->parts);
	replay_option(&o, "cqe-comp", n->policy[s->number]);
	s->code = run_set_up(&run, &o, n->files, n->n, &err);
	if (!s->code) {
		struct cqesim_sim *sim = run.replay.sim[0];

		run.replay.progress = whole ? NULL : stop_at_loss;
		run.replay.progress_context = sim;
		int rc = cqesim_replay_run(&run.replay, &err);

		if (!rc) {
			const struct cqesim_result *r = cqesim_sim_result(sim);

			judge(n, r, trial);
			trial->cut_short = false;
			if (trial->passed)
				n->tolerance[s->number] =
					2.0 / PACE + (double)n->usual_ps / (double)r->duration_ps;
		} else if (rc == -EINTR) {
			trial->cut_short = true;
		} else {
			complain("%s", err.text);
			s->code = rc == -EBADMSG ? EXIT_INTERNAL : EXIT_INPUT;
		}
	}
	run_clean_up(&run);
	return s->code ? -EIO : 0;
}

static int search_one(void *context, unsigned i)
{
	struct ndr *n = context;
	struct search s = {.ndr = n, .number = i};
	int rc = cqesim_ndr_search(trial, &s, &n->row[i].ndr);

	n->row[i].policy = n->policy[i];
	return rc < 0 ? s.code : EXIT_GOOD;
}

/* One reading of a capture: how many packets, bits on the wire, how long. */
static int measure(struct ndr *n, struct run *run, double *packets)
{
	const struct cqesim_frame *frames;
	struct cqesim_error err = {""};
	double bits = 0;
	int got;

	*packets = 0;
	while ((got = cqesim_trace_next(run->trace, &frames, &err)) > 0) {
		*packets += got;
		for (int i = 0; i < got; i++)
			bits += 8.0 * (frames[i].len + CQESIM_FCS_BYTES + CQESIM_WIRE_GAP_BYTES);
	}
	if (got < 0) {
		complain("%s", err.text);
		return EXIT_INPUT;
	}
	double seconds = (double)cqesim_trace_stats(run->trace)->last_ps * 1e-12;

	if (*packets < 2 || (n->kind == CQESIM_RATE_SPEEDUP && !(seconds > 0))) {
		complain("--ndr: expected at least two packets at different times");
		return EXIT_INPUT;
	}
	n->top_pps = n->line_bps / bits * *packets;
	n->top_speedup = seconds * n->line_bps / bits;
	return EXIT_GOOD;
}

/* Time-outs, latencies and two polls that are full. */
static uint64_t usual_ps(const struct run *run, unsigned burst)
{
	const struct cqesim_profile *app = run->application;
	double cycles = cqesim_profile_num(run->driver, CQESIM_DRV_CYC_POLL) +
			cqesim_profile_num(app, CQESIM_APP_CYC_POLL) +
			cqesim_profile_num(app, CQESIM_APP_CYC_CALL) +
			burst * (cqesim_profile_num(run->driver, CQESIM_DRV_CYC_PACKET) +
				 cqesim_profile_num(run->driver, CQESIM_DRV_CYC_SESSION) +
				 cqesim_profile_num(app, CQESIM_APP_CYC_PACKET) +
				 cqesim_profile_num(run->host, CQESIM_HOST_CYC_MISS));
	double ps = 2 * cycles / cqesim_profile_num(run->host, CQESIM_HOST_CLOCK) * 1e3;

	ps += 1e3 * (cqesim_profile_num(run->device, CQESIM_DEV_COMP_TIMEOUT) +
		     cqesim_profile_num(run->device, CQESIM_DEV_WRITE_LATENCY) +
		     cqesim_profile_num(run->driver, CQESIM_DRV_IRQ_LATENCY));
	ps += 1e6 * cqesim_profile_num(run->driver, CQESIM_DRV_CQ_PERIOD);
	return (uint64_t)ps;
}

static int prepare(struct ndr *n)
{
	struct options o = n->options;
	struct cqesim_error err = {""};
	struct cqesim_rate rate = {0};
	struct run run = {0};
	double packets = 0;

	if (o.rate && cqesim_rate_parse(o.rate, 1000000000, &rate, &err))
		return usage_error(COMMAND, "--%s", err.text);
	n->kind = rate.kind == CQESIM_RATE_PPS                  ? CQESIM_RATE_PPS
		  : rate.kind == CQESIM_RATE_BPS || o.synthetic ? CQESIM_RATE_BPS
								: CQESIM_RATE_SPEEDUP;
	n->options.rate = o.rate = NULL;
	int code = run_set_up(&run, &o, n->files, n->n, &err);
	if (!code) {
		unsigned burst = cqesim_sim_burst(&o.sim);
		unsigned frame = (unsigned)cqesim_profile_u64(run.application, CQESIM_APP_FRAME);

		n->line_bps =
			(double)(uint64_t)(cqesim_profile_num(run.device, CQESIM_DEV_PORT_SPEED) *
						   1e9 +
					   0.5);
		n->usual_ps = usual_ps(&run, frame ? frame : burst);
		if (!o.synthetic || n->kind != CQESIM_RATE_BPS)
			code = measure(n, &run, &packets);
	}
	if (!code && !o.synthetic && !o.trace.repeat && !o.trace.limit && packets < TRIAL_PACKETS)
		n->options.trace.repeat = (uint64_t)((double)TRIAL_PACKETS / packets) + 1;
	run_clean_up(&run);
	return code;
}

static int print(const struct ndr *n, unsigned rows)
{
	static const char *const spacing[] = {
		[CQESIM_RATE_PPS] = "packets evenly spaced at the port's line rate for this mix",
		[CQESIM_RATE_BPS] = "the port's line rate, frames one behind the other",
		[CQESIM_RATE_SPEEDUP] = "the capture's times, shortened to the port's line rate",
	};
	const struct options *o = &n->options;
	char *source = replay_source(o, n->files, n->n);
	struct cqesim_ndr_report report = {.source = source ? source : "",
					   .spacing = spacing[n->kind],
					   .row = n->row,
					   .rows = rows};
	struct cqesim_error err = {""};
	struct outfile out;
	int rc = outfile_open(&out, o->output ? o->output : "-", &err);

	for (unsigned i = 0; i < rows; i++) {
		const struct cqesim_ndr_trial *t =
			n->row[i].ndr.found ? &n->row[i].ndr.best : &n->row[i].ndr.above;

		if (n->tolerance[i] > report.tolerance)
			report.tolerance = n->tolerance[i];
		report.uncounted = t->passed ? t->summary.lost : 0;
	}
	if (!rc) {
		rc = o->format == JSON  ? cqesim_report_ndr_json(&report, out.stream, &err)
		     : o->format == CSV ? cqesim_report_ndr_csv(&report, out.stream, &err)
					: cqesim_report_ndr_text(&report, out.stream, &err);
		int closed = outfile_close(&out, !rc, rc ? NULL : &err);
		rc = rc ? rc : closed;
	}
	free(source);
	if (rc)
		complain("%s", err.text);
	return rc ? EXIT_INPUT : EXIT_GOOD;
}

int replay_ndr(const struct options *o, const char *const *files, size_t n)
{
	static const char *const all[3] = {"off", "balanced", "aggressive"};
	struct ndr ndr = {.options = *o, .files = files, .n = n};
	unsigned rows = 0;
	int code;

	for (unsigned i = 0; i < 3; i++)
		if (o->sim.comp == CQESIM_COMP_AS_PROFILED ||
		    o->sim.comp == CQESIM_COMP_CHOOSE_OFF + i)
			ndr.policy[rows++] = all[i];
	ndr.options.ndr = false;
	ndr.options.threads = 1;
	code = prepare(&ndr);
	if (!code)
		code = many_run(rows, o->threads, o->quiet, search_one, &ndr);
	return code ? code : print(&ndr, rows);
}
