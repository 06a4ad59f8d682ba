/* SPDX-License-Identifier: BSD-3-Clause */
/* From counters to per-packet costs, ceilings and the limit that binds. */
#include <math.h>

#include "sim_internal.h"

const char *cqesim_drop_name(enum cqesim_drop drop)
{
	static const char *const name[CQESIM_DROPS + 1] = {
		"oversize", "rx_discards_phy", "rx_out_of_buffer", "other", "tx_dropped",
	};
	return (unsigned)drop <= CQESIM_DROPS ? name[drop] : "unknown";
}

const char *cqesim_limit_name(enum cqesim_limit limit)
{
	static const char *const name[CQESIM_LIMITS] = {
		"port", "link", "device", "host", "bus", "completions", "credits", "tags",
	};

	return (unsigned)limit < CQESIM_LIMITS ? name[limit] : "unknown";
}

static void sum_hosts(struct cqesim_host_stats *sum, const struct cqesim_host_stats *s)
{
	sum->packets += s->packets;
	sum->bytes += s->bytes;
	sum->polls += s->polls;
	sum->empty_polls += s->empty_polls;
	sum->busy_ps += s->busy_ps;
	sum->calls += s->calls;
	sum->tail_writes += s->tail_writes;
	sum->interrupts += s->interrupts;
	sum->asleep_ps += s->asleep_ps;
	sum->away_ps += s->away_ps;
	sum->errors += s->errors;
	sum->occupancy_sum += s->occupancy_sum;
	if (s->occupancy_max > sum->occupancy_max)
		sum->occupancy_max = s->occupancy_max;
	sum->fillers += s->fillers;
	sum->copied += s->copied;
	sum->copied_bytes += s->copied_bytes;
	sum->copied_lines += s->copied_lines;
	sum->copied_in_need += s->copied_in_need;
	sum->overruns += s->overruns;
	sum->replaced += s->replaced;
	sum->waited += s->waited;
	if (s->kept_max > sum->kept_max)
		sum->kept_max = s->kept_max;
	if (s->buffers_max > sum->buffers_max)
		sum->buffers_max = s->buffers_max;
	for (unsigned i = 0; i <= CQESIM_BURST_MAX; i++)
		sum->burst_hist[i] += s->burst_hist[i];
	for (unsigned i = 0; i < CQESIM_OCCUPANCY_CLASSES; i++)
		sum->occupancy_hist[i] += s->occupancy_hist[i];
}

static void sum_queues(struct cqesim_sim *sim)
{
	struct cqesim_result *r = &sim->result;

	r->queues = sim->config.queues;
	for (unsigned i = 0; i < r->queues; i++) {
		struct queue *q = &sim->queue[i];
		struct cqesim_queue_result *out = &r->queue[i];

		out->host = cqesim_host_stats(q->host);
		const struct cqesim_nic_cq_stats *cq = cqesim_nic_cq_stats(sim->nic, i + 1);
		out->compress_blks = cq->sessions;
		out->compress_pkts =
			cq->session_packets - (r->layout == CQESIM_CQ_ENHANCED ? cq->sessions : 0);
		out->offered = q->arrived;
		out->delivered = q->read_count - q->fillers_read;
		sim_forward_counts(q, &out->sent, &out->tx_dropped);
		r->sent += out->sent;
		r->tx_dropped += out->tx_dropped;
		r->arrived += q->arrived;
		r->delivered += out->delivered;
		for (unsigned d = 0; d < CQESIM_DROPS; d++) {
			out->dropped[d] = q->dropped[d];
			r->dropped[d] += q->dropped[d];
		}
		for (unsigned d = 0; d < CQESIM_SHORTAGES; d++) {
			out->shortage[d] = q->shortage[d];
			r->shortage[d] += q->shortage[d];
		}
		sum_hosts(&r->host, out->host);
		uint64_t laps = q->read_count / sim->config.cq_size;
		if (laps > r->laps)
			r->laps = laps;
		uint64_t end = cqesim_host_clock_ps(q->host);
		if (q->read_count && end > r->end_ps)
			r->end_ps = end;
	}
	r->delivered_bytes = r->host.bytes;
}

/* Of those that were sent: the ceiling is that of sending all. */
static double per_sent(const struct cqesim_result *r, double sum)
{
	return r->sent ? sum / (double)r->sent : 0;
}

/* What sending adds per packet: TLPs and bytes. */
struct tx_share {
	double posted, requests, completions, host_writes;
	double bytes[2];
};

