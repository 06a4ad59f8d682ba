/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim link --local: the network cards of this machine. */
#ifndef CQESIM_LINK_LOCAL_H
#define CQESIM_LINK_LOCAL_H

#include "cqesim/sysinfo.h"

/*
 * --local without a card: print them all (as JSON, if wanted), with what is worth
 * saying of each.  Returns the exit status; complains itself.
 */
int link_local_list(bool json);

/* The arguments of "cqesim link" when they are --local and --json only. */
int link_local_main(int argc, char **argv);

/*
 * --local NAME: what this machine says of the card of this interface or address,
 * added to *info.  NULL after a complaint; the exit status is EXIT_INPUT then.
 */
const struct cqesim_sysinfo_card *link_local_card(const char *name, struct cqesim_sysinfo *info);

#endif
