/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The core that polls: driver, application and host joined into what the station
 * host takes.  Costs add up; how many packets a turn asks for is the option's, else the
 * application's, else the driver's.
 */
#include <errno.h>

#include "sim_internal.h"

/* KRN include/net/busy_poll.h BUSY_POLL_BUDGET: what one turn of a busy poll takes at most. */
#define BUSY_POLL_BUDGET 8u
#define LINE             64u
/* A mini is 8 bytes. */
#define MINIS_PER_LINE 8
/* Frame without FCS, when nothing is known of the traffic. */
#define USUAL_FRAME 1518u

static double app_number(const struct cqesim_sim_config *c, unsigned id)
{
	return c->application ? cqesim_profile_num(c->application, id) : 0;
}

static unsigned app_unsigned(const struct cqesim_sim_config *c, unsigned id)
{
	return (unsigned)app_number(c, id);
}

enum cqesim_poll_rule cqesim_sim_poll_rule(const struct cqesim_profile *driver)
{
	static const struct {
		const char *word;
		enum cqesim_poll_rule rule;
	} rules[] = {
		{"napi", CQESIM_POLL_NAPI},
		{"dpdk-vec", CQESIM_POLL_DPDK_VEC},
		{"ixgbe-scalar", CQESIM_POLL_IXGBE_SCALAR},
		{"ixgbe-bulk", CQESIM_POLL_IXGBE_BULK},
		{"ixgbe-vec", CQESIM_POLL_IXGBE_VEC},
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (is(driver, CQESIM_DRV_RX_FUNCTION, rules[i].word))
			return rules[i].rule;
	return CQESIM_POLL_SIMPLE;
}

unsigned cqesim_sim_burst(const struct cqesim_sim_config *c)
{
	unsigned burst = c->burst ? c->burst : app_unsigned(c, CQESIM_APP_BURST);

	if (burst)
		return burst;
	burst = (unsigned)cqesim_profile_u64(c->driver, CQESIM_DRV_BURST);
	if (is(c->driver, CQESIM_DRV_WAKEUP, "busy_poll") && burst > BUSY_POLL_BUDGET)
		burst = BUSY_POLL_BUDGET;
	return burst;
}

static int check_burst(const struct cqesim_sim_config *c, struct cqesim_error *err)
{
	if (c->burst > CQESIM_BURST_MAX)
		return cqesim_fail(err, -EINVAL, "burst %u: expected 1 to %u", c->burst,
				   CQESIM_BURST_MAX);
	unsigned least = cqesim_poll_burst_min(cqesim_sim_poll_rule(c->driver));

	if (least > 1 && c->burst < least)
		return cqesim_fail(
			err, -EINVAL,
			"burst %u: the vector receive function returns nothing when asked for "
			"fewer than %u",
			c->burst, least);
	if (c->frame > CQESIM_FRAME_MAX)
		return cqesim_fail(err, -EINVAL, "frame %u: expected 0 to %u", c->frame,
				   CQESIM_FRAME_MAX);
	if (c->frame && c->frame < c->burst)
		return cqesim_fail(err, -EINVAL,
				   "frame %u: expected at least the burst's %u packets, or 0 for "
				   "one call",
				   c->frame, c->burst);
	return 0;
}

/* A threshold of 0 is ixgbe's: at the end of every call. */
static int check_replenish(const struct cqesim_sim_config *c, struct cqesim_error *err)
{
	if (!cqesim_poll_is_ixgbe(cqesim_sim_poll_rule(c->driver)) &&
	    !cqesim_profile_u64(c->driver, CQESIM_DRV_REPLENISH))
		return cqesim_fail(err, -EINVAL,
				   "replenish 0: expected 1 to 32768 packets (0 is for rx_function "
				   "ixgbe-scalar)");
	return 0;
}

static int check_away(const struct cqesim_host_away *away, struct cqesim_error *err)
{
	if (!away->every_ps && away->length_ps)
		return cqesim_fail(err, -EINVAL,
				   "away_length %g us without away_every: expected how often, too",
				   (double)away->length_ps * 1e-6);
	if (!away->every_ps)
		return 0;
	if (away->length_ps >= away->every_ps)
		return cqesim_fail(err, -EINVAL,
				   "away_length %g us: expected less than the %g us of away_every",
				   (double)away->length_ps * 1e-6, (double)away->every_ps * 1e-6);
	if (away->every_ps > CQESIM_AWAY_MAX_PS)
		return cqesim_fail(err, -EINVAL, "away_every %g us: expected up to %g",
				   (double)away->every_ps * 1e-6,
				   (double)CQESIM_AWAY_MAX_PS * 1e-6);
	return 0;
}

int sim_application(struct cqesim_sim *sim, struct cqesim_error *err)
{
	struct cqesim_sim_config *c = &sim->config;
	const struct cqesim_profile *app = c->application;

	c->burst = cqesim_sim_burst(c);
	if (!c->frame)
		c->frame = app_unsigned(c, CQESIM_APP_FRAME);
	if (app && cqesim_profile_flag(app, CQESIM_APP_FORWARD))
		c->forward = true;
	if (!c->tx_mpw)
		c->tx_mpw = app_unsigned(c, CQESIM_APP_TX_MPW);
	if (!c->tx_ring)
		c->tx_ring = CQESIM_TX_RING_DEFAULT;
	if (!c->tx_inline)
		c->tx_inline = app_unsigned(c, CQESIM_APP_TX_INLINE);
	if (!c->away.every_ps && !c->away.length_ps) {
		const struct cqesim_profile *host = c->host;

		c->away.every_ps =
			(uint64_t)(cqesim_profile_num(host, CQESIM_HOST_AWAY_EVERY) * 1e6);
		c->away.length_ps =
			(uint64_t)(cqesim_profile_num(host, CQESIM_HOST_AWAY_LENGTH) * 1e6);
	}
	int rc = check_burst(c, err);
	if (!rc)
		rc = check_replenish(c, err);
	return rc ? rc : check_away(&c->away, err);
}

/* ---- memory ---- */

static uint64_t lines_of(uint64_t bytes)
{
	return (bytes + LINE - 1) / LINE;
}

/* Bytes of the ring's buffers that packets fill before they come round again. */
static uint64_t filled_bytes(const struct cqesim_sim *sim, uint64_t packet)
{
	const struct cqesim_rq_result *rq = &sim->result.rq;
	uint64_t packets = sim->config.ring;

	if (rq->striding) {
		uint64_t stride = UINT64_C(1) << rq->strides.log_stride_bytes;

		packets /= (packet + stride - 1) / stride;
	}
	return packets * lines_of(packet) * LINE;
}

static void memory(struct cqesim_sim *sim)
{
	const struct cqesim_sim_config *c = &sim->config;
	struct cqesim_memory_result *m = &sim->result.memory;
	double cycles = cqesim_profile_num(c->host, CQESIM_HOST_CYC_MEMORY);
	double lines = cqesim_profile_num(c->host, CQESIM_HOST_LINES);
	double ddio = (double)cqesim_profile_u64(c->host, CQESIM_HOST_DDIO);
	uint64_t packet = sim->result.max_frame < USUAL_FRAME ? sim->result.max_frame : USUAL_FRAME;

	if (c->packet_bytes)
		packet = c->packet_bytes;
	if (lines > (double)lines_of(packet))
		lines = (double)lines_of(packet);
	m->working_set =
		(uint64_t)c->queues * (sim->result.rq.cq_ring_bytes + filled_bytes(sim, packet));
	m->missed = ddio < (double)m->working_set ? 1 - ddio / (double)m->working_set : 0;
	m->plain_cycles = cycles * m->missed * (lines + 1);
	m->mini_cycles = cycles * m->missed * (lines + 1.0 / MINIS_PER_LINE);
	m->session_cycles = cycles * m->missed;
}

int sim_core(struct cqesim_sim *sim, struct cqesim_error *err)
{
	const struct cqesim_sim_config *c = &sim->config;
	enum cqesim_poll_rule rule = cqesim_sim_poll_rule(c->driver);
	unsigned threshold = (unsigned)cqesim_profile_u64(c->driver, CQESIM_DRV_REPLENISH);

	memory(sim);
	if (!cqesim_poll_is_ixgbe(rule))
		return 0;
	if (sim->result.rq.striding)
		return cqesim_fail(err, -EINVAL,
				   "driver %s: ixgbe has no striding receive queue: expected --rq "
				   "cyclic, or another rx_function",
				   c->driver->name);
	return cqesim_ixgbe_rule_check(rule, c->ring, threshold, err);
}

/* ---- all of it ---- */

static unsigned replenish(const struct cqesim_sim *sim, enum cqesim_poll_rule rule)
{
	unsigned n = (unsigned)cqesim_profile_u64(sim->config.driver, CQESIM_DRV_REPLENISH);
	/* PMD MLX5_VPMD_RXQ_RPLNSH_THRESH: a quarter of the ring, four spare entries included. */
	unsigned quarter = (sim->config.ring + (rule == CQESIM_POLL_DPDK_VEC ? 4 : 0)) / 4;

	return n > quarter && !cqesim_poll_is_ixgbe(rule) ? quarter : n;
}

static struct cqesim_host_interrupt interrupt(const struct cqesim_profile *drv)
{
	return (struct cqesim_host_interrupt){
		.period_ps = (uint64_t)(cqesim_profile_num(drv, CQESIM_DRV_CQ_PERIOD) * 1e6),
		.packets = (uint32_t)cqesim_profile_u64(drv, CQESIM_DRV_CQ_MAX_COUNT),
		.period_from_cqe = is(drv, CQESIM_DRV_CQ_PERIOD_MODE, "cqe"),
		.latency_ps = cqesim_profile_u64(drv, CQESIM_DRV_IRQ_LATENCY) * 1000,
		.cycles = cqesim_profile_num(drv, CQESIM_DRV_CYC_IRQ),
		.arm_cycles = cqesim_profile_num(drv, CQESIM_DRV_CYC_ARM),
	};
}

struct cqesim_host_config sim_host_config(const struct cqesim_sim *sim, unsigned queue)
{
	const struct cqesim_sim_config *c = &sim->config;
	const struct cqesim_profile *drv = c->driver, *host = c->host;
	const struct cqesim_memory_result *memory = &sim->result.memory;
	double per_packet = app_number(c, CQESIM_APP_CYC_PACKET) +
			    cqesim_profile_num(host, CQESIM_HOST_CYC_MISS);
	double per_call =
		cqesim_profile_num(drv, CQESIM_DRV_CYC_POLL) + app_number(c, CQESIM_APP_CYC_CALL);
	double per_turn = app_number(c, CQESIM_APP_CYC_POLL);
	enum cqesim_poll_rule rule = cqesim_sim_poll_rule(drv);
	struct cqesim_host_config h = {
		.rule = rule,
		.clock_hz = cqesim_profile_num(host, CQESIM_HOST_CLOCK) * 1e9,
		/* Without frames a turn is a call. */
		.poll_cycles = c->frame ? per_turn : per_turn + per_call,
		.call_cycles = c->frame ? per_call : 0,
		.empty_poll_cycles = cqesim_profile_num(drv, CQESIM_DRV_CYC_EMPTY),
		.plain_cycles = cqesim_profile_num(drv, CQESIM_DRV_CYC_PACKET) + per_packet +
				memory->plain_cycles,
		.mini_cycles = cqesim_profile_num(drv, CQESIM_DRV_CYC_MINI) + per_packet +
			       memory->mini_cycles,
		.session_cycles =
			cqesim_profile_num(drv, CQESIM_DRV_CYC_SESSION) + memory->session_cycles,
		.app_cycles = app_number(c, CQESIM_APP_CYC_PACKET),
		.byte_cycles = app_number(c, CQESIM_APP_CYC_BYTE),
		.tail_cycles = cqesim_profile_num(drv, CQESIM_DRV_CYC_TAIL),
		.burst = c->burst,
		.frame = c->frame,
		.replenish = replenish(sim, rule),
		.away = c->away,
	};

	if (h.away.seed)
		h.away.seed += queue;
	if (is(drv, CQESIM_DRV_WAKEUP, "interrupt")) {
		h.wakeup = CQESIM_WAKE_INTERRUPT;
		h.interrupt = interrupt(drv);
	}
	return h;
}