static struct tx_share tx_share(const struct cqesim_result *r)
{
	const struct cqesim_tlps *t = r->nic.traffic;
	struct tx_share s = {
		.posted = per_sent(r, (double)t[CQESIM_TRAFFIC_TX_CQE].count),
		.requests = per_sent(r, (double)(t[CQESIM_TRAFFIC_TX_WQE_REQUEST].count +
						 t[CQESIM_TRAFFIC_TX_DATA_REQUEST].count)),
		.completions = per_sent(r, (double)(t[CQESIM_TRAFFIC_TX_WQE_COMPLETION].count +
						    t[CQESIM_TRAFFIC_TX_DATA_COMPLETION].count)),
		.host_writes = per_sent(r, (double)t[CQESIM_TRAFFIC_TX_DOORBELL].count),
	};

	for (unsigned k = CQESIM_TRAFFIC_TX_WQE_REQUEST; k < CQESIM_TRAFFIC_KINDS; k++)
		s.bytes[cqesim_traffic_is_down(k) ? CQESIM_DOWN : CQESIM_UP] +=
			r->bytes_per_packet[k];
	return s;
}

/* Up and down per packet, with completions of so many TLPs and bytes per packet. */
static void directions(const struct cqesim_link *link, const struct cqesim_result *r,
		       double data_tlps, double cqe_tlps, double cqe_bytes, double fetches,
		       const struct cqesim_tlps *request, const struct cqesim_tlps *completion,
		       double dllp[2], double sum[2])
{
	struct tx_share tx = tx_share(r);
	double posted = data_tlps + cqe_tlps + tx.posted;
	double requests = fetches * (double)request->count + tx.requests;
	double completions = fetches * (double)completion->count + tx.completions;
	double ack = link->dllp_bytes / link->config.ack_every;
	double update = link->dllp_bytes / link->config.fc_every;

	dllp[CQESIM_UP] = (completions + tx.host_writes) * ack + tx.host_writes * update;
	dllp[CQESIM_DOWN] = (posted + requests) * ack + posted * update;
	sum[CQESIM_UP] = r->bytes_per_packet[CQESIM_TRAFFIC_DATA] + cqe_bytes +
			 r->bytes_per_packet[CQESIM_TRAFFIC_WQE_REQUEST] + tx.bytes[CQESIM_UP] +
			 dllp[CQESIM_UP];
	sum[CQESIM_DOWN] = r->bytes_per_packet[CQESIM_TRAFFIC_WQE_COMPLETION] +
			   tx.bytes[CQESIM_DOWN] + dllp[CQESIM_DOWN];
}

/* The packet rate at which the busier direction is full. */
static double ceiling(const struct cqesim_result *r, const double sum[2],
		      enum cqesim_direction *binding)
{
	*binding = sum[CQESIM_DOWN] > sum[CQESIM_UP] ? CQESIM_DOWN : CQESIM_UP;
	return r->link_rate / sum[*binding];
}

/* Bytes of WQEs that the delivered packets used, parts of a striding WQE as such. */
static double wqe_bytes_read(const struct cqesim_result *r)
{
	if (!r->rq.striding)
		return (double)r->nic.wqes * (r->rq.segments * CQESIM_RQ_SEG_BYTES);
	return (double)(r->nic.strides + r->nic.filler_strides) /
	       cqesim_strides_per_wqe(&r->rq.strides) * CQESIM_STRIDING_WQE_BYTES;
}

