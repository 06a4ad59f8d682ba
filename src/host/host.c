/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver's queue from outside: made, asked, destroyed.  The loop itself: poll.c. */
#include <errno.h>
#include <stdlib.h>

#include "host_internal.h"

/* A frame of 4096 packets of 64 KiB, in millionths, is less than 2^64. */
#define BYTE_CYCLES_MAX 1e4
/* With batch_reads the ring is read when so many packets wait for it. */
#define READ_BATCH 256u

const char *cqesim_shortage_name(enum cqesim_shortage shortage)
{
	static const char *const name[CQESIM_SHORTAGES] = {"link", "application", "core", "ring"};

	return (unsigned)shortage < CQESIM_SHORTAGES ? name[shortage] : "unknown";
}

static bool costs_are_good(const struct cqesim_host_config *c)
{
	const double cycles[] = {
		c->poll_cycles,      c->empty_poll_cycles,    c->plain_cycles, c->mini_cycles,
		c->session_cycles,   c->call_cycles,          c->app_cycles,   c->tail_cycles,
		c->interrupt.cycles, c->interrupt.arm_cycles,
	};

	for (size_t i = 0; i < sizeof(cycles) / sizeof(cycles[0]); i++)
		if (!host_cycles_are_good(cycles[i]))
			return false;
	return c->clock_hz >= 1e6 && c->clock_hz <= 1e11 && host_milli(c->empty_poll_cycles) &&
	       c->byte_cycles >= 0 && c->byte_cycles <= BYTE_CYCLES_MAX &&
	       (!c->frame || (c->app_cycles <= c->plain_cycles && c->app_cycles <= c->mini_cycles));
}

static bool sizes_are_good(const struct cqesim_host_config *c)
{
	return c->burst >= cqesim_poll_burst_min(c->rule) && c->burst <= CQESIM_BURST_MAX &&
	       (!c->frame || (c->frame >= c->burst && c->frame <= CQESIM_FRAME_MAX));
}

static bool config_is_good(const struct cqesim_host_config *c,
			   const struct cqesim_rq_poster *poster)
{
	if (!costs_are_good(c) || !sizes_are_good(c) || !host_away_is_good(&c->away) ||
	    (unsigned)c->rule > CQESIM_POLL_IXGBE_VEC ||
	    (unsigned)c->wakeup > CQESIM_WAKE_INTERRUPT)
		return false;
	if (cqesim_poll_is_ixgbe(c->rule))
		return !c->striding && poster &&
		       !cqesim_ixgbe_rule_check(c->rule, poster->mask + 1, c->replenish, NULL);
	return c->replenish && (c->striding || (poster && c->replenish <= poster->mask + 1));
}

/* What a packet and a call cost; a frame's application comes after its last call. */
static void set_costs(struct cqesim_host_queue *q, const struct cqesim_host_config *c)
{
	q->poll = host_milli(c->poll_cycles);
	q->empty = host_milli(c->empty_poll_cycles);
	q->empty_cost =
		q->empty * q->core.num; /* up to 10^10 x 10^9: the rate has a factor of 1000 */
	q->empty_inv = q->empty_cost > 1 ? cqesim_reciprocal(q->empty_cost) : 0;
	q->app = c->frame ? host_milli(c->app_cycles) : 0;
	q->plain = host_milli(c->plain_cycles) - q->app;
	q->mini = host_milli(c->mini_cycles) - q->app;
	q->session = host_milli(c->session_cycles);
	q->call = host_milli(c->call_cycles);
	q->tail = host_milli(c->tail_cycles);
	q->byte = (uint64_t)(c->byte_cycles * 1e6 + 0.5);
}

