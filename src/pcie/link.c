/* SPDX-License-Identifier: BSD-3-Clause */
/* PCIe link rates and TLP costs: see pcie.h for the rules and their source. */
#include <errno.h>

#include "cqesim/pcie.h"

#define FRAMING         8u
#define PAGE            4096u
#define FLIT_GENERATION 6u
#define FLIT_BYTES      256u
#define FLIT_TLP_BYTES  236u /* the rest: 6 of DLLPs, 8 of CRC, 6 of error correction */

static bool power_of_two(unsigned v, unsigned low, unsigned high)
{
	return v >= low && v <= high && !(v & (v - 1));
}

int cqesim_link_init(struct cqesim_link *link, const struct cqesim_link_config *c,
		     struct cqesim_error *err)
{
	static const uint64_t transfers[] = {0,           2500000000,  5000000000, 8000000000,
					     16000000000, 32000000000, 64000000000};

	if (c->generation < 1 || c->generation > FLIT_GENERATION)
		return cqesim_fail(err, -EINVAL, "PCIe generation %u: expected 1 to %u",
				   c->generation, FLIT_GENERATION);
	if (!power_of_two(c->lanes, 1, 32) && c->lanes != 12)
		return cqesim_fail(err, -EINVAL, "%u lanes: expected 1, 2, 4, 8, 12, 16 or 32",
				   c->lanes);
	if (!power_of_two(c->mps, 128, 4096))
		return cqesim_fail(err, -EINVAL, "mps %u: expected a power of two, 128 to 4096",
				   c->mps);
	if (!power_of_two(c->mrrs, 128, 4096))
		return cqesim_fail(err, -EINVAL, "mrrs %u: expected a power of two, 128 to 4096",
				   c->mrrs);
	if (c->rcb != 64 && c->rcb != 128)
		return cqesim_fail(err, -EINVAL, "rcb %u: expected 64 or 128", c->rcb);
	if (c->addr_bits != 32 && c->addr_bits != 64)
		return cqesim_fail(err, -EINVAL, "addr_bits %u: expected 32 or 64", c->addr_bits);
	if (!(c->ack_every >= 1) || !(c->fc_every >= 1))
		return cqesim_fail(err, -EINVAL, "ack_every and fc_every: expected 1 or more");
	if (!(c->efficiency > 0) || c->efficiency > 1)
		return cqesim_fail(err, -EINVAL, "efficiency %g: expected above 0, up to 1",
				   c->efficiency);
	if (c->prefixes > 4)
		return cqesim_fail(err, -EINVAL, "prefixes %u: expected 0 to 4", c->prefixes);
	if (c->generation < 3 ? c->skp_symbols <= 4 : !c->skp_blocks)
		return cqesim_fail(err, -EINVAL, "SKP interval: expected more than the SKP itself");

	bool flit = c->generation == FLIT_GENERATION;
	unsigned framing = (flit ? 0 : FRAMING) + (c->ecrc ? 4 : 0);
	unsigned request = framing + (c->addr_bits == 64 ? 16 : 12) + 4 * c->prefixes;
	uint64_t t = transfers[c->generation] * c->lanes / 8;

	*link = (struct cqesim_link){
		.config = *c,
		.write_header = request,
		.read_header = request,
		.cpl_header = framing + 12,
		.dllp_bytes = flit ? 0 : CQESIM_DLLP_BYTES,
	};
	if (c->generation < 3) {
		link->rate_num = t / 10 * 8 * (c->skp_symbols - 4);
		link->rate_den = c->skp_symbols;
		link->raw_bps = (double)t * 8 * 8 / 10;
	} else if (!flit) {
		link->rate_num = t * 128 * c->skp_blocks;
		link->rate_den = (uint64_t)130 * (c->skp_blocks + 1);
		link->raw_bps = (double)t * 8 * 128 / 130;
	} else {
		link->rate_num = t * FLIT_TLP_BYTES;
		link->rate_den = FLIT_BYTES;
		link->raw_bps = (double)t * 8;
	}
	return 0;
}

/* A piece of a transfer that starts at address: up to limit bytes counted in whole DWs. */
static uint32_t piece(uint64_t address, uint32_t left, uint32_t limit)
{
	uint32_t lead = address & 3; /* bytes of the first DW that are not enabled */
	uint32_t to_page = PAGE - (uint32_t)(address & (PAGE - 1));
	uint32_t n = limit - lead;

	if (n > to_page)
		n = to_page;
	return left < n ? left : n;
}

static uint32_t whole_dws(uint64_t address, uint32_t length)
{
	return ((uint32_t)(address & 3) + length + 3) & ~3u;
}

static void add(struct cqesim_tlps *t, uint32_t header, uint64_t address, uint32_t length)
{
	uint32_t dws = whole_dws(address, length);

	t->count++;
	t->payload += length;
	t->wire += header + dws;
	t->credits += (dws + 15) / 16;
}

uint32_t cqesim_link_write_piece(const struct cqesim_link *link, uint64_t address, uint32_t left)
{
	return piece(address, left, link->config.mps);
}

uint32_t cqesim_link_request_piece(const struct cqesim_link *link, uint64_t address, uint32_t left)
{
	return piece(address, left, link->config.mrrs);
}

/* All but the last completion of a request end on an RCB boundary. */
uint32_t cqesim_link_completion_piece(const struct cqesim_link *link, uint64_t address,
				      uint32_t left)
{
	uint32_t rcb = link->config.rcb;
	uint32_t step = link->config.cpl_per_rcb ? rcb : link->config.mps;
	uint32_t n = step - (uint32_t)(address & (rcb - 1));

	return left < n ? left : n;
}

struct cqesim_tlps cqesim_link_write(const struct cqesim_link *link, uint64_t address,
				     uint32_t length)
{
	struct cqesim_tlps t = {0};

	while (length) {
		uint32_t n = cqesim_link_write_piece(link, address, length);

		add(&t, link->write_header, address, n);
		address += n;
		length -= n;
	}
	return t;
}

static void complete(const struct cqesim_link *link, uint64_t address, uint32_t length,
		     struct cqesim_tlps *t)
{
	while (length) {
		uint32_t n = cqesim_link_completion_piece(link, address, length);

		add(t, link->cpl_header, address, n);
		address += n;
		length -= n;
	}
}

void cqesim_link_read(const struct cqesim_link *link, uint64_t address, uint32_t length,
		      struct cqesim_tlps *requests, struct cqesim_tlps *completions)
{
	*requests = *completions = (struct cqesim_tlps){0};
	while (length) {
		uint32_t n = cqesim_link_request_piece(link, address, length);

		requests->count++;
		requests->wire += link->read_header;
		complete(link, address, n, completions);
		address += n;
		length -= n;
	}
}

int cqesim_link_pacer(const struct cqesim_link *link, struct cqesim_pacer *pacer)
{
	/* The efficiency in millionths keeps the rate a fraction. */
	uint64_t ppm = (uint64_t)(link->config.efficiency * 1e6 + 0.5);
	unsigned __int128 num = (unsigned __int128)link->rate_num * ppm;
	unsigned __int128 den = (unsigned __int128)link->rate_den * 1000000;
	unsigned __int128 a = num, b = den;

	while (b) {
		unsigned __int128 r = a % b;
		a = b;
		b = r;
	}
	num /= a;
	den /= a;
	if (num > UINT64_MAX || den > UINT64_MAX)
		return -ERANGE;
	return cqesim_pacer_init(pacer, (uint64_t)num, (uint64_t)den);
}