static void link_ceilings(struct cqesim_sim *sim)
{
	struct cqesim_result *r = &sim->result;
	const struct cqesim_link *link = cqesim_nic_link(sim->nic);
	const struct cqesim_tlps *t = r->nic.traffic;
	struct cqesim_tlps request, completion,
		plain = cqesim_link_write(link, 0, CQESIM_CQE_BYTES);
	uint32_t fetch = (uint32_t)cqesim_profile_u64(sim->config.device, CQESIM_DEV_WQE_FETCH);
	double delivered = (double)r->delivered, mix = (double)(r->arrived - sim->oversize);
	double dllp[2], sum[2];
	enum cqesim_direction binding;

	r->link_rate = cqesim_link_rate(link);
	r->plain_cqe_bytes = (double)plain.wire;
	if (!r->delivered)
		return;

	/* WQEs are read in blocks; a last block that was read counts as far as it was used. */
	double fetches = wqe_bytes_read(r) / fetch / delivered;
	cqesim_link_read(link, 0, fetch, &request, &completion);
	for (unsigned k = 0; k < CQESIM_TRAFFIC_KINDS; k++)
		r->bytes_per_packet[k] = k < CQESIM_TRAFFIC_TX_WQE_REQUEST
						 ? (double)t[k].wire / delivered
						 : per_sent(r, (double)t[k].wire);
	r->bytes_per_packet[CQESIM_TRAFFIC_DATA] =
		(double)(t[CQESIM_TRAFFIC_DATA].wire + sim->lost_data.wire) / mix;
	r->bytes_per_packet[CQESIM_TRAFFIC_WQE_REQUEST] = fetches * (double)request.wire;
	r->bytes_per_packet[CQESIM_TRAFFIC_WQE_COMPLETION] = fetches * (double)completion.wire;

	double data_tlps = (double)(t[CQESIM_TRAFFIC_DATA].count + sim->lost_data.count) / mix;
	/* Striding: fillers are written plain whatever the packets' completions are. */
	double fillers = (double)r->nic.fillers / delivered;
	double cqe_tlps = 0, cqe_bytes = 0;
	for (unsigned k = CQESIM_TRAFFIC_CQE; k <= CQESIM_TRAFFIC_MINI; k++) {
		cqe_tlps += (double)t[k].count / delivered;
		cqe_bytes += r->bytes_per_packet[k];
	}
	directions(link, r, data_tlps, cqe_tlps, cqe_bytes, fetches, &request, &completion,
		   r->dllp_per_packet, r->per_packet);
	r->link_max_pps = ceiling(r, r->per_packet, &r->link_binding);

	directions(link, r, data_tlps, (double)plain.count * (1 + fillers),
		   (double)plain.wire * (1 + fillers), fetches, &request, &completion, dllp, sum);
	r->link_plain_pps = ceiling(r, sum, &binding);
	if (r->nic.sessions) {
		double n = (double)r->nic.session_packets;

		r->session_bytes =
			(double)(t[CQESIM_TRAFFIC_TITLE].wire + t[CQESIM_TRAFFIC_MINI].wire) / n;
		directions(link, r, data_tlps,
			   (double)(t[CQESIM_TRAFFIC_TITLE].count + t[CQESIM_TRAFFIC_MINI].count) /
					   n +
				   (double)plain.count * fillers,
			   r->session_bytes + (double)plain.wire * fillers, fetches, &request,
			   &completion, dllp, sum);
		r->link_compressed_pps = ceiling(r, sum, &binding);
	}
	if (r->compression == CQESIM_COMP_BALANCED) {
		r->link_max_pps = r->link_plain_pps > r->link_compressed_pps
					  ? r->link_plain_pps
					  : r->link_compressed_pps;
	}
}

/* What costs a driver session_cycles: sessions, or in the enhanced layout arrays. */
static double session_entries(const struct cqesim_result *r)
{
	return (double)(r->layout == CQESIM_CQ_ENHANCED ? r->nic.arrays : r->nic.sessions);
}

/* Of a striding queue's packet: handed on or copied as in this run, and fillers. */
static double stride_cycles(const struct cqesim_sim *sim, const struct cqesim_host_config *h)
{
	const struct cqesim_host_stats *s = &sim->result.host;
	struct cqesim_host_striding c = sim_host_striding(sim, &sim->queue[0]);

	return (c.attach_cycles * (double)(s->packets - s->copied) +
		c.copy_cycles * (double)s->copied_lines + h->plain_cycles * (double)s->fillers) /
	       (double)s->packets;
}

/* All cores busy with full bursts, traffic spread over them as it was. */
static double host_ceiling(const struct cqesim_sim *sim)
{
	const struct cqesim_result *r = &sim->result;
	const struct cqesim_nic_stats *nic = &r->nic;
	const struct cqesim_host_stats *s = &r->host;
	struct cqesim_host_config h = sim_host_config(sim, 0);
	uint64_t busiest = 0, offered = 0;

	for (unsigned i = 0; i < r->queues; i++) {
		offered += r->queue[i].offered;
		if (r->queue[i].offered > busiest)
			busiest = r->queue[i].offered;
	}
	if (!r->delivered || !busiest)
		return 0;
	struct cqesim_host_turn turn =
		cqesim_host_full_turn(&h, sim->config.ring, nic->session_packets != 0);
	double n = (double)(nic->plain + nic->session_packets), packets = (double)s->packets;
	double cycles = (h.poll_cycles + h.call_cycles * turn.calls) / turn.packets +
			h.byte_cycles * (double)s->bytes / packets +
			h.tail_cycles * (double)s->tail_writes / packets +
			((double)nic->plain * h.plain_cycles +
			 (double)nic->session_packets * h.mini_cycles +
			 session_entries(r) * h.session_cycles) /
				n;

	if (r->rq.striding)
		cycles += stride_cycles(sim, &h);
	return h.clock_hz / cycles * (double)offered / (double)busiest;
}

/* So many a second, so many of them per packet; 0: no limit. */
static double shared_limit(double per_second, double per_packet)
{
	return per_second > 0 && per_packet > 0 ? per_second / per_packet : INFINITY;
}

