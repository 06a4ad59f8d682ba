/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run in few numbers, and as the counters of `ethtool -S`.  Names and meaning
 * of the latter: Linux, networking/device_drivers/ethernet/mellanox/mlx5/counters.rst;
 * what counts as a block of compressed completions: cqesim_sysinfo_session in sysinfo.h.
 */
#include <stdarg.h>
#include <stdio.h>

#include "sim_internal.h"

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

void cqesim_summarize(const struct cqesim_result *r, struct cqesim_summary *s)
{
	double run = (double)cqesim_run_ps(r);

	*s = (struct cqesim_summary){
		.offered_pps = r->offered_pps,
		.arrived = r->arrived,
		.delivered = r->delivered,
		.burst_mean = share((double)r->host.packets, (double)r->host.polls),
		.core_use = share((double)r->host.busy_ps, run * r->queues),
		.cycles_per_packet =
			share((double)r->host.busy_ps * 1e-3 *
				      cqesim_profile_num(r->config->host, CQESIM_HOST_CLOCK),
			      (double)r->host.packets),
		.lost = r->tx_dropped,
		.main_shortage = CQESIM_SHORT_APPLICATION,
		.binding = r->binding,
		.binding_pps = r->limit_pps[r->binding],
	};
	for (unsigned d = 0; d < CQESIM_DROPS; d++) {
		s->lost += r->dropped[d];
		if (r->dropped[d] > r->dropped[s->main_drop])
			s->main_drop = (enum cqesim_drop)d;
	}
	if (r->tx_dropped > r->dropped[s->main_drop])
		s->main_drop = CQESIM_DROPS;
	for (unsigned i = 0; i < CQESIM_SHORTAGES; i++)
		if (i != CQESIM_SHORT_LINK && r->shortage[i] > r->shortage[s->main_shortage])
			s->main_shortage = (enum cqesim_shortage)i;
	for (unsigned i = 0; i < r->queues; i++) {
		double use = share((double)r->queue[i].host->busy_ps, run);

		if (use > s->busiest_use)
			s->busiest_use = use;
	}
	s->lost_share = share((double)s->lost, (double)r->arrived);
	s->delivered_pps = r->offered_pps * share((double)r->delivered, (double)r->arrived);
}

struct list {
	struct cqesim_counter *counter;
	unsigned room, count;
};

static void add(struct list *list, bool gauge, uint64_t value, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void add(struct list *list, bool gauge, uint64_t value, const char *fmt, ...)
{
	if (list->count < list->room) {
		struct cqesim_counter *c = &list->counter[list->count];
		va_list ap;

		va_start(ap, fmt);
		vsnprintf(c->name, sizeof(c->name), fmt, ap);
		va_end(ap);
		c->value = value;
		c->gauge = gauge;
	}
	list->count++;
}

static uint64_t percent(uint64_t part_ps, uint64_t whole_ps)
{
	double p = share((double)part_ps, (double)whole_ps) * 100 + 0.5;

	return p > 100 ? 100 : (uint64_t)p;
}

/* Of the last second and of all; a run without a whole one is taken for one like its mean. */
static void add_stalled(struct list *list, const struct cqesim_result *r, const char *way,
			unsigned kind, uint64_t stalled_ps)
{
	const struct cqesim_stalls *s = &r->nic.stalls;
	uint64_t last = percent(stalled_ps, cqesim_run_ps(r));
	uint64_t events = last > CQESIM_STALL_EVENT_PERCENT;

	if (s->seconds) {
		last = percent(s->last_ps[kind], CQESIM_PS_PER_S);
		events = s->above[kind];
	}
	add(list, true, last, "outbound_pci_stalled_%s", way);
	add(list, false, events, "outbound_pci_stalled_%s_events", way);
}

unsigned cqesim_counters(const struct cqesim_result *r, struct cqesim_counter *counters,
			 unsigned room)
{
	struct list list = {.counter = counters, .room = room};
	uint64_t oversize = r->dropped[CQESIM_DROP_OVERSIZE], blks = 0, pkts = 0;

	for (unsigned i = 0; i < r->queues; i++) {
		blks += r->queue[i].compress_blks;
		pkts += r->queue[i].compress_pkts;
	}
	add(&list, false, r->delivered, "rx_packets");
	add(&list, false, r->delivered_bytes, "rx_bytes");
	add(&list, false, blks, "rx_cqe_compress_blks");
	add(&list, false, pkts, "rx_cqe_compress_pkts");
	add(&list, false, r->nic.fillers, "rx_mpwqe_filler_cqes");
	add(&list, false, r->nic.filler_strides, "rx_mpwqe_filler_strides");
	/* A WQE that waits for a buffer is what the driver counts as an allocation that failed. */
	add(&list, false, r->host.waited, "rx_buff_alloc_err");
	add(&list, false, r->dropped[CQESIM_DROP_OUT_OF_BUFFER], "rx_out_of_buffer");
	add(&list, false, r->arrived - oversize, "rx_packets_phy");
	add(&list, false, r->arrived_wire_bytes - r->oversize_wire_bytes, "rx_bytes_phy");
	add(&list, false, oversize, "rx_oversize_pkts_phy");
	add(&list, false, r->dropped[CQESIM_DROP_BUFFER_FULL], "rx_discards_phy");
	add_stalled(&list, r, "rd", 1, r->nic.stalled_read_ps);
	add_stalled(&list, r, "wr", 0, r->nic.stalled_write_ps);
	for (unsigned i = 0; i < r->queues; i++) {
		add(&list, false, r->queue[i].delivered, "rx%u_packets", i);
		add(&list, false, r->queue[i].host->bytes, "rx%u_bytes", i);
		add(&list, false, r->queue[i].compress_blks, "rx%u_cqe_compress_blks", i);
		add(&list, false, r->queue[i].compress_pkts, "rx%u_cqe_compress_pkts", i);
	}
	return list.count;
}
