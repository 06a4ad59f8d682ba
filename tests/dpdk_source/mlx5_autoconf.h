/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for what DPDK's build makes of the installed rdma-core; mlx5_prm.h alone needs no more. */
#ifndef HAVE_INFINIBAND_VERBS_H
#define HAVE_INFINIBAND_VERBS_H 1
#endif
