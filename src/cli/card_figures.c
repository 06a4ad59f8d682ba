/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows from the counters of a run: one place for text and JSON. */
#include <math.h>

#include "card.h"
#include "report/report_internal.h"

static bool is_send(unsigned kind)
{
	return kind >= CQESIM_TRAFFIC_TX_WQE_REQUEST;
}

static void traffic(const struct card_outcome *c, struct card_figures *f)
{
	const struct cqesim_nic_stats *nic = &c->s->nic;
	double delivered = (double)c->s->card.delivered, sent = (double)c->s->card.sent;
	double up = 0, down = 0;

	for (unsigned k = 0; k < CQESIM_TRAFFIC_KINDS; k++) {
		double wire = (double)nic->traffic[k].wire;

		f->bytes[k] = report_ratio(wire, is_send(k) ? sent : delivered);
		*(cqesim_traffic_is_down(k) ? &down : &up) += wire;
	}
	f->up = report_ratio(up, delivered);
	f->down = report_ratio(down, delivered);
}

static void link_use(const struct card_outcome *c, struct card_figures *f)
{
	struct cqesim_link_config config;
	struct cqesim_link link;

	f->use_up = f->use_down = NAN;
	cqesim_profile_link(c->link, &config, NULL);
	if (cqesim_link_init(&link, &config, NULL) || !(f->card_seconds > 0))
		return;
	double bytes = cqesim_link_rate(&link) * f->card_seconds;
	f->use_up = (double)c->s->nic.link_busy_bytes / bytes;
	f->use_down = (double)c->s->nic.link_down_bytes / bytes;
}

/* Bursts of more than the histogram tells apart count with its last class. */
static double burst_mean(const struct cqesim_card_stats *s)
{
	double steps = 0, sum = 0;

	for (unsigned i = 1; i < CQESIM_CARD_BURSTS; i++) {
		steps += (double)s->burst[i];
		sum += (double)i * (double)s->burst[i];
	}
	return report_ratio(sum, steps);
}

void card_figures(const struct card_outcome *c, struct card_figures *f)
{
	const struct emu_statistics *s = c->s;
	const struct cqesim_nic_stats *nic = &s->nic;

	*f = (struct card_figures){.seconds = (double)s->running_ns / 1e9};
	f->packets_seconds = (double)s->packets_ns / 1e9;
	f->card_seconds = f->seconds / c->o->settings.time_scale;
	f->lost = cqesim_card_lost(&s->card);
	traffic(c, f);
	link_use(c, f);
	f->session_mean = report_ratio((double)nic->session_packets, (double)nic->sessions);
	f->compressed = report_ratio((double)nic->session_packets,
				     (double)(nic->session_packets + nic->plain));
	f->burst_mean = burst_mean(&s->card);
	f->waiting_mean =
		report_ratio((double)s->card.waiting_sum, (double)s->card.waiting_samples);
}
