/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim link: profiles and options become a config, a config an answer. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cqesim/trace.h"
#include "link.h"
#include "link_local.h"
#include "link_peer.h"

#define COMMAND      LINK_COMMAND
#define STRIDING_WQE 32u /* next segment and data segment */
#define STRIDES      64u /* DPDK mlx5_defs.h, MLX5_MPRQ_DEFAULT_LOG_STRIDE_NUM 6 */

const unsigned link_speeds[] = {10, 25, 40, 50, 100, 200, 400, 0};

int link_refuse(const struct cqesim_error *err)
{
	return usage_error(COMMAND, "%s", err->text);
}

double link_carries(const struct cqesim_ceiling *r)
{
	return fmin(r->bound_pps[CQESIM_BOUND_UP], r->bound_pps[CQESIM_BOUND_DOWN]);
}

static int load(struct cqesim_profile **profile, enum cqesim_profile_kind kind, const char *name)
{
	struct cqesim_error err = {""};
	int rc = cqesim_profile_load(profile, kind, name, &err);

	if (!rc)
		return EXIT_GOOD;
	/* A file at fault is bad input; a name that nobody has is a typing error. */
	if (strchr(name, '/') || strstr(err.text, ".yaml"))
		complain("%s", err.text);
	else
		return usage_error(COMMAND, "%s", err.text);
	return EXIT_INPUT;
}

static int apply_sets(struct link_run *run)
{
	struct cqesim_profile *const profiles[] = {run->device, run->link, run->host, run->driver,
						   run->application};
	const struct link_options *o = run->options;
	struct cqesim_error err = {""};

	for (unsigned i = 0; i < o->sets; i++) {
		int rc = cqesim_profile_set_text(profiles, sizeof(profiles) / sizeof(profiles[0]),
						 o->set[i], &err);

		if (rc && rc != -ENOENT)
			return link_refuse(&err);
		if (rc)
			return usage_error(COMMAND,
					   "--set %s: no such parameter (cqesim models show NAME "
					   "lists them)",
					   o->set[i]);
	}
	if (o->efficiency && cqesim_profile_set(run->link, "efficiency", o->efficiency, &err))
		return link_refuse(&err);
	if (o->port_speed && cqesim_profile_set(run->device, "port_speed", o->port_speed, &err))
		return link_refuse(&err);
	return 0;
}

static void take(uint32_t *field, long option)
{
	if (option >= 0)
		*field = (uint32_t)option;
}

/* Options that an mlx5 card alone has. */
static int refuse_mlx5(const struct link_options *o)
{
	if (o->striding || o->cqe || o->compression > 0 || o->session.den || o->compressed.den ||
	    o->tx_inline > 0 || o->tx_inline_min > 0 || o->tx_mpw > 1 || o->blueflame ||
	    o->dbrec_every > 0 || o->wqe_bytes >= 0)
		return usage_error(COMMAND,
				   "device %s has rings of descriptors: --rq striding, --cqe, "
				   "--compression, --session, --wqe-bytes, --dbrec-every, "
				   "--tx-inline, --tx-mpw and --bluefield are for mlx5",
				   o->device);
	return 0;
}

/* Completions: plain, or the sessions that were asked for. */
static void completions(struct link_run *run)
{
	const struct link_options *o = run->options;
	struct cqesim_ceiling_config *c = &run->config;
	int mode = o->compression;

	if (mode < 0 && (o->session.den || o->compressed.den)) {
		/* Not said how: as the device's profile has it. */
		const char *policy = cqesim_profile_text(run->device, CQESIM_DEV_COMP_WRITE);

		mode = !strcmp(policy, "burst")   ? CQESIM_CQE_BURST
		       : !strcmp(policy, "exact") ? CQESIM_CQE_EXACT
						  : CQESIM_CQE_ARRAYS;
	}
	c->cqe_mode = mode > 0 ? (enum cqesim_cqe_mode)mode : (enum cqesim_cqe_mode)o->cqe;
	c->session = o->session;
	if (!c->session.den)
		c->session = cqesim_fraction(
			cqesim_profile_u64(run->device, CQESIM_DEV_COMP_MAX_NUM), 1);
	if (o->compressed.den)
		c->compressed = o->compressed;
}

/*
 * The replay ends a session with its WQE (the id of the WQE is among what it
 * compares: assumed, cqesim models show connectx-5); the closed form does not.
 */
