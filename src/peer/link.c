/* SPDX-License-Identifier: BSD-3-Clause */
/* The peer's link: what is left for TLPs after code, Acks, UpdateFCs and SKP. */
#include <errno.h>

#include "peer_internal.h"

#define DLLP_BYTES 8.0

static bool power_of_two(unsigned v, unsigned low, unsigned high)
{
	return v >= low && v <= high && !(v & (v - 1));
}

void cqesim_peer_defaults(struct cqesim_peer_config *config)
{
	*config = (struct cqesim_peer_config){
		.generation = 3,
		.lanes = 8,
		.mps = 256,
		.mrrs = 512,
		.rcb = 64,
		.addr_bits = 64,
		.ack_every = 1,
		.fc_every = 1,
	};
}

int cqesim_peer_check(const struct cqesim_peer_config *c, struct cqesim_error *err)
{
	if (c->generation < 1 || c->generation > 7)
		return cqesim_fail(err, -EINVAL, "PCIe generation %u: expected 1 to 7",
				   c->generation);
	if (!power_of_two(c->lanes, 1, 32))
		return cqesim_fail(err, -EINVAL, "%u lanes: expected 1, 2, 4, 8, 16 or 32",
				   c->lanes);
	if (!power_of_two(c->mps, 128, 4096))
		return cqesim_fail(err, -EINVAL, "mps %u: expected a power of two, 128 to 4096",
				   c->mps);
	if (!power_of_two(c->mrrs, 128, 4096))
		return cqesim_fail(err, -EINVAL, "mrrs %u: expected a power of two, 128 to 4096",
				   c->mrrs);
	if (!power_of_two(c->rcb, 64, 512))
		return cqesim_fail(err, -EINVAL, "rcb %u: expected 64, 128, 256 or 512", c->rcb);
	if (peer_fixed(c, CQESIM_PEER_FIX_COMPLETIONS) && c->rcb > 128)
		return cqesim_fail(err, -EINVAL,
				   "rcb %u: only the peer knows it; with corrected completions 64 "
				   "or 128",
				   c->rcb);
	if (c->addr_bits != 32 && c->addr_bits != 64)
		return cqesim_fail(err, -EINVAL, "addr_bits %u: expected 32 or 64", c->addr_bits);
	if (c->fixes & ~(unsigned)CQESIM_PEER_FIX_ALL)
		return cqesim_fail(err, -EINVAL, "fixes %#x: unknown bits", c->fixes);
	if (!(c->ack_every >= 1) || !(c->fc_every >= 1))
		return cqesim_fail(err, -EINVAL, "ack_every and fc_every: expected 1 or more");
	if (c->prefixes > 4)
		return cqesim_fail(err, -EINVAL, "prefixes %u: expected 0 to 4", c->prefixes);
	return 0;
}

/*
 * The specification's limits of Ack latency and of UpdateFC, floor((MPS + 28) x
 * AF / lanes + d) symbol times (the formula as cocotbext-pcie restates it).  It
 * gives all entries of the peer's tables of Gen1 to 5 but two; those of Gen6 and
 * 7 are its copies of Gen5.
 */
static unsigned limit(const struct cqesim_peer_config *c)
{
	unsigned delay = c->generation == 1 ? 19 : c->generation == 2 ? 70 : 115;
	unsigned tenths; /* the factor AF */

	if (c->mps <= 256)
		tenths = c->lanes <= 4 ? 14 : c->lanes == 8 ? 25 : 30;
	else
		tenths = c->lanes <= 8 ? 10 : 20;
	return (c->mps + 28) * tenths / (10 * c->lanes) + delay;
}

unsigned cqesim_peer_ack_limit(const struct cqesim_peer_config *c)
{
	if (!peer_fixed(c, CQESIM_PEER_FIX_MISPRINTS) && c->generation == 2 && c->lanes == 32 &&
	    c->mps == 4096)
		return 237; /* two digits of 327 changed places */
	return limit(c);
}

unsigned cqesim_peer_fc_limit(const struct cqesim_peer_config *c)
{
	if (!peer_fixed(c, CQESIM_PEER_FIX_MISPRINTS) && c->generation == 1 && c->lanes == 32 &&
	    c->mps == 2048)
		return 248; /* for 148 */
	return limit(c);
}

static double transfers(const struct cqesim_peer_config *c)
{
	static const double gigatransfers[] = {0, 2.5, 5, 8, 16, 32, 64, 128};

	return gigatransfers[c->generation];
}

double cqesim_peer_raw(const struct cqesim_peer_config *c)
{
	double code = peer_flit(c)         ? 1
		      : c->generation <= 2 ? 8.0 / 10.0
		      : c->generation <= 5 ? 128.0 / 130.0
					   : 242.0 / 256.0;

	return code * transfers(c) * c->lanes;
}

/* Share of the link that an Ack or UpdateFC takes which comes as late as it may. */
static double dllp_share(const struct cqesim_peer_config *c, unsigned symbol_times)
{
	unsigned lanes = peer_fixed(c, CQESIM_PEER_FIX_SHARE) ? c->lanes : 1;

	return DLLP_BYTES / ((double)symbol_times * lanes);
}

static double skp_share(const struct cqesim_peer_config *c)
{
	if (peer_fixed(c, CQESIM_PEER_FIX_SKP) && c->generation >= 3)
		return 1.0 / 371.0; /* a block of 16 symbols after 370 blocks of 16 */
	return 4.0 / 1538.0;
}

double cqesim_peer_usable(const struct cqesim_peer_config *c)
{
	double raw = cqesim_peer_raw(c), taken = 0;

	if (peer_flit(c))
		return raw * 236 / 256;
	if (!peer_fixed(c, CQESIM_PEER_FIX_POLICY)) /* otherwise counted with the traffic */
		taken = dllp_share(c, cqesim_peer_ack_limit(c)) +
			dllp_share(c, cqesim_peer_fc_limit(c));
	taken += skp_share(c);
	return raw - raw * taken;
}
