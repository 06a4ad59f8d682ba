/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the suite pcie share. */
#ifndef CQESIM_TEST_PCIE_H
#define CQESIM_TEST_PCIE_H

#include <check.h>

#include "cqesim/pcie.h"

static inline struct cqesim_link_config base(unsigned generation, unsigned lanes, unsigned mps)
{
	return (struct cqesim_link_config){
		.generation = generation,
		.lanes = lanes,
		.mps = mps,
		.mrrs = 512,
		.rcb = 64,
		.addr_bits = 64,
		.ack_every = 1,
		.fc_every = 1,
		.skp_blocks = 370,
		.skp_symbols = 1538,
		.efficiency = 1,
	};
}

static inline struct cqesim_link make(struct cqesim_link_config c)
{
	struct cqesim_link link;
	struct cqesim_error err = {""};

	if (cqesim_link_init(&link, &c, &err))
		ck_abort_msg("%s", err.text);
	return link;
}

TCase *tcase_pcie_server(void);
TCase *tcase_pcie_property(void);

#endif