static void sessions_over_wqes(struct link_run *run)
{
	const struct link_options *o = run->options;
	struct cqesim_ceiling_config c = run->config;
	struct cqesim_error err;
	struct cqesim_transaction traffic[CQESIM_TRANSACTIONS_MAX];
	uint32_t frame = c.frame_bytes;
	char text[512], n[CQESIM_FRACTION_TEXT];

	/* Of several the largest: fewest packets to a WQE, longest sessions. */
	for (unsigned i = 0; i < o->frames.count; i++)
		frame = o->frames.value[i] > frame ? o->frames.value[i] : frame;
	c = link_point(run, LINK_SIZE, frame);
	if (o->view == LINK_SWEEP)
		c = link_point(run, o->axis, o->axis_high);
	if (o->view == LINK_BANDWIDTH || c.direction == CQESIM_TX || !c.mlx5 || !c.rx_strides ||
	    c.cqe_mode < CQESIM_CQE_ARRAYS || cqesim_ceiling_traffic(&c, traffic, &err) < 0)
		return;
	uint32_t wqe = cqesim_ceiling_packets_per_wqe(&c);
	if (cqesim_fraction_value(c.session) <= wqe)
		return;
	snprintf(text, sizeof(text),
		 "A WQE holds %u packets of %u bytes, fewer than a session of %s. cqesim replay "
		 "would end sessions after %u, with the WQE (assumed); for that figure: --session "
		 "%u.",
		 wqe, c.frame_bytes,
		 c.session.den == 1 ? cqesim_fraction_text(c.session, n)
				    : cqesim_fraction_decimals(c.session, 2, n),
		 wqe, wqe);
	link_remark(run, text);
}

/* Packets per second of the cores: cycles of the driver and the application. */
static double host_pps(const struct link_run *run)
{
	const struct cqesim_profile *d = run->driver, *h = run->host, *a = run->application;
	double burst = cqesim_profile_num(a, CQESIM_APP_BURST) > 0
			       ? cqesim_profile_num(a, CQESIM_APP_BURST)
			       : cqesim_profile_num(d, CQESIM_DRV_BURST);
	double frame = cqesim_profile_num(a, CQESIM_APP_FRAME) > 0
			       ? cqesim_profile_num(a, CQESIM_APP_FRAME)
			       : burst;
	double packet = cqesim_profile_num(d, CQESIM_DRV_CYC_PACKET);
	const struct cqesim_ceiling_config *c = &run->config;

	if (c->cqe_mode >= CQESIM_CQE_ARRAYS) {
		double share = cqesim_fraction_value(c->compressed);
		double mini = cqesim_profile_num(d, CQESIM_DRV_CYC_MINI) +
			      cqesim_profile_num(d, CQESIM_DRV_CYC_SESSION) /
				      cqesim_fraction_value(c->session);

		packet = share * mini + (1 - share) * packet;
	}
	packet += (cqesim_profile_num(d, CQESIM_DRV_CYC_POLL) +
		   cqesim_profile_num(a, CQESIM_APP_CYC_CALL)) /
			  burst +
		  cqesim_profile_num(a, CQESIM_APP_CYC_POLL) / frame +
		  cqesim_profile_num(a, CQESIM_APP_CYC_PACKET) +
		  cqesim_profile_num(a, CQESIM_APP_CYC_BYTE) * c->frame_bytes +
		  cqesim_profile_num(h, CQESIM_HOST_CYC_MISS);
	return packet > 0 ? run->options->cores * cqesim_profile_num(h, CQESIM_HOST_CLOCK) * 1e9 /
				    packet
			  : 0;
}

static int offered(struct link_run *run)
{
	const struct link_options *o = run->options;
	struct cqesim_ceiling_config *c = &run->config;
	struct cqesim_rate rate;
	struct cqesim_error err;

	if (!o->rate)
		return 0;
	if (cqesim_rate_parse(o->rate, (uint64_t)(c->port_bps * c->ports + 0.5), &rate, &err))
		return usage_error(COMMAND, "--%s", err.text);
	double value = (double)rate.num / (double)rate.den;
	if (rate.kind == CQESIM_RATE_PPS)
		c->offered_pps = value;
	else if (rate.kind == CQESIM_RATE_BPS)
		c->offered_pps = cqesim_line_pps(value, c->frame_bytes);
	else
		return usage_error(COMMAND, "--rate %s: there is no capture with times of its own",
				   o->rate);
	return 0;
}

static int configure(struct link_run *run)
{
	const struct link_options *o = run->options;
	struct cqesim_ceiling_config *c = &run->config;
	struct cqesim_error err = {""};

	if (cqesim_ceiling_from_profiles(c, run->device, run->link, run->host, &err))
		return link_refuse(&err);
	int code = c->mlx5 ? 0 : refuse_mlx5(o);
	if (code)
		return code;
	c->direction = o->direction;
	c->keep_fcs = o->keep_fcs;
	c->pad = o->pad;
	c->tx_blueflame = o->blueflame;
	if (o->frames.count)
		c->frame_bytes = o->frames.value[0];
	if (o->striding) {
		c->rx_desc_bytes = STRIDING_WQE;
		c->rx_strides = STRIDES;
	}
	take(&c->data_offset, o->offset);
	take(&c->rx_desc_bytes, o->wqe_bytes);
	take(&c->rx_desc_fetch, o->wqe_fetch);
	if (o->striding)
		take(&c->rx_strides, o->strides);
	take(&c->stride_bytes, o->stride_size);
	take(&c->queues, o->queues);
	take(&c->ports, o->ports);
	take(&c->ring_entries, o->ring);
	take(&c->interrupt_every, o->interrupt_every);
	take(&c->dbrec_every, o->dbrec_every);
	take(&c->tx_inline_max, o->tx_inline);
	take(&c->tx_inline_min, o->tx_inline_min);
	take(&c->tx_mpw, o->tx_mpw);
	take(&c->tx_desc_fetch, o->tx_fetch);
	take(&c->tx_completion_every, o->tx_cqe_every);
	take(&c->tx_doorbell_every, o->tx_doorbell_every);
	completions(run);
	if (o->cores > 0)
		c->host_pps = host_pps(run);
	return offered(run);
}

