/* SPDX-License-Identifier: BSD-3-Clause */
/* The device object: configuration, names and statistics; see nic.h. */
#include <errno.h>
#include <stdlib.h>

#include "nic_internal.h"

const char *cqesim_session_end_name(enum cqesim_session_end end)
{
	static const char *const name[CQESIM_SESSION_ENDS] = {
		"mismatch", "max_num", "timeout", "ring_end", "relief", "stop", "filler", "age",
	};
	return (unsigned)end < CQESIM_SESSION_ENDS ? name[end] : "unknown";
}

const char *cqesim_rx_result_name(enum cqesim_rx_result result)
{
	static const char *const name[CQESIM_RX_RESULTS] = {
		"delivered",        "rx_discards_phy", "rx_out_of_buffer",
		"buffer_too_small", "queue_not_ready", "protection_error",
	};
	return (unsigned)result < CQESIM_RX_RESULTS ? name[result] : "unknown";
}

const char *cqesim_traffic_name(enum cqesim_traffic kind)
{
	static const char *const name[CQESIM_TRAFFIC_KINDS] = {
		"packet_data",      "plain_cqes",          "title_cqes",      "mini_arrays",
		"wqe_requests",     "wqe_completions",     "tx_wqe_requests", "tx_wqe_completions",
		"tx_data_requests", "tx_data_completions", "tx_cqes",         "tx_doorbells",
	};
	return (unsigned)kind < CQESIM_TRAFFIC_KINDS ? name[kind] : "unknown";
}

