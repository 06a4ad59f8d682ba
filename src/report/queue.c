/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * queue.c - receive queues in the report: shape, memory, what the packets took of
 * it, and, of striding queues, fillers, copies and buffers that were held.
 */
#include <stdio.h>

#include "report/report_internal.h"

static double wasted_share(const struct cqesim_rq_result *rq)
{
	return report_ratio((double)(rq->taken_bytes - rq->packet_bytes), (double)rq->taken_bytes);
}

struct rqtext report_rq_shape(const struct cqesim_result *r)
{
	const struct cqesim_rq_result *rq = &r->rq;
	struct rqtext t;

	if (rq->striding)
		snprintf(t.s, sizeof(t.s), "%s WQEs of %s strides", report_count(rq->wqes).s,
			 report_count(cqesim_strides_per_wqe(&rq->strides)).s);
	else
		snprintf(t.s, sizeof(t.s), "%s WQEs", report_count(rq->wqes).s);
	return t;
}

static void memory(struct report_out *o, const struct cqesim_rq_result *rq)
{
	report_row(o, "memory",
		   "of one queue: WQEs %s B, completion ring %s B, buffers in the ring %s B%s",
		   report_count(rq->wqe_ring_bytes).s, report_count(rq->cq_ring_bytes).s,
		   report_count(rq->buffer_bytes).s,
		   rq->striding && rq->buffers > rq->wqes ? "" : "; no others");
	if (rq->striding && rq->buffers > rq->wqes)
		report_row(o, "",
			   "buffers in all %s, one for each WQE and %s to replace them, %s B",
			   report_count(rq->buffers).s, report_count(rq->buffers - rq->wqes).s,
			   report_count(rq->buffer_bytes / rq->wqes * rq->buffers).s);
	report_row(o, "waste", "%s B of the %s B that delivered packets took, %s",
		   report_count(rq->taken_bytes - rq->packet_bytes).s,
		   report_count(rq->taken_bytes).s, report_percent(wasted_share(rq)).s);
}

static void striding(struct report_out *o, const struct cqesim_result *r)
{
	const struct cqesim_nic_stats *nic = &r->nic;
	const struct cqesim_host_stats *host = &r->host;

	report_row(o, "strides", "%s taken by packets, %s on average; %s WQEs used up",
		   report_count(nic->strides).s,
		   report_real(report_ratio((double)nic->strides, (double)r->delivered), 2).s,
		   report_count(nic->wqes).s);
	report_row(o, "fillers", "%s closed %s strides, %s B%s", report_count(nic->fillers).s,
		   report_count(nic->filler_strides).s, report_count(nic->filler_bytes).s,
		   nic->fillers ? ": the next packet did not fit" : "");
	report_row(o, "packets", "%s copied, %s handed on in their strides",
		   report_count(host->copied).s, report_count(r->delivered - host->copied).s);
	if (host->copied_in_need)
		report_row(o, "", "%s copied for want of a replacement buffer",
			   report_count(host->copied_in_need).s);
	if (host->overruns)
		report_row(
			o, "beware",
			"%s sessions were longer than the packet buffers at hand: DPDK's function "
			"goes wrong there, and this result is better than it",
			report_count(host->overruns).s);
	report_row(o, "buffers",
		   "%s WQEs posted with another buffer, as packets held theirs; %s had to wait for "
		   "one; most in use %s of %s",
		   report_count(host->replaced).s, report_count(host->waited).s,
		   report_count(host->buffers_max).s, report_count(r->rq.buffers).s);
	if (r->config->hold.every)
		report_row(o, "application", "kept every %s. packet, up to %s at a time",
			   report_count(r->config->hold.every).s, report_count(host->kept_max).s);
}

void report_rq(struct report_out *o, const struct cqesim_result *r)
{
	const struct cqesim_rq_result *rq = &r->rq;

	if (rq->striding)
		report_title(o,
			     "Receive queue: striding, %s of %s B%s, %s; %s of the room is not "
			     "filled",
			     report_rq_shape(r).s,
			     report_count(UINT64_C(1) << rq->strides.log_stride_bytes).s,
			     rq->strides.two_byte_shift ? ", two-byte shift" : "",
			     rq->strides.linked_list ? "linked list" : "in ring order",
			     report_percent(wasted_share(rq)).s);
	else
		report_title(
			o,
			"Receive queue: cyclic, %s of %u buffer%s, %s B for a packet; %s of the "
			"room is not filled",
			report_rq_shape(r).s, rq->segments, report_plural(rq->segments),
			report_count(rq->wqe_room).s, report_percent(wasted_share(rq)).s);
	memory(o, rq);
	if (rq->striding)
		striding(o, r);
}

