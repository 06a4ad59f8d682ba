/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim link --peer: pcie-model's figures, and what is wrong with them. */
#ifndef CQESIM_LINK_PEER_H
#define CQESIM_LINK_PEER_H

/* The arguments of "cqesim link" when --peer is among them. */
int link_peer_main(int argc, char **argv);

#endif
