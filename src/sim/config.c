/* SPDX-License-Identifier: BSD-3-Clause */
/* From profiles and options to the numbers that port, nic and host take. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim_internal.h"

/* Which of the two switches say what: see cqesim_comp_choice. */
static void compression(struct cqesim_sim *sim)
{
	const struct cqesim_sim_config *c = &sim->config;
	struct cqesim_result *r = &sim->result;

	r->cqe_comp_en = cqesim_profile_flag(c->driver, CQESIM_DRV_CQE_COMP_EN);
	r->compression = is(c->device, CQESIM_DEV_CQE_COMPRESSION, "aggressive")
				 ? CQESIM_COMP_AGGRESSIVE
				 : CQESIM_COMP_BALANCED;
	switch (c->comp) {
	case CQESIM_COMP_CHOOSE_OFF:
		r->cqe_comp_en = false;
		break;
	case CQESIM_COMP_CHOOSE_BALANCED:
		r->cqe_comp_en = true;
		r->compression = CQESIM_COMP_BALANCED;
		break;
	case CQESIM_COMP_CHOOSE_AGGRESSIVE:
		r->cqe_comp_en = true;
		r->compression = CQESIM_COMP_AGGRESSIVE;
		break;
	case CQESIM_COMP_AS_PROFILED:
		break;
	}
	if (!r->cqe_comp_en)
		r->compression = CQESIM_COMP_OFF;
	bool enhanced = c->layout == CQESIM_LAYOUT_CHOOSE_ENHANCED ||
			(c->layout == CQESIM_LAYOUT_AS_PROFILED &&
			 is(c->driver, CQESIM_DRV_CQE_LAYOUT, "enhanced"));
	/* PMD, KRN: the layout is asked for along with compression. */
	r->layout = enhanced && r->cqe_comp_en ? CQESIM_CQ_ENHANCED : CQESIM_CQ_BASIC;
}

int sim_defaults(struct cqesim_sim *sim, struct cqesim_error *err)
{
	struct cqesim_sim_config *c = &sim->config;
	struct cqesim_result *r = &sim->result;

	if (!is(c->device, CQESIM_DEV_QUEUE_MODEL, "mlx5"))
		return cqesim_fail(err, -EINVAL,
				   "device %s has rings of descriptors, not CQEs: it is for cqesim "
				   "link only",
				   c->device->name);
	if (!c->queues || c->queues > CQESIM_QUEUES_MAX)
		return cqesim_fail(err, -EINVAL, "queues %u: expected 1 to %u", c->queues,
				   CQESIM_QUEUES_MAX);
	if (!c->mtu)
		c->mtu = CQESIM_MTU_DEFAULT;
	if (c->mtu < 68 || c->mtu > 65535)
		return cqesim_fail(err, -EINVAL, "mtu %u: expected 68 to 65535", c->mtu);
	int rc = sim_application(sim, err);
	if (rc)
		return rc;
	compression(sim);
	if (c->mini_format < 0)
		c->mini_format = cqesim_mini_format_parse(
			cqesim_profile_text(c->driver, CQESIM_DRV_MINI_FORMAT));
	if (c->mini_format < 0 || c->mini_format >= CQESIM_MINI_FORMATS)
		return cqesim_fail(err, -EINVAL, "unknown mini-CQE format %d", c->mini_format);
	r->mini_format = (enum cqesim_mini_format)c->mini_format;

	r->max_frame = c->mtu + CQESIM_MTU_OVERHEAD;
	rc = sim_receive_queue(sim, err);
	if (rc)
		return rc;
	if (!c->cq_size) {
		c->cq_size = c->ring;
		if (r->cqe_comp_en)
			c->cq_size *= (unsigned)cqesim_profile_u64(c->driver, CQESIM_DRV_CQ_FACTOR);
	}
	if (log2_exact(c->cq_size) < 0 || c->cq_size > 1u << CQESIM_CQ_LOG_MAX)
		return cqesim_fail(err, -EINVAL, "cq-size %u: expected a power of two, up to %u",
				   c->cq_size, 1u << CQESIM_CQ_LOG_MAX);
	if (c->cq_size < c->ring)
		return cqesim_fail(
			err, -EINVAL,
			"cq-size %u: expected at least the ring's %u, or completions would "
			"overrun it",
			c->cq_size, c->ring);
	sim->log_cq = (unsigned)log2_exact(c->cq_size);
	r->rq.cq_ring_bytes = (uint64_t)c->cq_size * CQESIM_CQE_BYTES;
	r->config = c;
	return sim_core(sim, err);
}

/* The list of CQE fields that must agree within a session, as a mask. */
static int compare_mask(const struct cqesim_profile *device, uint8_t mask[64],
			struct cqesim_error *err)
{
	char words[512], *at = words, *word;

	snprintf(words, sizeof(words), "%s", cqesim_profile_text(device, CQESIM_DEV_COMP_COMPARE));
	memset(mask, 0, 64);
	while ((word = strsep(&at, " ,\t")) != NULL) {
		const struct cqesim_field *field;

		if (!*word)
			continue;
		/* "none" is the empty list; only RESP_SEND gets into sessions at all. */
		if (!strcmp(word, "none") || !strcmp(word, "opcode"))
			continue;
		field = cqesim_cqe_rx_field(word);
		if (!field)
			return cqesim_fail(err, -EINVAL,
					   "session_compare: \"%s\" is not a field of the CQE",
					   word);
		cqesim_field_mask(field, mask);
	}
	return 0;
}