/* Of packets that found no WQE: whose doing that is. */
void report_shortages(struct report_out *o, const struct cqesim_result *r)
{
	static const char *const words[CQESIM_SHORTAGES] = {
		[CQESIM_SHORT_APPLICATION] = "the application holds the WQEs' buffers",
		[CQESIM_SHORT_CORE] = "the core is too slow: its polls leave packets behind",
		[CQESIM_SHORT_RING] = "the ring is too small for what comes between two polls",
	};

	for (unsigned i = 0; i < CQESIM_SHORTAGES; i++)
		if (words[i] && r->shortage[i])
			report_labelled(o, 4, 16, cqesim_shortage_name(i), "%s: %s.",
					report_count(r->shortage[i]).s, words[i]);
}

/* ---- JSON ---- */

static void shape_json(struct report_json *j, json_t *o, const struct cqesim_rq_result *rq)
{
	const struct cqesim_strides_shape *s = &rq->strides;

	report_put_text(j, o, "type", rq->striding ? "striding" : "cyclic");
	report_put_u64(j, o, "wqes", rq->wqes);
	report_put_u64(j, o, "segments", rq->segments);
	report_put(j, o, "strides",
		   rq->striding ? report_u64(cqesim_strides_per_wqe(s)) : json_null());
	report_put(j, o, "stride_bytes",
		   rq->striding ? report_u64(UINT64_C(1) << s->log_stride_bytes) : json_null());
	report_put(j, o, "two_byte_shift", json_boolean(rq->striding && s->two_byte_shift));
	report_put(j, o, "linked_list", json_boolean(rq->striding && s->linked_list));
	report_put_u64(j, o, "wqe_room_bytes", rq->wqe_room);
	report_put_u64(j, o, "wqe_ring_bytes", rq->wqe_ring_bytes);
	report_put_u64(j, o, "cq_ring_bytes", rq->cq_ring_bytes);
	report_put_u64(j, o, "buffers", rq->buffers);
	report_put_u64(j, o, "buffer_bytes", rq->buffer_bytes);
}

json_t *report_rq_json(struct report_json *j, const struct cqesim_result *r)
{
	const struct cqesim_rq_result *rq = &r->rq;
	const struct cqesim_nic_stats *nic = &r->nic;
	const struct cqesim_host_stats *host = &r->host;
	json_t *o = json_object(), *shortage = json_object();

	shape_json(j, o, rq);
	report_put_u64(j, o, "taken_bytes", rq->taken_bytes);
	report_put_u64(j, o, "wasted_bytes", rq->taken_bytes - rq->packet_bytes);
	report_put_real(j, o, "wasted_share", wasted_share(rq));
	report_put_u64(j, o, "wqes_used", nic->wqes);
	report_put_u64(j, o, "strides_taken", nic->strides);
	report_put_u64(j, o, "fillers", nic->fillers);
	report_put_u64(j, o, "filler_strides", nic->filler_strides);
	report_put_u64(j, o, "filler_bytes", nic->filler_bytes);
	report_put_u64(j, o, "copied", host->copied);
	report_put_u64(j, o, "copied_bytes", host->copied_bytes);
	report_put_u64(j, o, "copied_in_need", host->copied_in_need);
	report_put_u64(j, o, "session_overruns", host->overruns);
	report_put_u64(j, o, "replaced", host->replaced);
	report_put_u64(j, o, "waited", host->waited);
	report_put_u64(j, o, "buffers_max", host->buffers_max);
	report_put_u64(j, o, "kept_max", host->kept_max);
	for (unsigned i = 0; i < CQESIM_SHORTAGES; i++)
		report_put_u64(j, shortage, cqesim_shortage_name(i), r->shortage[i]);
	report_put(j, o, "shortage", shortage);
	return o;
}
