/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A core that sleeps until its completion queue makes an event, as Linux does:
 *
 *   poll ends with less than its budget ──► armed, asleep ──► event ──► interrupt ──► poll
 *        │                                                                             ▲
 *        └── with all of it: goes on at once (net/core/dev.c, __napi_poll) ────────────┘
 *
 * Arming (mlx5e_cq_arm, at the end of mlx5e_napi_poll) tells the device the consumer
 * index.  It makes an event when there is a completion beyond that index, whether it
 * came before arming or after it, and moderation allows one:
 *
 *   cq_max_count  so many completions beyond the index: at once
 *   cq_period     the timer has run off.  cq_period_mode 0 (upon_event): it restarts
 *                 with each event, so that the first completion after a pause makes
 *                 one at once.  1 (upon_cqe): it restarts with each completion, so
 *                 that "for bursty traffic the period timer will never expire and
 *                 thus only the moderation frames counter will dictate".
 *
 * The modes' names and meaning: the device's manual as quoted in NVIDIA's dpcp, cq_attr
 * ("0 - disabled" of both numbers); the quotation: Linux's commit "net/mlx5e: CQE based
 * moderation" (2016); the same in Documentation/networking/ethtool-netlink.rst,
 * "Timer reset mode".  Linux's defaults (en.h): 32 packets; 16 us upon_event, 8 us (3 in
 * earlier ones) upon_cqe, adaptive moderation apart, which is not modelled.  Not documented,
 * and assumed: that the packets of a session count one by one; that completions which
 * software has polled no longer count; that a period of 0 leaves nothing to wait for.
 */
#include "host_internal.h"

void host_wakeup_init(struct cqesim_host_queue *q, const struct cqesim_host_interrupt *c)
{
	q->wakeup = (struct host_wakeup){
		.period_ps = c->period_ps,
		.latency_ps = c->latency_ps,
		.packets = c->packets,
		.from_cqe = c->period_from_cqe,
		.cycles = host_milli(c->cycles),
		.arm = host_milli(c->arm_cycles),
		.due_ps = NEVER,
	};
	q->interrupts = q->asleep = true;
	q->inbox.asleep = true;
	q->inbox.next_ps = NEVER;
}

void host_arm(struct cqesim_host_queue *q)
{
	struct host_wakeup *w = &q->wakeup;

	cqesim_pacer_advance(&q->core, w->arm);
	w->armed_ps = q->core.ps;
	w->cursor = q->head;
	w->unseen = 0;
	w->due_ps = NEVER;
	w->due_by_count = false;
	q->asleep = true;
	q->arm_due = false;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A completion that software has not seen, or a session. */
static void see(struct host_wakeup *w, const struct cqesim_host_event *e)
{
	w->unseen += e->count;
	if (!w->period_ps || (w->packets && w->unseen >= w->packets)) {
		w->due_by_count = true;
		w->due_ps = max(w->armed_ps, e->ps);
	} else if (w->from_cqe) {
		w->due_ps = max(w->armed_ps, host_later(e->ps, w->period_ps));
	} else if (w->due_ps == NEVER) {
		w->due_ps = max(max(w->armed_ps, e->ps), w->timer_ps);
	}
}

static const struct cqesim_host_event *unseen_event(const struct cqesim_host_queue *q)
{
	const struct cqesim_host_inbox *in = &q->inbox;

	return q->wakeup.cursor == in->tail ? NULL : &in->event[q->wakeup.cursor & in->mask];
}

/* Does the device make an event by until_ps?  At due_ps then. */
static bool event_by(struct cqesim_host_queue *q, uint64_t until_ps)
{
	struct host_wakeup *w = &q->wakeup;
	const struct cqesim_host_event *e;

	while (!w->due_by_count && (e = unseen_event(q)) && e->ps <= until_ps &&
	       e->ps < w->due_ps) {
		see(w, e);
		w->cursor++;
	}
	return w->due_ps <= until_ps;
}

uint64_t host_wake_ps(const struct cqesim_host_queue *q)
{
	const struct cqesim_host_event *e = q->wakeup.due_by_count ? NULL : unseen_event(q);

	return e && e->ps < q->wakeup.due_ps ? e->ps : q->wakeup.due_ps;
}

static void sleep_until(struct cqesim_host_queue *q, uint64_t ps)
{
	if (q->core.ps >= ps)
		return;
	q->stats.asleep_ps += ps - q->core.ps;
	cqesim_pacer_not_before(&q->core, ps);
}

bool host_wake(struct cqesim_host_queue *q, uint64_t until_ps)
{
	struct host_wakeup *w = &q->wakeup;

	if (!event_by(q, until_ps))
		return false;
	w->timer_ps = host_later(w->due_ps, w->period_ps);
	uint64_t begin_ps = host_later(w->due_ps, w->latency_ps);
	while (q->away.next_ps < begin_ps) {
		sleep_until(q, q->away.next_ps);
		host_go_away(q);
	}
	sleep_until(q, begin_ps);
	cqesim_pacer_advance(&q->core, w->cycles);
	q->stats.interrupts++;
	q->asleep = false;
	return true;
}