static int check(const struct cqesim_nic_config *c, struct cqesim_error *err)
{
	if ((unsigned)c->compression > CQESIM_COMP_AGGRESSIVE)
		return cqesim_fail(err, -EINVAL,
				   "compression %d: expected off, balanced or aggressive",
				   (int)c->compression);
	if ((unsigned)c->write_policy > CQESIM_WRITE_EXACT)
		return cqesim_fail(err, -EINVAL, "write_policy %d: expected arrays, burst or exact",
				   (int)c->write_policy);
	const struct {
		const char *name;
		double value;
	} rates[] = {
		{"max_pps", c->max_pps},
		{"bus_clock", c->bus_hz},
		{"completion_rate", c->completion_pps},
	};
	for (unsigned i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		if (rates[i].value && !(rates[i].value >= 1 && rates[i].value <= 1e12))
			return cqesim_fail(err, -EINVAL, "%s %g: expected 1 to 1e12", rates[i].name,
					   rates[i].value);
	if (c->bus_hz && !c->bus_bytes)
		return cqesim_fail(err, -EINVAL, "bus_width: expected more than 0 bytes");
	if (c->tick_ps == 1)
		return cqesim_fail(err, -EINVAL, "tick_ps 1: expected more, or 0");
	if (!c->rx_buffer_bytes)
		return cqesim_fail(err, -EINVAL, "rx_buffer: expected more than 0 bytes");
	if (c->wqe_fetch_bytes < 16 || c->wqe_fetch_bytes > 4096 ||
	    (c->wqe_fetch_bytes & (c->wqe_fetch_bytes - 1)))
		return cqesim_fail(err, -EINVAL,
				   "wqe_fetch %u: expected a power of two, 16 to 4096",
				   c->wqe_fetch_bytes);
	if (c->compression != CQESIM_COMP_OFF && c->comp_max < 2)
		return cqesim_fail(err, -EINVAL, "cqe_compression_max_num %u: expected 2 or more",
				   c->comp_max);
	if (c->compression != CQESIM_COMP_OFF && !c->comp_timeout_ps)
		return cqesim_fail(err, -EINVAL, "cqe_compression_timeout: expected more than 0");
	if (c->backpressure_off_bytes > c->backpressure_on_bytes)
		return cqesim_fail(err, -EINVAL, "backpressure_off is above backpressure_on");
	return 0;
}

/* No packet that a queue takes is larger. */
#define LARGEST_PACKET 65536u

static int rate(struct cqesim_pacer *pacer, double per_second)
{
	return per_second ? cqesim_pacer_init(pacer, (uint64_t)per_second, 1) : 0;
}

static int make_pacers(struct cqesim_nic *nic)
{
	int rc = rate(&nic->pipeline, nic->config.max_pps);

	if (!rc)
		rc = rate(&nic->bus, nic->config.bus_hz);
	return rc ? rc : rate(&nic->completions, nic->config.completion_pps);
}

static int make_server(struct cqesim_nic *nic)
{
	uint32_t loans = cqesim_link_server_loans(&nic->config.latency);

	if (loans && !(nic->loan = calloc(loans, sizeof(*nic->loan))))
		return -ENOMEM;
	return cqesim_link_server_init(&nic->server, &nic->link, &nic->config.latency, nic->loan);
}

int cqesim_nic_create(struct cqesim_nic **out, const struct cqesim_nic_config *config,
		      struct cqesim_error *err)
{
	*out = NULL;
	int rc = check(config, err);
	if (rc)
		return rc;
	struct cqesim_nic *nic = calloc(1, sizeof(*nic));
	if (!nic)
		return cqesim_fail(err, -ENOMEM, "out of memory");
	nic->config = *config;
	if (!nic->config.tick_ps)
		nic->config.tick_ps = 1000;
	nic->tick_inv = cqesim_reciprocal(nic->config.tick_ps);
	nic->second_ps = CQESIM_PS_PER_S;
	nic->lro_due_ps = UINT64_MAX;
	rc = cqesim_link_init(&nic->link, &config->link, err);
	if (!rc) {
		rc = make_server(nic);
		if (!rc)
			rc = make_pacers(nic);
		if (!rc)
			rc = nic_fault_init(nic);
		if (rc)
			cqesim_fail(err, rc, "a rate is out of range");
	}
	if (rc) {
		free(nic->loan);
		free(nic);
		return rc;
	}
	nic->buffer_ps = nic_link_ps(nic, config->rx_buffer_bytes);
	uint64_t largest_ps = nic_link_ps(nic, LARGEST_PACKET);
	nic->buffer_guard_ps = nic->buffer_ps > largest_ps ? nic->buffer_ps - largest_ps : 0;
	nic->pressure_on_ps = nic_link_ps(nic, config->backpressure_on_bytes);
	nic->pressure_off_ps = nic_link_ps(nic, config->backpressure_off_bytes);
	for (uint32_t i = 0; i < COST_TABLE; i++)
		nic->cost[i] = cqesim_link_write(&nic->link, 0, i);
	nic->cqe_cost = nic->cost[CQESIM_CQE_BYTES];
	nic->by_piece =
		config->operation || config->latency.posted_headers || config->latency.posted_data;
	*out = nic;
	return 0;
}

void cqesim_nic_destroy(struct cqesim_nic *nic)
{
	if (!nic)
		return;
	for (uint32_t i = 0; i < nic->rqs; i++) {
		if (nic->rq[i])
			free(((struct nic_rq *)nic->rq[i])->lro);
		free(nic->rq[i]);
	}
	for (uint32_t i = 0; i < nic->cqs; i++)
		free(nic->cq[i]);
	free(nic->rq);
	free(nic->cq);
	free(nic->fault);
	free(nic->loan);
	free(nic);
}

/* What follows from other counters is not counted packet by packet. */
const struct cqesim_nic_stats *cqesim_nic_stats(const struct cqesim_nic *nic)
{
	struct cqesim_nic_stats *s = (struct cqesim_nic_stats *)&nic->stats;
	const struct cqesim_tlps *cqe = &nic->cqe_cost;
	uint64_t cqes = s->plain + s->fillers + nic->error_cqes;

	s->packets = 0;
	for (unsigned i = 0; i < CQESIM_RX_RESULTS; i++)
		s->packets += s->results[i];
	s->wqes = s->results[CQESIM_RX_DELIVERED] - nic->striding_packets - nic->lro_joined +
		  nic->striding_wqes + s->results[CQESIM_RX_ERROR];
	s->traffic[CQESIM_TRAFFIC_CQE] = (struct cqesim_tlps){
		.count = cqes * cqe->count,
		.payload = cqes * cqe->payload,
		.wire = cqes * cqe->wire,
		.credits = cqes * cqe->credits,
	};
	/* With Acks that are due and would go with the next TLP. */
	s->link_busy_bytes =
		nic->server.up.bytes + (uint64_t)nic->server.up.acks * nic->server.dllp_bytes;
	s->link_down_bytes = nic->server.down.bytes;
	s->link_done_ps = cqesim_pacer_done_ps(&nic->server.up.pacer);
	s->stalled_write_ps = nic->server.posted.stalled_ps;
	s->stalled_read_ps = nic->server.reads.stalled_ps + nic->server.tags.stalled_ps;
	s->stalled_ps = s->stalled_write_ps + s->stalled_read_ps;
	return s;
}

const struct cqesim_nic_cq_stats *cqesim_nic_cq_stats(const struct cqesim_nic *nic, uint32_t cqn)
{
	const struct nic_cq *cq = nic_find_cq(nic, cqn);

	return cq ? &cq->stats : NULL;
}

const struct cqesim_placement *cqesim_nic_placement(const struct cqesim_nic *nic, uint32_t rqn)
{
	const struct nic_rq *rq = nic_find_rq(nic, rqn);

	return rq && rq->striding ? &rq->place : NULL;
}

uint64_t cqesim_nic_backlog(const struct cqesim_nic *nic, uint64_t now_ps)
{
	return nic_backlog_ps(nic, now_ps);
}

const struct cqesim_link *cqesim_nic_link(const struct cqesim_nic *nic)
{
	return &nic->link;
}
