/* SPDX-License-Identifier: BSD-3-Clause */
/* A config from the profiles of card, link and host. */
#include <errno.h>
#include <string.h>

#include "ceiling/internal.h"

#define U(p, id) ((uint32_t)cqesim_profile_u64(p, CQESIM_##id))
#define M(p, id) (cqesim_profile_num(p, CQESIM_##id) * 1e6)
#define STRIDE   2048u /* DPDK: mprq_log_stride_size 11 */
#define RING     1024u

static void receiving(struct cqesim_ceiling_config *c, const struct cqesim_profile *d)
{
	c->rx_desc_bytes = U(d, DEV_RX_DESC);
	c->rx_desc_fetch = U(d, DEV_WQE_FETCH);
	c->stride_bytes = STRIDE;
	c->session = c->compressed = (struct cqesim_fraction){1, 1};
	c->completion_bytes = U(d, DEV_COMPLETION);
	c->completion_batch = U(d, DEV_COMPLETION_BATCH);
	c->rx_doorbell_bytes = U(d, DEV_RX_DOORBELL);
	c->rx_doorbell_every = U(d, DEV_RX_DOORBELL_EVERY);
	c->rx_head_every = U(d, DEV_RX_HEAD_EVERY);
	c->interrupt_every = U(d, DEV_INTERRUPT_EVERY);
	c->event_bytes = U(d, DEV_EVENT);
	c->arm_bytes = U(d, DEV_ARM);
}

static void sending(struct cqesim_ceiling_config *c, const struct cqesim_profile *d)
{
	c->tx_desc_bytes = U(d, DEV_TX_DESC);
	c->tx_desc_fetch = U(d, DEV_TX_DESC_FETCH);
	c->tx_mpw = 1;
	c->tx_completion_bytes = U(d, DEV_TX_COMPLETION);
	c->tx_completion_every = U(d, DEV_TX_COMPLETION_EVERY);
	c->tx_doorbell_bytes = U(d, DEV_TX_DOORBELL);
	c->tx_doorbell_every = U(d, DEV_TX_DOORBELL_EVERY);
	c->tx_head_every = U(d, DEV_TX_HEAD_EVERY);
}

int cqesim_ceiling_from_profiles(struct cqesim_ceiling_config *c,
				 const struct cqesim_profile *device,
				 const struct cqesim_profile *link,
				 const struct cqesim_profile *host, struct cqesim_error *err)
{
	if (device->kind != CQESIM_PROFILE_DEVICE || link->kind != CQESIM_PROFILE_LINK ||
	    (host && host->kind != CQESIM_PROFILE_HOST))
		return cqesim_fail(err, -EINVAL,
				   "expected profiles of a device, a link and a host");
	*c = (struct cqesim_ceiling_config){
		.mlx5 = !strcmp(cqesim_profile_text(device, CQESIM_DEV_QUEUE_MODEL), "mlx5"),
		.frame_bytes = 64,
		.ports = 1,
		.queues = 1,
		.port_bps = cqesim_profile_num(device, CQESIM_DEV_PORT_SPEED) * 1e9,
		.port_pps = M(device, DEV_MAX_PPS),
		.device_pps = M(device, DEV_DEVICE_MAX_PPS),
		.queue_pps = M(device, DEV_QUEUE_MAX_PPS),
		.completion_pps = M(device, DEV_COMPLETION_RATE),
		.bus_hz = M(device, DEV_BUS_CLOCK),
		.bus_bytes = U(device, DEV_BUS_WIDTH),
		.ring_entries = RING,
		.ddio_bytes = host ? cqesim_profile_u64(host, CQESIM_HOST_DDIO) : 0,
	};
	cqesim_profile_link(link, &c->link, &c->latency);
	receiving(c, device);
	sending(c, device);
	return 0;
}