/* Limits that are not bytes, for packets like those of this run. */
static void other_limits(struct cqesim_sim *sim, const struct cqesim_nic_config *c)
{
	struct cqesim_result *r = &sim->result;
	const struct cqesim_tlps *t = r->nic.traffic;
	double delivered = (double)r->delivered;
	double passed = (double)(r->nic.packets - r->nic.results[CQESIM_RX_NOT_READY] -
				 r->nic.results[CQESIM_RX_BUFFER_FULL]);
	struct cqesim_tlps posted = {0};
	uint64_t completions = 0;

	for (unsigned i = CQESIM_LIMIT_BUS; i < CQESIM_LIMITS; i++)
		r->limit_pps[i] = INFINITY;
	r->limit_pps[CQESIM_LIMIT_DEVICE] = c->max_pps;
	if (!r->delivered)
		return;
	for (unsigned k = CQESIM_TRAFFIC_CQE; k <= CQESIM_TRAFFIC_MINI; k++) {
		completions += t[k].count;
		cqesim_tlps_add(&posted, &t[k]);
	}
	cqesim_tlps_add(&posted, &t[CQESIM_TRAFFIC_DATA]);
	double tlps = (double)posted.count / delivered;
	cqesim_tlps_add(&posted, &t[CQESIM_TRAFFIC_TX_CQE]);
	struct tx_share tx = tx_share(r);
	double reads = (double)t[CQESIM_TRAFFIC_WQE_REQUEST].count / delivered + tx.requests;
	r->limit_pps[CQESIM_LIMIT_BUS] = shared_limit(c->bus_hz, (double)r->nic.beats / passed);
	r->limit_pps[CQESIM_LIMIT_COMPLETIONS] =
		shared_limit(c->completion_pps, (double)completions / delivered);
	r->limit_pps[CQESIM_LIMIT_CREDITS] = shared_limit(
		cqesim_link_posted_max(&c->latency, (double)posted.credits / (double)posted.count),
		tlps + tx.posted);
	r->limit_pps[CQESIM_LIMIT_TAGS] = shared_limit(cqesim_link_reads_max(&c->latency), reads);
}

void sim_result(struct cqesim_sim *sim)
{
	struct cqesim_result *r = &sim->result;
	const struct cqesim_link *link = cqesim_nic_link(sim->nic);
	const struct cqesim_profile *dev = sim->config.device;

	sum_queues(sim);
	for (unsigned i = 0; i < CQESIM_DELAYS; i++)
		delay_count(&r->delay[i]);
	r->nic = *cqesim_nic_stats(sim->nic);
	r->oversize_wire_bytes = sim->oversize_wire_bytes;
	r->duration_ps = sim->wire.ps;
	if (r->arrived && sim->wire.ps > sim->last_ps)
		r->wire_lag_ps = sim->wire.ps - sim->last_ps;
	r->sent_end_ps = sim_forward_end_ps(sim);
	if (r->sent) {
		uint64_t ps = r->sent_end_ps > r->duration_ps ? r->sent_end_ps : r->duration_ps;

		r->sent_pps = (double)r->sent / ((double)ps * 1e-12);
	}
	link_ceilings(sim);
	r->rq.packet_bytes = r->delivered_bytes;
	r->rq.filler_bytes = r->nic.filler_bytes;
	r->rq.taken_bytes = r->rq.striding ? r->nic.stride_bytes : r->delivered * r->rq.wqe_room;

	if (r->arrived >= 2)
		r->offered_pps = (double)r->arrived / ((double)r->duration_ps * 1e-12);
	if (r->arrived > sim->oversize) {
		r->mix_wire_bytes = (double)(r->arrived_wire_bytes - sim->oversize_wire_bytes) /
					    (double)(r->arrived - sim->oversize) +
				    CQESIM_WIRE_GAP_BYTES;
		r->line_pps = cqesim_profile_num(dev, CQESIM_DEV_PORT_SPEED) * 1e9 / 8 /
			      r->mix_wire_bytes;
	}
	r->limit_pps[CQESIM_LIMIT_PORT] = r->line_pps;
	r->limit_pps[CQESIM_LIMIT_LINK] = r->link_max_pps * link->config.efficiency;
	struct cqesim_nic_config nic;
	if (!sim_nic_config(sim, &nic, NULL)) /* which was good at the start */
		other_limits(sim, &nic);
	r->limit_pps[CQESIM_LIMIT_HOST] = host_ceiling(sim);
	for (unsigned i = 0; i < CQESIM_LIMITS; i++)
		if (r->limit_pps[i] < r->limit_pps[r->binding])
			r->binding = (enum cqesim_limit)i;
	r->link_has_room = r->limit_pps[CQESIM_LIMIT_LINK] >= r->line_pps;
}
