/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linux's poll (en_rx.c mlx5e_poll_rx_cq): it takes completions one by one, "while
 * work_done < budget", and asks the ring again after each.  So what comes while it
 * runs is its own, up to the budget:
 *
 *   poll cycles ──► one there? ──► its packet's cycles ──┐
 *                    ▲    │no                            │
 *                    └────┼──────────────────────────────┘  until the budget is used up
 *                         ▼
 *                    the poll ends: buffers are posted
 *
 * The poll's own cycles come before the first packet; how many of them belong behind
 * the last one (en_txrx.c mlx5e_napi_poll polls the send queues before and posts buffers
 * after it) is not known.  A session's packets are taken one after the other as well
 * (mlx5e_decompress_cqes_start, mlx5e_decompress_cqes_cont).
 *
 * A poll may last longer than the time up to which completions were announced: it then
 * stays open, and goes on with the next step.
 */
#include "host_internal.h"

static void spend(struct cqesim_host_queue *q, uint64_t cycles)
{
	uint64_t begin_ps = q->core.ps;

	cqesim_pacer_advance(&q->core, host_apply_factor(q->away.factor, cycles));
	q->stats.busy_ps += q->core.ps - begin_ps;
	q->call_ps = q->core.ps;
}

static void begin(struct cqesim_host_queue *q)
{
	q->open = true;
	q->open_packets = q->open_fillers = 0;
	q->away.factor = host_draw_factor(&q->away);
	if (q->frame)
		q->burst = host_min(q->frame - q->frame_counted, q->burst_most);
	if (!q->framing)
		q->frame_occupancy = q->visible;
	spend(q, q->frame ? q->call : q->poll);
}

static unsigned counted(const struct cqesim_host_queue *q)
{
	return host_counted(q, q->open_packets, q->open_fillers);
}

/* The next completion, which is visible. */
static int take(struct cqesim_host_queue *q)
{
	bool first = !q->framing && !q->open_packets && !q->open_fillers, filler = false;
	struct host_call call = {0};
	unsigned n;

	if (q->left) {
		n = host_take_rest(q, &call, 1);
	} else {
		filler = host_peek_filler(q);
		n = host_take_entry(q, &call, 1);
	}
	*(filler ? &call.fillers : &call.packets) = n;
	q->open_packets += call.packets;
	q->open_fillers += call.fillers;
	q->free_buffers += q->striding ? 0 : 1;
	q->visible--;
	q->taken++;
	q->unread++;
	q->call_ps = q->core.ps;
	if (q->returned)
		host_tell(q, &call, first, q->frame_occupancy);

	uint64_t cost = (call.packets - call.minis) * q->plain + call.minis * q->mini +
			call.sessions * q->session;
	int rc = q->striding || q->byte ? host_read_now(q, &call, &cost) : 0;
	spend(q, cost);
	return rc;
}

static int end(struct cqesim_host_queue *q)
{
	q->open = false;
	q->left_behind = q->visible != 0;
	q->stats.calls += q->open_packets + q->open_fillers != 0;
	if (!q->striding && q->free_buffers >= q->replenish)
		q->post_due = q->free_buffers;
	if (q->frame) {
		spend(q, host_frame_called(q, q->open_packets, counted(q)));
	} else {
		host_count_burst(q, q->open_packets, q->frame_occupancy);
		q->arm_due = q->interrupts && counted(q) < q->burst;
	}
	if (!q->gathered)
		return 0;
	int rc = host_read_ring(q);

	if (rc >= 0)
		rc = host_deliver_gathered(q);
	return rc < 0 ? rc : 0;
}

int host_napi(struct cqesim_host_queue *q, uint64_t until_ps)
{
	if (!q->open)
		begin(q);
	while (counted(q) < q->burst) {
		if (q->core.ps > until_ps)
			return 0;
		host_look(q);
		if (!q->visible)
			break;
		int rc = take(q);
		if (rc < 0)
			return rc;
	}
	return end(q);
}