int link_use(struct link_run *run, const char *name)
{
	cqesim_profile_free(run->link);
	run->link = NULL;
	int code = load(&run->link, CQESIM_PROFILE_LINK, name);
	if (!code)
		code = apply_sets(run);
	return code ? code : configure(run);
}

struct cqesim_ceiling_config link_point(const struct link_run *run, enum link_axis axis,
					uint32_t value)
{
	struct cqesim_ceiling_config c = run->config;

	if (axis == LINK_SIZE) {
		/* A rate in bits is another one in packets. */
		bool bits = c.offered_pps > 0 && run->options->rate &&
			    !strstr(run->options->rate, "pps");

		if (bits)
			c.offered_pps *= (double)(c.frame_bytes + 20) / (value + 20);
		c.frame_bytes = value;
	} else if (axis == LINK_SESSION) {
		c.session = cqesim_fraction(value, 1);
		if (c.cqe_mode < CQESIM_CQE_ARRAYS)
			c.cqe_mode = CQESIM_CQE_ARRAYS;
	} else if (axis == LINK_MPW) {
		c.tx_mpw = value;
	} else {
		c.queues = value;
	}
	return c;
}

static int answer(struct link_run *run)
{
	const struct link_options *o = run->options;
	struct link_values one = {.value = {run->config.frame_bytes}, .count = 1};
	const struct link_values *frames = o->frames.count ? &o->frames : &one;

	switch (o->view) {
	case LINK_SWEEP:
		return link_sweep(run);
	case LINK_TABLE:
		return link_table(run);
	case LINK_BANDWIDTH:
		return link_bandwidth(run);
	case LINK_COMBINATIONS:
		return link_combinations(run);
	default:
		break;
	}
	if (o->format == LINK_JSON)
		return link_json(run, frames, LINK_SIZE);
	if (o->format == LINK_CSV)
		return link_csv(run, frames, LINK_SIZE);
	return frames->count > 1 ? link_sweep(run) : link_answer(run);
}

/* --local alone, or with --json, lists the cards. */
static bool only_local(int argc, char **argv)
{
	bool local = false;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--local"))
			local = true;
		else if (strcmp(argv[i], "--json"))
			return false;
	}
	return local;
}

/* --set link=...: before the link is looked for, the others after it. */
static int set_slot(struct link_run *run)
{
	const struct link_options *o = run->options;
	struct cqesim_error err = {""};

	for (unsigned i = 0; i < o->sets; i++)
		if (!strncmp(o->set[i], "link=", 5) &&
		    cqesim_profile_set(run->device, "link", o->set[i] + 5, &err))
			return link_refuse(&err);
	return 0;
}

/* --link, what was seen of the machine, the card's slot: the first that is there. */
static const char *link_of(const struct link_run *run)
{
	const struct link_options *o = run->options;

	if (o->links)
		return o->link[0];
	return *run->link_name ? run->link_name : cqesim_profile_text(run->device, CQESIM_DEV_LINK);
}

int cmd_link(int argc, char **argv)
{
	static struct link_options o; /* its lists are long */
	struct link_run run = {.options = &o};

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--peer"))
			return link_peer_main(argc, argv);
	if (only_local(argc, argv))
		return link_local_main(argc, argv);
	int code = link_options(&o, argc, argv);
	if (code)
		return code < 0 ? close_stdout() : code;
	code = link_sysinfo(&run, &o);
	if (!o.device)
		o.device = LINK_DEVICE;
	if (!code)
		code = load(&run.device, CQESIM_PROFILE_DEVICE, o.device);
	if (!code)
		code = load(&run.host, CQESIM_PROFILE_HOST, o.host);
	if (!code && o.cores > 0)
		code = load(&run.driver, CQESIM_PROFILE_DRIVER, o.driver);
	if (!code)
		code = load(&run.application, CQESIM_PROFILE_APPLICATION, o.app);
	if (!code)
		code = set_slot(&run);
	if (!code)
		code = link_use(&run, link_of(&run));
	if (!code)
		sessions_over_wqes(&run);
	if (!code)
		code = answer(&run);
	cqesim_profile_free(run.application);
	cqesim_profile_free(run.driver);
	cqesim_profile_free(run.host);
	cqesim_profile_free(run.link);
	cqesim_profile_free(run.device);
	return code ? code : close_stdout();
}
