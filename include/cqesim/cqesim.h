/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim.h - all stations but mbuf.h, which is for programs that use DPDK. */
#ifndef CQESIM_CQESIM_H
#define CQESIM_CQESIM_H

#include "cqesim/aggregate.h"
#include "cqesim/buffers.h"
#include "cqesim/card.h"
#include "cqesim/ceiling.h"
#include "cqesim/common.h"
#include "cqesim/cq.h"
#include "cqesim/cqe.h"
#include "cqesim/describe.h"
#include "cqesim/dump.h"
#include "cqesim/host.h"
#include "cqesim/nic.h"
#include "cqesim/pcie.h"
#include "cqesim/peer.h"
#include "cqesim/port.h"
#include "cqesim/profile.h"
#include "cqesim/report.h"
#include "cqesim/rq.h"
#include "cqesim/sim.h"
#include "cqesim/sysinfo.h"
#include "cqesim/tlp.h"
#include "cqesim/trace.h"
#include "cqesim/validate.h"
#include "cqesim/walk.h"

#endif