static enum cqesim_write_policy write_policy(const struct cqesim_profile *device)
{
	if (is(device, CQESIM_DEV_COMP_WRITE, "burst"))
		return CQESIM_WRITE_BURST;
	if (is(device, CQESIM_DEV_COMP_WRITE, "exact"))
		return CQESIM_WRITE_EXACT;
	return CQESIM_WRITE_ARRAYS;
}

/* One port in use: its rate and that of the whole device (0: not known). */
static double pipeline_pps(const struct cqesim_profile *device)
{
	double port = cqesim_profile_num(device, CQESIM_DEV_MAX_PPS);
	double all = cqesim_profile_num(device, CQESIM_DEV_DEVICE_MAX_PPS);

	return (all > 0 && all < port ? all : port) * 1e6;
}

int cqesim_sim_device(const struct cqesim_profile *dev, const struct cqesim_profile *link,
		      struct cqesim_nic_config *nic, struct cqesim_error *err)
{
	*nic = (struct cqesim_nic_config){
		.max_pps = pipeline_pps(dev),
		.bus_hz = cqesim_profile_num(dev, CQESIM_DEV_BUS_CLOCK) * 1e6,
		.bus_bytes = (uint32_t)cqesim_profile_u64(dev, CQESIM_DEV_BUS_WIDTH),
		.completion_pps = cqesim_profile_num(dev, CQESIM_DEV_COMPLETION_RATE) * 1e6,
		.rx_buffer_bytes = cqesim_profile_u64(dev, CQESIM_DEV_RX_BUFFER),
		.write_latency_ps = cqesim_profile_u64(dev, CQESIM_DEV_WRITE_LATENCY) * 1000,
		.wqe_fetch_bytes = (unsigned)cqesim_profile_u64(dev, CQESIM_DEV_WQE_FETCH),
		.comp_max = (uint32_t)cqesim_profile_u64(dev, CQESIM_DEV_COMP_MAX_NUM),
		.comp_timeout_ps = cqesim_profile_u64(dev, CQESIM_DEV_COMP_TIMEOUT) * 1000,
		.comp_age_ps = cqesim_profile_u64(dev, CQESIM_DEV_COMP_AGE) * 1000,
		.comp_cross = cqesim_profile_flag(dev, CQESIM_DEV_COMP_CROSS),
		.write_policy = write_policy(dev),
		.backpressure_on_bytes = cqesim_profile_u64(dev, CQESIM_DEV_BP_ON),
		.backpressure_off_bytes = cqesim_profile_u64(dev, CQESIM_DEV_BP_OFF),
	};
	cqesim_profile_link(link, &nic->link, &nic->latency);
	return compare_mask(dev, nic->comp_compare, err);
}

int sim_nic_config(const struct cqesim_sim *sim, struct cqesim_nic_config *nic,
		   struct cqesim_error *err)
{
	const struct cqesim_profile *dev = sim->config.device;

	/* The device serves packets in order of arrival: one slow queue would hold up the others.
	 */
	if (cqesim_profile_num(dev, CQESIM_DEV_QUEUE_MAX_PPS) > 0)
		return cqesim_fail(err, -EINVAL,
				   "queue_max_pps %g: the replay knows no limit of a single queue "
				   "in the device, cqesim link does: expected 0",
				   cqesim_profile_num(dev, CQESIM_DEV_QUEUE_MAX_PPS));
	int rc = cqesim_sim_device(dev, sim->config.link, nic, err);
	nic->data_padding = cqesim_profile_flag(sim->config.driver, CQESIM_DRV_PKT_PAD);
	nic->compression = sim->result.compression;
	return rc;
}

enum cqesim_invalidate sim_invalidate(const struct cqesim_sim *sim)
{
	const struct cqesim_profile *drv = sim->config.driver;

	if (is(drv, CQESIM_DRV_INVALIDATE, "linux"))
		return CQESIM_INVALIDATE_LINUX;
	if (is(drv, CQESIM_DRV_INVALIDATE, "dpdk-vec"))
		return CQESIM_INVALIDATE_DPDK_VEC;
	return CQESIM_INVALIDATE_DPDK_SCALAR;
}

int cqesim_sim_port(struct cqesim_port *port, const struct cqesim_sim_config *c,
		    struct cqesim_error *err)
{
	unsigned mtu = c->mtu ? c->mtu : CQESIM_MTU_DEFAULT;
	int format = c->mini_format >= 0 ? c->mini_format
					 : cqesim_mini_format_parse(cqesim_profile_text(
						   c->driver, CQESIM_DRV_MINI_FORMAT));
	struct cqesim_port_config p = {
		.rss_symmetric = cqesim_profile_flag(c->driver, CQESIM_DRV_RSS_SYMMETRIC),
		.queues = c->queues,
		.vlan_strip = cqesim_profile_flag(c->driver, CQESIM_DRV_VLAN_STRIP),
		.keep_fcs = c->keep_fcs,
		.want_csum = format == CQESIM_MINI_CSUM || format == CQESIM_MINI_CSUM_STRIDX,
		.checksums = c->checksums,
		.max_frame = mtu + CQESIM_MTU_OVERHEAD,
	};
	int rc = 0;

	if (c->rss_key)
		memcpy(p.rss_key, c->rss_key, CQESIM_RSS_KEY_BYTES);
	else
		rc = cqesim_rss_key_parse(cqesim_profile_text(c->driver, CQESIM_DRV_RSS_KEY),
					  p.rss_key, err);
	if (!rc)
		rc = cqesim_rss_fields_parse(cqesim_profile_text(c->driver, CQESIM_DRV_RSS_FIELDS),
					     &p.rss_fields, err);
	return rc ? rc : cqesim_port_init(port, &p, err);
}