int cqesim_host_create(struct cqesim_host_queue **out, const struct cqesim_host_config *c,
		       const struct cqesim_cq_reader *reader, const struct cqesim_rq_poster *poster,
		       uint32_t *cq_dbrec, cqesim_host_deliver deliver, void *deliver_context)
{
	*out = NULL;
	if (!config_is_good(c, poster))
		return -EINVAL;

	struct cqesim_host_queue *q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->inbox.mask = reader->mask;
	q->inbox.event = calloc((size_t)reader->mask + 1, sizeof(*q->inbox.event));
	q->rule = c->rule;
	q->vec = c->rule == CQESIM_POLL_DPDK_VEC;
	q->batch_reads = c->batch_reads;
	q->unread_max = c->batch_reads ? READ_BATCH : 1;
	q->completion =
		calloc(READ_BATCH + c->burst + (size_t)reader->mask + 1, sizeof(*q->completion));
	bool gathers = c->rule == CQESIM_POLL_NAPI && !c->batch_reads;
	/* Striding: fillers that do not count come on top; no more than the ring has. */
	if (gathers)
		q->gathered = calloc(c->burst + (size_t)reader->mask + 1, sizeof(*q->gathered));
	/* Cycles have decimals (26.7 per packet): the core's clock counts thousandths. */
	if (!q->inbox.event || !q->completion || (gathers && !q->gathered) ||
	    cqesim_pacer_init(&q->core, (uint64_t)(c->clock_hz + 0.5) * 1000, 1)) {
		cqesim_host_destroy(q);
		return -ENOMEM;
	}
	q->reader = *reader;
	q->replenish = c->replenish;
	q->frame = c->frame;
	q->burst = c->frame ? c->frame : c->burst; /* at most so many between two frames */
	int rc = c->striding ? host_striding_create(q, c->striding) : 0;
	if (rc) {
		cqesim_host_destroy(q);
		return rc;
	}
	q->burst = q->burst_most = c->burst;
	if (!c->striding)
		q->poster = *poster;
	q->cq_dbrec = cq_dbrec;
	q->deliver = deliver;
	q->deliver_context = deliver_context;
	set_costs(q, c);
	host_away_init(&q->away, &c->away);
	if (c->wakeup == CQESIM_WAKE_INTERRUPT)
		host_wakeup_init(q, &c->interrupt);
	q->steady = !q->interrupts && q->away.next_ps == NEVER;
	*out = q;
	return 0;
}

void cqesim_host_destroy(struct cqesim_host_queue *q)
{
	if (!q)
		return;
	host_striding_free(q->striding);
	free(q->inbox.event);
	free(q->completion);
	free(q->gathered);
	free(q);
}

struct cqesim_host_inbox *cqesim_host_inbox(struct cqesim_host_queue *q)
{
	return &q->inbox;
}

void cqesim_host_published(struct cqesim_host_queue *q, uint64_t ps, uint32_t count)
{
	cqesim_host_announce(&q->inbox, ps, count, false);
}

int cqesim_host_flush(struct cqesim_host_queue *q)
{
	if (!q->failed)
		q->failed = host_read_ring(q);
	return q->failed;
}

uint64_t cqesim_host_next_ps(const struct cqesim_host_queue *q)
{
	return q->inbox.next_ps;
}

uint64_t cqesim_host_clock_ps(const struct cqesim_host_queue *q)
{
	return q->core.ps;
}

void cqesim_host_observe(struct cqesim_host_queue *q, cqesim_host_returned returned, void *context)
{
	q->returned = returned;
	q->returned_context = context;
}

/* Completions visible at now_ps and not returned by a call. */
static uint64_t landed(struct cqesim_host_queue *q, uint64_t now_ps)
{
	const struct cqesim_host_inbox *in = &q->inbox;

	/* Polls may have looked further than the last question did. */
	if ((int32_t)(q->seen - q->landed) > 0) {
		q->landed = q->seen;
		q->landed_count = q->taken + q->visible;
	}
	while (q->landed != in->tail && in->event[q->landed & in->mask].ps <= now_ps)
		q->landed_count += in->event[q->landed++ & in->mask].count;
	return q->landed_count - q->taken;
}

uint64_t cqesim_host_held(struct cqesim_host_queue *q, uint64_t now_ps)
{
	/* What is staged may have been posted already; if not, it is among the free ones. */
	return landed(q, now_ps) - q->staged + q->free_buffers;
}

enum cqesim_shortage cqesim_host_shortage(struct cqesim_host_queue *q, uint64_t now_ps)
{
	const struct host_striding *s = q->striding;
	uint64_t software = cqesim_host_held(q, now_ps);
	/* Striding: completions stand for strides; WQEs not posted yet are software's as well. */
	uint64_t all = s ? software + q->inbox.announced - q->landed_count : q->poster.mask + 1;

	if (s && s->used_up != s->filled)
		return CQESIM_SHORT_APPLICATION;
	if (2 * software < all && !(s && s->used_up != s->posted))
		return CQESIM_SHORT_LINK;
	return q->left_behind ? CQESIM_SHORT_CORE : CQESIM_SHORT_RING;
}

uint64_t cqesim_host_pending(const struct cqesim_host_queue *q)
{
	return q->inbox.announced - q->taken;
}

bool cqesim_host_in_turn(const struct cqesim_host_queue *q)
{
	return q->framing || q->open;
}

const struct cqesim_host_stats *cqesim_host_stats(const struct cqesim_host_queue *q)
{
	return &q->stats;
}

const struct cqesim_cq_fault *cqesim_host_fault(const struct cqesim_host_queue *q)
{
	return &q->fault;
}

const struct cqesim_cq_reader *cqesim_host_reader(const struct cqesim_host_queue *q)
{
	return &q->reader;
}
