/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for the driver's header of that name: mlx5_prm.h builds on mlx5dv's structs. */
#include <infiniband/mlx5dv.h>

/* Newer trees pack with these two; the rte_common.h that is installed may be older. */
#ifndef __rte_packed_begin
#define __rte_packed_begin
#define __rte_packed_end __attribute__((packed))
#endif
