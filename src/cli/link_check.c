/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of cqesim link that do not go together, and options that would have no part in the
 * answer.
 */
#include "cli.h"
#include "link.h"

#define COMMAND LINK_COMMAND

struct given {
	bool given;
	const char *name;
};

/* The first of a list that ends without a name. */
static const char *first(const struct given *g)
{
	while (g->name && !g->given)
		g++;
	return g->name;
}

static const char *of_receiving(const struct link_options *o)
{
	const struct given list[] = {
		{o->striding, "rq striding"},
		{o->wqe_bytes >= 0, "wqe-bytes"},
		{o->wqe_fetch >= 0, "wqe-fetch"},
		{o->cqe, "cqe"},
		{o->compression > CQESIM_CQE_PLAIN64, "compression"},
		{o->session.den, "session"},
		{o->compressed.den, "compressed"},
		{o->dbrec_every > 0, "dbrec-every"},
		{o->pad, "pad"},
		{o->keep_fcs, "keep-fcs"},
		{o->cores >= 0, "cores"},
		{o->ring >= 0, "ring"},
		{false, NULL},
	};

	return first(list);
}

static const char *of_sending(const struct link_options *o)
{
	const struct given list[] = {
		{o->tx_inline >= 0, "tx-inline"},
		{o->tx_inline_min >= 0, "tx-inline-min"},
		{o->tx_mpw >= 0, "tx-mpw"},
		{o->tx_fetch >= 0, "tx-fetch"},
		{o->tx_cqe_every >= 0, "tx-cqe-every"},
		{o->tx_doorbell_every >= 0, "tx-doorbell-every"},
		{o->blueflame, "bluefield"},
		{false, NULL},
	};

	return first(list);
}

/* What is asked of the link alone has no use for these. */
static const char *of_rates(const struct link_options *o)
{
	const struct given list[] = {
		{o->rate, "rate"},
		{o->port_speed, "port-speed"},
		{o->cores >= 0, "cores"},
		{false, NULL},
	};

	return first(list);
}

static int check_directions(const struct link_options *o)
{
	const char *name = of_receiving(o);

	if (o->direction == CQESIM_TX && name)
		return usage_error(COMMAND, "--%s: of receiving, and --tx sends only", name);
	name = of_sending(o);
	if (o->direction == CQESIM_RX && name)
		return usage_error(COMMAND, "--%s: of sending; expected --tx or --forward", name);
	if (!o->striding && (o->strides >= 0 || o->stride_size >= 0))
		return usage_error(COMMAND, "--%s: only with --rq striding",
				   o->strides >= 0 ? "strides" : "stride-size");
	/* DPDK mlx5_tx.c, mlx5_select_tx_function: EMPW only where txq_inline_min is 0. */
	if (o->tx_inline_min > 0 &&
	    (o->tx_mpw > 1 || (o->view == LINK_SWEEP && o->axis == LINK_MPW)))
		return usage_error(COMMAND, "--tx-mpw and --tx-inline-min: with a minimum that is "
					    "inline a send WQE holds one packet (DPDK turns "
					    "multi-packet WQEs off)");
	if (o->driver && o->cores < 0)
		return usage_error(COMMAND, "--driver: only with --cores");
	return 0;
}

static int check_completions(const struct link_options *o)
{
	if (o->cqe && (o->compression > CQESIM_CQE_PLAIN64 || o->session.den || o->compressed.den))
		return usage_error(
			COMMAND, "--compression and --session with --cqe 128: how compressed CQEs "
				 "of 128 bytes are written is not modelled");
	if (o->compression == CQESIM_CQE_PLAIN64 && (o->session.den || o->compressed.den))
		return usage_error(COMMAND, "--%s needs a --compression other than off",
				   o->session.den ? "session" : "compressed");
	return 0;
}

static int check_sweep(const struct link_options *o)
{
	const struct given same[] = {
		[LINK_SIZE] = {o->frames.count, "frame"},
		[LINK_SESSION] = {o->session.den, "session"},
		[LINK_QUEUES] = {o->queues >= 0, "queues"},
		[LINK_MPW] = {o->tx_mpw >= 0, "tx-mpw"},
	};

	if (o->view != LINK_SWEEP)
		return 0;
	if (same[o->axis].given)
		return usage_error(COMMAND, "--%s: the --sweep has its values", same[o->axis].name);
	if (o->frames.count > 1)
		return usage_error(COMMAND, "--sweep: expected one --frame");
	if (o->axis == LINK_MPW && o->direction == CQESIM_RX)
		return usage_error(COMMAND, "--sweep mpw: expected --tx or --forward");
	if (o->axis != LINK_SESSION)
		return 0;
	if (o->direction == CQESIM_TX)
		return usage_error(COMMAND, "--sweep session: nothing is received with --tx");
	if (o->compression == CQESIM_CQE_PLAIN64 || o->cqe)
		return usage_error(COMMAND, "--sweep session: there are none with --%s",
				   o->cqe ? "cqe 128" : "compression off");
	return 0;
}

static int check_view(const struct link_options *o)
{
	const char *name = of_rates(o);

	if (o->links > 1 && o->view != LINK_TABLE)
		return usage_error(COMMAND, "more than one --link: only with --table");
	if (o->published_pps > 0 && o->view != LINK_COMBINATIONS)
		return usage_error(COMMAND, "--published: only with --combinations");
	if (o->format == LINK_CSV && o->view != LINK_ANSWER && o->view != LINK_SWEEP)
		return usage_error(COMMAND, "--csv: only for packets, and with --sweep");
	if (name &&
	    (o->view == LINK_TABLE || o->view == LINK_BANDWIDTH || o->view == LINK_COMBINATIONS))
		return usage_error(COMMAND,
				   "--%s: --table, --bandwidth and --combinations are of the link "
				   "alone",
				   name);
	if (o->view == LINK_BANDWIDTH) {
		name = of_receiving(o) ? of_receiving(o) : of_sending(o);
		if (name || o->direction_given)
			return usage_error(COMMAND,
					   "--%s: --bandwidth reads and writes, whatever "
					   "packets there are",
					   name                        ? name
					   : o->direction == CQESIM_RX ? "rx"
					   : o->direction == CQESIM_TX ? "tx"
								       : "forward");
	}
	if (o->view == LINK_COMBINATIONS && o->frames.count > 1)
		return usage_error(COMMAND, "--combinations: expected one --frame");
	if (o->view == LINK_COMBINATIONS && (o->wqe_fetch >= 0 || o->efficiency))
		return usage_error(COMMAND, "--%s: --combinations tries them all",
				   o->efficiency ? "efficiency" : "wqe-fetch");
	return 0;
}

int link_check(const struct link_options *o)
{
	int rc = 0;

	if (o->card && !o->texts && !o->local)
		return usage_error(COMMAND, "--card: of --lspci, --dmesg or --local");
	if (!rc)
		rc = check_view(o);
	if (!rc)
		rc = check_sweep(o);
	if (!rc)
		rc = check_directions(o);
	if (!rc)
		rc = check_completions(o);
	for (unsigned i = 0; !rc && o->view != LINK_BANDWIDTH && i < o->frames.count; i++)
		if (o->frames.value[i] < 64)
			rc = usage_error(COMMAND, "--frame %u: expected 64 or more",
					 o->frames.value[i]);
	return rc;
}
